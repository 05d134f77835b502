"""Couplings of a model: linear equations between joint coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ModelError, shown, suggestion
from ..fields import numbers_or_symbols
from ..immutable import immutable
from ..joints import Fixed, Joint
from ..printing import Shown
from ..spatial.scalar import array, is_numeric
from ..system import Coupling, sum_in_words
from .parts import Connection, Part


@immutable("remove it from the model and add it again")
@dataclass(frozen=True, eq=False)
class Couple(Shown):
    """One coupling of a model: sum of ratio * coordinate = offset.

    Attributes
    ----------
    name : str
        Name of the coupling.
    ratios : mapping
        By coordinate: "body" or "body.coordinate".
    offset : float or symbol
        Value of the sum.
    """

    name: str
    ratios: Mapping[str, Any]
    offset: Any

    @property
    def title(self) -> str:
        """Label for error messages."""
        return f"coupling {self.name!r}"

    @property
    def words(self) -> str:
        """The equation in words."""
        return sum_in_words(self.ratios.items(), self.offset)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Bodies whose joints it couples."""
        return tuple(key.partition(".")[0] for key in self.ratios)

    def prefixed(self, prefix: str) -> Couple:
        """Copy with the prefix before all names."""
        ratios = {f"{prefix}{key}": ratio for key, ratio in self.ratios.items()}
        return replace(self, name=f"{prefix}{self.name}", ratios=ratios)

    def converted(self, convert: Callable[[Any], Any]) -> Couple:
        """Copy with all numbers passed through `convert`."""
        ratios = {key: convert(ratio) for key, ratio in self.ratios.items()}
        return checked_couple(self.name, ratios, convert(self.offset))


def checked_couple(name: str, ratios: Any, offset: Any) -> Couple:
    """Validated coupling, as far as it can be checked without the model."""
    where = f"coupling {name!r}"
    if not isinstance(ratios, Mapping) or not ratios:
        raise ModelError(
            f"{where}: ratios is {shown(ratios)}; expected a number for each coordinate, such as "
            '{"left": 1, "right": -1}'
        )
    by_coordinate: dict[str, Any] = {}
    for key, ratio in ratios.items():
        if not isinstance(key, (str, Part)):
            raise ModelError(
                f'{where}: {key!r} is not a coordinate; give "body" or "body.coordinate"'
            )
        by_coordinate[str(key)] = _number(ratio, f"{where}: the ratio of {str(key)!r}", zero=False)
    if len(by_coordinate) < len(ratios):
        raise ModelError(f"{where}: a coordinate is given twice; add up its ratios")
    return Couple(name, by_coordinate, _number(offset, f"{where}: offset", zero=True))


def _number(entry: Any, what: str, *, zero: bool) -> Any:
    """One finite number or symbol."""
    value = numbers_or_symbols(entry, what)
    if isinstance(entry, bool):
        raise ModelError(f"{what} is {entry!r}; expected a finite real number")
    if not zero and is_numeric(value) and value == 0:
        raise ModelError(f"{what} is 0, which has no effect; leave the coordinate out")
    return float(value) if is_numeric(value) else value[()]


def resolved_couple(
    couple: Couple,
    numbers: Mapping[str, int],
    parts: Mapping[str, Connection],
    originals: Mapping[str, Connection],
) -> Coupling:
    """Coupling with bodies and coordinates as indices."""
    terms: dict[tuple[int, int], str] = {}
    for key in couple.ratios:
        body, dot, coordinate = key.partition(".")
        if body not in parts:
            raise ModelError(
                f"{couple.title}: there is no body {body!r}; {suggestion(body, originals)}"
            )
        _check_carried(couple, parts[body], originals.get(body))
        entry = _entry(couple, body, coordinate if dot else None, parts[body].joint)
        place = numbers[body], entry
        if place in terms:
            raise ModelError(
                f"{couple.title}: {terms[place]!r} and {key!r} are the same coordinate; add up "
                "their ratios"
            )
        terms[place] = key
    ratios = array(list(couple.ratios.values()))
    bodies, entries = zip(*terms, strict=True)
    return Coupling(couple.name, bodies, entries, ratios, couple.offset)


def _check_carried(couple: Couple, part: Connection, original: Connection | None) -> None:
    """Reject a joint chosen by `compile`: it may be reversed or have different coordinates."""
    if (
        original is None
        or original.loose
        or part.to != original.to
        or type(part.joint) is not type(original.joint)
    ):
        raise ModelError(
            f"{couple.title}: the joint that carries {part.name!r}, and with it the coordinate, "
            "was chosen by compile; give the body its joint with model.add and close the loop with "
            "model.close"
        )


def _entry(couple: Couple, body: str, coordinate: str | None, joint: Joint) -> int:
    """Index of the named coordinate of a joint."""
    labels = [name for name, _ in joint.plain_coordinates]
    what = f"{couple.title}: the joint of {body!r} ({joint.label})"
    if not labels:
        reason = (
            "has no coordinate"
            if isinstance(joint, Fixed)
            else "has coordinates whose rates are not its speeds"
        )
        raise ModelError(
            f"{what} {reason}; couple revolute, prismatic, screw, cylindrical, universal or planar "
            "joints, or build the joint from such joints with massless bodies in between"
        )
    if coordinate is None:
        if len(labels) > 1:
            names = " or ".join(repr(f"{body}.{name}") for name in labels)
            raise ModelError(f"{what} has {len(labels)} coordinates; name one: {names}")
        return 0
    if coordinate not in labels:
        raise ModelError(
            f"{what} has no coordinate {coordinate!r}; {suggestion(coordinate, labels)}"
        )
    return labels.index(coordinate)
