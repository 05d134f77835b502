"""Flexible bodies defined by nodal masses and stiffness of a finite-element model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from ..errors import ModelError, name_list
from ..immutable import immutable, read_only
from ..printing import Shown
from ..spatial import block_diagonal, inertia_fault, rigid_shift, spatial_inertia
from ..spatial.scalar import array, is_numeric
from .basis import normal_basis
from .flexible import FlexibleBody, check_level
from .nodes import check_masses, checked_inboard, checked_names
from .normal import REMEDY, NormalBody

NULL = 1e-13  # eigenvalue of a matrix with unit diagonal that counts as zero
_ASYMMETRY = 1e-9  # relative, of a matrix that should be symmetric
_NEGATIVE = 1e-9  # negative eigenvalue of a matrix with unit diagonal that counts as rounding
_RIGID = 1e-8  # force that a rigid-body motion may cause, relative to the sum of absolute terms
_MOTIONS = [f"{kind} {axis}" for kind in ("rotation about", "translation along") for axis in "xyz"]


def numbers(value: Any, name: str) -> Array:
    """Array of finite real numbers, or a ModelError."""
    try:
        values = array(value)
    except (TypeError, ValueError):
        values = np.array(None)
    if not is_numeric(values) or np.iscomplexobj(values):
        raise ModelError(f"NodalBody: {name} must be an array of real numbers, without symbols")
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        where = tuple(int(i) for i in bad[0])
        raise ModelError(f"NodalBody: {name}{list(where)} is {values[where]}; it must be finite")
    return values


def rigid_motions(positions: Array) -> Array:
    """Displacements of all nodes in the six rigid-body motions about the centroid, (6 n, 6)."""
    return np.concatenate([rigid_shift(r).T for r in positions - positions.mean(axis=0)])


def unit_diagonal(matrix: Array, floor: Array | float = 0.0) -> Array:
    """Symmetric matrix scaled to a unit diagonal, which makes it independent of units.

    `matrix` (k, k): symmetric up to rounding; `floor` (k,): smaller diagonal entries are scaled as
    if they had this value.
    """
    size = np.sqrt(np.maximum(np.abs(np.diag(matrix)), floor))
    size = np.where(size > 0, size, 1.0)
    return (matrix + matrix.T) / 2 / np.outer(size, size)


def check_positive(matrix: Array, what: str, length: float) -> None:
    """Reject a matrix that is not symmetric or has negative eigenvalues.

    `matrix` (6 n, 6 n): matrix over the displacements of all nodes; `length`: size of the body [m],
    which makes rotations and translations comparable.
    """
    skewness = np.abs(matrix - matrix.T)
    if skewness.max() > _ASYMMETRY * np.abs(matrix).max():
        i, j = (int(k) for k in np.unravel_index(np.argmax(skewness), matrix.shape))
        raise ModelError(
            f"NodalBody: {what} is not symmetric: [{i}, {j}] is {matrix[i, j]:.6g}, [{j}, {i}] is "
            f"{matrix[j, i]:.6g}; check how it was assembled or read"
        )
    largest = np.abs(np.diag(matrix)).reshape(-1, 6)[:, 3:].max()
    one_node = 1e-12 * largest * np.repeat([length**2, 1.0], 3)
    values, vectors = np.linalg.eigh(unit_diagonal(matrix, np.tile(one_node, len(matrix) // 6)))
    if values[0] < -_NEGATIVE:
        node = int(np.argmax(np.abs(vectors[:, 0]))) // 6
        raise ModelError(
            f"NodalBody: {what} is indefinite: a displacement mostly of node {node} has negative "
            f"energy (eigenvalue {values[0]:.3g} of the matrix scaled to a unit diagonal); no "
            "eigenvalue may be negative"
        )


def check_free(matrix: Array, what: str, positions: Array) -> None:
    """Reject a matrix (6 n, 6 n) that resists rigid-body motion; name the worst motion."""
    r = rigid_motions(positions)
    length = np.abs(r[:, :3]).reshape(-1, 6, 3)[:, 3:].max() or 1.0
    unit = np.tile(np.repeat([1 / length, 1.0], 3), len(positions))[:, None]
    force, scale = unit * (matrix @ r), unit * (np.abs(matrix) @ np.abs(r))
    worst, terms = np.abs(force).max(axis=0), scale.max(axis=0)
    k = int(np.argmax(worst / np.where(terms > 0, terms, 1.0)))
    if worst[k] > _RIGID * terms[k]:
        node = int(np.argmax(np.abs(force[:, k]))) // 6
        raise ModelError(
            f"NodalBody: {what} resists the rigid-body {_MOTIONS[k]}: {worst[k]:.3g} at node "
            f"{node} from terms of {terms[k]:.3g} that should cancel; it must be that of the free "
            "structure, with displacements node by node, [rotation; translation]. Remove "
            "supports: the joint holds the inboard node"
        )


def check_held(stiffness: Array, nodes: Array) -> None:
    """Reject a structure with parts that are not connected to the inboard node.

    `stiffness` (6 n - 6, 6 n - 6): stiffness with the inboard node held; `nodes` (n - 1,): numbers
    of the nodes of its rows.
    """
    values, vectors = np.linalg.eigh(unit_diagonal(stiffness))
    if values[0] > NULL:
        return
    moved = np.sum(vectors[:, values <= NULL] ** 2, axis=1).reshape(-1, 6).sum(axis=1)
    loose = name_list(nodes[moved > 1e-3 * moved.max()], show=str)
    raise ModelError(
        f"NodalBody: nodes {loose} can move relative to the inboard node without deformation: "
        "stiffness is singular beyond the six rigid-body motions; constrain all six displacements "
        "of every node by elements, or make the loose part a separate body on a joint"
    )


Array = np.ndarray

_MASSLESS = 1e-14  # fraction of the heaviest node's mass (times length squared) that counts as zero


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class NodalBody(Shown):
    """Body given by finite-element data: nodes with six displacements, mass and stiffness.

    Displacements are ordered node by node, [rotation (3); translation (3)] in body axes.  The body
    frame is at the inboard node, which the joint holds; the structure itself is free.

    Parameters
    ----------
    positions : array (n, 3)
        Undeformed nodes [m], in any frame parallel to the body frame.
    masses : array (n,) or (6 n, 6 n)
        Masses lumped at the nodes [kg], or a consistent mass matrix of all displacements.
    stiffness : array (6 n, 6 n)
        Stiffness of the free structure: rigid-body motions must cause no force.
    node_inertias : array (n, 3, 3), optional
        Rotary inertia of lumped nodes about the nodes, in body axes [kg m^2].
    inboard : int or str
        Node that carries the joint towards the base.
    names : dict
        Names of nodes, such as {"tip": 9}.
    damping : float, array (k,) or array (6 n, 6 n)
        Damping ratio of all modes, ratios of the lowest k modes, or a matrix of all displacements.
    level : {"full", "linear", "ruthless"}
        Level of the modal form, see `FlexibleBody`.

    Notes
    -----
    Displacements without mass (rotations of nodes without rotary inertia, nodes that only serve as
    attachment points) follow the others statically: u = h* x with x the displacements that have
    mass.  This is exact as long as nothing acts on a massless displacement.  A body or a moment on
    a massless rotation turns the node only through x, which neglects the local bending of the
    structure; to include it, give the node rotary inertia.

    With all modes kept, every other node moves independently and the inertia at the joint is that
    of the inboard node alone: give that node mass and rotary inertia, or keep fewer modes.
    """

    positions: Any
    masses: Any
    stiffness: Any
    node_inertias: Any = field(default=None, kw_only=True)
    inboard: Any = field(default=0, kw_only=True)
    names: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    damping: Any = field(default=0.0, kw_only=True)
    level: str = field(default="full", kw_only=True)

    def __post_init__(self) -> None:
        for name in ("positions", "masses", "stiffness", "damping"):
            object.__setattr__(self, name, numbers(getattr(self, name), name))
        if self.node_inertias is not None:
            object.__setattr__(self, "node_inertias", numbers(self.node_inertias, "node_inertias"))
        self._check_shapes()
        names = checked_names(self.names, self.n_node, "NodalBody")
        object.__setattr__(self, "names", names)
        inboard = checked_inboard(self.inboard, names, self.n_node, "NodalBody")
        object.__setattr__(self, "inboard", inboard)
        if check_level(self.level) == "stiffened":
            raise ModelError(
                'NodalBody: level "stiffened" needs the second order of the deformation, which '
                'nodal data do not contain; use "full" or "linear", or make a FlexibleBody with '
                "second_order=SecondOrder(...)"
            )
        self._check_mass()
        self._check_stiffness()
        self._check_damping()

    @property
    def n_node(self) -> int:
        """Number of nodes n."""
        return len(self.positions)

    @property
    def n_freedom(self) -> int:
        """Number of displacements x that have mass, with the inboard node held."""
        return int(self.freedoms.shape[1])

    @property
    def is_lumped(self) -> bool:
        """Whether the mass is lumped at the nodes rather than given as a consistent matrix."""
        return bool(self.masses.ndim == 1)

    @property
    def frequencies(self) -> Array:
        """Natural frequencies with the inboard node held [Hz], ascending, shape (n_freedom,)."""
        return np.sqrt(self._modes[1]) / (2 * np.pi)

    @cached_property
    def mass_matrix(self) -> Array:
        """Free-free mass matrix m_k of all displacements, shape (6 n, 6 n)."""
        if not self.is_lumped:
            return read_only((self.masses + self.masses.T) / 2)
        inertias = np.zeros((self.n_node, 3, 3))
        if self.node_inertias is not None:
            inertias = self.node_inertias
        blocks = (
            spatial_inertia(m, np.zeros(3), J) for m, J in zip(self.masses, inertias, strict=True)
        )
        return read_only(block_diagonal(*blocks))

    @cached_property
    def freedoms(self) -> Array:
        """Matrix h* of all displacements, u = h* x, shape (6 n, n_freedom).

        Its rows at the inboard node are zero.  If all displacements have mass, it selects the
        other nodes; massless ones follow x statically (Guyan's condensation, exact here).
        """
        free = self._free
        Q, Z = _massive_and_massless(
            self.mass_matrix[np.ix_(free, free)], self._smallest_mass[free]
        )
        K = self.stiffness[np.ix_(free, free)]
        settled = np.linalg.solve(Z.T @ K @ Z, Z.T @ K @ Q)
        result = np.zeros((6 * self.n_node, Q.shape[1]))
        result[free] = Q - Z @ settled
        return read_only(result)

    @cached_property
    def freedom_damping(self) -> Array:
        """Damping matrix of the displacements x that have mass, (n_freedom, n_freedom)."""
        if self.damping.ndim == 2:
            return read_only(self.freedoms.T @ self.damping @ self.freedoms)
        columns, squares = self._modes
        ratios = np.zeros(len(squares))
        ratios[: np.size(self.damping) if self.damping.ndim else None] = self.damping
        to_modes = columns.T @ self.freedoms.T @ self.mass_matrix @ self.freedoms  # inverse
        return read_only((to_modes.T * (2 * ratios * np.sqrt(squares))) @ to_modes)

    def converted(self, convert: Callable[[Any], Any]) -> NodalBody:
        """The body itself, since all its parameters are numbers.

        Parameters
        ----------
        convert : callable
            Not used.
        """
        return self

    def to_modal(self, modes: int | None = None, level: str | None = None) -> FlexibleBody:
        """Same body in modal form.

        Parameters
        ----------
        modes : int, optional
            Number of modes to keep, those of lowest frequency with the inboard node held; by
            default all, which makes the modal form equal to the nodal one.
        level : {"full", "linear", "ruthless"}, optional
            Level of deformation terms; by default the body's.

        Returns
        -------
        FlexibleBody
            With the same nodes and names, and modes normalised to unit modal mass.

        Raises
        ------
        ModelError
            If the mass is a consistent matrix: it gives the kinetic energy at the undeformed
            configuration but not where the mass is, on which centrifugal and Coriolis forces
            depend.
        """
        n_mode = self._checked_modes(modes)
        if not self.is_lumped:
            raise ModelError(
                "NodalBody: masses is a consistent matrix, but the modal form needs lumped masses: "
                "its velocity-dependent terms depend on where the mass is, which the matrix does "
                "not contain. Give masses of the nodes, shape (n,), or make a FlexibleBody with "
                "the integration points of the elements as nodes; nodal_forward_dynamics accepts "
                "the matrix as it is"
            )
        x, squares = (a[..., :n_mode] for a in self._modes)
        shapes = self.freedoms @ x
        damping = self.damping
        if damping.ndim == 1:
            damping = damping[:n_mode]
        elif damping.ndim == 2:
            damping = shapes.T @ damping @ shapes
        return FlexibleBody(
            self.positions,
            self.masses,
            shapes.reshape(self.n_node, 6, n_mode),
            np.diag(squares),
            damping,
            node_inertias=self.node_inertias,
            inboard=self.inboard,
            names=self.names,
            level=self.level if level is None else level,
        )

    def normalised(self, level: str | None = None) -> NormalBody:
        """Constants for the algorithms, all modes kept; see `to_modal`.

        Parameters
        ----------
        level : {"full", "linear", "ruthless"}, optional
            Level of deformation terms; by default the body's.
        """
        return self.to_modal(level=level).normalised()

    @cached_property
    def _modes(self) -> tuple[Array, Array]:
        """Columns x of the modes and their squared angular frequencies, ascending."""
        h = self.freedoms.T
        K = h @ self.stiffness @ h.T
        x, squares = normal_basis(h @ self.mass_matrix @ h.T, (K + K.T) / 2)
        return read_only(x), read_only(squares)

    @cached_property
    def _free(self) -> Array:
        """Displacements of all nodes but the inboard one."""
        others = np.repeat(np.arange(self.n_node) != self.inboard, 6)
        return read_only(np.flatnonzero(others))

    @cached_property
    def _length(self) -> float:
        """Largest distance of a node from the centroid of all nodes [m]."""
        return float(np.linalg.norm(self.positions - self.positions.mean(axis=0), axis=1).max())

    @cached_property
    def _smallest_mass(self) -> Array:
        """Smallest diagonal entries of the mass matrix that count as mass, shape (6 n,)."""
        heaviest = np.diag(self.mass_matrix).reshape(-1, 6)[:, 3:].max()
        one = _MASSLESS * heaviest * np.repeat([self._length**2, 1.0], 3)
        return read_only(np.tile(one, self.n_node))

    def _check_shapes(self) -> None:
        n = len(np.atleast_1d(self.positions))
        expected: dict[str, list[tuple[int, ...]]] = {
            "positions": [(n, 3)],
            "masses": [(n,), (6 * n, 6 * n)],
            "stiffness": [(6 * n, 6 * n)],
        }
        if self.node_inertias is not None:
            expected["node_inertias"] = [(n, 3, 3)]
        for name, shapes in expected.items():
            if getattr(self, name).shape not in shapes:
                raise ModelError(
                    f"NodalBody: {name} has shape {getattr(self, name).shape}; expected "
                    f"{' or '.join(map(str, shapes))} for {n} nodes with six displacements each"
                )
        if n < 2:
            raise ModelError(
                "NodalBody: a body with one node cannot deform; give more nodes, or use RigidBody"
            )
        if not self.is_lumped and self.node_inertias is not None:
            raise ModelError(
                "NodalBody: node_inertias is given together with a consistent mass matrix; add it "
                "to the rotation entries of the matrix"
            )
        if self.damping.ndim > 1 and self.damping.shape != (6 * n, 6 * n):
            raise ModelError(
                f"NodalBody: damping has shape {self.damping.shape}; give one ratio, ratios of the "
                f"lowest modes or a {6 * n}x{6 * n} matrix"
            )

    def _checked_modes(self, modes: int | None) -> int:
        n_mode = self.n_freedom if modes is None else modes
        if not isinstance(n_mode, (int, np.integer)) or not 1 <= n_mode <= self.n_freedom:
            raise ModelError(
                f"NodalBody: modes is {modes!r}; give a whole number from 1 to "
                f"{self.n_freedom}, the number of modes of the body"
            )
        if self.damping.ndim == 1 and n_mode > len(self.damping):
            raise ModelError(
                f"NodalBody: damping has {len(self.damping)} ratios for {n_mode} modes; give one "
                "ratio for each mode, or one for all"
            )
        return int(n_mode)

    def _check_mass(self) -> None:
        if self.is_lumped:
            check_masses(self.masses, "NodalBody")
            for node, J in enumerate(self.node_inertias if self.node_inertias is not None else ()):
                if fault := inertia_fault(J):
                    raise ModelError(
                        f"NodalBody: the inertia of node {node} is not physical: {fault}"
                    )
        else:
            check_positive(self.masses, "masses", self._length)
            self._check_rigid_inertia()
        if not np.any(np.diag(self.mass_matrix)[self._free] > self._smallest_mass[self._free]):
            raise ModelError(
                f"NodalBody: only the inboard node ({self.inboard}) has mass; give other nodes "
                "mass, or use RigidBody"
            )

    def _check_rigid_inertia(self) -> None:
        """Reject unequal masses along x, y and z: the matrix is ordered differently."""
        r = rigid_motions(self.positions)
        moved = (r.T @ self.mass_matrix @ r)[3:, 3:]
        mass = np.trace(moved) / 3
        if not mass > 0 or np.abs(moved - mass * np.eye(3)).max() > 1e-6 * mass:
            shown = ", ".join(f"{m:.6g}" for m in np.diag(moved))
            raise ModelError(
                f"NodalBody: masses gives the whole body the masses {shown} kg along x, y and z; "
                "they must be equal; check the order of the displacements: node by node, "
                "[rotation; translation]"
            )

    def _check_stiffness(self) -> None:
        check_positive(self.stiffness, "stiffness", self._length)
        check_free(self.stiffness, "stiffness", self.positions)
        check_held(self.stiffness[np.ix_(self._free, self._free)], self._free[::6] // 6)

    def _check_damping(self) -> None:
        if self.damping.ndim == 2:
            check_positive(self.damping, "damping", self._length)
            check_free(self.damping, "damping", self.positions)
        elif np.any(self.damping < 0):
            raise ModelError(f"NodalBody: damping is {self.damping}; ratios must not be negative")


def _massive_and_massless(m: Array, smallest: Array) -> tuple[Array, Array]:
    """Columns Q with mass and Z without: displacements = Q x + Z y."""
    masses, eye = np.diag(m), np.eye(len(m))
    heavy = masses > smallest
    Q, Z = eye[:, heavy], eye[:, ~heavy]
    values, vectors = np.linalg.eigh(unit_diagonal(m[np.ix_(heavy, heavy)]))
    if np.all(values > NULL):
        return Q, Z
    Q = Q @ (vectors / np.sqrt(masses[heavy])[:, None])
    return Q[:, values > NULL], np.concatenate([Z, Q[:, values <= NULL]], axis=1)
