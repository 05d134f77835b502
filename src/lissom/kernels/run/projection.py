"""Projection onto given motions and closed loops by small changes of coordinates and speeds.

  q moved by -M^-1 A^T Lambda^-1 g      v -= M^-1 A^T Lambda^-1 (A v)                        (1)
The changes are the smallest in the metric of M; for implicit methods in that of M with their
armature, which prevents motion of stiff modes.  Both use the same factor of Lambda; if they were
large, both are repeated.  Each step is corrected, even for rounding errors alone: close to singular
positions small gaps hide large errors.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from ..layout.loops import LoopsHeader
from ..layout.records import ClosingRecord
from ..layout.tree import BodyRow
from ..loops.closed_tree import accelerate_closed, articulate_closed, solve_last_group
from ..loops.closing import OPEN, close_loops, place_loops
from ..loops.forces import gather_rhs
from ..tree.motion import motion_base_to_tip
from .coordinates import moved
from .motions import drive

# Fractions of the system's length, and for rates of length and speeds per second: rounding error,
# gap that counts as closed after a correction, gap that one correction removes with certainty.
ROUNDING, CLOSED, SURE = 1e-15, 1e-13, 1e-10
MOST = 20


@uncounted
def settle(system, arrays, work, t, state):
    """Write given motions into a state, and close the loops; 0 or a failure."""
    head = run.PlanHeader(arrays.plan, 0)
    plan, table, memory = arrays
    if head.motions.count != 0:
        if drive(system.ints, plan, table, memory, t, state.q, state.v, work.x, work.buffer) != 0:
            return run.CALL_FAILED
    if head.project != 0:
        return project(system, arrays, work, state)
    return 0


@uncounted
def project(system, arrays, work, state):
    """Close all loops (1); 0, LOOP_OPEN or a failure."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, floats, scratch = system
    plan, table, memory = arrays
    q, v, s, out = state.q, state.v, work.s, work.out
    T, flags = work.forces, head.flags
    n_v, loops = ints[field.N_V], LoopsHeader(ints, ints[field.LOOPS])
    n, o = loops.n_column, loops.closure
    length, closing = floats[loops.length], ClosingRecord(scratch, loops.closing)
    before = 0.0
    for iteration in range(MOST):
        motion_base_to_tip(ints, floats, scratch, q, v, v, flags & field.RATES)
        place_loops(ints, scratch, v, flags & field.RATES)
        close_loops(ints, floats, scratch, q, v, v, flags & field.RATES)
        gap = rate = 0.0
        for k in range(n):
            if not abs(scratch[o + k]) <= gap:
                gap = abs(scratch[o + k])
            if not abs(scratch[o + n + k]) <= rate:
                rate = abs(scratch[o + n + k])
        if not gap + rate < 1e300:
            return run.NOT_FINITE_
        gap, rate = gap / length, rate / (length + closing.speed)
        if max(gap, rate) <= (CLOSED if iteration > 0 else ROUNDING):
            return 0
        if iteration > 2 and max(gap, rate) > 0.5 * before:
            break  # a singular position: the remainder cannot be removed
        before = max(gap, rate)
        memory[run.N_PROJECTIONS] += 1.0
        nested, factored = loops.n_group > 1, False
        rank, soft = 0, False
        for part in range(2):
            if (part == 0 and gap <= ROUNDING) or (part == 1 and rate <= ROUNDING):
                continue
            if nested and factored:  # the tree holds the forces of the first part
                motion_base_to_tip(ints, floats, scratch, q, v, v, flags & field.RATES)
                place_loops(ints, scratch, v, flags & field.RATES)
                close_loops(ints, floats, scratch, q, v, v, flags & field.RATES)
            for k in range(n):
                scratch[o + 2 * n + k] = scratch[o + part * n + k]
            gather_rhs(ints, floats, scratch)
            for k in range(n_v):
                T[k] = 0.0
                out[k] = 0.0  # hinges whose motion is given are not written
            if nested or not factored:
                if nested:
                    _clear_inward_inputs(ints, scratch)
                status, rank, soft = articulate_closed(
                    ints, floats, scratch, v, T, nested, flags < 0
                )
                if status != field.DONE:
                    return run.SINGULAR_ if status == field.SINGULAR else run.NOT_FINITE_
            else:
                solve_last_group(ints, scratch, rank, soft)
            factored = True
            if not nested:
                _clear_outward_inputs(ints, scratch)
            if accelerate_closed(ints, floats, scratch, out) != field.DONE:
                return run.NOT_FINITE_
            if part == 1:
                for k in range(n_v):
                    v[k] -= out[k]
                continue
            for k in range(n_v):
                s[k] = -out[k]
            if moved(plan, table, q, s, q, work.buffer) != field.DONE:
                return run.SINGULAR_COORDINATES
        if max(gap, rate) < SURE:
            return 0
    return run.LOOP_OPEN if gap > OPEN or rate > OPEN else 0


@uncounted
def _clear_inward_inputs(ints, scratch):
    """Set all inputs of the inward sweep to zero; forces of loops follow."""
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        b = body.record
        for c in range(6):
            scratch[b + field.FORCE + c] = 0.0
        if body.level != field.RIGID:
            m, t = body.n_mode, body.modal
            for k in range(m):
                scratch[t + m + k] = 0.0


@uncounted
def _clear_outward_inputs(ints, scratch):
    """Set all inputs of the outward sweep except loop forces to zero."""
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        r = body.hinge_dof
        o = body.hinge + 12 * r + r * r
        for c in range(r):
            scratch[o + c] = 0.0
        if body.level == field.RIGID:
            continue
        m, t = body.n_mode, body.modal
        for k in range(m):
            scratch[t + m + k] = 0.0
        for node in range(body.n_node):
            d = body.nodes + node * field.NODE_RECORD
            for c in range(6):
                scratch[d + field.FORCE + c] = 0.0
                scratch[d + field.YIELD + c] = 0.0
