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
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.linalg import solve_sylvester

from ..errors import StateError, shown, suggestion
from ..fields import count
from ..sim.run.checks import positive
from .deflation import ROUNDING, chain_levels, deflated, evened
from .gramians import decays, factor, of_parts, split

if TYPE_CHECKING:
    from .linear_model import LinearModel

Array = np.ndarray

KINDS = ("auto", "balanced", "modal")
SEEN = 1e-9  # singular values of the free motions that an input moves, relative
LEAST = 1e-13  # singular values below this times the largest are not divided by


def reduced(model: LinearModel, n: Any, method: Any, tolerance: Any) -> LinearModel:
    """Model with fewer states, see `LinearModel.reduced`."""
    if method not in KINDS:
        raise StateError(f"method is {shown(method)}; {suggestion(str(method), KINDS)}")
    size = None if n is None else count(n, "reduced: n", error=StateError)
    least = positive(tolerance, "reduced: tolerance")
    if not model.inputs or not model.outputs:
        raise StateError("reduced: the model needs inputs and outputs to judge its states by")
    free, rest = _split_free(model)
    size = None if size is None else max(size - len(free.N), 0)
    if method == "auto":
        poles = np.linalg.eigvals(rest.A) if rest.n else np.zeros(0)
        method = "balanced" if np.all(decays(poles, model.step is not None)) else "modal"
    if method == "modal" and model.step is not None:
        raise StateError("modal reduction is for continuous models; reduce before .discrete(step)")
    smaller = _balanced(rest, size, least) if method == "balanced" else _modal(rest, size, least)
    names = [*(f"free {k}" for k in range(len(free.N))), *(name for name, _ in smaller.states)]
    notes = f"{smaller.notes}{f'; {len(free.N)} states of free motions' if len(free.N) else ''}"
    A, B = _stacked(free.N, smaller.A), np.vstack([free.B, smaller.B])
    return _parts(model, A, B, np.hstack([free.C, smaller.C]), names, notes)


def needed_free(model: LinearModel) -> tuple[LinearModel, int]:
    """The model with those free motions alone that an input moves and an output shows.

    They are its first states, the second result their number.
    """
    if model.step is not None:
        return model, 0
    free, rest = _split_free(model)
    k = len(free.N)
    names = [str(i) for i in range(k + rest.n)]
    A, B = _stacked(free.N, rest.A), np.vstack([free.B, rest.B])
    return _parts(model, A, B, np.hstack([free.C, rest.C]), names, ""), k


class _Free(NamedTuple):
    """Free motions: a nilpotent matrix, and what inputs and outputs have to do with it."""

    N: Array
    B: Array
    C: Array


def _split_free(model: LinearModel) -> tuple[_Free, LinearModel]:
    """Free motions that an input moves and an output shows, and the model without poles at zero."""
    if model.step is not None:
        return _Free(np.zeros((0, 0)), model.B[:0], model.C[:, :0]), model
    A, D = evened(model.A)
    model = replace(model, A=A, B=model.B / D[:, None], C=model.C * D)
    parts = deflated(model.A, chain_levels(model.A))
    zeros, T = parts.zeros, parts.transform
    X = _decoupling(parts.whole, zeros)
    N, B, C = parts.whole[:zeros, :zeros], T.T @ model.B, model.C @ T[:, :zeros]
    B_0, B_r = B[:zeros] - X @ B[zeros:], B[zeros:]
    sizes = np.abs(T.T) @ np.abs(model.B)
    noise = (sizes[:zeros] + np.abs(X) @ sizes[zeros:]).max(axis=0, initial=0.0)
    B_0[np.abs(B_0) <= ROUNDING * noise] = 0.0  # of inputs that do not move them
    moved = _reached(N, B_0)
    N, B_0, C = moved.T @ N @ moved, moved.T @ B_0, C @ moved
    seen = _reached(N.T, C.T)
    N = seen.T @ N @ seen
    N[np.abs(N) <= LEAST * np.abs(N).max(initial=0.0)] = 0.0
    chains = deflated(N, chain_levels(N))
    S = seen @ chains.transform
    names = [str(k) for k in range(len(parts.rest))]
    C_r = model.C @ (T[:, :zeros] @ X + T[:, zeros:])
    return _Free(chains.whole, S.T @ B_0, C @ S), _parts(model, parts.rest, B_r, C_r, names, "")


def _reached(N: Array, B: Array) -> Array:
    """Orthonormal basis of the space that B, N B, N^2 B, ... span; N is nilpotent."""
    blocks, power = [], B
    for _ in range(len(N)):
        size = np.abs(power).max(initial=0.0)
        if size <= LEAST * np.abs(B).max(initial=0.0):
            break
        blocks.append(power / size)
        power = N @ power
    if not blocks:
        return np.zeros((len(N), 0))
    U, s, _ = np.linalg.svd(np.hstack(blocks))
    return U[:, : int(np.sum(s > SEEN * s[0]))]


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
    others = len(parts.rest_a)
    k = int(np.sum(s > least * s[0])) if n is None and len(s) else max((n or 0) - others, 0)
    k = min(k, int(np.sum(s > LEAST * s[0]))) if len(s) else 0
    root = np.sqrt(s[:k])
    T, inverse = L_c @ Vt[:k].T / root, (U[:, :k] / root).T @ L_o.T
    A = _stacked(parts.rest_a, inverse @ parts.A @ T)
    B = np.vstack([parts.rest_b, inverse @ parts.B])
    C = np.hstack([parts.rest_c, parts.C @ T])
    names = [f"undamped {i}" for i in range(others)] + [f"balanced {i}" for i in range(k)]
    notes = f"{k} of {len(s)} balanced states kept"
    notes += f", and {others} that do not decay" if others else ""
    notes += f", error at most {2 * s[k:].sum():.3g} in any frequency response"
    return _parts(model, A, B, C, names, notes)


def _stacked(a: Array, b: Array) -> Array:
    n, m = len(a), len(b)
    return np.block([[a, np.zeros((n, m))], [np.zeros((m, n)), b]])


def modal_gains(model: LinearModel) -> tuple[Array, Array]:
    """Poles that are not zero, one of each pair, and their gains (2)."""
    rest = _split_free(model)[1]
    modes = _Modes(rest)
    first = sorted((b[0] for b in modes.blocks), key=lambda i: abs(modes.values[i]))
    return modes.values[first], np.array([modes.gain(i) for i in first])


class _Modes:
    """Eigenvectors of a model and the gains of its modes."""

    def __init__(self, model: LinearModel) -> None:
        self.model = model
        self.values: Array = np.zeros(0)
        self.right: Array = model.A
        if model.n:
            self.values, self.right = np.linalg.eig(model.A)
        self.left = np.linalg.inv(self.right)
        self.blocks = _blocks(self.values)

    def gain(self, i: int) -> float:
        """Gain (2) of a pole."""
        seen = np.linalg.norm(self.model.C @ self.right[:, i])
        return float(seen * np.linalg.norm(self.left[i] @ self.model.B) / abs(self.values[i]))

    def hertz(self, block: list[int]) -> float:
        """Frequency of a mode [Hz]."""
        return float(abs(self.values[block[0]]) / (2 * np.pi))


def _modal(model: LinearModel, n: int | None, least: float) -> LinearModel:
    modes = _Modes(model)
    chosen = _chosen(modes, n, least)
    columns, rows, names = [], [], []
    for block in chosen:
        columns += _real_columns(modes.right, block)
        rows += _real_rows(modes.left, block)
        names += [f"{modes.hertz(block):.5g} Hz{x}" for x in ("", ", rate")][: len(block)]
    R = np.array(columns).reshape(len(columns), model.n).T
    S = np.array(rows).reshape(len(rows), model.n)
    hertz = ", ".join(f"{modes.hertz(block):.4g}" for block in chosen[:12])
    notes = f"{len(chosen)} of {len(modes.blocks)} modes kept{f', {hertz} Hz' if hertz else ''}"
    return _parts(model, S @ model.A @ R, S @ model.B, model.C @ R, names, notes)


def _chosen(modes: _Modes, n: int | None, least: float) -> list[list[int]]:
    """Modes of largest gain within n states or above a tolerance, and those that grow."""
    gains = [modes.gain(block[0]) for block in modes.blocks]
    most = max(gains, default=0.0)
    grows = [bool(modes.values[block[0]].real > 0) for block in modes.blocks]
    order = sorted(range(len(gains)), key=lambda i: (not grows[i], -gains[i]))
    chosen, size = [], 0
    for i in order:
        block = modes.blocks[i]
        fits = gains[i] > least * most if n is None else size + len(block) <= n
        if fits or grows[i]:
            chosen.append(block)
            size += len(block)
    return sorted(chosen, key=modes.hertz)


def _decoupling(whole: Array, zeros: int) -> Array:
    """X with which T_0 X + T_r spans the invariant space of the poles that are not zero."""
    N, A_r = whole[:zeros, :zeros], whole[zeros:, zeros:]
    return solve_sylvester(N, -A_r, -whole[:zeros, zeros:]) if zeros else np.zeros((0, len(A_r)))


def _blocks(values: Array) -> list[list[int]]:
    """Numbers of real poles and of conjugate pairs, those with positive imaginary part first."""
    blocks = []
    for i, value in enumerate(values):
        if value.imag > 0:
            j = int(np.argmin(np.abs(values - value.conj())))
            blocks.append([i, j])
        elif value.imag == 0:
            blocks.append([i])
    return blocks


def _real_columns(right: Array, block: list[int]) -> list[Array]:
    x = right[:, block[0]]
    return [x.real] if len(block) == 1 else [x.real, x.imag]


def _real_rows(left: Array, block: list[int]) -> list[Array]:
    """Rows that are dual to `_real_columns`: (Re x, Im x) = (x, x*) [[1, -i], [1, i]] / 2."""
    y = left[block[0]]
    return [y.real] if len(block) == 1 else [2 * y.real, -2 * y.imag]
