"""Rows of a run and their storage.

A row is one instant: time, coordinates, speeds, accelerations, generalized forces that act on the
speeds (actuators, springs, controllers; at a hinge with prescribed motion the required force), the
spatial forces of loads on nodes, each in the axes of its node, those of loops, each on end b, at
the origin and in the axes of that end's frame, the forces of couplings, force, error and integral
of servos, the angular momenta of rotors, and the forces of loads on joints of loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from ..system import System

Array = np.ndarray

FIELDS = ("time", "q", "v", "acceleration", "force", "wrench")  # of every row
RECORDS = ("springs", "rotors", "drives", "wheels", "contacts")  # of loads, see `Columns`

# Numbers of a point of contact: gap, normal force, force (3), point (3), slip (3), radius of patch
CONTACT_SIZE = 12

_BLOCK = 1 << 19  # numbers read at a time [4 MB]


@dataclass(frozen=True)
class Columns:
    """Meaning of the numbers in a row.

    Attributes
    ----------
    n_q, n_v : int
        Numbers of coordinates and speeds.
    wrenches : tuple of str
        "body", "body.node" or frame of each load: six numbers [moment; force] on the node there,
        in its axes.
    n_loop : int
        Number of loops: six numbers [moment; force] each, on end b in the axes of its frame.
    n_coupling : int
        Number of couplings: one number each; a joint receives its ratio times that.
    servos : tuple of str
        Body whose joint each servo drives.
    n_servo : int
        Numbers of all servos: forces, then errors, then integrals, of each speed of the joint.
    loaded : tuple of str
        Loops on whose joints loads act.
    n_loaded : int
        Speeds of these joints: one force each.
    rate_linear : bool
        Whether the motion was found without the terms of second order in the speeds.
    field : bool
        Whether a field of gravity acts; its wrenches are those on the origins of bodies.
    springs : tuple of tuple
        Springs among the loads: ("joint", name, stiffness, rest), ("ball", name, stiffness of
        rotation, of translation) or ("node", ends, points, stiffness, length).
    rotors : tuple of (int, float)
        Speeds at which rotors add inertia, and how much.
    drives : tuple of tuple
        Elastic drives: rotor, joint, ratio, and stiffness and damping if they act all the time.
    wheels : tuple of tuple
        Rotors on bodies: name, carrier, axis in its axes, inertia, and "spun" (speed relative to
        the carrier), "driven" (in inertial space) or "geared" (to a joint).  A row has the angular
        momentum of each along its axis.
    contacts : tuple of tuple
        Contacts: name, carriers of both shapes, and of each of its points whether the channels
        stand for the second shape.  A row has CONTACT_SIZE numbers of each point.
    """

    n_q: int
    n_v: int
    wrenches: tuple[str, ...] = ()
    n_loop: int = 0
    n_coupling: int = 0
    servos: tuple[str, ...] = ()
    n_servo: int = 0
    loaded: tuple[str, ...] = ()
    n_loaded: int = 0
    rate_linear: bool = False
    field: bool = False
    springs: tuple[Any, ...] = ()
    rotors: tuple[Any, ...] = ()
    drives: tuple[Any, ...] = ()
    wheels: tuple[Any, ...] = ()
    contacts: tuple[Any, ...] = ()

    @classmethod
    def of(
        cls,
        system: System,
        wrenches: Iterable[str] = (),
        servos: Iterable[str] = (),
        loaded: Iterable[str] = (),
        *,
        rate_linear: bool = False,
        field: bool = False,
        springs: Any = (),
        rotors: Any = (),
        drives: Any = (),
        wheels: Any = (),
        contacts: Any = (),
    ) -> Columns:
        """Columns of the rows of a system.

        Parameters
        ----------
        system : System
            Simulated system.
        wrenches, servos, loaded : iterable of str
            As the attributes.
        rate_linear, field : bool
            As the attributes.
        springs, rotors, drives, wheels, contacts : sequence
            As the attributes.
        """
        counts = len(system.loops), len(system.couplings)
        names = tuple(servos)
        numbers = sum(3 * system.joints[system.layout.index(name)].n_v for name in names)
        speeds, loops = {loop.name: loop.joint.n_v for loop in system.loops}, tuple(loaded)
        on_loops = sum(speeds[name] for name in loops)
        attributes = (*counts, names, numbers, loops, on_loops, rate_linear, field)
        records = springs, rotors, drives, wheels, contacts
        return cls(system.n_q, system.n_v, tuple(wrenches), *attributes, *records)

    @property
    def names(self) -> Any:
        """Names of loads with columns, for a file; often those on nodes alone."""
        more: dict[str, Any] = {"rate_linear": self.rate_linear, "field": self.field}
        more |= {name: getattr(self, name) for name in RECORDS}
        if not self.servos and not self.loaded and not any(more.values()):
            return self.wrenches
        names = {"wrenches": self.wrenches, "servos": self.servos}
        names |= {"loops": self.loaded} if self.loaded else {}
        return names | {name: value for name, value in more.items() if value}

    @classmethod
    def named(cls, system: System, names: Any) -> Columns:
        """Columns of a file.

        Parameters
        ----------
        system : System
            What was simulated.
        names : list or dict
            What `names` gave.
        """
        if isinstance(names, dict):
            lists = (names["wrenches"], names["servos"], names.get("loops", ()))
            linear, field = (bool(names.get(x, False)) for x in ("rate_linear", "field"))
            stored = {x: _fixed(names.get(x, ())) for x in RECORDS}
            load_names = (map(str, x) for x in lists)
            return cls.of(system, *load_names, rate_linear=linear, field=field, **stored)
        return cls.of(system, map(str, names))

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of the rows; the last ones only where there is something to store."""
        return (*FIELDS, *(field for field, n in self._optional_sizes.items() if n))

    @property
    def _optional_sizes(self) -> dict[str, int]:
        """Sizes of the fields that not all rows have."""
        return {
            "loop_force": 6 * self.n_loop,
            "coupling_force": self.n_coupling,
            "servo": self.n_servo,
            "wheel": len(self.wheels),
            "contact": CONTACT_SIZE * sum(len(points) for *_, points in self.contacts),
            "loop_load": self.n_loaded,
        }

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Slice of a row by field."""
        usual = (1, self.n_q, self.n_v, self.n_v, self.n_v, 6 * len(self.wrenches))
        sizes = [*usual, *(self._optional_sizes[field] for field in self.fields[len(FIELDS) :])]
        ends = np.cumsum(sizes)
        return {
            field: slice(int(end - size), int(end))
            for field, size, end in zip(self.fields, sizes, ends, strict=True)
        }

    @property
    def width(self) -> int:
        """Number of entries in a row."""
        return self.slices[self.fields[-1]].stop

    def part(self, rows: Array, field: str) -> Array:
        """Field of rows (n, width): (n,) for time, (n, k) for the others."""
        piece = rows[:, self.slices[field]]
        return piece[:, 0] if field == "time" else piece


def _fixed(entry: Any) -> Any:
    """Lists of a file as tuples."""
    return tuple(map(_fixed, entry)) if isinstance(entry, (list, tuple)) else entry


class Store(Protocol):
    """Storage of the rows of a trajectory, in memory or in a file."""

    columns: Columns

    def __len__(self) -> int:
        """Number of rows."""

    def read(self, field: str, start: int = 0, stop: int | None = None) -> Array:
        """Field of rows start to stop: (n,) for "time", (n, k) for the others."""


class MemoryStore:
    """Rows in memory.

    `rows` (n, width): the rows.
    """

    def __init__(self, columns: Columns, rows: Array) -> None:
        self.columns = columns
        self.rows = rows

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.rows)

    def read(self, field: str, start: int = 0, stop: int | None = None) -> Array:
        """Field of rows start to stop."""
        return self.columns.part(self.rows[start:stop], field)


def block_size(columns: Columns) -> int:
    """Number of rows to read at a time, so that memory is bounded for runs of any length."""
    return max(16, min(8192, _BLOCK // columns.width))


def blocks(store: Store) -> Iterator[tuple[int, int]]:
    """First row and end of blocks of a store that fit into memory."""
    n, size = len(store), block_size(store.columns)
    for start in range(0, n, size):
        yield start, min(n, start + size)


def in_memory(store: Store) -> Store:
    """The rows in memory if one block holds them all, else the store itself."""
    columns = store.columns
    if isinstance(store, MemoryStore) or len(store) > block_size(columns):
        return store
    rows = np.empty((len(store), columns.width))
    for field, piece in columns.slices.items():
        rows[:, piece] = store.read(field).reshape(len(store), piece.stop - piece.start)
    return MemoryStore(columns, rows)
