"""What events do to a run: switch loads, lock and free joints."""

from __future__ import annotations

import warnings

import numpy as np

from ..algorithms import engine
from ..algorithms._kernels import fields as field
from ..algorithms._kernels.simulation import fields as run
from ..errors import SimulationWarning
from ..system import State
from .events import Action, Lock, Release, Switch
from .machine import Machine
from .start import motion_jump

__all__ = ["act"]


def act(machine: Machine, action: Action) -> None:
    """Do what an event does, but for ending the run.

    Parameters
    ----------
    machine : Machine
        At the instant of the event.
    action : Action
        What to do.
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
                _lock(machine, joint.v, joint.n_v)


def _begin(machine: Machine, body: int) -> None:
    """Put a joint onto the motion that begins here, and say so if it jumps."""
    system = machine.system
    state = State(system, machine.q, machine.v)
    if machine.settle() != 0:
        return  # the next step says why
    if jump := motion_jump(machine.plan, body, state, State(system, machine.q, machine.v)):
        warnings.warn(
            f"when it is switched on, joint {system.names[body]!r} {jump} at t = "
            f"{machine.time:g} s: it jumps, and nothing pays for that; let the motion begin where "
            "the joint is (a velocity or an acceleration), or use a JointSpring and a damper",
            SimulationWarning,
            stacklevel=7,
        )


def _lock(machine: Machine, start: int, n: int) -> None:
    """Speeds after an impulse that stops the motions start to start + n.

    With f free, k known speeds after the impulse: M_ff v_f = (M v)_f - M_fk v_k.  In loops the
    smallest change of that, in the metric of M, which keeps them closed.
    """
    system, plan = machine.system, machine.plan
    held = np.zeros(system.n_v, dtype=bool)
    for row in plan.rows["motions"]:
        if machine.memory[row[run.E_ACTIVE]] != 0:
            held[row[run.E_V] : row[run.E_V] + row[run.E_N]] = True
            machine.ints[row[run.E_A] + field.DRIVEN] = 1
    known = np.where(held, machine.v, 0.0)
    known[start : start + n] = 0.0
    change = machine.v - known
    momentum = engine.inverse_dynamics(
        system, machine.q.copy(), change, change, flags=field.ACCELERATED
    )
    momentum += plan.armature * change
    found = machine.solve(momentum)
    machine.v[:] = known + np.where(held, 0.0, found)
    machine.settle()
    machine.forget(start, n)
