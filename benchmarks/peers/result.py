"""Result of a simulation in another library, and the interface of such simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

Array = np.ndarray

# Time between recorded points [s].
OUTPUT_STEP = 0.01


@dataclass(frozen=True)
class PeerRun:
    """One simulation: its cost and the positions of the links.

    Parameters
    ----------
    name : str
        Library and kind of model.
    seconds : float
        CPU time of the integration [s], on one thread, without building the model and without
        computing the positions below if that is done afterwards.
    time : array (n,)
        Times of the record [s].
    ends : array (n, n_link, 3)
        Outer ends of the links in world axes [m].
    middles : array (n, n_link, 3), optional
        Points half-way along the links in world axes [m]; none for rigid links.
    """

    name: str
    seconds: float
    time: Array
    ends: Array
    middles: Array | None = None

    @property
    def tip(self) -> Array:
        """Outer end of the last link, shape (n, 3) [m]."""
        return self.ends[:, -1]

    @property
    def cost(self) -> float:
        """CPU seconds for a simulated second."""
        return self.seconds / float(self.time[-1] - self.time[0])

    @property
    def bows(self) -> Array:
        """Distance of the middle of each link from its chord, shape (n, n_link) [m].

        Positive where the middle is above the chord of a link that points along x: in the plane
        x-z, to the left of the direction from its inner to its outer end.  It does not depend on
        the frames and coordinates of the model.
        """
        if self.middles is None:
            raise ValueError(f"{self.name}: rigid links have no bow")
        roots = np.concatenate([np.zeros_like(self.ends[:, :1]), self.ends[:, :-1]], axis=1)
        chord = self.ends - roots
        along = chord / np.linalg.norm(chord, axis=2, keepdims=True)
        left = np.stack([-along[..., 2], np.zeros_like(along[..., 0]), along[..., 0]], axis=2)
        return np.einsum("nij,nij->ni", self.middles - (roots + self.ends) / 2, left)


class Peer(Protocol):
    """Mechanism in another library that can be simulated repeatedly from its initial state."""

    name: str

    def run(self, duration: float, step: float, output_step: float = OUTPUT_STEP) -> PeerRun:
        """Simulate with a fixed step.

        Parameters
        ----------
        duration, step : float
            Simulated time and step of the integrator [s].
        output_step : float
            Time between records, a multiple of the step [s].
        """
        ...


def differences(run: PeerRun, other: PeerRun) -> dict[str, float]:
    """Largest distance of the tips [m] and difference of bows [m] over the common times.

    Parameters
    ----------
    run, other : PeerRun
        Simulations of the same mechanism with the same record.

    Returns
    -------
    dict
        "tip", and "bow" if both have bows.
    """
    n = min(len(run.time), len(other.time))
    if not np.allclose(run.time[:n], other.time[:n], rtol=0.0, atol=1e-9):
        raise ValueError(f"{run.name} and {other.name} were recorded at different times")
    found = {"tip": float(np.linalg.norm(run.tip[:n] - other.tip[:n], axis=1).max())}
    if run.middles is not None and other.middles is not None:
        found["bow"] = float(np.abs(run.bows[:n] - other.bows[:n]).max())
    return found


def steps_and_stride(duration: float, step: float, output_step: float) -> tuple[int, int]:
    """Number of steps in the duration, and in the time between two records.

    Parameters
    ----------
    duration, step, output_step : float
        As for `Peer.run`.
    """
    n_step, stride = round(duration / step), round(output_step / step)
    exact = np.isclose([n_step * step, stride * step], [duration, output_step], rtol=1e-9)
    if not exact.all() or n_step % stride:
        raise ValueError(
            f"step {step} s, output step {output_step} s and duration {duration} s must each be "
            "a multiple of the one before"
        )
    return n_step, stride
