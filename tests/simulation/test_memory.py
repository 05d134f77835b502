"""Rows that do not fit into memory: said first where it is known, and never lost."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import lissom as ls
from lissom.errors import ResultError, SimulationWarning
from lissom.results.store import Columns
from lissom.sim.run import machine, memory, record
from tests.samples.mechanisms import pendulum
from tests.samples.results import some_rows


def swing(**options) -> ls.Trajectory:
    return ls.simulate(pendulum(), pendulum().state(rod=0.3), progress=False, **options)


def test_a_run_that_will_not_fit_does_not_begin(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 3e6)
    with pytest.raises(
        ResultError, match=r"need 0.04 GB, but only 0.003 GB of memory.*file=.*output_st"
    ):
        swing(duration=1000.0, step=1e-3)
    calls = []
    with pytest.raises(ResultError, match=r"larger output_step"):
        swing(duration=1e6, output_step=1.0, forces=lambda t, s: calls.append(t) or [0.0])
    assert set(calls) <= {0.0}
    assert swing(duration=10.0, step=1e-3).status == "finished"
    assert swing(duration=100.0, step=1e-3, file=tmp_path / "a.nc").status == "finished"


def test_a_run_that_may_end_early_begins(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 3e6)
    stop = [ls.Event("rod", value=0.5)]
    assert swing(duration=1e9, step=1e-3, events=stop).status == "event"
    with pytest.warns(SimulationWarning, match="time limit"):
        assert len(swing(duration=1e9, step=1e-2, time_limit=0.05)) > 0


@pytest.mark.filterwarnings("ignore:the run ended early .time limit")
def test_a_run_that_fills_the_memory_ends_with_what_it_has(monkeypatch):
    left = iter([1e9, 1e9, 1e3])
    monkeypatch.setattr(record, "LOOK", 100_000)
    monkeypatch.setattr(record, "available_memory", lambda: next(left))
    with pytest.warns(SimulationWarning, match="no memory is left for more rows"):
        run = swing(duration=1e5)
    assert run.status == "memory" and 'give file="NAME.nc"' in run.message
    assert len(run) * 40 >= 300_000 and 0 < run.time[-1] < 1e5 and np.all(np.isfinite(run.q))
    monkeypatch.undo()
    part = swing(duration=1e5, time_limit=0.05)
    n = min(len(run), len(part))
    assert np.array_equal(run.q[:n], part.q[:n])


FULL = """
import resource, warnings
import numpy as np
import lissom as ls
from lissom.sim.run import record
warnings.simplefilter("ignore")
system = ls.library.rigid_chain(20).compile()
state = system.state(v=[0.1] * system.n_v)
options = {"integrator": "dopri5", "rtol": 1e-3, "progress": False}
ls.simulate(system, state, duration=0.1, **options)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (40 << 20),) * 2)
try:
    ls.simulate(system, state, duration=1e6, step=1e-3, progress=False)
except ls.ResultError as error:
    print(error)
for k in range(2):
    run = ls.simulate(system, state, duration=1e6, **options)
    print(run.status, run.store.rows.nbytes, bool(np.all(np.isfinite(run.q[-100:]))), run.message)
    del run
    record.available_memory = lambda: float("inf")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a limit that Linux keeps")
def test_memory_that_really_ends():
    """With and without the look at what is left: then the system refuses, at some point."""
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    refused, *ends = done.stdout.splitlines()
    assert "of memory are available" in refused and len(ends) == 2
    for line in ends:
        status, size, finite, message = line.split(maxsplit=3)
        assert status == "memory" and int(size) > 1e6 and finite == "True"
        assert message.startswith("no memory")


def test_rows_in_memory_grow_in_place():
    columns = Columns(2, 2)
    rows = some_rows(columns, 5000)
    for expected in (0, 100, 5000, 9000):
        kept = record.MemoryRecord(columns, {}, expected)
        for start in range(0, 5000, 700):
            kept.add(rows[start : start + 700])
        assert kept.finish({}, whole=True).rows.tobytes() == rows.tobytes()


def written(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_what_is_left_is_the_least_of_machine_and_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_SYSTEM", tmp_path / "proc")
    monkeypatch.setattr(memory, "_GROUPS", tmp_path / "groups")
    assert memory.available_memory() == float("inf")
    written(tmp_path, proc__meminfo="MemTotal: 9000 kB\nMemAvailable:   8000 kB\n")
    assert memory.available_memory() == 8000 * 1024
    written(tmp_path, proc__self__cgroup="0::/job/task\n")
    (tmp_path / "groups/job/task").mkdir(parents=True)
    (tmp_path / "groups/job/memory.max").write_text("5000\n")
    (tmp_path / "groups/job/memory.current").write_text("3000\n")
    (tmp_path / "groups/job/memory.stat").write_text("anon 1000\ninactive_file 500\n")
    (tmp_path / "groups/job/task/memory.max").write_text("max\n")
    assert memory.available_memory() == 2500
    written(tmp_path, proc__self__cgroup="4:memory:/box\n0::/\n")
    (tmp_path / "groups/memory/box").mkdir(parents=True)
    (tmp_path / "groups/memory/memory.limit_in_bytes").write_text("7000\n")
    (tmp_path / "groups/memory/memory.usage_in_bytes").write_text("6000\n")
    assert memory.available_memory() == 1000


@pytest.mark.parametrize("integrator", ["rk4", "dopri5", "rosenbrock3", "generalized_alpha"])
def test_a_full_buffer_of_rows_changes_no_count(integrator, monkeypatch):
    """Rows fill it again and again, and no step is evaluated twice for that."""
    system, loads = pendulum(), [ls.JointDamper("rod", 0.1)]
    options = {"duration": 1.0, "integrator": integrator, "loads": loads}
    adaptive = integrator in ("dopri5", "rosenbrock3")
    options |= {"max_step": 0.01} if adaptive else {"step": 0.01}
    runs = []
    for size in (machine.ROWS_BYTES, 1):  # the least are two rows
        monkeypatch.setattr(machine, "ROWS_BYTES", size)
        runs.append(ls.simulate(system, system.state(rod=0.3), **options))
    whole, divided = runs
    assert np.array_equal(whole.q, divided.q) and len(whole.time) > 50
    counts = [x.statistics for x in runs]
    names = [name for name in counts[0] if isinstance(counts[0][name], int)]
    assert "evaluations" in names and [counts[0][x] for x in names] == [counts[1][x] for x in names]
