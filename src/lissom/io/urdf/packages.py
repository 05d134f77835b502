"""Files that a robot description names: relative, absolute, or in a package.

A package is a folder of its name, or one whose package.xml has that name.  It is looked for in the
folders that were given, in the folders above the file, and where the environment of ROS and Gazebo
says that packages are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from urllib.parse import unquote

_PACKAGE = re.compile(r"(?:package|model)://+([^/]*)/*(.*)", re.DOTALL)
_SOURCES = ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH")  # folders above them
_NAME = re.compile(rb"<name>\s*([^<]*?)\s*</name>")
_HEAD = 65_536  # bytes of package.xml to read
_MOST = 2_000  # folders to look through, of each folder of the environment
_DEEPEST = 3  # levels below it


class Packages:
    """Finder of the files that a robot description names."""

    def __init__(
        self,
        file: Path,
        packages: Mapping[str, str | Path],
        package_dirs: Sequence[str | Path],
    ) -> None:
        self.file = file.resolve()
        self.folders = {name: Path(folder) for name, folder in packages.items()}
        self.above = [Path(folder) for folder in package_dirs]
        self._names: dict[Path, str] = {}
        self._there: list[Path] | None = None

    def find(self, name: str) -> Path | None:
        """Path of a file; None if there is none."""
        return next((path for path in self._candidates(name) if _is_file(path)), None)

    def missing(self, name: str) -> str:
        """Reason why a file was not found, with the remedy."""
        if name.startswith(("http://", "https://")):
            return "is in the network, where lissom does not look; save it beside the robot"
        if match := _PACKAGE.fullmatch(name):
            package = match[1]
            if not package:
                return 'names no package; expected "package://NAME/path"'
            if folder := next(self._folders(package), None):
                return f"is not in the package at {folder}"
            return (
                f'is in a package that was not found; give package_dirs=["FOLDER ABOVE {package}"]'
            )
        return "does not exist; check the path"

    def _candidates(self, name: str) -> Iterator[Path]:
        if match := _PACKAGE.fullmatch(name):
            package, rest = match[1], match[2]
            if package:
                for folder in self._folders(package):
                    yield from (folder / rest, folder / unquote(rest))
            return
        here = self.file.parent
        if name.startswith("file://"):
            rest = unquote(name.removeprefix("file://").removeprefix("localhost/"))
            drive = re.match(r"/+([A-Za-z]:.*)", rest)
            yield from (here / (drive[1] if drive else rest), here / name.removeprefix("file://"))
        elif not name.startswith(("http://", "https://")):
            yield from (here / name, here / name.replace("\\", "/"))

    def _folders(self, package: str) -> Iterator[Path]:
        """Folders of a package; the most likely first."""
        if package in self.folders:
            yield self.folders[package]
            return
        for folder in [*self.above, *self.file.parents]:
            yield from self._at(folder, package)
        for prefix in _paths("AMENT_PREFIX_PATH"):
            yield from self._at(prefix / "share", package)
        for folder in self._of_environment():
            if self._is(folder, package):
                yield folder

    def _at(self, folder: Path, package: str) -> Iterator[Path]:
        """A folder or the one in it, if it is the package."""
        if _is_folder(folder / package):
            yield folder / package
        if self._is(folder, package):
            yield folder

    def _is(self, folder: Path, package: str) -> bool:
        return folder.name == package or self._named(folder) == package

    def _named(self, folder: Path) -> str:
        """Name in the package.xml of a folder; empty without one."""
        if folder not in self._names:
            self._names[folder] = _name(folder / "package.xml")
        return self._names[folder]

    def _of_environment(self) -> list[Path]:
        """Folders that may be packages, below those of the environment."""
        if self._there is None:
            roots = [root for variable in _SOURCES for root in _paths(variable)]
            self._there = [x for root in roots for x in islice(_below(root, 0), _MOST)]
        return self._there


def _paths(variable: str) -> list[Path]:
    """Folders in a variable of the environment."""
    return [Path(x) for x in os.environ.get(variable, "").split(os.pathsep) if x]


def _below(folder: Path, depth: int) -> Iterator[Path]:
    """A folder and those below it; packages are not entered."""
    yield folder
    if depth == _DEEPEST or (depth and _is_file(folder / "package.xml")):
        return
    try:
        inside = sorted(x for x in folder.iterdir() if x.is_dir() and not x.name.startswith("."))
    except (OSError, ValueError):
        return
    for inner in inside:
        yield from _below(inner, depth + 1)


def _name(file: Path) -> str:
    if not _is_file(file):
        return ""
    try:
        with file.open("rb") as opened:
            match = _NAME.search(opened.read(_HEAD))
    except (OSError, ValueError):
        return ""
    return match[1].decode("utf-8", "replace") if match else ""


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # not a valid file name
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
