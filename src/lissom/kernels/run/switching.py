"""Which of two methods a run is better off with, from what its steps show.

An explicit method is limited by stability where h |lambda| stays at the edge of its domain, lambda
being the largest eigenvalue of the equations.  Two stages at the end of a step give it, as the
last one and the one after the step are at the same time:
  h |lambda| = h |f(y_1) - f(Y)| / |y_1 - Y|                                                 (1)
in units of the tolerances.  After NEEDED such steps, with no more than a few others between them,
the run goes on with the implicit method, and its pace is measured: time per evaluation, those of
the implicit method counted COST times for the solutions of its stages.  If that is slower than the
explicit method was at its limit of stability, the run goes back; the next attempt needs more steps.
Source of (1): E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.2.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import inlined, uncounted
from ..layout import run
from .explicit import B_ROW

FEW = 6.0  # steps below the limit after which the count begins again
WINDOW = 50.0  # implicit steps whose pace is compared
COST = 2.0
MORE, MOST = 4.0, 1e6  # growth of NEEDED after an attempt that did not pay, and its limit


@inlined
def should_switch(r, h):
    """Whether the other method is better after this step; after it was committed."""
    head = run.PlanHeader(r.arrays.plan, 0)
    table, memory = r.arrays.table, r.arrays.memory
    limit = run.RunParameters(table, head.parameters).stiff_at
    if limit == 0.0:
        return _is_slower(memory, h)
    if _stiffness(r) > limit:
        if memory[run.N_STIFF] == 0.0:
            start_timing(memory)
        memory[run.N_STIFF] += 1.0
        memory[run.N_MILD] = 0.0
    else:
        memory[run.N_MILD] += 1.0
        if memory[run.N_MILD] >= FEW:
            memory[run.N_STIFF] = 0.0
    if memory[run.N_STIFF] < memory[run.NEEDED]:
        return False
    memory[run.PACE] = _pace(memory)
    return True


@uncounted
def start_timing(memory):
    """Begin to measure the pace."""
    memory[run.STEP_MARK] = memory[run.N_STEPS]
    memory[run.TIME_MARK] = memory[run.TIME]
    memory[run.WORK_MARK] = memory[run.N_EVALUATIONS]


@uncounted
def _pace(memory):
    """Time per evaluation since the mark [s]."""
    work = memory[run.N_EVALUATIONS] - memory[run.WORK_MARK]
    return (memory[run.TIME] - memory[run.TIME_MARK]) / max(1.0, work)


@uncounted
def _is_slower(memory, h):
    """Whether the implicit method is slower than the explicit one was."""
    memory[run.IMPLICIT_TIME] += h
    if memory[run.N_STEPS] - memory[run.STEP_MARK] < WINDOW:
        return False
    slower = _pace(memory) < COST * memory[run.PACE]
    start_timing(memory)
    if slower:
        memory[run.NEEDED] = min(MOST, MORE * memory[run.NEEDED])
        memory[run.N_STIFF] = memory[run.N_MILD] = 0.0
    return slower


@inlined
def _stiffness(r):
    """Product h |lambda| (1) of an explicit step whose last stage is at its end."""
    head = run.PlanHeader(r.arrays.plan, 0)
    table, stages = r.arrays.table, r.stages
    n, count, total = r.system.ints[field.N_V], head.n_stage, head.n_rates
    last, b = head.tableau + (count - 1) * total, head.tableau + total * (total + B_ROW)
    changes = distances = 0.0
    for part in range(2):
        K = stages.S if part == 0 else stages.V
        width = n + head.n_mapped if part == 0 else n
        for k in range(n):
            w = 1.0 / r.weights[part * n + k]
            d = 0.0
            for j in range(count):
                d += (table[b + j] - table[last + j]) * K[j * width + k]
            change = w * (K[count * width + k] - K[(count - 1) * width + k])
            changes += change * change
            distances += w * w * d * d
    if not distances > 0.0:
        return 0.0
    return math.sqrt(changes / distances)
