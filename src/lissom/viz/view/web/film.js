// Film of the whole motion.  Each frame is drawn and encoded for itself, so that the film is complete
// and plays at the right speed however slow the machine is.  Browsers without encoders for single
// frames record the canvas in real time, frames for the time that has passed.

const RATE = 30, KEY = 60; // frames per second; every how many frames a film can be entered
const LARGEST = 1920 * 1080;
const FILMS = [
  { name: "mp4", text: "MP4", type: "video/mp4", codecs: ["avc1.42e028", "avc1.42001f"], recorded: ["video/mp4;codecs=avc1", "video/mp4"] },
  { name: "webm", text: "WebM", type: "video/webm", codecs: ["vp09.00.41.08", "vp8"], recorded: ["video/webm;codecs=vp9", "video/webm"] },
];

// Formats that this browser can write: {..., codec} frame by frame, or {..., mime} in real time.
async function films(width, height) {
  const found = [];
  for (const film of FILMS) {
    let codec = null;
    if (typeof VideoEncoder !== "undefined")
      for (const name of film.codecs) {
        const answer = await VideoEncoder.isConfigSupported(settings(name, width, height)).catch(() => null);
        if (answer?.supported) { codec = name; break; }
      }
    const mime = typeof MediaRecorder === "undefined" ? null : film.recorded.find((x) => MediaRecorder.isTypeSupported(x));
    if (codec || mime) found.push({ ...film, codec, mime });
  }
  return found;
}

const settings = (codec, width, height) => ({
  codec, width, height, framerate: RATE, bitrate: Math.round(Math.max(2e6, 6 * width * height)), ...(codec.startsWith("avc1") ? { avc: { format: "avc" } } : {}),
});

// Film as a Blob, or null if it was stopped.  `paint(k)` draws frame k of n on the canvas; `going(k)`
// says whether to go on.
async function filmed(film, canvas, n, paint, going) {
  return film.codec ? encoded(film, canvas, n, paint, going) : recorded(film, canvas, n, paint, going);
}

async function encoded({ codec, name, type }, canvas, n, paint, going) {
  const { width, height } = canvas, frames = [];
  let description = null, failure = null;
  const encoder = new VideoEncoder({
    output(chunk, about) {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      frames.push({ data, key: chunk.type === "key" });
      description ??= about?.decoderConfig?.description ?? null;
    },
    error(error) { failure = error; },
  });
  encoder.configure(settings(codec, width, height));
  for (let k = 0; k < n && !failure; k++) {
    if (!going(k)) { encoder.close(); return null; }
    paint(k);
    const frame = new VideoFrame(canvas, { timestamp: Math.round(1e6 * k / RATE), duration: Math.round(1e6 / RATE) });
    encoder.encode(frame, { keyFrame: k % KEY === 0 });
    frame.close();
    do await pause(); while (encoder.encodeQueueSize > 4 && !failure);
  }
  if (!failure) await encoder.flush().catch((error) => { failure ??= error; });
  if (failure) throw failure;
  encoder.close();
  if (frames.length !== n) throw new Error(`the encoder gave ${frames.length} of ${n} frames`);
  const made = name === "mp4" ? mp4(frames, { width, height, description: new Uint8Array(description) }) : webm(frames, { width, height, codec });
  return new Blob([made], { type });
}

async function recorded({ mime, type }, canvas, n, paint, going) {
  const stream = canvas.captureStream(RATE), parts = [];
  const recorder = new MediaRecorder(stream, { mimeType: mime, videoBitsPerSecond: settings("", canvas.width, canvas.height).bitrate });
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const ended = new Promise((done, failed) => { recorder.onstop = done; recorder.onerror = ({ error }) => failed(error ?? new Error("recording failed")); });
  const later = (frames) => new Promise((done) => setTimeout(done, 1000 * frames / RATE));
  let running = false;
  recorder.onstart = () => { running = true; };
  recorder.start();
  for (let tries = 0; !running && tries < 10 * RATE; tries++) { paint(0); await later(1); }
  const start = performance.now();
  for (let k = 0; k < n - 1;) {
    await later(1);
    k = Math.min(n - 1, Math.round((performance.now() - start) * RATE / 1000));
    if (!going(k)) { recorder.onstop = null; recorder.stop(); return null; }
    paint(k);
  }
  await later(2);
  recorder.stop();
  await ended;
  return new Blob(parts, { type });
}

// Let the browser breathe; a hidden page would wait for long if this were a timer.
const pause = () => new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => { port1.close(); done(); };
  port2.postMessage(0);
});

function joined(parts) {
  const made = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => { made.set(part, at); return at + part.length; }, 0);
  return made;
}

// Whole number in `length` bytes, the first the largest.
const whole = (x, length) => Array.from({ length }, (_, k) => Math.floor(x / 256 ** (length - 1 - k)) % 256);
const letters = (text) => Array.from(text, (c) => c.charCodeAt(0));

// WebM: elements of an identifier, a length in eight bytes, and content.
function webm(frames, { width, height, codec }) {
  const element = (id, ...parts) => {
    const content = joined(parts);
    return joined([id.match(/../g).map((x) => parseInt(x, 16)), [1, ...whole(content.length, 7)], content]);
  };
  const float = (x) => { const view = new DataView(new ArrayBuffer(8)); view.setFloat64(0, x); return new Uint8Array(view.buffer); };
  const ms = (k) => Math.round(1000 * k / RATE), name = codec.startsWith("vp09") ? "V_VP9" : "V_VP8";
  const head = element("1a45dfa3", element("4286", [1]), element("42f7", [1]), element("42f2", [4]), element("42f3", [8]),
    element("4282", letters("webm")), element("4287", [4]), element("4285", [2]));
  const info = element("1549a966", element("2ad7b1", whole(1e6, 4)), element("4489", float(1000 * frames.length / RATE)),
    element("4d80", letters("lissom")), element("5741", letters("lissom")));
  const tracks = element("1654ae6b", element("ae", element("d7", [1]), element("73c5", [1]), element("83", [1]), element("9c", [0]), element("86", letters(name)),
    element("23e383", whole(Math.round(1e9 / RATE), 4)), element("e0", element("b0", whole(width, 2)), element("ba", whole(height, 2)))));
  const starts = frames.flatMap(({ key }, k) => (key ? [k] : [])), clusters = starts.map((start, c) => {
    const blocks = frames.slice(start, starts[c + 1] ?? frames.length).map(({ data, key }, k) => (
      element("a3", [0x81, ...whole(ms(start + k) - ms(start), 2), key ? 0x80 : 0], data)
    ));
    return element("1f43b675", element("e7", whole(ms(start), 4)), ...blocks);
  });
  const cues = (first) => {
    let at = first;
    return element("1c53bb6b", ...starts.map((start, c) => {
      const point = element("bb", element("b3", whole(ms(start), 4)), element("b7", element("f7", [1]), element("f1", whole(at, 8))));
      at += clusters[c].length;
      return point;
    }));
  };
  const table = cues(info.length + tracks.length + cues(0).length);
  return joined([head, element("18538067", info, tracks, table, ...clusters)]);
}

// MP4: boxes of a length in four bytes, a name, and content.
function mp4(frames, { width, height, description }) {
  const box = (name, ...parts) => { const content = joined(parts); return joined([whole(content.length + 8, 4), letters(name), content]); };
  const full = (name, flags, ...parts) => box(name, [0, ...whole(flags, 3)], ...parts);
  const n = frames.length, zeros = (length) => whole(0, length), four = (...xs) => xs.flatMap((x) => whole(x, 4));
  const unity = four(65536, 0, 0, 0, 65536, 0, 0, 0, 0x40000000);
  const picture = box("avc1", zeros(6), whole(1, 2), zeros(16), whole(width, 2), whole(height, 2), four(0x480000, 0x480000, 0), whole(1, 2), zeros(32), whole(24, 2), [255, 255],
    box("avcC", description));
  const film = (offset) => box("moov",
    full("mvhd", 0, four(0, 0, RATE, n, 65536), whole(256, 2), zeros(10), unity, zeros(24), four(2)),
    box("trak", full("tkhd", 3, four(0, 0, 1, 0, n), zeros(16), unity, four(width * 65536, height * 65536)),
      box("mdia", full("mdhd", 0, four(0, 0, RATE, n), whole(0x55c4, 2), zeros(2)),
        full("hdlr", 0, zeros(4), letters("vide"), zeros(12), letters("film\0")),
        box("minf", full("vmhd", 1, zeros(8)), box("dinf", full("dref", 0, four(1), full("url ", 1))),
          box("stbl", full("stsd", 0, four(1), picture), full("stts", 0, four(1, n, 1)), full("stsc", 0, four(1, 1, n, 1)),
            full("stsz", 0, four(0, n), four(...frames.map(({ data }) => data.length))), full("stco", 0, four(1, offset)),
            full("stss", 0, ((keys) => four(keys.length, ...keys))(frames.flatMap(({ key }, k) => (key ? [k + 1] : [])))))))));
  const kind = box("ftyp", letters("isom"), four(512), letters("isomiso2avc1mp41"));
  return joined([kind, film(kind.length + film(0).length + 8), box("mdat", ...frames.map(({ data }) => data))]);
}
