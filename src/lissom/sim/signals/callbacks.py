"""User functions, compiled or plain, as addresses that the kernels call.

Plain functions are called through one common C function; an exception is stored and ends the run,
wherever in that function a signal may raise it: see `kernels.run.calls` for its status, and
`algorithms.tree.escapes` for exceptions that `ctypes` cannot pass on.
A compiled function (Numba) is wrapped once for all runs and enters Python only to report a failure:
an exception or a result that is not finite.
"""

from __future__ import annotations

import ctypes
import inspect
import math
from collections.abc import Callable
from functools import cache, partial
from itertools import count
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np

from ...algorithms.tree.escapes import CALLED, Watch, is_interruption
from ...algorithms.tree.wrappers import kept_wrapper
from ...errors import LoadError
from ...kernels.layout import run
from ...kernels.run.calls import COMPILED, DOWN, UP
from ...system import State, System

Array = np.ndarray

# Form of a plain function: (time, q, v) -> numbers, all checked
Plain = Callable[[float, Array, Array], Array]

_KIND = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_int64, ctypes.c_double, *(ctypes.c_void_p for _ in range(4))
)
_TYPED = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_double,
    *(ctypes.POINTER(ctypes.c_double) for _ in range(4)),
)
# Plain functions are also called at the next number beyond the time if it is off by more [s].
NEGLIGIBLE = 1e-11
_GOOD, _RAISED, _REFUSED = -1, -2, -3
_NONE = np.zeros(0)


def is_compiled(function: Any) -> bool:
    """Whether a function is compiled by Numba."""
    return hasattr(function, "py_func") or hasattr(function, "address")


def takes_state(function: Callable[..., Any], what: str) -> bool:
    """Whether a plain function takes (time, state) instead of time alone."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # NumPy's own functions and the like
        return False
    needed = [
        p
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
    ]
    if len(needed) > 2 or any(
        p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters
    ):
        raise LoadError(
            f"{what}: the function takes {len(needed)} arguments; expected (time, state)"
        )
    return len(needed) == 2 or any(p.kind is p.VAR_POSITIONAL for p in parameters)


def trusted_state(system: System, q: Array, v: Array) -> State:
    """State that copies q and v without checking them."""
    return State.trusted(system, q.copy(), v.copy())


class CompiledFunction(NamedTuple):
    """A function compiled by Numba, and how it is called."""

    what: str  # its name in errors
    function: Any  # numba's dispatcher, or a C function
    form: str  # as for `Functions.add_compiled`
    sizes: tuple[int, int, int, int]  # sizes of q, v, memory and out


class RunFunctions:
    """All functions of a run."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.error: BaseException | None = None
        self.failed = ""  # name of the function that raised
        self._trial: tuple[float, str] | None = (
            None  # time and description of the last forces that were not finite
        )
        self.halt: Callable[[], bool] | None = None  # called before every call; True ends the run
        self._plain: list[tuple[str, Plain, int, bool]] = []
        self._memory: Array | None = None  # of the kernel that is at work
        self._further = 0  # calls besides those that the kernels count, since the last time
        self.all_further = 0  # and since the start
        self._alive: list[Any] = []  # keeps compiled wrappers alive during the run
        self.compiled: dict[int, CompiledFunction] = {}  # by their numbers
        self._entry = _KIND(self._call)
        self._address = ctypes.cast(self._entry, ctypes.c_void_p).value

    @property
    def has_plain(self) -> bool:
        """Whether a run calls Python."""
        return bool(self._plain)

    def add_plain(
        self, what: str, function: Plain, n: int, *, of_state: bool = True
    ) -> tuple[int, int]:
        """Address and number of a plain function that returns n numbers.

        Without `of_state` it gets no coordinates and speeds.
        """
        self._plain.append((what, function, n, of_state))
        return int(self._address or 0), len(self._plain) - 1

    def add_compiled(
        self, what: str, function: Any, form: str, n_out: int, n_memory: int = 0
    ) -> tuple[int, int]:
        """Address and number of a compiled function."""
        sizes = (self.system.n_q, self.system.n_v, n_memory, n_out)
        try:
            wrapped = partial(_wrapped, function, form, *sizes)
            wrapper = kept_wrapper(function, (form, sizes), wrapped)
        except LoadError as error:
            raise LoadError(f"{what}: {error}") from None
        self._alive += [wrapper, function]
        which = next(_NUMBERS)
        self.compiled[which] = CompiledFunction(what, function, form, sizes)
        trial = form in ("forces", "derivatives")
        words = partial(_entry, form, n_out, self.system.n_v)
        _FAILING[which] = failing = partial(self._failed, what, words, trial)
        self._alive.append(failing)
        return int(wrapper.address), which

    def blame(self, since: float = -math.inf) -> str:
        """Message prefix about forces that were not finite; empty if there were none.

        `since`: earlier ones are ignored [s].
        """
        if self._trial is None or self._trial[0] < since:
            return ""
        return f"{self._trial[1]}: "

    def guard(self, kernel: Callable[..., Any], memory: int) -> Callable[..., Any]:
        """The kernel, whose status tells of all that its functions of Python raised."""
        if not self._plain and not self.compiled:
            return kernel

        def guarded(*arguments: Any) -> int:
            self.error, self._memory = None, arguments[memory]
            with Watch() as watch:
                status = int(kernel(*arguments))
            self._memory = None
            if self.error is None:
                self.error = watch.escaped
            if self.error is None and status == run.CALL_FAILED:
                self.error = LoadError(
                    "a Python function was left by an unknown exception; see what Python has "
                    "printed as ignored"
                )
            return status if self.error is None else run.CALL_FAILED

        return guarded

    def taken(self) -> BaseException | None:
        """The error of a function, which is cleared; an interruption is raised."""
        error, self.error = self.error, None
        if error is not None and is_interruption(error):
            raise error
        return error

    def values(
        self, address: int, which: int, t: float, q: Array, v: Array, n: int
    ) -> Array | None:
        """The n numbers of a function at an address; None if it fails, which clears its error."""
        out, word, before = np.zeros(n), ctypes.c_int64(DOWN), self._trial
        q, v = (np.ascontiguousarray(x, dtype=float) for x in (q, v))
        with Watch() as watch:
            status = _KIND(address)(
                which, t, q.ctypes.data, v.ctypes.data, ctypes.addressof(word), out.ctypes.data
            )
        self.error = self.error or watch.escaped
        failed = self.taken() is not None or (word.value if which < COMPILED else status) != UP
        self._trial = before
        return None if failed or not np.all(np.isfinite(out)) else out

    def _failed(
        self, what: str, words: Callable[[int], str], trial: bool, t: float, k: int, value: float
    ) -> int:
        """Store the failure of a compiled function.

        Forces that are not finite may result from a trial step that is too long: the integrator
        rejects it, and if no step is short enough `blame` describes them.  Other failures end the
        run.
        """
        if trial and k >= 0:
            self._trial = t, f"{what} returned {value}{words(k)} at t = {t:g} s"
            return 0
        if k == _RAISED:
            self.error = LoadError(
                f"{what}: the compiled function raised an exception at t = {t:g} s; call it from "
                "Python with the same arguments to see which"
            )
        elif k == _REFUSED:
            self.error = LoadError(
                f"{what}: the C function returned a nonzero status at t = {t:g} s; 0 is success"
            )
        else:
            self.error = LoadError(
                f"{what} returned {value}{words(k)} at t = {t:g} s; all entries must be finite"
            )
        self.failed = what
        return 1

    def check_halt(self) -> None:
        """Count a call of a function; raise KeyboardInterrupt if the run has to end."""
        self._further += 1
        if self.halt is not None and self.halt():
            raise KeyboardInterrupt

    def further_calls(self) -> int:
        """Calls since the last time besides those by kernels: for derivatives by differences."""
        count, self._further = self._further, 0
        self.all_further += count
        return count

    def _call(self, which: int, t: float, q: int, v: int, status: int, out: int) -> int:
        """Call a plain function; nothing but its status word says that all went well."""
        what = ""
        try:
            what, function, n, of_state = self._plain[which]
            self.check_halt()
            self._further -= 1  # the kernels count this one
            system, before = self.system, self._further
            state = (_NONE, _NONE)
            if of_state:
                state = _numbers(q, system.n_q), _numbers(v, system.n_v)
            values = function(t, *state)
            late = 0.0 if self._memory is None else self._memory[run.LATE]
            if abs(late) > NEGLIGIBLE:
                values = _between(values, late, t, lambda other: function(other, *state))
            self._further -= int(self._further > before)  # one of several for derivatives
            _numbers(out, n)[:] = values
            ctypes.c_int64.from_address(status).value = UP
        except BaseException as error:  # includes Ctrl-C, which ends the run, not the interpreter
            self.error, self.failed = error, what
        return 0  # read by nobody


def _between(values: Array, late: float, t: float, function: Callable[[float], Array]) -> Array:
    """Values `late` after t, between those at t and at the next number on that side.

    In a run far from zero these are the only times that a function can be given, and values that
    jump from one to the next would end in steps of that length.
    """
    other = math.nextafter(t, math.copysign(math.inf, late))
    part = late / (other - t)
    return (1 - part) * values + part * np.asarray(function(other))


def _entry(form: str, n: int, n_v: int, k: int) -> str:
    """Description of number k of the n that a compiled function writes."""
    if form == "derivatives":
        part, place = divmod(k, n // 2)
        return f" in {('by_q', 'by_v')[part]}[{place // n_v}, {place % n_v}]"
    if n == 1:
        return ""
    return f" for speed {k}" if form == "forces" else f" as number {k} of {n} (counted from 0)"


def _numbers(address: int, n: int) -> Array:
    """Array of n numbers at an address."""
    if n == 0:
        return np.zeros(0)
    return np.frombuffer(memoryview((ctypes.c_double * n).from_address(address)))


@cache
def _first_bad() -> Any:
    """Compiled function that returns the index of the first number that is not finite."""
    import numba

    @numba.njit
    def first_bad(values):  # type: ignore[no-untyped-def]
        for k in range(len(values)):
            if not math.isfinite(values[k]):
                return k
        return _GOOD

    return first_bad


# Handlers of failures by the number with which the kernels call a compiled function.  These numbers
# differ from run to run; those of plain functions, below COMPILED, do not.
_NUMBERS = count(COMPILED)
_FAILING: WeakValueDictionary[int, Callable[[float, int, float], int]] = WeakValueDictionary()


def _reported(which: int, t: float, k: int, value: float) -> int:
    """Report that output k of a compiled function is not finite, or k = _RAISED or _REFUSED."""
    return _FAILING[which](t, k, value)


_REPORT = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_int64, ctypes.c_double, ctypes.c_int64, ctypes.c_double
)
_report = _REPORT(_reported)
CALLED |= {RunFunctions._call.__code__, _reported.__code__}


def _wrapped(function: Any, form: str, n_q: int, n_v: int, n_memory: int, n_out: int) -> Any:
    """C function with the kernels' signature around a compiled one, which reports failures."""
    import numba
    from numba import cfunc
    from numba.core.errors import NumbaError

    from ...kernels.run.calls import SIGNATURE

    carray: Any = numba.carray  # type: ignore[attr-defined]
    first_bad, report = _first_bad(), _report

    # Numba cannot share a try between functions without compiling one more of them.
    def forces(which, t, q, v, _memory, out):  # type: ignore[no-untyped-def]
        values = carray(out, n_out)
        values[:] = 0.0
        try:
            function(t, carray(q, n_q), carray(v, n_v), values)
            k = first_bad(values)
        except Exception:
            k = _RAISED
        return 0 if k == _GOOD else report(which, t, k, values[max(k, 0)])

    def controller(which, t, q, v, memory, out):  # type: ignore[no-untyped-def]
        values = carray(out, n_out)
        values[:] = 0.0
        try:
            function(t, carray(q, n_q), carray(v, n_v), carray(memory, n_memory), values)
            k = first_bad(values)
        except Exception:
            k = _RAISED
        return 0 if k == _GOOD else report(which, t, k, values[max(k, 0)])

    def event(which, t, q, v, _memory, out):  # type: ignore[no-untyped-def]
        values = carray(out, 1)
        try:
            values[0] = function(t, carray(q, n_q), carray(v, n_v))
            k = first_bad(values)
        except Exception:
            k = _RAISED
        return 0 if k == _GOOD else report(which, t, k, values[max(k, 0)])

    def time(which, t, _q, _v, _memory, out):  # type: ignore[no-untyped-def]
        values = carray(out, n_out)
        try:
            function(t, values)
            k = first_bad(values)
        except Exception:
            k = _RAISED
        return 0 if k == _GOOD else report(which, t, k, values[max(k, 0)])

    def derivatives(which, t, q, v, _memory, out):  # type: ignore[no-untyped-def]
        values = carray(out, n_out)
        values[:] = 0.0
        both = carray(out, (2, n_row, n_v))
        try:
            function(t, carray(q, n_q), carray(v, n_v), both[0], both[1])
            k = first_bad(values)
        except Exception:
            k = _RAISED
        return 0 if k == _GOOD else report(which, t, k, values[max(k, 0)])

    def checked_c(which, t, q, v, memory, out):  # type: ignore[no-untyped-def]
        values = carray(out, n_out)
        status = c_function(which, t, q, v, memory, out)
        k = first_bad(values) if status == 0 else _REFUSED
        return 0 if k == _GOOD else report(which, t, k, values[max(k, 0)])

    n_row = n_out // (2 * max(n_v, 1))
    wrappers = {
        "forces": forces,
        "controller": controller,
        "event": event,
        "time": time,
        "derivatives": derivatives,
    }
    c_function: Any = _TYPED(function.address) if hasattr(function, "address") else None
    try:
        return cfunc(SIGNATURE)(wrappers[form] if c_function is None else checked_c)
    except NumbaError as error:
        reason = str(error).strip().splitlines()
        raise LoadError(
            f"the compiled function cannot be called as {_FORMS[form]}: "
            f"{reason[0] if reason else error}"
        ) from None


_FORMS = {
    "forces": "f(time, q, v, out)",
    "controller": "f(time, q, v, memory, out)",
    "event": "f(time, q, v) -> float",
    "time": "f(time, out)",
    "derivatives": "f(time, q, v, by_q, by_v)",
}
