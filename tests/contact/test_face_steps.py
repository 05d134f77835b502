"""Contacts of faces in implicit steps, and what their events and channels tell."""

import functools

import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.sim.loads.contact import Contact, Friction, LinearContact, PressureField

HALF = np.array([0.1, 0.06, 0.05])
BLOCK = shapes.Box(2 * HALF)
TURN = np.array([np.cos(0.005), np.sin(0.005), 0.0, 0.0])  # about x, 0.01 rad


@functools.cache
def block_and_ball() -> ls.System:
    model = ls.Model("two", gravity=(0, 0, 0))
    model.add(ls.RigidBody.box(3.0, 2 * HALF), ls.Free(), name="block")
    ball = ls.RigidBody.sphere(1.0, 0.03)
    model.add(ball, ls.Prismatic("z"), name="ball", at=(0.02, 0, 0.1315))
    return model.compile()


@functools.cache
def run_with(integrator: str, rtol: float) -> ls.Trajectory:
    """A block that lands on an edge of its lower face, while a ball hits it from above."""
    system = block_and_ball()
    block, ball = system.shape("block", BLOCK), system.shape("ball", shapes.Sphere(0.03))
    rough = Friction(0.3, speed=0.02)
    law = PressureField(2e8, restitution=0.5)
    loads = [
        Contact(block, shapes.HalfSpace(), law, rough, name="landing"),
        Contact(ball, block, LinearContact(1e6, restitution=0.5), rough, name="hit"),
    ]
    q, v = np.array([*TURN, 0, 0, 0.0508, 0]), np.array([0, 0, 0, 0.2, 0, -0.5, -1.5])
    return ls.simulate(
        system, system.state(q, v), duration=8e-3, loads=loads, integrator=integrator,
        rtol=rtol, output_step=2e-5,
    )  # fmt: skip


@pytest.mark.parametrize("integrator", ["rosenbrock", "generalized_alpha"])
def test_implicit_steps_with_faces_and_points_follow_explicit_ones(integrator):
    exact, other = run_with("dop853", 1e-8), run_with(integrator, 1e-4)
    at = exact.state(8e-3), other.state(8e-3)
    assert np.abs(at[0].q - at[1].q).max() < 2e-5
    assert np.abs(at[0].v - at[1].v).max() < 1e-2


def test_the_impulse_and_the_peak_of_faces_are_those_of_their_force():
    run = run_with("dop853", 1e-8)
    (left,) = (x.touch for x in run.events if x.label == "landing leaves")
    force = run["landing.normal_force"]
    assert left.impulse == pytest.approx(np.trapezoid(force, run.time), rel=3e-3)
    assert left.peak == pytest.approx(force.max(), rel=2e-3)


def test_faces_that_are_turned_off_still_tell_their_gap():
    system = block_and_ball()
    block = system.shape("block", BLOCK)
    load = Contact(block, shapes.HalfSpace(), PressureField(2e8), name="landing", on=False)
    q, v = np.array([1, 0, 0, 0, 0.3, 0.1, 0.08, 1.0]), np.array([0, 0, 0, 0.2, 0.1, -1.0, 0])
    run = ls.simulate(system, system.state(q, v), duration=0.06, loads=[load])
    assert run["landing.gap"][-1] == pytest.approx(-0.03)
    assert np.allclose(run["landing.slip"][-1], [0.2, 0.1, 0.0])
    assert np.allclose(run["landing.force"][-1], 0.0)
