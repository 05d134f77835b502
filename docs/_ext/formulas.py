"""Formulas as MathML, written when the site is built: its pages need neither scripts nor a network.

KaTeX reads the TeX and writes MathML.  What browsers do not take from it is put into other words
here: letters of another alphabet as characters of their own, columns and rows by style, numbers of
equations as cells.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pykatex
from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
ALPHABETS = {
    "script": "MATHEMATICAL SCRIPT",
    "fraktur": "MATHEMATICAL FRAKTUR",
    "double-struck": "MATHEMATICAL DOUBLE-STRUCK",
    "bold": "MATHEMATICAL BOLD",
    "bold-italic": "MATHEMATICAL BOLD ITALIC",
    "sans-serif": "MATHEMATICAL SANS-SERIF",
    "monospace": "MATHEMATICAL MONOSPACE",
}
LETTERLIKE = {  # letters that Unicode had before it had the alphabets
    **{f"SCRIPT CAPITAL {c}": f"SCRIPT CAPITAL {c}" for c in "BEFHILMR"},
    **{f"SCRIPT SMALL {c}": f"SCRIPT SMALL {c}" for c in "EGO"},
    **{f"FRAKTUR CAPITAL {c}": f"BLACK-LETTER CAPITAL {c}" for c in "CHIRZ"},
    **{f"DOUBLE-STRUCK CAPITAL {c}": f"DOUBLE-STRUCK CAPITAL {c}" for c in "CHNPQRZ"},
}
# Basic and general punctuation, Greek, accents, letterlike, arrows, operators, brackets, alphabets.
FONT_RANGES = (
    (0x20, 0xFF),
    (0x2C6, 0x2DD),
    (0x300, 0x338),
    (0x391, 0x3F6),
    (0x2010, 0x2063),
    (0x20D0, 0x20E0),
    (0x2100, 0x214F),
    (0x2190, 0x21D5),
    (0x2200, 0x22FF),
    (0x2308, 0x230B),
    (0x239B, 0x23B5),
    (0x25A0, 0x25A1),
    (0x27E6, 0x27EB),
    (0x1D400, 0x1D7FF),
)
BREAK = re.compile(r"\\begin\{\w+\*?\}|\\end\{\w+\*?\}|\\\\(?:\[[^\]]*\])?")
TAG = re.compile(r"\\tag\{([^}]*)\}|\\notag\b")
ALIGNED = re.compile(r"\s*\\begin\{(align\*?)\}(.*)\\end\{\1\}\s*", re.DOTALL)

logger = logging.getLogger(__name__)
ET.register_namespace("", NAMESPACE[1:-1])


@cache
def mathml(tex: str, display: bool = False) -> str:
    """MathML of a formula in TeX; a ValueError says what cannot be read."""
    aligned = ALIGNED.fullmatch(tex)
    lines = _lines(aligned[2] if aligned else tex)
    tags = [TAG.search(line) for line in lines]
    body = r"\\".join(TAG.sub("", line) for line in lines)
    if aligned or len(lines) > 1:
        body = rf"\begin{{aligned}}{body}\end{{aligned}}"
    try:
        text = pykatex.renderToString(
            body, displayMode=display, output="mathml", throwOnError=True, strict="error"
        )
    except pykatex.ParseError as problem:
        raise ValueError(str(problem)) from None
    math = ET.fromstring(text)[0]
    semantics = math[0]
    math[:] = [semantics[0]]  # without the TeX that it was made from
    _tidy(math)
    if any(tags):
        _number(math, [tag[1] if tag else None for tag in tags])
    return ET.tostring(math, encoding="unicode")


def _lines(tex: str) -> list[str]:
    """Lines of a display, as they end outside of all environments."""
    lines, depth, start = [], 0, 0
    for match in BREAK.finditer(tex):
        if match[0].startswith(r"\\") and depth == 0:
            lines.append(tex[start : match.start()])
            start = match.end()
        elif not match[0].startswith(r"\\"):
            depth += 1 if match[0].startswith(r"\begin") else -1
    rest = tex[start:]
    return [*lines, rest] if rest.strip() or not lines else lines


def _tidy(element: ET.Element) -> None:
    """Replace what browsers do not know, in all of an element."""
    for before, child in zip([None, *element], element, strict=False):
        _tidy(child)
        if child.text in ("−", "+", "±") and before is not None and _opens(before):
            child.set("form", "prefix")
    name = element.tag.removeprefix(NAMESPACE)
    variant = element.get("mathvariant")
    if variant in ALPHABETS:
        del element.attrib["mathvariant"]
        element.text = "".join(_letter(c, variant) for c in element.text or "")
    if name == "mrow" and len(element) > 1 and all(_upright(child) for child in element):
        element.tag, element.text = NAMESPACE + "mi", "".join(c.text or "" for c in element)
        element[:] = []
    if name == "mtable":
        _columns(element)


def _opens(element: ET.Element) -> bool:
    """Whether a sign after it belongs to what follows."""
    name, text = element.tag.removeprefix(NAMESPACE), element.text
    return name == "mspace" or (name == "mo" and text not in (")", "]", "}", "!", "⟩"))


def _upright(element: ET.Element) -> bool:
    return element.tag == NAMESPACE + "mi" and element.get("mathvariant") == "normal"


def _letter(character: str, variant: str) -> str:
    """Character of another alphabet, or the same where the alphabet lacks it."""
    name = unicodedata.name(character).removeprefix("LATIN ").replace("LETTER ", "")
    alphabet = ALPHABETS[variant]
    plain = f"{alphabet.removeprefix('MATHEMATICAL ')} {name}"
    try:
        return unicodedata.lookup(LETTERLIKE.get(plain, f"{alphabet} {name}"))
    except KeyError:
        return character


def _columns(table: ET.Element) -> None:
    """Alignment and distances of a table, as style of its cells."""
    sides = table.attrib.pop("columnalign", "center").split()
    gaps = table.attrib.pop("columnspacing", "1em").split()
    height = table.attrib.pop("rowspacing", "0.16em")
    for i, row in enumerate(table):
        for k, cell in enumerate(row):
            right = gaps[min(k, len(gaps) - 1)] if k + 1 < len(row) else "0"
            above = height if i else "0"
            side = sides[min(k, len(sides) - 1)]
            cell.set("style", f"text-align:-webkit-{side};padding:{above} {right} 0 0")


def _number(math: ET.Element, tags: list[str | None]) -> None:
    """Put the numbers of equations at the right of a display."""
    body = math[0]
    while body.tag == NAMESPACE + "mrow" and len(body) == 1:
        body = body[0]
    rows = list(body) if len(tags) > 1 or body.tag == NAMESPACE + "mtable" else None
    if rows is None:
        body = ET.Element(NAMESPACE + "mtable")
        row = ET.SubElement(body, NAMESPACE + "mtr")
        cell = ET.SubElement(row, NAMESPACE + "mtd", style="padding:0")
        cell[:] = [math[0]]
        cell[0].set("displaystyle", "true")
        rows = [row]
    for row, tag in zip(rows, tags, strict=True):
        row.insert(0, ET.Element(NAMESPACE + "mtd", {"class": "glue"}))
        ET.SubElement(row, NAMESPACE + "mtd", {"class": "glue"})
        cell = ET.SubElement(row, NAMESPACE + "mtd", {"class": "tag"})
        if tag is not None:
            ET.SubElement(cell, NAMESPACE + "mtext").text = f"({tag})".replace(
                " ", "\N{NO-BREAK SPACE}"
            )
    body.set("class", "tagged")
    math[:] = [body]


def _converted(self: Any, node: nodes.Element, display: bool) -> str:
    """MathML of a node; what cannot be read is a warning, which ends a strict build."""
    counts: Counter[str] = self.builder.app.formulas
    counts[self.builder.current_docname] += 1
    try:
        return mathml(node.astext().strip(), display)
    except ValueError as problem:
        logger.warning("formula not understood: %s", problem, location=node)
        return f"<code>{self.encode(node.astext())}</code>"


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(_converted(self, node, False))
    raise nodes.SkipNode


def _display(self: Any, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    self.body.append(f'<div class="formula">{_converted(self, node, True)}</div>')
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def _font(app: Sphinx, problem: Exception | None) -> None:
    """Write the part of STIX Two Math (Open Font License) that formulas can use."""
    target = Path(app.outdir) / "_static" / "formulas.woff"
    if problem is not None or app.builder.format != "html" or target.exists():
        return
    with (files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf").open("rb") as source:
        font = TTFont(source)
        options = subset.Options(hinting=False, layout_features=["ssty"], notdef_outline=True)
        part = subset.Subsetter(options)
        part.populate(unicodes=[c for first, last in FONT_RANGES for c in range(first, last + 1)])
        part.subset(font)
        font.flavor = "woff"
        font.save(target)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer `mathml` and count the formulas of each page."""
    app.formulas = Counter()  # type: ignore[attr-defined]
    app.add_html_math_renderer(
        "mathml", inline_renderers=(_inline, None), block_renderers=(_display, None)
    )
    app.connect("build-finished", _font)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
