"""The most likely mistakes at the command line: what is said, and the exit code.

Every message names the part, the value found, what was expected or what to do; the table below is
the one place where their wording is held.
"""

from __future__ import annotations

import errno
import json
import sys
from http.server import ThreadingHTTPServer

import pytest

import lissom.cli as cli
from lissom.cli.new import TEXT

GOOD = TEXT.format(name="good.toml", stem="good")
LOAD = '{ kind = "sphere", mass = "2 kg", radius = "8 cm" }'
PENDULUM = """import lissom as ls
model = ls.Model("swing", gravity=(0, 0, -9.81))
model.add(ls.RigidBody.rod(1.0, 1.0), ls.Revolute("y"), name="rod")
"""
LINKS = """lissom = 1
[[parts]]
name = "crank"
body = { kind = "rod", mass = 1, length = 1 }
joint = "revolute y"
[[loops]]
name = "pin"
joint = "spherical"
a = "crank"
at_b = [5, 0, 0]
"""
URDF = """<robot name="r">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <mass value="1"/><inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="j" type="continuous">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""


def changed(before: str, after: str) -> str:
    """The starter model with one thing changed."""
    assert GOOD.count(before) == 1, before
    return GOOD.replace(before, after)


FILES = {
    "good.toml": GOOD,
    "good.txt": GOOD,
    "empty.toml": "",
    "novalue.toml": changed("modes = 4", "modes ="),
    "quote.toml": changed('"3 m"', '"3 m'),
    "bare.toml": changed('"3 m"', "3 m"),
    "twice.toml": changed("modes = 4", "modes = 4\nmodes = 5"),
    "key.toml": changed("modes = 4", "mods = 4"),
    "missing.toml": changed('length = "3 m"\n', ""),
    "unit.toml": changed('"3 m"', '"3 kg"'),
    "text.toml": changed('"3 m"', '"three"'),
    "whole.toml": changed("modes = 4", 'modes = "four"'),
    "to.toml": changed("boom.tip", "bom.tip"),
    "node.toml": changed("boom.tip", "boom.tipp"),
    "duplicate.toml": changed('name = "load"', 'name = "boom"'),
    "mass.toml": changed("2 kg", "-2 kg"),
    "inertia.toml": changed(LOAD, '{ kind = "rigid", mass = 2, inertia = [1, 1, 5] }'),
    "axis.toml": changed('"revolute y"', '{ kind = "revolute", axis = [0, 0, 0] }'),
    "joint.toml": changed("revolute y", "revolut y"),
    "material.toml": changed("aluminium", "aluminum"),
    "version.toml": changed("lissom = 2 ", "# lissom = 2 "),
    "norun.toml": GOOD.partition("[simulation]")[0],
    "negative.toml": changed('"5 s"', "-5"),
    "integrator.toml": changed("[simulation]", '[simulation]\nintegrator = "rk5"'),
    "state.toml": changed('boom = "-20', 'bom = "-20'),
    "wild.toml": changed(
        'output_step = "10 ms"', 'integrator = "rk4"\nstep = 0.5\noutput_step = 0.5'
    ),
    "steps.toml": changed("[simulation]", '[simulation]\nintegrator = "rk4"\nstep = 0.5'),
    "nostep.toml": changed("[simulation]", '[simulation]\nintegrator = "rk4"'),
    "failing.toml": changed(
        "[simulation]", '[simulation]\nforces = { function = "late.py:torque" }'
    ),
    "late.py": "def torque(time, state):\n    return [0] * 5 if time < 0.1 else 1 / 0\n",
    "loop.toml": LINKS,
    "fake.nc": "hello",
    "unfinished.toml": GOOD,
    "unfinished.nc.part": "hello",
    "swing.py": PENDULUM,
    "nothing.py": "x = 1\n",
    "raises.py": "import lissom as ls\nmodel = ls.Model()\nhalf = 1 / 0\n",
    "negative.py": PENDULUM.replace("rod(1.0", "rod(-1.0"),
    "dtd.urdf": '<!DOCTYPE robot [<!ENTITY a "x">]>\n' + URDF,
    "inertia.urdf": URDF,
    "model.yaml": "lissom: 1\n",
}

# Name: words after "lissom", exit code, what is said. Words in one list must all be there.
MISTAKES: dict[str, tuple[str, int, tuple[str, ...]]] = {
    # Words of the command line
    "misspelt command": ("rnu good.toml", 2, ("no command 'rnu'; did you mean 'run'?",)),
    "a file for a command": ("good.toml", 2, ("no command 'good.toml'; known: 'demo', 'new'",)),
    "misspelt option": (
        "run good.toml --duraton 3",
        2,
        ("there is no option --duraton; did you mean '--duration'?", "usage: lissom run [OPTIONS]"),
    ),
    "no model": ("run", 2, ("MODEL is missing; expected: Model file, URDF file, FILE.py:NAME",)),
    "no model and no --env": ("info", 2, ("give a MODEL, or --env for versions",)),
    "a word too many": ("run good.toml too", 2, ("unexpected argument 'too'; omit it",)),
    "option without a value": ("run good.toml --duration", 2, ("--duration needs a value",)),
    "duration in words": (
        "run good.toml --duration two",
        2,
        ("--duration is 'two'; expected a time [s], such as 0.5 or \"500 ms\"",),
    ),
    "duration in kilograms": (
        "run good.toml --duration 2kg",
        2,
        ("--duration is '2kg', which is a mass; expected a time [s]",),
    ),
    "negative duration": (
        "run good.toml --duration -3",
        1,
        ("duration is -3.0; expected a positive time [s]",),
    ),
    "unknown choice": (
        "equations swing.py --format julia",
        2,
        ("--format is 'julia'; known: 'latex', 'python', 'c', 'casadi', 'matlab'.",),
    ),
    "measurements": (
        "bench --quick",
        2,
        ("there is no command 'bench'; measurements are in the repository: make bench\nusage:",),
    ),
    "factor in words": ("view good.nc --scale big", 2, ("--scale is 'big'; expected a number",)),
    "unknown demo": ("demo armm", 1, ("there is no demo 'armm'; did you mean 'arm'?",)),
    # Files
    "file that does not exist": (
        "run god.toml",
        1,
        ("lissom: god.toml: there is no such file; did you mean 'good.toml'?",),
    ),
    "folder": ("run folder", 1, ("folder is a folder; give a model file in it",)),
    "another suffix": (
        "run good.txt",
        1,
        ("'good.txt': the suffix '.txt' is not that of a model;", "ends in .py, .toml, .json"),
    ),
    "results where a model is needed": (
        "run good.nc",
        1,
        ("good.nc is a results file, not a model; use lissom plot or view",),
    ),
    "new over an existing file": (
        "new good.toml",
        1,
        ("good.toml: already exists; give another name, or --force",),
    ),
    "new with another suffix": ("new a.json", 1, ("a.json: give a name that ends in .toml",)),
    "new in a folder that does not exist": (
        "new nowhere/a.toml",
        1,
        ("cannot write nowhere/a.toml: its folder does not exist; create the folder",),
    ),
    # What a model file says
    "empty file": (
        "run empty.toml",
        1,
        ("empty.toml:1:1: lissom: is missing; write lissom = 2 at the top",),
    ),
    "no format version": (
        "run version.toml",
        1,
        ("version.toml:1:1: lissom: is missing; write lissom = 2 at the top",),
    ),
    "no value": (
        "run novalue.toml",
        1,
        ("novalue.toml:15:8: invalid TOML: Invalid value; write a number, true, false",),
    ),
    "no closing quote": (
        "run quote.toml",
        1,
        ("quote.toml:12:14: invalid TOML", "a string has no closing quote"),
    ),
    "unit without quotes": (
        "run bare.toml",
        1,
        ("bare.toml:12:12: invalid TOML", 'numbers with a unit, need quotes: "3 m"'),
    ),
    "key given twice": (
        "run twice.toml",
        1,
        ("twice.toml:16:10: invalid TOML", "the key is given twice, remove one"),
    ),
    "misspelt key": (
        "run key.toml",
        1,
        (
            "key.toml:15:1: bodies.boom.mods: unknown key; did you mean 'modes'?\n"
            "    15 | mods = 4\n         ^\n1 problem\n",
        ),
    ),
    "missing key": ("run missing.toml", 1, ("missing.toml:10:1: bodies.boom.length: is missing",)),
    "wrong unit": (
        "run unit.toml",
        1,
        ("unit.toml:12:1: bodies.boom.length: is '3 kg', which is a mass; expected a length [m]",),
    ),
    "number in words": (
        "run text.toml",
        1,
        ("text.toml:12:1: bodies.boom.length: is 'three'; expected a length [m], such as 0.5",),
    ),
    "count in words": (
        "run whole.toml",
        1,
        ("whole.toml:15:1: bodies.boom.modes: is 'four'; expected a whole number from 1 to 200",),
    ),
    "unknown body": (
        "run to.toml",
        1,
        ("to.toml:26:1: parts[1].to: is 'bom', but there is no such body; did you mean 'boom'?",),
    ),
    "unknown node": (
        "run node.toml",
        1,
        ("node.toml:26:1: parts[1].to: body 'load' is attached to node 'tipp' of body 'boom'",),
    ),
    "name given twice": (
        "run duplicate.toml",
        1,
        ("duplicate.toml:22:1: parts[1]: there is a body 'boom' already; names must be unique",),
    ),
    "negative mass": (
        "run mass.toml",
        1,
        ("mass.toml:24:27: parts[1].body.mass: is '-2 kg'; it must not be negative",),
    ),
    "inertia of no body": (
        "run inertia.toml",
        1,
        ("inertia.toml:24:1: parts[1].body:", "(1, 1, 5) violate the triangle inequality"),
    ),
    "axis of zeros": (
        "run axis.toml",
        1,
        ("axis.toml:20:30: parts[0].joint.axis: is zero; give a direction",),
    ),
    "unknown joint": (
        "run joint.toml",
        1,
        ("joint.toml:20:1: parts[0].joint: is 'revolut'; did you mean 'revolute'?",),
    ),
    "unknown material": (
        "run material.toml",
        1,
        ("there is no material 'aluminum'; did you mean 'aluminium'?",),
    ),
    "loop that cannot be closed": (
        "check loop.toml",
        1,
        ("the loops cannot be closed: loop 'pin' stays open by 5 m", "check `at_a`, `at_b`"),
    ),
    # Simulations
    "no simulation in the file": (
        "run norun.toml",
        2,
        ("norun.toml has no duration; give --duration 5, or", "[simulation]"),
    ),
    "negative duration in the file": (
        "run negative.toml",
        1,
        ("negative.toml:29:1: simulation.duration: is -5; it must be positive",),
    ),
    "unknown integrator": (
        "run integrator.toml",
        1,
        ("integrator.toml:29:1: simulation.integrator: there is no integrator 'rk5'", "'rk4'?"),
    ),
    "start of an unknown body": (
        "run state.toml",
        1,
        ("state.toml:33:1: simulation.state.bom: there is no body 'bom'; did you mean 'boom'?",),
    ),
    "steps that do not fit": (
        "check steps.toml",
        1,
        ("output_step is 0.01 s; with a fixed step of 0.5 s it must be a multiple of that, such",),
    ),
    "no step where one is needed": (
        "check nostep.toml",
        1,
        ("RK4 needs a fixed step; give step= in seconds",),
    ),
    "run that blows up": (
        "run wild.toml",
        1,
        (
            "the run ended early (diverged): mode 1 of body 'boom' bends by 409 times the length "
            "of the body; its model holds for small deflections only; look for an instability "
            "(too much spin or load), or the step of 0.5 s may be too long; try a shorter one at "
            "t = 0.5 s; its 2 rows until t = 0.5 s are in wild.nc",
        ),
    ),
    "function that fails": (
        "run failing.toml",
        1,
        (
            "the run ended early (failed): forces raised ZeroDivisionError: division by zero at t",
            "s are in failing.nc.part; continue with: lissom run failing.toml --resume",
        ),
    ),
    "nothing to resume": (
        "run good.toml --resume",
        1,
        ("--resume: there is no good.nc.part to continue; omit --resume",),
    ),
    "a run that did not end is there": (
        "run unfinished.toml",
        1,
        ("unfinished.nc.part is from an unfinished run; continue it with --resume, or delete",),
    ),
    # Results
    "unknown format of results": (
        "run good.toml -o good.xyz",
        1,
        ("--output good.xyz: use the suffix .nc, .npz, .csv or .mat",),
    ),
    "results into a folder that does not exist": (
        "run good.toml -o nowhere/good.nc",
        1,
        ("cannot write nowhere/good.nc.part: its folder does not exist; create the folder",),
    ),
    "results below a file": (
        "run good.toml -o good.txt/good.nc",
        1,
        ("cannot write good.txt/good.nc.part: part of the path is a file, not a folder;",),
    ),
    "page into a file": ("demo arm -o good.txt", 1, ("cannot write good.txt: part of the path",)),
    "file that has no results": (
        "plot fake.nc",
        1,
        ("fake.nc is not a results file of lissom; give a .nc, .nc.part or .npz file",),
    ),
    "results that do not exist": (
        "plot god.nc",
        1,
        ("god.nc: there is no such file; did you mean 'good.nc'?",),
    ),
    "model where results are needed": (
        "view good.toml",
        1,
        ("good.toml: contains a model, not results; run it first: lissom run good.toml",),
    ),
    "unknown quantity": (
        "plot good.nc boom.angel",
        1,
        ("body 'boom' has no 'angel'; did you mean 'angle'?",),
    ),
    "quantity of an unknown body": (
        "plot good.nc bom.angle",
        1,
        ("there is no body 'bom'; did you mean 'boom'?",),
    ),
    "unknown format of a plot": (
        "plot good.nc -o good.xyz",
        1,
        ("cannot draw good.xyz: the suffix '.xyz' is not a known format; use one of .png, .svg",),
    ),
    "page that is no page": (
        "view good.nc -o a.png",
        1,
        ("--output is a.png; expected NAME.html or NAME.gif", "films are saved from the page"),
    ),
    # Python files and robots
    "Python file without a model": (
        "info nothing.py",
        1,
        ("nothing.py has neither a Model nor a function; add one, such as model = lissom.Model()",),
    ),
    "Python file that raises": (
        "info raises.py",
        1,
        ("raises.py, line 3: ZeroDivisionError: division by zero",),
    ),
    "Python file with a wrong model": ("info negative.py", 1, ("negative.py, line 3: ", "-1")),
    "name that a Python file has not": (
        "info swing.py:modl",
        1,
        ("swing.py has no 'modl'; did you mean 'model'?",),
    ),
    "module that does not exist": (
        "info swimg:model",
        1,
        ("there is neither a file nor a module 'swimg'; write file.py, file.py:name, module:name",),
    ),
    "Python model without a duration": (
        "run swing.py",
        2,
        ("swing.py has no duration; give --duration 5",),
    ),
    "URDF that does not exist": (
        "info inertai.urdf",
        1,
        ("inertai.urdf: there is no such file; did you mean 'inertia.urdf'?",),
    ),
    "URDF with entities": ("info dtd.urdf", 1, ("dtd.urdf:", "for safety; remove them")),
    "URDF with an inertia of no body": (
        "info inertia.urdf",
        1,
        ('inertia.urdf:3: <link name="arm">', "triangle inequality", "correct its <inertial>"),
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files as beginners have them, and results of a short run."""
    made = tmp_path_factory.mktemp("mistakes")
    (made / "folder").mkdir()
    for name, text in FILES.items():
        (made / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        with pytest.raises(SystemExit) as end:
            cli.main(["run", "good.toml", "--duration", "0.05", "--quiet"])
    assert end.value.code == 0
    return made


@pytest.fixture
def lissom(folder, monkeypatch, capsys):
    """Exit code, standard output and standard error of a command."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("LISSOM_DEBUG", raising=False)

    def call(*words):
        with pytest.raises(SystemExit) as end:
            cli.main(list(words))
        return end.value.code, *capsys.readouterr()

    return call


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_by_a_sentence_and_an_exit_code(name, lissom):
    words, expected, sentences = MISTAKES[name]
    code, out, err = lissom(*words.split())
    assert code == expected, (out, err)
    said = " ".join((out + err).split()) if words.startswith("check") else err  # problems: broken
    for sentence in sentences:
        assert sentence in said, said
    assert "Traceback" not in out + err and "internal" not in err


def test_there_are_more_than_thirty():
    assert len(MISTAKES) > 30


def test_what_a_run_had_is_kept(lissom, folder):
    import lissom as ls

    lissom("run", "wild.toml", "-o", "kept.nc")
    assert ls.load(folder / "kept.nc").time.tolist() == [0.0, 0.5]


def test_yaml_without_its_package(lissom, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    code, _, err = lissom("run", "model.yaml")
    assert code == 1
    assert err == "lissom: model.yaml: YAML needs PyYAML: pip install lissom[yaml]\n"


def test_folder_that_may_not_be_written(lissom, monkeypatch):
    def refuse(self, *_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.write_text", refuse)
    code, _, err = lissom("new", "other.toml")
    assert code == 1
    assert "cannot write other.toml: permission denied; change the permissions or choose" in err


def test_port_that_cannot_be_opened(lissom, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EADDRINUSE, "Address already in use")

    monkeypatch.setattr(ThreadingHTTPServer, "server_bind", refuse)
    code, _, err = lissom("view", "good.nc")
    assert code == 1
    assert "cannot open a port on 127.0.0.1" in err and "Address already in use" in err


def test_no_browser(lissom, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda _: False)
    monkeypatch.setattr("lissom.viz.view.server.View.wait", lambda self: self.close())
    code, out, err = lissom("view", "good.nc")
    assert code == 0 and "the page is at http://127.0.0.1:" in out
    assert err.startswith("lissom: no browser was found; open http://127.0.0.1:")


# --debug


@pytest.mark.parametrize("words", [("--debug", "info", "raises.py"), ("info", "raises.py")])
def test_debug_shows_the_traceback_of_a_mistake(lissom, monkeypatch, words):
    if "--debug" not in words:
        monkeypatch.setenv("LISSOM_DEBUG", "1")
    code, _, err = lissom(*words)
    assert code == 1 and err.startswith("Traceback")
    assert 'File "raises.py", line 3' in err  # of the user's program too
    assert err.endswith("lissom: raises.py, line 3: ZeroDivisionError: division by zero\n")


def test_debug_may_stand_after_the_command(lissom):
    code, _, err = lissom("info", "--debug", "god.toml")
    assert code == 1 and "Traceback" in err and "did you mean 'good.toml'?" in err


def test_a_mistake_in_lissom_asks_for_a_report(lissom, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("this cannot happen")

    monkeypatch.setattr("lissom.cli.texts.tree_text", fail)
    code, out, err = lissom("info", "good.toml")
    assert (code, out) == (3, "")
    assert err.startswith("lissom: internal error: RuntimeError: this cannot happen\n")
    assert "lissom info --env" in err and "--debug" in err and "Traceback" not in err
    assert "Traceback" in lissom("info", "good.toml", "--debug")[2]


# --json


@pytest.mark.parametrize("name", ["misspelt option", "misspelt key", "unknown demo", "folder"])
def test_a_mistake_is_json_on_request(lissom, name):
    words, expected, sentences = MISTAKES[name]
    code, out, _ = lissom(*words.split(), "--json")
    error = json.loads(out)["error"]
    assert code == error["exit_code"] == expected
    assert sentences[0].partition("\n")[0] in error["message"]
    if name == "misspelt key":
        assert [x["line"] for x in error["problems"]] == [15]
