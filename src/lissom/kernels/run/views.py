"""Named views of the arrays of a run."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiling import inlined
from ..layout import run
from ..layout.rows import cut_as


class SystemArrays(NamedTuple):
    """Arrays of a system for the recursions."""

    ints: Any
    floats: Any
    scratch: Any


class FieldArrays(NamedTuple):
    """Arrays of `fields`."""

    plan: Any
    table: Any
    memory: Any


class RunState(NamedTuple):
    """Coordinates, speeds, and states of loads."""

    q: Any
    v: Any
    z: Any


class Work(NamedTuple):
    """Workspace of one evaluation.

    forces: applied generalized forces; x: given accelerations; extra: forces that a method adds;
    slots: records of the nodes that loads act on; buffer: for signals and small systems; mass: for
    the mass matrix; before: accelerations of the last iterate (see `constrain`); states: states
    and outputs of loads (see `states`); s: local coordinates; out: accelerations of the evaluation;
    whole: all of the workspace, for `loop_joints` and `slope_rows`.
    """

    forces: Any
    x: Any
    extra: Any
    slots: Any
    buffer: Any
    mass: Any
    before: Any
    states: Any
    s: Any
    out: Any
    whole: Any


class StageRates(NamedTuple):
    """Rates of local coordinates, speeds and states of loads, of each stage.

    P: those of motions along the speeds, for methods with a matrix.
    """

    S: Any
    V: Any
    Z: Any
    P: Any


class SlopeMatrices(NamedTuple):
    """Stiffness, damping and armature on the speeds; the last iterates on both sides of zero."""

    K: Any
    C: Any
    A: Any
    sides: Any


class Accelerations(NamedTuple):
    """Accelerations of a step.

    x0, x1: at its start and end; before: one step before x0; lead: of the algorithmic ones over
    x0, per second; a0, a1: the algorithmic ones.
    """

    x0: Any
    before: Any
    lead: Any
    a0: Any
    x1: Any
    a1: Any


class Run(NamedTuple):
    """All arrays of a run.

    stiff: the system with the scratch of implicit methods; arrays: those of `fields`; start, end,
    inside: states of a step; weights: scales of errors of positions, then of speeds; values: of
    events; saved: the header of memory before a step.
    """

    system: Any
    stiff: Any
    arrays: Any
    work: Any
    start: Any
    end: Any
    inside: Any
    stages: Any
    tangent: Any
    x: Any
    weights: Any
    values: Any
    saved: Any


cut_memory, cut_work = cut_as(run.MemoryPlaces), cut_as(run.WorkPlaces)
cut_loop_joints, cut_slope_rows = cut_as(run.LoopJoints), cut_as(run.SlopeRows)


@inlined
def views(ints, floats, scratch, stiff, plan, table, memory, work, mass):
    """Views of all arrays of a run."""
    head = run.PlanHeader(plan, 0)
    m, w = cut_memory(memory, head.memory), cut_work(work, head.work)
    return Run(
        SystemArrays(ints, floats, scratch),
        SystemArrays(ints, floats, stiff),
        FieldArrays(plan, table, memory),
        Work(w.forces, w.x, w.extra, w.slots, w.buffer, mass, w.x1, w.states, w.s, w.out, work),
        RunState(m.q, m.v, m.z),
        RunState(w.q_end, w.v_end, w.z_end),
        RunState(w.q_inside, w.v_inside, w.z_inside),
        StageRates(w.rates_s, w.rates_v, w.rates_z, w.paths),
        SlopeMatrices(w.K, w.C, w.A, w.sides),
        Accelerations(m.x, m.before, m.lead, w.a0, w.x1, w.a1),
        w.weights,
        w.values,
        w.saved,
    )


@inlined
def loop_joints(arrays, work):
    """Views of the loaded joints of loops.

    Made where they are used: in `Work` they would be copied at each call.
    """
    return cut_loop_joints(work.whole, run.PlanHeader(arrays.plan, 0).at_loops)


@inlined
def slope_rows(arrays, work):
    """Views of the rows of derivatives of loads."""
    return cut_slope_rows(work.whole, run.PlanHeader(arrays.plan, 0).at_rows)
