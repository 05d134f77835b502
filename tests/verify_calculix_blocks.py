"""Blocks of solid elements against CalculiX, run again where it is installed.

  python -m tests.verify_calculix_blocks

Frequencies, displacements, stresses and strains at integration points of the bent blocks of
`calculix_blocks`, and frequencies of the spinning blades of `calculix_spin`; without ccx, against
what it printed.
"""

import shutil
import sys

import pytest

from tests.references import calculix_blocks, calculix_spin
from tests.references.calculix_comparison import CALCULIX, compared, spun_differences


def main():
    here = shutil.which("ccx") is not None
    records = calculix_blocks.records()
    worst = 0.0
    for kind, rules in CALCULIX.items():
        found = calculix_blocks.run(kind) if here else records[kind]
        with pytest.MonkeyPatch.context() as patch:
            differences = compared(kind, found, rules, patch)
        print(kind, *(f"{x:.1e}" for x in differences))
        worst = max(worst, *differences)
    spinning = calculix_spin.records()["frequencies"]["straight"]
    if here:
        spinning = {str(x): calculix_spin.run("straight", x) for x in calculix_spin.RATES}
    added = max(abs(x).max() for x in spun_differences("straight", spinning))
    print(f"spinning blade {added:.1e}")
    source = "ccx, run here" if here else "what ccx 2.20 printed (it is not installed here)"
    print(
        f"{len(CALCULIX)} kinds of elements within {worst:.1e}, a spinning blade within "
        f"{added:.1e} of {source}"
    )
    return int(worst > 1e-6 or added > 1.5e-3)


if __name__ == "__main__":
    sys.exit(main())
