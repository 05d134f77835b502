"""Derivatives of the motion of a frame.

From the columns xi, psi_1, psi_2, phi_2 of its node (`kernels.tree.derivatives`), with the frame at
p from the common point, moving there at v with the rates w, and V, A spatial about that point:
  dV = psi_1 + xi x V    dA = psi_2 + psi_1 x V + xi x A    dp = xi_v + xi_w x p              (1)
  d[w; v] = [dV_w; dV_v + dV_w x p + w x dp]                                                  (2)
  d[alpha; a] = [dA_w; dA_v + dA_w x p + alpha x dp + dV_w x v + w x dv]                      (3)
by configuration; by speeds with dV = xi, dA = phi_2 + xi x V and dp = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...printing import Shown
from ...spatial import bracket, cross
from ...system import StateLike, System
from . import engine
from .arguments import as_state, check_reals, speeds_vector
from .derivatives import check_compiled

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class FrameDerivatives(Shown):
    """Derivatives of the motion of a frame, [angular; linear] at its origin in world axes.

    Columns are directions of the speeds, also in the configuration: dq = N(q) e_k.

    Attributes
    ----------
    jacobian : array (6, n_v)
        Small rotation and displacement by configuration; velocity by speeds; acceleration by
        accelerations.
    velocity_q : array (6, n_v)
        Velocity by configuration.
    acceleration_q, acceleration_v : arrays (6, n_v)
        Acceleration by configuration and by speeds.
    """

    jacobian: Array
    velocity_q: Array
    acceleration_q: Array
    acceleration_v: Array


def frame_derivatives(
    system: System, state: StateLike, where: str, acceleration: Any = None
) -> FrameDerivatives:
    """Derivatives of velocity and acceleration of a body, node or frame.  O(N).

    With loops they are those of the tree: all speeds count as independent.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds, real numbers.
    where : str
        Body, "body.node" or frame.
    acceleration : array (n_v,) or mapping, optional
        Rates of the speeds; default zero.

    Returns
    -------
    FrameDerivatives
    """
    state = as_state(system, state)
    vdot = speeds_vector(system, acceleration, "acceleration")
    check_compiled(system, "frame_derivatives")
    check_reals("frame_derivatives", state, vdot)
    frame = system.place(where)
    if frame.grounded:
        zero = np.zeros((6, system.n_v))
        return FrameDerivatives(zero, zero.copy(), zero.copy(), zero.copy())
    place = [(frame.body, frame.node)]
    columns, motions = engine.frame_columns(system, place, state.raw_q, state.raw_v, vdot)
    (xi, psi_1, psi_2, phi_2), motion = columns[0], motions[0]
    V, A = motion[12:18, None], motion[18:24, None]
    p = (motion[9:12] + motion[:9].reshape(3, 3) @ frame.position)[:, None]
    zero = np.zeros_like(xi)
    dp = xi[3:] + cross(xi[:3], p)
    dV = psi_1 + bracket(xi, V)  # (1)
    dA = psi_2 + bracket(psi_1, V) + bracket(xi, A)
    by_v = phi_2 + bracket(xi, V)
    return FrameDerivatives(
        jacobian=_velocity(V, p, xi, zero[:3]),
        velocity_q=_velocity(V, p, dV, dp),
        acceleration_q=_acceleration(V, A, p, dV, dA, dp),
        acceleration_v=_acceleration(V, A, p, xi, by_v, zero[:3]),
    )


def _velocity(V: Array, p: Array, dV: Array, dp: Array) -> Array:
    """Changes (2)."""
    return np.concatenate([dV[:3], dV[3:] + cross(dV[:3], p) + cross(V[:3], dp)])


def _acceleration(V: Array, A: Array, p: Array, dV: Array, dA: Array, dp: Array) -> Array:
    """Changes (3)."""
    v, dv = V[3:] + cross(V[:3], p), _velocity(V, p, dV, dp)[3:]
    turned = cross(A[:3], dp) + cross(dV[:3], v) + cross(V[:3], dv)
    return np.concatenate([dA[:3], dA[3:] + cross(dA[:3], p) + turned])
