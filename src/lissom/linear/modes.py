"""modes: vibrations of a whole mechanism about a state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..algorithms.tree.coordinates import error_sizes
from ..algorithms.tree.kinematics import pose
from ..errors import StateError, shown
from ..joints import Free
from ..sim.warnings.gathering import say
from ..system import State, StateLike, System
from .eigenmodes import Eigenmodes, eigenmodes
from .limits import warn_of_limits_about
from .participation import participation
from .system_modes import SystemModes
from .tangent import Tangent, relative_rates, tangent
from .turning import warn_of_turning

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
        Free motions first, then by frequency; prints as a table.  A SimulationWarning says if the
        state is no equilibrium and no steady motion, if it is outside the limits of the models of
        its bodies, and if the equations change as joints turn, as for blades on a tower.
    """
    if not isinstance(damped, (bool, type(None))):
        raise StateError(f"damped is {shown(damped)}; expected True, False or None")
    options = {"forces": forces, "loads": loads, "held": held, "what": "modes"}
    found = tangent(system, state, time=time, **options)
    if falls(found):  # the same without gravity
        weightless = replace(system, gravity=np.zeros(3))
        found = tangent(weightless, (found.state.q, found.state.v), time=time, **options)
    solved = eigenmodes(found, damped)
    _check_steady(found, solved)
    warn_of_limits_about(found, stacklevel=2)

    def later(there: State, after: float) -> Tangent:
        return tangent(there.system, there, time=time + after, **options)

    warn_of_turning(found, later, "modes", stacklevel=2)
    base = np.zeros(3)
    if system.n_body:
        base = pose(system, found.state, system.names[0]).position
    moved = participation(found.state, solved.shapes, base, found.loads.armature)
    return SystemModes(
        system=system,
        state=State(system, found.state.q, found.state.v),
        eigenvalues=solved.values,
        shapes=solved.shapes,
        n_rigid=solved.n_rigid,
        mass=found.mass,
        effective_mass=moved.effective,
        total_mass=moved.whole,
        shares=moved.shares,
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
        say(
            "not steady",
            float(relative[worst]),
            "modes: the state is no equilibrium and no steady motion: "
            f"{system.layout.owner_v(worst)} accelerates by {a[worst]:.3g}; give the state that "
            "equilibrium or trim finds",
            stacklevel=3,
        )
    for (name, unit), rate in zip(found.loads.own_names, found.loads.own_rates, strict=True):
        if name.endswith(".integral") and abs(rate) > ACCELERATES * system.length:
            say(
                f"integral of {name}",
                abs(rate),
                f"modes: the state is no equilibrium: {name} of a Servo grows by {rate:.3g} "
                f"{unit.removesuffix(' s')}; give a target where the joint rests, and the integral "
                "that holds it there (integral=)",
                stacklevel=3,
            )
