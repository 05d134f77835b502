"""Result of one task, as arrays and as bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..records.packed import pack, unpack

Array = np.ndarray

DONE, FAILED, MISSING = "done", "failed", "missing"

# Dimensions, values, attributes.
Labelled = tuple[tuple[str, ...], Array, dict[str, str]]


@dataclass(frozen=True, eq=False)
class Record:
    """Result of one task."""

    task: int  # number of the task
    status: str  # "done" or "failed"
    error: str = ""  # reason of a failure
    warning: str = ""  # warnings of the task
    # variables, coordinates: dimensions, values and attributes by name
    variables: dict[str, Labelled] = field(default_factory=dict)
    coordinates: dict[str, Labelled] = field(default_factory=dict)
    misused: bool = False  # whether it failed because `run` returned something that cannot be kept
    seconds: float = 0.0  # time that it took; not stored

    def to_bytes(self) -> bytes:
        """The record as JSON and plain numbers."""
        text: dict[str, Any] = {
            "task": self.task,
            "status": self.status,
            "error": self.error,
            "warning": self.warning,
        }
        arrays: dict[str, Array] = {}
        for group in ("variables", "coordinates"):
            text[group] = []
            for name, (dims, values, attributes) in getattr(self, group).items():
                words = values.tolist() if values.dtype.kind == "U" else None
                text[group].append([name, dims, words, attributes])
                if words is None:
                    arrays[f"{group}/{name}"] = values
        return pack(text, arrays)

    @classmethod
    def of_bytes(cls, data: bytes) -> Self:
        """Record from `to_bytes`; ValueError if the bytes are something else."""
        text, arrays = unpack(data)
        try:
            groups = {
                group: {
                    name: (
                        tuple(dims),
                        arrays[f"{group}/{name}"] if words is None else np.array(words, dtype=str),
                        dict(attributes),
                    )
                    for name, dims, words, attributes in text[group]
                }
                for group in ("variables", "coordinates")
            }
            status, error, warning = (str(text[x]) for x in ("status", "error", "warning"))
            return cls(
                int(text["task"]),
                status,
                error,
                warning,
                groups["variables"],
                groups["coordinates"],
            )
        except (KeyError, TypeError) as wrong:
            raise ValueError(f"not a record: {wrong}") from None


def failed(tasks: Iterable[int], error: str) -> list[Record]:
    """Records of tasks that failed for one reason."""
    return [Record(task, FAILED, error) for task in tasks]
