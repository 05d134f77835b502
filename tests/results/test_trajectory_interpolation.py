"""States between the rows."""

import numpy as np
import pytest

import lissom as ls
from lissom.results.trajectory import Trajectory
from tests.samples.kernel_cases import JOINTS, STRUCTURES, flexible, random_system, rigid
from tests.samples.results import boom_model, random_run, rows_of, swinging
from tests.tools.measures import random_unit


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

    check_orders(orders(system, motion, (0, 1.2), [0.4, 0.2, 0.1])[0])


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
    with pytest.raises(ls.StateError, match="expected a one-dimensional array of instants"):
        run.sample(1.0)
    with pytest.raises(ls.StateError, match="times is .'now'.; expected numbers"):
        run.sample(["now"])
    with pytest.raises(ls.StateError, match="time is 'now'; expected a number"):
        run.state("now")
    assert len(run.sample([])) == 0
