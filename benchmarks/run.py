"""Cost per call of the recursions against the number of bodies and of modes.

`make bench` calls it; it writes docs/benchmarks/index.md. The recursions are Python, so the ratios
between rows say more than the microseconds.
"""

from __future__ import annotations

import math
import os
import sys
import time
import timeit
from collections.abc import Callable

# One thread: on a machine that does other work too, waiting for a second one dominates.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import lissom as ls
from benchmarks.operators import section as operator_section
from tests.provenance import ROOT, provenance_table

PAGE = ROOT / "docs" / "benchmarks" / "index.md"
BODIES = (4, 8, 16, 32, 64, 128)
MODES = (0, 2, 4, 8, 16, 32)
FLEXIBLE_BODIES = 8
ROUNDS = 20
TUBE = {"section": ls.Tube(radius=0.08, thickness=0.003), "material": ls.ALUMINIUM}

CALLS: dict[str, Callable[[ls.System, ls.State], object]] = {
    "articulated": lambda system, state: ls.forward_dynamics(system, state, method="articulated"),
    "composite": lambda system, state: ls.forward_dynamics(system, state, method="composite"),
    "inverse dynamics": lambda system, state: ls.inverse_dynamics(
        system, state, np.zeros(system.n_v)
    ),
    "mass matrix": ls.mass_matrix,
}


def chain(n_body: int, n_mode: int) -> tuple[ls.System, ls.State]:
    """A chain on alternating hinges and one moving state of it."""
    model = ls.Model("chain", gravity=(0, 0, -9.81))
    link: ls.RigidBody | ls.FlexibleBody
    if n_mode == 0:
        link, end, at = ls.RigidBody.rod(4.0, 1.0, com=(0.5, 0, 0)), "", (1.0, 0, 0)
    else:
        link, end, at = ls.beam(1.0, modes=n_mode, **TUBE), ".tip", (0, 0, 0)
    for i in range(n_body):
        place = {} if i == 0 else {"to": f"link{i - 1}{end}", "at": at}
        model.add(link, ls.Revolute("yz"[i % 2]), name=f"link{i}", **place)
    system = model.compile()
    rng = np.random.default_rng(1992)
    q, v = rng.normal(size=system.n_q), rng.normal(size=system.n_v)
    for i in range(n_body):
        q[system.layout.modal_q(f"link{i}")] *= 1e-3
        v[system.layout.modal_v(f"link{i}")] *= 1e-3
    return system, system.state(q, v)


def microseconds(call: Callable[[], object]) -> float:
    """CPU time per call over at least 0.05 s [µs]; waiting for other processes does not count."""
    timer = timeit.Timer(call, timer=time.process_time)
    number = max(1, math.ceil(0.05 / max(timer.timeit(1), 1e-6)))
    return timer.timeit(number) / number * 1e6


def measure(sizes: tuple[int, ...], build: Callable[[int], tuple]) -> dict[str, list[float]]:
    """Smallest time [µs] of every call at every size, over rounds that visit all of them.

    The rounds spread the repetitions of one cell over the whole run, so that another process that
    is busy for some seconds does not decide a cell.
    """
    cases = [build(size) for size in sizes]
    times = {name: [math.inf] * len(sizes) for name in CALLS}
    for count in range(ROUNDS):
        for row, (system, state) in enumerate(cases):
            for name, call in CALLS.items():
                here = microseconds(lambda: call(system, state))  # noqa: B023
                times[name][row] = min(times[name][row], here)
        print(f"  round {count + 1} of {ROUNDS}", flush=True)
    return times


def slope(sizes: tuple[int, ...], times: list[float]) -> float:
    """Exponent p of time ~ size^p over the larger half of the sizes, by least squares."""
    half = len(sizes) // 2
    return float(np.polyfit(np.log(sizes[half:]), np.log(times[half:]), 1)[0])


def table(first_column: str, sizes: tuple[int, ...], times: dict[str, list[float]]) -> str:
    """Microseconds, and in brackets the ratio to the first row."""
    lines = [
        f"| {first_column} | " + " | ".join(times) + " | composite / articulated |",
        "|---" * (len(times) + 2) + "|",
    ]
    for row, size in enumerate(sizes):
        cells = [f"{t[row]:.0f} ({t[row] / t[0]:.1f})" for t in times.values()]
        ratio = times["composite"][row] / times["articulated"][row]
        lines.append(f"| {size} | " + " | ".join(cells) + f" | {ratio:.2f} |")
    return "\n".join(lines)


def page(
    by_bodies: dict[str, list[float]], by_modes: dict[str, list[float]], operators: str
) -> str:
    """The page of results; it ends the measurement, so the load is that of the last minutes."""
    load = os.getloadavg()[1]
    exponents = "\n".join(f"| {name} | {slope(BODIES, t):.2f} |" for name, t in by_bodies.items())
    return f"""# Benchmarks

Cost of one call, measured by `make bench` (`benchmarks/run.py`): the smallest of {ROUNDS} rounds,
in microseconds of CPU time, on one thread; in brackets the ratio to the first row of the table.
Every call goes through the public function and includes its checks. The recursions are interpreted
Python: read the ratios, not the microseconds.

{provenance_table()}| load while measuring | {load:.1f} processes on {os.cpu_count()} cores |

## Number of bodies

A chain of rigid links on revolute hinges, axes y and z in turn, moving under gravity.

{table("bodies", BODIES, by_bodies)}

Exponent p of cost ~ bodies^p, fitted over {BODIES[len(BODIES) // 2]} to {BODIES[-1]} bodies. An
O(N) recursion has p = 1.

| call | p |
|---|---|
{exponents}

## Number of modes

A chain of {FLEXIBLE_BODIES} links with the given number of modes each, level `full`; zero modes is
the rigid link.

{table("modes per body", MODES, by_modes)}

{operators}"""


def main() -> int:
    """Measure and write the page."""
    print(f"rigid chains, {BODIES} bodies (about a minute)", flush=True)
    by_bodies = measure(BODIES, lambda n: chain(n, 0))
    print(
        f"flexible chains of {FLEXIBLE_BODIES} links, {MODES} modes each (about a minute)",
        flush=True,
    )
    by_modes = measure(MODES, lambda m: chain(FLEXIBLE_BODIES, m))
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(by_bodies, by_modes, operator_section()), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
