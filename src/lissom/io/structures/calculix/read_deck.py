"""Reading of CalculiX decks, card by card."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ....errors import ModelError, ModelWarning, suggestion
from ....structures.materials import Material
from ..text import Lines, path_text, refused
from ..units import Units, units as unit_system
from .cards import KeywordCard, read_cards
from .deck import Cells, Deck, Numbers, RigidTie
from .elements import KINDS
from .sets import Sets


@dataclass(eq=False)
class _Draft:
    card: KeywordCard
    elastic: list[float] | None = None
    density: list[float] | None = None


@dataclass(eq=False)
class Materials:
    """Materials as their cards are read."""

    drafts: dict[str, _Draft] = field(default_factory=dict)
    last: _Draft | None = None
    remarks: list[str] = field(default_factory=list)  # what is not used

    def begin(self, card: KeywordCard) -> None:
        """Read *MATERIAL."""
        self.last = self.drafts[card.name("NAME")] = _Draft(card)

    def elastic(self, card: KeywordCard) -> None:
        """Read *ELASTIC."""
        draft = self._draft(card)
        if card.parameters.get("TYPE", "ISO").upper() in ("ISO", "ISOTROPIC"):
            draft.elastic = self._numbers(card, 2)
        else:
            self.remarks.append(f"{card.place} TYPE={card.name('TYPE')}")

    def density(self, card: KeywordCard) -> None:
        """Read *DENSITY."""
        self._draft(card).density = self._numbers(card, 1)

    def _draft(self, card: KeywordCard) -> _Draft:
        if self.last is None:
            raise card.lines.refused(card.at, f"{card.title} belongs to no *MATERIAL before it")
        return self.last

    def _numbers(self, card: KeywordCard, count: int) -> list[float]:
        """Numbers of the first line; lines for other temperatures are remarked."""
        rows = card.rows()
        k, words = rows[0] if rows else (card.at, [])
        if not count <= len(words) <= count + 1:
            expected = "modulus and Poisson's ratio" if count == 2 else "the density"
            raise card.lines.refused(
                k, f"{len(words)} numbers of {card.title}; expected {expected}"
            )
        if len(rows) > 1:
            self.remarks.append(f"{card.lines.place(rows[1][0])} {card.title}, other temperatures")
        return [card.lines.real(word, k, f"a number of {card.title}") for word in words]

    def complete(self, units: Units) -> dict[str, Material]:
        """Isotropic materials with a density, in SI units; others are remarked."""
        materials = {}
        for name, draft in self.drafts.items():
            if draft.elastic is None or draft.density is None:
                missing = "*ELASTIC" if draft.elastic is None else "*DENSITY"
                self.remarks.append(f"{draft.card.place} {name}, which has no {missing}")
                continue
            modulus, poisson = draft.elastic[:2]
            numbers = modulus * units.pressure, draft.density[0] * units.density, poisson
            try:
                # the units of the whole deck are doubted by `warn_of_units`
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", ModelWarning)
                    materials[name] = Material(name, *numbers)
            except ModelError as error:
                raise draft.card.lines.refused(draft.card.at, str(error)) from None
        return materials


# Cards that make nodes or elements in ways that are not read: the mesh would be another one.
_MAKERS = {"SYSTEM", "NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "PART", "INSTANCE"}
_SILENT = {"HEADING", "ENDSTEP"}


def read_inp(path: str | os.PathLike[str], *, units: str | None = None) -> Deck:
    """Read the mesh, the sets and the materials of a CalculiX deck.

    Parameters
    ----------
    path : path
        NAME.inp, with the files that it includes.
    units : {"m-kg-s", "mm-t-s", "mm-kg-ms", "in-lbf-s"}
        Units of the deck; decks do not say theirs.  By default SI.

    Returns
    -------
    Deck
        `meshio.Mesh(deck.positions, deck.blocks, point_sets=deck.node_sets)` makes a mesh of it.

    Raises
    ------
    ModelFileError
        If a line cannot be understood; with file and line.
    """
    name = path_text(path)
    system = unit_system(units)
    cards = read_cards(name)
    reader = _DeckReader(name, system, cards[0].lines)
    for card in cards:
        reader.take(card)
    return reader.deck()


@dataclass(eq=False)
class _DeckReader:
    """Collects what the cards say, in their order."""

    path: str
    units: Units
    lines: Lines
    nodes: dict[int, tuple[float, ...]] = field(default_factory=dict)
    elements: dict[int, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    places: dict[int, int] = field(default_factory=dict)  # lines of the elements
    sets: Sets = field(default_factory=Sets)
    materials: Materials = field(default_factory=Materials)
    sections: list[tuple[str, str]] = field(default_factory=list)
    rigid: list[KeywordCard] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    in_step: bool = False

    def take(self, card: KeywordCard) -> None:
        """Read one card, or note that it is not used."""
        if card.keyword in ("STEP", "ENDSTEP"):
            self.in_step = card.keyword == "STEP"
        if card.keyword in _MAKERS:
            message = f"{card.title} is not read; write all nodes and elements with their numbers"
            raise card.lines.refused(card.at, message)
        read = self._readers().get(card.keyword)
        if read is not None and not self.in_step:
            read(card)
        elif card.keyword not in _SILENT:
            self.unused.append(card.place)

    def _readers(self) -> dict[str, Callable[[KeywordCard], None]]:
        return {
            "NODE": self._node,
            "ELEMENT": self._element,
            "NSET": lambda card: self.sets.read("node", card, self.nodes),
            "ELSET": lambda card: self.sets.read("element", card, self.elements),
            "SURFACE": self._surface,
            "MATERIAL": self.materials.begin,
            "ELASTIC": self.materials.elastic,
            "DENSITY": self.materials.density,
            "SOLIDSECTION": self._section,
            "RIGIDBODY": self.rigid.append,
        }

    def _node(self, card: KeywordCard) -> None:
        lines, numbers = card.lines, []
        for k, words in card.rows():
            if not 1 <= len(words) <= 4:
                raise lines.refused(k, f"{len(words)} words found; expected number, x, y, z")
            number = lines.integer(words[0], k, "a node number")
            place = [lines.real(word or "0", k, "a coordinate") for word in words[1:]]
            x = (*place, 0.0, 0.0, 0.0)[:3]
            if self.nodes.setdefault(number, x) != x:
                raise lines.refused(k, f"node {number} has two places; give each node once")
            numbers.append(number)
        if name := card.parameters.get("NSET", "").upper():
            self.sets.extend("node", name, numbers)

    def _element(self, card: KeywordCard) -> None:
        lines, kind = card.lines, card.name("TYPE")
        if kind not in KINDS:
            hint = suggestion(kind, KINDS)
            raise lines.refused(card.at, f"element type {kind!r} is not known; {hint}")
        numbers: list[int] = []
        words: list[str] = []
        first = card.at
        for k, more in card.rows():
            first = first if words else k
            words += more
            if len(words) > KINDS[kind].n_node:
                numbers.append(self._one_element(card, kind, words, first))
                words = []
        if words:
            expected = f"{kind} has {KINDS[kind].n_node}"
            raise lines.refused(first, f"element with {len(words) - 1} nodes found; {expected}")
        if name := card.parameters.get("ELSET", "").upper():
            self.sets.extend("element", name, numbers)

    def _one_element(self, card: KeywordCard, kind: str, words: list[str], k: int) -> int:
        lines, expected = card.lines, KINDS[kind].n_node
        number = lines.integer(words[0], k, "an element number")
        nodes = tuple(lines.integer(word, k, "a node number") for word in words[1:])
        problem = ""
        if len(nodes) != expected:
            problem = f"has {len(nodes)} nodes; {kind} has {expected}"
        elif number in self.elements:
            problem = "is there twice; give each number once"
        if problem:
            raise lines.refused(k, f"element {number} {problem}")
        self.elements[number] = (kind, nodes)
        self.places[number] = k
        return number

    def _surface(self, card: KeywordCard) -> None:
        if card.parameters.get("TYPE", "ELEMENT").upper() == "NODE":
            self.sets.read("node", card, self.nodes, surface=True)
        else:
            self.sets.read_faces(card, self.elements)

    def _section(self, card: KeywordCard) -> None:
        self.sections.append((card.name("ELSET"), card.name("MATERIAL")))

    def deck(self) -> Deck:
        """All of it, with nodes by index."""
        if not self.nodes:
            raise refused(self.path, "there are no nodes; expected a deck with *NODE")
        self._check_nodes()
        numbers = np.array(sorted(self.nodes), dtype=np.intp)
        positions = np.array([self.nodes[int(x)] for x in numbers]) * self.units.length
        materials = self.materials.complete(self.units)
        return Deck(
            self.path,
            numbers,
            positions,
            tuple(self._cells(numbers)),
            {name: np.searchsorted(numbers, x) for name, x in self.sets.of("node").items()},
            self.sets.of("element"),
            {name: np.searchsorted(numbers, x) for name, x in self.sets.of("surface").items()},
            materials,
            tuple(self.sections),
            tuple(self._tie(card, numbers) for card in self.rigid),
            tuple([*self.unused, *self.sets.remarks, *self.materials.remarks]),
        )

    def _check_nodes(self) -> None:
        """Check that elements name nodes of the deck, which may stand after them."""
        for number, (_, nodes) in self.elements.items():
            for node in nodes:
                if node not in self.nodes:
                    message = f"element {number} names node {node}, which no *NODE defines"
                    raise self.lines.refused(self.places[number], message)

    def _cells(self, numbers: Numbers) -> list[Cells]:
        groups: dict[str, list[int]] = {}
        for number, (kind, _) in self.elements.items():
            groups.setdefault(kind, []).append(number)
        cells = []
        for kind, members in groups.items():
            nodes = np.array([self.elements[x][1] for x in members], dtype=np.intp)
            nodes = np.searchsorted(numbers, nodes)
            cells.append(Cells(kind, KINDS[kind].shape, np.array(members, dtype=np.intp), nodes))
        return cells

    def _tie(self, card: KeywordCard, numbers: Numbers) -> RigidTie:
        """Nodes of *RIGID BODY; without a rotation node CalculiX makes one after the last."""
        reference, rotation = (
            card.lines.integer(card.parameters.get(name, default), card.at, f"{name}, a node")
            for name, default in (("REFNODE", ""), ("ROTNODE", str(numbers[-1] + 1)))
        )
        if reference not in self.nodes:
            raise card.lines.refused(card.at, f"REF NODE {reference} is not defined by any *NODE")
        return RigidTie(reference, rotation, card.place)
