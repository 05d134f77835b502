"""Rows of loops: windows side by side on the ground, and ladders of windows on each other."""

from __future__ import annotations

import numpy as np

import lissom as ls

UPRIGHT = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
END = (1, 0, 0)


def bar() -> ls.RigidBody:
    """Thin uniform rod of 1 kg and 1 m along x."""
    return ls.RigidBody(1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12))


def window_row(n: int, gravity: float = 9.81) -> ls.System:
    """Cranks "crank0".. upright at zero, on each but the last a coupler; gravity along -y.

    The "N-four-bar" of M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, Multibody System Dynamics
    16, 2006.
    """
    model = ls.Model(f"{n} windows", gravity=(0, -gravity, 0))
    for k in range(n + 1):
        model.add(bar(), ls.Revolute("z"), name=f"crank{k}", at=(k, 0, 0), rotation=UPRIGHT)
    for k in range(n):
        crank, coupler, other = f"crank{k}", f"coupler{k}", f"crank{k + 1}"
        model.add(bar(), ls.Revolute("z"), to=crank, at=END, rotation=UPRIGHT.T, name=coupler)
        model.close(ls.Revolute("z"), coupler, other, at_a=END, at_b=END, name=f"corner{k}")
    return model.compile()


def window_state(system: ls.System, angle: float, rate: float) -> ls.State:
    """State with all cranks at an angle from the upright, towards +x, and at its rate."""
    n = (system.n_body - 1) // 2
    cranks = {f"crank{k}": -angle for k in range(n + 1)}
    couplers = {f"coupler{k}": angle for k in range(n)}
    rates = {f"crank{k}.rates": -rate for k in range(n + 1)}
    rates |= {f"coupler{k}.rates": rate for k in range(n)}
    return system.state(**cranks, **couplers, **rates)


def ladder(n: int) -> ls.System:
    """Free rungs "rung0".., between each two of them the bars "left0" and "right0", pinned."""
    model = ls.Model(f"ladder of {n}", gravity=(0, 0, 0))
    model.add(bar(), ls.Free(), name="rung0")
    for k in range(n):
        left, right, rung = f"left{k}", f"right{k}", f"rung{k + 1}"
        model.add(bar(), ls.Revolute("z"), to=f"rung{k}", rotation=UPRIGHT, name=left)
        model.add(bar(), ls.Revolute("z"), to=f"rung{k}", at=END, rotation=UPRIGHT, name=right)
        model.add(bar(), ls.Revolute("z"), to=left, at=END, rotation=UPRIGHT.T, name=rung)
        model.close(ls.Revolute("z"), right, rung, at_a=END, at_b=END, name=f"pin{k}")
    return model.compile()


def ladder_state(system: ls.System, angle: float, rate: float) -> ls.State:
    """State with the bars of windows at angles that alternate, at rates that do not."""
    sizes = {k: angle * (-1) ** k for k in range(system.n_body // 3)}
    values = {f"{side}{k}": x for k, x in sizes.items() for side in ("left", "right")}
    values |= {f"rung{k + 1}": -x for k, x in sizes.items()}
    rates = {f"{side}{k}.rates": rate for k in sizes for side in ("left", "right")}
    rates |= {f"rung{k + 1}.rates": -rate for k in sizes}
    return system.state(**values, **rates)
