"""Loads at the interfaces of a body: all that acts on it at a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import StateError
from ...system import GROUND, StateLike, System
from . import engine
from .arguments import as_state
from .section_loads import LoadedStates, at_node, node_wrenches
from .stresses import balanced_row

Array = np.ndarray

AXES = ("body", "parent", "world")


def interface_load(
    system: System,
    state: StateLike,
    where: str,
    *,
    acceleration: Any = None,
    forces: Any = None,
    external: Mapping[Any, Any] | None = None,
    actuated: Any = None,
    axes: str = "body",
) -> Array:
    """Moment and force on a body from all that is attached to one of its nodes.

    Attached are bodies, loops and loads, at the inboard node also the joint of the body.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    where : str
        Node, such as "bracket.seat"; a body alone means its inboard node.
    acceleration, forces, external, actuated
        As for `joint_forces`.
    axes : {"body", "parent", "world"}
        Axes of the result: those of the body, of the body that carries it, or of the world.

    Returns
    -------
    array (6,)
        [moment; force], the moment about the node where it is now [N m, N].

    Examples
    --------
    >>> import lissom as ls
    >>> model = ls.Model("crane", gravity=(0, 0, -9.81))
    >>> _ = model.add(ls.beam(2.0, ls.Rectangle(0.05, 0.1), ls.STEEL), ls.Fixed(), name="jib")
    >>> _ = model.add(ls.RigidBody.sphere(100.0, 0.2), ls.Fixed(), to="jib.tip", name="load")
    >>> system = model.compile()
    >>> wrench = ls.interface_load(system, ls.equilibrium(system), "jib.tip", axes="world")
    >>> float(wrench[5].round(6))
    -981.0
    """
    state = as_state(system, state)
    if not isinstance(axes, str) or axes not in AXES:
        raise StateError(f'axes is {axes!r}; use "body", "parent" or "world"')
    place = system.place(where)
    if place.grounded or not place.plain:
        raise StateError(
            f"interface_load: {where!r} is a frame or on the ground; give a body or one of its "
            'nodes, such as "bracket.seat"'
        )
    row = balanced_row(system, state, acceleration, forces, external, actuated, "interface_load")
    wrench = interface_wrenches(system, place.body, place.node, row)
    return in_axes(system, place.body, wrench, row.q, axes)[0]


def interface_wrenches(system: System, i: int, node: int, rows: LoadedStates) -> Array:
    """[moment about the node; force] on a body at a node, body axes, (n, 6)."""
    body = system.bodies[i]
    nodes, wrenches = node_wrenches(system, i, rows)
    total = np.asarray(wrenches[:, nodes == node].sum(axis=1))
    if node == body.inboard:
        return total + rows.reactions[:, i]
    return at_node(body, node, total, rows.q[:, system.layout.modal_q(i)])


def in_axes(system: System, i: int, wrench: Array, q: Array, axes: str) -> Array:
    """Wrenches (n, 6) from the axes of body i to others.

    `wrench` (n, 6): body axes; `q` (n, n_q): coordinates.
    """
    if axes == "body":
        return wrench
    turn = _attitude(system, i, q)
    if axes == "parent" and (parent := int(system.parent[i])) != GROUND:
        turn = np.swapaxes(_attitude(system, parent, q), 1, 2) @ turn
    return np.concatenate([np.einsum("nij,nj->ni", turn, x) for x in np.split(wrench, 2, 1)], 1)


def _attitude(system: System, i: int, q: Array) -> Array:
    return np.asarray(engine.pose_rows(system, system.place(system.names[i]), q)[0])
