"""PD and PID control of a joint."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import LoadError, shown
from ...fields import NumberField, NumbersField, declare, declared
from ...kernels.compiling import jit
from ...kernels.layout.run import LOAD_SECANT, LOAD_WEIGHT
from ...kernels.run.registry import JointKind, register
from ..signals.callbacks import is_compiled, takes_state
from ..signals.differences import COARSEST
from ..signals.followed import followed
from ..signals.signal import as_signal
from .forms import JointField, SignalField, per_motion
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import JointPlace, Plan

Array = np.ndarray

KP, KD, KI, LIMIT, PER_MOTION = range(5)  # constants of each motion


@jit
def _command(table, at, error, rate, states, z):
    """Force before the limit, integral of the error, and rate of the integral.

    The integral is frozen while the force is at its limit and the error demands more.
    """
    force = table[at + KP] * error
    if table[at + KD] != 0.0:
        force += table[at + KD] * rate
    if z == 0:
        return force, 0.0, 0.0
    integral = states[z]
    before = force + table[at + KI] * integral
    if abs(before) >= table[at + LIMIT] and before * error > 0.0:
        return before, integral, 0.0
    integral += states[LOAD_WEIGHT] * error
    return force + table[at + KI] * integral, integral, error


@jit
def _force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
    for j in range(n):
        at, state = c + PER_MOTION * j, 0 if z == 0 else z + j
        error, rate = signals[j] - q[o_q + j], signals[n + j] - v[o_v + j]
        force, integral, growth = _command(table, at, error, rate, states, state)
        force = min(max(force, -table[at + LIMIT]), table[at + LIMIT])
        T[o_v + j] += force
        if z != 0:
            states[dz + j] = growth
        states[o + j], states[o + n + j], states[o + 2 * n + j] = force, error, integral


@jit
def _slopes(table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C):
    for j in range(n):
        at = c + PER_MOTION * j
        K[o_v + j] += table[at + KP]
        if z != 0:
            K[o_v + j] += states[LOAD_WEIGHT] * table[at + KI]
        C[o_v + j] += table[at + KD]


@jit
def _limited_slopes(table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C):
    """Slopes: zero at the limit, but within an iteration the gains times limit / |command|.

    With zero slopes, iterates would jump from one limit to the other.  With these, the command of
    the next iterate is always smaller, and the full gains return where it falls below the limit.
    """
    for j in range(n):
        at, state = c + PER_MOTION * j, 0 if z == 0 else z + j
        error, rate = signals[j] - q[o_q + j], signals[n + j] - v[o_v + j]
        force, _integral, growth = _command(table, at, error, rate, states, state)
        part = 1.0
        if abs(force) >= table[at + LIMIT]:
            part = states[LOAD_SECANT] * table[at + LIMIT] / abs(force)
        K[o_v + j] += part * table[at + KP]
        if growth != 0.0:
            K[o_v + j] += part * states[LOAD_WEIGHT] * table[at + KI]
        C[o_v + j] += part * table[at + KD]


def _steepest(numbers: Array, n: int) -> tuple[Array, Array]:
    rows = numbers[: PER_MOTION * n].reshape(n, PER_MOTION)
    return rows[:, KP], rows[:, KD]


SERVO = register(JointKind("servo", _force, _slopes, _steepest))
LIMITED_SERVO = register(
    JointKind(
        "servo with a limit",
        _force,
        _limited_slopes,
        _steepest,
        nonlinear=True,
        with_signal=True,
        kinked=True,
    )
)


@declared()
class Servo(Load):
    """PD or PID control of a joint towards a target, in continuous time.

    With the error e = target - coordinate and its integral z:
    force = kp e + kd (rate of the target - speed) + ki z, at most `limit`; z' = e, but z is frozen
    while the force is at its limit and the error demands more (anti-windup).  z is integrated with
    the state of the mechanism, not sampled.

    Implicit methods use the derivatives of a servo: stiff gains do not limit their steps.  For a
    sampled controller see `Controller`.
    """

    file_kind = "servo"
    is_motor = True

    joint: str = declare(
        JointField(),
        "Body that the joint carries: revolute, prismatic, or another joint whose speeds are the "
        "rates of its coordinates.",
    )
    target: Any = declare(
        SignalField("coordinate"),
        "Target coordinates []: constant, tabulated, or a function f(time).  Compiled by Numba: "
        "f(time, out) that writes the targets and, if kd is not zero, their rates after them.",
        default=0.0,
    )
    _: KW_ONLY
    kp: Any = declare(NumbersField("joint stiffness", least=0), "Force per error.")
    kd: Any = declare(
        NumbersField("joint damping", least=0), "Force per rate of the error.", default=0.0
    )
    ki: Any = declare(
        NumbersField("joint integral gain", least=0),
        "Force per integral of the error.",
        default=0.0,
    )
    limit: Any = declare(
        NumbersField("joint force", above=0, infinite=True),
        "Largest magnitude of the force.",
        default=np.inf,
    )
    rate: Any = declare(
        SignalField("rate", "callable"),
        "Rate [] of a target that is a plain function.  Without it the target is differentiated "
        "numerically, as for `Motion`; tables are differentiated exactly, those of steps as zero.",
        default=None,
    )
    integral: Any = declare(
        NumbersField("integral", each="coordinate"),
        "Integral at the start []; `equilibrium` keeps it.",
        default=0.0,
    )
    spacing: float = declare(
        NumberField("time", above=0),
        "Largest spacing of the finite differences [].",
        default=COARSEST,
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        if not any(np.any(getattr(self, gain)) for gain in ("kp", "kd", "ki")):
            raise LoadError(f"{self.label}: kp, kd and ki are all zero; give one that is not")
        if np.any(self.integral) and not np.any(self.ki):
            raise LoadError(
                f"{self.label}: integral is {shown(self.integral)}, but ki is zero; leave one out"
            )
        self._check_rate()

    def _check_rate(self) -> None:
        """Refuse a rate that would be ignored."""
        if self.rate is None:
            return
        if not callable(self.target) or is_compiled(self.target):
            kind = "a compiled function, which writes its rates"
            if not callable(self.target):
                kind = "a constant or a table, whose rate is known"
            raise LoadError(
                f"{self.label}: rate is given with a target that is {kind}; leave rate out"
            )
        if not callable(self.rate) or is_compiled(self.rate):
            raise LoadError(
                f"{self.label}: rate is {shown(self.rate)}; expected a plain Python function of "
                "time, like the target"
            )
        if not np.any(self.kd):
            raise LoadError(f"{self.label}: rate is given, but kd is zero; leave one out")

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        joint = plan.joint(self.joint, self)
        if not joint.plain or joint.has_quaternion:
            raise LoadError(
                f"{self.label}: a {joint.label} joint has no coordinates whose rates are its "
                "speeds; servos need joints such as Revolute, Prismatic or Cylindrical (for "
                "others give forces, or use a Controller)"
            )
        n, orders = joint.n_v, int(np.any(self.kd))
        columns = [per_motion(self, x, n) for x in ("kp", "kd", "ki", "limit")]
        kp, _, ki, limit = columns
        plan.add_hinge_load(
            self,
            LIMITED_SERVO if np.any(np.isfinite(limit)) else SERVO,
            joint,
            np.stack(columns, axis=1),
            signal=self._signal(plan, n, orders),
            orders=orders,
            states=self._states(plan, joint, kp, ki) if np.any(ki) else 0,
            output=plan.add_servo(joint),
        )

    def _states(self, plan: Plan, joint: JointPlace, kp: Array, ki: Array) -> int:
        """Offset of the integrals; their errors are scaled to positions with the same force."""
        with np.errstate(divide="ignore", invalid="ignore"):
            sizes = np.where((kp > 0) & (ki > 0), kp / ki, 1.0)
        start = per_motion(self, "integral", joint.n_v).tolist()
        return plan.add_states(start, range(joint.v, joint.v + joint.n_v), sizes)

    def _signal(self, plan: Plan, n: int, orders: int) -> int:
        what = f"{self.label}: target"
        value = as_signal(self.target, n, what)
        if not callable(value):
            return plan.signal(value, n, what)
        if not is_compiled(value):
            if takes_state(value, what):
                raise LoadError(
                    f"{what} is a function of time and state; expected a function of time alone "
                    "(for others give forces, or use a Controller)"
                )
            plan.add_time_function(value, n, what)
        rates = [] if self.rate is None else [self.rate]
        return followed(plan, [value, *rates], n, orders, what, self.spacing)
