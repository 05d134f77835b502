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
    "lissom.errors": (
        "LissomError",
        "LoadError",
        "ModelError",
        "ModelFileError",
        "ModelWarning",
        "ResultError",
        "SimulationError",
        "SimulationWarning",
        "SingularError",
        "StateError",
        "SymbolicError",
    ),
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
    "lissom.bodies": (
        "FlexibleBody",
        "NodalBody",
        "RigidBody",
    ),
    "lissom.structures": (
        "ALUMINIUM",
        "CARBON",
        "STEEL",
        "TITANIUM",
        "Circle",
        "ISection",
        "Material",
        "Rectangle",
        "Section",
        "Tube",
        "beam",
    ),
    "lissom.model": (
        "Model",
        "Part",
    ),
    "lissom.system": (
        "State",
        "System",
    ),
    "lissom.algorithms": (
        "Closure",
        "ConstraintForces",
        "FilteredForces",
        "LQProblem",
        "LQSolution",
        "acceleration",
        "bias_force",
        "center_of_mass",
        "closure",
        "constraint_forces",
        "coupling_forces",
        "dual_accelerations",
        "dual_joint_forces",
        "energy",
        "filter_and_smoother",
        "forward_dynamics",
        "forward_dynamics_batch",
        "gibbs_function",
        "gravity_force",
        "inverse_dynamics",
        "inverse_dynamics_batch",
        "jacobian",
        "joint_forces",
        "loop_forces",
        "mass_matrix",
        "momentum",
        "multiply_mass",
        "nodal_forward_dynamics",
        "operators",
        "optimal_control_dual",
        "pose",
        "qdot",
        "solve_lq",
        "solve_mass",
        "velocity",
    ),
    "lissom.sim": (
        "Action",
        "Actuator",
        "Baumgarte",
        "Controller",
        "DormandPrince5",
        "DormandPrince8",
        "EulerCromer",
        "Event",
        "GeneralizedAlpha",
        "Integrator",
        "JointDamper",
        "JointFriction",
        "JointSpring",
        "JointStop",
        "LinearlyImplicitEuler",
        "Load",
        "Lock",
        "Motion",
        "NodeForce",
        "NodeSpring",
        "Release",
        "RungeKutta4",
        "Servo",
        "Stop",
        "Switch",
        "Table",
        "assemble",
        "equilibrium",
        "flexible_drive",
        "simulate",
    ),
    "lissom.results": ("Trajectory",),
    "lissom.io": ("Urdf", "check_file", "load", "load_run", "read_urdf"),
}
# Modules by the name that they have here.
_MODULES = {
    "library": "lissom.library",
    "solids": "lissom.bodies.solids",
    "symbolic": "lissom.symbolic",
    "viz": "lissom.viz",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME_OF, *_MODULES])


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name not in _HOME_OF:
        raise AttributeError(f"module 'lissom' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Public names."""
    return [*__all__, "__version__"]


if TYPE_CHECKING:  # what a type checker sees; the same names as above
    from . import library as library, symbolic as symbolic, viz as viz
    from .algorithms import (
        Closure as Closure,
        ConstraintForces as ConstraintForces,
        FilteredForces as FilteredForces,
        LQProblem as LQProblem,
        LQSolution as LQSolution,
        acceleration as acceleration,
        bias_force as bias_force,
        center_of_mass as center_of_mass,
        closure as closure,
        constraint_forces as constraint_forces,
        coupling_forces as coupling_forces,
        dual_accelerations as dual_accelerations,
        dual_joint_forces as dual_joint_forces,
        energy as energy,
        filter_and_smoother as filter_and_smoother,
        forward_dynamics as forward_dynamics,
        forward_dynamics_batch as forward_dynamics_batch,
        gibbs_function as gibbs_function,
        gravity_force as gravity_force,
        inverse_dynamics as inverse_dynamics,
        inverse_dynamics_batch as inverse_dynamics_batch,
        jacobian as jacobian,
        joint_forces as joint_forces,
        loop_forces as loop_forces,
        mass_matrix as mass_matrix,
        momentum as momentum,
        multiply_mass as multiply_mass,
        nodal_forward_dynamics as nodal_forward_dynamics,
        operators as operators,
        optimal_control_dual as optimal_control_dual,
        pose as pose,
        qdot as qdot,
        solve_lq as solve_lq,
        solve_mass as solve_mass,
        velocity as velocity,
    )
    from .bodies import (
        FlexibleBody as FlexibleBody,
        NodalBody as NodalBody,
        RigidBody as RigidBody,
        solids as solids,
    )
    from .errors import (
        LissomError as LissomError,
        LoadError as LoadError,
        ModelError as ModelError,
        ModelFileError as ModelFileError,
        ModelWarning as ModelWarning,
        ResultError as ResultError,
        SimulationError as SimulationError,
        SimulationWarning as SimulationWarning,
        SingularError as SingularError,
        StateError as StateError,
        SymbolicError as SymbolicError,
    )
    from .io import (
        Urdf as Urdf,
        check_file as check_file,
        load as load,
        load_run as load_run,
        read_urdf as read_urdf,
    )
    from .joints import (
        CompoundJoint as CompoundJoint,
        Cylindrical as Cylindrical,
        Fixed as Fixed,
        Free as Free,
        Joint as Joint,
        Planar as Planar,
        Prismatic as Prismatic,
        Revolute as Revolute,
        Screw as Screw,
        SimpleJoint as SimpleJoint,
        Spherical as Spherical,
        Universal as Universal,
    )
    from .model import (
        Model as Model,
        Part as Part,
    )
    from .results import Trajectory as Trajectory
    from .sim import (
        Action as Action,
        Actuator as Actuator,
        Baumgarte as Baumgarte,
        Controller as Controller,
        DormandPrince5 as DormandPrince5,
        DormandPrince8 as DormandPrince8,
        EulerCromer as EulerCromer,
        Event as Event,
        GeneralizedAlpha as GeneralizedAlpha,
        Integrator as Integrator,
        JointDamper as JointDamper,
        JointFriction as JointFriction,
        JointSpring as JointSpring,
        JointStop as JointStop,
        LinearlyImplicitEuler as LinearlyImplicitEuler,
        Load as Load,
        Lock as Lock,
        Motion as Motion,
        NodeForce as NodeForce,
        NodeSpring as NodeSpring,
        Release as Release,
        RungeKutta4 as RungeKutta4,
        Servo as Servo,
        Stop as Stop,
        Switch as Switch,
        Table as Table,
        assemble as assemble,
        equilibrium as equilibrium,
        flexible_drive as flexible_drive,
        simulate as simulate,
    )
    from .structures import (
        ALUMINIUM as ALUMINIUM,
        CARBON as CARBON,
        STEEL as STEEL,
        TITANIUM as TITANIUM,
        Circle as Circle,
        ISection as ISection,
        Material as Material,
        Rectangle as Rectangle,
        Section as Section,
        Tube as Tube,
        beam as beam,
    )
    from .system import (
        State as State,
        System as System,
    )
