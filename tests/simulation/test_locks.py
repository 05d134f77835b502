"""Locks and releases: plastic impacts, and what moves after them."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.references.analytic_motions import pendulum, quaternion
from tests.samples.flexible_arms import spacecraft
from tests.tools.measures import random_state
from tests.tools.runs import event_times

GRAVITY = 9.81


def floating(joint):
    model = ls.Model("floating")
    model.add(ls.RigidBody(2.0, (0.1, 0, 0.2), (0.3, 0.4, 0.5)), ls.Free(), name="a")
    body = ls.RigidBody(1.1, (0.4, -0.1, 0.1), (0.1, 0.2, 0.25))
    model.add(body, joint, to="a", at=(0.3, 0.2, -0.1), name="b")
    return model.compile()


def inertia_about_centre(run, k):
    """Of all bodies, at row k, from their masses, centres and attitudes."""
    system, total = run.system, np.zeros((3, 3))
    for name, body in zip(system.names, system.bodies, strict=True):
        R, p = run[f"{name}.rotation"][k], run[f"{name}.position"][k]
        d = p + R @ np.asarray(BODIES[name][1]) - run["center_of_mass"][k]
        own = R @ np.diag(BODIES[name][2]) @ R.T
        total += own + body.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return total


BODIES = {
    "a": (2.0, (0.1, 0, 0.2), (0.3, 0.4, 0.5)),
    "b": (1.1, (0.4, -0.1, 0.1), (0.1, 0.2, 0.25)),
}


@pytest.mark.parametrize(
    "joint, rates",
    [
        (ls.Revolute((1, 2, 2)), 1.5),
        (ls.Spherical(), (1.0, -0.5, 0.8)),
        (ls.Universal("x", "y"), (1.0, -0.5)),
        (ls.Cylindrical("y"), (1.0, 0.4)),
    ],
    ids=lambda x: type(x).__name__,
)
@pytest.mark.parametrize(
    "integrator, settings", [("dop853", {"rtol": 1e-11}), ("rk4", {"step": 2e-3})]
)
def test_lock_is_a_plastic_impact(joint, rates, integrator, settings):
    """Momentum stays; the energy left is that of one rigid body with it, P^2/2m + L.I^-1 L/2."""
    system = floating(joint)
    start = system.state(**{"a.rates": [0.2, -0.3, 0.4, 0.1, 0.5, -0.2], "b.rates": rates})
    run = ls.simulate(
        system,
        start,
        duration=2.0,
        integrator=integrator,
        events=[ls.Event(lambda t, state: t - 0.6, ls.Lock("b"), name="lock")],
        **settings,
    )
    assert len(event_times(run)) == 1 and abs(event_times(run)[0] - 0.6) < 1e-12
    (k,) = np.flatnonzero(np.diff(run.time) == 0)
    momentum = run.momentum(about=run["center_of_mass"])
    assert np.abs(momentum[k + 1] - momentum[k]).max() < 1e-13
    assert np.abs(momentum - momentum[0]).max() < 1e-10
    L, P = momentum[k, :3], momentum[k, 3:]
    left = P @ P / (2 * 3.1) + L @ np.linalg.solve(inertia_about_centre(run, k), L) / 2
    kinetic = run.energy.kinetic
    assert abs(kinetic[k + 1] - left) < 1e-12 * left
    assert kinetic[k] > 1.05 * left
    assert np.abs(kinetic[k + 1 :] - left).max() < 1e-10 * left
    # the state up to the lock jumps in the speeds alone, and the joint stays from then on
    assert np.array_equal(run.q[k], run.q[k + 1])
    assert np.all(run["b.rates"][k + 1 :] == 0)
    after = run["b.coordinates"][k + 1 :]
    assert np.abs(after - after[0]).max() < 1e-13


def test_locked_joint_stays_with_generalized_alpha():
    system = floating(ls.Revolute("z"))
    start = system.state(**{"a.rates": [0.2, -0.3, 0.4, 0, 0, 0], "b.rates": 1.5})
    run = ls.simulate(
        system,
        start,
        duration=1.0,
        step=0.01,
        integrator="generalized_alpha",
        events=[ls.Event("b", ls.Lock("b"), value=0.5)],
    )
    after = run["b.angle"][run.time > event_times(run)[0]]
    assert len(event_times(run)) == 1
    assert np.abs(after - after[0]).max() < 1e-13


def test_lock_with_a_rotor_keeps_the_momentum_of_the_other_joint():
    """Two rods about z: (M11 + A) w1 + M12 w2 = (M11 + A) w1', A of the first joint's rotor."""
    model = ls.Model("two")
    link = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(link, ls.Revolute("z"), name="a")
    model.add(link, ls.Revolute("z"), to="a", at=(1, 0, 0), name="b")
    system = model.compile()
    run = ls.simulate(
        system,
        system.state(b=0.5, **{"a.rates": 0.3, "b.rates": 2.0}),
        duration=1.0,
        rtol=1e-11,
        loads=[ls.Actuator("a", ratio=10.0, rotor_inertia=5e-3)],
        events=[ls.Event("b", ls.Lock("b"), value=1.2)],
    )
    (k,) = np.flatnonzero(np.diff(run.time) == 0)
    c = np.cos(1.2) / 2
    M11, M12, A = 1 / 3 + 1 / 3 + 1 + 2 * c, 1 / 3 + c, 0.5
    w1, w2 = run.v[k]
    assert abs(run.v[k + 1, 0] - ((M11 + A) * w1 + M12 * w2) / (M11 + A)) < 1e-12
    assert abs(run.q[-1, 1] - 1.2) < 1e-10


def test_lock_beside_a_driven_joint():
    """In a frame that moves with the driven cart nothing is different; the cart keeps its speed."""
    model = ls.Model("cart")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="cart")
    link = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(link, ls.Revolute("z"), to="cart", name="a")
    model.add(link, ls.Revolute("z"), to="a", at=(1, 0, 0), name="b")
    system = model.compile()
    run = ls.simulate(
        system,
        system.state(b=0.5, **{"cart.rates": 2.0, "a.rates": 0.3, "b.rates": 2.0}),
        duration=0.4,
        rtol=1e-11,
        loads=[ls.Motion("cart", velocity=2.0)],
        events=[ls.Event("b", ls.Lock("b"), value=1.0)],
    )
    (k,) = np.flatnonzero(np.diff(run.time) == 0)
    c = np.cos(1.0) / 2
    M11, M12 = 1 / 3 + 1 / 3 + 1 + 2 * c, 1 / 3 + c
    _, w1, w2 = run.v[k]
    expected = [2.0, w1 + M12 / M11 * w2, 0.0]
    np.testing.assert_allclose(run.v[k + 1], expected, rtol=0, atol=1e-12)
    assert np.all(run["cart.rates"] == 2.0)


@pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")
@pytest.mark.parametrize(
    "integrator, settings",
    [
        ("dop853", {}),
        ("generalized_alpha", {"step": 2e-3}),
        ("linearly_implicit_euler", {"step": 2e-3}),
        ("euler_cromer", {"step": 2e-3}),
    ],
    ids=["dop853", "generalized_alpha", "implicit_euler", "euler_cromer"],
)
def test_lock_of_a_flexible_body(integrator, settings):
    """v' is the nearest to v in the norm of the mass matrix, here dense, with the joint at rest."""
    system = spacecraft()
    start = random_state(system, np.random.default_rng(0), speed=0.5)
    run = ls.simulate(
        system,
        start,
        duration=0.6,
        integrator=integrator,
        events=[ls.Event(lambda t, state: t - 0.4, ls.Lock("boom"))],
        **settings,
    )
    k = np.flatnonzero(np.diff(run.time) == 0)[0]
    M = ls.mass_matrix(system, system.state(q=run.q[k], v=run.v[k]))
    E = np.eye(system.n_v)[:, system.layout.hinge_v("boom")]
    compliance = np.linalg.solve(M, E)
    impulse = np.linalg.solve(E.T @ compliance, E.T @ run.v[k])
    np.testing.assert_allclose(run.v[k + 1], run.v[k] - compliance @ impulse, rtol=0, atol=1e-12)
    momentum = run.momentum()
    assert np.abs(momentum[k + 1] - momentum[k]).max() < 1e-12
    lost = 0.5 * impulse @ (E.T @ run.v[k])
    assert abs(run.energy.kinetic[k] - run.energy.kinetic[k + 1] - lost) < 1e-12 and lost > 0.1


# Releases


def test_release_of_a_locked_pendulum():
    """Caught at an angle, held, let go at 2 s: it swings from rest with that amplitude."""
    model = ls.Model("swinging", gravity=(0, 0, -GRAVITY))
    model.add(ls.RigidBody(2.0, com=(0, 0, -1)), ls.Revolute("y"), name="b")
    system, rate = model.compile(), np.sqrt(GRAVITY)
    run = ls.simulate(
        system,
        system.state(b=2.0),
        duration=4.0,
        rtol=1e-12,
        events=[
            ls.Event("b", ls.Lock("b"), value=-1.3, once=True),
            ls.Event(lambda t, state: t - 2.0, ls.Release("b")),
        ],
    )
    caught, let_go = event_times(run)
    assert abs(let_go - 2.0) < 1e-12
    held = (run.time > caught) & (run.time < let_go)
    assert held.any() and np.abs(run.q[held, 0] + 1.3).max() < 1e-9
    # held against gravity: the force that the lock gives
    assert np.abs(run["b.force"][held, 0] + 2 * GRAVITY * np.sin(1.3)).max() < 1e-10
    free = run.time > let_go
    angle, speed = pendulum(run.time[free] - 2.0, 1.3, rate)
    assert np.abs(run.q[free, 0] + angle).max() < 1e-10
    assert np.abs(run.v[free, 0] + speed).max() < 3e-10


def test_release_of_a_given_motion():
    """Led at a constant speed against a spring, then free: an oscillation from there."""
    model = ls.Model("two slides")
    for name in "bc":
        model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name=name)
    run = ls.simulate(
        model.compile(),
        duration=5.0,
        rtol=1e-11,
        loads=[ls.JointSpring(x, 1.0) for x in "bc"] + [ls.Motion("b", velocity=0.8)],
        events=[ls.Event("b", ls.Release("b"), value=1.0, once=True)],
    )
    assert abs(event_times(run)[0] - 1.25) < 1e-12
    free = run.time > event_times(run)[0]
    t = run.time[free] - 1.25
    assert np.abs(run["b.slide"][free] - (np.cos(t) + 0.8 * np.sin(t))).max() < 1e-9
    # The driven force is all that the motion needs: none, as the mass does not accelerate.
    assert np.abs(run["b.force"][run.time < 1.25]).max() < 1e-12


@pytest.mark.filterwarnings("ignore:the run ended early")
def test_spring_on_a_driven_joint_does_not_stop_the_run():
    model = ls.Model("slide")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="b")
    loads = [ls.JointSpring("b", 1.0), ls.Motion("b", velocity=0.8)]
    run = ls.simulate(model.compile(), duration=1.0, loads=loads)
    assert run.status == "finished" and abs(run.q[-1, 0] - 0.8) < 1e-12


def test_several_actions_at_once_and_lock_of_a_ball():
    model = ls.Model("ball", gravity=(0, 0, -GRAVITY))
    body = ls.RigidBody(1.0, (0, 0, -1), (0.1, 0.1, 0.1))
    model.add(body, ls.Spherical(), name="b")
    system = model.compile()
    run = ls.simulate(
        system,
        system.state(b=quaternion((1, 1, 0), 1.0)),
        duration=1.0,
        loads=[ls.JointDamper("b", 0.3, name="damper")],
        events=[ls.Event(lambda t, s: t - 0.4, [ls.Lock("b"), ls.Switch("damper")])],
    )
    after = run.time > 0.4
    assert np.all(run.v[after] == 0)
    assert np.abs(run.q[after] - run.q[-1]).max() < 1e-15
