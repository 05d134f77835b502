"""Text description of all inputs that determine a run; they are compared before it is resumed.

User functions are compared by what can be inspected: code, constants and defaults, the numbers,
texts, tuples, arrays and functions that they use from enclosing scopes, and for objects also the
attributes that only ``__init__`` sets.  Lists, dictionaries and variables that a function changes
itself are its memory and are not compared.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from ...kernels.layout import run
from ...kernels.run.registry import BODY_KINDS, JOINT_KINDS, NODE_KINDS
from ...options import FORMS
from ...records.system import digest
from ...results.files.versions import FORMAT_VERSION
from ...system import System
from .machine import Machine
from .packing import slot_records, without_addresses

ACTING = ("forces", "loads", "events")  # options with entries for each part
_LONGEST = 60  # characters of a value that is stored as text, not as a digest
_COMPILED = "what acts, in compiled form"
FUNCTION = "function "  # prefix of the descriptions of functions
_DEEPEST = 8  # depth to which nested objects are inspected
_LIBRARIES = ("site-packages", "dist-packages", os.path.dirname(os.__file__))


def inputs(machine: Machine) -> dict[str, str]:
    """Description of each input that determines a run."""
    settings = machine.settings
    entries = {
        "system": digest(machine.system),
        "start state": f"#{_digest(_text(machine.origin))}",
    }
    plain = (name for name, form in FORMS.items() if form.compared and form.name not in ACTING)
    entries |= {x: _short(_text(getattr(settings, x))) for x in (*plain, "adaptive")}
    if not machine.system.constraints:
        del entries["drift"]  # without loops it has no effect
    if settings.forces is not None:
        entries["forces"] = _short(_text(settings.forces))
    for word, group in (("load", settings.loads), ("event", settings.events)):
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
    elements, table = without_addresses(machine.elements, machine.table, machine.parameter_places)
    slots = [(body, node) for _, body, node in machine.plan.slots]
    return _digest(_text([elements, table, slot_records(machine.plan), slots]))


@functools.cache
def _layout() -> str:
    """Digest of options and of offsets in the arrays of a run; they differ between versions."""
    places = sorted((k, x) for k, x in vars(run).items() if isinstance(x, int))
    rows = [(k, x.places) for k, x in vars(run).items() if hasattr(x, "places")]
    kinds = [[x.name for x in each] for each in (JOINT_KINDS, NODE_KINDS, BODY_KINDS)]
    return _digest(repr((FORMAT_VERSION, places, rows, *kinds, *FORMS)))


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
