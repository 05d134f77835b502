"""Lagrange's equations of trees with bodies at level "stiffened", by automatic differentiation.

Only poses and energies are written down; CasADi differentiates.  The kinetic energy of a body is
that of its particles with positions of first order, plus what the second order adds to its first
moment, its second moment and the coupling of modes and rigid motion, as far as the level keeps it;
lumps are rigid bodies at their nodes.  Joints are turns and slides along axes, so that speeds are
rates of coordinates.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import lissom as ls
from tests.references.peers import peer
from tests.samples.flexible_arms import flexible_body

MATERIAL = ls.Material("soft", youngs_modulus=2e6, density=1000.0)
SECTION = ls.Rectangle(0.05, 0.04)
TOLERANCE = 1e-9
XYZ = range(3)


@dataclass(frozen=True)
class Tree:
    """A system, and the motions of each joint: ("turn" or "slide", axis, coordinate)."""

    system: ls.System
    motions: list[list[tuple[str, np.ndarray, int]]]


def random_joint(rng):
    """A joint and its motions."""
    a, b = rng.standard_normal((2, 3))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    b = np.cross(a, b) / np.linalg.norm(np.cross(a, b))
    turn, slide = ("turn", a, 0), ("slide", a, 0)
    return [
        (ls.Revolute(a), [turn]),
        (ls.Prismatic(a), [slide]),
        (ls.Cylindrical(a), [turn, ("slide", a, 1)]),
        (ls.Screw(a, 0.2), [turn, ("slide", 0.2 * a, 0)]),
        (ls.Universal(a, b), [turn, ("turn", b, 1)]),
        (ls.Fixed(), []),
    ][rng.integers(6)]


def random_body(rng):
    """A stiffened beam mostly, else any body."""
    kind, seed = rng.random(), int(rng.integers(1000))
    if kind < 0.5:
        functions = [int(n) for n in rng.integers(0, 3, 4)]
        functions[int(rng.integers(4))] += 1
        asked = {"bending": functions[:2], "torsion": functions[2], "stretch": functions[3]}
        return ls.beam(1.3, SECTION, MATERIAL, **asked, damping=0.0, level="stiffened")
    if kind < 0.7:
        return flexible_body(seed, n_mode=2, lumps=kind < 0.6, level="stiffened")
    if kind < 0.8:
        return flexible_body(seed, n_mode=2, lumps=kind < 0.75)
    spread = 0.2 * rng.standard_normal((3, 3))
    L = spread @ spread.T + 0.01 * np.eye(3)
    return ls.RigidBody(2.0, 0.2 * rng.standard_normal(3), 2 * (np.trace(L) * np.eye(3) - L))


def random_tree(seed: int) -> Tree:
    """A tree of two to four bodies, the first of them stiffened."""
    rng = np.random.default_rng([seed, 7])
    gravity = rng.standard_normal(3)
    bodies = [ls.beam(1.3, SECTION, MATERIAL, bending=1, damping=0.0, level="stiffened")]
    bodies += [random_body(rng) for _ in range(rng.integers(1, 4))]
    return grown(bodies, gravity, rng)


def grown(bodies, gravity, rng) -> Tree:
    """A tree of bodies, each on a random joint at a random place of one before it."""
    model, motions = ls.Model("tree", gravity=gravity), {}
    for i, body in enumerate(bodies):
        joint, motions[f"b{i}"] = random_joint(rng)
        place = {"at": 0.3 * rng.standard_normal(3)}
        if i:
            p = int(rng.integers(i))
            place["to"] = f"b{p}"
            if not isinstance(bodies[p], ls.RigidBody):
                place["node"] = int(rng.integers(len(bodies[p].positions)))
        model.add(body, joint, name=f"b{i}", **place)
    system = model.compile()
    return Tree(system, [motions[name] for name in system.names])


def random_motion(system: ls.System, rng):
    """Coordinates, speeds and accelerations; deflections up to about a tenth of the length."""
    q, v, a = rng.uniform(-1, 1, (3, system.n_v))
    for i, body in enumerate(system.bodies):
        modes = system.layout.modal_v(i)
        if body.n_mode:
            most = np.abs(body.node_shapes).max(axis=(0, 1)) * np.sqrt(
                body.stiffness / body.stiffness[0]
            )
            q[modes] *= 0.1 / most
            v[modes] *= 0.3 / most
            a[modes] *= 1.0 / most
    return q, v, a


class Lagrange:
    """Forces of given accelerations: d/dt dL/dv - dL/dq."""

    def __init__(self, tree: Tree) -> None:
        self.ca = ca = peer("casadi")
        self.system, n = tree.system, tree.system.n_v
        self.q, self.v, a = (ca.SX.sym(name, n) for name in "qva")
        self.energy, self.poses = 0.0, []
        for i, motions in enumerate(tree.motions):
            self.poses.append(self._pose(i, motions))
            self._add_body(i)
        p = ca.gradient(self.energy, self.v)
        force = ca.jacobian(p, self.q) @ self.v + ca.jacobian(p, self.v) @ a
        force -= ca.gradient(self.energy, self.q)
        self.function = ca.Function("forces", [self.q, self.v, a], [force])

    def forces(self, q, v, a) -> np.ndarray:
        """At a state."""
        return np.array(self.function(q, v, a)).ravel()

    def _turned(self, axis, angle):
        S = self.ca.skew(axis)
        return self.ca.SX.eye(3) + self.ca.sin(angle) * S + (1 - self.ca.cos(angle)) * S @ S

    def _forms(self, T, x, y):
        """Bilinear forms of an array (..., m, m) as a column or a matrix."""
        ca = self.ca
        if T.ndim == 4:
            return ca.horzcat(*(self._forms(T[:, k], x, y) for k in XYZ))
        return ca.vertcat(*(ca.bilin(ca.SX(ca.DM(t)), x, y) for t in T))

    def _node(self, i, node):
        """Pose of a node of body i."""
        ca, body, (R, r) = self.ca, self.system.bodies[i], self.poses[i]
        if node == body.inboard:
            return R, r
        eta = self.q[self.system.layout.modal_q(i)]
        moved = ca.DM(body.node_shapes[node]) @ eta
        if body.second_order is not None:
            moved += self._forms(body.second_order.node_shapes[node], eta, eta) / 2
        angle = ca.norm_2(moved[:3] + 1e-200)
        place = r + R @ (ca.DM(body.node_positions[node]) + moved[3:])
        return R @ self._turned(moved[:3] / angle, angle), place

    def _pose(self, i, motions):
        ca, system = self.ca, self.system
        R, r = ca.SX.eye(3), ca.SX.zeros(3)
        if system.parent[i] >= 0:
            R, r = self._node(int(system.parent[i]), int(system.parent_node[i]))
        r = r + R @ ca.DM(system.frame_position[i])
        R = R @ ca.DM(system.frame_rotation[i])
        hinge = self.q[system.layout.hinge_q(i)]
        for kind, axis, k in motions:
            if kind == "turn":
                R = R @ self._turned(ca.DM(axis), hinge[k])
            else:
                r = r + R @ ca.DM(axis) * hinge[k]
        return R, r

    def _twist(self, R, r):
        """Angular and linear velocity in the frame's own axes."""
        ca = self.ca
        rate = ca.reshape(ca.jacobian(ca.vec(R), self.q) @ self.v, 3, 3)
        return ca.inv_skew(R.T @ rate), R.T @ ca.jacobian(r, self.q) @ self.v

    def _add_rigid(self, R, r, mass, p, J, spin=(0, 0, 0), sway=(0, 0, 0)) -> None:
        """Energy of a mass with first moment p and inertia J, and of its motion in the frame."""
        ca, (w, u) = self.ca, self._twist(R, r)
        self.energy += ca.bilin(J, w, w) / 2 + mass * ca.dot(u, u) / 2
        self.energy += ca.dot(u, ca.cross(w, p)) + w.T @ ca.SX(spin) + u.T @ ca.SX(sway)
        self.energy += ca.dot(ca.DM(self.system.gravity), mass * r + R @ p)

    def _add_body(self, i) -> None:
        ca, body, (R, r) = self.ca, self.system.bodies[i], self.poses[i]
        of, second = body.integrals, body.second_order
        p, L = ca.SX(ca.DM(of.first_moment)), ca.SX(ca.DM(of.second_moment))
        spin, sway = ca.SX.zeros(3), ca.SX.zeros(3)
        if body.n_mode:
            eta = self.q[self.system.layout.modal_q(i)]
            rate = self.v[self.system.layout.modal_v(i)]
            s, g, N = of.modal_first_moment, of.modal_second_moment, of.modal_products
            G = ca.horzcat(*(ca.DM(g[:, k]) @ eta for k in XYZ))
            Q = ca.horzcat(*(ca.DM(g[:, k]) @ rate for k in XYZ)) + self._forms(N, eta, rate)
            p, sway = p + ca.DM(s) @ eta, ca.DM(s) @ rate
            L += G + G.T + self._forms(N, eta, eta)
            if second is not None:
                sigma, Z = second.first_moment, second.second_moment
                half = self._forms(Z, eta, eta) / 2
                p, L = p + self._forms(sigma, eta, eta) / 2, L + half + half.T
                sway, Q = sway + self._forms(sigma, eta, rate), Q + self._forms(Z, eta, rate)
            spin = ca.vertcat(Q[1, 2] - Q[2, 1], Q[2, 0] - Q[0, 2], Q[0, 1] - Q[1, 0])
            modal = N[0, 0] + N[1, 1] + N[2, 2] if body.lumps else np.eye(body.n_mode)
            self.energy += ca.bilin(ca.SX(ca.DM(modal)), rate, rate) / 2
            self.energy -= ca.dot(ca.DM(body.stiffness) * eta, eta) / 2
        self._add_rigid(R, r, of.mass, p, ca.trace(L) * ca.SX.eye(3) - L, spin, sway)
        for lump in body.lumps:
            pose, p = self._node(i, lump.node), lump.mass * lump.offset
            self._add_rigid(*pose, lump.mass, ca.DM(p), ca.SX(ca.DM(lump.inertia)))


@dataclass
class Result:
    """Of one seed, as `tally_seeds` reads it."""

    failures: list[str]
    errors: dict[str, float]
    coverage: Counter = field(default_factory=Counter)


def check_seed(seed: int) -> Result:
    """Inverse dynamics of a random tree against Lagrange's equations, at two states."""
    return compared(seed, Lagrange(random_tree(seed)), random_motion, "Lagrange, stiffened")


def compared(seed: int, oracle: Lagrange, motion, what: str) -> Result:
    """Inverse dynamics against an oracle in two random motions of its system."""
    system, rng, worst = oracle.system, np.random.default_rng(seed), 0.0
    for _ in range(2):
        q, v, a = motion(system, rng)
        expected = oracle.forces(q, v, a)
        found = ls.inverse_dynamics(system, system.state(q, v), a)
        sizes = np.abs(expected).max(initial=1e-300)
        worst = max(worst, float(np.abs(found - expected).max(initial=0.0) / sizes))
    line = f"seed {seed}: forces differ from Lagrange's by {worst:.1e} of the largest"
    return Result([] if worst <= TOLERANCE else [line], {what: worst})
