"""Robots from URDF files: what is read, what is refused, and where."""

from __future__ import annotations

import logging
from functools import partial

import numpy as np
import pytest

import lissom as ls
from lissom.bodies import solids
from lissom.io.urdf.robot import read_urdf
from tests.samples.urdf_files import ARM, triangle_stl, write_text


@pytest.fixture
def write(tmp_path):
    return partial(write_text, tmp_path)


def test_links_joints_and_what_else_the_file_says(write):
    robot = read_urdf(write(ARM))
    assert robot.joints == {"shoulder": "upper", "weld": "tool_flange", "slide": "slider"}
    assert robot.links["tool.flange"] == "tool_flange"
    assert (robot.limits["shoulder"].lower, robot.limits["shoulder"].effort) == (-1.5, 30)
    assert robot.damping == {"shoulder": 0.3} and robot.friction == {"shoulder": 0.1}
    assert (robot.mimics["slide"].joint, robot.mimics["slide"].multiplier) == ("shoulder", 0.5)
    system = robot.model.compile()
    assert system.names == ("base", "upper", "tool_flange", "slider")
    assert system.n_v == 2
    (cylinder,) = system.bodies[1].solids
    assert isinstance(cylinder, solids.Cylinder) and cylinder.color == "#808099"


def test_merged_links_move_the_same(write):
    path = write(ARM)
    whole, merged = (
        read_urdf(path, merge_fixed=x, mimics="free").model.compile() for x in (False, True)
    )
    assert merged.n_body == whole.n_body - 1
    q, v = np.array([0.4, 0.2]), np.array([1.1, -0.7])
    states = whole.state(q, v), merged.state(q, v)
    for quantity in (ls.mass_matrix, ls.bias_force, ls.forward_dynamics):
        a, b = (quantity(s, x) for s, x in zip((whole, merged), states, strict=True))
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    assert ls.energy(whole, states[0]).total == pytest.approx(ls.energy(merged, states[1]).total)
    for link in ("slider", "tool_flange"):  # the flange is a body, and a frame on the upper arm
        a, b = (ls.pose(s, x, link) for s, x in zip((whole, merged), states, strict=True))
        np.testing.assert_allclose(a.position, b.position, atol=1e-14)
        np.testing.assert_allclose(a.rotation, b.rotation, atol=1e-14)
    assert len(merged.bodies[1].solids) == 2
    assert read_urdf(path, merge_fixed=True).links["tool.flange"] == "upper"


def test_asking_for_a_merged_link_says_into_what_it_was_merged(write):
    robot = read_urdf(write(ARM), merge_fixed=True)
    system = robot.model.compile()
    words = "'tool_flange' is a frame on body 'upper'.*merged.*use 'upper'"
    for call in (
        lambda: system.state(tool_flange=0.3),
        lambda: system.neutral()["tool_flange.rates"],
        lambda: system.layout.hinge_q("tool_flange"),
        lambda: ls.simulate(system, duration=1.0, loads=[ls.Actuator("tool_flange", 1.0)]),
        lambda: robot.model.replace("tool_flange", ls.RigidBody(1.0)),
    ):
        with pytest.raises(ls.LissomError, match=words):
            call()
    assert "merged" in repr(robot) and "tool.flange into upper" in repr(robot)


def test_a_flexible_body_takes_the_place_of_a_link(write):
    robot = read_urdf(write(ARM), merge_fixed=True)
    boom = ls.beam(1.0, ls.Tube(0.05, 0.002), ls.ALUMINIUM, bending=1, torsion=0, stretch=0)
    robot.model.replace("slider", boom)
    assert robot.model.compile().n_v == 4


@pytest.mark.parametrize(
    ("old", "new", "where", "words"),
    [
        (
            '<mass value="2.0"/>',
            '<mass value="two"/>',
            "",
            'of <link name="upper">: value="two"; expected one finite number [kg]',
        ),
        ('<mass value="2.0"/>', '<mass value="-2"/>', "", "must not be negative"),
        ('<mass value="2.0"/>', "", "<inertial>", "has no <mass>"),
        ('xyz="0 0 0.5" rpy="0 0 0"', 'xyz="0 0"', "", "expected 3 finite numbers"),
        ('izz="0.01"', 'izz="nan"', "", "expected one finite number [kg m^2]"),
        ('izz="0.01"', 'izz="0.9"', '<link name="upper"', "triangle inequality"),
        ('type="revolute"', 'type="hinge"', "", "hinge"),
        ('<parent link="base"/>', '<parent link="bas"/>', "", "did you mean 'base'"),
        ('<child link="slider"/>', '<child link="upper"/>', '"slide" type', "already carries"),
        ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', "", "give a direction"),
        ('lower="-1.5"', 'lower="5"', "", "above upper"),
        ('damping="0.3"', 'damping="-1"', "", "must not be negative"),
        ('<link name="slider">', '<link name="upper">', "", "of this name on line 5"),
        ('mimic joint="shoulder"', 'mimic joint="elbow"', "", "there is no joint 'elbow'"),
        ('<cylinder radius="0.05" length="1.0"/>', "", "<geometry>", "empty"),
        ('size="0.2 0.1 0.1"', 'size="0.2 0 0.1"', "", 'size="0.2 0 0.1"; sizes must be positive'),
        (
            'rgba="0.5 0.5 0.6 1"',
            'rgba="0.5 0.5"',
            "",
            "expected 4 finite numbers from 0 to 1, not 2",
        ),
        ('<mass value="2.0"/>', '<mass value="${m}"/>', "", "this is xacro, expand the file first"),
        ('<mass value="2.0"/>', '<mass value=""/>', "", 'value="" is empty; give value="..."'),
        ('xyz="0 0 0.2"', 'xyz="0,0,0.2"', "", "[m], with decimal points and separated by spaces"),
        ('<child link="upper"/>', '<child link="base"/>', '<joint name="sh', "'base' -> 'base'"),
        (
            '<parent link="base"/>',
            '<parent link="slider"/>',
            '<joint name="shoulder"',
            "'upper' -> 'slider' -> 'tool.flange' -> 'upper'; URDF supports trees",
        ),
        (
            '<limit lower="-1.5" upper="2" effort="30" velocity="3"/>',
            "",
            "<joint",
            "has no <limit>",
        ),
        ('<mass value="2.0"/>', '<mass value="1"/><mass value="1"/>', "", "another <mass> on line"),
        ('<link name="base"/>', '<link name="b"/>', "<parent", "there is no link 'base'"),
        ('radius="0.05"', 'radius="-1"', "", "must be positive"),
        ('<?xml version="1.0"?>', '<!DOCTYPE r [<!ENTITY a "b">]>', "", "rejected for safety"),
        ('<link name="base"/>', "<link/>", "", "has no name; give name"),
        ("<link name=", "<xacro:link name=", "", "xacro"),
    ],
)
def test_mistakes_are_named_by_file_line_and_element(write, old, new, where, words):
    line = ARM[: ARM.index(where or old)].count("\n") + 1
    path = write(ARM.replace(old, new, 1))
    with pytest.raises(ls.ModelError) as error:
        read_urdf(path)
    message = str(error.value)
    assert words in message
    assert message.startswith(f"{path}:{line}:"), message


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("</robot>", "", "<robot> on line 2 is not closed; add </robot>"),
        ("</inertial>", "", "<inertial> on line 6 is not closed"),
        ('<robot name="arm">', '<robo name="arm">', "<robo> on line 2 is not closed"),
        (ARM, "", "the file contains no element; check the path"),
        ('name="base"', 'name="base', "correct the file at this position or just before it"),
        ('name="base"', 'name="&b;"', "undefined entity; correct the file"),
    ],
)
def test_broken_xml_says_where(write, old, new, words):
    path = write(ARM.replace(old, new, 1))
    with pytest.raises(ls.ModelError, match=r"robot\.urdf:\d+:\d+: not well-formed XML") as error:
        read_urdf(path)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<?xml version="1.0" encoding="klingon"?><robot/>', ":1: .*klingon.*save it as UTF-8"),
        ("<sdf/>", ":1: <sdf>: not a URDF file: this is SDF; convert it"),
        ("<mujoco/>", "this is MuJoCo's format"),
        ("<html/>", "the root element of a URDF file is <robot>"),
        ('<robot name="a"/>', "has no <link>; add at least one"),
    ],
)
def test_what_is_no_robot_is_named(write, text, words):
    with pytest.raises(ls.ModelError, match=words):
        read_urdf(write(text))


def test_numbers_that_overflow_are_refused(write):
    heavy = write(ARM.replace('xyz="0.1 0 0"', 'xyz="1e200 0 0"'))
    with pytest.raises(ls.ModelError, match=r':5: <link name="upper">: .*too large.*smaller'):
        read_urdf(heavy, merge_fixed=True)
    far = write(ARM.replace('xyz="0.2 0 0" rpy="1 0 0"', 'xyz="1.7e308 1.7e308 1.7e308"'))
    with pytest.raises(ls.ModelError, match=r':39: <joint name="slide">: .*too far.*smaller'):
        read_urdf(far, merge_fixed=True)


@pytest.mark.parametrize("size", ["1e-320", "1e300", "1"])
def test_an_axis_is_a_direction_of_any_length(write, size):
    path = write(ARM.replace('<axis xyz="0 1 0"/>', f'<axis xyz="0 {size} 0"/>'))
    assert read_urdf(path).model.parts["upper"].joint.axis.tolist() == [0, 1, 0]


def test_dots_of_names_must_not_make_two_links_one(write):
    with pytest.raises(ls.ModelError, match=r"as the link 'tool\.flange', because dots become"):
        read_urdf(write(ARM.replace('"slider"', '"tool_flange"')))


def test_an_inertia_that_no_body_can_have_is_kept_on_request(write, caplog):
    path = write(ARM.replace('izz="0.01"', 'izz="0.9"'))
    with caplog.at_level(logging.WARNING, "lissom"):
        system = read_urdf(path, unphysical="keep").model.compile()
    assert "upper" in caplog.text and "used unchanged" in caplog.text
    moment = ls.mass_matrix(system, system.neutral())[0, 0]
    assert moment > 0


def test_expanding_entities_is_refused_at_once(write):
    bomb = "\n".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 10))
    path = write(f'<!DOCTYPE r [<!ENTITY e0 "lol">\n{bomb}]><robot name="&e9;"/>')
    with pytest.raises(ls.ModelError, match="rejected for safety"):
        read_urdf(path)


def test_deep_nesting_is_refused(write):
    with pytest.raises(ls.ModelError, match="more than 64 levels deep"):
        read_urdf(write("<robot>" + "<a>" * 100_000))


def test_rings_and_several_bases_are_refused(write):
    with pytest.raises(
        ls.ModelError, match="one link that no joint carries.*it has 2: 'base', 'b2'; add joints"
    ):
        read_urdf(write(ARM.replace('<link name="base"/>', '<link name="base"/><link name="b2"/>')))


@pytest.mark.parametrize(
    "settings",
    [
        {"base": "loose"},
        {"unphysical": "ignore"},
        {"merge_fixed": "yes"},
        {"meshes": 1},
        {"packages": 3},
        {"packages": {"a": 3}},
    ],
)
def test_choices_are_checked(write, settings):
    with pytest.raises(
        ls.ModelError, match=f"read_urdf: {next(iter(settings))} is .*(use|expected)"
    ):
        read_urdf(write(ARM), **settings)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(ls.ModelError, match=r"nothing\.urdf.*check the path"):
        read_urdf(tmp_path / "nothing.urdf")
    for name in ("a\0b.urdf", "x" * 5000):
        with pytest.raises(ls.ModelError, match="cannot be read"):
            read_urdf(name)


def test_free_base_falls(write):
    inertial = '<inertial><mass value="9"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    text = ARM.replace('<link name="base"/>', f'<link name="base">{inertial}</link>')
    system = read_urdf(write(text), base="free", mimics="free").model.compile()
    assert system.n_v == 8
    fall = ls.forward_dynamics(system, system.neutral())
    np.testing.assert_allclose(fall[[3, 4, 5]], [0, 0, -9.81], atol=1e-12)


@pytest.mark.parametrize("name", ["part.stl", "part.obj", "binary.stl"])
def test_meshes_are_read_for_pictures(write, tmp_path, name):
    if name == "part.stl":
        (tmp_path / name).write_text(triangle_stl())
    elif name == "part.obj":
        (tmp_path / name).write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    else:
        corners = np.array([[0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0]], dtype="<f4").tobytes()
        (tmp_path / name).write_bytes(b" " * 80 + (1).to_bytes(4, "little") + corners + b"\0\0")
    mesh = f'<mesh filename="{name}" scale="2 2 2"/>'
    path = write(ARM.replace('<box size="0.2 0.1 0.1"/>', mesh))
    (solid,) = read_urdf(path).model.compile().bodies[2].solids
    assert isinstance(solid, solids.Mesh)
    assert solid.vertices.max() == 2
    assert len(solid.triangles) == (2 if name.endswith("obj") else 1)


def test_meshes_that_are_missing_or_broken_are_left_out_and_named(write, tmp_path, caplog):
    (tmp_path / "broken.stl").write_bytes(b"solid nothing")
    for name in ("broken.stl", "absent.stl", "shape.dae"):
        path = write(ARM.replace('<box size="0.2 0.1 0.1"/>', f'<mesh filename="{name}"/>'))
        with caplog.at_level(logging.INFO, "lissom"):
            assert read_urdf(path).model.compile().bodies[2].solids == ()
        assert name in caplog.text
