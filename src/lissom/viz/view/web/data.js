// Data of the page; arrays are decoded on first use.

const KINDS = {
  float64: Float64Array, float32: Float32Array, uint32: Uint32Array, uint16: Uint16Array, int16: Int16Array, int8: Int8Array, uint8: Uint8Array,
};

// Adds `holder.array(k)`: array number k of those stored as text.
function withArrays(holder) {
  const decoded = new Map();
  holder.array = (k) => {
    if (!decoded.has(k)) {
      const [kind, code] = holder.arrays[k];
      const text = atob(code), bytes = new Uint8Array(text.length);
      for (let n = 0; n < text.length; n++) bytes[n] = text.charCodeAt(n);
      decoded.set(k, new KINDS[kind](bytes.buffer));
    }
    return decoded.get(k);
  };
  return holder;
}
