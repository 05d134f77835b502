"""Models with every kind of body, joint and place, and how to compare what they compile to."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np

import lissom as ls

JOINTS: dict[str, ls.Joint] = {
    "fixed": ls.Fixed(),
    "revolute": ls.Revolute((0.3, -0.2, 0.7)),
    "prismatic": ls.Prismatic("x"),
    "screw": ls.Screw((1, 2, 3), 0.037),
    "cylindrical": ls.Cylindrical((0, 1, 1e-3)),
    "universal": ls.Universal("x", (0.1, 1, 0)),
    "spherical": ls.Spherical(),
    "planar": ls.Planar((0, 0.6, 0.8)),
    "free": ls.Free(),
    "simple": ls.SimpleJoint(np.array([[0, 0, 1, 0.1, 0, 0], [0, 0, 0, 0, 1 / 3, 0]]).T[:, :1]),
    "compound": ls.CompoundJoint([[1, 0, 0, 0, 0, 0.1], np.eye(6)[:, 3:5], [0, 0.7, 0.1, 0, 0, 0]]),
}


def flexible(seed: int = 0, n: int = 4, m: int = 2, **options: Any) -> ls.FlexibleBody:
    """Body of random arrays, some of them in another order of memory."""
    rng = np.random.default_rng(seed)
    shapes = rng.normal(size=(m, 6, n)).transpose(2, 1, 0)
    stiffness = rng.normal(size=(m, m))
    return ls.FlexibleBody(
        rng.normal(size=(n, 3)),
        rng.uniform(0.5, 2, n),
        shapes,
        stiffness @ stiffness.T + np.eye(m),
        **options,
    )


def nodal() -> ls.NodalBody:
    """Bar of two elements as finite elements give it: springs between three nodes."""
    positions = np.array([[0.0, 0, 0], [0.5, 0, 0], [1.0, 0, 0]])
    from lissom.spatial import rigid_shift

    K = np.zeros((18, 18))
    for a, b in ((0, 1), (1, 2)):
        lever = rigid_shift(positions[b] - positions[a]).T
        B = np.zeros((6, 18))
        B[:, 6 * a : 6 * a + 6], B[:, 6 * b : 6 * b + 6] = -lever, np.eye(6)
        K += B.T @ np.diag([5e3, 4e3, 3e3, 2e5, 1e5, 1e5]) @ B
    inertias = np.array([np.diag([0.1, 0.2, 0.3])] * 3)
    return ls.NodalBody(positions, [1.0, 2.0, 3.0], K, node_inertias=inertias, names={"end": 2})


def bodies() -> dict[str, Any]:
    """Every kind of body."""
    solid = [ls.solids.Sphere(0.1, at=(0.1, 0.2, 1 / 3), color="#a0b1c2")]
    turned = ls.solids.Box((1, 2, 3), rotation=[[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
    mesh = ls.solids.Mesh(np.random.default_rng(3).normal(size=(40, 3)), [[0, 1, 2], [3, 4, 39]])
    full = np.array([[2.0, 0.1, -0.2], [0.1, 3.0, 0.3], [-0.2, 0.3, 4.0]]) / 3
    offsets = np.random.default_rng(1).normal(size=(4, 3)) / 30
    inertias = np.array([np.diag([1.0, 1.1, 1.2])] * 4)
    return {
        "rigid": ls.RigidBody(1 / 3, (0.1, 0.2, -0.0), full, solids=[*solid, turned, mesh]),
        "diagonal": ls.RigidBody(2.0, inertia=(1, 2, 2.5)),
        "round": ls.RigidBody(2.0, inertia=0.7),
        "box": ls.RigidBody.box(4.0, (0.1, 0.2, 0.3), com=(0.05, 0, 0)),
        "cylinder": ls.RigidBody.cylinder(25, 0.2, 0.7, "y"),
        "sphere": ls.RigidBody.sphere(3, 0.1),
        "points": ls.RigidBody.from_points(np.random.default_rng(2).normal(size=(5, 3)), [1] * 5),
        "beam": ls.beam(7.0, ls.Tube(0.165, 0.004), ls.CARBON, modes=5),
        "flexible": flexible(names={"tip": 3, "17": 1}, inboard=2, level="linear", damping=0.01),
        "lumped": flexible(5, damping=[0.1, 0.2], node_offsets=offsets, node_inertias=inertias),
        "small": flexible(6, n=3, m=1, damping=[[0.3]]),
        "nodal": nodal(),
        "rod": ls.rod(
            *(0.7, ls.Circle(0.01), ls.STEEL), bending=(1, 2), shear=(0, 1), torsion=0, stations=4
        ),
        "tapered": ls.rod(
            *(7.0, (ls.Tube(0.1, 0.004), ls.Tube(0.05, 0.002)), ls.CARBON),
            bending=2,
            stations=5,
            curvature=(0.1, -0.0, 1 / 3),
            nodes={"middle": 7 / 3, "17": 0.0},
            damping=np.linspace(0, 0.1, 7),
        ),
    }


def tree_of_joints() -> ls.Model:
    """One body on each kind of joint, each turned and shifted."""
    model = ls.Model("all joints", gravity=(0.1, -9.81, 1 / 3))
    rng = np.random.default_rng(7)
    for k, (name, joint) in enumerate(JOINTS.items()):
        rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        rotation *= np.sign(np.linalg.det(rotation))
        body = ls.RigidBody.box(1 + k / 7, (0.1, 0.2, 0.3))
        to = None if k == 0 else list(JOINTS)[(k - 1) // 2]
        model.add(body, joint, name=name, to=to, at=rng.normal(size=3), rotation=rotation)
    return model


def tree_of_bodies() -> ls.Model:
    """Every kind of body, on nodes by name and by number."""
    model = ls.Model("all bodies")
    for name, body in bodies().items():
        model.add(body, ls.Free(), name=name)
    ball = ls.RigidBody.sphere(1, 0.1)
    model.add(ball, ls.Revolute("z"), name="on tip", to="beam.tip", at=(0, 0, 0.1))
    model.add(ball, ls.Revolute("z"), name="on number", to="flexible", node=3)
    model.add(ball, ls.Revolute("z"), name="on text", to="flexible.17")
    model.add(bodies()["beam"], ls.Revolute("y"), name="ä/b:c", to="nodal.end")
    model.add(ball, ls.Revolute("z"), name="on frame", to="é")
    model.frame("é", on="flexible", node=3, at=(0.1, -0.0, 1 / 3), rotation={"rpy": (1, 2, 3)})
    model.frame("on é", on="é", rotation={"axis": (1, 2, 3), "angle": 1 / 7})
    model.frame("on ground", at=(1 / 3, 0, 0))
    return model


def linkage() -> ls.Model:
    """Four-bar linkage, one joint cut by `close`, and a body that joins alone connect."""
    model = ls.Model("four-bar", gravity=(0, 0, -9.81))
    bar = ls.RigidBody.box(1.0, (1.0, 0.05, 0.05), com=(0.5, 0, 0))
    for k in range(3):
        to = None if k == 0 else f"bar{k}"
        at = (0, 0, 0) if k == 0 else (1.0, 0, 0)
        model.add(bar, ls.Revolute("y"), name=f"bar{k + 1}", to=to, at=at)
    model.close(ls.Revolute("y"), "bar3", None, at_a=(1, 0, 0), at_b=(1, 0, 0), name="ground")
    boom = ls.beam(1.0, ls.Circle(0.01), ls.STEEL, bending=1, torsion=0, stretch=0)
    model.add(boom, None, name="loose")
    turn = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    model.join(ls.Spherical(), "bar1", "loose.root", at_a=(0.5, 0, 0), rotation_b=turn, name="ball")
    model.join(ls.Spherical(), ls.Part("loose", 24), None, at_b=(0.5, 0, 1), name="end")
    return model


MODELS = {
    "joints": tree_of_joints,
    "bodies": tree_of_bodies,
    "linkage": linkage,
}


def differences(a: Any, b: Any, where: str = "") -> list[str]:
    """Places at which two compiled things differ, be it by one bit.

    The function that makes the second order of a body is not in files below level "stiffened".
    """
    if where.endswith(".second_order") and (a is None or b is None):
        return []
    if type(a) is not type(b) and not (isinstance(a, float) and isinstance(b, float)):
        return [f"{where}: {type(a).__name__} and {type(b).__name__}"]
    if isinstance(a, np.ndarray):
        same = a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
        return [] if same else [where]
    if isinstance(a, float):
        return [] if np.float64(a).tobytes() == np.float64(b).tobytes() else [where]
    if isinstance(a, (list, tuple)):
        found = [
            x
            for k, (p, q) in enumerate(zip(a, b, strict=False))
            for x in differences(p, q, f"{where}[{k}]")
        ]
        return found + ([] if len(a) == len(b) else [f"{where}: lengths"])
    if isinstance(a, dict):
        found = [] if list(a) == list(b) else [f"{where}: keys"]
        return found + [x for k in a if k in b for x in differences(a[k], b[k], f"{where}.{k}")]
    if isinstance(a, functools.partial):
        return differences((a.func, a.args), (b.func, b.args), where)
    if dataclasses.is_dataclass(a):
        names = [f.name for f in dataclasses.fields(a)]
        return [x for n in names for x in differences(getattr(a, n), getattr(b, n), f"{where}.{n}")]
    return [] if a == b else [f"{where}: {a!r} and {b!r}"]


HUB = (
    '[[parts]]\nname = "hub"\nbody = { kind = "box", mass = 4, size = [1, 1, 1] }\njoint = "free"\n'
)

RUN = """
lissom = 1
name = "satellite"

[[parts]]
name = "hub"
body = { kind = "box", mass = 100, size = [1, 1, 1] }
joint = "free"

[[parts]]
name = "panel"
body = { kind = "box", mass = 4, size = [2, 0.02, 1], com = [1, 0, 0] }
joint = "revolute z"
to = "hub"
at = [0.5, 0.5, 0]

[[parts]]
name = "slide"
body = { kind = "sphere", mass = 1, radius = "5 cm" }
joint = "prismatic x"
to = "panel"

[simulation]
duration = "200 ms"
integrator = "rk4"
step = "1 ms"
output_step = 0.01
rtol = 1e-6
start = 0.5

[simulation.state]
panel = "30 deg"
"panel.rates" = "2 rpm"
slide = "20 mm"
"hub.rates" = [0, 0, "1 deg/s", 0, 0.1, 0]

[[simulation.loads]]
kind = "actuator"
joint = "panel"
force = { times = [0, "500 ms", 1], values = [0, "20 N m", 3], kind = "steps" }
ratio = 2
rotor_inertia = "3 g m^2"
limit = 100
name = "motor"

[[simulation.loads]]
kind = "joint_spring"
joint = "panel"
stiffness = "2 N m/rad"
rest = "80 deg"
damping = "0.1 N m s/rad"

[[simulation.loads]]
kind = "joint_damper"
joint = "slide"
damping = "3 N s/m"

[[simulation.loads]]
kind = "joint_friction"
joint = "panel"
force = 0.1
speed = "0.1 deg/s"

[[simulation.loads]]
kind = "joint_stop"
joint = "slide"
lower = "-10 cm"
upper = inf
stiffness = "10 kN/m"
damping = "0.2 s/m"

[[simulation.loads]]
kind = "node_force"
where = "hub"
force = [1, 0, "2 N"]
moment = { times = [0, 1], values = [[0, 0, 0], [0, 0, 1]] }
axes = "body"
at = ["10 cm", 0, 0]

[[simulation.loads]]
kind = "node_spring"
a = "hub"
b = [0, 0, 3]
stiffness = "10 N/m"
damping = 0.1
length = 3
at_a = [0.1, 0, 0]
on = false
name = "tether"

[[simulation.events]]
when = "panel"
value = "40 deg"
direction = 1
once = true
name = "latch"
action = [{ kind = "lock", joint = "panel" }, { kind = "switch", load = "tether", on = true }]

[[simulation.events]]
when = "slide"
rate = true
value = "5 m/s"
"""
