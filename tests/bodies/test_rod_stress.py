"""Stress of rods against closed forms, and all ways to reach it."""

import numpy as np
import pytest

import lissom as ls
from lissom.viz.scene.motion import Scene
from tests.references.elastica import bent_cantilever

E, STRIP = ls.STEEL.youngs_modulus, ls.Rectangle(0.02, 0.004)


def held(section=STRIP, **asked):
    model = ls.Model("strip")
    model.add(ls.rod(1.0, section, ls.STEEL, **asked), ls.Fixed(), name="rod")
    return model.compile()


def at_rest(system, **load):
    return ls.equilibrium(system, loads=[ls.NodeForce("rod.tip", **load)])


def upper(section=STRIP):
    return int(np.argmax(section.stress_points().places[:, 1]))


def test_a_strip_that_a_moment_rolls_up_has_the_stress_of_its_curvature():
    """Half a circle: sigma = E kappa z at every section."""
    system = held()
    moment = E * STRIP.second_moment_y * np.pi
    rest = at_rest(system, moment=(0, moment, 0))
    tip = ls.pose(system, rest, "rod.tip").position
    assert np.allclose(tip, [0, 0, -2 / np.pi], atol=1e-6)  # rolled down: the upper side is pulled
    stress = ls.stress(system, rest, "rod", [0.0, 0.37, 1.0])
    places = STRIP.stress_points().places
    assert np.allclose(stress[..., 0], E * np.pi * places[:, 1], atol=1e-6 * E * np.pi * 0.002)
    assert np.allclose(stress[..., 1:], 0, atol=1.0)


def test_the_root_of_a_cantilever_bent_far_carries_the_moment_of_its_tip_load():
    """sigma = M / W with the arm of the elastica, a fifth less than the length."""
    system = held(bending=(0, 6), torsion=0)
    bending = E * STRIP.second_moment_y
    force = 2.0 * bending
    _, along = bent_cantilever(force=2.0)
    found = ls.stress(system, at_rest(system, force=(0, 0, -force)), "rod", 0.0)
    expected = force * along * 0.002 / STRIP.second_moment_y
    bent = np.ptp(found[:, 0]) / 2  # the single function of stretch has the mean pull of the rod
    assert bent == pytest.approx(expected, rel=1e-4)
    assert found[upper(), 0] == pytest.approx(expected, rel=1e-3)
    assert 0.7 < along < 0.9


def test_pull_and_torque_of_a_bar():
    bar = ls.Circle(0.01)
    system = held(bar)
    rest = at_rest(system, force=(5e3, 0, 0), moment=(30.0, 0, 0))
    stress = ls.stress(system, rest, "rod", 0.6)
    assert np.allclose(stress[:, 0], 5e3 / bar.area, rtol=1e-6)
    shear = np.hypot(stress[:, 4], stress[:, 5])
    assert np.allclose(shear, 30.0 * 0.01 / bar.torsion_constant, rtol=1e-6)


def test_a_tapered_rod_has_the_stress_of_each_section():
    root, tip = ls.Rectangle(0.03, 0.02), ls.Rectangle(0.02, 0.012)
    system = held((root, tip), bending=(0, 8), stretch=8, torsion=0)
    force = 1e-2 * E * tip.second_moment_y
    rest = at_rest(system, force=(0, 0, -force))
    at = np.array([0.0, 0.31, 0.8])
    stress = ls.stress(system, rest, "rod", at)
    width, height = 0.03 - 0.01 * at, 0.02 - 0.008 * at
    expected = force * (1 - at) * 6 / (width * height**2)
    assert np.allclose(stress[:, upper(), 0], expected, rtol=2e-3)  # bent by 0.3 % of its length
    pulled = ls.stress(system, at_rest(system, force=(1e3, 0, 0)), "rod", at)
    assert np.allclose(pulled[..., 0], 1e3 / (width * height)[:, None], rtol=1e-4)


def test_runs_envelopes_pictures_and_files_know_the_stress_of_rods(tmp_path):
    model = ls.Model("strip", gravity=(0, 0, -9.81))
    model.add(ls.rod(1.0, STRIP, ls.STEEL), ls.Fixed(), name="rod")
    system = model.compile()
    run = ls.simulate(system, duration=0.02, output_step=0.01)
    along = run.along("rod", "stress")
    assert np.allclose(ls.von_mises(run.stress("rod")).max(axis=2), along)
    assert np.array_equal(run["rod.stress"], along.max(axis=1)) and along.max() > 0
    assert np.array_equal(run["rod.tip.stress"], run.along("rod", "stress", 1.0))
    assert run.envelope()["rod.stress"].largest_place == "0 m"
    t = run.time[1]
    assert np.allclose(ls.stress(system, run.state(t), "rod"), run.stress("rod")[1])
    scene = Scene(run, stress=True)
    (body,) = scene.bodies
    places = body.body.rod.places[body.nodes]
    assert np.array_equal(scene.stress(run), run.along("rod", "stress", places))
    run.save(tmp_path / "run.nc")
    again = ls.Trajectory.load(tmp_path / "run.nc")
    assert np.array_equal(again["rod.stress"], run["rod.stress"])
    model.save(tmp_path / "strip.toml")
    loaded = ls.load(tmp_path / "strip.toml").compile()
    assert np.array_equal(ls.stress(loaded, (run.q[1], run.v[1]), "rod"), run.stress("rod")[1])


def test_rods_without_stress_say_why():
    bare = ls.Rod(1.0, (1.0,) * 6, 1.0, (1e-6,) * 3)
    model = ls.Model("rods")
    model.add(bare, ls.Fixed(), name="bare")
    model.add(ls.rod(1.0, STRIP, ls.STEEL, stretch=0), ls.Fixed(), name="stiff")
    system = model.compile()
    run = ls.simulate(system, duration=1e-3, output_step=1e-3)
    for name, words in (("bare", "made of stiffnesses.*ls.rod"), ("stiff", "stretch=1")):
        for call in (
            lambda name=name: ls.stress(system, system.neutral(), name),
            lambda name=name: run.stress(name),
            lambda name=name: run[f"{name}.stress"],
            lambda name=name: run.along(name, "stress"),
            lambda name=name: run.envelope(f"{name}.stress"),
        ):
            with pytest.raises(ls.StateError, match=f"rod '{name}'.*{words}"):
                call()
    with pytest.raises(ls.StateError, match="no beam, rod, frame or solid"):
        run.to_html("none.html", color="stress")
    with pytest.raises(ls.ModelError, match=r"stress_factors has the shape \(3, 6\); give \(k, 3"):
        ls.Rod(1.0, (1.0,) * 6, 1.0, (1e-6,) * 3, stress_factors=np.zeros((3, 6)))
