"""Which runs a GPU can do."""

from __future__ import annotations

from ..errors import LoadError
from ..kernels.device import runs
from ..kernels.device.entry import DeviceEntry
from ..kernels.run.registry import METHODS
from ..sim.run.prepare import Prepared
from .on_device import check_known


def check_runnable(ready: Prepared) -> DeviceEntry:
    """Kernel of a run on a GPU."""
    machine, settings = ready.machine, ready.settings
    check_known(machine.system)
    if settings.adaptive and not ready.asked:
        raise LoadError(
            "on a GPU runs do not choose their method; give step=, or an adaptive integrator by "
            'name: "dopri5" or "dop853"'
        )
    if settings.dense:
        raise LoadError('method="composite" is for the CPU; on a GPU use method="articulated"')
    name = METHODS[settings.integrator.method].name
    for entry in (runs.EXPLICIT, runs.IMPLICIT):
        if name in entry.methods:
            return entry
    raise LoadError(
        f'integrator {settings.integrator.title} is for the CPU; on a GPU use "euler_cromer", '
        '"rk4", "dopri5", "dop853" or "generalized_alpha"'
    )


def is_plain(ready: Prepared) -> bool:
    """Whether runs differ at their starts in their states alone."""
    plan = ready.machine.plan
    other = plan.system.constraints or plan.driven or plan.controllers or ready.settings.adaptive
    return not other
