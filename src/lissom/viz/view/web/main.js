// Assembly of the page and the animation loop.

class Player {
  constructor(motion, changed) {
    Object.assign(this, { motion, changed, playing: false, live: false, following: false, speed: 1, last: 0 });
  }

  get moving() { return this.playing || (this.following && this.motion.time < this.motion.duration); }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  play() {
    if (!(this.motion.duration > 0)) return;
    if (this.motion.time >= this.motion.duration) this.motion.go(0);
    Object.assign(this, { playing: true, following: false, last: performance.now() });
    this.changed();
  }

  pause() { this.playing = false; this.changed(); }

  // Jump to the newest frames, and follow them while the run is in progress.
  follow() {
    Object.assign(this, { playing: false, following: true, last: performance.now() });
    this.changed();
  }

  // The followed run has ended.
  arrive() {
    this.following = false;
    this.motion.go(this.motion.duration);
    this.changed();
  }

  end() { if (this.live) this.follow(); else this.seek(this.motion.duration); }

  seek(time) {
    this.following = false;
    this.motion.go(Math.max(0, Math.min(this.motion.duration, time)));
    this.changed();
  }

  step(frames) {
    this.playing = false;
    const { times, time } = this.motion, [now, next, part] = this.motion.between(time);
    const nearest = part > 0.5 ? next : now;
    this.seek(times[Math.max(0, Math.min(times.length - 1, nearest + frames))]);
  }

  // Advance by the elapsed time.  At the end, start again, or follow the run by moving smoothly to
  // the newest frame.
  advance(clock) {
    const { motion } = this, passed = Math.max(0, Math.min(0.1, (clock - this.last) / 1000));
    this.last = clock;
    if (this.following) {
      const left = (motion.duration - motion.time) * Math.exp(-passed / 0.3);
      motion.go(left < 1e-4 * motion.duration ? motion.duration : motion.duration - left);
      return;
    }
    const time = motion.time + this.speed * passed;
    if (time <= motion.duration) motion.go(time);
    else if (this.live) this.follow();
    else motion.go(0);
  }
}

function start() {
  const scene = withArrays(JSON.parse(byId("data").textContent)), motion = new Motion(scene), camera = new Camera(scene, motion);
  const { theme } = document.documentElement.dataset, night = window.matchMedia?.("(prefers-color-scheme: dark)");
  const show = {
    deflection: false, stress: false, curvature: false, moment: false, trails: true, loads: true, loopForces: true, reactions: false, moments: false, arrows: 1, frames: false,
    named: scene.named.length <= 12, loops: true, labels: false, kinds: true, plot: scene.settings.plotted || window.innerHeight >= (window.innerWidth < 560 ? 620 : 480), grid: scene.gravity, dark: theme === "dark" || (theme === "auto" && Boolean(night?.matches)),
  };
  for (const [name] of switches(scene)) show[name] ||= name === scene.settings.color;
  motion.scale = scene.settings.scale;
  motion.go(0);
  const canvas = byId("canvas");
  let picture = new Picture(canvas, scene, motion, camera, show);
  const labels = new Labels(scene), chart = new Chart(motion, (time) => { player.pause(); player.seek(time); });
  let waiting = false;
  const changed = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(render);
  };
  const player = new Player(motion, changed);
  const rescale = (factor) => { motion.scale = factor; motion.go(motion.time); changed(); };
  const steps = {
    scale: new Steps("scale", "factor", SCALES, motion.scale, rescale),
    arrows: new Steps("size", "times", SIZES, 1, (x) => { show.arrows = x; changed(); }),
  };

  // Show or hide the plot; everything else then has another place.
  function unfold() {
    const hidden = !show.plot || !chart.there;
    if (byId("chart").hidden === hidden) return;
    byId("chart").hidden = hidden;
    resized();
  }

  function render(clock) {
    waiting = false;
    if (player.moving) player.advance(clock);
    document.documentElement.classList.toggle("dark", show.dark);
    unfold();
    camera.track();
    picture.draw();
    labels.update(picture, show.labels);
    refresh({ scene, motion, player, show, steps, picture });
    chart.draw(show.dark);
    if (player.moving) changed();
  }

  // Update after frames were added.
  function grown() {
    byId("bar").hidden = !(motion.duration > 0);
    byId("slider").max = motion.duration;
    camera.grow(motion);
    picture.grown();
    showMarks(motion, scene, (time) => player.seek(time));
    player.last = performance.now();
    changed();
  }

  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    picture = new Picture(canvas, scene, motion, camera, show);
    changed();
  });
  chart.take(scene.plot);
  chart.changed = changed;
  connect({ scene, camera, show, player, changed, canvas });
  byId("bar").hidden = !(motion.duration > 0);
  byId("chart").hidden = !show.plot || !chart.there;
  const filming = new Filming({ scene, motion, player, show, labels, chart, picture: () => picture, track: () => camera.track() });
  const resized = () => {
    picture.fitCanvas();
    if (!camera.touched) camera.start();
    changed();
  };
  window.addEventListener("resize", resized);
  byId("fold").addEventListener("click", resized);
  if (theme === "auto")
    night?.addEventListener?.("change", () => { byId("show-dark").checked = show.dark = night.matches; changed(); });
  picture.fitCanvas();
  grown();
  showOutcome(motion);
  if (scene.settings.live) {
    new Live({ scene, motion, player, grown, chart });
    if (player.live) player.follow();
  }
  render(performance.now());
  resized(); // notes have their size now
  window.lissom = hooks({ scene, motion, camera, show, player, changed, rescale, filming, chart, picture: () => picture });
}

function connect({ scene, camera, show, player, changed, canvas }) {
  addToggles(scene, show, changed);
  addPresets(camera, changed);
  addPointer(canvas, camera, changed);
  addFollow(scene, camera, changed);
  addKeys(player);
  if (!scene.settings.live) player.speed = speedFor(player.motion.duration);
  addChoices("speed", speedsNear(player.speed), player.speed, (x) => `${x}×`, (x) => { player.speed = x; });
  byId("filming").hidden = !(player.motion.duration > 0) && !scene.settings.live;
  byId("scaling").hidden = !scene.n_mode;
  byId("sizing").hidden = !scene.forces.length;
  byId("slider").addEventListener("input", (event) => { player.playing = false; player.seek(Number(event.target.value)); });
  byId("play").addEventListener("click", () => player.toggle());
  const fold = () => {
    byId("settings").hidden = !byId("settings").hidden;
    byId("fold").setAttribute("aria-expanded", String(!byId("settings").hidden));
  };
  byId("fold").addEventListener("click", fold);
  if (window.innerWidth < 560 || window.innerHeight < 360) fold();
  const counts = [[scene.bodies.length, "body", "bodies"], [scene.loops.length, "loop", "loops"], [scene.n_mode, "mode", "modes"]];
  const words = counts.filter(([n]) => n).map(([n, one, more]) => `${n} ${n === 1 ? one : more}`).join(", ");
  byId("summary").textContent = [words, scene.settings.notice].filter(Boolean).join("; ");
}

// Decimal places of the clock.
const digitsOf = ({ duration: d }) => (d >= 1000 ? 0 : d >= 100 ? 1 : d >= 1 || !d ? 2 : Math.min(8, 3 - Math.floor(Math.log10(d))));

// Slider, clock and buttons for the current time.
function refresh({ scene, motion, player, show, steps, picture }) {
  const digits = digitsOf(motion);
  byId("slider").value = motion.time;
  byId("clock").textContent = `${(scene.start + motion.time).toFixed(digits)} s of ${(scene.start + motion.duration).toFixed(digits)} s`;
  byId("play").textContent = player.playing ? "❚❚" : "▶";
  byId("play").setAttribute("aria-label", player.playing ? "pause" : "play");
  byId("live").textContent = player.following ? "● live" : "go live";
  byId("live").classList.toggle("on", player.following);
  showColors(motion, picture.colored, show);
  document.documentElement.style.setProperty("--bar", `${byId("bar").hidden ? -10 : byId("bar").offsetHeight}px`);
  showArrows(picture, show);
  steps.scale.show(motion.scale);
  steps.arrows.show(show.arrows);
}

// Interface for tests and for scripts that embed the page.
function hooks({ scene, motion, camera, show, player, changed, rescale, filming, chart, picture }) {
  const world = (p) => add(p, scene.origin);
  return {
    ready: true,
    get time() { return scene.start + motion.time; },
    get end() { return scene.start + motion.duration; },
    get playing() { return player.playing; },
    get following() { return player.following; },
    get live() { return player.live; },
    get show() { return { ...show }; },
    get camera() { return { eye: world(camera.eye), target: world(camera.target), distance: camera.distance }; },
    bodies: scene.bodies.map((b) => b.name),
    get frames() { return motion.n; },
    seek: (time) => player.seek(time - scene.start),
    play: () => player.play(),
    pause: () => player.pause(),
    get speed() { return player.speed; },
    scale: rescale,
    pose: (i) => { const { p, q } = motion.pose(i); return { position: world(p), quaternion: q }; },
    // Frames of both ends of a loop, and of the node that carries a body, with its offset.
    loop: (k) => ["a", "b"].map((end) => { const { p, q } = motion.frame(scene.loops[k][end]); return { position: world(p), quaternion: q }; }),
    carrier: (i) => {
      const { parent, carrier, at, turn } = scene.bodies[i], { p, q } = motion.frame({ body: parent, node: carrier, offset: at, turn });
      return { position: world(p), quaternion: q };
    },
    get gap() { return motion.closing.needed ? motion.closing.gap : 0; },
    named: (k) => { const { p, q } = motion.frame(scene.named[k]); return { position: world(p), quaternion: q }; },
    force: (k) => motion.force(k),
    vertex: (i, k) => world(motion.vertex(i, k)),
    shaded: (i) => picture().shaded(i).map((x, k) => x + scene.origin[k % 3]),
    pixels: () => picture().pixels(),
    seen: (p) => picture().project(add(p, scene.origin, -1)),
    redraw: changed,
    // Films: names of formats that can be written, and a film as bytes.
    get films() { return filming.found?.map(({ name }) => name) ?? null; },
    film: async (name) => new Uint8Array(await (await filming.make(filming.found.find((film) => film.name === name))).arrayBuffer()),
    get plot() { return chart.there ? chart.plot.panels ?? chart.plot : null; },
    plotted: (k) => chart.value(k, motion.time),
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
