"""Loads on the joint that closes a loop: known forces F_f of (C 4.17).

The same ring cut at another joint has the load on a joint of the tree, where loads are checked
against closed forms elsewhere; motions must not depend on where a ring is cut.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid

import lissom as ls
from tests.loop_oracles.planar import FourBar
from tests.samples.loop_loads import JOINTS, ring, size, two_wheels, wheel
from tests.samples.loop_mechanisms import four_bar, four_bar_state

pytestmark = pytest.mark.filterwarnings(
    "ignore:(body|rod) .* (turns at|is pulled|is pressed|deflects|is twisted)"
)


@pytest.mark.parametrize("name", [*JOINTS, "flexible", "rod"])
@pytest.mark.parametrize("method", ["articulated", "composite", "reference"])
def test_accelerations_under_a_force_on_the_joint_do_not_depend_on_the_cut(name, method):
    case = ring(name)
    n = case.loop.loops[0].joint.n_v
    forces = {"hinge": np.array([3.0, -2.0, 1.0])[:n], "left": [1.0, 2.0, 3.0, 2.0, 1.0, 0.0]}
    cut, whole = case.accelerations(forces, method=method)
    assert size(cut - whole) < 1e-12 * max(1.0, size(whole))
    without = case.accelerations({"left": [1.0, 2.0, 3.0, 2.0, 1.0, 0.0]}, method=method)[0]
    assert size(cut - without) > 0.1


def test_forces_in_joints_of_the_tree_count_those_on_the_loop():
    case = ring("flexible")
    forces = {"hinge": 3.0}
    cut = ls.joint_forces(case.loop, case.on_loop, forces=forces)
    whole = ls.joint_forces(case.tree, case.on_tree, forces=forces)
    assert size(cut[0] - whole[0]) < 1e-11 * size(whole)
    # the rest of what the cut joint transmits, beside the torque about its axis
    held = ls.loop_forces(case.loop, case.on_loop, forces)[0]
    axis = np.array([0.6, 0.0, 0.8])
    assert abs(held[:3] @ axis) < 1e-11 and abs(whole[1][:3] @ axis - 3.0) < 1e-10
    assert size(held + np.concatenate([3.0 * axis, np.zeros(3)]) - whole[1]) < 1e-10 * size(held)


LOADS = {
    "actuator": lambda name: ls.Actuator(name, lambda t: 2.0 * np.cos(3 * t), ratio=1.5),
    "spring": lambda name: ls.JointSpring(name, 30.0, rest=0.1, damping=0.4),
    "damper": lambda name: ls.JointDamper(name, 0.7),
    "friction": lambda name: ls.JointFriction(name, 0.8, speed=0.2),
    "stop": lambda name: ls.JointStop(name, -0.2, 0.3, stiffness=200.0, damping=0.5),
}
EXPLICIT = {"duration": 0.4, "rtol": 1e-10, "integrator": "dop853", "output_step": 0.1}


@pytest.mark.parametrize(
    ("name", "load"),
    [
        *(("revolute", load) for load in LOADS),
        *((name, "spring") for name in ("screw", "prismatic", "cylindrical", "planar")),
        *((name, "spring") for name in ("flexible", "rod")),
        *(("universal", load) for load in ("spring", "damper")),
        ("compound", "damper"),
    ],
)
def test_runs_do_not_depend_on_the_cut(name, load):
    case = ring(name)
    cut, whole = case.runs([LOADS[load]("hinge")], **EXPLICIT)
    assert case.apart(cut, whole) < 1e-8
    assert size(cut["hinge.load"] - whole["hinge.force"]) < 1e-6
    assert size(whole["hinge.force"]) > 0.05
    assert size(cut["hinge.coordinates"] - whole["hinge.coordinates"]) < 1e-8
    # reactions count the load: what the ball joint holds, on the body of the tree and as a loop
    assert size(cut["right.reaction"][:, 3:] - whole["ball.force"]) < 1e-6


def test_a_spring_on_a_ball_joint_of_a_loop():
    case = ring("ball")
    cut, whole = case.runs([ls.JointSpring("hinge", 20.0, damping=0.3)], **EXPLICIT)
    assert case.apart(cut, whole) < 1e-8
    assert size(cut["hinge.load"] - whole["hinge.force"]) < 1e-6


@pytest.mark.parametrize("method", ["articulated", "composite"])
@pytest.mark.parametrize("name", ["revolute", "flexible", "cylindrical"])
def test_stiff_loads_do_not_limit_implicit_steps(name, method):
    """1e6 N m/rad: explicit steps of 1 ms are unstable, and iterations without slopes diverge.

    The order is two, or one: what depends on the cut falls by four, or by two, with half the step.
    """
    case = ring(name)
    rest = JOINTS[name if name in JOINTS else "revolute"][1]
    loads = [ls.JointSpring("hinge", 1e6, rest=rest, damping=1e3)]
    settings = {"duration": 0.1, "method": method, "output_step": 0.05}
    orders = {"generalized_alpha": (2, 1e-4), "linearly_implicit_euler": (1, 5e-3)}
    for integrator, (order, allowed) in orders.items():
        apart = []
        for step in (1e-3, 5e-4):
            cut, whole = case.runs(loads, integrator=integrator, step=step, **settings)
            assert cut.statistics["divided_steps"] == whole.statistics["divided_steps"] == 0
            assert cut.statistics["iterations"] <= 1.2 * whole.statistics["iterations"]
            apart.append(case.apart(cut, whole))
        assert apart[0] < allowed
        assert abs(np.log2(apart[0] / apart[1]) - order) < 0.4


def test_stiff_loads_beside_rods_do_not_limit_implicit_steps():
    loads = [ls.JointSpring("hinge", 1e6, rest=0.4, damping=1e3)]
    settings = {"duration": 0.05, "step": 1e-3, "output_step": 0.05}
    cut, whole = ring("rod").runs(loads, integrator="generalized_alpha", **settings)
    assert cut.statistics["divided_steps"] == 0
    assert cut.statistics["iterations"] <= 1.5 * whole.statistics["iterations"]


CHANGING = {
    "friction": ls.JointFriction("hinge", 2.0, speed=1e-4),
    "stop": ls.JointStop("hinge", 0.3, 0.45, stiffness=2e4, damping=0.1),
}


@pytest.mark.parametrize("load", CHANGING)
def test_implicit_steps_with_loads_whose_slopes_change(load):
    settings = {"duration": 0.3, "step": 1e-3, "output_step": 0.05}
    case = ring("revolute")
    cut, whole = case.runs([CHANGING[load]], integrator="generalized_alpha", **settings)
    assert cut.status == "finished" and size(cut["hinge.load"]) > 1.0
    assert cut.statistics["iterations"] <= 1.1 * whole.statistics["iterations"]
    if load == "friction":
        assert case.apart(cut, whole) < 2e-6
        return
    # Steps are divided where the stop is met; the parts may differ, by what is told
    assert cut.statistics["divided_steps"] > 0 and whole.statistics["divided_steps"] > 0
    errors = [run.statistics["error_at_kinks"] for run in (cut, whole)]
    assert case.apart(cut, whole) < 0.1 * min(errors) < 1e-3


def test_auto_takes_stiff_loads_on_loops_as_those_on_trees():
    case = ring("revolute")
    cut, whole = (
        ls.simulate(
            system,
            state,
            duration=0.01,
            output_step=1e-3,
            loads=[ls.JointSpring("hinge", 1e9, rest=0.4, damping=1e5)],
        )
        for system, state in ((case.loop, case.on_loop), (case.tree, case.on_tree))
    )
    assert cut.status == whole.status == "finished"
    assert case.apart(cut, whole) < 1e-6


@pytest.mark.parametrize("settings", [{"rtol": 1e-9}, {"step": 2e-3, "integrator": "rk4"}])
def test_angles_of_loops_are_continued_over_turns(settings):
    """A torsion spring that is relaxed after four turns: theta = 8 pi (1 - cos 2t)."""
    system, rest = wheel(), 8 * np.pi
    spring = ls.JointSpring("axle", 2.0, rest=rest)
    run = ls.simulate(system, duration=3.0, output_step=0.02, loads=[spring], **settings)
    exact = rest * (1 - np.cos(2 * run.time))
    assert size(run["axle.coordinates"][:, 0] - exact) < 1e-5
    assert size(run["axle.load"][:, 0] - 2.0 * (rest - exact)) < 2e-5
    stored = 0.5 * 2.0 * (run["axle.coordinates"][:, 0] - rest) ** 2
    assert size(run["energy.springs"] - stored) < 1e-12 * size(stored)
    energy = run.energy.total
    assert size(energy - energy[0]) < 1e-5 * energy[0]


def test_work_of_the_loads_is_the_change_of_energy():
    case = ring("flexible")
    loads = [ls.Actuator("hinge", 3.0), ls.JointDamper("hinge", 0.5)]
    settings = {"duration": 0.3, "rtol": 1e-10, "output_step": 5e-4}
    run = ls.simulate(case.loop, case.on_loop, loads=loads, **settings)
    t, angle, load = run.time, run["hinge.coordinates"][:, 0], run["hinge.load"][:, 0]
    power = load * np.gradient(angle, t, edge_order=2)
    rates, damping = run["left.mode_rates"], case.loop.bodies[0].damping
    power -= np.einsum("ni,ij,nj->n", rates, damping, rates)  # of the modes besides
    change = run.energy.total - run.energy.total[0]
    assert size(change) > 0.05
    assert size(change - cumulative_trapezoid(power, t, initial=0.0)) < 1e-5 * size(change)


def test_equilibrium_balances_loads_on_loops():
    case = ring("revolute")
    loads = [ls.JointSpring("hinge", 40.0, rest=0.9), ls.JointSpring("left", 60.0)]
    cut = ls.equilibrium(case.loop, case.on_loop, loads=loads)
    whole = ls.equilibrium(case.tree, case.on_tree, loads=loads)
    assert (
        size(ls.pose(case.loop, cut, "left").rotation - ls.pose(case.tree, whole, "left").rotation)
        < 1e-7
    )
    angle = ls.closure(case.loop, cut).coordinates["hinge"]
    assert size(angle - whole["hinge"]) < 1e-7


def test_an_equilibrium_after_several_turns_is_found():
    found = ls.equilibrium(wheel(), loads=[ls.JointSpring("axle", 2.0, rest=7.0)])
    angle = ls.closure(found.system, found).coordinates["axle"][0]
    assert abs(angle - (7.0 - 2 * np.pi)) < 1e-8


def test_loads_on_several_loops_add_up_and_share_nodes_with_others():
    system, start = two_wheels()
    loads = [
        ls.JointSpring("two", 3.0, rest=1.0),
        ls.Actuator("one", 2.0),
        ls.JointDamper("two", 0.2),
        ls.NodeForce("base", (0.0, 0.0, 1.0)),
    ]
    run = ls.simulate(system, start, duration=0.5, rtol=1e-10, loads=loads, output_step=0.01)
    angle = run["two.coordinates"][:, 0]
    rate = np.gradient(angle, run.time)
    assert size(run["one.load"] - 2.0) == 0.0
    assert size((run["two.load"][:, 0] + 3.0 * (angle - 1.0) + 0.2 * rate)[1:-1]) < 1e-3
    # of all, only the force on the base moves the centre of mass
    mass = sum(body.mass for body in system.bodies)
    moved = run["center_of_mass"] - run["center_of_mass"][0]
    assert size(moved[:, 2] - 0.5 / mass * run.time**2) < 1e-6
    still = ls.simulate(system, start, duration=0.5, rtol=1e-10, loads=loads[:3], output_step=0.05)
    assert size(still.momentum()) < 1e-9


def test_a_floating_system_far_away_has_the_same_loads():
    """Coordinates of joints of loops are found near the base, not in the world."""
    settings = {"duration": 0.2, "step": 1e-2, "integrator": "rk4"}
    loads = [ls.JointSpring("two", 300.0, rest=1.0)]
    runs = [ls.simulate(*two_wheels(away), loads=loads, **settings) for away in (0.0, 1e7)]
    here, there = (run["two.load"] for run in runs)
    assert size(here - there) < 1e-6 * size(here)


def test_a_four_bar_with_a_spring_and_friction_in_its_pin_moves_as_lagrange_says():
    """Cut at the pin itself; the oracle has absolute angles and multipliers."""
    values = FourBar()
    system, equations = four_bar(values), values.equations()
    q, qdot = values.start(0.5, 2.0)
    stiffness, rest, damping, size_, speed = 6.0, 0.4, 0.2, 0.5, 0.1
    loads = [
        ls.JointSpring("pin", stiffness, rest=rest, damping=damping),
        ls.JointFriction("pin", size_, speed=speed),
    ]

    def torque(angles, rates):
        turned, rate = angles[2] - angles[1], rates[2] - rates[1]
        return -stiffness * (turned - rest) - damping * rate - size_ * np.tanh(rate / speed)

    def on_links(t, angles, rates):
        return torque(angles, rates) * np.array([0.0, -1.0, 1.0])

    times = np.linspace(0.0, 1.0, 11)
    exact, rates = equations.motion(times, q, qdot, on_links, rtol=1e-11)
    start = four_bar_state(system, q, qdot)
    run = ls.simulate(system, start, duration=1.0, rtol=1e-10, output_step=0.1, loads=loads)
    angles = np.stack([run["crank"], run["crank"] + run["coupler"], run["rocker"]])[..., 0]
    assert size(angles.T - exact) < 1e-7
    expected = [torque(*row) for row in zip(exact, rates, strict=True)]
    assert size(run["pin.load"][:, 0] - expected) < 1e-6
    for k in (0, 5, 10):
        mu = equations.acceleration(exact[k], rates[k], on_links(0.0, exact[k], rates[k]))[1]
        c, s = np.cos(exact[k, 2]), np.sin(exact[k, 2])
        held = np.array([[c, s], [-s, c]]) @ -mu  # on the rocker, in its axes
        assert size(run["pin.force"][k, :2] - held) < 1e-5 * size(held)
