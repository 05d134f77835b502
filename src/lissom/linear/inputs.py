"""Inputs of a linear model: forces on joints, modes, actuators and frames, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..algorithms.tree.kinematics import jacobian, pose
from ..errors import StateError, suggestion
from ..results.labels import XYZ, Parts, forces as force_parts, modes
from ..sim.loads import Actuator, Load, Rotor
from ..system import Frame, State, System
from .names import wheel_name

Array = np.ndarray


class Inputs(NamedTuple):
    """Inputs of a linear model."""

    parts: Parts  # name and unit of each
    forces: Array  # (n_v, n_input) generalized forces of unit inputs
    on_frames: Array  # (n_v, n_input) those of them that are moments and forces at frames
    # (Frame, array (6, n_input)) moments and forces at frames, in their own axes, of unit inputs
    wrenches: list[tuple[Frame, Array]]
    # (str, array (n_input,)) own states of loads by name, and their rates by unit inputs
    own_rates: list[tuple[str, Array]]


class _Input(NamedTuple):
    """Columns of one name."""

    parts: Parts
    forces: Array
    frame: Frame | None = None
    wrench: Array | None = None
    own_rate: tuple[str, float] | None = None


def chosen_inputs(state: State, names: Sequence[str], loads: Sequence[Load]) -> Inputs:
    """Inputs by name.

    `names`: "body" or "body.force" (the joint), "body.modes" or "body.modal_force", the name of an
    actuator or of a wheel with a torque, "frame.force" or "frame.moment" (world axes; also
    "body.node.force"), each with or without a component, such as "tip.force.z".
    """
    inputs = [_resolved(state, name, loads) for name in names]
    parts = tuple(part for one in inputs for part in one.parts)
    n = sum(len(one.parts) for one in inputs)
    forces = np.hstack([np.zeros((state.system.n_v, 0)), *(one.forces for one in inputs)])
    on_frames, wrenches, own_rates, start = np.zeros_like(forces), [], [], 0
    for one in inputs:
        k = len(one.parts)
        if one.frame is not None and one.wrench is not None:
            columns = np.zeros((6, n))
            columns[:, start : start + k] = one.wrench
            wrenches.append((one.frame, columns))
            on_frames[:, start : start + k] = one.forces
        if one.own_rate is not None:
            own_rates.append((one.own_rate[0], one.own_rate[1] * np.eye(n)[start]))
        start += k
    return Inputs(parts, forces, on_frames, wrenches, own_rates)


def _resolved(state: State, name: str, loads: Sequence[Load]) -> _Input:
    exact = _whole(state, name, loads)
    if exact is not None:
        return exact
    rest, _, label = name.rpartition(".")
    whole = _whole(state, rest, loads) if rest else None
    if whole is not None:
        for k, (full, _) in enumerate(whole.parts):
            if full == name or full.rpartition(".")[2] == label:
                wrench = None if whole.wrench is None else whole.wrench[:, [k]]
                unit = whole.parts[k][1]
                return _Input(((name, unit),), whole.forces[:, [k]], whole.frame, wrench)
    raise StateError(_unknown(state.system, name, loads))


def _whole(state: State, name: str, loads: Sequence[Load]) -> _Input | None:
    """Input with all its components, or None."""
    system = state.system
    for load in loads:
        if isinstance(load, Actuator) and name == load.label:
            return _actuator(system, load)
    wheels = [x for x in loads if isinstance(x, Rotor) and x.torque is not None]
    called = [wheel for wheel in wheels if wheel_name(wheel) == name]
    if len(called) > 1:
        raise StateError(f"{len(called)} wheels are called {name!r}; give each Rotor a name=")
    if called:
        return _wheel(state, called[0])
    *place, key = name.split(".")
    if not place or (len(place) == 1 and place[0] in system.names and key == "force"):
        return _joint(system, place[0] if place else key)
    if len(place) == 1 and place[0] in system.names and key in ("modes", "modal_force"):
        return _modes(system, place[0])
    if key in ("force", "moment"):
        return _frame(state, ".".join(place), key)
    return None


def _columns(system: System, piece: slice) -> Array:
    return np.eye(system.n_v)[:, piece]


def _joint(system: System, name: str) -> _Input | None:
    if name not in system.names:
        return None
    joint = system.joints[system.layout.index(name)]
    parts = force_parts(joint.speeds)
    if len(parts) > 1:
        parts = tuple((f"{name}.{x}", unit) for x, unit in parts)
    else:
        parts = tuple((name, unit) for _, unit in parts)
    return _Input(parts, _columns(system, system.layout.hinge_v(name)))


def _modes(system: System, name: str) -> _Input | None:
    parts = force_parts(modes(system.bodies[system.layout.index(name)]))
    named = tuple((f"{name}.mode.{x}", unit) for x, unit in parts)
    return _Input(named, _columns(system, system.layout.modal_v(name)))


def _actuator(system: System, load: Actuator) -> _Input | None:
    joint_input = _joint(system, load.joint)
    if joint_input is None:
        raise StateError(f"{load.label} acts on a joint of a loop, which is no input; use others")
    labels = [x.rpartition(".")[2] for x, _ in joint_input.parts]
    several = len(labels) > 1
    units = [unit for _, unit in joint_input.parts]
    names = [f"{load.label}.{x}" if several else load.label for x in labels]
    return _Input(tuple(zip(names, units, strict=True)), load.ratio * joint_input.forces)


def _wheel(state: State, load: Rotor) -> _Input:
    """Torque of the motor of a wheel: the opposite on its carrier."""
    frame = state.system.place(load.where)
    wrench = np.concatenate([-np.asarray(load.axis, float), np.zeros(3)])[:, None]
    J = jacobian(state.system, state, load.where, axes="body")
    name = wheel_name(load)
    own_rate = (f"{name}.speed", 1 / load.inertia)
    return _Input(((name, "N m"),), J.T @ wrench, frame, wrench, own_rate)


def _frame(state: State, where: str, key: str) -> _Input | None:
    """Force or moment at a frame, world axes."""
    system = state.system
    try:
        frame = system.place(where)
    except StateError:
        return None
    if frame.grounded:
        raise StateError(f"{where}.{key}: the frame is fixed to the ground, which no force moves")
    rows = slice(0, 3) if key == "moment" else slice(3, 6)
    unit = "N m" if key == "moment" else "N"
    J = jacobian(system, state, where)
    wrench = np.zeros((6, 3))
    wrench[rows] = pose(system, state, where).rotation.T
    parts = tuple((f"{where}.{key}.{x}", unit) for x in XYZ)
    return _Input(parts, J[rows].T, frame, wrench)


def _unknown(system: System, name: str, loads: Sequence[Any]) -> str:
    actuators = [load.label for load in loads if isinstance(load, Actuator)]
    actuators += [wheel_name(x) for x in loads if isinstance(x, Rotor) and x.torque is not None]
    frames = [frame.name for frame in system.frames]
    hint = suggestion(name, [*system.names, *actuators, *(f"{x}.force" for x in frames)])
    return (
        f"there is no input {name!r}; give a joint, the name of an Actuator or of a Rotor with a "
        "torque, 'body.modes', or the force or moment at a frame or node, such as "
        f"'body.node.force'; {hint}"
    )
