"""Every function that takes a state takes its coordinates and speeds (q, v) as well."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

import lissom as ls
from tests.samples.couplings import geared_rotors
from tests.samples.states import ACCELERATIONS, CLOSED, LOOP, STATE, TREE, bits
from tests.tools.public_names import CALLABLES


def wing():
    """Panel on a hinge, which knows its strains."""
    model = ls.Model("wing")
    sheet = ls.panel(
        1.0, 0.5, 0.01, ls.ALUMINIUM, interfaces={"root": "left"}, divisions=2, modes=2
    )
    model.add(sheet, ls.Revolute("y"), name="wing")
    return model.compile()


GEARS, WING = geared_rotors(), wing()
RIGID = ls.library.rigid_chain(2).compile()
SHORT = {"duration": 2e-3, "step": 1e-3, "integrator": "rk4"}


def _ends(time, q, v):
    """Objective of a gradient: the last coordinates."""
    by_q = np.zeros_like(q)
    by_q[-1] = 1.0
    return q[-1].sum(), by_q, np.zeros_like(v)


# For each function its system, a state, and the call.
CALLS = {
    "acceleration": (TREE, STATE, lambda s, x: ls.acceleration(s, x, "hand")),
    "assemble": (LOOP, LOOP.state(left=-1.3, top=1.2, right=1.5), ls.assemble),
    "bias_force": (TREE, STATE, ls.bias_force),
    "center_of_mass": (TREE, STATE, ls.center_of_mass),
    "closure": (LOOP, CLOSED, ls.closure),
    "coupling_forces": (GEARS, GEARS.neutral(), lambda s, x: ls.coupling_forces(s, x, [1.0, 0])),
    "design_derivatives": (TREE, STATE, lambda s, x: ls.design_derivatives(s, x, "hand.mass")),
    "energy": (TREE, STATE, ls.energy),
    "forward_dynamics_derivatives": (TREE, STATE, ls.forward_dynamics_derivatives),
    "frame_derivatives": (TREE, STATE, lambda s, x: ls.frame_derivatives(s, x, "hand")),
    "gradient": (
        RIGID,
        RIGID.neutral(),
        lambda s, x: ls.gradient(s, x, _ends, duration=2e-3, step=1e-3),
    ),
    "inertial_regressor": (TREE, STATE, ls.inertial_regressor),
    "inverse_dynamics_derivatives": (
        TREE,
        STATE,
        lambda s, x: ls.inverse_dynamics_derivatives(s, x, ACCELERATIONS),
    ),
    "linearize": (TREE, STATE, lambda s, x: ls.linearize(s, x).A),
    "load_derivatives": (
        TREE,
        STATE,
        lambda s, x: ls.load_derivatives(s, x, [ls.JointSpring("link", 3.0)]),
    ),
    "mode_sweep": (
        RIGID,
        RIGID.neutral(),
        lambda s, x: ls.mode_sweep(s, [0.1, 0.2], state=x, joint=s.names[0]).eigenvalues,
    ),
    "modes": (RIGID, RIGID.neutral(), lambda s, x: ls.modes(s, x).eigenvalues),
    "reach": (RIGID, RIGID.neutral(), lambda s, x: ls.reach(s, x, {s.names[1]: (0, 0, 0)}).state),
    "sensitivity": (
        RIGID,
        RIGID.neutral(),
        lambda s, x: ls.sensitivity(s, x, duration=2e-3, step=1e-3).state,
    ),
    "trim": (
        RIGID,
        RIGID.neutral(),
        lambda s, x: ls.trim(s, x, held=s.names).forces,
    ),
    "equilibrium": (RIGID, RIGID.neutral(), ls.equilibrium),
    "filter_and_smoother": (TREE, STATE, ls.filter_and_smoother),
    "forward_dynamics": (TREE, STATE, ls.forward_dynamics),
    "gibbs_function": (TREE, STATE, lambda s, x: ls.gibbs_function(s, x, ACCELERATIONS)),
    "gravity_force": (TREE, STATE, ls.gravity_force),
    "interface_load": (TREE, STATE, lambda s, x: ls.interface_load(s, x, "link.tip")),
    "inverse_dynamics": (TREE, STATE, lambda s, x: ls.inverse_dynamics(s, x, ACCELERATIONS)),
    "jacobian": (TREE, STATE, lambda s, x: ls.jacobian(s, x, "link.tip", axes="body")),
    "joint_forces": (TREE, STATE, ls.joint_forces),
    "loop_forces": (LOOP, CLOSED, ls.loop_forces),
    "mass_matrix": (TREE, STATE, ls.mass_matrix),
    "momentum": (TREE, STATE, ls.momentum),
    "multiply_mass": (TREE, STATE, lambda s, x: ls.multiply_mass(s, x, ACCELERATIONS)),
    "nodal_forward_dynamics": (
        RIGID,
        RIGID.neutral(),
        lambda s, x: ls.nodal_forward_dynamics(s, x, {}),
    ),
    "nodal_inverse_dynamics": (
        RIGID,
        RIGID.neutral(),
        lambda s, x: ls.nodal_inverse_dynamics(s, x, {}),
    ),
    "nodal_operators": (
        RIGID,
        RIGID.neutral(),
        lambda s, x: ls.nodal_operators(s, x, {}).mass.as_matrix(),
    ),
    "operators": (TREE, STATE, ls.operators),
    "optimal_control_dual": (TREE, STATE, ls.optimal_control_dual),
    "pose": (TREE, STATE, lambda s, x: ls.pose(s, x, "hand", at=(0, 0, 0.1))),
    "qdot": (TREE, STATE, ls.qdot),
    "section_loads": (TREE, STATE, lambda s, x: ls.section_loads(s, x, "link")),
    "strain": (WING, WING.state([0.01, 0.02, 0.3]), lambda s, x: ls.strain(s, x, "wing")),
    "stress": (TREE, STATE, lambda s, x: ls.stress(s, x, "link")),
    "simulate": (RIGID, RIGID.neutral(), lambda s, x: ls.simulate(s, x, **SHORT)),
    "solve_mass": (TREE, STATE, lambda s, x: ls.solve_mass(s, x, ACCELERATIONS)),
    "velocity": (TREE, STATE, lambda s, x: ls.velocity(s, x, "hand", at=(0, 0, 0.1))),
    "viz.draw": (RIGID, RIGID.neutral(), ls.viz.draw),
    "viz.page_of": (RIGID, RIGID.neutral(), ls.viz.page_of),
}


def test_the_list_has_every_public_function_with_a_state():
    taking = {
        name
        for name, value in CALLABLES.items()
        if not inspect.isclass(value) and "state" in inspect.signature(value).parameters
    }
    assert taking == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_arrays_and_a_state_give_the_same_bits(name):
    system, state, call = CALLS[name]
    q, v = state.q.copy(), state.v.copy()
    expected = bits(call(system, state))
    assert bits(call(system, (q, v))) == expected
    assert bits(call(system, [list(q), list(v)])) == expected
    assert (q.tobytes(), v.tobytes()) == (state.q.tobytes(), state.v.tobytes())


WRONG = {
    "three arrays": (lambda q, v: (q, v, v), "expected a State, got tuple of 3"),
    "coordinates alone": (lambda q, v: q, "expected a State, got ndarray"),
    "too few": (lambda q, v: (q[1:], v), r"q has shape"),
    "not finite": (lambda q, v: (q, np.full(len(v), np.nan)), r"v\[0\], .* is nan"),
    "words": (lambda q, v: (q, "fast"), "v is not an array of numbers"),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_arrays_get_the_messages_of_a_state(name, wrong):
    system, state, call = CALLS[name]
    change, words = WRONG[wrong]
    with warnings.catch_warnings(), pytest.raises(ls.StateError, match=words):
        warnings.simplefilter("error")
        call(system, change(state.q, state.v))


@pytest.mark.parametrize("name", [x for x in CALLS if CALLS[x][0] is TREE])
def test_a_quaternion_that_is_not_of_unit_length_is_refused(name):
    _, state, call = CALLS[name]
    q = state.q.copy()
    q[:4] *= 1.01
    with pytest.raises(ls.StateError, match="the quaternion of body 'hub'.* has length 1.01"):
        call(TREE, (q, state.v))


def test_numbers_whose_squares_overflow_are_finite():
    state = ls.State(RIGID, np.full(2, 1e200), np.full(2, -1e300))
    assert state.q.tolist() == [1e200, 1e200]
    assert state.v.tolist() == [-1e300, -1e300]
