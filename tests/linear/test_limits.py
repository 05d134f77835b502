"""Linear models say what runs say about states outside the limits of the models of their bodies."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lissom as ls

LENGTH, HEIGHT = 1.3, 0.002
BLADE = {"bending": (0, 4), "torsion": 0, "stretch": 0, "damping": 0.0}
PACE = np.sqrt(ls.STEEL.youngs_modulus * HEIGHT**2 / 12 / ls.STEEL.density) / LENGTH**2
RATE = 4 * PACE


def blade(level):
    """Blade on a hub that turns about z at a multiple of its first frequency."""
    model = ls.Model("rotor")
    beam = ls.beam(LENGTH, ls.Rectangle(0.03, HEIGHT), ls.STEEL, level=level, **BLADE)
    model.add(beam, ls.Revolute("z"), name="blade")
    return model.compile()


def told(function):
    """Result, and texts of the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = function()
    assert all(one.category is ls.SimulationWarning for one in said)
    assert all(one.filename == __file__ for one in said)  # the line of the user
    return result, [str(one.message) for one in said]


def calls(system, rate=RATE):
    state = system.state(**{"blade.rates": rate})
    return {
        "modes": lambda: ls.modes(system, state, held=["blade"]),
        "linearize": lambda: ls.linearize(system, state, held=["blade"]),
        "trim": lambda: ls.trim(system, state, held=["blade"]),
        "mode_sweep": lambda: ls.mode_sweep(
            system, np.linspace(0, rate, 7), joint="blade", rates=True, n=2
        ),
        "a function": lambda: ls.mode_sweep(
            lambda x: ls.modes(system, system.state(**{"blade.rates": x}), held=["blade"]),
            np.linspace(0, rate, 7),
            n=2,
        ),
    }


@pytest.mark.parametrize("name", list(calls(blade("full"))))
def test_a_blade_without_stiffening_is_said_to_be_wrong_wherever_it_spins(name):
    """What `simulate` says twice: the spin, and the pull along the blade, once each."""
    system = blade("full")
    state = system.state(**{"blade.rates": RATE})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ls.simulate(system, state, duration=1e-3)
    _, texts = told(calls(system)[name])
    assert len(texts) == len(said) == 2
    for text, one in zip(texts, said, strict=True):
        place = str(one.message).partition(" (t =")[0]
        assert text.partition(" (in the state)")[0].endswith(place)
        assert "body 'blade'" in text
        assert ("such values" in text) == (name in ("mode_sweep", "a function"))


@pytest.mark.parametrize("name", list(calls(blade("stiffened"))))
def test_a_blade_with_stiffening_is_right_and_nothing_is_said(name):
    """First flapping frequency at the spin 4, both in sqrt(EI / rho A L^4): 5.5850.

    Source: A. D. Wright et al., J. Appl. Mech. 49, 1982, table of uniform beams on no hub.
    """
    result, texts = told(calls(blade("stiffened"))[name])
    assert texts == []
    if name == "modes":
        assert 2 * np.pi * result.frequencies[0] / PACE == pytest.approx(5.5850, rel=2e-3)


def test_derivatives_of_runs_say_what_their_run_says():
    system = blade("full")
    state = system.state(**{"blade.rates": RATE})
    options = {"duration": 0.01, "step": 1e-3}

    def ends(time, q, v):
        by_q = np.zeros_like(q)
        by_q[-1, 0] = 1.0
        return q[-1, 0], by_q, np.zeros_like(v)

    for function in (
        lambda: ls.sensitivity(system, state, **options),
        lambda: ls.gradient(system, state, ends, **options),
    ):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            function()
        texts = [str(one.message) for one in said]
        assert sum("turns at " in text for text in texts) == 1
        assert sum("pulled along" in text for text in texts) == 1


def column():
    model = ls.Model("column")
    upright = [[0, 0, -1], [0, 1, 0], [1, 0, 0]]
    strip = ls.beam(1.0, ls.Rectangle(0.02, 0.004), ls.STEEL)
    model.add(strip, ls.Fixed(), rotation=upright, name="strip")
    return model.compile()


def test_a_pressed_column_is_no_mode_of_a_column_at_rest():
    """Beyond its Euler load the column has no frequencies; those of the beam alone are told off."""
    system, loads = column(), [ls.NodeForce("strip.tip", (0, 0, -150.0))]
    for function in (ls.modes, ls.linearize):
        _, texts = told(lambda f=function: f(system, loads=loads))
        assert any("2.8 of its Euler load" in text for text in texts)
    tables, texts = told(
        lambda: ls.mode_sweep(
            lambda force: ls.modes(system, loads=[ls.NodeForce("strip.tip", (0, 0, -force))]),
            [1.0, 100.0, 150.0, 20.0],
        )
    )
    pressed = [text for text in texts if "Euler load" in text]
    assert len(pressed) == 1
    assert pressed[0].startswith("at parameter = 150 (worst of 3 such values): body 'strip'")
    assert len(tables.values) == 4


def test_forces_of_loops_count_among_those_that_press():
    """A strut between a hinge and a slide that a motor pushes; the loop's joint hands it on."""
    model = ls.Model("strut")
    strip = ls.beam(1.0, ls.Rectangle(0.02, 0.004), ls.STEEL, bending=(0, 2))
    model.add(strip, ls.Revolute("y"), name="strut")
    slide = ls.RigidBody.box(1.0, (0.1, 0.1, 0.1))
    model.add(slide, ls.Prismatic("x"), at=(1, 0, 0), name="slide")
    model.close(ls.Revolute("y"), "strut.tip", "slide", name="pin")
    system = model.compile()
    options = {"loads": [ls.Actuator("slide", -400.0)], "held": ["strut"]}
    with pytest.warns(ls.SimulationWarning, match="pressed along its length with 400 N"):
        rest = ls.equilibrium(system, **options)
    for function in (ls.modes, ls.linearize, ls.trim):
        _, texts = told(lambda f=function: f(system, rest, **options))
        assert sum("'strut' is pressed along its length with 400 N" in x for x in texts) == 1


def test_joints_held_or_driven_inside_of_their_stops_are_told():
    """The force that holds them hides that of the stop, and the state looks like a rest."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(2.0, 1.0, com=(0.5, 0, 0)), ls.Revolute("y"), name="arm")
    system, stop = model.compile(), ls.JointStop("arm", -0.5, 0.0, stiffness=2000.0)
    state, hold = system.state(arm=0.7), {"loads": [stop], "held": ["arm"]}
    drive = {"loads": [stop, ls.Motion("arm", 0.7)]}
    for function in (ls.trim, ls.linearize, ls.modes, ls.equilibrium):
        for options in (hold, drive) if function is not ls.trim else (hold,):
            _, texts = told(lambda f=function, o=options: f(system, state, **o))
            (text,) = [x for x in texts if "inside a stop" in x]
            assert text.startswith("joint 'arm' is held 0.7 rad inside a stop")
            assert text.endswith("hold it between the limits, or leave out the stop")
        _, texts = told(lambda f=function: f(system, system.state(arm=-0.1), **hold))
        assert not any("inside a stop" in x for x in texts)
    for function in (ls.trim, ls.equilibrium):  # free joints come to rest on it, or below
        _, texts = told(lambda f=function: f(system, state, loads=[stop]))
        assert not any("inside a stop" in x for x in texts)


def four_bar_with_two_motions(apart):
    """Crank and rocker on given positions, the second beside where the loop has it."""
    model = ls.Model("four-bar")
    model.add(ls.RigidBody.rod(0.3, 0.04, com=(0.02, 0, 0)), ls.Revolute("y"), name="crank")
    link = ls.beam(0.3, ls.Rectangle(0.02, 0.005), ls.STEEL, level="stiffened", bending=3)
    model.add(link, ls.Revolute("y"), to="crank", at=(0.04, 0, 0), name="coupler")
    rocker = ls.RigidBody.rod(0.3, 0.1, com=(0.05, 0, 0))
    model.add(rocker, ls.Revolute("y"), at=(0.28, 0, 0), name="rocker")
    model.close(ls.Revolute("y"), "coupler.tip", "rocker", at_b=(0.1, 0, 0), name="pin")
    system = model.compile()
    start = system.state(crank=-1, coupler=0.8, rocker=-1.9)
    start = ls.assemble(system, start, held="crank")
    loads = [ls.Motion(x, float(start[x][0]) + e) for x, e in (("crank", 0), ("rocker", apart))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return system, ls.assemble(system, start, loads=loads), loads


def test_two_motions_of_one_freedom_are_told_as_by_runs():
    system, state, loads = four_bar_with_two_motions(2e-3)
    calls = [lambda f=f: f(system, state, loads=loads) for f in (ls.linearize, ls.modes)]
    calls.append(lambda: ls.equilibrium(system, state, loads=loads))
    for call in (lambda: ls.simulate(system, state, duration=1e-5, loads=loads), *calls):
        _, texts = told(call)
        (text,) = [x for x in texts if "contradict each other" in x]
        assert "'coupler' by 0.000169 m" in text
    _, texts = told(lambda: ls.mode_sweep(lambda _: calls[1](), [1.0, 2.0, 3.0]))
    assert sum("contradict each other" in x for x in texts) == 1
    system, state, loads = four_bar_with_two_motions(0.0)
    for function in (ls.linearize, ls.modes, ls.equilibrium):
        _, texts = told(lambda f=function: f(system, state, loads=loads))
        assert not any("contradict" in x for x in texts)
