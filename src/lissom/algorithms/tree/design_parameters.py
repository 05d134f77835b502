"""Parameters of a design by name: what they change in the constants of the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...errors import ModelError, StateError, shown, suggestion
from ...kernels import fields as field
from ...kernels.tree.derivatives import design
from ...printing import Shown
from ...system import System
from . import engine

Array = np.ndarray

XYZ = ("x", "y", "z")
SIX = ("xx", "xy", "xz", "yy", "yz", "zz")
PIECES = ("mass", "com", "inertia", "at", "rotation", "stiffness", "damping")
_PAIRS = tuple(zip(*np.triu_indices(3), strict=True))
_CLOSE = 0.9  # least cosine between a shape and the same one of a changed body


@dataclass(frozen=True, eq=False)
class DesignParameter(Shown):
    """A parameter of a user's function that builds the model: a length, a section, anything.

    Parameters
    ----------
    name : str
        Name in results.
    build : callable
        ``build(value)`` returns the `Model` or `System`; its bodies, joints and modes must be the
        same for all values.
    value : float
        Value at which derivatives are taken; ``build(value)`` is the system itself.
    spacing : float, optional
        Spacing of the differences; by default a five-hundredth of the value, or 0.002 if that is
        zero.
    """

    name: str
    build: Callable[[float], Any]
    value: float
    spacing: float | None = None

    def __post_init__(self) -> None:
        what = f"DesignParameter {shown(self.name)}"
        if not isinstance(self.name, str) or not self.name:
            raise StateError(f"{what}: expected a name as text")
        if not callable(self.build):
            raise StateError(
                f"{what}: build is {shown(self.build)}; expected a function that returns the model "
                "of a value"
            )
        object.__setattr__(self, "value", _finite(self.value, f"{what}: value"))
        if self.spacing is not None:
            spacing = _finite(self.spacing, f"{what}: spacing")
            if spacing <= 0:
                raise StateError(f"{what}: spacing is {spacing:g}; expected a positive number")
            object.__setattr__(self, "spacing", spacing)


def _finite(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if isinstance(value, (bool, str)) or not np.isfinite(number):
        raise StateError(f"{what} is {shown(value)}; expected one finite number")
    return number


def spacing_of(one: DesignParameter) -> float:
    """Spacing of the differences of a parameter."""
    return one.spacing or 2e-3 * abs(one.value) or 2e-3


def built_system(one: DesignParameter, shift: int) -> System:
    """System at a number of spacings from the value of a parameter."""
    built = one.build(one.value + shift * spacing_of(one))
    system = built.compile() if callable(getattr(built, "compile", None)) else built
    if not isinstance(system, System):
        raise ModelError(
            f"DesignParameter {one.name!r}: build returned {shown(built)}; expected a Model or a "
            "System"
        )
    return system


class Resolved(NamedTuple):
    """Parameters of a system, resolved."""

    names: tuple[str, ...]  # one for each column, those of the kernels first
    # rows, directions: numbers of the kernel, see `kernels.tree.derivatives.design`
    rows: Array
    directions: Array
    built: tuple[DesignParameter, ...]  # parameters found by differences, the last columns
    order: Array  # columns in the order in which the user gave the parameters

    @property
    def n_kernel(self) -> int:
        """Number of parameters that the kernel differentiates."""
        return len(self.names) - len(self.built)

    @property
    def given_names(self) -> tuple[str, ...]:
        """Names in the order in which the user gave the parameters."""
        return tuple(self.names[k] for k in self.order)


_NO_NUMBERS = np.zeros(0, dtype=np.int64)
NONE = Resolved((), _NO_NUMBERS, np.zeros(0), (), _NO_NUMBERS)


def check_loops(system: System, parameters: Resolved, what: str) -> None:
    """Reject parameters that would open the loops of a system."""
    if not system.constraints:
        return
    kinds = [*parameters.rows[::3], *(design.SHIFT for _ in parameters.built)]
    for name, kind in zip(parameters.names, kinds, strict=True):
        if kind in (design.SHIFT, design.TURNING):
            raise StateError(
                f"{what}: parameter {name!r} may move the ends of loops, which it would open; with "
                "loops or couplings give masses, centres, inertias, stiffness, damping or gravity"
            )


class SplitParameters(NamedTuple):
    """Columns of inertias of rigid bodies, those of the other parameters, and these resolved."""

    # inertial, others: columns
    inertial: Array
    others: Array
    resolved: Resolved  # the others alone


def split_inertias(parameters: Resolved) -> SplitParameters:
    """Inertias and other parameters apart: along one motion the former cost nothing each."""
    chosen = np.zeros(len(parameters.names), dtype=bool)
    chosen[: parameters.n_kernel] = parameters.rows[:: design.PARAMETER] == design.INERTIA
    others = np.flatnonzero(~chosen)
    left = others[others < parameters.n_kernel]
    rows = parameters.rows.reshape(-1, design.PARAMETER)[left].ravel()
    directions = parameters.directions.reshape(-1, design.DIRECTION)[left].ravel()
    names = tuple(parameters.names[k] for k in others)
    return SplitParameters(
        np.flatnonzero(chosen),
        others,
        Resolved(names, rows, directions, parameters.built, np.arange(len(names))),
    )


Entry = tuple[str, tuple[int, int, int], Array]


def resolve_parameters(system: System, parameters: Any) -> Resolved:
    """Columns of parameters given by name or as `DesignParameter`."""
    if isinstance(parameters, (str, DesignParameter)):
        parameters = [parameters]
    if not isinstance(parameters, Iterable):
        raise StateError(
            f"parameters is {shown(parameters)}; expected a list of names and DesignParameters"
        )
    entries: list[Entry] = []
    built: list[DesignParameter] = []
    given_names: list[str] = []
    for parameter in parameters:
        if isinstance(parameter, DesignParameter):
            built.append(parameter)
            given_names.append(parameter.name)
        else:
            columns = _entries(system, parameter)
            entries += columns
            given_names += [name for name, *_ in columns]
    names = [name for name, *_ in entries] + [x.name for x in built]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise StateError(f"parameters: {sorted(twice)[0]!r} is given twice; give each once")
    order = np.array([names.index(name) for name in given_names], dtype=np.int64)
    return Resolved(tuple(names), *_packed(entries), tuple(built), order)


def _packed(entries: Sequence[Entry]) -> tuple[Array, Array]:
    """Rows and directions of the kernel."""
    rows = np.array([row for _, row, _ in entries], dtype=np.int64).ravel()
    return rows, np.concatenate([np.zeros(0), *(direction for *_, direction in entries)])


def inertial(system: System) -> Resolved:
    """Ten inertial parameters of each rigid body: mass, first moment, inertia about the origin."""
    entries: list[Entry] = []
    pieces = ("mass", *(f"moment.{x}" for x in XYZ), *(f"inertia.{x}" for x in SIX))
    for i in rigid_bodies(system):
        for k, piece in enumerate(pieces):
            row = (design.INERTIA, i, 0)
            entries.append((f"{system.names[i]}.{piece}", row, np.eye(design.DIRECTION)[k]))
    names = tuple(name for name, *_ in entries)
    return Resolved(names, *_packed(entries), (), np.arange(len(names)))


def rigid_bodies(system: System) -> list[int]:
    """Numbers of the rigid bodies."""
    levels = engine.packed_constants(system).rows.level
    return np.flatnonzero(levels == field.RIGID).tolist()


def mass_properties(system: System, i: int) -> tuple[float, Array, Array]:
    """Mass, first moment and inertia about the origin of an undeformed body."""
    mass = system.bodies[i].integrals
    L = np.asarray(mass.second_moment, float)
    return float(mass.mass), np.asarray(mass.first_moment, float), np.trace(L) * np.eye(3) - L


def inertial_values(system: System) -> Array:
    """Values of the parameters `inertial`."""
    pieces = []
    for i in rigid_bodies(system):
        m, p, J = mass_properties(system, i)
        pieces.append(np.concatenate([[m], p, J[np.triu_indices(3)]]))
    return np.concatenate([np.zeros(0), *pieces])


def _entries(system: System, key: Any) -> list[Entry]:
    """Columns of one name, such as "arm.com" or "arm.com.x"."""
    name, dot, piece = str(key).partition(".")
    if name == "gravity" and name not in system.names:
        columns = _three("gravity", (design.GRAVITY, 0, 0))
    elif not dot:
        raise StateError(
            f'parameters: {shown(key)} is not a parameter; expected "gravity", "body.piece" with '
            f"a piece of {', '.join(PIECES)}, or a DesignParameter"
        )
    else:
        i = system.layout.index(name)
        columns = _of_body(system, i, name, piece.partition(".")[0].partition("[")[0])
    chosen = [entry for entry in columns if entry[0] == str(key)]
    if chosen or str(key) == columns[0][0].rpartition(".")[0] or len(columns) == 1:
        return chosen or columns
    whole = f"{name}.{piece}" if dot else name
    if all(entry[0].startswith(whole + "[") for entry in columns):
        return columns
    names = [entry[0] for entry in columns]
    raise StateError(f"parameters: there is no {shown(key)}; {suggestion(str(key), names)}")


def _three(name: str, row: tuple[int, int, int]) -> list[Entry]:
    return [(f"{name}.{x}", row, _direction(np.eye(3)[k])) for k, x in enumerate(XYZ)]


def _direction(numbers: Sequence[float] | Array) -> Array:
    direction = np.zeros(design.DIRECTION)
    direction[: len(numbers)] = numbers
    return direction


def _of_body(system: System, i: int, name: str, piece: str) -> list[Entry]:
    """Columns of a piece of a body."""
    if piece == "at":
        return _three(f"{name}.at", (design.SHIFT, i, 0))
    if piece == "rotation":
        return _three(f"{name}.rotation", (design.TURNING, i, 0))
    if piece in ("stiffness", "damping"):
        kind, m = getattr(design, piece.upper()), system.bodies[i].n_mode
        if m == 0:
            raise StateError(
                f"parameters: body {name!r} has no modes and so no {piece}; "
                "leave it out, or name a flexible body"
            )
        return [(f"{name}.{piece}[{k}]", (kind, i, k), _direction([])) for k in range(m)]
    if piece not in PIECES:
        names = [f"{name}.{x}" for x in PIECES]
        raise StateError(
            f"parameters: there is no {name + '.' + piece!r}; "
            f"{suggestion(name + '.' + piece, names)}"
        )
    if i not in rigid_bodies(system):
        raise StateError(
            f"parameters: body {name!r} is flexible, and its {piece} is not one number or vector; "
            "give a DesignParameter with a function that builds the model"
        )
    return _of_inertia(system, i, name, piece)


def _of_inertia(system: System, i: int, name: str, piece: str) -> list[Entry]:
    """Columns of mass, centre of mass c or inertia about it.

    p = m c      J = J_c + m (c^2 1 - c c^T)
    """
    m, p, _ = mass_properties(system, i)
    c, row = p / m if m else np.zeros(3), (design.INERTIA, i, 0)
    if piece == "mass":
        return [(f"{name}.mass", row, _inertia(1.0, c, c @ c * np.eye(3) - np.outer(c, c)))]
    if piece == "com":
        return [
            (
                f"{name}.com.{XYZ[k]}",
                row,
                _inertia(0.0, m * e, m * (2 * c @ e * np.eye(3) - np.outer(c, e) - np.outer(e, c))),
            )
            for k, e in enumerate(np.eye(3))
        ]
    columns: list[Entry] = []
    for label, (k, l) in zip(SIX, _PAIRS, strict=True):
        J = np.zeros((3, 3))
        J[k, l] = J[l, k] = 1.0
        columns.append((f"{name}.inertia.{label}", row, _inertia(0.0, np.zeros(3), J)))
    return columns


def _inertia(dm: float, dp: Array, dJ: Array) -> Array:
    return np.concatenate([[dm], dp, dJ[np.triu_indices(3)]])


def signs_of_modes(system: System, other: System, name: str) -> Array:
    """Signs (n_v,) of the speeds of a changed system: shapes are defined up to them."""
    if system.fingerprint != other.fingerprint:
        raise ModelError(
            f"DesignParameter {name!r}: build gives a mechanism with other bodies, joints or "
            "numbers of modes; only numbers may depend on the parameter"
        )
    signs = np.ones(system.n_v)
    for i, (one, two) in enumerate(zip(system.bodies, other.bodies, strict=True)):
        if one.n_mode == 0 or one.rod is not None:
            continue
        a, b = (x.node_shapes.reshape(-1, x.n_mode) for x in (one, two))
        if a.shape != b.shape:
            raise ModelError(
                f"DesignParameter {name!r}: body {system.names[i]!r} gets another number of nodes; "
                "keep it"
            )
        sizes = np.linalg.norm(a, axis=0) * np.linalg.norm(b, axis=0)
        cosines = np.sum(a * b, axis=0) / np.where(sizes > 0, sizes, 1.0)
        if np.any((np.abs(cosines) < _CLOSE) & (sizes > 0)):
            raise ModelError(
                f"DesignParameter {name!r}: shapes of body {system.names[i]!r} change their order "
                "within the spacing of the differences; give a smaller spacing"
            )
        signs[system.layout.modal_v(i)] = np.where(cosines < 0, -1.0, 1.0)
    return signs
