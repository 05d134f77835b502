"""Random rigid trees, built in lissom and in Pinocchio.

Joints that Pinocchio lacks are made there of one-axis joints with no body between.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import lissom as ls

# Indices that take a spatial vector from linear first to angular first, and back.
SWAP = np.array([3, 4, 5, 0, 1, 2])
XYZW = np.array([1, 2, 3, 0])

JOINT_KINDS = (
    "revolute",
    "aligned",
    "prismatic",
    "screw",
    "cylindrical",
    "universal",
    "oblique",
    "planar",
    "spherical",
    "free",
    "angles",
    "fixed",
)


def random_rotation(rng):
    Q, R = np.linalg.qr(rng.standard_normal((3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q * np.linalg.det(Q)


@dataclass(frozen=True)
class Part:
    """A rigid body and its joint; `axes` are what the kind of joint needs."""

    name: str
    parent: int
    kind: str
    axes: np.ndarray
    pitch: float
    at: np.ndarray
    rotation: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray


def draw_parts(seed: int) -> list[Part]:
    """Random tree numbered depth first, as Pinocchio needs it."""
    rng = np.random.default_rng(seed)
    parts: list[Part] = []
    path: list[int] = []
    for i in range(rng.integers(2, 16)):
        # Carried by one of the bodies between the last one and the ground, rarely by the ground.
        path = path[: rng.choice(len(path) + 1, p=_towards_tip(len(path)))]
        parent = path[-1] if path else -1
        kinds = JOINT_KINDS if path else JOINT_KINDS[:-1]
        mass = 10 ** rng.uniform(-0.5, 0.5)
        spread = rng.uniform(0.1, 0.4, (3, 3)) * rng.standard_normal((3, 3))
        L = spread @ spread.T + 0.01 * np.eye(3)
        parts.append(
            Part(
                name=f"body{i}",
                parent=parent,
                kind=str(rng.choice(kinds)),
                axes=random_rotation(rng),
                pitch=rng.uniform(-0.3, 0.3),
                at=rng.uniform(-0.5, 0.5, 3),
                rotation=random_rotation(rng),
                mass=mass,
                com=rng.uniform(-0.3, 0.3, 3),
                inertia=mass * (np.trace(L) * np.eye(3) - L),
            )
        )
        path.append(i)
    return parts


def _towards_tip(n: int) -> np.ndarray:
    weight = 2.0 ** np.arange(n + 1)
    return weight / weight.sum()


def lissom_joint(part: Part) -> ls.Joint:
    a, b, c = part.axes
    match part.kind:
        case "revolute":
            return ls.Revolute(a)
        case "aligned":
            return ls.Revolute("xyz"[int(np.argmax(a))])
        case "prismatic":
            return ls.Prismatic(a)
        case "screw":
            return ls.Screw(a, part.pitch)
        case "cylindrical":
            return ls.Cylindrical(a)
        case "universal":
            return ls.Universal(a, b)
        case "oblique":
            return ls.Universal(a, a + b)
        case "planar":
            return ls.Planar(a)
        case "angles":
            return ls.CompoundJoint([np.r_[x, 0, 0, 0] for x in (c, b, a)])
    return {"spherical": ls.Spherical, "free": ls.Free, "fixed": ls.Fixed}[part.kind]()


def pinocchio_joint(pin, part: Part):
    a, b, c = part.axes
    turn, slide = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
    match part.kind:
        case "revolute":
            return turn(a)
        case "aligned":
            letter = "XYZ"[int(np.argmax(a))]
            return getattr(pin, f"JointModelR{letter}")()
        case "prismatic":
            return slide(a)
        case "screw":
            return pin.JointModelHelicalUnaligned(a, part.pitch)
        case "cylindrical":
            return _composite(pin, turn(a), slide(a))
        case "universal":
            return pin.JointModelUniversal(a, b)
        case "oblique":
            return _composite(pin, turn(a), turn((a + b) / np.linalg.norm(a + b)))
        case "planar":
            x, y = _plane(a)
            return _composite(pin, slide(x), slide(y), turn(a))
        case "angles":
            return _composite(pin, turn(a), turn(b), turn(c))
    return {"spherical": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}[part.kind]()


def _composite(pin, *joints):
    whole = pin.JointModelComposite()
    for joint in joints:
        whole.addJoint(joint)
    return whole


def _plane(normal):
    """In-plane axes of the planar joint: x and y turned as z is, the short way, to the normal."""
    z = np.array([0.0, 0.0, 1.0])
    angle = np.arccos(normal[2])
    axis = np.cross(z, normal) / np.linalg.norm(np.cross(z, normal))
    return [
        np.cos(angle) * e
        + np.sin(angle) * np.cross(axis, e)
        + (1 - np.cos(angle)) * (axis @ e) * axis
        for e in np.eye(3)[:2]
    ]


@dataclass
class Twins:
    """The same tree twice, and the maps between their coordinates.

    ``pin_q = lissom_q[q_index]`` and ``pin_v = lissom_v[v_index]``.
    """

    pin: object
    parts: list[Part]
    system: ls.System
    model: object
    data: object
    joint_id: dict[str, int] = field(default_factory=dict)
    q_index: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    v_index: np.ndarray = field(default_factory=lambda: np.zeros(0, int))

    def to_lissom(self, vector):
        result = np.empty(len(vector))
        result[self.v_index] = vector
        return result

    @property
    def moving(self) -> list[Part]:
        return [part for part in self.parts if part.kind != "fixed"]


def build_twins(pin, parts: list[Part], gravity, rng) -> Twins:
    model = pin.Model()
    model.gravity.linear = gravity
    joint_id = _fill_pinocchio(pin, model, parts)
    own = ls.Model("twin", gravity=gravity)
    for part in rng.permutation(np.array(parts, dtype=object)):
        own.add(
            ls.RigidBody(part.mass, part.com, part.inertia),
            lissom_joint(part),
            name=part.name,
            to=None if part.parent < 0 else parts[part.parent].name,
            at=part.at,
            rotation=part.rotation,
        )
    twins = Twins(pin, parts, own.compile(), model, model.createData(), joint_id)
    twins.q_index, twins.v_index = _indices(twins)
    return twins


def _fill_pinocchio(pin, model, parts: list[Part]) -> dict[str, int]:
    """Joints and inertias; a fixed body becomes part of the one that carries it."""
    joint_id: dict[str, int] = {}
    in_joint = {}
    for part in parts:
        carrier = parts[part.parent].name if part.parent >= 0 else None
        base = joint_id.get(carrier, 0)
        placement = in_joint.get(carrier, pin.SE3.Identity()) * pin.SE3(part.rotation, part.at)
        joint_id[part.name], in_joint[part.name] = base, placement
        if part.kind != "fixed":
            joint = pinocchio_joint(pin, part)
            joint_id[part.name] = model.addJoint(base, joint, placement, part.name)
            in_joint[part.name] = pin.SE3.Identity()
        inertia = pin.Inertia(part.mass, part.com, part.inertia)
        model.appendBodyToJoint(joint_id[part.name], inertia, in_joint[part.name])
        frame = pin.Frame(
            part.name + "_frame",
            joint_id[part.name],
            in_joint[part.name],
            pin.FrameType.OP_FRAME,
        )
        model.addFrame(frame)
    return joint_id


def _indices(twins: Twins) -> tuple[np.ndarray, np.ndarray]:
    q, v = np.empty(twins.model.nq, int), np.empty(twins.model.nv, int)
    layout = twins.system.layout
    for part in twins.moving:
        joint = twins.model.joints[twins.joint_id[part.name]]
        own_q, own_v = (np.arange(s.start, s.stop) for s in _slices(layout, part.name))
        if part.kind == "spherical":
            own_q = own_q[XYZW]
        if part.kind == "free":
            own_q, own_v = np.r_[own_q[4:], own_q[XYZW]], own_v[SWAP]
        if part.kind == "angles":  # a compound joint counts from the outboard body inward
            own_q, own_v = own_q[::-1], own_v[::-1]
        q[joint.idx_q : joint.idx_q + joint.nq] = own_q
        v[joint.idx_v : joint.idx_v + joint.nv] = own_v
    return q, v


def _slices(layout, name):
    return layout.hinge_q(name), layout.hinge_v(name)


class RobotTwin:
    """A robot in both libraries, and the order of its speeds."""

    def __init__(self, pin, path, **settings):
        settings = {"unphysical": "keep", "meshes": False, "mimics": "free", **settings}
        self.robot = ls.read_urdf(path, **settings)
        self.system = self.robot.model.compile()
        self.model = pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()

    def hinge(self, k, kind):
        body = self.robot.joints[self.model.names[k]]
        return getattr(self.system.layout, f"hinge_{kind}")(body)

    @property
    def order(self):
        """Numbers of lissom's speeds in Pinocchio's order."""
        slices = [self.hinge(k, "v") for k in range(1, self.model.njoints)]
        return np.concatenate([np.arange(s.start, s.stop) for s in slices])

    def state(self, q, v):
        own_q, own_v = np.zeros(self.system.n_q), np.zeros(self.system.n_v)
        for k in range(1, self.model.njoints):
            joint = self.model.joints[k]
            given = q[joint.idx_q : joint.idx_q + joint.nq]
            angle = given if joint.nq == 1 else [np.arctan2(given[1], given[0])]
            own_q[self.hinge(k, "q")] = angle
        own_v[self.order] = v
        return self.system.state(own_q, own_v)
