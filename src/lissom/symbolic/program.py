"""Functions of generated programs: inputs, outputs and their expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import sympy

from ..errors import SymbolicError, suggestion
from .calculus import replaced, symbols_in
from .constrained import (
    ProjectionGraph,
    by_independent,
    constrained_accelerations,
    projected_accelerations,
    projection,
)
from .derivation import Derivation
from .graph import GraphNode
from .names import identifier

if TYPE_CHECKING:
    from .derivation import Derivation


@dataclass(frozen=True)
class ProgramFunction:
    """A function that a program can have."""

    inputs: tuple[str, ...]  # names of its input vectors
    words: str  # description of the result, for comments
    nodes: Callable[[Program], Array]  # returns the expressions of the result for a program
    timed: bool = True  # whether it may depend on time


def quantities(d: Derivation) -> dict[str, ProgramFunction]:
    """Functions of the programs of a derivation, by name."""
    functions = _TREE | (_CONSTRAINED if len(d.constraints) else {})
    if not len(d.constraints.gaps):
        functions.pop("closure", None)
    if all(x.residue == 0 for x in d.constraints.drift):
        functions.pop("constraint_drift", None)
    if not d.constraints.independent:
        functions = {name: x for name, x in functions.items() if not name.startswith("reduced")}
        functions.pop("speeds", None)
    if d.loads.inputs:
        functions = {
            name: _with_input(x, "inputs", "forces" in x.inputs) for name, x in functions.items()
        }
        functions |= {"actuation": _ACTUATION}
    if d.time is None:
        return functions
    return {name: _with_input(x, "t", x.timed) for name, x in functions.items()}


def _with_input(quantity: ProgramFunction, name: str, wanted: bool) -> ProgramFunction:
    return replace(quantity, inputs=(*quantity.inputs, name)) if wanted else quantity


def _qdot(p: Program) -> Array:
    d = p.derivation
    return d.bridge.nodes(d.rates @ d.v)


def _energy(p: Program) -> Array:
    return np.array([p.derivation.kinetic, p.derivation.potential], dtype=object)


def _reduced_bias(p: Program) -> Array:
    return by_independent(p.derivation, p.projection, p.projection.bias)


_ACTUATION = ProgramFunction(
    ("inputs",),
    "generalized forces of the actuators",
    lambda p: p.derivation.loads.actuation,
    timed=False,
)
_TREE = {
    "mass": ProgramFunction(("q",), "mass matrix", lambda p: p.derivation.mass, timed=False),
    "bias": ProgramFunction(
        ("q", "v"),
        "bias forces: all forces except mass times acceleration",
        lambda p: p.derivation.bias,
    ),
    "coriolis": ProgramFunction(
        ("q", "v"),
        "matrix C of the forces C v quadratic in the speeds",
        lambda p: p.derivation.coriolis,
        timed=False,
    ),
    "forward_dynamics": ProgramFunction(
        ("q", "v", "forces"),
        "accelerations for generalized forces",
        lambda p: p.derivation.forward(p.applied),
    ),
    "inverse_dynamics": ProgramFunction(
        ("q", "v", "acceleration"),
        "generalized forces for accelerations",
        lambda p: p.derivation.inverse(p.accelerations),
    ),
    "qdot": ProgramFunction(("q", "v"), "rates of the coordinates", _qdot, timed=False),
    "energy": ProgramFunction(("q", "v"), "kinetic and potential energy", _energy),
}

_CONSTRAINED = {
    "constraint_jacobian": ProgramFunction(
        ("q",),
        "matrix A of the constraints A v + a = 0",
        lambda p: p.derivation.constraints.jacobian,
    ),
    "constraint_drift": ProgramFunction(
        ("q",),
        "vector a of the constraints A v + a = 0",
        lambda p: p.derivation.constraints.drift,
    ),
    "constraint_bias": ProgramFunction(
        ("q", "v"),
        "vector gamma of the constraints A vdot + gamma = 0",
        lambda p: p.derivation.constraints.bias,
    ),
    "closure": ProgramFunction(
        ("q",),
        "equations between coordinates, zero if they are satisfied",
        lambda p: p.derivation.constraints.gaps,
    ),
    "multipliers": ProgramFunction(
        ("q", "v", "forces"),
        "constraint forces lambda; M vdot + bias = forces + A^T lambda",
        lambda p: constrained_accelerations(p.derivation, p.applied)[1],
    ),
    "speeds": ProgramFunction(
        ("q", "u"),
        "all speeds for independent speeds u",
        lambda p: p.projection.speeds,
    ),
    "reduced_mass": ProgramFunction(
        ("q",),
        "mass matrix of the independent speeds",
        lambda p: p.projection.mass,
    ),
    "reduced_bias": ProgramFunction(
        ("q", "u"), "bias forces of the independent speeds", _reduced_bias
    ),
    "reduced_dynamics": ProgramFunction(
        ("q", "u", "forces"),
        "rates of the independent speeds for generalized forces",
        lambda p: projected_accelerations(p.derivation, p.projection, p.applied),
    ),
}


Array = np.ndarray


@dataclass(frozen=True)
class Function:
    """One function of a program."""

    # Inputs that are numbers, not vectors.
    SCALARS: ClassVar[tuple[str, ...]] = ("t",)

    name: str  # name of the function
    inputs: Mapping[str, tuple[str, ...]]  # input vectors, with the symbols of their entries
    parameters: tuple[str, ...]  # parameters without a number
    output: Array  # result, a vector or a matrix
    words: str  # description of the result, for comments


class Program:
    """Functions of a derivation."""

    derivation: Derivation  # source of the expressions
    forces: Array
    accelerations: Array

    def __init__(
        self,
        derivation: Derivation,
        values: Mapping[sympy.Symbol, float] | None = None,
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> None:
        self.derivation = derivation
        values = values or {}
        bridge, n = derivation.bridge, derivation.system.n_v
        self._values = {bridge.node(s): bridge.node(x) for s, x in values.items()}
        self.parameters = tuple(s.name for s in derivation.parameters if s not in values)
        self.frames = leaf_frames(derivation) if frames is None else _listed(frames, "frames")
        self._quantities = quantities(derivation)
        self._all = (*self._quantities, *self._of_frames())
        self.names = tuple(n for n in self._all if n != "coriolis")
        if functions is not None:
            self.names = tuple(self._checked(name) for name in _listed(functions, "functions"))
        if n == 0:
            raise SymbolicError(
                f"model {derivation.system.name!r} cannot move: all its joints are fixed; give it "
                "a joint that moves"
            )
        self.forces, self.accelerations = self._vector("f", n), self._vector("a", n)

    def _vector(self, letter: str, n: int) -> Array:
        """Symbols of a vector, different from all parameters."""
        while any(f"{letter}[{k}]" in self.derivation.bridge.symbols for k in range(n)):
            letter += "_"
        graph = self.derivation.graph
        return np.array([graph.symbol(f"{letter}[{k}]") for k in range(n)], dtype=object)

    @property
    def vectors(self) -> dict[str, tuple[str, ...]]:
        """Symbols of the entries of all input vectors."""
        d = self.derivation
        return {
            "q": tuple(s.name for s in d.coordinates),
            "v": tuple(s.name for s in d.speeds),
            "forces": tuple(x.args[0] for x in self.forces),
            "acceleration": tuple(x.args[0] for x in self.accelerations),
            "u": tuple(d.speeds[k].name for k in d.constraints.independent),
            "inputs": tuple(s.name for s in d.loads.inputs),
            "t": () if d.time is None else (d.time.name,),
        }

    @cached_property
    def applied(self) -> Array:
        """Generalized forces, with those of the actuators."""
        return self.forces + self.derivation.loads.actuation

    @cached_property
    def projection(self) -> ProjectionGraph:
        """Equations in independent speeds."""
        return projection(self.derivation)

    def _of_frames(self) -> list[str]:
        """Names of the functions of frames, which must be unique."""
        called: dict[str, str] = {}
        for frame in self.frames:
            self.derivation.system.place(frame)
            other = called.setdefault(identifier(frame, ascii_only=True), frame)
            if other != frame:
                raise SymbolicError(
                    f"frames {other!r} and {frame!r} would give functions of the same name; rename "
                    "a body, or omit one with frames="
                )
        return [
            f"{what}_{identifier(frame)}" for frame in self.frames for what in ("pose", "jacobian")
        ]

    def _checked(self, name: str) -> str:
        if not isinstance(name, str) or name not in self._all:
            raise SymbolicError(
                f"there is no function {name!r}; {suggestion(str(name), self._all)}"
            )
        return name

    def function(self, name: str) -> Function:
        """One function by name."""
        d = self.derivation
        if self._checked(name) in self._quantities:
            quantity = self._quantities[name]
            return self._function_of(name, quantity.inputs, quantity.nodes(self), quantity.words)
        what, frame = next(
            (what, frame)
            for frame in self.frames
            for what in ("pose", "jacobian")
            if name == f"{what}_{identifier(frame)}"
        )
        if what == "pose":
            words = f"configuration matrix of {frame} in the world"
            return self._function_of(name, ("q",), d.pose(frame), words)
        words = f"Jacobian of {frame}, [angular; linear] velocity in world axes"
        return self._function_of(name, ("q",), d.jacobian(frame, "world"), words)

    def _function_of(self, name: str, inputs: Sequence[str], output: Array, words: str) -> Function:
        try:
            flat = replaced(list(output.ravel()), self._values)
        except ZeroDivisionError:
            raise SymbolicError(
                f"values: with these numbers {name} divides by zero, for example by the inertia "
                "of a body that has none; give other numbers, or omit it with functions="
            ) from None
        vectors = {key: self.vectors[key] for key in inputs}
        flat = self._without_others(flat, {s for names in vectors.values() for s in names})
        values = np.array(flat, dtype=object).reshape(output.shape)
        used = symbols_in(flat)
        parameters = tuple(p for p in self.parameters if p in used)
        return Function(name, vectors, parameters, values, words)

    def _without_others(self, nodes: list[GraphNode], inputs: set[str]) -> list[GraphNode]:
        """Nodes rewritten without symbols on which they do not depend.

        Since equal expressions share one node, that node may have a form in which such a symbol
        cancels.
        """
        graph = nodes[0].graph
        others = symbols_in(nodes) - inputs - set(self.parameters)
        return replaced(nodes, {graph.symbols[name]: graph.one for name in sorted(others)})


def _listed(entries: Sequence[str], what: str) -> tuple[str, ...]:
    """Unique names, from a list or a single name."""
    names = (entries,) if isinstance(entries, str) else entries
    if not isinstance(names, (list, tuple)) or not all(isinstance(x, str) for x in names):
        raise SymbolicError(f"{what} is {entries!r}; give a list of names")
    return tuple(dict.fromkeys(names))


def leaf_frames(derivation: Derivation) -> tuple[str, ...]:
    """Frames at the tips: the last node of bodies without children."""
    system = derivation.system
    frames = []
    for name, body, children in zip(system.names, system.bodies, system.children, strict=True):
        if not children:
            tip = "tip" if "tip" in body.node_names else ""
            frames.append(f"{name}.{tip}" if tip else name)
    return tuple(frames)


def heading(program: Program) -> list[str]:
    """Lines that say what a program is, and the order of its vectors."""
    d = program.derivation
    shown = {key: program.vectors[key] for key in ("q", "v")}
    if len(d.constraints):
        shown |= {"u": program.vectors["u"], "multipliers": d.constraints.names}
    if d.loads.inputs:
        shown |= {"inputs": program.vectors["inputs"]}
    title = f"Equations of motion of {d.system.name or 'a mechanism'}, written by lissom."
    return [title, "", *(f"{key}: {', '.join(names)}" for key, names in shown.items())]


def all_nodes(function: Function) -> list[GraphNode]:
    """Entries of a function's output."""
    return list(function.output.ravel())
