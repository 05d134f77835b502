"""Derivatives of forward dynamics of mechanisms with loops and couplings."""

import numpy as np
import pytest

import lissom as ls
from tests.derivative_checks import error
from tests.loop_oracles.slopes import free_slopes
from tests.random_loops import looped_tree

KINDS = ("revolute", "universal", "planar", "compound", "cylindrical", "spherical", "fixed")


@pytest.mark.parametrize("seed, kind", list(enumerate(KINDS)))
def test_free_motions_have_the_slopes_of_particles_by_automatic_differentiation(seed, kind):
    case = looped_tree(seed, kind)
    if any(body.level == "linear" and body.n_mode for body in case.tree.system.bodies):
        pytest.skip("automatic differentiation is of bodies at level full")
    rng = np.random.default_rng(seed)
    forces = rng.standard_normal(len(case.v))
    found = ls.forward_dynamics_derivatives(
        case.tree.system, case.state, case.tree.to_lissom(forces)
    )
    place = {int(own): k for k, own in enumerate(case.tree.v_index)}
    free = [place[k] for k in found.independent]
    by_q, by_v = free_slopes(case.oracle, case.q, case.v, forces, free)
    assert error(found.q[case.tree.v_index], by_q) < 1e-9
    assert error(found.v[case.tree.v_index], by_v) < 1e-9
