"""The timed calls of both libraries, and the check that they compute the same."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.algorithms import (
    forward_dynamics,
    gravity_force,
    inverse_dynamics,
    jacobian,
    mass_matrix,
    pose,
)

from ..peers.twins import TOLERANCE, PeerError
from .robots import Twin

Array = np.ndarray
Call = Callable[[], Any]
Calls = dict[tuple[str, str], Call]  # by quantity and form

QUANTITIES = (
    "forward dynamics",
    "inverse dynamics",
    "mass matrix",
    "frame Jacobian",
    "frame pose",
    "gravity",
)


def own_calls(twin: Twin, q: Array, v: Array, f: Array) -> Calls:
    """Calls of lissom: (quantity, form) -> call; forms "state", "arrays" and "evaluator".

    Parameters
    ----------
    twin : Twin
        Mechanism.
    q, v, f : array
        Coordinates, speeds, and forces or accelerations.
    """
    system, end, evaluator = twin.system, twin.end, twin.system.evaluator()
    found: Calls = {}
    for form, x in (("state", system.state(q, v)), ("arrays", (q, v))):
        calls: tuple[Call, ...] = (
            functools.partial(forward_dynamics, system, x, f),
            functools.partial(inverse_dynamics, system, x, f),
            functools.partial(mass_matrix, system, x),
            functools.partial(jacobian, system, x, end),
            functools.partial(pose, system, x, end),
            functools.partial(gravity_force, system, x),
        )
        found |= {(name, form): call for name, call in zip(QUANTITIES, calls, strict=True)}
    last: tuple[Call, ...] = (
        functools.partial(evaluator.forward_dynamics, q, v, f),
        functools.partial(evaluator.inverse_dynamics, q, v, f),
        functools.partial(evaluator.mass_matrix, q),
        functools.partial(evaluator.jacobian, q, end),
        functools.partial(evaluator.pose, q, end),
        functools.partial(evaluator.gravity_force, q),
    )
    return found | {(name, "evaluator"): call for name, call in zip(QUANTITIES, last, strict=True)}


def peer_calls(twin: Twin, q: Array, v: Array, f: Array) -> Calls:
    """Calls of Pinocchio: (quantity, form) -> call; the arguments are in lissom's order.

    Parameters
    ----------
    twin : Twin
        Mechanism.
    q, v, f : array
        Coordinates, speeds, and forces or accelerations.
    """
    pin: Any = importlib.import_module("pinocchio")
    model, data, frame = twin.model, twin.data, twin.frame
    q, v, f = (np.ascontiguousarray(x[twin.order]) for x in (q, v, f))
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

    def placed() -> Any:
        pin.forwardKinematics(model, data, q)
        return pin.updateFramePlacement(model, data, frame)

    found: Calls = {
        ("inverse dynamics", "call"): functools.partial(pin.rnea, model, data, q, v, f),
        ("frame Jacobian", "call"): functools.partial(
            pin.computeFrameJacobian, model, data, q, frame, axes
        ),
        ("frame pose", "call"): placed,
        ("gravity", "call"): functools.partial(pin.computeGeneralizedGravity, model, data, q),
    }
    for kind in ("LOCAL", "WORLD"):  # either may be faster
        way = getattr(pin.Convention, kind)
        found["forward dynamics", kind] = functools.partial(pin.aba, model, data, q, v, f, way)
        found["mass matrix", kind] = functools.partial(pin.crba, model, data, q, way)
    return found


def check_same(name: str, own: Calls, theirs: Calls, order: Array) -> None:
    """Raise a `PeerError` unless all forms and both libraries give the same numbers.

    Parameters
    ----------
    name : str
        Mechanism.
    own, theirs : mapping
        Calls of lissom and of Pinocchio.
    order : array (n_v,)
        Numbers of lissom's speeds in Pinocchio's order.
    """
    for (quantity, form), call in own.items():
        if not np.array_equal(_numbers(call()), _numbers(own[quantity, "state"]())):
            raise PeerError(f"{name}: {quantity} from {form} is not that from a state")
    for (quantity, _), call in theirs.items():
        expected = _in_their_order(quantity, _numbers(own[quantity, "state"]()), order)
        error = np.abs(_numbers(call()) - expected).max() / np.abs(expected).max()
        if not error <= TOLERANCE:
            raise PeerError(f"{name}: {quantity} differs from Pinocchio's by {error:.1e}")


def _in_their_order(quantity: str, own: Array, order: Array) -> Array:
    """Result of lissom in the order of Pinocchio, whose Jacobian has the linear part first."""
    if quantity == "mass matrix":
        return own[np.ix_(order, order)]
    if quantity == "frame Jacobian":
        return own[np.r_[3:6, 0:3]][:, order]
    return own if quantity == "frame pose" else own[order]


def _numbers(result: Any) -> Array:
    """Result of a call as an array; poses as position and rotation."""
    if hasattr(result, "translation"):
        return np.concatenate([result.translation, result.rotation.ravel()])
    if hasattr(result, "position"):
        return np.concatenate([result.position, result.rotation.ravel()])
    return np.array(result)
