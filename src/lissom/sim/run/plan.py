"""What acts in a run, in numbers: loads, motions and events with names resolved.

The plan owns rows, constants and signals while loads enter it; `packing` makes one array of them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...algorithms.tree import engine
from ...algorithms.tree.packing import Packed
from ...errors import LissomError, LoadError, shown
from ...fields import NumberField
from ...kernels import fields as field
from ...kernels.layout import contact, run
from ...kernels.layout.contact import ContactOutput, TouchRecord
from ...kernels.layout.rows import NamedRow
from ...kernels.layout.tree import body_offset
from ...kernels.run.calls import COMPILED
from ...kernels.run.registry import JOINT_KINDS, NODE_KINDS, JointKind
from ...kernels.run.remembered import remembered_size
from ...results.store import Columns
from ...spatial.given import doubt_angle
from ...spatial.scalar import reals
from ...system import GROUND, Frame, System
from ..signals.callbacks import RunFunctions, is_compiled, takes_state, trusted_state
from ..signals.differences import Precision
from ..signals.signal import SMOOTHNESS, Signal, Table
from ..signals.with_derivatives import WithDerivatives, derivative_numbers
from .checks import checked_values
from .joint_places import JointPlace as JointPlace, loop_joint

if TYPE_CHECKING:
    from ..events.gap import GapPoints
    from ..loads.latch import Latch

Array = np.ndarray

ROWS: dict[str, type[NamedRow]] = {  # by the names of their lists in `run.PlanHeader`
    "forces": run.LoadRow,
    "node_loads": run.LoadRow,
    "body_loads": run.LoadRow,
    "motions": run.MotionRow,
    "controllers": run.ControllerRow,
    "events": run.EventRow,
    "loop_joints": run.LoopJointRow,
    "loop_forces": run.LoadRow,
}


class GivenDerivatives(NamedTuple):
    """A function with derivatives of the user's in a plan."""

    what: str  # its name in errors
    function: WithDerivatives  # the function with its derivatives
    row: run.SignalRow
    names: list[str]  # names of its numbers


class Plan:
    """Loads, motions, controllers and events of a run, resolved against a system."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.functions = RunFunctions(system)
        self.packed: Packed = engine.packed_constants(system)
        self.armature = np.zeros(system.n_v)
        self.stops: list[float] = []
        self.knots: list[Array] = []  # times of smooth tables
        self.tables: list[tuple[str, Table]] = []  # all of them, by the names of their signals
        self.timed = False  # whether there are functions of time alone
        self.time_functions: list[tuple[str, Callable[[float], Array]]] = []  # the plain ones
        self._function_of: dict[int, int] = {}  # number among these by the offset of a signal
        # Functions whose rates are differences, and their precision at an instant
        self.differences: list[tuple[str, Callable[[float], Precision]]] = []
        self.slots: list[tuple[str, int, int]] = []  # name, body, node that loads act on
        self._slot_of: dict[tuple[int, int, str], int] = {}  # each frame has a separate slot
        self.points: list[Array] = []  # spring ends fixed in the world
        self.ends: list[tuple[str, Table]] = []  # tables of driven positions: they must end at rest
        self.loads: list[Any] = []
        self.driven: dict[int, str] = {}  # body -> name of its motion
        self.active: dict[str, list[int]] = {}  # name of a load -> offsets of its flags
        self.rows: dict[str, list[Any]] = {name: [] for name in ROWS}
        self.loop_joints: dict[str, JointPlace] = {}  # those that loads act on, by loop
        self.starts: list[tuple[int, float]] = []  # initial values in memory
        self.controllers: list[Any] = []
        self.states: list[tuple[float, int, float]] = []  # initial value, speed, size of each
        self.servos: list[str] = []  # joint of each servo
        self.n_servo = 0  # numbers that servos provide as channels
        self.wheels: list[
            tuple[Any, run.LoadRow]
        ] = []  # record of each rotor, row that has its momentum
        self.n_watched = 0  # numbers of watched signals, see `_watched`
        self.events: list[tuple[Any, int]] = []  # each with the offset of its value
        self.gaps: dict[int, GapPoints] = {}  # those that events watch, by the same offsets
        self.locks: dict[int, int] = {}  # body -> offset of the flag that locks its joint
        self.latches: dict[int, list[Latch]] = {}  # body -> latches of its joint
        self.node_rates = False
        self.touched: list[tuple[int, int]] = []  # body, node that contacts with the ground touch
        self.listed = system.outboard_nodes  # nodes that the recursion lists, with those touched
        self.contacts: list[run.LoadRow] = []  # those of the rows of `node_loads` that are contacts
        # Contacts among the loads: the first of their points in `contacts`, and their number
        self.contact_parts: list[tuple[Any, int, int]] = []
        self.contact_radii: list[float] = []  # of each point, of the mean relative curvature [m]
        self.contact_sizes: list[float] = []  # radius of a ball about the smaller of its shapes [m]
        self.swapped: list[bool] = []  # of each point, whether its a is the b of the load
        self.fields: list[tuple[Any, list[float]]] = []  # fields of gravity with their constants
        self.rate_linear = False  # whether terms of second order in the speeds are omitted
        self.signals: list[run.SignalRow] = []
        self.state_signals: set[int] = set()  # offsets of signals that are functions of the state
        self.given_derivatives: list[GivenDerivatives] = []
        self._table: list[float] = []
        self._memory = run.M_HEADER + system.n_q + 4 * system.n_v
        flexible = np.flatnonzero(self.packed.rows.level != field.RIGID)
        self.spins = {int(i): self.reserve(1) for i in flexible}  # highest angular rate of each

    def enter(self, load: Any) -> None:
        """Add a load."""
        for name, value in load.formulas.items():
            raise LoadError(
                f"{load.label}: {name} is {shown(value)}; a run needs numbers, and symbols are for "
                "symbolic.derive"
            )
        self._check_name(load)
        load.enter(self)
        self._doubt_angles(load)
        self.loads.append(load)

    def _check_name(self, load: Any) -> None:
        """Refuse a name that another load has: events and channels could mean either."""
        for other in self.loads if load.name else ():
            if other.name == load.name:
                kinds = [f"{type(x).__name__} on {shown(x.place)}" for x in (other, load)]
                raise LoadError(
                    f"two loads are called {load.name!r}: {kinds[0]} and {kinds[1]}; events, "
                    "channels and messages refer to loads by name: give each its own"
                )

    def _doubt_angles(self, load: Any) -> None:
        """Warn of constant angles of a joint that are likely in degrees."""
        for name, form in load.file_fields.items():
            if form.of == "coordinate" and isinstance(form, NumberField):
                coordinates = self.joint(load.joint, load, loops=True).joint.coordinates
                values = np.asarray(getattr(load, name), dtype=float)
                if values.shape in ((), (len(coordinates),)):
                    values = np.broadcast_to(values, len(coordinates))
                    for x, (what, unit) in zip(values, coordinates, strict=True):
                        if unit == "rad":
                            doubt_angle(x, f"{load.label}: {name} of the {what}")

    # Joints, nodes and frames

    def joint(self, name: Any, what: Any, *, loops: bool = False) -> JointPlace:
        """Joint that carries a body, or that closes a loop."""
        label = what if isinstance(what, str) else what.label
        if str(name) in [loop.name for loop in self.system.loops]:
            if not loops:
                raise LoadError(
                    f"{label}: {str(name)!r} is the joint of a loop, which has no coordinates in "
                    "the state; give a joint of the tree, or cut the loop at another joint "
                    "(Model.close)"
                )
            return loop_joint(self, str(name), label)
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
        """Frame of a body, node or frame given by name, or of a point fixed in the world."""
        if isinstance(where, str) or hasattr(where, "node"):
            try:
                return self.system.place(where)
            except LissomError as error:
                raise LoadError(f"{what.label}: {error}") from None
        try:
            point = reals(where)
        except (TypeError, ValueError, OverflowError):
            point = np.zeros(0)
        if point.shape != (3,) or not np.all(np.isfinite(point)):
            raise LoadError(
                f'{what.label}: {where!r} is not a place; give "body", "body.node", a frame or '
                "three numbers for a point fixed in the world"
            )
        return Frame("a point of the world", GROUND, GROUND, position=point)

    def slot(self, frame: Frame) -> int:
        """Slot number of the node that carries a frame; negative on the ground."""
        if frame.grounded:
            self.points.append(frame.position)
            return -len(self.points)
        key = (frame.body, frame.node, "" if frame.plain else frame.name)
        if key not in self._slot_of:
            self._slot_of[key] = len(self.slots)
            self.slots.append((frame.name, frame.body, frame.node))
        return self._slot_of[key]

    # Constants, memory and signals

    def table(self, *numbers: Any) -> int:
        """Offset of new constants."""
        start = len(self._table)
        for x in numbers:
            self._table += [float(y) for y in np.ravel(x)]
        return start

    def reserve(self, n: int, first: Sequence[float] = ()) -> int:
        """Offset of n new numbers in memory."""
        start = self._memory
        self._memory += n
        self.starts += [(start + k, float(x)) for k, x in enumerate(first)]
        return start

    def flag(self, name: str, on: bool = True) -> int:
        """Offset of a flag that switches a part; parts of the same name are switched together."""
        place = self.reserve(1, [float(on)])
        self.active.setdefault(name, []).append(place)
        return place

    def signal(self, value: Signal, n: int, what: str) -> int:
        """Offset of a signal of n numbers."""
        if isinstance(value, WithDerivatives):
            place = self.signal(value.function, n, what)
            return self.add_derivatives(place, value, [f"component {k}" for k in range(n)], what)
        if callable(value):
            before = len(self.time_functions)
            address, which = self._time_function(value, n, what)
            place = self.called(address, which, n, of_state=_is_of_state(value, what))
            if len(self.time_functions) > before:
                self._function_of[place] = before
            return place
        elif isinstance(value, Table):
            coefficients = value.pieces()
            self.stops += list(value.corners)
            if SMOOTHNESS[value.kind] == 2:
                self.knots.append(value.times)
            self.tables.append((what, value))
            pieces, _, width = coefficients.shape
            return self._add_signal(
                kind=run.TABLE_,
                n=n,
                constants=self.table(value.edges, coefficients),
                corners=len(value.corners) == len(value.times),
                pieces=pieces,
                degree=width - 1,
            )
        return self._add_signal(kind=run.CONSTANT, n=n, constants=self.table(value))

    def called(self, address: int, which: int, n: int, *, of_state: bool = False) -> int:
        """Offset of a signal that is a function with an address; of_state: of the state too."""
        records = 0
        if which < COMPILED:
            state = of_state * (self.system.n_q + self.system.n_v)
            records = self.reserve(remembered_size(n, state), [0.0, float(of_state)])
        place = self._add_signal(
            kind=run.CALLED, n=n, address=address, which=which, records=records
        )
        if of_state:
            self.state_signals.add(place)
        return place

    def add_derivatives(
        self, place: int, value: WithDerivatives, names: list[str], what: str
    ) -> int:
        """Add the user's derivatives to a signal; returns its offset."""
        if place not in self.state_signals:
            raise LoadError(
                f"{what}: the function with derivatives is one of time alone, and only functions "
                "of the state have derivatives; give the function without them"
            )
        system, m, by = self.system, len(names), f"{what}: derivatives"
        if is_compiled(value.derivatives):
            size = 2 * m * system.n_v
            address, which = self.functions.add_compiled(by, value.derivatives, "derivatives", size)
        else:
            numbers = derivative_numbers(value.derivatives, m, system.n_v, by)

            def at_state(t: float, q: Array, v: Array) -> Array:
                return numbers(t, trusted_state(system, q, v))

            address, which = self.functions.add_plain(by, at_state, 2 * m * system.n_v)
        row = self.signal_row(place)
        row.by_address, row.by_which = address, which
        self.given_derivatives.append(GivenDerivatives(what, value, row, names))
        return place

    def wide(self, signal: int) -> int:
        """How a load is differentiated whose force follows from a signal."""
        if signal not in self.state_signals:
            return run.NOWHERE
        return run.GIVEN if self.signal_row(signal).by_address else run.EVERYWHERE

    def signal_row(self, place: int) -> run.SignalRow:
        """Row of the signal at an offset."""
        return self.signals[(place - run.PlanHeader.size) // run.SignalRow.size]

    def _add_signal(self, **fields: int) -> int:
        self.signals.append(run.SignalRow.of(**fields))
        return run.PlanHeader.size + run.SignalRow.size * (len(self.signals) - 1)

    def _time_function(self, function: Callable[..., Any], n: int, what: str) -> tuple[int, int]:
        if is_compiled(function):
            self.timed = True
            return self.functions.add_compiled(what, function, "time", n)
        system, with_state = self.system, takes_state(function, what)
        if not with_state:
            self.timed = True
            self.add_time_function(function, n, what)

        def numbers(t: float, q: Array, v: Array) -> Array:
            value = function(t, trusted_state(system, q, v)) if with_state else function(t)
            return checked_values(value, n, what, t)

        return self.functions.add_plain(what, numbers, n, of_state=with_state)

    def add_time_function(self, function: Callable[[float], Any], n: int, what: str) -> None:
        """Register a plain function of time, which is sampled between two steps."""
        self.time_functions.append((what, lambda t: checked_values(function(t), n, what, t)))

    # Elements

    def add_armature(self, joint: JointPlace, inertia: float) -> None:
        """Armature: inertia added at the speeds of a joint."""
        if joint.loop < 0:
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
        """Add a load on a hinge."""
        self.add(
            "forces" if joint.loop < 0 else "loop_forces",
            kind=kind,
            active=self.flag(load.label, load.on),
            q=joint.q,
            v=joint.v,
            n=joint.n_v,
            constants=self.table(numbers),
            signal=signal,
            orders=orders,
            slopes=JOINT_KINDS[kind].when_slopes,
            state=states,
            output=output,
            wide=self._wide(JOINT_KINDS[kind], signal),
            watched=self._watched(signal, JOINT_KINDS[kind], joint, orders),
        )

    def _watched(
        self, signal: int, kind: JointKind | None = None, joint: Any = None, orders: int = 0
    ) -> int:
        """What is followed along each step of a load whose force may bend within one."""
        row = self.signal_row(signal) if signal else None
        called = row is not None and row.kind == run.CALLED
        bends = signal in self.state_signals or (kind is not None and kind.kinked)
        if not bends and (not called or orders):  # rates may take many calls of the function
            return 0
        of_time = 0 if bends else run.OF_TIME
        if joint is not None and joint.loop < 0:
            return run.ON_JOINT | of_time
        if joint is not None:
            self.n_watched += joint.n_v
            return run.ON_LOOP | of_time
        assert row is not None
        self.n_watched += row.n
        return run.SIGNAL_ | of_time

    def _wide(self, kind: JointKind, signal: int) -> int:
        """The speeds by which a load on a joint is differentiated by differences."""
        if signal in self.state_signals and kind.slopes is None:
            return self.wide(signal)
        if kind.signal_alone or (kind.slopes is not None and kind.whole):
            return run.NOWHERE
        return run.OWN_JOINT

    def add_servo(self, joint: JointPlace) -> int:
        """Offset of the outputs of a servo: force, error and integral of each motion."""
        place = self.n_servo
        self.servos.append(self.system.names[joint.body])
        self.n_servo += 3 * joint.n_v
        return place

    def add_momentum(self, record: tuple[Any, ...], kind: str) -> None:
        """Let the last element of a kind provide the angular momentum of a rotor as a channel."""
        self.wheels.append((record, self.rows[kind][-1]))

    @property
    def n_output(self) -> int:
        """Numbers that loads provide: of servos, then momenta of rotors, then of contacts."""
        return self.n_servo + len(self.wheels) + ContactOutput.size * len(self.contacts)

    def add_states(self, first: Sequence[float], speeds: Sequence[int], sizes: Any) -> int:
        """Offset of the states of a load."""
        place = run.LOAD_STATES + len(self.states)
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
        """Add a load on one or two nodes; `rates`: it needs their velocities."""
        of_state = signal in self.state_signals
        stiff = NODE_KINDS[kind].stiff or of_state
        self.node_rates = self.node_rates or rates
        self.add(
            "node_loads",
            kind=kind,
            active=self.flag(load.label, load.on),
            slot_a=a,
            slot_b=b,
            constants=self.table(numbers),
            signal=signal,
            axes=int(axes == "world"),
            slopes=run.STEP_ROWS if stiff else run.EXACT_ROWS,
            wide=self.wide(signal),
            watched=self._watched(signal),
        )

    def add_contact(
        self, load: Any, kind: int, a: int, b: int, numbers: Any, *, swapped: bool
    ) -> None:
        """Add a point of contact between two slots; numbers: `ContactNumbers`."""
        self.swapped.append(swapped)
        first = np.zeros(TouchRecord.size)
        TouchRecord(first, 0).state = contact.NEW
        self.add_node_load(load, kind, a, b, numbers, 0, "world", rates=True)
        row = self.rows["node_loads"][-1]
        row.touch = self.reserve(TouchRecord.size, first)
        row.slopes = run.EXACT_ROWS  # steps have them as inertia or rows of their own
        self.contacts.append(row)

    @property
    def contact_names(self) -> list[str]:
        """Names of the contacts; those that were not named are told apart by numbers."""
        names: list[str] = []
        for load, *_ in self.contact_parts:
            label, k = load.label, 1
            while label in names:
                k += 1
                label = f"{load.label} ({k})"
            names.append(label)
        return names

    def add_wheel(self, load: Any, kind: int, numbers: Any, signal: int, states: int) -> None:
        """Add the state of a load on a body: an element that acts on no speed."""
        self.add(
            "forces",
            kind=kind,
            active=self.flag(load.label, load.on),
            constants=self.table(numbers),
            signal=signal,
            state=states,
        )

    def add_body_load(
        self,
        load: Any,
        kind: int,
        frame: Frame,
        numbers: Any,
        *,
        modes: bool = False,
        signal: int = 0,
        orders: int = 0,
        states: int = 0,
        rates: bool = False,
    ) -> None:
        """Add a load on a body as a whole.

        `frame`: where its wrench acts; not on the ground.
        """
        self.node_rates = self.node_rates or rates
        layout, i = self.system.layout, frame.body
        self.add(
            "body_loads",
            kind=kind,
            active=self.flag(load.label, load.on),
            slot_a=self.slot(frame),
            body=body_offset(i),
            q=layout.modal_q(i).start,
            v=layout.modal_v(i).start,
            n=self.system.bodies[i].n_mode if modes else 0,
            constants=self.table(numbers),
            signal=signal,
            orders=orders,
            state=states,
            watched=self._watched(signal, orders=orders),
        )

    def add_motion(
        self, label: str, joint: JointPlace, mode: int, signal: int, *, on: bool = True
    ) -> int:
        """Add a given motion of a joint; return the offset of its flag."""
        flag = self.flag(label, on)
        self.add(
            "motions",
            mode=mode,
            active=flag,
            q=joint.q,
            v=joint.v,
            n=joint.n_v,
            n_q=joint.n_q,
            signal=signal,
            body=body_offset(joint.body),
            joint=int(self.packed.rows[joint.body].kind),
        )
        return flag

    def lock(self, joint: JointPlace) -> int:
        """Offset of the flag that locks a joint, created at first use."""
        if joint.body not in self.locks:
            name = f"lock of {self.system.names[joint.body]!r}"
            self.locks[joint.body] = self.add_motion(name, joint, run.LOCK, 0, on=False)
        return self.locks[joint.body]

    def add(self, where: str, /, **fields: int) -> None:
        """Add a row to one of the lists."""
        self.rows[where].append(ROWS[where].of(**fields))

    # Arrays

    @property
    def has_rows(self) -> bool:
        """Whether loads have derivatives in steps that are not diagonal in the speeds."""
        wide = any(row.wide for name in ("forces", "loop_forces") for row in self.rows[name])
        return wide or self.slots_have_rows or self.n_touching < len(self.contacts)

    @property
    def slots_have_rows(self) -> bool:
        """Whether loads on nodes are among them with the rows of their slots."""
        return any(row.slopes == run.STEP_ROWS for row in self.rows["node_loads"])

    @property
    def n_touching(self) -> int:
        """Number of contacts that are inertia of the nodes they touch, see `touched`."""
        return sum(place in self.touched for place in map(self.touched_node, self.contacts))

    def touched_node(self, row: run.LoadRow) -> tuple[int, int] | None:
        """Body and node of a contact with the ground; None of one between bodies."""
        slots = [int(s) for s in (row.slot_a, row.slot_b) if s >= 0]
        return self.slots[slots[0]][1:] if len(slots) == 1 else None

    @property
    def watches(self) -> bool:
        """Whether forces may bend within a step."""
        return any(not row.watched & run.OF_TIME for row in self._watched_rows)

    @property
    def _watched_rows(self) -> list[run.LoadRow]:
        """Rows of the loads that are followed along steps."""
        kinds = ("forces", "loop_forces", "node_loads", "body_loads")
        return [row for kind in kinds for row in self.rows[kind] if row.watched]

    @property
    def followed_functions(self) -> set[int]:
        """Which of `time_functions` are followed along fixed steps, by number."""
        signals = {int(row.signal) for row in self._watched_rows}
        return {number for place, number in self._function_of.items() if place in signals}

    @property
    def joint_kinds(self) -> list[JointKind]:
        """Kinds of the loads on joints."""
        rows = self.rows["forces"] + self.rows["loop_forces"]
        return [JOINT_KINDS[row.kind] for row in rows]

    @property
    def columns(self) -> Columns:
        """Columns of a row of results."""
        from .stored import contact_records, drive_records, rotor_records, spring_records

        slots = (name for name, *_ in self.slots)
        return Columns.of(
            self.system,
            slots,
            self.servos,
            self.loop_joints,
            rate_linear=self.rate_linear,
            field=bool(self.fields),
            springs=spring_records(self),
            rotors=rotor_records(self),
            drives=drive_records(self),
            wheels=tuple(record for record, _ in self.wheels),
            contacts=contact_records(self),
        )

    @property
    def states_place(self) -> int:
        """Offset of the states of loads in memory: after everything else."""
        return self._memory

    @property
    def memory_size(self) -> int:
        """Number of values in memory."""
        return self._memory + len(self.states)

    def branched(self) -> Plan:
        """Copy of the plan with a separate table, to which constants can be added."""
        plan = copy.copy(self)
        plan._table = list(self._table)
        return plan

    def constants(self) -> Array:
        """Constants of the plan."""
        return np.array(self._table)


def _is_of_state(function: Callable[..., Any], what: str) -> bool:
    """Whether a function is of time and state; a C function may be."""
    if is_compiled(function):
        return hasattr(function, "address") and not hasattr(function, "py_func")
    return takes_state(function, what)
