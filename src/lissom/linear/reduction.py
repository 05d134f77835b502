"""Linear models with fewer states.

Balanced truncation of the stable part, with the singular values s of L_o^T L_c = U s V^T:
  T = L_c V s^(-1/2),  T^-1 = s^(-1/2) U^T L_o^T,  the first states are kept                     (1)
Modal truncation, with eigenvectors x and left eigenvectors y, y^H x = 1: modes of largest gain
  g = |C x| |y^H B| / |lambda|                                                                  (2)
which is 2 zeta times the Hankel singular values of a lightly damped mode, and needs no damping.
Poles at zero and growing ones are kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StateError, shown, suggestion
from ..sim.run.checks import positive
from .deflation import chain_levels, deflated
from .gramians import decays, factor, of_parts, split

if TYPE_CHECKING:
    from .linear_model import LinearModel

Array = np.ndarray

KINDS = ("auto", "balanced", "modal")
LEAST = 1e-13  # singular values below this times the largest are not divided by


def reduced(model: LinearModel, n: Any, method: Any, tolerance: Any) -> LinearModel:
    """Model with fewer states, see `LinearModel.reduced`."""
    if method not in KINDS:
        raise StateError(f"method is {shown(method)}; {suggestion(str(method), KINDS)}")
    if n is not None and (isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1):
        raise StateError(f"reduced: n is {shown(n)}; expected a whole number, 1 or more")
    least, size = positive(tolerance, "reduced: tolerance"), None if n is None else int(n)
    if not model.inputs or not model.outputs:
        raise StateError("reduced: the model needs inputs and outputs to judge its states by")
    if method == "auto":
        method = "balanced" if _all_decay(model) else "modal"
    if method == "balanced":
        return _balanced(model, size, least)
    if model.step is not None:
        raise StateError("modal reduction is for continuous models; reduce before .discrete(step)")
    return _modal(model, size, least)


def _all_decay(model: LinearModel) -> bool:
    """Whether all poles but those at zero decay."""
    A = model.A
    if model.step is None:
        A = deflated(A, chain_levels(A)).rest
    return bool(np.all(decays(np.linalg.eigvals(A), model.step is not None)))


def _parts(
    model: LinearModel, A: Array, B: Array, C: Array, states: list[str], notes: str
) -> LinearModel:
    named = tuple((name, "1") for name in states)
    return replace(model, A=A, B=B, C=C, states=named, notes=notes)


def _balanced(model: LinearModel, n: int | None, least: float) -> LinearModel:
    parts = split(model)
    W_c, W_o = of_parts(parts.A, parts.B, parts.C, model.step is not None)
    L_c, L_o = factor(W_c), factor(W_o)
    U, s, Vt = np.linalg.svd(L_o.T @ L_c)
    kept_as_is = len(parts.rest_a)
    k = int(np.sum(s > least * s[0])) if n is None else max(n - kept_as_is, 0)
    k = min(k, int(np.sum(s > LEAST * s[0]))) if len(s) else 0
    root = np.sqrt(s[:k])
    T, inverse = L_c @ Vt[:k].T / root, (U[:, :k] / root).T @ L_o.T
    A = _stacked(parts.rest_a, inverse @ parts.A @ T)
    B = np.vstack([parts.rest_b, inverse @ parts.B])
    C = np.hstack([parts.rest_c, parts.C @ T])
    names = [f"undamped {i}" for i in range(kept_as_is)] + [f"balanced {i}" for i in range(k)]
    kept = f"{k} of {len(s)} balanced states kept"
    also = f", and {kept_as_is} that do not decay" if kept_as_is else ""
    bound = f"; error at most {2 * s[k:].sum():.3g} in any frequency response"
    return _parts(model, A, B, C, names, kept + also + bound)


def _stacked(a: Array, b: Array) -> Array:
    n, m = len(a), len(b)
    return np.block([[a, np.zeros((n, m))], [np.zeros((m, n)), b]])


def modal_gains(model: LinearModel) -> tuple[Array, Array]:
    """Poles that are not zero, one of each pair, and their gains (2).

    Parameters
    ----------
    model : LinearModel
        A continuous model.
    """
    found = deflated(model.A, chain_levels(model.A))
    zeros, T = found.zeros, found.transform
    basis = T[:, :zeros] @ _decoupling(found.whole, zeros) + T[:, zeros:]
    values, right = np.linalg.eig(found.rest)
    left = np.linalg.inv(right)
    B, C, first = (T.T @ model.B)[zeros:], model.C @ basis, [b[0] for b in _blocks(values)]
    first.sort(key=lambda i: abs(values[i]))
    gains = [_gain(values[i], right[:, i], left[i], B, C) for i in first]
    return values[first], np.array(gains)


def _modal(model: LinearModel, n: int | None, least: float) -> LinearModel:
    found = deflated(model.A, chain_levels(model.A))
    zeros, T = found.zeros, found.transform
    X = _decoupling(found.whole, zeros)
    basis = T[:, :zeros] @ X + T[:, zeros:]
    B = T.T @ model.B
    B_0, B_r = B[:zeros] - X @ B[zeros:], B[zeros:]
    values, right = np.linalg.eig(found.rest)
    left = np.linalg.inv(right)
    blocks = _blocks(values)
    gains = [_gain(values[b[0]], right[:, b[0]], left[b[0]], B_r, model.C @ basis) for b in blocks]
    order = np.argsort(-np.array(gains), kind="stable").tolist()
    grows = [i for i in order if values[blocks[i][0]].real > 0]
    order = [*grows, *(i for i in order if i not in grows)]
    chosen, size = [], zeros
    for i in order:
        fits = gains[i] > least * max(gains) if n is None else size + len(blocks[i]) <= n
        if fits or i in grows:
            chosen.append(i)
            size += len(blocks[i])
    chosen.sort(key=lambda i: abs(values[blocks[i][0]]))
    columns, rows, names = [], [], [f"free {i}" for i in range(zeros)]
    for i in chosen:
        columns += _real_columns(right, blocks[i])
        rows += _real_rows(left, blocks[i])
        hertz = f"{abs(values[blocks[i][0]]) / (2 * np.pi):.5g} Hz"
        names += [hertz, f"{hertz}, rate"][: len(blocks[i])]
    R = np.array(columns).reshape(-1, len(found.rest)).T
    S = np.array(rows).reshape(-1, len(found.rest))
    A = _stacked(found.whole[:zeros, :zeros], S @ found.rest @ R)
    kept = ", ".join(f"{abs(values[blocks[i][0]]) / (2 * np.pi):.4g}" for i in chosen[:12])
    notes = f"{len(chosen)} of {len(blocks)} modes kept, {kept} Hz"
    notes += f", and {zeros} states of free motions" if zeros else ""
    C = np.hstack([model.C @ T[:, :zeros], model.C @ basis @ R])
    return _parts(model, A, np.vstack([B_0, S @ B_r]), C, names, notes)


def _decoupling(whole: Array, zeros: int) -> Array:
    """X with which T_0 X + T_r spans the invariant space of the poles that are not zero."""
    from scipy.linalg import solve_sylvester

    N, A_r = whole[:zeros, :zeros], whole[zeros:, zeros:]
    return solve_sylvester(N, -A_r, -whole[:zeros, zeros:]) if zeros else np.zeros((0, len(A_r)))


def _blocks(values: Array) -> list[list[int]]:
    """Numbers of real poles and of conjugate pairs, those with positive imaginary part first."""
    found = []
    for i, value in enumerate(values):
        if value.imag > 0:
            j = int(np.argmin(np.abs(values - value.conj())))
            found.append([i, j])
        elif value.imag == 0:
            found.append([i])
    return found


def _gain(value: complex, x: Array, y: Array, B: Array, C: Array) -> float:
    """Gain (2) of a mode."""
    return float(np.linalg.norm(C @ x) * np.linalg.norm(y @ B) / abs(value))


def _real_columns(right: Array, block: list[int]) -> list[Array]:
    x = right[:, block[0]]
    return [x.real] if len(block) == 1 else [x.real, x.imag]


def _real_rows(left: Array, block: list[int]) -> list[Array]:
    """Rows that are dual to `_real_columns`: (Re x, Im x) = (x, x*) [[1, -i], [1, i]] / 2."""
    y = left[block[0]]
    return [y.real] if len(block) == 1 else [2 * y.real, -2 * y.imag]
