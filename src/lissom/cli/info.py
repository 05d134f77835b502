"""The command `lissom info`."""

from __future__ import annotations

import platform
import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import MOST_LINES, ModelFileError, ModelWarning, cut_lines, name_list, printable
from .output import json_text, say
from .values import NoCode

if TYPE_CHECKING:
    from ..bodies import FlexibleBody
    from ..system import Frame, System

PACKAGES = ("numpy", "scipy", "numba", "sympy", "matplotlib", "h5netcdf", "pydantic", "typer")
_REPORTS = 3  # of flexible bodies, unless all are asked for
EXTRAS = ("pyyaml", "xarray", "casadi", "jax", "scikit-fem", "meshio")


def info(
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL",
            help="Model file, URDF file, FILE.py:NAME, MODULE:NAME, results, a body file, or a "
            "finite-element file (.inp, .bdf, .dat, .nas, .pch).",
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="List all bodies, however many.")] = False,
    no_code: NoCode = False,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    env: Annotated[
        bool, typer.Option("--env", help="Show installed versions, for bug reports.")
    ] = False,
) -> None:
    """Show the tree, masses, frequencies, and possible mistakes."""
    if model is None and not env:
        raise typer.BadParameter("give a MODEL, or --env for versions")
    facts: dict[str, Any] = {"environment": _environment()} if env else {}
    elements = _elements(model)
    facts |= elements
    system: System | None = None
    bodies = {} if model is None or elements else _body_file(model)
    if model is not None and not bodies and not elements:
        system, bodies = _system(model, code=not no_code)
    if system is not None:
        facts |= _facts(system, None if all_ else MOST_LINES)
    if json:
        say(json_text(facts))
        return
    if env:
        _print_rows(facts["environment"])
    _print_rows(elements)
    if system is not None:
        _describe(system, facts, None if all_ else MOST_LINES)
    _describe_bodies(bodies, len(bodies) if all_ else _REPORTS)


def _body_file(source: str) -> dict[str, FlexibleBody]:
    """The body of a body file, by the name of the file; empty for other files."""
    from ..errors import ResultError
    from ..io import load_body
    from ..results import Trajectory

    if not source.endswith(".nc"):
        return {}
    try:
        Trajectory.load(source)
    except ResultError as error:
        try:
            return {source: load_body(source)}
        except ModelFileError:
            raise error from None
    return {}


def _system(source: str, *, code: bool) -> tuple[System, dict[str, FlexibleBody]]:
    """System, and the different flexible bodies of a model by the name of their first part."""
    from ..bodies import FlexibleBody
    from ..results import Trajectory
    from .sources import load_model

    if source.endswith((".nc", ".npz", ".nc.part")):
        return Trajectory.load(source).system, {}
    model = load_model(source, code=code)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # they are listed among the facts
        system = model.compile()
    bodies: dict[int, tuple[str, FlexibleBody]] = {}
    for name, part in model.parts.items():
        if isinstance(part.body, FlexibleBody) and part.body.is_numeric:
            bodies.setdefault(id(part.body), (name, part.body))
    return system, dict(bodies.values())


def _elements(path: str | None) -> dict[str, Any]:
    """Content of a deck of CalculiX or of bulk data of Nastran; empty for other files."""
    if path is None or not path.lower().endswith((".inp", ".bdf", ".dat", ".nas", ".pch")):
        return {}
    from ..io.structures.calculix import read_inp
    from ..io.structures.nastran import read_bulk

    return (read_inp(path) if path.lower().endswith(".inp") else read_bulk(path)).facts()


def _facts(system: System, most: int | None) -> dict[str, Any]:
    from ..system.tree import printed_tree

    return {
        "name": system.name,
        "mass": float(sum(body.mass for body in system.bodies)),
        "coordinates": system.n_q,
        "speeds": system.n_v,
        "gravity": [float(x) for x in system.gravity],
        "bodies": [
            {
                "name": name,
                "mass": float(body.mass),
                "frequencies": [round(float(f), 4) for f in body.frequencies]
                if body.n_mode
                else [],
            }
            for name, body in zip(system.names, system.bodies, strict=True)
        ],
        "loops": [loop.name for loop in system.loops],
        "couplings": [one.name for one in system.couplings],
        "frames": [_frame(system, frame) for frame in system.frames],
        "shapes": [{"name": x.name, "kind": x.shape.kind, "on": x.carrier} for x in system.shapes],
        "constraint_equations": system.n_constraint,
        "tree": printed_tree(system, most),
        "warnings": _warnings(system),
    }


def _frame(system: System, frame: Frame) -> dict[str, Any]:
    on = None if frame.grounded else system.names[frame.body]
    place = {"position": frame.position.tolist(), "rotation": frame.rotation.tolist()}
    return {"name": frame.name, "on": on, "node": frame.node, **place}


def _warnings(system: System) -> list[str]:
    """Warnings about things that are valid but often unintended."""
    from ..bodies.normal import LINEARISED
    from ..model.attachment import off_node_warnings

    messages = off_node_warnings(system)
    for name, body in zip(system.names, system.bodies, strict=True):
        if body.n_mode and body.frequencies[0] < 1e-3:
            messages.append(f"{name!r}: its first frequency is {body.frequencies[0]:.2g} Hz")
        if body.n_mode and body.level in LINEARISED:
            messages.append(f'{name!r}: level "{body.level}" conserves neither energy nor momentum')
    masses = [body.mass for body in system.bodies if body.mass > 0]
    if masses and max(masses) > 1e6 * min(masses):
        messages.append(f"masses differ by a factor of {max(masses) / min(masses):.0e}")
    return messages


def _describe(system: System, facts: dict[str, Any], most: int | None) -> None:
    from .texts import tree_text

    say(tree_text(system, most))
    flexible = {x["name"]: _few(x["frequencies"]) for x in facts["bodies"] if x["frequencies"]}
    if flexible:
        say("\nfrequencies with the root held [Hz]")
        _print_rows(flexible, most)
    for group in ("loops", "couplings"):
        if facts[group]:
            n = sum(one.n_constraint for one in getattr(system, group))
            equations = "1 constraint equation" if n == 1 else f"{n} constraint equations"
            names = name_list(facts[group], show=str, most=most or n)
            say(f"\n{group}: {names}; {equations}")
    warned = [f"warning: {warning}" for warning in facts["warnings"]]
    for line in cut_lines(warned, most, "warnings", len(warned)):
        say(line)


def _describe_bodies(bodies: dict[str, FlexibleBody], most: int) -> None:
    """Reports of the first flexible bodies."""
    for name, body in list(bodies.items())[:most]:
        say(f"\n{printable(name)}")
        say(body.report().text)
    if len(bodies) > most:
        say(f"\n... and {len(bodies) - most} more flexible bodies; --all shows them")


def _environment() -> dict[str, str]:
    from importlib import metadata

    from .. import __version__
    from ..kernels.compiling import kernels_in_use

    versions = {"lissom": __version__, "Python": platform.python_version()}
    versions["kernels"] = kernels_in_use()
    versions["system"] = f"{platform.system()} {platform.release()} {platform.machine()}"
    for name in (*PACKAGES, *EXTRAS):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def _print_rows(rows: dict[str, Any], most: int | None = None) -> None:
    names = {printable(name): value for name, value in list(rows.items())[:most]}
    width = max(map(len, names), default=0)
    lines = (f"{name:{width}}  {value}" for name, value in names.items())
    for line in cut_lines(lines, most, "bodies", len(rows)):
        say(line)


def _few(numbers: list[float]) -> str:
    shown = ", ".join(f"{x:.4g}" for x in numbers[:8])
    return shown + (f" ... {numbers[-1]:.4g}" if len(numbers) > 8 else "")
