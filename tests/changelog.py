"""The form of CHANGELOG.md (Keep a Changelog): `python -m tests.changelog` says what is wrong."""

from __future__ import annotations

import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
RELEASE = re.compile(r"\[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d{2}-\d{2})")


def problems(text: str) -> list[str]:
    """What breaks the form, one sentence each; empty where all is well."""
    found: list[str] = []
    lines = text.splitlines()
    if not lines or lines[0] != "# Changelog":
        found.append("line 1: the title must be '# Changelog'")
    sections = [(n, line[3:]) for n, line in enumerate(lines, 1) if line.startswith("## ")]
    if not sections or sections[0][1] != "[Unreleased]":
        found.append("the first section must be '## [Unreleased]'")
    versions, dates = [], []
    for n, title in sections[1:]:
        match = RELEASE.fullmatch(title)
        if match is None:
            found.append(f"line {n}: '{title}' is not '[major.minor.patch] - year-month-day'")
            continue
        versions.append(tuple(int(part) for part in match.groups()[:3]))
        try:
            dates.append(datetime.date.fromisoformat(match[4]))
        except ValueError:
            found.append(f"line {n}: {match[4]} is not a date")
    if versions != sorted(set(versions), reverse=True):
        found.append("releases must be listed once each, newest first")
    if dates != sorted(dates, reverse=True):
        found.append("dates of releases must not increase downwards")
    return found + _entry_problems(lines)


def _entry_problems(lines: list[str]) -> list[str]:
    found: list[str] = []
    kind = None
    for n, line in enumerate(lines, 1):
        if line.startswith("## "):
            kind = None
        elif line.startswith("### "):
            kind = line[4:]
            if kind not in KINDS:
                found.append(f"line {n}: '{kind}' is not one of {', '.join(KINDS)}")
            if not any(following.startswith("- ") for following in _until_heading(lines, n)):
                found.append(f"line {n}: '{kind}' has no entry")
        elif line.startswith("- ") and kind is None:
            found.append(f"line {n}: an entry stands under no kind of change")
    return found


def _until_heading(lines: list[str], start: int) -> list[str]:
    following = []
    for line in lines[start:]:
        if line.startswith("#"):
            break
        following.append(line)
    return following


def newest_release(text: str) -> tuple[int, ...]:
    """The newest released version, (0, 0, 0) before the first release."""
    found = [tuple(int(part) for part in m.groups()[:3]) for m in RELEASE.finditer(text)]
    return max(found, default=(0, 0, 0))


def main() -> int:
    """Print the problems of the project's changelog; the number of them is the exit status."""
    found = problems((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    for problem in found:
        print(f"CHANGELOG.md: {problem}")
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
