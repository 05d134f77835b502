"""Runs and steppers that several tests share."""

from __future__ import annotations

import numba
import numpy as np

import lissom as ls
from tests.samples.couplings import geared_rotors
from tests.samples.states import CLOSED, STATE, TREE, bits

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


def now(stepper):
    return bits([np.array(stepper.time), stepper.q, stepper.v, np.array(stepper.events)])
