"""Calls of the kernels with arrays that need no conversion, in a workspace of their own.

Each method returns None for anything unusual: arrays of another type, shape or order, numbers that
are not finite, a quaternion that is not of unit length, a frame that is not a node, a result that
is not finite.  `Evaluator` then takes the general way, which converts what can be converted and
explains what cannot.
"""

from __future__ import annotations

import math
import threading
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...errors import LissomError, StateError
from ...kernels import entries, fields as field
from ...system import System
from ...system.state import QUATERNION_TOLERANCE, surely_finite
from . import engine
from .arguments import READABLE

Array = np.ndarray

INVERSE = engine.ALL | field.ACCELERATED
_ALL_ROWS = -1  # status of kernels that work on rows of states
_FLOAT = np.dtype(float)
_MOST_PLACES = 1000  # nodes whose constants are kept


class Quick:
    """Kernels of one system, with a workspace that one thread uses at a time.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    """

    def __init__(self, system: System) -> None:
        self._system, self._lock = system, threading.Lock()
        self._q, self._v, self._zero = (system.n_q,), (system.n_v,), np.zeros(system.n_v)
        self._quaternions = tuple(start for _, start in system.quaternions)
        self._places: dict[str, Array] = {}

    def forward_dynamics(self, q: Any, v: Any, forces: Any, out: Any) -> Array | None:
        """Accelerations; forces None: zero."""
        T = self._zero if forces is None else forces
        if not self._moves(q, v) or type(T) is not np.ndarray or T.shape != self._v:
            return None
        if out is not None and not _fits(out, self._v, q, v, T):
            return None
        vdot = np.empty(self._v) if out is None else out
        if self._work.composite:
            given = ((q, v, T, vdot), True, engine.CAREFUL, engine.ALL, 0, 1)
            return vdot if self._done(_ALL_ROWS, self._work.accelerations, *given) else None
        done = self._done(_ALL_ROWS, self._forward, q, v, T, vdot, engine.ALL, 0, 1)
        return vdot if done else None

    def inverse_dynamics(self, q: Any, v: Any, x: Any, out: Any, flags: int) -> Array | None:
        """Forces of accelerations x in the tree, or parts of them."""
        if not self._moves(q, v) or type(x) is not np.ndarray or x.shape != self._v:
            return None
        if out is not None and not _fits(out, self._v, q, v, x):
            return None
        T = np.empty(self._v) if out is None else out
        return T if self._done(_ALL_ROWS, self._inverse, q, v, x, T, flags, 0, 1) else None

    def mass_matrix(self, q: Any, out: Any) -> Array | None:
        """Mass matrix of the tree."""
        shape = self._v + self._v
        if not self._stands(q) or (out is not None and not _fits(out, shape, q)):
            return None
        M = np.empty(shape) if out is None else out
        return M if self._done(field.DONE, self._mass, q, M, 0, 1, True) else None

    def frame(self, q: Any, v: Any, where: Any) -> Array | None:
        """Attitude 9, position 3 and velocity 6 of a node in world axes; v None: not the last."""
        rates, flags = (self._zero, 0) if v is None else (v, field.ACCELERATED)
        node = self._place(where)
        if node is None or not self._moves(q, rates):
            return None
        found = np.empty(18)
        given = (q, rates, rates, found, node, flags, 0, 1)
        return found if self._done(_ALL_ROWS, self._frame, *given) else None

    def jacobian(self, q: Any, where: Any, out: Any) -> Array | None:
        """Jacobian of a node, world axes."""
        shape, node = (6, *self._v), self._place(where)
        if node is None or not self._stands(q):
            return None
        if out is None:
            J = np.zeros(shape)
        elif _fits(out, shape, q) and out.dtype == _FLOAT and out.flags.writeable:
            J = out
            J.fill(0.0)
        else:
            return None
        return J if self._done(field.DONE, self._jacobian, q, node, J, 0) else None

    def totals(self, q: Any, v: Any) -> Array | None:
        """Kinetic, potential and strain energy, and more: see `engine.totals`."""
        if not self._moves(q, v):
            return None
        sums = np.zeros(16)
        given = (q, v, sums, field.ACCELERATED, 0, 1)
        return sums if self._done(_ALL_ROWS, self._totals, *given) else None

    # Workspace and kernels, made and loaded when first used

    @cached_property
    def _work(self) -> engine.Workspace:
        return engine.Workspace(self._system, engine.packed_constants(self._system))

    def _bound(self, entry: Any) -> Any:
        return partial(self._work.kernel(entry), *self._work.call)

    @cached_property
    def _forward(self) -> Any:
        return self._bound(entries.FORWARD)

    @cached_property
    def _inverse(self) -> Any:
        return self._bound(entries.INVERSE)

    @cached_property
    def _mass(self) -> Any:
        return self._bound(entries.MASS)

    @cached_property
    def _frame(self) -> Any:
        return self._bound(entries.FRAME)

    @cached_property
    def _jacobian(self) -> Any:
        return self._bound(entries.JACOBIAN)

    @cached_property
    def _totals(self) -> Any:
        return self._bound(entries.TOTALS)

    # Checks

    def _stands(self, q: Any) -> bool:
        """Whether q is an array of coordinates that the kernels take."""
        if READABLE or type(q) is not np.ndarray or q.shape != self._q or q.dtype != _FLOAT:
            return False
        return surely_finite(q) and (not self._quaternions or self._turns(q))

    def _moves(self, q: Any, v: Any) -> bool:
        """Whether q and v are arrays that the kernels take."""
        if type(v) is not np.ndarray or v.shape != self._v or v.dtype != _FLOAT:
            return False
        return self._stands(q) and surely_finite(v)

    def _turns(self, q: Array) -> bool:
        """Whether all quaternions are of unit length."""
        for start in self._quaternions:
            length = math.hypot(*q[start : start + 4].tolist())
            if abs(length - 1) > QUATERNION_TOLERANCE:
                return False
        return True

    def _place(self, where: Any) -> Array | None:
        """Constants of a node; None for a frame beside one, and for a name that is not known."""
        found = self._places.get(where) if type(where) is str else None
        if found is None:
            try:
                place = self._system.place(where)
            except LissomError:
                return None
            if not place.plain or place.grounded:
                return None
            found = engine.node_constants(self._system, place.body, place.node)
            if type(where) is str and len(self._places) < _MOST_PLACES:
                self._places[where] = found
        return found

    def _done(self, good: int, kernel: Any, *given: Any) -> bool:
        """Whether a kernel has written its result; False for arrays of another type or order."""
        if not self._lock.acquire(blocking=False):
            raise StateError(
                "this evaluator is in use by another thread, or by a joint that it is evaluating; "
                "give each its own: system.evaluator()"
            )
        try:
            return bool(kernel(*given) == good)
        except TypeError:
            return False
        finally:
            self._lock.release()


def _fits(out: Any, shape: tuple[int, ...], *given: Array) -> bool:
    """Whether `out` has the shape, and can be written to while the other arrays are read."""
    if type(out) is not np.ndarray or out.shape != shape:
        return False
    own = out.base is None
    for x in given:
        if x is out or (not (own and x.base is None) and np.may_share_memory(x, out)):
            return False
    return True
