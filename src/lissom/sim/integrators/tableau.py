"""Tables of Runge-Kutta methods that check themselves.

A method has order p if for every rooted tree t of up to p nodes
  sum_i b_i Phi_i(t) = 1 / gamma(t),   Phi(t) = product over the subtrees s of A Phi(s)      (1)
(Butcher).  An interpolant b(theta) has order p if the sum is theta^|t| / gamma(t).          (2)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ...printing import Shown
from . import dop853

Array = np.ndarray
Tree = tuple["Tree", ...]


@dataclass(frozen=True, eq=False)
class Tableau(Shown):
    """An explicit Runge-Kutta method, optionally with error estimates and an interpolant.

    Attributes
    ----------
    name : str
    order : int
        Order of the method.
    A, b, c : arrays
        Stages, weights, times.
    error, second : array or None
        Weights of the error estimates, for the stages and the state at the end of the step.
    error_order : int
        Step control assumes an error proportional to this power of the step, plus one.
    extra : array or None
        Rows of A for the stages of the interpolant, after the state at the end of the step.
    dense : array or None
        (stages, degree): b_i(theta) = sum_j dense_ij theta^(j + 1).
    dense_order : int
        Order of the interpolant.
    """

    name: str
    order: int
    A: Array
    b: Array
    c: Array
    error: Array | None = None
    second: Array | None = None
    error_order: int = 0
    extra: Array | None = None
    dense: Array | None = None
    dense_order: int = 0

    def __post_init__(self) -> None:
        """Check the order conditions (1), (2)."""
        if np.any(np.triu(self.A)) or not np.allclose(self.A.sum(axis=1), self.c, atol=1e-13):
            raise ValueError(f"{self.name}: not the table of an explicit method")
        self._check(self.whole[: len(self.b), : len(self.b)], self.b, self.order)
        for weights in (self.error, self.second):
            if weights is not None and abs(weights.sum()) > 1e-13:
                raise ValueError(f"{self.name}: an error estimate does not vanish for constants")
        if self.dense is not None:
            for theta in (0.3, 0.8, 1.0):
                powers = theta ** np.arange(1, self.dense.shape[1] + 1)
                self._check(self.whole, self.dense @ powers, self.dense_order, theta)

    @property
    def n_stage(self) -> int:
        """Number of stages, without the state at the end and those of the interpolant."""
        return len(self.b)

    @cached_property
    def whole(self) -> Array:
        """Matrix A with the state at the end of the step and the stages of the interpolant."""
        n = self.n_stage
        total = n + 1 + (0 if self.extra is None else len(self.extra))
        whole = np.zeros((total, total))
        whole[:n, :n], whole[n, :n] = self.A, self.b
        if self.extra is not None:
            whole[n + 1 :, : self.extra.shape[1]] = self.extra
        return whole

    def _check(self, A: Array, b: Array, order: int, theta: float = 1.0) -> None:
        for tree in trees_up_to(order):
            n, density, phi = _sums(tree, A)
            miss = b @ phi - theta**n / density
            if abs(miss) > 1e-12:
                raise ValueError(f"{self.name}: order {order} fails at a tree of {n} nodes: {miss}")

    def packed(self) -> Array:
        """Coefficients in the order of the kernels (`kernels.run.explicit`)."""
        total = len(self.whole)
        flat = [self.whole.ravel()]
        for weights in (self.b, self.whole.sum(axis=1), self.error, self.second):
            padded = np.zeros(total)
            if weights is not None:
                padded[: len(weights)] = weights
            flat.append(padded)
        if self.dense is not None:
            flat.append(self.dense.T.ravel())
        return np.concatenate(flat)


@lru_cache
def trees_up_to(order: int) -> tuple[Tree, ...]:
    """All rooted trees of up to `order` nodes, each a sorted tuple of its subtrees."""
    by_size: dict[int, set[Tree]] = {1: {()}}
    for size in range(2, order + 1):
        by_size[size] = {tuple(sorted(forest)) for forest in _forests(size - 1, by_size)}
    return tuple(tree for size in range(1, order + 1) for tree in sorted(by_size[size]))


def _forests(nodes: int, by_size: dict[int, set[Tree]]) -> Iterator[Tree]:
    """All multisets of trees with n nodes in total."""
    if nodes == 0:
        yield ()
        return
    for size in range(1, nodes + 1):
        for tree in by_size[size]:
            for rest in _forests(nodes - size, by_size):
                if not rest or (size, tree) >= (_size(rest[0]), rest[0]):
                    yield (tree, *rest)


def _size(tree: Tree) -> int:
    return 1 + sum(map(_size, tree))


def _sums(tree: Tree, A: Array) -> tuple[int, float, Array]:
    """Nodes, density gamma and elementary weights Phi of a tree (1)."""
    nodes, density, phi = 1, 1.0, np.ones(len(A))
    for subtree in tree:
        n, gamma, inner = _sums(subtree, A)
        nodes, density, phi = nodes + n, density * gamma, phi * (A @ inner)
    return nodes, density * nodes, phi


@lru_cache
def rk4() -> Tableau:
    """Table of the classical method of order four (Kutta 1901)."""
    A = np.zeros((4, 4))
    A[1, 0] = A[2, 1] = 0.5
    A[3, 2] = 1.0
    return Tableau("rk4", 4, A, np.array([1, 2, 2, 1]) / 6, np.array([0, 0.5, 0.5, 1.0]))


@lru_cache
def dormand_prince_5() -> Tableau:
    """Table of orders 5(4), interpolant of order 4 (Dormand and Prince 1980; Shampine 1986)."""
    A = np.zeros((6, 6))
    A[1, :1] = 1 / 5
    A[2, :2] = 3 / 40, 9 / 40
    A[3, :3] = 44 / 45, -56 / 15, 32 / 9
    A[4, :4] = 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729
    A[5, :5] = 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656
    b = np.array([35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84])
    c = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1])
    E = np.array([-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])
    dense = np.array(
        [
            [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
            [0, 0, 0, 0],
            [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
            [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
            [
                0,
                127303824393 / 49829197408,
                -318862633887 / 49829197408,
                701980252875 / 199316789632,
            ],
            [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
            [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
        ]
    )
    return Tableau("dopri5", 5, A, b, c, E, None, 4, None, dense, 4)


@lru_cache
def dormand_prince_8() -> Tableau:
    """Table of orders 8(5, 3), interpolant of order 7 (Hairer, Norsett and Wanner 1993)."""
    A, D = _filled(dop853.STAGES, 12), _filled(dop853.DENSE, 16)
    (b,), (E5, E3) = _filled(dop853.WEIGHTS, 12), _filled(dop853.ERRORS, 13)
    extra, c = _filled(dop853.DENSE_STAGES, 16), np.array(dop853.NODES)
    return Tableau("dop853", 8, A, b, c, E5, E3, 7, extra, _hairer_interpolant(b, D), 7)


def _filled(rows: Sequence[Sequence[tuple[int, float]]], n: int) -> Array:
    """Matrix of n columns from pairs of column and number."""
    full = np.zeros((len(rows), n))
    for k, row in enumerate(rows):
        for column, number in row:
            full[k, column] = number
    return full


def _hairer_interpolant(b: Array, D: Array) -> Array:
    """Polynomials b_i(theta) of an interpolant given by nested products.

    theta (F0 + (1 - theta) (F1 + theta (F2 + ...))), F0 = step, F1 = k_0 - F0,
    F2 = 2 F0 - k_0 - k_end, and F3 to F6 by the rows of D.
    """
    from numpy.polynomial import Polynomial

    n_stage, total = len(b), D.shape[1]
    F = np.zeros((7, total))
    F[0, :n_stage] = b
    F[1] = -F[0]
    F[1, 0] += 1
    F[2] = 2 * F[0]
    F[2, [0, n_stage]] -= 1
    F[3:] = D
    dense = np.zeros((total, 7))
    for i in range(total):
        nested = Polynomial([0.0])
        for k in range(6, -1, -1):
            factor = Polynomial([0.0, 1.0]) if k % 2 == 0 else Polynomial([1.0, -1.0])
            nested = factor * (nested + F[k, i])
        dense[i, : len(nested.coef) - 1] = nested.coef[1:]
    return dense
