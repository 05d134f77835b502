"""Ctrl-C waits while a file is written or read.

An exception in the middle of a call of the HDF5 library ends the interpreter, and one between two
of our own leaves half a file.  So the first Ctrl-C is kept until the file is whole, then raised;
from the second on the work is given up at its next safe place.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Shield:
    """Ctrl-C's so far."""

    def __init__(self) -> None:
        self.pressed = 0

    def __call__(self, *_: object) -> None:
        """Handle a signal."""
        self.pressed += 1


@contextmanager
def shielded() -> Iterator[None]:
    """Keep Ctrl-C until the block has ended.

    Nested blocks are one.  Other threads get no signals, and where SIGINT is ignored or another
    program's there is nothing to keep.
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
    """Raise KeyboardInterrupt if Ctrl-C was pressed more than once since the shield went up."""
    shield = _handler()
    if isinstance(shield, _Shield) and shield.pressed > 1:
        raise KeyboardInterrupt


def _handler() -> Any:
    """What happens on Ctrl-C in this thread; None: nothing of ours."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.getsignal(signal.SIGINT)
