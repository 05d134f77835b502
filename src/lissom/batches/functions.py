"""Users' compiled functions on a GPU: by Numba's front end, and LLVM's back end for a GPU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import LoadError
from ..kernels.device.ptx import GENERATIONS, Outside, outside_ptx
from ..kernels.layout import run
from ..kernels.run.calls import COMPILED
from ..sim.run.machine import Machine
from ..sim.run.packing import called_rows
from ..sim.signals.callbacks import CompiledFunction

Array = np.ndarray


def numbered_functions(machine: Machine) -> tuple[Array, list[CompiledFunction]]:
    """Plan in which functions have the numbers 0, 1, ... and no addresses, and these functions."""
    elements, compiled = machine.elements.copy(), machine.plan.functions.compiled
    numbers: dict[int, int] = {}
    for row in called_rows(elements):
        if row.which < COMPILED:
            raise LoadError(
                "functions of plain Python cannot run on a GPU; compile them with numba.njit, give "
                'tables or loads instead, or use device="cpu"'
            )
        row.which, row.address = numbers.setdefault(int(row.which), len(numbers)), 0
        if isinstance(row, run.SignalRow):
            row.by_address = row.by_which = 0
    _without_user_derivatives(elements)
    return elements, [compiled[which] for which in numbers]


def _without_user_derivatives(elements: Array) -> None:
    """Differentiate functions by differences: derivatives that users give stay on cores."""
    head = run.PlanHeader(elements, 0)
    for loads in (head.forces, head.loop_forces, head.node_loads):
        for k in range(loads.count):
            load = run.LoadRow(elements, loads.first, k)
            if load.wide == run.GIVEN:
                load.wide = run.EVERYWHERE


def functions_ptx(functions: Sequence[CompiledFunction]) -> str:
    """PTX that calls functions by their numbers; empty without functions."""
    if not functions:
        return ""
    return outside_ptx([_outside(x) for x in functions], GENERATIONS[0])


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
