"""Small flexible mechanisms, bending and twisting in three dimensions, that several tests share."""

from __future__ import annotations

import numpy as np

import lissom as ls
from lissom.bodies.recovery import Recovery, Stations, StressPoints

AXLE = (0.3, -0.5, 0.8)


def flexible_body(
    seed, *, n_node=5, n_mode=2, lumps=False, level="full", damping=0.0, stiffness=40.0, free=False
):
    """Nodes and shapes without any symmetry; the last node is "tip", the middle one "side".

    With `free` the modes move and turn the inboard node too, as in a free-free basis.  At level
    "stiffened" the second order has no symmetry either.
    """
    rng = np.random.default_rng(seed)
    positions = rng.uniform(-0.2, 0.2, (n_node, 3))
    positions[:, 0] += np.linspace(0.0, 1.5, n_node)
    spread = rng.uniform(0.1, 0.2, (n_node, 3, 3)) * rng.standard_normal((n_node, 3, 3))
    L = spread @ spread.transpose(0, 2, 1)
    traces = np.trace(L, axis1=1, axis2=2)[:, None, None]
    masses = rng.uniform(0.5, 1.5, n_node)
    offsets = rng.uniform(-0.1, 0.1, (n_node, 3))
    shift = [(o @ o) * np.eye(3) - np.outer(o, o) for o in offsets]
    inertias = masses[:, None, None] * (traces * np.eye(3) - L + shift)
    root = rng.standard_normal((n_mode, n_mode))
    shapes, second = rng.uniform(-0.7, 0.7, (n_node, 6, n_mode)), None
    if level == "stiffened":
        shapes[0] = 0.0
        second = random_second_order(rng, n_node, n_mode)
    if not free:  # seen from the inboard node
        (w, u), arms = np.split(shapes[0], 2), positions - positions[0]
        swung = [np.cross(w.T, arm).T for arm in arms]
        shapes = shapes - np.array([np.concatenate([w, u + x]) for x in swung])
    return ls.FlexibleBody(
        positions,
        masses,
        shapes,
        stiffness * (root @ root.T + np.eye(n_mode)),
        damping,
        node_inertias=inertias if lumps else None,
        node_offsets=offsets if lumps else None,
        names={"tip": n_node - 1, "side": n_node // 2},
        level=level,
        second_order=second,
    )


def random_second_order(rng, n_node, n_mode, size=0.1):
    """Second order of all nodes but the first, and sums over the mass that do not belong to it."""

    def symmetric(*shape):
        x = size / n_mode * rng.standard_normal((*shape, n_mode, n_mode))
        return x + x.swapaxes(-1, -2)

    nodes = {node: symmetric(6) for node in range(1, n_node)}
    return ls.SecondOrder(symmetric(3), symmetric(3, 3), nodes)


def flexible_arm(level="full", *, n_mode=2, lumps=True, damping=0.02, gravity=(1.0, -2.0, -9.81)):
    """Two flexible links: one on a spherical joint, the other on a skew revolute at its tip."""
    model = ls.Model("arm", gravity=gravity)
    upper = flexible_body(1, n_mode=n_mode, lumps=lumps, level=level, damping=damping)
    lower = flexible_body(2, n_mode=n_mode, level=level, damping=damping)
    turn = ls.Universal("x", "z").pose(np.array([0.4, -0.7]))[0]
    model.add(upper, ls.Spherical(), name="upper", at=(0.1, 0.2, 0.3))
    model.add(lower, ls.Revolute(AXLE), name="lower", to="upper.tip", at=(0, 0.1, 0), rotation=turn)
    return model.compile()


def spacecraft(level="full", *, damping=0.0):
    """Free hub, on it a boom with lumps, on that a panel at the tip and a rigid dish inboard."""
    model = ls.Model("spacecraft")
    hub = ls.RigidBody(6.0, (0.1, -0.05, 0.2), np.diag([2.0, 2.5, 3.0]))
    boom = flexible_body(3, lumps=True, level=level, damping=damping)
    panel = flexible_body(4, n_mode=3, level=level, damping=damping)
    dish = ls.RigidBody(0.8, (0.0, 0.1, 0.2), np.diag([0.05, 0.06, 0.07]))
    model.add(hub, ls.Free(), name="hub")
    model.add(boom, ls.Spherical(), name="boom", to="hub", at=(0.5, 0.2, -0.1))
    model.add(panel, ls.Revolute(AXLE), name="panel", to="boom.tip", at=(0.1, 0, 0))
    model.add(dish, ls.Universal("y", AXLE), name="dish", to="boom.side", at=(0, 0.1, 0.1))
    return model.compile()


TUBE = ls.Tube(radius=0.03, thickness=0.004)


def solid_body():
    """Four particles with two shapes; stress at a node and at a point, loads at two stations."""
    rng = np.random.default_rng(4)
    positions = np.array([[0.5, 0, 0], [1, 0.1, 0], [1.5, 0, 0.2], [2, 0, 0]])
    shapes = np.zeros((4, 6, 2))
    shapes[1:, 3:] = rng.normal(size=(3, 3, 2))
    axes = np.broadcast_to(np.eye(3), (2, 3, 3))
    points = StressPoints(positions[[3, 1]], rng.normal(size=(2, 6, 2)) * 1e6, [3, -1])
    stations = Stations(
        positions[:2], axes, [0, 1], [0.0, 0.3], rng.normal(size=(2, 6, 2)), (TUBE, TUBE)
    )
    asked = {"names": {"tip": 3}, "recovery": Recovery(points, stations)}
    return ls.FlexibleBody(positions, np.ones(4), shapes, np.diag([9e3, 4e4]), **asked)
