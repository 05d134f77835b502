// Vectors are arrays of three, quaternions (w, x, y, z), matrices 4x4 by columns.

const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
];
const size = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => times(a, 1 / (size(a) || 1));

function turned(q, x) {
  const u = [q[1], q[2], q[3]], t = times(cross(u, x), 2);
  return add(add(x, t, q[0]), cross(u, t));
}

// Matrix of a pose {p: position, q: quaternion} with scale s.
function poseMatrix({ p, q }, s = 1) {
  const x = turned(q, [s, 0, 0]), y = turned(q, [0, s, 0]), z = turned(q, [0, 0, s]);
  return [...x, 0, ...y, 0, ...z, 0, ...p, 1];
}

function multiplied(a, b) {
  const c = new Array(16).fill(0);
  for (let j = 0; j < 4; j++)
    for (let i = 0; i < 4; i++)
      for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}

// Smallest rotation from the x axis to a direction.
function toward(direction) {
  const d = unit(direction), w = 1 + d[0];
  if (w < 1e-6) return [0, 0, 0, 1];
  const n = Math.sqrt(2 * w);
  return [w / n, 0, -d[2] / n, d[1] / n];
}

const color = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255);

// Colour of a value from 0 to 1, as in the shader.
const VIRIDIS = [[.267, .004, .329], [.231, .322, .545], [.129, .569, .549], [.369, .788, .384], [.993, .906, .144]];
function scaleColor(t) {
  const x = Math.max(0, Math.min(1, t)) * 3.999, k = Math.floor(x);
  return VIRIDIS[k].map((c, i) => c + (x - k) * (VIRIDIS[k + 1][i] - c));
}

// Smallest of 1, 2, 5 times a power of ten that is not less than x.
function rounded(x) {
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * [1, 2, 5, 10].find((k) => k * ten >= x * (1 - 1e-9));
}

const short = (x, digits = 3) => String(Number(x.toPrecision(digits)));
