"""Rods of a section and a material."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from ..bodies.rod import MOST_ELEMENTS, Rod
from ..bodies.solids import Sweep
from ..errors import ModelError
from ..fields import count
from ._checks import positive
from .materials import Material
from .sections import Section
from .taper import section_function

Array = NDArray[np.float64]

_TAPER_POINTS = 12  # where a section that varies is asked for; exact for polynomials below this
_ELEMENTS = 24


def rod(
    length: float,
    section: Section | Sequence[Section] | Callable[[float], Section],
    material: Material,
    *,
    bending: Any = 4,
    torsion: Any = 2,
    stretch: Any = 1,
    shear: Any = 0,
    curvature: Any = (0.0, 0.0, 0.0),
    shear_factor: float = 5 / 6,
    damping: Any = 0.005,
    nodes: Mapping[str, float] | None = None,
    elements: int = _ELEMENTS,
    stations: int | None = None,
) -> Rod:
    """Rod along +x that bends as far as it will, its root held in its body frame.

    Parameters
    ----------
    length : float
        Length of the unstrained axis [m].
    section : Section, pair of Section, or callable
        Cross-section; a pair is the section at the root and at the tip, whose dimensions vary
        linearly between; a function of s/length in [0, 1] returns the section there.
    material : Material
        Material, for example `ALUMINIUM`.
    bending, shear : int, sequence of callables, or a pair of these, optional
        Functions of curvature and of shear in each plane, or in the planes x-y and x-z; see `Rod`.
    torsion, stretch : int or sequence of callables, optional
        Functions of twist and of stretch.  0 makes the rod rigid in this respect.
    curvature : array (3,) or (k, 3), optional
        Natural curvature about x (twist), y and z [rad/m]: (0, 0, 1/R) is an arc of radius R in
        the plane x-y, a constant twist besides makes it a helix.  k rows are values at the k
        Gauss points of the length.
    shear_factor : float, optional
        Part of the area that carries shear, 5/6 of a rectangle.
    damping : float, array (m,) or array (m, m), optional
        Damping ratio of all coordinates or of each, or a matrix; acts on strain rates.
    nodes : dict, optional
        Names and arc lengths [m] of nodes besides "root" and "tip", such as {"middle": 0.5}.
    elements : int, optional
        Number of equal parts of the axis between numbered nodes.
    stations : int, optional
        Number of sections that carry the mass, see `Rod`.

    Returns
    -------
    Rod
        Nodes 0 ("root") to `elements` ("tip") lie on the axis at equal distances, the named ones
        after them.  The coordinates are, strain by strain (bending in the plane x-y, in the plane
        x-z, torsion, stretch, shear), modes of vibration about the shape at rest with modal mass
        1; a positive one moves (torsion: turns) the tip in the positive direction.

    Raises
    ------
    ModelError
        If an argument has the wrong type or range.

    Notes
    -----
    Strains are polynomials along the rod, exact up to rotations of any size; the material is linear
    and strains must stay small, below a tenth.  Sections have rotary inertia.  With p functions of
    curvature in a plane the tip of a cantilever of length L under an end force F is wrong by

    == =============== ================
    p  F = EI/L²       F = 10 EI/L²
    == =============== ================
    2  9e-5 L          2e-2 L
    3  8e-7 L          1e-3 L
    4  2e-7 L          2e-5 L
    6  8e-12 L         2e-6 L
    == =============== ================

    Four functions do the work of 16 to 32 finite elements.  Beyond eight, divide the rod into two
    on a Fixed joint: the cost grows with their square.

    Examples
    --------
    >>> import lissom as ls
    >>> strip = ls.rod(1.0, ls.Rectangle(0.02, 0.001), ls.STEEL, bending=(0, 4), torsion=0)
    >>> strip.n_mode
    5
    >>> ring = ls.rod(2 * 3.1416, ls.Circle(0.01), ls.STEEL, curvature=(0, 0, 1.0), bending=6)
    """
    if not isinstance(material, Material):
        raise ModelError(
            f"rod: material must be a Material, not {material!r}; give for example ALUMINIUM"
        )
    positive(length, "rod: length [m]")
    factor = positive(shear_factor, "rod: shear_factor")
    elements = count(elements, "Rod: elements", 1, MOST_ELEMENTS)
    at = section_function(section, "rod")
    uniform = isinstance(section, Section)
    xi, _ = legendre.leggauss(1 if uniform else _TAPER_POINTS)
    rows = [_properties(at((x + 1) / 2), material, factor) for x in xi]
    stiffness, mass, inertia = (np.array(values) for values in zip(*rows, strict=True))
    return Rod(
        length,
        stiffness[0] if uniform else stiffness,
        mass[0] if uniform else mass,
        inertia[0] if uniform else inertia,
        bending=bending,
        torsion=torsion,
        stretch=stretch,
        shear=shear,
        curvature=curvature,
        damping=damping,
        nodes={} if nodes is None else nodes,
        elements=elements,
        stations=stations,
        solids=_swept(at, 1 if uniform else elements + 1, elements),
        stress_factors=_stress_factors(at, 1 if uniform else elements + 1, material, factor),
    )


def _swept(at: Callable[[float], Section], n: int, elements: int) -> Sweep:
    """Appearance: n outlines along the axis; rectangles where they are of different kinds."""
    sections = [at(x) for x in np.linspace(0.0, 1.0, n)]
    outlines = [np.asarray(section.outline) for section in sections]
    if len({outline.shape for outline in outlines}) > 1:
        outlines = [np.asarray(Section.outline.__get__(section)) for section in sections]
    return Sweep(outlines[0] if n == 1 else np.array(outlines), range(elements + 1))


def _stress_factors(
    at: Callable[[float], Section], n: int, material: Material, factor: float
) -> Array | None:
    """Stress per unit strain at the points of n sections; None where these are of several kinds."""
    factors = []
    for section in (at(x) for x in np.linspace(0.0, 1.0, n)):
        stiffness = np.array(_properties(section, material, factor)[0])
        per_load = np.asarray(section.stress_points().factors)  # of forces, then of moments
        factors.append(np.concatenate([per_load[..., 3:], per_load[..., :3]], axis=-1) * stiffness)
    return np.stack(factors) if len({x.shape for x in factors}) == 1 else None


def _properties(section: Section, material: Material, factor: float) -> tuple[Any, float, Any]:
    """Stiffness (6,), mass per length and inertia (3,) per length."""
    what = f"rod: section {section.name}: "
    area = positive(section.area, what + "area [m²]")
    about_y = positive(section.second_moment_y, what + "second_moment_y [m⁴]")
    about_z = positive(section.second_moment_z, what + "second_moment_z [m⁴]")
    torsion = positive(section.torsion_constant, what + "torsion_constant [m⁴]")
    shear = factor * material.shear_modulus * area
    stiffness = (
        material.shear_modulus * torsion,
        *(material.youngs_modulus * x for x in (about_y, about_z, area)),
        shear,
        shear,
    )
    inertia = [material.density * x for x in (about_y + about_z, about_y, about_z)]
    return stiffness, material.density * area, inertia
