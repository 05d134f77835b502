"""The equations of motion of a model, and what explicit equations are for."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy import ImmutableDenseMatrix as Matrix

from ..errors import SymbolicError, name_list, suggestion
from .c_code import write_c
from .calculus import replaced_in
from .derivation import Derivation
from .files import write_text
from .graph import Node
from .joints import with_tangents
from .latex import latex_of
from .linear import Linearization, linearized
from .names import check_choice
from .poincare import coriolis_by_brackets
from .program import Program
from .python_code import Functions, casadi_functions, executed, python_source
from .shortest import Shortest
from .staged import Staged, staged
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
    simplify: bool = False,
) -> Equations:
    """Equations of motion of a tree, M pdot + C p + F = Q.

    Every parameter of the model may be a number or a SymPy expression; flexible bodies take symbols
    if each of their modes stands alone (diagonal modal mass and stiffness).

    Parameters
    ----------
    model : Model
        What `compile` takes, without loops.
    level : {"full", "linear"}, optional
        Level for all flexible bodies; by default each body's own, as for `Model.compile`.  Formulas
        are much shorter at "linear".
    form : {"poincare", "lagrange"}
        "lagrange" takes the rates of the coordinates for speeds throughout.
    coordinates, speeds : names or symbols, optional
        What to call them, in the order of q and v: ``coordinates="t1 t2"``.
    simplify : bool
        Pass every expression through ``sympy.simplify``; slow, and seldom shorter.

    Returns
    -------
    Equations
    """
    return Equations(model, level, form, coordinates, speeds, simplify)


@dataclass(frozen=True)
class Operators:
    """Factors of the mass matrix of a tree of rigid bodies, M = H^T Phi^T inertia Phi H.

    Source: Kwatny & Blankenship (paper E), eqs. (50)-(52).

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


class Equations:
    """Equations of motion, M(q) pdot + C(q, p) p + F(q, p) = Q and qdot = V(q) p.

    Everything is worked out when it is first asked for.  Make one with `derive`.

    Parameters
    ----------
    model, level, form, coordinates, speeds, simplify
        As for `derive`.

    Attributes
    ----------
    coordinates, speeds : tuple of sympy.Symbol
        q and p, in the order of the numeric side.
    parameters : tuple of sympy.Symbol
        Symbols of the model.
    """

    def __init__(
        self,
        model: Model,
        level: str | None,
        form: str,
        coordinates: Any,
        speeds: Any,
        simplify: bool,
    ) -> None:
        kept = copy.copy(model)  # programs are derived later, of what the model is now
        self._again = kept, level, form, coordinates, speeds
        self._derivation = Derivation(*self._again, sums=True)
        self._shortest = Shortest(self._derivation.bridge)
        self._simplify = simplify
        self.name: str = model.name
        self.coordinates = self._derivation.coordinates
        self.speeds = self._derivation.speeds
        self.parameters = self._derivation.parameters

    @cached_property
    def _program(self) -> Derivation:
        """The same for programs, which are faster without sines of sums of angles."""
        return Derivation(*self._again)

    # The equations

    @cached_property
    def kinematics(self) -> Matrix:
        """V (n_q, n_v): qdot = V p."""
        return self._matrix(self._derivation.rates).applyfunc(with_tangents)

    @cached_property
    def mass(self) -> Matrix:
        """M (n_v, n_v)."""
        return self._matrix(self._derivation.mass)

    @cached_property
    def coriolis(self) -> Matrix:
        """C (n_v, n_v), such that C p are the forces that are quadratic in the speeds.

        Mdot - 2 C is skew, unless a flexible body is described at level "linear", whose forces are
        not those of a kinetic energy.
        """
        return self._matrix(self._derivation.coriolis)

    @cached_property
    def poincare_coriolis(self) -> Matrix:
        """C of paper E, eq. (53b) with its signs put right: the same C p, Mdot - 2 C not skew."""
        d = self._derivation
        C = coriolis_by_brackets(d.mass, d.rates, d.structure_constants, d.q, d.v)
        return self._matrix(d.bridge.nodes(C))

    @cached_property
    def velocity_force(self) -> Matrix:
        """C p (n_v,)."""
        return self._matrix(self._derivation.velocity_terms)

    @cached_property
    def force(self) -> Matrix:
        """F (n_v,): gravity, stiffness and damping."""
        d = self._derivation
        return self._matrix(d.bridge.nodes(d.static + d.damping))

    @cached_property
    def bias(self) -> Matrix:
        """C p + F (n_v,)."""
        return self._matrix(self._derivation.bias)

    @cached_property
    def potential(self) -> sympy.Expr:
        """Potential of gravity and strain energy [J]."""
        return self._expression(self._derivation.potential)

    @cached_property
    def kinetic(self) -> sympy.Expr:
        """Kinetic energy, p^T M p / 2 [J]."""
        return self._expression(self._derivation.kinetic)

    @cached_property
    def structure_constants(self) -> sympy.ImmutableDenseNDimArray:
        """c[k, i, j] with [v_i, v_j] = sum over k of c[k, i, j] v_k, v_i the columns of V."""
        flat = [self._expression(x) for x in self._derivation.structure_constants.ravel()]
        return sympy.ImmutableDenseNDimArray(flat, self._derivation.structure_constants.shape)

    # Frames

    def pose(self, where: str, *, at: Any = (0, 0, 0)) -> Matrix:
        """Configuration matrix (4, 4) of "body" or "body.node" in the world.

        Parameters
        ----------
        where : str
            Frame.
        at : array (3,)
            Origin of another frame with the same axes, in the axes of the frame [m].
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
        """J (6, n_v): speeds -> [angular; linear] velocity of "body" or "body.node".

        Parameters
        ----------
        where : str
            Frame.
        at : array (3,)
            Point of the frame whose velocity is meant, in its axes [m].
        axes : {"world", "body"}
            In which axes; "body" are those of the frame.
        """
        check_choice(axes, ("world", "body"), "axes")
        return self._matrix(self._derivation.jacobian(where, axes, at))

    @cached_property
    def operators(self) -> Operators:
        """Phi, H and the inertias of the bodies, with M = H^T Phi^T inertia Phi H."""
        return Operators(*(self._matrix(x) for x in self._derivation.operators()))

    # What explicit equations are for

    def is_skew(self) -> bool:
        """Whether Mdot - 2 C is skew."""
        return is_skew(self._derivation, self._derivation.coriolis)

    @property
    def equilibrium(self) -> Matrix:
        """Generalized forces (n_v,) that hold the mechanism at rest: zero at an equilibrium."""
        return self._matrix(self._derivation.static)

    def dependence(self, quantity: str = "mass") -> dict[tuple[int, ...], tuple[sympy.Symbol, ...]]:
        """Coordinates and speeds that each entry depends on.

        Parameters
        ----------
        quantity : {"mass", "coriolis", "velocity_force", "force", "bias", "kinematics"}
            What is looked at.
        """
        names = (*self.coordinates, *self.speeds)
        return {
            index: tuple(names[k] for k in numbers)
            for index, numbers in dependence(self._derivation, self._nodes(quantity)).items()
        }

    @property
    def ignorable(self) -> tuple[sympy.Symbol, ...]:
        """Coordinates that neither energy depends on; their momenta are conserved without forces.

        Quaternions are four coordinates for three motions and are not looked at.
        """
        return tuple(self.coordinates[k] for k in ignorable(self._derivation))

    @property
    def conserved_momenta(self) -> dict[sympy.Symbol, sympy.Expr]:
        """Momentum dT/dqdot of each ignorable coordinate, in terms of q and p."""
        return {
            self.coordinates[k]: self._expression(x)
            for k, x in momenta(self._derivation, ignorable(self._derivation)).items()
        }

    def linearize(self, at: Mapping[Any, Any] | None = None) -> Linearization:
        """Linear equations about a state of rest, M x_v' + D x_v + K x_q = Q.

        Parameters
        ----------
        at : mapping, optional
            Values, numbers or expressions, of coordinates by symbol or name; those that are not
            named stay symbols.
        """
        return linearized(self._derivation, self._shortest, self._values(at))

    # Programs

    def staged(self, *quantities: str, values: Mapping[Any, float] | None = None) -> Staged:
        """Quantities as a list of small assignments, each used by later ones.

        Parameters
        ----------
        *quantities : str
            Functions of a program, such as "mass", "coriolis", "forward_dynamics" (see
            `functions`); by default "mass" and "bias".
        values : mapping, optional
            Numbers for parameters; the others stay symbols.
        """
        program = self._made_program(values, None, None)
        chosen = {name: program.function(name).output for name in quantities or ("mass", "bias")}
        return staged(self._program.bridge, chosen)

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that programs have."""
        return Program(self._program).names

    def lambdify(
        self,
        *,
        values: Mapping[Any, float] | None = None,
        backend: str = "numpy",
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> Functions:
        """Functions of numbers: ``.mass(q)``, ``.forward_dynamics(q, v, forces)`` and others.

        Parameters
        ----------
        values : mapping, optional
            Numbers for the parameters, by symbol or name; all of them need one.
        backend : {"numpy", "numba"}
            "numpy" takes arrays of states too, "numba" is compiled.
        frames : sequence of str, optional
            Frames with functions for pose and Jacobian; by default those of the last bodies.
        functions : sequence of str, optional
            Which functions; by default all but "coriolis", which is long for large systems.
        """
        program = self._made_program(values, frames, functions)
        if program.parameters:
            raise SymbolicError(
                f"no number for {name_list(program.parameters, show=str)}; give it with "
                "values={symbol: number}"
            )
        return executed(program, backend)

    def to_python(
        self,
        path: str | Path,
        *,
        values: Mapping[Any, float] | None = None,
        backend: str = "numpy",
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> Path:
        """Write a Python module with all functions.

        Parameters
        ----------
        path : path
            File to write.
        values : mapping, optional
            Numbers for parameters; the others become a vector p.
        backend : {"numpy", "numba", "casadi"}
            What the module uses.
        frames, functions : sequence of str, optional
            As for `lambdify`.
        """
        text = self.python_source(
            values=values, backend=backend, frames=frames, functions=functions
        )
        return write_text(path, text)

    def python_source(
        self,
        *,
        values: Mapping[Any, float] | None = None,
        backend: str = "numpy",
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> str:
        """Text of the module that `to_python` writes.

        Parameters
        ----------
        values : mapping, optional
            Numbers for parameters; the others become a vector p.
        backend : {"numpy", "numba", "casadi"}
            What the module uses.
        frames, functions : sequence of str, optional
            As for `lambdify`.
        """
        return python_source(self._made_program(values, frames, functions), backend)

    def to_c(
        self,
        folder: str | Path,
        *,
        name: str | None = None,
        real: str = "double",
        values: Mapping[Any, float] | None = None,
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> tuple[Path, Path]:
        """Write a C99 program of one header and one source that needs <math.h> alone.

        Parameters
        ----------
        folder : path
            Where to.
        name : str, optional
            Of the files and before the functions' names; by default the model's.
        real : {"double", "float"}
            Precision.
        values : mapping, optional
            Numbers for parameters; the others become fields of a struct.
        frames, functions : sequence of str, optional
            As for `lambdify`.

        Returns
        -------
        tuple of two paths
            Header and source.
        """
        program = self._made_program(values, frames, functions)
        name = self.name if name is None else name
        if not isinstance(name, str):
            raise SymbolicError(
                f"name is {name!r}; give a text that files and functions begin with"
            )
        return write_c(program, folder, name or "model", real)

    def to_casadi(
        self,
        *,
        values: Mapping[Any, float] | None = None,
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """CasADi functions by name; parameters without a number are one more input, p.

        Parameters
        ----------
        values : mapping, optional
            Numbers for parameters.
        frames, functions : sequence of str, optional
            As for `lambdify`.
        """
        return casadi_functions(self._made_program(values, frames, functions))

    def latex(self, *, values: Mapping[Any, float] | None = None) -> str:
        """The equations for LaTeX; long ones as a list of assignments.

        Parameters
        ----------
        values : mapping, optional
            Numbers for parameters; the others stay symbols.
        """
        new = self._values(self._numbers(values))

        def shown(quantity: str) -> Matrix:
            return self._matrix(replaced_in(self._nodes(quantity), new))

        return latex_of(self, self.staged("mass", "bias", "qdot", values=values), shown)

    def _made_program(
        self,
        values: Mapping[Any, float] | None,
        frames: Sequence[str] | None,
        functions: Sequence[str] | None,
    ) -> Program:
        return Program(self._program, self._numbers(values), frames, functions)

    def _numbers(self, values: Mapping[Any, Any] | None) -> dict[sympy.Symbol, float]:
        """Numbers by symbol, whatever they were given by."""
        known = {s.name: s for s in self.parameters}
        numbers = {}
        for key, value in _items(values, "values"):
            symbol = known.get(str(key))
            if symbol is None:
                raise SymbolicError(
                    f"values: there is no parameter {str(key)!r}; {suggestion(str(key), known)}"
                )
            try:
                numbers[symbol] = float(value)
            except (TypeError, ValueError, OverflowError):
                raise SymbolicError(f"values: {symbol} is {value!r}; expected a number") from None
            if not np.isfinite(numbers[symbol]):
                raise SymbolicError(f"values: {symbol} is {value!r}; expected a finite number")
        return numbers

    def _values(self, values: Mapping[Any, Any] | None) -> dict[Node, Node]:
        """Nodes in the place of symbols, whatever they were given by."""
        bridge = self._derivation.bridge
        replacements = {}
        speeds = {s.name for s in self.speeds}
        for key, value in _items(values, "at"):
            if str(key) not in bridge.symbols:
                raise SymbolicError(
                    f"at: there is no symbol {str(key)!r}; {suggestion(str(key), bridge.symbols)}"
                )
            if str(key) in speeds:
                raise SymbolicError(
                    f"at: {key} is a speed, and the state is one of rest; give coordinates"
                )
            node = bridge.node(bridge.symbols[str(key)])
            replacements[node] = bridge.node(value)
        return replacements

    def _nodes(self, quantity: str) -> Array:
        d = self._derivation
        known = {
            "mass": lambda: d.mass,
            "coriolis": lambda: self._derivation.coriolis,
            "force": lambda: d.bridge.nodes(d.static + d.damping),
            "bias": lambda: d.bias,
            "velocity_force": lambda: d.velocity_terms,
            "kinematics": lambda: d.rates,
        }
        if not isinstance(quantity, str) or quantity not in known:
            raise SymbolicError(f"there is no {quantity!r}; {suggestion(str(quantity), known)}")
        return known[quantity]()

    def _matrix(self, nodes: Array) -> Matrix:
        result = self._shortest.matrix(nodes)
        return result.applyfunc(sympy.simplify) if self._simplify else result

    def _expression(self, node: Any) -> sympy.Expr:
        result = self._shortest.expression(node)
        return sympy.simplify(result) if self._simplify else result


def _items(values: Any, what: str) -> Iterable[tuple[Any, Any]]:
    """Pairs of a mapping that the user gave; `what` for the error."""
    if values is None:
        return ()
    if not isinstance(values, Mapping):
        raise SymbolicError(f"{what} is {values!r}; give a dictionary {{symbol: value}}")
    return values.items()
