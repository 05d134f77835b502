"""Nastran's files: grids and matrices against textbook formulas and files of other libraries."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

import lissom as ls
from lissom.errors import ModelError, ModelFileError, ModelWarning
from lissom.io.structures.nastran.body import read_structure
from tests.samples.nastran_files import DATA, GRIDS, basic, displaced

HOUSE = [6 * k + j for k in range(3) for j in (3, 4, 5, 0, 1, 2)]  # rotations first
ENDS = {"root": 11, "tip": 30}
OP4 = sorted(path.name for path in DATA.glob("*.op4") if "complex" not in path.name)


def house(matrix: np.ndarray) -> np.ndarray:
    return matrix[np.ix_(HOUSE, HOUSE)]


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("name", OP4)
def test_matrices_of_any_output4_form_are_those_written(name: str) -> None:
    found = ls.read_op4(DATA / name)
    assert list(found) == ["KAA", "MAA"]
    for matrix, expected in zip(found.values(), displaced(), strict=True):
        assert relative(matrix.toarray(), expected) < 1e-15


@pytest.mark.parametrize("form", [1, 6])
def test_words_of_eight_bytes(tmp_path: Path, form: int) -> None:
    K = displaced()[0]
    lower = np.tril(K)
    whole = lower + np.tril(K, -1).T
    content = b""

    def record(data: bytes) -> bytes:
        return struct.pack("<i", len(data)) + data + struct.pack("<i", len(data))

    content += record(struct.pack("<4q", 18, 18, form, 2) + b"K".ljust(16))
    for j in range(18):
        values = lower[j:, j]
        content += record(struct.pack("<3q", j + 1, j + 1, len(values)) + values.tobytes())
    content += record(struct.pack("<3qd", 19, 1, 1, 1.0))
    (tmp_path / "k.op4").write_bytes(content)
    expected = whole if form == 6 else lower
    np.testing.assert_array_equal(ls.read_op4(tmp_path / "k.op4")["K"].toarray(), expected)


@pytest.mark.parametrize("file", ["", "dense_text.op4", "nonbigmat_big.op4"])
def test_structure_is_along_basic_axes_with_rotations_first(file: str) -> None:
    names = [(DATA / file, x) for x in ("MAA", "KAA")] if file else ["MAAX", "KAAX"]
    found = read_structure(DATA / "frame.bdf", *names, ENDS)
    places = [x for x, _ in GRIDS.values()]
    np.testing.assert_allclose(found.positions, places, atol=1e-10)
    for matrix, expected in zip((found.stiffness, found.mass), basic(), strict=True):
        assert relative(matrix.toarray(), house(expected)) < 1e-9
    np.testing.assert_array_equal(found.freedoms[:6], [[0, k] for k in range(6)])


def test_differential_stiffness_is_read_as_the_stiffness() -> None:
    with pytest.warns(ModelWarning, match="not name stress nothing"):
        found = read_structure(
            DATA / "frame.bdf", "MAAX", "KAAX", ENDS, stress_stiffness={"tip force x": "KAAX"}
        )
    assert relative(found.geometry.nodes["tip", 3].toarray(), found.stiffness.toarray()) == 0
    for given, words in (
        ({"tip force x": "KDGG"}, "stress stiffness of 'tip force x': .* has no DMIG matrix"),
        ({"tpi force x": "KAAX"}, "did you mean 'tip force x'"),
        ("KAAX", "give matrices by load"),
    ):
        with pytest.raises(ModelError, match=words):
            read_structure(DATA / "frame.bdf", "MAAX", "KAAX", ENDS, stress_stiffness=given)


def test_short_fields_have_the_digits_that_fit() -> None:
    found = ls.read_bulk(DATA / "frame_short.bdf")
    assert found.numbers.tolist() == list(GRIDS)
    np.testing.assert_allclose(found.positions, [x for x, _ in GRIDS.values()], atol=1e-6)


def test_body_has_the_frequencies_of_its_matrices() -> None:
    mass, stiffness = ((DATA / "bigmat_little.op4", name) for name in ("MAA", "KAA"))
    body = ls.read_nastran(
        DATA / "frame.bdf",
        mass=mass,
        stiffness=stiffness,
        interfaces={"root": 11},
        method="cantilever",
        modes=5,
    )
    K, M = (x[6:, 6:] for x in basic())
    expected = np.sqrt(eigh(K, M, eigvals_only=True)[:5]) / (2 * np.pi)
    np.testing.assert_allclose(body.frequencies, expected, rtol=1e-8)


def test_units_scale_rows_of_translation_and_of_rotation(tmp_path: Path) -> None:
    """The frame in mm, t and s: forces N, moments N mm."""
    K, M = basic()
    D = np.tile([1e3] * 3 + [1.0] * 3, 3)  # mm per m
    lines = [f"GRID,{n},,{','.join(str(1e3 * x) for x in p)}" for n, (p, _) in GRIDS.items()]
    labels = [(n, c) for n in GRIDS for c in range(1, 7)]
    for name, matrix, unit in (("K", K, 1e3), ("M", M, 1e3)):  # mJ, and t mm^2 = 1e-3 kg m^2
        scaled = unit * matrix / np.outer(D, D)
        lines.append(f"DMIG,{name},0,6,2")
        for j, (grid, c) in enumerate(labels):
            for i in np.flatnonzero(scaled[:, j]):
                if i >= j:
                    row = labels[i]
                    lines.append(f"DMIG,{name},{grid},{c},,{row[0]},{row[1]},{scaled[i, j]!r}")
    (tmp_path / "mm.bdf").write_text("\n".join(lines).replace("np.float64(", "").replace(")", ""))
    found = read_structure(tmp_path / "mm.bdf", "M", "K", ENDS, units="mm-t-s")
    assert relative(found.stiffness.toarray(), house(K)) < 1e-12
    assert relative(found.mass.toarray(), house(M)) < 1e-12
    np.testing.assert_allclose(found.positions, [x for x, _ in GRIDS.values()], rtol=1e-15)
    with pytest.warns(ls.ModelWarning, match="waves run .*units is left out") as caught:
        ls.read_nastran(
            tmp_path / "mm.bdf", mass="M", stiffness="K", interfaces={"root": 11}, modes=1
        )
    assert caught[0].filename == __file__


BULK = """SOL 103
CEND
BEGIN BULK
$ all three forms of fields, tabs, lower case and continuations
grid,1,,0.,0.,0.
GRID           2       7     1.0    90.0     2.0
GRID*                  3               8             2.0            90.0
*                   90.0
GRID\t4\t9\t1.0\t2.0\t3.0
CORD2C  7       0       0.      0.      0.      0.      0.      1.      +A
+A      1.      0.      0.
CORD2S,8,0,1.,0.,0.,1.,0.,1.
,2.,0.,0.
CORD1R  9       1       5       6
INCLUDE 'more.bdf'
CQUAD4,1,1,1,2,3,4
ENDDATA
GRID,99,,0.,0.,0.
"""


@pytest.mark.parametrize("line", range(200, 260))
def test_a_matrix_without_one_of_its_lines_is_a_body_or_refused(tmp_path: Path, line: int) -> None:
    """Mass matrices that lack an entry have motions of negative energy, or bodies of their own."""
    rows = (DATA / "frame.bdf").read_text().splitlines(keepends=True)
    path = tmp_path / "frame.bdf"
    path.write_text("".join(rows[:line] + rows[line + 1 :]))
    try:
        body = ls.read_nastran(
            path, mass="MAAX", stiffness="KAAX", interfaces={"root": 11, "tip": 30}, modes=2
        )
    except ls.LissomError as error:
        assert path.name in str(error)
    else:
        assert np.isfinite(body.frequencies).all()


def test_grids_in_all_fields_and_coordinate_systems(tmp_path: Path) -> None:
    (tmp_path / "more.bdf").write_text("GRID,5,,1.,0.,0.\nGRID,6,,0.,0.,1.+0\nASET1,123,1,THRU,3\n")
    (tmp_path / "main.bdf").write_text(BULK)
    found = ls.read_bulk(tmp_path / "main.bdf")
    assert found.numbers.tolist() == [1, 2, 3, 4, 5, 6]
    # System 9 has its z along grid 5 and its x along grid 6: its y is -y
    expected = [[0, 0, 0], [0, 1, 2], [1, 2, 0], [3, -2, 1], [1, 0, 0], [0, 0, 1]]
    np.testing.assert_allclose(found.positions, expected, atol=1e-15)
    assert found.analysis_set == tuple((n, c) for n in (1, 2, 3) for c in (1, 2, 3))
    assert found.unused == ("line 16 CQUAD4",)


def test_matrices_of_other_forms_are_listed(tmp_path: Path) -> None:
    """Punch files have loads beside mass and stiffness."""
    text = (DATA / "frame.bdf").read_text()
    path = tmp_path / "x.bdf"
    path.write_text("DMIG,PAX,0,9,2,,,,4\nDMIG,PAX,1,,,11,1,2.\n" + text)
    found = ls.read_bulk(path)
    assert found.unused == ("line 1 DMIG PAX, form 9, type 2",)
    assert sorted(found.matrices) == ["KAAX", "MAAX"]
    with pytest.raises(ModelError, match="no DMIG matrix 'PAX'"):
        ls.read_nastran(path, mass="PAX", stiffness="KAAX", interfaces=ENDS)


@pytest.mark.parametrize("name", ["complex_text.op4", "complex_little.op4"])
def test_complex_matrices_are_read_but_are_no_mass(name: str) -> None:
    found = ls.read_op4(DATA / name)
    K, M = displaced()
    np.testing.assert_allclose(found["Z"].toarray(), K + 1j * M, rtol=1e-14, atol=1e-7)
    with pytest.raises(ModelError, match="is complex; expected real numbers"):
        ls.read_nastran(
            DATA / "frame.bdf", mass=(DATA / name, "Z"), stiffness="KAAX", interfaces=ENDS
        )


WRONG = [
    ("GRID,1,,0.,x,0.", 1, "'x' found; expected a coordinate of GRID"),
    ("GRID,1,,0.,nan,0.", 1, "finite number"),
    ("GRID,1,,0.,0.,0.\nGRID,1,,1.,0.,0.", 2, "grid 1 is there twice"),
    ("GRID,1,4,0.,0.,0.", 1, "no coordinate system 4"),
    ("GRID,1,4,0.,0.,0.\nCORD2R,4,4,0.,0.,0.,0.,0.,1.\n,1.,0.,0.", 2, "rests on itself"),
    ("GRID,1\nCORD1R,4,1,1,1\nGRID,2,4", 2, "on one line"),
    ("$ nothing", 1, "no card of bulk data"),
    (",1,2,3", 1, "a continuation before any card"),
    ("<html>", 1, "expected a card of bulk data"),
    ("DMIG,K,1,1,,1,1,2.", 1, "has no header"),
    ("DMIG,K,0,x,2", 1, "'x' found; expected the form of DMIG"),
    ("DMIG,K,0,6,2\nDMIG,K,1,7,,1,1,2.", 2, "component 7"),
    ("DMIG,K,0,6,2\nDMIG,K,1,1,,1,1", 2, "expected a value"),
    ("DMIG,K,0,6,2\nDMIG,K,1,1,,2,1,2.\nDMIG,K,2,1,,1,1,3.", 3, "two values"),
    ("ASET1,123,1,THRU,2000000000", 1, "at most"),
    ("ASET1,7,1", 1, "some of 123456"),
    ("GRID,1000000000000,,0.", 1, "from 1 to 2000000000"),
    ("INCLUDE 'x.bdf'", 1, "include each other"),
]


@pytest.mark.parametrize(("text", "line", "message"), WRONG)
def test_bulk_data_that_cannot_be_read(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "x.bdf"
    path.write_text(text)
    with pytest.raises(ModelFileError, match=message) as caught:
        ls.read_bulk(path)
    assert f"{path}:{line}:" in str(caught.value)


def test_includes_are_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("sword.fish:x:0:0\n")
    (tmp_path / "x.bdf").write_text("INCLUDE 'secret'\n")
    with pytest.raises(ModelFileError) as caught:
        ls.read_bulk(tmp_path / "x.bdf")
    assert "secret:1:" in str(caught.value) and "sword" not in str(caught.value).lower()


MIXED = [
    ({"mass": "MAXX"}, "did you mean 'MAAX'"),
    ({"mass": 3}, "expected the name of a DMIG matrix"),
    ({"mass": DATA / "dense_text.op4"}, "there are 2 matrices; give"),
    ({"stiffness": "MAAX", "mass": "KAAX"}, "a rigid .* meets a force"),
    ({"interfaces": {"root": 12}}, "interface 'root': node 12 is not in"),
    ({"interfaces": {}}, "expected names and nodes"),
    ({"interfaces": {"root": [11, 14]}}, "do not span an area"),
    ({"interfaces": {"root": {"where": 11, "tie": "glue"}}}, "expected one of 'rigid', 'average'"),
    ({"interfaces": {"root": "ROOT"}}, "no named sets"),
    ({"units": "mm"}, "expected the units of the file"),
    ({"mass": (DATA / "dense_text.op4", "MAA"), "freedoms": [(11, 1)]}, "18 x 18; freedoms"),
    ({"mass": (DATA / "dense_text.op4", "MAA"), "freedoms": 7}, "expected different"),
]


@pytest.mark.parametrize(("change", "message"), MIXED)
def test_parts_that_do_not_belong_together(change: dict, message: str) -> None:
    given = {"mass": "MAAX", "stiffness": "KAAX", "interfaces": ENDS} | change
    with pytest.raises(ModelError, match=message):
        ls.read_nastran(DATA / "frame.bdf", **given)


def test_matrices_of_another_mesh_or_of_a_held_one_are_refused(tmp_path: Path) -> None:
    text = (DATA / "frame.bdf").read_text()
    (tmp_path / "x.bdf").write_text(text.replace("8.0000000000D-01", "8.1000000000D-01"))
    with pytest.raises(ModelFileError, match="a rigid rotation about"):
        read_structure(tmp_path / "x.bdf", "MAAX", "KAAX", ENDS)
    K = displaced()[0]
    K[0, 0] *= 1.01
    path = _with_stiffness(tmp_path, K)
    with pytest.raises(
        ModelFileError, match="a rigid translation along x meets a force at node 11"
    ):
        read_structure(path, "MAAX", tmp_path / "k.op4", ENDS)


def test_output4_files_that_cannot_be_read(tmp_path: Path) -> None:
    text = (DATA / "nonbigmat_text.op4").read_text().splitlines()
    heads = [k for k, x in enumerate(text) if len(x.split()) == 3 and "." not in x]
    cases = {
        "\n".join(text[:20]): "the file ends within matrix KAA",
        "\n".join([text[0][:24] + "       4" + text[0][32:], *text[1:]]): "ends with a real part",
        "\n".join([text[0][:24] + "       9" + text[0][32:], *text[1:]]): "type 9; expected 1 to 4",
        "\n".join(["99999999" * 2 + text[0][16:], *text[1:]]): "a matrix of 99999999 rows",
        "\n".join([*text[: heads[1]], *text[heads[0] :]]): "is not after those before it",
        "\n".join([*text, *text]): "matrix KAA is there twice",
        "hello": "expected the header of a matrix",
        "": "the file is empty",
    }
    for content, message in cases.items():
        (tmp_path / "x.op4").write_text(content)
        with pytest.raises(ModelFileError, match=message):
            ls.read_op4(tmp_path / "x.op4")


def test_binary_output4_files_that_cannot_be_read(tmp_path: Path) -> None:
    whole = (DATA / "dense_big.op4").read_bytes()
    huge = struct.pack(">i", 2_000_000_000)
    cases = {
        whole[:100]: "byte 96: .* cut|does not end",
        whole[:28] + whole[:4] + huge + whole[36:]: "a record of 2000000000|does not end",
        whole[:4] + huge * 2 + whole[12:]: "a matrix of 2000000000 rows and 2000000000 columns",
        struct.pack("<i", 7) + whole[4:]: "its first record has 24 or 48 bytes",
        bytes(64): "its first record has 24 or 48 bytes",
    }
    for content, message in cases.items():
        (tmp_path / "x.op4").write_bytes(content)
        with pytest.raises(ModelFileError, match=message):
            ls.read_op4(tmp_path / "x.op4")


def _with_stiffness(folder: Path, K: np.ndarray) -> Path:
    lines = [f"{18:8}{18:8}{6:8}{2:8}{'K':8}1P,3E23.16"]
    for j in range(18):
        lines += [f"{j + 1:8}{1:8}{36:8}", *(f"{x:23.16E}" for x in K[:, j])]
    (folder / "k.op4").write_text("\n".join([*lines, f"{19:8}{1:8}{1:8}", f"{1.0:23.16E}", ""]))
    return DATA / "frame.bdf"
