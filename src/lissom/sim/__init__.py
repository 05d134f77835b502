"""Simulation: loads, integrators, events, and the run itself."""

from __future__ import annotations

from .assembling import assemble
from .controllers import Controller
from .drift import Baumgarte
from .drives import Drive, flexible_drive
from .equilibrium import equilibrium
from .events import Action, Event, Lock, Release, Stop, Switch
from .integrators import (
    DormandPrince5,
    DormandPrince8,
    EulerCromer,
    GeneralizedAlpha,
    Integrator,
    LinearlyImplicitEuler,
    RungeKutta4,
)
from .joint_loads import Actuator, JointDamper, JointFriction, JointSpring, JointStop
from .loads import Load
from .motions import Motion
from .node_loads import NodeForce, NodeSpring
from .signals import Table
from .simulate import simulate

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
    "Stop",
    "Switch",
    "Table",
    "assemble",
    "equilibrium",
    "flexible_drive",
    "simulate",
]
