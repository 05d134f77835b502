"""Frames and trusses: bodies of straight members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from ...bodies.balance import Balance
from ...bodies.recovery import Recovery, Stations
from ...bodies.rigid import RigidBody
from ...errors import ModelError, name_list, shown
from ...spatial import rigid_shift
from ...spatial.scalar import is_numeric
from .._checks import positive
from ..sections import Section
from .assembly import equal_freedoms, mass_matrix, stacked, summed
from .beam_element import BeamElement
from .frame_geometry import FrameGeometry, PlacedElement
from .member import Member, Placed, numbers, placed
from .options import check_options
from .structure import Interface, Profile, Structure

if TYPE_CHECKING:
    from ...bodies.flexible import FlexibleBody

# Section loads of frames, at both ends of every part of a member.
#
# The wrenches at the ends of an element with freedoms d and forces F on its particles, which move
# by N d, are those of its stiffness less what the forces exert on held ends:
#
#     K_e d - N^T F                                                                              (1)
#
# N are the exact static shapes, so that (1) is exact for any forces at the particles.

_ORDER = [3, 4, 5, 0, 1, 2]  # [moment; force] -> N, Q_y, Q_z, T, M_y, M_z


def frame_recovery(
    pieces: Sequence[PlacedElement],
    positions: Array,
    stiffness: Any,
    particles: tuple[Array, Array, Any],
    nodes: Mapping[str, int],
    displacements: Array,
) -> Recovery:
    """Section loads of displacements (N, m), with the tables of their equilibrium.

    `positions` (n, 3): nodes [m]; `stiffness` (N, N): stiffness; `displacements` (N, m): shapes
    that vanish at one of these, the inboard one.
    """
    ends = [(piece, x) for piece in pieces for x in (0.0, 1.0)]
    of_nodes = stacked(
        [piece.rows for piece, _ in ends],
        [piece.element.loads(x) @ piece.T for piece, x in ends],
        len(displacements),
    )
    stations = len(ends)
    distinct_nodes = list(dict.fromkeys(nodes.values()))
    inboard = min(distinct_nodes, key=lambda k: float(np.abs(displacements[_rows(k)]).max()))
    of_particles = _of_particles(pieces, len(particles[0]))
    statics = _Held(of_nodes, of_particles, stiffness, inboard)
    return Recovery(
        stations=Stations(
            positions=np.array(
                [
                    piece.start(positions) + x * piece.element.length * piece.axes[:, 0]
                    for piece, x in ends
                ]
            ),
            axes=np.array([piece.axes for piece, _ in ends]),
            members=np.array([piece.bar.number for piece, _ in ends]),
            places=np.array([(piece.part + x) * piece.element.length for piece, x in ends]),
            loads=np.asarray(of_nodes @ displacements).reshape(stations, 6, -1),
            sections=tuple(piece.element.section(x) for piece, x in ends),
            balance=Balance(
                np.array(distinct_nodes),
                statics.of_wrenches(distinct_nodes).reshape(stations, 6, len(distinct_nodes), 6),
                statics.of_mass(particles, displacements).reshape(stations, 6, -1, 3),
            ),
        )
    )


def _rows(node: int) -> NDArray[np.intp]:
    return 6 * node + np.arange(6)


def _of_particles(pieces: Sequence[PlacedElement], count: int) -> Any:
    """Second part of (1) as section loads per force on each particle, sparse (12 p, 3 k)."""
    columns, blocks, at = [], [], 0
    for piece in pieces:
        N = piece.element.particles[2]
        wrenches = -np.einsum("pke,ak->epa", N, piece.axes).reshape(12, -1)
        both = np.concatenate([-wrenches[:6][_ORDER], wrenches[6:][_ORDER]])
        columns.append(np.arange(3 * at, 3 * (at + len(N))))
        blocks.append(both)
        at += len(N)
    return stacked(columns, blocks, 3 * count)


class _Held:
    """Section loads of the frame that is held at a node, (1) of `bodies.balance`."""

    def __init__(self, of_nodes: Any, of_particles: Any, stiffness: Any, node: int) -> None:
        self.of_nodes, self.of_particles = of_nodes, of_particles
        self.free = np.setdiff1d(np.arange(stiffness.shape[0]), _rows(node))
        self.solver = splu(sparse.csc_array(stiffness[self.free][:, self.free]))

    def of_nodal(self, forces: Array) -> Array:
        """Of forces (N, k) on the nodes, (12 p, k)."""
        u = np.zeros_like(forces)
        u[self.free] = self.solver.solve(forces[self.free])
        return np.asarray(self.of_nodes @ u)

    def of_wrenches(self, nodes: Sequence[int]) -> Array:
        """Of unit moments and forces on nodes, (12 p, 6 k)."""
        forces = np.zeros((self.of_nodes.shape[1], 6 * len(nodes)))
        forces[np.concatenate([_rows(k) for k in nodes]), np.arange(6 * len(nodes))] = 1.0
        return self.of_nodal(forces)

    def of_mass(self, particles: tuple[Array, Array, Any], shapes: Array) -> Array:
        """Of unit accelerations of the mass by field and direction, (12 p, 3 (4 + 3 m))."""
        masses, places, motion = particles
        moved = np.asarray(motion @ shapes).reshape(len(masses), 3, -1)
        fields = np.column_stack(
            [np.ones(len(masses)), places, moved.swapaxes(1, 2).reshape(len(masses), -1)]
        )
        weighted = masses[:, None] * fields
        forces = np.einsum("pf,lk->plfk", weighted, np.eye(3)).reshape(3 * len(masses), -1)
        return self.of_nodal(motion.T @ forces) + np.asarray(self.of_particles @ forces)


Array = NDArray[np.float64]

_THEORIES = ("timoshenko", "euler-bernoulli")


def frame(
    nodes: Any,
    members: Sequence[Member],
    *,
    interfaces: Mapping[str, int],
    names: Mapping[str, int] | None = None,
    masses: Mapping[int, float | RigidBody] | None = None,
    theory: str = "timoshenko",
    **reduction: Any,
) -> FlexibleBody:
    """Body of straight members that bend, twist and stretch, joined at nodes.

    Parameters
    ----------
    nodes : array (n, 3)
        Places of the nodes [m], body axes.
    members : sequence of Member
        Members between them, rigidly joined unless pinned.
    interfaces : dict
        Nodes at which joints, loads and other bodies are attached, by name, such as
        {"root": 0, "tip": 5}; the first is the one that the joint towards the base holds.
    names : dict, optional
        Further nodes that the body keeps, such as {"camera": 3}.
    masses : dict, optional
        Point masses at nodes [kg], such as {3: 2.0}, or rigid bodies, {3: RigidBody.box(...)}.
    theory : {"timoshenko", "euler-bernoulli"}, optional
        With or without deformation by shear; both have the rotary inertia of the sections.
    **reduction
        How the model is reduced to a few shapes, see `Structure.reduce`: modes, method, damping,
        level and others.

    Returns
    -------
    FlexibleBody
        Its interfaces and names are named nodes, with the place of each node as given; the
        unreduced model is its `source`.  It knows its section loads at both ends of every part of
        a member.

    Raises
    ------
    ModelError
        If a member, node, interface or mass is not acceptable.

    Notes
    -----
    Elements have the exact static stiffness of uniform and tapered members, and their mass is the
    sum over particles that move with the sections.  Frequencies converge with the fourth power of
    the length of the parts; what shear contributes to them, with the second.

    Examples
    --------
    >>> import lissom as ls
    >>> tube = ls.Tube(radius=0.03, thickness=0.002)
    >>> knee = ls.frame(
    ...     [(0, 0, 0), (2, 0, 0), (2, 1, 0)],
    ...     [ls.Member(0, 1, tube, ls.ALUMINIUM), ls.Member(1, 2, tube, ls.ALUMINIUM)],
    ...     interfaces={"root": 0, "tip": 2},
    ...     modes=4,
    ... )
    >>> sorted(knee.names)
    ['root', 'tip']
    """
    check_options("frame", reduction, has_second_order=True)
    structure = frame_structure(
        nodes, members, interfaces=interfaces, names=names, masses=masses, theory=theory
    )
    return structure.reduce(**reduction)


def frame_structure(
    nodes: Any,
    members: Sequence[Member],
    *,
    interfaces: Mapping[str, int],
    names: Mapping[str, int] | None = None,
    masses: Mapping[int, float | RigidBody] | None = None,
    theory: str = "timoshenko",
) -> Structure:
    """Unreduced model of a frame; parameters as for `frame`."""
    positions = numbers(nodes, (-1, 3), "frame: nodes [m]")
    if not isinstance(theory, str) or theory not in _THEORIES:
        raise ModelError(
            f'frame: theory is {shown(theory)}; give "timoshenko" or "euler-bernoulli"'
        )
    bars = [placed(k, member, positions) for k, member in enumerate(_listed(members))]
    check_held(bars, len(positions))
    ports = checked_interfaces(interfaces, len(positions), "frame")
    check_connected(bars, len(positions), ports)
    lumps = checked_masses(masses, len(positions))
    named = checked_names(names, ports, len(positions))
    mesh = _mesh(positions, bars, theory == _THEORIES[0])
    size = 6 * len(mesh.positions)
    stiffness = summed(mesh.rows, [x.T.T @ x.element.stiffness @ x.T for x in mesh.pieces], size)
    points = {node: _particles_of(lump) for node, lump in lumps.items()}
    particles = _particles(mesh, points)
    return Structure(
        name="frame",
        positions=mesh.positions,
        freedoms=equal_freedoms(len(mesh.positions), range(6)),
        mass=mass_matrix(particles[0], particles[2]),
        stiffness=stiffness,
        interfaces={
            name: Interface(positions[node], np.array([node])) for name, node in ports.items()
        },
        node_names=named,
        recovery=partial(
            frame_recovery,
            mesh.pieces,
            mesh.positions,
            stiffness,
            particles,
            {**ports, **named},
        ),
        lines=mesh.lines,
        geometry=FrameGeometry(mesh.pieces, mesh.positions, particles, points),
        particles=particles,
    )


@dataclass(frozen=True, eq=False)
class _MemberMesh:
    """Nodes with those between parts, pieces of members, and the nodes along each member."""

    positions: Array
    pieces: tuple[PlacedElement, ...]
    bars: tuple[Placed, ...]
    lines: tuple[tuple[Profile, NDArray[np.intp]], ...]

    @property
    def rows(self) -> list[Any]:
        return [piece.rows for piece in self.pieces]


def _listed(members: Any) -> list[Any]:
    if isinstance(members, Member) or not isinstance(members, (list, tuple)) or not members:
        raise ModelError(
            f"frame: members is {shown(members)}; give a list of ls.Member(first, second, section, "
            "material)"
        )
    return list(members)


def _mesh(positions: Array, bars: list[Placed], shear: bool) -> _MemberMesh:
    """Members divided into their parts."""
    points, pieces, lines = [*positions], [], []
    cache: dict[Any, BeamElement] = {}
    for bar in bars:
        n = bar.member.parts
        inner = range(len(points), len(points) + n - 1)
        along = [bar.nodes[0], *inner, bar.nodes[1]]
        points += [bar.ends[0] + (bar.ends[1] - bar.ends[0]) * k / n for k in range(1, n)]
        for k in range(n):
            offsets = np.zeros((2, 3))
            offsets[0] = bar.offsets[0] if k == 0 else 0.0
            offsets[1] = bar.offsets[1] if k == n - 1 else 0.0
            ends = (along[k], along[k + 1])
            pieces.append(
                PlacedElement(_element(bar, k, shear, cache), ends, bar.axes, offsets, bar, k)
            )
        lines.append((_profile(bar), np.array(along)))
    return _MemberMesh(np.array(points), tuple(pieces), tuple(bars), tuple(lines))


def _profile(bar: Placed) -> Profile:
    """Outlines along the member; offsets across it move those at its ends."""
    at = [bar.section(x) for x in np.linspace(0.0, 1.0, bar.member.parts + 1)]
    outlines = [np.asarray(section.outline) for section in at]
    if len({outline.shape for outline in outlines}) > 1:
        outlines = [np.asarray(Section.outline.__get__(section)) for section in at]
    for k in (0, -1):
        outlines[k] = outlines[k] + (bar.axes.T @ bar.offsets[k])[1:]
    same = bar.uniform and not np.any(bar.offsets)
    return Profile(outlines[0] if same else np.array(outlines), bar.axes)


def _element(bar: Placed, k: int, shear: bool, cache: dict[Any, BeamElement]) -> BeamElement:
    """Element of part k; equal ones are made once."""
    n = bar.member.parts
    at = {"first": 0, "second": n - 1}
    pins = tuple(end for end in bar.pinned if at[end] == k)
    length = bar.length / n
    bar_key = (id(bar.member.section), id(bar.member.material), -1 if bar.uniform else k)
    key = (*bar_key, f"{length:.11e}", pins)
    if key not in cache:
        section = bar.section if bar.uniform else bar.part(k)
        cache[key] = BeamElement(length, section, bar.member.material, bar.uniform, shear, pins)
    return cache[key]


def _particles(
    mesh: _MemberMesh, lumps: Mapping[int, tuple[Array, Array]]
) -> tuple[Array, Array, Any]:
    """Masses (k,), positions (k, 3) and sparse motion (3 k, N) of the particles."""
    size = 6 * len(mesh.positions)
    weights, places, rows, blocks = [], [], [], []
    for piece in mesh.pieces:
        m, r, N = piece.element.particles
        weights.append(m)
        places.append(piece.start(mesh.positions) + r @ piece.axes.T)
        rows.append(piece.rows)
        blocks.append((piece.axes @ N @ piece.T).reshape(-1, 12))
    for node, (m, r) in lumps.items():
        weights.append(m)
        places.append(mesh.positions[node] + r)
        rows.append(6 * node + np.arange(6))
        blocks.append(np.concatenate([rigid_shift(x).T[3:] for x in r]))
    return np.concatenate(weights), np.concatenate(places), stacked(rows, blocks, size)


def _particles_of(lump: RigidBody) -> tuple[Array, Array]:
    """Masses and positions of particles with the inertia of a rigid body: one, or six on axes."""
    if not np.any(lump.inertia):
        return np.array([float(lump.mass)]), np.array([lump.com], dtype=float)
    J = np.asarray(lump.inertia, dtype=float)
    moments, axes = np.linalg.eigh(np.trace(J) / 2 * np.eye(3) - J)
    arms = axes * np.sqrt(3 * moments.clip(min=0) / float(lump.mass))
    return np.full(6, float(lump.mass) / 6), lump.com + np.concatenate([arms.T, -arms.T])


def checked_interfaces(interfaces: Any, n: int, what: str) -> dict[str, int]:
    """Interfaces as {name: node}, at least one, each a node of its own."""
    if not isinstance(interfaces, Mapping) or not interfaces:
        raise ModelError(
            f'{what}: interfaces is {shown(interfaces)}; give names and nodes, such as {{"root": '
            '0, "tip": 5}; the first is held by the joint towards the base'
        )
    return _named(interfaces, n, what, "interface")


def checked_names(names: Any, ports: Mapping[str, int], n: int) -> dict[str, int]:
    """Names of further nodes as {name: node}."""
    if names is None:
        return {}
    if not isinstance(names, Mapping):
        raise ModelError(f'frame: names is {shown(names)}; give nodes, such as {{"camera": 3}}')
    nodes = _named(names, n, "frame", "name")
    for name, node in nodes.items():
        if name in ports or node in ports.values():
            other = next(x for x, k in ports.items() if x == name or k == node)
            raise ModelError(
                f"frame: name {name!r} of node {node} is already taken by the interface {other!r} "
                f"of node {ports[other]}; interfaces are named nodes: leave the name out"
            )
    return nodes


def _named(entries: Mapping[Any, Any], n: int, what: str, kind: str) -> dict[str, int]:
    nodes: dict[str, int] = {}
    for name, node in entries.items():
        if not isinstance(name, str) or not name:
            raise ModelError(f"{what}: {kind} {shown(name)} must be a string, such as 'tip'")
        if isinstance(node, bool) or not isinstance(node, Integral) or not 0 <= int(node) < n:
            raise ModelError(
                f"{what}: {kind} {name!r} is at node {shown(node)}, which does not exist; the "
                f"nodes are 0 to {n - 1}"
            )
        for other, used_node in nodes.items():
            if used_node == node:
                raise ModelError(
                    f"{what}: {kind}s {other!r} and {name!r} are at the same node {node}; give "
                    "one of them"
                )
        nodes[name] = int(node)
    return nodes


def checked_masses(masses: Any, n: int) -> dict[int, RigidBody]:
    """Masses at nodes as {node: rigid body}; a number is a point mass."""
    if masses is None:
        return {}
    if not isinstance(masses, Mapping):
        raise ModelError(
            f"frame: masses is {shown(masses)}; give {{node: mass [kg]}} or {{node: RigidBody}}"
        )
    bodies = {}
    for node, mass in masses.items():
        if isinstance(node, bool) or not isinstance(node, Integral) or not 0 <= int(node) < n:
            raise ModelError(
                f"frame: a mass is at node {shown(node)}, which does not exist; the nodes are 0 "
                f"to {n - 1}"
            )
        body = mass if isinstance(mass, RigidBody) else None
        if body is not None and not all(map(is_numeric, (body.mass, body.com, body.inertia))):
            raise ModelError(f"frame: the body at node {node} has symbols; give numbers")
        value = mass if body is None else float(body.mass)
        number = positive(value, f"frame: mass at node {node} [kg]")
        bodies[int(node)] = RigidBody(number) if body is None else body
    return bodies


def check_held(bars: Sequence[Placed], n: int) -> None:
    """Reject nodes without members, and nodes whose rotation no member holds."""
    ends = [(bar.nodes[k], end in bar.pinned) for bar in bars for k, end in enumerate(_ENDS)]
    used = {node for node, _ in ends}
    if free := [k for k in range(n) if k not in used]:
        raise ModelError(
            f"frame: node {name_list(free, show=str)} has no member; connect it, or leave it out"
        )
    if loose := sorted(used - {node for node, pinned in ends if not pinned}):
        raise ModelError(
            f"frame: all members at node {name_list(loose, show=str)} are pinned there, so that "
            "nothing holds its rotation; leave one of them without a pin"
        )


_ENDS = ("first", "second")


def check_connected(bars: Sequence[Placed], n: int, ports: Mapping[str, int]) -> None:
    """Reject frames in several parts."""
    i, j = np.array([bar.nodes for bar in bars]).T
    graph = coo_array((np.ones(len(bars)), (i, j)), (n, n))
    parts, label = connected_components(graph, directed=False)
    if parts > 1:
        name, root = next(iter(ports.items()))
        apart = np.flatnonzero(label != label[root]).tolist()
        raise ModelError(
            f"frame: no members connect node {name_list(apart, show=str)} with interface {name!r} "
            f"(node {root}); connect them, or make them a body of their own"
        )
