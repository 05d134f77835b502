"""Interface of normal laws: force between two bodies by their depth, and its damping."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ....errors import LoadError, shown
from ....fields import (
    ChoiceField,
    FieldForm,
    NumberField,
    check_fields,
    declare,
    declared,
    is_number,
    numbers,
)
from ....printing import Shown
from .restitution import DAMPING_NUMBERS, damping_number

Array = np.ndarray

__all__ = ["DampedLaw", "NormalLaw", "power"]


@dataclass(frozen=True)
class RestitutionField(FieldForm):
    """Coefficient of restitution."""

    kind: str = "float"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Value as a float."""
        if is_number(value) and 0.0 < value <= 1.0:
            return float(value)
        raise error(
            f"{what} is {shown(value)}; expected a number above 0 and at most 1; for an impact "
            "without rebound give 0.01"
        )


@dataclass(frozen=True)
class DissipationField(NumberField):
    """Damping of a force that is multiplied by 1 + damping times rate."""

    least: float | None = 0.0

    @property
    def expected(self) -> str:
        """What an error says was expected."""
        return "a number [s/m], zero or more"


@dataclass(frozen=True)
class RowField(FieldForm):
    """A row of numbers."""

    kind: str = "array (n,)"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Value as an array (n,)."""
        row = numbers(value, what, f"a row of numbers {self.unit}", error=error)
        if row.ndim != 1:
            raise error(f"{what} is {shown(value)}; expected a row of numbers {self.unit}")
        return row


@declared()
class NormalLaw(Shown, ABC):
    """Interface of normal laws.

    A law is immutable and independent of a system; `between` puts in the shapes of a pair.
    """

    file_kind: ClassVar[str]  # name of the kind in model files

    def __post_init__(self) -> None:
        check_fields(self, self.label, LoadError)
        self.check()

    @property
    def label(self) -> str:
        """Name in messages."""
        return type(self).__name__

    @property
    def latched(self) -> bool:
        """Whether the damping depends on the speed at which a contact begins."""
        return False

    @property
    def tangential_ratio(self) -> float:
        """Tangential over normal stiffness while sticking, by Mindlin; that of Poisson's 0.3."""
        return 2.0 * (1.0 - 0.3) / (2.0 - 0.3)

    def check(self) -> None:
        """Check what a field alone does not tell; `fields` has checked each one."""

    def between(self, shape: ArrayLike, other: ArrayLike = 0.0) -> Self:
        """Law between two shapes, whose curvatures decide its stiffness if materials are given.

        Parameters
        ----------
        shape, other : array_like
            Curvatures of each surface at the point of contact [1/m], above zero where it is convex:
            one number for a ball, zero for a plane, or the shape operator as (xx, xy, yy) along two
            common tangents.

        Returns
        -------
        NormalLaw
            Law with its stiffness.
        """
        return self

    @abstractmethod
    def numbers(self) -> list[float]:
        """Numbers of the law for the kernels, in SI units."""

    @abstractmethod
    def _elastic(self, depth: Array) -> tuple[Array, Array]:
        """Force at rest and its slope, at depths of zero or more."""

    @abstractmethod
    def _energy(self, depth: Array) -> Array:
        """Integral of the force at rest, at depths of zero or more."""

    @abstractmethod
    def _damped(self, depth: Array, rate: Array, at_speed: float | None) -> Array:
        """Force at depths of zero or more."""

    def force(
        self, depth: ArrayLike, rate: ArrayLike = 0.0, *, at_speed: float | None = None
    ) -> Array:
        """Normal force [N], zero or more.

        Parameters
        ----------
        depth : array_like
            Depth of the overlap [m]; below zero apart.
        rate : array_like
            Rate of the depth [m/s].
        at_speed : float, optional
            Speed at which the contact began [m/s]; a law with one restitution at every speed
            needs it where the rate is not zero.
        """
        x, v = np.broadcast_arrays(np.asarray(depth, float), np.asarray(rate, float))
        return self._damped(np.maximum(x, 0.0), v, at_speed) * (x > 0.0)

    def energy(self, depth: ArrayLike) -> Array:
        """Energy that the law stores [J].

        Parameters
        ----------
        depth : array_like
            Depth of the overlap [m].
        """
        return self._energy(np.maximum(np.asarray(depth, float), 0.0))

    def slope(self, depth: ArrayLike) -> Array:
        """Stiffness at rest, the slope of the force by the depth [N/m].

        Parameters
        ----------
        depth : array_like
            Depth of the overlap [m].
        """
        x = np.asarray(depth, float)
        return self._elastic(np.maximum(x, 0.0))[1] * (x > 0.0)

    def depth_at(self, force: float) -> float:
        """Depth at which the law carries a force at rest [m].

        Parameters
        ----------
        force : float
            Normal force [N], zero or more.
        """
        return self._inverse(lambda x: float(self.force(x)), _positive(force, "force", "N"))

    def contact_time(self, mass: float, speed: float) -> float:
        """Time of a free impact without damping [s]; damping makes it longer.

        Parameters
        ----------
        mass : float
            Effective mass, 1 / (1/m_a + 1/m_b) of two free bodies [kg].
        speed : float
            Speed of approach [m/s], above zero.
        """
        from scipy.integrate import quad

        work = 0.5 * _positive(mass, "mass", "kg") * _positive(speed, "speed", "m/s") ** 2
        top = self._inverse(lambda x: float(self.energy(x)), work)

        nodes, weights = np.polynomial.legendre.leggauss(8)

        def delay(s: float) -> float:  # x = top (1 - s^2), and the energy that is left there
            gap = top * s * s
            if s > 0.03:
                left = work - float(self.energy(top - gap))
            else:  # without a difference of nearly equal numbers
                left = 0.5 * gap * float(weights @ self.force(top - 0.5 * gap * (1.0 + nodes)))
            return s / math.sqrt(left / work)

        return 4.0 * top / speed * float(quad(delay, 0.0, 1.0, epsrel=1e-10, limit=200)[0])

    def _inverse(self, function: Any, value: float) -> float:
        """Depth at which a function that grows from zero has a value."""
        from scipy.optimize import brentq

        if value == 0.0:
            return 0.0
        high = 1e-6
        while function(high) < value:
            high *= 2.0
        low = high
        while function(low) > value:
            low *= 0.5
        return float(brentq(lambda x: function(x) - value, low, high, xtol=1e-300, rtol=1e-15))


def power(k: float, n: float, depth: Array) -> tuple[Array, Array]:
    """Force k depth^n and its slope."""
    return k * depth**n, n * k * depth ** (n - 1.0)


def _positive(value: float, what: str, unit: str) -> float:
    if not (is_number(value) and value >= 0.0 and math.isfinite(value)):
        raise LoadError(f"{what} is {shown(value)}; expected a number [{unit}], zero or more")
    return float(value)


@declared()
class DampedLaw(NormalLaw):
    """Interface of laws whose force at rest is multiplied by 1 + a rate, and never pulls."""

    _: KW_ONLY
    restitution: float | None = declare(
        RestitutionField(),
        "Speed after a free impact over speed before, above 0 and at most 1: at the speed "
        "`at_speed`, or at every speed if that is left out; then the damping follows from the "
        "speed at which each contact begins.",
        default=None,
    )
    at_speed: float | None = declare(
        NumberField("speed", above=0),
        "Speed of approach at which `restitution` holds []; it is greater at lower speeds, as with "
        "metals.",
        default=None,
    )
    dissipation: float | None = declare(
        DissipationField(), "Damping a [s/m], in place of `restitution`.", default=None
    )
    damping: str = declare(
        ChoiceField(options=tuple(DAMPING_NUMBERS)),
        'How the damping follows from the restitution: "exact" reaches it; the others are '
        "published fits, for comparison with other programs.",
        default="exact",
    )
    slowest: float = declare(
        NumberField("speed", above=0),
        "Least speed for which the damping is computed, with `restitution` at every speed.",
        default=1e-3,
    )

    def __post_init__(self) -> None:
        if is_number(self.damping) or self.damping in ("kelvin_voigt", "kelvin-voigt", "linear"):
            raise LoadError(
                f"{self.label}: damping is {shown(self.damping)}; a force k depth + c rate jumps "
                "where bodies touch and pulls before they part, so it is not offered: give "
                "dissipation=... [s/m], which multiplies the force by 1 + dissipation rate, or "
                "restitution=..."
            )
        super().__post_init__()
        self._check_damping()

    def _check_damping(self) -> None:
        if self.restitution is not None and self.dissipation is not None:
            raise LoadError(
                f"{self.label}: restitution and dissipation both set the damping; give one of them"
            )
        if self.restitution is None and (self.at_speed is not None or self.damping != "exact"):
            word = "damping" if self.at_speed is None else "at_speed"
            raise LoadError(f"{self.label}: {word} needs restitution=...; give it")

    @property
    def latched(self) -> bool:
        """Whether the damping depends on the speed at which a contact begins."""
        return self.restitution is not None and self.at_speed is None

    @property
    def damping_number(self) -> float:
        """Damping number d, the dissipation times the speed at which `restitution` holds."""
        return 0.0 if self.restitution is None else damping_number(self.restitution, self.damping)

    def dissipation_at(self, speed: float) -> float:
        """Damping a of a contact that begins at a speed [s/m].

        Parameters
        ----------
        speed : float
            Speed of approach [m/s]; it counts only if `latched`.
        """
        if self.dissipation is not None:
            return self.dissipation
        if self.restitution is None:
            return 0.0
        return self.damping_number / (self.at_speed or max(speed, self.slowest))

    def _damped(self, depth: Array, rate: Array, at_speed: float | None) -> Array:
        if self.latched and at_speed is None and np.any(rate != 0.0):
            raise LoadError(
                f"{self.label}: restitution at every speed depends on the speed at which the "
                "contact began; give at_speed=... [m/s]"
            )
        a = self.dissipation_at(at_speed or 0.0)
        return self._elastic(depth)[0] * np.maximum(1.0 + a * rate, 0.0)

    def _head(self, kind: int) -> list[float]:
        """First numbers of every kind: damping, and what replaces it in a latched contact."""
        latched = self.damping_number if self.latched else 0.0
        return [float(kind), 0.0 if latched else self.dissipation_at(0.0), latched, self.slowest]
