"""Many states of a mechanism, or of variants of it, in one call."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.tree import engine
from ..algorithms.tree.arguments import check_system
from ..algorithms.tree.batch import check_quaternions, checked_threads
from ..errors import KernelError, StateError, shown
from ..kernels.quantities import (
    ACCELERATIONS,
    INVERSE,
    JACOBIAN,
    MASS,
    POSE,
    TOTALS,
    Quantity,
)
from ..system import System
from . import arrays
from .device import Device, cuda
from .on_cores import Cores
from .on_device import OnDevice
from .results import Energies, actuated_rows, raise_failures

Array = Any


def batch(
    systems: System | Sequence[System],
    *,
    device: str | Device = "cpu",
    threads: int | None = None,
) -> Batch:
    """Object for many states of one mechanism, or of many variants of it.

    Parameters
    ----------
    systems : System or sequence of System
        The mechanism; or variants of it, which differ in constants alone: masses, lengths,
        stiffness.  Then row k of all arrays belongs to variant k.
    device : {"cpu", "cuda", "cuda:1", ...}
        Where to compute: the cores of this machine, or a GPU of NVIDIA (extra "gpu").
    threads : int, optional
        Threads on the CPU; by default all cores.

    Returns
    -------
    Batch
    """
    return Batch(systems, device=device, threads=threads)


class Batch:
    """Dynamics of many states, one per row; see `batch`.

    Arrays may be those of NumPy, CuPy, PyTorch or JAX; results are of the same library and in the
    same memory as the coordinates.

    Parameters
    ----------
    systems, device, threads
        As for `batch`.

    Attributes
    ----------
    system : System
        The mechanism; the first of its variants.
    n_variant : int
        Number of variants; 0 if all rows are of one mechanism.
    """

    def __init__(
        self,
        systems: System | Sequence[System],
        *,
        device: str | Device = "cpu",
        threads: int | None = None,
    ) -> None:
        self.systems = as_systems(systems, "a batch")
        self.system = self.systems[0]
        self.n_variant = 0 if isinstance(systems, System) else len(self.systems)
        self._backend: Cores | OnDevice
        if isinstance(device, str) and device == "cpu":
            check_mechanism(self.systems)
            self._backend = Cores(self.systems, cores(threads))
        else:
            gpu = as_device(device, threads)
            check_variants(self.systems)
            self._backend = OnDevice(self.systems, gpu)

    def __repr__(self) -> str:
        variants = f", {self.n_variant} variants" if self.n_variant else ""
        return f"<Batch of {self.system.name or 'a system'!r}{variants}, {self._backend.words}>"

    def forward_dynamics(self, q: Array, v: Array, forces: Array = None) -> Array:
        """Accelerations (k, n_v); loops are kept closed.

        Parameters
        ----------
        q, v : arrays (k, n_q), (k, n_v)
            Coordinates and speeds.
        forces : array (k, n_v), optional
            Generalized forces; by default zero.
        """
        states = self._states(q, v)
        inputs = [*states, self._rows(forces, self.system.n_v, "forces", states[0], none=True)]
        return self._result(ACCELERATIONS, q, inputs)

    def inverse_dynamics(
        self, q: Array, v: Array, acceleration: Array, actuated: Any = None
    ) -> Array:
        """Generalized forces (k, n_v).

        Parameters
        ----------
        q, v : arrays (k, n_q), (k, n_v)
            Coordinates and speeds.
        acceleration : array (k, n_v)
            Rates of the speeds.
        actuated : sequence of str, optional
            Bodies whose joints are actuated; required with loops, which are computed state by state
            on the CPU, as by `lissom.inverse_dynamics`.
        """
        states = self._states(q, v)
        x = self._rows(acceleration, self.system.n_v, "acceleration", states[0])
        if self.system.constraints or actuated is not None:
            return self._converter(q)(
                self._backend.xp.asarray(actuated_rows(self, [*states, x], actuated))
            )
        return self._result(INVERSE, q, [*states, x])

    def mass_matrix(self, q: Array) -> Array:
        """Mass matrices (k, n_v, n_v) of the tree.

        Parameters
        ----------
        q : array (k, n_q)
            Coordinates.
        """
        return self._result(MASS, q, [self._coordinates(q)])

    def pose(self, q: Array, where: Any) -> tuple[Array, Array]:
        """Attitudes (k, 3, 3) and positions (k, 3) of a frame in the world.

        Parameters
        ----------
        q : array (k, n_q)
            Coordinates.
        where : str
            "body", "body.node" or the name of a frame.
        """
        x = self._coordinates(q)
        poses = self._evaluate(POSE, [x], self._paths(where))
        convert = self._converter(q)
        return convert(poses[:, :9].reshape(-1, 3, 3)), convert(poses[:, 9:])

    def jacobian(self, q: Array, where: Any) -> Array:
        """Jacobians (k, 6, n_v) of a frame, [angular; linear], world axes.

        Parameters
        ----------
        q : array (k, n_q)
            Coordinates.
        where : str
            As for `pose`.
        """
        x = self._coordinates(q)
        return self._converter(q)(self._evaluate(JACOBIAN, [x], self._paths(where)))

    def energy(self, q: Array, v: Array) -> Energies:
        """Kinetic, potential and strain energies, (k,) each [J].

        Parameters
        ----------
        q, v : arrays (k, n_q), (k, n_v)
            Coordinates and speeds.
        """
        totals = self._evaluate(TOTALS, list(self._states(q, v)))
        convert = self._converter(q)
        return Energies(*(convert(totals[:, k]) for k in range(3)))

    def _paths(self, where: Any) -> list[np.ndarray]:
        """Constants of a frame in each variant."""
        places = [x.place(where) for x in self.systems]
        if places[0].grounded:
            raise StateError(f"{shown(where)} is a point of the ground, which does not move")
        return [engine.path_constants(x, y) for x, y in zip(self.systems, places, strict=True)]

    def _converter(self, like: Array) -> arrays.Converter:
        return arrays.converter_to(like, self._backend.xp)

    def _result(self, quantity: Quantity, like: Array, inputs: list[Any]) -> Array:
        return self._converter(like)(self._evaluate(quantity, inputs))

    def _evaluate(
        self,
        quantity: Quantity,
        inputs: list[Any],
        places: list[np.ndarray] | None = None,
    ) -> Any:
        try:
            results, statuses = self._backend.evaluate(quantity, inputs, places)
        except MemoryError:
            shape = quantity.shape(self.system.n_v)
            numbers = len(inputs[0]) * int(np.prod(shape, dtype=float))
            raise KernelError(
                f"no memory is left for {len(inputs[0])} results ({8e-9 * numbers:.3g} GB); give "
                "fewer states at a time"
            ) from None
        raise_failures(self, quantity, statuses, inputs)
        return results

    def _coordinates(self, q: Array) -> Any:
        """Coordinates as rows, with the checks that the kernels do not make."""
        x = self._rows(q, self.system.n_q, "q", None)
        check_quaternions(self.system, x, self._backend.memory_of(x))
        return x

    def _states(self, q: Array, v: Array) -> tuple[Any, Any]:
        x = self._coordinates(q)
        return x, self._rows(v, self.system.n_v, "v", x)

    def _rows(self, x: Array, n: int, what: str, like: Any, *, none: bool = False) -> Any:
        """Array (k, n), on the CPU or where this batch computes."""
        if x is None and none:
            return self._backend.memory_of(like).zeros((len(like), n))
        try:
            rows = arrays.as_float_array(x, what, self._backend.memory_of(x))
        except MemoryError:
            raise KernelError(
                f"no memory is left for {what}; give fewer states at a time"
            ) from None
        k = self.n_variant or (None if like is None else len(like))
        if rows.ndim != 2 or rows.shape[1] != n or (k is not None and len(rows) != k):
            wanted = f"({'k' if k is None else k}, {n})"
            raise StateError(
                f"{what} has shape {tuple(rows.shape)}; expected {wanted}, one state per row"
                + (", one row per variant" if self.n_variant else "")
            )
        return rows


def as_systems(systems: Any, what: str) -> tuple[System, ...]:
    """The mechanism, or its variants; `what` needs them."""
    if isinstance(systems, System):
        return (systems,)
    try:
        variants = tuple(systems)
    except TypeError:
        variants = (systems,)  # `check_system` says what it is
    if not variants:
        raise StateError(f"{what} needs at least one system; the sequence is empty")
    for system in variants:
        check_system(system)
    return variants


def as_device(device: Any, threads: Any) -> Device:
    """Device of its name, or a device itself; threads, which are for the CPU, are refused."""
    if threads is not None:
        raise StateError('threads= is for device="cpu"; a GPU chooses them itself')
    if not isinstance(device, str):
        if hasattr(device, "launch"):
            return device
        raise StateError(f'device is {shown(device)}; expected "cpu", "cuda" or "cuda:1"')
    name, _, number = device.partition(":")
    if name != "cuda" or not (number.isdigit() or not number):
        raise StateError(f'device is {device!r}; expected "cpu", "cuda" or "cuda:1"')
    return cuda(int(number) if number else None)


def check_mechanism(systems: Sequence[System]) -> None:
    """Refuse variants of which a row of one cannot belong to another."""
    first = _shape(systems[0])
    for k, other in enumerate(systems):
        if _shape(other) != first:
            raise StateError(
                f"variant {k} ({other.name!r}) is another mechanism than variant 0: variants may "
                "differ in masses, places, stiffness and other constants, not in bodies, joints "
                "or numbers of modes"
            )


def _shape(system: System) -> Any:
    loops, couplings = ([x.name for x in y] for y in (system.loops, system.couplings))
    return system.fingerprint, loops, couplings


def check_variants(systems: Sequence[System]) -> None:
    """Refuse variants that do not agree in all that is not a constant."""
    packed = [engine.packed_constants(x) for x in systems]
    for k, other in enumerate(packed):
        same = np.array_equal(other.ints, packed[0].ints)
        if not same or len(other.floats) != len(packed[0].floats):
            raise StateError(
                f"variant {k} ({systems[k].name!r}) is another mechanism than variant 0: variants "
                "may differ in masses, places, stiffness and other constants, not in bodies, "
                "joints, levels or numbers of modes, nor in a constant that is zero in one of them"
            )


def cores(threads: Any) -> int:
    """Number of threads: as given, or all cores."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    return checked_threads(threads)
