"""Meshes as they come: files, groups, materials, interfaces, and what is wrong with them."""

import builtins

import numpy as np
import pytest

from tests.references.peers import peer

meshio = peer("meshio")
peer("skfem")

import lissom as ls  # noqa: E402
from lissom.io.structures.mesh import mesh_structure  # noqa: E402
from lissom.structures.finite.solid import kinds  # noqa: E402
from lissom.structures.finite.solid.structure import coarser  # noqa: E402
from tests.samples.meshes import block  # noqa: E402

SIZE = (0.4, 0.1, 0.06)
ROOT, TIP = ls.regions.plane("x", 0.0), ls.regions.plane("x", 0.4)
ENDS = {"root": ROOT, "tip": TIP}


def sample(kind="hexahedron20", counts=(3, 1, 1)):
    return block(kind, counts, SIZE)


def made(mesh, material=ls.ALUMINIUM, interfaces=ENDS, **options):
    return mesh_structure(mesh, material, interfaces, **options)


def grouped(kind="tetra10"):
    """Mesh with named groups: two halves of the volume and the face at x = 0, as Gmsh writes it."""
    mesh = sample(kind, (4, 1, 1))
    cells = mesh.cells[0].data
    x = mesh.points
    left = x[cells].mean(axis=1)[:, 0] < 0.2
    corners = cells[:, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]].reshape(-1, 3)
    middles = cells[:, [[6, 5, 4], [4, 8, 7], [5, 9, 8], [7, 9, 6]]].reshape(-1, 3)
    face = np.hstack([corners, middles])[np.all(x[corners, 0] < 1e-9, axis=1)]
    tags = [np.where(left, 7, 8), np.full(len(face), 3)]
    return meshio.Mesh(
        x,
        [(kind, cells), ("triangle6", face)],
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={"inner": [7, 3], "outer": [8, 3], "flange": [3, 2]},
    )


@pytest.mark.parametrize("suffix", [".msh", ".vtu", ".vtk", ".inp", ".med"])
def test_a_file_gives_the_same_structure_as_the_mesh(suffix, tmp_path):
    mesh = sample("tetra10")
    mesh.points *= 1000
    path = tmp_path / f"block{suffix}"
    meshio.write(path, mesh, file_format="gmsh" if suffix == ".msh" else None)
    s, t = made(path, scale=1e-3), made(sample("tetra10"))
    assert s.name == f"block{suffix}"
    assert abs(s.stiffness - t.stiffness).max() < 1e-9 * abs(t.stiffness).max()


@pytest.mark.parametrize("how", ["gmsh", "gmsh22", "nastran", "med"])
def test_labels_have_the_numbers_of_the_file(how, tmp_path):
    """Nodes and elements begin with 1 there; triangles come first where they can."""
    mesh = grouped()
    del mesh.cell_data["gmsh:geometrical"]
    suffix = {"nastran": ".bdf", "med": ".med"}.get(how, ".msh")
    path = tmp_path / f"block{suffix}"
    options = {"binary": False} if how.startswith("gmsh") else {}
    if how != "med":
        order = slice(None, None, -1) if how != "gmsh" else slice(0, 1)
        mesh = meshio.Mesh(mesh.points, mesh.cells[order])
    meshio.write(path, mesh, file_format=how, **options)
    if how == "nastran":
        path.write_text(path.read_text().replace("CTETRA_", "CTETRA "))
    s = made(path)
    assert s.recovery.names.tolist() == [k + 1 for k in range(len(mesh.points))]
    elements = np.concatenate([block.numbers for block in s.recovery.blocks])
    first = 0 if how == "med" else 1 + sum(len(c.data) for c in mesh.cells if c.type != "tetra10")
    assert elements.tolist() == list(range(first, first + len(elements)))


def test_labels_of_gmsh_files_skip_numbers_that_are_missing(tmp_path):
    """Version 4.1, text and binary, whose numbers of nodes have gaps."""
    mesh = sample("tetra10")
    for binary in (False, True):
        path = tmp_path / f"block_{binary}.msh"
        meshio.write(path, mesh, file_format="gmsh", binary=binary)
        assert made(path).recovery.names[0] == 1
    text = (tmp_path / "block_False.msh").read_text().replace("$EndNodes", "", 1)
    head, nodes = text.split("$Nodes\n")
    lines = nodes.splitlines()
    n = len(mesh.points)
    lines[0] = lines[0].rsplit(" ", 1)[0] + f" {n + 1000}"
    at = lines.index(str(n))
    lines[at] = str(n + 1000)
    body = "\n".join(lines).replace("$Elements", "$EndNodes\n$Elements")
    rows = body.split("$Elements\n")[1].splitlines()
    for k in range(2, len(rows)):
        words = rows[k].split()
        rows[k] = " ".join([words[0], *(str(n + 1000) if w == str(n) else w for w in words[1:])])
    path = tmp_path / "gaps.msh"
    path.write_text(
        head + "$Nodes\n" + body.split("$Elements\n")[0] + "$Elements\n" + "\n".join(rows)
    )
    assert made(path).recovery.names[-2:].tolist() == [n - 1, n + 1000]


def test_groups_of_gmsh_are_materials_and_interfaces(tmp_path):
    path = tmp_path / "two.msh"
    meshio.write(path, grouped(), file_format="gmsh22", binary=False)
    materials = {"inner": ls.STEEL, "outer": ls.ALUMINIUM}
    s = made(path, materials, {"root": "flange", "tip": TIP})
    x = np.tile([1.0, 0, 0], s.n_node)
    half = np.prod(SIZE) / 2
    assert x @ s.mass @ x == pytest.approx(half * (7850 + 2700))
    assert np.all(s.positions[s.interfaces["root"].nodes, 0] < 1e-9)
    assert s.interfaces["root"].position == pytest.approx([0, 0.05, 0.03])


def test_node_and_element_sets_are_groups():
    mesh = sample()
    ends = np.flatnonzero(mesh.points[:, 0] < 1e-9)
    mesh.point_sets = {"bolts": ends}
    mesh.cell_sets = {"all": [np.arange(3)]}
    s = made(mesh, {"all": ls.STEEL}, {"root": "bolts"})
    assert np.array_equal(s.interfaces["root"].nodes, ends)


def test_all_selectors_choose_the_same_nodes():
    mesh = sample()
    chosen = np.flatnonzero(mesh.points[:, 0] < 1e-9)
    for where in (
        ROOT,
        chosen,
        chosen.tolist(),
        lambda x: x[:, 0] < 1e-6,
        ls.regions.plane((2, 0, 0), (0, 1, 1)),
        ls.regions.box((-1, -1, -1), (0, 1, 1)),
        ls.regions.cylinder((0, 0.05, 0.03), "y", 0.04, tolerance=1e-4),
    ):
        s = made(mesh, interfaces={"root": where})
        assert np.array_equal(s.interfaces["root"].nodes, chosen)


def test_a_bore_is_the_surface_of_a_cylinder():
    x = np.array([[0.1, 0, 0], [0, 0.1, 5.0], [0.05, 0, 0]])
    bore = ls.regions.cylinder((0, 0, 1), (0, 0, 2), 0.1, inside=False)
    assert bore(x).tolist() == [True, True, False]


def test_average_interfaces_have_weights_by_area_and_a_centroid():
    mesh = block("hexahedron20", (3, 2, 1), SIZE, lambda x: x + np.maximum(x - 0.05, 0) * [0, 2, 0])
    s = made(mesh, interfaces={"root": ls.Patch(ROOT, tie="average")})
    root = s.interfaces["root"]
    assert root.tie == "average" and root.weights.sum() == pytest.approx(1.0)
    # faces 0.05 and 0.15 wide: the centroid is that of the area, not the mean of the nodes
    assert root.position == pytest.approx([0, 0.1, 0.03])
    assert s.positions[root.nodes, 1].mean() != pytest.approx(0.1, rel=0.01)
    placed = made(mesh, interfaces={"root": ls.Patch(ROOT, at=(-0.1, 0, 0))})
    assert placed.interfaces["root"].position == pytest.approx([-0.1, 0, 0])


def test_nodes_without_element_are_left_out_with_a_warning_and_numbers_stay():
    mesh = sample()
    moved = np.vstack([[9.0, 9, 9], mesh.points])
    loose = meshio.Mesh(moved, [("hexahedron20", mesh.cells[0].data + 1)])
    chosen = 1 + np.flatnonzero(mesh.points[:, 0] < 1e-9)
    with pytest.warns(ls.ModelWarning, match="1 of .* nodes belong to no solid element.*: 0$"):
        s = made(loose, interfaces={"root": chosen})
    assert np.all(s.positions[s.interfaces["root"].nodes, 0] < 1e-9)
    with pytest.warns(ls.ModelWarning), pytest.raises(ls.ModelError, match="node 0 belongs to no"):
        made(loose, interfaces={"root": [0, *chosen]})


@pytest.mark.parametrize("kind", ["tetra", "hexahedron", "wedge"])
def test_linear_elements_are_said_to_be_too_stiff(kind):
    with pytest.warns(ls.ModelWarning, match=f"{kind} are too stiff in bending.*second order"):
        made(sample(kind))


@pytest.mark.parametrize(
    ("size", "scale", "words"),
    [(1000, 1.0, "400 m long; .*millimetres, give scale=1e-3"), (1, 1e-3, "leave scale out")],
)
def test_suspicious_sizes_are_named(size, scale, words):
    mesh = sample()
    mesh.points *= size
    with pytest.warns(ls.ModelWarning, match=words):
        made(mesh, scale=scale, interfaces={"root": ls.regions.plane("x", 0.0)})


def changed(change, kind="hexahedron20"):
    """Mesh of a sample whose points and cells were changed."""

    def make():
        mesh = sample(kind)
        found = change(mesh.points.copy(), mesh.cells[0].data.copy())
        points, cells = found if isinstance(found, tuple) else (mesh.points, found)
        return meshio.Mesh(points, [(kind, cells)])

    return make


def crossed(points, cells):
    points[cells[1, 1]] -= [0.09, 0, 0]
    return points, cells


def flattened(points, cells):
    points[:, 2] = 0.0
    return points, cells


def apart(points, cells):
    return np.vstack([points, points]), np.vstack([cells, cells + len(points)])


def beyond(points, cells):
    cells[2, 5] = 10**6
    return points, cells


def not_finite(points, cells):
    points[cells[0, 3], 1] = np.nan
    return points, cells


def swapped_middles(points, cells):
    """Order of Gmsh."""
    return cells[:, [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 9, 17, 10, 18, 19, 12, 15, 13, 14]]


def mixed():
    quadratic, linear = sample("hexahedron20", (1, 1, 1)), sample("hexahedron", (1, 1, 1))
    corners = quadratic.cells[0].data[0, [1, 2, 5, 6]]
    move = np.array([corners[0], 100, 101, corners[1], corners[2], 102, 103, corners[3]])
    points = np.vstack([quadratic.points, np.zeros((84, 3))])
    points[100:104] = linear.points[[4, 6, 5, 7]] + [0.4, 0, 0]
    points = np.vstack([points[:20], points[100:104]])
    move = np.where(move >= 100, move - 80, move)
    return meshio.Mesh(points, [("hexahedron20", quadratic.cells[0].data), ("hexahedron", [move])])


BAD_MESHES = {
    "crossed": (changed(crossed), r"element 1 \(hexahedron20\).*(inverted|order)"),
    "flat": (changed(flattened), r"element \d \(hexahedron20\) is flat"),
    "mirrored": (changed(lambda x, c: (x * [1, 1, -1], c)), "all 3 elements .* are inverted"),
    "loose": (changed(apart), "2 parts that share no node.*element 0.*same place: merge"),
    "beyond": (changed(beyond), "element 2 .* refers to nodes .*1000000"),
    "nan": (changed(not_finite), "node .* must be finite"),
    "order": (changed(swapped_middles), r"element 0 \(hexahedron20\): its node .*another order"),
    "twice": (changed(lambda x, c: c[[0, 1, 2, 1]]), "one face in common: element 1.*twice"),
    "collapsed": (changed(lambda x, c: c[:, [0, 0, *range(2, 8)]], "hexahedron"), "a node twice"),
    "mixed": (mixed, "corners of a face in common but not the nodes between"),
    "empty": (lambda: meshio.Mesh(np.zeros((0, 3)), []), "the mesh has no node"),
    "shell": (lambda: meshio.Mesh(np.eye(3), [("triangle", [[0, 1, 2]])]), "no solid element"),
    "flat points": (lambda: meshio.Mesh(np.eye(2), [("line", [[0, 1]])]), "three coordinates"),
    "pyramid": (lambda: meshio.Mesh(np.eye(3), [("pyramid", [[0, 1, 2, 0, 1]])]), "'pyramid' are"),
    "number": (lambda: 3, "mesh is 3; give a path"),
}


@pytest.mark.filterwarnings("ignore::lissom.ModelWarning")
@pytest.mark.parametrize("case", BAD_MESHES)
def test_faults_of_meshes_are_named(case):
    make, words = BAD_MESHES[case]
    with pytest.raises(ls.ModelError, match=words):
        made(make(), interfaces={"root": [0, 1, 2, 3]})


def materials(groups, **options):
    return lambda: made(grouped(), groups, {"root": "flange"} | options)


BAD_CHOICES = {
    "no material": (lambda: made(sample(), None), "material is None; give a Material"),
    "unknown group": (materials({"iner": ls.STEEL}), "no group of elements 'iner'.*'inner'"),
    "bare": (materials({"inner": ls.STEEL}), r"element \d+ has no material \(12 elements"),
    "not one": (materials({"inner": 3}), "material of group 'inner' is 3"),
    "rubber": (
        lambda: made(sample(), ls.Material("rubber", 1e6, 1e3, 0.5)),
        "'rubber' has poisson_ratio 0.5",
    ),
    "no interface": (lambda: made(sample(), interfaces={}), "give at least one by name"),
    "nowhere": (
        lambda: made(sample(), interfaces={"root": ls.regions.plane("x", 7.0)}),
        r"interface 'root' contains no node; the mesh extends from \(0, 0, 0\) to \(0.4, 0.1",
    ),
    "name": (
        lambda: made(grouped(), interfaces={"root": "flang"}),
        "no group 'flang'.*'flange'",
    ),
    "on a line": (
        lambda: made(sample(), interfaces={"root": [0, 1, 2]}),
        "has 3 nodes, which do not span an area",
    ),
    "in common": (
        lambda: made(sample(), interfaces={"root": ROOT, "top": ls.regions.plane("z", 0.06)}),
        "'root' and 'top' have node .* in common",
    ),
    "no mask": (
        lambda: made(sample(), interfaces={"root": lambda x: x[:3]}),
        "True or False for each of the",
    ),
    "words": (lambda: made(sample(), interfaces={"root": 3.5}), "is 3.5; give the name of a group"),
    "tie": (
        lambda: made(sample(), interfaces={"root": ls.Patch(ROOT, tie="weld")}),
        "tie is 'weld'",
    ),
    "at": (
        lambda: made(sample(), interfaces={"root": ls.Patch(ROOT, at=3)}),
        "at is 3; give three",
    ),
    "scale": (lambda: made(sample(), scale=0), "scale must be above zero"),
    "axis": (lambda: ls.regions.plane("w"), "normal is 'w'"),
    "box": (lambda: ls.regions.box((1, 1, 1), (0, 0, 0)), "two corners"),
    "direction": (lambda: ls.regions.cylinder((0, 0, 0), (0, 0, 0), 1.0), "axis is zero"),
}


@pytest.mark.parametrize("case", BAD_CHOICES)
def test_faults_of_materials_and_interfaces_are_named(case):
    make, words = BAD_CHOICES[case]
    with pytest.raises(ls.ModelError, match=words):
        make()


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path


BAD_FILES = {
    "empty.msh": (b"", r"empty.msh: the file is empty \(0 bytes\)"),
    "words.msh": (b"hello\n", "words.msh: it is no mesh of Gmsh"),
    "zeros.vtu": (bytes(300), "zeros.vtu: it cannot be read"),
    "zeros.inp": (bytes(300), "zeros.inp: "),
    "block.xyzzy": (b"hello", "suffix '.xyzzy' is not that of a known mesh"),
    "block": (b"hello", "suffix '' is not"),
    "cut.msh": (b"$MeshFormat\n2.2 0 8\n", "cut.msh: the mesh has no node"),
    "endless.msh": (b"$Comments\nno end\n", "endless.msh: it cannot be read as a file of Gmsh"),
    "endless.mesh": (b"MeshVersionFormatted 1\nDimension\n", "endless.mesh: it cannot be read"),
    "huge.msh": (
        b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1000000000000\n1 0 0 0\n$EndNodes\n",
        "huge.msh: ",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_named_quietly(name, tmp_path, capfd):
    content, words = BAD_FILES[name]
    with pytest.raises(ls.ModelError, match=words):
        made(written(tmp_path, name, content))
    assert capfd.readouterr() == ("", "")


LOTS = 10**15  # so much that no machine has the memory for it
TOO_MUCH = {  # numbers of a block of nodes or elements, as Gmsh 4.1 has them
    "nodes": ((1, 28, 1, 28), (1, LOTS, 1, LOTS), "nodes are announced"),
    "blocks of nodes": ((1, 28, 1, 28), (LOTS, 28, 1, 28), "blocks of nodes are announced"),
    "blocks of elements": ((1, 6, 1, 6), (LOTS, 6, 1, 6), "blocks of elements are announced"),
    "elements": ((1, 6, 1, 6), (1, LOTS, 1, 6), "elements are announced"),
    "a number": ((27, 28), (27, LOTS), f"one of them has the number {LOTS}"),
}


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("case", TOO_MUCH)
def test_files_of_gmsh_that_announce_too_much_are_named_before_memory_is_asked_for(
    case, binary, tmp_path
):
    old, new, words = TOO_MUCH[case]
    path = tmp_path / "block.msh"
    meshio.write(path, sample("hexahedron", (6, 1, 1)), file_format="gmsh", binary=binary)
    between = "\n" if case == "a number" else " "
    old, new = (
        np.array(x, dtype="u8").tobytes() if binary else between.join(map(str, x)).encode() + b"\n"
        for x in (old, new)
    )
    content = path.read_bytes()
    assert content.count(old) == 1
    path.write_bytes(content.replace(old, new))
    with pytest.raises(ls.ModelFileError, match=rf"block\.msh: .*{words}"):
        made(path)


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(ls.ModelFileError, match=r"gone.msh: No such file"):
        made(tmp_path / "gone.msh")
    with pytest.raises(ls.ModelFileError, match="not a regular file"):
        made(tmp_path)


@pytest.mark.parametrize("suffix", [".msh", ".inp", ".vtk", ".vtu", ".bdf", ".mesh"])
@pytest.mark.filterwarnings("ignore")
def test_damaged_files_raise_our_errors_alone(suffix, tmp_path):
    kind = "gmsh22" if suffix == ".msh" else None
    meshio.write(tmp_path / f"good{suffix}", sample("tetra", (1, 1, 1)), file_format=kind)
    good = (tmp_path / f"good{suffix}").read_bytes()
    random = np.random.default_rng(5)
    for k in range(40):
        data = bytearray(good)
        for _ in range(3):
            data[random.integers(len(data))] = random.integers(256)
        path = written(
            tmp_path, f"bad{k}{suffix}", bytes(data[: random.integers(len(data) // 2, len(data))])
        )
        try:
            made(path, interfaces={"root": ROOT})
        except ls.ModelError:
            pass


@pytest.mark.parametrize("missing", ["skfem", "meshio"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    missing, monkeypatch, tmp_path
):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] == missing:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    kinds.scikit_fem.cache_clear()
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ls.ModelError, match=r'pip install "lissom\[fe\]"'):
        made(sample() if missing == "skfem" else written(tmp_path, "a.msh", b"x"))


def test_one_inverted_element_of_many_is_found():
    mesh = block("hexahedron20", (30, 12, 10), SIZE)
    cells = mesh.cells[0].data
    cells[-1] = cells[-1][[4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11, 16, 17, 18, 19]]
    with pytest.raises(ls.ModelError, match=rf"element {len(cells) - 1} .* is inverted"):
        made(mesh)


def test_large_surfaces_are_drawn_with_fewer_nodes_and_both_sides_of_plates_stay_apart():
    mesh = block("hexahedron", (60, 40, 1), (0.6, 0.4, 0.002))
    with pytest.warns(ls.ModelWarning):
        s = made(mesh, interfaces={"root": ls.regions.plane("x", 0.0)})
    assert len(np.unique(s.surface.triangles)) <= 3000
    few = coarser(s.positions, s.surface.triangles, 800)
    nodes = np.unique(few)
    assert 300 < len(nodes) <= 800
    a, b, c = (s.positions[few[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(0.6 * 0.4 * 0.002, rel=0.15)
