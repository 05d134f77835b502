"""Constraint equations of a derivation: loops, couplings and formulas of the user.

  A(q) v + a(q, t) = 0                                                                        (1)
  A vdot + gamma = 0,   gamma = d/dt (A v + a) at vdot = 0                                    (2)
Every source gives rows A and drifts a; gamma is their derivative along the motion.  Rows that
depend on others wherever the constraints are satisfied are dropped: of the five rows of a pin in a
planar loop, two stay.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ..errors import SymbolicError, name_list, suggestion
from ..joints import ClosedContact, Joint, Slide
from ..joints.factors import Quaternion, Turn, is_pure
from ..spatial import cross, rotate, skew
from ..spatial.scalar import as_numbers, is_numeric, zeros
from ..system import Frame, Loop
from .calculus import differentiated, directional, evaluated, symbols_in
from .graph import Graph, GraphNode
from .names import as_symbols, identifier
from .rank import independent_rows

if TYPE_CHECKING:
    from .derivation import Derivation

# Rows of the constraint equations of a loop, for any scalar type.
#
# Notation (frames a, b of a loop, all in world axes)
#   R_a, R_b   axes of the frames;  d = x_b - x_a  from the origin of a to that of b
#   w          relative angular velocity w_b - w_a
#   u          velocity of the origin of b relative to frame a, v_b - v_a - w_a x d
#
# A row P^T [w; u] = 0 forbids a motion; its gap g = 0 is the equation between coordinates that it
# comes from, gdot = P^T [w; u] where the loop is closed.  Joints of slides s_k followed by turns:
#   position    (R_a e) . u = 0, e orthogonal to all slides    g = (R_a e) . d                 (1)
#               without slides  v_b - v_a = 0                  g = d
#   no turn     w = 0                                         g = sum of (R_a)_k x (R_b)_k / 2   (2)
#   axis n      (R_b e) . w = 0, e orthogonal to n             g = (R_b e) . (R_a n x R_b n)   (3)
#   axes n1, n2 (R_a n1 x R_b n2) . w = 0                      g = n1 . n2 - R_a n1 . R_b n2   (4)
#   screw       also (R_b n) . u - pitch (R_b n) . w = 0                                       (5)
# A joint with a constant map H, in axes of b, has the rows P^T H = 0, without gaps.           (6)
# A contact has the rows of its constraint map, see `joints.contacts`.                         (7)
# Differs from `algorithms.loops.closed_loops`: rows are not made orthonormal and not scaled by a
# length, so that multipliers are forces [N] and moments [N m].


@dataclass(frozen=True, eq=False)
class LoopRows:
    """Constraint equations of one loop."""

    map: Array  # (n, 6) P^T, in world axes
    # left-hand sides of the equations between coordinates, None for a row that has none
    gaps: list[Any]
    # whether the joint holds both origins together, so that u may be taken as v_b - v_a
    pinned: bool = False


def loop_rows(name: str, joint: Joint, R_a: Array, R_b: Array, d: Array) -> LoopRows:
    """Rows (1)-(7) of a loop, from the poses of the frames that its joint connects."""
    if isinstance(joint, ClosedContact):
        at_rest = joint.touch(R_a.T @ R_b, R_a.T @ d, zeros(6))
        gaps = [x if k < joint.n_gap else None for k, x in enumerate(at_rest.gap)]
        return LoopRows(rotate(R_b, at_rest.constraint_map).T, gaps)  # (7)
    slides_and_turns = _slides_then_turns(joint)
    if slides_and_turns is not None:
        return _rows_of_factors(*slides_and_turns, R_a, R_b, d)
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


# Numbers for all symbols of a graph: at random, or at random among those that satisfy equations.
#
# What holds for almost all values of the symbols is judged at such a point in floats, where what
# rounding left of a zero is small.

Point = Mapping[str, float]

# Newton's method: starts, steps, the error at which equations count as satisfied, and the relative
# size of directions in which they are taken for constant (overconstrained linkages have such).
_STARTS, _STEPS, _CLOSED, _FLAT = 8, 40, 1e-13, 1e-5
# Size of a parameter below which a point is not taken.
_SMALL = 0.1


def random_point(graph: Graph, seed: int = 5) -> Point:
    """Numbers for all symbols; quaternions have unit length."""
    draw = random.Random(seed)
    return _normalised(graph, {name: draw.uniform(0.5, 1.5) for name in graph.symbols})


def point_where(graph: Graph, equations: Array, unknowns: Sequence[str]) -> Point | None:
    """Numbers for all symbols at which expressions are zero; None if none are found.

    First only the unknowns are moved from random numbers, then all symbols; those that are not
    unknowns must not become small, since lengths of zero satisfy most equations.
    """
    if not len(equations):
        return random_point(graph)
    for names in (list(unknowns), list(graph.symbols)):
        symbols = np.array([graph.symbols[x] for x in names], dtype=object)
        slopes = differentiated(equations, symbols)
        for seed in range(_STARTS):
            point = _newton_point(graph, equations, slopes, names, random_point(graph, seed))
            parameters = [] if point is None else [point[x] for x in names if x not in unknowns]
            if point is not None and all(abs(x) > _SMALL for x in parameters):
                return point
    return None


def _newton_point(
    graph: Graph, equations: Array, slopes: Array, names: list[str], point: Point
) -> Point | None:
    """Point found by Newton's method from another one."""
    for _ in range(_STEPS):
        left = values_at(equations, point)
        if np.abs(left).max() < _CLOSED:
            return point
        step = np.linalg.lstsq(values_at(slopes, point), -left, rcond=_FLAT)[0]
        step /= max(1.0, 2 * float(np.abs(step).max()))
        moved = {x: point[x] + float(dx) for x, dx in zip(names, step, strict=True)}
        point = _normalised(graph, {**point, **moved})
    return None


def values_at(values: Array, point: Point) -> Array:
    """Values of an array of nodes at a point."""
    return np.array(evaluated(list(values.ravel()), point), dtype=float).reshape(values.shape)


def _normalised(graph: Graph, point: dict[str, float]) -> dict[str, float]:
    for names in graph.units:
        size = np.linalg.norm([point[name] for name in names])
        point |= {name: point[name] / float(size) for name in names}
    return point


Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Row:
    """One constraint equation."""

    source: str  # loop, coupling or formula that it comes from
    speeds: Array  # (n_v,) row of A
    drift: GraphNode  # entry of a
    # left-hand side of the equation g(q, t) = 0 that it is the rate of; None if it has none
    gap: GraphNode | None


class Constraints:
    """Independent constraint equations of a derivation."""

    def __init__(self, derivation: Derivation, formulas: Any = (), independent: Any = None) -> None:
        self._d = derivation
        system = derivation.system
        rows = [row for loop in system.loops for row in _of_loop(derivation, loop)]
        rows += [_of_coupling(derivation, coupling) for coupling in system.couplings]
        formula_rows = [_of_formula(derivation, k, x) for k, x in enumerate(_listed(formulas))]
        point = self._point([*rows, *formula_rows])
        self.rows = self._independent_rows([*rows, *formula_rows], len(rows), point)
        self.gaps: Array = _gaps(self.rows)
        self.names = _multiplier_names([row.source for row in self.rows])
        self.independent = self._independent_speeds(independent, values_at(self.jacobian, point))
        self.dependent = [k for k in range(system.n_v) if k not in self.independent]

    def __len__(self) -> int:
        return len(self.rows)

    def _stacked(self, rows: list[Row]) -> Array:
        speeds = [row.speeds for row in rows]
        return np.array(speeds, dtype=object).reshape(len(rows), self._d.system.n_v)

    def _point(self, rows: list[Row]) -> Point:
        """Random point at which the constraints are satisfied; any point if none is found."""
        unknowns = [s.name for s in self._d.coordinates]
        closed = point_where(self._d.graph, _gaps(rows), unknowns)
        return random_point(self._d.graph) if closed is None else closed

    def _independent_rows(self, rows: list[Row], n_model: int, point: Point) -> list[Row]:
        """Rows that do not depend on those before them; a formula must not."""
        independent = independent_rows(values_at(self._stacked(rows), point))
        for k in range(n_model, len(rows)):
            if k not in independent:
                raise SymbolicError(
                    f"constraints: equation {k - n_model} (counted from 0) restricts no motion "
                    "that the model and the equations before it leave free; remove it"
                )
        return [rows[k] for k in independent]

    def _independent_speeds(self, independent: Any, A: Array) -> list[int]:
        """Numbers of the independent speeds, judged by the numbers of A."""
        d = self._d
        last_first = independent_rows(A.T[::-1])
        free = [k for k in range(d.system.n_v) if d.system.n_v - 1 - k not in last_first]
        if independent is None:
            return free
        numbers = {s.name: k for k, s in enumerate(d.speeds)}
        names = [s.name for s in as_symbols(independent, "independent")]
        for name in names:
            if name not in numbers:
                raise SymbolicError(
                    f"independent: there is no speed {name!r}; {suggestion(name, numbers)}"
                )
        chosen = sorted(numbers[name] for name in names)
        others = [k for k in range(d.system.n_v) if k not in chosen]
        if len(others) != len(self.rows) or len(independent_rows(A[:, others].T)) < len(others):
            example = name_list([d.speeds[k].name for k in free], show=str) or "none"
            raise SymbolicError(
                f"independent: {name_list(names, show=str) or 'no speed'} of the "
                f"{d.system.n_v} speeds, with {len(self.rows)} constraints, do not determine the "
                f"others; give {len(free)}, such as: {example}"
            )
        return chosen

    @cached_property
    def jacobian(self) -> Array:
        """Matrix A (m, n_v)."""
        return self._stacked(self.rows)

    @cached_property
    def drift(self) -> Array:
        """Vector a (m,)."""
        return np.array([row.drift for row in self.rows], dtype=object)

    @cached_property
    def bias(self) -> Array:
        """Vector gamma (m,), by (2)."""
        d = self._d
        rates = list(d.bridge.nodes(self.jacobian @ d.v + self.drift)) if self.rows else []
        return np.array(directional(rates, d.flow), dtype=object)


def _gaps(rows: list[Row]) -> Array:
    return np.array([row.gap for row in rows if row.gap is not None], dtype=object)


def _listed(formulas: Any) -> list[Any]:
    """Formulas as a list, from one or several."""
    if isinstance(formulas, (list, tuple, sympy.MatrixBase)):
        return list(formulas)
    return [formulas]


def _of_loop(d: Derivation, loop: Loop) -> list[Row]:
    """Rows of a loop, from the poses and Jacobians of its two frames."""
    a, b = (Frame(loop.name, x.body, x.node, x.rotation, x.position) for x in loop.ends)
    (R_a, x_a), (R_b, x_b) = (d.frame_pose(frame) for frame in (a, b))
    J_a, J_b = (d.frame_jacobian(frame, "world") for frame in (a, b))
    across = d.bridge.nodes(x_b - x_a)
    rows = loop_rows(loop.name, loop.joint, R_a, R_b, across)
    J = J_b - J_a
    if not rows.pinned:
        J[3:] += skew(across) @ J_a[:3]  # - w_a x d
    A = d.bridge.nodes(rows.map @ J)
    gaps = [None if g is None else d.bridge.node(g) for g in rows.gaps]
    return [Row(loop.name, row, d.graph.zero, g) for row, g in zip(A, gaps, strict=True)]


def _of_coupling(d: Derivation, coupling: Any) -> Row:
    """Row of a coupling, in the unit of its sum."""
    speeds = d.bridge.nodes(np.zeros(d.system.n_v))
    gap = -d.bridge.node(coupling.offset)
    ratios = d.bridge.nodes(coupling.ratios)
    for i, entry, ratio in zip(coupling.bodies, coupling.entries, ratios, strict=True):
        speeds[d.system.layout.hinge_v(i).start + entry] = ratio
        gap = gap + ratio * d.q[d.system.layout.hinge_q(i).start + entry]
    return Row(coupling.name, speeds, d.graph.zero, gap)


def _of_formula(d: Derivation, k: int, x: Any) -> Row:
    """Row of a formula: linear in the speeds, or free of them."""
    what = f"constraints: equation {k} (counted from 0)"
    expression = x.lhs - x.rhs if isinstance(x, sympy.Equality) else x
    if not isinstance(expression, sympy.Expr):
        raise SymbolicError(
            f"{what} is {x!r}; give a SymPy expression of coordinates and speeds that is zero"
        )
    node = d.node_of(expression, what)
    moving = {s.name for s in d.speeds}
    if not symbols_in([node]) & moving:
        rates = directional([node], d.flow)[0]
        A = differentiated(np.array([rates], dtype=object), d.v)[0]
        return Row(f"constraint {k + 1}", A, d.graph.node(rates - A @ d.v), node)
    A = differentiated(np.array([node], dtype=object), d.v)[0]
    if any(y.residue != 0 for y in differentiated(A, d.v).ravel()):
        raise SymbolicError(
            f"{what} is not linear in the speeds; give A(q) v + a(q) with coefficients that depend "
            "on coordinates only"
        )
    return Row(f"constraint {k + 1}", A, d.graph.node(node - A @ d.v), None)


def _multiplier_names(sources: Iterable[str]) -> tuple[str, ...]:
    """Names such as lambda_pin_1; a source of one row has no number."""
    sources = list(sources)
    names, seen = [], dict.fromkeys(sources, 0)
    for source in sources:
        seen[source] += 1
        number = f"_{seen[source]}" if sources.count(source) > 1 else ""
        names.append(f"lambda_{identifier(source)}{number}")
    return tuple(names)
