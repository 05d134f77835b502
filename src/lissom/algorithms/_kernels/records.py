"""Where the parts of records of variable size start in the workspace.

Each function takes where a record starts and its sizes, and gives the places of its parts by name.
They cost nothing: places that nobody uses are not computed.
"""

from __future__ import annotations

from typing import NamedTuple

from .compiling import jit


class Hinge(NamedTuple):
    """Hinge of r motions; see `hinges` for Y, L, d and e."""

    motion_map: int  # H* in working axes, 6r
    gain: int  # Y, 6r
    factor: int  # L with 1/d on its diagonal, r^2
    innovation: int  # e, r
    armature: int  # r^2
    child_map: int  # H* in child axes, 6r


@jit
def hinge_record(o, r):
    """Places of a hinge of r motions."""
    factor = o + 12 * r
    armature = factor + r * r + r
    return Hinge(o, o + 6 * r, factor, factor + r * r, armature, armature + r * r)


def hinge_size(r: int) -> int:
    """Numbers of a hinge of r motions."""
    return 19 * r + 2 * r * r


class Stack(NamedTuple):
    """Matrices of a flexible body over its N = 6 n_node node coordinates; see `compliance`."""

    inertia: int  # M_bar as (A 6, B 9, D 6)
    coupling: int  # X, 6 N
    free_compliance: int  # S_0, N^2
    transfer: int  # Y, 6 N
    compliance: int  # S, N^2
    passing: int  # N, N^2
    work: int  # N^2, E = N Gamma at last


@jit
def stack_record(t, n_node):
    """Places of the matrices of a body with n_node nodes that carry children."""
    N = 6 * n_node
    coupling = t + 21
    free_compliance = coupling + 6 * N
    transfer = free_compliance + N * N
    compliance = transfer + 6 * N
    passing = compliance + N * N
    return Stack(t, coupling, free_compliance, transfer, compliance, passing, passing + N * N)


def stack_size(n_node: int) -> int:
    """Numbers of the stack of a body."""
    N = 6 * n_node
    return 21 + 12 * N + 4 * N * N


class Modal(NamedTuple):
    """Modal part of a body of m modes."""

    weight: int  # W, or with lumps the armature, m
    force: int  # eps_f, or what inverse dynamics gives, m
    mass: int  # with lumps M_ff, then its factor, m^2


@jit
def modal_record(f, m):
    """Places of the modal part of a body of m modes."""
    return Modal(f, f + m, f + 2 * m)


class Shapes(NamedTuple):
    """Constants of the modes of a body of m modes."""

    stiffness: int  # m
    M_rf: int  # of the undeformed body, six rows of m
    moments: int  # symmetrised g, six rows of m


@jit
def shapes_record(s, m):
    """Places of the constants of m modes."""
    return Shapes(s, s + m, s + 7 * m)


@jit
def modal_products(g, m):
    """Place of the products of modes, m x m each, behind g, nine rows of m."""
    return g + 9 * m


@jit
def node_position(shapes, node, m):
    """Place of the undeformed position of a node that carries children; its shapes follow."""
    return shapes + node * (3 + 6 * m)


@jit
def node_shapes(shapes, node, m):
    """Place of the shapes of a node, six rows of m numbers."""
    return shapes + node * (3 + 6 * m) + 3


class Closure(NamedTuple):
    """Equations of all loops and couplings, n constraints; see `loop_forces` and `least_norm`."""

    gap: int  # n
    rate: int  # n
    rhs: int  # right-hand side, n
    force: int  # lambda, n
    applied: int  # A x of given accelerations x, n
    Lambda: int  # n^2
    factor: int  # its factor, n^2
    order: int  # of its rows, n
    left: int  # what is left of them, n
    size: int  # sizes of the rows, n
    gram: int  # n^2
    work: int  # 3n
    asked: int  # what of the right-hand side is softened, n


@jit
def closure_record(o, n):
    """Places of the equations of n constraints."""
    Lambda = o + 5 * n
    factor = Lambda + n * n
    order = factor + n * n
    gram = order + 3 * n
    work = gram + n * n
    return Closure(
        o, o + n, o + 2 * n, o + 3 * n, o + 4 * n, Lambda, factor, order, order + n, order + 2 * n,
        gram, work, work + 3 * n,
    )  # fmt: skip


def closure_size(n: int) -> int:
    """Numbers of the equations of n constraints."""
    return 12 * n + 3 * n * n


class JointWork(NamedTuple):
    """Work of the joint of one loop; see `loop_joints`."""

    motion_map: int  # H*, columns of six, 36
    basis: int  # its columns made orthonormal, 36
    factors: int  # what they were made of, 36
    rest: int  # what is left of the unit vectors, 36
    best: int  # coordinates that came nearest, 6


@jit
def joint_work(o):
    """Places for the joint of one loop."""
    return JointWork(o, o + 36, o + 72, o + 108, o + 144)


JOINT_WORK = 150  # numbers of it
