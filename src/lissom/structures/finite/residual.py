"""Residual compliance of a reduced structure at its contact points, (1) of `bodies.residual`.

With the static solution z by unit forces L, held inboard or free with inertia relief, and
mass-normalised shapes V of stiffness Lambda in the same space:

  r = z - V Lambda^-1 V^T L,   R = r^T K r                                                      (1)

which equals L^T z - L^T V Lambda^-1 V^T L, and is positive whatever rounding does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...bodies.residual import without_rounding
from ...errors import ModelError, name_list, shown
from .shapes import Assembly

if TYPE_CHECKING:
    from .structure import Structure

Array = NDArray[np.float64]


def contact_names(structure: Structure, contact: Any) -> list[str]:
    """Names of the interfaces and named nodes that `contact` names or numbers."""
    listed = [contact] if isinstance(contact, (str, int, np.integer)) else contact
    if not isinstance(listed, (list, tuple, range, np.ndarray)):
        raise ModelError(
            f"{structure.name}: contact is {shown(contact)}; give names or numbers of nodes, such "
            'as ["tip", 9]'
        )
    names = [_name(structure, x) for x in listed]
    for k, name in enumerate(names):
        if name in names[:k]:
            raise ModelError(f"{structure.name}: contact has {name!r} twice; give it once")
    return names


def _name(structure: Structure, place: Any) -> str:
    names = {name: int(node) for name, node in structure.node_names.items()}
    numbers = {structure.number_of(node): name for name, node in names.items()}
    for name, interface in structure.interfaces.items():
        if interface.tie == "node":
            numbers[structure.number_of(int(np.atleast_1d(interface.nodes)[0]))] = name
    if isinstance(place, str) and (place in structure.interfaces or place in names):
        return place
    if isinstance(place, (int, np.integer)) and int(place) in numbers:
        return numbers[int(place)]
    raise ModelError(
        f"{structure.name}: contact has {shown(place)}, which is no interface and no named node "
        f"({name_list([*structure.interfaces, *names])}); give the node a name, or make an "
        "interface of the nodes around it"
    )


def residual_compliance(
    structure: Structure,
    assembly: Assembly,
    V: Array,
    stiffness: Array,
    names: Sequence[str],
    free: bool,
) -> Array:
    """Residual compliance (3 k, 3 k) at interfaces and named nodes by (1).

    `V` (n, m), `stiffness` (m,): shapes; `free`: whether they are of the free structure.
    """
    if not names:
        return np.zeros((0, 0))
    L = np.hstack([_unit_forces(structure, assembly, name) for name in names])
    z = assembly.free(L) if free else assembly.inboard_held(L)
    r = z - (V / stiffness) @ (V.T @ L)
    return without_rounding(r.T @ (assembly.K @ r), L.T @ z)


def _unit_forces(structure: Structure, assembly: Assembly, name: str) -> Array:
    """Unit forces (n, 3) along x, y and z."""
    if name in structure.interfaces:
        return assembly.unit_loads((name,))[:, 3:]
    rows = structure.rows(structure.node_names[name])[3:]
    loads: Array = assembly.ties.T[rows].toarray().T
    return loads
