"""Names of the quantities of a trajectory.

A name is "quantity" of the whole system, "body.quantity", "body.node.quantity", "frame.quantity" or
"loop.quantity";
"body" alone is its hinge coordinates, as in a state, "loop" alone the coordinates of its joint.
Of a coupling there are "coupling.gap", "coupling.rate" and "coupling.force", of a contact its gap,
forces and slip.
The number of parts decides: "arm.position" is that of body "arm" even if it has a node called
"position", whose own is "arm.position.position".  Where a body has the name of a quantity of the
whole system ("time"), the name alone is the quantity.  `Model.compile` warns of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..errors import StateError, suggestion
from ..joints import Joint
from ..printing import Shown
from ..spatial.many_rotations import continuous, roll_pitch_yaw
from ..system import Coupling, Loop, System
from .contact_channels import (
    CONTACT,
    contact_names,
    contact_parts,
    contact_values,
    is_of_contact,
    missing_contact,
)
from .drive_quantities import DRIVE
from .labels import Parts, field_parts
from .loop_channels import CLOSURE, COUPLING, LOOP, coupling_parts, loop_values
from .quantities import BODY, CUMULATED, LOADS, NODE, STORED, SUMS, of_body, of_loads, sums
from .quantity import ChannelFrame
from .row_blocks import RowBlock, collected
from .section_quantities import SECTION, missing
from .store import Columns, Store

Array = np.ndarray


@dataclass(frozen=True)
class Channel(Shown):
    """A named quantity of a trajectory.

    Attributes
    ----------
    name : str
        Name by which it is read.
    description : str
        Meaning, with the axes.
    shape : tuple of int
        Shape of the value in one row.
    labels : tuple of str
        Names of the components, in the order of the flattened value; empty for a number.
    units : tuple of str
        Unit of each component; "1" if dimensionless.
    """

    name: str
    description: str
    shape: tuple[int, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]

    @property
    def unit(self) -> str:
        """Units of the components, without repetition."""
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
    if name in (loads := of_loads(columns)):
        return _channel(name, *loads[name])
    if name in CLOSURE and system.constraints:
        return _channel(name, *CLOSURE[name])
    if name not in STORED:
        return None
    return _channel(name, STORED[name], field_parts(system, columns, name))


def listed(system: System, columns: Columns, text: str = "") -> dict[str, Channel]:
    """All channels whose names contain a text; only named nodes are included."""
    names = ["time", *STORED, *SUMS, *LOADS, *CLOSURE]
    channels = {n: c for n in names if text in n and (c := _whole(system, columns, n)) is not None}
    places: list[tuple[str, Joint | None]] = []
    for body, normal_body, hinge in zip(system.names, system.bodies, system.joints, strict=True):
        places += [(body, hinge), *((f"{body}.{node}", None) for node in normal_body.node_names)]
    places += [(frame.name, None) for frame in system.frames]
    for place, joint in places:
        frame = ChannelFrame(system, columns, system.place(place))
        for key, quantity in (NODE if joint is None else of_body(joint)).items():
            name = f"{place}.{key}"
            if text not in name or (key == "deflection" and not frame.bends):
                continue
            if parts := quantity.parts(frame):
                words = quantity.described(frame)
                channels[name] = _channel(name, words, parts, quantity.shape)
    for loop in system.loops:
        for key in LOOP:
            channel = _of_loop(loop, f"{loop.name}.{key}")
            if key == "load" and loop.name not in columns.loaded:
                continue
            if text in channel.name and channel.labels:
                channels[channel.name] = channel
    for coupling in system.couplings:
        for key in COUPLING:
            if text in (name := f"{coupling.name}.{key}"):
                channels[name] = _of_coupling(system, coupling, name)
    for contact in contact_names(columns):
        for key in CONTACT:
            if text in (name := f"{contact}.{key}"):
                channels[name] = _channel(name, *contact_parts(name))
    return channels


def _of_loop(loop: Loop, name: str) -> Channel:
    """Channel of a loop; its name alone means the coordinates of its joint."""
    _, _, key = name.partition(".")
    description, parts = LOOP[key or "coordinates"]
    return _channel(name, description, parts(loop))


def _of_coupling(system: System, coupling: Coupling, name: str) -> Channel:
    """Channel of a coupling."""
    key = name.partition(".")[2]
    return _channel(name, COUPLING[key][0], coupling_parts(system, coupling, key))


def resolved(
    system: System, columns: Columns, name: Any
) -> tuple[Channel, Callable[[RowBlock], Array] | None]:
    """Channel of a name, and the function that computes it by blocks (None: all rows at once).

    A StateError names the wrong part of the name and suggests a correction.  A component, or all
    whose labels begin alike, is a channel too: "arm.reaction.force_x", "arm.reaction.force".
    """
    try:
        return _resolved_whole(system, columns, name)
    except StateError:
        if (part := _component(system, columns, name)) is not None:
            return part.channel, None
        if words := _no_component(system, columns, name):
            raise StateError(words) from None
        raise


class _Component(NamedTuple):
    """Components of a channel: as a channel, that channel's name, and their numbers."""

    channel: Channel
    whole: str
    numbers: list[int]


def _component(system: System, columns: Columns, name: Any) -> _Component | None:
    """Components of a channel that a name means, or None."""
    if not isinstance(name, str):
        return None
    whole, _, key = name.rpartition(".")
    try:
        channel, _ = _resolved_whole(system, columns, whole)
    except StateError:
        return None
    numbers = [k for k, x in enumerate(channel.labels) if x == key or x.startswith(f"{key}_")]
    if not key or not numbers:
        return None
    labels = [channel.labels[k].removeprefix(key).removeprefix("_") for k in numbers]
    parts = tuple((x, channel.units[k]) for x, k in zip(labels, numbers, strict=True))
    half = key.partition("_")[0]
    both = "moment and force"
    words = channel.description.replace(both, half if half in both.split() else both)
    return _Component(_channel(name, words, parts), whole, numbers)


def _no_component(system: System, columns: Columns, name: Any) -> str:
    """Message for an unknown component of a known channel; empty if the channel is unknown."""
    whole, _, key = name.rpartition(".") if isinstance(name, str) else ("", "", "")
    if "." not in whole:
        return ""
    try:
        channel, _ = _resolved_whole(system, columns, whole)
    except StateError:
        return ""
    if not channel.labels:
        return ""
    names = [*channel.labels, *dict.fromkeys(x.rpartition("_")[0] for x in channel.labels)]
    return f"channel {whole!r} has no component {key!r}; {suggestion(key, filter(None, names))}"


def _resolved_whole(
    system: System, columns: Columns, name: Any
) -> tuple[Channel, Callable[[RowBlock], Array] | None]:
    """Channel of the name of a whole one, see `resolved`."""
    if not isinstance(name, str):
        raise StateError(f'expected the name of a channel, such as "body.position", got {name!r}')
    if (channel := _whole(system, columns, name)) is not None:
        return channel, None
    parts = name.split(".")
    loops = {loop.name: loop for loop in system.loops}
    if parts[0] in loops and (len(parts) == 1 or (len(parts) == 2 and parts[1] in LOOP)):
        if parts[1:] == ["load"] and parts[0] not in columns.loaded:
            hint = suggestion(parts[0], columns.loaded)
            raise StateError(f"no load on the joint of loop {parts[0]!r} was stored; {hint}")
        return _of_loop(loops[parts[0]], name), None
    couplings = {one.name: one for one in system.couplings}
    if parts[0] in couplings and len(parts) == 2 and parts[1] in COUPLING:
        return _of_coupling(system, couplings[parts[0]], name), None
    if is_of_contact(columns, name):
        return _channel(name, *contact_parts(name)), None
    frames = {frame.name for frame in system.frames}
    missing_contact(columns, name)
    if parts[0] in frames:
        if len(parts) != 2 or parts[1] not in NODE:
            raise StateError(_unknown_of_frame(system, name, parts))
    elif parts[0] not in system.names or len(parts) > 3:
        raise StateError(_unknown(system, name, parts, contact_names(columns)))
    if len(parts) == 1:
        parts.append("coordinates")
    *place, key = parts
    by_key = NODE
    if len(place) == 1 and place[0] not in frames:
        by_key = of_body(system.joints[system.names.index(place[0])])
    if key not in by_key:
        raise StateError(_unknown(system, name, parts, ()))
    frame = ChannelFrame(system, columns, system.place(".".join(place)))
    components = by_key[key].parts(frame)
    if components is None:
        raise StateError(_missing(frame, ".".join(place), key))
    channel = _channel(name, by_key[key].described(frame), components, by_key[key].shape)
    return channel, partial(by_key[key].compute, frame)


def _unknown_of_frame(system: System, name: str, parts: list[str]) -> str:
    """Words for a name that begins with a frame and leads nowhere."""
    frame, *rest = parts
    if not rest:
        return f"{name!r} is a frame; give one of its quantities, such as '{name}.position'"
    if len(rest) > 1:
        return f'{name!r} has too many parts; a channel of a frame is "frame.quantity"'
    at = system.place(frame).body
    if at >= 0 and rest[0] in of_body(system.joints[at]):
        body = system.names[at]
        return f"frame {frame!r} has no {rest[0]!r}: it is on body {body!r}; use '{body}.{rest[0]}'"
    return f"frame {frame!r} has no {rest[0]!r}; {suggestion(rest[0], NODE)}"


def _unknown(system: System, name: str, parts: list[str], contacts: Sequence[str]) -> str:
    """Message for an unknown name."""
    body, *rest = parts
    loops, couplings = ([one.name for one in group] for group in (system.loops, system.couplings))
    if body in couplings:
        if len(rest) > 1:
            return f'{name!r} has too many parts; a channel of a coupling is "coupling.quantity"'
        if not rest:
            return f"{name!r} is a coupling; give one of its quantities, such as '{name}.force'"
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
        frames = [frame.name for frame in system.frames]
        named = {"loop": loops, "coupling": couplings, "frame": frames, "contact": contacts}
        words = [*system.names, *loops, *couplings, *frames, *contacts]
        words += whole if not rest else sorted(groups)
        kinds = ["body", *(kind for kind, names in named.items() if names)]
        what = "channel" if not rest else " or ".join(kinds)
        return f"there is no {what} {body!r}; {suggestion(body, words)}"
    nodes = system.bodies[system.names.index(body)].node_names
    if len(rest) > 2:
        return f'{name!r} has too many parts; a channel is "body.quantity" or "body.node.quantity"'
    if len(rest) == 2:
        system.locate(f"{body}.{rest[0]}")  # raises if the node does not exist
        if rest[1] in BODY:
            return f"{rest[1]!r} belongs to the body, not to its nodes: use '{body}.{rest[1]}'"
        return f"a node has no {rest[1]!r}; {suggestion(rest[1], NODE)}"
    if rest[0] in nodes:
        return f"{name!r} is a node; give one of its quantities, such as '{name}.position'"
    choices = [*of_body(system.joints[system.names.index(body)]), *nodes]
    return f"body {body!r} has no {rest[0]!r}; {suggestion(rest[0], choices)}"


def _missing(frame: ChannelFrame, place: str, key: str) -> str:
    """Message for a quantity that a body or node does not have."""
    if key == "load":
        return f"no load on {place!r} was stored; {suggestion(place, frame.columns.wrenches)}"
    if key.startswith("servo_"):
        return f"no servo of {place!r} was stored; {suggestion(place, frame.columns.servos)}"
    if key.startswith("interface_load"):
        hint = f"use '{place}.load'" if not frame.place.plain else "use another node"
        return f"nothing is attached to {place!r}, so that it has no {key}; {hint}"
    if key in SECTION:
        grounded = frame.place.grounded
        if grounded:
            return missing(place, None, key)
        return missing(frame.system.names[frame.body], frame.system.bodies[frame.body], key)
    if key in DRIVE:
        return _no_drive(frame, place, key)
    label = frame.system.joints[frame.body].label
    return f"the joint of {place!r} ({label}) has no single {key}; use '{place}.coordinates'"


def _no_drive(frame: ChannelFrame, place: str, key: str) -> str:
    """Message for a channel of a drive at a joint that has none, or not such a one."""
    if frame.drive is None:
        driven = [drive[1] for drive in (*frame.columns.drives, *frame.system.drives)]
        hint = suggestion(place, dict.fromkeys(driven)) if driven else "see flexible_drive"
        return f"the joint of {place!r} has no elastic drive, so that it has no {key}; {hint}"
    there = ", ".join(repr(f"{place}.{x}") for x in DRIVE if DRIVE[x].parts(frame))
    return f"the drive of {place!r} has no {key}; use {there}"


def _summed(system: System, store: Store) -> dict[str, Array]:
    """Energies and momenta; the total energy with what springs and rotors have."""
    totals = sums(system, store, np.zeros(3))
    total = totals["energy.total"].copy()
    for name in set(of_loads(store.columns)) - {CUMULATED}:
        total += (more := _of_loads(system, store, name)[name])
        totals[name] = more
    total.flags.writeable = False
    return totals | {"energy.total": total}


def _of_loads(system: System, store: Store, name: str) -> dict[str, Array]:
    from .stored_energy import rotors, springs, work

    if name == "energy.rotors":
        energy = rotors(system, store)
    else:
        energy = (springs if name == "energy.springs" else work)(system, store)
    energy.flags.writeable = False
    return {name: energy}


def _angles(system: System, store: Store, name: str) -> Array:
    """Roll, pitch and yaw without jumps, from all rows at once."""
    place, _, key = name.rpartition(".")
    if key == "angles":
        return roll_pitch_yaw(values(system, store, f"{place}.quaternion")[f"{place}.quaternion"])
    return roll_pitch_yaw(store.read("q")[:, system.layout.hinge_q(system.names.index(place))])


def values(system: System, store: Store, name: Any) -> dict[str, Array]:
    """Values of a channel by name, with others that result from the same computation; read-only.

    Rows are read in blocks.
    """
    resolved(system, store.columns, name)  # explains what is wrong
    try:
        channel, compute = _resolved_whole(system, store.columns, name)
    except StateError:
        part = _component(system, store.columns, name)
        assert part is not None
        every = values(system, store, part.whole)[part.whole]
        rows = np.array(every.reshape(len(every), math.prod(every.shape[1:]))[:, part.numbers])
        rows = rows.reshape(len(every), *part.channel.shape)
        rows.flags.writeable = False
        return {name: rows}
    if name == "center_of_mass" and not sum(body.mass for body in system.bodies):
        raise StateError("the system has no mass, so that its centre of mass is undefined")
    if name in SUMS:
        return _summed(system, store)
    if name in LOADS:
        return _of_loads(system, store, name)
    if name.rpartition(".")[2] in ("angles", "hinge_angles"):
        rows = _angles(system, store, name)
    elif compute is not None:
        rows = collected(store, channel.shape, compute)
        if name.endswith(".quaternion"):
            rows = continuous(rows)
    elif name in STORED or name == "time":
        rows = store.read(name).view()
        if name == "time" and not np.all(rows[1:] >= rows[:-1]):
            k = int(np.argmin(rows[1:] >= rows[:-1]))
            raise StateError(
                f"the time of row {k + 1} is {rows[k + 1]} s, after {rows[k]} s; it must "
                "not decrease"
            )
    elif is_of_contact(store.columns, name):
        return {name: contact_values(store, name)}
    else:
        return loop_values(system, store, name)
    rows.flags.writeable = False
    return {name: rows}
