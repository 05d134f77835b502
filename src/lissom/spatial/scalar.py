"""Functions whose implementation depends on the scalar type.

The reference implementation of the algorithms runs on arrays of floats, of complex numbers
(complex-step derivatives) and of SymPy, CasADi or mpmath objects.  NumPy's arithmetic works for all
of them; the functions that do not are defined here, and the reference implementation uses no
others.
"""

from __future__ import annotations

import cmath
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray


def array(values: Any) -> Array:
    """New array of floats, complex numbers or objects (symbols), as `values` require.

    It is always C-contiguous, so that equal numbers give bitwise equal sums.  Raises TypeError or
    ValueError if `values` are none of these.
    """
    result = np.array(values, order="C")
    if result.dtype.kind in "biu":
        return result.astype(float)
    if result.dtype.kind in "fc":
        return result.astype(np.result_type(result.dtype, float), copy=False)
    if result.dtype.kind != "O" or not all(_is_scalar(x) for x in result.flat):
        raise TypeError(f"expected numbers or symbols, got {values!r}")
    if not all(isinstance(x, (int, float, np.number)) for x in result.flat):
        return result
    try:
        return result.astype(float)
    except OverflowError:
        raise ValueError(f"number too large for a float: {values!r}") from None


def reals(values: Any) -> Array:
    """New array of floats; TypeError if there are complex numbers, which NumPy would cut.

    Parameters
    ----------
    values : array-like
        As given by a user.
    """
    if np.iscomplexobj(values):
        raise TypeError(f"expected real numbers, got {values!r}")
    return np.array(values, dtype=float)


def _is_scalar(x: Any) -> bool:
    """Whether x supports arithmetic: a number or a symbol, not None, text or a container."""
    return hasattr(x, "__truediv__") and not isinstance(x, (type, np.ndarray))


def is_numeric(values: Array) -> bool:
    """Whether `values` contains floats or complex numbers, not symbols."""
    return values.dtype.kind in "fc"


def as_numbers(values: Array) -> Array:
    """The array as floats if all entries are real numbers, even if held as symbolic objects."""
    if is_numeric(values):
        return values
    try:
        return values.astype(float)
    except (TypeError, RuntimeError):
        return values


def zeros(*shape: int) -> Array:
    """Array of float zeros; combined with another array it takes that array's scalar type."""
    return np.zeros(shape)


def _library(x: Any) -> str:
    """Name of the package that defines the type of x, such as "sympy"."""
    return type(x).__module__.partition(".")[0]


def _one(x: Any, name: str) -> Any:
    """Value of the function called `name` at a scalar of any type."""
    library = _library(x)
    if library in ("sympy", "casadi", "mpmath"):
        return getattr(sys.modules[library], name)(x)
    if library == "lissom":  # an expression of `symbolic`
        return getattr(x, name)()
    return getattr(cmath if isinstance(x, complex) else math, name)(x)


def _elementwise(name: str) -> Callable[[Any], Any]:
    numeric = getattr(np, {"atan": "arctan"}.get(name, name))

    def function(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            if is_numeric(x):
                return numeric(x)
            return np.array([_one(e, name) for e in x.flat], dtype=object).reshape(x.shape)
        return numeric(x) if isinstance(x, (float, complex, int)) else _one(x, name)

    function.__name__ = name
    function.__doc__ = f"{name} of a scalar or an array of any scalar type."
    return function


sin = _elementwise("sin")
cos = _elementwise("cos")
sqrt = _elementwise("sqrt")
exp = _elementwise("exp")
log = _elementwise("log")
tanh = _elementwise("tanh")
atan = _elementwise("atan")


def scaled(x: Any, values: Array) -> Array:
    """Array x * values for a scalar x.

    A CasADi scalar times an array would be a CasADi matrix; boxed, it multiplies entry by entry.
    """
    return x * values if _library(x) != "casadi" else np.array(x, dtype=object) * values


def select(x: Any, limit: float, below: Any, above: Any) -> Any:
    """`below` where x < limit, otherwise `above`; both must be finite.

    A complex x is compared by its real part.  Symbols become a piecewise expression.
    """
    library = _library(x)
    if library == "sympy" and not x.is_number:
        sympy = sys.modules["sympy"]
        return sympy.Piecewise((below, x < limit), (above, True))
    if library == "casadi":
        return sys.modules["casadi"].if_else(x < limit, below, above)
    if library == "lissom":
        return x.select(limit, below, above)
    return below if complex(x).real < limit else above


def solve(A: Array, B: Array) -> Array:
    """Solution X of A X = B for a square, nonsingular A; B is a vector or a matrix.

    Symbols: Gaussian elimination without pivoting, so every leading minor must be non-zero.
    """
    if is_numeric(A) and is_numeric(B):
        return np.linalg.solve(A, B)
    columns = B[:, None] if B.ndim == 1 else B
    rows = [list(a) + list(b) for a, b in zip(A, columns, strict=True)]
    n = len(rows)
    for k in range(n):
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    solution: list[list[Any]] = [[] for _ in range(n)]
    for k in reversed(range(n)):
        solved = range(k + 1, n)
        solution[k] = [
            (rows[k][n + c] - sum(rows[k][j] * solution[j][c] for j in solved)) / rows[k][k]
            for c in range(len(rows[k]) - n)
        ]
    return np.array(solution, dtype=object).reshape(B.shape)


def solve_spd(A: Array, B: Array) -> Array:
    """Solution X of A X = B for a symmetric positive definite A of any scalar type."""
    return solve(A, B)
