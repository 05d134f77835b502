"""Conversion of the frames of bodies' own shapes to numbers, and back; part of `described`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from ...bodies import NormalBody
from .joints import Numbers


def described_floating(bodies: Sequence[NormalBody]) -> tuple[list[bool], list[Any]]:
    """Whether each body has a frame of its own shapes, and the numbers of all of them in turn."""
    numbers: list[Any] = []
    for floating in (body.floating for body in bodies):
        if floating is not None:
            mass = floating.integrals
            moments = mass.modal_first_moment, mass.modal_second_moment, mass.modal_products
            numbers += [floating.node_shapes, *moments]
    return [body.floating is not None for body in bodies], numbers


def restored_floating(
    bodies: Sequence[NormalBody], words: Sequence[Any], numbers: Numbers
) -> list[NormalBody]:
    """Bodies with what `described_floating` took of them."""
    if not words:
        return list(bodies)
    restored = []
    for body, floats in zip(bodies, words, strict=True):
        if floats and body.level != "full":
            raise ValueError('a body has a frame of its own shapes and is not at level "full"')
        restored.append(_restored(body, numbers) if floats else body)
    return restored


def _restored(body: NormalBody, numbers: Numbers) -> NormalBody:
    m, n = body.n_mode, len(body.node_positions)
    shapes = numbers.take(n, 6, m)
    mass = dataclasses.replace(
        body.integrals,
        modal_first_moment=numbers.take(3, m),
        modal_second_moment=numbers.take(3, 3, m),
        modal_products=numbers.take(3, 3, m, m),
    )
    floating = dataclasses.replace(body, integrals=mass, node_shapes=shapes, inboard=-1, solids=())
    return dataclasses.replace(body, floating=floating)
