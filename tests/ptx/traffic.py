"""`python -m tests.ptx.traffic`: what forward dynamics of one state reads and writes on a GPU.

Loads, stores and distinct words of 8 bytes of each array, counted from the PTX that ships.  What
registers the driver keeps in memory is not in PTX, and not counted; nor is what caches hold.
"""

from __future__ import annotations

import numpy as np

import lissom as ls
from lissom.library import flexible_chain, humanoid, rigid_chain

from .device import PtxDevice

MECHANISMS = {
    "rigid_chain(7)": lambda: rigid_chain(7),
    "rigid_chain(30)": lambda: rigid_chain(30),
    'flexible_chain(2, 4, "full")': lambda: flexible_chain(2, 4, "full"),
    "flexible_chain(10, 4)": lambda: flexible_chain(10, 4),
    "flexible_chain(10, 10)": lambda: flexible_chain(10, 10),
    "humanoid(29)": lambda: humanoid(29),
}


def counted(system):
    """Counts of the forward dynamics of one state."""
    device, rng = PtxDevice(threads=32, counting=True), np.random.default_rng(0)
    q = system.neutral().q + 1e-3 * rng.normal(size=system.n_q)
    v, forces = rng.normal(size=(2, system.n_v))
    ls.batch(system, device=device).forward_dynamics(q[None], v[None], forces[None])
    return device.counts


def main():
    print("words of 8 bytes: loads / stores / distinct")
    for name, make in MECHANISMS.items():
        system = make().compile()
        workspace = ls.batch(system, device=PtxDevice())._backend.arrays_of("forward").n
        print(f"{name}: {system.n_v} speeds, workspace of {workspace} words")
        for count in counted(system):
            print(f"  {count.name}: {count.loads} / {count.stores} / {count.distinct}")


if __name__ == "__main__":
    main()
