"""Spring and damper on the coordinates of a joint."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import LoadError, shown
from ...fields import NumbersField, declare, declared
from ...kernels.compiling import jit
from ...kernels.run.registry import JointKind, register
from ...kernels.small import quaternion_rotation, turn_back, vector
from .forms import JointField, per_motion
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan

Array = np.ndarray

# Constants of each motion; for joints with a quaternion: of rotation, then of translation
STIFFNESS, REST, DAMPING, PER_MOTION = range(4)
BALL_STIFFNESS, BALL_DAMPING, PER_HALF = range(3)


@jit
def _force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
    for j in range(n):
        at = c + PER_MOTION * j
        T[o_v + j] -= table[at + STIFFNESS] * (q[o_q + j] - table[at + REST])
        T[o_v + j] -= table[at + DAMPING] * v[o_v + j]


@jit
def spring_slopes(table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C):
    """Add stiffness and damping; see `JointKind`."""
    for j in range(n):
        at = c + PER_MOTION * j
        K[o_v + j] += table[at + STIFFNESS]
        C[o_v + j] += table[at + DAMPING]


def spring_steepest(numbers: Array, n: int) -> tuple[Array, Array]:
    """Largest stiffness and damping of each motion; see `JointKind`."""
    rows = numbers[: PER_MOTION * n].reshape(n, PER_MOTION)
    return rows[:, STIFFNESS], rows[:, DAMPING]


SPRING = register(JointKind("spring", _force, spring_slopes, spring_steepest))


@jit
def _ball_force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
    add_half(table, c, rotation_vector(q, o_q), v, o_v, T)
    if n == 6:
        R = quaternion_rotation(q[o_q], q[o_q + 1], q[o_q + 2], q[o_q + 3])
        add_half(table, c + PER_HALF, turn_back(R, vector(q, o_q + 4)), v, o_v + 3, T)


@jit
def add_half(table, c, x, v, o, T):
    """Add the moment or the force of a displacement x and of the speeds v[o:] to T[o:]."""
    for j in range(3):
        T[o + j] -= table[c + BALL_STIFFNESS] * x[j] + table[c + BALL_DAMPING] * v[o + j]


@jit
def rotation_vector(q, o):
    """Rotation vector of the quaternion q[o:], of at most half a turn."""
    return turn_vector(q[o], q[o + 1], q[o + 2], q[o + 3])


@jit
def turn_vector(w, x, y, z):
    """Rotation vector of a quaternion of any length, of at most half a turn."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = math.sqrt(x * x + y * y + z * z)
    f = 2.0 / w if s < 1e-9 * w else 2.0 * math.atan2(s, w) / s
    return f * x, f * y, f * z


@jit
def ball_slopes(table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C):
    """Add stiffness and damping of a joint with a quaternion."""
    for j in range(n):
        at = c + PER_HALF * (j // 3)
        K[o_v + j] += table[at + BALL_STIFFNESS]
        C[o_v + j] += table[at + BALL_DAMPING]


def ball_steepest(numbers: Array, n: int) -> tuple[Array, Array]:
    """Largest stiffness and damping of each motion of a joint with a quaternion."""
    at = PER_HALF * (np.arange(n) // 3)
    return numbers[at + BALL_STIFFNESS], numbers[at + BALL_DAMPING]


BALL_SPRING = register(
    JointKind(
        "spring about a point",
        _ball_force,
        ball_slopes,
        whole=False,
        steepest=ball_steepest,
        advice="make it softer, or ",
    )
)


@declared()
class JointSpring(Load):
    """Spring with a parallel damper on the coordinates of a joint."""

    file_kind = "joint_spring"

    joint: str = declare(
        JointField(),
        "Body that the joint carries, or loop that it closes.  At a spherical joint the spring "
        "acts on the rotation vector, at a free joint on that and on the position.  The angle of a "
        "loop's joint is between -pi and pi at the start of a run and is continued from there over "
        "turns.",
    )
    stiffness: Any = declare(
        NumbersField("joint stiffness", least=0),
        "Stiffness []; spherical joints take one number, free joints one or two (for rotation and "
        "translation).",
    )
    _: KW_ONLY
    rest: Any = declare(
        NumbersField("coordinate", "float or array (n_q,)", each="coordinate"),
        "Coordinates of the relaxed spring []; with a quaternion always the neutral position.",
        default=0.0,
    )
    damping: Any = declare(
        NumbersField("joint damping", least=0), "Damping [], like the stiffness.", default=0.0
    )

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        joint = plan.joint(self.joint, self, loops=True)
        if joint.has_quaternion:
            if np.any(self.rest):
                raise LoadError(
                    f"{self.label}: rest is {shown(self.rest)}; a spring on a joint with a "
                    "quaternion is relaxed at its neutral position, leave rest out"
                )
            k, c = (_for_turns_and_shifts(self, x, joint.n_v) for x in ("stiffness", "damping"))
            plan.add_hinge_load(self, BALL_SPRING, joint, [k[0], c[0], k[1], c[1]])
            return
        if not joint.plain:
            raise LoadError(
                f"{self.label}: a spring cannot act on the coordinates of a {joint.label} joint; "
                "use NodeSpring between two nodes"
            )
        columns = [per_motion(self, x, joint.n_v) for x in ("stiffness", "rest", "damping")]
        plan.add_hinge_load(self, SPRING, joint, np.stack(columns, axis=1).ravel())


def _for_turns_and_shifts(load: Load, attribute: str, n: int) -> tuple[float, float]:
    """Attribute for rotation and for translation: one number, or one for each."""
    values = np.asarray(getattr(load, attribute), dtype=float)
    if values.shape == () or (n == 3 and values.shape == (1,)):
        return float(values.flat[0]), float(values.flat[0])
    if n == 6 and values.shape == (2,):
        return float(values[0]), float(values[1])
    raise LoadError(
        f"{load.label}: {attribute} has shape {values.shape}; expected one number, or at a free "
        "joint two: for rotation and translation"
    )
