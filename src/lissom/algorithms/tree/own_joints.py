"""Joints of users' own classes in compiled code: their methods, called by address.

A class with a function compiled by Numba (`Joint.compiled`) is called without Python; the others
are called back.  An error in either is kept and raised after the kernel has returned.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache, partial
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ...errors import ModelError
from ...joints import Joint
from ...kernels.tree.own_joints import BIAS, MAP, POSITION, RATES_ONLY, ROTATION, SIGNATURE
from .allocators import Buffer
from .escapes import CALLED, Watch, is_interruption
from .wrappers import kept_wrapper

Array = np.ndarray

_NUMBERS = count(1)
_SERVED: WeakValueDictionary[int, _Served] = WeakValueDictionary()


class _Served:
    """One joint that kernels call by its number."""

    def __init__(self, joint: Joint, owner: OwnJoints) -> None:
        self.joint, self.owner, self.number = joint, owner, next(_NUMBERS)
        self.wrapper: Any = None
        _SERVED[self.number] = self

    def address(self, n_parameter: int) -> int:
        """Address of the function that serves the joint."""
        joint = self.joint
        if joint.compiled is None:
            return ctypes.cast(_called_back, ctypes.c_void_p).value or 0
        sizes = (joint.n_q, joint.n_v, _n_rate(joint), n_parameter)
        self.wrapper = kept_wrapper(
            joint.compiled, ("joint", sizes), partial(_wrapped, joint.compiled, *sizes)
        )
        return int(self.wrapper.address)

    def write(self, q: Array, v: Array, out: Array, wanted: int) -> None:
        """Pose, map and, where it is moving, bias of the joint; or the rates of its coordinates."""
        joint, moving = self.joint, bool(wanted)
        if wanted == RATES_ONLY:
            with np.errstate(invalid="ignore"):  # singular coordinates have infinite rates
                out[MAP + 6 * joint.n_v :] = joint.rate_map(q) @ v
            return
        R, r = joint.pose(q)
        out[ROTATION:POSITION], out[POSITION:BIAS] = np.asarray(R).ravel(), r
        out[BIAS:MAP] = joint.bias(q, v) if moving else 0.0
        out[MAP : MAP + 6 * joint.n_v] = joint.motion_map(q).T.ravel()

    def fail(self, q: Array, why: str) -> int:
        """Keep an error."""
        self.keep(
            ModelError(f"joint class {type(self.joint).__name__} failed at q = {q.tolist()}: {why}")
        )
        return 1

    def keep(self, error: BaseException) -> None:
        """Keep an error, if it is the first."""
        if self.owner.error is None:
            self.owner.error = error


class OwnJoints:
    """The joints of a system that kernels call, and the first error that one of them had."""

    def __init__(self) -> None:
        self.served: list[_Served] = []
        self.contents: list[tuple[int, Array]] = []
        self.error: BaseException | None = None

    def add(self, joint: Joint, workspace: Buffer) -> Array:
        """Constants of a joint for the kernels; its parameters go to the workspace."""
        served = _Served(joint, self)
        self.served.append(served)
        parameters, size = _parameters(joint), out_size(joint)
        out = workspace.add(size + len(parameters))
        self.contents.append((out + size, parameters))
        address = served.address(len(parameters))
        return np.array([address, served.number, joint.n_v, out], dtype=float)

    def rate_call(self, joint: Joint) -> Array:
        """Constants for `kernels.tree.own_joints.own_rates`: how the rates of a joint are found."""
        served = next(x for x in self.served if x.joint is joint)
        parameters, size = _parameters(joint), out_size(joint)
        address = served.address(len(parameters))
        head = [address, served.number, size - joint.n_q, size, len(parameters)]
        return np.concatenate([np.array(head, dtype=float), parameters])

    def guard(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel, which now raises what its joints could not."""
        if not self.served:
            return kernel

        def guarded(*arguments: Any) -> Any:
            self.error = None
            with Watch() as watch:
                result = kernel(*arguments)
            error = self.error or watch.escaped
            if error is not None:
                raise error
            return result

        return guarded


def out_size(joint: Joint) -> int:
    """Number of values that the function of a joint writes."""
    return MAP + 6 * joint.n_v + _n_rate(joint)


def _n_rate(joint: Joint) -> int:
    """Number of rates that the function of a joint writes."""
    return joint.n_q if joint.has_quasi_speeds else 0


def _parameters(joint: Joint) -> Array:
    return joint.numbers if joint.numbers is not None else np.zeros(0)


def _view(address: int, n: int) -> Array:
    if n == 0:
        return np.zeros(0)
    return np.frombuffer(memoryview((ctypes.c_double * n).from_address(address)))


_INTEGER = ctypes.c_int64


def _serve(number: int, wanted: int, q: int, v: int, out: int) -> int:
    """Serve a joint by its methods in Python."""
    served = _SERVED[number]
    joint = served.joint
    values = _view(out, out_size(joint))
    coordinates = _view(q, joint.n_q).copy()
    try:
        values[:] = 0.0
        served.write(coordinates, _view(v, joint.n_v).copy(), values, wanted)
        if np.all(np.isfinite(values)):
            return 0
        why = "pose, motion map or bias is not finite"
        if wanted == RATES_ONLY:
            why = "the rates of its coordinates are not finite; they may be singular there"
    except BaseException as error:  # also Ctrl-C: it ends the call, not the interpreter
        why = f"{type(error).__name__}: {error}"
        if is_interruption(error):
            served.keep(error)
    values[:] = np.nan
    return served.fail(coordinates, why)


def _reported(number: int, q: int) -> int:
    """Keep an error of a compiled function; called by wrappers."""
    served = _SERVED[number]
    q_now = _view(q, served.joint.n_q).copy()
    return served.fail(q_now, "its compiled function raised an error or wrote what is not finite")


_called_back = ctypes.CFUNCTYPE(*6 * (_INTEGER,))(_serve)
_report = ctypes.CFUNCTYPE(*3 * (_INTEGER,))(_reported)
CALLED |= {_serve.__code__, _reported.__code__}


def _wrapped(function: Any, n_q: int, n_v: int, n_rate: int, n_parameter: int) -> Any:
    """C function around a user's compiled one."""
    import numba
    from numba import cfunc
    from numba.core.errors import NumbaError

    carray: Any = numba.carray  # type: ignore[attr-defined]
    address_of = _pointer_as_integer()
    rates, report = MAP + 6 * n_v, _report
    size, total = rates + n_rate, rates + n_rate + n_parameter

    def wrapper(number, wanted, q, v, out):  # type: ignore[no-untyped-def]
        values = carray(out, total)
        good = True
        try:
            function(
                values[size:], carray(q, n_q), carray(v, n_v),
                values[ROTATION:POSITION].reshape((3, 3)), values[POSITION:BIAS],
                values[MAP:rates].reshape((n_v, 6)), values[BIAS:MAP],
            )  # fmt: skip
            for k in range(size):
                good = good and np.isfinite(values[k])
        except Exception:
            good = False
        if good:
            return 0
        values[:size] = np.nan
        return report(number, address_of(q))

    def wrapper_with_rates(number, wanted, q, v, out):  # type: ignore[no-untyped-def]
        values = carray(out, total)
        good = True
        try:  # Numba does not take a variable number of arguments inside `try`
            function(
                values[size:], carray(q, n_q), carray(v, n_v),
                values[ROTATION:POSITION].reshape((3, 3)), values[POSITION:BIAS],
                values[MAP:rates].reshape((n_v, 6)), values[BIAS:MAP], values[rates:size],
            )  # fmt: skip
            for k in range(size):
                good = good and np.isfinite(values[k])
        except Exception:
            good = False
        if good:
            return 0
        values[:size] = np.nan
        return report(number, address_of(q))

    try:
        return cfunc(SIGNATURE)(wrapper_with_rates if n_rate else wrapper)
    except NumbaError as error:
        reason = str(error).strip().splitlines()
        raise ModelError(
            "the compiled function of a joint cannot be called as f(parameters, q, v, rotation, "
            f"position, motion_map, bias{', rates' * bool(n_rate)}): "
            f"{reason[0] if reason else error}"
        ) from None


@cache
def _pointer_as_integer() -> Any:
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def address_of(typingctx, pointer):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
            return builder.ptrtoint(args[0], context.get_value_type(types.int64))

        return types.int64(pointer), generate

    return address_of
