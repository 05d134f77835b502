"""Reduction of a structure to a flexible body with a few shapes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import NDArray

from ...bodies.flexible import FlexibleBody
from ...bodies.recovery import Recovery
from ...bodies.second_order import SecondOrder
from ...bodies.solids import Solid, Surface, Sweep
from ...errors import ModelError
from ...spatial import rigid_shift
from .checks import check_free, check_structure, coordinate_name
from .modes import negative_mass
from .options import ReduceOptions, no_second_order
from .particles import equivalent_particles, gram_of_matrices, gram_of_points
from .progress import announced_if_slow
from .report_data import Facts
from .residual import contact_names, residual_compliance
from .rigid import rigid_motion
from .second_order import second_order
from .shapes import Assembly, kept_shapes, normal_shapes
from .static_solutions import Held, SingularStiffnessError
from .ties import Ties, tied

if TYPE_CHECKING:
    from .structure import Structure, SurfaceMesh

_SAME = 1e-9  # relative, of blocks of a matrix
_AGREE = 1e-3  # relative, of quadrature points and mass matrix


def gram(structure: Structure, x: Array, about: Array) -> tuple[Array, str]:
    """Gram matrix of 1, x, y, z and the shapes, and its origin (`Facts.mass_from`).

    `x` (N, m): shapes; `about` (3,): origin of the positions [m].
    """
    modal_mass = x.T @ (structure.mass @ x)
    if structure.particles is not None:
        masses, positions, displacements = structure.particles
        matrix = gram_of_points(masses, positions - about, displacements @ x)
        _check_agree(structure.name, matrix, modal_mass)
        return matrix, "points"
    R = rigid_motion(structure.positions, structure.freedoms, about)
    MR = structure.mass @ R
    kernel, isotropic = _kernel(structure)
    fields = _fields(structure, x, about)
    try:
        exact = gram_of_matrices(R.T @ MR, MR.T @ x, modal_mass, fields.T @ (kernel @ fields))
    except np.linalg.LinAlgError:
        raise negative_mass(structure.name) from None
    return exact, "kernel" if isotropic else "closure"


def _check_agree(name: str, matrix: Array, modal_mass: Array) -> None:
    m = len(modal_mass)
    trace = np.einsum("ikjk->ij", matrix[4:, 4:].reshape(m, 3, m, 3))
    if np.abs(trace - modal_mass).max(initial=0.0) > _AGREE * np.abs(modal_mass).max(
        initial=1e-300
    ):
        raise ModelError(
            f"{name}: the particles and the mass matrix of the structure differ; give particles "
            "that are the quadrature points of the mass matrix, or none"
        )


def _translations(structure: Structure) -> list[Any]:
    """Matrices (n, N) that pick the displacement along x, y and z of every node."""
    node, direction = structure.freedoms.T
    matrices = []
    for k in (3, 4, 5):
        rows = np.flatnonzero(direction == k)
        shape = (structure.n_node, structure.n_freedom)
        matrices.append(sp.csr_array((np.ones(len(rows)), (node[rows], rows)), shape))
    return matrices


def _kernel(structure: Structure) -> tuple[Any, bool]:
    """Mean of the blocks of the mass matrix along x, y, z, and whether it is all of the matrix."""
    M, picks = sp.csr_array(structure.mass), _translations(structure)
    blocks = [P @ M @ P.T for P in picks]
    kernel = (blocks[0] + blocks[1] + blocks[2]) / 3
    size = np.abs(M.data).max(initial=0.0)
    rebuilt = sum((P.T @ kernel @ P for P in picks[1:]), picks[0].T @ kernel @ picks[0])
    left = abs(M - rebuilt)
    return kernel, bool(left.max() <= _SAME * size)


def _fields(structure: Structure, x: Array, about: Array) -> Array:
    """Values at the nodes of 1, x, y, z and of the components of the shapes."""
    n = structure.n_node
    parts = np.stack([P @ x for P in _translations(structure)], axis=2)
    return np.hstack([np.ones((n, 1)), structure.positions - about, parts.reshape(n, -1)])


@dataclass(frozen=True, eq=False)
class MasslessNodes:
    """Massless nodes of a body, and what is drawn on them."""

    # positions, shapes: (k, 3), array (k, 6, m) interfaces, then named nodes, then those of the
    # appearance
    positions: Array
    shapes: Array
    names: Mapping[str, int]  # of interfaces and nodes
    number: Mapping[int, int]  # node of the body by node of the structure
    solids: tuple[Solid, ...]  # members of frames, swept; the surface


def massless_nodes(
    structure: Structure, interfaces: tuple[str, ...], positions: Array, motion: Array, x: Array
) -> MasslessNodes:
    """Nodes of a body.

    `interfaces`, `positions`, `motion` (k, 3), array (k, 6, m): the interfaces and their shapes;
    `x` (N, m): shapes of the freedoms.
    """
    names = {name: k for k, name in enumerate(interfaces)}
    number = {
        int(np.atleast_1d(structure.interfaces[name].nodes)[0]): k
        for name, k in names.items()
        if structure.interfaces[name].tie == "node"
    }
    shown = [*structure.node_names.values(), *_shown(structure)]
    other_nodes = [node for node in dict.fromkeys(map(int, shown)) if node not in number]
    number |= {node: len(interfaces) + k for k, node in enumerate(other_nodes)}
    shapes = np.zeros((structure.n_node, 6, x.shape[1]))
    shapes[structure.freedoms[:, 0], structure.freedoms[:, 1]] = x
    names |= {name: number[int(node)] for name, node in structure.node_names.items()}
    return MasslessNodes(
        np.vstack([positions, structure.positions[other_nodes]]),
        np.concatenate([motion, shapes[other_nodes]]),
        names,
        number,
        _solids(structure, number),
    )


def _shown(structure: Structure) -> list[int]:
    """Nodes of the appearance."""
    along = [int(node) for _, nodes in structure.lines for node in nodes]
    if structure.surface is None:
        return along
    return along + np.unique(structure.surface.triangles).tolist()


def _solids(structure: Structure, number: Mapping[int, int]) -> tuple[Solid, ...]:
    members = tuple(
        Sweep(profile.outline, [number[int(node)] for node in nodes], rotation=profile.axes)
        for profile, nodes in structure.lines
    )
    return members if structure.surface is None else (*members, _skin(structure.surface, number))


def _skin(surface: SurfaceMesh, number: Mapping[int, int]) -> Surface:
    nodes, corners = np.unique(surface.triangles, return_inverse=True)
    return Surface(corners.reshape(-1, 3), [number[int(node)] for node in nodes])


def recovery_at_nodes(recovery: Recovery, nodes: MasslessNodes) -> Recovery:
    """Recovery whose points lie on nodes of the body in the place of those of the structure."""
    points, stations = recovery.points, recovery.stations
    if points is not None:
        numbers = np.array([nodes.number.get(int(k), -1) for k in points.nodes], dtype=int)
        points = replace(points, nodes=numbers)
    if stations is not None and (balance := stations.balance) is not None:
        numbers = np.array([nodes.number[int(k)] for k in balance.nodes])
        stations = replace(stations, balance=replace(balance, nodes=numbers))
    return replace(recovery, points=points, stations=stations)


def second_order_at_nodes(
    second: SecondOrder, structure: Structure, nodes: MasslessNodes
) -> SecondOrder:
    """Second order at nodes of the body in the place of interfaces and named nodes."""
    n = len(structure.interfaces)
    numbers = [nodes.number[int(node)] for node in structure.node_names.values()]
    node_shapes = dict(zip([*range(n), *numbers], second.node_shapes.values(), strict=True))
    return SecondOrder(second.first_moment, second.second_moment, node_shapes)


Array = NDArray[np.float64]


def reduce_structure(structure: Structure, options: ReduceOptions) -> FlexibleBody:
    """Flexible body of a structure; see `Structure.reduce`."""
    selection = options.mode_selection(structure.name, structure.geometry is not None)
    check_structure(structure)
    attached = options.attached(structure)
    touching = contact_names(structure, options.contact)
    assembly, rigid_force = _assembled(structure, tied(structure, options.inboard_of(structure)))
    V = kept_shapes(assembly, options.method, selection, attached, options.inertia_relief)
    V, stiffness, dependent, massless = normal_shapes(assembly, V)
    flexibility, weight_energy = _statics(assembly)
    facts = Facts(
        method=options.method,
        n_freedom=structure.n_freedom,
        rigid_mass=assembly.rigid_mass,
        interfaces=assembly.ties.names,
        rigid_force=rigid_force,
        dependent=dependent,
        massless=massless,
        flexibility=flexibility,
        weight_energy=weight_energy,
    )
    residual = residual_compliance(
        structure, assembly, V, stiffness, touching, options.method == "free-free"
    )
    return _body(structure, options, assembly, V, stiffness, facts, (touching, residual))


def _assembled(structure: Structure, ties: Ties) -> tuple[Assembly, float]:
    """Factorised structure, and the largest relative force of its rigid motions."""
    K, M = (
        sp.csr_array(ties.T.T @ sp.csr_array((A + A.T) / 2) @ ties.T)
        for A in (structure.stiffness, structure.mass)
    )
    R, places = _rigid(structure, ties)
    rigid_force = check_free(structure, K, R, ties.rows)
    support = np.arange(ties.n_own) if ties.n_own else _support(R)
    try:
        with announced_if_slow(
            f"{structure.name}: factorising the stiffness of {K.shape[0]} freedoms"
        ):
            held = Held(K, ties.B, support, places)
            assembly = Assembly(structure.name, ties, M, K, R, held)
            _ = assembly.inboard_held, assembly.all_held
    except SingularStiffnessError as error:
        place = coordinate_name(structure, ties.rows, error.coordinate)
        raise ModelError(_words(structure.name, place, error.negative)) from None
    return assembly, rigid_force


def _words(name: str, place: str, negative: bool) -> str:
    if negative:
        return (
            f"{name}: the stiffness matrix is indefinite: a deformation with {place} releases "
            "energy; look for an element that is inside out"
        )
    return (
        f"{name}: it is a mechanism: it moves without strain, most at {place}, beyond its six "
        "rigid motions; connect it there, or model the hinge as a joint between two bodies"
    )


def _rigid(structure: Structure, ties: Ties) -> tuple[Array, Array]:
    """Rigid motions of the coordinates about the inboard interface, and their places."""
    is_rigid = ties.rows < 0
    rows = np.where(is_rigid, 0, ties.rows)
    about = ties.positions[0]
    R = rigid_motion(structure.positions, structure.freedoms[rows], about)
    places = structure.positions[structure.freedoms[rows, 0]].copy()
    with_coordinates = [
        k for k, x in enumerate(ties.names) if structure.interfaces[x].tie != "average"
    ]
    for block, k in enumerate(with_coordinates):
        part = slice(6 * block, 6 * block + 6)
        R[part] = rigid_shift(ties.positions[k] - about).T
        places[part] = ties.positions[k]
    return R, places


def _support(R: Array) -> NDArray[np.intp]:
    """Six coordinates that hold the rigid motions, far from each other."""
    size = np.abs(R).max(axis=0)
    pivots = la.qr((R / size).T, mode="economic", pivoting=True)[2]
    return np.sort(pivots[:6])


def _statics(assembly: Assembly) -> tuple[Array, Array]:
    """Exact flexibility of the outer interfaces, and energy under unit rigid accelerations."""
    loads = np.hstack([assembly.unit_loads(assembly.ties.names[1:]), assembly.M @ assembly.R])
    work = loads.T @ assembly.inboard_held(loads)
    n = loads.shape[1] - 6
    return work[:n, :n], work[n:, n:]


def _body(
    structure: Structure,
    options: ReduceOptions,
    assembly: Assembly,
    V: Array,
    stiffness: Array,
    facts: Facts,
    residual: tuple[list[str], Array],
) -> FlexibleBody:
    ties = assembly.ties
    x = ties.T @ V
    motion = (ties.B @ V).reshape(len(ties.names), 6, -1)
    if options.method != "free-free":
        motion[0] = 0.0
    nodes: MasslessNodes = massless_nodes(structure, ties.names, ties.positions, motion, x)
    integrals, kind = gram(structure, x, ties.positions[0])
    masses, positions, displacements = equivalent_particles(integrals)
    shapes = np.zeros((len(masses), 6, V.shape[1]))
    shapes[:, 3:] = displacements
    held = x
    if options.method == "free-free":
        held = (
            x - rigid_motion(structure.positions, structure.freedoms, ties.positions[0]) @ motion[0]
        )
    return FlexibleBody(
        np.vstack([nodes.positions, ties.positions[0] + positions]),
        np.concatenate([np.zeros(len(nodes.positions)), masses]),
        np.concatenate([nodes.shapes, shapes]),
        stiffness,
        _damping(structure, options.damping, x, stiffness),
        names=nodes.names,
        level=options.level,
        solids=nodes.solids,
        second_order=_second_order(structure, options, assembly, x, nodes),
        recovery=None
        if structure.recovery is None or not x.shape[1]
        else recovery_at_nodes(structure.recovery(held), nodes),
        contact_nodes=residual[0],
        residual_compliance=residual[1],
        source=dataclasses.replace(structure, facts=dataclasses.replace(facts, mass_from=kind)),
    )


def _second_order(
    structure: Structure, options: ReduceOptions, assembly: Assembly, x: Array, nodes: MasslessNodes
) -> Any:
    """Second order of the body: now if its level needs it, else when somebody asks."""
    if not x.shape[1]:
        return SecondOrder(np.zeros((3, 0, 0)), np.zeros((3, 3, 0, 0)), {})
    if structure.geometry is None or options.method == "free-free":
        return None
    if options.level == "stiffened":
        return second_order_at_nodes(second_order(structure, assembly, x), structure, nodes)
    return partial(_second_order_of_body, structure, assembly.ties.names[0], x, nodes)


def _second_order_of_body(
    structure: Structure, inboard: str, x: Array, nodes: MasslessNodes
) -> SecondOrder:
    return second_order_at_nodes(second_order_of(structure, x, inboard), structure, nodes)


def second_order_of(structure: Structure, x: Array, inboard: str | None) -> SecondOrder:
    """Second order of shapes; see `Structure.second_order`."""
    if structure.geometry is None:
        raise ModelError(no_second_order(structure.name))
    ties = tied(structure, ReduceOptions(inboard=inboard).inboard_of(structure))
    return second_order(structure, _assembled(structure, ties)[0], x)


def _damping(structure: Structure, damping: Any, x: Array, stiffness: Array) -> Any:
    """Damping as `FlexibleBody` takes it: ratios, or a matrix in the amplitudes."""
    n, m = structure.n_freedom, len(stiffness)
    if isinstance(damping, tuple) and damping and damping[0] == "rayleigh":
        return np.diag(float(damping[1]) + float(damping[2]) * stiffness)
    if sp.issparse(damping) or np.ndim(damping) == 2:
        if damping.shape == (n, n) and n != m:
            return x.T @ (damping @ x)
        if damping.shape != (m, m):
            raise ModelError(
                f"{structure.name}: the damping matrix has shape {damping.shape}; give one of the "
                f"structure, {(n, n)}, or of the body's modes, {(m, m)}"
            )
        return damping.toarray() if sp.issparse(damping) else damping
    return damping
