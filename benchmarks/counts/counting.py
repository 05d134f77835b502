"""Numbers that count the operations on them.

The kernels are Python functions on arrays.  Without Numba's compiler they also run on arrays of
`Counting` numbers: the counts are those of the source that is otherwise compiled.  The compiler may
fuse a product and a sum into one instruction and remove operations with known results.

`python -m benchmarks.counts.counting BODIES MODES METHOD` prints the counts of one forward
dynamics as JSON; `counted` starts it, because Numba's compiler must be disabled before its import.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lissom.errors import LissomError

FUNCTIONS = ("sin", "cos", "tan", "sqrt", "exp", "atan2", "hypot")


@dataclass
class Counts:
    """Operations on floating-point numbers.

    Parameters
    ----------
    additions : int
        Additions, subtractions.
    multiplications, divisions : int
        Products and quotients.
    functions : int
        Sines, cosines, roots and other functions of `math`.
    """

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    functions: int = 0

    @property
    def total(self) -> int:
        """Sum of all operations."""
        return self.additions + self.multiplications + self.divisions + self.functions


class Counting:
    """Float that counts its operations.

    Parameters
    ----------
    value : float
        Value of the number.
    counts : Counts
        Counter, shared with all results.
    """

    __slots__ = ("counts", "value")

    def __init__(self, value: Any, counts: Counts) -> None:
        self.value = float(value)
        self.counts = counts

    def __add__(self, other: Any) -> Counting:
        self.counts.additions += 1
        return Counting(self.value + float(other), self.counts)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Counting:
        self.counts.additions += 1
        return Counting(self.value - float(other), self.counts)

    def __rsub__(self, other: Any) -> Counting:
        self.counts.additions += 1
        return Counting(float(other) - self.value, self.counts)

    def __mul__(self, other: Any) -> Counting:
        self.counts.multiplications += 1
        return Counting(self.value * float(other), self.counts)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Counting:
        self.counts.divisions += 1
        return Counting(self.value / float(other), self.counts)

    def __rtruediv__(self, other: Any) -> Counting:
        self.counts.divisions += 1
        return Counting(float(other) / self.value, self.counts)

    def __pow__(self, exponent: int) -> Counting:
        """Integer powers, counted as products."""
        self.counts.multiplications += exponent - 1
        return Counting(self.value**exponent, self.counts)

    def __neg__(self) -> Counting:
        """Change of sign, which is not counted."""
        return Counting(-self.value, self.counts)

    def __abs__(self) -> Counting:
        return Counting(abs(self.value), self.counts)

    def __float__(self) -> float:
        return self.value

    def __int__(self) -> int:
        return int(self.value)

    def __bool__(self) -> bool:
        return self.value != 0.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Counting, float, int)) and self.value == float(other)

    def __lt__(self, other: Any) -> bool:
        return self.value < float(other)

    def __le__(self, other: Any) -> bool:
        return self.value <= float(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > float(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= float(other)

    __hash__ = None  # type: ignore[assignment]


def counting_array(values: Any, counts: Counts) -> np.ndarray:
    """Object array of counting numbers, of the same shape.

    Parameters
    ----------
    values : array
        Numbers.
    counts : Counts
        Counter of the numbers.
    """
    given = np.asarray(values, dtype=float)
    result = np.empty(given.shape, dtype=object)
    for index, value in np.ndenumerate(given):
        result[index] = Counting(value, counts)
    return result


@contextlib.contextmanager
def counting() -> Iterator[Counts]:
    """Context in which the functions of `math` count their calls and return counting numbers."""
    counts = Counts()
    kept = {name: getattr(math, name) for name in FUNCTIONS}

    def counted_function(function: Callable[..., float]) -> Callable[..., Counting]:
        def call(*arguments: Any) -> Counting:
            counts.functions += 1
            return Counting(function(*map(float, arguments)), counts)

        return call

    for name, function in kept.items():
        setattr(math, name, counted_function(function))
    try:
        yield counts
    finally:
        for name, function in kept.items():
            setattr(math, name, function)


def counted(bodies: int, modes: int, methods: Iterable[str]) -> dict[str, Counts]:
    """Counts of one forward dynamics of a flexible chain by each method, in a fresh interpreter.

    Parameters
    ----------
    bodies, modes : int
        Size of the chain.
    methods : iterable of str
        "articulated", "composite".
    """
    command = [sys.executable, "-m", __name__, str(bodies), str(modes), *methods]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    root = Path(__file__).resolve().parents[2]  # folder of the package `benchmarks`
    done = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise LissomError(f"counting the operations failed: {done.stderr.strip()[-400:]}")
    return {method: Counts(**values) for method, values in json.loads(done.stdout).items()}


def main(arguments: list[str]) -> None:
    """Print the counts selected by the command-line arguments."""
    from .kernels import count_forward_dynamics

    bodies, modes = (int(text) for text in arguments[:2])
    found = {m: asdict(count_forward_dynamics(bodies, modes, m)) for m in arguments[2:]}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
