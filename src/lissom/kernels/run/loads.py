"""Forces of all loads on hinges and nodes, and their slopes: one switch over all kinds."""

from __future__ import annotations

from ..compiling import inlined, uncounted
from ..fields import POSITIVE
from . import fields as run
from .registry import BODY_KINDS, JOINT_KINDS, NO_SLOPES, NODE_KINDS, SLOPES_WITH_SIGNAL
from .signals import signal
from .slots import SLOT_RECORD

if not JOINT_KINDS or not NODE_KINDS:
    raise ImportError("no loads are registered; import lissom.sim first")


def _forces(kinds):
    """Kernel that adds the forces of the kind `which`; the arguments are those of `JointKind`."""

    @inlined
    def chain(which, table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
        pass

    for number, kind in reversed(list(enumerate(kinds))):
        chain = _force_or(number, kind.force, chain)
    return chain


def _force_or(number, force, others):
    @inlined
    def chain(which, table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
        if which == number:
            force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T)
        else:
            others(which, table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T)

    return chain


def _slopes(kinds):
    """Kernel that adds the slopes of the kind `which`."""

    @inlined
    def chain(which, table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C):
        pass

    for number, kind in reversed(list(enumerate(kinds))):
        if kind.slopes is not None:
            chain = _slopes_or(number, kind.slopes, chain)
    return chain


def _slopes_or(number, slopes, others):
    @inlined
    def chain(which, table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C):
        if which == number:
            slopes(table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C)
        else:
            others(which, table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C)

    return chain


def _force_changes(kinds):
    """Kernel that adds the changes of the forces of the kind `which`."""

    @inlined
    def chain(which, table, c, n, signals, o, T, o_v):
        pass

    for number, kind in reversed(list(enumerate(kinds))):
        if kind.change is not None:
            chain = _force_change_or(number, kind.change, chain)
    return chain


def _force_change_or(number, change, others):
    @inlined
    def chain(which, table, c, n, signals, o, T, o_v):
        if which == number:
            change(table, c, n, signals, o, T, o_v)
        else:
            others(which, table, c, n, signals, o, T, o_v)

    return chain


def _node_forces(kinds):
    """Kernel that adds the wrenches of the kind `which`; the arguments are those of `NodeKind`."""

    @inlined
    def chain(which, table, c, axes, signals, work, a, b):
        pass

    for number, kind in reversed(list(enumerate(kinds))):
        chain = _node_force_or(number, kind.force, chain)
    return chain


def _node_force_or(number, force, others):
    @inlined
    def chain(which, table, c, axes, signals, work, a, b):
        if which == number:
            force(table, c, axes, signals, work, a, b)
        else:
            others(which, table, c, axes, signals, work, a, b)

    return chain


def _node_changes(kinds):
    """Kernel that adds the changes of the wrenches of the kind `which`."""

    @inlined
    def chain(which, table, c, axes, signals, work, a, b, motion, m_a, m_b, out, o_a, o_b):
        pass

    for number, kind in reversed(list(enumerate(kinds))):
        chain = _node_change_or(number, kind.change, chain)
    return chain


def _node_change_or(number, change, others):
    @inlined
    def chain(which, table, c, axes, signals, work, a, b, motion, m_a, m_b, out, o_a, o_b):
        if which == number:
            change(table, c, axes, signals, work, a, b, motion, m_a, m_b, out, o_a, o_b)
        else:
            others(which, table, c, axes, signals, work, a, b, motion, m_a, m_b, out, o_a, o_b)

    return chain


def _body_forces(kinds):
    """Kernel that adds the forces of the kind `which`; the arguments are those of `BodyKind`."""

    @inlined
    def chain(
        which, system, table, c, t, q, v, row, n, o_q, o_v, signals, states, z, dz, work, a, T
    ):
        pass

    for number, kind in reversed(list(enumerate(kinds))):
        chain = _body_force_or(number, kind.force, chain)
    return chain


def _body_force_or(number, force, others):
    @inlined
    def chain(
        which, system, table, c, t, q, v, row, n, o_q, o_v, signals, states, z, dz, work, a, T
    ):
        if which == number:
            force(system, table, c, t, q, v, row, n, o_q, o_v, signals, states, z, dz, work, a, T)
        else:
            others(
                which,
                system,
                table,
                c,
                t,
                q,
                v,
                row,
                n,
                o_q,
                o_v,
                signals,
                states,
                z,
                dz,
                work,
                a,
                T,
            )

    return chain


add_force, add_slopes = _forces(JOINT_KINDS), _slopes(JOINT_KINDS)
add_force_change = _force_changes(JOINT_KINDS)
add_node_force, add_node_change = _node_forces(NODE_KINDS), _node_changes(NODE_KINDS)
add_body_force = _body_forces(BODY_KINDS)


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
