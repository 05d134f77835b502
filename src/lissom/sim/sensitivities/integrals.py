"""Integrals of servos, states of a run besides coordinates and speeds.

A servo with the error e = target - q has the force kp e + kd e' + ki z, at most its limit, and
z' = e except where the force is at its limit and the error demands more.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...errors import LoadError
from ...kernels.run import fields as run
from ..loads.servo import KI, LIMIT, LIMITED_SERVO, PER_MOTION, SERVO
from ..run.machine import Machine

Array = np.ndarray


class IntegralServo(NamedTuple):
    """A servo with an integral.

    Attributes
    ----------
    joint : str
        Body whose joint it drives.
    states : slice
        Places of its integrals among the states of all loads.
    output : int
        Place of its outputs: forces, errors, integrals.
    gains, limits : arrays (r,)
        ki and limits.
    """

    joint: str
    states: slice
    output: int
    gains: Array
    limits: Array

    def terms(self, machine: Machine) -> Array:
        """Rates of the integrals, their derivatives by coordinates, and those of the forces by z.

        After an evaluation of the forces: (3, r).
        """
        r = len(self.gains)
        found = machine.outputs[self.output : self.output + 2 * r]
        force, error = found[:r], found[r:]
        limited = np.abs(force) >= self.limits
        frozen = limited & (force * error > 0)
        return np.stack(
            [np.where(frozen, 0.0, error), np.where(frozen, 0.0, -1.0), self.gains * ~limited]
        )


def integral_servos(plan: Any, what: str) -> list[IntegralServo]:
    """Servos with integrals of a plan; other loads with states are refused.

    Parameters
    ----------
    plan : Plan
        Plan of the run.
    what : str
        Name of the caller in errors.
    """
    found: list[IntegralServo] = []
    table, system = plan.constants(), plan.system
    names = {system.layout.hinge_v(i).start: name for i, name in enumerate(system.names)
             if system.joints[i].n_v}  # fmt: skip
    for row in plan.rows["forces"]:
        if row[run.E_STATE] == 0:
            continue
        if row[run.E_KIND] not in (SERVO, LIMITED_SERVO):
            break
        n, first, joint = row[run.E_N], row[run.E_STATE] - run.OWN_STATES, names[row[run.E_V]]
        if any(one.joint == joint for one in found):
            raise LoadError(
                f"{what}: two servos with integrals drive the joint {joint!r}; keep one"
            )
        numbers = table[row[run.E_TABLE] : row[run.E_TABLE] + PER_MOTION * n].reshape(n, -1)
        states = slice(first, first + n)
        found.append(
            IntegralServo(joint, states, row[run.E_OUTPUT], numbers[:, KI], numbers[:, LIMIT])
        )
    if sum(len(one.gains) for one in found) != len(plan.states):
        raise LoadError(
            f"{what}: a load has states of its own that are not the integral of a Servo, such as "
            "those of a drive or a wheel, which are not differentiated; leave it out"
        )
    return found
