"""Equations in LaTeX."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import sympy

from .staged import Staged

if TYPE_CHECKING:
    from .equations import Equations

# Number of operations above which equations are written as assignments.
_LONG = 400


def latex_of(
    equations: Equations, staged: Staged, shown: Callable[[str], sympy.ImmutableDenseMatrix]
) -> str:
    """Equations as one display, or as a list of assignments if they are long.

    Parameters
    ----------
    equations : Equations
        Equations with the names of coordinates and speeds.
    staged : Staged
        Mass matrix, bias and rates of the coordinates, as assignments.
    shown : callable
        Returns a quantity by name, in its shortest form.
    """
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
            f"M = {sympy.latex(shown('mass'))}",
            f"b = C p + F = {sympy.latex(shown('velocity_force'))} + {sympy.latex(shown('force'))}",
            f"V = {sympy.latex(shown('kinematics'))}",
        ]
    body = " \\\\\n".join(f"& {line}" for line in lines)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def _column(symbols: tuple[sympy.Symbol, ...]) -> str:
    return sympy.latex(sympy.Matrix(symbols).T) + r"^{\mathsf T}"
