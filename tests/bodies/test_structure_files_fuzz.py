"""Damaged finite-element files are answered with errors of ours, at once."""

from __future__ import annotations

from pathlib import Path

from tests.tools.file_fuzz import faults
from tests.tools.structure_file_fuzz import StructureFuzz


def test_damaged_files_are_refused_by_name_or_read(tmp_path: Path) -> None:
    whole, cases = tmp_path / "whole", tmp_path / "cases"
    whole.mkdir()
    cases.mkdir()
    fuzz = StructureFuzz(whole)
    assert not faults(fuzz, cases, 1, range(300))
    assert fuzz.refused > 100 and fuzz.read > 10
