"""The integrators, one class each: what it is called, its constants, what it asks of a run."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..algorithms._kernels.simulation import fields as run
from ..errors import LoadError, suggestion
from .tableau import Tableau, dormand_prince_5, dormand_prince_8, rk4

__all__ = [
    "DormandPrince5",
    "DormandPrince8",
    "EulerCromer",
    "GeneralizedAlpha",
    "Integrator",
    "LinearlyImplicitEuler",
    "RungeKutta4",
    "as_integrator",
]

Array = np.ndarray


@dataclass(frozen=True)
class Integrator(ABC):
    """What every integrator offers.

    Attributes
    ----------
    title : str
        Its name in results and messages.
    names : tuple of str
        What users may call it.
    method : int
        The kernel that takes its steps.
    order : int
        The error goes with this power of the step.
    implicit : bool
        Whether stiff modes and springs do not limit the step.
    adaptive : bool
        Whether it can choose its steps.
    """

    title: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    method: ClassVar[int]
    order: ClassVar[int]
    implicit: ClassVar[bool] = False
    adaptive: ClassVar[bool] = False

    @property
    def tableau(self) -> Tableau | None:
        """Table of a Runge-Kutta method."""
        return None

    @property
    def error_order(self) -> int:
        """The step is controlled as if the error went with this power of it, plus one."""
        return self.order

    @property
    def share(self) -> float:
        """What the estimated errors of all adaptive steps may add up to, in tolerances.

        The estimates of explicit pairs are of a lower order than the method, and far above its
        errors.
        """
        return 30.0

    @property
    def least_share(self) -> float:
        """What one step may use of it however short it is; jumps could not be passed without."""
        return 1e-3

    @property
    def rounding(self) -> float:
        """Error below which no step is asked for less, as a part of the sizes of coordinates."""
        return 3e-13

    def parameters(self) -> dict[int, float]:
        """Constants for the kernel, by their place."""
        return {}


@dataclass(frozen=True)
class EulerCromer(Integrator):
    """Speeds by the accelerations at the start of a step, then coordinates by the new speeds.

    Order 1, one evaluation a step; what the NASA Order-N code used.
    """

    title = "Euler-Cromer"
    names = ("euler_cromer", "cromer", "symplectic_euler", "semi_implicit_euler")
    method = run.EULER_CROMER
    order = 1


@dataclass(frozen=True)
class RungeKutta4(Integrator):
    """Classical Runge-Kutta method of order 4 with fixed steps, on the groups of the joints."""

    title = "RK4"
    names = ("rk4", "runge_kutta", "runge_kutta4", "runge_kutta_4")
    method = run.RUNGE_KUTTA
    order = 4

    @property
    def tableau(self) -> Tableau:
        """Table of the method."""
        return rk4()


@dataclass(frozen=True)
class DormandPrince5(Integrator):
    """Dormand and Prince's pair of orders 5 and 4; adaptive, interpolant of order 4."""

    title = "Dormand-Prince 5(4)"
    names = ("dopri5", "dormand_prince5", "dormand_prince_5", "dormand_prince", "rk45", "ode45")
    method = run.RUNGE_KUTTA
    order = 5
    adaptive = True

    @property
    def tableau(self) -> Tableau:
        """Table of the method."""
        return dormand_prince_5()

    @property
    def error_order(self) -> int:
        """Of the estimate."""
        return 4


@dataclass(frozen=True)
class DormandPrince8(Integrator):
    """Hairer's pair of orders 8 and 5(3); adaptive, interpolant of order 7."""

    title = "Dormand-Prince 8(5,3)"
    names = ("dop853", "dopri8", "dormand_prince8", "dormand_prince_8", "adaptive", "explicit")
    method = run.RUNGE_KUTTA
    order = 8
    adaptive = True

    @property
    def tableau(self) -> Tableau:
        """Table of the method."""
        return dormand_prince_8()

    @property
    def error_order(self) -> int:
        """Of the estimate."""
        return 7


@dataclass(frozen=True)
class LinearlyImplicitEuler(Integrator):
    """One linear solution a step with stiffness and damping as armature; order 1, very stable."""

    title = "linearly implicit Euler"
    names = ("linearly_implicit_euler", "implicit_euler", "linear_implicit_euler")
    method = run.IMPLICIT_EULER
    order = 1
    implicit = True


@dataclass(frozen=True)
class GeneralizedAlpha(Integrator):
    """Chung and Hulbert's method on the groups of the joints; order 2.

    Each iteration is one forward dynamics with armature, so that stiff modes do not limit the step.

    Parameters
    ----------
    spectral_radius : float
        What is left of the fastest vibrations after a step: 1 keeps them, 0 removes them at once.
    tolerance : float
        Of the iterations with a fixed step, as a part of the sizes of coordinates and speeds that
        `simulate` measures errors by.  Adaptive steps iterate as far as their tolerance asks.
    """

    title = "generalized-alpha"
    names = ("generalized_alpha", "gen_alpha", "alpha", "implicit", "newmark")
    method = run.GENERALIZED_ALPHA
    order = 2
    implicit = True
    adaptive = True

    spectral_radius: float = 0.8
    tolerance: float = 1e-8

    def __post_init__(self) -> None:
        rho = self.spectral_radius
        if not isinstance(rho, (int, float)) or not 0 <= rho <= 1:
            raise LoadError(f"GeneralizedAlpha: spectral_radius is {rho!r}; expected 0 to 1")
        if not isinstance(self.tolerance, (int, float)) or not 0 < self.tolerance < 1:
            raise LoadError(f"GeneralizedAlpha: tolerance is {self.tolerance!r}; expected 0 to 1")
        p = self.parameters()
        alpha_m, alpha_f, gamma = p[run.ALPHA_M], p[run.ALPHA_F], p[run.GAMMA]
        second_order = abs(gamma - (0.5 - alpha_m + alpha_f)) < 1e-14
        stable = (
            alpha_m <= alpha_f <= 0.5 and p[run.BETA] >= 0.25 + 0.5 * (alpha_f - alpha_m) - 1e-14
        )
        if not (second_order and stable):
            raise ValueError("GeneralizedAlpha: the constants break its own conditions")

    @property
    def share(self) -> float:
        """Its estimates are of the size of its errors."""
        return 3.0

    @property
    def least_share(self) -> float:
        """Its errors fall faster than its steps, also at jumps."""
        return 1e-9

    @property
    def rounding(self) -> float:
        """Its short steps come of its low order, and make so much smaller errors."""
        return 1e-15

    def parameters(self) -> dict[int, float]:
        """Constants for the kernel: Chung and Hulbert, eqs. (17), (20), (25)."""
        rho = self.spectral_radius
        alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 - alpha_m + alpha_f
        return {
            run.ALPHA_M: alpha_m,
            run.ALPHA_F: alpha_f,
            run.GAMMA: gamma,
            run.BETA: 0.25 * (gamma + 0.5) ** 2,
            run.NEWTON: self.tolerance,
        }


KINDS: tuple[type[Integrator], ...] = (
    EulerCromer,
    RungeKutta4,
    DormandPrince5,
    DormandPrince8,
    LinearlyImplicitEuler,
    GeneralizedAlpha,
)


def as_integrator(given: Any) -> Integrator | None:
    """Integrator from its name or itself; None for "auto".

    Parameters
    ----------
    given : str or Integrator
        What the user gave.
    """
    if isinstance(given, Integrator):
        return given
    if isinstance(given, type) and issubclass(given, Integrator):
        return given()
    if not isinstance(given, str):
        raise LoadError(f"integrator is {given!r}; expected a name or an Integrator")
    name = given.strip().lower().replace("-", "_").replace(" ", "_").replace("α", "alpha")
    if name == "auto":
        return None
    for kind in KINDS:
        if name in kind.names:
            return kind()
    known = ["auto", *(kind.names[0] for kind in KINDS)]
    raise LoadError(f"there is no integrator {given!r}; {suggestion(name, known)}")
