"""Ctrl-C during runs: the first ends them after the slice of compiled code, the second at once.

A first one that comes too late to end a run is passed on to the handler before when the run is
complete, so that none is lost.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Interrupts:
    """Whether the user has interrupted; one object may serve many runs."""

    def __init__(self) -> None:
        self._seen = self._obeyed = False
        self._caught = False

    def obeyed(self) -> bool:
        """Whether Ctrl-C has been pressed; who asks and hears yes must end what it does."""
        self._obeyed |= self._seen
        return self._seen

    def pass_on(self) -> None:
        """Pass Ctrl-C on to its handler if nothing has ended because of it."""
        if self._seen and not self._obeyed:
            self._obeyed = True
            signal.raise_signal(signal.SIGINT)

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Note Ctrl-C within this block, in the main thread; a second one is raised."""
        if self._caught or threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(_number: int, _frame: FrameType | None) -> None:
            if self._seen:
                raise KeyboardInterrupt
            self._seen = True

        before: Callable[..., Any] | int | None = signal.getsignal(signal.SIGINT)
        if before is None or before == signal.SIG_IGN:
            yield
            return
        self._caught = True
        try:
            signal.signal(signal.SIGINT, stop)  # within: exceptions of other signals come after it
            yield
        finally:
            self._caught = False
            signal.signal(signal.SIGINT, before)
