"""Tables of Rosenbrock-W methods that check themselves.

For y' = f(y), any matrix W, and stages k_i (B = Gamma has the constant diagonal gamma):
  k_i = h f(y + sum_j A_ij k_j) + h W sum_j B_ij k_j      y_1 = y + sum_i b_i k_i            (1)
A method has order p whatever W is, if for every rooted tree t of up to p nodes
  sum_i b_i Phi_i(t) = 1 / gamma(t), or 0 if the tree has a node of W                        (2)
Such nodes have one branch.  Phi(t) = product over the subtrees s of A Phi(s), for a node of W
B Phi(s).  An interpolant b(theta) has order p if the sum is theta^|t| / gamma(t), or 0.
Stiff vibrations and decays vanish in one long step if
  b^T (A + B)^-1 1 = 1                                                                       (3)
Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement

import numpy as np

from ...printing import Shown

Array = np.ndarray
Tree = tuple[bool, tuple["Tree", ...]]  # whether the node is one of W, and its branches

LEAF: Tree = (False, ())


@dataclass(frozen=True, eq=False)
class RosenbrockTable(Shown):
    """A Rosenbrock-W method with an error estimate and an interpolant.

    Attributes
    ----------
    name : str
    order, error_order : int
        Order of the method, and of the one with the weights `lower`.
    A, B : arrays (n_stage, n_stage)
        Stages: propagation, and the part with W.
    b, lower : arrays (n_stage,)
        Weights, and those of a lower order for the error estimate.
    dense : array (n_stage + 1, degree)
        b_i(theta) = sum_j dense_ij theta^(j + 1); the last row, of the end of the step, is zero.
    dense_order : int
        Order of the interpolant.
    """

    name: str
    order: int
    error_order: int
    A: Array
    B: Array
    b: Array
    lower: Array
    dense: Array
    dense_order: int
    second: None = None

    def __post_init__(self) -> None:
        """Check (2) and (3)."""
        diagonal = np.diag(self.B)
        if np.any(np.triu(self.A)) or np.any(np.triu(self.B, 1)) or np.ptp(diagonal):
            raise ValueError(f"{self.name}: not the table of a Rosenbrock method")
        self._check(self.b, self.order)
        self._check(self.lower, self.error_order)
        for theta in (0.3, 0.8, 1.0):
            powers = theta ** np.arange(1, self.dense.shape[1] + 1)
            self._check(self.dense[:-1] @ powers, self.dense_order, theta)
        left = 1 - self.b @ np.linalg.solve(self.A + self.B, np.ones(self.n_stage))
        if abs(left) > 1e-12:
            raise ValueError(f"{self.name}: a long step leaves {left} of stiff motions")

    @property
    def n_stage(self) -> int:
        """Number of stages."""
        return len(self.b)

    @property
    def gamma(self) -> float:
        """Diagonal of B."""
        return float(self.B[0, 0])

    @cached_property
    def whole(self) -> Array:
        """Matrix A with the state at the end of the step."""
        n = self.n_stage
        whole = np.zeros((n + 1, n + 1))
        whole[:n, :n], whole[n, :n] = self.A, self.b
        return whole

    def _check(self, b: Array, order: int, theta: float = 1.0) -> None:
        for tree in trees_up_to(order):
            n, density, phi = _sums(tree, self.A, self.B)
            miss = b @ phi - (0.0 if _has_w(tree) else theta**n / density)
            if abs(miss) > 1e-12:
                raise ValueError(f"{self.name}: order {order} fails at a tree of {n} nodes: {miss}")

    def packed(self) -> Array:
        """Coefficients in the order of the kernels: those of `explicit`, then the rows of B."""
        total, n = len(self.whole), self.n_stage
        flat = [self.whole.ravel()]
        for weights in (self.b, self.whole.sum(axis=1), self.b - self.lower, np.zeros(n)):
            padded = np.zeros(total)
            padded[: len(weights)] = weights
            flat.append(padded)
        return np.concatenate([*flat, self.dense.T.ravel(), self.B.ravel()])


@lru_cache
def trees_up_to(order: int) -> tuple[Tree, ...]:
    """All rooted trees of up to `order` nodes, with nodes of f and of W."""
    by_size: dict[int, list[Tree]] = {1: [LEAF]}
    for size in range(2, order + 1):
        smaller = [tree for trees in by_size.values() for tree in trees]
        of_size: list[Tree] = [(True, (tree,)) for tree in by_size[size - 1]]
        for count in range(1, size):
            for branches in combinations_with_replacement(smaller, count):
                if sum(map(_size, branches)) == size - 1:
                    of_size.append((False, branches))
        by_size[size] = of_size
    return tuple(tree for trees in by_size.values() for tree in trees)


def _size(tree: Tree) -> int:
    return 1 + sum(map(_size, tree[1]))


def _has_w(tree: Tree) -> bool:
    return tree[0] or any(map(_has_w, tree[1]))


def _sums(tree: Tree, A: Array, B: Array) -> tuple[int, float, Array]:
    """Nodes, density gamma and elementary weights Phi of a tree (2)."""
    nodes, density, phi = 1, 1.0, np.ones(len(A))
    for subtree in tree[1]:
        n, gamma, inner = _sums(subtree, A, B)
        nodes, density, phi = nodes + n, density * gamma, phi * ((B if tree[0] else A) @ inner)
    return nodes, density * nodes, phi


@lru_cache
def ros34pw2() -> RosenbrockTable:
    """Table of orders 3(2) for any W, four stages (J. Rang, L. Angermann, BIT 45, 2005)."""
    gamma = 0.4358665215084590
    A, B = np.zeros((4, 4)), gamma * np.eye(4)
    A[1, 0] = 0.87173304301691801
    A[2, :2] = 0.84457060015369423, -0.11299064236484185
    A[3, 2] = 1.0
    B[1, 0] = -0.87173304301691801
    B[2, :2] = -0.90338057013044082, 0.054180672388095326
    B[3, :3] = 0.24212380706095346, -1.2232505839045147, 0.54526025533510214
    b = np.array([0.24212380706095346, -1.2232505839045147, 1.5452602553351020, gamma])
    lower = np.array([0.37810903145819369, -0.096042292212423178, 0.5, 0.5 * gamma])
    return RosenbrockTable("ROS34PW2", 3, 2, A, B, b, lower, _interpolant(A, B, b), 2)


def _interpolant(A: Array, B: Array, b: Array) -> Array:
    """Interpolant of order 2: b(theta) = theta (1 - theta) p + theta^2 b.

    p is the shortest solution of the conditions sum p = 1, p . A 1 = 0, p . B 1 = 0.
    """
    one = np.ones(len(b))
    conditions = np.stack([one, A @ one, B @ one])
    p = np.linalg.lstsq(conditions, np.array([1.0, 0.0, 0.0]), rcond=None)[0]
    dense = np.zeros((len(b) + 1, 2))
    dense[:-1, 0], dense[:-1, 1] = p, b - p
    return dense
