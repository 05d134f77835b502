"""Finite-element files with random damage: an error of ours that names the file, or numbers."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lissom as ls
from lissom.errors import LissomError
from lissom.io.structures.calculix.body import read_structure
from lissom.io.structures.nastran.body import read_structure as read_nastran_structure
from tests.references.calculix_decks import unpacked
from tests.samples.nastran_files import DATA
from tests.tools.damaged_files import DAMAGES
from tests.tools.file_fuzz import Fuzz

WORDS = (b"nan", b"inf", b"-1", b"0", b"1e999", b"1000000000000", b"*", b",", b"\0", b"", b"1_0")
SUFFIXES = (".inp", ".dof", ".sti", ".mas", ".frd")


def word_replaced(data: bytearray, rng: random.Random) -> None:
    """A word is another one."""
    words = bytes(data).split()
    old = rng.choice(words) if words else b""
    at = data.find(old, rng.randrange(len(data)))
    if at >= 0:
        data[at : at + len(old)] = rng.choice(WORDS)


def line_changed(data: bytearray, rng: random.Random) -> None:
    """A line is missing, or there twice."""
    lines = bytes(data).split(b"\n")
    k = rng.randrange(len(lines))
    data[:] = b"\n".join(lines[:k] + lines[k : k + 1] * rng.choice([0, 2]) + lines[k + 1 :])


class StructureFuzz(Fuzz):
    """Damaged files of one kind beside whole ones of the others.

    Parameters
    ----------
    folder : path
        Where the whole ones are unpacked.
    """

    def __init__(self, folder: Path) -> None:
        self.deck = unpacked("block_c3d8i", folder)
        (folder / "held.frd").rename(self.deck.with_suffix(".frd"))
        self.whole = {x: self.deck.with_suffix(x).read_bytes() for x in SUFFIXES}
        self.whole |= {path.name: path.read_bytes() for path in sorted(DATA.iterdir())}
        self.refused = self.read = 0

    def case(self, rng: random.Random) -> tuple[str, bytes]:
        kind = rng.choice(list(self.whole))
        data = bytearray(self.whole[kind])
        for _ in range(rng.choice([1, 1, 2])):
            rng.choice((*DAMAGES, word_replaced, line_changed))(data, rng)
            data = data or bytearray(b"\n")
        return f"x{kind}" if kind in SUFFIXES else kind, bytes(data)

    def fault(self, path: Path, rng: random.Random) -> str:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                found = self._reader(path)()
        except LissomError as error:
            self.refused += 1
            return "" if path.stem in str(error) else f"does not name the file: {error}"
        self.read += 1
        bad = [x for x in found if not np.isfinite(x).all()]
        return "numbers that are not finite" if bad else ""

    def _reader(self, path: Path) -> Callable[[], list[Any]]:
        if path.suffix == ".op4":
            return lambda: [x.data for x in ls.read_op4(path).values()]
        if path.suffix == ".bdf":
            return lambda: _arrays(read_nastran_structure(path, "MAAX", "KAAX", {"root": 11}))
        if path.suffix == ".frd":
            return lambda: [x.values for x in ls.read_frd(path).fields]
        for suffix in set(SUFFIXES) - {path.suffix}:
            path.with_suffix(suffix).write_bytes(self.whole[suffix])
        return lambda: _arrays(read_structure(path.with_suffix(".inp"), {"root": "ROOT"}))


def _arrays(structure: Any) -> list[Any]:
    return [structure.positions, structure.mass.data, structure.stiffness.data]
