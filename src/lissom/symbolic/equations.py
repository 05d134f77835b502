"""Equations of motion of a model, their analysis, and generated programs."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from ..errors import SymbolicError, name_list, suggestion
from ..printing import Shown, folded
from .calculus import replaced_in
from .constraint_equations import ConstraintEquations
from .derivation import Derivation
from .exports import Exports, items
from .graph import GraphNode
from .joints import with_tangents
from .latex import displayed, latex_of
from .linear import Linearization, linearized, linearized_along
from .names import check_choice
from .poincare import coriolis_by_brackets
from .shortest import Shortest
from .study import dependence, ignorable, is_skew, momenta

if TYPE_CHECKING:
    from ..model import Model

Array = np.ndarray


def derive(
    model: Model,
    *,
    level: str | None = None,
    form: str = "poincare",
    coordinates: Any = None,
    speeds: Any = None,
    constraints: Any = (),
    independent: Any = None,
    loads: Any = (),
    forces: Mapping[Any, Any] | None = None,
    time: Any = None,
    simplify: bool = False,
) -> Equations:
    """Equations of motion, M pdot + C p + F = Q + A^T lambda.

    Every parameter of the model may be a number or a SymPy expression; flexible bodies accept
    symbols if their modes are uncoupled (diagonal modal mass and stiffness).

    Parameters
    ----------
    model : Model
        Trees, loops and couplings; rods are not supported.
    level : {"full", "linear", "stiffened"}, optional
        Level of all flexible bodies; by default the level of each body, as for `Model.compile`.
        Formulas are much shorter at "linear".
    form : {"poincare", "lagrange"}
        With "lagrange" all speeds are rates of coordinates (E 37).
    coordinates, speeds : names or symbols, optional
        Their names, in the order of q and v: ``coordinates="t1 t2"``.
    constraints : SymPy expression or list of them
        Constraints beside loops and couplings, each an expression that is zero: of coordinates
        alone (holonomic), or linear in the speeds (nonholonomic).
    independent : names or symbols, optional
        Speeds by which the projected equations express the others; by default the first ones.
    loads : sequence of Load
        Springs, dampers, friction, stops and forces, which become part of F, and actuators, whose
        forces become inputs; as for `simulate`.
    forces : mapping, optional
        Formulas of further generalized forces by speed: ``forces={"v_pole": -k * q_pole}``.
    time : name or symbol, optional
        Symbol of time in gravity, constraints, loads and forces.
    simplify : bool
        Pass every expression through ``sympy.simplify``; slow, and seldom shorter.

    Returns
    -------
    Equations
    """
    arguments = (level, form, coordinates, speeds, constraints, independent, loads, forces, time)
    return Equations(model, arguments, simplify)


@dataclass(frozen=True)
class SymbolicOperators(Shown):
    """Factors of the mass matrix of a tree of rigid bodies, M = H^T Phi^T inertia Phi H.

    Source: (E 50), (E 51), (E 52a), (E 52b).

    Attributes
    ----------
    Phi : matrix (6 n_body, 6 n_body)
        Velocities across the joints to velocities of the bodies.
    H : matrix (6 n_body, n_v)
        Speeds to velocities across the joints.
    inertia : matrix (6 n_body, 6 n_body)
        Spatial inertias of the bodies about their origins, block diagonal.
    """

    Phi: Matrix
    H: Matrix
    inertia: Matrix


class Equations(Exports):
    """Equations of motion, M(q) pdot + C(q, p) p + F(q, p) = Q + A^T lambda and qdot = V(q) p.

    Every quantity is computed when it is first used.  Made by `derive`.

    Parameters
    ----------
    model : Model
        Mechanism.
    given : tuple
        Further arguments of `Derivation`.
    simplify : bool
        As for `derive`.

    Attributes
    ----------
    coordinates, speeds : tuple of sympy.Symbol
        Symbols q and p, in the order of the numeric vectors.
    parameters : tuple of sympy.Symbol
        Symbols of the model.
    inputs : tuple of sympy.Symbol
        Forces of the actuators.
    time : sympy.Symbol or None
        Symbol of time.
    """

    def __init__(self, model: Model, given: tuple[Any, ...], simplify: bool) -> None:
        model_now = copy.copy(model)  # programs are derived later, from the model as it is now
        self._derivation_arguments = model_now, *given
        self._derivation = Derivation(*self._derivation_arguments, sums=True)
        self._shortest = Shortest(self._derivation.bridge)
        self._simplify = simplify
        self.name = model.name
        self.coordinates = self._derivation.coordinates
        self.speeds = self._derivation.speeds
        self.parameters = self._derivation.parameters
        self.inputs = self._derivation.loads.inputs
        self.time = self._derivation.time

    def __repr__(self) -> str:
        """Sizes and symbols; nothing is derived."""
        constraints = [one.name for one in self._derivation.system.constraints]
        groups = {
            "coordinates": self.coordinates,
            "speeds": self.speeds,
            "parameters": self.parameters,
            "inputs": self.inputs,
            "constraints": constraints,
        }
        rows = [
            f"  {len(group)} {what if len(group) > 1 else what[:-1]}: {name_list(group, show=str)}"
            for what, group in groups.items()
            if len(group)
        ]
        return folded("\n".join([f"Equations of {self.name or 'a system'}:", *rows]))

    def _repr_latex_(self) -> str:
        """Formulas, if they are short; otherwise the form of the equations."""
        return displayed(self, bool(self._derivation.system.constraints))

    # The equations

    @cached_property
    def kinematics(self) -> Matrix:
        """Matrix V (n_q, n_v) with qdot = V p (E 39)."""
        return self._matrix(self._derivation.rates).applyfunc(with_tangents)

    @cached_property
    def mass(self) -> Matrix:
        """Mass matrix M (n_v, n_v)."""
        return self._matrix(self._derivation.mass)

    @cached_property
    def coriolis(self) -> Matrix:
        """Matrix C (n_v, n_v), such that C p are the forces quadratic in the speeds.

        Mdot - 2 C is skew, except with flexible bodies at level "linear", whose forces do not
        derive from a kinetic energy.
        """
        return self._matrix(self._derivation.coriolis)

    @cached_property
    def poincare_coriolis(self) -> Matrix:
        """Matrix C of (E 53b) with signs corrected: same C p, but Mdot - 2 C not skew."""
        d = self._derivation
        C = coriolis_by_brackets(d.mass, d.rates, d.structure_constants, d.q, d.v)
        return self._matrix(d.bridge.nodes(C))

    @cached_property
    def velocity_force(self) -> Matrix:
        """Forces C p (n_v,), quadratic in the speeds."""
        return self._matrix(self._derivation.velocity_terms)

    @cached_property
    def force(self) -> Matrix:
        """Forces F (n_v,) of gravity, stiffness, damping and loads (E 53c)."""
        return self._matrix(self._derivation.force)

    @cached_property
    def actuation(self) -> Matrix:
        """Generalized forces (n_v,) of the inputs, a part of Q."""
        return self._matrix(self._derivation.loads.actuation)

    @cached_property
    def bias(self) -> Matrix:
        """Bias forces C p + F (n_v,)."""
        return self._matrix(self._derivation.bias)

    @cached_property
    def potential(self) -> sympy.Expr:
        """Potential energy of gravity and strain [J], without that of loads."""
        return self._expression(self._derivation.potential)

    @cached_property
    def kinetic(self) -> sympy.Expr:
        """Kinetic energy, p^T M p / 2 [J]."""
        return self._expression(self._derivation.kinetic)

    @cached_property
    def structure_constants(self) -> sympy.ImmutableDenseNDimArray:
        """Constants c[k, i, j] of [v_i, v_j] = sum over k of c[k, i, j] v_k, v_i columns of V."""
        flat = [self._expression(x) for x in self._derivation.structure_constants.ravel()]
        return sympy.ImmutableDenseNDimArray(flat, self._derivation.structure_constants.shape)

    @cached_property
    def constraints(self) -> ConstraintEquations:
        """Constraints of loops, couplings and formulas: A p + a = 0 (E 3b), (E 3c)."""
        return ConstraintEquations(self._derivation, self._matrix)

    # Frames

    def pose(self, where: str, *, at: Any = (0, 0, 0)) -> Matrix:
        """Configuration matrix (4, 4) of "body", "body.node" or a frame in the world.

        Parameters
        ----------
        where : str
            Frame.
        at : array (3,)
            Shift of the origin, in the axes of the frame [m].
        """
        return self._matrix(self._derivation.pose(where, at))

    def joint_configuration(self, body: str) -> Matrix:
        """Configuration matrix (4, 4) of the joint inboard of a body.

        Parameters
        ----------
        body : str
            Name.
        """
        return self._matrix(self._derivation.joint_configuration(body))

    def jacobian(self, where: str, *, at: Any = (0, 0, 0), axes: str = "world") -> Matrix:
        """J (6, n_v): speeds -> [angular; linear] velocity of a body, node or frame.

        Parameters
        ----------
        where : str
            Frame.
        at : array (3,)
            Point whose velocity is given, in the axes of the frame [m].
        axes : {"world", "body"}
            Axes of the velocity; "body" means those of the frame.
        """
        check_choice(axes, ("world", "body"), "axes")
        return self._matrix(self._derivation.jacobian(where, axes, at))

    @cached_property
    def operators(self) -> SymbolicOperators:
        """Factors Phi, H and inertia of M = H^T Phi^T inertia Phi H."""
        return SymbolicOperators(*(self._matrix(x) for x in self._derivation.operators()))

    # Analysis

    def is_skew(self) -> bool:
        """Whether Mdot - 2 C is skew."""
        return is_skew(self._derivation, self._derivation.coriolis)

    @property
    def equilibrium(self) -> Matrix:
        """Forces (n_v,) that hold the mechanism at rest; zero, or A^T lambda, at an equilibrium."""
        return self._matrix(self._derivation.static)

    def dependence(self, quantity: str = "mass") -> dict[tuple[int, ...], tuple[sympy.Symbol, ...]]:
        """Coordinates and speeds that each entry depends on.

        Parameters
        ----------
        quantity : {"mass", "coriolis", "velocity_force", "force", "bias", "kinematics"}
            Name of the quantity.
        """
        names = (*self.coordinates, *self.speeds)
        return {
            index: tuple(names[k] for k in numbers)
            for index, numbers in dependence(self._derivation, self._nodes(quantity)).items()
        }

    @property
    def ignorable(self) -> tuple[sympy.Symbol, ...]:
        """Coordinates on which neither energy depends; without forces their momenta are conserved.

        Quaternions, four coordinates for three motions, are not considered.
        """
        return tuple(self.coordinates[k] for k in ignorable(self._derivation))

    @property
    def conserved_momenta(self) -> dict[sympy.Symbol, sympy.Expr]:
        """Momentum dT/dqdot of each ignorable coordinate, in terms of q and p."""
        if len(self._derivation.constraints) or self._derivation.loads.present:
            raise SymbolicError(
                f"model {self.name!r} has constraints or loads, whose forces may change the "
                "momenta of ignorable coordinates; derive the equations of the tree alone"
            )
        return {
            self.coordinates[k]: self._expression(x)
            for k, x in momenta(self._derivation, ignorable(self._derivation)).items()
        }

    def linearize(
        self, at: Mapping[Any, Any] | None = None, *, motion: Mapping[Any, Any] | None = None
    ) -> Linearization:
        """Linear equations about a state or a motion, M x_v' + D x_v + K x_q = x_Q.

        With constraints, speeds are the independent ones, and the state must satisfy them.

        Parameters
        ----------
        at : mapping, optional
            Values of coordinates and speeds, numbers or expressions, by symbol or name.  Other
            coordinates stay symbols, other speeds are zero, and so are accelerations.
        motion : mapping, optional
            Formulas of all coordinates in the time of ``derive(..., time=...)``, instead of `at`:
            the matrices are then functions of time.
        """
        if motion is None:
            return linearized(self._derivation, self._shortest, self._values(at))
        if at is not None:
            raise SymbolicError("both at and motion are given; give one of them")
        return self._linearize_along(motion)

    def _linearize_along(self, motion: Mapping[Any, Any]) -> Linearization:
        d = self._derivation
        if d.t is None:
            raise SymbolicError(
                "a motion needs a symbol of time; derive the equations with time=, such as "
                'derive(model, time="t")'
            )
        numbers = {s.name: k for k, s in enumerate(self.coordinates)}
        formulas: dict[int, GraphNode] = {}
        for key, x in items(motion, "motion"):
            if str(key) not in numbers:
                raise SymbolicError(
                    f"motion: there is no coordinate {str(key)!r}; {suggestion(str(key), numbers)}"
                )
            formulas[numbers[str(key)]] = d.node_of(x, f"motion: {key}")
        if missing := [s for s in self.coordinates if numbers[s.name] not in formulas]:
            raise SymbolicError(
                f"motion: no formula for {name_list(missing, show=str)}; give one for each "
                "coordinate"
            )
        return linearized_along(d, self._shortest, formulas, d.t)

    # Formulas

    def latex(self, *, values: Mapping[Any, float] | None = None) -> str:
        """Equations in LaTeX; long ones as a list of assignments.

        Parameters
        ----------
        values : mapping, optional
            Numbers for parameters; the others stay symbols.
        """
        new = self._values(self._numbers(values))

        def shown(quantity: str) -> Matrix:
            return self._matrix(replaced_in(self._nodes(quantity), new))

        more = ("constraint_jacobian", "constraint_bias") if len(self.constraints) else ()
        return latex_of(self, self.staged("mass", "bias", "qdot", *more, values=values), shown)

    def _values(self, values: Mapping[Any, Any] | None) -> dict[GraphNode, GraphNode]:
        """Replacement nodes by symbol node, given by symbol or name."""
        bridge = self._derivation.bridge
        replacements = {}
        for key, value in items(values, "at"):
            if str(key) not in bridge.symbols:
                raise SymbolicError(
                    f"at: there is no symbol {str(key)!r}; {suggestion(str(key), bridge.symbols)}"
                )
            node = bridge.node(bridge.symbols[str(key)])
            replacements[node] = self._derivation.node_of(value, f"at: {key}")
        return replacements

    def _nodes(self, quantity: str) -> Array:
        d = self._derivation
        by_name = {
            "mass": lambda: d.mass,
            "coriolis": lambda: self._derivation.coriolis,
            "force": lambda: d.force,
            "bias": lambda: d.bias,
            "velocity_force": lambda: d.velocity_terms,
            "kinematics": lambda: d.rates,
        }
        if not isinstance(quantity, str) or quantity not in by_name:
            raise SymbolicError(f"there is no {quantity!r}; {suggestion(str(quantity), by_name)}")
        return by_name[quantity]()

    def _matrix(self, nodes: Array) -> Matrix:
        result = self._shortest.matrix(nodes)
        return result.applyfunc(sympy.simplify) if self._simplify else result

    def _expression(self, node: Any) -> sympy.Expr:
        result = self._shortest.expression(node)
        return sympy.simplify(result) if self._simplify else result
