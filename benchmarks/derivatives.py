"""Derivatives of inverse and forward dynamics: lissom compared with Pinocchio, and with itself."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from lissom.algorithms import forward_dynamics_batch
from lissom.algorithms.tree import engine
from lissom.kernels import entries
from lissom.kernels.quantities import COUNTED
from lissom.library import flexible_chain, humanoid, rigid_chain, turned_chain
from lissom.model import Model

from .cases import Case, moving_case
from .depth import Depth
from .peers.twins import Call, PeerError, Pinocchio, installed
from .result import Cell, Requirement, Result, Table
from .timing import Progress, best_times, merge_best

MECHANISMS: dict[str, Callable[[int], Model]] = {
    "rigid chain": rigid_chain,
    "turned chain": turned_chain,
    "humanoid": humanoid,
}
SIZES = {"quick": (3, 7), "normal": (7, 30), "full": (7, 30, 100)}
FLEXIBLE = {"quick": ((3, 2),), "normal": ((10, 4),), "full": ((3, 4), (10, 4), (10, 10), (30, 4))}
QUANTITIES = ("inverse", "forward")
SMALL = 7  # joints from which the ratio is bounded
REQUIRED, AIM = 0.5, 1.0
TOLERANCE = 1e-9
HEADER = ("joints", "lissom evaluator", "lissom loop", "Pinocchio", "ratio of calls")

# (mechanism, size, quantity, form) -> seconds
Times = dict[tuple[str, str, str, str], float]

ABOUT = """Derivatives by configuration, speeds and accelerations or forces, in microseconds.
*evaluator*: a call from Python with arrays, all checks included; *loop*: the same in a compiled
loop over states; *Pinocchio*: `computeRNEADerivatives` and `computeABADerivatives` from Python.
Before anything is timed, both are checked to give the same numbers. The ratio is Pinocchio's call
over the evaluator's; above 1 lissom is faster. Flexible chains have no peer: their loop is compared
with that of forward dynamics."""


def run(depth: Depth, progress: Progress) -> Result:
    """Times of derivatives.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    peer = installed("pin")
    groups = [(m, n) for m in MECHANISMS for n in SIZES[depth.name]]
    chains, total = FLEXIBLE[depth.name], depth.passes * (len(groups) + len(FLEXIBLE[depth.name]))
    times: Times = {}
    for number in range(depth.passes):
        for k, (m, n) in enumerate(groups):
            progress(f"{m}, {n} joints", number * total // depth.passes + k, total)
            times = merge_best(times, _rigid(m, n, peer, depth))
        for bodies, modes in chains:
            progress(f"{bodies} flexible links", (number + 1) * total // depth.passes - 1, total)
            times = merge_best(times, _flexible(bodies, modes, depth))
    return Result(
        name="derivatives",
        title="Derivatives",
        about=ABOUT if peer else ABOUT + " Not installed here: Pinocchio.",
        tables=(*_tables(times, groups), _flexible_table(times, chains)),
        requirements=tuple(_requirements(times, groups)),
        records=tuple(
            dict(zip(("mechanism", "size", "quantity", "form"), key, strict=True))
            | {"seconds": seconds}
            for key, seconds in times.items()
        ),
    )


def _rigid(mechanism: str, n: int, peer: bool, depth: Depth) -> Times:
    case = moving_case(MECHANISMS[mechanism](n))
    calls = {(mechanism, str(n), *key): call for key, call in _own_calls(case).items()}
    if peer:
        twin = Pinocchio(case.model)
        _check(case, twin)
        q, v, f = case.state.q.copy(), case.state.v.copy(), case.forces
        for quantity, name in zip(QUANTITIES, ("RNEA", "ABA"), strict=True):
            function = getattr(twin.pin, f"compute{name}Derivatives")
            call = functools.partial(function, twin.model, twin.data, q, v, f)
            calls[mechanism, str(n), quantity, "Pinocchio"] = (call, 1)
    return _timed(calls, depth)


def _timed(calls: dict[tuple[str, str, str, str], tuple[Call, int]], depth: Depth) -> Times:
    best = best_times({key: call for key, (call, _) in calls.items()}, depth)
    return {key: seconds / calls[key][1] for key, seconds in best.items()}


def _own_calls(case: Case) -> dict[tuple[str, str], tuple[Call, int]]:
    system, evaluator = case.system, case.system.evaluator()
    q, v, f = case.state.q.copy(), case.state.v.copy(), case.forces
    n, k = system.n_v, case.size
    work = engine.workspace(system)
    rows = (case.many_q.ravel(), case.many_v.ravel(), case.many_forces.ravel())
    T, D = np.empty(k * n), np.empty((k * (3 * n + 1), n))
    shared = (*work.call, *work.derivatives, *rows)
    flags = COUNTED
    inverse = functools.partial(
        work.kernel(entries.INVERSE_DERIVATIVES), *shared, T, D, flags, 0, k
    )
    forward = functools.partial(
        work.kernel(entries.FORWARD_DERIVATIVES), *shared, T, D, engine.ALL, 0, k
    )
    by_call = (evaluator.inverse_dynamics_derivatives, evaluator.forward_dynamics_derivatives)
    return {
        ("inverse", "evaluator"): (functools.partial(by_call[0], q, v, f), 1),
        ("forward", "evaluator"): (functools.partial(by_call[1], q, v, f), 1),
        ("inverse", "loop"): (inverse, k),
        ("forward", "loop"): (forward, k),
    }


def _check(case: Case, twin: Pinocchio) -> None:
    """Refuse to time a twin whose derivatives differ."""
    q, v, f = case.state.q.copy(), case.state.v.copy(), case.forces
    evaluator = case.system.evaluator()
    own = evaluator.inverse_dynamics_derivatives(q, v, f)
    twin.pin.computeRNEADerivatives(twin.model, twin.data, q, v, f)
    for mine, theirs in ((own.q, twin.data.dtau_dq), (own.v, twin.data.dtau_dv)):
        if np.abs(mine - theirs).max() > TOLERANCE * max(1.0, np.abs(theirs).max()):
            raise PeerError(f"derivatives of Pinocchio and lissom differ: {case.model.name}")


def _flexible(bodies: int, modes: int, depth: Depth) -> Times:
    speeds = bodies * (modes + 1)
    states = int(np.clip(999 // speeds, 2, 64))
    case = moving_case(flexible_chain(bodies, modes, "full"), size=states)
    size = f"{bodies} × {modes}"
    own = {key: call for key, call in _own_calls(case).items() if key[1] == "loop"}
    calls = {("flexible chain", size, *key): call for key, call in own.items()}
    batch = (case.many_q, case.many_v, case.many_forces)
    plain = functools.partial(
        forward_dynamics_batch, case.system, *batch, out=np.empty_like(case.many_v), threads=1
    )
    calls["flexible chain", size, "forward dynamics", "loop"] = (plain, case.size)
    return _timed(calls, depth)


def _tables(times: Times, groups: list[tuple[str, int]]) -> list[Table]:
    found = []
    for m in MECHANISMS:
        for quantity in QUANTITIES:
            rows = tuple(_row(times, m, n, quantity) for name, n in groups if name == m)
            found.append(Table(f"{m.capitalize()}: {quantity} dynamics [µs]", HEADER, rows))
    return found


def _row(times: Times, mechanism: str, n: int, quantity: str) -> tuple[Cell, ...]:
    forms = ("evaluator", "loop", "Pinocchio")
    cells = [times.get((mechanism, str(n), quantity, form)) for form in forms]
    own, _, theirs = cells
    ratio = theirs / own if theirs is not None and own is not None else None
    return (n, *(None if x is None else 1e6 * x for x in cells), ratio)


def _flexible_table(times: Times, chains: tuple[tuple[int, int], ...]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for bodies, modes in chains:
        size = f"{bodies} × {modes}"
        inverse, forward = (times["flexible chain", size, x, "loop"] for x in QUANTITIES)
        plain = times["flexible chain", size, "forward dynamics", "loop"]
        speeds = bodies * (modes + 1)
        cells = (1e6 * plain, 1e6 * inverse, 1e6 * forward, forward / plain)
        rows.append((bodies, modes, speeds, *cells))
    header = (
        "links", "modes each", "speeds", "forward dynamics", "derivatives, inverse",
        "derivatives, forward", "forward derivatives over forward dynamics",
    )  # fmt: skip
    return Table("Flexible chain at level full, loops [µs]", header, tuple(rows))


def _requirements(times: Times, groups: list[tuple[str, int]]) -> list[Requirement]:
    found = []
    for quantity in QUANTITIES:
        ratios: dict[float, str] = {}
        for m, n in groups:
            ratio = _row(times, m, n, quantity)[-1]
            if n >= SMALL and isinstance(ratio, float):
                ratios[ratio] = f"{m}, {n} joints"
        least = min(ratios, default=None)
        where = "" if least is None else ratios[least]
        text = f"Pinocchio over lissom: derivatives of {quantity} dynamics, calls"
        for bound, aim in ((REQUIRED, False), (AIM, True)):
            key = f"derivatives, {quantity}, {'aim' if aim else 'call'}"
            found.append(Requirement(key, text, "at least", bound, least, where, unit="×", aim=aim))
    return found
