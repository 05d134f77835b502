"""Balls that fall on planes, and an arm with a stop plate."""

from __future__ import annotations

import numpy as np

import lissom as ls
from lissom import shapes
from lissom.sim.loads.contact import Contact, Hertz

RADIUS = 0.01  # steel ball [m]
MASS = 4 / 3 * np.pi * RADIUS**3 * 7850  # [kg]
STEEL = 15384615384.6  # [N/m^1.5] of steel on steel, Johnson, Contact Mechanics, (4.22)
LOSSY = Hertz(stiffness=1e7, restitution=0.6, at_speed=1.0)


def falling_ball(gravity=0.0, joint=None):
    """Ball above the ground."""
    model = ls.Model("drop", gravity=(0, 0, -gravity))
    model.add(ls.RigidBody.sphere(MASS, RADIUS), joint or ls.Prismatic("z"), name="ball")
    return model.compile()


def ground_contact(system, law, friction=None, *, swapped=False, name="foot", **more):
    """Contact of the ball with the ground."""
    ball, ground = system.shape("ball", shapes.Sphere(RADIUS)), shapes.HalfSpace()
    pair = (ground, ball) if swapped else (ball, ground)
    return Contact(*pair, law, friction, name=name, **more)


def barbell():
    """Rod with a ball at each end, in the plane xz, and its contact of two points."""
    model = ls.Model("barbell", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.box(0.1, (0.1, 0.01, 0.01)), ls.Planar((0, -1, 0)), name="rod")
    system = model.compile()
    capsule = shapes.Capsule(0.005, 0.1, rotation={"rpy": (0, np.pi / 2, 0)})
    return system, system.shape("rod", capsule)


def stopped_arm():
    """Arm that swings down onto a plate, and the ball at its end."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    body = ls.RigidBody.box(1.0, (0.5, 0.05, 0.05), com=(0.25, 0, 0))
    model.add(body, ls.Revolute("y"), name="arm")
    system = model.compile()
    tip = system.shape("arm", shapes.Sphere(0.02, at=(0.5, 0, 0)))
    plate = shapes.HalfSpace(at=(0, 0, -0.1))
    return system, Contact(tip, plate, Hertz(stiffness=1e6), name="stop")
