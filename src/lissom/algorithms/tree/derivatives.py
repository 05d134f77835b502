"""Derivatives of inverse and forward dynamics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import StateError
from ...joints import Joint
from ...kernels import fields as field
from ...printing import summary
from ...system import State, StateLike, System
from ..loops.derivatives import free_derivatives
from ..loops.frames import check_real
from . import engine, reference
from .arguments import (
    all_floats,
    as_state,
    check_no_loops,
    check_reals,
    speeds_vector,
    to_external,
)
from .articulated import forward_dynamics, loop_forces
from .composite import mass_matrix
from .kinematics import qdot

Array = np.ndarray


class InverseDerivatives(NamedTuple):
    """Derivatives of the generalized forces T = M vdot + bias, at given accelerations.

    Directions in the configuration are those of the speeds: column k of `q` is the derivative
    along dq = N(q) e_k, where qdot = N(q) v.

    Attributes
    ----------
    q, v, acceleration : arrays (n_v, n_v)
        By configuration, by speeds, and by accelerations, which is the mass matrix.
    """

    q: Array
    v: Array
    acceleration: Array

    def __repr__(self) -> str:
        """Fields, large arrays by their size."""
        return summary(self)


class ForwardDerivatives(NamedTuple):
    """Derivatives of the accelerations; directions in the configuration are those of the speeds.

    With loops or couplings configuration and speeds change along the free motions only, measured
    by the independent speeds (`closure`): dq = N(q) Z dz, dv = Z du + Y dz.

    Attributes
    ----------
    value : array (n_v,)
        The accelerations themselves.
    q, v : arrays (n_v, n_v), or (n_v, n_free) with loops
        By configuration and by speeds; with loops by dz and du.
    forces : array (n_v, n_v)
        By generalized forces: the inverse mass matrix; with loops that of the closed system.
    motions, speeds : arrays (n_v, n_free), or None for a tree
        Z and Y.
    independent : tuple of int, or None for a tree
        Indices of the independent speeds, at which Z is the identity and Y zero.
    """

    value: Array
    q: Array
    v: Array
    forces: Array
    motions: Array | None = None
    speeds: Array | None = None
    independent: tuple[int, ...] | None = None

    def __repr__(self) -> str:
        """Fields, large arrays by their size."""
        return summary(self)


def inverse_dynamics_derivatives(
    system: System,
    state: StateLike,
    acceleration: Any,
    *,
    external: Mapping[Any, Any] | None = None,
) -> InverseDerivatives:
    """Derivatives of `inverse_dynamics` by configuration, speeds and accelerations.

    Parameters
    ----------
    system : System
        Compiled mechanism, a tree.
    state : State or (q, v)
        Configuration and speeds.
    acceleration : array (n_v,) or mapping
        Rates of the speeds.
    external : mapping, optional
        Spatial forces, as for `inverse_dynamics`: constant in the axes of their frames.

    Returns
    -------
    InverseDerivatives
    """
    check_no_loops(system, "inverse_dynamics_derivatives", "forward_dynamics_derivatives")
    state = as_state(system, state)
    vdot = speeds_vector(system, acceleration, "acceleration")
    loads = to_external(system, external)
    check_reals("inverse_dynamics_derivatives", state, vdot, *(wrench for *_, wrench in loads))
    if compiled(system) and all_floats(state):
        _, D = engine.inverse_derivatives(system, state.raw_q, state.raw_v, vdot, loads)
        return InverseDerivatives(*D)
    by_q, by_v = complex_steps(system, state, vdot, loads)
    return InverseDerivatives(by_q, by_v, mass_matrix(system, state))


def forward_dynamics_derivatives(
    system: System,
    state: StateLike,
    forces: Any = None,
    *,
    external: Mapping[Any, Any] | None = None,
) -> ForwardDerivatives:
    """Derivatives of `forward_dynamics` by configuration, speeds and forces.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    forces : array (n_v,) or mapping, optional
        Generalized forces; default none.
    external : mapping, optional
        Spatial forces, as for `forward_dynamics`: constant in the axes of their frames.

    Returns
    -------
    ForwardDerivatives
    """
    state = as_state(system, state)
    if system.constraints:
        return _of_loops(system, state, forces, external)
    loads, T = to_external(system, external), speeds_vector(system, forces, "forces")
    check_reals("forward_dynamics_derivatives", state, T, *(wrench for *_, wrench in loads))
    if compiled(system) and all_floats(state):
        vdot, D = engine.forward_derivatives(system, state.raw_q, state.raw_v, T, loads)
        return ForwardDerivatives(vdot, *D)
    vdot = forward_dynamics(system, state, forces, external=external)
    by_q, by_v = complex_steps(system, state, vdot, loads)
    inverse = np.linalg.inv(mass_matrix(system, state))
    return ForwardDerivatives(vdot, -inverse @ by_q, -inverse @ by_v, inverse)


def _of_loops(
    system: System, state: State, forces: Any, external: Mapping[Any, Any] | None
) -> ForwardDerivatives:
    """Derivatives along the free motions of a system with loops."""
    check_real(state, "forward_dynamics_derivatives")
    check_compiled(system, "forward_dynamics_derivatives of a system with loops or couplings")
    x = forward_dynamics(system, state, forces, external=external)
    wrenches = np.zeros((0, 6))
    if system.loops:  # couplings alone have no wrenches
        wrenches = loop_forces(system, state, forces, external=external)
    loads = to_external(system, external)
    along_motions = free_derivatives(system, state, x, wrenches, loads)
    return ForwardDerivatives(
        x,
        along_motions.q,
        along_motions.v,
        along_motions.forces,
        along_motions.directions,
        along_motions.speeds,
        along_motions.independent,
    )


def compiled(system: System) -> bool:
    """Whether the kernels have the derivatives of all parts: all but joints of users' own."""
    is_compiled = system.derived.get("differentiable")
    if is_compiled is None:
        rows = engine.packed_constants(system).rows
        other = rows.kind == field.OWN
        is_compiled = system.derived.setdefault("differentiable", not np.any(other))
    return is_compiled


def check_compiled(system: System, what: str) -> None:
    """Reject joints of users' own, which the kernels of the derivatives do not know."""
    if compiled(system):
        return
    rows = engine.packed_constants(system).rows
    for i, row in enumerate(rows):
        if row.kind == field.OWN:
            raise StateError(
                f"{what}: the joint of body {system.names[i]!r} is one of your own, whose "
                "derivatives are not known; use one of the joints of lissom"
            )


def complex_steps(
    system: System, state: State, vdot: Array, external: reference.External
) -> tuple[Array, Array]:
    """Derivatives of the forces of the tree by q and v, column by column through `reference`.

    `vdot` (n_v,): accelerations.
    """
    for name, joint in zip(system.names, system.joints, strict=True):
        if joint.factors is None:
            _check_complex(name, joint, state[name])
    h = 1e-30
    by_q: list[Array] = []
    by_v: list[Array] = []
    for direction in np.eye(system.n_v):
        along = qdot(system, system.state(state.q, direction))
        for q, v, columns in (
            (state.q + 1j * h * along, state.v, by_q),
            (state.q, state.v + 1j * h * direction, by_v),
        ):
            motions = reference.kinematics_base_to_tip(system, q, v)
            T = reference.inverse_dynamics(system, motions, vdot, external)[0]
            columns.append(T.imag / h)
    n = system.n_v
    return np.reshape(by_q, (n, n)).T, np.reshape(by_v, (n, n)).T


def _check_complex(name: str, joint: Joint, q: Array) -> None:
    """Reject a joint of a user's own whose pose loses the imaginary parts of its coordinates."""
    h, H, R = 1e-30, joint.motion_map(q), joint.pose(q)[0]
    remedy = (
        f"body {name!r}: its joint ({joint.label}) cannot be differentiated, because its pose does "
        "not take complex numbers; write it with NumPy or with the functions of lissom.spatial"
    )
    for k, along in enumerate(joint.rate_map(q).T):
        try:
            turned, moved = joint.pose(q + 1j * h * along)
        except (TypeError, ValueError) as error:
            raise StateError(remedy) from error
        spin = R.T @ (np.imag(turned) / h)
        motion = np.r_[spin[2, 1], spin[0, 2], spin[1, 0], R.T @ (np.imag(moved) / h)]
        if np.abs(motion - H[:, k]).max() > 1e-6 * max(1.0, np.abs(H[:, k]).max()):
            raise StateError(remedy)
