"""How stiff a system is, and what its errors are measured by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..joints import Cylindrical, Free, Planar, Prismatic
from ..system import System

__all__ = ["error_sizes", "fastest_rate"]

Array = np.ndarray

ITERATIONS = 30


def fastest_rate(solve: Callable[[Array], Array], K: Array, C: Array) -> float:
    """Fastest rate of vibration or decay [rad/s], by power iteration.

    The square root of the largest eigenvalue of M^-1 K, and the largest one of M^-1 C.

    Parameters
    ----------
    solve : callable
        Product of M^-1 and a vector.
    K, C : array (n_v,)
        Stiffness and damping on the speeds.
    """
    found = 0.0
    for diagonal, power in ((K, 0.5), (C, 1.0)):
        if not np.any(diagonal):
            continue
        x = np.sqrt(diagonal) * (1 + 0.1 * np.cos(np.arange(len(diagonal))))
        largest = 0.0
        for _ in range(ITERATIONS):
            force = diagonal * x
            y = solve(force)
            # Rayleigh's quotient in the norm of `diagonal`, in which the product is symmetric
            largest = float(force @ y / (force @ x))
            size = np.linalg.norm(y)
            if size == 0:  # all that is stiff is driven
                break
            if not np.isfinite(largest):
                return np.inf
            x = y / size
        found = max(found, largest**power)
    return found


def error_sizes(system: System) -> tuple[Array, Array]:
    """Sizes of positions and of speeds (n_v,): an error of so much would be total.

    Angles: 1 rad.  Translations: the largest distance between joints or nodes.  Modal coordinates:
    what moves a node by the length of its body.  Speeds: these sizes in a second, modal ones in a
    radian of their vibration.
    """
    lengths = [np.linalg.norm(system.frame_position, axis=-1).max(initial=0.0)]
    lengths += [np.linalg.norm(body.node_positions, axis=-1).max() for body in system.bodies]
    length = max(lengths) or 1.0
    position, rate = np.ones(system.n_v), np.ones(system.n_v)
    for i, (body, joint) in enumerate(zip(system.bodies, system.joints, strict=True)):
        modal, hinge = system.layout.modal_v(i), system.layout.hinge_v(i)
        if body.n_mode:
            extent = np.linalg.norm(body.node_positions, axis=1).max() or length
            moved = np.abs(body.node_shapes[:, 3:]).max(axis=(0, 1))
            turned = np.abs(body.node_shapes[:, :3]).max(axis=(0, 1))
            shape = np.maximum(moved / extent, turned)
            position[modal] = 1 / np.where(shape > 0, shape, 1.0)
            rate[modal] = position[modal] * np.maximum(np.sqrt(body.stiffness), 1.0)
        sizes = np.ones(joint.n_v)
        match joint:
            case Prismatic():
                sizes[:] = length
            case Cylindrical():
                sizes[1] = length
            case Planar():
                sizes[:2] = length
            case Free():
                sizes[3:] = length
        position[hinge] = rate[hinge] = sizes
    return position, rate
