"""Layout of the packed arrays that all kernels share.

Three flat arrays describe a system.  `ints` and `floats` are constants, `scratch` is the workspace.

ints     [n_body, n_v, ...] then one row of `ROW` numbers per body
floats   constants of joints and bodies, at offsets given in the rows
scratch  header, the ground's record, then the records of bodies, of nodes that carry children,
         of hinges and of modes, at offsets given in the rows

Axes.  A flexible body is expressed in body axes, a rigid body in the axes of the body that carries
it (at the base: world axes).  Then nothing has to be rotated at the hinge of a rigid body, which is
most of the cost of a recursion in body axes.  The comments call these its *working axes*.

Records.  A body and a node that carries children have the same record, so that a child need not
distinguish which of the two carries it: the record of a rigid body is also that of its one node.
The first two parts of a record, motion and articulated inertia of the children, are found by
offsets of their own: in a compact workspace bodies use them in turn, see `packing`.
"""

from __future__ import annotations

# Offsets are read through this mask, which tells the compiler that they are not negative, so that
# no index needs Python's wrap-around.
POSITIVE = (1 << 47) - 1

# ints: header
N_BODY, N_Q, N_V = 0, 1, 2
TEMPORARY = (
    3  # scratch: 18m + 36 numbers that the bodies use in turn, m the largest number of modes
)
SECOND_ROWS, THIRD_ROWS = 6, 12  # there: six rows of m numbers each start at 0, 6m and 12m
ALL_RIGID = 4  # whether all bodies are rigid
ORDER = 5  # ints: body numbers, branch by branch out to its tip, then the speeds in that order
IN_ORDER = 6  # whether that is the order of the system
COLUMNS = 7  # scratch: forces of all hinge motions, 6 n_v
LOOPS = 8  # ints: header of the loops and couplings, 0 if there are none
STIFFENS = 9  # whether a body is at level STIFFENED
RODS = 10  # whether a body is at level EXACT
HEADER = 11

# ints: row of a body
(
    PARENT,  # number of the body that carries it, -1 for the ground
    KIND,  # of joint, below
    AXIS,  # 0, 1, 2 of an aligned revolute or prismatic joint
    TURNED,  # whether the joint's inboard frame is rotated relative to the node
    HINGE_DOF,
    HINGE_Q,  # offset of its hinge coordinates in q
    HINGE_V,
    MODAL_Q,
    MODAL_V,
    N_MODE,
    LEVEL,  # RIGID, RUTHLESS, LINEAR, FULL, STIFFENED, EXACT, FLOATING
    N_NODE,  # nodes that carry children; the record of a rigid body does not count
    CARRIES,  # whether it has children
    FIRST,  # whether it is the first child to contribute to its node, tip to base
    DRIVEN,  # whether the accelerations of its hinge are given
    BODY,  # scratch: its record
    CARRIER,  # scratch: record of the node that carries it
    MOTION,  # scratch: first part of its record
    CHILDREN,  # scratch: P_ of its record
    CARRIER_MOTION,  # the same of the node that carries it
    CARRIER_CHILDREN,
    HINGE,  # scratch: its hinge
    CONSTANTS,  # floats: its inertia and the joint's inboard frame
    JOINT,  # floats: constants of a general joint
    TURNS,  # scratch: on a body at level RUTHLESS its record, with whose rate the hinge turns; or 0
    NODES,  # scratch: records of its nodes
    NODE_MOTION,  # scratch: first part of the record of its first node
    MODAL,  # scratch: its modal part
    M_RF,  # scratch: M_rf 6m; up to level LINEAR: constant, one for equal bodies
    COMPLIANCE,  # scratch: `records.softened_record`; compact: one for equal bodies
    STACK,  # scratch: matrices stacked over its nodes
    SHAPES,  # floats: stiffness m, M_rf 6m, symmetrised g 6m (m modes, one component after another)
    DAMPED,  # NONE, DIAGONAL, MATRIX
    DAMPING,  # floats: m or m x m numbers
    NODE_SHAPES,  # scratch: `records.node_record` of each node that carries children; constant, one
    # for equal bodies, up to level FULL
    BENDING,  # floats: constants of these nodes, see `nodes.deform_node` and `rods.rod_node`
    BENT,  # bits: which of the six rows of nodes have a second order
    LISTED,  # numbers of a node in a list: its record, and from level STIFFENED on its constants
    SECOND,  # floats: from level FULL on, g 9m, then the products that are not zero, m x m each
    PRODUCTS,  # bits: which of the products are not zero, see `flexible`
    DENSE,  # whether M_ff depends on the deformation: lumps, or level EXACT or FLOATING
    N_LUMP,
    LUMPS,  # floats: per lump mass, offset 3, inertia 6, its node as in a list
    N_STATION,  # level EXACT: sections that carry the mass
    ROD,  # floats: `records.rod_record`; level FLOATING: shapes of the inboard node, 6m
    STATIONS,  # scratch: `records.station_record`; level FLOATING: `records.floating_record`
    FIRST_XZ,  # first coordinates of bending in the plane x-z, after those in the plane x-y,
    FIRST_TORSION,  # of torsion,
    FIRST_STRETCH,  # of stretch,
    FIRST_SHEAR,  # of shear along y
    FIRST_SHEAR_Z,  # and along z
    BRANCH,  # where its own speeds and all outboard of it begin, in that order
    BRANCH_END,
    WORLD,  # scratch: working axes to world axes 9, origin in the world 3
    ROW,
) = range(55)

# Kinds of joint; AXIAL and above use their general motion map.
FIXED, REVOLUTE, PRISMATIC, SPHERICAL, FREE = range(5)
AXIAL, UNIVERSAL, PLANAR, EXPONENTIAL, OWN = range(5, 10)
ROLLING, BALL, SKATE = range(10, 13)  # contacts, of loops only

# floats: constants of an AXIAL joint: its axis 3, then angle and slide per coordinate, angle = A q0
# and slide = B q0 + C q1 (revolute 1 0 0, prismatic 0 1 0, screw 1 pitch 0, cylindrical 1 0 1).
AXIAL_TURN, AXIAL_SLIDE, AXIAL_SECOND = 3, 4, 5
# Constants of a UNIVERSAL joint: its two axes.  Of a PLANAR joint: its normal and two axes in the
# plane.  Of EXPONENTIAL and OWN joints: see `joints` and `own_joints`.  Of contacts: axis, radius.

RIGID, RUTHLESS, LINEAR, FULL, STIFFENED, EXACT = range(6)
FLOATING = 6  # level "full" of a body whose shapes turn its inboard node
NONE, DIAGONAL, MATRIX = range(3)

# scratch: header
ARMATURE = 0  # whether there is armature
N_EXTERNAL, EXTERNAL = 1, 2  # number of external forces, and offset of their list
# An entry of that list: number of the body, [moment; force] in node axes; for a flexible body then
# the node, LISTED numbers
WRENCH, EXTERNAL_NODE = 1, 7
GROUND_RECORD = 8

# scratch: record of a body or node, in working axes
R_ = 0  # 9: body or node axes to working axes; a flexible body: to its carrier's working axes
RATE = 9  # 3: angular velocity
ACCELERATION = 12  # 6: [alpha; a] without the unknown accelerations, gravity as base motion
CHANGE = 18  # 6: acceleration due to the unknowns
P_ = 24  # 21: articulated inertia (A: 6, B: 9, D: 6); composite: J 6, p 3, m 1
ARM = 45  # 3: node that carries it -> its origin, in the carrier's working axes
INERTIA = 48  # 6: J about the origin
MOMENT = 54  # 3: first moment of mass
MASS = 57  # 1
FORCE = 58  # 6: residual force z, later with the contributions of the children
RECORD = 64

# scratch: further entries of a node of a flexible body; its ARM is from the body's origin
LEFT = 64  # 9: J_l
YIELD = 73  # 6: y, acceleration of the node without children
NODE_FORCE = 79  # 6: f
NODE_RECORD = 85

# scratch: hinges, modal parts, stacks of flexible bodies, equations of loops: see `records`

# floats: header
GRAVITY_VECTOR = 0
FLOATS_HEADER = 4

# floats: constants of a body
FRAME = 0  # 9: joint's inboard axes to node axes
PLACE = 9  # 3: joint's inboard origin from the node
OWN_MASS, OWN_MOMENT, OWN_INERTIA = 12, 13, 16  # 1, 3, 6

# Terms that a sweep includes; bits of `flags`.
RATES, GRAVITY, ELASTIC, ACCELERATED = 1, 2, 4, 8
TREE = 16  # forward dynamics: leave the loops open
REFINED = 32  # forward dynamics by the mass matrix: correct the solution by its residual

# Outcome of a kernel.
DONE, SINGULAR, NOT_FINITE = 0, 1, 2

# ints: header of the loops
(
    N_LOOP,
    LOOP_ROWS,  # ints
    N_COLUMN,  # constraints of all loops and couplings
    N_PATH,  # bodies that carry ends of loops or coupled hinges, directly or further out
    PATH_ROWS,  # ints: their rows, base to tip
    CLOSURE,  # scratch: the equations of the loops, see `records.closure_record`
    LOOP_WORK,  # scratch: workspace for one loop and for the columns of one body
    LENGTH,  # floats: the system's length, its mass
    CLOSING,  # scratch: closing method, record below
    GROUND_PLACE,  # scratch, as END_PLACE
    N_COUPLING,
    COUPLING_ROWS,  # ints
    N_SOLVED,  # combinations of constraints that can do work: the unknowns of the solution
    ENVELOPE,  # ints: for each of them a row of Lambda, see below
    WHOLE,  # ints: the same for the mass matrix, where columns of different groups meet
    LAMBDA,  # scratch: rows of Lambda from their first entries to the diagonal
    FACTOR,  # scratch: its factor, stored likewise
    SOLUTION,  # scratch: see `records.solution_record`
    N_GROUP,  # groups of loops; the last is that of the ground
    GROUP_ROWS,  # ints: tip to base
    RESPONSES,  # scratch: forces of groups for each acceleration of their nodes, and without
    LOOP_HEADER,
) = range(22)
# ints, row of Lambda: its first column, where its column zero would be, unknowns of its loop (in
# the first row of a loop; 0 for a coupling)
ENVELOPE_ROW = 3
# ints: row of a group of loops, see `groups`
(
    G_BODY,  # number of the body on whose node it hangs, -1 for the ground
    G_RECORD,  # scratch: record of the node
    G_FORCES,  # scratch: columns of its forces on the node
    G_FIRST,  # its first unknown
    G_N,  # number of unknowns
    G_PATHS,  # ints: bodies that its columns reach, rows of REACHED_ROW
    G_N_PATH,
    GROUP_ROW,
) = range(8)
REACHED_ROW = 3  # row of the path, first and last place of the group among its columns
# scratch: closing method
(
    LOOP_SPEED,  # largest speed of the ends of loops
    KAPPA,  # change of speeds per acceleration, where a method closes loops in its speeds, else 0
    LEAST_LEFT,  # smallest remaining fraction of an independent row of Lambda
    SOFTENED,  # softening of loop forces close to singular positions, see below
    CLOSING_RECORD,
) = range(5)
# Loop forces close to singular positions: not softened, softened, or only their part beyond
# expected accelerations softened.
SHARP, SOFT, SOFT_BEYOND = 0.0, 1.0, 2.0

# ints: row of a loop; then its two ends
(
    L_KIND,  # of joint
    L_JOINT,  # floats: constants of the joint
    L_COLUMNS,  # floats: the same; for a product of exponentials with each column as a joint
    L_DOF,
    L_N_Q,  # coordinates
    L_N,  # constraints
    L_FIRST,  # number of the first
    L_STATE,  # scratch: state of the loop, record below
    L_MAP,  # floats: P where it is constant, else -1
    L_N_SOLVED,  # combinations of its constraints that can do work
    L_SOLVED,  # number of the first
    L_TURN,  # floats: columns P Q, then rows of Q; -1 if all constraints can do work and Q is 1
    L_END,
) = range(13)
# scratch: state of a loop
L_P = 0  # P, columns of six in the axes of frame b
L_Q = 36  # coordinates of its joint
L_RATES = 42  # their rates
L_RECORD = 48
# ints: end of a loop
(
    END_BODY,  # ints: row of the body; -1 for the ground
    END_RECORD,  # scratch: record of the node
    END_PLACE,  # scratch: working axes of its body to the common axes 9, origin 3
    END_NODE,  # whether the record is that of a node of a flexible body
    END_VELOCITY,  # scratch: linear, angular velocity of the node, common axes
    END_FORCES,  # scratch: columns of the loop's forces on the node; -1 for the ground
    END_FRAME,  # floats: frame's axes to node axes 9, its origin from the node 3
    END_SHAPES,  # scratch: shapes of the node
    END_ROW,
) = range(9)
LOOP_ROW = L_END + 2 * END_ROW

# ints: row of a body on the path of loops
(
    W_BODY,  # ints: row of the body
    W_PLACE,  # scratch, as END_PLACE
    W_PARENT,  # scratch: END_PLACE of its carrier; -1: the ground; -2: the ground, body is origin
    W_VELOCITY,  # scratch: velocities of its nodes (rigid: of its origin), common axes, 6 each
    W_CARRIER_VELOCITY,  # scratch: velocity of the node that carries it, -1 for the ground
    W_CARRIER_NODE,  # whether its carrier is a node of a flexible body
    W_N_NODE,  # number of node records, 1 if it is rigid
    W_FORCES,  # scratch: columns of forces on its nodes, 6 for each column that passes it
    W_INNOVATIONS,  # scratch: e of each column at its hinge
    W_N_ACTIVE,  # columns that reach it
    W_ACTIVE,  # ints: their numbers, then where they go (scratch) at the carrier, -1 for the ground
    PATH_ROW,
) = range(12)

# ints: row of a coupling
(
    C_COLUMN,  # number of its constraint
    C_SOLVED,  # and of its unknown
    C_N,  # number of coordinates that it couples
    C_TERMS,  # ints: a row for each
    C_NUMBERS,  # floats: scale, offset times scale, ratios times scale
    COUPLING_ROW,
) = range(6)
# ints: coordinate of a coupling
(
    TERM_Q,  # its offset in q
    TERM_V,  # its offset in v
    TERM_BODY,  # ints: row of the body
    TERM_PLACE,  # scratch: its innovation in the column of the coupling
    TERM_ROW,
) = range(5)

# Joints of loops have the same kinds as those of the tree, but aligned ones are AXIAL.
