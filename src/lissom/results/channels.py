"""What the quantities of a trajectory are called, and what may have been meant.

A name is "quantity" of the whole system, "body.quantity", "body.node.quantity" or "loop.quantity";
"body" alone is its hinge coordinates, as in a state, "loop" alone the coordinates of its joint.
Of a coupling there are "coupling.gap", "coupling.rate" and "coupling.force".
The number of parts decides: "arm.position" is that of body "arm" even if it has a node called
"position", whose own is "arm.position.position".  Where a body has the name of a quantity of the
whole system ("time"), the name alone is the quantity.  `Model.compile` warns of both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..errors import StateError, suggestion
from ..system import Coupling, Loop, System
from .labels import Parts, field_parts
from .loops import CLOSURE, COUPLING, LOOP, coupling_parts, loop_values
from .quantities import BODY, NODE, STORED, SUMS, Block, Frame, collected, sums
from .rotation_vectors import continuous
from .store import Columns, Store

__all__ = ["Channel", "listed", "resolved", "values"]

Array = np.ndarray


@dataclass(frozen=True)
class Channel:
    """A named quantity of a trajectory.

    Attributes
    ----------
    name : str
        What it is read by.
    description : str
        What it is, and in which axes.
    shape : tuple of int
        Of the value in one row.
    labels : tuple of str
        Names of the components, in the order of the flattened value; empty for a number.
    units : tuple of str
        Unit of each component; "1" for mere numbers.
    """

    name: str
    description: str
    shape: tuple[int, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def unit(self) -> str:
        """Units of the components, each once."""
        return "; ".join(dict.fromkeys(self.units))


def _channel(name: str, description: str, parts: Parts, shape: Any = None) -> Channel:
    labels, units = tuple(p[0] for p in parts), tuple(p[1] for p in parts)
    scalar = shape == () or labels == ("",)
    shape = () if scalar else shape or (len(parts),)
    return Channel(name, description, shape, () if scalar else labels, units)


def _whole(system: System, columns: Columns, name: str) -> Channel | None:
    """Channel of the whole system."""
    if name == "time":
        return _channel(name, "time", (("", "s"),))
    if name in SUMS:
        return _channel(name, *SUMS[name][:2])
    if name in CLOSURE and system.constraints:
        return _channel(name, *CLOSURE[name])
    if name not in STORED:
        return None
    return _channel(name, STORED[name], field_parts(system, columns, name))


def listed(system: System, columns: Columns, text: str = "") -> dict[str, Channel]:
    """All channels whose names contain a text; of nodes those that have names.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    columns : Columns
        Of the rows, for the loads in them.
    text : str
        Part of a name.
    """
    names = ["time", *STORED, *SUMS, *CLOSURE]
    found = {n: c for n in names if text in n and (c := _whole(system, columns, n)) is not None}
    for i, body in enumerate(system.names):
        own = system.bodies[i]
        nodes = [(body, own.inboard), *((f"{body}.{n}", t) for n, t in own.node_names.items())]
        for place, node in nodes:
            frame = Frame(system, columns, i, node)
            for key, quantity in (NODE | BODY if place == body else NODE).items():
                name = f"{place}.{key}"
                if text not in name or (key == "deflection" and not own.n_mode):
                    continue
                if parts := quantity.parts(frame):
                    found[name] = _channel(name, quantity.description, parts, quantity.shape)
    for loop in system.loops:
        for key in LOOP:
            channel = _of_loop(loop, f"{loop.name}.{key}")
            if text in channel.name and channel.labels:
                found[channel.name] = channel
    for coupling in system.couplings:
        for key in COUPLING:
            if text in (name := f"{coupling.name}.{key}"):
                found[name] = _of_coupling(system, coupling, name)
    return found


def _of_loop(loop: Loop, name: str) -> Channel:
    """Channel of a loop; its name alone is the coordinates of its joint."""
    _, _, key = name.partition(".")
    description, parts = LOOP[key or "coordinates"]
    return _channel(name, description, parts(loop))


def _of_coupling(system: System, coupling: Coupling, name: str) -> Channel:
    """Channel of a coupling."""
    key = name.partition(".")[2]
    return _channel(name, COUPLING[key][0], coupling_parts(system, coupling, key))


def resolved(
    system: System, columns: Columns, name: Any
) -> tuple[Channel, Callable[[Block], Array] | None]:
    """Channel of a name, and what computes it from a block of rows (None: all of it at once).

    A StateError says which part of the name is wrong, and what may have been meant.
    """
    if not isinstance(name, str):
        raise StateError(f'a channel has a name such as "body.position", got {name!r}')
    if (channel := _whole(system, columns, name)) is not None:
        return channel, None
    parts = name.split(".")
    loops = {loop.name: loop for loop in system.loops}
    if parts[0] in loops and (len(parts) == 1 or (len(parts) == 2 and parts[1] in LOOP)):
        return _of_loop(loops[parts[0]], name), None
    couplings = {one.name: one for one in system.couplings}
    if parts[0] in couplings and len(parts) == 2 and parts[1] in COUPLING:
        return _of_coupling(system, couplings[parts[0]], name), None
    if parts[0] not in system.names or len(parts) > 3:
        raise StateError(_unknown(system, name, parts))
    if len(parts) == 1:
        parts.append("coordinates")
    *place, key = parts
    known = NODE if len(place) == 2 else NODE | BODY
    if key not in known:
        raise StateError(_unknown(system, name, parts))
    frame = Frame(system, columns, *system.locate(".".join(place)))
    components = known[key].parts(frame)
    if components is None:
        raise StateError(_missing(frame, ".".join(place), key))
    channel = _channel(name, known[key].description, components, known[key].shape)
    return channel, partial(known[key].compute, frame)


def _unknown(system: System, name: str, parts: list[str]) -> str:
    """Words for a name that leads nowhere."""
    body, *rest = parts
    loops, couplings = ([one.name for one in group] for group in (system.loops, system.couplings))
    if body in couplings:
        if len(rest) > 1:
            return f'{name!r} has too many parts; a channel of a coupling is "coupling.quantity"'
        if not rest:
            return f"{name!r} is a coupling; say what of it, such as '{name}.force'"
        return f"coupling {body!r} has no {rest[0]!r}; {suggestion(rest[0], COUPLING)}"
    groups = {n.partition(".")[0] for n in SUMS if "." in n}
    if body in loops:
        if len(rest) > 1:
            return f'{name!r} has too many parts; a channel of a loop is "loop.quantity"'
        return f"loop {body!r} has no {rest[0]!r}; {suggestion(rest[0], LOOP)}"
    if body not in system.names:
        if body in groups and rest:
            keys = [n.partition(".")[2] for n in SUMS if n.startswith(f"{body}.")]
            return f"there is no channel {name!r}; {suggestion(rest[0], keys)}"
        whole = ["time", *STORED, *SUMS, *(CLOSURE if loops or couplings else ())]
        words = [*system.names, *loops, *couplings, *(whole if not rest else sorted(groups))]
        kinds = ["body", *(["loop"] if loops else []), *(["coupling"] if couplings else [])]
        what = "channel" if not rest else " or ".join(kinds)
        return f"there is no {what} {body!r}; {suggestion(body, words)}"
    nodes = system.bodies[system.names.index(body)].node_names
    if len(rest) > 2:
        return f'{name!r} has too many parts; a channel is "body.quantity" or "body.node.quantity"'
    if len(rest) == 2:
        system.locate(f"{body}.{rest[0]}")  # says so if it is the node
        if rest[1] in BODY:
            return f"{rest[1]!r} belongs to the body, not to its nodes: use '{body}.{rest[1]}'"
        return f"a node has no {rest[1]!r}; {suggestion(rest[1], NODE)}"
    if rest[0] in nodes:
        return f"{name!r} is a node; say what of it, such as '{name}.position'"
    return f"body {body!r} has no {rest[0]!r}; {suggestion(rest[0], [*NODE, *BODY, *nodes])}"


def _missing(frame: Frame, place: str, key: str) -> str:
    """Words for a quantity that this body or node lacks."""
    if key == "load":
        return f"no load on {place!r} was stored; {suggestion(place, frame.columns.wrenches)}"
    if key.startswith("servo_"):
        return f"no servo of {place!r} was stored; {suggestion(place, frame.columns.servos)}"
    label = frame.system.joints[frame.body].label
    return f"the joint of {place!r} ({label}) has no single {key}; use '{place}.coordinates'"


def values(system: System, store: Store, name: Any) -> dict[str, Array]:
    """Values of a channel by its name, and of the others that cost nothing more; read-only.

    Rows are read in blocks.
    """
    channel, compute = resolved(system, store.columns, name)
    if name == "center_of_mass" and not sum(body.mass for body in system.bodies):
        raise StateError("the system has no mass, so it has no centre of mass")
    if name in SUMS:
        return sums(system, store, np.zeros(3))
    if compute is not None:
        found = collected(store, channel.shape, compute)
        if name.endswith(".quaternion"):
            found = continuous(found)
    elif name in STORED or name == "time":
        found = store.read(name).view()
        if name == "time" and not np.all(found[1:] >= found[:-1]):
            k = int(np.argmin(found[1:] >= found[:-1]))
            raise StateError(f"the time of row {k + 1} is {found[k + 1]} s, after {found[k]} s")
    else:
        return loop_values(system, store, name)
    found.flags.writeable = False
    return {name: found}
