"""What every public class prints, in consoles and in notebooks."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import lissom as ls
from lissom.printing import filled, folded, short
from tests.samples.public_objects import documented_classes, mechanism, public_objects

MOST_LINES, WIDTH = 100, 80
UGLY = re.compile(r"np\.(float|int|str|bool)|\bat 0x[0-9a-f]{4,}|\barray\(|dtype=|<lissom\.")


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    with pytest.warns():  # runs of a few steps, which are far from accurate
        return list(public_objects(tmp_path_factory.mktemp("files")))


def kinds_of(objects):
    return {kind for thing in objects for kind in type(thing).__mro__}


def test_there_is_an_object_of_every_documented_class(objects):
    missing = [name for name, kind in documented_classes().items() if kind not in kinds_of(objects)]
    assert not missing


def test_prints_have_few_lines_of_80_columns_and_no_arrays(objects):
    for thing in objects:
        kept = {"Problem"}  # its text is one line, as that of compilers
        for text in {repr(thing)} if type(thing).__name__ in kept else {repr(thing), str(thing)}:
            kind = type(thing).__name__
            lines = text.splitlines()
            assert len(lines) <= MOST_LINES, kind
            assert max(map(len, lines)) <= WIDTH, f"{kind}: {text}"
            assert not UGLY.search(text), f"{kind}: {text}"


class Reader(HTMLParser):
    """Checks that tags are closed in order, and collects the text."""

    def __init__(self):
        super().__init__()
        self.open, self.words, self.tags = [], [], set()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read(text):
    reader = Reader()
    reader.feed(text)
    assert not reader.open
    return reader


def test_tables_for_notebooks_are_whole_and_short(objects):
    shown = [x for x in objects if hasattr(x, "_repr_html_")]
    kinds = {type(x).__name__ for x in shown}
    assert {"Model", "System", "State", "Trajectory", "Urdf"} <= kinds
    for thing in shown:
        if type(thing).__name__ == "Embedded":  # a page of its own
            continue
        reader = read(thing._repr_html_())
        assert len(reader.words) < 1000
        assert not UGLY.search(" ".join(reader.words))


def test_tables_contain_what_the_print_has():
    model = mechanism()
    system = model.compile()
    for thing in (model, system, system.neutral()):
        words = " ".join(read(thing._repr_html_()).words)
        assert all(name in words for name in system.names)
    cells = read(system._repr_html_()).words
    assert cells[cells.index("boom" if "boom" in cells else "│  └─ boom") + 1] == "revolute y"


def test_names_cannot_inject_markup():
    name = "<img onerror=x>"
    model = ls.Model(name)
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("z"), name=name)
    system = model.compile()
    for thing in (model, system, system.neutral()):
        reader = read(thing._repr_html_())
        assert "img" not in reader.tags and any(name in word for word in reader.words)


def test_large_ones_stay_short_in_notebooks():
    system = ls.library.rigid_chain(300).compile()
    for thing in (system, system.neutral(), ls.library.rigid_chain(300)):
        text = thing._repr_html_()
        assert "... and 260 more bodies" in text and text.count("<tr") <= MOST_LINES


def test_equations_are_formulas_in_notebooks():
    import sympy

    m, length, g = sympy.symbols("m l g", positive=True)
    model = ls.Model("pendulum", gravity=(0, 0, -g))
    model.add(ls.RigidBody(m, com=(length, 0, 0)), ls.Revolute("y"), name="rod")
    short_one = ls.symbolic.derive(model)
    assert short_one.latex() in short_one._repr_latex_()
    long_one = ls.symbolic.derive(ls.library.rigid_chain(9))
    assert len(long_one._repr_latex_()) < 400 and "mass" not in vars(long_one._derivation)


def test_fields_with_their_defaults_are_left_out_and_others_are_not():
    assert repr(ls.RigidBody(2.0)) == "RigidBody(mass=2)"
    assert repr(ls.Target(rotation=np.eye(3))) == "Target(rotation=identity)"
    assert repr(ls.Target(position=(1, 2, 3))) == "Target(position=(1, 2, 3))"
    assert repr(ls.solids.Box((1, 1, 1))) == "Box(size=[1, 1, 1])"
    turned = ls.solids.Box((1, 1, 1), rotation={"axis": "z", "angle": np.pi})
    assert "rotation=" in repr(turned)
    assert repr(ls.JointSpring("a", 3.0, name="oil")) == (
        "JointSpring(joint='a', stiffness=3, name='oil')"
    )


def test_users_classes_print_like_ours():
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Square(ls.Section):
        side: float = 0.1
        area: float = 0.01
        second_moment_y: float = 1e-6
        second_moment_z: float = 1e-6
        torsion_constant: float = 1e-6

    assert repr(Square(0.2)) == "Square(side=0.2)"

    class Plain(ls.Action):
        def __init__(self):
            self.size = np.float64(3)

        def enter(self, plan):
            raise NotImplementedError

    kind = type("Own", (Plain,), {name: None for name in Plain.__abstractmethods__})
    assert repr(kind()) == "Own(size=3)"


def test_the_helpers():
    assert short(np.float64(0.1) + 0.2) == "0.3" and short(np.int64(3)) == "3"
    assert short(np.zeros((4, 5))) == "<4 x 5 array>" and short([1.0] * 9) == "<9 of float>"
    assert short({"a": 1.0}) == "{'a': 1}" and short(np.array("x")) == "'x'"
    assert filled("f(", ["a"] * 3) == "f(a, a, a)"
    assert all(len(x) <= 80 for x in filled("f(", ["abc def" * 9] * 5).splitlines())
    assert folded("  " + "word " * 30).splitlines()[1].startswith(" " * 6 + "word")
