// Frames of a run in progress, from the server of the page.

const PAUSE = 400; // ms between requests
const RETRIES = 5;

class Live {
  constructor({ scene, motion, player, grown, chart }) {
    Object.assign(this, { scene, motion, player, grown, chart, next: scene.settings.next, failures: 0, over: false });
    this.report(scene.settings);
    byId("live").addEventListener("click", () => player.follow());
    if (!this.over) setTimeout(() => this.ask(), PAUSE);
  }

  async ask() {
    try {
      const answer = await fetch(`frames?from=${this.next}`, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      this.take(withArrays(await answer.json()));
      this.failures = 0;
    } catch {
      this.failures += 1;
      if (this.failures >= RETRIES) { this.gone(); return; }
    }
    if (!this.over) setTimeout(() => this.ask(), PAUSE);
  }

  take(batch) {
    const more = batch.from + batch.n !== this.motion.n || batch.end > this.motion.duration;
    if (batch.n && (more || batch.status !== this.motion.status)) {
      this.motion.append(batch);
      this.chart.take(batch.plot);
      this.grown();
    }
    this.next = batch.next;
    this.report(batch);
  }

  // Progress of the run, from the server.
  report({ running, over, planned }) {
    const { motion, player, scene } = this;
    this.over = over;
    player.live = !over;
    byId("live").hidden = over;
    if (over && player.following) player.arrive();
    if (running) showStatus(`the run is at ${short(scene.start + motion.duration, 4)} s of ${short(scene.start + planned, 4)} s`, false);
    else if (motion.status === "finished") showStatus("the run has finished", false);
    else showOutcome(motion);
  }

  gone() {
    this.over = true;
    this.player.live = false;
    byId("live").hidden = true;
    if (this.motion.status === "running")
      showStatus("the server has stopped; this is what was computed until then", true);
  }
}
