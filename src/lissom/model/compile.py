"""From a Model to a System: names become indices, symbols become floats, values are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from ..algorithms.body_terms import body_terms
from ..algorithms.reference import articulate_tip_to_base, kinematics_base_to_tip
from ..bodies import NormalBody
from ..bodies.flexible import check_level
from ..errors import ModelError, SingularError, suggestion
from ..joints import Joint
from ..spatial.scalar import array, is_numeric
from ..system import GROUND, Loop, LoopEnd, System
from .model import Closing, Connection, Model, Part, checked_rotation, checked_vector
from .topology import node_number, numbered_base_to_tip

__all__ = ["compile_model"]

Array = np.ndarray
T = TypeVar("T")


def compile_model(model: Model, *, level: str | None, values: Mapping[Any, float]) -> System:
    """System of a model; see `Model.compile`."""
    if level is not None:
        check_level(level)
    parts = [_numeric(part, values) for part in numbered_base_to_tip(model)]
    numbers = {part.name: i for i, part in enumerate(parts)}
    bodies = _normalised(parts, level)
    parent = [GROUND if part.to is None else numbers[part.to.name] for part in parts]
    nodes = [
        GROUND
        if part.to is None
        else node_number(f"body {part.name!r}", part.to, bodies[p], parts[p].body)
        for part, p in zip(parts, parent, strict=True)
    ]
    system = System(
        name=model.name,
        gravity=checked_vector(_floats(model.gravity, values), "gravity", f"model {model.name!r}"),
        names=tuple(part.name for part in parts),
        parent=np.array(parent, dtype=int),
        parent_node=np.array(nodes, dtype=int),
        frame_rotation=np.array([part.rotation for part in parts]).reshape(-1, 3, 3),
        frame_position=np.array([part.at for part in parts]).reshape(-1, 3),
        joints=tuple(part.joint for part in parts),
        bodies=tuple(bodies),
        loops=tuple(_loop(loop, numbers, parts, bodies, values) for loop in model.loops.values()),
    )
    _check_hinges(system)
    return system


def _loop(
    loop: Closing,
    numbers: Mapping[str, int],
    parts: list[Connection],
    bodies: list[NormalBody],
    values: Mapping[Any, float],
) -> Loop:
    """Loop with bodies and nodes as numbers."""
    where = f"loop {loop.name!r}"

    def end(part: Part | None, at: Array, rotation: Array, side: str) -> LoopEnd:
        body = node = GROUND
        if part is not None:
            if part.name not in numbers:
                raise ModelError(
                    f"{where}: its end {side} is on {part.name!r}, which is not in the model; "
                    f"{suggestion(part.name, numbers)}"
                )
            body = numbers[part.name]
            node = node_number(f"{where}: its end {side}", part, bodies[body], parts[body].body)
        return LoopEnd(
            body,
            node,
            checked_rotation(_floats(rotation, values), where, f"rotation_{side}"),
            checked_vector(_floats(at, values), f"at_{side}", where),
        )

    try:
        joint = loop.joint.converted(lambda x: _floats(x, values))
        a = end(loop.a, loop.at_a, loop.rotation_a, "a")
        b = end(loop.b, loop.at_b, loop.rotation_b, "b")
    except ModelError as error:
        prefix = f"{where}: "
        raise ModelError(prefix + str(error).removeprefix(prefix)) from None
    return Loop(loop.name, joint, a, b)


def _normalised(parts: list[Connection], level: str | None) -> list[NormalBody]:
    """Bodies in normalised form; a body that serves several times is brought to it once."""
    made: dict[int, NormalBody] = {}
    for part in parts:
        if id(part.body) not in made:
            made[id(part.body)] = _named(part, lambda p: p.body.normalised(level))
    return [made[id(part.body)] for part in parts]


def _named(part: Connection, make: Callable[[Connection], T]) -> T:
    """Result of make(part), with the body's name put before an error's message."""
    try:
        return make(part)
    except ModelError as error:
        prefix = f"body {part.name!r}: "
        raise ModelError(prefix + str(error).removeprefix(prefix)) from None


def _numeric(part: Connection, values: Mapping[Any, float]) -> Connection:
    """Same connection with floats for all its parameters."""

    def convert(x: Any) -> Any:
        return _floats(x, values)

    def converted(p: Connection) -> Connection:
        return Connection(
            name=p.name,
            body=p.body.converted(convert),
            joint=p.joint.converted(convert),
            to=p.to,
            at=checked_vector(convert(p.at), "at", "its place"),
            rotation=checked_rotation(convert(p.rotation), f"body {p.name!r}"),
        )

    return _named(part, converted)


def _floats(x: Any, values: Mapping[Any, float]) -> Any:
    given = array(x)
    if is_numeric(given):
        return given if given.shape else given[()]
    flat = [_number(entry, values) for entry in given.flat]
    result = np.array(flat).reshape(given.shape)
    return result if result.shape else result[()]


def _number(entry: Any, values: Mapping[Any, float]) -> float:
    given = entry.subs(dict(values)) if hasattr(entry, "subs") else entry
    try:
        number = float(given)
    except (TypeError, RuntimeError):
        number = np.nan
    if np.isnan(number):  # also what CasADi makes of a symbol
        names = ", ".join(sorted(map(str, getattr(given, "free_symbols", []))))
        raise ModelError(
            f"no value for {names or entry}; give numbers: compile(values={{symbol: number}})"
        )
    return number


def _check_hinges(system: System) -> None:
    """Refuse a hinge that sees no inertia in a generic configuration, and so in every one.

    A body whose own inertia is regular serves any hinge; only the others need the sweep.
    """
    if all(_is_regular(body) for body in {id(body): body for body in system.bodies}.values()):
        return
    q = np.concatenate([_generic(b, j) for b, j in zip(system.bodies, system.joints, strict=True)])
    motions = kinematics_base_to_tip(system, q, np.zeros(system.n_v))
    try:
        articulate_tip_to_base(system, motions)
    except SingularError as error:
        joint = system.joints[system.layout.index(error.body)]
        raise ModelError(
            f"body {error.body!r}: its joint ({joint.label}) has a motion that moves no inertia in "
            "any configuration, neither the body's nor that of bodies outboard; give the body mass "
            "and inertia about that axis, or remove the motion"
        ) from None


def _is_regular(body: NormalBody) -> bool:
    terms = body_terms(body, np.zeros(body.n_mode), np.zeros(body.n_mode), np.zeros(6))
    M_bar = terms.M_rr - terms.M_rf @ terms.M_rf.T
    scale = np.sqrt(np.diag(M_bar).clip(min=0.0))
    if not np.all(scale > 0):
        return False
    return bool(np.linalg.eigvalsh(M_bar / np.outer(scale, scale))[0] > 1e-9)


def _generic(body: NormalBody, joint: Joint) -> Array:
    """Coordinates of a body without symmetry; undeformed."""
    q = joint.neutral() + 0.3 + 0.11 * np.arange(joint.n_q)
    if joint.has_quaternion:
        q[:4] /= np.linalg.norm(q[:4])
    return np.concatenate([np.zeros(body.n_mode), q])
