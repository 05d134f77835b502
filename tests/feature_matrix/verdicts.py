"""What became of one combination."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import signal
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np

import lissom as ls
from tests.feature_matrix.loads import Acting, draw_acting
from tests.feature_matrix.mechanisms import Mechanism, draw_mechanism
from tests.feature_matrix.operations import OPERATIONS, Case, WrongError
from tests.feature_matrix.refusals import reason_of

SEED = 20261119
BOUND = 60  # seconds of work for one combination
# What a message may name, besides the parts of the mechanism
ARGUMENTS = (
    r"\b(body|bodies|joint|load\d*|loop|coupling|frame|node|state|step|held|event|forces|"
    r"integrator)\b"
)
OFTEN = 0.1  # part of the refused draws that are kept, so that most combinations compute something


class TooSlowError(Exception):
    """A combination exceeded its bound."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Outcome of one combination.

    Attributes
    ----------
    kind : "fine", "refused" or "failed".
    what : pattern of a refusal, or the failure.
    """

    number: int
    operation: str
    kind: str
    what: str = ""
    words: str = ""

    def __str__(self) -> str:
        return f"{self.number}: {self.operation}: {self.kind}: {self.what} [{self.words}]"


def name_of(number: int) -> str:
    """Operation of a combination: all take turns."""
    return list(OPERATIONS)[number % len(OPERATIONS)]


def verdict_of(number: int) -> Verdict:
    """Draw a combination and judge what comes of it."""
    rng = np.random.default_rng([SEED, number])
    name = name_of(number)
    words: list[str] = []
    signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, BOUND)
    try:
        with (
            warnings.catch_warnings(),
            tempfile.TemporaryDirectory() as folder,
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("error")
            for harmless in (ls.SimulationWarning, ls.ModelWarning):
                warnings.simplefilter("ignore", harmless)
            mechanism = _drawn(rng)
            words += mechanism.words
            acting = draw_acting(rng, mechanism)
            acting.loads = [x for x in acting.loads if _acts(rng, mechanism, acting, x)]
            acting.events = [x for x in acting.events if _switches(x, acting)]
            words += acting.words
            result = OPERATIONS[name](Case(mechanism, acting, rng, Path(folder)))
            bad = first_bad(result)
            ended = early(result)
    except ls.LissomError as error:
        return _refusal(number, name, error, "; ".join(words))
    except WrongError as error:
        return Verdict(number, name, "failed", f"wrong: {error}", "; ".join(words))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
        return Verdict(number, name, "failed", what, "; ".join(words))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if bad:
        return Verdict(number, name, "failed", f"not finite: {bad}", "; ".join(words))
    if ended:
        return _judged(number, name, f"run: {ended}", "; ".join(words))
    return Verdict(number, name, "fine", "", "; ".join(words))


def _drawn(rng: np.random.Generator) -> Mechanism:
    """Mechanism; most of those that are refused for a reason that is understood are drawn again."""
    while True:
        try:
            return draw_mechanism(rng)
        except ls.LissomError as error:
            if not reason_of(f"{type(error).__name__}: {error}") or rng.random() < OFTEN:
                raise


def _acts(rng: np.random.Generator, mechanism: Mechanism, acting: Acting, load: ls.Load) -> bool:
    """Whether a load is kept: most of those that are refused for a known reason are not."""
    if load in mechanism.drives:
        return True
    try:
        loads = [*mechanism.drives, load]
        settings = {"duration": 1e-6, "step": 1e-6, "integrator": "rk4", "time_limit": 1.0}
        ls.simulate(mechanism.system, mechanism.state, loads=loads, **settings)
    except ls.LissomError as error:
        return not reason_of(f"{type(error).__name__}: {error}") or rng.random() < OFTEN
    return True


def _switches(event: ls.Event, acting: Acting) -> bool:
    """Whether the load that an event switches was kept."""
    names = {x.name for x in acting.loads}
    return all(x.load in names for x in event.actions if isinstance(x, ls.Switch))


def _too_slow(_signal: int, _frame: object) -> None:
    raise TooSlowError(f"more than {BOUND} s")


def _refusal(number: int, name: str, error: ls.LissomError, words: str) -> Verdict:
    message = f"{type(error).__name__}: {error}"
    if type(error) is ls.LissomError or isinstance(error, ls.KernelError):
        return Verdict(number, name, "failed", f"generic: {message}", words)
    if not re.search(ARGUMENTS, message) and "'" not in message:
        return Verdict(number, name, "failed", f"names nothing: {message}", words)
    return _judged(number, name, message, words)


def _judged(number: int, name: str, message: str, words: str) -> Verdict:
    kind = "refused" if reason_of(message) else "failed"
    text = pattern(message) if kind == "refused" else f"a refusal nobody looked at: {message}"
    return Verdict(number, name, kind, text, words)


def pattern(message: str) -> str:
    """Message without names and numbers."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"|/\S*/\S+", "'*'", message.splitlines()[0])
    return re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", text)[:160]


def early(result: object) -> str:
    """Status and message of a run that ended early."""
    runs = [x for x in _parts(result) if isinstance(x, ls.Trajectory)]
    return next(
        (f"{x.status}: {x.message}" for x in runs if x.status not in ("finished", "event")), ""
    )


def first_bad(result: object, path: str = "result") -> str:
    """Where the first number is that is not finite; empty: nowhere."""
    if isinstance(result, ls.Trajectory):
        if result.status not in ("finished", "event"):
            return ""
        result = {name: getattr(result, name) for name in ("time", "q", "v")}
    if isinstance(result, dict):
        pieces = result.items()
    elif isinstance(result, (tuple, list)):
        pieces = enumerate(result)
    elif isinstance(result, (float, np.ndarray, np.floating)):
        array = np.asarray(result)
        bad = array.dtype.kind in "fc" and not np.all(np.isfinite(array))
        return path if bad else ""
    elif isinstance(result, ls.State):
        pieces = [("q", result.q), ("v", result.v)]
    elif dataclasses.is_dataclass(result) and not isinstance(result, ls.System):
        pieces = [(f.name, getattr(result, f.name, None)) for f in dataclasses.fields(result)]
    else:
        return ""
    return next((bad for k, x in pieces if (bad := first_bad(x, f"{path}.{k}"))), "")


def _parts(result: object) -> list[object]:
    return list(result) if isinstance(result, (tuple, list)) else [result]
