// Loops under enlarged bending.  Bodies carry others on their bent nodes, so a tree stays together by
// itself; a loop is closed by turning its joints a little, with the smallest changes of coordinates.

const ROUNDS = 12, LARGEST_STEP = 0.3; // rad, or lengths of the scene

class Closing {
  constructor(scene, motion) {
    const path = (i) => (i < 0 ? [] : [...path(scene.bodies[i].parent), i]);
    const loops = scene.n_mode ? scene.loops : [], ways = loops.map(({ a, b }) => [path(a.body), path(b.body)]);
    const signs = ways.map(([a, b]) => new Map([
      ...a.filter((i) => !b.includes(i)).map((i) => [i, -1]), ...b.filter((i) => !a.includes(i)).map((i) => [i, 1]),
    ]));
    const sorted = (bodies) => [...new Set(bodies)].sort((a, b) => a - b);
    Object.assign(this, {
      scene, motion, loops, signs, gap: 0,
      chain: sorted(ways.flat(2)), // joints of users hold what the page does not know
      moved: new Set(signs.flatMap((sign) => [...sign.keys()]).filter((i) => !scene.bodies[i].own)),
    });
  }

  get needed() { return this.loops.length > 0 && this.motion.scale !== 1; }

  // Place all bodies with coordinates that close the loops as they are closed without enlargement.
  go() {
    const { motion, loops, scene } = this, { scale } = motion;
    motion.scale = 1;
    this.place();
    const wanted = loops.map((loop) => this.relative(loop));
    motion.scale = scale;
    let best = null, least = Infinity;
    for (let round = 0; round <= ROUNDS; round++) {
      this.place(true);
      const { errors, gap } = this.errors(wanted), total = Math.hypot(...errors);
      if (total < least) [best, least, this.gap] = [motion.q.slice(), total, gap];
      if (total < 1e-9 || round === ROUNDS) break;
      this.step(errors);
    }
    motion.q.set(best);
    for (let i = 0; i < scene.bodies.length; i++) motion.place(i);
  }

  // Place the bodies of the loops; `noted`: with the axes of their joints.
  place(noted = false) {
    this.axes = [];
    const note = ({ pose: { p, q } }, i, { q: k, twist }) => {
      const turns = twist ? [twist] : [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => [...axis, 0, 0, 0]);
      turns.forEach((h, c) => this.axes.push({
        i, k, c: twist ? -1 : c, p, spin: turned(q, h.slice(0, 3)), slide: turned(q, h.slice(3)),
        unit: Math.hypot(h[0], h[1], h[2]) > 0 ? 1 : this.scene.length,
      }));
    };
    for (const i of this.chain) this.motion.place(i, noted && this.moved.has(i) ? note : null);
  }

  // End b as seen from end a.
  relative({ a, b }) {
    const one = this.motion.frame(a), two = this.motion.frame(b), back = conjugate(one.q);
    return { p: turned(back, add(two.p, one.p, -1)), q: product(back, two.q), at: two.p, one: one.q, two: two.q };
  }

  // Deviations in the directions that the closing joints hold, in lengths and radians; and the gap [m].
  errors(wanted) {
    const errors = [];
    let gap = 0;
    this.rows = [];
    this.loops.forEach((loop, n) => {
      const now = this.relative(loop), was = wanted[n], back = conjugate(was.q);
      const away = turned(back, add(now.p, was.p, -1)), there = product(now.one, was.q), turn = vectorOf(product(back, now.q));
      for (const held of loop.held) {
        const [spin, slide] = [held.slice(0, 3), times(held.slice(3), 1 / this.scene.length)];
        errors.push(dot(spin, turn) + dot(slide, away));
        this.rows.push({ n, at: now.at, spin: turned(now.two, spin), slide: turned(there, slide) });
      }
      gap = Math.max(gap, size(loop.held.reduce((sum, held) => add(sum, held.slice(3), dot(held.slice(3), away)), [0, 0, 0])));
    });
    return { errors, gap };
  }

  // Smallest change of the coordinates that removes the errors to first order.
  step(errors) {
    const { rows, axes, signs, motion: { q } } = this;
    const slopes = rows.map(({ n, at, spin, slide }) => axes.map((axis) => {
      const sign = signs[n].get(axis.i) ?? 0;
      if (!sign) return 0;
      const moved = add(axis.slide, cross(axis.spin, add(at, axis.p, -1)));
      return sign * axis.unit * (dot(spin, axis.spin) + dot(slide, moved));
    }));
    const square = slopes.map((a) => slopes.map((b) => a.reduce((sum, x, k) => sum + x * b[k], 0)));
    const soft = 1e-7 * Math.max(1e-30, ...square.map((row, k) => row[k]));
    square.forEach((row, k) => { row[k] += soft; });
    const weights = solved(square, errors), change = axes.map((_, k) => -slopes.reduce((sum, row, r) => sum + row[k] * weights[r], 0));
    const part = Math.min(1, LARGEST_STEP / Math.max(1e-30, ...change.map(Math.abs)));
    axes.forEach(({ k, c, unit }, n) => {
      const by = part * change[n];
      if (c < 0) q[k] += by * unit;
      else {
        const half = [Math.cos(by / 2), 0, 0, 0];
        half[c + 1] = Math.sin(by / 2);
        product(q.slice(k, k + 4), half).forEach((x, m) => { q[k + m] = x; });
      }
    });
  }
}

const conjugate = ([w, x, y, z]) => [w, -x, -y, -z];
const product = ([a, b, c, d], [w, x, y, z]) => [
  a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w,
];

// Rotation vector of a quaternion.
function vectorOf(q) {
  const [w, x, y, z] = q[0] < 0 ? q.map((c) => -c) : q, sine = Math.hypot(x, y, z);
  return times([x, y, z], sine > 1e-9 ? 2 * Math.atan2(sine, w) / sine : 2);
}

// Solution of A x = b for a symmetric positive definite A, by Cholesky factors written into A.
function solved(A, b) {
  const n = b.length, x = [...b];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = A[i][j];
      for (let k = 0; k < j; k++) sum -= A[i][k] * A[j][k];
      A[i][j] = i === j ? Math.sqrt(Math.max(sum, 1e-300)) : sum / A[j][j];
    }
    for (let k = 0; k < i; k++) x[i] -= A[i][k] * x[k];
    x[i] /= A[i][i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= A[k][i] * x[k];
    x[i] /= A[i][i];
  }
  return x;
}
