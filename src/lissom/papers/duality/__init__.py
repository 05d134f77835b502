"""Duals of forward dynamics: optimal control and estimation.

`lq` solves general linear-quadratic problems on chains and trees; `dynamics_dual` formulates the
dynamics of a mechanism as such a problem, whose cost is Gibbs' function; `armstrong` computes its
constraint forces; `estimation` filters and smooths the hinge forces.
"""

from .armstrong import ConstraintForces, constraint_forces
from .dynamics_dual import (
    dual_accelerations,
    dual_joint_forces,
    gibbs_function,
    optimal_control_dual,
)
from .estimation import FilteredForces, filter_and_smoother
from .lq import LQSolution, solve_lq
from .lq_problem import LQProblem

__all__ = [
    "ConstraintForces",
    "FilteredForces",
    "LQProblem",
    "LQSolution",
    "constraint_forces",
    "dual_accelerations",
    "dual_joint_forces",
    "filter_and_smoother",
    "gibbs_function",
    "optimal_control_dual",
    "solve_lq",
]
