"""Small mechanisms that several tests share."""

from __future__ import annotations

from functools import cache

import lissom as ls

BOOM = ls.beam(
    2.0, ls.Tube(radius=0.05, thickness=0.002), ls.ALUMINIUM, bending=(2, 1), torsion=0, stretch=0
)


def boom(modes=5, **keywords):
    section = ls.Rectangle(width=0.02, height=0.03)
    return ls.beam(1.5, section, ls.ALUMINIUM, modes=modes, **keywords)


def branched(gravity=(1.0, -2.0, -9.0), tip_mass=3.0, level="full"):
    """Free hub, flexible branches, two children on one node, another node further in."""
    model = ls.Model("branched", gravity=gravity)
    model.add(ls.RigidBody.box(40.0, (1, 1.2, 0.8), com=(0.1, 0, 0.05)), ls.Free(), name="hub")
    model.add(boom(), ls.Revolute((0, 1, 1)), to="hub", at=(0.5, 0, 0), name="left")
    model.add(boom(), ls.Spherical(), to="left.tip", name="middle")
    model.add(ls.RigidBody.sphere(tip_mass, 0.1), ls.Universal("x", "y"), to="left.tip", name="a")
    model.add(ls.RigidBody.sphere(tip_mass, 0.2), ls.Planar((1, 2, 3)), to="left", node=9, name="b")
    model.add(
        ls.RigidBody.sphere(tip_mass, 0.2, com=(0.1, 0.1, 0)),
        ls.Revolute("z"),
        to="middle.tip",
        name="c",
    )
    return model.compile(level=level)


def arm_with_hand(mass=1.0, modes=1, level="linear"):
    """A beam on a hinge, with a hand on a universal joint at its tip."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    link = ls.beam(
        1.0, ls.Rectangle(0.02, 0.01), ls.ALUMINIUM, bending=modes, torsion=0, stretch=0,
        level=level,
    )  # fmt: skip
    model.add(link, ls.Revolute("y"), name="link")
    hand = ls.RigidBody(mass, com=(0.1, 0, 0.02), inertia=(0.01, 0.02, 0.03))
    model.add(hand, ls.Universal("x", "z"), to="link.tip", name="hand")
    return model.compile()


def driven_arm(joint=None):
    """An arm of 2 kg on a drive, and the drive's load."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    body = ls.RigidBody.rod(2.0, 0.6, com=(0.3, 0, 0))
    model.add(body, joint or ls.Revolute((0, -1, 0)), name="arm")
    drive = ls.flexible_drive(
        model, "arm", stiffness=4e3, damping=2.0, ratio=50.0, rotor_inertia=1e-4
    )
    return model, drive


@cache
def pendulum() -> ls.System:
    """A rod of 1 kg and 2 m on a hinge, level where the angle is zero."""
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    return model.compile()


def sled(mass=1.0):
    """A mass on a rail along x."""
    model = ls.Model("sled")
    model.add(ls.RigidBody.box(mass, (1, 1, 1)), ls.Prismatic("x"), name="sled")
    return model.compile()


def free_mass() -> ls.System:
    """One kilogram on a rail along x."""
    model = ls.Model("mass")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="mass")
    return model.compile()
