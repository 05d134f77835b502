"""Every public function counts loops and couplings of a system, belongs to its tree, or says no.

A new public function that takes a system has to be entered in one of the lists.
"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import lissom as ls
from tests.samples.closures import four_bar
from tests.samples.couplings import flexible_arm
from tests.tools.measures import error

FLEXIBLE = four_bar(flexible=True)
TREE = four_bar(flexible=True, closed=False)
START = dict(
    crank=-1.0, coupler=0.8, rocker=1.9, **{"crank.rates": 1.5, "coupler.modes": [0, 0.01, 0, 0]}
)
STATE = ls.assemble(FLEXIBLE, FLEXIBLE.state(**START), held=["crank"])
OPEN = FLEXIBLE.state(**START)
SAME = TREE.state(STATE.q, STATE.v)


def _numbers(system: ls.System) -> np.ndarray:
    return np.linspace(-1, 1, system.n_v)


# The same with couplings and no loop.
COUPLED = flexible_arm()
BELT = ls.assemble(COUPLED, COUPLED.state(upper=0.4, **{"upper.rates": 1.5}), held=["upper"])
SLIPPED = COUPLED.state(upper=0.4)

# What belongs to the tree: the same numbers as for the system without its loop.
OF_THE_TREE = {
    "bias_force": lambda s, x: ls.bias_force(s, x),
    "center_of_mass": lambda s, x: ls.center_of_mass(s, x),
    "frame_derivatives": lambda s, x: (
        ls.frame_derivatives(s, x, f"{s.names[2]}.tip", _numbers(s)).acceleration_q
    ),
    "load_derivatives": lambda s, x: ls.load_derivatives(s, x, _springs(s)).q,
    "energy": lambda s, x: [ls.energy(s, x).kinetic, ls.energy(s, x).total],
    "gibbs_function": lambda s, x: ls.gibbs_function(s, x, _numbers(s), {s.names[0]: 2.0}),
    "gravity_force": lambda s, x: ls.gravity_force(s, x),
    "inertial_regressor": lambda s, x: ls.inertial_regressor(s, x, _numbers(s)).matrix,
    "jacobian": lambda s, x: ls.jacobian(s, x, f"{s.names[2]}.tip"),
    "mass_matrix": lambda s, x: ls.mass_matrix(s, x),
    "momentum": lambda s, x: ls.momentum(s, x),
    "multiply_mass": lambda s, x: ls.multiply_mass(s, x, _numbers(s)),
    "operators": lambda s, x: ls.operators(s, x, tree=True).mass_inverse.as_matrix(),
    "pose": lambda s, x: ls.pose(s, x, f"{s.names[2]}.tip").position,
    "qdot": lambda s, x: ls.qdot(s, x),
    "solve_mass": lambda s, x: ls.solve_mass(s, x, _numbers(s)),
    "velocity": lambda s, x: ls.velocity(s, x, f"{s.names[2]}.tip"),
}

# What counts loops and couplings; values are checked by the tests of these functions.
WITH_LOOPS = {
    "acceleration": lambda s, x, _: ls.acceleration(s, x, f"{s.names[2]}.tip"),
    "assemble": lambda s, _, off: ls.assemble(s, off),
    "closure": lambda s, x, _: ls.closure(s, x),
    "Closure": lambda s, x, _: ls.Closure(s, x),
    "design_derivatives": lambda s, x, _: ls.design_derivatives(s, x, "gravity"),
    "equilibrium": lambda s, x, _: ls.equilibrium(s, x, loads=_springs(s)),
    "filter_and_smoother": lambda s, x, _: ls.filter_and_smoother(s, x),
    "forward_dynamics": lambda s, x, _: ls.forward_dynamics(s, x),
    "forward_dynamics_derivatives": lambda s, x, _: ls.forward_dynamics_derivatives(s, x),
    "gradient": lambda s, x, _: ls.gradient(
        s, x, lambda t, q, v: (0.0, 0 * v, 0 * v), duration=1e-4, step=1e-4
    ),
    "linearize": lambda s, x, _: ls.linearize(s, x),
    "modes": lambda s, x, _: ls.modes(s, s.state(x.q), loads=_springs(s)),
    "reach": lambda s, x, _: ls.reach(
        s, x, {f"{s.names[2]}.tip": ls.pose(s, x, f"{s.names[2]}.tip").position}
    ),
    "trim": lambda s, x, _: ls.trim(s, s.state(x.q), loads=_springs(s)),
    "SystemModes": lambda s, x, _: str(ls.modes(s, s.state(x.q), loads=_springs(s))),
    "forward_dynamics_batch": lambda s, x, _: ls.forward_dynamics_batch(s, x.q[None], x.v[None]),
    "interface_load": lambda s, x, _: ls.interface_load(s, x, f"{s.names[2]}.tip"),
    "inverse_dynamics": lambda s, x, _: ls.inverse_dynamics(
        s, x, ls.forward_dynamics(s, x), actuated=s.names
    ),
    "joint_forces": lambda s, x, _: ls.joint_forces(s, x),
    "optimal_control_dual": lambda s, x, _: ls.optimal_control_dual(s, x),
    "section_loads": lambda s, x, _: ls.section_loads(s, x, s.names[2]),
    "sensitivity": lambda s, x, _: ls.sensitivity(s, x, duration=1e-4, step=1e-4),
    "simulate": lambda s, x, _: ls.simulate(s, x, duration=1e-3),
    "State": lambda s, x, _: ls.State(s, x.q, x.v),
    "stress": lambda s, x, _: ls.stress(s, x, s.names[2]),
    "Trajectory": lambda s, x, _: ls.simulate(s, x, duration=1e-3).state(5e-4),
}
FORCES = {
    "loop_forces": lambda: ls.loop_forces(FLEXIBLE, STATE),
    "coupling_forces": lambda: ls.coupling_forces(COUPLED, BELT),
}


def _springs(system: ls.System) -> list[ls.JointSpring]:
    return [ls.JointSpring(name, 50.0) for name in system.names]


# What knows trees only.
REFUSED = {
    "inverse_dynamics_derivatives": lambda s, x: ls.inverse_dynamics_derivatives(s, x, x.v),
    "inverse_dynamics_batch": lambda s, x: ls.inverse_dynamics_batch(
        s, x.q[None], x.v[None], x.v[None]
    ),
    "nodal_forward_dynamics": lambda s, x: ls.nodal_forward_dynamics(s, s.neutral(), {}),
    "nodal_inverse_dynamics": lambda s, x: ls.nodal_inverse_dynamics(s, s.neutral(), {}),
    "nodal_operators": lambda s, x: ls.nodal_operators(s, s.neutral(), {}),
}


def test_every_public_function_of_a_system_is_in_one_list():
    takes_system = {
        name
        for name in ls.__all__
        if callable(value := getattr(ls, name))
        and not (inspect.isclass(value) and issubclass(value, BaseException))
        and "system" in inspect.signature(value).parameters
    }
    # two are compared with functions of the same names; strain, of solids, is that of the modes
    takes_system -= {"Evaluator", "Stepper", "strain"}
    lists = [set(OF_THE_TREE), set(WITH_LOOPS), set(FORCES), set(REFUSED)]
    assert takes_system == set.union(*lists)
    assert sum(map(len, lists)) == len(takes_system)


@pytest.mark.parametrize("name", OF_THE_TREE)
def test_quantity_of_the_tree_is_the_same_without_the_loop(name):
    function = OF_THE_TREE[name]
    assert error(function(FLEXIBLE, STATE), function(TREE, SAME)) < 1e-13


@pytest.mark.parametrize("name", OF_THE_TREE)
def test_quantity_of_the_tree_needs_no_closed_loop(name):
    function, same = OF_THE_TREE[name], TREE.state(OPEN.q, OPEN.v)
    assert error(function(FLEXIBLE, OPEN), function(TREE, same)) < 1e-13


@pytest.mark.parametrize("name", OF_THE_TREE)
def test_quantity_of_the_tree_is_the_same_without_couplings(name):
    function, tree = OF_THE_TREE[name], flexible_arm(coupled=False)
    for state in (BELT, SLIPPED):
        same = tree.state(state.q, state.v)
        assert error(function(COUPLED, state), function(tree, same)) < 1e-13


@pytest.mark.parametrize("name", WITH_LOOPS)
def test_function_takes_a_system_with_loops(name):
    WITH_LOOPS[name](FLEXIBLE, STATE, OPEN)


@pytest.mark.parametrize("name", WITH_LOOPS)
def test_function_takes_a_system_with_couplings(name):
    WITH_LOOPS[name](COUPLED, BELT, SLIPPED)


def test_forces_are_those_of_loops_or_of_couplings():
    assert FORCES["loop_forces"]().shape == (1, 6) and FORCES["coupling_forces"]().shape == (2,)
    with pytest.raises(ls.StateError, match="no loops.* coupling_forces"):
        ls.loop_forces(COUPLED, BELT)
    with pytest.raises(ls.StateError, match=r"no couplings; add them with model\.couple"):
        ls.coupling_forces(FLEXIBLE, STATE)


@pytest.mark.parametrize("name", REFUSED)
def test_function_for_trees_refuses_and_names_the_loop(name):
    with pytest.raises(ls.StateError, match="supports trees only.* the loop 'pin'; use "):
        REFUSED[name](FLEXIBLE, STATE)
    with pytest.raises(
        ls.StateError, match="supports trees only.* couplings 'belt', 'screw'; use "
    ):
        REFUSED[name](COUPLED, BELT)


@pytest.mark.parametrize("method", ["innovations", "separate", "ruthless"])
def test_forms_of_the_papers_refuse(method):
    with pytest.raises(ls.StateError, match=f"{method}' does not support loops"):
        ls.forward_dynamics(FLEXIBLE, STATE, method=method)
    with pytest.raises(
        ls.StateError, match=f"{method}' does not support couplings, but the system has 2"
    ):
        ls.forward_dynamics(COUPLED, BELT, method=method)


@pytest.mark.parametrize("method", ["auto", "articulated", "composite", "reference"])
def test_accelerations_keep_the_loop_closed(method):
    found = ls.closure(FLEXIBLE, STATE)
    vdot = ls.forward_dynamics(FLEXIBLE, STATE, {"crank": 2.0}, method=method)
    gross = np.abs(found.jacobian) @ np.abs(vdot)
    assert np.abs(found.jacobian @ vdot + found.bias).max() < 1e-9 * gross.max()
    assert error(vdot, ls.forward_dynamics(TREE, SAME, {"crank": 2.0})) > 1e-3


def test_point_that_is_pinned_has_no_acceleration():
    A = ls.acceleration(FLEXIBLE, STATE, "rocker.tip")
    assert np.abs(A[3:]).max() < 1e-8
    assert np.abs(ls.acceleration(TREE, SAME, "rocker.tip")[3:]).max() > 1


@pytest.mark.parametrize("name", ["forward_dynamics", "loop_forces", "joint_forces", "simulate"])
def test_open_loops_are_refused_with_the_remedy(name):
    more = {"duration": 1e-3} if name == "simulate" else {}
    with pytest.raises(ls.LissomError, match=r"'pin'.* assemble"):
        getattr(ls, name)(FLEXIBLE, OPEN, **more)
    if name != "loop_forces":
        with pytest.raises(ls.LissomError, match=r"'belt'.* assemble"):
            getattr(ls, name)(COUPLED, SLIPPED, **more)


def test_gibbs_function_is_least_at_the_true_accelerations_among_those_of_closed_loops():
    vdot = ls.forward_dynamics(FLEXIBLE, STATE)
    least, B = ls.gibbs_function(FLEXIBLE, STATE, vdot), ls.closure(FLEXIBLE, STATE).basis
    rng = np.random.default_rng(0)
    for _ in range(10):
        off = B @ (1e-3 * rng.standard_normal(B.shape[1]))
        assert ls.gibbs_function(FLEXIBLE, STATE, vdot + off) > least
    slopes = [ls.gibbs_function(FLEXIBLE, STATE, vdot + 1e-20j * b).imag / 1e-20 for b in B.T]
    assert np.abs(slopes).max() < 1e-8 * np.abs(ls.bias_force(FLEXIBLE, STATE)).max()
