"""reach: a state in which bodies, nodes or frames have given poses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import SingularError, StateError, name_list, shown, suggestion
from ...joints import Free
from ...spatial.scalar import reals
from ...system import State, StateLike, System
from ..loops.assembly import held_speeds, names_listed
from ..loops.assembly_speeds import consistent_speeds
from ..tree.arguments import as_state
from ..tree.coordinates import hinge_speeds, moved
from .search import Arrival, CoordinateBounds, ReachSearch
from .targets import aims_of


def moving_speeds(system: System, joints: Any) -> Array:
    """Mask (n_v,) of the speeds that may move."""
    if joints is not None:
        names = names_listed(joints)
        mask = held_speeds(system, names, "reach: joints")
        if not np.any(mask):
            raise StateError("reach: joints names no joint that can move; name at least one")
        return mask
    mask = hinge_speeds(system)
    for i, joint in enumerate(system.joints):
        if isinstance(joint, Free) and not _in_loop(system, i):
            mask[system.layout.hinge_v(i)] = False
    return mask


def _in_loop(system: System, i: int) -> bool:
    """Whether a loop leads through the joint of body i."""
    carried = {i}
    for k in range(i + 1, system.n_body):
        if int(system.parent[k]) in carried:
            carried.add(k)
    return any((loop.a.body in carried) != (loop.b.body in carried) for loop in system.loops)


def bounds_of(system: System, limits: Any) -> CoordinateBounds:
    """Checked limits from {"body": (lower, upper)}."""
    coordinate = np.full(system.n_v, -1)
    lower, upper = np.full(system.n_v, -np.inf), np.full(system.n_v, np.inf)
    if limits is None:
        return CoordinateBounds(coordinate, lower, upper)
    if not isinstance(limits, Mapping):
        raise StateError(
            f"reach: limits is {shown(limits)}; expected a mapping "
            '{"body": (lower, upper)}, a joint by the body that it carries'
        )
    for name, limit in limits.items():
        if name not in system.names:
            hint = suggestion(str(name), system.names)
            raise StateError(f"reach: limits: there is no body {name!r}; {hint}")
        low, high = _pair(system, name, limit)
        if np.all(np.isneginf(low)) and np.all(np.isposinf(high)):
            continue
        if system.joints[system.layout.index(name)].has_quasi_speeds:
            label = system.joints[system.layout.index(name)].label
            raise StateError(
                f"reach: limits of {name!r}: the coordinates of its joint ({label}) take no "
                "limits; use Revolute, Universal or another joint whose speeds are their rates"
            )
        v, q = system.layout.hinge_v(name), system.layout.hinge_q(name)
        lower[v], upper[v] = low, high
        coordinate[v] = np.arange(q.start, q.stop)
    return CoordinateBounds(coordinate, lower, upper)


def _pair(system: System, name: str, limit: Any) -> tuple[Array, Array]:
    """Lower and upper limits (n,) of a joint, from a pair or an object with both."""
    n = system.joints[system.layout.index(name)].n_v
    if hasattr(limit, "lower") and hasattr(limit, "upper"):
        limit = (limit.lower, limit.upper)
    try:
        low, high = limit
        low, high = (np.broadcast_to(reals(x), n) for x in (low, high))
    except (TypeError, ValueError):
        many = "two numbers" if n == 1 else f"two numbers, or {n} each,"
        raise StateError(
            f"reach: limits of {name!r} are {shown(limit)}; expected {many} (lower, upper) "
            "[rad or m], infinite where there is none"
        ) from None
    empty = (low > high) | np.isposinf(low) | np.isneginf(high)
    if np.any(np.isnan(low)) or np.any(np.isnan(high)) or np.any(empty):
        raise StateError(
            f"reach: limits of {name!r} are {shown(limit)}; the lower must not be above the upper"
        )
    return low, high


def near_start(system: System, q: Array, start: Array, bounds: CoordinateBounds) -> Array:
    """Coordinates with every angle turned back by whole turns towards its start.

    Angles in couplings stay, and those that would leave their limits.
    """
    new = q.copy()
    coupled = {
        (i, k) for one in system.couplings for i, k in zip(one.bodies, one.entries, strict=True)
    }
    for i, joint in enumerate(system.joints):
        if joint.has_quasi_speeds:
            continue
        for k, turns in enumerate(joint.turning):
            at, v = system.layout.hinge_q(i).start + k, system.layout.hinge_v(i).start + k
            whole = 2 * np.pi * round((q[at] - start[at]) / (2 * np.pi)) if turns else 0.0
            allowed = bounds.lower[v] <= q[at] - whole <= bounds.upper[v]
            if whole and allowed and (i, k) not in coupled:
                new[at] -= whole
    return new


Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Reach:
    """Result of `reach`.

    Attributes
    ----------
    state : State
        State with the targets met, or as near to them as was found.
    reached : bool
        Whether all targets are met.
    errors : mapping of str to (float, float)
        Distance [m] and angle [rad] that each frame is away from its target; directions without
        weight do not count.
    at_limits : tuple of str
        Bodies whose joints are at a limit.
    steps : int
        Number of iterations.
    starts : int
        Number of starting points tried.
    """

    state: State
    reached: bool
    errors: Mapping[str, tuple[float, float]]
    at_limits: tuple[str, ...]
    steps: int
    starts: int

    def __repr__(self) -> str:
        """Outcome, and the errors of all targets."""
        starts = "" if self.starts == 1 else f" from {self.starts} starts"
        lines = [f"{'Reached' if self.reached else 'Not reached'} in {self.steps} steps{starts}"]
        lines += [f"  {k}: {x:.3g} m and {a:.3g} rad away" for k, (x, a) in self.errors.items()]
        if self.at_limits:
            lines.append(f"  at limits: {name_list(self.at_limits, show=str)}")
        return "\n".join(lines)


class ReachError(SingularError):
    """Targets cannot be reached, or loops cannot be closed within limits.

    Parameters
    ----------
    message : str
        Target that is farthest away, by how much, and the remedy.
    state : State
        State with the smallest error that was found.
    errors : mapping of str to (float, float)
        Distance [m] and angle [rad] from each target.
    """

    def __init__(
        self, message: str, state: State, errors: Mapping[str, tuple[float, float]]
    ) -> None:
        super().__init__(message)
        self.state = state
        self.errors = errors


def reach(
    system: System,
    state: StateLike | None,
    targets: Mapping[str, Any],
    *,
    joints: Any = None,
    limits: Mapping[str, Any] | None = None,
    starts: int = 20,
    strict: bool = False,
) -> Reach:
    """State near a given one in which bodies, nodes or frames have given poses.

    Loops stay closed and couplings hold.  If the search from the given state ends before the
    targets are met, it begins again at other states, the same ones at each call.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v), or None
        Where to begin, real numbers; None is neutral.  It selects the branch where there are
        several (elbow up or down).  Joints outside their limits are moved there, open loops are
        closed.
    targets : mapping
        Target of each "body", "body.node" or frame: a `Pose`, a position (3,) in the world [m], a
        rotation (a matrix (3, 3) to world axes, or another form of a rotation), a pair (position,
        rotation), or a `Target`, which has weights.
    joints : sequence of str, optional
        What may move: "body" is the joint that carries the body, "body.modes" its modes.  By
        default all joints; but free bases, that is `Free` joints outside of loops, and modes keep
        their coordinates unless they are named.
    limits : mapping, optional
        Limits {"body": (lower, upper)} of joint coordinates [rad or m], for each of several
        coordinates if a pair of arrays; or objects with ``lower`` and ``upper``.
    starts : int
        Largest number of starting points; 1 is the given state alone.
    strict : bool
        Whether to raise `ReachError` if a target is not reached.

    Returns
    -------
    Reach
        ``.state`` with the coordinates found; speeds are those given, with loops the nearest
        consistent ones.  ``.reached`` says whether the targets are met to 1e-9 of the system's
        length, mostly to rounding; if not, ``.errors`` has what remains, at a state with the least
        weighted sum of squares that was found.

    Examples
    --------
    >>> import numpy as np
    >>> import lissom as ls
    >>> model = ls.Model("arm")
    >>> rod = ls.RigidBody.rod(mass=1.0, length=1.0, com=(0.5, 0, 0))
    >>> _ = model.add(rod, ls.Revolute("z"), name="upper")
    >>> _ = model.add(rod, ls.Revolute("z"), to="upper", at=(1, 0, 0), name="lower")
    >>> _ = model.frame("hand", on="lower", at=(1, 0, 0))
    >>> system = model.compile()
    >>> outcome = ls.reach(system, system.state(lower=0.5), {"hand": (0, 1, 0)})
    >>> print(outcome.reached, np.degrees(outcome.state.q).round(6))
    True [ 30. 120.]
    """
    start = as_state(system, system.neutral() if state is None else state)
    if not start.real:
        raise StateError("reach needs a state of real numbers")
    _check(starts, strict)
    aims, bounds = aims_of(system, targets), bounds_of(system, limits)
    moving = moving_speeds(system, joints)
    search = ReachSearch(system, aims, moving, bounds)
    tried: list[Arrival] = []
    for q in _starts(search, start.raw_q, int(starts)):
        tried.append(search.run(q))
        if tried[-1].reached and tried[-1].closed:
            break
    best = min(tried, key=lambda one: (not one.closed, not one.reached, one.error))
    best = search.completed(best)
    return _result(search, start, best, len(tried), bool(strict))


def _check(starts: Any, strict: Any) -> None:
    if isinstance(starts, bool) or not isinstance(starts, (int, np.integer)) or starts < 1:
        raise StateError(f"reach: starts is {shown(starts)}; expected a number of at least 1")
    if not isinstance(strict, (bool, np.bool_)):
        raise StateError(f"reach: strict is {shown(strict)}; expected True or False")


def _starts(search: ReachSearch, start: Array, most: int) -> Iterator[Array]:
    """Coordinates to begin at: the given ones, then farther and farther ones."""
    yield search.closed(start)
    system, bounds, luck = search.system, search.bounds, np.random.default_rng(0)
    hinges = np.where(hinge_speeds(system), np.pi * search.sizes, 0.0)
    limited = np.flatnonzero(
        (search.sizes > 0) & np.isfinite(bounds.lower) & np.isfinite(bounds.upper)
    )
    for k in range(1, most):
        far = k / (most - 1)
        q = moved(system, start, far * hinges * luck.uniform(-1, 1, system.n_v))
        inside = luck.uniform(bounds.lower[limited], bounds.upper[limited])
        at = bounds.q[limited]
        q[at] = start[at] + far * (inside - start[at])
        yield search.closed(q)


def _result(search: ReachSearch, start: State, best: Arrival, tried: int, strict: bool) -> Reach:
    """Result, or the error about it."""
    system, bounds = search.system, search.bounds
    q = near_start(system, best.q, start.raw_q, bounds)
    state = State(system, q, start.raw_v)
    errors = {aim.name: aim.left(aim.error(system, state)) for aim in search.aims}
    if not best.closed:
        raise ReachError(
            f"reach: the loops or couplings cannot be closed with the joints that may move, within "
            f"their limits: a gap of {best.gap * system.length:.3g} m remains at the nearest state "
            "(attribute `state` of this error); let more joints move, widen the limits, or begin "
            "at a closed state",
            state,
            errors,
        )
    if system.constraints:
        v = consistent_speeds(system, q, start.raw_v, np.zeros(system.n_v, dtype=bool))
        state = State(system, q, v)
    outcome = Reach(state, best.reached, errors, _at_limits(search, q), best.steps, tried)
    if strict and not best.reached:
        raise _failure(search, outcome)
    return outcome


def _at_limits(search: ReachSearch, q: Array) -> tuple[str, ...]:
    """Bodies whose joints may move and are at a limit."""
    bounds, system = search.bounds, search.system
    limited = (bounds.q >= 0) & (search.sizes > 0)
    at = np.zeros(system.n_v, dtype=bool)
    now = q[bounds.q[limited]]
    at[limited] = (now <= bounds.lower[limited]) | (now >= bounds.upper[limited])
    return tuple(name for name in system.names if np.any(at[system.layout.hinge_v(name)]))


def _failure(search: ReachSearch, outcome: Reach) -> ReachError:
    length = search.system.length
    worst = max(
        outcome.errors, key=lambda name: outcome.errors[name][0] / length + outcome.errors[name][1]
    )
    metres, radians = outcome.errors[worst]
    stuck = f", with {name_list(outcome.at_limits)} at limits" if outcome.at_limits else ""
    return ReachError(
        f"reach: {worst!r} stays {metres:.3g} m and {radians:.3g} rad away from its target at the "
        f"nearest state found{stuck} (attribute `state` of this error); bring the target nearer, "
        "ask for its position or rotation only, let more joints move, or widen their limits",
        outcome.state,
        outcome.errors,
    )
