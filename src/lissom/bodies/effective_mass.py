"""Effective masses of modes: the part of a body's inertia that each mode takes."""

from __future__ import annotations

import numpy as np

from .normal import NormalBody

Array = np.ndarray


def participation(body: NormalBody) -> Array:
    """Coupling M_rf (6, m) of rigid motion and modes about the inboard node, undeformed.

    Parameters
    ----------
    body : NormalBody
        At level "linear", where the integrals hold the whole body.
    """
    g = body.integrals.modal_second_moment
    turning = np.stack([g[1, 2] - g[2, 1], g[2, 0] - g[0, 2], g[0, 1] - g[1, 0]])
    return np.vstack([turning, body.integrals.modal_first_moment])


def effective_masses(body: NormalBody) -> Array:
    """Effective inertias (3) [kg m^2] and masses (3) [kg] of each mode, (6, m).

    Parameters
    ----------
    body : NormalBody
        As for `participation`; modal masses are 1.
    """
    return participation(body) ** 2
