"""Provenance of a measurement: commit, date, computer, versions."""

from __future__ import annotations

import subprocess
from pathlib import Path

from lissom.selftest.versions import machine

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("lissom", "numpy", "numba", "scipy", "sympy", "casadi", "pin", "mujoco")


def provenance() -> dict[str, str]:
    """Provenance as a dictionary, in reading order."""
    facts = machine(PACKAGES)
    return {"date": facts.pop("date"), "commit": commit()} | facts


def provenance_table() -> str:
    """Provenance as a Markdown table."""
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
    """Current commit, and whether there are uncommitted changes."""
    found = _git("rev-parse", "--short=12", "HEAD")
    if found is None:
        return "not committed"
    # Without the pages of results, which change while they are written.
    changes = _git("status", "--porcelain", "--", ".", ":!docs/verification", ":!docs/benchmarks")
    return f"{found} with local changes" if changes else found
