"""Forward dynamics of the kernels on counting numbers; needs NUMBA_DISABLE_JIT=1."""

from __future__ import annotations

import numpy as np

from lissom.algorithms import forward_dynamics
from lissom.algorithms.tree import engine
from lissom.errors import LissomError
from lissom.library import flexible_chain

from ..cases import moving_case
from .counting import Counts, counting, counting_array


def count_forward_dynamics(bodies: int, modes: int, method: str) -> Counts:
    """Operations of one forward dynamics of a flexible chain.

    Constants of the system, computed once, are not counted.

    Parameters
    ----------
    bodies, modes : int
        Size of the chain.
    method : {"articulated", "composite"}
        Kernel to count.
    """
    case = moving_case(flexible_chain(bodies, modes), size=1)
    state = case.state
    expected = forward_dynamics(case.system, state, case.forces, method="reference")
    with counting() as counts:
        work = engine.workspace(case.system)
        ints, floats, scratch = work.call
        work.call = ints, counting_array(floats, counts), counting_array(scratch, counts)
        work.mass = counting_array(work.mass, counts)
        given = (state.q, state.v, case.forces, np.zeros_like(case.forces))
        q, v, f, out = (counting_array(vector, counts) for vector in given)
        engine.forward_dynamics(case.system, q, v, f, composite=method == "composite", out=out)
    if not np.allclose(out.astype(float), expected, rtol=1e-6, atol=1e-6):
        raise LissomError(
            f"method {method!r}: the counted run and the reference give different accelerations"
        )
    return counts
