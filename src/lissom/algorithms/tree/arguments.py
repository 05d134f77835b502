"""Checks and conversions of the arguments of the algorithms."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import StateError, name_list, shown
from ...spatial.scalar import array, is_numeric
from ...system import State, StateLike, System
from ...system.state import checked_vector
from .reference import Armature, BodyMotion, External, kinematics_base_to_tip

Array = np.ndarray

# LISSOM_READABLE=1 in the environment: reference implementation only, no compiled code.
READABLE = os.environ.get("LISSOM_READABLE", "0") not in ("", "0")


def check_system(system: System) -> None:
    """Reject anything but a System."""
    if not isinstance(system, System):
        hint = "; call model.compile() first" if hasattr(system, "compile") else ""
        raise StateError(f"expected a System, got {type(system).__name__}{hint}")


def as_state(system: System, state: StateLike) -> State:
    """State of a system from a State that belongs to it or from (q, v), checked."""
    check_system(system)
    if not isinstance(state, State):
        if not isinstance(state, (tuple, list)) or len(state) != 2:
            many = f" of {len(state)}" if isinstance(state, (tuple, list)) else ""
            raise StateError(
                f"expected a State, got {type(state).__name__}{many}; make one with "
                "system.state(q, v), or give the two arrays (q, v)"
            )
        return State(system, *state)
    if state.system is not system and state.system.fingerprint != system.fingerprint:
        raise StateError(_other_system(system, state.system))
    return state


def _other_system(system: System, other: System) -> str:
    """Message about the difference between a system and the system of a state."""
    what = "bodies"
    difference = (
        f"its bodies are {_shortened(other.names)}, those of this system {_shortened(system.names)}"
    )
    if system.names == other.names:
        what = "joints or modes"
        pairs = zip(*(_bodies_in_words(x) for x in (system, other)), strict=True)
        k, (here, there) = next((k, pair) for k, pair in enumerate(pairs) if pair[0] != pair[1])
        difference = f"its body {system.names[k]!r} has {there}, that of this system {here}"
    return f"the state belongs to a system with other {what}: {difference}; use system.state(...)"


def _bodies_in_words(system: System) -> list[str]:
    carriers = ["the ground", *map(repr, system.names)]
    rows = zip(system.parent, system.joints, system.bodies, strict=True)
    return [
        f"a {type(j).__name__} joint on {carriers[p + 1]} and {b.n_mode} modes" for p, j, b in rows
    ]


def _shortened(names: tuple[str, ...], most: int = 6) -> str:
    words = ", ".join(map(repr, names[:most])) or "none"
    return f"{words} and {len(names) - most} more" if len(names) > most else words


def check_no_loops(system: System, what: str, instead: str) -> None:
    """Reject a system with loops or couplings where only trees are supported."""
    if isinstance(system, System) and system.constraints:
        kind, group = ("loop", system.loops) if system.loops else ("coupling", system.couplings)
        names = name_list(one.name for one in group)
        words = f"the {kind}" if len(group) == 1 else f"{kind}s"
        raise StateError(
            f"{what} supports trees only, but the system has {words} {names}; use {instead}"
        )


def check_axes(axes: Any) -> None:
    """Reject axes other than "world" and "body"."""
    if not isinstance(axes, str) or axes not in ("world", "body"):
        raise StateError(f'axes is {axes!r}; use "world" or "body"')


def check_reals(what: str, state: State, *vectors: Array) -> None:
    """Reject complex numbers and symbols, which real arithmetic would lose."""
    if not (state.real and all(x.dtype == float for x in vectors)):
        raise StateError(
            f"{what} needs real numbers; there are complex numbers or symbols in the state or in "
            "what comes with it"
        )


def all_floats(state: State, *vectors: Array) -> bool:
    """Whether the kernels can be used: all numbers are floats, not complex numbers or symbols."""
    return not READABLE and state.real and all(x.dtype == float for x in vectors)


def into_out(result: Array, out: Any) -> Array:
    """Result, copied into `out` if given."""
    if out is None:
        return result
    if not isinstance(out, np.ndarray):
        raise StateError(f"out is {type(out).__name__}; expected an array to write to")
    fits = np.can_cast(result.dtype, out.dtype) and (out.dtype != object or result.dtype == object)
    if out.shape != result.shape or not fits:
        raise StateError(
            f"out is {out.dtype} of shape {out.shape}; expected {result.dtype} of shape "
            f"{result.shape}"
        )
    if not out.flags.writeable:
        raise StateError("out is read-only; give a writable array")
    out[...] = result
    return out


def motions_of(system: System, state: StateLike) -> list[BodyMotion]:
    """Kinematics of a state, which must belong to the system."""
    state = as_state(system, state)
    return kinematics_base_to_tip(system, state.q, state.v)


def speeds_vector(system: System, values: Any, what: str) -> Array:
    """Vector (n_v,) from None (zero), an array or a mapping by name.

    Names are as in a state: "arm" is the hinge of body "arm", "arm.modes" its modes.
    """
    if values is None:
        return np.zeros(system.n_v)
    if not isinstance(values, Mapping):
        return checked_vector(values, system.n_v, what, system)
    pieces = [np.zeros(1) for _ in range(system.n_v)]
    for key, value in values.items():
        name, _, part = str(key).partition(".")
        if name in [loop.name for loop in system.loops]:
            raise StateError(
                f"{what}: {key!r} is the joint of a loop, which has none of the speeds of the "
                "system; give a force on it as a load (Actuator), or by name to forward_dynamics"
            )
        if part not in ("", "modes"):
            raise StateError(f'{what}: {key!r} is neither "body" nor "body.modes"')
        piece = system.layout.modal_v(name) if part else system.layout.hinge_v(name)
        numbers = np.atleast_1d(array(value))
        if numbers.shape != (piece.stop - piece.start,):
            n = piece.stop - piece.start
            raise StateError(
                f"{what}: {key!r} needs {n} number{'' if n == 1 else 's'}, got {shown(value)}"
            )
        for k, entry in enumerate(numbers):
            pieces[piece.start + k] = np.array([entry])
    stacked = np.concatenate(pieces) if pieces else np.zeros(0)
    return checked_vector(stacked, system.n_v, what, system)


def to_external(system: System, external: Mapping[Any, Any] | None) -> External:
    """Spatial forces on nodes from a mapping {"body[.node]" or "frame": [moment; force]}."""
    if external is None:
        return ()
    if not isinstance(external, Mapping):
        raise StateError(
            'external must be a mapping {"body", "body.node" or "frame": [moment; force]}'
        )
    forces = []
    for where, values in external.items():
        try:
            wrench = array(values)
        except (TypeError, ValueError):
            wrench = np.zeros(0)
        if wrench.shape != (6,):
            raise StateError(
                f"external force on {str(where)!r} is {shown(values)}; expected six numbers "
                "[moment; force] in the axes of that frame"
            )
        if is_numeric(wrench) and not np.all(np.isfinite(wrench)):
            raise StateError(f"external force on {str(where)!r} has entries that are not finite")
        frame = system.place(where)
        if frame.grounded:
            raise StateError(
                f"external force on {str(where)!r}: this frame is fixed to the ground, which no "
                "force moves; name a body, a node or a frame on one"
            )
        forces.append((frame.body, frame.node, frame.wrench_at_node(wrench)))
    return forces


def to_armature(system: System, armature: Any) -> Armature | None:
    """Armature of each body from None, a vector (n_v,) or a mapping of hinge blocks by body."""
    if armature is None:
        return None
    blocks: dict[str, Array] = {}
    if isinstance(armature, Mapping):
        diagonal = np.zeros(system.n_v)
        for name, value in armature.items():
            blocks[name] = _hinge_block(system, name, value)
    else:
        diagonal = checked_vector(armature, system.n_v, "armature", system)
        if diagonal.dtype.kind != "f":
            raise StateError("armature must be real numbers")
        if np.any(diagonal < 0):
            k = int(np.argmin(diagonal))
            owner = system.layout.owner_v(k)
            raise StateError(f"armature of {owner} is {diagonal[k]:g}; it must not be negative")
    layout = system.layout
    return [
        (diagonal[layout.modal_v(n)], blocks.get(n, np.diag(diagonal[layout.hinge_v(n)])))
        for n in system.names
    ]


def _hinge_block(system: System, name: str, value: Any) -> Array:
    piece = system.layout.hinge_v(name)
    n = piece.stop - piece.start
    numbers = array(value)
    if numbers.dtype.kind != "f":
        raise StateError(f"armature of {name!r} must be real numbers")
    if not np.all(np.isfinite(numbers)):
        raise StateError(f"armature of body {name!r} is {shown(value)}; all entries must be finite")
    block = numbers if numbers.ndim == 2 else np.diag(np.broadcast_to(numbers, (n,)))
    if block.shape != (n, n) or not np.allclose(block, block.T):
        raise StateError(
            f"armature of {name!r} is {shown(value)}; give a number, {n} numbers or a symmetric "
            f"{n}x{n} block"
        )
    if n and np.linalg.eigvalsh(block)[0] < 0:
        raise StateError(
            f"armature of {name!r} is {shown(value)}; its eigenvalues must not be negative"
        )
    return block
