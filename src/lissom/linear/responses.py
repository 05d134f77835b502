"""Responses of a linear model: to sines and steps, and as zeros, poles and gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigvals, hessenberg

from ..errors import StateError, shown
from ..sim.run.checks import positive
from ..spatial.scalar import reals
from .reduction import needed_free

if TYPE_CHECKING:
    from .linear_model import LinearModel

Array = np.ndarray

CANCEL = 1e-7  # relative distance at which a zero cancels a pole
ROUNDING = 1e-12  # of sums of products, relative to the sum of their sizes
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
        given = reals(omega)
    except (TypeError, ValueError):
        given = np.full(1, np.nan)
    if given.ndim > 1 or not np.all(np.isfinite(given)):
        raise StateError(f"omega is {shown(omega)}; expected finite frequencies [rad/s]")
    rates = 1j * np.atleast_1d(given)
    if part.step is not None:
        rates = np.exp(rates * part.step)
    H, Q = hessenberg(part.A, calc_q=True)  # solves with it cost less
    B, C, eye = Q.T @ part.B, part.C @ Q, np.eye(part.n)

    resting = part.step is None and not np.all(rates) and needed_free(part)[1] > 0

    def at(s: complex) -> Array:
        try:
            if resting and s == 0:
                return _beside_pole(part, s)
            return C @ np.linalg.solve(s * eye - H, B.astype(complex)) + part.D
        except np.linalg.LinAlgError:
            return _beside_pole(part, s)

    found = np.array([at(s) for s in rates])
    found = found.reshape(len(rates), len(part.outputs), len(part.inputs))
    found = _without_axes(found, output, input)
    return found[0] if given.ndim == 0 else found


def _beside_pole(part: LinearModel, s: complex) -> Array:
    """Response at a pole, of pairs of inputs and outputs that it has nothing to do with."""
    found = np.zeros((len(part.outputs), len(part.inputs)), dtype=complex)
    for i, (y, _) in enumerate(part.outputs):
        for j, (u, _) in enumerate(part.inputs):
            one, n_free = needed_free(part.chosen(u, y))
            left = s * np.eye(one.n) - one.A
            if (n_free and s == 0) or np.linalg.matrix_rank(left) < one.n:
                at = "omega = 0" if s == (0 if part.step is None else 1) else "this frequency"
                raise StateError(
                    f"frequency_response: from {u!r} to {y!r} it is infinite at {at}, a pole; "
                    "leave it out, or choose other inputs and outputs"
                )
            found[i, j] = (one.C @ np.linalg.solve(left, one.B) + one.D)[0, 0]
    return found


def transfer(model: LinearModel, input: str, output: str) -> Any:
    """Zeros, poles and gain, see `LinearModel.transfer`."""
    from scipy.signal import ZerosPolesGain

    for name in (input, output):
        if not isinstance(name, str):
            raise StateError(f"transfer needs the names of one input and one output, not {name!r}")
    more = {} if model.step is None else {"dt": model.step}
    whole = model.chosen(input, output)
    degree = _relative_degree(whole)
    if degree is None:
        return ZerosPolesGain([], [], 0.0, **more)
    part, n_free = needed_free(whole)
    poles = np.concatenate([np.zeros(n_free), np.linalg.eigvals(part.A[n_free:, n_free:])])
    poles = poles[np.lexsort((-poles.imag, np.abs(poles)))]
    zeros = _zeros(part, degree, float(np.abs(poles).max(initial=1.0)))
    poles, zeros = _cancelled(poles, zeros)
    # A point away from poles and zeros determines the gain.
    s = 1.7 * (1.0 + max(np.abs(poles).max(initial=0.0), np.abs(zeros).max(initial=0.0)))
    value = (part.C @ np.linalg.solve(s * np.eye(part.n) - part.A, part.B) + part.D)[0, 0]
    logs = np.sum(np.log(s - poles)) - np.sum(np.log(s - zeros))
    gain = float((value * np.exp(logs)).real)
    return ZerosPolesGain(zeros, poles, gain, **more)


def _relative_degree(part: LinearModel) -> int | None:
    """Number of poles less that of zeros: the first of D, C B, C A B, ... that is not zero.

    None if all are: the input does not move the output.
    """
    if np.any(part.D):
        return 0
    v, size = part.B, np.abs(part.B)
    for degree in range(1, part.n + 1):
        if np.any(np.abs(part.C @ v) > ROUNDING * np.abs(part.C) @ size):
            return degree
        v, size = part.A @ v, np.abs(part.A) @ size
    return None


def _zeros(part: LinearModel, degree: int, largest: float) -> Array:
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
    found = alpha[finite] / beta[finite]
    return found[np.argsort(np.abs(found))[: max(n - degree, 0)]]


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
