"""States of loads, such as the integral of a controller's error.

`states` is laid out as [w, secant, z, rates of z, outputs].  Loads use the states z + w rates, with
the rates that they compute themselves: implicit methods obtain z_1 = z + w z'(q_1, v_1) in this
way, others have w = 0.  secant: whether slopes are evaluated within an iteration, where those of a
load at its limit may be secants.  Outputs are numbers that loads provide as channels.
"""

from __future__ import annotations

from ..compiling import uncounted
from ..fields import POSITIVE
from . import fields as run
from .loads import add_force
from .signals import signal


@uncounted
def put_states(plan, states, z, w):
    """Write the states z for the next evaluation, to which w times their rates is added."""
    n = plan[run.N_STATE]
    states[run.LOAD_WEIGHT] = w
    for k in range(n):
        states[run.LOAD_STATES + k] = z[k]
        states[run.LOAD_STATES + n + k] = 0.0  # of loads that are switched off
    for k in range(plan[run.N_OUTPUT]):
        states[run.LOAD_STATES + 2 * n + k] = 0.0


@uncounted
def take_rates(plan, states, rates):
    """Copy the rates of the states at the last evaluation to `rates`."""
    n = plan[run.N_STATE]
    for k in range(n):
        rates[k] = states[run.LOAD_STATES + n + k]


@uncounted
def state_rates(arrays, work, t, state, w):
    """Write the rates of the states of loads to work.states without an evaluation; 0, or a status.

    Their forces are written to work.s and not used.
    """
    plan, table, memory = arrays
    put_states(plan, work.states, state.z, w)
    n_z = plan[run.N_STATE]
    for k in range(plan[run.N_FORCE]):
        e = plan[run.FORCES] + k * run.E_ROW
        z = plan[e + run.E_STATE] & POSITIVE
        if z == 0 or memory[plan[e + run.E_ACTIVE]] == 0.0:
            continue
        s = plan[e + run.E_SIGNAL]
        if s != 0:
            status = signal(
                plan, table, memory, s, t, state.q, state.v, work.buffer, 0, plan[e + run.E_ORDERS]
            )
            if status != 0:
                return status
        n, c = plan[e + run.E_N], plan[e + run.E_TABLE] & POSITIVE
        o_q, o_v = plan[e + run.E_Q] & POSITIVE, plan[e + run.E_V] & POSITIVE
        o = run.LOAD_STATES + 2 * n_z + plan[e + run.E_OUTPUT] & POSITIVE
        add_force(
            plan[e + run.E_KIND],
            table, c, n, state.q, o_q, state.v, o_v, work.buffer, work.states, z, z + n_z, o,
            work.s,
        )  # fmt: skip
    return 0


@uncounted
def begin_states(arrays, work, t, start, end, of_start, of_end):
    """Write the explicit part of the states of an implicit method: end.z = z_0 + of_start z'_0.

    of_end: weight of the rates at the end.  Returns 0, or a function's status.
    """
    plan = arrays.plan
    n = plan[run.N_STATE]
    if n == 0:
        return 0
    status = state_rates(arrays, work, t, start, of_end)
    for k in range(n):
        end.z[k] = start.z[k] + of_start * work.states[run.LOAD_STATES + n + k]
    return status


@uncounted
def end_states(arrays, work, t, end, of_end):
    """Write the states at the end of an implicit step to end.z; 0, or a function's status."""
    plan = arrays.plan
    n = plan[run.N_STATE]
    if n == 0:
        return 0
    status = state_rates(arrays, work, t, end, of_end)
    for k in range(n):
        end.z[k] += of_end * work.states[run.LOAD_STATES + n + k]
    return status
