"""Many runs at once: on cores those of `simulate`, on a simulated device the same to round-off."""

import os
import signal
import sys
import threading
import warnings

import numba
import numpy as np
import pytest

import lissom as ls
from lissom.batches.functions import functions_ptx, numbered_functions
from lissom.batches.progress import Counted
from lissom.kernels.run import due_times, event_values, signals
from lissom.sim.run.prepare import prepared
from tests.samples.batches import states
from tests.samples.four_bars import four_bar_of_a_chain
from tests.samples.mechanisms import arm_with_hand
from tests.tools.simulated_device import Simulated

COUNTS = ("steps", "rejected_steps", "evaluations", "iterations", "divided_steps")


def pendulum(mass=1.0, length=1.0):
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(mass, com=(length, 0, 0)), ls.Revolute("y"), name="rod")
    return model.compile()


def both(system, start, count=COUNTS, device=None, **options):
    """Runs on cores and on a simulated device, which must agree."""
    here = ls.simulate_batch(system, start, **options)
    there = ls.simulate_batch(system, start, device=device or Simulated(), **options)
    assert list(here.status) == list(there.status)
    for name in ("q", "v", "acceleration", "force"):
        a, b = here.part(name), there.part(name)
        size = max(1.0, np.nanmax(np.abs(a)))
        assert a.shape == b.shape and np.nanmax(np.abs(a - b)) <= 1e-10 * size, name
        assert np.array_equal(np.isnan(a), np.isnan(b))
    for name in count:
        assert np.array_equal(here.statistics[name], there.statistics[name]), name
    return here, there


def test_runs_on_cores_are_those_of_simulate():
    system = arm_with_hand()
    q, v, _ = states(system, 6)
    loads = [ls.JointSpring("hand", stiffness=3.0, damping=0.1), ls.JointDamper("link", 0.2)]
    options = {"duration": 0.1, "loads": loads, "output_step": 0.01}
    for more in ({}, {"step": 1e-3, "integrator": "generalized_alpha"}, {"integrator": "dopri5"}):
        runs = ls.simulate_batch(system, (q, v), threads=2, **options, **more)
        for k, found in enumerate(runs):
            one = ls.simulate(system, (q[k], v[k]), **options, **more)
            assert np.array_equal(found.q, one.q) and np.array_equal(found.v, one.v)
            assert found.status == one.status and found.message == one.message
            same = {x: one.statistics[x] for x in one.statistics if x != "seconds"}
            assert {x: found.statistics[x] for x in same} == same
        assert np.array_equal(runs.q[3], runs[3].q) and runs.q.shape == (6, 11, system.n_q)


@pytest.mark.parametrize(
    "options",
    [
        {"integrator": "rk4", "step": 5e-3},
        {"integrator": "euler_cromer", "step": 2e-3},
        {"integrator": "generalized_alpha", "step": 5e-3},
        {"integrator": "dopri5"},
        {"integrator": "dop853"},
        {"integrator": "generalized_alpha"},
    ],
    ids=lambda x: "-".join(map(str, x.values())),
)
def test_methods_on_a_device(options):
    system = arm_with_hand()
    q, v, _ = states(system, 3)
    loads = [
        ls.JointSpring("hand", stiffness=3.0, damping=0.1),
        ls.Servo("link", 0.3, kp=20.0, kd=2.0, ki=1.0),
        ls.NodeForce("link.tip", force=(0.0, 0.0, 1.0)),
        ls.Actuator("hand", ls.Table([0.0, 0.01, 0.03], [[0.0, 0.0], [0.2, 0.1], [0.0, 0.3]])),
    ]
    here, _ = both(system, (q, v), duration=0.03, output_step=0.01, loads=loads, **options)
    assert list(here.status) == ["finished"] * 3


def test_loops_and_given_motions_on_a_device():
    system = four_bar_of_a_chain().compile()
    start = ls.assemble(system, system.state(crank=0.9))
    both(system, [start] * 3, duration=0.02, step=5e-3, integrator="rk4")
    both(system, [start] * 2, duration=0.02, step=5e-3, integrator="generalized_alpha")
    motion = ls.Motion("link", position=lambda t: 0.2)
    table = ls.Motion("link", ls.Table([0.0, 0.01, 0.02], [0.1, 0.1, 0.1], kind="smooth"))
    two = arm_with_hand()
    q, v, _ = states(two, 2)
    piece = two.layout.hinge_q("link")
    q[:, piece], v[:, two.layout.hinge_v("link")] = 0.1, 0.0
    both(two, (q, v), duration=0.02, step=5e-3, integrator="rk4", loads=[table])
    with pytest.raises(ls.LoadError, match="plain Python"):
        ls.simulate_batch(
            two, (q, v), duration=0.02, step=5e-3, integrator="rk4", loads=[motion],
            device=Simulated(),
        )  # fmt: skip


def test_variants_and_loads_of_each_run_on_a_device():
    systems = [pendulum(length=x) for x in (0.5, 1.0, 2.0)]
    here, there = both(
        systems, None, duration=0.2, step=0.01, integrator="rk4", output_step=0.1,
        loads=lambda k: [ls.JointSpring("rod", stiffness=1.0 + k)],
    )  # fmt: skip
    singles = [
        ls.simulate(
            system, duration=0.2, step=0.01, integrator="rk4", output_step=0.1,
            loads=[ls.JointSpring("rod", stiffness=1.0 + k)],
        )
        for k, system in enumerate(systems)
    ]  # fmt: skip
    assert np.array_equal(here.q, [x.q for x in singles])
    with pytest.warns(ls.SimulationWarning, match="runs ended early: 2 of 3; run 1"):
        mixed = ls.simulate_batch(
            systems, duration=0.2, step=0.01, integrator="rk4", device=Simulated(),
            loads=lambda k: [ls.JointSpring("rod", stiffness=1.0)] * (k + 1),
        )  # fmt: skip
    assert "run 1 has other loads than run 0" in mixed.message[1]
    assert np.array_equal(there[2].q, there.q[2])


def test_an_event_stops_its_run_alone():
    system = pendulum()
    q = np.array([[0.0], [0.5], [-0.3]])
    start = q, np.zeros((3, 1))
    event = ls.Event("rod", value=0.6)
    options = {"duration": 0.38, "step": 0.01, "integrator": "rk4", "events": [event]}
    here, there = both(system, start, count=(), **options)
    assert list(here.status) == ["event", "event", "finished"]
    one = ls.simulate(system, (q[0], [0.0]), **options)
    assert np.abs(there.last("q")[0] - one.q[-1]).max() < 1e-12
    assert there[0].events[0][0] == pytest.approx(one.events[0][0], rel=1e-12)
    again = ls.Event("rod", action=(), value=0.6)  # the run goes on
    runs = [
        ls.simulate_batch(system, start, device=x, **{**options, "events": [again]})
        for x in ("cpu", Simulated())
    ]
    for here, there in zip(*runs, strict=True):
        assert here.status == there.status == "finished"
        assert np.abs(here.q - there.q).max() < 1e-12
        assert [x for _, x in here.events] == [x for _, x in there.events]
    assert [len(x.events) for x in runs[1]] == [1, 1, 0]
    for found in runs:
        assert np.array_equal(found.time, found[2].time) and len(found[0]) == len(found.time) + 2
        sampled = [x.sample(found.time) for x in found]  # of two rows at a time the second
        assert np.array_equal(found.q, [x.q for x in sampled])
        assert np.array_equal(found["rod.rates"], [x["rod.rates"] for x in sampled])
    free = ls.simulate_batch(system, start, duration=0.38)
    with pytest.raises(ls.ResultError, match=r"rows at other times .* runs\[k\]"):
        free.q.all()


def test_events_at_times_of_output_are_rows():
    """Runs that lock their joint at different times have the rows of output in common."""
    system = pendulum()
    start = np.array([[0.0], [0.5], [-0.3]]), np.zeros((3, 1))
    events = [
        ls.Event("rod", ls.Lock("rod"), value=0.6),
        ls.Event(lambda time, state: time - 0.2, ()),
        ls.Event(lambda time, state: time - 0.25, ()),
    ]
    for step in ({"output_step": 0.1}, {"step": 0.1, "integrator": "rk4"}):
        runs = ls.simulate_batch(system, start, duration=0.55, start=-0.1, events=events, **step)
        assert np.allclose(runs.time, [-0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.45], rtol=0, atol=1e-15)
        assert np.array_equal(runs.v, [x.sample(runs.time).v for x in runs])
        assert [len(x.events) for x in runs] == [3, 3, 3] and runs.v[1, -1, 0] == 0.0


def test_a_run_that_fails_is_marked_and_does_not_disturb_the_others():
    system = arm_with_hand()
    speeds = np.array([[0.0], [1e200], [1.0]]) * np.ones(system.n_v)
    start = np.zeros((3, system.n_q)), speeds
    options = {"duration": 0.05, "step": 0.01, "integrator": "rk4"}
    with pytest.warns(ls.SimulationWarning, match=r"runs ended early: 1 of 3; run 1 \(not fin"):
        runs = [ls.simulate_batch(system, start, device=x, **options) for x in ("cpu", Simulated())]
    for found in runs:
        assert found.status[0] == found.status[2] == "finished" != found.status[1]
        assert "finite" in found.message[1]
        assert np.isnan(found.q[1]).any() and np.isfinite(found.q[[0, 2]]).all()
    alone = ls.simulate(system, (start[0][2], speeds[2]), **options)
    assert np.array_equal(runs[0].q[2], alone.q)
    assert np.abs(runs[1].q[2] - alone.q).max() < 1e-14


@pytest.mark.parametrize("method", ["rk4", "generalized_alpha"])
def test_a_run_that_fails_on_a_device_has_its_rows_and_counts(method):
    """A slide that a push drives beyond reason after some steps, without iterations to speak of."""
    model = ls.Model("slide")
    model.add(ls.RigidBody(1e-3), ls.Prismatic("x"), name="slide")
    system = model.compile()
    start, push = np.zeros((2, 1)), [ls.Actuator("slide", 3e8)]
    with pytest.warns(ls.SimulationWarning, match="runs ended early: 2 of 2"):
        here, _ = both(
            system, (start, start), duration=0.01, step=1e-3, integrator=method, loads=push
        )
    assert np.all(here.status == "diverged")


def test_runs_are_fed_in_turns_and_rows_in_pieces():
    system = pendulum()
    q = np.linspace(-1, 1, 70)[:, None]
    options = {"duration": 0.05, "step": 0.01, "integrator": "rk4"}
    expected = ls.simulate_batch(system, (q, 0 * q), **options)
    device = Simulated(free=900_000)
    found = ls.simulate_batch(system, (q, 0 * q), device=device, **options)
    assert np.abs(found.q - expected.q).max() < 1e-14
    assert len({count for _, count, _ in device.launched}) == 2
    with pytest.raises(ls.KernelError, match="32 runs need"):
        ls.simulate_batch(system, (q, 0 * q), device=Simulated(free=1000), **options)


@numba.njit
def push(time, q, v, out):
    out[0] = np.sin(3.0 * time) - 2.0 * v[0]


@numba.njit
def sampled(time, q, v, memory, out):
    memory[0] += q[0]
    out[0] = -memory[0]


def test_compiled_functions_on_a_device(monkeypatch):
    """The simulated device calls them in Python; their device code is made and looks right."""
    system = pendulum()
    controller = ls.Controller(sampled, period=0.02, memory=[0.0])

    def call(_address, which, t, q, v, memory, o_memory, out, o_out):
        if which == 0:
            push.py_func(t, q, v, out[o_out:])
        else:
            sampled.py_func(t, q, v, memory[o_memory:], out[o_out:])
        return 0

    q = np.array([[0.1], [0.4]])
    options = {"duration": 0.1, "step": 0.01, "integrator": "rk4", "forces": push}
    expected = ls.simulate_batch(system, (q, 0 * q), loads=[controller], **options)
    ready = prepared(
        system, None, duration=0.1, start=0.0, step=0.01, integrator="rk4", rtol=1e-8,
        forces=push, loads=[controller], events=(), drift="projection", method="auto",
    )  # fmt: skip
    _, functions = numbered_functions(ready.machine)
    assert [x.function for x in functions] == [push, sampled]
    text = functions_ptx(functions)
    assert ".visible .func" in text and "lissom_call" in text
    for module in (event_values, due_times, signals):
        monkeypatch.setattr(module, "call", call)
    found = ls.simulate_batch(system, (q, 0 * q), loads=[controller], device=Simulated(), **options)
    assert np.abs(found.q - expected.q).max() < 1e-13


@pytest.mark.parametrize("forces", [None, lambda t, state: np.zeros(state.system.n_v)])
def test_a_time_limit_ends_each_run_as_that_of_simulate(forces):
    system = pendulum()
    states = (np.array([[0.1], [0.2]]), np.zeros((2, 1)))
    options = {"duration": 1e7, "step": 0.01, "output_step": 0.1, "time_limit": 0.05}
    with pytest.warns(ls.SimulationWarning, match="time limit of 0.05 s"):
        alone = ls.simulate(system, (states[0][0], states[1][0]), forces=forces, **options)
    with pytest.warns(ls.SimulationWarning, match="runs ended early: 2 of 2"):
        runs = ls.simulate_batch(system, states, forces=forces, **options)
    for run in (*runs, alone):
        assert run.status == "time limit"
        assert run.message.startswith("the time limit of 0.05 s was reached at t = ")
        assert 0 < run.time[-1] < 1e7
    with pytest.raises(ls.LoadError, match="time_limit is -1; expected a positive time"):
        ls.simulate_batch(system, states, duration=1.0, time_limit=-1)
    with pytest.raises(ls.LoadError, match="time_limit is for the CPU"):
        ls.simulate_batch(system, states, duration=1.0, time_limit=1.0, device=Simulated())


def test_mistakes_are_answered_by_name():
    system = pendulum()
    q = np.zeros((2, 1))
    for given, options, words in (
        (system, {"step": 0.1, "speed": 3}, "no argument 'speed'"),
        ([], {}, "at least one system"),
        (system, {"states": 3}, "expected arrays"),
        (system, {"states": (q, q[:1])}, "one state per row"),
        (system, {"states": (q * np.nan, q)}, "row 0"),
        ([system] * 3, {"states": (q, q)}, "2 states for 3 variants"),
        (system, {"loads": lambda k: ()}, "one run only"),
        (system, {"device": Simulated()}, "do not choose their method"),
        (system, {"device": Simulated(), "integrator": "rosenbrock3"}, "is for the CPU"),
        (
            system,
            {"device": Simulated(), "step": 0.1, "method": "composite"},
            'use method="articulated"',
        ),
        (system, {"device": Simulated(), "step": 0.1, "threads": 2}, "a GPU chooses"),
        (
            [system, arm_with_hand()],
            {"device": Simulated(), "step": 0.1},
            "variant 1 .*another mechanism",
        ),
        (ls.Model("m"), {}, "compile"),
        ([system, 3], {}, "expected a System"),
        ([system, arm_with_hand()], {}, "variant 1 .*another mechanism"),
        (system, {"states": (q, q), "loads": [ls.Actuator("rode", 1.0)]}, "no body 'rode'"),
        (system, {"states": (q, q), "step": -1.0}, "step is -1.0"),
        (system, {"states": [(q[0], q[0]), (q[0],)]}, "row 1: "),
        (system, {"states": [system.state(), arm_with_hand().state()]}, "row 1: .*other bodies"),
        (
            system,
            {"states": (q, q), "integrator": "rk4", "step": 1e-13},
            "the rows of 2 runs need .* do them in parts",
        ),
        (system, {"device": "tpu", "step": 0.1}, 'expected "cpu", "cuda" or "cuda:1"'),
    ):
        with pytest.raises(ls.LissomError, match=words):
            ls.simulate_batch(given, duration=0.1, **options)


def test_batches_in_several_threads_keep_their_warnings():
    system, ready = pendulum(), threading.Barrier(3)
    q, before = np.zeros((4, 1)), (warnings.showwarning, list(warnings.filters))
    options = {"duration": 2.0, "step": 0.5, "integrator": "generalized_alpha", "threads": 2}

    def run(k):
        ready.wait()
        for _ in range(5):
            ls.simulate_batch(system, (q, q + 15.0 + k), **options)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        threads = [threading.Thread(target=run, args=(k,)) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = [str(x.message) for x in caught if "in 4 of 4 runs: a fixed step" in str(x.message)]
    assert len(found) == 15
    assert (warnings.showwarning, list(warnings.filters)) == before


def test_warnings_of_many_runs_are_said_once():
    system = pendulum()
    q = np.zeros((4, 1))
    with pytest.warns(ls.SimulationWarning, match="in 4 of 4 runs: ") as found:
        ls.simulate_batch(system, (q, q + 15.0), duration=5.0, step=0.5, integrator="rk4")
    assert len(found) == 1


def test_runs_that_cannot_start_leave_the_others_alone():
    """A trajectory without rows, and NaN where arrays are over all runs."""
    system = pendulum()

    def loads(k):
        if k == 1:
            raise ValueError("no")
        return [ls.Servo("rod", 0.1, kp=1.0)]

    q = np.array([[0.1], [0.2], [0.3]])
    with pytest.warns(ls.SimulationWarning, match="1 of 3; run 1 .*ValueError: no"):
        runs = ls.simulate_batch(system, (q, 0 * q), duration=0.1, output_step=0.05, loads=loads)
    assert [x.status for x in runs] == ["finished", "failed", "finished"]
    assert len(runs[1]) == 0 and runs.message[1] == "loads(1) raised ValueError: no"
    angle, servo = runs["rod.angle"], runs.part("servo")
    assert np.array_equal(angle[2], runs[2]["rod.angle"]) and angle.shape == (3, 3)
    assert np.isnan(angle[1]).all() and np.isnan(servo[1]).all() and servo.shape == (3, 3, 3)
    with pytest.raises(ls.ResultError, match="there is no 'servos'.*did you mean 'servo'"):
        runs.part("servos")
    with pytest.raises(ls.StateError, match="there is no body 'rode'"):
        runs["rode.angle"]


class Observer:
    """Remembers without saying so."""

    def __init__(self):
        self.sum = 0.0

    def update(self, time, state):
        self.sum += 0.01 * state["rod"][0]
        return {}


class Law(Observer):
    """PI control, with the sum of an observer."""

    def __init__(self, observer):
        super().__init__()
        self.observer = observer

    def update(self, time, state):
        super().update(time, state)
        return {"rod": -100.0 * state["rod"] - 50.0 * self.sum - 20.0 * self.observer.sum}

    def get_state(self):
        return self.sum

    def set_state(self, saved):
        self.sum = saved


@pytest.mark.parametrize("threads", [1, 2])
def test_controllers_in_python_remember_within_their_run_alone(threads):
    system, q = pendulum(), np.array([[0.3], [0.1], [-0.2], [0.4]])
    options = {"duration": 0.3, "step": 0.01, "integrator": "rk4"}

    def controllers(observer):
        return [ls.Controller(observer, 0.01), ls.Controller(Law(observer), 0.02)]

    given = Observer()
    singles = [ls.simulate(system, (x, [0.0]), loads=controllers(Observer()), **options) for x in q]
    for name in ("loads", "forces"):
        runs = ls.simulate_batch(
            system, (q, 0 * q), threads=threads, **options, **{name: controllers(given)}
        )
        assert np.array_equal(runs.q, [x.q for x in singles]) and given.sum == 0.0
    mine = [Observer() for _ in q]  # those of the user are called themselves
    ls.simulate_batch(system, (q, 0 * q), loads=lambda k: [ls.Controller(mine[k], 0.01)], **options)
    assert [x.sum for x in mine] != [0.0] * 4
    given.lock = threading.Lock()
    with pytest.raises(ls.LoadError, match="Observer.*cannot be copied.*__deepcopy__"):
        ls.simulate_batch(system, (q, 0 * q), loads=controllers(given), **options)


def test_loads_and_events_may_come_from_a_generator():
    system, q = pendulum(), np.array([[0.0], [0.5], [-0.3]])
    options = {"duration": 0.3, "output_step": 0.1, "integrator": "dopri5"}
    loads, events = [ls.JointDamper("rod", 2.0)], [ls.Event("rod", value=0.6)]
    given = {"loads": iter(loads), "events": iter(events)}
    runs = ls.simulate_batch(system, (q, 0 * q), threads=3, **options, **given)
    expected = ls.simulate_batch(system, (q, 0 * q), loads=loads, events=events, **options)
    assert np.array_equal(runs.q, expected.q, equal_nan=True)
    assert runs.status.tolist() == ["finished", "event", "finished"]


def test_what_keeps_all_runs_from_starting_is_raised():
    system, q = pendulum(), np.array([[0.1], [0.2]])
    with pytest.raises(ls.LoadError, match=r"none of the 2 runs can start; run 0: loads\(0\) rai"):
        ls.simulate_batch(system, (q, 0 * q), duration=0.1, loads=lambda k: 1 / 0)
    held = [ls.Motion("rod", ls.Table([0.0, 1.0], [0.0, 0.0], "smooth"))]
    with pytest.raises(ls.StateError, match="run 0: in the state joint 'rod' is at 0.1 rad"):
        ls.simulate_batch(system, (q, 0 * q), duration=0.1, loads=held)


def test_some_of_the_runs_are_runs():
    systems = [pendulum(length=x) for x in (0.5, 1.0, 2.0)]
    runs = ls.simulate_batch(systems, duration=0.2, output_step=0.1)
    for which in (slice(1, None), [1, 2], np.array([False, True, True])):
        some = runs[which]
        assert np.array_equal(some["rod.angle"], runs["rod.angle"][1:])
        assert [x.system for x in some] == systems[1:]
    none = runs[runs.status == "failed"]
    assert repr(none) == "<0 runs of 'pendulum'>" and none["rod.position"].shape == (0, 0, 3)
    assert none.last("q").shape == (0, 1)
    assert runs[-1].system is systems[2]
    for which, error in ((3, IndexError), ([3], ls.ResultError), ((0, 1), ls.ResultError)):
        with pytest.raises(error, match="there are 3, numbered from 0"):
            runs[which]


def test_all_runs_are_one_dataset_of_xarray(tmp_path):
    xarray = pytest.importorskip("xarray")
    system, q = pendulum(), np.array([[0.3], [0.5], [0.1]])
    stop = ls.Event("rod", value=0.6)
    runs = ls.simulate_batch(system, (q, 0 * q), duration=0.3, output_step=0.1, events=[stop])
    found = runs.to_xarray("rod.position", "rod.angle")
    for name in ("rod.position", "rod.angle"):
        assert np.array_equal(found[name].values, runs[name], equal_nan=True)
        alone = runs[2].to_xarray(name)[name]
        assert found[name].sel(run=2, drop=True).equals(alone)
        assert found[name].attrs == alone.attrs
    assert found.status.values.tolist() == list(runs.status) and np.isnan(found["rod.angle"][1, -1])
    pytest.importorskip("h5netcdf")
    found.to_netcdf(tmp_path / "runs.nc", engine="h5netcdf")
    with xarray.open_dataset(tmp_path / "runs.nc", engine="h5netcdf") as again:
        assert again.equals(found)
    assert runs.to_xarray("time").sizes == {"run": 3, "time": 4}
    assert "energy.total" in runs.to_xarray()


def test_runs_without_rows_become_tables_without_rows():
    pytest.importorskip("xarray")
    system, q = pendulum(), np.array([[0.3], [0.5]])
    with pytest.warns(ls.SimulationWarning, match="run 1 "):
        runs = ls.simulate_batch(
            system, (q, 0 * q), duration=0.1, output_step=0.1, loads=lambda k: [3] * k
        )
    assert runs[1].to_xarray("rod.position").sizes == {"time": 0, "axis": 3}
    assert runs[1].to_pandas("rod.position").shape == (0, 3)
    assert runs[1]["rod.position.x"].shape == (0,)
    assert runs[:0].to_xarray("rod.position").sizes == {"run": 0, "time": 0, "axis": 3}


def test_states_may_be_pairs_and_none_at_all():
    system = pendulum()
    pairs = [(np.array([0.1]), np.array([0.5])), (np.array([0.2]), np.array([0.0]))]
    runs = ls.simulate_batch(system, pairs, duration=0.1, step=0.05, integrator="rk4")
    assert runs.q[:, 0, 0].tolist() == [0.1, 0.2] and runs.v[:, 0, 0].tolist() == [0.5, 0.0]
    nothing = ls.simulate_batch(system, (np.zeros((0, 1)), np.zeros((0, 1))), duration=0.1)
    assert len(nothing) == 0 and nothing.q.shape == (0, 0, 1) and nothing.statistics == {}
    assert len(ls.simulate_batch(system, [], duration=0.1)) == 0


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_a_run_that_would_never_end_is_ended(monkeypatch, device):
    from lissom.batches import device_runs
    from lissom.sim.run import stall

    for module in (stall, device_runs):
        monkeypatch.setattr(module, "STALL_STEPS", 20)
    monkeypatch.setattr(stall, "TOO_MANY_STEPS", 1000)
    q = np.array([[0.0], [0.5]])
    options = {"duration": 300.0, "integrator": "dopri5", "rtol": 1e-12, "output_step": 100.0}
    with pytest.warns(ls.SimulationWarning, match=r"2 of 2; run 0 \(stalled\)"):
        runs = ls.simulate_batch(
            pendulum(), (q, 0 * q), device=Simulated() if device == "simulated" else device,
            **options,
        )  # fmt: skip
    assert list(runs.status) == ["stalled"] * 2 and "too small to reach the end" in runs.message[1]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("way", ["one thread", "two threads", "plain Python", "simulated"])
def test_ctrl_c_ends_all_runs_where_they_are(monkeypatch, way):
    """What has been computed comes back, as from `simulate`."""
    pressed = []

    def press(*_given):
        if not pressed:
            pressed.append(True)
            os.kill(os.getpid(), signal.SIGINT)

    def slow(time, state):
        if time > 2.0:
            press()
        return {"rod": 0.1}

    monkeypatch.setattr(Counted, "add", press)  # when a part of the first run is done
    q = np.linspace(0.0, 1.0, 40)[:, None]
    options = {"duration": 1e5, "step": 1e-2, "integrator": "rk4", "output_step": 1.0}
    options |= {
        "one thread": {"threads": 1},
        "two threads": {"threads": 2},
        "plain Python": {"threads": 1, "forces": slow},
        "simulated": {"device": Simulated()},
    }[way]
    with pytest.warns(ls.SimulationWarning, match="the runs ended early .interrupted.: 40 of 40"):
        runs = ls.simulate_batch(pendulum(), (q, 0 * q), **options)
    assert set(runs.status) == {"interrupted"} and len(runs[0]) >= 1


def test_warnings_about_models_are_those_of_simulate():
    """Spin of every run, and the limits of the models in some of them."""
    system = arm_with_hand()
    fast = system.state(**{"link.rates": 30.0})
    options = {"duration": 0.02, "step": 1e-3, "integrator": "generalized_alpha"}
    with pytest.warns(ls.SimulationWarning) as one:
        ls.simulate(system, fast, **options)
    with pytest.warns(ls.SimulationWarning) as many:
        ls.simulate_batch(system, [fast] * 10, **options)
    given = {str(x.message) for x in one}
    assert any("turns at" in x for x in given) and len(given) > 1
    texts = [str(x.message) for x in many]
    assert {x.split(": ", 1)[1] for x in texts} == given
    assert any(x.startswith("in 10 of 10 runs: ") for x in texts)
    assert any(x.startswith("in 8 of 8 runs that were looked at: ") for x in texts)
    with pytest.warns(ls.SimulationWarning, match="in 2 of 2 runs: body 'link' turns at"):
        ls.simulate_batch(system, [fast] * 2, device=Simulated(), **options)
