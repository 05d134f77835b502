// Text over the image: scales, event marks, status of the run.

const GOOD = ["", "finished", "event", "running"];

// Scales of arrows, one line for each visible kind.
function showArrows(picture, show) {
  const kinds = Object.keys(picture.perMetre).filter((kind) => show[ARROWS[kind].show] && picture.perMetre[kind] > 0);
  const metres = 10 ** Math.floor(Math.log10(0.17 * picture.camera.size));
  const lines = kinds.map((kind) => {
    const { paint, text, unit } = ARROWS[kind], line = document.createElement("li"), mark = document.createElement("i");
    mark.style.background = paint;
    mark.style.setProperty("--own", paint);
    mark.classList.toggle("double", ARROWS[kind].heads === 2);
    line.append(mark, `${text}: ${short(metres)} m = ${short(metres * picture.perMetre[kind] / show.arrows)} ${unit}`);
    return line;
  });
  byId("arrows").replaceChildren(...lines);
  byId("arrows").hidden = !lines.length;
}

// Ticks on the time slider: events, and the end of a run that failed.
function showMarks(motion, scene, go) {
  const marks = motion.events.map(([time, name]) => ({ time, text: name, bad: false }));
  if (!GOOD.includes(motion.status)) marks.push({ time: motion.duration, text: `${motion.status}: ${motion.message}`, bad: true });
  byId("marks").replaceChildren(...marks.filter(({ time }) => time <= motion.duration).map(({ time, text, bad }) => {
    const mark = document.createElement("button");
    mark.title = `${short(scene.start + time, 6)} s: ${text}`;
    mark.tabIndex = -1;
    mark.classList.toggle("bad", bad);
    mark.setAttribute("aria-label", mark.title);
    mark.style.left = `${motion.duration > 0 ? 100 * time / motion.duration : 0}%`;
    mark.addEventListener("click", () => go(time));
    return mark;
  }));
}

function showStatus(text, bad) {
  byId("status").textContent = text;
  byId("status").hidden = !text;
  byId("status").classList.toggle("bad", bad);
}

// Message about a run that did not finish normally.
function showOutcome({ status, message }) {
  const quiet = ["", "finished", "running"].includes(status);
  showStatus(quiet ? "" : [status, message].filter(Boolean).join(": "), !GOOD.includes(status));
}

// Factor and unit in which a value reads well: short lengths in mm or µm, stresses in kPa or MPa.
function suited(value, unit) {
  if (unit === "m" && value > 0 && value < 1e-4) return [1e6, "µm"];
  if (unit === "m" && value < 1) return [1000, "mm"];
  if (unit === "Pa" && value >= 1e4) return value >= 1e5 ? [1e-6, "MPa"] : [1e-3, "kPa"];
  return [1, unit];
}

// What became of loops under enlarged bending.
function closed({ closing, scene }) {
  if (!closing.needed) return "";
  if (closing.gap < 1e-3 * scene.length) return "; joints are turned so that loops stay closed";
  const [factor, unit] = suited(closing.gap, "m");
  return `; loops then open by ${short(closing.gap * factor, 2)} ${unit}`;
}

function showColors(motion, kind, show) {
  const largest = motion.largest[kind] ?? 0, [factor, unit] = suited(largest, UNITS[kind]);
  byId("legend").hidden = !(largest > 0);
  byId("largest").textContent = `${short(largest * factor, kind === "stress" ? 3 : 2)} ${unit} ${kind === "stress" ? "von Mises stress" : kind}`;
  byId("kinds").hidden = !kindsDiffer(motion.scene) || !show.kinds || Boolean(kind);
  byId("enlarged").hidden = motion.scale === 1 || !motion.scene.n_mode;
  byId("enlarged").textContent = motion.scale === 0 ? "bending is not drawn" : `bending is drawn ${short(motion.scale)} times as large${closed(motion)}`;
}
