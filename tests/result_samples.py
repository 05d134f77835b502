"""Mechanisms, rows and files that the tests of results share."""

import os
from functools import cache

import numpy as np

import lissom as ls
from lissom.results.journal import Checkpoint, Journal
from lissom.results.store import FIELDS, Columns, MemoryStore
from lissom.results.trajectory import Trajectory
from tests.kernel_cases import STRUCTURES, far_state, flexible, rigid

META = {
    "status": "finished",
    "message": "end of the duration",
    "integrator": "rk45",
    "statistics": {"steps": 12},
}


def rows_of(system, time, q, v, a, force=None, wrenches=(), loads=None):
    """Store in memory; forces and loads are zero unless given."""
    n = len(time)
    force = np.zeros((n, system.n_v)) if force is None else force
    loads = np.zeros((n, 6 * len(wrenches))) if loads is None else loads
    columns = Columns(system.n_q, system.n_v, tuple(wrenches))
    return MemoryStore(columns, np.column_stack([time, q, v, a, force, loads]))


def random_run(system, rng, n=5, wrenches=(), **keywords):
    """Rows that have nothing to do with each other."""
    states = [far_state(system, rng, **keywords) for _ in range(n)]
    q, v = np.array([s.q for s in states]), np.array([s.v for s in states])
    a, force = rng.standard_normal((2, n, system.n_v))
    loads = rng.standard_normal((n, 6 * len(wrenches)))
    time = np.cumsum(rng.uniform(0.1, 0.3, n))
    return Trajectory(system, rows_of(system, time, q, v, a, force, wrenches, loads), META)


def named_frames(system):
    """Names of all bodies and named nodes."""
    bodies = zip(system.names, system.bodies, strict=True)
    return [n for name, b in bodies for n in (name, *(f"{name}.{k}" for k in b.node_names))]


def boom_model(gravity=(0.3, -0.4, -9.81)):
    """A flexible body between rigid ones, joints of one and two motions."""
    model = ls.Model("boom", gravity=gravity)
    model.add(rigid(1), ls.Revolute("z"), name="base", at=(0.2, 0.1, 0.0))
    model.add(flexible(1, lumps=True, damping=0.02), ls.Revolute("y"), name="boom", to="base")
    model.add(rigid(2), ls.Cylindrical("x"), name="hand", to="boom.tip", at=(0.1, 0, 0))
    return model


def swinging(system, time, scale=1.0):
    """Smooth motion of joints whose speeds are rates: q, v, a at the given times."""
    k = np.arange(system.n_q)
    w, phase, size = 1.0 + 0.3 * k, 0.7 * k, scale * np.full(len(k), 0.4)
    for i, body in enumerate(system.bodies):
        size[system.layout.modal_q(i)] = 0.05 * scale
        assert body.n_mode == 0 or system.joints[i].n_q == system.joints[i].n_v
    angle = np.asarray(time)[:, None] * w + phase
    return size * np.sin(angle), size * w * np.cos(angle), -size * w**2 * np.sin(angle)


@cache
def structure(name) -> ls.System:
    return STRUCTURES[name]().compile()


@cache
def pendulum() -> ls.System:
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    return model.compile()


def some_rows(columns: Columns, n: int, seed=0) -> np.ndarray:
    """Rows of all kinds of numbers; time counts up in hundredths."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, columns.width)) * 10.0 ** rng.integers(-300, 300, columns.width)
    special = [0.0, -0.0, 5e-324, 1e308, np.inf, -np.inf, np.nan, 0.1 + 0.2]
    places = rows.ravel()[1::11]
    places[: len(special)] = special[: len(places)]
    rows[:, 0] = 0.01 * np.arange(n)
    return rows


def stored(system, n=23, loads=()) -> MemoryStore:
    columns = Columns(system.n_q, system.n_v, tuple(loads))
    return MemoryStore(columns, some_rows(columns, n))


def same(store, other) -> None:
    """Two stores hold the same bits."""
    assert store.columns == other.columns and len(store) == len(other)
    n = len(store)
    for field in FIELDS:
        for start, stop in ((0, None), (3, 9), (-4, None), (n, n + 3), (9, 3), (0, -1)):
            a, b = store.read(field, start, stop), other.read(field, start, stop)
            assert a.shape == b.shape and a.dtype == b.dtype == float
            assert a.tobytes() == b.tobytes()


def write_journal(path, system, store, sizes, meta=META) -> list[int]:
    """Journal with records of the given numbers of rows; its length after each."""
    ends, row = [], 0
    with Journal.create(path, system, store.columns, meta) as journal:
        ends.append(os.path.getsize(path))
        for k, n in enumerate(sizes):
            point = Checkpoint({"q": store.rows[row : row + n], "k": np.array(k)}, {"record": k})
            journal.append(store.rows[row : row + n], point)
            row += n
            ends.append(os.path.getsize(path))
    return ends
