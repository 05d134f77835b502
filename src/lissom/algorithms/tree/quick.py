"""Kernels on arrays that need no conversion, in a workspace of their own.

A shortcut is a kernel with most of its arguments fixed.  It takes the other vectors and the array
for the result, or None for a new one.  It returns the result, or None for anything unusual: arrays
of another type, shape or order, numbers that are not finite, a quaternion that is not of unit
length, a result that overlaps what is read, another status than the good one.  `Evaluator` then
takes the general way, which converts what can be converted and explains what cannot.

With kernels built ahead shortcuts are functions in C; `_Shortcut` is the same for those of Numba.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import LissomError, StateError
from ...kernels import compiling, entries, fields as field
from ...system import Frame, System
from ...system.state import QUATERNION_TOLERANCE, surely_finite
from . import engine
from .arguments import READABLE
from .kinematics import Pose

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


class Quick:
    """Shortcuts of one system, with a workspace that one thread uses at a time."""

    def __init__(self, system: System) -> None:
        self._system, self._busy, self._lock = system, bytearray(1), threading.Lock()
        self._quaternions = tuple(start for _, start in system.quaternions)
        # of frames, by name, as far as they were asked for
        self.poses: dict[str, Call] = {}
        self.velocities: dict[str, Call] = {}
        self.jacobians: dict[str, Call] = {}

    @cached_property
    def forward_dynamics(self) -> Call:
        """Accelerations (n_v,) from q, v and forces."""
        work = self._work
        if work.composite:
            more: tuple[Any, ...] = (work.mass, engine.CAREFUL, engine.ALL, 0, 1)
            return self._moving(entries.COMPOSITE, *more)
        return self._moving(entries.FORWARD, engine.ALL, 0, 1)

    @cached_property
    def inverse_dynamics(self) -> Call:
        """Forces (n_v,) in the tree from q, v and accelerations."""
        return self._moving(entries.INVERSE, engine.ALL | field.ACCELERATED, 0, 1)

    @cached_property
    def accelerations(self) -> Array:
        """Accelerations (n_v,) of the last `forward_derivatives`."""
        return np.zeros(self._system.n_v)

    @cached_property
    def forward_derivatives(self) -> Call:
        """Derivatives (3 n_v, n_v) of the accelerations from q, v and forces."""
        n, vectors = self._system.n_v, (None, None, None, self.accelerations)
        arguments = (*self._work.derivatives, *vectors, np.empty(n), ..., engine.ALL, 0, 1)
        shape = (3 * n, n)
        return self._shortcut(entries.FORWARD_DERIVATIVES, arguments, self._sizes, shape)

    @cached_property
    def inverse_derivatives(self) -> Call:
        """Derivatives (3 n_v, n_v) of the forces from q, v and accelerations."""
        n, flags = self._system.n_v, engine.ALL | field.ACCELERATED
        arguments = (*self._work.derivatives, None, None, None, np.empty(n), ..., flags, 0, 1)
        shape = (3 * n, n)
        return self._shortcut(entries.INVERSE_DERIVATIVES, arguments, self._sizes, shape)

    @cached_property
    def gravity_force(self) -> Call:
        """Forces (n_v,) against gravity from q and two vectors of zeros."""
        return self._moving(entries.INVERSE, field.GRAVITY, 0, 1)

    @cached_property
    def mass_matrix(self) -> Call:
        """Mass matrix (n_v, n_v) of the tree from q."""
        n = self._system.n_v
        arguments = (None, ..., 0, 1, True, 0, 1)
        return self._shortcut(entries.MASS, arguments, self._sizes[:1], (n, n))

    @cached_property
    def totals(self) -> Call:
        """Kinetic, potential and strain energy, and more (`engine.totals`), from q and v."""
        arguments = (None, None, ..., field.ACCELERATED, 0, 1)
        return self._shortcut(entries.TOTALS, arguments, self._sizes[:2], (16,), zeroed=True)

    def pose(self, where: str) -> Call | None:
        """`Pose` of a frame, from q."""
        return self._at(self.poses, where, self._pose)

    def velocity(self, where: str) -> Call | None:
        """Attitude 9, position 3 and velocity 6 of a node in world axes, from q, v and again v."""
        return self._at(self.velocities, where, self._velocity)

    def jacobian(self, where: str) -> Call | None:
        """Jacobian (6, n_v) of a frame in world axes, from q."""
        return self._at(self.jacobians, where, self._jacobian)

    def _pose(self, frame: Frame) -> Call:
        arguments = (None, ..., engine.path_constants(self._system, frame), 0, 1)
        return self._shortcut(entries.POSE, arguments, self._sizes[:1], (12,), pose_type=Pose)

    def _velocity(self, frame: Frame) -> Call | None:
        if not frame.plain:
            return None
        node = engine.node_constants(self._system, frame.body, frame.node)
        arguments = (None, None, None, ..., node, field.ACCELERATED, 0, 1)
        return self._shortcut(entries.FRAME, arguments, self._sizes, (18,))

    def _jacobian(self, frame: Frame) -> Call:
        arguments = (None, engine.path_constants(self._system, frame), ..., 0, 1)
        shape, sizes = (6, self._system.n_v), self._sizes[:1]
        return self._shortcut(entries.JACOBIAN, arguments, sizes, shape, zeroed=True)

    # Workspace and shortcuts, made when first used

    @cached_property
    def _work(self) -> engine.Workspace:
        return engine.Workspace(self._system, engine.packed_constants(self._system))

    @property
    def _sizes(self) -> tuple[int, ...]:
        return self._system.n_q, self._system.n_v, self._system.n_v

    def _moving(self, entry: Any, *more: Any) -> Call:
        """Shortcut of a kernel from q, v and another vector to one of the same length."""
        arguments = (None, None, None, ..., *more)
        return self._shortcut(entry, arguments, self._sizes, (self._system.n_v,))

    def _shortcut(
        self,
        entry: Any,
        arguments: tuple[Any, ...],
        sizes: tuple[int, ...],
        shape: tuple[int, ...],
        zeroed: bool = False,
        pose_type: type[Pose] | None = None,
    ) -> Call:
        """Shortcut; None in the arguments marks a vector, Ellipsis the result.

        With `pose_type` the result is a `Pose`, from attitude 9 and position 3.
        """
        work = self._work
        about = (
            (*work.call, *arguments),
            sizes,
            shape,
            _ALL_ROWS,
            zeroed,
            pose_type,
            self._quaternions,
        )
        if READABLE:
            return lambda *_: None
        if compiling.LIBRARY is None or work.packed.own_joints.served:
            return _Shortcut(work.kernel(entry), *about, self._lock)
        more = (QUATERNION_TOLERANCE, self._busy, _IN_USE)
        return compiling.LIBRARY.shortcut(entry.symbol, *about, *more)

    def _at(
        self, shortcuts: dict[str, Call], where: str, make: Callable[[Frame], Call | None]
    ) -> Call | None:
        """Shortcut for a frame, kept; None for one on the ground, and for a name not known."""
        try:
            frame = self._system.place(where)
        except LissomError:
            return None
        shortcut = None if frame.grounded else make(frame)
        if shortcut is not None and len(shortcuts) < _MOST_PLACES:
            shortcuts[where] = shortcut
        return shortcut


class _Shortcut:
    """A shortcut in Python."""

    def __init__(
        self,
        kernel: Any,
        arguments: tuple[Any, ...],
        sizes: tuple[int, ...],
        shape: tuple[int, ...],
        good: int,
        zeroed: bool,
        pose_type: type[Pose] | None,
        quaternions: tuple[int, ...],
        lock: threading.Lock,
    ) -> None:
        self._kernel, self._arguments = kernel, list(arguments)
        self._sizes, self._shape, self._good = [(n,) for n in sizes], shape, good
        self._new = np.zeros if zeroed else np.empty
        self._zeroed, self._pose_type = zeroed, pose_type
        self._quaternions, self._lock = quaternions, lock
        self._vectors = [k for k, x in enumerate(arguments) if x is None]
        self._result = next(k for k, x in enumerate(arguments) if x is ...)

    def __call__(self, *inputs: Any) -> Any:
        """Result, or None."""
        *vectors, out = inputs
        if not all(map(_is_plain_vector, vectors, self._sizes)) or not self._turns(vectors[0]):
            return None
        if out is not None and not _is_writable(out, self._shape, *vectors):
            return None
        result = self._new(self._shape) if out is None else out
        if out is not None and self._zeroed:
            out.fill(0.0)
        arguments = self._arguments.copy()
        for k, x in zip(self._vectors, vectors, strict=True):
            arguments[k] = x
        arguments[self._result] = result
        if not self._lock.acquire(blocking=False):
            kind, words = _IN_USE
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
