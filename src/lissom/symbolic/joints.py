"""Configuration, kinematics and joint map of any simple or compound joint, from its motion maps.

Source: Kwatny & Blankenship, section II.  `joint_configuration` is XXeuc and XXCompnd,
`joint_kinematics` GammaKin and GamCompnd, `joint_map` HCompnd.

  lambda(eps) = lambda_r(eps_r) ... lambda_1(eps_1)                   (E 15), (E 26)
  eps_dot = Gamma(eps) beta,  B(eps) Gamma = H                        (E 16), (E 24)
  p = H(eps) beta                                                     (E 34)
Differs: a map whose columns have Lie brackets outside their span is nonholonomic, and then B Gamma
= H has no solution; the paper's Gamma, the least-squares fit (B^T B)^-1 B^T H, is given on request.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from ..errors import ModelError, SymbolicError
from ..joints import CompoundJoint, SimpleJoint
from ..spatial import block_diagonal
from ..spatial.scalar import solve, zeros
from .bridge import Bridge
from .graph import Graph
from .names import as_symbols
from .poincare import leaves_span
from .rank import generic_rank
from .shortest import Shortest

Array = np.ndarray


def joint_configuration(motion_maps: Any, coordinates: Any) -> Matrix:
    """Configuration matrix (4, 4) of a joint, outboard frame in the inboard frame.

    Parameters
    ----------
    motion_maps : array (6, r), or list of arrays (6, r_i)
        One map for a simple joint; a list of maps, from the outboard body inward, for a compound
        joint.  Numbers or SymPy expressions.
    coordinates : names or symbols
        One for each column.
    """
    joint = _Joint(motion_maps, coordinates)
    R, r = joint.columnwise.pose(joint.q)
    X = np.full((4, 4), joint.graph.zero, dtype=object)
    X[:3, :3], X[:3, 3], X[3, 3] = joint.nodes(R), joint.nodes(r), joint.graph.one
    return joint.shown(X)


def joint_map(motion_maps: Any, coordinates: Any) -> Matrix:
    """Joint map H (6, r): quasi-velocities to velocity across the joint, in outboard axes.

    Parameters
    ----------
    motion_maps : array (6, r), or list of arrays (6, r_i)
        As for `joint_configuration`.
    coordinates : names or symbols
        One for each column.
    """
    joint = _Joint(motion_maps, coordinates)
    if len(joint.maps) == 1:
        return joint.shown(joint.maps[0])
    return joint.shown(CompoundJoint(joint.maps).motion_map(joint.q))


def joint_kinematics(motion_maps: Any, coordinates: Any, *, least_squares: bool = False) -> Matrix:
    """Matrix Gamma (r, r): quasi-velocities to rates of the coordinates.

    Parameters
    ----------
    motion_maps : array (6, r), or list of arrays (6, r_i)
        As for `joint_configuration`.
    coordinates : names or symbols
        One for each column.
    least_squares : bool
        Return the paper's least-squares Gamma for a nonholonomic map, which is otherwise an
        error.
    """
    if not isinstance(least_squares, bool):
        raise SymbolicError(f"least_squares is {least_squares!r}; use True or False")
    joint = _Joint(motion_maps, coordinates)
    blocks, start = [], 0
    for number, H in enumerate(joint.maps):
        q = joint.q[start : start + H.shape[1]]
        start += H.shape[1]
        outside = leaves_span(joint.bridge, H)
        if outside and not least_squares:
            i, j = outside
            which = f"map {number}" if len(joint.maps) > 1 else "the map"
            raise ModelError(
                f"{which} is nonholonomic: the Lie bracket of columns {i} and {j} (counted from "
                "0) is a motion outside their span, so that these coordinates have no "
                "kinematics; give the columns as a list of maps, which makes a compound joint, or "
                "request the least-squares fit with least_squares=True"
            )
        blocks.append(_least_squares(H, q) if outside else SimpleJoint(H).rate_map(q))
    return joint.shown(block_diagonal(zeros(0, 0), *blocks))


def _listed(motion_maps: Any) -> list[Any]:
    """List of maps, from one map, the rows of one map, or a list of maps."""
    if not isinstance(motion_maps, (list, tuple)):
        return [motion_maps]
    try:
        sizes = [(np.ndim(x), np.size(x)) for x in motion_maps]
    except ValueError:
        sizes = []
    if not sizes:
        raise ModelError("motion_maps must be a 6xr map or a list of such maps, one per joint")
    is_of_rows = len(sizes) == 6 and all(ndim <= 1 for ndim, _ in sizes)
    if is_of_rows and sum(size for _, size in sizes) != 36:
        return [motion_maps]
    return list(motion_maps)


class _Joint:
    """Maps and coordinates as nodes."""

    def __init__(self, motion_maps: Any, coordinates: Any) -> None:
        self.graph = Graph()
        self.bridge = Bridge(self.graph)
        self.maps = [self._map(x) for x in _listed(motion_maps)]
        n = sum(H.shape[1] for H in self.maps)
        symbols = as_symbols(coordinates, "coordinates")
        if len(symbols) != n:
            raise SymbolicError(
                f"coordinates: {len(symbols)} names for the {n} columns of the joint; give one for "
                "each column"
            )
        self.q = np.array([self.bridge.symbol(s, "coordinate") for s in symbols], dtype=object)
        self._check_columns()

    def _map(self, values: Any) -> Array:
        if isinstance(values, sympy.MatrixBase):
            values = values.tolist()
        H = np.array(values, dtype=object)
        H = H[:, None] if H.ndim == 1 else H
        if H.ndim != 2 or H.shape[0] != 6 or not 1 <= H.shape[1] <= 6:
            raise ModelError(
                f"motion_maps: a map has shape {np.shape(values)}; expected (6, r) with r = 1 to "
                "6, one column [angular; linear] for each motion that the joint allows"
            )
        return self.bridge.nodes(H)

    def _check_columns(self) -> None:
        """Reject maps with dependent columns."""
        for number, H in enumerate(self.maps):
            if generic_rank(H) < H.shape[1]:
                which = f" {number}" if len(self.maps) > 1 else ""
                raise ModelError(
                    f"motion_maps: map{which} has linearly dependent columns; remove the redundant "
                    "ones"
                )
        H = self.bridge.nodes(CompoundJoint(self.maps).motion_map(self.q))
        if H.shape[1] > 6 or generic_rank(H) < H.shape[1]:
            raise ModelError(
                f"motion_maps: the {H.shape[1]} motions are linearly dependent in every "
                "configuration; remove the redundant columns"
            )

    @property
    def columnwise(self) -> CompoundJoint:
        """Joint with one map for each column and the same configurations."""
        return CompoundJoint([column for H in self.maps for column in H.T])

    def nodes(self, values: Array) -> Array:
        return self.bridge.nodes(values)

    def shown(self, values: Array) -> Matrix:
        result = Shortest(self.bridge).matrix(self.nodes(values))
        return result.applyfunc(with_tangents)


def with_tangents(x: sympy.Expr) -> sympy.Expr:
    """Shortest of several forms, including tangents."""
    from sympy.simplify.fu import TR2i

    forms = [x, TR2i(sympy.factor_terms(x)), TR2i(sympy.trigsimp(x))]
    return min(forms, key=sympy.count_ops)


def _least_squares(H: Array, q: Array) -> Array:
    """Least-squares Gamma, (B^T B)^-1 B^T H (E 19)."""
    columns = [column for column in H.T]
    B = CompoundJoint(columns).motion_map(q)
    return solve(B.T @ B, B.T @ H)
