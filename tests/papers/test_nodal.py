"""Nodal coordinates: recursions of Rodriguez, N91-22350, against dense algebra and modal form."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from lissom.bodies.nodal import NodalBody
from lissom.papers.nodal.dynamics import (
    filter_tip_to_base,
    nodal_forward_dynamics,
    nodal_gains_tip_to_base,
    smooth_base_to_tip,
)
from lissom.papers.nodal.operators import NodalOperators, composite_mass_matrix
from lissom.papers.nodal.tree import nodal_loads, nodal_tree
from tests.samples.nodal_bodies import KINDS, Bar, Tree, cantilever, random_body, random_tree
from tests.tools.measures import TOLERANCE, error, forward_tolerance, random_state

TREES = [(seed, (kind,)) for seed, kind in enumerate(KINDS)] + [(s, KINDS) for s in range(3, 9)]


@pytest.fixture(scope="module", params=TREES, ids=lambda p: f"{p[0]}-{'-'.join(p[1])}")
def case(request):
    """A random tree with forces on joints, nodes and rigid bodies; the sizes that come with it."""
    seed, kinds = request.param
    tree = random_tree(seed, kinds)
    rng = np.random.default_rng(seed)
    state = random_state(tree.geometry, rng, deformation=0.0, speed=0.0)
    return Case(tree, state, rng)


class Case:
    def __init__(self, tree: Tree, state: ls.State, rng) -> None:
        self.tree, self.state = tree, state
        system = tree.geometry
        self.forces = {n: rng.standard_normal(len(state[f"{n}.rates"])) for n in system.names}
        self.nodal_forces = {n: rng.standard_normal((b.n_node, 6)) for n, b in tree.nodal.items()}
        self.external = {n: rng.standard_normal(6) for n in system.names}
        self.links = nodal_tree(system, state, tree.nodal)
        self.operators = NodalOperators(self.links).dense()
        self.solution = nodal_forward_dynamics(
            system,
            state,
            tree.nodal,
            self.forces,
            external=self.external,
            nodal_forces=self.nodal_forces,
        )

    def stacked(self, part: str, quantity: str) -> np.ndarray:
        values = getattr(self.solution, part).values()
        return np.concatenate([getattr(v, quantity) for v in values])

    @property
    def loads(self) -> list[np.ndarray]:
        return nodal_loads(self.tree.geometry, self.links, self.external, self.nodal_forces)

    @property
    def accelerations(self) -> np.ndarray:
        """X_ddot in the paper's order: nodal freedoms, then joints."""
        nodal = self.stacked("accelerations", "freedoms")
        return np.concatenate([nodal, self.stacked("accelerations", "joint")])

    @property
    def generalized_forces(self) -> np.ndarray:
        """F of (D 8.5), with forces on nodes carried inward to the joints."""
        o, joints = self.operators, np.concatenate(list(self.forces.values()))
        inward = o.X @ (np.eye(len(o.m)) + o.C @ o.Phi @ o.B)
        own = np.concatenate([np.zeros(len(o.h)), joints])
        return inward @ np.concatenate(self.loads) + own


def test_recursion_solves_the_dense_equations_of_motion_8_5(case):
    M, F = case.operators.mass, case.generalized_forces
    residual = np.abs(M @ case.accelerations - F).max()
    assert residual <= 1e-12 * (np.abs(M) @ np.abs(case.accelerations) + np.abs(F)).max()
    assert error(case.accelerations, np.linalg.solve(M, F)) < forward_tolerance(M)


def test_nodal_recursion_equals_modal_form_with_all_modes(case):
    """Joints and nodes, lumped and consistent, under gravity and forces everywhere."""
    modal, nodal = case.tree.modal, case.tree.nodal
    state = modal.state(**{n: case.state[n] for n in modal.names})
    external = dict(case.external)
    for name, f in case.nodal_forces.items():
        f = f + np.eye(len(f))[:, [nodal[name].inboard]] * external.pop(name)
        external |= {f"{name}.{k}": wrench for k, wrench in enumerate(f)}
    vdot = ls.forward_dynamics(modal, state, case.forces, external=external)
    tolerance = forward_tolerance(case.operators.mass)
    joints = np.concatenate([vdot[modal.layout.hinge_v(n)] for n in modal.names])
    assert error(case.stacked("accelerations", "joint"), joints) < tolerance
    for name, body in nodal.items():
        expected = [
            ls.acceleration(modal, state, f"{name}.{k}", vdot, axes="body")
            for k in range(body.n_node)
        ]
        assert error(case.solution.accelerations[name].total, expected) < tolerance


def test_mass_matrix_5_1_is_that_of_the_modal_form(case):
    """Of each body x = transform to the modal freedoms; so M_modal = T* M T."""
    modal, nodal, M = case.tree.modal, case.tree.nodal, case.operators.mass
    state = modal.state(**{n: case.state[n] for n in modal.names})
    T = np.zeros((len(M), modal.n_v))
    row = 0
    for name in modal.names:  # nodal freedoms of all bodies, then all joints
        if name in nodal:
            Pi = modal.bodies[modal.layout.index(name)].node_shapes[: nodal[name].n_node]
            x = np.linalg.lstsq(nodal[name].freedoms, Pi.reshape(6 * len(Pi), -1), rcond=None)[0]
            T[row : row + len(x), modal.layout.modal_v(name)] = x
            row += len(x)
    for name in modal.names:
        hinge = modal.layout.hinge_v(name)
        n = hinge.stop - hinge.start
        T[row : row + n, hinge] = np.eye(n)
        row += n
    assert error(T.T @ M @ T, ls.mass_matrix(modal, state)) < TOLERANCE


def test_composite_forms_7_1_and_7_2_and_the_recursion_of_section_7(case):
    o = case.operators
    R = o.B @ o.r @ o.B.T
    assert error(o.r, o.m + o.C @ R @ o.C.T) < TOLERANCE
    eye = np.eye(len(o.m))
    inward = eye + o.C @ o.Phi @ o.B
    one_sided = o.C @ o.Phi @ o.B @ o.r
    assert error(inward @ o.m @ inward.T, o.r + one_sided + one_sided.T) < TOLERANCE
    assert error(o.mass_composite, o.mass) < TOLERANCE
    assert error(composite_mass_matrix(case.links), o.mass) < TOLERANCE


def test_rigidised_bodies_give_the_rigid_mass_matrix_6_1(case):
    """h = 0: M = H Phi (B m B*) Phi* H*, that of rigid bodies with the same mass."""
    o = case.operators
    n_joint = len(o.H)
    rigid = o.H @ o.Phi @ (o.B @ o.m @ o.B.T) @ o.Phi.T @ o.H.T
    assert error(o.mass[len(o.h) :, len(o.h) :], rigid) < TOLERANCE
    assert rigid.shape == (n_joint, n_joint)


def test_innovations_factorisation_8_1(case):
    o, M = case.operators, case.operators.mass
    factor = np.eye(len(M)) + o.causal
    assert error(factor @ o.diagonal @ factor.T, M) < TOLERANCE


def test_causal_factor_is_unit_triangular_from_tip_to_base(case):
    """Ordered tip to base, [nodal freedoms, joint] in each body, K is strictly lower triangular."""
    order = tip_to_base_order(case)
    K = case.operators.causal[np.ix_(order, order)]
    assert np.abs(np.triu(K)).max() <= 1e-12 * np.abs(K).max()
    sign, logdet = np.linalg.slogdet(case.operators.diagonal)
    assert np.allclose((sign, logdet), np.linalg.slogdet(case.operators.mass))


def tip_to_base_order(case) -> np.ndarray:
    links = case.links.links
    nodal = np.cumsum([0, *(link.freedoms.shape[1] for link in links)])
    joints = nodal[-1] + np.cumsum([0, *(link.motion_map.shape[1] for link in links)])
    pieces = []
    for k in reversed(range(len(links))):
        pieces += [np.arange(nodal[k], nodal[k + 1]), np.arange(joints[k], joints[k + 1])]
    return np.concatenate(pieces)


def test_riccati_equations_8_2(case):
    gains = list(case.solution.gains.values())
    for k, (link, own) in enumerate(zip(case.links.links, gains, strict=True)):
        p, P = own.nodal_inertia, own.articulated_inertia
        felt = sum(
            case.links.links[c].attachment
            @ gains[c].articulated_inertia_inboard
            @ case.links.links[c].attachment.T
            for c in case.links.children[k]
        )
        assert error(p, link.mass + felt) < TOLERANCE
        released = np.eye(len(p)) - own.nodal_gain @ link.freedoms.T  # (D 9.5) as printed
        assert error(own.nodal_inertia_released, released @ p) < TOLERANCE
        assert error(P, link.shift @ released @ p @ link.shift.T) < TOLERANCE
        crossed = np.eye(6) - own.hinge_gain @ link.motion_map.T  # (D 9.9) as printed
        deviation = own.articulated_inertia_inboard - crossed @ P
        assert np.abs(deviation).max() < TOLERANCE * np.abs(P).max()
        for inertia, freedoms in (
            (own.nodal_inertia_released, link.freedoms),
            (own.articulated_inertia_inboard, link.motion_map),
        ):
            assert np.abs(inertia @ freedoms).max(initial=0) < TOLERANCE * np.abs(p).max()


def test_inverse_of_the_causal_factor_8_3(case):
    o, eye = case.operators, np.eye(len(case.operators.mass))
    assert error((eye + o.causal) @ (eye - o.causal_inverse), eye) < TOLERANCE


def test_inverse_of_the_mass_matrix_8_4(case):
    o, eye = case.operators, np.eye(len(case.operators.mass))
    assert error(o.mass_inverse @ o.mass, eye) < forward_tolerance(o.mass)


def test_innovations_are_the_filtered_forces(case):
    """[e-, E-] = (I - L) F, and the residual accelerations are those over the inertias."""
    o = case.operators
    names = ("nodal_innovation_force", "innovation_force")
    innovations = np.concatenate([case.stacked("residuals", n) for n in names])
    filtered = case.generalized_forces - o.causal_inverse @ case.generalized_forces
    assert error(innovations, filtered) < TOLERANCE
    names = ("nodal_innovation_acceleration", "innovation_acceleration")
    accelerations = np.concatenate([case.stacked("residuals", n) for n in names])
    assert error(o.diagonal @ accelerations, innovations) < TOLERANCE
    smoothed = accelerations - o.causal_inverse.T @ accelerations
    assert error(case.accelerations, smoothed) < forward_tolerance(o.mass)


def boom(kind: str) -> tuple[ls.System, NodalBody]:
    """One body on a revolute joint at level linear, whose equations are linear in deformation."""
    body, _ = random_body(3, kind, n=4)
    model = ls.Model("boom")
    model.add(body.to_modal(level="linear"), ls.Revolute((1, 2, -1)), name="boom")
    return model.compile(), body


@pytest.mark.parametrize("kind", ["lumps", "points"])
def test_elastic_forces_move_the_nodes_as_the_modes_do(kind):
    """A body at level linear: -s u on the nodes, as given, against K eta inside the system."""
    system, body = boom(kind)
    rng = np.random.default_rng(0)
    eta = 0.01 * rng.standard_normal(body.n_freedom)
    shapes = system.bodies[0].node_shapes
    f = -(body.stiffness @ (shapes @ eta).ravel()).reshape(-1, 6)
    vdot = ls.forward_dynamics(system, system.state(**{"boom": 0.3, "boom.modes": eta}))
    solution = nodal_forward_dynamics(
        system, system.state(boom=0.3), {"boom": body}, nodal_forces={"boom": f}
    )
    found = solution.accelerations["boom"]
    tolerance = 1e-10  # the elastic forces balance each other: digits go with the sum
    assert error(found.relative, shapes @ vdot[system.layout.modal_v("boom")]) < tolerance
    assert error(found.joint, vdot[system.layout.hinge_v("boom")]) < tolerance


def test_forces_that_balance_may_enter_as_the_paper_has_it_9_12():
    """e- = f - h z- with z- free of f, for elastic forces f = -s u."""
    tree = random_tree(4, gravity=(0, 0, 0))
    system, nodal = tree.geometry, tree.nodal
    state = random_state(system, np.random.default_rng(1), deformation=0.0, speed=0.0)
    links = nodal_tree(system, state, nodal)
    rng = np.random.default_rng(2)
    elastic = {
        n: -(b.stiffness @ rng.standard_normal(6 * b.n_node)).reshape(-1, 6)
        for n, b in nodal.items()
    }
    loads = nodal_loads(system, links, None, elastic)
    gains = nodal_gains_tip_to_base(links)
    joints = [np.zeros(link.motion_map.shape[1]) for link in links.links]
    found = smooth_base_to_tip(links, gains, filter_tip_to_base(links, gains, joints, loads))
    o = NodalOperators(links, gains).dense()
    F = np.concatenate([o.h @ np.concatenate(loads), np.zeros(len(o.H))])  # the paper's [f, F]
    expected = np.linalg.solve(o.mass, F)
    accelerations = [a.freedoms for a in found] + [a.joint for a in found]
    assert error(np.concatenate(accelerations), expected) < 1e-10


@pytest.mark.parametrize("kind", KINDS)
def test_sum_of_9_24_needs_the_inboard_node_unless_mass_is_lumped(kind):
    """The printed sum to N_k - 1 drops the inboard node's rows of g: harmless for lumped mass."""
    tree = random_tree(5, (kind,))
    state = random_state(tree.geometry, np.random.default_rng(5), deformation=0.0, speed=0.0)
    solution = nodal_forward_dynamics(tree.geometry, state, tree.nodal)
    for name, body in tree.nodal.items():
        g, found = solution.gains[name].nodal_gain, solution.accelerations[name]
        e_plus = solution.residuals[name].nodal_innovation_acceleration
        j = np.repeat(np.arange(body.n_node) != body.inboard, 6)
        printed = e_plus - g[j].T @ found.rigid.ravel()[j]
        if kind == "consistent":
            assert error(printed, found.freedoms) > 1e-3
        else:
            assert error(printed, found.freedoms) < TOLERANCE


def test_a_body_without_modes_carries_others_on_its_nodes():
    body, _ = random_body(3, "lumps")
    stiff = ls.FlexibleBody(
        body.positions,
        body.masses,
        np.zeros((4, 6, 0)),
        np.zeros((0, 0)),
        node_inertias=body.node_inertias,
        inboard=1,
        names=body.names,
    )
    model = ls.Model("stiff and soft", gravity=(0, 0, -9.81))
    model.add(stiff, ls.Revolute("y"), name="stiff")
    model.add(body.to_modal(), ls.Universal("x", "z"), name="soft", to="stiff.tip")
    system = model.compile()
    state, forces = system.state(stiff=0.3, soft=[0.2, -0.4]), {"stiff": 1.0, "soft": [2.0, 3.0]}
    vdot = ls.forward_dynamics(system, state, forces)
    found = nodal_forward_dynamics(system, state, {"soft": body}, forces).accelerations
    for name in system.names:
        assert error(found[name].joint, vdot[system.layout.hinge_v(name)]) < TOLERANCE


def test_a_long_chain_is_solved_block_by_block():
    """40 links of 12 nodal freedoms: no block is larger than a link, and the equations hold."""
    body = cantilever(Bar(), 2, "lumps")
    model = ls.Model("chain")
    for i in range(40):
        place = {"to": f"link{i - 1}.tip"} if i else {}
        model.add(body.to_modal(modes=1), ls.Revolute("y"), name=f"link{i}", **place)
    system = model.compile()
    nodal = dict.fromkeys(system.names, body)
    solution = nodal_forward_dynamics(system, system.state(), nodal, {"link0": 1.0})
    assert all(own.nodal_inertia.shape == (18, 18) for own in solution.gains.values())
    o = NodalOperators(nodal_tree(system, system.state(), nodal)).dense()
    T = np.zeros(len(o.mass))
    T[len(o.h)] = 1.0
    parts = solution.accelerations.values()
    found = np.concatenate([*(a.freedoms for a in parts), *(a.joint for a in parts)])
    assert np.abs(o.mass @ found - T).max() < 1e-12 * np.abs(o.mass @ np.abs(found)).max()
