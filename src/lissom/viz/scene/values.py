"""What colours show of bodies: deflection, stress, and curvature and moment of rods."""

from __future__ import annotations

import numpy as np

from ...bodies import NormalBody
from ...bodies.rod_tables import RodTables, interpolation
from ...bodies.sections import Sections
from ...errors import StateError
from ...results.stress_quantities import at_points, has_stress
from ...results.trajectory import Trajectory
from ...system import System

Array = np.ndarray

_SAME = 1e-6  # fraction of the size of a body within which stations are at a node


def check_color(color: str | None, system: System) -> None:
    """Refuse colours that show something that no body of a system has."""
    if color is None:
        return
    kind, has = {
        "deflection": ("flexible body", lambda body: body.n_mode),
        "stress": ("beam, rod, frame or solid", has_stress),
    }.get(color, ("rod", lambda body: body.rod))
    if not any(map(has, system.bodies)):
        raise StateError(
            f"color is {color!r}, but the system has no {kind} that could show it; omit it"
        )


def strain_fields(rod: RodTables, nodes: Array) -> tuple[Array, Array, Array]:
    """Strain functions, natural curvature, and stiffness against twist and bending, at nodes."""
    to_nodes = interpolation(rod.points / rod.length, rod.places[nodes] / rod.length)
    return tuple(to_nodes @ x for x in (rod.functions, rod.natural, rod.section_stiffness[:, :3]))


def shown_strains(rod: RodTables, nodes: Array, eta: Array) -> dict[str, Array]:
    """Curvature [rad/m] and moment [N m] of sections at nodes, (k, n) each, for k states.

    `nodes` (n,): nodes; `eta` (k, m): coordinates.
    """
    functions, natural, stiffness = strain_fields(rod, nodes)
    strain = np.einsum("nm,am,km->kna", functions, rod.curvature_axes, eta)
    return {
        "curvature": np.linalg.norm((natural + strain)[..., 1:], axis=2),
        "moment": np.linalg.norm(stiffness * strain, axis=2),
    }


def stress_at_nodes(rows: Trajectory, i: int, nodes: Array, drawn: NormalBody) -> Array:
    """Largest von Mises stress at nodes of body i, (frame, node) [Pa]; 0 where it is unknown.

    `nodes` (n,): its nodes that are drawn.
    """
    body, name = rows.system.bodies[i], rows.system.names[i]
    if body.recovery is not None and body.recovery.points is not None:
        return _at_points(body, nodes, rows.q[:, rows.system.layout.modal_q(i)])
    try:
        if drawn.rod is not None:
            return rows.along(name, "stress", drawn.rod.places[nodes])
        along = rows.along(name, "stress")
    except StateError:  # a beam that was changed, or numbers that are too large
        return np.zeros((rows.n, len(nodes)))
    chosen = _stations(Sections(body, name), nodes)
    return np.stack([along[:, one].max(axis=1) for one in chosen], axis=1)


def _stations(sections: Sections, nodes: Array) -> list[Array]:
    """Numbers of the sections that are nearest to each node."""
    body = sections.body
    if body.line is not None:
        last = body.line.nodes - 1
        return [np.array([node if node <= last else 0]) for node in nodes]
    assert sections.stations is not None
    away = body.node_positions[nodes][:, None] - sections.stations.positions
    distance = np.linalg.norm(away, axis=2)
    near = distance.min(axis=1, keepdims=True) + _SAME * float(np.ptp(sections.stations.positions))
    return [np.flatnonzero(one) for one in distance <= near]


def largest_stress(rows: Trajectory, i: int) -> float:
    """Largest von Mises stress of all points of body i in all rows [Pa]; 0 where it is unknown."""
    try:
        values = rows[f"{rows.system.names[i]}.stress"]
    except StateError:  # as in `stress_at_nodes`
        return 0.0
    return float(values[np.isfinite(values)].max(initial=0.0))


def _at_points(body: NormalBody, nodes: Array, eta: Array) -> Array:
    assert body.recovery is not None and body.recovery.points is not None
    on = np.asarray(body.recovery.points.nodes)
    stresses, number = np.zeros((len(eta), len(nodes))), {int(n): k for k, n in enumerate(nodes)}
    points = np.flatnonzero(np.isin(on, nodes))
    values = at_points(body, points, eta)
    for column, point in enumerate(points):
        k = number[int(on[point])]
        stresses[:, k] = np.maximum(stresses[:, k], values[:, column])
    return stresses
