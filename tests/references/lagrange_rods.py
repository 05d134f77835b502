"""Lagrange's equations of trees with rods, by automatic differentiation of poses and energies.

The poses of a rod's sections are written down once more: strains as polynomials through their
values at the Radau points, moments by quadrature, the Magnus expansion of sixth order, and sums for
the positions.  Mass, inertia and strain functions come from the body; nothing else does.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.polynomial import Polynomial
from scipy.special import roots_jacobi

import lissom as ls
from tests.references.lagrange_stiffened import Lagrange, Result, Tree, compared, grown
from tests.samples.flexible_arms import flexible_body

SOFT = ls.Material("soft", youngs_modulus=2e6, density=1000.0)


def radau_points(n):
    """Right Radau points of (0, 1]: zeros of a Jacobi polynomial, and 1."""
    return np.append((roots_jacobi(n - 1, 1, 0)[0] + 1) / 2, 1.0)


class Map:
    """Strain fields of a rod, and the integrals that its poses need."""

    def __init__(self, tables) -> None:
        self.tables, n = tables, len(tables.masses)
        self.points = radau_points(n) * tables.length

    @cached_property
    def fields(self):
        """Polynomials in s of the strain of each coordinate."""
        return [self._polynomial(values) for values in self.tables.functions.T]

    @cached_property
    def natural(self):
        """Polynomials of the natural curvature."""
        return [self._polynomial(values) for values in self.tables.natural.T]

    def _polynomial(self, values):
        return Polynomial.fit(self.points, values, len(values) - 1, domain=[0, self.tables.length])

    def moments(self, polynomial, a, b):
        """Moments B_0, B_1, B_2 over a piece."""
        x, w = np.polynomial.legendre.leggauss(16)
        values = polynomial(a + (b - a) * (x + 1) / 2) * w * (b - a) / 2
        return np.array([np.sum(values * (x / 2) ** k) for k in range(3)])

    def weights(self, s):
        """Weights of the stations in an integral from the root to s."""
        rows = np.eye(len(self.points))
        return np.array([self._polynomial(row).integ(lbnd=0)(s) for row in rows])


class RodLagrange(Lagrange):
    """Forces of given accelerations of a tree that may have rods."""

    def __init__(self, tree: Tree) -> None:
        rods = enumerate(body.rod for body in tree.system.bodies)
        self.maps = {i: Map(rod) for i, rod in rods if rod is not None}
        self.turns: dict[int, list] = {}
        super().__init__(tree)

    def _piece(self, i, a, b):
        """Rotation over the piece from a to b of rod i."""
        ca, of = self.ca, self.maps[i]
        eta = self.q[self.system.layout.modal_q(i)]
        B = [ca.SX(ca.DM([of.moments(p, a, b)[k] for p in of.natural])) for k in range(3)]
        for c, (component, field) in enumerate(zip(of.tables.strains, of.fields, strict=True)):
            if component < 3:
                moments = of.moments(field, a, b)
                for k in range(3):
                    B[k][int(component)] += moments[k] * eta[c]
        a1, a2, a3 = 0.75 * (3 * B[0] - 20 * B[2]), 12 * B[1], 15 * (12 * B[2] - B[0])
        C1 = ca.cross(a2, a1)
        C2 = ca.cross(a1, 2 * a3 + C1) / 60
        psi = a1 + a3 / 12 + ca.cross(a2 + C2, C1 - 20 * a1 - a3) / 240
        angle = ca.norm_2(psi + 1e-200)
        return self._turned(psi / angle, angle)

    def _stations(self, i):
        """Attitudes and tangents of the stations of rod i, root axes."""
        if i in self.turns:
            return self.turns[i]
        ca, of, R, found = self.ca, self.maps[i], self.ca.SX.eye(3), []
        eta, ends = self.q[self.system.layout.modal_q(i)], [0.0, *of.points]
        for k, (a, b) in enumerate(pairwise(ends)):
            R, strain = R @ self._piece(i, a, b), ca.SX([1, 0, 0])
            for c, component in enumerate(of.tables.strains):
                if component >= 3:
                    strain[int(component) - 3] += of.tables.functions[k, c] * eta[c]
            found.append((R, R @ strain))
        self.turns[i] = found
        return found

    def _section(self, i, s):
        """Pose of the section at s of rod i, in the world."""
        of, (R, r) = self.maps[i], self.poses[i]
        stations, k = self._stations(i), int(np.searchsorted(of.points, s * (1 + 1e-12)))
        turn = stations[k - 1][0] if k else self.ca.SX.eye(3)
        start = of.points[k - 1] if k else 0.0
        if s - start > 1e-12:
            turn = turn @ self._piece(i, start, s)
        place = sum(w * u for w, (_, u) in zip(of.weights(s), stations, strict=True))
        return R @ turn, r + R @ place

    def _node(self, i, node):
        if i not in self.maps:
            return super()._node(i, node)
        return self._section(i, self.maps[i].tables.places[node])

    def _add_body(self, i) -> None:
        if i not in self.maps:
            super()._add_body(i)
            return
        ca, of, body = self.ca, self.maps[i].tables, self.system.bodies[i]
        for s, mass, inertia in zip(self.maps[i].points, of.masses, of.inertias, strict=True):
            J = ca.SX(ca.DM(np.diag(inertia)))
            self._add_rigid(*self._section(i, s), mass, ca.DM.zeros(3), J)
        eta = self.q[self.system.layout.modal_q(i)]
        self.energy -= ca.dot(ca.DM(body.stiffness) * eta, eta) / 2


def random_rod(rng, small=False):
    """A rod with any functions, natural curvature and taper."""
    most = 2 if small else 3
    functions = [int(n) for n in rng.integers(0, most, 6)]
    functions[int(rng.integers(3))] += 1
    section = ls.Rectangle(0.05, 0.04)
    if rng.random() < 0.3:
        section = (ls.Rectangle(0.05, 0.04), ls.Rectangle(0.03, 0.02))
    curvature = 0.5 * rng.standard_normal(3) * (rng.random() < 0.5)
    return ls.rod(
        1.3, section, SOFT, bending=functions[:2], torsion=functions[2], stretch=functions[3],
        shear=functions[4:], curvature=curvature, damping=0.0, nodes={"inside": 0.7},
    )  # fmt: skip


def random_tree(seed: int) -> Tree:
    """A tree of two to four bodies, the first of them a rod."""
    rng = np.random.default_rng([seed, 11])
    gravity = rng.standard_normal(3)
    bodies = [random_rod(rng, small=True)]
    for _ in range(rng.integers(1, 4)):
        kind = rng.random()
        if kind < 0.5:
            bodies.append(random_rod(rng))
        elif kind < 0.8:
            bodies.append(flexible_body(int(rng.integers(1000)), n_mode=2, lumps=kind < 0.65))
        else:
            bodies.append(ls.RigidBody(2.0, 0.2 * rng.standard_normal(3), (0.2, 0.3, 0.25)))
    return grown(bodies, gravity, rng)


def random_motion(system: ls.System, rng):
    """Coordinates, speeds and accelerations; rods bend by about a radian."""
    q, v, a = rng.uniform(-1, 1, (3, system.n_v))
    for i, body in enumerate(system.bodies):
        modes = system.layout.modal_v(i)
        if body.n_mode:
            most = np.abs(body.node_shapes).max(axis=(0, 1)) * np.sqrt(
                body.stiffness / body.stiffness.min()
            )
            size = 1.0 if body.rod is not None else 0.1
            q[modes] *= size / most
            v[modes] *= size / most
            a[modes] *= 1.0 / most
    return q, v, a


def check_seed(seed: int) -> Result:
    """Inverse dynamics of a random tree against Lagrange's equations, at two states."""
    return compared(seed, RodLagrange(random_tree(seed)), random_motion, "Lagrange, rods")
