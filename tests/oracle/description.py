"""Mechanisms as plain data: particles carried by bodies, bodies hung on each other by joints.

A body frame is the outboard frame of the body's joint. A node of a flexible body sits at
``position + shape[3:] @ eta`` and is turned by ``exp(skew(shape[:3] @ eta))``, in body axes. Every
particle rides on a body frame or on a node. Nothing else has mass: an inertia is six particles.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

FULL, LINEAR = "full", "linear"


@dataclass(frozen=True)
class Cloud:
    """Particles fixed in a frame: offsets (k, 3) [m] in its axes, masses (k,) [kg]."""

    offsets: np.ndarray
    masses: np.ndarray


@dataclass(frozen=True)
class Body:
    """A body in normalised form: its shapes are relative to its own body frame.

    Attributes
    ----------
    positions : (n, 3) node positions [m] from the body frame's origin, body axes.
    shapes : (n, 6, m) rotation rows first, zero at a node that is the body frame itself.
    stiffness, damping : (m, m) in the amplitudes of ``shapes``.
    clouds : particles on each node (key: node index) and on the body frame (key: None).
    level : ``full``, or ``linear``: own inertia and bias terms of the undeformed body.
    own_shapes : (n, 6, m) at level ``full``: the shapes in a frame of their own, in which node
        ``inboard``, the body frame, moves too.
    """

    name: str
    clouds: dict[int | None, Cloud]
    positions: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    shapes: np.ndarray = field(default_factory=lambda: np.zeros((0, 6, 0)))
    stiffness: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    damping: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    level: str = FULL
    own_shapes: np.ndarray | None = None
    inboard: int = 0

    @property
    def n_mode(self) -> int:
        return self.shapes.shape[2]


@dataclass(frozen=True)
class Joint:
    """A joint: its kind, and the parameters that kind needs.

    ``fixed``, ``revolute(axis)``, ``prismatic(axis)``, ``screw(axis, pitch)``,
    ``cylindrical(axis)``, ``universal(axis, axis2)``, ``planar(axis)``, ``spherical``, ``free``,
    ``simple(maps[0])``, ``compound(maps)``. An axis is "x", "y", "z" or three numbers.
    """

    kind: str
    axis: object = None
    axis2: object = None
    pitch: float = 0.0
    maps: tuple[np.ndarray, ...] = ()


@dataclass(frozen=True)
class Link:
    """A body, its joint, and where the joint's inboard frame sits.

    Attributes
    ----------
    parent : index of the parent body, -1 for the ground.
    node : index of the parent's node, None for the parent's body frame.
    at, rotation : (3,) and (3, 3), the joint's inboard frame on that frame.
    """

    body: Body
    joint: Joint
    parent: int = -1
    node: int | None = None
    at: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))


@dataclass(frozen=True)
class Mechanism:
    """Links ordered base to tip, every parent before its children, and gravity (3,) [m/s²]."""

    links: tuple[Link, ...]
    gravity: np.ndarray = field(default_factory=lambda: np.zeros(3))


def six_particles(mass: float, com: np.ndarray, inertia: np.ndarray) -> Cloud:
    """Six equal particles with exactly this mass, centre of mass and inertia (3, 3) about it.

    A pair of particles sits on each principal axis, at ``com ± d_k e_k``. Their second moment
    ``2 (m/6) d_k²`` must be ``tr(inertia)/2 - I_k``.
    """
    moments, axes = np.linalg.eigh(np.asarray(inertia, float))
    second_moments = moments.sum() / 2 - moments
    if mass <= 0 or second_moments.min() < -1e-12 * moments.max():
        raise ValueError(f"no particles of positive mass have mass {mass} and moments {moments}")
    arms = np.sqrt(3 * np.maximum(second_moments, 0) / mass) * axes
    offsets = np.asarray(com, float) + np.concatenate([arms.T, -arms.T])
    return Cloud(offsets, np.full(6, mass / 6))


def particle(mass: float, offset=(0.0, 0.0, 0.0)) -> Cloud:
    """One particle, by default at the origin of the frame that carries it."""
    return Cloud(np.array([offset], float), np.array([mass], float))


def rigid_body(name: str, cloud: Cloud | None) -> Body:
    """A rigid body; without a cloud it has no mass."""
    return Body(name, {} if cloud is None else {None: cloud})


def skew(a: np.ndarray) -> np.ndarray:
    """The matrix of ``a ×``."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], float)


def unit_axis(axis) -> np.ndarray:
    """An axis as a unit vector."""
    vector = np.eye(3)["xyz".index(axis)] if isinstance(axis, str) else np.asarray(axis, float)
    return vector / np.linalg.norm(vector)
