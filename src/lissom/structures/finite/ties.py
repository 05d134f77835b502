"""Interfaces of a structure: freedoms w = [rotation; translation] that hold and move it.

The freedoms x of the structure follow fewer coordinates z, and the interfaces are rows of z:

  x = T z          w = B z                                                                    (1)

tie "node"      the six freedoms of the node are w, coordinates themselves
tie "rigid"     freedoms of the group follow w, coordinates themselves
tie "average"   w = (R^T W R)^-1 R^T W x, the weighted least-squares motion of the group; R is its
                rigid motion by unit w.  A force on w spreads over the group by the weights; the
                group stays free to deform (an RBE3 element)                                  (2)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...errors import ModelError
from .rigid import rigid_motion

if TYPE_CHECKING:
    from .structure import Interface, Structure

Array = NDArray[np.float64]

TIES = ("node", "rigid", "average")
_SINGULAR = 1e-9  # relative, of the second moments of a group


@dataclass(frozen=True, eq=False)
class Ties:
    """Coordinates of a structure with its interfaces."""

    names: tuple[str, ...]  # interfaces, the inboard one first
    T: Any  # (N, n_z) freedoms from coordinates, equation (1)
    B: Any  # (6 n_interface, n_z) motion of the interfaces from coordinates
    n_own: int  # the first coordinates are those of interfaces with ties "node" and "rigid"
    positions: Array  # (n_interface, 3) [m]
    # (n_z,) freedom that each coordinate is; -1 for those of rigid interfaces
    rows: NDArray[np.intp]


def tied(structure: Structure, inboard: str) -> Ties:
    """Coordinates of a structure, checked."""
    names = (inboard, *(name for name in structure.interfaces if name != inboard))
    with_coordinates = [x for x in names if structure.interfaces[x].tie != "average"]
    T, rows = _coordinates(structure, with_coordinates)
    B = sp.lil_array((6 * len(names), T.shape[1]))
    for k, name in enumerate(names):
        part = slice(6 * k, 6 * k + 6)
        if name in with_coordinates:
            first = 6 * with_coordinates.index(name)
            B[part, first : first + 6] = np.eye(6)
        else:
            B[part] = _mean_motion(structure, name) @ T
    positions = np.array([structure.interfaces[x].position for x in names], dtype=float)
    return Ties(
        names, T, sp.csr_array(B), 6 * len(with_coordinates), positions.reshape(-1, 3), rows
    )


def _coordinates(structure: Structure, with_coordinates: list[str]) -> tuple[Any, NDArray[np.intp]]:
    """T of (1), and the freedom that each coordinate is."""
    following = np.full(structure.n_freedom, -1)
    blocks: list[Any] = []
    rows: list[int] = []
    for name in with_coordinates:
        interface = structure.interfaces[name]
        mine = _rows(structure, name)
        taken = mine[following[mine] >= 0]
        if len(taken):
            other = with_coordinates[following[taken[0]]]
            shared = structure.number_of(structure.freedoms[taken[0], 0])
            raise ModelError(
                f"{structure.name}: node {shared} belongs to the "
                f'interfaces {other!r} and {name!r}; give it to one of them, or tie one "average"'
            )
        following[mine] = len(blocks)
        motion = rigid_motion(structure.positions, structure.freedoms[mine], _position(interface))
        if _is_singular(motion):
            raise _on_a_line(structure, name)
        spread = sp.lil_array((structure.n_freedom, 6))
        spread[mine] = motion if interface.tie == "rigid" else np.eye(6)
        blocks.append(sp.csr_array(spread))
        rows += [-1] * 6 if interface.tie == "rigid" else mine.tolist()
    free = np.flatnonzero(following < 0)
    identity = sp.csr_array(
        (np.ones(len(free)), (free, np.arange(len(free)))), (structure.n_freedom, len(free))
    )
    T = sp.hstack([*blocks, identity], format="csr")
    return T, np.concatenate([np.array(rows, dtype=np.intp), free])


def _rows(structure: Structure, name: str) -> NDArray[np.intp]:
    """Freedoms of the nodes of an interface with its own coordinates."""
    interface = structure.interfaces[name]
    if interface.tie == "rigid":
        return np.flatnonzero(np.isin(structure.freedoms[:, 0], interface.nodes))
    node = int(np.atleast_1d(interface.nodes)[0])
    mine = structure.rows(node)
    if structure.freedoms[mine, 1].tolist() != list(range(6)):
        raise ModelError(
            f"{structure.name}: interface {name!r} is node {structure.number_of(node)}, which has "
            f"{len(mine)} freedoms; "
            'an interface needs six: tie it to a group of nodes with tie "rigid" or "average"'
        )
    return mine


def _position(interface: Interface) -> Array:
    return np.asarray(interface.position, dtype=float)


def _mean_motion(structure: Structure, name: str) -> Any:
    """Rows (6, N) of (2): from translations, or with rotations where these do not suffice."""
    interface = structure.interfaces[name]
    nodes = np.asarray(interface.nodes)
    weights = np.zeros(structure.n_node)
    node_weights = (
        np.ones(len(nodes)) if interface.weights is None else np.asarray(interface.weights)
    )
    np.add.at(weights, nodes, node_weights)
    weights /= weights.sum()
    rows = np.flatnonzero(np.isin(structure.freedoms[:, 0], nodes))
    freedoms = structure.freedoms[rows]
    R = rigid_motion(structure.positions, freedoms, _position(interface))
    reach = structure.positions[nodes] - _position(interface)
    length = float(np.linalg.norm(reach, axis=1).max()) or 1.0
    turning = freedoms[:, 1] < 3
    for W in (
        weights[freedoms[:, 0]] * ~turning,
        weights[freedoms[:, 0]] * length ** (2 * turning),
    ):
        if not _is_singular(np.sqrt(W)[:, None] * R):
            normal = R.T @ (W[:, None] * R)
            A = np.linalg.solve(normal, R.T * W)
            spread = sp.lil_array((6, structure.n_freedom))
            spread[:, rows] = A
            return sp.csr_array(spread)
    raise _on_a_line(structure, name)


def _is_singular(R: Array) -> bool:
    """Whether some rigid motion moves none of the weighted freedoms."""
    normal = R.T @ R
    scale = np.sqrt(np.diag(normal).clip(min=1e-300))
    return bool(np.linalg.eigvalsh(normal / np.outer(scale, scale))[0] < _SINGULAR)


def _on_a_line(structure: Structure, name: str) -> ModelError:
    n = len(np.atleast_1d(structure.interfaces[name].nodes))
    return ModelError(
        f"{structure.name}: the {n} nodes of interface {name!r} do not fix its rotation (they lie "
        "on a line); add nodes beside the line"
    )
