"""Shared parts of the tests of derivatives."""

from __future__ import annotations

import casadi as ca
import numpy as np

import lissom as ls
from lissom.algorithms.tree import engine
from lissom.algorithms.tree.derivatives import complex_steps
from tests.loop_oracles.slopes import free_slopes
from tests.oracle import Oracle
from tests.oracle.random_mechanism import draw, with_level
from tests.oracle.ruthless import RuthlessMotion, forces as ruthless_forces, slopes
from tests.oracle.slopes import force_slopes, spring_slopes
from tests.samples.random_loops import looped_tree
from tests.samples.random_trees import build, frame_names


def error(actual: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference relative to the largest entry; to 1 where that is smaller."""
    return float(np.abs(actual - expected).max(initial=0.0) / max(1.0, np.abs(expected).max()))


def random_external(system: ls.System, rng) -> list[tuple[int, int, np.ndarray]]:
    """A force on a node of every other body."""
    return [
        (i, int(rng.integers(len(body.node_positions))), rng.standard_normal(6))
        for i, body in enumerate(system.bodies)
        if rng.random() < 0.5
    ]


def against_complex_steps(system: ls.System, state: ls.State, rng, external=()) -> float:
    """Largest error of the compiled derivatives of the forces."""
    x, (q, v) = rng.standard_normal(system.n_v), (state.q.copy(), state.v.copy())
    _, (by_q, by_v, M) = engine.inverse_derivatives(system, q, v, x, external)
    expected_q, expected_v = complex_steps(system, state, x, external)
    return max(
        error(by_q, expected_q), error(by_v, expected_v), error(M, ls.mass_matrix(system, state))
    )


def _drawn(seed: int):
    """Description, tree, oracle and state of a random mechanism; None if it does not compile."""
    description = with_level(draw(seed, 0), "full")
    try:
        tree = build(description)
    except ls.ModelError:
        return None
    oracle = Oracle(description.mechanism(tree.transforms))
    return description, tree, oracle, description.state(tree.transforms)


def tree_error(seed: int) -> float | None:
    """Largest error of the derivatives of forces; None if the mechanism does not compile."""
    drawn = _drawn(seed)
    if drawn is None:
        return None
    description, tree, oracle, (q, v) = drawn
    rng = np.random.default_rng(seed)
    vdot, names = rng.standard_normal(len(v)), frame_names(description)
    external = {key: rng.standard_normal(6) for key in names if rng.random() < 0.4}
    expected = force_slopes(oracle, q, v, vdot, external)
    found = ls.inverse_dynamics_derivatives(
        tree.system,
        tree.state(q, v),
        tree.to_lissom(vdot),
        external={names[key]: wrench for key, wrench in external.items()},
    )
    entries = np.ix_(tree.v_index, tree.v_index)
    return max(error(found.q[entries], expected[0]), error(found.v[entries], expected[1]))


def spring_error(seed: int) -> float | None:
    """Largest error of springs with dampers between nodes, as `tree_error`."""
    drawn = _drawn(seed)
    if drawn is None:
        return None
    description, tree, oracle, (q, v) = drawn
    rng, names = np.random.default_rng(seed), frame_names(description)
    keys = list(names)
    springs = []
    for _ in range(3):
        a, b = (int(k) for k in rng.choice(len(keys) + 1, 2, replace=False))
        a, b = (b, a) if a == len(keys) else (a, b)
        springs.append((keys[a], None if b == len(keys) else keys[b], 30.0, 2.0, 0.3))
    expected = spring_slopes(oracle, q, v, springs)
    loads = [
        ls.NodeSpring(names[a], None if b is None else names[b], k, damping=c, length=rest)
        for a, b, k, c, rest in springs
    ]
    found = ls.load_derivatives(tree.system, tree.state(q, v), loads)
    entries = np.ix_(tree.v_index, tree.v_index)
    return max(
        error(found.forces[tree.v_index], expected[0]),
        error(found.q[entries], expected[1]),
        error(found.v[entries], expected[2]),
    )


def ruthless_error(seed: int) -> float | None:
    """Largest error of forces and their derivatives at level "ruthless", as `tree_error`.

    And of the motion of the last named frame.
    """
    description = with_level(draw(seed, 0), "ruthless")
    try:
        tree = build(description)
    except ls.ModelError:
        return None
    mechanism = description.mechanism(tree.transforms)
    (q, v), a = description.state(tree.transforms), description.acceleration
    state, x = tree.state(q, v), tree.to_lissom(a)
    names, motion = frame_names(description), RuthlessMotion(mechanism)
    external = {names[key]: wrench for key, wrench in description.external.items()}
    T = ruthless_forces(motion, mechanism, description.external)
    value, by_q, by_v = slopes(motion, T, q, v, a)
    own = ls.inverse_dynamics(tree.system, state, x, external=external)
    found = ls.inverse_dynamics_derivatives(tree.system, state, x, external=external)
    key = list(names)[-1]
    frame = motion.frame(key)
    _, velocity_q, jacobian = slopes(motion, ca.vertcat(frame.w, frame.velocity), q, v, a)
    accelerations = ca.vertcat(frame.alpha, frame.acceleration)
    _, acceleration_q, acceleration_v = slopes(motion, accelerations, q, v, a)
    there, columns = ls.frame_derivatives(tree.system, state, names[key], x), tree.v_index
    entries = np.ix_(columns, columns)
    return max(
        error(own[columns], value.ravel()),
        error(found.q[entries], by_q),
        error(found.v[entries], by_v),
        error(there.jacobian[:, columns], jacobian),
        error(there.velocity_q[:, columns], velocity_q),
        error(there.acceleration_q[:, columns], acceleration_q),
        error(there.acceleration_v[:, columns], acceleration_v),
    )


def loop_error(seed: int, kind: str | None = None) -> float | None:
    """Largest error along the free motions; None with bodies at level linear."""
    case = looped_tree(seed, kind)
    system = case.tree.system
    if any(body.level == "linear" and body.n_mode for body in system.bodies):
        return None
    forces = np.random.default_rng(seed).standard_normal(len(case.v))
    found = ls.forward_dynamics_derivatives(system, case.state, case.tree.to_lissom(forces))
    place = {int(own): k for k, own in enumerate(case.tree.v_index)}
    free = [place[k] for k in found.independent]
    by_q, by_v = free_slopes(case.oracle, case.q, case.v, forces, free)
    rows = case.tree.v_index
    return max(error(found.q[rows], by_q), error(found.v[rows], by_v))
