"""Properties of a beam, and the shapes that it keeps of its four families."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ._checks import positive
from .cantilever import BeamMesh, CantileverModes, bar_modes, beam_modes, mesh
from .counts import Functions, lowest, lowest_bending
from .materials import Material
from .sections import Section
from .static_shapes import bar_shapes, beam_shapes, static_mesh

Array = NDArray[np.float64]

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
