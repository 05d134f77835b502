"""Stresses, envelopes and load tables."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import lissom as ls
from tests.samples.flexible_arms import TUBE, solid_body


def cantilever(section=TUBE, gravity=(0, 0, 0)):
    model = ls.Model("cantilever", gravity=gravity)
    model.add(ls.beam(2.0, section, ls.STEEL), ls.Fixed(), name="beam")
    return model.compile()


def test_a_tip_load_stresses_a_tube_as_bending_torsion_and_pull_say():
    system, rest = cantilever(), None
    rest = np.zeros(system.n_v)
    load = {"beam.tip": [40.0, 0, 0, 300.0, 0, -500.0]}  # twist, pull, push down
    at_root = ls.stress(system, system.neutral(), "beam", 0.0, acceleration=rest, external=load)
    places = TUBE.stress_points().places
    top = int(np.argmax(places[:, 1]))
    pull = 300.0 / TUBE.area + 500.0 * 2.0 * 0.03 / TUBE.second_moment_y
    shear = 40.0 * 0.03 / TUBE.torsion_constant
    assert np.isclose(at_root[top, 0], pull, rtol=1e-12)
    assert np.isclose(ls.von_mises(at_root)[top], np.sqrt(pull**2 + 3 * shear**2), rtol=1e-12)
    principal = ls.principal_stresses(at_root)[top]
    half = np.hypot(pull / 2, shear)
    assert np.allclose(principal, [pull / 2 + half, 0.0, pull / 2 - half], atol=1e-6 * pull)


def test_a_run_gives_the_stresses_of_its_states():
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(ls.beam(2.0, TUBE, ls.STEEL), ls.Revolute("y"), name="beam")
    system = model.compile()
    force = ls.NodeForce("beam.tip", force=(0.0, 0.0, 20.0))
    run = ls.simulate(system, duration=0.2, loads=[force], output_step=0.05)
    t = run.time[2]
    turn = ls.pose(system, run.state(t), "beam.tip").rotation
    external = {"beam.tip": [0, 0, 0, *(turn.T @ [0, 0, 20.0])]}
    here = ls.stress(system, run.state(t), "beam", external=external)
    assert np.allclose(run.stress("beam")[2], here, rtol=1e-6, atol=1.0)
    worst = ls.von_mises(here).max(axis=1)
    assert np.allclose(run.along("beam", "stress")[2], worst, rtol=1e-6, atol=1.0)
    assert run["beam.stress"][2] == run.along("beam", "stress")[2].max()
    assert run["beam.tip.stress"][2] == run.along("beam", "stress", 2.0)[2]


def test_stress_of_solids_is_linear_in_the_modes_and_survives_files(tmp_path):
    body = solid_body()
    model = ls.Model("solid", gravity=(0, 0, -9.81))
    model.add(body, ls.Revolute("y"), name="part")
    run = ls.simulate(model.compile(), duration=0.2, output_step=0.05)
    points = body.recovery.points
    eta = run["part.modes"] @ body.transform.T  # the given amplitudes
    expected = np.einsum("pcm,nm->npc", points.stresses, eta)
    assert np.allclose(run.stress("part"), expected, atol=1e-6)
    von_mises = ls.von_mises(expected)
    assert np.allclose(run["part.stress"], von_mises.max(axis=1))
    assert np.allclose(run["part.tip.stress"], von_mises[:, 0])
    loads = np.einsum("scm,nm->nsc", body.recovery.stations.loads, eta)
    assert np.allclose(run.along("part", "section_moment"), loads[:, :, 3:])
    run.save(tmp_path / "run.nc")
    again = ls.Trajectory.load(tmp_path / "run.nc")
    assert np.array_equal(again["part.stress"], run["part.stress"])
    assert np.array_equal(again.along("part", "stress", [1]), run.along("part", "stress", [1]))
    assert again.system.fingerprint == run.system.fingerprint


def test_interface_loads_and_reactions_agree_in_all_axes():
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(ls.beam(1.0, TUBE, ls.STEEL), ls.Revolute("y"), name="beam")
    model.add(
        ls.RigidBody.box(3.0, (0.1, 0.2, 0.3), com=(0.1, 0, 0)),
        ls.Revolute("x"),
        to="beam.tip",
        name="tool",
    )
    system = model.compile()
    start = system.state(beam=0.3, tool=0.5, **{"tool.rates": 4.0})
    run = ls.simulate(system, start, duration=0.1, output_step=0.05)
    axes = run["tool.rotation"]
    force = np.einsum("nij,nj->ni", axes, run["tool.reaction"][:, 3:])
    assert np.allclose(run["tool.reaction_world"][:, 3:], force)
    parent = np.einsum("nji,nj->ni", run["beam.rotation"], force)
    assert np.allclose(run["tool.reaction_parent"][:, 3:], parent)
    assert np.allclose(run["beam.tip.interface_load"][:, 3:], -parent)
    # the hinge is at the node, so that the moments are opposite, too
    assert np.allclose(run["beam.tip.interface_load_world"], -run["tool.reaction_world"], atol=1e-9)
    tip = run.along("beam", "section_force", 1.0)  # section axes turn with the bending
    assert np.allclose(np.linalg.norm(tip, axis=1), np.linalg.norm(force, axis=1))
    t = run.time[1]
    found = ls.joint_forces(system, run.state(t), axes="parent")[1]
    assert np.allclose(found, run["tool.reaction_parent"][1], rtol=1e-6, atol=1e-6)
    with pytest.raises(ls.StateError, match="axes is \"tool\"|axes is 'tool'"):
        ls.joint_forces(system, run.state(t), axes="tool")


def test_the_envelope_has_the_largest_values_with_time_and_place(tmp_path):
    system = cantilever(gravity=(0, 0, -9.81))
    force = ls.NodeForce("beam.tip", force=(0.0, 0.0, -800.0))
    run = ls.simulate(system, duration=0.1, loads=[force], output_step=0.01)
    envelope = run.envelope("beam.section_moment", "beam.stress", "beam.reaction")
    moment, worst = run.along("beam", "section_moment")[:, :, 1], envelope["beam.section_moment.y"]
    row, place = np.unravel_index(np.argmax(moment), moment.shape)
    assert (worst.largest, worst.largest_time) == (moment.max(), run.time[row])
    assert worst.largest_place == f"{2.0 * place / 24:.6g} m" and worst.unit == "N m"
    assert worst.smallest == moment.min()
    assert envelope["beam.stress"].largest == run["beam.stress"].max()
    assert {one.name for one in run.envelope()} >= {one.name for one in envelope}
    envelope.save(tmp_path / "envelope.csv")
    with open(tmp_path / "envelope.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[1]["largest"]) == worst.largest
    lines = repr(envelope).splitlines()  # components below their load, where that is narrower
    assert max(map(len, lines)) <= 80 and lines[1] == "beam.section_moment"
    assert lines[3].split()[:2] == ["y", "N"]
    assert "beam.section_moment.y" in envelope._repr_html_()
    with pytest.raises(ls.StateError, match="the envelope has no 'beam.stres'"):
        envelope["beam.stres"]


def test_a_load_table_says_units_axes_and_signs(tmp_path):
    system = cantilever(gravity=(0, 0, -9.81))
    run = ls.simulate(system, duration=0.1, output_step=0.01)
    run.load_table(tmp_path / "loads.csv", "beam.reaction", "beam.section_force", times=[0.0, 0.05])
    lines = (tmp_path / "loads.csv").read_text().splitlines()
    notes = [line for line in lines if line.startswith("# ")]
    assert "body axes" in notes[1] and "from its joint" in notes[1] and "pull" in notes[2]
    rows = list(csv.DictReader(lines[len(notes) :]))
    assert [float(row["time [s]"]) for row in rows] == [0.0, 0.05]
    assert float(rows[1]["beam.reaction.force_z [N]"]) == run["beam.reaction"][5, 5]
    with pytest.raises(ls.ResultError, match=r"expected a name that ends in .csv"):
        run.load_table(tmp_path / "loads.txt")
    with pytest.raises(ls.StateError):
        run.load_table(tmp_path / "loads.csv", times=["soon"])


def test_what_has_no_stress_is_named():
    model = ls.Model("rigid")
    model.add(ls.RigidBody(1.0), ls.Fixed(), name="tool")
    system = model.compile()
    run = ls.simulate(system, duration=0.01, output_step=0.01)
    with pytest.raises(ls.StateError, match="'tool' has no stress"):
        run["tool.stress"]
    with pytest.raises(ls.StateError, match="'tool' has no sections"):
        ls.stress(system, system.neutral(), "tool")
    with pytest.raises(ls.StateError, match=r"stress must be an array \(..., 6\)"):
        ls.von_mises(np.zeros((2, 5)))


def test_a_saved_model_knows_the_sections_of_its_beams(tmp_path):
    model = ls.Model("cantilever", gravity=(0, 0, -9.81))
    model.add(ls.beam(2.0, TUBE, ls.STEEL), ls.Fixed(), name="beam")
    model.save(tmp_path / "model.toml")
    found = [
        ls.section_loads(system, system.neutral(), "beam", [0.0, 0.7])
        for system in (model.compile(), ls.load(tmp_path / "model.toml").compile())
    ]
    assert np.array_equal(*found)
    text = (tmp_path / "model.toml").read_text()
    start = text.index("line_sizes")
    end = text.index("\n", start)
    (tmp_path / "model.toml").write_text(text[:start] + "line_sizes = [900, 1, 5]" + text[end:])
    with pytest.raises(ls.ModelFileError, match=r"\(900, 1, 5\) nodes, pieces"):
        ls.load(tmp_path / "model.toml")


def test_interface_loads_of_a_bar_on_two_supports_are_those_of_the_lever(tmp_path):
    """A force at the middle node: its share at the tip is a / L, at the root the rest."""
    bar = ls.frame(
        [(0, 0, 0), (0.3, 0, 0), (1, 0, 0)],
        [ls.Member(k, k + 1, TUBE, ls.STEEL) for k in range(2)],
        interfaces={"root": 0, "middle": 1, "tip": 2},
        modes=2,
    )
    model = ls.Model("bar")
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Revolute("z"), name="base")
    model.add(bar, ls.Revolute("y"), to="base", name="bar")
    model.add(ls.RigidBody(1e-3), ls.Prismatic("x"), to="base", at=(1, 0, 0), name="slide")
    model.close(ls.Revolute("y"), "bar.tip", "slide", name="support")
    system = model.compile()
    force = ls.NodeForce("bar.middle", force=(0, 0, -500.0))
    rest = ls.equilibrium(system, system.state(base=0.5), loads=[force])
    still = np.zeros(system.n_v)
    turn = ls.pose(system, rest, "bar.middle").rotation
    given = {
        "acceleration": still,
        "external": {"bar.middle": [0, 0, 0, *(turn.T @ [0, 0, -500.0])]},
        "actuated": ["base", "bar"],
    }
    expected = {"root": 500.0 * 0.7, "middle": -500.0, "tip": 500.0 * 0.3}
    run = ls.simulate(system, rest, duration=1e-3, output_step=1e-3, loads=[force])
    for node, lift in expected.items():
        wanted = np.array([0, 0, 0, 0, 0, lift])
        for axes in ("world", "parent"):  # the base turns about z
            found = ls.interface_load(system, rest, f"bar.{node}", **given, axes=axes)
            assert np.allclose(found, wanted, atol=1e-3)
            assert np.allclose(run[f"bar.{node}.interface_load_{axes}"], wanted, atol=0.05)
        body = ls.interface_load(system, rest, f"bar.{node}", **given)
        own = ls.pose(system, rest, "bar").rotation
        assert np.allclose(own @ body[3:], wanted[3:], atol=1e-3)
        assert np.allclose(run[f"bar.{node}.interface_load"][0], body, atol=0.05)
    envelope = run.envelope("bar.tip.interface_load_parent")
    assert envelope["bar.tip.interface_load_parent.force_z"].largest == pytest.approx(150, abs=0.05)
    run.load_table(tmp_path / "loads.csv", "bar.tip.interface_load_parent")
    assert "parent's axes; on the body from all" in (tmp_path / "loads.csv").read_text()
    for wrong, words in (({"axes": "node"}, "axes is 'node'"), ({"where": "ground"}, "ground")):
        with pytest.raises(ls.StateError, match=words):
            ls.interface_load(system, rest, **{"where": "bar.tip", **wrong})
