"""Records of fixed size in `scratch` and `floats`; those of variable size: `kernels.records`."""

from __future__ import annotations

from .rows import Matrix, NamedRow, Number, Symmetric, Vector


class CarrierRecord(NamedRow):
    """scratch: a body, or a node that carries children, in working axes."""

    R: Matrix  # body or node axes to working axes; a flexible body: to its carrier's working axes
    rate: Vector  # angular velocity
    alpha: Vector  # acceleration without the unknown accelerations, gravity as base motion
    a: Vector
    d_alpha: Vector  # acceleration due to the unknowns
    d_a: Vector
    A: Symmetric  # articulated inertia P of the children, or their `CompositeInertia`
    B: Matrix
    D: Symmetric
    arm: Vector  # node that carries it -> its origin, in the carrier's working axes; a node of a
    # flexible body: from the body's origin
    J: Symmetric  # inertia about the origin
    p: Vector  # first moment of mass
    mass: Number
    z_w: Vector  # residual force, later with the contributions of the children
    z_v: Vector
    # Only of a node of a flexible body:
    J_l: Matrix
    y_w: Vector  # acceleration of the node without children
    y_v: Vector
    f_w: Vector  # force
    f_v: Vector


class CompositeInertia(NamedRow):
    """scratch: inertia of a rigid body about the origin, in the place of an articulated one."""

    J: Symmetric
    p: Vector
    mass: Number


class BodyConstants(NamedRow):
    """floats: constants of a body and its joint's place."""

    frame: Matrix  # joint's inboard axes to node axes
    place: Vector  # joint's inboard origin from the node
    mass: Number
    p: Vector
    J: Symmetric


class TouchedRecord(NamedRow):
    """scratch: derivatives of contacts with the ground that touch a node, in working axes.

    Both as inertia about the node.
    """

    active: Number  # whether there are any in this step
    A: Symmetric  # of the matrix of the step
    B: Matrix
    D: Symmetric
    K_A: Symmetric  # of the stiffness alone
    K_B: Matrix
    K_D: Symmetric
    n: Vector  # moment and force that a method adds at the node
    f: Vector


class ClosingRecord(NamedRow):
    """scratch: how loops are kept closed."""

    speed: Number  # largest speed of the ends of loops
    kappa: Number  # change of speeds per acceleration, where loops are closed in speeds, else 0
    least_left: Number  # smallest remaining fraction of an independent row of Lambda
    softened: Number  # softening of loop forces close to singular positions, see `fields`
