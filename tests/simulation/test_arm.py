"""The free-flying arm of the front page under joint PD control, plain and compiled."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import lissom as ls

pytestmark = pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")

GOAL = {"upper": 0.3, "lower": -0.2}
STIFFNESS, DAMPING = 200.0, 400.0


def arm() -> ls.System:
    tube = ls.Tube(radius=0.165, thickness=0.004)
    boom = ls.beam(length=7.0, section=tube, material=ls.CARBON, modes=6)
    model = ls.Model("arm")
    model.add(ls.RigidBody(mass=400, inertia=np.diag([80, 90, 70])), ls.Free(), name="hub")
    model.add(boom, ls.Revolute("z"), to="hub", at=(0.8, 0, 0), name="upper")
    model.add(boom, ls.Revolute("y"), to="upper.tip", name="lower")
    hand = ls.RigidBody.cylinder(mass=25, radius=0.2, length=0.7)
    model.add(hand, ls.Spherical(), to="lower.tip", name="hand")
    return model.compile()


SYSTEM = arm()
UPPER_Q, LOWER_Q = (SYSTEM.layout.hinge_q(name).start for name in GOAL)
UPPER_V, LOWER_V = (SYSTEM.layout.hinge_v(name).start for name in GOAL)


def plain(time, state):
    return {
        name: -STIFFNESS * (state[name][0] - goal) - DAMPING * state[f"{name}.rates"][0]
        for name, goal in GOAL.items()
    }


@numba.njit
def compiled(time, q, v, out):
    out[UPPER_V] = -STIFFNESS * (q[UPPER_Q] - 0.3) - DAMPING * v[UPPER_V]
    out[LOWER_V] = -STIFFNESS * (q[LOWER_Q] + 0.2) - DAMPING * v[LOWER_V]


@numba.njit
def compiled_controller(time, q, v, memory, out):
    compiled(time, q, v, out)


@pytest.mark.parametrize(
    "settings",
    [
        {"step": 0.01, "integrator": "generalized_alpha"},
        {"step": 5e-4, "integrator": "rk4"},
        {"rtol": 1e-8},
    ],
    ids=str,
)
@pytest.mark.parametrize("sampled", [False, True])
def test_plain_and_compiled_give_the_same_run(settings, sampled):
    forces = [plain, compiled]
    if sampled:
        forces = [ls.Controller(plain, 0.02), ls.Controller(compiled_controller, 0.02)]
    runs = [
        ls.simulate(SYSTEM, duration=2.0, forces=f, output_step=0.1, **settings) for f in forces
    ]
    # The same operations in the same order; an adaptive run may still differ where a rounding of
    # the compiler's changes a step.
    bound = 1e-12 if "step" in settings else 1e-9
    assert np.abs(runs[0].q - runs[1].q).max() < bound
    assert np.abs(runs[0].force - runs[1].force).max() < 1e3 * bound


def test_the_arm_arrives_and_momentum_stays():
    run = ls.simulate(SYSTEM, duration=20.0, forces=compiled, output_step=0.1)
    assert abs(run["upper.angle"][-1] - 0.3) < 1e-4
    assert abs(run["lower.angle"][-1] + 0.2) < 1e-4
    assert np.abs(run.momentum()).max() < 1e-5  # nothing acts from outside
