"""Records of a study as one dataset of xarray."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ..errors import SweepError
from ..results.files.versions import lissom_version
from .records import DONE, FAILED, MISSING, Labelled, Record
from .study import ERROR, STATUS, WARNING, Study

Array = np.ndarray


def xarray_module() -> Any:
    """The module xarray, or a SweepError with the remedy."""
    try:
        return importlib.import_module("xarray")
    except ImportError:
        raise SweepError("xarray is not installed; run: pip install 'lissom[xarray]'") from None


def dataset(study: Study, records: Mapping[int, Record]) -> Any:
    """Dataset over the dimensions of the study.

    The first task that is done says which variables there are; one that has others has failed.

    Parameters
    ----------
    study : Study
        The study.
    records : mapping
        Records by task; those that are missing are NaN.
    """
    told = {name: np.full(study.n, "", dtype=object) for name in (STATUS, ERROR, WARNING)}
    told[STATUS][:] = MISSING
    done = sorted(k for k, x in records.items() if x.status == DONE)
    first = records[done[0]] if done else None
    values: dict[str, list[Any]] = {}
    if first is not None:
        values = {x: [None] * study.n for x in first.variables}
    for k, record in records.items():
        told[STATUS][k], told[ERROR][k] = record.status, record.error
        told[WARNING][k] = record.warning
        if record.status != DONE or first is None:
            continue
        if difference := _difference(first, record):
            told[STATUS][k], told[ERROR][k] = FAILED, difference
            continue
        for name, rows in values.items():
            rows[k] = record.variables[name][1]
    told[STATUS] = told[STATUS].astype(str)  # the others may be long: no fixed width
    variables: dict[str, Any] = {
        name: (study.dims, x.reshape(study.shape)) for name, x in told.items()
    }
    coordinates = dict(study.coordinates())
    if first is not None:
        for name, rows in values.items():
            variables[name] = _whole(study, first.variables[name], rows)
        coordinates |= first.coordinates
    return xarray_module().Dataset(variables, coordinates, _about(study))


def _about(study: Study) -> dict[str, Any]:
    return {
        "description": study.description(),
        "seed": study.seed,
        **{x: study.notes[x] for x in ("sampling", "model") if x in study.notes},
        "lissom_version": lissom_version(),
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
    }


def _difference(first: Record, record: Record) -> str:
    """How a record differs from the first in kind; "" if it does not."""
    if set(first.variables) != set(record.variables):
        wanted, found = sorted(first.variables), sorted(record.variables)
        return f"run() returned {found}, and {wanted} in task {first.task}"
    for name, (dims, values, _) in first.variables.items():
        mine, size = record.variables[name][:2]
        if mine != dims or size.shape != values.shape:
            return (
                f"{name!r} has the shape {_shape(mine, size)}, and {_shape(dims, values)} in task "
                f"{first.task}; give all the same, of trajectories with times=..."
            )
        if (size.dtype.kind == "U") != (values.dtype.kind == "U"):
            here, there = ("text" if x.dtype.kind == "U" else "numbers" for x in (size, values))
            return f"{name!r} is {here}, and {there} in task {first.task}; give all the same"
    for name, (_, values, _) in first.coordinates.items():
        places = record.coordinates.get(name, ((), np.empty(0), {}))[1]
        if not _same(places, values):
            return f"{name!r} has other values than in task {first.task}; give all the same"
    return ""


def _same(places: Array, values: Array) -> bool:
    """Whether coordinates are equal up to rounding, as times of rows are."""
    if places.shape != values.shape or "U" in (places.dtype.kind, values.dtype.kind):
        return np.array_equal(places, values)
    if not values.size:
        return True
    numbers = values.astype(float)
    apart = 1e-12 * np.ptp(numbers) + 2 * np.spacing(np.abs(numbers).max())
    return np.allclose(places, values, rtol=0.0, atol=apart, equal_nan=True)


def _shape(dims: tuple[str, ...], values: Array) -> str:
    return "(" + ", ".join(f"{d}: {n}" for d, n in zip(dims, values.shape, strict=True)) + ")"


def _whole(study: Study, kind: Labelled, rows: list[Any]) -> tuple[Any, Array, dict[str, str]]:
    """One array of all tasks; where tasks are missing whole numbers become floats with NaN."""
    dims, sample, attributes = kind
    present = [k for k, x in enumerate(rows) if x is not None]
    dtype = np.result_type(*{rows[k].dtype for k in present})
    empty: Any = ""
    if dtype.kind != "U" and len(present) < len(rows):
        dtype, empty = np.result_type(dtype, float), np.nan
    found = np.full((study.n, *sample.shape), empty, dtype) if len(present) < len(rows) else None
    if found is None:
        found = np.empty((study.n, *sample.shape), dtype)
    for k in present:
        found[k] = rows[k]
    return (*study.dims, *dims), found.reshape(study.shape + sample.shape), attributes
