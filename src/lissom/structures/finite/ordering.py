"""Order of elimination by nested dissection of the nodes in space.

The nodes are ranked along the longest extent of their box and cut in two.  Nodes of the first part
that touch the second separate both and are eliminated last.  Node i with rank r_i, whose farthest
neighbour has rank f_i, is among them for all cuts c with

  r_i < c <= f_i                                                                              (1)

so that one sum counts the separators of all cuts, and the best one near the middle is taken: with
quadratic elements, one through corners, not one between.  For a solid with n nodes the factor has
O(n^(4/3)) entries, and fewer than with an order of minimal degree once n is large (George 1973).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Whole = NDArray[np.intp]

_LEAF = 64  # nodes below which a part is not cut
_NEAR = 0.3  # a cut leaves this share of the nodes on either side


def dissection(positions: NDArray[np.float64], graph: Any) -> list[Whole]:
    """Nodes that are eliminated together, in the order of elimination.

    Parameters
    ----------
    positions : array (n, 3)
        Nodes; only their arrangement counts.
    graph : sparse array (n, n)
        Nonzero where two nodes are coupled, symmetric.
    """
    graph = sp.csr_array(graph)
    n = graph.shape[0]
    graph = sp.csr_array(graph + sp.eye_array(n))  # a node is its own neighbour
    found, rank, pending = [], np.full(n, -1), [np.arange(n)]
    while pending:  # parts are taken out last part first, so the order is built from its end
        part = pending.pop()
        if len(part) <= _LEAF:
            found.append(part)
            continue
        axis = int(np.argmax(np.ptp(positions[part], axis=0)))
        ranked = part[np.argsort(positions[part, axis], kind="stable")]
        rank[ranked] = np.arange(len(part))
        far = _farthest(graph, ranked, rank)
        rank[ranked] = -1
        c = _best_cut(far)
        touches = far[:c] >= c
        found.append(ranked[:c][touches])
        pending += [x for x in (ranked[:c][~touches], ranked[c:]) if len(x)]
    return [part for part in found[::-1] if len(part)]


def _farthest(graph: Any, nodes: Whole, rank: Whole) -> Whole:
    """Highest rank among the neighbours of each of some nodes."""
    starts = graph.indptr[nodes]
    lengths = graph.indptr[nodes + 1] - starts
    first = np.cumsum(lengths) - lengths
    entries = np.arange(lengths.sum()) + np.repeat(starts - first, lengths)
    return np.asarray(np.maximum.reduceat(rank[graph.indices[entries]], first))


def _best_cut(far: Whole) -> int:
    """Cut near the middle with few separators by (1)."""
    n = len(far)
    own = np.arange(n)
    change = np.bincount(own + 1, minlength=n + 2) - np.bincount(far + 1, minlength=n + 2)
    low, high = int(_NEAR * n), int((1 - _NEAR) * n) + 1
    cuts = np.arange(low, high)
    off = 2 * cuts / n - 1
    return int(cuts[np.argmin(np.cumsum(change)[low:high] * (1 + off**2))])
