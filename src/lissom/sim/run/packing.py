"""The plan as one array of integers, in the layout of `kernels.layout.run`; sizes of the others."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from ...algorithms.tree import engine
from ...joints import Joint
from ...joints.base import Chart
from ...kernels import fields as field
from ...kernels.contact.bernstein import DEGREE
from ...kernels.layout import run
from ...kernels.layout.contact import ContactOutput
from ...kernels.layout.rows import NamedRow
from ...kernels.layout.tree import body_offset
from ...kernels.run.calls import COMPILED
from ...kernels.run.slots import SLOT_POSE, SLOT_POSITION, SLOT_RECORD
from ...kernels.tree import own_joints as own
from ...system import System
from .plan import Plan
from .touched import touched_number, touched_rows

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
    external, offsets = external_list(plan)
    slots = [run.SlotRow.of(body=-1) for _ in plan.slots + plan.points]
    for row, (_, i, _), offset in zip(slots, plan.slots, offsets, strict=False):
        row.body, row.external = body_offset(i), offset
    for k, (_, wheel) in enumerate(plan.wheels):
        wheel.output = plan.n_servo + k
    for k, row in enumerate(plan.contacts):
        row.output = plan.n_servo + len(plan.wheels) + k * ContactOutput.size
    nodes, joints = ([row.copy() for row in plan.rows[x]] for x in ("node_loads", "loop_joints"))
    for row in nodes + joints:
        row.slot_a, row.slot_b = (
            x if x >= 0 else len(plan.slots) - x - 1 for x in (row.slot_a, row.slot_b)
        )
    for row, original in zip(nodes, plan.rows["node_loads"], strict=True):
        if row.touch:
            row.touched = touched_number(plan, original)
        for slot in (slots[row.slot_a], slots[row.slot_b]):
            slot.slopes = max(slot.slopes, row.slopes)
    plains, specials = _coordinates(plan)
    lists: dict[str, list[Any]] = {
        "signals": plan.signals,  # first: `Plan.signal` gives their places
        **plan.rows,
        "node_loads": nodes,
        "loop_joints": joints,
        "slots": slots,
        "touched": touched_rows(plan, len(plan.packed.start) + len(external)),
        "plains": plains,
        "specials": specials,
        "flexibles": [
            run.FlexibleRow.of(body=body_offset(i), spin=place) for i, place in plan.spins.items()
        ],
    }
    head, flat, watched, contacts = run.PlanHeader.of(), [], [], []
    size = run.PlanHeader.size
    for name, rows in lists.items():
        place = getattr(head, name)
        place.count, place.first = len(rows), size
        for row in rows:
            follow = row.watched if isinstance(row, run.LoadRow) else 0
            if follow and not (follow & run.OF_TIME and header["adaptive"]):
                watched.append(size)
            if isinstance(row, run.LoadRow) and row.touch:
                contacts.append(size)
            flat.append(row.numbers)
            size += row.size
    head.watched.count, head.watched.first = len(watched), size
    head.contacts.count, head.contacts.first = len(contacts), size + len(watched)
    values = {
        "node_rates": plan.node_rates,
        "timed": any(row.kind != run.CONSTANT for row in plan.signals),
        "n_wrench": len(plan.slots),
        "flags": (engine.RATE_LINEAR if plan.rate_linear else engine.ALL) | field.ACCELERATED,
        "buffer": max(2 * plan.system.n_v, 64, *_rate_buffers(plan)) + run.HALF,
        "n_mapped": len(mapped_coordinates(plan.system)),
        "n_state": len(plan.states),
        "n_output": plan.n_output,
        "n_watched": plan.n_watched,
        "n_loop_v": sum(joint.n_v for joint in plan.loop_joints.values()),
        "gives_derivatives": bool(plan.given_derivatives),
        **header,
    }
    numbers, places = head.numbers, run.PlanHeader.places
    for name, value in values.items():
        numbers[places[name]] = value
    _put_places(plan, head)
    return np.concatenate([numbers, *flat, np.array(watched + contacts, dtype=np.int64)])


def _put_places(plan: Plan, head: run.PlanHeader) -> None:
    """Write where everything is in memory and in the workspace, from the sizes of all pieces."""
    n_q, n, n_z = plan.system.n_q, plan.system.n_v, len(plan.states)
    # NumPy's integers would be slow in what follows
    m, n_rates, n_stage, r = map(int, (head.n_loop_v, head.n_rates, head.n_stage, head.n_row))
    vectors = {"q": n_q, "v": n, "x": n, "lead": n, "before": n}
    others = plan.states_place - run.M_HEADER - sum(vectors.values())
    _cut(head.memory, run.M_HEADER, {**vectors, "others": others, "z": n_z})
    slots, n_s = len(plan.slots) + len(plan.points), n + int(head.n_mapped)
    state = ("v_end", "v_inside", "x1", "a1", "out", "forces", "x", "extra", "A", "K", "C")
    work = {"q_end": n_q, "q_inside": n_q, **dict.fromkeys(state, n)}
    work |= {"weights": 2 * n, "a0": n, "sides": 2 * n}
    work |= {"rates_s": n_rates * n_s, "rates_v": n_rates * n}
    work |= {"slots": slots * SLOT_RECORD, "buffer": int(head.buffer), "values": len(plan.events)}
    work |= {"saved": run.M_HEADER, "z_end": n_z, "z_inside": n_z, "rates_z": n_rates * n_z}
    work |= {"states": run.LOAD_STATES + 2 * n_z + plan.n_output, "s": n_s}
    end = _cut(head.work, 0, {**work, "paths": n_stage * n})
    n_loop_q, k = sum(joint.n_q for joint in plan.loop_joints.values()), n if m else 0
    loops = {"q": n_loop_q, "v": m, "T": m, "K": m, "C": m, "A": m, "sides": 2 * m}
    loops |= {"J": m * n, "X": m * n, "small": m * (m + 2), "column": k, "solution": k, "zero": k}
    end = _cut(head.at_loops, end, loops)
    k = n if r else 0
    rows = {**dict.fromkeys("UKCVX", r * n), "small": r * (r + 2)}
    rows |= {"column": k, "solution": k, "zero": k}
    rows |= {"motion": 12 * slots if r else 0, "change": 6 * slots if r else 0}
    of_users = max((2 * n * one.row.n for one in plan.given_derivatives), default=0)
    end = _cut(head.at_rows, end, {**rows, "derivatives": of_users if r else 0, "count": 1})
    numbers = n + plan.n_watched
    watched = {"q": n_q, "v": n, "z": n_z, "d": numbers, "peak": numbers, "now": numbers}
    watched |= {"flags": head.watched.count}
    sizes = watched if head.watched.count else dict.fromkeys(watched, 0)
    end = _cut(head.at_watched, end, sizes)
    c, points = int(head.contacts.count), DEGREE + 1
    k = 1 if c else 0
    gaps = {**dict.fromkeys(("gap", "rate", "press", "speed", "slip"), c), "time": k}
    gaps |= {"doubt": c, "samples": points * k, "coefficients": points * k}
    gaps |= {"part": points * k, "piece": points * k}
    _cut(head.at_gaps, end, {**gaps, "column": n * k, "solution": n * k, "zero": n * k})


def _cut(places: NamedRow, start: int, sizes: dict[str, int]) -> int:
    """Write where pieces begin that follow each other; their end."""
    assert [*sizes, "end"] == list(places.kinds), "sizes of other pieces than the layout declares"
    starts = list(accumulate(sizes.values(), initial=start))
    places.numbers[:] = starts
    return starts[-1]


def called_rows(elements: Array) -> list[Any]:
    """Rows of the functions in a plan: of signals, controllers and events."""
    head = run.PlanHeader(elements, 0)
    kinds = {"signals": run.SignalRow, "controllers": run.ControllerRow, "events": run.EventRow}
    rows: list[Any] = [
        kind(elements, getattr(head, name).first, k)
        for name, kind in kinds.items()
        for k in range(getattr(head, name).count)
    ]
    return [row for row in rows if row.address]


def without_addresses(elements: Array, table: Array, parameters: list[int]) -> tuple[Array, Array]:
    """Copies of plan and table without addresses, and without what follows from the end time.

    parameters: offsets of the parameters of the run in the table.
    """
    elements, table = elements.copy(), table.copy()
    for place in parameters:
        p = run.RunParameters(table, place)
        p.end = p.tick = p.step = p.probe = p.share = 0.0
    for row in called_rows(elements):
        row.address = 0
        row.which = 0 if row.which >= COMPILED else row.which
        if isinstance(row, run.SignalRow):
            row.by_address = row.by_which = 0
    specials = run.PlanHeader(elements, 0).specials
    for k in range(specials.count):
        chart = run.ChartRow(elements, specials.first, k)
        if chart.kind == run.MAPPED:
            table[chart.constants + np.array([own.R_ADDRESS, own.R_WHICH])] = 0.0
    return elements, table


def _coordinates(plan: Plan) -> tuple[list[run.ChartRow], list[run.ChartRow]]:
    """Ranges of q that are plain integrals of v, adjacent ones merged, and all other ranges."""
    plains: list[run.ChartRow] = []
    specials: list[run.ChartRow] = []
    layout, further = plan.system.layout, plan.system.n_v
    for i, joint in enumerate(plan.system.joints):
        modal, hinge = layout.modal_v(i), layout.hinge_v(i)
        _add_plain(plains, layout.modal_q(i).start, modal.start, modal.stop - modal.start)
        q, v = layout.hinge_q(i).start, hinge.start
        for chart in joint.charts:
            if chart.kind == "plain":
                _add_plain(plains, q, v, chart.n_v)
            else:
                row = run.ChartRow.of(q=q, v=v, n=chart.n_v, n_q=chart.n_q, local=v)
                row.kind, row.constants = _CHARTS[chart.kind], _table(plan, joint, chart)
                if chart.kind == "mapped":
                    row.local, further = further, further + chart.n_q
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
    """Numbers of the buffer that a call for the rates of each user-defined joint needs."""
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


def _add_plain(plains: list[run.ChartRow], q: int, v: int, n: int) -> None:
    if n == 0:
        return
    if plains:
        last = plains[-1]
        if last.q + last.n == q and last.v + last.n == v:
            last.n += n
            return
    plains.append(run.ChartRow.of(q=q, v=v, n=n))
