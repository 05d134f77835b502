"""Mechanisms for symbolic equations: chains with symbols, and the arm of paper E."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from sympy import Rational

from lissom.bodies import RigidBody
from lissom.joints import CompoundJoint, Joint, Revolute
from lissom.model import Model, Part

KINDS = ("general", "straight")
ARM = "arm"

# Six entries: unit rotation about each axis.
_TURN = dict(zip("xyz", np.eye(6)[:3], strict=True))


@dataclass(frozen=True)
class Link:
    """Body with the joint that carries it; numbers or symbols.

    Parameters
    ----------
    axes : str
        Axes of successive rotations of the joint, the first fixed in the previous link.
    at : tuple
        Position of the joint on the previous link [m].
    mass : number or symbol
        Mass [kg].
    com : tuple
        Centre of mass [m].
    inertia : tuple
        Principal moments of inertia about it [kg m^2].
    """

    axes: str
    at: tuple[Any, Any, Any]
    mass: Any
    com: tuple[Any, Any, Any]
    inertia: tuple[Any, Any, Any]

    @property
    def joint(self) -> Joint:
        """Joint; its first coordinate rotates about the last axis, as in paper E."""
        if len(self.axes) == 1:
            return Revolute(self.axes)
        return CompoundJoint([_TURN[axis] for axis in reversed(self.axes)])


@dataclass(frozen=True)
class Mechanism:
    """Serial chain of links, independent of the library that derives its equations.

    Parameters
    ----------
    kind : str
        One of `KINDS`, or `ARM`.
    links : tuple of Link
        Links, from the ground outwards.
    gravity : number or symbol
        Gravity along -z [m/s^2].
    values : mapping of symbol to float
        Numbers for the symbols.
    """

    kind: str
    links: tuple[Link, ...]
    gravity: Any
    values: Mapping[sympy.Symbol, float]

    @property
    def name(self) -> str:
        """Name in tables."""
        if self.kind == ARM:
            return "arm of the paper"
        return f"{self.kind} chain, {len(self.links)} links"

    @property
    def n_v(self) -> int:
        """Number of speeds."""
        return sum(len(link.axes) for link in self.links)

    def model(self, *, numbers: bool = False) -> Model:
        """Mechanism as a lissom Model.

        Parameters
        ----------
        numbers : bool
            Whether symbols are replaced by their values.
        """

        def value(x: Any) -> Any:
            return float(sympy.sympify(x).xreplace(self.values)) if numbers else x

        def vector(x: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(map(value, x))

        model = Model(self.kind, gravity=(0, 0, -value(self.gravity)))
        last: Part | None = None
        for i, link in enumerate(self.links, 1):
            body = RigidBody(value(link.mass), vector(link.com), vector(link.inertia))
            last = model.add(body, link.joint, name=f"link{i}", to=last, at=vector(link.at))
        return model


def chain(n: int, kind: str) -> Mechanism:
    """Chain of revolute joints about z and y in turn, with a symbol for every parameter.

    Parameters
    ----------
    n : int
        Number of links.
    kind : {"general", "straight"}
        Whether the next joint and the centre of mass are anywhere in a link or on its x-axis.
    """
    values: dict[sympy.Symbol, float] = {}
    rng = np.random.default_rng(n)

    def made(name: str, least: float, most: float) -> sympy.Symbol:
        symbol = sympy.Symbol(name, positive=True)
        values[symbol] = float(rng.uniform(least, most))
        return symbol

    def place(letter: str, i: int) -> tuple[Any, Any, Any]:
        if kind == "straight":
            return made(f"{letter}{i}", 0.3, 1.0), 0, 0
        x, y, z = (made(f"{letter}{axis}{i}", 0.3, 1.0) for axis in "xyz")
        return x, y, z

    links = []
    for i in range(1, n + 1):
        at = place("l", i - 1) if i > 1 else (0, 0, 0)
        mass, com = made(f"m{i}", 0.5, 2.0), place("c", i)
        # As required, no moment exceeds the sum of the other two.
        xx, yy, zz = (made(f"{letter}{i}", 0.2, 0.4) for letter in "ABC")
        links.append(Link("zy"[(i - 1) % 2], at, mass, com, (xx, yy, zz)))
    return Mechanism(kind, tuple(links), made("g", 9.8, 9.81), values)


def arm() -> Mechanism:
    """Arm with six degrees of freedom of Kwatny & Blankenship 1995, section IV.

    The numbers are those of the printed program, including the gripper's third moment of inertia;
    gravity, which is not given there, is 9.81 m/s^2.
    """
    half, bar = (0, 0, Rational("1.5")), (Rational("0.75"), Rational("0.75"), 0)  # 1 kg, 3 m
    mass, length, radius = Rational("0.5"), Rational("0.7"), Rational("0.35")
    across = mass * (length**2 + 3 * radius**2) / 12
    gripper = across, across, mass * radius**2 / 12
    links = (
        Link("zy", (0, 0, 0), 1, half, bar),
        Link("y", (0, 0, 3), 1, half, bar),
        Link("xzy", (0, 0, 3), mass, (0, 0, length / 2), gripper),
    )
    return Mechanism(ARM, links, Rational("9.81"), {})
