"""Flexible bodies from the nodal mass and stiffness of a finite-element model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from ..errors import ModelError
from ..spatial import block_diagonal, inertia_fault, rigid_shift, spatial_inertia
from ..spatial.scalar import array, is_numeric
from .basis import normal_basis
from .flexible import FlexibleBody, check_level
from .normal import NormalBody

__all__ = ["NodalBody"]

Array = np.ndarray

_ASYMMETRY = 1e-9  # relative, of a matrix that should be symmetric
_RIGID = 1e-8  # force that a rigid-body motion may cause, relative to the sum of absolute terms
_NULL = 1e-13  # eigenvalue of a matrix with unit diagonal below which a direction counts as empty
_MASSLESS = 1e-14  # share of the heaviest node's mass (times length squared) that counts as none
_MOTIONS = [f"{kind} {axis}" for kind in ("rotation about", "translation along") for axis in "xyz"]


@final
@dataclass(frozen=True, eq=False)
class NodalBody:
    """Body given by finite-element data: nodes with six displacements, mass and stiffness.

    Displacements are ordered node by node, [rotation (3); translation (3)] in body axes.  The body
    frame sits at the inboard node, which the joint holds; the structure itself is free.

    Parameters
    ----------
    positions : array (n, 3)
        Undeformed nodes [m], in any frame parallel to the body's.
    masses : array (n,) or (6 n, 6 n)
        Masses lumped at the nodes [kg], or a consistent mass matrix of all displacements.
    stiffness : array (6 n, 6 n)
        Of the free structure: rigid-body motions must cause no force.
    node_inertias : array (n, 3, 3), optional
        Rotary inertia of lumped nodes about the nodes, in body axes [kg m^2].
    inboard : int or str
        Node at which the joint towards the base sits.
    names : dict
        Names of nodes, such as {"tip": 9}.
    damping : float, array (k,) or array (6 n, 6 n)
        Damping ratio of all modes, ratios of the lowest k modes, or a matrix of all displacements.
    level : {"full", "linear"}
        Level of the modal form, see `FlexibleBody`.

    Notes
    -----
    Displacements without mass (the rotations of nodes that have no rotary inertia, nodes that only
    serve as attachments) follow the others statically: u = h* x with x the displacements that have
    mass.  This is exact as long as nothing acts on a massless displacement.  A body or a moment put
    on a massless rotation turns the node only through x, so that the local bending of the
    structure under it is left out; give such a node rotary inertia to keep it.
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
        for name in ("positions", "masses", "stiffness", "damping", "node_inertias"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _numbers(getattr(self, name), name))
        self._check_shapes()
        object.__setattr__(self, "names", _checked_names(self.names, self.n_node))
        object.__setattr__(self, "inboard", self._checked_inboard())
        check_level(self.level)
        self._check_mass()
        self._check_stiffness()
        self._check_damping()

    @property
    def n_node(self) -> int:
        """Number of nodes n."""
        return len(self.positions)

    @property
    def n_freedom(self) -> int:
        """Number of displacements x that have mass, the inboard node held."""
        return int(self.freedoms.shape[1])

    @property
    def is_lumped(self) -> bool:
        """Whether the mass sits at the nodes, rather than in a consistent mass matrix."""
        return bool(self.masses.ndim == 1)

    @property
    def frequencies(self) -> Array:
        """Natural frequencies with the inboard node held [Hz], ascending, shape (n_freedom,)."""
        return np.sqrt(self._modes[1]) / (2 * np.pi)

    @cached_property
    def mass_matrix(self) -> Array:
        """Free-free mass matrix m_k of all displacements, shape (6 n, 6 n)."""
        if not self.is_lumped:
            return (self.masses + self.masses.T) / 2
        inertias = np.zeros((self.n_node, 3, 3))
        if self.node_inertias is not None:
            inertias = self.node_inertias
        return block_diagonal(
            *(spatial_inertia(m, np.zeros(3), J) for m, J in zip(self.masses, inertias, strict=True))
        )

    @cached_property
    def freedoms(self) -> Array:
        """Matrix h* with all displacements u = h* x, shape (6 n, n_freedom).

        Its rows at the inboard node are zero.  If all displacements have mass, it selects the
        other nodes; massless ones follow x statically (Guyan's condensation, exact here).
        """
        free = self._free
        Q, Z = _massive_and_massless(self.mass_matrix[np.ix_(free, free)], self._smallest_mass[free])
        K = self.stiffness[np.ix_(free, free)]
        settled = np.linalg.solve(Z.T @ K @ Z, Z.T @ K @ Q)
        result = np.zeros((6 * self.n_node, Q.shape[1]))
        result[free] = Q - Z @ settled
        return result

    def converted(self, convert: Callable[[Any], Any]) -> NodalBody:
        """The body itself: it holds numbers only."""
        return self

    def to_modal(self, modes: int | None = None, level: str | None = None) -> FlexibleBody:
        """Same body in modal form.

        Parameters
        ----------
        modes : int, optional
            Number of modes to keep, those of lowest frequency with the inboard node held; by
            default all, which makes the modal form equal to the nodal one.
        level : {"full", "linear"}, optional
            By default the body's own.

        Returns
        -------
        FlexibleBody
            With the same nodes and names, and modes normalised to unit modal mass.

        Raises
        ------
        ModelError
            If the mass is a consistent matrix: it says what deforming and moving cost at rest, but
            not where the mass is, which centrifugal and Coriolis forces depend on.
        """
        n_mode = self._checked_modes(modes)
        if not self.is_lumped:
            raise ModelError(
                "NodalBody: to_modal needs lumped masses, masses is a consistent (6 n, 6 n) matrix; "
                "velocity-dependent terms need to know where the mass is, which that matrix does "
                "not say. Give the masses of the nodes (n,), or make a FlexibleBody with the "
                "integration points of the elements as nodes"
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
        """Constants for the algorithms, all modes kept; see `to_modal`."""
        return self.to_modal(level=level).normalised()

    @cached_property
    def _modes(self) -> tuple[Array, Array]:
        """Columns x of the modes and their squared angular frequencies, ascending."""
        h = self.freedoms.T
        K = h @ self.stiffness @ h.T
        return normal_basis(h @ self.mass_matrix @ h.T, (K + K.T) / 2)

    @cached_property
    def _free(self) -> Array:
        """Displacements of all nodes but the inboard one."""
        return np.flatnonzero(np.repeat(np.arange(self.n_node) != self.inboard, 6))

    @cached_property
    def _length(self) -> float:
        """Largest distance of a node from the middle of all [m]."""
        return float(np.linalg.norm(self.positions - self.positions.mean(axis=0), axis=1).max())

    @cached_property
    def _smallest_mass(self) -> Array:
        """Diagonal entries of the mass matrix that still count as mass, shape (6 n,)."""
        heaviest = np.diag(self.mass_matrix).reshape(-1, 6)[:, 3:].max()
        one = _MASSLESS * heaviest * np.repeat([self._length**2, 1.0], 3)
        return np.tile(one, self.n_node)

    def _rigid_motions(self, about: Array) -> Array:
        """Displacements of all nodes in the six rigid-body motions about a point, (6 n, 6)."""
        return np.concatenate([rigid_shift(r - about).T for r in self.positions])

    def _check_shapes(self) -> None:
        n = len(np.atleast_1d(self.positions))
        expected = {"positions": [(n, 3)], "masses": [(n,), (6 * n, 6 * n)]}
        expected["stiffness"] = [(6 * n, 6 * n)]
        if self.node_inertias is not None:
            expected["node_inertias"] = [(n, 3, 3)]
        for name, shapes in expected.items():
            if getattr(self, name).shape not in shapes:
                raise ModelError(
                    f"NodalBody: {name} has shape {getattr(self, name).shape}; expected "
                    f"{' or '.join(map(str, shapes))} for {n} nodes with six displacements each"
                )
        if n < 2:
            raise ModelError("NodalBody: one node cannot deform; use RigidBody")
        if not self.is_lumped and self.node_inertias is not None:
            raise ModelError(
                "NodalBody: node_inertias is given beside a consistent mass matrix; add them to the "
                "rotation entries of the matrix"
            )
        if self.damping.ndim == 2 and self.damping.shape != (6 * n, 6 * n) or self.damping.ndim > 2:
            raise ModelError(
                f"NodalBody: damping has shape {self.damping.shape}; give one ratio, ratios of the "
                f"lowest modes or a {6 * n}x{6 * n} matrix"
            )

    def _checked_inboard(self) -> int:
        node = self.names.get(self.inboard, -1) if isinstance(self.inboard, str) else self.inboard
        if not isinstance(node, (int, np.integer)) or not 0 <= node < self.n_node:
            raise ModelError(
                f"NodalBody: inboard is {self.inboard!r}; it must be a node, 0 to "
                f"{self.n_node - 1}, or one of the names {sorted(self.names)}"
            )
        return int(node)

    def _checked_modes(self, modes: int | None) -> int:
        n_ratio = len(self.damping) if self.damping.ndim == 1 else self.n_freedom
        if modes is None and n_ratio >= self.n_freedom:
            return self.n_freedom
        if not isinstance(modes, (int, np.integer)) or not 1 <= modes <= self.n_freedom:
            if modes is not None:
                raise ModelError(
                    f"NodalBody: modes is {modes!r}; the body has modes 1 to {self.n_freedom}"
                )
            modes = self.n_freedom
        if modes > n_ratio:
            raise ModelError(
                f"NodalBody: damping has {n_ratio} ratios, {modes} modes are asked for; give as "
                "many ratios, or one for all modes"
            )
        return int(modes)

    def _check_mass(self) -> None:
        if self.is_lumped:
            if np.any(self.masses < 0):
                node = int(np.argmin(self.masses))
                raise ModelError(
                    f"NodalBody: mass of node {node} is {self.masses[node]:g} kg; masses must not "
                    "be negative"
                )
            for node, J in enumerate(self.node_inertias if self.node_inertias is not None else ()):
                if fault := inertia_fault(J):
                    raise ModelError(
                        f"NodalBody: no node can have the inertia of node {node}: {fault}"
                    )
        else:
            _check_positive(self.masses, "masses")
            self._check_rigid_inertia()
        if not np.any(np.diag(self.mass_matrix)[self._free] > self._smallest_mass[self._free]):
            raise ModelError(
                f"NodalBody: no node but the inboard one ({self.inboard}) has mass; give the other "
                "nodes mass, or use RigidBody"
            )

    def _check_rigid_inertia(self) -> None:
        """A body has the same mass in all directions; a matrix in another order has not."""
        r = self._rigid_motions(self.positions.mean(axis=0))
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
        _check_positive(self.stiffness, "stiffness")
        self._check_free(self.stiffness, "stiffness")
        K = self.stiffness[np.ix_(self._free, self._free)]
        values, vectors = np.linalg.eigh(_unit_diagonal(K))
        if values[0] > _NULL:
            return
        moved = np.sum(vectors[:, values <= _NULL] ** 2, axis=1).reshape(-1, 6).sum(axis=1)
        others = np.delete(np.arange(self.n_node), self.inboard)
        nodes = ", ".join(str(k) for k in others[moved > 1e-3 * moved.max()])
        raise ModelError(
            f"NodalBody: stiffness leaves nodes {nodes} free to move against the inboard node "
            f"({self.inboard}) without deforming anything; hold all six displacements of every node "
            "by elements, or make the loose part a body of its own on a joint"
        )

    def _check_free(self, matrix: Array, what: str) -> None:
        """Refuse a matrix that resists a rigid-body motion, and say which."""
        r = self._rigid_motions(self.positions.mean(axis=0))
        unit = np.tile(np.repeat([1 / max(self._length, 1e-300), 1.0], 3), self.n_node)
        force, scale = unit[:, None] * (matrix @ r), unit[:, None] * (np.abs(matrix) @ np.abs(r))
        worst = np.abs(force).max(axis=0)
        for k, motion in enumerate(_MOTIONS):
            if worst[k] > _RIGID * scale[:, k].max():
                node = int(np.argmax(np.abs(force[:, k]))) // 6
                raise ModelError(
                    f"NodalBody: {what} resists the rigid-body {motion}, with {worst[k]:.3g} N at "
                    f"node {node} for a unit of it; it must be that of the free structure, with "
                    "displacements node by node, [rotation; translation]. Take supports out: the "
                    "joint holds the inboard node"
                )

    def _check_damping(self) -> None:
        if self.damping.ndim == 2:
            _check_positive(self.damping, "damping")
            self._check_free(self.damping, "damping")
        elif np.any(self.damping < 0):
            raise ModelError(f"NodalBody: damping is {self.damping}; ratios must not be negative")


def _massive_and_massless(m: Array, smallest: Array) -> tuple[Array, Array]:
    """Directions with mass and directions without, as columns: displacements = Q x + Z y."""
    own, eye = np.diag(m), np.eye(len(m))
    heavy = own > smallest
    Q, Z = eye[:, heavy], eye[:, ~heavy]
    values, vectors = np.linalg.eigh(_unit_diagonal(m[np.ix_(heavy, heavy)]))
    if np.all(values > _NULL):
        return Q, Z
    Q = Q @ (vectors / np.sqrt(own[heavy])[:, None])
    return Q[:, values > _NULL], np.concatenate([Z, Q[:, values <= _NULL]], axis=1)


def _unit_diagonal(A: Array) -> Array:
    """The symmetric matrix scaled to a diagonal of ones, so that units do not matter."""
    size = np.sqrt(np.diag(A).clip(min=0.0))
    size = np.where(size > 0, size, 1.0)
    return (A + A.T) / 2 / np.outer(size, size)


def _check_positive(matrix: Array, what: str) -> None:
    """Refuse a matrix that is not symmetric or has negative directions."""
    if np.abs(matrix - matrix.T).max() > _ASYMMETRY * np.abs(matrix).max():
        i, j = np.unravel_index(np.argmax(np.abs(matrix - matrix.T)), matrix.shape)
        raise ModelError(
            f"NodalBody: {what} is not symmetric: [{i}, {j}] is {matrix[i, j]:.6g} and [{j}, {i}] is "
            f"{matrix[j, i]:.6g}"
        )
    values, vectors = np.linalg.eigh(_unit_diagonal(matrix))
    if values[0] < -1e-9:
        node = int(np.argmax(np.abs(vectors[:, 0]))) // 6
        raise ModelError(
            f"NodalBody: {what} is indefinite: a displacement mostly of node {node} gives a negative "
            f"energy (eigenvalue {values[0]:.3g} of the matrix scaled to a unit diagonal); all must "
            "be positive or zero"
        )


def _numbers(value: Any, name: str) -> Array:
    try:
        given = array(value)
    except (TypeError, ValueError):
        given = np.array(None)
    if not is_numeric(given) or np.iscomplexobj(given):
        raise ModelError(f"NodalBody: {name} is not an array of real numbers; symbols are not taken")
    bad = np.argwhere(~np.isfinite(given))
    if len(bad):
        where = tuple(int(i) for i in bad[0])
        raise ModelError(f"NodalBody: {name}{list(where)} is {given[where]}; it must be finite")
    return given


def _checked_names(names: Mapping[str, int], n_node: int) -> dict[str, int]:
    for name, node in names.items():
        if not isinstance(name, str) or not name or "." in name:
            raise ModelError(f"NodalBody: node name {name!r} must be text without a dot")
        if not isinstance(node, (int, np.integer)) or not 0 <= node < n_node:
            raise ModelError(
                f"NodalBody: name {name!r} points to node {node!r}, which does not exist; nodes "
                f"are 0 to {n_node - 1}"
            )
    return {name: int(node) for name, node in names.items()}
