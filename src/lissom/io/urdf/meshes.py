"""Triangle meshes from STL, OBJ and Collada files, for drawings."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import ModelError
from ..reading import read_regular
from .collada_geometry import (
    MOST_TRIANGLES,
    ColouredTriangles,
    Corners,
    ElementLibrary,
    geometry,
    numbers,
)
from .xml_tree import Element, XmlFormat, read_xml, shown

# Collada files (.dae): triangles of a scene, with colours.
#
# Source: COLLADA 1.4.1 and 1.5, Khronos Group.  Lengths are in metres by <unit meter>.  <up_axis>
# is ignored: the frames of robots' links are the axes of the file (decision 0073).

COLLADA = XmlFormat("Collada", 100_000_000, 200_000, texts=True)
_DEEPEST, _MOST_PLACES = 64, 20_000
_SIZES = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}
_SHADERS = ("phong", "lambert", "blinn", "constant")


def read_collada(path: Path) -> tuple[tuple[ColouredTriangles, ...], tuple[str, ...]]:
    """Pieces of a Collada file, one for each colour, and notes on what was left out."""
    root = read_xml(path, COLLADA)
    if root.tag != "COLLADA":
        raise root.fault("not a Collada file: its root element is <COLLADA>; check the path")
    with np.errstate(all="ignore"):  # overflows are found at the end
        scene = _Scene(root)
        return scene.pieces(), tuple(scene.notes)


class _Scene:
    """Traversal of the nodes of a document."""

    def __init__(self, root: Element) -> None:
        self.root, self.library = root, ElementLibrary(root)
        self.notes: dict[str, None] = {}  # ordered set
        self.geometries: dict[int, tuple[Array, list[Corners]]] = {}
        self.colors: dict[int, str | None] = {}
        self.by_color: dict[str | None, list[tuple[Array, Array]]] = {}
        self.places = self.triangles = 0

    def pieces(self) -> tuple[ColouredTriangles, ...]:
        scale = self._unit()
        identity = np.eye(4)
        scene = self._visual_scene()
        if scene is not None:
            for node in scene.all("node"):
                self._visit(node, identity, 0)
        else:
            for library in self.root.all("library_geometries"):
                for one in library.all("geometry"):
                    self._place(one, None, identity)
        if not self.by_color:
            more = f" ({'; '.join(self.notes)})" if self.notes else ""
            raise self.root.fault(f"contains no triangles{more}")
        return tuple(
            _piece(self.root, parts, color, scale) for color, parts in self.by_color.items()
        )

    def _unit(self) -> float:
        """Length of the unit [m]."""
        asset = self.root.find("asset")
        unit = asset.find("unit") if asset is not None else None
        if unit is None:
            return 1.0
        length = unit.number("meter", 1.0)
        if length <= 0:
            raise unit.fault(f'meter="{shown(unit.text("meter"))}"; it must be positive [m]')
        return length

    def _visual_scene(self) -> Element | None:
        """The scene that is shown, or the first; None without one."""
        scene = self.root.find("scene")
        instance = scene.find("instance_visual_scene") if scene is not None else None
        if instance is not None:
            return self.library.get(instance, "url", "visual_scene")
        libraries = self.root.all("library_visual_scenes")
        return next((one for x in libraries for one in x.all("visual_scene")), None)

    def _visit(self, node: Element, outer: Array, depth: int) -> None:
        """Add what a node shows, in the axes of the scene."""
        self._count(node)
        if depth > _DEEPEST:
            raise node.fault(f"nodes contain each other more than {_DEEPEST} levels deep")
        pose = outer @ _transform(node)
        for child in node.children:
            match child.tag:
                case "node":
                    self._visit(child, pose, depth + 1)
                case "instance_node":
                    self._visit(self.library.get(child, "url", "node"), pose, depth + 1)
                case "instance_geometry":
                    self._place(self.library.get(child, "url", "geometry"), child, pose)
                case "instance_controller":
                    self.notes[f"{child.title}: skins and morphs are not drawn"] = None

    def _count(self, element: Element) -> None:
        """Limit the nodes and geometries of a scene, in which instances may double each other."""
        self.places += 1
        if self.places > _MOST_PLACES:
            raise element.fault(f"the scene has more than {_MOST_PLACES} nodes and geometries")

    def _place(self, element: Element, instance: Element | None, pose: Array) -> None:
        """Add a geometry in a pose, sorted by colours."""
        self._count(element)
        if id(element) not in self.geometries:
            self.geometries[id(element)] = geometry(element, self.library, self.notes)
        vertices, primitives = self.geometries[id(element)]
        mirrored = np.linalg.det(pose[:3, :3]) < 0
        bound = _bound(instance)
        for corners, symbol in primitives:
            self.triangles += len(corners) + 1
            if self.triangles > MOST_TRIANGLES:
                raise element.fault(f"the scene has more than {MOST_TRIANGLES} triangles")
            if not len(corners):
                continue
            used, order = np.unique(corners, return_inverse=True)
            turned = order.reshape(-1, 3)[:, ::-1] if mirrored else order.reshape(-1, 3)
            color = self._color(symbol, bound.get(symbol))
            placed = vertices[used] @ pose[:3, :3].T + pose[:3, 3]
            self.by_color.setdefault(color, []).append((placed, turned))

    def _color(self, symbol: str, instance: Element | None) -> str | None:
        """Colour of a material, by the symbol of a primitive and what the instance binds to it."""
        if instance is not None:
            material = self.library.get(instance, "target", "material")
        else:
            element = self.library.by_id.get(symbol)
            if element is None or element.tag != "material":
                return None
            material = element
        if id(material) not in self.colors:
            self.colors[id(material)] = self._diffuse(material)
        return self.colors[id(material)]

    def _diffuse(self, material: Element) -> str | None:
        link = material.find("instance_effect")
        if link is None:
            return None
        effect = self.library.get(link, "url", "effect")
        profile = effect.find("profile_COMMON")
        technique = profile.find("technique") if profile is not None else None
        shaders = [x for x in technique.children if x.tag in _SHADERS] if technique else []
        for shader in shaders:
            light = shader.find("emission" if shader.tag == "constant" else "diffuse")
            if light is None:
                continue
            color = light.find("color")
            if color is not None:
                return _hexadecimal(color)
            if light.find("texture") is not None:
                self.notes[f"{effect.title}: its texture is not drawn"] = None
        return None


def _piece(
    root: Element, parts: list[tuple[Array, Array]], color: str | None, scale: float
) -> ColouredTriangles:
    """Triangles of one colour as one array."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    vertices = scale * np.concatenate([vertices for vertices, _ in parts])
    if not np.all(np.isfinite(vertices)):
        raise root.fault("transforms cause a numerical overflow; give smaller numbers")
    triangles = [order + start for (_, order), start in zip(parts, starts[:-1], strict=True)]
    return ColouredTriangles(vertices, np.concatenate(triangles), color)


def _bound(instance: Element | None) -> dict[str, Element]:
    """Instances of materials by symbol."""
    bound = instance.find("bind_material") if instance is not None else None
    common = bound.find("technique_common") if bound is not None else None
    if common is None:
        return {}
    return {x.attributes.get("symbol", ""): x for x in common.all("instance_material")}


def _transform(node: Element) -> Array:
    """Pose (4, 4) of a node: its transforms in the order of the file."""
    pose = np.eye(4)
    for child in node.children:
        if child.tag in ("lookat", "skew"):
            raise child.fault("is not supported; apply the transforms before the mesh is exported")
        if child.tag not in _SIZES:
            continue
        values, size = numbers(child), _SIZES[child.tag]
        if len(values) != size:
            raise child.fault(f"expected {size} numbers, not {len(values)}")
        pose = pose @ _matrix(child, values)
    return pose


def _matrix(element: Element, values: Array) -> Array:
    step = np.eye(4)
    match element.tag:
        case "matrix":
            step = values.reshape(4, 4)
            if not np.array_equal(step[3], (0, 0, 0, 1)):
                raise element.fault("its last row must be 0 0 0 1")
        case "translate":
            step[:3, 3] = values
        case "scale":
            step[:3, :3] = np.diag(values)
        case "rotate":
            step[:3, :3] = _rotation(values[:3], np.radians(values[3]))
    return step


def _rotation(axis: Array, angle: float) -> Array:
    """Rotation about an axis of any length; none about a zero axis."""
    size = np.linalg.norm(axis)
    if not 0 < size < np.inf:
        return np.eye(3)
    x, y, z = axis / size
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def _hexadecimal(color: Element) -> str:
    values = numbers(color)
    if len(values) not in (3, 4):
        raise color.fault(f"expected 3 or 4 numbers from 0 to 1, not {len(values)}")
    red, green, blue = (round(255 * x) for x in np.clip(values[:3], 0, 1))
    return f"#{red:02x}{green:02x}{blue:02x}"


Array = np.ndarray

_LARGEST = 200_000_000  # bytes


class Surfaces(NamedTuple):
    """Content of a mesh file."""

    pieces: tuple[ColouredTriangles, ...]  # triangles, those of each colour together
    notes: tuple[str, ...] = ()  # what the file has and the pieces lack


def read_mesh(path: Path) -> Surfaces:
    """Triangles of a mesh file."""
    kind = path.suffix.lower()
    if kind == ".dae":
        return Surfaces(*read_collada(path))
    if kind not in (".stl", ".obj"):
        raise ModelError(f"{path}: not a supported mesh format; use .stl, .obj or .dae")
    try:
        data = read_regular(path, _LARGEST)
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        vertices, triangles = _stl(data) if kind == ".stl" else _obj(data)
    except (ValueError, IndexError, OverflowError) as error:
        raise ModelError(f"{path}: not a valid mesh ({error})") from None
    if not np.all(np.isfinite(vertices)):
        raise ModelError(f"{path}: not a valid mesh (vertices are not finite)")
    return Surfaces((ColouredTriangles(vertices, triangles, None),))


def _stl(data: bytes) -> tuple[Array, Array]:
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        record = np.dtype([("numbers", "<f4", 12), ("extra", "<u2")])
        corners = np.frombuffer(data, record, count, 84)["numbers"][:, 3:].reshape(-1, 3)
    else:
        words = [line.split() for line in data.decode("ascii", "replace").splitlines()]
        corners = np.array([w[1:4] for w in words if w[:1] == ["vertex"]], dtype=float)
        if not len(corners) or len(corners) % 3:
            raise ValueError("neither binary nor text STL")
    vertices, inverse = np.unique(corners.astype(float), axis=0, return_inverse=True)
    return vertices, inverse.reshape(-1, 3)


def _obj(data: bytes) -> tuple[Array, Array]:
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(w.split("/")[0]) for w in words[1:]]
            corners = [k - 1 if k > 0 else len(vertices) + k for k in corners]
            triangles += [(corners[0], b, c) for b, c in pairwise(corners[1:])]
    points, faces = np.array(vertices).reshape(-1, 3), np.array(triangles, dtype=int).reshape(-1, 3)
    if faces.size and not 0 <= faces.min() <= faces.max() < len(points):
        raise ValueError("a face refers to a vertex that does not exist")
    used, order = np.unique(faces, return_inverse=True)
    return points[used], order.reshape(-1, 3)
