"""Words of a workspace that forward dynamics on a GPU touches: what an evaluation costs there.

`python -m benchmarks.touched` runs the kernel in plain Python and prints a table, for the workspace
of all kernels and for the compact one; loads and stores count each word as often as it is used.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np

from lissom.algorithms.tree import engine
from lissom.algorithms.tree.packing import pack
from lissom.kernels.device.states import forward_state
from lissom.library import flexible_chain, humanoid, rigid_chain
from lissom.system import System

from .on_gpu import states

MECHANISMS = {
    "rigid chain, 7 joints": lambda: rigid_chain(7),
    "rigid chain, 30 joints": lambda: rigid_chain(30),
    "humanoid, 29 joints": lambda: humanoid(29),
    "2 links of 4 modes, full": lambda: flexible_chain(2, 4, "full"),
    "10 links of 4 modes": lambda: flexible_chain(10, 4),
    "10 links of 10 modes": lambda: flexible_chain(10, 10),
}
COLUMNS = ("words", "touched", "read", "written", "loads", "stores")


class Watched:
    """Array that notes what is read and written.

    Parameters
    ----------
    x : array
        Its numbers.
    """

    def __init__(self, x: np.ndarray) -> None:
        self.x = x
        self.read: list[int] = []
        self.written: list[int] = []

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, k: int) -> Any:
        self.read.append(int(k))
        return self.x[k]

    def __setitem__(self, k: int, value: float) -> None:
        self.written.append(int(k))
        self.x[k] = value


def touched(system: System, compact: bool) -> dict[str, int]:
    """Words of a workspace, those that one evaluation touches, and its loads and stores."""
    packed = pack(system, compact=compact)
    space = Watched(engine.Workspace(system, packed).scratch)
    q, v, f = (x[0] for x in states(system, 1))
    out = np.zeros(system.n_v)
    assert forward_state(packed.ints, packed.floats, space, q, v, f, out, engine.ALL) == 0
    read, written = set(space.read), set(space.written)
    found = len(space), len(read | written), len(read), len(written)
    return dict(zip(COLUMNS, (*found, len(space.read), len(space.written)), strict=True))


def main() -> None:
    """Print the table; in a process whose kernels are plain Python."""
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":
        plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}
        sys.exit(subprocess.run([sys.executable, "-m", "benchmarks.touched"], env=plain).returncode)
    print("| mechanism | workspace | " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * (2 + len(COLUMNS)))
    for name, make in MECHANISMS.items():
        system = make().compile()
        for compact in (False, True):
            cells = [str(x) for x in touched(system, compact).values()]
            print(f"| {name} | {'compact' if compact else 'whole'} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
