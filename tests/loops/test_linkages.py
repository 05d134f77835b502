"""Closed linkages against motions of one or two degrees of freedom: windows, Bricard, governor."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from benchmarks.loop_rows import window_row, window_state
from tests.loop_oracles import bricard, crossed, windows
from tests.loop_oracles.governor import Governor
from tests.loop_oracles.planar import FourBar
from tests.samples.loop_mechanisms import (
    bricard_ring,
    bricard_state,
    crossed_linkage,
    crossed_state,
    four_bar,
    four_bar_state,
    governor,
    governor_state,
)

# Windows: two singular positions a turn

WINDOW_RATE = 1.0
# A pass costs digits: near a flat position rounding is divided by the square of the distance to it.
WINDOW_WAYS = [
    ({"integrator": "dop853", "rtol": 1e-10}, 1e-4, 1e-5),
    ({"integrator": "dop853", "rtol": 1e-8}, 1e-4, 1e-5),
    ({"integrator": "rk4", "step": 2e-3}, 1e-4, 1e-5),
    ({"integrator": "generalized_alpha", "step": 1e-3}, 1e-4, 1e-4),
]


@pytest.mark.filterwarnings("ignore:near t = .* singular position")
@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("settings, angle_error, energy_error", WINDOW_WAYS)
def test_windows_turn_through_flat_positions_as_a_pendulum(n, settings, angle_error, energy_error):
    system = window_row(n)
    turn = windows.time_of_turn(n, WINDOW_RATE)
    start = window_state(system, 0.0, WINDOW_RATE)
    run = ls.simulate(system, start, duration=3 * turn, output_step=0.05, **settings)
    assert run.status == "finished"
    angle = windows.crank_angle(n, run.time, WINDOW_RATE)
    assert angle[-1] == pytest.approx(6 * np.pi, abs=1e-9)  # six flat positions
    for k in range(n + 1):
        assert np.abs(-run[f"crank{k}"][:, 0] - angle).max() < angle_error
    for k in range(n):
        assert np.abs(run[f"coupler{k}"][:, 0] - angle).max() < angle_error
        assert np.abs(run[f"corner{k}.gap"]).max() < 1e-11
    assert np.ptp(run.energy.total) < energy_error * windows.weight(n)


# The free tree would move the cranks of several windows differently where these are flat, and what
# keeps a crossed linkage on its branch changes from step to step.
@pytest.mark.filterwarnings("ignore:near t = .* singular position")
@pytest.mark.parametrize("rtol, most", [(1e-8, 5e-6), (1e-10, 1e-7), (1e-12, 1e-8)])
def test_error_of_windows_falls_with_the_tolerance(rtol, most):
    n, system = 10, window_row(10)
    turn, start = windows.time_of_turn(n, WINDOW_RATE), window_state(system, 0.0, WINDOW_RATE)
    run = ls.simulate(
        system, start, duration=3 * turn, output_step=0.05, integrator="dop853", rtol=rtol
    )
    cranks = np.stack([-run[f"crank{k}"][:, 0] for k in range(n + 1)])
    assert np.abs(cranks - windows.crank_angle(n, run.time, WINDOW_RATE)).max() < most
    assert np.ptp(cranks, axis=0).max() < 2e-11


@pytest.mark.filterwarnings("ignore:near t = .* singular position")
@pytest.mark.parametrize("rtol, most", [(1e-8, 3e-6), (1e-10, 1e-7), (1e-12, 1e-7)])
def test_error_of_a_crossed_linkage_falls_with_the_tolerance(rtol, most):
    """Down to 1e-10; below that amplified rounding is left, 3e-9 to 4e-8 seen, and told."""
    system = crossed_linkage()
    run = ls.simulate(
        system,
        crossed_state(system),
        duration=5.0,
        output_step=0.05,
        integrator="dop853",
        rtol=rtol,
    )
    angle = crossed.crank_angle(run.time)
    assert angle[-1] > 11.5 * np.pi  # eleven flat positions
    assert np.abs(run["crank"][:, 0] - angle).max() < most


def test_a_tolerance_that_singular_positions_do_not_allow_is_told():
    system = crossed_linkage()
    with pytest.warns(ls.SimulationWarning, match=r"singular position .* rtol = 1e-12 does not"):
        ls.simulate(system, crossed_state(system), duration=1.0, integrator="dop853", rtol=1e-12)


# In several of these a row lies between two good ends of a long step, next to a flat position,
# where the interpolant is too far off for the loop to be closed.
@pytest.mark.filterwarnings("ignore:near t = .* singular position")
def test_a_row_that_cannot_be_closed_shortens_its_step():
    system = window_row(1)
    start = window_state(system, 1.4668661976142854, 5.794928703973664)
    for rtol in np.linspace(0.9e-6, 1.2e-6, 31):
        run = ls.simulate(
            system, start, duration=1.8, output_step=0.01, integrator="dop853", rtol=rtol
        )
        assert run.status == "finished"
        assert np.all(np.diff(run.time) > 0) and len(run.time) == 181
        assert np.abs(run["corner0.gap"]).max() < 1e-9
        assert np.abs(np.diff(run.energy.total)).max() < 1e-3 * windows.weight(1)


def test_windows_start_with_the_energy_of_the_pendulum():
    for n in (1, 2, 5):
        system = window_row(n)
        for angle, rate in ((0.0, 1.0), (2.0, -0.7)):
            energy = ls.energy(system, window_state(system, angle, rate)).total
            assert energy == pytest.approx(windows.energy(n, angle, rate), rel=1e-14)


@pytest.mark.parametrize("n", [1, 2])
def test_rank_of_windows_falls_where_they_are_flat(n):
    """Spatial hinges: three of five equations of each corner are redundant, one more when flat."""
    system = window_row(n)
    for angle, lost in ((0.3, 0), (np.pi / 2, n)):
        state = window_state(system, angle, 0.7)
        closure = ls.closure(system, state)
        assert closure.rank == 2 * n - lost
        assert set(closure.redundant) == {f"corner{k}" for k in range(n)}
        assert np.all(np.isfinite(ls.forward_dynamics(system, state)))


# Bricard's ring: rank-deficient everywhere, and yet it moves


def test_bricards_condition_closes_the_ring():
    """The oracle itself: both ends of the ring coincide, with the same axes."""
    for x in (0.3, np.pi / 2, 2.0):
        for y in (bricard.partner(x), -bricard.partner(x)):
            points, axes = bricard.ring(x, y)
            assert np.abs(points[6] - points[0]).max() < 1e-14
            assert np.abs(axes[6] - np.eye(3)).max() < 1e-14
            assert abs(bricard.curve(x, y)) < 1e-15


@pytest.mark.parametrize("x, sign", [(0.4, 1), (1.2, 1), (1.2, -1), (2.0, 1)])
def test_accelerations_of_bricards_ring(x, sign):
    system, w = bricard_ring(), 1.7
    y = sign * bricard.partner(x)
    xdot, ydot = bricard.rates(x, y, w)
    state = bricard_state(system, x, y, xdot, ydot)
    assert ls.closure(system, state).rank == 4
    xddot, yddot = bricard.acceleration(x, y, w)
    expected = np.array([xddot, yddot, xddot, yddot, xddot])
    for method in ("auto", "articulated", "composite", "reference"):
        vdot = ls.forward_dynamics(system, state, method=method)
        assert np.abs(vdot - expected).max() < 1e-11 * np.abs(expected).max()


def test_bricards_ring_moves_as_its_reduction():
    """Ten seconds from rest in the cube's corners; both angles pass zero."""
    system, x, y = bricard_ring(), np.pi / 2, np.pi / 2
    run = ls.simulate(
        system, bricard_state(system, x, y), duration=10.0, output_step=0.1, rtol=1e-10
    )
    expected = bricard.motion(run.time, x, y, 0.0)
    assert np.ptp(np.sign(expected[:, 0])) == 2  # it does pass
    for k in range(5):
        assert np.abs(run[f"rod{k}"][:, 0] - expected[:, k % 2]).max() < 3e-8
    assert np.ptp(run.energy.total) < 1e-7
    assert np.abs(run["last.gap"]).max() < 1e-10


# The governor


def springs(values: Governor) -> list[ls.JointSpring]:
    """The spring and damper below the slider."""
    rest, damping = values.spring_rest, values.spring_damping
    return [ls.JointSpring("slider", values.spring, rest=rest, damping=damping)]


@pytest.mark.parametrize("a, spin", [(0.3, 4.0), (0.7, 6.0)])
def test_governor_with_rigid_links_moves_as_two_coordinates(a, spin):
    values = Governor()
    system = governor(values, rigid_links=True)
    run = ls.simulate(
        system,
        governor_state(system, values, a, spin),
        duration=2.0,
        output_step=0.02,
        rtol=1e-10,
        loads=springs(values),
    )
    q, qdot = values.with_rigid_links().motion(run.time, [0.0, a], [spin, 0.0])
    assert np.ptp(q[:, 1]) > 0.1  # the arms swing
    assert np.abs(run["shaft"][:, 0] - q[:, 0]).max() < 1e-8
    for k in range(2):
        assert np.abs(run[f"arm{k}"][:, 0] - q[:, 1]).max() < 1e-8
        assert np.abs(run[f"arm{k}.rates"][:, 0] - qdot[:, 1]).max() < 1e-7
    assert np.abs(run["slider"][:, 0] - values.slide(q[:, 1])).max() < 1e-8
    # nothing turns the shaft: the moment of momentum about the vertical stays
    momentum = run.momentum()[:, 2]
    assert np.ptp(momentum) < 1e-9 * momentum[0]


@pytest.mark.parametrize(
    "settings, allowed",
    [
        ({"integrator": "dop853", "rtol": 1e-9}, 1e-9),
        ({"integrator": "generalized_alpha", "step": 2e-3}, 2e-5),
    ],
    ids=["dop853", "generalized_alpha"],
)
def test_governor_with_stiff_springs_for_links(settings, allowed):
    """The benchmark's own form: links of 8e5 N/m and 4e4 N s/m instead of rods; no loops."""
    values, a, spin = Governor(), np.pi / 6, 2 * np.pi
    system = governor(values, rigid_links=False)
    links = [
        ls.NodeSpring(
            f"arm{k}",
            "slider",
            values.link_stiffness,
            damping=values.link_damping,
            length=values.link,
            at_a=(0, 0, -values.reach),
            at_b=(side * values.offset, 0, 0),
        )
        for k, side in enumerate((1, -1))
    ]
    run = ls.simulate(
        system,
        governor_state(system, values, a, spin),
        duration=1.0,
        output_step=0.05,
        loads=[*springs(values), *links],
        **settings,
    )
    q0, v0 = [0.0, values.slide(a), a, a], [spin, 0.0, 0.0, 0.0]
    q, _ = values.with_springs().motion(run.time, q0, v0, method="LSODA", rtol=1e-12)
    found = [run[name][:, 0] for name in ("shaft", "slider", "arm0", "arm1")]
    assert np.abs(np.array(found).T - q).max() < allowed


# The four-bar: forces and power


def test_pin_force_of_the_four_bar_is_the_multiplier():
    """mu of Lagrange's equations acts on the coupler, its opposite on the rocker."""
    values = FourBar()
    system = four_bar(values)
    for crank, rate in ((0.7, 2.0), (2.5, -3.0), (4.0, 1.0)):
        q, qdot = values.start(crank, rate)
        qddot, mu = values.equations().acceleration(q, qdot, np.array([1.5, 0.0, 0.0]))
        state = four_bar_state(system, q, qdot)
        forces = {"crank": 1.5}
        vdot = ls.forward_dynamics(system, state, forces)
        expected = four_bar_state(system, q, qddot).v
        assert np.abs(vdot - expected).max() < 1e-11 * np.abs(expected).max()
        [wrench] = ls.loop_forces(system, state, forces)
        on_rocker = ls.pose(system, state, "rocker").rotation @ wrench[3:]
        size = np.abs(mu).max()
        assert np.abs(on_rocker - [*-mu, 0.0]).max() < 1e-11 * size
        assert np.abs(wrench[:3]).max() < 1e-11 * size


def test_work_of_the_cranks_torque_is_the_change_of_energy():
    values, torque = FourBar(), 6.0
    system = four_bar(values)
    q, qdot = values.start(0.7, 2.0)
    run = ls.simulate(
        system,
        four_bar_state(system, q, qdot),
        duration=1.5,
        output_step=0.05,
        rtol=1e-10,
        loads=[ls.Actuator("crank", torque)],
    )
    work = torque * (run["crank"][:, 0] - run["crank"][0, 0])
    energy = run.energy.total
    assert np.ptp(work) > 50.0
    assert np.abs(energy - energy[0] - work).max() < 1e-8 * np.ptp(work)
    angles, _ = values.equations().motion(
        run.time, q, qdot, lambda t, x, xdot: np.array([torque, 0.0, 0.0])
    )
    assert np.abs(run["crank"][:, 0] - angles[:, 0]).max() < 1e-8
