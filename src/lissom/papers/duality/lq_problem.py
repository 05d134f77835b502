"""Linear-quadratic problem on a chain or a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from ...errors import ModelError, shown
from ...printing import Shown

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


Array = np.ndarray
Blocks = Sequence[Array] | Array  # one array for each node


@dataclass(frozen=True, eq=False)
class LQProblem(Shown):
    """Linear-quadratic optimal control on a chain or a tree of nodes.

    Minimise, over the controls u_i and the states x_i of the nodes i::

        sum_i  1/2 x_i' M_i x_i + h_i' x_i + 1/2 u_i' W_i u_i - t_i' u_i
               + x_i' N_i u_i + x_p' L_i u_i                                        (1)
        subject to  x_i = A_i x_p + B_i u_i + c_i,    p = parent(i)                 (2)
        and to      sum_i  E_i x_i + F_i u_i = e                                    (3)

    where x_p of a node without parent is the given initial state.  The control u_i drives *into*
    node i.  On a chain, (B 32), (B 33) with x_{k+1} = A_k x_k + B_k u_k is this problem with
    A_k, B_k, u_k, t_k of the paper stored at node k + 1, and M_k, h_k at node k; the paper has no
    W, N, L and c.  `from_time_series` accepts data indexed by time.

    Every field except `parent`, `initial_state`, `constraint_value` and `names` has one array for
    each node; states and controls may differ in size from node to node, and a node may have no
    control.  Omitted fields are zero, and without `constraint_value` there are no constraints (3).

    Attributes
    ----------
    transition : sequence of arrays (n_i, n_p)
        A, from the state of the parent (or the initial state) to that of the node.
    control_map : sequence of arrays (n_i, m_i)
        B.
    state_weight : sequence of arrays (n_i, n_i)
        M, symmetric.
    state_slope : sequence of arrays (n_i,), optional
        h, the linear part of the cost in the state.
    control_reward : sequence of arrays (m_i,), optional
        t, subtracted from the cost.
    parent : sequence of int, optional
        Number of the parent of each node, smaller than the number of the node; -1 for a node driven
        from the initial state.  By default a chain: -1, 0, 1, ...
    initial_state : array (n_0,), optional
        State inboard of all nodes without parent; by default zero.
    control_weight : sequence of arrays (m_i, m_i), optional
        W, symmetric.
    cross_weight : sequence of arrays (n_i, m_i), optional
        N, of the control and the state that it drives into.
    inboard_cross_weight : sequence of arrays (n_p, m_i), optional
        L, of the control and the state that it starts from.
    offset : sequence of arrays (n_i,), optional
        c.
    state_constraint : sequence of arrays (n_c, n_i), optional
        E: constraints between the states of any nodes, interior or terminal.
    control_constraint : sequence of arrays (n_c, m_i), optional
        F.
    constraint_value : array (n_c,), optional
        e.
    names : sequence of str, optional
        Names of the nodes, shown in messages with their numbers.
    """

    transition: Blocks
    control_map: Blocks
    state_weight: Blocks
    state_slope: Blocks = ()
    control_reward: Blocks = ()
    parent: Sequence[int] | Array = ()
    initial_state: Any = None
    control_weight: Blocks = ()
    cross_weight: Blocks = ()
    inboard_cross_weight: Blocks = ()
    offset: Blocks = ()
    state_constraint: Blocks = ()
    control_constraint: Blocks = ()
    constraint_value: Any = ()
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Check every field and store it as read-only arrays."""
        by_field = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, value in checked_fields(by_field).items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_time_series(
        cls,
        A: Blocks,
        B: Blocks,
        M: Blocks,
        h: Blocks = (),
        t: Blocks = (),
        x0: Any = None,
        *,
        W: Blocks = (),
        N: Blocks = (),
        c: Blocks = (),
    ) -> Self:
        """Finite-horizon problem in time: x_{k+1} = A_k x_k + B_k u_k + c_k, k = 0 .. n - 1.

        The cost is sum_k 1/2 x_k' M_k x_k + h_k' x_k over k = 0 .. n, the last of them the terminal
        cost, and 1/2 u_k' W_k u_k - t_k' u_k + x_k' N_k u_k over k = 0 .. n - 1.

        Node k has the state x_k, and the control u_{k-1} drives into it; node 0 has no control, and
        its state is `x0`.  So ``states[k]`` of a solution is x_k, ``value_matrix[k]`` the solution
        S_k of the Riccati equation; u_k, its gain and its reward are those of node k + 1.

        Parameters
        ----------
        A, B : sequence of n arrays (n_x, n_x), (n_x, n_u)
            State equation; sizes may change from stage to stage.
        M : sequence of n + 1 arrays (n_x, n_x)
            State weights; the last is the terminal weight.
        h : sequence of n + 1 arrays (n_x,), optional
            Linear cost of the states.
        t : sequence of n arrays (n_u,), optional
            Reward of the controls, subtracted from the cost.
        x0 : array (n_x,), optional
            Initial state; by default zero.
        W : sequence of n arrays (n_u, n_u), optional
            Control weights.
        N : sequence of n arrays (n_x, n_u), optional
            Cross weights of x_k and u_k.
        c : sequence of n arrays (n_x,), optional
            Offsets of the state equation.

        Returns
        -------
        LQProblem
        """
        n = count(A, "A")
        for letter, blocks in {"B": B, "t": t, "W": W, "N": N, "c": c}.items():
            _check_length(letter, blocks, n, n)
        for letter, blocks in {"M": M, "h": h}.items():
            _check_length(letter, blocks, n + 1, n)
        n_x = len(np.atleast_1d(M[0]))
        return cls(
            transition=[np.eye(n_x), *A],
            control_map=[np.zeros((n_x, 0)), *B],
            state_weight=M,
            state_slope=h,
            control_reward=_driven(t, (0,)),
            initial_state=np.zeros(n_x) if x0 is None else x0,
            control_weight=_driven(W, (0, 0)),
            inboard_cross_weight=_driven(N, (n_x, 0)),
            offset=_driven(c, (n_x,)),
            names=["state x_0", *(f"state x_{k + 1}, stage {k}" for k in range(n))],
        )

    @property
    def n_node(self) -> int:
        """Number of nodes."""
        return len(self.transition)

    def label(self, i: int) -> str:
        """Description of node i for messages.

        Parameters
        ----------
        i : int
            Number of the node.
        """
        return node_label(i, self.names)

    def response(self, controls: Blocks) -> tuple[Array, ...]:
        """States that result from given controls (2), base to tip.  O(N).

        Parameters
        ----------
        controls : sequence of arrays (m_i,)
            u.
        """
        states: list[Array] = []
        for i, p in enumerate(self.parent):
            inboard = self.initial_state if p < 0 else states[p]
            free = self.transition[i] @ inboard + self.offset[i]
            states.append(free + self.control_map[i] @ controls[i])
        return tuple(states)

    def cost(self, controls: Blocks) -> Any:
        """Cost (1) of given controls.  O(N).

        Parameters
        ----------
        controls : sequence of arrays (m_i,)
            u.
        """
        states, total = self.response(controls), 0.0
        for i, (p, x) in enumerate(zip(self.parent, states, strict=True)):
            u, inboard = controls[i], self.initial_state if p < 0 else states[p]
            total += x @ self.state_weight[i] @ x / 2 + self.state_slope[i] @ x
            total += u @ self.control_weight[i] @ u / 2 - self.control_reward[i] @ u
            total += (x @ self.cross_weight[i] + inboard @ self.inboard_cross_weight[i]) @ u
        return total


def _check_length(letter: str, blocks: Blocks, expected: int, n: int) -> None:
    n_entries = count(blocks, letter)
    if n_entries != expected and (n_entries or letter in "BM"):
        raise ModelError(
            f"{letter} has {n_entries} entries; expected {expected} for {n} stages (entries of A)"
        )


def _driven(blocks: Blocks, first: tuple[int, ...]) -> Blocks:
    """Data of the stages, assigned to the nodes that they drive into; node 0 has none."""
    return [np.zeros(first), *blocks] if count(blocks, "") else ()
