"""Gramians and Hankel singular values of the stable part of a linear model.

A model is split into a part that decays and one that does not,
  T^-1 A T = diag(A_s, A_u)                                                                    (1)
and of the first
  A_s W_c + W_c A_s^T + B_s B_s^T = 0,  A_s^T W_o + W_o A_s + C_s^T C_s = 0                      (2)
or, of a discrete model, A_s W_c A_s^T - W_c + B_s B_s^T = 0 and so on.  With W_c = L_c L_c^T and
W_o = L_o L_o^T the Hankel singular values are those of L_o^T L_c.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import schur, solve_continuous_lyapunov, solve_discrete_lyapunov, solve_sylvester

from ..printing import folded
from .deflation import chain_levels, deflated, evened

if TYPE_CHECKING:
    from .linear_model import LinearModel

Array = np.ndarray

STABLE = 1e-8  # decay rate below which a pole does not decay, relative to its magnitude


class Split(NamedTuple):
    """Stable and other part of a model (1)."""

    # stable, other: (n, k), (n, n - k) columns of T
    stable: Array
    other: Array
    # A, B, C: matrices of the stable part
    A: Array
    B: Array
    C: Array
    # rest_a, rest_b, rest_c: matrices of the other part
    rest_a: Array
    rest_b: Array
    rest_c: Array


@dataclass(frozen=True, eq=False)
class Gramians:
    """Gramians of the stable part of a linear model.

    Attributes
    ----------
    controllability, observability : array (k, k)
        W_c and W_o, in the coordinates of the stable part.
    basis : array (n, k)
        States of the model = basis @ coordinates of the stable part.
    hankel : array (k,)
        Hankel singular values, the largest first.
    excluded : array
        Poles that do not decay, which have no Gramians.
    """

    controllability: Array
    observability: Array
    basis: Array
    hankel: Array
    excluded: Array

    def __repr__(self) -> str:
        """Hankel singular values, and what was excluded."""
        values = ", ".join(f"{x:.3g}" for x in self.hankel[:8])
        more = ", ..." if len(self.hankel) > 8 else ""
        out = f"; {len(self.excluded)} poles that do not decay" if len(self.excluded) else ""
        return folded(
            f"Gramians of {len(self.hankel)} states, Hankel singular values {values}{more}{out}"
        )


def decays(poles: Array, discrete: bool) -> Array:
    """Mask of the poles that decay.

    `poles` (n,): poles.
    """
    if discrete:
        return np.abs(poles) < 1 - STABLE
    return poles.real < -STABLE * np.abs(poles)


def split(model: LinearModel) -> Split:
    """Stable and other part of a model."""
    discrete = model.step is not None
    even, D = evened(model.A)
    A, n = even, model.n
    T0, zeros = np.eye(n), 0
    if not discrete:  # clean zeros first, so that none of them decays by rounding
        parts = deflated(A, chain_levels(A))
        T0, zeros, A = parts.transform, parts.zeros, parts.whole
    inner, Q, k = schur(
        A[zeros:, zeros:], sort=lambda x, y=0.0: not decays(np.array([x + 1j * y]), discrete)[0]
    )
    T = T0.copy()
    T[:, zeros:] = T0[:, zeros:] @ Q
    whole = T.T @ even @ T
    cut = zeros + k
    whole[cut:, :cut] = 0.0
    # T [I X; 0 I] decouples the blocks: A_u X - X A_s + A_us = 0
    X = solve_sylvester(whole[:cut, :cut], -whole[cut:, cut:], -whole[:cut, cut:])
    other, stable = T[:, :cut], T[:, :cut] @ X + T[:, cut:]
    inverse_stable = T[:, cut:].T / D
    inverse_other = T[:, :cut].T / D - X @ inverse_stable
    stable, other = D[:, None] * stable, D[:, None] * other
    return Split(
        stable=stable,
        other=other,
        A=inner[k:, k:],
        B=inverse_stable @ model.B,
        C=model.C @ stable,
        rest_a=whole[:cut, :cut],
        rest_b=inverse_other @ model.B,
        rest_c=model.C @ other,
    )


def of_parts(A: Array, B: Array, C: Array, discrete: bool) -> tuple[Array, Array]:
    """Solutions W_c, W_o (k, k) of (2)."""
    if not len(A):
        return A.copy(), A.copy()
    if discrete:
        return solve_discrete_lyapunov(A, B @ B.T), solve_discrete_lyapunov(A.T, C.T @ C)
    return solve_continuous_lyapunov(A, -B @ B.T), solve_continuous_lyapunov(A.T, -C.T @ C)


def factor(W: Array) -> Array:
    """L with W = L L^T of a symmetric matrix without negative eigenvalues beyond rounding."""
    values, vectors = np.linalg.eigh((W + W.T) / 2)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def gramians(model: LinearModel) -> Gramians:
    """Gramians of a model, see `LinearModel.gramians`."""
    parts = split(model)
    W_c, W_o = of_parts(parts.A, parts.B, parts.C, model.step is not None)
    hankel = np.zeros(0)
    if len(W_c):
        hankel = np.linalg.svd(factor(W_o).T @ factor(W_c), compute_uv=False)
    excluded = np.linalg.eigvals(parts.rest_a) if len(parts.rest_a) else np.zeros(0)
    return Gramians(W_c, W_o, parts.stable, hankel, excluded)
