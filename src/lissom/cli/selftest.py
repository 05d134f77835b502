"""The command `lissom selftest`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .ending import FAILED
from .output import json_text, say

if TYPE_CHECKING:
    from ..selftest import CheckResult

WIDTH = 55


def selftest(
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Check that this installation computes correctly on this machine.

    Results are compared with textbook formulas, conservation laws and independent computations. It
    takes less than a minute, and a few minutes the first time if kernels were not built.
    """
    from ..selftest import CHECKS, machine_facts, run_check

    facts = machine_facts()
    if not json:
        for name, value in facts.items():
            say(f"{name:10} {value}")
        say("")
    outcomes = []
    for check in CHECKS:
        if not json:
            say(f"{check.name:{WIDTH}}", end="")  # shown before the check runs
        outcomes.append(run_check(check))
        if not json:
            say(_words(outcomes[-1]))
    failed = [x.name for x in outcomes if x.verdict == "failed"]
    if json:
        _print_json(facts, outcomes, passed=not failed)
    else:
        say(f"\n{_verdict(outcomes, failed)}")
    if failed:
        raise typer.Exit(FAILED)


def _words(outcome: CheckResult) -> str:
    if outcome.words:
        return f" {outcome.verdict}: {outcome.words}"
    return f" error {outcome.error:8.1e}  bound {outcome.bound:6.0e}  {outcome.verdict}"


def _verdict(outcomes: list[CheckResult], failed: list[str]) -> str:
    from ..errors import name_list
    from .texts import wrap_text

    seconds = sum(x.seconds for x in outcomes)
    skipped = sum(x.verdict == "skipped" for x in outcomes)
    if failed:
        words = f"{len(failed)} of {len(outcomes)} checks failed: {name_list(failed)}. "
        words += "Do not trust this installation; please report this with all of the above."
        return wrap_text(words)
    left = f", {skipped} skipped" if skipped else ""
    words = f"{len(outcomes) - skipped} checks passed{left} in {seconds:.0f} s"
    return f"{words}: this installation computes correctly on this machine"


def _print_json(facts: dict[str, str], outcomes: list[CheckResult], *, passed: bool) -> None:
    checks: list[dict[str, Any]] = [
        {
            "name": x.name,
            "error": x.error if x.error == x.error else None,
            "bound": x.bound,
            "verdict": x.verdict,
            "words": x.words,
            "seconds": round(x.seconds, 3),
        }
        for x in outcomes
    ]
    say(json_text({"passed": passed, "environment": facts, "checks": checks}))
