"""What every integrator offers."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar

from ..tableau import Tableau

__all__ = ["Integrator"]


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
