"""Quantities of arrays that need no conversion, in a workspace of their own.

A shortcut is a kernel with all of its arguments fixed but q, v, x and the array for the result, or
None for a new one.  It returns the result, or None for anything unusual: arrays of another type,
shape or order, numbers that are not finite, a quaternion that is not of unit length, a result that
overlaps what is read, another status than the good one.  Who asked then takes the general way,
which converts what can be converted and explains what cannot.

`QuickFunction` finds the shortcut of a system, for a State of it or for (q, v).  All threads share
the workspace of these; who finds it in use takes the general way, in the workspace of its thread.

With kernels built ahead both are functions in C (`building/calling.c`); `_Shortcut` and
`_function` are the same for those of Numba.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import LissomError, StateError
from ...kernels import compiling, entries, quantities
from ...kernels.quantities import Quantity
from ...system import State, StateLike, System
from ...system.state import QUATERNION_TOLERANCE, surely_finite
from . import engine
from .arguments import READABLE, all_floats, as_state, check_reals, speeds_vector

Array = np.ndarray
Call = Callable[..., Any]  # its result, or None

_ALL_ROWS = -1  # what a kernel returns where no row has failed
_FLOAT = np.dtype(float)
_MOST_PLACES = 1000  # nodes whose shortcuts are kept
_IN_USE = (
    StateError,
    "this evaluator is in use by another thread, or by a joint that it is evaluating; give each "
    "its own: system.evaluator()",
)
ROWS = {x.name: x for x in vars(quantities).values() if isinstance(x, Quantity)}
POSES: list[type] = []  # class of poses, of position and rotation
FUNCTIONS: list[QuickFunction] = []


class Shortcuts:
    """Shortcuts of one system by their names, with a workspace that one call uses at a time.

    `error`: type and text of what is raised while another call uses it; without, None is returned.
    """

    def __init__(self, system: System, error: tuple[type[Exception], str] | None = _IN_USE) -> None:
        self._system, self._error = system, error
        self._busy, self._lock = bytearray(1), threading.Lock()
        self._quaternions = tuple(start for _, start in system.quaternions)
        # by quantity and name of a frame, as far as they were asked for
        self.frames: dict[str, dict[str, Call]] = {x: {} for x, row in ROWS.items() if row.of}

    def __getattr__(self, name: str) -> Call:
        """Shortcut of a quantity, made when first used."""
        if name.startswith("_"):
            raise AttributeError(name)
        call = self._special(name) or self.of(name)
        self.__dict__[name] = call
        return call

    def at(self, name: str, where: str) -> Call | None:
        """Shortcut of a quantity of a frame; None for one on the ground, or of an unknown name."""
        try:
            frame = self._system.place(where)
        except LissomError:
            return None
        row, calls = ROWS[name], self.frames[name]
        if frame.grounded or (row.of == "node" and not frame.plain):
            return None
        call = self.of(name, engine.place_constants(self._system, row, frame))
        if len(calls) < _MOST_PLACES:
            calls[where] = call
        return call

    def of(self, name: str, place: Array = engine.NOTHING) -> Call:
        """Shortcut of a row of the table, with constants."""
        row = ROWS[name]
        arguments = (*self._vectors(row.takes), place, ..., row.flags, 0, 1)
        shape, pose = row.shape(self._system.n_v), name == "pose"
        return self._shortcut(row.rows, arguments, row.takes, shape, row=row, pose=pose)

    def _special(self, name: str) -> Call | None:
        """Shortcut of a kernel that takes more than those of the table."""
        n, work = self._system.n_v, self._work
        if name == "accelerations" and work.composite:
            more: tuple[Any, ...] = (work.mass, engine.CAREFUL, engine.ALL, 0, 1)
            arguments: tuple[Any, ...] = (None, None, None, ..., *more)
            return self._shortcut(entries.COMPOSITE, arguments, "qvx", (n,))
        if name == "forward_derivatives":
            arguments = (*work.derivatives, None, None, None, np.empty(n), ..., engine.ALL, 0, 1)
            return self._shortcut(entries.FORWARD_DERIVATIVES, arguments, "qvx", (3 * n + 1, n))
        if name == "joint_forces":
            more = (engine.NOTHING, np.empty(n), ..., quantities.COUNTED, 0, 1)
            arguments = (None, None, None, *more)
            return self._shortcut(entries.JOINT_FORCES, arguments, "qvx", (self._system.n_body, 6))
        if name == "inverse_derivatives":
            more = (np.empty(n), ..., quantities.COUNTED, 0, 1)
            arguments = (*work.derivatives, None, None, None, *more)
            return self._shortcut(entries.INVERSE_DERIVATIVES, arguments, "qvx", (3 * n, n))
        return None

    @cached_property
    def _work(self) -> engine.Workspace:
        return engine.Workspace(self._system, engine.packed_constants(self._system))

    def _vectors(self, takes: str) -> tuple[Any, ...]:
        """Vectors of the arguments: None for those that a call gives."""
        return tuple(self._work.zero if x == "0" else None for x in takes)

    def _shortcut(
        self,
        entry: Any,
        arguments: tuple[Any, ...],
        takes: str,
        shape: tuple[int, ...],
        row: Quantity | None = None,
        pose: bool = False,
    ) -> Call:
        """Shortcut; None in the arguments marks a vector, Ellipsis the result."""
        if READABLE:
            return lambda *_: None
        work, n_v = self._work, self._system.n_v
        about = (
            (*work.call, *arguments),
            tuple("qvx".index(x) for x in takes if x != "0"),
            (self._system.n_q, n_v, n_v),
            shape,
            _ALL_ROWS,
            row is not None and row.cleared,
            POSES[0] if pose else None,
            self._quaternions,
        )
        if compiling.LIBRARY is None or work.packed.own_joints.served:
            return _Shortcut(work.kernel(entry), *about, self._lock, self._error, row is not None)
        more = (QUATERNION_TOLERANCE, self._busy, self._error)
        return compiling.LIBRARY.shortcut(entry.symbol, *about, *more)


class QuickFunction:
    """A quantity as a function of a system and a state that needs no conversion.

    `call` takes the system, a State of it or a pair (q, v), x, the array for the result, and the
    name of a frame; the last three may be None.  Its result is None until `prepared` was called.
    `readable` gives the result of numbers that are no floats, from system, state and x.
    """

    def __init__(self, name: str, readable: Call | None = None) -> None:
        self.name, self.readable, self._key = name, readable, f"shortcut {name}"
        self.call: Call
        if compiling.LIBRARY is not None:
            self.call = compiling.LIBRARY.function(self._key, State)
        else:
            self.call = _function(self._key)
        FUNCTIONS.append(self)

    def prepared(
        self, system: System, state: StateLike, where: Any = None, place: Array | None = None
    ) -> State:
        """The state, checked; the next call of arrays like these is short.

        `where`: the name of a frame, or `place`: constants, of quantities that have one.
        """
        checked = as_state(system, state)
        if not all_floats(checked):
            return checked
        derived = system.derived
        if where is None:
            if self._key in derived:
                return checked
        elif type(where) is not str or where in derived.setdefault(self._key, {}):
            return checked
        shortcuts = derived.get("shortcuts")
        if shortcuts is None:
            shortcuts = derived.setdefault("shortcuts", Shortcuts(system, None))
        call: Call | None
        if where is not None:
            call = shortcuts.at(self.name, where)
        elif place is not None:
            call = shortcuts.of(self.name, place)
        else:
            call = getattr(shortcuts, self.name)
        call = getattr(call, "of_state", call)
        if where is None:
            derived[self._key] = call
        elif call is not None and len(derived[self._key]) < _MOST_PLACES:
            derived[self._key][where] = call
        return checked

    def general(self, system: System, state: StateLike, x: Any = None, where: Any = None) -> Array:
        """The quantity by the general way: arguments are converted, and refused with reasons."""
        state, row = self.prepared(system, state, where), ROWS[self.name]
        vector, place, name = speeds_vector(system, x, "x"), engine.NOTHING, ""
        if where is not None:
            frame = system.place(where)
            place, name = engine.place_constants(system, row, frame), frame.name
        if not all_floats(state, vector) and self.readable is not None:
            return self.readable(system, state, vector)
        check_reals(self.name, state, vector)
        arrays = {"v": state.raw_v, "x": vector, "0": None}
        v, x = (arrays[letter] for letter in row.takes[1:])
        return engine.value(system, row, state.raw_q, v, x, place, name=name)


def _function(key: str) -> Call:
    """What `function` of `calling.c` does, in Python."""

    def call(system: Any, state: Any, x: Any = None, out: Any = None, where: Any = None) -> Any:
        try:
            shortcut = system.derived[key]
            if type(shortcut) is dict:
                shortcut = shortcut[where]
        except (AttributeError, KeyError, TypeError):
            return None
        if type(state) is not State:
            if not isinstance(state, (tuple, list)) or len(state) != 2:
                return None
            return shortcut(*state, x, out)
        return shortcut(state.raw_q, state.raw_v, x, out) if state.system is system else None

    return call


class _Shortcut:
    """A shortcut in Python."""

    def __init__(
        self,
        kernel: Any,
        arguments: tuple[Any, ...],
        vectors: tuple[int, ...],
        sizes: tuple[int, ...],
        shape: tuple[int, ...],
        good: int,
        cleared: bool,
        pose_type: type | None,
        quaternions: tuple[int, ...],
        lock: threading.Lock,
        error: tuple[type[Exception], str] | None,
        in_rows: bool,
    ) -> None:
        self._kernel, self._arguments = kernel, list(arguments)
        self._sizes, self._shape, self._good = [(n,) for n in sizes], shape, good
        self._zero = np.zeros(sizes[2])
        self._new = np.zeros if cleared else np.empty
        self._cleared, self._pose_type = cleared, pose_type
        self._quaternions, self._lock, self._error = quaternions, lock, error
        self._a_row = in_rows and len(shape) == 1  # kernels of the table take rows of vectors
        self._vectors, self._taken = vectors, sorted(set(vectors))
        self._places = [k for k, x in enumerate(arguments) if x is None]
        self._result = next(k for k, x in enumerate(arguments) if x is ...)

    def __call__(self, *inputs: Any) -> Any:
        """Result, or None, from the vectors that the kernel takes."""
        vectors: list[Any] = [None, None, None]
        for k, vector in zip(self._taken, inputs[:-1], strict=True):
            vectors[k] = vector
        return self._evaluate(vectors, self._taken, inputs[-1])

    def of_state(self, *inputs: Any) -> Any:
        """The same from q, v and x; q and v are checked even if the kernel does not take them."""
        q, v, x, out = inputs
        return self._evaluate([q, v, x], {0, 1, *self._taken}, out)

    def _evaluate(self, vectors: list[Any], checked: Any, out: Any) -> Any:
        if vectors[2] is None:
            vectors[2] = self._zero
        if not all(_is_plain_vector(vectors[k], self._sizes[k]) for k in checked):
            return None
        if not self._turns(vectors[0]):
            return None
        if out is not None and not _is_writable(out, self._shape, *(vectors[k] for k in checked)):
            return None
        result = self._new(self._shape) if out is None else out
        if out is not None and self._cleared:
            out.fill(0.0)
        arguments = self._arguments.copy()
        for place, k in zip(self._places, self._vectors, strict=True):
            arguments[place] = vectors[k]
        arguments[self._result] = result[None] if self._a_row else result
        if not self._lock.acquire(blocking=False):
            if self._error is None:
                return None
            kind, words = self._error
            raise kind(words)
        try:
            if self._kernel(*arguments) != self._good:
                return None
        except TypeError:
            return None
        finally:
            self._lock.release()
        if self._pose_type is None:
            return result
        return self._pose_type(result[9:], result[:9].reshape(3, 3))

    def _turns(self, q: Array) -> bool:
        """Whether all quaternions are of unit length."""
        return all(
            abs(math.hypot(*q[start : start + 4].tolist()) - 1) <= QUATERNION_TOLERANCE
            for start in self._quaternions
        )


def _is_plain_vector(vector: Any, shape: tuple[int]) -> bool:
    """Whether it is an array of finite floats of the shape."""
    if type(vector) is not np.ndarray or vector.shape != shape or vector.dtype != _FLOAT:
        return False
    return surely_finite(vector)


def _is_writable(out: Any, shape: tuple[int, ...], *vectors: Array) -> bool:
    """Whether `out` has the shape, and can be written to while the other arrays are read."""
    if type(out) is not np.ndarray or out.shape != shape or out.dtype != _FLOAT:
        return False
    if not out.flags.writeable:
        return False
    owns_memory = out.base is None
    for x in vectors:
        if x is out or (not (owns_memory and x.base is None) and np.may_share_memory(x, out)):
            return False
    return True
