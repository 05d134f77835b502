"""Simulations in other libraries against lissom's equations, integrated by SciPy.

Three comparisons, each with its own kind of error:

- the same equations in Exudyn (floating frames with lissom's nodes, masses and modes): the error is
  that of the integrators, and extrapolation to small steps takes it away;
- the same rigid mechanism: rounding, as all take the same steps of the same method;
- other models of the same flexible links (beam elements, rigid segments): see `MODELLING`.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import lissom as ls
from benchmarks.peers.result import PeerRun, differences, steps_and_stride
from benchmarks.peers.segments import segmented_links
from benchmarks.simulation.reference_solution import (
    link_points,
    reference_coordinates,
    reference_solution,
)
from lissom.library import swinging_links
from tests.references.exudyn_pendulum import extrapolated, pendulum, tight_settings
from tests.references.peers import peer

pytestmark = pytest.mark.peer

# A bar so slender that it bends by a centimetre, and where it starts from.
SLENDER = dict(section=ls.Rectangle(0.003, 0.004), material=ls.ALUMINIUM, modes=4, damping=0.005)
BENT = np.array([6e-4, -9e-4, 4e-5, 6e-5])
SPIN = (3.0, 2.0, 4.0)
DURATION, STEP = 0.3, 1e-4


@pytest.fixture(scope="module", autouse=True)
def exudyn():
    return peer("exudyn")


def own_motion(body, joint, rates, level, modes):
    model = ls.Model("one", gravity=(0, 0, -9.81))
    model.add(body, joint, name="bar")
    system = model.compile(level=level)
    start = system.state(**{"bar.rates": rates, "bar.modes": modes})
    _, q, v = reference_coordinates(system, start, duration=DURATION, rtol=1e-11)
    states = [system.state(*row) for row in zip(q, v, strict=True)]
    tips = [ls.pose(system, s, "bar.tip").position for s in states]
    return np.hstack([tips, [s["bar.modes"] for s in states]])


@pytest.mark.parametrize(
    "kind, joint, spin, rates",
    [
        ("y", ls.Revolute("y"), (0.0, 1.0, 0.0), 1.0),
        ("spherical", ls.Spherical(), SPIN, SPIN),
        ("free", ls.Free(), SPIN, (*SPIN, 0.0, 0.0, 0.0)),
    ],
)
def test_flexible_pendulum_of_level_full_is_exudyns(kind, joint, spin, rates):
    body = ls.beam(1.0, **SLENDER)

    def motion(step):
        found = pendulum(
            body, kind, angular_velocity=spin, modes=BENT, duration=DURATION, step=step
        )
        return np.hstack([found.tip, found.modes])

    theirs, correction = extrapolated(motion, STEP)
    error = np.abs(theirs - own_motion(body, joint, rates, "full", BENT)).max(axis=0)
    linear = np.abs(theirs - own_motion(body, joint, rates, "linear", BENT)).max(axis=0)
    assert correction < 1e-9
    assert error[:3].max() < 1e-9  # m
    assert error[3:].max() < 1e-9  # m √kg
    assert linear[:3].max() > 1e-4
    assert linear[3:].max() > 1e-5


@pytest.mark.parametrize(
    "joints, gravity, bound",
    [
        ((ls.Revolute("y"), ls.Revolute("y")), (0.0, 0.0, -9.81), 1e-9),
        # Gravity askew to the sides of the bars, which are stiffer one way: it bends them in space.
        ((ls.Spherical(), ls.Spherical()), (0.0, -5.0, -8.0), 1e-9),
        # Exudyn's markers take rates of rotation vectors for angular velocities: an error of the
        # order of the rotation of the node, 0.01 rad, in the forces of the joint.
        ((ls.Revolute("y"), ls.Revolute((1, 1, 1))), (0.0, 0.0, -9.81), 5e-4),
    ],
    ids=["plane", "space, spherical", "space, revolute"],
)
def test_two_flexible_links_of_level_full_are_exudyns(joints, gravity, bound):
    from benchmarks.peers.exudyn_floating import ExudynFloating

    bar = ls.beam(1.0, **SLENDER)
    bar = dataclasses.replace(bar, names={**bar.names, "middle": 12})
    model = ls.Model("two", gravity=gravity)
    model.add(bar, joints[0], name="first")
    model.add(bar, joints[1], to="first.tip", name="second")
    twin = ExudynFloating(model)
    tight_settings(twin)

    def motion(step):
        found = twin.run(DURATION, step)
        return np.concatenate([found.ends, found.middles], axis=1)

    theirs, correction = extrapolated(motion, 2 * STEP)
    system = model.compile()
    _, q, v = reference_coordinates(system, duration=DURATION, rtol=1e-11)
    ours = np.concatenate(link_points(system, q, v), axis=1)
    assert correction < 1e-9
    assert np.abs(theirs - ours).max() < bound


def test_rigid_chain_moves_alike_in_all_libraries():
    peer("mujoco"), peer("pin")
    from benchmarks.peers.runs import RIGID_TIP, rigid_peers, rigid_start

    runs = {name: twin.run(0.2, 1e-3) for name, twin in rigid_peers(6).items()}
    model, state = rigid_start(6)
    system = model.compile()
    times, q, v = reference_coordinates(system, state, duration=0.2)
    poses = [ls.pose(system, system.state(*row), "link5") for row in zip(q, v, strict=True)]
    tips = np.array([p.position + p.rotation @ RIGID_TIP for p in poses])
    exact = PeerRun("SciPy", 0.0, times, tips[:, None])
    for run in runs.values():
        assert differences(run, runs["MuJoCo"])["tip"] < 1e-11  # rounding
        assert differences(run, exact)["tip"] < 1e-7  # Runge and Kutta's with 1 ms


# Bounds on the differences of tip and bow [m] from lissom's two links with 4 modes over 0.3 s;
# bows are up to 0.6 mm.  Floating frames: generalised-α with 1 ms, second order, lags behind in the
# upper modes.  Beams and segments: the upper modes that lissom's links lack, the tension that makes
# a link stiffer, and (beams) the same lag.
MODELLING = {
    "Exudyn, floating frames": (5e-5, 5e-5),
    "Exudyn, beam elements": (1e-4, 1e-4),
    "MuJoCo, segments": (1e-4, 1e-4),
    "Pinocchio, segments": (1e-4, 1e-4),
}


@pytest.fixture(scope="module")
def swinging():
    peer("mujoco"), peer("pin")
    from benchmarks.peers.runs import flexible_peers

    reference = reference_solution(swinging_links(2).compile(), duration=0.3, rtol=1e-9)
    return reference, {name: p.run(0.3, 1e-3) for name, p in flexible_peers(2).items()}


@pytest.mark.parametrize("name", MODELLING)
def test_swinging_links_move_alike_but_for_modelling(swinging, name):
    reference, runs = swinging
    found = differences(runs[name], reference)
    tip, bow = MODELLING[name]
    assert np.abs(reference.bows).max() > 5 * bow
    assert found["tip"] < tip
    assert found["bow"] < bow
    assert runs[name].seconds > 0


def test_both_segmented_models_are_one(swinging):
    _, runs = swinging
    found = differences(runs["MuJoCo, segments"], runs["Pinocchio, segments"])
    assert max(found.values()) < 1e-11


def test_segments_have_the_mass_and_the_static_stiffness_of_the_links():
    cut = segmented_links(1, 10)
    masses = [part.body.mass for part in cut.model.parts.values()]
    body = swinging_links(1).parts["link0"].body
    assert sum(masses) == pytest.approx(body.masses.sum(), rel=1e-12)
    # A couple on a pinned link bends it by moment x length / EI in all.
    flexibility = (1 / cut.stiffness[1:]).sum()
    length_over_stiffness = 1.0 / (ls.ALUMINIUM.youngs_modulus * 1e-8 / 12)
    assert flexibility == pytest.approx(0.9 * length_over_stiffness, rel=1e-12)


def test_bow_is_the_distance_of_the_middle_from_the_chord():
    ends = np.array([[[0.0, 0.0, -2.0], [2.0, 0.0, -2.0]]])
    middles = np.array([[[0.1, 0.0, -1.0], [1.0, 0.0, -1.7]]])
    run = PeerRun("by hand", 1.0, np.zeros(1), ends, middles)
    assert run.bows == pytest.approx(np.array([[0.1, 0.3]]))


def test_steps_must_fit_the_record():
    assert steps_and_stride(0.1, 1e-3, 0.01) == (100, 10)
    for wrong in ((0.1, 3e-3, 0.01), (0.105, 1e-3, 0.01)):
        with pytest.raises(ValueError, match="multiple"):
            steps_and_stride(*wrong)
