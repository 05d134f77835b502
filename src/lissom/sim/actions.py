"""What events do to a run: switch loads, lock and free joints."""

from __future__ import annotations

import numpy as np

from ..algorithms import engine
from ..algorithms._kernels import layout as body_at
from ..algorithms._kernels.simulation import layout as at
from .events import Action, Lock, Release, Switch
from .machine import Machine

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
        for place in plan.active[action.load]:
            memory[place] = float(action.on)
    elif isinstance(action, (Lock, Release)):
        joint = plan.joint(action.joint, "event")
        if joint.body in plan.driven:
            for place in plan.active[plan.driven[joint.body]]:
                memory[place] = 0.0
        else:
            memory[plan.lock(joint)] = float(isinstance(action, Lock))
            if isinstance(action, Lock):
                _lock(machine, joint.v, joint.n_v)


def _lock(machine: Machine, start: int, n: int) -> None:
    """Speeds after an impulse that stops the motions start to start + n.

    With f free, k known speeds after the impulse: M_ff v_f = (M v)_f - M_fk v_k.  In loops the
    smallest change of that, in the metric of M, which keeps them closed.
    """
    system, plan = machine.system, machine.plan
    held = np.zeros(system.n_v, dtype=bool)
    for row in plan.rows["motions"]:
        if machine.memory[row[at.E_ACTIVE]] != 0:
            held[row[at.E_V] : row[at.E_V] + row[at.E_N]] = True
            machine.ints[row[at.E_A] + body_at.DRIVEN] = 1
    known = np.where(held, machine.v, 0.0)
    known[start : start + n] = 0.0
    change = machine.v - known
    momentum = engine.inverse_dynamics(
        system, machine.q.copy(), change, change, flags=body_at.ACCELERATED
    )
    momentum += plan.armature * change
    found = machine.solve(momentum)
    machine.v[:] = known + np.where(held, 0.0, found)
    machine.settle()
    machine.forget(start, n)
