"""The generalized-alpha method; its step is `_kernels.simulation.generalized_alpha`."""

from __future__ import annotations

from dataclasses import dataclass

from ...algorithms._kernels.simulation import fields as run
from ...errors import LoadError
from .integrator import Integrator


@dataclass(frozen=True)
class GeneralizedAlpha(Integrator):
    """Chung and Hulbert's method on the groups of the joints; order 2.

    Each iteration is one forward-dynamics solution with armature; stiff modes do not limit the
    step.

    Parameters
    ----------
    spectral_radius : float
        Fraction of the fastest vibrations left after a step: 1 keeps them, 0 removes them at once.
    tolerance : float
        Tolerance of the iterations with a fixed step, as a fraction of the sizes of coordinates
        and speeds by which `simulate` measures errors.  Adaptive steps derive it from rtol.
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
            raise ValueError("GeneralizedAlpha: the constants violate its conditions")

    @property
    def share(self) -> float:
        """Limit of the sum of estimates, in tolerances; estimates are of the size of the errors."""
        return 3.0

    @property
    def least_share(self) -> float:
        """Least share of a step; the errors fall faster than the steps, also at jumps."""
        return 1e-9

    @property
    def rounding(self) -> float:
        """Smallest error asked of a step; short steps of a low order have smaller errors."""
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
