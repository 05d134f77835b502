"""Articulated bodies: forward dynamics and products with the inverse mass matrix.  O(N).

After `motion_base_to_tip` the records hold the accelerations without the unknowns, and the inertial
forces z, t_f of the bodies at these.  The remaining equation is M vdot = T - (these forces):
  inward   P, z of each body, with the contributions of its children; the part that passes the
           hinge is shifted to the node that carries the body               (12)-(16), (20), (21)
  outward  the part of the accelerations due to the unknowns                (22)-(25)
Equation numbers: `reference`.  With zero residual forces the result is M^-1 T.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..dense import factor_spd
from ..layout.records import CarrierRecord
from ..layout.tree import BodyRow
from ..records import modal_record, stack_record
from ..small import (
    IDENTITY,
    ZERO,
    add,
    cross,
    turn,
    turn_back,
    vector,
)
from .compliance import (
    deform,
    node_compliance,
    pass_nodes,
    place_nodes,
    prepare_body,
    seen_force,
    softened_inertia,
)
from .dense_modes import dense_compliance
from .hinges import (
    free_inward,
    free_outward,
    general_inward,
    general_outward,
    prismatic_inward,
    prismatic_outward,
    revolute_inward,
    revolute_outward,
    spherical_inward,
    spherical_outward,
)
from .one_node import children_rows, pass_one_node
from .rigid import (
    articulated,
    plus_articulated,
    plus_rigid,
    put_articulated,
    rigid_as_articulated,
    shifted_articulated,
    turned_articulated,
)
from .rod_tension import keep_turning


@jit
def prepare(ints, scratch):
    """Write the constants of all flexible bodies for the current armature."""
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        if body.level != field.RIGID:
            prepare_body(ints, scratch, body)


@jit
def articulate_tip_to_base(ints, scratch, forces):
    """Inward sweep; the status tells whether a hinge has no inertia."""
    return articulate_bodies(ints, scratch, forces, 0, ints[field.N_BODY])


@jit
def articulate_bodies(ints, scratch, forces, start, stop):
    """Inward sweep over the bodies from `stop` - 1 to `start`."""
    armature = scratch[field.ARMATURE] != 0.0
    for i in range(stop - 1, start - 1, -1):
        body = BodyRow(ints, field.HEADER, i)
        b, o = CarrierRecord(scratch, body.record), body.hinge
        kind, rigid = body.kind, body.level == field.RIGID
        moved = CarrierRecord(scratch, body.motion)
        if body.driven != 0:
            kind = field.FIXED  # its motion is given
        o_v = body.hinge_v
        if rigid:
            J, p = b.J, b.p
            z_w, z_v = b.z_w, b.z_v
            if body.carries != 0:
                A, B, D = articulated(scratch, body.children)
                A, B, D = plus_rigid(A, B, D, J, p, b.mass)
            else:
                A, B, D = rigid_as_articulated(J, p, b.mass)
        else:
            m, o_m = body.n_mode, body.modal_v
            t_f = modal_record(body.modal, m).force
            for k in range(m):
                scratch[t_f + k] = forces[o_m + k] - scratch[t_f + k]  # (17)
            if body.dense != 0:
                if not dense_compliance(scratch, body):
                    return field.SINGULAR
            elif body.level >= field.FULL:
                if body.level == field.STIFFENED:
                    node_compliance(ints, scratch, body)
                softened_inertia(ints, scratch, body)
            s, n_node = body.compliance, body.n_node
            t, nodes = body.stack, body.nodes
            if n_node > 0 and ints[field.STIFFENS] != 0 and not modes_definite(scratch, body):
                return field.SINGULAR
            if n_node == 0:
                A, B, D = articulated(scratch, s)
            elif n_node == 1:
                A, B, D = pass_one_node(scratch, t, s, nodes)
            else:
                A, B, D = pass_nodes(scratch, t, s, nodes, n_node)
            z_w, z_v = seen_force(ints, scratch, body)
        blind = False
        if kind == field.REVOLUTE:
            A, B, D, z_w, z_v, blind = revolute_inward(scratch, o, A, B, D, z_w, z_v, forces[o_v])
        elif kind == field.PRISMATIC:
            A, B, D, z_w, z_v, blind = prismatic_inward(scratch, o, A, B, D, z_w, z_v, forces[o_v])
        elif kind == field.SPHERICAL and not armature:
            R = moved.R if rigid else IDENTITY
            n = turn(R, vector(forces, o_v))
            A, B, D, z_w, z_v, blind = spherical_inward(scratch, o, A, B, D, z_w, z_v, n)
        elif kind == field.FREE and not armature:
            R = moved.R if rigid else IDENTITY
            n, f = turn(R, vector(forces, o_v)), turn(R, vector(forces, o_v + 3))
            blind = free_inward(scratch, o, A, B, D, z_w, z_v, n, f)
            A, B, D = rigid_as_articulated((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), ZERO, 0.0)
            z_w, z_v = n, f
        elif kind != field.FIXED:
            A, B, D, z_w, z_v, blind = general_inward(
                scratch, o, body.hinge_dof, A, B, D, z_w, z_v, forces, o_v
            )
        if blind:
            return field.SINGULAR
        if body.parent < 0:
            continue
        if not rigid:
            R = moved.R
            A, B, D = turned_articulated(R, A, B, D)
            z_w, z_v = turn(R, z_w), turn(R, z_v)
        r = b.arm
        A, B, D = shifted_articulated(r, A, B, D)
        z_w = add(z_w, cross(r, z_v))
        carrier, P = CarrierRecord(scratch, body.carrier), body.carrier_children
        if body.first == 0:
            A, B, D = plus_articulated(A, B, D, *articulated(scratch, P))
        put_articulated(scratch, P, A, B, D)
        carrier.z_w = add(carrier.z_w, z_w)
        carrier.z_v = add(carrier.z_v, z_v)
    return field.DONE


@jit
def accelerate_base_to_tip(ints, scratch, out):
    """Outward sweep: accelerations of hinges and modes; NOT_FINITE if one of them is not."""
    accelerate_bodies(ints, scratch, out, 0, ints[field.N_BODY])
    return all_finite(out, ints[field.N_V])


@jit
def accelerate_bodies(ints, scratch, out, start, stop):
    """Outward sweep over the bodies from `start` to `stop` - 1."""
    ground = CarrierRecord(scratch, field.GROUND_RECORD)
    ground.d_alpha = ZERO
    ground.d_a = ZERO
    armature = scratch[field.ARMATURE] != 0.0
    for i in range(start, stop):
        body = BodyRow(ints, field.HEADER, i)
        b, n = CarrierRecord(scratch, body.record), CarrierRecord(scratch, body.carrier_motion)
        o, o_v = body.hinge, body.hinge_v
        moved = CarrierRecord(scratch, body.motion)
        kind, rigid = body.kind, body.level == field.RIGID
        if body.driven != 0:
            kind = field.FIXED
        alpha, a = n.d_alpha, n.d_a
        a = add(a, cross(alpha, b.arm))
        if not rigid:
            R = moved.R
            alpha, a = turn_back(R, alpha), turn_back(R, a)
        if kind == field.REVOLUTE:
            alpha, a = revolute_outward(scratch, o, alpha, a, out, o_v)
        elif kind == field.PRISMATIC:
            alpha, a = prismatic_outward(scratch, o, alpha, a, out, o_v)
        elif kind == field.SPHERICAL and not armature:
            R = moved.R if rigid else IDENTITY
            alpha, a = spherical_outward(scratch, o, R, alpha, a, out, o_v)
        elif kind == field.FREE and not armature:
            R = moved.R if rigid else IDENTITY
            alpha, a = free_outward(scratch, o, R, alpha, a, out, o_v)
        elif kind != field.FIXED:
            alpha, a = general_outward(scratch, o, body.hinge_dof, alpha, a, out, o_v)
        if rigid:
            moved.d_alpha = alpha
            moved.d_a = a
        else:
            deform(ints, scratch, body, alpha, a, out)
        if body.level == field.EXACT:
            keep_turning(scratch, body, alpha, out)


@jit
def all_finite(x, n):
    """DONE if n numbers are finite, else NOT_FINITE."""
    s = 0.0
    for k in range(n):
        s += 0.0 * x[k]
    return field.DONE if s == 0.0 else field.NOT_FINITE


# Whether the modes of a body that carries others have a positive definite mass.
#
# At level "stiffened" the mass matrix is truncated, and may become indefinite at large deflections.
# Hinges notice it by their own inertia; the modes of a body with children of articulated inertia
# Gamma need, with S = L L^T,
#   I + L^T Gamma L  positive definite                                              (1)
# which is the case wherever Gamma is, so that (1) is formed only where Gamma is not.

# Pivots of semidefinite matrices within this fraction of the diagonal count as zero.
ZERO_PIVOT = 1e-9


@jit
def modes_definite(scratch, body):
    """Whether (1) holds; before `pass_one_node` or `pass_nodes`, whose workspace it uses."""
    t, nodes = body.stack, body.nodes
    n_node = body.n_node
    stack, n = stack_record(t, n_node), 6 * n_node
    definite = True
    for s in range(n_node):
        _put_gamma(scratch, nodes + s * field.NODE_RECORD, stack.work, 0, 6)
        definite = definite and semi_factor(scratch, stack.work, 6)
    if definite:
        return True
    place_nodes(scratch, t, body.compliance, nodes, n_node)
    for k in range(n * n):
        scratch[stack.work + k] = scratch[stack.compliance + k]
        scratch[stack.passing + k] = 0.0
    semi_factor(scratch, stack.work, n)  # L
    for s in range(n_node):
        _put_gamma(scratch, nodes + s * field.NODE_RECORD, stack.passing, 6 * s, n)
    for r in range(n):  # Gamma L, in the place of Gamma
        for c in range(n):
            e = 0.0
            for k in range(c, n):
                e += scratch[stack.passing + r * n + k] * scratch[stack.work + k * n + c]
            scratch[stack.passing + r * n + c] = e
    for c in range(n):  # I + L^T (Gamma L); a column of Gamma L serves rows from c on
        for r in range(n):
            e = 1.0 if r == c else 0.0
            for k in range(r, n):
                e += scratch[stack.work + k * n + r] * scratch[stack.passing + k * n + c]
            scratch[stack.passing + r * n + c] = e
    return factor_spd(scratch, stack.passing, n, 0.0) < 0


@jit
def _put_gamma(scratch, d, o, first, n):
    """Write the articulated inertia of the children at node d as a block of the n x n matrix."""
    rows = children_rows(scratch, d)
    for r in range(6):
        for c in range(6):
            scratch[o + (first + r) * n + first + c] = rows[r][c]


@jit
def semi_factor(x, o, n):
    """Replace the lower triangle of a semidefinite n x n matrix by L, A = L L^T.

    Returns whether it is semidefinite.
    """
    for c in range(n):
        d = x[o + c * n + c]
        size = d
        for k in range(c):
            d -= x[o + c * n + k] * x[o + c * n + k]
        if d < -ZERO_PIVOT * abs(size):
            return False
        root = d**0.5 if d > ZERO_PIVOT * size else 0.0
        x[o + c * n + c] = root
        for r in range(c + 1, n):
            e = x[o + r * n + c]
            for k in range(c):
                e -= x[o + r * n + k] * x[o + c * n + k]
            x[o + r * n + c] = e / root if root > 0.0 else 0.0
    return True
