"""Ctrl-C during runs: the first ends them after the slice of compiled code, the second at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Interrupts:
    """Whether the user has interrupted; one object may serve many runs.

    Attributes
    ----------
    seen : bool
        Whether Ctrl-C has been pressed.
    """

    def __init__(self) -> None:
        self.seen = False
        self._caught = False

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Note Ctrl-C within this block, in the main thread; a second one is raised."""
        if self._caught or threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(_number: int, _frame: FrameType | None) -> None:
            if self.seen:
                raise KeyboardInterrupt
            self.seen = True

        before: Callable[..., Any] | int | None = signal.getsignal(signal.SIGINT)
        if before is None or before == signal.SIG_IGN:
            yield
            return
        signal.signal(signal.SIGINT, stop)
        self._caught = True
        try:
            yield
        finally:
            self._caught = False
            signal.signal(signal.SIGINT, before)
