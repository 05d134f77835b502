"""modes: vibrations of a whole mechanism about a state."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.tree.coordinates import error_sizes
from ..algorithms.tree.kinematics import pose
from ..errors import SimulationWarning, StateError, shown
from ..joints import Free
from ..sim.warnings.entered_stops import warn_of_entered_stops
from ..system import State, StateLike, System
from .eigenmodes import Eigenmodes, eigenmodes
from .participation import effective_masses, energy_shares
from .system_modes import SystemModes
from .tangent import Tangent, relative_rates, tangent

Array = np.ndarray

ACCELERATES = 1e-6  # acceleration, relative to gravity or the pace of the motion, that is none


def modes(
    system: System,
    state: StateLike | None = None,
    *,
    loads: Any = (),
    forces: Any = None,
    held: Any = (),
    time: float = 0.0,
    damped: bool | None = None,
) -> SystemModes:
    """Frequencies, damping and shapes of a mechanism about a rest or a steady motion.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v), optional
        Configuration and speeds about which, of an equilibrium (`equilibrium`) or of a steady
        motion (`trim`); by default neutral.
    loads : sequence of Load
        Springs, motors and other loads that act.  Joints with a `Motion` follow it exactly.
    forces : array (n_v,), mapping or callable, optional
        Generalized forces that act in the state, as for `simulate`.
    held : sequence of str
        Joints that are held as they are, by the bodies that they carry.
    time : float
        Time at which loads are evaluated [s].
    damped : bool, optional
        Whether damping and gyroscopic terms count, which makes shapes complex; by default if there
        are any.

    Returns
    -------
    SystemModes
        Free motions first, then by frequency; prints as a table.
    """
    if not isinstance(damped, (bool, type(None))):
        raise StateError(f"damped is {shown(damped)}; expected True, False or None")
    options = {"forces": forces, "loads": loads, "held": held, "time": time, "what": "modes"}
    found = tangent(system, state, **options)
    if falls(found):  # the same without gravity
        weightless = replace(system, gravity=np.zeros(3))
        found = tangent(weightless, (found.state.q, found.state.v), **options)
    plan, start = found.loads.differences.plan, found.state
    warn_of_entered_stops(plan, start.raw_q, start.raw_v, found.vdot, stacklevel=3)
    solved = eigenmodes(found, damped)
    _check_steady(found, solved)
    base = np.zeros(3)
    if system.n_body:
        base = pose(system, found.state, system.names[0]).position
    effective, whole = effective_masses(found.state, solved.shapes, base)
    return SystemModes(
        system=system,
        state=State(system, found.state.q, found.state.v),
        eigenvalues=solved.values,
        shapes=solved.shapes,
        n_rigid=solved.n_rigid,
        mass=found.mass,
        effective_mass=effective,
        total_mass=whole,
        shares=energy_shares(found.state, solved.shapes, found.loads.armature),
    )


def falls(found: Tangent) -> bool:
    """Whether a mechanism does nothing but fall.

    Parameters
    ----------
    found : Tangent
        Equations of motion about its state.
    """
    system, state, a = found.system, found.state, found.vdot
    if not np.any(system.gravity) or np.any(state.v) or len(found.held):
        return False
    falling = np.zeros(system.n_v)
    for i, (name, joint) in enumerate(zip(system.names, system.joints, strict=True)):
        if system.parent[i] < 0:
            if not isinstance(joint, Free):
                return False
            turn = pose(system, state, name).rotation
            falling[system.layout.hinge_v(i)][3:] = turn.T @ system.gravity
    return bool(np.allclose(a, falling, rtol=0, atol=1e-9 * np.linalg.norm(system.gravity)))


def _check_steady(found: Tangent, solved: Eigenmodes) -> None:
    """Warn if the mechanism accelerates other than along its free motions, as in free fall."""
    system, a = found.system, found.vdot.copy()
    rigid = solved.shapes[:, : solved.n_rigid].real
    a -= rigid @ np.linalg.lstsq(found.mass @ rigid, found.mass @ a, rcond=None)[0]
    size = error_sizes(system)[0]
    relative = np.abs(a / size)
    pace = np.linalg.norm(system.gravity) / system.length
    pace += relative_rates(found.state).max(initial=0.0) ** 2
    pace += np.abs(solved.values).max(initial=0.0) ** 2 * 1e-6
    if np.any(relative > ACCELERATES * pace):
        worst = int(np.argmax(relative))
        warnings.warn(
            f"modes: the state is no equilibrium and no steady motion: "
            f"{system.layout.owner_v(worst)} accelerates by {a[worst]:.3g}; give the state that "
            "equilibrium or trim finds",
            SimulationWarning,
            stacklevel=3,
        )
    for (name, unit), rate in zip(found.loads.own_names, found.loads.own_rates, strict=True):
        if name.endswith(".integral") and abs(rate) > ACCELERATES * system.length:
            warnings.warn(
                f"modes: the state is no equilibrium: {name} of a Servo grows by {rate:.3g} "
                f"{unit.removesuffix(' s')}; give a target where the joint rests, and the integral "
                "that holds it there (integral=)",
                SimulationWarning,
                stacklevel=3,
            )
