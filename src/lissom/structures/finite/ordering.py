"""Order of elimination by nested dissection of the nodes in space.

The nodes are cut in halves along the longest extent of their box; the nodes of the first half that
touch the second separate both and are eliminated last.  For a solid with n nodes the factor has
O(n^(4/3)) entries, and fewer than with an order of minimal degree once n is large (George 1973).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

_LEAF = 64  # nodes below which a part is not cut


def dissection(positions: NDArray[np.float64], graph: Any) -> NDArray[np.intp]:
    """Order (n,) of nodes for elimination.

    Parameters
    ----------
    positions : array (n, 3)
        Nodes; only their arrangement counts.
    graph : sparse array (n, n)
        Nonzero where two nodes are coupled, symmetric.
    """
    graph = sp.csr_array(graph)
    order: list[NDArray[np.intp]] = []
    side = np.zeros(graph.shape[0])
    pending = [np.arange(graph.shape[0])]
    while pending:  # parts are taken out last part first, so the order is built from its end
        part = pending.pop()
        if len(part) <= _LEAF:
            order.append(part)
            continue
        extent = positions[part]
        axis = int(np.argmax(np.ptp(extent, axis=0)))
        ranked = part[np.argsort(extent[:, axis], kind="stable")]
        low, high = ranked[: len(part) // 2], ranked[len(part) // 2 :]
        side[high] = 1
        touches = graph[low] @ side > 0
        side[high] = 0
        order.append(low[touches])
        pending += [x for x in (low[~touches], high) if len(x)]
    return np.concatenate(order[::-1])
