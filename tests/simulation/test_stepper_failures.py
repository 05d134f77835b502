"""Steps that fail or cannot be taken change nothing and say why; wrong arguments of a stepper."""

from __future__ import annotations

import pickle
import threading
from dataclasses import dataclass

import numpy as np
import pytest

import lissom as ls
from lissom.spatial import axis_rotation
from tests.samples.states import CLOSED, LOOP, TREE, bits
from tests.samples.steppers import CHAIN, FIRST, LAST, MOVING, STEP, N, now, pair, rows_of, stepped


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
