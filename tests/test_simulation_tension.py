"""Links that are pulled or pressed too much for their model are named; what is asked for helps."""

import re
import warnings

import numpy as np
import pytest

import lissom as ls
from lissom.sim.tension import axial_scale

STRIP = ls.Rectangle(0.02, 0.004)
STIFFNESS = ls.STEEL.youngs_modulus * STRIP.second_moment_y


def hanging(parts, load, angle=np.pi / 2 - 0.01):
    """Strip of a metre in some parts on a hinge, with a load [N] at its end."""
    model = ls.Model("strip", gravity=(0, 0, -9.81))
    piece = ls.beam(1.0 / parts, STRIP, ls.STEEL, modes=4, damping=0.0)
    model.add(piece, ls.Revolute("y"), name="strip0")
    for k in range(1, parts):
        model.add(piece, ls.Fixed(), to=f"strip{k - 1}.tip", name=f"strip{k}")
    bob = ls.RigidBody(load / 9.81, inertia=(1e-3, 1e-3, 1e-3))
    model.add(bob, ls.Fixed(), to=f"strip{parts - 1}.tip", name="bob")
    system = model.compile()
    return system, system.state(strip0=angle)


@pytest.mark.parametrize("length", [0.5, 2.0])
def test_scale_of_a_cantilever(length):
    """The force is 3EI/L², by the softer of both directions."""
    body = ls.beam(length, STRIP, ls.STEEL, modes=8)
    model = ls.Model()
    model.add(body, ls.Fixed(), name="strip")
    scale, along = axial_scale(model.compile().bodies[0])
    assert np.isclose(scale, 3 * STIFFNESS / length**2, rtol=5e-3)
    assert np.allclose(along, (1, 0, 0))


@pytest.mark.parametrize(("angle", "word"), [(np.pi / 2, "pulled"), (-np.pi / 2, "pressed")])
def test_a_link_that_is_pulled_or_pressed_too_much_is_named(angle, word):
    system, start = hanging(1, 100.0, angle)
    with pytest.warns(ls.SimulationWarning) as caught:
        ls.simulate(system, start, duration=1e-3)
    (warning,) = caught
    text = str(warning.message)
    weight = 100.0 + 9.81 * system.bodies[0].mass
    assert text.startswith(f"body 'strip0' is {word} along its length with {weight:.3g} N")
    assert f"({axial_scale(system.bodies[0])[0]:.3g} N)" in text
    assert warning.filename == __file__


@pytest.mark.filterwarnings("ignore:body .* turns at")
def test_a_pulled_link_falls_over_and_the_parts_that_are_asked_for_hang():
    """Theory: a string with a heavy bob swings as a pendulum does, at sqrt(g / L) = 3.1 rad/s."""
    system, start = hanging(1, 130.0)
    with pytest.warns(ls.SimulationWarning, match="pulled") as caught:
        run = ls.simulate(system, start, duration=0.4, output_step=0.01)
    assert np.abs(run["strip0.angle"] - np.pi / 2).max() > 0.5  # it was let go at 0.01
    parts = int(re.search(r"into (\d+) or more", str(caught[-1].message))[1])
    system, start = hanging(parts, 130.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = ls.simulate(system, start, duration=2.2, output_step=0.01)
    x = run["bob.position"][:, 0]
    assert np.abs(x).max() < 0.0105
    crossing = np.flatnonzero(np.diff(np.sign(x)))
    half = np.diff(run.time[crossing])[0]
    assert np.isclose(np.pi / half, np.sqrt(9.81), rtol=0.02)
