"""Compare lissom with the oracle on one random mechanism: `check_seed`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import lissom as ls
from tests.oracle import Oracle, Snapshot
from tests.oracle.random_bodies import modal_mass
from tests.oracle.random_mechanism import Description, draw
from tests.random_trees import Tree, build, frame_names, sizes_agree

TOLERANCE = 1e-9
MAX_CONDITION = 1e6
METHODS = ("articulated", "composite", "reference", "auto")


@dataclass
class Comparison:
    """Relative errors found for one seed, the largest of each quantity."""

    seed: int
    coverage: Counter = field(default_factory=Counter)
    errors: dict[str, float] = field(default_factory=dict)
    condition: float = 1.0

    def add(self, quantity: str, actual, expected, scale) -> None:
        """Record max |actual - expected| / max(|actual|, |expected|, scale), entry by entry."""
        actual, expected = np.asarray(actual, float), np.asarray(expected, float)
        error = np.inf
        if actual.shape == expected.shape:
            size = np.maximum(np.maximum(np.abs(actual), np.abs(expected)), scale)
            difference = np.abs(actual - expected)
            ratio = np.divide(difference, size, out=np.zeros_like(difference), where=size > 0)
            error = float(np.max(ratio, initial=0.0)) if np.all(np.isfinite(actual)) else np.inf
        self.errors[quantity] = max(error, self.errors.get(quantity, 0.0))

    @property
    def failures(self) -> list[str]:
        """One line for each quantity that is off by more than the tolerance."""
        return [
            f"seed {self.seed}: {quantity} differs from the oracle by {error:.1e} (relative)"
            for quantity, error in self.errors.items()
            if not error <= TOLERANCE
        ]


def well_conditioned(seed: int) -> tuple[Description, Tree, Snapshot, float]:
    """The seed's first mechanism whose mass matrix has a condition number of at most 1e6."""
    for attempt in range(20):
        description = draw(seed, attempt)
        tree = build(description)
        oracle = Oracle(description.mechanism(tree.transforms))
        snapshot = oracle.at(*description.state(tree.transforms))
        condition = float(np.linalg.cond(snapshot.mass_matrix))
        if condition <= MAX_CONDITION:
            return description, tree, snapshot, condition
    raise AssertionError(f"seed {seed}: no well-conditioned mechanism in twenty attempts")


def check_seed(seed: int) -> Comparison:
    """Build the seed's mechanism twice, in lissom and in the oracle, and compare everything."""
    description, tree, snapshot, condition = well_conditioned(seed)
    result = Comparison(seed, description.coverage, condition=condition)
    if not sizes_agree(description, tree):
        result.errors["layout"] = np.inf
        return result
    state = tree.state(snapshot.q, snapshot.v)
    _compare_transforms(result, description, tree)
    _compare_forces(result, description, tree, snapshot, state)
    _compare_forward(result, description, tree, snapshot, state)
    _compare_energy(result, description, tree, snapshot, state)
    _compare_frames(result, description, tree, snapshot, state)
    _compare_joint_forces(result, description, tree, snapshot, state)
    return result


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
    """Accelerations, weighted by the square roots of the mass matrix's diagonal."""
    forces, wrenches = description.forces, _external(description)
    own_forces = tree.to_lissom(forces)
    weight = np.sqrt(np.diag(snapshot.mass_matrix))
    cases = {
        "": (snapshot.forward_dynamics(np.zeros(len(forces))), None, None),
        " with forces": (snapshot.forward_dynamics(forces), own_forces, None),
        " with forces and wrenches": (
            snapshot.forward_dynamics(forces, description.external),
            own_forces,
            wrenches,
        ),
    }
    for method in METHODS:
        for case, (expected, given, external) in cases.items():
            vdot = ls.forward_dynamics(tree.system, state, given, external=external, method=method)
            actual, expected = weight * vdot[tree.v_index], weight * expected
            scale = np.abs(expected).max()
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


def _compare_frames(result, description, tree, snapshot, state) -> None:
    system, vdot = tree.system, description.acceleration
    own_vdot = tree.to_lissom(vdot)
    frames = snapshot.frames.values()
    size = max(1.0, *(np.abs(frame.position).max() for frame in frames))
    reach = max(1.0, *(np.abs(frame.world_jacobian).max() for frame in frames))
    speed = max((np.abs(frame.world_jacobian) @ np.abs(snapshot.v)).max() for frame in frames)
    rush = max(np.abs(frame.world_bias).max() for frame in frames) + reach * np.abs(vdot).sum()
    for key, name in frame_names(description).items():
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
    vdot, wrenches = description.acceleration, _external(description)
    own_vdot = tree.to_lissom(vdot)
    for case, external in {"": None, " with wrenches": wrenches}.items():
        given = description.external if external else None
        expected = snapshot.joint_forces(vdot, given)
        arguments = {"external": external} if external else {}
        forces = ls.joint_forces(tree.system, state, own_vdot, **arguments)
        result.add("joint_forces" + case, forces[tree.body_index], expected, np.abs(expected).max())
