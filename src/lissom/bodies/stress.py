"""Invariants of stress and strain tensors of six components xx, yy, zz, yz, zx, xy."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import StateError
from ..spatial.scalar import reals

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


def principal_strains(strain: Any) -> Array:
    """Principal strains, the largest first.

    Parameters
    ----------
    strain : array (..., 6)
        xx, yy, zz, yz, zx, xy as of `strain`: tensor components, half of the shear angles.

    Returns
    -------
    array (..., 3)

    Examples
    --------
    >>> import lissom as ls
    >>> (1e6 * ls.principal_strains([300e-6, 0, 0, 0, 0, 200e-6])).round(6).tolist()
    [400.0, 0.0, -100.0]
    """
    return np.linalg.eigvalsh(_components(strain, "strain")[..., _INDICES])[..., ::-1]


def principal_magnitude(tensor: Array) -> Array:
    """Largest magnitude of the principal values of tensors (..., 6), in closed form.

    With the mean m and the deviator's invariants J_2 and J_3 the principal values are
    m + 2 sqrt(J_2 / 3) cos(t + 2 pi k / 3), cos(3 t) = sqrt(27) / 2 J_3 / J_2^(3/2).

    `tensor` (..., 6): xx, yy, zz, yz, zx, xy.
    """
    tensor = _components(tensor, "strain")
    normal, (yz, zx, xy) = tensor[..., :3], np.moveaxis(tensor[..., 3:], -1, 0)
    m = normal.mean(axis=-1)
    a, b, c = np.moveaxis(normal - m[..., None], -1, 0)
    J_2 = (a * a + b * b + c * c) / 2 + yz * yz + zx * zx + xy * xy
    J_3 = a * b * c + 2 * yz * zx * xy - a * yz * yz - b * zx * zx - c * xy * xy
    r = np.sqrt(J_2 / 3)
    cube = 2 * r * r * r
    t = np.arccos(np.clip(J_3 / np.where(cube > 0, cube, 1.0), -1, 1)) / 3
    ends = m + 2 * r * np.cos(t), m + 2 * r * np.cos(t + 2 * np.pi / 3)
    return np.asarray(np.maximum(*map(np.abs, ends)))


def _components(stress: Any, what: str = "stress") -> Array:
    try:
        components = reals(stress)
    except (TypeError, ValueError, OverflowError):
        components = np.zeros(0)
    if not components.ndim or components.shape[-1] != 6 or not np.all(np.isfinite(components)):
        unit = " [Pa]" if what == "stress" else ""
        raise StateError(
            f"{what} must be an array (..., 6) of finite numbers xx, yy, zz, yz, zx, xy{unit}, as "
            f"of ls.{what}; it has the shape {np.shape(stress)}"
            if np.size(components)
            else f"{what} is {stress!r}; expected an array (..., 6) of xx, yy, zz, yz, zx, xy{unit}"
        )
    return components
