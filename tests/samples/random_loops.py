"""Random loops on the random mechanisms of the oracle, closed at the mechanism's state."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

import lissom as ls
from tests.loop_oracles.closures import GROUND, Closing, End, LoopedOracle, joint_pose
from tests.oracle import Oracle, Snapshot
from tests.oracle.joints import SIZES, sizes
from tests.oracle.points import FrameKey
from tests.oracle.random_joints import (
    KINDS,
    random_coordinates,
    random_joint,
    random_rotation,
    regular,
)
from tests.oracle.random_mechanism import Description, draw
from tests.samples.random_trees import Tree, _indices as indices, build, lissom_body, lissom_joint

LOOP_KINDS = tuple(kind for kind in KINDS if kind != "free")
FEATURES = (
    *(f"loop: {kind}" for kind in SIZES if kind != "free"),
    *("loop: simple", "loop: compound", "to the ground", "between flexible nodes"),
    *("several loops", "two loops on one body", "a loop twice", "moves", "locked"),
)
# Condition numbers of the masses and of the constraints (in the metric of the masses) that leave
# nine digits to every method.
MAX_CONDITION, MAX_CONSTRAINT_CONDITION = 1e5, 1e3


@dataclass(frozen=True)
class LoopedTree:
    """A lissom system with loops, the oracle of the same, and a state that both share."""

    tree: Tree
    oracle: LoopedOracle
    q: np.ndarray
    v: np.ndarray
    description: Description
    coverage: Counter

    @property
    def state(self) -> ls.State:
        """lissom's state."""
        return self.tree.state(self.q, self.v)


def looped_tree(seed: int, kind: str | None = None) -> LoopedTree:
    """Mechanism of a seed with one to three loops, well-conditioned; `kind`: the first joint's."""
    for attempt in range(60):
        rng = np.random.default_rng([seed, attempt, 7])
        description = draw(seed, attempt)
        try:
            plain = build(description)
        except ls.ModelError:  # a motion that moves no inertia
            continue
        mechanism = description.mechanism(plain.transforms)
        q, v = description.state(plain.transforms)
        snapshot = Oracle(mechanism).at(q, v)
        if np.linalg.cond(snapshot.mass_matrix) > MAX_CONDITION or len(description.parts) < 2:
            continue
        coverage = Counter()
        closings = _random_closings(rng, description, snapshot, coverage, kind)
        if not closings:
            continue
        oracle = LoopedOracle(mechanism, closings)
        closed = oracle.at(q, v)
        values = closed.singular_values
        kept = values[values > 1e-9 * values.max(initial=0.0)]
        if kept.max(initial=0.0) < 1e-3 or kept.max() > MAX_CONSTRAINT_CONDITION * kept.min():
            continue  # loops that hold nothing, or hardly
        coverage["moves" if len(kept) < len(v) else "locked"] += 1
        tree = _with_loops(description, plain.transforms, closings)
        return LoopedTree(tree, oracle, q, closed.consistent_velocity(v), description, coverage)
    raise AssertionError(f"seed {seed}: no well-conditioned mechanism in sixty attempts")


def _random_closings(
    rng, description, snapshot: Snapshot, coverage: Counter, kind: str | None
) -> list[Closing]:
    closings: list[Closing] = []
    for _ in range(int(rng.choice([1, 1, 2, 3]))):
        if closings and rng.random() < 0.15:
            closings.append(closings[-1])
            coverage["a loop twice"] += 1
            continue
        joint, features = random_joint(rng, LOOP_KINDS if kind is None or closings else (kind,))
        if sizes(joint)[1] == 6:
            continue
        keys = _two_frames(rng, description)
        closings.append(_closed(rng, snapshot, joint, *keys))
        coverage[features[0].replace("joint", "loop")] += 1
        coverage["to the ground"] += GROUND in keys
        coverage["between flexible nodes"] += all(node is not None for _, node in keys)
    different = {id(closing): closing for closing in closings}.values()
    bodies = Counter(end.on[0] for closing in different for end in (closing.a, closing.b))
    coverage["several loops"] += len(closings) > 1
    coverage["two loops on one body"] += any(n > 1 for body, n in bodies.items() if body >= 0)
    return closings


def _two_frames(rng, description: Description) -> list[FrameKey]:
    """Frames or nodes of two different bodies, one of which may be the ground."""
    ground = -1 if rng.random() < 0.3 else 0
    bodies = rng.choice(np.arange(ground, len(description.parts)), 2, replace=False)
    keys = []
    for i in (int(i) for i in bodies):
        node = None
        if i >= 0 and description.parts[i].flexible and rng.random() < 0.85:
            node = int(rng.integers(len(description.parts[i].data.positions)))
        keys.append((i, node))
    return keys


def _closed(rng, snapshot: Snapshot, joint, key_a: FrameKey, key_b: FrameKey) -> Closing:
    """Loop whose frame b is put where the joint at random coordinates wants it."""
    s = random_coordinates(rng, joint)
    while joint.kind == "compound" and not (np.abs(s).max() < 0.5 and regular(joint, s)):
        s = 0.3 * rng.normal(size=len(s))  # near neutral: elsewhere a pose may have several s
    a = End(key_a, random_rotation(rng), 0.4 * rng.normal(size=3))
    R_a, r_a = _world(snapshot, key_a)
    R_b, r_b = _world(snapshot, key_b)
    R_j, r_j = joint_pose(joint, s)
    at_a = r_a + R_a @ a.position
    R, r = R_a @ a.rotation @ R_j, at_a + R_a @ a.rotation @ r_j
    return Closing(joint, a, End(key_b, R_b.T @ R, R_b.T @ (r - r_b)), s)


def _world(snapshot: Snapshot, key: FrameKey) -> tuple[np.ndarray, np.ndarray]:
    if key == GROUND:
        return np.eye(3), np.zeros(3)
    return snapshot.frames[key].rotation, snapshot.frames[key].position


def looped_model(description: Description, closings: list[Closing]) -> ls.Model:
    """lissom's model of the same tree with the same loops."""
    model = ls.Model(f"seed{description.seed}", gravity=description.gravity)
    for part in description.parts:
        model.add(
            lissom_body(part.data),
            lissom_joint(part.joint),
            name=part.name,
            at=part.at,
            rotation=part.rotation,
            to=_part(description, (part.parent, part.node)),
        )
    for k, closing in enumerate(closings):
        model.close(
            lissom_joint(closing.joint),
            _part(description, closing.a.on),
            _part(description, closing.b.on),
            at_a=closing.a.position,
            at_b=closing.b.position,
            rotation_a=closing.a.rotation,
            rotation_b=closing.b.rotation,
            name=f"loop{k}",
        )
    return model


def _with_loops(description: Description, transforms, closings: list[Closing]) -> Tree:
    """lissom's system of the same tree with the same loops."""
    return compiled_tree(looped_model(description, closings), description, transforms)


def compiled_tree(model: ls.Model, description: Description, transforms) -> Tree:
    """System of a model, and where the numbers of the description are in it."""
    system = model.compile()
    q_index, v_index = indices(system.layout, [part.name for part in description.parts])
    body_index = np.array([list(system.names).index(part.name) for part in description.parts])
    return Tree(system, transforms, q_index, v_index, body_index)


def _part(description: Description, key: FrameKey) -> ls.Part | None:
    i, node = key
    return None if i < 0 else ls.Part(description.parts[i].name, node)
