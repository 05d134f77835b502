r"""Equations in LaTeX, for people to read.

Short equations are written out as matrices.  Long ones become a list of lines: with c_1, s_1, c_12
for \cos q_1, \sin q_1, \cos(q_1 + q_2), common expressions z_k, one line for each entry that is not
zero, and breaks in long sums.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import sympy

from .staged import Staged

if TYPE_CHECKING:
    from .equations import Equations

# Number of operations above which equations are written as lines, and the characters of a line.
_LONG, _WIDTH = 400, 90
# The same for what notebooks show, and the number of speeds above which nothing is derived for it.
_SHOWN, _MOST_SPEEDS = 120, 8
# Symbols of a product that is written where it is used.
_FACTORS = 3


def latex_of(
    equations: Equations, staged: Staged, shown: Callable[[str], sympy.ImmutableDenseMatrix]
) -> str:
    """Equations as one display, or as a list of lines if they are long."""
    constrained = len(equations.constraints) > 0
    pushed = r" + A^{\mathsf T} \lambda, \qquad A\,\dot p + \gamma = 0" if constrained else ""
    lines = [
        rf"M\,\dot p + b = Q{pushed}, \qquad \dot q = V p",
        f"q = {_column(equations.coordinates)}, \\qquad p = {_column(equations.speeds)}",
    ]
    if staged.operations > _LONG:
        lines += _long(equations, staged)
    else:
        lines += [
            f"M = {sympy.latex(shown('mass'))}",
            f"b = C p + F = {sympy.latex(shown('velocity_force'))} + {sympy.latex(shown('force'))}",
            f"V = {sympy.latex(shown('kinematics'))}",
        ]
        if constrained:
            lines += [
                f"A = {sympy.latex(equations.constraints.jacobian)}",
                rf"\gamma = {sympy.latex(equations.constraints.bias)}",
            ]
    body = " \\\\\n".join(f"& {line}" for line in lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def displayed(equations: Equations, constrained: bool) -> str:
    """Formula for notebooks: the equations, or their form alone if they are long."""
    n = len(equations.speeds)
    if n <= _MOST_SPEEDS and equations.staged().operations <= _SHOWN:
        return f"$\\displaystyle {equations.latex()}$"
    pushed = r" + A^{\mathsf T} \lambda,\quad A\,\dot p + \gamma = 0"
    return (
        rf"$\displaystyle M\,\dot p + b = Q{pushed if constrained else ''},\quad \dot q = V p$"
        f" with {n} speeds; latex() has the formulas"
    )


def _column(symbols: tuple[sympy.Symbol, ...]) -> str:
    return sympy.latex(sympy.Matrix(symbols).T) + r"^{\mathsf T}"


_NAMES = {
    "mass": "M",
    "bias": "b",
    "qdot": r"\dot q",
    "constraint_jacobian": "A",
    "constraint_bias": r"\gamma",
}


def _long(equations: Equations, staged: Staged) -> list[str]:
    """Lines of long equations."""
    short = _Abbreviations(equations)
    text: list[str] = []
    replacements: dict[sympy.Symbol, sympy.Expr] = {}
    free = iter([name for name, _ in staged.assignments])
    for name, x in staged.assignments:
        value = short.of(x.xreplace(replacements))
        if _is_product(value):
            replacements[name] = value
        else:
            replacements[name] = next(free)  # earlier names are no longer used
            text += broken(sympy.latex(replacements[name]), value)
    for quantity, values in staged.results.items():
        values = values.xreplace(replacements).applyfunc(short.of)
        text += _entries(_NAMES[quantity], values, symmetric=quantity == "mass")
    return [*short.lines(), *text]


def _is_product(x: sympy.Expr) -> bool:
    """Whether an expression is a product of a few symbols, which needs no name of its own."""
    factors = [y for y in sympy.Mul.make_args(x) if not y.is_number]
    return len(factors) <= _FACTORS and all(y.is_Symbol for y in factors)


def _entries(name: str, values: sympy.ImmutableDenseMatrix, *, symmetric: bool) -> list[str]:
    """One line for each entry that is not zero; of a symmetric matrix those of one half."""
    rows, columns = values.shape
    separator = "," if max(rows, columns) > 9 else ""
    lines = []
    for i in range(rows):
        for j in range(i if symmetric else 0, columns):
            if values[i, j] != 0:
                index = f"{i + 1}" if columns == 1 else f"{i + 1}{separator}{j + 1}"
                same = f" = {name}_{{{j + 1}{separator}{i + 1}}}" if symmetric and j > i else ""
                lines += broken(f"{name}_{{{index}}}{same}", values[i, j])
    return lines


class _Abbreviations:
    """Symbols c_12 and s_12 for cosines and sines of sums of coordinates."""

    def __init__(self, equations: Equations) -> None:
        self._number = {s: k + 1 for k, s in enumerate(equations.coordinates)}
        symbols = (*equations.parameters, *equations.speeds, *equations.coordinates)
        free = not any(re.fullmatch(r"[cs]_?\d+", s.name) for s in symbols)
        self._letters = ("c", "s") if free else (r"\mathrm{c}", r"\mathrm{s}")
        self.meaning: dict[sympy.Symbol, sympy.Expr] = {}

    def of(self, x: sympy.Expr) -> sympy.Expr:
        """Expression with all sines and cosines of coordinates replaced."""
        turns = {f: y for f in x.atoms(sympy.sin, sympy.cos) if (y := self._symbol(f)) is not None}
        return x.xreplace(turns)

    def _symbol(self, turn: sympy.Expr) -> sympy.Symbol | None:
        parts = turn.args[0].as_coefficients_dict()
        if any(angle not in self._number or abs(times) != 1 for angle, times in parts.items()):
            return None
        numbers = sorted((times < 0, self._number[angle]) for angle, times in parts.items())
        plus = "" if len(self._number) < 10 else "+"
        index = "".join(f"{'-' if minus else plus}{k}" for minus, k in numbers)
        letter = self._letters[isinstance(turn, sympy.sin)]
        symbol = sympy.Symbol(f"{letter}_{{{index.removeprefix('+')}}}", real=True)
        self.meaning[symbol] = turn
        return symbol

    def lines(self) -> Iterable[str]:
        """Lines that say what the symbols mean."""
        pairs = sorted(self.meaning.items(), key=lambda pair: (len(pair[0].name), pair[0].name))
        texts = [f"{s.name} = {sympy.latex(x)}" for s, x in pairs]
        for start in range(0, len(texts), 4):
            yield r", \quad ".join(texts[start : start + 4])


def broken(left: str, x: sympy.Expr) -> list[str]:
    """Equation as one line, or as several lines if it is a long sum."""
    lines, current = [], f"{left} ="
    terms = x.as_ordered_terms() if x.is_Add else [x]
    for k, term in enumerate(terms):
        text = sympy.latex(term)
        sign = "" if k == 0 else ("-" if text.startswith("-") else "+")
        bare = text.removeprefix("-").lstrip() if sign == "-" else text
        piece = f" {sign} {bare}" if sign else f" {bare}"
        if k and _width(current + piece) > _WIDTH:
            lines.append(current)
            current = r"\qquad {}"
        current += piece
    return [*lines, current]


def _width(text: str) -> int:
    """Approximate number of characters that are seen."""
    seen = re.sub(r"\\(left|right|frac|mathsf|mathrm)", "", text)
    return len(re.sub(r"\\[a-z]+|[{}_^ ]", lambda m: "x" if m[0].startswith("\\") else "", seen))
