"""Small mechanisms drawn at random: each function returns numbers or an error by its name."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lissom as ls
from tests.samples.small_mechanisms import CALLS, drawn, numbers


def outcome(function, mechanism):
    """Error of lissom, or an empty text for a result of finite numbers; anything else is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ls.SimulationWarning)
        try:
            result = function(mechanism)
        except ls.LissomError as error:
            assert str(error)
            return type(error).__name__
    assert all(np.all(np.isfinite(x)) for x in numbers(result))
    assert repr(result)
    return ""


# numbers whose modes, or whose sweeps, have free motions in chains longer than two
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 20, 22, 31, 278])
def test_a_mechanism_anywhere_gives_numbers_or_a_named_error(number):
    mechanism = drawn(number)
    if mechanism is not None:
        for name in ("modes", "modes without damping", "linearize", "sweep of rates"):
            outcome(CALLS[name], mechanism)


def test_a_plate_that_slides_and_turns_has_a_chain_of_four_motions():
    """Gravity-free, away from rest, all eigenvalues zero: that once was a singular matrix."""
    model = ls.Model("plate")
    plate = ls.RigidBody.box(1.0, (0.5, 0.2, 0.3), com=(0.1, 0.2, 0.0))
    model.add(plate, ls.Planar("z"), name="p")
    system = model.compile()
    state = system.state(**{"p.rates": [0.003, 0.125, -0.156]})
    with pytest.warns(ls.SimulationWarning, match="one instant"):
        table = ls.modes(system, state)
    assert np.all(np.abs(table.eigenvalues) < 1e-9)
    assert np.allclose(ls.modes(system, damped=False).eigenvalues, 0.0)


def test_a_free_lever_beside_a_stiff_strut_keeps_its_zero():
    """Its rate is free, too, though rounding of the strut's damping touches it."""
    model = ls.Model("strut")
    strip = ls.beam(1.0, ls.Rectangle(0.02, 0.004), ls.STEEL, bending=(0, 2))
    model.add(strip, ls.Revolute("y"), name="strut")
    lever = ls.RigidBody.rod(1.0, 1.0, axis="z", com=(0, 0, 0.5))
    model.add(lever, ls.Revolute("y"), at=(1, 0, 0), name="lever")
    model.close(ls.Revolute("y"), "strut.tip", "lever", name="pin")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ls.SimulationWarning)  # the strut is pressed hard
        table = ls.modes(model.compile(), loads=[ls.NodeForce("strut.tip", (-150.0, 0, 0))])
    assert table.n_rigid == 1
    assert np.all(table.frequencies[1:] > 1.0)


def test_a_mechanism_without_motions_has_no_modes_and_stays_where_it_is():
    """Everything fixed, everything held, or closed by loops: n_v or what is left of it is zero."""
    model = ls.Model("block")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Fixed(), name="block")
    fixed = model.compile()
    model = ls.Model("door", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("y"), name="door")
    held = model.compile()
    model.close(ls.Fixed(), "door", None, name="nail")
    nailed = model.compile()
    for system, options in ((fixed, {}), (held, {"held": ["door"]}), (nailed, {})):
        assert len(ls.modes(system, **options)) == 0
        assert ls.linearize(system, **options).n == 0
        assert np.allclose(ls.equilibrium(system, **options).q, system.neutral().q)
        assert np.allclose(ls.trim(system, **options).state.q, system.neutral().q)
    with pytest.raises(ls.StateError, match="only free motions|has 0 motions|no modes"):
        ls.mode_sweep(held, [0.0, 1.0], joint="door")


@pytest.mark.parametrize("name", ["servo", "rotor"])
def test_a_load_with_a_state_of_its_own_has_no_shape_where_nothing_moves(name):
    model = ls.Model("door")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("y"), name="door")
    system = model.compile()
    loads = {
        "servo": ls.Servo("door", 0.0, kp=1.0, kd=1.0, ki=1.0),
        "rotor": ls.Rotor("door", 0.01, geared_to="door", ratio=20.0),
    }
    chosen = [loads[name], ls.JointDamper("door", 0.1)]
    assert len(ls.modes(system, loads=chosen, held=["door"])) == 0


def test_a_sweep_of_free_motions_names_the_value_and_what_is_missing():
    model = ls.Model("door")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("y"), name="door")
    with pytest.raises(ls.StateError, match="= 0.5, there are only free motions .* a spring"):
        ls.mode_sweep(lambda x: ls.modes(model.compile()), [0.5, 1.0])


def test_a_sweep_that_loses_modes_says_how_many_can_be_followed():
    """Two overdamped motions are two modes, and one where they vibrate."""
    model = ls.Model("mass")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="mass")
    system = model.compile()

    def build(damping):
        return ls.modes(system, loads=[ls.JointSpring("mass", 1.0, damping=damping)])

    with pytest.raises(ls.StateError, match=r"give n=1 or less"):
        ls.mode_sweep(build, [3.0, 0.1])
    assert ls.mode_sweep(build, [3.0, 0.1], n=1).n == 1
