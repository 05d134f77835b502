"""Layout of the packed arrays that all kernels share.

Three flat arrays describe a system.  `ints` and `floats` are constants, `scratch` is the workspace.

ints     [n_body, n_v, ...], a row for each body (`layout.tree`), then loops (`layout.loops`)
floats   constants of joints and bodies, at offsets given in the rows
scratch  header, the ground's record, then the records of bodies and of nodes that carry children
         (`layout.records`), of hinges and of modes (`records`), at offsets given in the rows

Axes.  A flexible body is expressed in body axes, a rigid body in the axes of the body that carries
it (at the base: world axes).  Then nothing has to be rotated at the hinge of a rigid body, which is
most of the cost of a recursion in body axes.  The comments call these its *working axes*.

Records.  A body and a node that carries children have the same record, so that a child need not
distinguish which of the two carries it: the record of a rigid body is also that of its one node.
The first two parts of a record, motion and articulated inertia of the children, are found by
offsets of their own: in a compact workspace bodies use them in turn, see `packing`.
"""

from __future__ import annotations

from .layout.records import CarrierRecord
from .layout.rows import POSITIVE as POSITIVE

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
LOOPS = 8  # ints: `LoopsHeader` of the loops and couplings, 0 if there are none
STIFFENS = 9  # whether a body is at level STIFFENED
RODS = 10  # whether a body is at level EXACT
HEADER = 11

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
# the node, `listed` numbers
WRENCH, EXTERNAL_NODE = 1, 7
TOUCHED = 3  # number of nodes with derivatives of contacts, see `run.contact_inertia`
GROUND_RECORD = 8

# scratch: places in a CarrierRecord of what is read in sixes
_PLACES = CarrierRecord.places
CHANGE, P_, FORCE = _PLACES["d_alpha"], _PLACES["A"], _PLACES["z_w"]
YIELD, NODE_FORCE = _PLACES["y_w"], _PLACES["f_w"]
RECORD, NODE_RECORD = _PLACES["J_l"], CarrierRecord.size  # sizes, of a body and of a node

# scratch: hinges, modal parts, stacks of flexible bodies, equations of loops: see `records`

# floats: header
GRAVITY_VECTOR = 0
FLOATS_HEADER = 4

# Terms that a sweep includes; bits of `flags`.
RATES, GRAVITY, ELASTIC, ACCELERATED = 1, 2, 4, 8
TREE = 16  # forward dynamics: leave the loops open
REFINED = 32  # forward dynamics by the mass matrix: correct the solution by its residual

# Outcome of a kernel.
DONE, SINGULAR, NOT_FINITE = 0, 1, 2

# Loop forces close to singular positions: not softened, softened, or only their part beyond
# expected accelerations softened.
SHARP, SOFT, SOFT_BEYOND = 0.0, 1.0, 2.0

# scratch: state of a loop
L_P = 0  # P, columns of six in the axes of frame b
L_Q = 36  # coordinates of its joint
L_RATES = 42  # their rates
L_RECORD = 48
