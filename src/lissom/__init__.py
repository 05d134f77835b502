"""Dynamics of mechanisms whose links bend.

Describe a mechanism once with `Model`, compile it, and ask for its dynamics::

    import lissom as ls

    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(mass=1.0, length=2.0, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    system = model.compile()
    ls.forward_dynamics(system, system.state(rod=0.3))

Angles are in radians and everything else in SI units; see the page "Conventions".
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> module that defines it.  Modules load on first use, so that importing is quick.
_HOMES = {
    "lissom.errors": ("LissomError", "ModelError", "SingularError", "StateError"),
    "lissom.joints": (
        "CompoundJoint",
        "Cylindrical",
        "Fixed",
        "Free",
        "Joint",
        "Planar",
        "Prismatic",
        "Revolute",
        "Screw",
        "SimpleJoint",
        "Spherical",
        "Universal",
    ),
    "lissom.bodies": ("FlexibleBody", "RigidBody"),
    "lissom.structures": (
        "ALUMINIUM",
        "CARBON",
        "STEEL",
        "TITANIUM",
        "Circle",
        "ISection",
        "Material",
        "Rectangle",
        "Tube",
        "beam",
    ),
    "lissom.model": ("Model", "Part"),
    "lissom.system": ("State", "System"),
    "lissom.algorithms": (
        "acceleration",
        "bias_force",
        "center_of_mass",
        "energy",
        "forward_dynamics",
        "gravity_force",
        "inverse_dynamics",
        "jacobian",
        "joint_forces",
        "mass_matrix",
        "momentum",
        "pose",
        "qdot",
        "velocity",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'lissom' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Public names."""
    return [*__all__, "__version__"]


if TYPE_CHECKING:
    from .algorithms import *  # noqa: F403
    from .bodies import *  # noqa: F403
    from .errors import *  # noqa: F403
    from .joints import *  # noqa: F403
    from .model import *  # noqa: F403
    from .structures import *  # noqa: F403
    from .system import *  # noqa: F403
