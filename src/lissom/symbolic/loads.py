"""Loads as formulas: generalized forces of springs, dampers, friction, stops and motors.

  M vdot + b = Q + T(q, v, t) + B(inputs)
T are the loads that follow from the state, B the motors' forces, one input for each motion of an
actuator's joint.  The formulas are those of the compiled loads in `sim.loads`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ..errors import LissomError, SymbolicError, suggestion
from ..sim.loads import (
    Actuator,
    Controller,
    Drive,
    JointDamper,
    JointFriction,
    JointSpring,
    JointStop,
    Load,
    Motion,
    NodeForce,
    NodeSpring,
    Servo,
)
from ..spatial import quaternion_rotation
from ..system import GROUND, Frame
from .calculus import substituted
from .graph import GraphNode
from .names import identifier, numbered

if TYPE_CHECKING:
    from ..joints import Joint
    from .derivation import Derivation

Array = np.ndarray


class AppliedLoads:
    """Generalized forces of loads and of formulas.

    `actuation` (n_v,): generalized forces of the actuators; `armature` (n_v,): inertia of rotors,
    added to the diagonal of M.
    """

    def __init__(self, derivation: Derivation, loads: Any, forces: Any) -> None:
        self._d = derivation
        n = derivation.system.n_v
        self._formulas = _formulas(derivation, forces)
        self._switched_on = [load for load in _checked(loads) if load.on]
        self.present = bool(self._switched_on or self._formulas)
        self.inputs: tuple[sympy.Symbol, ...] = ()
        self.armature = derivation.bridge.nodes(np.zeros(n))
        self.actuation: Array = derivation.bridge.nodes(np.zeros(n))
        for load in self._switched_on:
            if isinstance(load, Actuator):
                self._add_actuator(load)
            elif isinstance(load, Drive):  # the rotor's body has its inertia once
                added = (load.ratio * load.ratio - 1) * load.rotor_inertia
                self._add_rotor(_joint(derivation, load, load.rotor)[0], added)
        self.forces(derivation.v)  # refuses now what has no formula; symbols become parameters

    def forces(self, v: Array) -> Array:
        """Generalized forces (n_v,) at speeds v, without those of actuators."""
        d = self._d
        total = d.bridge.nodes(np.zeros(d.system.n_v))
        for load in self._switched_on:
            if not isinstance(load, Actuator):
                total = d.bridge.nodes(total + _force_of(load)(d, load, v))
        for k, x in self._formulas.items():
            at_v = substituted(np.array([x], dtype=object), dict(zip(d.v, v, strict=True)))
            total[k] = total[k] + at_v[0]
        return total

    def _add_actuator(self, load: Any) -> None:
        d = self._d
        i, joint = _joint(d, load)
        names = numbered("u", identifier(load.name or load.joint), joint.n_v)
        start = d.system.layout.hinge_v(i).start
        for k, name in enumerate(names):
            symbol = sympy.Symbol(name, real=True)
            input_node = d.bridge.symbol(symbol, "input")
            self.inputs += (symbol,)
            pushed = d.bridge.node(load.ratio) * _limited(input_node, load.limit)
            self.actuation[start + k] = self.actuation[start + k] + pushed
        self._add_rotor(i, load.ratio * load.ratio * load.rotor_inertia)

    def _add_rotor(self, i: int, inertia: Any) -> None:
        v = self._d.system.layout.hinge_v(i)
        self.armature[v] = self.armature[v] + self._d.bridge.node(inertia)


def _limited(x: GraphNode, limit: float) -> GraphNode:
    if np.isinf(limit):
        return x
    return x.select(-limit, -limit, x.select(limit, x, limit))


def _checked(loads: Any) -> Sequence[Any]:
    load_list = [loads] if isinstance(loads, Load) else loads
    if not isinstance(load_list, (list, tuple)):
        raise SymbolicError(f"loads is {load_list!r}; give a list of loads, such as JointSpring")
    for load in load_list:
        if not isinstance(load, Load):
            raise SymbolicError(f"loads: {load!r} is no load; give loads such as JointSpring")
    return list(load_list)


def _formulas(d: Derivation, forces: Any) -> dict[int, GraphNode]:
    """Nodes of the user's formulas by the number of the speed."""
    if forces is None:
        return {}
    if not isinstance(forces, Mapping):
        raise SymbolicError(f"forces is {forces!r}; give a dictionary {{speed: formula}}")
    numbers = {s.name: k for k, s in enumerate(d.speeds)}
    formulas = {}
    for key, x in forces.items():
        if str(key) not in numbers:
            raise SymbolicError(
                f"forces: there is no speed {str(key)!r}; {suggestion(str(key), numbers)}"
            )
        formulas[numbers[str(key)]] = d.node_of(x, f"forces: {key}")
    return formulas


def _joint(d: Derivation, load: Any, name: str = "") -> tuple[int, Joint]:
    """Number of a joint and the joint, by default that of the load."""
    try:
        i = d.system.layout.index(name or load.joint)
    except LissomError as error:
        raise SymbolicError(f"{load.label}: {error}") from None
    joint = d.system.joints[i]
    if joint.n_v == 0:
        raise SymbolicError(
            f"{load.label}: the joint of {name or load.joint!r} ({joint.label}) does not move; "
            "leave the load out"
        )
    return i, joint


def _joint_of_rates(d: Derivation, load: Any) -> tuple[int, Joint]:
    """Joint of a load on coordinates whose rates are the speeds."""
    i, joint = _joint(d, load)
    if joint.has_quaternion or joint.n_q != joint.n_v or (joint.maps and not _has_rates(joint)):
        raise SymbolicError(
            f"{load.label}: the coordinates of a {joint.label} joint are not the integrals of its "
            "speeds; use NodeSpring, or forces= with a formula"
        )
    return i, joint


def _has_rates(joint: Joint) -> bool:
    return all(H.shape[1] == 1 for H in joint.maps)


def _per_motion(d: Derivation, load: Any, attribute: str, n: int) -> Array:
    values = np.asarray(getattr(load, attribute))
    if values.shape not in ((), (n,)):
        raise SymbolicError(
            f"{load.label}: {attribute} has shape {values.shape}; expected one number or ({n},)"
        )
    return d.bridge.nodes(np.broadcast_to(values, (n,)))


def _on_joint(d: Derivation, i: int, values: Array) -> Array:
    total = d.bridge.nodes(np.zeros(d.system.n_v))
    total[d.system.layout.hinge_v(i)] = values
    return total


def _spring(d: Derivation, load: Any, v: Array) -> Array:
    i, joint = _joint(d, load)
    if joint.has_quaternion:
        return _ball_spring(d, load, v)
    _joint_of_rates(d, load)
    k, rest, c = (_per_motion(d, load, x, joint.n_v) for x in ("stiffness", "rest", "damping"))
    x, rate = d.q[d.system.layout.hinge_q(i)], v[d.system.layout.hinge_v(i)]
    return _on_joint(d, i, -(k * (x - rest)) - c * rate)


def _ball_spring(d: Derivation, load: Any, v: Array) -> Array:
    """Spring on the rotation vector 4 atan(s / (1 + w)) / s (x, y, z), and on the position."""
    i, joint = _joint(d, load)
    if np.any(load.rest):
        raise SymbolicError(
            f"{load.label}: a spring on a joint with a quaternion is relaxed at its neutral "
            "position; leave rest out"
        )
    n = 1 if joint.n_v == 3 else 2
    k, c = (np.resize(_per_motion(d, load, x, n), 2) for x in ("stiffness", "damping"))
    q, rate = d.q[d.system.layout.hinge_q(i)], v[d.system.layout.hinge_v(i)]
    sign = q[0].select(0.0, -1, 1)
    square = q[1:4] @ q[1:4]
    s = square.sqrt()
    angle = 4 * (s / (1 + sign * q[0])).atan()
    # Near the neutral position s has no digits: the limit is twice the vector part.
    factor = square.select(1e-18, d.graph.node(2), angle / square.select(1e-18, 1, s))
    force = -(k[0] * sign * factor * q[1:4]) - c[0] * rate[:3]
    if joint.n_v == 6:
        p = quaternion_rotation(q[:4]).T @ q[4:]
        force = np.concatenate([force, -(k[1] * p) - c[1] * rate[3:]])
    return _on_joint(d, i, force)


def _damper(d: Derivation, load: Any, v: Array) -> Array:
    i, joint = _joint(d, load)
    c = _per_motion(d, load, "damping", joint.n_v)
    return _on_joint(d, i, -(c * v[d.system.layout.hinge_v(i)]))


def _friction(d: Derivation, load: Any, v: Array) -> Array:
    i, _ = _joint(d, load)
    size, speed = d.bridge.node(load.force), d.bridge.node(load.speed)
    rates = d.bridge.nodes(v[d.system.layout.hinge_v(i)])
    return _on_joint(d, i, np.array([-(size * (x / speed).tanh()) for x in rates]))


def _stop(d: Derivation, load: Any, v: Array) -> Array:
    i, _ = _joint_of_rates(d, load)
    k, c = d.bridge.node(load.stiffness), d.bridge.node(load.damping)
    pushed = []
    rates = d.bridge.nodes(v[d.system.layout.hinge_v(i)])
    for x, rate in zip(d.q[d.system.layout.hinge_q(i)], rates, strict=True):
        total = d.graph.zero
        for sign, limit in ((1, load.upper), (-1, load.lower)):
            if np.isfinite(limit):
                grow = 1 + c * sign * rate
                push = -sign * k * (sign * (x - limit)) * grow.select(0.0, 0, grow)
                beyond = (0, push) if sign > 0 else (push, 0)
                total = total + x.select(limit, *beyond)
        pushed.append(total)
    return _on_joint(d, i, np.array(pushed))


def _frame(d: Derivation, load: Any, where: Any, at: Any) -> Frame:
    """Frame of a load on a node, its origin moved by `at`, or a point of the world."""
    if not isinstance(where, str) and not hasattr(where, "node"):
        return Frame("a point of the world", GROUND, GROUND, position=d.bridge.nodes(where))
    try:
        frame = d.system.place(where)
    except LissomError as error:
        raise SymbolicError(f"{load.label}: {error}") from None
    return frame.at(d.bridge.nodes(at)) if np.any(at) else frame


def _node_force(d: Derivation, load: Any, _v: Array) -> Array:
    frame = _frame(d, load, load.where, load.at)
    wrench = []
    for part in ("moment", "force"):
        vector = getattr(load, part)
        if callable(vector) or np.shape(vector) != (3,):
            raise SymbolicError(
                f"{load.label}: its {part} is {vector!r}, which has no formula; give three numbers "
                "or SymPy expressions, with time= for functions of time"
            )
        wrench += [d.node_of(x, f"{load.label}: {part}") for x in vector]
    return d.frame_jacobian(frame, load.axes).T @ np.array(wrench, dtype=object)


def _node_spring(d: Derivation, load: Any, v: Array) -> Array:
    a, b = _frame(d, load, load.a, load.at_a), _frame(d, load, load.b, load.at_b)
    J = (d.frame_jacobian(b, "world") - d.frame_jacobian(a, "world"))[3:]
    across = d.bridge.nodes(d.frame_pose(b)[1] - d.frame_pose(a)[1])
    k, c, rest = (d.bridge.node(x) for x in (load.stiffness, load.damping, load.length))
    square = across @ across
    pull = k * across
    if rest:
        pull = pull - (k * rest / square.sqrt()) * across
    if c:
        pull = pull + (c * (across @ (J @ v)) / square) * across
    return -(J.T @ pull)


def _drive(d: Derivation, load: Drive, v: Array) -> Array:
    gear = JointSpring(load.joint, load.stiffness, damping=load.damping, name=load.label)
    return _spring(d, gear, v)


_FORMULAS: dict[type[Load], Callable[[Derivation, Any, Array], Array]] = {
    JointSpring: _spring,
    JointDamper: _damper,
    JointFriction: _friction,
    JointStop: _stop,
    NodeForce: _node_force,
    NodeSpring: _node_spring,
    Drive: _drive,
}
_REMEDIES: dict[type[Load], str] = {
    Motion: "give the motion as a constraint, constraints=[coordinate - formula] with time=",
    Servo: "give its force as a formula with forces=",
    Controller: "give it as Actuator, whose force is an input of the equations",
}


def _force_of(load: Load) -> Callable[[Derivation, Any, Array], Array]:
    kind = type(load)
    if kind not in _FORMULAS:
        remedy = _REMEDIES.get(kind, "give its force as a formula with forces=")
        raise SymbolicError(f"{load.label}: no formula is known for a {kind.__name__}; {remedy}")
    return _FORMULAS[kind]
