"""Modes of vibration of a structure, held at interfaces or free, and how many of them are kept.

K phi = omega^2 M phi + C^T lambda,     C phi = 0                                             (1)

with C the held rows, or C = R^T M for a free structure, whose rigid motions R are left out.  Few
modes of a large structure come from Lanczos' method with the inverse of the stiffness, the static
solution under the loads M phi; massless freedoms do not disturb it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from ...errors import ModelError
from ...fields import count
from .._checks import finite, positive

Array = NDArray[np.float64]

DEFAULT = 8  # modes, unless others are asked for
_DENSE = 500  # coordinates below which all modes are computed at once
_NONE = 1e-13  # relative flexibility to mass of a deformation that moves no mass
_MOST = 1000  # modes; more than this is not a reduction


@dataclass(frozen=True)
class ModeSelection:
    """Modes to keep: a number, all below a frequency [Hz], or enough for a part of the mass."""

    modes: int | None = None
    frequency: float | None = None
    effective_mass: float | None = None


def mode_selection(name: str, modes: Any, frequency: Any, effective_mass: Any) -> ModeSelection:
    """Checked choice; at most one of the three is given."""
    criteria = {"modes": modes, "frequency": frequency, "effective_mass": effective_mass}
    chosen = {key: x for key, x in criteria.items() if x is not None}
    if len(chosen) > 1:
        raise ModelError(
            f"{name}: {' and '.join(chosen)} both say how many modes are kept; give one of them"
        )
    if modes is not None:
        return ModeSelection(modes=count(modes, f"{name}: modes", 0, _MOST))
    if frequency is not None:
        return ModeSelection(frequency=positive(frequency, f"{name}: frequency [Hz]"))
    if effective_mass is not None:
        part = finite(effective_mass, f"{name}: effective_mass")
        if not 0 < part < 1:
            raise ModelError(
                f"{name}: effective_mass is {part:g}; give the part of the mass that the modes "
                "must have in every direction, between 0 and 1, such as 0.95"
            )
        return ModeSelection(effective_mass=part)
    return ModeSelection()


@dataclass(frozen=True, eq=False)
class Eigenproblem:
    """Eigenproblem (1)."""

    name: str  # of the structure
    # M, K: (n, n) mass and stiffness in the coordinates
    M: Any
    K: Any
    C: Any  # (k, n) rows that vanish
    # displacements of the held structure under loads (n, k), of a free one without its rigid motion
    # under loads without resultant
    flexibility: Callable[[Array], Array]
    rigid: Array  # (n, 6) R, rigid motions
    movable: Array  # (3,) mass [kg] that modes can move along x, y, z


def vibration(problem: Eigenproblem, selection: ModeSelection) -> tuple[Array, Array]:
    """Mass-normalised modes (n, m) and angular frequencies (m,) [rad/s], ascending."""
    n = problem.M.shape[0]
    if selection.modes == 0:
        return np.zeros((n, 0)), np.zeros(0)
    if n <= _DENSE:
        every = _all_modes(problem)
        return _chosen(problem, selection, *every, complete=True)
    k = 24 if selection.modes is None else selection.modes
    k = DEFAULT if selection == ModeSelection() else k
    while True:
        if 3 * k > n:
            return _chosen(problem, selection, *_all_modes(problem), complete=True)
        shapes, omega = _lowest_modes(problem, k)
        complete = len(omega) < k
        if complete or _enough(problem, selection, shapes, omega):
            return _chosen(problem, selection, shapes, omega, complete=complete)
        if k >= _MOST:
            raise ModelError(
                f"{problem.name}: {k} modes up to {omega[-1] / (2 * np.pi):.4g} Hz are not enough "
                f"for {_words(selection)}; ask for less, or give modes"
            )
        k = min(2 * k, _MOST)


def _enough(problem: Eigenproblem, selection: ModeSelection, shapes: Array, omega: Array) -> bool:
    if selection.frequency is not None:
        return bool(omega[-1] > 2 * np.pi * selection.frequency)
    if selection.effective_mass is not None:
        return _needed(problem, selection.effective_mass, shapes) is not None
    return True


def _chosen(
    problem: Eigenproblem, selection: ModeSelection, shapes: Array, omega: Array, *, complete: bool
) -> tuple[Array, Array]:
    """Modes that are kept of those computed, in ascending order."""
    m = len(omega)
    if selection.frequency is not None:
        m = int(np.searchsorted(omega, 2 * np.pi * selection.frequency, side="right"))
    elif selection.effective_mass is not None:
        needed = _needed(problem, selection.effective_mass, shapes)
        if needed is None:
            raise ModelError(
                f"{problem.name}: all its {m} modes have less than {_words(selection)}; give modes"
            )
        m = needed
    else:
        m = min(m, DEFAULT) if selection.modes is None else selection.modes
    if m > len(omega):
        assert complete
        raise ModelError(
            f"{problem.name}: modes={m}, but the structure has {len(omega)} modes with its "
            "interfaces held; give fewer, or refine the model"
        )
    return shapes[:, :m], omega[:m]


def _words(selection: ModeSelection) -> str:
    if selection.frequency is not None:
        return f"frequency={selection.frequency:g} Hz"
    return f"effective_mass={selection.effective_mass:g} in every direction"


def _needed(problem: Eigenproblem, part: float, shapes: Array) -> int | None:
    """Number of modes whose effective masses reach a part of what can move; None if all do not."""
    effective_masses = np.cumsum((shapes.T @ (problem.M @ problem.rigid[:, 3:])) ** 2, axis=0)
    reached = np.all(effective_masses >= part * problem.movable, axis=1)
    return int(np.argmax(reached)) + 1 if np.any(reached) else None


def _all_modes(problem: Eigenproblem) -> tuple[Array, Array]:
    """All modes of (1): M q = mu K q in the space that the rows leave, omega = mu^(-1/2)."""
    C = problem.C if isinstance(problem.C, np.ndarray) else problem.C.toarray()
    n = problem.M.shape[0]
    Z = la.null_space(C / np.linalg.norm(C, axis=1, keepdims=True)) if len(C) else np.eye(n)
    if not Z.shape[1]:
        return np.zeros((n, 0)), np.zeros(0)
    K, M = Z.T @ (problem.K @ Z), Z.T @ (problem.M @ Z)
    scale = 1 / np.sqrt(np.diag(K).clip(min=1e-300))
    K, M = (x * np.outer(scale, scale) for x in (K, M))
    try:
        mu, q = la.eigh((M + M.T) / 2, (K + K.T) / 2)
    except la.LinAlgError:
        raise _not_positive(problem.name) from None
    if mu[0] < -1e-10 * mu[-1]:
        raise negative_mass(problem.name)
    has_mass = mu > _NONE * mu[-1]
    mu, q = mu[has_mass][::-1], q[:, has_mass][:, ::-1]
    return Z @ (scale[:, None] * q) / np.sqrt(mu), 1 / np.sqrt(mu)


def _lowest_modes(problem: Eigenproblem, k: int) -> tuple[Array, Array]:
    """The k lowest modes of (1) by Lanczos' method; fewer if there are no more."""
    n = problem.M.shape[0]
    inverse = LinearOperator(
        (n, n), matvec=lambda b: problem.flexibility(b.reshape(-1, 1))[:, 0], dtype=float
    )
    start = problem.flexibility(problem.M @ np.random.default_rng(0).standard_normal((n, 1)))[:, 0]
    try:
        values, shapes = eigsh(problem.K, k, problem.M, sigma=0.0, OPinv=inverse, v0=start)
    except ArpackError as error:
        raise ModelError(
            f"{problem.name}: the modes were not found ({error}); give fewer modes, and look at "
            "the masses: they may be on few freedoms only"
        ) from None
    order = np.argsort(values)
    shapes = shapes[:, order]
    mass = np.sum(shapes * (problem.M @ shapes), axis=0)
    stiffness = np.sum(shapes * (problem.K @ shapes), axis=0)
    if np.any(mass < 0):
        raise negative_mass(problem.name)
    if np.any(values[order] < 0):
        raise _not_positive(problem.name)
    moving = mass * stiffness.max() > _NONE * mass.max() * stiffness
    shapes, mass, stiffness = shapes[:, moving], mass[moving], stiffness[moving]
    return shapes / np.sqrt(mass), np.sqrt(stiffness / mass)


def negative_mass(name: str) -> ModelError:
    """Error of a mass matrix that is not positive."""
    return ModelError(
        f"{name}: the mass matrix is indefinite: a motion has negative kinetic energy; look for "
        "elements that are inside out, for matrices that were swapped, and in files for entries "
        "that are missing"
    )


def _not_positive(name: str) -> ModelError:
    return ModelError(
        f"{name}: the stiffness matrix is indefinite: a deformation releases energy; look for "
        "elements that are inside out, and take the matrix of the unloaded structure"
    )
