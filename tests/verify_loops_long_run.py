"""A closed flexible mechanism over a long time: closure, momentum and energy.

The ring of `tests.samples.loop_mechanisms` floats freely: two flexible booms on a hub, a strut
between their tips.  Nothing acts from outside and nothing damps.  The gap of its loop must stay
below 1e-9 m; what is lost of momentum and energy is printed beside it.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import numpy as np

import lissom as ls
from tests.samples.loop_mechanisms import floating_ring

BOUND = 1e-9


def main() -> int:
    """Run it; the exit status says whether the bound holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("duration", nargs="?", type=float, default=1000.0, help="[s]")
    duration = parser.parse_args().duration
    system, state = floating_ring()
    warnings.filterwarnings("ignore", message="body .* turns at")
    gap = np.inf
    for integrator, settings in (
        ("dop853", {"rtol": 1e-8}),
        ("generalized_alpha", {"step": 1e-3}),
    ):
        began = time.perf_counter()
        run = ls.simulate(
            system,
            state,
            duration=duration,
            output_step=duration / 1000,
            integrator=integrator,
            **settings,
        )
        momentum, energy = run.momentum(), run.energy.total
        gaps, rates = np.abs(run["end.gap"]).max(), np.abs(run["end.rate"]).max()
        drift = np.abs(momentum - momentum[0]).max() / np.abs(momentum[0]).max()
        print(
            f"{integrator:18s} {settings} {run.status}: gap {gaps:.1e} m, rate {rates:.1e} m/s, "
            f"momentum {drift:.1e}, energy {np.ptp(energy) / energy[0]:.1e}, "
            f"in {time.perf_counter() - began:.0f} s",
            flush=True,
        )
        if integrator == "dop853" and run.status == "finished":
            gap = gaps
    print(f"dop853 keeps the loop closed to {gap:.1e} m over {duration:g} s (bound {BOUND:g} m)")
    return int(not gap <= BOUND)


if __name__ == "__main__":
    sys.exit(main())
