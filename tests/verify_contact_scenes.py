"""Random scenes of bodies that touch, against an integration with other formulas for contact.

Prints progress and the worst scene; the last line is the result.  The exit status is 1 if a scene
differs by more than BOUND.
"""

from __future__ import annotations

import sys

from tests.references.contact_scenes import scene_error

BOUND = 2e-5  # of positions [m, rad], and of speeds relative to the largest


def main(count: int) -> int:
    """Compare so many scenes; the exit status."""
    worst, touches, failed = 0.0, 0, []
    for seed in range(count):
        error, touched = scene_error(seed)
        touches += touched
        if error > worst:
            worst = error
            print(f"scene {seed}: {touched} touch-downs, differs by {error:.1e}", flush=True)
        if not error <= BOUND:
            failed.append(seed)
        if seed % 100 == 99:
            print(f"{seed + 1} of {count} scenes", flush=True)
    print(
        f"{count} scenes with {touches} touch-downs differ by {worst:.1e} at most"
        + (f"; more than {BOUND:.0e}: {failed}" if failed else "")
    )
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
