"""Rows of the constraint equations of a loop, for any scalar type.

Notation (frames a, b of a loop, all in world axes)
  R_a, R_b   axes of the frames;  d = x_b - x_a  from the origin of a to that of b
  w          relative angular velocity w_b - w_a
  u          velocity of the origin of b relative to frame a, v_b - v_a - w_a x d

A row P^T [w; u] = 0 forbids a motion; its gap g = 0 is the equation between coordinates that it
comes from, gdot = P^T [w; u] where the loop is closed.  Joints of slides s_k followed by turns:
  position    (R_a e) . u = 0, e orthogonal to all slides    g = (R_a e) . d                 (1)
              without slides  v_b - v_a = 0                  g = d
  no turn     w = 0                                          g = sum of (R_a)_k x (R_b)_k / 2   (2)
  axis n      (R_b e) . w = 0, e orthogonal to n             g = (R_b e) . (R_a n x R_b n)   (3)
  axes n1, n2 (R_a n1 x R_b n2) . w = 0                      g = n1 . n2 - R_a n1 . R_b n2   (4)
  screw       also (R_b n) . u - pitch (R_b n) . w = 0                                       (5)
A joint with a constant map H, in axes of b, has the rows P^T H = 0, without gaps.           (6)
A contact has the rows of its constraint map, see `joints.contacts`.                         (7)
Differs from `algorithms.loops.closed_loops`: rows are not made orthonormal and not scaled by a
length, so that multipliers are forces [N] and moments [N m].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import SymbolicError
from ..joints import Contact, Joint, Slide
from ..joints.factors import Quaternion, Turn, is_pure
from ..spatial import cross, rotate
from ..spatial.scalar import as_numbers, is_numeric, zeros

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class LoopRows:
    """Constraint equations of one loop.

    Attributes
    ----------
    map : array (n, 6)
        P^T, in world axes.
    gaps : list of n scalars or None
        Left-hand sides of the equations between coordinates, None for a row that has none.
    pinned : bool
        Whether the joint holds both origins together, so that u may be taken as v_b - v_a.
    """

    map: Array
    gaps: list[Any]
    pinned: bool = False


def loop_rows(name: str, joint: Joint, R_a: Array, R_b: Array, d: Array) -> LoopRows:
    """Rows (1)-(7) of a loop, from the poses of the frames that its joint connects."""
    if isinstance(joint, Contact):
        at_rest = joint.touch(R_a.T @ R_b, R_a.T @ d, zeros(6))
        gaps = [x if k < joint.n_gap else None for k, x in enumerate(at_rest.gap)]
        return LoopRows(rotate(R_b, at_rest.constraint_map).T, gaps)  # (7)
    found = _slides_then_turns(joint)
    if found is not None:
        return _rows_of_factors(*found, R_a, R_b, d)
    if len(joint.maps) == 1:
        P = orthogonal_complement(joint.maps[0])
        return LoopRows(rotate(R_b, P).T, [None] * P.shape[1])  # (6)
    raise SymbolicError(
        f"loop {name!r}: its joint ({joint.label}) cannot close a loop in formulas, since its "
        "coordinates are not known in closed form; close the loop at another joint, such as "
        "Revolute, Prismatic, Cylindrical, Planar, Universal, Spherical or Screw"
    )


def _slides_then_turns(joint: Joint) -> tuple[Array, list[Any]] | None:
    """Axes of the slides (3, n), and the turns after them, if rows (1)-(5) describe the joint."""
    factors: list[Any] = [None] if joint.factors is None else list(joint.factors)
    n = next((k for k, f in enumerate(factors) if not isinstance(f, Slide)), len(factors))
    slides, turns = [f.axis for f in factors[:n]], factors[n:]
    axes = np.array(slides).reshape(-1, 3).T
    if any(isinstance(f, Quaternion) for f in turns):
        return (axes, turns) if len(turns) == 1 else None
    if not all(isinstance(f, Turn) for f in turns) or len(turns) > 2:
        return None
    screws = [f for f in turns if not is_pure(f)]
    return (axes, turns) if not screws or (len(turns) == 1 and n == 0) else None


def _rows_of_factors(slides: Array, turns: list[Any], R_a: Array, R_b: Array, d: Array) -> LoopRows:
    directions, gaps = _held_directions(turns, R_a, R_b)
    rows = [np.concatenate([e, zeros(3)]) for e in directions]
    screw = [f for f in turns if isinstance(f, Turn) and not is_pure(f)]
    pinned = not screw and not slides.size
    free = np.array([f.axis for f in screw]).reshape(-1, 3).T if screw else slides
    for e in np.eye(3) if pinned else (R_a @ orthogonal_complement(free)).T:
        rows.append(np.concatenate([zeros(3), e]))  # (1)
        gaps.append(e @ d)
    for f in screw:
        rows.append(np.concatenate([-f.pitch * (R_b @ f.axis), R_b @ f.axis]))  # (5)
        gaps.append(None)
    return LoopRows(np.array(rows).reshape(-1, 6), gaps, pinned)


def _held_directions(turns: list[Any], R_a: Array, R_b: Array) -> tuple[list[Array], list[Any]]:
    """Directions about which frame b cannot turn, and their gaps."""
    if any(isinstance(f, Quaternion) for f in turns):
        return [], []
    if not turns:
        products = np.array([cross(R_a[:, k], R_b[:, k]) for k in range(3)])
        return list(np.eye(3)), list(products.sum(axis=0) / 2)  # (2)
    n = turns[0].axis
    if len(turns) == 2:
        n2 = turns[1].axis
        return [cross(R_a @ n, R_b @ n2)], [n @ n2 - (R_a @ n) @ (R_b @ n2)]  # (4)
    directions = list((R_b @ orthogonal_complement(n[:, None])).T)
    return directions, [e @ cross(R_a @ n, R_b @ n) for e in directions]  # (3)


def orthogonal_complement(columns: Array) -> Array:
    """Basis (n, n - r) of the vectors orthogonal to r independent columns (n, r), by elimination.

    Numbers that may be written exactly stay so; unit vectors are preferred.
    """
    n, r = columns.shape
    rows = [list(column) for column in as_numbers(columns).T]
    pivots: list[int] = []
    for k in range(r):
        j = max((j for j in range(n) if j not in pivots), key=lambda j: _size(rows[k][j]))
        pivots.append(j)
        rows[k] = [x / rows[k][j] for x in rows[k]]
        for i in range(r):
            if i != k:
                rows[i] = [x - rows[i][j] * y for x, y in zip(rows[i], rows[k], strict=True)]
    free = [j for j in range(n) if j not in pivots]
    basis = np.zeros((n, len(free)), dtype=float if is_numeric(as_numbers(columns)) else object)
    for c, j in enumerate(free):
        basis[j, c] = 1.0
        for k, pivot in enumerate(pivots):
            basis[pivot, c] = -rows[k][j]
    return basis


def _size(x: Any) -> float:
    """Size of a number; symbols come after numbers that are not zero."""
    try:
        return abs(float(x))
    except TypeError:
        return 1e-9 if x else 0.0
