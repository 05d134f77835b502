"""Where and with what a measurement was made: commit, date, machine, versions."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("lissom", "numpy", "scipy", "sympy", "casadi", "pin", "mujoco")


def provenance() -> dict[str, str]:
    """The facts that a table of results carries, as (what, value) in reading order."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _commit(),
        "machine": f"{_cpu_model()}, {os.cpu_count()} cores, {platform.system()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": ", ".join(_versions()),
    }


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


def _commit() -> str:
    commit = _git("rev-parse", "--short=12", "HEAD")
    if commit is None:
        return "not committed"
    # The result pages themselves change while they are being written.
    changes = _git("status", "--porcelain", "--", ".", ":!docs/verification", ":!docs/benchmarks")
    return f"{commit} with local changes" if changes else commit


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _versions() -> list[str]:
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions
