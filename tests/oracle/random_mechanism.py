"""Random mechanisms with a state, forces and external wrenches, all from one seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

from . import joints
from .description import FULL, LINEAR, Joint, Link, Mechanism
from .points import FrameKey
from .random_bodies import (
    FlexibleData,
    RigidData,
    normalised,
    normalising_transform,
    random_flexible,
    random_rigid,
)
from .random_joints import (
    ONE_DOF,
    SUBGROUPS,
    TWO_DOF,
    random_coordinates,
    random_joint,
    random_rotation,
)

FEATURES = (
    *(f"joint: {kind}" for kind in joints.SIZES),
    "joint: simple",
    "joint: compound",
    *(f"simple: {name}" for name in SUBGROUPS),
    *(f"compound: {count} maps" for count in (2, 3, 4)),
    "compound: a map of several columns",
    *(f"{kind} not at the base" for kind in ("spherical", "free")),
    *(f"{kind} base" for kind in ("fixed", "free")),
    *(f"body: {kind}" for kind in ("rigid", "flexible", "massless link", "massless tip")),
    *(f"flexible: {level}" for level in (FULL, LINEAR)),
    *("levels mixed", "linear and undeformed", "linear and deformed", "full and deformed"),
    *("inboard node not 0", "free-free shapes", "already normalised", "equal frequencies"),
    *("massless node", "node inertias", "node inertias and offsets", "node offsets"),
    *("nodes with extent on a linear body", "nodes with extent on a full body"),
    *(f"damping: {kind}" for kind in ("none", "ratio", "ratios", "matrix")),
    *("branch", "several roots", "chain of four", "two children on one node"),
    *("two nodes with children", "child on a flexible body's frame", "child on the inboard node"),
    *("child on a node by name", "child on a node by index", "flexible on flexible"),
    *("placed with a rotation", "external wrench on a body", "external wrench on a node"),
    *("no gravity", "gravity"),
)


@dataclass(frozen=True)
class Part:
    """A body as a user would give it (None: massless), its joint and its place.

    `eta` and `eta_rate` are in the given amplitudes; `parent` and `node` are those of a `Link`.
    """

    name: str
    data: RigidData | FlexibleData | None
    joint: Joint
    parent: int
    node: int | None
    at: np.ndarray
    rotation: np.ndarray | None
    eta: np.ndarray
    eta_rate: np.ndarray
    hinge_q: np.ndarray
    hinge_v: np.ndarray

    @property
    def flexible(self) -> bool:
        return isinstance(self.data, FlexibleData)

    @property
    def n_v(self) -> int:
        return len(self.eta) + len(self.hinge_v)


@dataclass(frozen=True)
class Description:
    """A mechanism, a state, and what acts on it.

    Attributes
    ----------
    acceleration, forces, armature : body by body, [modal, hinge].
    external : wrenches [moment; force] on frames, in their axes.
    about : a point, for the angular momentum.
    """

    seed: int
    parts: tuple[Part, ...]
    gravity: np.ndarray
    acceleration: np.ndarray
    forces: np.ndarray
    armature: np.ndarray
    external: dict[FrameKey, np.ndarray]
    about: np.ndarray
    coverage: Counter = field(default_factory=Counter)

    def own_transforms(self) -> list[np.ndarray | None]:
        """A normalising transform for each flexible body, without help from the package."""
        return [normalising_transform(p.data) if p.flexible else None for p in self.parts]

    def mechanism(self, transforms: list[np.ndarray | None]) -> Mechanism:
        """The oracle's data; transforms: given amplitudes = transform @ modal coordinates."""
        links = []
        for part, transform in zip(self.parts, transforms, strict=True):
            body = normalised(part.name, part.data, transform)
            rotation = np.eye(3) if part.rotation is None else part.rotation
            links.append(Link(body, part.joint, part.parent, part.node, part.at, rotation))
        return Mechanism(tuple(links), self.gravity)

    def state(self, transforms: list[np.ndarray | None]) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates q and speeds v in the oracle's order."""
        q, v = [], []
        for part, transform in zip(self.parts, transforms, strict=True):
            inverse = np.zeros((0, 0)) if transform is None else np.linalg.inv(transform)
            q += [inverse @ part.eta, part.hinge_q]
            v += [inverse @ part.eta_rate, part.hinge_v]
        return np.concatenate(q), np.concatenate(v)


def draw(seed: int, attempt: int = 0) -> Description:
    """A random mechanism of two to nine bodies; another attempt gives another one."""
    rng = np.random.default_rng([seed, attempt])
    coverage = Counter()
    level = str(rng.choice([FULL, FULL, LINEAR, "mixed"]))
    deformed = bool(rng.random() < 0.8)
    parts: list[Part] = []
    target = int(rng.integers(2, 8))
    while len(parts) < target or not sum(part.n_v for part in parts):
        _add_body(rng, parts, level, deformed, coverage)
    if rng.random() < 0.1:
        place = _random_place(rng, parts, coverage)
        parts.append(_part(rng, parts, None, Joint("fixed"), place, deformed))
        coverage["body: massless tip"] += 1
    gravity = rng.normal(size=3) * 6 if rng.random() < 0.85 else np.zeros(3)
    coverage["gravity" if gravity.any() else "no gravity"] += 1
    _count_topology(parts, coverage)
    _count_levels(parts, deformed, coverage)
    n_v = sum(part.n_v for part in parts)
    return Description(
        seed,
        tuple(parts),
        gravity,
        rng.normal(size=n_v),
        rng.normal(size=n_v) * 3,
        rng.uniform(0, 1, n_v),
        _random_wrenches(rng, parts, coverage),
        rng.normal(size=3),
        coverage,
    )


def _add_body(rng, parts: list[Part], level: str, deformed: bool, coverage: Counter) -> None:
    """Add a body, at times on a massless link with a joint of its own."""
    few = {}
    place = _random_place(rng, parts, coverage)
    if rng.random() < 0.12:
        joint, features = random_joint(rng, ONE_DOF + TWO_DOF)
        parts.append(_part(rng, parts, None, joint, place, deformed))
        coverage.update([*features, "body: massless link"])
        place, few = (len(parts) - 1, None), {"kinds": ONE_DOF + TWO_DOF}
    if rng.random() < 0.5:
        data, features = random_rigid(rng), ["body: rigid"]
    else:
        own_level = str(rng.choice([FULL, LINEAR])) if level == "mixed" else level
        data, features = random_flexible(rng, own_level)
        features = [*features, "body: flexible"]
        if data.node_inertias is not None or data.node_offsets is not None:
            features.append(f"nodes with extent on a {own_level} body")
    joint, joint_features = random_joint(rng, **few)
    if joint.kind in ("spherical", "free") and place[0] >= 0:
        features.append(f"{joint.kind} not at the base")
    if joint.kind in ("fixed", "free") and place[0] < 0:
        features.append(f"{joint.kind} base")
    parts.append(_part(rng, parts, data, joint, place, deformed))
    coverage.update(features + joint_features)


def _random_place(rng, parts: list[Part], coverage: Counter) -> FrameKey:
    """A parent and one of its nodes, or None for its body frame."""
    if not parts or rng.random() < 0.12:
        return -1, None
    parent = _random_parent(rng, parts)
    data = parts[parent].data
    if not isinstance(data, FlexibleData):
        return parent, None
    if rng.random() < 0.12:
        coverage["child on a flexible body's frame"] += 1
        return parent, None
    used = [part.node for part in parts if part.parent == parent and part.node is not None]
    if used and rng.random() < 0.5:
        return parent, used[0]
    node = int(rng.integers(len(data.positions)))
    coverage["child on a node by " + ("name" if node in data.names.values() else "index")] += 1
    coverage["child on the inboard node"] += node == data.inboard
    return parent, node


def _random_parent(rng, parts: list[Part]) -> int:
    """The last body, or any, or one that has a child already."""
    choice = rng.random()
    parents = [part.parent for part in parts if part.parent >= 0]
    if choice < 0.5:
        return len(parts) - 1
    if choice < 0.7 and parents:
        return int(rng.choice(parents))
    return int(rng.integers(len(parts)))


def _part(rng, parts, data, joint: Joint, place: FrameKey, deformed: bool) -> Part:
    rotation = random_rotation(rng) if rng.random() < 0.7 else None
    eta = rate = np.zeros(0)
    if isinstance(data, FlexibleData):
        eta, rate = _random_deformation(rng, data)
        eta, rate = eta * deformed, rate * deformed
    hinge_q = random_coordinates(rng, joint)
    hinge_v = rng.normal(size=joints.sizes(joint)[1])
    at = rng.normal(size=3) * 0.5 if rng.random() < 0.85 else np.zeros(3)
    name = f"body{len(parts)}"
    return Part(name, data, joint, *place, at, rotation, eta, rate, hinge_q, hinge_v)


def _random_deformation(rng, data: FlexibleData) -> tuple[np.ndarray, np.ndarray]:
    """Amplitudes that turn some node by 0.02 to 0.2 rad, and rates of up to one per second."""
    eta, rate = rng.normal(size=(2, data.n_mode))
    turns = np.linalg.norm(data.relative_shapes[:, :3] @ eta, axis=1)
    speeds = np.linalg.norm(data.relative_shapes @ rate, axis=1)
    return eta * rng.uniform(0.02, 0.2) / turns.max(), rate * rng.uniform(0.3, 1) / speeds.max()


def _random_wrenches(rng, parts: list[Part], coverage: Counter) -> dict[FrameKey, np.ndarray]:
    """Wrenches [moment; force] on some body frames and on some named nodes."""
    wrenches = {}
    for i, part in enumerate(parts):
        if rng.random() < 0.3:
            wrenches[i, None] = rng.normal(size=6) * 3
            coverage["external wrench on a body"] += 1
        if part.flexible and rng.random() < 0.4:
            node = int(rng.choice(list(part.data.names.values())))
            wrenches[i, node] = rng.normal(size=6) * 3
            coverage["external wrench on a node"] += 1
    return wrenches


def _count_topology(parts: list[Part], coverage: Counter) -> None:
    children = Counter(part.parent for part in parts)
    on_nodes = Counter((p.parent, p.node) for p in parts if p.node is not None)
    depth = []
    for part in parts:
        depth.append(1 + (depth[part.parent] if part.parent >= 0 else 0))
    coverage["branch"] += any(count > 1 for parent, count in children.items() if parent >= 0)
    coverage["several roots"] += children[-1] > 1
    coverage["chain of four"] += max(depth) >= 4
    coverage["two children on one node"] += max(on_nodes.values(), default=0) > 1
    nodes_used = Counter(parent for parent, _ in on_nodes)
    coverage["two nodes with children"] += max(nodes_used.values(), default=0) > 1
    flexible_parents = [p for p in parts if p.parent >= 0 and parts[p.parent].flexible]
    coverage["flexible on flexible"] += any(part.flexible for part in flexible_parents)
    coverage["placed with a rotation"] += any(part.rotation is not None for part in parts)


def _count_levels(parts: list[Part], deformed: bool, coverage: Counter) -> None:
    levels = {part.data.level for part in parts if part.flexible}
    coverage["levels mixed"] += len(levels) == 2
    coverage["full and deformed"] += deformed and FULL in levels
    coverage["linear and deformed"] += deformed and LINEAR in levels
    coverage["linear and undeformed"] += not deformed and LINEAR in levels


def with_level(description: Description, level: str) -> Description:
    """The same mechanism with all its flexible bodies at one level."""
    parts = [
        replace(part, data=replace(part.data, level=level)) if part.flexible else part
        for part in description.parts
    ]
    return replace(description, parts=tuple(parts))


def coverage_table(coverage: Counter) -> str:
    """How often each feature was drawn, one line each."""
    return "\n".join(f"{coverage[name]:8d}  {name}" for name in FEATURES)
