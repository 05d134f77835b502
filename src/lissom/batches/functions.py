"""Users' compiled functions on a GPU: by Numba's front end, and LLVM's back end for a GPU."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import LoadError
from ..kernels.device.ptx import GENERATIONS, Outside, outside_ptx
from ..kernels.run import fields as run
from ..kernels.run.calls import COMPILED
from ..sim.run.machine import Machine
from ..sim.signals.callbacks import CompiledFunction

Array = np.ndarray


def numbered_functions(machine: Machine) -> tuple[Array, list[CompiledFunction]]:
    """Plan in which functions have the numbers 0, 1, ... and no addresses, and these functions."""
    elements, compiled = machine.elements.copy(), machine.plan.functions.compiled
    numbers: dict[int, int] = {}
    for place, address in _places(machine):
        which = int(elements[place])
        if which < COMPILED:
            raise LoadError(
                "functions of plain Python cannot run on a GPU; compile them with numba.njit, give "
                'tables or loads instead, or use device="cpu"'
            )
        elements[place], elements[address] = numbers.setdefault(which, len(numbers)), 0
    _without_user_derivatives(machine, elements)
    return elements, [compiled[which] for which in numbers]


def _without_user_derivatives(machine: Machine, elements: Array) -> None:
    """Differentiate functions by differences: derivatives that users give stay on cores."""
    pairs = ((run.N_FORCE, run.FORCES), (run.N_LOOP_FORCE, run.LOOP_FORCES))
    for count, first in (*pairs, (run.N_NODE_LOAD, run.NODE_LOADS)):
        for k in range(int(elements[count])):
            row = int(elements[first]) + k * run.E_ROW
            if elements[row + run.E_WIDE] == run.GIVEN:
                elements[row + run.E_WIDE] = run.EVERYWHERE
    row = run.P_HEADER
    for signal in machine.plan.signals:
        if signal[run.S_KIND] == run.CALLED:
            elements[[row + run.S_BY, row + run.S_BY_WHICH]] = 0
        row += len(signal)


def functions_ptx(functions: Sequence[CompiledFunction]) -> str:
    """PTX that calls functions by their numbers; empty without functions."""
    if not functions:
        return ""
    return outside_ptx([_outside(x) for x in functions], GENERATIONS[0])


def _places(machine: Machine) -> Iterator[tuple[int, int]]:
    """Places in the plan of the numbers of functions and of their addresses."""
    plan, row = machine.elements, run.P_HEADER
    for signal in machine.plan.signals:
        if signal[run.S_KIND] == run.CALLED:
            yield row + run.S_WHICH, row + run.S_WHERE
        row += len(signal)
    for count, first in ((run.N_CONTROLLER, run.CONTROLLERS), (run.N_EVENT, run.EVENTS)):
        for k in range(int(plan[count])):
            row = int(plan[first]) + k * run.E_ROW
            if plan[row + run.E_ADDRESS]:
                yield row + run.E_WHICH, row + run.E_ADDRESS


def _outside(compiled: CompiledFunction) -> Outside:
    """LLVM's text of a function that returns 0, or 1 where a result is not finite."""
    import numba
    from numba.core.errors import NumbaError

    function, form = compiled.function, compiled.form
    if not hasattr(function, "py_func"):
        raise LoadError(
            f"{compiled.what} is a C function, which a GPU does not know; compile one with "
            "numba.njit"
        )

    @numba.njit(error_model="numpy")
    def finite(out: Any) -> Any:
        for k in range(len(out)):
            if not math.isfinite(out[k]):
                return 1
        return 0

    def forces(t: Any, q: Any, v: Any, _memory: Any, out: Any) -> Any:
        out[:] = 0.0
        function(t, q, v, out)
        return finite(out)

    def controller(t: Any, q: Any, v: Any, memory: Any, out: Any) -> Any:
        out[:] = 0.0
        function(t, q, v, memory, out)
        return finite(out)

    def event(t: Any, q: Any, v: Any, _memory: Any, out: Any) -> Any:
        out[0] = function(t, q, v)
        return finite(out)

    def time(t: Any, _q: Any, _v: Any, _memory: Any, out: Any) -> Any:
        function(t, out)
        return finite(out)

    forms = {"forces": forces, "controller": controller, "event": event, "time": time}
    array = "float64[:]"
    kernel: Any = numba.njit(forms[form], error_model="numpy")
    try:
        kernel.compile(f"int64(float64, {array}, {array}, {array}, {array})")
    except NumbaError as error:
        first = str(error).strip().splitlines()[0]
        raise LoadError(
            f"{compiled.what} cannot be compiled for arrays of a GPU: {first}"
        ) from None
    (result,) = kernel.overloads.values()
    return Outside(result.library.get_llvm_str(), result.fndesc.mangled_name, compiled.sizes)
