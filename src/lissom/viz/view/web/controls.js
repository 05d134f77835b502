// Buttons, mouse, touch and keyboard.

const byId = (id) => document.getElementById(id);
const PLAYING = 10; // s that a motion takes, about
const STEPS = Array.from({ length: 28 }, (_, k) => [1, 2, 5][k % 3] * 10 ** (Math.floor(k / 3) - 4)).map((x) => Number(x.toPrecision(1)));

// Speed at which a motion of a duration plays in 5 to 20 seconds; as it was where that is so.
function speedFor(duration) {
  if (!(duration > 0) || (duration >= PLAYING / 2 && duration <= 2 * PLAYING)) return 1;
  const away = (x) => Math.abs(Math.log(x * PLAYING / duration));
  return STEPS.reduce((best, x) => (away(x) < away(best) ? x : best));
}

// Speeds to choose from: up to fifty times slower and faster, and the true one.
const speedsNear = (speed) => [1, ...STEPS.filter((x) => x > speed / 60 && x < speed * 60)];
const SCALES = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const SIZES = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

const kindsDiffer = ({ bodies }) => bodies.some((b) => b.flexible) && bodies.some((b) => !b.flexible);

// Switches that apply to this scene: name -> text.
function switches(scene) {
  const found = [], arrows = new Set(scene.forces.map((f) => ARROWS[f.kind].show));
  if (scene.n_mode) found.push(["deflection", "colour by deflection"]);
  if (scene.bodies.some((b) => b.stressed)) found.push(["stress", "colour by stress"]);
  if (scene.bodies.some((b) => b.rod)) found.push(["curvature", "colour by curvature"], ["moment", "colour by moment"]);
  if (scene.trails.length) found.push(["trails", "trails"]);
  if (arrows.has("loads")) found.push(["loads", "loads"]);
  if (arrows.has("reactions")) found.push(["reactions", "forces of joints"]);
  if (arrows.has("loopForces")) found.push(["loopForces", "forces of loops"]);
  if (arrows.has("moments")) found.push(["moments", "moments of joints"]);
  found.push(["frames", "joint frames"]);
  if (scene.named.length) found.push(["named", "frames"]);
  if (scene.loops.length) found.push(["loops", "closing joints"]);
  if (kindsDiffer(scene)) found.push(["kinds", "stripes on flexible"]);
  if (scene.plot || scene.settings.live) found.push(["plot", "plot"]);
  found.push(["labels", "names"], ["grid", "ground grid"], ["dark", "dark"]);
  return found;
}

function addToggles(scene, show, changed) {
  for (const [name, text] of switches(scene)) {
    const label = document.createElement("label"), box = document.createElement("input");
    Object.assign(box, { type: "checkbox", id: `show-${name}`, checked: show[name] });
    box.addEventListener("change", () => {
      show[name] = box.checked;
      if (box.checked && COLORED.includes(name)) // one at a time
        for (const other of COLORED.filter((x) => x !== name && show[x])) byId(`show-${other}`).checked = show[other] = false;
      changed();
    });
    label.append(box, text);
    byId("toggles").append(label);
  }
}

function addPresets(camera, changed) {
  const presets = [
    ["x", "seen along x", () => camera.look([1, 0, 0])],
    ["y", "seen along y", () => camera.look(camera.up[1] ? [0, 1, 0] : [0, -1, 0])],
    ["z", "seen along z", () => camera.look([0, 0, 1])],
    ["iso", "seen from a corner", () => camera.isometric()],
    ["fit", "everything in the picture", () => camera.fit()],
    ["reset", "as at first", () => camera.start()],
  ];
  for (const [name, title, act] of presets) {
    const button = document.createElement("button");
    Object.assign(button, { id: `view-${name}`, textContent: name, title });
    button.addEventListener("click", () => { act(); changed(); });
    byId("presets").append(button);
  }
}

function addChoices(id, values, chosen, text, act) {
  const all = [...new Set([...values, chosen])].sort((a, b) => a - b);
  byId(id).append(...all.map((x) => new Option(text(x), x, x === chosen, x === chosen)));
  byId(id).addEventListener("change", (event) => act(Number(event.target.value)));
}

// Choice of the body that the camera follows; a place of another kind is one more choice.
function addFollow({ bodies, settings }, camera, changed) {
  const given = settings.follow, places = bodies.map((body, i) => ({ name: body.name, body: i, node: body.label.node, offset: body.label.offset }));
  const own = given ? bodies.findIndex((body) => body.name === given.name) : -1;
  if (own >= 0) camera.place = places[own] = given;
  else if (given) places.unshift(given);
  byId("follow").append(new Option("nothing", -1), ...places.map(({ name }, k) => new Option(name, k)));
  byId("follow").value = given ? places.indexOf(given) : -1;
  byId("follow").addEventListener("change", (event) => { camera.follow(places[event.target.value] ?? null); changed(); });
}

// Slider over a few values; the current value need not be one of them.
class Steps {
  constructor(id, output, values, chosen, act) {
    Object.assign(this, { input: byId(id), output: byId(output) });
    this.values = [...new Set([...values, chosen])].sort((a, b) => a - b);
    Object.assign(this.input, { min: 0, max: this.values.length - 1, step: 1 });
    this.input.addEventListener("input", () => act(this.values[this.input.value]));
    this.show(chosen);
  }

  show(value) {
    const away = this.values.map((x) => Math.abs(x - value));
    this.input.value = away.indexOf(Math.min(...away));
    this.output.textContent = `×${short(value)}`;
  }
}

// Mouse: drag rotates, with the right button or shift it shifts, the wheel zooms.  Touch: one finger
// rotates, two shift and zoom.
function addPointer(canvas, camera, changed) {
  const fingers = new Map();
  const centre = () => {
    const all = [...fingers.values()], mean = (f) => all.reduce((s, p) => s + f(p), 0) / all.length;
    const x = mean((p) => p.x), y = mean((p) => p.y);
    return { x, y, spread: mean((p) => Math.hypot(p.x - x, p.y - y)) };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  for (const end of ["pointerup", "pointercancel"])
    canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = centre();
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const now = centre(), height = canvas.clientHeight || 1;
    const [dx, dy] = [(now.x - before.x) / height, (now.y - before.y) / height];
    if (fingers.size > 1) {
      camera.pan(dx, dy);
      if (now.spread > 0 && before.spread > 0) camera.zoom(before.spread / now.spread);
    } else if (event.shiftKey || event.buttons & 6) camera.pan(dx, dy);
    else camera.orbit(3.5 * dx, 3.5 * dy);
    changed();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.0015));
    changed();
  }, { passive: false });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
}

function addKeys(player) {
  const press = (id) => () => byId(id)?.click();
  const keys = {
    " ": () => player.toggle(), ArrowRight: (e) => player.step(e.shiftKey ? 10 : 1),
    ArrowLeft: (e) => player.step(e.shiftKey ? -10 : -1), Home: () => player.seek(0),
    End: () => player.end(), x: press("view-x"), y: press("view-y"), z: press("view-z"),
    i: press("view-iso"), f: press("view-fit"), r: press("view-reset"), n: press("show-labels"), t: press("show-trails"), d: press("show-deflection"), p: press("show-plot"),
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    if (event.key === " " && event.target.tagName === "BUTTON" && event.target.id !== "play") return;
    if (event.target.type === "checkbox" && event.key === " ") return;
    if (event.target.type === "range" && event.target.id !== "slider" && /^(Arrow|Home|End)/.test(event.key)) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
}

// Names next to bodies; a name that would cover another is hidden.
class Labels {
  constructor(scene) {
    this.scene = scene;
    this.items = null; // created when first shown
  }

  make() {
    const item = (name, place, named) => {
      const span = document.createElement("span");
      span.textContent = name;
      byId("labels").append(span);
      return { span, place, named };
    };
    this.items = [
      // rotors of drives are no bodies that one sees: their names would hide those of the links
      ...this.scene.bodies.flatMap((body, i) => (body.rotor ? [] : [item(body.name, { body: i, ...body.label }, false)])),
      ...this.scene.named.map((frame) => item(frame.name, frame, true)),
    ];
  }

  update(picture, visible) {
    byId("labels").hidden = !visible;
    if (!visible) return;
    if (!this.items) this.make();
    const taken = [];
    for (const item of this.items) {
      item.span.hidden = item.named && !picture.show.named;
      if (item.span.hidden) continue;
      item.width ??= item.span.offsetWidth;
      const at = picture.project(picture.motion.frame(item.place).p);
      const box = at && { x: at[0] + 8, y: at[1] - 20, w: item.width, h: 17 };
      const free = box && !taken.some((b) => box.x < b.x + b.w && b.x < box.x + box.w && Math.abs(box.y - b.y) < 17);
      item.span.style.visibility = free ? "visible" : "hidden";
      if (!free) continue;
      taken.push(box);
      item.span.style.transform = `translate(${box.x.toFixed(1)}px, ${box.y.toFixed(1)}px)`;
    }
  }
}
