"""Collada meshes: what is drawn, what is refused, and where."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom.io.urdf.meshes import read_mesh
from tests.samples.collada_files import PLACE, PRIMITIVES, ColladaFuzz, collada, primitive
from tests.samples.urdf_files import robot_file
from tests.tools.file_fuzz import SLOWEST, faults, peak, within
from tests.tools.measures import surface_measures


@pytest.fixture
def read(tmp_path):
    def read_text(text):
        path = tmp_path / "part.dae"
        path.write_text(text)
        return read_mesh(path)

    return read_text


@pytest.mark.parametrize("kind", PRIMITIVES)
def test_a_cube_is_a_cube_in_all_primitives(read, kind):
    (piece,) = read(collada(primitive(kind))).pieces
    area, volume, least, most = surface_measures(piece.vertices, piece.triangles)
    assert (area, volume) == (6, 1)
    assert np.array_equal(least, [0, 0, 0]) and np.array_equal(most, [1, 1, 1])
    assert len(piece.triangles) == 12 and piece.color == "#0000ff"


def test_nodes_stand_where_their_transforms_put_them(read):
    """Nested nodes and an instance of one, against SciPy; lengths are in millimetres."""
    library = f'<library_nodes><node id="a"><scale>1 2 3</scale>{PLACE}</node></library_nodes>'
    turn = "<translate>1 2 3</translate><rotate>1 2 2 40</rotate>"
    matrix = "<matrix>0 -1 0 4 1 0 0 5 0 0 1 6 0 0 0 1</matrix>"
    nodes = f'<node>{turn}<node>{matrix}<instance_node url="#a"/></node></node>'
    asset = '<unit meter="0.001"/><up_axis>Y_UP</up_axis>'
    (piece,) = read(collada(nodes=nodes, asset=asset, more=library)).pieces
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
    quarter = Rotation.from_euler("z", 90, degrees=True).apply(corners) + np.array([4, 5, 6])
    axis = np.array([1, 2, 2]) / 3
    expected = Rotation.from_rotvec(np.radians(40) * axis).apply(quarter) + np.array([1, 2, 3])
    order = [np.lexsort(x.round(9).T) for x in (1e3 * piece.vertices, expected)]
    np.testing.assert_allclose(1e3 * piece.vertices[order[0]], expected[order[1]], atol=1e-12)


def test_a_mirrored_part_shows_its_outside(read):
    (piece,) = read(collada(nodes=f"<node><scale>1 -1 2</scale>{PLACE}</node>")).pieces
    assert surface_measures(piece.vertices, piece.triangles)[1] == 2


def test_colours_follow_the_materials_that_an_instance_binds(read):
    red = '<effect id="red"><profile_COMMON><technique><phong><diffuse><color>2 0.5 -1 1</color>'
    red += "</diffuse></phong></technique></profile_COMMON></effect>"
    more = f"<library_effects>{red}</library_effects><library_materials>"
    more += '<material id="other"><instance_effect url="#red"/></material></library_materials>'
    bind = '<instance_material symbol="paint" target="#other"/>'
    bind = f"<bind_material><technique_common>{bind}</technique_common></bind_material>"
    nodes = f'<node>{PLACE}</node><node><instance_geometry url="#cube">{bind}</instance_geometry>'
    surfaces = read(
        collada(primitive() + primitive("polylist", "none"), f"{nodes}</node>", "", more)
    )
    assert [piece.color for piece in surfaces.pieces] == ["#0000ff", None, "#ff8000"]
    assert [len(piece.triangles) for piece in surfaces.pieces] == [12, 24, 12]


def test_what_is_left_out_is_noted(read):
    face = '<polygons><input semantic="VERTEX" source="#v" offset="0"/><ph><p>0 1 2 3</p>'
    surfaces = read(collada(primitive() + f"{face}<h>4 5 6</h></ph></polygons>"))
    assert len(surfaces.notes) == 1 and "holes of polygons are drawn filled" in surfaces.notes[0]
    textured = collada().replace("<color>0 0 1 1</color>", '<texture texture="a"/>')
    assert "its texture is not drawn" in read(textured).notes[0]


@pytest.mark.parametrize(
    ("old", "new", "where", "said"),
    [
        ('url="#cube"', 'url="#cub"', "<instance_geo", 'url="#cub"; there is no <geometry> with'),
        ('url="#cube"', 'url="a.dae#c"', "<instance_geo", "refers to another file"),
        ('source="#v"', 'source="#p"', '<input semantic="V', "there is no <vertices> with this id"),
        ('source="#p"', "", "<input semantic", "has no source"),
        ('"POSITION"', '"NORMAL"', "<vertices", 'has no <input semantic="POSITION">'),
        ('"VERTEX"', '"TEXCOORD"', "<triangles", 'has no <input semantic="VERTEX">'),
        ('count="8"', 'count="9"', "<accessor", "need 27 numbers; the array on line 14 has 24"),
        ('count="8"', 'count="99999999999"', "<accessor", "expected a whole number"),
        ('stride="3"', 'stride="2"', "<accessor", "has 3 coordinates in steps of 2"),
        ("0 0 0 1 0 0", "0 0 0 1 0 zero", "<float_array", "expected numbers separated by spaces"),
        ("0 0 0 1 0 0", "0 0 0 1 0 nan", "<float_array", "not finite"),
        ("<p>0 0 3 0", "<p>0 0 9 0", "<triangles", "refers to vertices 0 to 9; there are 8"),
        ("<p>0 0 3 0", "<p>0 0 -1 0", "<triangles", "refers to vertices -1 to"),
        ("<p>0 0 3 0", "<p>0 0 3.5 0", "<p>", "expected whole numbers"),
        ("<p>0 0 3 0", "<p>0 0 0 3 0", "<p>", "has 73 numbers; expected 2 for each corner"),
        ("<p>0 0 3 0", "<p>3 0", "<triangles", "has 35 corners, not three for each triangle"),
        ("0 0 1 1</color>", "0 0</color>", "<color>", "expected 3 or 4 numbers from 0 to 1, not 2"),
        ("<asset>", '<asset><unit meter="0"/>', "<asset>", "it must be positive [m]"),
        ("<node>", "<node><matrix>1 2 3</matrix>", "<node>", "expected 16 numbers, not 3"),
        ("<node>", "<node><skew>0</skew>", "<node>", "is not supported; apply the transforms"),
        ("<node>", "<node><scale>1e308 1e308 1e308</scale><scale>9 9 9</scale>", "", "overflow"),
        ("<COLLADA", "<DAE", "<DAE", "not"),
        (PLACE, "", "", "contains no triangles"),
    ],
)
def test_mistakes_are_named_by_file_line_and_element(tmp_path, old, new, where, said):
    text = collada()
    assert old in text
    path, damaged = tmp_path / "part.dae", text.replace(old, new, 1)
    path.write_text(damaged)
    with pytest.raises(ls.ModelError) as error:
        read_mesh(path)
    assert said in str(error.value)
    line = text[: text.index(where if where in text and where else "<COLLADA")].count("\n") + 1
    if where != "<DAE":
        assert str(error.value).startswith(f"{path}:{line}: <"), str(error.value)


def doubling():
    """Sixty nodes, each of two instances of the next."""
    twice = '<node id="n{}">' + '<instance_node url="#n{}"/>' * 2 + "</node>"
    rows = "".join(twice.format(k, k + 1, k + 1) for k in range(60))
    nodes = f'<library_nodes>{rows}<node id="n60">{PLACE}</node></library_nodes>'
    return collada(nodes='<node><instance_node url="#n0"/></node>', more=nodes)


def entities():
    rows = (f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 10))
    return f'<!DOCTYPE COLLADA [<!ENTITY e0 "lol">{"".join(rows)}]><COLLADA>&e9;</COLLADA>'


MONSTERS = {
    "entities": entities,
    "a node within itself": lambda: collada(nodes='<node id="a"><instance_node url="#a"/></node>'),
    "doubling nodes": doubling,
    "many instances": lambda: collada(nodes=f"<node>{PLACE * 50_000}</node>"),
    "levels": lambda: collada(nodes="<node>" * 100_000),
    "a huge count": lambda: collada().replace('count="8"', 'count="999999999"'),
    "a huge stride": lambda: collada().replace('stride="3"', 'stride="999999999"'),
    "a huge offset": lambda: collada().replace('offset="1"', 'offset="999999999"'),
    "huge polygons": lambda: collada(primitive("polylist")).replace("4 " * 6, "999999999999 "),
    "a huge number": lambda: collada().replace("<p>0 0", "<p>" + "9" * 1_000_000),
    "many numbers": lambda: collada().replace("<p>0 0", "<p>" + "9 " * 3_000_000),
}


@pytest.mark.parametrize("name", MONSTERS)
def test_monsters_are_refused_soon(tmp_path, name):
    path = tmp_path / "monster.dae"
    path.write_text(MONSTERS[name]())
    before = peak()
    with within(SLOWEST), pytest.raises(ls.ModelError) as error:
        read_mesh(path)
    assert str(error.value).startswith(str(path)) and len(str(error.value)) < 1500
    assert peak() - before < 500


def test_no_mistake_in_a_mesh_is_more_than_an_error_of_our_own(tmp_path):
    assert faults(ColladaFuzz(tmp_path), tmp_path, 1, range(300)) == []


MESHES = (
    "panda_description/meshes/visual/finger.dae",
    "ur_description/meshes/ur5/visual/base.dae",
    "icub_description/meshes/upmc/visual/icub_l_hand.dae",  # Y_UP
    "kinova_description/meshes/jaco_mounting_block.dae",
    "romeo_description/meshes/V1/visual/LWristPitch.dae",
    "anymal_b_simple_description/meshes/foot/anymal_foot.dae",  # scaled by a matrix
    "solo_description/meshes/cylinder.obj",
    "panda_description/meshes/collision/finger.stl",
)


@pytest.mark.peer
@pytest.mark.parametrize("name", MESHES)
def test_meshes_of_published_robots_are_as_large_as_assimp_has_them(name):
    """Through coal, which comes with Pinocchio; like RViz it leaves the axes of a file alone."""
    path = robot_file(name)
    import coal

    other = coal.MeshLoader().load(str(path), np.ones(3)).vertices()
    pieces = read_mesh(path).pieces
    own = np.concatenate([piece.vertices for piece in pieces])
    size = np.ptp(other, axis=0).max()
    for bound in (np.min, np.max):
        assert np.abs(bound(own, axis=0) - bound(other, axis=0)).max() < 1e-6 * size


@pytest.mark.peer
def test_a_mesh_is_in_the_axes_of_its_link_whatever_its_up_axis_says():
    """The same part of a published robot as a Collada file that says Y_UP, and as STL."""
    folder = robot_file("tiago_description/meshes/arm")
    assert b"Y_UP" in (folder / "arm_3_collision.dae").read_bytes()
    bounds = []
    for name in ("arm_3_collision.dae", "arm_3.stl"):
        vertices = np.concatenate([x.vertices for x in read_mesh(folder / name).pieces])
        bounds.append([vertices.min(0), vertices.max(0)])
    assert np.abs(np.subtract(*bounds)).max() < 0.002
    assert np.ptp(bounds[0], axis=0).max() > 0.2
