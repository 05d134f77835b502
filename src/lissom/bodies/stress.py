"""Invariants of stress tensors given by their six components xx, yy, zz, yz, zx, xy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import StateError

Array = np.ndarray

_INDICES = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])


def von_mises(stress: Any) -> Array:
    """Von Mises stress: the tension with the same energy of distortion [Pa].

    Parameters
    ----------
    stress : array (..., 6)
        xx, yy, zz, yz, zx, xy [Pa].

    Returns
    -------
    array (...)

    Examples
    --------
    >>> import lissom as ls
    >>> float(ls.von_mises([30e6, 0, 0, 0, 0, 40e6]).round())  # sqrt(30**2 + 3 * 40**2) MPa
    75498344.0
    """
    xx, yy, zz, yz, zx, xy = np.moveaxis(_components(stress), -1, 0)
    normal = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    return np.asarray(np.sqrt(normal / 2 + 3 * (yz**2 + zx**2 + xy**2)))


def principal_stresses(stress: Any) -> Array:
    """Principal stresses, the largest first [Pa].

    Parameters
    ----------
    stress : array (..., 6)
        xx, yy, zz, yz, zx, xy [Pa].

    Returns
    -------
    array (..., 3)

    Examples
    --------
    >>> import lissom as ls
    >>> (ls.principal_stresses([30e6, 0, 0, 0, 0, 20e6]) / 1e6).round(6).tolist()
    [40.0, 0.0, -10.0]
    """
    return np.linalg.eigvalsh(_components(stress)[..., _INDICES])[..., ::-1]


def _components(stress: Any) -> Array:
    try:
        found = np.asarray(stress, dtype=float)
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0)
    if not found.ndim or found.shape[-1] != 6 or not np.all(np.isfinite(found)):
        raise StateError(
            "stress must be an array (..., 6) of finite numbers xx, yy, zz, yz, zx, xy [Pa], as of "
            f"ls.stress; it has the shape {np.shape(stress)}"
            if np.size(found)
            else f"stress is {stress!r}; expected an array (..., 6) of xx, yy, zz, yz, zx, xy [Pa]"
        )
    return found
