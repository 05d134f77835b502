"""A four-bar linkage compared with intersecting circles."""

from __future__ import annotations

import numpy as np

from ..algorithms import closure
from ..bodies import RigidBody
from ..joints import Revolute
from ..model import Model
from ..sim import assemble
from ..system import State, System
from .check import Check

CRANK, COUPLER, ROCKER, BASE = 1.0, 2.5, 2.0, 2.2
ANGLE, STEP = 0.7, 1e-5


def _linkage() -> System:
    def bar(length: float) -> RigidBody:
        return RigidBody.box(length, (length, 0.1, 0.1), com=(length / 2, 0, 0))

    model = Model("four-bar", gravity=(0, 0, -9.81))
    model.add(bar(CRANK), Revolute("y"), name="crank")
    model.add(bar(COUPLER), Revolute("y"), to="crank", at=(CRANK, 0, 0), name="coupler")
    model.add(bar(ROCKER), Revolute("y"), at=(BASE, 0, 0), name="rocker")
    ends = {"at_a": (COUPLER, 0, 0), "at_b": (ROCKER, 0, 0)}
    model.close(Revolute("y"), "coupler", "rocker", name="pin", **ends)
    return model.compile()


def _rocker(angle: float) -> float:
    """Angle of the rocker, by intersecting circles about the crank's pin and the rocker's base."""
    tip, base = CRANK * np.array([np.cos(angle), -np.sin(angle)]), np.array([BASE, 0.0])
    apart = np.linalg.norm(base - tip)
    along = (COUPLER**2 - ROCKER**2 + apart**2) / (2 * apart)
    towards = (base - tip) / apart
    across = np.sqrt(COUPLER**2 - along**2) * np.array([towards[1], -towards[0]])
    pin = tip + along * towards + across - base
    return float(np.arctan2(-pin[1], pin[0]))


def _closed() -> tuple[System, State]:
    system = _linkage()
    guess = system.state(crank=ANGLE, coupler=_coupler(), rocker=_rocker(ANGLE) + 0.2)
    return system, assemble(system, guess, held=["crank"])


def _coupler() -> float:
    """Approximate angle of the coupler relative to the crank."""
    angle = _rocker(ANGLE)
    pin = np.array([BASE + ROCKER * np.cos(angle), -ROCKER * np.sin(angle)])
    way = pin - CRANK * np.array([np.cos(ANGLE), -np.sin(ANGLE)])
    return float(np.arctan2(-way[1], way[0])) - ANGLE


def _position() -> float:
    """Angle of the rocker [rad]."""
    _, state = _closed()
    return abs(float(state["rocker"][0]) - _rocker(ANGLE))


def _ratio() -> float:
    """Speed of the rocker for unit speed of the crank, compared with finite differences."""
    system, state = _closed()
    way = closure(system, state).basis[:, 0]
    ratio = way[system.layout.hinge_v("rocker")][0] / way[system.layout.hinge_v("crank")][0]
    expected = (_rocker(ANGLE + STEP) - _rocker(ANGLE - STEP)) / (2 * STEP)
    return float(abs(ratio - expected))


LOOPS = (
    Check("four-bar: angle by intersecting circles", 1e-10, _position),
    Check("four-bar: ratio of speeds", 1e-8, _ratio),
)
