"""Conversion of the second order of bodies to numbers, and back; part of `described`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ...bodies import NormalBody, SecondOrder
from .joints import Numbers


def described_second_orders(bodies: Sequence[NormalBody]) -> tuple[list[Any], list[Any]]:
    """Nodes that have a second order, of each body (None: it has none), and all numbers in turn."""
    words, numbers = [], []
    for second in (body.second_order for body in bodies):
        words.append(None if second is None else [int(node) for node in second.node_shapes])
        if second is not None:
            numbers += [second.first_moment, second.second_moment, *second.node_shapes.values()]
    return words, numbers


def restored_second_orders(
    bodies: Sequence[NormalBody], words: Sequence[Any], numbers: Numbers
) -> list[NormalBody]:
    """Bodies with what `described_second_orders` took of them."""
    if not words:
        return list(bodies)
    restored = []
    for body, nodes in zip(bodies, words, strict=True):
        if nodes is None:
            restored.append(body)
            continue
        if not all(type(k) is int and 0 <= k < len(body.node_positions) for k in nodes):
            raise ValueError("a second order belongs to a node that does not exist")
        m = body.n_mode
        moments = numbers.take(3, m, m), numbers.take(3, 3, m, m)
        second = SecondOrder(*moments, {k: numbers.take(6, m, m) for k in nodes})
        restored.append(dataclasses.replace(body, second_order=second))
    return restored
