"""The ruthlessly linearised chain of Jain & Rodriguez 1992, appendix B, in plain NumPy.

Equations and numbers are the paper's, in its coordinate-free form in world axes; bodies count from
the base.  Modes are zero at the inboard node, hinges turn about one axis.  Nothing of lissom is
imported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag, expm


def tilde(a):
    """Matrix of the cross product."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def phi(arm):
    """(A 6)."""
    return np.block([[np.eye(3), tilde(arm)], [np.zeros((3, 3)), np.eye(3)]])


def turned(R, x):
    """Both halves of spatial vectors turned."""
    return np.kron(np.eye(2), R) @ x


def left_jacobian(theta, terms=30):
    """Rates of a rotation vector to the angular velocity: the sum of theta~^k / (k + 1)!."""
    total, term = np.zeros((3, 3)), np.eye(3)
    for k in range(terms):
        total, term = total + term, term @ tilde(theta) / (k + 2)
    return total


@dataclass(frozen=True)
class Link:
    """Nodes of a link, body axes from its inboard node; the next one sits `at` on node `tip`."""

    axis: np.ndarray
    positions: np.ndarray
    masses: np.ndarray
    shapes: np.ndarray  # (n, 6, m)
    stiffness: np.ndarray
    at: np.ndarray
    tip: int = -1

    @property
    def n_mode(self) -> int:
        return self.shapes.shape[2]


class Chain:
    """The chain at one state; modes, angles and their rates from the base outwards."""

    def __init__(self, links, gravity, etas, angles, eta_dots, rates):
        self.links, self.etas = links, etas
        self.Phi, self.H, self.a, self.M, self.b = [], [], [], [], []
        R, V_m = np.eye(3), None
        for k, link in enumerate(links):
            V, a = np.zeros(6), np.concatenate([np.zeros(3), -np.asarray(gravity)])
            if k:
                inner, spin = links[k - 1], V_m[-6:-3]
                place, shape = inner.positions[inner.tip], inner.shapes[inner.tip]
                theta = shape[:3] @ etas[k - 1]
                Pi = turned(R, np.concatenate([left_jacobian(theta) @ shape[:3], shape[3:]]))
                arm = R @ (place + shape[3:] @ etas[k - 1])
                undeformed, R = R @ place, R @ expm(tilde(theta))
                r = R @ inner.at
                step = np.concatenate([Pi.T @ phi(r), phi(arm + r)])
                self.Phi.append(np.pad(step, ((0, 0), (link.n_mode, 0))))  # (A 12)
                V = step.T @ V_m  # (A 5), (A 7)
                # (A 25) of the undeformed body: its rate, and its place of the node
                turn = np.cross(spin, R @ link.axis * rates[k])
                a = np.concatenate([turn, np.cross(spin, np.cross(spin, undeformed + r))])
            axis = np.concatenate([R @ link.axis, np.zeros(3)])
            R = R @ expm(tilde(link.axis) * angles[k])
            V_m = np.concatenate([eta_dots[k], V + axis * rates[k]])  # (A 8), (A 11)
            self.H.append(block_diag(np.eye(link.n_mode), axis))
            self.a.append(np.concatenate([np.zeros(link.n_mode), a]))
            self._body(link, R, V_m[-6:-3])

    def _body(self, link, R, spin):
        """M_m (A 23) and b_m (A 37) of the undeformed body."""
        M, b = 0.0, 0.0
        for mass, place, shape in zip(link.masses, link.positions, link.shapes, strict=True):
            at = R @ place
            to_node = np.concatenate([R @ shape[3:], -tilde(at), np.eye(3)], axis=1)
            M = M + mass * to_node.T @ to_node
            b = b + mass * to_node.T @ np.cross(spin, np.cross(spin, at))
        self.M.append(M)
        self.b.append(b)

    def inverse(self, accelerations):
        """Generalized forces (A 44)."""
        alpha, f, found = [], 0.0, []
        for k in range(len(self.links)):
            inboard = self.Phi[k - 1].T @ alpha[k - 1] if k else 0.0
            alpha.append(inboard + self.H[k].T @ accelerations[k] + self.a[k])
        for k in reversed(range(len(self.links))):
            elastic = np.pad(self.links[k].stiffness @ self.etas[k], (0, 6))
            f = f + self.M[k] @ alpha[k] + self.b[k] + elastic
            found.append(self.H[k] @ f)
            f = self.Phi[k - 1] @ f if k else f
        return np.concatenate(found[::-1])


def forward(links, gravity, etas, angles, eta_dots, rates, forces):
    """Accelerations [eta_ddot, theta_ddot] body by body, by (A 42) solved as a dense system."""
    chain = Chain(links, gravity, etas, angles, eta_dots, rates)
    sizes = np.cumsum([link.n_mode + 1 for link in links])[:-1]

    def inverse(x):
        return chain.inverse(np.split(x, sizes))

    bias = inverse(np.zeros(len(forces)))
    M = np.stack([inverse(e) - bias for e in np.eye(len(forces))], axis=1)
    return np.linalg.solve(M, forces - bias)
