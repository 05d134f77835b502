"""Static solutions of a structure that is held at some of its interfaces.

The coordinates are z = (z_P, z_I): a few pulled ones P, those of interfaces or a determinate
support, and the others.  With z_P held the stiffness is positive definite and factorised once:

  [K_PP K_PI] [z_P]   [B_P^T]          [f_P]
  [K_IP K_II] [z_I] + [B_I^T] lambda = [f_I],     B z = g                                      (1)

Elimination of z_I leaves a small system for (z_P, lambda), whatever is held:

  [S  G^T] [z_P   ]   [f_P - X_P^T f_I]        X_P = K_II^-1 K_IP,  S = K_PP - K_PI X_P
  [G  H  ] [lambda] = [g - X_B^T f_I  ],       X_B = K_II^-1 B_I^T,
                                               G = B_P - X_B^T K_IP,  H = -B_I X_B             (2)

z_I = K_II^-1 f_I - X_P z_P - X_B lambda                                                      (3)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import NDArray

from .fronts import Fronts, NotPositiveError
from .ordering import dissection

Array = NDArray[np.float64]
Solution = Callable[..., Array]

_SMALL = 600  # unknowns below which the order does not matter
_STRETCHED = 1e9  # condition of (2), scaled, above which its softest motion is looked at
_STRAINLESS = 1e-15  # energy of a motion over the sum of the sizes of what it is made of
_NEGATIVE = 1e-10  # pivots below this share of the diagonal are not zero by rounding


class SingularStiffnessError(Exception):
    """The held structure moves without strain, or its stiffness is not positive.

    Parameters
    ----------
    coordinate : int
        Coordinate z that moves most.
    negative : bool
        Whether a deformation has negative stiffness.
    """

    def __init__(self, coordinate: int, negative: bool = False) -> None:
        super().__init__()
        self.coordinate, self.negative = coordinate, negative


class Held:
    """Factorised structure, of which any interfaces can be held.

    Parameters
    ----------
    K : sparse array (n, n)
        Stiffness in the coordinates z.
    B : sparse array (k, n)
        Rows that may be held.
    pulled : array of int
        Coordinates P, which hold the structure.
    positions : array (n, 3)
        Places of the coordinates, for the order of elimination.
    """

    def __init__(self, K: Any, B: Any, pulled: NDArray[np.intp], positions: Array) -> None:
        n = K.shape[0]
        self.K, self.pulled = K, pulled
        self.rest = np.setdiff1d(np.arange(n), pulled)
        rows = K[self.rest]
        self._factor = Factor(sp.csc_array(rows[:, self.rest]), positions[self.rest], self.rest)
        K_IP = rows[:, pulled].toarray()
        B_P, B_I = B[:, pulled].toarray(), B[:, self.rest].toarray()
        self.X_P, self.X_B = self._factor.solve(K_IP), self._factor.solve(B_I.T)
        self.S = K[pulled][:, pulled].toarray() - K_IP.T @ self.X_P
        self.G = B_P - self.X_B.T @ K_IP
        self.H = -B_I @ self.X_B

    def solution(self, held: NDArray[np.intp]) -> Solution:
        """Function of loads f (n, k) and motions g (len(held), k) that returns z (n, k) of (1).

        Parameters
        ----------
        held : array of int
            Rows of B that are held; the others are free.
        """
        S, G, H = (self.S + self.S.T) / 2, self.G[held], self.H[np.ix_(held, held)]
        border = np.block([[S, G.T], [G, (H + H.T) / 2]])
        scale = _scales(border)
        border = border * np.outer(scale, scale)
        if len(border) and np.linalg.cond(border) > _STRETCHED:
            self._check_moving(np.linalg.svd(border)[2][-1] * scale, held)
        factor = la.lu_factor(border) if len(border) else None

        def solve(f: Array, g: Array | None = None) -> Array:
            f_I = self._factor.solve(f[self.rest])
            wanted = np.zeros((len(held), f.shape[1])) if g is None else g
            right = np.vstack(
                [
                    f[self.pulled] - self.X_P.T @ f[self.rest],
                    wanted - self.X_B[:, held].T @ f[self.rest],
                ]
            )
            z = np.zeros_like(f)
            if factor is not None:
                y = scale[:, None] * la.lu_solve(factor, scale[:, None] * right)
                z[self.pulled], reaction = y[: len(self.pulled)], y[len(self.pulled) :]
                f_I = f_I - self.X_P @ z[self.pulled] - self.X_B[:, held] @ reaction
            z[self.rest] = f_I
            return z

        return solve

    def _check_moving(self, softest: Array, held: NDArray[np.intp]) -> None:
        """Raise if the softest motion of (2) has no strain: its energy is that of rounding."""
        moved, reaction = np.split(softest, [len(self.pulled)])
        z = np.zeros(self.K.shape[0])
        z[self.pulled] = moved
        z[self.rest] = -self.X_P @ moved - self.X_B[:, held] @ reaction
        energy, size = z @ (self.K @ z), np.abs(z) @ (abs(self.K) @ np.abs(z))
        if not energy > _STRAINLESS * size:
            stiffness = np.abs(z) * np.sqrt(np.abs(self.K.diagonal()))
            raise SingularStiffnessError(int(np.argmax(stiffness)))


class Factor:
    """Factorisation of a sparse symmetric positive definite matrix.

    Parameters
    ----------
    K : sparse array (n, n)
        The matrix.
    positions : array (n, 3)
        Places of the unknowns; those at one place are eliminated together.
    names : array (n,) of int
        Numbers of the unknowns, for errors.
    """

    def __init__(self, K: Any, positions: Array, names: NDArray[np.intp]) -> None:
        parts = _parts(K, positions)
        try:
            self._fronts = Fronts(K, parts)
        except NotPositiveError as error:
            negative = error.pivot < -_NEGATIVE
            at = error.unknown if negative else _softest(K, parts)
            raise SingularStiffnessError(int(names[at]), negative) from None
        if K.shape[0]:
            self._check(K, names)

    def solve(self, right: Array) -> Array:
        """Solution for right-hand sides (n, k)."""
        return self._fronts.solve(right)

    def _check(self, K: Any, names: NDArray[np.intp]) -> None:
        """Raise if the matrix is singular or not positive definite, as far as can be seen."""
        diagonal = K.diagonal()
        x = self.solve(
            np.random.default_rng(1).standard_normal((K.shape[0], 2)) * diagonal[:, None]
        )
        x /= np.sqrt(np.sum(diagonal[:, None] * x * x, axis=0))
        energy = np.sum(x * (K @ x), axis=0)
        worst = int(np.argmin(energy))
        moving = int(np.argmax(np.abs(x[:, worst]) * np.sqrt(diagonal)))
        if not energy[worst] > 1e-14:
            raise SingularStiffnessError(int(names[moving]), bool(energy[worst] < -1e-10))


def _softest(K: Any, parts: list[NDArray[np.intp]]) -> int:
    """Unknown of a singular matrix that moves most in its null vector (roughly)."""
    diagonal = np.abs(K.diagonal())
    try:
        shifted = Fronts(sp.csc_array(K + sp.diags_array(1e-10 * diagonal + 1e-300)), parts)
    except NotPositiveError as error:
        return error.unknown
    x = shifted.solve((np.random.default_rng(1).standard_normal(len(diagonal)) * diagonal)[:, None])
    return int(np.argmax(np.abs(x[:, 0]) * np.sqrt(diagonal)))


def _parts(K: Any, positions: Array) -> list[NDArray[np.intp]]:
    """Order of elimination: nested dissection of the places of the unknowns."""
    n = K.shape[0]
    if n <= _SMALL:
        return [np.arange(n)] if n else []
    places, group = np.unique(positions, axis=0, return_inverse=True)
    group = group.ravel()
    member = sp.csr_array((np.ones(n), (np.arange(n), group)))
    pattern = sp.csr_array(K, copy=True)
    pattern.data[:] = 1.0
    unknowns = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
    parts = dissection(places, member.T @ pattern @ member)
    return [np.concatenate([unknowns[place] for place in part]) for part in parts]


def _scales(border: Array) -> Array:
    """Scales that bring the rows of a symmetric matrix to size 1."""
    scale = np.ones(len(border))
    for _ in range(5):
        size = np.abs(border * np.outer(scale, scale)).max(axis=1, initial=1e-300)
        scale = scale / np.sqrt(np.maximum(size, 1e-300))
    return scale
