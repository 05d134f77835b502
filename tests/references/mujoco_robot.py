"""A branched robot with every joint that MuJoCo and lissom share, in both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import lissom as ls

ROBOT = """
<mujoco>
  <compiler angle="radian" autolimits="false"/>
  <option gravity="0.7 -1.3 -9.81"/>
  <worldbody>
    <body name="hub" pos="0.1 0.2 1.0">
      <freejoint/>
      <inertial pos="0.05 -0.02 0.03" mass="12" fullinertia="0.9 0.8 1.1 0.05 -0.04 0.02"/>
      <body name="upper" pos="0.3 0.1 0" quat="0.8 0.2 -0.4 0.4">
        <joint type="hinge" axis="0.2 1 -0.3"/>
        <inertial pos="0.4 0.02 0" mass="3" fullinertia="0.03 0.15 0.16 0.01 0 -0.005"/>
        <body name="lower" pos="0.8 0 0.05" quat="0.9 -0.1 0.3 0.3">
          <joint type="hinge" axis="0 0 1"/>
          <joint type="hinge" axis="0.1 1 0.4"/>
          <inertial pos="0.3 0 -0.03" mass="2" fullinertia="0.03 0.08 0.07 0 0.004 0.002"/>
          <body name="hand" pos="0.6 -0.1 0" quat="0.5 0.5 -0.5 0.5">
            <joint type="ball"/>
            <inertial pos="0.1 0.04 0.02" mass="0.7" fullinertia="0.004 0.005 0.003 0.001 0 0"/>
          </body>
        </body>
      </body>
      <body name="mast" pos="-0.2 0 0.4" quat="0.7 0.7 0.1 -0.1">
        <joint type="slide" axis="1 0.5 2"/>
        <inertial pos="0 0 0.5" mass="4" fullinertia="0.3 0.31 0.05 0 0.01 0"/>
        <body name="plate" pos="0 0.1 1.0" quat="0.3 0.9 0.1 0.3">
          <joint type="slide" axis="1 0 0"/>
          <joint type="slide" axis="0 1 0"/>
          <joint type="hinge" axis="0 0 1"/>
          <inertial pos="0.1 0 0" mass="1.5" fullinertia="0.03 0.02 0.04 0.002 0 -0.003"/>
        </body>
        <body name="dish" pos="0.2 0 0.6" quat="1 0.2 0.3 0">
          <inertial pos="0 0.1 0" mass="0.8" fullinertia="0.01 0.012 0.015 0 0 0.001"/>
        </body>
      </body>
    </body>
    <body name="piston" pos="2 0 0" quat="0.6 0.2 0.7 -0.2">
      <joint type="hinge" axis="0.3 0.2 1"/>
      <joint type="slide" axis="0.3 0.2 1"/>
      <inertial pos="0.2 0.1 0" mass="5" fullinertia="0.2 0.1 0.25 0.02 0.01 0"/>
    </body>
  </worldbody>
</mujoco>
"""
ROBOT_JOINTS = {
    "hub": lambda axes: ls.Free(),
    "upper": lambda axes: ls.Revolute(axes[0]),
    "lower": lambda axes: ls.Universal(axes[0], axes[1]),
    "hand": lambda axes: ls.Spherical(),
    "mast": lambda axes: ls.Prismatic(axes[0]),
    "plate": lambda axes: ls.Planar(axes[2]),
    "dish": lambda axes: ls.Fixed(),
    "piston": lambda axes: ls.Cylindrical(axes[0]),
}


@dataclass
class Robot:
    """The robot in MuJoCo and in lissom, in one state.

    MuJoCo's free joint has its linear velocity in world axes, so that its speeds are ``turn @ v``,
    and their rates ``turn @ vdot + drift``.
    """

    mujoco: object
    model: object
    data: object
    system: ls.System
    state: ls.State
    turn: np.ndarray
    drift: np.ndarray

    @property
    def mass(self):
        """MuJoCo's mass matrix, column by column."""
        n = self.model.nv
        columns = np.zeros((n, n))
        for column, unit in zip(columns, np.eye(n), strict=True):
            self.mujoco.mj_mulM(self.model, self.data, column, unit)
        return columns.T


def matrix_of(mujoco, quaternion):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, quaternion)
    return R.reshape(3, 3)


def robot_system(mujoco, m) -> ls.System:
    """The compiled MuJoCo model, read body by body."""
    model = ls.Model("robot", gravity=m.opt.gravity)
    for name, joint in ROBOT_JOINTS.items():
        body = m.body(name)
        axes = m.jnt_axis[body.jntadr[0] : body.jntadr[0] + body.jntnum[0]]
        R = matrix_of(mujoco, body.iquat)
        carrier = m.body(int(body.parentid[0])).name
        free = name == "hub"  # MuJoCo counts a free body's position from the world's origin
        model.add(
            ls.RigidBody(body.mass[0], body.ipos, R @ np.diag(body.inertia) @ R.T),
            joint(axes),
            name=name,
            to=None if carrier == "world" else carrier,
            at=np.zeros(3) if free else body.pos,
            rotation=np.eye(3) if free else matrix_of(mujoco, body.quat),
        )
    return model.compile()
