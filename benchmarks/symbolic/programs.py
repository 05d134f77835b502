"""Generated programs compared with the engine: times per state, and differences of results."""

from __future__ import annotations

import functools
import importlib.util
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lissom.algorithms import forward_dynamics_batch, inverse_dynamics_batch, mass_matrix
from lissom.library import rigid_chain
from lissom.model import Model
from lissom.symbolic import derive

from ..cases import Case, moving_case
from ..depth import Depth
from ..peers.twins import Call, PeerError
from ..rigid import QUANTITIES, own_calls
from ..timing import best_times
from .c import c_compiler, c_loops
from .cases import arm

Array = np.ndarray
Record = dict[str, Any]

# Generated function of each quantity, and the vectors that it takes.
FUNCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "forward dynamics": ("forward_dynamics", ("q", "v", "forces")),
    "inverse dynamics": ("inverse_dynamics", ("q", "v", "acceleration")),
    "mass matrix": ("mass", ("q",)),
}
TOLERANCE = 1e-9


class Programs:
    """Generated programs of one mechanism, and their results for a batch of states.

    Parameters
    ----------
    case : Case
        Mechanism and states.
    numba : bool
        Whether to compile functions for Numba too, which takes long for many joints.
    """

    def __init__(self, case: Case, *, numba: bool) -> None:
        self.case = case
        self.equations = derive(case.model)
        self.outputs: dict[tuple[str, str], Array] = {}
        self.compile_seconds: dict[str, float] = {}
        self.calls: dict[tuple[str, str], tuple[Call, int]] = {
            (quantity, f"engine {form}"): call
            for (quantity, form), call in own_calls(case).items()
            if quantity in QUANTITIES
        }
        self._add_numpy()
        if importlib.util.find_spec("casadi") is not None:
            self._add_casadi()
        compiler = c_compiler()
        if compiler is not None:
            self._add_c(compiler)
        if numba:
            self._add_numba()

    @property
    def _states(self) -> tuple[Array, Array, Array]:
        return self.case.many_q, self.case.many_v, self.case.many_forces

    def _output(self, quantity: str, form: str) -> Array:
        k, n = self.case.size, self.case.system.n_v
        out = np.zeros((k, n, n) if quantity == "mass matrix" else (k, n))
        self.outputs[quantity, form] = out
        return out

    def _functions(self, backend: str) -> Any:
        chosen = [name for name, _ in FUNCTIONS.values()]
        return self.equations.lambdify(backend=backend, functions=chosen)

    def _add_numpy(self) -> None:
        made = self._functions("numpy")
        states = [np.ascontiguousarray(x.T) for x in self._states]
        for quantity, (name, inputs) in FUNCTIONS.items():
            call = functools.partial(getattr(made, name), *states[: len(inputs)])
            self.calls[quantity, "NumPy"] = call, self.case.size
            self.outputs[quantity, "NumPy"] = np.moveaxis(call(), -1, 0)

    def _add_casadi(self) -> None:
        chosen = [name for name, _ in FUNCTIONS.values()]
        made = self.equations.to_casadi(functions=chosen)
        k, n = self.case.size, self.case.system.n_v
        states = [np.ascontiguousarray(x.T) for x in self._states]
        for quantity, (name, inputs) in FUNCTIONS.items():
            call = functools.partial(made[name].map(k), *states[: len(inputs)])
            self.calls[quantity, "CasADi"] = call, k
            found = call().full()  # one column per state
            if quantity == "mass matrix":
                found = found.reshape(n, k, n).transpose(1, 0, 2)
            self.outputs[quantity, "CasADi"] = found if found.ndim == 3 else found.T

    def _add_c(self, compiler: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            begin = time.perf_counter()
            made = c_loops(self.equations, dict(FUNCTIONS.values()), Path(folder), compiler)
            self.compile_seconds["C"] = time.perf_counter() - begin
        for quantity, (name, _) in FUNCTIONS.items():
            out = self._output(quantity, "C")
            call = functools.partial(made[name], *self._states, out, self.case.size)
            self.calls[quantity, "C"] = call, self.case.size
            call()

    def _add_numba(self) -> None:
        begin = time.perf_counter()
        made = self._functions("numba")
        for quantity, (name, inputs) in FUNCTIONS.items():
            out = self._output(quantity, "Numba")
            loop = _numba_loop(getattr(made, name), len(inputs))
            call = functools.partial(loop, *self._states, out.reshape(self.case.size, -1))
            self.calls[quantity, "Numba"] = call, self.case.size
            call()
        self.compile_seconds["Numba"] = time.perf_counter() - begin

    def differences(self) -> dict[tuple[str, str], float]:
        """Largest difference of each program's results from the engine's, by quantity and form."""
        system, (q, v, forces) = self.case.system, self._states
        mass = np.array([mass_matrix(system, system.state(x)) for x in q])
        expected = {
            "forward dynamics": forward_dynamics_batch(system, q, v, forces),
            "inverse dynamics": inverse_dynamics_batch(system, q, v, forces),
            "mass matrix": mass,
        }
        for (quantity, form), found in self.outputs.items():
            gap, scale = np.abs(found - expected[quantity]), np.abs(expected[quantity])
            if quantity == "forward dynamics":  # near singular positions only forces are comparable
                gap, scale = (np.einsum("kij,kj->ki", np.abs(mass), x) for x in (gap, scale))
            self._check(quantity, form, _largest(gap, scale))
        return {
            (quantity, form): _largest(np.abs(found - expected[quantity]), expected[quantity])
            for (quantity, form), found in self.outputs.items()
        }

    def _check(self, quantity: str, form: str, error: float) -> None:
        if not error <= TOLERANCE:
            raise PeerError(
                f"{self.case.model.name}: {quantity} of the program for {form} and of the engine "
                f"differ by {error:.1e}; times of different results are not compared"
            )


def _largest(gap: Array, scale: Array) -> float:
    """Largest difference of a state, relative to its largest reference value."""
    axes = tuple(range(1, scale.ndim))
    return float((np.abs(gap).max(axes) / np.abs(scale).max(axes)).max())


def _numba_loop(function: Any, n_input: int) -> Callable[..., None]:
    """Compiled loop over states; results are written to entries (state, entry) of `out`."""
    from numba import njit

    # Entry by entry: assigning rows takes seconds to compile.
    if n_input == 1:

        @njit
        def loop(q: Array, v: Array, more: Array, out: Array) -> None:
            for k in range(len(q)):
                entries = function(q[k]).ravel()
                for j in range(entries.size):
                    out[k, j] = entries[j]

    else:

        @njit
        def loop(q: Array, v: Array, more: Array, out: Array) -> None:
            for k in range(len(q)):
                entries = function(q[k], v[k], more[k])
                for j in range(entries.size):
                    out[k, j] = entries[j]

    return loop


def mechanisms(joints: Sequence[int], *, with_arm: bool) -> dict[str, Model]:
    """Mechanisms with numerical parameters, by their name in tables.

    Parameters
    ----------
    joints : sequence of int
        Numbers of joints of the chains.
    with_arm : bool
        Whether to include the arm of the paper.
    """
    found = {"arm of the paper": arm().model(numbers=True)} if with_arm else {}
    return found | {f"chain, {n} joints": rigid_chain(n) for n in joints}


def program_records(
    models: dict[str, Model], most: int, depth: Depth, tell: Callable[[str], None]
) -> list[Record]:
    """Times of all programs of some mechanisms.

    Parameters
    ----------
    models : dict of Model
        Models by name, without symbolic parameters.
    most : int
        Largest number of speeds for which Numba compiles programs.
    depth : Depth
        Measurement depth.
    tell : callable
        Called with the current activity.
    """
    records = []
    for name, model in models.items():
        tell(f"compiling programs, {name}")
        case = moving_case(model)
        programs = Programs(case, numba=case.system.n_v <= most)
        differences = programs.differences()
        tell(f"timing programs, {name}")
        best = best_times({key: call for key, (call, _) in programs.calls.items()}, depth)
        for (quantity, form), seconds in best.items():
            record = {
                "part": "program",
                "mechanism": name,
                "joints": case.system.n_v,
                "quantity": quantity,
                "form": form,
                "seconds": seconds / programs.calls[quantity, form][1],
                "difference": differences.get((quantity, form)),
            }
            if form in programs.compile_seconds:
                record["compile seconds"] = programs.compile_seconds[form]
            records.append(record)
    return records
