"""Finite-element model of one body, before its reduction to a few shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies.flexible import FlexibleBody
from ...bodies.recovery import Recovery
from ...bodies.second_order import SecondOrder
from ...printing import Shown
from .geometry import Geometry
from .options import ReduceOptions
from .reduce import reduce_structure, second_order_of
from .report_data import Facts

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Interface(Shown):
    """Place of a structure at which a joint, a load or another body is attached.

    Its six freedoms w = [rotation; translation] are those of a node with six freedoms, or follow a
    group of nodes:

      tie "node"      w = the six freedoms of nodes[0]
      tie "rigid"     the nodes move as a rigid body with w
      tie "average"   w = weighted mean motion of the nodes, which stay free to deform

    Attributes
    ----------
    position : array (3,)
        [m].
    nodes : array of int
        Nodes of the structure.
    tie : {"node", "rigid", "average"}
        See above.
    weights : array, optional
        Of the nodes for "average" (areas, say); by default equal.
    """

    position: Array
    nodes: NDArray[np.intp]
    tie: str = "node"
    weights: Array | None = None


@dataclass(frozen=True, eq=False)
class SurfaceMesh:
    """Triangles of a structure's surface, for pictures.

    Attributes
    ----------
    triangles : array (t, 3) of int
        Nodes of the structure, counter-clockwise from outside.
    """

    triangles: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Profile:
    """Appearance of a member of a frame: its outline along its nodes.

    Attributes
    ----------
    outline : array (k, 2) or (n, k, 2)
        Corners of the section in y and z, or those at each node [m].
    axes : array (3, 3)
        Columns x (along the member), y and z of the section.
    """

    outline: Array
    axes: Array


@dataclass(frozen=True, eq=False)
class Structure(Shown):
    """Finite-element model: nodes, freedoms, mass, stiffness and interfaces.

    Attributes
    ----------
    name : str
        Shown in messages: "frame", "bracket.inp" and the like.
    positions : array (n, 3)
        Nodes [m], in any frame parallel to the body frame.
    freedoms : array (N, 2) of int
        Node and direction of each row of the matrices; directions 0 to 2 are rotations about x, y
        and z, 3 to 5 translations.
    mass, stiffness : sparse array (N, N)
        Symmetric; mass consistent or lumped.
    interfaces : dict of Interface
        By name; the first is the inboard one.
    node_names : dict
        Names of further nodes with six freedoms that the reduced body keeps, such as {"camera": 7}.
    recovery : callable, optional
        Function of displacements (N, m) that vanish at the inboard interface, which returns their
        `Recovery`, for stresses; its points name nodes of the structure.
    surface : SurfaceMesh, optional
        For pictures.
    lines : tuple, optional
        For pictures of frames: (Profile, nodes along the member) of each member.
    geometry : Geometry, optional
        Stress stiffness, for level "stiffened".
    particles : tuple of array, optional
        Quadrature points of the mass: masses (k,), positions (k, 3), and a sparse matrix (3 k, N)
        from the freedoms to their displacements.  Missing, the integrals come from the matrix.
    facts : Facts, optional
        Of the reduction, if this is the source of a body.
    numbers : array (n,) of int, optional
        Of the nodes in a file, for messages; 0, 1, 2 ... if missing.
    """

    name: str
    positions: Array
    freedoms: NDArray[np.intp]
    mass: Any
    stiffness: Any
    interfaces: Mapping[str, Interface]
    node_names: Mapping[str, int] = field(default_factory=dict)
    recovery: Callable[[Array], Recovery] | None = None
    surface: SurfaceMesh | None = None
    lines: tuple[tuple[Profile, NDArray[np.intp]], ...] = ()
    geometry: Geometry | None = None
    particles: tuple[Array, Array, Any] | None = None
    facts: Facts | None = field(default=None, repr=False)
    numbers: NDArray[np.intp] | None = None

    @property
    def n_node(self) -> int:
        """Number of nodes."""
        return len(self.positions)

    def number_of(self, node: int) -> int:
        """Number of a node in its file, for messages.

        Parameters
        ----------
        node : int
            Row of `positions`.
        """
        return int(node if self.numbers is None else self.numbers[node])

    @property
    def n_freedom(self) -> int:
        """Number of freedoms, rows of the matrices."""
        return len(self.freedoms)

    def rows(self, node: int) -> NDArray[np.intp]:
        """Rows of the freedoms of a node, in the order of their directions.

        Parameters
        ----------
        node : int
            Number of the node.
        """
        rows = np.flatnonzero(self.freedoms[:, 0] == node)
        return rows[np.argsort(self.freedoms[rows, 1], kind="stable")]

    def reduce(
        self,
        *,
        method: str = "craig-bampton",
        modes: int | None = None,
        frequency: float | None = None,
        effective_mass: float | None = None,
        attachment: Any = False,
        inertia_relief: bool = False,
        damping: Any = 0.005,
        level: str = "full",
        inboard: str | None = None,
        contact: Any = (),
    ) -> FlexibleBody:
        """Flexible body with a few shapes of the structure.

        Parameters
        ----------
        method : {"craig-bampton", "cantilever", "free-free"}
            "craig-bampton": six static shapes for every interface but the inboard one, exact for
            loads there, and modes with all interfaces held.  "cantilever": modes with the inboard
            interface held; the other interfaces follow.  "free-free": modes of the free structure.
        modes : int, optional
            Number of modes of vibration beside the static shapes; by default 8.
        frequency : float, optional
            All modes up to this frequency [Hz], in the place of their number.
        effective_mass : float, optional
            As many modes as have this part of the mass that can move, in every direction.
        attachment : bool, str or sequence of str
            Static shapes of unit loads at interfaces (all, or those named), which make
            "cantilever" and "free-free" exact there as well.
        inertia_relief : bool
            Six more shapes, the deflections under the inertia forces of rigid accelerations: exact
            static stress under gravity and in slewing.
        damping : float, array, tuple or sparse array
            Ratio of all modes of the body, ratios of each, ("rayleigh", alpha [1/s], beta [s]) for
            alpha M + beta K, a matrix (N, N) of the structure, or one of the body's modes.
        level : str
            Level of the body, see `FlexibleBody`.
        inboard : str, optional
            Interface that the joint towards the base holds; by default the first.
        contact : str, int or sequence of these
            Interfaces and named nodes that will touch others, by name or number.  The body gets
            their `residual_compliance`, the static answer to forces there of all that the shapes
            leave out, held inboard or, with "free-free", of the free structure;
            `inertia_relief=True` makes both equal.  At a single node of a plate or a solid it
            depends on the mesh: give an interface that spreads the force, tied "average".

        Returns
        -------
        FlexibleBody
            Its nodes are the interfaces, by name, named nodes, those of the appearance, and
            particles with the mass integrals of the structure.  The modal coordinates are those of
            the body held inboard, ascending in frequency.  `body.source` is this structure.
        """
        options = ReduceOptions(
            method,
            modes,
            frequency,
            effective_mass,
            attachment,
            inertia_relief,
            damping,
            level,
            inboard,
            contact,
        )
        return reduce_structure(self, options)

    def second_order(self, shapes: Array, inboard: str | None = None) -> SecondOrder:
        """Second order of shapes at the interfaces and named nodes, and its sums over the mass.

        Parameters
        ----------
        shapes : array (N, m)
            Displacements that vanish at the inboard interface.
        inboard : str, optional
            By default the first interface.

        Returns
        -------
        SecondOrder
            In the amplitudes of the shapes.  Its nodes are the interfaces, the inboard one first,
            then the named nodes.
        """
        return second_order_of(self, shapes, inboard)

    @cached_property
    def sound_speed(self) -> float:
        """Rough speed of sound [m/s] from stiffness, mass and distance of the nodes.

        (K_ii / M_ii)^(1/2) h with h the distance to the nearest neighbour, the median over nodes.
        Far from 5000 m/s it tells of wrong units.
        """
        along = self.freedoms[:, 1] >= 3
        M, K = self.mass.diagonal(), self.stiffness.diagonal()
        moving = np.flatnonzero(along & (M > 0))
        if not len(moving) or self.n_node < 2:
            return float("nan")
        from scipy.spatial import cKDTree

        nodes = self.freedoms[moving, 0]
        places = np.unique(self.positions, axis=0)
        distance = cKDTree(places).query(self.positions[nodes], k=min(2, len(places)))[0]
        nearest = distance.reshape(len(nodes), -1)[:, -1]
        return float(np.median(np.sqrt(K[moving] / M[moving]) * nearest))
