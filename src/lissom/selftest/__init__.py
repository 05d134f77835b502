"""Self-test: checks that this installation computes correctly on this machine.

Results are compared with closed forms, conservation laws and independent computations.  The test
suite is not needed.
"""

from __future__ import annotations

from .check import Check, CheckResult, Skipped, run_check
from .closed_forms import CLOSED_FORMS
from .files import FILES
from .formulas import FORMULAS
from .identities import IDENTITIES
from .loops import LOOPS
from .motions import MOTIONS
from .versions import machine_facts

__all__ = ["CHECKS", "Check", "CheckResult", "Skipped", "machine_facts", "run_check"]

CHECKS: tuple[Check, ...] = (*CLOSED_FORMS, *IDENTITIES, *MOTIONS, *LOOPS, *FORMULAS, *FILES)
