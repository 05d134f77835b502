"""Appearance of URDF links: shapes, meshes and colours.

A link is drawn by its visuals.  Where a visual cannot be drawn, and in files without any visual,
the collision shapes of the link take their place.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...bodies.solids import Box, Cylinder, Mesh, Solid, Sphere
from ...errors import ModelError, name_list
from .meshes import Surfaces, read_mesh
from .packages import Packages
from .xml_tree import Element, shown

Array = np.ndarray

LOGGER = logging.getLogger("lissom")


class Looks:
    """Reader of the visuals of links."""

    def __init__(
        self,
        file: Path,
        meshes: bool,
        packages: Mapping[str, str | Path],
        package_dirs: Sequence[str | Path] = (),
    ) -> None:
        self.file, self.meshes = file, meshes
        self.packages = Packages(file, packages, package_dirs)
        self.colors: dict[str, str] = {}
        self.invisible = False  # whether no link has a visual
        self.left_out: list[str] = []
        self.stand_ins: list[str] = []  # links drawn by their collision shapes
        self._read: dict[Path, Surfaces | str] = {}

    def survey(self, robot: Element) -> None:
        """Store the colours of named materials, and whether there are visuals."""
        for material in robot.all("material"):
            color = _color(material)
            if color and "name" in material.attributes:
                self.colors[material.attributes["name"]] = color
        self.invisible = not any(link.all("visual") for link in robot.all("link"))

    def solids(self, link: Element) -> list[Solid]:
        """Solids of a link."""
        before = len(self.left_out)
        visuals, collisions = link.all("visual"), link.all("collision")
        solids = [solid for visual in visuals for solid in self._solids(visual)]
        if self.invisible or (len(self.left_out) > before and not solids):
            solids = [solid for x in collisions for solid in self._solids(x)]
            if solids and not self.invisible:
                self.stand_ins.append(shown(link.text("name")))
        return solids

    def report(self) -> None:
        """Say in one sentence what is not drawn."""
        if not self.left_out:
            return
        rest = len(self.left_out) - 1
        words = f"not drawn: {self.left_out[0].removeprefix(f'{self.file}:')}"
        if rest:
            words += f", and {rest} more, which .left_out of read_urdf lists"
        if self.stand_ins:
            n, names = len(self.stand_ins), name_list(self.stand_ins)
            words += f"; collision shapes stand in for {n} link{'s' if n > 1 else ''}: {names}"
        LOGGER.warning(f"{self.file}: {words}")

    @staticmethod
    def moved(solid: Solid, rotation: Array, position: Array) -> Solid:
        """Solid in another frame, in which its frame has the given pose."""
        return replace(solid, at=position + rotation @ solid.at, rotation=rotation @ solid.rotation)

    def _leave_out(self, element: Element, words: str) -> None:
        self.left_out.append(f"{element.title}: {shown(words, 1000)}")

    def _solids(self, visual: Element) -> list[Solid]:
        rotation, at = origin(visual)
        geometry = visual.need("geometry")
        shapes = geometry.children
        if not shapes:
            raise geometry.fault("is empty; give <box>, <cylinder>, <sphere> or <mesh>")
        shape, material = shapes[0], visual.find("material")
        color = None
        if material is not None:
            color = _color(material) or self.colors.get(material.attributes.get("name", ""))
        look: dict[str, Any] = {"at": at, "rotation": rotation}
        try:
            match shape.tag:
                case "box":
                    return [Box(lengths(shape, "size", 3), color=color, **look)]
                case "cylinder":
                    sizes = lengths(shape, "radius"), lengths(shape, "length")
                    return [Cylinder(*map(float, sizes), color=color, **look)]
                case "sphere":
                    return [Sphere(float(lengths(shape, "radius")), color=color, **look)]
                case "mesh":
                    return self._meshes(shape, color, look)
        except ModelError as error:
            words = str(error)
            raise (error if words.startswith(str(shape.file)) else shape.fault(words)) from None
        self._leave_out(shape, "unknown shape")
        return []

    def _meshes(self, element: Element, color: str | None, look: dict[str, Any]) -> list[Solid]:
        """One mesh for each colour; colours in the file of the mesh go before the link's."""
        scale = element.numbers("scale", 3, (1.0, 1.0, 1.0))
        name = element.text("filename")
        if not self.meshes:
            return []
        path = self.packages.find(name)
        if path is None:
            self._leave_out(element, f"{shown(name, 200)} {self.packages.missing(name)}")
            return []
        if path not in self._read:
            self._read[path] = _surfaces(path)
        surfaces = self._read[path]
        if isinstance(surfaces, str):
            self._leave_out(element, surfaces)
            return []
        for note in surfaces.notes:
            LOGGER.info(note)
        turn = -1 if np.prod(scale) < 0 else 1  # a mirrored triangle shows its back
        return [
            Mesh(x.vertices * scale, x.triangles[:, ::turn], color=x.color or color, **look)
            for x in surfaces.pieces
        ]


def _surfaces(path: Path) -> Surfaces | str:
    """Content of a mesh file, or the reason why there is none."""
    try:
        return read_mesh(path)
    except ModelError as error:
        return str(error)


def lengths(shape: Element, name: str, count: int = 1) -> Any:
    """Array (count,) of positive lengths, or a single number."""
    sizes = shape.numbers(name, count, unit=" [m]")
    if not np.all(sizes > 0):
        raise shape.fault(f'{name}="{shown(shape.text(name))}"; sizes must be positive [m]')
    return sizes if count > 1 else sizes[0]


def origin(element: Element) -> tuple[Array, Array]:
    """Rotation (3, 3) and position (3,) of <origin xyz rpy>."""
    child = element.find("origin")
    if child is None:
        return np.eye(3), np.zeros(3)
    zero = (0.0, 0.0, 0.0)
    r, p, y = child.numbers("rpy", 3, zero, unit=" [rad]")
    position = child.numbers("xyz", 3, zero, unit=" [m]")
    (sr, cr), (sp, cp), (sy, cy) = ((np.sin(a), np.cos(a)) for a in (r, p, y))
    rotation = np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
    return rotation, position


def _color(material: Element) -> str | None:
    color = material.find("color")
    if color is None:
        return None
    red, green, blue, _alpha = np.clip(color.numbers("rgba", 4, unit=" from 0 to 1"), 0, 1)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
