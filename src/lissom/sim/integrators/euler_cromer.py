"""The method of Euler and Cromer."""

from __future__ import annotations

from dataclasses import dataclass

from ...kernels.layout import run
from ...kernels.run.monitoring import watched_step
from ...kernels.run.registry import Method, register
from .integrator import Integrator

EULER_CROMER = register(Method("Euler-Cromer", watched_step, run.NEEDS_START | run.SPEEDS_FIRST))


@dataclass(frozen=True)
class EulerCromer(Integrator):
    """Speeds from the accelerations at the start of a step, then coordinates from the new speeds.

    Order 1, one evaluation per step; the method of the NASA Order-N code.
    """

    title = "Euler-Cromer"
    names = ("euler_cromer", "cromer", "symplectic_euler", "semi_implicit_euler")
    method = EULER_CROMER
    order = 1
