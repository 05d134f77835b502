"""Equations of random trees, all joints, rigid and flexible, against the particle model."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from lissom.symbolic import derive
from tests.oracle_comparison import well_conditioned
from tests.random_trees import build_model
from tests.symbolic_comparison import BOUND, check_seed

# Trees of up to 30 and up to 20 speeds.
SEEDS = (0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 16, 18, 22)
SMALL = (2, 3, 6, 11, 12, 16, 18, 20, 22, 24, 26, 27)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", ["linear", "full"])
def test_programs_agree_with_the_particle_model(seed, level):
    assert check_seed(seed, level).failures == []


@pytest.mark.parametrize("seed", SMALL)
@pytest.mark.parametrize("level", ["linear", "full"])
def test_coriolis_matrix_gives_the_velocity_terms_and_is_skew_where_energies_say_so(seed, level):
    description, tree, snapshot = well_conditioned(seed, level)
    equations = derive(build_model(description), level=level)
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
