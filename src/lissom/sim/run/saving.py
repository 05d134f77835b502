"""Opening of the storage of a run, and resuming of an interrupted run."""

from __future__ import annotations

import dis
import functools
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...errors import LoadError, ResultError
from ...kernels.run import fields as run
from ...kernels.run.calls import COMPILED
from ...kernels.run.registry import BODY_KINDS, JOINT_KINDS, NODE_KINDS
from ...kernels.tree import own_joints as own
from ...records.system import digest
from ...results.event_records import EventRecord, event_notes, event_records_of
from ...results.files.versions import FORMAT_VERSION, lissom_version
from ...results.trajectory import Trajectory
from ...system import System
from ..events.event import Stop
from ..loads.controller import Controller, with_arrays_apart, with_arrays_back
from .machine import Machine
from .memory import check_memory
from .packing import slot_records
from .plan import SIGNAL_ROW
from .reasons import Outcome
from .record import FileRecord, MemoryRecord
from .runner import Runner
from .settings import Settings


def opened_record(
    machine: Machine, file: Any, resume: Any, reason: str, *, limited: bool = False
) -> Any:
    """Storage of the rows; with `resume` the machine is set to the end of the journal."""
    from ...results.files.disk import check_space, journal_path
    from ...results.files.journal.writer import Journal

    settings, plan = machine.settings, machine.plan
    run_inputs = inputs(machine)
    if resume is not None:
        return _resumed(machine, file, resume, run_inputs)
    if file is None:
        return _in_memory(machine, run_inputs, limited=limited)
    name = os.fspath(file).removesuffix(".part")
    if not name.endswith(".nc"):
        raise ResultError(f"file is {name!r}; results are written as NetCDF: NAME.nc")
    path, part = journal_path(file)
    if os.path.isdir(path):
        raise ResultError(f"file is {path!r}, which is a folder; give the name of a file in it")
    for controller in plan.controllers:
        _check_saved(controller)
    if settings.output_step:
        check_space(part, 2.2 * 8 * machine.width * _n_rows(settings))
    meta = {
        "fingerprint": fingerprint(run_inputs),
        "inputs": run_inputs,
        "integrator": settings.integrator.title,
        "chosen": reason,
        "status": "unfinished",
        "message": "the run did not end; resume it",
        **_settings_meta(settings),
    }
    journal = Journal.create(part, machine.system, machine.columns, meta)
    return FileRecord(path, machine.system, journal, run_inputs)


def _n_rows(settings: Settings) -> float:
    """Number of rows of a run with a fixed output step."""
    return settings.duration / settings.output_step + 2


def _in_memory(machine: Machine, run_inputs: dict[str, str], *, limited: bool) -> MemoryRecord:
    """Record in memory, allocated in advance if the number of rows is known."""
    settings, plan = machine.settings, machine.plan
    may_stop = any(isinstance(x, Stop) for event, _ in plan.events for x in event.actions)
    if not settings.output_step or may_stop or limited:
        return MemoryRecord(machine.columns, run_inputs)
    check_memory(8 * machine.width * _n_rows(settings))
    return MemoryRecord(machine.columns, run_inputs, int(_n_rows(settings)))


def _check_saved(controller: Controller) -> None:
    from ...records.packed import json_text

    saved = controller.saved()
    try:
        json_text({"saved": with_arrays_apart(saved, {})})
    except (TypeError, ValueError) as error:
        raise LoadError(
            f"{controller.label}: get_state() returned {saved!r}, which a file cannot hold "
            f"({error}); return numbers, text, lists, dictionaries or arrays"
        ) from None


def _resumed(machine: Machine, file: Any, resume: Any, run_inputs: dict[str, str]) -> Any:
    from ...results.files.disk import journal_path
    from ...results.files.journal.reader import JournalStore
    from ...results.files.journal.writer import Journal

    path, part = journal_path(resume)
    if file is not None and journal_path(file)[0] != path:
        raise ResultError(f"resume is {path!r} but file is {os.fspath(file)!r}; give one of them")
    if not os.path.exists(part) and os.path.exists(path):
        done = Trajectory.load(path)
        _check_same(path, done.meta, run_inputs, but=("duration",))
        if abs(float(done.time[-1]) - machine.settings.end) <= 1e-9 * machine.settings.duration:
            return done
        raise ResultError(
            f"{path} is finished and ends at t = {done.time[-1]:g} s; start a new run from "
            f"its last state: simulate(system, load({path!r}).state({done.time[-1]:g}), ...)"
        )
    journal = Journal.reopen(part)
    try:
        store = JournalStore(part)
        # a function that failed may have been corrected
        _check_same(part, store.meta, run_inputs, functions=store.notes["status"] != "failed")
        checkpoint = store.checkpoint
        if checkpoint is not None:
            machine.restore(checkpoint.arrays["memory"])
            saved = checkpoint.notes.get("controllers", [])
            for controller, value in zip(machine.plan.controllers, saved, strict=False):
                controller.restore(with_arrays_back(value, checkpoint.arrays))
    except BaseException:
        journal.close()
        raise
    record = FileRecord(path, machine.system, journal, run_inputs)
    if checkpoint is not None:
        record.happened = event_records_of(checkpoint.notes)
    return record


def _check_same(
    path: str,
    meta: Mapping[str, Any],
    run_inputs: dict[str, str],
    but: tuple[str, ...] = (),
    *,
    functions: bool = True,
) -> None:
    """Refuse to continue a different run; the error names the differences."""
    before = meta.get("inputs")
    if before is None:
        raise ResultError(
            f"{path} was written by lissom {meta.get('lissom_version', 'of unknown version')}, "
            "whose runs this version cannot continue; load it, and start a new run from its last "
            "state"
        )
    earlier, now = (
        {k: x for k, x in entries.items() if k not in but} for entries in (before, run_inputs)
    )
    if different := differences(earlier, now, functions=functions):
        raise ResultError(
            f"{path} belongs to another run; different: {'; '.join(different)}. Resume it with the "
            "arguments that it was started with"
        )


def run_meta(
    machine: Machine, runner: Runner, outcome: Outcome, reason: str, seconds: float
) -> dict[str, Any]:
    """Metadata of a run, stored next to its rows."""
    return {
        **outcome_meta(machine, outcome, reason, seconds, runner.happened),
        "fingerprint": fingerprint(runner.record.inputs),
        "inputs": runner.record.inputs,
    }


def outcome_meta(
    machine: Machine,
    outcome: Outcome,
    reason: str,
    seconds: float,
    happened: Sequence[EventRecord],
) -> dict[str, Any]:
    """Metadata of a run that do not depend on where its rows are.

    `seconds`: elapsed real time [s].
    """
    statistics = {
        "integrator": machine.integrators,
        "chosen": reason + machine.switched,
        **machine.statistics,
        "seconds": seconds,
    }
    return {
        "status": outcome.status,
        "message": outcome.message,
        "integrator": machine.integrators,
        "statistics": statistics,
        **event_notes(happened),
        **_settings_meta(machine.settings),
    }


def _settings_meta(settings: Settings) -> dict[str, Any]:
    return {
        "start": settings.start,
        "duration": settings.duration,
        "step": None if settings.adaptive else settings.step,
        "rtol": settings.rtol,
        "rate_linear": settings.rate_linear,
        "output_step": settings.output_step or None,
        "lissom_version": lissom_version(),
    }


# Text description of all inputs that determine a run; they are compared before it is resumed.
#
# User functions are compared by what can be inspected: code, constants and defaults, the numbers,
# texts, tuples, arrays and functions that they use from enclosing scopes, and for objects also the
# attributes that only ``__init__`` sets.  Lists, dictionaries and variables that a function changes
# itself are its memory and are not compared.

_LONGEST = 60  # characters of a value that is stored as text, not as a digest
_COMPILED = "what acts, in compiled form"
FUNCTION = "function "  # prefix of the descriptions of functions
_DEEPEST = 8  # depth to which nested objects are inspected
_LIBRARIES = ("site-packages", "dist-packages", os.path.dirname(os.__file__))


def inputs(machine: Machine) -> dict[str, str]:
    """Description of each input that determines a run."""
    settings = machine.settings
    forces, loads, events = machine.plan.arguments
    entries = {
        "system": digest(machine.system),
        "start state": f"#{_digest(_text(machine.origin))}",
    }
    entries |= {f.name: _short(_text(getattr(settings, f.name))) for f in fields(settings)}
    if not machine.system.constraints:
        del entries["drift"]  # without loops it has no effect
    if forces is not None:
        entries["forces"] = _short(_text(forces))
    for word, group in (("load", loads), ("event", events)):
        for k, one in enumerate(group):
            what = f"{word} {k + 1} ({type(one).__name__})"
            entries |= {
                f"{what} {f.name}": _short(_text(getattr(one, f.name))) for f in fields(one)
            }
    entries[_COMPILED] = _compiled(machine)
    entries["version"] = _layout()
    return entries


def fingerprint(run_inputs: Mapping[str, str]) -> str:
    """Digest of the result of `inputs`."""
    return _digest(json.dumps(dict(run_inputs), sort_keys=True))


def differences(
    before: Mapping[str, str], now: Mapping[str, str], *, functions: bool = True
) -> list[str]:
    """Descriptions of the inputs that differ between two runs."""
    changed = [key for key in {**before, **now} if before.get(key) != now.get(key)]
    if not functions:
        pairs = {key: (before.get(key, ""), now.get(key, "")) for key in changed}
        changed = [k for k, pair in pairs.items() if not all(x.startswith(FUNCTION) for x in pair)]
    if "version" in changed:
        return ["version of lissom"]
    if changed != [_COMPILED]:  # it repeats differences that the others describe better
        changed = [key for key in changed if key != _COMPILED]
    return list(dict.fromkeys(_difference(x, before.get(x), now.get(x)) for x in changed))


def _difference(key: str, before: str | None, now: str | None) -> str:
    if before is None or now is None:
        what = key.partition(") ")[0]
        return f"{what}{')' * (what != key)}, {'not there before' if before is None else 'missing'}"
    if "#" in before + now or key == "system":
        return key
    return f"{key} ({before} before, {now} now)"


def _compiled(machine: Machine) -> str:
    """Digest of the arrays that the kernels read, without addresses and end time."""
    elements, table = machine.elements.copy(), machine.table.copy()
    ending = (run.END, run.TICK, run.STEP, run.PROBE, run.SHARE)  # these follow from the settings
    for parameters in machine.parameter_places:
        table[[parameters + x for x in ending]] = 0.0
    n_signal = (int(elements[run.FORCES]) - run.P_HEADER) // SIGNAL_ROW
    signals = elements[run.P_HEADER : run.P_HEADER + n_signal * SIGNAL_ROW]
    signals = signals.reshape(n_signal, SIGNAL_ROW)
    called = signals[:, run.S_KIND] == run.CALLED
    signals[called, run.S_WHERE] = 0
    signals[called & (signals[:, run.S_WHICH] >= COMPILED), run.S_WHICH] = 0
    for count, place in ((run.N_CONTROLLER, run.CONTROLLERS), (run.N_EVENT, run.EVENTS)):
        for k in range(int(elements[count])):
            row = elements[int(elements[place]) + k * run.E_ROW :]
            row[run.E_ADDRESS] = 0
            row[run.E_WHICH] = 0 if row[run.E_WHICH] >= COMPILED else row[run.E_WHICH]
    for k in range(int(elements[run.N_SPECIAL])):
        row = elements[int(elements[run.SPECIALS]) + k * run.E_ROW :]
        if row[run.E_KIND] == run.MAPPED:
            table[row[run.E_TABLE] + [own.R_ADDRESS, own.R_WHICH]] = 0.0
    slots = [(body, node) for _, body, node in machine.plan.slots]
    return _digest(_text([elements, table, slot_records(machine.plan), slots]))


@functools.cache
def _layout() -> str:
    """Digest of the format of files and of the offsets in the arrays of a run, of this version."""
    places = sorted((k, x) for k, x in vars(run).items() if isinstance(x, int))
    kinds = [[x.name for x in each] for each in (JOINT_KINDS, NODE_KINDS, BODY_KINDS)]
    return _digest(repr((FORMAT_VERSION, places, *kinds)))


def _digest(text: str | bytes) -> str:
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()


def _short(text: str) -> str:
    is_short = len(text) <= _LONGEST or text.startswith(FUNCTION)
    return text if is_short else f"#{_digest(text)}"


# Descriptions of values


def _text(value: Any, seen: tuple[int, ...] = ()) -> str:
    """Description of a value, the same for equal values; `seen`: the objects that contain it."""
    if isinstance(value, (bool, str, bytes, type(None))):
        return repr(value)
    if isinstance(value, (int, float, np.number)):
        return repr(complex(value)) if isinstance(value, np.complexfloating) else repr(float(value))
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size <= 6:
        return repr(value.tolist())
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str}{value.shape} #{_digest(value.tobytes())}"
    if id(value) in seen or len(seen) > _DEEPEST:
        return type(value).__name__
    if isinstance(value, System):
        return digest(value)
    seen = (*seen, id(value))
    if isinstance(value, (list, tuple, frozenset)):
        items = [_text(x, seen) for x in value]
        return f"({', '.join(sorted(items) if isinstance(value, frozenset) else items)})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{k!r}: {_text(x, seen)}' for k, x in value.items())}}}"
    if is_dataclass(value) and not isinstance(value, type):
        parts = (f"{f.name}={_text(getattr(value, f.name), seen)}" for f in fields(value))
        return f"{type(value).__name__}({', '.join(parts)})"
    return _called(value, seen)


def _called(value: Any, seen: tuple[int, ...]) -> str:
    """Description of a function or a callable object."""
    value = getattr(value, "py_func", getattr(value, "_pyfunc", value))  # compiled by Numba
    if isinstance(value, functools.partial):
        return f"{FUNCTION}#{_digest(_text([value.func, list(value.args), value.keywords], seen))}"
    if isinstance(value, MethodType):
        return f"{FUNCTION}#{_digest(_text([value.__self__, value.__func__], seen))}"
    if _is_library(value):
        return f"{_module(value)}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    if isinstance(value, FunctionType):
        return f"{FUNCTION}{value.__name__} #{_digest(_function(value, seen))}"
    if isinstance(value, (type, ModuleType)):
        return value.__name__
    return f"{FUNCTION}{type(value).__qualname__} #{_digest(_object(value, seen))}"


def _module(value: Any) -> str:
    """Module of a function or of the class of an object."""
    if isinstance(value, ModuleType):
        return value.__name__
    named = value if isinstance(value, (FunctionType, type)) else type(value)
    return str(getattr(named, "__module__", "") or "")


def _is_library(value: Any) -> bool:
    """Whether the object comes from an installed package and is identified by its name alone."""
    name = _module(value)
    if name.partition(".")[0] in {"lissom", "builtins", *sys.builtin_module_names}:
        return True
    file = str(getattr(sys.modules.get(name), "__file__", None) or "")
    return any(part in file for part in _LIBRARIES)


def _function(function: FunctionType, seen: tuple[int, ...]) -> str:
    code = function.__code__
    stored = _stored([code], ("STORE_GLOBAL", "STORE_DEREF"))
    around = {n: function.__globals__[n] for n in _names(code) if n in function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            around[name] = cell.cell_contents
        except ValueError:  # not filled yet
            around[name] = None
    taken = [f"{n}={_variable_text(x, seen)}" for n, x in sorted(around.items()) if n not in stored]
    defaults = [_variable_text(x, seen) for x in (function.__defaults__ or ())]
    defaults += [
        f"{k}={_variable_text(x, seen)}" for k, x in (function.__kwdefaults__ or {}).items()
    ]
    return "\n".join([_code(code), *taken, *defaults])


def _object(value: Any, seen: tuple[int, ...]) -> str:
    """Description of an object: code of its class, and attributes that its methods do not set."""
    methods = {
        f"{kind.__qualname__}.{name}": member
        for kind in type(value).__mro__[:-1]
        for name, member in vars(kind).items()
        if isinstance(member, FunctionType)
    }
    makers = ("__init__", "__post_init__", "__new__")
    later = [f.__code__ for name, f in methods.items() if not name.endswith(makers)]
    state = _stored(later, ("STORE_ATTR",))
    attributes = getattr(value, "__dict__", {}).items()
    constants = [
        f"{name}={_variable_text(x, seen)}" for name, x in sorted(attributes) if name not in state
    ]
    return "\n".join(
        [*(f"{n} {_code(f.__code__)}" for n, f in sorted(methods.items())), *constants]
    )


def _variable_text(value: Any, seen: tuple[int, ...]) -> str:
    """Description of a variable that a function uses; mutable values only by type."""
    if isinstance(value, (list, dict, set, bytearray)):
        return type(value).__name__
    return _text(value, seen)


def _code(code: CodeType) -> str:
    constants = [_code(x) if isinstance(x, CodeType) else _text(x) for x in code.co_consts]
    numbers = (code.co_argcount, code.co_kwonlyargcount, code.co_flags)
    return repr((code.co_code, constants, code.co_names, code.co_freevars, numbers))


def _parts(code: CodeType) -> Iterator[CodeType]:
    """Code object and all code objects nested in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant)


def _names(code: CodeType) -> set[str]:
    return {name for part in _parts(code) for name in part.co_names}


def _stored(codes: Iterable[CodeType], kinds: tuple[str, ...]) -> set[str]:
    """Names that code assigns."""
    return {
        str(instruction.argval)
        for code in codes
        for part in _parts(code)
        for instruction in dis.get_instructions(part)
        if instruction.opname in kinds
    }
