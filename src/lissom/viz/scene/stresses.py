"""Stress of bodies at the nodes that are drawn."""

from __future__ import annotations

import numpy as np

from ...bodies import NormalBody
from ...bodies.sections import Sections
from ...errors import StateError
from ...results.stress_quantities import at_points, has_stress
from ...results.trajectory import Trajectory

Array = np.ndarray

_SAME = 1e-6  # fraction of the size of a body within which stations are at a node


def shows_stress(body: NormalBody) -> bool:
    """Whether colours can show the stress of a body."""
    return has_stress(body)


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
