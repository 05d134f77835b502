"""Checks of user-defined joints: map, bias and compiled function must match the pose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ModelError
from ..joints import FactoredJoint, Joint
from ..joints.base import joint_classes
from ..spatial.scalar import array

Array = np.ndarray

POINTS = 3  # configurations at which a joint is checked
STEP = 1e-5  # step of the central differences
TOLERANCE = 1e-6  # relative difference at which two derivatives count as different
MOST_COORDINATES, MOST_SPEEDS = 12, 6


def check_fields(where: str, joint: Joint) -> None:
    """Reject a user-defined joint that cannot be saved to a file."""
    kind = type(joint)
    if kind.__module__.startswith("lissom."):
        return
    what = f"{where}: its joint ({kind.__name__})"
    if joint_classes().get(kind.__name__) is not kind:
        raise ModelError(
            f"{what} is not a dataclass with a unique name; decorate the class with "
            "@dataclass(frozen=True, eq=False), and give each joint class a different name"
        )
    for name, value in joint.parameters.items():
        try:
            array(value)
        except (TypeError, ValueError):
            raise ModelError(
                f"{what} has {name} = {value!r}; fields of a joint must be numbers or arrays of "
                "numbers: put functions and text into methods of the class"
            ) from None


def check_own_joint(where: str, joint: Joint) -> None:
    """Reject a user-defined joint whose methods contradict each other."""
    kind = type(joint)
    if kind.__module__.startswith("lissom."):
        return
    what = f"{where}: its joint ({kind.__name__})"
    if joint.numbers is None:  # symbols
        return
    if joint.has_quaternion:
        raise ModelError(
            f"{what} has has_quaternion = True, which is for joints of this package; leave it out, "
            "and define neutral() if the neutral coordinates are not zero"
        )
    _check_names(what, "coordinates", joint.coordinates, MOST_COORDINATES)
    _check_names(what, "speeds", joint.speeds, MOST_SPEEDS)
    if joint.has_quasi_speeds:
        _check_quasi_speeds(what, joint)
    rng = np.random.default_rng(0)
    for k in range(POINTS):
        q = joint.neutral() + (rng.uniform(-0.5, 0.5, joint.n_q) if k else 0.0)
        _check_derivatives(what, joint, q, rng.standard_normal(joint.n_v))


def check_closing_joint(where: str, joint: Joint) -> None:
    """Reject a user-defined joint with quasi-speeds in a loop.

    Its constraints are on velocities; a loop is closed by constraints on positions.
    """
    if _is_mapped(joint):
        raise ModelError(
            f"{where}: its joint ({type(joint).__name__}) has speeds that are not the rates of its "
            "coordinates and cannot close a loop; let it carry a body with model.add, and close "
            "the loop with another joint"
        )


def check_symbolic_joint(where: str, joint: Joint) -> None:
    """Reject a user-defined joint with quasi-speeds where parameters may be symbols."""
    if _is_mapped(joint):
        raise ModelError(
            f"{where}: its joint ({type(joint).__name__}) has speeds that are not the rates of its "
            "coordinates; symbolic equations are derived for such joints of this package only "
            "(SimpleJoint, CompoundJoint, Spherical, Free): use the numerical functions"
        )


def _is_mapped(joint: Joint) -> bool:
    """Whether a joint is user-defined and has quasi-speeds."""
    return not type(joint).__module__.startswith("lissom.") and joint.has_quasi_speeds


def _check_names(what: str, kind: str, names: Any, most: int) -> None:
    good = isinstance(names, tuple) and all(
        isinstance(x, tuple) and len(x) == 2 and isinstance(x[0], str) and x[1] in ("rad", "m", "1")
        for x in names
    )
    if not good or len({name for name, _ in names}) < len(names) or len(names) > most:
        raise ModelError(
            f"{what} has the {kind} {names!r}; expected at most {most} pairs of a name and a unit "
            '("rad", "m" or "1") in a tuple, such as (("angle", "rad"),), each name once'
        )


def _check_quasi_speeds(what: str, joint: Joint) -> None:
    if isinstance(joint, FactoredJoint):
        raise ModelError(
            f"{what} is a FactoredJoint, whose speeds are the rates of its coordinates; leave out "
            "speeds and rate_map, or derive the class from Joint and write pose and motion_map"
        )
    if not 0 < joint.n_v <= joint.n_q:
        raise ModelError(
            f"{what} has {joint.n_q} coordinates and {joint.n_v} speeds; expected at least one "
            "speed, and a coordinate for each speed at least"
        )


def _check_derivatives(what: str, joint: Joint, q: Array, v: Array) -> None:
    """Compare derivatives with finite differences at one configuration."""
    at, n = f"at q = {np.round(q, 4).tolist()}", joint.n_v
    R, r = _called(what, "pose", lambda: joint.pose(q))
    if np.shape(R) != (3, 3) or np.shape(r) != (3,) or not _finite(R, r):
        raise ModelError(
            f"{what} has a wrong pose {at}: expected a pair of finite arrays (3, 3) and (3,)"
        )
    if not np.allclose(R.T @ R, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0:
        raise ModelError(
            f"{what} has a wrong pose {at}: its first item is not a rotation matrix (orthonormal "
            "columns, determinant 1)"
        )
    H = _called(what, "motion_map", lambda: joint.motion_map(q))
    if np.shape(H) != (6, n) or not _finite(H):
        raise ModelError(
            f"{what} has a motion_map of shape {np.shape(H)} {at}; expected a finite array (6, {n})"
        )
    N = _checked_rates(what, at, joint, q)
    for c in range(n):
        expected = _velocity(joint, q, N[:, c])
        if not _near(H[:, c], expected):
            along = " along rate_map" if joint.has_quasi_speeds else ""
            raise ModelError(
                f"{what} has a motion_map {at} that is not the derivative of its pose{along}: "
                f"column {c} is {_row(H[:, c])}, expected {_row(expected)} ([angular; linear], "
                f"outboard axes)"
            )
    bias = _called(what, "bias", lambda: joint.bias(q, v))
    p = H @ v
    ahead, behind = (joint.motion_map(q + s * STEP * (N @ v)) @ v for s in (1, -1))
    expected = (ahead - behind) / (2 * STEP)
    expected[3:] += np.cross(p[:3], p[3:])
    if np.shape(bias) != (6,) or not _near(bias, expected):
        raise ModelError(
            f"{what} has a bias {at}, v = {np.round(v, 4).tolist()} that is not the derivative of "
            f"its motion_map: it is {_row(bias)}, expected {_row(expected)}; if the class does not "
            "define bias, motion_map drops the imaginary part of complex numbers: use the "
            "functions of lissom.spatial, or define bias(q, v)"
        )
    if joint.compiled is not None:
        rates = (N @ v,) if joint.has_quasi_speeds else ()
        _check_compiled(what, joint, q, v, (R, r, H.T, bias, *rates))


def _checked_rates(what: str, at: str, joint: Joint, q: Array) -> Array:
    """Rate map (n_q, n_v) at one configuration."""
    N = _called(what, "rate_map", lambda: joint.rate_map(q))
    shape = (joint.n_q, joint.n_v)
    if np.shape(N) == shape and _finite(N):
        return np.asarray(N)
    if type(joint).rate_map is Joint.rate_map:
        raise ModelError(
            f"{what} has a pose that does not determine its {joint.n_q} coordinates {at}, so that "
            "their rates cannot be found from it (it must not drop the imaginary part of complex "
            "numbers: use the functions of lissom.spatial); define rate_map(q)"
        )
    raise ModelError(
        f"{what} has a rate_map of shape {np.shape(N)} {at}; expected a finite array {shape}"
    )


def _check_compiled(
    what: str, joint: Joint, q: Array, v: Array, expected: tuple[Array, ...]
) -> None:
    if not hasattr(joint.compiled, "py_func"):
        raise ModelError(
            f"{what}: compiled is {joint.compiled!r}; expected a static method decorated with "
            "numba.njit"
        )
    arrays = [np.zeros(np.shape(x)) for x in expected]
    function: Any = joint.compiled
    _called(what, "compiled", lambda: function(joint.numbers, q, v, *arrays))
    names = ("rotation", "position", "motion_map", "bias", "rates")
    for name, a, b in zip(names, arrays, expected, strict=False):
        if not np.allclose(a, b, rtol=1e-9, atol=1e-9 * (1 + np.abs(b).max(initial=0.0))):
            raise ModelError(
                f"{what}: compiled and the methods disagree on {name} at q = "
                f"{np.round(q, 4).tolist()}: {a.tolist()} instead of {np.asarray(b).tolist()}"
            )


def _called(what: str, name: str, function: Callable[[], Any]) -> Any:
    try:
        return function()
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(f"{what}: {name} failed: {type(error).__name__}: {error}") from error


def _velocity(joint: Joint, q: Array, q_dot: Array) -> Array:
    """Relative velocity [omega; v] in outboard axes, by central differences of the pose."""
    R, _ = joint.pose(q)
    (R_1, r_1), (R_0, r_0) = (joint.pose(q + s * STEP * q_dot) for s in (1, -1))
    W = R.T @ (R_1 - R_0) / (2 * STEP)
    return np.array([W[2, 1], W[0, 2], W[1, 0], *(R.T @ (r_1 - r_0) / (2 * STEP))])


def _near(a: Any, b: Array) -> bool:
    return bool(np.all(np.abs(a - b) <= TOLERANCE * (1 + np.abs(b).max())))


def _finite(*arrays: Any) -> bool:
    return all(np.asarray(x).dtype.kind == "f" and np.all(np.isfinite(x)) for x in arrays)


def _row(x: Any) -> list[float]:
    return np.round(np.asarray(x, dtype=float), 6).tolist()
