"""assemble: a state with closed loops that agrees with couplings and given motions."""

from __future__ import annotations

from typing import Any

from ..algorithms.loops.assembly import AssemblyError, closed_state, names_listed
from ..algorithms.tree.arguments import as_state, check_system
from ..system import State, StateLike, System
from .run.checks import number
from .run.start import at_motions, driven_bodies, planned


def assemble(
    system: System,
    state: StateLike | None = None,
    *,
    held: Any = (),
    loads: Any = (),
    time: float = 0.0,
    velocity: bool = True,
) -> State:
    """State near a given one that closes all loops and satisfies couplings and given motions.

    Hinges move first.  Modes keep their values unless the hinges alone cannot close the loops; then
    bodies give way with the least strain energy, and a ModelWarning names them, how far they bend
    and the energy.  Where that is beyond reason (a linear body deflected by a quarter of its
    length, a rod strained by a quarter) a length or a place is wrong, and the state is refused.
    Where a system has several branches (elbow up or down) the initial state selects the branch.

    The speeds are the nearest consistent ones in the metric of the mass matrix.  Modal rates again
    change only where hinge rates cannot do it alone, so that no vibration is excited.

    Parameters
    ----------
    system : System
        Compiled mechanism.  Without loops, couplings and given motions the state is returned
        unchanged.
    state : State or (q, v), optional
        Initial state, real numbers; by default neutral.
    held : sequence of str
        Parts that keep their coordinates and speeds: "body" is the joint that carries the body,
        "body.modes" are the body's modes.
    loads : sequence of Load
        As for `simulate`.  A joint with a `Motion` takes its position and rate, and is held.
    time : float
        Time at which motions are evaluated: the start of a run [s].
    velocity : bool
        Whether to make the speeds consistent too; otherwise they are left unchanged.

    Returns
    -------
    State
        Closed to 1e-12 of the system's length where round-off permits.  SingularError if there is
        no such state nearby: it names the loop with the largest gap, or loops that close one by one
        but not together, and its attribute ``state`` is the nearest state that hinges reach.
        StateError if held speeds contradict the loops.

    Examples
    --------
    >>> import numpy as np
    >>> import lissom as ls
    >>> model = ls.Model("triangle")
    >>> rod = ls.RigidBody.rod(mass=1.0, length=1.0, com=(0.5, 0, 0))
    >>> _ = model.add(rod, ls.Revolute("z"), name="left")
    >>> _ = model.add(rod, ls.Revolute("z"), to="left", at=(1, 0, 0), name="right")
    >>> model.close(ls.Revolute("z"), None, "right", at_a=(1, 0, 0), at_b=(1, 0, 0), name="pin")
    >>> system = model.compile()
    >>> state = ls.assemble(system, system.state(left=0.8, right=-1.5))
    >>> print(np.degrees(state.q).round(6))
    [  60. -120.]
    """
    check_system(system)
    start = system.neutral() if state is None else state
    start = as_state(system, start)
    instant = number(time, "assemble: time", "a finite time [s]")
    plan = planned(system, None, loads, ())
    names = [system.names[body] for body in driven_bodies(plan)]
    if not names:
        return closed_state(system, start, held=held, velocity=velocity, stacklevel=2)
    moved = at_motions(plan, start, instant)
    if velocity is False:
        moved = State(system, moved.raw_q, start.raw_v)
    try:
        both = [*names_listed(held), *names]
        return closed_state(system, moved, held=both, velocity=velocity, stacklevel=2)
    except AssemblyError as error:
        what, verb = ("motion", "is") if len(names) == 1 else ("motions", "are")
        words = f"{error}; the {what} of {', '.join(map(repr, names))} {verb} given"
        raise AssemblyError(words, error.state, error.loops) from None
