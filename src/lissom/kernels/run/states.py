"""States of loads, such as the integral of a controller's error.

`states` is laid out as [w, secant, z, rates of z, outputs].  Loads use the states z + w rates, with
the rates that they compute themselves: implicit methods obtain z_1 = z + w z'(q_1, v_1) in this
way, others have w = 0.  secant: whether slopes are evaluated within an iteration, where those of a
load at its limit may be secants.  Outputs are numbers that loads provide as channels.
"""

from __future__ import annotations

from ..compiling import uncounted
from ..layout import run
from .loads import add_force, output_place
from .signals import signal


@uncounted
def put_states(plan, states, z, w):
    """Write the states z for the next evaluation, to which w times their rates is added."""
    head = run.PlanHeader(plan, 0)
    n = head.n_state
    states[run.LOAD_WEIGHT] = w
    for k in range(n):
        states[run.LOAD_STATES + k] = z[k]
        states[run.LOAD_STATES + n + k] = 0.0  # of loads that are switched off
    for k in range(head.n_output):
        states[run.LOAD_STATES + 2 * n + k] = 0.0


@uncounted
def take_rates(plan, states, rates):
    """Copy the rates of the states at the last evaluation to `rates`."""
    head = run.PlanHeader(plan, 0)
    n = head.n_state
    for k in range(n):
        rates[k] = states[run.LOAD_STATES + n + k]


@uncounted
def state_rates(arrays, work, t, state, w):
    """Write the rates of the states of loads to work.states without an evaluation; 0, or a status.

    Their forces are written to work.s and not used.
    """
    head = run.PlanHeader(arrays.plan, 0)
    plan, table, memory = arrays
    put_states(plan, work.states, state.z, w)
    n_z = head.n_state
    for k in range(head.forces.count):
        load = run.LoadRow(plan, head.forces.first, k)
        z = load.state
        if z == 0 or memory[load.active] == 0.0:
            continue
        s = load.signal
        if s != 0:
            status = signal(
                plan, table, memory, s, t, state.q, state.v, work.buffer, 0, load.orders
            )
            if status != 0:
                return status
        n, c = load.n, load.constants
        o_q, o_v = load.q, load.v
        o = output_place(plan, load)
        add_force(
            load.kind,
            table, c, n, state.q, o_q, state.v, o_v, work.buffer, work.states, z, z + n_z, o,
            work.s,
        )  # fmt: skip
    return 0


@uncounted
def begin_states(arrays, work, t, start, end, of_start, of_end):
    """Write the explicit part of the states of an implicit method: end.z = z_0 + of_start z'_0.

    of_end: weight of the rates at the end.  Returns 0, or a function's status.
    """
    head = run.PlanHeader(arrays.plan, 0)
    n = head.n_state
    if n == 0:
        return 0
    status = state_rates(arrays, work, t, start, of_end)
    for k in range(n):
        end.z[k] = start.z[k] + of_start * work.states[run.LOAD_STATES + n + k]
    return status


@uncounted
def end_states(arrays, work, t, end, of_end):
    """Write the states at the end of an implicit step to end.z; 0, or a function's status."""
    head = run.PlanHeader(arrays.plan, 0)
    n = head.n_state
    if n == 0:
        return 0
    status = state_rates(arrays, work, t, end, of_end)
    for k in range(n):
        end.z[k] += of_end * work.states[run.LOAD_STATES + n + k]
    return status
