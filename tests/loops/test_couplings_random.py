"""Random trees with random couplings, with loops and without, against the particle model."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.samples.random_couplings import CoupledTree, coupled_tree
from tests.samples.random_trees import frame_names

METHODS = ("auto", "articulated", "composite", "reference")
DIRECT, DYNAMIC = 1e-11, 1e-9  # as for loops, see `loop_comparison`


def check(case: CoupledTree) -> int:
    """Compare everything; the number of couplings whose forces are determined."""
    system, state, tree, given = case.tree.system, case.state, case.tree, case.description
    closure = ls.closure(system, state)
    n = len(case.rows)
    # rows are scaled: compare their directions
    own = closure.jacobian[-n:, tree.v_index]
    scales = np.linalg.norm(own, axis=1) / np.linalg.norm(case.rows, axis=1)
    assert np.abs(own - scales[:, None] * case.rows).max() < DIRECT * np.abs(own).max()
    assert np.abs(closure.gap).max() < DIRECT * system.length
    assert np.abs(closure.rate).max() < 1e-10 * max(1, np.abs(closure.jacobian * state.v).max())
    A = closure.jacobian[:, tree.v_index]
    Lam = A @ np.linalg.solve(case.M, A.T)
    assert np.abs(closure.operational - Lam).max() < DIRECT * np.abs(Lam).max()
    weight, names = np.sqrt(np.diag(case.M)), frame_names(given)
    wrenches = {names[key]: wrench for key, wrench in given.external.items()}
    own_force = tree.to_lissom(given.forces)
    vdot, forces, single = case.forward_dynamics(given.forces, given.external)
    free = case.snapshot.forward_dynamics(given.forces, given.external)
    scale = max(1e-3, *(np.abs(weight * x).max() for x in (vdot, free)))
    for method in METHODS:
        found = ls.forward_dynamics(system, state, own_force, external=wrenches, method=method)
        assert np.abs(weight * (found[tree.v_index] - vdot)).max() < DYNAMIC * scale, method
    if single:
        found = ls.coupling_forces(system, state, own_force, external=wrenches)
        assert np.abs(found - forces).max() < DYNAMIC * max(1e-3, np.abs(forces).max())
    return n if single else 0


@pytest.mark.parametrize("loops", [False, True])
def test_coupled_trees_agree_with_the_particle_model(loops):
    cases = [coupled_tree(seed, loops=loops) for seed in (range(3) if loops else range(6))]
    determined = [check(case) for case in cases if case is not None]
    assert len(determined) >= 3 and sum(determined) >= 3


def test_coupled_trees_agree_without_kernels(monkeypatch):
    monkeypatch.setattr("lissom.algorithms.tree.arguments.READABLE", True)
    for loops in (False, True):
        check(coupled_tree(3, loops=loops))


@pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")
def test_couplings_hold_in_a_run_beside_loops():
    case = coupled_tree(1, loops=True)
    run = ls.simulate(case.tree.system, case.state, duration=0.02, rtol=1e-10)
    for k in range(len(case.rows)):
        assert np.abs(run[f"coupling{k}.gap"]).max() < 1e-11 * max(1, np.abs(run.q).max())
