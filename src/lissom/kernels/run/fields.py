"""Layout of the arrays of a run.

plan     constant integers: a header, then rows of elements, each of `E_ROW` numbers
table    constant floats: constants of elements, signals, tableau, weights
memory   all variables that a run needs to continue, saved with the results
work     workspace of one step
"""

from __future__ import annotations

# plan: header
(
    N_FORCE,  # elements on hinges
    FORCES,
    N_NODE_LOAD,
    NODE_LOADS,
    N_SLOT,  # nodes that loads act on
    SLOTS,
    N_MOTION,
    MOTIONS,
    N_CONTROLLER,
    CONTROLLERS,
    N_EVENT,
    EVENTS,
    N_PLAIN,  # ranges of q that are plain integrals of v
    PLAINS,
    N_SPECIAL,  # joints whose coordinates are not
    SPECIALS,
    N_STOP,  # times that a step must not cross
    STOPS,  # table
    N_FLEXIBLE,
    FLEXIBLES,  # plan: row of a body, offset in memory, of every flexible body
    NODE_RATES,  # whether a load needs the velocity of nodes
    NONLINEAR,  # whether elements on hinges have a variable stiffness
    METHOD,  # number in `registry.METHODS`
    TRAITS,  # of the method, below
    ADAPTIVE,
    N_STAGE,  # of the tableau, without those for dense output
    N_DENSE,  # further stages for dense output
    DEGREE,  # of the interpolant
    TABLEAU,  # table
    EVERY,  # steps per row of output, or points within each step where there is no period
    BASE_ARMATURE,  # table: inertia of rotors, n_v numbers
    STIFFNESS,  # table: K of modes, then C, n_v numbers each; hinges add theirs
    WEIGHTS,  # table: scales of errors of positions, then of speeds, n_v each; see N_MAPPED
    WIDTH,  # of a row of results
    N_WRENCH,  # slots on bodies; those after them are points of the ground
    PARAMETERS,  # table: of the run, below
    FLAGS,  # terms that `motion` includes
    O_Q,  # memory: coordinates, speeds, accelerations, lead of the algorithmic ones, those before
    O_V,
    O_X,
    O_A,
    O_B,
    M_SIZE,  # size of memory
    BUFFER,  # size of the buffer; its last HALF numbers are half a motion of a joint
    PROJECT,  # whether loops are closed by projection after each step
    DENSE,  # rows of the buffer for the mass matrix, if accelerations come from it; else 0
    LOOK,  # what is sampled inside adaptive steps, below
    LIMITS,  # table: largest plausible speeds, then deflections of modes, n_v each
    N_STATE,  # states of loads
    STATE_WEIGHTS,  # table: scales of their errors
    N_OUTPUT,  # numbers that loads provide as channels
    O_Z,  # memory: states of loads
    N_MAPPED,  # local coordinates of own joints, after the n_v others; in the table after WEIGHTS
    # their scales, then the speed to which each belongs
    N_LOOP_JOINT,  # joints of loops that loads act on
    LOOP_JOINTS,
    N_LOOP_FORCE,  # elements on these joints; E_Q and E_V are offsets among their motions
    LOOP_FORCES,
    N_LOOP_Q,  # coordinates and speeds of all these joints
    N_LOOP_V,
    N_ROW,  # most rows of derivatives of loads that are not diagonal; see `load_rows`
    ROWS,  # work: these rows
    WIDE,  # whether the speeds have rows of their own among them
    SPACINGS,  # table: spacings of differences by coordinates, then by speeds, n_v each
    PATHS,  # work: rates of motions along the speeds, of each stage of a method with a matrix
    TIMED,  # whether anything depends on time
    SWITCHES,  # whether the run has two methods
    N_BODY_LOAD,  # elements on bodies; E_A is the slot, E_B the row of the body
    BODY_LOADS,
    N_GIVEN,  # most numbers that the derivatives of a user's function are, see S_BY
    N_WATCHED,  # loads whose forces may bend within a step, see `kinks`
    WATCHED,  # plan: their rows
    N_WATCHED_NUMBER,  # numbers of their signals, without those on joints
    WATCH,  # work: what following them needs
    P_HEADER,
) = range(74)

HALF = 12  # most coordinates of a joint

# Sampling inside adaptive steps
LOOK_AT_FORCES, LOOK_AT_EVENTS, LOOK_AT_KINKS = 1, 2, 4

# plan: row of an element
(
    E_KIND,  # of loads: its number in `registry`; of a joint of a loop: number of the loop
    E_ACTIVE,  # memory: 1 if it acts
    E_Q,  # offset of its coordinates
    E_V,
    E_N,  # number of speeds
    E_TABLE,  # table: its constants
    E_SIGNAL,  # plan: its signal
    E_A,  # slot, row of a body, or local coordinates of a joint
    E_B,  # second slot, or kind of joint
    E_AXES,  # 1: world axes
    E_ADDRESS,  # of a function
    E_WHICH,  # number of the function
    E_MEMORY,  # memory: offset of its variables
    E_N_Q,  # number of coordinates
    E_ORDERS,  # derivatives of its signal that it needs
    E_SLOPES,  # when its slopes are evaluated, see `registry`
    E_STATE,  # offset of its states among those of all loads
    E_OUTPUT,  # offset of its outputs among those of all loads
    E_WIDE,  # of loads: how a function of the state is differentiated, below
    E_WATCHED,  # of loads: what `kinks` follows, below
    E_ROW,
) = range(21)

# Differences of a load: none, by the speeds of its own joint, by all speeds; or none, because the
# user gives the derivatives of its signal
NOWHERE, OWN_JOINT, EVERYWHERE, GIVEN = range(4)
# Followed along a step: force on a joint of the tree, signal, force on a joint of a loop; OF_TIME
# besides: a function of time alone, followed along fixed steps only
ON_JOINT, SIGNAL_, ON_LOOP, OF_TIME = 1, 2, 4, 8
# E_SLOPES of a load on nodes and of a slot: its rows are for exact derivatives, or for steps too
EXACT_ROWS, STEP_ROWS = 1, 2

# Array `states` of loads: [weight, secant, states, rates of these, outputs], see `states`
LOAD_WEIGHT, LOAD_SECANT, LOAD_STATES = range(3)

# Motions
POSITION, VELOCITY, ACCELERATION_, LOCK = range(4)
# Events; in the memory of each its value before the step, and whether it is armed
COORDINATE, SPEED, FUNCTION = range(3)
ARMED = 1
# Coordinates that are not plain integrals
BALL, POSE, PRODUCT, MAPPED = range(4)
# Signals: row [kind, n, table or address, which, pieces, degree, records]; records: offset in
# memory of what a plain function returned last (`remembered`), or zero
CONSTANT, TABLE_, CALLED = range(3)
S_KIND, S_N, S_WHERE, S_WHICH, S_PIECES, S_DEGREE, S_RECORDS = range(7)
CORNERS = 1  # S_WHICH of a table at whose points values or rates jump, so that steps end there
# Of a called function with derivatives given by the user: address and number of the function that
# writes them, by configuration and by speeds, S_N rows of n_v numbers each
S_BY, S_BY_WHICH = S_PIECES, S_DEGREE

# Traits of a method, bits of TRAITS
USES_ARMATURE = 1  # stiff terms are armature: steps take the stiff scratch
NEEDS_START = 2  # steps begin with the accelerations at their start
KEEPS_LEAD = 4  # algorithmic accelerations lead the true ones from step to step
ESTIMATES = 8  # every step estimates its error, fixed ones too
INTERPOLATES = 16  # adaptive steps have a dense output
SPEEDS_FIRST = 32  # Euler-Cromer: coordinates follow the new speeds

# table: parameters of the run.  Times in memory and table count from its start, so that they are
# as exact in a run that begins far from zero as in any other.
(
    ORIGIN,  # time at the start, as users' functions and rows have it
    END,
    STEP,  # fixed step, or the largest one
    OUTPUT_STEP,  # adaptive: period of rows, or zero
    TICK,  # times closer than this are the same
    RTOL,
    ALPHA_M,
    ALPHA_F,
    BETA,
    GAMMA,
    NEWTON,  # tolerance of the iterations
    EXPONENT,  # 1 / (order of the error estimate + 1)
    SECOND,  # whether there are two error estimates
    PROBE,  # time between samples inside adaptive steps
    SHARE,  # adaptive: share of the tolerance for the errors of one second [1/s]
    LEAST_SHARE,  # share that a step may use, however short it is
    ITERATIONS,  # most iterations of an implicit step
    DIVISIONS,  # most times that a fixed step is halved where it fails
    STIFF_AT,  # h |lambda| at which an explicit method is limited by stability; 0 if implicit
    SLACK,  # fraction of the change in a step that its iteration may leave
    N_PARAMETER,
) = range(21)

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
    M_HEADER,
) = range(60)

# Modes of `advance`: run on, run to the end of a whole fixed step, take one step, take it with the
# rows in it, only solve M x = f, or only insert given motions into the state and close its loops
ON, WHOLE_STEP, ONE_STEP, ONE_STEP_WITH_ROWS, SOLVE, SETTLE = range(6)

# work: two vectors of coordinates (the state of a step, and one inside it), then vectors of n_v
# numbers, then the rates of stages, the slots, the buffer, the values of events, the saved header,
# states of loads and their stages, `states`, and the local coordinates
(
    W_V1,
    W_V2,
    W_X1,  # accelerations at the end of a step
    W_A1,  # algorithmic ones
    W_OUT,  # accelerations of the last evaluation
    W_FORCES,  # generalized forces of the last evaluation
    W_X,  # given accelerations
    W_EXTRA,  # forces that a method adds
    W_A,  # armature
    W_K,  # stiffness
    W_C,  # damping
    W_WEIGHTS,  # two vectors
    _W_WEIGHTS,
    W_A2,
    W_SIDES,  # two vectors
    _W_SIDES,
    N_VECTOR,
) = range(17)

# Statuses of `advance`
FINISHED, MORE, ROWS_FULL, EVENT, CALL_FAILED, SINGULAR_, NOT_FINITE_, STALLED, DIVERGED = range(9)
SINGULAR_COORDINATES, LOOP_OPEN, BEYOND_REASON, SWITCH_ = 9, 10, 11, 12
# Within `advance`: forces bend too much in the step, it is to be taken again with a shorter one
BENT, SHORTER = 13, 14
