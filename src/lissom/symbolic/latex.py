"""Equations for LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

if TYPE_CHECKING:
    from .equations import Equations

__all__ = ["latex_of"]

# Operations beyond which equations are written as assignments.
_LONG = 400


def latex_of(equations: Equations) -> str:
    """The equations as one display, or as a list of assignments if they are long."""
    staged = equations.staged("mass", "bias", "qdot")
    lines = [
        r"M\,\dot p + b = Q, \qquad \dot q = V p",
        f"q = {_column(equations.coordinates)}, \\qquad p = {_column(equations.speeds)}",
    ]
    if staged.operations > _LONG:
        lines += [f"{sympy.latex(name)} = {sympy.latex(x)}" for name, x in staged.assignments]
        names = {"mass": "M", "bias": "b", "qdot": r"\dot q"}
        lines += [f"{names[k]} = {sympy.latex(x)}" for k, x in staged.results.items()]
    else:
        lines += [
            f"M = {sympy.latex(equations.mass)}",
            f"b = C p + F = {sympy.latex(equations.velocity_force)} "
            f"+ {sympy.latex(equations.force)}",
            f"V = {sympy.latex(equations.kinematics)}",
        ]
    body = " \\\\\n".join(f"& {line}" for line in lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def _column(symbols: tuple[sympy.Symbol, ...]) -> str:
    return sympy.latex(sympy.Matrix(symbols).T) + r"^{\mathsf T}"
