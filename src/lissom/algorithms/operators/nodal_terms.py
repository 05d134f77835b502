"""Motion of all nodes of one body (A 2), (A 21), (A 22), (A 27), (A 28), (A 31), (A 32)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import StateError
from ...printing import Shown
from ...spatial import cross
from ...system import System
from ..tree.body_terms import node_motion
from ..tree.reference import BodyMotion

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class NodalTerms(Shown):
    """Motion of the n_s nodes of a body, stacked, in body axes.

    Attributes
    ----------
    Pi : array (6 n_s, n_mode)
        Modal rates to velocities of the nodes relative to the body (A 2); rotation rows with J_l.
    B : array (6, 6 n_s)
        Rigid shifts from the nodes to the body's origin, side by side (A 22).
    V_s : array (6 n_s,)
        Spatial velocities of the nodes, Pi eta_dot + B* V (A 21).
    a : array (6 n_s,)
        Velocity-dependent accelerations of the nodes (A 28).
    b : array (6 n_s,)
        Gyroscopic forces of the nodes, zero for particles (A 31).
    """

    Pi: Array
    B: Array
    V_s: Array
    a: Array
    b: Array

    def alpha_s(self, alpha_m: Any) -> Array:
        """Spatial accelerations of the nodes, (A 27).

        Parameters
        ----------
        alpha_m : array (n_mode + 6,)
            Modal acceleration of the body, a piece of `Operators.alpha_m`.

        Returns
        -------
        array (6 n_s,)
        """
        return np.concatenate([self.Pi, self.B.T], axis=1) @ np.asarray(alpha_m) + self.a


def nodal_terms(system: System, motion: BodyMotion, i: int) -> NodalTerms:
    """Terms of all nodes of body i."""
    body = system.bodies[i]
    if not body.n_mode or body.rod is not None or body.level != "full":
        what = f"is at level {body.level!r}" if body.n_mode else "is rigid"
        what = "is a rod" if body.rod is not None else what
        raise StateError(
            f"nodal terms of body {system.names[i]!r}: it {what}, and the algorithms know its mass "
            'by sums over its nodes only; take a body with modes at level "full"'
        )
    eta, eta_dot, V = motion.eta, motion.eta_dot, motion.velocity
    nodes = [node_motion(body, s, eta, eta_dot, V) for s in range(len(body.node_positions))]
    b = np.zeros((len(nodes), 6), np.result_type(eta, eta_dot, V))
    for lump in body.lumps:
        E, w = nodes[lump.node].rotation, nodes[lump.node].velocity[:3]
        moment = cross(w, E @ lump.inertia @ (E.T @ w))
        b[lump.node] = [*moment, *(lump.mass * cross(w, cross(w, E @ lump.offset)))]  # (A 31)
    return NodalTerms(
        Pi=np.concatenate([node.shapes for node in nodes]),
        B=np.concatenate([node.shift for node in nodes], axis=1),
        V_s=np.concatenate([node.velocity for node in nodes]),
        a=np.concatenate([node.coriolis for node in nodes]),
        b=b.ravel(),
    )
