"""Systems to be drawn: an arm that bends, and a closed linkage."""

from __future__ import annotations

import lissom as ls

BOOM = ls.beam(
    2.0, ls.Tube(radius=0.02, thickness=0.002), ls.ALUMINIUM, bending=1, torsion=0, stretch=0
)


def arm():
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(BOOM, ls.Revolute("y"), name="boom")
    model.add(ls.RigidBody.sphere(0.5, 0.05), ls.Fixed(), to="boom.tip", name="ball")
    return model.compile()


def linkage():
    link = ls.RigidBody.box(1.0, (1.0, 0.05, 0.05), com=(0.5, 0, 0))
    bar = ls.RigidBody.box(2.0, (2.0, 0.05, 0.05), com=(1, 0, 0))
    model = ls.Model("four-bar", gravity=(0, -9.81, 0))
    model.add(link, ls.Revolute("z"), name="crank")
    model.add(bar, ls.Revolute("z"), to="crank", at=(1, 0, 0), name="coupler")
    model.add(link, ls.Revolute("z"), at=(2, 0, 0), name="rocker")
    model.close(ls.Revolute("z"), "coupler", "rocker", at_a=(2, 0, 0), at_b=(1, 0, 0), name="pin")
    return model.compile()


ARM, LINKAGE = arm(), linkage()
CLOSED = LINKAGE.state(crank=0.7, coupler=-0.7, rocker=0.7)
