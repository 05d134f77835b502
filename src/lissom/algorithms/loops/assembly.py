"""Configurations and speeds with closed loops, for `assemble`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import SingularError, StateError, name_list, shown, suggestion
from ...system import Coupling, Loop, State, StateLike, System, equation
from ..tree.arguments import as_state, check_system
from ..tree.coordinates import error_sizes, hinge_speeds
from .assembly_search import CLOSED, ClosingSearch, Found
from .assembly_speeds import consistent_speeds
from .couplings import coupled_row
from .frames import check_real, placed_loops

Array = np.ndarray

# Size of the softest mode relative to hinges, which makes hinges move before modes.
SOFTEST = 1e-2


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


def closed_state(
    system: System, state: StateLike | None = None, *, held: Any = (), velocity: bool = True
) -> State:
    """State near a given one with all loops closed; see `lissom.assemble`."""
    check_system(system)
    start = system.neutral() if state is None else state
    start = as_state(system, start)
    if not isinstance(velocity, (bool, np.bool_)):
        raise StateError(f"assemble: velocity is {velocity!r}; expected True or False")
    names = listed(held)
    fixed = held_speeds(system, names, "assemble: held")
    if not system.constraints:
        return start
    check_real(start, "assemble")
    q = _closed_configuration(system, start, fixed, names)
    v = consistent_speeds(system, q, start.raw_v, fixed) if velocity else start.raw_v
    return State(system, q, v)


def listed(given: Any) -> list[str]:
    """List of names from a single name or a sequence."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    try:
        return [str(item) for item in given]
    except TypeError:
        raise StateError(f"expected a list of names of bodies, got {shown(given)}") from None


def held_speeds(system: System, names: Sequence[str], what: str) -> Array:
    """Mask (n_v,) of the speeds of the joints "body" and the modes "body.modes".

    Parameters
    ----------
    system : System
        Compiled mechanism.
    names : sequence of str
        Names of joints and modes.
    what : str
        Name for messages.
    """
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


def _closed_configuration(
    system: System, start: State, fixed: Array, names: Sequence[str]
) -> Array:
    found = _close(system, start.raw_q, fixed, system.constraints)
    if found.closed:
        return found.q
    raise _failure(system, start, fixed, names, found)


def _close(system: System, q: Array, fixed: Array, constraints: Sequence[Loop | Coupling]) -> Found:
    """Coordinates that close some loops; perhaps at a second try."""
    found = _close_in_turn(system, q, fixed, constraints, follows=True)
    loops = [one for one in constraints if isinstance(one, Loop)]
    searched = any(loop.joint.nearest_iterates for loop in loops)
    if not searched or (found.closed and _is_closed(system, found.q, loops)):
        return found
    return _close_in_turn(system, q, fixed, constraints, follows=False)


def _is_closed(system: System, q: Array, loops: Sequence[Loop]) -> bool:
    """Whether loops are closed without knowledge of earlier joint coordinates."""
    gaps = [float(np.linalg.norm(x.gap)) for x in placed_loops(system, q, loops)]
    return max(gaps) <= CLOSED * system.length


def _close_in_turn(
    system: System, q: Array, fixed: Array, constraints: Sequence[Loop | Coupling], follows: bool
) -> Found:
    """Close loops by hinges; if that fails, with small and then with free motions of modes."""
    sizes, hinge = assembly_sizes(system, fixed), hinge_speeds(system)
    found = ClosingSearch(system, np.where(hinge, sizes, 0.0), constraints, follows).run(q)
    if found.closed or not np.any(sizes[~hinge]):
        return found
    found = ClosingSearch(system, sizes, constraints, follows).run(found.q)
    if found.closed:
        return found
    sizes = np.where(fixed, 0.0, error_sizes(system)[0])
    equal = ClosingSearch(system, sizes, constraints, follows).run(q)
    return min(found, equal, key=lambda one: one.gap)


def _failure(
    system: System, start: State, fixed: Array, names: Sequence[str], found: Found
) -> AssemblyError:
    """Error for loops that cannot be closed."""
    q, free = start.raw_q, np.zeros_like(fixed)
    held = f"{name_list(names)} {'is' if len(names) == 1 else 'are'} held"
    because_held = bool(names) and _closes(system, q, free, system.constraints)
    wrong = list(system.constraints) if because_held else _contradiction(system, q, fixed)
    worst, left = _worst(system, found.q, wrong)
    left += " at the nearest state (attribute `state` of this error)"
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
            "check `at_a`, `at_b`, the rotations of its frames and the dimensions of the bodies "
            f"between them, or start nearer to a closed state{'; ' + held if names else ''}"
        )
    return AssemblyError(message, State(system, found.q, start.raw_v), involved)


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
    return _close_in_turn(system, q, fixed, constraints, follows=True).closed


def _contradiction(system: System, q: Array, fixed: Array) -> list[Loop | Coupling]:
    """Smallest set found of loops and couplings that cannot be closed together."""
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
