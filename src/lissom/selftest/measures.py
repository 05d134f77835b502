"""Error measures and mechanisms shared by the checks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bodies import RigidBody
from ..joints import Cylindrical, Free, Joint, Prismatic, Revolute, Spherical, Universal
from ..model import Model
from ..structures import ALUMINIUM, Tube, beam
from ..system import State, System

Array = np.ndarray

SEED = 1992


def relative(values: Any, expected: Any) -> float:
    """Largest difference relative to the largest expected entry."""
    reference = np.asarray(expected, dtype=float)
    size = np.abs(reference).max(initial=0.0) or 1.0
    return float(np.abs(np.asarray(values, dtype=float) - reference).max(initial=0.0) / size)


def free_tree(gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> System:
    """Free-floating tree of rigid and flexible bodies with many kinds of joints, undamped."""
    boom = beam(2.0, Tube(radius=0.03, thickness=0.002), ALUMINIUM, modes=4, damping=0.0)
    parts: tuple[tuple[str, Any, Joint, str], ...] = (
        ("boom", boom, Revolute((0.2, 1.0, -0.3)), "hub"),
        ("wrist", _box(2.0), Universal("y", "z"), "boom.tip"),
        ("hand", boom, Spherical(), "wrist"),
        ("mast", _box(3.0), Cylindrical((1.0, 0.4, 0.1)), "hub"),
        ("sail", boom, Revolute("z"), "mast"),
        ("slide", _box(1.0), Prismatic("x"), "sail.tip"),
    )
    model = Model("free tree", gravity=gravity)
    model.add(_box(8.0), Free(), name="hub")
    for k, (name, body, joint, to) in enumerate(parts):
        model.add(body, joint, to=to, at=(0.1 * k, 0.2, -0.1), name=name)
    return model.compile()


def _box(mass: float) -> RigidBody:
    return RigidBody.box(mass, (0.4, 0.3, 0.2), com=(0.1, 0.05, -0.02))


def random_state(system: System, size: float = 0.4) -> State:
    """Reproducible random state: moving, deformed, every joint away from its neutral position."""
    from ..algorithms.tree.coordinates import hinge_speeds, moved

    rng = np.random.default_rng(SEED)
    sizes = np.where(hinge_speeds(system), size, 0.05 * size)  # modes in m sqrt(kg)
    way, v = sizes * rng.standard_normal((2, system.n_v))
    return system.state(moved(system, system.neutral().q, way), v)
