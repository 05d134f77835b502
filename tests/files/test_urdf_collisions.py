"""Collision elements of a URDF as shapes of contact."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom import shapes

LINKS = """<robot name="r">
<link name="base"><collision><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
<geometry><box size="1 2 3"/></geometry></collision>
<collision><geometry><sphere radius="0.2"/></geometry></collision></link>
<link name="foot.l"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision name="sole"><geometry><capsule radius="0.1" length="0.4"/></geometry></collision>
<collision><geometry><mesh filename="a.stl"/></geometry></collision></link>
<link name="toe"><collision><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>
</link>
<joint name="j" type="continuous"><parent link="base"/><child link="foot.l"/><axis xyz="0 1 0"/>
</joint>
<joint name="k" type="fixed"><parent link="foot.l"/><child link="toe"/><origin xyz="1 0 0"/></joint>
</robot>"""


def read(folder, text=LINKS, **settings):
    path = folder / "robot.urdf"
    path.write_text(text)
    return ls.read_urdf(path, **settings)


@pytest.mark.parametrize("merged", [False, True])
def test_collision_elements_are_shapes_of_their_links(merged, tmp_path):
    robot = read(tmp_path, collisions=True, merge_fixed=merged)
    placed = {x.name: x for x in robot.model.compile().shapes}
    assert {name: x.carrier for name, x in placed.items()} == {
        "base_collision_1": "base",
        "base_collision_2": "base",
        "sole": "foot_l",
        "toe_collision": "toe",  # a frame where links are merged
    }
    box, capsule = placed["base_collision_1"].shape, placed["sole"].shape
    assert isinstance(box, shapes.Box) and np.array_equal(box.size, (1, 2, 3))
    assert np.array_equal(box.at, (0, 0, 1))
    turn = Rotation.from_euler("xyz", (0.1, 0.2, 0.3)).as_matrix()
    assert np.allclose(box.rotation, turn, atol=1e-15)
    assert isinstance(capsule, shapes.Capsule) and (capsule.radius, capsule.length) == (0.1, 0.4)
    assert isinstance(placed["toe_collision"].shape, shapes.Cylinder)


def test_meshes_are_left_out_with_line_and_remedy(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        robot = read(tmp_path, collisions=True)
    (words,) = [x for x in robot.left_out if "no shape" in x]
    assert ":8:" in words and "a mesh is no shape of contact; add shapes" in words
    assert any("no shape of contact" in x.message for x in caplog.records)


def test_shapes_are_made_only_when_asked(tmp_path):
    assert not read(tmp_path).model.shapes
    with pytest.raises(ls.ModelError, match="collisions is 1; use True or False"):
        read(tmp_path, collisions=1)


def test_a_wrong_size_is_told_with_its_line(tmp_path):
    text = LINKS.replace('<sphere radius="0.2"/>', '<sphere radius="-1"/>')
    with pytest.raises(ls.ModelError, match=r":4: .*sizes must be positive"):
        read(tmp_path, text, collisions=True)


def test_a_robot_of_a_file_stands_on_the_ground(tmp_path):
    text = """<robot name="ball"><link name="ball"><inertial><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""
    model = read(tmp_path, text, base="free", collisions=True).model
    model.add_shape(shapes.HalfSpace(), name="ground")
    system = model.compile()
    load = ls.Contact("ball", "ground", ls.LinearContact(1e4, dissipation=10.0))
    start = system.state([1, 0, 0, 0, 0, 0, 0.1])
    run = ls.simulate(system, start, duration=1.0, loads=[load], progress=False)
    assert run["ball.position"][-1, 2] == pytest.approx(0.1 - 2 * 9.81 / 1e4, rel=1e-4)
