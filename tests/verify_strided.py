"""The kernels on a strided workspace: one column of a two-dimensional array, as on a GPU.

Every kernel is compiled a second time for arrays of any stride, and called with copies of its
arrays in the columns of wider ones.  Results must be the same, and the code must not allocate.
With NUMBA_DISABLE_JIT=1 nothing is compiled, and only the results are compared.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

os.environ.setdefault("LISSOM_KERNELS", "numba")  # the binary has no code for strides

import lissom as ls
from lissom.kernels.compiling import PLAIN, CompiledEntry

COLUMNS, COLUMN = 3, 1
ALLOCATION = re.compile(r"call .*@NRT_(MemInfo_alloc|Allocate)\w*")


def strided_kernel(entry: CompiledEntry) -> Callable[..., Any]:
    """Kernel that takes each vector of floats as a column of a wider array."""
    kernel: Any = entry.function
    if not PLAIN:
        from lissom.kernels.numba_cache import dispatcher

        kernel = dispatcher(entry)
        kernel.compile(entry.signature.replace("float64[::1]", "float64[:]"))
        (text,) = kernel.inspect_llvm().values()
        if found := ALLOCATION.search(text):
            raise AssertionError(f"kernel {entry.name}: it allocates: {found.group(0)}")

    def call(*given: Any) -> Any:
        wide = [_widened(x) for x in given]
        result = kernel(*wide)
        for old, new in zip(given, wide, strict=True):
            if new is not old:
                old[:] = new
        return result

    return call


def _widened(given: Any) -> Any:
    if not isinstance(given, np.ndarray) or given.ndim != 1 or given.dtype != float:
        return given
    wide = np.full((len(given), COLUMNS), np.nan)
    wide[:, COLUMN] = given
    return wide[:, COLUMN]


@contextmanager
def strided() -> Iterator[None]:
    """All kernels on strided arrays; as long as the context lasts."""
    load, made = CompiledEntry.load, {}

    def replaced(entry: CompiledEntry) -> Callable[..., Any]:
        if entry.name not in made:
            print(f"strided: {entry.name}", flush=True)
            made[entry.name] = strided_kernel(entry)
        return made[entry.name]

    CompiledEntry.load = replaced  # type: ignore[method-assign]
    try:
        yield
    finally:
        CompiledEntry.load = load  # type: ignore[method-assign]


def mechanism(*, closed: bool) -> ls.System:
    """Flexible and rigid links with joints of several kinds, optionally with a loop."""
    model = ls.Model("chain", gravity=(0, 0, -9.81))
    boom = ls.beam(
        1.0, ls.Tube(0.02, 0.002), ls.ALUMINIUM, bending=1, torsion=0, stretch=0, damping=0.01
    )
    model.add(ls.RigidBody.box(2.0, (1, 0.2, 0.3), com=(0.5, 0, 0)), ls.Spherical(), name="a")
    model.add(boom, ls.Revolute("y"), to="a", at=(1, 0, 0), name="b")
    model.add(ls.RigidBody.box(1.0, (0.5, 0.1, 0.1)), ls.Universal("y", "z"), to="b.tip", name="c")
    blade = ls.beam(1.0, ls.Tube(0.02, 0.002), ls.ALUMINIUM, bending=1, level="stiffened")
    model.add(blade, ls.Revolute("z"), to="a", name="d")
    model.add(ls.RigidBody(0.3), ls.Fixed(), to="d.tip", name="e")
    if closed:
        at = {"at_a": (0.2, 0, 0), "at_b": (2.1, 0.1, -0.2)}
        model.close(ls.Spherical(), "c", None, **at, name="pin")
    return model.compile()


def results() -> list[np.ndarray]:
    """Every public quantity, and runs by explicit and implicit methods."""
    found: list[np.ndarray] = []
    for closed in (False, True):
        system = mechanism(closed=closed)
        state = ls.assemble(system) if closed else system.neutral()
        force = np.linspace(1, 2, system.n_v)
        for method in ("articulated", "composite"):
            found.append(ls.forward_dynamics(system, state, force, method=method))
        found += [ls.mass_matrix(system, state), ls.jacobian(system, state, "c")]
        found += [ls.pose(system, state, "b.tip").position, ls.energy(system, state).total]
        if not closed:
            found += [ls.inverse_dynamics(system, state, force), ls.joint_forces(system, state)]
        spring = ls.JointSpring("b", 20.0, damping=0.1)
        for integrator in ("rk4", "generalized_alpha"):
            run = ls.simulate(
                system, state, duration=3e-3, step=1e-3, loads=[spring], integrator=integrator
            )
            found += [run.state(3e-3).q, run.state(3e-3).v]
    return [np.asarray(x) for x in found]


def main() -> int:
    """Compare; the exit status is 0 if all results agree."""
    plain = results()
    with strided():
        wide = results()
    worst = max(
        float(np.max(np.abs(a - b)) / (1 + np.max(np.abs(a))))
        for a, b in zip(plain, wide, strict=True)
    )
    text = "uncompiled" if PLAIN else "compiled"
    print(f"{len(plain)} results on a strided workspace, {text}: largest difference {worst:.1e}")
    return int(not worst < 1e-12)


if __name__ == "__main__":
    sys.exit(main())
