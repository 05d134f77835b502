"""Loads and events from the validated tables of a model file."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from ....errors import LissomError, LoadError
from ....sim import (
    Baumgarte,
    Event,
    Gap,
    GeneralizedAlpha,
    Lock,
    Release,
    RigidImpact,
    Stop,
    Switch,
    Table,
)
from ....sim.events.event import Action
from ....sim.integrators import as_integrator
from ....sim.loads import LOADS, Load
from ....sim.loads.contact import Friction
from ....sim.loads.contact.hertz import MaterialField
from ....sim.loads.contact.law import NormalLaw
from ....structures import Material
from ....system import System
from ....units import PAIRS
from ..coordinate_units import check_joint_units
from ..schema.contact import LAWS, FrictionTable, LawTable
from ..schema.simulation import (
    Curve,
    DriftTable,
    EventTable,
    FunctionTable,
    GapTable,
    IntegratorTable,
    LoadTable,
)
from ..schema.types import Reference, TableType
from .parts import material_named

Function = Callable[[FunctionTable, str], Any]  # (table, key) -> function named in the table

KINDS: dict[str, type[Load]] = {load.file_kind: load for load in LOADS}


def build_load(
    system: System, table: LoadTable, function: Function, materials: Mapping[str, Material]
) -> Load:
    """Load of a table."""
    fields = {x: getattr(table, x) for x in type(table).model_fields}
    kind = fields.pop("kind")
    fields.pop("repeat")
    if "joint" in fields:
        for key, entry in KINDS[kind].file_fields.items():
            for value in _rows(fields[key]) if entry.of in PAIRS else ():
                _checked_at(key, check_joint_units, system, fields["joint"], key, value, entry.of)
    if isinstance(law := fields.get("law"), LawTable):
        fields["law"] = _with_key("law", lambda: _law(law, materials))
    if isinstance(friction := fields.get("friction"), FrictionTable):
        fields["friction"] = _with_key("friction", lambda: Friction(**_plain_fields(friction)))
    signals = {key: _signal(value, key, function) for key, value in fields.items()}
    return KINDS[kind](**signals)


def _law(table: LawTable, materials: Mapping[str, Material]) -> NormalLaw:
    """Normal law of a table."""
    fields = _plain_fields(table)
    kind: Any = LAWS[fields.pop("kind")]
    for name, form in ((f.name, f.metadata.get("form")) for f in dataclasses.fields(kind)):
        if isinstance(fields[name], Reference):
            raise LoadError(f"{name} refers to an .npz file; give the values as lists")
        if isinstance(form, MaterialField) and fields[name] is not None:
            fields[name] = material_named(fields[name], materials)
    return kind(**fields)


def _plain_fields(table: TableType) -> dict[str, Any]:
    return {x: _numbers(getattr(table, x)) for x in type(table).model_fields}


def _with_key(key: str, make: Callable[[], Any]) -> Any:
    """Result of `make`; the key is stored in its error."""
    try:
        return make()
    except LissomError as error:
        error.key = key  # type: ignore[attr-defined]
        raise


def _rows(value: Any) -> list[Any]:
    """Values at all times; a single one for a constant."""
    return (
        [list(x) for x in zip(*value.columns, strict=True)] if isinstance(value, Curve) else [value]
    )


def _checked_at(key: str, check: Callable[..., Any], *arguments: Any) -> None:
    """Run a check; store the key in its error."""
    try:
        check(*arguments)
    except LoadError as error:
        error.key = "joint" if str(error).startswith("joint is") else key  # type: ignore[attr-defined]
        raise


def _signal(value: Any, key: str, function: Function) -> Any:
    if isinstance(value, FunctionTable):
        return function(value, key)
    if isinstance(value, Curve):
        if isinstance(value.values, Reference):
            raise LoadError(f"{key}: values refers to an .npz file; give the values as lists")
        times = [float(t) for t in value.table.times]
        return Table(times, value.values, value.table.kind, value.table.clamped)
    return _numbers(value)


def _numbers(value: Any) -> Any:
    """Quantities as numbers; anything else as it is."""
    if isinstance(value, list):
        return [float(x) for x in value]
    return float(value) if isinstance(value, float) else value


def build_event(system: System, table: EventTable, function: Function) -> Event:
    """Event of a table; parameters as for `build_load`."""
    when = table.when
    if isinstance(when, FunctionTable):
        when = function(when, "when")
    elif isinstance(when, GapTable):
        when = Gap(*when.gap)
    else:
        kind = "rate" if table.rate else "coordinate"
        _checked_at("value", check_joint_units, system, when, "value", table.value, kind)
    return Event(
        when,
        [_action(system, x) for x in table.action],
        value=float(table.value),
        rate=table.rate,
        direction=table.direction,
        once=table.once,
        name=table.name,
    )


def _action(system: System, table: Any) -> Action:
    if table.kind == "stop":
        return Stop()
    if table.kind == "switch":
        return Switch(table.load, table.on)
    if table.kind == "release":
        return Release(table.joint)
    if table.kind == "rigid_impact":
        order = None if table.order is None else float(table.order)
        return RigidImpact(
            float(table.restitution), float(table.friction), law=table.law, order=order
        )
    for key in ("stiffness", "damping"):
        if (value := getattr(table, key)) is not None:
            _checked_at(
                "action", check_joint_units, system, table.joint, key, value, f"joint {key}"
            )
    stiffness, damping = map(_numbers, (table.stiffness, table.damping))
    return Lock(table.joint, stiffness=stiffness, damping=damping)


def build_integrator(setting: Any) -> Any:
    """Integrator by name, or an integrator object with parameters."""
    if isinstance(setting, IntegratorTable):
        return GeneralizedAlpha(
            *(float(x) for x in (setting.spectral_radius, setting.tolerance, setting.slack))
        )
    as_integrator(setting)
    return setting


def build_drift(system: System, setting: Any) -> Any:
    """Drift control of loops: a Baumgarte object or "projection"."""
    if not isinstance(setting, DriftTable):
        return setting
    drift = Baumgarte(_gain(setting.stiffness), _gain(setting.damping))
    drift.gains(system)
    return drift


def _gain(gain: Any) -> Any:
    if isinstance(gain, dict):
        return {name: float(value) for name, value in gain.items()}
    return float(gain)
