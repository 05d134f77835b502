"""One check: what is measured, and what it may be at most."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass


class Skipped(Exception):  # noqa: N818  no error
    """A check that cannot be made here; the message says why."""


@dataclass(frozen=True)
class Check:
    """What is compared, the largest error allowed, and the computation.

    Attributes
    ----------
    name : str
        What is compared with what.
    bound : float
        Largest error allowed: relative, or in SI units where `measure` says so.
    measure : callable
        Gives the error; raises `Skipped` where the check cannot be made.
    """

    name: str
    bound: float
    measure: Callable[[], float]


@dataclass(frozen=True)
class Outcome:
    """What became of a check.

    Attributes
    ----------
    name : str
    error, bound : float
        What was measured, NaN if nothing was, and what is allowed.
    verdict : str
        "ok", "failed" or "skipped".
    words : str
        Why it was skipped, or what was raised.
    seconds : float
        How long it took [s].
    """

    name: str
    error: float
    bound: float
    verdict: str
    words: str
    seconds: float


def run_check(check: Check) -> Outcome:
    """Measure, and judge; whatever is raised is a failure.

    Parameters
    ----------
    check : Check
        Which.
    """
    begun, error, words = time.monotonic(), math.nan, ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error = float(check.measure())
        verdict = "ok" if error <= check.bound else "failed"
    except Skipped as reason:
        verdict, words = "skipped", str(reason)
    except Exception as problem:  # an installation can be broken in any way
        verdict, words = "failed", f"{type(problem).__name__}: {problem}"
    return Outcome(check.name, error, check.bound, verdict, words, time.monotonic() - begun)
