"""Where everything sits in the packed arrays that all kernels share.

Three flat arrays carry a system.  `ints` and `floats` are constants, `scratch` is the workspace.

ints     [n_body, n_v, ...] then one row of `ROW` numbers per body
floats   constants of joints and bodies, at offsets that the rows give
scratch  header, the ground's record, then the records of bodies, of nodes that carry children,
         of hinges and of modes, at offsets that the rows give

Axes.  A flexible body is written in its own axes, a rigid body in the axes of the body that carries
it (at the base: the world's).  Nothing has to be turned at the hinge of a rigid body then, which is
most of what a recursion in body axes costs.  The comments call these its *working axes*.

Records.  A body and a node that carries children have the same record, so that a child does not
ask which of the two carries it: the record of a rigid body is also that of its one node.
"""

from __future__ import annotations

# Offsets are read through this mask: it tells the compiler that they are not negative, so that no
# index needs Python's wrap-around.
POSITIVE = (1 << 47) - 1

# ints: header
N_BODY, N_Q, N_V = 0, 1, 2
TEMPORARY = 3  # scratch: 18m + 36 numbers that the bodies use in turn, m the most modes of one
SECOND_ROWS, THIRD_ROWS = 6, 12  # there: six rows of m numbers each start at 0, 6m and 12m
ALL_RIGID = 4  # whether no body bends
ORDER = 5  # ints: body numbers, each branch to its tip in turn, then the speeds in that order
IN_ORDER = 6  # whether that is the order of the system
COLUMNS = 7  # scratch: forces of all hinge motions, 6 n_v
LOOPS = 8  # ints: header of the loops and couplings, 0 if there are none
HEADER = 9

# ints: row of a body
(
    PARENT,  # number of the body that carries it, -1 for the ground
    KIND,  # of joint, below
    AXIS,  # 0, 1, 2 of an aligned revolute or prismatic joint
    TURNED,  # whether the joint's inboard frame is turned against the node
    HINGE_DOF,
    HINGE_Q,  # where its hinge coordinates start in q
    HINGE_V,
    MODAL_Q,
    MODAL_V,
    N_MODE,
    LEVEL,  # RIGID, LINEAR, FULL
    N_NODE,  # nodes that carry children; a rigid body's own record counts as none
    CARRIES,  # whether it has children
    FIRST,  # whether it is the first to deliver at its node, going tip to base
    BODY,  # scratch: its record
    CARRIER,  # scratch: record of the node that carries it
    NODES,  # scratch: records of its nodes
    HINGE,  # scratch: its hinge
    MODAL,  # scratch: its modal part
    M_RF,  # scratch: M_rf 6m; level LINEAR: constant, one for equal bodies
    STACK,  # scratch: matrices stacked over its nodes
    CONSTANTS,  # floats: its inertia and the joint's inboard frame
    JOINT,  # floats: constants of a general joint
    SHAPES,  # floats: stiffness m, M_rf 6m, symmetrised g 6m (m modes, one component after another)
    DAMPED,  # NONE, DIAGONAL, MATRIX
    DAMPING,  # floats: m or m x m numbers
    NODE_SHAPES,  # floats: per node that carries children its position 3 and shapes 6m
    SECOND,  # floats: level FULL, g 9m, then the products that are not zero, m x m each
    PRODUCTS,  # bits: which of the six symmetric and three antisymmetric products are not zero
    N_LUMP,
    LUMPS,  # floats: per lump mass, offset 3, inertia 6, node position 3, shapes 6m
    BRANCH,  # where its own speeds and all outboard of it begin, in that order
    BRANCH_END,
    WORLD,  # scratch: working axes to world axes 9, origin in the world 3
    DRIVEN,  # whether the accelerations of its hinge are given
    ROW,
) = range(36)

# Kinds of joint; AXIAL and above go by their general motion map.
FIXED, REVOLUTE, PRISMATIC, SPHERICAL, FREE = range(5)
AXIAL, UNIVERSAL, PLANAR, EXPONENTIAL, OWN = range(5, 10)

# floats: constants of an AXIAL joint: its axis 3, then angle and slide per coordinate, angle = A q0
# and slide = B q0 + C q1 (revolute 1 0 0, prismatic 0 1 0, screw 1 pitch 0, cylindrical 1 0 1).
AXIAL_TURN, AXIAL_SLIDE, AXIAL_SECOND = 3, 4, 5
# Constants of a UNIVERSAL joint: its two axes.  Of a PLANAR joint: its normal and two axes in the
# plane.  Of EXPONENTIAL and OWN joints: see `joints` and `own_joints`.

RIGID, LINEAR, FULL = range(3)
NONE, DIAGONAL, MATRIX = range(3)

# scratch: header
ARMATURE = 0  # whether there is armature
N_EXTERNAL, EXTERNAL = 1, 2  # number of external forces, and where their list starts
# An entry of that list: number of the body, [moment; force] in node axes; for a flexible body then
# the undeformed position and the shapes of the node
WRENCH, EXTERNAL_NODE = 1, 7
GROUND_RECORD = 8

# scratch: record of a body or node, in working axes
R_ = 0  # 9: body or node axes to working axes; a flexible body: to its carrier's working axes
ARM = 9  # 3: node that carries it -> its origin, in the carrier's working axes
RATE = 12  # 3: angular velocity
ACCELERATION = 15  # 6: [alpha; a] without the unknown accelerations, gravity as base motion
INERTIA = 21  # 6: J about the origin
MOMENT = 27  # 3: first moment of mass
MASS = 30  # 1
FORCE = 31  # 6: residual force z, then with what the children deliver
P_ = 37  # 21: articulated inertia (A 6, B 9, D 6); composite: J 6, p 3, m 1
CHANGE = 58  # 6: acceleration that the unknowns add
RECORD = 64

# scratch: what a node of a flexible body has beyond its record; its ARM is from the body's origin
LEFT = 64  # 9: J_l
YIELD = 73  # 6: y, acceleration of the node if nothing hung on it
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

# What a sweep counts in; bits of `flags`.
RATES, GRAVITY, ELASTIC, ACCELERATED = 1, 2, 4, 8
TREE = 16  # of forward dynamics: leave the loops open

# Outcome of a kernel.
DONE, SINGULAR, NOT_FINITE = 0, 1, 2

# ints: header of the loops
(
    N_LOOP,
    LOOP_ROWS,  # ints
    N_COLUMN,  # constraints of all loops and couplings
    N_PATH,  # bodies that carry ends of loops or coupled hinges, themselves or further out
    PATH_ROWS,  # ints: their rows, base to tip
    CLOSURE,  # scratch: the equations of the loops, see `records.closure_record`
    ROOM_,  # scratch: work for one loop and for the columns of one body
    LENGTH,  # floats: the system's length, its mass
    CLOSING,  # scratch: how loops are closed, record below
    GROUND_PLACE,  # scratch, as END_PLACE
    N_COUPLING,
    COUPLING_ROWS,  # ints
    LOOP_HEADER,
) = range(13)
# scratch: how loops are closed
(
    GAP_WEIGHT,  # what Baumgarte's method takes of gap and rate
    RATE_WEIGHT,
    LOOP_SPEED,  # the largest of their ends
    KAPPA,  # change of speeds per acceleration, where a method closes loops in its speeds, else 0
    LEAST_LEFT,  # the smallest part that was left of an independent row of Lambda
    SOFTENED,  # how loop forces are softened close to singular positions, see below
    CLOSING_RECORD,
) = range(7)
# Close to singular positions loop forces are found as they are, or softened: all of them, or only
# what they do beyond expected accelerations.
SHARP, SOFT, SOFT_BEYOND = 0.0, 1.0, 2.0

# ints: row of a loop; then its two ends
(
    L_KIND,  # of joint
    L_JOINT,  # floats: constants of the joint
    L_COLUMNS,  # floats: the same, for a joint of paper E as if each column were a joint
    L_DOF,
    L_N,  # constraints
    L_FIRST,  # number of the first
    L_STATE,  # scratch: what the loop is doing, record below
    L_MAP,  # floats: P where it is constant, else -1
    L_END,
) = range(9)
# scratch: what a loop is doing
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
    END_FORCES,  # scratch: columns of forces on the node, 6 n; -1 for the ground
    END_FRAME,  # floats: frame's axes to node axes 9, its origin from the node 3
    END_SHAPES,  # floats: shapes of the node
    END_ROW,
) = range(9)
LOOP_ROW = L_END + 2 * END_ROW

# ints: row of a body on the way of loops
(
    W_BODY,  # ints: row of the body
    W_PLACE,  # scratch, as END_PLACE
    W_PARENT,  # scratch: place of its carrier; -1: it stands on the ground; -2: and is the origin
    W_VELOCITY,  # scratch: velocities of its nodes (rigid: of its origin), common axes, 6 each
    W_CARRIER_VELOCITY,  # scratch: that of the node that carries it, -1 for the ground
    W_CARRIER_NODE,  # whether that is a node of a flexible body
    W_N_NODE,  # records of nodes, 1 if it is rigid
    W_FORCES,  # scratch: columns of forces on its nodes, 6 n each
    W_CARRIER_FORCES,  # scratch: columns of the node that carries it, -1 for the ground
    W_INNOVATIONS,  # scratch: e of each column at its hinge
    W_N_ACTIVE,  # columns that reach it
    W_ACTIVE,  # ints: their numbers
    PATH_ROW,
) = range(13)

# ints: row of a coupling
(
    C_COLUMN,  # number of its constraint
    C_N,  # coordinates that it couples
    C_TERMS,  # ints: a row for each
    C_NUMBERS,  # floats: scale, offset times that, ratios times that
    COUPLING_ROW,
) = range(5)
# ints: coordinate of a coupling
(
    TERM_Q,  # its place in q
    TERM_V,  # and in v
    TERM_BODY,  # ints: row of the body
    TERM_PLACE,  # scratch: its innovation in the column of the coupling
    TERM_ROW,
) = range(5)

# Kinds of joints of loops use those of the tree, but for aligned ones: AXIAL.
