"""Rolling wheels and balls, and skates: known motions, and both texts of the equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom as ls
from lissom.algorithms.loops.closed_loops import constrained_dynamics
from lissom.algorithms.tree.coordinates import moved
from lissom.algorithms.tree.reference import kinematics_base_to_tip

MASS, RADIUS, G = 2.0, 0.3, 9.81
AXIAL, ACROSS = MASS * RADIUS**2 / 2, MASS * RADIUS**2 / 4
DISK = ls.RigidBody(MASS, inertia=(ACROSS, AXIAL, ACROSS))
HOOP = ls.RigidBody(MASS, inertia=np.array([0.5, 1, 0.5]) * MASS * RADIUS**2)


def coin(gravity=(0, 0, -G)):
    model = ls.Model("coin", gravity=gravity)
    model.add(DISK, ls.Free(), name="disk")
    model.close(ls.Rolling(RADIUS, "y"), None, "disk", name="road")
    return model.compile()


def leaning(system, lean, rates):
    """State that touches the plane: leaned about x, angular velocity [rad/s] in body axes."""
    high = RADIUS * np.cos(lean)
    q = (np.cos(lean / 2), np.sin(lean / 2), 0, 0, 0, 0, high)
    w = np.asarray(rates, dtype=float)
    arm = np.array([0, 0, -RADIUS])  # in body axes: the lowest point of the edge
    return system.state(disk=q, **{"disk.rates": (*w, *-np.cross(w, arm))})


def rolled(start_rotation, w0, times):
    """Centre of a thin disk by momentum about the moving point of contact, without multipliers."""
    J, n = np.diag([ACROSS, AXIAL, ACROSS]), np.array([0.0, 0.0, 1.0])

    def arm(R):
        u = n - (n @ R[:, 1]) * R[:, 1]
        return -RADIUS * u / np.linalg.norm(u)

    def skew(a):
        return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])

    def rates(_, y):
        R, w = y[3:12].reshape(3, 3), y[12:]
        rho, turn = arm(R), skew(w) @ R
        h = 1e-6
        rho_dot = (arm(R + h * turn) - arm(R - h * turn)) / (2 * h)
        about = R @ J @ R.T
        # J wdot + w x J w = rho x m (a - g),  a = -(wdot x rho) - w x rho_dot
        A = about - MASS * skew(rho) @ skew(rho)
        push = MASS * np.cross(rho, -np.cross(w, rho_dot) + G * n) - np.cross(w, about @ w)
        return np.concatenate([-np.cross(w, rho), turn.ravel(), np.linalg.solve(A, push)])

    centre = (0, 0, -arm(start_rotation)[2])
    start = np.concatenate([centre, start_rotation.ravel(), w0])
    found = solve_ivp(rates, (0, times[-1]), start, rtol=1e-10, atol=1e-12, t_eval=times)
    return found.y[:3].T


def test_a_leaning_disk_rolls_as_by_momentum_about_its_point_of_contact():
    system = coin()
    start = leaning(system, 0.4, (0.3, 9.0, 1.5))
    run = ls.simulate(system, start, duration=1.0, output_step=0.1, rtol=1e-10)
    pose = ls.pose(system, start, "disk")
    expected = rolled(pose.rotation, pose.rotation @ start.v[:3], run.time)
    np.testing.assert_allclose(run["disk.position"], expected, atol=2e-8)
    assert np.ptp(run.energy.total) < 1e-8
    assert np.abs(run["road.gap"]).max() < 1e-12 and np.abs(run["road.rate"]).max() < 1e-11
    lowest = run["disk.position"][:, :2]
    assert (np.linalg.norm(run["road"] - lowest, axis=1) < RADIUS).all()


@pytest.mark.parametrize("body, critical", [
    (DISK, np.sqrt(G * RADIUS / 3)),
    (HOOP, np.sqrt(G * RADIUS / 4)),
])  # fmt: skip
def test_a_disk_and_a_hoop_roll_upright_above_their_critical_speed(body, critical):
    model = ls.Model("coin", gravity=(0, 0, -G))
    model.add(body, ls.Free(), name="disk")
    model.close(ls.Rolling(RADIUS, "y"), None, "disk", name="road")
    system = model.compile()

    def most_lean(speed):
        start = leaning(system, 1e-4, (0, speed / RADIUS, 0))
        run = ls.simulate(system, start, duration=8.0, output_step=0.05)
        q = run["disk.rotation"]
        return np.abs(q[:, 2, 1]).max() if q.ndim == 3 else np.nan

    assert most_lean(1.05 * critical) < 4e-3 < most_lean(0.95 * critical) / 10


def test_a_ball_rolls_down_an_incline_with_five_sevenths_of_the_acceleration():
    angle = 0.3
    model = ls.Model("ball", gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    model.add(ls.RigidBody.sphere(MASS, RADIUS), ls.Free(), name="ball", at=(0, 0, RADIUS))
    model.close(ls.RollingBall(RADIUS), None, "ball", name="slope")
    system = model.compile()
    vdot = ls.forward_dynamics(system, system.neutral())
    assert vdot[3] == pytest.approx(5 / 7 * G * np.sin(angle), rel=1e-13)
    force = ls.loop_forces(system, system.neutral())[0]
    expected = MASS * G * np.array([-2 / 7 * np.sin(angle), 0, np.cos(angle)])
    np.testing.assert_allclose(force[3:], expected, atol=1e-12)


def test_a_ball_on_a_turntable_circles_at_two_sevenths_of_its_rate():
    spin = 3.0
    model = ls.Model("turntable", gravity=(0, 0, -G))
    model.add(ls.RigidBody.cylinder(5.0, 2.0, 0.1), ls.Revolute("z"), name="table")
    model.add(ls.RigidBody.sphere(MASS, RADIUS), ls.Free(), name="ball")
    model.close(ls.RollingBall(RADIUS), "table", "ball", name="contact")
    system = model.compile()
    start = system.state(
        ball=(1, 0, 0, 0, 0.5, 0.2, RADIUS),
        **{"table.rates": spin, "ball.rates": (0.2, -0.3, 0.4, 0.1, 0.3, 0)},
    )
    start = ls.assemble(system, start, held=["table"])
    table = ls.Motion("table", acceleration=lambda t: 0.0)
    run = ls.simulate(system, start, duration=2.0, output_step=0.1, rtol=1e-10, loads=[table])
    v = run["ball.rates"][:, 3:]
    v = np.einsum("tij,tj->ti", run["ball.rotation"], v)
    turned = 2 / 7 * spin * run.time
    c, s = np.cos(turned), np.sin(turned)
    expected = np.stack([c * v[0, 0] - s * v[0, 1], s * v[0, 0] + c * v[0, 1]], axis=1)
    np.testing.assert_allclose(v[:, :2], expected, atol=1e-8)
    assert run["ball.position"][:, 2] == pytest.approx(RADIUS, abs=1e-12)


def sleigh(arm, inertia):
    """Body on a plane; its edge is behind the centre of mass, which is `arm` ahead along x."""
    model = ls.Model("sleigh", gravity=(0, 0, 0))
    body = ls.RigidBody(MASS, com=(arm, 0, 0), inertia=(inertia, inertia, inertia))
    model.add(body, ls.Planar("z"), name="sleigh")
    model.close(ls.Skate("y"), None, "sleigh", name="edge")
    return model.compile()


@pytest.mark.parametrize("settings", [
    {"rtol": 1e-10},
    {"integrator": "generalized-alpha", "step": 1e-3},
    {"integrator": "rk4", "step": 2e-3},
])  # fmt: skip
def test_the_sleigh_of_chaplygin(settings):
    arm, inertia, end = 0.4, 0.1, 1.2  # the sleigh ends along its edge with this speed
    system = sleigh(arm, inertia)
    about = inertia + MASS * arm**2
    kappa, spin = MASS * arm * end / about, end * np.sqrt(MASS / about)
    t0 = -1.0  # v = end tanh(kappa t), w = spin / cosh(kappa t)
    start = system.state(
        **{"sleigh.rates": (end * np.tanh(kappa * t0), 0, spin / np.cosh(kappa * t0))}
    )
    run = ls.simulate(system, start, duration=2.0, output_step=0.1, **settings)
    t, bound = run.time + t0, 3e-6 if "step" in settings else 1e-8
    v, w = end * np.tanh(kappa * t), spin / np.cosh(kappa * t)
    rates, heading = run["sleigh.rates"], run["sleigh.angle"]
    np.testing.assert_allclose(rates[:, 2], w, atol=bound)
    along = np.cos(heading) * rates[:, 0] + np.sin(heading) * rates[:, 1]
    np.testing.assert_allclose(along, v, atol=bound)
    assert np.abs(run["edge.rate"]).max() < 1e-10
    side = MASS * v * w * (1 - MASS * arm**2 / about)
    np.testing.assert_allclose(run["edge.force"][:, 1], side, atol=100 * bound)


def cart():
    """Chassis that slides on the plane x, y, with two driven wheels on one axle."""
    model = ls.Model("cart", gravity=(0, 0, -G))
    chassis = ls.RigidBody.box(8.0, (0.6, 0.5, 0.1))
    model.add(chassis, ls.Planar("z"), name="chassis", at=(0, 0, RADIUS))
    for name, y in (("left", 0.4), ("right", -0.4)):
        model.add(DISK, ls.Revolute("y"), to="chassis", at=(0, y, 0), name=name)
        model.close(ls.Rolling(RADIUS, "y"), None, name, name=f"{name} tyre")
    return model.compile()


def test_a_cart_with_two_driven_wheels():
    system, torque = cart(), 0.7
    rest = system.neutral()
    vdot = ls.forward_dynamics(system, rest, {"left": torque, "right": torque})
    inertia = 8.0 + 2 * MASS + 2 * AXIAL / RADIUS**2
    assert vdot[0] == pytest.approx(2 * torque / RADIUS / inertia, rel=1e-12)
    vdot = ls.forward_dynamics(system, rest, {"left": -torque, "right": torque})
    about = 8.0 / 12 * (0.6**2 + 0.5**2) + 2 * (ACROSS + MASS * 0.4**2)
    about += 2 * AXIAL * (0.4 / RADIUS) ** 2
    assert vdot[2] == pytest.approx(2 * torque * 0.4 / RADIUS / about, rel=1e-12)
    needed = ls.inverse_dynamics(system, rest, vdot, actuated=["left", "right"])
    wheels = [system.layout.hinge_v(name).start for name in ("left", "right")]
    np.testing.assert_allclose(needed[wheels], (-torque, torque), rtol=1e-12)
    found = ls.closure(system, rest)
    assert (found.rank, len(found.independent.indices)) == (3, 2)
    assert sum(map(len, found.redundant.values())) == 3


def test_wheels_turn_a_cart_in_a_circle():
    system, rates = cart(), {"left.rates": 4.0, "right.rates": 6.0}
    start = ls.assemble(system, system.state(**rates), held=["left", "right"])
    assert start.v[0] == pytest.approx(5 * RADIUS) and start.v[2] == pytest.approx(RADIUS / 0.4)
    held = [ls.Motion(name, acceleration=lambda t: 0.0) for name in ("left", "right")]
    run = ls.simulate(system, start, duration=2.0, output_step=0.1, loads=held)
    turned, around = RADIUS / 0.4 * run.time, 5 * RADIUS / (RADIUS / 0.4)
    expected = around * np.stack([np.sin(turned), 1 - np.cos(turned)], axis=1)
    np.testing.assert_allclose(run["chassis.position"][:, :2], expected, atol=1e-9)


def rover():
    """Wheel on a flexible arm, ball and keel of a car on a leaning plane of a raft that moves."""
    model = ls.Model("rover", gravity=(0.3, -1, -9.8))
    tilt = np.array([[1, 0, 0], [0, np.cos(0.2), -np.sin(0.2)], [0, np.sin(0.2), np.cos(0.2)]])
    model.add(ls.RigidBody.box(20.0, (3, 3, 0.2)), ls.Free(), name="raft")
    model.add(ls.RigidBody.box(5.0, (0.6, 0.3, 0.2)), ls.Free(), name="car")
    arm = ls.beam(0.7, ls.Rectangle(0.02, 0.01), ls.ALUMINIUM, bending=2, torsion=1)
    model.add(arm, ls.Revolute("z"), to="car", at=(0.3, 0.1, 0), name="arm")
    model.add(DISK, ls.Revolute((0.1, 1, 0)), to="arm.tip", at=(0, 0.05, 0), name="wheel")
    ball = ls.RigidBody.sphere(1.0, 0.1)
    model.add(ball, ls.Spherical(), to="car", at=(-0.3, 0, 0), name="ball")
    wheel = ls.Rolling(RADIUS, (0.1, 1, 0))
    model.close(wheel, "raft", "wheel", at_a=(0, 0, 0.1), rotation_a=tilt, name="tyre")
    model.close(ls.RollingBall(0.1), "raft", "ball", rotation_a=tilt, name="castor")
    model.close(ls.Skate((0, 1, 0.3)), "raft", "car", at_b=(0.1, 0, -0.1), name="keel")
    return model.compile()


def test_both_texts_agree_and_bias_is_the_derivative_of_the_rates():
    system, rng = rover(), np.random.default_rng(7)
    q = system.neutral().q.copy()
    q[system.layout.modal_q("arm")] = 1e-3 * rng.standard_normal(system.bodies[2].n_mode)
    v = rng.standard_normal(system.n_v)
    v[system.layout.modal_v("arm")] *= 1e-3
    rough = system.state(q, v, car=(0.8, 0.0, 0.0, 0.6, 0.1, 0.2, 0.9))
    state = ls.assemble(system, rough)
    closed = ls.closure(system, state)
    assert np.abs(closed.gap).max() < 1e-12 and np.abs(closed.rate).max() < 1e-12
    forces = rng.standard_normal(system.n_v)
    motions = kinematics_base_to_tip(system, state.q, state.v)
    vdot, _ = constrained_dynamics(system, motions, forces)
    for method in ("articulated", "composite"):
        found = ls.forward_dynamics(system, state, forces, method=method)
        np.testing.assert_allclose(found, vdot, atol=1e-9 * np.abs(vdot).max())
    scale = (np.abs(closed.jacobian) @ np.abs(vdot)).max()
    np.testing.assert_allclose(closed.jacobian @ vdot + closed.bias, 0, atol=1e-12 * scale)
    h = 1e-6
    ahead, behind = (
        ls.closure(system, (moved(system, state.q, s * h * state.v), state.v)) for s in (1, -1)
    )
    np.testing.assert_allclose((ahead.rate - behind.rate) / (2 * h), closed.bias, atol=2e-8)
    np.testing.assert_allclose((ahead.gap - behind.gap)[[0, 3]] / (2 * h), 0, atol=1e-8)


def test_contacts_are_written_to_files_and_read_again(tmp_path):
    model = ls.Model("coin", gravity=(0, 0, -G))
    model.add(DISK, ls.Free(), name="disk")
    model.close(ls.Rolling(RADIUS, (0, 1, 0)), None, "disk", name="road")
    model.close(ls.Skate("x"), None, "disk", name="edge")
    model.save(tmp_path / "coin.toml")
    again = ls.load(tmp_path / "coin.toml").compile()
    assert [loop.joint.label for loop in again.loops] == ["rolling 0.3 y", "skate x"]
    system = coin()
    start = leaning(system, 0.2, (0, 5.0, 0.3))
    ls.simulate(system, start, duration=0.1, file=tmp_path / "run.nc")
    kept = ls.Trajectory.load(tmp_path / "run.nc")
    np.testing.assert_array_equal(kept["road.coordinates"], kept["road"])
    assert kept.system.loops[0].joint.radius == RADIUS


def test_contacts_in_formulas():
    """Program of the equations of a disk on five joints and of a skate, against the recursion."""
    model, light = ls.Model("disk", gravity=(0, 0, -G)), ls.RigidBody(0.1, inertia=(0.01,) * 3)
    joints = {"x": ls.Prismatic("x"), "y": ls.Prismatic("y"), "z": ls.Prismatic("z")}
    joints |= {"yaw": ls.Revolute("z"), "lean": ls.Revolute("x"), "disk": ls.Revolute("y")}
    carrier = None
    for name, joint in joints.items():
        model.add(DISK if name == "disk" else light, joint, to=carrier, name=name)
        carrier = name
    model.close(ls.Rolling(RADIUS, "y"), None, "disk", name="road")
    model.close(ls.Skate((1, 0.2, 0.4)), None, "lean", name="edge")
    system = model.compile()
    rough = system.state(np.array([0.1, 0.2, 0.3, 0.4, 0.3, 0.2]), np.arange(1.0, 7.0))
    state = ls.assemble(system, rough)
    forces = np.arange(6.0)
    expected, _ = constrained_dynamics(
        system, kinematics_base_to_tip(system, state.q, state.v), forces
    )
    equations = ls.symbolic.derive(model)
    assert len(equations.constraints) == 4
    found = equations.lambdify().forward_dynamics(state.q, state.v, forces)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11 * np.abs(expected).max())


def test_mistakes_are_named():
    model = ls.Model("coin")
    with pytest.raises(ls.ModelError, match="body 'disk': rolling 0.3 y is a contact and cannot"):
        model.add(DISK, ls.Rolling(RADIUS, "y"), name="disk")
    with pytest.raises(ls.ModelError, match="radius is -0.3; expected a positive number"):
        ls.Rolling(-RADIUS, "y")
    model.add(DISK, ls.Free(), name="disk")
    with pytest.raises(ls.ModelError, match="is a contact and cannot carry a body"):
        model.join(ls.Skate("y"), None, "disk", name="edge")
    system = coin()
    sliding = leaning(system, 0.2, (0, 5.0, 0.3)).replace(v=np.ones(6))
    with pytest.raises(ls.StateError, match="road"):
        ls.forward_dynamics(system, sliding)
    with pytest.raises(ls.LoadError, match="loop 'road' is a contact"):
        ls.simulate(system, duration=0.1, loads=[ls.JointDamper("road", 1.0)])
    with pytest.raises(ls.StateError, match="lies flat"):
        ls.closure(system, system.state(disk=(np.sqrt(0.5), np.sqrt(0.5), 0, 0, 0, 0, 0))).gap  # noqa: B018
