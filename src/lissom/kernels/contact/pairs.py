"""Pairs of shapes: the list of those whose closest points kernels compute, and one kernel of all.

The numbers of each kind of shape are explained where its pairs are, its witness in `pairs_cores`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..compiling import inlined
from .pairs_boxes import box_box
from .pairs_curved import sphere_curve, sphere_height_field
from .pairs_round import (
    capsule_capsule,
    capsule_half_space,
    sphere_bore,
    sphere_capsule,
    sphere_half_space,
    sphere_shell,
    sphere_sphere,
)
from .pairs_straight import (
    box_half_space,
    capsule_box,
    cylinder_half_space,
    sphere_box,
    sphere_cylinder,
)

Kernel = Callable[..., Any]


class Pair(NamedTuple):
    """Two kinds of shapes, in this order, and the kernel of their closest points."""

    name: str
    kind_a: str
    kind_b: str
    # witness(table, s_a, s_b, R_a, p_a, R_b, p_b) -> (g, n, x_a, x_b, t, u, S_a, S_b): the numbers
    # of the shapes are at table[s_a:] and table[s_b:], R (9) and p (3) are the poses of their own
    # axes in the world
    witness: Kernel


PAIRS = [
    Pair("ball on a plane", "sphere", "half_space", sphere_half_space),
    Pair("capsule on a plane", "capsule", "half_space", capsule_half_space),
    Pair("box on a plane", "box", "half_space", box_half_space),
    Pair("rim on a plane", "cylinder", "half_space", cylinder_half_space),
    Pair("two spheres", "sphere", "sphere", sphere_sphere),
    Pair("sphere and capsule", "sphere", "capsule", sphere_capsule),
    Pair("two capsules", "capsule", "capsule", capsule_capsule),
    Pair("sphere and box", "sphere", "box", sphere_box),
    Pair("capsule and box", "capsule", "box", capsule_box),
    Pair("two boxes", "box", "box", box_box),
    Pair("sphere and cylinder", "sphere", "cylinder", sphere_cylinder),
    Pair("ball in a shell", "sphere", "shell", sphere_shell),
    Pair("pin in a bore", "sphere", "bore", sphere_bore),
    Pair("roller on a curve", "sphere", "curve", sphere_curve),
    Pair("ball on a height field", "sphere", "height_field", sphere_height_field),
]


def pair_number(kind_a: str, kind_b: str) -> tuple[int, bool] | None:
    """Number of the pair of two kinds of shapes, and whether they have to change places."""
    for number, pair in enumerate(PAIRS):
        if (pair.kind_a, pair.kind_b) == (kind_a, kind_b):
            return number, False
        if (pair.kind_a, pair.kind_b) == (kind_b, kind_a):
            return number, True
    return None


def _one_of(kernels: Sequence[Kernel]) -> Kernel:
    """Kernel (number, *arguments) that calls the kernel of this number, the last one for others."""
    last = kernels[-1]

    @inlined
    def chain(number, *arguments):
        return last(*arguments)

    for number, kernel in reversed(list(enumerate(kernels[:-1]))):
        chain = _or(number, kernel, chain)
    return chain


def _or(this: int, kernel: Kernel, others: Kernel) -> Kernel:
    @inlined
    def chain(number, *arguments):
        if number == this:
            return kernel(*arguments)
        return others(number, *arguments)

    return chain


# pair_witness(number, table, s_a, s_b, R_a, p_a, R_b, p_b): the witness of the pair of this number
pair_witness = _one_of([pair.witness for pair in PAIRS])
