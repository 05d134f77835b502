"""Simulation: loads, integrators, events, and the run itself."""

from __future__ import annotations

from .assembling import assemble
from .drift import Baumgarte
from .equilibrium import equilibrium
from .events.event import Action, Event, Lock, Release, Stop, Switch
from .integrators import (
    DormandPrince5,
    DormandPrince8,
    EulerCromer,
    GeneralizedAlpha,
    Integrator,
    LinearlyImplicitEuler,
    RungeKutta4,
)
from .loads import (
    Actuator,
    Controller,
    Drive,
    JointDamper,
    JointFriction,
    JointSpring,
    JointStop,
    Load,
    Motion,
    NodeForce,
    NodeSpring,
    Servo,
    flexible_drive,
)
from .signals.signal import Table
from .simulate import simulate
from .stepper import Stepper

__all__ = [
    "Action",
    "Actuator",
    "Baumgarte",
    "Controller",
    "DormandPrince5",
    "DormandPrince8",
    "Drive",
    "EulerCromer",
    "Event",
    "GeneralizedAlpha",
    "Integrator",
    "JointDamper",
    "JointFriction",
    "JointSpring",
    "JointStop",
    "LinearlyImplicitEuler",
    "Load",
    "Lock",
    "Motion",
    "NodeForce",
    "NodeSpring",
    "Release",
    "RungeKutta4",
    "Servo",
    "Stepper",
    "Stop",
    "Switch",
    "Table",
    "assemble",
    "equilibrium",
    "flexible_drive",
    "simulate",
]
