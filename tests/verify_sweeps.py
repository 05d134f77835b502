"""A thousand runs of the flexible arm: killed twice and resumed, on Dask, and one by one.

python -m tests.verify_sweeps 1000: so many runs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import distributed
import numpy as np

import lissom as ls
from tests.samples.sweeps import CHANNELS, SEED, arm, arm_study, same, swing
from tests.tools.children import bound_all

ROOT = Path(__file__).parents[1]


def done(store: Path) -> int:
    """Tasks whose results are in the store."""
    if not (store / "study.json").exists():
        return 0
    return int((ls.gather(store).status == "done").sum())


def killed(store: Path, n: int, enough: int) -> int:
    """Kill the process group of a sweep when so many tasks are done; how many then were."""
    command = [sys.executable, "-m", "tests.samples.sweeps", str(store), str(n), "0"]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    while process.poll() is None and done(store) < enough:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return done(store)


def on_dask(n: int):
    """The same study on a local cluster with two workers, processes of their own."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        return arm_study(n, client)


def alone(n: int, found) -> None:
    """Some tasks one by one, without a sweep."""
    for task in range(0, n, max(n // 20, 1)):
        rng = np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(1, task)))
        run = swing(arm(float(found.mass[task])).compile(), rng)
        for name in CHANNELS:
            assert np.array_equal(run[name], found[name][task]), (task, name)


def main() -> None:
    """Check as many runs as asked for."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        first = killed(store, n, n // 4)
        second = killed(store, n, n // 2)
        print(f"killed with {first} and again with {second} of {n} tasks done", flush=True)
        assert 0 < first <= second < n
        resumed = arm_study(n, store=store)
        assert sorted(x.name for x in store.iterdir() if x.suffix == ".lissom") == [
            f"results-{k}.lissom" for k in (1, 2, 3)
        ]
    assert set(resumed.status.values) == {"done"}
    assert same(resumed, arm_study(n, "processes"))
    print("resumed to the bits of a sweep that nobody killed", flush=True)
    assert same(resumed, on_dask(n))
    alone(n, resumed)
    print(
        f"{n} runs of the arm, killed after {first} and {second}: resumed to the same bits; the "
        "same on Dask with two workers, and one by one"
    )


if __name__ == "__main__":
    bound_all()
    main()
