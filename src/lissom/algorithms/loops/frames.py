"""Loops of a system in a configuration: gaps, their Jacobian, and forces on the nodes.

Equations (1) and (2) of `closed_loops`, from poses and Jacobians of the nodes in world axes, which
are compiled where possible.

With N (6 x n) orthonormal, P = diag(length, 1) N:
  gap = P^T xi,     A = P^T [w_b - w_a; v_b - v_a],  velocities at the origin of frame b, its axes
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...errors import StateError
from ...joints import ClosedContact, Free
from ...joints.contacts import PlaneTouch
from ...joints.nearness import constraint_map, nearest_from, pose_error
from ...spatial import cross, rotate, skew
from ...system import GROUND, Coupling, Loop, LoopEnd, State, System
from ..tree.kinematics import Pose, node_jacobian, node_pose
from ..tree.reference import External
from .couplings import coupling_gaps, coupling_jacobian

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class PlacedLoop:
    """A loop in a given configuration."""

    loop: Loop
    # length that makes angles and moments comparable with displacements and forces [m]
    length: float
    nodes: tuple[Pose, Pose]  # nodes of ends a and b; the world frame for the ground
    frames: tuple[Pose, Pose]  # frames of ends a and b
    # earlier coordinates of the joint; without them the coordinates of a joint without a closed
    # formula are searched for from many starts
    near: Array | None = None

    @property
    def scale(self) -> Array:
        """Factors (6,) that convert motions [rad; m] to displacements [m]."""
        return np.array([self.length] * 3 + [1.0] * 3)

    @cached_property
    def relative(self) -> tuple[Array, Array]:
        """Frame b in frame a: rotation and position."""
        a, b = self.frames
        return a.rotation.T @ b.rotation, a.rotation.T @ (b.position - a.position)

    @cached_property
    def coordinates(self) -> Array:
        """Coordinates of the loop joint nearest to this pose."""
        joint = self.loop.joint
        if self.near is not None and joint.nearest_iterates:
            return nearest_from(joint, *self.relative, self.near)[0]
        return joint.nearest(*self.relative)

    @cached_property
    def touch(self) -> PlaneTouch | None:
        """Contact at rest in this pose, if it is one."""
        joint = self.loop.joint
        return (
            joint.touch(*self.relative, np.zeros(6)) if isinstance(joint, ClosedContact) else None
        )

    @cached_property
    def directions(self) -> Array:
        """Prevented motions N (6, n), [rotation times length; displacement], axes of b.

        Orthonormal for a joint.
        """
        if self.touch is not None:
            return self.touch.constraint_map / self.scale[:, None]
        Ht = self.loop.joint.motion_map(self.coordinates)
        return constraint_map(Ht, self.length) / self.scale[:, None]

    @cached_property
    def gap(self) -> Array:
        """Gap (n,) [m]; zero for constraints on velocities only."""
        if self.touch is not None:
            return self.touch.gap
        xi = pose_error(self.loop.joint, self.coordinates, *self.relative)
        return self.directions.T @ (self.scale * xi)

    @property
    def left(self) -> tuple[float, float]:
        """Displacement [m] and rotation [rad] of the gap."""
        if self.touch is not None:
            return float(np.abs(self.gap).max(initial=0.0)), 0.0
        xi = self.directions @ self.gap / self.scale
        return float(np.linalg.norm(xi[3:])), float(np.linalg.norm(xi[:3]))


def check_real(state: State, what: str) -> None:
    """Reject complex numbers and symbols, which have no nearest coordinates of loop joints."""
    if not state.real:
        raise StateError(f"{what} needs a state of real numbers: the system has loops or couplings")


def placed_loops(
    system: System,
    q: Array,
    loops: Sequence[Loop] | None = None,
    near: Sequence[Array] | None = None,
) -> list[PlacedLoop]:
    """All loops of a system, or some of them, at coordinates q.

    `near` are earlier coordinates of their joints, if known.
    """
    state = State.trusted(system, _near_the_origin(system, q), np.zeros(system.n_v))
    placed = []
    for k, loop in enumerate(system.loops if loops is None else loops):
        nodes = (_node(system, state, loop.a), _node(system, state, loop.b))
        frames = (_on(nodes[0], loop.a), _on(nodes[1], loop.b))
        before = None if near is None else near[k]
        placed.append(PlacedLoop(loop, system.length, nodes, frames, before))
    return placed


def _near_the_origin(system: System, q: Array) -> Array:
    """Coordinates with a floating system moved to the origin, for full precision."""
    roots = np.flatnonzero(system.parent == GROUND)
    grounded = any(end.body == GROUND for loop in system.loops for end in loop.ends)
    if grounded or len(roots) != 1 or not isinstance(system.joints[roots[0]], Free):
        return q
    near = q.copy()
    near[system.layout.hinge_q(int(roots[0]))][4:] = 0.0
    return near


def _node(system: System, state: State, end: LoopEnd) -> Pose:
    if end.body == GROUND:
        return Pose(position=np.zeros(3), rotation=np.eye(3))
    return node_pose(system, state, end.body, end.node)


def _on(node: Pose, end: LoopEnd) -> Pose:
    """Frame of a loop end, from the frame of its node."""
    position = node.position + node.rotation @ end.position
    return Pose(position=position, rotation=node.rotation @ end.rotation)


def closure_slices(system: System) -> list[slice]:
    """Rows of each loop in the closure equations, then of each coupling."""
    sizes = [one.n_constraint for one in system.constraints]
    ends = [int(x) for x in np.cumsum([0, *sizes])]
    return [slice(a, b) for a, b in pairwise(ends)]


def closure_gaps(
    system: System,
    q: Array,
    placed: Sequence[PlacedLoop],
    couplings: Sequence[Coupling] | None = None,
) -> Array:
    """Gaps (n,) [m] of placed loops, then of given couplings, by default all."""
    return np.concatenate([*(x.gap for x in placed), coupling_gaps(system, q, couplings)])


def closure_jacobian(
    system: System,
    q: Array,
    placed: Sequence[PlacedLoop],
    couplings: Sequence[Coupling] | None = None,
    *,
    of_gaps: bool = False,
) -> Array:
    """Jacobian A (n, n_v): speeds to the rates of `closure_gaps` [m/s].

    of_gaps: rows of constraints on velocities only, which have no gap, are zero.
    """
    rows = [np.zeros((0, system.n_v))]
    for placement in placed:
        P = placement.scale[:, None] * placement.directions
        row = P.T @ _relative_jacobian(system, q, placement)
        if of_gaps and isinstance(placement.loop.joint, ClosedContact):
            row[placement.loop.joint.n_gap :] = 0.0
        rows.append(row)
    return np.concatenate([*rows, coupling_jacobian(system, couplings)])


def _relative_jacobian(system: System, q: Array, placement: PlacedLoop) -> Array:
    """Jacobian (6, n_v): speeds to the velocity of frame b relative to a, axes and origin of b."""
    state = State.trusted(system, q, np.zeros(system.n_v))
    point, R = placement.frames[1].position, placement.frames[1].rotation
    motion = np.zeros((6, system.n_v))
    for end, node, sign in zip(placement.loop.ends, placement.nodes, (-1.0, 1.0), strict=True):
        if end.body != GROUND:
            J = node_jacobian(system, state, end.body, end.node)
            arm = skew(point - node.position)
            motion += sign * np.concatenate([J[:3], J[3:] - arm @ J[:3]])
    return rotate(R.T, motion)


def joint_jacobian(system: System, q: Array, placement: PlacedLoop) -> Array:
    """Jacobian (n, n_v): speeds of the system to those of a loop's joint.

    Its transpose maps forces along the joint to generalized forces (C 4.17).
    """
    Ht = placement.scale[:, None] * placement.loop.joint.motion_map(placement.coordinates)
    motion = placement.scale[:, None] * _relative_jacobian(system, q, placement)
    return np.linalg.lstsq(Ht, motion, rcond=None)[0]


def loop_external(placement: PlacedLoop, wrench: Array) -> External:
    """Forces on both nodes, in node axes, from [moment; force] on frame b in its axes.

    The opposite force acts on a, at the same point.
    """
    point, R = placement.frames[1].position, placement.frames[1].rotation
    moment, force = R @ wrench[:3], R @ wrench[3:]
    loads = []
    for end, node, sign in zip(placement.loop.ends, placement.nodes, (-1.0, 1.0), strict=True):
        if end.body != GROUND:
            at_node = np.concatenate([moment + cross(point - node.position, force), force])
            loads.append((end.body, end.node, sign * rotate(node.rotation.T, at_node)))
    return loads
