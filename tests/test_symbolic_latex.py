"""Equations for LaTeX: well formed, short where they can be, in stages where they are long."""

from __future__ import annotations

import re

import pytest
import sympy

import lissom as ls
from lissom.symbolic import derive
from tests.symbolic_samples import SAMPLES, double_pendulum, paper_arm

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


def test_long_equations_are_written_in_stages_each_after_what_it_uses():
    equations = paper_arm().equations()
    lines = lines_of(equations.latex())
    staged = equations.staged("mass", "bias", "qdot")
    assert len(lines) == 2 + len(staged.assignments) + len(staged.results) > 20
    known = set()
    for line in lines[2:]:
        name, _, text = line.removeprefix("& ").partition(" = ")
        assert set(re.findall(r"z_\{\d+\}", text)) <= known
        known.add(name)
    assert {"M", "b", r"\dot q"} <= known


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
