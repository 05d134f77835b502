"""What `run` returns, as labelled arrays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import SimulationError, StateError, name_list, shown
from ..results import Trajectory
from ..results.tables import labelled
from .parameters import is_array_of_one
from .records import Labelled

Array = np.ndarray
Groups = tuple[dict[str, Labelled], dict[str, Labelled]]

ENDED = ("finished", "event")  # statuses of runs that came to their end
_ONLY = "result"  # name of a single number
_EXPECTED = (
    "return a mapping such as {'peak': 0.3}, a number, a Trajectory (with channels=[...]) or a "
    "Dataset of xarray"
)


class MisuseError(Exception):
    """`run` returned something that cannot be kept."""


def outputs(
    returned: Any, channels: Sequence[str] | None, times: Array | None, reserved: Collection[str]
) -> Groups:
    """Variables and coordinates of what `run` returned.

    `channels`: channels of a trajectory; `times`: times at which they are kept [s].
    """
    variables, coordinates = _groups(returned, channels, times)
    for name in variables:
        if name in reserved:
            raise MisuseError(
                f"run() returned {name!r}, which is the name of a parameter or of the sweep"
            )
    used = {dim for dims, _, _ in variables.values() for dim in dims}
    if clashes := [x for x, (dims, _, _) in variables.items() if x in used and dims != (x,)]:
        raise MisuseError(
            f"run() returned {clashes[0]!r}, which is also a dimension of what it returned; rename "
            "it"
        )
    if both := used & set(reserved):
        raise MisuseError(
            f"run() returned an array with the dimension {sorted(both)[0]!r}, which is one of the "
            "sweep; rename it"
        )
    return variables, {
        x: v for x, v in coordinates.items() if set(v[0]) <= used and x not in reserved
    }


def _groups(returned: Any, channels: Sequence[str] | None, times: Array | None) -> Groups:
    if isinstance(returned, Trajectory):
        return _of_trajectory(returned, channels, times)
    if hasattr(returned, "data_vars"):
        return _of_dataset(returned)
    if isinstance(returned, Mapping):
        return _of_mapping(returned)
    if isinstance(returned, (bool, int, float)) or is_array_of_one(returned):
        return {_ONLY: _array(_ONLY, returned)}, {}
    raise MisuseError(f"run() returned {shown(returned)}; {_EXPECTED}")


def _of_trajectory(run: Trajectory, channels: Sequence[str] | None, times: Array | None) -> Groups:
    if channels is None:
        raise MisuseError(
            "run() returned a Trajectory; say what to keep of it: channels=['arm.position']"
        )
    check_ended(run)
    if times is None and not run.meta.get("output_step"):
        raise MisuseError(
            "run() returned a Trajectory whose rows differ from run to run; give "
            "simulate(output_step=...), or sweep(times=...)"
        )
    try:
        wanted = _output_times(run.meta) if times is None else times
        return sampled_channels(run, tuple(channels), wanted)
    except StateError as error:
        raise MisuseError(str(error)) from None


def _output_times(meta: Mapping[str, Any]) -> Array:
    """Times of the rows of a whole run with an output step, without those of events."""
    end, times = meta["start"] + meta["duration"], output_grid(meta)
    tolerance = 1e-12 * meta["duration"] + 2 * np.spacing(abs(end))
    return np.append(times, end) if end - times[-1] > tolerance else times


def output_grid(settings: Mapping[str, Any]) -> Array:
    """Multiples of the output step of a run.

    `settings`: its start, duration and output_step [s].
    """
    start, duration, step = (settings[x] for x in ("start", "duration", "output_step"))
    count = int(np.floor(duration / step * (1 + 1e-12)))
    return np.minimum(start + step * np.arange(count + 1), start + duration)


def check_ended(run: Trajectory) -> None:
    """Raise a SimulationError if a run did not come to its end."""
    if run.status not in ENDED:
        raise SimulationError(f"the run ended early ({run.status}): {run.message}")


def sampled_channels(run: Trajectory, channels: tuple[str, ...], times: Array) -> Groups:
    """Channels at times; NaN after the end of a run that an event ended.

    `times`: times [s].
    """
    rows, inside = run, np.ones(len(times), dtype=bool)
    end = run.time[-1]
    tolerance = 1e-12 * (end - run.time[0]) + 2 * np.spacing(abs(end))  # rounding alone
    near_rows = run.time.shape == times.shape and np.allclose(run.time, times, 0.0, tolerance)
    if not near_rows:
        near = np.where(np.isclose(times, end, rtol=0.0, atol=tolerance), end, times)
        inside = near <= end
        rows = run.sample(near[inside])
    columns, axes = labelled(rows, channels)
    axes["time"] = (["time"], times, axes["time"][2])
    variables = {}
    for name, (dims, values, attributes) in columns.items():
        whole = np.full((len(times), *values.shape[1:]), np.nan)
        whole[inside] = values
        variables[name] = (tuple(dims), whole, dict(attributes))
    return variables, {x: (tuple(d), np.asarray(v), dict(a)) for x, (d, v, a) in axes.items()}


def _of_dataset(dataset: Any) -> Groups:
    return (
        {str(name): _of_dataarray(str(name), x) for name, x in dataset.data_vars.items()},
        {str(name): _of_dataarray(str(name), x) for name, x in dataset.coords.items()},
    )


def _of_dataarray(name: str, array: Any) -> Labelled:
    attributes = {str(key): str(value) for key, value in array.attrs.items()}
    return _checked(name, tuple(map(str, array.dims)), array.values, attributes)


def _of_mapping(mapping: Mapping[Any, Any]) -> Groups:
    variables: dict[str, Labelled] = {}
    coordinates: dict[str, Labelled] = {}
    for name, value in mapping.items():
        if not isinstance(name, str) or not name or "/" in name:
            raise MisuseError(
                f"run() returned the name {shown(name)}; names are text without a slash"
            )
        if hasattr(value, "dims") and hasattr(value, "coords"):
            variables[name] = _of_dataarray(name, value)
            coordinates |= {str(x): _of_dataarray(str(x), c) for x, c in value.coords.items()}
        else:
            variables[name] = _array(name, value)
    for name in [x for x, (dims, _, _) in variables.items() if dims == (x,)]:
        coordinates[name] = variables.pop(name)
    if not variables:
        raise MisuseError(f"run() returned no values, only {shown(dict(mapping))}; {_EXPECTED}")
    return variables, coordinates


def _array(name: str, value: Any) -> Labelled:
    """Variable from a number, an array, or (dims, array, attributes)."""
    dims: Any = None
    attributes: dict[str, str] = {}
    if isinstance(value, tuple) and len(value) in (2, 3) and _are_dims(value[0]):
        dims = (value[0],) if isinstance(value[0], str) else tuple(value[0])
        attributes = {str(k): str(x) for k, x in dict(value[2]).items()} if value[2:] else {}
        value = value[1]
    if np.ma.is_masked(value):
        raise MisuseError(
            f"run() returned for {name!r} an array with masked entries; fill them: "
            "array.filled(np.nan)"
        )
    try:
        values = np.asarray(value)
    except ValueError:
        raise MisuseError(f"run() returned for {name!r} rows of different lengths") from None
    usual = () if values.ndim == 0 else tuple(f"{name}.{k}" for k in range(values.ndim))
    return _checked(name, usual if dims is None else dims, values, attributes)


def _are_dims(dims: Any) -> bool:
    if isinstance(dims, str):
        return True
    return isinstance(dims, (list, tuple)) and all(isinstance(x, str) for x in dims)


def _checked(name: str, dims: tuple[str, ...], values: Any, attributes: dict[str, str]) -> Labelled:
    values = np.asarray(values)
    if values.dtype.kind not in "biufU":
        remedy = "give real and imaginary part apart" if values.dtype.kind == "c" else _EXPECTED
        raise MisuseError(
            f"run() returned for {name!r} {shown(values)}, which are no numbers; {remedy}"
        )
    if len(dims) != values.ndim or len(set(dims)) < len(dims):
        raise MisuseError(
            f"run() returned for {name!r} an array with {values.ndim} dimensions, named "
            f"{name_list(dims) or 'by nothing'}; give one name for each"
        )
    return dims, np.array(values), attributes
