"""Conversion of what bodies know of their stresses to text and numbers, and back.

Like looks, it does not decide how a system moves: digests leave it out, and readers that do not
know it find the same system.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...bodies import NormalBody
from ...bodies.balance import Balance
from ...bodies.line import NodeLine
from ...bodies.recovery import KnownSection, Recovery, Stations, StressPoints
from .joints import Numbers


def knows_stress(body: NormalBody) -> bool:
    """Whether there is something to describe."""
    return body.recovery is not None or body.line is not None


def described_recoveries(bodies: Sequence[NormalBody]) -> tuple[list[Any], list[Any]]:
    """Sizes and names of each body's recovery, and all numbers in turn."""
    words: list[Any] = []
    numbers: list[Any] = []
    for body in bodies:
        entry: dict[str, Any] = {}
        if (line := body.line) is not None:
            entry["line"] = [line.nodes, line.pieces, line.stations, len(line.places)]
            numbers += [line.places, line.factors]
        if body.recovery is not None and (points := body.recovery.points) is not None:
            entry["points"] = {"n": len(points.positions), "labels": list(points.labels)}
            numbers += [points.positions, points.stresses, points.nodes]
            if points.elasticity is not None:
                entry["points"]["elastic"] = True
                numbers.append(points.elasticity)
        if body.recovery is not None and (stations := body.recovery.stations) is not None:
            entry["stations"] = _described_stations(stations, numbers)
        if body.recovery is not None and body.recovery.rod is not None:
            entry["rod"] = list(body.recovery.rod.shape[:2])
            numbers.append(body.recovery.rod)
        words.append(entry)
    return words, numbers


def _described_stations(stations: Stations, numbers: list[Any]) -> dict[str, Any]:
    kinds = list({id(x): x for x in stations.sections}.values())
    number = {id(x): k for k, x in enumerate(kinds)}
    points = [x.stress_points() for x in kinds]
    numbers += [stations.positions, stations.axes, stations.members, stations.places]
    numbers += [stations.loads, *(array for x in points for array in (x.places, x.factors))]
    described = {
        "n": len(stations.positions),
        "kinds": [len(x.places) for x in points],
        "sections": [number[id(x)] for x in stations.sections],
    }
    if (balance := stations.balance) is not None:
        described["nodes"] = [int(node) for node in balance.nodes]
        numbers += [balance.wrenches, balance.inertia]
    return described


def restored_recoveries(
    bodies: Sequence[NormalBody], words: Sequence[Any], numbers: Numbers
) -> list[NormalBody]:
    """Bodies with what `described_recoveries` took of them."""
    if not words:
        return list(bodies)
    return [_restored(body, entry, numbers) for body, entry in zip(bodies, words, strict=True)]


def _restored(body: NormalBody, entry: dict[str, Any], numbers: Numbers) -> NormalBody:
    line = _restored_line(body, entry["line"], numbers) if "line" in entry else None
    points = stations = None
    if "points" in entry:
        n, m = entry["points"]["n"], body.n_mode
        arrays = numbers.take(n, 3), numbers.take(n, 6, m), numbers.take(n).astype(int)
        if np.any((arrays[2] < -1) | (arrays[2] >= len(body.node_positions))):
            raise ValueError("a stress point is on a node that does not exist")
        elasticity = numbers.take(n, 2) if entry["points"].get("elastic") is True else None
        points = StressPoints(*arrays, tuple(map(str, entry["points"]["labels"])), elasticity)
    if "stations" in entry:
        stations = _restored_stations(body, entry["stations"], numbers)
    rod = _restored_rod(entry["rod"], numbers) if "rod" in entry else None
    parts = points, stations, rod
    recovery = None if all(x is None for x in parts) else Recovery(*parts)
    return dataclasses.replace(body, line=line, recovery=recovery)


def _restored_rod(sizes: list[Any], numbers: Numbers) -> Any:
    if len(sizes) != 2 or not all(type(n) is int and n > 0 for n in sizes):
        raise ValueError("the stress of a rod has a size that does not exist")
    return numbers.take(*sizes, 3, 6)


def _restored_line(body: NormalBody, sizes: list[Any], numbers: Numbers) -> NodeLine:
    if len(sizes) != 4 or not all(type(n) is int and n > 0 for n in sizes):
        raise ValueError("the axis of a beam has a size that does not exist")
    nodes, pieces, stations, k = sizes
    if nodes < 2 or nodes + 4 * pieces * stations > len(body.node_positions):
        raise ValueError("the axis of a beam has more nodes than its body")
    return NodeLine(nodes, pieces, stations, numbers.take(k, 2), numbers.take(k, 3, 6))


def _restored_stations(body: NormalBody, entry: dict[str, Any], numbers: Numbers) -> Stations:
    n, chosen, kinds = entry["n"], entry["sections"], entry["kinds"]
    arrays = numbers.take(n, 3), numbers.take(n, 3, 3), numbers.take(n).astype(int), numbers.take(n)
    loads = numbers.take(n, 6, body.n_mode)
    sections = [KnownSection(numbers.take(k, 2), numbers.take(k, 3, 6)) for k in kinds]
    if len(chosen) != n or not all(type(k) is int and 0 <= k < len(kinds) for k in chosen):
        raise ValueError("a station has a section that does not exist")
    balance = None
    if "nodes" in entry:
        nodes = np.array(entry["nodes"])
        if nodes.dtype.kind != "i" or np.any((nodes < 0) | (nodes >= len(body.node_positions))):
            raise ValueError("a frame is loaded on a node that does not exist")
        tables = numbers.take(n, 6, len(nodes), 6), numbers.take(n, 6, 4 + 3 * body.n_mode, 3)
        balance = Balance(nodes, *tables)
    return Stations(*arrays, loads, tuple(sections[k] for k in chosen), balance)
