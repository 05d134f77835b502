"""The operator algebra: every operator passes the adjoint test, every identity of paper A holds."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse.linalg

import lissom as ls
from lissom.algorithms.tree.reference import articulate_tip_to_base, kinematics_base_to_tip
from lissom.papers.jain_rodriguez import articulate_in_parts
from lissom.spatial import spatial_inertia
from tests.oracle.random_mechanism import draw
from tests.samples.mechanisms import branched
from tests.samples.random_trees import build
from tests.tools.measures import seeded_state

SEEDS = range(30)
NAMES = (
    "E_Phi Phi H M_m R P D G K tau_bar E_Psi Psi I I_body innovations innovations_inverse mass "
    "mass_inverse D_inverse"
).split()


def tree_at(seed):
    """A random tree of the oracle's generator, in its state."""
    description = draw(seed)
    tree = build(description)
    return tree.system, tree.state(*description.state(tree.transforms))


@pytest.fixture(scope="module", params=SEEDS)
def case(request):
    system, state = tree_at(request.param)
    return system, state, ls.operators(system, state)


def assert_adjoint(operator, rng):
    """<A x, y> = <x, A^T y> for vectors and columns, and A.T.T = A."""
    x = rng.standard_normal((operator.shape[1], 3))
    y = rng.standard_normal((operator.shape[0], 3))
    Ax, Aty = operator @ x, operator.T @ y
    size = np.abs(y).T @ np.abs(Ax) + np.abs(Aty).T @ np.abs(x)
    rounding = 1e-14 * np.linalg.norm(x) * np.linalg.norm(y)  # of blocks that cancel to zero
    assert np.all(np.abs(y.T @ Ax - Aty.T @ x) <= 1e-12 * size + rounding)
    assert np.allclose(
        operator @ x[:, 0], Ax[:, 0], rtol=1e-12, atol=1e-12 * np.abs(Ax).max() + rounding
    )
    assert np.array_equal(operator.T.T @ x, Ax)
    assert np.allclose(
        y[:, 0] @ operator, Aty[:, 0], rtol=1e-12, atol=1e-12 * np.abs(Aty).max() + rounding
    )


def assert_same(a, b, scale=None):
    """Entries agree to 1e-11 of the sum of the absolute terms (or of the largest entry)."""
    a = a.as_matrix() if hasattr(a, "as_matrix") else a
    b = b.as_matrix() if hasattr(b, "as_matrix") else b
    size = np.abs(b).max(initial=0.0) if scale is None else scale
    assert a.shape == b.shape and np.all(np.abs(a - b) <= 1e-11 * size)


def conditioned(M):
    """Allowance for an inverse: 100 eps times the condition number."""
    return max(1.0, 100 * np.finfo(float).eps * np.linalg.cond(M) / 1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_every_operator_passes_the_adjoint_test(case, name):
    assert_adjoint(getattr(case[2], name), np.random.default_rng(0))


def test_factors_and_frames_pass_the_adjoint_test(case):
    system, _, op = case
    rng = np.random.default_rng(0)
    for operator in (
        op.mass.factor,
        op.mass_inverse.factor,
        op.jacobian(system.names[-1]),
        op.null_space(system.names[-1]),
        op.H @ op.Phi @ op.K,
        op.I_body - op.E_Phi,
    ):
        assert_adjoint(operator, rng)


def test_propagation_is_the_inverse_of_one_minus_step(case):
    _, _, op = case
    assert_same((op.I_body - op.E_Phi) @ op.Phi, op.I_body, 1.0)
    assert_same((op.I_body - op.E_Psi) @ op.Psi, op.I_body, 1.0)


def test_compiled_products_are_those_of_the_dense_blocks(case):
    """Also with several columns, transposed, and along the tree."""
    _, _, op = case
    rng = np.random.default_rng(10)
    for operator, swept in ((op.H, None), (op.G, None), (op.E_Phi, op.Phi), (op.E_Psi, op.Psi)):
        dense = np.zeros(operator.shape)
        for rows, block, columns in operator.places:
            dense[rows, columns] += block
        size = 1 + np.abs(dense).max()
        for k in (1, 3):
            x, y = (rng.standard_normal((n, k)) for n in dense.shape[::-1])
            assert_same(operator @ x, dense @ x, size)
            assert_same(operator.T @ y, dense.T @ y, size)
            if swept is not None:
                whole = np.linalg.inv(np.eye(len(dense)) - dense)
                assert_same(swept @ x, whole @ x, np.abs(whole).max())
                assert_same(swept.T @ x, whole.T @ x, np.abs(whole).max())


def test_products_at_a_complex_state_are_complex():
    """The blocks are then complex, and products run in NumPy: derivatives by a complex step."""
    system = branched()
    state = seeded_state(system)
    turned = system.state(state.q + 1e-30j * ls.qdot(system, state), state.v + 0j)
    x = np.random.default_rng(11).standard_normal(system.n_v)
    found, expected = ls.operators(system, turned).mass @ x, ls.mass_matrix(system, turned) @ x
    assert_same(found.real, expected.real)
    assert_same(found.imag, expected.imag)


def test_step_is_nilpotent(case):
    system, _, op = case
    power = op.E_Phi.as_matrix()
    for _ in range(system.n_body):
        power = op.E_Phi @ power
    assert not np.any(power)


def test_newton_euler_factorization_A43(case):
    """M = H Phi M_m Phi* H*."""
    system, state, op = case
    product = op.H @ op.Phi @ op.M_m @ op.Phi.T @ op.H.T
    assert_same(product, ls.mass_matrix(system, state))
    assert_same(op.mass, ls.mass_matrix(system, state))


def test_lemma_1_composite_decomposition_A48_A49(case):
    """Phi M_m Phi* = R + Phi~ R + R Phi~*."""
    system, state, op = case
    tilde = op.Phi - op.I_body
    assert_same(op.R + tilde @ op.R + op.R @ tilde.T, op.Phi @ op.M_m @ op.Phi.T)
    parts = op.H @ op.R @ op.H.T + op.H @ tilde @ op.R @ op.H.T + op.H @ op.R @ tilde.T @ op.H.T
    assert_same(parts, ls.mass_matrix(system, state))


def test_composite_recursion_A47(case):
    """M_m = R - E R E*."""
    _, _, op = case
    assert_same(op.R - op.E_Phi @ op.R @ op.E_Phi.T, op.M_m, np.abs(op.R.as_matrix()).max())


def test_articulated_definitions_A51_A52(case):
    _, _, op = case
    size = np.abs(op.P.as_matrix()).max()
    assert_same(op.H @ op.P @ op.H.T, op.D)
    assert_same(op.G @ op.D, op.P @ op.H.T, size)
    assert_same(op.I_body - op.G @ op.H, op.tau_bar, 1 + np.abs(op.G.as_matrix()).max())
    assert_same(op.E_Phi @ op.G, op.K, 1 + np.abs(op.K.as_matrix()).max())
    assert_same(op.E_Phi @ op.tau_bar, op.E_Psi, 1 + np.abs(op.E_Psi.as_matrix()).max())


def test_projection_A2(case):
    """tau_bar P tau_bar* = tau_bar P, and M_m = P - E_Psi P E_Psi* = P - E P E* + K D K*."""
    _, _, op = case
    size = np.abs(op.P.as_matrix()).max() * (1 + np.abs(op.G.as_matrix()).max()) ** 2
    assert_same(op.tau_bar @ op.P @ op.tau_bar.T, op.tau_bar @ op.P, size)
    assert_same(op.P - op.E_Psi @ op.P @ op.E_Psi.T, op.M_m, size)
    assert_same(op.P - op.E_Phi @ op.P @ op.E_Phi.T + op.K @ op.D @ op.K.T, op.M_m, size)


def test_lemma_2_innovations_factorization_A54(case):
    system, state, op = case
    assert_same(op.innovations @ op.D @ op.innovations.T, ls.mass_matrix(system, state))


def test_lemma_3_inverse_of_the_factor_A55(case):
    _, _, op = case
    size = 1 + np.abs(op.innovations.as_matrix()).max() ** 2
    assert_same(op.innovations @ op.innovations_inverse, op.I, size)
    assert_same(op.innovations_inverse @ op.innovations, op.I, size)


def test_lemma_4_inverse_of_the_mass_matrix_A56(case):
    system, state, op = case
    M = ls.mass_matrix(system, state)
    inverse = np.linalg.inv(M)
    product = op.innovations_inverse.T @ op.D_inverse @ op.innovations_inverse
    assert_same(product, inverse, conditioned(M) * np.abs(inverse).max())
    assert_same(op.mass_inverse, inverse, conditioned(M) * np.abs(inverse).max())
    x = np.random.default_rng(1).standard_normal((system.n_v, 2))
    assert_same(op.mass.solve(x), inverse @ x, conditioned(M) * np.abs(inverse).max())


def test_lemma_5_accelerations_A57(case):
    system, state, op = case
    T = np.random.default_rng(2).standard_normal(system.n_v)
    bias = op.P @ op.a_m + op.b_m + op.elastic
    innovations = T - op.H @ (op.Psi @ (op.K @ T + bias))
    vdot = op.innovations_inverse.T @ (op.D_inverse @ innovations) - op.K.T @ (op.Psi.T @ op.a_m)
    expected = ls.forward_dynamics(system, state, T)
    assert_same(vdot, expected, conditioned(ls.mass_matrix(system, state)) * np.abs(expected).max())


@pytest.mark.parametrize("method", ["innovations", "separate", "ruthless"])
def test_papers_own_forms_A58_A64_B3(case, method):
    """Accelerations with external forces, in all forms of paper A."""
    system, state, _ = case
    rng = np.random.default_rng(9)
    T = rng.standard_normal(system.n_v)
    external = {name: rng.standard_normal(6) for name in system.names[::2]}
    expected = ls.forward_dynamics(system, state, T, external=external)
    vdot = ls.forward_dynamics(system, state, T, external=external, method=method)
    assert_same(vdot, expected, conditioned(ls.mass_matrix(system, state)) * np.abs(expected).max())


@pytest.mark.parametrize("ruthless", [False, True])
def test_articulated_quantities_of_all_forms_are_equal_A51_A63_B3(case, ruthless):
    """P_R, D_R, G_R, P_R+ of (A 63) are those of the normalised form; det D of (A 51) is theirs."""
    system, state, op = case
    motions = kinematics_base_to_tip(system, state.q, state.v)
    parts = articulate_in_parts(system, motions, ruthless=ruthless)
    loss = conditioned(ls.mass_matrix(system, state))
    blocks = articulate_tip_to_base(system, motions)
    for i, (part, block) in enumerate(zip(parts, blocks, strict=True)):
        size = loss * np.abs(block.inertia).max()
        for name in ("inertia", "hinge_inertia", "inertia_inboard"):
            assert_same(getattr(part, name), getattr(block, name), size)
        gain = 1 + np.abs(block.hinge_gain).max(initial=0.0)
        assert_same(part.hinge_gain, block.hinge_gain, loss * gain)
        D_f, D_R = part.modal_inertia_inverse, part.hinge_inertia
        separate = np.linalg.slogdet(D_R)[1] - np.linalg.slogdet(D_f)[1]
        assert np.isclose(separate, np.linalg.slogdet(op.D.blocks[i])[1], rtol=1e-9, atol=1e-8)


def test_step_in_two_factors_and_hinge_map_in_two_parts_A14_A60(case):
    system, _, op = case
    assert_same(op.A @ op.B, op.E_Phi, 1 + np.abs(op.E_Phi.as_matrix()).max())
    pieces = [system.layout.modal_v(i) for i in range(system.n_body)]
    modes = np.concatenate([np.arange(x.start, x.stop) for x in pieces])
    assert_same(op.H_f, op.H.as_matrix()[modes], 1.0)
    assert_same(op.H_r, np.delete(op.H.as_matrix(), modes, axis=0), 1.0)


def test_modes_are_crossed_before_the_hinge_A62_A63(case):
    """As the paper has it; part of it is computed in the normalised form."""
    system, state, op = case
    loss = conditioned(ls.mass_matrix(system, state))
    size = loss * np.abs(op.P.as_matrix()).max()
    assert_same(op.P_plus, op.tau_bar @ op.P, size)
    assert_same(op.Gamma, op.B @ op.P_plus @ op.B.T, size)
    assert_same(op.A @ op.Gamma @ op.A.T + op.M_m, op.P, size)
    assert_same(op.D_f, op.H_f @ op.P @ op.H_f.T, size)
    assert_same(op.G_f @ op.D_f, op.P @ op.H_f.T, size)
    assert_same(
        op.tau_bar_f, op.I_body - op.G_f @ op.H_f, 1 + np.abs(op.G_f.as_matrix()).max(initial=0.0)
    )
    gain = (
        loss
        * (1 + np.abs(op.G_f.as_matrix()).max(initial=0.0))
        * (1 + np.abs(op.G_r.as_matrix()).max(initial=0.0))
    )
    assert_same(op.P_r, op.tau_bar_f @ op.P, size)
    assert_same(op.D_R, op.H_r @ op.P_r @ op.H_r.T, size)
    assert_same(op.G_r @ op.D_R, op.P_r @ op.H_r.T, size)
    assert_same(op.tau_bar_r, op.I_body - op.G_r @ op.H_r, gain)
    assert_same(op.tau_bar_r @ op.P_r, op.P_plus, size * gain)
    assert_same(op.tau_bar_r @ op.tau_bar_f, op.tau_bar, gain)
    for i, P in enumerate(op.P.blocks):
        P_R = P[-6:, -6:] - op.g.blocks[i] @ op.mu.blocks[i].T
        assert_same(op.P_R.blocks[i], P_R, size)
        assert_same(op.g.blocks[i] @ op.D_f.blocks[i], op.mu.blocks[i], size)
        assert_same(op.P_R_plus.blocks[i], op.tau_bar_R.blocks[i] @ op.P_R.blocks[i], size * gain)
        assert_same(op.P_R_plus.blocks[i], op.P_plus.blocks[i][-6:, -6:], size)
    assert_same(op.H_F @ op.P_R @ op.H_F.T, op.D_R, size)
    assert_same(op.G_R @ op.D_R, op.P_R @ op.H_F.T, size)


def test_inverse_of_the_modal_inertia_B3_B4(case):
    _, _, op = case
    own = op.H_f @ op.M_m @ op.H_f.T
    assert_same(op.Lambda @ own, np.eye(own.shape[0]), 1.0)
    assert_same(op.zeta, op.H_f @ op.A, 1 + np.abs(op.zeta.as_matrix()).max(initial=0.0))
    for i, D_f in enumerate(op.D_f.blocks):
        Gamma, Omega, U = op.Gamma.blocks[i], op.Omega.blocks[i], op.Upsilon.blocks[i]
        inner = np.linalg.solve(np.eye(len(Gamma)) + Gamma @ Omega, Gamma)
        inverse = op.Lambda.blocks[i] - U @ inner @ U.T
        if len(D_f):
            assert_same(inverse @ D_f, np.eye(len(D_f)), np.linalg.cond(D_f))
        assert_same(Omega, op.zeta.blocks[i].T @ U, 1 + np.abs(Omega).max(initial=0.0))


def test_velocities_accelerations_and_forces_by_name_A20_A26_A40(case):
    system, state, op = case
    vdot = np.random.default_rng(3).standard_normal(system.n_v)
    assert_same(op.Phi.T @ (op.H.T @ state.v), op.V_m, 1 + np.abs(op.V_m).max())
    f_m = op.by_body(op.f_m(vdot))
    T, f = ls.inverse_dynamics(system, state, vdot), ls.joint_forces(system, state, vdot)
    alpha = op.by_body(op.alpha_m(vdot))
    for i, name in enumerate(system.names):
        modes = system.layout.modal_v(i)
        size = 1 + max(np.abs(f).max(), np.abs(T).max())
        assert_same(f_m[i], np.concatenate([T[modes], f[i]]), size)
        fall = np.concatenate([np.zeros(3), system.gravity])
        R = ls.pose(system, state, name).rotation
        found = ls.acceleration(system, state, name, vdot) - fall
        size = 1 + np.abs(found).max()
        assert_same(np.kron(np.eye(2), R) @ alpha[i][-6:], found, size)
    eta = np.concatenate([x for n in system.names for x in (state[f"{n}.modes"], np.zeros(6))])
    elastic = op.K_m @ eta + op.C_m @ op.V_m
    assert_same(elastic, op.elastic, np.abs(op.elastic).max(initial=0.0) + 1)


def test_nodal_terms_A21_A27_A37():
    """Velocities and accelerations of nodes; b_m is their force on the modes, from masses given."""
    boom = ls.beam(1.0, ls.Circle(0.02), ls.STEEL, modes=3, elements=4, shapes="clamped")
    n, rng = len(boom.masses), np.random.default_rng(12)
    inertias, offsets = np.zeros((n, 3, 3)), np.zeros((n, 3))
    masses, tip = boom.masses.copy(), boom.names["tip"]
    masses[tip], offsets[tip], inertias[tip] = 2.0, (0.1, 0, 0.02), np.diag([0.05, 0.06, 0.07])
    heavy = dataclasses.replace(boom, masses=masses, node_inertias=inertias, node_offsets=offsets)
    model = ls.Model("nodes", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Free(), name="hub")
    model.add(heavy, ls.Spherical(), to="hub", name="boom")
    system = model.compile()
    state = system.state(**{"boom.modes": [0.05, -0.02, 0.01]}, v=rng.standard_normal(system.n_v))
    op, vdot = ls.operators(system, state), rng.standard_normal(system.n_v)
    terms, alpha = op.nodal_terms("boom"), op.by_body(op.alpha_m(vdot))[1]
    R = ls.pose(system, state, "boom").rotation
    alpha_s = terms.alpha_s(alpha).reshape(n, 6)
    M_s = []
    for s in range(n):
        V = np.kron(np.eye(2), R.T) @ ls.velocity(system, state, f"boom.{s}")
        assert np.allclose(terms.V_s[6 * s : 6 * s + 6], V, rtol=0, atol=1e-11)
        found = R @ alpha_s[s, 3:] + system.gravity
        expected = ls.acceleration(system, state, f"boom.{s}", vdot)[3:]
        assert np.allclose(found, expected, rtol=0, atol=1e-10)
        E = R.T @ ls.pose(system, state, f"boom.{s}").rotation
        M_s.append(spatial_inertia(masses[s], masses[s] * (E @ offsets[s]), E @ inertias[s] @ E.T))
    force = terms.b + np.concatenate(
        [M @ a for M, a in zip(M_s, terms.a.reshape(n, 6), strict=True)]
    )
    b_m = np.concatenate([terms.Pi.T, terms.B]) @ force
    assert np.allclose(b_m, op.by_body(op.b_m)[1], rtol=0, atol=1e-10 * np.abs(b_m).max())
    with pytest.raises(ls.StateError, match="'hub'.*is rigid"):
        op.nodal_terms("hub")


def test_operator_forms_of_velocity_acceleration_force_A42(case):
    system, state, op = case
    vdot = np.random.default_rng(3).standard_normal(system.n_v)
    V = op.Phi.T @ (op.H.T @ state.v)
    alpha = op.Phi.T @ (op.H.T @ vdot + op.a_m)
    f = op.Phi @ (op.M_m @ alpha + op.b_m + op.elastic)
    last = system.names[-1]
    assert_same(V[-6:], ls.velocity(system, state, last, axes="body"), 1 + np.abs(V).max())
    expected = ls.inverse_dynamics(system, state, vdot)
    assert_same(op.H @ f, expected, np.abs(expected).max())


def test_identities_A4_A6_A8_A10(case):
    _, _, op = case
    size = (1 + np.abs(op.Phi.as_matrix()).max()) * (1 + np.abs(op.Psi.as_matrix()).max())
    size = size * (1 + np.abs(op.K.as_matrix()).max()) * len(op.Phi.as_matrix())
    assert_same(op.I_body - op.E_Phi + op.K @ op.H, op.I_body - op.E_Psi, size)  # A4
    assert_same(op.innovations_inverse @ op.H @ op.Phi, op.H @ op.Psi, size)  # A6
    tilde = op.Phi - op.I_body
    left, right = op.Psi @ op.M_m @ op.Phi.T, op.Psi @ op.P + op.P @ tilde.T
    assert_same(left, right, size * np.abs(op.P.as_matrix()).max())  # A8
    both = op.innovations_inverse.T @ op.K.T @ op.Phi.T
    assert_same(both, op.K.T @ op.Psi.T, size)  # A10


def test_determinant(case):
    system, state, op = case
    M = ls.mass_matrix(system, state)
    assert np.isclose(op.mass.logdet, np.linalg.slogdet(M)[1], rtol=1e-10, atol=1e-9)


def test_square_roots(case):
    system, state, op = case
    M = ls.mass_matrix(system, state)
    L, F = op.mass.factor, op.mass_inverse.factor
    assert_same(L @ L.T, M)
    size = conditioned(M) * np.abs(np.linalg.inv(M)).max()
    assert_same(F @ F.T, np.linalg.inv(M), size)
    x = np.random.default_rng(4).standard_normal(system.n_v)
    back = L.solve(L @ x)
    assert np.allclose(back, x, rtol=0, atol=1e-11 * conditioned(M) * np.abs(x).max())
    back = L.T.solve(L.T @ x)
    assert np.allclose(back, x, rtol=0, atol=1e-11 * conditioned(M) * np.abs(x).max())
    assert np.allclose(F.T.solve(F.T @ x), x, atol=1e-11 * conditioned(M) * np.abs(x).max())


def test_frames_by_recursion(case):
    """J and J M^-1 J^T of several frames, body frames and nodes, in both axes."""
    system, state, op = case
    M = ls.mass_matrix(system, state)
    where = [system.names[-1], system.names[0]]
    bodies = zip(system.names, system.bodies, strict=True)
    where += [f"{name}.{len(body.node_positions) - 1}" for name, body in bodies if body.n_mode]
    for axes in ("world", "body"):
        J = np.concatenate([ls.jacobian(system, state, w, axes=axes) for w in where])
        assert_same(op.jacobian(where, axes=axes), J)
        expected = J @ np.linalg.solve(M, J.T)
        size = conditioned(M) * np.abs(expected).max()
        assert_same(op.compliance(where, axes=axes), expected, size)


def test_null_space_projection(case):
    system, state, op = case
    where = system.names[-1]
    M, J = ls.mass_matrix(system, state), ls.jacobian(system, state, where)
    N = op.null_space(where).as_matrix()
    size = conditioned(M) * (1 + np.abs(N).max()) ** 2 * 1e2
    assert_same(J @ N, np.zeros_like(J), size * np.abs(J).max())
    assert_same(N @ N, N, size)
    force = N.T @ np.random.default_rng(5).standard_normal(system.n_v)
    still = J @ np.linalg.solve(M, force)
    assert_same(still, np.zeros(6), size * np.abs(np.linalg.inv(M)).max() * np.abs(J).max())


def test_operational_inertia_of_a_free_body_is_its_own():
    model = ls.Model()
    body = ls.RigidBody(3.0, com=(0.1, 0.2, 0.3), inertia=(1, 2, 2.5))
    model.add(body, ls.Free(), name="body")
    system = model.compile()
    op = ls.operators(system, system.neutral())
    assert np.allclose(op.operational_inertia("body"), op.M_m.as_matrix(), rtol=1e-12, atol=1e-12)


def test_velocities_at_a_temperature_have_that_covariance():
    """Sampling is one line; the sample covariance of v is kT M^-1."""
    system = branched()
    state = seeded_state(system)
    op = ls.operators(system, state)
    kT, n = 2.5, 40_000
    v = np.sqrt(kT) * op.mass_inverse.factor @ np.random.default_rng(6).standard_normal((26, n))
    energy = (v * (op.mass @ v)).sum(axis=0) / 2
    assert np.isclose(energy.mean(), kT * system.n_v / 2, rtol=0.01)
    covariance, expected = v @ v.T / n, kT * np.linalg.inv(ls.mass_matrix(system, state))
    sigma = np.sqrt(np.diag(expected))
    assert np.all(np.abs(covariance - expected) < 0.05 * np.outer(sigma, sigma))


def test_scipy_takes_the_operators():
    system = branched()
    op = ls.operators(system, seeded_state(system))
    b = np.random.default_rng(7).standard_normal(system.n_v)
    x, status = scipy.sparse.linalg.cg(op.mass, b, rtol=1e-12, M=op.mass_inverse)
    assert status == 0 and np.allclose(op.mass @ x, b, atol=1e-9)
    linear = scipy.sparse.linalg.aslinearoperator(op.Phi)
    y = np.random.default_rng(8).standard_normal(linear.shape[1])
    assert np.array_equal(linear @ y, op.Phi @ y)
    assert np.array_equal(linear.rmatvec(y), op.Phi.T @ y)


def test_operators_say_name_shape_and_cost():
    system = branched()
    op = ls.operators(system, seeded_state(system))
    assert repr(op.Phi) == "Phi: 46 x 46, O(N), one sweep"
    assert "O(N)" in op.mass.cost and op.mass.shape == (26, 26)
    assert (op.H @ op.Phi @ op.K).name == "H @ Phi @ K"


def test_bad_products_say_what_is_wrong():
    system = branched()
    op, other = (ls.operators(system, seeded_state(system, seed)) for seed in (0, 1))
    for make, words in (
        (lambda: op.Phi @ np.zeros(3), ["Phi", "(3,)", "46"]),
        (lambda: op.Phi @ "x", ["Phi", "numbers"]),
        (lambda: op.H @ op.H, ["H @ H", "26 x 46"]),
        (lambda: op.H @ other.Phi, ["H @ Phi", "different states"]),
        (lambda: op.Phi + other.Phi, ["Phi + Phi", "different states"]),
        (lambda: op.Phi - op.H, ["shapes"]),
        (lambda: op.Phi + 3, ["not an operator"]),
        (lambda: op.jacobian("hub", axes="hub"), ["axes", "'hub'"]),
        (lambda: op.jacobian("hubb"), ["'hubb'", "'hub'"]),
        (lambda: op.jacobian([]), ["no frames"]),
    ):
        with pytest.raises(ls.StateError) as error:
            make()
        for word in words:
            assert word in str(error.value)


def test_singular_hinge_inertia_names_the_body():
    model = ls.Model()
    model.add(ls.RigidBody(0.0), ls.Revolute("x"), name="outer")
    model.add(ls.RigidBody(0.0), ls.Revolute("y"), to="outer", name="inner")
    model.add(ls.RigidBody.sphere(1.0, 0.2), ls.Revolute("x"), to="inner", name="ball")
    system = model.compile()
    op = ls.operators(system, system.neutral())
    for name in ("P", "mass_inverse"):
        with pytest.raises(ls.SingularError, match=r"'outer'.*inertia"):
            getattr(op, name)
