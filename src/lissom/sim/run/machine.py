"""The arrays of a run: system, plan, memory, workspace; and the call that advances it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ...algorithms.tree import engine
from ...algorithms.tree.arguments import to_armature
from ...algorithms.tree.coordinates import error_sizes
from ...algorithms.tree.derivatives import compiled
from ...bodies.rod_tables import EPS_X
from ...kernels import entries, fields as field
from ...kernels.compiling import plain
from ...kernels.contact.bernstein import from_samples
from ...kernels.layout import run
from ...kernels.layout.contact import TouchRecord
from ...kernels.layout.loops import LoopsHeader
from ...kernels.layout.records import ClosingRecord, TouchedRecord
from ...kernels.layout.rows import pieces
from ...kernels.records import closure_record
from ...kernels.run.registry import METHODS
from ...kernels.tree.derivatives.frames import COLUMNS
from ...kernels.tree.derivatives.motions import MOTION
from ...system import System
from ..drift import Baumgarte
from .packing import elements, external_list, mapped_coordinates, slot_records
from .plan import Plan
from .scales import modal_stiffness, spring_rates
from .settings import Settings
from .touched import list_touched_nodes

NO_PLACES = np.zeros(0)
FLAGS = field.RATES | field.ACCELERATED  # without gravity and elasticity


class LoadPlaces:
    """Columns of nodes, and the derivative of the forces by constant wrenches on them.

    A wrench w that is constant in the axes of its node has the generalized forces J^T w, minus
    those of inverse dynamics at rest without gravity, whose derivative is compiled; the stiffness
    of flexible bodies, which that derivative contains, is set to zero.
    """

    def __init__(self, system: System, nodes: Sequence[tuple[int, int]]) -> None:
        n = system.n_v
        pieces = [engine.node_constants(system, body, node) for body, node in nodes]
        self._starts = np.cumsum([0, *map(len, pieces)])[:-1].astype(np.int64)
        self._where = np.concatenate([*pieces, np.zeros(1)])
        self._columns = np.zeros((COLUMNS * len(nodes), n))
        self._motions = np.zeros(MOTION * len(nodes))
        work = engine.workspace(system)
        plan, numbers, index = work.derivatives
        self._numbers = numbers.copy()
        self._plan, self._index, self._floats = plan, index.copy(), work.packed.floats.copy()
        for row in work.packed.rows:
            if row.level != field.RIGID:
                self._floats[row.shapes : row.shapes + row.n_mode] = 0.0
        self._rest, self._D = np.zeros(n), np.empty((3 * n, n))
        self._of_frames = work.kernel(entries.FRAME_COLUMNS)
        self._of_forces = work.kernel(entries.INVERSE_DERIVATIVES)

    def put(self, machine: Machine) -> tuple[Array, Array]:
        """Columns and motions of the nodes in the state of a run."""
        self._of_frames(
            machine.ints, machine.plan.packed.floats, machine.scratch, self._plan, self._numbers,
            machine.q, machine.v, self._rest, self._starts, self._where, self._columns,
            self._motions, FLAGS,
        )  # fmt: skip
        return self._columns.ravel(), self._motions

    def turning(self, machine: Machine) -> Array:
        """Derivative (n_v, n_v) of minus the forces by the external wrenches in a run's scratch."""
        n = len(self._rest)
        self._of_forces(
            machine.ints, self._floats, machine.scratch, self._plan, self._numbers, self._index,
            machine.q, self._rest, self._rest, np.empty(n), self._D, FLAGS, 0, 1,
        )  # fmt: skip
        return self._D[:n]


def _may_touch(settings: Settings) -> bool:
    """Whether contacts may be inertia of the nodes they touch in the steps of a run."""
    return settings.integrator.implicit and not settings.dense


FEWEST_STEPS = 10  # least number of adaptive steps in a run
PROBES = 4096  # samples inside adaptive steps over the whole run
MOST_PROBES = 64  # largest number in one step: a run can end only between two steps
FASTEST = 1e9  # [1/s] sizes per second; for a mechanism of 1 m three times the speed of light
FARTHEST = 10.0  # largest displacement of a node by a mode, in lengths of the body, or turn [rad]


@dataclass(frozen=True)
class StepBounds:
    """Limits of adaptive steps."""

    step: float  # longest step [s]
    probe: float  # time between samples inside steps [s]
    look: int  # what is sampled there: sum of LOOK_AT_FORCES, LOOK_AT_EVENTS and LOOK_AT_KINKS
    stops: list[float]  # times that no step crosses [s]


def bounds_of(plan: Plan, settings: Settings) -> StepBounds:
    """Limits of the steps of a run, with the sampling inside them.

    User functions and events may change arbitrarily between two stages of a step.  Steps end at
    the corners of tables; smooth tables are sampled like functions, unless their points are too
    close together for that.
    """
    probe = min(settings.duration / PROBES, settings.output_step or np.inf, settings.max_step)
    if not settings.adaptive:  # nothing is sampled; what a step is must not depend on the duration
        probe = settings.step
    stops, smooth = list(plan.stops), False
    for times in plan.knots:
        inside = times[times > settings.start]
        if settings.adaptive:
            inside = inside[inside < settings.end]
        if len(inside) > 1 and np.diff(inside).min() < probe:
            stops += list(inside)
        else:
            smooth = True
    called = any(row.kind == run.CALLED for row in plan.signals)
    look = run.LOOK_AT_FORCES * (called or smooth) + run.LOOK_AT_EVENTS * bool(plan.events)
    look += run.LOOK_AT_KINKS * plan.watches
    if not settings.adaptive:
        return StepBounds(settings.step, probe, look & run.LOOK_AT_KINKS, stops)
    step = settings.max_step
    if step == np.inf:
        step = settings.duration / FEWEST_STEPS
    if look:
        step = min(step, probe if _is_blind(settings, look) else MOST_PROBES * probe)
    if settings.integrator.implicit:
        look &= run.LOOK_AT_EVENTS | run.LOOK_AT_KINKS
    return StepBounds(step, probe, look, stops)


def _is_blind(settings: Settings, look: int) -> bool:
    """Whether what has to be sampled inside steps cannot be.

    Generalized-alpha has no interpolant; between the stages of an implicit method the accelerations
    of stiff motions are far from the derivative of one.
    """
    kind = settings.integrator
    needed = run.LOOK_AT_FORCES | (0 if kind.tableau else run.LOOK_AT_EVENTS)
    return kind.implicit and look & needed != 0


def reasonable(system: System) -> Array:
    """Largest plausible speeds and modal coordinates of a run, (2, n_v).

    A motion beyond these is not that of the mechanism: the model is unstable there, or the steps
    are too long.
    """
    position, _ = error_sizes(system)
    deflection = np.full(system.n_v, np.inf)
    for i, body in enumerate(system.bodies):
        modal = system.layout.modal_v(i)
        deflection[modal] = FARTHEST * position[modal]
        if body.rod is not None:  # each piece between stations may turn as far as another body
            deflection[modal] *= np.where(body.rod.strains < EPS_X, len(body.rod.masses), 1)
    return np.stack([FASTEST * position, deflection])


Array = np.ndarray

# Implicit steps after a switch in which the vibrations that explicit steps at the edge of their
# stability have left, of the size of the tolerance, are damped.
SETTLING = 20

# Rows that an adaptive method writes per step if no output_step is given: its interpolant is of
# higher order than the one between rows.
POINTS = 4
# An adaptive implicit method iterates until its error is this fraction of the tolerance.
ADAPTED = 0.03
# Errors of speeds may use so many tolerances for each that errors of positions may use.
OF_SPEEDS = 3.0
ROWS_BYTES = 1 << 20
SPACING = 3e-6  # of differences of users' functions, in sizes of coordinates and speeds
STIFF_STEPS = 25  # steps limited by stability after which the implicit method is tried first
MOST_DIVISIONS = 20  # halvings of a fixed step where it fails


class Variant(NamedTuple):
    """Arrays of a run with one of its methods."""

    settings: Settings  # settings with this method
    elements: Array  # integers of the plan


class Machine:
    """Arrays of a run and the kernel that advances it."""

    def __init__(
        self, plan: Plan, settings: Settings, *, other: Settings | None = None, exact: bool = False
    ) -> None:
        # The constants of the methods are added to a copy of the plan.
        plan = plan.branched()
        methods = [settings] if other is None else [settings, other]
        if not exact and any(_may_touch(x) for x in methods):
            list_touched_nodes(plan)
        self.plan, self.system = plan, plan.system
        from ...kernels.run.advance import ADVANCE

        self._advance = plan.functions.guard(plan.packed.own_joints.guard(ADVANCE.load()), 6)
        system, packed = plan.system, plan.packed
        self.stiffness, self.damping = modal_stiffness(system)
        self.ints = packed.ints.copy()  # flags of driven joints are written there
        self.columns = plan.columns  # looks at all loads: asked for once
        self.width = self.columns.width
        self._variants = [self._variant(x, exact=exact, alone=other is None) for x in methods]
        self.table = self._constants()
        heads = [run.PlanHeader(variant.elements, 0) for variant in self._variants]
        self.work = np.zeros(max(head.at_gaps.end for head in heads))
        self.use(0)
        self._mass = np.zeros((int(self.head.dense), system.n_v))
        self.capacity = max(2, ROWS_BYTES // (8 * self.width))
        self._rows = np.zeros(self.capacity * self.width)
        self.scratch = self._scratch()
        if system.constraints:
            self._set_closing()
        self.stiff = self.scratch.copy()
        self._first = self._first_memory()
        self.memory = self._first.copy()
        self._in_memory = pieces(self.memory, self.head.memory)

    def _constants(self) -> Array:
        """Constants of the plan, with the times of tables counted from the start of the run."""
        table, start = self.plan.constants(), self._variants[0].settings.start
        for row in self.plan.signals:
            if row.kind == run.TABLE_ and start:
                table[row.constants : row.constants + row.pieces + 1] -= start
        return table

    def _variant(self, settings: Settings, *, exact: bool, alone: bool) -> Variant:
        """Arrays of the run with one of its methods, whose constants are added to the table."""
        self.settings = settings
        header = {**self._header(), **self._rows_header(exact=exact), "switches": int(not alone)}
        return Variant(settings, elements(self.plan, header))

    def use(self, which: int) -> None:
        """Use one of the methods of the run; its state is in memory and stays."""
        self.settings, self.elements = self._variants[which]
        self.head = run.PlanHeader(self.elements, 0)
        self.pieces = pieces(self.work, self.head.work)
        self.work[:] = 0.0
        self.pieces.slots[:] = slot_records(self.plan)

    def switch(self) -> None:
        """Go on with the other method."""
        memory = self.memory
        other = 1 - int(memory[run.WHICH])
        if not memory[run.N_SWITCHES]:
            memory[run.FIRST_SWITCH] = memory[run.TIME]
        memory[run.WHICH] = other
        memory[run.N_SWITCHES] += 1
        memory[[run.STEP_MARK, run.TIME_MARK]] = memory[[run.N_STEPS, run.TIME]]
        memory[run.WORK_MARK] = memory[run.N_EVALUATIONS]
        memory[run.SETTLED] = memory[run.N_STEPS] + SETTLING * other
        memory[run.PREPARED], memory[run.LAST_ERROR] = -1.0, 1e-4
        self.use(other)

    def restore(self, memory: Array) -> None:
        """Set the run to where another one was."""
        self.memory[:] = memory
        self.memory[run.PREPARED] = -1.0
        if len(self._variants) > 1:
            self.use(int(memory[run.WHICH]))

    def _first_memory(self) -> Array:
        """Memory of a run that has not begun."""
        plan, memory = self.plan, np.zeros(self.plan.memory_size)
        for place, value in plan.starts:
            memory[place] = value
        memory[plan.states_place :] = [first for first, *_ in plan.states]
        memory[[run.SMALLEST, run.EXPECTED_AT]] = np.inf
        memory[[run.NEAREST, run.EPOCH]] = 1.0
        memory[run.PREPARED] = -1.0
        memory[run.NEEDED] = STIFF_STEPS
        return memory

    def _set_closing(self) -> None:
        """Write how loops are kept closed into the workspace."""
        ints, drift, n = self.plan.packed.ints, self.settings.drift, self.system.n_constraint
        loops = LoopsHeader(ints, ints[field.LOOPS])
        ClosingRecord(self.scratch, loops.closing).softened = field.SOFT
        if isinstance(drift, Baumgarte):
            closure = plain(closure_record)(int(loops.closure), n)
            stiffness, damping = drift.gains(self.system)
            self.scratch[closure.stiffness : closure.stiffness + n] = stiffness
            self.scratch[closure.damping : closure.damping + n] = damping

    def _header(self) -> dict[str, int]:
        """Header entries of the method; its constants are added to the table."""
        plan, s = self.plan, self.settings
        tableau = s.integrator.tableau
        header = {"method": s.integrator.method, "adaptive": int(s.adaptive), "n_stage": 1}
        header["width"] = self.width
        header["traits"] = METHODS[s.integrator.method].traits
        kinds = plan.joint_kinds
        header["nonlinear"] = int(any(kind.nonlinear for kind in kinds))
        if tableau is not None:
            header["tableau"] = plan.table(tableau.packed())
            header["n_stage"] = tableau.n_stage
            header["n_dense"] = len(tableau.whole) - tableau.n_stage - 1
            header["degree"] = 0 if tableau.dense is None else tableau.dense.shape[1]
        header["n_rates"] = header["n_stage"] + 1 + header.get("n_dense", 0)
        if s.adaptive:
            header["every"] = POINTS
        else:
            header["every"] = max(1, round(s.output_step / s.step))
        if s.dense:
            header["dense"] = plan.system.n_v + 2 + plan.system.n_constraint
        header["project"] = int(
            bool(plan.system.constraints) and not isinstance(s.drift, Baumgarte)
        )
        header["base_armature"] = plan.table(plan.armature)
        if plan.contacts:
            header["bernstein"] = plan.table(from_samples())
        header["stiffness"] = plan.table(self.stiffness, self.damping)
        sizes = np.stack(error_sizes(plan.system))
        weights = s.rtol * sizes if s.atol is None else s.atol
        weights = np.maximum(weights, 1e-300)
        header["weights"] = plan.table(weights, *self._further_weights(weights[0]))
        speeds = [speed for _, speed, _ in plan.states]
        of_states = [size * weights[0, speed] for _, speed, size in plan.states]
        header["state_weights"] = plan.table(of_states, speeds)
        bounds = bounds_of(plan, s)
        header["look"] = bounds.look
        self.limits = reasonable(plan.system)
        header["limits"] = plan.table(self.limits)
        stops = sorted({x - s.start for x in bounds.stops if x > s.start})
        header["n_stop"], header["stops"] = len(stops), plan.table(stops)
        header["parameters"] = plan.table(self._parameters(bounds))
        return header

    def _rows_header(self, *, exact: bool) -> dict[str, int]:
        """Header entries of the derivatives of loads that are not diagonal."""
        plan, n_v = self.plan, self.system.n_v
        header = {"spacings": plan.table(SPACING * np.stack(error_sizes(plan.system)))}
        kind = self.settings.integrator
        rows = plan.has_rows or (kind.all_rows and plan.rows["loop_forces"])
        if exact or (rows and kind.implicit):
            header["wide"] = int(any(row.wide for row in plan.rows["forces"]))
            header["slot_rows"] = 6 * len(plan.slots) if exact or plan.slots_have_rows else 0
            header["contact_rows"] = n_v * header["wide"] + header["slot_rows"]
            header["contact_rows"] += sum(joint.n_v for joint in plan.loop_joints.values())
            header["n_row"] = header["contact_rows"]
            header["n_row"] += 0 if exact else 3 * (len(plan.contacts) - plan.n_touching)
        return header

    def _further_weights(self, positions: Array) -> tuple[list[float], list[int]]:
        """Scales of errors of the coordinates of own joints with quasi-speeds, and their speeds."""
        system, s = self.plan.system, self.settings
        coordinates = mapped_coordinates(system)
        weights = [s.rtol * (system.length if unit == "m" else 1.0) for unit, _ in coordinates]
        if s.atol is not None:
            weights = [float(positions[v].min()) for _, v in coordinates]
        return weights, [v.start for _, v in coordinates]

    def _parameters(self, bounds: StepBounds) -> Array:
        s = self.settings
        values = np.zeros(run.RunParameters.size)
        p = run.RunParameters(values, 0)
        p.origin, p.end = s.start, s.duration
        p.step, p.probe = bounds.step, bounds.probe
        p.output_step = s.output_step if s.adaptive else 0.0
        p.tick = self._tick(s.duration)
        p.rtol = s.rtol
        for name, value in s.integrator.parameters().items():
            values[run.RunParameters.places[name]] = value
        p.divisions = MOST_DIVISIONS
        if s.max_iterations is not None:
            p.iterations, p.divisions = s.max_iterations, 0
        if s.integrator.implicit:  # in units of the weights, which contain rtol
            p.newton = ADAPTED if s.adaptive else p.newton / s.rtol
        if s.adaptive:
            p.share = s.integrator.share / s.duration
            p.least_share = min(1.0, max(s.integrator.least_share, s.integrator.rounding / s.rtol))
        else:
            p.share = np.inf
        p.stiff_at = s.integrator.stiff_at
        p.exponent = 1 / (s.integrator.error_order + 1)
        tableau = s.integrator.tableau
        p.second = tableau is not None and tableau.second is not None
        return values

    def _tick(self, span: float) -> float:
        """Time between instants that count as the same, in a run of some duration [s]."""
        s = self.settings
        periods = [c.period for c in self.plan.controllers]
        periods += [s.output_step] if s.output_step else []
        periods += [] if s.adaptive else [s.step]
        return float(max(1e-9 * min([s.duration, *periods]), 8 * np.spacing(span)))

    def _scratch(self) -> Array:
        """Workspace of the recursion, with the rotors' inertia and a buffer for node loads."""
        plan = self.plan
        external, _ = external_list(plan)
        touched = np.zeros(TouchedRecord.size * len(plan.touched))
        scratch = np.concatenate([plan.packed.start, external, touched])
        work = engine.Workspace(plan.system, plan.packed)
        if np.any(plan.armature):
            work.set_armature(to_armature(plan.system, plan.armature))
        scratch[: len(work.scratch)] = work.scratch
        return scratch

    # State

    @property
    def time(self) -> float:
        """Current time [s]."""
        return self.settings.start + self.elapsed

    @property
    def elapsed(self) -> float:
        """Time since the start [s], which far from zero is more exact than the time."""
        return float(self.memory[run.TIME])

    @property
    def longest_step(self) -> float:
        """Longest step allowed [s]."""
        return float(run.RunParameters(self.table, self.head.parameters).step)

    @property
    def q(self) -> Array:
        """Current coordinates."""
        return self._in_memory.q

    @property
    def v(self) -> Array:
        """Current speeds."""
        return self._in_memory.v

    @property
    def states(self) -> Array:
        """Current states of loads, such as integrals of servos."""
        return self._in_memory.z

    @property
    def own_rates(self) -> Array:
        """Rates of the states of loads at the last evaluation."""
        n_z = len(self.plan.states)
        return self.pieces.states[run.LOAD_STATES + n_z : run.LOAD_STATES + 2 * n_z]

    @property
    def outputs(self) -> Array:
        """Outputs of loads at the last evaluation."""
        return self.pieces.states[run.LOAD_STATES + 2 * len(self.plan.states) :]

    def begin(self, q: Array, v: Array, first_step: float) -> None:
        """Set the run to its start."""
        self.memory[:] = self._first
        self.use(0)
        self.memory[run.TIME] = 0.0
        self.memory[run.NEXT_STEP] = first_step
        self.memory[run.LAST_ERROR] = 1e-4
        self.memory[run.ROUGH_UNTIL] = -np.inf
        self.q[:], self.v[:] = q, v
        self.origin = self.q.copy(), self.v.copy()  # before loops are closed
        s = self.settings
        if s.adaptive and s.integrator.iterates:
            self._weigh_springs()

    def _weigh_springs(self) -> None:
        """Weigh errors of hinges on springs so that their speeds stay within ten tolerances too.

        Implicit methods estimate errors of positions; those of speeds are as much larger as a
        spring's rate is above that by which speeds are measured.  Rates are those in the neutral
        position: runs of a batch share the weights, whatever their starts and order.
        """
        n, o = self.system.n_v, int(self.head.weights)
        positions, speeds = self.table[o : o + n], self.table[o + n : o + 2 * n]
        rates = spring_rates(self.plan, self.system.neutral().q.copy())
        stiff = rates > 0
        positions[stiff] = np.minimum(positions[stiff], OF_SPEEDS * speeds[stiff] / rates[stiff])

    def solve(self, forces: Array) -> Array:
        """Accelerations due to forces alone, M^-1 forces, in the current state."""
        self.pieces.a1[:] = forces
        self.advance(0, run.SOLVE)
        return self.pieces.x1.copy()

    def settle(self) -> int:
        """Insert given motions into the state and close its loops; status as of `advance`."""
        return self.advance(0, run.SETTLE)

    def forget(self, start: int, n: int) -> None:
        """Set the stored accelerations of n speeds, which have stopped, to zero."""
        for vector in (self._in_memory.x, self._in_memory.lead, self._in_memory.before):
            vector[start : start + n] = 0.0

    def changed(self) -> None:
        """Invalidate everything derived from state and loads after one of them has changed."""
        self.memory[[run.FRESH, run.KNOWN]] = 0.0
        self.memory[run.EPOCH] += 1.0
        self.memory[run.EXPECTED_AT] = np.inf
        self.memory[run.CONTACT_STEP] = 0.0

    def advance(self, budget: int, mode: int = run.ON) -> int:
        """Advance the run; the status is one of those in `kernels.layout.run`."""
        self.memory[run.N_ROWS] = 0
        status = int(
            self._advance(
                self.ints,
                self.plan.packed.floats,
                self.scratch,
                self.stiff,
                self.elements,
                self.table,
                self.memory,
                self.work,
                self._mass,
                self._rows,
                self.capacity,
                budget,
                mode,
            )
        )
        self.memory[run.N_CALLS] += self.plan.functions.further_calls()
        return status

    def bound(self, mode: int) -> Callable[[], int]:
        """Call of `advance` in one mode, without a budget; rows are not counted anew."""
        packed = (self.ints, self.plan.packed.floats, self.scratch, self.stiff)
        arrays = (self.elements, self.table, self.memory, self.work, self._mass, self._rows)
        return partial(self._advance, *packed, *arrays, self.capacity, 0, mode)

    def open_until(self, span: float) -> None:
        """Go on without end, with instants that can be told apart `span` [s] from the start."""
        p = run.RunParameters(self.table, self.head.parameters)
        p.end, p.tick = np.inf, self._tick(span)

    def rows(self) -> Array:
        """Copy of the rows that the last call wrote."""
        n = int(self.memory[run.N_ROWS])
        return self._rows[: n * self.width].reshape(n, self.width).copy()

    def accelerations(self, t: float, q: Array, v: Array) -> tuple[int, Array]:
        """Status and accelerations at a given time; the run itself is not changed."""
        memory = self.memory.copy()
        self.memory[run.TIME] = t - self.settings.start
        self.q[:], self.v[:] = q, v
        self.memory[[run.FRESH, run.FORCED]] = 0.0, 1.0
        self.memory[run.EPOCH] += 1.0
        status = self.advance(0)
        row = self.rows()[0].copy() if self.memory[run.N_ROWS] else np.zeros(self.width)
        self.memory[:] = memory
        return status, row

    def load_derivatives(self) -> tuple[int, Array, Array, Array]:
        """Status, forces of loads (n_v,) and their derivatives (n_v, n_v) in the current state.

        For a machine made with `exact`.
        """
        from ...kernels.run.load_derivatives import LOAD_DERIVATIVES

        self.memory[run.EPOCH] += 1.0
        n, own_joints, places = self.system.n_v, self.plan.packed.own_joints, self._load_places
        forces, by_q, by_v = np.zeros(n), np.zeros((n, n)), np.zeros((n, n))
        self.pieces.slots[:] = self._clear_slots  # an evaluation leaves its wrenches
        columns, motions = places.put(self) if places else (NO_PLACES, NO_PLACES)
        kernel = self.plan.functions.guard(own_joints.guard(LOAD_DERIVATIVES.load()), 5)
        arrays = (self.ints, self.plan.packed.floats, self.scratch, self.elements, self.table)
        derivatives = (columns, motions, forces, by_q, by_v)
        status = kernel(*arrays, self.memory, self.work, self._mass, *derivatives)
        if places:
            by_q -= places.turning(self)
        return int(status), forces, by_q, by_v

    @cached_property
    def _clear_slots(self) -> Array:
        """Slots without wrenches."""
        return slot_records(self.plan)

    @cached_property
    def _load_places(self) -> LoadPlaces | None:
        """Nodes of the loads if their motions can be differentiated exactly; else None."""
        if not self.plan.slots or self.plan.loop_joints or not compiled(self.system):
            return None
        return LoadPlaces(self.system, [(body, node) for _, body, node in self.plan.slots])

    def keep_turns(self) -> None:
        """Continue angles of loaded joints of loops from the configuration evaluated last."""
        for row in self.plan.rows["loop_joints"]:
            q = pieces(self.work, self.head.at_loops).q[row.q : row.q + row.n_q]
            self.memory[row.angles : row.angles + row.n_q] = q

    @property
    def parameter_places(self) -> list[int]:
        """Offsets of the parameters of the run in the table, with each of its methods."""
        return [int(run.PlanHeader(x.elements, 0).parameters) for x in self._variants]

    @property
    def integrators(self) -> str:
        """Titles of the methods that the run has used."""
        kinds = [variant.settings.integrator.title for variant in self._variants]
        return " and ".join(kinds) if self.memory[run.N_SWITCHES] else kinds[0]

    @property
    def may_switch(self) -> bool:
        """Whether the run changes between two methods."""
        return len(self._variants) > 1

    @property
    def switched(self) -> str:
        """What the run did besides the choice of its first method, in words."""
        m = self.memory
        if not m[run.N_SWITCHES]:
            return ""
        title, count = self._variants[1].settings.integrator.title, int(m[run.N_SWITCHES])
        times = "once" if count == 1 else f"{count} times"
        first = self.settings.start + float(m[run.FIRST_SWITCH])
        return f"; switched to {title} at t = {first:.9g} s, {times} in all"

    @property
    def touches(self) -> list[TouchRecord]:
        """What the run remembers of each point of its contacts."""
        return [TouchRecord(self.memory, row.touch) for row in self.plan.contacts]

    @property
    def statistics(self) -> dict[str, Any]:
        """Statistics of the run so far: counts, step sizes [s], errors."""
        m = self.memory
        counts = {
            "steps": run.N_STEPS,
            "rejected_steps": run.N_REJECTED,
            "evaluations": run.N_EVALUATIONS,
            "iterations": run.N_ITERATIONS,
            "divided_steps": run.N_DIVIDED,
            "function_calls": run.N_CALLS,
        }
        if self.head.project:
            counts["projections"] = run.N_PROJECTIONS
        statistics: dict[str, Any] = {name: int(m[place]) for name, place in counts.items()}
        if len(self._variants) > 1:
            statistics["switches"] = int(m[run.N_SWITCHES])
            statistics["implicit_time"] = float(m[run.IMPLICIT_TIME])
        if self.plan.contacts:
            statistics["touch_downs"] = int(sum(touch.count for touch in self.touches))
        if self.system.constraints:
            statistics["nearest_to_singular"] = float(m[run.NEAREST])
            statistics["nearest_at"] = self.settings.start + float(m[run.NEAREST_TIME])
        if not self.settings.adaptive or self.settings.integrator.iterates:
            statistics["estimated_error"] = float(m[run.ERROR_SUM]) * self.settings.rtol
        if not self.settings.adaptive and self.head.watched.count:
            statistics["error_at_kinks"] = float(m[run.BENT_SUM]) * self.settings.rtol
        if statistics["steps"]:
            statistics["smallest_step"], statistics["largest_step"] = (
                float(m[run.SMALLEST]),
                float(m[run.LARGEST]),
            )
        return statistics
