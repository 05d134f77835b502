"""Forward dynamics as an optimal control problem: the accelerations minimise Gibbs' function.

At one instant, every body of a tree is a node of a linear-quadratic problem in which "time" runs
from the base outwards (D'Eleuterio & Damaren, section V):

  ==================  ====================================  ======================================
  optimal control     dynamics                              where
  ==================  ====================================  ======================================
  state x             acceleration without velocity terms,  ``LQSolution.states``
                      [eta_ddot; alpha] - a_non
  control u           accelerations of modes and hinge,     ``LQSolution.controls``
                      [eta_ddot; beta_dot]
  adjoint lambda      -f, f the force on the body through   ``LQSolution.adjoints``
                      its hinge (upper rows: on the modes)
  initial state       acceleration of the ground, [0; -g]   ``LQProblem.initial_state``
  transition A        Phi(p, i)^T                           ``LQProblem.transition``
  control map B       H* = blockdiag(I, motion map)         ``LQProblem.control_map``
  weight M            modal mass M_m                        ``LQProblem.state_weight``
  slope h             b_m + K eta + C eta_dot - external    ``LQProblem.state_slope``
                      + M_m a_non, -f_net of (B 18)
  reward t            generalized force T                   ``LQProblem.control_reward``
  control weight W    armature                              ``LQProblem.control_weight``
  S, r                articulated inertia P, and r of       ``LQSolution.value_matrix``,
                      f = P x + r                           ``LQSolution.value_slope``
  R, K                hinge inertia D, and G^T A            ``LQSolution.control_hessian``,
                                                            ``LQSolution.gain``
  cost                Gibbs' function                       `gibbs_function`
  constraints E, F    loops and couplings                   ``LQProblem.state_constraint``,
                                                            ``LQProblem.control_constraint``
  multipliers mu      minus the forces lambda of the loops  ``LQSolution.multipliers``
  Lambda              operational compliance A M^-1 A^T     ``LQSolution.constraint_compliance``
  ==================  ====================================  ======================================

The velocity terms are split off base to tip,
  a_non = A a_non(parent) + a_m,   a_m = [0; X gamma + c],   zero on the ground                 (1)

Source: (B 14), (B 15), (B 16), (B 17), (B 18), (B 24), (B 32), (B 33), (B 36), (B 37), (B 43), with
a_non as in the note on its step 2.  x, S and r are a_n, Psi_n and psi_n of (B 19) and (B 27), and
the control is (B 28).  Differs: flexible bodies and trees; alpha is the inertial derivative of the
spatial velocity, where the paper differentiates components, so that a_m is that of (A 25) and not
T_dot v + P_dot v_gamma; spatial vectors are angular first; gravity is the ground's acceleration and
so the initial state, which is zero in (B 33); the paper's f_n^{n-1} acts on the parent, so that it
is -f and equals lambda.  Under a tip much heavier than its links this form loses digits that
`forward_dynamics` keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...algorithms.tree.arguments import motions_of, speeds_vector, to_armature, to_external
from ...algorithms.tree.reference import ground_acceleration
from ...system import StateLike, System
from .blocks import check_loads, modal_blocks, real_state
from .loop_blocks import loop_blocks
from .lq import LQSolution
from .lq_problem import LQProblem

Array = np.ndarray


def optimal_control_dual(
    system: System,
    state: StateLike,
    forces: Any = None,
    *,
    external: Mapping[Any, Any] | None = None,
    rate_linear: bool = False,
    armature: Any = None,
) -> LQProblem:
    """Optimal control problem whose solution is the forward dynamics of a state.  O(N).

    Loops and couplings are constraints between the states and controls of its nodes.

    ``solve_lq(problem).controls`` are the accelerations of the modes and hinges, body by body; the
    table in the module docstring gives the meaning of the other fields.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds, real numbers.
    forces : array (n_v,) or mapping, optional
        Generalized forces, as for `forward_dynamics`.
    external : mapping, optional
        Spatial forces {"body", "body.node" or "frame": [moment; force]} in the axes of that frame.
    rate_linear : bool
        Omit all terms of second order in the speeds: the gyroscopic forces b_m, the
        Coriolis accelerations gamma and c of nodes and hinges, and with them a_non.  Gravity,
        stiffness, damping, external and generalized forces stay.
    armature : array (n_v,) or mapping, optional
        Inertia added to the speeds, as for `forward_dynamics`: the weight of the controls.

    Returns
    -------
    LQProblem
        One node for each body, with the body's name.

    Examples
    --------
    >>> import numpy as np
    >>> import lissom as ls
    >>> from lissom import dual_accelerations, optimal_control_dual, solve_lq
    >>> model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    >>> rod = ls.RigidBody.rod(mass=1.0, length=2.0, com=(1, 0, 0))
    >>> _ = model.add(rod, ls.Revolute("y"), name="rod")
    >>> system = model.compile()
    >>> state = system.state(rod=0.3)
    >>> solution = solve_lq(optimal_control_dual(system, state))
    >>> bool(np.allclose(dual_accelerations(solution), ls.forward_dynamics(system, state)))
    True
    """
    return _dual(system, state, forces, external, armature, rate_linear=rate_linear)


def _dual(
    system: System,
    state: StateLike,
    forces: Any,
    external: Mapping[Any, Any] | None,
    armature: Any = None,
    *,
    rate_linear: bool = False,
) -> LQProblem:
    """Problem of a state."""
    state = real_state(system, state)
    motions = motions_of(system, state)
    if rate_linear:
        motions = motions_of(system, state.replace(v=np.zeros(system.n_v)))
    T = speeds_vector(system, forces, "forces")
    loads, added = to_external(system, external), to_armature(system, armature)
    check_loads(T, loads)
    blocks = modal_blocks(system, motions, state.v, T, loads, added)
    a_non: list[Array] = []
    for block, p in zip(blocks, system.parent, strict=True):
        inboard = np.zeros(6) if p < 0 else a_non[p]
        a_non.append(block.propagate_to_parent.T @ inboard + block.coriolis_acceleration)  # (1)
    loops = loop_blocks(system, motions)
    held = sum((E @ a for E, a in zip(loops.state, a_non, strict=True)), np.zeros(len(loops.value)))
    return LQProblem(
        transition=[block.propagate_to_parent.T for block in blocks],
        control_map=[block.motion_map for block in blocks],
        state_weight=[block.modal_mass for block in blocks],
        state_slope=[
            block.bias_force + block.modal_mass @ a for block, a in zip(blocks, a_non, strict=True)
        ],
        control_reward=[block.generalized_force for block in blocks],
        parent=system.parent,
        initial_state=ground_acceleration(system),
        control_weight=[block.armature for block in blocks],
        state_constraint=loops.state,
        control_constraint=loops.control,
        constraint_value=loops.value - held,
        names=system.names,
    )


def dual_accelerations(solution: LQSolution) -> Array:
    """Accelerations of the speeds from the solution of `optimal_control_dual`.

    Parameters
    ----------
    solution : LQSolution
        Solution of the problem made by `optimal_control_dual`.

    Returns
    -------
    array (n_v,)
        [eta_ddot, beta_dot] body by body, equal to `forward_dynamics`.
    """
    return np.concatenate([np.zeros(0), *solution.controls])


def dual_joint_forces(solution: LQSolution) -> Array:
    """Spatial force through every joint from the solution of `optimal_control_dual`.

    Parameters
    ----------
    solution : LQSolution
        Solution of the problem made by `optimal_control_dual`.

    Returns
    -------
    array (n_body, 6)
        [moment; force] on each body from its joint, in the body's axes at the body's origin: the
        last six entries of minus the adjoint, equal to `joint_forces`.
    """
    return np.array([-adjoint[-6:] for adjoint in solution.adjoints])


def gibbs_function(
    system: System,
    state: StateLike,
    acceleration: Any,
    forces: Any = None,
    *,
    external: Mapping[Any, Any] | None = None,
) -> Any:
    """Gibbs' function of given accelerations; the true accelerations minimise it.  O(N).

    The cost of `optimal_control_dual`, with x_i = [eta_ddot; alpha] - a_non::

        sum_i  1/2 x_i^T M_m x_i + h_i^T x_i - T_i^T vdot_i                          (2)

    Gibbs' sum over particles, ``1/2 m |a|^2 - F a`` with gravity, elastic, damping and external
    forces among F, differs from (2) by terms in which vdot does not occur.  With beta_m = b_m +
    K eta + C eta_dot - external, they are ``1/2 a_non^T M_m a_non + beta_m^T a_non`` of every body,
    ``1/2 m |gamma|^2 - 1/2 m |g|^2`` of every particle and ``-F_c^T (gamma + [0; g])`` of every
    external force; gamma is the acceleration of the point at alpha = eta_ddot = 0.  The gradient of
    (2) in vdot is inverse dynamics minus the forces, the Hessian the mass matrix.  With loops the
    true accelerations minimise it among those that keep the loops closed.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds, real numbers.
    acceleration : array (n_v,) or mapping
        Rates of the speeds; may be complex, for complex-step derivatives.
    forces : array (n_v,) or mapping, optional
        Generalized forces, by default zero.
    external : mapping, optional
        Spatial forces {"body", "body.node" or "frame": [moment; force]} in the axes of that frame.

    Returns
    -------
    float
        [W/s], complex for complex accelerations.
    """
    problem = _dual(system, state, forces, external)
    vdot = speeds_vector(system, acceleration, "acceleration")
    layout = system.layout
    return problem.cost(
        [vdot[layout.modal_v(i).start : layout.hinge_v(i).stop] for i in range(system.n_body)]
    )
