"""Rigid impacts: the impulse between two shapes, and what it does to the mechanism.

With J the rows of the velocity of a relative to b at the point of contact in axes (t, u, n), and
M_c^-1 the inverse of the mass matrix under closed loops, driven and locked joints keeping their
speeds:

  W = J M_c^-1 J*,   v+ = v- + M_c^-1 J* p                                                    (1)
  loss = -p . (c- + c+) / 2,   c = J v                                                        (2)

each column of M_c^-1 J* being one sweep, O(N); p is that of `impact_impulse`.

Whether peaks after an impact converge with the number of shapes of flexible bodies tells the part
of the compliance at the point that the upper half of them provides: with g = J* p, E the rows of
their rates, so that under E v = 0 the compliance is less by the first term of

  share = y* (E M_c^-1 E*)^-1 y / (g* M_c^-1 g),   y = E M_c^-1 g                             (3)

A gap is counted from a level: zero, or where the last impact found it if that is below zero by the
rounding of the search, so that bodies that have just parted are apart.  After an impact without
rebound the level is lower by a length that rounding does not reach.

Impacts that follow each other ever faster, as of a ball that comes to rest, are infinitely many in
a finite time.  They end the run where flights would rise by less than this length.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np

from ...errors import StateError
from ...kernels.layout import run
from ...results.event_records import EventRecord, ImpactImpulse
from ...system import State
from ..run.machine import Machine
from .actions import (
    held_speeds,
    loop_impulses,
    mark_driven,
    series_of_shapes,
    shares_of_shapes,
)
from .event import Event
from .gap import ClosestPoints
from .impact_impulse import impact_impulse
from .rigid_impact import RigidImpact

Array = np.ndarray

_RISE = 1e-12  # of a flight, in lengths of the mechanism, below which bodies stay in contact
_FLIGHTS = 5  # so many of them in turn
_DULL = 1e-9  # rebound, as a part of the approach, that is none
_TOGETHER = 1e-9  # difference of gaps, in lengths of the mechanism, that is none
_OVERLAP = 1e-7  # most overlap at the start, likewise
_HELD = 1e-9  # compliance, as a part of the largest, below which nothing can move
_IMMOBILE = 1e-10  # compliance along the normal, in those of the whole mass
_UNMOVED = 1e-12  # share of a body that is not moved
_SLOWEST = 1e-12  # approach, as a part of what the speeds could give, that is none
_COUPLED = 1e-9  # of two impacts, as a part of the mean of their compliances


class ImpactError(Exception):
    """An impact without a unique impulse; the message says why and what to do."""


def strike(machine: Machine, place: int, action: RigidImpact) -> ImpactImpulse | None:
    """Carry out the impact of an event whose values are at `place`; None if nothing approaches."""
    points = machine.plan.gaps[place]
    near = _approaching(machine, place)
    if not near:
        _set_level(machine, place, rebound=True)
        return None
    if len(near) > 1:
        raise ImpactError(
            f"{' and '.join(points.labels)} meet at {len(near)} points at once, and the impulses "
            "at them do not follow from coefficients; use a Contact, or turn one of them a little"
        )
    (x,) = near
    columns, W = _compliance(machine, x)
    mass = sum(body.mass for body in machine.system.bodies)
    if not W[2, 2] * mass > _IMMOBILE:
        raise ImpactError(
            f"{' and '.join(points.labels)} meet where neither can give way along the normal, "
            "since driven or locked joints or loops hold them; end the motion before, or use a "
            "Contact"
        )
    c = x.J @ machine.v
    p = impact_impulse(W, c, action.restitution, action.friction, action.law)
    after, change = c + W @ p, columns @ p
    loss = -float(p @ (c + after)) / 2
    _, _, energy = shares_of_shapes(machine, change, loss, np.inf)
    shares, share = _shares_of_compliance(machine, x.J.T @ p, change)
    T = x.axes
    impulse = ImpactImpulse(
        *points.labels, x.point, T[:, 2].copy(), T @ p, T @ c, T @ after, loss,
        T @ np.linalg.pinv(W, rcond=_HELD, hermitian=True) @ T.T,
        loop_impulses(machine, change, x.J.T @ p, held_speeds(machine)), shares, share, energy,
    )  # fmt: skip
    machine.v[:] += change
    machine.settle()
    _set_level(machine, place, rebound=after[2] > -_DULL * c[2])
    return impulse


def _approaching(machine: Machine, place: int) -> list[ClosestPoints]:
    """Points of a gap that meet now."""
    state = _present(machine)
    all_points = machine.plan.gaps[place].closest(machine.system, state)
    limit = min(x.gap for x in all_points) + _TOGETHER * machine.system.length
    v = machine.v
    least = [-_SLOWEST * (np.abs(x.J[2]) @ np.abs(v)) for x in all_points]
    pairs = zip(all_points, least, strict=True)
    return [x for x, slowest in pairs if x.gap <= limit and x.J[2] @ v < slowest]


def _present(machine: Machine) -> State:
    return State(machine.system, machine.q.copy(), machine.v.copy())


def _compliance(machine: Machine, x: ClosestPoints) -> tuple[Array, Array]:
    """M_c^-1 J* (n_v, 3) and W (3, 3) of (1)."""
    mark_driven(machine)
    columns = np.column_stack([machine.solve(row) for row in x.J])
    W = x.J @ columns
    return columns, (W + W.T) / 2


def _shares_of_compliance(
    machine: Machine, push: Array, change: Array
) -> tuple[dict[str, float], float]:
    """Shares (3) of the upper half of the shapes of each body, and of all.

    `push` (n_v,): g; `change` (n_v,): M_c^-1 g.
    """
    system, rows, owners = machine.system, [np.zeros((0, machine.system.n_v))], list[str]()
    for i, body in enumerate(system.bodies):
        if body.n_mode:
            V, high, _ = series_of_shapes(body)
            E = np.zeros((np.count_nonzero(high), system.n_v))
            E[:, system.layout.modal_v(i)] = V[high]
            rows.append(E)
            owners += [system.names[i]] * len(E)
    E = np.concatenate(rows)
    C = E @ np.array([machine.solve(row) for row in E]).T if len(E) else np.zeros((0, 0))
    y, whole = E @ change, max(float(push @ change), 1e-300)

    def share(of: Array) -> float:
        part = np.linalg.pinv(C[np.ix_(of, of)], rcond=_HELD, hermitian=True)
        return float(y[of] @ part @ y[of]) / whole

    names = np.array(owners, dtype=object)
    each = {name: share(names == name) for name in dict.fromkeys(owners)}
    return {k: x for k, x in each.items() if x > _UNMOVED}, share(names != "") if owners else 0.0


def _set_level(machine: Machine, place: int, *, rebound: bool) -> None:
    """Set the level from which a gap is counted to where it is now."""
    state = _present(machine)
    gap = min(x.gap for x in machine.plan.gaps[place].closest(machine.system, state))
    below = np.spacing(machine.system.length) if rebound else _RISE * machine.system.length
    machine.memory[place + run.LEVEL] = min(0.0, gap - below)
    machine.memory[run.KNOWN] = 0.0


def in_turn(machine: Machine, fired: Sequence[int]) -> list[int]:
    """Events of one instant in the order of their impacts; refuse a choice that nobody has made.

    With them the impacts that are about to happen: rounding decides which of several is first.
    """
    events = machine.plan.events
    if not any(events[k][0].strikes for k in fired):
        return list(fired)
    strikes = [k for k in range(len(events)) if k in fired or _is_due(machine, k)]
    strikes = [k for k in strikes if events[k][0].strikes]
    if len(strikes) < 2:
        return list(fired)
    order = {k: _impact(events[k][0]).order for k in strikes}
    for a, b in combinations(strikes, 2):
        if (order[a] is None or order[b] is None) and _affect(machine, events[a][1], events[b][1]):
            names = " and ".join(events[k][0].label for k in (a, b))
            raise ImpactError(
                f"{names} are impacts at one instant, and what they do depends on their order; "
                "give each a RigidImpact(..., order=...), or use a Contact, which has a duration"
            )
    turns = sorted(strikes, key=lambda k: order[k] or 0.0)
    return [k for k in fired if k not in strikes] + turns


def _is_due(machine: Machine, k: int) -> bool:
    """Whether an impact is about to happen: its shapes touch and approach each other."""
    event, place = machine.plan.events[k]
    if not event.strikes or machine.memory[place + run.ARMED] == 0:
        return False
    near = _approaching(machine, place)
    return bool(near) and near[0].gap <= _TOGETHER * machine.system.length


def _impact(event: Event) -> RigidImpact:
    return next(x for x in event.actions if isinstance(x, RigidImpact))


def _affect(machine: Machine, a: int, b: int) -> bool:
    """Whether the impulse of one impact changes the speeds at the other."""
    for x in _approaching(machine, a):
        columns, W = _compliance(machine, x)
        for y in _approaching(machine, b):
            size = np.sqrt(np.trace(W) * np.trace(_compliance(machine, y)[1]))
            if np.abs(y.J @ columns).max() > _COUPLED * size:
                return True
    return False


def lasting_contact(machine: Machine, happened: Sequence[EventRecord]) -> str:
    """Why a run ends if the shapes of its last impact stay in contact; else empty."""
    last = happened[-1]
    name = last.impulses[0].place
    flights: list[tuple[float, ImpactImpulse]] = []
    for record in reversed(happened):
        for x in record.impulses:
            if isinstance(x, ImpactImpulse) and record.label == last.label and x.place == name:
                flights.append((record.time, x))
        if len(flights) > _FLIGHTS:
            break
    least = _RISE * machine.system.length
    short = [
        x.approach * (after - before) / 4 <= least for (after, x), (before, _) in pairwise(flights)
    ]
    if len(short) < _FLIGHTS or not all(short):
        return ""
    return (
        f"event {last.label!r}: the impacts of {name} follow each other ever faster, the last at "
        f"{flights[0][1].approach:.3g} m/s: they stay in contact from t = {last.time:.9g} s on, "
        "and rigid impacts have no force that holds them apart; use a Contact in place of the "
        "event, or end the run before"
    )


def check_gaps_at_start(machine: Machine) -> None:
    """Refuse shapes that overlap at the start of a run; those that touch are apart."""
    length, state = machine.system.length, _present(machine)
    for event, place in machine.plan.events:
        if not event.strikes:
            continue
        gap = min(x.gap for x in machine.plan.gaps[place].closest(machine.system, state))
        if gap < -_OVERLAP * length:
            raise StateError(
                f"{event.label}: {' and '.join(machine.plan.gaps[place].labels)} overlap by "
                f"{-gap:.4g} m at the start; begin with them apart, or touching"
            )
        if gap <= 0:
            _set_level(machine, place, rebound=True)
