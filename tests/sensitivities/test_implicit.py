"""Sensitivities of generalized-alpha runs: complex steps through an independent method."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree import reference
from lissom.algorithms.tree.coordinates import moved
from lissom.sim.run.scales import modal_stiffness
from tests.samples.sensitivities import (
    DURATION,
    STEP,
    TIMES,
    central,
    chain,
    check,
    check_adjoint,
    drive,
    floating,
    moving,
    with_field,
)

SHORT = 0.06
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def constants(rho):
    """Chung and Hulbert's constants alpha_m, alpha_f, beta, gamma."""
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 - alpha_m + alpha_f
    return alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma


def complex_run(system, q, v, values, rho=0.8):
    """Generalized-alpha in complex numbers through the readable recursions, without groups."""
    alpha_m, alpha_f, beta, gamma = constants(rho)
    drive_v, layout, h = system.layout.hinge_v("column"), system.layout, STEP
    A = (1 - alpha_f) / (1 - alpha_m) * beta * h * h * modal_stiffness(system)[0]
    armature = [
        (A[layout.modal_v(i)], np.zeros((joint.n_v, joint.n_v)))
        for i, joint in enumerate(system.joints)
    ]

    def accelerations(t, q, v, x, A, armature):
        forces = np.zeros(system.n_v, complex)
        forces[drive_v] = 2.0 * (
            np.interp(t, TIMES, values.real) + 1j * np.interp(t, TIMES, values.imag)
        )
        motions = reference.kinematics_base_to_tip(system, q, v)
        return reference.forward_dynamics(system, motions, forces + A * x, (), armature)

    def end(x1):
        a1 = ((1 - alpha_f) * x1 + alpha_f * x - alpha_m * a) / (1 - alpha_m)
        s = h * v + h * h * ((0.5 - beta) * a + beta * a1)
        return q + s, v + h * ((1 - gamma) * a + gamma * a1), a1

    x = accelerations(0.0, q, v, np.zeros(system.n_v), 0 * A, None)
    a = x
    for k in range(round(SHORT / h)):
        x1 = x
        for _ in range(12):
            x1 = accelerations((k + 1) * h, *end(x1)[:2], x1, A, armature)
        (q, v, a), x = end(x1), x1
    return np.concatenate([q, v])


def test_derivatives_of_implicit_steps_are_those_of_complex_steps():
    """By initial state, values of a table, gravity and a place; vibrations outrun the steps."""
    e, values = 1e-30, np.array([1.0, -2.0, 0.5, 3.0])
    system = chain(modulus=7e10)
    assert STEP * np.sqrt(modal_stiffness(system)[0].max()) > 50
    state, controls, n = moving(system, deflected=1e-4), [drive(values)], system.n_v
    given = {"duration": SHORT, "step": STEP, "integrator": "generalized_alpha"}
    found = ls.sensitivity(
        system, state, parameters=["gravity.z", "boom.at.x"], controls=controls, **given
    )
    q, v, u = state.q + 0j, state.v + 0j, values + 0j
    end = complex_run(system, q, v, u)
    assert np.allclose(np.r_[found.q[-1], found.v[-1]], end.real, rtol=1e-10, atol=1e-11)
    eye, some = 1j * e * np.eye(n), [0, 1, 3, n - 1]
    expected = [complex_run(system, q + eye[k], v, u) for k in some]
    expected += [complex_run(system, q, v + eye[k], u) for k in some]
    check(found.state[-1][:, [*some, *(n + k for k in some)]], expected, e)
    ends = [complex_run(system, q, v, u + x) for x in 1j * e * np.eye(4)[1:3]]
    check(found.controls[0][-1][:, 1:3], ends, e)
    at = system.frame_position + 0j
    at[1, 0] += 1j * e
    systems = [
        with_field(system, gravity=system.gravity + 1j * e * np.eye(3)[2]),
        with_field(system, frame_position=at),
    ]
    check(found.parameters[-1], [complex_run(s, q, v, u) for s in systems], e)


@pytest.mark.parametrize("level", ["full", "exact"])
def test_derivatives_of_implicit_steps_on_groups_are_differences_of_runs(level):
    """Free and ball joints, springs between nodes, a rotor; and the adjoint."""
    system = floating(level)
    state, n = moving(system, 4), system.n_v
    loads = [
        ls.JointDamper("boom", 0.3),
        ls.NodeSpring("base", "tip", 40.0, length=0.5, damping=0.1),
        ls.Actuator("boom", (0.5, -0.4, 0.2), rotor_inertia=0.02),
    ]
    kind = ls.GeneralizedAlpha(0.7, tolerance=1e-12, slack=0.0)
    given = {"duration": DURATION, "step": STEP, "loads": loads, "integrator": kind}
    found = ls.sensitivity(system, state, parameters=["base.com.x"], **given)

    def end(state):
        made = ls.simulate(system, state, **given)
        return made.q[-1], made.v[-1]

    for k in (0, 4, n - 2, n - 1):
        e = np.eye(n)[k]
        modes = system.layout.modal_v("boom")
        spacing = 2e-5 if modes.start <= k < modes.stop else 5e-4

        def displaced(h, e=e):
            return end(system.state(moved(system, state.q, h * e), state.v))

        def faster(h, e=e):
            return end(system.state(state.q, state.v + h * e))

        for run, column in ((displaced, k), (faster, n + k)):
            expected = central(run, system, spacing)
            scale = max(1.0, np.abs(expected).max())
            assert np.allclose(found.state[-1][:, column], expected, rtol=0, atol=2e-9 * scale)

    def weighed(time, q, v):
        by_q = np.zeros_like(v)
        by_q[-1] = np.arange(n)
        return 0.0, by_q, np.ones_like(v)

    adjoint = ls.gradient(system, state, weighed, parameters=["base.com.x"], **given)
    for own, theirs in ((adjoint.state, found.state), (adjoint.parameters, found.parameters)):
        expected = np.arange(n) @ theirs[-1][:n] + theirs[:, n:].sum(axis=(0, 1))
        assert np.allclose(own, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["linear", "steps", "smooth"])
def test_the_adjoint_of_implicit_steps_is_the_transpose(kind, monkeypatch):
    """In several blocks of steps, with tables that jump, too."""
    system = chain("linear")
    state, values = moving(system), np.array([1.0, -2.0, 0.5, 3.0])
    given = {
        "duration": DURATION,
        "step": STEP,
        "parameters": ["hand.mass", "boom.stiffness", "boom.damping"],
        "controls": [drive(values, kind)],
        "loads": [ls.JointSpring("boom", (20.0, 30.0)), ls.JointDamper("hand", 2.0)],
        "integrator": ls.GeneralizedAlpha(0.6),
    }
    forward = ls.sensitivity(system, state, **given)
    monkeypatch.setattr("lissom.sim.sensitivities.run_derivatives.BLOCK_BYTES", 9_000)
    again = ls.sensitivity(system, state, **given)
    assert np.allclose(again.parameters, forward.parameters, rtol=1e-12, atol=1e-13)
    check_adjoint(system, state, forward, given)


def test_iterations_without_slack_end_at_the_tolerance():
    """The steps of a run approach those of the equations as its tolerance does."""
    system = chain()
    state = moving(system)

    def end(kind):
        made = ls.simulate(system, state, duration=DURATION, step=STEP, integrator=kind)
        return np.concatenate([made.q[-1], made.v[-1]])

    exact = end(ls.GeneralizedAlpha(tolerance=1e-13, slack=0.0))
    loose, tight = end(ls.GeneralizedAlpha()), end(ls.GeneralizedAlpha(tolerance=1e-9, slack=0.0))
    assert np.abs(loose - exact).max() > 1e-8
    assert np.abs(tight - exact).max() < 1e-8
    with pytest.raises(ls.errors.LoadError, match="slack"):
        ls.GeneralizedAlpha(slack=-1)


def test_long_steps_beside_a_stiff_mode_are_those_of_the_run():
    """What the iterations leave is amplified by the stiffness in the accelerations of the rows."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    tube = ls.Tube(radius=0.02, thickness=0.002)
    boom = ls.beam(0.8, tube, ls.ALUMINIUM, bending=1, torsion=0, stretch=0)
    model.add(boom, ls.Revolute("y"), name="arm")
    model.add(ls.RigidBody(0.7, inertia=1e-3 * np.eye(3)), ls.Fixed(), to="arm.tip", name="load")
    system = model.compile()
    servo, kind = (
        ls.Servo("arm", 0.5, kp=50.0, kd=2.0),
        ls.GeneralizedAlpha(tolerance=1e-12, slack=0.0),
    )
    given = {"duration": 0.2, "step": 0.01, "loads": [servo], "integrator": kind}
    start = system.state(arm=0.2)
    found = ls.sensitivity(system, start, parameters="gravity.z", **given)

    def end(h):
        made = ls.simulate(system, (start.q + h * np.eye(3)[2], start.v), **given)
        return np.concatenate([made.q[-1], made.v[-1]])

    expected = (8 * (end(1e-3) - end(-1e-3)) - (end(2e-3) - end(-2e-3))) / 12e-3
    assert np.allclose(found.state[-1][:, 2], expected, rtol=1e-6, atol=1e-7)
