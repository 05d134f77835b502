"""Increments of coordinates, and characteristic sizes of motions and forces."""

from __future__ import annotations

import numpy as np

from ...system import System

Array = np.ndarray


def moved(system: System, q: Array, s: Array) -> Array:
    """Coordinates after small motions s (n_v,) of the speeds; quaternions keep their length.

    Joints that do not move keep their coordinates bit for bit.
    """
    if "plain moves" not in system.derived:
        system.derived["plain moves"] = _plain_moves(system)
    at_q, at_v, others = system.derived["plain moves"]
    new = q.copy()
    new[at_q] += s[at_v]
    for i in others:
        piece, motion = system.layout.hinge_q(i), s[system.layout.hinge_v(i)]
        if np.any(motion):
            new[piece] = system.joints[i].moved(q[piece], motion)
    return new


def _plain_moves(system: System) -> tuple[Array, Array, list[int]]:
    """Coordinates that are integrals of speeds, their speeds, and the joints with others."""
    at_q, at_v, others, layout = list[int](), list[int](), list[int](), system.layout
    for i, joint in enumerate(system.joints):
        pieces = [(layout.modal_q(i), layout.modal_v(i))]
        if all(chart.kind == "plain" for chart in joint.charts):
            pieces.append((layout.hinge_q(i), layout.hinge_v(i)))
        else:
            others.append(i)
        for q, v in pieces:
            at_q += range(q.start, q.stop)
            at_v += range(v.start, v.stop)
    return np.array(at_q, dtype=int), np.array(at_v, dtype=int), others


def error_sizes(system: System) -> tuple[Array, Array]:
    """Characteristic sizes of positions and of speeds (n_v,), for relative errors.

    Angles: 1 rad.  Translations: the largest distance between joints or nodes.  Modal coordinates:
    the amplitude that moves a node by the length of its body.  Speeds: these sizes per second,
    modal ones per radian of their vibration.
    """
    if "error sizes" in system.derived:
        return system.derived["error sizes"]
    length = system.length
    position, rate = np.ones(system.n_v), np.ones(system.n_v)
    for i, (body, joint) in enumerate(zip(system.bodies, system.joints, strict=True)):
        modal, hinge = system.layout.modal_v(i), system.layout.hinge_v(i)
        if body.n_mode:
            extent = np.linalg.norm(body.node_positions, axis=1).max() or length
            shifted = np.abs(body.node_shapes[:, 3:]).max(axis=(0, 1))
            turned = np.abs(body.node_shapes[:, :3]).max(axis=(0, 1))
            shape = np.maximum(shifted / extent, turned)
            position[modal] = 1 / np.where(shape > 0, shape, 1.0)
            rate[modal] = position[modal] * np.maximum(np.sqrt(body.stiffness), 1.0)
        slides = [unit == "m" and not joint.is_from_maps for _, unit in joint.speeds]
        position[hinge] = rate[hinge] = np.where(slides, length, 1.0)
    return system.derived.setdefault("error sizes", (position, rate))


def hinge_speeds(system: System) -> Array:
    """Mask (n_v,) of the hinge rates among the speeds; the others are modal."""
    mask = np.zeros(system.n_v, dtype=bool)
    for i in range(system.n_body):
        mask[system.layout.hinge_v(i)] = True
    return mask


def force_sizes(system: System) -> Array:
    """Generalized forces (n_v,) equivalent to 1 N: moments are 1 N times the system's length."""
    return system.length / error_sizes(system)[0]
