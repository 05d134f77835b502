"""Common parts of implicit methods: stiff terms that are diagonal in the speeds, like armature.

K, C: stiffness and damping of modes and hinges (diagonal); A: armature.  Slopes with respect to the
states of loads are part of K: see the methods for their weight.  Other derivatives of loads are
rows: `load_rows`, `row_solutions`.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from ..tree.rod_tension import stiffen_rods
from .evaluate import evaluate, forces_of, set_armature, solve_mass
from .load_rows import load_rows
from .loads import hinge_slopes
from .loop_loads import loop_rows, loop_slopes
from .motions import mark_driven
from .row_solutions import select_rows, solve_rows
from .states import put_states
from .views import loop_joints


@uncounted
def tangent(arrays, work, t, state, w, of, secant):
    """Write stiffness and damping on the speeds: modes, and loads on hinges in a state.

    w: weight of the rates of the states of loads, as for `evaluate`; secant: whether this is within
    an iteration, for which secants are better.  Returns 0, or a function's status.
    """
    head = run.PlanHeader(arrays.plan, 0)
    plan, table = arrays.plan, arrays.table
    K, C, o, n = of.K, of.C, head.stiffness, len(of.K)
    for k in range(n):
        K[k] = table[o + k]
        C[k] = table[o + n + k]
    put_states(plan, work.states, state.z, w)
    work.states[run.LOAD_SECANT] = secant
    return hinge_slopes(arrays, t, state.q, state.v, work.states, of.sides, work.buffer, K, C)


@uncounted
def loop_tangent(system, arrays, work, t, state, of_damping, of_stiffness):
    """Write A_c, J and X of loads on joints of loops (`loop_loads`); 0 or a failure.

    After `prepare_armature`, once in a step.
    """
    head = run.PlanHeader(arrays.plan, 0)
    if head.loop_forces.count == 0:
        return 0
    of = loop_joints(arrays, work)
    clear_sides(of.sides)
    if loop_slopes(system, arrays, work, t, state, of_damping, of_stiffness) != 0:
        return run.CALL_FAILED
    loop_rows(system, arrays, work, state)
    n = system.ints[field.N_V]
    for k in range(head.n_loop_v):
        for j in range(n):
            of.column[j], of.solution[j] = of.J[k * n + j], 0.0
        status = solve_mass(system, arrays, state.q, of.column, of.zero, of.solution)
        if status != 0:
            return status
        for j in range(n):
            of.X[k * n + j] = of.solution[j]
    return 0


@uncounted
def step_rows(system, arrays, work, t, state, other, of_damping, of_stiffness):
    """Write the rows of derivatives of loads and the solutions with them, in a state.

    After `prepare_armature` and `tangent` in the same state.  other: a state to be overwritten.
    Returns 0 or a failure, and the number of rows.
    """
    mark_driven(system.ints, arrays.plan, arrays.memory)
    status = load_rows(system, arrays, work, t, state, other, run.STEP_ROWS)
    if status != 0:
        return status, 0
    used = select_rows(system, arrays, work, of_damping, of_stiffness)
    return solve_rows(system, arrays, work, state.q, used), used


@uncounted
def clear_sides(sides):
    """Clear the iterates on both sides of zero."""
    for k in range(len(sides)):
        sides[k] = 0.0


@uncounted
def note_sides(v, sides):
    """Store the speeds as last iterates below or above zero."""
    n = len(v)
    for k in range(n):
        if v[k] < 0.0:
            sides[k] = v[k]
        elif v[k] > 0.0:
            sides[n + k] = v[k]


@uncounted
def prepare_armature(system, arrays, of, of_damping, of_stiffness, h):
    """Write A = of_damping C + of_stiffness K, and with that of rotors to the scratch."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, _, scratch = system
    table, memory = arrays.table, arrays.memory
    A, n, o = of.A, ints[field.N_V], head.base_armature
    for k in range(n):
        A[k] = of_damping * of.C[k] + of_stiffness * of.K[k]
    both = A  # modes have no rotors: the same entries apply
    for k in range(n):
        both[k] += table[o + k]
    set_armature(ints, scratch, both, memory[run.PREPARED] != h)
    memory[run.PREPARED] = h
    for k in range(n):
        A[k] -= table[o + k]


@uncounted
def prepare_rods(system, arrays, work, t, state, w, x, of_stiffness):
    """Write the rotary armature of rods under tension, from a state and accelerations.

    Forces on nodes and in loops are evaluated first: those left from the last step would make a run
    depend on more than its state.  Returns 0 or a failure.
    """
    head = run.PlanHeader(arrays.plan, 0)
    status = 0
    if head.slots.count != 0 or system.ints[field.LOOPS] != 0:
        status = evaluate(system, arrays, work, t, state, w, work.out)
    forces_of(system, arrays, work, state, x)
    stiffen_rods(system.ints, system.floats, system.scratch, of_stiffness)
    return status
