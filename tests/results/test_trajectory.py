"""Trajectories: what they hold, how they are read, and what a user can get wrong."""

import copy
import pickle
import sys
import types

import numpy as np
import pytest

import lissom as ls
from lissom.results.files.journal.writer import Checkpoint, Journal
from lissom.results.store import FIELDS, Columns, MemoryStore, block_size
from lissom.results.trajectory import Trajectory
from tests.samples.kernel_cases import (
    random_system,
)
from tests.samples.results import (
    META,
    boom_model,
    random_run,
    rows_of,
    swinging,
)


def test_a_trajectory_without_rows():
    system = boom_model().compile()
    empty = np.zeros((0, system.n_q))
    run = Trajectory(system, rows_of(system, np.zeros(0), empty, empty, empty))
    assert run["hand.position"].shape == (0, 3) and run["hand.quaternion"].shape == (0, 4)
    assert run.energy.total.shape == (0,) and len(run) == run.n == 0
    assert "0 rows" in repr(run)
    with pytest.raises(ls.StateError, match="no rows"):
        run.state(0.0)


def test_rows_must_fit_the_system_and_be_in_order():
    system = boom_model().compile()
    with pytest.raises(ls.StateError, match=r"2 coordinates and 2 speeds; boom has 6 and 6"):
        Trajectory(system, MemoryStore(Columns(2, 2), np.zeros((3, 9))))
    time = np.array([0.0, 2.0, 1.0])
    run = Trajectory(system, rows_of(system, time, *swinging(system, time)))
    with pytest.raises(ls.StateError, match=r"time of row 2 is 1.0 s, after 2.0 s"):
        run.state(0.5)


def test_a_row_that_is_not_finite_is_named():
    system = boom_model().compile()
    time = np.linspace(0, 1, 5)
    run = Trajectory(system, rows_of(system, time, *swinging(system, time)))
    run.store.rows[3, 2] = np.nan
    for name in ("hand.position", "energy.kinetic", "base.reaction"):
        with pytest.raises(ls.StateError, match=r"row 3 \(time 0.75 s\): the result is not finite"):
            run[name]
    assert np.isnan(run["base.angle"]).sum() == 0 and np.isnan(run.q).sum() == 1


class SpyStore:
    """Store that counts how many rows are read at a time."""

    def __init__(self, inner):
        self.inner, self.columns, self.reads = inner, inner.columns, []

    def __len__(self):
        return len(self.inner)

    def read(self, field, start=0, stop=None):
        values = self.inner.read(field, start, stop)
        self.reads.append((field, len(values)))
        return values


def spied_pendulum(n):
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    system = model.compile()
    time = np.linspace(0, 100, n)
    store = SpyStore(rows_of(system, time, *swinging(system, time)))
    return Trajectory(system, store), store


def test_long_runs_are_read_in_blocks():
    run, store = spied_pendulum(200_000)
    size = block_size(store.columns)
    for name in ("rod.position", "rod.reaction", "energy.total", "rod.rates", "rod.quaternion"):
        store.reads.clear()
        values = run[name]
        for field in FIELDS:
            rows = [n for f, n in store.reads if f == field]
            assert not rows or (sum(rows) == 200_000 and max(rows) <= size < 10_000), name
        before = len(store.reads)
        assert run[name] is values and len(store.reads) == before
    angle = run["rod.angle"]
    expected = np.stack([np.cos(angle), 0 * angle, -np.sin(angle)], axis=1)
    assert np.allclose(run["rod.rotation"][:, :, 0], expected, atol=1e-14)


def test_a_state_reads_two_rows_and_samples_read_blocks():
    run, store = spied_pendulum(200_000)
    assert run.time.shape == (200_000,)
    store.reads.clear()
    run.state(12.3456)
    assert max(n for _, n in store.reads) == 2
    store.reads.clear()
    few = run.sample([1.0, 50.0, 99.0])
    assert max(n for _, n in store.reads) <= 2
    assert np.allclose(few.q, swinging(run.system, few.time)[0], atol=1e-12)
    store.reads.clear()
    many = run.sample(np.linspace(0, 100, 30_001))
    assert max(n for _, n in store.reads) <= block_size(store.columns) + 2
    assert np.allclose(many.q, swinging(run.system, many.time)[0], atol=1e-12)


def test_many_times_in_few_rows_are_worked_on_in_turn():
    run, store = spied_pendulum(2001)
    inside = np.linspace(10.001, 10.002, 20_000)
    store.reads.clear()
    many = run.sample(inside)
    assert len(store.reads) == 1 + 6 * -(-20_000 // block_size(store.columns))
    assert np.allclose(many.q, swinging(run.system, inside)[0], atol=1e-12)


def test_a_moving_point_of_momentum_is_read_in_blocks_too():
    run, _ = spied_pendulum(10_001)
    center = run["center_of_mass"]
    angular, linear = run["momentum.angular"], run["momentum.linear"]
    expected = np.hstack([angular - np.cross(center, linear), linear])
    assert np.allclose(run.momentum(about=center), expected, atol=1e-14)


def test_a_row_of_a_later_block_that_is_not_finite_is_named():
    run, store = spied_pendulum(10_001)
    store.inner.rows[9_000, 1] = np.inf
    with pytest.raises(ls.StateError, match=r"row 9000 \(time 90.0 s\)"):
        run["rod.velocity"]


def test_blocks_of_wide_rows_are_short():
    assert block_size(Columns(7, 6)) == 8192
    assert block_size(Columns(1000, 1000)) * Columns(1000, 1000).width < 1e6


def test_it_pickles_and_copies_and_does_not_change():
    system = random_system(5)
    run = random_run(system, np.random.default_rng(5), wrenches=[system.names[-1]])
    values = run[f"{system.names[-1]}.position"]
    for other in (pickle.loads(pickle.dumps(run)), copy.copy(run), copy.deepcopy(run)):
        assert dict(other.meta) == META and np.array_equal(other.store.rows, run.store.rows)
        assert np.array_equal(other[f"{system.names[-1]}.position"], values)
        assert other.system.names == system.names and repr(other) == repr(run)
    for name in ("q", "time", "system", "other"):
        with pytest.raises(AttributeError):
            setattr(run, name, 1)
    for array in (run.q, run.time, run.energy.strain, values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(TypeError):
        run.meta["status"] = "other"
    with pytest.raises(TypeError):
        run.statistics["steps"] = 3


def test_events_are_times_and_labels(tmp_path):
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=3)
    assert run.events == []
    meta = {**META, "events": [[0.25, "touchdown"], (np.float64(0.5), "latch")]}
    eventful = Trajectory(run.system, run.store, meta)
    assert eventful.events == [(0.25, "touchdown"), (0.5, "latch")]
    eventful.save(tmp_path / "run.nc")
    assert Trajectory.load(tmp_path / "run.nc").events == eventful.events


def test_a_journal_knows_the_events_so_far(tmp_path):
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=3)
    with Journal.create(tmp_path / "a.nc.part", run.system, run.store.columns, {}) as journal:
        journal.append(run.store.rows, Checkpoint({}, {"events": [[0.25, "touchdown"]]}))
    assert Trajectory.load(tmp_path / "a.nc.part").events == [(0.25, "touchdown")]


@pytest.mark.parametrize("suffix", ["nc", "npz", "nc.part"])
def test_a_trajectory_from_a_file_has_the_same_channels(tmp_path, suffix):
    system, path = boom_model().compile(), tmp_path / f"run.{suffix}"
    run = random_run(system, np.random.default_rng(0), wrenches=["boom.tip", "hand"])
    if suffix == "nc.part":
        with Journal.create(path, system, run.store.columns, META) as journal:
            journal.append(run.store.rows, Checkpoint())
    else:
        run.save(path)
    again = Trajectory.load(path)
    assert repr(again) == repr(run) and dict(again.channels()) == dict(run.channels())
    for name in run.channels():
        assert again[name].tobytes() == run[name].tobytes(), name
    between = 0.3 * run.time[1] + 0.7 * run.time[2]
    assert again.state(between).q.tobytes() == run.state(between).q.tobytes()


def test_status_message_and_statistics_come_from_the_run():
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=3)
    assert (run.status, run.message) == ("finished", "end of the duration")
    assert run.statistics["steps"] == 12 and run.meta["integrator"] == "rk45"
    bare = Trajectory(run.system, run.store)
    assert (bare.status, bare.message, dict(bare.statistics)) == (None, "", {})
    assert len(repr(bare).splitlines()) == 2


def test_it_prints_in_a_few_lines():
    system = boom_model().compile()
    time = np.linspace(0, 2.5, 11)
    run = Trajectory(system, rows_of(system, time, *swinging(system, time)), META)
    assert repr(run).splitlines() == [
        "Trajectory of boom: 11 rows, 0 s to 2.5 s",
        "  3 bodies, 6 coordinates, 6 speeds",
        "  status: finished: end of the duration",
        "  rk45, 12 steps",
    ]


def test_saving_and_loading_pass_through_files(monkeypatch):
    kept = {}
    files = types.ModuleType("lissom.results.files.formats")
    files.save = lambda path, system, store, meta: kept.update({path: (system, store, meta)})
    files.open_results = lambda path, *, salvage: kept[path]
    monkeypatch.setitem(sys.modules, "lissom.results.files.formats", files)
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=2)
    run.save("run.nc")
    again = Trajectory.load("run.nc")
    assert again.store is run.store and dict(again.meta) == META
