"""A free flexible spacecraft over a long time: momentum and energy.

Nothing acts from outside, so that linear and angular momentum are constant; without damping the
energy is too.  The adaptive pair must keep the angular momentum to 1e-9; what the implicit methods
lose is printed beside it.
"""

from __future__ import annotations

import argparse
import sys

import lissom as ls
from tests.references.analytic_motions import spacecraft_drift

BOUND = 1e-9


def main() -> int:
    """Run them; the exit status says whether the bound holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("duration", nargs="?", type=float, default=10_000.0, help="[s]")
    duration = parser.parse_args().duration
    cases = [("dop853, rtol 1e-12", "dop853", {"rtol": 1e-12})]
    for step in (1e-3, 5e-3, 2e-2):
        for radius in (0.8, 1.0):
            name = f"generalized-alpha, {1000 * step:g} ms, spectral radius {radius:g}"
            cases.append((name, ls.GeneralizedAlpha(radius), {"step": step}))
    cases.append(("rk4, 1 ms", "rk4", {"step": 1e-3}))
    found = {}
    for name, integrator, keywords in cases:
        short = min(duration, 1000.0) if keywords.get("step", 1.0) < 5e-3 else duration
        found[name] = drift = spacecraft_drift(short, integrator, **keywords)
        print(
            f"{name:45s} {short:6.0f} s  angular {drift['angular']:.1e}  linear "
            f"{drift['linear']:.1e}  energy {drift['energy']:.1e}  in {drift['seconds']:.0f} s",
            flush=True,
        )
    kept = found["dop853, rtol 1e-12"]["angular"]
    print(f"dop853 keeps the angular momentum to {kept:.1e} over {duration:g} s (bound {BOUND:g})")
    return int(not kept <= BOUND)


if __name__ == "__main__":
    sys.exit(main())
