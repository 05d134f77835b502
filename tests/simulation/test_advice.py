"""Who does what a warning asks for gets no warning, and the answer to a per cent."""

import re
import warnings

import numpy as np
import pytest

import lissom as ls
from tests.references.elastica import bent_cantilever, buckled_cantilever

STRIP = ls.Rectangle(0.02, 0.004)
UPRIGHT = np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])
STIFFNESS = ls.STEEL.youngs_modulus * STRIP.second_moment_y  # of a metre
EULER = np.pi**2 * STIFFNESS / 4  # of the cantilever


def column(parts, gravity=(0, 0, 0), **asked):
    """An upright cantilever of a metre in some parts, default shapes; and its tip."""
    model, to = ls.Model("column", gravity=gravity), None
    piece = ls.beam(1.0 / parts, STRIP, ls.STEEL, **asked)
    for k in range(parts):
        turn = np.eye(3) if k else UPRIGHT
        model.add(piece, ls.Fixed(), to=to, rotation=turn, name=f"p{k}")
        to = f"p{k}.tip"
    return model.compile(), to


def at_rest(parts, force=(0, 0, 0), moment=(0, 0, 0), gravity=(0, 0, 0), state=None, **asked):
    """Position of the tip."""
    system, tip = column(parts, gravity, **asked)
    start = None if state is None else state(system)
    load = ls.NodeForce(tip, force, moment=moment)
    return ls.pose(system, ls.equilibrium(system, start, loads=[load]), tip).position


def asked_for(what, word, **given):
    """Numbers that the warnings about one beam name: `what` is "into" or "bending="."""
    with pytest.warns(ls.SimulationWarning, match=word) as caught:
        at_rest(1, **given)
    found = [re.search(rf"{what} ?(\d+) or more", str(x.message)) for x in caught]
    return max(int(x[1]) for x in found if x)


def silently(parts, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return at_rest(parts, **given)


@pytest.mark.parametrize("level", ["full", "stiffened"])
@pytest.mark.parametrize(
    "loads",
    [
        {"force": 0.45},
        {"force": 1.2},
        {"moment": 0.6},
        {"weight": 2.0},
        {"force": 2.0, "moment": -1.0},
    ],
    ids=["force", "large force", "moment", "weight", "an S"],
)
def test_parts_that_are_asked_for_bend_as_the_elastica_does(loads, level):
    """One body is off by more than 3 %."""
    exact = bent_cantilever(**loads)
    dense = ls.STEEL.density * STRIP.area
    given = {
        "force": (loads.get("force", 0.0) * STIFFNESS, 0, 0),
        "moment": (0, loads.get("moment", 0.0) * STIFFNESS, 0),
        "gravity": (loads.get("weight", 0.0) * STIFFNESS / dense, 0, 0),
    }
    parts = asked_for("into", "deflects by", level=level, **given)
    shapes = {"bending": 2} if level == "stiffened" else {}
    moved = silently(parts, level=level, **shapes, **given)[[0, 2]]
    assert moved[0] == pytest.approx(exact[0], rel=0.01)
    assert moved[1] == pytest.approx(exact[1], abs=0.003)
    with pytest.warns(ls.SimulationWarning, match="deflects by"):
        one = at_rest(1, **given)[[0, 2]]
    assert np.linalg.norm(one - exact) > 0.03 * exact[0]


def small_push(part):
    """A force with a small part q across, F along; how far the tip goes.

    Timoshenko and Gere: q (tan k - k) / k³ EI, F = k² EI; pulled q (k - tanh k) / k³ EI.
    """
    k, q = np.pi / 2 * np.sqrt(abs(part)), 1e-4 * (1 + abs(part))
    moved = q * (np.tan(k) - k if part > 0 else k - np.tanh(k)) / k**3
    return (q * STIFFNESS, 0, -part * EULER), moved


@pytest.mark.parametrize("part", [0.15, 0.6, -0.2, -3.0])
def test_parts_that_are_asked_for_bend_as_a_beam_with_an_axial_force(part):
    force, exact = small_push(part)
    word = "pressed" if part > 0 else "pulled"
    parts = asked_for("into", word, force=force)
    assert silently(parts, force=force)[0] == pytest.approx(exact, rel=0.01)
    with pytest.warns(ls.SimulationWarning, match=word):
        one = at_rest(1, force=force)[0]
    assert abs(one / exact - 1) > 0.1


@pytest.mark.parametrize("part, shapes", [(0.5, 3), (0.95, 3), (-5.0, 3), (-30.0, 4), (-300.0, 5)])
def test_the_level_and_shapes_that_are_asked_for_too(part, shapes):
    force, exact = small_push(part)
    found = asked_for("bending=", "pressed" if part > 0 else "pulled", force=force)
    assert found == shapes
    moved = silently(1, force=force, level="stiffened", bending=found)[0]
    assert moved == pytest.approx(exact, rel=0.01)


def bent(system):
    """Start near the rest of a buckled column, for speed: all parts with the curvature 2 / m."""
    body, length = system.bodies[0], 1.0 / len(system.bodies)
    tip = body.node_shapes[body.node_names["tip"]][[5, 1]]
    modes = np.linalg.lstsq(tip, [-(length**2), 2 * length], rcond=None)[0]
    return system.state(**{f"{name}.modes": modes for name in system.names})


def test_parts_that_are_asked_for_buckle():
    """Beyond its Euler load one body at level "stiffened" has no rest: it is not advised."""
    part = 1.3
    force = (1e-5 * STIFFNESS, 0, -part * EULER)
    with pytest.warns(ls.SimulationWarning, match="would buckle") as caught:
        at_rest(1, force=force)
    assert not any("stiffened" in str(x.message) for x in caught)
    parts = asked_for("into", "pressed", force=force)
    moved = silently(parts, force=force, state=bent)
    assert moved[0] == pytest.approx(buckled_cantilever(part), rel=0.01)


def rod_between_pins(parts, press, weight):
    """Deflection of the middle of a rod of a metre, pressed, with a weight [N/m] across."""
    gravity = (0, 0, -weight / (ls.STEEL.density * STRIP.area))
    model, to = ls.Model("rod", gravity=gravity), None
    piece = ls.beam(1.0 / parts, STRIP, ls.STEEL, elements=24)
    for k in range(parts):
        model.add(piece, ls.Fixed() if k else ls.Revolute("y"), to=to, name=f"p{k}")
        to = f"p{k}.tip"
    ram = ls.RigidBody(1e-9, inertia=(1e-9, 1e-9, 1e-9))
    model.add(ram, ls.Prismatic("x"), name="ram")
    model.close(ls.Revolute("y"), to, "ram", name="pin")
    system = model.compile()
    start = ls.assemble(system, system.state(ram=1.0), held=["p0"])
    rest = ls.equilibrium(system, start, loads=[ls.NodeForce("ram", (-press, 0, 0))])
    middle = f"p{(parts - 1) // 2}.{12 if parts % 2 else 24}"
    return -ls.pose(system, rest, middle).position[2]


def test_parts_that_are_asked_for_between_pins():
    """Timoshenko and Gere: q L⁴ / EI times (2 sec u - 2 - u²) / 32 u⁴, u² = F L² / 4 EI."""
    part, weight = 0.15, 1e-3 * STIFFNESS
    u = np.pi / 2 * np.sqrt(part)
    exact = 1e-3 * (2 / np.cos(u) - 2 - u * u) / (32 * u**4)
    press = part * np.pi**2 * STIFFNESS
    with pytest.warns(ls.SimulationWarning, match="pressed") as caught:
        one = rod_between_pins(1, press, weight)
    assert abs(one / exact - 1) > 0.1
    parts = int(re.search(r"into (\d+) or more", str(caught[0].message))[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rod_between_pins(parts, press, weight)
    assert found == pytest.approx(exact, rel=0.01)
