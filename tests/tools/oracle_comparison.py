"""Compare lissom with the oracle on one random mechanism: `check_seed`, `check_both_texts`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from unittest.mock import patch

import numpy as np

import lissom as ls
from tests.oracle import Oracle, Snapshot
from tests.oracle.random_bodies import modal_mass
from tests.oracle.random_mechanism import Description, draw, with_level
from tests.samples.random_trees import Tree, build, frame_names, sizes_agree

TOLERANCE = 1e-9
MAX_CONDITION = 1e6
METHODS = ("articulated", "composite", "reference", "auto")


@dataclass
class Comparison:
    """Relative errors found for one seed, the largest of each quantity."""

    seed: int
    coverage: Counter = field(default_factory=Counter)
    errors: dict[str, float] = field(default_factory=dict)
    text: str = ""  # before each quantity

    def add(self, quantity: str, actual, expected, scale) -> None:
        """Record max |actual - expected| / max(|actual|, |expected|, scale), entry by entry."""
        actual, expected = np.asarray(actual, float), np.asarray(expected, float)
        error = np.inf
        if actual.shape == expected.shape:
            size = np.maximum(np.maximum(np.abs(actual), np.abs(expected)), scale)
            difference = np.abs(actual - expected)
            ratio = np.divide(difference, size, out=np.zeros_like(difference), where=size > 0)
            error = float(np.max(ratio, initial=0.0)) if np.all(np.isfinite(actual)) else np.inf
        name = self.text + quantity
        self.errors[name] = max(error, self.errors.get(name, 0.0))

    @property
    def failures(self) -> list[str]:
        """One line for each quantity that is off by more than the tolerance."""
        return [
            f"seed {self.seed}: {quantity} differs from the oracle by {error:.1e} (relative)"
            for quantity, error in self.errors.items()
            if not error <= TOLERANCE
        ]


def snapshot_of(description: Description, transforms) -> tuple[Snapshot, float]:
    """The oracle at the description's state, and the condition number of its mass matrix."""
    oracle = Oracle(description.mechanism(transforms))
    snapshot = oracle.at(*description.state(transforms))
    return snapshot, float(np.linalg.cond(snapshot.mass_matrix))


def well_conditioned(seed: int, level: str | None) -> tuple[Description, Tree, Snapshot]:
    """The seed's first mechanism whose mass matrix has a condition number of at most 1e6.

    lissom may refuse to compile a mechanism with a motion that moves no inertia, and no other.
    """
    for attempt in range(20):
        description = draw(seed, attempt)
        described = description if level is None else with_level(description, level)
        try:
            tree = build(description, level)
        except ls.ModelError:
            _, condition = snapshot_of(described, described.own_transforms())
            if condition <= MAX_CONDITION:
                raise
            continue
        snapshot, condition = snapshot_of(described, tree.transforms)
        if condition <= MAX_CONDITION:
            return description, tree, snapshot
    raise AssertionError(f"seed {seed}: no well-conditioned mechanism in twenty attempts")


def check_seed(seed: int, level: str | None = None) -> Comparison:
    """Build the seed's mechanism twice, in lissom and in the oracle, and compare everything.

    With a level, lissom compiles all bodies at it; without, each body has its own.
    """
    description, tree, snapshot = well_conditioned(seed, level)
    result = Comparison(seed, description.coverage)
    _compare(result, description, tree, snapshot)
    return result


def check_both_texts(seed: int, every: int = 1) -> Comparison:
    """The compiled text and the readable one against one snapshot of the oracle.

    The readable one computes the whole mechanism anew for each frame; it is asked for every so
    many of them, other ones with each seed.
    """
    description, tree, snapshot = well_conditioned(seed, None)
    result = Comparison(seed, description.coverage)
    _compare(result, description, tree, snapshot)
    with patch("lissom.algorithms.tree.arguments.READABLE", True):
        result.text = "readable text: "
        again = build(description, None)
        for one, other in zip(tree.transforms, again.transforms, strict=True):
            assert one is other is None or np.array_equal(one, other)  # those of the snapshot
        _compare(result, description, again, snapshot, every)
    return result


def _compare(result: Comparison, description, tree, snapshot, every: int = 1) -> None:
    if not sizes_agree(description, tree):
        result.add("layout", np.inf, 0.0, 1.0)
        return
    state = tree.state(snapshot.q, snapshot.v)
    _compare_transforms(result, description, tree)
    _compare_forces(result, description, tree, snapshot, state)
    _compare_forward(result, description, tree, snapshot, state)
    _compare_energy(result, description, tree, snapshot, state)
    _compare_frames(result, description, tree, snapshot, state, every)
    _compare_joint_forces(result, description, tree, snapshot, state)


def _external(description: Description) -> dict[str, np.ndarray]:
    names = frame_names(description)
    return {names[key]: wrench for key, wrench in description.external.items()}


def _compare_transforms(result, description, tree) -> None:
    """T'MT = I and T'KT diagonal; T = I for a basis that was so already."""
    for part, T in zip(description.parts, tree.transforms, strict=True):
        if T is not None:
            stiffness = T.T @ part.data.stiffness @ T
            result.add("transform: mass", T.T @ modal_mass(part.data) @ T, np.eye(len(T)), 1)
            diagonal = np.diag(np.diag(stiffness))
            result.add("transform: stiffness", stiffness, diagonal, np.abs(stiffness).max())


def _compare_forces(result, description, tree, snapshot, state) -> None:
    system, order, zero = tree.system, tree.v_index, np.zeros(len(snapshot.v))
    mass = ls.mass_matrix(system, state)
    diagonal = np.sqrt(np.diag(snapshot.mass_matrix))
    result.add(
        "mass_matrix",
        mass[np.ix_(order, order)],
        snapshot.mass_matrix,
        np.outer(diagonal, diagonal),
    )
    scale = snapshot.force_scale(zero)
    result.add("bias_force", ls.bias_force(system, state)[order], snapshot.bias_force, scale)
    weight = ls.gravity_force(system, state)[order]
    heavy = snapshot.particles.mass[:, None] * np.abs(snapshot.gravity)
    scale = np.einsum("pki,pk->i", np.abs(snapshot.particles.jacobian), heavy)
    result.add("gravity_force", weight, snapshot.gravity_force, scale)
    vdot, external = description.acceleration, description.external
    own_vdot = tree.to_lissom(vdot)
    forces = ls.inverse_dynamics(system, state, own_vdot)
    expected, scale = snapshot.inverse_dynamics(vdot), snapshot.force_scale(vdot)
    result.add("inverse_dynamics", forces[order], expected, scale)
    forces = ls.inverse_dynamics(system, state, own_vdot, external=_external(description))
    expected = snapshot.inverse_dynamics(vdot, external)
    scale = snapshot.force_scale(vdot, external)
    result.add("inverse_dynamics with wrenches", forces[order], expected, scale)
    rates = np.abs(snapshot.coordinate_map) @ np.abs(snapshot.v)
    result.add("qdot", ls.qdot(system, state)[tree.q_index], snapshot.qdot, rates)


def _compare_forward(result, description, tree, snapshot, state) -> None:
    """Accelerations, weighted by the square roots of the mass matrix's diagonal.

    In these units the forces, divided by the weights, are as large as the accelerations.
    """
    forces, wrenches = description.forces, _external(description)
    own_forces = tree.to_lissom(forces)
    weight = np.sqrt(np.diag(snapshot.mass_matrix))
    force = (snapshot.force_scale(np.zeros(len(forces))) / weight).max()
    cases = {
        "": (snapshot.forward_dynamics(np.zeros(len(forces))), None, {}),
        " with forces": (snapshot.forward_dynamics(forces), own_forces, {}),
        " with forces and wrenches": (
            snapshot.forward_dynamics(forces, description.external),
            own_forces,
            {"external": wrenches},
        ),
        " with armature": (
            snapshot.forward_dynamics(forces, armature=description.armature),
            own_forces,
            {"armature": tree.to_lissom(description.armature)},
        ),
    }
    for method in METHODS:
        for case, (expected, given, options) in cases.items():
            vdot = ls.forward_dynamics(tree.system, state, given, method=method, **options)
            actual, expected = weight * vdot[tree.v_index], weight * expected
            scale = max(np.abs(expected).max(), force)
            result.add(f"forward_dynamics, {method}{case}", actual, expected, scale)


def _compare_energy(result, description, tree, snapshot, state) -> None:
    system, particles = tree.system, snapshot.particles
    energy = ls.energy(system, state)
    parts = [snapshot.kinetic_energy, snapshot.potential_energy, snapshot.strain_energy]
    heights = np.abs(particles.positions) @ np.abs(snapshot.gravity)
    weight = particles.mass @ heights
    result.add("energy: kinetic", energy.kinetic, parts[0], 0)
    result.add("energy: potential", energy.potential, parts[1], weight)
    result.add("energy: strain", energy.strain, parts[2], 0)
    result.add("energy: total", energy.total, sum(parts), parts[0] + weight + parts[2])
    about = description.about
    speeds = np.linalg.norm(particles.jacobian @ snapshot.v, axis=1)
    arms = np.linalg.norm(particles.arms - about, axis=1)
    linear, angular = particles.mass @ speeds, particles.mass @ (arms * speeds)
    scale = np.repeat([angular, linear], 3)
    momentum = ls.momentum(system, state, about=about)
    result.add("momentum", momentum, snapshot.momentum(about), scale)
    size = np.abs(particles.positions).max()
    result.add("center_of_mass", ls.center_of_mass(system, state), snapshot.center_of_mass, size)


def _compare_frames(result, description, tree, snapshot, state, every) -> None:
    system, vdot = tree.system, description.acceleration
    own_vdot = tree.to_lissom(vdot)
    frames = snapshot.frames.values()
    size = max(1.0, *(np.abs(frame.position).max() for frame in frames))
    reach = max(1.0, *(np.abs(frame.world_jacobian).max() for frame in frames))
    speed = max((np.abs(frame.world_jacobian) @ np.abs(snapshot.v)).max() for frame in frames)
    rush = max(np.abs(frame.world_bias).max() for frame in frames) + reach * np.abs(vdot).sum()
    names = list(frame_names(description).items())
    for key, name in names[result.seed % min(every, len(names)) :: every]:
        kind, frame = "body" if key[1] is None else "node", snapshot.frames[key]
        pose = ls.pose(system, state, name)
        result.add(f"pose of a {kind}: position", pose.position, frame.position, size)
        result.add(f"pose of a {kind}: rotation", pose.rotation, frame.rotation, 1)
        for axes in ("world", "body"):
            of = f" of a {kind}, {axes} axes"
            velocity = ls.velocity(system, state, name, axes=axes)
            result.add("velocity" + of, velocity, frame.velocity(snapshot.v, axes), speed)
            acceleration = ls.acceleration(system, state, name, own_vdot, axes=axes)
            result.add("acceleration" + of, acceleration, frame.acceleration(vdot, axes), rush)
            jacobian = ls.jacobian(system, state, name, axes=axes)[:, tree.v_index]
            result.add("jacobian" + of, jacobian, frame.jacobian(axes), reach)


def _compare_joint_forces(result, description, tree, snapshot, state) -> None:
    vdot, external = description.acceleration, description.external
    caused = snapshot.forward_dynamics(np.zeros(len(vdot)), external)
    own, wrenches = tree.to_lissom(vdot), _external(description)
    cases = {
        "": (snapshot.joint_forces(vdot), own, {}),
        " with wrenches": (snapshot.joint_forces(vdot, external), own, {"external": wrenches}),
        " of the motion itself": (
            snapshot.joint_forces(caused, external),
            None,
            {"external": wrenches},
        ),
    }
    scale = max(np.abs(expected).max() for expected, _, _ in cases.values())
    for case, (expected, acceleration, options) in cases.items():
        forces = ls.joint_forces(tree.system, state, acceleration, **options)
        result.add("joint_forces" + case, forces[tree.body_index], expected, scale)
