"""Fields of gravity and rotors: orbits, libration, sums over particles, gyrostats, wheels, CMGs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import lissom as ls
from lissom.algorithms.tree.coordinates import error_sizes
from tests.samples.flexible_arms import flexible_body

MU, RADIUS = 3.986004418e14, 7.0e6
RATE = np.sqrt(MU / RADIUS**3)


def acting(system, state, *loads):
    """Generalized forces of loads in a state: those that give the accelerations of a run."""
    with warnings.catch_warnings():  # of deflections; nothing moves
        warnings.simplefilter("ignore", ls.SimulationWarning)
        run = ls.simulate(system, state, duration=1e-9, step=1e-9, integrator="rk4", loads=loads)
    return ls.inverse_dynamics(system, state, run.acceleration[0])


def satellite(body, joint=None):
    model = ls.Model("satellite")
    model.add(body, joint or ls.Free(), name="sat")
    return model.compile()


def quaternion(turn):
    angle = np.linalg.norm(turn)
    return [np.cos(angle / 2), *(np.sin(angle / 2) * np.asarray(turn) / angle)]


# Orbits


def kepler(a, e, t):
    """Position and velocity on an ellipse from its perigee on x, in the plane of x and y."""
    n = np.sqrt(MU / a**3)
    E = brentq(lambda x: x - e * np.sin(x) - n * t, -1e-9, 2 * np.pi + 1e-9, xtol=1e-15)
    c, s, b, rate = np.cos(E), np.sin(E), np.sqrt(1 - e * e), n / (1 - e * np.cos(E))
    return np.array([a * (c - e), a * b * s, 0]), np.array([-a * s * rate, a * b * c * rate, 0])


def test_a_point_mass_goes_round_a_kepler_ellipse():
    a, e = 1.2e7, 0.4
    ball = ls.RigidBody.sphere(10.0, 1e-3)
    system = satellite(ball)
    x, v = kepler(a, e, 0.0)
    turn = quaternion([0.3, -0.8, 0.5])
    state = system.state(sat=[*turn, *x])
    R = ls.pose(system, state, "sat").rotation
    state = system.state(state.q, np.concatenate([np.zeros(3), R.T @ v]))
    period = 2 * np.pi * np.sqrt(a**3 / MU)
    run = ls.simulate(
        system, state, duration=period, loads=[ls.CentralGravity(MU)], rtol=1e-11, output_step=100
    )
    for t in (0.2 * period, 0.7 * period, period):
        exact = kepler(a, e, t)
        there = run.state(t)
        np.testing.assert_allclose(there.q[4:], exact[0], atol=1e-9 * a)
        np.testing.assert_allclose(R @ there.v[3:], exact[1], atol=1e-9 * np.linalg.norm(v))
    places, speeds = run["sat.position"], run["sat.velocity"]
    energy = (speeds**2).sum(axis=1) / 2 - MU / np.linalg.norm(places, axis=1)
    np.testing.assert_allclose(energy, -MU / (2 * a), rtol=1e-9)
    np.testing.assert_allclose(
        np.cross(places, speeds)[:, 2], np.sqrt(MU * a * (1 - e * e)), rtol=1e-9
    )


def test_oblateness_turns_the_plane_of_an_orbit():
    """Secular rate of the node, -3/2 n J2 (R/a)^2 cos i, from one revolution; a = p."""
    j2, equator, i = 1e-3, 6.4e6, 0.9
    speed = np.sqrt(MU / RADIUS)
    system = satellite(ls.RigidBody.sphere(10.0, 1e-3))
    v = speed * np.array([0, np.cos(i), np.sin(i)])
    state = system.state(sat=[1, 0, 0, 0, RADIUS, 0, 0], v=[0, 0, 0, *v])
    period = 2 * np.pi / RATE
    load = ls.CentralGravity(MU, j2=j2, radius=equator)
    run = ls.simulate(
        system, state, duration=20 * period, loads=[load], rtol=1e-10, output_step=period / 200
    )
    h = np.cross(run["sat.position"], run["sat.velocity"])
    node = np.unwrap(np.arctan2(h[:, 0], -h[:, 1]))
    secular = -1.5 * RATE * j2 * (equator / RADIUS) ** 2 * np.cos(i)
    np.testing.assert_allclose(np.polyfit(run.time, node, 1)[0], secular, rtol=5e-3)
    x = run["sat.position"]
    z, r = x[:, 2], np.linalg.norm(x, axis=1)
    potential = -MU / r * (1 - j2 * (equator / r) ** 2 * (3 * z**2 / r**2 - 1) / 2)
    energy = (run["sat.velocity"] ** 2).sum(axis=1) / 2 + potential
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)


# Sums over particles


def particles(system, state, body):
    """Masses, positions and Jacobians of the particles of a flexible body."""
    places = [ls.pose(system, state, f"sat.{k}").position for k in range(len(body.masses))]
    rows = [ls.jacobian(system, state, f"sat.{k}")[3:] for k in range(len(body.masses))]
    return body.masses, np.array(places), np.array(rows)


def bent_state(system, radius, seed, size=0.05):
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal(3)
    place = radius * direction / np.linalg.norm(direction)
    modes = size * rng.standard_normal(system.n_v - 6)
    return system.state(sat=[*quaternion(rng.standard_normal(3)), *place], **{"sat.modes": modes})


def exact_forces(system, state, body):
    """Generalized forces of the exact field, mu = 1, on the particles."""
    m, d, J = particles(system, state, body)
    g = -d / np.linalg.norm(d, axis=1)[:, None] ** 3
    return np.einsum("k,kiv,ki->v", m, J, g)


@pytest.mark.parametrize("level", ["linear", "full"])
def test_the_error_beside_exact_particles_falls_as_third_moments(level):
    """Moments and modal forces by R^-4, forces by R^-5: no term up to second order is missing."""
    body = flexible_body(3, n_node=6, n_mode=3, level=level)
    system = satellite(body)
    size, errors = 0.0 if level == "linear" else 0.1, []
    radii = np.array([100.0, 200.0, 400.0])
    for radius in radii:
        state = bent_state(system, radius, 7, size)
        exact = exact_forces(system, state, body)
        difference = acting(system, state, ls.CentralGravity(1.0)) - exact
        parts = difference[:3], difference[3:6], difference[6:9]
        errors.append([np.linalg.norm(x) for x in parts])
    slopes = [np.polyfit(np.log(radii), np.log(e), 1)[0] for e in np.transpose(errors)]
    np.testing.assert_allclose(sorted(slopes), [-5, -4, -4], atol=0.1)


@pytest.mark.parametrize(
    "kind", ["particles", "lumps", "stiffened", "free", "rod", "beam", "rigid"]
)
def test_a_far_centre_is_constant_gravity(kind):
    """All levels: forces equal those of the model's gravity, found by the other way."""
    bodies = {
        "particles": lambda: flexible_body(3, n_mode=3),
        "lumps": lambda: flexible_body(4, n_mode=3, lumps=True),
        "stiffened": lambda: flexible_body(5, n_mode=2, level="stiffened"),
        "free": lambda: flexible_body(6, n_mode=3, free=True, lumps=True),
        "rod": lambda: ls.rod(2.0, ls.Circle(0.01), ls.ALUMINIUM, damping=0.0),
        "beam": lambda: ls.beam(2.0, ls.Circle(0.01), ls.ALUMINIUM, modes=4, level="stiffened"),
        "rigid": lambda: ls.RigidBody(2.0, (0.1, 0.3, -0.2), np.diag([2.0, 3.0, 4.0])),
    }
    body, far = bodies[kind](), 1e12
    direction = np.array([0.6, -0.64, 0.48])
    g = 9.0 * direction
    systems = []
    for gravity in ((0, 0, 0), g):
        model = ls.Model("sat", gravity=gravity)
        model.add(body, ls.Free(), name="sat", at=(0.1, 0.2, 0.3))
        systems.append(model.compile())
    rng = np.random.default_rng(1)
    n = systems[0].n_v - 6
    size = {"rod": 0.02, "beam": 0.01}.get(kind, 0.1)
    q = [*(size * rng.standard_normal(n)), *quaternion([0.4, -0.9, 0.3]), 1.0, -2.0, 0.5]
    state = systems[0].state(q)
    load = ls.CentralGravity(9.0 * far**2, center=far * direction)
    found = acting(systems[0], state, load)
    wanted = -ls.gravity_force(systems[1], systems[1].state(q))
    np.testing.assert_allclose(found, wanted, atol=2e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("kind", ["particles", "lumps", "stiffened", "rod"])
@pytest.mark.parametrize("field", ["central", "tidal"])
def test_forces_are_derivatives_of_a_potential(kind, field):
    """The work around a small rectangle of generalized displacements vanishes."""
    bodies = {
        "particles": lambda: flexible_body(3, n_mode=3),
        "lumps": lambda: flexible_body(4, n_mode=3, lumps=True),
        "stiffened": lambda: ls.beam(
            2.0,
            ls.Rectangle(0.02, 0.03),
            ls.ALUMINIUM,
            bending=(2, 1),
            torsion=0,
            level="stiffened",
        ),
        "rod": lambda: ls.rod(2.0, ls.Rectangle(0.02, 0.03), ls.ALUMINIUM, bending=2, torsion=1),
    }
    system = satellite(bodies[kind](), ls.Universal("x", (0.1, 0.9, 0.3)))
    load = ls.CentralGravity(400.0, center=(3, 4, 12))
    if field == "tidal":
        load = ls.GravityGradient(1.5, radial=(3, 4, 0), normal="z", center=(3, 4, 12))
    n, sizes = system.n_v, error_sizes(system)[0]
    q = 0.05 * sizes * np.random.default_rng(2).standard_normal(n)
    q[:-2] *= 0.02 if kind == "rod" else 1.0  # its elastic forces would hide the field

    def force(q):
        state = system.state(q)
        return acting(system, state, load) - acting(system, state)

    slopes = np.zeros((n, n))
    for k in range(n):
        step = 1e-3 * sizes[k] * np.eye(n)[k]
        slopes[k] = sizes * (force(q + step) - force(q - step)) / 2e-3
    np.testing.assert_allclose(slopes, slopes.T, atol=3e-6 * np.abs(slopes).max())
    assert np.abs(slopes[:-2, :-2]).max() > 1e-6 * np.abs(slopes).max()


# Attitude


def box(inertia):
    return ls.RigidBody(100.0, (0, 0, 0), np.diag(inertia))


@pytest.mark.parametrize("inertial", [True, False])
def test_pitch_libration_of_a_box_on_a_circle(inertial):
    """Frequency n sqrt(3 (I_roll - I_yaw) / I_pitch): x radial (yaw), y along (roll), z pitch."""
    yaw, roll, pitch = 40.0, 90.0, 100.0
    system, amplitude = satellite(box((yaw, roll, pitch))), 1e-3
    turn, v = quaternion([0, 0, amplitude]), RADIUS * RATE
    x, load = np.zeros(3), ls.GravityGradient(RATE)
    speed = np.zeros(3)
    if inertial:
        x, load = np.array([RADIUS, 0, 0]), ls.CentralGravity(MU)
        speed = v * np.array([np.sin(amplitude), np.cos(amplitude), 0])
    state = system.state([*turn, *x], [0, 0, RATE, *speed])
    wanted = RATE * np.sqrt(3 * (roll - yaw) / pitch)
    period = 2 * np.pi / wanted
    run = ls.simulate(
        system, state, duration=period, loads=[load], rtol=1e-11, output_step=period / 8
    )
    angles = 2 * np.arctan2(run.q[:, 3], run.q[:, 0])
    libration = (angles - RATE * run.time + np.pi) % (2 * np.pi) - np.pi
    wave = amplitude * np.cos(wanted * run.time)
    np.testing.assert_allclose(libration, wave, atol=2e-5 * amplitude)


@pytest.mark.parametrize("inertial", [True, False])
def test_an_upright_boom_is_pulled_by_three_times_the_orbits_rate(inertial):
    """Tension at the root: 3 n^2 m times the distance of its centre from that of the whole."""
    boom = ls.beam(20.0, ls.Tube(radius=0.02, thickness=0.001), ls.CARBON, bending=2, torsion=0)
    model = ls.Model("satellite")
    model.add(ls.RigidBody.box(100.0, (1, 1, 1)), ls.Free(), name="hub")
    model.add(boom, ls.Fixed(), to="hub", name="boom")
    system = model.compile()
    m = system.bodies[1].mass
    offset = 10.0 * m / (100.0 + m)
    far, load = -offset, ls.GravityGradient(RATE)
    if inertial:
        far, load = RADIUS - offset, ls.CentralGravity(MU)
    state = system.state(
        hub=[1, 0, 0, 0, far, 0, 0], **{"hub.rates": [0, 0, RATE, 0, RATE * far, 0]}
    )
    settings = {"integrator": "generalized_alpha", "step": 0.1, "duration": 100.0}
    run = ls.simulate(system, state, loads=[load], **settings)
    tension = 3 * RATE**2 * m * (10.0 - offset)
    np.testing.assert_allclose(-run["boom.reaction"][-1, 3], tension, rtol=1e-4)


def test_particles_near_the_point_move_by_the_equations_of_clohessy_and_wiltshire():
    system = satellite(ls.RigidBody.sphere(10.0, 1e-3))
    x0, y0, z0, u0, w0 = 3.0, -2.0, 1.0, 0.002, 0.001
    v0, n = -2 * RATE * x0, RATE  # no drift
    state = system.state(
        [1, 0, 0, 0, x0, y0, z0], [0, 0, 0, u0 - n * y0, v0 + n * x0, w0]
    )  # velocity in axes that do not turn
    t = 0.8 * 2 * np.pi / n
    run = ls.simulate(system, state, duration=t, loads=[ls.GravityGradient(n)], rtol=1e-11)
    c, s = np.cos(n * t), np.sin(n * t)
    own = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ run.state(t).q[4:]
    x = (4 - 3 * c) * x0 + s / n * u0 + 2 / n * (1 - c) * v0
    y = 6 * (s - n * t) * x0 + y0 - 2 / n * (1 - c) * u0 + (4 * s - 3 * n * t) / n * v0
    np.testing.assert_allclose(own, [x, y, z0 * c + w0 / n * s], atol=1e-8)


# Rotors

WHEEL, SIDE = 0.06, 0.04  # inertia of a wheel about its axis and across
AXIS = np.array([0.36, 0.48, 0.8])
AT = np.array([0.1, -0.2, 0.05])
HULL = np.array([[5.0, 0.3, -0.2], [0.3, 6.0, 0.4], [-0.2, 0.4, 4.0]])


def wheel_inertia(axial):
    return SIDE * np.eye(3) + (axial - SIDE) * np.outer(AXIS, AXIS)


def gyrostats(locked):
    """A hull with a real wheel, and one body with its mass and its inertia, locked or without."""
    along = np.linalg.svd(AXIS[None])[2]  # rows: AXIS, and two across
    R = np.stack([along[1], np.cross(AXIS, along[1]), AXIS], axis=1)
    model = ls.Model("real")
    model.add(ls.RigidBody(40.0, (0, 0, 0), HULL), ls.Free(), name="hull")
    wheel = ls.RigidBody(3.0, (0, 0, 0), np.diag([SIDE, SIDE, WHEEL]))
    model.add(wheel, ls.Revolute("z"), name="wheel", to="hull", at=AT, rotation=R)
    real = model.compile()
    one = ls.Model("one")
    total, com = 43.0, 3.0 * AT / 43.0
    arm = 3.0 * ((AT @ AT) * np.eye(3) - np.outer(AT, AT))
    about_origin = HULL + wheel_inertia(WHEEL if locked else 0.0) + arm
    shift = total * ((com @ com) * np.eye(3) - np.outer(com, com))
    one.add(ls.RigidBody(total, com, about_origin - shift), ls.Free(), name="hull")
    return real, one.compile()


START = np.array([0.3, -0.2, 0.5, 0.1, 0.0, -0.1])


def same_hull(real, one, t):
    there, here = real.state(t), one.state(t)
    np.testing.assert_allclose(here.q, there["hull"], atol=1e-9)
    np.testing.assert_allclose(here.v, there["hull.rates"], atol=1e-9)


SPEEDS = {
    "constant": 300.0,
    "function": lambda t: 300 + 40 * np.sin(2 * t),
    "table": ls.Table([0, 1, 2, 3], [300, 340, 280, 300], "smooth"),
}


@pytest.mark.parametrize("kind", SPEEDS)
def test_a_rotor_of_given_speed_moves_its_carrier_as_a_real_wheel(kind):
    real, one = gyrostats(locked=True)
    motion = ls.Motion("wheel", velocity=SPEEDS[kind])
    settings = {"duration": 3.0, "rtol": 1e-11}
    there = ls.simulate(real, real.state(v=[*START, 300.0]), loads=[motion], **settings)
    rotor = ls.Rotor("hull", WHEEL, SPEEDS[kind], axis=AXIS)
    here = ls.simulate(one, one.state(v=START), loads=[rotor], **settings)
    same_hull(there, here, 3.0)


@pytest.mark.parametrize("integrator", ["dop853", "generalized_alpha"])
def test_a_driven_rotor_moves_its_carrier_as_a_real_wheel_with_a_motor(integrator):
    real, one = gyrostats(locked=False)
    speed, torque = 200.0, lambda t: 2.0 * np.cos(3 * t)
    settings = {"rtol": 1e-11} if integrator == "dop853" else {"step": 1e-3}
    there = ls.simulate(
        real,
        real.state(v=[*START, speed]),
        duration=2.0,
        loads=[ls.Actuator("wheel", torque)],
        integrator=integrator,
        **settings,
    )
    rotor = ls.Rotor("hull", WHEEL, speed + AXIS @ START[:3], axis=AXIS, torque=torque)
    here = ls.simulate(
        one, one.state(v=START), duration=2.0, loads=[rotor], integrator=integrator, **settings
    )
    if integrator == "dop853":
        same_hull(there, here, 2.0)
    else:
        np.testing.assert_allclose(here.state(2.0).v, there.state(2.0)["hull.rates"], atol=2e-4)


def test_a_rotor_on_a_turned_frame_of_a_bending_boom_pushes_its_node():
    boom = ls.beam(2.0, ls.Tube(radius=0.02, thickness=0.002), ls.ALUMINIUM, modes=4)
    model = ls.Model("boom")
    model.add(boom, ls.Universal("y", "z"), name="boom")
    turn = {"rpy": (0.4, -0.7, 1.1)}
    model.frame("seat", on="boom.tip", at=(0.1, 0, 0.2), rotation=turn)
    system = model.compile()
    rng = np.random.default_rng(4)
    state = system.state(0.05 * rng.standard_normal(6), rng.standard_normal(6))
    speed, J = 50.0, 0.3
    omega = ls.velocity(system, state, "seat", axes="body")[:3]
    moment = -np.cross(omega, J * speed * AXIS)
    found = acting(system, state, ls.Rotor("seat", J, speed, axis=AXIS))
    wanted = ls.jacobian(system, state, "seat", axes="body")[:3].T @ moment
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())


def test_nutation_of_a_dual_spin_satellite():
    """Transverse rates turn at ((I_a - I_t) spin + h) / I_t in the body."""
    across, along, spin, h = 50.0, 30.0, 0.4, 20.0
    system = satellite(box((across, across, along)))
    rate = ((along - across) * spin + h) / across
    loads = [ls.Rotor("sat", 0.1, h / 0.1)]
    state = system.state(v=[0.02, 0, spin, 0, 0, 0])
    run = ls.simulate(system, state, duration=20.0, loads=loads, rtol=1e-11)
    wave = 0.02 * np.array([np.cos(rate * 20.0), np.sin(rate * 20.0)])
    np.testing.assert_allclose(run.state(20.0).v[:2], wave, atol=1e-10)
    np.testing.assert_allclose(run.state(20.0).v[2], spin, rtol=1e-12)


def test_torque_of_a_control_moment_gyro():
    """A wheel on a gimbal that turns at a given rate: h times the rate, across both axes."""
    model = ls.Model("cmg")
    model.add(ls.RigidBody.sphere(2.0, 0.1), ls.Revolute("x"), name="gimbal")
    system = model.compile()
    h, rate = 12.0, 0.7
    rotor = ls.Rotor("gimbal", 0.05, h / 0.05, axis="z")
    run = ls.simulate(
        system,
        system.state(v=[rate]),
        duration=1.0,
        loads=[ls.Motion("gimbal", velocity=rate), rotor],
        output_step=0.1,
    )
    np.testing.assert_allclose(run["gimbal.reaction"][5, :3], [0, -h * rate, 0], atol=1e-9)


def test_a_geared_rotor_turns_with_its_joint():
    """On a turntable at w, an arm about x at u with a rotor geared up: moment h w about -y."""
    model = ls.Model("arm")
    ball = ls.RigidBody.sphere(1.0, 0.1)
    model.add(ball, ls.Spherical(), name="table")
    model.add(ball, ls.Revolute("x"), name="arm", to="table")
    system = model.compile()
    w, u, J, ratio = np.array([0.2, -0.4, 0.9]), 1.5, 2e-3, 80.0
    state = system.state(v=[*w, u])
    load = ls.Rotor("table", J, axis="x", geared_to="arm", ratio=ratio)
    found = acting(system, state, load) - acting(system, state)
    np.testing.assert_allclose(found[:3], -np.cross(w, [J * ratio * u, 0, 0]), atol=1e-9)
    np.testing.assert_allclose(found[3], 0, atol=1e-9)


# Derivatives


def test_derivatives_of_a_field_and_of_a_wheel_have_their_closed_forms():
    system = satellite(ls.RigidBody.sphere(3.0, 1e-4))
    x, mu, h = np.array([3.0, -4.0, 12.0]), 500.0, 7.0
    w = np.array([0.3, -0.2, 0.6])
    state = system.state([1, 0, 0, 0, *x], [*w, 1, 2, 3])
    loads = [ls.CentralGravity(mu), ls.Rotor("sat", 0.1, 10 * h, axis=AXIS)]
    found = ls.load_derivatives(system, state, loads)
    r = np.linalg.norm(x)
    force = -3.0 * mu * x / r**3
    gradient = -3.0 * mu / r**3 * (np.eye(3) - 3 * np.outer(x, x) / r**2)
    np.testing.assert_allclose(found.forces, [*-np.cross(w, h * AXIS), *force], atol=1e-9)
    np.testing.assert_allclose(found.q[3:, 3:], gradient, atol=1e-9)
    np.testing.assert_allclose(found.q[3:, :3], -np.cross(np.eye(3), force).T, atol=1e-9)
    np.testing.assert_allclose(found.v[:3, :3], -np.cross(np.eye(3), h * AXIS).T, atol=1e-9)
    np.testing.assert_allclose(found.v[3:], 0, atol=1e-9)


@pytest.mark.parametrize("kind", ["particles", "free", "rod"])
def test_derivatives_of_a_field_on_bodies_that_bend_are_those_of_its_forces(kind):
    bodies = {
        "particles": lambda: flexible_body(4, n_mode=3, lumps=True),
        "free": lambda: flexible_body(6, n_mode=3, free=True),
        "rod": lambda: ls.rod(2.0, ls.Rectangle(0.02, 0.03), ls.ALUMINIUM, bending=2, torsion=0),
    }
    system = satellite(bodies[kind](), ls.Universal("x", (0.1, 0.9, 0.3)))
    load, sizes = ls.CentralGravity(400.0, center=(3, 4, 12)), error_sizes(system)[0]
    q = 1e-3 * sizes * np.random.default_rng(2).standard_normal(system.n_v)
    found = ls.load_derivatives(system, system.state(q), [load])
    for k, size in enumerate(sizes):
        step, sides = 1e-3 * size * np.eye(len(q))[k], []
        for side in (1, -1):
            state = system.state(q + side * step)
            sides.append(acting(system, state, load) - acting(system, state))
        slope = (sides[0] - sides[1]) / (2e-3 * size)
        np.testing.assert_allclose(found.q[:, k] * size * sizes, slope * size * sizes, atol=1e-4)


# Files, symbols, mistakes


@pytest.mark.parametrize(
    "field",
    [
        ls.CentralGravity(MU, center=(1, 2, 3), j2=1e-3, radius=6.4e6, pole=(0, 3, 4)),
        ls.GravityGradient(1e-3, radial="y", normal="x"),
    ],
)
def test_loads_go_to_files_and_back(tmp_path, field):
    model = ls.Model("satellite")
    model.add(ls.RigidBody.box(10.0, (1, 2, 3)), ls.Free(), name="sat")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("z"), name="arm", to="sat")
    loads = [
        field,
        ls.Rotor("sat", 0.1, 20.0, axis="y"),
        ls.Rotor("sat", 0.1, 5.0, torque=ls.Table([0, 1], [0, 2])),
        ls.Rotor("sat", 0.1, geared_to="arm", ratio=9.0, name="motor"),
    ]
    path = tmp_path / "satellite.toml"
    model.save(path, simulation={"loads": loads, "duration": 1.0})
    again = ls.load_run(path).settings["loads"]
    assert [type(x) for x in again] == [type(x) for x in loads]
    for one, other in zip(loads, again, strict=True):
        for name in one.file_fields:
            mine, its = getattr(one, name), getattr(other, name)
            if isinstance(mine, ls.Table):
                mine, its = mine.values, its.values
            np.testing.assert_array_equal(mine, its)


def test_files_check_the_units_of_fields_and_rotors(tmp_path):
    path = tmp_path / "satellite.toml"
    model = ls.Model("satellite")
    model.add(ls.RigidBody.box(10.0, (1, 2, 3)), ls.Free(), name="sat")
    model.save(path, simulation={"loads": [], "duration": 1.0})
    text = path.read_text()
    field = '[[simulation.loads]]\nkind = "central_gravity"\nmu = "{}"\n'
    wheel = (
        '[[simulation.loads]]\nkind = "rotor"\nwhere = "sat"\ninertia = "1 kg m^2"\nspeed = "{}"\n'
    )
    path.write_text(text + field.format("398600.4418 km^3/s^2") + wheel.format("600 rpm"))
    gravity, rotor = ls.load_run(path).settings["loads"]
    np.testing.assert_allclose(gravity.mu, MU, rtol=1e-15)
    np.testing.assert_allclose(rotor.speed, 20 * np.pi, rtol=1e-15)
    path.write_text(text + field.format("4e14 m^2/s^2") + wheel.format("600 m/s"))
    with pytest.raises(ls.ModelFileError, match=r"gravitational parameter(.|\n)*angular speed"):
        ls.load_run(path)


MISTAKES = {
    "mu is -1.0; expected a positive": lambda: ls.CentralGravity(-1.0),
    "j2 is 0.001, but radius is 0": lambda: ls.CentralGravity(1.0, j2=1e-3),
    "pole is zero": lambda: ls.CentralGravity(1.0, pole=(0, 0, 0)),
    "not square to each other": lambda: ls.GravityGradient(1.0, radial="x", normal=(1, 1, 0)),
    "rate is 0; expected a positive": lambda: ls.GravityGradient(0),
    "inertia is 0": lambda: ls.Rotor("sat", 0.0),
    "leave speed and torque out": lambda: ls.Rotor("sat", 1.0, 3.0, geared_to="arm"),
    "speed is .*because the torque is given": lambda: ls.Rotor("sat", 1.0, abs, torque=1.0),
    "table of steps": lambda: ls.Rotor("sat", 1.0, ls.Table([0, 1], [1, 2], "steps")),
}


@pytest.mark.parametrize("message", MISTAKES)
def test_mistakes_in_loads_are_named(message):
    with pytest.raises(ls.LoadError, match=message):
        MISTAKES[message]()


def test_mistakes_beside_a_system_are_named():
    model = ls.Model("sat", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.box(10.0, (1, 2, 3)), ls.Free(), name="sat")
    model.frame("wall", on=None)
    system = model.compile()
    for load, message in (
        (ls.CentralGravity(1.0), "the model has a constant gravity"),
        (ls.Rotor("wall", 1.0, 2.0), "'wall' is fixed to the ground"),
        (ls.Rotor("hull", 1.0, 2.0), "no body or frame 'hull'"),
        (ls.Rotor("sat", 1.0, geared_to="sat"), "has 6 speeds; a rotor is geared to"),
        (ls.Rotor("sat", 1.0, lambda t, state: 1.0), "function of time alone"),
    ):
        with pytest.raises(ls.LoadError, match=message):
            ls.simulate(system, duration=0.1, loads=[load])


def test_an_event_switches_a_field_off():
    system = satellite(ls.RigidBody.sphere(1.0, 0.1))
    load = ls.CentralGravity(4.0, center=(2, 0, 0), name="sun")
    event = ls.Event(lambda t, state: t - 0.5, ls.Switch("sun", False))
    run = ls.simulate(system, duration=1.0, loads=[load], events=[event], output_step=0.1)
    assert run.acceleration[2, 3] > 0.9
    np.testing.assert_array_equal(run.acceleration[-1], 0)


def test_section_loads_by_equilibrium_are_refused_where_a_field_acts(tmp_path):
    boom = ls.beam(2.0, ls.Tube(radius=0.02, thickness=0.002), ls.ALUMINIUM, modes=4)
    system = satellite(boom)
    run = ls.simulate(system, duration=0.01, loads=[ls.GravityGradient(1e-3)])
    run.save(tmp_path / "run.nc")
    for one in (run, ls.Trajectory.load(tmp_path / "run.nc")):
        with pytest.raises(ls.StateError, match="'sat': its section loads follow from all"):
            one["sat.tip.section_force"]


TWICE = [
    ([ls.CentralGravity(MU), ls.GravityGradient(RATE)], "CentralGravity .* GravityGradient"),
    ([ls.GravityGradient(RATE), ls.CentralGravity(MU)], "take CentralGravity alone"),
    ([ls.GravityGradient(RATE), ls.GravityGradient(RATE, radial="y", name="b")], "twice"),
    ([ls.CentralGravity(MU), ls.CentralGravity(MU / 2, name="b")], "sum of both mu"),
]


@pytest.mark.parametrize("function", ["simulate", "linearize", "derivatives", "equilibrium"])
@pytest.mark.parametrize(("loads", "message"), TWICE)
def test_gravity_that_would_count_twice_is_refused(loads, message, function):
    """In every function that takes loads, in either order."""
    system = satellite(ls.RigidBody(1.0, inertia=(1, 2, 3)))
    state = system.state(sat=[1, 0, 0, 0, RADIUS, 0, 0])
    call = {
        "simulate": lambda: ls.simulate(system, state, duration=1.0, loads=loads),
        "linearize": lambda: ls.linearize(system, state, loads=loads),
        "derivatives": lambda: ls.load_derivatives(system, state, loads),
        "equilibrium": lambda: ls.equilibrium(system, state, loads=loads),
    }[function]
    with pytest.raises(ls.LoadError, match=message):
        call()


def test_gravity_of_two_centres_adds_up():
    ball, there = satellite(ls.RigidBody.sphere(2.0, 1e-3)), np.array([3.0, 4.0, 12.0])
    state = ball.neutral()
    pull = acting(ball, state, ls.CentralGravity(50.0, center=there, name="a"),
                  ls.CentralGravity(20.0, center=(0, 0, -2), name="b"))  # fmt: skip
    expected = 2 * (50 * there / 13**3 + 20 * np.array([0, 0, -1]) / 4)
    assert np.allclose(pull[3:], expected, rtol=1e-6)
