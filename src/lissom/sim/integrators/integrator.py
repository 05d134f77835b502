"""Interface of integrators."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar

from ...printing import Shown
from .rosenbrock_table import RosenbrockTable
from .tableau import Tableau


@dataclass(frozen=True)
class Integrator(Shown, ABC):
    """Interface of integrators.

    Attributes
    ----------
    title : str
        Name in results and messages.
    names : tuple of str
        Names accepted by `simulate`.
    method : int
        Number of the kernel that takes its steps.
    order : int
        The error is proportional to this power of the step.
    implicit : bool
        Whether steps can be long compared with the periods of stiff modes and springs.
    adaptive : bool
        Whether it can choose its steps.
    iterates : bool
        Whether each step is an iteration, which loads with poor derivatives can hold up.
    all_rows : bool
        Whether derivatives of loads on joints of loops are rows (`kernels.run.load_rows`) too.
    """

    title: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    method: ClassVar[int]
    order: ClassVar[int]
    implicit: ClassVar[bool] = False
    adaptive: ClassVar[bool] = False
    iterates: ClassVar[bool] = False
    all_rows: ClassVar[bool] = False

    @property
    def tableau(self) -> Tableau | RosenbrockTable | None:
        """Table of a Runge-Kutta or Rosenbrock method, or None."""
        return None

    @property
    def error_order(self) -> int:
        """Step control assumes an error proportional to this power of the step, plus one."""
        return self.order

    @property
    def stiff_at(self) -> float:
        """Size of h lambda at which explicit steps are limited by stability; 0: not known.

        The last stage of such a method is at the end of its step.
        """
        return 0.0

    @property
    def share(self) -> float:
        """Limit of the sum of the estimated errors of all adaptive steps, in tolerances.

        The estimates of explicit pairs are of a lower order than the method, and far above its
        errors.
        """
        return 30.0

    @property
    def least_share(self) -> float:
        """Share of it that one step may use however short it is; jumps require it."""
        return 1e-3

    @property
    def rounding(self) -> float:
        """Smallest error asked of a step, as a fraction of the sizes of coordinates."""
        return 3e-13

    def parameters(self) -> dict[str, float]:
        """Constants for the kernel, by their names in `RunParameters`."""
        return {}
