// The button that writes a film, and what its frames show beside the picture.

// Lines of a text that fit.
function broken(text, fits) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (fits(longer) || !lines.at(-1)) lines[lines.length - 1] = longer; else lines.push(word);
  }
  return lines;
}

class Filming {
  constructor({ scene, motion, player, show, picture, labels, chart, track }) {
    Object.assign(this, { scene, motion, player, show, picture, labels, chart, track, active: false });
    byId("film").addEventListener("click", () => { if (this.active) this.active = false; else this.save(); });
    this.offer();
  }

  async offer() {
    const found = await films(1280, 720);
    this.found = found;
    byId("kind").replaceChildren(...found.map(({ text, name }) => new Option(text, name)));
    byId("kind").hidden = found.length === 0;
    byId("film").disabled = found.length === 0;
    if (!found.length) this.tell("this browser cannot write films; take another one, or run.to_gif in Python");
    else if (!found.some(({ name }) => name === "mp4")) this.tell("this browser writes no MP4");
  }

  tell(text) {
    byId("filmed").textContent = text;
    byId("filmed").hidden = !text;
  }

  // Write the film and hand it to the reader as a file.
  async save() {
    const film = this.found.find(({ name }) => name === byId("kind").value);
    try {
      const made = await this.make(film);
      if (!made) { this.tell("stopped"); return; }
      const link = document.createElement("a");
      Object.assign(link, { href: URL.createObjectURL(made), download: `${document.title.replace(/[^\w.-]+/g, "_") || "film"}.${film.name}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
      this.tell(`${link.download}: ${short(this.frames / RATE)} s, ${short(made.size / 1e6, 2)} MB`);
    } catch (error) {
      this.tell(`the film was not written: ${error.message}`);
    }
  }

  // Film of the whole motion at the chosen speed.
  async make(film) {
    const { motion, player } = this, { speed } = player, before = motion.time;
    player.pause();
    this.frames = Math.max(2, Math.round(motion.duration / speed * RATE) + 1);
    this.active = this.picture().filmed = true; // no room for the settings
    byId("film").textContent = "stop";
    byId("film").classList.add("on");
    const n = this.frames, paint = this.painter();
    const going = (k) => {
      if (k % 10 === 0 || !film.codec) this.tell(`frame ${k} of ${n}${film.codec ? "" : ", recorded in real time: keep this page in front"}`);
      return this.active;
    };
    try {
      return await filmed(film, this.canvas, n, (k) => { motion.go(motion.duration * k / (n - 1)); paint(); }, going);
    } finally {
      this.active = this.picture().filmed = false;
      byId("film").textContent = "save film";
      byId("film").classList.remove("on");
      player.seek(before);
    }
  }

  // Function that draws the picture with title, time, scales and plot on a canvas of even size.
  painter() {
    this.picture().fitCanvas();
    const { canvas: source } = this.picture(), part = Math.min(1, Math.sqrt(LARGEST / (source.width * source.height)));
    const even = (x) => 2 * Math.round(x * part / 2), canvas = document.createElement("canvas");
    Object.assign(canvas, { width: even(source.width), height: even(source.height) });
    this.canvas = canvas;
    const brush = canvas.getContext("2d", { willReadFrequently: true }), ratio = canvas.width / source.clientWidth;
    return () => {
      const { show, labels, chart, picture } = this;
      this.track();
      picture().draw();
      brush.setTransform(1, 0, 0, 1, 0, 0);
      brush.drawImage(source, 0, 0, canvas.width, canvas.height);
      brush.setTransform(ratio, 0, 0, ratio, 0, 0);
      labels.update(picture(), show.labels);
      this.write(brush, source.clientWidth);
      chart.draw(show.dark);
      this.writePlot(brush, source.clientWidth, source.clientHeight);
    };
  }

  write(brush, width) {
    const { show, motion, scene, labels } = this, ink = show.dark ? "#e6ebf2" : "#1d2530", digits = digitsOf(motion);
    const line = (text, x, y, font = "12px system-ui, sans-serif", paint = ink) => Object.assign(brush, { font, fillStyle: paint, textBaseline: "alphabetic", textAlign: "left" }).fillText(text, x, y);
    let y = 28;
    const lines = (text, step, font, paint) => {
      brush.font = font;
      for (const part of broken(text, (x) => brush.measureText(x).width < width - 32)) { line(part, 16, y, font, paint); y += step; }
    };
    lines(document.querySelector("h1").textContent, 20, "600 16px system-ui, sans-serif");
    lines(`${(scene.start + motion.time).toFixed(digits)} s`, 18, "13px system-ui, sans-serif");
    if (!byId("enlarged").hidden) lines(byId("enlarged").textContent, 18, "12px system-ui, sans-serif", show.dark ? "#ff8a80" : "#b3261e");
    for (const item of byId("arrows").hidden ? [] : byId("arrows").children) {
      brush.fillStyle = item.firstChild.style.getPropertyValue("--own");
      brush.fillRect(16, y - 6, 16, 4);
      line(item.textContent, 39, y);
      y += 18;
    }
    this.picture().filmed = y; // room for the text above the mechanism
    if (!byId("legend").hidden) {
      for (let k = 0; k < 120; k++) { brush.fillStyle = `rgb(${scaleColor(k / 119).map((c) => 255 * c)})`; brush.fillRect(26 + k, y - 8, 1.5, 8); }
      line("0", 16, y);
      line(byId("largest").textContent, 152, y);
    }
    if (show.labels)
      for (const { span } of labels.items.filter(({ span: { style, hidden } }) => !hidden && style.visibility === "visible")) {
        const [x, at] = span.style.transform.match(/-?[\d.]+(?=px)/g).map(Number);
        line(span.textContent, x + 5, at + 13);
      }
  }

  writePlot(brush, width, height) {
    if (byId("chart").hidden || !this.chart.plot?.panels) return;
    const { canvas } = this.chart, wide = width - 32, high = canvas.clientHeight * wide / canvas.clientWidth, top = height - high - 8;
    const names = [byId("panels").selectedOptions[0]?.textContent ?? "", ...[...byId("values").children].map((item) => item.childNodes[1].textContent)];
    const font = (k) => `${k ? "" : "600 "}12px system-ui, sans-serif`, ink = this.show.dark ? "#e6ebf2" : "#1d2530";
    let x = 18, row = 0; // names go on in the next row where the picture is narrow
    const places = names.map((text, k) => {
      brush.font = font(k);
      const own = brush.measureText(text).width + (k ? 17 : 0);
      if (k && x + own > width - 18) { x = 18; row += 1; }
      x += own + 14;
      return [x - own - 14, row];
    });
    brush.fillStyle = this.show.dark ? "rgba(30, 37, 48, .82)" : "rgba(255, 255, 255, .82)";
    brush.fillRect(10, top - 22 - 16 * row, width - 20, high + 26 + 16 * row);
    brush.drawImage(canvas, 16, top, wide, high);
    names.forEach((text, k) => {
      const [left, own] = places[k], y = top - 6 - 16 * (row - own);
      Object.assign(brush, { font: font(k), fillStyle: CURVES[(k + CURVES.length - 1) % CURVES.length], textBaseline: "alphabetic", textAlign: "left" });
      if (k) brush.fillRect(left, y - 5, 12, 3);
      brush.fillStyle = ink;
      brush.fillText(text, left + (k ? 17 : 0), y);
    });
  }
}
