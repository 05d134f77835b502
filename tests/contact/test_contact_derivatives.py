"""Derivatives of the forces of contacts on whole mechanisms, against differences of the forces."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.algorithms.tree.coordinates import moved
from lissom.sim.loads import Contact
from lissom.sim.loads.contact import Friction, Hertz, LinearContact

RUBBING = Friction(0.6, 0.4, speed=0.5)
TURNING = Friction(0.5, speed=0.5, spin=True, rolling=0.01)
LAW = Hertz(stiffness=1e5, dissipation=0.02)


def flexible_tree():
    rng = np.random.default_rng(3)
    boom = ls.beam(1.0, ls.Tube(radius=0.03, thickness=0.004), ls.CARBON, bending=2)
    model = ls.Model("tree", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.box(3.0, (1.0, 0.3, 0.2)), ls.Free(), name="a")
    model.add(boom, ls.Revolute("y"), to="a", at=(0.3, 0.1, 0), name="b")
    model.add(ls.RigidBody.box(1.0, (0.2, 0.3, 0.2)), ls.Spherical(), to="b.tip", name="c")
    model.add(boom, ls.Prismatic("x"), to="c", name="d")
    system = model.compile()
    q = moved(system, system.neutral().raw_q, 0.2 * rng.standard_normal(system.n_v))
    return system, system.state(q, 0.3 * rng.standard_normal(system.n_v))


def touching(system, state, carrier, shape, other, other_carrier=None, depth=0.01):
    """Both shapes placed, the second so that they overlap by a depth along its own z axis."""
    at = ls.pose(system, state, carrier)
    point = at.position + at.rotation @ np.asarray(shape.at)
    size = getattr(shape, "radius", 0.0)
    up = np.array([0.2, 0.3, 0.9]) / np.linalg.norm([0.2, 0.3, 0.9])
    x = point - (size - depth) * up
    if other_carrier is None:
        return system.shape(carrier, shape), other(x, up)
    there = ls.pose(system, state, other_carrier)
    local = there.rotation.T @ (x - there.position), there.rotation.T @ up
    return system.shape(carrier, shape), system.shape(other_carrier, other(*local))


def plane(x, up):
    return shapes.HalfSpace(up, at=x)


def ball(x, up):
    return shapes.Sphere(0.07, at=x - 0.07 * up)


def capsule(x, up):
    side = np.cross(up, (1, 0, 0))
    side /= np.linalg.norm(side)
    R = np.column_stack([np.cross(up, side), up, side])
    return shapes.Capsule(0.05, 0.4, at=x - 0.05 * up, rotation=R)


CASES = {
    "ball on the ground": ("d.tip", plane, None, None),
    "ball that rubs on the ground": ("d.tip", plane, None, RUBBING),
    "ball that spins and rolls": ("d.tip", plane, None, TURNING),
    "ball on a plane that moves": ("d.tip", plane, "b.tip", RUBBING),
    "balls of two flexible bodies": ("d.tip", ball, "b.tip", TURNING),
    "ball on a capsule": ("c", capsule, "a", RUBBING),
}


def differences(system, state, loads, spacing=1.5e-5):
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


@pytest.mark.parametrize(
    "law", [LAW, LinearContact(1e4, dissipation=0.02)], ids=["Hertz", "linear"]
)
@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_the_forces(case, law):
    carrier, other, other_carrier, friction = CASES[case]
    system, state = flexible_tree()
    a, b = touching(
        system, state, carrier, shapes.Sphere(0.1, at=(0.02, 0.01, -0.03)), other, other_carrier
    )
    loads = [Contact(a, b, law, friction)]
    slopes = ls.load_derivatives(system, state, loads)
    assert np.abs(slopes.forces).max() > 10.0
    by_q, by_v = differences(system, state, loads)
    for exact, difference in ((slopes.q, by_q), (slopes.v, by_v)):
        assert np.abs(exact - difference).max() < 2e-7 * np.abs(exact).max()


def test_damping_that_follows_the_speed_of_approach_has_its_derivative():
    """Before touch-down it is that of the present speed, and the force does not depend on it."""
    system, state = flexible_tree()
    a, b = touching(system, state, "d.tip", shapes.Sphere(0.1), plane)
    loads = [Contact(a, b, LinearContact(1e4, restitution=0.5))]
    slopes, scale = ls.load_derivatives(system, state, loads), 1e4 * 0.01
    by_q, by_v = differences(system, state, loads)
    assert np.abs(slopes.forces).max() > 10.0
    assert np.abs(slopes.q - by_q).max() < 2e-7 * np.abs(by_q).max()
    assert np.abs(slopes.v - by_v).max() < 1e-6 * scale


def test_forces_of_a_contact_between_bodies_give_no_momentum():
    system, state = flexible_tree()
    a, b = touching(system, state, "d.tip", shapes.Sphere(0.1), ball, "b.tip")
    forces = ls.load_derivatives(system, state, [Contact(a, b, LAW, TURNING)]).forces
    rates = ls.solve_mass(system, state, forces)
    assert np.abs(forces).max() > 100.0
    assert np.abs(ls.momentum(system, state.replace(v=rates))).max() < 1e-12 * np.abs(rates).max()
