"""Given forces on the joints of loops, (C 4.17), as forces on nodes.

With tau along the free motions H* of the joint, D = diag(length, 1):
  F_f = D g on frame b,  (D H*)^T g = tau with the least g;  its opposite on frame a
g has no part in the directions that the loop holds: what acts there are the constraint forces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import StateError, shown
from ...spatial.scalar import array
from ...system import State, System
from ..tree.arguments import speeds_vector, to_external
from ..tree.reference import External
from . import frames

Array = np.ndarray


def applied_forces(
    system: System, state: State, forces: Any, external: Mapping[Any, Any] | None
) -> tuple[Array, External]:
    """Generalized forces (n_v,), and spatial forces on nodes with those on joints of loops.

    `forces`: forces by speed, or by name: "body", "body.modes" or "loop"; `external`: spatial
    forces on nodes.
    """
    on_nodes = to_external(system, external)
    names = {loop.name: loop for loop in system.loops}
    if not isinstance(forces, Mapping) or not any(str(key) in names for key in forces):
        return speeds_vector(system, forces, "forces"), on_nodes
    frames.check_real(state, "a force on the joint of a loop")
    by_body = {key: value for key, value in forces.items() if str(key) not in names}
    by_loop = {str(key): value for key, value in forces.items() if str(key) in names}
    wrenches = list(on_nodes)
    for placement in frames.placed_loops(system, state.raw_q, [names[name] for name in by_loop]):
        wrenches += frames.loop_external(
            placement, _wrench(placement, by_loop[placement.loop.name])
        )
    return speeds_vector(system, by_body, "forces"), wrenches


def _wrench(placement: frames.PlacedLoop, values: Any) -> Array:
    """Moment and force F_f on frame b, in its axes, of forces along the motions of the joint."""
    name, joint = placement.loop.name, placement.loop.joint
    try:
        tau = np.atleast_1d(array(values))
    except (TypeError, ValueError):
        tau = np.zeros(0)
    if joint.n_v == 0:
        raise StateError(f"forces: the joint of loop {name!r} is fixed; nothing moves there")
    if tau.shape != (joint.n_v,) or tau.dtype.kind != "f" or not np.all(np.isfinite(tau)):
        n = f"{joint.n_v} finite number{'' if joint.n_v == 1 else 's'}"
        raise StateError(f"forces: loop {name!r} needs {n}, got {shown(values)}")
    Ht = placement.scale[:, None] * joint.motion_map(placement.coordinates)
    return np.asarray(placement.scale * np.linalg.lstsq(Ht.T, tau, rcond=None)[0])
