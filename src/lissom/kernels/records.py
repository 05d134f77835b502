"""Offsets in records of variable size in the workspace.

Each function takes the offset of a record and its sizes, and returns the offsets of its parts by
name.  They cost nothing: the compiler removes offsets that are not used.
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
    """Offsets in the record of a hinge of r motions."""
    factor = o + 12 * r
    armature = factor + r * r + r
    return Hinge(o, o + 6 * r, factor, factor + r * r, armature, armature + r * r)


def hinge_size(r: int) -> int:
    """Size of the record of a hinge of r motions."""
    return 19 * r + 2 * r * r


class Softened(NamedTuple):
    """A flexible body as a rigid body and a compliance, n = 6 n_node; see `compliance`, (1)."""

    inertia: int  # M_bar as (A: 6, B: 9, D: 6)
    coupling: int  # X, 6n
    compliance: int  # S_0, n^2


@jit
def softened_record(o, n_node):
    """Offsets of (1) of a body with n_node nodes that carry children."""
    return Softened(o, o + 21, o + 21 + 36 * n_node)


def softened_size(n_node: int) -> int:
    """Size of (1) of a body."""
    return 21 + 36 * n_node + 36 * n_node**2


class StackRecord(NamedTuple):
    """Matrices of a flexible body over its nodes, of order n = 6 n_node; see `compliance`."""

    transfer: int  # Y, 6n
    compliance: int  # S, n^2
    passing: int  # N, n^2
    work: int  # n^2, finally E = N Gamma


@jit
def stack_record(t, n_node):
    """Offsets of the matrices of a body with n_node nodes that carry children."""
    n = 6 * n_node
    compliance = t + 6 * n
    passing = compliance + n * n
    return StackRecord(t, compliance, passing, passing + n * n)


def stack_size(n_node: int) -> int:
    """Size of the stack of a body."""
    n = 6 * n_node
    return 6 * n + 3 * n * n


class Modal(NamedTuple):
    """Modal part of a body of m modes."""

    weight: int  # W, or where M_ff is dense the armature, m
    force: int  # eps_f, or the result of inverse dynamics, m
    mass: int  # where it is dense: M_ff, then its factor, m^2


@jit
def modal_record(f, m):
    """Offsets in the modal part of a body of m modes."""
    return Modal(f, f + m, f + 2 * m)


@jit
def halves_record(mass, m, n_node):
    """Offsets of V and of its Gram matrix, see `dense_modes`, after M_ff at `mass`."""
    V = mass + m * m
    return V, V + m * (6 + 6 * n_node)


def dense_size(m: int, n_node: int) -> int:
    """Size of what follows the modal part of a body whose M_ff is dense."""
    width = 6 + 6 * n_node
    return m * m + m * width + width * width


class Shapes(NamedTuple):
    """Constants of the modes of a body of m modes."""

    stiffness: int  # m
    M_rf: int  # of the undeformed body, six rows of m
    moments: int  # symmetrised g, six rows of m


@jit
def shapes_record(s, m):
    """Offsets of the constants of m modes."""
    return Shapes(s, s + m, s + 7 * m)


@jit
def modal_products(g, m):
    """Offset of the products of modes, m x m each, after g, nine rows of m."""
    return g + 9 * m


class NodeRecord(NamedTuple):
    """Node of a flexible body of m modes; see `nodes`."""

    turn: int  # rotation vector at zero amplitudes, 3 of 9; level EXACT: attitude, 9
    position: int  # position at zero amplitudes, 3; level EXACT: position
    bend: int  # second order in the modal rates, 6; zero up to level FULL
    shapes: int  # six rows of m; level EXACT: Pi_hat


@jit
def node_record(o):
    """Offsets in the record of a node."""
    return NodeRecord(o, o + 9, o + 12, o + 18)


@jit
def node_size(m):
    """Size of the record of a node."""
    return 18 + 6 * m


@jit
def node_shapes(shapes, node, m):
    """Offset of the shapes of a node that carries children, six rows of m numbers."""
    return shapes + node * (18 + 6 * m) + 18


class Floating(NamedTuple):
    """Inboard node of a body of m modes in the frame of its shapes; see `floating`."""

    turn: int  # E_d, 9
    place: int  # l_d, 3
    place_rate: int  # 3
    rate: int  # w_d, 3
    bias: int  # B_d, 3
    shapes: int  # Pi_hat_d, six rows of m
    frame: int  # S, six rows of m


@jit
def floating_record(o, m):
    """Offsets in the record of a floating body."""
    return Floating(o, o + 9, o + 12, o + 15, o + 18, o + 21, o + 21 + 6 * m)


def floating_size(m: int) -> int:
    """Size of the record of a floating body."""
    return 21 + 12 * m


class RodRecord(NamedTuple):
    """Constants of a rod with n stations and m coordinates; see `rods`."""

    masses: int  # n
    inertias: int  # 3n
    integration: int  # Q, n^2
    natural: int  # a_1, a_2, a_3 of the natural curvature of each piece, 9n
    moments: int  # those of the curvature functions, three rows of m each
    functions: int  # strains at the stations, m each


@jit
def rod_record(o, n, m):
    """Offsets of the constants of a rod."""
    inertias = o + n
    integration = inertias + 3 * n
    natural = integration + n * n
    moments = natural + 9 * n
    return RodRecord(o, inertias, integration, natural, moments, moments + 3 * m * n)


SECTION = 39  # numbers of a section, whose fields are in `rods`


class StationRecord(NamedTuple):
    """Workspace of a rod with n stations and m coordinates; see `rods`."""

    tension: int  # whether it has rotary armature
    turning: int  # W of each station, three rows of m
    slopes: int  # terms of D, three rows of m each
    moving: int  # D, three rows of m each
    node: int  # W of a node, three rows of m
    nothing: int  # three rows of zeros
    sections: int  # a section for each station


@jit
def station_record(o, n, m):
    """Offsets in the workspace of a rod."""
    turning = o + 1
    slopes = turning + 3 * m * n
    moving = slopes + 3 * m * n
    node = moving + 3 * m * n
    return StationRecord(o, turning, slopes, moving, node, node + 3 * m, node + 6 * m)


@jit
def section_place(place, j):
    """Offset of the section at station j."""
    return place.sections + SECTION * j


def station_size(n: int, m: int) -> int:
    """Size of the workspace of a rod."""
    return 1 + 9 * m * n + 6 * m + SECTION * n


class ClosureRecord(NamedTuple):
    """Equations of all loops and couplings, n constraints; see `closing`."""

    gap: int  # n
    rate: int  # n
    rhs: int  # right-hand side, n
    force: int  # lambda, n
    applied: int  # A x of given accelerations x, n
    stiffness: int  # Baumgarte's K and C of each constraint, n each; zero: not stabilised
    damping: int


@jit
def closure_record(o, n):
    """Offsets in the equations of n constraints."""
    return ClosureRecord(o, o + n, o + 2 * n, o + 3 * n, o + 4 * n, o + 5 * n, o + 6 * n)


def closure_size(n: int) -> int:
    """Size of the equations of n constraints."""
    return 7 * n


class Solution(NamedTuple):
    """Unknown forces of loops and couplings; see `loops.forces` and `least_norm`."""

    rhs: int  # right-hand side, n
    asked: int  # part of it to be softened, n
    force: int  # solution, n
    size: int  # sizes of the rows of Lambda, n
    order: int  # of its rows, n
    left: int  # their remainders, n
    work: int  # 2n
    Lambda: int  # the whole matrix where it is nearly singular, n^2
    factor: int  # its factor, n^2
    gram: int  # n^2


@jit
def solution_record(o, n):
    """Offsets in the solution for n unknown forces."""
    m = o + 8 * n
    return Solution(
        o, o + n, o + 2 * n, o + 3 * n, o + 4 * n, o + 5 * n, o + 6 * n,
        m, m + n * n, m + 2 * n * n,
    )  # fmt: skip


@jit
def solution_part(s, first):
    """The solution from an unknown on."""
    return Solution(
        s.rhs + first, s.asked + first, s.force + first, s.size + first, s.order + first,
        s.left + first, s.work + 2 * first, s.Lambda, s.factor, s.gram,
    )  # fmt: skip


def solution_size(n: int) -> int:
    """Size of the solution for n unknown forces."""
    return 8 * n + 3 * n * n


class JointWork(NamedTuple):
    """Workspace for the joint of one loop; see `loop_joints`."""

    motion_map: int  # H*, columns of six, 36
    basis: int  # its orthonormalised columns, 36
    factors: int  # factors of the orthonormalisation, 36
    rest: int  # remainders of the unit vectors, 36
    best: int  # nearest coordinates so far, 6


@jit
def joint_work(o):
    """Offsets in the workspace for the joint of one loop."""
    return JointWork(o, o + 36, o + 72, o + 108, o + 144)


JOINT_WORK = 150  # its size
