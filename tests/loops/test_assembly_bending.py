"""assemble where hinges cannot close loops: least energy, what is told, and what is refused."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.algorithms.loops import assembly
from lissom.algorithms.loops.assembly import AssemblyError
from lissom.cli import app

TURN = ls.Revolute("y")
SECTION = ls.Rectangle(0.02, 0.005)
EA = ls.STEEL.youngs_modulus * 0.02 * 0.005
NEAR = {"crank": -1.0, "coupler": 0.8, "rocker": 1.2}


def chain(lengths=(0.04, 0.3, 0.1), ground=(0.28, 0, 0), make=ls.beam, joint=TURN):
    """Rigid crank, flexible coupler and rocker, whose end is pinned to a point of the ground."""
    model = ls.Model("four-bar")
    crank = ls.RigidBody.rod(0.3, lengths[0], com=(lengths[0] / 2, 0, 0))
    model.add(crank, TURN, name="crank")
    at, carrier = (lengths[0], 0, 0), "crank"
    for name, length in zip(("coupler", "rocker"), lengths[1:], strict=True):
        model.add(make(length, SECTION, ls.STEEL), TURN, to=carrier, at=at, name=name)
        carrier, at = f"{name}.tip", (0, 0, 0)
    model.close(joint, None, carrier, at_a=ground, name="pin")
    return model.compile()


def strain_energy(system, state):
    return ls.energy(system, state).strain


# The least energy


def test_rods_in_a_row_that_are_too_short_share_the_stretch_as_springs_in_series():
    """EA / 2L of the length that is missing; each rod takes its part of the length."""
    system = chain(ground=(0.4404, 0, 0), make=ls.rod)
    with pytest.warns(ls.ModelWarning) as told:
        state = ls.assemble(system, system.state(**NEAR))
    missing, length = 0.4404 - 0.44, 0.4  # the crank is rigid
    energy = EA * missing**2 / (2 * length)
    assert strain_energy(system, state) == pytest.approx(energy, rel=1e-8)
    tips = ls.pose(system, state, "coupler.tip").position
    assert tips == pytest.approx([0.34 + 0.75 * missing, 0, 0], abs=1e-6)
    (text,) = (str(one.message) for one in told)
    for words in ("loop 'pin' stays open by 0.0004 m", "'coupler' by 0.0003 m", "stores 4 J"):
        assert words in text


def test_a_rod_that_is_pressed_into_its_place_buckles():
    """Energy of the elastica, to first order P_cr times the shortening; straight it were 15 J."""
    length, short = 0.5, 2e-4
    model = ls.Model("column")
    model.add(ls.rod(length, SECTION, ls.STEEL), TURN, name="rod")
    slide = ls.CompoundJoint([np.eye(6)[1]])
    model.close(slide, None, "rod.tip", at_a=(length - short, 0, 0), name="seat")
    system = model.compile()
    with pytest.warns(ls.ModelWarning, match="'rod' by 0.0"):
        state = ls.assemble(system)
    EI = ls.STEEL.youngs_modulus * 0.02 * 0.005**3 / 12
    euler = np.pi**2 * EI / length**2
    spent = euler * short - euler**2 * length / (2 * EA)  # it shortens a little before it bends
    assert strain_energy(system, state) == pytest.approx(spent, rel=1e-3)
    assert strain_energy(system, state) < EA * short**2 / (2 * length) / 2


def test_a_point_beside_the_plane_of_a_linkage_bends_it_and_hinges_stay_near():
    system = chain(ground=(0.28, 0.002, 0), make=lambda *args: ls.beam(*args, modes=6))
    start = system.state(**NEAR)
    plane = chain(make=lambda *args: ls.beam(*args, modes=6))
    flat = ls.assemble(plane, plane.state(**NEAR))
    with pytest.warns(ls.ModelWarning, match="'coupler' by 0.00"):
        state = ls.assemble(system, start)
    for name in NEAR:
        assert state[name] == pytest.approx(flat[name], abs=0.02)
    rng = np.random.default_rng(0)  # no closed state nearby has less energy
    for _ in range(5):
        q = state.q + 1e-4 * rng.standard_normal(system.n_q) * np.abs(state.q)
        with warnings.catch_warnings(action="ignore"):
            other = ls.assemble(system, system.state(q))
        hinges = [np.abs(other[name] - state[name]).max() for name in NEAR]
        if max(hinges) < 1e-6:
            assert strain_energy(system, other) > 0.999 * strain_energy(system, state)


def test_modes_without_stiffness_move_at_no_cost():
    """A telescope as a shape: the loop closes by it, and the energy is zero."""
    shapes = np.zeros((2, 6, 1))
    shapes[1, 3, 0] = 1.0
    tube = ls.FlexibleBody(
        positions=[[0, 0, 0], [1, 0, 0]], masses=[1.0, 1.0], shapes=shapes, stiffness=[[0.0]],
        names={"tip": 1},
    )  # fmt: skip
    model = ls.Model("telescope")
    model.add(tube, TURN, name="tube")
    model.close(TURN, None, "tube.tip", at_a=(1.1, 0, 0), name="pin")
    system = model.compile()
    with pytest.warns(ls.ModelWarning, match=r"'tube' by 0.1 m \(10 % of its length, 0 J\)"):
        state = ls.assemble(system)
    assert ls.pose(system, state, "tube.tip").position == pytest.approx([1.1, 0, 0], abs=1e-12)


def test_bodies_do_not_bend_where_hinges_can_do_it_from_elsewhere():
    """Far starts, from which hinges alone may get stuck: nothing may bend, and nothing is said."""
    system = chain()
    rng = np.random.default_rng(2)
    with warnings.catch_warnings(action="error"):
        for _ in range(20):
            guess = dict(zip(NEAR, rng.uniform(-3, 3, 3), strict=True))
            assert strain_energy(system, ls.assemble(system, system.state(**guess))) == 0


# Beyond reason


@pytest.mark.parametrize("make", [ls.beam, ls.rod])
@pytest.mark.parametrize(
    "lengths, ground, gap",
    [
        ((0.04, 0.03, 0.1), (0.28, 0, 0), 0.11),  # 30 mm for 300 mm
        ((0.04, 0.3, 0.1), (280.0, 0, 0), 279.56),  # metres for millimetres
        ((0.04, 0.3, 0.1), (0, 2.8, 0), np.hypot(2.8, 0.16)),  # another axis, ten times too far
        ((40.0, 0.3, 0.1), (0.28, 0, 0), 39.32),  # one length in millimetres
    ],
)
def test_mistakes_of_units_and_axes_are_refused_with_the_gap_of_the_hinges(
    lengths, ground, gap, make
):
    system = chain(lengths, ground, make)
    with pytest.raises(AssemblyError, match="loop 'pin' stays open by") as caught:
        ls.assemble(system, system.state(**NEAR))
    nearest = caught.value.state  # bodies keep their shapes
    assert not any(np.any(nearest[f"{name}.modes"]) for name in ("coupler", "rocker"))
    assert np.linalg.norm(ls.closure(system, nearest).gap) == pytest.approx(gap, rel=5e-3)


def test_the_body_that_would_have_to_give_way_is_named_with_its_energy():
    """A steel rod of 30 mm stretched by 110 mm: EA / 2L of that."""
    model = ls.Model("one rod")
    model.add(ls.rod(0.03, SECTION, ls.STEEL), TURN, name="rod")
    model.close(TURN, None, "rod.tip", at_a=(0.14, 0, 0), name="pin")
    system = model.compile()
    energy = f"{EA * 0.11**2 / 0.06:.3g}"
    with pytest.raises(AssemblyError) as caught:
        ls.assemble(system)
    words = f"would close with body 'rod' strained by 367 % (accepted: 15 %), and {energy} J"
    assert words in str(caught.value)
    assert "also their units" in str(caught.value)


def test_linear_beams_do_not_get_longer_by_bending():
    """Their tips move across the axis only: the chain is too short by 0.4 mm, and stays it."""
    bending = chain(ground=(0.4404, 0, 0), make=lambda *args: ls.beam(*args, modes=6))
    with pytest.raises(AssemblyError, match="which at level 'full' lengthens it by 0.0004 m"):
        ls.assemble(bending, bending.state(**NEAR))


def test_what_the_user_bent_stays():
    """Shapes of the given state are kept, however large, if hinges close the loop."""
    system = chain(make=lambda *args: ls.beam(*args, modes=6))
    modes = np.zeros(6)
    modes[0] = 0.05
    start = system.state(**NEAR, **{"coupler.modes": modes})
    with warnings.catch_warnings(action="error"):
        state = ls.assemble(system, start)
    np.testing.assert_array_equal(state["coupler.modes"], modes)


def test_two_loops_that_contradict_each_other_are_named_though_bodies_are_flexible():
    model = ls.Model("contradiction")
    model.add(ls.rod(1.0, SECTION, ls.STEEL), TURN, name="rod")
    model.close(TURN, None, "rod.tip", at_a=(0, 0, 1), name="up")
    model.close(TURN, None, "rod.tip", at_a=(1, 0, 0), name="ahead")
    system = model.compile()
    with pytest.raises(AssemblyError, match="contradict each other") as caught:
        ls.assemble(system, system.state(rod=-0.7))
    assert set(caught.value.loops) == {"up", "ahead"}


# Everything that rests on assembly


def crank_on_a_motion(ground, make=ls.rod):
    system = chain(ground=ground, make=make)
    return system, [ls.Motion("crank", 0.0)]


def test_runs_and_equilibria_that_assemble_by_themselves_tell_and_refuse_too():
    system, loads = crank_on_a_motion((0.4404, 0, 0))
    with pytest.warns(ls.ModelWarning, match="hinges alone cannot close .*'crank' is held"):
        ls.simulate(system, duration=1e-5, loads=loads)
    with pytest.warns(ls.ModelWarning, match="hinges alone cannot close"):
        ls.equilibrium(system, loads=loads)
    system, loads = crank_on_a_motion((2.8, 0, 0), lambda *x: ls.beam(*x, modes=2))
    for call in (lambda: ls.simulate(system, duration=1e-5, loads=loads),
                 lambda: ls.equilibrium(system, loads=loads)):  # fmt: skip
        with pytest.raises(AssemblyError, match="loop 'pin' stays open"):
            call()


def test_warnings_point_to_the_line_that_asked():
    system, loads = crank_on_a_motion((0.4404, 0, 0))
    for call in (lambda: ls.assemble(system),
                 lambda: ls.assemble(system, loads=loads),
                 lambda: ls.equilibrium(system),
                 lambda: ls.simulate(system, duration=1e-5, loads=loads)):  # fmt: skip
        with pytest.warns(ls.ModelWarning) as told:
            call()
        assert told[0].filename == __file__


FILE = """
lissom = 2
[[parts]]
name = "crank"
body = {{ kind = "rod", mass = "0.3 kg", length = "40 mm", com = ["20 mm", 0, 0] }}
joint = "revolute y"
[[parts]]
name = "coupler"
to = "crank"
at = ["40 mm", 0, 0]
body = {{ kind = "rod", mass = "0.5 kg", length = "300 mm", com = ["150 mm", 0, 0] }}
joint = "revolute y"
[[parts]]
name = "rocker"
at = {at}
joint = "revolute y"
[parts.body]
kind = "beam"
length = "100 mm"
section = {{ kind = "rectangle", width = "20 mm", height = "5 mm" }}
material = "steel"
[[loops]]
name = "pin"
a = "coupler"
at_a = ["{pin}", 0, 0]
b = "rocker.tip"
joint = "revolute y"
[simulation]
duration = "0.1 ms"
{held}
[simulation.state]
crank = "-1 rad"
coupler = "0.8 rad"
rocker = "-1.9 rad"
"""
THERE = '["280 mm", 0, 0]'


@pytest.fixture
def lissom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*words, pin="300 mm", at=THERE, held=""):
        (tmp_path / "bar.toml").write_text(FILE.format(pin=pin, at=at, held=held))
        return CliRunner().invoke(app, [words[0], "bar.toml", *words[1:]])

    return call


@pytest.mark.parametrize("command", [["check"], ["run"], ["run", "--json"]])
def test_commands_refuse_a_file_whose_loop_would_stretch_bodies(lissom, command):
    result = lissom(*command, pin="30 mm")
    assert result.exit_code != 0
    said = result.output if command == ["check"] else str(result.exception)
    assert "loop 'pin' stays open by 0.11 m" in said
    assert lissom(*command).exit_code == 0


def test_commands_tell_of_bodies_that_gave_way(lissom):
    beside = '["280 mm", "1 mm", 0]'
    with warnings.catch_warnings(action="always"):
        assert lissom("check", at=beside).output.endswith("bar.toml: no problems but 1 warning\n")
        (text,) = json.loads(lissom("check", "--json", at=beside).output)["warnings"]
        ran = json.loads(lissom("run", "--json", at=beside).stdout)
    assert "loop 'pin' stays open by" in text and "bent 'rocker' by" in text
    assert ran["warnings"][0] == text and ran["start_moved"]
    assert json.loads(lissom("check", "--json").output)["warnings"] == []


LAW = 'forces = { function = "law.py:pull" }'  # is not there: a check looks up no functions


@pytest.mark.parametrize("extra", ["", LAW])
@pytest.mark.parametrize(
    "check",
    [
        lambda: CliRunner().invoke(app, ["check", "bar.toml"]).exit_code == 0,
        lambda: ls.check_file("bar.toml") == [],
    ],
)
def test_a_check_closes_loops_once_and_tells_of_bodies_that_gave_way(
    lissom, monkeypatch, check, extra
):
    lissom("info", at='["280 mm", "1 mm", 0]', held=extra)
    closings, close = [], assembly._close
    monkeypatch.setattr(assembly, "_close", lambda *x: closings.append(x) or close(*x))
    with pytest.warns(ls.ModelWarning) as told:
        assert check()
    assert len(closings) == 1
    (text,) = {str(one.message) for one in told}
    assert "loop 'pin' stays open by" in text and "bent 'rocker' by" in text


def test_warnings_of_a_check_point_to_the_line_that_asked(lissom):
    lissom("info", at='["280 mm", "1 mm", 0]')
    with pytest.warns(ls.ModelWarning, match="bent 'rocker' by") as told:
        ls.check_file("bar.toml")
    assert {one.filename for one in told} == {__file__}


def test_open_loops_and_settings_are_problems_where_functions_are_not_looked_up(lissom):
    lissom("info", pin="30 mm", held=LAW)
    (problem,) = ls.check_file("bar.toml")
    assert "loop 'pin' stays open by 0.11 m" in problem.message and problem.line
    lissom("info", held=f'{LAW}\nintegrator = "rk4"')  # without a step
    (problem,) = ls.check_file("bar.toml")
    assert "step" in problem.message and problem.line
    assert "bar.toml:" in lissom("check", held=f'{LAW}\nintegrator = "rk4"').output


def test_held_joints_of_a_file_keep_their_values(lissom, tmp_path):
    def first(**options):
        assert lissom("run", **options).exit_code == 0
        return ls.load("bar.nc").state(0)

    assert first()["crank"] != -1.0
    assert first(held='held = ["crank"]')["crank"] == pytest.approx(-1.0, abs=1e-12)
    assert first(held='held = "coupler"')["coupler"] == pytest.approx(0.8, abs=1e-12)
    run = ls.load_run("bar.toml")
    assert run.held == ("coupler",)
    run.save("again.toml")
    assert ls.load_run("again.toml").held == ("coupler",)
    result = lissom("check", held='held = ["crnk"]')
    assert result.exit_code == 1
    assert "bar.toml:30:1: simulation.held: there is no body 'crnk'" in result.output
