"""Bodies whose shapes turn their inboard node; both texts meet the particle model elsewhere."""

import dataclasses

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom.results.description.system import describe, restore
from lissom.spatial import rigid_shift
from tests.samples.flexible_arms import flexible_body

ETA = np.array([0.15, -0.1])


def free_free(seed=3, turning=1.0):
    """A body with lumps whose shapes move its inboard node, and turn it if `turning` is not 0."""
    body = flexible_body(seed, n_mode=2, lumps=True)
    motion = 0.4 * np.random.default_rng(seed).standard_normal((6, 2))
    motion[:3] *= turning
    arms = body.positions - body.positions[body.inboard]
    moved = [Pi + rigid_shift(r).T @ motion for Pi, r in zip(body.shapes, arms, strict=True)]
    return dataclasses.replace(body, shapes=np.stack(moved))


def tumbling(level=None):
    """A free hub, a free-free boom on a ball joint and a load on its last node; all move."""
    model = ls.Model("free-free", gravity=(0, 0, 0))
    model.add(ls.RigidBody.box(3.0, (0.4, 0.3, 0.5)), ls.Free(), name="hub")
    model.add(free_free(), ls.Spherical(), to="hub", at=(0.2, 0, 0), name="boom")
    last = len(free_free().positions) - 1
    model.add(
        ls.RigidBody.box(1.0, (0.1, 0.2, 0.3)), ls.Revolute("y"), to=f"boom.{last}", name="load"
    )
    system = model.compile(level=level)
    v = np.random.default_rng(5).standard_normal(system.n_v)
    return system, system.state(v=v, **{"boom.modes": ETA})


def test_nodes_are_where_the_given_shapes_put_them():
    """Seen from the inboard node, by the inverse of its finite motion."""
    system, state = tumbling()
    body = free_free()
    shapes = body.shapes @ body.transform
    turns = [Rotation.from_rotvec(shape[:3] @ ETA).as_matrix() for shape in shapes]
    places = body.positions + shapes[:, 3:] @ ETA
    d = body.inboard
    frame = ls.pose(system, state, "boom")
    for k in range(len(places)):
        node = ls.pose(system, state, f"boom.{k}")
        place = turns[d].T @ (places[k] - places[d])
        assert np.allclose(frame.rotation.T @ (node.position - frame.position), place, atol=1e-13)
        turn = turns[d].T @ turns[k]
        assert np.allclose(frame.rotation.T @ node.rotation, turn, atol=1e-13)
        moved = system.bodies[1].displaced(k, ETA)
        at_rest = body.positions[k] - body.positions[d]
        assert np.allclose(moved[3:], place - at_rest, atol=1e-13)
        assert np.allclose(moved[:3], Rotation.from_matrix(turn).as_rotvec(), atol=1e-12)


def test_energy_and_momentum_are_conserved():
    """Their rates along the motion, by a complex step."""
    system, state = tumbling()
    vdot, h = ls.forward_dynamics(system, state), 1e-30
    later = system.state(state.q + 1j * h * ls.qdot(system, state), state.v + 1j * h * vdot)
    loss = state["boom.mode_rates"] @ system.bodies[1].damping @ state["boom.mode_rates"]
    energy = ls.energy(system, state)
    assert abs(np.imag(ls.energy(system, later).total) / h + loss) < 1e-11 * energy.kinetic
    momentum = np.imag(ls.momentum(system, later)) / h
    assert np.abs(momentum).max() < 1e-11 * np.abs(ls.momentum(system, state)).max()


def test_shapes_that_do_not_turn_the_inboard_node_stay_linear():
    kept, moved = flexible_body(3, n_mode=2, lumps=True), free_free(turning=0.0)
    assert moved.normalised().floating is None
    a, b = kept.normalised(), moved.normalised()
    assert np.allclose(a.node_shapes, b.node_shapes, atol=1e-13)
    assert free_free().normalised("linear").floating is None
    assert free_free().normalised("full").floating is not None


def test_at_rest_it_is_the_body_seen_from_its_inboard_node():
    """The mass matrix of the undeformed body, and the frequencies."""
    kept, moved = flexible_body(3, n_mode=2, lumps=True), free_free()
    assert np.allclose(kept.frequencies, moved.frequencies, rtol=1e-10)
    masses = []
    for body in (kept, moved):
        model = ls.Model()
        model.add(body, ls.Revolute((1, 2, 3)), name="body")
        system = model.compile()
        masses.append(ls.mass_matrix(system, system.neutral()))
    assert np.allclose(*masses, rtol=0, atol=1e-12 * np.abs(masses[0]).max())


def test_the_description_of_a_system_keeps_it():
    system, state = tumbling()
    description, arrays = describe(system)
    assert description["format_version"] == 7
    again = restore(description, arrays)
    for body in (again.bodies[1], system.bodies[1]):
        assert body.floating is not None
    T = np.ones(system.n_v)
    same = [ls.forward_dynamics(s, (state.q, state.v), T) for s in (system, again)]
    assert np.array_equal(*same)
    description["bodies"][1]["level"] = "linear"
    with pytest.raises(ls.ResultError, match="damaged"):
        restore(description, arrays)


def test_steps_of_all_kinds_find_the_same_motion():
    system, state = tumbling()
    ends = []
    for settings in (
        {"integrator": "dop853", "rtol": 1e-10},
        {"integrator": "generalized_alpha", "step": 1e-4},
    ):
        run = ls.simulate(system, state, duration=0.05, progress=False, **settings)
        ends.append(run.state(0.05).q)
    assert np.allclose(*ends, rtol=0, atol=1e-5)
