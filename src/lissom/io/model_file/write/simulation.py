"""Saving of simulation settings as the section [simulation] of a model file."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ....algorithms.loops.assembly import names_listed
from ....errors import ModelFileError, suggestion
from ....model import Model, Part
from ....options import of_form
from ....shapes import ContactShape
from ....sim import Event, Gap, Lock, Release, RigidImpact, Stop, Switch, Table
from ....sim.drift import Baumgarte, as_drift
from ....sim.integrators import Integrator
from ....sim.loads import LOADS, Load
from ....sim.loads.contact import Friction
from ....sim.loads.contact.law import NormalLaw
from ....structures import Material
from ....system import PlacedShape, State
from ..build.parts import MATERIALS
from ..functions import FROM_FILE
from ..schema.simulation import SimulationTable
from ..schema.types import FUNCTION

_PIECES = ("", ".modes", ".rates", ".mode_rates")


def simulation_table(
    arguments: Any, folder: str, model: Model
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Section [simulation] from arguments of `simulate`, including the state, and materials."""
    if not isinstance(arguments, Mapping):
        raise ModelFileError(
            f"simulation is {arguments!r}; expected arguments of simulate by name, such as "
            '{"duration": 9.0, "state": state}'
        )
    names = list(SimulationTable.model_fields)
    for name in arguments:
        if name not in names:
            raise ModelFileError(
                f"simulation: {name!r} cannot be saved to a file; {suggestion(str(name), names)}"
            )
    if "duration" not in arguments:
        raise ModelFileError("simulation: duration is missing; give it in seconds")
    writer = _SectionWriter(folder, model)
    return writer.table(arguments), writer.materials


class _SectionWriter:
    """Converter of arguments of `simulate` to tables."""

    def __init__(self, folder: str, model: Model) -> None:
        self.folder, self.bodies, self.shapes = folder, model.parts, model.shapes
        self.materials: dict[str, Any] = {}
        self.where = "simulation"

    def table(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        table: dict[str, Any] = {}
        for name in of_form("number", "tolerances", "choice", "switch"):
            value = arguments.get(name)
            default = SimulationTable.model_fields[name].default
            if value is not None and not (np.ndim(value) == 0 and value == default):
                table[name] = self.plain(value, name)
        table |= self.solver(arguments)
        loads = list(arguments.get("loads", ()))
        forces = arguments.get("forces")
        if isinstance(forces, Load):
            loads.append(forces)
        elif isinstance(forces, (list, tuple)) and any(isinstance(x, Load) for x in forces):
            loads += forces
        elif forces is not None:
            table["forces"] = self.forces(forces)
        if (state := self.state(arguments.get("state"))) != {}:
            table["state"] = state
        if held := names_listed(arguments.get("held", ())):
            table["held"] = held
        if loads:
            table["loads"] = [self.load(x) for x in loads]
        if arguments.get("events"):
            table["events"] = [self.event(x) for x in arguments["events"]]
        return table

    def solver(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        table: dict[str, Any] = {}
        integrator = arguments.get("integrator", "auto")
        if isinstance(integrator, type) and issubclass(integrator, Integrator):
            integrator = integrator()
        if isinstance(integrator, Integrator):
            options = dataclasses.asdict(integrator)
            name = integrator.names[0]
            integrator = {"kind": name, **options} if options else name
        if integrator != "auto":
            table["integrator"] = integrator
        drift = as_drift(arguments.get("drift", "projection"))
        if isinstance(drift, Baumgarte):
            table["drift"] = {
                name: dict(value) if isinstance(value, Mapping) else value
                for name, value in vars(drift).items()
            }
        return table

    def state(self, state: Any) -> dict[str, Any]:
        """Coordinates and speeds that differ from the neutral state, by name."""
        if state is None:
            return {}
        if not isinstance(state, State):
            raise ModelFileError(f"simulation: state is {state!r}; expected a State")
        for name in state.system.names:
            if name not in self.bodies and name.partition("@")[0] not in self.bodies:
                raise ModelFileError(
                    f"simulation: state has the body {name!r}, which is not in the model; give a "
                    "state of model.compile()"
                )
        by_name, neutral = {}, state.system.neutral()
        for name in state.system.names:
            for key in (f"{name}{piece}" for piece in _PIECES):
                current = np.asarray(state[key])
                if current.tobytes() != np.asarray(neutral[key]).tobytes():
                    values = self.plain(current, key)
                    by_name[key] = values[0] if np.size(current) == 1 and current.ndim else values
        return by_name

    def load(self, load: Any) -> dict[str, Any]:
        if type(load) not in LOADS:
            supported = ", ".join(x.__name__ for x in LOADS)
            raise ModelFileError(
                f"simulation: a load of type {type(load).__name__} cannot be saved to a file; "
                f"supported: {supported}"
            )
        self.where = load.label
        table: dict[str, Any] = {"kind": load.file_kind}
        for field in dataclasses.fields(load):
            value = getattr(load, field.name)
            if not _is_default(value, field.default):
                table[field.name] = self.signal(value, field.name)
        return table

    def event(self, event: Any) -> dict[str, Any]:
        if not isinstance(event, Event):
            raise ModelFileError(f"simulation: expected an Event, got {event!r}")
        self.where = f"event {event.name!r}" if event.name else "event"
        table: dict[str, Any] = {"when": self.when(event.when)}
        table["action"] = [self.action(x) for x in event.actions]
        for name in ("value", "rate", "direction", "once", "name"):
            value = getattr(event, name)
            if value and not (name == "direction" and event.strikes):
                table[name] = self.plain(value, name)
        return table

    def when(self, when: Any) -> Any:
        """What an event watches."""
        if not isinstance(when, Gap):
            return self.signal(when, "when")
        for shape in (when.a, when.b):
            if not isinstance(shape, (str, Part)):
                raise ModelFileError(
                    f"{self.where}: the gap is to {shape!r}, which files cannot hold; give shapes "
                    "of the model by their names"
                )
        return {"gap": [str(when.a), str(when.b)]}

    def action(self, action: Any) -> dict[str, Any]:
        match action:
            case Stop():
                return {"kind": "stop"}
            case Release():
                return {"kind": "release", "joint": str(action.joint)}
            case Lock():
                table: dict[str, Any] = {"kind": "lock", "joint": str(action.joint)}
                if action.stiffness is not None:
                    table["stiffness"] = self.plain(action.stiffness, "stiffness")
                if np.any(action.damping):
                    table["damping"] = self.plain(action.damping, "damping")
                return table
            case Switch():
                return {"kind": "switch", "load": action.load, "on": action.on}
            case RigidImpact():
                fields = dataclasses.fields(action)
                values = {x.name: (getattr(action, x.name), x.default) for x in fields}
                others = {k: x for k, (x, y) in values.items() if not _is_default(x, y)}
                return {"kind": "rigid_impact", **others}
        raise ModelFileError(
            f"{self.where}: an action of type {type(action).__name__} cannot be saved to a file; "
            "supported: Stop, Lock, Release, Switch, RigidImpact"
        )

    def forces(self, forces: Any) -> Any:
        if isinstance(forces, Mapping):
            return {str(key): self.plain(value, "forces") for key, value in forces.items()}
        return self.signal(forces, "forces")

    def fields(self, part: Any) -> dict[str, Any]:
        """Fields of a law or of friction that differ from their defaults."""
        values = ((f.name, getattr(part, f.name), f.default) for f in dataclasses.fields(part))
        return {
            name: self.material(value) if isinstance(value, Material) else self.plain(value, name)
            for name, value, default in values
            if not _is_default(value, default)
        }

    def material(self, material: Material) -> str:
        """Name of a material, which gets a table if it is not built in."""
        if MATERIALS.get(material.name) == material:
            return material.name
        values = {f.name: getattr(material, f.name) for f in dataclasses.fields(material)}
        first = values.pop("name") or "material"
        name, n = first, 1
        while name in MATERIALS or self.materials.get(name, values) != values:
            n += 1
            name = f"{first} {n}"
        self.materials[name] = values
        return name

    def placed(self, placed: PlacedShape) -> str:
        """Name of a shape of the model."""
        named = self.shapes.get(placed.name)
        if named is None or named.shape is not placed.shape:
            raise ModelFileError(
                f"{self.where}: {placed.label} is not in the model, and files can only hold the "
                "names of shapes; add it with Model.add_shape"
            )
        return placed.name

    def signal(self, value: Any, key: str) -> Any:
        """Constant, table or name of a function."""
        if isinstance(value, ContactShape):
            value = PlacedShape(value)
        if isinstance(value, PlacedShape):
            return self.placed(value)
        if isinstance(value, NormalLaw):
            return {"kind": value.file_kind, **self.fields(value)}
        if isinstance(value, Friction):
            return self.fields(value)
        if isinstance(value, Table):
            table = {"times": self.plain(value.times, key), "values": self.plain(value.values, key)}
            table |= {} if value.kind == "linear" else {"kind": value.kind}
            return table | ({"clamped": True} if value.clamped else {})
        if callable(value) or callable(getattr(value, "update", None)):
            return {"function": self.function(value, key)}
        return self.plain(value, key)

    def plain(self, value: Any, key: str) -> Any:
        """Text, booleans and numbers as stored in files."""
        if isinstance(value, (str, Part)):
            return str(value)
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        array = np.asarray(value)
        if array.dtype.kind not in "fiu":
            raise ModelFileError(
                f"{self.where}: {key} is {value!r}; files can only hold numbers, text and names of "
                "functions"
            )
        if array.ndim == 0 and math.isinf(array):
            return "inf" if array > 0 else "-inf"  # JSON has no infinity
        return array.tolist()

    def function(self, function: Any, key: str) -> str:
        """Name of a function for a file: "module:name" or "file.py:name"."""
        name, space = _name_and_namespace(function)
        place = str(space.get("__name__", "__main__"))
        if not name or place == "__main__":
            words = getattr(function, "__qualname__", type(function).__name__)
            raise ModelFileError(
                f"{self.where}: {key} is the function {words}, which has no name in an importable "
                "module; define it with def in a separate file and import it from there"
            )
        if place.startswith(FROM_FILE):
            place = os.path.relpath(space["__file__"], self.folder or ".").replace(os.sep, "/")
        text = f"{place}:{name}"
        if not FUNCTION.fullmatch(text):
            raise ModelFileError(
                f"{self.where}: {key} would be saved as {text!r}, which cannot be read back; use "
                "names without spaces and colons"
            )
        return text


def _name_and_namespace(function: Any) -> tuple[str, Mapping[str, Any]]:
    """Name of a function, or of an object with a method `update`, and its module's namespace."""
    plain = getattr(function, "py_func", function)
    space = getattr(getattr(plain, "update", plain), "__globals__", {})
    return next((name for name, value in space.items() if value is function), ""), space


def _is_default(value: Any, default: Any) -> bool:
    """Whether a field has its default and can be omitted."""
    if default is dataclasses.MISSING or callable(value) or isinstance(value, Table):
        return False
    if value is None or isinstance(value, (str, bool)):
        return bool(value == default and type(value) is type(default))
    return default is not None and bool(np.array_equal(np.asarray(value), np.asarray(default)))
