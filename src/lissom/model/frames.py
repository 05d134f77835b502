"""Named frames of a model, resolved to the bodies, nodes or ground that carry them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ModelError, name_list, suggestion
from ..immutable import immutable
from ..printing import Shown
from .parts import Closing, Connection, End, checked_rotation, checked_vector, place


@immutable("remove it from the model and add it again")
@dataclass(frozen=True, eq=False)
class NamedFrame(Shown):
    """A frame added by `Model.frame`; names are resolved by `compile`."""

    name: str
    end: End

    @property
    def title(self) -> str:
        """Label for error messages."""
        return f"frame {self.name!r}"

    @property
    def words(self) -> str:
        """Parent in words."""
        return f"on {self.end.part or 'the ground'}"


def checked_frame(name: str, on: Any, node: Any, at: Any, rotation: Any) -> NamedFrame:
    """Validated frame; see `Model.frame`."""
    where = f"frame {name!r}"
    part = place(on, node, where, "on")
    point = checked_vector(at, "at", where)
    return NamedFrame(name, End(part, point, checked_rotation(rotation, where)))


def resolved_frames(frames: Mapping[str, NamedFrame], bodies: Mapping[str, Any]) -> dict[str, End]:
    """All frames of a model relative to bodies, nodes or the ground, chains of frames resolved."""
    done: dict[str, End] = {}
    for frame in frames.values():
        chain: dict[str, NamedFrame] = {}
        here: NamedFrame | None = frame
        while here is not None and here.name not in done:
            if here.name in chain:
                names = [*chain, here.name]
                cycle = name_list(names[names.index(here.name) :], show=str, between=" -> ")
                raise ModelError(
                    f"{here.title} is attached to itself: {cycle}; attach one of these frames to a "
                    "body or the ground"
                )
            chain[here.name] = here
            here = frames.get(here.end.body or "")
        for one in reversed(chain.values()):
            done[one.name] = _resolved(one.end, done, one.title)
            if (body := done[one.name].body) is not None and body not in bodies:
                choices = [name for name in (*bodies, *frames) if name != one.name]
                raise ModelError(
                    f"{one.title} is attached to {body!r}, which is not in the model; "
                    f"{suggestion(body, choices)}"
                )
    return {name: done[name] for name in frames}


def _resolved(end: End, frames: Mapping[str, End], what: str) -> End:
    """Same place, relative to the carrier of its frame; `what` labels errors."""
    if end.part is None or end.part.name not in frames:
        return end
    if end.part.node is not None:
        raise ModelError(
            f"{what} is attached to {str(end.part)!r}, but {end.part.name!r} is a frame and has no "
            "nodes; give its name alone"
        )
    base = frames[end.part.name]
    return End(base.part, base.at + base.rotation @ end.at, base.rotation @ end.rotation)


def resolved_connection(part: Connection, frames: Mapping[str, End]) -> Connection:
    """Body whose joint is attached to a body, a node or the ground."""
    end = _resolved(End(part.to, part.at, part.rotation), frames, f"body {part.name!r}")
    return replace(part, to=end.part, at=end.at, rotation=end.rotation)


def resolved_closing(closing: Closing, frames: Mapping[str, End]) -> Closing:
    """Loop or join whose ends are attached to bodies, nodes or the ground."""
    a, b = (_resolved(end, frames, closing.title) for end in (closing.a, closing.b))
    return replace(closing, a=a, b=b)


def carrier(name: str, frames: Mapping[str, NamedFrame]) -> str | None:
    """Body with this name, or body that carries the frame with this name; None is the ground."""
    here: str | None = name
    for _ in frames:  # a longer chain would be a cycle, which `compile` rejects
        if here is None or here not in frames:
            break
        here = frames[here].end.body
    return here
