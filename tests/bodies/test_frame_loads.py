"""Section loads of frames: closed forms, equilibrium with all that acts, and beams."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom as ls

TUBE, METAL, LENGTH = ls.Tube(0.03, 0.002), ls.ALUMINIUM, 2.0
LINE_MASS = METAL.density * TUBE.area
METHODS = ("craig-bampton", "cantilever", "free-free")


def boom(**asked):
    """Straight frame of two members of unequal length and parts."""
    nodes = [(0, 0, 0), (0.7, 0, 0), (LENGTH, 0, 0)]
    members = [ls.Member(0, 1, TUBE, METAL, parts=2), ls.Member(1, 2, TUBE, METAL, parts=3)]
    return ls.frame(nodes, members, interfaces={"root": 0, "tip": 2}, **asked)


def on_joint(body, joint, gravity=(0, 0, 0), bob=0.0):
    model = ls.Model("boom", gravity=gravity)
    model.add(body, joint, name="boom")
    if bob:
        model.add(ls.RigidBody.sphere(bob, 0.05), ls.Fixed(), to="boom.tip", name="bob")
    return model.compile()


def stations(system, body=0):
    return system.bodies[body].recovery.stations


@pytest.mark.parametrize("level", ["full", "linear"])
@pytest.mark.parametrize("method", METHODS)
def test_a_cantilever_carries_its_weight_and_a_mass(method, level):
    g, bob = 9.81, 0.5
    system = on_joint(boom(method=method, modes=2, level=level), ls.Fixed(), (0, 0, -g), bob)
    found = ls.section_loads(system, ls.equilibrium(system), "boom")
    out = LENGTH - stations(system).positions[:, 0]
    assert np.allclose(found[:, 2], -g * (LINE_MASS * out + bob), rtol=1e-10, atol=1e-9)
    assert np.allclose(found[:, 4], g * (LINE_MASS * out**2 / 2 + bob * out), rtol=1e-10, atol=1e-9)
    assert np.abs(found[:, [0, 1, 3, 5]]).max() < 1e-9


def test_a_spinning_and_slewing_boom_carries_its_inertia():
    system, rate, alpha = on_joint(boom(modes=1), ls.Revolute("z")), 7.0, 5.0
    acceleration = np.zeros(system.n_v)
    acceleration[-1] = alpha
    state = system.state(**{"boom.rates": rate})
    found = ls.section_loads(system, state, "boom", acceleration=acceleration)
    x = stations(system).positions[:, 0]
    out, square, cube = LENGTH - x, LENGTH**2 - x**2, LENGTH**3 - x**3
    assert np.allclose(found[:, 0], LINE_MASS * rate**2 * square / 2, rtol=1e-10)
    assert np.allclose(found[:, 1], -LINE_MASS * alpha * square / 2, rtol=1e-10)
    turned = METAL.density * TUBE.second_moment_z * alpha * out
    moment = LINE_MASS * alpha * (cube / 3 - x * square / 2) + turned
    assert np.allclose(found[:, 5], -moment, rtol=1e-10, atol=1e-9)


def tripod(level, method="craig-bampton", **more):
    """Redundant frame in space with a brace, an offset member and a pin, turned in its axes."""
    nodes = [(0, 0, 0), (0.8, 0.2, 0), (0.9, -0.3, 0.5), (1.7, 0, 0.3), (0.5, 0.1, 0.6)]
    bars = [(0, 1), (1, 2), (0, 2), (1, 3), (2, 3), (2, 4)]
    members = [
        ls.Member(a, b, ls.Rectangle(0.02, 0.03), METAL, parts=2, pinned="both" if k == 1 else "")
        for k, (a, b) in enumerate(bars)
    ]
    members[3] = ls.Member(1, 3, TUBE, METAL, parts=1, offsets=[(0, 0, 0.05), (0.02, 0, 0)])
    asked = {"modes": 3, "method": method, "level": level, "masses": {4: 0.7}} | more
    found = ls.frame(
        nodes, members, interfaces={"root": 0, "tip": 3}, names={"brace": 4, "knee": 1}, **asked
    )
    return found.turned(Rotation.from_rotvec([0.3, -0.5, 0.9]).as_matrix())


def moving(level, method):
    """Two tripods in a tree with a rigid body, in motion under loads."""
    rng = np.random.default_rng(5)
    model = ls.Model("tree", gravity=(1.0, -2.0, -9.0))
    model.add(tripod(level, method), ls.Spherical(), name="a")
    model.add(tripod(level, method), ls.Revolute("y"), to="a.tip", name="b")
    model.add(
        ls.RigidBody.box(1.5, (0.1, 0.2, 0.3), com=(0.1, 0, 0)),
        ls.Revolute("x"),
        to="a.brace",
        name="c",
    )
    system = model.compile()
    external = {"a.knee": rng.normal(size=6) * 10, "b.tip": rng.normal(size=6) * 10}
    speeds = rng.normal(size=system.n_v)
    if (
        method == "free-free"
    ):  # squares of the shapes' rates are left out where shapes turn the root
        for i in range(2):
            speeds[system.layout.modal_v(i)] = 0.0
    return system, system.state(system.neutral().q, speeds), external


@pytest.mark.parametrize("level", ["linear", "full"])
@pytest.mark.parametrize("method", METHODS)
def test_the_members_at_the_root_carry_the_reaction(method, level):
    """What the members at the root exert on their node, in body axes, is the joint's reaction.

    To rounding where the deflection is zero: loads have their undeformed places.
    """
    system, state, external = moving(level, method)
    reactions = ls.joint_forces(system, state, external=external)
    for i, name in enumerate("ab"):
        found, known = ls.section_loads(system, state, name, external=external), stations(system, i)
        at_root = np.flatnonzero(np.linalg.norm(known.positions, axis=1) < 1e-9)
        assert len(at_root) == 2
        total = sum(
            np.concatenate([known.axes[k] @ found[k, 3:], known.axes[k] @ found[k, :3]])
            for k in at_root
        )
        off = np.abs(total + reactions[i]).max() / np.abs(reactions[i]).max()
        assert off < 1e-9


def test_loads_with_few_shapes_are_those_with_all_of_them():
    """At rest, of a redundant frame: the reduction leaves nothing out of the statics."""
    found, small = [], 1e-6  # nodes turn little
    external = {"a.tip": small * np.array([1, 2, 3, 40, 50, -60.0])}
    external["a.brace"] = small * np.array([0, 3, 0, -5, 0, 9.0])
    for modes in (0, 12):
        model = ls.Model("held", gravity=small * np.array([1.0, 2.0, -9.0]))
        model.add(tripod("linear", modes=modes), ls.Fixed(), name="a")
        system = model.compile()
        loads = [ls.NodeForce(k, force=w[3:], moment=w[:3]) for k, w in external.items()]
        rest = ls.equilibrium(system, loads=loads)
        found.append(ls.section_loads(system, rest, "a", external=external))
    assert np.allclose(*found, rtol=1e-6, atol=1e-6 * small)


def test_a_frame_that_spins_carries_what_a_beam_does():
    """Bent by its weight against the pull of the spin; the beam by equilibrium where it is."""
    found, more = [], {"level": "stiffened", "damping": 0.7}
    own = ls.beam(LENGTH, TUBE, METAL, bending=4, torsion=1, stretch=1, **more)
    made = boom(modes=4, theory="euler-bernoulli", **more)
    stations_of_both = {"made": [0, 3, 4, 9], "own": [0.0, 0.7, 0.7, LENGTH]}
    for name, body in (("made", made), ("own", own)):
        system = on_joint(body, ls.Revolute("z"), (0, 0, -9.81), bob=3.0)
        run = ls.simulate(
            system, system.state(**{"boom.rates": 25.0}), duration=0.6, output_step=0.2, rtol=1e-8
        )
        at = stations_of_both[name]
        found.append([run.along("boom", x, at)[-1] for x in ("section_force", "section_moment")])
    for one, other in zip(*found, strict=True):
        assert np.abs(one - other).max() < 0.02 * np.abs(other).max()
    unloaded = 9.81 * (LINE_MASS * LENGTH**2 / 2 + 3.0 * LENGTH)
    assert found[0][1][0, 1] < 0.85 * unloaded  # the pull carries part of the weight


def test_stresses_and_envelopes_of_a_run_have_the_loads_of_its_states():
    """With what a body at the tip and a load on a node exert, in every way to ask for them."""
    system = on_joint(tripod("full"), ls.Revolute("z"), (0, 0, -9.81), bob=1.0)
    push = ls.NodeForce("boom.knee", force=(0, 50.0, -80.0))
    start = system.state(**{"boom.rates": 1.0})
    run = ls.simulate(system, start, duration=0.01, loads=[push], output_step=0.005)
    pushed = {"boom.knee": np.concatenate([np.zeros(3), _in_node_axes(system, run, push)])}
    loads = ls.section_loads(system, run.state(0.0), "boom", external=pushed)
    stress = ls.stress(system, run.state(0.0), "boom", external=pushed)
    size = np.abs(loads).max()
    assert np.abs(run.along("boom", "section_force")[0] - loads[:, :3]).max() < 1e-9 * size
    assert np.allclose(run.stress("boom")[0], stress, rtol=1e-8, atol=1e-3)
    largest = ls.von_mises(run.stress("boom")).max()
    assert np.isclose(run["boom.stress"].max(), largest, rtol=1e-10)
    assert np.isclose(run.envelope("boom.stress")[0].largest, largest, rtol=1e-10)


def _in_node_axes(system, run, push):
    """Force in world axes, as `external` takes it."""
    return ls.pose(system, run.state(0.0), push.where).rotation.T @ push.force


def test_loads_survive_files_and_wrong_nodes_are_named(tmp_path):
    body = tripod("full")
    body.save(tmp_path / "tripod.nc")
    both = []
    for one in (body, ls.load_body(tmp_path / "tripod.nc")):
        system = on_joint(one, ls.Revolute("z"), (0, 0, -9.81), bob=1.0)
        state = system.state(**{"boom.rates": 1.0})
        both.append(ls.section_loads(system, state, "boom"))
    assert np.array_equal(*both)
    run = ls.simulate(system, state, duration=0.01, output_step=0.005)
    run.save(tmp_path / "run.npz")
    again = ls.Trajectory.load(tmp_path / "run.npz")
    assert np.array_equal(run.along("boom", "section_force"), again.along("boom", "section_force"))
    assert np.allclose(run.along("boom", "section_force")[0], both[0][:, :3], rtol=1e-9, atol=1e-7)
    hidden = next(k for k in range(20) if k not in body.names.values())
    with pytest.raises(ls.StateError, match=f"its node {hidden}.*names="):
        ls.section_loads(system, state, "boom", external={f"boom.{hidden}": np.ones(6)})
