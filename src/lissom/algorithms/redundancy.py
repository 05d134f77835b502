"""Which closure equations follow from others, and which speeds follow from others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..system import System, equation
from .loop_frames import PlacedLoop, closure_slices

Array = np.ndarray

# Part of the largest singular value below which a direction is noise.
RANK = 1e-9
# Part of the largest column above which a hinge can follow well, and modes are left free.
FOLLOWS = 1e-3
# Of several hinges that can follow almost as well as the best, the outermost does.
ALMOST = 0.5
# Cosine beyond which a direction counts as an axis.
ALIGNED = 1 - 1e-7

AXES = tuple(
    f"{kind} {axis}" for kind in ("rotation about", "displacement along") for axis in "xyz"
)


def row_space(A: Array, size: float) -> Array:
    """Orthonormal rows that span those of A; what is below RANK of `size` is noise."""
    if not A.size:
        return np.zeros((0, A.shape[1]))
    _, values, rows = np.linalg.svd(A, full_matrices=False)
    return rows[values > RANK * size]


def largest(A: Array) -> float:
    """Largest singular value."""
    return float(np.linalg.norm(A, 2)) if A.size else 0.0


def rank_of(A: Array) -> int:
    """Number of equations that are independent."""
    return len(row_space(A, largest(A)))


def dependent_speeds(A: Array, hinge: Array) -> list[int]:
    """Speeds that follow from the others by A v = 0, as many as the rank of A.

    By elimination: columns as independent of each other as possible.  Hinges follow, the outer
    ones rather than the inner ones, and modes only where no hinge can.

    Parameters
    ----------
    A : array (n_constraint, n_v)
        Closure equations in comparable units of the speeds.
    hinge : array (n_v,) of bool
        Which speeds are hinge rates.
    """
    left = A.copy()
    chosen: list[int] = []
    floor = FOLLOWS * np.linalg.norm(A, axis=0).max(initial=0.0)
    for _ in range(rank_of(A)):
        norms = np.linalg.norm(left, axis=0)
        norms[chosen] = 0.0
        hinges = np.where(hinge, norms, 0.0)
        if hinges.max(initial=0.0) > floor:
            k = int(np.flatnonzero(hinges >= ALMOST * hinges.max())[-1])
        else:
            k = int(np.argmax(norms))
        chosen.append(k)
        unit = left[:, k] / norms[k]
        left = left - np.outer(unit, unit @ left)
        left = left - np.outer(unit, unit @ left)  # twice, for the last digit
    return sorted(chosen)


def redundant_motions(
    system: System, A: Array, placed: Sequence[PlacedLoop]
) -> dict[str, tuple[str, ...]]:
    """Motions that each loop prevents although the loops before it, or itself, do so already.

    Couplings come after all loops.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    A : array (n_constraint, n_v)
        Closure equations in comparable units of the speeds.
    placed : sequence of PlacedLoop
        All loops.

    Returns
    -------
    dict
        For each loop and coupling as many words as it has equations too many.
    """
    size, found = largest(A), {}
    before = np.zeros((0, A.shape[1]))
    rows = closure_slices(system)
    for k, (one, piece) in enumerate(zip(system.constraints, rows, strict=True)):
        own = A[piece]
        new = own - own @ before.T @ before
        u, values, _ = np.linalg.svd(new)
        kept = int(np.sum(values > RANK * size))
        if k < len(placed):
            found[one.name] = _words(placed[k].directions @ u[:, kept:])
        else:
            coupling = system.couplings[k - len(placed)]
            found[one.name] = () if kept else (equation(system, coupling),)
        before = np.concatenate([before, row_space(new, size)])
    return found


def _words(directions: Array) -> tuple[str, ...]:
    """Names for the columns of a basis: axes where they lie in its span, combinations for the rest.

    A motion [rotation times length; displacement] is given in the axes of frame b.
    """
    words, left = [], directions
    for k, name in enumerate(AXES):
        if left.shape[1] and np.linalg.norm(left[k]) > ALIGNED:
            words.append(name)
            left = _without(left, k)
    for column in _sparse(left).T:
        parts = [f"{x:+.2f} {AXES[k]}" for k, x in enumerate(column) if abs(x) > 1e-6]
        words.append(" ".join(parts))
    return tuple(words)


def _without(basis: Array, k: int) -> Array:
    """Basis of the part of a span that has no component k."""
    _, _, turn = np.linalg.svd(basis[k : k + 1])
    return basis @ turn[1:].T


def _sparse(basis: Array) -> Array:
    """The same span with as many zeros as elimination makes, columns of unit length."""
    columns = basis.copy()
    for j in range(columns.shape[1]):
        k = int(np.argmax(np.abs(columns[:, j])))
        columns[:, j] /= columns[k, j]
        for other in range(columns.shape[1]):
            if other != j:
                columns[:, other] -= columns[k, other] * columns[:, j]
    return columns / np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
