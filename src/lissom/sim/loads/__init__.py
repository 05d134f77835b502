"""Loads, one file each: its class, with its fields, and its kernels."""

from __future__ import annotations

from .actuator import Actuator
from .central_gravity import CentralGravity
from .contact import Contact, Contacts
from .controller import Controller
from .drive import Drive, flexible_drive
from .gravity_gradient import GravityGradient
from .joint_damper import JointDamper
from .joint_friction import JointFriction
from .joint_spring import JointSpring
from .joint_stop import JointStop
from .latch import Latch as Latch
from .load import Load
from .motion import Motion
from .node_force import NodeForce
from .node_spring import NodeSpring
from .rotor import Rotor
from .servo import Servo

__all__ = [
    "LOADS",
    "Actuator",
    "CentralGravity",
    "Contact",
    "Contacts",
    "Controller",
    "Drive",
    "GravityGradient",
    "JointDamper",
    "JointFriction",
    "JointSpring",
    "JointStop",
    "Load",
    "Motion",
    "NodeForce",
    "NodeSpring",
    "Rotor",
    "Servo",
    "flexible_drive",
]

# All loads that a model file can hold: those above with a kind in files
LOADS: tuple[type[Load], ...] = tuple(x for x in Load.__subclasses__() if x.file_kind)
