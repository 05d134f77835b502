"""The integrators, one file each: names, constants and requirements."""

from __future__ import annotations

from typing import Any

from ...errors import LoadError, suggestion
from .. import loads as loads  # they register the kernels that those of integrators are made of
from .euler_cromer import EulerCromer
from .generalized_alpha import GeneralizedAlpha
from .implicit_euler import LinearlyImplicitEuler
from .integrator import Integrator
from .rosenbrock import Rosenbrock3
from .runge_kutta import DormandPrince5, DormandPrince8, RungeKutta4

__all__ = [
    "KINDS",
    "DormandPrince5",
    "DormandPrince8",
    "EulerCromer",
    "GeneralizedAlpha",
    "Integrator",
    "LinearlyImplicitEuler",
    "Rosenbrock3",
    "RungeKutta4",
    "as_integrator",
]

KINDS: tuple[type[Integrator], ...] = (
    EulerCromer,
    RungeKutta4,
    DormandPrince5,
    DormandPrince8,
    LinearlyImplicitEuler,
    GeneralizedAlpha,
    Rosenbrock3,
)


def as_integrator(value: Any) -> Integrator | None:
    """Integrator from its name or itself; None for "auto"."""
    if isinstance(value, Integrator):
        return value
    if isinstance(value, type) and issubclass(value, Integrator):
        return value()
    if not isinstance(value, str):
        raise LoadError(f"integrator is {value!r}; expected a name or an Integrator")
    name = value.strip().lower().replace("-", "_").replace(" ", "_").replace("α", "alpha")
    if name == "auto":
        return None
    for kind in KINDS:
        if name in kind.names:
            return kind()
    names = ["auto", *(kind.names[0] for kind in KINDS)]
    raise LoadError(f"there is no integrator {value!r}; {suggestion(name, names)}")
