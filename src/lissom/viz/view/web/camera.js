// Camera: looks at a target from a direction given by azimuth and elevation about `up`.

class Camera {
  constructor({ up, settings }, motion) {
    Object.assign(this, { up, motion, place: settings.follow, from: settings.direction });
    const k = up.findIndex((x) => x !== 0);
    const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    this.east = axes[(k + 1) % 3];
    this.north = cross(up, this.east);
    this.take(motion);
    this.angle = 30 * Math.PI / 180; // vertical field of view
    this.aspect = 1;
    this.free = { x: 1, y: 1, right: 0, up: 0 };
    this.start();
  }

  // Visible part of the image: panels cover some pixels of it.
  leave({ width, height, right, top, bottom }) {
    this.free = {
      x: 1 - right / width, y: 1 - (top + bottom) / height, right: -right / width, up: (bottom - top) / height,
    };
  }

  take(motion) { Object.assign(this, { low: motion.low, high: motion.high, outline: motion.outline(this.place) }); }

  // Follow a place from now on; null: stand still.
  follow(place) {
    this.place = place;
    this.take(this.motion);
    this.fit();
  }

  // Where the followed place is now.
  get centre() { return this.place ? this.motion.frame(this.place).p : [0, 0, 0]; }

  // Move with the followed place.
  track() {
    const now = this.centre;
    this.target = add(add(this.target, now), this.tracked, -1);
    this.tracked = now;
  }

  // The scene has grown; refit unless the user has moved the camera.
  grow(motion) {
    this.take(motion);
    if (!this.touched) this.start();
  }

  get size() { return size(add(this.high, this.low, -1)) || 1; }

  get direction() {
    const c = Math.cos(this.elevation);
    const flat = add(times(this.east, c * Math.cos(this.azimuth)), this.north, c * Math.sin(this.azimuth));
    return add(flat, this.up, Math.sin(this.elevation));
  }

  get right() { return unit(cross(this.up, this.direction)); }
  get top() { return cross(this.direction, this.right); }
  get eye() { return add(this.target, this.direction, this.distance); }

  // Flat mechanisms are viewed along their thin direction, others from a corner.
  start() {
    const extent = add(this.high, this.low, -1), order = [0, 1, 2].sort((a, b) => extent[a] - extent[b]);
    const thin = [0, 0, 0];
    thin[order[0]] = 1;
    if (this.from) this.look(this.from);
    else if (extent[order[0]] < 0.15 * extent[order[1]] && Math.abs(dot(thin, this.up)) < 0.5) {
      this.look(thin);
      this.azimuth += 0.3;
      this.elevation = 0.25;
      this.fit();
    } else this.isometric();
    this.touched = false;
  }

  look(from) {
    this.elevation = Math.asin(Math.max(-1, Math.min(1, dot(from, this.up)))) * 0.9999;
    const e = dot(from, this.east), n = dot(from, this.north);
    this.azimuth = Math.hypot(e, n) > 1e-6 ? Math.atan2(n, e) : -Math.PI / 2;
    this.fit();
  }

  isometric() {
    this.azimuth = -0.95;
    this.elevation = 0.5;
    this.fit();
  }

  // Fit everything: centre it, then move as close as possible.
  fit() {
    const [d, r, t] = [this.direction, this.right, this.top], slope = Math.tan(this.angle / 2) * this.free.y;
    const wide = Math.tan(this.angle / 2) * this.aspect * this.free.x;
    const middle = (axis) => {
      let low = Infinity, high = -Infinity;
      for (const p of this.outline) { const x = dot(p, axis); low = Math.min(low, x); high = Math.max(high, x); }
      return times(axis, this.outline.length ? (low + high) / 2 : 0);
    };
    const centre = add(add(middle(d), middle(r)), middle(t));
    let distance = 0;
    for (const p of this.outline) {
      const away = add(p, centre, -1), across = Math.max(Math.abs(dot(away, r)) / wide, Math.abs(dot(away, t)) / slope);
      distance = Math.max(distance, dot(away, d) + across);
    }
    this.distance = 1.08 * (distance || 5);
    this.tracked = this.centre;
    this.target = add(centre, this.tracked);
    this.touched = true;
  }

  orbit(dx, dy) {
    this.touched = true;
    this.azimuth -= dx;
    this.elevation = Math.max(-1.5705, Math.min(1.5705, this.elevation + dy));
  }

  // Shift by fractions of the image height.
  pan(dx, dy) {
    this.touched = true;
    const step = 2 * this.distance * Math.tan(this.angle / 2);
    this.target = add(add(this.target, this.right, -dx * step), this.top, dy * step);
  }

  zoom(factor) {
    this.touched = true;
    this.distance = Math.max(1e-4 * this.size, Math.min(50 * this.size, this.distance * factor));
  }

  matrix() {
    const r = this.right, t = this.top, d = this.direction, e = this.eye;
    const view = [
      r[0], t[0], d[0], 0, r[1], t[1], d[1], 0, r[2], t[2], d[2], 0, -dot(r, e), -dot(t, e), -dot(d, e), 1,
    ];
    const near = 0.02 * this.distance, far = this.distance + 20 * this.size;
    const f = 1 / Math.tan(this.angle / 2), depth = near - far;
    const lens = [
      f / this.aspect, 0, 0, 0, 0, f, 0, 0, -this.free.right, -this.free.up, (near + far) / depth, -1,
      0, 0, 2 * near * far / depth, 0,
    ];
    return multiplied(lens, view);
  }
}
