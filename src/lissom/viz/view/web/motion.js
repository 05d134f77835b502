// What the colours of flexible bodies can show: switch -> unit.
const UNITS = { deflection: "m", stress: "Pa", curvature: "rad/m", moment: "N m" }, COLORED = Object.keys(UNITS);

// Positions of everything at a time.  Coordinates are interpolated linearly between frames, so that
// joints stay connected; quaternions take the shorter way.

class Motion {
  constructor(scene) {
    this.scene = scene;
    this.base = scene.array(scene.base);
    this.tables = scene.bodies.map((b) => ({ nodes: scene.array(b.nodes), shapes: scene.array(b.shapes) }));
    this.rods = scene.bodies.map((b) => b.rod && new Rod(scene, b));
    this.stressStart = []; // place of each body's nodes in a row of stresses; -1: it has none
    this.stressWidth = scene.bodies.reduce((at, b, i) => {
      this.stressStart.push(b.stressed ? at : -1);
      return b.stressed ? at + this.tables[i].nodes.length / 3 : at;
    }, 0);
    this.quaternions = scene.bodies.flatMap((b) => b.factors.filter((f) => !f.twist).map((f) => f.q));
    Object.assign(this, {
      times: new Float64Array(0), rows: new Float32Array(0), forces: new Float32Array(0), stresses: new Float32Array(0),
      q: new Float64Array(scene.n_q), placed: new Float64Array(7 * scene.bodies.length),
      cursor: new Cursor(), scale: 1, time: 0, largest: {}, low: null, high: null,
      events: [], status: "", message: "", peaks: scene.forces.map(() => 0),
    });
    this.closing = new Closing(scene, this);
    this.clearPaths();
    this.append(withArrays(scene.frames));
    this.go(0);
  }

  get duration() { return this.times[this.times.length - 1]; }
  get n() { return this.times.length; }

  // Add frames; existing frames from the first of them on are discarded.
  append(batch) {
    const { n_q: width, forces } = this.scene, three = 3 * forces.length;
    const joined = (old, add, per) => {
      const made = new old.constructor(per * batch.from + add.length);
      made.set(old.subarray(0, per * batch.from));
      made.set(add, per * batch.from);
      return made;
    };
    const arrows = Float32Array.from(batch.array(batch.forces), (x, k) => (
      x * batch.peaks[Math.floor((k % three) / 3)] / 32767
    ));
    const stresses = Float32Array.from(batch.array(batch.stresses), (x) => x * batch.stress / 255);
    this.stresses = joined(this.stresses, stresses, this.stressWidth);
    this.times = joined(this.times, batch.array(batch.time), 1);
    this.rows = joined(this.rows, batch.array(batch.q), width);
    this.forces = joined(this.forces, arrows, three);
    this.peaks = this.peaks.map((x, k) => Math.max(x, batch.peaks[k]));
    for (const kind of COLORED) this.largest[kind] = Math.max(this.largest[kind] ?? 0, batch[kind]);
    this.low = batch.low.map((x, k) => Math.min(x, this.low?.[k] ?? x));
    this.high = batch.high.map((x, k) => Math.max(x, this.high?.[k] ?? x));
    Object.assign(this, { events: batch.events, status: batch.status, message: batch.message });
    this.done = Math.min(this.done, batch.from);
  }

  // Frame before a time, and the fraction of the interval to the next, 0 to 1.
  between(time) {
    let low = 0, high = this.times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle; else high = middle;
    }
    const gap = this.times[high] - this.times[low];
    const part = gap > 0 ? Math.min(1, Math.max(0, (time - this.times[low]) / gap)) : 0;
    return [low, high, part];
  }

  // `only`: numbers of the bodies to compute, in ascending order.
  go(time, only = null) {
    this.time = time;
    const [a, b, part] = this.between(time), { base, rows, q } = this, n = q.length;
    const at = (frame, k) => base[k] + rows[frame * n + k];
    for (let k = 0; k < n; k++) q[k] = base[k] + (1 - part) * rows[a * n + k] + part * rows[b * n + k];
    for (const k of this.quaternions) {
      let along = 0;
      for (let c = k; c < k + 4; c++) along += at(a, c) * at(b, c);
      if (along < 0) for (let c = k; c < k + 4; c++) q[c] = (1 - part) * at(a, c) - part * at(b, c);
    }
    if (this.closing.needed) this.closing.go();
    else if (only) for (const i of only) this.place(i);
    else for (let i = 0; i < this.scene.bodies.length; i++) this.place(i);
  }

  // Pose of a body from that of its parent: deformed node, then joint.  `note` is called with each
  // factor of the joint and the cursor where its axis is.
  place(i, note = null) {
    const { parent, carrier, at, turn, factors } = this.scene.bodies[i], { cursor, q } = this;
    if (parent < 0) cursor.reset();
    else { cursor.load(this.placed, parent); this.toNode(parent, carrier); }
    cursor.shift(at[0], at[1], at[2]);
    cursor.turn(turn[0], turn[1], turn[2], turn[3]);
    for (const factor of factors) {
      const { q: k, twist } = factor;
      if (!twist) cursor.turn(q[k], q[k + 1], q[k + 2], q[k + 3]);
      note?.(cursor, i, factor);
      if (twist) cursor.twist(twist, q[k]);
    }
    cursor.store(this.placed, i);
    this.rods[i]?.go(q, this.scale);
  }

  // Move the cursor from a body frame to a node: l + shift, exp(skew(turn)); or to a section.
  toNode(i, node) {
    if (this.rods[i]) {
      const { x, y, z, w, i: a, j: b, k: c } = this.rods[i].section(node);
      this.cursor.shift(x, y, z);
      this.cursor.turn(w, a, b, c);
      return;
    }
    const { n_mode: m, first_mode: first } = this.scene.bodies[i], { nodes, shapes } = this.tables[i], turn = [0, 0, 0];
    let x = nodes[3 * node], y = nodes[3 * node + 1], z = nodes[3 * node + 2];
    for (let k = 0; k < m; k++) {
      const e = this.scale * this.q[first + k], at = 6 * (node * m + k);
      for (let c = 0; c < 3; c++) turn[c] += e * shapes[at + c];
      x += e * shapes[at + 3]; y += e * shapes[at + 4]; z += e * shapes[at + 5];
    }
    this.cursor.shift(x, y, z);
    if (m) this.cursor.turnBy(turn[0], turn[1], turn[2]);
  }

  pose(i) {
    this.cursor.load(this.placed, i);
    return this.cursor.pose;
  }

  // Pose in the world of a place {body, node, offset, turn}; body -1 is the ground.
  frame({ body, node, offset, turn }) {
    if (body < 0) return { p: offset, q: turn ?? [1, 0, 0, 0] };
    this.cursor.load(this.placed, body);
    this.toNode(body, node);
    this.cursor.shift(offset[0], offset[1], offset[2]);
    if (turn) this.cursor.turn(turn[0], turn[1], turn[2], turn[3]);
    return this.cursor.pose;
  }

  // Corner k of body i, counted through its surfaces.
  vertex(i, k) {
    for (const surface of this.scene.bodies[i].surfaces) {
      const nodes = this.scene.array(surface.nodes), offsets = this.scene.array(surface.offsets);
      if (k < nodes.length)
        return this.frame({ body: i, node: nodes[k], offset: [...offsets.slice(3 * k, 3 * k + 3)] }).p;
      k -= nodes.length;
    }
    throw new RangeError("no such corner");
  }

  // Corners of the bounding boxes of all bodies at some of the frames, as seen from a place that moves.
  outline(place = null) {
    const { scene, cursor, time: now, n } = this, some = Math.min(40, n), found = [];
    const corners = scene.bodies.length > 200 ? 1 : 8;
    let from = [0, 0, 0];
    for (let s = 0; s < some; s++) {
      this.go(this.times[Math.round(s * (n - 1) / Math.max(1, some - 1))]);
      if (place) from = this.frame(place).p;
      scene.bodies.forEach(({ box }, i) => {
        const rod = this.rods[i];
        for (let k = 0; k < (rod?.n ?? 0); k += Math.ceil(rod.n / 40)) {
          cursor.load(this.placed, i);
          this.toNode(i, k);
          found.push([cursor.x - from[0], cursor.y - from[1], cursor.z - from[2]]);
        }
        for (let k = 0; !rod && k < corners; k++) {
          cursor.load(this.placed, i);
          cursor.shift(box[k & 1][0], box[(k >> 1) & 1][1], box[(k >> 2) & 1][2]);
          found.push([cursor.x - from[0], cursor.y - from[1], cursor.z - from[2]]);
        }
      });
    }
    this.go(now);
    return found;
  }

  clearPaths() {
    this.done = 0; // frames whose points are computed
    this.points = this.scene.trails.map(() => new Float32Array(0));
  }

  // Points of all trails at all frames: one array of positions for each trail.
  paths() {
    const { scene, n, time: now, done } = this;
    if (done === n) return this.points;
    const chain = new Set();
    for (const trail of scene.trails)
      for (let i = trail.body; i >= 0; i = scene.bodies[i].parent) chain.add(i);
    const only = [...chain].sort((a, b) => a - b);
    this.points = this.points.map((old) => {
      const made = new Float32Array(3 * n);
      made.set(old.subarray(0, 3 * done));
      return made;
    });
    for (let t = done; t < n; t++) {
      this.go(this.times[t], only);
      scene.trails.forEach((trail, k) => this.points[k].set(this.frame(trail).p, 3 * t));
    }
    this.done = n;
    this.go(now);
    return this.points;
  }

  // Stresses of all nodes of stressed bodies at the current time.
  stress(into) {
    const [a, b, part] = this.between(this.time), { stressWidth: n, stresses } = this;
    for (let k = 0; k < n; k++) into[k] = (1 - part) * stresses[a * n + k] + part * stresses[b * n + k];
  }

  // Force of arrow k at the current time, world axes.
  force(k) {
    const [a, b, part] = this.between(this.time), n = 3 * this.scene.forces.length, { forces } = this;
    const local = [0, 1, 2].map((c) => (1 - part) * forces[a * n + 3 * k + c] + part * forces[b * n + 3 * k + c]);
    const arrow = this.scene.forces[k]; // loads are in node axes, others in world axes
    return arrow.kind === "force" || arrow.kind === "moment" ? turned(this.frame(arrow).q, local) : local;
  }
}
