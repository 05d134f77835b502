"""Matrices of finite elements by textbook formulas, without lissom.

Beams: Przemieniecki, Theory of Matrix Structural Analysis (1968), stiffness (5.116) without shear
and consistent mass (11.23) without rotary inertia of bending.  Bricks: trilinear, 2 x 2 x 2 Gauss
points.  Freedoms of a node: translations, then rotations.
"""

from __future__ import annotations

import itertools

import numpy as np
import scipy.sparse as sp


def beam_element(L, EA, GJ, EIy, EIz, rhoA, rhoJ):
    """Stiffness and mass (12, 12) of a beam along x."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    bar, lump = np.array([[1, -1], [-1, 1]]), np.array([[2, 1], [1, 2]]) / 6
    for i, k, m in ((0, EA / L, rhoA * L), (3, GJ / L, rhoJ * L)):
        K[np.ix_([i, i + 6], [i, i + 6])] = k * bar
        M[np.ix_([i, i + 6], [i, i + 6])] = m * lump
    bend = np.array(
        [
            [12, 6 * L, -12, 6 * L],
            [6 * L, 4 * L**2, -6 * L, 2 * L**2],
            [-12, -6 * L, 12, -6 * L],
            [6 * L, 2 * L**2, -6 * L, 4 * L**2],
        ]
    )
    mass = np.array(
        [
            [156, 22 * L, 54, -13 * L],
            [22 * L, 4 * L**2, 13 * L, -3 * L**2],
            [54, 13 * L, 156, -22 * L],
            [-13 * L, -3 * L**2, -22 * L, 4 * L**2],
        ]
    )
    for rows, sign, EI in (((1, 5, 7, 11), 1, EIz), ((2, 4, 8, 10), -1, EIy)):
        turn = np.diag([1, sign, 1, sign])
        K[np.ix_(rows, rows)] = turn @ bend @ turn * EI / L**3
        M[np.ix_(rows, rows)] = turn @ mass @ turn * rhoA * L / 420
    return K, M


def frame_matrices(nodes, pairs, EA=7e6, GJ=2e3, EIy=3e3, EIz=5e3, rhoA=1.5, rhoJ=2e-3):
    """Dense stiffness and mass of beams between nodes."""
    nodes = np.asarray(nodes, float)
    K, M = (np.zeros((6 * len(nodes), 6 * len(nodes))) for _ in range(2))
    for a, b in pairs:
        x = nodes[b] - nodes[a]
        L = np.linalg.norm(x)
        x = x / L
        other = np.array([0, 0, 1.0]) if abs(x[2]) < 0.9 else np.array([0, 1.0, 0])
        y = np.cross(other, x)
        y /= np.linalg.norm(y)
        R = np.kron(np.eye(4), np.array([x, y, np.cross(x, y)]))
        rows = np.r_[6 * a : 6 * a + 6, 6 * b : 6 * b + 6]
        Ke, Me = beam_element(L, EA, GJ, EIy, EIz, rhoA, rhoJ)
        K[np.ix_(rows, rows)] += R.T @ Ke @ R
        M[np.ix_(rows, rows)] += R.T @ Me @ R
    return K, M


def straight(n, length=2.0, **properties):
    """Nodes, stiffness and mass of a straight beam of n elements along x."""
    nodes = np.zeros((n + 1, 3))
    nodes[:, 0] = np.linspace(0, length, n + 1)
    return nodes, *frame_matrices(nodes, [(k, k + 1) for k in range(n)], **properties)


def bricks(counts, size, E=70e9, nu=0.3, rho=2700.0):
    """Nodes, stiffness, mass (sparse) and Gauss points (masses, positions, map) of a block."""
    h = np.array(size) / counts
    lam, mu = E * nu / (1 + nu) / (1 - 2 * nu), E / 2 / (1 + nu)
    C = np.diag([2 * mu] * 3 + [mu] * 3)
    C[:3, :3] += lam
    corners = np.array(list(itertools.product((0, 1), repeat=3)))
    side = 2 * corners - 1
    Ke, Me, values = np.zeros((24, 24)), np.zeros((8, 8)), []
    w = np.prod(h) / 8
    for xi in side / np.sqrt(3):
        one = 1 + side * xi
        N = one.prod(axis=1) / 8
        slopes = np.stack([side[:, k] * np.delete(one, k, 1).prod(axis=1) for k in range(3)], 1)
        B = np.zeros((6, 24))
        for n, (x, y, z) in enumerate(slopes / 8 * 2 / h):
            B[:, 3 * n : 3 * n + 3] = [
                [x, 0, 0],
                [0, y, 0],
                [0, 0, z],
                [0, z, y],
                [z, 0, x],
                [y, x, 0],
            ]
        Ke += w * B.T @ C @ B
        Me += w * rho * np.outer(N, N)
        values.append(N)
    grid = np.array(list(itertools.product(*(range(n + 1) for n in counts))))
    number = np.arange(len(grid)).reshape([n + 1 for n in counts])
    cells = np.array(
        [
            [number[tuple(np.add(first, c))] for c in corners]
            for first in itertools.product(*map(range, counts))
        ]
    )
    nodes = grid * h
    rows = (3 * cells[:, :, None] + np.arange(3)).reshape(len(cells), 24)
    place = (np.repeat(rows, 24, 1).ravel(), np.tile(rows, (1, 24)).ravel())
    n = 3 * len(nodes)
    K, M = (
        sp.csr_array((np.tile(A.ravel(), len(cells)), place), (n, n))
        for A in (Ke, np.kron(Me, np.eye(3)))
    )
    spread = sp.csr_array(
        (
            np.tile(np.ravel(values), len(cells)),
            (
                np.repeat(np.arange(8 * len(cells)), 8),
                np.repeat(cells, 8, 0).ravel(),
            ),
        ),
        (8 * len(cells), len(nodes)),
    )
    return nodes, K, M, (np.full(8 * len(cells), w * rho), spread @ nodes, spread)


def rigid(nodes, freedoms, about):
    """Rigid motions (N, 6), rotation first, of freedoms (node, direction; rotations 0 to 2)."""
    R = np.zeros((len(freedoms), 6))
    for i, (node, d) in enumerate(freedoms):
        if d < 3:
            R[i, d] = 1
        else:
            R[i, d] = 1
            r = nodes[node] - about
            R[i, :3] = np.cross(np.eye(3), r)[:, d - 3]
    return R


def rigid_motion(structure):
    found = np.zeros((structure.n_freedom, 6))
    for row, (node, direction) in enumerate(structure.freedoms):
        found[row, direction] = 1.0
        if direction > 2:
            r = structure.positions[node]
            for k, axis in enumerate(np.eye(3)):
                found[row, k] = np.cross(axis, r)[direction - 3]
    return found
