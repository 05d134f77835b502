"""Operational-space compliance of frames, by one sweep.

Notation: c the frames of interest on a body, t its nodes that carry children
  Y_c = phi_c - M_rf W Pi_hat_c^T      S_xy = Pi_hat_x W Pi_hat_y^T                      (1)
  F_c  unit forces on the body's own frames, zeta the children's Z+ at its nodes
  Z_R = -Y_c F_c + Y_t (E S_tc F_c + N zeta),   U = -H Z_R,   Z+ = Z_R + G U              (2)
  J M^-1 J^T += F_c^T (S_cc - S_ct E S_tc) F_c - F_c^T S_ct N zeta - (...)^T
                + zeta^T S_tt N zeta + U^T D^-1 U                                         (3)
The sweep is independent of the number of modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import StateError
from ...system import GROUND, System
from ..tree.arguments import check_axes
from ..tree.body_terms import node_motion
from ..tree.reference import Articulated, BodyMotion, outboard_rows
from .algebra import Label, SpatialOperator

Array = np.ndarray


class FramePicker(SpatialOperator):
    """Map from the body space to velocities of frames: [Pi_hat_c, phi_c^T], axes changed."""

    def __init__(
        self,
        label: Label,
        system: System,
        motions: Sequence[BodyMotion],
        bodies: Sequence[slice],
        frames: Sequence[Any],
        axes: str,
    ) -> None:
        check_axes(axes)
        if not len(frames):
            raise StateError('no frames given; name at least one "body", "body.node" or frame')
        super().__init__(label, (6 * len(frames), bodies[-1].stop))
        self._bodies = bodies
        # (body, axes (6, 6), Pi_hat (6, n_mode), phi (6, 6)) of each frame
        self.frames = []
        for where in frames:
            frame = system.place(where)
            if frame.grounded:
                raise StateError(
                    f"frame {frame.name!r} is fixed to the ground and does not move; name one on a "
                    "body"
                )
            i, motion = frame.body, motions[frame.body]
            eta, eta_dot = motion.eta, motion.eta_dot
            node = node_motion(system.bodies[i], frame.node, eta, eta_dot, motion.velocity)
            attitude, _ = frame.pose(node.rotation, node.position)
            turn = motion.world_rotation if axes == "world" else attitude.T
            shapes = frame.velocity(node.shapes, node.rotation)
            shift = frame.velocity(node.shift.T, node.rotation).T
            self.frames.append((i, np.kron(np.eye(2), turn), shapes, shift))

    def _apply(self, x: Array) -> Array:
        pieces = []
        for i, turn, Pi_hat, phi in self.frames:
            body = x[self._bodies[i]]
            pieces.append(turn @ (Pi_hat @ body[:-6] + phi.T @ body[-6:]))
        return np.concatenate(pieces)

    def _apply_transpose(self, y: Array) -> Array:
        x = np.zeros((self.shape[1], y.shape[1]), dtype=np.result_type(self.dtype, y))
        for k, (i, turn, Pi_hat, phi) in enumerate(self.frames):
            force = turn.T @ y[6 * k : 6 * k + 6]
            x[self._bodies[i]] += np.concatenate([Pi_hat.T @ force, phi @ force])
        return x


def frame_compliance(
    system: System,
    motions: Sequence[BodyMotion],
    articulated: Sequence[Articulated],
    picker: FramePicker,
) -> Array:
    """Compliance J M^-1 J^T of the frames of a picker, shape (6 k, 6 k)."""
    n = picker.shape[0]
    result = np.zeros((n, n), picker.dtype)
    zeta = {i: np.zeros((6 * len(t), n), picker.dtype) for i, t in enumerate(system.outboard_nodes)}
    busy = {i for i, *_ in picker.frames}
    for i in reversed(range(system.n_body)):
        if i not in busy:
            continue
        added, Z_plus = _cross_body(
            motions[i], articulated[i], _frames_on_body(picker, i, n), zeta.pop(i)
        )
        result += added
        if (p := int(system.parent[i])) != GROUND:
            busy.add(p)
            zeta[p][outboard_rows(system, i)] += motions[i].transform.T @ Z_plus
    return (result + result.T) / 2


def _frames_on_body(picker: FramePicker, i: int, n: int) -> tuple[Array, Array, Array]:
    """Stacked Pi_hat_c, phi_c and F_c of the frames on body i."""
    mine = [(k, frame) for k, frame in enumerate(picker.frames) if frame[0] == i]
    F = np.zeros((6 * len(mine), n), picker.dtype)
    for row, (k, (_, turn, _, _)) in enumerate(mine):
        F[6 * row : 6 * row + 6, 6 * k : 6 * k + 6] = turn.T
    shapes = [frame[2] for _, frame in mine]
    shifts = [frame[3] for _, frame in mine]
    n_mode = picker._bodies[i].stop - picker._bodies[i].start - 6
    Pi_c = np.concatenate([np.zeros((0, n_mode)), *shapes])
    return Pi_c, np.concatenate([np.zeros((6, 0)), *shifts], axis=1), F


def _cross_body(
    motion: BodyMotion, block: Articulated, on_frames: tuple[Array, Array, Array], zeta: Array
) -> tuple[Array, Array]:
    """Contribution of one body to the compliance (3), and Z+ inboard of its hinge (2)."""
    Pi_c, phi_c, F = on_frames
    W, M_rf, Ht = block.W, motion.terms.M_rf, motion.motion_map
    Pi_t = motion.outboard_shapes
    Y_c = phi_c - M_rf @ W @ Pi_c.T  # (1)
    S_cc, S_ct = Pi_c @ W @ Pi_c.T, Pi_c @ W @ Pi_t.T
    passed = block.N @ zeta
    Z_R = -Y_c @ F + block.Y @ (block.E @ (S_ct.T @ F) + passed)  # (2)
    U = -Ht.T @ Z_R
    mixed = F.T @ (S_ct @ passed)
    added = F.T @ (S_cc - S_ct @ block.E @ S_ct.T) @ F - mixed - mixed.T  # (3)
    added = added + zeta.T @ (block.S @ passed) + U.T @ np.linalg.solve(block.hinge_inertia, U)
    return added, Z_R + block.hinge_gain @ U
