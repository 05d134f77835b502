"""What robots look like: where meshes are found, what stands in for them, what is said."""

from __future__ import annotations

import logging
import os

import numpy as np
import pytest

import lissom as ls
from lissom.bodies import solids
from tests.samples.collada_files import collada, primitive
from tests.samples.urdf_files import triangle_stl

XML = "<package><name>arm_parts</name></package>"


def robot(name, more="", shape=""):
    mesh = shape or f'<mesh filename="{name}"/>'
    return f"""<robot name="r"><material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
<link name="part"><visual><geometry>{mesh}</geometry><material name="grey"/></visual>{more}</link>
</robot>"""


SPHERE = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Folder of a robot; no environment says where packages are."""
    for name in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("GAZEBO_MODEL_PATH", raising=False)
    (tmp_path / "robots").mkdir()
    return tmp_path


def read(folder, text, **settings):
    path = folder / "robots" / "arm.urdf"
    path.write_text(text)
    found = ls.read_urdf(path, **settings)
    return found, found.model.parts["part"].body.solids


def put(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(XML if path.name == "package.xml" else triangle_stl())


@pytest.mark.parametrize("scheme", ["package", "model"])
@pytest.mark.parametrize("kind", ["given", "dirs", "itself", "above", "cloned", "ros", "ament"])
def test_packages_are_found_where_they_may_be(folder, monkeypatch, scheme, kind):
    mesh, settings = "meshes/a b.stl", {}
    match kind:
        case "given":
            put(folder, f"else/{mesh}")
            settings = {"packages": {"arm_parts": folder / "else"}}
        case "dirs":
            put(folder, f"else/arm_parts/{mesh}")
            settings = {"package_dirs": [str(folder / "else")]}
        case "itself":
            put(folder, f"else/{mesh}", "else/package.xml")
            settings = {"package_dirs": [folder / "else"]}
        case "above":
            put(folder, f"arm_parts/{mesh}")
        case "cloned":  # the folder of the robot has another name than the package
            put(folder, f"robots/{mesh}", "robots/package.xml")
        case "ros":
            put(folder, f"ws/src/group/clone/{mesh}", "ws/src/group/clone/package.xml")
            roots = [str(folder / "nothing"), str(folder / "ws/src")]
            monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join(roots))
        case "ament":
            put(folder, f"opt/share/arm_parts/{mesh}")
            monkeypatch.setenv("AMENT_PREFIX_PATH", str(folder / "opt"))
    found, (solid,) = read(folder, robot(f"{scheme}://arm_parts/meshes/a%20b.stl"), **settings)
    assert isinstance(solid, solids.Mesh) and solid.color == "#808080"
    assert found.left_out == ()


@pytest.mark.parametrize("form", ["a.stl", "./a.stl", "file://{}/a.stl", "{}/a.stl", "b\\a.stl"])
def test_paths_are_relative_or_absolute(folder, form):
    put(folder, "robots/a.stl", "robots/b/a.stl")
    assert len(read(folder, robot(form.format(folder / "robots")))[1]) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("package://other/a.stl", 'not found; give package_dirs=["FOLDER ABOVE other"]'),
        ("package://robots/a.stl", "is not in the package at"),
        ("package://", "names no package"),
        ("http://example.org/a.stl", "is in the network, where lissom does not look"),
        ("a.stl", "does not exist; check the path"),
        ("a.3ds", "does not exist; check the path"),
        ("here.3ds", "not a supported mesh format; use .stl, .obj or .dae"),
        ("bad.dae", "bad.dae:2: <accessor> of"),
    ],
)
def test_one_sentence_says_what_is_not_drawn_and_why(folder, caplog, name, said):
    (folder / "robots/here.3ds").write_text("x")
    bad = collada(primitive()).replace('count="8"', 'count="9"').replace("\n", "", 13)
    (folder / "robots/bad.dae").write_text(bad)
    with caplog.at_level(logging.INFO, "lissom"):
        found, drawn = read(folder, robot(name))
    assert drawn == () and len(found.left_out) == 1
    (record,) = caplog.records
    assert record.levelno == logging.WARNING and "\n" not in record.message
    assert 'arm.urdf: not drawn: 2: <mesh> of <link name="part">: ' in record.message
    assert said in record.message and said in found.left_out[0]


def test_collision_shapes_stand_in_for_visuals_that_cannot_be_drawn(folder, caplog):
    found, (solid,) = read(folder, robot("a.stl", SPHERE))
    assert isinstance(solid, solids.Sphere) and len(found.left_out) == 1
    assert "collision shapes stand in for 1 link: 'part'" in caplog.text
    box = '<box size="1 1 1"/>'
    assert isinstance(read(folder, robot("", SPHERE, box))[1][0], solids.Box)  # none needed
    text = robot("a.stl", SPHERE)
    lost = text.replace("</robot>", f'<link name="box">{SPHERE}</link></robot>')
    lost = lost.replace("</robot>", '<joint name="j" type="fixed"><parent link="part"/>')
    lost += '<child link="box"/></joint></robot>'
    parts = read(folder, lost)[0].model.parts
    assert parts["box"].body.solids == ()  # its author shows nothing there, but in other links
    bare = lost.replace("visual>", "ignored>")
    assert all(len(part.body.solids) == 1 for part in read(folder, bare)[0].model.parts.values())


def test_colours_of_a_mesh_go_before_the_colour_of_the_link(folder):
    (folder / "robots/part.dae").write_text(collada(primitive() + primitive("polylist", "none")))
    drawn = read(folder, robot("part.dae"))[1]
    assert [solid.color for solid in drawn] == ["#0000ff", "#808080"]


def test_a_mirrored_mesh_shows_its_outside(folder):
    (folder / "robots/part.dae").write_text(collada())
    mesh = '<mesh filename="part.dae" scale="1 -1 2"/>'
    (solid,) = read(folder, robot("", shape=mesh))[1]
    a, b, c = (solid.vertices[solid.triangles[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(2)


@pytest.mark.parametrize("given", ["robots", 3, [3], {"a": 1}])
def test_folders_of_packages_are_checked(folder, given):
    with pytest.raises(ls.ModelError, match="package_dirs is .*expected a list of folders"):
        read(folder, robot("a.stl"), package_dirs=given)
