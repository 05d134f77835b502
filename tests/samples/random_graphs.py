"""Random mechanisms whose joints form loops, closed at known poses of all bodies.

Poses are 4x4 matrices; joints are composed here from matrix exponentials, without lissom.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import lissom as ls

BOOM = ls.beam(
    1.5, ls.Tube(radius=0.04, thickness=0.002), ls.ALUMINIUM, bending=1, torsion=0, stretch=0
)


def matrix(rotation, position) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, position
    return T


def random_pose(rng) -> np.ndarray:
    return matrix(Rotation.random(rng=rng).as_matrix(), rng.normal(size=3))


def exponential(twist, amount) -> np.ndarray:
    """Pose that a constant twist [angular; linear] reaches."""
    (x, y, z), v = twist[:3], twist[3:]
    hat = np.array([[0, -z, y, v[0]], [z, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]])
    return expm(amount * hat)


def twists(joint) -> list[np.ndarray]:
    """Motions of a joint whose pose is a product of exponentials, first coordinate leftmost."""
    turn, slide = lambda a: np.concatenate([a, 0 * a]), lambda a: np.concatenate([0 * a, a])
    match joint:
        case ls.Revolute():
            return [turn(joint.axis)]
        case ls.Prismatic():
            return [slide(joint.axis)]
        case ls.Screw():
            return [turn(joint.axis) + joint.pitch * slide(joint.axis)]
        case ls.Cylindrical():
            return [turn(joint.axis), slide(joint.axis)]
        case ls.Universal():
            return [turn(joint.axis1), turn(joint.axis2)]
        case ls.Planar():
            axis = np.cross((0, 0, 1), joint.normal)
            angle = np.arctan2(np.linalg.norm(axis), joint.normal[2])
            plane = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
            return [slide(plane[:, 0]), slide(plane[:, 1]), turn(joint.normal)]
    return []


def joint_pose(joint, q) -> np.ndarray:
    """Outboard frame in the inboard frame."""
    match joint:
        case ls.Spherical() | ls.Free():
            position = q[4:] if len(q) == 7 else np.zeros(3)
            return matrix(Rotation.from_quat(q[[1, 2, 3, 0]]).as_matrix(), position)
        case ls.SimpleJoint() | ls.CompoundJoint():
            parts = joint.parts if isinstance(joint, ls.CompoundJoint) else (joint,)
            columns = np.concatenate([part.columns for part in parts], axis=1)
            ordered = list(zip(columns.T, q, strict=True))[::-1]
        case _:
            ordered = list(zip(twists(joint), q, strict=True))
    T = np.eye(4)
    for twist, amount in ordered:
        T = T @ exponential(twist, amount)
    return T


def random_joint(rng, least=0):
    """Any kind but free, with random directions and at least so many motions."""
    a, b = rng.normal(size=(2, 3))
    kinds = [
        *(ls.Fixed(), ls.Revolute(a), ls.Prismatic(a), ls.Screw(a, 0.3), ls.Cylindrical(a)),
        *(ls.Universal(a, b), ls.Spherical(), ls.Planar(a)),
        ls.SimpleJoint(np.concatenate([np.zeros((3, 2)), rng.normal(size=(3, 2))])),
        ls.CompoundJoint([rng.normal(size=(6, 1)), rng.normal(size=(6, 1))]),
    ]
    kinds = [joint for joint in kinds if joint.n_v >= least]
    return kinds[rng.integers(len(kinds))]


def random_coordinates(rng, joint) -> np.ndarray:
    q = rng.normal(size=joint.n_q)
    if joint.has_quaternion:
        q[:4] /= np.linalg.norm(q[:4])
    return q


@dataclass
class Edge:
    """Joint at coordinates q between frames `at_a`, `at_b` (4x4) on parts a, b; None: ground."""

    joint: object
    q: np.ndarray
    a: str | None
    b: str | None
    at_a: np.ndarray
    at_b: np.ndarray

    @property
    def frames(self) -> dict:
        pairs = (("a", self.at_a), ("b", self.at_b))
        return {f"at_{s}": T[:3, 3] for s, T in pairs} | {
            f"rotation_{s}": T[:3, :3] for s, T in pairs
        }


@dataclass
class Mechanism:
    """Bodies at known poses, the edges of a tree (b is carried at its own frame) and others."""

    bodies: dict[str, object]
    poses: dict[str | None, np.ndarray]
    modes: dict[str, np.ndarray]
    tree: list[Edge] = field(default_factory=list)
    further: list[Edge] = field(default_factory=list)

    def place(self, part: str | None) -> np.ndarray:
        """Pose of a part, "body" or "body.tip"."""
        name, _, node = (part or "").partition(".")
        T = self.poses[name or None]
        if not node:
            return T
        normal = self.bodies[name].normalised()
        k = normal.node_names[node]
        bent = normal.node_shapes[k] @ self.modes[name]
        rotation = Rotation.from_rotvec(bent[:3]).as_matrix()
        return T @ matrix(rotation, normal.node_positions[k] + bent[3:])

    def as_tree(self) -> ls.Model:
        """Described by add and close."""
        model = ls.Model("tree", gravity=(0.3, -0.2, -9.81))
        for e in self.tree:
            at, rotation = e.frames["at_a"], e.frames["rotation_a"]
            model.add(self.bodies[e.b], e.joint, name=e.b, to=e.a, at=at, rotation=rotation)
        for k, e in enumerate(self.further):
            model.close(e.joint, e.a, e.b, **e.frames, name=f"further{k}")
        return model

    def as_graph(self, rng) -> ls.Model:
        """Described by joins in any order."""
        model = ls.Model("graph", gravity=(0.3, -0.2, -9.81))
        for name in rng.permutation(list(self.bodies)):
            model.add(self.bodies[name], None, name=str(name))
        edges = {f"tree{k}": e for k, e in enumerate(self.tree)}
        edges |= {f"further{k}": e for k, e in enumerate(self.further)}
        for name in rng.permutation(list(edges)):
            e = edges[name]
            model.join(e.joint, e.a, e.b, **e.frames, name=str(name))
        return model


def random_mechanism(rng) -> Mechanism:
    """Four to six bodies, at most one of them flexible, with one or two loops."""
    names = [f"body{k}" for k in range(rng.integers(4, 7))]
    flexible = names[rng.integers(len(names))] if rng.random() < 0.5 else None
    bodies, poses, modes = {}, {None: np.eye(4)}, {}
    for name in names:
        poses[name] = random_pose(rng)
        spread = rng.normal(size=(6, 3))
        bodies[name] = ls.RigidBody.from_points(spread, rng.uniform(0.5, 2.0, 6))
        if name == flexible:
            bodies[name], modes[name] = BOOM, 0.02 * rng.normal(size=BOOM.n_mode)
    mechanism = Mechanism(bodies, poses, modes)
    for k, name in enumerate(names):
        part = [None, *names][k if rng.random() < 0.8 else rng.integers(k + 1)]
        joint = random_joint(rng, rng.integers(3))
        q = random_coordinates(rng, joint)
        part = f"{part}.tip" if part == flexible and part else part
        T = np.linalg.inv(mechanism.place(part)) @ poses[name] @ np.linalg.inv(joint_pose(joint, q))
        mechanism.tree.append(Edge(joint, q, part, name, T, np.eye(4)))
    for _ in range(rng.choice([1, 1, 2])):
        ends = [[None, *names][rng.integers(2)], names[-rng.integers(1, 3)]]  # a long way round
        ends = ends[:: rng.choice([-1, 1])]
        ends = [f"{e}.tip" if e and e == flexible and rng.random() < 0.5 else e for e in ends]
        joint = random_joint(rng, 1)
        q, at_a = random_coordinates(rng, joint), random_pose(rng)
        reached = mechanism.place(ends[0]) @ at_a @ joint_pose(joint, q)
        at_b = np.linalg.inv(mechanism.place(ends[1])) @ reached
        mechanism.further.append(Edge(joint, q, *ends, at_a, at_b))
    return mechanism
