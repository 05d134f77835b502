"""Nodal coordinates of bodies that move and are deformed; inverse dynamics; operators in O(N)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lissom as ls
from lissom.spatial import rotation_exp
from tests.samples.nodal_bodies import Bar, cantilever, random_body, random_tree
from tests.tools.measures import error, random_state

LUMPED = ("lumps", "points")


class Case:
    """A random tree of lumped bodies, moving and deformed, damped in several ways, under loads."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([seed, 5])
        tree = random_tree(seed, LUMPED)
        self.system, self.nodal = _damped(tree, rng)
        self.state = random_state(self.system, rng, deformation=0.05, speed=1.0)
        names = self.system.names
        self.forces = {n: rng.standard_normal(len(self.state[f"{n}.rates"])) for n in names}
        self.external = {n: rng.standard_normal(6) for n in names}
        self.external |= {
            f"{n}.{b.n_node - 1}": rng.standard_normal(6) for n, b in self.nodal.items()
        }
        self.vdot = ls.forward_dynamics(
            self.system, self.state, self.forces, external=self.external
        )
        self.solution = ls.nodal_forward_dynamics(
            self.system, self.state, self.nodal, self.forces, external=self.external
        )

    def freedoms(self, name, modal) -> np.ndarray:
        """Nodal freedoms of modal coordinates, rates or accelerations."""
        body = self.nodal[name]
        shapes = self.system.bodies[self.system.layout.index(name)].node_shapes
        moved = shapes.reshape(6 * body.n_node, -1) @ modal
        return np.linalg.lstsq(body.freedoms, moved, rcond=None)[0]


def _damped(tree, rng):
    """The tree compiled anew with damped bodies: a ratio, ratios of all modes, or a matrix."""
    model, nodal = ls.Model("damped", gravity=(1.0, -2.0, -9.81)), {}
    for k, name in enumerate(tree.modal.names):
        body = tree.modal.bodies[k]
        if name in tree.nodal:
            plain = tree.nodal[name]
            ratios = (0.02, rng.uniform(0, 0.1, plain.n_freedom), 1e-3 * plain.stiffness)[k % 3]
            nodal[name] = body = replace(plain, damping=ratios)
        else:
            terms = tree.modal.bodies[k].integrals
            body = _box(terms)
        place = {"name": name, "rotation": tree.modal.frame_rotation[k]}
        place["at"] = tree.modal.frame_position[k]
        if (p := int(tree.modal.parent[k])) >= 0:
            place |= {"to": tree.modal.names[p], "node": int(tree.modal.parent_node[k])}
            if tree.modal.names[p] not in nodal:
                del place["node"]
        model.add(body, tree.modal.joints[k], **place)
    return model.compile(), nodal


def _box(terms) -> ls.RigidBody:
    """Rigid body with the mass and moments of another."""
    com = terms.first_moment / terms.mass
    about = terms.second_moment - terms.mass * np.outer(com, com)
    return ls.RigidBody(terms.mass, com, np.trace(about) * np.eye(3) - about)


def in_axes(R, vectors) -> np.ndarray:
    """Spatial vectors (n, 6) in world axes, in the axes R."""
    return (np.reshape(vectors, (-1, 2, 3)) @ R).reshape(-1, 6)


@pytest.fixture(scope="module", params=range(3))
def case(request):
    return Case(request.param)


def test_moving_and_deformed_bodies_accelerate_as_their_modal_form(case):
    """The modal form, all modes kept, in compiled code; lumps turn with their nodes in both."""
    system, found = case.system, case.solution.accelerations
    scale = 1e-8
    for name in system.names:
        expected = case.vdot[system.layout.hinge_v(name)]
        assert found[name].joint == pytest.approx(expected, rel=scale, abs=scale * 100)
        if name in case.nodal:
            x = case.freedoms(name, case.vdot[system.layout.modal_v(name)])
            assert error(found[name].freedoms, x) < scale
            nodes = [
                ls.acceleration(system, case.state, f"{name}.{k}", case.vdot)
                for k in range(case.nodal[name].n_node)
            ]
            R = ls.pose(system, case.state, name).rotation
            assert error(found[name].total, in_axes(R, nodes)) < scale


def test_inverse_dynamics_returns_the_forces_that_moved_the_bodies(case):
    found = case.solution.accelerations
    back = ls.nodal_inverse_dynamics(
        case.system,
        case.state,
        case.nodal,
        {name: found[name].joint for name in case.system.names},
        freedoms={name: found[name].freedoms for name in case.nodal},
        external=case.external,
    )
    size = max(np.abs(forces.hinge_force).max() for forces in back.values())
    for name in case.system.names:
        assert back[name].joint == pytest.approx(case.forces[name], abs=1e-8 * size)
        assert np.abs(back[name].freedoms).max(initial=0.0) < 1e-8 * size
        assert error(back[name].total, found[name].total) < 1e-12
    joints = ls.joint_forces(case.system, case.state, case.vdot, external=case.external)
    for name, expected in zip(case.system.names, joints, strict=True):
        assert back[name].hinge_force == pytest.approx(expected, abs=1e-7 * size)


def test_inverse_dynamics_of_any_motion_is_that_of_the_modal_form(case):
    system, rng = case.system, np.random.default_rng(1)
    vdot = rng.standard_normal(system.n_v)
    T = ls.inverse_dynamics(system, case.state, vdot, external=case.external)
    back = ls.nodal_inverse_dynamics(
        system,
        case.state,
        case.nodal,
        {name: vdot[system.layout.hinge_v(name)] for name in system.names},
        freedoms={
            name: case.freedoms(name, vdot[system.layout.modal_v(name)]) for name in case.nodal
        },
        external=case.external,
    )
    size = np.abs(T).max()
    for name in system.names:
        assert back[name].joint == pytest.approx(T[system.layout.hinge_v(name)], abs=1e-9 * size)
        if name in case.nodal:
            columns = [case.freedoms(name, e) for e in np.eye(case.nodal[name].n_freedom)]
            modal = np.array(columns) @ back[name].freedoms
            expected = T[system.layout.modal_v(name)]
            assert modal == pytest.approx(expected, abs=1e-8 * size)


@pytest.mark.parametrize("seed", range(2))
def test_a_free_body_keeps_its_momentum_and_its_energy(seed):
    """Newton and Euler at the nodes, with no mass matrix: sums of forces, moments and power."""
    body, _ = random_body(seed, "lumps")
    model = ls.Model("free")
    model.add(body, ls.Free(), name="body")
    system = model.compile()
    state = random_state(system, np.random.default_rng(seed), deformation=0.1, speed=1.5)
    found = ls.nodal_forward_dynamics(system, state, {"body": body}).accelerations["body"]
    shapes = system.bodies[0].node_shapes
    u, u_dot = (shapes @ state[f"body.{x}"] for x in ("modes", "mode_rates"))
    position = body.positions - body.positions[body.inboard] + u[:, 3:]
    nodes = [ls.velocity(system, state, f"body.{k}") for k in range(body.n_node)]
    V = in_axes(ls.pose(system, state, "body").rotation, nodes)
    force, moment, power = np.zeros(3), np.zeros(3), 0.0
    for k in range(body.n_node):
        E, w, a = rotation_exp(u[k, :3]), V[k, :3], found.total[k]
        J = E @ body.node_inertias[k] @ E.T
        push, turn = body.masses[k] * a[3:], J @ a[:3] + np.cross(w, J @ w)
        force, moment = force + push, moment + turn + np.cross(position[k], push)
        power += push @ V[k, 3:] + turn @ w
    size = np.abs(found.total).max() * body.masses.sum()
    assert np.abs(force).max() < 1e-9 * size
    assert np.abs(moment).max() < 1e-9 * size
    assert power + u_dot.ravel() @ body.stiffness @ u.ravel() == pytest.approx(0, abs=1e-8 * size)


def test_operators_of_a_moving_state_are_those_of_its_configuration(case):
    op = ls.nodal_operators(case.system, case.state, case.nodal)
    dense, rng = op.dense(), np.random.default_rng(0)
    X_dot = np.concatenate(
        [
            *(case.freedoms(n, case.state[f"{n}.mode_rates"]) for n in case.nodal),
            *(case.state[f"{n}.rates"] for n in case.system.names),
        ]
    )
    kinetic = ls.energy(case.system, case.state).kinetic
    assert X_dot @ (op.mass @ X_dot) / 2 == pytest.approx(kinetic, rel=1e-10)
    F = rng.standard_normal(len(X_dot))
    assert error(op.mass @ (op.mass_inverse @ F), F) < 1e-7
    assert error(op.causal.T @ F, dense.causal.T @ F) < 1e-12
    assert error(op.causal_inverse.T @ F, dense.causal_inverse.T @ F) < 1e-12
    assert error(op.C.T @ np.ones(op.C.shape[0]), dense.C.T @ np.ones(op.C.shape[0])) < 1e-12


def test_products_with_operators_of_a_long_chain_store_no_matrix():
    body = cantilever(Bar(), 2, "lumps")
    model = ls.Model("chain")
    for i in range(60):
        place = {"to": f"link{i - 1}.tip"} if i else {}
        model.add(body.to_modal(modes=1), ls.Revolute("y"), name=f"link{i}", **place)
    system = model.compile()
    nodal = dict.fromkeys(system.names, body)
    op = ls.nodal_operators(system, system.state(), nodal)
    F = np.random.default_rng(0).standard_normal(op.mass.shape[0])
    assert op.mass.shape == (60 * 13, 60 * 13)
    x = op.mass_inverse @ F
    left = op.mass @ x - F
    assert np.abs(left).max() < 1e-12 * np.abs(op.mass @ np.abs(x)).max()
    assert error(op.mass_composite @ F, op.mass @ F) < 1e-9
    assert "O(N)" in repr(op.mass)


def test_mistakes_in_freedoms_are_named(case):
    name, body = next(iter(case.nodal.items()))
    for freedoms, words in (
        ({name: [1.0]}, f"{name!r}.*{body.n_freedom} finite numbers"),
        ({name: "fast"}, f"{name!r}.*finite numbers"),
        ([1.0], "mapping"),
    ):
        with pytest.raises(ls.StateError, match=words):
            ls.nodal_inverse_dynamics(case.system, case.state, case.nodal, freedoms=freedoms)
    with pytest.raises(ls.StateError, match="acceleration act on modes.*freedoms"):
        ls.nodal_inverse_dynamics(case.system, case.state, case.nodal, np.ones(case.system.n_v))


def test_shapes_that_the_nodal_body_does_not_have_are_refused():
    body, _ = random_body(1, "points")
    model = ls.Model("other")
    heavier = replace(body, masses=np.ones(4), node_inertias=np.stack([np.eye(3)] * 4))
    model.add(heavier.to_modal(modes=2), ls.Revolute("y"), name="boom")
    system = model.compile()
    state = system.state(**{"boom.modes": [0.1, 0.2]})
    with pytest.raises(ls.StateError, match=r"'boom' is deformed by shapes.*to_modal\(\)"):
        ls.nodal_forward_dynamics(system, state, {"boom": body})
