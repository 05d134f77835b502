"""Named views of the arrays of a run."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import fields as field
from ..compiling import inlined, uncounted
from . import fields as run
from .slots import SLOT_RECORD


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


class LoopJoints(NamedTuple):
    """Loaded joints of loops: coordinates, speeds and forces; see `loop_loads`.

    K, C, A: slopes of their loads, and these as armature; sides: as in `SlopeMatrices`; J, X: rows
    of n_v numbers; small: for the solution; column, solution: of n_v numbers; zero: so many zeros.
    """

    q: Any
    v: Any
    T: Any
    K: Any
    C: Any
    A: Any
    sides: Any
    J: Any
    X: Any
    small: Any
    column: Any
    solution: Any
    zero: Any


class SlopeRows(NamedTuple):
    """Derivatives of loads that are not diagonal, see `load_rows`.

    U, K, C, V, X: rows of n_v numbers; small: for the solution; column, solution: of n_v numbers;
    zero: so many zeros; motion, change: small motions of the slots, 12 numbers each, and changes
    of their wrenches, 6 each; derivatives: those that a user's function writes.
    """

    U: Any
    K: Any
    C: Any
    V: Any
    X: Any
    small: Any
    column: Any
    solution: Any
    zero: Any
    motion: Any
    change: Any
    derivatives: Any


class Work(NamedTuple):
    """Workspace of one evaluation.

    forces: applied generalized forces; x: given accelerations; extra: forces that a method adds;
    slots: records of the nodes that loads act on; buffer: for signals and small systems; mass: for
    the mass matrix; before: accelerations of the last iterate (see `constrain`); states: states
    and outputs of loads (see `states`); s: local coordinates; out: accelerations found; loops:
    numbers of the joints of loops that loads act on, see `loop_joints`; rows: derivatives of loads,
    see `derivative_rows`.
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
    loops: Any
    rows: Any


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
    events; saved: the header of memory before a step; watched: workspace of `kinks`.
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
    watched: Any


@inlined
def views(ints, floats, scratch, stiff, plan, table, memory, work, mass):
    """Views of all arrays of a run."""
    n_q, n, n_z = ints[field.N_Q], ints[field.N_V], plan[run.N_STATE]
    total = stages_of(plan)
    start = RunState(
        memory[plan[run.O_Q] : plan[run.O_Q] + n_q],
        memory[plan[run.O_V] : plan[run.O_V] + n],
        memory[plan[run.O_Z] : plan[run.O_Z] + n_z],
    )
    o = 2 * n_q
    weights = work[o + run.W_WEIGHTS * n : o + run.W_A2 * n]
    tangent = SlopeMatrices(
        work[o + run.W_K * n : o + (run.W_K + 1) * n],
        work[o + run.W_C * n : o + (run.W_C + 1) * n],
        work[o + run.W_A * n : o + (run.W_A + 1) * n],
        work[o + run.W_SIDES * n : o + run.N_VECTOR * n],
    )
    x = Accelerations(
        memory[plan[run.O_X] : plan[run.O_X] + n],
        memory[plan[run.O_B] : plan[run.O_B] + n],
        memory[plan[run.O_A] : plan[run.O_A] + n],
        work[o + run.W_A2 * n : o + (run.W_A2 + 1) * n],
        work[o + run.W_X1 * n : o + (run.W_X1 + 1) * n],
        work[o + run.W_A1 * n : o + (run.W_A1 + 1) * n],
    )
    after = o + run.N_VECTOR * n
    n_s = n + plan[run.N_MAPPED]
    slots = after + total * (n_s + n)
    buffer = slots + plan[run.N_SLOT] * SLOT_RECORD
    values = buffer + plan[run.BUFFER]
    saved = values + plan[run.N_EVENT]
    ends = saved + run.M_HEADER
    inner = ends + 2 * n_z
    states = inner + total * n_z
    local = states + run.LOAD_STATES + 2 * n_z + plan[run.N_OUTPUT]
    loops = local + n_s
    stages = StageRates(
        work[after : after + total * n_s],
        work[after + total * n_s : slots],
        work[inner:states],
        work[plan[run.PATHS] : plan[run.PATHS] + plan[run.N_STAGE] * n],
    )
    evaluation = Work(
        work[o + run.W_FORCES * n : o + (run.W_FORCES + 1) * n],
        work[o + run.W_X * n : o + (run.W_X + 1) * n],
        work[o + run.W_EXTRA * n : o + (run.W_EXTRA + 1) * n],
        work[slots:buffer],
        work[buffer:values],
        mass,
        x.x1,
        work[states:local],
        work[local:loops],
        work[o + run.W_OUT * n : o + (run.W_OUT + 1) * n],
        work[loops:],
        work[plan[run.ROWS] :],
    )
    return Run(
        SystemArrays(ints, floats, scratch),
        SystemArrays(ints, floats, stiff),
        FieldArrays(plan, table, memory),
        evaluation,
        start,
        RunState(
            work[:n_q], work[o + run.W_V1 * n : o + (run.W_V1 + 1) * n], work[ends : ends + n_z]
        ),
        RunState(
            work[n_q : 2 * n_q],
            work[o + run.W_V2 * n : o + (run.W_V2 + 1) * n],
            work[ends + n_z : inner],
        ),
        stages,
        tangent,
        x,
        weights,
        work[values:saved],
        work[saved:ends],
        work[plan[run.WATCH] : plan[run.WATCH] + watched_size(plan, n_q, n)],
    )


@uncounted
def watched_size(plan, n_q, n):
    """Size of the workspace of `kinks`: a state, three vectors, and flags of the loads."""
    if plan[run.N_WATCHED] == 0:
        return 0
    return n_q + 4 * n + plan[run.N_STATE] + 3 * plan[run.N_WATCHED_NUMBER] + plan[run.N_WATCHED]


@inlined
def loop_joints(system, arrays, o):
    """Views of the numbers o of loaded joints of loops; their size is `loop_joints_size`.

    Made where they are used: in `Work` they would be copied at each call.
    """
    n_q, m, n = arrays.plan[run.N_LOOP_Q], arrays.plan[run.N_LOOP_V], system.ints[field.N_V]
    v = n_q
    J = v + 7 * m
    X = J + m * n
    small = X + m * n
    column = small + m * (m + 2)
    end = column + n
    if m == 0:
        end = column  # nothing uses the vectors below
    return LoopJoints(
        o[:v], o[v : v + m], o[v + m : v + 2 * m], o[v + 2 * m : v + 3 * m],
        o[v + 3 * m : v + 4 * m], o[v + 4 * m : v + 5 * m], o[v + 5 * m : J],
        o[J:X], o[X:small], o[small:column], o[column:end],
        o[end : 2 * end - column], o[2 * end - column : 3 * end - 2 * column],
    )  # fmt: skip


def loop_joints_size(n_q: int, m: int, n: int) -> int:
    """Size of the views of m motions, n_q coordinates, of joints in a system of n speeds."""
    return n_q + 7 * m + 2 * m * n + m * (m + 2) + (3 * n if m else 0)


@inlined
def derivative_rows(system, arrays, o):
    """Views of the rows of derivatives o of loads; their size is `derivative_rows_size`."""
    m, n, slots = arrays.plan[run.N_ROW], system.ints[field.N_V], arrays.plan[run.N_SLOT]
    small = 5 * m * n
    column = small + m * (m + 2)
    motion = column + 3 * n
    change = motion + 12 * slots
    return SlopeRows(
        o[: m * n], o[m * n : 2 * m * n], o[2 * m * n : 3 * m * n],
        o[3 * m * n : 4 * m * n], o[4 * m * n : small],
        o[small:column], o[column : column + n], o[column + n : column + 2 * n],
        o[column + 2 * n : motion], o[motion:change], o[change : change + 6 * slots],
        o[change + 6 * slots :],
    )  # fmt: skip


def derivative_rows_size(m: int, n: int, slots: int, user_numbers: int) -> int:
    """Size of the views of m rows in a system of n speeds, so many slots, and numbers of users."""
    return 5 * m * n + m * (m + 2) + 3 * n + 18 * slots + user_numbers if m else 0


@uncounted
def stages_of(plan):
    """Number of stages of a tableau, with those at the end of the step and for dense output."""
    return plan[run.N_STAGE] + 1 + plan[run.N_DENSE]
