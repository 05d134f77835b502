"""Steady motions of mechanisms with closed loops and couplings, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls

G = 9.81
A, BALL, ROD, SLEEVE = 0.3, 0.6, 0.2, 1.5  # length of all links [m], masses [kg]
WEIGHT, THROWN = BALL + 1.5 * ROD + SLEEVE, BALL + ROD / 3


def governor(motor=()):
    """Arms with balls, rods from them to a sleeve that slides on the shaft: two rhombi."""
    model = ls.Model("governor", gravity=(0, 0, -G))
    shaft = ls.RigidBody(1.0, inertia=0.01 * np.eye(3))
    model.add(shaft, ls.Revolute("z"), name="shaft")
    sleeve = ls.RigidBody(SLEEVE, inertia=0.004 * np.eye(3))
    model.add(sleeve, ls.Prismatic("z"), to="shaft", name="sleeve")
    for side, angle in (("a", 0.0), ("b", np.pi)):
        turn = {"axis": "z", "angle": angle}
        arm = ls.RigidBody(BALL, com=(0, 0, -A))
        joint = ls.Revolute((0, -1, 0))
        model.add(arm, joint, to="shaft", rotation=turn, name=f"arm_{side}")
        rod = ls.RigidBody.rod(ROD, A, axis="z", com=(0, 0, -A / 2))
        model.add(rod, ls.Revolute("y"), to=f"arm_{side}", at=(0, 0, -A), name=f"rod_{side}")
        model.close(
            ls.Revolute("y"), f"rod_{side}", "sleeve", at_a=(0, 0, -A), name=f"pin_{side}",
            rotation_b=turn,
        )  # fmt: skip
    return model.compile()


def opened(system, angle, spin):
    """Arms at an angle from the shaft, outwards."""
    arms = {"arm_a": angle, "arm_b": angle, "rod_a": 2 * angle, "rod_b": 2 * angle}
    return system.state(sleeve=-2 * A * np.cos(angle), **arms, **{"shaft.rates": spin})


def test_a_governor_opens_with_its_speed():
    """cos(angle) = g (m + 3/2 m_rod + M) / ((m + m_rod / 3) a Omega^2), and vibrates about it."""
    system = governor()
    for spin in (15.0, 22.0):
        found = ls.trim(system, opened(system, 1.0, spin), held=["shaft"])
        cosine = G * WEIGHT / (THROWN * A * spin**2)
        assert np.isclose(np.cos(found.state["arm_a"][0]), cosine, atol=1e-10)
        assert np.isclose(found.state["arm_b"][0], found.state["arm_a"][0])
        assert np.isclose(found.state["sleeve"][0], -2 * A * cosine, atol=1e-10)
        assert np.allclose(found.forces, 0, atol=1e-8)
        # modes, the speed of the shaft kept: U'' / I
        c, s = cosine, np.sqrt(1 - cosine**2)
        slope = 2 * A * G * WEIGHT * c - 2 * (spin * A) ** 2 * THROWN * (c * c - s * s)
        inertia = 2 * BALL + 4 * SLEEVE * s * s + 2 * ROD * (c * c + 7 * s * s) / 3
        modes = ls.modes(system, found.state, held=["shaft"])
        assert len(modes) == 1
        assert np.isclose((2 * np.pi * modes.frequencies[0]) ** 2, slope / inertia / A**2)


def test_the_speed_at_which_a_governor_stands_at_an_angle():
    system, angle = governor(), 0.9
    start = opened(system, angle, 10.0)
    found = ls.trim(system, start, fixed=["arm_a"], speeds=["shaft"])
    spin = np.sqrt(G * WEIGHT / (THROWN * A * np.cos(angle)))
    assert np.isclose(found.state["shaft.rates"][0], spin, rtol=1e-10)
    assert found.state["arm_a"][0] == angle
    assert not np.any(found.forces)
    end = ls.simulate(system, found.state, duration=0.3).state(0.3)
    assert np.allclose(end.v, found.state.v, atol=1e-5)


def test_a_motor_that_holds_an_arm_of_a_governor():
    """The torque on the arm is the slope of the potential, balls and sleeve together."""
    system, angle, spin = governor(), 0.7, 12.0
    start = opened(system, angle, spin)
    found = ls.trim(system, start, held=["shaft", "arm_a"])
    needed = 2 * A * G * WEIGHT * np.sin(angle)
    needed -= 2 * (A * spin) ** 2 * THROWN * np.sin(angle) * np.cos(angle)
    assert np.isclose(found.forces[system.layout.hinge_v("arm_a")][0], needed, rtol=1e-9)
    assert "arm_a force" in repr(found)


def test_coupled_pendulums_on_a_shaft_that_turns_a_fan():
    """A geared fan with quadratic drag: its torque passes the gear, and the rod stands as alone."""
    model = ls.Model("gear", gravity=(0, 0, -G))
    model.add(ls.RigidBody(1.0, inertia=0.1 * np.eye(3)), ls.Revolute("z"), name="shaft")
    rod = ls.RigidBody.rod(1.0, 0.8, com=(0.4, 0, 0))
    model.add(rod, ls.Revolute("y"), to="shaft", name="rod")
    fan = ls.RigidBody(1.0, inertia=0.02 * np.eye(3))
    model.add(fan, ls.Revolute("z"), at=(1, 0, 0), name="fan")
    model.couple({"shaft": 3.0, "fan": 1.0}, name="mesh")
    system = model.compile()

    def drag(time, state):
        return {"fan": -0.01 * state["fan.rates"] * np.abs(state["fan.rates"])}

    start = system.state(rod=0.9, **{"shaft.rates": 6.0, "fan.rates": -18.0})
    found = ls.trim(system, start, held=["shaft"], forces=drag)
    assert np.isclose(np.sin(found.state["rod"][0]), 3 * G / (2 * 0.8 * 6.0**2))
    assert np.isclose(found.forces[0], 3.0 * 0.01 * 18.0**2)
    # with a motor of 2 N m the fan finds its speed
    motor = [ls.Actuator("shaft", 2.0)]
    spin = np.sqrt(2.0 / 3.0 / 0.01) / 3.0
    for speeds in ("shaft", "fan", ["shaft", "fan"]):
        found = ls.trim(system, start, speeds=speeds, loads=motor, forces=drag)
        assert np.isclose(found.state["shaft.rates"][0], spin, rtol=1e-9)
        assert np.isclose(found.state["fan.rates"][0], -3 * spin, rtol=1e-9)


def test_a_differential_shares_its_speeds():
    """The cage turns at the mean of both wheels: one speed follows, and is not chosen silently."""
    model = ls.Model("differential")
    for x, name in enumerate(("cage", "left", "right")):
        wheel = ls.RigidBody(1.0, inertia=0.1 * np.eye(3))
        model.add(wheel, ls.Revolute("x"), at=(x, 0, 0), name=name)
    model.couple({"cage": 2.0, "left": -1.0, "right": -1.0}, name="differential")
    system = model.compile()
    loads = [ls.JointDamper("left", 0.2), ls.JointDamper("right", 0.2), ls.Actuator("cage", 3.0)]
    start = system.state(**{"cage.rates": 4.0, "left.rates": 4.0, "right.rates": 4.0})
    found = ls.trim(system, start, speeds=["cage", "left", "right"], loads=loads)
    assert np.allclose(found.state.v, 7.5)
    with pytest.raises(ls.StateError, match="'cage'.*determine .*together.*give its joint"):
        ls.trim(system, start, speeds=["cage"], loads=loads)


def test_without_speeds_it_is_the_equilibrium_with_the_force_that_holds():
    system = governor()
    found = ls.trim(system, opened(system, 0.5, 0.0), held=["arm_a"])
    torque = 2 * A * G * WEIGHT * np.sin(0.5)
    assert np.isclose(found.forces[system.layout.hinge_v("arm_a")][0], torque, rtol=1e-9)


def test_loops_that_move_are_not_steady():
    model = ls.Model("four-bar")
    rod = ls.RigidBody.rod(1.0, 0.5, com=(0.25, 0, 0))
    model.add(rod, ls.Revolute("y"), name="crank")
    bar = ls.RigidBody.rod(1.0, 1.2, com=(0.6, 0, 0))
    model.add(bar, ls.Revolute("y"), to="crank", at=(0.5, 0, 0), name="bar")
    model.add(rod, ls.Revolute("y"), at=(1.4, 0, 0), name="rocker")
    ends = {"at_a": (1.2, 0, 0), "at_b": (0.5, 0, 0)}
    model.close(ls.Revolute("y"), "bar", "rocker", **ends, name="pin")
    system = model.compile()
    state = ls.assemble(system, system.state(crank=-1.2, bar=1.2, rocker=-1.3))
    state = ls.assemble(system, system.state(state.q, **{"crank.rates": 2.0}), held=["crank"])
    with pytest.raises(ls.SingularError, match="not steady"):
        ls.trim(system, state, held=["crank"])
    with pytest.raises(ls.StateError, match="follows a Motion"):
        ls.trim(system, state, loads=[ls.Motion("crank", lambda t: state["crank"] + 2.0 * t)])
