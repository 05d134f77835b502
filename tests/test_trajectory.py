"""Trajectories: channels, states between the rows, tables, and what a user can get wrong."""

import copy
import pickle
import sys
import types

import numpy as np
import pytest

import lissom as ls
from lissom.results.interpolation import block_size
from lissom.results.store import FIELDS, Columns, MemoryStore
from lissom.results.trajectory import Trajectory
from tests.kernel_cases import JOINTS, STRUCTURES, far_state, flexible, random_system, rigid
from tests.measures import random_unit

META = {
    "status": "finished",
    "message": "end of the duration",
    "integrator": "rk45",
    "statistics": {"steps": 12},
}


def rows_of(system, time, q, v, a, force=None, wrenches=(), loads=None):
    """Store in memory; forces and loads are zero unless given."""
    n = len(time)
    force = np.zeros((n, system.n_v)) if force is None else force
    loads = np.zeros((n, 6 * len(wrenches))) if loads is None else loads
    columns = Columns(system.n_q, system.n_v, tuple(wrenches))
    return MemoryStore(columns, np.column_stack([time, q, v, a, force, loads]))


def random_run(system, rng, n=5, wrenches=(), **keywords):
    """Rows that have nothing to do with each other."""
    states = [far_state(system, rng, **keywords) for _ in range(n)]
    q, v = np.array([s.q for s in states]), np.array([s.v for s in states])
    a, force = rng.standard_normal((2, n, system.n_v))
    loads = rng.standard_normal((n, 6 * len(wrenches)))
    time = np.cumsum(rng.uniform(0.1, 0.3, n))
    return Trajectory(system, rows_of(system, time, q, v, a, force, wrenches, loads), META)


def named_frames(system):
    """Names of all bodies and named nodes."""
    bodies = zip(system.names, system.bodies, strict=True)
    return [n for name, b in bodies for n in (name, *(f"{name}.{k}" for k in b.node_names))]


class Expected:
    """Channels row by row from the public functions."""

    def __init__(self, run, k):
        self.run, self.system, self.k = run, run.system, k
        self.state = run.system.state(run.q[k], run.v[k])
        self.a = run.acceleration[k]
        self.loads = {}
        given = run.store.read("wrench")[k].reshape(-1, 6)
        for where, wrench in zip(run.store.columns.wrenches, given, strict=True):
            self.loads[where] = self.loads.get(where, np.zeros(6)) + wrench

    def frame(self, where, quantity):
        system, state = self.system, self.state
        match quantity:
            case "position" | "rotation":
                return getattr(ls.pose(system, state, where), quantity)
            case "velocity":
                return ls.velocity(system, state, where)[3:]
            case "angular_velocity":
                return ls.velocity(system, state, where)[:3]
            case "acceleration":
                return ls.acceleration(system, state, where, self.a)[3:]
            case "angular_acceleration":
                return ls.acceleration(system, state, where, self.a)[:3]
        raise AssertionError(quantity)

    def whole(self, name):
        system, state = self.system, self.state
        group, _, part = name.partition(".")
        if group == "energy":
            return getattr(ls.energy(system, state), part)
        if group == "momentum":
            piece = {"": slice(0, 6), "angular": slice(0, 3), "linear": slice(3, 6)}[part]
            return ls.momentum(system, state)[piece]
        return ls.center_of_mass(system, state)

    def reactions(self):
        return ls.joint_forces(self.system, self.state, self.a, external=self.loads)


FRAME_QUANTITIES = [
    "position",
    "rotation",
    "velocity",
    "angular_velocity",
    "acceleration",
    "angular_acceleration",
]
SUMS = [
    "energy.kinetic",
    "energy.potential",
    "energy.strain",
    "energy.total",
    "momentum",
    "momentum.angular",
    "momentum.linear",
    "center_of_mass",
]
SYSTEMS = {
    **{f"seed {k}": lambda k=k: random_system(k) for k in range(6)},
    **{name: lambda f=make: f().compile() for name, make in STRUCTURES.items()},
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_channels_are_the_public_functions_row_by_row(name):
    system = SYSTEMS[name]()
    rng = np.random.default_rng(sum(map(ord, name)))
    frames = named_frames(system)
    wrenches = [frames[k] for k in rng.integers(len(frames), size=3)]
    run = random_run(system, rng, wrenches=wrenches)
    expected = [Expected(run, k) for k in range(run.n)]
    for where in frames:
        for quantity in FRAME_QUANTITIES:
            values = np.array([row.frame(where, quantity) for row in expected])
            assert np.array_equal(run[f"{where}.{quantity}"], values), (where, quantity)
    for total in SUMS:
        values = np.array([row.whole(total) for row in expected])
        assert np.allclose(run[total], values, rtol=1e-14, atol=0), total
    reactions = np.array([row.reactions() for row in expected])
    for i, body in enumerate(system.names):
        own = run[f"{body}.reaction"]
        assert np.allclose(own, reactions[:, i], rtol=1e-12, atol=1e-12 * np.abs(reactions).max())
    assert set(run.channels()) >= {f"{w}.{x}" for w in frames for x in FRAME_QUANTITIES}


@pytest.mark.parametrize("seed", range(4))
def test_every_listed_channel_has_its_shape_labels_and_units(seed):
    system = random_system(seed)
    run = random_run(system, np.random.default_rng(seed), wrenches=[named_frames(system)[-1]])
    channels = run.channels()
    assert len(channels) == len(set(channels)) > 20
    for name, channel in channels.items():
        assert name == channel.name and name in run
        assert run[name].shape == (run.n, *channel.shape), name
        size = int(np.prod(channel.shape))
        assert len(channel.units) == size and channel.description
        assert len(channel.labels) == (size if channel.shape else 0)
        assert len(set(channel.labels)) == len(channel.labels)
        assert not run[name].flags.writeable and run[name] is run[name]


def test_pieces_of_the_rows_are_those_of_the_states():
    system = random_system(3)
    run = random_run(system, np.random.default_rng(0))
    layout = system.layout
    for k in range(run.n):
        state = run.state(run.time[k])
        for name in system.names:
            for part in ("modes", "rates", "mode_rates"):
                assert np.array_equal(run[f"{name}.{part}"][k], state[f"{name}.{part}"])
            assert np.array_equal(run[f"{name}.coordinates"][k], state[name])
            assert np.array_equal(run[name][k], state[name])
    for name in system.names:
        hinge, modal = layout.hinge_v(name), layout.modal_v(name)
        assert np.array_equal(run[f"{name}.hinge_acceleration"], run.acceleration[:, hinge])
        assert np.array_equal(run[f"{name}.mode_acceleration"], run.acceleration[:, modal])
        assert np.array_equal(run[f"{name}.force"], run.force[:, hinge])
        assert np.array_equal(run[f"{name}.modal_force"], run.force[:, modal])


def boom_model(gravity=(0.3, -0.4, -9.81)):
    """A flexible body between rigid ones, joints of one and two motions."""
    model = ls.Model("boom", gravity=gravity)
    model.add(rigid(1), ls.Revolute("z"), name="base", at=(0.2, 0.1, 0.0))
    model.add(flexible(1, lumps=True, damping=0.02), ls.Revolute("y"), name="boom", to="base")
    model.add(rigid(2), ls.Cylindrical("x"), name="hand", to="boom.tip", at=(0.1, 0, 0))
    return model


def swinging(system, time, scale=1.0):
    """Smooth motion of joints whose speeds are rates: q, v, a at the given times."""
    k = np.arange(system.n_q)
    w, phase, size = 1.0 + 0.3 * k, 0.7 * k, scale * np.full(len(k), 0.4)
    for i, body in enumerate(system.bodies):
        size[system.layout.modal_q(i)] = 0.05 * scale
        assert body.n_mode == 0 or system.joints[i].n_q == system.joints[i].n_v
    angle = np.asarray(time)[:, None] * w + phase
    return size * np.sin(angle), size * w * np.cos(angle), -size * w**2 * np.sin(angle)


def test_velocities_and_accelerations_are_rates_of_positions():
    system, h = boom_model().compile(), 1e-3
    time = np.arange(-4, 5) * h + 0.6
    run = Trajectory(system, rows_of(system, time, *swinging(system, time)))
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    for where in ("base", "boom", "boom.tip", "boom.side", "hand"):
        rate = first @ run[f"{where}.position"]
        assert np.allclose(rate, run[f"{where}.velocity"][4], atol=1e-10)
        rate = first @ run[f"{where}.velocity"]
        assert np.allclose(rate, run[f"{where}.acceleration"][4], atol=1e-10)
        rate = first @ run[f"{where}.angular_velocity"]
        assert np.allclose(rate, run[f"{where}.angular_acceleration"][4], atol=1e-10)
        turn = run[f"{where}.rotation"]
        spin = np.einsum("k,kij->ij", first, turn) @ turn[4].T
        w = run[f"{where}.angular_velocity"][4]
        assert np.allclose(spin, np.cross(np.eye(3), w), atol=1e-10)


def test_the_reaction_of_the_base_is_what_momentum_lacks():
    system, h = boom_model().compile(), 1e-3
    time = np.arange(-4, 5) * h + 0.6
    loads = np.random.default_rng(2).standard_normal((9, 12))
    store = rows_of(system, time, *swinging(system, time), None, ("boom.tip", "hand"), loads)
    run = Trajectory(system, store)
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    left = first @ run["momentum"]
    weight = sum(body.mass for body in system.bodies) * system.gravity
    left -= np.concatenate([np.cross(run["center_of_mass"][4], weight), weight])
    for where in ("boom.tip", "hand", "base"):
        wrench = (run["base.reaction"] if where == "base" else run[f"{where}.load"])[4]
        turn, x = run[f"{where}.rotation"][4], run[f"{where}.position"][4]
        moment, force = turn @ wrench[:3], turn @ wrench[3:]
        left -= np.concatenate([moment + np.cross(x, force), force])
    assert np.allclose(left, 0, atol=1e-9 * np.abs(run["base.reaction"]).max())


def test_loads_on_one_node_add_up_under_any_of_its_names():
    system = boom_model().compile()
    tip = system.bodies[1].node_names["tip"]
    rng = np.random.default_rng(5)
    run = random_run(system, rng, wrenches=("boom.tip", "hand", f"boom.{tip}"))
    given = run.store.read("wrench")
    assert np.array_equal(run["boom.tip.load"], given[:, :6] + given[:, 12:])
    assert np.array_equal(run[f"boom.{tip}.load"], run["boom.tip.load"])
    assert np.array_equal(run["hand.load"], given[:, 6:12])
    assert "boom.tip.load" in run.channels() and "base.load" not in run.channels()
    with pytest.raises(ls.StateError, match=r"no load on 'base' was stored; known: 'boom.tip'"):
        run["base.load"]


def test_deflection_is_the_way_of_a_node_from_where_it_was():
    system = boom_model().compile()
    run = random_run(system, np.random.default_rng(3), deformation=0.1)
    body = system.bodies[1]
    for name in ("tip", "side"):
        arm = run[f"boom.{name}.position"] - run["boom.position"]
        in_body = np.einsum("nji,nj->ni", run["boom.rotation"], arm)
        expected = in_body - body.node_positions[body.node_names[name]]
        assert np.allclose(run[f"boom.{name}.deflection"], expected, atol=1e-13)
    assert np.array_equal(run["boom.deflection"], np.zeros((run.n, 3)))
    assert np.array_equal(run["hand.deflection"], np.zeros((run.n, 3)))


def test_quaternions_are_those_of_the_rotations_and_do_not_jump():
    model = ls.Model("top")
    model.add(rigid(1), ls.Free(), name="top")
    system = model.compile()
    angle = np.linspace(0, 8 * np.pi, 200)
    axis = random_unit(np.random.default_rng(0), 3)
    q = np.c_[np.cos(angle / 2), np.sin(angle / 2)[:, None] * axis]
    flipped = q * np.where(np.arange(200) % 3, 1, -1)[:, None]
    still = np.zeros((200, 6))
    run = Trajectory(system, rows_of(system, angle, np.c_[flipped, still[:, :3]], still, still))
    assert np.allclose(run["top.quaternion"], q, atol=1e-14)


def test_quaternions_of_random_rotations():
    system = random_system(1)
    run = random_run(system, np.random.default_rng(1), n=50)
    for name in system.names:
        w, *u = run[f"{name}.quaternion"].T
        skew = np.cross(np.eye(3), np.stack(u, axis=1)[:, None, :])
        turn = np.eye(3) + 2 * w[:, None, None] * skew + 2 * skew @ skew
        assert np.allclose(turn, run[f"{name}.rotation"], atol=1e-14)


def test_angles_and_slides_are_single_numbers():
    model = ls.Model("slides")
    model.add(rigid(1), ls.Planar("z"), name="plane")
    model.add(rigid(2), ls.Cylindrical("x"), name="tube", to="plane")
    model.add(rigid(3), ls.Spherical(), name="ball", to="tube")
    run = random_run(model.compile(), np.random.default_rng(4))
    assert np.array_equal(run["plane.angle"], run.q[:, 2])
    assert np.array_equal(run["tube.angle"], run.q[:, 3])
    assert np.array_equal(run["tube.slide"], run.q[:, 4])
    assert run.channels()["tube.coordinates"].unit == "rad; m"
    assert run.channels()["tube.force"].units == ("N m", "N")
    assert run.channels()["ball.rates"].unit == "rad/s"
    with pytest.raises(ls.StateError, match=r"'ball' \(spherical\) has no single angle; use 'ball"):
        run["ball.angle"]


def test_energy_and_momentum_about_a_point():
    system = random_system(2)
    run = random_run(system, np.random.default_rng(7))
    assert np.array_equal(run.energy.kinetic, run["energy.kinetic"])
    assert np.allclose(run.energy.total, run["energy.total"])
    assert np.array_equal(run.momentum(), run["momentum"])
    point, center = np.array([0.3, -2.0, 1.0]), run["center_of_mass"]
    fixed, moving = run.momentum(about=point), run.momentum(about=center)
    for k in range(run.n):
        state = run.state(run.time[k])
        assert np.array_equal(fixed[k], ls.momentum(system, state, about=point))
        assert np.array_equal(moving[k], ls.momentum(system, state, about=center[k]))
    for wrong in ([1.0, 2.0], "tip", np.full(3, np.nan), np.zeros((run.n + 1, 3))):
        with pytest.raises(ls.StateError, match="expected a point of three finite numbers"):
            run.momentum(about=wrong)


def free_motion(t):
    """Quaternion, position, body rates and body velocity of a motion in closed form.

    Angles about z, y, x in turn; complex times are allowed.
    """
    a, b, c = 0.9 * t + 0.4 * np.sin(1.3 * t), 0.6 * np.sin(1.7 * t), 0.5 * np.cos(0.8 * t) + t
    da = 0.9 + 0.52 * np.cos(1.3 * t)
    db = 1.02 * np.cos(1.7 * t)
    dc = -0.4 * np.sin(0.8 * t) + 1
    w = [
        dc - da * np.sin(b),
        db * np.cos(c) + da * np.cos(b) * np.sin(c),
        -db * np.sin(c) + da * np.cos(b) * np.cos(c),
    ]
    turn = np.eye(3)
    for axis, angle in (("z", a), ("y", b), ("x", c)):
        turn = turn @ ls.Revolute(axis).pose(np.array([angle]))[0]
    p = [np.sin(t), 2 * np.cos(1.1 * t), 0.3 * t**2]
    p_dot = np.array([np.cos(t), -2.2 * np.sin(1.1 * t), 0.6 * t])
    halves = [(np.cos(x / 2), np.sin(x / 2)) for x in (a, b, c)]
    (ca, sa), (cb, sb), (cc, sc) = halves
    q = [
        ca * cb * cc + sa * sb * sc,
        ca * cb * sc - sa * sb * cc,
        ca * sb * cc + sa * cb * sc,
        sa * cb * cc - ca * sb * sc,
    ]
    return np.array([*q, *p]), np.array([*w, *(turn.T @ p_dot)])


def free_rows(time):
    """q, v, a of the free motion; the accelerations by complex steps."""
    pairs = [free_motion(t) for t in time]
    a = np.array([free_motion(t + 1e-30j)[1].imag / 1e-30 for t in time])
    return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs]), a


def fitted_order(steps, errors):
    return np.polyfit(np.log(steps), np.log(errors), 1)[0]


def orders(system, motion, span, steps):
    """Orders of convergence of q, v and a between the rows, and the smallest errors."""
    inside = np.linspace(span[0], span[1], 203)
    exact, errors = motion(inside), []
    for h in steps:
        time = np.linspace(*span, round((span[1] - span[0]) / h) + 1)
        run = Trajectory(system, rows_of(system, time, *motion(time))).sample(inside)
        errors.append([largest_error(system, run, exact)])
    errors = np.array(errors)[:, 0]
    return [fitted_order(steps, e) for e in errors.T], errors[-1]


def largest_error(system, run, exact):
    q = run.q.copy()
    for i, joint in enumerate(system.joints):
        if joint.has_quaternion:
            piece = slice(system.layout.hinge_q(i).start, system.layout.hinge_q(i).start + 4)
            q[:, piece] *= np.sign(np.sum(q[:, piece] * exact[0][:, piece], axis=1))[:, None]
    pairs = zip((q, run.v, run.acceleration), exact, strict=True)
    return [np.abs(x - y).max() for x, y in pairs]


def check_orders(found):
    assert found[0] > 5.7 and found[1] > 4.7 and found[2] > 3.7, found
    assert found[0] < 7 and found[1] < 6 and found[2] < 5, found


def test_interpolation_of_a_free_body_is_of_order_six_five_four():
    model = ls.Model("free")
    model.add(rigid(1), ls.Free(), name="hub", at=(1, 2, 3))
    found, least = orders(model.compile(), free_rows, (0.3, 4.3), [0.4, 0.2, 0.1, 0.05])
    check_orders(found)
    assert least[0] < 1e-8


def test_interpolation_of_a_spherical_joint_is_of_order_six_five_four():
    model = ls.Model("ball")
    model.add(rigid(1), ls.Spherical(), name="ball")

    def motion(time):
        q, v, a = free_rows(time)
        return q[:, :4], v[:, :3], a[:, :3]

    check_orders(orders(model.compile(), motion, (0.0, 3.0), [0.3, 0.15, 0.075])[0])


def test_interpolation_of_flexible_coordinates_is_of_order_six_five_four():
    system = boom_model().compile()
    steps = [0.4, 0.2, 0.1]
    check_orders(orders(system, lambda t: swinging(system, t), (0, 4), steps)[0])


@pytest.mark.parametrize("name", ["simple 3, ball", "compound ball between screws", "simple 4"])
def test_interpolation_of_joints_from_motion_maps_is_of_order_six_five_four(name):
    model = ls.Model("mapped")
    model.add(rigid(1), JOINTS[name], name="body")
    system, joint = model.compile(), JOINTS[name]
    k = np.arange(joint.n_q)

    def at(t):
        q, q_dot = 0.5 * np.sin((1 + 0.2 * k) * t + k), 0.5 * (1 + 0.2 * k)
        return q, np.linalg.solve(joint.rate_map(q), q_dot * np.cos((1 + 0.2 * k) * t + k))

    def motion(time):
        pairs = [at(t) for t in time]
        a = [at(t + 1e-30j)[1].imag / 1e-30 for t in time]
        return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs]), np.array(a)

    check_orders(orders(system, motion, (0, 2), [0.4, 0.2, 0.1])[0])


@pytest.mark.parametrize("name", JOINTS)
def test_speeds_between_rows_are_the_rates_of_coordinates(name):
    model = ls.Model("pair")
    model.add(flexible(1), ls.Revolute("x"), name="first")
    model.add(flexible(2), JOINTS[name], name="second", to="first.tip")
    system, rng = model.compile(), np.random.default_rng(len(name))
    run = random_run(system, rng, n=2, spread=0.7, speed=1.0)
    h = 1e-3 * (run.time[1] - run.time[0])
    first = np.array([1 / 12, -2 / 3, 0, 2 / 3, -1 / 12]) / h
    for part in (0.01, 0.4, 0.99):
        t = run.time[0] + part * (run.time[1] - run.time[0])
        near = run.sample(t + np.arange(-2, 3) * h)
        scale = 1 + np.abs(near.acceleration).max()
        rate = ls.qdot(system, near.state(near.time[2]))
        assert np.allclose(first @ near.q, rate, atol=1e-8 * scale)
        assert np.allclose(first @ near.v, near.acceleration[2], atol=1e-8 * scale)


@pytest.mark.parametrize("joint", [ls.Spherical(), ls.Free()])
def test_signs_of_quaternions_do_not_matter(joint):
    model = ls.Model("signs")
    model.add(rigid(1), joint, name="body")
    system, time = model.compile(), np.linspace(0, 3, 16)
    q, v, a = (
        x[:, :n] for x, n in zip(free_rows(time), (joint.n_q, *[joint.n_v] * 2), strict=True)
    )
    flips = np.where(np.random.default_rng(0).random(16) < 0.5, -1.0, 1.0)
    turned = q.copy()
    turned[:, :4] *= flips[:, None]
    inside = np.linspace(0, 3, 100)
    plain = Trajectory(system, rows_of(system, time, q, v, a)).sample(inside)
    other = Trajectory(system, rows_of(system, time, turned, v, a)).sample(inside)
    for channel in ("rotation", "position", "velocity", "acceleration", "quaternion"):
        sign = 1.0
        if channel == "quaternion":
            sign = np.sign(plain[f"body.{channel}"][0] @ other[f"body.{channel}"][0])
        assert np.allclose(plain[f"body.{channel}"], sign * other[f"body.{channel}"], atol=1e-13)
    assert np.allclose(plain.v, other.v, atol=1e-13)


@pytest.mark.parametrize("turn", [0.5, 1.5, 3.0, 3.3, 4.5, 5.2])
def test_a_body_that_spins_fast_turns_the_way_its_speeds_say(turn):
    model = ls.Model("spin")
    model.add(rigid(1), ls.Spherical(), name="top")
    system, axis = model.compile(), random_unit(np.random.default_rng(1), 3)
    time = np.arange(5.0)
    angle = turn * time / 2
    q = np.c_[np.cos(angle), np.sin(angle)[:, None] * axis]
    v = np.tile(turn * axis, (5, 1))
    run = Trajectory(system, rows_of(system, time, q, v, 0 * v))
    for t in (0.25, 1.5, 3.9):
        state, half = run.state(t), turn * t / 2
        expected = np.array([np.cos(half), *(np.sin(half) * axis)])
        assert np.allclose(abs(state.q @ expected), 1, atol=1e-14)
        assert np.allclose(state.v, turn * axis, atol=1e-12)


@pytest.mark.parametrize("speed", [-6.0, 0.0, 6.0])
def test_signs_do_not_matter_either_where_the_speeds_mislead(speed):
    model = ls.Model("spin")
    model.add(rigid(1), ls.Spherical(), name="top")
    system, time = model.compile(), np.arange(2.0)
    v = np.array([[speed, 0, 0], [speed, 0, 0]])
    states = []
    for sign in (1, -1):
        q = np.array([[1.0, 0, 0, 0], [sign * np.cos(0.25), sign * np.sin(0.25), 0, 0]])
        states.append(Trajectory(system, rows_of(system, time, q, v, 0 * v)).state(0.5))
    assert np.allclose(states[0].q, states[1].q, atol=1e-14)
    assert np.allclose(states[0].v, states[1].v, atol=1e-13)


def test_quaternions_off_unit_length_are_read_as_unit_ones():
    system = STRUCTURES["one rigid body"]().compile()
    time = np.linspace(0, 1, 6)
    q, v, a = free_rows(time)
    long = q.copy()
    long[:, :4] *= 1 + 5e-4 * np.sin(np.arange(6))[:, None]
    plain = Trajectory(system, rows_of(system, time, q, v, a))
    other = Trajectory(system, rows_of(system, time, long, v, a))
    assert np.allclose(plain.state(0.37).q, other.state(0.37).q, atol=1e-14)


def test_stored_rows_come_back_to_the_last_bit():
    system = random_system(4)
    run = random_run(system, np.random.default_rng(4), n=9, drift=5e-4, wrenches=[system.names[0]])
    again = run.sample(run.time)
    assert np.array_equal(again.store.rows, run.store.rows)
    for k in range(run.n):
        state = run.state(run.time[k])
        assert np.array_equal(state.q, run.q[k]) and np.array_equal(state.v, run.v[k])
    assert run.state(np.float64(run.time[-1])).q is not None
    mixed = run.sample(np.sort(np.r_[run.time, 0.5 * (run.time[1:] + run.time[:-1])]))
    assert np.array_equal(mixed.store.rows[::2], run.store.rows)


def test_forces_and_loads_lie_on_straight_lines():
    system = boom_model().compile()
    run = random_run(system, np.random.default_rng(4), n=3, wrenches=["hand"])
    t = 0.25 * run.time[0] + 0.75 * run.time[1]
    between = run.sample([t])
    assert np.allclose(between.force[0], 0.25 * run.force[0] + 0.75 * run.force[1])
    loads = run["hand.load"]
    assert np.allclose(between["hand.load"][0], 0.25 * loads[0] + 0.75 * loads[1])
    assert between.meta == run.meta and between.store.columns == run.store.columns


def test_where_speeds_jump_the_later_row_counts():
    model = ls.Model("ball")
    model.add(rigid(1), ls.Prismatic("z"), name="ball")
    system = model.compile()
    time = np.array([0.0, 1.0, 1.0, 2.0])
    q, v, a = np.array([[2.0], [0.0], [0.0], [2.0]]), np.array([[-2.0], [-2], [2], [2]]), 0.0
    run = Trajectory(system, rows_of(system, time, q, v, np.full((4, 1), a)))
    assert run.state(1.0).v == 2.0
    assert run.state(np.nextafter(1.0, 0)).v == pytest.approx(-2.0)
    assert run.state(np.nextafter(1.0, 2)).v == pytest.approx(2.0)
    assert np.allclose(run.sample([0.5, 1.0, 1.5]).q.ravel(), [1, 0, 1])
    twice = Trajectory(system, rows_of(system, np.ones(2), q[1:3], v[1:3], q[1:3]))
    assert twice.state(1.0).v == 2.0


def test_times_outside_the_rows_are_refused_with_the_range():
    system = boom_model().compile()
    time = np.array([0.5, 1.0, 2.5])
    run = Trajectory(system, rows_of(system, time, *swinging(system, time)))
    for t in (0.49, 3, np.nan, -np.inf):
        with pytest.raises(
            ls.StateError, match=r"outside the trajectory, which runs from 0.5 s to"
        ):
            run.state(t)
    with pytest.raises(ls.StateError, match=r"time 2.6 s is outside .* from 0.5 s to 2.5 s"):
        run.sample([0.6, 2.6])
    with pytest.raises(ls.StateError, match=r"must not decrease: 0.9 s is followed by 0.8 s"):
        run.sample([0.7, 0.9, 0.8])
    with pytest.raises(ls.StateError, match="expected one row of instants"):
        run.sample(1.0)
    with pytest.raises(ls.StateError, match="times are not numbers"):
        run.sample(["now"])
    with pytest.raises(ls.StateError, match="time is 'now'; expected a number"):
        run.state("now")
    assert len(run.sample([])) == 0


def test_a_trajectory_without_rows():
    system = boom_model().compile()
    empty = np.zeros((0, system.n_q))
    run = Trajectory(system, rows_of(system, np.zeros(0), empty, empty, empty))
    assert run["hand.position"].shape == (0, 3) and run["hand.quaternion"].shape == (0, 4)
    assert run.energy.total.shape == (0,) and len(run) == run.n == 0
    assert "0 rows" in repr(run)
    with pytest.raises(ls.StateError, match="no rows"):
        run.state(0.0)


def test_rows_must_fit_the_system_and_be_in_order():
    system = boom_model().compile()
    with pytest.raises(ls.StateError, match=r"2 coordinates and 2 speeds; boom has 6 and 6"):
        Trajectory(system, MemoryStore(Columns(2, 2), np.zeros((3, 9))))
    time = np.array([0.0, 2.0, 1.0])
    run = Trajectory(system, rows_of(system, time, *swinging(system, time)))
    with pytest.raises(ls.StateError, match=r"time of row 2 is 1.0 s, after 2.0 s"):
        run.state(0.5)


def test_a_row_that_is_not_finite_is_named():
    system = boom_model().compile()
    time = np.linspace(0, 1, 5)
    run = Trajectory(system, rows_of(system, time, *swinging(system, time)))
    run.store.rows[3, 2] = np.nan
    for name in ("hand.position", "energy.kinetic", "base.reaction"):
        with pytest.raises(ls.StateError, match=r"row 3 \(time 0.75 s\): the result is not finite"):
            run[name]
    assert np.isnan(run["base.angle"]).sum() == 0 and np.isnan(run.q).sum() == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tim", "there is no channel 'tim'; did you mean 'time'?"),
        ("booom", "there is no channel 'booom'; did you mean 'boom'?"),
        ("booom.position", "there is no body 'booom'; did you mean 'boom'?"),
        ("booom.tip.position", "there is no body 'booom'; did you mean 'boom'?"),
        ("enrgy.kinetic", "there is no body 'enrgy'; did you mean 'energy'?"),
        ("energy.kinetik", "there is no channel 'energy.kinetik'; did you mean 'kinetic'?"),
        ("boom.positon", "body 'boom' has no 'positon'; did you mean 'position'?"),
        ("boom.tipp", "body 'boom' has no 'tipp'; did you mean 'tip'?"),
        ("boom.tip", "'boom.tip' is a node; say what of it, such as 'boom.tip.position'"),
        ("boom.tipp.position", "body 'boom' has no node 'tipp'; did you mean 'tip'?"),
        ("hand.tip.position", "body 'hand' has no node 'tip'; there are none yet."),
        ("boom.99.position", "body 'boom' has no node '99'; known: "),
        ("boom.tip.velocty", "a node has no 'velocty'; did you mean 'velocity'?"),
        ("boom.tip.modes", "'modes' belongs to the body, not to its nodes: use 'boom.modes'"),
        ("boom.tip.position.x", "'boom.tip.position.x' has too many parts"),
        ("hand.slides", "body 'hand' has no 'slides'; did you mean 'slide'?"),
        ("", "there is no channel ''; known: "),
        ("boom.", "body 'boom' has no ''; known: "),
        (3, 'a channel has a name such as "body.position", got 3'),
    ],
)
def test_unknown_names(name, words):
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=2)
    with pytest.raises(ls.StateError) as caught:
        run[name]
    assert str(caught.value).startswith(words)
    assert name not in run


def test_names_of_quantities_may_be_names_of_bodies_and_nodes():
    model = ls.Model("names", gravity=(0, 0, -1))
    positions = np.array([[0, 0, 0], [1.0, 0, 0], [2.0, 0.3, 0]])
    shapes = np.zeros((3, 6, 1))
    shapes[1:, 4, 0] = [0.4, 1.0]
    body = ls.FlexibleBody(
        positions, [1.0, 1, 1], shapes, [4.0], names={"position": 1, "modes": 2, "2": 1}
    )
    model.add(body, ls.Revolute("y"), name="energy")
    model.add(rigid(1), ls.Revolute("z"), name="time", to="energy.position")
    model.add(rigid(2), ls.Revolute("x"), name="momentum", to="time")
    run = random_run(model.compile(), np.random.default_rng(0))
    system = run.system
    state = run.state(run.time[1])
    cases = {"energy": "energy", "energy.position": "energy.position", "energy.2": "energy.2"}
    for where, node in {**cases, "energy.modes": "energy.modes", "time": "time"}.items():
        assert np.array_equal(run[f"{where}.position"][1], ls.pose(system, state, node).position)
    assert np.array_equal(run["energy.modes"][1], state["energy.modes"])
    assert run["energy.kinetic"][1] == ls.energy(system, state).kinetic
    assert np.array_equal(run["energy"][1], state["energy"])
    assert run["time"].shape == (run.n,) and np.array_equal(
        run["time.coordinates"][1], state["time"]
    )
    assert np.array_equal(run["momentum.linear"][1], ls.momentum(system, state)[3:])
    assert np.array_equal(run["momentum.rates"][1], state["momentum.rates"])
    table = run.to_pandas()
    assert {"energy.total", "energy.modes.0", "time.position.x"} <= set(table.columns)


class SpyStore:
    """Store that counts how many rows are read at a time."""

    def __init__(self, inner):
        self.inner, self.columns, self.reads = inner, inner.columns, []

    def __len__(self):
        return len(self.inner)

    def read(self, field, start=0, stop=None):
        values = self.inner.read(field, start, stop)
        self.reads.append((field, len(values)))
        return values


def spied_pendulum(n):
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    system = model.compile()
    time = np.linspace(0, 100, n)
    store = SpyStore(rows_of(system, time, *swinging(system, time)))
    return Trajectory(system, store), store


def test_long_runs_are_read_in_blocks():
    run, store = spied_pendulum(200_000)
    size = block_size(store.columns)
    for name in ("rod.position", "rod.reaction", "energy.total", "rod.rates", "rod.quaternion"):
        store.reads.clear()
        values = run[name]
        for field in FIELDS:
            rows = [n for f, n in store.reads if f == field]
            assert not rows or (sum(rows) == 200_000 and max(rows) <= size < 10_000), name
        before = len(store.reads)
        assert run[name] is values and len(store.reads) == before
    angle = run["rod.angle"]
    expected = np.stack([np.cos(angle), 0 * angle, -np.sin(angle)], axis=1)
    assert np.allclose(run["rod.rotation"][:, :, 0], expected, atol=1e-14)


def test_a_state_reads_two_rows_and_samples_read_blocks():
    run, store = spied_pendulum(200_000)
    assert run.time.shape == (200_000,)
    store.reads.clear()
    run.state(12.3456)
    assert max(n for _, n in store.reads) == 2
    store.reads.clear()
    few = run.sample([1.0, 50.0, 99.0])
    assert max(n for _, n in store.reads) <= 2
    assert np.allclose(few.q, swinging(run.system, few.time)[0], atol=1e-12)
    store.reads.clear()
    many = run.sample(np.linspace(0, 100, 30_001))
    assert max(n for _, n in store.reads) <= block_size(store.columns) + 2
    assert np.allclose(many.q, swinging(run.system, many.time)[0], atol=1e-12)


def test_many_times_in_few_rows_are_worked_on_in_turn():
    run, store = spied_pendulum(2001)
    inside = np.linspace(10.001, 10.002, 20_000)
    store.reads.clear()
    many = run.sample(inside)
    assert len(store.reads) == 1 + 6 * -(-20_000 // block_size(store.columns))
    assert np.allclose(many.q, swinging(run.system, inside)[0], atol=1e-12)


def test_a_moving_point_of_momentum_is_read_in_blocks_too():
    run, _ = spied_pendulum(10_001)
    center = run["center_of_mass"]
    angular, linear = run["momentum.angular"], run["momentum.linear"]
    expected = np.hstack([angular - np.cross(center, linear), linear])
    assert np.allclose(run.momentum(about=center), expected, atol=1e-14)


def test_a_row_of_a_later_block_that_is_not_finite_is_named():
    run, store = spied_pendulum(10_001)
    store.inner.rows[9_000, 1] = np.inf
    with pytest.raises(ls.StateError, match=r"row 9000 \(time 90.0 s\)"):
        run["rod.velocity"]


def test_blocks_of_wide_rows_are_short():
    assert block_size(Columns(7, 6)) == 8192
    assert block_size(Columns(1000, 1000)) * Columns(1000, 1000).width < 1e6


def test_it_pickles_and_copies_and_does_not_change():
    system = random_system(5)
    run = random_run(system, np.random.default_rng(5), wrenches=[system.names[-1]])
    values = run[f"{system.names[-1]}.position"]
    for other in (pickle.loads(pickle.dumps(run)), copy.copy(run), copy.deepcopy(run)):
        assert dict(other.meta) == META and np.array_equal(other.store.rows, run.store.rows)
        assert np.array_equal(other[f"{system.names[-1]}.position"], values)
        assert other.system.names == system.names and repr(other) == repr(run)
    for name in ("q", "time", "system", "other"):
        with pytest.raises(AttributeError):
            setattr(run, name, 1)
    for array in (run.q, run.time, run.energy.strain, values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(TypeError):
        run.meta["status"] = "other"
    with pytest.raises(TypeError):
        run.statistics["steps"] = 3


def test_status_message_and_statistics_come_from_the_run():
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=3)
    assert (run.status, run.message) == ("finished", "end of the duration")
    assert run.statistics["steps"] == 12 and run.meta["integrator"] == "rk45"
    bare = Trajectory(run.system, run.store)
    assert (bare.status, bare.message, dict(bare.statistics)) == (None, "", {})
    assert len(repr(bare).splitlines()) == 2


def test_it_prints_in_a_few_lines():
    system = boom_model().compile()
    time = np.linspace(0, 2.5, 11)
    run = Trajectory(system, rows_of(system, time, *swinging(system, time)), META)
    assert repr(run).splitlines() == [
        "Trajectory of boom: 11 rows, 0 s to 2.5 s",
        "  3 bodies, 6 coordinates, 6 speeds",
        "  status: finished: end of the duration",
        "  rk45, 12 steps",
    ]


def test_channels_print_as_a_table():
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=2, wrenches=["boom.tip"])
    table = repr(run.channels("tip"))
    assert table.splitlines()[0] == "9 channels"
    assert (
        "  boom.tip.rotation              3x3  [1]        matrix from own axes to world axes"
        in table
    )
    lines = repr(run.channels()).splitlines()
    assert len(lines) == 62 and lines[-1].strip().startswith("... and ")
    assert max(map(len, lines)) <= 100 and "[mixed]" in lines[2]
    assert list(run.channels("hand.coord")) == ["hand.coordinates"]
    assert run._ipython_key_completions_() == list(run.channels())


def test_xarray_has_names_units_and_values():
    pytest.importorskip("xarray")
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=4)
    data = run.to_xarray("boom.tip.position", "boom.rotation", "energy.total", "hand.rates", "q")
    assert list(data) == ["boom.tip.position", "boom.rotation", "energy.total", "hand.rates", "q"]
    assert np.array_equal(data.time, run.time) and data.time.attrs["units"] == "s"
    tip = data["boom.tip.position"]
    assert tip.dims == ("time", "axis") and tip.attrs["units"] == "m"
    assert np.array_equal(tip.sel(axis="z"), run["boom.tip.position"][:, 2])
    turn = data["boom.rotation"].sel(axis="y", own_axis="x")
    assert np.array_equal(turn, run["boom.rotation"][:, 1, 0])
    assert data["hand.rates"].attrs["units"] == "rad/s; m/s"
    assert np.array_equal(
        data["hand.rates"].sel({"hand.rates.component": "slide"}), run["hand.rates"][:, 1]
    )
    labels = list(data["q.component"].values)
    assert labels[0] == "base.hinge.angle" and "boom.mode.1" in labels
    assert data.attrs == {"system": "boom", "status": "finished", "message": META["message"]}
    usual = run.to_xarray()
    assert {"energy.kinetic", "boom.modes", "hand.position", "hand.force"} <= set(usual)
    assert all(np.array_equal(usual[name], run[name]) for name in usual)


def test_pandas_has_names_units_and_values():
    pytest.importorskip("pandas")
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=4)
    table = run.to_pandas("boom.tip.position", "hand.angle", "hand.force", "boom.rotation")
    assert table.index.name == "time" and np.array_equal(table.index, run.time)
    assert list(table.columns[:6]) == [
        "boom.tip.position.x",
        "boom.tip.position.y",
        "boom.tip.position.z",
        "hand.angle",
        "hand.force.angle",
        "hand.force.slide",
    ]
    assert np.array_equal(table["boom.rotation.yx"], run["boom.rotation"][:, 1, 0])
    assert np.array_equal(table["hand.angle"], run["hand.angle"])
    assert table.attrs["units"]["hand.force.slide"] == "N"
    assert table.attrs["units"]["boom.tip.position.y"] == "m"
    assert "boom.mode_rates.1" in run.to_pandas().columns


@pytest.mark.parametrize("method", ["to_xarray", "to_pandas"])
def test_a_missing_package_is_named_with_its_extra(method, monkeypatch):
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=2)
    monkeypatch.setitem(sys.modules, method.removeprefix("to_"), None)
    with pytest.raises(ImportError, match=r"is not installed; .* 'lissom\[xarray\]'"):
        getattr(run, method)("time")


def test_saving_and_loading_pass_through_files(monkeypatch):
    kept = {}
    files = types.ModuleType("lissom.results.files")
    files.save = lambda path, system, store, meta: kept.update({path: (system, store, meta)})
    files.open_results = kept.get
    monkeypatch.setitem(sys.modules, "lissom.results.files", files)
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=2)
    run.save("run.nc")
    again = Trajectory.load("run.nc")
    assert again.store is run.store and dict(again.meta) == META
