"""Examples that count their lines beside those of a detour: the counts, and its results."""

import ast
import io
import tempfile
import tokenize
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from tests.samples.urdf_files import robot_file

EXAMPLES = Path(__file__).parents[2] / "examples"
FIGURE = """
import matplotlib.pyplot as plt
from scipy.spatial.transform import Rotation
k, d = 2e5, 2e-3 * 2e5
twist, rate = run["elbow.angle"], run["elbow.rates"][:, 0]
turned = Rotation.from_quat(run["base.quaternion"][:, [1, 2, 3, 0]]).as_euler("ZYX", degrees=True)
reaction = run["yaw_rotor.reaction_world"]
panels = {
    "attitude [deg]": (turned[:, ::-1], "roll pitch yaw"),
    "moment on the base [N m]": (reaction[:, :3], "x y z"),
    "force on the base [N]": (reaction[:, 3:], "x y z"),
    "elbow [deg]": (np.degrees(run["elbow_rotor.angle"] + twist), ""),
    "gear torque [N m]": (-k * twist - d * rate, ""),
    "deflection [mm]": (1e3 * run["elbow.tip.deflection"], "x y z"),
}
figure, axes = plt.subplots(6, 1, figsize=(8, 12), sharex=True, layout="constrained")
for where, (label, (values, names)) in zip(axes, panels.items(), strict=True):
    where.plot(run.time, values, label=names.split() or None)
    where.set_ylabel(label)
    if names:
        where.legend()
axes[-1].set_xlabel("time [s]")
"""
READING = """
import re
def drawable(urdf):
    text = re.sub(r"visual/(\\w+)\\.dae", r"collision/\\1.stl", urdf.read_text())
    copy = Path(tempfile.mkdtemp()) / urdf.name
    copy.write_text(text)
    return copy
panda, ur5 = (
    ls.read_urdf(
        drawable(file), packages={"example-robot-data": data}, merge_fixed=True, mimics="free"
    )
    for file in files
)
"""


def code_lines(text):
    """Number of lines without empty ones, comments and docstrings."""
    words = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            words |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    empty = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    found = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (*empty, tokenize.ENDMARKER):
            found |= set(range(token.start[0], token.end[0] + 1))
    return len(found - words)


def part(text, start, end):
    """Code of an example from one line to another."""
    first = text.index(start)
    return text[first : text.index(end, first)]


def row(text, name):
    """Cells of a row of its table."""
    (line,) = (x for x in text.splitlines() if x.startswith(f"# {name} "))
    return line.removeprefix(f"# {name}").split()


@pytest.mark.parametrize(
    ("name", "what", "start", "end", "detour"),
    [
        ("space_arm", "of these for the figure", "run.plot(", "# %%", FIGURE),
        ("panda_and_ur5", "of these for reading", "panda, ur5 =", "print(", READING),
    ],
)
def test_examples_count_their_lines(name, what, start, end, detour):
    text = (EXAMPLES / f"{name}.py").read_text("utf-8")
    short, long = code_lines(part(text, start, end)), code_lines(detour)
    assert row(text, what) == [str(short), str(long)]
    whole = code_lines(text)
    assert row(text, "lines of Python") == [str(whole), str(whole - short + long)]


def test_the_figure_by_hand_has_the_same_curves():
    text = (EXAMPLES / "space_arm.py").read_text("utf-8")
    space = {}
    exec(text.partition("system, drives = arm()")[0], space)
    system, drives = space["arm"]()
    push = ls.Actuator("elbow_rotor", 50.0)
    start = system.state(elbow_rotor=0.4)
    run = ls.simulate(system, start, duration=0.2, loads=[*drives, push], output_step=0.01)
    short = {"run": run}
    exec(f"figure = {part(text, 'run.plot(', '# %%')}", short)
    long = {"run": run, "np": np}
    exec(FIGURE, long)
    columns = np.reshape(short["figure"].axes, (3, 2)).T.ravel()  # its panels go down, then right
    for one, other in zip(columns, long["figure"].axes, strict=True):
        for a, b in zip(one.get_lines(), other.get_lines(), strict=True):
            size = np.abs(b.get_ydata()).max()
            np.testing.assert_allclose(a.get_ydata(), b.get_ydata(), atol=1e-9 * size + 1e-12)


def test_the_detour_to_pictures_of_robots_draws_all_links():
    folder = robot_file("")
    files = (
        folder / "panda_description/urdf/panda.urdf",
        folder / "ur_description/urdf/ur5_robot.urdf",
    )
    given = {"files": files, "data": folder.parent, "Path": Path, "tempfile": tempfile, "ls": ls}
    exec(READING, given)
    for robot in (given["panda"], given["ur5"]):
        assert robot.left_out == ()
        names = [name for name, part in robot.model.parts.items() if part.body.solids]
        assert len(names) == len(robot.model.parts) and len(names) >= 7
