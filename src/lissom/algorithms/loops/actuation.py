"""Forces of actuated joints that produce given accelerations of a system with loops.

With S the selection of the speeds of actuated joints and B the motions that the loops leave free
(A B = 0):
  M vdot + bias = S tau + A^T lambda                                        (1)
  B^T S tau = B^T (M vdot + bias)          tau of least norm                (2)
  A^T lambda = M vdot + bias - S tau       lambda of least norm             (3)
In these norms moments are divided by the length of the system to compare them with forces.
Without loops B is the identity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import StateError, name_list
from ...system import Loop, State, System
from ..tree.coordinates import error_sizes, force_sizes
from .assembly import held_speeds, names_listed
from .checks import check_closed, constraint_of, in_own_unit
from .closure import Closure, closure

Array = np.ndarray

# Allowed violation of an equation, relative to its largest terms.
VIOLATED, UNBALANCED = 1e-7, 1e-7
# Fraction of the largest singular value below which actuators do not affect a motion.
WEAK = 1e-10
_REST = 1e-9  # lengths of the system per s^2: accelerations that are none


def actuated_joints(system: System, actuated: Any, what: str) -> Array:
    """Mask (n_v,) of the speeds of actuated joints; modes are rejected."""
    if actuated is None:
        names = name_list(one.name for one in system.constraints)
        kind = "loops" if system.loops else "couplings"
        raise StateError(
            f"{what}: in a system with {kind} ({names}) the forces depend on which joints are "
            'actuated; give the names of the bodies they carry: actuated=["crank"]'
        )
    joints = names_listed(actuated)
    mask = held_speeds(system, joints, f"{what}: actuated")
    for name in joints:
        if "." in name:
            raise StateError(f"{what}: actuated contains {name!r}; only joints have actuators")
    return mask


def actuator_forces(
    system: System, state: State, vdot: Array, needed: Array, bias: Array, actuated: Any, what: str
) -> tuple[Array, Array]:
    """Forces of actuated joints (n_v,), and loop forces lambda (n_constraint,).

    `vdot` (n_v,): accelerations; `needed`, `bias` (n_v,): vectors M vdot + bias, and bias alone,
    minus external forces.
    """
    mask = actuated_joints(system, actuated, what)
    check_closed(system, state.q, state.v)
    equations = closure(system, state)
    _check_accelerations(equations, vdot, what)
    B, joints = equations.basis, np.flatnonzero(mask)
    # rows in units of energy, columns in units of force [N]
    size = error_sizes(system)[0][list(equations.independent.indices)]
    unit = force_sizes(system)[joints]
    matrix, wanted = size[:, None] * B[joints].T * unit, size * (B.T @ needed)
    small = np.linalg.lstsq(matrix, wanted, rcond=WEAK)[0] if joints.size else np.zeros(0)
    left = wanted - matrix @ small
    gross = size * (np.abs(B).T @ (np.abs(needed - bias) + np.abs(bias)))
    if np.abs(left).max(initial=0.0) > UNBALANCED * gross.max(initial=0.0):
        raise _unbalanced(equations, left / size, np.abs(left) / gross.max(), mask, what)
    tau = np.zeros(system.n_v)
    tau[joints] = unit * small
    return tau, loop_multipliers(equations, needed - tau)


def loop_multipliers(equations: Closure, forces: Array) -> Array:
    """Vector lambda of least norm with A^T lambda = forces (3)."""
    size = error_sizes(equations.system)[0]
    scaled = equations.jacobian * size
    return np.linalg.lstsq(scaled.T, size * forces, rcond=1e-9)[0] if scaled.size else np.zeros(0)


def _check_accelerations(equations: Closure, vdot: Array, what: str) -> None:
    """Reject accelerations that open loops."""
    A, gamma = equations.jacobian, equations.bias
    left, gross = A @ vdot + gamma, np.abs(A) @ np.abs(vdot) + np.abs(gamma)
    # at rest all terms are rounding errors of speeds
    rest = _REST * equations.system.length
    if np.abs(left).max(initial=0.0) <= max(rest, VIOLATED * gross.max(initial=0.0)):
        return
    k = int(np.argmax(np.abs(left)))
    one, size = constraint_of(equations.system, k), abs(float(left[k]))
    if isinstance(one, Loop):
        words = f"open loop {one.name!r} at {size:.3g} m/s^2"
    else:
        words = (
            f"violate coupling {one.name!r} by "
            f"{in_own_unit(equations.system, one, size):.3g} per s^2"
        )
    raise StateError(
        f"{what}: the accelerations {words}; they must satisfy jacobian @ acceleration + bias = 0 "
        "of closure(system, state), as those of forward_dynamics do"
    )


def _unbalanced(equations: Closure, left: Array, part: Array, mask: Array, what: str) -> StateError:
    """Error for actuated joints that cannot produce the accelerations."""
    system = equations.system
    worst = [int(k) for k in np.argsort(-part)[:3] if part[k] > UNBALANCED]
    names = [equations.independent.names[k] for k in worst]
    joints = [name for i, name in enumerate(system.names) if np.any(mask[system.layout.hinge_v(i)])]
    message = (
        f"{what}: the actuated joints ({name_list(joints) or 'none'}) cannot produce these "
        f"accelerations: {names[0]} would need an additional force of {left[worst[0]]:.3g}"
    )
    if len(names) > 1:
        message += f", and so would {' and '.join(names[1:])}"
    if any(name.startswith("mode") for name in names):
        message += (
            "; modes are not actuated, so that their accelerations must result from the forces: "
            "use accelerations from forward_dynamics"
        )
    return StateError(f"{message}; actuate joints that move it, or give other accelerations")
