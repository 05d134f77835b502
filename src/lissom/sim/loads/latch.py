"""Latch: a spring and damper that an event puts on a joint, relaxed where the joint then is.

The coordinates at that instant are states of the load, whose rates are zero: so they belong to a
run, its checkpoints and its copies, as they should, and not to the mechanism.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import LoadError, shown
from ...kernels.compiling import jit
from ...kernels.layout import run
from ...kernels.run.registry import JOINT_KINDS, JointKind, register
from ...kernels.small import quaternion_rotation, turn_back, vector
from .joint_spring import (
    DAMPING,
    PER_HALF,
    PER_MOTION,
    STIFFNESS,
    add_half,
    ball_slopes,
    ball_steepest,
    spring_slopes,
    spring_steepest,
    turn_vector,
)

if TYPE_CHECKING:
    from ..run.machine import Machine
    from ..run.plan import JointPlace, Plan

Array = np.ndarray


@jit
def _force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
    for j in range(n):
        at = c + PER_MOTION * j
        T[o_v + j] -= table[at + STIFFNESS] * (q[o_q + j] - states[z + j])
        T[o_v + j] -= table[at + DAMPING] * v[o_v + j]


@jit
def _ball_force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
    add_half(table, c, _turn_between(states, z, q, o_q), v, o_v, T)
    if n == 6:
        R = quaternion_rotation(q[o_q], q[o_q + 1], q[o_q + 2], q[o_q + 3])
        x, r = vector(q, o_q + 4), vector(states, z + 4)
        p = turn_back(R, (x[0] - r[0], x[1] - r[1], x[2] - r[2]))
        add_half(table, c + PER_HALF, p, v, o_v + 3, T)


@jit
def _turn_between(states, z, q, o):
    """Rotation vector from the quaternion states[z:] to q[o:]: conjugate times the second."""
    a, b, c, d = states[z], -states[z + 1], -states[z + 2], -states[z + 3]
    e, f, g, h = q[o], q[o + 1], q[o + 2], q[o + 3]
    return turn_vector(
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    )


LATCH = register(JointKind("latch", _force, spring_slopes, spring_steepest))
BALL_LATCH = register(
    JointKind(
        "latch about a pose", _ball_force, ball_slopes, whole=False, steepest=ball_steepest,
        advice="make it softer, or ",
    )
)  # fmt: skip


class Latch(NamedTuple):
    """A latch in a plan."""

    flag: int  # offset in memory of the flag that closes it
    first: int  # number of its first state among those of all loads
    # stiffness, damping: (n_v,) on the motions of the joint
    stiffness: Array
    damping: Array

    def close(self, machine: Machine, joint: JointPlace) -> None:
        """Close it where the joint is."""
        machine.memory[self.flag] = 1.0
        there = machine.q[joint.q : joint.q + joint.n_q]
        machine.states[self.first : self.first + joint.n_q] = there


def enter_latch(plan: Plan, joint: JointPlace, stiffness: Any, damping: Any, what: str) -> Latch:
    """Latch of a joint in a plan, created open at first use."""
    k, c = (_per_motion(joint, x, what) for x in ((stiffness, "stiffness"), (damping, "damping")))
    latches = plan.latches.setdefault(joint.body, [])
    for latch in latches:
        if np.array_equal(latch.stiffness, k) and np.array_equal(latch.damping, c):
            return latch
    name = plan.system.names[joint.body]
    if not joint.plain and not joint.has_quaternion:
        raise LoadError(
            f"{what}: the {joint.label} joint of {name!r} cannot be locked with a stiffness, since "
            "its speeds are not the rates of its coordinates; lock it without a stiffness"
        )
    speeds = [joint.v + min(i, joint.n_v - 1) for i in range(joint.n_q)]
    first = len(plan.states)
    state = plan.add_states([0.0] * joint.n_q, speeds, np.ones(joint.n_q))
    latch = Latch(plan.flag(f"latch of {name!r}", on=False), first, k, c)
    kind = BALL_LATCH if joint.has_quaternion else LATCH
    # Constants as those of a spring, which read no rest from a latch.
    constants = [k, np.zeros(len(k)), c]
    if joint.has_quaternion:
        constants = [k[::3], c[::3]]
    plan.add(
        "forces",
        kind=kind,
        active=latch.flag,
        q=joint.q,
        v=joint.v,
        n=joint.n_v,
        constants=plan.table(np.stack(constants, axis=1)),
        slopes=JOINT_KINDS[kind].when_slopes,
        state=state,
        wide=run.OWN_JOINT if joint.has_quaternion else run.NOWHERE,
    )
    plan.rows["forces"].insert(0, plan.rows["forces"].pop())  # the forces of the run stay last
    latches.append(latch)
    return latch


def _per_motion(joint: JointPlace, setting: tuple[Any, str], what: str) -> Array:
    """One number for each motion; with a quaternion one for all, or one for turns and one more."""
    values, attribute = np.asarray(setting[0], dtype=float), setting[1]
    n = joint.n_v
    if joint.has_quaternion and n == 6 and values.shape == (2,):
        return np.repeat(values, 3)
    per_motion = values.shape == (n,) and not joint.has_quaternion
    if values.shape == () or per_motion or (n == 3 and values.shape == (1,)):
        return np.array(np.broadcast_to(values, (n,)))
    expected = f"one number, or {n}: one for each motion"
    if joint.has_quaternion:
        expected = "one number" if n == 3 else "one number, or two: for turns and for shifts"
    raise LoadError(f"{what}: {attribute} of the lock is {shown(setting[0])}; expected {expected}")
