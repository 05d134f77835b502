"""Configurations and speeds with closed loops, for `assemble`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import ModelWarning, SingularError, StateError, name_list, shown, suggestion
from ...system import Coupling, Loop, State, StateLike, System, equation
from ..tree.arguments import as_state, check_system
from ..tree.coordinates import error_sizes, hinge_speeds
from .assembly_bending import BentBody, LeastBending, bent_bodies, energy_units
from .assembly_search import CLOSED, ClosingSearch
from .assembly_speeds import consistent_speeds
from .couplings import coupled_row
from .frames import check_real, placed_loops

Array = np.ndarray

# Size of the softest mode relative to hinges, which makes hinges move before modes.
SOFTEST = 1e-2
# Deflection that is not worth a warning, relative to the length of the system: runs accept gaps of
# this size.
UNSEEN = 1e-6
# Part of the largest accepted deformation from which a warning describes it: about where linear
# models are off by a per cent.
MUCH = 0.4


class AssemblyError(SingularError):
    """The loops of a system cannot be closed.

    Parameters
    ----------
    message : str
        Loops that stay open, by how much, and the remedy.
    state : State
        State with the smallest gap that was found.
    loops : tuple of str
        Loops and couplings that stay open, or that contradict each other.
    """

    def __init__(self, message: str, state: State, loops: tuple[str, ...]) -> None:
        super().__init__(message)
        self.state = state
        self.loops = loops


@dataclass(frozen=True, eq=False)
class ClosingAttempt:
    """Outcome of an attempt to close loops."""

    # (n_q,) coordinates; where the attempt failed, those with the smallest gap that hinges reach
    q: Array
    closed: bool  # whether loops are closed by hinges, or by bodies that give way within reason
    by_hinges: Array  # (n_q,) coordinates with the smallest gap while bodies keep their shapes
    gap: float  # that gap [m], angles times the length of the system
    # bodies that gave way, or would have to, the most deformed first
    bent: list[BentBody] = field(default_factory=list)


def closed_state(
    system: System,
    state: StateLike | None = None,
    *,
    held: Any = (),
    velocity: bool = True,
    stacklevel: int = 1,
) -> State:
    """State near a given one with all loops closed; see `lissom.assemble`.

    A ModelWarning tells of bodies that had to give way.
    """
    closed, words = closed_with_warning(system, state, held=held, velocity=velocity)
    if words:
        warnings.warn(words, ModelWarning, stacklevel + 1)
    return closed


def closed_with_warning(
    system: System, state: StateLike | None = None, *, held: Any = (), velocity: bool = True
) -> tuple[State, str]:
    """The same without a warning, with its words; "" where hinges alone close the loops."""
    check_system(system)
    start = system.neutral() if state is None else state
    start = as_state(system, start)
    if not isinstance(velocity, (bool, np.bool_)):
        raise StateError(f"assemble: velocity is {velocity!r}; expected True or False")
    names = names_listed(held)
    fixed = held_speeds(system, names, "assemble: held")
    if not system.constraints:
        return start, ""
    check_real(start, "assemble")
    attempt = _close(system, start.raw_q, fixed, system.constraints)
    if not attempt.closed:
        raise _failure(system, start, fixed, names, attempt)
    v = consistent_speeds(system, attempt.q, start.raw_v, fixed) if velocity else start.raw_v
    return State(system, attempt.q, v), _bending_warning(system, attempt, names)


def attempt_closing(system: System, q: Array, held: Sequence[str]) -> ClosingAttempt:
    """Attempt to close all loops near q (n_q,) with some joints held; raises and tells nothing."""
    return _close(system, q, held_speeds(system, held, "held"), system.constraints)


def _bending_warning(system: System, attempt: ClosingAttempt, names: Sequence[str]) -> str:
    """Warning that bodies gave way; empty if none did."""
    seen = [one for one in attempt.bent if one.deflection > UNSEEN * system.length]
    if not seen:
        return ""
    worst, left = _worst(system, attempt.by_hinges, system.constraints)
    bodies = ", ".join(
        f"{one.name!r} by {one.deflection:.3g} m ({100 * one.deflection / one.length:.3g} % of its "
        f"length, {one.energy:.3g} J)"
        for one in seen[:3]
    )
    more = f" and {len(seen) - 3} more" if len(seen) > 3 else ""
    if seen[0].excess > MUCH:
        more += f" ({seen[0].name!r} is {seen[0].words})"
    held = f" while {_are_held(names)}" if names else ""
    return (
        f"hinges alone cannot close the loops{held}: {left} unless bodies bend; assembly bent "
        f"{bodies}{more}, which stores {sum(x.energy for x in attempt.bent):.3g} J: the mechanism "
        f"starts under this load.  If that is not intended, {_remedy(worst)}"
    )


def _are_held(names: Sequence[str]) -> str:
    return f"{name_list(names)} {'is' if len(names) == 1 else 'are'} held"


def _remedy(worst: Loop | Coupling) -> str:
    if isinstance(worst, Coupling):
        return f"check the ratios and the offset of coupling {worst.name!r}"
    return (
        f"check `at_a`, `at_b` and the rotations of the frames of loop {worst.name!r}, and the "
        "dimensions of the bodies between them, also their units"
    )


def names_listed(names: Any) -> list[str]:
    """List of names from a single name or a sequence."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        names = [names]
    try:
        return [str(item) for item in names]
    except TypeError:
        raise StateError(f"expected a list of names of bodies, got {shown(names)}") from None


def held_speeds(system: System, names: Sequence[str], what: str) -> Array:
    """Mask (n_v,) of the speeds of the joints "body" and the modes "body.modes"."""
    mask = np.zeros(system.n_v, dtype=bool)
    for name in names:
        body, dot, part = name.partition(".")
        if body not in system.names:
            raise StateError(f"{what}: there is no body {body!r}; {suggestion(body, system.names)}")
        if part != ("modes" if dot else ""):
            raise StateError(f'{what}: {name!r} is neither "body" nor "body.modes"')
        mask[system.layout.modal_v(body) if dot else system.layout.hinge_v(body)] = True
    return mask


def assembly_sizes(system: System, fixed: Array) -> Array:
    """Motions (n_v,) that count as equal when loops are closed; zero for fixed speeds.

    Hinges: their sizes.  Modes: motions of equal strain energy, that of the softest mode SOFTEST
    times its size.
    """
    size, hinge = error_sizes(system)[0].copy(), hinge_speeds(system)
    K = np.zeros(system.n_v)
    for i, body in enumerate(system.bodies):
        K[system.layout.modal_v(i)] = body.stiffness
    bends = 1 / np.sqrt(np.maximum(K, 1e-12 * K.max(initial=0.0) + 1e-300))
    modal = ~hinge & ~fixed
    if np.any(modal):
        size[modal] = SOFTEST * bends[modal] / (bends / size)[modal].max()
    size[fixed] = 0.0
    return size


def _close(
    system: System, q: Array, fixed: Array, constraints: Sequence[Loop | Coupling]
) -> ClosingAttempt:
    """Coordinates that close some loops; perhaps at a second try."""
    first = _close_in_turn(system, q, fixed, constraints, follows=True)
    loops = [one for one in constraints if isinstance(one, Loop)]
    searched = any(loop.joint.nearest_iterates for loop in loops)
    if not searched or (first.closed and _is_closed(system, first.q, loops)):
        return first
    return _close_in_turn(system, q, fixed, constraints, follows=False)


def _is_closed(system: System, q: Array, loops: Sequence[Loop]) -> bool:
    """Whether loops are closed without knowledge of earlier joint coordinates."""
    gaps = [float(np.linalg.norm(x.gap)) for x in placed_loops(system, q, loops)]
    return max(gaps) <= CLOSED * system.length


def _close_in_turn(
    system: System, q: Array, fixed: Array, constraints: Sequence[Loop | Coupling], follows: bool
) -> ClosingAttempt:
    """Close loops by hinges; if that fails, bodies give way with the least strain energy."""
    hinge, size = hinge_speeds(system), error_sizes(system)[0]
    rigid = ClosingSearch(system, np.where(hinge & ~fixed, size, 0.0), constraints, follows)
    first = rigid.run(q)
    gap = first.gap * system.length
    if first.closed or not np.any(~hinge & ~fixed):
        return ClosingAttempt(first.q, first.closed, first.q, gap)
    bent = _closed_by_bending(system, first.q, q, fixed, constraints, follows)
    if bent is None:
        return ClosingAttempt(first.q, False, first.q, gap)
    least = LeastBending(system, fixed, constraints, _modes_of(system, first.q, q)).run(bent)
    rigid.near = None
    again = rigid.descend(_modes_of(system, least, q))  # hinges may do it from there
    if again.closed:
        return ClosingAttempt(again.q, True, again.q, again.gap * system.length)
    first = min(first, again, key=lambda one: one.gap)  # beside a singular position the better one
    gap = first.gap * system.length
    bodies = bent_bodies(system, q, least, gap)
    if any(one.excess > 1 for one in bodies):
        return ClosingAttempt(first.q, False, first.q, gap, bodies)
    return ClosingAttempt(least, True, first.q, gap, bodies)


def _closed_by_bending(
    system: System,
    near: Array,
    q: Array,
    fixed: Array,
    constraints: Sequence[Loop | Coupling],
    follows: bool,
) -> Array | None:
    """Coordinates with closed loops, bodies bent in one way or another; None if there are none."""
    choices = (
        (near, assembly_sizes(system, fixed)),
        (near, energy_units(system, fixed)[0]),
        (q, np.where(fixed, 0.0, error_sizes(system)[0])),
    )
    for start, sizes in choices:
        attempt = ClosingSearch(system, sizes, constraints, follows).run(start)
        if attempt.closed:
            return attempt.q
    return None


def _modes_of(system: System, q: Array, other: Array) -> Array:
    """Hinge coordinates of q with the modal coordinates of another configuration."""
    mixed = q.copy()
    for i in range(system.n_body):
        mixed[system.layout.modal_q(i)] = other[system.layout.modal_q(i)]
    return mixed


def _failure(
    system: System, start: State, fixed: Array, names: Sequence[str], attempt: ClosingAttempt
) -> AssemblyError:
    """Error for loops that cannot be closed."""
    q, free = start.raw_q, np.zeros_like(fixed)
    held = _are_held(names)
    because_held = bool(names) and _closes(system, q, free, system.constraints)
    wrong = list(system.constraints) if because_held else _contradiction(system, q, fixed)
    worst, left = _worst(system, attempt.q, wrong)
    left += " at the nearest state (attribute `state` of this error)"
    if attempt.bent:
        energy = sum(one.energy for one in attempt.bent)
        left += (
            f"; it would close with body {attempt.bent[0].name!r} {attempt.bent[0].words}, and "
            f"{energy:.3g} J of strain energy in all bodies"
        )
    involved: tuple[str, ...] = (worst.name,)
    kinds = [kind for kind in ("loop", "coupling") if any(_kind(one) == kind for one in wrong)]
    what = " and ".join(f"{kind}s" for kind in kinds)
    if because_held:
        verb = "closed" if kinds == ["loop"] else "satisfied"
        message = (
            f"the {what} cannot be {verb} while {held}: {left}; hold fewer joints, or "
            "start with other values of the held ones"
        )
    elif len(wrong) > 1:
        involved = tuple(one.name for one in wrong)
        check = "the dimensions and frames of these loops"
        if "coupling" in kinds:
            check = "the ratios and offsets of these couplings" + (
                ", and " + check if "loop" in kinds else ""
            )
        message = (
            f"{what} {name_list(involved)} contradict each other: each can be closed "
            f"alone, but not all together; {left}.  Check {check}"
        )
    elif isinstance(worst, Coupling):
        message = f"the couplings cannot be satisfied{' while ' + held if names else ''}: {left}"
    else:
        message = (
            f"the loops cannot be closed: {left}.  Its ends cannot be brought together from here: "
            f"{_remedy(worst)}, or start nearer to a closed state"
            f"{'; ' + held if names else ''}"
        )
    return AssemblyError(message, State(system, attempt.q, start.raw_v), involved)


def _kind(one: Loop | Coupling) -> str:
    return "loop" if isinstance(one, Loop) else "coupling"


def _worst(
    system: System, q: Array, constraints: Sequence[Loop | Coupling]
) -> tuple[Loop | Coupling, str]:
    """Loop or coupling with the largest violation, and its description."""
    gaps: list[tuple[float, Loop | Coupling, str]] = []
    for placement in placed_loops(system, q, [one for one in constraints if isinstance(one, Loop)]):
        metres, radians = placement.left
        words = f"loop {placement.loop.name!r} stays open by {metres:.3g} m and {radians:.3g} rad"
        gaps.append((float(np.linalg.norm(placement.gap)), placement.loop, words))
    for one in constraints:
        if isinstance(one, Coupling):
            row = coupled_row(system, one)
            gap = abs(row.gap(q))
            words = f"coupling {one.name!r}, {equation(system, one)}, stays violated"
            gaps.append((gap, one, f"{words} by {gap / row.scale:.3g}"))
    _, worst, words = max(gaps, key=lambda gap: gap[0])
    return worst, words


def _closes(system: System, q: Array, fixed: Array, constraints: Sequence[Loop | Coupling]) -> bool:
    """Whether loops can be closed, bodies bent within reason included."""
    return _close_in_turn(system, q, fixed, constraints, follows=True).closed


def _contradiction(system: System, q: Array, fixed: Array) -> list[Loop | Coupling]:
    """Smallest set found of loops and couplings that cannot be closed together."""
    if len(system.constraints) == 1:
        return list(system.constraints)
    for loop in system.constraints:
        if not _closes(system, q, fixed, [loop]):
            return [loop]
    wrong: list[Loop | Coupling] = []
    for loop in system.constraints:  # the first that contradicts those before it
        wrong.append(loop)
        if not _closes(system, q, fixed, wrong):
            break
    for loop in wrong[:-1]:
        fewer = [other for other in wrong if other is not loop]
        if not _closes(system, q, fixed, fewer):
            wrong = fewer
    return wrong
