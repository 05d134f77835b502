"""Eigenvalues and shapes of a mechanism about a state.

Without damping and gyroscopic terms, M symmetric and K too where the state is an equilibrium:
  K phi = omega^2 M phi,  phi^T M phi = 1,  lambda = i omega                                  (1)
In general, with x = (delta, nu, z) and x' = A x,
  A x = lambda x,  phi = the part delta of x,  phi^H M phi = 1                                (2)
of which one of each conjugate pair is kept.  Free motions, K phi = 0, are split off first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh, qr

from ..algorithms.tree.coordinates import error_sizes
from .deflation import chain_levels, deflated, null_space
from .tangent import Tangent, relative_rates

Array = np.ndarray

ROUNDING = 1e-13  # relative size of entries that are noise
SYMMETRIC = 1e-7  # relative difference up to which K counts as symmetric
SMALL = 1e-9  # relative size of a matrix that counts as zero


class Eigenmodes(NamedTuple):
    """Eigenvalues and shapes, free motions first.

    Attributes
    ----------
    values : array (k,), complex
        Eigenvalues [rad/s].
    shapes : array (n_v, k)
        Shapes, real without damping and gyroscopic terms; zero for joints that are held.
    n_rigid : int
        Number of free motions.
    """

    values: Array
    shapes: Array
    n_rigid: int


def eigenmodes(found: Tangent, damped: bool | None) -> Eigenmodes:
    """Eigenvalues and shapes.

    Parameters
    ----------
    found : Tangent
        Equations of motion about the state.
    damped : bool or None
        Whether damping and gyroscopic terms count; None: if there are any.
    """
    by_q, by_v = _cleaned(found)
    M = found.motions.T @ found.mass @ found.motions
    M = (M + M.T) / 2
    E = found.turning
    K = -M @ by_q
    # damping relative to the critical one, by stiffness or by the slowest motion
    first_order = bool(len(found.loads.own_names)) or bool(np.any(E)) or _damps(K, M, by_v)
    if damped is False or (damped is None and not first_order):
        if _symmetric(K):
            return _expanded(found, *_undamped(K, M, null_space(by_q)))
        by_v, E = np.zeros_like(by_v), np.zeros_like(E)
    n_z = len(found.loads.own_names) if damped is not False else 0
    A = _state_matrix(found, by_q, by_v, E, n_z)
    if np.any(E):
        return _expanded(found, *_general(A, M, chain_levels(A)))
    # what moves or falls may have longer chains than what rests
    rests = not np.any(found.state.v) and _symmetric(K)
    size = error_sizes(found.system)[0][found.independent]
    levels = _levels(A, size) if rests and not n_z else chain_levels(A)
    values, shapes, k = _general(A, M, levels)
    return _expanded(found, values, _without_momentum(shapes, k, M, by_q, by_v), k)


def _symmetric(K: Array) -> bool:
    """Whether a matrix counts as symmetric."""
    return bool(np.abs(K - K.T).max(initial=0.0) <= SYMMETRIC * np.abs(K).max(initial=0.0))


def _cleaned(found: Tangent) -> tuple[Array, Array]:
    """Derivatives of the accelerations by configuration and speeds, noise replaced by zero."""
    system, own = found.system, found.independent
    size = error_sizes(system)[0]
    g, a = np.linalg.norm(system.gravity), found.vdot
    pace = relative_rates(found.state).max(initial=0.0)
    pace += np.sqrt(g / system.length + np.abs(a / size).max(initial=0.0))
    q, v, _, f = found.slices
    pushed, Z, Y = (np.abs(x) for x in (found.acceleration[own, f], found.motions, found.speeds))
    T_q, T_v = np.abs(found.loads.q), np.abs(found.loads.v)
    result = []
    for part, load, least in ((q, T_q @ Z + T_v @ Y, pace**2), (v, T_v @ Z, pace)):
        values = found.acceleration[own, part].copy()
        scale = least * size[own, None] / size[own] + pushed @ load
        values[np.abs(values) <= ROUNDING * scale] = 0.0
        result.append(values)
    return result[0], result[1]


def _damps(K: Array, M: Array, by_v: Array) -> bool:
    """Whether rates matter: in units of mass, against the fastest vibration."""
    if not by_v.size or not np.any(by_v):
        return False
    L = np.linalg.cholesky(M)
    C = np.linalg.solve(L, -M @ by_v) @ np.linalg.inv(L).T
    fastest = np.linalg.norm(np.linalg.solve(L, K) @ np.linalg.inv(L).T, 2)
    return bool(np.linalg.norm(C, 2) > SMALL * np.sqrt(fastest))


def _undamped(K: Array, M: Array, rigid: Array) -> tuple[Array, Array, int]:
    """Solution of (1) beside the free motions, which are M-orthogonal to the others."""
    k = rigid.shape[1]
    K = (K + K.T) / 2
    if k:
        rigid = _rigid(rigid, M)
        rest = np.linalg.qr(M @ rigid, mode="complete")[0][:, k:]
    else:
        rest = np.eye(len(M))
    squares, y = eigh(rest.T @ K @ rest, rest.T @ M @ rest) if rest.size else (np.zeros(0), rest.T)
    values = np.where(squares > 0, 1j, 1.0) * np.sqrt(np.abs(squares))
    order = np.argsort(np.abs(values), kind="stable")
    shapes = np.hstack([rigid, _signed((rest @ y)[:, order])])
    return np.concatenate([np.zeros(k), values[order]]), shapes, k


def _state_matrix(found: Tangent, by_q: Array, by_v: Array, E: Array, n_z: int) -> Array:
    """A of (2)."""
    n = len(found.independent)
    by_z = found.acceleration[found.independent, found.slices[2]][:, :n_z]
    rows = [np.zeros((0, k)) for k in (n, n, n_z)]
    if n_z:
        rows = found.of_loads("own")
    return np.block([[E, np.eye(n), np.zeros((n, n_z))], [by_q, by_v, by_z], rows])


def _levels(A: Array, size: Array) -> list[Array]:
    """Free motions of a mechanism at rest, and their rates where nothing damps them."""
    n = len(size)
    by_q, by_v = np.delete(A[:, :n], np.s_[:n], axis=0), np.delete(A[:, n : 2 * n], np.s_[:n], 0)
    free = null_space(by_q)
    pushed = by_v @ free
    extent = np.abs(free / size[:, None]).max(axis=0, initial=0.0)  # rounding may be in all parts
    pushed[np.abs(pushed) <= SMALL * np.outer(np.abs(by_v) @ size, extent)] = 0.0
    moving = free @ null_space(pushed)
    levels = [np.zeros((len(A), free.shape[1])), np.zeros((len(A), moving.shape[1]))]
    levels[0][:n], levels[1][n : 2 * n] = free, moving
    return levels


def _general(A: Array, M: Array, levels: list[Array]) -> tuple[Array, Array, int]:
    """Solution of (2)."""
    n = len(M)
    parts = deflated(A, levels)
    values, vectors = np.linalg.eig(parts.rest) if len(parts.rest) else (np.zeros(0), parts.rest)
    scale = np.abs(values).max(initial=0.0)
    values = np.where(np.abs(values.imag) <= 1e-12 * scale, values.real, values)
    keep = np.flatnonzero(values.imag >= 0)
    keep = keep[np.lexsort((values[keep].imag, np.abs(values[keep]).round(12)))]
    shapes = parts.eigenvectors(values[keep], vectors[:, keep])[:n]
    rigid = _rigid(_moving(parts.null[:n]), M)
    k = rigid.shape[1]
    found = np.hstack([rigid, _signed(_normalised(shapes, M))])
    return np.concatenate([np.zeros(k), values[keep]]), found, k


def _without_momentum(shapes: Array, k: int, M: Array, by_q: Array, by_v: Array) -> Array:
    """Shapes without what rounding left of the free motions Z along which momentum is kept.

    Z^T (lambda^2 M + lambda C + K) phi = 0 has Z^T M phi = 0 where Z^T K and Z^T C vanish.
    """
    Z = shapes[:, :k].real
    kept = np.ones(k, dtype=bool)
    for X in (by_q, by_v):
        noise = SMALL * np.abs(Z.T) @ np.abs(M) @ np.abs(X)
        kept &= np.all(np.abs(Z.T @ M @ X) <= noise, axis=1)
    Z, rest = Z[:, kept], shapes[:, k:]
    return np.hstack([shapes[:, :k], _normalised(rest - Z @ (Z.T @ M @ rest), M)])


def _moving(null: Array) -> Array:
    """Orthonormal basis of displacements, without what only own states of loads take part in."""
    if not null.size:
        return null[:, :0]
    U, sizes, _ = np.linalg.svd(null, full_matrices=False)
    return U[:, sizes > SMALL]


def _rigid(basis: Array, M: Array) -> Array:
    """Free motions with phi^T M phi = 1, orthogonal by M, each of few speeds where possible."""
    if not basis.shape[1]:
        return basis
    pivots = np.sort(qr(basis.T, pivoting=True)[2][: basis.shape[1]])
    sparse = np.linalg.solve(basis[pivots].T, basis.T).T
    sparse[np.abs(sparse) < 1e-12] = 0.0
    L = np.linalg.cholesky(sparse.T @ M @ sparse)
    return np.linalg.solve(L, sparse.T).T


def _normalised(shapes: Array, M: Array) -> Array:
    """Shapes with phi^H M phi = 1."""
    size = np.sqrt(np.einsum("ik,ij,jk->k", shapes.conj(), M, shapes).real)
    return shapes / np.where(size > 0, size, 1.0)


def _signed(shapes: Array) -> Array:
    """Shapes whose largest component is real and positive."""
    if not shapes.size:
        return shapes
    largest = shapes[np.abs(shapes).argmax(axis=0), np.arange(shapes.shape[1])]
    phase = np.where(np.abs(largest) > 0, largest / np.abs(largest), 1.0)
    return shapes / phase


def _expanded(found: Tangent, values: Array, shapes: Array, n_rigid: int) -> Eigenmodes:
    """Shapes of all speeds: zero for those that are held, along for those that follow."""
    whole = found.motions @ shapes
    if np.iscomplexobj(whole) and not np.any(np.abs(whole.imag) > 1e-12):
        whole = whole.real
    return Eigenmodes(values.astype(complex), whole, n_rigid)
