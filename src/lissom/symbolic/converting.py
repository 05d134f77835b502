"""Systems whose parameters are nodes, and the checks that only symbols need."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..bodies import RigidBody, Rod
from ..errors import SymbolicError
from ..joints import Joint
from ..model import Model
from ..model.compile import converted_model
from ..system import System
from .bridge import Bridge
from .names import check_choice
from .poincare import leaves_span
from .rank import generic_rank

T = TypeVar("T")

# Size of an entry of an array of floats, relative to the largest, that counts as rounding.
_ROUNDING = 1e-15


def symbolic_system(model: Model, level: str | None, form: str, bridge: Bridge) -> System:
    """Compiled model with nodes as parameters."""
    if not isinstance(model, Model):
        raise SymbolicError(
            f"derive takes a Model, whose parameters may be symbols, not {type(model).__name__}"
        )
    for part in model.parts.values():
        if isinstance(part.body, Rod):
            raise SymbolicError(
                f"body {part.name!r} is a rod, whose equations cannot be derived: its sections are "
                'found by numbers; use ls.beam, with level="stiffened" for the nearest equations'
            )
        if isinstance(part.body, RigidBody):
            _register_inertia(part.body, bridge)
    system = converted_model(model, level=level, convert=bridge.nodes)
    system = replace(system, bodies=tuple(_without_rounding(body) for body in system.bodies))
    for name, joint in zip(system.names, system.joints, strict=True):
        _check_map(name, joint, bridge)
    if check_choice(form, ("poincare", "lagrange"), "form") == "poincare":
        return system
    pairs = zip(system.names, system.joints, strict=True)
    return replace(system, joints=tuple(_with_rates(name, joint) for name, joint in pairs))


def _without_rounding(part: T) -> T:
    """Copy of a compiled body, or of a part of it, without what rounding left of zeros.

    Integrals over a body are sums in floats, in which what cancels leaves some 1e-20.
    """
    if not is_dataclass(part) or isinstance(part, type):
        return part
    new: dict[str, Any] = {}
    for f in fields(part):
        value = getattr(part, f.name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
            dust = np.abs(value) < _ROUNDING * np.abs(value).max()
            new[f.name] = np.where(dust, 0.0, value)
        elif is_dataclass(value):
            new[f.name] = _without_rounding(value)
    return replace(part, **new)


def _register_inertia(body: RigidBody, bridge: Bridge) -> None:
    """Register first moment and inertia about the origin in their shortest form.

    The graph keeps the first form of an expression.
    """
    try:
        m, c, inertia = (bridge.nodes(x) for x in (body.mass, body.com, body.inertia))
    except SymbolicError:  # reported by `converted_model`, with the body's name
        return
    p = m * c
    for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        others = [k for k in range(3) if k != i]
        if i == j:
            _ = inertia[i, i] + (p[others[0]] * c[others[0]] + p[others[1]] * c[others[1]])
        else:
            _ = inertia[i, j] - p[i] * c[j]


def _check_map(name: str, joint: Joint, bridge: Bridge) -> None:
    """Refuse a joint whose map, known with symbols only, is nonholonomic or of too many motions."""
    for H in joint.maps:
        if generic_rank(H) < H.shape[1]:
            raise SymbolicError(
                f"body {name!r}: its joint ({joint.label}) has linearly dependent columns; "
                "remove the redundant ones"
            )
        if pair := leaves_span(bridge, H):
            raise SymbolicError(
                f"body {name!r}: its joint ({joint.label}) is nonholonomic: the Lie bracket of "
                f"columns {pair[0]} and {pair[1]} (counted from 0) is a motion outside their span; "
                "use CompoundJoint([column, column, ...]) for a sequence of joints"
            )


def _with_rates(name: str, joint: Joint) -> Joint:
    """A joint with the same coordinates whose speeds are their rates."""
    found = joint.with_rates()
    if found is None:
        raise SymbolicError(
            f"body {name!r}: its joint ({joint.label}) has a quaternion, whose rates are not "
            "independent; for Lagrange's equations use CompoundJoint with one column for each angle"
        )
    return found
