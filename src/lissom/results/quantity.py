"""What a quantity of a body, a node or a frame is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..bodies.rod_tables import RodTables
from ..bodies.sections import Sections, has_sections
from ..system import Frame as Place, System
from .labels import Parts, modes
from .row_blocks import RowBlock
from .store import Columns

Array = np.ndarray


class ChannelFrame(NamedTuple):
    """A frame, or a node of a body; of the body itself the inboard one."""

    system: System
    columns: Columns
    place: Place

    @property
    def body(self) -> int:
        """Number of the body; -1 for the ground."""
        return self.place.body

    @property
    def node(self) -> int:
        """Number of the node."""
        return self.place.node

    @property
    def bends(self) -> bool:
        """Whether it is on a body that does."""
        return not self.place.grounded and bool(self.system.bodies[self.body].n_mode)

    @property
    def rod(self) -> RodTables | None:
        """Constants of the rod that it is on."""
        return None if self.place.grounded else self.system.bodies[self.body].rod

    @property
    def section(self) -> float | None:
        """Place of the section at the node, if it is on the axis of a beam or rod."""
        if self.place.grounded or not has_sections(self.system.bodies[self.body]):
            return None
        body = self.system.bodies[self.body]
        return Sections(body, self.system.names[self.body]).of_node(self.node)

    @property
    def wrenches(self) -> list[int]:
        """Which of the stored loads act on this node, or were given at this frame."""
        names = self.columns.wrenches
        if not self.place.plain:
            return [k for k, name in enumerate(names) if name == self.place.name]
        here, places = (self.body, self.node), map(self.system.place, names)
        return [k for k, place in enumerate(places) if (place.body, place.node) == here]

    @property
    def drive(self) -> tuple[Any, ...] | None:
        """Elastic drive of the body's joint: rotor, joint, and constants as far as known."""
        name = self.system.names[self.body]
        drives = [*self.columns.drives, *self.system.drives]
        return next((drive for drive in drives if drive[1] == name), None)

    @property
    def coordinates(self) -> Parts:
        """Labels and units of the hinge coordinates."""
        return self.system.joints[self.body].coordinates

    @property
    def speeds(self) -> Parts:
        """Labels of the hinge speeds, and units times a second."""
        return self.system.joints[self.body].speeds

    @property
    def modes(self) -> Parts:
        """Labels and units of the modal coordinates."""
        return modes(self.system.bodies[self.body])


class ChannelQuantity(NamedTuple):
    """Definition of a channel of a body or node.

    `parts` returns labels and units, or None if the quantity does not exist; `compute` returns the
    values of a block of rows.  Without a shape there is one axis of components.
    A description may depend on the frame.
    """

    description: str | Callable[[ChannelFrame], str]
    parts: Callable[[ChannelFrame], Parts | None]
    compute: Callable[[ChannelFrame, RowBlock], Array]
    shape: tuple[int, ...] | None = None

    def described(self, frame: ChannelFrame) -> str:
        """Meaning of the quantity at a frame."""
        return self.description if isinstance(self.description, str) else self.description(frame)
