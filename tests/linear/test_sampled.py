"""Linear models with sampled controllers: closed forms, runs, and what is refused."""

import numba
import numpy as np
import pytest
from scipy.linalg import expm

import lissom as ls

PERIOD, GAIN, RATE, PULL = 0.02, 60.0, 6.0, 20.0


@numba.njit
def pid(time, q, v, memory, out):
    """Angle and rate of the first joint, whose coordinates come last, and an integral."""
    k = len(out) - 1
    memory[0] += PERIOD * (0.3 - q[k])
    out[k] = GAIN * (0.3 - q[k]) - RATE * v[k] + PULL * memory[0]


def pendulum(gravity=0.0):
    model = ls.Model("pendulum", gravity=(0, 0, -gravity))
    model.add(ls.RigidBody.rod(2.0, 1.5, com=(0.75, 0, 0)), ls.Revolute("y"), name="bar")
    return model.compile()


def boom():
    """A flexible link in gravity; its modes come first."""
    model = ls.Model("boom", gravity=(0, 0, -9.81))
    link = ls.beam(2.0, ls.Tube(0.03, 0.002), ls.ALUMINIUM, bending=(0, 2), torsion=0, stretch=0)
    model.add(link, ls.Revolute("y"), name="boom")
    return model.compile()


def rest(system, control):
    """State in which the joint stands at 0.3 rad, and the controller with the integral for it."""
    steady = ls.trim(system, system.state(boom=0.3), held=["boom"])
    force = steady.forces[system.layout.hinge_v("boom")][0]
    return steady.state, ls.Controller(pid, PERIOD, memory=[force / PULL])


def test_a_pendulum_with_a_sampled_pid_has_its_discrete_equations():
    system, inertia = pendulum(), 2.0 * 1.5**2 / 3
    control = ls.Controller(pid, PERIOD, memory=[0.0])
    found = ls.linearize(
        system, system.state(bar=0.3), loads=[control], inputs=["bar"], outputs=["bar"], step=PERIOD
    )
    x = expm(PERIOD * np.array([[0, 1, 0], [0, 0, 1 / inertia], [0, 0, 0]]))
    by_force, pull = x[:2, 2], PULL * PERIOD
    A = np.block([[x[:2, :2], np.zeros((2, 1))], [-PERIOD, 0, 1]])
    A[:2] += np.outer(by_force, [-GAIN - pull, -RATE, PULL])
    assert np.allclose(found.A, A, rtol=1e-10, atol=1e-12)
    assert np.allclose(found.B[:, 0], [*by_force, 0.0], rtol=1e-10)
    assert np.array_equal(found.C, [[1, 0, 0]]) and found.step == PERIOD
    assert found.states[2][0].endswith("memory[0]")


@pytest.mark.parametrize("amplitude", [1e-3, 1e-4])
def test_small_motions_are_those_of_runs_with_the_controller(amplitude):
    """The error is quadratic in the amplitude; forces of the controller are outputs, too."""
    system = boom()
    state, control = rest(system, None)
    outputs = ["boom.angle", "boom.tip.position.z", "boom.hinge_acceleration"]
    model = ls.linearize(system, state, loads=[control], outputs=outputs, step=PERIOD)
    assert np.all(np.abs(np.linalg.eigvals(model.A)) < 1)
    x = np.zeros(model.n)
    x[: system.n_v] = amplitude * np.array([0.01, 0.005, 1.0])
    start = system.state(state.q + x[: system.n_v])
    run = ls.simulate(
        system, start, duration=20 * PERIOD, integrator="dop853", rtol=1e-12, loads=[control],
        output_step=PERIOD,
    )  # fmt: skip
    expected, still = [], ls.pose(system, state, "boom.tip").position[2]
    for _ in range(21):
        expected.append(model.C @ x)
        x = model.A @ x
    found = np.column_stack([run["boom.angle"] - 0.3, run["boom.tip.position"][:, 2] - still])
    wrong = np.abs(found - np.array(expected)[:, :2]).max()
    assert wrong < 3 * amplitude**2
    ends = run["boom.hinge_acceleration"].ravel()
    assert np.abs(ends[0] - expected[0][2]) < 1e4 * amplitude**2


def test_a_plain_function_and_a_loop_are_taken():
    system = pendulum()

    def law(time, state):
        return {"bar": -GAIN * state["bar"] - RATE * state["bar.rates"]}

    plain = ls.linearize(system, loads=[ls.Controller(law, PERIOD)], step=PERIOD)
    x = expm(PERIOD * np.array([[0, 1, 0], [0, 0, 1 / 1.5], [0, 0, 0]]))
    expected = x[:2, :2] - np.outer(x[:2, 2], [GAIN, RATE])
    assert np.allclose(plain.A, expected, rtol=1e-10, atol=1e-12)


@numba.njit
def counting(time, q, v, memory, out):
    memory[0] += 1.0
    out[0] = memory[0]


@numba.njit
def switching(time, q, v, memory, out):
    out[0] = 1.0 if q[0] > 0 else -1.0


def own_memory():
    past = [0.0]

    def law(time, state):
        past[0] += 1.0
        return [past[0]]

    return law


class Saved:
    """A controller with a memory that is saved."""

    def update(self, time, state):
        return [0.0]

    def get_state(self):
        return 1.0

    def set_state(self, saved):
        pass


def raising(time, state):
    raise ValueError("no signal")


@pytest.mark.parametrize(
    ("control", "options", "words"),
    [
        (ls.Controller(pid, PERIOD, memory=[0.0]), {}, "step=0.02, its period"),
        (
            ls.Controller(pid, PERIOD, memory=[0.0]),
            {"step": 0.1},
            "every 0.02 s, and step is 0.1 s",
        ),
        (ls.Controller(pid, PERIOD, memory=[0.0]), {"step": -1}, "step is -1"),
        (ls.Controller(counting, PERIOD, memory=[0.0]), {}, "goes on changing"),
        (ls.Controller(switching, PERIOD), {}, "not smooth"),
        (ls.Controller(own_memory(), PERIOD), {}, "memory of its own|not smooth"),
        (ls.Controller(Saved(), PERIOD), {}, "compiled by Numba"),
        (ls.Controller(raising, PERIOD), {}, "no signal"),
        (ls.Controller(switching, PERIOD), {"forces": lambda t: [0.0]}, "forces is a function"),
    ],
)
def test_what_has_no_discrete_model_is_refused(control, options, words):
    options = {"step": PERIOD} | options if words != "step=0.02, its period" else options
    with pytest.raises(ls.LissomError, match=words):
        ls.linearize(pendulum(), loads=[control], **options)


def test_a_controller_that_is_off_has_no_part():
    system = pendulum(9.81)
    off = ls.Controller(pid, PERIOD, memory=[0.0], on=False)
    with_it = ls.linearize(system, system.state(bar=np.pi / 2), loads=[off])
    assert np.array_equal(with_it.A, ls.linearize(system, system.state(bar=np.pi / 2)).A)


@numba.njit
def second(time, q, v, memory, out):
    """A second integral, whose memory goes with that of the first."""
    memory[0] = 0.5 * memory[0] + 0.1 * q[0]
    memory[1] = memory[0] + v[0]
    out[0] = memory[1]


def test_controllers_add_up_and_keep_their_memories_apart():
    system = pendulum()
    state = system.state()
    ones = [
        ls.Controller(second, PERIOD, memory=[0.0, 0.0], name="one"),
        ls.Controller(lambda t, s: [-GAIN * s["bar"][0]], PERIOD, name="two"),
        ls.Controller(second, PERIOD, memory=[0.0, 0.0], name="three"),
    ]
    found = ls.linearize(system, state, loads=ones, step=PERIOD)
    assert [x for x, _ in found.states[2:]] == [
        "one.memory[0]", "one.memory[1]", "three.memory[0]", "three.memory[1]"
    ]  # fmt: skip
    x = expm(PERIOD * np.array([[0, 1, 0], [0, 0, 1 / 1.5], [0, 0, 0]]))
    kept = np.array([[0.1, 0, 0.5, 0], [0.1, 1, 0.5, 0]])  # of angle, rate and the own memory
    A = np.zeros((6, 6))
    A[:2, :2] = x[:2, :2]
    A[:2] += np.outer(x[:2, 2], [-GAIN + 0.2, 2.0, 0.5, 0, 0.5, 0])
    A[2:4, :4], A[4:, [0, 1, 4, 5]] = kept, kept
    assert np.allclose(found.A, A, rtol=1e-10, atol=1e-12)
