"""Mechanisms with couplings that several tests share."""

from __future__ import annotations

import numpy as np

import lissom as ls


def rotor(inertia: float, mass: float = 1.0) -> ls.RigidBody:
    """Disk that turns about z; the other moments are those of a thin disk."""
    return ls.RigidBody(mass, inertia=np.diag([inertia / 2, inertia / 2, inertia]))


def geared_rotors(
    inertias=(0.03, 0.5), ratios=(1.0, 3.0), offset: float = 0.0, **more: float
) -> ls.System:
    """Two rotors on the ground whose angles are coupled."""
    model = ls.Model("two rotors")
    model.add(rotor(inertias[0]), ls.Revolute("z"), name="motor")
    model.add(rotor(inertias[1]), ls.Revolute("z"), at=(0.4, 0, 0), name="wheel")
    model.couple(dict(zip(("motor", "wheel"), ratios, strict=True)), offset=offset, name="gear")
    return model.compile()


def flexible_arm(coupled: bool = True) -> ls.System:
    """Carriage with a flexible two-link arm whose elbow follows the shoulder by a belt."""
    section, material = ls.Tube(0.02, 0.001), ls.ALUMINIUM
    link = ls.beam(1.0, section, material, modes=4)
    model = ls.Model("belt", gravity=(0, -9.81, 0))
    model.add(ls.RigidBody.box(3.0, (0.2, 0.2, 0.2)), ls.Prismatic("x"), name="cart")
    model.add(link, ls.Revolute("z"), to="cart", name="upper")
    model.add(link, ls.Revolute("z"), to="upper.tip", name="lower")
    hand = ls.RigidBody.box(0.5, (0.1, 0.05, 0.05))
    model.add(hand, ls.Cylindrical("x"), to="lower.tip", name="hand")
    if coupled:
        model.couple({"upper": 2.0, "lower": 1.0}, offset=0.3, name="belt")
        model.couple({"cart": 1.0, "hand.slide": -0.5, "hand.angle": 0.02}, name="screw")
    return model.compile()
