"""Files of CalculiX: decks, stored matrices and results."""

from .body import read_calculix
from .deck import Deck
from .read_deck import read_inp
from .results import Results, read_frd

__all__ = ["Deck", "Results", "read_calculix", "read_frd", "read_inp"]
