"""Inertia matrices: construction and physical consistency."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rotation import skew
from .scalar import array

Array = np.ndarray


def inertia_matrix(values: Any) -> Array:
    """3x3 inertia from a number (times the identity), three diagonal entries or 3x3 entries."""
    numbers = array(values)
    if numbers.shape == ():
        return numbers * np.eye(3)
    if numbers.shape == (3,):
        return np.diag(numbers)
    return numbers


def spatial_inertia(mass: Any, first_moment: Array, inertia: Array) -> Array:
    """Spatial inertia [[J, [p]x], [-[p]x, m I]]: J [kg m^2] about the origin, p = m c [kg m]."""
    P = skew(first_moment)
    return np.block([[inertia, P], [-P, mass * np.eye(3)]])


def second_moment(inertia: Array) -> Array:
    """Second moment L = integral of r r^T dm [kg m^2] of a body with inertia J = tr(L) I - L."""
    return np.trace(inertia) / 2 * np.eye(3) - inertia


def inertia_fault(inertia: Array) -> str:
    """Reason why an inertia (3x3, numbers) is not physical, or "" if it is."""
    if np.iscomplexobj(inertia) or not np.all(np.isfinite(inertia)):
        return "it contains entries that are not finite real numbers"
    size = np.abs(inertia).max()
    if np.abs(inertia - inertia.T).max() > 1e-9 * size:
        return "it is not symmetric"
    part = inertia / (size or 1.0)  # scaled, so that sums of large numbers do not overflow
    principal = np.linalg.eigvalsh((part + part.T) / 2)
    shown = ", ".join(f"{p * float(size):.6g}" for p in principal.tolist())
    if principal[0] < -1e-9:
        return f"its principal values ({shown}) must not be negative"
    if principal[2] > principal[0] + principal[1] + 1e-9:
        return (
            f"its principal values ({shown}) violate the triangle inequality: "
            "none may exceed the sum of the other two"
        )
    return ""


def parallel_axis(mass: Any, offset: Array) -> Array:
    """Inertia m (c.c I - c c^T) of a point mass at `offset` about the origin [kg m^2]."""
    return mass * ((offset @ offset) * np.eye(3) - np.outer(offset, offset))
