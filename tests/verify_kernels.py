"""The compiled text against the readable one on many random trees, and each joint at each place.

Every public quantity and the products with the mass matrix, at one state each; bodies at levels of
their own, and of each tenth tree all at each level.  Prints progress and every disagreement; the
last line is the result.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from lissom.bodies.normal import LEVELS
from tests.samples.kernel_cases import JOINTS, far_state, joint_systems, random_case
from tests.tools.kernel_comparison import Case, Findings, compare, compare_all, compare_products
from tests.tools.tallies import tally_seeds


@dataclass
class Both:
    """What came out of one seed, as `tally_seeds` reads it."""

    failures: list[str] = field(default_factory=list)
    errors: dict[str, float] = field(default_factory=dict)
    coverage: Counter = field(default_factory=Counter)

    def add(self, findings: Findings) -> None:
        """Take over failures and largest errors."""
        self.failures += findings.failures
        for quantity, error in findings.worst.items():
            self.errors[quantity] = max(error, self.errors.get(quantity, 0.0))


def check_seed(seed: int) -> Both:
    """Both texts on the seed's tree."""
    result = Both()
    for level in (None,) if seed % 10 else (None, *LEVELS):
        case = Case(Findings(f"seed {seed}, level {level}"), *random_case(seed, level))
        compare_all(case)
        compare_products(case)
        result.add(case.findings)
    return result


def joint_failures() -> list[str]:
    """Both texts for every joint, everywhere it can sit."""
    failures = []
    for name, joint in JOINTS.items():
        for k, (label, system) in enumerate(joint_systems(joint)):
            rng = np.random.default_rng(k)
            failures += compare(f"{name}: {label}", system, far_state(system, rng), rng, frames=1)
    return failures


def main() -> int:
    """Run the comparison over the joints and over the seeds asked for."""
    failures = joint_failures()
    print(*failures, sep="\n")
    tally = tally_seeds(__doc__, 1000, check_seed)
    if tally.failed or failures:
        print(
            f"{len(failures)} disagreements of joints; {len(tally.failed)} of {tally.count} trees "
            f"disagree, seeds {tally.failed[:20]}"
        )
        return 1
    print(
        f"{len(JOINTS)} joints and {tally.count} trees: the compiled and the readable text agree "
        "as rounding permits"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
