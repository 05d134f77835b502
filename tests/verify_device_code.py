"""`python -m tests.verify_device_code`: the PTX that ships, executed on the CPU, against the CPU.

Its threads come one after another; each load and store is checked against the arrays of a launch.
The comparisons are those of `tests.verify_gpu`, of fewer states.
"""

from __future__ import annotations

from functools import partial

from lissom.building.device_build import build_device
from tests.device_comparison import compare_evaluations, compare_runs
from tests.ptx.device import PtxDevice

STATES, RUNS, TOLERANCE = 37, 3, 1e-12


def main():
    show = partial(print, flush=True)
    build_device()
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
