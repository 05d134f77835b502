"""Compare lissom with the particle model on one random tree with loops: `check_looped_seed`."""

from __future__ import annotations

import numpy as np

import lissom as ls
from tests.loop_oracles.closures import LoopedSnapshot
from tests.samples.random_loops import LoopedTree, looped_tree
from tests.samples.random_trees import frame_names
from tests.tools.oracle_comparison import Comparison

METHODS = ("auto", "articulated", "composite", "reference")
DIRECT, DYNAMIC = 1e-11, 1e-9


class LoopComparison(Comparison):
    """Relative errors; direct quantities are held to 1e-11, accelerations and forces to 1e-9."""

    @property
    def failures(self) -> list[str]:
        """One line for each quantity that is off by more than its tolerance."""
        return [
            f"seed {self.seed}: {quantity} differs by {error:.1e} (relative)"
            for quantity, error in self.errors.items()
            if not error <= (DYNAMIC if ":" in quantity else DIRECT)
        ]


def check_looped_seed(seed: int, kind: str | None = None) -> LoopComparison:
    """Closure, compliance, accelerations and loop forces of the seed's mechanism."""
    case = looped_tree(seed, kind)
    result = LoopComparison(seed, case.coverage)
    snapshot = case.oracle.at(case.q, case.v, length=case.tree.system.length)
    _compare_closure(result, case, snapshot)
    _compare_dynamics(result, case, snapshot)
    return result


def _compare_closure(result: Comparison, case: LoopedTree, snapshot: LoopedSnapshot) -> None:
    """Gap and rate vanish; A^T A and A^T gamma do not depend on the basis of A's rows."""
    system, order = case.tree.system, case.tree.v_index
    closure = ls.closure(system, case.state)
    A, zero = closure.jacobian[:, order], np.zeros(system.n_constraint)
    result.add("gap", closure.gap, zero, system.length)
    result.add("rate", closure.rate, zero, np.abs(A).sum(axis=1).max())
    square, pushed = snapshot.A.T @ snapshot.A, snapshot.A.T @ snapshot.gamma
    result.add("A^T A", A.T @ A, square, np.abs(square).max())
    size = np.abs(snapshot.A).sum(axis=0).max() * snapshot.acceleration_scale
    result.add("A^T gamma", A.T @ closure.bias, pushed, size)
    expected = A @ np.linalg.solve(snapshot.tree.mass_matrix, A.T)
    result.add("Lambda", closure.operational, expected, np.abs(expected).max())


def _compare_dynamics(result: Comparison, case: LoopedTree, snapshot: LoopedSnapshot) -> None:
    """All methods, with generalized forces and wrenches; weighted by the masses."""
    system, state, tree, given = case.tree.system, case.state, case.tree, case.description
    names = frame_names(given)
    wrenches = {names[key]: wrench for key, wrench in given.external.items()}
    weight = np.sqrt(np.diag(snapshot.tree.mass_matrix))
    sizes = np.array([1 / system.length] * 3 + [1.0] * 3)
    zero = np.zeros(len(case.v))
    cases = {
        "": (zero, None, None, None),
        " with forces": (given.forces, None, tree.to_lissom(given.forces), None),
        " with wrenches": (given.forces, given.external, tree.to_lissom(given.forces), wrenches),
    }
    for case_name, (force, external, own_force, own_external) in cases.items():
        vdot, expected = snapshot.forward_dynamics(force, external)
        free = snapshot.tree.forward_dynamics(force, external)
        scale = max(1e-3, *(np.abs(weight * x).max() for x in (vdot, free)))  # [sqrt(kg) m/s^2]
        for method in METHODS:
            found = ls.forward_dynamics(
                system, state, own_force, external=own_external, method=method
            )
            name = f"forward_dynamics: {method}{case_name}"
            result.add(name, weight * found[tree.v_index], weight * vdot, scale)
        found = ls.loop_forces(system, state, own_force, external=own_external)
        scale = max(1e-3, np.abs(sizes * expected).max())  # [N]
        result.add(f"loop_forces:{case_name}", sizes * found, sizes * expected, scale)
