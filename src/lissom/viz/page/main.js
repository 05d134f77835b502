// Puts the page together and keeps it moving.

class Player {
  constructor(motion, changed) {
    Object.assign(this, { motion, changed, playing: false, speed: 1, last: 0 });
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  play() {
    if (!(this.motion.duration > 0)) return;
    if (this.motion.time >= this.motion.duration) this.motion.go(0);
    Object.assign(this, { playing: true, last: performance.now() });
    this.changed();
  }

  pause() { this.playing = false; this.changed(); }

  seek(time) {
    this.motion.go(Math.max(0, Math.min(this.motion.duration, time)));
    this.changed();
  }

  step(frames) {
    this.playing = false;
    const { times, time } = this.motion, [now, next, part] = this.motion.between(time);
    const nearest = part > 0.5 ? next : now;
    this.seek(times[Math.max(0, Math.min(times.length - 1, nearest + frames))]);
  }

  // Go on by the time that has passed; at the end it begins again.
  advance(clock) {
    const time = this.motion.time + this.speed * Math.min(0.1, (clock - this.last) / 1000);
    this.last = clock;
    this.motion.go(time > this.motion.duration ? 0 : time);
  }
}

function start() {
  const scene = readScene(byId("data").textContent), motion = new Motion(scene), camera = new Camera(scene);
  const { theme } = document.documentElement.dataset;
  const night = window.matchMedia?.("(prefers-color-scheme: dark)").matches ?? false;
  const show = {
    deflection: false, trails: true, forces: true, frames: false, loops: true,
    labels: false, grid: true, dark: theme === "dark" || (theme === "auto" && night),
  };
  motion.scale = scene.settings.scale;
  motion.go(0);
  const canvas = byId("canvas");
  let picture = new Picture(canvas, scene, motion, camera, show);
  const labels = new Labels(scene);
  let waiting = false;
  const changed = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(render);
  };
  const player = new Player(motion, changed);

  function render(clock) {
    waiting = false;
    if (player.playing) player.advance(clock);
    document.documentElement.classList.toggle("dark", show.dark);
    picture.draw();
    labels.update(picture, show.labels);
    refresh(scene, motion, player, show);
    if (player.playing) changed();
  }

  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    picture = new Picture(canvas, scene, motion, camera, show);
    changed();
  });
  connect({ scene, motion, camera, show, player, changed, canvas });
  picture.fitCanvas();
  camera.start();
  render(performance.now());
  window.lissom = hooks({ scene, motion, camera, show, player, changed, picture: () => picture });
}

function connect({ scene, motion, camera, show, player, changed, canvas }) {
  addToggles(scene, show, changed);
  addPresets(camera, changed);
  addPointer(canvas, camera, changed);
  addKeys(player);
  addChoices("speed", SPEEDS, 1, (x) => `${x}×`, (x) => { player.speed = x; });
  addChoices("scale", SCALES, motion.scale, (x) => `×${x}`, (x) => { motion.scale = x; player.seek(motion.time); });
  byId("scaling").hidden = scene.deflection === 0;
  byId("bar").hidden = !(motion.duration > 0);
  byId("slider").max = motion.duration;
  byId("slider").addEventListener("input", (event) => { player.playing = false; player.seek(Number(event.target.value)); });
  byId("play").addEventListener("click", () => player.toggle());
  const fold = () => {
    byId("settings").hidden = !byId("settings").hidden;
    byId("fold").setAttribute("aria-expanded", String(!byId("settings").hidden));
  };
  byId("fold").addEventListener("click", fold);
  if (window.innerWidth < 560 || window.innerHeight < 360) fold();
  window.addEventListener("resize", changed);
  const counts = [[scene.bodies.length, "body", "bodies"], [scene.loops.length, "loop", "loops"], [scene.n_mode, "mode", "modes"]];
  byId("summary").textContent = counts.filter(([n]) => n).map(([n, one, more]) => `${n} ${n === 1 ? one : more}`).join(", ");
}

// Slider, clock and buttons as the motion is now.
function refresh(scene, motion, player, show) {
  const digits = motion.duration < 1 ? 4 : motion.duration < 100 ? 2 : 1;
  byId("slider").value = motion.time;
  byId("clock").textContent = `${(scene.start + motion.time).toFixed(digits)} s of ${(scene.start + motion.duration).toFixed(digits)} s`;
  byId("play").textContent = player.playing ? "❚❚" : "▶";
  byId("play").setAttribute("aria-label", player.playing ? "pause" : "play");
  byId("legend").hidden = !(show.deflection && scene.deflection > 0);
  const [value, length] = scene.deflection < 1 ? [1000 * scene.deflection, "mm"] : [scene.deflection, "m"];
  byId("largest").textContent = `${Number(value.toPrecision(2))} ${length} deflection`;
  const scales = byId("scale"), now = String(motion.scale);
  if (scales.value !== now && ![...scales.options].some((o) => o.value === now)) scales.add(new Option(`×${now}`, now));
  scales.value = now;
}

// For checks, and for other scripts that embed the page.
function hooks({ scene, motion, camera, show, player, changed, picture }) {
  const world = (p) => add(p, scene.origin);
  return {
    ready: true,
    get time() { return scene.start + motion.time; },
    get playing() { return player.playing; },
    get show() { return { ...show }; },
    get camera() { return { eye: world(camera.eye), target: world(camera.target), distance: camera.distance }; },
    bodies: scene.bodies.map((b) => b.name),
    frames: scene.n_frame,
    seek: (time) => player.seek(time - scene.start),
    play: () => player.play(),
    pause: () => player.pause(),
    scale: (factor) => { motion.scale = factor; player.seek(motion.time); },
    pose: (i) => ({ position: world(motion.poses[i].p), quaternion: motion.poses[i].q }),
    vertex: (i, k) => world(motion.vertex(i, k)),
    shaded: (i) => picture().shaded(i).map((x, k) => x + scene.origin[k % 3]),
    pixels: () => picture().pixels(),
    redraw: changed,
  };
}

try {
  start();
} catch (error) {
  byId("message").textContent = error.message;
  byId("message").hidden = false;
  byId("bar").hidden = byId("panel").hidden = true;
  if (!/WebGL/.test(error.message)) throw error;
}
