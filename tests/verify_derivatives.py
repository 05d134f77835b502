"""Derivatives of random trees, loops and springs against automatic differentiation of particles.

    python -m tests.verify_derivatives TREES LOOPS SPRINGS

Prints progress and what disagrees; the last line is the result.  The exit status is 1 if one does.
"""

from __future__ import annotations

import sys

from tests.tools.derivative_checks import loop_error, spring_error, tree_error

TOLERANCE = 1e-9


def main(trees: int, loops: int, springs: int) -> int:
    """Check so many seeds of each."""
    worst, counts, failed = {}, {}, []
    families = ("trees", tree_error, trees), ("loops", loop_error, loops)
    for what, check, n in (*families, ("springs", spring_error, springs)):
        errors = {}
        for seed in range(n):
            found = check(seed)
            if found is None:
                continue
            errors[seed] = found
            if not found <= TOLERANCE:
                failed.append(f"{what} {seed}")
                print(f"{what}, seed {seed}: {found:.1e}", flush=True)
            if seed % 50 == 49:
                print(f"{what}: {seed + 1} of {n}", flush=True)
        worst[what], counts[what] = max(errors.values(), default=0.0), len(errors)
    if failed:
        print(f"{len(failed)} disagree: {', '.join(failed)}")
        return 1
    print(
        f"{counts['trees']} trees to {worst['trees']:.0e}, "
        f"{counts['loops']} looped ones to {worst['loops']:.0e}, "
        f"{counts['springs']} with springs between nodes to {worst['springs']:.0e}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:4])))
