"""The same equations of motion by lissom and by SymPy's two methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.core.cache import clear_cache
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Lagrangian,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

from lissom.symbolic import derive

from .cases import Mechanism

Assignments = Sequence[tuple[sympy.Symbol, sympy.Expr]]


@dataclass(frozen=True)
class Formulas:
    """Mass matrix and bias as a list of assignments, with the time to derive them.

    Parameters
    ----------
    assignments : sequence of (symbol, expression)
        Assignments, in order.
    entries : sequence of expressions
        Upper triangle of the mass matrix, row by row, then the bias; SymPy's are minus the bias.
    state : sequence of symbols
        Coordinates, then speeds.
    derive_seconds, cse_seconds : float
        CPU time of deriving, and of finding common subexpressions; lissom does both at once.
    whole : sequence of expressions, optional
        Entries before the extraction of common subexpressions.
    """

    assignments: Assignments
    entries: Sequence[sympy.Expr]
    state: Sequence[sympy.Symbol]
    derive_seconds: float
    cse_seconds: float
    whole: Sequence[sympy.Expr] | None = None

    @property
    def seconds(self) -> float:
        """CPU time of deriving and shortening [s]."""
        return self.derive_seconds + self.cse_seconds

    @property
    def operations(self) -> int:
        """Number of operations, by `operations`."""
        return operations(self.assignments, self.entries)

    @property
    def basic_operations(self) -> int | None:
        """Number of operations after ``sympy.cse(..., optimizations="basic")``, which is slower."""
        if self.whole is None:
            return None
        return operations(*sympy.cse(self.whole, optimizations="basic"))


def operations(assignments: Assignments, entries: Sequence[sympy.Expr]) -> int:
    """Number of operations of formulas as counted by SymPy; repeated entries count once.

    Parameters
    ----------
    assignments : sequence of (symbol, expression)
        Common subexpressions.
    entries : sequence of expressions
        Results.
    """
    count = sum(int(sympy.count_ops(x)) for _, x in assignments)
    return count + sum(int(sympy.count_ops(x)) for x in set(entries))


def _triangle(mass: sympy.Matrix) -> list[sympy.Expr]:
    n = mass.rows
    return [mass[i, j] for i in range(n) for j in range(i, n)]


def by_lissom(mechanism: Mechanism) -> Formulas:
    """Equations by lissom.

    Parameters
    ----------
    mechanism : Mechanism
        Mechanism to derive.
    """
    clear_cache()
    begin = time.process_time()
    equations = derive(mechanism.model())
    staged = equations.staged("mass", "bias")
    seconds = time.process_time() - begin
    entries = [*_triangle(staged.results["mass"]), *staged.results["bias"]]
    state = (*equations.coordinates, *equations.speeds)
    return Formulas(staged.assignments, entries, state, seconds, 0.0)


@dataclass(frozen=True)
class _Parts:
    """Mechanism in the form of SymPy's methods."""

    frame: ReferenceFrame
    q: list[Any]
    u: list[Any]
    bodies: list[RigidBody]
    loads: list[tuple[Point, Any]]


def _parts(mechanism: Mechanism, *, speeds: bool) -> _Parts:
    """Bodies and loads; angular velocities from separate speeds or from rates of coordinates."""
    n = mechanism.n_v
    q, u = list(dynamicsymbols(f"q1:{n + 1}")), list(dynamicsymbols(f"u1:{n + 1}"))
    rates = u if speeds else [x.diff() for x in q]
    ground, origin = ReferenceFrame("N"), Point("O")
    origin.set_vel(ground, 0)
    frame, point, place = ground, origin, 0
    bodies, loads = [], []
    for i, link in enumerate(mechanism.links):
        joint = point.locatenew(f"J{i}", _vector(link.at, frame))
        joint.v2pt_theory(point, ground, frame)
        for k in reversed(range(len(link.axes))):
            # The first axis, fixed in the previous link, belongs to the last coordinate.
            axis = getattr(frame, link.axes[len(link.axes) - 1 - k])
            turned = ReferenceFrame(f"F{i}_{k}")
            turned.orient_axis(frame, axis, q[place + k])
            turned.set_ang_vel(frame, rates[place + k] * axis)
            frame = turned
        centre = joint.locatenew(f"C{i}", _vector(link.com, frame))
        centre.v2pt_theory(joint, ground, frame)
        about = inertia(frame, *link.inertia)
        body = RigidBody(f"B{i}", centre, frame, link.mass, (about, centre))
        weight = link.mass * mechanism.gravity
        body.potential_energy = weight * centre.pos_from(origin).dot(ground.z)
        bodies.append(body)
        loads.append((centre, -weight * ground.z))
        point, place = joint, place + len(link.axes)
    return _Parts(ground, q, rates, bodies, loads)


def _vector(components: tuple[Any, ...], frame: ReferenceFrame) -> Any:
    x, y, z = components
    return x * frame.x + y * frame.y + z * frame.z


def by_kane(mechanism: Mechanism) -> Formulas:
    """Equations by SymPy's KanesMethod, whose speeds are the rates of the coordinates.

    Parameters
    ----------
    mechanism : Mechanism
        Mechanism to derive.
    """
    clear_cache()
    begin = time.process_time()
    parts = _parts(mechanism, speeds=True)
    kinematics = [x.diff() - u for x, u in zip(parts.q, parts.u, strict=True)]
    method = KanesMethod(parts.frame, parts.q, parts.u, kinematics)
    method.kanes_equations(parts.bodies, parts.loads)
    mass, forcing = method.mass_matrix, method.forcing
    return _finished(mass, forcing, parts, time.process_time() - begin)


def by_lagrange(mechanism: Mechanism) -> Formulas:
    """Equations by SymPy's LagrangesMethod.

    Parameters
    ----------
    mechanism : Mechanism
        Mechanism to derive.
    """
    clear_cache()
    begin = time.process_time()
    parts = _parts(mechanism, speeds=False)
    method = LagrangesMethod(Lagrangian(parts.frame, *parts.bodies), parts.q, frame=parts.frame)
    method.form_lagranges_equations()
    mass, forcing = method.mass_matrix, method.forcing
    return _finished(mass, forcing, parts, time.process_time() - begin)


WAYS: dict[str, Callable[[Mechanism], Formulas]] = {
    "lissom": by_lissom,
    "Kane": by_kane,
    "Lagrange": by_lagrange,
}


def _finished(mass: Any, forcing: Any, parts: _Parts, seconds: float) -> Formulas:
    """Common subexpressions of SymPy's matrices; functions of time are not operations."""
    q = [sympy.Symbol(f"q_{i}") for i in range(len(parts.q))]
    u = [sympy.Symbol(f"u_{i}") for i in range(len(parts.u))]
    rates, places = dict(zip(parts.u, u, strict=True)), dict(zip(parts.q, q, strict=True))
    entries = [x.xreplace(rates).xreplace(places) for x in (*_triangle(mass), *forcing)]
    begin = time.process_time()
    assignments, reduced = sympy.cse(entries)
    cse_seconds = time.process_time() - begin
    return Formulas(assignments, reduced, (*q, *u), seconds, cse_seconds, entries)
