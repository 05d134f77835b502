"""Programs of derived equations of one random tree: `check_seed`, `check_coriolis`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import lissom as ls
from lissom.symbolic import derive
from tests.samples.random_loops import looped_model, looped_tree
from tests.samples.random_trees import build_model, frame_names
from tests.tools.oracle_comparison import well_conditioned

BOUND = 1e-10


@dataclass
class Errors:
    """Largest differences by quantity, beside the sizes of what was summed up."""

    seed: int
    coverage: Counter
    errors: dict[str, float] = field(default_factory=dict)

    def add(self, quantity, actual, expected, scale) -> None:
        ratio = np.abs(actual - expected) / np.maximum(scale, 1e-300)
        finite = bool(np.all(np.isfinite(actual)))
        self.errors[quantity] = float(np.max(ratio, initial=0.0)) if finite else np.inf

    @property
    def failures(self) -> list[str]:
        return [
            f"seed {self.seed}: {quantity} is off by {error:.1e}"
            for quantity, error in self.errors.items()
            if not error < BOUND
        ]


def check_seed(seed: int, level: str = "linear") -> Errors:
    """Derive the equations of a random tree and compare their program with the particle model."""
    description, tree, snapshot = well_conditioned(seed, level)
    frames = dict(list(frame_names(description).items())[-2:])
    equations = derive(build_model(description), level=level)
    functions = equations.lambdify(frames=list(frames.values()))
    result = Errors(seed, description.coverage)
    _compare_forces(result, description, tree, snapshot, functions)
    _compare_energies(result, tree, snapshot, functions)
    _compare_frames(result, tree, snapshot, functions, frames)
    return result


def check_coriolis(seed: int, level: str) -> Errors:
    """C v against velocity terms of the recursions, and C + C^T against differences of the mass."""
    description, tree, snapshot = well_conditioned(seed, level)
    equations = derive(build_model(description), level=level)
    system, result = tree.system, Errors(seed, description.coverage)
    functions = equations.lambdify(functions=["coriolis", "mass"])
    state = tree.state(snapshot.q, snapshot.v)
    still = ls.bias_force(system, state.replace(v=np.zeros(system.n_v)))
    damping = np.zeros(system.n_v)
    for i, body in enumerate(system.bodies):
        damping[system.layout.modal_v(i)] = body.damping @ state.v[system.layout.modal_v(i)]
    expected = ls.bias_force(system, state) - still - damping
    C = functions.coriolis(state.q, state.v)
    scale = snapshot.force_scale(np.zeros(system.n_v)).max()
    result.add("coriolis", C @ state.v, expected, scale)
    if any(body.n_mode for body in system.bodies) and level == "linear":
        return result  # not skew: level linear drops terms of the energy
    h = 1e-6
    rates = ls.qdot(system, state)
    ahead, behind = (functions.mass(state.q + s * h * rates) for s in (1, -1))
    Mdot = (ahead - behind) / (2 * h)
    size = max(1.0, np.abs(Mdot).max(), np.abs(C).max())
    # The quotient is good for 1e-6 of its size, which counts as BOUND.
    result.add("skewness", Mdot, C + C.T, 1e-6 * size / BOUND)
    return result


def check_loops(seed: int) -> Errors | None:
    """Accelerations of a random mechanism with loops; None if its loops have no formulas.

    Rows of A are compared through accelerations: the particle model has others of the same span.
    """
    case = looped_tree(seed)
    result = Errors(seed, case.coverage)
    try:
        equations = derive(looped_model(case.description, case.oracle.closings))
    except ls.SymbolicError:  # a compound joint
        return None
    functions = equations.lambdify(functions=["forward_dynamics", "constraint_jacobian"])
    tree, state, forces = case.tree, case.state, case.description.forces
    snapshot = case.oracle.at(case.q, case.v, length=tree.system.length)
    vdot, _ = snapshot.forward_dynamics(forces, None)
    weight = np.sqrt(np.diag(snapshot.tree.mass_matrix))
    free = snapshot.tree.forward_dynamics(forces, None)
    scale = max(np.abs(weight * x).max() for x in (vdot, free))
    found = functions.forward_dynamics(state.q, state.v, tree.to_lissom(forces))
    # Programs keep the same rows in all states, whatever is left of them: 1e-9 counts as BOUND.
    scale *= 1e-9 / BOUND
    result.add("loops: accelerations", weight * found[tree.v_index], weight * vdot, scale)
    A = functions.constraint_jacobian(state.q)
    result.add("loops: rates", A @ state.v, 0.0, np.abs(A).sum(axis=1).max() + 1.0)
    return result


def _compare_forces(result, description, tree, snapshot, functions) -> None:
    order, state = tree.v_index, tree.state(snapshot.q, snapshot.v)
    q, v = state.q, state.v
    diagonal = np.sqrt(np.diag(snapshot.mass_matrix))
    mass = functions.mass(q)[np.ix_(order, order)]
    result.add("mass", mass, snapshot.mass_matrix, np.outer(diagonal, diagonal))
    scale = snapshot.force_scale(np.zeros(len(v)))
    result.add("bias", functions.bias(q, v)[order], snapshot.bias_force, scale)
    vdot = description.acceleration
    forces = functions.inverse_dynamics(q, v, tree.to_lissom(vdot))[order]
    expected, size = snapshot.inverse_dynamics(vdot), snapshot.force_scale(vdot)
    result.add("inverse_dynamics", forces, expected, size)
    expected = diagonal * snapshot.forward_dynamics(description.forces)
    found = diagonal * functions.forward_dynamics(q, v, tree.to_lissom(description.forces))[order]
    size = max(np.abs(expected).max(), (scale / diagonal).max())
    result.add("forward_dynamics", found, expected, size)
    rates = np.abs(snapshot.coordinate_map) @ np.abs(snapshot.v)
    result.add("qdot", functions.qdot(q, v)[tree.q_index], snapshot.qdot, rates)


def _compare_energies(result, tree, snapshot, functions) -> None:
    state, particles = tree.state(snapshot.q, snapshot.v), snapshot.particles
    kinetic, potential = functions.energy(state.q, state.v)
    result.add("kinetic", kinetic, snapshot.kinetic_energy, snapshot.kinetic_energy)
    weight = particles.mass @ (np.abs(particles.positions) @ np.abs(snapshot.gravity))
    height = snapshot.potential_energy + snapshot.strain_energy
    result.add("potential", potential, height, weight + snapshot.strain_energy)


def _compare_frames(result, tree, snapshot, functions, frames) -> None:
    q = tree.state(snapshot.q, snapshot.v).q
    for key, name in frames.items():
        frame, word = snapshot.frames[key], name.replace(".", "_")
        pose = getattr(functions, f"pose_{word}")(q)
        size = max(1.0, np.abs(frame.position).max())
        result.add(f"position of {name}", pose[:3, 3], frame.position, size)
        jacobian = getattr(functions, f"jacobian_{word}")(q)[:, tree.v_index]
        largest = max(1.0, np.abs(frame.world_jacobian).max())
        result.add(f"jacobian of {name}", jacobian, frame.jacobian(), largest)
