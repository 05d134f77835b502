// Rendering of the scene: grid, shadows, bodies, trails, arrows, frames, loops.

const AXES = [[[0.84, 0.37, 0], [1, 0, 0]], [[0, 0.62, 0.45], [0, 1, 0]], [[0, 0.45, 0.7], [0, 0, 1]]];
const TRAILS = ["#d55e00", "#0072b2", "#009e73", "#cc79a7"];
// Kinds of arrows: colour, switch, description, unit, heads.
const ARROWS = {
  force: { paint: "#d55e00", show: "loads", text: "force of load", unit: "N", heads: 1 },
  moment: { paint: "#9467bd", show: "loads", text: "moment of load", unit: "N m", heads: 2 },
  loop: { paint: "#009e73", show: "loopForces", text: "force of loop", unit: "N", heads: 1 },
  joint: { paint: "#d81b60", show: "reactions", text: "force of joint", unit: "N", heads: 1 },
  loop_moment: { paint: "#66a61e", show: "moments", text: "moment of loop", unit: "N m", heads: 2 },
  joint_moment: { paint: "#5b6ee1", show: "moments", text: "moment of joint", unit: "N m", heads: 2 },
};
const STRIPES = 11; // along a flexible body
const FRONT = 6e-7; // of the depth, by which each body is in front of the one before
const FIXED = { p: [0, 0, 0], q: [1, 0, 0, 0] }; // pose of what belongs to the world
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

// Axis across which a flexible body is striped, its longest, and stripes per metre; none of a rigid one.
function stripesOf({ flexible, box: [low, high] }) {
  const extent = add(high, low, -1), longest = Math.max(...extent), axis = [0, 0, 0];
  axis[extent.indexOf(longest)] = 1;
  return flexible && longest > 0 ? [...axis, STRIPES / longest] : [0, 0, 0, 0];
}

class Picture {
  constructor(canvas, scene, motion, camera, show) {
    const gl = canvas.getContext("webgl2", { antialias: true, stencil: true, alpha: false });
    if (!gl) throw new Error("This browser shows no WebGL 2, which this page needs.");
    Object.assign(this, { canvas, gl, scene, motion, camera, show });
    this.bodyProgram = program(gl, BODY_VERTEX, BODY_FRAGMENT);
    this.lineProgram = program(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.origin = nodeTable(gl, new Float32Array(3), new Float32Array(0), 0);
    this.groups = this.load(scene, motion);
    this.eta = table(gl, motion.q, 1);
    this.sections = table(gl, new Float32Array(8 * this.n_section), 4);
    this.stresses = table(gl, new Float32Array(motion.stressWidth), 1);
    this.arrows = [1, 2].map((heads) => arrowPatch(gl, heads));
    for (const name of ["grid", "trails", "marks", "skeleton"]) this[`${name}Lines`] = new Lines(gl);
    this.grown();
  }

  // Bodies with the same appearance are drawn together: {table, patch, modes, stripes, members}; `modes` is
  // -1 for rods, whose members have their first section in the place of the first mode.
  load(scene, motion) {
    const { gl } = this, groups = new Map(), tables = new Map();
    this.n_section = 0;
    scene.bodies.forEach((body, i) => {
      const nodes = `${body.nodes} ${body.shapes}`, modes = body.rod ? -1 : body.n_mode;
      const first = body.rod ? this.n_section : body.first_mode;
      this.n_section += motion.rods[i]?.n ?? 0;
      if (!tables.has(nodes))
        tables.set(nodes, nodeTable(gl, motion.tables[i].nodes, motion.tables[i].shapes, Math.max(0, modes)));
      body.surfaces.forEach((s, part) => {
        const stress = motion.stressStart[i], key = `${modes} ${stress < 0} ${nodes} ${s.offsets} ${s.normals} ${s.nodes} ${s.triangles}`;
        if (!groups.has(key)) {
          const [offsets, normals, at, triangles] = [s.offsets, s.normals, s.nodes, s.triangles].map(scene.array);
          const patch = new Patch(gl, offsets, normals, at, triangles);
          groups.set(key, { table: tables.get(nodes), patch, modes, stressed: stress >= 0, stripes: stripesOf(body), members: [] });
        }
        groups.get(key).members.push({ i, part, first, stress, paint: color(s.color) });
      });
    });
    scene.ground.forEach((s, part) => {
      const patch = new Patch(gl, ...[s.offsets, s.normals, s.nodes, s.triangles].map(scene.array));
      const member = { i: -1, part, first: 0, stress: -1, paint: color(s.color) };
      groups.set(`ground ${part}`, { table: this.origin, patch, modes: 0, stressed: false, stripes: [0, 0, 0, 0], members: [member], fixed: true });
    });
    return [...groups.values()];
  }

  // Level of the ground and scales of arrows, from the available frames.
  grown() {
    const { scene, motion, camera } = this;
    this.ground = Math.min(dot(motion.low, scene.up), dot(motion.high, scene.up)) - 0.01 * camera.size;
    this.gridDark = null;
    this.perMetre = {};
    scene.forces.forEach(({ kind }, k) => {
      this.perMetre[kind] = Math.max(this.perMetre[kind] ?? 0, motion.peaks[k]);
    });
    for (const kind in this.perMetre)
      this.perMetre[kind] = rounded(this.perMetre[kind] / (0.17 * camera.size));
  }

  draw() {
    const { gl, canvas, camera, show } = this;
    this.fitCanvas();
    gl.viewport(0, 0, canvas.width, canvas.height);
    const [r, g, b] = show.dark ? [0.071, 0.086, 0.114] : [0.953, 0.961, 0.973];
    gl.clearColor(r, g, b, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.matrix = camera.matrix();
    this.sendModes();
    this.sendSections();
    this.sendStresses();
    this.sendBodies();
    if (show.grid) { this.drawShadows(); this.drawGrid(); }
    this.drawBodies();
    this.drawSkeleton();
    if (show.trails) this.drawTrails();
    gl.clear(gl.DEPTH_BUFFER_BIT); // arrows start inside bodies and must be visible
    this.drawArrows();
    this.drawMarks();
  }

  fitCanvas() {
    const { canvas } = this, ratio = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.ratio = ratio;
    this.camera.aspect = width / height;
    const { clientWidth, clientHeight } = canvas, panel = byId("settings").hidden ? 0 : byId("panel").offsetWidth + 14;
    const narrow = clientWidth < 560, bar = byId("bar").hidden ? 12 : byId("bar").offsetHeight + 20;
    this.camera.leave({
      width: clientWidth || 1, height: clientHeight || 1, right: panel < 0.4 * clientWidth && !this.filmed ? panel : 0,
      top: Math.max(document.querySelector("header").offsetHeight + (narrow ? 18 : 14), Number(this.filmed ?? 0)), bottom: bar + (narrow ? byId("notes").offsetHeight : 0),
    });
  }

  sendModes() {
    const { gl, eta, motion } = this, data = new Float32Array(1024 * eta.rows);
    data.set(motion.q);
    gl.bindTexture(gl.TEXTURE_2D, eta.made);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1024, eta.rows, gl.RED, gl.FLOAT, data);
  }

  // What colours show, or undefined.
  get colored() { return COLORED.find((kind) => this.show[kind]); }

  // Attitude, position and coloured value of each section of all rods.
  sendSections() {
    if (!this.n_section) return;
    const { gl, sections, motion } = this, data = new Float32Array(4096 * sections.rows), kind = this.colored;
    let at = 0;
    for (const rod of motion.rods)
      for (let k = 0; k < (rod?.n ?? 0); k++, at += 8) {
        const { x, y, z, w, i, j, k: l } = rod.section(k);
        data[at] = i; data[at + 1] = j; data[at + 2] = l; data[at + 3] = w;
        data[at + 4] = x; data[at + 5] = y; data[at + 6] = z;
        if (kind) data[at + 7] = rod.shown(k, kind);
      }
    gl.bindTexture(gl.TEXTURE_2D, sections.made);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1024, sections.rows, gl.RGBA, gl.FLOAT, data);
  }

  sendStresses() {
    if (this.colored !== "stress") return;
    const { gl, stresses } = this, data = new Float32Array(1024 * stresses.rows);
    this.motion.stress(data);
    gl.bindTexture(gl.TEXTURE_2D, stresses.made);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1024, stresses.rows, gl.RED, gl.FLOAT, data);
  }

  useBodies({ made, at } = this.bodyProgram) {
    const { gl, camera, show } = this;
    gl.useProgram(made);
    gl.uniform1i(at.table, 0);
    gl.uniform1i(at.eta, 1);
    gl.uniform1i(at.sections, 2);
    gl.uniform1i(at.stresses, 3);
    gl.uniform1i(at.stressed, this.colored === "stress" ? 1 : 0);
    gl.activeTexture(gl.TEXTURE3);
    gl.bindTexture(gl.TEXTURE_2D, this.stresses.made);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.sections.made);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.eta.made);
    gl.activeTexture(gl.TEXTURE0);
    gl.uniformMatrix4fv(at.camera, false, this.matrix);
    gl.uniformMatrix4fv(at.flatten, false, IDENTITY);
    gl.uniform3fv(at.eye, camera.eye);
    const toward = add(add(times(camera.direction, 0.7), camera.top, 0.65), camera.right, -0.45);
    gl.uniform3fv(at.light, unit(toward));
    gl.uniform3fv(at.up, camera.up);
    gl.uniform1f(at.scale, this.motion.scale);
    gl.uniform1f(at.shadow, 0);
    return at;
  }

  // Upload the poses of all bodies to GPU memory.
  sendBodies() {
    const { motion } = this, poses = this.scene.bodies.map((_, i) => motion.pose(i));
    for (const { patch, modes, stressed, members } of this.groups) {
      const grey = this.colored && !this.scaleOf(modes, stressed) ? [0.6, 0.63, 0.67] : null;
      patch.fill(members.map(({ i, first, stress, paint }) => (
        { pose: poses[i] ?? FIXED, first, stress, paint: grey ?? paint, front: FRONT * (i % 32) }
      )));
    }
  }

  // Value of the last colour for bodies with so many modes; 0: they show nothing.
  scaleOf(modes, stressed = false) {
    const kind = this.colored;
    if (kind === "stress") return stressed ? this.motion.largest[kind] ?? 0 : 0;
    return modes < 0 || (modes && kind === "deflection") ? this.motion.largest[kind] ?? 0 : 0;
  }

  drawBodies(at = this.useBodies(), groups = this.groups) {
    const { gl } = this;
    for (const { table: nodes, patch, modes, stressed, stripes } of groups) {
      gl.bindTexture(gl.TEXTURE_2D, nodes);
      gl.uniform1i(at.modes, modes);
      gl.uniform4fv(at.stripes, stripes);
      gl.uniform1f(at.striped, stripes[3] && !this.colored && this.show.kinds ? 1 : 0);
      gl.uniform1f(at.largest, this.scaleOf(modes, stressed));
      patch.draw();
    }
  }

  // Shadows: everything that moves projected onto the ground, each pixel drawn once.
  drawShadows() {
    const { gl, show } = this, [x, y, z] = this.camera.up, h = this.ground;
    if (this.camera.elevation < 0) return;
    const at = this.useBodies();
    gl.uniformMatrix4fv(at.flatten, false, [
      1 - x * x, -x * y, -x * z, 0, -x * y, 1 - y * y, -y * z, 0, -x * z, -y * z, 1 - z * z, 0,
      h * x, h * y, h * z, 1,
    ]);
    gl.uniform1f(at.shadow, show.dark ? 0.34 : 0.1);
    gl.enable(gl.BLEND);
    gl.enable(gl.STENCIL_TEST);
    gl.depthMask(false);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    this.drawBodies(at, this.groups.filter(({ fixed }) => !fixed));
    gl.disable(gl.STENCIL_TEST);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  lines(lines, width, { depth = true } = {}) {
    const { gl, lineProgram: { made, at } } = this;
    gl.useProgram(made);
    gl.uniformMatrix4fv(at.camera, false, this.matrix);
    gl.uniform2f(at.screen, this.canvas.width, this.canvas.height);
    gl.uniform1f(at.width, width * this.ratio);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    if (!depth) gl.disable(gl.DEPTH_TEST);
    lines.draw();
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  drawGrid() {
    if (this.gridDark !== this.show.dark) {
      this.gridDark = this.show.dark;
      this.gridLines.fill(this.gridSegments());
    }
    this.lines(this.gridLines, 1);
  }

  // Grid with squares of 1, 2 or 5 times a power of ten, fading outwards.
  gridSegments() {
    const { camera, scene, ground, motion } = this, reach = 0.9 * camera.size;
    const step = rounded(reach / 8), n = Math.ceil(reach / step);
    this.gridStep = step;
    const middle = times(add(motion.low, motion.high), 0.5), shade = this.show.dark ? 0.75 : 0.3;
    const centre = (axis, k) => Math.round((dot(middle, axis) + scene.origin[k]) / step) * step - scene.origin[k];
    const index = (axis) => axis.findIndex((x) => x !== 0);
    const [e, f] = [camera.east, camera.north].map((a) => times(a, a[index(a)]));
    const [c, d] = [centre(e, index(e)), centre(f, index(f))];
    const at = (u, v) => add(add(times(e, c + u), f, d + v), camera.up, ground);
    const alpha = (u, v) => 0.3 * Math.max(0, 1 - Math.hypot(u, v) / (n * step));
    const found = [];
    const segment = (a, b) => found.push(
      ...at(...a), ...at(...b), shade, shade, shade, alpha(...a), shade, shade, shade, alpha(...b),
    );
    for (let i = -n; i <= n; i++)
      for (let j = -n; j < n; j++) {
        segment([i * step, j * step], [i * step, (j + 1) * step]);
        segment([j * step, i * step], [(j + 1) * step, i * step]);
      }
    return found;
  }

  // Thin lines between joints and along rods, so that chains of small links and cables are visible
  // from a distance; near by, the line is inside the rod.
  drawSkeleton() {
    const { motion, scene, show } = this, found = [];
    scene.bodies.forEach((_, i) => motion.rods[i] && this.addCentreLine(i, found));
    scene.bodies.forEach(({ parent, surfaces }, i) => {
      if (parent < 0 || !scene.bodies[parent].simple) return;
      const paint = color(surfaces[0].color).map((x) => (show.dark ? x : 0.75 * x));
      found.push(...motion.pose(parent).p, ...motion.pose(i).p, ...paint, 1, ...paint, 1);
    });
    if (!found.length) return;
    this.skeletonLines.fill(found);
    this.lines(this.skeletonLines, 1.5);
  }

  addCentreLine(i, found) {
    const { motion, scene, show, colored } = this, rod = motion.rods[i], { along, surfaces } = scene.bodies[i];
    const own = color(surfaces[0].color).map((x) => (show.dark ? x : 0.85 * x)), largest = this.scaleOf(-1);
    // on a dark page the dark end of the scale would not be seen in a thin line
    const lit = (tint) => (show.dark ? tint.map((x) => 0.3 + 0.7 * x) : tint);
    const paint = (k) => (largest ? lit(scaleColor(rod.shown(k, colored) / largest)) : own);
    const offset = [0, 0, 0], nodes = scene.array(along);
    let from = null;
    for (const node of nodes) {
      const to = [...motion.frame({ body: i, node, offset }).p], tint = paint(node);
      if (from) found.push(...from.p, ...to, ...from.tint, 1, ...tint, 1);
      from = { p: to, tint };
    }
  }

  // Complete paths faintly, the past part strongly.
  drawTrails() {
    const { motion } = this;
    if (this.pathScale !== motion.scale) {
      this.pathScale = motion.scale;
      motion.clearPaths();
    }
    const now = motion.between(motion.time)[0], found = [], faint = this.show.dark ? 0.3 : 0.2;
    motion.paths().forEach((path, k) => {
      const [r, g, b] = color(TRAILS[k % TRAILS.length]), n = path.length / 3, stride = Math.ceil(n / 1500);
      const tip = motion.frame(this.scene.trails[k]).p;
      const strength = (t) => 0.35 + 0.6 * Math.exp(-4 * (now - t) / Math.max(60, n / 3));
      const at = (t) => path.subarray(3 * t, 3 * t + 3);
      const segment = (from, to, x, y) => found.push(...from, ...to, r, g, b, x, r, g, b, y);
      for (let t = 0; t + 1 < n; t += stride) {
        const next = Math.min(t + stride, n - 1);
        if (now >= next) segment(at(t), at(next), strength(t), strength(next));
        else if (now < t) segment(at(t), at(next), faint, faint);
        else { segment(at(t), tip, strength(t), 0.95); segment(tip, at(next), faint, faint); }
      }
    });
    this.trailsLines.fill(found);
    this.lines(this.trailsLines, 2);
  }

  drawArrows() {
    const { motion, gl, show, camera, scene } = this, found = [[], []];
    scene.forces.forEach((arrow, k) => {
      const { paint, show: name, heads } = ARROWS[arrow.kind];
      if (!show[name]) return;
      const force = motion.force(k), length = show.arrows * size(force) / this.perMetre[arrow.kind];
      if (length > 2e-3 * camera.size)
        found[heads - 1].push({ pose: { p: motion.frame(arrow).p, q: toward(force) }, length, paint: color(paint) });
    });
    const at = this.useBodies();
    gl.uniform1f(at.largest, 0);
    gl.uniform1f(at.striped, 0);
    gl.uniform1i(at.modes, 0);
    gl.bindTexture(gl.TEXTURE_2D, this.origin);
    this.arrows.forEach((patch, k) => { patch.fill(found[k]); patch.draw(); });
  }

  // Frames and rings at the joints that close loops, in front of everything.
  drawMarks() {
    const { motion, camera, show, scene } = this, found = [];
    const axes = ({ p, q }, length) => {
      for (const [paint, axis] of AXES)
        found.push(...p, ...add(p, turned(q, axis), length * camera.size), ...paint, 0.95, ...paint, 0.95);
    };
    if (show.frames)
      for (let i = 0; i < scene.bodies.length; i++) axes(motion.pose(i), 0.045);
    if (show.named)
      for (const frame of scene.named) axes(motion.frame(frame), 0.03);
    if (show.loops)
      for (const loop of scene.loops) {
        const [a, b] = [motion.frame(loop.a).p, motion.frame(loop.b).p], paint = show.dark ? [1, 0.75, 0.2] : [0.75, 0.3, 0];
        found.push(...a, ...b, ...paint, 0.9, ...paint, 0.9, ...this.ring(a, paint));
      }
    this.marksLines.fill(found);
    this.lines(this.marksLines, 2, { depth: false });
  }

  ring(centre, paint) {
    const { right, top, size: whole } = this.camera, found = [], radius = 0.02 * whole;
    const at = (k) => {
      const angle = 2 * Math.PI * k / 28;
      return add(add(centre, right, radius * Math.cos(angle)), top, radius * Math.sin(angle));
    };
    for (let k = 0; k < 28; k++) found.push(...at(k), ...at(k + 1), ...paint, 0.9, ...paint, 0.9);
    return found;
  }

  // Position on the screen [CSS pixels], or null behind the camera.
  project(p) {
    const m = this.matrix, clip = [0, 1, 3].map((r) => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);
    if (clip[2] <= 0) return null;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    return [(0.5 + 0.5 * clip[0] / clip[2]) * w, (0.5 - 0.5 * clip[1] / clip[2]) * h];
  }

  // Corners of body i in the world as computed by the vertex shader, for tests.
  shaded(i) {
    const { gl } = this;
    this.feedback ??= program(gl, BODY_VERTEX, BODY_FRAGMENT, ["place"]);
    this.matrix = this.camera.matrix();
    this.sendModes();
    this.sendSections();
    const at = this.useBodies(this.feedback), found = [];
    gl.enable(gl.RASTERIZER_DISCARD);
    for (const { table: nodes, patch, modes, members } of this.groups)
      for (const { part, first, paint } of members.filter((member) => member.i === i)) {
        gl.bindTexture(gl.TEXTURE_2D, nodes);
        gl.uniform1i(at.modes, modes);
        patch.fill([{ pose: this.motion.pose(i), first, paint }]);
        found[part] = this.captured(patch);
      }
    gl.disable(gl.RASTERIZER_DISCARD);
    return found.flat();
  }

  captured({ array, corners }) {
    const { gl } = this, into = gl.createBuffer(), values = new Float32Array(3 * corners);
    gl.bindVertexArray(array);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, into);
    gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, values.byteLength, gl.STREAM_READ);
    gl.beginTransformFeedback(gl.POINTS);
    gl.drawArrays(gl.POINTS, 0, corners);
    gl.endTransformFeedback();
    gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, values);
    gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, null);
    gl.deleteBuffer(into);
    return [...values];
  }

  // Colours of the current image.
  pixels() {
    const { gl, canvas } = this;
    this.draw();
    const values = new Uint8Array(4 * canvas.width * canvas.height);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, values);
    return values;
  }
}
