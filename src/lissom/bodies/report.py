"""Report of a flexible body: what it keeps of its source, and what looks wrong."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, cut_lines
from ..immutable import immutable
from ..spatial import rigid_shift
from .normal import NormalBody

if TYPE_CHECKING:
    from .flexible import FlexibleBody


def participation(body: NormalBody) -> Array:
    """Coupling M_rf (6, m) of rigid motion and modes about the inboard node, undeformed."""
    g = body.integrals.modal_second_moment
    turning = np.stack([g[1, 2] - g[2, 1], g[2, 0] - g[0, 2], g[0, 1] - g[1, 0]])
    return np.vstack([turning, body.integrals.modal_first_moment])


def effective_masses(body: NormalBody) -> Array:
    """Effective inertias (3) [kg m^2] and masses (3) [kg] of each mode, (6, m)."""
    return participation(body) ** 2


Array = np.ndarray

_LARGE, _LIGHT = 100.0, 5e-4  # [m], and [kg/m^3] of mass over length cubed
_SLOW, _FAST = 1e-3, 1e6  # first frequency [Hz]
_SOUND = (30.0, 1e5)  # [m/s], plausible speeds of sound in a structure
_CHANGED = 1e-6  # relative difference of mass or inertia from the source
_STIFF = 0.01  # relative loss of flexibility that is worth a word
_STATIC = 0.25  # relative loss of strain energy under the own weight
_SPREAD = 1e4  # ratio of frequencies
_NEAR, _RIGID = 0.2, 0.05  # part of the length, and what is left of a rigid motion there
_MOST_MODES = 30  # rows of the table


@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Report:
    """Properties of a flexible body beside those of its source.

    Attributes
    ----------
    title : str
        One line about the body.
    mass : float
        [kg].
    center : array (3,)
        Centre of mass from the inboard node [m].
    inertia : array (3, 3)
        About the centre of mass [kg m^2].
    frequencies, damping : array (m,)
        With the inboard node held [Hz]; ratios.
    effective_masses : array (m, 3)
        Of each mode along x, y, z, as a part of the mass.
    flexibility : dict
        Flexibility kept at each outer interface as a part of the exact one, the least over all
        directions of load; empty without a source.
    weight : float or None
        Part kept of the strain energy under gravity and rigid accelerations, the least over their
        directions.
    spread : float
        Ratio of the highest to the lowest frequency.
    source : str
        One line about the source; empty without one.
    differences : dict
        Largest relative differences of mass, center and inertia from the source.
    warnings : tuple of str
        What looks wrong, and what to do.
    """

    title: str
    mass: float
    center: Array
    inertia: Array
    frequencies: Array
    damping: Array
    effective_masses: Array
    flexibility: dict[str, float]
    weight: float | None
    spread: float
    source: str
    differences: dict[str, float]
    warnings: tuple[str, ...]

    def __str__(self) -> str:
        """The report as text."""
        return f"{self.title}\n{self.text}"

    def __repr__(self) -> str:
        """The same text, for interactive use."""
        return str(self)

    @property
    def text(self) -> str:
        """The report without its title, in lines of at most 80 columns."""
        lines = [*self._inertia(), *self._modes(), *self._statics()]
        folded = (wrap(x, 80, subsequent_indent="  ") if len(x) > 80 else [x] for x in lines)
        return "\n".join(line for group in folded for line in group)

    def _inertia(self) -> list[str]:
        lines = [self.source] if self.source else []
        lines.append(f"mass     {self.mass:.6g} kg")
        lines.append(f"centre   {_row(self.center)} m from the inboard node")
        lines += [
            f"{'inertia' if k == 0 else '':8} {_row(row)}" for k, row in enumerate(self.inertia)
        ]
        lines[-1] += " kg m^2 about the centre"
        if self.differences:
            parts = (f"{name} {x:.1e}" for name, x in self.differences.items())
            lines.append("differences from the source: " + ", ".join(parts))
        return lines

    def _modes(self) -> list[str]:
        if not len(self.frequencies):
            return []
        head = "mode  frequency [Hz]  damping  effective mass [%]: x, y, z      together"
        total = np.cumsum(self.effective_masses, axis=0)
        rows = (
            f"{k:4d}  {f:14.6g}  {d:7.4f}  {_percent(parts)}      {_percent(sums)}"
            for k, (f, d, parts, sums) in enumerate(
                zip(self.frequencies, self.damping, self.effective_masses, total, strict=True)
            )
        )
        lines = cut_lines(rows, _MOST_MODES, "modes", len(self.frequencies))
        if len(self.frequencies) > _MOST_MODES:
            lines.append(f"together {_percent(total[-1])}")
        return ["", head, *lines]

    def _statics(self) -> list[str]:
        lines = []
        for name, fraction in self.flexibility.items():
            lines.append(f"flexibility kept at {name!r}: {100 * fraction:.4g} %")
        if self.weight is not None:
            lines.append(
                f"strain energy kept under gravity and rigid acceleration: {100 * self.weight:.4g} "
                "%"
            )
        lines += [f"warning: {x}" for x in self.warnings]
        return ["", *lines] if lines else []


def report(body: FlexibleBody) -> Report:
    """Report of a body; see `FlexibleBody.report`."""
    if not body.is_numeric:
        raise ModelError("FlexibleBody: a body with symbols has no report; give numbers first")
    normal = body.normalised("linear")
    integrals = normal.integrals
    center = integrals.first_moment / normal.mass
    second = integrals.second_moment - normal.mass * np.outer(center, center)
    inertia = np.trace(second) * np.eye(3) - second
    frequencies = normal.frequencies
    omega = 2 * np.pi * frequencies
    damping = np.diag(normal.damping) / np.maximum(2 * omega, 1e-300)
    facts = getattr(body.source, "facts", None)
    flexibility, weight = ({}, None) if facts is None else _least_parts(normal, facts)
    return Report(
        title=repr(body),
        mass=float(normal.mass),
        center=center,
        inertia=inertia,
        frequencies=frequencies,
        damping=damping,
        effective_masses=effective_masses(normal)[3:].T / normal.mass,
        flexibility=flexibility,
        weight=weight,
        spread=float(frequencies.max() / max(frequencies.min(), 1e-300)) if normal.n_mode else 1.0,
        source="" if facts is None else _source(body.source, facts),
        differences={} if facts is None else _differences(normal, facts),
        warnings=tuple(_warnings(body, normal, facts, flexibility, weight)),
    )


def _row(values: Array) -> str:
    least = 1e-12 * np.abs(values).max(initial=0.0)
    return " ".join(f"{x if abs(x) > least else 0.0:12.5g}" for x in values)


def _percent(values: Array) -> str:
    return " ".join(f"{100 * x:6.2f}" for x in values)


def _source(source: Any, facts: Any) -> str:
    held = "1 interface" if len(facts.interfaces) == 1 else f"{len(facts.interfaces)} interfaces"
    return f"source   {source.name}: {facts.n_freedom} freedoms, {held}, {facts.method}"


def _differences(normal: NormalBody, facts: Any) -> dict[str, float]:
    """Relative differences of the body's inertia about its inboard node from the source's."""
    exact = facts.rigid_mass
    second, p = normal.integrals.second_moment, normal.integrals.first_moment
    inertia = np.trace(second) * np.eye(3) - second
    moment = np.array([exact[2, 4], exact[0, 5], exact[1, 3]])  # of skew(p) = exact[:3, 3:]
    length = float(np.linalg.norm(normal.node_positions, axis=1).max(initial=0.0)) or 1.0
    mass = exact[3:, 3:].trace() / 3
    return {
        "mass": abs(normal.mass - mass) / mass,
        "centre": float(np.abs(p - moment).max()) / (mass * length),
        "inertia": float(np.abs(inertia - exact[:3, :3]).max() / np.abs(exact[:3, :3]).max()),
    }


def _least_parts(normal: NormalBody, facts: Any) -> tuple[dict[str, float], float | None]:
    """Least parts kept of the flexibility at interfaces, and of the energy under the weight."""
    inverse = 1 / np.maximum(normal.stiffness, 1e-300)
    flexibility = {}
    for k, name in enumerate(facts.interfaces[1:]):
        part = slice(6 * k, 6 * k + 6)
        Pi = normal.node_shapes[normal.node_names[name]]
        flexibility[name] = _least_part((Pi * inverse) @ Pi.T, facts.flexibility[part, part])
    P = participation(normal)
    return flexibility, _least_part((P * inverse) @ P.T, facts.weight_energy)


def _least_part(captured: Array, exact: Array) -> float:
    """Least x^T captured x / x^T exact x, over directions in which the exact one is not zero."""
    scale = np.sqrt(np.diag(exact).clip(min=0.0))
    used = scale > 1e-9 * scale.max(initial=0.0)
    if not np.any(used):
        return 1.0
    outer = np.outer(scale[used], scale[used])
    values, vectors = np.linalg.eigh(exact[np.ix_(used, used)] / outer)
    strong = values > 1e-9 * values[-1]
    root = vectors[:, strong] / np.sqrt(values[strong])
    parts = np.linalg.eigvalsh(root.T @ (captured[np.ix_(used, used)] / outer) @ root)
    return float(parts[0].clip(0.0, 1.0))


def _warnings(
    body: FlexibleBody,
    normal: NormalBody,
    facts: Any,
    flexibility: dict[str, float],
    weight: float | None,
) -> list[str]:
    warnings = _units(body, normal) + _turning(body)
    for name, fraction in flexibility.items():
        if fraction < 1 - _STIFF:
            warnings.append(
                f"loads at {name!r} bend the body {100 * (1 - fraction):.3g} % too little in some "
                'direction; give method="craig-bampton" or attachment=True'
            )
    if weight is not None and weight < 1 - _STATIC:
        warnings.append(
            f"{100 * (1 - weight):.3g} % of the strain energy under gravity or rigid acceleration "
            "is missing in some direction; give more modes or inertia_relief=True where these "
            "stresses matter"
        )
    if normal.n_mode and normal.frequencies.max() > _SPREAD * max(normal.frequencies.min(), 1e-300):
        warnings.append(
            f"frequencies reach from {normal.frequencies.min():.3g} to "
            f"{normal.frequencies.max():.3g} "
            "Hz: explicit integrators need short steps; use generalized_alpha, or fewer shapes"
        )
    if facts is not None:
        warnings += _of_reduction(facts, _differences(normal, facts))
    return warnings


def _of_reduction(facts: Any, differences: dict[str, float]) -> list[str]:
    warnings = []
    for name, x in differences.items():
        if x > _CHANGED:
            warnings.append(
                f"{name} differs from the source by {x:.1e}; the particles of the structure are "
                "not those of its mass matrix"
            )
    if facts.massless:
        warnings.append(
            f"{facts.massless} static shapes move no mass and are left out, and their flexibility "
            "with them; give the nodes of interfaces some mass and rotary inertia"
        )
    if facts.rigid_force > 1e-8:
        warnings.append(
            f"rigid motion meets forces of {facts.rigid_force:.1e} of those in the structure; "
            "write the matrices with more digits, or look for springs to the ground"
        )
    return warnings


def _turning(body: FlexibleBody) -> list[str]:
    """Suspicion that shapes turn the inboard node while its rotation rows are zero.

    The nodes beside it then move as a rigid body that turns about it; beside a held node they
    do not.
    """
    if np.any(body.shapes[body.inboard]) or body.source is not None:
        return []
    r = body.positions - body.positions[body.inboard]
    distance = np.linalg.norm(r, axis=1)
    near = (distance > 0) & (distance <= _NEAR * distance.max())
    if near.sum() < 3 or not np.all(np.any(body.shapes[near, 3:], axis=(0, 1))):
        return []
    lever = np.concatenate([rigid_shift(x).T[3:, :3] for x in r[near]])
    moved = body.shapes[near, 3:].reshape(len(lever), -1)
    angles = np.linalg.lstsq(lever, moved, rcond=None)[0]
    left = np.linalg.norm(moved - lever @ angles, axis=0)
    size = np.linalg.norm(body.shapes[near, 3:], axis=1)
    moving = size > 0.01 * size.max(axis=0)
    reach = np.where(moving, distance[near][:, None], np.nan)
    spread = np.nanmax(reach, axis=0) > 2 * np.nanmin(reach, axis=0)
    turning = np.flatnonzero(spread & (left < _RIGID * np.linalg.norm(moved, axis=0)))
    if not len(turning):
        return []
    return [
        f"mode {turning[0]} turns the material at the inboard node, but the rotation rows of the "
        'node are zero: the joint holds the chord of the shapes; give frame="chord" to '
        "FlexibleBody if this is meant, or the rotations for the tangent"
    ]


def _units(body: FlexibleBody, normal: NormalBody) -> list[str]:
    """Suspicions that lengths, masses or moduli are not in SI units."""
    warnings = []
    length = float(np.linalg.norm(np.ptp(body.positions, axis=0)))
    if length > _LARGE:
        warnings.append(
            f"the body is {length:.4g} m long; if its lengths are in millimetres, scale them by "
            "1e-3"
        )
    elif length and normal.mass / length**3 < _LIGHT:
        warnings.append(
            f"the body is {length:.3g} m long and has {normal.mass:.3g} kg; if its masses are in "
            "tonnes, or its density in t/mm^3, give kg and kg/m^3"
        )
    first = float(normal.frequencies.min()) if normal.n_mode else 1.0
    if normal.n_mode and not _SLOW < first < _FAST:
        warnings.append(
            f"the first frequency is {first:.3g} Hz; if moduli are in MPa or GPa, give Pa, and "
            "check lengths (m) and masses (kg)"
        )
    sound = getattr(body.source, "sound_speed", None)
    if sound is not None and np.isfinite(sound) and not _SOUND[0] < sound < _SOUND[1]:
        warnings.append(
            f"waves would travel at about {sound:.2g} m/s in the structure, in metals at 5000 m/s; "
            "if moduli are in MPa or GPa, give Pa, and check lengths (m) and densities (kg/m^3)"
        )
    return warnings
