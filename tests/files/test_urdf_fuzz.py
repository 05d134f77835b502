"""A thousand robots with random mistakes, and monsters; tests/verify_urdf.py has more."""

import random
import time

import pytest

import lissom as ls
from tests.samples.urdf_files import ARM
from tests.tools.file_fuzz import SLOWEST, Fuzz, answered, faults, peak, within
from tests.tools.urdf_mutations import CORNERS, UrdfFuzz, mutated


def test_no_mistake_in_a_robot_is_more_than_an_error_of_our_own(tmp_path):
    assert faults(UrdfFuzz(tmp_path), tmp_path, 1, range(300)) == []


def test_mutations_change_robots_and_depend_on_the_seed_alone():
    contents = [mutated(CORNERS, random.Random(k)) for k in range(50)]
    assert contents == [mutated(CORNERS, random.Random(k)) for k in range(50)]
    assert sum(x != CORNERS.encode() for x in contents) > 45
    assert len(set(contents)) > 45


def test_what_the_engine_must_notice(tmp_path):
    class Wrong(Fuzz):
        def case(self, rng):
            return "a.urdf", rng.randbytes(4)

        def fault(self, path, rng):
            kind = len(path.read_bytes()) + int(rng.random() * 3)
            if kind == 4:
                raise RecursionError("deep")
            return "bad" if kind == 5 else ""

    found = faults(Wrong(), tmp_path, 7, range(30))
    assert {x.rsplit(": ", 1)[1] for x in found} == {"deep", "bad"}
    assert found == [x for x in faults(Wrong(), tmp_path, 7, range(30))]
    assert 5 < len(found) < 30 and "seed 7, case " in found[0]
    assert len(list(tmp_path.glob("kept_7_*_a.urdf"))) == len(found)


@pytest.mark.parametrize("pause", [0.0, 0.01])
def test_what_computes_or_waits_too_long_is_interrupted(tmp_path, monkeypatch, pause):
    class Slow(Fuzz):
        def case(self, rng):
            return "a", b""

        def fault(self, path, rng):
            while True:
                time.sleep(pause)

    monkeypatch.setattr("tests.tools.file_fuzz.SLOWEST", 0.05)
    assert "more than 0.05 s" in answered(Slow(), tmp_path, random.Random(1))


def entities(head, use):
    return f"<!DOCTYPE r [{head}]><robot>{use}</robot>"


def bomb():
    rows = (f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 10))
    return entities('<!ENTITY e0 "lol">' + "".join(rows), "&e9;")


def robot(*parts):
    return "<robot name='monster'>" + "".join(parts) + "</robot>"


def link(name):
    return f"<link name='{name}'/>"


def weld(parent, child):
    ends = f"<parent link='{parent}'/><child link='{child}'/>"
    return f"<joint name='{parent} {child}' type='fixed'>{ends}</joint>"


def chain(n):
    return [link(k) for k in range(n)] + [weld(k - 1, k) for k in range(1, n)]


MONSTERS = {
    "entities within entities": bomb,
    "a long entity": lambda: entities(f'<!ENTITY e "{"x" * 99_999}">', "&e;" * 9999),
    "an entity from outside": lambda: entities('<!ENTITY e SYSTEM "file:///dev/zero">', "&e;"),
    "100,000 levels": lambda: robot("<link>" * 100_000, "</link>" * 100_000),
    "100,000 open levels": lambda: "<robot>" + "<a>" * 100_000,
    "a huge name": lambda: robot("<link name='", "x" * 10_000_000, "'><inertial/></link>"),
    "a huge number": lambda: ARM.replace('"2.0"', '"' + "9" * 1_000_000 + '"'),
    "a huge row": lambda: ARM.replace('"0 0 0.5"', '"' + "1 " * 1_000_000 + '"'),
    "many attributes": lambda: f"<robot {' '.join(f'a{k}=' + repr('') for k in range(99_999))}/>",
    "one attribute often": lambda: "<robot " + "a='' " * 100_000 + "/>",
    "many roots": lambda: robot(*(link(k) for k in range(5_000))),
    "many elements": lambda: robot("<a/>" * 200_001),
    "many materials": lambda: robot("<material/>" * 20_000),
    "a long ring": lambda: robot(*chain(3000), weld(2999, 0)),
    "one link often": lambda: robot(link("a") * 20_000),
    "a long comment": lambda: "<!--" + "x" * 5_000_000 + "--><robot/>",
    "bytes of nothing": lambda: "\0" * 1_000_000,
    "brackets": lambda: "<" * 1_000_000,
}


@pytest.mark.parametrize("name", MONSTERS)
def test_monsters_are_refused_at_once(tmp_path, name):
    path = tmp_path / "monster.urdf"
    path.write_text(MONSTERS[name]())
    before = peak()
    with within(SLOWEST), pytest.raises(ls.ModelError) as error:
        ls.read_urdf(path)
    assert str(error.value).startswith(str(path)) and len(str(error.value)) < 1500
    assert peak() - before < 500


def test_a_long_chain_is_a_robot(tmp_path):
    path = tmp_path / "chain.urdf"
    path.write_text(robot(*chain(1000)))
    assert len(ls.read_urdf(path).model.parts) == 1000
    assert len(ls.read_urdf(path, merge_fixed=True).model.parts) == 1
