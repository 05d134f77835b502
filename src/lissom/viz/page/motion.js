// Where everything is at a time.  Between frames places and modes are on straight lines.

class Motion {
  constructor(scene) {
    this.scene = scene;
    this.times = scene.array(scene.time);
    this.rows = { poses: scene.array(scene.poses), modes: scene.array(scene.modes) };
    this.tables = scene.bodies.map((b) => ({
      nodes: scene.array(b.nodes), shapes: scene.array(b.shapes),
    }));
    this.eta = new Float32Array(scene.n_mode);
    this.scale = 1; // of the deformation
    this.poses = [];
    this.go(0);
  }

  get duration() { return this.times[this.times.length - 1]; }

  // Frame before a time, and how far it is to the next, 0 to 1.
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

  go(time) {
    this.time = time;
    const [a, b, part] = this.between(time), { poses, modes } = this.rows;
    const m = this.scene.n_mode, n = this.scene.bodies.length;
    for (let k = 0; k < m; k++) this.eta[k] = (1 - part) * modes[a * m + k] + part * modes[b * m + k];
    const mixed = (i) => {
      const x = new Array(7);
      for (let k = 0; k < 7; k++)
        x[k] = (1 - part) * poses[7 * (a * n + i) + k] + part * poses[7 * (b * n + i) + k];
      const length = Math.hypot(x[3], x[4], x[5], x[6]);
      return { p: x.slice(0, 3), q: x.slice(3).map((c) => c / length) };
    };
    const real = this.scene.bodies.map((_, i) => mixed(i));
    this.poses = this.scale === 1 ? real : this.enlarged(real);
  }

  // Poses with deformations enlarged: joints stay as they are, nodes that carry them move more.
  enlarged(real) {
    const found = [];
    this.scene.bodies.forEach(({ parent, carrier }, i) => {
      if (parent < 0) { found.push(real[i]); return; }
      const joint = then(back(then(real[parent], this.node(parent, carrier, 1))), real[i]);
      found.push(then(then(found[parent], this.node(parent, carrier, this.scale)), joint));
    });
    return found;
  }

  // Pose of a node in its body: l + shift, exp(skew(turn)).
  node(i, node, scale = this.scale) {
    const { n_mode: m, first_mode: first } = this.scene.bodies[i], { nodes, shapes } = this.tables[i];
    const p = [nodes[3 * node], nodes[3 * node + 1], nodes[3 * node + 2]], turn = [0, 0, 0];
    for (let k = 0; k < m; k++) {
      const e = scale * this.eta[first + k], at = 6 * (node * m + k);
      for (let c = 0; c < 3; c++) { turn[c] += e * shapes[at + c]; p[c] += e * shapes[at + 3 + c]; }
    }
    return { p, q: exponential(turn) };
  }

  // Pose in the world of a place {body, node, offset}; body -1 is the ground.
  frame({ body, node, offset }) {
    if (body < 0) return { p: offset, q: [1, 0, 0, 0] };
    return then(then(this.poses[body], this.node(body, node)), { p: offset, q: [1, 0, 0, 0] });
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

  // Points of all trails at all frames: one array of positions for each trail.
  paths() {
    const now = this.time, paths = this.scene.trails.map(() => new Float32Array(3 * this.times.length));
    this.times.forEach((time, t) => {
      this.go(time);
      this.scene.trails.forEach((trail, k) => paths[k].set(this.frame(trail).p, 3 * t));
    });
    this.go(now);
    return paths;
  }

  // Force of an arrow at this time in the world.
  force(arrow) {
    const [a, b, part] = this.between(this.time), values = this.scene.array(arrow.values);
    const local = [0, 1, 2].map((c) => (1 - part) * values[3 * a + c] + part * values[3 * b + c]);
    return turned(this.frame(arrow).q, local);
  }
}
