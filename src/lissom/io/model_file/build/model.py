"""Construction of a Model from the tables of model files; all problems are collected."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar

import numpy as np

from ....errors import LissomError, ModelError
from ....joints import Joint
from ....model import Model, Part
from ....model.coupling import resolved_couple
from ....model.parts import Body, Connection
from ....model.topology import node_number
from ....structures import Material
from ....system import System
from ..arrays import ArrayFiles
from ..includes import AttachedFile, Document, IncludeEntry, read_document, unknown_message
from ..problems import Problem
from ..schema.model import MOST_COPIES, ClosingTable, CouplingTable, FrameTable, PartTable
from ..schema.parts import BodyByName
from ..schema.shapes import ShapeTable
from ..source import failed
from .parts import MATERIALS, build_body, build_joint, build_shape

T = TypeVar("T")

MOST_MODES = 200_000  # in all bodies; more would take minutes and gigabytes
PATIENCE = 50  # number of problems after which expensive checks are skipped

_COUNTER = re.compile(r"\{i(?:\s*([+-])\s*(\d{1,6}))?\}")
_SUBJECT = re.compile(r"(?:body|loop|join|coupling|frame|shape) '([^']+)'|the cycle: (.+?) -> ")


def numbered(text: Any, i: int) -> Any:
    """Text with {i}, {i-1}, {i+2} replaced by their values."""
    if not isinstance(text, str):
        return text
    return _COUNTER.sub(lambda m: str(i + int((m[1] or "+") + (m[2] or "0"))), text)


def expanded(table: Any) -> Iterator[tuple[int, Any]]:
    """Numbered copies (from 1) of a table with `repeat`; otherwise (0, table)."""
    if table.repeat is None:
        yield 0, table
        return
    names = ("name", "to", "on", "a", "b", "joint", "where", "rotor")
    fields = {x: getattr(table, x, None) for x in names}
    for i in range(1, table.repeat + 1):
        texts = {x: numbered(value, i) for x, value in fields.items() if isinstance(value, str)}
        yield i, table.model_copy(update=texts)


class Builder:
    """Builder of the model of a document.

    `system`: compiled model, if requested and without problems.
    """

    def __init__(
        self, document: Document, *, compiled: bool, builders: dict[int, Builder] | None = None
    ) -> None:
        self.document = document
        self.problems: list[Problem] = list(document.problems)
        self.system: System | None = None
        self._entries: dict[str, IncludeEntry] = {}
        self._bodies: dict[str, Body | None] = {}
        self._arrays: dict[str, ArrayFiles] = {}
        self.materials: dict[str, Material] = {}
        self._body_of_table: dict[int, Body | None] = {}
        self._wrong: set[tuple[int, str]] = set()
        self._builders: dict[int, Builder] = {} if builders is None else builders
        self._attached: set[str] = set()
        self._bases: list[tuple[IncludeEntry, Part | None]] = []
        self._model_parts: Mapping[str, Connection] = {}
        table = document.table
        self.model = Model(*([] if table is None else [table.name]))
        if table is None or self.problems:
            return
        self.model.gravity = np.array(table.gravity, dtype=float)
        self._make()
        if compiled and not self.problems:
            self._compile()

    def _make(self) -> None:
        if self._count() > MOST_COPIES:
            message = (
                f"there are more than {MOST_COPIES} parts, loops, joins, couplings, frames and "
                "shapes; use fewer"
            )
            self._note(IncludeEntry(self.document.source, (), None), message)
            return
        for name, entry in self.document.materials.items():
            if name in MATERIALS:
                self._note(entry, f"the name {name!r} is a built-in material; choose another name")
            material = self._tried(entry, partial(_material, name, entry))
            if material is not None:
                self.materials[name] = material
        for name, entry in self.document.bodies.items():
            self._bodies[name] = self._body(entry, entry.table)
        for assembly in self.document.assemblies:
            self._attach(assembly)
        for entry in self.document.parts:
            self._add(entry)
        for entry in self.document.loops:
            self._close(entry, self.model.close)
        for entry in self.document.joins:
            self._close(entry, self.model.join)
        for entry in self.document.couplings:
            self._couple(entry)
        for entry in self.document.frames:
            self._frame(entry)
        for entry in self.document.shapes:
            self._shape(entry)
        self._check_places()

    def _count(self) -> int:
        document = self.document
        entries = (*document.parts, *document.loops, *document.joins)
        entries = (*entries, *document.couplings, *document.frames, *document.shapes)
        attached = sum(len(self._builder(x.document)._entries) or 1 for x in document.assemblies)
        return attached + sum(entry.table.repeat or 1 for entry in entries)

    def _builder(self, document: Document) -> Builder:
        """Builder of an attached file, whose problems are added to this one's."""
        if id(document) not in self._builders:
            builder = Builder(document, compiled=False, builders=self._builders)
            self._builders[id(document)] = builder
        builder = self._builders[id(document)]
        noted = set(self.problems) if builder.problems else set()
        self.problems += [problem for problem in builder.problems if problem not in noted]
        return builder

    def _attach(self, assembly: AttachedFile) -> None:
        entry, builder = assembly.entry, self._builder(assembly.document)
        place = {x: getattr(entry.table, x) for x in ("to", "node", "at", "rotation")}
        prefix = entry.table.prefix or ""
        for name, origin in builder._entries.items():
            self._entries.setdefault(f"{prefix}{name}", origin)
            self._attached.add(f"{prefix}{name}")
        attach = partial(self.model.attach, builder.model, prefix=prefix, **place)
        if not builder.problems and self._tried(entry, attach) is not None:
            self._bases.append((entry, _end(place["to"], place["node"])))

    def entry_of(self, name: str) -> IncludeEntry:
        """Entry that defines a named part."""
        return self._entries.get(name, IncludeEntry(self.document.source, (), None))

    def _note(self, entry: IncludeEntry, message: str, *inner: str | int) -> None:
        self.problems.append(entry.problem(message, *inner))

    def _tried(self, entry: IncludeEntry, make: Callable[[], T], *inner: str | int) -> T | None:
        """Result of `make`; None after noting a problem if it fails."""
        try:
            with np.errstate(all="ignore"):
                return make()
        except LissomError as error:
            self._note(entry, str(error), *inner)
        except (ArithmeticError, np.linalg.LinAlgError, ValueError, MemoryError) as error:
            self._note(entry, f"its values cause a numerical failure ({error})", *inner)
        return None

    def _body(self, entry: IncludeEntry, table: Any, *inner: str | int) -> Body | None:
        if isinstance(table, BodyByName):
            if table.name not in self._bodies:
                self._note(entry, self._unknown(table.name, self._bodies), *inner)
            return self._bodies.get(table.name)
        if id(table) not in self._body_of_table:
            arrays = self._array_files(entry)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self._body_of_table[id(table)] = self._tried(
                    entry,
                    lambda: build_body(table, arrays, self.materials, entry.source.data["lissom"]),
                    *inner,
                )
            for one in caught:  # again, with the place in the file
                text = str(entry.problem(str(one.message), *inner))
                warnings.warn(text, one.category, stacklevel=2)
        return self._body_of_table[id(table)]

    def _array_files(self, entry: IncludeEntry) -> ArrayFiles:
        """Arrays in the folder of a file."""
        folder = os.path.dirname(entry.source.path)
        return self._arrays.setdefault(folder, ArrayFiles(folder))

    def _add(self, entry: IncludeEntry) -> None:
        table: PartTable = entry.table
        if table.first is not None and table.repeat is None:
            self._note(entry, "is only used with repeat; leave it out, or give repeat", "first")
        if not self._is_numbered(entry):
            return
        body = self._body(entry, table.body, "body")
        joints = _Joints(self, entry)
        for i, copy in expanded(table):
            first = table.first if i == 1 else None
            joint = joints.of(table.joint, "joint")
            if first is not None and first.joint is not None:
                joint = joints.of(first.joint, "first", "joint")
            self._entries.setdefault(copy.name, entry)
            if body is None or joint is joints.BAD:
                continue
            place = {x: getattr(copy, x) for x in ("to", "node", "at", "rotation")}
            if first is not None:
                named = {x: getattr(first, x) for x in place}
                place |= {x: value for x, value in named.items() if value is not None}
            if self._tried(entry, partial(self._added, copy, body, joint, place)) is None:
                return

    def _added(self, table: PartTable, body: Body, joint: Any, place: dict[str, Any]) -> Part:
        part = self.model.add(body, joint, name=table.name, **place)
        if table.geared:
            self.model.mark_gear(part)
        return part

    def _is_numbered(self, entry: IncludeEntry) -> bool:
        table = entry.table
        if table.repeat is None or table.repeat == 1 or _COUNTER.search(table.name):
            return True
        self._note(entry, f"is {table.name!r}; a repeated part needs {{i}} in its name", "name")
        return False

    def _close(self, entry: IncludeEntry, close: Callable[..., None]) -> None:
        table: ClosingTable = entry.table
        joint = _Joints(self, entry).of(table.joint, "joint")
        if joint is _Joints.BAD or not self._is_numbered(entry):
            return
        for _, copy in expanded(table):
            self._entries.setdefault(copy.name, entry)

            def make(c: ClosingTable = copy) -> bool:
                ends = [_end(c.a, c.node_a), _end(c.b, c.node_b)]
                names = ("at_a", "at_b", "rotation_a", "rotation_b")
                close(joint, *ends, name=c.name, **{x: getattr(c, x) for x in names})
                return True

            if self._tried(entry, make) is None:
                return

    def _couple(self, entry: IncludeEntry) -> None:
        table: CouplingTable = entry.table
        if not self._is_numbered(entry):
            return
        for i, copy in expanded(table):
            self._entries.setdefault(copy.name, entry)
            ratios = {numbered(key, i) if i else key: float(x) for key, x in table.ratios.items()}
            couple = partial(self._coupled, copy.name, ratios, float(table.offset))
            if self._tried(entry, couple) is None:
                return

    def _frame(self, entry: IncludeEntry) -> None:
        table: FrameTable = entry.table
        if not self._is_numbered(entry):
            return
        for _, copy in expanded(table):
            self._entries.setdefault(copy.name, entry)
            place = {x: getattr(copy, x) for x in ("on", "node", "at", "rotation")}
            if self._tried(entry, partial(self.model.frame, copy.name, **place)) is None:
                return

    def _shape(self, entry: IncludeEntry) -> None:
        table: ShapeTable = entry.table
        if table.name and not self._is_numbered(entry):
            return
        shape = self._tried(entry, partial(build_shape, table, self._array_files(entry)))
        if shape is None:
            return
        for _, copy in expanded(table):
            if copy.name:
                self._entries.setdefault(copy.name, entry)
            place = {x: getattr(copy, x) for x in ("on", "node", "name")}
            part = self._tried(entry, partial(self.model.add_shape, shape, **place))
            if part is None:
                return
            self._entries.setdefault(part.name, entry)

    def _coupled(self, name: str, ratios: dict[str, float], offset: float) -> bool:
        self.model.couple(ratios, offset=offset, name=name)
        return True

    def _check_places(self) -> None:
        """Check the bodies and nodes named by parts, loops, joins and so on, and by files."""
        parts = self._model_parts = self.model.parts
        names = {x: None for x in (*parts, *self._entries)}
        checked: set[int] = set()
        for entry, base in self._bases:
            what = f"the file {entry.table.file!r}"
            self._check_place(entry, "to", base, what, names)
        for part in parts.values():
            if part.name not in self._attached:
                entry = self.entry_of(part.name)
                self._check_place(entry, "to", part.to, f"body {part.name!r}", names)
        for closing in (*self.model.loops.values(), *self.model.joins.values()):
            if closing.name in self._attached:
                continue
            for side, end in (("a", closing.a), ("b", closing.b)):
                entry, what = self.entry_of(closing.name), f"{closing.title}: its end {side}"
                self._check_place(entry, side, end.part, what, names)
        for frame in self.model.frames.values():
            if frame.name not in self._attached:
                entry = self.entry_of(frame.name)
                self._check_place(entry, "on", frame.end.part, frame.title, names)
        for shape in self.model.shapes.values():
            if shape.name not in self._attached:
                entry = self.entry_of(shape.name)
                self._check_place(entry, "on", shape.on, shape.title, names)
        numbers = {name: i for i, name in enumerate(parts)}
        for couple in self.model.couplings.values():
            entry = self.entry_of(couple.name)
            is_complete = all(body in parts or body not in names for body in couple.bodies)
            if is_complete and id(entry) not in checked:
                resolve = partial(resolved_couple, couple, numbers, parts, parts)
                if self._tried(entry, resolve, "ratios") is None:
                    checked.add(id(entry))  # copies have the same problem

    def _check_place(
        self,
        entry: IncludeEntry,
        key: str,
        place: Part | None,
        what: str,
        names: Mapping[str, None],
    ) -> None:
        if place is None or (id(entry), key) in self._wrong:
            return
        before = len(self.problems)
        if place.name not in names:
            message = self._unknown(place.name, names)
            if getattr(entry.table, "first", 0) is None and entry.table.repeat:
                message += " For the first of the repeated parts, give first = {to = ...}"
            self._note(entry, message, key)
        elif place.name in self._model_parts:
            body = self._model_parts[place.name].body
            self._tried(entry, lambda: node_number(what, place, body) + 1, key)
        if len(self.problems) > before:
            self._wrong.add((id(entry), key))  # copies have the same problem

    def _unknown(self, name: str, names: Mapping[str, Any]) -> str:
        """Message about an unknown body; without a suggestion if there are too many names."""
        if len(self.problems) >= PATIENCE or len(names) > MOST_COPIES:
            return f"is {name!r}, but there is no such body"
        return unknown_message("body", name, names)

    def _compile(self) -> None:
        whole = IncludeEntry(self.document.source, (), None)
        if not self.model.parts:
            self._note(whole, "has no parts; add [[parts]]")
            return
        modes = sum(map(_n_mode, self.model.parts.values()))
        if modes > MOST_MODES:
            message = f"its bodies have {modes} modes; use {MOST_MODES} at most"
            self._note(whole, message)
            return
        try:
            with np.errstate(all="ignore"):
                self.system = self.model.compile()
        except LissomError as error:
            match = _SUBJECT.search(str(error))
            self._note(self.entry_of(match[1] or match[2] if match else ""), str(error))
        except (ArithmeticError, np.linalg.LinAlgError, ValueError, MemoryError) as error:
            self._note(whole, f"its values cause a numerical failure ({error})")


class _Joints:
    """Joints of one entry; each table is built once and its problem noted once."""

    BAD = object()

    def __init__(self, builder: Builder, entry: IncludeEntry) -> None:
        self.builder, self.entry = builder, entry
        self.by_table: dict[int, Any] = {}

    def of(self, table: Any, *inner: str) -> Joint | Any | None:
        """Joint of a table; None for "none", BAD for an invalid joint."""
        if id(table) not in self.by_table:
            outcome = self.builder._tried(self.entry, lambda: (build_joint(table),), *inner)
            self.by_table[id(table)] = self.BAD if outcome is None else outcome[0]
        return self.by_table[id(table)]


def _material(name: str, entry: IncludeEntry) -> Material:
    table = entry.table
    values = {x: float(getattr(table, x)) for x in type(table).model_fields}
    return Material(name, **values)


def _n_mode(part: Connection) -> int:
    shapes = getattr(part.body, "shapes", None)
    return 0 if shapes is None else int(shapes.shape[2])


def _end(place: str | None, node: int | None) -> Part | None:
    """Handle of a place; a node may be given by its number."""
    if place is None:
        if node is not None:
            raise ModelError(f"node {node} is given without its body; give the body")
        return None
    body, dot, name = place.partition(".")
    if node is not None and dot:
        raise ModelError(f"{place!r} already names a node; leave out node {node}")
    return Part(body, name if dot else node)


def read_model(path: str | os.PathLike[str]) -> Model:
    """Model of a file; all its problems are one error."""
    builder = Builder(read_document(path), compiled=False)
    if builder.problems:
        raise failed(sorted(builder.problems))
    return builder.model
