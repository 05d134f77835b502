"""Children of the tests: none outlives the process that started it, and none is without bounds.

Whatever kills a test, by a time limit or from outside, its children end: on Linux the kernel kills
them with their parent; elsewhere their time on a processor is bounded.  On Linux that bound would
make the clock of this time count in ticks of some milliseconds, which benchmarks read.  The length
of a file is bounded everywhere, for children of children, too.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

LONGEST_FILE = 2 << 30  # bytes
LONGEST_RUN = 7200  # [s] on a processor
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <sys/prctl.h>
_C = ctypes.CDLL(None) if sys.platform == "linux" else None


def bounded(parent: int) -> None:
    """Bound this process, a child of `parent` that has just begun."""
    bounds = {resource.RLIMIT_FSIZE: LONGEST_FILE}
    if _C is None:
        bounds[resource.RLIMIT_CPU] = LONGEST_RUN
    for kind, most in bounds.items():
        limit = resource.getrlimit(kind)[1]
        least = most if limit == resource.RLIM_INFINITY else min(most, limit)
        resource.setrlimit(kind, (least, least))
    if _C is not None:
        _C.prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # it died before
            os._exit(1)


class BoundedChild(subprocess.Popen):
    """Child of the tests; in all else a `subprocess.Popen`."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        parent, further = os.getpid(), options.pop("preexec_fn", None)

        def begin() -> None:
            bounded(parent)
            if further is not None:
                further()

        if resource is not None:
            options["preexec_fn"] = begin
        with warnings.catch_warnings():  # that threads of this process might hold a lock
            warnings.simplefilter("ignore", DeprecationWarning)
            super().__init__(*arguments, **options)


def bound_all() -> None:
    """Bound all children that are started from now on, by whatever test."""
    subprocess.Popen = BoundedChild  # type: ignore[misc]


def fork() -> int:
    """`os.fork`, whose child is bounded."""
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        bounded(parent)
    return pid


def is_there(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
