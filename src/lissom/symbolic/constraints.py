"""Constraint equations of a derivation: loops, couplings and formulas of the user.

  A(q) v + a(q, t) = 0                                                                        (1)
  A vdot + gamma = 0,   gamma = d/dt (A v + a) at vdot = 0                                    (2)
Every source gives rows A and drifts a; gamma is their derivative along the motion.  Rows that
depend on others wherever the constraints are satisfied are dropped: of the five rows of a pin in a
planar loop, two stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ..errors import SymbolicError, name_list, suggestion
from ..spatial import skew
from ..system import Frame, Loop
from .calculus import differentiated, directional, symbols_in
from .generic_point import Point, point_where, random_point, values_at
from .graph import Node
from .loop_rows import loop_rows
from .names import as_symbols, identifier
from .rank import independent_rows

if TYPE_CHECKING:
    from .derivation import Derivation

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Row:
    """One constraint equation.

    Attributes
    ----------
    source : str
        Loop, coupling or formula that it comes from.
    speeds : array (n_v,)
        Row of A.
    drift : Node
        Entry of a.
    gap : Node or None
        Left-hand side of the equation g(q, t) = 0 that it is the rate of; None if it has none.
    """

    source: str
    speeds: Array
    drift: Node
    gap: Node | None


class Constraints:
    """Independent constraint equations of a derivation.

    Parameters
    ----------
    derivation : Derivation
        Tree with loops and couplings in its system.
    formulas : sequence of SymPy expressions
        Further equations, each an expression that is zero.
    independent : names or symbols, optional
        Speeds that determine the others; by default the first ones that do.

    Attributes
    ----------
    rows : list of Row
        Independent rows.
    gaps : array of nodes
        Left-hand sides of the equations between coordinates.
    names : tuple of str
        Names of the multipliers.
    independent, dependent : list of int
        Numbers of the speeds u by which the others are expressed, and of those.
    """

    def __init__(self, derivation: Derivation, formulas: Any = (), independent: Any = None) -> None:
        self._d = derivation
        system = derivation.system
        rows = [row for loop in system.loops for row in _of_loop(derivation, loop)]
        rows += [_of_coupling(derivation, coupling) for coupling in system.couplings]
        given = [_of_formula(derivation, k, x) for k, x in enumerate(_listed(formulas))]
        point = self._point([*rows, *given])
        self.rows = self._apart([*rows, *given], len(rows), point)
        self.gaps = _gaps(self.rows)
        self.names = _multiplier_names([row.source for row in self.rows])
        self.independent = self._chosen(independent, values_at(self.jacobian, point))
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

    def _apart(self, rows: list[Row], n_model: int, point: Point) -> list[Row]:
        """Rows that do not depend on those before them; a formula must not."""
        kept = independent_rows(values_at(self._stacked(rows), point))
        for k in range(n_model, len(rows)):
            if k not in kept:
                raise SymbolicError(
                    f"constraints: equation {k - n_model} (counted from 0) restricts no motion "
                    "that the model and the equations before it leave free; remove it"
                )
        return [rows[k] for k in kept]

    def _chosen(self, given: Any, A: Array) -> list[int]:
        """Numbers of the independent speeds, judged by the numbers of A."""
        d = self._d
        last_first = independent_rows(A.T[::-1])
        free = [k for k in range(d.system.n_v) if d.system.n_v - 1 - k not in last_first]
        if given is None:
            return free
        known = {s.name: k for k, s in enumerate(d.speeds)}
        names = [s.name for s in as_symbols(given, "independent")]
        for name in names:
            if name not in known:
                raise SymbolicError(
                    f"independent: there is no speed {name!r}; {suggestion(name, known)}"
                )
        chosen = sorted(known[name] for name in names)
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
    found = loop_rows(loop.name, loop.joint, R_a, R_b, across)
    J = J_b - J_a
    if not found.pinned:
        J[3:] += skew(across) @ J_a[:3]  # - w_a x d
    A = d.bridge.nodes(found.map @ J)
    gaps = [None if g is None else d.bridge.node(g) for g in found.gaps]
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
    given = x.lhs - x.rhs if isinstance(x, sympy.Equality) else x
    if not isinstance(given, sympy.Expr):
        raise SymbolicError(
            f"{what} is {x!r}; give a SymPy expression of coordinates and speeds that is zero"
        )
    node = d.given(given, what)
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
