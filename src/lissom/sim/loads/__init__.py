"""Loads, one file each: its class and checks, its kernels, and its fields in model files."""

from __future__ import annotations

from .actuator import Actuator
from .central_gravity import CentralGravity
from .controller import Controller
from .drive import Drive, flexible_drive
from .gravity_gradient import GravityGradient
from .joint_damper import JointDamper
from .joint_friction import JointFriction
from .joint_spring import JointSpring
from .joint_stop import JointStop
from .latch import Latch
from .load import FileField, Load
from .motion import Motion
from .node_force import NodeForce
from .node_spring import NodeSpring
from .rotor import Rotor
from .servo import Servo

__all__ = [
    "LOADS",
    "Actuator",
    "CentralGravity",
    "Controller",
    "Drive",
    "FileField",
    "GravityGradient",
    "JointDamper",
    "JointFriction",
    "JointSpring",
    "JointStop",
    "Latch",
    "Load",
    "Motion",
    "NodeForce",
    "NodeSpring",
    "Rotor",
    "Servo",
    "flexible_drive",
]

# All loads that a model file can hold.  A new load is added here and in `lissom.__init__`.
LOADS: tuple[type[Load], ...] = (
    Actuator,
    JointSpring,
    JointDamper,
    JointFriction,
    JointStop,
    Servo,
    NodeForce,
    NodeSpring,
    CentralGravity,
    GravityGradient,
    Rotor,
    Motion,
    Controller,
    Drive,
)
