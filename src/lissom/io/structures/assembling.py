"""From what files say to a `Structure`: interfaces, freedoms in the house's order, checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...errors import ModelError, name_list, shown
from ...structures.finite import Interface
from ...structures.finite.patches import (
    TIES,
    check_area,
    face_weights,
    interface_place,
    node_numbers,
    nodes_within,
)
from ...structures.finite.rigid import rigid_motion
from .text import refused
from .units import Units

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

_KEYS = ("where", "tie", "at")
_LOOSEST = 1e-6  # of forces of a rigid motion, relative to those that cancel


@dataclass(frozen=True, eq=False)
class NamedNodes:
    """Nodes of a file, and how interfaces name them."""

    path: str  # file, for messages
    numbers: Numbers  # (n,) node numbers in the file
    positions: Array  # (n, 3) [m]
    group: Callable[[str], Numbers] | None = None  # node numbers of a named set
    # (t, 3) surface, by indices of nodes; none where a file has no elements that are read
    triangles: Numbers = field(default_factory=lambda: np.zeros((0, 3), dtype=np.intp))

    def indices(self, numbers: Any, what: str) -> Numbers:
        """Indices of node numbers."""
        lost = (
            f"is not in {self.path}, or has no freedoms in the matrices (held, or tied to others); "
            "name free nodes"
        )
        return np.searchsorted(self.numbers, node_numbers(numbers, self.numbers, what, lost))


def check_named(specs: Any, mesh: NamedNodes) -> None:
    """Reject what nodes alone show, before matrices are read; parameters as for `interfaces_of`."""
    for name, spec in _checked_specs(specs).items():
        _tied(f"interface {name!r}", spec, mesh)


def _checked_specs(specs: Any) -> dict[str, Any]:
    if not isinstance(specs, Mapping) or not specs:
        raise ModelError(
            f"interfaces are {shown(specs)}; expected names and nodes, "
            'such as {"root": "ROOT_NODES", "tip": [12, 13, 14]}'
        )
    return {str(name): spec for name, spec in specs.items()}


def interfaces_of(specs: Any, mesh: NamedNodes, freedoms: Numbers) -> dict[str, Interface]:
    """Interfaces as the structure takes them.

    `freedoms` (N, 2): node and direction of the rows.
    """
    count = np.zeros((len(mesh.positions), 2), dtype=np.intp)
    np.add.at(count, (freedoms[:, 0], freedoms[:, 1] // 3), 1)
    interfaces = {
        name: _interface(name, spec, mesh, count) for name, spec in _checked_specs(specs).items()
    }
    _check_apart(interfaces, mesh)
    return interfaces


def _interface(name: str, spec: Any, mesh: NamedNodes, count: Numbers) -> Interface:
    part = f"interface {name!r}"
    interface = _tied(part, spec, mesh)
    loose = interface.nodes[count[interface.nodes, 1] < 3]
    if len(loose):
        raise ModelError(
            f"{part}: node {mesh.numbers[loose[0]]} of {mesh.path} has {count[loose[0], 1]} "
            "translations in the matrices (held, or tied to others); name free nodes"
        )
    if interface.tie == "node" and count[interface.nodes[0], 0] < 3:
        raise ModelError(
            f"{part}: node {mesh.numbers[interface.nodes[0]]} of {mesh.path} has three freedoms, "
            "an interface has six; name a set of at least three nodes of solids"
        )
    return interface


def _tied(part: str, spec: Any, mesh: NamedNodes) -> Interface:
    """Interface as far as nodes alone show it."""
    options = interface_options(part, spec)
    nodes = interface_nodes(part, options["where"], mesh)
    if len(nodes) == 1 and "tie" not in options and "at" not in options:
        return Interface(mesh.positions[nodes[0]].copy(), nodes, "node")
    tie = options.get("tie", "rigid")
    if tie not in TIES:
        raise ModelError(f"{part}: tie is {shown(tie)}; expected one of {name_list(TIES)}")
    place = options.get("at")
    check_area(mesh.positions[nodes], f"{part} in {mesh.path}")
    weights = face_weights(mesh.positions, nodes, mesh.triangles)
    centroid = weights @ mesh.positions[nodes]
    return Interface(
        centroid if place is None else interface_place(place, part), nodes, tie, weights
    )


def _check_apart(interfaces: Mapping[str, Interface], mesh: NamedNodes) -> None:
    """A node can follow one rigid interface only."""
    owners: dict[int, str] = {}
    for name, interface in interfaces.items():
        for node in interface.nodes.tolist() if interface.tie != "average" else ():
            if (other := owners.setdefault(node, name)) != name:
                raise ModelError(
                    f"interfaces {other!r} and {name!r} have node {mesh.numbers[node]} of "
                    f'{mesh.path} in common; give it to one of them, or tie one "average"'
                )


def interface_options(part: str, spec: Any) -> dict[str, Any]:
    """Fields of an interface, which may be a mapping, an object with them, or its nodes alone."""
    if hasattr(spec, "where"):
        spec = {key: getattr(spec, key, None) for key in _KEYS}
    if not isinstance(spec, Mapping):
        return {"where": spec}
    if (unknown := set(spec) - set(_KEYS)) or "where" not in spec:
        problem = name_list(sorted(map(str, unknown))) or "no 'where'"
        raise ModelError(f"{part} has {problem}; expected {name_list(_KEYS)}")
    return {key: value for key, value in spec.items() if value is not None}


def interface_nodes(part: str, value: Any, mesh: NamedNodes) -> Numbers:
    """Indices of the nodes that an interface names."""
    if callable(value):
        indices = np.flatnonzero(nodes_within(value, mesh.positions, part))
    else:
        named = isinstance(value, str)
        numbers = _named(part, value, mesh) if named else _listed(value)
        indices = mesh.indices(numbers, part)
    if not len(indices):
        raise ModelError(f"{part}: {shown(value)} has no nodes in {mesh.path}; name at least one")
    return np.unique(indices)


def _named(part: str, name: str, mesh: NamedNodes) -> Numbers:
    if mesh.group is None:
        raise ModelError(f"{part}: {mesh.path} has no named sets; give node numbers")
    try:
        return mesh.group(name)
    except ModelError as error:
        raise ModelError(f"{part}: {error}") from None


def _listed(value: Any) -> Any:
    """Numbers of one node or several."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return [value]
    return list(value) if isinstance(value, (set, frozenset, range)) else value


def in_house_order(
    freedoms: Numbers, mass: Any, stiffnesses: Sequence[Any], units: Units
) -> tuple[Numbers, Any, list[Any]]:
    """Freedoms and matrices sorted by node and direction, in SI units.

    `freedoms` (N, 2): node and direction of the rows, rotations first; `mass` (N, N): in the units
    of the file; `stiffnesses` (N, N): likewise.
    """
    order = np.lexsort((freedoms[:, 1], freedoms[:, 0]))
    freedoms = freedoms[order]
    rows, of_mass, of_stiffness = units.matrices(freedoms[:, 1])
    scale = sparse.diags_array(rows)
    mass, *stiffnesses = (
        sparse.csc_array(factor * (scale @ sparse.csc_array(x)[order][:, order] @ scale))
        for x, factor in ((mass, of_mass), *((x, of_stiffness) for x in stiffnesses))
    )
    return freedoms, mass, stiffnesses


def check_free(mesh: NamedNodes, freedoms: Numbers, mass: Any, stiffness: Any, held: str) -> None:
    """Check that the structure moves freely: its stiffness resists no rigid motion.

    This is where matrices of another mesh, and with boundary conditions, show.

    `freedoms` (N, 2): node and direction of the rows; `mass`, `stiffness` (N, N): .
    """
    rigid = rigid_motion(mesh.positions, freedoms, mesh.positions.mean(axis=0))
    forces = np.abs(stiffness @ rigid)
    scale = (abs(stiffness) @ np.abs(rigid)).max(axis=0)
    part = forces.max(axis=0) / np.where(scale > 0, scale, 1.0)
    worst = int(np.argmax(part))
    if part[worst] > _LOOSEST:
        node = mesh.numbers[freedoms[int(np.argmax(forces[:, worst])), 0]]
        what = f"{'rotation about' if worst < 3 else 'translation along'} {'xyz'[worst % 3]}"
        raise refused(
            mesh.path,
            f"a rigid {what} meets a force at node {node}, {part[worst]:.1e} of what its "
            f"elements exert; expected a free structure: {held}",
        )
    total = np.diag(rigid.T @ (mass @ rigid))[3:]
    if not total.min() > 0 or np.ptp(total) > 1e-6 * total.max():
        masses = ", ".join(f"{x:.6g}" for x in total)
        message = (
            f"the mass is {masses} kg along x, y and z; expected one number above zero: {held}"
        )
        raise refused(mesh.path, message)
