"""`python -m tests.on_simulator`: the device's kernels in Numba's simulator of CUDA."""

import os

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy as np
from numba import cuda

import lissom as ls
from tests.samples.batches import answers, same, states
from tests.samples.mechanisms import arm_with_hand
from tests.tools.simulated_device import SIMULATOR, Simulated


def main():
    assert SIMULATOR and type(cuda.jit(lambda: None)).__name__ == "FakeCUDAKernel"
    system = arm_with_hand()
    given = states(system, 40)
    expected = answers(ls.batch(system), "hand", *given)
    same(answers(ls.batch(system, device=Simulated(threads=32)), "hand", *given), expected, 1e-12)
    options = {"duration": 0.02, "step": 2e-3, "output_step": 0.01}
    for integrator in ("rk4", "generalized_alpha"):
        runs = [
            ls.simulate_batch(
                system,
                (given[0][:3], given[1][:3]),
                device=device,
                integrator=integrator,
                **options,
            )
            for device in ("cpu", Simulated(threads=32))
        ]
        assert np.allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-13)
    print("agree")


if __name__ == "__main__":
    main()
