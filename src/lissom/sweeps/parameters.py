"""Parameters of a study as the user gives them: lists, distributions, numbers; and samples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

from ..errors import SweepError, name_list, shown, suggestion
from ..fields import count
from .distributions import Distribution
from .study import RESERVED, GridAxis, Scalar

Array = np.ndarray

MOST_TASKS = 100_000_000
SAMPLINGS = ("random", "latin_hypercube", "sobol")
_EDGE = 2.0**-53  # nearest fraction to 0 and 1, whose quantiles may be infinite


def scalar(what: str, entry: Any) -> Scalar:
    """Number, text or truth value of a parameter."""
    value = entry.item() if is_array_of_one(entry) and not np.ma.is_masked(entry) else entry
    if isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise SweepError(
        f"{what}: the value {shown(entry)} is not a finite number, text or truth value; number "
        "other things and choose them in build()"
    )


def is_array_of_one(value: Any) -> bool:
    """Whether a value is a number of NumPy or JAX, or an array without dimensions."""
    return getattr(value, "ndim", None) == 0 and callable(getattr(value, "item", None))


def checked_list(what: str, entries: Any) -> list[Scalar]:
    """Values of a list, an array or a range."""
    if isinstance(entries, (str, bytes, Mapping, Set)) or not isinstance(entries, Iterable):
        raise SweepError(f"{what} is {shown(entries)}; expected a list, an array or a distribution")
    values = [scalar(what, x) for x in entries]
    if not values:
        raise SweepError(f"{what} is an empty list; give at least one value")
    kinds = {_kind(x) for x in values}
    if len(kinds) > 1:
        raise SweepError(f"{what} mixes {' and '.join(sorted(kinds))}; give values of one kind")
    return values


def _kind(value: Scalar) -> str:
    if isinstance(value, bool):
        return "truth values"
    return "text" if isinstance(value, str) else "numbers"


def is_drawn(value: Any) -> bool:
    """Whether a value is a distribution: one of ours, or a frozen one of SciPy."""
    return isinstance(value, Distribution) or callable(getattr(value, "ppf", None))


def sorted_parameters(
    parameters: Any,
) -> tuple[tuple[GridAxis, ...], dict[str, Any], dict[str, Scalar]]:
    """Axes of the grid, distributions and fixed values."""
    if not isinstance(parameters, Mapping):
        raise SweepError(
            f"parameters is {shown(parameters)}; expected a mapping such as "
            '{"mass": [1, 2, 3], "angle": Normal(0.1, 0.02)}'
        )
    axes: list[GridAxis] = []
    drawn: dict[str, Any] = {}
    fixed: dict[str, Scalar] = {}
    for key, setting in parameters.items():
        names = key if isinstance(key, tuple) else (key,)
        names_before = [*drawn, *fixed, *(n for axis in axes for n in axis.names)]
        for k, name in enumerate(names):
            _check_name(name, [*names_before, *names[:k]])
        if isinstance(key, tuple):
            axes.append(_tied(names, setting))
        elif is_drawn(setting):
            drawn[key] = setting
        elif isinstance(setting, (str, bool, int, float)) or is_array_of_one(setting):
            fixed[key] = scalar(f"parameter {key!r}", setting)
        else:
            axes.append(_axis(key, setting))
    dims = [axis.dim for axis in axes]
    if twice := [x for x in dims if dims.count(x) > 1]:
        raise SweepError(f"two parameters have the dimension {twice[0]!r}; rename one")
    return tuple(axes), drawn, fixed


def _check_name(name: Any, names_before: list[str]) -> None:
    if not isinstance(name, str) or not name or "/" in name:
        raise SweepError(f"the parameter {shown(name)} needs a name: text without a slash")
    if name in RESERVED:
        raise SweepError(f"the parameter {name!r} has the name of something else; rename it")
    if name in names_before:
        raise SweepError(f"the parameter {name!r} is given twice; remove one")


def _axis(name: str, entries: Any) -> GridAxis:
    values = checked_list(f"parameter {name!r}", entries)
    if len(set(values)) < len(values):
        twice = next(x for k, x in enumerate(values) if x in values[:k])
        raise SweepError(f"parameter {name!r} has the value {twice!r} twice; remove one")
    return GridAxis(name, (name,), (tuple(values),))


def _tied(names: tuple[str, ...], entries: Any) -> GridAxis:
    """Axis of parameters that change together."""
    what = f"parameters {name_list(names)}"
    try:
        rows = [tuple(row) for row in entries]
    except TypeError:
        rows = []
    if len(names) < 2 or not rows or {len(row) for row in rows} != {len(names)}:
        raise SweepError(
            f"{what} change together, but are {shown(entries)}; expected rows with one value for "
            f"each, such as list(zip({', '.join(names)}))"
        )
    columns = (
        tuple(checked_list(f"parameter {n!r}", c))
        for n, c in zip(names, zip(*rows, strict=True), strict=True)
    )
    return GridAxis("_".join(names), names, tuple(columns))


def checked_samples(samples: Any, drawn: Mapping[str, Any]) -> int | None:
    """Number of samples, None for a grid alone.

    `samples`: as of `sweep`.
    """
    if samples is None and drawn:
        name = next(iter(drawn))
        raise SweepError(
            f"parameter {name!r} is a distribution; say how often to draw: samples=100"
        )
    if samples is None:
        return None
    return count(samples, "samples", 1, MOST_TASKS, error=SweepError)


def draw_samples(
    drawn: Mapping[str, Any], samples: int, sampling: str, seed: int
) -> dict[str, tuple[Scalar, ...]]:
    """Samples of each distribution."""
    if not isinstance(sampling, str) or sampling not in SAMPLINGS:
        raise SweepError(f"sampling is {shown(sampling)}; {suggestion(str(sampling), SAMPLINGS)}")
    if not drawn:
        return {}
    points = _points(samples, len(drawn), sampling, seed)
    by_name = {}
    for (name, distribution), u in zip(drawn.items(), points.T, strict=True):
        u = np.clip(u, _EDGE, 1 - _EDGE)
        is_ours = isinstance(distribution, Distribution)
        try:
            values = distribution.quantile(u) if is_ours else distribution.ppf(u)
            by_name[name] = tuple(checked_list(f"parameter {name!r}", values))
        except SweepError:
            raise
        except Exception as error:
            raise SweepError(
                f"parameter {name!r}: its distribution cannot be drawn from "
                f"({type(error).__name__}: {error})"
            ) from None
    return by_name


def _points(samples: int, n: int, sampling: str, seed: int) -> Array:
    """Points in the unit cube, shape (samples, n)."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    if sampling == "random":
        return rng.random((samples, n))
    if sampling == "latin_hypercube":
        order = np.column_stack([rng.permutation(samples) for _ in range(n)])
        return (order + rng.random((samples, n))) / samples
    if words := sobol_problem(samples):
        raise SweepError(f"sampling='sobol' needs {words}")
    from scipy.stats import qmc

    return np.asarray(qmc.Sobol(n, scramble=True, seed=rng).random(samples))


def sobol_problem(samples: int) -> str:
    """Why a number of samples does not suit Sobol points; "" if it does."""
    if not samples & (samples - 1):
        return ""
    near = 1 << (samples.bit_length() - 1)
    return f"a power of two, not samples={samples}; use {near} or {2 * near}"
