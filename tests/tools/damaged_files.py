"""Files of results with random damage: what comes out of them is right, or an error of ours."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import lissom as ls
from lissom.errors import ResultError
from lissom.results.description.packed import pack
from lissom.results.description.system import describe
from lissom.results.files.formats import open_results, save
from lissom.results.store import MemoryStore
from tests.samples.mechanisms import pendulum
from tests.samples.results import META, stored, structure, write_journal
from tests.tools.file_fuzz import Fuzz

KINDS = ("nc", "nc.part", "npz")
OLD = Path(__file__).parents[1] / "data" / "format_1.nc"  # without checksums of the whole


def flipped(data: bytearray, rng: random.Random) -> None:
    """One to five bits are others."""
    for _ in range(rng.randint(1, 5)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def overwritten(data: bytearray, rng: random.Random) -> None:
    """A range is zero, or all ones, or noise."""
    at, n = rng.randrange(len(data)), int(2 ** rng.uniform(0, 14))
    n = min(n, len(data) - at)
    data[at : at + n] = rng.choice([bytes(n), b"\xff" * n, rng.randbytes(n)])


def headless(data: bytearray, rng: random.Random) -> None:
    """The first bytes are zero, but perhaps for the mark of the format."""
    start, n = rng.choice([0, 8]), int(2 ** rng.uniform(0, 13))
    n = min(n, len(data) - start)
    data[start : start + n] = bytes(n)


def truncated(data: bytearray, rng: random.Random) -> None:
    """The end is missing, or bytes are appended."""
    if rng.random() < 0.8:
        del data[rng.randrange(len(data)) :]
    else:
        data += rng.choice([bytes(64), rng.randbytes(100), bytes(data)])


def _blocks(data: bytearray, rng: random.Random) -> tuple[int, int, int]:
    n = min(rng.choice([8, 64, 512, 4096]), len(data) // 3)
    count = len(data) // n
    a, b = sorted(rng.sample(range(count), 2))
    return n, n * a, n * b


def doubled(data: bytearray, rng: random.Random) -> None:
    """A block occurs twice: in the place of another one, or between two."""
    n, a, b = _blocks(data, rng)
    data[b : b + (n if rng.random() < 0.7 else 0)] = data[a : a + n]


def swapped(data: bytearray, rng: random.Random) -> None:
    """Two blocks have changed places."""
    n, a, b = _blocks(data, rng)
    data[a : a + n], data[b : b + n] = data[b : b + n], data[a : a + n]


DAMAGES = (flipped, overwritten, headless, truncated, doubled, swapped)


class ResultFuzz(Fuzz):
    """Damaged files of results of all kinds that can be opened again.

    Parameters
    ----------
    folder : path
        Where whole ones are made.
    old : float
        Part of the cases that is of an earlier version: these are looked at by another process.
    """

    def __init__(self, folder: Path, old: float = 0.0) -> None:
        self.old = old
        self.whole: dict[str, bytes] = {}
        self.known: dict[str, tuple[ls.System, MemoryStore]] = {}
        self.refused = self.short = self.same = 0
        for k, system in enumerate((pendulum(), structure("mixed levels"))):
            loads = [system.names[0]] if k else []
            store = stored(system, (40, 150)[k], loads)
            for kind in KINDS:
                path = folder / f"{k}.{kind}"
                if kind == "nc.part":
                    write_journal(path, system, store, [10, len(store) - 15, 5])
                else:
                    save(path, system, store, META)
                self.whole[path.name], self.known[path.name] = path.read_bytes(), (system, store)
                path.unlink()
        if old:
            self.whole["old.nc"] = OLD.read_bytes()
            self.known["old.nc"] = pendulum(), stored(pendulum(), 5, ["rod"])

    def case(self, rng: random.Random) -> tuple[str, bytes]:
        """Name and content of a damaged file."""
        new = [name for name in sorted(self.whole) if name != "old.nc"]
        name = "old.nc" if rng.random() < self.old else rng.choice(new)
        data = bytearray(self.whole[name])
        while bytes(data) == self.whole[name]:
            rng.choice(DAMAGES)(data, rng)
        return name, bytes(data)

    def fault(self, path: Path, rng: random.Random) -> str:
        """What lissom does wrong with a file; empty if all is well."""
        name = path.name
        system, store = self.known[name]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found, rows, meta = open_results(path)
                n = len(rows)
                fields = {f: rows.read(f) for f in rows.columns.fields}
        except ResultError as error:
            self.refused += 1
            return "" if str(path) in str(error) else f"the message does not name it: {error}"
        solids = name != "old.nc"  # what bodies look like has no checksum there
        if pack(*describe(found, whole=solids)) != pack(*describe(system, whole=solids)):
            return "the system has changed"
        if {key: meta[key] for key in META} != META or rows.columns != store.columns:
            return "the notes or the columns have changed"
        if n != len(store) and not (name.endswith(".part") and n in (0, 10, len(store) - 5)):
            return f"there are {n} rows of {len(store)}"
        for field, values in fields.items():
            if values.tobytes() != store.read(field, 0, n).tobytes():
                return f"{field} has changed"
        self.short += n < len(store)
        self.same += n == len(store)
        return ""
