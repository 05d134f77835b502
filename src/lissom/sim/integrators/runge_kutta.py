"""Runge-Kutta methods: each is a table from `tableau`; all share the kernel `explicit`."""

from __future__ import annotations

from dataclasses import dataclass

from ...kernels.compiling import inlined
from ...kernels.layout import run
from ...kernels.run.explicit import error_norm, runge_kutta, stage
from ...kernels.run.monitoring import watched_step
from ...kernels.run.registry import Method, register
from .integrator import Integrator
from .tableau import Tableau, dormand_prince_5, dormand_prince_8, rk4


@inlined
def _step(r, t, h, mode):
    """Take one step; see `registry.Method`."""
    head = run.PlanHeader(r.arrays.plan, 0)
    arrays = r.arrays
    if head.adaptive == 0:
        return watched_step(r, t, h, mode)
    status = runge_kutta(r.system, arrays, r.work, t, h, r.start, r.x.x0, r.end, r.stages)
    if status == 0:
        i = head.n_stage
        status = stage(r.system, arrays, r.work, i, 1.0, t, h, r.start, r.end, r.stages)
    return status, False


@inlined
def _error(r, h):
    return error_norm(r.system, r.arrays, h, r.stages, r.weights)


@inlined
def _commit(r, h):
    """Take the accelerations of the stage at the end of a step, unless loops moved its state."""
    head = run.PlanHeader(r.arrays.plan, 0)
    n = len(r.x.x0)
    if head.adaptive == 0 or head.project != 0:
        return False
    o = head.n_stage * n
    for k in range(n):
        r.x.x0[k] = r.stages.V[o + k]
    return True


RUNGE_KUTTA = register(
    Method("Runge-Kutta", _step, run.NEEDS_START | run.INTERPOLATES, _error, _commit)
)


@dataclass(frozen=True)
class RungeKutta4(Integrator):
    """Classical Runge-Kutta method of order 4 with fixed steps, on the groups of the joints."""

    title = "RK4"
    names = ("rk4", "runge_kutta", "runge_kutta4", "runge_kutta_4")
    method = RUNGE_KUTTA
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
    method = RUNGE_KUTTA
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
    method = RUNGE_KUTTA
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

    @property
    def stiff_at(self) -> float:
        """Size of h lambda at which its steps are limited by stability, as in Hairer's code."""
        return 6.1
