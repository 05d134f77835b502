"""Loads at points of bodies, away from their origins and nodes."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls

BAR = ls.RigidBody.rod(mass=3.0, length=2.0, com=(1, 0, 0))
INERTIA = 3.0 * 2.0**2 / 3  # about its end


def two_boxes(*, pegs: bool) -> ls.System:
    """Two free boxes; with massless pegs where the spring is fastened."""
    model = ls.Model("boxes")
    model.add(ls.RigidBody.box(2.0, (0.3, 0.5, 0.7), com=(0.1, 0, 0.05)), ls.Free(), name="a")
    model.add(ls.RigidBody.box(5.0, (0.6, 0.4, 0.3)), ls.Free(), name="b")
    if pegs:
        model.add(ls.RigidBody(0.0), ls.Fixed(), to="a", at=(0.2, -0.1, 0.3), name="peg_a")
        model.add(ls.RigidBody(0.0), ls.Fixed(), to="b", at=(-0.3, 0.2, 0.1), name="peg_b")
    return model.compile()


def started(system: ls.System) -> ls.State:
    rates = {"a.rates": [0.3, -1.0, 0.5, 0.2, 0, 0.1], "b.rates": [-0.4, 0.2, 0.7, 0, -0.3, 0]}
    return system.state(b=[1, 0, 0, 0, 1.5, 0.4, -0.2], **rates)


def test_spring_between_points_is_that_between_pegs():
    plain, pegged = two_boxes(pegs=False), two_boxes(pegs=True)
    law = {"stiffness": 40.0, "damping": 2.0, "length": 0.8}
    points = ls.NodeSpring("a", "b", at_a=(0.2, -0.1, 0.3), at_b=(-0.3, 0.2, 0.1), **law)
    pegs = ls.NodeSpring("peg_a", "peg_b", **law)
    keywords = {"duration": 2.0, "integrator": "rk4", "step": 2e-3}
    run = ls.simulate(plain, started(plain), loads=[points], **keywords)
    twin = ls.simulate(pegged, started(pegged), loads=[pegs], **keywords)
    assert np.abs(run.q - twin.q).max() < 1e-12
    h = run.momentum()
    assert np.abs(h - h[0]).max() < 1e-8  # an internal force; the rest is rk4
    assert np.ptp(run["a.angular_velocity"][:, 0]) > 0.1  # it does turn them


def test_bar_on_a_spring_at_its_end():
    """Small swings about the equilibrium: I phi'' = -(k L^2 + m g L / 2) phi."""
    model = ls.Model("bar", gravity=(0, 0, -9.81))
    down = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # the bar's x points down
    model.add(BAR, ls.Revolute("y"), rotation=down, name="bar")
    system = model.compile()
    anchor = (5000.0, 0.0, -2.0)  # so far that the spring stays level
    spring = ls.NodeSpring("bar", anchor, 60.0, length=5000.0, at_a=(2, 0, 0))
    rate = np.sqrt((60.0 * 2**2 + 3.0 * 9.81 * 1.0) / INERTIA)
    run = ls.simulate(
        system, system.state(bar=1e-4), duration=2.0, loads=[spring], output_step=0.01
    )
    assert np.abs(run["bar.angle"] - 1e-4 * np.cos(rate * run.time)).max() < 1e-8


@pytest.mark.parametrize("axes", ["world", "body"])
def test_force_at_a_point(axes):
    """A force off the origin is the force there and its moment."""
    system = two_boxes(pegs=False)
    state, at, force = started(system), np.array([0.2, -0.1, 0.3]), np.array([3.0, -1.0, 2.0])
    load = ls.NodeForce("a", force, at=at, axes=axes)
    run = ls.simulate(system, state, duration=0.01, step=0.01, integrator="rk4", loads=[load])
    rotation = ls.pose(system, state, "a").rotation
    inside = force if axes == "body" else rotation.T @ force
    wrench = np.concatenate([np.cross(at, inside), inside])
    wanted = ls.forward_dynamics(system, state, external={"a": wrench})
    assert np.allclose(run.acceleration[0], wanted, atol=1e-12)


def test_a_load_can_start_switched_off():
    model = ls.Model("slide")
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="block")
    system = model.compile()
    push = ls.Actuator("block", 4.0, name="push", on=False)
    late = ls.Event(lambda t, state: t - 1.0, ls.Switch("push", on=True), name="start")
    run = ls.simulate(system, duration=2.0, loads=[push], events=[late])
    assert run["block.slide"][-1] == pytest.approx(0.5 * 2.0 * 1.0**2, abs=1e-9)
    assert [name for _, name in run.events] == ["start"]


@pytest.mark.parametrize("at", [(1, 2), "here", (0, 0, np.nan)])
def test_a_point_is_three_numbers(at):
    system = two_boxes(pegs=False)
    with pytest.raises(ls.LoadError, match="three numbers"):
        ls.simulate(system, duration=1.0, loads=[ls.NodeForce("a", (0, 0, 1), at=at)])
