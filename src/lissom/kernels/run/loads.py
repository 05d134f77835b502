"""Forces of all loads on hinges and nodes, and their slopes: one switch over all kinds."""

from __future__ import annotations

from ..compiling import inlined, uncounted
from ..layout import run
from ..layout.contact import ContactOutput, NearRecord
from ..small import ZERO, added
from .near import n_near, near_number, pair_of
from .registry import BODY_KINDS, JOINT_KINDS, NO_SLOPES, NODE_KINDS, SLOPES_WITH_SIGNAL, switch
from .signals import signal
from .slots import SLOT_RECORD

if not JOINT_KINDS or not NODE_KINDS:
    raise ImportError("no loads are registered; import lissom.sim first")


add_force = switch(kind.force for kind in JOINT_KINDS)
add_slopes = switch(kind.slopes for kind in JOINT_KINDS)
add_force_change = switch(kind.change for kind in JOINT_KINDS)
add_node_force = switch(kind.force for kind in NODE_KINDS)
add_node_change = switch(kind.change for kind in NODE_KINDS)
add_body_force = switch(kind.force for kind in BODY_KINDS)


@inlined
def output_place(plan, load):
    """Place in `states` of the output channels of a load."""
    return output_start(plan) + load.output


@inlined
def output_start(plan):
    """Place in `states` of the first output channel."""
    return run.LOAD_STATES + 2 * run.PlanHeader(plan, 0).n_state


@uncounted
def hinge_loads(arrays, t, q, v, T, states, buffer):
    """Write generalized forces T of controllers and hinge loads; 0, or a function's status."""
    plan, memory = arrays.plan, arrays.memory
    head = run.PlanHeader(plan, 0)
    for k in range(len(v)):
        T[k] = 0.0
    for k in range(head.controllers.count):
        controller = run.ControllerRow(plan, head.controllers.first, k)
        held = controller.forces
        if memory[controller.active] != 0.0:
            for j in range(len(v)):
                T[j] += memory[held + j]
    return add_loads(arrays, t, q, v, head.forces, q, v, T, states, buffer)


@inlined
def add_loads(arrays, t, q, v, loads, at_q, at_v, T, states, buffer):
    """Add the forces of a list of loads on joints to T; 0, or a status.

    at_q, at_v: coordinates and speeds of their joints; q, v: of the system, for functions.
    """
    plan = arrays.plan
    for k in range(loads.count):
        load = run.LoadRow(plan, loads.first, k)
        status = add_load(arrays, t, q, v, load, at_q, at_v, T, states, buffer)
        if status != 0:
            return status
    return 0


@uncounted
def add_load(arrays, t, q, v, load, at_q, at_v, T, states, buffer):
    """Add the forces of a load, if it acts, to T; 0, or a status."""
    plan, table, memory = arrays
    head = run.PlanHeader(plan, 0)
    if memory[load.active] == 0.0:
        return 0
    n_z = head.n_state
    n, c = load.n, load.constants
    o_q, o_v = load.q, load.v
    z = load.state
    dz, o = z + n_z, output_place(plan, load)
    s = load.signal
    if s != 0:
        status = signal(plan, table, memory, s, t, q, v, buffer, 0, load.orders)
        if status != 0:
            return status
    add_force(
        load.kind,
        table, c, n, at_q, o_q, at_v, o_v, buffer, states, z, dz, o, T,
    )  # fmt: skip
    return 0


@uncounted
def hinge_slopes(arrays, t, q, v, states, sides, buffer, K, C):
    """Add the slopes of loads on hinges to stiffness K and damping C; 0, or a function's status.

    sides: for each speed the last iterates below and above zero.
    """
    plan = arrays.plan
    head = run.PlanHeader(plan, 0)
    return add_load_slopes(arrays, t, q, v, head.forces, q, v, states, sides, buffer, K, C,
    )  # fmt: skip


@inlined
def add_load_slopes(arrays, t, q, v, loads, at_q, at_v, states, sides, buffer, K, C):
    """Add the slopes of a list of loads on joints to K and C; arguments as for `add_loads`."""
    plan = arrays.plan
    for k in range(loads.count):
        load = run.LoadRow(plan, loads.first, k)
        status = add_slopes_of(arrays, t, q, v, load, at_q, at_v, states, sides, buffer, K, C)
        if status != 0:
            return status
    return 0


@uncounted
def add_slopes_of(arrays, t, q, v, load, at_q, at_v, states, sides, buffer, K, C):
    """Add the slopes of a load, if it acts, to K and C; 0, or a status."""
    plan, table, memory = arrays
    when = load.slopes
    if when == NO_SLOPES or memory[load.active] == 0.0:
        return 0
    if when == SLOPES_WITH_SIGNAL:
        s = load.signal
        status = signal(plan, table, memory, s, t, q, v, buffer, 0, load.orders)
        if status != 0:
            return status
    n, c = load.n, load.constants
    o_q, o_v = load.q, load.v
    z = load.state
    add_slopes(
        load.kind,
        table, c, n, at_q, o_q, at_v, o_v, buffer, states, z, sides, K, C,
    )  # fmt: skip
    return 0


@uncounted
def node_loads(arrays, t, q, v, slots, states, buffer):
    """Add the wrenches of all node loads to the slots; 0, or a function's status."""
    plan, table, memory = arrays
    head = run.PlanHeader(plan, 0)
    for k in range(head.node_loads.count):
        load = run.LoadRow(plan, head.node_loads.first, k)
        if memory[load.active] == 0.0:
            continue
        a, b = load.slot_a * SLOT_RECORD, load.slot_b * SLOT_RECORD
        s, o = load.signal, output_place(plan, load)
        if s != 0:
            status = signal(plan, table, memory, s, t, q, v, buffer, 0, 0)
            if status != 0:
                return status
        add_node_force(load.kind, load, table, memory, buffer, slots, a, b, states, o)
    if head.pairs.count != 0:
        _pair_loads(arrays, slots, states, buffer)
    return 0


@uncounted
def _pair_loads(arrays, slots, states, buffer):
    """Add the wrenches of the near contacts of sets to the slots, and their sums to channels."""
    plan, table, memory = arrays
    head, first = run.PlanHeader(plan, 0), output_start(plan)
    for k in range(head.totals.count):
        total = ContactOutput(states, first + plan[head.totals.first + k])
        total.gap = NearRecord(memory, head.near).margin
    for j in range(n_near(plan, memory)):
        p = pair_of(plan, near_number(plan, memory, j))
        if p < 0:
            continue
        load = run.LoadRow(plan, head.pairs.first, p)
        if memory[load.active] == 0.0:
            continue
        o = first + load.output
        one = ContactOutput(states, o)
        one.press, one.force = 0.0, ZERO  # contacts without channels share their place
        a, b = load.slot_a * SLOT_RECORD, load.slot_b * SLOT_RECORD
        add_node_force(load.kind, load, table, memory, buffer, slots, a, b, states, o)
        pair = run.PairRow(plan, head.pair_sides.first, p)
        if pair.total_a >= 0:
            _add_to_total(states, first + plan[head.totals.first + pair.total_a], one, 1.0)
        if pair.total_b >= 0:
            _add_to_total(states, first + plan[head.totals.first + pair.total_b], one, -1.0)


@uncounted
def _add_to_total(states, o, one, sign):
    """Add a contact to the sums of a shape: forces, least gap, point by normal force."""
    total = ContactOutput(states, o)
    total.gap = min(total.gap, one.gap)
    if one.press > 0.0:
        press = total.press + one.press
        shift = added(one.point, -1.0, total.point)
        total.point = added(total.point, one.press / press, shift)
        total.press = press
        total.force = added(total.force, sign, one.force)


@uncounted
def body_loads(system, arrays, t, q, v, slots, states, buffer, T):
    """Add wrenches of all loads on bodies to the slots, and modal forces to T; 0, or a status."""
    plan, table, memory = arrays
    head = run.PlanHeader(plan, 0)
    n_z, clock = head.n_state, run.RunParameters(table, head.parameters).origin + t
    for k in range(head.body_loads.count):
        load = run.LoadRow(plan, head.body_loads.first, k)
        if memory[load.active] == 0.0:
            continue
        s = load.signal
        if s != 0:
            status = signal(plan, table, memory, s, t, q, v, buffer, 0, load.orders)
            if status != 0:
                return status
        z = load.state
        if z == 0:
            z = output_place(plan, load)
        add_body_force(
            load.kind, load, system, table, clock, q, v, buffer, states, z, z + n_z, slots, T
        )
    return 0
