"""Limits of a run: longest step, sampling inside steps, largest plausible motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...algorithms.tree.coordinates import error_sizes
from ...bodies.rod_tables import EPS_X
from ...kernels.run import fields as run
from ...system import System
from .plan import Plan
from .settings import Settings

Array = np.ndarray

FEWEST_STEPS = 10  # least number of adaptive steps in a run
PROBES = 4096  # samples inside adaptive steps over the whole run
MOST_PROBES = 64  # largest number in one step: a run can end only between two steps
FASTEST = 1e9  # [1/s] sizes per second; for a mechanism of 1 m three times the speed of light
FARTHEST = 10.0  # largest displacement of a node by a mode, in lengths of the body, or turn [rad]


@dataclass(frozen=True)
class Bounds:
    """Limits of adaptive steps.

    Attributes
    ----------
    step : float
        Longest step [s].
    probe : float
        Time between samples inside steps [s].
    look : int
        What is sampled there: sum of LOOK_AT_FORCES, LOOK_AT_EVENTS and LOOK_AT_KINKS.
    stops : list of float
        Times that no step crosses [s].
    """

    step: float
    probe: float
    look: int
    stops: list[float]


def bounds_of(plan: Plan, settings: Settings) -> Bounds:
    """Limits of the steps of a run, with the sampling inside them.

    User functions and events may change arbitrarily between two stages of a step.  Steps end at
    the corners of tables; smooth tables are sampled like functions, unless their points are too
    close together for that.
    """
    probe = min(settings.duration / PROBES, settings.output_step or np.inf, settings.max_step)
    if not settings.adaptive:  # nothing is sampled; what a step is must not depend on the duration
        probe = settings.step
    stops, smooth = list(plan.stops), False
    for times in plan.knots:
        inside = times[times > settings.start]
        if settings.adaptive:
            inside = inside[inside < settings.end]
        if len(inside) > 1 and np.diff(inside).min() < probe:
            stops += list(inside)
        else:
            smooth = True
    called = any(row[run.S_KIND] == run.CALLED for row in plan.signals)
    look = run.LOOK_AT_FORCES * (called or smooth) + run.LOOK_AT_EVENTS * bool(plan.events)
    look += run.LOOK_AT_KINKS * plan.watches
    if not settings.adaptive:
        return Bounds(settings.step, probe, look & run.LOOK_AT_KINKS, stops)
    step = settings.max_step
    if step == np.inf:
        step = settings.duration / FEWEST_STEPS
    if look:
        step = min(step, probe if _is_blind(settings, look) else MOST_PROBES * probe)
    if settings.integrator.implicit:
        look &= run.LOOK_AT_EVENTS | run.LOOK_AT_KINKS
    return Bounds(step, probe, look, stops)


def _is_blind(settings: Settings, look: int) -> bool:
    """Whether what has to be sampled inside steps cannot be.

    Generalized-alpha has no interpolant; between the stages of an implicit method the accelerations
    of stiff motions are far from the derivative of one.
    """
    kind = settings.integrator
    needed = run.LOOK_AT_FORCES | (0 if kind.tableau else run.LOOK_AT_EVENTS)
    return kind.implicit and look & needed != 0


def reasonable(system: System) -> Array:
    """Largest plausible speeds and modal coordinates of a run, (2, n_v).

    A motion beyond these is not that of the mechanism: the model is unstable there, or the steps
    are too long.
    """
    position, _ = error_sizes(system)
    deflection = np.full(system.n_v, np.inf)
    for i, body in enumerate(system.bodies):
        modal = system.layout.modal_v(i)
        deflection[modal] = FARTHEST * position[modal]
        if body.rod is not None:  # each piece between stations may turn as far as another body
            deflection[modal] *= np.where(body.rod.strains < EPS_X, len(body.rod.masses), 1)
    return np.stack([FASTEST * position, deflection])
