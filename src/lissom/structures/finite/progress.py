"""Words about a long computation, on standard error."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import printable

PATIENCE = 10.0  # [s] before anything is said


@contextmanager
def announced_if_slow(words: str) -> Iterator[None]:
    """Say what is done if it takes longer than `PATIENCE`."""
    line = printable(words) + " ..."
    timer = threading.Timer(PATIENCE, lambda: print(line, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
