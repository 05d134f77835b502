"""A four-bar linkage described in two ways."""

import lissom as ls

Y = ls.Revolute("y")
LENGTHS = {"crank": 1.0, "coupler": 2.5, "rocker": 2.0}
BASE = 2.2  # between the two joints on the ground


def link(length):
    return ls.RigidBody(1.0 + length, com=(length / 2, 0, 0.1), inertia=(0.1, 0.4, 0.45))


def four_bar_of_joins():
    model = ls.Model("four-bar", gravity=(0, 0, -9.81))
    for name, length in LENGTHS.items():
        model.add(link(length), None, name=name)
    model.join(Y, None, "crank", name="A")
    model.join(Y, "coupler", "crank", at_b=(1.0, 0, 0), name="B")
    model.join(Y, "coupler", "rocker", at_a=(2.5, 0, 0), at_b=(2.0, 0, 0), name="C")
    model.join(Y, "rocker", None, at_b=(BASE, 0, 0), name="D")
    return model


def four_bar_of_a_chain():
    """The same as a chain from the crank's side that is closed on the ground."""
    model = ls.Model("four-bar", gravity=(0, 0, -9.81))
    model.add(link(1.0), Y, name="crank")
    model.add(link(2.5), Y, to="crank", at=(1.0, 0, 0), name="coupler")
    model.add(ls.RigidBody(0.0), Y, to="coupler", at=(2.5, 0, 0), name="end of the rocker")
    model.add(link(2.0), ls.Fixed(), to="end of the rocker", at=(-2.0, 0, 0), name="rocker")
    model.close(Y, None, "rocker", at_a=(BASE, 0, 0), name="D")
    return model
