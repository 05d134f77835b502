"""linearize: a mechanism under its loads as a linear model about a state."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.tree.arguments import speeds_vector
from ..errors import LoadError
from ..sim.loads import Controller, Load
from ..sim.run.checks import listed, positive
from ..system import State, StateLike, System
from .directions import Directions, Wrench
from .inputs import Inputs, chosen_inputs
from .limits import warn_of_limits_about
from .linear_model import LinearModel
from .names import listed_names, rate_names, speed_parts
from .outputs import chosen_outputs
from .sampled import Sampled, sampled, with_all_forces, with_controllers
from .tangent import Tangent, state_and_time, tangent
from .turning import is_steady, warn_of_turning

Array = np.ndarray


def linearize(
    system: System,
    state: StateLike | None = None,
    *,
    loads: Any = (),
    inputs: Any = (),
    outputs: Any = (),
    forces: Any = None,
    held: Any = (),
    time: float = 0.0,
    step: float | None = None,
) -> LinearModel:
    """Linear model of a mechanism about a state of rest, or about a motion at one instant.

    The states are deviations x of the configuration along the motions of the speeds, deviations of
    the speeds, and own states of loads; with loops those of independent speeds.
    x' = A x + B u, y = C x + D u; theory in the page "Linear models and modes".

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v), optional
        Configuration and speeds about which; by default neutral.
    loads : sequence of Load
        Springs, motors and other loads that act.  Joints with a `Motion` follow it exactly.
        A sampled `Controller` asks for its period as ``step``; the model is then that of the
        closed loop, and the memory of a compiled controller is part of its states.
    inputs : sequence of str
        Forces: "body" (on its joint), "body.modes", the name of an `Actuator` among the loads
        (on the motor's side) or of a `Rotor` with a torque, "frame.force" or "frame.moment" in
        world axes (also of a node, "body.node.force").  A component is chosen by "tip.force.z".
    outputs : sequence of str
        Channels: of bodies "body" or "body.angle", "body.rates", "body.modes", "body.mode_rates",
        "body.force", "body.reaction" and others; of frames and nodes "tip.position", "attitude"
        (small rotation, world axes), "velocity", "angular_velocity", "acceleration",
        "angular_acceleration", "deflection".  A component is chosen by "tip.position.z".
    forces : array (n_v,), mapping or callable, optional
        Generalized forces that act in the state, as for `simulate`.
    held : sequence of str
        Joints that are held as they are, by the bodies that they carry.
    time : float
        Time at which loads are evaluated [s].
    step : float, optional
        Sampling time of a discrete model [s]; by default the model is continuous.

    Returns
    -------
    LinearModel
        ``.A``, ``.B``, ``.C``, ``.D`` with names and units.  A SimulationWarning says if the state
        is outside the limits of the models of its bodies.
    """
    all_loads = listed(loads, Load, "loads")
    controllers = [x for x in all_loads if isinstance(x, Controller) and x.on]
    others = [x for x in all_loads if not isinstance(x, Controller)]
    laws = None
    if controllers:
        laws, forces = _laws(system, state, controllers, forces, time, step)
    options = {"forces": forces, "loads": others, "held": held, "what": "linearize"}
    equations = tangent(system, state, time=time, **options)
    warn_of_limits_about(equations, stacklevel=2)
    if is_steady(equations):

        def later(there: State, after: float) -> Tangent:
            return tangent(system, there, time=time + after, **options)

        warn_of_turning(equations, later, "linearize", stacklevel=2)
    u = chosen_inputs(equations.state, listed_names(inputs, "inputs"), others)
    names = listed_names(outputs, "outputs")
    if laws is not None and step is not None:
        model = _model(equations, with_all_forces(u, system.n_v), names).discrete(step)
        return with_controllers(model, equations.motions, equations.speeds, laws)
    model = _model(equations, u, names)
    return model if step is None else model.discrete(step)


def _laws(
    system: System,
    state: StateLike | None,
    controllers: list[Controller],
    forces: Any,
    time: Any,
    step: Any,
) -> tuple[Sampled, Array]:
    """Sampled controllers about the state, and all constant forces there."""
    start, instant = state_and_time(system, state, time, "linearize")
    if callable(forces):
        raise LoadError(
            f"linearize: forces is a function beside {controllers[0].label}; give its numbers in "
            "the state, or add it to the controller"
        )
    h = None if step is None else positive(step, "linearize: step", "a positive time [s]")
    laws = sampled(start, controllers, instant, h)
    return laws, speeds_vector(system, forces, "forces") + laws.forces


def _model(equations: Tangent, u: Inputs, outputs: list[str]) -> LinearModel:
    system, own_states = equations.system, equations.loads.own_names
    m, n_z = len(equations.independent), len(own_states)
    _, _, z, f = equations.slices
    empty = [np.zeros((0, k)) for k in (m, m, n_z)]
    A = np.block(
        [
            [equations.turning, np.eye(m), np.zeros((m, n_z))],
            [equations.acceleration[equations.independent, : z.stop]],
            equations.of_loads("own") if n_z else empty,
        ]
    )
    B_v = equations.acceleration[equations.independent, f] @ u.forces
    rates = np.zeros((n_z, B_v.shape[1]))
    for name, row in u.own_rates:
        rates[[x for x, _ in own_states].index(name)] += row
    B = np.vstack([np.zeros_like(B_v), B_v, rates])
    y = chosen_outputs(outputs, _directions(equations, u, outputs))
    names = speed_parts(system)
    parts = tuple(names[k] for k in equations.independent)
    return LinearModel(
        A=A,
        B=B,
        C=y.values[:, : z.stop],
        D=y.values[:, z.stop :],
        states=(*parts, *rate_names(parts), *own_states),
        inputs=u.parts,
        outputs=y.parts,
        title=system.name,
    )


def _directions(equations: Tangent, u: Inputs, outputs: list[str]) -> Directions:
    """Deviations for a unit of each state, then of each input."""
    n, m, n_z = equations.system.n_v, len(equations.independent), len(equations.loads.own_names)
    n_u, terms, f = u.forces.shape[1], equations.loads, equations.slices[3]
    n_x, none = f.start, np.zeros((n, n_u))

    def with_inputs(rows: Array, inputs: Array) -> Array:
        return np.hstack([rows[:, :n_x], inputs])

    def wrenches() -> list[Wrench]:
        result, dw = list[Wrench](), np.zeros((0, n_x + n_u))
        if terms.places:
            slopes = np.hstack(equations.of_loads("wrenches"))
            dw = with_inputs(slopes, np.zeros((len(slopes), n_u)))
        for k, (i, node) in enumerate(terms.places):
            rows = slice(6 * k, 6 * k + 6)
            result.append((i, node, terms.wrenches[rows], dw[rows]))
        for frame, columns in u.wrenches:
            at_node = np.stack([frame.wrench_at_node(w) for w in columns.T], axis=1)
            more = np.hstack([np.zeros((6, n_x)), at_node])
            result.append((frame.body, frame.node, np.zeros(6), more))
        return result

    def forces() -> Array:  # what acts on nodes is no force on joints
        return with_inputs(equations.force, equations.force[:, f] @ u.forces - u.on_frames)

    delta = np.hstack([equations.motions, np.zeros((n, m + n_z))])
    nu = np.hstack([equations.speeds, equations.motions, np.zeros((n, n_z))])
    return Directions(
        state=equations.state,
        vdot=equations.vdot,
        delta=with_inputs(delta, none),
        nu=with_inputs(nu, none),
        acceleration=with_inputs(equations.acceleration, equations.acceleration[:, f] @ u.forces),
        of_forces=forces,
        of_wrenches=wrenches,
        applied=equations.applied,
        armature=terms.armature,
        outputs=tuple(outputs),
    )
