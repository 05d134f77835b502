"""The pages of the documentation."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(p for p in DOCS.rglob("*.md") if "_build" not in p.parts)
TOP = "README.md CONTRIBUTING.md CODE_OF_CONDUCT.md ROADMAP.md SECURITY.md".split()
TEXTS = [ROOT / name for name in (*TOP, "CHANGELOG.md")] + PAGES

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))
