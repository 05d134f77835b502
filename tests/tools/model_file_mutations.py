"""Model files with random mistakes: whatever comes, lissom answers with problems of its own."""

from __future__ import annotations

import json
import random
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import yaml

import lissom as ls
from lissom.io.model_file.problems import Problem
from tests.samples.model_files import flexible, linkage, tree_of_joints
from tests.tools.file_fuzz import Fuzz

EXAMPLE = Path(__file__).parents[2] / "examples" / "arm.toml"
CHAIN = """
lissom = 1
name = "chain"
include = ["part.toml", { file = "limb.toml", prefix = "left_", to = "tower", at = [0, 1, 0] }]
gravity = [0, 0, "-9.81 m/s^2"]

[materials.alloy]
youngs_modulus = "72 GPa"
density = 2800

[bodies.boom]
kind = "beam"
length = 2
section = { kind = "i", width = 0.1, height = 0.2, flange = 0.01, web = 0.005 }
material = "alloy"
modes = 2
elements = 3

[bodies.cord]
kind = "rod"
length = "1 m"
sections = [{ kind = "circle", radius = 0.02 }, { kind = "circle", radius = "1 cm" }]
material = "alloy"
bending = [2, 1]
torsion = 1
curvature = [0, 0, "20 deg/m"]
nodes = { knot = "30 cm" }
elements = 2
stations = 3

[[parts]]
name = "cord"
body = "cord"
joint = "fixed"
to = "tower"

[[parts]]
name = "link{i}"
repeat = 4
body = { kind = "box", mass = 0.2, size = [0.1, 0.01, 0.02], com = [0.05, 0, 0] }
joint = "universal x y"
to = "link{i-1}"
first = { to = "tower", at = [0, 0, 1], rotation = { axis = [0, 1, 0], angle = "30 deg" } }

[[parts]]
name = "boom"
body = "boom"
joint = { kind = "screw", axis = "x", pitch = "2 mm/rad" }
to = "tower"
rotation = { rpy = [0, "10 deg", 1] }

[[loops]]
name = "tie"
joint = "spherical"
a = "link3"
b = "boom.tip"
at_b = [-2.17364817766693, 0, 0.984807753012208]

[[couplings]]
name = "mesh{i}"
repeat = 2
ratios = { "link{i}.angle1" = 1, "link{i+1}.angle2" = -0.5, boom = 2 }
offset = "3 deg"

[simulation]
duration = 1
step = 0.01
integrator = { kind = "generalized_alpha", spectral_radius = 0.9 }
drift = { stiffness = 400, damping = 40 }
atol = 1e-9
forces = { left_arm = "3 N m" }
state = { link1 = ["30 deg", 0.1], "boom.rates" = "2 rpm" }

[[simulation.loads]]
kind = "joint_stop"
joint = "boom"
lower = "-1 rad"
upper = inf
stiffness = 100

[[simulation.loads]]
kind = "motion"
joint = "link4"
velocity = { times = [0, 1], values = [[0, 0], [1, 1]] }

[[simulation.loads]]
kind = "node_force"
where = "boom.tip"
force = { function = "own:f" }
repeat = 2

[[simulation.loads]]
kind = "controller"
update = { function = "own:g" }
period = "10 ms"
memory = [1, 2]

[[simulation.events]]
when = "boom"
action = [{ kind = "lock", joint = "link2" }, "stop"]
"""
PART = """
lissom = 1
[[parts]]
name = "tower"
body = { kind = "points", points = [[0, 0, 0], [1, 0, 2], [0, 1, 0]], masses = [1, "2 kg", 1] }
joint = "fixed"
"""
LIMB = """
lissom = 1
[[parts]]
name = "arm"
body = { kind = "box", mass = 1, size = [1, 0.1, 0.1] }
joint = "revolute y"
"""
WORDS = [
    *("0", "-1", "1e308", "1e999", "nan", "inf", "-inf", "10000", "9" * 400, "0x10", "1_0", "true"),
    *('""', '"z"', '"12 deg"', '"-3 kN"', '"1e400 m"', "[]", "{}", "[[]]", "[1, 2, 3]", "{a = 1}"),
    *('"hub"', '"link1.tip"', '"{i}"', '"free"', '"beam"', '"flexible"', "2024-01-01", "null"),
    *(
        "[[parts]]",
        "[parts]",
        "[simulation]",
        "lissom = 1",
        "#",
        "'''",
        '"""',
        "\\u0000",
        "\0",
        "é",
    ),
    *(
        "*a",
        "&a",
        "!!int",
        "- ",
        ": ",
        "? ",
        "<<",
        "|",
        "[" * 50,
        "{" * 50,
        "a." * 50,
        "\t",
        "=",
        ",",
    ),
]
SIGNS = "[]{}\"'=:,.#\n -_0189eaz\\&*!|>%\t\0é"


@dataclass(frozen=True)
class Seed:
    """A sound file to start from."""

    suffix: str
    text: str


def seeds(folder: Path) -> list[Seed]:
    """Sound files of all formats; what they need is written into the folder."""
    (folder / "part.toml").write_text(PART, encoding="utf-8")
    (folder / "limb.toml").write_text(LIMB, encoding="utf-8")
    coarse = 'kind = "beam"\nelements = 4\n'  # fast
    example = EXAMPLE.read_text(encoding="utf-8").replace('kind = "beam"\n', coarse)
    texts = [example, CHAIN]
    model = tree_of_joints()
    model.add(flexible(n=3, m=1), ls.Revolute("x"), name="soft", to="free")
    models = {"joints": model, "linkage": linkage()}
    for name, made in models.items():
        made.save(folder / f"{name}.toml")
        texts.append((folder / f"{name}.toml").read_text(encoding="utf-8"))
    found = [Seed("toml", text) for text in texts]
    for k, text in enumerate(texts):
        data = tomllib.loads(text)
        found.append(Seed("json", json.dumps(data, indent=1)))
        if k < 2:  # YAML is read slowly
            found.append(Seed("yaml", yaml.safe_dump(data, sort_keys=False)))
    return found


def mutated(text: str, rng: random.Random) -> str:
    """Text with one to four random mistakes."""
    for _ in range(rng.choice([1, 1, 2, 4])):
        text = rng.choice(MUTATIONS)(text, rng)
    return text


def _spot(text: str, rng: random.Random) -> int:
    return rng.randrange(len(text) + 1)


def _inserted(text: str, rng: random.Random) -> str:
    k = _spot(text, rng)
    return text[:k] + rng.choice(SIGNS) + text[k:]


def _removed(text: str, rng: random.Random) -> str:
    k = _spot(text, rng)
    return text[:k] + text[k + rng.choice([1, 1, 2, 8, 60]) :]


def _truncated(text: str, rng: random.Random) -> str:
    return text[: _spot(text, rng)]


def _lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        lines[a], lines[b] = lines[b], lines[a]
    elif kind == 1:
        lines.insert(a, lines[b])
    else:
        del lines[a]
    return "\n".join(lines)


def _replaced(pattern: str) -> object:
    found = re.compile(pattern)

    def mutate(text: str, rng: random.Random) -> str:
        places = list(found.finditer(text))
        if not places:
            return text
        spot, other = rng.choice(places), rng.choice(places)
        word = rng.choice([rng.choice(WORDS), other[0]])
        return text[: spot.start()] + word + text[spot.end() :]

    return mutate


MUTATIONS = [
    _inserted,
    _removed,
    _truncated,
    _lines,
    _replaced(r"-?\d+\.?\d*(?:e[+-]?\d+)?"),
    _replaced(r'"[^"\n]*"'),
    _replaced(r"\b[a-z_]{2,}\b"),
    _replaced(r"= [^\n]+|: [^\n]+"),
]


class ModelFileFuzz(Fuzz):
    """Model files of all formats.

    Parameters
    ----------
    folder : Path
        Where files are; what they need is put there.
    """

    def __init__(self, folder: Path) -> None:
        self.sound = seeds(folder)
        for k, seed in enumerate(self.sound):
            path = folder / f"sound{k}.{seed.suffix}"
            path.write_text(seed.text, encoding="utf-8")
            assert ls.check_file(path) == []

    def case(self, rng: random.Random) -> tuple[str, bytes]:
        """A damaged file."""
        chosen = rng.choice(self.sound)
        text = mutated(chosen.text, rng)
        return f"mutated.{chosen.suffix}", text.encode("utf-8", "surrogateescape")

    def fault(self, path: Path, rng: random.Random) -> str:
        """Check it, and load every fourth one."""
        problems = ls.check_file(path)
        bad = [x for x in problems if not isinstance(x, Problem) or not x.message or x.line < 0]
        if bad:
            return f"not a problem: {bad[0]!r}"
        if rng.random() < 0.25:
            try:
                ls.load(path)
            except ls.ModelFileError as error:
                if not problems or not str(error):
                    return f"load refuses what check accepts: {error}"
        "\n".join(map(str, problems)).encode("utf-8", "backslashreplace")
        return ""
