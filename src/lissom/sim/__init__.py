"""Simulation: loads, integrators, events, and the run itself."""

from __future__ import annotations

from . import integrators, loads
from .assembling import assemble
from .drift import Baumgarte
from .equilibrium import equilibrium
from .events.event import Action, Event, Lock, Release, Stop, Switch
from .events.gap import Gap
from .events.rigid_impact import RigidImpact
from .integrators import *  # noqa: F403
from .load_derivatives import LoadDerivatives, load_derivatives
from .loads import *  # noqa: F403
from .sensitivities.run_derivatives import Gradient, Sensitivity, gradient, sensitivity
from .signals.signal import Table
from .signals.with_derivatives import WithDerivatives
from .simulate import simulate
from .stepper import Stepper

__all__ = [
    "Action",
    "Baumgarte",
    "Event",
    "Gap",
    "Gradient",
    "LoadDerivatives",
    "Lock",
    "Release",
    "RigidImpact",
    "Sensitivity",
    "Stepper",
    "Stop",
    "Switch",
    "Table",
    "WithDerivatives",
    "assemble",
    "equilibrium",
    "gradient",
    "load_derivatives",
    "sensitivity",
    "simulate",
]
__all__ += integrators.__all__
__all__ += loads.__all__
