"""Where and with what a measurement was made: commit, date, machine, versions."""

from __future__ import annotations

import subprocess
from pathlib import Path

from lissom.selftest.machine import machine

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("lissom", "numpy", "numba", "scipy", "sympy", "casadi", "pin", "mujoco")


def provenance() -> dict[str, str]:
    """The facts that a table of results carries, as (what, value) in reading order."""
    facts = machine(PACKAGES)
    return {"date": facts.pop("date"), "commit": commit()} | facts


def provenance_table() -> str:
    """The same as a Markdown table."""
    rows = [f"| {what} | {value} |" for what, value in provenance().items()]
    return "\n".join(["| | |", "|---|---|", *rows]) + "\n"


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def commit() -> str:
    """The commit that is checked out, and whether there are changes beside it."""
    found = _git("rev-parse", "--short=12", "HEAD")
    if found is None:
        return "not committed"
    # The result pages themselves change while they are being written.
    changes = _git("status", "--porcelain", "--", ".", ":!docs/verification", ":!docs/benchmarks")
    return f"{found} with local changes" if changes else found
