"""Actions of events: switch loads, lock and release joints."""

from __future__ import annotations

import warnings

import numpy as np

from ...algorithms.tree import engine
from ...errors import SimulationWarning
from ...kernels import fields as field
from ...results.happenings import Impulse
from ...system import State
from ..run.machine import Machine
from ..run.plan import JointPlace
from ..run.start import motion_jump
from .event import Action, Lock, Release, Switch
from .impulse import held_speeds, impulse_to_stop, mark_driven


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
        else:
            memory[plan.lock(joint)] = float(isinstance(action, Lock))
            if isinstance(action, Lock):
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


def _lock(machine: Machine, joint: JointPlace) -> Impulse:
    """Apply the impulse that stops a joint, and return it.

    With f free, k known speeds after the impulse: M_ff v_f = (M v)_f - M_fk v_k.  With loops, the
    result is projected in the metric of M onto the speeds that keep them closed.
    """
    system, plan = machine.system, machine.plan
    impulse, _ = impulse_to_stop(machine, joint)
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
