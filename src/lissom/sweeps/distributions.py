"""Distributions of parameters, by their quantiles.

One uniform number per sample and parameter becomes a value by the inverse of the cumulative
distribution, so that random numbers, Latin hypercubes and Sobol points serve all of them alike.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..errors import SweepError, shown
from ..printing import Shown
from ..spatial.scalar import reals

Array = np.ndarray


class Distribution(Shown, ABC):
    """Distribution of one parameter."""

    @abstractmethod
    def quantile(self, u: Array) -> Any:
        """Values below which the fractions u lie.

        Parameters
        ----------
        u : array
            Fractions between 0 and 1.
        """

    def _check(self, wanted: bool, expected: str) -> None:
        if not wanted:
            raise SweepError(f"{self!r}: expected {expected}")

    def _numbers(self) -> None:
        """Check that all fields are numbers, finite unless they are bounds."""
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            good = isinstance(value, (int, float, np.integer, np.floating))
            if not good or isinstance(value, bool) or math.isnan(value):
                name = f"{type(self).__name__}: {field.name}"
                raise SweepError(f"{name} is {shown(value)}; expected a number")
            object.__setattr__(self, field.name, float(value))


@dataclass(frozen=True)
class Uniform(Distribution):
    """All values between two bounds are equally likely.

    Parameters
    ----------
    low, high : float
        Bounds.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        self._numbers()
        self._check(-math.inf < self.low < self.high < math.inf, "finite bounds, low below high")

    def quantile(self, u: Array) -> Array:
        """Values below which the fractions u lie."""
        return self.low + (self.high - self.low) * np.asarray(u)


@dataclass(frozen=True)
class Normal(Distribution):
    """Normal distribution, cut off outside bounds if they are given.

    Parameters
    ----------
    mean, sigma : float
        Mean and standard deviation, before the cut.
    low, high : float
        Bounds; by default none.
    """

    mean: float
    sigma: float
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        self._numbers()
        self._check(math.isfinite(self.mean), "a finite mean")
        self._check(0 < self.sigma < math.inf, "a positive sigma")
        self._check(self.low < self.high, "low below high")
        lower, upper = self._ends
        self._check(upper - lower > 1e-9, "bounds that more than one sample in a billion meets")

    @property
    def _ends(self) -> tuple[float, float]:
        """Fractions of the whole distribution below the bounds."""
        root = math.sqrt(2.0)
        ends = ((x - self.mean) / (self.sigma * root) for x in (self.low, self.high))
        lower, upper = (0.5 * math.erfc(-x) for x in ends)
        return lower, upper

    def quantile(self, u: Array) -> Array:
        """Values below which the fractions u lie."""
        from scipy.special import ndtri

        lower, upper = self._ends
        values = self.mean + self.sigma * ndtri(lower + (upper - lower) * np.asarray(u))
        return np.asarray(np.clip(values, self.low, self.high))


@dataclass(frozen=True)
class LogNormal(Distribution):
    """The logarithm is normally distributed; values are positive.

    Parameters
    ----------
    median : float
        Median of the values.
    sigma : float
        Standard deviation of their natural logarithm; 0.1 is about ten per cent.
    """

    median: float
    sigma: float

    def __post_init__(self) -> None:
        self._numbers()
        self._check(0 < self.median < math.inf, "a positive median")
        self._check(0 < self.sigma < math.inf, "a positive sigma")

    def quantile(self, u: Array) -> Array:
        """Values below which the fractions u lie."""
        from scipy.special import ndtri

        return np.asarray(self.median * np.exp(self.sigma * ndtri(u)))


@dataclass(frozen=True)
class Triangular(Distribution):
    """Density that rises from a bound to the most likely value and falls to the other bound.

    Parameters
    ----------
    low, mode, high : float
        Bounds, and the most likely value between them.
    """

    low: float
    mode: float
    high: float

    def __post_init__(self) -> None:
        self._numbers()
        self._check(
            -math.inf < self.low <= self.mode <= self.high < math.inf and self.low < self.high,
            "finite numbers with low <= mode <= high and low below high",
        )

    def quantile(self, u: Array) -> Array:
        """Values below which the fractions u lie."""
        u, width = np.asarray(u), self.high - self.low
        rise, fall = self.mode - self.low, self.high - self.mode
        below = self.low + np.sqrt(u * width * rise)
        return np.where(u * width < rise, below, self.high - np.sqrt((1 - u) * width * fall))


@dataclass(frozen=True)
class Choice(Distribution):
    """One of several values: numbers, text, True or False.

    Parameters
    ----------
    values : sequence
        The values.
    weights : sequence of float, optional
        How likely each is, relative to the others; by default all are equally likely.
    """

    values: Any
    weights: Any = None

    def __post_init__(self) -> None:
        from .parameters import checked_list

        values = checked_list("Choice", self.values)
        object.__setattr__(self, "values", tuple(values))
        weights = np.ones(len(values)) if self.weights is None else self.weights
        try:
            w = reals(weights)
        except (TypeError, ValueError):
            w = np.full(1, np.nan)
        good = w.shape == (len(values),) and np.all(w >= 0) and 0 < w.sum() < np.inf
        self._check(bool(good), f"{len(values)} weights, not negative and not all zero")
        object.__setattr__(self, "weights", tuple(float(x) for x in w))

    def quantile(self, u: Array) -> list[Any]:
        """Values below which the fractions u lie, in the order of the list."""
        edges = np.cumsum(self.weights) / np.sum(self.weights)
        places = np.searchsorted(edges, np.asarray(u), side="right")
        return [self.values[min(k, len(self.values) - 1)] for k in places]
