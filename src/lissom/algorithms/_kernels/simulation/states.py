"""States that loads have of their own, such as the integral of a controller's error.

`own` is laid out as [w, secant, z, rates of z, outputs].  Loads see the states z + w rates, the
rates being those that they find themselves: implicit methods give z_1 = z + w z'(q_1, v_1) that
way, others have w = 0.  secant: whether slopes are asked for within an iteration, where those of a
load that is cut off may be secants.  Outputs are numbers that loads offer as channels.
"""

from __future__ import annotations

from ..compiling import uncounted
from ..fields import POSITIVE
from . import fields as run
from .loads import add_force
from .signals import signal


@uncounted
def put_states(plan, own, z, w):
    """States z for the next evaluation, up to w times their rates."""
    n = plan[run.N_STATE]
    own[run.OWN_WEIGHT] = w
    for k in range(n):
        own[run.OWN_STATES + k] = z[k]
        own[run.OWN_STATES + n + k] = 0.0  # of loads that are switched off
    for k in range(plan[run.N_OUTPUT]):
        own[run.OWN_STATES + 2 * n + k] = 0.0


@uncounted
def take_rates(plan, own, rates):
    """Rates of the states at the last evaluation."""
    n = plan[run.N_STATE]
    for k in range(n):
        rates[k] = own[run.OWN_STATES + n + k]


@uncounted
def state_rates(given, room, t, state, w):
    """Rates of the states of loads into `own`, without an evaluation; 0, or a function's status.

    Their forces go to room.s, for which nobody asks.
    """
    plan, table, memory = given
    put_states(plan, room.own, state.z, w)
    n_z = plan[run.N_STATE]
    for k in range(plan[run.N_FORCE]):
        e = plan[run.FORCES] + k * run.E_ROW
        z = plan[e + run.E_STATE] & POSITIVE
        if z == 0 or memory[plan[e + run.E_ACTIVE]] == 0.0:
            continue
        s = plan[e + run.E_SIGNAL]
        status = signal(
            plan, table, memory, s, t, state.q, state.v, room.buffer, 0, plan[e + run.E_ORDERS]
        )
        if status != 0:
            return status
        n, c = plan[e + run.E_N], plan[e + run.E_TABLE] & POSITIVE
        o_q, o_v = plan[e + run.E_Q] & POSITIVE, plan[e + run.E_V] & POSITIVE
        o = run.OWN_STATES + 2 * n_z + plan[e + run.E_OUTPUT] & POSITIVE
        add_force(
            plan[e + run.E_KIND],
            table, c, n, state.q, o_q, state.v, o_v, room.buffer, room.own, z, z + n_z, o,
            room.s,
        )  # fmt: skip
    return 0


@uncounted
def begin_states(given, room, t, start, end, of_start, of_end):
    """What an implicit method takes the states at its end from: end.z = z_0 + of_start z'_0.

    of_end: weight of the rates at the end.  0, or a function's status.
    """
    plan = given.plan
    n = plan[run.N_STATE]
    if n == 0:
        return 0
    status = state_rates(given, room, t, start, of_end)
    for k in range(n):
        end.z[k] = start.z[k] + of_start * room.own[run.OWN_STATES + n + k]
    return status


@uncounted
def end_states(given, room, t, end, of_end):
    """States at the end of a step of an implicit method into end.z; 0, or a function's status."""
    plan = given.plan
    n = plan[run.N_STATE]
    if n == 0:
        return 0
    status = state_rates(given, room, t, end, of_end)
    for k in range(n):
        end.z[k] += of_end * room.own[run.OWN_STATES + n + k]
    return status
