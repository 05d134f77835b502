"""Actions of events: switch loads, lock and release joints."""

from __future__ import annotations

import warnings

import numpy as np

from ...algorithms.tree import engine
from ...errors import SimulationWarning
from ...kernels import fields as field
from ...results.event_records import Impulse
from ...system import State
from ..loads.latch import enter_latch
from ..run.machine import Machine
from ..run.plan import JointPlace
from ..run.start import motion_jump
from .event import Action, Lock, Release, Switch
from .impulse import held_speeds, impulse_to_stop, mark_driven, sprung_closing


def act(machine: Machine, action: Action) -> Impulse | None:
    """Carry out an action; the caller handles `Stop`.

    Parameters
    ----------
    machine : Machine
        The run, at the instant of the event.
    action : Action
        The action.

    Returns
    -------
    Impulse or None
        Of a lock.
    """
    memory, plan = machine.memory, machine.plan
    if isinstance(action, Switch):
        before = memory[plan.active[action.load]].copy()
        memory[plan.active[action.load]] = float(action.on)
        for body, motion in plan.driven.items():
            if motion == action.load and action.on and not np.all(before):
                _begin(machine, body)
    elif isinstance(action, (Lock, Release)):
        joint = plan.joint(action.joint, "event")
        if joint.body in plan.driven:
            for place in plan.active[plan.driven[joint.body]]:
                memory[place] = 0.0
        elif isinstance(action, Lock) and action.stiffness is not None:
            return _latch(machine, joint, action)
        else:
            _open(machine, joint)
            if isinstance(action, Lock):
                memory[plan.lock(joint)] = 1.0
                return _lock(machine, joint)
    return None


def _begin(machine: Machine, body: int) -> None:
    """Move a joint onto the given motion that starts now; warn if the joint jumps."""
    system = machine.system
    state = State(system, machine.q, machine.v)
    if machine.settle() != 0:
        return  # the next step reports the cause
    if jump := motion_jump(machine.plan, body, state, State(system, machine.q, machine.v)):
        warnings.warn(
            f"when it is switched on, joint {system.names[body]!r} {jump} at t = "
            f"{machine.time:g} s: the joint jumps there, and no force accounts for it; start the "
            "motion where the joint is (give a velocity or an acceleration), or use a JointSpring "
            "and a JointDamper",
            SimulationWarning,
            stacklevel=7,
        )


def _open(machine: Machine, joint: JointPlace) -> None:
    """Release a joint from its locks."""
    plan, memory = machine.plan, machine.memory
    if joint.body in plan.locks:
        memory[plan.locks[joint.body]] = 0.0
    for latch in plan.latches.get(joint.body, ()):
        memory[latch.flag] = 0.0


def _latch(machine: Machine, joint: JointPlace, lock: Lock) -> Impulse | None:
    """Close a lock with a stiffness, if it does not hold the joint already."""
    latch = enter_latch(machine.plan, joint, lock.stiffness, lock.damping, "event")
    if machine.memory[latch.flag] != 0:
        return None
    _open(machine, joint)
    latch.close(machine, joint)
    return sprung_closing(machine, joint, latch.stiffness)


def _lock(machine: Machine, joint: JointPlace) -> Impulse:
    """Apply the impulse that stops a joint, and return it.

    With f free, k known speeds after the impulse: M_ff v_f = (M v)_f - M_fk v_k.  With loops, the
    result is projected in the metric of M onto the speeds that keep them closed.
    """
    system, plan = machine.system, machine.plan
    impulse = impulse_to_stop(machine, joint)
    held = held_speeds(machine)
    mark_driven(machine)
    known = np.where(held, machine.v, 0.0)
    known[joint.v : joint.v + joint.n_v] = 0.0
    change = machine.v - known
    momentum = engine.inverse_dynamics(
        system, machine.q.copy(), change, change, flags=field.ACCELERATED
    )
    momentum += plan.armature * change
    found = machine.solve(momentum)
    machine.v[:] = known + np.where(held, 0.0, found)
    machine.settle()
    machine.forget(joint.v, joint.n_v)
    return impulse
