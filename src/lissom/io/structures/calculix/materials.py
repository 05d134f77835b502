"""Materials of a CalculiX deck."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

from ....errors import ModelError, ModelWarning
from ....structures.materials import Material
from ..units import Units
from .cards import Card


@dataclass(eq=False)
class _Draft:
    card: Card
    elastic: list[float] | None = None
    density: list[float] | None = None


@dataclass(eq=False)
class Materials:
    """Materials as their cards are read.

    Attributes
    ----------
    remarks : list of str
        What is not used.
    """

    drafts: dict[str, _Draft] = field(default_factory=dict)
    last: _Draft | None = None
    remarks: list[str] = field(default_factory=list)

    def begin(self, card: Card) -> None:
        """Read *MATERIAL."""
        self.last = self.drafts[card.name("NAME")] = _Draft(card)

    def elastic(self, card: Card) -> None:
        """Read *ELASTIC."""
        draft = self._draft(card)
        if card.parameters.get("TYPE", "ISO").upper() in ("ISO", "ISOTROPIC"):
            draft.elastic = self._numbers(card, 2)
        else:
            self.remarks.append(f"{card.place} TYPE={card.name('TYPE')}")

    def density(self, card: Card) -> None:
        """Read *DENSITY."""
        self._draft(card).density = self._numbers(card, 1)

    def _draft(self, card: Card) -> _Draft:
        if self.last is None:
            raise card.lines.refused(card.at, f"{card.title} belongs to no *MATERIAL before it")
        return self.last

    def _numbers(self, card: Card, count: int) -> list[float]:
        """Numbers of the first line; lines for other temperatures are remarked."""
        rows = card.rows()
        k, words = rows[0] if rows else (card.at, [])
        if not count <= len(words) <= count + 1:
            wanted = "modulus and Poisson's ratio" if count == 2 else "the density"
            raise card.lines.refused(k, f"{len(words)} numbers of {card.title}; expected {wanted}")
        if len(rows) > 1:
            self.remarks.append(f"{card.lines.place(rows[1][0])} {card.title}, other temperatures")
        return [card.lines.real(word, k, f"a number of {card.title}") for word in words]

    def complete(self, units: Units) -> dict[str, Material]:
        """Isotropic materials with a density, in SI units; others are remarked.

        Parameters
        ----------
        units : Units
            Of the deck.
        """
        found = {}
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
                    found[name] = Material(name, *numbers)
            except ModelError as error:
                raise draft.card.lines.refused(draft.card.at, str(error)) from None
        return found
