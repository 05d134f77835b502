"""Loads on the joints of loops: motions of these joints, and wrenches on the ends of the loops.

A loop's joint has no coordinates in the state: they follow from the poses of its ends.  Angles are
continued over turns: memory holds those at the start of the step, and an angle is the one less than
half a turn away.

Implicit methods: with J the speeds of these joints by the speeds of the system, and A_c what
stiffness and damping of their loads are as armature, the matrix of a step is M + A + J^T A_c J.
With X the accelerations that forces J^T cause in the step without J^T A_c J, loops closed:
  x = x_0 + d - X (1 + A_c J X)^-1 A_c J d                                                   (1)
where d = y - x_0, and y are the accelerations found without it (Woodbury).  x_0 is the last iterate
or, in a step without iteration, zero.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from ..loops.closing import place_loops
from ..loops.joint_motions import loop_joint_motion, loop_joint_wrenches
from ..tree.external import apply_external
from ..tree.inverse import forces_tip_to_base
from ..tree.motion import motion_base_to_tip
from .coordinates import eliminate
from .loads import add_load_slopes, add_loads
from .slots import SLOT_RECORD, add_wrench, clear_wrenches, put_wrenches
from .views import loop_joints


@uncounted
def loop_joint_motions(system, arrays, of, v):
    """Write coordinates and speeds of the loaded joints of loops, after `motion_base_to_tip`."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    plan, table, memory = arrays
    place_loops(ints, scratch, v, head.flags & field.RATES)
    for k in range(head.loop_joints.count):
        joint = run.LoopJointRow(plan, head.loop_joints.first, k)
        o, c = joint.q, joint.turning
        m = joint.angles
        loop_joint_motion(ints, floats, scratch, joint.loop, of.q, o, of.v, joint.v)
        for j in range(joint.n_q):
            if table[c + j] != 0.0 and memory[m + j] < math.inf:
                turns = round((memory[m + j] - of.q[o + j]) / (2.0 * math.pi))
                of.q[o + j] += 2.0 * math.pi * turns


@uncounted
def note_turns(system, arrays, work, state):
    """Store the coordinates of loaded joints of loops, from which angles are continued."""
    head = run.PlanHeader(arrays.plan, 0)
    plan, memory, of = arrays.plan, arrays.memory, loop_joints(arrays, work)
    find_loop_motions(system, arrays, of, state)
    for k in range(head.loop_joints.count):
        joint = run.LoopJointRow(plan, head.loop_joints.first, k)
        for j in range(joint.n_q):
            memory[joint.angles + j] = of.q[joint.q + j]


@uncounted
def find_loop_motions(system, arrays, of, state):
    """Write coordinates and speeds of the loaded joints of loops."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    flags = head.flags & field.RATES
    motion_base_to_tip(ints, floats, scratch, state.q, state.v, state.v, flags)
    loop_joint_motions(system, arrays, of, state.v)


@uncounted
def has_turns(arrays):
    """Whether memory holds the coordinates of loaded joints of loops, if there are any."""
    head = run.PlanHeader(arrays.plan, 0)
    if head.loop_joints.count == 0:
        return True
    joint = run.LoopJointRow(arrays.plan, head.loop_joints.first, 0)
    return arrays.memory[joint.angles] < math.inf


@uncounted
def loop_loads(system, arrays, work, t, q, v):
    """Add the wrenches of loads on joints of loops to the slots; 0, or a function's status.

    After `motion_base_to_tip`.
    """
    head = run.PlanHeader(arrays.plan, 0)
    of = loop_joints(arrays, work)
    loop_joint_motions(system, arrays, of, v)
    for k in range(head.n_loop_v):
        of.T[k] = 0.0
    status = add_loads(arrays, t, q, v, head.loop_forces,
        of.q, of.v, of.T, work.states, work.buffer,
    )  # fmt: skip
    add_loop_wrenches(system, arrays, work, of.T)
    return status


@uncounted
def add_loop_wrenches(system, arrays, work, T):
    """Add the wrenches of forces T on the joints of loops to the slots."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    plan = arrays.plan
    for k in range(head.loop_joints.count):
        joint = run.LoopJointRow(plan, head.loop_joints.first, k)
        n_a, f_a, n_b, f_b = loop_joint_wrenches(ints, floats, scratch, joint.loop, T, joint.v)
        add_wrench(work.slots, joint.slot_a * SLOT_RECORD, n_a, f_a)
        add_wrench(work.slots, joint.slot_b * SLOT_RECORD, n_b, f_b)


# Implicit methods


@uncounted
def loop_slopes(system, arrays, work, t, state, of_damping, of_stiffness):
    """Write stiffness, damping and A_c of loads on joints of loops; 0, or a function's status.

    The numbers A_c before are written to `small`.
    """
    head = run.PlanHeader(arrays.plan, 0)
    if head.loop_forces.count == 0:
        return 0
    of = loop_joints(arrays, work)
    find_loop_motions(system, arrays, of, state)
    n = head.n_loop_v
    for k in range(n):
        of.K[k] = of.C[k] = 0.0
        if of.v[k] < 0.0:
            of.sides[k] = of.v[k]
        elif of.v[k] > 0.0:
            of.sides[n + k] = of.v[k]
    status = add_load_slopes(arrays, t, state.q, state.v, head.loop_forces,
        of.q, of.v, work.states, of.sides, work.buffer, of.K, of.C,
    )  # fmt: skip
    for k in range(n):
        of.small[k] = of.A[k]
        of.A[k] = of_damping * of.C[k] + of_stiffness * of.K[k]
    return status


@uncounted
def loop_rows(system, arrays, work, state):
    """Write the rows of J, after `loop_slopes` in the same state."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    plan, of = arrays.plan, loop_joints(arrays, work)
    n, flags = ints[field.N_V], head.flags
    for k in range(head.n_loop_v):
        for j in range(head.n_loop_v):
            of.T[j] = 1.0 if j == k else 0.0
        motion_base_to_tip(ints, floats, scratch, state.q, state.v, of.zero, flags & 0)
        clear_wrenches(plan, work.slots, 0)
        add_loop_wrenches(system, arrays, work, of.T)
        put_wrenches(scratch, plan, work.slots, 0)
        apply_external(ints, scratch, state.q, state.v)
        forces_tip_to_base(ints, scratch, of.zero, of.column, flags & 0)
        for j in range(n):
            of.J[k * n + j] = -of.column[j]


@uncounted
def soften(system, arrays, work, x0, x):
    """Replace accelerations x, found without the slopes of loads on joints of loops, by (1)."""
    head = run.PlanHeader(arrays.plan, 0)
    n, m = system.ints[field.N_V], head.n_loop_v
    of = loop_joints(arrays, work)
    w, y = m + 1, of.small
    for k in range(m):  # rows of [1 + A_c J X | A_c J d], after m numbers
        o = m + k * w
        for c in range(w):
            y[o + c] = 1.0 if c == k else 0.0
        for j in range(n):
            e = of.A[k] * of.J[k * n + j]
            y[o + m] += e * (x[j] - x0[j])
            for c in range(m):
                y[o + c] += e * of.X[c * n + j]
    if eliminate(y, m, m, 0) != field.DONE:
        return
    for k in range(m):
        for j in range(n):
            x[j] -= of.X[k * n + j] * y[k]
