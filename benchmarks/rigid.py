"""Rigid mechanisms: lissom compared with Pinocchio and MuJoCo."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from lissom.algorithms import (
    forward_dynamics,
    forward_dynamics_batch,
    inverse_dynamics,
    inverse_dynamics_batch,
    mass_matrix,
)
from lissom.algorithms.tree import engine
from lissom.library import humanoid, rigid_chain, turned_chain
from lissom.model import Model

from .cases import Case, moving_case
from .depth import Depth
from .peers.twins import Call, Mujoco, Pinocchio, check_twin, installed
from .result import Cell, Requirement, Result, Table
from .timing import Progress, best_times, merge_best

MECHANISMS: dict[str, Callable[[int], Model]] = {
    "rigid chain": rigid_chain,
    "turned chain": turned_chain,
    "humanoid": humanoid,
}
SIZES = {"quick": (3, 7), "normal": (7, 30, 100), "full": (7, 30, 100, 300)}
QUANTITIES = ("forward dynamics", "inverse dynamics", "mass matrix")
STATE = "making the state"
PEERS: dict[str, type[Pinocchio] | type[Mujoco]] = {"pin": Pinocchio, "mujoco": Mujoco}

# From 30 joints on the ratios are required; at 7 one call must not be slower.
SMALL, LARGE = 7, 30
REQUIRED = {"forward dynamics": 2.0, "inverse dynamics": 1.5, "mass matrix": 1.5}

HEADER = (
    "joints",
    "lissom call",
    "lissom batch",
    "Pinocchio call",
    "Pinocchio batch",
    "MuJoCo call",
    "ratio of calls",
    "ratio of batches",
)

# (mechanism, joints, quantity, library, form) -> seconds per state
Times = dict[tuple[str, int, str, str, str], float]

ABOUT = """Rigid bodies on revolute joints: a chain whose joint frames are aligned, the same with a
random rotation at each joint, and a branched human figure. Before anything is timed, the three
libraries are checked to compute the same numbers. *Call* is one call from Python, on an existing
state. *Batch* is the time per state of one call that computes many states on one thread;
Pinocchio has it for forward and inverse dynamics (`abaInParallel`, `rneaInParallel`). Pinocchio's
two conventions of forward dynamics and of the mass matrix were both timed, and the faster one
counts. lissom's mass matrix under *batch* is one triangle, in a compiled loop; `pin.crba` also
mirrors and copies its triangle, and has no batch. MuJoCo's `mj_forward` computes more than
accelerations (such as the mass matrix and its factor); contacts, constraints and sensors are off.
Pinocchio's wheel is compiled for all x86-64 processors, lissom's kernels for three levels of them,
of which the best is taken.
The ratio of batches is that of Pinocchio's fastest form to lissom's batch; above 1 lissom is
faster."""


def run(depth: Depth, progress: Progress) -> Result:
    """Times of forward dynamics, inverse dynamics and mass matrix, compared with the peers.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    peers = [name for name in PEERS if installed(name)]
    groups = [(m, n) for m in MECHANISMS for n in SIZES[depth.name]] * depth.passes
    times: Times = {}
    for done, (mechanism, n) in enumerate(groups):
        progress(f"{mechanism}, {n} joints", done, len(groups))
        times = merge_best(times, _group(mechanism, n, peers, depth))
    progress("rigid mechanisms", len(groups), len(groups))
    absent = [PEERS[name].name for name in PEERS if name not in peers]
    missing = f" Not installed here: {', '.join(absent)}." if absent else ""
    return Result(
        name="rigid",
        title="Rigid mechanisms",
        about=ABOUT + missing,
        tables=tuple(_tables(times)),
        requirements=tuple(_requirements(times)),
        records=tuple(
            dict(zip(("mechanism", "n", "quantity", "library", "form"), key, strict=True))
            | {"seconds": seconds}
            for key, seconds in times.items()
        ),
    )


def _group(mechanism: str, n: int, peers: list[str], depth: Depth) -> Times:
    """Times of all calls for one mechanism; the peers' twins are released afterwards."""
    case = moving_case(MECHANISMS[mechanism](n))
    calls = {(*key, "lissom"): call for key, call in own_calls(case).items()}
    for name in peers:
        twin = PEERS[name](case.model)
        check_twin(case, twin)
        calls |= {(*key, twin.name): call for key, call in twin.calls(case).items()}
    ordered = dict(sorted(calls.items()))
    best = best_times({key: call for key, (call, _) in ordered.items()}, depth)
    return {
        (mechanism, n, quantity, library, form): seconds / calls[quantity, form, library][1]
        for (quantity, form, library), seconds in best.items()
    }


def own_calls(case: Case) -> dict[tuple[str, str], tuple[Call, int]]:
    """Timed calls of lissom: (quantity, form) -> (call, number of states in it).

    Parameters
    ----------
    case : Case
        Mechanism and states.
    """
    system, state, f = case.system, case.state, case.forces
    out, batch = np.empty_like(case.many_v), (case.many_q, case.many_v, case.many_forces)
    forward = functools.partial(forward_dynamics_batch, system, *batch, out=out)
    inverse = functools.partial(inverse_dynamics_batch, system, *batch, out=out)
    mass = functools.partial(engine.mass_matrix_loop, system, state.q.copy(), case.size)
    return {
        ("forward dynamics", "call"): (functools.partial(forward_dynamics, system, state, f), 1),
        ("forward dynamics", "batch"): (forward, case.size),
        ("inverse dynamics", "call"): (functools.partial(inverse_dynamics, system, state, f), 1),
        ("inverse dynamics", "batch"): (inverse, case.size),
        ("mass matrix", "call"): (functools.partial(mass_matrix, system, state), 1),
        ("mass matrix", "batch"): (mass, case.size),
        (STATE, "call"): (functools.partial(system.state, state.q, state.v), 1),
    }


def _fastest(times: Times, *key: str | int, form: str) -> float | None:
    """Smallest time of the forms whose name begins with `form`."""
    found = [t for (*where, f), t in times.items() if tuple(where) == key and f.startswith(form)]
    return min(found, default=None)


def _ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a is not None and b is not None else None


def _ratios(times: Times, *where: str | int) -> tuple[float | None, float | None]:
    """Ratios Pinocchio over lissom: call over call, fastest form over batch."""
    own_call, own_batch = (_fastest(times, *where, "lissom", form=f) for f in ("call", "batch"))
    call, fastest = (_fastest(times, *where, "Pinocchio", form=f) for f in ("call", ""))
    return _ratio(call, own_call), _ratio(fastest, own_batch)


def _tables(times: Times) -> list[Table]:
    """One table for each mechanism and quantity, and one for the cost of a state."""
    sizes = sorted({key[1] for key in times})
    tables = [
        Table(f"{m.capitalize()}: {q} [µs]", HEADER, tuple(_row(times, m, n, q) for n in sizes))
        for m in MECHANISMS
        for q in QUANTITIES
    ]
    rows = [tuple(_micro(times, m, n, STATE, "lissom", "call") for m in MECHANISMS) for n in sizes]
    states = tuple((n, *cells) for n, cells in zip(sizes, rows, strict=True))
    note = "A call needs a `State`, which can be reused for any number of calls."
    return [*tables, Table("Making the state [µs]", ("joints", *MECHANISMS), states, note)]


def _row(times: Times, mechanism: str, n: int, quantity: str) -> tuple[Cell, ...]:
    where = (mechanism, n, quantity)
    columns = [("lissom", "call"), ("lissom", "batch"), ("Pinocchio", "call")]
    columns += [("Pinocchio", "batch"), ("MuJoCo", "call")]
    cells = (_micro(times, *where, library, form) for library, form in columns)
    return (n, *cells, *_ratios(times, *where))


def _micro(times: Times, *key: str | int) -> float | None:
    """Microseconds of the fastest form whose name begins with the last part of the key."""
    *where, form = key
    seconds = _fastest(times, *where, form=str(form))
    return None if seconds is None else 1e6 * seconds


def _requirements(times: Times) -> list[Requirement]:
    """Least favourable ratio of each mechanism, in batches and (as an aim) in calls."""
    sizes = sorted({key[1] for key in times})
    large = [n for n in sizes if n >= LARGE]
    small = [n for n in sizes if n == SMALL]
    found = []
    for quantity, required in REQUIRED.items():
        for m in MECHANISMS:
            what = f"{quantity}, {m}, batch, from {LARGE} joints"
            worst = _worst(times, m, quantity, large, 1)
            found.append(_at_least(f"{quantity}, batch", what, required, worst))
    for ns, place, required in ((small, f"{SMALL}", 1.0), (large, f"from {LARGE}", 2.0)):
        for m in MECHANISMS:
            what = f"forward dynamics, {m}, call, {place} joints"
            worst = _worst(times, m, "forward dynamics", ns, 0)
            found.append(_at_least(f"forward dynamics, call, {place}", what, required, worst, True))
    return found


def _worst(
    times: Times, mechanism: str, quantity: str, sizes: list[int], which: int
) -> tuple[float | None, str]:
    """Smallest ratio over sizes and its size; `which` is 0 for calls, 1 for batches."""
    ratios = {n: _ratios(times, mechanism, n, quantity)[which] for n in sizes}
    known = {r: n for n, r in ratios.items() if r is not None}
    if not known:
        return None, ""
    return min(known), f"{known[min(known)]} joints"


def _at_least(
    key: str, what: str, required: float, worst: tuple[float | None, str], aim: bool = False
) -> Requirement:
    text = f"Pinocchio over lissom: {what}"
    return Requirement(key, text, "at least", required, *worst, unit="×", aim=aim)
