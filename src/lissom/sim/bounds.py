"""Bounds of a run: its longest step, how closely steps are looked into, motion beyond reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algorithms._kernels.simulation import fields as run
from ..system import System
from .plan import Plan
from .scales import error_sizes
from .settings import Settings

__all__ = ["Bounds", "bounds_of", "reasonable"]

Array = np.ndarray

FEWEST_STEPS = 10  # adaptive steps that a run has at least
PROBES = 4096  # looks inside adaptive steps, over the whole run
MOST_PROBES = 64  # in one step: a run can end only between two steps
FASTEST = 1e9  # [1/s] sizes in a second; of a machine of one metre, three times the speed of light
FARTHEST = 10.0  # lengths of a body by which a mode may move a node


@dataclass(frozen=True)
class Bounds:
    """Bounds of adaptive steps.

    Attributes
    ----------
    step : float
        Longest step [s].
    probe : float
        Time between looks inside steps [s].
    look : int
        What is looked at there: LOOK_AT_FORCES, LOOK_AT_EVENTS, both or nothing.
    stops : list of float
        Instants that no step crosses [s].
    sudden : bool
        Whether functions of time may do something sudden.
    """

    step: float
    probe: float
    look: int
    stops: list[float]
    sudden: bool = False


def bounds_of(plan: Plan, settings: Settings) -> Bounds:
    """How long the steps of a run may be, and what is looked at inside them.

    Functions of the user and events may do anything between two stages of a step.  Tables with
    corners say where they are; smooth ones are looked at as functions are, unless their points are
    too close together for that.
    """
    probe = min(settings.duration / PROBES, settings.output_step or np.inf, settings.max_step)
    stops, smooth = list(plan.stops), False
    for times in plan.knots:
        inside = times[(times > settings.start) & (times < settings.end)]
        if len(inside) > 1 and np.diff(inside).min() < probe:
            stops += list(inside)
        else:
            smooth = True
    called = any(row[run.S_KIND] == run.CALLED for row in plan.signals)
    look = run.LOOK_AT_FORCES * (called or smooth) + run.LOOK_AT_EVENTS * bool(plan.events)
    if not settings.adaptive:
        return Bounds(settings.step, probe, 0, stops)
    step = settings.max_step
    if step == np.inf:
        step = settings.duration / FEWEST_STEPS
    if look:  # implicit methods have no interpolant to look inside with
        step = min(step, probe if settings.integrator.implicit else MOST_PROBES * probe)
    return Bounds(step, probe, look, stops, plan.timed or smooth)


def reasonable(system: System) -> Array:
    """Largest speeds, then largest coordinates of modes (2, n_v), that a run may reach.

    Beyond these a motion has nothing to do with the mechanism: the model is unstable there, or the
    steps are too long.
    """
    position, _ = error_sizes(system)
    deflection = np.full(system.n_v, np.inf)
    for i in range(system.n_body):
        modal = system.layout.modal_v(i)
        deflection[modal] = FARTHEST * position[modal]
    return np.stack([FASTEST * position, deflection])
