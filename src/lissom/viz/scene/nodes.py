"""Nodes of bodies and what is attached to them, and rods with as many nodes as a picture needs."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ...bodies import NormalBody
from ...bodies.rod_poses import piece_turns, section_poses
from ...bodies.rod_tables import EPS_X, KAPPA_Y, RodTables
from ...bodies.solids import Solid, Sweep
from ...spatial.many_rotations import exponential, rotated

Array = np.ndarray

_STEP = 0.15  # rad, largest turn between drawn sections
_MOST = 600  # drawn sections of a sweep
_AROUND = 16  # corners of a rod without solids
_WILD = 1e6  # coordinates of a rod; larger ones overflow
_THINNEST, _THICKEST = 0.003, 0.05  # its radius over its length


def node_frames(body: NormalBody, nodes: Array, eta: Array) -> tuple[Array, Array]:
    """Attitudes (k, n, 4) and positions (k, n, 3) of n nodes in k states, in body axes.

    The attitudes are unit quaternions, node axes to body axes.

    `nodes` (n,): nodes; `eta` (k, n_mode): modal coordinates.
    """
    if body.rod is not None:
        pieces = [body.rod.node_pieces[node] for node in nodes]
        return section_poses(body.rod, pieces, drawable(body, eta))
    moved = np.stack([body.displaced(int(node), eta) for node in nodes], axis=1)
    turns = exponential(moved[..., :3].reshape(-1, 3))
    return turns.reshape(*moved.shape[:2], 4), body.node_positions[nodes] + moved[..., 3:]


def bent(body: NormalBody, nodes: Array, offsets: Array, eta: Array) -> Array:
    """Points attached to nodes, in body axes: ``l + R offset`` [m].

    `nodes` (n,): node of each point; `offsets` (n, 3): from the node, in node axes [m]; `eta`
    (n_mode,): modal coordinates.
    """
    if not body.n_mode:
        return np.asarray(body.node_positions[nodes] + offsets)
    used, numbers = np.unique(nodes, return_inverse=True)
    turns, places = node_frames(body, used, eta[None])
    return places[0][numbers] + rotated(turns[0][numbers], offsets)


def drawable(body: NormalBody, eta: Array) -> Array:
    """Modal coordinates, those of a rod within bounds: a run that failed may end far outside."""
    return eta if body.rod is None else np.clip(eta, -_WILD, _WILD)


def matrices(turns: Array) -> Array:
    """Rotations (..., 3, 3) of unit quaternions (w, x, y, z)."""
    w, x, y, z = np.moveaxis(turns, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def smooth(body: NormalBody, eta: Array, least: int = 1) -> NormalBody:
    """Body for a picture: a rod gets more nodes along its sweeps, behind its own; others stay.

    A rod without solids gets a round section.

    `eta` (k, n_mode): modal coordinates of the states that are drawn.
    """
    if body.rod is None:
        return body
    places, solids = list(body.rod.places), []
    for solid in body.solids or (_round(body.rod),):
        solids.append(_divided(solid, body.rod, places, drawable(body, eta), least))
    rod = dataclasses.replace(body.rod, places=np.array(places))
    zero = np.zeros((1, body.n_mode))
    shapes = np.zeros((len(places), 6, body.n_mode))  # of the new nodes nobody asks for them
    shapes[: len(body.node_shapes)] = body.node_shapes
    return dataclasses.replace(
        body,
        rod=rod,
        solids=tuple(solids),
        node_positions=section_poses(rod, rod.node_pieces, zero)[1][0],
        node_shapes=shapes,
    )


def _divided(solid: Solid, rod: RodTables, places: list[float], eta: Array, least: int) -> Solid:
    """Sweep with more nodes, whose arc lengths are added to `places`; other solids as they are."""
    if not isinstance(solid, Sweep) or len(solid.nodes) < 2:
        return solid
    if min(solid.nodes) < 0 or max(solid.nodes) >= len(rod.places):
        return solid  # `surfaces` names the mistake
    stations = rod.places[list(solid.nodes)]
    parts = max(least, _parts(rod, np.abs(np.diff(stations)).max(), eta))
    parts = max(1, min(parts, _MOST // len(stations)))
    nodes, outlines = [solid.nodes[0]], [solid.outlines[0]]
    for k, end in enumerate(solid.nodes[1:]):
        for part in np.arange(1, parts) / parts:
            nodes.append(len(places))
            places.append((1 - part) * stations[k] + part * stations[k + 1])
            outlines.append((1 - part) * solid.outlines[k] + part * solid.outlines[k + 1])
        nodes.append(end)
        outlines.append(solid.outlines[k + 1])
    outline = solid.outline if solid.outline.ndim == 2 else np.array(outlines)
    return dataclasses.replace(solid, nodes=nodes, outline=outline)


def _parts(rod: RodTables, length: float, eta: Array) -> int:
    """Parts into which a piece of a length is divided, so that none turns too far."""
    turned = piece_turns(rod, np.vstack([np.zeros((1, len(rod.strains))), eta]))
    steepest = float((turned / np.diff(rod.points, prepend=0.0)).max())
    return math.ceil(min(steepest * length / _STEP, _MOST))


def _round(rod: RodTables) -> Sweep:
    """Sweep of the circle whose stiffnesses against bending and stretch are the rod's."""
    section = rod.section_stiffness.mean(axis=0)
    bending, stretch = section[KAPPA_Y], section[EPS_X]
    radius = 2 * math.sqrt(max(bending, 0.0) / stretch) if stretch > 0 else 0.0
    radius = float(np.clip(radius, _THINNEST * rod.length, _THICKEST * rod.length))
    angle = 2 * np.pi * np.arange(_AROUND) / _AROUND
    along = np.argsort(rod.places, kind="stable")
    return Sweep(radius * np.column_stack([np.cos(angle), np.sin(angle)]), along)
