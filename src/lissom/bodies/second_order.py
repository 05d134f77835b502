"""Second order of the deformation of a body, which level "stiffened" adds to "full"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ModelError
from ..immutable import array_of, immutable, read_only
from ..printing import Shown
from ..spatial.scalar import array, is_numeric

Array = np.ndarray

_ASYMMETRY = 1e-9  # relative, of an array that should be symmetric in the modes


@immutable("make another one")
@dataclass(frozen=True, eq=False)
class SecondOrder(Shown):
    """Second order of a body's deformation, symmetric in the modes; body axes.

    A node is at l0 + Pi_tr eta + h[eta, eta]/2 and turned by Pi_rot eta + rho[eta, eta]/2, where
    h[eta, eta] is the sum of h_ij eta_i eta_j.  The sums over the mass are those over the particles
    of the body; nodes with rotary inertia or an offset centre of mass enter through their
    `node_shapes`.

    Attributes
    ----------
    first_moment : array (3, m, m)
        sigma_k = integral h_k dm.
    second_moment : array (3, 3, m, m)
        Z_kl = integral r_k h_l dm, r the undeformed position from the inboard node.
    node_shapes : dict of array (6, m, m)
        [rho; h] of nodes, by number.  Only these nodes can carry bodies, loops, loads and frames;
        pictures show others to first order.
    """

    first_moment: Any = field(metadata=array_of("1", "axis", "mode", "other_mode"))
    second_moment: Any = field(metadata=array_of("1", "axis", "other_axis", "mode", "other_mode"))
    node_shapes: Mapping[int, Any] = field(metadata=array_of("1", "six", "mode", "other_mode"))

    def __post_init__(self) -> None:
        for name in ("first_moment", "second_moment"):
            object.__setattr__(self, name, _read_only_copy(getattr(self, name)))
        if isinstance(self.node_shapes, Mapping):
            nodes = {node: _read_only_copy(shapes) for node, shapes in self.node_shapes.items()}
            object.__setattr__(self, "node_shapes", nodes)

    def in_modes(self, x: Array) -> SecondOrder:
        """Same deformation in other amplitudes: those given here are x times them.

        Parameters
        ----------
        x : array (m, k)
            Map of the amplitudes.
        """
        nodes = {node: x.T @ S @ x for node, S in self.node_shapes.items()}
        return SecondOrder(x.T @ self.first_moment @ x, x.T @ self.second_moment @ x, nodes)

    def turned(self, R: Array) -> SecondOrder:
        """Same deformation in other axes.

        Parameters
        ----------
        R : array (3, 3)
            Old axes to new ones.
        """
        both = np.kron(np.eye(2), R)
        return SecondOrder(
            np.einsum("ka,aij->kij", R, self.first_moment),
            np.einsum("ka,lb,abij->klij", R, R, self.second_moment),
            {node: np.einsum("ka,aij->kij", both, S) for node, S in self.node_shapes.items()},
        )


def _read_only_copy(value: Any) -> Any:
    """Read-only copy of an array; other things, which are refused later, as they are."""
    return read_only(value.copy()) if isinstance(value, np.ndarray) else value


SecondOrderSource = SecondOrder | Callable[[], SecondOrder] | None


def check_kind(second_order: Any) -> None:
    """Reject what is neither a SecondOrder nor a function that returns one, nor None."""
    if (
        second_order is not None
        and not isinstance(second_order, SecondOrder)
        and not callable(second_order)
    ):
        raise ModelError(
            f"FlexibleBody: second_order is of type {type(second_order).__name__}; "
            "give a SecondOrder, or "
            "a function without arguments that returns one"
        )


def checked_constants(second_order: SecondOrderSource, n_node: int, m: int) -> SecondOrder:
    """Second order as given or returned by the given function, checked.

    `second_order`: as given to a body.
    """
    if second_order is None:
        raise ModelError(
            'FlexibleBody: level "stiffened" needs the second order of the deformation, which is '
            "missing; give second_order=SecondOrder(...), use ls.beam with static shapes, "
            'ls.frame, ls.panel or ls.from_mesh, or take level "full" or "linear"'
        )
    constants = second_order if isinstance(second_order, SecondOrder) else second_order()
    if not isinstance(constants, SecondOrder):
        raise ModelError(
            f"FlexibleBody: the function second_order returned {type(constants).__name__}; it must "
            "return a SecondOrder"
        )
    if not isinstance(constants.node_shapes, Mapping):
        raise ModelError(
            f"SecondOrder: node_shapes is of type {type(constants.node_shapes).__name__}; give a "
            "dictionary {node: array (6, m, m)}"
        )
    for node in constants.node_shapes:
        if not isinstance(node, (int, np.integer)) or not 0 <= node < n_node:
            raise ModelError(
                f"SecondOrder: node_shapes has node {node!r}, which does not exist; nodes are 0 to "
                f"{n_node - 1}"
            )
    return SecondOrder(
        _checked(constants.first_moment, "first_moment", (3, m, m)),
        _checked(constants.second_moment, "second_moment", (3, 3, m, m)),
        {
            int(node): _checked(x, f"node_shapes[{node}]", (6, m, m))
            for node, x in constants.node_shapes.items()
        },
    )


def check_lumps(second_order: SecondOrder, nodes: set[int]) -> None:
    """Reject nodes with extent, other than the inboard one, that have no second order."""
    if missing := nodes - set(second_order.node_shapes):
        raise ModelError(
            f"FlexibleBody: node {min(missing)} has rotary inertia or an offset centre of mass, "
            "but no second order; give it in SecondOrder.node_shapes"
        )


def _checked(entry: Any, name: str, shape: tuple[int, ...]) -> Array:
    """Array of finite numbers of a shape, symmetric in the last two indices."""
    try:
        values = array(entry)
    except (TypeError, ValueError):
        values = np.array(None)
    if not is_numeric(values) or np.iscomplexobj(values):
        raise ModelError(f"SecondOrder: {name} must be an array of real numbers")
    if values.shape != shape:
        raise ModelError(
            f"SecondOrder: {name} has shape {values.shape}; expected {shape} for {shape[-1]} modes"
        )
    if not np.all(np.isfinite(values)):
        where = [int(i) for i in np.argwhere(~np.isfinite(values))[0]]
        raise ModelError(f"SecondOrder: {name}{where} is {values[tuple(where)]}; it must be finite")
    skewness = np.abs(values - values.swapaxes(-1, -2))
    if skewness.max(initial=0.0) > _ASYMMETRY * np.abs(values).max(initial=0.0):
        *k, i, j = (int(n) for n in np.unravel_index(np.argmax(skewness), shape))
        raise ModelError(
            f"SecondOrder: {name} is not symmetric in the modes: {[*k, i, j]} is "
            f"{values[(*k, i, j)]:.6g}, {[*k, j, i]} is {values[(*k, j, i)]:.6g}; give the mean of "
            "both"
        )
    return (values + values.swapaxes(-1, -2)) / 2
