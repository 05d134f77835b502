"""Finite-element bodies and trees of them that the tests of nodal coordinates share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

import lissom as ls
from lissom.bodies.nodal import NodalBody
from lissom.spatial import rigid_shift
from tests.tools.measures import random_unit

KINDS = ("lumps", "points", "consistent")


@dataclass(frozen=True)
class Bar:
    """Uniform prismatic beam; bending in two planes, torsion and stretch."""

    length: float = 2.0
    area: float = 3e-4
    Iy: float = 4e-9
    Iz: float = 1.1e-8
    J: float = 9e-9
    E: float = 7e10
    G: float = 2.7e10
    density: float = 2700.0

    @property
    def polar(self) -> float:
        """Second moment of area about the axis."""
        return self.Iy + self.Iz


def frame_element(bar: Bar, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and consistent mass (12, 12) along +x, [rotation; translation] at each end.

    Euler-Bernoulli bending without rotary inertia: Przemieniecki, Theory of Matrix Structural
    Analysis (1968), sections 5.6 and 11.4.
    """
    L, mass = length, bar.density * bar.area * length
    K, M = np.zeros((12, 12)), np.zeros((12, 12))

    def add(dofs, k, m):
        K[np.ix_(dofs, dofs)] += k
        M[np.ix_(dofs, dofs)] += m

    rod_k, rod_m = np.array([[1, -1], [-1, 1]]), np.array([[2, 1], [1, 2]]) / 6
    add([3, 9], bar.E * bar.area / L * rod_k, mass * rod_m)
    add([0, 6], bar.G * bar.J / L * rod_k, mass * bar.polar / bar.area * rod_m)
    for slope, sign, move, moment in ((2, 1, 4, bar.Iz), (1, -1, 5, bar.Iy)):  # theta_y = -w'
        s = np.diag([1, sign, 1, sign])
        k = [[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2]]
        k += [[-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]]
        m = [[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2]]
        m += [[54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]]
        add(
            [move, slope, move + 6, slope + 6],
            bar.E * moment / L**3 * s @ np.array(k) @ s,
            mass / 420 * s @ np.array(m) @ s,
        )
    return K, M


def cantilever(bar: Bar, elements: int, kind: str, turn=None, **keywords) -> NodalBody:
    """A straight beam clamped at node 0; `turn` gives it a direction in space."""
    n, h = elements + 1, bar.length / elements
    turn = np.eye(3) if turn is None else turn
    K_e, M_e = frame_element(bar, h)
    K, M = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    for e in range(elements):
        dofs = slice(6 * e, 6 * e + 12)
        K[dofs, dofs] += K_e
        M[dofs, dofs] += M_e
    rotate = np.kron(np.eye(2 * n), turn)
    positions = np.outer(np.linspace(0, bar.length, n), turn[:, 0])
    lumps = np.full(n, bar.density * bar.area * h)
    lumps[[0, -1]] /= 2
    slices = bar.density * h * np.diag([bar.polar, bar.Iy, bar.Iz])
    inertias = np.stack([turn @ (m / lumps[1] * slices) @ turn.T for m in lumps])
    data = {
        "lumps": {"masses": lumps, "node_inertias": inertias},
        "points": {"masses": lumps},
        "consistent": {"masses": rotate @ M @ rotate.T},
    }[kind]
    return NodalBody(
        positions=positions,
        stiffness=rotate @ K @ rotate.T,
        **({"names": {"tip": elements}} | data | keywords),
    )


@dataclass(frozen=True)
class Particles:
    """Particles that move with the nodes: positions (p, 3), masses (p,), maps (p, 3, 6 n)."""

    positions: np.ndarray
    masses: np.ndarray
    maps: np.ndarray


def random_body(seed, kind="lumps", *, n=4, inboard=1) -> tuple[NodalBody, Particles]:
    """Structure without any symmetry, and the particles behind its mass if that is consistent.

    Springs with six degrees join the nodes; a particle hangs between two nodes as if glued to
    both, with weights, so that rigid-body motions carry it along.  Of the points, the one at the
    joint has rotary inertia: with all freedoms let go, it is all that the joint feels.
    """
    rng = np.random.default_rng(seed)
    positions = rng.uniform(-0.2, 0.2, (n, 3)) + np.outer(np.linspace(0, 1.5, n), (1, 0.3, -0.2))
    edges = [*pairwise(range(n)), (0, n - 1)]
    K, particles = np.zeros((6 * n, 6 * n)), []
    for i, j in edges:
        A = np.zeros((6, 6 * n))
        A[:, 6 * i : 6 * i + 6] = -rigid_shift(positions[j] - positions[i]).T
        A[:, 6 * j : 6 * j + 6] = np.eye(6)
        root = rng.standard_normal((6, 6))
        K += A.T @ (100 * (root @ root.T + np.eye(6))) @ A
        for _ in range(6):
            r, w = rng.uniform(-0.5, 1.5, 3), rng.uniform(0, 1)
            N = np.zeros((3, 6 * n))
            for node, share in ((i, w), (j, 1 - w)):
                N[:, 6 * node : 6 * node + 6] = share * rigid_shift(r - positions[node]).T[3:]
            particles.append((r, rng.uniform(0.05, 0.2), N))
    cloud = Particles(*(np.array(a) for a in zip(*particles, strict=True)))
    spread = rng.uniform(-0.3, 0.3, (n, 4, 3))
    inertias = np.array([sum((r @ r) * np.eye(3) - np.outer(r, r) for r in s) for s in spread])
    at_inboard = np.where(np.arange(n)[:, None, None] == inboard, inertias, 0.0)
    masses = rng.uniform(0.5, 1.5, n)
    data = {
        "lumps": {"masses": masses, "node_inertias": inertias},
        "points": {"masses": masses, "node_inertias": at_inboard},
        "consistent": {"masses": np.einsum("p,pki,pkj->ij", cloud.masses, cloud.maps, cloud.maps)},
    }[kind]
    names = {"tip": n - 1, "side": n // 2}
    return NodalBody(positions, stiffness=K, inboard=inboard, names=names, **data), cloud


def modal_body(body: NodalBody, cloud: Particles) -> ls.FlexibleBody:
    """The complete modal form; of a consistent mass by the particles it was made of."""
    if body.is_lumped:
        return body.to_modal()
    h = body.freedoms
    rows = np.concatenate([np.zeros((len(cloud.maps), 3, h.shape[1])), cloud.maps @ h], axis=1)
    return ls.FlexibleBody(
        np.concatenate([body.positions, cloud.positions]),
        np.concatenate([np.zeros(body.n_node), cloud.masses]),
        np.concatenate([h.reshape(body.n_node, 6, -1), rows]),
        h.T @ body.stiffness @ h,
        inboard=body.inboard,
        names=body.names,
    )


def stand_in(body: NodalBody) -> ls.FlexibleBody:
    """A modal body with the same nodes, which is all that a nodal tree takes from the system."""
    n = body.n_node
    lumped = replace(body, masses=np.ones(n), node_inertias=np.stack([np.eye(3)] * n))
    return lumped.to_modal(modes=2)


def random_joint(rng):
    """A joint of any kind, from none to six degrees of freedom."""
    axis, other = rng.standard_normal((2, 3))
    joints = [ls.Fixed(), ls.Revolute(axis), ls.Prismatic(axis), ls.Screw(axis, 0.2), ls.Free()]
    joints += [ls.Cylindrical(axis), ls.Universal(axis, other), ls.Planar(axis), ls.Spherical()]
    return joints[rng.integers(len(joints))]


@dataclass(frozen=True)
class Tree:
    """A mechanism twice, with complete modal bodies and with stand-ins, and its nodal bodies."""

    modal: ls.System
    geometry: ls.System
    nodal: dict[str, NodalBody]


def random_tree(seed, kinds=KINDS, *, n_body=6, gravity=(1.0, -2.0, -9.81)) -> Tree:
    """Random branches, joints and bodies; about a third of the bodies are rigid."""
    rng = np.random.default_rng([7, seed])
    modal, geometry = (ls.Model(f"tree {seed}", gravity=gravity) for _ in range(2))
    nodal: dict[str, NodalBody] = {}
    for i in range(n_body):
        name, place = f"body{i}", {}
        if i:
            carrier = f"body{rng.integers(max(0, i - 3), i)}"
            place = {"to": carrier, "at": rng.uniform(-0.3, 0.3, 3)}
            if carrier in nodal:
                place["node"] = int(rng.integers(nodal[carrier].n_node))
        place |= {"rotation": ls.Spherical().pose(random_unit(rng, 4))[0], "name": name}
        joint, kind = random_joint(rng), kinds[rng.integers(len(kinds))]
        if rng.uniform() < 0.35:
            body = ls.RigidBody.box(rng.uniform(0.5, 2), (0.3, 0.5, 0.4), rng.uniform(-0.2, 0.2, 3))
            pair = (body, body)
        else:
            nodal[name], cloud = random_body(
                rng.integers(1000), kind, n=int(rng.integers(2, 5)), inboard=int(rng.integers(2))
            )
            pair = (modal_body(nodal[name], cloud), stand_in(nodal[name]))
        for model, body in zip((modal, geometry), pair, strict=True):
            model.add(body, joint, **place)
    return Tree(modal.compile(), geometry.compile(), nodal)
