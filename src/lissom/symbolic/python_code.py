"""Python programs: for NumPy, for Numba and for CasADi."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..errors import SymbolicError
from .names import check_choice
from .printing import Body, Language, body_of
from .program import Function, Program

__all__ = ["BACKENDS", "Functions", "casadi_functions", "executed", "python_source"]


def _language(module: str, select: str) -> Language:
    return Language({name: f"{module}.{name}" for name in ("sin", "cos", "sqrt")}, select)


_LANGUAGES = {
    "numpy": _language("np", "np.where({x} < {limit}, {below}, {above})"),
    "numba": _language("math", "({below} if {x} < {limit} else {above})"),
    "casadi": _language("ca", "ca.if_else({x} < {limit}, {below}, {above})"),
}
BACKENDS = ("numpy", "numba")

_HEADS = {
    "numpy": '''"""{title}

States may be arrays: q (n_q, ...), and the results then have the same trailing axes.
"""

import numpy as np


def _gathered(shape, entries):
    values = np.broadcast_arrays(*entries)
    return np.array(values, dtype=float).reshape(*shape, *values[0].shape)
''',
    "numba": '''"""{title}"""

import math

import numpy as np
from numba import njit
''',
    "casadi": '''"""{title}

Vectors are CasADi's, numeric or symbolic; parameters are one vector p.
"""

import casadi as ca
''',
}


def python_source(program: Program, backend: str) -> str:
    """Text of a module with all functions of a program."""
    check_choice(backend, _LANGUAGES, "backend")
    d = program.derivation
    title = f"Equations of motion of {d.system.name or 'a mechanism'}, written by lissom.\n\n"
    title += f"q: {', '.join(s.name for s in d.coordinates)}\n"
    title += f"v: {', '.join(s.name for s in d.speeds)}"
    if program.parameters:
        title += f"\np: {', '.join(program.parameters)}"
    pieces = [_HEADS[backend].format(title=_in_docstring(title))]
    pieces += [_source(program.function(name), program, backend) for name in program.names]
    return "\n\n".join(pieces)


def _source(function: Function, program: Program, backend: str) -> str:
    symbols = {
        name: f"{vector}[{k}]"
        for vector, names in function.inputs.items()
        for k, name in enumerate(names)
    }
    symbols |= {name: f"p[{k}]" for k, name in enumerate(program.parameters)}
    body = body_of(function, _LANGUAGES[backend], symbols)
    arguments = [*function.inputs]
    if program.parameters:
        arguments.append("p")
    lines = [f"def {function.name}({', '.join(arguments)}):"]
    words = _in_docstring(function.words)
    lines.append(f'    """{words[0].upper()}{words[1:]}."""')
    if backend == "numba":
        lines.insert(0, "@njit")
    lines += [f"    {name} = {text}" for name, text in body.assignments]
    return "\n".join([*lines, *_returned(function, body, backend)]) + "\n"


def _in_docstring(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"")


def _returned(function: Function, body: Body, backend: str) -> list[str]:
    shape, entries = function.output.shape, body.results
    if backend == "numpy":
        return [f"    return _gathered({shape}, [{', '.join(entries)}])"]
    if backend == "casadi":
        if len(shape) == 1:
            return [f"    return ca.vertcat({', '.join(entries)})"]
        rows = [entries[k : k + shape[1]] for k in range(0, len(entries), shape[1])]
        joined = [f"ca.horzcat({', '.join(row)})" for row in rows]
        return [f"    return ca.vertcat({', '.join(joined)})"]
    lines = [f"    out = np.empty({shape})", "    flat = out.ravel()"]
    lines += [f"    flat[{k}] = {text}" for k, text in enumerate(entries)]
    return [*lines, "    return out"]


class Functions(SimpleNamespace):
    """Functions of numbers, and the program that they come from.

    Parameters
    ----------
    source : str
        Text of the module.
    **functions
        What it defines, by name; each is an attribute.
    """

    source: str

    def __init__(self, source: str, **functions: Any) -> None:
        super().__init__(source=source, **functions)


def executed(program: Program, backend: str) -> Functions:
    """Functions of a program whose parameters all have numbers."""
    check_choice(backend, BACKENDS, "backend")
    return _executed(program, python_source(program, backend))


def casadi_functions(program: Program) -> dict[str, Any]:
    """CasADi functions by name."""
    try:
        import casadi
    except ImportError:
        raise SymbolicError("CasADi is not installed: pip install 'lissom[casadi]'") from None
    made = _executed(program, python_source(program, "casadi"))
    result = {}
    for name in program.names:
        inputs = {key: len(names) for key, names in program.function(name).inputs.items()}
        if program.parameters:
            inputs["p"] = len(program.parameters)
        symbols = [casadi.SX.sym(key, n) for key, n in inputs.items()]
        output = getattr(made, name)(*symbols)
        result[name] = casadi.Function(name, symbols, [output], [*inputs], ["out"])
    return result


def _executed(program: Program, source: str) -> Functions:
    space: dict[str, Any] = {}
    exec(compile(source, f"<equations of {program.derivation.system.name}>", "exec"), space)
    return Functions(source=source, **{name: space[name] for name in program.names})
