"""Many runs on a GPU, one thread each.

Every thread calls the loop of a run that a CPU executes (`kernels.run.advance`), for a slice of the
run.  Rows come back between slices.  What the loop leaves to Python, events and failures, is done
on the CPU: the memory of that run is all that it needs, and goes back where the run goes on.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import KernelError, LissomError, LoadError
from ..kernels.device import runs
from ..kernels.device.entry import LANES, DeviceEntry
from ..kernels.layout import run
from ..kernels.run.registry import METHODS
from ..sim.run.machine import Machine
from ..sim.run.prepare import Prepared, begun_run
from ..sim.run.reasons import Outcome
from ..sim.run.record import outcome_meta
from ..sim.run.runner import STALL_STEPS, Judge, Stall, next_budget
from ..sim.warnings.starts import warn_before
from .arrays import on_cpu
from .device import Device, Interleaved, argument
from .functions import functions_ptx, numbered_functions
from .on_device import check_known
from .progress import Counted
from .runs import OneRun, unfinished
from .starts import NOT_BEGUN, Starts
from .warning import warn_after

Array = np.ndarray

SLICE = 0.25  # time of a launch that is aimed at [s]
ROWS_SHARE = 0.4  # share of the memory for rows
MOST_ROWS = 4096  # rows of a run between two transfers
GOES_ON = (run.MORE, run.ROWS_FULL)
COUNTS = (run.N_STEPS, run.N_REJECTED, run.N_EVALUATIONS, run.N_ITERATIONS, run.N_DIVIDED)


class Fleet:
    """Runs on a GPU."""

    def __init__(self, starts: Starts, count: int, device: Device) -> None:
        self._starts, self.interrupts = starts, starts.interrupts
        self.count, self.device = count, device
        self.alike = starts.again is not None
        self.runs: list[OneRun | None] = [None] * count

    def ready(self, k: int) -> Prepared:
        """Run k, prepared."""
        first, again = self._starts.first, self._starts.again
        if isinstance(first, LissomError):
            raise first
        if k == 0:
            return first
        return self._starts.ready(k) if again is None else again(first, k)

    def run(self, bar: Counted) -> list[OneRun]:
        """Results of all runs, in turns that fit the memory of the device."""
        first = self.ready(0)
        entry = check_runnable(first)
        self.elements, self.functions = numbered_functions(first.machine)
        self.plain = self.alike and is_plain(first)
        self.outside = functions_ptx(self.functions)
        with bar:
            start = 0
            while start < self.count:
                at_once = self._at_once(first.machine)
                turn = range(start, min(start + at_once, self.count))
                if self.interrupts.obeyed():
                    break
                try:
                    _DeviceTurn(self, entry, turn).run(bar)
                except MemoryError as error:
                    raise KernelError(
                        f"the GPU has no memory left for {len(turn)} runs ({error}); free memory "
                        'there, do fewer runs at once, or use device="cpu"'
                    ) from None
                start = turn.stop
        return [unfinished("interrupted", NOT_BEGUN) if x is None else x for x in self.runs]

    def check_same(self, machine: Machine, k: int) -> None:
        """Refuse a run whose loads are not those of the first one with other constants."""
        if self.alike:
            return
        elements, functions = numbered_functions(machine)
        same = [x.function for x in functions] == [x.function for x in self.functions]
        if not same or not np.array_equal(elements, self.elements):
            raise LoadError(
                f"run {k} has other loads than run 0: on a GPU they may differ in constants, not "
                'in kind, place or function; use device="cpu"'
            )

    def _at_once(self, machine: Machine) -> int:
        """Runs that the device has room for, without their rows."""
        numbers = 2 * len(machine.scratch) + len(machine.memory) + len(machine.work)
        numbers += len(machine.ints) + 4 * machine.width
        if not self.alike:
            numbers += len(machine.table) + len(machine.plan.packed.floats)
        room = (1 - ROWS_SHARE) * self.device.free_bytes()
        fit = int(room / (8 * numbers)) // LANES * LANES
        if fit < LANES:
            raise KernelError(
                f"the GPU has {room / 1e6:.3g} MB left for workspaces, and {LANES} runs need "
                f'{8e-6 * numbers * LANES:.3g} MB; free memory there, or use device="cpu"'
            )
        return fit


class _DeviceTurn:
    """Runs that are on the device at the same time."""

    def __init__(self, fleet: Fleet, entry: DeviceEntry, turn: range) -> None:
        self.fleet, self.entry, self.turn = fleet, entry, turn
        self.device, self.xp = fleet.device, fleet.device.xp
        self.blocks: list[list[Array]] = [[] for _ in turn]
        self.done = np.zeros(len(turn), dtype=bool)
        self.begun = time.perf_counter()
        self.judges: dict[int, Judge] = {}
        self.stalls: dict[int, Stall] = {}
        self.looked = np.zeros(len(turn))  # steps at which each was last looked at
        memories = self._memories()
        if self.done.all():
            return
        self.machine = self.prepared.machine
        self.memory = self._interleaved(memories)
        m = self.machine
        self.scratch, self.stiff = (self._workspaces_of(x) for x in ("scratch", "stiff"))
        self.work = Interleaved(self.xp, len(turn), len(m.work))
        self.work.fill(m.work)
        self.table = self._constants([x.table for x in self.machines])
        self.floats = self._constants([x.plan.packed.floats for x in self.machines])
        self.plan = self.xp.asarray(fleet.elements)
        driven = m.head.motions.count > 0  # each run writes which of its joints are driven
        many = np.tile(m.ints, (len(turn), 1)) if driven else m.ints[None]
        self.ints = self.xp.asarray(many)
        self.mass = self.xp.zeros((len(turn), 0, 1))
        self.capacity = self._capacity()
        self.rows = Interleaved(self.xp, len(turn), self.capacity * m.width)

    def _memories(self) -> Array:
        """Memory of each run at its start; runs that cannot start are done."""
        machines: list[Machine | None] = []
        rows: list[Array | None] = []
        for place, k in enumerate(self.turn):
            try:
                ready = self.fleet.ready(k)
                self.fleet.check_same(ready.machine, k)
                memory = self._start_memory(ready, rows)
            except LissomError as error:
                self._end(place, unfinished("failed", str(error), error))
                rows.append(None)
                machines.append(None)
                continue
            self.prepared = ready
            rows.append(memory)
            machines.append(ready.machine)
        first = next((k for k, x in enumerate(rows) if x is not None), None)
        if first is None:
            return np.zeros((0, 0))
        all_machines = [machines[first] if x is None else x for x in machines]
        self.machines: list[Any] = all_machines[:1] if self.fleet.alike else all_machines
        return np.stack([rows[first] if x is None else x for x in rows])  # type: ignore[misc]

    def _start_memory(self, ready: Prepared, before: list[Array | None]) -> Array:
        """Memory of a run at its start: where nothing else matters, another's with its state."""
        if not self.fleet.plain or not before or before[-1] is None:
            warn_before(ready.machine, begun_run(ready), stacklevel=2)
            return ready.machine.memory.copy()
        memory, start = before[-1].copy(), ready.start
        places = ready.machine.head.memory
        for place, x in ((places.q, start.raw_q), (places.v, start.raw_v)):
            memory[place : place + len(x)] = x
        return memory

    def _interleaved(self, rows: Array) -> Interleaved:
        workspaces = Interleaved(self.xp, len(self.turn), rows.shape[1])
        workspaces.data[...] = 0.0
        workspaces.put(0, self.xp.asarray(np.ascontiguousarray(rows)))
        return workspaces

    def _workspaces_of(self, name: str) -> Interleaved:
        arrays = [getattr(x, name) for x in self.machines]
        workspaces = Interleaved(self.xp, len(self.turn), len(arrays[0]))
        workspaces.fill(arrays[0] if len(arrays) == 1 else np.stack(arrays))
        return workspaces

    def _constants(self, rows: list[Array]) -> Any:
        return self.xp.asarray(np.stack(rows))

    def _capacity(self) -> int:
        """Rows of each run between two transfers."""
        per_row = 8 * self.machine.width * (-(-len(self.turn) // LANES) * LANES)
        fit = int(0.5 * self.device.free_bytes() / per_row)
        if fit < 2:
            raise KernelError("the GPU has no memory left for the rows of so many runs; free some")
        return min(fit, MOST_ROWS)

    def run(self, bar: Counted) -> None:
        """Run all to their ends."""
        if self.done.all():
            bar.add(len(self.turn))
            return
        budget, times = 64.0, np.zeros(len(self.turn))
        span = self.machine.settings.duration
        while not self.done.all():
            begun = time.perf_counter()
            statuses = self._advance(int(budget))
            headers = self._headers()
            self._take_rows(headers)
            for place in np.flatnonzero(~self.done & ~np.isin(statuses, GOES_ON)):
                self._judge(int(place), int(statuses[place]), headers[place])
            self._end_stalled(headers)
            now = np.where(self.done, span, headers[:, run.TIME])
            bar.add(float(np.sum(np.maximum(now - times, 0.0))) / span)
            times = np.maximum(now, times)
            budget = next_budget(budget, begun, SLICE)

    def _advance(self, budget: int) -> Array:
        """Launch one slice of all runs; statuses."""
        self.memory.data[:, run.N_ROWS] = 0.0
        many = len(self.table) > 1
        arguments = [
            argument(self.ints if len(self.ints) > 1 else self.ints[0], each=len(self.ints) > 1),
            argument(self.floats if many else self.floats[0], each=many),
            argument(self.scratch),
            argument(self.stiff),
            argument(self.plan),
            argument(self.table if many else self.table[0], each=many),
            argument(self.memory),
            argument(self.work),
            argument(self.mass),
            argument(self.rows),
            argument(self.capacity),
            argument(budget),
            argument(run.ON),
        ]
        threads = -(-len(self.turn) // LANES) * LANES
        statuses = self.device.launch(
            self.entry, len(self.turn), threads, arguments, self.fleet.outside
        )
        return on_cpu(statuses)

    def _headers(self) -> Array:
        """First numbers of the memory of each run."""
        return on_cpu(self.memory.numbers(0, run.M_HEADER))

    def _take_rows(self, headers: Array) -> None:
        """Fetch the rows that the last slice wrote."""
        counts = headers[:, run.N_ROWS].astype(int)
        counts[self.done] = 0
        most, width = int(counts.max(initial=0)), self.machine.width
        if not most:
            return
        rows = on_cpu(self.rows.numbers(0, most * width)).reshape(len(self.turn), most, width)
        for place in np.flatnonzero(counts):
            self.blocks[place].append(rows[place, : counts[place]].copy())

    def _judge(self, place: int, status: int, header: Array) -> None:
        """Handle a status that is not simply going on."""
        if status == run.FINISHED:
            machine = self.machines[0 if self.fleet.alike else place]
            machine.memory[: run.M_HEADER] = header
            self._take_spins(machine, place)
            self._finish(place, machine, Outcome("finished", f"reached t = {machine.time:.9g} s"))
            return
        machine = self._on_host(place)
        judge = self.judges.setdefault(place, Judge(machine, []))
        if status not in (run.EVENT, run.BEYOND_REASON):
            status = _repeat_failure(machine, status)
            judge.rows.append(machine.rows())
        outcome = judge.outcome(status)
        self.blocks[place] += [x for x in judge.rows if len(x)]
        judge.rows.clear()
        if outcome is not None:
            self._finish(place, machine, outcome)
            self._retire(place, machine)
            return
        memory = machine.memory.copy()
        memory[run.PREPARED] = -1.0
        self._put(place, memory)

    def _retire(self, place: int, machine: Machine) -> None:
        """Let the thread of a run that has ended return at once from now on."""
        memory = machine.memory.copy()
        memory[run.PREPARED] = -1.0
        memory[[run.TIME, run.FRESH, run.KNOWN, run.SUB]] = machine.settings.duration, 1.0, 1.0, 1.0
        memory[run.FORCED] = 0.0
        self._put(place, memory)

    def _put(self, place: int, memory: Array) -> None:
        self.memory.put(0, self.xp.asarray(memory[None]), self.xp.asarray([place]))

    def _take_spins(self, machine: Machine, place: int) -> None:
        """Highest rates of flexible bodies, for the warning of those that spin too fast."""
        places = list(machine.plan.spins.values())
        if places:
            start, stop = min(places), max(places) + 1
            row = self.memory.data[place // LANES, start:stop, place % LANES]
            machine.memory[start:stop] = on_cpu(row)

    def _end_stalled(self, headers: Array) -> None:
        """End runs whose steps have become too small, and all of them after Ctrl-C."""
        interrupted, steps = self.fleet.interrupts.obeyed(), headers[:, run.N_STEPS]
        late = self.machine.settings.adaptive & (steps - self.looked > STALL_STEPS)
        for place in map(int, np.flatnonzero((late | interrupted) & ~self.done)):
            self.looked[place] = steps[place]
            machine = self._on_host(place)
            judge = self.judges.setdefault(place, Judge(machine, []))
            stall = self.stalls.setdefault(place, Stall(0.0, 0.0))
            outcome = judge.interruption() if interrupted else stall.outcome(machine)
            if outcome is not None:
                self._finish(place, machine, outcome)
                self._retire(place, machine)

    def _on_host(self, place: int) -> Machine:
        """Machine on the CPU that is where a run is."""
        machine: Machine = self.machines[0 if self.fleet.alike else place]
        row = self.memory.data[place // LANES, :, place % LANES]
        machine.restore(on_cpu(row).copy())
        return machine

    def _finish(self, place: int, machine: Machine, outcome: Outcome) -> None:
        """Keep the result of a run."""
        judge = self.judges.get(place)
        warn_after(replace(self.prepared, machine=machine), outcome)
        happened = [] if judge is None else judge.happened
        seconds = time.perf_counter() - self.begun
        meta = outcome_meta(machine, outcome, self.prepared.reason, seconds, happened)
        blocks = self.blocks[place] or [np.zeros((0, machine.width))]
        rows = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        self._end(place, OneRun(machine.columns, rows, meta))

    def _end(self, place: int, one_run: OneRun) -> None:
        self.done[place] = True
        self.blocks[place] = []
        self.fleet.runs[self.turn[place]] = one_run


def _repeat_failure(machine: Machine, status: int) -> int:
    """Fail once more, so that all arrays belong to the failure; it counts once."""
    before = machine.memory[list(COUNTS)]
    repeated = machine.advance(1)
    if repeated == status:
        machine.memory[list(COUNTS)] = before
    return repeated


def check_runnable(ready: Prepared) -> DeviceEntry:
    """Kernel of a run on a GPU."""
    machine, settings = ready.machine, ready.settings
    check_known(machine.system)
    if contacts := machine.plan.contact_parts:
        raise LoadError(
            f'contacts are for the CPU; give device="cpu", or leave out {contacts[0][0].label!r}'
        )
    if settings.adaptive and not ready.asked:
        raise LoadError(
            "on a GPU runs do not choose their method; give step=, or an adaptive integrator by "
            'name: "dopri5" or "dop853"'
        )
    if settings.dense:
        raise LoadError('method="composite" is for the CPU; on a GPU use method="articulated"')
    name = METHODS[settings.integrator.method].name
    for entry in (runs.EXPLICIT, runs.IMPLICIT):
        if name in entry.methods:
            return entry
    raise LoadError(
        f'integrator {settings.integrator.title} is for the CPU; on a GPU use "euler_cromer", '
        '"rk4", "dopri5", "dop853" or "generalized_alpha"'
    )


def is_plain(ready: Prepared) -> bool:
    """Whether runs differ at their starts in their states alone."""
    plan = ready.machine.plan
    other = plan.system.constraints or plan.driven or plan.controllers or ready.settings.adaptive
    return not other
