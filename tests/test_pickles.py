"""Objects that hold sections pickle and come back equal; pictures and decks that crashed."""

import copy
import pickle

import numpy as np
import pytest

import lissom as ls
from tests.nastran_samples import DATA

TUBE, THIN = ls.Tube(radius=0.03, thickness=0.003), ls.Tube(radius=0.02, thickness=0.003)


def thinner(x):
    return ls.Tube(radius=0.03 - 0.01 * x, thickness=0.003)


def knee(section, level="full"):
    nodes = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    members = [ls.Member(0, 1, section, ls.STEEL), ls.Member(1, 2, section, ls.STEEL)]
    return ls.frame(nodes, members, interfaces={"root": 0, "tip": 2}, modes=3, level=level)


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
@pytest.mark.parametrize("section", [TUBE, (TUBE, THIN), thinner])
def test_frames_come_back_with_their_stresses(section, again):
    model = ls.Model("crane")
    model.add(knee(section), ls.Fixed(), name="knee")
    system, state = model.compile(), model.compile().state(**{"knee.modes": 1e-3 * np.ones(9)})
    expected = ls.stress(system, state, "knee", acceleration=np.zeros(9))
    for one in (again(model).compile(), again(system), again(state).system):
        found = ls.stress(one, (state.q, state.v), "knee", acceleration=np.zeros(9))
        assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_a_frame_with_a_function_that_cannot_be_pickled_says_so():
    body = knee(lambda x: thinner(x))
    with pytest.raises(ls.ModelError, match="member 0: its section is the function .*lambda.*def"):
        pickle.dumps(body)
    assert copy.deepcopy(body).mass == body.mass


def test_modes_of_a_stiffened_frame_move(tmp_path):
    model = ls.Model("crane")
    model.add(knee(TUBE, "stiffened"), ls.Fixed(), name="knee")
    system = model.compile()
    run = ls.modes(system, system.neutral()).animate(0)
    assert 0 < np.abs(run["knee.tip.position"] - run["knee.tip.position"][0]).max() < 1
    run.to_html(tmp_path / "mode.html")


@pytest.mark.parametrize("far", [1e308, 1e30])
def test_meshes_beyond_what_pictures_hold_are_refused(far):
    with pytest.raises(ls.ModelError, match=r"Mesh: vertices.*below 1e\+18 m"):
        ls.solids.Mesh([[0, 0, 0], [1, 0, 0], [0, far, 0]], [[0, 1, 2]])


@pytest.mark.parametrize("line", range(204, 334, 10))
def test_nastran_decks_without_a_line_of_the_mass_are_read_or_refused(tmp_path, line):
    """A missing term makes a mass matrix that is none."""
    lines = (DATA / "frame.bdf").read_text().splitlines(keepends=True)
    path = tmp_path / "frame.bdf"
    path.write_text("".join(lines[:line] + lines[line + 1 :]))
    ends = {"root": 11, "tip": 30}
    try:
        ls.read_nastran(path, mass="MAAX", stiffness="KAAX", interfaces=ends)
    except ls.ModelError as error:
        assert "mass" in str(error) or "MAAX" in str(error)


def test_a_nastran_mass_matrix_that_is_indefinite_is_named(tmp_path):
    lines = (DATA / "frame.bdf").read_text().splitlines(keepends=True)
    path = tmp_path / "frame.bdf"
    path.write_text("".join(lines[:224] + lines[225:]))
    with pytest.raises(ls.ModelError, match="mass matrix is indefinite"):
        ends = {"root": 11, "tip": 30}
        ls.read_nastran(path, mass="MAAX", stiffness="KAAX", interfaces=ends)


def test_regions_and_patches_pickle():
    x = np.random.default_rng(0).random((20, 3))
    for region in (
        ls.regions.plane("x", 0.3, tolerance=0.2),
        ls.regions.box((0, 0, 0), (0.5, 1, 1)),
        ls.regions.cylinder((0.5, 0.5, 0), "z", 0.3),
    ):
        again = pickle.loads(pickle.dumps(ls.Patch(region)))
        assert type(again) is ls.Patch
        assert np.array_equal(pickle.loads(pickle.dumps(region))(x), region(x))
        assert 0 < region(x).sum() < 20
