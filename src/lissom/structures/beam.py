"""Straight uniform beams as flexible bodies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ..bodies.along import second_shapes_along
from ..bodies.flexible import FlexibleBody
from ..bodies.line import NodeLine
from ..bodies.second_order import SecondOrder
from ..bodies.solids import Sweep
from ..errors import ModelError
from ._checks import count, positive
from .beam_compliance import beam_contact_nodes, beam_residual, yielding
from .cantilever import BeamMesh, CantileverModes, bar_modes, beam_modes, mesh
from .counts import Functions, lowest, lowest_bending, shape_counts, warn_of_one_shape
from .materials import Material
from .sections import Section
from .static_shapes import bar_shapes, beam_shapes, static_mesh, strains_at

_ELEMENTS = 24  # at least, unless others are asked for


@final
@dataclass(frozen=True)
class Properties:
    """Physical properties that scale the dimensionless solution."""

    # length, mass: length [m] and mass [kg]
    length: float
    mass: float
    polar: float  # moment of inertia about the beam's axis [kg·m²]
    # distances a (along y) and b (along z) of the particles from the axis [m]
    levers: tuple[float, float]
    # (4,) angular frequency [rad/s] per dimensionless frequency of each family: bending in the
    # plane x-y, bending in the plane x-z, torsion, stretch
    rates: Array


def properties(length: float, section: Section, material: Material) -> Properties:
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
    return Properties(
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


@final
@dataclass(frozen=True)
class Basis:
    """Dimensionless shapes of the four families, and those that the beam keeps."""

    grid: BeamMesh  # where the shapes are given
    families: tuple[CantileverModes, ...]  # shapes of the four families
    # family and number within the family of each mode of the beam
    chosen: tuple[NDArray[np.intp], NDArray[np.intp]]
    omega: Array  # angular frequency of each mode of the beam [rad/s]


def static_basis(solid: Properties, counts: int | Functions, elements: int | None) -> Basis:
    """Static shapes, all that a family has."""
    n = lowest_bending(solid.rates[:2], counts) if isinstance(counts, int) else counts
    grid = static_mesh(elements or _ELEMENTS, max(n))
    planes = (beam_shapes(grid, k) for k in n[:2])
    families = (*planes, *(bar_shapes(grid, k) for k in n[2:]))
    omega = [rate * x.frequencies for rate, x in zip(solid.rates, families, strict=True)]
    family, index = lowest(omega, sum(n))
    frequencies = np.array([omega[f][k] for f, k in zip(family, index, strict=True)])
    return Basis(grid, families, (family, index), frequencies)


def clamped_basis(solid: Properties, counts: int | Functions, elements: int | None) -> Basis:
    """Modes of vibration by finite elements: the lowest of all, or of each family."""
    total, most = (counts, counts) if isinstance(counts, int) else (sum(counts), max(counts))
    grid = mesh(elements or max(_ELEMENTS, most))
    bending, bar = beam_modes(grid), bar_modes(grid)
    families = (bending, bending, bar, bar)
    omega = [rate * x.frequencies for rate, x in zip(solid.rates, families, strict=True)]
    if not isinstance(counts, int):
        omega = [x[:k] for x, k in zip(omega, counts, strict=True)]
    family, index = lowest(omega, total)
    if len(family) < total or index.max() >= grid.elements:
        raise ModelError(
            f"beam: {grid.elements} elements are too few for {total} modes: a family can have at "
            f"most one mode per element; give elements={most}, or fewer modes"
        )
    frequencies = np.array([omega[f][k] for f, k in zip(family, index, strict=True)])
    return Basis(grid, families, (family, index), frequencies)


# Second order of the deformation of a straight beam with static shapes.
#
# Sections follow (1) and (2) of `bodies.along`.  Particles of a section take the h of the axis:
# they leave out the tilt in the first order too.  The sums over the mass leave out the products of
# torsion and bending: with them, twisting a bent beam moves its mass sideways, which the constant
# modal mass does not match, and the mass matrix of a free beam is not definite beyond a deflection
# of a tenth of the section's radius of gyration.  Nodes keep these products, so that they are
# missing only for loads distributed along one beam.

_AXIS = np.array([1.0, 0.0, 0.0])


def second_order(solid: Properties, basis: Basis) -> SecondOrder:
    """Second order of a beam at its nodes, and its sums over the mass."""
    grid = basis.grid
    n_end = grid.elements + 1
    shapes = _at(grid.points, solid, basis)
    h = shapes[n_end:, 3:]
    masses, places = solid.mass * grid.weights, solid.length * grid.points[n_end:]
    twisting = basis.chosen[0] == 2
    h = np.where(twisting[:, None] | twisting, 0.0, h)
    sigma = np.einsum("n,nkij->kij", masses, h)
    second = np.zeros((3, *sigma.shape))
    second[0] = np.einsum("n,n,nlij->lij", masses, places, h)
    nodes = [*shapes[:n_end], *np.repeat(shapes[n_end:], 4, axis=0)]  # four particles a station
    return SecondOrder(sigma, second, dict(enumerate(nodes)))


def _at(points: Array, solid: Properties, basis: Basis) -> Array:
    """[rho; h] at fractions of the length, (n, 6, n_mode, n_mode), by (1) and (2)."""
    most = max(len(family.strains) for family in basis.families)
    fields = partial(_fields, solid=solid, basis=basis)
    return second_shapes_along(points, solid.length, _AXIS, most + 1, fields)


def _fields(t: Array, solid: Properties, basis: Basis) -> tuple[Array, Array, Array]:
    """Curvature [1/m], its first integral [rad] and stretch of each mode, each (n, 3, n_mode)."""
    root, length = math.sqrt(solid.mass), solid.length
    units = (1 / (root * length), -1 / (root * length), 1 / math.sqrt(solid.polar), 1 / root)
    family, index = basis.chosen
    curvature, turn, stretch = np.zeros((3, len(t), 3, len(family)))
    fields = [strains_at(t, modes) for modes in basis.families]
    for column, (f, k) in enumerate(zip(family, index, strict=True)):
        strain, once = (field[:, k] * units[f] for field in fields[f])
        if f == 3:
            stretch[:, 0, column] = strain / length
        else:  # plane x-y turns about z, plane x-z about -y, torsion about x
            row = (2, 1, 0)[f]
            curvature[:, row, column], turn[:, row, column] = strain / length, once
    return curvature, turn, stretch


Array = NDArray[np.float64]


def beam(
    length: float,
    section: Section,
    material: Material,
    *,
    modes: int | None = None,
    bending: int | Sequence[int] | None = None,
    torsion: int | None = None,
    stretch: int | None = None,
    shapes: str = "static",
    level: str = "full",
    damping: Any = 0.005,
    elements: int | None = None,
    contact: Any = (),
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
        Number of bending shapes in both planes together, those of lowest frequency; no torsion
        and no stretch.  It stands in place of the next three.  A `ModelWarning` says if it leaves
        one static shape to a plane, which is too stiff; `bending=1` gives no warning.
    bending : int or (int, int), optional
        Number of bending shapes in each plane, or in the planes x-y and x-z; by default 3.  With
        2 or more, forces and moments at the tip bend the beam exactly.
    torsion, stretch : int, optional
        Number of shapes of torsion and stretch; by default 1 each, exact for a torque or a pull at
        the tip.  0 makes the beam rigid in this respect.
    shapes : {"static", "clamped"}, optional
        "static": polynomial strains, which hold the deformation by loads at the tip exactly, so
        that beams in a row converge to the undivided beam.  "clamped": modes of vibration of the
        clamped beam, the basis of earlier versions; here `modes` are those of lowest frequency of
        all four families, by default 6.
    level : str, optional
        Level of the body, see `FlexibleBody`; "stiffened" needs static shapes.
    damping : float or array_like, optional
        Damping ratio of all modes, or of each mode, shape (modes,).
    elements : int, optional
        Number of equal parts of the axis between nodes, by default 24 (or the number of modes, if
        "clamped" has more).  For "clamped" they are the finite elements, and each family can have
        at most as many modes as there are elements.
    contact : str, int or sequence of these, optional
        Nodes on the axis that will touch others, "root", "tip" or numbers.  The body gets their
        `residual_compliance`, the deflection by forces there that its shapes leave out: zero at the
        tip of a beam with static shapes, 2 or more in bending.

    Returns
    -------
    FlexibleBody
        Nodes 0 ("root") to `elements` ("tip") lie on the axis, equally spaced and without mass;
        the nodes after them are the particles that carry the mass.  The modal coordinates are in
        ascending order of frequency with the root clamped; equal frequencies are in the order
        bending x-y, bending x-z, torsion, stretch.  Modal masses are 1, so modal coordinates are in
        m·√kg; a positive one moves (torsion: turns) the tip in the positive direction.

    Raises
    ------
    ModelError
        If an argument has the wrong type or range, or the elements are too few for the modes.

    Notes
    -----
    Bending is Euler-Bernoulli's, torsion is Saint-Venant's without warping and stretch is a bar's.
    With n static shapes in a plane the first frequencies of the clamped beam are too high by

    == ======== ======== ========
    n  first    second   third
    == ======== ======== ========
    1  27 %
    2  0.5 %    58 %
    3  3e-4     0.9 %    91 %
    4  2e-6     0.6 %    3 %
    5  4e-8     3e-5     2.5 %
    6  1e-10    1e-5     3e-4
    == ======== ======== ========

    and a plane with one shape has a constant curvature: exact for a moment at the tip, while a
    force bends it 25 % too little.  The first frequency of torsion and of stretch is 10 % too high
    with one shape, 0.4 % with two.  Frequencies of "clamped" are too high by 3 % with one element
    to the half wave, 0.4 % with two, 0.03 % with four.

    The mass consists of particles, so that the level `full` is exactly the Lagrangian mechanics of
    points.  They lie at Gauss stations (for "clamped", four in each element); the four particles of
    a station, at (x, ±a, 0) and (x, 0, ±b) with a² = 2 ∫y²dA / A and b² = 2 ∫z²dA / A, have the
    mass and the moments of inertia of the slice.  Their sums equal the integrals over the beam
    exactly.

    Departure from the solid: in bending the particles of a station follow the transverse
    displacement of the axis but not the tilt of the section (as in Euler-Bernoulli theory, without
    rotary inertia of the deformation).  Rigid motion has the full inertia of the section.

    Examples
    --------
    >>> from lissom.structures import ALUMINIUM, Rectangle, Tube, beam
    >>> boom = beam(3.0, Tube(radius=0.08, thickness=0.003), ALUMINIUM)
    >>> boom.frequencies.round(1).tolist()  # Hz: bending, torsion, bending, stretch
    [17.6, 17.6, 111.1, 111.1, 286.9, 467.9, 590.6, 590.6]
    >>> flat = beam(3.0, Rectangle(0.4, 0.01), ALUMINIUM, bending=(0, 4), torsion=2, stretch=0)
    >>> flat.n_mode
    6
    """
    solid = properties(positive(length, "beam: length [m]"), section, material)
    counts = shape_counts(shapes, modes, bending, torsion, stretch)
    parts = None if elements is None else count(elements, "beam: elements")
    if shapes == "static" and isinstance(counts, int):
        warn_of_one_shape(solid.rates[:2], counts, stacklevel=2)
    basis = (static_basis if shapes == "static" else clamped_basis)(solid, counts, parts)
    positions, masses = _particles(solid, basis.grid)
    if shapes == "clamped" and level == "stiffened":
        raise ModelError(
            'beam: level "stiffened" needs shapes="static": the second order of the deformation '
            "comes from polynomial strains; leave shapes out"
        )
    node_shapes = _shapes(solid, basis, positions)
    touching = list(beam_contact_nodes(contact, basis.grid.elements + 1))
    return FlexibleBody(
        positions,
        masses,
        node_shapes,
        np.diag(basis.omega**2),
        damping,
        names={"root": 0, "tip": basis.grid.elements},
        level=level,
        solids=Sweep(section.outline, range(basis.grid.elements + 1)),
        second_order=partial(second_order, solid, basis) if shapes == "static" else None,
        line=_line(section, basis.grid, shapes),
        contact_nodes=touching,
        residual_compliance=beam_residual(
            basis.grid.points[touching],
            1 / (solid.mass * solid.rates[[3, 0, 1]] ** 2),
            yielding(shapes, counts),
            node_shapes[touching, 3:],
            basis.omega,
        ),
    )


def _line(section: Section, grid: BeamMesh, shapes: str) -> NodeLine:
    """Axis of the beam: static shapes are polynomials over the whole length."""
    pieces = 1 if shapes == "static" else grid.elements
    points = section.stress_points()
    stations = len(grid.weights) // pieces
    return NodeLine(grid.elements + 1, pieces, stations, points.places, points.factors)


def _particles(solid: Properties, grid: BeamMesh) -> tuple[Array, Array]:
    """Positions [m] and masses [kg] of the nodes: massless ones on the axis, then particles."""
    a, b = solid.levers
    offsets = np.array([[0.0, a, 0.0], [0.0, -a, 0.0], [0.0, 0.0, b], [0.0, 0.0, -b]])
    axis = np.zeros((len(grid.points), 3))
    axis[:, 0] = solid.length * grid.points
    n_end = grid.elements + 1
    particles = (axis[n_end:, None, :] + offsets).reshape(-1, 3)
    masses = np.repeat(solid.mass * grid.weights / 4.0, 4)
    return np.vstack([axis[:n_end], particles]), np.concatenate([np.zeros(n_end), masses])


def _shapes(solid: Properties, basis: Basis, positions: Array) -> Array:
    """Mass-normalised shapes of the beam's modes, shape (nodes, 6, modes), rotation rows first.

    Plane x-y: v and θ_z = v'.  Plane x-z: w and θ_y = -w'.  Torsion: θ_x and (-z, y) θ_x.
    """
    n_end, n_point = basis.grid.elements + 1, len(basis.grid.points)
    on_axis = np.concatenate([np.arange(n_end), np.repeat(np.arange(n_end, n_point), 4)])
    across, other, twist, stretch = (
        x.values[on_axis] / math.sqrt(solid.polar if k == 2 else solid.mass)
        for k, x in enumerate(basis.families)
    )
    tilt, other_tilt = (
        x.slopes[on_axis] / (math.sqrt(solid.mass) * solid.length) for x in basis.families[:2]
    )
    y, z = positions[:, 1:2], positions[:, 2:3]
    rows: tuple[dict[int, Array], ...] = (
        {4: across, 2: tilt},
        {5: other, 1: -other_tilt},
        {0: twist, 4: -z * twist, 5: y * twist},
        {3: stretch},
    )
    family, index = basis.chosen
    shapes = np.zeros((len(positions), 6, len(family)))
    for column, (f, k) in enumerate(zip(family, index, strict=True)):
        for row, field in rows[f].items():
            shapes[:, row, column] = field[:, k]
    return shapes
