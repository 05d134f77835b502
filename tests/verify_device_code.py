"""`python -m tests.verify_device_code`: the PTX that ships, executed on the CPU, against the CPU.

NVIDIA's assembler accepts all of it.  Threads come one after another; each load and store is
checked against the arrays of a launch.  The comparisons are those of `tests.verify_gpu`, of fewer
states.
"""

from __future__ import annotations

from functools import partial

from lissom.building.device_build import build_device
from lissom.kernels.device.code import NOTHING_OUTSIDE, ptx_of
from lissom.kernels.device.entry import DEVICE_ENTRIES
from lissom.kernels.device.ptx import GENERATIONS
from tests.ptx.assembler import assembled
from tests.ptx.device import PtxDevice
from tests.tools.device_comparison import compare_evaluations, compare_runs

STATES, RUNS, TOLERANCE = 37, 3, 1e-12
NEWEST = GENERATIONS[-1].capability


def main():
    show = partial(print, flush=True)
    build_device()
    for symbol in (*DEVICE_ENTRIES, NOTHING_OUTSIDE):
        size = assembled(ptx_of(symbol)[0], NEWEST)
        show(f"{symbol}: {size / 1e6:.1f} MB of machine code for compute capability {NEWEST / 10}")
    show("gcc compiles each kernel before its first use, for a minute in all")
    device = PtxDevice(threads=32, counting=True)
    difference, mechanisms = compare_evaluations(device, STATES, show=show)
    worst, count = compare_runs(device, RUNS, show=show)
    assert difference < TOLERANCE and worst < TOLERANCE, (difference, worst)
    print(
        f"PTX on the CPU: evaluations of {mechanisms} mechanisms within {difference:.0e} of the "
        f"kernels for the CPU, {count} cases of runs within {worst:.0e}, with the same counts; no "
        "access outside of the arrays"
    )


if __name__ == "__main__":
    main()
