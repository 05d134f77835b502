"""Flat faces in contact by a pressure field: forces, changes and motions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom import shapes
from lissom.algorithms.tree.coordinates import moved
from lissom.errors import LoadError
from lissom.sim.loads import Contact
from lissom.sim.loads.contact import Friction, Hertz, PressureField

HALF = np.array([0.1, 0.06, 0.05])  # half edges of the block
BLOCK = shapes.Box(2 * HALF)
TABLE = shapes.Box((0.6, 0.5, 0.2))
TURN = (0.02, -0.01, 0.4)
RUBBING = Friction(0.6, 0.4, speed=0.5)


def two_bodies(carrier=True):
    """A flexible boom with a block at its tip, and a free body that may carry the other face."""
    boom = ls.beam(1.0, ls.Tube(radius=0.03, thickness=0.004), ls.CARBON, bending=2)
    model = ls.Model("two", gravity=(0, 0, 0))
    model.add(ls.RigidBody.box(30.0, (0.6, 0.5, 0.2)), ls.Free(), name="table")
    model.add(boom, ls.Revolute("y"), name="boom")
    model.add(ls.RigidBody.box(1.0, 2 * HALF), ls.Spherical(), to="boom.tip", name="block")
    system = model.compile()
    rng = np.random.default_rng(3)
    q = moved(system, system.neutral().raw_q, 0.2 * rng.standard_normal(system.n_v))
    return system, system.state(q, 0.1 * rng.standard_normal(system.n_v))


def placed(system, state, shape, other, turned, depth, offset, carrier):
    """Both shapes; the second so that the first is above its upper face, turned, by -depth."""
    at = ls.pose(system, state, "block")
    R = at.rotation @ Rotation.from_rotvec(turned).as_matrix().T
    origin = at.position - R @ np.array(offset)
    low = lowest(shape, Rotation.from_rotvec(turned).as_matrix())
    origin = origin + (low + depth) * R[:, 2]
    if carrier is None:
        C, p = R, origin
    else:
        there = ls.pose(system, state, carrier)
        C, p = there.rotation.T @ R, there.rotation.T @ (origin - there.position)
    return system.shape("block", shape), (
        other(p, C) if carrier is None else system.shape(carrier, other(p, C))
    )


def corners(shape):
    match shape.kind:
        case "box":
            signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
            return 0.5 * signs * shape.size
        case "face":
            return np.column_stack([shape.corners, np.zeros(len(shape.corners))])
    angle = np.linspace(0, 2 * np.pi, 33)
    r = shape.radius * np.sqrt(np.pi / 16 / np.sin(np.pi / 16))
    ring = r * np.column_stack([np.cos(angle), np.sin(angle)])
    half = 0.5 * shape.length
    return np.concatenate([np.column_stack([ring, np.full(33, z)]) for z in (-half, half)])


def lowest(shape, R):
    """Height of the lowest corner of a shape, turned by R, below its origin, as a negative."""
    return (corners(shape) @ (R @ shape.rotation).T)[:, 2].min()


def ground(p, R):
    return shapes.HalfSpace(R[:, 2], at=p)


def plate(p, R):
    return shapes.Face([(-0.3, -0.02), (0.3, -0.1), (0.3, 0.3), (-0.3, 0.3)], at=p, rotation=R)


def block_below(p, R):
    return shapes.Box(TABLE.size, at=p - 0.1 * R[:, 2], rotation=R)


def small_top(p, R):
    return shapes.Box((0.05, 0.04, 0.03), at=p - 0.015 * R[:, 2], rotation=R)


DISK = shapes.Cylinder(0.1, 0.05)
PLATE = shapes.Face([(0.1, 0), (0, 0.1), (-0.1, 0), (0, -0.1)], rotation=np.diag([1, -1, -1]))
CASES = {
    "box on the ground": (BLOCK, ground, TURN, 5e-3, (0, 0, 0), None),
    "box that lies flat": (BLOCK, ground, (0, 0, 0.4), 5e-3, (0, 0, 0), None),
    "box on its edge": (BLOCK, ground, (0.0, 0.7, 0.0), 5e-3, (0, 0, 0), None),
    "box on a corner": (BLOCK, ground, (0.5, 0.6, 0.0), 5e-3, (0, 0, 0), None),
    "box on a plane that moves": (BLOCK, ground, TURN, 5e-3, (0, 0, 0), "table"),
    "box over the edge of a face": (BLOCK, plate, TURN, 5e-3, (0.02, 0.03, 0), "table"),
    "box over the edge of a box": (BLOCK, block_below, TURN, 5e-3, (0.3, 0.2, 0), "table"),
    "box on a smaller box": (BLOCK, small_top, TURN, 5e-3, (0.01, 0.01, 0), "table"),
    "face on a face": (PLATE, plate, TURN, 4e-3, (0.05, 0.05, 0), "table"),
    "cylinder on a box": (DISK, block_below, TURN, 5e-3, (0.3, 0.1, 0), "table"),
}


def differences(system, state, loads, spacing=3e-6):
    """dT/dq and dT/dv by Richardson extrapolation of the forces."""

    def of(q, v):
        return ls.load_derivatives(system, system.state(q, v), loads).forces

    def slope(f):
        central = [(f(h) - f(-h)) / (2 * h) for h in (spacing, 2 * spacing)]
        return (4 * central[0] - central[1]) / 3

    q, v = state.raw_q, state.raw_v
    by_q = [slope(lambda h, e=e: of(moved(system, q, h * e), v)) for e in np.eye(system.n_v)]
    by_v = [slope(lambda h, e=e: of(q, v + h * e)) for e in np.eye(system.n_v)]
    return np.array(by_q).T, np.array(by_v).T


@pytest.mark.parametrize("friction", [None, RUBBING], ids=["smooth", "rough"])
@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_the_forces(case, friction):
    shape, other, turned, depth, offset, carrier = CASES[case]
    system, state = two_bodies()
    a, b = placed(system, state, shape, other, turned, depth, offset, carrier)
    loads = [Contact(a, b, PressureField(1e8, dissipation=0.5), friction)]
    slopes = ls.load_derivatives(system, state, loads)
    print(case, np.abs(slopes.forces).max())
    by_q, by_v = differences(system, state, loads)
    for exact, difference in ((slopes.q, by_q), (slopes.v, by_v)):
        print(np.abs(exact - difference).max() / np.abs(exact).max())
    assert np.abs(slopes.forces).max() > 10.0
    for exact, difference in ((slopes.q, by_q), (slopes.v, by_v)):
        assert np.abs(exact - difference).max() < 1e-7 * np.abs(exact).max()
