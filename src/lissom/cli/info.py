"""The command `lissom info`."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..system import System

__all__ = ["info"]

PACKAGES = ("numpy", "scipy", "numba", "sympy", "matplotlib", "h5netcdf", "pydantic", "casadi")


def info(
    model: Annotated[
        str | None,
        typer.Argument(help="Model file, URDF file, file.py:name, module:name, or results."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    env: Annotated[
        bool, typer.Option("--env", help="Versions of what is installed, for reports of faults.")
    ] = False,
) -> None:
    """Say what a mechanism consists of: tree, masses, frequencies, and what looks odd."""
    if env:
        _print(_environment(), json)
    if model is None:
        if not env:
            raise typer.BadParameter("give a MODEL, or --env")
        return
    facts = _facts(_system(model))
    if json:
        _print(facts, json)
        return
    typer.echo(facts.pop("tree"))
    warnings = facts.pop("warnings")
    _print(facts, json)
    for warning in warnings:
        typer.echo(f"look at: {warning}")


def _system(source: str) -> System:
    from ..results import Trajectory
    from .sources import load_model

    if source.endswith((".nc", ".npz", ".nc.part")):
        return Trajectory.load(source).system
    return load_model(source).compile()


def _facts(system: System) -> dict[str, Any]:
    frequencies = {
        name: [round(float(f), 4) for f in body.frequencies]
        for name, body in zip(system.names, system.bodies, strict=True)
        if body.n_mode
    }
    return {
        "tree": str(system),
        "mass [kg]": float(sum(body.mass for body in system.bodies)),
        "coordinates": system.n_q,
        "speeds": system.n_v,
        "loops": len(system.loops),
        "constraint equations": system.n_constraint,
        "gravity [m/s^2]": [float(x) for x in system.gravity],
        "frequencies with the root held [Hz]": frequencies,
        "warnings": _warnings(system),
    }


def _warnings(system: System) -> list[str]:
    """What is allowed and often meant otherwise."""
    found = []
    for name, body in zip(system.names, system.bodies, strict=True):
        if body.n_mode and body.frequencies[0] < 1e-3:
            found.append(f"{name!r}: its first frequency is {body.frequencies[0]:.2g} Hz")
        if body.n_mode and body.level == "linear":
            found.append(f'{name!r}: level "linear" conserves neither energy nor momentum')
    masses = [body.mass for body in system.bodies if body.mass > 0]
    if masses and max(masses) > 1e6 * min(masses):
        found.append(f"masses differ by a factor of {max(masses) / min(masses):.0e}")
    return found


def _environment() -> dict[str, str]:
    from .. import __version__

    versions = {"lissom": __version__, "Python": platform.python_version()}
    versions["system"] = f"{platform.system()} {platform.machine()}"
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def _print(facts: dict[str, Any], as_json: bool) -> None:
    import json

    if as_json:
        typer.echo(json.dumps(facts, indent=1, ensure_ascii=False))
        return
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        if isinstance(value, dict):
            for key, numbers in value.items():
                typer.echo(f"{name}, {key}: {_few(numbers)}")
        else:
            text = _few(value) if isinstance(value, list) else f"{value}"
            typer.echo(f"{name:{width}}  {text}")


def _few(numbers: list[float]) -> str:
    shown = ", ".join(f"{x:.4g}" for x in numbers[:8])
    return shown + (f" ... {numbers[-1]:.4g}" if len(numbers) > 8 else "")
