"""The linearly implicit Euler method; its step is `_kernels.simulation.implicit_euler`."""

from __future__ import annotations

from dataclasses import dataclass

from ...algorithms._kernels.simulation import fields as run
from .integrator import Integrator


@dataclass(frozen=True)
class LinearlyImplicitEuler(Integrator):
    """One linear solution per step with stiffness and damping as armature; order 1, very stable."""

    title = "linearly implicit Euler"
    names = ("linearly_implicit_euler", "implicit_euler", "linear_implicit_euler")
    method = run.IMPLICIT_EULER
    order = 1
    implicit = True
