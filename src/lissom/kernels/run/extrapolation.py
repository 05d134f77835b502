"""Expected accelerations: extrapolated from steps that began away from singular positions.

Near a singular position the loops hardly constrain some directions, in which the free tree would
move arbitrarily.  An explicit method expects accelerations to continue linearly:
  x(t) = x_1 + (t - t_1) (x_1 - x_0) / (t_1 - t_0)                                        (1)
from the last two steps that did not begin near such a position.  Loop forces beyond these
accelerations are softened, see `constrain`.  Softened accelerations are not extrapolated: that
would remove the softening step by step.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from ..least_norm import CLOSE
from ..loops.unknowns import closing_of

FARTHEST = 100.0  # largest extrapolation, as a multiple of t_1 - t_0


@uncounted
def extrapolate_accelerations(system, arrays, t, x):
    """Write the expected accelerations (1) to x, and select the softening of loop forces."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, _floats, scratch = system
    memory = arrays.memory
    if ints[field.LOOPS] == 0:
        return
    passed = t - memory[run.EXPECTED_AT]
    is_expected = (
        head.traits & run.USES_ARMATURE == 0
        and 0.0 <= passed <= FARTHEST * memory[run.EXPECTED_STEP]
    )
    closing = closing_of(ints, scratch)
    closing.softened = field.SOFT_BEYOND if is_expected else field.SOFT
    if is_expected:
        value, rate = head.memory.before, head.memory.lead
        for k in range(ints[field.N_V]):
            x[k] = memory[value + k] + passed * memory[rate + k]


@uncounted
def note_expected(system, arrays, t, x):
    """Record the accelerations x at the start of a step of an explicit method for (1)."""
    head = run.PlanHeader(arrays.plan, 0)
    ints, _floats, scratch = system
    memory = arrays.memory
    if ints[field.LOOPS] == 0 or head.traits & run.USES_ARMATURE != 0:
        return
    first, passed = memory[run.EXPECTED_AT] == math.inf, t - memory[run.EXPECTED_AT]
    near = closing_of(ints, scratch).least_left <= CLOSE
    if not first and (near or passed <= 0.0):
        return
    value, rate = head.memory.before, head.memory.lead
    for k in range(ints[field.N_V]):
        memory[rate + k] = 0.0 if first else (x[k] - memory[value + k]) / passed
        memory[value + k] = x[k]
    memory[run.EXPECTED_STEP] = 0.0 if first else passed
    memory[run.EXPECTED_AT] = t
