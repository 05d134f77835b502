"""Contact between shapes: its laws."""

from __future__ import annotations

from .friction import Friction
from .laws import Hertz, Impact, LinearContact
from .line import LineContact
from .table import TableContact

__all__ = ["Friction", "Hertz", "Impact", "LineContact", "LinearContact", "TableContact"]
