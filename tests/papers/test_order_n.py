"""The Order-N platform: freedoms, masses, geometry at the start, closure, mobility and loads."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lissom as ls
from benchmarks import run_benchmark
from benchmarks.depth import QUICK
from benchmarks.order_n.accuracy import acceleration_record
from benchmarks.order_n.runs import METHODS, WAYS, apart, case_of, perturbed, timed_run
from lissom.algorithms.loops import closed_loops
from lissom.algorithms.tree.reference import kinematics_base_to_tip
from lissom.library import order_n, order_n_loads, order_n_platform, order_n_start, rigid_chain

CASES = range(1, 17)
CLOSED = range(9, 17)

# The paper's numbers of rigid and flexible freedoms; its 42 of configuration 4 does not add up.
RIGID_FREEDOMS = (24, 24, 27, 41)
FLEXIBLE_FREEDOMS = (24, 48, 48, 80)

UP = np.array([0.0, 0.0, 1.0])


def started(case):
    system = order_n(case).compile()
    return system, order_n_start(system)


def motions(system, state):
    return kinematics_base_to_tip(system, state.q, state.v)


@pytest.mark.parametrize("case", CASES)
def test_freedoms_and_loops_are_those_of_the_paper(case):
    system = order_n(case).compile()
    place, kind = (case - 1) % 4, (case - 1) // 4
    flexible, closed = kind in (1, 3), kind in (2, 3)
    n_mode = sum(body.n_mode for body in system.bodies)
    assert n_mode == (FLEXIBLE_FREEDOMS[place] if flexible else 0)
    assert system.n_v - n_mode == RIGID_FREEDOMS[place]
    loops = ("leg2", "leg3", "arm2")[: 3 if place == 3 else 2] if closed else ()
    assert tuple(loop.name for loop in system.loops) == loops
    assert all(loop.n_constraint == 6 for loop in system.loops)


def test_limbs_have_the_joints_of_the_paper_in_its_order():
    for configuration, letters in ((1, "xzyyzx"), (3, "xzyyyzx"), (4, "xzyyyzx")):
        system = order_n_platform(configuration).compile()
        for limb in ("leg1", "leg2", "leg3", "arm1", "arm2"):
            axes = [
                joint.axis
                for name, joint in zip(system.names, system.joints, strict=True)
                if name.startswith(limb) and joint.n_v
            ]
            present = limb.startswith("leg") or configuration == 4
            expected = [np.eye(3)["xyz".index(c)] for c in letters] if present else []
            assert np.array_equal(axes, expected)


@pytest.mark.parametrize("case", CASES)
def test_mass_is_the_sum_of_the_parts(case):
    """2000 + 500 (+ 1000) kg, modules of 20 kg between joints and at the ends, tubes by volume."""
    system, state = started(case)
    place = (case - 1) % 4
    modules = 3 * (4 if place < 2 else 5) + (10 if place == 3 else 0)
    length = 3 * 2 * 3.0 + (2 * 2 * 3.5 if place == 3 else 0.0)
    tubes = 2700.0 * math.pi * (0.08**2 - 0.077**2) * length
    total = 2500.0 + (1000.0 if place == 3 else 0.0) + 20.0 * modules + tubes
    pushed = np.zeros(system.n_v)
    pushed[system.layout.hinge_v("base")] = [0, 0, 0, 1, 0, 0]
    assert pushed @ ls.mass_matrix(system, state) @ pushed == pytest.approx(total, rel=1e-12)


def turned(axis, angle, vector):
    """Rodrigues' formula."""
    across = np.cross(axis, vector)
    return vector + math.sin(angle) * across + (1 - math.cos(angle)) * np.cross(axis, across)


def walked(outward, foot, lengths, axes, angles):
    """Points and last axes of a limb: its axes are turned in the world, joint after joint."""
    frame = {"x": UP, "y": np.cross(UP, outward), "z": -outward}
    point, points = foot, [foot]
    for length, axis, angle in zip(lengths, axes, angles, strict=True):
        about = frame[axis]
        frame = {name: turned(about, angle, vector) for name, vector in frame.items()}
        point = point + length * frame["x"]
        points.append(point)
    return np.array(points), frame


def limbs(configuration):
    """Name, outward direction, first joint, link lengths, axes and where it must end, by hand."""
    seven = configuration > 2
    for k in range(3):
        outward = turned(UP, math.radians(120 * k), np.array([1.0, 0.0, 0.0]))
        lengths = [0.3, 0.3, 3.0, 3.0, *[0.3] * (3 if seven else 2)]
        axes = "xzyyyzx" if seven else "xzyyzx"
        foot, end = 1.6 * outward + 0.05 * UP, 1.2 * outward + 4.95 * UP
        yield f"leg{k + 1}", outward, foot, lengths, axes, end
    for k in range(2 if configuration == 4 else 0):
        outward = np.array([1.0 - 2.0 * k, 0.0, 0.0])
        lengths = [0.3, 0.3, 3.5, 3.5, 0.3, 0.3, 0.3]
        foot, end = 0.9 * outward + 5.05 * UP, 0.75 * outward + 10.0 * UP
        yield f"arm{k + 1}", outward, foot, lengths, "xzyyyzx", end


@pytest.mark.parametrize("flexible", (False, True))
@pytest.mark.parametrize("configuration", (1, 2, 3, 4))
def test_limbs_reach_their_places_with_knees_outwards(configuration, flexible):
    system = order_n_platform(configuration, flexible=flexible).compile()
    state = order_n_start(system)
    revolute = [n for n, j in zip(system.names, system.joints, strict=True) if j.n_v == 1]
    for limb, outward, foot, lengths, axes, end in limbs(configuration):
        names = [name for name in revolute if name.startswith(limb)]
        angles = [state[name][0] for name in names]
        points, frame = walked(outward, foot, lengths, axes, angles)
        assert np.abs(points[-1] - end).max() < 1e-14
        for name, point in zip(names, points, strict=False):
            assert np.abs(ls.pose(system, state, name).position - point).max() < 1e-13
        elbow = points[3] - (points[2] + points[4]) / 2
        assert elbow @ outward > 0.75 * np.linalg.norm(elbow) > 1.0
        if "wrist_pitch" in names[4]:  # upright below the plate, level beside the object
            along = UP if limb.startswith("leg") else -outward
            assert np.abs(frame["x"] - along).max() < 1e-14


@pytest.mark.parametrize("case", CASES)
def test_plates_and_object_are_upright_five_metres_apart(case):
    system, state = started(case)
    for body, height in (("base", 0.0), ("top", 5.0), ("object", 10.0)):
        if body in system.names:
            frame = ls.pose(system, state, body)
            assert np.abs(frame.position - [0, 0, height]).max() < 1e-14
            assert np.abs(frame.rotation - np.eye(3)).max() < 1e-15
    assert not state.v.any()
    assert not np.concatenate([state[f"{name}.modes"] for name in system.names]).any()


@pytest.mark.parametrize("case", CLOSED)
def test_loops_are_closed_at_the_start_and_independent(case):
    """Every loop takes six freedoms: the plates and the object keep six each, legs of seven one."""
    system, state = started(case)
    moving = motions(system, state)
    loops = closed_loops.loop_motions(system, moving)
    assert max(np.abs(loop.gap).max() for loop in loops) < 1e-14
    A = closed_loops.constraint_jacobian(system, moving, loops)
    values = np.linalg.svd(A, compute_uv=False)
    assert values[-1] > 0.05 * values[0]
    place = (case - 1) % 4
    hinges = [i for name in system.names for i in _range(system.layout.hinge_v(name))]
    mobility = len(hinges) - np.linalg.matrix_rank(A[:, hinges])
    assert mobility == 6 + 6 + (0, 0, 3, 3 + 6 + 2)[place]


def _range(piece):
    return range(piece.start, piece.stop)


def test_six_jointed_legs_move_the_plate_in_every_direction_at_the_start():
    """A leg of six joints is a regular chain: its end can take any velocity."""
    system = order_n(9).compile()
    state = order_n_start(system)
    joints = [system.layout.hinge_v(n).start for n in system.names if n.startswith("leg2_")]
    motion = ls.jacobian(system, state, "leg2_wrist_roll")[:, joints]
    motion[:3] *= 3.0  # a boom's length makes turning comparable
    assert np.linalg.cond(motion) < 30


@pytest.mark.parametrize("configuration", (1, 4))
def test_stiff_booms_are_rigid_booms(configuration):
    """Mass matrices of rigid and of undeformed flexible booms agree in the hinges."""
    rigid = order_n_platform(configuration, flexible=False, closed=False).compile()
    bending = order_n_platform(configuration, closed=False).compile()
    assert rigid.names == bending.names
    hinges = [i for name in bending.names for i in _range(bending.layout.hinge_v(name))]
    whole = ls.mass_matrix(bending, order_n_start(bending))[np.ix_(hinges, hinges)]
    stiff = ls.mass_matrix(rigid, order_n_start(rigid))
    assert np.abs(whole - stiff).max() < 1e-12 * np.abs(stiff).max()


@pytest.mark.parametrize("configuration", (1, 2, 4))
def test_booms_have_two_cantilever_modes_in_each_plane(configuration):
    """Frequencies of Euler and Bernoulli's cantilever, 1.8751 and 4.6941 its first wave numbers."""
    system = order_n_platform(configuration).compile()
    gyration = math.sqrt((0.08**2 + 0.077**2) / 4)
    sound = math.sqrt(70e9 / 2700.0)
    halves = 1 if configuration == 1 else 2
    seen = 0
    for name, body in zip(system.names, system.bodies, strict=True):
        if not body.n_mode:
            continue
        length = (3.0 if name.startswith("leg") else 3.5) / halves
        rates = np.repeat([(k / length) ** 2 * gyration * sound for k in (1.875104, 4.694091)], 2)
        assert np.allclose(np.sqrt(body.stiffness), rates, rtol=1e-5)
        assert np.allclose(np.diag(body.damping), 2 * 0.005 * rates, rtol=1e-5)
        tip = body.node_shapes[body.node_names["tip"]]
        across = [np.flatnonzero(np.abs(column) > 1e-12).tolist() for column in tip.T]
        assert sorted(across) == [[1, 5], [1, 5], [2, 4], [2, 4]]
        assert body.node_positions[body.node_names["tip"]][0] == length
        seen += 1
    assert seen == (3 if configuration < 4 else 5) * 2 * halves


def test_halved_booms_weigh_and_move_like_whole_ones():
    """The same mechanism with rigid booms in one piece or two."""
    whole, halved = (order_n_platform(c, flexible=False, closed=False).compile() for c in (1, 2))
    assert halved.n_body == whole.n_body + 6
    one, two = (ls.mass_matrix(s, order_n_start(s)) for s in (whole, halved))
    assert np.abs(one - two).max() < 1e-12 * np.abs(one).max()


def sums_of_loads(configuration):
    """Whole force and moment about the base plate's centre, by hand."""
    force, moment = np.array([20.0, 10.0, 5.0]), np.array([5.0, -5.0, 10.0])
    moment = moment + np.cross(5.0 * UP, force)
    if configuration == 4:
        pull = np.array([-10.0, 15.0, 5.0])
        moment = moment + np.array([3.0, 4.0, -5.0]) + np.cross(10.0 * UP, pull)
        force = force + pull
    return np.concatenate([moment, force])


@pytest.mark.parametrize("case", (1, 4, 8, 9, 12, 16))
def test_loads_change_momentum_by_their_sum_and_reverse(case):
    """What acts between the parts, joint torques, damping and loops, changes no momentum."""
    system, state = started(case)
    loads = order_n_loads(system)
    expected = sums_of_loads((case - 1) % 4 + 1)
    for start, sign in ((0.0, 1.0), (20.0, -1.0), (39.0, -1.0), (80.0, 1.0)):
        run = ls.simulate(system, state, start=start, duration=0.02, step=1e-3, loads=loads)
        gained = run.momentum()[-1]
        assert np.abs(gained - sign * 0.02 * expected).max() < 1e-6 * np.abs(expected).max()


def test_first_leg_is_driven_and_every_joint_of_a_limb_damped():
    system = order_n(4).compile()
    loads = order_n_loads(system)
    damped = {load.joint: load.damping for load in loads if isinstance(load, ls.JointDamper)}
    joints = [n for n, j in zip(system.names, system.joints, strict=True) if j.n_v == 1]
    assert damped == dict.fromkeys(joints, 20.0) and len(joints) == 35
    drives = {load.joint: load.force for load in loads if isinstance(load, ls.Actuator)}
    assert list(drives) == [name for name in joints if name.startswith("leg1_")]
    for k, table in enumerate(drives.values()):
        assert table.values.tolist() == [(-1) ** (k + m) * 2.0 for m in range(5)]
        assert table.corners.tolist() == [0.0, 20.0, 40.0, 60.0, 80.0]


def ends(configuration, angles):
    """Axes and points of all limb ends in the frames of their carriers, by hand."""
    found = {}
    for limb, outward, foot, lengths, axes, _ in limbs(configuration):
        points, frame = walked(outward, foot, lengths, axes, angles[limb])
        found[limb] = np.array([frame["x"], frame["y"], frame["z"]]).T, points[-1]
    return found


def open_by(configuration, angles, start):
    """How far the welds of the closed cases are open: turns and distances, by hand."""
    now, rows = ends(configuration, angles), []
    for first, held in (("leg1", ("leg2", "leg3")), ("arm1", ("arm2",))):
        for limb in held if first in now else ():
            frames = [[found[name] for name in (first, limb)] for found in (now, start)]
            (R, r), (R_0, r_0) = (
                (R_a.T @ R_b, R_a.T @ (x_b - x_a)) for (R_a, x_a), (R_b, x_b) in frames
            )
            turn = R_0.T @ R
            rows += [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
            rows += list(r - r_0)
    return np.array(rows)


@pytest.mark.parametrize("method", ("articulated", "composite"))
@pytest.mark.parametrize("case", (9, 12))
def test_loops_let_pass_what_keeps_welds_closed_that_are_composed_by_hand(case, method):
    """From rest: accelerations in the null space of the closure, Gauss's principle on the tree."""
    system, state = started(case)
    configuration = case - 8
    joints = [n for n, j in zip(system.names, system.joints, strict=True) if j.n_v == 1]
    places = [system.layout.hinge_v(name).start for name in joints]
    angles = np.array([state[name][0] for name in joints])

    def gap(q):
        return open_by(configuration, _by_limb(joints, q), start)

    start = ends(configuration, _by_limb(joints, angles))
    assert np.abs(gap(angles)).max() < 1e-14
    A, h = np.zeros((system.n_constraint, system.n_v)), 1e-5
    for column, step in zip(places, h * np.eye(len(joints)), strict=True):
        A[:, column] = (gap(angles + step) - gap(angles - step)) / (2 * h)
    free = np.linalg.svd(A)[2][system.n_constraint :].T
    T = np.random.default_rng(16).standard_normal(system.n_v)
    M = ls.mass_matrix(system, state)
    expected = free @ np.linalg.solve(free.T @ M @ free, free.T @ T)
    found = ls.forward_dynamics(system, state, T, method=method)
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def _by_limb(joints, angles):
    named = {}
    for name, angle in zip(joints, angles, strict=True):
        named.setdefault(name.split("_")[0], []).append(angle)
    return named


@pytest.mark.parametrize("case", (8, 12, 13, 16))
def test_accelerations_of_both_methods_agree_along_a_run(case):
    """To 1e-10, though rounding M alone changes up to 1e-8: the dense solution is refined."""
    ready = case_of(case)
    run = timed_run(ready, 0.5, **ready.options(WAYS[1]))
    found = acceleration_record(ready, run.motion, 6)
    assert found["states"] == 6
    assert found["largest"] < 1e-10


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", (5, 9, 14))
def test_runs_by_both_methods_end_alike(case, way):
    """Both methods solve the same equations: the plate is at the same place to 1e-12."""
    ready = case_of(case)
    one, other = (timed_run(ready, 0.2, method=m, **ready.options(way)) for m in METHODS)
    assert one.finished and other.finished
    assert 0 < np.linalg.norm(one.places("top")[-1] - one.places("top")[0]) < 0.1
    assert apart(ready, one, other) < 1e-12
    assert one.gap(ready) is None if case == 5 else one.gap(ready) < 1e-6


def test_last_bit_of_one_coordinate_is_moved():
    ready = case_of(9)
    moved = perturbed(ready).state.q - ready.state.q
    assert np.count_nonzero(moved) == 1
    assert moved.max() == np.spacing(abs(ready.state["leg1_elbow"][0]))


def test_chosen_cases_are_run_for_the_chosen_time():
    told = []
    result = run_benchmark(
        "order-n", QUICK, lambda *said: told.append(said), cases=[13, 9], duration=0.05
    )
    times = [r for r in result.records if r["kind"] == "time"]
    assert {(r["case"], r["duration"]) for r in times} == {(9, 0.05), (13, 0.05)}
    assert {r["step"] for r in times} == {1e-2, 1e-3, 1e-4}
    paper, own = result.tables[0], result.tables[1]
    assert [row[0] for row in paper.rows] == [row[0] for row in own.rows] == [9, 13]
    assert paper.rows[0][-3:] == (None, None, None)  # lost
    assert paper.rows[1][-3:] == (613.4, 567.6, 613.4 / 567.6)
    assert "Measured over 0.05 s of simulated time and scaled to 100 s" in paper.note
    assert all(done <= total for _, done, total in told) and told[-1][0].startswith("case 13")
    seconds = {(r["case"], r["method"]): r["seconds"] for r in times if r["step"] != 1e-2}
    assert paper.rows[0][4] == pytest.approx(2000 * seconds[9, "articulated"])
    assert paper.rows[0][6] == pytest.approx(seconds[9, "articulated"] / seconds[9, "composite"])


@pytest.mark.parametrize(
    "options, message",
    (
        ({"cases": [0, 3]}, "cases are 0, 3; expected numbers from 1 to 16"),
        ({"cases": []}, "cases are none"),
        ({"duration": 0.0}, "duration is 0 s"),
        ({"duration": 101.0}, "duration is 101 s"),
        ({"duration": math.nan}, "duration is nan s"),
    ),
)
def test_cases_and_durations_that_cannot_be_run_are_refused(options, message):
    with pytest.raises(ls.LoadError, match=message):
        run_benchmark("order-n", QUICK, lambda *_: None, **options)


@pytest.mark.parametrize("wrong", (0, 17, 1.5, "16", True, None))
def test_cases_that_do_not_exist_are_refused(wrong):
    with pytest.raises(ls.ModelError, match="order_n: case is"):
        order_n(wrong)
    with pytest.raises(ls.ModelError, match="order_n_platform: configuration is"):
        order_n_platform(5 if wrong == 17 else wrong)


def test_other_systems_and_levels_are_refused():
    with pytest.raises(ls.ModelError, match="not an Order-N platform"):
        order_n_start(rigid_chain(3).compile())
    with pytest.raises(ls.ModelError, match="not an Order-N platform"):
        order_n_loads(rigid_chain(3).compile())
    with pytest.raises(ls.ModelError, match="level is"):
        order_n(1, level="rough")
