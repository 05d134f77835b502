"""Steps one by one: the numbers of `simulate`, copies, new beginnings."""

from __future__ import annotations

import copy
import gc
import tracemalloc

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import lissom as ls
from tests.samples.states import bits
from tests.samples.steppers import (
    CHAIN,
    FIRST,
    LAST,
    METHODS,
    MOVING,
    SCENES,
    STEP,
    N,
    pair,
    rows_of,
    stepped,
)

RNG = np.random.default_rng(9)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("integrator", METHODS)
@pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")
def test_the_numbers_are_those_of_simulate(name, integrator):
    run, stepper = pair(name, integrator)
    assert bits(stepped(stepper)) == bits(rows_of(run))
    for channel in run.channels():
        if channel == "energy.work":
            with pytest.raises(ls.StateError, match="summed over all rows"):
                stepper[channel]
            assert channel not in stepper and channel not in stepper.channels()
        elif channel.endswith("angles"):  # whole turns are those of the row before
            turns = (stepper[channel] - run[channel][-1]) / (2 * np.pi)
            assert np.allclose(turns, np.round(turns), atol=1e-14), channel
        elif not channel.endswith("quaternion"):  # its sign is that of the row before
            expected = np.asarray(run[channel][-1])
            assert bits(np.asarray(stepper[channel])) == bits(expected), channel


def test_auto_chooses_as_simulate_does():
    run, stepper = pair("flexible arm", "auto")
    assert stepper.integrator == run.statistics["chosen"]
    assert bits(stepped(stepper)) == bits(rows_of(run))


@pytest.mark.parametrize("integrator", METHODS)
@pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")
def test_forces_of_each_step_are_those_of_a_sampled_controller(integrator):
    forces = RNG.normal(size=(N + 1, 3))
    given = {"step": STEP, "integrator": integrator}
    control = ls.Controller(lambda t, state: forces[round(t / STEP)], STEP)
    run = ls.simulate(CHAIN, MOVING, duration=N * STEP, forces=control, **given)
    stepper = ls.Stepper(CHAIN, MOVING, **given)
    found = [np.r_[stepper.time, stepper.q, stepper.v]]
    for force in forces[:N]:
        stepper.step(force)
        found.append(np.r_[stepper.time, stepper.q, stepper.v])
    assert bits(np.array(found)) == bits(rows_of(run))


@pytest.mark.parametrize("integrator", ("rk4", "generalized_alpha"))
@pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")
def test_constant_forces_are_those_of_simulate_and_none_are_zero(integrator):
    force = np.array([1.0, -2.0, 0.5])
    given = {"step": STEP, "integrator": integrator}
    run = ls.simulate(CHAIN, MOVING, duration=N * STEP, forces=force, **given)
    stepper = ls.Stepper(CHAIN, MOVING, **given)
    assert bits(stepped(stepper, forces=force)) == bits(rows_of(run))
    assert stepper["force"].tolist() == force.tolist()
    stepper.reset()
    assert bits(stepped(stepper, forces={FIRST: 1.0, CHAIN.names[1]: -2.0, LAST: 0.5})) == bits(
        rows_of(run)
    )
    stepper.reset()
    stepper.step(force)
    stepper.reset((stepper.q, stepper.v))
    free = ls.simulate(CHAIN, stepper.state, duration=N * STEP, **given)
    assert bits(stepped(stepper)) == bits(rows_of(free))


def bouncing():
    """Events that act within a step, and at last one that stops."""
    angle = MOVING.q[0]
    return [
        ls.Event(FIRST, ls.Switch("spring", True), value=angle + 3e-3 * MOVING.v[0], once=True),
        ls.Event(lambda t, state: t - 0.0103, ls.Lock(LAST), name="lock"),
        ls.Event(lambda t, state: t - 0.0155, ls.Release(LAST), name="release"),
        ls.Event(lambda t, state: t - 0.0182, ls.Stop(), name="end"),
    ]


@pytest.mark.parametrize("integrator", ("rk4", "generalized_alpha"))
def test_events_are_those_of_simulate_and_a_stop_ends_the_motion(integrator):
    spring = ls.JointSpring(FIRST, 90.0, name="spring", on=False)
    given = {"step": STEP, "integrator": integrator, "loads": [spring], "events": bouncing()}
    run = ls.simulate(CHAIN, MOVING, duration=N * STEP, **given)
    stepper = ls.Stepper(CHAIN, MOVING, **given)
    at = {float(t): k for k, t in enumerate(run.time)}  # the last of two rows
    for _ in range(2):
        while stepper.step():
            assert bits(stepper.q) == bits(run.q[at[stepper.time]])
            assert bits(stepper.v) == bits(run.v[at[stepper.time]])
        assert stepper.time == run.time[-1]
        assert bits(stepper.q) == bits(run.q[-1])
        assert stepper.events == run.events
        assert len(run.events) == 4
        with pytest.raises(ls.SimulationError, match="event 'end' ended the run.*reset"):
            stepper.step()
        stepper.reset()
        assert stepper.events == []


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")
def test_a_copy_goes_on_as_the_original_and_by_itself(name):
    for integrator in ("rk4", "generalized_alpha"):
        _, stepper = pair(name, integrator)
        force = RNG.normal(size=stepper.system.n_v)
        stepped(stepper, 7, force)
        twin, other = stepper.copy(), copy.deepcopy(stepper)
        stepped(other, 3, -2 * force)  # disturbs none of the others
        expected = stepped(stepper, 9, force)
        assert bits(stepped(twin, 9, force)) == bits(expected)
        twin.reset()
        stepper.reset()
        assert bits(stepped(twin, 5)) == bits(stepped(stepper, 5))


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")
def test_after_a_reset_everything_is_as_at_first(name):
    run, stepper = pair(name, "generalized_alpha")
    stepped(stepper, 11, np.ones(stepper.system.n_v))
    stepper.reset()
    assert bits(stepped(stepper)) == bits(rows_of(run))


def test_a_reset_to_another_state_and_time_is_another_run():
    load = ls.Actuator(FIRST, ls.Table([0.0, 1.0, 2.0], [1.0, 5.0, -3.0], kind="linear"))
    given = {"step": STEP, "integrator": "rk4", "loads": [load]}
    stepper = ls.Stepper(CHAIN, MOVING, start=1.5, **given)
    stepped(stepper, 4)
    state = CHAIN.state(*RNG.normal(size=(2, 3)))
    stepper.reset(state, time=0.995)
    run = ls.simulate(CHAIN, state, start=0.995, duration=N * STEP, **given)
    assert bits(stepped(stepper)) == bits(rows_of(run))
    stepper.reset()
    run = ls.simulate(CHAIN, MOVING, start=1.5, duration=N * STEP, **given)
    assert bits(stepped(stepper)) == bits(rows_of(run))


def test_every_step_costs_the_same_number_of_evaluations():
    """No step is repeated by halves to estimate its error, as `simulate` does now and then."""
    stepper = ls.Stepper(CHAIN, MOVING, step=STEP, integrator="rk4")
    counts = [stepper.statistics["evaluations"]]
    for _ in range(200):
        stepper.step()
        counts.append(stepper.statistics["evaluations"])
    assert set(np.diff(counts[1:])) == {4}


@pytest.mark.parametrize("name", ("free chain", "flexible arm", "four-bar", "compiled controller"))
@pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")
def test_a_step_allocates_nothing(name):
    _, stepper = pair(name, "rk4")
    forces = [0.1 * RNG.normal(size=stepper.system.n_v) for _ in range(2)]

    def many(n):
        for k in range(n):
            stepper.step(forces[k % 2])

    _nrt_python.memsys_enable_stats()
    many(10)
    gc.collect()
    before = rtsys.get_allocation_stats()
    tracemalloc.start()
    many(2)
    start = tracemalloc.take_snapshot()
    many(300)
    end = tracemalloc.take_snapshot()
    tracemalloc.stop()
    ours = [x for x in end.compare_to(start, "filename") if "tracemalloc" not in str(x.traceback)]
    assert sum(x.size_diff for x in ours) < 2000
    assert rtsys.get_allocation_stats() == before
    _nrt_python.memsys_disable_stats()


def test_steps_go_on_for_a_long_time():
    """Past the times for which a run is set up; samples stay on their grid."""
    calls = []
    control = ls.Controller(lambda t, state: calls.append(t) or {}, 0.3)
    body = ls.Model("wheel")
    body.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("z"), name="wheel")
    stepper = ls.Stepper(body.compile(), step=0.1, integrator="euler_cromer", loads=[control])
    for _ in range(6000):
        stepper.step()
    assert stepper.time == pytest.approx(600.0, abs=1e-9)
    assert len(calls) == 2000
    assert np.abs(np.diff(calls) - 0.3).max() < 1e-9
    late = ls.Stepper(CHAIN, start=1e9, step=1e-3, integrator="rk4")
    with pytest.raises(ls.LoadError, match="below floating-point resolution"):
        late.reset(time=1e13)
        late.step()
