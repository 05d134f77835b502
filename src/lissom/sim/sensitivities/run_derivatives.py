"""Sensitivities of runs: states by initial state, design and controls, and gradients.

With the tangents A, B of the steps (`steps`) and z = [delta; nu] the change of a state:
  z_(k+1) = A_k z_k + B_k dp                                                                  (1)
forward in time for all columns at once; and backward for one objective J of all states,
  lambda_k = A_k^T lambda_(k+1) + dJ/dz_k      dJ/dp = sum_k B_k^T lambda_(k+1)               (2)
whatever the number of parameters.  Both are the exact derivatives of the steps that were made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...algorithms.tree.arguments import check_no_loops
from ...algorithms.tree.design_parameters import resolved
from ...algorithms.tree.kinematics import qdot
from ...errors import LoadError, SimulationError, StateError, shown
from ...printing import Shown
from ...system import StateLike, System
from ..integrators import as_integrator
from ..integrators.runge_kutta import RUNGE_KUTTA
from ..integrators.tableau import Tableau
from ..loads import Actuator, Load
from ..run.start import listed
from ..simulate import simulate
from .backward import backward
from .controls import Control
from .steps import Steps, StepTangents

Array = np.ndarray

BLOCK_BYTES = 1 << 24  # of tangents that are formed at once
Objective = Callable[[Array, Array, Array], Any]


@dataclass(frozen=True, eq=False)
class Sensitivity(Shown):
    """States of a run and their derivatives.

    The change of a state is [displacement; change of speeds], 2 n_v numbers; displacements are
    along the speeds, dq = N(q) e_k where qdot = N(q) v.

    Attributes
    ----------
    time : array (k,)
        Ends of the steps [s].
    q, v : arrays (k, n_q), (k, n_v)
        Coordinates and speeds.
    state : array (k, 2 n_v, 2 n_v)
        By the initial state.
    parameters : array (k, 2 n_v, n_parameter)
        By the parameters `names`.
    controls : tuple of arrays (k, 2 n_v, ...)
        By the values of each control; the last axes are those of its table.
    names : tuple of str
        Parameters.
    """

    time: Array
    q: Array
    v: Array
    state: Array
    parameters: Array
    controls: tuple[Array, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Gradient(Shown):
    """Value of an objective of a run, and its gradient.

    Attributes
    ----------
    value : float
        The objective.
    state : array (2 n_v,)
        By displacements of the initial configuration along the speeds, and by initial speeds.
    parameters : array (n_parameter,)
        By the parameters `names`.
    controls : tuple of arrays
        By the values of each control, in the shape of its table.
    names : tuple of str
        Parameters.
    time, q, v : arrays (k,), (k, n_q), (k, n_v)
        The run.
    """

    value: float
    state: Array
    parameters: Array
    controls: tuple[Array, ...]
    names: tuple[str, ...]
    time: Array
    q: Array
    v: Array


def sensitivity(
    system: System,
    state: StateLike,
    *,
    duration: float,
    step: float,
    parameters: Any = (),
    controls: Sequence[Actuator] = (),
    loads: Sequence[Load] = (),
    forces: Any = None,
    integrator: Any = "rk4",
) -> Sensitivity:
    """States of a run and their exact derivatives, forward in time.

    Parameters
    ----------
    system : System
        Compiled mechanism, a tree.
    state : State or (q, v)
        Initial state.
    duration, step : float
        Time to simulate and fixed step [s].
    parameters : str, DesignParameter or sequence of them
        As for `design_derivatives`.
    controls : sequence of Actuator
        Actuators whose force is a `Table`; derivatives are by its values.
    loads, forces
        Further loads, as for `simulate`.  Given motions, sampled controllers and loads with states
        of their own are refused; users' functions are differentiated by differences.
    integrator : str or Integrator
        "rk4", or another explicit method of `simulate` with fixed steps.

    Returns
    -------
    Sensitivity
        Derivatives of the very steps that `simulate` makes with these arguments.
    """
    what = "sensitivity"
    steps, of = _run(system, state, duration, step, parameters, controls, loads, forces,
                     integrator, what)  # fmt: skip
    n, k, p = system.n_v, len(steps.time), len(of.found.names)
    by_state, by_parameters = np.zeros((k, 2 * n, 2 * n)), np.zeros((k, 2 * n, p))
    by_controls = [np.zeros((k, 2 * n, c.n_time * c.n_value)) for c in of.controls]
    by_state[0] = np.eye(2 * n)
    for first, last in _blocks(of, len(steps.time) - 1):
        tangents = of.of(steps.between(first, last))
        inputs = [
            np.einsum("knsr,kst->kntr", B, W).reshape(last - first, 2 * n, -1)
            for B, W in zip(tangents.controls, tangents.weights, strict=True)
        ]
        with np.errstate(all="ignore"):  # `_check_finite` says it better
            for j in range(last - first):  # (1)
                A, i = tangents.state[j], first + j
                by_state[i + 1] = A @ by_state[i]
                by_parameters[i + 1] = A @ by_parameters[i] + tangents.parameters[j]
                for found, B in zip(by_controls, inputs, strict=True):
                    found[i + 1] = A @ found[i] + B[j]
    _check_finite(what, by_state, by_parameters, *by_controls)
    shaped = (x.reshape(k, 2 * n, *c.shape) for x, c in zip(by_controls, of.controls, strict=True))
    return Sensitivity(*steps, by_state, by_parameters, tuple(shaped), of.found.names)


def gradient(
    system: System,
    state: StateLike,
    objective: Objective,
    *,
    duration: float,
    step: float,
    parameters: Any = (),
    controls: Sequence[Actuator] = (),
    loads: Sequence[Load] = (),
    forces: Any = None,
    integrator: Any = "rk4",
) -> Gradient:
    """Objective of a run and its exact gradient, backward in time: the adjoint method.

    The cost does not depend on the number of controls, and little on that of parameters.

    Parameters
    ----------
    system : System
        Compiled mechanism, a tree.
    state : State or (q, v)
        Initial state.
    objective : callable
        ``objective(time, q, v)`` of all ends of steps, the start included, returns the value and
        its derivatives by q and by v, of the shapes of q and v.  Those by q may also be given along
        the speeds, of the shape of v.
    duration, step, parameters, controls, loads, forces, integrator
        As for `sensitivity`.

    Returns
    -------
    Gradient
    """
    what = "gradient"
    steps, of = _run(system, state, duration, step, parameters, controls, loads, forces,
                     integrator, what)  # fmt: skip
    value, G = _objective(system, steps, objective)
    by_parameters = np.zeros(len(of.found.names))
    by_controls = [np.zeros((c.n_time, c.n_value)) for c in of.controls]
    adjoint = G[-1].copy()
    for first, last in reversed(_blocks(of, len(steps.time) - 1)):  # (2)
        with np.errstate(all="ignore"):
            found = backward(of, steps.between(first, last), G[first:last], adjoint)
        by_parameters += found.parameters
        for total, part in zip(by_controls, found.controls, strict=True):
            total += part
    _check_finite(what, adjoint, by_parameters, *by_controls)
    shaped = (x.reshape(c.shape) for x, c in zip(by_controls, of.controls, strict=True))
    return Gradient(value, adjoint, by_parameters, tuple(shaped), of.found.names, *steps)


def _run(
    system: System,
    state: StateLike,
    duration: float,
    step: float,
    parameters: Any,
    controls: Any,
    loads: Any,
    forces: Any,
    integrator: Any,
    what: str,
) -> tuple[Steps, StepTangents]:
    """Steps of the run, and what finds their tangents."""
    check_no_loops(system, what, "a tree")
    kind = as_integrator(integrator)
    if kind is None or kind.method != RUNGE_KUTTA or kind.adaptive:
        raise LoadError(
            f'{what}: integrator is {shown(integrator)}; expected "rk4" or another explicit '
            "Runge-Kutta method with fixed steps"
        )
    driven = [Control(system, x) for x in listed(controls, Actuator, "controls")]
    others = listed(loads, Load, "loads")
    tableau = kind.tableau
    assert isinstance(tableau, Tableau)
    of = StepTangents(system, tableau, resolved(system, parameters), driven, others, forces, what)
    made = simulate(
        system,
        state,
        duration=duration,
        step=step,
        integrator=kind,
        forces=forces,
        loads=[*others, *(c.actuator for c in driven)],
    )
    if made.status != "finished":
        raise SimulationError(f"{what}: the run ended early ({made.status}): {made.message}")
    steps = Steps(np.asarray(made.time), np.asarray(made.q), np.asarray(made.v))
    if made.statistics["steps"] != len(steps.time) - 1:
        raise LoadError(
            f"{what}: the run of {len(steps.time) - 1} steps was divided into "
            f"{made.statistics['steps']}; let tables have their times on multiples of the step, "
            "or use a shorter step"
        )
    return steps, of


def _check_finite(what: str, *arrays: Array) -> None:
    """Reject derivatives that have grown beyond all bounds: the steps are not stable."""
    if not all(np.all(np.isfinite(x)) for x in arrays):
        raise SimulationError(
            f"{what}: the derivatives grow beyond all bounds: the step is too long for the fastest "
            "vibration; use a shorter one, or fewer modes"
        )


def _blocks(of: StepTangents, n: int) -> list[tuple[int, int]]:
    """First and last row of blocks of steps whose tangents fit into memory."""
    width = 2 * of.system.n_v + len(of.found.names)
    width += sum(len(of.tableau.b) * c.n_value for c in of.controls)
    size = max(1, BLOCK_BYTES // (8 * of.system.n_v * width * 2 * len(of.tableau.b)))
    return [(k, min(k + size, n)) for k in range(0, n, size)]


def _objective(system: System, steps: Steps, objective: Objective) -> tuple[float, Array]:
    """Value of the objective, and its derivatives (k, 2 n_v) by changes of the states."""
    try:
        value, by_q, by_v = objective(*steps)
    except (TypeError, ValueError) as error:
        raise StateError(
            "objective(time, q, v) must return a value and its derivatives by q and v; "
            f"calling it gave {error!r}"
        ) from error
    k, n, n_q = len(steps.time), system.n_v, system.n_q
    along, speeds = np.asarray(by_q, float), np.asarray(by_v, float)
    if speeds.shape != (k, n) or along.shape not in ((k, n), (k, n_q)):
        raise StateError(
            f"objective returned derivatives of shapes {along.shape} and {speeds.shape}; expected "
            f"{(k, n_q)} or {(k, n)}, and {(k, n)}"
        )
    if n_q != n and along.shape == (k, n_q):
        along = np.array([_along(system, q, g) for q, g in zip(steps.q, along, strict=True)])
    return float(value), np.concatenate([along, speeds], axis=1)


def _along(system: System, q: Array, g: Array) -> Array:
    """Derivatives along the speeds, N(q)^T g."""
    if not np.any(g):
        return np.zeros(system.n_v)
    return np.array([g @ qdot(system, (q, e)) for e in np.eye(system.n_v)])
