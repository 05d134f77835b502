"""Result of a simulation: rows of states, and derived quantities by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StateError, printable
from ..notebook import hidden, table
from ..system import State, System
from .channels import listed, resolved, values
from .envelopes import Envelope, envelope, peak_notes, usual_loads
from .event_records import EventRecord, event_records_of
from .interpolation import check_times, sampled_rows
from .quantities import sums
from .store import Columns, MemoryStore, Store
from .stress_quantities import along, strain, stress
from .tables import Channels, channel_table, checked_names, load_table, to_pandas, to_xarray

if TYPE_CHECKING:
    import os

    from matplotlib.figure import Figure

    from ..algorithms.tree.energy import Energy
    from ..viz.view.page import Embedded
    from ..viz.view.server import View

Array = np.ndarray


class Trajectory:
    """Motion of a system over time; immutable.

    ``run["body.node.position"]`` is a quantity by name, an array with one entry for each row;
    ``run.channels()`` lists the names.  It is computed when first used and then cached.
    ``run.state(t)`` is the state at any time in between.

    Parameters
    ----------
    system : System
        Simulated system.
    store : Store
        The rows, in memory or in a file.  Time does not decrease; at an event with a jump two rows
        have the same time.
    meta : mapping, optional
        Notes about the run: "status", "message", "integrator", "statistics" (a mapping) and
        others.
    """

    __slots__ = ("_cache", "meta", "store", "system")

    system: System
    store: Store
    meta: Mapping[str, Any]
    _cache: dict[str, Array]

    def __init__(self, system: System, store: Store, meta: Mapping[str, Any] | None = None) -> None:
        if not isinstance(system, System):
            raise StateError(f"system is {system!r}; expected a System, made by Model.compile")
        if not isinstance(columns := getattr(store, "columns", None), Columns):
            raise StateError(f"store is {store!r}; expected rows, such as a MemoryStore")
        if not isinstance(meta, (Mapping, NoneType)):
            raise StateError(f"meta is {meta!r}; expected a mapping")
        if (columns.n_q, columns.n_v) != (system.n_q, system.n_v):
            raise StateError(
                f"the rows have {columns.n_q} coordinates and {columns.n_v} speeds; "
                f"{system.name or 'this system'} has {system.n_q} and {system.n_v}"
            )
        if columns.n_loop != len(system.loops):
            raise StateError(
                f"the rows have the forces of {columns.n_loop} loops; "
                f"{system.name or 'this system'} has {len(system.loops)} loops: use Columns.of"
            )
        if columns.n_coupling != len(system.couplings):
            raise StateError(
                f"the rows have the forces of {columns.n_coupling} couplings; "
                f"{system.name or 'this system'} has {len(system.couplings)}: use Columns.of"
            )
        for name, value in (
            ("system", system),
            ("store", store),
            ("meta", MappingProxyType(dict(meta or {}))),
            ("_cache", {}),
        ):
            object.__setattr__(self, name, value)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.store)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.store)

    @property
    def time(self) -> Array:
        """Times of the rows [s], shape (n,)."""
        return self["time"]

    @property
    def q(self) -> Array:
        """Coordinates, shape (n, n_q)."""
        return self["q"]

    @property
    def v(self) -> Array:
        """Speeds, shape (n, n_v)."""
        return self["v"]

    @property
    def acceleration(self) -> Array:
        """Rates of the speeds, shape (n, n_v)."""
        return self["acceleration"]

    @property
    def force(self) -> Array:
        """Generalized forces applied to the speeds, shape (n, n_v)."""
        return self["force"]

    @property
    def status(self) -> Any:
        """Final status of the run; None if unknown."""
        return self.meta.get("status")

    @property
    def message(self) -> str:
        """Description of how the run ended."""
        return str(self.meta.get("message", ""))

    @property
    def statistics(self) -> Mapping[str, Any]:
        """Counts of the run, such as "steps"."""
        return MappingProxyType(dict(self.meta.get("statistics") or {}))

    @property
    def events(self) -> list[EventRecord]:
        """Events in order: pairs of time [s] and label, with their ``impulses``."""
        return event_records_of(self.meta)

    def channels(self, text: str = "") -> Channels:
        """Available channels, each with its description, shape and units.

        Parameters
        ----------
        text : str
            Only channels whose names contain this text.
        """
        if not isinstance(text, str):
            raise StateError(f"text is {text!r}; expected a string, part of a name")
        return Channels(listed(self.system, self.store.columns, text))

    def __getitem__(self, name: str) -> Array:
        """Values of a channel, one for each row; read-only."""
        if not isinstance(name, str) or name not in self._cache:
            self._cache.update(values(self.system, self.store, name))
        return self._cache[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is a channel with this name."""
        try:
            resolved(self.system, self.store.columns, name)
        except StateError:
            return False
        return True

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.channels())

    @property
    def energy(self) -> Energy:
        """Energies [J] of the mechanism, its springs and rotors, each of shape (n,)."""
        from ..algorithms.tree.energy import Energy

        parts = ("kinetic", "potential", "strain", "springs", "rotors")
        none = np.zeros(self.n)
        energies = {part: self[x] if (x := f"energy.{part}") in self else none for part in parts}
        return Energy(**energies, loads=True)

    def momentum(self, about: Any = (0.0, 0.0, 0.0)) -> Array:
        """Momentum of bodies and rotors, [angular; linear] in world axes, shape (n, 6).

        Parameters
        ----------
        about : array (3,) or (n, 3)
            Reference point of the angular part in the world [m], or a point for each row such as
            ``run["center_of_mass"]``.
        """
        try:
            point = np.asarray(about, dtype=float)
        except (TypeError, ValueError, OverflowError):
            point = np.zeros(0)
        if point.shape not in ((3,), (self.n, 3)) or not np.all(np.isfinite(point)):
            raise StateError(
                f"about is {about!r}; expected a point of three finite numbers [m], "
                f"or {self.n} such points, one for each row"
            )
        return sums(self.system, self.store, point)["momentum"]

    def along(self, body: str, quantity: str, at: Any = None) -> Array:
        """Loads, stress or strains of sections of a beam, rod or frame, section axes.

        Loads are what the part beyond a section exerts on the part before it.  Those of beams
        follow from equilibrium, whatever the number of shapes, and include a load on a node at the
        node itself; those of rods and frames follow from the deformation.

        Parameters
        ----------
        body : str
            Name of the body.
        quantity : {"section_force", "section_moment", "stress", "curvature", "strain"}
            As in the channels of nodes, which have the same components and units: N, Q_y, Q_z; T,
            M_y, M_z; the largest von Mises stress of the section; the last two of rods only.
        at : float or array (p,), optional
            Distances of the sections from the root, along the unstrained axis [m]; of a frame
            numbers of its stations.  By default nodes on the axis, or all stations.

        Returns
        -------
        array (n, c) or (n, p, c); of "stress" (n,) or (n, p)
            One row for each row of the trajectory.
        """
        return along(self.system, self.store, body, quantity, at)

    def stress(self, body: str, at: Any = None) -> Any:
        """Stress of a flexible body, components xx, yy, zz, yz, zx, xy [Pa].

        `von_mises` and `principal_stresses` make other measures of it.

        Parameters
        ----------
        body : str
            Name of the body.
        at : float or array (p,), optional
            Sections of a beam, rod or frame, as in `along`, or numbers of points of a solid; by
            default all.

        Returns
        -------
        array
            As `lissom.stress` returns, with a first axis for the rows of the trajectory.
        """
        return stress(self.system, self.store, body, at)

    def strain(self, body: str, at: Any = None) -> Array:
        """Strain of a solid or a panel, components xx, yy, zz, yz, zx, xy, body axes.

        Shear strains are tensor components, half of the angles; `principal_strains` makes other
        measures of them.

        Parameters
        ----------
        body : str
            Name of the body.
        at : int or array (p,) of int, optional
            Numbers of points of the body; by default all.

        Returns
        -------
        array (n, 6) or (n, p, 6)
            One row for each row of the trajectory.
        """
        return strain(self.system, self.store, body, at)

    def envelope(self, *names: str, units: Any = None) -> Envelope:
        """Largest and smallest values of loads, with times and places.

        Parameters
        ----------
        *names : str
            Channels.  "body.section_force", "body.section_moment", "body.stress" and, of solids
            and panels, "body.strain" are searched all over the body.  By default all but the last
            of every body, the reactions of joints, loads of nodes to which something is attached,
            and forces of loops.
        units : str or sequence of str, optional
            Units in place of those of SI, such as "kN, N mm, MPa"; times stay in seconds.

        Returns
        -------
        Envelope
            Prints as a table; ``.save("envelope.csv")`` writes it, ``.times`` are the instants.
        """
        return envelope(self, names, units)

    def peak_notes(self, *names: str) -> list[str]:
        """What speaks against peaks of loads in the rows of the run; empty if nothing does.

        A rigid lock stops a joint at once.  Peaks of loads after it may have no limit as the
        number of shapes grows, and its shock is in no force.  Where loads change faster than the
        rows show, peaks lie between rows.

        Parameters
        ----------
        *names : str
            Channels; by default the loads of `envelope`.
        """
        return peak_notes(self, names or usual_loads(self))

    def load_table(
        self, path: str | os.PathLike[str], *names: str, times: Any = None, units: Any = None
    ) -> None:
        """Write loads over time as text for other programs.

        Lines that begin with # say what acts on what, and in which axes; then follow a line of
        names with units and a row for each instant.

        Parameters
        ----------
        path : path
            File to write, with the suffix ".csv".
        *names : str
            Channels; by default as in `envelope`, without stresses, sections at the root.
        times : array (k,), optional
            Instants [s], such as ``run.envelope().times``; by default all rows.
        units : str or sequence of str, optional
            Units in place of those of SI, such as "kN, mm".
        """
        load_table(self, path, names, times, units)

    def state(self, t: float) -> State:
        """State at a time.

        Every joint is interpolated separately, so that between rows loops are violated by the
        interpolation error; `assemble` closes them.

        Parameters
        ----------
        t : float
            Time between the first and the last row [s].  At the time of a row the result is that
            row, bit for bit; at a jump of the speeds, the row after the jump.

        Returns
        -------
        State
        """
        try:
            at = float(t)
        except (TypeError, ValueError, OverflowError):
            raise StateError(f"time is {t!r}; expected a number [s]") from None
        row = self._rows([at])
        part = self.store.columns.part
        return State(self.system, part(row, "q")[0], part(row, "v")[0])

    def sample(self, times: Any) -> Trajectory:
        """Trajectory in memory with rows at given times.

        Coordinates, speeds and their rates are interpolated by polynomials of degree five, as in
        `state`; applied forces, loads and forces of loops linearly.

        Parameters
        ----------
        times : array (k,)
            Times between the first and the last row, not decreasing [s].
        """
        return Trajectory(
            self.system, MemoryStore(self.store.columns, self._rows(times)), self.meta
        )

    def _rows(self, times: Any) -> Array:
        wanted = check_times(self.time, times)
        return sampled_rows(self.system, self.store, self.time, wanted)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        channels: Sequence[str] | None = None,
        units: Any = None,
    ) -> None:
        """Write the trajectory and its system to a file, or channels as a table.

        Parameters
        ----------
        path : path
            File to write; the suffix selects the format: .nc, .npz, .csv or .mat.
        channels : sequence of str, optional
            Columns of a .csv file besides the time, such as ``["crank.angle", "pin.force"]``; by
            default all that the rows hold, or with `units` what `to_pandas` has.
        units : str or sequence of str, optional
            Units of a .csv file in place of those of SI, such as ``"deg, mm, kN"``.  Within others
            they are replaced, too: speeds are then in mm/s.
        """
        from .files.formats import save

        if channels is not None or units is not None:
            channel_table(self, path, checked_names(channels), units)
            return
        save(path, self.system, self.store, dict(self.meta))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, salvage: bool = False) -> Trajectory:
        """Trajectory from a file; rows are read on demand.

        Damaged files are rejected.  Files up to 1 GiB are verified completely, rows of larger ones
        when they are read.

        Parameters
        ----------
        path : path
            File written by `save` or by a run.
        salvage : bool
            Whether to load the rows before the first damaged record of a journal NAME.nc.part.
        """
        from .files.formats import open_results

        return cls(*open_results(path, salvage=bool(salvage)))

    def to_xarray(self, *names: str, units: Any = None) -> Any:
        """Dataset of xarray, with the units and descriptions of the channels.

        Parameters
        ----------
        *names : str
            Channels; by default the stored quantities, position and quaternion of every body, the
            forces of loops and the energies.
        units : str or sequence of str, optional
            Units in place of those of SI, as in `save`.

        Returns
        -------
        xarray.Dataset
        """
        return to_xarray(self, names, units)

    def to_pandas(self, *names: str, units: Any = None) -> Any:
        """DataFrame of pandas with the time as index and a column for each component.

        Columns are named after the channel, followed by a dot and the label of the component if
        there are several.  ``.attrs["units"]`` contains the unit of each column.

        Parameters
        ----------
        *names : str
            Channels, by default as in `to_xarray`.
        units : str or sequence of str, optional
            Units in place of those of SI, as in `save`.

        Returns
        -------
        pandas.DataFrame
        """
        return to_pandas(self, names, units)

    def plot(
        self,
        *names: Any,
        file: str | os.PathLike[str] | None = None,
        title: str | None = None,
        size: Any = None,
        units: Any = None,
        events: bool = True,
        show: bool = False,
    ) -> Figure:
        """Plot channels over time.

        Parameters
        ----------
        *names : str or sequence of str
            Channels, one panel each; those of a sequence share a panel.  Components with different
            units get separate panels.  By default: joint coordinates, bending of flexible bodies,
            energies, and the gap of loops.
        file : path, optional
            File to write: PNG, SVG or PDF by its suffix.
        title : str, optional
            Heading; by default the name of the system, empty for none.
        size : pair of float, optional
            Width and height [inch].
        units : str or sequence of str, optional
            Units in place of those of SI, as in `save`: ``"deg, mm, kN"``.
        events : bool
            Whether to mark events with thin lines.
        show : bool
            Whether to open a window.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from ..viz.plots.over_time import plot

        options: dict[str, Any] = {"title": title, "size": size, "events": events, "show": show}
        return plot(self, names, file=file, units=units, **options)

    def to_html(
        self,
        path: str | os.PathLike[str],
        *,
        frames: int = 600,
        title: str | None = None,
        trails: Sequence[str] | None = None,
        theme: str = "auto",
        scale: float = 1.0,
        reactions: bool | None = None,
        color: str | None = None,
        plot: str | Sequence[str | Sequence[str]] | None = None,
        follow: str | None = None,
        view: str | tuple[float, float] | None = None,
    ) -> None:
        """Write the animated view to a single HTML file, which needs no network.

        Parameters
        ----------
        path : path
            File to write, with the suffix ".html".
        frames : int
            Largest number of frames.
        title : str, optional
            Heading; by default the name of the system.
        trails : sequence of str, optional
            "body", "body.node" or frames whose paths are drawn; by default outermost bodies.
        theme : {"auto", "light", "dark"}
            Background; "auto" follows the setting of the browser.
        scale : float
            Factor by which deformations are enlarged at first.
        reactions : bool, optional
            Whether to include forces and moments of joints; by default for up to 24 bodies.
        color : {"deflection", "stress", "curvature", "moment"}, optional
            What colours show of flexible bodies at first, the last two of rods only; by default
            bodies have colours of their own.  Stress is the largest von Mises stress of a section,
            or that of a node of a solid; only pages that show it at first contain it.
        plot : str or sequence, optional
            Quantities below the picture, in step with the slider: channels, one panel each, those
            of an inner list in one panel; by default the main ones, ``()`` for no plot.
        follow : str, optional
            Body or frame that the camera follows at first, or a node, "body.node".
        view : {"3d", "xy", "xz", "yz"} or (float, float), optional
            Direction of view at first: onto a plane, or elevation and azimuth [degrees]; by default
            one that suits the mechanism.
        """
        from ..viz.view.page import write_page

        options: dict[str, Any] = {"title": title, "trails": trails, "theme": theme, "scale": scale}
        options |= {"reactions": reactions, "color": color, "plot": plot, "follow": follow}
        write_page(self, path, frames=frames, view=view, **options)

    def view(self, *, browser: bool = True, block: bool = False, **options: Any) -> View:
        """Show the animated view in the browser.

        The page is served locally, by a server that serves nothing else.

        Parameters
        ----------
        browser : bool
            Whether to open the browser.
        block : bool
            Whether to wait until Ctrl-C.
        **options
            As in `to_html`.

        Returns
        -------
        View
            ``.url`` is the address of the page, ``.close()`` stops the server.
        """
        from ..viz.view.page import open_view

        return open_view(self, browser=browser, block=block, **options)

    def show(self, *, width: str = "100%", height: int = 520, **options: Any) -> Embedded:
        """Animated view inside a notebook, as the last line of a cell.

        Parameters
        ----------
        width : str
            As in CSS.
        height : int
            Pixels.
        **options
            As in `to_html`.
        """
        from ..viz.view.page import embedded

        return embedded(self, width=width, height=height, **options)

    def to_gif(
        self,
        path: str | os.PathLike[str],
        *,
        frames: int = 80,
        duration: float | None = None,
        size: tuple[int, int] = (640, 420),
        trails: Sequence[str] | None = None,
        color: str | None = None,
        scale: float = 1.0,
        view: str | tuple[float, float] | None = None,
    ) -> None:
        """Write an animated GIF, for slides and other media that cannot show web pages.

        Parameters
        ----------
        path : path
            File to write, with the suffix ".gif".
        frames : int
            Number of frames.
        duration : float, optional
            Playing time [s]; by default that of the motion, limited to 1 to 10 s.
        size : pair of int
            Width and height [pixels].
        trails, color, scale, view
            As in `to_html`; colours show the true deformations.
        """
        from ..viz.raster import write_gif

        options: dict[str, Any] = {"size": size, "trails": trails, "color": color, "scale": scale}
        write_gif(self, path, frames=frames, duration=duration, view=view, **options)

    def to_image(
        self,
        path: str | os.PathLike[str],
        time: float,
        *,
        size: tuple[int, int] = (960, 600),
        trails: Sequence[str] | None = None,
        color: str | None = None,
        scale: float = 1.0,
        view: str | tuple[float, float] | None = None,
    ) -> None:
        """Write a picture of one instant, with the scale of its colours.

        Parameters
        ----------
        path : path
            File to write, with the suffix ".png".
        time : float
            Time between the first and the last row [s].
        size : pair of int
            Width and height [pixels].
        trails : sequence of str, optional
            "body", "body.node" or frames whose paths are drawn up to this time; by default none.
        color, scale, view
            As in `to_gif`; the last colour is the largest value of the whole run.
        """
        from ..viz.raster import write_image

        options: dict[str, Any] = {"size": size, "trails": trails, "color": color, "scale": scale}
        write_image(self, path, time, view=view, **options)

    def __setattr__(self, name: str, value: Any) -> None:
        """Reject assignment: trajectories are immutable."""
        raise AttributeError("a Trajectory is immutable; use run.sample(times) to make another one")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows without derived quantities."""
        return Trajectory, (self.system, self.store, dict(self.meta))

    def _repr_html_(self) -> str:
        """The same, with the names of the channels, for notebooks."""
        title, *lines = repr(self).splitlines()
        names = hidden("channels", repr(self.channels()))
        return table(title, (), (), [*(line.strip() for line in lines), names])

    def __repr__(self) -> str:
        """System, time range, rows and status of the run."""
        system, n = self.system, self.n
        span = f", {self.time[0]:g} s to {self.time[-1]:g} s" if n else ""
        lines = [
            f"Trajectory of {printable(system.name) or 'a system'}: {n} rows{span}",
            f"  {system.n_body} bodies, {system.n_q} coordinates, {system.n_v} speeds",
        ]
        if loops := len(system.loops):
            lines[-1] += f", {loops} loop{'s' if loops > 1 else ''}"
        if couplings := len(system.couplings):
            lines[-1] += f", {couplings} coupling{'s' if couplings > 1 else ''}"
        if self.status is not None or self.message:
            words = [str(x) for x in (self.status, self.message) if x not in (None, "")]
            lines.append(f"  status: {printable(': '.join(words))}")
        if (integrator := self.meta.get("integrator")) is not None:
            steps = self.statistics.get("steps")
            lines.append(
                f"  {printable(str(integrator))}"
                + (f", {steps} steps" if steps is not None else "")
            )
        return "\n".join(lines)
