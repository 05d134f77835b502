"""assemble: a state with closed loops, joints whose motion is given being where they are told."""

from __future__ import annotations

from typing import Any

from ..algorithms.arguments import check_state, check_system
from ..algorithms.assembly import AssemblyError, closed_state, listed
from ..system import State, System
from .checks import number
from .start import at_motions, driven_bodies, planned

__all__ = ["assemble"]


def assemble(
    system: System,
    state: State | None = None,
    *,
    held: Any = (),
    loads: Any = (),
    time: float = 0.0,
    velocity: bool = True,
) -> State:
    """State near a given one with all loops closed, at which couplings and given motions hold.

    Hinges move first; modes keep their values unless hinges alone cannot close the loops, and then
    bend little where hinges could move instead, soft modes more than stiff ones.  Where a system
    has several branches (elbow up or down) it is the start that decides.

    The speeds are the nearest consistent ones in the metric of the masses, and here too rates of
    modes change only where those of hinges cannot: a mechanism that is set going does not ring.

    Parameters
    ----------
    system : System
        Compiled mechanism.  Without loops, couplings and given motions the state is returned as it
        is.
    state : State, optional
        Where to start, real numbers; by default neutral.
    held : sequence of str
        What keeps its coordinates and speeds: "body" is the joint that carries the body,
        "body.modes" are the body's modes.
    loads : sequence of Load
        As for `simulate`.  A joint that has a `Motion` takes the position and the rate of it, and
        is held.
    time : float
        Instant at which motions are taken: the start of a run [s].
    velocity : bool
        Whether speeds are made consistent too; otherwise they stay as they are.

    Returns
    -------
    State
        Closed to 1e-12 of the system's length where round-off allows it.  SingularError if there is
        none near: it names the loop with the largest gap, or loops that close one by one but not
        together, and the nearest state that was found is its attribute ``state``.  StateError if
        held speeds contradict the loops.

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
    check_state(system, start)
    instant = number(time, "assemble: time", "a finite time [s]")
    plan = planned(system, None, loads, ())
    names = [system.names[body] for body in driven_bodies(plan)]
    if not names:
        return closed_state(system, start, held=held, velocity=velocity)
    moved = at_motions(plan, start, instant)
    if velocity is False:
        moved = State(system, moved.raw_q, start.raw_v)
    try:
        return closed_state(system, moved, held=[*listed(held), *names], velocity=velocity)
    except AssemblyError as error:
        is_given = "is" if len(names) == 1 else "are"
        words = f"{error}; the motion of {', '.join(map(repr, names))} {is_given} given"
        raise AssemblyError(words, error.state, error.loops) from None
