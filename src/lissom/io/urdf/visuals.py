"""Visuals of URDF links: shapes, meshes and colours."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...bodies.solids import Box, Cylinder, Mesh, Solid, Sphere
from ...errors import ModelError
from .meshes import read_mesh
from .xml_tree import Element, shown

Array = np.ndarray

LOGGER = logging.getLogger("lissom")


class Looks:
    """Reader of the visuals of links.

    Parameters
    ----------
    file : Path
        URDF file; meshes are searched for in its folder and above.
    meshes : bool
        Whether meshes are read at all.
    packages : mapping
        Folders of packages by name.
    """

    def __init__(self, file: Path, meshes: bool, packages: Mapping[str, str | Path]) -> None:
        self.file, self.meshes = file.resolve(), meshes
        self.packages = {name: Path(folder) for name, folder in packages.items()}
        self.colors: dict[str, str] = {}
        self._read: dict[Path, tuple[Array, Array] | None] = {}

    def keep_materials(self, robot: Element) -> None:
        """Store the colours of named materials."""
        for material in robot.all("material"):
            color = _color(material)
            if color and "name" in material.attributes:
                self.colors[material.attributes["name"]] = color

    def solids(self, link: Element) -> list[Solid]:
        """Solids of a link."""
        found = []
        for visual in link.all("visual"):
            solid = self._solid(visual)
            if solid is not None:
                found.append(solid)
        return found

    @staticmethod
    def moved(solid: Solid, rotation: Array, position: Array) -> Solid:
        """Solid in another frame, in which its frame has the given pose."""
        return replace(solid, at=position + rotation @ solid.at, rotation=rotation @ solid.rotation)

    def _solid(self, visual: Element) -> Solid | None:
        rotation, at = origin(visual)
        geometry = visual.need("geometry")
        shapes = geometry.children
        if not shapes:
            raise geometry.fault("is empty; give <box>, <cylinder>, <sphere> or <mesh>")
        shape, material = shapes[0], visual.find("material")
        color = None
        if material is not None:
            color = _color(material) or self.colors.get(material.attributes.get("name", ""))
        look: dict[str, Any] = {"at": at, "rotation": rotation, "color": color}
        try:
            match shape.tag:
                case "box":
                    return Box(_sizes(shape, "size", 3), **look)
                case "cylinder":
                    sizes = _sizes(shape, "radius"), _sizes(shape, "length")
                    return Cylinder(*map(float, sizes), **look)
                case "sphere":
                    return Sphere(float(_sizes(shape, "radius")), **look)
                case "mesh":
                    surface = self._mesh(shape)
                    return Mesh(*surface, **look) if surface is not None else None
        except ModelError as error:
            words = str(error)
            raise (error if words.startswith(str(shape.file)) else shape.fault(words)) from None
        LOGGER.info(f"{shape.title}: not drawn, unknown shape")
        return None

    def _mesh(self, element: Element) -> tuple[Array, Array] | None:
        scale = element.numbers("scale", 3, (1.0, 1.0, 1.0))
        name = element.text("filename")
        if not self.meshes:
            return None
        path = self._found(name)
        if path is None:
            LOGGER.info(f"{element.title}: not drawn, there is no file {shown(name)}")
            return None
        if path not in self._read:
            self._read[path] = self._surface(element, path)
        surface = self._read[path]
        return None if surface is None else (surface[0] * scale, surface[1])

    @staticmethod
    def _surface(element: Element, path: Path) -> tuple[Array, Array] | None:
        try:
            return read_mesh(path)
        except ModelError as error:
            LOGGER.info(f"{element.title}: not drawn, {error}")
            return None

    def _found(self, name: str) -> Path | None:
        """Path of a mesh file, relative to the URDF file or in a package; None if not found."""
        if name.startswith("package://"):
            package, _, rest = name.removeprefix("package://").partition("/")
            if package in self.packages:
                folders = [self.packages[package]]
            else:
                folders = [parent / package for parent in self.file.parents]
            candidates = [folder / rest for folder in folders]
        else:
            candidates = [self.file.parent / name.removeprefix("file://")]
        return next((path for path in candidates if _is_file(path)), None)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # not a valid file name
        return False


def _sizes(shape: Element, name: str, count: int = 1) -> Any:
    """Array (count,) of positive lengths, or a single number."""
    found = shape.numbers(name, count, unit=" [m]")
    if not np.all(found > 0):
        raise shape.fault(f'{name}="{shown(shape.text(name))}"; sizes must be positive [m]')
    return found if count > 1 else found[0]


def origin(element: Element) -> tuple[Array, Array]:
    """Rotation (3, 3) and position (3,) of <origin xyz rpy>."""
    found = element.find("origin")
    if found is None:
        return np.eye(3), np.zeros(3)
    zero = (0.0, 0.0, 0.0)
    r, p, y = found.numbers("rpy", 3, zero, unit=" [rad]")
    position = found.numbers("xyz", 3, zero, unit=" [m]")
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
