"""Closed mechanisms against Exudyn's runs and Pinocchio's constrained dynamics.

Both hold constraints exactly.  MuJoCo's equality constraints are soft by design: no peer here.
"""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.loop_oracles.planar import FlexibleSliderCrank, FourBar
from tests.references.exudyn_pendulum import extrapolated
from tests.references.peers import peer
from tests.references.pinocchio_twins import build_twins, draw_parts, lissom_joint, random_rotation
from tests.samples.loop_mechanisms import (
    flexible_rod,
    four_bar,
    four_bar_state,
    slider_crank,
    slider_crank_state,
)
from tests.tools.measures import random_state

pytestmark = pytest.mark.peer


def test_four_bar_moves_as_in_exudyn():
    """Redundant coordinates and trapezoidal rule there, extrapolated to small steps."""
    peer("exudyn")
    from tests.references import exudyn_linkages

    values = FourBar()
    q, qdot = values.start(0.7, 2.0)
    theirs, correction = extrapolated(
        lambda step: exudyn_linkages.four_bar(values, q, qdot).run(2.0, step, 0.1).ends, 2e-3
    )
    assert correction < 2e-9
    system = four_bar(values)
    start = four_bar_state(system, q, qdot)
    run = ls.simulate(system, start, duration=2.0, output_step=0.1, rtol=1e-10)
    for k, (name, length) in enumerate(zip(system.names, values.lengths, strict=True)):
        end = run[f"{name}.position"] + length * run[f"{name}.rotation"][:, :, 0]
        assert np.abs(end - theirs[:, k]).max() < 2e-9


def test_flexible_slider_crank_moves_as_in_exudyn():
    """The same modes on Exudyn's floating frame."""
    peer("exudyn")
    from tests.references import exudyn_linkages

    values = FlexibleSliderCrank()
    body = flexible_rod(values)
    q, qdot = values.start(0.7, 10.0)

    def motion(step):
        made = exudyn_linkages.slider_crank(values, body, q, qdot)
        ends = made.run(0.2, step, 0.01).ends
        return np.hstack([ends[:, 1, :2], made.record(made.modes)])

    theirs, correction = extrapolated(motion, 1e-4)
    assert correction < 2e-9
    system = slider_crank(values)
    start = slider_crank_state(system, values, q, qdot)
    run = ls.simulate(system, start, duration=0.2, output_step=0.01, rtol=1e-11)
    ours = np.hstack([run["rod.tip.position"][:, :2], run["rod.modes"]])
    assert np.abs(theirs[:, 2:]).max() > 1e-4  # it bends
    assert np.abs(ours - theirs).max() < 2e-9


# Pinocchio: welds and balls between random rigid trees


def _two_bodies(twins, rng):
    """Names of two bodies that move against each other in Pinocchio's tree."""
    names = [part.name for part in twins.parts]
    while True:
        a, b = rng.choice(names, 2, replace=False)
        if twins.joint_id[a] != twins.joint_id[b]:
            return str(a), str(b)


def _constraint(pin, twins, kind, a, b, frame_a, frame_b):
    """Pinocchio's rigid constraint between frames on two bodies."""
    places = []
    for name, frame in ((a, frame_a), (b, frame_b)):
        there = twins.model.frames[twins.model.getFrameId(name + "_frame")].placement
        places += [twins.joint_id[name], there * frame]
    return pin.RigidConstraintModel(kind, twins.model, *places, pin.ReferenceFrame.LOCAL)


def _accelerations(pin, twins, constraint, q, v, force):
    """Pinocchio's constrained accelerations, by its proximal method."""
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.append(constraint)
    datas.append(constraint.createData())
    try:
        pin.initConstraintDynamics(twins.model, twins.data, models, datas)
    except TypeError:  # before 4.0
        pin.initConstraintDynamics(twins.model, twins.data, models)
    settings = pin.ProximalSettings(1e-14, 1e-14, 1e-8, 200)
    return pin.constraintDynamics(twins.model, twins.data, q, v, force, models, datas, settings)


@pytest.mark.parametrize("seed", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("kind", ["weld", "ball"])
def test_constrained_accelerations_are_pinocchios(kind, seed):
    pin = peer("pin")
    rng = np.random.default_rng([seed, kind == "ball"])
    gravity = rng.uniform(-5, 5, 3)
    twins = build_twins(pin, draw_parts(seed), gravity, rng)
    open_state = random_state(twins.system, rng)
    a, b = _two_bodies(twins, rng)
    poses = [ls.pose(twins.system, open_state, name) for name in (a, b)]
    world_a, world_b = (pin.SE3(pose.rotation, pose.position) for pose in poses)
    frame_a = pin.SE3(random_rotation(rng), rng.uniform(-0.5, 0.5, 3))
    turned = random_rotation(rng) if kind == "ball" else np.eye(3)
    joint_pose = pin.SE3(turned, np.zeros(3))
    frame_b = world_b.inverse() * world_a * frame_a * joint_pose
    contact = pin.ContactType.CONTACT_3D if kind == "ball" else pin.ContactType.CONTACT_6D
    theirs = _constraint(pin, twins, contact, a, b, frame_a, frame_b)

    system = _closed(twins, gravity, kind, a, b, frame_a, frame_b)
    state = ls.assemble(system, system.state(q=open_state.q, v=open_state.v))
    assert np.abs(state.q - open_state.q).max() < 1e-12  # it was closed; only speeds change
    q, v = state.q[twins.q_index], state.v[twins.v_index]
    force = rng.uniform(-2, 2, system.n_v)
    expected = _accelerations(pin, twins, theirs, q, v, force[twins.v_index])
    vdot = ls.forward_dynamics(system, state, force)
    scale = max(np.abs(expected).max(), 1.0)
    assert np.abs(vdot[twins.v_index] - expected).max() < 1e-8 * scale


def _closed(twins, gravity, kind, a, b, frame_a, frame_b) -> ls.System:
    """lissom's tree of the twins with one loop."""
    model = ls.Model("closed", gravity=gravity)
    parts = {part.name: part for part in twins.parts}
    for name in twins.system.names:
        part = parts[name]
        model.add(
            ls.RigidBody(part.mass, part.com, part.inertia),
            lissom_joint(part),
            name=name,
            to=None if part.parent < 0 else twins.parts[part.parent].name,
            at=part.at,
            rotation=part.rotation,
        )
    model.close(
        ls.Spherical() if kind == "ball" else ls.Fixed(),
        a,
        b,
        at_a=frame_a.translation,
        at_b=frame_b.translation,
        rotation_a=frame_a.rotation,
        rotation_b=frame_b.rotation,
        name="loop",
    )
    system = model.compile()
    assert system.names == twins.system.names
    return system
