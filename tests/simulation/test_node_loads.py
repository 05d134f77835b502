"""Forces and springs on nodes, and flexible drives, against equations written by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson, solve_ivp

import lissom as ls
from tests.references.analytic_motions import oscillator, turn
from tests.samples.flexible_arms import spacecraft
from tests.tools.measures import TOLERANCE, error, random_state

GRAVITY = 9.81


# Springs between nodes


def two_slides(masses=(1.5, 0.8)):
    model = ls.Model("two")
    model.add(ls.RigidBody(masses[0]), ls.Prismatic("x"), name="a")
    model.add(ls.RigidBody(masses[1]), ls.Prismatic("x"), name="b", at=(1.0, 0, 0))
    return model.compile()


@pytest.mark.parametrize("damping", [0.0, 0.3])
@pytest.mark.parametrize(
    "integrator, settings, allowed",
    [
        ("dop853", {"rtol": 1e-11}, 1e-9),
        ("rk4", {"step": 5e-3}, 1e-7),
        ("generalized_alpha", {"step": 1e-3}, 1e-4),
    ],
    ids=["dop853", "rk4", "generalized_alpha"],
)
def test_two_masses_on_a_spring(damping, integrator, settings, allowed):
    """The distance oscillates with the reduced mass, the centre of mass goes straight on."""
    m1, m2 = 1.5, 0.8
    system, k, length = two_slides((m1, m2)), 12.0, 0.9
    start = system.state(a=0.1, b=0.3, **{"a.rates": 0.4, "b.rates": -0.6})
    spring = ls.NodeSpring("a", "b", k, damping=damping, length=length)
    run = ls.simulate(
        system, start, duration=5.0, integrator=integrator, loads=[spring], **settings
    )
    m = m1 * m2 / (m1 + m2)
    x, v = oscillator(run.time, 1.2 - length, -1.0, m, damping, k)
    apart = 1.0 + run.q[:, 1] - run.q[:, 0]
    assert np.abs(apart - length - x).max() < allowed
    assert np.abs(run.v[:, 1] - run.v[:, 0] - v).max() < 10 * allowed
    centre = (m1 * 0.1 + m2 * 0.3 + (m1 * 0.4 - m2 * 0.6) * run.time) / (m1 + m2)
    assert np.abs((run.q @ [m1, m2]) / (m1 + m2) - centre).max() < 1e-12
    pull = k * x + damping * v
    assert np.abs(run["a.load"][:, 3] - pull).max() < 20 * allowed
    assert np.abs(run["b.load"][:, 3] + pull).max() < 20 * allowed


@pytest.mark.parametrize("damping", [0.0, 0.5])
def test_spring_pendulum_in_space(damping):
    """A particle on a spring that hangs from a point of the world, integrated by SciPy."""
    m, k, length, hang = 0.7, 40.0, 0.6, np.array([0.2, -0.1, 1.5])
    model = ls.Model("spring pendulum", gravity=(0, 0, -GRAVITY))
    body = ls.RigidBody(m, inertia=(0.01, 0.02, 0.02))
    model.add(body, ls.Free(), name="b")
    system = model.compile()
    start = system.state(b=[1, 0, 0, 0, 0.5, 0.3, 1.0], **{"b.rates": [0, 0, 0, -0.4, 1.1, 0.3]})
    run = ls.simulate(
        system,
        start,
        duration=4.0,
        output_step=0.05,
        rtol=1e-11,
        loads=[ls.NodeSpring(hang, "b", k, damping=damping, length=length)],
    )

    def rates(t, y):
        d = y[:3] - hang
        r = np.linalg.norm(d)
        pull = k * (r - length) + damping * (d @ y[3:]) / r
        return np.r_[y[3:], -pull * d / (r * m) - [0, 0, GRAVITY]]

    y = solve_ivp(
        rates,
        (0, 4),
        [0.5, 0.3, 1.0, -0.4, 1.1, 0.3],
        method="DOP853",
        t_eval=run.time,
        rtol=1e-12,
        atol=1e-13,
    ).y.T
    assert np.abs(run["b.position"] - y[:, :3]).max() < 1e-10
    assert np.abs(run["b.velocity"] - y[:, 3:]).max() < 1e-9
    stored = 0.5 * k * (np.linalg.norm(run["b.position"] - hang, axis=1) - length) ** 2
    assert np.abs(run["energy.springs"] - stored).max() < 1e-12
    total = run.energy.total
    if damping:
        assert np.all(np.diff(total) < 1e-10) and total[-1] < total[0] - 0.3
    else:
        assert np.abs(total - total[0]).max() < 1e-9


@pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")
def test_damped_spring_between_flexible_bodies_keeps_momentum_and_takes_energy():
    """Inner forces on nodes off the centres; power = -damping rate^2 accounts for the energy."""
    system = spacecraft()
    start = random_state(system, np.random.default_rng(8), speed=0.3)
    k, c, length = 15.0, 2.0, 0.4
    run = ls.simulate(
        system,
        start,
        duration=4.0,
        output_step=1e-3,
        rtol=1e-11,
        loads=[ls.NodeSpring("panel.tip", "hub", k, damping=c, length=length)],
    )
    momentum = run.momentum()
    assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(momentum[0]).max()
    d = run["hub.position"] - run["panel.tip.position"]
    r = np.linalg.norm(d, axis=1)
    rate = np.einsum("ij,ij->i", d, run["hub.velocity"] - run["panel.tip.velocity"]) / r
    assert np.abs(run["energy.springs"] - 0.5 * k * (r - length) ** 2).max() < 1e-12
    total = run.energy.total
    power = -c * rate**2
    lost = cumulative_simpson(power, x=run.time, initial=0)
    assert total[-1] < total[0] - 0.1
    assert np.abs(total - total[0] - lost).max() < 1e-6  # Simpson's rule at 1 ms
    assert np.abs(run["energy.work"] - lost).max() < 1e-6


# Forces on nodes


def rocket(joint):
    model = ls.Model("rocket", gravity=(0, 0, -GRAVITY))
    model.add(ls.RigidBody(3.0, inertia=(0.5, 0.5, 0.5)), joint, name="r")
    return model.compile()


FORCE_WAYS = {
    "constant": (0.0, 0.0, 60.0),
    "function": lambda t: (0.0, 0.0, 60.0),
    "function of state": lambda t, state: (0.0, 0.0, 60.0 + 0 * state.q[0]),
    "table": ls.Table([0.0, 1.0, 5.0], [[0, 0, 60.0]] * 3),
}


@pytest.mark.parametrize("way", FORCE_WAYS)
def test_rocket_that_turns_at_a_constant_rate(way):
    """Thrust along the body's z, turning about y at w: a = F/m (sin wt, 0, cos wt) - g."""
    w, a = 1.3, 20.0
    system = rocket(ls.Free())
    run = ls.simulate(
        system,
        system.state(**{"r.rates": [0, w, 0, 0, 0, 0]}),
        duration=2.0,
        rtol=1e-11,
        loads=[ls.NodeForce("r", FORCE_WAYS[way], axes="body")],
    )
    t = run.time
    x = a / w**2 * (w * t - np.sin(w * t))
    z = a / w**2 * (1 - np.cos(w * t)) - 0.5 * GRAVITY * t**2
    expected = np.stack([x, 0 * t, z], axis=1)
    assert np.abs(run["r.position"] - expected).max() < 1e-10


@pytest.mark.parametrize("way", FORCE_WAYS)
def test_force_in_world_axes_does_not_turn_with_the_body(way):
    system = rocket(ls.Free())
    run = ls.simulate(
        system,
        system.state(**{"r.rates": [0.7, 1.3, -0.4, 0, 0, 0]}),
        duration=2.0,
        rtol=1e-11,
        loads=[ls.NodeForce("r", FORCE_WAYS[way])],
    )
    height = 0.5 * (20.0 - GRAVITY) * run.time**2
    assert np.abs(run["r.position"][:, 2] - height).max() < 1e-10
    assert np.abs(run["r.position"][:, :2]).max() < 1e-10


def test_force_that_grows_and_moment_in_world_and_body_axes():
    """A sphere: angular acceleration = moment / I in fixed axes; cubic way under t-linear force."""
    system = rocket(ls.Free())
    ramp = ls.Table([0.0, 4.0], [[0, 0, 3 * GRAVITY], [12.0, 0, 3 * GRAVITY]])
    run = ls.simulate(
        system,
        duration=2.0,
        rtol=1e-11,
        loads=[ls.NodeForce("r", ramp, (0.3, 0.0, -0.2))],
    )
    t = run.time
    assert np.abs(run["r.position"][:, 0] - t**3 / 6).max() < 1e-9
    assert np.abs(run["r.angular_velocity"] - np.outer(t, [0.6, 0, -0.4])).max() < 1e-12
    turned = np.array([turn((0.6, 0, -0.4), 0.5 * np.hypot(0.6, 0.4) * x * x) for x in t])
    assert np.abs(run["r.rotation"] - turned).max() < 1e-12
    # In body axes of a body that only turns about x the moment is the same as in world axes.
    run = ls.simulate(
        system, duration=2.0, loads=[ls.NodeForce("r", (0, 0, 0), (0.3, 0, 0), axes="body")]
    )
    assert np.abs(run["r.angular_velocity"][-1] - [1.2, 0, 0]).max() < 1e-9


@pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")
@pytest.mark.parametrize("axes", ["world", "body"])
def test_force_at_the_tip_of_a_flexible_body_is_external(axes):
    system = spacecraft()
    start = random_state(system, np.random.default_rng(9), speed=0.2)
    force, moment = np.array([0.5, -1.0, 2.0]), np.array([0.1, 0.3, -0.2])
    load = ls.NodeForce("panel.tip", force, moment, axes=axes)
    run = ls.simulate(system, start, duration=0.01, loads=[load])
    R = ls.pose(system, start, "panel.tip").rotation if axes == "world" else np.eye(3)
    external = {"panel.tip": np.r_[R.T @ moment, R.T @ force]}
    assert (
        error(run.acceleration[0], ls.forward_dynamics(system, start, external=external))
        < TOLERANCE
    )


# Flexible drives


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_flexible_drive_is_two_masses_on_a_spring(kind):
    """Rotor ratio^2 J and load I on k: frequency sqrt(k (I + r^2 J) / (I r^2 J)) over a drift."""
    load, J, ratio, k, c = 0.8, 2e-3, 12.0, 30.0, 0.4
    model = ls.Model("drive")
    if kind == "revolute":
        body = ls.RigidBody(1.0, com=(0.5, 0, 0), inertia=(1, 1, load - 0.25))
        joint = ls.Revolute("z")
    else:
        body, joint = ls.RigidBody(load), ls.Prismatic("z")
    model.add(body, joint, name="arm", at=(0.3, 0, 0))
    drive = ls.flexible_drive(
        model, "arm", stiffness=k, damping=c, ratio=ratio, rotor_inertia=J, name="motor"
    )
    system = model.compile()
    start = system.state(motor=0.2, arm=0.3, **{"motor.rates": 1.0, "arm.rates": -0.5})
    torque = 0.15
    run = ls.simulate(
        system,
        start,
        duration=3.0,
        rtol=1e-11,
        loads=[drive, ls.Actuator("motor", torque, ratio=ratio)],
    )
    rotor = ratio**2 * J
    m = rotor * load / (rotor + load)
    rest = -m * ratio * torque / (rotor * k)  # deflection under the constant torque
    x, v = oscillator(run.time, 0.3 - rest, -0.5, m, c, k)
    motor, arm = run["motor.coordinates"][:, 0], run["arm.coordinates"][:, 0]
    assert np.abs(arm - rest - x).max() < 1e-10
    assert np.abs(run["arm.rates"][:, 0] - v).max() < 1e-9
    t = run.time
    centre = (rotor * 0.2 + load * 0.5 + (rotor * 1.0 + load * 0.5) * t) / (rotor + load)
    centre = centre + 0.5 * ratio * torque / (rotor + load) * t**2
    assert np.abs((rotor * motor + load * (motor + arm)) / (rotor + load) - centre).max() < 1e-12


@pytest.mark.filterwarnings("ignore:the gear of")  # it is meant to swing
def test_flexible_drive_on_a_free_base_keeps_momentum():
    """The inertia that the gear adds belongs to the relative motion: it has energy, no momentum."""
    model = ls.Model("craft")
    model.add(ls.RigidBody(5.0, inertia=(1, 1, 1)), ls.Free(), name="base")
    model.add(
        ls.RigidBody(1.0, com=(0.4, 0, 0.1), inertia=(0.1, 0.2, 0.2)),
        ls.Revolute("z"),
        to="base",
        at=(0.3, 0.1, 0),
        name="arm",
    )
    drive = ls.flexible_drive(model, "arm", stiffness=20.0, ratio=30.0, rotor_inertia=1e-4)
    system = model.compile()
    start = system.state(arm=0.4, **{"arm_rotor.rates": 2.0})
    run = ls.simulate(system, start, duration=5.0, rtol=1e-11, loads=[drive])
    momentum = run.momentum()
    assert np.abs(momentum - momentum[0]).max() < 1e-10
    extra = 0.5 * (30.0**2 - 1) * 1e-4 * run["arm_rotor.rates"][:, 0] ** 2
    assert np.allclose(run["energy.rotors"], extra, rtol=1e-13)
    assert np.allclose(run["energy.springs"], 10.0 * run["arm.angle"] ** 2, rtol=1e-13)
    total = run.energy.total
    assert np.abs(total - total[0]).max() < 1e-9 * total[0]


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_none_is_the_ground_for_a_spring(damping):
    """The origin of the world, from which `at_b` leads to the point."""
    model = ls.Model("mass")
    model.add(ls.RigidBody.box(2.0, (1, 1, 1)), ls.Free(), name="box")
    system = model.compile()
    start = system.state(box=[1, 0, 0, 0, 0.2, 0.5, -0.1])
    point, own = (0.3, -0.2, 1.0), {"length": 0.4, "damping": damping}
    runs = [
        ls.simulate(system, start, duration=0.4, loads=[spring])
        for spring in (
            ls.NodeSpring("box", point, 50.0, **own),
            ls.NodeSpring("box", None, 50.0, at_b=point, **own),
            ls.NodeSpring("box", stiffness=50.0, at_b=point, **own),
            ls.NodeSpring(None, "box", 50.0, at_a=point, **own),
        )
    ]
    for run in runs[1:]:
        np.testing.assert_allclose(run.q[-1], runs[0].q[-1], atol=1e-9)
        np.testing.assert_allclose(run["energy.springs"], runs[0]["energy.springs"], atol=1e-9)
    with pytest.raises(ls.LoadError, match="both ends are on the ground"):
        ls.simulate(system, start, duration=0.1, loads=[ls.NodeSpring(None, None, 1.0)])
