"""Time to derive and shorten equations of motion: small mechanisms by all, large ones by lissom."""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from sympy.core.cache import clear_cache

from lissom.symbolic import derive

from .cases import KINDS, Mechanism, chain
from .checks import checked_difference, checked_residual
from .ways import (
    WAYS,
    Formulas,
    by_lissom,
    operations,
)

Tell = Callable[[str], None]
Record = dict[str, Any]

# Number of runs of each way, unless it is slow.
TURNS = 3


def derivation_records(
    cases: Sequence[tuple[Mechanism, Sequence[str]]], *, enough: float, basic: bool, tell: Tell
) -> list[Record]:
    """Cost of the equations of mechanisms by the given ways.

    Parameters
    ----------
    cases : sequence of (Mechanism, names)
        Mechanisms, and the names of `WAYS` for each.
    enough : float
        CPU time after which a mechanism is not derived again in the same way [s].
    basic : bool
        Whether SymPy also shortens with its slower option.
    tell : callable
        Called with the current activity.
    """
    for derived in WAYS.values():  # triggers lazy imports
        derived(chain(1, KINDS[0]))
    records = []
    for mechanism, ways in cases:
        tell(mechanism.name)
        for way, found in _fastest(mechanism, ways, enough).items():
            records.append(_record(mechanism, way, found, basic=basic))
    return records


def _record(mechanism: Mechanism, way: str, found: Formulas, *, basic: bool) -> Record:
    return {
        "part": "derivation",
        "mechanism": mechanism.name,
        "kind": mechanism.kind,
        "links": len(mechanism.links),
        "freedoms": mechanism.n_v,
        "way": way,
        "seconds": found.seconds,
        "derive seconds": found.derive_seconds,
        "operations": found.operations,
        "basic operations": found.basic_operations if basic else None,
        "difference": checked_difference(mechanism, found, way),
    }


def _fastest(mechanism: Mechanism, ways: Sequence[str], enough: float) -> dict[str, Formulas]:
    """Fastest of several runs by each way, taken in turn."""
    best: dict[str, Formulas] = {}
    spent = dict.fromkeys(ways, 0.0)
    for _ in range(TURNS):
        for way in ways:
            if spent[way] <= enough:
                gc.collect()  # garbage of the other ways
                found = WAYS[way](mechanism)
                spent[way] += found.seconds
                if way not in best or found.seconds < best[way].seconds:
                    best[way] = found
    return best


def ten_record(n: int) -> Record:
    """Cost of the equations of a general chain that is too long for the other ways.

    Parameters
    ----------
    n : int
        Number of links.
    """
    mechanism = chain(n, KINDS[0])
    found = by_lissom(mechanism)
    return {
        "part": "large",
        "links": n,
        "seconds": found.seconds,
        "operations": found.operations,
        "difference": checked_difference(mechanism, found, "derive"),
    }


def growth_records(mechanisms: Sequence[Mechanism], tell: Tell) -> list[Record]:
    """Operations of forward dynamics of mechanisms.

    Parameters
    ----------
    mechanisms : sequence of Mechanism
        Mechanisms by kind, from short to long.
    tell : callable
        Called with the current activity.
    """
    records = []
    for mechanism in mechanisms:
        tell(f"forward dynamics, {mechanism.name}")
        clear_cache()
        begin = time.process_time()
        equations = derive(mechanism.model())
        staged = equations.staged("forward_dynamics")
        seconds = time.process_time() - begin
        state = (*equations.coordinates, *equations.speeds)
        entries = list(staged.results["forward_dynamics"])
        records.append(
            {
                "part": "growth",
                "kind": mechanism.kind,
                "bodies": len(mechanism.links),
                "seconds": seconds,
                "operations": operations(staged.assignments, entries),
                "difference": checked_residual(mechanism, staged, state),
            }
        )
    return records


def written_record(n: int) -> Record:
    """Cost of writing the C program of a general chain with symbols and all functions.

    Parameters
    ----------
    n : int
        Number of bodies.
    """
    mechanism = chain(n, KINDS[0])
    clear_cache()
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        _, source = derive(mechanism.model()).to_c(folder)
        seconds = time.process_time() - begin
        text = source.read_text(encoding="utf-8")
    return {
        "part": "written",
        "bodies": n,
        "seconds": seconds,
        "lines": len(text.splitlines()),
        "kilobytes": len(text) / 1000,
    }
