"""Files: results now, models later."""

from __future__ import annotations
