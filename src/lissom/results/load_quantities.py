"""Loads of joints, nodes and sections, and stresses, as quantities of bodies and nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..bodies.sections import Sections, needs_balance
from .labels import LOAD, Parts
from .quantity import ChannelFrame, ChannelQuantity
from .row_blocks import RowBlock, rows_within
from .section_quantities import SECTION, Asked, OfSection
from .stress_quantities import at_points, has_strain, has_stress, strain_at_points, worst_stress

Array = np.ndarray


def _of_section(quantity: OfSection) -> ChannelQuantity:
    """Quantity of the section at a node of a beam or rod."""

    def parts(frame: ChannelFrame) -> Parts | None:
        if frame.section is None:
            return None
        return quantity.parts(frame.system.bodies[frame.body]) or None

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        body = frame.system.bodies[frame.body]
        sections = Sections(body, frame.system.names[frame.body])
        rows = rows_within(frame.system, block, balance=sections.by_balance)
        asked = Asked(frame.system, frame.body, sections)
        values = quantity.compute(asked, np.array([frame.section]), rows)[:, 0]
        return values[:, 0] if quantity.parts(body)[0][0] == "" else values

    return ChannelQuantity(quantity.description, parts, compute)


def _stress_parts(frame: ChannelFrame) -> Parts | None:
    is_known = has_stress(frame.system.bodies[frame.body])
    return (("", "Pa"),) if is_known else None


def _largest_stress(frame: ChannelFrame, block: RowBlock) -> Array:
    body = frame.system.bodies[frame.body]
    rows = rows_within(frame.system, block, balance=needs_balance(body))
    return worst_stress(frame.system, frame.body, rows).max(axis=1)


def _stress_points(frame: ChannelFrame) -> Array:
    """Numbers of the stress points on the node."""
    recovery = None if frame.place.grounded else frame.system.bodies[frame.body].recovery
    if recovery is None or recovery.points is None:
        return np.zeros(0, dtype=int)
    return np.flatnonzero(np.asarray(recovery.points.nodes) == frame.node)


def _stress_at_node() -> ChannelQuantity:
    """Stress of the section at a node, or at the stress points on it."""
    of_section = _of_section(SECTION["stress"])

    def parts(frame: ChannelFrame) -> Parts | None:
        return (("", "Pa"),) if len(_stress_points(frame)) else of_section.parts(frame)

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        points = _stress_points(frame)
        if not len(points):
            return of_section.compute(frame, block)
        eta = block["q"][:, frame.system.layout.modal_q(frame.body)]
        return at_points(frame.system.bodies[frame.body], points, eta).max(axis=1)

    return ChannelQuantity("largest von Mises stress there", parts, compute, ())


def _strain(of_body: bool) -> ChannelQuantity:
    """Strain of the section of a rod; else the largest of a body, or at the points on a node."""
    of_rod = _of_section(SECTION["strain"])

    def solid(frame: ChannelFrame) -> bool:
        return not frame.place.grounded and has_strain(frame.system.bodies[frame.body])

    def parts(frame: ChannelFrame) -> Parts | None:
        has_points = solid(frame) and (of_body or len(_stress_points(frame)))
        return (("", "1"),) if has_points else of_rod.parts(frame)

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        if not solid(frame):
            return of_rod.compute(frame, block)
        points = slice(None) if of_body else _stress_points(frame)
        eta = block["q"][:, frame.system.layout.modal_q(frame.body)]
        return strain_at_points(frame.system.bodies[frame.body], points, eta).max(axis=1)

    def words(frame: ChannelFrame) -> str:
        where = "of the body" if of_body else "there"
        largest = f"largest principal strain {where}, by magnitude"
        return largest if solid(frame) else of_rod.described(frame)

    return ChannelQuantity(words, parts, compute)


def _reaction(axes: str) -> Callable[[ChannelFrame, RowBlock], Array]:
    """Moment and force of the joint of a body, in axes of the body, its parent or the world."""

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        from ..algorithms.tree.interface_loads import in_axes

        rows = rows_within(frame.system, block)
        return in_axes(frame.system, frame.body, rows.reactions[:, frame.body], rows.q, axes)

    return compute


def _attached(frame: ChannelFrame) -> Parts | None:
    """Labels and units of what acts on a node, if something can."""
    if frame.place.grounded or not frame.place.plain:
        return None
    system, here = frame.system, (frame.body, frame.node)
    children = ((frame.body, int(system.parent_node[c])) for c in system.children[frame.body])
    ends = ((end.body, end.node) for loop in system.loops for end in loop.ends)
    loaded = frame.node == system.bodies[frame.body].inboard or bool(frame.wrenches)
    return LOAD if loaded or here in children or here in ends else None


def _interface(axes: str) -> ChannelQuantity:
    """Moment about a node, and force, of all that acts on the body there."""

    def compute(frame: ChannelFrame, block: RowBlock) -> Array:
        from ..algorithms.tree.interface_loads import in_axes, interface_wrenches

        rows = rows_within(frame.system, block)
        wrenches = interface_wrenches(frame.system, frame.body, frame.node, rows)
        return in_axes(frame.system, frame.body, wrenches, rows.q, axes)

    whose = "parent's" if axes == "parent" else axes
    return ChannelQuantity(f"moment and force of attachments, {whose} axes", _attached, compute)


NODE_LOADS = {
    **{name: _of_section(quantity) for name, quantity in SECTION.items()},
    "stress": _stress_at_node(),
    "strain": _strain(of_body=False),
    "interface_load": _interface("body"),
    "interface_load_parent": _interface("parent"),
    "interface_load_world": _interface("world"),
}
BODY_LOADS = {
    "reaction": ChannelQuantity(
        "moment and force of its joint, body axes", lambda _: LOAD, _reaction("body")
    ),
    "reaction_parent": ChannelQuantity(
        "moment and force of its joint, parent's axes", lambda _: LOAD, _reaction("parent")
    ),
    "reaction_world": ChannelQuantity(
        "moment and force of its joint, world axes", lambda _: LOAD, _reaction("world")
    ),
    "stress": ChannelQuantity(
        "largest von Mises stress of the body", _stress_parts, _largest_stress, ()
    ),
    "strain": _strain(of_body=True),
}
