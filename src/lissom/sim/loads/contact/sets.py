"""Contacts between all pairs of many shapes, of which few are near each other at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from ....errors import LoadError, shown, suggestion
from ....fields import FieldForm, NumberField, SwitchField, declare, declared
from ....kernels.contact.pairs import pair_number
from ....model import Part
from ....shapes import ContactShape, parts
from ....system import PlacedShape, System
from ..load import Load
from .contact import (
    INITIALLY,
    FrictionField,
    InitiallyField,
    LawField,
    check_friction,
    placed_shape,
)
from .members import SetMember, members_of
from .pressure import PressureField
from .set_points import SetPoints

if TYPE_CHECKING:
    from ...run.plan import Plan

MOST_SHOWN = 50  # pairs with channels of their own, where the user does not say which
MOST_PAIRS = 100_000  # a quarter of a gigabyte
OTHERWISE = "otherwise"  # key of a table by pair


def _is_shape(value: Any) -> bool:
    return isinstance(value, (str, Part, ContactShape, PlacedShape))


@dataclass(frozen=True)
class ShapesField(FieldForm):
    """Shapes, or all of a system."""

    kind: str = "sequence or None"
    takes_none: ClassVar[bool] = True

    def check(self, value: Any, what: str, error: Any) -> Any:
        """The shapes as a tuple, or None."""
        if value is None:
            return None
        if (
            isinstance(value, Sequence)
            and not isinstance(value, str)
            and all(map(_is_shape, value))
        ):
            return tuple(value)
        raise error(
            f"{what} is {shown(value)}; give a list of shapes: names, system.shape(...) or shapes "
            "of the world; or None for all shapes of the system"
        )


@dataclass(frozen=True)
class ByPairField(FieldForm):
    """One value for all pairs, a table by pair, or a function of two shapes."""

    kind: str = "value, dict or callable"
    of_law: bool = True

    def check(self, value: Any, what: str, error: Any) -> Any:
        """The value; of a table a copy."""
        if not isinstance(value, Mapping):
            return value if callable(value) else self._checked(value, what, error)
        for key, entry in value.items():
            if key != OTHERWISE and not _is_pair(key):
                raise error(
                    f"{what} has the key {shown(key)}; expected two names, such as "
                    f'("foot", "ground"), or "{OTHERWISE}"'
                )
            if entry is not None:
                self._checked(entry, f"{what}[{shown(key)}]", error)
        return dict(value)

    def _checked(self, value: Any, what: str, error: Any) -> Any:
        """One law or friction."""
        form: FieldForm = LawField() if self.of_law else FrictionField()
        return form.check(value, what, error)


@dataclass(frozen=True)
class PairsField(FieldForm):
    """Pairs of names."""

    kind: str = "sequence of (str, str)"
    takes_none: ClassVar[bool] = True

    def check(self, value: Any, what: str, error: Any) -> Any:
        """The pairs as a tuple."""
        if value is None:
            return None
        if not isinstance(value, (str, Mapping)) and isinstance(value, Sequence):
            if all(map(_is_pair, value)):
                return tuple((str(a), str(b)) for a, b in value)
        raise error(f'{what} is {shown(value)}; expected pairs of names, [("leg", "hull"), ...]')


@dataclass(frozen=True)
class GroupsField(FieldForm):
    """Groups of shapes, by names."""

    kind: str = "dict of sequence"
    takes_none: ClassVar[bool] = True

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Names of each group as a tuple."""
        if value is None:
            return None
        good = isinstance(value, Mapping) and all(
            isinstance(names, Sequence) and not isinstance(names, str) and all(map(_is_name, names))
            for names in value.values()
        )
        if good:
            return {str(group): tuple(map(str, names)) for group, names in value.items()}
        raise error(
            f'{what} is {shown(value)}; expected names by group, {{"robot": ["leg", "arm"], ...}}'
        )


def _is_name(value: Any) -> bool:
    return isinstance(value, (str, Part))


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2 and all(map(_is_name, value))


@declared()
class Contacts(Load):
    """Contacts between many shapes: one for each pair of them, named "foot-ground".

    Two shapes on the ground, on one rigid body, or on two bodies with a joint between them have no
    contact. A run looks only at pairs that are near each other: their number decides what a step
    costs.
    """

    file_kind = ""

    shapes: Any = declare(
        ShapesField(),
        "Names of shapes, or of bodies, nodes and frames that carry one; shapes as `System.shape` "
        "gives them; shapes of the world. None: all shapes of the system.",
        default=None,
    )
    _: KW_ONLY
    law: Any = declare(
        ByPairField(),
        'Normal law; or a table by the names of two shapes or bodies, ``{("foot", "ground"): '
        'law, "otherwise": law}``; or a function of two `PlacedShape` that returns a law. A pair '
        "whose law is None has no contact.",
    )
    friction: Any = declare(
        ByPairField(of_law=False),
        "Friction, or a table or function by pair likewise; None without friction.",
        default=None,
    )
    exclude: Any = declare(
        PairsField(),
        'Pairs without contact, by names of shapes or bodies: ``[("leg", "hull")]``.',
        default=None,
    )
    groups: Any = declare(
        GroupsField(),
        "Names of shapes or bodies by group: shapes of the same group have no contact with each "
        "other. Shapes in no group may touch all others.",
        default=None,
    )
    joined: bool = declare(
        SwitchField(), "Whether bodies with a joint between them touch each other.", default=False
    )
    channels: Any = declare(
        PairsField(),
        "Pairs whose channels a run stores, by names of shapes or bodies. By default all if they "
        'are fewer than 50, else none. Where not all are stored, "foot.contacts" has the sums of '
        "all contacts of the shape foot.",
        default=None,
    )
    margin: float | None = declare(
        NumberField("length", least=0, infinite=True),
        "Pairs closer than this are looked at in any case; by default a fifth of the typical "
        "radius of the shapes. Results do not depend on it.",
        default=None,
    )

    initially: str = declare(InitiallyField(), INITIALLY, default="apart")

    @property
    def place(self) -> str:
        """Number of shapes."""
        return "all shapes" if self.shapes is None else f"{len(self.shapes)} shapes"

    def check(self) -> None:
        """Check that no shape is in two groups."""
        seen: dict[str, str] = {}
        for group, names in (self.groups or {}).items():
            for name in names:
                if seen.setdefault(name, group) != group:
                    raise LoadError(
                        f"{self.label}: {name!r} is in the groups {seen[name]!r} and {group!r}; "
                        "name it in one of them"
                    )

    def enter(self, plan: Plan) -> None:
        """Add the load to the plan of a run."""
        members = self._members(plan)
        self._check_names(members)
        pairs = [(a, b, *rule) for a, b in self._touching(plan.system, members)
                 if (rule := self._rule(a, b)) is not None]  # fmt: skip
        if not pairs:
            raise LoadError(
                f"{self.label}: no two of the {len(members)} shapes can touch each other; give "
                "shapes on different bodies, or look at groups, exclude and law"
            )
        if len(pairs) > MOST_PAIRS:
            raise LoadError(
                f"{self.label}: {len(members)} shapes have {len(pairs)} pairs; at most "
                f"{MOST_PAIRS} are supported: put shapes that need not touch each other into one "
                "group"
            )
        points = SetPoints(plan, self, members)
        shown_pairs = self._shown([(a, b) for a, b, *_ in pairs])
        for (a, b, law, friction), has_channels in zip(pairs, shown_pairs, strict=True):
            points.add(a, b, law, friction, has_channels=has_channels)
        points.close(sums=not all(shown_pairs))

    def _members(self, plan: Plan) -> list[SetMember]:
        """Shapes with their carriers and names."""
        shapes = plan.system.shapes if self.shapes is None else self.shapes
        placed = [placed_shape(plan.system, x, self.label) for x in shapes]
        if len(placed) < 2:
            words = "the system has" if self.shapes is None else "there are"
            raise LoadError(f"{self.label}: {words} {len(placed)} shapes; contacts need two")
        return members_of(plan, self, placed)

    def _check_names(self, members: list[SetMember]) -> None:
        """Refuse names that stand for no shape."""
        names = {name for member in members for name in member.names}
        tables = {x: getattr(self, x) for x in ("law", "friction")}
        written = {
            "exclude": [x for pair in self.exclude or () for x in pair],
            "channels": [x for pair in self.channels or () for x in pair],
            "groups": [x for group in (self.groups or {}).values() for x in group],
            **{
                key: [str(x) for pair in table if pair != OTHERWISE for x in pair]
                for key, table in tables.items()
                if isinstance(table, Mapping)
            },
        }
        for key, values in written.items():
            for name in values:
                if name not in names:
                    raise LoadError(
                        f"{self.label}: {key} has {name!r}, which is neither one of the shapes nor "
                        f"a body that carries one; {suggestion(name, sorted(names))}"
                    )

    def _touching(
        self, system: System, members: list[SetMember]
    ) -> Iterator[tuple[SetMember, SetMember]]:
        """Pairs of shapes that may touch."""
        excluded = _matcher(self.exclude or ())
        group_of = [self._group(member) for member in members]
        joined = set() if self.joined else _joined(system)
        for (i, a), (j, b) in combinations(enumerate(members), 2):
            if a.moves_with(b, system) or (a.frame.body, b.frame.body) in joined:
                continue
            if group_of[i] and group_of[i] == group_of[j]:
                continue
            if excluded and excluded(a, b):
                continue
            yield a, b

    def _group(self, member: SetMember) -> str:
        """Group of a shape; empty if it is in none; its own name counts before that of its body."""
        groups = {name: group for group, names in (self.groups or {}).items() for name in names}
        return next((groups[name] for name in member.names if name in groups), "")

    def _rule(self, a: SetMember, b: SetMember) -> tuple[Any, Any] | None:
        """Law and friction of a pair, or None without contact."""
        law = self._of_pair("law", a, b)
        if law is None:
            return None
        friction = self._of_pair("friction", a, b)
        check_friction(self.label, friction)
        if isinstance(law, PressureField):
            raise LoadError(
                f"{self.label}: the law of {a.name!r} and {b.name!r} is a PressureField, which "
                f"sets of contacts do not have; give a Contact({a.name!r}, {b.name!r}, ...) of "
                f"its own, and exclude=[({a.name!r}, {b.name!r})] here"
            )
        for shape in parts(a.shape, b.shape):
            for other in parts(b.shape, shape):
                if pair_number(shape.kind, other.kind) is None:
                    raise LoadError(
                        f"{self.label}: there is no contact of {a.shape.name} with {b.shape.name} "
                        f"yet, for {a.name!r} and {b.name!r}; "
                        f"exclude=[({a.name!r}, {b.name!r})] leaves them out"
                    )
        return law, friction

    def _of_pair(self, key: str, a: SetMember, b: SetMember) -> Any:
        """Law or friction of a pair."""
        value = getattr(self, key)
        form: FieldForm = LawField() if key == "law" else FrictionField()
        if isinstance(value, Mapping):
            for x in a.names:
                for y in b.names:
                    for pair in ((x, y), (y, x)):
                        if pair in value:
                            return value[pair]
            if OTHERWISE in value or key == "friction":
                return value.get(OTHERWISE)
            raise LoadError(
                f"{self.label}: {key} has nothing for {a.name!r} and {b.name!r}; add the pair, or "
                f'"{OTHERWISE}" for all that are not listed (None: no contact)'
            )
        if callable(value):
            value = value(a.placed, b.placed)
            what = f"{self.label}: {key} of {a.name!r} and {b.name!r}"
            return value if value is None else form.check(value, what, LoadError)
        return value

    def _shown(self, pairs: list[tuple[SetMember, SetMember]]) -> list[bool]:
        """Whether each pair has channels of its own."""
        if self.channels is None:
            return [len(pairs) < MOST_SHOWN] * len(pairs)
        wanted = _matcher(self.channels)
        return [wanted is not None and wanted(a, b) for a, b in pairs]


def _matcher(pairs: Sequence[tuple[str, str]]) -> Callable[[SetMember, SetMember], bool] | None:
    """Whether a pair of shapes is among pairs of names; None without these."""
    if not pairs:
        return None
    names = {*pairs, *((b, a) for a, b in pairs)}
    return lambda a, b: any((x, y) in names for x in a.names for y in b.names)


def _joined(system: System) -> set[tuple[int, int]]:
    """Numbers of the bodies with a joint between them, in both orders; not with the ground."""
    pairs = [(i, int(p)) for i, p in enumerate(system.parent) if p >= 0]
    pairs += [(x.a.body, x.b.body) for x in system.loops if min(x.a.body, x.b.body) >= 0]
    return {*pairs, *((b, a) for a, b in pairs)}
