"""Graphs of joints: which are cut, and that the mechanism stays the same whichever are."""

import itertools
import logging
from collections import Counter

import numpy as np
import pytest
from scipy.linalg import null_space

import lissom as ls
from lissom.algorithms.loops.closed_loops import (
    constrained_dynamics,
    constraint_jacobian,
    loop_motions,
)
from lissom.algorithms.tree.reference import kinematics_base_to_tip
from lissom.model.arborescence import least_arborescence
from tests.samples.four_bars import BASE, LENGTHS, Y, four_bar_of_a_chain, four_bar_of_joins, link
from tests.samples.random_graphs import (
    BOOM,
    Edge,
    Mechanism,
    joint_pose,
    matrix,
    random_mechanism,
    random_pose,
)

BALL = ls.RigidBody.sphere(mass=2.0, radius=0.3)


def four_bar_poses(crank):
    """Pose of each link at an angle of the crank, by intersecting two circles in the plane x z."""
    p = np.array([np.cos(crank), -np.sin(crank)])  # the crank's end; y turns x towards -z
    d = np.array([BASE, 0]) - p
    reach = np.linalg.norm(d)
    along = (LENGTHS["coupler"] ** 2 - LENGTHS["rocker"] ** 2 + reach**2) / (2 * reach)
    across = np.sqrt(LENGTHS["coupler"] ** 2 - along**2)
    pin = p + (along * d + across * np.array([-d[1], d[0]])) / reach
    ends = {"crank": (np.zeros(2), p), "coupler": (p, pin), "rocker": (np.array([BASE, 0]), pin)}
    poses: dict = {None: np.eye(4)}
    for name, (start, end) in ends.items():
        c, s = (end - start) / LENGTHS[name]
        rotation = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
        poses[name] = matrix(rotation, (start[0], 0, start[1]))
    return poses


def state_at(system, poses, place, modes, frames):
    """State at rest whose bodies are at the given poses, from the relative pose of every joint.

    poses: of bodies; place: of "body" and "body.node"; frames: of the massless bodies.
    """
    pieces = {}
    known = poses | frames
    for i, name in enumerate(system.names):
        p = system.parent[i]
        carrier = None if p < 0 else system.names[p]
        node = "" if p < 0 or system.parent_node[i] == system.bodies[p].inboard else ".tip"
        base = place(carrier + node) if node else known[carrier]
        inboard = base @ matrix(system.frame_rotation[i], system.frame_position[i])
        T = np.linalg.inv(inboard) @ known[name]
        pieces[name] = system.joints[i].nearest(T[:3, :3], T[:3, 3])
        if name in modes:
            pieces[f"{name}.modes"] = modes[name]
    return system.state(**pieces)


def stacked(system, state, bodies, modes):
    """Map (6 n + modes, n_v) from speeds to the motions of the bodies and of their modes."""
    rows = [ls.jacobian(system, state, name) for name in bodies]
    rows += [np.eye(system.n_v)[system.layout.modal_v(name)] for name in modes]
    return np.concatenate(rows)


def body_accelerations(system, state, bodies, modes):
    motions = kinematics_base_to_tip(system, state.q, state.v)
    vdot, _ = constrained_dynamics(system, motions, np.zeros(system.n_v))
    rows = [ls.acceleration(system, state, name, vdot) for name in bodies]
    return np.concatenate([*rows, *(vdot[system.layout.modal_v(name)] for name in modes)])


def jacobian_of_loops(system, state):
    motions = kinematics_base_to_tip(system, state.q, state.v)
    loops = loop_motions(system, motions)
    assert max(np.abs(loop.gap).max(initial=0.0) for loop in loops) < 1e-11
    return constraint_jacobian(system, motions, loops)


def check_same_motion(one, other, state, twin, bodies, modes, rng):
    """Equal velocities and accelerations of all bodies; returns the number of free motions."""
    free = null_space(jacobian_of_loops(other, twin), rcond=1e-9)
    twin = twin.replace(v=free @ rng.normal(size=free.shape[1]))
    motion = stacked(other, twin, bodies, modes) @ twin.v
    v, *_ = np.linalg.lstsq(stacked(one, state, bodies, modes), motion, rcond=None)
    state = state.replace(v=v)
    assert np.allclose(stacked(one, state, bodies, modes) @ v, motion, atol=1e-10)
    assert np.allclose(jacobian_of_loops(one, state) @ v, 0, atol=1e-9)
    a, b = (body_accelerations(s, x, bodies, modes) for s, x in ((one, state), (other, twin)))
    assert np.abs(a - b).max() <= 1e-10 * max(1.0, np.abs(b).max())
    return free.shape[1]


@pytest.mark.parametrize("crank", [0.3, 2.0, -1.1])
def test_a_four_bar_of_joins_is_the_four_bar_of_a_closed_chain(crank):
    one, other = four_bar_of_joins().compile(), four_bar_of_a_chain().compile()
    assert (one.n_v, one.n_constraint) == (3, 5) == (other.n_v, other.n_constraint)
    assert [loop.name for loop in one.loops] == ["C"] and one.loops[0].chosen
    poses = four_bar_poses(crank)
    end = {"end of the rocker": poses["rocker"] @ matrix(np.eye(3), (2.0, 0, 0))}
    bodies = list(LENGTHS)
    state = state_at(one, poses, None, {}, {})
    twin = state_at(other, poses, None, {}, end)
    for system, at in ((one, state), (other, twin)):
        for name in bodies:
            T = ls.pose(system, at, name)
            assert np.allclose(matrix(T.rotation, T.position), poses[name], atol=1e-12)
    assert check_same_motion(one, other, state, twin, bodies, [], np.random.default_rng(1)) == 1


def frames_of(system, mechanism):
    """Poses of the massless frames: each is at the end of its joint on the body it carries."""
    edges = {f"tree{k}": e for k, e in enumerate(mechanism.tree)}
    edges |= {f"further{k}": e for k, e in enumerate(mechanism.further)}
    frames = {}
    for name in system.names:
        body, at, joint = name.partition("@")
        if at:
            e = edges[joint]
            on_b = (e.b or "").partition(".")[0] == body
            frames[name] = mechanism.place(e.b) @ e.at_b if on_b else mechanism.place(e.a) @ e.at_a
    return frames


def check_graph_moves_like_tree(mechanism, rng):
    """Same poses, velocities and accelerations; returns both systems and the free motions."""
    one, other = mechanism.as_graph(rng).compile(), mechanism.as_tree().compile()
    assert one.n_constraint <= other.n_constraint
    modes, bodies = mechanism.modes, list(mechanism.bodies)
    hinges = {e.b: e.q for e in mechanism.tree}
    twin = other.state(**hinges, **{f"{name}.modes": m for name, m in modes.items()})
    frames = frames_of(one, mechanism)
    state = state_at(one, mechanism.poses, mechanism.place, modes, frames)
    for name in bodies:
        T = ls.pose(one, state, name)
        assert np.allclose(matrix(T.rotation, T.position), mechanism.poses[name], atol=1e-11)
    return one, other, check_same_motion(one, other, state, twin, bodies, list(modes), rng)


def test_random_graphs_move_like_the_same_trees_with_loops():
    seen = Counter()
    for seed in range(20):
        rng = np.random.default_rng([seed, 5])
        mechanism = random_mechanism(rng)
        if is_ill_conditioned(mechanism):
            continue
        one, other, n_free = check_graph_moves_like_tree(mechanism, rng)
        seen["moves"] += n_free > 0
        seen["frames"] += any("@" in name for name in one.names)
        seen["flexible"] += bool(mechanism.modes)
        seen["other tree"] += one.n_constraint < other.n_constraint
    assert min(seen[k] for k in ("moves", "frames", "flexible", "other tree")) >= 5, seen


def is_ill_conditioned(mechanism):
    system = mechanism.as_tree().compile()
    modes = {f"{name}.modes": m for name, m in mechanism.modes.items()}
    state = system.state(**{e.b: e.q for e in mechanism.tree}, **modes)
    values = np.linalg.svd(jacobian_of_loops(system, state), compute_uv=False)
    return values[-1] < 1e-3 * values[0]


def ladder(n_rung, tilt):
    """Two leaning rails of links with rungs between them: parallelograms one on another."""
    c, s = np.cos(tilt), np.sin(tilt)
    up = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ np.array([[0, 0, -1], [0, 1, 0], [1, 0, 0]])
    mechanism = Mechanism({}, {None: np.eye(4)}, {})

    def edge(a, b, at_b=(0, 0, 0)):
        """Revolute joint at a point of body b, wherever body a is then."""
        at_b = matrix(np.eye(3), at_b)
        at_a = np.linalg.inv(mechanism.poses[a]) @ mechanism.poses[b] @ at_b
        return Edge(Y, np.zeros(1), a, b, at_a, at_b)

    for k in range(n_rung):
        for side, x in (("left", 0), ("right", 2)):
            mechanism.bodies[f"{side}{k}"] = link(1.5)
            mechanism.poses[f"{side}{k}"] = matrix(up, up @ (1.5 * k, 0, 0) + np.array([x, 0, 0]))
            below = f"{side}{k - 1}" if k else None
            mechanism.tree.append(edge(below, f"{side}{k}"))
        mechanism.bodies[f"rung{k}"] = link(2.0)
        mechanism.poses[f"rung{k}"] = matrix(np.eye(3), up @ (1.5 * k + 1.5, 0, 0))
        mechanism.tree.append(edge(f"left{k}", f"rung{k}"))
        mechanism.further.append(edge(f"right{k}", f"rung{k}", at_b=(2, 0, 0)))
    return mechanism


@pytest.mark.parametrize("seed", range(3))
def test_a_ladder_has_a_loop_for_each_rung(seed):
    one, _, n_free = check_graph_moves_like_tree(ladder(4, 0.3), np.random.default_rng(seed))
    assert (len(one.loops), one.n_constraint, n_free) == (4, 20, 4)
    assert all(loop.chosen for loop in one.loops)


MOTIONS = [ls.Fixed(), Y, ls.Cylindrical("x"), ls.Spherical(), ls.Planar("z"), ls.Free()]


def random_graph(rng):
    """Model of two to four bodies and its edges (motions, a, b, whether a, b can be carried)."""
    names = [f"body{k}" for k in range(rng.integers(2, 5))]
    bends = {name: rng.random() < 0.4 for name in names}
    model, edges = ls.Model("graph"), []

    def random_end(*but):
        name = rng.choice([n for n in [*names, ""] if n not in but])
        tip = name != "" and bends[name] and rng.random() < 0.5
        return name, not tip, ls.Part(str(name), "tip" if tip else None) if name else None

    for name in names:
        body = BOOM if bends[name] else BALL
        if rng.random() < 0.5:
            model.add(body, None, name=name)
            continue
        joint = MOTIONS[rng.integers(len(MOTIONS))]
        to, inboard, part = random_end(name)
        model.add(body, joint, name=name, to=part, at=rng.normal(size=3))
        edges.append((joint.n_v, to, name, inboard, True))
    for k in range(rng.integers(1, 5)):
        joint = MOTIONS[rng.integers(len(MOTIONS) - 1)]
        (a, at_a, part_a), shift = random_end(), rng.normal(size=3) * rng.integers(2)
        b, at_b, part_b = random_end(a)
        model.join(joint, part_a, part_b, at_b=shift, name=f"join{k}")
        edges.append((joint.n_v, a, b, at_a, at_b))
    return model, names, edges


def fewest_equations(names, edges):
    """Least number of constraint equations over all spanning trees; None if there is none."""
    found = []
    for tree in itertools.combinations(edges, len(names)):
        reached = {""}
        for _ in names:  # outward, one layer after another
            for _, a, b, a_carried, b_carried in tree:
                if a in reached and b_carried:
                    reached.add(b)
                if b in reached and a_carried:
                    reached.add(a)
        if len(reached) == len(names) + 1:
            found.append(sum(6 - e[0] for e in edges) - sum(6 - e[0] for e in tree))
    return min(found, default=None)


def test_no_spanning_tree_has_fewer_constraint_equations():
    seen = Counter()
    for seed in range(320):
        model, names, edges = random_graph(np.random.default_rng([seed, 3]))
        fewest = fewest_equations(names, edges)
        if fewest is None:
            with pytest.raises(ls.ModelError, match=r"no joint connects|no joint can carry"):
                model.compile()
            seen["no tree"] += 1
            continue
        system = model.compile()
        assert system.n_constraint == fewest, seed
        assert system.n_v - system.n_constraint == sum(b.n_mode for b in system.bodies) + 6 * len(
            names
        ) - sum(6 - e[0] for e in edges)
        seen[f"{len(system.loops)} loops"] += 1
    assert min(seen[k] for k in ("no tree", "1 loops", "2 loops", "3 loops")) > 9, seen


def test_no_arborescence_weighs_less():
    rng = np.random.default_rng(8)
    for _ in range(200):
        n = int(rng.integers(2, 6))
        arcs = [(0, v, int(rng.integers(5, 20))) for v in range(1, n)]
        for _ in range(rng.integers(0, 9)):
            tail, head = (int(k) for k in rng.integers(n, size=2))
            if head != tail and head:
                arcs.append((tail, head, int(rng.integers(10))))
        into = [[a for a in arcs if a[1] == v] for v in range(1, n)]
        least = min(
            sum(a[2] for a in choice)
            for choice in itertools.product(*into)
            if all(_leads_to_root(v, choice) for v in range(1, n))
        )
        taken = [arcs[k] for k in least_arborescence(n, arcs)]
        assert [a[1] for a in taken] == list(range(1, n))
        assert all(_leads_to_root(v, taken) for v in range(1, n))
        assert sum(a[2] for a in taken) == least


def _leads_to_root(vertex, arcs):
    for _ in arcs:
        vertex = arcs[vertex - 1][0] if vertex else 0
    return vertex == 0


def test_the_cheapest_first_step_is_not_always_in_the_tree():
    """A boom that the revolute joint holds by its tip cannot be carried by it."""
    model = ls.Model()
    model.add(BALL, None, name="ball")
    model.add(BOOM, None, name="boom")
    model.join(ls.Cylindrical("x"), None, "ball", name="to ball")
    model.join(ls.Spherical(), None, "boom", name="to boom")
    model.join(Y, "ball", "boom.tip", name="between")
    system = model.compile()
    assert [loop.name for loop in system.loops] == ["to ball"] and system.n_constraint == 4


def test_ties_keep_what_was_added_then_spare_frames_then_stay_near_the_ground():
    model = ls.Model()
    for k in range(4):
        model.add(BALL, Y, name=f"b{k}", to=f"b{k - 1}" if k else None, at=(1, 0, 0))
    model.join(Y, "b3", None, name="last")
    assert list(model.compile().parent) == [-1, 0, 1, 2]
    for shift, cut in ((0, "j4"), (1, "j2")):
        ring = ls.Model()
        for k in range(4):
            ring.add(BALL, None, name=f"b{k}")
        for k in range(5):
            ends = (f"b{k - 1}" if k else None, f"b{k}" if k < 4 else None)
            ring.join(Y, *ends, at_a=(1, 0, 0), at_b=(shift, 0, 0), name=f"j{k}")
        system = ring.compile()
        assert [loop.name for loop in system.loops] == [cut]
        assert system.n_body == (8 if shift else 4)


def test_a_free_joint_that_nothing_needs_is_left_out(caplog):
    model = ls.Model("m")
    model.add(BALL, ls.Free(), name="hub")
    model.add(BALL, ls.Free(), name="arm")
    model.join(Y, "hub", "arm", name="hinge")
    with caplog.at_level(logging.INFO, "lissom"):
        system = model.compile()
    assert (system.n_v, system.n_constraint) == (7, 0) and not system.loops
    assert "'arm-ground' carries no body" in caplog.text


REVERSIBLE = [
    *(ls.Fixed(), ls.Revolute((1, 2, 2)), ls.Prismatic((1, 2, 2)), ls.Screw((1, 2, 2), 0.3)),
    *(ls.Cylindrical((1, 2, 2)), ls.Universal((1, 0, 1), (0, 1, 2)), ls.Spherical()),
    *(ls.Planar((1, 2, 2)), ls.Free()),
    ls.SimpleJoint(np.eye(6)[:, [3, 4, 2]]),
    ls.CompoundJoint([np.eye(6)[:, [3, 4, 2]], [1, 0, 0, 0, 2, 1]]),
]


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("joint", REVERSIBLE, ids=lambda joint: type(joint).__name__)
def test_a_joint_run_backwards_reaches_the_same_relative_poses(joint, shifted):
    """The body is at the joint's inboard end, so that the ground carries it from the other side."""
    rng = np.random.default_rng(4)
    at_a, at_b = random_pose(rng), random_pose(rng)
    if not shifted:
        at_a[:3, 3] = 0
    model = ls.Model()
    if joint.n_v == 6:
        model.add(BALL, None, name="body")
        model.add(BALL, joint, to="body", at=at_a[:3, 3], rotation=at_a[:3, :3], name="base")
        model.join(ls.Fixed(), None, "base", at_a=at_b[:3, 3], rotation_a=at_b[:3, :3], name="j")
    else:
        model.add(BALL, None, name="body")
        model.join(
            joint,
            *("body", None),
            **{"at_a": at_a[:3, 3], "rotation_a": at_a[:3, :3]},
            **{"at_b": at_b[:3, 3], "rotation_b": at_b[:3, :3]},
            name="j",
        )
    system = model.compile()
    assert not system.loops and system.n_v == joint.n_v
    frames = [name for name in system.names if "@" in name]
    needs_frame = shifted and not isinstance(joint, (ls.Fixed, ls.Prismatic))
    assert len(frames) == needs_frame
    q = 0.7 * rng.normal(size=system.n_q)
    if joint.has_quaternion:
        q[:4] /= np.linalg.norm(q[:4])
    reached = ls.pose(system, system.state(q), "body")
    relative = np.linalg.inv(matrix(reached.rotation, reached.position) @ at_a) @ at_b
    back = joint.nearest(relative[:3, :3], relative[:3, 3])
    assert np.allclose(joint_pose(joint, back), relative, atol=1e-12)
    if isinstance(joint, (ls.Universal, ls.SimpleJoint, ls.CompoundJoint)):
        back = back[::-1]
    if not isinstance(joint, (ls.Spherical, ls.Planar, ls.Free)):
        assert np.allclose(back, q, atol=1e-11)
