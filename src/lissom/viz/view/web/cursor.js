// Frame that is moved along a chain of joints: position x, y, z and quaternion w, i, j, k.

class Cursor {
  reset() { Object.assign(this, { x: 0, y: 0, z: 0, w: 1, i: 0, j: 0, k: 0 }); }

  load(poses, n) {
    const at = 7 * n;
    this.x = poses[at]; this.y = poses[at + 1]; this.z = poses[at + 2];
    this.w = poses[at + 3]; this.i = poses[at + 4]; this.j = poses[at + 5]; this.k = poses[at + 6];
  }

  store(poses, n) {
    const at = 7 * n, s = 1 / Math.sqrt(this.w ** 2 + this.i ** 2 + this.j ** 2 + this.k ** 2);
    poses[at] = this.x; poses[at + 1] = this.y; poses[at + 2] = this.z;
    poses[at + 3] = s * this.w; poses[at + 4] = s * this.i; poses[at + 5] = s * this.j; poses[at + 6] = s * this.k;
  }

  // Translation by a vector in the axes of the frame.
  shift(x, y, z) {
    const { w, i, j, k } = this;
    const a = 2 * (j * z - k * y), b = 2 * (k * x - i * z), c = 2 * (i * y - j * x);
    this.x += x + w * a + j * c - k * b;
    this.y += y + w * b + k * a - i * c;
    this.z += z + w * c + i * b - j * a;
  }

  turn(w, i, j, k) {
    const a = this.w, b = this.i, c = this.j, d = this.k;
    this.w = a * w - b * i - c * j - d * k;
    this.i = a * i + b * w + c * k - d * j;
    this.j = a * j - b * k + c * w + d * i;
    this.k = a * k + b * j - c * i + d * w;
  }

  // Rotation by a rotation vector: exp(skew(x, y, z)).
  turnBy(x, y, z) {
    const angle = Math.sqrt(x * x + y * y + z * z);
    if (angle === 0) return;
    const s = angle > 1e-6 ? Math.sin(angle / 2) / angle : 0.5;
    this.turn(Math.cos(angle / 2), s * x, s * y, s * z);
  }

  // Motion by e times a twist [angular; linear], rotating and sliding at once.
  twist(h, e) {
    const a = e * h[0], b = e * h[1], c = e * h[2], x = e * h[3], y = e * h[4], z = e * h[5];
    if (x || y || z) {
      const square = a * a + b * b + c * c, angle = Math.sqrt(square), small = angle < 1e-4;
      const first = small ? 0.5 : (1 - Math.cos(angle)) / square;
      const second = small ? 1 / 6 : (angle - Math.sin(angle)) / (square * angle);
      const u = b * z - c * y, v = c * x - a * z, w = a * y - b * x;
      this.shift(
        x + first * u + second * (b * w - c * v),
        y + first * v + second * (c * u - a * w),
        z + first * w + second * (a * v - b * u),
      );
    }
    this.turnBy(a, b, c);
  }

  get pose() { return { p: [this.x, this.y, this.z], q: [this.w, this.i, this.j, this.k] }; }
}
