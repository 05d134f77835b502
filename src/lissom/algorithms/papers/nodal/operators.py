"""Spatial operators of trees in nodal coordinates as dense matrices, for small systems and tests.

Source: Rodriguez, N91-22350, sections 4 to 8.  Speeds are ordered as in the paper, the nodal
freedoms of all bodies and then the joints of all bodies; bodies are numbered base to tip, so that
causal parts (tip to base) are above the diagonal, and below it in the paper.

Departures from the source
  - Trees: C has a block C(parent, k) for every body; phi(k+1, k) = B(k+1) C(k+1, k) includes the
    change of axes, and Phi = (I - B C)^-1.
  - Section 7: R(k) = B(k) r(k) B^T(k), and the inner loop is x(i) = C(i, i-1) B(i-1) x(i-1).
  - (8.1): the lower right block of K is H (Phi - I) G.
  - (8.3): Psi(k, k) = I, and the upper right block of L is h C G + h C~ psi G.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....spatial import block_diagonal
from ....system import GROUND
from .dynamics import NodalGains, nodal_gains_tip_to_base
from .tree import NodalTree

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class NodalOperators:
    """Stacked operators; sizes: bodies N, nodes n, nodal freedoms f, hinge freedoms r, all summed.

    Attributes
    ----------
    m : array (6 n, 6 n)
        Mass matrices of the bodies.
    h : array (f, 6 n)
        Forces on the nodes -> forces on the nodal freedoms.
    B : array (6 N, 6 n)
        Forces on the nodes -> forces at the bodies' frames.
    C : array (6 n, 6 N)
        Forces at the bodies' frames -> forces on the nodes of the parents.
    H : array (r, 6 N)
        Forces at the bodies' frames -> forces of the joints.
    g, d, G, D : arrays (6 n, f), (f, f), (6 N, r), (r, r)
        Gains and inertias of the Riccati equation (8.2).
    """

    m: Array
    h: Array
    B: Array
    C: Array
    H: Array
    g: Array
    d: Array
    G: Array
    D: Array

    @property
    def Phi(self) -> Array:
        """Propagation of forces inward, (6 N, 6 N): Phi = (I - B C)^-1."""
        return _inverse_of_one_minus(self.B @ self.C)

    @property
    def X(self) -> Array:
        """Forces on the nodes -> generalized forces of each body, (f + r, 6 n) (4.5)."""
        return np.concatenate([self.h, self.H @ self.B])

    @property
    def mass(self) -> Array:
        """System mass matrix, (f + r, f + r): X (I + C Phi B) m (I + B* Phi* C*) X* (5.1)."""
        inward = self.X @ (np.eye(len(self.m)) + self.C @ self.Phi @ self.B)
        return inward @ self.m @ inward.T

    @property
    def r(self) -> Array:
        """Composite mass r of the nodes, (6 n, 6 n): r = m + C R C*, R = B r B* (7.2)."""
        r = self.m
        step = self.C @ self.B  # nilpotent: at most one power per body along a branch
        while np.any(step):
            r, step = r + step @ r @ step.T, step @ step
        return r

    @property
    def mass_composite(self) -> Array:
        """System mass matrix by composite bodies: X (r + C Phi B r + r B* Phi* C*) X* (7.1)."""
        inward = self.C @ self.Phi @ self.B @ self.r
        return self.X @ (self.r + inward + inward.T) @ self.X.T

    @property
    def causal(self) -> Array:
        """Causal factor K with mass = (I + K) D (I + K*), (f + r, f + r) (8.1)."""
        Phi, inward = self.Phi, self.h @ self.C @ self.Phi
        return np.block(
            [
                [inward @ self.B @ self.g, inward @ self.G],
                [self.H @ Phi @ self.B @ self.g, self.H @ (Phi - np.eye(len(Phi))) @ self.G],
            ]
        )

    @property
    def diagonal(self) -> Array:
        """Block-diagonal inertias d and D, (f + r, f + r) (8.1)."""
        return block_diagonal(self.d, self.D)

    @property
    def causal_inverse(self) -> Array:
        """Matrix L with (I + K)^-1 = I - L, (f + r, f + r) (8.3).

        B~ = B (I - g h),  C~ = C (I - G H),  Psi = (I - B~ C~)^-1,  psi = Psi B~ C
        """
        h, H, g, G = self.h, self.H, self.g, self.G
        B_tilde = self.B @ (np.eye(len(self.m)) - g @ h)
        C_tilde = self.C @ (np.eye(H.shape[1]) - G @ H)
        Psi = _inverse_of_one_minus(B_tilde @ C_tilde)
        psi = Psi @ B_tilde @ self.C
        return np.block(
            [
                [h @ C_tilde @ Psi @ self.B @ g, h @ self.C @ G + h @ C_tilde @ psi @ G],
                [H @ Psi @ self.B @ g, H @ psi @ G],
            ]
        )

    @property
    def mass_inverse(self) -> Array:
        """Inverse of the mass matrix: (I - L*) D^-1 (I - L) (8.4)."""
        filtered = np.eye(len(self.diagonal)) - self.causal_inverse
        return filtered.T @ np.linalg.solve(self.diagonal, filtered)


def nodal_operators(tree: NodalTree, gains: Sequence[NodalGains] | None = None) -> NodalOperators:
    """Dense operators of a tree.  O(N^2) memory, for small systems.

    Parameters
    ----------
    tree : NodalTree
        From `nodal_tree`.
    gains : sequence of NodalGains, optional
        From `nodal_gains_tip_to_base`; by default they are computed.

    Returns
    -------
    NodalOperators
    """
    gains = nodal_gains_tip_to_base(tree) if gains is None else gains
    links = tree.links
    return NodalOperators(
        m=block_diagonal(*(link.mass for link in links)),
        h=block_diagonal(*(link.freedoms.T for link in links)),
        B=block_diagonal(*(link.shift for link in links)),
        C=np.block(
            [[_attachment(tree, i, k) for k in range(len(links))] for i in range(len(links))]
        ),
        H=block_diagonal(*(link.motion_map.T for link in links)),
        g=block_diagonal(*(own.nodal_gain for own in gains)),
        d=block_diagonal(*(own.freedom_inertia for own in gains)),
        G=block_diagonal(*(own.hinge_gain for own in gains)),
        D=block_diagonal(*(own.hinge_inertia for own in gains)),
    )


def composite_mass_matrix(tree: NodalTree) -> Array:
    """System mass matrix by the inward recursion of section 7, in the order of `NodalOperators`.

    r(k) = m(k) + sum over children C R C^T,     R(k) = B(k) r(k) B^T(k)
    M(k, k) = X(k) r(k) X^T(k),                  x(k) = r(k) X^T(k)
    inward:  x(i) = C(i, c) B(c) x(c),           M(i, k) = X(i) x(i)
    """
    links = tree.links
    X = [np.concatenate([link.freedoms.T, link.motion_map.T @ link.shift]) for link in links]
    R: dict[int, Array] = {}
    blocks = {(i, k): np.zeros((len(a), len(b))) for i, a in enumerate(X) for k, b in enumerate(X)}
    for k in reversed(range(tree.n_body)):
        r = links[k].mass
        for c in tree.children[k]:
            r = r + links[c].attachment @ R[c] @ links[c].attachment.T
        R[k] = links[k].shift @ r @ links[k].shift.T
        x, i = r @ X[k].T, k
        while i != GROUND:
            blocks[i, k], blocks[k, i] = X[i] @ x, (X[i] @ x).T
            x, i = links[i].attachment @ (links[i].shift @ x), links[i].parent
    by_body = np.block([[blocks[i, k] for k in range(len(X))] for i in range(len(X))])
    nodal = np.concatenate(
        [np.arange(len(a)) < link.freedoms.shape[1] for a, link in zip(X, links, strict=True)]
    )
    order = np.concatenate([np.flatnonzero(nodal), np.flatnonzero(~nodal)])
    return by_body[np.ix_(order, order)]


def _attachment(tree: NodalTree, i: int, k: int) -> Array:
    """Block C(i, k); zero unless body i carries body k."""
    if tree.links[k].parent == i:
        return tree.links[k].attachment
    return np.zeros((len(tree.links[i].mass), 6))


def _inverse_of_one_minus(step: Array) -> Array:
    """Inverse (I - E)^-1 for a nilpotent E."""
    eye = np.eye(len(step))
    return np.linalg.solve(eye - step, eye)
