"""Bodies in normalised form, the only form that the algorithms use.

The modes of a normalised body vanish at its inboard node (A 1), where its frame is; its undeformed
modal mass matrix is the identity and its stiffness is diagonal.  A rigid body is a body without
modes, so both share one code path.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..errors import ModelError, name_list
from ..immutable import array_of, immutable
from ..printing import Shown, filled
from ..spatial import cross, many_rotations, second_moment
from ..spatial.scalar import is_numeric, zeros
from .line import NodeLine
from .recovery import Recovery
from .residual import ResidualCompliance
from .rod_modes import natural_frequencies
from .rod_poses import section_poses
from .rod_tables import RodTables
from .second_order import SecondOrder
from .solids import Solid

Array = np.ndarray

# Of bodies with modes; rods are "exact".  The first two have the inertia of the undeformed body.
LEVELS = ("ruthless", "linear", "full", "stiffened")
LINEARISED = LEVELS[:2]

# Remedies in messages when a body, or a compiled body, is assigned to.
REMEDY = "make a changed copy, dataclasses.replace(body, ...), and pass it to model.replace"
_COMPILED = "put another body into the model and compile it again"


@immutable(_COMPILED)
@dataclass(frozen=True, eq=False)
class Lump(Shown):
    """Node with rotary inertia or an offset centre of mass, in node axes.

    Attributes
    ----------
    mass : float
        [kg].
    offset : array (3,)
        Centre of mass relative to the node [m].
    inertia : array (3, 3)
        About the node [kg m^2].
    node : int
        Index of the node.
    """

    mass: float
    offset: Array = field(metadata=array_of("m", "axis"))
    inertia: Array = field(metadata=array_of("kg m2", "axis", "other_axis"))
    node: int


@immutable(_COMPILED)
@dataclass(frozen=True, eq=False)
class MassIntegrals(Shown):
    """Integrals over the mass of an undeformed body, about its origin, in its axes.

    Attributes
    ----------
    mass : float
        m [kg].
    first_moment : array (3,)
        p0 = integral r dm [kg m].
    second_moment : array (3, 3)
        L0 = integral r r^T dm [kg m^2].
    modal_first_moment : array (3, n_mode)
        s_k = integral Pi_k dm.
    modal_second_moment : array (3, 3, n_mode)
        g_kl = integral r_k Pi_l dm.
    modal_products : array (3, 3, n_mode, n_mode)
        N_kl = integral Pi_k^T Pi_l dm; used at level "full" only, otherwise zero.
    """

    mass: float
    first_moment: Array = field(metadata=array_of("kg m", "axis"))
    second_moment: Array = field(metadata=array_of("kg m2", "axis", "other_axis"))
    modal_first_moment: Array = field(metadata=array_of("1", "axis", "mode"))
    modal_second_moment: Array = field(metadata=array_of("1", "axis", "other_axis", "mode"))
    modal_products: Array = field(
        metadata=array_of("1", "axis", "other_axis", "mode", "other_mode")
    )

    @classmethod
    def of_rigid(cls, mass: float, first_moment: Array, second_moment: Array) -> MassIntegrals:
        """Integrals of a body without modes."""
        empty = (zeros(3, 0), zeros(3, 3, 0), zeros(3, 3, 0, 0))
        return cls(mass, first_moment, second_moment, *empty)

    @classmethod
    def of_points(cls, masses: Array, positions: Array, shapes: Array) -> MassIntegrals:
        """Integrals of particles: masses (n,), positions (n, 3), shapes (n, 3, n_mode)."""
        heavy = masses != 0
        m, r, Pi = masses[heavy], positions[heavy], shapes[heavy]
        n_mode = Pi.shape[2]
        mPi = (m[:, None, None] * Pi).reshape(len(m), 3 * n_mode)
        products = mPi.T @ Pi.reshape(len(m), 3 * n_mode)
        return cls(
            mass=m.sum().item() if is_numeric(m) else m.sum(),
            first_moment=m @ r,
            second_moment=(m[:, None] * r).T @ r,
            modal_first_moment=mPi.sum(axis=0).reshape(3, n_mode),
            modal_second_moment=(r.T @ mPi).reshape(3, 3, n_mode),
            modal_products=products.reshape(3, n_mode, 3, n_mode).transpose(0, 2, 1, 3).copy(),
        )

    def with_lump(self, lump: Lump, position: Array, shapes: Array) -> MassIntegrals:
        """Zeroth-order integrals including a lump at a node; shapes is (6, n_mode)."""
        rotation, translation = shapes[:3], shapes[3:]
        p = lump.mass * lump.offset
        L = second_moment(lump.inertia)
        turned = np.stack([cross(rotation, np.broadcast_to(x, rotation.T.shape).T) for x in L])
        swung = cross(rotation, np.broadcast_to(p, rotation.T.shape).T)
        arm = lump.mass * position + p
        return MassIntegrals(
            mass=self.mass + lump.mass,
            first_moment=self.first_moment + arm,
            second_moment=self.second_moment
            + lump.mass * np.outer(position, position)
            + np.outer(position, p)
            + np.outer(p, position)
            + L,
            modal_first_moment=self.modal_first_moment + lump.mass * translation + swung,
            modal_second_moment=self.modal_second_moment
            + arm[:, None, None] * translation
            + position[:, None, None] * swung
            + turned,
            modal_products=self.modal_products,
        )


@immutable(_COMPILED)
@dataclass(frozen=True, eq=False)
class NormalBody:
    """Constants of a body in normalised form, in its axes about its origin.

    Attributes
    ----------
    integrals : MassIntegrals
        Integrals of the whole body to zeroth order at levels "linear" and "ruthless", of the
        point masses at the others.
    lumps : tuple of Lump
        Nodes with rotary inertia; empty at these two levels, where the integrals include them.
    stiffness : array (n_mode,)
        Diagonal of K_m, the squared angular frequencies [rad^2/s^2].
    damping : array (n_mode, n_mode)
        C_m [rad/s].
    node_positions : array (n_node, 3)
        Undeformed nodes [m]; the inboard node is at the origin.
    node_shapes : array (n_node, 6, n_mode)
        Pi, rotation rows first.
    inboard : int
        Index of the node at the body's frame.
    node_names : dict
        Names of nodes.
    level : {"ruthless", "linear", "full", "stiffened", "exact"}
        Deformation terms that the inertia of the body includes.
    solids : tuple of Solid
        Appearance in drawings and views.
    second_order : SecondOrder, optional
        Second order of the deformation, at level "stiffened".
    rod : RodTables, optional
        Stations and strain functions, at level "exact"; integrals and node shapes are then those
        at rest.
    floating : NormalBody, optional
        The same body in the frame of its given shapes, if these turn the inboard node, at level
        "full"; its own `inboard` is -1.  The rest of this body is then the linearisation at rest.
    recovery : Recovery, optional
        Stresses and section loads in the modal coordinates.
    line : Line, optional
        Axis of the beam that the body is, for its section loads.
    residual : ResidualCompliance, optional
        Compliance that the modes leave out at contact nodes.
    """

    integrals: MassIntegrals
    lumps: tuple[Lump, ...]
    stiffness: Array = field(metadata=array_of("rad2/s2", "mode"))
    damping: Array = field(metadata=array_of("rad/s", "mode", "other_mode"))
    node_positions: Array = field(metadata=array_of("m", "node", "axis"))
    node_shapes: Array = field(metadata=array_of("1", "node", "six", "mode"))
    inboard: int
    node_names: dict[str, int]
    level: str
    solids: tuple[Solid, ...] = ()
    second_order: SecondOrder | None = None
    rod: RodTables | None = None
    floating: NormalBody | None = None
    recovery: Recovery | None = None
    line: NodeLine | None = None
    residual: ResidualCompliance | None = None

    def __repr__(self) -> str:
        """Mass, modes and nodes."""
        words = [f"{float(self.mass):.6g} kg"] if is_numeric(np.asarray(self.mass)) else []
        words.append(f"{self.n_mode} modes, level {self.level}" if self.n_mode else "rigid")
        words += [f"nodes {name_list(self.node_names, show=str)}"] if self.node_names else []
        return filled("NormalBody(", words)

    @property
    def n_mode(self) -> int:
        """Number of modes."""
        return len(self.stiffness)

    @property
    def dense_mass(self) -> bool:
        """Whether the modal mass depends on the deformation: not that of points seen inboard."""
        return bool(self.lumps) or self.rod is not None or self.floating is not None

    def second_shapes(self, node: int) -> Array:
        """Second order [rho; h] of a node at level "stiffened", (6, n_mode, n_mode).

        Parameters
        ----------
        node : int
            Index of the node.
        """
        assert self.second_order is not None
        shapes = self.second_order.node_shapes.get(node)
        if shapes is not None:
            return shapes
        if node == self.inboard:
            return zeros(6, self.n_mode, self.n_mode)
        names = [name for name, k in self.node_names.items() if k == node]
        raise ModelError(
            f"node {node}{f' ({names[0]})' if names else ''} has no second order, which level "
            '"stiffened" needs where something is attached; give it in SecondOrder.node_shapes, or '
            "use another node"
        )

    def displaced(self, node: int, eta: Array) -> Array:
        """Rotation vector [rad] and displacement [m] of a node, (..., 6), by its deformation.

        Parameters
        ----------
        node : int
            Index of the node.
        eta : array (..., n_mode)
            Modal coordinates.
        """
        if self.rod is not None:
            rows, piece = np.reshape(eta, (-1, self.n_mode)), self.rod.node_pieces[node]
            turns, places = section_poses(self.rod, [piece], np.vstack([0 * rows[:1], rows]))
            from_rest = many_rotations.product(turns[1:, 0], turns[:1, 0] * [1, -1, -1, -1])
            turned = many_rotations.rotation_vector(from_rest, np.zeros((len(rows), 3)))
            moved = np.hstack([turned, places[1:, 0] - places[:1, 0]])
            return moved.reshape(*np.shape(eta)[:-1], 6)
        if self.floating is not None:
            return self._seen_from_inboard(node, eta)
        moved = eta @ self.node_shapes[node].T
        if self.second_order is None or node not in self.second_order.node_shapes:
            return moved
        S = self.second_order.node_shapes[node]
        return moved + np.einsum("kij,...i,...j->...k", S, eta, eta) / 2

    def _seen_from_inboard(self, node: int, eta: Array) -> Array:
        """`displaced` of a body whose shapes turn its inboard node."""
        assert self.floating is not None
        rows = np.reshape(eta, (-1, self.n_mode))
        moved, held = (self.floating.displaced(k, rows) for k in (node, self.inboard))
        back = many_rotations.exponential(-held[:, :3])
        turn = many_rotations.product(back, many_rotations.exponential(moved[:, :3]))
        place = self.node_positions[node] + moved[:, 3:] - held[:, 3:]
        shift = many_rotations.rotated(back, place) - self.node_positions[node]
        vectors = many_rotations.rotation_vector(turn, np.zeros((len(rows), 3)))
        return np.hstack([vectors, shift]).reshape(*np.shape(eta)[:-1], 6)

    def deflection(self, eta: Array) -> float:
        """Largest displacement of a node by deformation, as a fraction of the body's length.

        Parameters
        ----------
        eta : array (n_mode,)
            Modal coordinates.
        """
        length = float(np.linalg.norm(self.node_positions, axis=1).max(initial=0.0))
        moved = np.linalg.norm(self.node_shapes[:, 3:] @ eta, axis=1).max(initial=0.0)
        return float(moved) / length if length else 0.0

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return self.integrals.mass + sum(lump.mass for lump in self.lumps)

    @property
    def frequencies(self) -> Array:
        """Natural frequencies with the inboard node held [Hz], shape (n_mode,)."""
        if self.rod is not None:
            return natural_frequencies(self.rod, self.stiffness)
        return np.sqrt(self.stiffness) / (2 * np.pi)
