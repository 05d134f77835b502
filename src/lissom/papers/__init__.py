"""The source papers' own forms of the dynamics, for study and for comparison with ours."""

from .duality import (
    ConstraintForces,
    FilteredForces,
    LQProblem,
    LQSolution,
    constraint_forces,
    dual_accelerations,
    dual_joint_forces,
    filter_and_smoother,
    gibbs_function,
    optimal_control_dual,
    solve_lq,
)
from .nodal.dynamics import NodalSolution, nodal_forward_dynamics
from .nodal.inverse import NodalForces, nodal_inverse_dynamics
from .nodal.operators import NodalOperators, nodal_operators

__all__ = [
    "ConstraintForces",
    "FilteredForces",
    "LQProblem",
    "LQSolution",
    "NodalForces",
    "NodalOperators",
    "NodalSolution",
    "constraint_forces",
    "dual_accelerations",
    "dual_joint_forces",
    "filter_and_smoother",
    "gibbs_function",
    "nodal_forward_dynamics",
    "nodal_inverse_dynamics",
    "nodal_operators",
    "optimal_control_dual",
    "solve_lq",
]
