"""Finite-element model of one body, before its reduction to a few shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies.recovery import Recovery

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Interface:
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
class Structure:
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
        Function of displacements (N, m) that returns their `Recovery`, for stresses.
    surface : SurfaceMesh, optional
        For pictures.
    lines : tuple, optional
        For pictures of frames: (section, nodes along the member) of each member.
    second_order : callable, optional
        Function of displacements (N, m) that vanish at the inboard interface, which returns their
        SecondOrder, for level "stiffened".
    particles : tuple of array, optional
        Quadrature points of the mass: masses (k,), positions (k, 3), and a sparse matrix (3 k, N)
        from the freedoms to their displacements.  Missing, the integrals come from the matrix.
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
    lines: tuple[tuple[Any, NDArray[np.intp]], ...] = ()
    second_order: Callable[[Array], Any] | None = None
    particles: tuple[Array, Array, Any] | None = None

    @property
    def n_node(self) -> int:
        """Number of nodes."""
        return len(self.positions)

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
        own = np.flatnonzero(self.freedoms[:, 0] == node)
        return own[np.argsort(self.freedoms[own, 1], kind="stable")]
