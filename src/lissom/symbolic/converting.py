"""Systems whose parameters are nodes, and the checks that only symbols need."""

from __future__ import annotations

from dataclasses import replace

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
    for name, joint in zip(system.names, system.joints, strict=True):
        _check_map(name, joint, bridge)
    if check_choice(form, ("poincare", "lagrange"), "form") == "poincare":
        return system
    pairs = zip(system.names, system.joints, strict=True)
    return replace(system, joints=tuple(_with_rates(name, joint) for name, joint in pairs))


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
