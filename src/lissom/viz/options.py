"""Options of pages, pictures, drawings and plots, each declared once.

A record checks its options when it is made.  The command line takes forms, choices and words from
it, and a test compares it with the parameters of public functions and their documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..errors import StateError

# What colours can show, with units; curvature and moment of rods only
SHOWN = {"deflection": "m", "stress": "Pa", "curvature": "rad/m", "moment": "N m"}
PLANES = ("xy", "xz", "yz")


def option(default: Any, form: str, words: str, expected: str = "", **limits: Any) -> Any:
    """Field of a record, with its form and the words that its documentation begins with.

    `expected`: for messages, where the form has no words of its own; `limits`: `least` and `most`
    of numbers, or `choices`.  None is accepted where it is the default.
    """
    *first, last = map(repr, limits.get("choices", [""]))
    listed = f"{', '.join(first)} or {last}"
    expected = expected or FORMS[form][1].format(listed=listed, **limits)
    return field(
        default=default, metadata={"form": form, "words": words, "expected": expected, **limits}
    )


def _is_number(value: Any, least: float, most: float) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and least <= value <= most


def _is_whole(value: Any, told: Mapping[str, Any]) -> bool:
    return isinstance(value, int) and _is_number(value, told["least"], told["most"])


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(x, str) for x in value)


def _is_view(value: Any) -> bool:
    if isinstance(value, (tuple, list)) and len(value) == 2:
        return _is_number(value[0], -90, 90) and _is_number(value[1], -720, 720)
    return isinstance(value, str) and value in (*PLANES, "3d")


def _is_channels(value: Any) -> bool:
    groups = [value] if isinstance(value, str) else value
    return isinstance(groups, (list, tuple)) and all(
        isinstance(group, str) or _is_list(group) for group in groups
    )


def _is_inches(value: Any, told: Mapping[str, Any]) -> bool:
    try:
        sides = [float(x) for x in value]
    except (TypeError, ValueError, OverflowError):
        return False
    return len(sides) == 2 and all(told["least"] <= x <= told["most"] for x in sides)


# Form of an option -> whether a value has it, by value and limits, and words for messages
FORMS: dict[str, tuple[Callable[[Any, Mapping[str, Any]], bool], str]] = {
    "text": (lambda x, _: isinstance(x, str), "a string"),
    "flag": (lambda x, _: isinstance(x, bool), "True or False"),
    "choice": (lambda x, told: isinstance(x, str) and x in told["choices"], "{listed}"),
    "number": (lambda x, told: _is_number(x, told["least"], told["most"]), ""),
    "whole": (lambda x, told: _is_whole(x, told), "a whole number, {least} to {most}"),
    "pixels": (
        lambda x, told: (
            isinstance(x, (tuple, list)) and len(x) == 2 and all(_is_whole(a, told) for a in x)
        ),
        "width and height in pixels, {least} to {most} each",
    ),
    "inches": (_is_inches, "width and height in inches, {least} to {most}"),
    "names": (lambda x, _: _is_list(x), ""),
    "view": (lambda x, _: _is_view(x), ""),
    "channels": (lambda x, _: _is_channels(x), ""),
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """Base class of records of options."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            value, told = getattr(self, entry.name), entry.metadata
            if value is None and entry.default is None:
                continue
            if not FORMS[told["form"]][0](value, told):
                raise StateError(f"{entry.name} is {value!r}; expected {told['expected']}")


@dataclass(frozen=True, kw_only=True)
class SceneOptions(Options):
    """What pages and pictures of a scene have in common."""

    trails: Any = option(
        None,
        "names",
        '"body", "body.node" or frames whose paths are drawn',
        "a list such as ['hand', 'boom.tip']",
    )
    color: Any = option(
        None,
        "choice",
        "What colours show",
        f"one of {', '.join(map(repr, SHOWN))}, or None",
        choices=tuple(SHOWN),
    )
    scale: Any = option(
        1.0,
        "number",
        "Factor by which deformations are enlarged",
        "a factor for deformations, such as 5",
        least=0.0,
        most=1e6,
    )
    view: Any = option(
        None,
        "view",
        "Direction of view",
        "'xy', 'xz', 'yz', '3d', or elevation (-90 to 90) and azimuth in degrees, such as "
        "(20, -60)",
        choices=(*PLANES, "3d"),
    )


@dataclass(frozen=True, kw_only=True)
class PageOptions(SceneOptions):
    """Options of a page."""

    frames: Any = option(600, "whole", "Largest number of frames", least=2, most=20_000)
    title: Any = option(None, "text", "Heading")
    theme: Any = option("auto", "choice", "Background", choices=("auto", "light", "dark"))
    reactions: Any = option(None, "flag", "Whether to include forces and moments of joints")
    plot: Any = option(
        None,
        "channels",
        "Quantities below the picture",
        "channels such as ['boom.angle', 'load.position'], those of an inner list in one panel; "
        "() for no plot",
    )
    follow: Any = option(
        None, "text", "Body or frame that the camera follows", "a body or frame such as 'hand'"
    )


@dataclass(frozen=True, kw_only=True)
class ImageOptions(SceneOptions):
    """Options of a picture."""

    size: Any = option((960, 600), "pixels", "Width and height [pixels]", least=50, most=4000)


@dataclass(frozen=True, kw_only=True)
class GifOptions(ImageOptions):
    """Options of an animated GIF."""

    frames: Any = option(80, "whole", "Number of frames", least=2, most=1000)
    duration: Any = option(
        None,
        "number",
        "Playing time [s]",
        "the playing time [s], a positive number",
        least=5e-324,
        most=3600,
    )
    size: Any = option((640, 420), "pixels", "Width and height [pixels]", least=50, most=4000)


@dataclass(frozen=True, kw_only=True)
class FigureOptions(Options):
    """Options of drawings and plots by Matplotlib."""

    title: Any = option(None, "text", "Heading")
    size: Any = option(None, "inches", "Width and height [inch]", least=0.5, most=100)
    show: Any = option(False, "flag", "Whether to open a window")
    events: Any = option(True, "flag", "Whether to mark events")  # of plots over time
    names: Any = option(  # of drawings, and so are `frames`
        None, "flag", "Whether to write the names of the bodies", "True, False or None"
    )
    frames: Any = option(False, "flag", "Whether to draw axes")
