"""Runs of systems with loops: orders, closure, drift, given motions, locks, files, misuse.

The exact motion is SciPy's, of `forward_dynamics` and `qdot` in plain coordinates, over times too
short for drift; what `forward_dynamics` gives is checked against other models elsewhere.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import lissom as ls
from tests.references.analytic_motions import slope
from tests.references.scipy_reference import end_by_scipy, end_error
from tests.samples.flexible_arms import flexible_body

pytestmark = pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")

DURATION = 0.5
BODY = ls.RigidBody(1.2, (0.1, -0.2, 0.15), (0.3, 0.4, 0.5))


def rigid():
    """Two arms of a free base, joined by a ball; the second also by a screw to the first."""
    model = ls.Model("rigid", gravity=(1.0, -2.0, -9.81))
    model.add(BODY, ls.Free(), name="base")
    model.add(BODY, ls.Universal("x", "y"), to="base", at=(0.5, 0, 0), name="upper")
    model.add(BODY, ls.Spherical(), to="upper", at=(0, 0.6, 0), name="lower")
    model.add(BODY, ls.Spherical(), to="base", at=(-0.5, 0, 0), name="arm")
    model.add(BODY, ls.Universal("y", "z"), to="arm", at=(0, 0.6, 0.2), name="hand")
    model.close(ls.Spherical(), "lower", "hand", at_a=(-0.5, 0.1, 0), at_b=(0.4, 0, 0), name="ball")
    return model.compile()


def flexible():
    """A bending link between two carriages that slide on the ground, and a strut to the ground."""
    model = ls.Model("flexible", gravity=(0, 0, -9.81))
    model.add(BODY, ls.Planar("z"), name="carriage")
    model.add(
        flexible_body(3, lumps=True, damping=0.02), ls.Spherical(), to="carriage", name="boom"
    )
    model.add(BODY, ls.Revolute("z"), to="boom.tip", name="end")
    model.close(ls.Cylindrical("x"), None, "end", at_a=(0, 0.3, 0.1), at_b=(0.1, 0, 0), name="rail")
    return model.compile()


SYSTEMS = {"rigid": rigid, "flexible": flexible}


@cache
def case(name):
    """System, closed state at the start, and coordinates and speeds at the end by SciPy."""
    system = SYSTEMS[name]()
    rng = np.random.default_rng(4)
    start = ls.assemble(system)
    start = ls.assemble(system, start.replace(v=0.6 * rng.normal(size=system.n_v)))
    return system, start, end_by_scipy(system, start, DURATION)


def error_of(name, integrator, **settings):
    system, start, exact = case(name)
    return end_error(system, start, exact, DURATION, integrator=integrator, **settings)


# Order, how far the fitted one may be from it, and steps in the run; the rigid one moves so
# smoothly that with many steps rounding takes over.
ORDERS = {
    "euler_cromer": (1, 0.15, (400, 800, 1600)),
    "linearly_implicit_euler": (1, 0.15, (400, 800, 1600)),
    "generalized_alpha": (2, 0.2, (200, 400, 800)),
    "rk4": (4, 0.3, (50, 100, 200)),
    "dopri5": (5, 0.5, (40, 80, 160)),
    "dop853": (8, 1.2, (12, 16, 24)),
}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("integrator", ORDERS)
def test_orders_hold_with_loops(name, integrator):
    order, allowed, numbers = ORDERS[integrator]
    if name == "rigid" and order > 4:
        numbers = [n // 4 for n in numbers]
    errors = [error_of(name, integrator, step=DURATION / n) for n in numbers]
    assert abs(-slope(numbers, errors) - order) < allowed


@pytest.mark.parametrize("name", SYSTEMS)
def test_adaptive_steps_keep_an_error_that_goes_with_the_tolerance(name):
    tolerances = 10.0 ** -np.arange(5, 11)
    errors = [error_of(name, "dop853", rtol=x, max_step=DURATION) for x in tolerances]
    assert abs(slope(tolerances, errors) - 1.0) < 0.3


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_both_methods_give_the_same_run(name, method):
    error = error_of(name, "rk4", step=DURATION / 200, method=method)
    assert error == pytest.approx(error_of(name, "rk4", step=DURATION / 200), rel=1e-3)


@pytest.mark.parametrize(
    "settings",
    [
        {"rtol": 1e-6},
        {"step": 0.01, "integrator": "rk4"},
        {"step": 0.01, "integrator": "generalized_alpha"},
        {"step": 0.002, "integrator": "linearly_implicit_euler"},
        {"integrator": "generalized_alpha", "rtol": 1e-5},
    ],
)
@pytest.mark.parametrize("name", SYSTEMS)
def test_rows_are_closed_in_positions_and_speeds(name, settings):
    system, start, _ = case(name)
    run = ls.simulate(system, start, duration=2.0, **settings)
    assert run.status == "finished", run.message
    assert run["closure"].max() < 1e-11 * system.length
    assert run["closure_rate"].max() < 1e-9 * system.length


def test_baumgarte_keeps_gaps_small_and_lets_a_gap_decay():
    system, start, _ = case("rigid")
    rate = 50.0
    drift = ls.Baumgarte(stiffness=rate**2, damping=2 * rate)
    settings = {"step": 1e-3, "integrator": "euler_cromer"}
    run = ls.simulate(system, start, duration=1.0, drift=drift, **settings)
    assert 1e-9 < run["closure"].max() < 1e-2
    # a gap of 1e-7 m, which counts as closed, decays like (1 + rate t) exp(-rate t)
    apart = ls.assemble(system).q.copy()
    apart[system.layout.hinge_q("upper")] += 1e-7
    still = system.state(apart)
    run = ls.simulate(system, still, duration=0.1, drift=drift, integrator="rk4", step=1e-3)
    gap, t = run["closure"], run.time
    assert gap[0] > 1e-8
    expected = gap[0] * (1 + rate * t) * np.exp(-rate * t)
    assert np.abs(gap - expected).max() < 0.05 * gap[0]


def four_bar(lengths):
    """Crank, coupler and rocker of a planar four-bar closed by a spatial revolute joint."""
    model = ls.Model("four-bar", gravity=(0, -9.81, 0))
    rods = [
        ls.RigidBody(x, (x / 2, 0, 0), np.diag([1e-3, x**3 / 12, x**3 / 12])) for x in lengths[:3]
    ]
    model.add(rods[0], ls.Revolute("z"), name="crank")
    model.add(rods[1], ls.Revolute("z"), to="crank", at=(lengths[0], 0, 0), name="coupler")
    model.add(rods[2], ls.Revolute("z"), at=(lengths[3], 0, 0), name="rocker")
    ends = {"at_a": (lengths[1], 0, 0), "at_b": (lengths[2], 0, 0)}
    model.close(ls.Revolute("z"), "coupler", "rocker", name="pin", **ends)
    return model.compile()


def closed(system, angle, rate=0.0):
    start = system.state(crank=angle, coupler=0.5 - angle, rocker=1.5)
    start = ls.assemble(system, start, held=["crank"])
    return ls.assemble(system, start.replace(v=[rate, 0.0, 0.0]), held=["crank"])


GRASHOF, ROCKING = (1.0, 2.0, 1.5, 2.2), (2.0, 1.0, 1.2, 2.2)


def test_a_driven_crank_turns_a_closed_linkage_and_its_torque_is_the_power():
    system = four_bar(GRASHOF)
    turn = ls.Motion("crank", position=lambda t: 1.0 + 2.0 * t)
    # the whole linkage starts with the crank's speed
    start = ls.assemble(system, closed(system, 1.0), loads=[turn])
    run = ls.simulate(system, start, duration=2.0, loads=[turn], rtol=1e-10)
    assert run.status == "finished"
    assert run["closure"].max() < 1e-11
    assert np.allclose(run["crank"][:, 0], 1.0 + 2.0 * run.time, atol=1e-12)
    torque = run["crank.force"][:, 0]
    energy, t = run.energy.total, run.time
    work = np.concatenate([[0.0], np.cumsum(np.diff(t) * (torque[1:] + torque[:-1]))])
    assert np.abs(energy - energy[0] - work).max() < 2e-3 * np.abs(energy).max()


@pytest.mark.parametrize(
    "settings",
    [{}, {"step": 1e-3, "integrator": "rk4"}, {"step": 5e-3, "integrator": "generalized_alpha"}],
)
def test_a_motion_that_leads_out_of_reach_ends_the_run_and_says_where(settings):
    system = four_bar(ROCKING)
    turn = ls.Motion("crank", position=lambda t: 0.3 + t)
    # the crank reaches as far as coupler and rocker stretched: the law of cosines
    limit = np.arccos((2.0**2 + 2.2**2 - (1.0 + 1.2) ** 2) / (2 * 2.0 * 2.2))
    start = ls.assemble(system, closed(system, 0.3), loads=[turn])
    with pytest.warns(ls.SimulationWarning, match="pin"):
        run = ls.simulate(system, start, duration=2.0, loads=[turn], **settings)
    assert run.status in ("loop open", "stalled")
    assert abs(run.time[-1] - (limit - 0.3)) < 0.01


@pytest.mark.parametrize(
    "settings", [{"rtol": 1e-9}, {"step": 1e-3, "integrator": "generalized_alpha"}]
)
def test_a_lock_in_a_loop_stops_the_linkage(settings):
    system = four_bar(GRASHOF)
    event = ls.Event("crank", ls.Lock("rocker"), value=0.8)
    run = ls.simulate(system, closed(system, 1.0, -3.0), duration=1.0, events=[event], **settings)
    assert run.status == "finished"
    assert run["crank"][-1] == pytest.approx(0.8, abs=1e-8)
    assert np.abs(run.v[-1]).max() < 1e-6
    assert run["closure"].max() < 1e-10


def test_motions_that_contradict_the_loop_are_refused_at_the_start():
    system = four_bar(GRASHOF)
    start = closed(system, 1.0)
    motions = [
        ls.Motion("crank", position=lambda t: 1.0 + 2.0 * t),
        ls.Motion("rocker", position=lambda t: start.q[2] + 1.0 * t),
    ]
    with pytest.raises(ls.StateError, match="held at 'crank', 'rocker' contradict the loops"):
        ls.assemble(system, start, loads=motions)
    start = start.replace(v=[2.0, 0.0, 1.0])
    with pytest.raises(ls.StateError, match="loop 'pin' is closed but its ends move apart"):
        ls.simulate(system, start, duration=1.0, loads=motions)


def test_open_states_are_refused_with_the_way_to_close_them():
    system = four_bar(GRASHOF)
    with pytest.raises(ls.StateError, match=r"'pin' is open by .* m .*assemble"):
        ls.simulate(system, duration=1.0)
    start = closed(system, 1.0)
    with pytest.raises(ls.StateError, match=r"'pin' .* move apart at .* m/s.*assemble"):
        ls.simulate(system, start.replace(v=[1.0, 0.0, 0.0]), duration=1.0)


@pytest.mark.parametrize("drift", ["none", 1.0, None, ls.Baumgarte])
def test_drift_is_projection_or_baumgarte(drift):
    system = four_bar(GRASHOF)
    with pytest.raises(ls.LoadError, match="drift is"):
        ls.simulate(system, closed(system, 1.0), duration=1.0, drift=drift)


@pytest.mark.parametrize("values", [(0.0, 1.0), (1.0, -1.0), (np.nan, 1.0), ("a", 1.0)])
def test_baumgarte_takes_positive_numbers(values):
    with pytest.raises(ls.LoadError, match="Baumgarte"):
        ls.Baumgarte(*values)


@pytest.mark.parametrize("integrator", ["dop853", "generalized_alpha"])
def test_a_run_with_loops_is_resumed_to_the_same_bits(integrator, tmp_path):
    system, start, _ = case("flexible")
    path = str(tmp_path / "run.nc")
    settings = {"duration": 1.0, "integrator": integrator, "output_step": 0.01}
    settings |= {"step": 0.01} if integrator == "generalized_alpha" else {"rtol": 1e-7}

    def until(t, state):
        if t > ends[0]:
            raise KeyboardInterrupt
        return np.zeros(system.n_v)

    ends = [np.inf]
    whole = ls.simulate(system, start, forces=until, **settings)
    ends[0] = 0.4
    with pytest.warns(ls.SimulationWarning, match="interrupted"):
        ls.simulate(system, start, forces=until, file=path, **settings)
    ends[0] = np.inf
    run = ls.simulate(system, start, forces=until, file=path, resume=path, **settings)
    assert np.array_equal(run.q, whole.q) and np.array_equal(run.v, whole.v)
    assert np.array_equal(run["rail.force"], whole["rail.force"])


def test_a_run_is_resumed_with_its_own_drift_only(tmp_path):
    system = four_bar(GRASHOF)
    path = str(tmp_path / "run.nc")
    settings = {"duration": 1.0, "step": 1e-3, "file": path}
    ls.simulate(system, closed(system, 1.0), drift=ls.Baumgarte(1e4, 200.0), **settings)
    with pytest.raises(ls.ResultError, match=r"different: drift \(.*200.*before, .*100.*now\)"):
        ls.simulate(
            system, closed(system, 1.0), drift=ls.Baumgarte(1e4, 100.0), resume=path, **settings
        )


def driven_four_bar():
    def bar(length):
        return ls.RigidBody.box(2 * length, (length, 0.05, 0.05), com=(length / 2, 0, 0))

    model = ls.Model("four-bar", gravity=(0, -9.81, 0))
    model.add(bar(1.0), ls.Revolute("z"), name="crank")
    model.add(bar(3.0), ls.Revolute("z"), to="crank", at=(1, 0, 0), name="coupler")
    model.add(bar(2.5), ls.Revolute("z"), at=(3.2, 0, 0), name="rocker")
    pin = {"at_a": (3, 0, 0), "at_b": (2.5, 0, 0)}
    model.close(ls.Revolute("z"), "coupler", "rocker", **pin, name="pin")
    return model.compile()


@pytest.mark.parametrize("settings", [{"step": 0.01}, {"output_step": 0.05}], ids=["rk4", "dop853"])
@pytest.mark.parametrize(
    "given",
    [{"position": lambda t: 0.5 + t * t}, {"velocity": lambda t: 2 * t}, {"acceleration": 2.0}],
    ids=lambda given: next(iter(given)),
)
def test_motion_of_a_joint_in_a_loop_is_followed(given, settings):
    """Projection moves all but the joints whose motion is given, however that is given."""
    system = driven_four_bar()
    start = system.state(crank=0.5, coupler=0.3, rocker=1.8)
    start = ls.assemble(system, start, held=["crank"])
    run = ls.simulate(system, start, duration=1.0, loads=[ls.Motion("crank", **given)], **settings)
    assert run.status == "finished"
    assert np.abs(run["crank.angle"] - 0.5 - run.time**2).max() < 1e-10
    assert np.abs(run["crank.rates"][:, 0] - 2 * run.time).max() < 1e-10
    assert run.statistics["divided_steps"] == 0
