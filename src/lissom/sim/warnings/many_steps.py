"""Warning about a method of low order that takes far more steps than the motion needs."""

from __future__ import annotations

import math
import warnings

import numpy as np

from ...algorithms.tree.coordinates import error_sizes, hinge_speeds
from ...errors import SimulationWarning
from ...kernels.layout import run
from ..run.machine import Machine
from ..run.scales import fastest_motions, stiffness_of

FIRST, SHARE = 10_000, 4096  # steps between two looks; parts of a run of which a look covers one
MANY = 1e6  # steps of a run that take a minute or more
TURN = 0.02  # [rad] of the fastest motion in a step, below which implicit steps do not pay
PART = 0.3  # of the steps by (1), below which something else makes them short


class ManySteps:
    """Monitor of an adaptive run that warns once.

    Implicit methods pay where steps pass over fast vibrations.  Where accuracy alone makes their
    steps h a small part of a radian of all motions, a method of high order takes far fewer.  One of
    order two errs by (h w)^2 / 12 in each radian of a motion of the rate w; with three tolerances
    for the whole run, T long, that is
      h w = (36 rtol / max(w T, 1))^(1/2)                                                   (1)
    Much shorter steps have another cause, such as a rough function of time.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        settings, plan = machine.settings, machine.plan
        # stops, friction, functions of the state and springs between nodes may be stiff
        self._pending = (
            settings.adaptive
            and settings.integrator.implicit
            and not (plan.watches or plan.has_rows)
            and not machine.may_switch
        )
        self._steps, self._time = float(machine.memory[run.N_STEPS]), machine.elapsed

    def look(self, stacklevel: int) -> None:
        """Warn if the steps of late are short beside all motions."""
        machine, m = self.machine, self.machine.memory
        if not self._pending or m[run.N_STEPS] - self._steps < FIRST:
            return
        n, span = float(m[run.N_STEPS]) - self._steps, machine.elapsed - self._time
        self._steps, self._time = float(m[run.N_STEPS]), machine.elapsed
        settings, step = machine.settings, span / n
        if step > 0.5 * machine.longest_step or not 0 < step < settings.duration / SHARE:
            return
        left = (settings.duration - machine.elapsed) / step
        if self._steps + left < MANY:
            return
        slopes = stiffness_of(machine.plan, machine.q)
        fastest = max(fastest_motions(machine.solve, *slopes).rate, _turning(machine))
        expected = math.sqrt(36 * settings.rtol / max(fastest * settings.duration, 1.0))
        if not PART * expected < step * fastest < TURN:
            return
        self._pending = False
        warnings.warn(
            f"near t = {machine.time:.4g} s {settings.integrator.title} takes steps of "
            f"{step:.2g} s to keep rtol = {settings.rtol:g}, {step * fastest:.1g} rad of the "
            f"fastest motion ({fastest:.3g} rad/s); at this rate {left:.0g} more are left. "
            'Nothing is stiff at such steps: integrator="dop853", of order eight, takes far fewer',
            SimulationWarning,
            stacklevel,
        )


def _turning(machine: Machine) -> float:
    """Largest speed of a hinge, in its size [rad/s]."""
    hinges = hinge_speeds(machine.system)
    speeds = np.abs(machine.v) / error_sizes(machine.system)[0]
    return float(np.max(speeds[hinges], initial=0.0))
