"""Section loads, stresses and strains of flexible bodies in a state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...bodies.recovery import check_has_strain
from ...bodies.sections import Sections, check_has_stress, checked_points
from ...errors import StateError
from ...system import State, StateLike, System
from . import engine
from .arguments import as_state
from .inverse import balanced
from .section_loads import LoadedStates, loads_of

Array = np.ndarray


def section_loads(
    system: System,
    state: StateLike,
    body: str,
    at: Any = None,
    *,
    acceleration: Any = None,
    forces: Any = None,
    external: Mapping[Any, Any] | None = None,
    actuated: Any = None,
) -> Array:
    """Force and moment that sections of a beam, rod or frame carry, section axes.

    They are what the part beyond the section exerts on the part before it: N is positive in
    tension.  Those of `ls.beam` follow from equilibrium and hold for the accelerations whatever the
    number of shapes; those of rods and frames follow from the deformation.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    body : str
        Name of the body.
    at : float or array (p,), optional
        Distances of sections from the root [m], of a frame numbers of its stations; by default the
        nodes on the axis, or all stations.  A load on a node is included at the node itself.
    acceleration, forces, external, actuated
        As for `joint_forces`.

    Returns
    -------
    array (6,) or (p, 6)
        N, Q_y, Q_z [N], T, M_y, M_z [N m].  NaN where a rod is rigid.

    Examples
    --------
    >>> import lissom as ls
    >>> model = ls.Model("crane", gravity=(0, 0, -9.81))
    >>> jib = ls.beam(2.0, ls.Rectangle(0.05, 0.1), ls.STEEL)
    >>> _ = model.add(jib, ls.Fixed(), name="jib")
    >>> system = model.compile()
    >>> load = {"jib.tip": [0, 0, 0, 0, 0, -1000.0]}
    >>> still = [0.0] * system.n_v
    >>> loads = ls.section_loads(
    ...     system, system.neutral(), "jib", 0.0, acceleration=still, external=load
    ... )
    >>> weight = jib.mass * 9.81
    >>> bool(abs(loads[4] - (1000.0 * 2 + weight * 1)) < 1e-8)  # M_y: the upper side is pulled
    True
    """
    state, i = as_state(system, state), system.layout.index(body)
    sections, rows = _sections_and_row(system, state, i, acceleration, forces, external, actuated)
    places = sections.checked(at)
    loads = loads_of(system, i, sections, np.atleast_1d(places), rows)[0]
    return loads if places.ndim else loads[0]


def stress(
    system: System,
    state: StateLike,
    body: str,
    at: Any = None,
    *,
    acceleration: Any = None,
    forces: Any = None,
    external: Mapping[Any, Any] | None = None,
    actuated: Any = None,
) -> Any:
    """Stress of a flexible body, components xx, yy, zz, yz, zx, xy [Pa].

    `von_mises` and `principal_stresses` make other measures of it.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    body : str
        Name of the body.
    at : float or array (p,), optional
        Sections of a beam, rod or frame, as for `section_loads`, or numbers of points of a solid;
        by default all.
    acceleration, forces, external, actuated
        As for `joint_forces`.

    Returns
    -------
    array
        Solids and panels: (p, 6) at their points, body axes.  Beams and rods: (p, k, 6) at the k
        points of each section, section axes; for a single section (k, 6).  Frames with sections of
        several kinds: a list of p arrays (k, 6).  What a rod is rigid against adds no stress.
    """
    state, i = as_state(system, state), system.layout.index(body)
    recovery = system.bodies[i].recovery
    if recovery is not None and recovery.points is not None:
        _check_real(state)
        points = checked_points(body, len(recovery.points.positions), at)
        return recovery.points.stresses[points] @ state.raw_q[system.layout.modal_q(i)]
    sections, rows = _sections_and_row(system, state, i, acceleration, forces, external, actuated)
    check_has_stress(sections)
    places = sections.checked(at)
    every = np.atleast_1d(places)
    stresses = [x[0] for x in sections.stress(every, loads_of(system, i, sections, every, rows))]
    if not places.ndim:
        return stresses[0]
    return np.stack(stresses) if len({len(x) for x in stresses}) == 1 else stresses


def strain(system: System, state: StateLike, body: str, at: Any = None) -> Array:
    """Strain of a solid or a panel, components xx, yy, zz, yz, zx, xy.

    Shear strains are tensor components, half of the angles, as in results of CalculiX;
    `principal_strains` makes other measures of them.  Sections of rods have strains in
    `Trajectory.along`.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration; the speeds are ignored.
    body : str
        Name of the body.
    at : int or array (p,) of int, optional
        Numbers of points of the body, as for `stress`; by default all.

    Returns
    -------
    array (6,) or (p, 6)
        Body axes.

    Raises
    ------
    StateError
        If the strain of the body is not known: a body of another kind, or stresses that came
        without a material.
    """
    state, i = as_state(system, state), system.layout.index(body)
    points = check_has_strain(body, system.bodies[i].recovery)
    _check_real(state)
    chosen = checked_points(body, len(points.positions), at)
    return points.strains(chosen) @ state.raw_q[system.layout.modal_q(i)]


def _check_real(state: State, *vectors: Array) -> None:
    if not state.real or any(x.dtype != float for x in vectors):
        raise StateError("loads, stresses and strains of bodies need real numbers, not symbols")


def _sections_and_row(
    system: System,
    state: State,
    i: int,
    acceleration: Any,
    forces: Any,
    external: Mapping[Any, Any] | None,
    actuated: Any,
) -> tuple[Sections, LoadedStates]:
    """Sections of a body and the state as a row, with what acts on the bodies if it is needed."""
    sections = Sections(system.bodies[i], system.names[i])
    q, v = state.raw_q[None], state.raw_v[None]
    if not sections.by_balance:
        _check_real(state)
        none = np.zeros((1, system.n_body, 6))
        return sections, LoadedStates(q, v, np.zeros_like(v), none, [], np.zeros((1, 0)))
    causes = (acceleration, forces, external, actuated)
    return sections, balanced_row(system, state, *causes, "section_loads")


def balanced_row(
    system: System,
    state: State,
    acceleration: Any,
    forces: Any,
    external: Mapping[Any, Any] | None,
    actuated: Any,
    what: str,
) -> LoadedStates:
    """State as a row, with all that acts on the bodies."""
    vdot, loads = balanced(system, state, acceleration, forces, external, actuated, what)
    _check_real(state, vdot, *(wrench for *_, wrench in loads))
    reactions = engine.joint_forces(system, state.raw_q, state.raw_v, vdot, loads)
    places = [(i, node) for i, node, _ in loads]
    wrenches = np.concatenate([np.zeros(0), *(wrench for *_, wrench in loads)])
    q, v = state.raw_q[None], state.raw_v[None]
    return LoadedStates(q, v, vdot[None], reactions[None], places, wrenches[None])
