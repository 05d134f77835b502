"""Layout of the arrays of a run: rows of its plan and table, each declared once; its codes.

plan     constant integers: `PlanHeader`, then rows of signals and of all that acts
table    constant floats: constants of elements, signals, tableau, weights
memory   all variables that a run needs to continue, saved with the results
work     workspace of one step, cut as `WorkPlaces` says
"""

from __future__ import annotations

from .rows import NamedRow, Number, Offset


class RowList(NamedRow):
    """Rows of one kind, one after the other in the plan."""

    count: Number
    first: Number


class MemoryPlaces(NamedRow):
    """What follows the header of memory."""

    q: Offset
    v: Offset
    x: Offset  # accelerations
    lead: Offset  # of the algorithmic ones
    before: Offset  # accelerations before
    others: Offset  # of loads, controllers, events
    z: Offset  # states of loads
    end: Offset


class SignalRow(NamedRow):
    """Given function of time, or of time and state."""

    kind: Number
    n: Number  # numbers
    constants: Offset  # table: values, or edges of the pieces and then their coefficients
    corners: Number  # whether values or rates jump between the pieces: steps end there
    pieces: Number
    degree: Number
    address: Number  # of a function
    which: Number  # number of the function
    records: Offset  # memory: what a plain function returned last (`remembered`), or zero
    # Derivatives given by the user: the function that writes them, by configuration and by speeds,
    # n rows of n_v numbers each
    by_address: Number
    by_which: Number


class LoadRow(NamedRow):
    """Load on a joint of the tree or of a loop, on nodes, or on a body."""

    kind: Number  # its number in `registry`
    active: Offset  # memory: 1 if it acts
    q: Offset  # offset of the coordinates of its joint, or of the modes of its body
    v: Offset
    n: Number  # number of these speeds
    constants: Offset  # table
    signal: Number  # plan: `SignalRow`; 0 without one
    orders: Number  # derivatives of its signal that it needs
    slopes: Number  # when its slopes are evaluated, see `registry`; of loads on nodes see below
    state: Offset  # offset of its states among those of all loads
    output: Offset  # offset of its outputs among those of all loads
    wide: Number  # how a function of the state is differentiated, below
    watched: Number  # what `kinks` follows, below
    slot_a: Number  # slots on which it acts; of a body the first only
    slot_b: Number
    axes: Number  # 1: world axes
    touch: Offset  # memory: `contact.TouchRecord` of a contact
    body: Offset  # ints: row of its body
    touched: Number  # contact: 1 + number of the `TouchedRow` that has its derivatives, or 0


class SlotRow(NamedRow):
    """Node that loads act on, or a point of the ground."""

    body: Number  # ints: row of its body; -1 on the ground
    external: Number  # place in the list of external forces
    slopes: Number  # the largest of those of its loads


class TouchedRow(NamedRow):
    """Node whose contacts with the ground are inertia of implicit steps, see `contact_inertia`."""

    body: Offset  # ints: row of its body
    carrier: Offset  # scratch: its record
    motion: Offset  # scratch: first part of that
    first: Number  # ints: row of the first child that contributes to the node; 0: there is none
    record: Offset  # scratch: `records.TouchedRecord`


class MotionRow(NamedRow):
    """Given motion of a joint."""

    mode: Number
    active: Offset  # memory: 1 if it acts
    q: Offset
    v: Offset
    n: Number
    n_q: Number
    signal: Number  # plan: `SignalRow`
    body: Offset  # ints: row of the body that the joint carries
    joint: Number  # kind of the joint


class ControllerRow(NamedRow):
    """Controller whose forces are held between its samples."""

    active: Offset  # memory: 1 if it acts
    address: Number  # of its function
    which: Number
    period: Offset  # table
    forces: Offset  # memory: those held, n_v numbers
    samples: Offset  # memory: number of the next sample, then its own memory


class EventRow(NamedRow):
    """Quantity whose zero crossings are events."""

    kind: Number
    q: Offset
    v: Offset
    value: Offset  # table: what is subtracted
    address: Number  # of a function
    which: Number
    way: Number  # 1: rising, -1: falling, 0: both
    memory: Offset  # memory: its value before the step, then whether it is armed
    gaps: Offset  # table: `contact.GapNumbers` of points that may touch, each with its contact
    n_gap: Number  # how many points


class ChartRow(NamedRow):
    """Range of coordinates; one that is not a plain integral of speeds belongs to one joint."""

    kind: Number
    q: Offset
    v: Offset
    n: Number
    n_q: Number
    constants: Offset  # table: motion map and its left inverse, or the call of an own joint
    local: Offset  # offset of its local coordinates


class LoopJointRow(NamedRow):
    """Joint of a loop that loads act on."""

    loop: Number
    q: Offset
    v: Offset
    n: Number
    n_q: Number
    slot_a: Number  # at its ends
    slot_b: Number
    turning: Offset  # table: whether each coordinate is an angle
    angles: Offset  # memory: coordinates from which angles are continued


class FlexibleRow(NamedRow):
    """Flexible body whose rate is watched."""

    body: Offset  # ints: its row
    spin: Offset  # memory: highest angular rate


class RunParameters(NamedRow):
    """Parameters of the run, in the table.

    Times in memory and table count from its start, so that they are as exact in a run that begins
    far from zero as in any other.
    """

    origin: Number  # time at the start, as users' functions and rows have it
    end: Number
    step: Number  # fixed step, or the largest one
    output_step: Number  # adaptive: period of rows, or zero
    tick: Number  # times closer than this are the same
    rtol: Number
    alpha_m: Number
    alpha_f: Number
    beta: Number
    gamma: Number
    newton: Number  # tolerance of the iterations
    exponent: Number  # 1 / (order of the error estimate + 1)
    second: Number  # whether there are two error estimates
    probe: Number  # time between samples inside adaptive steps
    share: Number  # adaptive: share of the tolerance for the errors of one second [1/s]
    least_share: Number  # share that a step may use, however short it is
    iterations: Number  # most iterations of an implicit step
    divisions: Number  # most times that a fixed step is halved where it fails
    stiff_at: Number  # h |lambda| at which stability limits an explicit method; 0 if implicit
    slack: Number  # fraction of the change in a step that its iteration may leave


# The workspace: each piece ends where the next one begins, the last at `end`


class WorkPlaces(NamedRow):
    """Workspace of a step: states, vectors of n_v numbers, stages, loads."""

    q_end: Offset  # end of the step
    q_inside: Offset  # a state inside it
    v_end: Offset
    v_inside: Offset
    x1: Offset  # accelerations at the end of the step
    a1: Offset  # algorithmic ones
    out: Offset  # accelerations of the last evaluation
    forces: Offset  # applied generalized forces of the last evaluation
    x: Offset  # given accelerations
    extra: Offset  # forces that a method adds
    A: Offset  # armature
    K: Offset  # stiffness
    C: Offset  # damping
    weights: Offset  # scales of errors of positions, then of speeds
    a0: Offset  # algorithmic accelerations at the start of the step
    sides: Offset  # last speeds below zero, then above
    rates_s: Offset  # of each stage: rates of local coordinates
    rates_v: Offset  # of each stage: rates of speeds
    slots: Offset  # records of the nodes that loads act on
    buffer: Offset  # for signals and small systems
    values: Offset  # of events
    saved: Offset  # header of memory before the step
    z_end: Offset
    z_inside: Offset
    rates_z: Offset  # of each stage: rates of the states of loads
    states: Offset  # states and outputs of loads, see `states`
    s: Offset  # local coordinates
    paths: Offset  # rates of motions along the speeds, of each stage of a method with a matrix
    end: Offset


class LoopJoints(NamedRow):
    """Loaded joints of loops, with m motions; see `loop_loads`."""

    q: Offset  # coordinates
    v: Offset  # speeds
    T: Offset  # forces
    K: Offset  # slopes of the loads
    C: Offset
    A: Offset  # these as armature
    sides: Offset  # last speeds below zero, then above
    J: Offset  # rows of n_v numbers
    X: Offset
    small: Offset  # for the solution
    column: Offset  # n_v numbers
    solution: Offset
    zero: Offset  # so many zeros
    end: Offset


class SlopeRows(NamedRow):
    """Derivatives of loads that are not diagonal, see `load_rows`."""

    U: Offset  # rows of n_v numbers
    K: Offset
    C: Offset
    V: Offset
    X: Offset
    small: Offset  # for the solution
    column: Offset  # n_v numbers
    solution: Offset
    zero: Offset  # so many zeros
    motion: Offset  # small motions of the slots, 12 numbers each
    change: Offset  # changes of their wrenches, 6 each
    derivatives: Offset  # what a user's function writes
    count: Offset  # number of rows in use
    end: Offset


class GapPlaces(NamedRow):
    """Workspace of `gaps`: a number for each contact, and what is used for one of them."""

    gap: Offset  # at the end of the step
    rate: Offset
    press: Offset  # normal force
    speed: Offset  # of the two points relative to each other
    slip: Offset  # along the surface
    time: Offset  # at which these were measured
    doubt: Offset  # whether the contact may change within the step
    samples: Offset  # gaps within a part of the step
    coefficients: Offset  # of its polynomial
    part: Offset
    piece: Offset
    column: Offset  # n_v numbers
    solution: Offset
    zero: Offset  # so many zeros
    end: Offset


class WatchedPlaces(NamedRow):
    """Workspace of `kinks`."""

    q: Offset  # a state between the ends of the step
    v: Offset
    z: Offset
    d: Offset  # numbers of watched loads: n_v, then those of their signals
    peak: Offset
    now: Offset
    flags: Offset  # whether they act
    end: Offset


class PlanHeader(NamedRow):
    """First row of the plan."""

    signals: RowList
    forces: RowList  # loads on hinges
    node_loads: RowList
    body_loads: RowList
    slots: RowList  # nodes that loads act on, then points of the ground
    motions: RowList
    controllers: RowList
    events: RowList
    plains: RowList  # ranges of q that are plain integrals of v
    specials: RowList  # joints whose coordinates are not
    flexibles: RowList
    loop_joints: RowList  # joints of loops that loads act on
    loop_forces: RowList  # loads on these joints; their q and v are offsets among its motions
    watched: RowList  # loads whose forces may bend within a step, see `kinks`: places of their rows
    touched: RowList  # nodes that contacts with the ground touch
    contacts: RowList  # places of the rows of contacts
    n_stop: Number  # times that a step must not cross
    stops: Offset  # table
    node_rates: Number  # whether a load needs the velocity of nodes
    nonlinear: Number  # whether loads on hinges have a variable stiffness
    method: Number  # number in `registry.METHODS`
    traits: Number  # of the method, below
    adaptive: Number
    n_stage: Number  # of the tableau, without those for dense output
    n_dense: Number  # further stages for dense output
    n_rates: Number  # of both, and that at the end of the step
    degree: Number  # of the interpolant
    tableau: Offset  # table
    every: Number  # steps per row of output, or points within each step where there is no period
    base_armature: Offset  # table: inertia of rotors, n_v numbers
    stiffness: Offset  # table: K of modes, then C, n_v numbers each; hinges add theirs
    weights: Offset  # table: scales of errors of positions, then of speeds, n_v each; see n_mapped
    width: Number  # of a row of results
    n_wrench: Number  # slots on bodies; those after them are points of the ground
    parameters: Offset  # table: `RunParameters`
    flags: Number  # terms that `motion` includes
    project: Number  # whether loops are closed by projection after each step
    dense: Number  # rows of the buffer for the mass matrix, if accelerations come from it; else 0
    look: Number  # what is sampled inside adaptive steps, below
    limits: Offset  # table: largest plausible speeds, then deflections of modes, n_v each
    n_state: Offset  # states of loads
    state_weights: Offset  # table: scales of their errors
    n_output: Number  # numbers that loads provide as channels
    n_mapped: Number  # local coordinates of own joints, after the n_v others; in the table after
    # the weights their scales, then the speed to which each belongs
    n_loop_v: Number  # speeds of all loaded joints of loops
    n_row: Number  # most rows of derivatives of loads that are not diagonal; see `load_rows`
    wide: Number  # whether the speeds have rows of their own among them
    slot_rows: Number  # rows of slots among them
    contact_rows: Number  # the first of those of contacts, which are the last
    spacings: Offset  # table: spacings of differences by coordinates, then by speeds, n_v each
    timed: Number  # whether anything depends on time
    switches: Number  # whether the run has two methods
    gives_derivatives: Number  # whether a function has derivatives of the user's, see `SignalRow`
    n_watched: Number  # numbers of the signals of watched loads, without those on joints
    buffer: Number  # size of the buffer; its last HALF numbers are half a motion of a joint
    memory: MemoryPlaces
    work: WorkPlaces
    at_loops: LoopJoints
    at_rows: SlopeRows
    at_watched: WatchedPlaces
    at_gaps: GapPlaces
    bernstein: Offset  # table: matrix of `contact.bernstein.from_samples`


HALF = 12  # most coordinates of a joint

# Sampling inside adaptive steps
LOOK_AT_FORCES, LOOK_AT_EVENTS, LOOK_AT_KINKS = 1, 2, 4

# Differences of a load: none, by the speeds of its own joint, by all speeds; or none, because the
# user gives the derivatives of its signal
NOWHERE, OWN_JOINT, EVERYWHERE, GIVEN = range(4)
# Followed along a step: force on a joint of the tree, signal, force on a joint of a loop; OF_TIME
# besides: a function of time alone, followed along fixed steps only
ON_JOINT, SIGNAL_, ON_LOOP, OF_TIME = 1, 2, 4, 8
# `slopes` of a load on nodes and of a slot: its rows are for exact derivatives, or for steps too
EXACT_ROWS, STEP_ROWS = 1, 2

# Array `states` of loads: [weight, secant, states, rates of these, outputs], see `states`
LOAD_WEIGHT, LOAD_SECANT, LOAD_STATES = range(3)

# Paths on which gaps are followed: the interpolant, free motion from the start, between the ends
METHOD_PATH, FREE_PATH, END_PATH = range(3)

# Motions
POSITION, VELOCITY, ACCELERATION_, LOCK = range(4)
# Events; in the memory of each its value before the step, and whether it is armed; of a gap besides
# the gap from which it is counted, see `sim.events.impacts`
COORDINATE, SPEED, FUNCTION, GAP = range(4)
ARMED, LEVEL = 1, 2
# Coordinates that are not plain integrals
BALL, POSE, PRODUCT, MAPPED = range(4)
# Signals
CONSTANT, TABLE_, CALLED = range(3)

# Traits of a method, bits of TRAITS
USES_ARMATURE = 1  # stiff terms are armature: steps take the stiff scratch
NEEDS_START = 2  # steps begin with the accelerations at their start
KEEPS_LEAD = 4  # algorithmic accelerations lead the true ones from step to step
ESTIMATES = 8  # every step estimates its error, fixed ones too
INTERPOLATES = 16  # adaptive steps have a dense output
SPEEDS_FIRST = 32  # Euler-Cromer: coordinates follow the new speeds

# memory: header; from NEXT_STEP to N_ROWS: entries that a rejected step changes too
(
    TIME,
    GRID,  # whole steps completed
    ON_GRID,  # whether the state is at the end of a whole step
    NEXT_STEP,  # adaptive: proposed next step
    LAST_STEP,
    LAST_ERROR,
    NEXT_OUTPUT,  # number of the next row in time
    SUB,  # rows written within the current step
    NEXT_STOP,
    FRESH,  # whether the accelerations belong to the state
    KNOWN,  # whether the values of events belong to the state
    N_STEPS,
    N_REJECTED,
    N_EVALUATIONS,
    N_ITERATIONS,
    N_DIVIDED,  # fixed steps that had to be divided
    SMALLEST,
    LARGEST,
    REJECTED_LAST,
    COUPLED,  # implicit steps still to be taken with the rows of `load_rows` from their start
    N_ROWS,
    PREPARED,  # the step that the armature in the stiff scratch is for
    WORST,  # number of the speed with the largest error
    TRIED,  # length of the step in which an event occurred
    FORCED,  # whether a row is wanted at this time in any case
    LEAD_STEP,  # length of the step in which the lead was found
    LEAD_AGE,  # time since then
    N_PROJECTIONS,
    NEAREST,  # smallest remaining fraction of an independent row of Lambda: zero is singular
    NEAREST_TIME,
    ERROR_SUM,  # fixed steps: sum of the estimated errors, in units of the tolerance
    ERROR_WORST,  # number of the speed with the largest of them
    ERROR_LARGEST,
    ROUGH_UNTIL,  # adaptive: time until which a jump is expected
    EXPECTED_AT,  # t_1 and t_1 - t_0 of `expected`
    EXPECTED_STEP,
    WHICH,  # number of the method in use, if there are two
    N_SWITCHES,
    FIRST_SWITCH,  # its time
    IMPLICIT_TIME,  # covered by implicit steps
    N_STIFF,  # explicit steps limited by stability, see `switching`
    N_MILD,  # others since the last of them
    NEEDED,  # such steps after which the implicit method is tried
    PACE,  # time per evaluation of the explicit method there
    STEP_MARK,  # steps, time and evaluations from which the pace is measured
    TIME_MARK,
    WORK_MARK,
    SETTLED,  # steps up to which a method that was switched to may use the whole tolerance
    LATE,  # what the rounding of the time of a call leaves out [s], see `calls.instant`
    BENT_SUM,  # fixed steps: sum of the errors by kinks, in units of the tolerance
    BENT_LARGEST,
    BENT_WORST,  # number of the speed with the largest of them
    BENT_TIME,  # and its time
    BENT_STEP,  # length of the last step of those that a fixed one was divided into for a kink
    N_CALLS,  # of functions of the user
    EPOCH,  # counts what may have changed the functions of the user, see `remembered`
    KEEP,  # whether what functions of the state return is recorded
    MEAN_CHANGE,  # fixed explicit steps: mean change of accelerations in a step, see `watch`
    IS_HARD,  # whether the last one had a much larger change
    CONTACT_STEP,  # longest fixed step while contacts are closed; zero: to be looked at, see `gaps`
    CONTACT_AT,  # time at which a step must end, since a contact closes or opens there
    N_CUT,  # whole fixed steps that were divided, of runs with contacts
    M_HEADER,
) = range(63)

# Modes of `advance`: run on, run to the end of a whole fixed step, take one step, take it with the
# rows in it, only solve M x = f, or only insert given motions into the state and close its loops
ON, WHOLE_STEP, ONE_STEP, ONE_STEP_WITH_ROWS, SOLVE, SETTLE = range(6)

# Statuses of `advance`
FINISHED, MORE, ROWS_FULL, EVENT, CALL_FAILED, SINGULAR_, NOT_FINITE_, STALLED, DIVERGED = range(9)
SINGULAR_COORDINATES, LOOP_OPEN, BEYOND_REASON, SWITCH_ = 9, 10, 11, 12
CONTACT = 15  # a contact has closed or opened at the end of the last step
# Within `advance`: forces bend too much in the step, it is to be taken again with a shorter one
BENT, SHORTER = 13, 14
