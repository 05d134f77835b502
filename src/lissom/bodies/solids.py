"""Appearance of bodies in drawings and views.  Solids do not affect the motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, final

import numpy as np

from ..errors import ModelError, shown
from ..immutable import immutable
from ..printing import Shown
from ..spatial.given import given_rotation
from ..spatial.scalar import reals

__all__ = ["Box", "Cylinder", "Mesh", "Solid", "Sphere", "Surface", "Sweep"]

Array = np.ndarray


def _array(*shape: int, whole: bool = False, many: bool = False) -> dict[str, Any]:
    """Metadata of a field: shape, -1 for any number of rows; lengths or whole numbers.

    `many`: whether several arrays of this shape may be given, one behind the other.
    """
    return {"shape": shape, "whole": whole, "many": many}


@dataclass(frozen=True, eq=False)
class Solid(Shown):
    """Base class of shapes that can be drawn, in body axes.

    Parameters
    ----------
    at : array (3,)
        Where its own origin is [m].
    rotation : array (3, 3), mapping or SciPy Rotation, optional
        Its own axes to the body's; ``{"rpy": (roll, pitch, yaw)}`` and the like as in `Model.add`.
    color : str, optional
        As "#rrggbb"; by default a color for each body.
    """

    usual: ClassVar[Mapping[str, Any]] = {"rotation": np.eye(3)}

    at: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)
    rotation: Any = field(default=None, kw_only=True)
    color: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self._keep("at", _numbers(self.at, (3,), f"{self.name}: at"))
        turned = given_rotation(self.rotation, f"{self.name}: rotation")
        self._keep("rotation", _numbers(turned, (3, 3), f"{self.name}: rotation"))
        text = self.color
        if text is not None and not (
            isinstance(text, str) and len(text) == 7 and text[0] == "#" and _is_hex(text[1:])
        ):
            raise ModelError(f'{self.name}: color is {text!r}; give it as "#rrggbb"')

    @property
    def name(self) -> str:
        """Name used in messages."""
        return type(self).__name__

    def _keep(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _keep_lengths(self, *names: str) -> None:
        for name in names:
            lengths = getattr(self, name)
            value = _numbers(lengths, np.shape(lengths), f"{self.name}: {name}")
            if not np.all(value > 0):
                raise ModelError(
                    f"{self.name}: {name} is {shown(lengths)}; it must be positive [m]"
                )
            self._keep(name, value if value.ndim else float(value))


@final
@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Box(Solid):
    """Block with its centre at the origin.

    Parameters
    ----------
    size : array (3,)
        Edges along x, y, z [m].
    """

    size: Any = field(metadata=_array(3))

    def __post_init__(self) -> None:
        super().__post_init__()
        _numbers(self.size, (3,), "Box: size")
        self._keep_lengths("size")


@final
@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Cylinder(Solid):
    """Cylinder along its z axis with its centre at the origin.

    Parameters
    ----------
    radius, length : float
        [m].
    """

    radius: Any = field(metadata=_array())
    length: Any = field(metadata=_array())

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("radius", "length"):
            _numbers(getattr(self, name), (), f"Cylinder: {name}")
        self._keep_lengths("radius", "length")


@final
@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Sphere(Solid):
    """Sphere about the origin.

    Parameters
    ----------
    radius : float
        [m].
    """

    radius: Any = field(metadata=_array())

    def __post_init__(self) -> None:
        super().__post_init__()
        _numbers(self.radius, (), "Sphere: radius")
        self._keep_lengths("radius")


@final
@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Mesh(Solid):
    """Surface of triangles.

    Parameters
    ----------
    vertices : array (n, 3)
        [m].
    triangles : array (m, 3) of int
        Numbers of vertices, counterclockwise seen from outside.
    """

    vertices: Any = field(metadata=_array(-1, 3))
    triangles: Any = field(metadata=_array(-1, 3, whole=True))

    def __post_init__(self) -> None:
        super().__post_init__()
        vertices = _numbers(self.vertices, (len(self.vertices), 3), "Mesh: vertices")
        self._keep("vertices", vertices)
        self._keep("triangles", _corners(self.triangles, len(vertices), "Mesh", "vertices"))


@final
@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Sweep(Solid):
    """Outline swept along the nodes of a flexible body, bending with them.

    Parameters
    ----------
    outline : array (k, 2) or (n, k, 2)
        Corners of the cross-section in y and z of the nodes, counterclockwise seen from +x [m]; or
        those at each of the n nodes, with straight lines between.
    nodes : sequence of int
        Numbers of the nodes along the sweep.
    """

    outline: Any = field(metadata=_array(-1, 2, many=True))
    nodes: Any = field(metadata=_array(-1, whole=True))

    def __post_init__(self) -> None:
        super().__post_init__()
        self._keep("nodes", tuple(int(node) for node in self.nodes))
        shape = np.shape(self.outline)
        many = (len(self.nodes), *shape[1:2], 2) if len(shape) == 3 else (*shape[:1], 2)
        self._keep("outline", _numbers(self.outline, many, "Sweep: outline"))

    @property
    def outlines(self) -> Array:
        """Corners at each node, (n, k, 2) [m]."""
        return np.broadcast_to(self.outline, (len(self.nodes), *self.outline.shape[-2:]))


@final
@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Surface(Solid):
    """Triangles between nodes of a flexible body, bending with them: the skin of a mesh.

    A corner is a node, so what is known at the node (its displacement, the stress of the points of
    `bodies.recovery.StressPoints` that lie on it) is known at the corner.

    Parameters
    ----------
    triangles : array (m, 3) of int
        Numbers of corners, counterclockwise seen from outside.
    nodes : sequence of int
        Node of the body at each corner.
    """

    triangles: Any = field(metadata=_array(-1, 3, whole=True))
    nodes: Any = field(metadata=_array(-1, whole=True))

    def __post_init__(self) -> None:
        super().__post_init__()
        self._keep("nodes", tuple(int(node) for node in self.nodes))
        self._keep("triangles", _corners(self.triangles, len(self.nodes), "Surface", "corners"))


# Kinds of solids, by their names in files
SOLIDS: dict[str, type[Solid]] = {
    kind.__name__.lower(): kind for kind in (Box, Cylinder, Sphere, Mesh, Sweep, Surface)
}


def solid_fields(kind: type[Solid]) -> dict[str, tuple[tuple[int, ...], bool, bool]]:
    """Fields of a kind of solid: shape (-1 for any number of rows), whether whole, whether many."""
    keys = ("shape", "whole", "many")
    return {f.name: tuple(f.metadata[k] for k in keys) for f in fields(kind) if f.metadata}


def checked_solids(entry: Any, what: str) -> tuple[Solid, ...]:
    """Solids as a tuple, also for a single one; `what` names the body in messages."""
    try:
        solids = (entry,) if isinstance(entry, Solid) else tuple(entry)
    except TypeError:  # neither one nor several
        solids = (entry,)
    for solid in solids:
        if not isinstance(solid, Solid):
            raise ModelError(
                f"{what}: {solid!r} cannot be drawn; give lissom.solids.Box, Cylinder, Sphere, "
                "Mesh, Sweep or Surface"
            )
    return solids


_FARTHEST = 1e18  # [m], whose square is a number of single precision


def _numbers(value: Any, shape: tuple[int, ...], what: str) -> Array:
    try:
        values = reals(value)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.shape != shape or not np.all(np.isfinite(values)):
        raise ModelError(f"{what} is {shown(value)}; expected finite numbers of shape {shape}")
    if np.abs(values).max(initial=0.0) > _FARTHEST:
        raise ModelError(
            f"{what} is {shown(value)}; expected lengths below {_FARTHEST:g} m, beyond which "
            "pictures overflow"
        )
    return values


def _corners(entry: Any, n: int, what: str, of: str) -> Array:
    """Checked triangles between n corners, which messages call `of`."""
    triangles = np.asarray(entry)
    if triangles.ndim != 2 or triangles.shape[1] != 3 or triangles.dtype.kind not in "iu":
        raise ModelError(
            f"{what}: triangles must be an array (m, 3) of whole numbers, three {of} each"
        )
    if triangles.size and not 0 <= triangles.min() <= triangles.max() < n:
        raise ModelError(f"{what}: triangles refer to {of} outside 0 to {n - 1}")
    return triangles.astype(np.int64)


def _is_hex(text: str) -> bool:
    return all(c in "0123456789abcdefABCDEF" for c in text)
