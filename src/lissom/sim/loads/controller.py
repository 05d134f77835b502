"""A sampled controller."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import LoadError, shown
from ...fields import NumberField, NumbersField, declare, declared, keep
from ..signals.callbacks import is_compiled
from ..signals.with_derivatives import WithDerivatives
from .forces import forces_of
from .forms import FunctionField
from .load import Load

if TYPE_CHECKING:
    from ..run.plan import Plan

Array = np.ndarray


@declared()
class Controller(Load):
    """Sampled controller: called once per period; its forces hold until the next call."""

    file_kind = "controller"

    update: Any = declare(
        FunctionField(),
        "Plain Python: a function f(time, state) -> forces, or an object with such a method "
        '``update``.  Forces are (n_v,) numbers or a mapping {"body": ...}.  Memory between calls '
        "is saved with the results if the object has ``get_state()`` (numbers, text, None, lists, "
        "arrays and dictionaries of these) and ``set_state(saved)``; without these, a run of a "
        "controller with memory cannot be resumed exactly from a file.  Compiled by Numba: f(time, "
        "q, v, memory, out); the whole run then stays in compiled code.",
    )
    period: float = declare(
        NumberField("time", above=0), "Time between calls []; the first call is at the start."
    )
    _: KW_ONLY
    memory: Any = declare(
        NumbersField("number", "array (n,)"), "Initial memory of a compiled controller.", default=()
    )

    def check(self) -> None:
        """Check what a field alone does not tell."""
        if not callable(self.function):
            raise LoadError(
                f"{self.label}: update is {shown(self.update)}; expected a function or an object "
                "with a method update(time, state)"
            )
        if isinstance(self.update, WithDerivatives):
            raise LoadError(
                f"{self.label}: update has derivatives, but the forces of a sampled controller "
                "hold between its calls; give its .function alone"
            )
        offered = [callable(getattr(self.update, x, None)) for x in ("get_state", "set_state")]
        if offered == [True, False]:
            raise LoadError(
                f"{self.label}: update has get_state() but no set_state(saved), so its saved state "
                "could not be restored; provide both or neither"
            )
        expected = "a list or array of finite numbers, (n,)"
        if np.ndim(self.memory) != 1:
            raise LoadError(f"{self.label}: memory is {shown(self.memory)}; expected {expected}")
        keep(self, memory=np.array(self.memory, dtype=float))

    @property
    def place(self) -> str:
        """Description in place of a joint, since it acts on all joints."""
        return getattr(self.update, "__name__", type(self.update).__name__)

    @property
    def function(self) -> Any:
        """Function to call."""
        return getattr(self.update, "update", self.update)

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        n_v = plan.system.n_v
        if is_compiled(self.function):
            address, which = plan.functions.add_compiled(
                self.label, self.function, "controller", n_v, len(self.memory)
            )
        else:
            numbers = forces_of(plan.system, self.function, self.label)
            address, which = plan.functions.add_plain(self.label, numbers, n_v)
        plan.add(
            "controllers",
            active=plan.flag(self.label, self.on),
            address=address,
            which=which,
            period=plan.table(self.period),
            forces=plan.reserve(n_v),
            samples=plan.reserve(1 + len(self.memory), [0.0, *self.memory]),
        )
        plan.controllers.append(self)

    def saved(self) -> Any:
        """State of the controller, or None if it has no get_state()."""
        get = getattr(self.update, "get_state", None)
        return None if get is None else get()

    def restore(self, saved: Any) -> None:
        """Restore a state from `saved`.

        Parameters
        ----------
        saved : object
            State of the controller, from a journal.
        """
        if saved is not None:
            self.update.set_state(saved)


def in_python(load: Any) -> bool:
    """Whether something is a controller that is not compiled, whose memory is not in the run."""
    return isinstance(load, Controller) and not is_compiled(load.function)


def private_copies(loads: Iterable[Any]) -> list[Any]:
    """The loads, of controllers in Python with copies of their objects.

    What several of them share is shared by the copies.
    """
    copies: dict[int, Any] = {}
    return [_copied(load, copies) if in_python(load) else load for load in loads]


def _copied(load: Controller, copies: dict[int, Any]) -> Controller:
    try:
        return replace(load, update=copy.deepcopy(load.update, copies))
    except Exception as error:  # whatever the user's object raises
        raise LoadError(
            f"{load.label}: update cannot be copied ({type(error).__name__}: {error}); give it a "
            "method __deepcopy__"
        ) from error


_ARRAY = "lissom array"  # key that marks an array in JSON


def with_arrays_apart(value: Any, arrays: dict[str, Array]) -> Any:
    """Saved state with its arrays moved to `arrays`, so that they are stored bit for bit."""
    if isinstance(value, np.ndarray):
        name = f"array{len(arrays)}"
        arrays[name] = value.copy()
        return {_ARRAY: name}
    if isinstance(value, Mapping):
        if wrong := [key for key in value if not isinstance(key, str)]:
            raise TypeError(f"the key {wrong[0]!r} is not text")
        return {key: with_arrays_apart(x, arrays) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [with_arrays_apart(x, arrays) for x in value]
    return value


def with_arrays_back(value: Any, arrays: Mapping[str, Array]) -> Any:
    """Inverse of `with_arrays_apart`; tuples have become lists."""
    if isinstance(value, dict):
        if _ARRAY in value:
            return arrays[value[_ARRAY]]
        return {key: with_arrays_back(x, arrays) for key, x in value.items()}
    if isinstance(value, list):
        return [with_arrays_back(x, arrays) for x in value]
    return value
