"""The motion of one mode, as rows that the view shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.loops.assembly import closed_with_warning
from ..algorithms.tree.coordinates import moved
from ..algorithms.tree.kinematics import node_jacobian, node_pose
from ..errors import StateError
from ..fields import count
from ..results.store import Columns, MemoryStore
from ..results.trajectory import Trajectory
from ..sim.run.checks import number, positive
from ..system import State

if TYPE_CHECKING:
    from .system_modes import SystemModes

Array = np.ndarray

FAR, TURNED = 0.1, 0.4  # largest displacement over the extent, largest rotation [rad]


def mode_motion(
    modes: SystemModes,
    k: int,
    amplitude: float | None,
    *,
    period: float,
    cycles: int,
    frames: int,
) -> Trajectory:
    """Rows of a vibration, see `SystemModes.animate`."""
    system, state, phi = modes.system, modes.state, modes.shapes[:, k]
    length = positive(period, "animate: period", "a positive time [s]")
    for name, value in (("cycles", cycles), ("frames", frames)):
        count(value, f"animate: {name}", error=StateError)
    if amplitude is None:
        factor = visible_amplitude(state, phi)
    else:
        factor = number(amplitude, "animate: amplitude")
    columns = Columns.of(system)
    omega = 2 * np.pi / length
    rows = []
    for t in np.linspace(0.0, cycles * length, cycles * frames + 1):
        turning = factor * phi * np.exp(1j * omega * t)
        x, rate, change = turning.real, (1j * omega * turning).real, (-(omega**2) * turning).real
        row = np.zeros(columns.width)
        q = moved(system, state.raw_q, x)
        if system.constraints:
            q = closed_with_warning(system, State(system, q, rate), velocity=False)[0].q
        parts = {"time": t, "q": q, "v": rate, "acceleration": change}
        for name, value in parts.items():
            row[columns.slices[name]] = value
        rows.append(row)
    meta = {"message": f"mode {k}, {modes.frequencies[k]:.5g} Hz, shown with {length:g} s"}
    return Trajectory(system, MemoryStore(columns, np.array(rows)), meta)


def visible_amplitude(state: State, phi: Array) -> float:
    """Factor of a shape with which its motion is well seen.

    `phi` (n_v,): shape.
    """
    system = state.system
    places, far, turned = [np.zeros((1, 3))], 0.0, 0.0
    for i, body in enumerate(system.bodies):
        order = body.second_order  # at "stiffened" of the nodes where something can be attached
        for node in range(len(body.node_positions)):
            if order is not None and node != body.inboard and node not in order.node_shapes:
                continue
            places.append(node_pose(system, state, i, node).position[None])
            motion = np.abs(node_jacobian(system, state, i, node) @ phi)
            turned, far = max(turned, motion[:3].max()), max(far, motion[3:].max())
    extent = float(np.ptp(np.concatenate(places), axis=0).max()) or system.length
    return 1 / max(far / (FAR * extent), turned / TURNED, 1e-300)
