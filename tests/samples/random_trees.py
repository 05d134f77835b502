"""Random mechanisms of the oracle as lissom models, and the two orders of their coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import lissom as ls
from tests.oracle.description import Joint
from tests.oracle.points import FrameKey, Layout
from tests.oracle.random_bodies import FlexibleData, RigidData
from tests.oracle.random_mechanism import Description, Part


def lissom_joint(joint: Joint):
    """The same joint in lissom."""
    match joint.kind:
        case "fixed" | "spherical" | "free":
            return {"fixed": ls.Fixed, "spherical": ls.Spherical, "free": ls.Free}[joint.kind]()
        case "screw":
            return ls.Screw(joint.axis, joint.pitch)
        case "universal":
            return ls.Universal(joint.axis, joint.axis2)
        case "simple":
            return ls.SimpleJoint(joint.maps[0])
        case "compound":
            return ls.CompoundJoint(list(joint.maps))
    one_axis = {
        "revolute": ls.Revolute,
        "prismatic": ls.Prismatic,
        "cylindrical": ls.Cylindrical,
        "planar": ls.Planar,
    }
    return one_axis[joint.kind](joint.axis)


def lissom_body(data: RigidData | FlexibleData | None):
    """The same body in lissom."""
    if data is None:
        return ls.RigidBody(0.0)
    if isinstance(data, RigidData):
        return ls.RigidBody(data.mass, data.com, data.inertia)
    return ls.FlexibleBody(
        data.positions,
        data.masses,
        data.shapes,
        data.stiffness,
        data.damping,
        node_inertias=data.node_inertias,
        node_offsets=data.node_offsets,
        inboard=data.inboard,
        names=data.names,
        level=data.level,
    )


def node_name(part: Part, node: int) -> str | None:
    """The name that the user gave to a node, if any."""
    return next((name for name, index in part.data.names.items() if index == node), None)


def frame_names(description: Description) -> dict[FrameKey, str]:
    """lissom's names of the frames that have one: all bodies and the named nodes."""
    names = {}
    for i, part in enumerate(description.parts):
        names[i, None] = part.name
        if part.flexible:
            names |= {(i, node): f"{part.name}.{name}" for name, node in part.data.names.items()}
    return names


def _place(description: Description, part: Part) -> dict:
    """Arguments `to` and `node` of Model.add; a named node goes by its name."""
    if part.parent < 0:
        return {}
    parent = description.parts[part.parent]
    if part.node is None:
        return {"to": parent.name}
    name = node_name(parent, part.node)
    if name is None:
        return {"to": parent.name, "node": part.node}
    return {"to": f"{parent.name}.{name}"}


@dataclass(frozen=True)
class Tree:
    """A lissom system and what relates it to the oracle's data.

    Attributes
    ----------
    transforms : of the flexible bodies, None for the others.
    q_index, v_index : the oracle's vectors are ``lissom_q[q_index]``, ``lissom_v[v_index]``.
    body_index : the same for rows that belong to bodies.
    """

    system: object
    transforms: list[np.ndarray | None]
    q_index: np.ndarray
    v_index: np.ndarray
    body_index: np.ndarray

    def to_lissom(self, vector: np.ndarray) -> np.ndarray:
        """A vector of the size of v, from the oracle's order to lissom's."""
        result = np.empty(len(vector))
        result[self.v_index] = vector
        return result

    def state(self, q: np.ndarray, v: np.ndarray):
        """The lissom state of the oracle's q and v."""
        own_q = np.empty(len(q))
        own_q[self.q_index] = q
        return self.system.state(q=own_q, v=self.to_lissom(v))


def build_model(description: Description) -> ls.Model:
    """The lissom model of a description."""
    model = ls.Model(f"seed{description.seed}", gravity=description.gravity)
    for part in description.parts:
        model.add(
            lissom_body(part.data),
            lissom_joint(part.joint),
            name=part.name,
            at=part.at,
            rotation=part.rotation,
            **_place(description, part),
        )
    return model


def build(description: Description, level: str | None = None) -> Tree:
    """The lissom system of a description, compiled at a level (None: each body at its own)."""
    model = build_model(description)
    transforms = [
        np.asarray(model.parts[part.name].body.transform) if part.flexible else None
        for part in description.parts
    ]
    system = model.compile(level=level)
    names = [part.name for part in description.parts]
    q_index, v_index = _indices(system.layout, names)
    body_index = np.array([list(system.names).index(name) for name in names])
    return Tree(system, transforms, q_index, v_index, body_index)


def _indices(layout, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    q, v = [], []
    for name in names:
        q += [*_range(layout.modal_q(name)), *_range(layout.hinge_q(name))]
        v += [*_range(layout.modal_v(name)), *_range(layout.hinge_v(name))]
    return np.array(q, int), np.array(v, int)


def _range(part: slice) -> range:
    return range(part.start, part.stop)


def sizes_agree(description: Description, tree: Tree) -> bool:
    """Whether lissom has as many coordinates and speeds as the oracle, each in its place once."""
    layout = Layout.of(description.mechanism(tree.transforms))
    counts = (layout.n_q, layout.n_v) == (tree.system.n_q, tree.system.n_v)
    permutations = sorted(tree.q_index) == list(range(layout.n_q))
    return counts and permutations and sorted(tree.v_index) == list(range(layout.n_v))
