"""Equations for LaTeX: well formed, short where they can be, in stages where they are long."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy

import lissom as ls
from lissom.symbolic import derive
from tests.samples.symbolic_models import (
    SAMPLES,
    double_pendulum,
    engine,
    l1,
    l2,
    paper_arm,
    states,
)
from tests.tools.measures import error

TOKEN = re.compile(r"\\(?:begin|end)\{\w+\}|\\(?:left|right)(?=[\W_])\\?.|\\.|[{}]")
CLOSING = {"}": "{", r"\right": r"\left"}


def check_form(text):
    """Every brace, \\left and environment is closed in the right order, on its own line."""
    for line in lines_of(text):
        assert line.startswith("& "), line[:40]
        check_nesting(line)
    check_nesting(text)


def check_nesting(text):
    stack = []
    for token in TOKEN.findall(text):
        word = re.match(r"\\[a-z]+|.", token)[0]
        if word == r"\begin" or token == "{" or word == r"\left":
            stack.append(token if word == r"\begin" else word)
        elif word == r"\end":
            assert stack.pop() == token.replace("end", "begin", 1)
        elif word in CLOSING:
            assert stack.pop() == CLOSING[word]
    assert stack == []


def lines_of(text):
    """Lines of the display; those of matrices within them end in \\\\ without a new line."""
    inner = text.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}")
    assert len(inner) == len(text) - len("\\begin{aligned}\n\n\\end{aligned}")
    return inner.split(" \\\\\n")


@pytest.mark.parametrize(
    "broken", ("{a", "a}", r"\left( a", r"\begin{matrix} a", r"\left( { \right) }")
)
def test_broken_nesting_is_found(broken):
    with pytest.raises((AssertionError, IndexError)):
        check_nesting(broken)


@pytest.mark.parametrize("name", SAMPLES)
def test_latex_is_well_formed(name):
    check_form(SAMPLES[name]().equations().latex())


def test_short_equations_are_written_out():
    equations = double_pendulum().equations()
    text = equations.latex()
    assert len(lines_of(text)) == 5
    assert f"M = {sympy.latex(equations.mass)}" in text
    assert sympy.latex(equations.force) in text and sympy.latex(equations.velocity_force) in text
    assert f"V = {sympy.latex(equations.kinematics)}" in text


def equations_in(text):
    """Left- and right-hand sides of all lines, with broken lines joined."""
    joined = re.sub(r" \\\\\n& \\qquad \{\}", "", text)
    return [line.removeprefix("& ").rsplit(" = ", 1) for line in lines_of(joined)[2:]]


NAME = re.compile(r"(?:\\dot )?[a-zA-Z]+_\{[\w ]+\}")


def evaluated(text, known):
    """Value of a right-hand side, read as a person would read it."""
    text = text.replace(r"\left(", "(").replace(r"\right)", ")")
    while r"\frac" in text:
        text = re.sub(r"\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{(\d+)\}", r"((\1) / \2)", text)
    text = NAME.sub(lambda m: f"<{m[0].replace(' ', '')}>", text)
    text = re.sub(r"\^\{(\d+)\}", r"**\1", text)
    text = re.sub(r"(?<=[\w>)]) (?=[\w<(])", " * ", text.replace("} ", "}"))
    text = re.sub(r"<([^>]*)>", lambda m: f"({known[m[1]]!r})", text)
    return eval(text)


def test_long_equations_are_lines_that_a_person_can_compute_with():
    """Read line by line, they give the numbers of the engine, and no line is too long."""
    sample = paper_arm()
    equations, system = sample.equations(), sample.system()
    text = equations.latex()
    assert all(len(re.sub(r"\\[a-z]+|[{}_^ ]", "", line)) < 130 for line in lines_of(text)[2:])
    inputs = states(system)[0]
    names = (*equations.coordinates, *equations.speeds)
    numbers = [*inputs["q"], *inputs["v"]]
    known = {sympy.latex(s).replace(" ", ""): float(x) for s, x in zip(names, numbers, strict=True)}
    for name, turn, angle in re.findall(
        r"([cs]_\{\d\}) = \\(cos|sin)\{\\left\((.*?) \\right", text
    ):
        known[name] = float(getattr(np, turn)(known[angle.replace(" ", "")]))
    for left, right in equations_in(text):
        if r"\cos" in right or r"\sin" in right:
            continue
        for name in left.split(" = "):
            known[name.replace(" ", "")] = evaluated(right, known)
    expected = engine(system, inputs)
    mass = [[known.get(f"M_{{{i + 1}{j + 1}}}", 0.0) for j in range(6)] for i in range(6)]
    assert error(np.array(mass), expected["mass"]) < 1e-12
    assert error(np.array([known[f"b_{{{i + 1}}}"] for i in range(6)]), expected["bias"]) < 1e-12
    assert [known[rf"\dotq_{{{i + 1}}}"] for i in range(6)] == list(expected["qdot"])
    assert "z_{0}" in text and r"c_{1} = \cos{\left(q_{upper 1} \right)}" in text


def test_names_of_parameters_are_no_abbreviations():
    c1 = sympy.Symbol("c_1", positive=True)
    model = paper_arm().model
    model.gravity = (0, 0, -c1)
    text = derive(model).latex()
    assert r"\mathrm{c}_{1}" in text


def test_constraints_are_written_too():
    model = double_pendulum().model
    model.close(ls.Revolute("y"), "lower", None, at_a=(l2, 0, 0), at_b=(l1, 0, 0), name="pin")
    text = derive(model).latex()
    check_form(text)
    assert r"A^{\mathsf T} \lambda" in text and "& A = " in text and r"& \gamma = " in text


def test_numbers_take_the_place_of_parameters():
    equations = double_pendulum().equations()
    text = equations.latex(values={"g": 9.81, "l1": 2, "m1": 3})
    check_form(text)
    for name, stays in (("g ", False), ("l_{1}", False), ("m_{1}", False), ("l_{2}", True)):
        assert (name in text) is stays
    assert r"\frac{981" in text


def test_names_of_stages_are_no_names_of_parameters():
    z0, z1 = sympy.symbols("z0 z1", positive=True)
    model = ls.Model("pair", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(z0, com=(z1, 0, 0)), ls.Revolute("y"), name="a")
    model.add(ls.RigidBody(z1, com=(z0, 0, 0)), ls.Revolute("y"), to="a", at=(z1, 0, 0), name="b")
    staged = derive(model).staged("mass")
    names = [str(name) for name, _ in staged.assignments]
    assert names and not set(names) & {"z0", "z1"}
    M = staged.results["mass"]
    for name, value in reversed(staged.assignments):
        M = M.subs(name, value)
    assert sympy.simplify(M - derive(model).mass) == sympy.zeros(2, 2)
