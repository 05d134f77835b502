"""Mistakes in model files: file, line, key, what was found, what was expected."""

import json

import numpy as np
import pytest

import lissom as ls

HEAD = 'lissom = 1\nname = "arm"\n'
BODY = 'body = { kind = "box", mass = 4, size = [1, 1, 1] }\n'
HUB = '[[parts]]\nname = "hub"\n' + BODY + 'joint = "free"\n'
ARM = '[[parts]]\nname = "arm"\n' + BODY + 'joint = "revolute z"\nto = "hub"\n'
RUN = "[simulation]\nduration = 1\n"

# text, then line, key and words of every problem
MISTAKES = {
    "misspelt key": (HEAD + HUB + "too = 3\n", 7, "parts[0].too", "did you mean 'to'?"),
    "misspelt key of a body": (
        HEAD + '[[parts]]\nname = "a"\njoint = "free"\nbody = { kind = "box", mas = 4, mass = 1, '
        "size = [1, 1, 1] }\n",
        6,
        "parts[0].body.mas",
        "unknown key; did you mean 'mass'?",
    ),
    "misspelt section": (HEAD + HUB + "[[partz]]\n", 7, "partz", "did you mean 'parts'?"),
    "missing mass": (
        HEAD + '[bodies.a]\nkind = "sphere"\nradius = 1\n' + HUB,
        3,
        "bodies.a.mass",
        "is missing",
    ),
    "missing joint": (HEAD + '[[parts]]\nname = "a"\n' + BODY, 3, "parts[0].joint", "is missing"),
    "missing version": ('name = "a"\n' + HUB, 1, "lissom", "is missing; write lissom = 2"),
    "newer version": (
        HEAD.replace("1", "3"),
        1,
        "lissom",
        "is 3; this version of lissom reads formats 1 to 2: install a newer lissom",
    ),
    "angle for a length": (
        HEAD + HUB + 'at = ["12 deg", 0, 0]\n',
        7,
        "parts[0].at",
        "entry 0 is '12 deg', which is an angle; expected a length [m]",
    ),
    "unknown unit": (
        HEAD + HUB.replace("mass = 4", 'mass = "4 kgs"'),
        5,
        "parts[0].body.mass",
        "there is no unit 'kgs'; did you mean 'kg'?",
    ),
    "text for a number": (
        HEAD + HUB.replace("mass = 4", 'mass = "heavy"'),
        5,
        "parts[0].body.mass",
        "is 'heavy'; expected a mass [kg]",
    ),
    "switch for a number": (
        HEAD + HUB.replace("mass = 4", "mass = true"),
        5,
        "parts[0].body.mass",
        "is true; expected a mass [kg]",
    ),
    "unknown body in to": (
        HEAD + HUB + ARM.replace('"hub"', '"hup"'),
        11,
        "parts[1].to",
        "is 'hup', but there is no such body; did you mean 'hub'?",
    ),
    "node of a rigid body": (
        HEAD + HUB + ARM.replace('to = "hub"', 'to = "hub.tip"'),
        11,
        "parts[1].to",
        "that body is rigid and has no nodes",
    ),
    "vector of two": (
        HEAD + HUB + "at = [1, 2]\n",
        7,
        "parts[0].at",
        "is a list of 2; expected a list of 3",
    ),
    "negative mass": (
        HEAD + HUB.replace("mass = 4", "mass = -4"),
        5,
        "parts[0].body.mass",
        "is -4; it must not be negative",
    ),
    "infinite mass": (
        HEAD + HUB.replace("mass = 4", "mass = inf"),
        5,
        "parts[0].body.mass",
        "is inf; expected a finite mass [kg]",
    ),
    "no number": (
        HEAD + HUB.replace("mass = 4", "mass = nan"),
        5,
        "parts[0].body.mass",
        "is nan; expected a finite mass [kg]",
    ),
    "unknown joint": (
        HEAD + HUB.replace('"free"', '"revolut z"'),
        6,
        "parts[0].joint",
        "is 'revolut'; did you mean 'revolute'?",
    ),
    "unknown joint in a table": (
        HEAD + HUB.replace('"free"', '{ kind = "hinge" }'),
        6,
        "parts[0].joint.kind",
        "is 'hinge'; known: 'fixed'",
    ),
    "joint without its axis": (
        HEAD + HUB.replace('"free"', '"revolute"'),
        6,
        "parts[0].joint.axis",
        "is missing",
    ),
    "axis of zeros": (
        HEAD + HUB.replace('"free"', '{ kind = "revolute", axis = [0, 0, 0] }'),
        6,
        "parts[0].joint.axis",
        "is zero; give a direction",
    ),
    "duplicate name": (
        HEAD + HUB + HUB,
        7,
        "parts[1]",
        "there is a body 'hub' already; names must be unique",
    ),
    "dot in a name": (
        HEAD + HUB.replace('"hub"', '"hub.a"'),
        4,
        "parts[0].name",
        "is 'hub.a'; expected a name as text without a dot",
    ),
    "bad syntax": (HEAD + "gravity = [0, 0\n" + HUB, 4, "", "invalid TOML"),
    "key given twice": (HEAD + 'name = "b"\n', 3, "", "invalid TOML"),
    "unknown body by name": (
        HEAD + '[[parts]]\nname = "a"\nbody = "bom"\njoint = "free"\n',
        5,
        "parts[0].body",
        "is 'bom', but there is no such body; there are none yet",
    ),
    "unknown kind of body": (
        HEAD + HUB.replace('"box"', '"boxx"'),
        5,
        "parts[0].body.kind",
        "is 'boxx'; did you mean 'box'?",
    ),
    "body without a kind": (
        HEAD + HUB.replace('kind = "box", ', ""),
        5,
        "parts[0].body.kind",
        "is missing; expected one of 'rigid', 'box'",
    ),
    "unknown material": (
        HEAD + '[bodies.b]\nkind = "beam"\nlength = 1\nmaterial = "aluminum"\n'
        'section = { kind = "circle", radius = 0.1 }\n' + HUB,
        3,
        "bodies.b",
        "there is no material 'aluminum'; did you mean 'aluminium'?",
    ),
    "three planes of bending": (
        HEAD + '[bodies.b]\nkind = "beam"\nlength = 1\nmaterial = "steel"\nbending = [1, 2, 3]\n'
        'section = { kind = "circle", radius = 0.1 }\n' + HUB,
        7,
        "bodies.b.bending",
        "expected a whole number from 0 to 100, or a list of two",
    ),
    "unknown shapes": (
        HEAD + '[bodies.b]\nkind = "beam"\nlength = 1\nmaterial = "steel"\nshapes = "statik"\n'
        'section = { kind = "circle", radius = 0.1 }\n' + HUB,
        7,
        "bodies.b.shapes",
        "did you mean 'static'?",
    ),
    "modes and torsion": (
        HEAD + '[bodies.b]\nkind = "beam"\nlength = 1\nmaterial = "steel"\nmodes = 2\ntorsion = 1\n'
        'section = { kind = "circle", radius = 0.1 }\n' + HUB,
        3,
        "bodies.b",
        "modes=2 and torsion=1 both say how many shapes the beam has",
    ),
    "impossible inertia": (
        HEAD + '[[parts]]\nname = "a"\njoint = "free"\nbody = { kind = "rigid", mass = 1, '
        "inertia = [1, 1, 5] }\n",
        6,
        "parts[0].body",
        "the inertia is not physical",
    ),
    "matrix that is no rotation": (
        HEAD + HUB + "rotation = [[1, 0, 0], [0, 2, 0], [0, 0, 1]]\n",
        3,
        "parts[0]",
        "rotation is not a rotation matrix",
    ),
    "rotation of two kinds": (
        HEAD + HUB + 'rotation = { rpy = [0, 0, 0], axis = "z" }\n',
        7,
        "parts[0].rotation",
        "has the keys 'rpy', 'axis'; expected",
    ),
    "cycle": (
        HEAD + HUB + ARM.replace('"hub"', '"arm"'),
        7,
        "parts[1]",
        "carry each other in a cycle",
    ),
    "joint that moves nothing": (
        HEAD + HUB.replace("mass = 4", "mass = 0"),
        3,
        "parts[0]",
        "has a motion that moves no inertia",
    ),
    "loop of one body": (
        HEAD + HUB + '[[loops]]\nname = "l"\njoint = "spherical"\na = "hub"\nb = "hub"\n',
        7,
        "loops[0]",
        "connects body 'hub' to itself",
    ),
    "loop at nothing": (
        HEAD + HUB + '[[loops]]\nname = "l"\njoint = "spherical"\na = "hub"\nb = "nub"\n',
        11,
        "loops[0].b",
        "is 'nub', but there is no such body; did you mean 'hub'?",
    ),
    "repeat without a number in the name": (
        HEAD + HUB + "repeat = 3\n",
        4,
        "parts[0].name",
        "needs {i} in its name",
    ),
    "too many copies": (
        HEAD + HUB + "repeat = 1000000\n",
        7,
        "parts[0].repeat",
        "is 1000000; expected a whole number from 1 to 10000",
    ),
    "include of nothing": (
        'include = ["nothing.toml"]\n' + HEAD + HUB,
        1,
        "include[0]",
        "cannot be included",
    ),
    "no parts": (HEAD, 1, "", "has no parts"),
    "table for a list": (HEAD + "[parts]\nname = 3\n", 3, "parts", "is a table; expected a list"),
    "length for a time": (
        HEAD + HUB + RUN.replace("= 1", '= "1 m"'),
        8,
        "simulation.duration",
        "is '1 m', which is a length; expected a time [s]",
    ),
    "unknown name in the state": (
        HEAD + HUB + ARM + RUN + "[simulation.state]\narn = 1\n",
        15,
        "simulation.state.arn",
        "did you mean 'arm'?",
    ),
    "length for the angle of a joint": (
        HEAD + HUB + ARM + RUN + '[simulation.state]\narm = "3 mm"\n',
        15,
        "simulation.state.arm",
        "does not fit a revolute joint; expected angle [rad]",
    ),
    "unknown load": (
        HEAD + HUB + RUN + '[[simulation.loads]]\nkind = "joint_sprin"\n',
        10,
        "simulation.loads[0].kind",
        "is 'joint_sprin'; did you mean 'joint_spring'?",
    ),
    "load on no joint": (
        HEAD + HUB + ARM + RUN + '[[simulation.loads]]\nkind = "joint_damper"\njoint = "arn"\n'
        "damping = 1\n",
        16,
        "simulation.loads[0].joint",
        "did you mean 'arm'?",
    ),
    "force for a torque": (
        HEAD + HUB + ARM + RUN + '[[simulation.loads]]\nkind = "actuator"\njoint = "arm"\n'
        'force = "3 kN"\n',
        17,
        "simulation.loads[0].force",
        "does not fit a revolute joint; expected torque [N m]",
    ),
    "force for a torque in a table": (
        HEAD + HUB + ARM + RUN + '[[simulation.loads]]\nkind = "actuator"\njoint = "arm"\n'
        'force = { times = [0, 2], values = [0, "1 kN"] }\n',
        17,
        "simulation.loads[0].force",
        "does not fit a revolute joint; expected torque [N m]",
    ),
    "table that does not ascend": (
        HEAD + HUB + ARM + RUN + '[[simulation.loads]]\nkind = "actuator"\njoint = "arm"\n'
        "force = { times = [0, 2, 1], values = [0, 1, 2] }\n",
        14,
        "simulation.loads[0]",
        "times must ascend",
    ),
    "unknown integrator": (
        HEAD + HUB + RUN + 'integrator = "rk5"\n',
        9,
        "simulation.integrator",
        "did you mean 'rk4'?",
    ),
    "switch of no load": (
        HEAD + HUB + ARM + RUN + '[[simulation.events]]\nwhen = "arm"\n'
        'action = { kind = "switch", load = "motor" }\n',
        14,
        "simulation.events[0]",
        "there is no load 'motor'",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_at_its_line_and_key(tmp_path, name):
    text, line, key, words = MISTAKES[name]
    path = tmp_path / "arm.toml"
    path.write_text(text)
    problems = ls.check_file(path)
    assert [(x.file, x.line, x.key) for x in problems] == [(str(path), line, key)], problems
    assert words in problems[0].message
    assert str(problems[0]).startswith(f"{path}:{line}:")
    if "simulation" not in text and name not in ("cycle", "joint that moves nothing", "no parts"):
        with pytest.raises(ls.ModelFileError, match=f"arm.toml:{line}:") as error:
            ls.load(path)
        assert error.value.problems == problems
    else:
        with pytest.raises(ls.ModelFileError, match=f"arm.toml:{line}:"):
            ls.load_run(path)


def test_a_sound_file_has_no_problems(tmp_path):
    (tmp_path / "arm.toml").write_text(HEAD + HUB + ARM + RUN)
    assert ls.check_file(tmp_path / "arm.toml") == []


def test_all_problems_come_at_once(tmp_path):
    text = (
        HEAD + HUB.replace("mass = 4", "mass = -4") + "too = 3\n" + ARM.replace("revolute", "rev")
    )
    (tmp_path / "a.toml").write_text(text)
    found = [(x.line, x.key) for x in ls.check_file(tmp_path / "a.toml")]
    assert found == [(5, "parts[0].body.mass"), (7, "parts[0].too"), (11, "parts[1].joint")]


def test_problems_of_building_come_together_too(tmp_path):
    text = HEAD + HUB + HUB + ARM.replace('"hub"', '"hup"').replace("4, size", "1, com = [1, 1]")
    (tmp_path / "a.toml").write_text(HEAD + HUB + HUB + ARM.replace('"hub"', '"hup"'))
    found = [(x.line, x.key) for x in ls.check_file(tmp_path / "a.toml")]
    assert found == [(7, "parts[1]"), (15, "parts[2].to")]
    assert "com" in text


IN_JSON = """{
  "lissom": 1,
  "parts": [
    {
      "name": "hub",
      "joint": "free",
      "body": {"kind": "box",
               "mass": "3 m", "size": [1, 1, 1]}
    }
  ]
}
"""
IN_YAML = """lissom: 1
parts:
  - name: hub
    joint: free
    body:
      kind: box
      size: [1, 1, 1]
      mass: 3 m
"""


@pytest.mark.parametrize(
    ("suffix", "text", "line", "column"), [("json", IN_JSON, 8, 16), ("yaml", IN_YAML, 8, 7)]
)
def test_json_and_yaml_have_lines_too(tmp_path, suffix, text, line, column):
    path = tmp_path / f"a.{suffix}"
    path.write_text(text)
    [problem] = ls.check_file(path)
    assert (problem.line, problem.column) == (line, column)
    assert problem.key == "parts[0].body.mass"
    assert problem.message == "is '3 m', which is a length; expected a mass [kg]"


@pytest.mark.parametrize(
    ("suffix", "text", "line", "words"),
    [
        ("json", '{"lissom": 1,\n "parts": [}', 2, "invalid JSON"),
        ("json", '{"lissom": 1,\n "lissom": 1}', 1, "the key 'lissom' is given twice"),
        ("json", "[1, 2]", 1, "the content is not a table"),
        ("yaml", "lissom: 1\nparts: [\n", 3, "invalid YAML"),
        ("yaml", "lissom: 1\nlissom: 1\n", 2, "the key 'lissom' is given twice"),
        ("yaml", "lissom: 1\nx: &a [1]\n", 2, "anchors and aliases"),
        ("yaml", "lissom: 1\nx: !!python/object:os.system 1\n", 2, "the tag"),
        ("toml", "a = [\n", 2, "invalid TOML"),
        ("toml", "lissom = 1\na = " + "9" * 5000, 1, "invalid TOML"),
    ],
)
def test_syntax_is_told_with_its_line(tmp_path, suffix, text, line, words):
    path = tmp_path / f"a.{suffix}"
    path.write_text(text)
    [problem] = ls.check_file(path)
    assert problem.line == line
    assert words in problem.message


def test_files_that_are_no_model_files(tmp_path):
    assert "there is no such file" in ls.check_file(tmp_path / "a.toml")[0].message
    (tmp_path / "arm.toml").write_text(HEAD + HUB)
    assert "did you mean 'arm.toml'?" in ls.check_file(tmp_path / "arn.toml")[0].message
    assert "suffix '.txt' is not a known format" in ls.check_file(tmp_path / "a.txt")[0].message
    (tmp_path / "b.toml").write_bytes(b"lissom = 1\nname = '\xff'")
    [problem] = ls.check_file(tmp_path / "b.toml")
    assert (problem.line, problem.message) == (2, "not UTF-8 text; save the file as UTF-8")
    (tmp_path / "dir.toml").mkdir()
    assert "cannot be read" in ls.check_file(tmp_path / "dir.toml")[0].message
    for wrong in (3, None, b"a.toml", ["a"]):
        with pytest.raises(ls.LissomError):
            ls.check_file(wrong)


@pytest.mark.parametrize("suffix", ["toml", "json", "yaml"])
def test_deep_nesting_is_refused(tmp_path, suffix):
    sign = {"toml": "=", "json": ":", "yaml": ":"}[suffix]
    deep = "[" * 3000 + "]" * 3000
    text = f'"a" {sign} {deep}'.replace('"a" :', "a:") if suffix == "yaml" else f'"a" {sign} {deep}'
    (tmp_path / f"a.{suffix}").write_text("{" + text + "}" if suffix == "json" else text)
    [problem] = ls.check_file(tmp_path / f"a.{suffix}")
    assert "nested more than 40 levels" in problem.message
    moderate = text.replace(deep, "[" * 60 + "]" * 60)
    (tmp_path / f"a.{suffix}").write_text("{" + moderate + "}" if suffix == "json" else moderate)
    assert "nested more than 40 levels" in ls.check_file(tmp_path / f"a.{suffix}")[0].message


def test_dotted_keys_of_many_parts_are_refused_at_once(tmp_path):
    path = tmp_path / "a.toml"
    for deep in (
        "a." * 900_000 + "a = 1",
        "[" + "a . " * 900_000 + "a]",
        "x = {" + "a." * 99 + "b=1}",
    ):
        path.write_text("lissom = 1\n" + deep)
        [problem] = ls.check_file(path)
        assert (problem.line, "nested more than 40" in problem.message) == (2, True)
    path.write_text(HEAD + "# " + "." * 80 + "\n" + HUB + "at = [1.0, 2.0, 3.0] # " + ". " * 50)
    assert ls.check_file(path) == []


def test_large_files_are_refused(tmp_path):
    (tmp_path / "a.toml").write_text("#" * 4_000_001)
    assert "larger than 4 MB" in ls.check_file(tmp_path / "a.toml")[0].message


def test_many_aliases_do_not_grow(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 12)]
    (tmp_path / "a.yaml").write_text("\n".join(lines))
    assert "anchors and aliases" in ls.check_file(tmp_path / "a.yaml")[0].message


def test_too_many_parts_in_all_are_refused(tmp_path):
    row = HUB.replace("hub", "hub{i}") + "repeat = 10000\n"
    other = row.replace("hub", "bub")
    (tmp_path / "a.toml").write_text(HEAD + row + other)
    assert "more than 10000 parts" in ls.check_file(tmp_path / "a.toml")[0].message


def test_thousands_of_unknown_names_are_answered_soon(tmp_path):
    import time

    start = time.perf_counter()
    row = HUB.replace("hub", "hub{i}") + 'to = "x{i}"\nrepeat = 9000\n'
    (tmp_path / "a.toml").write_text(HEAD + row)
    [problem] = ls.check_file(tmp_path / "a.toml")  # one for all copies
    assert (problem.line, problem.key) == (7, "parts[0].to")
    assert "first = {to = ...}" in problem.message
    many = [ARM.replace('"arm"', f'"a{k}"').replace('"hub"', f'"x{k}"') for k in range(1000)]
    (tmp_path / "a.toml").write_text(HEAD + "".join(many))
    assert len(ls.check_file(tmp_path / "a.toml")) == 1000
    assert time.perf_counter() - start < 30


def test_circles_of_includes_are_refused(tmp_path):
    (tmp_path / "a.toml").write_text('include = ["b.toml"]\n' + HEAD + HUB)
    (tmp_path / "b.toml").write_text('lissom = 1\ninclude = ["a.toml"]\n')
    [problem] = ls.check_file(tmp_path / "a.toml")
    assert (problem.file, problem.line) == (str(tmp_path / "b.toml"), 2)
    assert "includes this file again; remove one" in problem.message


ARRAYS = """
lissom = 1
[[parts]]
name = "boom"
joint = "free"
body = { kind = "flexible", arrays = "boom.npz" }
"""


def test_files_of_arrays_are_not_trusted(tmp_path):
    path, arrays = tmp_path / "a.toml", tmp_path / "boom.npz"
    path.write_text(ARRAYS)
    assert "there is no file" in ls.check_file(path)[0].message
    arrays.write_bytes(b"nothing")
    assert "is not an array file" in ls.check_file(path)[0].message
    np.savez(arrays, positions=np.zeros((2, 3)), masses=np.ones(2))
    assert "shapes is missing" in ls.check_file(path)[0].message
    np.savez(arrays, positions=np.array([{"a": 1}], dtype=object))
    assert "cannot be read" in ls.check_file(path)[0].message
    _claim(arrays, (10**12, 3))
    assert "shorter than its header says" in ls.check_file(path)[0].message


def _claim(path, shape):
    """File of arrays whose header promises more than there is."""
    import io
    import zipfile

    member = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(member, header)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("positions.npy", member.getvalue())


def test_check_runs_no_program_unless_asked(tmp_path):
    (tmp_path / "own.py").write_text('open(__file__ + ".ran", "w")\ndef f(t): return 1.0\n')
    load = '[[simulation.loads]]\nkind = "actuator"\njoint = "arm"\n'
    text = HEAD + HUB + ARM + RUN + load + 'force = { function = "own.py:f" }\n'
    (tmp_path / "a.toml").write_text(text)
    assert ls.check_file(tmp_path / "a.toml") == []
    ls.load(tmp_path / "a.toml")
    assert not (tmp_path / "own.py.ran").exists()
    assert ls.check_file(tmp_path / "a.toml", functions=True) == []
    assert (tmp_path / "own.py.ran").exists()
    (tmp_path / "a.toml").write_text(text.replace("own.py:f", "own.py:g"))
    [problem] = ls.check_file(tmp_path / "a.toml", functions=True)
    assert problem.key == "simulation.loads[0].force"
    assert "has no function 'g'" in problem.message
    (tmp_path / "own.py").write_text("1 / 0")
    [problem] = ls.check_file(tmp_path / "a.toml", functions=True)
    assert "ZeroDivisionError" in problem.message


def test_a_problem_can_be_sorted_and_printed():
    from lissom.io.model_file.problems import Problem

    problem = Problem("a.toml", 3, 1, "parts[0].mass", "is missing")
    assert str(problem) == "a.toml:3:1: parts[0].mass: is missing"
    assert json.dumps(str(problem))
