"""Members of frames: where they go, what they are made of, and their elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, shown
from ...printing import Shown
from ...spatial.scalar import reals
from .._checks import count
from ..materials import Material
from ..sections import Section
from ..taper import section_function
from .beam_element import section_numbers

Array = NDArray[np.float64]

_PARALLEL = 1e-6  # sine of the angle below which a reference has no direction across the member
_ENDS = {"": (), "first": ("first",), "second": ("second",), "both": ("first", "second")}


@final
@dataclass(frozen=True, eq=False)
class Member(Shown):
    """Straight beam between two nodes of a frame.

    Parameters
    ----------
    first, second : int
        Numbers of the nodes.
    section : Section, pair of Section, or callable
        Cross-section; a pair is the section at the first and at the second end, whose dimensions
        vary linearly between; a function of s/length in [0, 1] returns the section there.
    material : Material
        Material, for example `ALUMINIUM`.
    parts : int, optional
        Number of equal elements.  Static deflection by forces at nodes is exact with one; vibration
        within the member and section loads by its own inertia need several.
    reference : array (3,), optional
        Direction near which the section's z axis is to be, body axes; z lies in the plane of the
        member and this direction.  By default z of the body, or x for members along z.
    offsets : pair of array (3,), optional
        From the nodes to the member's ends [m], body axes; rigid arms between.
    pinned : {"", "first", "second", "both"}, optional
        Ends that transfer forces and torsion but no bending moment.
    """

    first: int
    second: int
    section: Section | Sequence[Section] | Callable[[float], Section]
    material: Material
    parts: int = 4
    reference: Any = None
    offsets: Any = None
    pinned: str = ""


@dataclass(frozen=True, eq=False)
class Placed:
    """Member that was checked, with its place."""

    number: int  # in the list of members
    nodes: tuple[int, int]  # first and second node
    ends: Array  # (2, 3) ends of the axis [m]
    offsets: Array  # (2, 3) from the nodes to the ends [m]
    axes: Array  # (3, 3) columns x, y, z of the section, body axes
    section: Callable[[float], Section]  # section as a function of s/length
    uniform: bool  # whether the section does not vary
    member: Member

    @property
    def length(self) -> float:
        """Length of the axis [m]."""
        return float(np.linalg.norm(self.ends[1] - self.ends[0]))

    @property
    def pinned(self) -> tuple[str, ...]:
        """Ends with a pin."""
        return _ENDS[self.member.pinned]

    def part(self, k: int) -> Callable[[float], Section]:
        """Section of part k as a function of x / length of the part."""
        return partial(_of_part, self.section, k, self.member.parts)


def _of_part(section: Callable[[float], Section], k: int, parts: int, x: float) -> Section:
    return section((k + x) / parts)


def placed(number: int, member: Any, positions: Array) -> Placed:
    """Member with its place, checked.

    `positions` (n, 3): nodes of the frame [m].
    """
    what = f"frame: member {number}"
    if not isinstance(member, Member):
        raise ModelError(
            f"{what} is {shown(member)}; give ls.Member(first, second, section, material)"
        )
    nodes = (
        _node(member.first, "first", what, len(positions)),
        _node(member.second, "second", what, len(positions)),
    )
    if not isinstance(member.material, Material):
        raise ModelError(
            f"{what}: material is {shown(member.material)}; give a Material, for example ALUMINIUM"
        )
    count(member.parts, f"{what}: parts")
    if not isinstance(member.pinned, str) or member.pinned not in _ENDS:
        raise ModelError(
            f'{what}: pinned is {shown(member.pinned)}; give "first", "second" or "both", or '
            "leave it out"
        )
    offsets = np.zeros((2, 3))
    if member.offsets is not None:
        offsets = numbers(member.offsets, (2, 3), f"{what}: offsets [m]")
    section = section_function(member.section, what)
    for x in (0.0, 1.0):
        section_numbers(section(x), what)
    ends = positions[list(nodes)] + offsets
    axes = _axes(ends, member.reference, what, nodes, positions)
    return Placed(
        number, nodes, ends, offsets, axes, section, isinstance(member.section, Section), member
    )


def numbers(value: Any, shape: tuple[int, ...], what: str) -> Array:
    """Finite numbers as an array of a shape (-1 for any number of rows), or a ModelError."""
    try:
        array = reals(value)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    fits = array.ndim == len(shape) and all(
        a in (-1, b) for a, b in zip(shape, array.shape, strict=True)
    )
    if fits and shape[0] < 0 and not np.all(np.isfinite(array)):
        row = int(np.argmin(np.isfinite(array).reshape(len(array), -1).all(axis=1)))
        raise ModelError(f"{what}: number {row} is {array[row].tolist()}; give finite numbers")
    if not fits or not np.all(np.isfinite(array)):
        text = (
            "("
            + ", ".join("n" if k < 0 else str(k) for k in shape)
            + ("," if len(shape) == 1 else "")
            + ")"
        )
        raise ModelError(f"{what} is {shown(value)}; give finite numbers of shape {text}")
    return array


def _node(value: Any, name: str, what: str, n: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < n:
        raise ModelError(
            f"{what}: {name} node is {shown(value)}, which does not exist; the nodes are 0 to "
            f"{n - 1}"
        )
    return int(value)


def _axes(ends: Array, reference: Any, what: str, nodes: Any, positions: Array) -> Array:
    """Columns x, y, z of the section."""
    along = ends[1] - ends[0]
    length = np.linalg.norm(along)
    size = np.abs(np.concatenate([positions, ends])).max(initial=0.0)
    if nodes[0] == nodes[1] or length <= 1e-12 * size:
        raise ModelError(
            f"{what} from node {nodes[0]} to node {nodes[1]} has zero length; give two nodes at "
            "different places"
        )
    x = along / length
    if reference is None:
        up = np.array([0.0, 0.0, 1.0] if np.hypot(x[0], x[1]) > 1e-3 else [1.0, 0.0, 0.0])
    else:
        up = numbers(reference, (3,), f"{what}: reference")
        size = np.linalg.norm(up)
        if np.linalg.norm(np.cross(x, up)) <= _PARALLEL * size:
            raise ModelError(
                f"{what}: reference {np.round(up, 6).tolist()} is "
                f"{'zero' if size == 0 else 'parallel to the member'}; give a direction across it, "
                "near which the section's z axis is to be"
            )
    y = np.cross(up, x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])
