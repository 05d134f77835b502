"""Sensitivities of runs: states by initial state, design and controls, and gradients.

With the tangents A, B of the steps (`explicit`, `alpha`) and z the change of a state:
  z_(k+1) = A_k z_k + B_k dp                                                                  (1)
forward in time for all columns at once; and backward for one objective J of all states,
  lambda_k = A_k^T lambda_(k+1) + dJ/dz_k      dJ/dp = sum_k B_k^T lambda_(k+1)               (2)
whatever the number of parameters.  Both are the exact derivatives of the steps that were made.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...algorithms.tree.arguments import check_system
from ...algorithms.tree.design_parameters import check_loops, resolve_parameters
from ...algorithms.tree.kinematics import qdot
from ...errors import LoadError, SimulationError, StateError, shown
from ...fields import as_numbers
from ...printing import Shown
from ...results.trajectory import Trajectory
from ...system import StateLike, System
from ..integrators import GeneralizedAlpha, Integrator, as_integrator
from ..integrators.runge_kutta import RUNGE_KUTTA
from ..integrators.tableau import Tableau
from ..loads import Actuator, Load
from ..run.checks import listed
from ..run.prepare import begun_run, prepared
from ..run.progress import ProgressBar
from ..run.record import opened_record
from ..run.runner import completed
from ..run.settings import run_options
from ..simulate import simulate
from ..warnings.accuracy import BENDING, FIXED_STEPS
from .alpha import AlphaTangents
from .closed import ClosedTangents
from .controls import Control
from .dynamics import Dynamics
from .explicit import ExplicitTangents
from .steps import Steps, StepTangents

Array = np.ndarray

BLOCK_BYTES = 1 << 22  # of tangents that are formed at once
CONVERGED = 1e-12  # tolerance of iterations, see `GeneralizedAlpha`
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
    state : array (k, 2 n_v, 2 n_v), or (k, 2 n_v, 2 n_free) with loops
        By the initial state; with loops by dz and du, its changes along the free motions.
    parameters : array (k, 2 n_v, n_parameter)
        By the parameters `names`.
    controls : tuple of arrays (k, 2 n_v, ...)
        By the values of each control; the last axes are those of its table.
    names : tuple of str
        Parameters.
    independent : tuple of int, or None for a tree
        Speeds by which the free motions are measured, as in `forward_dynamics_derivatives`.
    """

    time: Array
    q: Array
    v: Array
    state: Array
    parameters: Array
    controls: tuple[Array, ...]
    names: tuple[str, ...]
    independent: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Gradient(Shown):
    """Value of an objective of a run, and its gradient.

    Attributes
    ----------
    value : float
        The objective.
    state : array (2 n_v,), or (2 n_free,) with loops
        By displacements of the initial configuration along the speeds, and by initial speeds; with
        loops by its changes along the free motions.
    parameters : array (n_parameter,)
        By the parameters `names`.
    controls : tuple of arrays
        By the values of each control, in the shape of its table.
    names : tuple of str
        Parameters.
    time, q, v : arrays (k,), (k, n_q), (k, n_v)
        The run.
    independent : tuple of int, or None for a tree
        Speeds by which the free motions are measured.
    """

    value: float
    state: Array
    parameters: Array
    controls: tuple[Array, ...]
    names: tuple[str, ...]
    time: Array
    q: Array
    v: Array
    independent: tuple[int, ...] | None = None


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
        Compiled mechanism.  With loops or couplings, parameters that place joints and those of
        users' functions are refused, and derivatives come from differences of order six in part.
    state : State or (q, v)
        Initial state.
    duration, step : float
        Time to simulate and fixed step [s].
    parameters : str, DesignParameter or sequence of them
        As for `design_derivatives`.
    controls : sequence of Actuator
        Actuators whose force is a `Table`; derivatives are by its values.
    loads, forces
        Further loads, as for `simulate`; users' functions are differentiated by differences.
        Sampled controllers, states of drives and wheels, and given motions in systems with loops
        are refused.
    integrator : str or Integrator
        "rk4", another explicit Runge-Kutta method of `simulate` with fixed steps, or for trees
        "generalized_alpha", whose iterations are carried to their end (``slack=0``).

    Returns
    -------
    Sensitivity
        Derivatives of the very steps that `simulate` makes with these arguments.
    """
    what = "sensitivity"
    of, ends = _run(
        system, state, duration, step, parameters, controls, loads, forces, integrator, what
    )
    steps, dynamics, n = of.steps, of.dynamics, system.n_v
    basis, independent = of.basis()
    k, of_state = len(steps.time), basis.shape[1]
    width = of_state + dynamics.n_parameter
    derivatives = np.zeros((k, 2 * n, width + dynamics.n_value))
    change = np.zeros((of.rows, derivatives.shape[2]))
    change[: 2 * n, :of_state] = basis
    derivatives[0] = change[: 2 * n]
    for first, last in _blocks(of, of.numbers):
        with np.errstate(all="ignore"):  # `_check_finite` says it better
            changes = of.forward(first, last, change)  # (1)
        change = changes[-1]
        derivatives[first + 1 : last + 1] = changes[:, : 2 * n]
    _check_finite(what, derivatives)
    derivatives, k = derivatives[ends], len(ends)
    by_controls, place = [], width
    for control in dynamics.controls:
        count = control.n_time * control.n_value
        piece = derivatives[:, :, place : place + count]
        by_controls.append(piece.reshape(k, 2 * n, *control.shape))
        place += count
    by_state = derivatives[:, :, :of_state]
    by_parameters = derivatives[:, :, of_state:width][:, :, dynamics.parameters.order]
    names, whole = dynamics.parameters.given_names, steps.at(ends)
    return Sensitivity(*whole[:3], by_state, by_parameters, tuple(by_controls), names, independent)


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

    The cost does not depend on the number of controls, and little on that of parameters.  With
    loops, integrals of servos, given motions or bodies at level "ruthless" and an explicit method,
    the matrices of the steps are formed as in `sensitivity`, and the cost is the same.

    Parameters
    ----------
    system : System
        Compiled mechanism.
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
    of, ends = _run(
        system, state, duration, step, parameters, controls, loads, forces, integrator, what
    )
    dynamics, n, whole = of.dynamics, system.n_v, of.steps.at(ends)
    G = np.zeros((len(of.steps.time), 2 * n))
    value, G[ends] = _objective(system, whole, objective)
    by_parameters = np.zeros(dynamics.n_parameter)
    by_controls = [np.zeros((c.n_time, c.n_value)) for c in dynamics.controls]
    adjoint = np.zeros(of.rows)
    adjoint[: 2 * n] = G[-1]
    for first, last in reversed(_blocks(of, of.numbers_backward)):  # (2)
        with np.errstate(all="ignore"):
            share = of.backward(first, last, G[first:last], adjoint)
        by_parameters += share.parameters
        for total, part in zip(by_controls, share.controls, strict=True):
            total += part
    _check_finite(what, adjoint, by_parameters, *by_controls)
    shaped = (x.reshape(c.shape) for x, c in zip(by_controls, dynamics.controls, strict=True))
    in_order, names = by_parameters[dynamics.parameters.order], dynamics.parameters.given_names
    basis, independent = of.basis()
    by_state = adjoint[: 2 * n] @ basis
    return Gradient(value, by_state, in_order, tuple(shaped), names, *whole[:3], independent)


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
) -> tuple[StepTangents, Array]:
    """Tangents of the steps of the run, parts of divided ones included; rows of whole steps."""
    check_system(system)
    kind = _checked_method(system, integrator, what)
    driven = [Control(system, x) for x in listed(controls, Actuator, "controls")]
    others = listed(loads, Load, "loads")
    design_parameters = resolve_parameters(system, parameters)
    check_loops(system, design_parameters, what)
    of = Dynamics(system, design_parameters, driven, others, forces, what)
    with warnings.catch_warnings(record=True, action="always") as told:
        trajectory = simulate(
            system,
            state,
            duration=duration,
            step=step,
            integrator=kind,
            forces=forces,
            loads=[*others, *(c.actuator for c in driven)],
        )
    for one in told:
        warnings.warn(_for_derivatives(str(one.message)), one.category, stacklevel=3)
    if trajectory.status == "interrupted":
        raise KeyboardInterrupt
    if trajectory.status != "finished":
        raise SimulationError(
            f"{what}: the run ended early ({trajectory.status}): {trajectory.message}"
        )
    _check_contacts(trajectory, what)
    ends = np.arange(len(trajectory.time))
    if trajectory.statistics["steps"] != len(ends) - 1:
        whole, trajectory = trajectory.time, _with_parts(of, state, duration, step, kind)
        ends = np.searchsorted(trajectory.time, whole)
    time, q, v, x = (
        np.array(y) for y in (trajectory.time, trajectory.q, trajectory.v, trajectory.acceleration)
    )
    steps = Steps(time, q, v, x, of.integrals_of(trajectory))
    if isinstance(kind, GeneralizedAlpha):
        return AlphaTangents(of, steps, kind), ends
    assert isinstance(kind.tableau, Tableau)
    if system.constraints:
        return ClosedTangents(of, steps, kind.tableau), ends
    return ExplicitTangents(of, steps, kind.tableau), ends


def _check_contacts(trajectory: Trajectory, what: str) -> None:
    """Refuse a run in which a contact closes or opens."""
    first = next((event for event in trajectory.events if event.touch), None)
    if first is not None:
        raise LoadError(
            f"{what}: at t = {first.time:.6g} s {first.label}: a step ends there, whose length "
            "depends on the state, and the damping of the contact may depend on the speed of "
            "approach; their derivatives are missing here. Contacts may stay open or closed "
            "throughout; else take differences of runs"
        )


def _for_derivatives(text: str) -> str:
    """Warning of a run, with a remedy that its derivatives have too."""
    remedy = "shorten the step"
    if BENDING in text:
        remedy += " until the derivatives settle, which lose more there than the run"
    return text.replace(FIXED_STEPS, remedy)


def _with_parts(
    of: Dynamics, state: StateLike, duration: float, step: float, kind: Integrator
) -> Trajectory:
    """The run once more, with rows also at the ends of the parts of divided steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the run itself has warned
        arguments = {"duration": duration, "step": step, "integrator": kind}
        parts = {"forces": of.user_forces, "loads": of.all_loads}
        ready = prepared(of.system, state, run_options(arguments | parts), of.what)
        ready.machine.head.every = 0
        begun_run(ready)
    silent = ProgressBar("", 0.0, 1.0, False)
    record = opened_record(ready.machine, None, None, ready.reason)
    store, meta, outcome = completed(ready, record, silent)
    if outcome.status == "interrupted":
        raise KeyboardInterrupt
    trajectory = Trajectory(of.system, store, meta)
    if trajectory.statistics["steps"] != len(trajectory.time) - 1:
        raise LoadError(
            f"{of.what}: the run of {trajectory.statistics['steps']} steps has "
            f"{len(trajectory.time)} rows; "
            "use a step of which duration is a multiple"
        )
    return trajectory


def _checked_method(system: System, integrator: Any, what: str) -> Integrator:
    """Method whose steps have derivatives; iterations of implicit ones are carried to their end."""
    kind = as_integrator(integrator)
    if isinstance(kind, GeneralizedAlpha):
        if system.constraints:
            raise LoadError(
                f"{what}: {kind.title} closes loops within its iterations, which has no "
                'derivatives here; use integrator="rk4" for systems with loops or couplings'
            )
        return replace(kind, tolerance=min(kind.tolerance, CONVERGED), slack=0.0)
    if kind is None or kind.method != RUNGE_KUTTA or kind.adaptive:
        raise LoadError(
            f'{what}: integrator is {shown(integrator)}; expected "rk4" or another explicit '
            'Runge-Kutta method with fixed steps, or "generalized_alpha"'
        )
    return kind


def _check_finite(what: str, *arrays: Array) -> None:
    """Reject derivatives that have grown beyond all bounds: the steps are not stable."""
    if not all(np.all(np.isfinite(x)) for x in arrays):
        raise SimulationError(
            f"{what}: the derivatives grow beyond all bounds: the step is too long for the fastest "
            "vibration; use a shorter one, or fewer modes"
        )


def _blocks(of: StepTangents, numbers: int) -> list[tuple[int, int]]:
    """First and last row of blocks of steps whose tangents, so many numbers each, fit."""
    n, size = len(of.steps.time) - 1, max(1, BLOCK_BYTES // (8 * max(1, numbers)))
    return [(k, min(k + size, n)) for k in range(0, n, size)]


def _objective(system: System, steps: Steps, objective: Objective) -> tuple[float, Array]:
    """Value of the objective, and its derivatives (k, 2 n_v) by changes of the states."""
    try:
        value, by_q, by_v = objective(*steps[:3])
    except (TypeError, ValueError) as error:
        raise StateError(
            "objective(time, q, v) must return a value and its derivatives by q and v; "
            f"calling it gave {error!r}"
        ) from error
    k, n, n_q = len(steps.time), system.n_v, system.n_q
    number = _numbers(value, "the value")
    along, speeds = _numbers(by_q, "derivatives by q"), _numbers(by_v, "derivatives by v")
    if number.size != 1:
        raise StateError(f"objective returned the value {shown(value)}; expected one number")
    if speeds.shape != (k, n) or along.shape not in ((k, n), (k, n_q)):
        raise StateError(
            f"objective returned derivatives of shapes {along.shape} and {speeds.shape}; expected "
            f"{(k, n_q)} or {(k, n)}, and {(k, n)}"
        )
    if n_q != n and along.shape == (k, n_q):
        along = np.array([_along(system, q, g) for q, g in zip(steps.q, along, strict=True)])
    return float(number.item()), np.concatenate([along, speeds], axis=1)


def _numbers(entry: Any, what: str) -> Array:
    """Finite real numbers that the objective returned."""
    values = as_numbers(entry)
    if values is None or not np.all(np.isfinite(values)):
        raise StateError(f"objective returned {what} {shown(entry)}; expected finite real numbers")
    return values


def _along(system: System, q: Array, g: Array) -> Array:
    """Derivatives along the speeds, N(q)^T g."""
    if not np.any(g):
        return np.zeros(system.n_v)
    return np.array([g @ qdot(system, (q, e)) for e in np.eye(system.n_v)])
