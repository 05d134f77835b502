"""Conversion of the constants of rods to numbers, and back; part of `described`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...bodies import NormalBody
from ...bodies.rod import MOST_STATIONS, ORDER
from ...bodies.rod_tables import RodTables
from .joints import Numbers

_RANK = {component: k for k, (component, _) in enumerate(ORDER)}
_SAME = 1e-9  # fraction of the length by which the last node may miss the tip


def described_rods(bodies: Sequence[NormalBody]) -> tuple[list[Any], list[Any]]:
    """Strains of the coordinates and number of stations of each rod (None: no rod), and numbers."""
    words: list[Any] = []
    numbers: list[Any] = []
    for rod in (body.rod for body in bodies):
        if rod is None:
            words.append(None)
            continue
        words.append({"strains": [int(k) for k in rod.strains], "stations": len(rod.masses)})
        numbers += [getattr(rod, name) for name in _shapes(0, 0, 0)]
    return words, numbers


def restored_rods(
    bodies: Sequence[NormalBody], words: Sequence[Any], numbers: Numbers
) -> list[NormalBody]:
    """Bodies with what `described_rods` took of them."""
    if not words:
        return list(bodies)
    return [
        body
        if rod_words is None
        else dataclasses.replace(body, rod=_restored(body, rod_words, numbers))
        for body, rod_words in zip(bodies, words, strict=True)
    ]


def _shapes(n: int, m: int, n_node: int) -> dict[str, tuple[int, ...]]:
    """Shapes of a rod's arrays; n stations, m coordinates."""
    return {
        "length": (),
        "functions": (n, m),
        "natural": (n, 3),
        "masses": (n,),
        "inertias": (n, 3),
        "section_stiffness": (n, 6),
        "places": (n_node,),
    }


def _restored(body: NormalBody, words: Any, numbers: Numbers) -> RodTables:
    strains, n, m = words["strains"], words["stations"], body.n_mode
    if type(n) is not int or not 1 <= n <= MOST_STATIONS:
        raise ValueError(f"a rod has {n!r} stations")
    if len(strains) != m or not all(type(k) is int and k in _RANK for k in strains):
        raise ValueError("a rod has a strain that does not exist")
    if sorted(strains, key=_RANK.__getitem__) != strains:  # the kernels count on it
        raise ValueError("the strains of a rod are not in order")
    shapes = _shapes(n, m, len(body.node_positions))
    arrays = {name: numbers.take(*shape) for name, shape in shapes.items()}
    length, places = float(arrays.pop("length")), arrays["places"]
    inside = (places >= 0) & (places <= (1 + _SAME) * length)
    if not (0 < length < np.inf and np.all(inside)):
        raise ValueError("a node of a rod is not on it")
    return RodTables(length=length, strains=np.array(strains, dtype=int), **arrays)
