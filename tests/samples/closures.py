"""Systems with loops for the tests of closure, assembly and equilibrium."""

from __future__ import annotations

import numpy as np

import lissom as ls
from tests.tools.measures import random_state, random_unit

TURN = ls.Revolute("y")
UNIVERSAL = ls.CompoundJoint([np.eye(6)[0], np.eye(6)[2]])
JOINTS = {
    "fixed": ls.Fixed(),
    "revolute": ls.Revolute((1, 2, -1)),
    "prismatic": ls.Prismatic((0, 1, 1)),
    "screw": ls.Screw("z", 0.2),
    "cylindrical": ls.Cylindrical((1, 0, 1)),
    "universal": ls.Universal("x", (0.2, 1, 0)),
    "planar": ls.Planar((1, 1, 1)),
    "spherical": ls.Spherical(),
    "simple": ls.SimpleJoint(np.eye(6)[:, [2, 3, 4]]),
    "compound": UNIVERSAL,
}


def four_bar(
    lengths=(1.0, 2.0, 1.5, 2.0),
    *,
    flexible=False,
    joint=TURN,
    masses=(1.0, 2.0, 1.5),
    closed=True,
):
    """Crank, coupler, rocker in the plane of x and z, and the distance of the ground's joints.

    Angles about y: a positive angle turns x towards -z.
    """
    model = ls.Model("four-bar", gravity=(0, 0, -9.81))
    carrier, at = None, (0.0, 0.0, 0.0)
    for name, length, mass in zip(("crank", "coupler", "rocker"), lengths, masses, strict=False):
        if flexible:
            tube = ls.Tube(radius=0.02, thickness=0.002)
            body = ls.beam(length, tube, ls.ALUMINIUM, modes=4)
        else:
            body = ls.RigidBody.rod(mass, length, com=(length / 2, 0, 0))
        model.add(body, TURN, name=name, to=carrier, at=at)
        carrier = f"{name}.tip" if flexible else name
        at = (0.0, 0.0, 0.0) if flexible else (length, 0.0, 0.0)
    if closed:
        model.close(joint, None, carrier, at_a=(lengths[3], 0, 0), at_b=at, name="pin")
    return model.compile()


def four_bar_angles(lengths, crank, branch):
    """Absolute angles of coupler and rocker [rad], in the sense of the crank, in closed form.

    The rocker goes from the end of the coupler to the joint on the ground.
    """
    a, b, c, d = lengths
    x, y = d - a * np.cos(crank), -a * np.sin(crank)  # from the crank's end to the ground's joint
    distance, direction = np.hypot(x, y), np.arctan2(y, x)
    bend = branch * np.arccos((b**2 + distance**2 - c**2) / (2 * b * distance))
    coupler = direction + bend
    rocker = np.arctan2(y - b * np.sin(coupler), x - b * np.cos(coupler))
    return coupler, rocker


def closed_tree(joint, rng, *, flexible=True):
    """Branched tree of many joints, a loop closed between its ends at a random state, and that.

    The speeds are not consistent with the loop.
    """
    model = ls.Model("tree", gravity=(1.0, -2.0, -9.0))
    body = ls.RigidBody(2.0, com=(0.1, 0.2, -0.1), inertia=(0.4, 0.5, 0.6))
    boom = ls.beam(1.5, ls.Tube(radius=0.03, thickness=0.002), ls.ALUMINIUM, modes=4)
    link = boom if flexible else body
    end = ".tip" if flexible else ""
    model.add(body, ls.Free(), name="hub")
    model.add(link, ls.Revolute("y"), to="hub", at=(0.3, 0.1, 0), name="left")
    model.add(body, ls.Spherical(), to=f"left{end}", at=(0.2, 0, 0.1), name="left hand")
    model.add(link, UNIVERSAL, to="hub", at=(-0.2, 0.2, 0.1), name="right")
    model.add(body, ls.Cylindrical("x"), to=f"right{end}", at=(0, 0.2, 0), name="right hand")
    state = random_state(model.compile(), rng, deformation=0.02)
    a, b = (ls.pose(state.system, state, end) for end in ("left hand", "right hand"))
    q = random_coordinates(joint, rng)
    R, r = joint.pose(q)
    at_a, turn = rng.uniform(-0.3, 0.3, 3), random_rotation(rng)
    A = a.rotation @ turn
    p = a.position + a.rotation @ at_a + A @ r
    model.close(
        joint,
        "left hand",
        "right hand",
        at_a=at_a,
        rotation_a=turn,
        at_b=b.rotation.T @ (p - b.position),
        rotation_b=b.rotation.T @ A @ R,
        name="ring",
    )
    system = model.compile()
    return system, system.state(state.q, state.v), q


def random_coordinates(joint, rng):
    q = rng.uniform(-0.8, 0.8, joint.n_q)
    if joint.has_quaternion:
        q[:4] = random_unit(rng, 4)
    return q


def random_rotation(rng):
    Q, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def clamped_beam(modes, *, span=2.0, sag=0.0, gravity=0.0):
    """Beam clamped at the origin and, `sag` above the line of its axis, at its other end."""
    model = ls.Model("clamped", gravity=(0, 0, -gravity))
    model.add(ls.beam(span, SECTION, ls.STEEL, modes=modes, damping=0.0), ls.Fixed(), name="beam")
    model.close(ls.Fixed(), None, "beam.tip", at_a=(span, 0, sag), name="clamp")
    return model.compile()


SECTION = ls.Rectangle(0.02, 0.01)


def bending_stiffness():
    """E I for bending in the plane of x and z of a bar 20 mm (y) by 10 mm (z)."""
    return ls.STEEL.youngs_modulus * 0.02 * 0.01**3 / 12


def closed_to(system, state):
    """Gap beside the system's length."""
    return float(np.linalg.norm(ls.closure(system, state).gap)) / system.length


def wrapped(angles):
    return (np.asarray(angles) + np.pi) % (2 * np.pi) - np.pi


def stewart():
    """Six legs of universal, slide and ball joint between points of the ground and a platform."""
    rng = np.random.default_rng(0)
    low = [np.array([2 * np.cos(t), 2 * np.sin(t), 0]) for t in np.arange(6) * np.pi / 3]
    high = [np.array([np.cos(t), np.sin(t), -0.1]) for t in np.arange(6) * np.pi / 3 + 0.4]
    low = [x + 0.1 * rng.standard_normal(3) for x in low]
    model = ls.Model("Stewart platform")
    model.add(ls.RigidBody.cylinder(50.0, 1.0, 0.2), ls.Free(), name="platform")
    tube = ls.RigidBody.cylinder(2.0, 0.05, 1.0)
    for k in range(6):
        model.add(tube, ls.Universal("x", "y"), at=low[k], name=f"lower{k}")
        model.add(tube, ls.Prismatic("z"), to=f"lower{k}", name=f"upper{k}")
        model.close(ls.Spherical(), f"upper{k}", "platform", at_b=high[k], name=f"ball{k}")
    return model.compile(), np.array(low), np.array(high)


def platform_pose(rng, angle=0.3):
    turn = angle * random_unit(rng, 3)
    quaternion = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * turn / angle])
    w, x, y, z = quaternion
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    position = np.array([0.1, -0.2, 2.5]) + 0.2 * rng.standard_normal(3)
    return np.concatenate([quaternion, position]), R, position
