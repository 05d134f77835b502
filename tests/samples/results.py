"""Mechanisms, rows and files that the tests of results share."""

import os
from functools import cache

import numpy as np

import lissom as ls
from lissom.results.files.journal.writer import Checkpoint, Journal
from lissom.results.store import Columns, MemoryStore
from lissom.results.trajectory import Trajectory
from tests.samples.kernel_cases import PLACE, STRUCTURES, TURN, far_state, flexible, rigid

META = {
    "status": "finished",
    "message": "end of the duration",
    "integrator": "rk45",
    "statistics": {"steps": 12},
}


def rows_of(system, time, q, v, a, force=None, wrenches=(), loads=None, loops=None):
    """Store in memory; forces, loads and forces of loops are zero unless given."""
    n = len(time)
    force = np.zeros((n, system.n_v)) if force is None else force
    loads = np.zeros((n, 6 * len(wrenches))) if loads is None else loads
    loops = np.zeros((n, 6 * len(system.loops))) if loops is None else loops
    columns = Columns.of(system, wrenches)
    return MemoryStore(columns, np.column_stack([time, q, v, a, force, loads, loops]))


def random_run(system, rng, n=5, wrenches=(), **keywords):
    """Rows that have nothing to do with each other."""
    states = [far_state(system, rng, **keywords) for _ in range(n)]
    q, v = np.array([s.q for s in states]), np.array([s.v for s in states])
    a, force = rng.standard_normal((2, n, system.n_v))
    loads = rng.standard_normal((n, 6 * len(wrenches)))
    time = np.cumsum(rng.uniform(0.1, 0.3, n))
    loops = rng.standard_normal((n, 6 * len(system.loops)))
    store = rows_of(system, time, q, v, a, force, wrenches, loads, loops)
    return Trajectory(system, store, META)


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


def looped(*joints, names=("pin", "rod"), rigid_ends=False) -> ls.System:
    """Tree whose branches joints connect: between two bodies, then between one and the ground.

    The ends are in turned frames, on nodes of flexible bodies or on rigid ones.
    """
    tip = "" if rigid_ends else ".tip"
    boom, arm = (rigid(3) if rigid_ends else flexible(k, lumps=True, damping=0.02) for k in (1, 2))
    model = ls.Model("loops", gravity=(1.0, -2.0, -9.81))
    model.add(rigid(1), ls.Revolute("z"), name="base", at=(0.2, 0.1, 0.0))
    model.add(boom, ls.Universal("y", "z"), name="boom", to="base", at=PLACE)
    model.add(arm, ls.Spherical(), name="arm", to="base", rotation=TURN)
    model.add(rigid(2), ls.Revolute("x"), name="hand", to=f"boom{tip}", at=(0.1, 0, 0))
    ends = [(f"arm{tip}", "hand"), (None, f"boom{tip}")]
    for joint, name, (a, b) in zip(joints, names, ends, strict=False):
        where = {"at_a": (0.3, 0.1, -0.2), "rotation_a": TURN.T, "at_b": PLACE, "rotation_b": TURN}
        model.close(joint, a, b, name=name, **where)
    return model.compile()


def parallelogram(joint=None, gravity=(0, -9.81, 0)) -> ls.System:
    """Crank and rocker of one metre, two metres apart; the coupler between them does not turn.

    The joint is between the coupler and the rocker, which is its end b.
    """
    model = ls.Model("parallelogram", gravity=gravity)
    link = ls.RigidBody.rod(3.0, 1.0, com=(0.5, 0, 0))
    bar = ls.RigidBody.rod(5.0, 2.0, com=(1.0, 0, 0))
    model.add(link, ls.Revolute("z"), name="crank")
    model.add(bar, ls.Revolute("z"), name="coupler", to="crank", at=(1, 0, 0))
    model.add(link, ls.Revolute("z"), name="rocker", at=(2, 0, 0))
    joint = joint or ls.Revolute("z")
    model.close(joint, "coupler", "rocker", at_a=(2, 0, 0), at_b=(1, 0, 0), name="pin")
    return model.compile()


def frame_in_world(system, state, end):
    """Origin and axes of the frame of an end of a loop."""
    if end.body < 0:
        return end.position, end.rotation
    where = f"{system.names[end.body]}.{end.node}"
    if len(system.bodies[end.body].node_positions) == 1:
        where = system.names[end.body]
    pose = ls.pose(system, state, where)
    return pose.position + pose.rotation @ end.position, pose.rotation @ end.rotation


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
    columns = Columns.of(system, loads)
    return MemoryStore(columns, some_rows(columns, n))


def same(store, other) -> None:
    """Two stores hold the same bits."""
    assert store.columns == other.columns and len(store) == len(other)
    n = len(store)
    for field in store.columns.fields:
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
