"""Compilation of a Model to a System: names to indices, symbols to floats, checks of values."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..algorithms.tree.body_terms import body_terms
from ..algorithms.tree.reference import articulate_tip_to_base, kinematics_base_to_tip
from ..bodies import NormalBody
from ..bodies.flexible import check_level
from ..errors import ModelError, ModelWarning, SingularError, SymbolicError, name_list
from ..joints import Joint
from ..spatial.scalar import array, is_numeric
from ..system import GROUND, Frame, Loop, LoopEnd, System
from .attachment import off_node_warnings
from .coupling import resolved_couple
from .cutting import spanning_tree
from .frames import NamedFrame, carrier, resolved_closing, resolved_connection, resolved_frames
from .joint_checks import check_closing_joint, check_own_joint, check_symbolic_joint
from .loops import check_two_bodies
from .model import Model
from .naming import shadowing_warnings
from .parts import Closing, Connection, End, checked_end, checked_rotation, checked_vector
from .shapes import placed_shapes
from .topology import check_carriers, end_node, node_number, numbered_base_to_tip

Array = np.ndarray
Convert = Callable[[Any], Any]
S = TypeVar("S")
T = TypeVar("T")

LOGGER = logging.getLogger("lissom")


def compile_model(model: Model, *, level: str | None, values: Mapping[Any, float]) -> System:
    """System of a model; see `Model.compile`."""

    def to_floats(x: Any) -> Any:
        return _floats(x, values)

    system = converted_model(model, level=level, convert=to_floats, numeric=True)
    _check_hinges(system)
    told = (*off_node_warnings(system), *shadowing_warnings(system), *_overdamped(model))
    for sentence in told:
        warnings.warn(sentence, ModelWarning, stacklevel=3)
    return system


def _overdamped(model: Model) -> list[str]:
    """Warnings about bodies with damping ratios above one, which may be meant as per cent."""
    sentences = []
    for name, part in model.parts.items():
        ratios = np.asarray(getattr(part.body, "damping", 0.0))
        if ratios.ndim < 2 and is_numeric(ratios) and np.max(ratios, initial=0.0) > 1:
            x = float(np.max(ratios))
            sentences.append(
                f"body {name!r}: damping = {x:.6g} is a ratio, {100 * x:.6g} % of critical, "
                f"with which a mode creeps back and does not vibrate; for {x:.6g} % give "
                f"{x / 100:.6g}"
            )
    return sentences


def converted_model(
    model: Model, *, level: str | None, convert: Convert, numeric: bool = False
) -> System:
    """System of a model with all its parameters passed through `convert`."""
    if level is not None:
        check_level(level)
    check_carriers(model.name, model.parts, model.frames)
    frames = resolved_frames(
        {name: _converted_frame(frame, convert) for name, frame in model.frames.items()},
        model.parts,
    )
    parts, cuts = _tree(model, convert, frames)
    for part in parts:
        check_own_joint(f"body {part.name!r}", part.joint)
        if not numeric:
            check_symbolic_joint(f"body {part.name!r}", part.joint)
    numbers = {part.name: i for i, part in enumerate(parts)}
    bodies = _normalised(parts, level)
    parent = [GROUND if part.to is None else numbers[part.to.name] for part in parts]
    nodes = [
        GROUND
        if part.to is None
        else node_number(f"body {part.name!r}", part.to, parts[numbers[part.to.name]].body)
        for part in parts
    ]
    loops = [_placed_closing(loop, convert, frames) for loop in model.loops.values()]
    for loop in (*loops, *cuts):
        check_own_joint(f"loop {loop.name!r}", loop.joint)
        check_closing_joint(f"loop {loop.name!r}", loop.joint)
    by_name = {part.name: part for part in parts}
    system = System(
        name=model.name,
        gravity=checked_vector(convert(model.gravity), "gravity", f"model {model.name!r}"),
        names=tuple(part.name for part in parts),
        parent=np.array(parent, dtype=int),
        parent_node=np.array(nodes, dtype=int),
        frame_rotation=np.array([part.rotation for part in parts]).reshape(-1, 3, 3),
        frame_position=np.array([part.at for part in parts]).reshape(-1, 3),
        joints=tuple(part.joint for part in parts),
        bodies=tuple(bodies),
        loops=(
            *(_loop(loop, numbers, by_name, chosen=False) for loop in loops),
            *(_loop(cut, numbers, by_name, chosen=True) for cut in cuts),
        ),
        couplings=tuple(
            resolved_couple(
                _with_title(couple.title, couple, lambda c: c.converted(convert)),
                numbers,
                by_name,
                model.parts,
            )
            for couple in model.couplings.values()
        ),
        drives=tuple(
            (str(carrier(x.to.name, model.frames)), x.name)
            for x in model.parts.values()
            if x.geared and x.to
        ),
        frames=tuple(_frame(name, end, numbers, by_name) for name, end in frames.items()),
        shapes=placed_shapes(model.shapes, by_name, frames),
    )
    _check_ruthless(system)
    return system


def _check_ruthless(system: System) -> None:
    """Reject level "ruthless" where accelerations must be the rates of velocities."""
    name = next((n for n, b in zip(system.names, system.bodies, strict=True) if _ruthless(b)), None)
    if name is None:
        return
    what = f'body {name!r}: level "ruthless" drops terms from the accelerations of what it carries'
    if system.loops:
        raise ModelError(
            f"{what}, and loops would not stay closed; the model has {len(system.loops)}; use "
            'level "linear" or "full"'
        )
    if not is_numeric(system.gravity):
        raise SymbolicError(
            f'{what}, and has no equations in symbols; use level "linear" or "full"'
        )


def _ruthless(body: NormalBody) -> bool:
    return body.level == "ruthless" and body.n_mode > 0


def _tree(
    model: Model, convert: Convert, frames: Mapping[str, End]
) -> tuple[list[Connection], list[Closing]]:
    """Converted connections, base to tip, and the joints cut by `compile`."""
    parts = {
        name: resolved_connection(_converted(part, convert), frames)
        for name, part in model.parts.items()
    }
    if not model.joins and not any(part.loose for part in parts.values()):
        return numbered_base_to_tip(parts), []
    tree = spanning_tree(
        parts,
        [_placed_closing(join, convert, frames) for join in model.joins.values()],
        [*model.loops, *model.couplings, *model.frames, *model.shapes],
    )
    for cut in tree.cuts:
        LOGGER.info(
            f"model {model.name!r}: compile cuts {cut.name!r} ({cut.words}), "
            f"{6 - cut.joint.n_v} constraint equations"
        )
    for free in tree.idle:
        LOGGER.info(
            f"model {model.name!r}: the free joint {free.name!r} carries no body and is left out"
        )
    return numbered_base_to_tip(tree.parts), tree.cuts


def _loop(
    closing: Closing,
    numbers: Mapping[str, int],
    parts: Mapping[str, Connection],
    *,
    chosen: bool,
) -> Loop:
    """Loop with bodies and nodes as indices."""

    def end(place: End, side: str) -> LoopEnd:
        node = end_node(closing, side, parts)
        body = GROUND if place.body is None else numbers[place.body]
        return LoopEnd(body, node, place.rotation, place.at)

    a, b = end(closing.a, "a"), end(closing.b, "b")
    if (a.body, a.node) == (b.body, b.node):
        raise ModelError(
            f"{closing.title} joins a node of body {closing.a.body!r} to itself; give another node"
        )
    return Loop(closing.name, closing.joint, a, b, chosen=chosen)


def _frame(
    name: str, end: End, numbers: Mapping[str, int], parts: Mapping[str, Connection]
) -> Frame:
    """Frame with body and node as indices."""
    if end.part is None:
        return Frame(name, GROUND, GROUND, end.rotation, end.at)
    node = node_number(f"frame {name!r}", end.part, parts[end.part.name].body)
    return Frame(name, numbers[end.part.name], node, end.rotation, end.at)


def _normalised(parts: list[Connection], level: str | None) -> list[NormalBody]:
    """Bodies in normalised form; a body used several times is normalised once."""
    by_body: dict[int, NormalBody] = {}
    for part in parts:
        if id(part.body) not in by_body:
            by_body[id(part.body)] = _with_title(
                f"body {part.name!r}", part, lambda p: p.body.normalised(level)
            )
    return [by_body[id(part.body)] for part in parts]


def _with_title(title: str, part: S, make: Callable[[S], T]) -> T:
    """Result of make(part); the title is prepended to error messages."""
    try:
        return make(part)
    except (ModelError, SymbolicError) as error:
        prefix = f"{title}: "
        raise type(error)(prefix + str(error).removeprefix(prefix)) from None


def _converted(part: Connection, convert: Convert) -> Connection:
    """Connection with all parameters converted."""

    def converted(p: Connection) -> Connection:
        return replace(
            p,
            body=p.body.converted(convert),
            joint=p.joint.converted(convert),
            at=checked_vector(convert(p.at), "at", f"body {p.name!r}"),
            rotation=checked_rotation(convert(p.rotation), f"body {p.name!r}"),
        )

    return _with_title(f"body {part.name!r}", part, converted)


def _converted_frame(frame: NamedFrame, convert: Convert) -> NamedFrame:
    """Frame with its position and rotation converted."""

    def converted(f: NamedFrame) -> NamedFrame:
        at = checked_vector(convert(f.end.at), "at", f.title)
        rotation = checked_rotation(convert(f.end.rotation), f.title)
        return replace(f, end=End(f.end.part, at, rotation))

    return _with_title(frame.title, frame, converted)


def _placed_closing(closing: Closing, convert: Convert, frames: Mapping[str, End]) -> Closing:
    """Loop or join, converted and resolved to bodies, nodes or the ground."""
    placed = resolved_closing(_converted_closing(closing, convert), frames)
    check_two_bodies(placed)
    return placed


def _converted_closing(closing: Closing, convert: Convert) -> Closing:
    """Loop or join with all parameters converted."""

    def end(place: End, side: str) -> End:
        at, rotation = convert(place.at), convert(place.rotation)
        return checked_end(place.part, at, rotation, closing.title, side)

    def converted(c: Closing) -> Closing:
        joint = c.joint.converted(convert)
        return replace(c, joint=joint, a=end(c.a, "a"), b=end(c.b, "b"))

    return _with_title(closing.title, closing, converted)


def _floats(x: Any, values: Mapping[Any, float]) -> Any:
    entries = array(x)
    if is_numeric(entries):
        return entries if entries.shape else entries[()]
    flat = [_number(entry, values) for entry in entries.flat]
    result = np.array(flat).reshape(entries.shape)
    return result if result.shape else result[()]


def _number(entry: Any, values: Mapping[Any, float]) -> float:
    value = entry.subs(dict(values)) if hasattr(entry, "subs") else entry
    try:
        number = float(value)
    except (TypeError, RuntimeError):
        number = np.nan
    if np.isnan(number):  # CasADi converts a symbol to NaN
        names = name_list(sorted(map(str, getattr(value, "free_symbols", []))), show=str)
        raise ModelError(
            f"no value for {names or entry}; give numbers: compile(values={{symbol: number}})"
        )
    return number


def _check_hinges(system: System) -> None:
    """Reject a hinge without inertia in a generic configuration, and thus in every one.

    A body with regular inertia is valid on any hinge; only the others need the sweep.
    """
    named = zip(system.names, system.bodies, strict=True)
    if all(_is_regular(*pair) for pair in {id(pair[1]): pair for pair in named}.values()):
        return
    q = np.concatenate([_generic(b, j) for b, j in zip(system.bodies, system.joints, strict=True)])
    motions = kinematics_base_to_tip(system, q, np.zeros(system.n_v))
    try:
        articulate_tip_to_base(system, motions)
    except SingularError as error:
        joint = system.joints[system.layout.index(error.body)]
        raise ModelError(
            f"body {error.body!r}: its joint ({joint.label}) has a motion that moves no inertia in "
            "any configuration, neither of the body nor of bodies outboard; give the body mass "
            f"and inertia about that axis, or remove the motion{_other_cut(system)}"
        ) from None


def _other_cut(system: System) -> str:
    """Additional remedy if `compile` chose the tree."""
    chosen = [loop.name for loop in system.loops if loop.chosen]
    if not chosen:
        return ""
    return f", or choose the cut joint yourself instead of {name_list(chosen)}: use model.close"


def _is_regular(name: str, body: NormalBody) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        terms = body_terms(body, np.zeros(body.n_mode), np.zeros(body.n_mode), np.zeros(6))
        M_bar = terms.M_rr - terms.M_rf @ terms.M_rf.T
    if not np.all(np.isfinite(M_bar)):
        raise ModelError(
            f"body {name!r}: its inertia about its frame is too large and causes a numerical "
            "overflow; give smaller masses and distances"
        )
    scale = np.sqrt(np.diag(M_bar).clip(min=0.0))
    if not np.all(scale > 0):
        return False
    with np.errstate(over="ignore"):
        scaled = M_bar / np.outer(scale, scale)
    return bool(np.all(np.isfinite(scaled)) and np.linalg.eigvalsh(scaled)[0] > 1e-9)


def _generic(body: NormalBody, joint: Joint) -> Array:
    """Coordinates of an undeformed body in a generic configuration."""
    q = joint.neutral() + 0.3 + 0.11 * np.arange(joint.n_q)
    if joint.has_quaternion:
        q[:4] /= np.linalg.norm(q[:4])
    return np.concatenate([np.zeros(body.n_mode), q])
