"""The build of device code: kernels in processes of their own, then one archive of PTX."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from ..errors import KernelError
from ..kernels.device.code import ARCHIVE, NOTHING_OUTSIDE, is_current, write_archive
from ..kernels.device.entry import METHODS_OF
from ..kernels.device.ptx import GENERATIONS, libdevice, outside_ptx, ptx
from ..kernels.quantities import QUANTITIES
from ..kernels.sources import device_digest
from .build import end_with, numba_chosen, say
from .front_end import compiled_module, generate_nothing

# Kernels that are compiled together, and the modules that define them
STATES = tuple(f"{x}_state" for x in QUANTITIES)
GROUPS = (("advance_explicit",), ("advance_implicit",), STATES)
HOMES = ("sim", "kernels.quantities", "kernels.device.runs")


def build_device(output: Path = ARCHIVE, *, anew: bool = False, progress: bool = True) -> bool:
    """Compile all kernels for GPUs, into one archive; they run on all of `GENERATIONS`."""
    if not anew and is_current(output):
        return False
    libdevice()
    digest = device_digest()
    if not digest:
        raise KernelError("the sources of the kernels cannot be read; install the package unpacked")
    if progress:
        say("lissom: compiling all kernels for GPUs, some minutes on two cores ...")
    with numba_chosen():
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
        with ProcessPoolExecutor(
            min(cores, len(GROUPS)),
            mp_context=get_context("spawn"),
            initializer=end_with,
            initargs=(os.getpid(),),
            max_tasks_per_child=1,  # the integrators are chosen once in a process
        ) as pool:
            texts = {NOTHING_OUTSIDE: outside_ptx((), GENERATIONS[0])}
            for group_texts in pool.map(device_code, GROUPS):
                texts.update(group_texts)
    fresh = output.with_name(f"{output.name}.{os.getpid()}")
    write_archive(fresh, digest, texts)
    fresh.replace(output)
    if progress:
        say(" done\n")
    return True


def device_code(symbols: Sequence[str], oldest: int = GENERATIONS[0].capability) -> dict[str, str]:
    """PTX of kernels by their symbols; in a process that has compiled nothing yet."""
    from ..kernels.run.registry import SELECTED

    (generation,) = (x for x in GENERATIONS if x.capability == oldest)
    if symbols[0].startswith("advance"):
        SELECTED.update(METHODS_OF[symbols[0]])
    generate_nothing()
    for name in HOMES:
        importlib.import_module(f"lissom.{name}")
    from ..kernels.device.entry import DEVICE_ENTRIES

    texts: dict[str, str] = {}
    for symbol in symbols:
        entry = DEVICE_ENTRIES[symbol]
        module, native = compiled_module(entry)
        texts[symbol] = ptx(entry, str(module), native.name, generation)
    return texts


if __name__ == "__main__":  # python -m lissom.building.device_build
    build_device()
