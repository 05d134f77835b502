"""What the site is made with: formulas without scripts, the tree of pages, nothing foreign."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from bs4 import BeautifulSoup
from furo.navigation import get_navigation_tree

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))

from checks import loaded_from_elsewhere
from formulas import ALPHABETS, LETTERLIKE, NAMESPACE, _letter, mathml
from navigation import Tree


def words(tex, display=False):
    """Text of a formula, and its elements by name."""
    root = ET.fromstring(mathml(tex, display))
    names = [element.tag.removeprefix(NAMESPACE) for element in root.iter()]
    return "".join(root.itertext()), names


def test_letters_of_other_alphabets_are_characters():
    assert words(r"\mathcal M\boldsymbol v\mathfrak C\mathbb R")[0] == "ℳ𝒗ℭℝ"
    assert words(r"\mathcal T\mathsf A\mathtt{x}")[0] == "𝒯𝖠𝚡"
    for variant in ALPHABETS:
        letters = [
            _letter(c, variant) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        ]
        assert len({*letters, "h"}) == 53, variant  # every letter has its own
    assert len(LETTERLIKE) == 23


def test_upright_letters_are_one_word_and_one_stays_upright():
    root = ET.fromstring(mathml(r"\mathrm{rot}\,\mathrm d q"))
    word, letter, _ = root.iter(NAMESPACE + "mi")
    assert word.text == "rot"
    assert (letter.text, letter.get("mathvariant")) == ("d", "normal")


def test_signs_without_left_side_stand_at_their_number():
    forms = [x.get("form") for x in ET.fromstring(mathml("a=-b-(-c)")).iter(NAMESPACE + "mo")]
    assert forms == [None, "prefix", None, None, "prefix", None]


def test_numbers_of_equations_stand_in_their_lines():
    first, second = r"a &= \begin{bmatrix}1\\2\end{bmatrix} \tag{A 1}", r"b &= c \notag"
    tex = rf"\begin{{align*}} {first} \\ {second} \\ d &= e \tag{{A 2}}\end{{align*}}"
    rows = ET.fromstring(mathml(tex, True)).find(f".//{NAMESPACE}mtable[@class='tagged']")
    assert ["".join(row[-1].itertext()) for row in rows] == ["(A\xa01)", "", "(A\xa02)"]
    assert words(r"E = mc^2 \tag{7}", True)[0].endswith("(7)")


def test_columns_are_aligned_by_style():
    cells = ET.fromstring(mathml(r"\begin{aligned}a&=b\\cc&=d\end{aligned}", True)).iter(
        NAMESPACE + "mtd"
    )
    sides = [cell.get("style").split(";")[0].rpartition("-")[2] for cell in cells]
    assert sides == ["right", "left", "right", "left"]


@pytest.mark.parametrize("tex", [r"\unknown", r"\frac{1", "a_b_c", "x # y"])
def test_formulas_that_cannot_be_read_are_refused(tex):
    with pytest.raises(ValueError, match="at "):
        mathml(tex)


def test_what_a_page_loads_from_elsewhere_is_found():
    assert loaded_from_elsewhere('<script async src="https://a.b/c.js"></script>') == {
        "https://a.b/c.js"
    }
    assert loaded_from_elsewhere("p { background: url('//a.b/c.png') }") == {"//a.b/c.png"}
    assert loaded_from_elsewhere('<link href="https://a.b/c.css" rel="stylesheet">')
    assert not loaded_from_elsewhere(
        '<a href="https://a.b">x</a><img src="../x.png"><link rel="next" href="b.html">'
    )


ITEMS = """<ul{0}><li class="toctree-l1"><a class="reference internal" href="{1}a.html">A</a></li>
<li class="toctree-l1{2}"><a class="reference internal" href="{1}b/index.html">B</a><ul>
<li class="toctree-l2{2}"><a class="reference internal{2}" href="{3}">C</a></li></ul></li></ul>"""


def marks(html):
    """Links of a tree with the marks of their items, in order."""
    links = BeautifulSoup(html, "html.parser").find_all("a")
    boxes = [link.parent.find("input", recursive=False) for link in links]
    opened = [box is not None and box.has_attr("checked") for box in boxes]
    return [(a["href"], set(a.parent["class"]), x) for a, x in zip(links, opened, strict=True)]


def test_the_tree_of_pages_is_what_the_theme_makes_of_it():
    there = ITEMS.format("", "../", " current", "#").replace("../b/index", "index")
    elsewhere = ITEMS.format("", "", "", "b/c.html")
    for html, page in ((there, "b/c.html"), (elsewhere, "z.html")):
        tree = Tree.of(html, page)
        for other, name in ((there, "b/c.html"), (elsewhere, "z.html")):
            assert marks(tree.on(name)) == marks(get_navigation_tree(other))
