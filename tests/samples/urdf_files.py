"""Robots as URDF files."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

from tests.references.peers import missing_peer

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <material name="steel"><color rgba="0.5 0.5 0.6 1"/></material>
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.5" rpy="0 0 0"/>
      <mass value="2.0"/>
      <inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual>
      <origin xyz="0 0 0.5"/>
      <geometry><cylinder radius="0.05" length="1.0"/></geometry>
      <material name="steel"/>
    </visual>
  </link>
  <link name="tool.flange">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0.3 0.2 0.1"/>
      <mass value="0.5"/>
      <inertia ixx="0.01" iyy="0.02" izz="0.025"/>
    </inertial>
    <visual><geometry><box size="0.2 0.1 0.1"/></geometry></visual>
  </link>
  <link name="slider">
    <inertial><mass value="1.0"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.2" rpy="0 0.5 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="2" effort="30" velocity="3"/>
    <dynamics damping="0.3" friction="0.1"/>
  </joint>
  <joint name="weld" type="fixed">
    <parent link="upper"/><child link="tool.flange"/>
    <origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="tool.flange"/><child link="slider"/>
    <origin xyz="0.2 0 0" rpy="1 0 0"/>
    <axis xyz="0 0 2"/>
    <limit lower="0" upper="0.4" effort="10" velocity="1"/>
    <mimic joint="shoulder" multiplier="0.5" offset="0.1"/>
  </joint>
</robot>
"""


def write_text(folder, text, name="robot.urdf"):
    path = folder / name
    path.write_text(text)
    return path


def triangle_stl():
    corners = "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
    return f"solid a\nfacet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\nendsolid a\n"


def robot_file(name) -> Path:
    """A file of the package example-robot-data."""
    try:
        data = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError as error:
        missing_peer("example-robot-data", error)
    return Path(str(data.locate_file(f"cmeel.prefix/share/example-robot-data/robots/{name}")))
