"""Configuration and speeds of a system."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..errors import MOST_LINES, StateError, printable, shown
from ..notebook import numbers, table
from ..printing import WIDTH
from ..spatial.scalar import array, is_numeric

if TYPE_CHECKING:
    from .system import System

Array = np.ndarray

# What functions accept as a state: a State, or its coordinates and speeds (q, v).
StateLike: TypeAlias = "State | Sequence[Any]"

# Largest deviation of a quaternion from unit length, as integration may cause; within this limit
# it is normalised when used.
QUATERNION_TOLERANCE = 1e-3

SHORT = 32  # entries up to which Python adds numbers faster than NumPy


class State:
    """Coordinates q and speeds v of a system; immutable.

    Read pieces by name: ``state["arm"]`` are the hinge coordinates of body "arm",
    ``state["arm.modes"]`` its modal coordinates, ``state["arm.rates"]`` and
    ``state["arm.mode_rates"]`` their rates.  Make one with `System.state`.

    Parameters
    ----------
    system : System
        System of the state.
    q : array (n_q,)
        Coordinates, numbers or symbols.
    v : array (n_v,)
        Speeds.
    """

    __slots__ = ("q", "raw_q", "raw_v", "real", "system", "v")

    q: Array
    v: Array
    system: System
    real: bool  # whether q and v are floats, which the kernels take
    # Writable arrays behind q and v, which the kernels accept faster; they are never written to.
    raw_q: Array
    raw_v: Array

    def __init__(self, system: System, q: Any, v: Any) -> None:
        layout = system.layout
        q = checked_vector(q, layout.n_q, "q", system)
        v = checked_vector(v, layout.n_v, "v", system)
        if system.quaternions:
            check_quaternions(system, q)
        _set(self, system, q, v)

    @classmethod
    def trusted(cls, system: System, q: Array, v: Array) -> State:
        """State from finite arrays of the right shape that are not referenced elsewhere; unchecked.

        Parameters
        ----------
        system : System
            System of the state.
        q, v : array (n_q,), (n_v,)
            Coordinates and speeds.
        """
        state = cls.__new__(cls)
        _set(state, system, q, v)
        return state

    def replace(self, *, q: Any = None, v: Any = None) -> State:
        """State with another q or v.

        Parameters
        ----------
        q : array (n_q,), optional
            New coordinates; by default the present ones.
        v : array (n_v,), optional
            New speeds; by default the present ones.
        """
        return State(self.system, self.q if q is None else q, self.v if v is None else v)

    def __getitem__(self, key: str) -> Array:
        """Piece of the state by name."""
        vector, piece = self.system.layout.piece(key)
        return getattr(self, vector)[piece]

    def __setattr__(self, name: str, value: Any) -> None:
        """Reject assignment: states are immutable."""
        raise AttributeError("a State is immutable; use state.replace(q=..., v=...)")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by rebuilding."""
        return State, (self.system, self.q, self.v)

    def _repr_html_(self) -> str:
        """Coordinates and speeds by body as a table, for notebooks."""
        heads = ("body", "coordinates", "rates", "modes", "rates of modes")
        names = self.system.names
        rows = [
            (x, *(numbers(self[x + part]) for part in ("", ".rates", ".modes", ".mode_rates")))
            for x in names[:MOST_LINES]
        ]
        left = len(names) - MOST_LINES
        more = [f"... and {left} more bodies"] if left > 0 else []
        title = f"State of {self.system.name or 'a system'}: {len(self.q)} coordinates"
        return table(title, heads, rows, more)

    def __repr__(self) -> str:
        """Pieces by body."""
        names = self.system.names
        rows = [f"State of {printable(self.system.name) or 'a system'}:"]
        for name in names[:MOST_LINES]:
            for part in ("", ".modes", ".rates", ".mode_rates"):
                if len(values := self[name + part]):
                    rows.append(row_text(name + part, values))
        left = len(names) - MOST_LINES
        return "\n".join([*rows, *([f"  ... and {left} more bodies"] if left > 0 else [])])


def row_text(name: str, values: Array) -> str:
    """Name and numbers of a piece of a state, in lines of at most 80 columns.

    `values` (n,): numbers.
    """
    indent = " " * max(27, len(printable(name)) + 3)
    words = np.array2string(
        values, precision=6, threshold=40, max_line_width=max(WIDTH - len(indent), 30)
    )
    return f"  {printable(name):24s} " + words.replace("\n", f"\n{indent}")


# The slots of a state, which its __setattr__ refuses to set.
_SLOTS = tuple(State.__dict__[name].__set__ for name in State.__slots__)
_FLOAT = np.dtype(float)


def _set(state: State, system: System, q: Array, v: Array) -> None:
    set_q, set_raw_q, set_raw_v, set_real, set_system, set_v = _SLOTS
    shown_q, shown_v = q.view(), v.view()
    shown_q.setflags(write=False)
    shown_v.setflags(write=False)
    set_system(state, system)
    set_raw_q(state, q)
    set_raw_v(state, v)
    set_q(state, shown_q)
    set_v(state, shown_v)
    set_real(state, q.dtype == _FLOAT and v.dtype == _FLOAT)


def checked_vector(values: Any, n: int, what: str, system: System) -> Array:
    """New array (n,) of finite numbers or of symbols, or a StateError."""
    if type(values) is np.ndarray and values.dtype == _FLOAT and values.shape == (n,):
        result = values.copy()
        if not surely_finite(result):
            check_finite(result, what, system)
        return result
    try:
        result = array(values)
    except (TypeError, ValueError):
        raise StateError(f"{what} is not an array of numbers: {shown(values)}") from None
    if result.shape != (n,):
        raise StateError(
            f"{what} has shape {result.shape}; {system.name or 'this system'} needs ({n},): "
            f"{system.n_q} coordinates, {system.n_v} speeds"
        )
    if is_numeric(result):
        check_finite(result, what, system)
    return result


def surely_finite(vector: Array) -> bool:
    """Whether all numbers are finite; False also if they are so large that sums overflow.

    `vector` (n,): floats.
    """
    if len(vector) <= SHORT:
        return math.isfinite(sum(vector.tolist()))
    return math.isfinite(np.vdot(vector, vector))


def check_finite(vector: Array, what: str, system: System) -> None:
    """Reject a vector of coordinates or speeds with an entry that is not finite.

    `vector` (n_q,) if `what` is "q", else (n_v,): numbers.
    """
    if np.all(np.isfinite(vector)):
        return
    k = int(np.flatnonzero(~np.isfinite(vector))[0])
    owner = system.layout.owner_q(k) if what == "q" else system.layout.owner_v(k)
    raise StateError(f"{what}[{k}], {owner}, is {vector[k]}; all entries must be finite")


def check_quaternions(system: System, q: Array) -> None:
    """Reject coordinates with a quaternion whose length is not 1.

    `q` (n_q,): coordinates, numbers or symbols.
    """
    if not is_numeric(q):
        return
    for name, start in system.quaternions:
        length = math.hypot(*q[start : start + 4].real.tolist())
        if abs(length - 1) > QUATERNION_TOLERANCE:
            raise StateError(
                f"the quaternion of body {name!r} (q[{start}:{start + 4}]) has length "
                f"{length:.6g}; it must be 1 to within {QUATERNION_TOLERANCE}: normalise it"
            )
