"""The method of Euler and Cromer."""

from __future__ import annotations

from dataclasses import dataclass

from ...algorithms._kernels.simulation import fields as run
from .integrator import Integrator


@dataclass(frozen=True)
class EulerCromer(Integrator):
    """Speeds from the accelerations at the start of a step, then coordinates from the new speeds.

    Order 1, one evaluation per step; the method of the NASA Order-N code.
    """

    title = "Euler-Cromer"
    names = ("euler_cromer", "cromer", "symplectic_euler", "semi_implicit_euler")
    method = run.EULER_CROMER
    order = 1
