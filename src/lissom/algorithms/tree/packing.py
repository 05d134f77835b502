"""Packing of a system into the flat arrays of the kernels (`kernels.fields`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...bodies import MassIntegrals, NormalBody, SecondOrder
from ...joints import Free, Spherical
from ...kernels import fields as field
from ...kernels.compiling import plain
from ...kernels.layout.loops import LoopsHeader
from ...kernels.layout.records import CarrierRecord
from ...kernels.layout.tree import BodyRow, body_offset
from ...kernels.records import (
    dense_size,
    floating_size,
    hinge_size,
    node_size,
    softened_size,
    stack_size,
    station_size,
)
from ...system import GROUND, System
from ..loops.packing import pack_loops
from .allocators import Buffer, ConstantStack
from .joint_packing import joint_row
from .node_packing import bent_rows, node_bending, node_numbers
from .own_joints import OwnJoints
from .rod_packing import first_coordinates, rod_numbers

__all__ = ["Packed", "pack"]

Array = np.ndarray

# Modal products in the order of `kernels.tree.flexible`: pairs to be added, then subtracted.
_SUMS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
_DIFFERENCES = ((1, 2), (2, 0), (0, 1))

# Numbers at the start of a record that bodies may use in turn: motion and P_
_IN_TURN = CarrierRecord.places["arm"]


# What bodies that are used several times have in common
_MODAL = "shapes damped damping bending bent listed second products lumps rod".split()


class Packed:
    """Constants of a system for the kernels, and initial content of a workspace.

    `rows` (n_body,): the rows of the bodies in `ints`, as `BodyRow.table`.
    """

    def __init__(
        self, ints: Array, n_body: int, floats: Array, start: Array, own_joints: OwnJoints
    ) -> None:
        self.ints = ints
        self.own_joints = own_joints
        self.floats = floats
        self.start = start
        self.rows: Any = BodyRow.table(ints[field.HEADER : body_offset(n_body)])


def pack(system: System, *, compact: bool = False) -> Packed:
    """Flat arrays of a system.  Linear in bodies and modes, except for dense modal matrices."""
    numbers = np.zeros(system.n_body * BodyRow.size, dtype=np.int64)
    rows = BodyRow.table(numbers)
    constants = ConstantStack(field.FLOATS_HEADER)
    constants.values[0][field.GRAVITY_VECTOR : field.GRAVITY_VECTOR + 3] = system.gravity
    scratch = Buffer(field.GROUND_RECORD + field.RECORD)
    shared: dict[Any, Any] = {}
    if compact:
        rigid = [_level(x) == field.RIGID for x in system.bodies]
        parts = shared_records(system, rigid)
        place = scratch.add((max(parts.values(), default=-1) + 1) * _IN_TURN)
        shared = {("in turn", i): place + k * _IN_TURN for i, k in parts.items()}
    own_joints = OwnJoints()
    for i in range(system.n_body):
        _place(system, i, rows, constants, scratch, shared, own_joints, compact)
    _, last = np.unique(rows.carrier[::-1], return_index=True)
    rows.first[system.n_body - 1 - last] = 1  # going tip to base
    temporary = scratch.add(18 * max((body.n_mode for body in system.bodies), default=0) + 36)
    rows.world[:] = scratch.add(12 * system.n_body) + 12 * np.arange(system.n_body)
    order = _branch_by_branch(system, rows)
    header = np.zeros(field.HEADER, dtype=np.int64)
    header[field.ALL_RIGID] = np.all(rows.level == field.RIGID)
    header[field.STIFFENS] = np.any(rows.level == field.STIFFENED)
    header[field.RODS] = np.any(rows.level == field.EXACT)
    header[field.ORDER] = field.HEADER + numbers.size
    header[field.IN_ORDER] = np.all(np.diff(order[: system.n_body]) > 0)
    header[field.COLUMNS] = scratch.add(6 * system.n_v if header[field.ALL_RIGID] else 0)
    header[[field.N_BODY, field.N_Q, field.N_V]] = system.n_body, system.n_q, system.n_v
    header[field.TEMPORARY] = temporary
    after = field.HEADER + numbers.size + len(order)
    loops = pack_loops(system, rows, constants, scratch, after, own_joints)
    header[field.LOOPS] = after if system.constraints else 0
    start = np.zeros(scratch.size)
    start[field.EXTERNAL] = scratch.size
    CarrierRecord(start, field.GROUND_RECORD).R = np.eye(3).ravel()
    for place, values in own_joints.contents:
        start[place : place + len(values)] = values
    for row, body, nodes in zip(rows, system.bodies, system.outboard_nodes, strict=True):
        _first_content(start, row, body, nodes)
    if system.constraints:
        place = LoopsHeader(loops, 0).ground_place
        start[field.ARMATURE] = 1.0  # see `pack_loops`
        start[place : place + 9] = np.eye(3).ravel()
    ints = np.concatenate([header, numbers, order, loops])
    return Packed(ints, system.n_body, constants.joined(), start, own_joints)


def _branch_by_branch(system: System, rows: Any) -> Array:
    """Body numbers with contiguous branches, then the hinge speeds in that order.

    Writes the range of speeds of each branch to `rows`.
    """
    order: list[int] = []
    waiting = [i for i in reversed(range(system.n_body)) if system.parent[i] == GROUND]
    while waiting:
        i = waiting.pop()
        order.append(i)
        waiting += reversed(system.children[i])
    speeds: list[int] = []
    for i in order:
        rows[i].branch = len(speeds)
        piece = system.layout.hinge_v(i)
        speeds += range(piece.start, piece.stop)
    for i in reversed(order):
        own_end = rows[i].branch + rows[i].hinge_dof
        rows[i].branch_end = max([own_end, *(rows[c].branch_end for c in system.children[i])])
    return np.array(order + speeds, dtype=np.int64)


def _place(
    system: System,
    i: int,
    rows: Any,
    constants: ConstantStack,
    scratch: Buffer,
    shared: dict[Any, Any],
    own_joints: OwnJoints,
    compact: bool,
) -> None:
    """Write the row of body i: its type and the offsets of its data."""
    row, body, joint, layout = rows[i], system.bodies[i], system.joints[i], system.layout
    p, m, r = int(system.parent[i]), body.n_mode, joint.n_v
    row.parent = p
    row.hinge_dof, row.n_mode = r, m
    row.hinge_q, row.modal_q = layout.hinge_q(i).start, layout.modal_q(i).start
    row.hinge_v, row.modal_v = layout.hinge_v(i).start, layout.modal_v(i).start
    row.level = _level(body)
    row.carries = len(system.children[i]) > 0
    nodes = () if row.level == field.RIGID else system.outboard_nodes[i]
    row.n_node = len(nodes)
    in_turn = shared.get(("in turn", i))
    if in_turn is None or row.level != field.RIGID:
        row.record = row.motion = scratch.add(field.RECORD)
    else:
        row.record = scratch.add(field.RECORD - _IN_TURN) - _IN_TURN
        row.motion = in_turn
    row.children = row.motion + field.P_
    row.hinge = scratch.add(hinge_size(r))
    row.listed = plain(node_size)(0)
    if row.level != field.RIGID:
        row.n_lump = len(body.lumps)
        row.dense = body.dense_mass
        row.nodes = scratch.add(len(nodes) * field.NODE_RECORD)
        row.node_motion = row.nodes if in_turn is None else in_turn
        row.modal = scratch.add(2 * m + (dense_size(m, len(nodes)) if row.dense else 0))
        row.stack = scratch.add(stack_size(len(nodes)))
        softened = id(body), nodes, "softened"
        constant = compact and row.level <= field.LINEAR and not row.dense
        if not constant or softened not in shared:
            shared[softened] = scratch.add(softened_size(len(nodes)))
        row.compliance = shared[softened]
        _modal_constants(row, body, nodes, constants, shared)
        if row.level >= field.FULL or id(body) not in shared:
            shared[id(body)] = scratch.add(6 * m)
        row.M_rf = shared[id(body)]
        shapes = id(body), nodes, "shapes"
        if row.level >= field.STIFFENED or shapes not in shared:
            shared[shapes] = scratch.add(len(nodes) * plain(node_size)(m))
        row.node_shapes = shared[shapes]
        if body.floating is not None:
            row.stations = scratch.add(floating_size(m))
        if body.rod is not None:
            row.n_station = len(body.rod.masses)
            row.stations = scratch.add(station_size(len(body.rod.masses), m))
            (
                row.first_xz,
                row.first_torsion,
                row.first_stretch,
                row.first_shear,
                row.first_shear_z,
            ) = first_coordinates(body.rod)
    if p == GROUND:
        row.carrier = row.carrier_motion = field.GROUND_RECORD
        row.carrier_children = field.GROUND_RECORD + field.P_
    elif rows[p].level == field.RIGID:
        row.carrier, row.carrier_motion = rows[p].record, rows[p].motion
        row.carrier_children = rows[p].children
    else:
        slot = system.outboard_nodes[p].index(int(system.parent_node[i]))
        row.carrier = rows[p].nodes + slot * field.NODE_RECORD
        row.carrier_motion = rows[p].node_motion + slot * field.NODE_RECORD
        row.carrier_children = row.carrier + field.P_
    ruthless = p != GROUND and rows[p].level == field.RUTHLESS
    row.turns = rows[p].record if ruthless else 0
    frame, mass = system.frame_rotation[i], body.integrals
    row.turned = not np.array_equal(frame, np.eye(3))
    row.constants = constants.add(
        frame, system.frame_position[i], np.array([mass.mass]), mass.first_moment, _inertia(mass)
    )
    row.kind, row.axis, numbers = joint_row(joint)
    if row.kind == field.OWN:
        row.joint = constants.add(own_joints.add(joint, scratch))
    else:
        row.joint = constants.add(np.asarray(numbers))


def _level(body: NormalBody) -> int:
    if body.n_mode == 0 and not body.lumps and len(body.node_positions) == 1:
        return field.RIGID
    if body.floating is not None:
        return field.FLOATING
    return {
        "ruthless": field.RUTHLESS,
        "linear": field.LINEAR,
        "full": field.FULL,
        "stiffened": field.STIFFENED,
        "exact": field.EXACT,
    }[body.level]


def _six(J: Array) -> Array:
    """Upper triangle of a symmetric 3x3 matrix, by rows."""
    return np.asarray(J)[np.triu_indices(3)]


def _inertia(mass: MassIntegrals) -> Array:
    """Inertia about the origin, six numbers."""
    return _six(np.trace(mass.second_moment) * np.eye(3) - mass.second_moment)


def _coupling(mass: MassIntegrals) -> Array:
    """Coupling block M_rf of the undeformed body, (6, n_mode)."""
    g, s = mass.modal_second_moment, mass.modal_first_moment
    return np.stack([g[1, 2] - g[2, 1], g[2, 0] - g[0, 2], g[0, 1] - g[1, 0], *s])


def _modal_constants(
    row: Any,
    body: NormalBody,
    nodes: tuple[int, ...],
    constants: ConstantStack,
    shared: dict[Any, Any],
) -> None:
    """Add modal constants, once for a body that is used several times with the same nodes."""
    key = (id(body), nodes)
    if key not in shared:
        _add_modal_constants(row, body, nodes, constants)
        shared[key] = [getattr(row, name) for name in _MODAL]
    for name, value in zip(_MODAL, shared[key], strict=True):
        setattr(row, name, value)


def _add_modal_constants(
    row: Any, body: NormalBody, nodes: tuple[int, ...], constants: ConstantStack
) -> None:
    mass = body.integrals if body.floating is None else body.floating.integrals
    g, N = mass.modal_second_moment, mass.modal_products
    sums = np.stack([g[k, k] if k == l else g[k, l] + g[l, k] for k, l in _SUMS])
    row.shapes = constants.add(body.stiffness, _coupling(mass), sums)
    diagonal = np.diag(body.damping)
    if np.array_equal(body.damping, np.diag(diagonal)):
        row.damped = field.DIAGONAL if np.any(diagonal) else field.NONE
        row.damping = constants.add(diagonal)
    else:
        row.damped = field.MATRIX
        row.damping = constants.add(body.damping.T)
    if body.rod is not None:
        row.rod = constants.add(*rod_numbers(body.rod))
    if body.floating is not None:
        row.rod = constants.add(body.floating.node_shapes[body.inboard])
    bits = bent_rows(body)
    row.bent, row.listed = bits, len(node_numbers(body, body.inboard, bits))
    row.bending = constants.add(*(node_bending(body, t, bits) for t in nodes))
    if row.level in (field.FULL, field.STIFFENED, field.FLOATING):
        products = _products(N, body.second_order)
        present = [k for k, product in enumerate(products) if np.any(product)]
        row.products = sum(1 << k for k in present)
        row.second = constants.add(g, *(products[k].T for k in present))
    if body.lumps or body.floating is not None:
        pieces: list[Array] = []
        for lump in body.lumps:
            place = node_numbers(body, lump.node, bits)
            pieces += [np.array([lump.mass]), lump.offset, _six(lump.inertia), place]
        row.lumps = constants.add(*pieces, (N[0, 0] + N[1, 1] + N[2, 2]).T)


def _products(N: Array, second: SecondOrder | None) -> list[Array]:
    """Products of modes in the order of `kernels.tree.flexible`."""
    if second is None:
        sums = [N[k, k] if k == l else N[k, l] + N[l, k] for k, l in _SUMS]
        return sums + [N[k, l] - N[l, k] for k, l in _DIFFERENCES]
    Z = second.second_moment
    turned = [Z[k, l] - Z[l, k] for k, l in _DIFFERENCES]
    sums = [
        N[k, k] + Z[k, k] if k == l else N[k, l] + N[l, k] + (Z[k, l] + Z[l, k]) for k, l in _SUMS
    ]
    differences = [N[k, l] - N[l, k] - X for (k, l), X in zip(_DIFFERENCES, turned, strict=True)]
    return [*sums, *differences, *turned, *second.first_moment]


def _first_content(start: Array, row: Any, body: NormalBody, nodes: tuple[int, ...]) -> None:
    """Write the initial content of a workspace: W, nodes, and the constants of level "linear"."""
    if row.level == field.RIGID:
        return
    m, f = body.n_mode, row.modal
    mass = body.integrals
    if not row.dense:
        start[f : f + m] = 1.0
    start[row.M_rf : row.M_rf + 6 * m] = _coupling(mass).ravel()
    b = CarrierRecord(start, row.record)
    b.J, b.p, b.mass = _inertia(mass), mass.first_moment, mass.mass
    for k, node in enumerate(nodes):
        size = plain(node_size)(m)
        numbers = node_numbers(body, node, int(row.bent))[:size]
        place = row.node_shapes + k * size
        start[place : place + size] = numbers


# Parts of records that bodies of a compact workspace use in turn.
#
# Forward dynamics of a tree needs the motion of a body, and the articulated inertia of its
# children, only between that body and its last child, in each of its sweeps.  Bodies for which
# these intervals do not overlap share them, so that a chain of rigid bodies has one of each: less
# memory to move, on GPUs the cost of an evaluation.  After a sweep they hold the numbers of some
# bodies only.


def shared_records(system: System, rigid: Sequence[bool]) -> dict[int, int]:
    """Number of the shared part of each rigid body, and of the only node of each flexible one.

    Rigid bodies on ball and free joints keep their own: the inward sweep needs their attitudes.
    """
    numbers: dict[int, int] = {}
    until: list[int] = []  # last body that uses each part
    for i, joint in enumerate(system.joints):
        if isinstance(joint, (Free, Spherical)) if rigid[i] else len(system.outboard_nodes[i]) != 1:
            continue
        last = max(system.children[i], default=i)
        # The last child reads the part before it writes its own.
        free = next((k for k, stop in enumerate(until) if stop <= i), len(until))
        until[free : free + 1] = [last]
        numbers[i] = free
    return numbers
