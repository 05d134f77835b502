"""Energies and momenta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import StateError
from ...kernels.quantities import TOTALS
from ...printing import filled, short
from ...spatial import cross, rotate
from ...spatial.scalar import array
from ...system import State, StateLike, System
from . import engine
from .arguments import all_floats, motions_of
from .body_terms import first_moment
from .quick import QuickFunction
from .reference import BodyMotion

Array = np.ndarray

_TOTALS, _ORIGIN = QuickFunction("totals"), (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Energy:
    """Energies of a state [J].

    Attributes
    ----------
    kinetic : float
    potential : float
        Potential energy of gravity; zero with the centre of mass at the world origin.
    strain : float
        Strain energy of the flexible bodies.
    springs : float
        Of springs among the loads; `lissom.energy` knows no loads, a `Trajectory` does.
    rotors : float
        Kinetic energy of wheels and of rotors geared to joints, which are loads, too.
    loads : bool
        Whether springs and rotors are counted.
    """

    kinetic: Any
    potential: Any
    strain: Any
    springs: Any = 0.0
    rotors: Any = 0.0
    loads: bool = False

    def __repr__(self) -> str:
        """All parts, and what is left out."""
        names = ("kinetic", "potential", "strain", *("springs", "rotors") * self.loads)
        parts = [f"{name}={short(getattr(self, name))}" for name in names]
        return filled("Energy(", parts, ")" if self.loads else "; without springs and rotors)")

    @property
    def total(self) -> Any:
        """Sum of all [J]; without springs and rotors if they are not counted."""
        return self.kinetic + self.potential + self.strain + self.springs + self.rotors


def energy(system: System, state: StateLike) -> Energy:
    """Kinetic, gravitational and strain energy.  O(N).

    Left out is what belongs to loads: springs between nodes and in joints, elastic gears, rotors.
    A run knows its loads: ``run.energy`` and the channels "energy.springs" and "energy.rotors"
    have them.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.

    Returns
    -------
    Energy
        ``.kinetic``, ``.potential``, ``.strain`` and ``.total`` [J].
    """
    sums = _TOTALS.call(system, state)
    if sums is not None:
        return Energy(*sums[:3].tolist())
    state = _TOTALS.prepared(system, state)
    if all_floats(state):
        return Energy(*_totals(system, state, np.zeros(3))[:3].tolist())
    motions = motions_of(system, state)
    kinetic = potential = strain = 0.0
    for body, motion in zip(system.bodies, motions, strict=True):
        modal, spatial = _momenta(motion)
        kinetic = kinetic + (motion.velocity @ spatial + motion.eta_dot @ modal) / 2
        moment = motion.world_rotation @ first_moment(body, motion.eta)
        potential = potential - system.gravity @ (body.mass * motion.world_position + moment)
        strain = strain + motion.eta @ (body.stiffness * motion.eta) / 2
    return Energy(kinetic, potential, strain)


def momentum(system: System, state: StateLike, *, about: Any = _ORIGIN) -> Array:
    """Momentum of all bodies.  O(N).

    Left out are rotors, which are loads: those of a run are in its channel "momentum".

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    about : array (3,)
        Reference point of the angular momentum in the world [m].

    Returns
    -------
    array (6,)
        [angular momentum (N m s); linear momentum (N s)] in world axes.
    """
    if about is _ORIGIN:
        sums = _TOTALS.call(system, state)
        if sums is not None:
            return sums[7:13]
    try:
        point = array(about)
    except (TypeError, ValueError):
        point = np.zeros(0)
    if point.shape != (3,):
        raise StateError(f"about is {about!r}; expected a point of three numbers [m]")
    state = _TOTALS.prepared(system, state)
    if all_floats(state, point):
        return _totals(system, state, point)[7:13]
    total = np.zeros(6)
    for motion in motions_of(system, state):
        h = rotate(motion.world_rotation, _momenta(motion)[1])
        arm = cross(motion.world_position - point, h[3:])
        total = total + np.concatenate([h[:3] + arm, h[3:]])
    return total


def _totals(system: System, state: State, about: Array) -> Array:
    """Sums over all bodies (16,), see `kernels.tree.world.totals`; floats."""
    try:
        return engine.totals_rows(system, state.raw_q[None], state.raw_v[None], about)[0]
    except engine.RowError:
        raise StateError(TOTALS.failure) from None


def _momenta(motion: BodyMotion) -> tuple[Array, Array]:
    """Modal and spatial momentum of one body, in its axes at its origin."""
    terms = motion.terms
    modal = terms.M_rf.T @ motion.velocity + terms.M_ff @ motion.eta_dot
    return modal, terms.M_rr @ motion.velocity + terms.M_rf @ motion.eta_dot
