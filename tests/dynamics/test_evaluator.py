"""The evaluator: the functions' results, checks and messages, from arrays, in its own workspace."""

from __future__ import annotations

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree import arguments, quick
from lissom.spatial import axis_rotation
from tests.samples.couplings import geared_rotors
from tests.samples.states import CLOSED, LOOP, STATE, TREE, bits

RNG = np.random.default_rng(5)
CHAIN = ls.library.turned_chain(4).compile()
MOVING = CHAIN.state(*RNG.normal(size=(2, 4)))
GEARS = geared_rotors()
LIGHT = ls.library.flexible_chain(2, 1).compile()  # solved by its mass matrix
SYSTEMS = {
    "chain": MOVING,
    "arm with quaternions": STATE,
    "loop": CLOSED,
    "gears": GEARS.state([0.3, -0.1], [0.6, -0.2]),
    "few modes": LIGHT.state(RNG.normal(size=LIGHT.n_q) / 10, RNG.normal(size=LIGHT.n_v)),
}


def ends(system):
    """A body, a node or frame where there is one, by name."""
    return [system.names[-1], *(["link.tip"] if system is TREE else [])]


def calls(system, accelerations, forces):
    """For each method: call of the evaluator, and the function with a state."""
    found = {
        "forward_dynamics": (
            lambda e, q, v, **o: e.forward_dynamics(q, v, forces, **o),
            lambda x: ls.forward_dynamics(system, x, forces),
        ),
        "bias_force": (
            lambda e, q, v, **o: e.bias_force(q, v, **o),
            lambda x: ls.bias_force(system, x),
        ),
        "gravity_force": (
            lambda e, q, v, **o: e.gravity_force(q, **o),
            lambda x: ls.gravity_force(system, x),
        ),
        "mass_matrix": (
            lambda e, q, v, **o: e.mass_matrix(q, **o),
            lambda x: ls.mass_matrix(system, x),
        ),
    }
    if not system.constraints:
        found["inverse_dynamics"] = (
            lambda e, q, v, **o: e.inverse_dynamics(q, v, accelerations, **o),
            lambda x: ls.inverse_dynamics(system, x, accelerations),
        )
    for end in ends(system):
        for axes in ("world", "body"):
            for at in (None, (0.1, 0.2, 0.3)):
                where = {"where": end, "axes": axes, "at": at}
                found[f"velocity of {where}"] = (
                    lambda e, q, v, w=where, **o: e.velocity(q, v, **w, **o),
                    lambda x, w=where: ls.velocity(system, x, **w),
                )
                found[f"jacobian of {where}"] = (
                    lambda e, q, v, w=where, **o: e.jacobian(q, **w, **o),
                    lambda x, w=where: ls.jacobian(system, x, **w),
                )
    return found


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_method_gives_the_bits_of_the_function(name):
    state = SYSTEMS[name]
    system = state.system
    vdot, T = RNG.normal(size=(2, system.n_v))
    evaluator = system.evaluator()
    q, v = state.q.copy(), state.v.copy()
    for what, (method, function) in calls(system, vdot, T).items():
        expected = function(state)
        assert bits(method(evaluator, q, v)) == bits(expected), what
        out = np.full(expected.shape, np.nan)
        assert method(evaluator, q, v, out=out) is out
        assert bits(out) == bits(expected), what
        wide = np.full((*expected.shape, 2), np.nan)  # not contiguous: the general way
        assert bits(method(evaluator, q, v, out=wide[..., 0]).copy()) == bits(expected), what
    assert bits(evaluator.energy(q, v)) == bits(ls.energy(system, state))
    for end in ends(system):
        for at in (None, (0, 0, 1)):
            expected = ls.pose(system, state, end, at=at)
            assert bits(evaluator.pose(q, end, at=at)) == bits(expected)
    assert bits([q, v]) == bits([state.q.copy(), state.v.copy()])


def test_loads_armature_and_actuators_are_those_of_the_functions():
    q, v = MOVING.q.copy(), MOVING.v.copy()
    push, T = {CHAIN.names[-1]: [0, 0, 1, 2, 0, 0]}, RNG.normal(size=4)
    evaluator = CHAIN.evaluator()
    more = {"external": push, "armature": [0.1, 0.2, 0.3, 0.4]}
    assert bits(evaluator.forward_dynamics(q, v, T, **more)) == bits(
        ls.forward_dynamics(CHAIN, MOVING, T, **more)
    )
    assert bits(evaluator.inverse_dynamics(q, v, T, external=push)) == bits(
        ls.inverse_dynamics(CHAIN, MOVING, T, external=push)
    )
    forces = {CHAIN.names[1]: 2.0}
    assert bits(evaluator.forward_dynamics(q, v, forces)) == bits(
        ls.forward_dynamics(CHAIN, MOVING, forces)
    )
    vdot = ls.forward_dynamics(LOOP, CLOSED, [1.0, 0.0, 0.0])
    given = (CLOSED.q.copy(), CLOSED.v.copy(), vdot)
    assert bits(LOOP.evaluator().inverse_dynamics(*given, actuated=["left"])) == bits(
        ls.inverse_dynamics(LOOP, CLOSED, vdot, actuated=["left"])
    )


UNUSUAL = {
    "lists": list,
    "integers": lambda x: np.round(x).astype(int),
    "single precision": lambda x: x.astype(np.float32),
    "every other": lambda x: np.repeat(x, 2)[::2],
    "read-only": lambda x: MOVING.q if x is MOVING_Q else MOVING.v,
    "other byte order": lambda x: x.astype(x.dtype.newbyteorder()),
    "complex": lambda x: x + 1e-3j,
}
MOVING_Q = MOVING.q.copy()


@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_arrays_give_the_results_of_the_functions(kind):
    q, v = UNUSUAL[kind](MOVING_Q), UNUSUAL[kind](MOVING.v.copy())
    vdot = np.ones(4)
    evaluator = CHAIN.evaluator()
    for method, function in calls(CHAIN, vdot, vdot).values():
        assert bits(method(evaluator, q, v)) == bits(function((q, v)))


WRONG = {
    "too few": lambda q, v: (q[1:], v),
    "a matrix": lambda q, v: (q[None], v),
    "not a number": lambda q, v: (np.where(np.arange(len(q)) == 7, np.nan, q), v),
    "infinite both ways": lambda q, v: (q, np.r_[np.inf, -np.inf, v[2:]]),
    "words": lambda q, v: (q, "fast"),
    "nothing": lambda q, v: (None, v),
    "long quaternion": lambda q, v: (np.r_[2 * q[:4], q[4:]], v),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_arrays_get_the_messages_of_the_functions(wrong):
    vdot = np.ones(TREE.n_v)
    evaluator = TREE.evaluator()
    for what, (method, function) in calls(TREE, vdot, vdot).items():
        q, v = WRONG[wrong](STATE.q.copy(), STATE.v.copy())
        if bits(v) != bits(STATE.v) and not any(x in what for x in ("forw", "inv", "bias", "vel")):
            continue  # it takes no speeds
        with pytest.raises(ls.StateError) as expected:
            function((q, v))
        with pytest.raises(ls.StateError) as found:
            method(evaluator, q, v)
        assert str(found.value) == str(expected.value), what


def test_other_wrong_arguments_get_the_messages_of_the_functions():
    q, v, e = MOVING.q.copy(), MOVING.v.copy(), CHAIN.evaluator()
    for call, function in (
        (lambda: e.forward_dynamics(q, v, [1.0]), lambda x: ls.forward_dynamics(CHAIN, x, [1.0])),
        (lambda: e.inverse_dynamics(q, v, None), lambda x: None),
        (lambda: e.pose(q, "nowhere"), lambda x: ls.pose(CHAIN, x, "nowhere")),
        (lambda: e.pose(q, CHAIN.names[0], at="x"), lambda x: ls.pose(CHAIN, x, "link0", at="x")),
        (
            lambda: e.jacobian(q, CHAIN.names[0], axes="moon"),
            lambda x: ls.jacobian(CHAIN, x, CHAIN.names[0], axes="moon"),
        ),
        (
            lambda: e.forward_dynamics(q, v, np.full(4, np.nan)),
            lambda x: ls.forward_dynamics(CHAIN, x, np.full(4, np.nan)),
        ),
    ):
        try:
            function(MOVING)
        except ls.StateError as expected:
            with pytest.raises(ls.StateError) as found:
                call()
            assert str(found.value) == str(expected)
    with pytest.raises(ls.StateError, match="expected a System, got Model"):
        ls.Evaluator(ls.library.rigid_chain(2))
    with pytest.raises(ls.StateError, match="in the given state|gap|open"):
        LOOP.evaluator().forward_dynamics(CLOSED.q + 0.1, CLOSED.v)


@pytest.mark.parametrize(
    "out, words",
    (
        ([0.0] * 4, "out is list; expected an array"),
        (np.zeros(3), r"out is float64 of shape \(3,\); expected float64 of shape \(4,\)"),
        (np.zeros(4, dtype=np.float32), "out is float32 of shape"),
        (np.zeros(4, dtype=int), "out is int64 of shape"),
        (MOVING.q, "out is read-only"),
    ),
)
def test_a_wrong_array_for_the_result_is_refused(out, words):
    evaluator, q, v = CHAIN.evaluator(), MOVING.q.copy(), MOVING.v.copy()
    for call in (evaluator.forward_dynamics, evaluator.bias_force):
        with pytest.raises(ls.StateError, match=words):
            call(q, v, out=out)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_result_may_overwrite_an_argument(name):
    state = SYSTEMS[name]
    system, n = state.system, state.system.n_v
    memory = np.concatenate([state.q, state.v, RNG.normal(size=n)])
    at = np.cumsum([0, system.n_q, n, n])
    evaluator = system.evaluator()
    calls = [evaluator.forward_dynamics, lambda q, v, T, **o: evaluator.bias_force(q, v, **o)]
    if not system.constraints:
        calls.append(evaluator.inverse_dynamics)
    for call in calls:
        expected = call(*(memory[i:j].copy() for i, j in pairwise(at)))
        for start in range(0, len(memory) - n + 1):
            whole = memory.copy()
            views = [whole[i:j] for i, j in pairwise(at)]
            found = call(*views, out=whole[start : start + n])
            assert bits(found.copy()) == bits(expected)
        for place in (1, 2):
            given = [memory[i:j].copy() for i, j in pairwise(at)]
            assert bits(call(*given, out=given[place])) == bits(expected)


def test_coordinates_within_the_array_for_a_matrix_are_read_first():
    evaluator, end = CHAIN.evaluator(), CHAIN.names[-1]
    for n, call in (
        (4, lambda q, **o: evaluator.mass_matrix(q, **o)),
        (6, lambda q, **o: evaluator.jacobian(q, end, **o)),
    ):
        expected = call(MOVING.q.copy())
        for row in range(n):
            matrix = np.zeros((n, 4))
            matrix[row] = MOVING.q
            assert bits(call(matrix[row], out=matrix)) == bits(expected)


def test_results_are_arrays_of_their_own():
    evaluator, q, v = CHAIN.evaluator(), MOVING.q.copy(), MOVING.v.copy()
    first = [evaluator.bias_force(q, v), evaluator.pose(q, CHAIN.names[-1]).position]
    before = bits(first)
    evaluator.bias_force(2 * q, 3 * v)
    evaluator.pose(2 * q, CHAIN.names[-1])
    assert bits(first) == before


def test_copies_and_pickles_work_on_their_own():
    evaluator, q, v = CHAIN.evaluator(), MOVING.q.copy(), MOVING.v.copy()
    expected = bits(evaluator.forward_dynamics(q, v))
    for other in (
        pickle.loads(pickle.dumps(evaluator)),
        copy.copy(evaluator),
        copy.deepcopy(evaluator),
    ):
        assert other is not evaluator
        assert not np.shares_memory(other._quick._work.scratch, evaluator._quick._work.scratch)
        assert bits(other.forward_dynamics(q, v)) == expected


def test_each_thread_has_its_own():
    states = [CHAIN.state(*RNG.normal(size=(2, 4))) for _ in range(4)]

    def many(state):
        evaluator, q, v = CHAIN.evaluator(), state.q.copy(), state.v.copy()
        return {bytes(evaluator.forward_dynamics(q, v)) for _ in range(300)}

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(many, states))
    assert found == [{bytes(ls.forward_dynamics(CHAIN, state))} for state in states]


@dataclass(frozen=True, eq=False)
class Waiting(ls.Joint):
    """Turn about z whose evaluation can be held up."""

    coordinates = (("angle", "rad"),)

    def pose(self, q):
        if threading.current_thread().name == "held up":
            INSIDE.set()
            GO_ON.wait(10)
        return axis_rotation(np.eye(3)[2], q[0]), np.zeros(3)

    def motion_map(self, q):
        return np.eye(6)[:, 2:3]


INSIDE, GO_ON = threading.Event(), threading.Event()


def test_sharing_one_between_threads_is_an_error_that_says_so():
    model = ls.Model("gate")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), Waiting(), name="gate")
    evaluator = model.compile().evaluator()
    q, v = np.array([0.3]), np.array([0.1])
    expected = bits(evaluator.forward_dynamics(q, v))
    found = []
    thread = threading.Thread(
        target=lambda: found.append(evaluator.forward_dynamics(q, v)), name="held up"
    )
    thread.start()
    assert INSIDE.wait(10)
    try:
        with pytest.raises(ls.StateError, match="in use by another thread.*system.evaluator"):
            evaluator.bias_force(q, v)
    finally:
        GO_ON.set()
        thread.join()
    assert bits(found[0]) == expected
    assert bits(evaluator.forward_dynamics(q, v)) == expected


def test_without_compiled_code_it_takes_the_general_way(monkeypatch):
    q, v = MOVING.q.copy(), MOVING.v.copy()
    evaluator = CHAIN.evaluator()
    expected = evaluator.forward_dynamics(q, v)
    monkeypatch.setattr(quick, "READABLE", True)
    monkeypatch.setattr(arguments, "READABLE", True)
    found = evaluator.forward_dynamics(q, v)
    assert found == pytest.approx(expected, rel=1e-10)
    assert "4 coordinates" in repr(evaluator)
