// Plot over time above the slider: its time axis is that of the slider.

const CURVES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

class Chart {
  constructor(motion, go) {
    Object.assign(this, { motion, plot: null, panel: 0, canvas: byId("plot") });
    byId("panels").addEventListener("change", (event) => { this.panel = Number(event.target.value); this.list(); this.dirty = true; this.changed?.(); });
    const seek = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      const [from, to] = this.span(), box = this.canvas.getBoundingClientRect();
      go((event.clientX - box.left - from) / (to - from) * motion.duration);
    };
    this.canvas.addEventListener("pointerdown", (event) => { this.canvas.setPointerCapture(event.pointerId); seek(event); });
    this.canvas.addEventListener("pointermove", seek);
  }

  get there() { return Boolean(this.plot); }

  // The plot as the page got it: {panels, times} or {error}.
  take(plot) {
    this.plot = plot && withArrays(plot);
    this.dirty = true;
    if (!plot) return;
    this.panel = Math.min(this.panel, (plot.panels?.length ?? 1) - 1);
    const titles = plot.error ? [plot.error] : plot.panels.map((panel) => panel.title);
    byId("panels").replaceChildren(...titles.map((title, k) => new Option(title, k, k === this.panel, k === this.panel)));
    byId("panels").disabled = titles.length < 2;
    this.list();
  }

  // Names of the curves, and places for their values.
  list() {
    const { lines = [] } = this.plot.panels?.[this.panel] ?? {};
    byId("values").replaceChildren(...lines.map((name, k) => {
      const item = document.createElement("li"), mark = document.createElement("i"), value = document.createElement("b");
      mark.style.background = CURVES[k % CURVES.length];
      item.append(mark, name, value);
      return item;
    }));
  }

  // Ends of the time axis on the canvas [CSS pixels]: where the thumb of the slider is at both ends.
  span() {
    const track = byId("slider").getBoundingClientRect(), own = this.canvas.getBoundingClientRect();
    return [track.left - own.left + 8, track.right - own.left - 8];
  }

  draw(dark) {
    if (!this.plot?.panels || byId("chart").hidden) return;
    const { canvas, motion } = this, panel = this.plot.panels[this.panel], times = this.plot.array(this.plot.times);
    const ratio = window.devicePixelRatio || 1, { clientWidth: w, clientHeight: h } = canvas, [from, to] = this.span();
    const key = [w, h, from, to, motion.duration, ratio].join();
    if (key !== this.key) Object.assign(canvas, { width: Math.round(w * ratio), height: Math.round(h * ratio) });
    if (key !== this.key || this.dirty) this.trace(panel, times, { w, h, from, to });
    Object.assign(this, { key, dirty: false });
    const paint = canvas.getContext("2d"), { height, levels, paths, factor, unit } = this;
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.clearRect(0, 0, w, h);
    paint.font = "11px system-ui, sans-serif";
    paint.textBaseline = "middle";
    const numbers = (digits) => levels.map((level) => short(level * factor, digits));
    let digits = 3; // more where two levels would read alike
    while (digits < 12 && new Set(numbers(digits)).size < levels.length) digits += 1;
    const words = numbers(digits).map((text, k) => (k === levels.length - 1 && unit !== "1" ? `${text} ${unit}` : text));
    const inside = words.some((text) => paint.measureText(text).width > from - 8); // no room beside the curves
    for (const level of levels) {
      paint.strokeStyle = dark ? "rgba(200, 215, 240, .16)" : "rgba(40, 60, 90, .14)";
      paint.beginPath(); paint.moveTo(from, height(level)); paint.lineTo(to, height(level)); paint.stroke();
    }
    paint.lineWidth = 1.5;
    paint.lineJoin = "round";
    paths.forEach((path, k) => { paint.strokeStyle = CURVES[k % CURVES.length]; paint.stroke(path); });
    Object.assign(paint, { lineWidth: 3, textAlign: inside ? "left" : "right", fillStyle: dark ? "#9aa7b8" : "#5b6675", strokeStyle: dark ? "#1e2530" : "#fbfcfd" });
    levels.forEach((level, k) => {
      const y = Math.max(height(level) - (inside ? 6 : 0), 6);
      if (inside) paint.strokeText(words[k], from, y);
      paint.fillText(words[k], inside ? from : from - 6, y);
    });
    const x = from + (to - from) * (motion.duration > 0 ? motion.time / motion.duration : 0);
    paint.lineWidth = 1;
    paint.strokeStyle = dark ? "#e6ebf2" : "#1d2530";
    paint.beginPath(); paint.moveTo(x, 2); paint.lineTo(x, h - 1); paint.stroke();
    panel.lines.forEach((_, k) => {
      const value = this.value(k, motion.time);
      byId("values").children[k].lastChild.textContent = value === null ? "–" : `${this.worded(value)} ${unit === "1" ? "" : unit}`;
      if (value === null) return;
      paint.fillStyle = CURVES[k % CURVES.length];
      paint.beginPath(); paint.arc(x, height(value), 3, 0, 2 * Math.PI); paint.fill();
    });
  }

  // Paths of the curves, and levels of the value axis.
  trace({ low, high, lines, unit }, times, { w, h, from, to }) {
    const [factor, shown] = suited(Math.max(Math.abs(low), Math.abs(high)), unit);
    const flat = high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high));
    const [a, b] = flat ? [low - (Math.abs(low) || 1), high + (Math.abs(high) || 1)] : [low, high];
    const step = rounded((b - a) * factor / 4) / factor, levels = [];
    for (let level = Math.ceil(a / step - 1e-6) * step; level <= b + 1e-6 * step; level += step) levels.push(Math.abs(level) < 1e-6 * step ? 0 : level);
    const height = (value) => 9 + (h - 14) * (1 - (value - a) / (b - a)), { duration } = this.motion;
    this.paths = lines.map((_, k) => {
      const path = new Path2D();
      let down = false;
      for (let n = 0; n < times.length; n++) {
        const value = this.at(k, n), x = from + (to - from) * (duration > 0 ? times[n] / duration : 0);
        if (value === null) { down = false; continue; }
        if (down) path.lineTo(x, height(value)); else path.moveTo(x, height(value));
        down = true;
      }
      return path;
    });
    Object.assign(this, { height, levels, factor, unit: shown });
  }

  // Value number n of a curve; null: not a number.
  at(k, n) {
    const { low, high, values, lines } = this.plot.panels[this.panel], all = this.plot.array(values);
    const step = all[k * (all.length / lines.length) + n];
    return step === 65535 ? null : low + step / 65534 * (high - low);
  }

  // Value in the unit that is shown, without digits that the curve does not have.
  worded(value) {
    const { low, high } = this.plot.panels[this.panel], { factor } = this;
    const grain = high > low ? 10 ** Math.floor(Math.log10((high - low) * factor / 1000)) : 0;
    return short(grain ? Math.round(value * factor / grain) * grain : value * factor, 4).replace(/^-0$/, "0");
  }

  value(k, time) {
    const times = this.plot.array(this.plot.times);
    let n = 0, last = times.length - 1;
    while (last - n > 1) { const middle = (n + last) >> 1; if (times[middle] <= time) n = middle; else last = middle; }
    const one = this.at(k, n), two = this.at(k, last), gap = times[last] - times[n];
    if (one === null || two === null) return one ?? two;
    return one + (two - one) * (gap > 0 ? Math.max(0, Math.min(1, (time - times[n]) / gap)) : 0);
  }
}
