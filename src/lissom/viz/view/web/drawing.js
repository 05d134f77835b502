// Bodies and lines in GPU memory.

function program(gl, vertex, fragment, captured) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost())
      throw new Error(gl.getShaderInfoLog(shader));
  }
  if (captured) gl.transformFeedbackVaryings(made, captured, gl.SEPARATE_ATTRIBS);
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error(gl.getProgramInfoLog(made));
  const at = {}, count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
  for (let k = 0; k < count; k++) {
    const { name } = gl.getActiveUniform(made, k);
    at[name] = gl.getUniformLocation(made, name);
  }
  return { made, at };
}

function buffer(gl, target, data) {
  const made = gl.createBuffer();
  gl.bindBuffer(target, made);
  gl.bufferData(target, data, gl.STATIC_DRAW);
  return made;
}

// Texture of numbers, 1024 texels to a row; `channels` is 1 or 4.
function table(gl, values, channels) {
  const texels = values.length / channels, rows = Math.max(1, Math.ceil(texels / 1024));
  const data = new Float32Array(1024 * rows * channels);
  data.set(values);
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  const [inside, format] = channels === 1 ? [gl.R32F, gl.RED] : [gl.RGBA32F, gl.RGBA];
  gl.texImage2D(gl.TEXTURE_2D, 0, inside, 1024, rows, 0, format, gl.FLOAT, data);
  for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
  return { made, rows };
}

// Position and mode shapes of each node for the vertex shader.
function nodeTable(gl, nodes, shapes, m) {
  const n = nodes.length / 3, texels = new Float32Array(4 * n * (1 + 2 * m));
  for (let node = 0; node < n; node++) {
    let at = 4 * node * (1 + 2 * m);
    texels.set(nodes.subarray(3 * node, 3 * node + 3), at);
    for (let k = 0; k < 2 * m; k++) {
      const from = 3 * (2 * node * m + k);
      texels.set(shapes.subarray(from, from + 3), at += 4);
    }
  }
  return table(gl, texels, 4).made;
}

// Corners and triangles of a surface, drawn in one call for all its instances.
class Patch {
  constructor(gl, offsets, normals, nodes, triangles) {
    this.gl = gl;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    buffer(gl, gl.ARRAY_BUFFER, offsets);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    buffer(gl, gl.ARRAY_BUFFER, normals);
    gl.vertexAttribPointer(1, 3, gl.BYTE, true, 0, 0);
    buffer(gl, gl.ARRAY_BUFFER, nodes);
    gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_SHORT, 0, 0);
    this.each = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.each);
    for (let k = 3; k < 8; k++) {
      gl.vertexAttribPointer(k, 4, gl.FLOAT, false, 88, 16 * (k - 3));
      gl.vertexAttribDivisor(k, 1);
    }
    gl.vertexAttribPointer(8, 2, gl.FLOAT, false, 88, 80);
    gl.vertexAttribDivisor(8, 1);
    for (let k = 0; k < 9; k++) gl.enableVertexAttribArray(k);
    buffer(gl, gl.ELEMENT_ARRAY_BUFFER, triangles);
    gl.bindVertexArray(null);
    this.kind = triangles instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT;
    Object.assign(this, { size: triangles.length, corners: nodes.length, count: 0 });
  }

  // Instances {pose, length, paint, first, stress, front}: pose, size, colour, first mode and first
  // stress, and how much it is drawn in front of what is at the same place.
  fill(things) {
    const { gl } = this, data = new Float32Array(22 * things.length);
    things.forEach(({ pose, length = 1, paint, first = 0, stress = -1, front = 0 }, k) => {
      data.set(poseMatrix(pose, length), 22 * k);
      data.set(paint, 22 * k + 16);
      data.set([first, stress, front], 22 * k + 19);
    });
    this.count = things.length;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.each);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
  }

  draw() {
    if (!this.count) return;
    this.gl.bindVertexArray(this.array);
    this.gl.drawElementsInstanced(this.gl.TRIANGLES, this.size, this.kind, 0, this.count);
  }
}

// Unit arrow along x, with one head for forces and two for moments.
function arrowPatch(gl, heads) {
  const offsets = [], normals = [], triangles = [], n = 20;
  const ring = (x, r, tilt) => {
    for (let k = 0; k < n; k++) {
      const c = Math.cos(2 * Math.PI * k / n), s = Math.sin(2 * Math.PI * k / n);
      offsets.push(x, r * c, r * s);
      normals.push(127 * Math.sin(tilt), 127 * Math.cos(tilt) * c, 127 * Math.cos(tilt) * s);
    }
  };
  const cone = (x, end) => [[x, .07, -1.57], [x, .022, -1.57], [x, .07, .26], [end, 1e-4, .26]];
  const cones = heads === 1 ? cone(.74, 1) : [...cone(.54, .77), ...cone(.77, 1)];
  for (const [x, r, tilt] of [[0, .022, 0], [heads === 1 ? .75 : .78, .022, 0], ...cones]) ring(x, r, tilt);
  for (let level = 0; level < offsets.length / 3 / n; level += 2)
    for (let k = 0; k < n; k++) {
      const a = level * n + k, b = level * n + (k + 1) % n;
      triangles.push(a, b, b + n, a, b + n, a + n);
    }
  const nodes = new Uint16Array(offsets.length / 3);
  return new Patch(gl, new Float32Array(offsets), new Int8Array(normals), nodes, new Uint16Array(triangles));
}

// Segments drawn together: from, to, colours of both ends (r, g, b, a).
class Lines {
  constructor(gl) {
    this.gl = gl;
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    buffer(gl, gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    this.buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    [[3, 0], [3, 12], [4, 24], [4, 40]].forEach(([length, start], k) => {
      gl.enableVertexAttribArray(k + 1);
      gl.vertexAttribPointer(k + 1, length, gl.FLOAT, false, 56, start);
      gl.vertexAttribDivisor(k + 1, 1);
    });
    gl.bindVertexArray(null);
    this.count = 0;
  }

  fill(numbers) {
    const { gl } = this;
    this.count = numbers.length / 14;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW);
  }

  draw() {
    if (!this.count) return;
    this.gl.bindVertexArray(this.array);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, this.count);
  }
}
