"""Checks of the data of a linear-quadratic problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import ModelError, shown

Array = np.ndarray
Shape = tuple[int, ...]

# Relative asymmetry above which a weight is rejected.
_SYMMETRY = 1e-9


def node_label(i: int, names: Sequence[str]) -> str:
    """Description of node i for messages."""
    return f"node {i} ({names[i]})" if names else f"node {i}"


def checked_fields(by_field: Mapping[str, Any]) -> dict[str, Any]:
    """Validated fields of an `LQProblem`, with zeros for omitted ones."""
    n = count(by_field["transition"], "transition")
    if n == 0:
        raise ModelError("transition is empty; a problem needs at least one node")
    names = tuple(str(name) for name in by_field["names"] or ())
    if len(names) not in (0, n):
        raise ModelError(f"names has {len(names)} entries; there are {n} nodes")
    parent = _checked_parent(by_field["parent"], n)
    A = _blocks(by_field, "transition", names, 2, n)
    B = _blocks(by_field, "control_map", names, 2, n)
    x0 = _checked_initial_state(by_field["initial_state"], A[parent.index(-1)].shape[1])
    inboard = [len(x0) if p < 0 else len(A[p]) for p in parent]
    sizes = [(len(a), b.shape[1], n_p) for a, b, n_p in zip(A, B, inboard, strict=True)]
    e = _finite(by_field["constraint_value"], "constraint_value", 1)
    shapes: dict[str, list[Shape]] = {
        "transition": [(s, s_p) for s, _, s_p in sizes],
        "control_map": [(s, m) for s, m, _ in sizes],
        "state_weight": [(s, s) for s, _, _ in sizes],
        "state_slope": [(s,) for s, _, _ in sizes],
        "control_reward": [(m,) for _, m, _ in sizes],
        "control_weight": [(m, m) for _, m, _ in sizes],
        "cross_weight": [(s, m) for s, m, _ in sizes],
        "inboard_cross_weight": [(s_p, m) for _, m, s_p in sizes],
        "offset": [(s,) for s, _, _ in sizes],
        "state_constraint": [(len(e), s) for s, _, _ in sizes],
        "control_constraint": [(len(e), m) for _, m, _ in sizes],
    }
    fields: dict[str, Any] = {
        "names": names,
        "parent": parent,
        "initial_state": x0,
        "constraint_value": e,
    }
    for field, expected in shapes.items():
        fields[field] = _with_shapes(by_field, field, names, expected)
    for field in ("state_weight", "control_weight"):
        _check_symmetric(field, fields[field], names)
    return fields


def count(values: Any, field: str) -> int:
    """Number of entries; zero for None."""
    try:
        return 0 if values is None else len(values)
    except TypeError:
        raise ModelError(
            f"{field} is {shown(values)}; expected a sequence with one array per node"
        ) from None


def _blocks(
    by_field: Mapping[str, Any], field: str, names: Sequence[str], ndim: int, n: int
) -> tuple[Array, ...]:
    """One finite read-only array of `ndim` axes for each node."""
    values = by_field[field]
    if (n_entries := count(values, field)) != n:
        raise ModelError(
            f"{field} has {n_entries} entries; there are {n} nodes (entries of transition)"
        )
    return tuple(
        _finite(value, f"{node_label(i, names)}: {field}", ndim) for i, value in enumerate(values)
    )


def _finite(value: Any, what: str, ndim: int) -> Array:
    try:
        if np.iscomplexobj(value):
            raise TypeError
        result = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{what} is not an array of real numbers: {shown(value)}") from None
    if result.ndim != ndim:
        raise ModelError(f"{what} has shape {result.shape}; expected {ndim} axes")
    if not np.all(np.isfinite(result)):
        raise ModelError(f"{what} contains entries that are not finite")
    result.flags.writeable = False
    return result


def _with_shapes(
    by_field: Mapping[str, Any], field: str, names: Sequence[str], expected: Sequence[Shape]
) -> tuple[Array, ...]:
    """Arrays of a field with checked shapes; zeros if it was omitted."""
    if count(by_field[field], field) == 0 and field != "state_weight":
        return tuple(_finite(np.zeros(shape), field, len(shape)) for shape in expected)
    blocks = _blocks(by_field, field, names, len(expected[0]), len(expected))
    for i, (block, shape) in enumerate(zip(blocks, expected, strict=True)):
        if block.shape != shape:
            raise ModelError(
                f"{node_label(i, names)}: {field} has shape {block.shape}; expected {shape} from "
                "the sizes of transition, control_map, constraint_value and the parent's state"
            )
    return blocks


def _check_symmetric(field: str, blocks: Sequence[Array], names: Sequence[str]) -> None:
    for i, block in enumerate(blocks):
        if np.abs(block - block.T).max(initial=0.0) > _SYMMETRY * np.abs(block).max(initial=0.0):
            raise ModelError(
                f"{node_label(i, names)}: {field} is not symmetric; only its symmetric part "
                "enters the cost: give (weight + weight.T) / 2"
            )


def _checked_parent(value: Any, n: int) -> tuple[int, ...]:
    if count(value, "parent") == 0:
        return tuple(range(-1, n - 1))
    parent = np.asarray(value)
    if parent.shape != (n,) or parent.dtype.kind not in "iu":
        raise ModelError(f"parent is {shown(value)}; expected {n} whole numbers, one for each node")
    for i, p in enumerate(parent):
        if not -1 <= p < i:
            raise ModelError(
                f"node {i}: parent is {p}; it must be -1 or an earlier node: number the nodes "
                "base to tip"
            )
    return tuple(int(p) for p in parent)


def _checked_initial_state(value: Any, n: int) -> Array:
    x0 = _finite(np.zeros(n) if value is None else value, "initial_state", 1)
    if x0.shape != (n,):
        raise ModelError(
            f"initial_state has shape {x0.shape}; expected ({n},), the number of columns of "
            "transition of the nodes without parent"
        )
    return x0
