"""Runge-Kutta methods: each is a table from `tableau`; all share the kernel `explicit`."""

from __future__ import annotations

from dataclasses import dataclass

from ...algorithms._kernels.simulation import fields as run
from ..tableau import Tableau, dormand_prince_5, dormand_prince_8, rk4
from .integrator import Integrator


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
        """Order of the error estimate."""
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
        """Order of the error estimate."""
        return 7
