"""Deferral of Ctrl-C while a file is written or read.

An exception inside a call of the HDF5 library crashes the interpreter, and one between two writes
leaves an incomplete file.  So the first Ctrl-C is deferred until the file is complete; after the
second, work stops at the next safe point.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Shield:
    """Signal handler that counts Ctrl-C."""

    def __init__(self) -> None:
        self.pressed = 0

    def __call__(self, *_: object) -> None:
        """Handle a signal."""
        self.pressed += 1


@contextmanager
def shielded() -> Iterator[None]:
    """Defer Ctrl-C until the block has ended.

    Nested blocks count as one.  Other threads receive no signals; nothing is deferred if SIGINT is
    ignored or handled by other code.
    """
    before = _handler()
    if before in (None, signal.SIG_IGN) or isinstance(before, _Shield):
        yield
        return
    shield = _Shield()
    signal.signal(signal.SIGINT, shield)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if shield.pressed:
            signal.raise_signal(signal.SIGINT)


def give_way() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed more than once within the block."""
    shield = _handler()
    if isinstance(shield, _Shield) and shield.pressed > 1:
        raise KeyboardInterrupt


def _handler() -> Any:
    """Handler of Ctrl-C in this thread that can be deferred, or None."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.getsignal(signal.SIGINT)
