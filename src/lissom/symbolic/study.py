"""Properties of explicit equations: dependence, ignorable coordinates, momenta."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..spatial import block_diagonal
from ..spatial.scalar import solve, zeros
from .calculus import differentiated, directional
from .derivation import Derivation
from .graph import GraphNode

Array = np.ndarray


def is_skew(d: Derivation, C: Array) -> bool:
    """Whether Mdot - 2 C is skew, that is, Mdot = C + C^T."""
    rates = dict(zip(d.q, d.bridge.nodes(d.rates @ d.v), strict=True))
    Mdot = np.array(directional(list(d.mass.ravel()), rates), dtype=object).reshape(d.mass.shape)
    return all(x.residue == 0 for x in d.bridge.nodes(Mdot - C - C.T).ravel())


def dependence(d: Derivation, values: Array) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Numbers of the coordinates, then speeds, on which each entry depends."""
    slopes = differentiated(values, np.concatenate([d.q, d.v]))
    return {
        index: tuple(k for k, x in enumerate(slopes[index]) if x.residue != 0)
        for index in np.ndindex(*values.shape)
    }


def ignorable(d: Derivation) -> list[int]:
    """Numbers of the coordinates on which neither mass, kinematics nor potential depend."""
    values = np.array([*d.mass.ravel(), *d.rates.ravel(), d.potential], dtype=object)
    used = {k for numbers in dependence(d, values).values() for k in numbers}
    for i, joint in enumerate(d.system.joints):
        if joint.has_quaternion:
            start = d.system.layout.hinge_q(i).start
            used |= set(range(start, start + 4))
    return [k for k in range(len(d.q)) if k not in used]


def momenta(d: Derivation, numbers: Sequence[int]) -> dict[int, GraphNode]:
    """Momenta dT/dqdot = W^T M v of coordinates, with v = W qdot."""
    W, Mv = rate_inverse(d), d.mass @ d.v
    return {k: d.graph.node(W[:, k] @ Mv) for k in numbers}


def rate_inverse(d: Derivation) -> Array:
    """Matrix W (n_v, n_q) with v = W qdot."""
    blocks = []
    for i, (body, joint) in enumerate(zip(d.system.bodies, d.system.joints, strict=True)):
        V = joint.rate_map(d.q[d.system.layout.hinge_q(i)])
        if joint.has_quaternion:  # V^T V is 1/4 for the quaternion, 1 for the position
            block = np.concatenate([4 * V.T[:, :4], V.T[:, 4:]], axis=1)
        else:
            block = solve(V, np.eye(joint.n_v)) if joint.n_v else zeros(0, 0)
        blocks += [np.eye(body.n_mode), block]
    return d.bridge.nodes(block_diagonal(zeros(0, 0), *blocks))
