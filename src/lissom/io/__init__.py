"""Files: results of runs."""

from __future__ import annotations

from .load import load

__all__ = ["load"]
