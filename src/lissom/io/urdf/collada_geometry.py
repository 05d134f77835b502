"""Triangles of a Collada geometry: its sources of numbers and its primitives.

A primitive has rows of whole numbers, one for each corner; one column counts vertices, the others
(normals, textures) are not needed.  Polygons become fans of triangles about their first corner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .xml_tree import Element, shown

Array = np.ndarray

MOST_TRIANGLES = 4_000_000
_SURFACES = ("triangles", "polylist", "polygons", "tristrips", "trifans")
_CHUNK = re.compile(r"\S[\s\S]{0,999999}\S*")  # a megabyte of words


class ColouredTriangles(NamedTuple):
    """Triangles of one colour."""

    vertices: Array  # (n, 3) [m]
    triangles: Array  # (m, 3) numbers of vertices, counterclockwise seen from outside
    color: str | None  # as "#rrggbb"


class Corners(NamedTuple):
    """Triangles (m, 3) of a primitive and the symbol of its material."""

    triangles: Array
    material: str


class ElementLibrary:
    """Elements of a document by their identifiers."""

    def __init__(self, root: Element) -> None:
        self.by_id: dict[str, Element] = {}
        waiting = [root]
        while waiting:
            element = waiting.pop()
            name = element.attributes.get("id")
            if name is not None:
                self.by_id.setdefault(name, element)
            waiting += element.children

    def get(self, element: Element, attribute: str, tag: str) -> Element:
        """Element that an attribute refers to."""
        reference = element.text(attribute)
        words = f'{attribute}="{shown(reference)}"'
        if not reference.startswith("#"):
            raise element.fault(f"{words} refers to another file; only one file is read")
        target = self.by_id.get(reference[1:])
        if target is None or target.tag != tag:
            raise element.fault(f"{words}; there is no <{tag}> with this id")
        return target


def numbers(element: Element, whole: bool = False) -> Array:
    """Numbers in the text of an element, finite or whole."""
    kind = np.int64 if whole else float
    try:
        parts = [np.array(m[0].split(), dtype=kind) for m in _CHUNK.finditer(element.content)]
    except (ValueError, OverflowError) as error:
        what = "whole numbers" if whole else "numbers"
        raise element.fault(f"expected {what} separated by spaces ({shown(str(error))})") from None
    values = np.concatenate(parts) if parts else np.zeros(0, kind)
    if not whole and not np.all(np.isfinite(values)):
        raise element.fault("has numbers that are not finite")
    return values


def geometry(
    element: Element, library: ElementLibrary, notes: dict[str, None]
) -> tuple[Array, list[Corners]]:
    """Vertices (n, 3) and primitives of a <geometry>."""
    mesh = element.find("mesh")
    if mesh is None:
        kinds = ", ".join(f"<{shown(x.tag)}>" for x in element.children[:3]) or "nothing"
        notes[f"{element.title}: {kinds} instead of <mesh> is not drawn"] = None
        return np.zeros((0, 3)), []
    positions: dict[int, Array] = {}
    primitives = []
    for primitive in (x for x in mesh.children if x.tag in _SURFACES):
        source, column, width = _vertices(primitive, library)
        if id(source) not in positions:
            positions[id(source)] = _positions(source, library)
        n = len(positions[id(source)])
        chosen = _triangles(primitive, width, notes)[..., column]
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < n:
            words = f"{chosen.min()} to {chosen.max()}"
            raise primitive.fault(f"refers to vertices {words}; there are {n}, counted from 0")
        primitives.append((id(source), chosen, primitive.attributes.get("material", "")))
    return _joined(positions, primitives)


def _joined(
    positions: dict[int, Array], primitives: list[tuple[int, Array, str]]
) -> tuple[Array, list[Corners]]:
    """One array of vertices for primitives that have several."""
    offsets, total = {}, 0
    for key, vertices in positions.items():
        offsets[key] = total
        total += len(vertices)
    everything = np.concatenate([np.zeros((0, 3)), *positions.values()])
    return everything, [Corners(corners + offsets[key], name) for key, corners, name in primitives]


def _vertices(primitive: Element, library: ElementLibrary) -> tuple[Element, int, int]:
    """Source of positions, the column that counts its rows, and the number of columns."""
    inputs = primitive.all("input")
    offsets = [_whole(x, "offset") for x in inputs]
    for one, column in zip(inputs, offsets, strict=True):
        if one.text("semantic") == "VERTEX":
            vertices = library.get(one, "source", "vertices")
            for inner in vertices.all("input"):
                if inner.text("semantic") == "POSITION":
                    source = library.get(inner, "source", "source")
                    return source, column, max(offsets) + 1
            raise vertices.fault('has no <input semantic="POSITION">')
    raise primitive.fault('has no <input semantic="VERTEX">')


def _positions(source: Element, library: ElementLibrary) -> Array:
    """Positions (n, 3) of a source."""
    accessor = source.need("technique_common").need("accessor")
    array = library.get(accessor, "source", "float_array")
    values = numbers(array)
    names = [x.attributes.get("name", "") for x in accessor.all("param")]
    stride = _whole(accessor, "stride", max(len(names), 1))
    start, count = _whole(accessor, "offset", 0), _whole(accessor, "count")
    columns = [k for k, name in enumerate(names) if name] if names else list(range(stride))
    if len(columns) < 3 or columns[2] >= stride:
        raise accessor.fault(f"has {len(columns)} coordinates in steps of {stride}; expected X Y Z")
    if start + count * stride > len(values):
        raise accessor.fault(
            f"{count} vertices in steps of {stride} from {start} need {start + count * stride} "
            f"numbers; the array on line {array.line} has {len(values)}"
        )
    return values[start : start + count * stride].reshape(count, stride)[:, columns[:3]]


def _triangles(primitive: Element, width: int, notes: dict[str, None]) -> Array:
    """Corners (m, 3, width) of the triangles of a primitive."""
    outlines = list(_outlines(primitive, width, notes))
    rows = np.concatenate([np.zeros((0, width), np.int64), *outlines])
    if primitive.tag == "triangles":
        if len(rows) % 3:
            raise primitive.fault(f"has {len(rows)} corners, not three for each triangle")
        return rows.reshape(-1, 3, width)
    if primitive.tag == "tristrips":
        strips = [_strip(x) for x in outlines if len(x) > 2]
        return np.concatenate([np.zeros((0, 3, width), np.int64), *strips])
    if primitive.tag == "polylist":
        return _fans(rows, _sizes(primitive, len(rows)))
    return _fans(rows, np.array([len(x) for x in outlines], dtype=np.int64))


def _strip(rows: Array) -> Array:
    """Triangles (m, 3, width) of a strip, every second one turned over."""
    strip = np.stack([rows[:-2], rows[1:-1], rows[2:]], axis=1)
    strip[1::2] = strip[1::2, [1, 0, 2]]
    return strip


def _outlines(primitive: Element, width: int, notes: dict[str, None]) -> Iterator[Array]:
    """Corners (n, width) of each <p> of a primitive."""
    for child in primitive.children:
        place = child
        if child.tag == "ph":
            notes[f"{child.title}: holes of polygons are drawn filled"] = None
            place = child.need("p")
        if place.tag != "p":
            continue
        words = numbers(place, whole=True)
        if len(words) % width:
            raise place.fault(f"has {len(words)} numbers; expected {width} for each corner")
        yield words.reshape(-1, width)


def _sizes(primitive: Element, n: int) -> Array:
    """Corners of each polygon of a list."""
    counts = primitive.need("vcount")
    sizes = numbers(counts, whole=True)
    if (sizes.size and not 0 <= sizes.min() <= sizes.max() <= n) or sizes.sum() != n:
        raise counts.fault(f"the numbers of corners do not add up to the {n} corners of <p>")
    return sizes


def _fans(rows: Array, sizes: Array) -> Array:
    """Triangles (m, 3, width) of polygons, one behind the other."""
    starts = np.cumsum(sizes) - sizes
    count = np.maximum(sizes - 2, 0)
    first = np.repeat(starts, count)
    step = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    second = first + 1 + step
    return rows[np.stack([first, second, second + 1], axis=1)]


def _whole(element: Element, name: str, default: int | None = None) -> int:
    """Attribute as a whole number of at most a billion."""
    if default is not None and name not in element.attributes:
        return default
    text = element.text(name)
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise element.fault(f'{name}="{shown(text)}"; expected a whole number')
    return int(text)
