"""Modes of a mechanism: a table, shapes that can be shown, and their motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import StateError, printable, shown
from ..results.trajectory import Trajectory
from ..system import State, System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..results.files.disk import PathLike

Array = np.ndarray

_MOST = 30  # rows of a printout
_SHARE = 0.1  # share of the energy from which a body is named


@dataclass(frozen=True, eq=False)
class SystemModes:
    """Modes of a mechanism about a state, made by `modes`; free motions first, then by frequency.

    Attributes
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration and speeds about which.
    eigenvalues : array (k,), complex
        Eigenvalues [rad/s], one of each conjugate pair; zero for free motions.
    shapes : array (n_v, k)
        Shapes: motions along the speeds, with phi^H M phi = 1; complex with damping or gyroscopic
        terms.
    n_rigid : int
        Number of free motions.
    mass : array (n_v, n_v)
        Mass matrix, rotors included.
    effective_mass : array (6, k)
        Effective inertias [kg m^2] about x, y, z and masses [kg] along x, y, z of the world, about
        the origin of the first body.
    total_mass : array (6,)
        Those of the whole mechanism.
    shares : array (n_body, k)
        Share of each body in the kinetic energy.
    """

    system: System
    state: State
    eigenvalues: Array
    shapes: Array
    n_rigid: int
    mass: Array
    effective_mass: Array
    total_mass: Array
    shares: Array

    def __post_init__(self) -> None:
        for name in ("eigenvalues", "shapes", "mass", "effective_mass", "total_mass", "shares"):
            getattr(self, name).flags.writeable = False

    def __len__(self) -> int:
        """Number of modes."""
        return len(self.eigenvalues)

    @property
    def frequencies(self) -> Array:
        """Natural frequencies [Hz], the magnitudes of the eigenvalues; 0 for free motions."""
        return np.abs(self.eigenvalues) / (2 * np.pi)

    @property
    def damped_frequencies(self) -> Array:
        """Frequencies of the decaying vibrations [Hz]; 0 for those that do not vibrate."""
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    @property
    def damping(self) -> Array:
        """Damping ratios; negative for motions that grow, 0 for free motions."""
        size = np.abs(self.eigenvalues)
        return np.where(size > 0, -self.eigenvalues.real / np.where(size > 0, size, 1.0), 0.0) + 0.0

    @property
    def effective_fractions(self) -> Array:
        """Effective inertias and masses (6, k) as fractions of those of the mechanism."""
        return self.effective_mass / np.where(self.total_mass > 0, self.total_mass, np.inf)[:, None]

    def mac(self, other: SystemModes | None = None) -> Array:
        """Modal assurance criterion between these modes and others, from 0 to 1.

        Parameters
        ----------
        other : SystemModes, optional
            Modes of a mechanism with the same speeds; by default these.

        Returns
        -------
        array (k, k_other)
            Squares of the cosines between shapes, with the mass matrix of `other`.
        """
        from .tracking import mac

        against = self if other is None else other
        n = self.shapes.shape[0]
        if not isinstance(against, SystemModes):
            raise StateError(f"mac: other is {shown(other)}; expected what modes returns")
        if against.shapes.shape[0] != n:
            raise StateError(
                f"mac: the other mechanism has {against.shapes.shape[0]} speeds, this one {n}; "
                "expected the same"
            )
        return mac(self.shapes, against.shapes, against.mass)

    def animate(
        self,
        mode: int,
        *,
        amplitude: float | None = None,
        period: float = 2.0,
        cycles: int = 3,
        frames: int = 40,
    ) -> Trajectory:
        """Motion of one mode, to be shown: ``modes.animate(6).view()``, ``.to_html("mode.html")``.

        Parameters
        ----------
        mode : int
            Number of the mode, counted from 0 as in the table.
        amplitude : float, optional
            Factor of the shape; by default one with which the motion is well seen.
        period : float
            Period as shown [s]; the view has slow and fast motions alike.
        cycles : int
            Number of periods.
        frames : int
            Rows for each period.

        Returns
        -------
        Trajectory
            Vibration about the state, without decay and without the speeds of the state.
        """
        from .mode_motion import mode_motion

        k = self.number(mode)
        return mode_motion(self, k, amplitude, period=period, cycles=cycles, frames=frames)

    def plot(
        self,
        modes: Any = None,
        *,
        file: PathLike | None = None,
        title: str | None = None,
        size: Any = None,
        show: bool = False,
    ) -> Figure:
        """Shapes of modes, one panel each, with their frequencies.

        Parameters
        ----------
        modes : sequence of int, optional
            Numbers of the modes; by default the first six that are not free motions.
        file : path, optional
            File to write: PNG, SVG or PDF by its suffix.
        title : str, optional
            Heading; by default the name of the system, empty for none.
        size : pair of float, optional
            Width and height [inch].
        show : bool
            Whether to open a window.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from ..viz.plots.modes import plot_system_modes

        return plot_system_modes(self, modes, file=file, title=title, size=size, show=show)

    def number(self, mode: Any) -> int:
        """Checked number of a mode.

        Parameters
        ----------
        mode : int
            As given by the user.
        """
        whole = isinstance(mode, (int, np.integer)) and not isinstance(mode, bool)
        if not whole or not 0 <= mode < len(self):
            raise StateError(f"mode is {shown(mode)}; expected a number from 0 to {len(self) - 1}")
        return int(mode)

    def __repr__(self) -> str:
        """Table: frequency, damping ratio, largest effective mass, bodies that move most."""
        n, rigid = len(self), self.n_rigid
        name = printable(self.system.name) or "a system"
        rows = [f"Modes of {name}: {n}, of which {rigid} free"]
        rows.append(f"{'':4s}{'frequency':>13s}{'damping':>10s}{'effective':>12s}   energy in")
        rows += [self._row(k) for k in range(min(n, _MOST))]
        rows += [f"... and {n - _MOST} more"] if n > _MOST else []
        return "\n".join(row[:80].rstrip() for row in rows)

    def _row(self, k: int) -> str:
        fractions = self.effective_fractions[:, k]
        d = int(np.argmax(fractions))
        mass = ""
        if fractions[d] >= 5e-4:
            mass = f"{('rx', 'ry', 'rz', 'x', 'y', 'z')[d]} {100 * fractions[d]:.1f} %"
        order = np.argsort(-self.shares[:, k])
        most = [i for i in order if self.shares[i, k] >= _SHARE]
        words = ", ".join(
            f"{printable(self.system.names[i])} {100 * self.shares[i, k]:.0f} %" for i in most
        )
        frequency = f"{self.frequencies[k]:.5g} Hz"
        if k < self.n_rigid:
            return f"{k:3d} {'free':>13s}{'':>10s}{mass:>12s}   {words}"
        return f"{k:3d} {frequency:>13s} {self.damping[k]:9.3g} {mass:>11s}   {words}"
