"""The algorithms, one per file; `reference` holds the recursions in readable form."""

from .articulated import forward_dynamics
from .composite import mass_matrix
from .energy import Energy, energy, momentum
from .inverse import bias_force, gravity_force, inverse_dynamics, joint_forces
from .kinematics import (
    Pose,
    acceleration,
    center_of_mass,
    jacobian,
    pose,
    qdot,
    velocity,
)
from .nodal import NodalSolution, nodal_forward_dynamics
from .operators import Operators, SpatialOperator, operators

__all__ = [
    "Energy",
    "NodalSolution",
    "Operators",
    "Pose",
    "SpatialOperator",
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
    "nodal_forward_dynamics",
    "operators",
    "pose",
    "qdot",
    "velocity",
]
