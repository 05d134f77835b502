"""Baumgarte's constants, one pair for each loop and coupling (C 4.16)."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls

RATES = {"left": 20.0, "right": 50.0, "gear": 30.0}  # critically damped
STIFFNESS = {name: rate**2 for name, rate in RATES.items()}
DAMPING = {name: 2 * rate for name, rate in RATES.items()}
OPEN = 1e-7  # counts as closed [m]
BLOCK = ls.RigidBody.box(2.0, (0.1, 0.2, 0.3))


def three_holds():
    """Three blocks that nothing couples: two welded to the ground in loops, one held by a gear."""
    model = ls.Model("three")
    for y, name in enumerate(("one", "two", "three")):
        model.add(BLOCK, ls.Prismatic("x"), at=(0, y, 0), name=name)
    model.close(ls.Fixed(), None, "one", name="left")
    model.close(ls.Fixed(), None, "two", at_a=(0, 1, 0), name="right")
    model.couple({"three": 1.0}, name="gear")
    return model


SETTINGS = {"duration": 0.1, "step": 1e-3, "integrator": "rk4"}


@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_each_loop_closes_at_its_own_rate(method):
    system = three_holds().compile()
    off = system.state(one=OPEN, two=OPEN, three=OPEN)
    drift = ls.Baumgarte(STIFFNESS, DAMPING)
    run = ls.simulate(system, off, drift=drift, method=method, **SETTINGS)
    for body, loop in zip(system.names, RATES, strict=True):
        x = RATES[loop] * run.time
        assert np.abs(run[body][:, 0] / OPEN - (1 + x) * np.exp(-x)).max() < 1e-6, loop


def test_one_number_is_the_same_as_the_number_of_each():
    system = three_holds().compile()
    off = system.state(one=OPEN, three=-OPEN)
    named = ls.Baumgarte(dict.fromkeys(RATES, 400.0), 40.0)
    one, each = (
        ls.simulate(system, off, drift=drift, **SETTINGS)
        for drift in (ls.Baumgarte(400.0, 40.0), named)
    )
    assert np.array_equal(one.q, each.q)


def test_gains_are_copied_and_cannot_be_changed():
    given = dict(STIFFNESS)
    drift = ls.Baumgarte(given, 40.0)
    given["left"] = 1.0
    assert drift.stiffness == STIFFNESS
    with pytest.raises(TypeError, match="read-only"):
        drift.stiffness["left"] = 1.0


@pytest.mark.parametrize(
    ("stiffness", "damping", "words"),
    [
        ({"left": 0.0}, 1.0, r"stiffness of 'left' is 0\.0; expected a positive number \[1/s\^2\]"),
        (1.0, {"left": "a"}, r"damping of 'left' is 'a'; expected a positive number \[1/s\]"),
        ({3: 1.0}, 1.0, "stiffness contains 3; expected names of loops"),
        (
            DAMPING | {"rihgt": 1.0},
            1.0,
            "stiffness: there is no loop or coupling 'rihgt'; did you mean 'right'",
        ),
        (1.0, {"left": 1.0}, "damping has no number for 'right', 'gear'; give one for each loop"),
    ],
)
def test_mistakes_name_the_loop(stiffness, damping, words):
    system = three_holds().compile()
    with pytest.raises(ls.LoadError, match=f"Baumgarte: {words}"):
        ls.simulate(system, drift=ls.Baumgarte(stiffness, damping), **SETTINGS)


@pytest.mark.parametrize("suffix", ["toml", "json", "yaml"])
def test_gains_of_loops_are_kept_in_model_files(suffix, tmp_path):
    path = tmp_path / f"three.{suffix}"
    drift = ls.Baumgarte(STIFFNESS, 40.0)
    three_holds().save(path, simulation={"duration": 1.0, "drift": drift})
    assert ls.load_run(path).settings["drift"] == drift


def test_a_file_with_gains_of_unknown_loops_is_refused_where_they_stand(tmp_path):
    path = tmp_path / "three.toml"
    three_holds().save(path, simulation={"duration": 1.0, "drift": ls.Baumgarte(DAMPING, 40.0)})
    path.write_text(path.read_text().replace("gear = 60.0", "gaer = 60.0"))
    with pytest.raises(ls.ModelFileError, match="no loop or coupling 'gaer'; did you mean 'gear'"):
        ls.load_run(path)
    path.write_text(path.read_text().replace("gaer = 60.0", "gear = -60.0"))
    with pytest.raises(ls.ModelFileError, match="-60.0; it must be positive"):
        ls.load_run(path)
