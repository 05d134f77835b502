"""Cholesky factorisation by fronts, and the order of elimination."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from lissom.structures.finite.static_solutions import Fronts, NotPositiveError, dissection

RANDOM = np.random.default_rng(4)


def grid(counts, reach=1):
    """Nodes of a grid and a random positive definite matrix that couples neighbours."""
    nodes = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
    near = np.abs(nodes[:, None] - nodes[None]).max(axis=2) <= reach
    values = np.triu(RANDOM.standard_normal(near.shape) * near, 1)
    K = values + values.T
    return nodes.astype(float), sp.csr_array(K + np.diag(1 + np.abs(K).sum(axis=1)))


@pytest.mark.parametrize("counts", [(9, 8, 7), (40, 3, 3), (300, 1, 1), (3, 1, 1)])
def test_solutions_are_those_of_a_general_solver(counts):
    nodes, K = grid(counts)
    right = RANDOM.standard_normal((len(nodes), 3))
    found = Fronts(K, dissection(nodes, K)).solve(right)
    assert found == pytest.approx(spsolve(K.tocsc(), right), rel=1e-9, abs=1e-12)


def test_any_division_into_parts_gives_the_same():
    nodes, K = grid((6, 5, 4))
    order = RANDOM.permutation(len(nodes))
    right = RANDOM.standard_normal((len(nodes), 1))
    found = Fronts(K, np.array_split(order, 17)).solve(right)
    assert found == pytest.approx(spsolve(K.tocsc(), right)[:, None], rel=1e-9, abs=1e-12)


def test_a_negative_pivot_names_its_unknown():
    nodes, K = grid((9, 8, 7))
    K = K.tolil()
    K[200, 200] = -5.0
    with pytest.raises(NotPositiveError) as caught:
        Fronts(K.tocsr(), dissection(nodes, K.tocsr()))
    assert caught.value.unknown == 200 and caught.value.pivot < -0.5


def test_cuts_go_through_the_layers_that_separate_with_fewest_nodes():
    """Nodes of quadratic hexahedra of width 2, coupled within these."""
    nodes = grid((21, 9, 9))[0]
    thin = (nodes[:, 0] % 2 == 1) & ((nodes[:, 1] % 2 == 1) | (nodes[:, 2] % 2 == 1))
    nodes = nodes[~thin]
    low, high = np.ceil(nodes / 2) - 1, nodes // 2  # cells that have the node
    near = np.all((low[:, None] <= high[None]) & (low[None] <= high[:, None]), axis=2)
    parts = dissection(nodes, sp.csr_array(near.astype(float)))
    assert sorted(np.concatenate(parts)) == list(range(len(nodes)))
    assert np.all(nodes[parts[-1], 0] == nodes[parts[-1][0], 0])  # one layer, not two
    assert nodes[parts[-1][0], 0] % 2 == 0  # between cells
