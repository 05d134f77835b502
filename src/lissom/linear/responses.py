"""Responses of a linear model: to sines and steps, and as zeros, poles and gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigvals, hessenberg

from ..errors import StateError, shown
from ..sim.run.checks import positive

if TYPE_CHECKING:
    from .linear_model import LinearModel

Array = np.ndarray

CANCEL = 1e-7  # relative distance at which a zero cancels a pole
INFINITE = 1e9  # zeros beyond this times the largest pole are at infinity


def _without_axes(values: Array, output: Any, input: Any) -> Array:
    """Values (k, p, m) without the axes of what was named alone."""
    if isinstance(input, str):
        values = values[:, :, 0]
    return values[:, 0] if isinstance(output, str) else values


def frequency_response(model: LinearModel, omega: Any, input: Any, output: Any) -> Array:
    """Response to sines, see `LinearModel.frequency_response`."""
    part = model.chosen(input, output)
    try:
        given = np.asarray(omega, dtype=float)
    except (TypeError, ValueError):
        given = np.full(1, np.nan)
    if given.ndim > 1 or not np.all(np.isfinite(given)):
        raise StateError(f"omega is {shown(omega)}; expected finite frequencies [rad/s]")
    rates = 1j * np.atleast_1d(given)
    if part.step is not None:
        rates = np.exp(rates * part.step)
    H, Q = hessenberg(part.A, calc_q=True)  # solves with it cost less
    B, C, eye = Q.T @ part.B, part.C @ Q, np.eye(part.n)
    found = np.array([C @ np.linalg.solve(s * eye - H, B.astype(complex)) + part.D for s in rates])
    found = found.reshape(len(rates), len(part.outputs), len(part.inputs))
    found = _without_axes(found, output, input)
    return found[0] if given.ndim == 0 else found


def transfer(model: LinearModel, input: str, output: str) -> Any:
    """Zeros, poles and gain, see `LinearModel.transfer`."""
    from scipy.signal import ZerosPolesGain

    for name in (input, output):
        if not isinstance(name, str):
            raise StateError(f"transfer needs the names of one input and one output, not {name!r}")
    part = model.chosen(input, output)
    poles = part.poles()
    zeros = _zeros(part, float(np.abs(poles).max(initial=1.0)))
    poles, zeros = _cancelled(poles, zeros)
    # A point away from poles and zeros determines the gain.
    s = 1.7 * (1.0 + max(np.abs(poles).max(initial=0.0), np.abs(zeros).max(initial=0.0)))
    value = (part.C @ np.linalg.solve(s * np.eye(part.n) - part.A, part.B) + part.D)[0, 0]
    logs = np.sum(np.log(s - poles)) - np.sum(np.log(s - zeros))
    gain = float((value * np.exp(logs)).real)
    more = {} if part.step is None else {"dt": part.step}
    return ZerosPolesGain(zeros, poles, gain, **more)


def _zeros(part: LinearModel, largest: float) -> Array:
    """Finite z at which the matrix [[A - z I, B], [C, D]] is singular."""
    n = part.n
    # b and c of size 1 next to A, so that rounding does not decide which zeros are finite
    b = part.B * (largest / (np.abs(part.B).max(initial=0.0) or 1.0))
    c_size = largest / (np.abs(part.C).max(initial=0.0) or 1.0)
    d = part.D * c_size * (largest / (np.abs(part.B).max(initial=0.0) or 1.0))
    left = np.block([[part.A, b], [part.C * c_size, d]])
    right = np.zeros((n + 1, n + 1))
    right[:n, :n] = np.eye(n)
    alpha, beta = eigvals(left, right, homogeneous_eigvals=True)
    finite = np.abs(beta) * INFINITE * largest > np.abs(alpha)
    return alpha[finite] / beta[finite]


def _cancelled(poles: Array, zeros: Array) -> tuple[Array, Array]:
    """Poles and zeros without the pairs that coincide."""
    left, kept = list(zeros), []
    for p in poles:
        if left:
            k = int(np.argmin([abs(z - p) for z in left]))
            if abs(left[k] - p) <= CANCEL * max(1.0, abs(p)):
                left.pop(k)
                continue
        kept.append(p)
    return np.array(kept), np.array(left)


def step_response(
    model: LinearModel, duration: Any, input: Any, output: Any, points: Any
) -> tuple[Array, Array]:
    """Response to unit steps, see `LinearModel.step_response`."""
    length = positive(duration, "step_response: duration", "a positive time [s]")
    if isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 2:
        raise StateError(f"step_response: points is {shown(points)}; expected 2 or more")
    part = model.chosen(input, output)
    if part.step is None:
        part = part.discrete(length / (int(points) - 1))
    step = float(part.step or 1.0)
    count = round(length / step) + 1
    x = np.zeros((part.n, len(part.inputs)))
    rows = []
    for _ in range(count):
        rows.append(part.C @ x + part.D)
        x = part.A @ x + part.B
    time = np.arange(count) * step
    return time, _without_axes(np.array(rows), output, input)
