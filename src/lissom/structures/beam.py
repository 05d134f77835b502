"""Straight uniform beams as flexible bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ..bodies.flexible import FlexibleBody
from ..bodies.solids import Sweep
from ..errors import ModelError
from ._checks import count, positive
from .cantilever import CantileverModes, Mesh, bar_modes, beam_modes, mesh
from .materials import Material
from .sections import Section

Array = NDArray[np.float64]

_SAME_FREQUENCY = 1e-9  # relative; frequencies closer than this count as equal


def beam(
    length: float,
    section: Section,
    material: Material,
    *,
    modes: int = 6,
    level: str = "full",
    damping: Any = 0.005,
    elements: int | None = None,
) -> FlexibleBody:
    """Straight uniform beam along +x, clamped to its body frame at the root.

    Parameters
    ----------
    length : float
        Length [m], above zero.
    section : Section
        Cross-section: `Rectangle`, `Circle`, `Tube`, `ISection` or your own subclass of `Section`.
    material : Material
        Material, for example `ALUMINIUM`.
    modes : int, optional
        Number of modes to keep: those of lowest frequency among bending in the plane x-y, bending
        in the plane x-z, torsion and stretch, in ascending order.  Equal frequencies are in this
        order of families.
    level : str, optional
        Level of the body, see `FlexibleBody`.
    damping : float or array_like, optional
        Damping ratio of all modes, or of each mode, shape (modes,).
    elements : int, optional
        Number of finite elements; by default 24, or `modes` if that is more.  Each family can have
        at most as many modes as there are elements.

    Returns
    -------
    FlexibleBody
        Nodes 0 ("root") to `elements` ("tip") lie on the axis, equally spaced and without mass;
        the nodes after them are the particles that carry the mass.  Modal masses are 1,
        so modal coordinates are in m·√kg; a positive one moves (torsion: turns) the tip in the
        positive direction.

    Raises
    ------
    ModelError
        If an argument has the wrong type or range, or the elements are too few for the modes.

    Notes
    -----
    Bending is Euler-Bernoulli's (cubic Hermite elements), torsion is Saint-Venant's without warping
    and stretch is a bar's (quadratic elements); all have consistent mass.  Frequencies lie above
    the exact ones of these equations: by 3 % with one element to the half wave, 0.4 % with two,
    0.03 % with four.

    The mass consists of particles, so that the level `full` is exactly the Lagrangian mechanics of
    points.  Each element has four Gauss stations; the four particles of a station, at (x, ±a, 0)
    and (x, 0, ±b) with a² = 2 ∫y²dA / A and b² = 2 ∫z²dA / A, have the mass and the moments of
    inertia of the slice.  Their sums equal the integrals over the beam exactly.

    Departure from the solid: in bending the particles of a station follow the transverse
    displacement of the axis but not the tilt of the section (as in Euler-Bernoulli theory, without
    rotary inertia of the deformation).  Rigid motion has the full inertia of the section.

    Examples
    --------
    >>> from lissom.structures import ALUMINIUM, Tube, beam
    >>> boom = beam(3.0, Tube(radius=0.08, thickness=0.003), ALUMINIUM, modes=4)
    >>> boom.frequencies.round(2).tolist()  # Hz
    [17.58, 17.58, 110.15, 110.15]
    """
    solid = _properties(positive(length, "beam: length [m]"), section, material)
    n_mode = count(modes, "beam: modes")
    grid = mesh(count(max(24, n_mode) if elements is None else elements, "beam: elements"))
    bending, bar = beam_modes(grid), bar_modes(grid)
    omega = solid.rates[:, None] * np.array([bending.frequencies] * 2 + [bar.frequencies] * 2)
    chosen = _lowest(omega, n_mode)
    if n_mode > omega.size or chosen[1].max() >= grid.elements:
        raise ModelError(
            f"beam: {grid.elements} elements are too few for {n_mode} modes: a family can have at "
            f"most one mode per element; give elements={n_mode}, or fewer modes"
        )
    positions, masses = _particles(solid, grid)
    return FlexibleBody(
        positions,
        masses,
        _shapes(solid, grid, positions, (bending, bar), chosen),
        np.diag(omega[chosen] ** 2),
        damping,
        names={"root": 0, "tip": grid.elements},
        level=level,
        solids=Sweep(section.outline, range(grid.elements + 1)),
    )


@final
@dataclass(frozen=True)
class _Properties:
    """Physical properties that scale the dimensionless solution.

    Parameters
    ----------
    length, mass : float
        Length [m] and mass [kg].
    polar : float
        Moment of inertia about the beam's axis [kg·m²].
    levers : tuple of float
        Distances a (along y) and b (along z) of the particles from the axis [m].
    rates : numpy.ndarray, shape (4,)
        Angular frequency [rad/s] per dimensionless frequency of each family: bending in the plane
        x-y, bending in the plane x-z, torsion, stretch.
    """

    length: float
    mass: float
    polar: float
    levers: tuple[float, float]
    rates: Array


def _properties(length: float, section: Section, material: Material) -> _Properties:
    """Checked properties of a beam from its section and material."""
    _check_type(section, Section, "section", "Tube(radius=0.05, thickness=0.002)")
    _check_type(material, Material, "material", "ALUMINIUM")
    what = f"beam: section {section.name}: "
    area = positive(section.area, what + "area [m²]")
    moment_y = positive(section.second_moment_y, what + "second_moment_y [m⁴]")
    moment_z = positive(section.second_moment_z, what + "second_moment_z [m⁴]")
    torsion = positive(section.torsion_constant, what + "torsion_constant [m⁴]")
    sound = math.sqrt(material.youngs_modulus / material.density)
    shear = math.sqrt(material.shear_modulus / material.density)
    rates = [
        sound * math.sqrt(moment_z / area) / length**2,
        sound * math.sqrt(moment_y / area) / length**2,
        shear * math.sqrt(torsion / (moment_y + moment_z)) / length,
        sound / length,
    ]
    return _Properties(
        length=length,
        mass=material.density * area * length,
        polar=material.density * (moment_y + moment_z) * length,
        levers=(math.sqrt(2.0 * moment_z / area), math.sqrt(2.0 * moment_y / area)),
        rates=np.array(rates),
    )


def _check_type(value: object, kind: type, what: str, example: str) -> None:
    """Raise a `ModelError` unless the value is an instance of the kind."""
    if not isinstance(value, kind):
        raise ModelError(
            f"beam: {what} must be a {kind.__name__}, not {value!r}; give for example {example}"
        )


def _lowest(omega: Array, n_mode: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Family and number within the family of the lowest modes, ordered by frequency, then family.

    `omega` has shape (families, modes).  Frequencies that differ from their neighbour only by
    rounding count as equal, so that rounding does not affect the order.
    """
    flat = omega.ravel()
    ascending = np.argsort(flat, kind="stable")
    steps = np.diff(flat[ascending], prepend=0.0) > _SAME_FREQUENCY * flat[ascending]
    family, index = np.unravel_index(ascending, omega.shape)
    order = np.lexsort((family, np.cumsum(steps)))[:n_mode]
    return family[order], index[order]


def _particles(solid: _Properties, grid: Mesh) -> tuple[Array, Array]:
    """Positions [m] and masses [kg] of the nodes: massless ones on the axis, then particles."""
    a, b = solid.levers
    offsets = np.array([[0.0, a, 0.0], [0.0, -a, 0.0], [0.0, 0.0, b], [0.0, 0.0, -b]])
    axis = np.zeros((len(grid.points), 3))
    axis[:, 0] = solid.length * grid.points
    n_end = grid.elements + 1
    particles = (axis[n_end:, None, :] + offsets).reshape(-1, 3)
    masses = np.repeat(solid.mass * grid.weights / 4.0, 4)
    return np.vstack([axis[:n_end], particles]), np.concatenate([np.zeros(n_end), masses])


def _shapes(
    solid: _Properties,
    grid: Mesh,
    positions: Array,
    modes: tuple[CantileverModes, CantileverModes],
    chosen: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> Array:
    """Mass-normalised shapes of the chosen modes, shape (nodes, 6, modes), rotation rows first.

    Plane x-y: v and θ_z = v'.  Plane x-z: w and θ_y = -w'.  Torsion: θ_x and (-z, y) θ_x.
    """
    n_end = grid.elements + 1
    on_axis = np.concatenate([np.arange(n_end), np.repeat(np.arange(n_end, len(grid.points)), 4)])
    bending, bar = modes
    transverse = bending.values[on_axis] / math.sqrt(solid.mass)
    tilt = bending.slopes[on_axis] / (math.sqrt(solid.mass) * solid.length)
    twist = bar.values[on_axis] / math.sqrt(solid.polar)
    stretch = bar.values[on_axis] / math.sqrt(solid.mass)
    y, z = positions[:, 1:2], positions[:, 2:3]
    rows: tuple[dict[int, Array], ...] = (
        {4: transverse, 2: tilt},
        {5: transverse, 1: -tilt},
        {0: twist, 4: -z * twist, 5: y * twist},
        {3: stretch},
    )
    family, index = chosen
    shapes = np.zeros((len(positions), 6, len(family)))
    for column, (f, k) in enumerate(zip(family, index, strict=True)):
        for row, field in rows[f].items():
            shapes[:, row, column] = field[:, k]
    return shapes
