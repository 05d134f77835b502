"""Steps one by one: the numbers of `simulate`, copies, beginnings, failures that change nothing."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import tracemalloc
from dataclasses import dataclass

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import lissom as ls
from lissom.spatial import axis_rotation
from tests.coupling_samples import geared_rotors
from tests.test_states_from_arrays import CLOSED, LOOP, STATE, TREE, bits

STEP, N = 2.5e-4, 80
RNG = np.random.default_rng(8)
CHAIN = ls.library.turned_chain(3).compile()
MOVING = CHAIN.state(*RNG.normal(size=(2, 3)))
FIRST, LAST = CHAIN.names[0], CHAIN.names[-1]
GEARS = geared_rotors()
CALM = TREE.state(
    TREE.neutral().q + np.r_[np.zeros(7), 1e-3, -1e-4, 0.3, np.zeros(4)], 0.3 * STATE.v
)
CALM = CALM.replace(v=np.where(np.arange(TREE.n_v) // 2 == 3, 0.0, CALM.v))  # modes at rest


@numba.njit
def counting(t, q, v, memory, out):
    memory[0] += 1.0
    out[0] = -memory[0] * q[0]


class Integral:
    """Controller with memory."""

    def __init__(self):
        self.sum = 0.0

    def update(self, time, state):
        self.sum += state.q[0]
        return {FIRST: -100 * self.sum}

    def get_state(self):
        return self.sum

    def set_state(self, saved):
        self.sum = saved


def wave():
    times = np.linspace(0.0, 0.2, 21)
    return ls.Table(times, 0.1 * np.sin(9 * times), kind="smooth")


def dense():
    """Table with more than one point in a step."""
    times = np.arange(0.0, 0.03, 0.1 * STEP)
    return ls.Table(times, np.sin(300 * times), kind="smooth")


# What acts, made anew for each run; periods and corners do not fit the step.
SCENES = {
    "free chain": lambda: (MOVING, {}),
    "springs and friction": lambda: (
        MOVING,
        {"loads": [ls.JointSpring(FIRST, 50.0, damping=1.0), ls.JointFriction(LAST, 0.5)]},
    ),
    "servo with states": lambda: (
        MOVING,
        {"loads": [ls.Servo(FIRST, wave(), kp=80.0, kd=5.0, ki=40.0, limit=9.0)]},
    ),
    "compiled controller": lambda: (
        MOVING,
        {"loads": [ls.Controller(counting, 2.7e-3, memory=[0.0])]},
    ),
    "controller in Python": lambda: (MOVING, {"loads": [ls.Controller(Integral(), STEP)]}),
    "steps in a table": lambda: (
        MOVING,
        {"loads": [ls.Actuator(LAST, ls.Table([0, 0.0042, 0.0171], [1, 3, -2], kind="linear"))]},
    ),
    "dense smooth table": lambda: (MOVING, {"loads": [ls.Actuator(LAST, dense())]}),
    "flexible arm": lambda: (CALM, {"loads": [ls.NodeForce("hand", (0, 0, 3.0))]}),
    "four-bar": lambda: (CLOSED, {}),
    "four-bar by Baumgarte": lambda: (CLOSED, {"drift": ls.Baumgarte(100.0, 20.0)}),
    "gears": lambda: (GEARS.neutral(), {"loads": [ls.Actuator("motor", 1.0)]}),
    "given motion": lambda: (None, {"loads": [ls.Motion(FIRST, wave())]}),
    "mass matrix": lambda: (MOVING, {"method": "composite"}),
}
METHODS = ("rk4", "euler_cromer", "dopri5", "linearly_implicit_euler", "generalized_alpha")


def pair(name, integrator, **more):
    """A run of N steps, and a stepper at the same start."""
    given = {"step": STEP, "integrator": integrator, **more}
    state, options = SCENES[name]()
    system = CHAIN if state is None else state.system
    run = ls.simulate(system, state, duration=N * STEP, **given, **options)
    state, options = SCENES[name]()
    return run, ls.Stepper(system, state, **given, **options)


def stepped(stepper, n=N, forces=None):
    """Times and states of n further steps, with the present one."""
    rows = [np.r_[stepper.time, stepper.q, stepper.v]]
    for _ in range(n):
        assert stepper.step(forces)
        rows.append(np.r_[stepper.time, stepper.q, stepper.v])
    return np.array(rows)


def rows_of(run):
    return np.c_[run.time, run.q, run.v]


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("integrator", METHODS)
@pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")
def test_the_numbers_are_those_of_simulate(name, integrator):
    run, stepper = pair(name, integrator)
    assert bits(stepped(stepper)) == bits(rows_of(run))
    for channel in run.channels():
        if not channel.endswith("quaternion"):  # its sign is that of the row before
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


def now(stepper):
    return bits([np.array(stepper.time), stepper.q, stepper.v, np.array(stepper.events)])


@dataclass(frozen=True, eq=False)
class Fragile(ls.Joint):
    """Turn about z that breaks at half a radian."""

    coordinates = (("angle", "rad"),)

    def pose(self, q):
        if abs(q[0] - 0.511) < 0.01:
            raise ValueError("broken")
        return axis_rotation(np.eye(3)[2], q[0]), np.zeros(3)

    def motion_map(self, q):
        return np.eye(6)[:, 2:3]


def raising(time, state):
    if time > 2.5 * STEP:
        raise ValueError("no signal")
    return {FIRST: 1.0}


def unreachable():
    """The crank of a four-bar is driven to where the others cannot follow."""
    motion = ls.Motion("left", velocity=-20.0)
    state = ls.assemble(LOOP, CLOSED, loads=[motion])
    return ls.Stepper(LOOP, state, step=STEP, integrator="euler_cromer", loads=[motion])


FAILING = {
    "a function that raises": (
        lambda: ls.Stepper(CHAIN, MOVING, step=STEP, loads=[ls.Controller(raising, STEP)]),
        None,
        r"\(failed\).*raised ValueError: no signal",
    ),
    "beyond reason": (
        lambda: ls.Stepper(CHAIN, MOVING, step=STEP, integrator="rk4"),
        np.array([1e300, 0, 0]),
        r"of body 'link\d'",
    ),
    "a loop that opens": (unreachable, None, r"\(loop open\).*loop 'pin'"),
}


def test_a_joint_that_fails_changes_nothing():
    joint = Fragile()
    model = ls.Model("gate")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), joint, name="gate")
    control = ls.Controller(lambda t, state: [1.0], 0.3 * STEP)  # the step has parts
    system = model.compile()
    stepper = ls.Stepper(system, ([0.0], [100.0]), step=STEP, integrator="rk4", loads=[control])
    with pytest.raises(ls.ModelError, match="joint class Fragile failed"):
        for _ in range(200):
            before = now(stepper)
            stepper.step()
    assert stepper.time > 0
    assert now(stepper) == before


@pytest.mark.parametrize("case", FAILING)
def test_a_step_that_fails_names_the_cause_and_changes_nothing(case):
    made, forces, words = FAILING[case]
    stepper = made()
    with pytest.raises(ls.SimulationError, match=words) as failure:
        for _ in range(1000):
            before = now(stepper)
            stepper.step(forces)
    assert "still at the start of that step" in str(failure.value)
    assert now(stepper) == before
    with pytest.raises(ls.SimulationError, match=words):  # it is the same step again
        stepper.step(forces)
    assert now(stepper) == before


def test_after_a_step_that_failed_others_can_follow():
    run, stepper = pair("flexible arm", "rk4")
    first = stepped(stepper, 10)
    with pytest.raises(ls.SimulationError):
        stepper.step(np.full(TREE.n_v, 1e250))
    assert bits(np.r_[first, stepped(stepper, N - 10)[1:]]) == bits(rows_of(run))


def test_iterations_are_bounded_and_too_few_are_an_error():
    loads = [ls.JointStop(LAST, -0.1, 0.1, stiffness=1e7, damping=10.0)]
    given = {"step": 1e-2, "integrator": "generalized_alpha", "loads": loads}
    few = ls.Stepper(CHAIN, CHAIN.neutral(), max_iterations=2, **given)
    with pytest.raises(
        ls.SimulationError, match="do not converge within max_iterations = 2; worst: hinge rate"
    ):
        stepped(few, 200)
    assert few.statistics["divided_steps"] == 0
    enough = ls.Stepper(CHAIN, MOVING, max_iterations=6, **{**given, "loads": ()})
    before = 0
    for _ in range(50):
        enough.step()
        used, before = enough.statistics["iterations"] - before, enough.statistics["iterations"]
        assert used <= 6


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


def test_a_table_that_ends_in_motion_ends_the_steps():
    table = ls.Table(np.linspace(0, 10 * STEP, 11), np.linspace(0, 10 * STEP, 11), kind="smooth")
    stepper = ls.Stepper(CHAIN, step=STEP, integrator="rk4", loads=[ls.Motion(FIRST, table)])
    stepped(stepper, 10)
    before = now(stepper)
    with pytest.raises(ls.LoadError, match=r"the table ends at t = 0.0025 s with a rate of 1"):
        stepper.step()
    assert now(stepper) == before


def test_two_users_at_a_time_are_refused():
    inside, go_on = threading.Event(), threading.Event()

    def slow(time, state):
        if threading.current_thread().name == "held up":
            inside.set()
            go_on.wait(10)
        return {FIRST: 1.0}

    stepper = ls.Stepper(CHAIN, MOVING, step=STEP, loads=[ls.Controller(slow, STEP)])
    stepper.step()
    thread = threading.Thread(target=stepper.step, name="held up")
    thread.start()
    assert inside.wait(10)
    try:
        for call in (stepper.step, stepper.copy, stepper.reset, lambda: stepper["q"]):
            with pytest.raises(ls.StateError, match="in use by another thread.*stepper.copy"):
                call()
    finally:
        go_on.set()
        thread.join()
    assert stepper.time == 2 * STEP
    with pytest.raises(TypeError, match="cannot be pickled; make one in each process"):
        pickle.dumps(stepper)


def test_a_controller_that_cannot_be_copied_says_so():
    class Wired:
        def __init__(self):
            self.line = threading.Lock()

        def update(self, time, state):
            return {FIRST: 0.0}

    stepper = ls.Stepper(CHAIN, step=STEP, loads=[ls.Controller(Wired(), STEP)])
    with pytest.raises(ls.LoadError, match="update cannot be copied.*__deepcopy__"):
        stepper.copy()


@pytest.mark.parametrize(
    "change, words",
    (
        ({"step": 0.0}, "step is 0.0; expected a positive time"),
        ({"step": None}, "step is None"),
        ({"integrator": "magic"}, "magic"),
        ({"max_iterations": 0}, "max_iterations is 0; expected a whole number"),
        ({"max_iterations": 2.5}, "max_iterations is 2.5"),
        ({"loads": 3}, "loads is 3"),
        ({"events": [3]}, "events contains 3"),
        ({"start": "now"}, "start is 'now'"),
        ({"state": (np.zeros(2), np.zeros(3))}, "q has shape"),
        ({"state": CLOSED}, "the state belongs to a system with other bodies"),
        ({"system": 3}, "expected a System, got int"),
        ({"drift": "none"}, "drift"),
    ),
)
def test_wrong_arguments_are_named(change, words):
    given = {"system": CHAIN, "step": STEP, **change}
    with pytest.raises(ls.LissomError, match=words):
        ls.Stepper(**given)


@pytest.mark.parametrize(
    "forces, words",
    (
        ([1.0], "forces has shape"),
        (np.zeros(4), "forces has shape"),
        (np.full(3, np.nan), r"forces\[0\], .* is nan"),
        ("x", "forces is not an array"),
        (np.zeros(3, dtype=complex), "expected real numbers"),
        ({"nobody": 1.0}, "there is no body 'nobody'"),
    ),
)
def test_wrong_forces_are_named_and_change_nothing(forces, words):
    stepper = ls.Stepper(CHAIN, MOVING, step=STEP)
    stepper.step()
    before = now(stepper)
    with pytest.raises(ls.LoadError, match=words):
        stepper.step(forces)
    assert now(stepper) == before
    with pytest.raises(ls.StateError, match="there is no"):
        stepper["nothing"]
    for wrong in ({"state": 3}, {"time": np.inf}, {"state": (np.zeros(3), np.full(3, np.inf))}):
        with pytest.raises(ls.LissomError):
            stepper.reset(**wrong)
    assert now(stepper) == before
    assert "q" in stepper
    assert "steps of 0.00025 s" in repr(stepper)
