"""Contact between shapes: the load, and its laws."""

from __future__ import annotations

from .contact import Contact
from .friction import Friction
from .laws import Hertz, Impact, LinearContact
from .line import LineContact
from .pressure import PressureField
from .sets import Contacts
from .table import TableContact

__all__ = [
    "Contact",
    "Contacts",
    "Friction",
    "Hertz",
    "Impact",
    "LineContact",
    "LinearContact",
    "PressureField",
    "TableContact",
]
