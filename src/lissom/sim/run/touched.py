"""Nodes that contacts with the ground touch: where implicit steps have their inertia.

The recursion lists the nodes of flexible bodies that carry others.  For a run with contacts those
that are touched are listed too, as if they carried something without mass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...algorithms.tree.packing import Packed, pack
from ...kernels import fields as field
from ...kernels.layout import run
from ...kernels.layout.records import TouchedRecord
from ...kernels.layout.tree import body_offset
from ...system import System

if TYPE_CHECKING:
    from .plan import Plan

MOST_NODES = 4  # of a flexible body: the matrices over its listed nodes grow with their square


def list_touched_nodes(plan: Plan) -> None:
    """Note the nodes that contacts with the ground touch, and pack the system with them."""
    touched = dict.fromkeys(x for x in map(plan.touched_node, plan.contacts) if x is not None)
    nodes = [list(x) for x in plan.system.outboard_nodes]
    for i, node in touched:
        if plan.packed.rows[i].level != field.RIGID and node not in nodes[i]:
            nodes[i].append(node)
    listed = tuple(
        tuple(sorted(x)) if len(x) <= MOST_NODES else y
        for x, y in zip(nodes, plan.system.outboard_nodes, strict=True)
    )
    rigid = plan.packed.rows.level == field.RIGID
    plan.touched = [(i, node) for i, node in touched if rigid[i] or node in listed[i]]
    plan.listed = listed
    if listed != plan.system.outboard_nodes:
        plan.packed = _packed(plan.system, listed)


def _packed(system: System, listed: tuple[tuple[int, ...], ...]) -> Packed:
    """Constants of a system with these nodes listed, packed once."""
    packed = system.derived.setdefault("touched", {})
    if listed not in packed:
        other = object.__new__(System)
        other.__dict__.update(system.__getstate__(), outboard_nodes=listed)
        packed[listed] = pack(other)
    return packed[listed]


def touched_number(plan: Plan, row: run.LoadRow) -> int:
    """1 + number of the node that has the inertia of a contact; 0 of one that has rows."""
    node = plan.touched_node(row)
    return plan.touched.index(node) + 1 if node in plan.touched else 0


def touched_rows(plan: Plan, start: int) -> list[run.TouchedRow]:
    """Rows of the touched nodes; start: where their records begin in the workspace."""
    rows, table = [], plan.packed.rows
    for k, (i, node) in enumerate(plan.touched):
        carrier, motion = int(table[i].record), int(table[i].motion)
        if table[i].level != field.RIGID:
            place = plan.listed[i].index(node) * field.NODE_RECORD
            carrier, motion = int(table[i].nodes) + place, int(table[i].node_motion) + place
        children = (table.carrier_children == motion + field.P_) & (table.first != 0)
        rows.append(
            run.TouchedRow.of(
                body=body_offset(i),
                carrier=carrier,
                motion=motion,
                first=body_offset(int(children.argmax())) if children.any() else 0,
                record=start + k * TouchedRecord.size,
            )
        )
    return rows
