"""Moment of a spinning rotor on the body that carries it: momentum wheels, reaction wheels, CMGs.

A rotor of inertia J about its axis a, which is fixed in a frame of angular velocity omega:
  given relative rate Omega(t):  h = J Omega,   moment -(dh/dt) a - omega x h a              (1)
  given torque tau:  h = J s,  s' = tau / J,    moment -tau a - omega x h a                   (2)
  geared to a joint of speed v:  h = J ratio v,  moment -omega x h a                          (3)
s = Omega + a . omega is the rate about the axis in inertial space.  In (1) the inertia of the body
includes the rotor as if it were locked; in (2) it lacks J a a^T, which turns with the rotor; in (3)
the inertia of the motor, `Actuator.rotor_inertia`, acts at the joint.
Derivative by omega: [h a]x; by s: -J omega x a.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

from ...errors import LoadError, shown
from ...fields import DirectionField, NumberField, declare, declared, keep
from ...kernels.compiling import jit
from ...kernels.layout.run import LOAD_WEIGHT
from ...kernels.run.registry import STIFF_FUNCTION, BodyKind, JointKind, register
from ...kernels.run.slots import SLOT_POSE, SLOT_RATE, SLOT_RECORD, add_wrench
from ...kernels.small import ZERO, added, cross, matrix, scaled, turn_back, vector
from ..run.checks import number
from ..signals.callbacks import is_compiled, takes_state
from ..signals.differences import COARSEST
from ..signals.followed import followed
from ..signals.signal import Table, as_signal
from ..signals.with_derivatives import WithDerivatives
from .forms import JointField, PlaceField, SignalField
from .load import Load

if TYPE_CHECKING:
    from ...system import Frame
    from ..run.plan import Plan

INERTIA, AXIS, MODE, RATIO, SPEED = 0, 1, 4, 5, 6  # its constants
SPUN, DRIVEN, GEARED = range(3)


@jit
def _spin_up(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T):
    states[dz] = signals[0] / table[c + INERTIA]
    states[o] = table[c + INERTIA] * states[z]


@jit
def _moment(load, system, table, t, q, v, signals, states, z, dz, slots, T):
    c, a = load.constants, load.slot_a * SLOT_RECORD
    J, axis, mode = table[c + INERTIA], vector(table, c + AXIS), table[c + MODE]
    if mode == DRIVEN:
        h, push = J * (states[z] + states[LOAD_WEIGHT] * states[dz]), signals[0]
    else:
        if mode == SPUN:
            h, push = J * signals[0], J * signals[1]
        else:
            h, push = J * table[c + RATIO] * v[int(table[c + SPEED])], 0.0
        states[z] = h
    omega = turn_back(matrix(slots, a + SLOT_POSE), vector(slots, a + SLOT_RATE))
    moment = added(scaled(-push, axis), -h, cross(omega, axis))
    add_wrench(slots, a, moment, ZERO)


WHEEL = register(JointKind("wheel", _spin_up, signal_alone=True))
ROTOR = register(BodyKind("rotor", _moment, advice=STIFF_FUNCTION))


@declared()
class Rotor(Load):
    """Rotor that spins about an axis fixed in a body, node or frame: its moment on the carrier.

    Its speed is given, or a torque drives it, or it is geared to a joint.  The rotor itself is no
    body: its mass and its inertia across the axis belong to the carrier.
    """

    file_kind = "rotor"

    where: str = declare(PlaceField(), 'Carrier: "body", "body.node" or the name of a frame.')
    inertia: float = declare(NumberField("inertia", above=0), "About the axis.")
    speed: Any = declare(
        SignalField("angular speed", "number, Table or callable"),
        "Rate relative to the carrier []: constant, tabulated, or a function f(time).  The inertia "
        "of the carrier then includes the rotor as if locked.  Compiled by Numba: f(time, out) "
        "that writes the rate and then its derivative.",
        default=0.0,
    )
    _: KW_ONLY
    axis: Any = declare(
        DirectionField(), '"x", "y", "z" or a vector, in the axes of the carrier.', default="z"
    )
    torque: Any = declare(
        SignalField("torque", "number, Table or callable"),
        "Torque of the motor on the rotor, about the axis []; a function is f(time) or f(time, "
        "state).  The carrier feels the opposite.  `speed` is then the rate about the axis in "
        "inertial space at the start, that relative to the carrier plus that of the carrier, and "
        "the inertia of the carrier lacks that of the rotor about the axis.",
        default=None,
    )
    geared_to: Any = declare(
        JointField(),
        "Joint whose motor has this rotor, by the body that it carries; one of a single motion.  "
        "The rotor turns `ratio` times as fast.  Only the moment -omega x h acts on the carrier; "
        "the inertia at the joint is `Actuator.rotor_inertia`.",
        default=None,
    )
    ratio: float = declare(
        NumberField("number"), "Turns of the rotor per turn of the joint.", default=1.0
    )
    spacing: float = declare(
        NumberField("time", above=0),
        "Largest spacing of finite differences, for functions of time [].",
        default=COARSEST,
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        if self.geared_to is not None:
            if self.torque is not None or not _is_zero(self.speed):
                raise LoadError(
                    f"{self.label}: a rotor that is geared to {self.geared_to!r} takes its speed "
                    "from there; leave speed and torque out"
                )
        if self.torque is not None:
            expected = "one number [rad/s], the rate at the start, because the torque is given"
            keep(self, speed=number(self.speed, f"{self.label}: speed", expected))
        if isinstance(self.speed, Table) and self.speed.kind == "steps":
            raise LoadError(
                f"{self.label}: speed is a table of steps, at which the moment would be infinite; "
                'use Table(..., kind="linear") or "monotone"'
            )

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        frame = plan.place(self.where, self)
        if frame.grounded:
            raise LoadError(
                f"{self.label}: {self.where!r} is fixed to the ground, where a moment has no "
                "effect; give a body, a node or a frame on one"
            )
        axis = frame.rotation @ self.axis
        if self.geared_to is not None:
            numbers = [self.inertia, *axis, GEARED, self.ratio, self._geared(plan)]
            plan.add_body_load(self, ROTOR, frame, numbers, rates=True)
            plan.add_momentum(self._record("geared"), "body_loads")
            return
        if self.torque is None:
            numbers, signal, states = [self.inertia, *axis, SPUN, 0, 0], self._speed(plan), 0
        else:
            numbers = [self.inertia, *axis, DRIVEN, 0, 0]
            what = f"{self.label}: torque"
            if isinstance(self.torque, WithDerivatives):
                raise LoadError(
                    f"{what} is given with derivatives, but moments of rotors are differentiated "
                    "by differences; give its .function alone"
                )
            signal = plan.signal(as_signal(self.torque, 1, what), 1, what)
            states = plan.add_states([self.speed], [_speed_near(plan, frame)], [1.0])
            plan.add_wheel(self, WHEEL, numbers, signal, states)
            plan.add_momentum(self._record("driven"), "forces")
        orders = int(self.torque is None)
        plan.add_body_load(
            self, ROTOR, frame, numbers, signal=signal, orders=orders, states=states, rates=True
        )
        if self.torque is None:
            plan.add_momentum(self._record("spun"), "body_loads")

    def _record(self, mode: str) -> tuple[Any, ...]:
        """What results keep: name, carrier, axis in its axes, inertia, and what its speed is."""
        name = self.name or f"{self.where}.wheel"
        return (name, str(self.where), tuple(self.axis.tolist()), float(self.inertia), mode)

    def _geared(self, plan: Plan) -> int:
        """Number of the speed that the rotor is geared to."""
        joint = plan.joint(self.geared_to, self)
        if joint.n_v != 1:
            raise LoadError(
                f"{self.label}: a {joint.label} joint has {joint.n_v} speeds; a rotor is geared to "
                "a joint of a single motion, such as Revolute"
            )
        return joint.v

    def _speed(self, plan: Plan) -> int:
        """Offset of the signal of the speed and its rate."""
        what = f"{self.label}: speed"
        value = as_signal(self.speed, 1, what)
        if not callable(value):
            return plan.signal(value, 1, what)
        if not is_compiled(value):
            if takes_state(value, what):
                raise LoadError(
                    f"{what} is a function of time and state; expected a function of time alone "
                    "(a control law gives the torque instead)"
                )
            plan.add_time_function(value, 1, what)
        return followed(plan, [value], 1, 1, what, self.spacing)


def _is_zero(speed: Any) -> bool:
    return isinstance(speed, (int, float)) and speed == 0


def _speed_near(plan: Plan, frame: Frame) -> int:
    """Number of a speed of the carrier or of what carries it, for the scale of errors."""
    i = frame.body
    while i >= 0:
        hinge = plan.system.layout.hinge_v(i)
        if hinge.stop > hinge.start:
            return hinge.start
        i = int(plan.system.parent[i])
    raise LoadError(f"the carrier {shown(frame.name)} of a rotor is fixed to the ground")
