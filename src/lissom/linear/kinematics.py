"""Deviations of a configuration and their rates.

A deviation delta (n_v) leads from q to a configuration near it along the motions of the speeds:
  dq = N(q) delta,  qdot = N(q) v                                                            (1)
Both hold at all times, d(dq)/dt = d(qdot), so that with nu the deviation of the speeds
  delta' = nu + E delta,  N E delta = D_(N delta) N v - D_(N v) N delta = -[N v, N delta]       (2)
where D_x N is the derivative of N along x.  E vanishes where speeds are rates of coordinates, and
at rest.  Of joints with constant motion maps, such as Spherical and Free, E = -ad(v).
"""

from __future__ import annotations

import numpy as np

from ..errors import SingularError
from ..joints import Joint
from ..spatial import block_diagonal, bracket
from ..system import State

Array = np.ndarray

SPACING = 1e-4  # of differences of the rate map of a user's joint, coordinates of size 1
OUTSIDE = 1e-6  # part of (2) outside of the motions, relative, above which a joint is nonholonomic


def deviation_rates(state: State) -> Array:
    """Matrix E (n_v, n_v) of (2).

    Parameters
    ----------
    state : State
        Configuration and speeds.
    """
    system, blocks = state.system, []
    for name, joint, body in zip(system.names, system.joints, system.bodies, strict=True):
        blocks.append(np.zeros((body.n_mode, body.n_mode)))
        v = state[f"{name}.rates"]
        if joint.has_quasi_speeds and np.any(v):
            E = _of_maps(joint.maps, v) if joint.maps else _of_rates(joint, state[name], v, name)
            blocks.append(E)
        else:
            blocks.append(np.zeros((joint.n_v, joint.n_v)))
    return block_diagonal(*blocks) if blocks else np.zeros((0, 0))


def _of_maps(maps: tuple[Array, ...], v: Array) -> Array:
    """E of a product of joints with constant maps H: H E delta = -[H v, H delta]."""
    blocks, start = [], 0
    for H in maps:
        r = H.shape[1]
        motion = H @ v[start : start + r]
        columns = np.stack([bracket(motion, h) for h in H.T], axis=1)
        blocks.append(-np.linalg.lstsq(H, columns, rcond=None)[0])
        start += r
    return block_diagonal(*blocks)


def _of_rates(joint: Joint, q: Array, v: Array, name: str) -> Array:
    """E from differences of the rate map."""
    N, n = joint.rate_map(q), joint.n_v

    def slope(along: Array) -> Array:
        h = SPACING
        near, far = (
            (joint.rate_map(q + s * along) - joint.rate_map(q - s * along)) / (2 * s)
            for s in (h, 2 * h)
        )
        return (4 * near - far) / 3

    turning = slope(N @ v)
    columns = np.stack([slope(N[:, k]) @ v - turning[:, k] for k in range(n)], axis=1)
    E = np.linalg.lstsq(N, columns, rcond=None)[0]
    if np.abs(N @ E - columns).max() > OUTSIDE * np.abs(N).max() * np.abs(v).max():
        raise SingularError(
            f"body {name!r}: its joint ({joint.label}) is nonholonomic, and it moves: deviations "
            "along its motions do not stay along them; linearize about a state in which it rests",
            body=name,
        )
    return E
