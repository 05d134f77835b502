"""Redundant closure equations and dependent speeds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...joints import ClosedContact
from ...system import Loop, System, equation
from .frames import PlacedLoop, closure_slices

Array = np.ndarray

# Fraction of the largest singular value below which a direction is noise.
RANK = 1e-9
# Fraction of the largest column above which a hinge is a good dependent speed, and modes stay free.
FOLLOWS = 1e-3
# Fraction of the best hinge above which hinges count as equally good; the outermost is chosen.
ALMOST = 0.5
# Cosine above which a direction counts as an axis.
ALIGNED = 1 - 1e-7

AXES = tuple(
    f"{kind} {axis}" for kind in ("rotation about", "displacement along") for axis in "xyz"
)


def row_space(A: Array, size: float) -> Array:
    """Orthonormal basis of the row space of A; values below RANK times `size` are noise."""
    if not A.size:
        return np.zeros((0, A.shape[1]))
    _, values, rows = np.linalg.svd(A, full_matrices=False)
    return rows[values > RANK * size]


def largest(A: Array) -> float:
    """Largest singular value."""
    return float(np.linalg.norm(A, 2)) if A.size else 0.0


def rank_of(A: Array) -> int:
    """Number of independent equations."""
    return len(row_space(A, largest(A)))


def dependent_speeds(A: Array, hinge: Array) -> list[int]:
    """Speeds that depend on the others by A v = 0, as many as the rank of A.

    Found by elimination with pivoting.  Outer hinges are chosen before inner ones, and modes only
    if no hinge can be dependent.

    `A` (n_constraint, n_v): closure equations in comparable units of the speeds; `hinge` (n_v,):
    mask of the hinge rates.
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
        left = left - np.outer(unit, unit @ left)  # repeated for full precision
    return sorted(chosen)


def redundant_motions(
    system: System, A: Array, placed: Sequence[PlacedLoop]
) -> dict[str, tuple[str, ...]]:
    """Motions prevented by each loop that it or earlier loops already prevent.

    Couplings come after all loops.

    `A` (n_constraint, n_v): closure equations in comparable units of the speeds.
    """
    size, descriptions = largest(A), {}
    before = np.zeros((0, A.shape[1]))
    rows = closure_slices(system)
    for k, (one, piece) in enumerate(zip(system.constraints, rows, strict=True)):
        equations = A[piece]
        new = equations - equations @ before.T @ before
        u, values, _ = np.linalg.svd(new)
        rank = int(np.sum(values > RANK * size))
        if isinstance(one, Loop) and isinstance(one.joint, ClosedContact):
            descriptions[one.name] = _words(u[:, rank:], one.joint.rows)
        elif k < len(placed):
            descriptions[one.name] = _words(placed[k].directions @ u[:, rank:], AXES)
        else:
            coupling = system.couplings[k - len(placed)]
            descriptions[one.name] = () if rank else (equation(system, coupling),)
        before = np.concatenate([before, row_space(new, size)])
    return descriptions


def _words(directions: Array, names: Sequence[str]) -> tuple[str, ...]:
    """Descriptions of the columns of a basis: axes in its span, combinations for the rest.

    Motions are [rotation times length; displacement] in the axes of frame b, or the constraints of
    a contact.
    """
    words, left = [], directions
    for k, name in enumerate(names):
        if left.shape[1] and np.linalg.norm(left[k]) > ALIGNED:
            words.append(name)
            left = _without(left, k)
    for column in _sparse(left).T:
        parts = [f"{x:+.2f} {names[k]}" for k, x in enumerate(column) if abs(x) > 1e-6]
        words.append(" ".join(parts))
    return tuple(words)


def _without(basis: Array, k: int) -> Array:
    """Basis of the subspace of a span without component k."""
    _, _, turn = np.linalg.svd(basis[k : k + 1])
    return basis @ turn[1:].T


def _sparse(basis: Array) -> Array:
    """Basis of the same span, sparse by elimination, with unit columns."""
    columns = basis.copy()
    for j in range(columns.shape[1]):
        k = int(np.argmax(np.abs(columns[:, j])))
        columns[:, j] /= columns[k, j]
        for other in range(columns.shape[1]):
            if other != j:
                columns[:, other] -= columns[k, other] * columns[:, j]
    return columns / np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
