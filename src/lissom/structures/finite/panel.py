"""Thin rectangular plates: solar arrays, radiators, decks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...bodies.recovery import Recovery, StressPoints
from ...errors import ModelError, shown
from .._checks import count, positive
from ..materials import Material
from .assembly import mass_matrix, stacked, summed
from .geometry import ElementGeometry, twisted_slabs
from .options import check_options
from .plate_element import CORNERS, PlateElement
from .structure import Interface, Structure, SurfaceMesh

if TYPE_CHECKING:
    from ...bodies.flexible import FlexibleBody

# Third order of the strain energy of a panel: the membrane's strains by von Karman.
#
#   e_ij = (u_i,j + u_j,i + u_x,i u_x,j + u_y,i u_y,j + w_,i w_,j) / 2,      i, j = x, y        (1)
#   T(u; a, b) = int N_ij(u) (a_x,i b_x,j + a_y,i b_y,j + a_z,i b_z,j) dA                       (2)
#
# N are the forces in the membrane by u.  Curvatures are those of the first order, so slopes are to
# be small, and rotations about the normal smaller.


@dataclass(frozen=True, eq=False)
class PanelGeometry(ElementGeometry):
    """Stress stiffness of a panel."""

    elements: Sequence[PlateElement]  # equal ones are the same object
    rows: Sequence[NDArray[np.intp]]  # (28,) freedoms of each
    particles: tuple[Array, Array, Any]  # masses, positions and motion

    def between(self, shapes: Array, u: Array) -> Array:
        """T of (2)."""
        m, k = shapes.shape[1], u.shape[1]
        forms = np.zeros((k, m * m))
        for element in dict.fromkeys(self.elements):
            element_rows = [
                r for x, r in zip(self.elements, self.rows, strict=True) if x is element
            ]
            rows = np.array(element_rows)
            for x, y, weight in element.points(4):
                force = weight * element.force(x, y) @ u[rows]  # xx, yy, xy; (n, 3, k)
                d_x, d_y = element.slopes(x, y)[:, None] @ shapes[rows]  # each (n, 3, m)
                forms += _sum_of_products(force, d_x, d_y).reshape(k, -1)
        forms = forms.reshape(k, m, m)
        return (forms + forms.swapaxes(1, 2)) / 2

    def twisting(self, shapes: Array) -> NDArray[np.bool_]:
        """Torsion of a narrow panel."""
        masses, places, motion = self.particles
        return twisted_slabs(masses, places, (motion @ shapes).reshape(len(masses), 3, -1))


def _sum_of_products(force: Array, d_x: Array, d_y: Array) -> Array:
    """Sum over elements of forces times products of slopes, (k, m, m)."""
    pairs = np.stack(
        [
            d_x.swapaxes(1, 2) @ d_x,
            d_y.swapaxes(1, 2) @ d_y,
            d_x.swapaxes(1, 2) @ d_y + d_y.swapaxes(1, 2) @ d_x,
        ],
        axis=1,
    )
    return np.asarray(np.tensordot(force, pairs, ((0, 1), (0, 1))))


Array = NDArray[np.float64]

_EDGES = ("left", "right", "bottom", "top")


def panel(
    width: float,
    height: float,
    thickness: float,
    material: Material,
    *,
    interfaces: Mapping[str, Any],
    divisions: Any = 8,
    bending_stiffness: float | None = None,
    area_density: float | None = None,
    **reduction: Any,
) -> FlexibleBody:
    """Thin rectangular plate in the plane x-y, 0 <= x <= width, -height/2 <= y <= height/2.

    Parameters
    ----------
    width, height : float
        Sides along x and y [m].
    thickness : float
        Along z, the middle at z = 0 [m].
    material : Material
        Material; of the face sheets, if it is a sandwich.
    interfaces : dict
        Where joints, loads and other bodies are attached, by name: an edge, "left" (x = 0),
        "right", "bottom" (y = -height/2) or "top", which then is rigid as if it had a frame; or a
        point (x, y) [m].  The first is the one that the joint towards the base holds.
    divisions : int or (int, int), optional
        Number of elements along x and y at least; points of interfaces are corners of elements.
    bending_stiffness : float, optional
        D [N m], M = D w'' of a wide strip, of a sandwich; by default that of a solid plate,
        E t³ / 12 (1 - nu²).  The sandwich is taken as two thin faces of the material at the
        distance `thickness`, whose own thickness follows from D.
    area_density : float, optional
        Mass per area [kg/m²]; by default density times thickness.
    **reduction
        How the model is reduced to a few shapes, see `Structure.reduce`: modes, method, damping,
        level and others.

    Returns
    -------
    FlexibleBody
        Its interfaces are named nodes; an edge's node is in its middle.  The unreduced model is its
        `source`.  It knows its stress and strain at the upper and lower face over every corner of
        an element.

    Raises
    ------
    ModelError
        If a number, the material or an interface is not acceptable.

    Notes
    -----
    Bending is Kirchhoff's: without shear through the thickness, which a sandwich with a soft core
    has.  Frequencies converge with the fourth power of the elements' size, from above.

    Examples
    --------
    >>> import lissom as ls
    >>> wing = ls.panel(
    ...     2.0, 1.0, 0.02, ls.CARBON, interfaces={"root": "left", "tip": "right"},
    ...     bending_stiffness=3000.0, area_density=2.5, modes=6,
    ... )
    >>> float(wing.mass)
    5.0
    """
    check_options("panel", reduction, has_second_order=True)
    structure = panel_structure(
        width,
        height,
        thickness,
        material,
        interfaces=interfaces,
        divisions=divisions,
        bending_stiffness=bending_stiffness,
        area_density=area_density,
    )
    return structure.reduce(**reduction)


def panel_structure(
    width: float,
    height: float,
    thickness: float,
    material: Material,
    *,
    interfaces: Mapping[str, Any],
    divisions: Any = 8,
    bending_stiffness: float | None = None,
    area_density: float | None = None,
) -> Structure:
    """Unreduced model of a panel; parameters as for `panel`."""
    size = (positive(width, "panel: width [m]"), positive(height, "panel: height [m]"))
    plate = _plate(positive(thickness, "panel: thickness [m]"), material, bending_stiffness)
    density = material.density * thickness
    if area_density is not None:
        density = positive(area_density, "panel: area_density [kg/m²]")
    interface_places = _checked_interfaces(interfaces, size)
    mesh = _mesh(size, _checked_divisions(divisions), interface_places, plate)
    n = len(mesh.positions)
    masses, places, motion = _particles(mesh, density, plate.gyration)
    return Structure(
        name="panel",
        # each corner twice: once with six freedoms, once with the slope that stands for the twist
        positions=np.concatenate([mesh.positions, mesh.positions]),
        freedoms=np.concatenate(
            [
                np.column_stack([np.repeat(np.arange(n), 6), np.tile(np.arange(6), n)]),
                np.column_stack([np.arange(n, 2 * n), np.zeros(n, dtype=int)]),
            ]
        ),
        mass=mass_matrix(masses, motion),
        stiffness=summed(mesh.rows, [x.stiffness for x in mesh.elements], 7 * n),
        interfaces={name: _interface(mesh, place) for name, place in interface_places.items()},
        recovery=partial(_recovery, mesh, plate),
        surface=SurfaceMesh(mesh.triangles),
        particles=(masses, places, motion),
        geometry=PanelGeometry(mesh.elements, mesh.rows, (masses, places, motion)),
    )


@dataclass(frozen=True)
class _Plate:
    """Stiffness of the plate and what its stress needs."""

    thickness: float
    bending: float
    membrane: float
    modulus: float
    poisson_ratio: float

    @property
    def elasticity(self) -> tuple[float, float]:
        """Young's modulus [Pa] and Poisson's ratio."""
        return self.modulus * (1 - self.poisson_ratio**2), self.poisson_ratio

    @property
    def gyration(self) -> float:
        """Radius of gyration of the section [m], that of an even distribution."""
        return float(self.thickness / np.sqrt(12))


def _plate(thickness: float, material: Any, bending_stiffness: Any) -> _Plate:
    if not isinstance(material, Material):
        raise ModelError(
            f"panel: material must be a Material, not {material!r}; give for example ALUMINIUM"
        )
    nu = material.poisson_ratio
    modulus = material.youngs_modulus / (1 - nu**2)
    bending, membrane = modulus * thickness**3 / 12, modulus * thickness
    if bending_stiffness is not None:
        bending = positive(bending_stiffness, "panel: bending_stiffness [N m]")
        faces = 2 * bending / (modulus * thickness**2)  # thickness of each
        if 2 * faces > thickness:
            raise ModelError(
                f"panel: bending_stiffness {bending:.4g} N m needs faces of {faces:.3g} m on a "
                f"sandwich of {thickness:.3g} m, more than half of it; a solid plate of "
                f"{material.label} has {modulus * thickness**3 / 12:.4g} N m: give less, or a "
                "larger thickness"
            )
        membrane = 2 * modulus * faces
    return _Plate(thickness, bending, membrane, modulus, nu)


def _checked_divisions(divisions: Any) -> tuple[int, int]:
    pair = divisions if isinstance(divisions, (tuple, list)) else (divisions, divisions)
    if len(pair) != 2:
        raise ModelError(f"panel: divisions is {shown(divisions)}; give one number or two")
    return count(pair[0], "panel: divisions along x"), count(pair[1], "panel: divisions along y")


def _checked_interfaces(interfaces: Any, size: tuple[float, float]) -> dict[str, Any]:
    """Interfaces as {name: edge or (x, y)}."""
    if not isinstance(interfaces, Mapping) or not interfaces:
        raise ModelError(
            f'panel: interfaces is {shown(interfaces)}; give names and places, such as {{"root": '
            '"left", "tip": (2.0, 0.0)}; the first is held by the joint towards the base'
        )
    places: dict[str, Any] = {}
    for name, place in interfaces.items():
        if not isinstance(name, str) or not name:
            raise ModelError(f"panel: interface {shown(name)} must be a string, such as 'tip'")
        places[name] = place if isinstance(place, str) else _point(name, place, size)
        if isinstance(place, str) and place not in _EDGES:
            raise ModelError(
                f"panel: interface {name!r} is at {place!r}, which does not exist; give an edge, "
                f"{', '.join(map(repr, _EDGES))}, or a point (x, y) [m]"
            )
        for other in places:
            if other != name and _share(places[other], places[name], size):
                raise ModelError(
                    f"panel: interfaces {other!r} and {name!r} share a point of the panel; put "
                    "them apart, or make them one"
                )
    return places


def _point(name: str, place: Any, size: tuple[float, float]) -> tuple[float, float]:
    try:
        x, y = (float(v) for v in place)
    except (TypeError, ValueError):
        raise ModelError(
            f"panel: interface {name!r} is at {shown(place)}; give an edge, "
            f"{', '.join(map(repr, _EDGES))}, or a point (x, y) [m]"
        ) from None
    if not (0 <= x <= size[0] and abs(y) <= size[1] / 2):
        raise ModelError(
            f"panel: interface {name!r} is at ({x:g}, {y:g}), outside of the panel; x is from 0 to "
            f"{size[0]:g}, y from {-size[1] / 2:g} to {size[1] / 2:g} m"
        )
    return x, y


def _bounds(place: Any, size: tuple[float, float]) -> Array:
    """Least and largest x and y of an edge or a point, (2, 2)."""
    whole = np.array([[0.0, size[0]], [-size[1] / 2, size[1] / 2]])
    if not isinstance(place, str):
        return np.array([[place[0]] * 2, [place[1]] * 2])
    k = _EDGES.index(place)
    whole[k // 2] = whole[k // 2, k % 2]
    return whole


def _share(one: Any, other: Any, size: tuple[float, float]) -> bool:
    a, b = _bounds(one, size), _bounds(other, size)
    tiny = 1e-9 * max(size)
    return bool(np.all(np.maximum(a[:, 0], b[:, 0]) <= np.minimum(a[:, 1], b[:, 1]) + tiny))


@dataclass(frozen=True, eq=False)
class _PanelMesh:
    """Corners of elements, elements with their corners, and sizes."""

    positions: Array
    elements: tuple[PlateElement, ...]
    corners: NDArray[np.intp]
    size: tuple[float, float]

    @property
    def rows(self) -> list[Any]:
        n = len(self.positions)
        return [
            np.concatenate([np.append(6 * k + np.arange(6), 6 * n + k) for k in corners])
            for corners in self.corners
        ]

    @property
    def triangles(self) -> NDArray[np.intp]:
        """Both faces of the middle plane."""
        a, b, c, d = self.corners.T
        one = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
        return np.concatenate([one, one[:, ::-1]])

    def inside(self, place: Any) -> NDArray[np.intp]:
        """Corners on an edge or at a point."""
        bounds, tiny = _bounds(place, self.size), 1e-9 * max(self.size)
        xy = self.positions[:, :2]
        return np.flatnonzero(
            np.all((xy >= bounds[:, 0] - tiny) & (xy <= bounds[:, 1] + tiny), axis=1)
        )


def _mesh(
    size: tuple[float, float],
    divisions: tuple[int, int],
    interface_places: Mapping[str, Any],
    plate: _Plate,
) -> _PanelMesh:
    points = [p for p in interface_places.values() if not isinstance(p, str)]
    x = _lines(0.0, size[0], divisions[0], [p[0] for p in points])
    y = _lines(-size[1] / 2, size[1] / 2, divisions[1], [p[1] for p in points])
    grid = np.arange(len(x) * len(y)).reshape(len(x), len(y))
    positions = np.stack([*np.meshgrid(x, y, indexing="ij"), np.zeros(grid.shape)], axis=-1)
    reach = float(np.sqrt(np.mean(np.diff(x)) * np.mean(np.diff(y))))
    cache: dict[Any, PlateElement] = {}
    elements, corners = [], []
    for i, a in enumerate(np.diff(x)):
        for j, b in enumerate(np.diff(y)):
            key = (f"{a:.11e}", f"{b:.11e}")
            if key not in cache:
                cache[key] = PlateElement(
                    a, b, plate.bending, plate.membrane, plate.poisson_ratio, reach
                )
            elements.append(cache[key])
            corners.append([grid[i + p, j + q] for p, q in CORNERS])
    return _PanelMesh(positions.reshape(-1, 3), tuple(elements), np.array(corners), size)


def _lines(start: float, end: float, parts: int, through: list[float]) -> Array:
    """Lines of the mesh through given places, of nearly equal distance."""
    fixed = np.unique(np.round(np.array([start, end, *through]) / (end - start), 9)) * (end - start)
    pieces = []
    for a, b in pairwise(fixed):
        n = max(1, int(np.ceil(parts * (b - a) / (end - start) - 1e-6)))
        pieces.append(np.linspace(a, b, n + 1)[:-1])
    return np.append(np.concatenate(pieces), end)


def _interface(mesh: _PanelMesh, place: Any) -> Interface:
    nodes = mesh.inside(place)
    if len(nodes) == 1:
        return Interface(mesh.positions[nodes[0]], nodes)
    middle = np.append(_bounds(place, mesh.size).mean(axis=1), 0.0)
    return Interface(middle, np.concatenate([nodes, len(mesh.positions) + nodes]), "rigid")


def _particles(mesh: _PanelMesh, density: float, lever: float) -> tuple[Array, Array, Any]:
    """Masses (k,), positions (k, 3) and sparse motion (3 k, N) of the particles."""
    cache: dict[int, Any] = {}
    for x in mesh.elements:
        cache.setdefault(id(x), _particles_of(x, density, lever))
    particles = [cache[id(x)] for x in mesh.elements]
    starts = mesh.positions[mesh.corners[:, 0]]
    places = np.concatenate([start + r for start, (_, r, _) in zip(starts, particles, strict=True)])
    motion = stacked(mesh.rows, [N for _, _, N in particles], 7 * len(mesh.positions))
    return np.concatenate([m for m, _, _ in particles]), places, motion


def _particles_of(x: PlateElement, density: float, lever: float) -> tuple[Array, Array, Array]:
    points = [(a, b, z, w) for a, b, w in x.points(4) for z in (lever, -lever)]
    masses = np.array([density * w / 2 for *_, w in points])
    places = np.array([(a, b, z) for a, b, z, _ in points])
    return masses, places, np.concatenate([x.moved(a, b, z) for a, b, z, _ in points])


def _recovery(mesh: _PanelMesh, plate: _Plate, displacements: Array) -> Recovery:
    """Stress at both faces over the corners: from 2 x 2 Gauss points, extended, then averaged."""
    n, m = len(mesh.positions), displacements.shape[1]
    stress, times = np.zeros((2, n, 6, m)), np.bincount(mesh.corners.ravel(), minlength=n)
    distinct = {id(x): x for x in mesh.elements}
    rows_of = {key: _corner_stress(x, plate) for key, x in distinct.items()}
    for element, corners, rows in zip(mesh.elements, mesh.corners, mesh.rows, strict=True):
        at_corners = rows_of[id(element)] @ displacements[rows]  # (2, 4, 3, m)
        for face in range(2):
            stress[face, corners[:, None], [0, 1, 5]] += at_corners[face]
    stress /= times[:, None, None]
    offset = np.array([0.0, 0.0, plate.thickness / 2])
    return Recovery(
        points=StressPoints(
            positions=np.concatenate([mesh.positions + offset, mesh.positions - offset]),
            stresses=stress.reshape(2 * n, 6, m),
            nodes=np.concatenate([np.arange(n), np.full(n, -1)]),
            labels=tuple(f"{face} {k}" for face in ("top", "bottom") for k in range(n)),
            elasticity=plate.elasticity,
        )
    )


def _corner_stress(x: PlateElement, plate: _Plate) -> Array:
    """xx, yy, xy at the corners of both faces, (2, 4, 3, 28)."""
    points = x.points(2)
    far = np.sqrt(3.0)  # the corner in units of the Gauss points' distance from the middle
    extend = np.array(
        [
            [
                (1 + (2 * i - 1) * far * np.sign(2 * a / x.a - 1))
                * (1 + (2 * j - 1) * far * np.sign(2 * b / x.b - 1))
                / 4
                for a, b, _ in points
            ]
            for i, j in CORNERS
        ]
    )
    faces = (plate.thickness / 2, -plate.thickness / 2)
    at = np.array([[x.stress(a, b, z, plate.modulus) for a, b, _ in points] for z in faces])
    return np.einsum("cg,fgsd->fcsd", extend, at)
