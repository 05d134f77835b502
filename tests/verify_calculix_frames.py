"""CalculiX runs the frame and the plate again: the records are its results, and lissom's agree."""

from __future__ import annotations

import sys

import numpy as np

from tests.references import calculix_frames as calculix
from tests.references.calculix_frames import OneElement, frame_body, panel_body


def main() -> int:
    if not calculix.has_calculix():
        print("skipped: ccx is not installed (Debian: calculix-ccx)")
        return 0
    bodies, worst, apart = {"frame": frame_body(OneElement()), "plate": panel_body()}, 0.0, 0.0
    for name, record in calculix.records().items():
        again = np.array(calculix.run(record["deck"])["frequencies"])
        apart = max(apart, np.abs(again / record["frequencies"] - 1).max())
        difference = np.abs(bodies[name].frequencies[: len(again)] / again - 1).max()
        worst = max(worst, difference)
        print(f"{name}: frequencies within {difference:.1e} of those of CalculiX")
    print(f"frequencies within {worst:.1e}; records within {apart:.0e} of what ccx prints here")
    return int(worst > 4e-3 or apart > 1e-5)


if __name__ == "__main__":
    sys.exit(main())
