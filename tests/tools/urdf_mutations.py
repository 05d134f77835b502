"""URDF files with random mistakes: whatever comes, lissom answers with a model or its own error."""

from __future__ import annotations

import copy
import logging
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import lissom as ls
from tests.samples.urdf_files import ARM, robot_file
from tests.tools.file_fuzz import Fuzz

EXAMPLE = Path(__file__).parents[2] / "examples" / "robot_arm.urdf"
CORNERS = """<robot name="corners">
  <link name="floor"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <visual><geometry><mesh filename="package://none/a.stl" scale="1 2 3"/></geometry></visual>
    <visual><geometry><mesh filename="part.stl"/></geometry></visual></link>
  <link name="b"><inertial><origin rpy="1 2 3"/><mass value="2"/>
    <inertia ixx="1e-3" ixy="1e-5" iyy="2e-3" izz="2e-3"/></inertial></link>
  <link name="c.1"/>
  <link name="d"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
  <joint name="f" type="floating"><parent link="floor"/><child link="a"/></joint>
  <joint name="p" type="planar"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
  <joint name="w" type="fixed"><origin xyz="1 2 3"/><parent link="b"/><child link="c.1"/></joint>
  <joint name="s" type="prismatic"><parent link="c.1"/><child link="d"/>
    <limit effort="1" velocity="1" upper="1"/><mimic joint="p" offset="1"/>
    <dynamics friction="1"/><safety_controller k_velocity="1"/></joint>
  <gazebo reference="a"><material>Gazebo/Orange</material></gazebo>
  <transmission name="t"><joint name="s"/></transmission>
</robot>
"""
PART = "solid a\nfacet\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendsolid\n"
REAL = {
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf": 6,
    "ur_description/urdf/ur5_robot.urdf": 2,
    "solo_description/robots/solo12.urdf": 1,
}
WORDS = [
    *("", " ", "0", "-1", "nan", "inf", "-inf", "1e400", "-1e400", "1e308", "1e-320", "1e154"),
    *("9" * 400, "1,5", "0x10", "1_0", "1 2", "1 2 3", "0 0 0", "1e200 1e200 1e200", "nan nan nan"),
    *("1 2 3 4", "0.1 0.2 0.3 0.4 0.5 0.6", "${pi/2}", "$(find robot)/a.stl", "$(arg x)", "a.b"),
    *("base", "upper", "floor", "revolute", "continuous", "fixed", "floating", "planar", "screw"),
    *("é", "١", "\u202e", "\U0001f916", "&amp;", "&lt;a/&gt;", "&#0;", "&#x41;", "&e;", "<", '"'),
    *("file:///dev/null", "package://", "package://a", "../../..", "/", ".", "a\\b", "x" * 5000),
]
TAGS = ["link", "joint", "robot", "inertial", "visual", "geometry", "box", "sphere", "cylinder"]
TAGS += ["mesh", "origin", "axis", "limit", "mimic", "dynamics", "mass", "inertia", "parent"]
TAGS += ["child", "material", "color", "collision", "a", "xacro:macro", "é"]
ATTRIBUTES = ["name", "type", "link", "xyz", "rpy", "value", "ixx", "ixy", "size", "radius"]
ATTRIBUTES += ["length", "filename", "scale", "rgba", "lower", "upper", "joint", "xmlns", "a"]
HEADS = [
    '<!DOCTYPE robot SYSTEM "file:///etc/passwd">',
    "<!DOCTYPE robot>",
    '<!DOCTYPE r [<!ENTITY e "x">]>',
    '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///dev/zero">]>',
    '<!DOCTYPE r [<!ENTITY e "x"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;">]>',
    '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]>',
    "<!-- a -->",
    "<!-- -- -->",
    "<?php echo 1 ?>",
    "<![CDATA[x]]>",
    "text",
    "\ufeff",
    "\0",
    "<robot/>",
]
CODES = ["utf-8", "UTF-16", "latin-1", "ascii", "cp1252", "utf-7", "ebcdic", "x" * 300, "", "é"]
INSIDE = [
    '<xacro:property name="w" value="1"/>',
    "<xacro:if value='1'><link name='x'/></xacro:if>",
    "<gazebo><plugin/></gazebo>",
    "<link name='lonely'/>",
    "<joint name='odd' type='fixed'/>",
    "<a:link xmlns:a='http://a' name='x'/>",
    "&undefined;",
    "text",
    "<!---->",
    "<![CDATA[<link/>]]>",
    "<",
    "</robot>",
    "<material name='m'><color rgba='1e400 0 0 1'/></material>",
]
Tree = Callable[[ET.Element, random.Random], None]
Text = Callable[[str, random.Random], str]


def _elements(root: ET.Element) -> list[tuple[ET.Element, ET.Element]]:
    """Pairs of parent and child."""
    return [(parent, child) for parent in root.iter() for child in parent]


def _pair(root: ET.Element, rng: random.Random) -> tuple[ET.Element, ET.Element]:
    return rng.choice(_elements(root) or [(ET.Element("a"), root)])


def _delete(root: ET.Element, rng: random.Random) -> None:
    parent, child = _pair(root, rng)
    if child in parent:
        parent.remove(child)


def _double(root: ET.Element, rng: random.Random) -> None:
    parent, child = _pair(root, rng)
    for _ in range(rng.choice([1, 1, 1, 50])):
        parent.append(copy.deepcopy(child))


def _move(root: ET.Element, rng: random.Random) -> None:
    parent, child = _pair(root, rng)
    other = rng.choice(list(root.iter()))
    if child in parent and other not in child.iter():
        parent.remove(child)
        other.insert(rng.randrange(len(other) + 1), child)


def _nest(root: ET.Element, rng: random.Random) -> None:
    parent, child = _pair(root, rng)
    top = inner = ET.Element(child.tag, child.attrib)
    for _ in range(rng.choice([0, 1, 60, 300])):
        inner = ET.SubElement(inner, rng.choice(TAGS))
    inner.append(copy.deepcopy(child))
    parent.append(top)


def _rename(root: ET.Element, rng: random.Random) -> None:
    rng.choice(list(root.iter())).tag = rng.choice(TAGS)


def _swap(root: ET.Element, rng: random.Random) -> None:
    """Two elements exchange all attributes."""
    one, two = rng.choice(list(root.iter())), rng.choice(list(root.iter()))
    one.attrib, two.attrib = two.attrib, one.attrib


def _attribute(root: ET.Element, rng: random.Random) -> None:
    element = rng.choice(list(root.iter()))
    keys = list(element.attrib)
    kind = rng.randrange(3)
    if keys and kind == 0:
        del element.attrib[rng.choice(keys)]
    elif keys and kind == 1:
        element.attrib[rng.choice(ATTRIBUTES)] = element.attrib.pop(rng.choice(keys))
    else:
        element.attrib[rng.choice(ATTRIBUTES)] = _word(rng)


def _value(root: ET.Element, rng: random.Random) -> None:
    element = rng.choice([e for e in root.iter() if e.attrib] or [root])
    if element.attrib:
        element.attrib[rng.choice(list(element.attrib))] = _word(rng)


def _number(root: ET.Element, rng: random.Random) -> None:
    """One number of a row."""
    element = rng.choice([e for e in root.iter() if e.attrib] or [root])
    for key, value in element.attrib.items():
        numbers = value.split()
        if numbers and re.fullmatch(r"[-+.\de]+", numbers[0]):
            numbers[rng.randrange(len(numbers))] = _word(rng)
            element.attrib[key] = " ".join(numbers)


def _rewire(root: ET.Element, rng: random.Random) -> None:
    """A joint with another parent or child: rings, two parents, several roots."""
    links = [e.get("name", "") for e in root.iter("link")] or ["a"]
    ends = [*root.iter("parent"), *root.iter("child")]
    for _ in range(rng.choice([1, 1, 3])):
        if ends:
            rng.choice(ends).set("link", rng.choice(links))


def _shuffle(root: ET.Element, rng: random.Random) -> None:
    children = list(root)
    rng.shuffle(children)
    root[:] = children


def _word(rng: random.Random) -> str:
    """Junk that XML can hold."""
    return re.sub("[\0-\x08\x0b-\x1f]", "", rng.choice(WORDS))


def _raw_value(text: str, rng: random.Random) -> str:
    """A value in quotes, as it stands in the file: also what XML cannot hold."""
    places = list(re.finditer(r'"[^"<]*"', text))
    if not places:
        return text
    spot = rng.choice(places)
    return f'{text[: spot.start()]}"{rng.choice(WORDS)}"{text[spot.end() :]}'


def _twice(text: str, rng: random.Random) -> str:
    places = list(re.finditer(r' [\w:]+="[^"<]*"', text))
    spot = rng.choice(places) if places else None
    return text if spot is None else text[: spot.end()] + spot[0] + text[spot.end() :]


def _inside(text: str, rng: random.Random) -> str:
    places = [m.end() for m in re.finditer(">", text)] or [0]
    k = rng.choice(places)
    return text[:k] + rng.choice(INSIDE) + text[k:]


def _head(text: str, rng: random.Random) -> str:
    return rng.choice(HEADS) + text


def _declared(text: str, rng: random.Random) -> str:
    text = re.sub(r"^<\?xml[^>]*\?>", "", text)
    version = rng.choice(["1.0", "1.0", "1.1", "2.0", ""])
    return f'<?xml version="{version}" encoding="{rng.choice(CODES)}"?>{text}'


def _namespaces(text: str, rng: random.Random) -> str:
    prefix = rng.choice(["", ":a", ":xacro", ":xml"])
    return text.replace("<robot", f'<robot xmlns{prefix}="http://example.org"', 1)


def _characters(text: str, rng: random.Random) -> str:
    k = rng.randrange(len(text) + 1)
    kind = rng.randrange(3)
    if kind == 0:
        return text[:k] + rng.choice("<>&\"'=/ é\0\n]") + text[k:]
    return text[:k] + text[k + rng.choice([1, 1, 2, 8, 60, 1000]) :]


def _damaged(content: bytes, rng: random.Random) -> bytes:
    k = rng.randrange(len(content) + 1)
    kind = rng.randrange(6)
    if kind == 0:
        return content[:k]
    if kind == 1:
        return content[:k] + rng.randbytes(rng.choice([1, 4, 100])) + content[k:]
    if kind == 2:
        return content[:k] + bytes([rng.randrange(256)]) + content[k + 1 :]
    if kind == 3:
        return content.decode("utf-8", "replace").encode(
            rng.choice(["utf-16", "latin-1"]), "replace"
        )
    if kind == 4:
        return content + content
    return content[k:] + content[:k]


TREES: list[Tree] = [_delete, _double, _move, _nest, _rename, _swap, _attribute, _value, _value]
TREES += [_number, _number, _rewire, _shuffle]
TEXTS: list[Text] = [_raw_value, _twice, _inside, _head, _declared, _namespaces, _characters]


def mutated(text: str, rng: random.Random) -> bytes:
    """A file with one to four mistakes: in its elements, in its text, or in its bytes."""
    count = rng.choice([1, 1, 2, 4])
    kinds = sorted(rng.choice("eeeeettb") for _ in range(count))
    root = ET.fromstring(text)
    for _ in range(kinds.count("e")):
        rng.choice(TREES)(root, rng)
    if "e" in kinds:
        text = ET.tostring(root, "unicode")
    for _ in range(kinds.count("t")):
        text = rng.choice(TEXTS)(text, rng)
    content = text.encode("utf-8", "surrogatepass")
    return _damaged(content, rng) if "b" in kinds else content


class UrdfFuzz(Fuzz):
    """Robots by hand and of real life.

    Parameters
    ----------
    folder : Path
        Where files are; a mesh is put there.
    """

    def __init__(self, folder: Path) -> None:
        (folder / "part.stl").write_text(PART)
        texts = {ARM: 6, CORNERS: 6, EXAMPLE.read_text(encoding="utf-8"): 3}
        texts |= {robot_file(name).read_text(encoding="utf-8"): n for name, n in REAL.items()}
        self.texts, self.weights = list(texts), list(texts.values())

    def case(self, rng: random.Random) -> tuple[str, bytes]:
        """A damaged robot."""
        [text] = rng.choices(self.texts, self.weights)
        return "robot.urdf", mutated(text, rng)

    def fault(self, path: Path, rng: random.Random) -> str:
        """Read it, and compile every second one."""
        settings = {
            "base": rng.choice(["fixed", "free"]),
            "merge_fixed": rng.random() < 0.3,
            "unphysical": rng.choice(["error", "keep"]),
        }
        logger = logging.getLogger("lissom")
        level = logger.level
        logger.setLevel(logging.ERROR)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                robot = ls.read_urdf(path, **settings)
                warnings.simplefilter("ignore", RuntimeWarning)  # of numbers near the largest
                if rng.random() < 0.5:
                    str(robot.model.compile())
        except ls.LissomError as error:
            words = str(error)
            words.encode("utf-8", "backslashreplace")
            if not words or len(words) > 2000:
                return f"an error of {len(words)} characters: {words[:200]}"
            return "" if _names(words, path) else f"an error that names nothing: {words}"
        finally:
            logger.setLevel(level)
        return "" if robot.model.parts else "a model of nothing"


def _names(words: str, path: Path) -> bool:
    """Whether an error says where: the file, or the body that compile complains about."""
    return words.startswith(str(path)) or bool(re.search(r"bod(y|ies) ", words))
