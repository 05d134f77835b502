"""How the tests measure errors and surfaces, and random states to measure at."""

from __future__ import annotations

import numpy as np

import lissom as ls

TOLERANCE = 1e-11
EPS = np.finfo(float).eps


def error(actual, expected, weight=1.0) -> float:
    """Largest deviation of the weighted entries, relative to the largest of them."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    size = np.max(np.abs(weight * expected), initial=0.0)
    deviation = np.max(np.abs(weight * (actual - expected)), initial=0.0)
    return float(deviation / size if size > 0 else deviation)


def forward_tolerance(mass) -> float:
    """Error that the conditioning of the mass matrix permits (the design's one error measure)."""
    condition = np.linalg.cond(mass)
    return TOLERANCE if condition <= 1e4 else 100 * EPS * condition


def random_unit(rng, n: int):
    x = rng.standard_normal(n)
    return x / np.linalg.norm(x)


def random_state(system: ls.System, rng, *, deformation=0.1, speed=1.0) -> ls.State:
    """State with modal coordinates of the size `deformation` and speeds of the size `speed`."""
    q = rng.uniform(-1.5, 1.5, system.n_q)
    for name, joint in zip(system.names, system.joints, strict=True):
        modes, hinge = system.layout.modal_q(name), system.layout.hinge_q(name)
        q[modes] = deformation * rng.standard_normal(modes.stop - modes.start)
        if joint.has_quaternion:
            q[hinge.start : hinge.start + 4] = random_unit(rng, 4)
    return system.state(q=q, v=speed * rng.standard_normal(system.n_v))


def seeded_state(system, seed=0, deformation=2e-2):
    rng = np.random.default_rng(seed)
    q = system.neutral().q + rng.uniform(-1, 1, system.n_q)
    for name, joint in zip(system.names, system.joints, strict=True):
        if joint.has_quaternion:
            piece = slice(system.layout.hinge_q(name).start, system.layout.hinge_q(name).start + 4)
            q[piece] /= np.linalg.norm(q[piece])
        q[system.layout.modal_q(name)] *= deformation
    return system.state(q, rng.standard_normal(system.n_v))


def volume(points, triangles):
    """By the divergence theorem: positive if triangles are counterclockwise from outside."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def surface_measures(points, triangles):
    """Area, volume and bounds."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    return area, volume(points, triangles), points.min(0), points.max(0)
