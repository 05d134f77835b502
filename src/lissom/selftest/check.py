"""A single check: a measured error and its bound."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass


class Skipped(Exception):  # noqa: N818  no error
    """Raised by a check that cannot be run here; the message gives the reason."""


@dataclass(frozen=True)
class Check:
    """Comparison with an error bound."""

    name: str  # what is compared
    # largest allowed error: relative, or in SI units if the docstring of `measure` gives one
    bound: float
    measure: Callable[[], float]  # returns the error; raises `Skipped` if the check cannot be run


@dataclass(frozen=True)
class CheckResult:
    """Result of a check."""

    name: str
    # error, bound: measured error, NaN if there is none, and largest allowed error
    error: float
    bound: float
    verdict: str  # "ok", "failed" or "skipped"
    words: str  # reason why it was skipped, or the exception
    seconds: float  # run time [s]


def run_check(check: Check) -> CheckResult:
    """Run a check; any exception counts as a failure."""
    begun, error, words = time.monotonic(), math.nan, ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error = float(check.measure())
        verdict = "ok" if error <= check.bound else "failed"
    except Skipped as reason:
        verdict, words = "skipped", str(reason)
    except Exception as problem:  # a broken installation can raise anything
        verdict, words = "failed", f"{type(problem).__name__}: {problem}"
    return CheckResult(check.name, error, check.bound, verdict, words, time.monotonic() - begun)
