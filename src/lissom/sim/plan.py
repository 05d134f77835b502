"""The plan of a run: everything that acts, with names resolved; `arrays` packs it for the kernels.

See `algorithms._kernels.simulation.fields` for what sits where.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms import engine
from ..algorithms._kernels import fields as field
from ..algorithms._kernels.simulation import fields as run
from ..algorithms._kernels.simulation.registry import JOINT_KINDS
from ..algorithms.packing import Packed
from ..errors import LissomError, LoadError
from ..joints import Joint
from ..results.store import Columns
from ..system import GROUND, Frame, System
from .functions import Functions, is_compiled, takes_state, trusted_state
from .signals import Signal, Table

__all__ = ["JointPlace", "Plan"]

Array = np.ndarray

SIGNAL_ROW = 6


@dataclass(frozen=True)
class JointPlace:
    """Where a joint's coordinates and speeds are.

    Attributes
    ----------
    body : int
        Number of the body that the joint carries.
    joint : Joint
    q, v : int
        Where its coordinates and speeds start.
    n_q, n_v : int
        How many there are.
    """

    body: int
    joint: Joint
    q: int
    v: int
    n_q: int
    n_v: int

    @property
    def has_quaternion(self) -> bool:
        """Whether its first coordinates are a quaternion."""
        return self.joint.has_quaternion

    @property
    def plain(self) -> bool:
        """Whether its speeds are the rates of its coordinates."""
        return all(chart.kind != "product" for chart in self.joint.charts)

    @property
    def label(self) -> str:
        """Its kind."""
        return type(self.joint).__name__


class Plan:
    """Loads, motions, controllers and events of a run, resolved against a system.

    Parameters
    ----------
    system : System
        What they act on.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.given: tuple[Any, list[Any], list[Any]] = (None, [], [])  # forces, loads, events
        self.functions = Functions(system)
        self.packed: Packed = engine.packed_constants(system)
        self.armature = np.zeros(system.n_v)
        self.stops: list[float] = []
        self.knots: list[Array] = []  # times of smooth tables
        self.timed = False  # whether there are functions of time alone
        self.time_functions: list[tuple[str, Callable[[float], Array]]] = []  # the plain ones
        self.slots: list[tuple[str, int, int]] = []  # name, body, node that loads act on
        self._slot_of: dict[tuple[int, int, str], int] = {}  # frames have slots of their own
        self.points: list[Array] = []  # ends of springs that are fixed in the world
        self.ends: list[tuple[str, Table]] = []  # tables of driven positions: they must end at rest
        self.loads: list[Any] = []
        self.driven: dict[int, str] = {}  # body -> what drives it
        self.active: dict[str, list[int]] = {}  # name of a load -> places of its flags
        self.rows: dict[str, list[Array]] = {
            name: [] for name in ("forces", "nodes", "motions", "controllers", "events")
        }
        self.starts: list[tuple[int, float]] = []  # first contents of memory
        self.controllers: list[Any] = []
        self.states: list[tuple[float, int, float]] = []  # first value, speed, size of each
        self.servos: list[str] = []  # joint of each servo
        self.n_output = 0  # numbers that loads offer as channels
        self.events: list[tuple[Any, int]] = []  # each with the place of its value
        self.locks: dict[int, int] = {}  # body -> place of the flag that locks its joint
        self.node_rates = False
        self.signals: list[list[int]] = []
        self._table: list[float] = []
        self._memory = run.M_HEADER + system.n_q + 4 * system.n_v
        flexible = np.flatnonzero(self.packed.rows[:, field.LEVEL] != field.RIGID)
        self.spins = {int(i): self.room(1) for i in flexible}  # fastest turning of each

    def enter(self, load: Any) -> None:
        """Take in a load."""
        load.enter(self)
        self.loads.append(load)

    # Places

    def joint(self, name: Any, what: Any) -> JointPlace:
        """Joint that carries a body.

        Parameters
        ----------
        name : str
            The body.
        what : Load or str
            Who asks, for an error.
        """
        label = what if isinstance(what, str) else what.label
        try:
            i = self.system.layout.index(str(name))
        except LissomError as error:
            raise LoadError(f"{label}: {error}") from None
        joint, layout = self.system.joints[i], self.system.layout
        if joint.n_v == 0:
            raise LoadError(f"{label}: the joint of body {name!r} is fixed; nothing moves there")
        return JointPlace(
            i, joint, layout.hinge_q(i).start, layout.hinge_v(i).start, joint.n_q, joint.n_v
        )

    def place(self, where: Any, what: Any) -> Frame:
        """Frame of a body, node or frame by name, or at a point fixed in the world."""
        if isinstance(where, str) or hasattr(where, "node"):
            try:
                return self.system.place(where)
            except LissomError as error:
                raise LoadError(f"{what.label}: {error}") from None
        try:
            point = np.array(where, dtype=float)
        except (TypeError, ValueError, OverflowError):
            point = np.zeros(0)
        if point.shape != (3,) or not np.all(np.isfinite(point)):
            raise LoadError(
                f'{what.label}: {where!r} is not a place; give "body", "body.node", a frame or '
                "three numbers for a point fixed in the world"
            )
        return Frame("a point of the world", GROUND, GROUND, position=point)

    def slot(self, frame: Frame) -> int:
        """Number of the slot of the node that carries a frame; on the ground, below zero."""
        if frame.grounded:
            self.points.append(frame.position)
            return -len(self.points)
        key = (frame.body, frame.node, "" if frame.plain else frame.name)
        if key not in self._slot_of:
            self._slot_of[key] = len(self.slots)
            self.slots.append((frame.name, frame.body, frame.node))
        return self._slot_of[key]

    # Pieces

    def table(self, *numbers: Any) -> int:
        """Place of new constants."""
        start = len(self._table)
        for x in numbers:
            self._table += [float(y) for y in np.ravel(x)]
        return start

    def room(self, n: int, first: Sequence[float] = ()) -> int:
        """Place of n new numbers in memory."""
        start = self._memory
        self._memory += n
        self.starts += [(start + k, float(x)) for k, x in enumerate(first)]
        return start

    def flag(self, name: str, on: bool = True) -> int:
        """Place of a flag that says whether a part acts; parts of one name share their fate."""
        place = self.room(1, [float(on)])
        self.active.setdefault(name, []).append(place)
        return place

    def signal(self, value: Signal, n: int, what: str) -> int:
        """Place of a signal of n numbers."""
        if callable(value):
            address, which = self._time_function(value, n, what)
            row = [run.CALLED, n, address, which, 0, 0]
        elif isinstance(value, Table):
            coefficients = value.pieces()
            self.stops += list(value.corners)
            if value.kind == "smooth":
                self.knots.append(value.times)
            pieces, _, width = coefficients.shape
            row = [run.TABLE_, n, self.table(value.edges, coefficients), 0, pieces, width - 1]
        else:
            row = [run.CONSTANT, n, self.table(value), 0, 0, 0]
        return self._signal_row(row)

    def called(self, address: int, which: int, n: int) -> int:
        """Place of a signal that is a function with an address."""
        return self._signal_row([run.CALLED, n, address, which, 0, 0])

    def _signal_row(self, row: list[int]) -> int:
        self.signals.append(row)
        return run.P_HEADER + SIGNAL_ROW * (len(self.signals) - 1)

    def _time_function(self, function: Callable[..., Any], n: int, what: str) -> tuple[int, int]:
        if is_compiled(function):
            self.timed = True
            return self.functions.add_compiled(what, function, "time", n)
        system, with_state = self.system, takes_state(function, what)
        if not with_state:
            self.timed = True
            self.add_time_function(function, n, what)

        def numbers(t: float, q: Array, v: Array) -> Array:
            given = function(t, trusted_state(system, q, v)) if with_state else function(t)
            return checked_values(given, n, what, t)

        return self.functions.add_plain(what, numbers, n)

    def add_time_function(self, function: Callable[[float], Any], n: int, what: str) -> None:
        """Note a plain function of time: what happens between two steps is looked at."""
        self.time_functions.append((what, lambda t: checked_values(function(t), n, what, t)))

    # Elements

    def add_armature(self, joint: JointPlace, inertia: float) -> None:
        """Inertia that the speeds of a joint see beside that of bodies."""
        self.armature[joint.v : joint.v + joint.n_v] += inertia

    def add_hinge_load(
        self,
        load: Any,
        kind: int,
        joint: JointPlace,
        numbers: Any,
        *,
        signal: int = 0,
        orders: int = 0,
        states: int = 0,
        output: int = 0,
    ) -> None:
        """Load on a hinge.

        Parameters
        ----------
        load : Load
            What it is.
        kind : int
            Its number in the registry of kernels.
        joint : JointPlace
            Where it acts.
        numbers : array
            Its constants.
        signal, orders : int
            Place of its signal, if it has one, and how many derivatives of that it needs.
        states, output : int
            Places of its own states and of its outputs, if it has any.
        """
        self.add(
            "forces",
            E_KIND=kind,
            E_ACTIVE=self.flag(load.label, load.on),
            E_Q=joint.q,
            E_V=joint.v,
            E_N=joint.n_v,
            E_TABLE=self.table(numbers),
            E_SIGNAL=signal,
            E_ORDERS=orders,
            E_SLOPES=JOINT_KINDS[kind].when_slopes,
            E_STATE=states,
            E_OUTPUT=output,
        )

    def add_servo(self, joint: JointPlace) -> int:
        """Place of the outputs of a servo: force, error and integral of each motion."""
        place = self.n_output
        self.servos.append(self.system.names[joint.body])
        self.n_output += 3 * joint.n_v
        return place

    def add_states(self, first: Sequence[float], speeds: Sequence[int], sizes: Any) -> int:
        """Place of states that a load has of its own.

        Parameters
        ----------
        first : sequence of float
            What they start with.
        speeds : sequence of int
            The speed that each belongs to, for messages and errors.
        sizes : array
            Errors of each are measured by this times those of its speed's coordinate.
        """
        place = run.OWN_STATES + len(self.states)
        self.states += list(zip(map(float, first), speeds, map(float, sizes), strict=True))
        return place

    def add_node_load(
        self,
        load: Any,
        kind: int,
        a: int,
        b: int,
        numbers: Any,
        signal: int,
        axes: str,
        *,
        rates: bool = False,
    ) -> None:
        """Load on one or two nodes; `rates`: it needs their velocities."""
        self.node_rates = self.node_rates or rates
        self.add(
            "nodes",
            E_KIND=kind,
            E_ACTIVE=self.flag(load.label, load.on),
            E_A=a,
            E_B=b,
            E_TABLE=self.table(numbers),
            E_SIGNAL=signal,
            E_AXES=int(axes == "world"),
        )

    def add_motion(
        self, label: str, joint: JointPlace, mode: int, signal: int, *, on: bool = True
    ) -> int:
        """Given motion of a joint; returns the place of its flag."""
        flag = self.flag(label, on)
        row = self.packed.rows[joint.body]
        self.add(
            "motions",
            E_KIND=mode,
            E_ACTIVE=flag,
            E_Q=joint.q,
            E_V=joint.v,
            E_N=joint.n_v,
            E_N_Q=joint.n_q,
            E_SIGNAL=signal,
            E_A=field.HEADER + field.ROW * joint.body,
            E_B=int(row[field.KIND]),
        )
        return flag

    def lock(self, joint: JointPlace) -> int:
        """Place of the flag that locks a joint; made at the first use."""
        if joint.body not in self.locks:
            name = f"lock of {self.system.names[joint.body]!r}"
            self.locks[joint.body] = self.add_motion(name, joint, run.LOCK, 0, on=False)
        return self.locks[joint.body]

    def add(self, kind: str, **fields: int) -> None:
        """Row of an element."""
        row = np.zeros(run.E_ROW, dtype=np.int64)
        for name, value in fields.items():
            row[getattr(run, name)] = value
        self.rows[kind].append(row)

    # Arrays

    @property
    def columns(self) -> Columns:
        """What a row of results holds."""
        return Columns.of(self.system, (name for name, *_ in self.slots), self.servos)

    @property
    def states_place(self) -> int:
        """Where the states of loads are in memory: after everything else."""
        return self._memory

    @property
    def memory_size(self) -> int:
        """Numbers in memory."""
        return self._memory + len(self.states)

    def branched(self) -> Plan:
        """The same plan with constants of its own, to which more can be added."""
        plan = copy.copy(self)
        plan._table = list(self._table)
        return plan

    def constants(self) -> Array:
        """The numbers of the plan."""
        return np.array(self._table)


def checked_values(given: Any, n: int, what: str, t: float) -> Array:
    """What a user's function returned, as n finite numbers, or an error that names it."""
    try:
        if given is None or isinstance(given, (str, bytes)):  # NumPy would make numbers of them
            raise TypeError
        values = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError, OverflowError):
        expected = "a number" if n == 1 else f"{n} numbers"
        raise LoadError(f"{what} returned {given!r} at t = {t:g} s; expected {expected}") from None
    if values.shape != (n,):
        raise LoadError(
            f"{what} returned an array of shape {values.shape} at t = {t:g} s; expected ({n},)"
        )
    if not np.all(np.isfinite(values)):
        raise LoadError(f"{what} returned {given!r} at t = {t:g} s; all entries must be finite")
    return values
