"""A shape of each kind, and mechanisms with shapes."""

from __future__ import annotations

import lissom as ls
from lissom import shapes

PLACE = {"at": (0.3, -0.1, 0.2), "rotation": {"rpy": (0.3, -0.2, 0.5)}, "color": "#a0b0c0"}
SHAPES = {
    "sphere": shapes.Sphere(0.2, **PLACE),
    "half_space": shapes.HalfSpace((1, 2, 3), extent=2.0, **PLACE),
    "capsule": shapes.Capsule(0.1, 0.5, **PLACE),
    "box": shapes.Box((1, 2, 3), rounding=0.1, **PLACE),
    "cylinder": shapes.Cylinder(0.3, 0.8, rim=0.05, **PLACE),
    "bore": shapes.Bore(0.1, 0.3, **PLACE),
    "shell": shapes.Shell(0.4, **PLACE),
    "face": shapes.Face([[0, 0], [1, 0], [1, 1]], **PLACE),
    "curve": shapes.Curve([[1, 0], [0, 1.1], [-1, 0], [0, -0.9]], width=0.2, **PLACE),
    "height_field": shapes.HeightField(
        [0, 1, 2], [0, 1, 3], [[0, 1, 2], [3, 4, 5], [4, 3, 1 / 3]], **PLACE
    ),
}


def hopper() -> ls.Model:
    """A ball, an elastic leg with a foot at its tip, a frame with a block, and the ground."""
    model = ls.Model("hopper", gravity=(0, 0, -9.81))
    ball = model.add(
        ls.RigidBody(1.0, inertia=(0.01, 0.01, 0.01)), ls.Free(), name="ball", at=(0, 0, 0.12)
    )
    bar = ls.beam(1.0, ls.Circle(0.01), ls.STEEL, bending=1, torsion=0, stretch=0)
    leg = model.add(bar, ls.Revolute("y"), name="leg", at=(0, 1, 0.5))
    tool = model.frame("tool", on="ball", at=(0.2, 0, 0), rotation={"axis": "z", "angle": 0.5})
    ball.add_shape(shapes.Sphere(0.1))
    leg["tip"].add_shape(shapes.Sphere(0.02), name="foot")
    tool.add_shape(shapes.Box((0.1, 0.2, 0.3)), name="block")
    model.add_shape(shapes.HalfSpace(), name="ground")
    return model
