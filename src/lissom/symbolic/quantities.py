"""Quantities that programs can compute: their names, inputs and expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .constrained import by_independent, constrained_accelerations, projected_accelerations

if TYPE_CHECKING:
    from .derivation import Derivation
    from .program import Program

Array = np.ndarray


@dataclass(frozen=True)
class Quantity:
    """A function that a program can have.

    Attributes
    ----------
    inputs : tuple of str
        Names of its input vectors.
    words : str
        Description of the result, for comments.
    nodes : callable
        Returns the expressions of the result for a program.
    timed : bool
        Whether it may depend on time.
    """

    inputs: tuple[str, ...]
    words: str
    nodes: Callable[[Program], Array]
    timed: bool = True


def quantities(d: Derivation) -> dict[str, Quantity]:
    """Functions of the programs of a derivation, by name."""
    found = _TREE | (_CONSTRAINED if len(d.constraints) else {})
    if not len(d.constraints.gaps):
        found.pop("closure", None)
    if all(x.residue == 0 for x in d.constraints.drift):
        found.pop("constraint_drift", None)
    if not d.constraints.independent:
        found = {name: x for name, x in found.items() if not name.startswith("reduced")}
        found.pop("speeds", None)
    if d.loads.inputs:
        found = {name: _with_input(x, "inputs", "forces" in x.inputs) for name, x in found.items()}
        found |= {"actuation": _ACTUATION}
    if d.time is None:
        return found
    return {name: _with_input(x, "t", x.timed) for name, x in found.items()}


def _with_input(quantity: Quantity, name: str, wanted: bool) -> Quantity:
    return replace(quantity, inputs=(*quantity.inputs, name)) if wanted else quantity


def _qdot(p: Program) -> Array:
    d = p.derivation
    return d.bridge.nodes(d.rates @ d.v)


def _energy(p: Program) -> Array:
    return np.array([p.derivation.kinetic, p.derivation.potential], dtype=object)


def _reduced_bias(p: Program) -> Array:
    return by_independent(p.derivation, p.projection, p.projection.bias)


_ACTUATION = Quantity(
    ("inputs",),
    "generalized forces of the actuators",
    lambda p: p.derivation.loads.actuation,
    timed=False,
)
_TREE = {
    "mass": Quantity(("q",), "mass matrix", lambda p: p.derivation.mass, timed=False),
    "bias": Quantity(
        ("q", "v"),
        "bias forces: all forces except mass times acceleration",
        lambda p: p.derivation.bias,
    ),
    "coriolis": Quantity(
        ("q", "v"),
        "matrix C of the forces C v quadratic in the speeds",
        lambda p: p.derivation.coriolis,
        timed=False,
    ),
    "forward_dynamics": Quantity(
        ("q", "v", "forces"),
        "accelerations for generalized forces",
        lambda p: p.derivation.forward(p.applied),
    ),
    "inverse_dynamics": Quantity(
        ("q", "v", "acceleration"),
        "generalized forces for accelerations",
        lambda p: p.derivation.inverse(p.accelerations),
    ),
    "qdot": Quantity(("q", "v"), "rates of the coordinates", _qdot, timed=False),
    "energy": Quantity(("q", "v"), "kinetic and potential energy", _energy),
}

_CONSTRAINED = {
    "constraint_jacobian": Quantity(
        ("q",),
        "matrix A of the constraints A v + a = 0",
        lambda p: p.derivation.constraints.jacobian,
    ),
    "constraint_drift": Quantity(
        ("q",),
        "vector a of the constraints A v + a = 0",
        lambda p: p.derivation.constraints.drift,
    ),
    "constraint_bias": Quantity(
        ("q", "v"),
        "vector gamma of the constraints A vdot + gamma = 0",
        lambda p: p.derivation.constraints.bias,
    ),
    "closure": Quantity(
        ("q",),
        "equations between coordinates, zero if they are satisfied",
        lambda p: p.derivation.constraints.gaps,
    ),
    "multipliers": Quantity(
        ("q", "v", "forces"),
        "constraint forces lambda; M vdot + bias = forces + A^T lambda",
        lambda p: constrained_accelerations(p.derivation, p.applied)[1],
    ),
    "speeds": Quantity(
        ("q", "u"),
        "all speeds for independent speeds u",
        lambda p: p.projection.speeds,
    ),
    "reduced_mass": Quantity(
        ("q",),
        "mass matrix of the independent speeds",
        lambda p: p.projection.mass,
    ),
    "reduced_bias": Quantity(("q", "u"), "bias forces of the independent speeds", _reduced_bias),
    "reduced_dynamics": Quantity(
        ("q", "u", "forces"),
        "rates of the independent speeds for generalized forces",
        lambda p: projected_accelerations(p.derivation, p.projection, p.applied),
    ),
}
