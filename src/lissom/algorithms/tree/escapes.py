"""Exceptions that escape from functions of Python which compiled code calls.

`ctypes` cannot pass an exception on to the code that called: it hands it to `sys.unraisablehook`,
and the caller reads what a call before has left in place of a result.  A `try` does not prevent
that: the handler of a signal may raise before the first statement of a function and after its last.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from types import CodeType, TracebackType
from typing import Any

CALLED: set[CodeType] = set()  # code of the functions whose exceptions are watched


class _Hook:
    """The hook of this module, and the one that it replaces while any thread watches."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.here = threading.local()  # .escaped: an exception or None for each watch
        self.count = 0
        self.before: Callable[[Any], Any] = sys.__unraisablehook__

    def __call__(self, report: Any) -> None:
        """Keep an exception of a watched function; leave any other to the hook before."""
        escaped, trace = getattr(self.here, "escaped", None), report.exc_traceback
        if not escaped or trace is None or trace.tb_frame.f_code not in CALLED:
            self.before(report)
        elif escaped[-1] is None:
            escaped[-1] = report.exc_value


_HOOK = _Hook()


class Watch:
    """Context in which exceptions that escape from the functions in `CALLED` are kept.

    `escaped`: the first of them, after the context.
    """

    __slots__ = ("_depth", "escaped")

    def __enter__(self) -> Watch:
        """Begin to watch this thread."""
        errors = _HOOK.here.__dict__.setdefault("escaped", [])
        self.escaped, self._depth = None, len(errors)
        errors.append(None)
        with _HOOK.lock:
            _HOOK.count += 1
            if sys.unraisablehook is not _HOOK:
                _HOOK.before, sys.unraisablehook = sys.unraisablehook, _HOOK
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the watch."""
        with _HOOK.lock:
            _HOOK.count -= 1
            if _HOOK.count <= 0 and sys.unraisablehook is _HOOK:
                sys.unraisablehook = _HOOK.before
        errors = _HOOK.here.escaped
        if len(errors) > self._depth:
            self.escaped = errors[self._depth]
            del errors[self._depth :]


def is_interruption(error: BaseException) -> bool:
    """Whether an exception is no failure of the function in which it was raised.

    It is an order to end (`KeyboardInterrupt`, `SystemExit`), or a handler of a signal raised it.
    """
    if not isinstance(error, Exception):
        return True
    handlers = {_code(signal.getsignal(x)) for x in signal.valid_signals()}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in handlers:
            return True
        trace = trace.tb_next
    return False


def _code(handler: Any) -> CodeType | None:
    """Code of a function, a method, or an object that is called."""
    called = getattr(handler, "__call__", None)  # noqa: B004
    return getattr(handler, "__code__", getattr(called, "__code__", None))
