// The data of the page: words as they are, arrays decoded when they are first read.

const KINDS = { float32: Float32Array, uint32: Uint32Array, uint16: Uint16Array, int8: Int8Array };

function readScene(text) {
  const scene = JSON.parse(text), decoded = new Map();
  scene.array = (k) => {
    if (!decoded.has(k)) {
      const [kind, code] = scene.arrays[k];
      const bytes = Uint8Array.from(atob(code), (c) => c.charCodeAt(0));
      decoded.set(k, new KINDS[kind](bytes.buffer));
    }
    return decoded.get(k);
  };
  scene.bodies.forEach((body, i) => { body.carrier = scene.carried[i]; });
  return scene;
}
