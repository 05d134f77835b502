"""Packing of loops and couplings into the flat arrays of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...bodies import NormalBody, RigidBody
from ...joints import Joint
from ...joints.nearness import constraint_map
from ...kernels import fields as field
from ...kernels.compiling import plain
from ...kernels.layout.loops import (
    CouplingRow,
    GroupRow,
    LoopRow,
    LoopsHeader,
    PathRow,
    ReachedRow,
    TermRow,
)
from ...kernels.layout.records import ClosingRecord
from ...kernels.layout.tree import body_offset
from ...kernels.records import JOINT_WORK, closure_size, node_shapes, solution_size
from ...spatial import rotate
from ...system import GROUND, Loop, LoopEnd, System
from ..tree.allocators import Buffer, ConstantStack
from ..tree.body_terms import NodeMotion, node_motion
from ..tree.joint_packing import loop_columns, loop_joint_row
from ..tree.own_joints import OwnJoints
from ..tree.reference import carriers
from .couplings import coupled_rows
from .elimination import bodies_on_paths, elimination_order, envelope, ground_group, nested_groups

# Unknown forces of a loop: combinations of its constraints that can do work.
#
# With A_k the rows of loop k in a configuration, a combination c with c^T A_k = 0 in every
# configuration does no work, and its force of least norm is zero: two moments and a force for each
# pin of a planar linkage.  The directions of the joints on the way around the loop are analytic in
# the coordinates: a combination that is idle in configurations taken at random is idle in all.

# A configuration at random adds a combination that works to those of the ones before it, or none
# ever will: six configurations find all of six rows.
SAMPLES = 6
# Fraction of the largest singular value below which a combination does no work.
IDLE = 1e-11


class _Placed(NamedTuple):
    """A body in a configuration: axes and origin in the world, motion map, nodes with children."""

    rotation: Array
    position: Array
    motion_map: Array
    nodes: dict[int, NodeMotion]


def working_combinations(system: System, constant: Sequence[bool]) -> list[Array | None]:
    """Basis Q (n, m) for each loop of its m combinations that can do work; None if all can."""
    if not any(constant):
        return [None] * len(system.loops)
    rng = np.random.default_rng(1965)
    samples = [_sample(system, rng) for _ in range(SAMPLES)]
    bases: list[Array | None] = []
    for loop, same in zip(system.loops, constant, strict=True):
        if not same:
            bases.append(None)
            continue
        P = constraint_map(loop.joint.motion_map(loop.joint.neutral()), system.length)
        A = np.hstack([_rows(system, placed, loop, P) for placed in samples])
        bases.append(_basis(A))
    return bases


def _sample(system: System, rng: np.random.Generator) -> list[_Placed]:
    """All bodies in a random configuration."""
    placed: list[_Placed] = []
    for i, (joint, body) in enumerate(zip(system.joints, system.bodies, strict=True)):
        theta = joint.neutral() + 0.4 * rng.standard_normal(joint.n_q)
        if joint.has_quaternion:
            theta[:4] /= np.linalg.norm(theta[:4])
        R, r = system.frame_rotation[i], system.frame_position[i]
        if (p := int(system.parent[i])) != GROUND:
            R, r = _on(placed[p], int(system.parent_node[i]), R, r)
        R_joint, r_joint = joint.pose(theta)
        most = np.abs(body.node_shapes).max(axis=(0, 1), initial=1e-300)
        eta = 0.1 * rng.standard_normal(body.n_mode) / most
        nodes = {t: _node(body, t, eta) for t in system.outboard_nodes[i]}
        placed.append(_Placed(R @ R_joint, r + R @ r_joint, joint.motion_map(theta), nodes))
    return placed


def _node(body: NormalBody, node: int, eta: Array) -> NodeMotion:
    return node_motion(body, node, eta, np.zeros(len(eta)), np.zeros(6))


def _on(body: _Placed, node: int, rotation: Array, position: Array) -> tuple[Array, Array]:
    """World axes and origin of a frame on a node."""
    motion = body.nodes[node]
    R = body.rotation @ motion.rotation
    return R @ rotation, body.position + body.rotation @ motion.position + R @ position


def _basis(A: Array) -> Array | None:
    """Orthonormal basis of the combinations of rows of A that are not zero; None if all are."""
    left, values, _ = np.linalg.svd(A)
    m = int(np.sum(values > IDLE * values.max(initial=0.0)))
    return None if m == len(A) else left[:, :m]


def _rows(system: System, placed: Sequence[_Placed], loop: Loop, P: Array) -> Array:
    """Rows A_k (n, speeds around the loop) in a configuration."""
    paths = [carriers(system, end.body) for end in loop.ends]
    shared = set(paths[0]) & set(paths[1])
    C, x = _frame(placed, loop.b)
    columns = [np.zeros((6, 0))]
    for end, path, sign in zip(loop.ends, paths, (-1.0, 1.0), strict=True):
        node = end.node
        for i in path:
            body, motion = placed[i], placed[i].nodes[node]
            if i not in shared:
                columns.append(sign * _moved(body, body.motion_map, body.position, x))
            if motion.shapes.size:
                at = body.position + body.rotation @ motion.position
                columns.append(sign * _moved(body, motion.shapes, at, x))
            node = int(system.parent_node[i])
            if i in shared:
                break
    return rotate(C, P).T @ np.hstack(columns)


def _moved(body: _Placed, motions: Array, at: Array, point: Array) -> Array:
    """Velocities of a point, world axes, due to motions [angular; linear] of a body at `at`."""
    turned = rotate(body.rotation, motions)
    turned[3:] += np.cross(turned[:3].T, point - at).T
    return turned


def _frame(placed: Sequence[_Placed], end: LoopEnd) -> tuple[Array, Array]:
    """World axes and origin of an end's frame."""
    if end.body == GROUND:
        return end.rotation, end.position
    return _on(placed[end.body], end.node, end.rotation, end.position)


# Number of unknowns from which groups of loops are eliminated at their nodes, and the largest part
# of them that one group may have.
LEAST_NESTED, WIDEST = 24, 0.5


class Numbering:
    """Unknowns of loops and couplings, numbered group by group in the order of elimination."""

    def __init__(self, system: System, turns: Sequence[Array | None]) -> None:
        self.system = system
        full = [loop.n_constraint for loop in system.loops]
        loop_sizes = [n if Q is None else Q.shape[1] for n, Q in zip(full, turns, strict=True)]
        self.sizes = loop_sizes + [1] * len(system.couplings)
        self.n = sum(self.sizes)
        groups = nested_groups(system)
        widest = max(map(self.size_of, groups.members.values()))
        if self.n < LEAST_NESTED or widest > WIDEST * self.n:
            groups = ground_group(system)
        self.members = groups.members
        self.first, number = [0] * len(self.sizes), 0
        moving = [those for i, those in groups.passing.items() if self._moves(i)]
        for members in groups.members.values():
            for k in elimination_order(moving, members):
                self.first[k] = number
                number += self.sizes[k]
        self.columns = {
            i: sorted(c for k in those for c in self.of(k)) for i, those in groups.passing.items()
        }
        self.places = {
            i: {c: k for k, c in enumerate(columns)} for i, columns in self.columns.items()
        }

    def _moves(self, i: int) -> bool:
        """Whether a body has speeds of its own."""
        return self.system.joints[i].n_v > 0 or not isinstance(self.system.bodies[i], RigidBody)

    @property
    def nested(self) -> bool:
        """Whether there are groups other than that of the ground."""
        return len(self.members) > 1

    def of(self, k: int) -> range:
        """Unknowns of a loop or coupling."""
        return range(self.first[k], self.first[k] + self.sizes[k])

    def size_of(self, members: Sequence[int]) -> int:
        """Number of the unknowns of a group."""
        return sum(self.sizes[k] for k in members)

    def of_group(self, place: tuple[int, int]) -> range:
        """Unknowns of the group of a node; empty if it has none."""
        members = self.members.get(place, ())
        start = min((self.first[k] for k in members), default=0)
        return range(start, start + self.size_of(members))

    def rows(self, *, whole: bool = False) -> tuple[Array, int]:
        """Numbers of the rows of Lambda, see `EnvelopeRow`, and the size of all rows.

        whole: rows from their first column, for the mass matrix, where all groups meet.
        """
        moving = [columns for i, columns in self.columns.items() if self._moves(i)]
        first = np.zeros(self.n, dtype=np.int64) if whole else envelope(moving, self.n)
        numbers, sizes = np.arange(self.n), np.zeros(self.n, dtype=np.int64)
        for k in range(len(self.system.loops)):
            if self.sizes[k]:
                sizes[self.first[k]] = self.sizes[k]
        ends = np.cumsum(numbers + 1 - first)
        rows = np.column_stack([first, ends - 1 - numbers, sizes])
        return rows.ravel(), int(ends[-1]) if self.n else 0


__all__ = ["pack_loops"]

Array = np.ndarray

# Joints that allow the same motions, seen by the outer body, wherever they stand.
_CONSTANT = (field.FIXED, field.AXIAL, field.SPHERICAL, field.PLANAR)


def pack_loops(
    system: System,
    rows: Any,
    constants: ConstantStack,
    scratch: Buffer,
    start: int,
    own_joints: OwnJoints,
) -> Array:
    """Header and rows of the loops and couplings, to stand at ints[start:]; empty without any.

    Systems with constraints always run with armature, possibly zero, so that all kinds of joints
    store the same numbers at their hinges.
    """
    if not system.constraints:
        return np.zeros(0, dtype=np.int64)
    joints = [_packed_joint(loop.joint, constants, scratch, own_joints) for loop in system.loops]
    turns = working_combinations(system, [kind in _CONSTANT for kind, _, _ in joints])
    numbering = Numbering(system, turns)
    n, m, paths = system.n_constraint, numbering.n, _Paths(system, rows, scratch, numbering)
    packed = np.zeros(LoopsHeader.size + len(system.loops) * LoopRow.size, dtype=np.int64)
    loops = LoopRow.table(packed[LoopsHeader.size :])
    head = LoopsHeader(packed, 0)
    ground = scratch.add(12), scratch.add(6)
    head.ground_place = ground[0]
    first = 0
    for k, (row, loop) in enumerate(zip(loops, system.loops, strict=True)):
        joint, row.state = loop.joint, scratch.add(field.L_RECORD)
        row.kind, row.joint, row.columns = joints[k]
        row.dof, row.n, row.n_q = joint.n_v, loop.n_constraint, joint.n_q
        row.first, row.map, row.turn = first, -1, -1
        row.solved, row.n_solved = numbering.first[k], numbering.sizes[k]
        if row.kind in _CONSTANT:
            P = constraint_map(joint.motion_map(joint.neutral()), system.length)
            row.map = constants.add(P.T)
            if (Q := turns[k]) is not None:
                row.turn = constants.add((P @ Q).T, Q)
        first += loop.n_constraint
        for place, end in zip((row.a, row.b), loop.ends, strict=True):
            paths.place_end(place, end, ground, k)
            place.frame = constants.add(end.rotation, end.position)
    most = max(1, *(len(system.outboard_nodes[i]) for i in paths.bodies))
    head.n_loop, head.n_column, head.n_path = len(loops), n, len(paths.bodies)
    head.loop_rows, head.path_rows = start + LoopsHeader.size, start + packed.size
    head.closure = scratch.add(closure_size(n))
    most_active = max(map(len, numbering.columns.values()), default=0)
    head.n_solved, head.solution = m, scratch.add(solution_size(m))
    head.loop_work = scratch.add(JOINT_WORK + (6 + 12 * most) * most_active + 6 * most)
    head.responses = scratch.add(7 * m if numbering.nested else 0)
    head.closing = scratch.add(ClosingRecord.size)
    mass = sum(body.mass for body in system.bodies)
    head.length = constants.add(np.array([system.length, mass]))
    parts = [packed, paths.numbers, paths.list_active(start + packed.size + paths.numbers.size)]

    def here() -> int:
        return start + sum(map(len, parts))

    head.envelope = head.whole = here()
    table, size = numbering.rows()
    parts.append(table)
    if numbering.nested:
        head.whole = here()
        table, size = numbering.rows(whole=True)
        parts.append(table)
    head.Lambda, head.factor = scratch.add(size), scratch.add(size)
    head.n_group, head.group_rows = len(numbering.members), here()
    parts.append(paths.list_groups(here(), head.path_rows))
    head.n_coupling, head.coupling_rows = len(system.couplings), here()
    parts.append(paths.couplings(constants, here()))
    return np.concatenate(parts)


def _packed_joint(
    joint: Joint, constants: ConstantStack, scratch: Buffer, own_joints: OwnJoints
) -> tuple[int, int, int]:
    """Kind of a loop's joint, and where its constants and those of its coordinates start."""
    row = loop_joint_row(joint)
    if row.kind == field.OWN:
        place = constants.add(own_joints.add(joint, scratch))
        return row.kind, place, place
    numbers = constants.add(np.asarray(row.constants, dtype=float))
    return row.kind, numbers, constants.add(np.asarray(loop_columns(joint, row), dtype=float))


class _Paths:
    """Bodies with loop ends or coupled hinges on them or outboard of them."""

    def __init__(self, system: System, rows: Any, scratch: Buffer, numbering: Numbering) -> None:
        self.system, self.body_rows, self.numbering = system, rows, numbering
        self.bodies = bodies_on_paths(system)
        self.blocks = {
            place: scratch.add(6 * len(numbering.of_group(place))) if place[0] != GROUND else -1
            for place in numbering.members
        }
        self.number = {i: k for k, i in enumerate(self.bodies)}
        self.numbers = np.zeros(len(self.bodies) * PathRow.size, dtype=np.int64)
        self.rows = PathRow.table(self.numbers)
        apart = self._stands_alone()
        for i, row in zip(self.bodies, self.rows, strict=True):
            self._place(i, row, scratch, apart)

    def _columns(self, i: int) -> list[int]:
        """Unknowns that pass a body."""
        return self.numbering.columns.get(i, [])

    def _slot(self, i: int, node: int) -> int:
        """Number of the node record of a body."""
        rigid = self.body_rows[i].level == field.RIGID
        return 0 if rigid else self.system.outboard_nodes[i].index(node)

    def _address(self, i: int, node: int, c: int) -> int:
        """Place in the workspace of unknown c at a node of body i."""
        key = (i, 0 if self.body_rows[i].level == field.RIGID else node)
        group = self.numbering.of_group(key)
        if c in group:
            return self.blocks[key] + 6 * (c - group.start)
        column = len(self._columns(i)) * self._slot(i, node) + self.numbering.places[i][c]
        return int(self.rows[self.number[i]].forces) + 6 * column

    def _stands_alone(self) -> bool:
        """Whether no loop connects to the ground or to another base body."""
        for loop in self.system.loops:
            roots = {tuple(carriers(self.system, end.body)[-1:]) for end in loop.ends}
            if len(roots) > 1 or () in roots:
                return False
        return True

    def _place(self, i: int, row: Any, scratch: Buffer, apart: bool) -> None:
        p, body, n = int(self.system.parent[i]), self.body_rows[i], len(self._columns(i))
        nodes = 1 if body.level == field.RIGID else int(body.n_node)
        row.body = body_offset(i)
        row.place, row.velocity = scratch.add(12), scratch.add(6 * nodes)
        row.n_node, row.forces = nodes, scratch.add(6 * n * nodes)
        row.innovations = scratch.add(int(body.hinge_dof) * n)
        row.parent = row.carrier_velocity = -1
        if p == GROUND:
            row.parent = -2 if apart else -1
            return
        parent, slot = self.rows[self.number[p]], 0
        if self.body_rows[p].level != field.RIGID:
            row.carrier_node = 1
            slot = self.system.outboard_nodes[p].index(int(self.system.parent_node[i]))
        row.parent, row.carrier_velocity = parent.place, parent.velocity + 6 * slot

    def place_end(self, row: Any, end: LoopEnd, ground: tuple[int, int], k: int) -> None:
        """Write the offsets of the numbers of an end of loop k."""
        if end.body == GROUND:
            row.body = row.forces = -1
            row.record = field.GROUND_RECORD
            row.place, row.velocity = ground
            return
        path, body, slot = self.rows[self.number[end.body]], self.body_rows[end.body], 0
        row.body, row.record = body_offset(end.body), body.record
        if body.level != field.RIGID:
            slot = self.system.outboard_nodes[end.body].index(end.node)
            row.node, row.record = 1, body.nodes + slot * field.NODE_RECORD
            row.shapes = plain(node_shapes)(body.node_shapes, slot, body.n_mode)
        row.place, row.velocity = path.place, path.velocity + 6 * slot
        if self.numbering.sizes[k]:
            row.forces = self._address(end.body, end.node, self.numbering.first[k])

    def couplings(self, constants: ConstantStack, start: int) -> Array:
        """Rows of the couplings and their coordinates, for ints[start:]."""
        system = self.system
        every = list(zip(system.couplings, coupled_rows(system), strict=True))
        numbers = np.zeros(len(every) * CouplingRow.size, dtype=np.int64)
        terms = np.zeros(sum(len(x.v) for _, x in every) * TermRow.size, dtype=np.int64)
        first, n = system.n_constraint - len(every), 0
        unknowns = self.numbering.first[len(system.loops) :]
        for k, (row, unknown) in enumerate(zip(CouplingRow.table(numbers), unknowns, strict=True)):
            coupling, coupled = every[k]
            row.column, row.solved, row.n = first + k, unknown, len(coupled.v)
            row.terms = start + numbers.size + TermRow.size * n
            row.numbers = constants.add(np.array([coupled.scale, coupled.offset, *coupled.weights]))
            for q, v, i, c in zip(
                coupled.q, coupled.v, coupling.bodies, coupling.entries, strict=True
            ):
                term, r = TermRow(terms, 0, n), system.joints[i].n_v
                place = self.rows[self.number[i]].innovations
                term.place = place + r * self.numbering.places[i][unknown] + c
                term.q, term.v, term.body = q, v, body_offset(i)
                n += 1
        return np.concatenate([numbers, terms])

    def list_active(self, start: int) -> Array:
        """Columns that reach each body, and their places at its carrier, for ints[start:]."""
        lists: list[int] = []
        for i, row in zip(self.bodies, self.rows, strict=True):
            columns, p = self._columns(i), int(self.system.parent[i])
            row.n_active, row.active = len(columns), start + len(lists)
            lists += columns
            if p == GROUND:
                lists += [-1] * len(columns)
            else:
                node = int(self.system.parent_node[i])
                lists += [self._address(p, node, c) for c in columns]
        return np.array(lists, dtype=np.int64)

    def list_groups(self, start: int, path_rows: int) -> Array:
        """Rows of the groups and the bodies that their columns pass, for ints[start:]."""
        groups = self.numbering.members
        numbers = np.zeros(len(groups) * GroupRow.size, dtype=np.int64)
        table = GroupRow.table(numbers)
        reached: list[list[int]] = []
        for row, (i, node) in zip(table, groups, strict=True):
            unknowns = self.numbering.of_group((i, node))
            row.body, row.forces = i, self.blocks[i, node]
            row.first, row.n = unknowns.start, len(unknowns)
            if i != GROUND:
                body, slot = self.body_rows[i], self._slot(i, node)
                start_of_nodes = body.nodes + slot * field.NODE_RECORD
                row.record = body.record if body.level == field.RIGID else start_of_nodes
            reached.append([])
        group_of = np.repeat(np.arange(len(table)), table.n)
        for j in self.bodies:
            those = group_of[self._columns(j)]
            for g in np.unique(those):
                places = np.flatnonzero(those == g)
                path = path_rows + self.number[j] * PathRow.size
                reached[g] += [path, int(places[0]), int(places[-1]) + 1]
        lists: list[int] = []
        for row, one in zip(table, reached, strict=True):
            row.paths = start + numbers.size + len(lists)
            row.n_path = len(one) // ReachedRow.size
            lists += one
        return np.concatenate([numbers, np.array(lists, dtype=np.int64)])
