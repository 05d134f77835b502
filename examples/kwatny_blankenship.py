"""The three programs of Kwatny & Blankenship 1995: joint, thin disk, arm of six degrees of freedom.

Each joint is made twice, simple and compound: the configurations are the same, the speeds are not,
and the equations of the simple one are shorter.  Numbers in brackets are equations of the paper.

    python examples/kwatny_blankenship.py
"""

from textwrap import fill

import numpy as np
import sympy as sp
from sympy import Rational as Q

import lissom as ls
from lissom.symbolic import derive, joint_configuration, joint_kinematics, joint_map

X, Y, Z = np.eye(6, dtype=int)[:3]  # rotations about the axes, as columns of joint maps


def joint(columns, kind):
    """One joint of these columns, "simple", or a sequence of joints, "compound"."""
    return (
        ls.CompoundJoint(columns) if kind == "compound" else ls.SimpleJoint(np.transpose(columns))
    )


def disk(kind):
    """Thin disk of 5 kg and radius 2 m, free to turn about its centre."""
    model = ls.Model("disk")
    model.add(ls.RigidBody(5, inertia=(5, 5, 10)), joint([X, Y, Z], kind), name="disk")
    return derive(model, coordinates="t1 t2 t3", speeds="w1 w2 w3")


def arm(wrist):
    """Two slender bars and a gripper; the shoulder is compound, or its two axes were no joint."""
    g = sp.Symbol("g", positive=True)
    model = ls.Model("arm", gravity=(0, 0, -g))
    bar = ls.RigidBody(1, com=(0, 0, Q(3, 2)), inertia=(Q(3, 4), Q(3, 4), 0))
    m, R, L = Q(1, 2), Q(7, 20), Q(7, 10)
    across = m * (L**2 + 3 * R**2) / 12
    gripper = ls.RigidBody(m, com=(0, 0, L / 2), inertia=(across, across, m * R**2 / 2))
    model.add(bar, joint([Y, Z], "compound"), name="upper")
    model.add(bar, ls.Revolute("y"), to="upper", at=(0, 0, 3), name="lower")
    model.add(gripper, joint([Y, Z, X], wrist), to="lower", at=(0, 0, 3), name="gripper")
    return derive(model, coordinates="s1 s2 e t1 t2 t3", speeds="w1 w2 u1 v1 v2 v3")


def show(title, value):
    """A matrix under its title."""
    print(f"\n{title}\n{sp.pretty(value, wrap_line=False)}")


def listed(title, values):
    """Long entries under their title, each from a new line."""
    print(f"\n{title}")
    for k, x in enumerate(values, start=1):
        print(fill(str(x), 96, initial_indent=f"  {k}  ", subsequent_indent=5 * " "))


def report_joints():
    """Configuration, kinematics and joint map of three rotations."""
    print("THREE ROTATIONS")
    columns, angles = [X, Y, Z], "t1 t2 t3"
    show("rotation of both joints (35b)", joint_configuration(columns, angles)[:3, :3])
    show(
        "simple: kinematics (the map is constant)", joint_kinematics(np.transpose(columns), angles)
    )
    show("compound: map (35a) (the kinematics are 1)", joint_map(columns, angles))


def report_disks():
    """Poincare's equations, which are Euler's, and Lagrange's."""
    print("\n\nTHIN DISK, M pdot + C p = Q")
    for kind in ("simple", "compound"):
        equations = disk(kind)
        show(f"{kind}: M", equations.mass)
        listed(f"{kind}: C p", equations.velocity_force)


def report_arms():
    """Potential, last rows and sizes; return the operations of M by kind of wrist."""
    print("\n\nARM OF SIX DEGREES OF FREEDOM")
    arms = {kind: arm(kind) for kind in ("compound", "simple")}
    listed("potential energy", [arms["simple"].potential])
    position = arms["simple"].pose("gripper", at=(0, 0, Q(7, 10)))[:3, 3]
    listed("position of the end effector", position)
    sizes = {}
    for kind, equations in arms.items():
        listed(f"{kind} wrist: last row of M", equations.mass[5, :])
        program = equations.staged("mass", "bias").operations
        sizes[kind] = sp.count_ops(equations.mass)
        print(f"\n  {sizes[kind]} operations in M, {program} in a program for M and C p + F")
    return sizes


def main():
    """Run the three; return operations of the simple wrist's M by those of the compound one's."""
    report_joints()
    report_disks()
    sizes = report_arms()
    ratio = sizes["simple"] / sizes["compound"]
    print(f"\nsimple wrist by compound wrist: {ratio:.0%} of the operations in M")
    return ratio


if __name__ == "__main__":
    main()
