"""What every result of a benchmark must be: `check_result`."""

from __future__ import annotations

import json
import math
from pathlib import Path

from benchmarks import figures
from benchmarks.report import as_json, markdown_table
from benchmarks.result import Result


def check_result(result: Result, name: str, folder: Path) -> None:
    """Whole tables, positive times, figures that can be drawn, JSON that can be read again."""
    assert result.name == name and result.about and result.tables and result.records
    for table in result.tables:
        assert all(len(row) == len(table.header) for row in table.rows)
        text = markdown_table(table)
        assert len({line.count("|") for line in text.splitlines() if line.startswith("|")}) <= 1
    times = [v for r in result.records for k, v in r.items() if k.endswith("seconds")]
    assert times and all(0 < t < math.inf for t in times)
    paths = figures.save(result, folder)
    assert [path.name for path in paths] == figures.file_names(result)
    assert all("</svg>" in path.read_text(encoding="utf-8") for path in paths)
    check_json(as_json([result], depth="quick"), name)


def check_json(text: str, name: str) -> None:
    """One result, with all that a program needs."""
    written = json.loads(text)
    assert written["format"] == 1 and written["made"]["depth"] == "quick"
    assert list(written["results"]) == [name]
    result = written["results"][name]
    assert {"title", "about", "tables", "requirements", "records"} <= set(result)
    assert all({"required", "measured", "met"} <= set(r) for r in result["requirements"])


def silent(*told):
    """Progress that nobody sees."""
