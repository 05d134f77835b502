"""Packing of a plan into the flat arrays that the kernels read (`kernels.run.fields`)."""

from __future__ import annotations

import numpy as np

from ...algorithms.tree import engine
from ...joints import Joint
from ...joints.base import Chart
from ...kernels import fields as field
from ...kernels.layout.tree import body_offset
from ...kernels.run import fields as run
from ...kernels.run.slots import SLOT_POSE, SLOT_POSITION, SLOT_RECORD
from ...kernels.tree import own_joints as own
from ...system import System
from .plan import Plan

Array = np.ndarray

_CHARTS = {"ball": run.BALL, "pose": run.POSE, "product": run.PRODUCT, "mapped": run.MAPPED}


def external_list(plan: Plan) -> tuple[Array, list[int]]:
    """External forces in the form of the workspace, and the offset of each slot's entry."""
    pieces: list[Array] = []
    offsets: list[int] = []
    size = 0
    for _, i, node in plan.slots:
        offsets.append(size)
        entry = [np.array([float(i)]), np.zeros(6)]
        if plan.packed.rows[i].level != field.RIGID:
            entry.append(engine.node_constants(plan.system, i, node)[1:])
        pieces += entry
        size += sum(map(len, entry))
    return (np.concatenate(pieces) if pieces else np.zeros(0)), offsets


def elements(plan: Plan, header: dict[str, int]) -> Array:
    """Integer array of the plan; `header` holds the entries that the method adds."""
    _, offsets = external_list(plan)
    slots = [np.zeros(run.E_ROW, dtype=np.int64) for _ in plan.slots + plan.points]
    for row in slots:
        row[run.E_A] = -1
    for row, (_, i, _), offset in zip(slots, plan.slots, offsets, strict=False):
        row[run.E_A], row[run.E_B] = body_offset(i), offset
    nodes, joints = ([row.copy() for row in plan.rows[x]] for x in ("nodes", "loop_joints"))
    for row in nodes + joints:
        for end in (run.E_A, run.E_B):
            if row[end] < 0:
                row[end] = len(plan.slots) - row[end] - 1
    for row in nodes:
        for end in (run.E_A, run.E_B):
            slot = slots[row[end]]
            slot[run.E_SLOPES] = max(slot[run.E_SLOPES], row[run.E_SLOPES])
    for k, (_, row) in enumerate(plan.wheels):
        row[run.E_OUTPUT] = plan.n_servo + k
    plains, specials = _coordinates(plan)
    head = np.zeros(run.P_HEADER, dtype=np.int64)
    flat: list[Array] = [np.array(plan.signals, dtype=np.int64).ravel()]
    size = run.P_HEADER + len(flat[0])
    watched: list[int] = []
    for count, place, rows in (
        ("N_FORCE", "FORCES", plan.rows["forces"]),
        ("N_NODE_LOAD", "NODE_LOADS", nodes),
        ("N_BODY_LOAD", "BODY_LOADS", plan.rows["bodies"]),
        ("N_SLOT", "SLOTS", slots),
        ("N_MOTION", "MOTIONS", plan.rows["motions"]),
        ("N_CONTROLLER", "CONTROLLERS", plan.rows["controllers"]),
        ("N_EVENT", "EVENTS", plan.rows["events"]),
        ("N_PLAIN", "PLAINS", plains),
        ("N_SPECIAL", "SPECIALS", specials),
        ("N_FLEXIBLE", "FLEXIBLES", _flexible(plan)),
        ("N_LOOP_JOINT", "LOOP_JOINTS", joints),
        ("N_LOOP_FORCE", "LOOP_FORCES", plan.rows["loop_forces"]),
    ):
        head[getattr(run, count)] = len(rows)
        head[getattr(run, place)] = size
        for row in rows:
            follow = row[run.E_WATCHED] if len(row) == run.E_ROW else 0
            if follow and not (follow & run.OF_TIME and header["ADAPTIVE"]):
                watched.append(size)
            flat.append(row)
            size += len(row)
    head[run.N_WATCHED], head[run.WATCHED] = len(watched), size
    flat.append(np.array(watched, dtype=np.int64))
    n_q, n_v = plan.system.n_q, plan.system.n_v
    places = np.cumsum([run.M_HEADER, n_q, n_v, n_v, n_v])
    fixed = {
        "NODE_RATES": int(plan.node_rates),
        "TIMED": int(any(row[run.S_KIND] != run.CONSTANT for row in plan.signals)),
        "N_WRENCH": len(plan.slots),
        "FLAGS": (engine.RATE_LINEAR if plan.rate_linear else engine.ALL) | field.ACCELERATED,
        "BUFFER": max(2 * n_v, 64, *_rate_buffers(plan)) + run.HALF,
        "N_MAPPED": len(mapped_coordinates(plan.system)),
        "M_SIZE": plan.memory_size,
        "N_STATE": len(plan.states),
        "O_Z": plan.states_place,
        "N_OUTPUT": plan.n_output,
        "N_WATCHED_NUMBER": plan.n_watched,
        "N_LOOP_Q": sum(joint.n_q for joint in plan.loop_joints.values()),
        "N_LOOP_V": sum(joint.n_v for joint in plan.loop_joints.values()),
        **dict(zip(("O_Q", "O_V", "O_X", "O_A", "O_B"), map(int, places), strict=True)),
    }
    for name, value in {**fixed, **header}.items():
        head[getattr(run, name)] = value
    return np.concatenate([head, *flat])


def _flexible(plan: Plan) -> list[Array]:
    return [np.array([body_offset(i), place], dtype=np.int64) for i, place in plan.spins.items()]


def _coordinates(plan: Plan) -> tuple[list[Array], list[Array]]:
    """Ranges of q that are plain integrals of v, adjacent ones merged, and all other ranges."""
    plains: list[Array] = []
    specials: list[Array] = []
    layout, further = plan.system.layout, plan.system.n_v
    for i, joint in enumerate(plan.system.joints):
        modal, hinge = layout.modal_v(i), layout.hinge_v(i)
        _add_plain(plains, layout.modal_q(i).start, modal.start, modal.stop - modal.start)
        q, v = layout.hinge_q(i).start, hinge.start
        for chart in joint.charts:
            if chart.kind == "plain":
                _add_plain(plains, q, v, chart.n_v)
            else:
                row = _element(_CHARTS[chart.kind], q, v, chart.n_v, _table(plan, joint, chart))
                row[[run.E_N_Q, run.E_A]] = chart.n_q, v
                if chart.kind == "mapped":
                    row[run.E_A], further = further, further + chart.n_q
                specials.append(row)
            q, v = q + chart.n_q, v + chart.n_v
    return plains, specials


def _table(plan: Plan, joint: Joint, chart: Chart) -> int:
    """Offset of a motion map and its left inverse, or of a call, in the table; 0 without these."""
    if chart.kind == "mapped":
        return plan.table(plan.packed.own_joints.rate_call(joint))
    if chart.columns is None:
        return 0
    H = chart.columns
    return plan.table(H.T, np.linalg.solve(H.T @ H, H.T))


def _rate_buffers(plan: Plan) -> list[int]:
    """Room that each call for the rates of an own joint needs in the buffer."""
    calls = [plan.packed.own_joints.rate_call(j) for j in plan.system.joints if _is_mapped(j)]
    return [int(call[own.R_SIZE] + call[own.R_N_PARAMETER]) for call in calls]


def _is_mapped(joint: Joint) -> bool:
    return any(chart.kind == "mapped" for chart in joint.charts)


def mapped_coordinates(system: System) -> list[tuple[str, slice]]:
    """Units of the coordinates whose rates a function gives, each with its joint's speeds."""
    pairs = [(j, system.layout.hinge_v(i)) for i, j in enumerate(system.joints)]
    return [(unit, v) for joint, v in pairs if _is_mapped(joint) for _, unit in joint.coordinates]


def slot_records(plan: Plan) -> Array:
    """Initial content of the slots; points on the ground keep it."""
    records = np.zeros((len(plan.slots) + len(plan.points), SLOT_RECORD))
    for record, point in zip(records[len(plan.slots) :], plan.points, strict=True):
        record[SLOT_POSE:SLOT_POSITION] = np.eye(3).ravel()
        record[SLOT_POSITION : SLOT_POSITION + 3] = point
    return records.ravel()


def _element(kind: int, q: int, v: int, n: int, table: int) -> Array:
    row = np.zeros(run.E_ROW, dtype=np.int64)
    row[[run.E_KIND, run.E_Q, run.E_V, run.E_N, run.E_TABLE]] = kind, q, v, n, table
    return row


def _add_plain(plains: list[Array], q: int, v: int, n: int) -> None:
    if n == 0:
        return
    if plains:
        last = plains[-1]
        if last[run.E_Q] + last[run.E_N] == q and last[run.E_V] + last[run.E_N] == v:
            last[run.E_N] += n
            return
    plains.append(_element(0, q, v, n, 0))
