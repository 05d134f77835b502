"""Positions of all particles and frames of a mechanism, and their time derivatives, by CasADi.

The only mechanics here is geometry: where a point is. `PointFunctions` differentiates along
qdot = N(q) v, once for velocities and twice for accelerations.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from . import joints
from .description import FULL, Body, Mechanism

FrameKey = tuple[int, int | None]


@dataclass(frozen=True)
class Layout:
    """Slices of q and v: body by body, each [modal, hinge]."""

    modal_q: list[slice]
    hinge_q: list[slice]
    modal_v: list[slice]
    hinge_v: list[slice]
    n_q: int
    n_v: int

    @classmethod
    def of(cls, mechanism: Mechanism) -> Layout:
        modal_q, hinge_q, modal_v, hinge_v = [], [], [], []
        n_q = n_v = 0
        for link in mechanism.links:
            n_mode, (n_hinge_q, n_hinge_v) = link.body.n_mode, joints.sizes(link.joint)
            modal_q.append(slice(n_q, n_q + n_mode))
            modal_v.append(slice(n_v, n_v + n_mode))
            n_q, n_v = n_q + n_mode, n_v + n_mode
            hinge_q.append(slice(n_q, n_q + n_hinge_q))
            hinge_v.append(slice(n_v, n_v + n_hinge_v))
            n_q, n_v = n_q + n_hinge_q, n_v + n_hinge_v
        return cls(modal_q, hinge_q, modal_v, hinge_v, n_q, n_v)


def node_pose(body: Body, node: int | None, rotation, position, eta):
    """World pose of a node (None: the body frame) of a body whose own world pose is given."""
    if node is None:
        return rotation, position
    if body.level != FULL or body.own_shapes is None:
        turned, arm = displaced(body.positions[node], body.shapes[node], eta)
        return rotation @ turned, position + rotation @ arm
    held, origin = displaced(body.positions[body.inboard], body.own_shapes[body.inboard], eta)
    turned, arm = displaced(body.positions[node], body.own_shapes[node], eta)
    rotation = rotation @ held.T  # of the frame of the shapes
    return rotation @ turned, position + rotation @ (arm - origin)


def displaced(place, shape, eta):
    """Attitude and position of a node in the frame of its shapes."""
    return joints.small_turn(ca.DM(shape[:3]) @ eta), place + ca.DM(shape[3:]) @ eta


def body_poses(mechanism: Mechanism, layout: Layout, q) -> list[tuple[ca.SX, ca.SX]]:
    """World poses (rotation, position) of the body frames, base to tip."""
    poses = []
    for i, link in enumerate(mechanism.links):
        rotation, position = ca.SX.eye(3), ca.SX.zeros(3)
        if link.parent >= 0:
            parent = mechanism.links[link.parent].body
            eta = q[layout.modal_q[link.parent], 0]
            rotation, position = node_pose(parent, link.node, *poses[link.parent], eta)
        position = position + rotation @ link.at
        rotation = rotation @ link.rotation
        turned, moved = joints.configuration(link.joint, q[layout.hinge_q[i], 0])
        poses.append((rotation @ turned, position + rotation @ moved))
    return poses


class PointFunctions:
    """Compiled positions, velocities and accelerations of a mechanism's points.

    A point is a column of three numbers. First the particles, in the order of `particle_frame`,
    then origin and three axes of each frame, in the order of `frames`.
    """

    def __init__(self, mechanism: Mechanism):
        self.layout = layout = Layout.of(mechanism)
        self.frames: list[FrameKey] = []
        self.particle_frame: list[FrameKey] = []
        q, v = ca.SX.sym("q", layout.n_q), ca.SX.sym("v", layout.n_v)
        points = self._points(mechanism, q)
        qdot = self._rates(mechanism, q, v)
        velocities = ca.jtimes(points, q, qdot)
        accelerations = ca.jtimes(velocities, q, qdot)
        self._motion = ca.Function("motion", [q, v], [points, accelerations])
        self._velocity = ca.Function("velocity", [q, v], [velocities, qdot])

    def _points(self, mechanism: Mechanism, q) -> ca.SX:
        particles, axes = [], []
        poses = body_poses(mechanism, self.layout, q)
        for i, link in enumerate(mechanism.links):
            eta = q[self.layout.modal_q[i], 0]
            for node in [None, *range(len(link.body.positions))]:
                rotation, position = node_pose(link.body, node, *poses[i], eta)
                self.frames.append((i, node))
                axes += [position, rotation]
                if node in link.body.clouds:
                    offsets = link.body.clouds[node].offsets
                    self.particle_frame += [(i, node)] * len(offsets)
                    particles += [position + rotation @ offset for offset in offsets]
        return ca.densify(ca.horzcat(*particles, *axes))

    def _rates(self, mechanism: Mechanism, q, v) -> ca.SX:
        rates = []
        for i, link in enumerate(mechanism.links):
            rates.append(v[self.layout.modal_v[i], 0])
            hinge_q, hinge_v = q[self.layout.hinge_q[i], 0], v[self.layout.hinge_v[i], 0]
            rates.append(joints.coordinate_rates(link.joint, hinge_q, hinge_v))
        return ca.densify(ca.vertcat(*rates))

    def motion(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (points, 3), and accelerations (points, 3) at vdot = 0."""
        positions, accelerations = self._motion(q, v)
        return positions.full().T, accelerations.full().T

    def velocity_map(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J (points, 3, n_v) with velocities = J v, and N (n_q, n_v) with qdot = N v."""
        n_v = self.layout.n_v
        velocities, rates = self._velocity(np.tile(q[:, None], n_v), np.eye(n_v))
        return velocities.full().reshape(3, n_v, -1).transpose(2, 0, 1), rates.full()
