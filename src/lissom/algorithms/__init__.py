"""The algorithms, one per file; `reference` is the reference implementation of the recursions."""

from .loops.assembly import AssemblyError, closed_state
from .loops.closure import Closure, CouplingClosure, LoopClosure, Speeds, closure
from .operators import NodalTerms, Operators, SpatialOperator, operators
from .reaching.reach import Reach, ReachError, reach
from .reaching.targets import Target
from .tree.articulated import coupling_forces, forward_dynamics, loop_forces
from .tree.batch import forward_dynamics_batch, inverse_dynamics_batch
from .tree.composite import mass_matrix
from .tree.derivatives import (
    ForwardDerivatives,
    InverseDerivatives,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from .tree.design import (
    DesignDerivatives,
    InertialRegressor,
    design_derivatives,
    inertial_regressor,
)
from .tree.design_parameters import DesignParameter
from .tree.energy import Energy, energy, momentum
from .tree.evaluator import Evaluator
from .tree.frame_derivatives import FrameDerivatives, frame_derivatives
from .tree.interface_loads import interface_load
from .tree.inverse import bias_force, gravity_force, inverse_dynamics, joint_forces
from .tree.kinematics import Pose, acceleration, center_of_mass, jacobian, pose, qdot, velocity
from .tree.products import multiply_mass, solve_mass
from .tree.stresses import section_loads, strain, stress

__all__ = [
    "AssemblyError",
    "Closure",
    "CouplingClosure",
    "DesignDerivatives",
    "DesignParameter",
    "Energy",
    "Evaluator",
    "ForwardDerivatives",
    "FrameDerivatives",
    "InertialRegressor",
    "InverseDerivatives",
    "LoopClosure",
    "NodalTerms",
    "Operators",
    "Pose",
    "Reach",
    "ReachError",
    "SpatialOperator",
    "Speeds",
    "Target",
    "acceleration",
    "bias_force",
    "center_of_mass",
    "closed_state",
    "closure",
    "coupling_forces",
    "design_derivatives",
    "energy",
    "forward_dynamics",
    "forward_dynamics_batch",
    "forward_dynamics_derivatives",
    "frame_derivatives",
    "gravity_force",
    "inertial_regressor",
    "interface_load",
    "inverse_dynamics",
    "inverse_dynamics_batch",
    "inverse_dynamics_derivatives",
    "jacobian",
    "joint_forces",
    "loop_forces",
    "mass_matrix",
    "momentum",
    "multiply_mass",
    "operators",
    "pose",
    "qdot",
    "reach",
    "section_loads",
    "solve_mass",
    "strain",
    "stress",
    "velocity",
]
