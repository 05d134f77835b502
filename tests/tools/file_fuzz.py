"""Files with random mistakes, one case after another: what is not answered properly is kept.

A case is a pair of numbers, seed and count; its file depends on these alone.  Each case has its
limits of time and memory.
"""

from __future__ import annotations

import random
import resource
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SLOWEST = 10.0  # [s] of computing, for one file
LARGEST = 300.0  # [MB], growth of the process by one file


class TooSlow(BaseException):
    """Raised by the clock; no program catches it by mistake."""


class Fuzz(ABC):
    """Files of one kind."""

    @abstractmethod
    def case(self, rng: random.Random) -> tuple[str, bytes]:
        """Name and content of a damaged file."""

    @abstractmethod
    def fault(self, path: Path, rng: random.Random) -> str:
        """What lissom does wrong with a file; empty if all is well."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Interrupt what computes longer, or waits for twelve times as long.

    Only in the main thread of a POSIX system.  Seconds of computing do not depend on what else the
    machine does.
    """

    def ring(*_: object) -> None:
        raise TooSlow

    clocks = {signal.SIGPROF: signal.ITIMER_PROF, signal.SIGALRM: signal.ITIMER_REAL}
    before = {number: signal.signal(number, ring) for number in clocks}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 12 * seconds)
    try:
        yield
    finally:
        for number, clock in clocks.items():
            signal.setitimer(clock, 0)
            signal.signal(number, before[number])


def peak() -> float:
    """Most memory that this process has had [MB]."""
    found = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return found / (1e6 if sys.platform == "darwin" else 1e3)


def answered(fuzz: Fuzz, path: Path, rng: random.Random) -> str:
    """What is wrong with the answer to a file; empty if nothing is."""
    before = peak()
    try:
        with within(SLOWEST):
            wrong = fuzz.fault(path, rng)
    except TooSlow:
        return f"took more than {SLOWEST:g} s"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error}"
    grown = peak() - before
    if not wrong and grown > LARGEST:
        return f"took {grown:.0f} MB"
    return wrong


def faults(fuzz: Fuzz, folder: Path, seed: int, cases: range) -> list[str]:
    """What goes wrong with the cases of a seed; each is told with its numbers and kept."""
    found = []
    for k in cases:
        rng = random.Random(f"{seed} {k}")
        name, content = fuzz.case(rng)
        path = folder / name
        path.unlink(missing_ok=True)  # to write anew is slower by milliseconds
        path.write_bytes(content)
        if wrong := answered(fuzz, path, rng):
            kept = path.rename(folder / f"kept_{seed}_{k}_{name}")
            found.append(f"seed {seed}, case {k} ({kept}): {wrong}")
    return found
