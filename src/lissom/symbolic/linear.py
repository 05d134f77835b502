"""Linearized equations about a state, or about a motion.

  M x_v' + D x_v + K x_q = x_Q,   x_q' = V x_v + E x_q                                         (1)
with x_q, x_v and x_Q the deviations of coordinates, speeds and generalized forces, and
  K = d(M vdot + b)/dq,   D = db/dv,   E = d(V v)/dq                                           (2)
at the state, its accelerations included.  At rest E is zero, and K and D are derivatives of F.
With constraints, the speeds are the independent ones and M, b, V those of the projected equations;
forces act on the independent speeds.  x_q then satisfies the constraints if it does at first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from ..errors import SymbolicError
from ..printing import Shown
from ..spatial.scalar import solve_spd
from .calculus import differentiated, directional, replaced_in, substituted
from .constrained import by_independent, projection
from .derivation import Derivation
from .graph import GraphNode
from .shortest import Shortest
from .study import rate_inverse

Array = np.ndarray

# Largest number of operations of a fraction that is reduced to lowest terms.
_SHORT = 120


@dataclass(frozen=True)
class _Solved:
    """A and B of a pickle; None if there are none."""

    matrices: tuple[Matrix, Matrix] | None

    def __call__(self) -> tuple[Matrix, Matrix]:
        if self.matrices is None:
            raise ZeroDivisionError
        return self.matrices


@dataclass(frozen=True)
class Linearization(Shown):
    """Linearized equations M x_v' + D x_v + K x_q = x_Q and x_q' = V x_v + E x_q.

    With constraints the speeds are the independent ones, n_v of them.

    Attributes
    ----------
    mass, damping : matrix (n_v, n_v)
        M, D.
    stiffness : matrix (n_v, n_q)
        K.
    kinematics : matrix (n_q, n_v)
        V.
    coordinate_rates : matrix (n_q, n_q)
        E, zero at rest.
    input_map : matrix (n_v, n_input)
        Deviations of the inputs to x_Q, if there are actuators.
    force : matrix (n_v, 1)
        Generalized forces that keep the mechanism in that state or motion.
    solved : callable
        Returns A and B.
    """

    mass: Matrix
    damping: Matrix
    stiffness: Matrix
    kinematics: Matrix
    coordinate_rates: Matrix
    input_map: Matrix
    force: Matrix
    solved: Callable[[], tuple[Matrix, Matrix]] = field(repr=False, compare=False)

    def __copy__(self) -> Linearization:
        """The same object, which does not change."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Linearization:
        """As `__copy__`."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle has A and B in place of what computes them."""
        try:
            solved = _Solved(self._state_space)
        except SymbolicError:
            solved = _Solved(None)
        fields = [getattr(self, one.name) for one in dataclasses.fields(self)]
        return Linearization, (*fields[:-1], solved)

    @cached_property
    def _state_space(self) -> tuple[Matrix, Matrix]:
        try:
            return self.solved()
        except ZeroDivisionError:
            raise SymbolicError(
                "the mass matrix is singular: a joint has a motion that moves no inertia, so "
                "that accelerations are undefined; give its body mass and inertia about that axis"
            ) from None

    @property
    def A(self) -> Matrix:
        """State matrix (n_q + n_v, n_q + n_v) of [x_q; x_v]."""
        return self._state_space[0]

    @property
    def B(self) -> Matrix:
        """Input matrix (n_q + n_v, n_v) of x_Q."""
        return self._state_space[1]


@dataclass(frozen=True, eq=False)
class _Terms:
    """Equations r(q, v, vdot) = Q and qdot(q, v), with symbols for the accelerations."""

    speeds: Array
    accelerations: Array
    mass: Array
    force: Array
    kinematics: Array
    qdot: Array
    input_map: Array


def _terms(d: Derivation, *, at_rest: bool) -> _Terms:
    c = d.constraints
    inputs = np.array([d.bridge.node(s) for s in d.loads.inputs], dtype=object)
    B_u = differentiated(d.loads.actuation, inputs)
    names = [f"acceleration[{k}]" for k in range(len(c.independent))]
    a = np.array([d.graph.symbol(name) for name in names], dtype=object)
    nodes = d.bridge.nodes
    if not len(c):
        force = d.force if at_rest else d.inverse(a)
        return _Terms(d.v, a, d.mass, force, d.rates, nodes(d.rates @ d.v), B_u)
    p = projection(d)
    force = nodes(p.mass @ a + by_independent(d, p, p.bias))
    V, qdot = nodes(d.rates @ p.map), nodes(d.rates @ p.speeds)
    return _Terms(d.v[c.independent], a, p.mass, force, V, qdot, nodes(p.map.T @ B_u))


def linearized(
    d: Derivation, shortest: Shortest, values: Mapping[GraphNode, GraphNode]
) -> Linearization:
    """Linearized equations about a state, with values substituted for symbols.

    Speeds without a value are zero, accelerations are zero.
    """
    with_value = {id(x) for x in values}
    still = {x: d.graph.zero for x in d.v if id(x) not in with_value}
    terms = _terms(d, at_rest=len(still) == len(d.v))
    resting = {x: d.graph.zero for x in terms.accelerations}
    return _linearized(d, shortest, terms, {**values, **still, **resting})


def linearized_along(
    d: Derivation, shortest: Shortest, motion: Mapping[int, GraphNode], time: GraphNode
) -> Linearization:
    """Linearized equations about a motion: coordinates, by their numbers, as functions of time."""
    terms = _terms(d, at_rest=False)
    q = np.array([motion[k] for k in range(len(d.q))], dtype=object)

    def rate(values: Array) -> Array:
        return np.array(directional(list(values), {time: d.graph.one}), dtype=object)

    W = substituted(rate_inverse(d), dict(zip(d.q, q, strict=True)))
    v = d.bridge.nodes(W @ rate(q))[d.constraints.independent]
    new = dict(zip(d.q, q, strict=True)) | dict(zip(terms.speeds, v, strict=True))
    new |= dict(zip(terms.accelerations, rate(v), strict=True))
    return _linearized(d, shortest, terms, new)


def _linearized(
    d: Derivation, shortest: Shortest, terms: _Terms, values: Mapping[GraphNode, GraphNode]
) -> Linearization:
    def at(nodes: Array) -> Array:
        return replaced_in(nodes, values)

    M, V, B_u = at(terms.mass), at(terms.kinematics), at(terms.input_map)
    K, D = at(differentiated(terms.force, d.q)), at(differentiated(terms.force, terms.speeds))
    E = at(differentiated(terms.qdot, d.q))

    def solved() -> tuple[Matrix, Matrix]:
        n_q, n_v = V.shape
        columns = solve_spd(M, np.concatenate([-K, -D, np.eye(n_v)], axis=1))
        above = np.concatenate([E, V, np.zeros((n_q, n_v))], axis=1)
        both = shortest.matrix(d.bridge.nodes(np.concatenate([above, columns])))
        both = both.applyfunc(_as_ratio)
        return both[:, : n_q + n_v], both[:, n_q + n_v :]

    return Linearization(
        mass=shortest.matrix(M),
        damping=shortest.matrix(D),
        stiffness=shortest.matrix(K),
        kinematics=shortest.matrix(V),
        coordinate_rates=shortest.matrix(E),
        input_map=shortest.matrix(B_u),
        force=shortest.matrix(at(terms.force)),
        solved=solved,
    )


def _as_ratio(x: sympy.Expr) -> sympy.Expr:
    """Single fraction in lowest terms of a short expression, if that is shorter."""
    if sympy.count_ops(x) > _SHORT:
        return x
    return min((x, sympy.factor(sympy.cancel(x))), key=sympy.count_ops)
