"""Matrix-free linear operators and their algebra.

An operator has a name, a shape, the cost of a multiplication and the state to which it belongs.
``A @ x`` accepts a vector or a matrix of columns, ``A @ B`` is an operator, ``A.T`` is the
transpose, ``A.as_matrix()`` the dense matrix.  Operators of different states cannot be combined.
SciPy accepts them as a LinearOperator (they have shape, dtype, matvec, rmatvec).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ...errors import StateError, shown
from ...printing import filled, folded
from ...spatial.scalar import array, is_numeric

Array = np.ndarray


class Origin(Protocol):
    """What all operators of one state share."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers: complex at a complex state."""


@dataclass(frozen=True)
class Label:
    """Name, cost and state of an operator."""

    name: str  # name as in the papers
    cost: str  # cost of one multiplication with a vector
    origin: Origin  # shared by all operators of one state


class SpatialOperator(ABC):
    """Linear map of shape (rows, columns); see the module docstring.

    Parameters
    ----------
    label : Label
        Name, cost and state.
    shape : (int, int)
        Rows and columns.
    """

    __array_ufunc__ = None  # NumPy leaves ``array @ operator`` to __rmatmul__

    def __init__(self, label: Label, shape: tuple[int, int]) -> None:
        self.label = label
        self.shape = shape
        self.dtype: np.dtype[Any] = label.origin.dtype

    @abstractmethod
    def _apply(self, x: Array) -> Array:
        """Product with columns x (columns, k)."""

    @abstractmethod
    def _apply_transpose(self, y: Array) -> Array:
        """Product of the transpose with columns y (rows, k)."""

    @property
    def name(self) -> str:
        """Name as in the papers."""
        return self.label.name

    @property
    def cost(self) -> str:
        """Cost of one multiplication with a vector."""
        return self.label.cost

    @property
    def T(self) -> SpatialOperator:
        """Transpose (the papers' star)."""
        return _Transpose(self)

    def as_matrix(self) -> Array:
        """Dense matrix, for inspection; costs one multiplication for each column."""
        return self._apply(np.eye(self.shape[1]))

    def __matmul__(self, other: Any) -> Any:
        """Product with a vector, with columns or with another operator."""
        if isinstance(other, SpatialOperator):
            return _product(self, other)
        x = self._checked(other, self.shape[1])
        return self._apply(x[:, None])[:, 0] if x.ndim == 1 else self._apply(x)

    def __rmatmul__(self, other: Any) -> Array:
        """Product of a row vector, or of rows, with the operator."""
        return (self.T @ np.asarray(other).T).T

    def __add__(self, other: SpatialOperator) -> SpatialOperator:
        """Sum of two operators of the same shape and state."""
        return _Sum(self, other, 1.0)

    def __sub__(self, other: SpatialOperator) -> SpatialOperator:
        """Difference of two operators of the same shape and state."""
        return _Sum(self, other, -1.0)

    def __mul__(self, scalar: complex) -> SpatialOperator:
        """Multiple of the operator; ``2 * A @ x`` is ``(2 * A) @ x``."""
        try:
            factor = array(scalar)
        except (TypeError, ValueError):
            factor = np.zeros(0)
        if factor.ndim or not is_numeric(factor):
            raise StateError(
                f"{self.name} * {shown(scalar)}: an operator is multiplied by a number"
            )
        return _Scaled(self, factor.item())

    __rmul__ = __mul__

    def __neg__(self) -> SpatialOperator:
        """Negative of the operator."""
        return self * -1.0

    def named(self, name: str, cost: str) -> SpatialOperator:
        """Same operator under another name."""
        return _Named(self, Label(name, cost, self.label.origin))

    def matvec(self, x: Array) -> Array:
        """Product with a vector, under SciPy's name."""
        return self @ x

    def rmatvec(self, y: Array) -> Array:
        """Product of the conjugate transpose with a vector, under SciPy's name."""
        return np.conj(self.T @ np.conj(y))

    def matmat(self, x: Array) -> Array:
        """Product with columns, under SciPy's name."""
        return self @ x

    def rmatmat(self, y: Array) -> Array:
        """Product of the conjugate transpose with columns, under SciPy's name."""
        return np.conj(self.T @ np.conj(y))

    def __repr__(self) -> str:
        """Name, shape and cost."""
        return folded(f"{self.name}: {self.shape[0]} x {self.shape[1]}, {self.cost}")

    def _checked(self, x: Any, n: int) -> Array:
        try:
            columns = array(x)
        except (TypeError, ValueError, OverflowError):
            columns = np.array(None)
        if not is_numeric(columns):
            raise StateError(
                f"{self.name} @ x: x is {shown(x)}, not an array of numbers, real or complex"
            )
        if columns.ndim not in (1, 2) or columns.shape[0] != n:
            raise StateError(
                f"{self.name} @ x: x has shape {columns.shape}; {self.name} is "
                f"{self.shape[0]} x {self.shape[1]}, so x needs {n} rows"
            )
        return columns


def listed(operators: Any, title: str) -> str:
    """Title and names of the operators that are properties of an object."""
    names = {
        name
        for kind in type(operators).__mro__
        for name, member in vars(kind).items()
        if isinstance(member, (property, cached_property)) and not name.startswith("_")
    }
    return filled(f"{title}: ", sorted(names, key=str.lower), end="")


def _require_common_state(a: SpatialOperator, b: SpatialOperator, sign: str) -> Label:
    if not isinstance(b, SpatialOperator):
        raise StateError(f"{a.name} {sign} {b!r}: the second operand is not an operator")
    if a.label.origin is not b.label.origin:
        raise StateError(
            f"{a.name} {sign} {b.name}: the operators belong to different states; take both from "
            "one call of operators(system, state)"
        )
    return Label(f"{a.name} {sign} {b.name}", "the sum of the two costs", a.label.origin)


class _Transpose(SpatialOperator):
    def __init__(self, inner: SpatialOperator) -> None:
        label = Label(f"{inner.name}.T", inner.cost, inner.label.origin)
        super().__init__(label, inner.shape[::-1])
        self._inner = inner

    @property
    def T(self) -> SpatialOperator:
        return self._inner

    def _apply(self, x: Array) -> Array:
        return self._inner._apply_transpose(x)

    def _apply_transpose(self, y: Array) -> Array:
        return self._inner._apply(y)


class _Named(SpatialOperator):
    def __init__(self, inner: SpatialOperator, label: Label) -> None:
        super().__init__(label, inner.shape)
        self._inner = inner

    def _apply(self, x: Array) -> Array:
        return self._inner._apply(x)

    def _apply_transpose(self, y: Array) -> Array:
        return self._inner._apply_transpose(y)


class _Scaled(SpatialOperator):
    def __init__(self, inner: SpatialOperator, scalar: complex) -> None:
        label = Label(f"{scalar:g} {inner.name}", inner.cost, inner.label.origin)
        super().__init__(label, inner.shape)
        self.dtype = np.result_type(inner.dtype, scalar)
        self._inner, self._scalar = inner, scalar

    def _apply(self, x: Array) -> Array:
        return self._scalar * self._inner._apply(x)

    def _apply_transpose(self, y: Array) -> Array:
        return self._scalar * self._inner._apply_transpose(y)


class _Product(SpatialOperator):
    def __init__(self, factors: Sequence[SpatialOperator]) -> None:
        name = " @ ".join(f"({f.name})" if " " in f.name else f.name for f in factors)
        label = Label(name, "the sum of the factors' costs", factors[0].label.origin)
        super().__init__(label, (factors[0].shape[0], factors[-1].shape[1]))
        self._factors = tuple(factors)

    def _apply(self, x: Array) -> Array:
        for factor in reversed(self._factors):
            x = factor._apply(x)
        return x

    def _apply_transpose(self, y: Array) -> Array:
        for factor in self._factors:
            y = factor._apply_transpose(y)
        return y


def _product(a: SpatialOperator, b: SpatialOperator) -> SpatialOperator:
    _require_common_state(a, b, "@")
    if a.shape[1] != b.shape[0]:
        raise StateError(
            f"{a.name} @ {b.name}: shapes {a.shape[0]} x {a.shape[1]} and "
            f"{b.shape[0]} x {b.shape[1]} do not match"
        )
    factors = [*(a._factors if isinstance(a, _Product) else (a,))]
    factors += [*(b._factors if isinstance(b, _Product) else (b,))]
    return _Product(factors)


class _Sum(SpatialOperator):
    def __init__(self, a: SpatialOperator, b: SpatialOperator, sign: float) -> None:
        label = _require_common_state(a, b, "+" if sign > 0 else "-")
        if a.shape != b.shape:
            raise StateError(f"{label.name}: shapes {a.shape} and {b.shape} differ")
        super().__init__(label, a.shape)
        self._a, self._b, self._sign = a, b, sign

    def _apply(self, x: Array) -> Array:
        return self._a._apply(x) + self._sign * self._b._apply(x)

    def _apply_transpose(self, y: Array) -> Array:
        return self._a._apply_transpose(y) + self._sign * self._b._apply_transpose(y)


class Identity(SpatialOperator):
    """Identity on a space of n entries."""

    def __init__(self, n: int, origin: Origin) -> None:
        super().__init__(Label("I", "nothing", origin), (n, n))

    def _apply(self, x: Array) -> Array:
        return x

    def _apply_transpose(self, y: Array) -> Array:
        return y


class Dense(SpatialOperator):
    """Small dense matrix as an operator."""

    def __init__(self, label: Label, matrix: Array) -> None:
        super().__init__(label, matrix.shape)
        self._matrix = matrix

    def _apply(self, x: Array) -> Array:
        return self._matrix @ x

    def _apply_transpose(self, y: Array) -> Array:
        return self._matrix.T @ y
