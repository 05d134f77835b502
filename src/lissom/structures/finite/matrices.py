"""Flexible bodies from mass and stiffness matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...bodies.flexible import FlexibleBody
from ...errors import ModelError, shown
from ...spatial.scalar import reals
from .assembly import equal_freedoms
from .external_stress_stiffness import checked_loads, given_geometry
from .options import check_options
from .skeleton import sticks
from .structure import Interface, Structure

Array = NDArray[np.float64]

ORDERS = ("translation first", "rotation first")


def from_matrices(
    mass: Any,
    stiffness: Any,
    nodes: Any,
    interfaces: Mapping[str, Any],
    *,
    order: str = "translation first",
    names: Mapping[str, int] | None = None,
    stress_stiffness: Mapping[str, Any] | None = None,
    name: str = "from_matrices",
    **reduction: Any,
) -> FlexibleBody:
    """Flexible body from the mass and stiffness matrices of a free structure.

    Parameters
    ----------
    mass, stiffness : array or sparse array (N, N)
        Of the structure without supports [kg, kg m, kg m^2 and N/m, N, N m].  All freedoms of the
        first node come first: three (translations) or six for each node.
    nodes : array (n, 3)
        Positions [m]; N is 3 n or 6 n.
    interfaces : mapping
        Places of joints, loads and other bodies by name; the first is the inboard one.  Each is
        the number of a node with six freedoms, a sequence of nodes that move as a rigid body with
        the interface (at their mean position), or an `Interface`.
    order : {"translation first", "rotation first"}
        Order of the six freedoms of a node.
    names : mapping, optional
        Further nodes with six freedoms that the body keeps, by name.
    stress_stiffness : mapping, optional
        For level "stiffened": matrices (N, N) by load, of static solutions with the inboard
        interface held, as finite-element programs add them to the stiffness.  Loads are "spin z"
        (1 rad/s; "spin xy" about both), "gravity x" (1 m/s²), "angular acceleration y" (1 rad/s²),
        "tip force x" (1 N) and "tip moment z" (1 N m) at interfaces and named nodes; those that are
        missing count as loads that stress nothing.
    name : str
        For messages.
    **reduction
        Options of `Structure.reduce`: modes, method, damping, level and others.

    Returns
    -------
    FlexibleBody
        `body.source` is the `Structure`.

    Examples
    --------
    Two particles of 1 kg on a bar would be a mechanism; a beam element has six freedoms at a node.
    Here a massless node holds, by a spring of 600 N/m in all directions, a particle of 2 kg:

    >>> import numpy as np
    >>> import lissom as ls
    >>> spring = np.diag([600.0, 600, 600, 9, 9, 9])  # translation first; at the same place
    >>> stiffness = np.block([[spring, -spring], [-spring, spring]])
    >>> mass = np.diag([0.0] * 6 + [2.0, 2.0, 2.0, 0.01, 0.01, 0.01])
    >>> body = ls.from_matrices(mass, stiffness, np.zeros((2, 3)), {"root": 0}, damping=0)
    >>> body.frequencies.round(3).tolist()  # (600 / 2)^(1/2) / 2 pi, (9 / 0.01)^(1/2) / 2 pi
    [2.757, 2.757, 2.757, 4.775, 4.775, 4.775]
    """
    check_options(name, reduction, has_second_order=stress_stiffness is not None)
    return structure_of_matrices(
        mass,
        stiffness,
        nodes,
        interfaces,
        order=order,
        names=names,
        stress_stiffness=stress_stiffness,
        name=name,
    ).reduce(**reduction)


def structure_of_matrices(
    mass: Any,
    stiffness: Any,
    nodes: Any,
    interfaces: Mapping[str, Any],
    *,
    order: str = "translation first",
    names: Mapping[str, int] | None = None,
    stress_stiffness: Mapping[str, Any] | None = None,
    name: str = "from_matrices",
) -> Structure:
    """Structure of matrices; parameters as for `from_matrices`."""
    if order not in ORDERS:
        raise ModelError(f"{name}: order is {order!r}; use {ORDERS[0]!r} or {ORDERS[1]!r}")
    positions = _positions(nodes, name)
    M, K = _matrix(mass, "mass", name), _matrix(stiffness, "stiffness", name)
    each = K.shape[0] // max(1, len(positions))
    if each * len(positions) != K.shape[0] or each not in (3, 6):
        raise ModelError(
            f"{name}: the stiffness matrix has {K.shape[0]} rows for {len(positions)} nodes; give "
            "three or six freedoms for each node"
        )
    if M.shape != K.shape:
        raise ModelError(
            f"{name}: the mass matrix has shape {M.shape}, the stiffness matrix {K.shape}; give "
            "matrices of the same freedoms"
        )
    directions = [3, 4, 5] if each == 3 else [3, 4, 5, 0, 1, 2]
    if each == 6 and order == "rotation first":
        directions = list(range(6))
    freedoms = equal_freedoms(len(positions), directions)
    # rotations of solids and trusses, which programs write as rows of zeros
    used = np.flatnonzero((abs(M).sum(axis=1) != 0) | (abs(K).sum(axis=1) != 0))
    M, K = (sp.csc_array(A[used][:, used]) for A in (M, K))
    if not isinstance(interfaces, Mapping):
        raise ModelError(
            f'{name}: interfaces is {shown(interfaces)}; give a dictionary {{"root": 0, "tip": 5}}'
        )
    ports = {key: as_interface(x, positions, f"{name}: {key}") for key, x in interfaces.items()}
    freedoms = freedoms[used]
    geometry = None
    if stress_stiffness is not None:
        places = (*map(str, ports), *map(str, names or {}))
        size = len(positions) * each
        stress_matrices = {
            load: _sized_matrix(x, f"stress stiffness of {load!r}", size, name)[used][:, used]
            for load, x in checked_loads(stress_stiffness, name).items()
        }
        geometry = given_geometry(stress_matrices, places, name)
    return Structure(
        name,
        positions,
        freedoms,
        M,
        K,
        ports,
        dict(names or {}),
        lines=sticks(positions, freedoms, K),
        geometry=geometry,
    )


def _sized_matrix(value: Any, what: str, size: int, name: str) -> Any:
    """Matrix of the size of the stiffness matrix, or a ModelError."""
    matrix = _matrix(value, what, name)
    if matrix.shape[0] != size:
        raise ModelError(
            f"{name}: the {what} matrix has shape {matrix.shape}; give one of the {size} freedoms "
            "of the stiffness matrix"
        )
    if not np.all(np.isfinite(matrix.data)):
        raise ModelError(f"{name}: the {what} matrix has entries that are not finite")
    return matrix


def as_interface(value: Any, positions: Array, title: str) -> Interface:
    """Interface from a node, a sequence of nodes or an `Interface`.

    `positions` (n, 3): nodes [m].
    """
    if isinstance(value, Interface):
        return value
    nodes = np.asarray(value)
    if nodes.dtype.kind not in "iu" or nodes.ndim > 1 or not nodes.size:
        raise ModelError(
            f"{title}: the interface is {shown(value)}; give the number of a node, a list of "
            "nodes, or an Interface"
        )
    if nodes.min() < 0 or nodes.max() >= len(positions):
        raise ModelError(
            f"{title}: the interface refers to node {nodes.ravel()[np.argmax(np.abs(nodes))]}, "
            f"which does not exist; nodes are 0 to {len(positions) - 1}"
        )
    if nodes.ndim == 0:
        return Interface(positions[int(nodes)], nodes.reshape(1), "node")
    return Interface(positions[nodes].mean(axis=0), nodes, "rigid")


def _positions(nodes: Any, name: str) -> Array:
    try:
        positions = reals(nodes)
    except (TypeError, ValueError):
        positions = np.zeros(0)
    if positions.ndim != 2 or positions.shape[1] != 3 or not len(positions):
        raise ModelError(f"{name}: nodes must be positions (n, 3) [m], not {shown(nodes)}")
    return positions


def _matrix(value: Any, what: str, name: str) -> Any:
    try:
        matrix = value if sp.issparse(value) else np.asarray(value)
    except (TypeError, ValueError):
        matrix = np.array(None)
    if matrix.ndim and (matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]):
        raise ModelError(
            f"{name}: the {what} matrix has shape {matrix.shape}; give a square matrix"
        )
    if not matrix.ndim or matrix.dtype.kind not in "fiub":
        raise ModelError(
            f"{name}: the {what} matrix is not an array of real numbers, dense or sparse"
        )
    return sp.csr_array(matrix, dtype=float)
