"""mode_sweep: modes along a parameter, each followed by its shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.loops.assembly import closed_state
from ..algorithms.tree.arguments import as_state
from ..errors import StateError, printable, shown
from ..fields import count
from ..sim.run.checks import numbers
from ..sim.warnings.gathering import Gathered
from ..system import StateLike, System
from .modes import modes as modes_of
from .names import listed_names
from .system_modes import SystemModes
from .tracking import paired

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..results.files.disk import PathLike

Array = np.ndarray

DOUBTFUL = 0.5  # MAC below which a step of the sweep is reported


@dataclass(frozen=True, eq=False)
class ModeSweep:
    """Modes along a parameter, made by `mode_sweep`; column k is the same mode throughout.

    Attributes
    ----------
    values : array (p,)
        Values of the parameter.
    eigenvalues : array (p, k), complex
        Eigenvalues [rad/s]; the sign of the imaginary part is kept through zero.
    order : array (p, k) of int
        Number of each mode in the table of its value.
    mac : array (p, k)
        Modal assurance criterion with the shape before; 1 in the first row.
    tables : tuple of SystemModes
        The modes at each value.
    label : str
        Parameter and unit, for plots.
    title : str
        Name of the mechanism.
    """

    values: Array
    eigenvalues: Array
    order: Array
    mac: Array
    tables: tuple[SystemModes, ...]
    label: str = "parameter"
    title: str = ""

    @property
    def n(self) -> int:
        """Number of modes that are followed."""
        return self.eigenvalues.shape[1]

    @property
    def frequencies(self) -> Array:
        """Natural frequencies [Hz], (p, k)."""
        return np.abs(self.eigenvalues) / (2 * np.pi)

    @property
    def damping(self) -> Array:
        """Damping ratios (p, k)."""
        size = np.abs(self.eigenvalues)
        return np.where(size > 0, -self.eigenvalues.real / np.where(size > 0, size, 1.0), 0.0) + 0.0

    def shape(self, value: int, mode: int) -> Array:
        """Shape (n_v,) of a mode.

        Parameters
        ----------
        value, mode : int
            Numbers of the value of the parameter and of the mode.
        """
        for index, n, what in ((value, len(self.values), "value"), (mode, self.n, "mode")):
            whole = isinstance(index, (int, np.integer)) and not isinstance(index, bool)
            if not whole or not -n <= index < n:
                raise StateError(
                    f"shape: {what} is {shown(index)}; expected a number from 0 to {n - 1}"
                )
        return self.tables[value].shapes[:, self.order[value, mode]]

    def plot(
        self,
        *,
        lines: Sequence[tuple[float, str]] = (),
        file: PathLike | None = None,
        title: str | None = None,
        size: Any = None,
        show: bool = False,
    ) -> Figure:
        """Frequencies against the parameter: against a spin rate, a Campbell diagram.

        Parameters
        ----------
        lines : sequence of (float, str)
            Lines through the origin, such as orders of excitation: hertz for each unit of the
            parameter, and a label.
        file : path, optional
            File to write: PNG, SVG or PDF by its suffix.
        title : str, optional
            Heading; by default the name of the system.
        size : pair of float, optional
            Width and height [inch].
        show : bool
            Whether to open a window.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from ..viz.plots.modes import plot_mode_sweep

        options: dict[str, Any] = {"file": file, "title": title, "size": size, "show": show}
        return plot_mode_sweep(self, lines=lines, **options)

    def __repr__(self) -> str:
        """Range of the parameter, and first and last frequency of each mode."""
        name = printable(self.title) or "a system"
        rows = [
            f"Modes of {name} at {len(self.values)} values of {self.label}, "
            f"{self.values[0]:g} to {self.values[-1]:g}"
        ]
        for k, row in enumerate(self.frequencies.T[:30]):
            least = self.mac[:, k].min()
            doubt = f"   MAC down to {least:.2f}" if least < DOUBTFUL else ""
            rows.append(f"{k:3d} {row[0]:11.5g} Hz to {row[-1]:11.5g} Hz{doubt}")
        return "\n".join(row[:80] for row in rows)


def mode_sweep(
    build: Callable[[float], SystemModes] | System,
    values: Any,
    *,
    state: StateLike | None = None,
    joint: str = "",
    rates: bool = False,
    n: int = 8,
    label: str = "",
    **options: Any,
) -> ModeSweep:
    """Modes along a parameter, each followed by its shape where frequencies cross.

    Parameters
    ----------
    build : callable or System
        Function of the parameter that returns `modes` of a mechanism, of which the speeds must be
        the same throughout; or a system, with `joint`.
    values : array (p,)
        Values of the parameter, in order.
    state : State or (q, v), optional
        Of a system: its state; by default neutral.
    joint : str
        Of a system: the body whose joint is held at each of the values, one coordinate.  Loops are
        closed for each value, near the state of the value before.
    rates : bool
        Whether the values are the rate at which that joint turns, and not its coordinate.
    n : int
        Number of modes to follow: those of lowest frequency at the first value that are not free.
    label : str
        Name and unit of the parameter, for plots.
    **options
        Of a system: further arguments of `modes`, such as loads.

    Returns
    -------
    ModeSweep
        What `modes` and others warn of is said once, of the value where it is worst.
    """
    swept = numbers(values, "mode_sweep: values", "a row of finite numbers")
    if swept.ndim != 1 or not len(swept):
        raise StateError(f"mode_sweep: values is {shown(values)}; expected a row of numbers")
    count(n, "mode_sweep: n", error=StateError)
    if not isinstance(rates, (bool, np.bool_)):
        raise StateError(f"mode_sweep: rates is {shown(rates)}; expected True or False")
    if isinstance(build, System):
        make, usual = _of_joint(build, state, joint, rates, options)
    elif callable(build):
        make, usual = build, "parameter"
        if joint or options or state is not None:
            raise StateError(
                "mode_sweep: state, joint and further options belong to a System; let the "
                "function give them to modes"
            )
    else:
        raise StateError(f"mode_sweep: build is {shown(build)}; expected a function or a System")
    tables = list[SystemModes]()
    with Gathered() as gathered:
        for x in map(float, swept):
            gathered.place = f"{label or usual} = {x:g}"
            tables.append(_checked(make(x), x))
    return _followed(swept, tuple(tables), int(n), label or usual)


def _of_joint(
    system: System, state: Any, joint: str, rates: bool, options: dict[str, Any]
) -> tuple[Callable[[float], SystemModes], str]:
    start = as_state(system, system.neutral() if state is None else state)
    i = system.layout.index(str(joint))
    kind = system.joints[i]
    if kind.n_v != 1:
        raise StateError(
            f"mode_sweep: the joint of {joint!r} ({kind.label}) has {kind.n_v} motions; expected "
            "one, or a function of the parameter in place of the system"
        )
    held = [*listed_names(options.pop("held", ()), "mode_sweep: held"), str(joint)]
    key = f"{joint}.rates" if rates else str(joint)
    name, unit = kind.speeds[0]
    words = f"{joint} {name} [{unit}{'/s' if rates else ''}]"

    def make(x: float) -> SystemModes:
        nonlocal start
        state = system.state(start.q, start.v, **{key: x})
        if system.constraints:  # closed near the state before, on the same branch
            start = state = closed_state(system, state, held=held, stacklevel=3)
        return modes_of(system, state, held=held, **options)

    return make, words


def _checked(table: Any, value: float) -> SystemModes:
    if not isinstance(table, SystemModes):
        raise StateError(
            f"mode_sweep: the function returned {shown(table)} at {value:g}; expected what modes "
            "returns"
        )
    return table


def _followed(values: Array, tables: tuple[SystemModes, ...], n: int, label: str) -> ModeSweep:
    first = tables[0]
    count = min(n, *(len(table) - table.n_rigid for table in tables[:1]))
    if not count:
        raise StateError(
            f"mode_sweep: at the first value, {label} = {values[0]:g}, there are only free motions "
            "and no mode to follow; expected a flexible body, a spring or a similar load"
        )
    order = [np.arange(first.n_rigid, first.n_rigid + count)]
    traced = [first.eigenvalues[order[0]]]
    shapes, likeness = first.shapes[:, order[0]], [np.ones(count)]
    for k, table in enumerate(tables[1:], start=1):
        if table.shapes.shape[0] == first.shapes.shape[0] and len(table) < count:
            raise StateError(
                f"mode_sweep: at {values[k]:g} there are {len(table)} modes and at {values[0]:g} "
                f"{count} are to be followed; give n={len(table)} or less"
            )
        if table.shapes.shape[0] != first.shapes.shape[0]:
            raise StateError(
                f"mode_sweep: at {values[k]:g} the mechanism has {table.shapes.shape[0]} speeds, "
                f"at {values[0]:g} {first.shapes.shape[0]}; expected the same"
            )
        expected = traced[-1]
        if k > 1 and values[k - 1] != values[k - 2]:
            ratio = (values[k] - values[k - 1]) / (values[k - 1] - values[k - 2])
            expected = expected + ratio * (traced[-1] - traced[-2])
        pairing = paired(expected, shapes, table.eigenvalues, table.shapes, table.mass)
        which, flipped, criterion = pairing
        picked, eigen = table.shapes[:, which], table.eigenvalues[which]
        shapes = np.where(flipped, picked.conj(), picked)
        traced.append(np.where(flipped, eigen.conj(), eigen))
        order.append(which)
        likeness.append(criterion)
    return ModeSweep(
        values=values,
        eigenvalues=np.array(traced),
        order=np.array(order),
        mac=np.array(likeness),
        tables=tables,
        label=label,
        title=first.system.name,
    )
