"""Files that carry the version, changed together; CONTRIBUTING.md has the whole recipe.

Steps:

    python tools/release.py cut 0.2.0      the changelog's Unreleased becomes 0.2.0 of today
    python tools/release.py next 0.3.0     what follows is 0.3.0.dev0
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "src/lissom/__init__.py"
UNRELEASED = "## [Unreleased]\n"


def cut(root: Path, version: str, today: datetime.date) -> None:
    """Give the changes that are not released yet a version and a date.

    Parameters
    ----------
    root : Path
        Folder of the project.
    version : str
        Version of the release, such as "0.2.0".
    today : date
        Date of the release.
    """
    changelog, citation = root / "CHANGELOG.md", root / "CITATION.cff"
    text = changelog.read_text(encoding="utf-8")
    head, found, rest = text.partition(UNRELEASED)
    section = rest.partition("\n## [")[0]
    released = re.findall(r"^## \[([0-9.]+)\]", rest, re.MULTILINE)
    if not found or "\n- " not in section:
        raise SystemExit("CHANGELOG.md has no entry under Unreleased: there is nothing to release")
    if numbers(version) <= max(map(numbers, released), default=(0, 0, 0)):
        raise SystemExit(f"{version} is not after {released[0]}, the newest release")
    title = f"## [{version}] - {today.isoformat()}\n"
    changelog.write_text(f"{head}{UNRELEASED}\n{title}{rest}", encoding="utf-8")
    replace(citation, r"^version: .*$", f"version: {version}")
    replace(citation, r"^date-released: .*$", f"date-released: {today.isoformat()}")
    replace(root / PACKAGE, r'^__version__ = ".*"$', f'__version__ = "{version}"')


def begin(root: Path, version: str) -> None:
    """Give the sources after a release their version.

    Parameters
    ----------
    root : Path
        Folder of the project.
    version : str
        Version that the sources will become, such as "0.3.0".
    """
    text = (root / PACKAGE).read_text(encoding="utf-8")
    (now,) = re.findall(r'^__version__ = "([0-9.]+)"$', text, re.MULTILINE) or [""]
    if not now:
        raise SystemExit(f"{PACKAGE} is not at a release: cut one first")
    if numbers(version) <= numbers(now):
        raise SystemExit(f"{version} is not after {now}")
    replace(root / PACKAGE, r'^__version__ = ".*"$', f'__version__ = "{version}.dev0"')


def numbers(version: str) -> tuple[int, ...]:
    """Major, minor and patch of a version."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise SystemExit(f"{version!r} is not a version; expected three numbers, such as 0.2.0")
    return tuple(int(part) for part in version.split("."))


def replace(path: Path, pattern: str, line: str) -> None:
    """Replace the one line of a file that matches."""
    text, count = re.subn(pattern, line, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if count != 1:
        raise SystemExit(f"{path.name}: {count} lines match {pattern}; expected one")
    path.write_text(text, encoding="utf-8")


def main(words: list[str]) -> None:
    """Carry out one step; see the top of the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("cut", "next"))
    parser.add_argument("version", help="three numbers, such as 0.2.0")
    given = parser.parse_args(words)
    if given.step == "cut":
        cut(ROOT, given.version, datetime.datetime.now(datetime.UTC).date())
    else:
        begin(ROOT, given.version)


if __name__ == "__main__":
    main(sys.argv[1:])
