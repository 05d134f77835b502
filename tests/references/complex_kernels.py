"""Kernels compiled for complex numbers: their derivatives by complex steps.

The text of the kernels is compiled as it is, for arrays of complex numbers.  Numba has most of what
that takes; here is the rest, for the whole process: therefore this module is imported in a process
of its own, before any kernel is compiled, with LISSOM_KERNELS=numba.  Comparisons and whole numbers
are those of the real parts.  A result with an imaginary step of 1e-30 has its derivative, exact to
rounding, in its imaginary part (W. Squire and G. Trapp, SIAM Review 40, 1998).
"""

from __future__ import annotations

import cmath
import importlib
import math
import operator
import os
import sys
from functools import cache

if os.environ.get("LISSOM_KERNELS") != "numba":
    raise ImportError("set LISSOM_KERNELS=numba before this module is imported")

import numba
from numba.core import types
from numba.core.typeinfer import BuildTupleConstraint
from numba.core.typing.builtins import Abs
from numba.extending import lower_builtin, overload

import lissom.sim  # noqa: F401  loads register themselves
from lissom.building import front_end
from lissom.kernels import native, numba_cache
from lissom.kernels.layout import run
from lissom.kernels.run.calls import call
from lissom.kernels.run.load_derivatives import _body_forces, _forces
from lissom.kernels.run.views import slope_rows, views
from lissom.kernels.tree.joints import _axial
from lissom.kernels.tree.own_joints import own_joint

STEP = 1e-30  # imaginary step: no digit is lost, however small it is


def _is_complex(*kinds) -> bool:
    return any(isinstance(x, types.Complex) for x in kinds)


def _take_complex(function, replacement) -> None:
    @overload(function)
    def _function(x):
        return (lambda x: replacement(x)) if _is_complex(x) else None


for _name in ("sin", "cos", "exp", "sqrt", "tanh"):
    _take_complex(getattr(math, _name), getattr(cmath, _name))


@overload(math.atan2)
def _atan2(y, x):
    if _is_complex(x, y):

        def impl(y, x):
            a, b = complex(y), complex(x)
            square = a.real * a.real + b.real * b.real
            slope = (b.real * a.imag - a.real * b.imag) / square if square > 0.0 else 0.0
            return complex(math.atan2(a.real, b.real), slope)

        return impl
    return None


@overload(math.floor)
def _floor(x):
    if _is_complex(x):
        return lambda x: math.floor(x.real)
    return None


@overload(round)
def _round(x):
    if _is_complex(x):
        return lambda x: round(x.real)
    return None


@overload(int)
def _int(x):
    if _is_complex(x):
        return lambda x: int(x.real)
    return None


Abs.cases = [x for x in Abs.cases if not _is_complex(*x.args)]


@overload(abs)
def _abs(x):
    if _is_complex(x):
        return lambda x: -x if x.real < 0.0 else x
    return None


def _compare(relation) -> None:
    @overload(relation)
    def _relation(a, b):
        if _is_complex(a) and _is_complex(b):
            return lambda a, b: relation(a.real, b.real)
        if _is_complex(a):
            return lambda a, b: relation(a.real, b)
        if _is_complex(b):
            return lambda a, b: relation(a, b.real)
        return None


for _relation in (operator.lt, operator.gt, operator.le, operator.ge):
    _compare(_relation)


_typed_as_built = BuildTupleConstraint.__call__


def _typed(self, inference) -> None:
    """Type a tuple of real and complex numbers as one of complex numbers."""
    items = [x for item in self.items for x in inference.typevars[item.name].get()]
    numbers = all(isinstance(x, types.Complex | types.Float) for x in items)
    if numbers and _is_complex(*items):
        kind = types.UniTuple(types.complex128, len(self.items))
        inference.add_type(self.target, kind, loc=self.loc)
    else:
        _typed_as_built(self, inference)


BuildTupleConstraint.__call__ = _typed


def _lower(relation, sign) -> None:
    """Let `max` and `min` compare the real parts."""

    @lower_builtin(relation, types.Complex, types.Complex)
    def _relation(context, builder, sig, args):
        a, b = (
            context.make_complex(builder, kind, value=x)
            for kind, x in zip(sig.args, args, strict=True)
        )
        return builder.fcmp_ordered(sign, a.real, b.real)


_lower(operator.gt, ">")
_lower(operator.lt, "<")


# Compiled kernels

if not native.unusable(native.BINARY):  # kernels for real numbers need not be compiled again
    _library = native.CompiledLibrary(importlib.import_module("lissom.kernels._native"))
    for _symbol, _entry in front_end.entries().items():
        _entry._kernel = _library.kernel(_symbol)


def _compiled(function, *numbers, counted=True) -> object:
    """A kernel for complex arrays; `numbers`: its further arguments; `counted`: see `jit`."""
    kernel = numba.njit(function.py_func, error_model="numpy", _nrt=counted)
    with numba_cache._generated_once(kernel):
        kernel.compile((INTS, *numbers))
    return kernel


@numba.njit(error_model="numpy")
def _no_function(address, which, t, q, v, memory, o_memory, out, o_out):
    """In place of a function of the user: they take real numbers."""
    return 0


@numba.njit(error_model="numpy")
def _no_joint(floats, j, q, o_q, v, o_v, moving, scratch, o):
    """In place of a joint of the user's own: they take real numbers."""
    return _axial(floats, j, q, o_q, v, o_v, moving, scratch, o)


def _replace(name: str, original, stand_in) -> None:
    """Let all kernels call something else."""
    for module in list(sys.modules.values()):
        if module.__name__.startswith("lissom.") and getattr(module, name, None) is original:
            setattr(module, name, stand_in)


_replace("own_joint", own_joint, _no_joint)
_replace("call", call, _no_function)

INTS, VECTOR = types.int64[::1], types.complex128[::1]
MATRIX, WHOLE = types.complex128[:, ::1], types.int64
ROW = (VECTOR, VECTOR)  # floats, scratch


@cache
def quantity(row):
    """Kernel of a row of `quantities`."""
    return _compiled(row.rows.function, *ROW, *4 * [VECTOR], MATRIX, *3 * [WHOLE])


@numba.njit(error_model="numpy")
def _load_forces(ints, floats, scratch, plan, table, memory, work, mass, out):
    """Write the generalized forces of all loads in the state in memory."""
    r = views(ints, floats, scratch, scratch, plan, table, memory, work, mass)
    status = _forces(r, memory[run.TIME], out)
    if status == 0 and run.PlanHeader(plan, 0).body_loads.count != 0:
        of = slope_rows(r.arrays, r.work)
        status = _body_forces(r, of, memory[run.TIME], r.start.q, r.start.v)
        for k in range(len(out)):
            out[k] += of.column[k]
    return status


@cache
def load_forces():
    """Forces of loads, as `load_derivatives` differentiates them."""
    numbers = (*ROW, INTS, *3 * [VECTOR], MATRIX, VECTOR)
    return _compiled(_load_forces, *numbers, counted=False)  # so are the views in it
