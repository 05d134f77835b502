"""
Joints and equations as formulas
================================

The three programs of Kwatny & Blankenship 1995: a joint, a thin disk, an arm of six degrees of
freedom. Each joint is made twice, *simple* and *compound*: the configurations are the same, the
speeds are not, and the equations of the simple one are shorter. Numbers in brackets are equations
of the paper.
"""

from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from sympy import Rational as Q

import lissom as ls
from lissom.symbolic import derive, joint_configuration, joint_kinematics, joint_map

X, Y, Z = np.eye(6, dtype=int)[:3]  # rotations about the axes, as columns of joint maps


def show(title, value):
    """A matrix under its title."""
    print(f"\n{title}\n{sp.pretty(value, wrap_line=False)}")


def listed(title, values):
    """Long entries under their title, each from a new line."""
    print(f"\n{title}")
    for k, x in enumerate(values, start=1):
        print(fill(str(x), 96, initial_indent=f"  {k}  ", subsequent_indent=5 * " "))


# %%
# Three rotations, one after the other. A simple joint is given by one map of all columns, its
# rates are not the speeds. A compound joint is a sequence of joints, its map is not constant.

angles = "t1 t2 t3"
show("rotation of both joints (E 35b)", joint_configuration([X, Y, Z], angles)[:3, :3])
show("simple: kinematics (the map is constant)", joint_kinematics(np.transpose([X, Y, Z]), angles))
show("compound: map (E 35a) (the kinematics are 1)", joint_map([X, Y, Z], angles))

# %%
# A thin disk of 5 kg and radius 2 m, free to turn about its centre: Poincaré's equations of the
# simple joint are Euler's, those of the compound joint are Lagrange's.


def joint(columns, kind):
    """One joint of these columns, "simple", or a sequence of joints, "compound"."""
    return (
        ls.CompoundJoint(columns) if kind == "compound" else ls.SimpleJoint(np.transpose(columns))
    )


for kind in ("simple", "compound"):
    model = ls.Model("disk")
    model.add(ls.RigidBody(5, inertia=(5, 5, 10)), joint([X, Y, Z], kind), name="disk")
    equations = derive(model, coordinates=angles, speeds="w1 w2 w3")
    show(f"{kind}: M", equations.mass)
    listed(f"{kind}: C p", equations.velocity_force)

# %%
# An arm of six degrees of freedom, two slender bars and a gripper. The shoulder is compound, or
# its two axes were no joint; the wrist is made in both ways.


def arm(wrist):
    """Equations of the arm with this kind of wrist."""
    model = ls.Model("arm", gravity=(0, 0, -sp.Symbol("g", positive=True)))
    bar = ls.RigidBody(1, com=(0, 0, Q(3, 2)), inertia=(Q(3, 4), Q(3, 4), 0))
    m, R, L = Q(1, 2), Q(7, 20), Q(7, 10)
    across = m * (L**2 + 3 * R**2) / 12
    gripper = ls.RigidBody(m, com=(0, 0, L / 2), inertia=(across, across, m * R**2 / 2))
    model.add(bar, joint([Y, Z], "compound"), name="upper")
    model.add(bar, ls.Revolute("y"), to="upper", at=(0, 0, 3), name="lower")
    model.add(gripper, joint([Y, Z, X], wrist), to="lower", at=(0, 0, 3), name="gripper")
    return derive(model, coordinates="s1 s2 e t1 t2 t3", speeds="w1 w2 u1 v1 v2 v3")


arms = {kind: arm(kind) for kind in ("compound", "simple")}
listed("potential energy", [arms["simple"].potential])
listed("position of the end effector", arms["simple"].pose("gripper", at=(0, 0, Q(7, 10)))[:3, 3])
for kind, equations in arms.items():
    listed(f"{kind} wrist: last row of M", equations.mass[5, :])

# %%
# Written out, the mass matrix of the simple wrist is the shorter one. In a program, which
# computes nothing twice, both are far shorter.

written = {kind: sp.count_ops(equations.mass) for kind, equations in arms.items()}
program = {kind: each.staged("mass", "bias").operations for kind, each in arms.items()}
ratio = written["simple"] / written["compound"]
print(f"M of the simple wrist takes {ratio:.0%} of the operations of the compound one's.")
assert 0.82 < ratio < 0.94

figure, axes = plt.subplots(1, 2, figsize=(8, 2.6), layout="constrained")
titles = ("M, written out", "M and C p + F, as a program")
for panel, sizes, title in zip(axes, (written, program), titles, strict=True):
    panel.bar_label(panel.barh(list(sizes), list(sizes.values()), color=["C0", "C1"]), padding=3)
    panel.set(xlabel="operations", title=title)
    panel.margins(x=0.2)
plt.show()
