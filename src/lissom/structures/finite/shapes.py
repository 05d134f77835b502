"""Shapes that a structure keeps: static ones by its interfaces, and modes of vibration.

craig-bampton   unit motions of every interface but the inboard one, the others held, and modes
                with all interfaces held (Craig and Bampton 1968); shapes vanish inboard
cantilever      modes with the inboard interface held; its others follow
free-free       modes of the free structure, which move the inboard interface too

Attachment shapes are the deflections by unit loads at interfaces, with the inboard one held or, for
a free structure, with the inertia forces of the motion by these loads.  Together with the modes
they have the exact flexibility there.  Inertia-relief shapes are the deflections of the held
structure under the inertia forces of its six rigid accelerations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as la
from numpy.typing import NDArray

from ...errors import ModelError
from .modes import Eigenproblem, ModeSelection, negative_mass, vibration
from .progress import announced_if_slow
from .static_solutions import Held
from .ties import Ties

Array = NDArray[np.float64]

METHODS = ("craig-bampton", "cantilever", "free-free")
_DEPENDENT = 1e-12  # relative strain energy of a combination that adds nothing to the others
_MASSLESS = 1e-13  # relative kinetic to strain energy of a shape that moves no mass
_EQUAL = 1e-6  # relative gap of frequencies that count as equal
_SEEN = 1e-3  # relative size of a motion that tells shapes of equal frequency apart


@dataclass(frozen=True, eq=False)
class Assembly:
    """Structure in the coordinates z, factorised."""

    name: str  # of the structure
    ties: Ties  # coordinates and interfaces
    # M, K: (n, n) in z
    M: Any
    K: Any
    R: Array  # (n, 6) rigid motions about the inboard interface
    held: Held  # static solutions

    @cached_property
    def inboard_held(self) -> Callable[..., Array]:
        """Static solution with the inboard interface held."""
        return self.held.solution(np.arange(6))

    @cached_property
    def all_held(self) -> Callable[..., Array]:
        """Static solution with all interfaces held, or moved."""
        return self.held.solution(np.arange(self.ties.B.shape[0]))

    @cached_property
    def rigid_mass(self) -> Array:
        """R^T M R, (6, 6)."""
        return self.R.T @ (self.M @ self.R)

    def free(self, f: Array) -> Array:
        """Elastic displacement of the free structure under loads and their inertia forces."""
        balance = la.solve(self.rigid_mass, self.R.T @ f, assume_a="sym")
        z = self.inboard_held(f - self.M @ (self.R @ balance))
        momentum = self.R.T @ (self.M @ z)
        return z - self.R @ la.solve(self.rigid_mass, momentum, assume_a="sym")

    def unit_loads(self, names: Iterable[str]) -> Array:
        """Loads (n, 6 k) of unit moments and forces at interfaces."""
        numbers = [self.ties.names.index(name) for name in names]
        rows = np.array([6 * k + j for k in numbers for j in range(6)], dtype=int)
        return self.ties.B[rows].toarray().T


def kept_shapes(
    assembly: Assembly,
    method: str,
    selection: ModeSelection,
    attached: list[str],
    inertia_relief: bool,
) -> Array:
    """Columns (n, m) of the basis, in any order and scale."""
    n = len(assembly.R)
    inertia = assembly.M @ assembly.R
    if method == "craig-bampton":
        n_w = assembly.ties.B.shape[0]
        moved = assembly.all_held(np.zeros((n, n_w - 6)), np.eye(n_w)[:, 6:])
        solve, C, outside = assembly.all_held, assembly.ties.B, [moved]
    elif method == "cantilever":
        loads = assembly.unit_loads(x for x in attached if x != assembly.ties.names[0])
        solve, C = assembly.inboard_held, assembly.ties.B[:6]
        outside = [solve(loads)] if loads.size else []
    else:
        names = dict.fromkeys([*attached, *(assembly.ties.names[:1] if inertia_relief else ())])
        solve, C = assembly.free, inertia.T
        outside = [solve(assembly.unit_loads(names))] if names else []
        inertia_relief = False  # the inboard reaction balances the inertia forces
    if inertia_relief:
        outside.append(solve(inertia))
    problem = Eigenproblem(
        assembly.name, assembly.M, assembly.K, C, solve, assembly.R, _movable(assembly, method)
    )
    with announced_if_slow(f"{assembly.name}: modes of {n} freedoms"):
        modes, _ = vibration(problem, selection)
    return np.hstack([*outside, modes])


def _movable(assembly: Assembly, method: str) -> Array:
    """Mass [kg] along x, y, z less that which held interfaces keep."""
    mass = np.diag(assembly.rigid_mass)[3:].copy()
    inboard = assembly.ties.B[:6].sum(axis=1)
    held = {"craig-bampton": assembly.ties.n_own, "cantilever": 6, "free-free": 0}[method]
    if method == "cantilever" and not np.allclose(inboard, 1):
        held = 0  # an average holds no node
    if held:
        coordinates = np.arange(held)
        r = assembly.R[coordinates, 3:]
        mass -= np.diag(r.T @ (assembly.M[coordinates][:, coordinates] @ r))
    return mass


def normal_shapes(assembly: Assembly, V: Array) -> tuple[Array, Array, int, int]:
    """Mass-normalised shapes (n, m), squared frequencies (m,), and what was dropped.

    K q = q Lambda, M q = mu q in the space of the columns: small mu, high frequencies, suffer from
    rounding, low ones do not.
    """
    M, K = assembly.M, assembly.K
    if not V.shape[1]:
        return V, np.zeros(0), 0, 0
    energy = np.sum(V * (K @ V), axis=0)
    if np.any(energy <= 0):
        raise ModelError(
            f"{assembly.name}: a shape has no strain energy: the stiffness is indefinite, or a "
            "part moves without strain"
        )
    V = V / np.sqrt(energy)
    values, q = la.eigh(_projected(K, V))
    independent = values > _DEPENDENT * values[-1]
    V = V @ (q[:, independent] / np.sqrt(values[independent]))
    mu, q = la.eigh(_projected(M, V))
    if mu[0] < -1e-9 * mu[-1]:
        raise negative_mass(assembly.name)
    moving = mu > _MASSLESS * mu[-1]
    mu, V = mu[moving][::-1], (V @ q[:, moving])[:, ::-1] / np.sqrt(mu[moving][::-1])
    V = _aligned(assembly, V, 1 / mu)
    return V * _signs(assembly, V), 1 / mu, int(np.sum(~independent)), int(np.sum(~moving))


def _projected(A: Any, V: Array) -> Array:
    matrix = V.T @ (A @ V)
    return (matrix + matrix.T) / 2


def _observed(assembly: Assembly, V: Array) -> Array:
    """Participation and motion of the interfaces, of comparable size, (r, m)."""
    mass = np.sqrt(np.diag(assembly.rigid_mass).clip(min=1e-300))
    length = mass[:3].max() / mass[3]
    taking = (assembly.R.T @ (assembly.M @ V)) / mass[:, None]
    seen = (assembly.ties.B @ V) * mass[3]
    seen[np.arange(len(seen)) % 6 < 3] *= length
    return np.vstack([taking[3:], taking[:3], seen])


def _aligned(assembly: Assembly, V: Array, stiffness: Array) -> Array:
    """Shapes of equal frequency, turned so that they differ by directions, not by rounding."""
    edges = np.flatnonzero(np.diff(stiffness) > 2 * _EQUAL * stiffness[1:]) + 1
    V = V.copy()
    for group in np.split(np.arange(len(stiffness)), edges):
        if len(group) < 2:
            continue
        seen = _observed(assembly, V[:, group])
        rest = seen.copy()
        chosen: list[Array] = []
        for k, row in enumerate(seen):
            if len(chosen) < len(group) and np.linalg.norm(rest[k]) > _SEEN * np.abs(seen).max():
                chosen.append(row)
                direction = rest[k] / np.linalg.norm(rest[k])
                rest = rest - np.outer(rest @ direction, direction)
        if len(chosen) == len(group):
            V[:, group] = V[:, group] @ la.qr(np.array(chosen).T)[0]
    return V


def _signs(assembly: Assembly, V: Array) -> Array:
    """Signs that make the first large motion of each shape positive."""
    seen = np.vstack([_observed(assembly, V)[::-1], np.abs(V).max(axis=0) * 1e-9])
    sizes = np.abs(seen)
    first = np.argmax(sizes > 0.5 * sizes.max(axis=0), axis=0)
    return np.where(seen[first, np.arange(V.shape[1])] < 0, -1.0, 1.0)
