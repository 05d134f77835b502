"""Equilibria against closed forms and roots of scalar equations."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import lissom as ls
from tests.references.analytic_motions import matrices, quaternion
from tests.samples.flexible_arms import flexible_arm
from tests.tools.measures import random_state

pytestmark = pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")

GRAVITY = 9.81


def hanging_chain(n):
    """Point masses on rods without mass, one below the other, angles about y."""
    model = ls.Model("chain", gravity=(0, 0, -GRAVITY))
    for i in range(n):
        model.add(
            ls.RigidBody(MASSES[i], com=(0, 0, -LENGTHS[i]), inertia=1e-3 * np.eye(3)),
            ls.Revolute("y"),
            name=f"l{i}",
            to=f"l{i - 1}" if i else None,
            at=(0, 0, -LENGTHS[i - 1] if i else 0),
        )
    return model.compile()


MASSES, LENGTHS = (0.7, 1.1, 0.4, 0.9), (0.5, 0.3, 0.8, 0.4)


def test_chain_under_a_horizontal_force_at_its_end():
    """tan(angle of rod i to the vertical) = F / (weight of all that hangs on it, itself too)."""
    n, force = 4, 6.0
    system = hanging_chain(n)
    end = np.array([0, 0, -LENGTHS[-1]])
    # The force acts at the end, not in the body's frame: its moment about the frame goes with it.

    def moment(t, state):
        R = ls.pose(system, state, "l3").rotation
        return np.cross(R @ end, [force, 0, 0])

    found = ls.equilibrium(system, loads=[ls.NodeForce("l3", (force, 0, 0), moment)])
    below = np.cumsum(np.array(MASSES)[::-1])[::-1]
    # about y a positive angle swings the lower end towards -x
    absolute = -np.arctan2(force, below * GRAVITY)
    np.testing.assert_allclose(np.cumsum(found.q), absolute, rtol=0, atol=1e-10)
    assert not np.any(found.v)


def test_ball_pendulum_in_an_oblique_field_points_along_it():
    gravity = np.array([3.0, -4.0, -5.0])
    model = ls.Model("ball", gravity=gravity)
    body = ls.RigidBody(1.0, com=(0.2, 0.3, -0.4), inertia=(0.1, 0.1, 0.1))
    model.add(body, ls.Spherical(), name="b")
    system = model.compile()
    found = ls.equilibrium(system, system.state(b=quaternion((1, 0, 0), 1.0)))
    down = matrices(found.q[None])[0] @ [0.2, 0.3, -0.4] / np.linalg.norm([0.2, 0.3, -0.4])
    np.testing.assert_allclose(down, gravity / np.linalg.norm(gravity), atol=1e-10)


# Beams: E I = 70e9 * b h^3 / 12


BEAM = dict(section=ls.Rectangle(0.02, 0.01), material=ls.ALUMINIUM, damping=0.0)


def cantilever(modes, gravity=0.0, **options):
    model = ls.Model("cantilever", gravity=(0, 0, -gravity))
    beam = ls.beam(1.5, modes=modes, **BEAM, **options)
    model.add(beam, ls.Fixed(), name="beam")
    return model.compile()


def bending_stiffness():
    """E I about y of a bar 20 mm (y) by 10 mm (z)."""
    return ls.ALUMINIUM.youngs_modulus * 0.02 * 0.01**3 / 12


def test_cantilever_under_a_force_at_its_tip():
    """P L^3 / 3 E I; clamped modes that are left out take 3e-4 of it with six of the plane."""
    force = 0.5
    exact = force * 1.5**3 / (3 * bending_stiffness())
    errors = []
    for modes, shapes in ((2, "clamped"), (6, "clamped"), (24, "clamped"), (4, "static")):
        system = cantilever(modes, shapes=shapes)
        found = ls.equilibrium(system, loads=[ls.NodeForce("beam.tip", (0, 0, -force))])
        errors.append(abs(-ls.pose(system, found, "beam.tip").position[2] / exact - 1))
    # In modes: 12 / beta^4 each, 0.9707, 0.0247, 0.00315, ... (W. Weaver, S. P. Timoshenko,
    # D. H. Young, Vibration Problems in Engineering, cantilever modes)
    assert abs(errors[0] - (1 - 0.9707)) < 1e-4
    assert errors[2] < errors[1] < errors[0]
    assert errors[2] < 1e-4
    assert errors[3] < 1e-9


def test_cantilever_under_its_own_weight():
    """w L^4 / 8 E I: loads that the lower modes carry, 1e-6 are left with sixteen."""
    system = cantilever(16, GRAVITY)
    found = ls.equilibrium(system)
    weight = ls.ALUMINIUM.density * 0.02 * 0.01 * GRAVITY
    exact = weight * 1.5**4 / (8 * bending_stiffness())
    tip = -ls.pose(system, found, "beam.tip").position[2]
    assert abs(tip / exact - 1) < 1e-5


# A pendulum and a spring


def spring_pendulum(stiffness, rest):
    model = ls.Model("pendulum", gravity=(0, 0, -GRAVITY))
    model.add(ls.RigidBody(1.2, com=(0, 0, 0.8)), ls.Revolute("y"), name="b")
    return model.compile(), [ls.JointSpring("b", stiffness, rest=rest)]


@pytest.mark.parametrize("rest, side", [(0.3, 1), (-0.3, -1)])
def test_standing_pendulum_leans_on_its_spring(rest, side):
    """k (q - rest) = m g l sin(q), on the side to which the spring leans."""
    k, moment = 8.0, 1.2 * GRAVITY * 0.8
    system, loads = spring_pendulum(k, rest)
    found = ls.equilibrium(system, loads=loads)
    root = brentq(lambda q: k * (q - rest) - moment * np.sin(q), side * 0.6, side * 3.0)
    np.testing.assert_allclose(found.q, [root], rtol=0, atol=1e-10)


def test_unstable_balance_is_left_for_the_stable_one():
    """At zero it balances upright, weaker spring than weight: a nudge decides for a lean."""
    k, moment = 8.0, 1.2 * GRAVITY * 0.8
    system, loads = spring_pendulum(k, 0.0)
    root = brentq(lambda q: k * q - moment * np.sin(q), 0.3, 3.0)
    for start in (1e-3, -1e-3):
        found = ls.equilibrium(system, system.state(b=start), loads=loads)
        np.testing.assert_allclose(found.q, [np.sign(start) * root], rtol=0, atol=1e-10)
    with pytest.warns(ls.SimulationWarning, match="unstable"):
        found = ls.equilibrium(system, loads=loads)
    assert found.q[0] == 0


def test_equilibrium_is_where_a_damped_run_ends():
    """Flexible arm with a damped ball: what is found does not move, and a run comes there."""
    system = flexible_arm(damping=0.1, gravity=(0.1, -0.2, -0.5))
    start = random_state(system, np.random.default_rng(2), deformation=0.01)
    loads = [
        ls.JointSpring("upper", 20.0, damping=20.0),
        ls.JointSpring("lower", 30.0, rest=0.4, damping=20.0),
        ls.NodeForce("lower.tip", (0.3, 0.2, -0.4)),
    ]
    found = ls.equilibrium(system, start, loads=loads)
    still = ls.simulate(system, found, duration=1.0, loads=loads)
    assert np.abs(still.acceleration[0]).max() < 1e-8  # SMALL times the square of 30 rad/s
    assert np.abs(still.q - found.q).max() < 1e-7  # rtol
    run = ls.simulate(system, start, duration=150.0, integrator="alpha", step=0.02, loads=loads)
    assert np.abs(run.q[-1] - found.q).max() < 1e-7


def test_held_joints_stay():
    system = hanging_chain(2)
    found = ls.equilibrium(system, system.state(l0=0.7), held=["l0"])
    np.testing.assert_allclose(found.q, [0.7, -0.7], atol=1e-10)


def test_why_there_is_none():
    model = ls.Model("falling", gravity=(0, 0, -GRAVITY))
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), ls.Free(), name="stone")
    with pytest.raises(ls.SingularError, match="stone.*held"):
        ls.equilibrium(model.compile())


def slider():
    """A mass of 1 kg on a vertical guide; its size is 1 m."""
    model = ls.Model("slider", gravity=(0, 0, -GRAVITY))
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), ls.Prismatic("z"), name="b")
    return model.compile()


def test_what_nothing_holds_is_given_up_early():
    with pytest.raises(ls.SingularError, match=r"in 30 steps: .*'b'.*nothing holds it"):
        ls.equilibrium(slider())


@pytest.mark.parametrize(
    "load, place",
    [
        (ls.JointSpring("b", 1.0, rest=-5.0), -5.0 - GRAVITY),
        (ls.JointStop("b", -12.0, 1.0, stiffness=1e5), -12.0 - GRAVITY / 1e5),
    ],
    ids=["soft spring", "stop"],
)
def test_far_equilibria_are_not_given_up(load, place):
    """More than 30 of the longest steps away."""
    found = ls.equilibrium(slider(), loads=[load])
    np.testing.assert_allclose(found.q, [place], rtol=0, atol=1e-9)


def test_equilibrium_under_a_given_motion():
    """The driven joint is where its motion puts it, the other hangs from there."""
    system = hanging_chain(2)
    found = ls.equilibrium(system, time=0.5, loads=[ls.Motion("l0", lambda t: np.sin(t))])
    np.testing.assert_allclose(found.q, [np.sin(0.5), -np.sin(0.5)], atol=1e-10)


# Soft beside stiff


def standing(kind):
    """A rod of 1 kg and 1 m that stands on its hinge, and a block of 1 kg on a vertical guide."""
    model = ls.Model(kind, gravity=(0, 0, -GRAVITY))
    rod, block = ls.RigidBody(1.0, com=(0, 0, 0.5)), ls.RigidBody(1.0)
    hinge, guide = ls.Revolute("y"), ls.Prismatic("z")
    if kind == "below":
        model.add(block, guide, name="block")
        model.add(rod, hinge, to="block", name="rod")
        return model.compile()
    if kind == "flexible":
        upright = np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])
        rod = ls.beam(1.0, ls.Circle(0.01), ls.STEEL, modes=4)
        model.add(rod, hinge, rotation=upright, name="rod")
    else:
        model.add(rod, hinge, name="rod")
    if kind == "loop":
        model.add(rod, hinge, at=(1, 0, 0), name="other")
        model.add(ls.RigidBody(1.0, com=(0.5, 0, 0)), hinge, to="rod", at=(0, 0, 1), name="top")
        ends = {"at_a": (1, 0, 0), "at_b": (0, 0, 1)}
        model.close(hinge, "top", "other", name="pin", **ends)
        model.add(block, guide, to="top", at=(0.5, 0, 0), name="block")
    elif kind == "above":
        model.add(block, guide, to="rod", at=(0, 0, 1), name="block")
    else:
        model.add(block, guide, at=(3, 0, 0), name="block")
    return model.compile()


@pytest.mark.parametrize("kind", ["beside", "below", "above", "loop", "flexible"])
@pytest.mark.parametrize("stiffness", [1e9, 1e13])
def test_unstable_rests_are_seen_beside_any_stiff_spring(kind, stiffness):
    """Upright it says so; from beside, it falls until it hangs, and the spring carries its load."""
    system, loads = standing(kind), [ls.JointSpring("block", stiffness)]
    with pytest.warns(ls.SimulationWarning, match="unstable: a small motion of .*'rod'"):
        found = ls.equilibrium(system, loads=loads)
    assert abs(found["rod"][0]) < 1e-12
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ls.equilibrium(system, system.state(rod=1e-3), loads=loads)
    assert found["rod"][0] == pytest.approx(np.pi, abs=1e-9)
    weight = GRAVITY * {"below": 2.0, "above": -1.0}.get(kind, 1.0)
    assert -stiffness * found["block"][0] == pytest.approx(weight, rel=1e-6)


def test_a_stiff_spring_at_a_node_hides_nothing():
    """As above; the stiffness is not on a joint but between the block and the world."""
    system = standing("beside")
    spring = ls.NodeSpring("block", (3, 0, 1.0), 1e12, length=1.0)
    with pytest.warns(ls.SimulationWarning, match="unstable: a small motion of .*'rod'"):
        ls.equilibrium(system, loads=[spring])


def test_what_has_not_come_to_rest_is_not_called_loose():
    """A force that turns with what it pushes: held by a spring, and never at rest."""

    def chasing(time, state):
        return {"b": 50.0 * np.cos(3 * state["b"][0]) + 100 * np.sign(np.cos(40 * state["b"][0]))}

    with pytest.raises(ls.SingularError, match="pushed by .* has not come to rest; start nearer"):
        ls.equilibrium(slider(), forces=chasing, loads=[ls.JointSpring("b", 2000.0)])
