"""Equations of random trees, all joints, rigid and flexible, against the particle model."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from lissom.symbolic import derive
from tests.oracle_comparison import well_conditioned
from tests.random_trees import build_model, frame_names

# Trees of up to 32 and up to 20 speeds.
SEEDS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
SMALL = (0, 1, 2, 3, 5, 6, 8, 11, 12, 16, 18, 19, 20, 22, 23, 24, 25, 26, 27, 28, 29)
BOUND = 1e-10


def off(actual, expected, scale):
    """Largest difference beside the sizes of what was summed up."""
    return float(np.max(np.abs(actual - expected) / np.maximum(scale, 1e-300), initial=0.0))


def case(seed, level):
    description, tree, snapshot = well_conditioned(seed, level)
    return description, tree, snapshot, derive(build_model(description), level=level)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", ["linear", "full"])
def test_programs_agree_with_the_particle_model(seed, level):
    description, tree, snapshot, equations = case(seed, level)
    names = frame_names(description)
    some = dict(list(names.items())[-2:])
    functions = equations.lambdify(frames=list(some.values()))
    order = tree.v_index
    state = tree.state(snapshot.q, snapshot.v)
    q, v = state.q, state.v
    diagonal = np.sqrt(np.diag(snapshot.mass_matrix))
    mass = functions.mass(q)[np.ix_(order, order)]
    assert off(mass, snapshot.mass_matrix, np.outer(diagonal, diagonal)) < BOUND
    zero = np.zeros(len(v))
    scale = snapshot.force_scale(zero)
    assert off(functions.bias(q, v)[order], snapshot.bias_force, scale) < BOUND
    vdot = description.acceleration
    forces = functions.inverse_dynamics(q, v, tree.to_lissom(vdot))[order]
    assert off(forces, snapshot.inverse_dynamics(vdot), snapshot.force_scale(vdot)) < BOUND
    expected = diagonal * snapshot.forward_dynamics(description.forces)
    found = diagonal * functions.forward_dynamics(q, v, tree.to_lissom(description.forces))[order]
    size = max(np.abs(expected).max(), (scale / diagonal).max())
    assert off(found, expected, size) < BOUND
    rates = np.abs(snapshot.coordinate_map) @ np.abs(snapshot.v)
    assert off(functions.qdot(q, v)[tree.q_index], snapshot.qdot, rates) < BOUND
    kinetic, potential = functions.energy(q, v)
    assert kinetic == pytest.approx(snapshot.kinetic_energy, rel=BOUND)
    particles = snapshot.particles
    weight = particles.mass @ (np.abs(particles.positions) @ np.abs(snapshot.gravity))
    height = snapshot.potential_energy + snapshot.strain_energy
    assert abs(potential - height) <= BOUND * (weight + snapshot.strain_energy)
    for key, name in some.items():
        frame, word = snapshot.frames[key], name.replace(".", "_")
        pose = getattr(functions, f"pose_{word}")(q)
        assert np.abs(pose[:3, 3] - frame.position).max() < BOUND * 10
        jacobian = getattr(functions, f"jacobian_{word}")(q)[:, order]
        largest = max(1.0, np.abs(frame.world_jacobian).max())
        assert np.abs(jacobian - frame.jacobian()).max() < BOUND * largest


@pytest.mark.parametrize("seed", SMALL)
@pytest.mark.parametrize("level", ["linear", "full"])
def test_coriolis_matrix_gives_the_velocity_terms_and_is_skew_where_energies_say_so(seed, level):
    _, tree, snapshot, equations = case(seed, level)
    system = tree.system
    functions = equations.lambdify(functions=["coriolis", "mass"])
    state = tree.state(snapshot.q, snapshot.v)
    still = ls.bias_force(system, state.replace(v=np.zeros(system.n_v)))
    damping = np.zeros(system.n_v)
    for i, body in enumerate(system.bodies):
        damping[system.layout.modal_v(i)] = body.damping @ state.v[system.layout.modal_v(i)]
    expected = ls.bias_force(system, state) - still - damping
    C = functions.coriolis(state.q, state.v)
    scale = snapshot.force_scale(np.zeros(system.n_v)).max()
    assert np.abs(C @ state.v - expected).max() < BOUND * scale
    if any(body.n_mode for body in system.bodies) and level == "linear":
        return
    h = 1e-6
    rates = ls.qdot(system, state)
    ahead, behind = (functions.mass(state.q + s * h * rates) for s in (1, -1))
    Mdot = (ahead - behind) / (2 * h)
    assert np.abs(Mdot - C - C.T).max() < 1e-6 * max(1.0, np.abs(Mdot).max(), np.abs(C).max())
