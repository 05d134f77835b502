"""Source code of nodes in a programming language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from .graph import GraphNode, ordered
from .numbers import Number
from .program import Function, all_nodes
from .staged import temporaries

# Precedence of printed expressions.
_SUM, _PRODUCT, _ATOM = 1, 2, 3


@dataclass(frozen=True)
class Language:
    """Syntax of operations in a programming language."""

    functions: Mapping[str, str]  # names of sin, cos, sqrt, exp, log, tanh and atan
    select: str  # template with {x}, {limit}, {below}, {above}
    suffix: str = ""  # appended to every number

    def number(self, x: Number) -> str:
        """Text of a number with all its digits."""
        value = float(x) if isinstance(x, Fraction) else x
        text = repr(float(value))
        if self.suffix:
            text = repr(float(f"{float(value):.9g}"))
        return text + self.suffix


FUNCTIONS = ("sin", "cos", "sqrt", "exp", "log", "tanh", "atan")
_C_SELECT = "({x} < {limit} ? {below} : {above})"
C_DOUBLE = Language({name: name for name in FUNCTIONS}, _C_SELECT)
C_FLOAT = Language({name: f"{name}f" for name in FUNCTIONS}, _C_SELECT, "f")


@dataclass(frozen=True)
class Body:
    """Source code of a function."""

    assignments: list[tuple[str, str]]  # (name, expression) assignments in order of evaluation
    results: list[str]  # entries of the output, row by row
    used: set[str] = field(default_factory=set)  # symbols that are used


def body_of(function: Function, language: Language, symbols: Mapping[str, str]) -> Body:
    """Source code of a function."""
    roots = all_nodes(function)
    named = {id(x): f"z{k}" for k, x in enumerate(temporaries(roots))}
    text: dict[int, tuple[str, int]] = {}
    body = Body([], [])
    for x in ordered(roots):
        if x.op == "symbol":
            body.used.add(x.args[0])
            text[id(x)] = symbols[x.args[0]], _ATOM
        elif x.op == "number":
            text[id(x)] = language.number(x.args[0]), _ATOM if x.args[0] >= 0 else _SUM
        else:
            text[id(x)] = _expression_code(x, text, language, named)
        if id(x) in named:
            body.assignments.append((named[id(x)], text[id(x)][0]))
            text[id(x)] = named[id(x)], _ATOM
    body.results.extend(text[id(x)][0] for x in roots)
    return body


def _expression_code(
    x: GraphNode, text: Mapping[int, tuple[str, int]], language: Language, named: Mapping[int, str]
) -> tuple[str, int]:
    def part(y: GraphNode, least: int) -> str:
        code, precedence = text[id(y)]
        return code if precedence >= least else f"({code})"

    a = x.args[0]
    match x.op:
        case "add":
            return f"{part(a, _SUM)} + {part(x.args[1], _PRODUCT)}", _SUM
        case "sub":
            return f"{part(a, _SUM)} - {part(x.args[1], _PRODUCT)}", _SUM
        case "mul":
            b = x.args[1]
            for over, under in ((a, b), (b, a)):
                if under.op == "inv" and id(under) not in named:
                    return f"{part(over, _PRODUCT)} / {part(under.args[0], _ATOM)}", _PRODUCT
            return f"{part(a, _PRODUCT)} * {part(b, _ATOM)}", _PRODUCT
        case "neg":
            return f"-{part(a, _PRODUCT)}", _SUM
        case "inv":
            return f"{language.number(1)} / {part(a, _ATOM)}", _PRODUCT
        case "select":
            pieces = dict(zip(("x", "limit", "below", "above"), x.args, strict=True))
            return language.select.format(
                **{key: part(y, _PRODUCT) for key, y in pieces.items()}
            ), _ATOM
    return f"{language.functions[x.op]}({part(a, _SUM)})", _ATOM
