"""Forces of all loads on hinges and nodes, and their slopes: one switch over all kinds."""

from __future__ import annotations

from ..compiling import inlined, uncounted
from ..fields import POSITIVE
from . import fields as run
from .registry import (
    BODY_KINDS,
    JOINT_KINDS,
    NO_SLOPES,
    NODE_KINDS,
    SLOPES_WITH_SIGNAL,
    switch,
)
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


@uncounted
def hinge_loads(plan, table, memory, t, q, v, T, n_v, states, buffer):
    """Write generalized forces T of controllers and hinge loads; 0, or a function's status."""
    for k in range(n_v):
        T[k] = 0.0
    for k in range(plan[run.N_CONTROLLER]):
        e = plan[run.CONTROLLERS] + k * run.E_ROW
        held = plan[e + run.E_MEMORY] & POSITIVE
        if memory[plan[e + run.E_ACTIVE]] != 0.0:
            for j in range(n_v):
                T[j] += memory[held + j]
    return add_loads(
        plan, table, memory, t, q, v, plan[run.N_FORCE], plan[run.FORCES], q, v, T, states, buffer
    )


@inlined
def add_loads(plan, table, memory, t, q, v, count, first, at_q, at_v, T, states, buffer):
    """Add the forces of `count` loads on joints, rows plan[first:], to T; 0, or a status.

    at_q, at_v: coordinates and speeds of their joints; q, v: of the system, for functions.
    """
    for k in range(count):
        status = add_load(
            plan, table, memory, t, q, v, first + k * run.E_ROW, at_q, at_v, T, states, buffer
        )
        if status != 0:
            return status
    return 0


@uncounted
def add_load(plan, table, memory, t, q, v, e, at_q, at_v, T, states, buffer):
    """Add the forces of the load in row e, if it acts, to T; 0, or a status."""
    if memory[plan[e + run.E_ACTIVE]] == 0.0:
        return 0
    n_z = plan[run.N_STATE]
    n, c = plan[e + run.E_N], plan[e + run.E_TABLE] & POSITIVE
    o_q, o_v = plan[e + run.E_Q] & POSITIVE, plan[e + run.E_V] & POSITIVE
    z = plan[e + run.E_STATE] & POSITIVE
    dz, o = z + n_z, run.LOAD_STATES + 2 * n_z + plan[e + run.E_OUTPUT] & POSITIVE
    s = plan[e + run.E_SIGNAL]
    if s != 0:
        status = signal(plan, table, memory, s, t, q, v, buffer, 0, plan[e + run.E_ORDERS])
        if status != 0:
            return status
    add_force(
        plan[e + run.E_KIND],
        table, c, n, at_q, o_q, at_v, o_v, buffer, states, z, dz, o, T,
    )  # fmt: skip
    return 0


@uncounted
def hinge_slopes(plan, table, memory, t, q, v, states, sides, buffer, K, C):
    """Add the slopes of loads on hinges to stiffness K and damping C; 0, or a function's status.

    sides: for each speed the last iterates below and above zero.
    """
    return add_load_slopes(
        plan, table, memory, t, q, v, plan[run.N_FORCE], plan[run.FORCES],
        q, v, states, sides, buffer, K, C,
    )  # fmt: skip


@inlined
def add_load_slopes(
    plan, table, memory, t, q, v, count, first, at_q, at_v, states, sides, buffer, K, C
):
    """Add the slopes of `count` loads on joints to K and C; arguments as for `add_loads`."""
    for k in range(count):
        status = add_slopes_of(
            plan,
            table,
            memory,
            t,
            q,
            v,
            first + k * run.E_ROW,
            at_q,
            at_v,
            states,
            sides,
            buffer,
            K,
            C,
        )
        if status != 0:
            return status
    return 0


@uncounted
def add_slopes_of(plan, table, memory, t, q, v, e, at_q, at_v, states, sides, buffer, K, C):
    """Add the slopes of the load in row e, if it acts, to K and C; 0, or a status."""
    when = plan[e + run.E_SLOPES]
    if when == NO_SLOPES or memory[plan[e + run.E_ACTIVE]] == 0.0:
        return 0
    if when == SLOPES_WITH_SIGNAL:
        s = plan[e + run.E_SIGNAL]
        status = signal(plan, table, memory, s, t, q, v, buffer, 0, plan[e + run.E_ORDERS])
        if status != 0:
            return status
    n, c = plan[e + run.E_N], plan[e + run.E_TABLE] & POSITIVE
    o_q, o_v = plan[e + run.E_Q] & POSITIVE, plan[e + run.E_V] & POSITIVE
    z = plan[e + run.E_STATE] & POSITIVE
    add_slopes(
        plan[e + run.E_KIND],
        table, c, n, at_q, o_q, at_v, o_v, buffer, states, z, sides, K, C,
    )  # fmt: skip
    return 0


@uncounted
def node_loads(plan, table, memory, t, q, v, work, o, buffer):
    """Add the wrenches of all node loads to the slots; 0, or a function's status."""
    for k in range(plan[run.N_NODE_LOAD]):
        e = plan[run.NODE_LOADS] + k * run.E_ROW
        if memory[plan[e + run.E_ACTIVE]] == 0.0:
            continue
        a, b = o + plan[e + run.E_A] * SLOT_RECORD, o + plan[e + run.E_B] * SLOT_RECORD
        s, c = plan[e + run.E_SIGNAL], plan[e + run.E_TABLE] & POSITIVE
        if s != 0:
            status = signal(plan, table, memory, s, t, q, v, buffer, 0, 0)
            if status != 0:
                return status
        add_node_force(plan[e + run.E_KIND], table, c, plan[e + run.E_AXES], buffer, work, a, b)
    return 0


@uncounted
def body_loads(system, plan, table, memory, t, q, v, work, states, buffer, T):
    """Add wrenches of all loads on bodies to the slots, and modal forces to T; 0, or a status."""
    n_z, clock = plan[run.N_STATE], table[plan[run.PARAMETERS] + run.ORIGIN] + t
    for k in range(plan[run.N_BODY_LOAD]):
        e = plan[run.BODY_LOADS] + k * run.E_ROW
        if memory[plan[e + run.E_ACTIVE]] == 0.0:
            continue
        s, c = plan[e + run.E_SIGNAL], plan[e + run.E_TABLE] & POSITIVE
        if s != 0:
            status = signal(plan, table, memory, s, t, q, v, buffer, 0, plan[e + run.E_ORDERS])
            if status != 0:
                return status
        z = plan[e + run.E_STATE] & POSITIVE
        if z == 0:
            z = run.LOAD_STATES + 2 * n_z + plan[e + run.E_OUTPUT] & POSITIVE
        add_body_force(
            plan[e + run.E_KIND],
            system, table, c, clock, q, v, plan[e + run.E_B], plan[e + run.E_N],
            plan[e + run.E_Q] & POSITIVE, plan[e + run.E_V] & POSITIVE,
            buffer, states, z, z + n_z, work, plan[e + run.E_A] * SLOT_RECORD, T,
        )  # fmt: skip
    return 0
