"""Files: models, and results of runs."""

from __future__ import annotations

from .load import check_file, load, load_run

__all__ = ["check_file", "load", "load_run"]
