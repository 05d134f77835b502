"""States of a batch, and all answers of its functions compared."""

from __future__ import annotations

import numpy as np

PARTS = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "pose", "jacobian", "energy")


def states(system, k, seed=0, size=0.1):
    rng = np.random.default_rng(seed)
    q = np.array([system.neutral().q] * k)
    for name, joint in zip(system.names, system.joints, strict=True):
        if not joint.has_quaternion:
            piece = system.layout.hinge_q(name)
            q[:, piece] = rng.normal(size=(k, piece.stop - piece.start))
        piece = system.layout.modal_q(name)
        q[:, piece] = 1e-2 * size * rng.normal(size=(k, piece.stop - piece.start))
    return q, size * rng.normal(size=(k, system.n_v)), rng.normal(size=(k, system.n_v))


def answers(batch, where, q, v, x):
    attitude, place = batch.pose(q, where)
    return {
        "forward_dynamics": batch.forward_dynamics(q, v, x),
        "inverse_dynamics": batch.inverse_dynamics(q, v, x),
        "mass_matrix": batch.mass_matrix(q),
        "pose": np.concatenate([attitude.reshape(-1, 9), place], axis=1),
        "jacobian": batch.jacobian(q, where),
        "energy": np.stack(batch.energy(q, v), axis=1),
    }


def same(found, expected, tolerance):
    for name in PARTS:
        size = np.abs(expected[name]).max()
        assert found[name].shape == expected[name].shape, name
        assert np.abs(found[name] - expected[name]).max() <= tolerance * size, name
