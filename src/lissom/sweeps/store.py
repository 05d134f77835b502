"""Results of a sweep on disk, task by task.

A store is a folder: ``study.json`` describes the study, and every process that works on it appends
to a journal of its own, ``results-NUMBER.lissom``: 8 bytes of magic, 32 bytes of digest of the
study, then records as in journals of runs.  What a kill leaves unfinished is the end of a journal,
which is ignored; nothing that is on disk is ever written again.
"""

from __future__ import annotations

import json
import os
import re
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ..errors import ResultError, SimulationWarning
from ..results.files.disk import as_path, open_regular, replacing
from ..results.files.journal.records import HEAD_SIZE, head_follows, record_head, whole_record
from ..results.files.versions import lissom_version
from .records import DONE, Record
from .study import Study

FORMAT = 1
_MAGIC = b"\x89lissoms"
_STUDY = "study.json"
_NAME = re.compile(r"results-(\d+)\.lissom")
_FLUSH = 1.0  # [s], between two flushes to the disk


class StudyFolder:
    """Folder with the results of a study."""

    def __init__(self, path: Any, study: Study) -> None:
        self.path = Path(as_path(path)).absolute()  # tasks may change the folder
        self._start = _MAGIC + bytes.fromhex(study.fingerprint)
        self._file: IO[bytes] | None = None
        self._n = 0
        self._flushed = 0.0
        stored = stored_study(self.path)
        if stored is None:
            _write_study(self.path, study)
        elif difference := study.difference(stored):
            raise ResultError(
                f"{self.path} has the results of another study: {difference}; give another "
                "folder, or delete this one"
            )

    def records(self) -> dict[int, Record]:
        """Records so far by task; of a task with several the one that is done, or the last."""
        by_task: dict[int, Record] = {}
        for file in _journals(self.path):
            for record in _read(file, self._start):
                before = by_task.get(record.task)
                if before is None or record.status == DONE or before.status != DONE:
                    by_task[record.task] = record
        return by_task

    def append(self, record: Record) -> None:
        """Add a record."""
        payload = record.to_bytes()
        try:
            if self._file is None:
                self._file = _new_journal(self.path, self._start)
            self._file.write(record_head(payload, self._n) + payload)
            self._file.flush()
            if time.monotonic() - self._flushed > _FLUSH:
                os.fsync(self._file.fileno())
                self._flushed = time.monotonic()
        except OSError as error:
            raise ResultError.of(
                error, self.path, "write", "what was written before is safe"
            ) from None
        self._n += 1

    def close(self) -> None:
        """Flush all records to the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())
            self._file.close()
            self._file = None


def stored_study(path: Path) -> Study | None:
    """Study of a store; None if the folder is new or empty."""
    if not path.exists():
        return None
    if not path.is_dir():
        raise ResultError(f"{path} is a file; give a folder for the results of a sweep")
    if not (path / _STUDY).exists():
        if [x for x in os.listdir(path) if not x.startswith(".")]:
            raise ResultError(f"{path} is not empty and holds no sweep; give a new folder")
        return None
    try:
        data = json.loads((path / _STUDY).read_text(encoding="utf-8"))
        if data["format"] > FORMAT:
            raise ResultError(f"{path} was written by a later version of lissom; update lissom")
        return Study.of_json(data["study"])
    except ResultError:
        raise
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResultError(
            f"{path / _STUDY} cannot be read ({error}); restore it, or give a new folder"
        ) from None


def _write_study(path: Path, study: Study) -> None:
    data = {"format": FORMAT, "lissom": lissom_version(), "study": study.to_json()}
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultError.of(error, path, "write") from None
    with replacing(path / _STUDY) as temporary:
        Path(temporary).write_text(json.dumps(data) + "\n", encoding="utf-8")


def _journals(path: Path) -> list[Path]:
    numbered = [
        (int(name[1]), path / name[0]) for x in os.listdir(path) if (name := _NAME.fullmatch(x))
    ]
    return [file for _, file in sorted(numbered)]


def _new_journal(path: Path, start: bytes) -> IO[bytes]:
    """Journal with the next free number; of two processes that want it one gets it."""
    number = 1 + max((int(_NAME.fullmatch(x.name)[1]) for x in _journals(path)), default=0)  # type: ignore[index]
    while True:
        try:
            file = open(path / f"results-{number}.lissom", "xb")
        except FileExistsError:
            number += 1
            continue
        file.write(start)
        return file


def _read(path: Path, start: bytes) -> Iterator[Record]:
    """Complete records of a journal."""
    try:
        with open_regular(path) as file:
            head = file.read(len(start))
            if head == start[: len(head)] and len(head) < len(start):
                return  # killed before its first record
            if not head.startswith(_MAGIC):
                raise ValueError("it is damaged, or no journal of a sweep")
            if head != start:
                raise ValueError("it belongs to another study; give all jobs the same seed")
            size, offset, number = os.fstat(file.fileno()).st_size, len(start), 0
            while (place := whole_record(file, offset, size, number)) is not None:
                yield Record.of_bytes(place.read(file, 0, place.length))
                offset, number = offset + HEAD_SIZE + place.length, number + 1
            file.seek(offset)
            if head_follows(file, offset, size):
                warnings.warn(
                    f"{path} is damaged at byte {offset}: the results after it are left out, and "
                    "their tasks count as missing",
                    SimulationWarning,
                    stacklevel=5,
                )
    except (OSError, ValueError) as error:
        raise ResultError(
            f"{path}: cannot be read ({error}); delete it to repeat its tasks"
        ) from None
