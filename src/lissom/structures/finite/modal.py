"""Flexible bodies from the modal data of a data sheet or a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from ...bodies.flexible import FlexibleBody
from ...bodies.solids import Solid, Sphere, Sweep
from ...errors import ModelError, shown
from ...spatial import inertia_fault, parallel_axis, spatial_inertia
from ...spatial.scalar import reals
from .._checks import positive
from .particles import equivalent_particles, gram_of_matrices
from .skeleton import stick

Array = NDArray[np.float64]

_ROUNDING = 1e-9  # part of the modal mass by which rigid motion may exceed it
_AXES = ("x", "y", "z", "rotation x", "rotation y", "rotation z")


def from_modes(
    *,
    mass: float,
    center: Any,
    inertia: Any,
    frequencies: Any,
    participation: Any,
    damping: Any = 0.005,
    nodes: Mapping[str, Any] | None = None,
    shapes: Mapping[str, Any] | None = None,
    level: str = "full",
) -> FlexibleBody:
    """Flexible body from modes held at the joint: what a data sheet of an appendage says.

    Parameters
    ----------
    mass : float
        [kg].
    center : array (3,)
        Centre of mass from the joint [m], body axes.
    inertia : array (3, 3) or (3,)
        About the centre of mass [kg m^2]; three numbers are the diagonal.
    frequencies : array (m,)
        With the joint held [Hz].
    participation : array (m, 6)
        Participation of each mode of modal mass 1: translation x, y, z [kg^(1/2)], then rotation
        about x, y, z through the joint [kg^(1/2) m].  The squares are effective masses and
        inertias.
    damping : float or array (m,)
        Ratios.
    nodes : mapping, optional
        Positions [m] of nodes from the joint, by name.
    shapes : mapping, optional
        Shapes (m, 6) of these nodes, translation [kg^(-1/2)] then rotation [kg^(-1/2)/m], per unit
        of a mode of modal mass 1; a node without shapes does not move.
    level : str
        See `FlexibleBody`.

    Returns
    -------
    FlexibleBody
        With exactly the given mass, centre, inertia, frequencies and couplings.  Data of this kind
        leave the terms of first order in the deformation open; they are taken as equal along all
        directions (see the theory page "Mass of finite elements").

    Examples
    --------
    >>> import lissom as ls
    >>> wing = ls.from_modes(
    ...     mass=12.0, center=(0, 1.5, 0), inertia=(9.0, 0.5, 9.5), frequencies=[0.4, 1.9],
    ...     participation=[[0, 0, 2.7, 5.0, 0, 0], [2.5, 0, 0, 0, 0, -4.8]],
    ...     nodes={"root": (0, 0, 0), "tip": (0, 3, 0)},
    ...     shapes={"tip": [[0, 0, 0.6, 0.3, 0, 0], [0.55, 0, 0, 0, 0, -0.3]]})
    >>> wing
    FlexibleBody(12 kg, 2 modes, 0.4 to 1.9 Hz, level full, nodes joint, root, tip)
    """
    kilograms = positive(mass, "from_modes: mass [kg]")
    omega = 2 * np.pi * _numbers(frequencies, (-1,), "frequencies")
    m = len(omega)
    if not m or np.any(omega <= 0):
        raise ModelError("from_modes: frequencies must be one or more numbers above zero [Hz]")
    coupling = _numbers(participation, (m, 6), "participation").T[[3, 4, 5, 0, 1, 2]]
    rigid = _rigid_mass(kilograms, _numbers(center, (3,), "center"), inertia)
    _check_effective_masses(rigid, coupling)
    masses, positions, moved = equivalent_particles(gram_of_matrices(rigid, coupling, np.eye(m)))
    named = {"joint": (0.0, 0.0, 0.0), **(nodes or {})}
    for name in shapes or {}:
        if name not in named:
            raise ModelError(f"from_modes: shapes names {name!r}, which is not among the nodes")
    at = np.array([_numbers(x, (3,), f"nodes[{key!r}]") for key, x in named.items()])
    node_shapes = [
        _numbers((shapes or {}).get(key, np.zeros((m, 6))), (m, 6), f"shapes[{key!r}]").T
        for key in named
    ]
    particles = np.concatenate([np.zeros((len(masses), 3, m)), moved], axis=1)
    return FlexibleBody(
        np.vstack([at, positions]),
        np.concatenate([np.zeros(len(at)), masses]),
        np.concatenate([np.array(node_shapes)[:, [3, 4, 5, 0, 1, 2]], particles]),
        omega**2,
        damping,
        names={key: k for k, key in enumerate(named)},
        level=level,
        solids=_appearance(at, rigid),
    )


def _appearance(at: Array, rigid: Array) -> list[Solid]:
    """Sticks from the joint to the nodes, or a ball at the centre of mass where there are none."""
    size = float(np.linalg.norm(at, axis=1).max())
    far = np.flatnonzero(np.linalg.norm(at, axis=1) > 1e-9 * size)
    if size and len(far):
        profiles = {int(k): stick(at[0], at[k], 3 * size) for k in far}
        return [Sweep(x.outline, (0, k), rotation=x.axes) for k, x in profiles.items()]
    mass, moment = rigid[5, 5], np.array([rigid[2, 4], rigid[0, 5], rigid[1, 3]])
    radius = np.sqrt(np.trace(rigid[:3, :3]) / mass) / 10
    return [Sphere(radius, at=moment / mass)] if radius else []


def _rigid_mass(mass: float, center: Array, inertia: Any) -> Array:
    array = np.asarray(inertia)
    J = _numbers(inertia, (3,) if array.ndim == 1 else (3, 3), "inertia")
    J = np.diag(J) if J.ndim == 1 else J
    if fault := inertia_fault(J):
        raise ModelError(f"from_modes: inertia is not physical: {fault}")
    about_joint = J + parallel_axis(mass, center)
    matrix: Array = spatial_inertia(mass, mass * center, about_joint)
    return matrix


def _check_effective_masses(rigid: Array, coupling: Array) -> None:
    """Reject modes that would take more than the whole body along some motion."""
    scale = 1 / np.sqrt(np.diag(rigid).clip(min=1e-300))
    parts = np.cumsum((coupling * scale[:, None]) ** 2, axis=1)
    beyond = np.argwhere(parts.T > 1 + _ROUNDING)
    if len(beyond):
        mode, j = (int(k) for k in beyond[0])
        axis = int((j + 3) % 6)
        what = "mass" if axis < 3 else "moment of inertia about the joint"
        raise ModelError(
            f"from_modes: modes 0 to {mode} have {100 * parts[j, mode]:.4g} % of the body's {what} "
            f"along {_AXES[axis]} as effective mass; all modes together have at most all of it: "
            "check units and normalisation (modal mass 1) of participation"
        )
    left = np.eye(coupling.shape[1]) - coupling.T @ la.lstsq(rigid, coupling)[0]
    lowest = float(la.eigvalsh(left)[0])
    if lowest < -_ROUNDING:
        raise ModelError(
            f"from_modes: a combination of the modes has {100 * (1 - lowest):.4g} % of its kinetic "
            "energy in rigid motion of the body; participations along different axes, centre and "
            "inertia contradict each other: check signs and the point of the rotations"
        )


def _numbers(value: Any, shape: tuple[int, ...], what: str) -> Array:
    try:
        array = reals(value)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    fits = array.ndim == len(shape) and all(
        b in (-1, a) for a, b in zip(array.shape, shape, strict=True)
    )
    if not fits or not np.all(np.isfinite(array)):
        expected = "a list" if shape == (-1,) else f"an array {shape}"
        raise ModelError(f"from_modes: {what} is {shown(value)}; give {expected} of finite numbers")
    return array
