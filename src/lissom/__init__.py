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
        "operators",
        "pose",
        "qdot",
        "velocity",
    ),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


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


if TYPE_CHECKING:  # what a type checker sees; the same names as above
    from .algorithms import (
        acceleration as acceleration,
    )
    from .algorithms import (
        bias_force as bias_force,
    )
    from .algorithms import (
        center_of_mass as center_of_mass,
    )
    from .algorithms import (
        energy as energy,
    )
    from .algorithms import (
        forward_dynamics as forward_dynamics,
    )
    from .algorithms import (
        gravity_force as gravity_force,
    )
    from .algorithms import (
        inverse_dynamics as inverse_dynamics,
    )
    from .algorithms import (
        jacobian as jacobian,
    )
    from .algorithms import (
        joint_forces as joint_forces,
    )
    from .algorithms import (
        mass_matrix as mass_matrix,
    )
    from .algorithms import (
        momentum as momentum,
    )
    from .algorithms import (
        operators as operators,
    )
    from .algorithms import (
        pose as pose,
    )
    from .algorithms import (
        qdot as qdot,
    )
    from .algorithms import (
        velocity as velocity,
    )
    from .bodies import (
        FlexibleBody as FlexibleBody,
    )
    from .bodies import (
        RigidBody as RigidBody,
    )
    from .errors import (
        LissomError as LissomError,
    )
    from .errors import (
        ModelError as ModelError,
    )
    from .errors import (
        SingularError as SingularError,
    )
    from .errors import (
        StateError as StateError,
    )
    from .joints import (
        CompoundJoint as CompoundJoint,
    )
    from .joints import (
        Cylindrical as Cylindrical,
    )
    from .joints import (
        Fixed as Fixed,
    )
    from .joints import (
        Free as Free,
    )
    from .joints import (
        Joint as Joint,
    )
    from .joints import (
        Planar as Planar,
    )
    from .joints import (
        Prismatic as Prismatic,
    )
    from .joints import (
        Revolute as Revolute,
    )
    from .joints import (
        Screw as Screw,
    )
    from .joints import (
        SimpleJoint as SimpleJoint,
    )
    from .joints import (
        Spherical as Spherical,
    )
    from .joints import (
        Universal as Universal,
    )
    from .model import (
        Model as Model,
    )
    from .model import (
        Part as Part,
    )
    from .structures import (
        ALUMINIUM as ALUMINIUM,
    )
    from .structures import (
        CARBON as CARBON,
    )
    from .structures import (
        STEEL as STEEL,
    )
    from .structures import (
        TITANIUM as TITANIUM,
    )
    from .structures import (
        Circle as Circle,
    )
    from .structures import (
        ISection as ISection,
    )
    from .structures import (
        Material as Material,
    )
    from .structures import (
        Rectangle as Rectangle,
    )
    from .structures import (
        Tube as Tube,
    )
    from .structures import (
        beam as beam,
    )
    from .system import (
        State as State,
    )
    from .system import (
        System as System,
    )
