"""Friction of a contact: its coefficient by the speed of slip, holding, spin and rolling."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from ....errors import LoadError, shown
from ....fields import (
    FieldForm,
    NumberField,
    SwitchField,
    check_fields,
    declare,
    declared,
    is_number,
    keep,
)
from ....printing import Shown
from .law import NormalLaw

Array = np.ndarray

__all__ = ["Friction"]

_GRAVITY = 9.80665  # mass over load of a contact whose mass is not given


@dataclass(frozen=True)
class ShareField(FieldForm):
    """A number between 0 and 1."""

    kind: str = "float"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Value as a float."""
        if is_number(value) and 0.0 <= value < 1.0:
            return float(value)
        raise error(f"{what} is {shown(value)}; expected a number from 0 to below 1")


@final
@declared()
class Friction(Shown):
    """Dry friction of a contact.

    By default the force is a smooth function of the slip (Brown and McPhee, 2016): simple, and a
    body at rest under a load creeps, at a speed below `speed`, see `creep`.  With `hold` the
    surfaces stick by elastic bristles (Dupont et al., 2002) and stay where they are; slip then has
    the coefficient dynamic + (static - dynamic) exp(-(slip / stribeck)^2).

    Examples
    --------
    >>> rubber = Friction(0.8, 0.6)
    >>> print(rubber.coefficient([0.0, 1e-3, 1.0]))
    [0.         0.79959... 0.6       ]
    """

    file_kind: ClassVar[str] = "friction"

    static: float = declare(NumberField(least=0), "Greatest coefficient, that of sticking.")
    dynamic: float = declare(
        NumberField(least=0), "Coefficient of fast slip; by default the same.", default=None
    )
    _: KW_ONLY
    hold: bool = declare(
        SwitchField(), "Whether the surfaces stick; two states a contact.", default=False
    )
    speed: float = declare(
        NumberField("speed", above=0),
        "Slip at which the coefficient is greatest, without `hold`.",
        default=1e-3,
    )
    stiffness: float | None = declare(
        NumberField("stiffness", above=0),
        "Tangential stiffness of the surfaces while they stick under the normal force `load` []; "
        "by default that of the normal law times Mindlin's ratio. It grows with the normal force.",
        default=None,
    )
    load: float | None = declare(
        NumberField("force", above=0),
        "Normal force of `stiffness` []; by default the weight on the contact.",
        default=None,
    )
    damping_ratio: float = declare(
        NumberField(least=0), "Damping ratio of the mass on the bristles.", default=1.0
    )
    stribeck: float = declare(
        NumberField("speed", above=0),
        "Slip over which the coefficient falls from static to dynamic, with `hold`.",
        default=1e-2,
    )
    elastic_part: float = declare(
        ShareField(),
        "Part of the limit of the bristles up to which they are elastic, with `hold`: loads below "
        "this part of static x normal force leave the body where it is.",
        default=0.9,
    )
    spin: bool = declare(
        SwitchField(),
        "Whether spin about the normal is resisted by the patch of the contact, and makes sliding "
        "easier; not with `hold`.",
        default=False,
    )
    rolling: float = declare(
        NumberField(least=0),
        "Coefficient of rolling resistance: moment over normal force and relative radius.",
        default=0.0,
    )
    rolling_speed: float = declare(
        NumberField("speed", above=0),
        "Speed of rolling, rate times relative radius, from which on the resistance is constant.",
        default=1e-3,
    )

    def __post_init__(self) -> None:
        check_fields(self, self.label, LoadError)
        if self.dynamic is None:
            keep(self, dynamic=self.static)
        if self.dynamic > self.static:
            raise LoadError(
                f"{self.label}: static is {self.static:.6g} and dynamic {self.dynamic:.6g}; static "
                "must not be the smaller one: give Friction(static, dynamic)"
            )
        if self.hold and self.spin:
            raise LoadError(
                f"{self.label}: hold and spin do not go together; bristles have no spin: give one"
            )
        if self.stiffness is not None and self.load is None:
            raise LoadError(
                f"{self.label}: stiffness is that under a normal force; give load=... [N] with it"
            )
        if self.hold and self.static == 0.0:
            raise LoadError(f"{self.label}: static is 0 and hold is on; nothing would hold")

    @property
    def label(self) -> str:
        """Name in messages."""
        return "Friction"

    @property
    def peak(self) -> float:
        """Greatest coefficient that slip reaches."""
        return self.static if self.hold else float(self.coefficient(self._fullest))

    @property
    def _fullest(self) -> float:
        """Slip at which the coefficient is greatest, or so fast that it no longer grows."""
        if self.static == self.dynamic:
            return 10.0 * self.speed
        from scipy.optimize import minimize_scalar

        best = minimize_scalar(
            lambda y: -float(self.coefficient(y * self.speed)),
            bounds=(0.5, 10.0),
            method="bounded",
            options={"xatol": 1e-9},
        )
        return float(best.x) * self.speed

    def coefficient(self, speed: ArrayLike) -> Array:
        """Coefficient of friction of a steady slip.

        Parameters
        ----------
        speed : array_like
            Speed of slip [m/s].
        """
        v = np.abs(np.asarray(speed, float))
        rise = self.static - self.dynamic
        if self.hold:
            return self.dynamic + rise * np.exp(-((v / self.stribeck) ** 2))
        y = v / self.speed
        return self.dynamic * np.tanh(4.0 * y) + rise * y / (0.25 * y * y + 0.75) ** 2

    def creep(self, part: float) -> float:
        """Speed at which a body creeps that should rest [m/s]; zero with `hold`.

        Parameters
        ----------
        part : float
            Tangential load over normal force.
        """
        from scipy.optimize import brentq

        if not (is_number(part) and 0.0 <= part <= self.peak):
            raise LoadError(
                f"{self.label}: part is {shown(part)}; expected a number from 0 to the greatest "
                f"coefficient {self.peak:.6g}, beyond which the body slides"
            )
        if self.hold or part == 0.0:
            return 0.0
        top = self._fullest
        return float(brentq(lambda v: float(self.coefficient(v)) - part, 0.0, top, xtol=1e-18))

    def numbers(
        self,
        law: NormalLaw | None = None,
        *,
        load: float | None = None,
        mass: float | None = None,
        radius: float = 0.0,
    ) -> list[float]:
        """Numbers of the friction for the kernels, in SI units.

        Parameters
        ----------
        law : NormalLaw, optional
            Normal law of the contact, `between` its shapes; needed for `hold` without `stiffness`.
        load : float, optional
            Normal force at rest [N], if the friction has none of its own; needed for `hold`.
        mass : float, optional
            Effective mass of the contact [kg]; by default that of the load on the earth.
        radius : float
            Relative radius of the shapes [m]; needed for `rolling`.
        """
        sigma_0 = sigma_1 = 0.0
        if self.hold:
            sigma_0, sigma_1 = self._bristles(law, self.load or load, mass)
        if self.rolling > 0.0 and not radius > 0.0:
            raise LoadError(
                f"{self.label}: rolling needs a contact at a point of two shapes with curvature"
            )
        rate = self.rolling_speed / radius if radius > 0.0 else 1.0
        speed = self.stribeck if self.hold else self.speed
        bristles = [float(self.hold), sigma_0, sigma_1, self.elastic_part]
        lever = self.rolling * radius
        return [self.static, self.dynamic, speed, *bristles, float(self.spin), lever, rate]

    def _bristles(
        self, law: NormalLaw | None, load: float | None, mass: float | None
    ) -> tuple[float, float]:
        """Stiffness sigma_0 [1/m] and damping sigma_1 [s/m] of bristles, over the normal force."""
        if load is None or not load > 0.0:
            raise LoadError(
                f"{self.label}: hold needs the normal force at rest; give load=... [N], the weight "
                "that the contact carries"
            )
        if self.stiffness is not None:
            stiffness = self.stiffness
        elif law is not None:
            stiffness = law.tangential_ratio * float(law.slope(law.depth_at(load)))
        else:
            raise LoadError(f"{self.label}: hold needs a normal law, or stiffness=... [N/m]")
        sigma_0 = stiffness / load
        inertia = 1.0 / _GRAVITY if mass is None else mass / load
        return sigma_0, 2.0 * self.damping_ratio * math.sqrt(sigma_0 * inertia)
