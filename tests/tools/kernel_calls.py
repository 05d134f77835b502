"""Calls of functions that otherwise only kernels call."""

from __future__ import annotations

import inspect
from functools import cache, partial

from lissom.kernels.compiling import LIBRARY, PLAIN, plain


@cache
def called_from_python(kernel, first=None):
    """The function where it is plain Python, else compiled behind one that can be called.

    `first`: its first argument, if that is a function.
    """
    if PLAIN or LIBRARY is not None:
        return kernel if first is None else partial(kernel, first)
    import numba

    names = [*inspect.signature(plain(kernel)).parameters][first is not None :]
    inner = ", ".join(["first"] * (first is not None) + names)
    call = eval(f"lambda {', '.join(names)}: kernel({inner})", {"kernel": kernel, "first": first})
    return numba.njit(call, error_model="numpy")
