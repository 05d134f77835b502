"""Responses of a linear model: to sines and steps, and as zeros, poles and gain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigvals, hessenberg

from ..errors import StateError, shown
from ..sim.run.checks import positive
from ..spatial.scalar import reals
from .deflation import evened
from .reduction import needed_free

if TYPE_CHECKING:
    from .linear_model import LinearModel

Array = np.ndarray

CANCEL = 1e-7  # relative distance at which a zero cancels a pole
ROUNDING = 1e-12  # of sums of products, relative to the sum of their sizes
FEW = 4  # matrices that are eliminated one by one
AT_ONCE = 1 << 20  # entries of matrices that are eliminated together
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
        frequencies = reals(omega)
    except (TypeError, ValueError):
        frequencies = np.full(1, np.nan)
    if frequencies.ndim > 1 or not np.all(np.isfinite(frequencies)):
        raise StateError(f"omega is {shown(omega)}; expected finite frequencies [rad/s]")
    rates = 1j * np.atleast_1d(frequencies)
    if part.step is not None:
        rates = np.exp(rates * part.step)
    A, D = evened(part.A)
    H, Q = hessenberg(A, calc_q=True)
    B, C = Q.T @ (part.B / D[:, None]), (part.C * D) @ Q
    x = _hessenberg_solutions(H, B, rates)
    infinite = ~np.all(np.isfinite(x), axis=(1, 2))
    x[infinite] = 0.0
    response = C @ x + part.D
    if part.step is None and not np.all(rates) and needed_free(part)[1] > 0:
        infinite |= rates == 0
    for k in np.flatnonzero(infinite):
        response[k] = _beside_pole(part, rates[k])
    response = response.reshape(len(rates), len(part.outputs), len(part.inputs))
    response = _without_axes(response, output, input)
    return response[0] if frequencies.ndim == 0 else response


def _hessenberg_solutions(H: Array, B: Array, rates: Array) -> Array:
    """Solutions (k, n, m) of (s I - H) x = B for many s, H being zero below its subdiagonal.

    Gaussian elimination with the next row as pivot where it is larger, O(n^2) for each s; not
    finite where the matrix is singular.
    """
    n = len(H)
    x = np.empty((len(rates), *B.shape), dtype=complex)
    most = max(1, AT_ONCE // max(n * n, 1))
    for start in range(0, len(rates), most):
        s = rates[start : start + most]
        R, y = s[:, None, None] * np.eye(n) - H, np.tile(B.astype(complex), (len(s), 1, 1))
        if len(s) < FEW:
            x[start : start + most] = [_solution(*one) for one in zip(R, y, strict=True)]
            continue
        with np.errstate(all="ignore"):
            for i in range(n - 1):
                swap = np.flatnonzero(np.abs(R[:, i + 1, i]) > np.abs(R[:, i, i]))
                if len(swap):
                    R[swap, i, i:], R[swap, i + 1, i:] = R[swap, i + 1, i:], R[swap, i, i:]
                    y[swap, i], y[swap, i + 1] = y[swap, i + 1], y[swap, i]
                below = R[:, i + 1, i]
                factor = np.where(below != 0, below / R[:, i, i], 0.0)[:, None]
                R[:, i + 1, i + 1 :] -= factor * R[:, i, i + 1 :]
                y[:, i + 1] -= factor * y[:, i]
            for i in reversed(range(n)):
                rest = (R[:, i, None, i + 1 :] @ y[:, i + 1 :])[:, 0]
                y[:, i] = (y[:, i] - rest) / R[:, i, i, None]
        x[start : start + most] = y
    return x


def _solution(A: Array, b: Array) -> Array:
    """Solution of A x = b; not finite where A is singular."""
    try:
        return np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        return np.full_like(b, np.nan)


def _beside_pole(part: LinearModel, s: complex) -> Array:
    """Response at a pole, of pairs of inputs and outputs that it has nothing to do with."""
    response = np.zeros((len(part.outputs), len(part.inputs)), dtype=complex)
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
            response[i, j] = (one.C @ np.linalg.solve(left, one.B) + one.D)[0, 0]
    return response


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
    zeros = alpha[finite] / beta[finite]
    return zeros[np.argsort(np.abs(zeros))[: max(n - degree, 0)]]


def _cancelled(poles: Array, zeros: Array) -> tuple[Array, Array]:
    """Poles and zeros without the pairs that coincide."""
    left, remaining = list(zeros), []
    for p in poles:
        if left:
            k = int(np.argmin([abs(z - p) for z in left]))
            if abs(left[k] - p) <= CANCEL * max(1.0, abs(p)):
                left.pop(k)
                continue
        remaining.append(p)
    return np.array(remaining), np.array(left)


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
