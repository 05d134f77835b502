"""Detection of loads that make a run slow: with poor derivatives, or too steep for its steps.

Generalized-alpha uses the stiffness and damping of modes and loads.  Those of a user's function of
the state are differences at the start of a step.  If the function jumps, or changes faster than the
step shows, they are of no use, and the iteration converges only if the steps h, those asked for or
the last adaptive one, are short enough:
  h^2 beta |M^-1 dF/dq| + h gamma |M^-1 dF/dv| < 1                                           (1)
The eigenvalues in (1) are found by a few steps of power iteration with differences, one load at a
time; the load with the largest is responsible.

Other methods do not iterate, but steep friction or a stiff penalty given as a function holds their
steps at the left side of (1) about one, too.  Where functions have been called many times, and one
of them is that steep, it is named.  So is the plain function of a given motion whose derivatives
take many calls.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.tree.coordinates import error_sizes, moved
from ...errors import SimulationWarning, name_list
from ...kernels.layout import run
from ...kernels.run.registry import BODY_KINDS, JOINT_KINDS, NODE_KINDS
from ..run.machine import Machine
from ..run.plan import Plan

Array = np.ndarray

LOOK, MANY = 300, 10_000  # steps before the check, and in the whole run, for it to be slow
SHRUNK = 5  # or steps for each that was asked for
ITERATIONS = 4.0  # per step, from which on it is slow; two or three are normal
FAULT = 0.1  # left side of (1) from which on a load is responsible
CALLS = 20_000  # of plain functions before a run without iterations is looked at
COMPILED = 50.0  # so many times as many where functions are compiled
STEEP = 0.5  # left side of (1) from which on a load limits the steps of such a run
FURTHER = 300_000  # calls for derivatives by differences, some seconds
POWER = 4
POOR_DERIVATIVE = "its derivative at the start of a step does not hold within it"
NO_DERIVATIVE = "implicit steps do not have its derivative"
SHORTER = "give steps that resolve the nutation that it causes, or "
SPACINGS = 1e-6, 1e-4, 1e-2  # in sizes of coordinates: a jump shows in the longer ones


class Suspect(NamedTuple):
    """A load that may slow the iterations down."""

    places: list[int]  # offsets of its flags in the memory of a run
    # advice, reason: what to do, and why the iterations do without its derivative
    advice: str
    reason: str


class SlowIterations:
    """Monitor of a run that warns once."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.suspects = _suspects(machine.plan)
        self.pending = bool(self.suspects)
        self._next = float(LOOK)
        self._next_calls = CALLS * (1.0 if machine.plan.functions.has_plain else COMPILED)
        self._differences = True  # whether to look at calls for derivatives

    def look(self, stacklevel: int) -> None:
        """Warn if most of the work goes into iterations because of a load."""
        if self._differences and self.machine.plan.functions.all_further > FURTHER:
            self._differences = False
            self._warn_of_differences(stacklevel + 1)
        if not self.machine.settings.integrator.iterates:
            self._look_at_calls(stacklevel + 1)
            return
        machine, m = self.machine, self.machine.memory
        tried = float(m[run.N_STEPS] + m[run.N_REJECTED] + m[run.N_DIVIDED])
        done = machine.elapsed / machine.settings.duration
        if not self.pending or tried < self._next or m[run.N_ITERATIONS] < ITERATIONS * tried:
            return
        if tried < min(MANY, SHRUNK * self._n_steps) * done:
            return
        self._next = 2.0 * tried  # what is not found here may be found elsewhere
        name, rate, part = self._steepest()
        if part < FAULT:
            return
        self.pending = False
        culprit = _culprit(name)
        words = f"at this rate it takes {tried / done:.0g} steps" if done > 0 else "no progress"
        warnings.warn(
            f"the implicit steps are slowed down by {culprit}: it varies with the state at about "
            f"{rate:.2g} /s, and {self.suspects[name].reason}: a step needs "
            f"{m[run.N_ITERATIONS] / tried:.0f} iterations and is made as short as "
            f"{m[run.SMALLEST]:.2g} s ({tried:.0f} steps until t = {machine.time:.4g} s; {words}); "
            f'{self.suspects[name].advice}use an explicit method, such as integrator="dop853"',
            SimulationWarning,
            stacklevel,
        )

    def _look_at_calls(self, stacklevel: int) -> None:
        """Warn if functions are called often because one of them is too steep for the steps."""
        machine, m = self.machine, self.machine.memory
        if not self.pending or m[run.N_CALLS] < self._next_calls:
            return
        self._next_calls = 1.1 * m[run.N_CALLS]  # it may slide now, and stick later
        name, rate, part = self._steepest()
        if part < STEEP:
            return
        self.pending = False
        warnings.warn(
            f"{_culprit(name)} is steep and makes the steps short: it varies with the state at "
            f"about {rate:.2g} /s, steps of {m[run.LAST_STEP]:.2g} s ({m[run.N_CALLS]:.0f} calls "
            f"of functions until t = {machine.time:.4g} s); give it as a load whose derivatives "
            "are known (JointFriction, JointStop, JointSpring, JointDamper, Servo), compile it by "
            "numba.njit as f(time, q, v, out), or make it less steep",
            SimulationWarning,
            stacklevel,
        )

    def _warn_of_differences(self, stacklevel: int) -> None:
        """Warn that functions of time are called many times for their derivatives."""
        machine = self.machine
        names = name_list([what for what, _ in machine.plan.differences], show=str)
        warnings.warn(
            f"derivatives of a function of time ({names}) take most of its calls: "
            f"{machine.plan.functions.all_further} of {machine.memory[run.N_CALLS]:.0f} until "
            f"t = {machine.time:.4g} s; give velocity= and acceleration= (Motion) or rate= (Servo) "
            'with it, a Table(times, values, "smooth"), or compile it by numba.njit as '
            "f(time, out), which writes its derivatives too",
            SimulationWarning,
            stacklevel,
        )

    def _steepest(self) -> tuple[str, float, float]:
        """Name of the load with the largest left side of (1), its rate [1/s], and that side."""
        functions = self.machine.plan.functions
        halt, functions.halt = functions.halt, None  # the run ends after the look, not within it
        try:
            rates = {
                name: max((self._rate(one.places, x) for x in SPACINGS), key=lambda pair: pair[1])
                for name, one in self.suspects.items()
            }
        finally:
            functions.halt = halt
        name = max(rates, key=lambda x: rates[x][1])
        return name, *rates[name]

    @property
    def _n_steps(self) -> float:
        """Number of steps that were asked for; infinite if they are adaptive."""
        settings = self.machine.settings
        return np.inf if settings.adaptive else settings.duration / settings.step

    def _rate(self, places: list[int], spacing: float) -> tuple[float, float]:
        """Rate at which a load restores [1/s], and its contribution to (1)."""
        machine, settings = self.machine, self.machine.settings
        h = float(machine.memory[run.LAST_STEP]) if settings.adaptive else settings.step
        sizes = error_sizes(machine.system)[0]
        values = []
        for of_speeds in (True, False):
            x, largest = sizes * np.cos(np.arange(len(sizes))), 0.0
            for _ in range(POWER):
                y = self._change(places, spacing * x, of_speeds) / spacing
                largest = float(np.abs(y / sizes).max())
                if not 0 < largest < np.inf:
                    break
                x = y / largest
            values.append(largest if np.isfinite(largest) else 0.0)
        return max(values[0], np.sqrt(values[1])), h * values[0] / 2 + h * h * values[1] / 4

    def _change(self, places: list[int], x: Array, of_speeds: bool) -> Array:
        """Change of the accelerations by a load if speeds or coordinates change by x."""
        machine, t = self.machine, self.machine.time
        q, v = machine.q.copy(), machine.v.copy()
        there = (q, v + x) if of_speeds else (moved(machine.system, q, x), v)
        active = machine.memory[places].copy()
        rows = []
        for on in (1.0, 0.0):
            machine.memory[places] = on * active
            rows += [machine.accelerations(t, *where)[1] for where in (there, (q, v))]
        machine.memory[places] = active
        machine.plan.functions.taken()
        a = machine.columns.part(np.array(rows), "acceleration")
        return np.asarray((a[0] - a[1]) - (a[2] - a[3]))


def _culprit(name: str) -> str:
    """Load in words."""
    return "the function given as forces" if name == "forces" else name


def _suspects(plan: Plan) -> dict[str, Suspect]:
    """Loads handled by iteration, by their labels."""
    names = {place: label for label, places in plan.active.items() for place in places}
    suspects: dict[str, Suspect] = {}
    for kind in ("forces", "loop_forces", "node_loads", "body_loads", "pairs"):
        rows = {int(row.active) if kind == "pairs" else id(row): row for row in plan.rows[kind]}
        for row in rows.values():  # all contacts of a set are one load
            if advice := _advice(plan, kind, row):
                reason = NO_DERIVATIVE if kind == "body_loads" else POOR_DERIVATIVE
                one = Suspect([], advice, reason)
                place = int(row.active)
                suspects.setdefault(names[place], one).places.append(place)
    return suspects


def _advice(plan: Plan, kind: str, row: run.LoadRow) -> str:
    """Advice for a load; empty if the method has its derivative, or the load has none."""
    if kind == "body_loads":  # wheels turn their momentum with the body, whatever drives them
        return SHORTER if BODY_KINDS[row.kind].advice else ""
    kinds: list[Any] = NODE_KINDS if kind in ("node_loads", "pairs") else JOINT_KINDS
    if row.signal:
        if plan.signal_row(row.signal).kind != run.CALLED:
            return ""
    return str(kinds[row.kind].advice)
