"""Statics of solids with large displacements, by Newton's method on all freedoms.

Total Lagrangian, St. Venant and Kirchhoff's material; energy from the deformation gradient F,
E = (F^T F - 1) / 2, independent of the package but for its table of elements.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from lissom.structures.finite.solid.kinds import KINDS


class Solid:
    """Elements of one kind; displacements are (3 n,), node by node."""

    def __init__(self, mesh, material):
        self.positions, cells = np.asarray(mesh.points, float), mesh.cells[0]
        self._build(KINDS[cells.type], np.asarray(cells.data), material)

    @classmethod
    def of(cls, structure):
        """Solid of a structure of one block."""
        self, (own,) = cls.__new__(cls), structure.geometry.blocks
        self.positions = structure.positions
        self._build(own.kind, own.cells, own.material)
        return self

    def _build(self, kind, cells, material):
        points, weights = kind.rule("stiffness")
        dN = kind.functions(points)[1]
        J = np.einsum("qni,enk->eqki", dN, self.positions[cells])
        self.g = np.einsum("qni,eqij->eqnj", dN, np.linalg.inv(J))
        self.volumes, self.cells = np.linalg.det(J) * weights, cells
        E, nu = material.youngs_modulus, material.poisson_ratio
        self.lame = E * nu / (1 + nu) / (1 - 2 * nu), E / 2 / (1 + nu)

    def _state(self, u):
        """Deformation gradient, Green's strain and second Piola-Kirchhoff stress."""
        moved = u.reshape(-1, 3)[self.cells]
        F = np.eye(3) + np.einsum("enk,eqnj->eqkj", moved, self.g)
        E = (F.swapaxes(2, 3) @ F - np.eye(3)) / 2
        lam, mu = self.lame
        S = lam * np.trace(E, axis1=2, axis2=3)[..., None, None] * np.eye(3) + 2 * mu * E
        return F, E, S

    def energy(self, u):
        """Strain energy [J]."""
        _, E, S = self._state(u)
        return np.sum(self.volumes * np.sum(E * S, axis=(2, 3))) / 2

    def tangent(self, u):
        """Forces (3 n,) and their derivative (3 n, 3 n)."""
        F, _, S = self._state(u)
        lam, mu = self.lame
        n, size = self.cells.shape[1], len(u)
        f, K = np.zeros(size), np.zeros((size, size))
        B = np.einsum("eqki,eqnj->eqnkij", F, self.g)
        B = (B + B.swapaxes(4, 5)) / 2  # change of E by node n along k
        tr = np.trace(B, axis1=4, axis2=5)
        w = self.volumes
        forces = np.einsum("eq,eqnkij,eqij->enk", w, B, S)
        Ke = 2 * mu * np.einsum("eq,eqnkij,eqmlij->enkml", w, B, B, optimize=True)
        Ke += lam * np.einsum("eq,eqnk,eqml->enkml", w, tr, tr, optimize=True)
        of_stress = np.einsum("eq,eqni,eqij,eqmj->enm", w, self.g, S, self.g, optimize=True)
        Ke += of_stress[:, :, None, :, None] * np.eye(3)[:, None, :]
        rows = (3 * self.cells[:, :, None] + np.arange(3)).reshape(len(self.cells), 3 * n)
        np.add.at(f, rows, forces.reshape(rows.shape))
        np.add.at(K, (rows[:, :, None], rows[:, None]), Ke.reshape(len(rows), 3 * n, 3 * n))
        return f, K

    def tip(self, structure, tip, force):
        """Rotation vector and displacement of an interface under a dead force on it.

        The nodes at x = 0 are held.  Nodes of a rigid tip follow its rotation vector and place.
        """
        held = np.isclose(self.positions[:, 0], self.positions[:, 0].min())
        own = np.zeros(len(held), bool)
        own[tip.nodes] = True
        arms = self.positions[tip.nodes] - tip.position
        if tip.tie == "average":
            return self._spread(held, tip, arms, force)
        free = np.flatnonzero(np.repeat(~held & ~own, 3))
        rows = (3 * np.asarray(tip.nodes)[:, None] + np.arange(3)).ravel()
        u, w = np.zeros(structure.n_freedom), np.zeros(6)
        for _ in range(30):
            f, K = self.tangent(u)
            T = np.zeros((len(u), len(free) + 6))
            T[free, np.arange(len(free))] = 1.0
            T[rows, len(free) :] = _rigid(w, arms)
            right = T.T @ f
            right[-3:] -= force
            second = np.einsum("r,rab->ab", f[rows], _rigid_slope(w, arms))
            tangent = T.T @ K @ T
            tangent[-6:, -6:] += second
            step = np.linalg.solve(tangent, -right)
            u[free] += step[:-6]
            w += step[-6:]
            turned = Rotation.from_rotvec(w[:3]).apply(arms) - arms + w[3:]
            u[rows] = turned.ravel()
            if np.abs(step).max() < 1e-13:
                return w
        raise AssertionError("Newton's method did not converge")

    def _spread(self, held, tip, arms, force):
        weights = np.ones(len(tip.nodes)) if tip.weights is None else np.asarray(tip.weights)
        weights = weights / weights.sum()
        free = np.flatnonzero(np.repeat(~held, 3))
        u, load = np.zeros(3 * len(held)), np.zeros((len(held), 3))
        assert np.allclose(weights @ arms, 0)  # else a force turns the group
        load[tip.nodes] = np.outer(weights, force)
        for _ in range(30):
            f, K = self.tangent(u)
            right = load.ravel() - f
            step = np.linalg.solve(K[np.ix_(free, free)], right[free])
            u[free] += step
            if np.abs(step).max() < 1e-13:
                break
        moved = u.reshape(-1, 3)[tip.nodes]
        mean = weights @ moved
        turn, _ = Rotation.align_vectors(arms + moved - mean, arms, weights=weights)
        return np.concatenate([turn.as_rotvec(), mean])


def _rigid(w, arms, step=1e-20):
    """Motion of nodes on arms by changes of a rotation vector and a place, (3 n, 6)."""
    found = np.zeros((arms.size, 6))
    for k in range(3):
        t = w[:3].astype(complex)
        t[k] += 1j * step
        found[:, k] = (_turned(t, arms)).imag.ravel() / step
    found[:, 3:] = np.tile(np.eye(3), (len(arms), 1))
    return found


def _turned(t, arms):
    """Arms turned by a (complex) rotation vector, by the series."""
    term, total = arms.astype(complex), arms.astype(complex)
    for k in range(1, 25):
        term = np.cross(t, term) / k
        total = total + term
    return total


def _rigid_slope(w, arms, step=1e-6):
    """Derivative of `_rigid`, (3 n, 6, 6)."""
    found = np.zeros((arms.size, 6, 6))
    for k in range(3):
        d = np.eye(6)[k] * step
        found[:, :, k] = (_rigid(w + d, arms) - _rigid(w - d, arms)) / (2 * step)
    return found
