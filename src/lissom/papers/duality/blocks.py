"""Modal blocks of a tree of bodies: modes and hinge of each body in one step.

Notation (a block has n_b = n_mode + 6 rows: modes, then the rigid motion of the body's frame)
  Phi(p, i) = [Pi_hat_t^T; phi_t] [0, X^T]        forces from body i to its parent p      (1)
  H* = blockdiag(I, motion map of the hinge)      [eta_ddot; beta_dot] -> motion          (2)
  M_m = [[M_ff, M_rf^T], [M_rf, M_rr]]                                                    (3)
  a_m = [0; X gamma_t + c]                        velocity-dependent acceleration         (4)
  beta_m = [b_f + K eta + C eta_dot; b_r] - sum [Pi_hat_c^T; phi_c] F_c                   (5)

t is the node of the parent that carries the body; F_c are external forces on nodes c.
Source: (A 12), (A 17), (A 23), (A 24), (A 25), (A 26), (A 27), (A 37), in the normalised basis:
modes zero at the inboard node, so that (2) has no modal part in its lower rows.  Differs: bodies
numbered base to tip; the parent of a base body is the ground, whose block is the six of its frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...algorithms.tree.arguments import as_state
from ...algorithms.tree.reference import (
    Armature,
    BodyMotion,
    External,
    carrying_node,
    external_terms,
)
from ...errors import StateError
from ...spatial import block_diagonal
from ...system import State, StateLike, System

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class ModalBlock:
    """Modes and hinge of one body, in body axes."""

    # (n_b of the parent, n_b) phi(p, i) for forces; its transpose maps motion of the parent to the
    # body
    propagate_to_parent: Array
    motion_map: Array  # (n_b, n_dof) H*, for modes and hinge together
    modal_mass: Array  # (n_b, n_b) m_m
    coriolis_acceleration: Array  # (n_b,) a_m
    bias_force: Array  # (n_b,) beta_m: gyroscopic, elastic and damping forces minus external forces
    generalized_force: Array  # (n_dof,) T of the modes and the hinge
    armature: Array  # (n_dof, n_dof) inertia added to the modes and the hinge


def check_loads(T: Array, loads: External) -> None:
    """Reject complex numbers and symbols among forces.

    `T` (n_v,): generalized forces.
    """
    if not all(x.dtype == float for x in (T, *(wrench for *_, wrench in loads))):
        raise StateError(
            "the duals support forces of real numbers only; for symbols and complex numbers use "
            "forward_dynamics"
        )


def real_state(system: System, state: StateLike) -> State:
    """State of a system, after a check that it contains real numbers."""
    state = as_state(system, state)
    if {state.q.dtype.kind, state.v.dtype.kind} != {"f"}:
        raise StateError(
            "the duals support states of real numbers only; for symbols and complex numbers use "
            "forward_dynamics"
        )
    return state


def modal_blocks(
    system: System,
    motions: Sequence[BodyMotion],
    v: Array,
    forces: Array,
    external: External = (),
    armature: Armature | None = None,
) -> list[ModalBlock]:
    """Blocks of all bodies, base to tip.  O(N).

    `v` (n_v,): speeds; their modal part determines the damping forces; `forces` (n_v,): generalized
    forces.
    """
    loads = external_terms(system, motions, external)
    blocks = []
    for i, motion in enumerate(motions):
        body, terms, layout = system.bodies[i], motion.terms, system.layout
        node, X, n = carrying_node(system, motions, i), motion.transform, body.n_mode
        a_f, a_r = armature[i] if armature is not None else (np.zeros(n), _no_armature(motion))
        outward = X @ np.concatenate([node.shapes, node.shift.T], axis=1)
        if system.parent[i] < 0:
            outward = X
        elastic = body.stiffness * motion.eta + body.damping @ v[layout.modal_v(i)]
        blocks.append(
            ModalBlock(
                propagate_to_parent=np.concatenate([np.zeros((n, outward.shape[1])), outward]).T,
                motion_map=block_diagonal(np.eye(n), motion.motion_map),
                modal_mass=terms.modal_mass,
                coriolis_acceleration=np.concatenate(
                    [np.zeros(n), X @ node.coriolis + motion.bias]
                ),
                bias_force=np.concatenate([terms.b_f + elastic, terms.b_r])
                - np.concatenate(loads[i]),
                generalized_force=forces[layout.modal_v(i).start : layout.hinge_v(i).stop],
                armature=block_diagonal(np.diag(a_f), a_r),
            )
        )
    return blocks


def _no_armature(motion: BodyMotion) -> Array:
    return np.zeros((motion.motion_map.shape[1],) * 2)
