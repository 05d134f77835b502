// Sections of a rod from its coordinates, as `bodies/rod_poses.py` computes them: turns from station
// to station by the Magnus expansion, positions as sums over the stations.

class Rod {
  constructor(scene, body) {
    const { rod, nodes, n_mode, first_mode } = body;
    const read = ({ natural, moments }) => ({ natural: scene.array(natural), moments: scene.array(moments) });
    const { functions, natural, stiffness } = rod.at;
    Object.assign(this, {
      m: n_mode, first: first_mode, strains: rod.strains, rest: scene.array(nodes),
      stations: read(rod.stations), functions: scene.array(rod.functions),
      sections: read(rod.sections), starts: scene.array(rod.starts), integration: scene.array(rod.integration),
      at: { functions: scene.array(functions), natural: scene.array(natural), stiffness: scene.array(stiffness) },
      cursor: new Cursor(), a: new Float64Array(9), eta: new Float64Array(n_mode),
    });
    this.n = this.starts.length; // sections
    this.n_station = this.functions.length / (this.m || 1);
    this.turns = new Float64Array(4 * this.n_station);
    this.tangents = new Float64Array(3 * this.n_station);
    this.poses = new Float64Array(7 * this.n);
    this.known = new Uint8Array(this.n); // sections whose poses are computed
    this.true = this; // the rod with its true strains
    this.twin = () => new Rod(scene, body);
  }

  // Stations for the coordinates of the system; `scale` enlarges the strains.
  go(q, scale) {
    const { m, cursor, functions, strains, turns, tangents, eta } = this;
    if (scale === 1) this.true = this;
    else {
      if (this.true === this) this.true = this.twin();
      this.true.go(q, 1);
    }
    for (let k = 0; k < m; k++) eta[k] = scale * q[this.first + k];
    this.known.fill(0);
    cursor.reset();
    for (let s = 0; s < this.n_station; s++) {
      this.turnAlong(this.stations, s);
      const strain = [1, 0, 0];
      for (let k = 0; k < m; k++) if (strains[k] > 2) strain[strains[k] - 3] += functions[s * m + k] * eta[k];
      cursor.x = cursor.y = cursor.z = 0;
      cursor.shift(strain[0], strain[1], strain[2]);
      tangents[3 * s] = cursor.x; tangents[3 * s + 1] = cursor.y; tangents[3 * s + 2] = cursor.z;
      turns[4 * s] = cursor.w; turns[4 * s + 1] = cursor.i; turns[4 * s + 2] = cursor.j; turns[4 * s + 3] = cursor.k;
    }
  }

  // Turn the cursor along piece k: equations (2) and (3) of `rod_map`.
  turnAlong({ natural, moments }, k) {
    const { m, a, eta, strains } = this;
    for (let c = 0; c < 9; c++) a[c] = natural[9 * k + c];
    for (let row = 0; row < 3; row++)
      for (let j = 0; j < m; j++) if (strains[j] < 3) a[3 * row + strains[j]] += moments[(3 * k + row) * m + j] * eta[j];
    const a1 = [a[0], a[1], a[2]], a2 = [a[3], a[4], a[5]], a3 = [a[6], a[7], a[8]];
    const C1 = cross(a2, a1), C2 = times(cross(a1, add(C1, a3, 2)), 1 / 60);
    const rest = add(add(C1, a1, -20), a3, -1);
    const psi = add(add(a1, a3, 1 / 12), cross(add(a2, C2), rest), 1 / 240);
    this.cursor.turnBy(psi[0], psi[1], psi[2]);
  }

  // Cursor at section k, in body axes.
  section(k) {
    const { cursor, poses } = this;
    if (!this.known[k]) { this.find(k); this.known[k] = 1; }
    cursor.load(poses, k);
    return cursor;
  }

  find(k) {
    const { cursor, turns, tangents, integration, n_station: n } = this, start = this.starts[k];
    cursor.reset();
    if (start >= 0) {
      cursor.w = turns[4 * start]; cursor.i = turns[4 * start + 1];
      cursor.j = turns[4 * start + 2]; cursor.k = turns[4 * start + 3];
    }
    this.turnAlong(this.sections, k);
    for (let s = 0; s < n; s++) {
      const weight = integration[k * n + s];
      cursor.x += weight * tangents[3 * s]; cursor.y += weight * tangents[3 * s + 1]; cursor.z += weight * tangents[3 * s + 2];
    }
    cursor.store(this.poses, k);
  }

  // What the colour of section k shows.
  shown(k, kind) {
    const { m, strains, rest, at } = this, { eta } = this.true;
    if (kind === "deflection") {
      const { x, y, z } = this.true.section(k);
      return Math.hypot(x - rest[3 * k], y - rest[3 * k + 1], z - rest[3 * k + 2]);
    }
    const strain = [0, 0, 0];
    for (let j = 0; j < m; j++) if (strains[j] < 3) strain[strains[j]] += at.functions[k * m + j] * eta[j];
    if (kind === "curvature") return Math.hypot(at.natural[3 * k + 1] + strain[1], at.natural[3 * k + 2] + strain[2]);
    return size(strain.map((x, c) => at.stiffness[3 * k + c] * x));
  }
}
