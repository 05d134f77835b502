"""Ctrl-C at random moments while results are written and read; run as a program, many of them.

Whatever the moment: the process survives, a file of results is whole, the old one or the new one,
nothing else lies in its folder, and a KeyboardInterrupt is not lost.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import lissom as ls
from lissom.errors import SimulationWarning
from lissom.results.files.formats import open_results, save
from lissom.results.store import MemoryStore
from tests.samples.mechanisms import pendulum
from tests.samples.results import META, same, stored

ROWS = 2000


class Bench:
    """A folder with a file of results, and what is done to it while Ctrl-C is pressed."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.folder, self.rng = folder, rng
        first = stored(pendulum(), ROWS)
        self.versions = [first, MemoryStore(first.columns, -first.rows)]
        self.seen: Counter[str] = Counter()
        self.length: dict[str, float] = {}
        self.ways: dict[str, Callable[[], None]] = {
            **{s: lambda s=s: self._save(s) for s in ("nc", "npz", "csv", "mat")},
            "load": self._load,
            "simulate": self._simulate,
        }

    def _save(self, suffix: str) -> None:
        save(self.folder / f"run.{suffix}", pendulum(), self.versions[1], META)

    def _load(self) -> None:
        _, store, _ = open_results(self.folder / "run.nc")
        store.read("q")

    def _simulate(self) -> None:
        start = pendulum().state(rod=0.3)
        options = {"duration": 0.4, "step": 2e-4, "integrator": "rk4", "progress": False}
        run = ls.simulate(pendulum(), start, file=self.folder / "new.nc", **options)
        if run.status == "interrupted":
            raise KeyboardInterrupt

    def interrupted(self, way: str) -> str:
        """What goes wrong when Ctrl-C is pressed at a random moment; empty if nothing does."""
        for name in os.listdir(self.folder):
            os.unlink(self.folder / name)
        for suffix in ("nc", "npz"):
            save(self.folder / f"run.{suffix}", pendulum(), self.versions[0], META)
        if way not in self.length:
            begun = time.perf_counter()
            self.ways[way]()
            self.length[way] = time.perf_counter() - begun
            return self.interrupted(way)
        n = 2 if self.rng.random() < 0.3 else 1
        delays = [self.rng.uniform(0, 1.1 * self.length[way]) / n for _ in range(n)]
        caught = self._pressed(self.ways[way], delays)
        self.seen["interrupted"] += 1
        # a run that was over by the time it heard of it says that it is finished
        lost = caught == 0 and not (way == "simulate" and (self.folder / "new.nc").exists())
        return "the KeyboardInterrupt was lost" if lost else self._left(way)

    def _pressed(self, work: Callable[[], None], delays: list[float]) -> int:
        """KeyboardInterrupts that came while the keys were pressed."""

        def press() -> None:
            while not begun:
                time.sleep(1e-4)
            for delay in delays:
                time.sleep(delay)
                os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.005)  # let the last one arrive
            pressed.append(True)

        caught, begun, pressed = 0, list[bool](), list[bool]()
        threading.Thread(target=press).start()
        steps = [work]
        while steps or not pressed:  # joining a thread that way is not safe from Ctrl-C
            try:
                begun.append(True)
                if steps:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", SimulationWarning)
                        steps.pop()()
                time.sleep(0.001)
            except KeyboardInterrupt:
                caught += 1
        return caught

    def _left(self, way: str) -> str:
        """What is wrong with what there is now."""
        names = sorted(os.listdir(self.folder))
        allowed = {"run.nc", "run.npz", *((f"run.{way}",) if way in ("csv", "mat") else ())}
        if way == "simulate":
            allowed |= {"new.nc", "new.nc.part"}
        if not {"run.nc", "run.npz"} <= set(names) <= allowed or {"new.nc", "new.nc.part"} <= set(
            names
        ):
            return f"in the folder are {names}"
        for suffix in ("nc", "npz"):
            _, found, meta = open_results(self.folder / f"run.{suffix}")
            time_two = found.read("time", 1, 2)[0]
            new = int(way == suffix and time_two < 0)
            same(found, self.versions[new])
            if meta != META:
                return "the notes have changed"
            self.seen["new" if new else "old"] += 1
        for name in set(names) & {"new.nc", "new.nc.part"}:
            run = ls.load(self.folder / name)
            self.seen[name] += 1
            if name == "new.nc" and len(run) != 2001:
                return f"{name} has {len(run)} rows"
        return ""


def main(count: int, seed: int) -> int:
    """Press Ctrl-C so many times; exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    rng, wrong = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), rng)
        for k in range(count):
            way = rng.choice(["nc", "nc", "nc", *bench.ways])
            if fault := bench.interrupted(way):
                wrong += 1
                print(f"seed {seed}, number {k}, {way}: {fault}", flush=True)
        print(", ".join(f"{name}={n}" for name, n in bench.seen.items()), flush=True)
    return min(wrong, 100)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
