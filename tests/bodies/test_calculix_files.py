"""CalculiX's files: decks, matrices and results against what the solver itself says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app
from lissom.errors import ModelError, ModelFileError
from lissom.io.structures.calculix.body import read_structure
from lissom.io.structures.mesh import mesh_structure
from tests.references.calculix_decks import DECKS, ELL, FORCE, mesh, text, unpacked
from tests.samples.nastran_files import DATA as NASTRAN

ENDS = {"root": "ROOT", "tip": {"where": "TIP", "tie": "average"}}


@pytest.fixture(scope="module")
def decks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: unpacked(name, tmp_path_factory.mktemp(name)) for name in DECKS}


@pytest.fixture
def bracket(tmp_path: Path) -> Path:
    """A copy to damage."""
    return unpacked("bracket", tmp_path)


def scale_matrices(deck: Path) -> None:
    """Matrices beside a deck in mm, t and s: N/m and kg are 1e3 times N/mm and t."""
    for suffix in (".sti", ".mas"):
        path = deck.with_suffix(suffix)
        rows = [x.split() for x in path.read_text().splitlines()]
        path.write_text("".join(f"{i} {j} {float(x) / 1e3:.13e}\n" for i, j, x in rows))


def free_rows(structure) -> np.ndarray:
    return ~np.isin(structure.freedoms[:, 0], structure.interfaces["root"].nodes)


@pytest.mark.parametrize("name", DECKS)
def test_frequencies_are_those_of_the_solver(decks: dict[str, Path], name: str) -> None:
    expected = [x.value for x in ls.read_frd(decks[name].parent / "held.frd").named("DISP")]
    body = ls.read_calculix(decks[name], interfaces=ENDS, method="cantilever", modes=6)
    np.testing.assert_allclose(body.frequencies, expected, rtol=2e-9)
    volume = len(DECKS[name][1]) * np.prod(DECKS[name][2])
    assert body.mass == pytest.approx(2700 * volume, rel=1e-12)


@pytest.mark.parametrize("name", DECKS)
def test_static_displacements_are_those_of_the_solver(decks: dict[str, Path], name: str) -> None:
    found = read_structure(decks[name], ENDS)
    free, tip = free_rows(found), found.interfaces["tip"].nodes
    force = np.zeros(found.n_freedom)
    for k, (node, direction) in enumerate(found.freedoms):
        force[k] = FORCE[direction - 3] / len(tip) if node in tip else 0.0
    moved = np.zeros(found.n_freedom)
    moved[free] = np.linalg.solve(found.stiffness.toarray()[np.ix_(free, free)], force[free])
    (expected,) = ls.read_frd(decks[name].parent / "pull.frd").named("DISP")
    moved = moved.reshape(-1, 3)[: len(expected.values)]  # inner nodes of C3D8I are the last
    assert np.abs(moved - expected.values).max() < 5e-6 * np.abs(expected.values).max()


@pytest.mark.parametrize("name, rtol", (("bracket", 1e-6), ("block_c3d10", 1e-3)))
def test_a_deck_alone_has_elements_of_ours(decks, name, rtol, tmp_path) -> None:
    """Those of CalculiX but for the mass of tetrahedra, which it integrates with fewer points."""
    alone = Path(shutil.copy(decks[name], tmp_path))
    expected = [x.value for x in ls.read_frd(decks[name].parent / "held.frd").named("DISP")]
    body = ls.read_calculix(alone, interfaces=ENDS, method="cantilever", modes=6)
    np.testing.assert_allclose(body.frequencies, expected, rtol=rtol)
    assert body.recovery.points.labels[0] == "node 1"
    with pytest.raises(ModelFileError, match="no stored matrices"):
        ls.read_calculix(alone, interfaces=ENDS, matrices=tmp_path / "other")


def test_stored_matrices_stiffen_as_the_elements_of_the_deck(decks, tmp_path) -> None:
    """Stress stiffness comes from the elements in both; those without twin have none."""
    alone = Path(shutil.copy(decks["bracket"], tmp_path))
    first, second = (
        ls.read_calculix(
            path, interfaces={"root": "ROOT", "tip": "TIP"}, modes=2, level="stiffened"
        ).normalised()
        for path in (decks["bracket"], alone)
    )
    expected = np.abs(first.second_order.second_moment)
    found = np.abs(second.second_order.second_moment)  # shapes may have other signs
    np.testing.assert_allclose(found, expected, atol=1e-4 * expected.max())
    with pytest.raises(ModelError, match="stress stiffness is not known"):
        ls.read_calculix(decks["block_c3d8i"], interfaces=ENDS, level="stiffened")


def test_elements_without_twin_need_matrices(decks: dict[str, Path], tmp_path: Path) -> None:
    alone = shutil.copy(decks["block_c3d8i"], tmp_path)
    with pytest.raises(ModelError, match="no elements of ours for 'C3D8I'; let the solver store"):
        ls.read_calculix(alone, interfaces=ENDS)
    assert ls.read_calculix(decks["block_c3d8i"], interfaces=ENDS, modes=2).recovery is None


def test_stresses_of_elements_are_those_of_the_solver(decks: dict[str, Path]) -> None:
    """At the nodes of tetrahedra; CalculiX extrapolates those of C3D20 from other points."""
    found = read_structure(decks["block_c3d10"], ENDS)
    free, tip = free_rows(found), found.interfaces["tip"].nodes
    at_tip = np.isin(found.freedoms[:, 0], tip)
    force = np.where(at_tip, np.array(FORCE)[found.freedoms[:, 1] - 3] / len(tip), 0.0)
    moved = np.zeros(found.n_freedom)
    moved[free] = np.linalg.solve(found.stiffness.toarray()[np.ix_(free, free)], force[free])
    points = found.recovery(moved[:, None]).points
    on_nodes = points.nodes >= 0
    (stress,) = ls.read_frd(decks["block_c3d10"].parent / "pull.frd").named("STRESS")
    expected = stress.ordered()[points.nodes[on_nodes]]
    error = np.abs(points.stresses[on_nodes, :, 0] - expected).max()
    assert error < 1e-5 * np.abs(expected).max()


def test_stresses_of_modes_are_those_of_the_solver(decks: dict[str, Path]) -> None:
    """But for a factor, which is free for a mode; rigid content and other results do no harm."""
    for name in DECKS:
        files = [decks[name].parent / x for x in ("held.frd", "pull.frd")]
        body = ls.read_calculix(
            decks[name], interfaces=ENDS, stresses=files, method="cantilever", modes=4
        )
        for k, mode in enumerate(ls.read_frd(files[0]).named("STRESS")[:4]):
            found, wanted = body.recovery.points.stresses[:, :, k], mode.ordered()
            factor = (found * wanted).sum() / (wanted**2).sum()
            assert np.abs(found - factor * wanted).max() < 1e-4 * np.abs(found).max()
        assert (body.recovery.points.elasticity == (70e9, 0.33)).all()


def test_stresses_that_results_do_not_explain_are_refused(decks: dict[str, Path]) -> None:
    pull = decks["bracket"].parent / "pull.frd"
    with pytest.raises(ModelError, match=r"explain shape \d+ of bracket.inp but for"):
        ls.read_calculix(decks["bracket"], interfaces=ENDS, stresses=pull, modes=4)
    other = decks["block_c3d10"].parent / "held.frd"
    with pytest.raises(ModelFileError, match="results of another mesh"):
        ls.read_calculix(decks["bracket"], interfaces=ENDS, stresses=other, modes=4)


def test_millimetres_and_tonnes_give_the_same_body(bracket: Path) -> None:
    deck = text("C3D20", ELL, DECKS["bracket"][2], scale=1e3, material=("70e3", "0.33", "2.7e-9"))
    expected = read_structure(bracket, ENDS)
    bracket.write_text(deck)
    scale_matrices(bracket)
    found = read_structure(bracket, ENDS, units="mm-t-s")
    np.testing.assert_allclose(found.positions, expected.positions, atol=1e-12)
    for name in ("mass", "stiffness"):
        a, b = getattr(found, name), getattr(expected, name)
        assert abs(a - b).max() < 1e-12 * abs(b).max()
    deck = ls.read_inp(bracket, units="mm-t-s")
    assert deck.materials["ALUMINIUM"].youngs_modulus == pytest.approx(70e9)
    assert deck.materials["ALUMINIUM"].density == pytest.approx(2700)


def test_surface_is_closed_and_holds_the_volume(decks: dict[str, Path]) -> None:
    for name, (_, cells, size) in DECKS.items():
        found = read_structure(decks[name], ENDS)
        corners = found.positions[found.surface.triangles]
        volume = np.linalg.det(corners).sum() / 6
        assert volume == pytest.approx(len(cells) * np.prod(size), rel=1e-12)


def test_reference_node_of_a_rigid_body_is_an_interface(tmp_path: Path) -> None:
    """Two particles on a rigid body, as the solver writes it: six rows of two nodes."""
    (tmp_path / "x.inp").write_text(
        "*NODE\n7, 1., 2., 3.\n8, 1., 2., 3.\n*RIGID BODY, NSET=N, REF NODE=7, ROT NODE=8\n"
    )
    (tmp_path / "x.dof").write_text("".join(f"{n}.{d}\n" for n in (7, 8) for d in (1, 2, 3)))
    diagonal = (5, 5, 5, 1, 2, 3)
    (tmp_path / "x.mas").write_text("".join(f"{k} {k} {m}.\n" for k, m in enumerate(diagonal, 1)))
    (tmp_path / "x.sti").write_text("".join(f"{k} {k} 0.\n" for k in range(1, 7)))
    found = read_structure(tmp_path / "x.inp", {"root": 7})
    assert found.freedoms.tolist() == [[0, k] for k in range(6)]
    assert found.mass.diagonal().tolist() == [1, 2, 3, 5, 5, 5]
    assert found.interfaces["root"].tie == "node"


DECK = """** comment
*Heading
 anything
*node, nset=All
1, 0, 0, 0
2, 1.5D0, , 0
 3, 0., 1.,
4,0.,0.,1.
*INCLUDE, INPUT=more.inc
*ELEMENT, TYPE=C3D4,
ELSET=Solid
10, 1, 2, 3,
4
*NSET, NSET=few
All
*NSET, NSET=odd, GENERATE
1, 9, 2
*ELSET, ELSET=both
Solid, 11
*SURFACE, NAME=base
both, S1
*SURFACE, NAME=top, TYPE=NODE
odd, 4
*MATERIAL, NAME=Steel
*ELASTIC
210e9, .3
*DENSITY
7800.,
*MATERIAL, NAME=Wood
*ELASTIC, TYPE=ORTHO
1,2,3,4,5,6,7,8
*SOLID SECTION, ELSET=both, MATERIAL=Steel
*EQUATION
2
1,1,1.,2,1,-1.
*STEP
*STATIC
*CLOAD
1, 1, 5.
*END STEP
"""


def test_deck_is_read_and_what_is_not_used_is_listed(tmp_path: Path) -> None:
    (tmp_path / "x.inp").write_text(DECK)
    (tmp_path / "more.inc").write_text("5, 1, 1, 1\n*ELEMENT, TYPE=C3D4\n11, 2, 3, 4, 5\n")
    deck = ls.read_inp(tmp_path / "x.inp")
    assert deck.numbers.tolist() == [1, 2, 3, 4, 5]
    assert deck.positions[1].tolist() == [1.5, 0, 0]
    assert [x.numbers.tolist() for x in deck.cells] == [[11, 10]]
    ((shape, nodes),) = deck.blocks
    assert shape == "tetra" and nodes.tolist() == [[1, 2, 3, 4], [0, 1, 2, 3]]
    sets = {name: (members + 1).tolist() for name, members in deck.node_sets.items()}
    assert sets == {"ALL": [1, 2, 3, 4, 5], "FEW": [1, 2, 3, 4, 5], "ODD": [1, 3, 5]}
    assert deck.element_sets["BOTH"].tolist() == [10, 11]
    assert deck.group("base").tolist() == [1, 2, 3, 4]
    assert deck.group("TOP").tolist() == [1, 3, 4, 5]
    ((shape, numbers, _, material),) = deck.solids()
    assert (shape, numbers.tolist(), material.density) == ("tetra", [11, 10], 7800.0)
    assert deck.unused == (
        "line 33 *EQUATION",
        "line 36 *STEP",
        "line 37 *STATIC",
        "line 38 *CLOAD",
        "line 17 *NSET: 2 numbers do not exist",
        "line 30 *ELASTIC TYPE=ORTHO",
        "line 29 *MATERIAL WOOD, which has no *ELASTIC",
    )


def test_shells_and_beams_are_numbers_and_nodes_may_follow_elements(tmp_path: Path) -> None:
    (tmp_path / "x.inp").write_text(
        "*ELEMENT, TYPE=S4R, ELSET=E\n1, 1, 2, 3, 4\n*ELEMENT, TYPE=B31\n2, 1, 2\n"
        "*SURFACE, NAME=TOP\nE, SPOS\n*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n"
    )
    deck = ls.read_inp(tmp_path / "x.inp")
    assert [(x.kind, x.shape) for x in deck.cells] == [("S4R", "quad"), ("B31", "line")]
    assert deck.unused == ("line 6 *SURFACE: faces of S4R",) and deck.solids() == []


TETRA = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4\n"
WRONG = [
    ("1,2,3", 1, "begins with a keyword"),
    ("*NODE\n1,0,x,0", 2, "'x' found; expected a coordinate"),
    ("*NODE\n1,0,inf,0", 2, "finite number"),
    ("*NODE\n1000000000000,0,0,0", 2, "from 1 to 2000000000"),
    ("*NODE\n1,0,0,0\n1,1,0,0", 3, "node 1 has two places"),
    ("*NODE\n1,0,0,0,0", 2, "5 words found"),
    ("*HEADING\nx", 0, "there are no nodes"),
    (TETRA + "*ELEMENT,TYPE=C3D44\n", 8, "did you mean 'C3D4'"),
    (TETRA + "*ELEMENT\n", 8, "has no TYPE"),
    (TETRA + "*ELEMENT,TYPE=C3D4\n2,1,2,3\n", 9, "element with 3 nodes found; C3D4 has 4"),
    (TETRA + "*ELEMENT,TYPE=C3D4\n2,1,2,3,5\n", 9, "names node 5"),
    (TETRA + "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n", 9, "is there twice"),
    (TETRA + "*NSET,NSET=A\n1,9\n", 9, "no node 9"),
    (TETRA + "*NSET,NSET=A\nB\n", 9, "neither a number nor an earlier set"),
    (TETRA + "*NSET,NSET=A,GENERATE\n1,2000000000\n", 9, "2000000000 numbers are generated"),
    (TETRA + "*NSET,NSET=A,GENERATE\n5,1\n", 9, "0 numbers are generated"),
    (TETRA + "*SURFACE,NAME=A\n1,S5\n", 9, "expected a face S1 to S4 of C3D4"),
    (TETRA + "*ELASTIC\n1,2\n", 8, "belongs to no"),
    (TETRA + "*MATERIAL,NAME=A\n*ELASTIC\n1\n", 10, "expected modulus and Poisson's ratio"),
    (TETRA + "*MATERIAL,NAME=A\n*ELASTIC\n1,.9\n*DENSITY\n1\n", 8, "at most 0.5"),
    (TETRA + "*NGEN\n1,2\n", 8, "is not read; write all nodes"),
    (TETRA + "*INCLUDE,INPUT=x.inp\n", 8, "include each other"),
    (TETRA + "*INCLUDE\n", 8, "include of no file"),
    (TETRA + "*RIGID BODY,NSET=A,REF NODE=9\n", 8, "REF NODE 9 is not defined"),
    ("\x00*NODE", 1, "byte 0 is zero: a binary file"),
    ("", 0, "the file is empty"),
]


@pytest.mark.parametrize(("content", "line", "message"), WRONG)
def test_decks_that_cannot_be_read(tmp_path: Path, content: str, line: int, message: str) -> None:
    path = tmp_path / "x.inp"
    path.write_text(content)
    with pytest.raises(ModelFileError, match=message) as caught:
        ls.read_inp(path)
    assert f"{path}:{line}:" in str(caught.value) if line else f"{path}: " in str(caught.value)


def test_a_deck_of_nodes_alone_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nodes.inp"
    path.write_text("*NODE, NSET=ALL\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n")
    with pytest.raises(ModelError, match="nodes.inp: the mesh has no solid element"):
        ls.read_calculix(path, interfaces={"root": "ALL"})


def test_includes_are_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("sword, fish\n")
    (tmp_path / "x.inp").write_text("*NODE\n*INCLUDE, INPUT=secret\n")
    with pytest.raises(ModelFileError) as caught:
        ls.read_inp(tmp_path / "x.inp")
    assert "secret:1:" in str(caught.value) and "sword" not in str(caught.value).lower()


def _lines(path: Path, change) -> None:
    lines = path.read_text().splitlines()
    path.write_text("\n".join(change(lines)) + "\n")


DAMAGES = [
    (".dof", lambda x: x[:-3], r"bracket.mas:\d+:1: entry .* the 201 rows of"),
    (".dof", lambda x: [*x[:4], "one", *x[5:]], "bracket.dof:5:1: 'one' found"),
    (".dof", lambda x: [*x[:4], *x[3:]], "bracket.dof:5:1: .* is there twice"),
    (".dof", lambda x: ["99.1", *x[1:]], "bracket.dof:1:1: row 99.1 is no translation"),
    (".sti", lambda x: x[: len(x) // 2], "entries on the diagonal"),
    (".sti", lambda x: [*x[:9], "1 2", *x[10:]], "bracket.sti:10:1: expected row, column"),
    (
        ".sti",
        lambda x: [*x[:9], "1 2 nan", *x[10:]],
        "bracket.sti:10:1: entry .* is nan; expected a finite",
    ),
    (".sti", lambda x: [*x[:9], "1 999999999999 2.", *x[10:]], "bracket.sti:10:1: entry"),
    (".mas", lambda x: [*x, x[0]], r"bracket.mas:\d+:1: entry \(1, 1\) is .* each place once"),
    (
        ".mas",
        lambda x: [*x[:9], "5 1 2.", *x[10:]],
        r"bracket.mas:10:1: entry \(5, 1\) is 2; expected one triangle",
    ),
    (".inp", lambda x: [y.replace("0.04,", "0.05,") for y in x], "a rigid rotation about"),
]


@pytest.mark.parametrize(("suffix", "change", "message"), DAMAGES)
def test_damaged_and_mixed_up_files(bracket: Path, suffix: str, change, message: str) -> None:
    _lines(bracket.with_suffix(suffix), change)
    with pytest.raises(ModelFileError, match=message):
        read_structure(bracket, ENDS)


def test_matrices_of_a_held_body_are_refused(bracket: Path) -> None:
    """Rows of the nodes ROOT are missing, as *BOUNDARY leaves them out."""
    whole = read_structure(bracket, ENDS)
    rows = [x.split(".") for x in bracket.with_suffix(".dof").read_text().split()]
    root = set((ls.read_inp(bracket).node_sets["ROOT"] + 1).tolist())
    kept = [k for k, (node, _) in enumerate(rows) if int(node) not in root]
    bracket.with_suffix(".dof").write_text("".join(f"{rows[k][0]}.{rows[k][1]}\n" for k in kept))
    order = {(n, d): k for k, (n, d) in enumerate(whole.freedoms.tolist())}
    place = [order[int(rows[k][0]) - 1, int(rows[k][1]) + 2] for k in kept]
    for suffix, matrix in ((".sti", whole.stiffness), (".mas", whole.mass)):
        dense = matrix.toarray()[np.ix_(place, place)]
        pairs = [(i, j) for j in range(len(place)) for i in range(j + 1)]
        lines = [f"{i + 1} {j + 1} {dense[i, j]:.13e}" for i, j in pairs]
        bracket.with_suffix(suffix).write_text("\n".join(lines) + "\n")
    _lines(bracket, lambda x: [*x[:-4], "*BOUNDARY", "ROOT, 1, 3", *x[-4:]])
    with pytest.raises(ModelFileError, match=r"a rigid .* \(line \d+ \*BOUNDARY in .*without"):
        read_structure(bracket, {"tip": "TIP"})


INTERFACES = [
    ({"root": "ROO"}, "no node set or surface 'ROO'; did you mean 'ROOT'"),
    ({"root": 1}, "node 1 of .* has three freedoms, an interface has six"),
    ({"root": [1, 2]}, "bracket.inp has 2 nodes, which do not span an area"),
    ({"root": [1, 2, "x"]}, "a list of node numbers, whole numbers"),
    ({"root": 3.5}, "a list of node numbers, whole numbers"),
    ({"root": {"where": "ROOT", "ties": "rigid"}}, "interface 'root' has 'ties'"),
    ({"root": {"where": "ROOT", "at": (1, 2)}}, "expected three finite numbers"),
    ({"root": lambda x: x}, "its function returns"),
    ({"root": lambda x: x[:, 0] > 9}, "has no nodes in .*bracket.inp; name at least one"),
    ({"root": "ROOT", "tip": [1, 20, 30]}, "'root' and 'tip' have node 1 of .* in common"),
    ("ROOT", "expected names and nodes"),
]


@pytest.mark.parametrize(("given", "message"), INTERFACES)
def test_interfaces_that_do_not_fit(decks: dict[str, Path], given, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_structure(decks["bracket"], given)


def test_interfaces_of_all_forms_are_the_same(decks: dict[str, Path]) -> None:
    numbers = ls.read_inp(decks["bracket"]).group("root")
    forms = [
        "root",
        numbers,
        numbers.tolist(),
        lambda x: x[:, 0] < 1e-9,
        SimpleNamespace(where="ROOT", tie="rigid", at=None),
    ]
    for form in forms:
        found = read_structure(decks["bracket"], {"root": form}).interfaces["root"]
        np.testing.assert_array_equal(found.nodes, np.sort(numbers) - 1)
        np.testing.assert_allclose(found.position, [0, 0.015, 0.015], atol=1e-12)
        assert found.tie == "rigid"


def test_matrices_and_stresses_that_are_not_there(bracket: Path) -> None:
    with pytest.raises(ModelFileError, match="path is 3"):
        read_structure(bracket, ENDS, stresses=3)
    bracket.with_suffix(".dof").unlink()
    with pytest.raises(ModelFileError, match="no stored matrices; write them with .FREQUENCY"):
        read_structure(bracket, ENDS)


def test_info_says_what_is_in_a_file(decks: dict[str, Path]) -> None:
    shown = CliRunner().invoke(app, ["info", str(decks["bracket"])]).output
    for words in ("68 within 0.12 x 0.03 x 0.09", "5 C3D20", "TIP (8)", "line 93 *STEP"):
        assert words in shown
    shown = CliRunner().invoke(app, ["info", str(NASTRAN / "frame.bdf"), "--json"]).output
    assert json.loads(shown)["matrices"] == "KAAX (18 rows), MAAX (18 rows)"


RESULTS = [
    (lambda x: x[: len(x) // 2], "without its last line 9999: it is cut"),
    (lambda x: x[:-1], "without its last line 9999"),
    (lambda x: ["", *x], "which begin with 1C"),
    (lambda x: [y.replace("          68", "999999999999") for y in x], "from 0 to 2000000000"),
    (lambda x: [y.replace("          68", "  1999999999") for y in x], "1999999999 nodes are ann"),
    (lambda x: [y[:13] + "         NaN" + y[25:] if y[:5] == " -1  " else y for y in x], "finite"),
]


@pytest.mark.parametrize(("change", "message"), RESULTS)
def test_damaged_results(bracket: Path, change, message: str) -> None:
    path = bracket.parent / "held.frd"
    _lines(path, change)
    with pytest.raises(ModelFileError, match=message):
        ls.read_frd(path)


def test_elements_of_the_samples_have_positive_volume() -> None:
    for kind in ("C3D4", "C3D6", "C3D8"):
        places, elements = mesh(kind, ELL, (1.0, 1.0, 1.0))
        for nodes in elements:
            x = places[np.array(nodes) - 1]
            last = {4: 3, 6: 3, 8: 4}[len(nodes)]
            assert np.linalg.det([x[1] - x[0], x[2] - x[0], x[last] - x[0]]) > 0


@pytest.mark.skipif(shutil.which("ccx") is None, reason="CalculiX is not installed")
def test_recorded_files_are_those_of_the_solver_here(tmp_path: Path) -> None:
    from tests.verify_calculix import compared

    assert compared("C3D8I", tmp_path) < 2e-9


def test_faces_of_different_sizes_meet_at_their_centroid_with_and_without_matrices(
    decks, tmp_path
) -> None:
    """The L of five equal faces at y = 0, three along x and two more along z at its end."""
    ell = {"root": lambda x: x[:, 1] < 1e-9}
    dx, _, dz = DECKS["bracket"][2]
    centroid = [(0.5 + 1.5 + 3 * 2.5) / 5 * dx, 0.0, (3 * 0.5 + 1.5 + 2.5) / 5 * dz]
    stored = read_structure(decks["bracket"], ell).interfaces["root"]
    shutil.copy(decks["bracket"], tmp_path)
    ours = read_structure(tmp_path / "bracket.inp", ell).interfaces["root"]
    for found in (stored, ours):
        np.testing.assert_allclose(found.position, centroid, atol=1e-12)
    np.testing.assert_allclose(stored.weights, ours.weights, rtol=1e-12)
    nodes = ls.read_inp(decks["bracket"]).positions
    assert abs(nodes[nodes[:, 1] < 1e-9].mean(axis=0) - centroid).max() > 1e-3


def ring(path: Path, kind: str = "C3D8", scale: float = 1.0) -> Path:
    """Deck of a ring about z, bore 10 mm in radius, whose nodes are denser on one side."""
    angles = np.linspace(0, 2 * np.pi, 25)[:-1]
    angles = angles + 0.4 * np.sin(angles)
    radii, heights = (0.01, 0.015, 0.02), (0.0, 0.01)
    numbers = {
        (i, j, k): 100 + len(radii) * len(angles) * k + len(angles) * j + i
        for k in range(2)
        for j in range(3)
        for i in range(len(angles))
    }
    lines = ["*NODE"]
    for (i, j, k), n in numbers.items():
        x, y, z = radii[j] * np.cos(angles[i]), radii[j] * np.sin(angles[i]), heights[k]
        lines.append(f"{n}, {scale * x:.15g}, {scale * y:.15g}, {scale * z:.15g}")
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET=EALL")
    turns = [(i, (i + 1) % len(angles)) for i in range(len(angles))]
    for number, (j, (a, b)) in enumerate(((j, t) for j in range(2) for t in turns), 500):
        low = [numbers[a, j, 0], numbers[a, j + 1, 0], numbers[b, j + 1, 0], numbers[b, j, 0]]
        high = [numbers[a, j, 1], numbers[a, j + 1, 1], numbers[b, j + 1, 1], numbers[b, j, 1]]
        lines.append(", ".join(map(str, [number, *low, *high])))
    for name, j in (("BORE", 0), ("RIM", 2)):
        lines += [f"*NSET, NSET={name}", *(str(n) for (_, m, _), n in numbers.items() if m == j)]
    lines += ["*MATERIAL, NAME=STEEL", "*ELASTIC", "2.1e11, 0.3", "*DENSITY", "7850"]
    lines += ["*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL", ""]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.filterwarnings("ignore:.*too stiff in bending")
def test_interface_of_a_bore_with_uneven_nodes_is_on_its_axis(tmp_path: Path) -> None:
    deck = ring(tmp_path / "ring.inp")
    found = read_structure(deck, {"bore": "BORE", "rim": "RIM"})
    read = ls.read_inp(deck)
    mean = np.linalg.norm(read.positions[read.node_sets["BORE"]].mean(axis=0)[:2])
    assert mean > 1e-3  # of a radius of 10 mm
    np.testing.assert_allclose(found.interfaces["bore"].position, [0, 0, 0.005], atol=4e-5)
    pytest.importorskip("meshio")
    ends = {"bore": "BORE", "rim": "RIM"}
    twin = mesh_structure(deck, ls.STEEL, ends).interfaces["bore"]
    np.testing.assert_allclose(found.interfaces["bore"].position, twin.position, atol=1e-15)


@pytest.mark.filterwarnings("ignore:.*too stiff in bending")
def test_labels_of_stresses_have_the_numbers_of_the_deck(tmp_path: Path) -> None:
    pytest.importorskip("meshio")
    deck, ends = ring(tmp_path / "ring.inp"), {"bore": "BORE"}
    body = ls.from_mesh(deck, ls.STEEL, ends, modes=2)
    twin = ls.read_calculix(deck, interfaces=ends, modes=2)
    assert body.recovery.points.labels == twin.recovery.points.labels
    assert body.recovery.points.labels[0] == "node 100"
    assert body.recovery.points.labels[-1].startswith("element 547")
    np.testing.assert_array_equal(body.recovery.points.positions, twin.recovery.points.positions)


@pytest.mark.filterwarnings("ignore:.*too stiff in bending")
@pytest.mark.parametrize("stored", [True, False])
def test_decks_in_other_units_are_told(decks, tmp_path: Path, stored: bool) -> None:
    """A bracket of 120 mm and a rod of 202 mm, read as metres."""
    path = tmp_path / "bracket.inp"
    if stored:
        shutil.copytree(decks["bracket"].parent, tmp_path, dirs_exist_ok=True)
    path.write_text(
        text("C3D20", ELL, DECKS["bracket"][2], scale=1e3, material=("70e3", "0.33", "2.7e-9"))
    )
    if stored:
        scale_matrices(path)
    said = r"120 m long and waves run through it at about \S+e\+06 m/s.*units is left out"
    with pytest.warns(ls.ModelWarning, match=said) as caught:
        ls.read_calculix(path, interfaces={"root": "ROOT"}, modes=2)
    assert caught[0].filename == __file__
    body = ls.read_calculix(path, interfaces={"root": "ROOT"}, modes=2, units="mm-t-s")
    assert body.mass == pytest.approx(0.486, rel=1e-3)
    assert body.frequencies[0] == pytest.approx(920, rel=1e-2)
    with pytest.warns(
        ls.ModelWarning,
        match="waves run .*, read in m-kg-s; give units= of the file .if it has others",
    ):
        ls.read_calculix(path, interfaces={"root": "ROOT"}, modes=2, units="m-kg-s")


def test_large_bodies_are_silent_where_units_are_named(tmp_path: Path) -> None:
    path = tmp_path / "tower.inp"
    path.write_text(text("C3D20", [(0, 0, k) for k in range(3)], (5.0, 5.0, 40.0)))
    with pytest.warns(ls.ModelWarning, match="120 m long, read in m, kg and s"):
        ls.read_calculix(path, interfaces={"root": "ROOT"}, modes=2)
    ls.read_calculix(path, interfaces={"root": "ROOT"}, modes=2, units="m-kg-s")
