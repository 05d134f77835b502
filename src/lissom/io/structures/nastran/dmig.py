"""Matrices in DMIG form: entries with grid and component of their row and column."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from ....printing import Shown
from .cards import BulkCard

Label = tuple[int, int]

_SYMMETRIC = 6
_SQUARE = 1


@dataclass(frozen=True, eq=False)
class Labelled(Shown):
    """Square matrix with the names of its rows.

    Attributes
    ----------
    rows : tuple
        (grid, component 1 to 6, or 0 of a scalar point) of each row, ascending.
    matrix : sparse array
    place : str
        Place of its header, for messages.
    """

    rows: tuple[Label, ...]
    matrix: sparse.csc_array
    place: str


@dataclass(eq=False)
class _MatrixDraft:
    header: BulkCard
    form: int
    kind: int
    entries: dict[tuple[Label, Label], float] = field(default_factory=dict)

    @property
    def used(self) -> bool:
        """Whether it is square and real."""
        return self.form in (_SQUARE, _SYMMETRIC) and self.kind in (1, 2)


def labelled_matrices(cards: list[BulkCard]) -> tuple[dict[str, Labelled], list[str]]:
    """Square real matrices by name, and places of others, which are not used."""
    drafts: dict[str, _MatrixDraft] = {}
    for card in cards:
        name = card.text(0).upper()
        if card.text(1) == "0":
            if name in drafts:
                raise card.refused(f"matrix {card.lines.quoted(name, card.at)} has two headers")
            form, kind = card.integer(2, "the form"), card.integer(3, "the type")
            drafts[name] = _MatrixDraft(card, form, kind)
        elif name not in drafts:
            message = f"matrix {card.lines.quoted(name, card.at)} has no header before its columns"
            raise card.refused(f"{message}; expected DMIG, NAME, 0, form, type")
        elif drafts[name].used:
            _column(card, drafts[name])
    matrices = {name: _finished(draft) for name, draft in drafts.items() if draft.used}
    return matrices, [
        f"{draft.header.place} {draft.header.text(0)}, form {draft.form}, type {draft.kind}"
        for draft in drafts.values()
        if not draft.used
    ]


def _column(card: BulkCard, draft: _MatrixDraft) -> None:
    """Fields: name, grid, component, empty, then grid, component, value, empty for each row."""
    column = _label(card, 1)
    for k in range(4, len(card.fields), 4):
        if not card.text(k):
            if any(card.fields[k : k + 4]):
                raise card.refused("an entry without its grid")
            continue
        row = _label(card, k)
        if card.text(k + 3) and card.real(k + 3, "an imaginary part") != 0.0:
            raise card.refused("an imaginary part; only real matrices are read")
        value = card.real(k + 2, "a value", None)
        places = {(row, column), (column, row)} if draft.form == _SYMMETRIC else {(row, column)}
        for place in places:
            if draft.entries.setdefault(place, value) != value:
                raise card.refused(
                    f"two values in row {row[0]}-{row[1]}, column {column[0]}-"
                    f"{column[1]}; give each once"
                )


def _label(card: BulkCard, k: int) -> Label:
    grid = card.integer(k, "a grid", least=1)
    component = card.integer(k + 1, "a component", 0)
    if component > 6:
        raise card.refused(f"component {component} of grid {grid}; expected 0 to 6")
    return grid, component


def _finished(draft: _MatrixDraft) -> Labelled:
    rows = sorted({label for place in draft.entries for label in place})
    if not rows:
        raise draft.header.refused("the matrix has no entries")
    index = {label: k for k, label in enumerate(rows)}
    i = np.array([index[row] for row, _ in draft.entries])
    j = np.array([index[column] for _, column in draft.entries])
    value = np.array(list(draft.entries.values()))
    matrix = sparse.coo_array((value, (i, j)), shape=(len(rows), len(rows)))
    return Labelled(tuple(rows), sparse.csc_array(matrix), draft.header.place)
