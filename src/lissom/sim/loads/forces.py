"""Generalized forces on all speeds: the argument `forces` of `simulate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...algorithms.tree.arguments import speeds_vector
from ...errors import LissomError, LoadError, shown
from ...kernels.layout import run
from ...system import System
from ..run.checks import checked_values
from ..signals.callbacks import is_compiled, trusted_state
from ..signals.with_derivatives import WithDerivatives
from .actuator import FORCE, Actuator
from .drive import across_gear
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan

Array = np.ndarray


def forces_of(
    system: System, function: Callable[..., Any], what: str
) -> Callable[[float, Array, Array], Array]:
    """User's f(time, state) -> forces as a checked function (t, q, v) -> numbers."""

    def numbers(t: float, q: Array, v: Array) -> Array:
        forces = function(t, trusted_state(system, q, v))
        if isinstance(forces, Mapping):
            return real_speeds(system, forces, what, f" at t = {t:g} s")
        return checked_values(forces, system.n_v, what, t)

    return numbers


def real_speeds(system: System, values: Any, what: str, when: str = "") -> Array:
    """Forces (n_v,) from an array or a mapping; errors start with `what` and `when`."""
    if isinstance(values, Mapping):
        for rotor, joint in system.drives:
            if joint in values and np.any(values[joint]):
                raise across_gear(f"{what}[{joint!r}]{when}", rotor, joint)
    what = f"{what}{when}"
    try:
        vector = speeds_vector(system, values, what)
    except LissomError as error:
        text = str(error)
        raise LoadError(text if text.startswith(what) else f"{what}: {text}") from None
    except (TypeError, ValueError, OverflowError) as error:  # an entry of a mapping
        raise LoadError(f"{what} is {shown(values)} ({error}); expected real numbers") from None
    if vector.dtype.kind != "f":
        raise LoadError(f"{what} is {shown(values)}; expected real numbers, not symbols")
    return vector


def enter_forces(plan: Plan, forces: Any) -> None:
    """Add the argument `forces` of `simulate` to the plan."""
    if forces is None:
        return
    if isinstance(forces, Load):
        plan.enter(forces)
        return
    if isinstance(forces, (list, tuple)) and forces and all(isinstance(f, Load) for f in forces):
        for load in forces:
            plan.enter(load)
        return
    system, what = plan.system, "forces"
    if isinstance(forces, Mapping):
        names = [loop.name for loop in system.loops]
        for name in [key for key in forces if str(key) in names]:
            Actuator(str(name), forces[name], name=what).enter(plan)
        forces = {key: value for key, value in forces.items() if str(key) not in names}
    differentiated = forces
    if isinstance(forces, WithDerivatives):
        forces = forces.function
    if not callable(forces):
        signal = plan.signal(real_speeds(system, forces, what), system.n_v, what)
    elif is_compiled(forces):
        address, which = plan.functions.add_compiled(what, forces, "forces", system.n_v)
        signal = plan.called(address, which, system.n_v, of_state=True)
    else:
        numbers = forces_of(system, forces, what)
        address, which = plan.functions.add_plain(what, numbers, system.n_v)
        signal = plan.called(address, which, system.n_v, of_state=True)
    if isinstance(differentiated, WithDerivatives):
        names = [system.layout.owner_v(k) for k in range(system.n_v)]
        plan.add_derivatives(signal, differentiated, names, what)
    plan.add(
        "forces",
        kind=FORCE,
        active=plan.flag(what),
        n=system.n_v,
        constants=plan.table(1.0, np.inf),
        signal=signal,
        wide=plan.wide(signal),
        watched=run.ON_JOINT * (signal in plan.state_signals),
    )
