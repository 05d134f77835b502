"""Links that are pulled, pressed or bent too much for their model are named."""

import re
import warnings

import numpy as np
import pytest

import lissom as ls
from lissom.sim.warnings.linear_limits import CLAMPED, FREE_TIP, PINNED, axial_scale, euler_load
from tests.references.elastica import bent_cantilever

STRIP = ls.Rectangle(0.02, 0.004)
UPRIGHT = np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])
STIFFNESS = ls.STEEL.youngs_modulus * STRIP.second_moment_y


def hanging(parts, load, angle=np.pi / 2 - 0.01):
    """Strip of a metre in some parts on a hinge, with a load [N] at its end."""
    model = ls.Model("strip", gravity=(0, 0, -9.81))
    piece = ls.beam(1.0 / parts, STRIP, ls.STEEL, bending=(1, 3), torsion=0, stretch=0, damping=0.0)
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
    scale = axial_scale(system.bodies[0])[0]
    euler = euler_load(system.bodies[0], FREE_TIP)
    assert f"({scale if word == 'pulled' else euler:.3g} N)" in text
    assert warning.filename == __file__


@pytest.mark.filterwarnings("ignore:body .* turns at")
def test_a_pulled_link_falls_over_and_the_parts_that_are_asked_for_hang():
    """Theory: a string with a heavy bob swings as a pendulum does, at sqrt(g / L) = 3.1 rad/s."""
    system, start = hanging(1, 130.0)
    with pytest.warns(ls.SimulationWarning, match="pulled") as caught:
        run = ls.simulate(system, start, duration=0.4, output_step=0.01)
    assert np.abs(run["strip0.angle"] - np.pi / 2).max() > 0.5  # it was let go at 0.01
    asked = [re.search(r"into (\d+) or more", str(x.message)) for x in caught]
    system, start = hanging(max(int(x[1]) for x in asked if x), 130.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = ls.simulate(system, start, duration=2.2, output_step=0.01, rtol=1e-5)
    # explicit steps would be limited by stability: a hundred thousand of them
    assert run.statistics["implicit_time"] > 2.1 and run.statistics["steps"] < 10000
    x = run["bob.position"][:, 0]
    assert np.abs(x).max() < 0.0105
    crossing = np.flatnonzero(np.diff(np.sign(x)))
    half = np.diff(run.time[crossing])[0]
    assert np.isclose(np.pi / half, np.sqrt(9.81), rtol=0.02)


@pytest.mark.parametrize(
    ("ends", "expected"),
    [(FREE_TIP, np.pi**2 / 4), (PINNED, np.pi**2), (CLAMPED, 4.4934**2)],
    ids=["free tip", "pinned", "clamped and pinned"],
)
@pytest.mark.parametrize("modes", [4, 8])
def test_euler_loads_of_a_rod(ends, expected, modes):
    """S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability: from above, nearer with modes."""
    model = ls.Model()
    model.add(ls.beam(0.5, STRIP, ls.STEEL, bending=modes), ls.Fixed(), name="strip")
    found = euler_load(model.compile().bodies[0], ends) * 0.5**2 / STIFFNESS
    assert 0.995 < found / expected < (1.02 if modes == 4 else 1.01)


def column(joint=None, **beam):
    """A strip of a metre, root at the origin, pointing upwards."""
    model = ls.Model("column")
    body = ls.beam(1.0, STRIP, ls.STEEL, modes=8, **beam)
    model.add(body, joint or ls.Fixed(), rotation=UPRIGHT, name="column")
    return model.compile()


EULER = np.pi**2 * STIFFNESS / 4  # of the cantilever


@pytest.mark.parametrize("function", ["equilibrium", "simulate"])
def test_a_column_beyond_its_euler_load_is_named_at_rest_and_in_motion(function):
    system, load = column(), [ls.NodeForce("column.tip", (0, 0, -3 * EULER))]
    call = {
        "equilibrium": lambda: ls.equilibrium(system, loads=load),
        "simulate": lambda: ls.simulate(system, duration=1e-3, loads=load),
    }[function]
    with pytest.warns(ls.SimulationWarning) as caught:
        call()
    (warning,) = caught
    text = str(warning.message)
    assert f"pressed along its length with {3 * EULER:.3g} N" in text
    assert float(re.search(r"\), (\S+) of its Euler load", text)[1]) == pytest.approx(3, rel=0.02)
    assert "level 'full'" in text and warning.filename == __file__
    assert ("at rest" in text) == (function == "equilibrium")


def test_a_column_that_floats_has_two_free_ends():
    """Pressed between forces at both ends: no joint carries anything; pi^2 EI / L^2."""
    system = column(ls.Free())
    press = 2 * np.pi**2 * STIFFNESS
    loads = [ls.NodeForce("column.tip", (0, 0, -press)), ls.NodeForce("column", (0, 0, press))]
    with pytest.warns(ls.SimulationWarning, match="pressed along its length") as caught:
        ls.simulate(system, duration=1e-4, loads=loads)
    ratio = float(re.search(r"\), (\S+) of its Euler load", str(caught[0].message))[1])
    assert ratio == pytest.approx(2.0, rel=0.05)


def test_a_rod_between_two_pins_in_a_loop_has_their_euler_load():
    """Root and tip pinned, the tip on a guide on which a force presses."""
    model = ls.Model("press")
    model.add(ls.beam(1.0, STRIP, ls.STEEL, modes=8), ls.Revolute("y"), name="rod")
    model.add(ls.RigidBody(0.1, inertia=(1e-3, 1e-3, 1e-3)), ls.Prismatic("x"), name="ram")
    model.close(ls.Revolute("y"), "rod.tip", "ram", name="pin")
    system = model.compile()
    press = 0.5 * np.pi**2 * STIFFNESS
    state = ls.assemble(system, system.state(ram=1.0), held=["rod"])
    loads = [ls.NodeForce("ram", (-press, 0, 0))]
    with pytest.warns(ls.SimulationWarning, match="'rod' is pressed") as caught:
        ls.equilibrium(system, state, loads=loads)
    ratio = float(re.search(r"\), (\S+) of its Euler load", str(caught[0].message))[1])
    assert ratio == pytest.approx(0.5, rel=0.05)


def test_a_tenth_of_the_length_is_where_deflections_are_off_by_a_per_cent():
    """What is warned of is off by more than a per cent, and nothing is said of less."""
    system = column()
    for part, said in ((0.09, False), (0.11, True), (1.32, True)):
        force = 3 * part * STIFFNESS
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            state = ls.equilibrium(system, loads=[ls.NodeForce("column.tip", (force, 0, 0))])
        moved = ls.pose(system, state, "column.tip").position[0]
        assert moved == pytest.approx(part, rel=5e-3)
        assert (part / bent_cantilever(force=3 * part)[0] - 1 > 0.01) == said
        texts = [str(x.message) for x in caught if "deflects" in str(x.message)]
        assert bool(texts) == said and len(texts) <= 1
        if said:
            assert f"{100 * moved:.3g} % of its length (at rest)" in texts[0]


def test_a_load_beyond_reason_is_not_answered_by_thousands_of_parts():
    for level, word, force in (
        ("full", "pulled", (0, 0, 1e5 * EULER)),
        ("stiffened", "deflects", (30 * STIFFNESS, 0, 0)),
    ):
        with pytest.warns(ls.SimulationWarning, match=word) as caught:
            ls.equilibrium(column(level=level), loads=[ls.NodeForce("column.tip", force)])
        assert str(caught[0].message).endswith(
            "100 parts in a row would be needed: check the loads and the run"
        )


def test_a_run_names_the_worst_of_a_chain_and_the_others():
    model = ls.Model("whip")
    piece = ls.beam(0.5, ls.Rectangle(0.02, 0.001), ls.STEEL, modes=2)
    for k in range(3):
        to = f"p{k - 1}.tip" if k else None
        model.add(piece, ls.Fixed(), to=to, name=f"p{k}")
    system = model.compile()
    given = {f"p{k}.modes": [x, 0.0] for k, x in enumerate((0.06, 0.1, 0.08))}
    with pytest.warns(ls.SimulationWarning, match="deflects by") as caught:
        ls.simulate(system, system.state(**given), duration=1e-3)
    (text,) = [str(x.message) for x in caught if "deflects" in str(x.message)]
    assert text.startswith("body 'p1'") and text.endswith("(also 'p0', 'p2')")


def test_bodies_of_imported_modes_are_looked_at():
    """Nodes of a frame, which is no rod: a cantilever of its compliance stands for it."""
    positions = np.array([[0, 0, 0], [1.0, 0, 0], [1, 0.4, 0], [0, 0.4, 0]])
    shapes = np.zeros((4, 6, 1))
    shapes[1:3, 5, 0] = 1.0
    body = ls.FlexibleBody(positions, np.full(4, 0.25), shapes, [[400.0]], names={"corner": 2})
    model = ls.Model()
    model.add(body, ls.Fixed(), name="frame")
    system = model.compile()
    with pytest.warns(ls.SimulationWarning, match="'frame' deflects by 0.25 m"):
        ls.equilibrium(system, loads=[ls.NodeForce("frame.corner", (0, 0, 100.0))])
    length = np.hypot(1.0, 0.4)
    with pytest.warns(ls.SimulationWarning, match="'frame' is pressed along") as caught:
        push = -np.array([1.0, 0.4, 0]) / length * 400.0 * length
        ls.equilibrium(system, loads=[ls.NodeForce("frame.corner", push)])
    ratio = float(re.search(r"\), (\S+) of its Euler load", str(caught[0].message))[1])
    assert ratio == pytest.approx(12 / np.pi**2, rel=0.02)


def test_all_bodies_that_spin_too_fast_are_named_in_one_warning():
    model = ls.Model("wheel")
    model.add(ls.RigidBody.cylinder(1.0, 0.1, 0.1), ls.Revolute("z"), name="hub")
    soft = ls.beam(2.0, ls.Rectangle(0.02, 0.002), ls.ALUMINIUM, bending=2, torsion=0, stretch=0)
    stiff = ls.beam(0.2, ls.Rectangle(0.02, 0.02), ls.ALUMINIUM, bending=2, torsion=0, stretch=0)
    for k, body in enumerate((soft, soft, soft, stiff)):
        model.add(body, ls.Fixed(), to="hub", name=f"blade{k}")
    system = model.compile()
    with pytest.warns(ls.SimulationWarning) as caught:
        ls.simulate(system, system.state(**{"hub.rates": 3.0}), duration=0.05)
    (text,) = [str(x.message) for x in caught if "turns at" in str(x.message)]
    assert text.startswith("body 'blade") and text.endswith("')")
    assert all(f"'blade{k}'" in text for k in range(3)) and "blade3" not in text
