"""Parallelograms through their flat positions: forty random starts, ten ways to integrate each.

The mechanism is one window of `tests.loop_oracles.windows`, which moves as a pendulum.  All runs
must reach their end on the branch that they began on, with the energy that they began with.  Rows
inside a step that jumps across a flat position come from an interpolant that one bad stage spoils:
what the energy differs by in the worst of them is told beside it.  The last line is the result, the
exit status the number of runs that did not pass.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import lissom as ls
from benchmarks.loop_rows import window_row, window_state
from tests.loop_oracles import windows

STARTS, DURATION = 40, 4.0
# How, and what the energy may change by, as a part of the weight times the length.
WAYS = [
    *(({"integrator": "dop853", "rtol": r}, 1e3 * r) for r in (1e-6, 1e-8, 1e-10, 1e-11)),
    *(({"integrator": "dopri5", "rtol": r}, 1e3 * r) for r in (1e-5, 1e-7, 1e-9)),
    ({"integrator": "generalized_alpha", "rtol": 1e-4}, 1e-1),
    ({"integrator": "generalized_alpha", "step": 2e-3}, 1e-2),
    ({"integrator": "rk4", "step": 2e-3}, 1e-2),
]


def main() -> int:
    """Run all starts in all ways."""
    warnings.simplefilter("ignore", ls.SimulationWarning)
    system, random, failed, passes = window_row(1), np.random.default_rng(24), 0, []
    worst = np.zeros((len(WAYS), 2))
    for start in range(STARTS):
        angle, rate = random.uniform(0.3, 1.5), random.choice((-1, 1)) * random.uniform(0.5, 9)
        for k, (settings, allowed) in enumerate(WAYS):
            state = window_state(system, angle, rate)
            run = ls.simulate(system, state, duration=DURATION, output_step=0.01, **settings)
            crank = -run["crank0"][:, 0]
            change = np.abs(run.energy.total - run.energy.total[0]) / windows.weight(1)
            energy = change[-1]
            straight = np.abs(run["coupler0"][:, 0] - crank).max()
            worst[k] = np.maximum(worst[k], (energy, change.max()))
            if run.status != "finished" or energy > allowed or straight > 1e-3:
                failed += 1
                print(
                    f"start {start}, {settings}: {run.status}, energy {energy:.1e}, {straight:.1e}"
                )
            if k == 0:
                passes.append(int(np.sum(np.diff(np.sign(np.cos(crank))) != 0)))
    for (settings, _), (energy, inside) in zip(WAYS, worst, strict=True):
        print(f"{settings}: energy to {energy:.1e}, in rows inside steps to {inside:.1e}")
    print(
        f"{STARTS * len(WAYS) - failed} of {STARTS * len(WAYS)} runs passed, "
        f"{min(passes)} to {max(passes)} flat positions each"
    )
    return failed


if __name__ == "__main__":
    sys.exit(main())
