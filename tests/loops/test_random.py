"""Random trees with random loops against the particle model: closure, accelerations, forces."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.samples.random_loops import LOOP_KINDS, looped_tree
from tests.tools.loop_comparison import check_looped_seed


@pytest.mark.parametrize("kind", sorted(set(LOOP_KINDS)))
def test_looped_trees_agree_with_the_particle_model(kind):
    """Flexible and rigid trees of all joints, a loop of this joint and up to two of any."""
    failures = check_looped_seed(0, kind).failures  # `tests.verify_loops` has thousands
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("seed", [93, 142])
def test_forces_that_work_in_few_configurations_are_kept(seed):
    """A loop of two speeds, whose working forces need more than two configurations to be seen."""
    failures = check_looped_seed(seed).failures
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("seed", range(4, 8))
def test_looped_trees_agree_without_kernels(seed, monkeypatch):
    monkeypatch.setattr("lissom.algorithms.tree.arguments.READABLE", True)
    failures = check_looped_seed(seed).failures
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("seed", range(6))
def test_rate_of_the_gap_is_its_difference_quotient(seed):
    """A v against gaps of moved states, for speeds that open the loops."""
    case = looped_tree(seed)
    system, state = case.tree.system, case.state
    v = np.random.default_rng(seed).standard_normal(system.n_v)
    qdot, h = ls.qdot(system, state.replace(v=v)), 1e-6
    gaps = [ls.closure(system, state.replace(q=state.q + s * h * qdot)).gap for s in (-1, 1)]
    A = ls.closure(system, state).jacobian
    rate = A @ v
    scale = (np.abs(A) @ np.abs(v)).max()
    # the quotient's own error: h^2 of the third derivative, and rounding 1e-16 / h
    assert np.abs((gaps[1] - gaps[0]) / (2 * h) - rate).max() < 1e-8 * max(scale, 1.0)


@pytest.mark.filterwarnings("ignore:body .* (turns at|is p|deflects)")  # the same softness in both
@pytest.mark.parametrize("seed", [0, 3, 7])
def test_looped_trees_move_as_the_particle_model(seed):
    """A short run from a random state; the oracle is integrated with its loops' coordinates."""
    case = looped_tree(seed)
    q, v = case.oracle.motion(case.q, case.v, 0.1)
    run = ls.simulate(case.tree.system, case.state, duration=0.1, rtol=1e-11)
    assert np.abs(run.q[-1][case.tree.q_index] - q).max() < 1e-8
    assert np.abs(run.v[-1][case.tree.v_index] - v).max() < 1e-8 * np.abs(v).max()
