"""Dynamics of many states of one system in a single call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...errors import LissomError, StateError, shown
from ...kernels.quantities import ACCELERATIONS, INVERSE
from ...system import System
from ...system.state import QUATERNION_TOLERANCE
from . import engine
from .arguments import check_no_loops, check_system
from .articulated import forward_dynamics
from .inverse import inverse_dynamics

Array = np.ndarray


def forward_dynamics_batch(
    system: System,
    Q: Any,
    V: Any,
    F: Any = None,
    *,
    threads: int = 1,
    out: Array | None = None,
) -> Array:
    """Accelerations of many states, one state per row.  O(N) each.

    The rows are equal to `forward_dynamics` with ``method="auto"``.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    Q : array (k, n_q)
        Coordinates.
    V : array (k, n_v)
        Speeds.
    F : array (k, n_v), optional
        Generalized forces; by default zero.
    threads : int
        Number of threads.
    out : array (k, n_v), optional
        Array for the result.

    Returns
    -------
    array (k, n_v)
    """
    q, v = _states(system, Q, V)
    result, n = _result(out, (len(q), system.n_v)), checked_threads(threads)
    f = np.zeros((1, system.n_v)) if F is None else _rows(F, system.n_v, "F", len(q))
    try:
        engine.rows(system, ACCELERATIONS, q, v, f, out=result, threads=n)
    except engine.RowError as failure:
        k = failure.row
        T = None if F is None else f[k]
        _raise_for_row(
            k,
            lambda: forward_dynamics(system, system.state(q[k], v[k]), T),
        )
    return _copied_to_out(result, out)


def inverse_dynamics_batch(
    system: System, Q: Any, V: Any, A: Any, *, threads: int = 1, out: Array | None = None
) -> Array:
    """Generalized forces of many states, one state per row.  O(N) each.

    For trees: with loops the forces depend on which joints are actuated (`inverse_dynamics`).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    Q : array (k, n_q)
        Coordinates.
    V : array (k, n_v)
        Speeds.
    A : array (k, n_v)
        Rates of the speeds.
    threads : int
        Number of threads.
    out : array (k, n_v), optional
        Array for the result.

    Returns
    -------
    array (k, n_v)
    """
    q, v = _states(system, Q, V)
    check_no_loops(system, "inverse_dynamics_batch", "inverse_dynamics, state by state")
    a = _rows(A, system.n_v, "A", len(q))
    result, n = _result(out, (len(q), system.n_v)), checked_threads(threads)
    try:
        engine.rows(system, INVERSE, q, v, a, out=result, threads=n)
    except engine.RowError as failure:
        k = failure.row
        _raise_for_row(k, lambda: inverse_dynamics(system, system.state(q[k], v[k]), a[k]))
    return _copied_to_out(result, out)


def _states(system: System, Q: Any, V: Any) -> tuple[Array, Array]:
    """Coordinates and speeds of the rows, with the checks that the kernels do not make."""
    check_system(system)
    q = _rows(Q, system.n_q, "Q", None)
    v = _rows(V, system.n_v, "V", len(q))
    check_quaternions(system, q)
    return q, v


def _rows(values: Any, n: int, what: str, k: int | None) -> Array:
    """Array (k, n) of floats for the kernels, copied only if necessary."""
    try:
        numbers = np.asarray(values)
        plain = numbers.dtype.kind in "fiu"
        rows = np.ascontiguousarray(numbers, dtype=float) if plain else numbers
    except (TypeError, ValueError):
        raise StateError(f"{what} is not an array of numbers: {shown(values)}") from None
    if not plain:
        raise StateError(f"{what} is an array of {numbers.dtype}; expected real numbers")
    if numbers.ndim != 2 or rows.shape[1] != n or (k is not None and len(rows) != k):
        wanted = f"(k, {n})" if k is None else f"({k}, {n}), as many rows as Q"
        raise StateError(f"{what} has shape {numbers.shape}; expected {wanted}, one state per row")
    return rows if rows.flags.writeable else rows.copy()


def _result(out: Any, shape: tuple[int, int]) -> Array:
    """Array that the kernels write to: `out` itself if possible."""
    if out is None:
        return np.empty(shape)
    if not isinstance(out, np.ndarray) or out.shape != shape or out.dtype != float:
        described = (
            f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else repr(out)
        )
        raise StateError(f"out is {described}; expected an array of floats of shape {shape}")
    if not out.flags.writeable:
        raise StateError("out is read-only; give a writable array")
    return out if out.flags.c_contiguous else np.empty(shape)


def _copied_to_out(result: Array, out: Array | None) -> Array:
    if out is None or out is result:
        return result
    out[...] = result
    return out


def checked_threads(threads: Any) -> int:
    """Number of threads, checked."""
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise StateError(f"threads is {threads!r}; expected a whole number, at least 1")
    return int(threads)


def check_quaternions(system: System, q: Any, xp: Any = np) -> None:
    """Reject rows whose quaternions are not of unit length, as `State` does.

    `q` (k, n_q): coordinates.
    """
    for name, joint in zip(system.names, system.joints, strict=True):
        if not joint.has_quaternion:
            continue
        start = system.layout.hinge_q(name).start
        length = xp.linalg.norm(q[:, start : start + 4], axis=1)
        wrong = xp.flatnonzero(xp.abs(length - 1) > QUATERNION_TOLERANCE)
        if len(wrong):
            row = int(wrong[0])
            _raise_for_row(row, partial(system.state, q[row].tolist()))


def _raise_for_row(row: int, again: Callable[[], object]) -> None:
    """Raise the error of a single state, with the number of its row."""
    try:
        again()
    except LissomError as error:
        error.args = (f"row {row}: {error}",)
        raise
    raise StateError(f"row {row}: the result is not finite; the values are too large")
