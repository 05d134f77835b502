"""A boom that spins up beyond its first frequency, in parts, against Exudyn's exact beams."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

import lissom as ls
from tests.references.exudyn_spin_up import PUBLISHED, exact_beams, parts_in_a_row
from tests.references.peers import peer

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def exact():
    """Tip along and across the boom (n, 2) [m], its own error a fifth of a per cent."""
    peer("exudyn")
    return exact_beams(PUBLISHED, elements=32)


def test_the_exact_beams_end_with_the_stretch_of_the_spinning_bar(exact):
    """Of first order in the strain: u = ρA W² L³ / 3 EA."""
    b = PUBLISHED
    stretch = b.line * b.spin**2 * b.length**3 / (3 * b.EA)
    assert b.spin > 1.5 * b.first_frequency
    assert exact[-1, 0] == pytest.approx(stretch, rel=2e-3)


@pytest.mark.parametrize("parts", [8, 16])
@pytest.mark.parametrize("shapes", [(2, 0), (2, 2)], ids=["plane", "space"])
def test_parts_deflect_as_exact_beams_do(exact, parts, shapes):
    """Two shapes a plane in each part, level "stiffened"; `verify_spin_up` has more booms."""
    asked = {"bending": shapes, "torsion": shapes[1] // 2, "stretch": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error", ls.SimulationWarning)
        tip = parts_in_a_row(PUBLISHED, parts, level="stiffened", **asked)
    error = np.abs(tip - exact).max(axis=0)
    assert (error < 3e-3 * np.abs(exact).max(axis=0)).all()


def test_parts_at_level_full_converge_too_but_slowly(exact):
    """In n parts the error falls as 1/n²: what a part leaves out is the square of its length."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ls.SimulationWarning)
        tips = [parts_in_a_row(PUBLISHED, n, level="full")[:, 1] for n in (8, 16)]
    coarse, fine = (np.abs(tip - exact[:, 1]).max() / np.ptp(exact[:, 1]) for tip in tips)
    assert 0.02 < coarse < 0.04 and 3.5 < coarse / fine < 5.5


def test_a_boom_that_bends_too_far_is_right_in_the_parts_that_are_asked_for():
    """In 4 s it deflects by a quarter of its length; one body is off by 2 %."""
    peer("exudyn")
    boom = replace(PUBLISHED, time=4.0)
    exact = exact_beams(boom, elements=32, step=0.005)[:, 1]
    size = np.abs(exact).max()
    with pytest.warns(ls.SimulationWarning, match="deflects by") as said:
        whole = parts_in_a_row(boom, 1, step=0.005, level="stiffened")[:, 1]
    assert np.abs(whole - exact).max() > 0.02 * size
    asked = re.search(r"into (\d+) or more .* bending=(\d+)", str(said[0].message))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ls.SimulationWarning)
        parts = {"parts": int(asked[1]), "bending": int(asked[2])}
        tip = parts_in_a_row(boom, **parts, step=0.005, level="stiffened")[:, 1]
    assert np.abs(tip - exact).max() < 0.01 * size
