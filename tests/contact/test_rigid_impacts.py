"""Rigid impacts as actions of events: impulses, energy, momentum, and what cannot be."""

from __future__ import annotations

import json

import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.errors import LoadError, StateError
from lissom.kernels.layout import run as layout
from lissom.options import RunOptions
from lissom.sim.events.impact_impulse import impact_impulse
from lissom.sim.events.impacts import strike
from lissom.sim.integrators import RungeKutta4
from lissom.sim.run import runner
from lissom.sim.run.prepare import begun_run, prepared
from tests.references.rigid_impacts import march, planar
from tests.samples.flexible_arms import flexible_body
from tests.samples.four_bars import four_bar_of_a_chain
from tests.tools.measures import random_state
from tests.tools.runs import DeathError, dying

GROUND = shapes.HalfSpace()
POINT = shapes.Sphere(0.0)
FLYING = {"integrator": "rk4", "step": 0.02, "duration": 1.0}
SPINNING = {"duration": 0.5, "rtol": 1e-9}


def dropped_ball(gravity=(0, 0, -9.81), joint=None, radius=0.1, mass=1.0):
    model = ls.Model("drop", gravity=gravity)
    inertia = 0.4 * mass * radius**2 * np.ones(3)
    model.add(ls.RigidBody(mass, inertia=inertia), joint or ls.Prismatic("z"), name="ball")
    system = model.compile()
    return system, system.shape("ball", shapes.Sphere(radius), "ball")


def bounce(a, b=GROUND, *numbers, name="bounce", **fields):
    return ls.Event(ls.Gap(a, b), ls.RigidImpact(*numbers, **fields), name=name)


def only(run):
    (event,) = run.events
    (impulse,) = event.impulses
    return impulse


def struck_at(system, event):
    """Function (q, v) -> impulse and speeds after the impact of an event in this state."""
    options = RunOptions(duration=1.0, step=0.01, integrator=RungeKutta4(), events=[event])
    ready = prepared(system, None, options)
    machine = ready.machine
    machine.begin(ready.start.raw_q, ready.start.raw_v, 0.01)
    ((_, place),) = machine.plan.events

    def struck(q, v):
        machine.q[:], machine.v[:] = q, v
        impulse = strike(machine, place, event.actions[0])
        return impulse, machine.v.copy()

    return struck


# The impulse of an impact


@pytest.mark.parametrize("law", ["poisson", "stronge"])
def test_impulse_in_a_plane_is_that_of_its_pieces(law):
    """Slip, stick and reversal, 500 random impacts."""
    rng = np.random.default_rng(1)
    for _ in range(500):
        root = rng.normal(size=(2, 2))
        W = np.zeros((3, 3))
        W[::2, ::2] = root @ root.T + 0.01 * np.eye(2)
        c = np.array([rng.normal(), 0.0, -abs(rng.normal()) - 0.01])
        e, mu = rng.uniform(0, 1), rng.uniform(0, 1.5)
        expected = planar(W[::2, ::2], c[::2], e, mu, law)
        p = impact_impulse(W, c, e, mu, law)
        assert p[1] == 0
        np.testing.assert_allclose(p[::2], expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("law", ["poisson", "stronge"])
@pytest.mark.parametrize("seed, slips", [(3, True), (5, False)])
def test_impulse_in_space_is_the_limit_of_small_steps(law, seed, slips):
    """Slip turns; the march errs by the first order, so that two of them give the limit."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        root = rng.normal(size=(3, 3))
        W = root @ root.T + 0.2 * np.eye(3)
        c = np.append(slips * rng.normal(size=2), -rng.uniform(0.2, 1.0))
        e, mu = rng.uniform(0.2, 0.9), rng.uniform(0.1, 0.8)
        p = impact_impulse(W, c, e, mu, law)
        coarse, fine = (march(W, c, e, mu, law, n) for n in (1000, 2000))
        error = np.abs(p - fine).max()
        assert error < 0.02 * np.abs(p).max()
        assert np.abs(p - (2 * fine - coarse)).max() <= 0.25 * error + 1e-5


def test_no_impact_in_space_gains_energy_or_leaves_the_cone():
    rng = np.random.default_rng(4)
    for k in range(60):
        root = rng.normal(size=(3, 3))
        W = root @ root.T + 10 ** rng.uniform(-3, 0) * np.eye(3)
        c = np.append((k % 5 > 0) * rng.normal(size=2), -abs(rng.normal()) - 0.01)
        e, mu = rng.uniform(0, 1), rng.uniform(0, 1.5)
        for law in ("poisson", "stronge"):
            p = impact_impulse(W, c, e, mu, law)
            assert p @ (2 * c + W @ p) < 1e-11
            assert np.hypot(*p[:2]) <= mu * p[2] * (1 + 1e-11)
            assert (c + W @ p)[2] >= -1e-11


def test_bodies_that_slip_presses_together_again_part_at_last():
    """With much friction the normal speed may fall below zero in the expansion, as here."""
    rng, pressed = np.random.default_rng(77), 0
    for W, c, mu in list(hard_impacts(rng, 400))[260:290]:
        p = impact_impulse(W, c, 1.0, mu, "poisson")
        assert (c + W @ p)[2] >= -1e-9 * np.linalg.norm(c)
        assert p @ (2 * c + W @ p) < 0
        pressed += (c + W @ p)[2] < 1e-9 * np.linalg.norm(c)
    assert pressed >= 1


def hard_impacts(rng, n):
    """Impacts with friction up to 30 on bodies that give way in few directions."""
    for _ in range(n):
        root = rng.normal(size=(3, 3))
        W = root @ root.T + 10 ** rng.uniform(-6, -3) * np.eye(3)
        c = rng.normal(size=3) * [1, 1, 0.1]
        yield W, np.append(c[:2], -abs(c[2]) - 1e-6), 10 ** rng.uniform(0.5, 1.5)


def test_slip_that_stops_and_cannot_stick_goes_on_along_one_direction():
    """Its friction is opposite to where it starts to move, and as large as it can be."""
    W = np.array([[2.0, 0.3, 1.4], [0.3, 1.0, -0.9], [1.4, -0.9, 3.0]])
    p = impact_impulse(W, np.array([0.0, 0.0, -1.0]), 0.5, 0.2, "poisson")
    after = np.array([0.0, 0.0, -1.0]) + W @ p
    assert np.hypot(*p[:2]) == pytest.approx(0.2 * p[2], rel=1e-13)
    along = after[:2] / np.hypot(*after[:2])
    np.testing.assert_allclose(p[:2], -0.2 * p[2] * along, rtol=1e-12)


# Balls


def test_bouncing_ball_ends_where_its_impacts_accumulate():
    """Reference: sqrt(2 h / g) (1 + e) / (1 - e)."""
    system, ball = dropped_ball()
    end = np.sqrt(2 / 9.81) * (1 + 0.8) / (1 - 0.8)
    assert end == pytest.approx(4.06371276887, abs=1e-11)
    with pytest.warns(ls.SimulationWarning, match="stay in contact from .* use a Contact"):
        run = ls.simulate(
            system, system.state(q=[1.1]), events=[bounce(ball, GROUND, 0.8)],
            duration=6.0, integrator="rk4", step=0.01,
        )  # fmt: skip
    assert run.status == "stalled" and end - 1e-5 < run.time[-1] < end
    times = np.array([x.time for x in run.events])
    n = np.arange(40)
    expected = np.sqrt(2 / 9.81) * (1 + 2 * 0.8 * (1 - 0.8**n) / (1 - 0.8))
    assert times[0] == pytest.approx(0.451523640986, abs=1e-12)
    np.testing.assert_allclose(times[:40], expected, rtol=0, atol=1e-9)
    for event in run.events[:20]:
        (x,) = event.impulses
        assert x.rebound == pytest.approx(0.8 * x.approach, rel=1e-12)
        assert x.loss == pytest.approx(0.5 * x.approach**2 * (1 - 0.64), rel=1e-12)
    assert run["ball.position"][:, 2].min() > 0.1 - 1e-10


@pytest.mark.parametrize(
    "settings",
    [{}, {"integrator": "rosenbrock"}, {"integrator": "generalized_alpha", "step": 0.01}],
    ids=str,
)
def test_impacts_are_those_of_the_free_fall_with_any_integrator(settings):
    system, ball = dropped_ball()
    run = ls.simulate(
        system, system.state(q=[1.1]), events=[bounce(ball, GROUND, 0.8)], duration=1.5, **settings
    )
    assert run.status == "finished" and len(run.events) == 2
    first = np.sqrt(2 / 9.81)
    np.testing.assert_allclose([x.time for x in run.events], [first, 2.6 * first], atol=1e-7)


def test_ball_without_restitution_stays_and_the_run_says_so():
    system, ball = dropped_ball()
    with pytest.warns(ls.SimulationWarning, match="stay in contact"):
        run = ls.simulate(
            system, system.state(q=[1.1]), events=[bounce(ball, GROUND, 0.0)], **FLYING
        )
    assert run.status == "stalled" and run.time[-1] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-5)


def test_ball_on_the_ground_at_the_start_is_struck_at_once():
    system, ball = dropped_ball(gravity=(0, 0, 0))
    run = ls.simulate(
        system, system.state(q=[0.1], v=[-1.0]), events=[bounce(ball, GROUND, 0.5)], **FLYING
    )
    assert only(run).rebound == pytest.approx(0.5) and run.events[0].time < 1e-10
    assert run["ball.position"][-1, 2] == pytest.approx(0.6)


@pytest.mark.parametrize("law", ["stronge", "poisson"])
def test_oblique_ball_that_slips_has_the_speed_and_spin_of_its_friction(law):
    """60 degrees from the normal, 1 m/s, friction 0.1, restitution 0.8, radius 10 mm."""
    system, ball = dropped_ball((0, 0, 0), ls.Free(), 0.01, 0.03)
    start = system.state(**{"ball.rates": [0, 0, 0, np.sin(np.pi / 3), 0, -0.5]})
    start = system.state(ball=[1, 0, 0, 0, 0, 0, 0.02], **{"ball.rates": start["ball.rates"]})
    run = ls.simulate(system, start, events=[bounce(ball, GROUND, 0.8, 0.1, law=law)], **SPINNING)
    spin, speed = run.v[-1, :3], run["ball.velocity"][-1]
    np.testing.assert_allclose(speed, [0.776025403784, 0, 0.4], atol=1e-11)
    np.testing.assert_allclose(spin, [0, 22.5, 0], atol=1e-9)


def test_oblique_ball_with_much_friction_rolls_off():
    """Slip stops: 2/7 of the tangential speed is lost."""
    system, ball = dropped_ball((0, 0, 0), ls.Free(), 0.01, 0.03)
    start = system.state(ball=[1, 0, 0, 0, 0, 0, 0.02], **{"ball.rates": [0, 0, 0, 1, 0, -1]})
    run = ls.simulate(system, start, events=[bounce(ball, GROUND, 0.8, 0.9)], **SPINNING)
    np.testing.assert_allclose(run["ball.velocity"][-1], [5 / 7, 0, 0.8], atol=1e-12)
    assert run.v[-1, 1] == pytest.approx(5 / 7 / 0.01)
    assert np.hypot(*only(run).velocity_after[:2]) < 1e-12


def two_balls(e, friction=0.0, **fields):
    model = ls.Model("two", gravity=(0, 0, 0))
    for name, mass in (("a", 1.0), ("b", 3.0)):
        model.add(ls.RigidBody(mass, inertia=0.02 * mass * np.ones(3)), ls.Free(), name=name)
    system = model.compile()
    a, b = (system.shape(name, shapes.Sphere(0.2), name) for name in "ab")
    return system, bounce(a, b, e, friction, **fields)


@pytest.mark.parametrize("friction, law", [(0.0, "newton"), (0.3, "stronge"), (0.3, "poisson")])
def test_balls_that_collide_keep_their_momentum(friction, law):
    system, event = two_balls(0.7, friction, law=law)
    start = system.state(
        a=[1, 0, 0, 0, -1.0, 0.1, 0.05], b=[1, 0, 0, 0, 0.5, 0, 0],
        **{"a.rates": [1.0, 2.0, -1.0, 3.0, 0, 0], "b.rates": [0.5, 0, 4.0, -1.0, 0.1, 0]},
    )  # fmt: skip
    run = ls.simulate(system, start, events=[event], **SPINNING)
    impulse = only(run)
    assert impulse.rebound == pytest.approx(0.7 * impulse.approach, rel=1e-12)
    (k,) = np.flatnonzero(np.diff(run.time) == 0)
    momentum, energy = run.momentum(about=(0, 0, 0)), run.energy.kinetic
    assert np.abs(momentum[k + 1] - momentum[k]).max() < 1e-13
    assert energy[k] - energy[k + 1] == pytest.approx(impulse.loss, rel=1e-11)
    change = impulse.velocity_after - impulse.velocity
    np.testing.assert_allclose(impulse.inertia @ change, impulse.impulse, atol=1e-13)
    n = run["a.position"][k] - run["b.position"][k]
    np.testing.assert_allclose(impulse.normal, n / np.linalg.norm(n), atol=1e-9)
    assert np.linalg.norm(n) == pytest.approx(0.4, abs=1e-12)


def test_balls_in_a_row_pass_the_speed_on():
    """Newton's cradle in sequence: touching balls are struck in turn."""
    model = ls.Model("cradle", gravity=(0, 0, 0))
    for k in range(4):
        model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name=f"b{k}", at=(0.2 * k, 0, 0))
    system = model.compile()
    balls = [system.shape(f"b{k}", shapes.Sphere(0.1), f"b{k}") for k in range(4)]
    events = [bounce(balls[k + 1], balls[k], 1.0, name=f"{k}") for k in range(3)]
    run = ls.simulate(system, system.state(b0=-0.5, **{"b0.rates": 1.0}), events=events, **FLYING)
    assert [x.label for x in run.events] == ["0", "1", "2"]
    np.testing.assert_allclose(run.v[-1], [0, 0, 0, 1], atol=1e-12)


# Mechanisms


def kane_levinson():
    """Two rods of 1 m and 1 kg on hinges, and the point at the tip."""
    model = ls.Model("pendulum", gravity=(0, 0, 0))
    rod = ls.RigidBody(1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 1e-9))
    model.add(rod, ls.Revolute("y"), name="upper")
    model.add(rod, ls.Revolute("y"), to="upper", at=(0, 0, -1), name="lower")
    system = model.compile()
    return system, system.shape("lower", shapes.Sphere(0.0, at=(0, 0, -1)), "tip")


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.5, 0.7])
@pytest.mark.parametrize("law", ["poisson", "stronge"])
def test_double_pendulum_on_a_rough_floor_never_gains_energy(mu, law):
    """25 random impacts against the equations of Kane and Levinson, by angles from the vertical.

    With Newton's law and friction the worst of such impacts multiplies the energy by 3038.
    """
    system, tip = kane_levinson()
    rng, ratios = np.random.default_rng(int(10 * mu)), []
    while len(ratios) < 25:
        a, b = rng.uniform(0.2, 1.2, 2)
        rates = rng.normal(size=2)
        M = np.array([[4 / 3, 0.5 * np.cos(a - b)], [0.5 * np.cos(a - b), 1 / 3]])
        J = np.array([[-np.cos(a), -np.cos(b)], [np.sin(a), np.sin(b)]])  # turns about y: x, z
        c = J @ rates
        if c[1] > -1e-2:
            continue
        W = J @ np.linalg.solve(M, J.T)
        p = planar(W, c, 0.5, mu, law)
        expected = rates + np.linalg.solve(M, J.T @ p)
        floor = shapes.HalfSpace(at=(0, 0, -np.cos(a) - np.cos(b)))
        struck = struck_at(system, bounce(tip, floor, 0.5, mu, law=law))
        impulse, v = struck([a, b - a], [rates[0], rates[1] - rates[0]])
        np.testing.assert_allclose([v[0], v[0] + v[1]], expected, atol=1e-9)
        np.testing.assert_allclose(impulse.impulse, [p[0], 0, p[1]], atol=1e-9)
        ratios.append((expected @ M @ expected) / (rates @ M @ rates))
        loss = (rates @ M @ rates - expected @ M @ expected) / 2
        assert impulse.loss == pytest.approx(loss, abs=1e-9)
    assert max(ratios) <= 1


def test_impact_of_a_flying_body_with_friction_is_that_of_its_dense_equations():
    """A corner of a tumbling body; slip turns: the reference is the march of small steps."""
    model = ls.Model("die", gravity=(0, 0, 0))
    inertia, arm = np.array([0.02, 0.03, 0.045]), np.array([0.2, -0.1, -0.25])
    model.add(ls.RigidBody(2.0, inertia=inertia), ls.Free(), name="die")
    system = model.compile()
    corner = system.shape("die", shapes.Sphere(0.0, at=arm), "corner")
    struck = struck_at(system, bounce(corner, GROUND, 0.6, 0.4))
    v = np.array([3.0, -2.0, 1.0, 0.5, 0.8, -2.0])
    impulse, after = struck([1, 0, 0, 0, 0, 0, 0.25], v)
    skew = np.cross(np.eye(3), arm)
    J = np.hstack([skew.T, np.eye(3)])
    np.testing.assert_allclose(J @ v, np.cross(v[:3], arm) + v[3:], atol=1e-15)
    inverse = np.diag(np.concatenate([1 / inertia, [0.5] * 3]))
    W = J @ inverse @ J.T
    coarse, fine = (march(W, J @ v, 0.6, 0.4, "stronge", n) for n in (2000, 4000))
    p = 2 * fine - coarse
    np.testing.assert_allclose(impulse.impulse, p, atol=1e-5)
    np.testing.assert_allclose(after, v + inverse @ J.T @ impulse.impulse, atol=1e-12)
    np.testing.assert_allclose(impulse.inertia, np.linalg.inv(W), rtol=1e-9, atol=1e-10)


def test_mechanism_of_one_freedom_in_a_loop_reverses():
    """Whatever its loops: all speeds are multiplied by -e."""
    system = four_bar_of_a_chain().compile()
    state = ls.assemble(system, system.state(crank=-0.9, **{"crank.rates": 0.7}))
    pin = system.shape("rocker", shapes.Sphere(0.0, at=(1.0, 0, 0)), "pin")
    x = np.asarray(ls.pose(system, state, "rocker").position)
    x = x + ls.pose(system, state, "rocker").rotation @ [1.0, 0, 0]
    velocity = (ls.jacobian(system, state, "rocker", at=(1.0, 0, 0)) @ state.v)[3:]
    wall = shapes.HalfSpace(-velocity, at=x + 1e-3 * velocity)
    run = ls.simulate(
        system, state, events=[bounce(pin, wall, 0.6)], duration=2e-3, integrator="rk4", step=1e-3
    )
    (k,) = np.flatnonzero(np.diff(run.time) == 0)
    np.testing.assert_allclose(run.v[k + 1], -0.6 * run.v[k], atol=1e-9)
    impulse = only(run)
    energy = run.energy.kinetic
    assert impulse.loss == pytest.approx(energy[k] - energy[k + 1], rel=1e-8)
    assert list(impulse.loops) == ["D"]


def test_joint_that_is_driven_keeps_its_speed():
    """A ball on a cart that a motion drives is struck by a wall as if the cart were not there."""
    model = ls.Model("cart", gravity=(0, 0, 0))
    model.add(ls.RigidBody(5.0), ls.Prismatic("x"), name="cart")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), to="cart", name="ball")
    system = model.compile()
    ball = system.shape("ball", shapes.Sphere(0.1), "ball")
    wall = shapes.HalfSpace((-1, 0, 0), at=(1, 0, 0))
    start = system.state(**{"cart.rates": 0.5, "ball.rates": 1.5})
    run = ls.simulate(
        system, start, loads=[ls.Motion("cart", velocity=0.5)],
        events=[bounce(ball, wall, 0.5)], **FLYING,
    )  # fmt: skip
    assert only(run).approach == pytest.approx(2.0) and only(run).rebound == pytest.approx(1.0)
    assert only(run).inertia[0, 0] == pytest.approx(1.0)
    np.testing.assert_allclose(run.v[-1], [0.5, -1.5], atol=1e-12)


def rod_on_a_hinge(model):
    model.add(ls.rod(1.0, ls.Rectangle(0.02, 0.03), ls.STEEL), ls.Revolute("z"), name="arm")


def modal_body_on_a_ball_joint(model):
    model.add(flexible_body(2), ls.Spherical(), name="arm")


def flexible_arm_on_a_flying_base(model):
    model.add(ls.RigidBody(2.0, (0.1, 0, 0.2), (0.3, 0.4, 0.5)), ls.Free(), name="base")
    joint = ls.Universal("y", "z")
    model.add(flexible_body(1), joint, to="base", at=(0.1, 0.2, 0.3), name="arm")


@pytest.mark.parametrize(
    "build", [rod_on_a_hinge, modal_body_on_a_ball_joint, flexible_arm_on_a_flying_base]
)
def test_impact_of_a_mechanism_is_that_of_its_mass_matrix(build):
    """v+ - v- = M^-1 J* p, with the impulse in the cone of friction and the loss of the energy."""
    model = ls.Model("arm", gravity=(0, 0, 0))
    build(model)
    system, rng = model.compile(), np.random.default_rng(3)
    state = random_state(system, rng, deformation=0.02)
    x, v = ls.pose(system, state, "arm.tip").position, ls.velocity(system, state, "arm.tip")[3:]
    n = -v / np.linalg.norm(v) + 0.3 * rng.normal(size=3)
    n /= np.linalg.norm(n)
    event = bounce(system.shape("arm.tip", POINT), shapes.HalfSpace(n, at=x), 0.6, 0.4)
    impulse, after = struck_at(system, event)(state.raw_q, state.raw_v)
    M, J = ls.mass_matrix(system, state), ls.jacobian(system, state, "arm.tip")[3:]
    change = np.linalg.solve(M, J.T @ impulse.impulse)
    np.testing.assert_allclose(after, state.v + change, atol=1e-10 * np.abs(state.v).max())
    np.testing.assert_allclose(impulse.velocity, v, atol=1e-12)
    np.testing.assert_allclose(impulse.velocity_after, J @ after, atol=1e-10)
    normal = n @ impulse.impulse
    assert np.linalg.norm(impulse.impulse - normal * n) <= 0.4 * normal * (1 + 1e-10)
    loss = (state.v @ M @ state.v - after @ M @ after) / 2
    assert loss > 0 and impulse.loss == pytest.approx(loss, rel=1e-9)


def test_share_of_the_compliance_is_what_fixed_shapes_take_away():
    """A cantilever: all shapes give the tip the same, 4 / m, so that half of them give a half."""
    section = ls.GeneralSection(1e-3, 2e-7, 2e-7, 4e-7)
    material = ls.Material("sheet", 7e10, 2700.0)
    body = ls.beam(
        2.0, section, material, bending=(4, 0), torsion=0, stretch=0, shapes="clamped",
        level="linear", damping=0.0,
    )  # fmt: skip
    model = ls.Model("cantilever", gravity=(0, 0, 0))
    model.add(body, ls.Fixed(), name="arm")
    system = model.compile()
    wall = shapes.HalfSpace((0, -1, 0))
    struck = struck_at(system, bounce(system.shape("arm.tip", POINT), wall, 0.5))
    J = ls.jacobian(system, (np.zeros(4), np.zeros(4)), "arm.tip")[4]
    impulse, _ = struck(np.zeros(4), 0.1 * np.sign(J))
    assert impulse.share == pytest.approx(0.5, abs=1e-3)
    assert impulse.inertia[1, 1] == pytest.approx(2.0 * 2.7 / 16, rel=1e-3)


def flexible_arm(n):
    section = ls.GeneralSection(1e-3, 2e-7, 2e-7, 4e-7)
    material = ls.Material("sheet", 7e10, 2700.0)
    model = ls.Model("arm", gravity=(0, 0, 0))
    body = ls.beam(
        2.0, section, material, bending=(n, 0), torsion=0, stretch=0, shapes="clamped",
        level="linear", damping=0.0,
    )  # fmt: skip
    model.add(body, ls.Revolute("z"), name="arm")
    system = model.compile()
    return system, system.shape("arm.tip", POINT, "tip")


def stopped_arm(n, e=0.5, **fields):
    system, tip = flexible_arm(n)
    fields = {"duration": 0.102, "rtol": 1e-9, **fields}
    stop = shapes.HalfSpace((0, -1, 0), at=(0, 0.1, 0))
    start = system.state(**{"arm.rates": [0.5]})
    return system, ls.simulate(system, start, events=[bounce(tip, stop, e, name="stop")], **fields)


@pytest.mark.filterwarnings("ignore:.*rise with the number of shapes")
@pytest.mark.filterwarnings("ignore:.*stay in contact")
def test_flexible_arm_that_hits_a_stop_keeps_its_energy_but_for_the_losses():
    """The impulse excites the modes; between impacts nothing is lost."""
    _, run = stopped_arm(3, duration=0.11)
    energy = run["energy.total"]
    losses = np.array([x.impulses[0].loss for x in run.events])
    assert len(losses) >= 2 and np.all(losses > 0)
    assert energy[0] - energy[-1] == pytest.approx(losses.sum(), rel=1e-5)
    assert np.diff(energy).max() < 1e-8 * energy[0]
    first = run.events[0].impulses[0]
    assert first.energy > 0.1 * (energy[0] - first.loss)
    assert first.rebound == pytest.approx(0.5 * first.approach, rel=1e-10)


@pytest.mark.filterwarnings("ignore:.*rise with the number of shapes")
def test_impact_of_a_flexible_arm_is_that_of_its_mass_matrix():
    system, run = stopped_arm(3)
    (k, *_) = np.flatnonzero(np.diff(run.time) == 0)
    q, before, after = run.q[k], run.v[k], run.v[k + 1]

    def height(x):
        return float(ls.pose(system, (x, before), "arm.tip").position[1])

    steps = 1e-5 * np.eye(len(q))
    J = np.array([(height(q + s) - height(q - s)) / 2e-5 for s in steps])
    solved = np.linalg.solve(ls.mass_matrix(system, (q, before)), J)
    expected = before - 1.5 * solved * (J @ before) / (J @ solved)
    np.testing.assert_allclose(after, expected, atol=1e-6 * np.abs(expected).max())


def test_run_warns_where_peaks_after_an_impact_rise_with_the_number_of_shapes():
    with pytest.warns(ls.SimulationWarning, match="rise with the number of shapes.*A Contact"):
        _, run = stopped_arm(4, duration=0.101)
    assert run.events[0].impulses[0].share > 0.02
    assert any("is an impact of tip" in x for x in run.peak_notes())


# What an event watches


def test_gap_of_a_box_is_that_of_its_lowest_corner():
    model = ls.Model("box", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.box(1.0, (0.2, 0.3, 0.4)), ls.Free(), name="box")
    system = model.compile()
    box = system.shape("box", shapes.Box((0.2, 0.3, 0.4)), "box")
    turn = np.array([0.9, 0.2, -0.3, 0.1]) / np.linalg.norm([0.9, 0.2, -0.3, 0.1])
    start = system.state(box=[*turn, 0, 0, 1.0])
    event = ls.Event(ls.Gap(GROUND, box), ls.Stop(), name="lands")
    run = ls.simulate(system, start, events=[event], duration=1.0)
    assert run.status == "event"
    corners = np.array(np.meshgrid([-0.1, 0.1], [-0.15, 0.15], [-0.2, 0.2])).reshape(3, -1)
    at_end = run["box.position"][-1][:, None] + run["box.rotation"][-1] @ corners
    assert abs(at_end[2].min()) < 1e-9


def test_gap_may_be_watched_at_a_distance_and_lock_a_joint():
    system, ball = dropped_ball()
    lock = ls.Event(ls.Gap(ball, GROUND), ls.Lock("ball"), value=0.3)
    run = ls.simulate(system, system.state(q=[1.1]), events=[lock], **FLYING)
    assert run["ball.position"][-1, 2] == pytest.approx(0.4)
    assert run.events[0].label == "ball and HalfSpace"


def test_shapes_on_nodes_and_frames_are_where_the_witness_of_a_contact_has_them():
    """The value that the search sees is the gap of the closest points that the impact uses."""
    system, tip = flexible_arm(2)
    stop = shapes.HalfSpace((0, -1, 0), at=(0, 0.1, 0))
    event = ls.Event(ls.Gap(tip, stop), ())
    options = RunOptions(duration=1.0, step=0.01, integrator=RungeKutta4(), events=[event])
    ready = prepared(system, system.state(arm=0.3, **{"arm.modes": [0.05, -0.02]}), options)
    begun_run(ready)
    machine = ready.machine
    machine.memory[layout.KNOWN] = 0.0
    machine.advance(0)
    ((_, place),) = machine.plan.events
    y = ls.pose(system, (machine.q, machine.v), "arm.tip").position[1]
    assert machine.memory[place] == pytest.approx(0.1 - y, abs=1e-14)
    (closest,) = machine.plan.gaps[place].closest(system, ready.start)
    assert closest.gap == pytest.approx(0.1 - y, abs=1e-14)


# Several at once


def test_impacts_at_one_instant_that_do_not_affect_each_other_are_both_taken():
    model = ls.Model("pair", gravity=(0, 0, -9.81))
    for name in "ab":
        model.add(ls.RigidBody(1.0), ls.Prismatic("z"), at=(ord(name), 0, 1.1), name=name)
    system = model.compile()
    balls = [system.shape(name, shapes.Sphere(0.1), name) for name in "ab"]
    events = [bounce(x, GROUND, 0.5, name=x.name) for x in balls]
    run = ls.simulate(system, events=events, **FLYING | {"duration": 0.8})
    assert sorted(x.label for x in run.events) == ["a", "b"]
    np.testing.assert_allclose(run.v[-1, 0], run.v[-1, 1], atol=1e-12)


def bar_on_two_feet():
    model = ls.Model("bar", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(1.0, inertia=(0.01, 0.1, 0.1)), ls.Free(), name="bar")
    system = model.compile()
    feet = [system.shape("bar", shapes.Sphere(0.1, at=(x, 0, 0)), f"{x}") for x in (-1, 1)]
    return system, feet


def test_impacts_at_one_instant_that_affect_each_other_need_an_order():
    """Of two feet of a bar that lands flat the first takes 1.5 m z' / (1 + m / J)."""
    system, feet = bar_on_two_feet()
    start = system.state(bar=[1, 0, 0, 0, 0, 0, 1.1])
    events = [bounce(x, GROUND, 0.5, name=x.name) for x in feet]
    words = "event '-1' and event '1' are impacts at one instant"
    with pytest.warns(ls.SimulationWarning, match=words):
        run = ls.simulate(system, start, events=events, **FLYING)
    assert run.status == "failed" and "order=" in run.message
    events = [bounce(x, GROUND, 0.5, name=x.name, order=-k) for k, x in enumerate(feet)]
    run = ls.simulate(system, start, events=events, **FLYING | {"duration": 0.46})
    assert [x.label for x in run.events[:2]] == ["1", "-1"]
    (first,), (second,) = run.events[0].impulses, run.events[1].impulses
    speed, reduced = np.sqrt(2 * 9.81), 1 / (1 + 1 / 0.1)
    assert first.approach == pytest.approx(speed)
    assert np.linalg.norm(first.impulse) == pytest.approx(1.5 * reduced * speed)
    assert second.approach == pytest.approx(speed + 1.5 * reduced * speed * (1 / 0.1 - 1))


def test_box_that_falls_flat_is_refused_with_the_remedy():
    model = ls.Model("box", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.box(1.0, (0.2, 0.2, 0.2)), ls.Prismatic("z"), name="box")
    system = model.compile()
    box = system.shape("box", shapes.Box((0.2, 0.2, 0.2)), "box")
    with pytest.warns(
        ls.SimulationWarning, match="box and HalfSpace of the world meet at 4 points at once"
    ):
        run = ls.simulate(
            system, system.state(q=[0.5]), events=[bounce(box, GROUND, 0.5)], **FLYING
        )
    assert run.status == "failed" and "use a Contact" in run.message


def test_shapes_that_nothing_can_move_are_refused():
    system, ball = dropped_ball()
    with pytest.warns(ls.SimulationWarning, match="neither can give way"):
        run = ls.simulate(
            system, system.state(q=[0.5], v=[-1.0]), events=[bounce(ball, GROUND, 0.5)],
            loads=[ls.Motion("ball", velocity=-1.0)], **FLYING,
        )  # fmt: skip
    assert run.status == "failed"


# Arguments


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: ls.RigidImpact(1.2), "restitution is 1.2; expected a number from 0 to 1"),
        (lambda: ls.RigidImpact(-0.1), "restitution is -0.1"),
        (lambda: ls.RigidImpact(0.5, -1), "friction is -1"),
        (lambda: ls.RigidImpact(0.5, law="kane"), "law is 'kane'"),
        (lambda: ls.RigidImpact(0.5, 0.1, law="newton"), "may gain energy; use law="),
        (lambda: ls.Gap(3, GROUND), "a is 3"),
        (lambda: ls.Event("ball", ls.RigidImpact(0.5)), r"give Event\(Gap\(a, b\)"),
        (lambda: bounce("ball", GROUND, 0.5, name="x") and ls.Event(3), "Gap"),
        (
            lambda: ls.Event(ls.Gap("a", "b"), ls.RigidImpact(0.5), direction=1),
            "direction is 1, but a RigidImpact is where the gap falls to zero",
        ),
        (lambda: ls.Event(ls.Gap("a", "b"), rate=True), "rate=True is for joints"),
        (lambda: ls.Event(ls.Gap("a", "b"), [ls.RigidImpact(1), ls.RigidImpact(1)]), "two actions"),
    ],
)
def test_arguments_that_cannot_be_are_refused(make, words):
    with pytest.raises(LoadError, match=words):
        make()


@pytest.mark.parametrize(
    "a, b, words",
    [
        ("ball", GROUND, "carries no shape"),
        (GROUND, POINT, "both shapes are fixed to the ground"),
        (GROUND, GROUND, "both shapes are fixed to the ground"),
    ],
)
def test_shapes_that_cannot_meet_are_refused(a, b, words):
    system, _ = dropped_ball()
    with pytest.raises(LoadError, match=words):
        ls.simulate(system, events=[bounce(a, b, 0.5)], **FLYING)


def test_shapes_that_overlap_at_the_start_are_refused():
    system, ball = dropped_ball()
    with pytest.raises(StateError, match="overlap by 0.05 m at the start"):
        ls.simulate(system, system.state(q=[0.05]), events=[bounce(ball, GROUND, 0.5)], **FLYING)


# Files


def test_impulses_of_impacts_are_kept_in_files(tmp_path):
    system, ball = dropped_ball()
    run = ls.simulate(
        system, system.state(q=[1.1]), events=[bounce(ball, GROUND, 0.8)], duration=1.0,
        file=tmp_path / "run.nc",
    )  # fmt: skip
    loaded = ls.Trajectory.load(tmp_path / "run.nc")
    (one,), (other,) = run.events[0].impulses, loaded.events[0].impulses
    assert json.dumps(one.plain()) == json.dumps(other.plain())
    assert other.approach == pytest.approx(np.sqrt(2 * 9.81))


def test_impacts_of_a_model_file_are_those_of_its_model(tmp_path):
    model = ls.Model("drop", gravity=(0, 0, -9.81))
    part = model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), ls.Prismatic("z"), name="ball")
    part.add_shape(shapes.Sphere(0.1))
    model.add_shape(GROUND, name="floor")
    system = model.compile()
    event = bounce("ball", "floor", 0.8, 0.1, law="poisson", order=2.0)
    arguments = {"state": system.state(ball=1.1), "duration": 1.0, "events": [event]}
    model.save(tmp_path / "drop.toml", simulation=arguments)
    again, run = ls.load_run(tmp_path / "drop.toml").simulate(), ls.simulate(system, **arguments)
    assert again.events == run.events and len(run.events) == 1
    (one,), (other,) = run.events[0].impulses, again.events[0].impulses
    assert one.b == other.b == "floor" and other.rebound == one.rebound
    text = (tmp_path / "drop.toml").read_text()
    assert 'law = "poisson"' in text and "direction" not in text
    (tmp_path / "bad.toml").write_text(text.replace("restitution = 0.8", "restitution = 1.8"))
    with pytest.raises(ls.ModelFileError, match="restitution is 1.8; expected a number from 0 to"):
        ls.load_run(tmp_path / "bad.toml").simulate()


def test_gap_to_a_shape_without_a_name_cannot_be_saved(tmp_path):
    model = ls.Model("drop")
    model.add(ls.RigidBody(1.0), ls.Prismatic("z"), name="ball").add_shape(POINT)
    arguments = {"duration": 1.0, "events": [bounce("ball", GROUND, 0.8)]}
    with pytest.raises(ls.ModelFileError, match="give shapes of the model by their names"):
        model.save(tmp_path / "drop.toml", simulation=arguments)


def test_stepper_takes_the_same_impacts():
    system, ball = dropped_ball()
    start, event = system.state(q=[1.1]), bounce(ball, GROUND, 0.8)
    run = ls.simulate(system, start, events=[event], duration=1.0, integrator="rk4", step=0.01)
    stepper = ls.Stepper(system, start, events=[event], integrator="rk4", step=0.01)
    for _ in range(100):
        assert stepper.step()
    assert stepper.events == run.events
    np.testing.assert_array_equal(stepper.q, run.q[-1])


def test_resumed_run_is_that_without_a_break(tmp_path, monkeypatch):
    system, ball = dropped_ball()
    arguments = {"events": [bounce(ball, GROUND, 0.8)], "integrator": "rk4", "step": 0.01}
    start, file = system.state(q=[1.1]), tmp_path / "run.nc"
    whole = ls.simulate(system, start, duration=2.0, **arguments)
    with monkeypatch.context() as patch:
        dying(patch, 4)
        patch.setattr(runner, "SLICE", 1e-4)
        with pytest.raises(DeathError):
            ls.simulate(system, start, duration=2.0, file=file, **arguments)
    resumed = ls.simulate(system, start, duration=2.0, file=file, resume=file, **arguments)
    assert resumed.events == whole.events
    np.testing.assert_array_equal(resumed.q[-1], whole.q[-1])
