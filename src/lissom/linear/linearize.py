"""linearize: a mechanism under its loads as a linear model about a state."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..sim.loads import Load
from ..sim.run.start import listed
from ..system import StateLike, System
from .inputs import Inputs, chosen_inputs
from .linear_model import LinearModel
from .names import listed_names, rate_names, speed_parts
from .outputs import Directions, chosen_outputs
from .tangent import Tangent, tangent

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
    the speeds, and own states of loads.  x' = A x + B u, y = C x + D u; theory in the page "Linear
    models and modes".

    Parameters
    ----------
    system : System
        Compiled mechanism, a tree.
    state : State or (q, v), optional
        Configuration and speeds about which; by default neutral.
    loads : sequence of Load
        Springs, motors and other loads that act.  Joints with a `Motion` follow it exactly.
    inputs : sequence of str
        Forces: "body" (on its joint), "body.modes", the name of an `Actuator` among the loads
        (on the motor's side), "frame.force" or "frame.moment" in world axes (also of a node,
        "body.node.force").  A component is chosen by "tip.force.z".
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
        ``.A``, ``.B``, ``.C``, ``.D`` with names and units.
    """
    given = listed(loads, Load, "loads")
    found = tangent(
        system, state, forces=forces, loads=given, held=held, time=time, what="linearize"
    )
    u = chosen_inputs(found.state, listed_names(inputs, "inputs"), given)
    model = _model(found, u, listed_names(outputs, "outputs"))
    return model if step is None else model.discrete(step)


def _model(found: Tangent, u: Inputs, outputs: list[str]) -> LinearModel:
    system, own = found.system, found.loads
    free, n_z = found.free, len(own.own_names)
    _, _, z, f = found.slices
    states = np.concatenate([free, system.n_v + free, 2 * system.n_v + np.arange(n_z)])
    E, n = found.turning, system.n_v
    own_rows = [np.zeros((n_z, n))] * 2 + [np.zeros((n_z, n_z))]
    if n_z:
        own_rows = [own.by_q("own"), own.by_v("own"), own.by_own("own")]
    whole = np.block(
        [
            [E, np.eye(n), np.zeros((n, n_z))],
            [found.acceleration[:, : z.stop]],
            own_rows,
        ]
    )
    B_v = found.acceleration[:, f] @ u.forces
    B = np.vstack([np.zeros_like(B_v), B_v, np.zeros((n_z, B_v.shape[1]))])
    y = chosen_outputs(outputs, _directions(found, u, states))
    names = speed_parts(system)
    parts = [names[k] for k in free]
    parts = [*parts, *rate_names(tuple(parts)), *own.own_names]
    return LinearModel(
        A=whole[np.ix_(states, states)],
        B=B[states],
        C=y.values[:, : len(states)],
        D=y.values[:, len(states) :],
        states=tuple(parts),
        inputs=u.parts,
        outputs=y.parts,
        title=system.name,
    )


def _directions(found: Tangent, u: Inputs, states: Array) -> Directions:
    """Deviations for a unit of each state, then of each input."""
    n, n_z, n_u = found.system.n_v, len(found.loads.own_names), u.forces.shape[1]
    f = found.slices[3]

    def with_inputs(rows: Array) -> Array:
        return np.hstack([rows[:, states], rows[:, f] @ u.forces])

    delta = np.hstack([np.eye(n, 2 * n + n_z)[:, states], np.zeros((n, n_u))])
    nu = np.hstack([np.eye(n, 2 * n + n_z, n)[:, states], np.zeros((n, n_u))])
    terms, dw = found.loads, np.zeros((0, len(states) + n_u))
    if terms.places:
        no_own = np.zeros((len(terms.wrenches), n_z))
        dw = np.hstack([terms.by_q("wrenches"), terms.by_v("wrenches"), no_own])
        dw = np.hstack([dw[:, states], np.zeros((len(dw), n_u))])
    wrenches = [
        (i, node, terms.wrenches[6 * k : 6 * k + 6], dw[6 * k : 6 * k + 6])
        for k, (i, node) in enumerate(terms.places)
    ]
    for frame, columns in u.wrenches:
        at_node = np.stack([frame.wrench_at_node(w) for w in columns.T], axis=1)
        more = np.hstack([np.zeros((6, len(states))), at_node])
        wrenches.append((frame.body, frame.node, np.zeros(6), more))
    force = with_inputs(found.force)
    force[:, len(states) :] -= u.on_frames  # these act on nodes, not on joints
    return Directions(
        state=found.state,
        vdot=terms.acceleration,
        delta=delta,
        nu=nu,
        acceleration=with_inputs(found.acceleration),
        force=force,
        wrenches=wrenches,
    )
