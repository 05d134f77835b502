"""`python -m tests.verify_gpu`: batches and runs on a GPU against the CPU; needs one of NVIDIA.

Every kind of mechanism, load and method that a GPU knows (`tests.samples.device_cases`); arrays of
CuPy, and of PyTorch and JAX where they are installed.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import lissom as ls
from tests.samples.device_cases import arm, states
from tests.tools.device_comparison import apart, compare_evaluations, compare_runs


def libraries():
    """Names of the libraries whose arrays come back as they went."""
    import cupy as cp

    system, found = arm(), ["CuPy"]
    given = (*states(system, 300), np.random.default_rng(0).normal(size=(300, system.n_v)))
    expected = ls.batch(system).forward_dynamics(*given)
    there = ls.batch(system, device="cuda")
    result = there.forward_dynamics(*map(cp.asarray, given))
    assert isinstance(result, cp.ndarray) and apart(expected, result.get()) < 1e-12
    try:
        import torch
    except ImportError:
        pass
    else:
        with torch.cuda.stream(torch.cuda.Stream()):
            tensors = [torch.asarray(x).cuda() for x in given]
            result = there.forward_dynamics(*tensors)
        assert result.is_cuda and apart(expected, result.cpu().numpy()) < 1e-12
        found.append("PyTorch")
    try:
        import jax
    except ImportError:
        return found
    jax.config.update("jax_enable_x64", True)
    result = there.forward_dynamics(*map(jax.numpy.asarray, given))
    assert isinstance(result, jax.Array) and apart(expected, np.asarray(result)) < 1e-12
    return [*found, "JAX"]


def main():
    from lissom.batches.device import cuda

    show = partial(print, flush=True)
    difference, mechanisms = compare_evaluations("cuda", 300, show=show)
    known = libraries()
    worst, count = compare_runs("cuda", 100, show=show)
    assert difference < 1e-10 and worst < 1e-10
    print(
        f"{cuda().name}: evaluations of {mechanisms} mechanisms within {difference:.0e} of the "
        f"CPU, {count} cases of runs within {worst:.0e}, with the same counts; arrays of "
        f"{', '.join(known)}"
    )


if __name__ == "__main__":
    main()
