"""Mass of reduced structures: particles against quadrature points, and the motion they give."""

import dataclasses

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

import lissom as ls
from lissom.bodies.recovery import Recovery
from lissom.structures.finite.matrices import structure_of_matrices
from lissom.structures.finite.particles import (
    equivalent_particles,
    gram_of_matrices,
    gram_of_points,
)
from tests.oracle import Oracle, description as oracle
from tests.references.textbook_elements import bricks, frame_matrices, rigid, straight
from tests.samples.reductions import CORNERS, FRAME, HOUSE, coupling, faces

BLOCK = bricks((3, 2, 1), (1.0, 0.2, 0.1))


def with_shapes(structure, **options):
    """Body of a structure, and the shapes of its freedoms."""
    found = []

    def keep(x):
        found.append(x)
        return Recovery()

    body = dataclasses.replace(structure, recovery=keep).reduce(**options)
    return body, found[0]


def block_structure():
    nodes, K, M, _ = BLOCK
    return structure_of_matrices(M, K, nodes, faces(nodes, "rigid"))


def test_particles_have_the_integrals_they_are_made_for():
    rng = np.random.default_rng(3)
    masses, positions = rng.uniform(0.1, 1, 200), rng.standard_normal((200, 3))
    G = gram_of_points(masses, positions, rng.standard_normal((600, 5)))
    made = equivalent_particles(G)
    assert len(made[0]) == 4 + 3 * 5
    again = gram_of_points(made[0], made[1], made[2].reshape(-1, 5))
    assert again == pytest.approx(G, rel=1e-12, abs=1e-12 * np.abs(G).max())
    assert np.abs(made[1]).max() < 4 * np.abs(positions).max()  # none is far away


def test_three_freedoms_per_node_give_the_integrals_of_the_gauss_points():
    _, _, _, (masses, points, spread) = BLOCK
    structure = block_structure()
    moved = sp.kron(spread, sp.eye_array(3), format="csr")
    from_points = dataclasses.replace(structure, particles=(masses, points, moved))
    a, b = (x.reduce(modes=4).normalised().integrals for x in (structure, from_points))
    for field in dataclasses.fields(a):
        one, other = getattr(a, field.name), getattr(b, field.name)
        size = np.abs(other).max()
        assert one == pytest.approx(other, rel=1e-9, abs=1e-9 * size), field.name


def test_full_has_the_kinetic_energy_of_the_gauss_points():
    nodes, _, _, (masses, points, spread) = BLOCK
    body, x = with_shapes(block_structure(), modes=3)
    model = ls.Model("block")
    model.add(body, ls.Free(), name="block")
    system = model.compile()
    rng = np.random.default_rng(1)
    eta, rate = 0.02 * rng.standard_normal((2, body.n_mode))
    q, v = np.array(system.state().q), np.array(system.state().v)
    q[system.layout.modal_q("block")] = eta
    v[system.layout.modal_v("block")] = rate
    v[system.layout.hinge_v("block")] = rng.standard_normal(6)
    state = system.state(q=q, v=v)
    shapes = np.einsum("pn,nkm->pkm", spread.toarray(), x.reshape(len(nodes), 3, -1))
    root = np.array([0, 0.1, 0.05])
    place = points - root + shapes @ eta
    omega, speed = ls.velocity(system, state, "block")[:3], ls.velocity(system, state, "block")[3:]
    moving = speed + np.cross(omega, place) + shapes @ rate
    exact = 0.5 * masses @ np.sum(moving**2, axis=1)
    assert ls.energy(system, state).kinetic == pytest.approx(exact, rel=1e-10)


def test_six_freedoms_per_node_give_the_exact_sums_of_the_matrix():
    K, M = FRAME
    structure = structure_of_matrices(M, K, CORNERS, {"root": 0, "tip": 4})
    body, x = with_shapes(structure, modes=5)
    R = rigid(CORNERS, [(k, d) for k in range(5) for d in HOUSE], CORNERS[0])
    own = body.normalised("linear")
    exact = R.T @ M @ R
    second = own.integrals.second_moment
    inertia = np.trace(second) * np.eye(3) - second
    assert inertia == pytest.approx(exact[:3, :3], rel=1e-10, abs=1e-10 * np.abs(exact).max())
    assert own.mass == pytest.approx(exact[5, 5])
    P = R.T @ M @ x @ body.transform
    assert coupling(own) == pytest.approx(P, rel=1e-9, abs=1e-10 * np.abs(P).max())
    assert body.transform == pytest.approx(np.eye(body.n_mode), abs=1e-9)
    products = np.einsum("kkij->ij", body.normalised("full").integrals.modal_products)
    assert products == pytest.approx(np.eye(body.n_mode), abs=1e-9)
    assert body.source.facts.mass_from == "closure"


def test_the_closure_is_positive_and_exact_for_any_mass():
    """Particles that hang on nodes with rotations in random ways."""
    rng = np.random.default_rng(8)
    for n, excess in ((2, 1), (3, 1), (6, 1), (6, 5)):  # kernels below and above the matrix
        nodes = rng.standard_normal((n, 3)) * [1, 0.3, 0]
        M = np.zeros((6 * n, 6 * n))
        for _ in range(12):
            r, weights = rng.standard_normal(3), rng.dirichlet(np.ones(n))
            N = [
                w * np.hstack([np.eye(3), np.cross(r - x, np.eye(3))])
                for w, x in zip(weights, nodes, strict=True)
            ]
            M += rng.uniform(0.1, 2) * np.hstack(N).T @ np.hstack(N)
        R = rigid(nodes, [(k, d) for k in range(n) for d in HOUSE], np.zeros(3))
        V = rng.standard_normal((6 * n, 3))
        kernel = sum(M[k::6, k::6] for k in range(3)) / 3
        fields = np.hstack(
            [np.ones((n, 1)), nodes, V.reshape(n, 6, 3)[:, :3].swapaxes(1, 2).reshape(n, 9)]
        )
        G = gram_of_matrices(
            R.T @ M @ R, R.T @ M @ V, V.T @ M @ V, excess * fields.T @ kernel @ fields
        )
        size = np.sqrt(np.diag(G))
        assert la.eigvalsh(G / np.outer(size, size))[0] > -1e-10
        trace = np.einsum("ikjk->ij", G[4:, 4:].reshape(3, 3, 3, 3))
        assert trace == pytest.approx(V.T @ M @ V, rel=1e-9)
        g = G[1:4, 4:].reshape(3, 3, 3)  # position, shape, component
        turning = [g[1, :, 2] - g[2, :, 1], g[2, :, 0] - g[0, :, 2], g[0, :, 1] - g[1, :, 0]]
        found = np.vstack([turning, G[0, 4:].reshape(3, 3).T])
        exact = R.T @ M @ V
        assert found == pytest.approx(exact, rel=1e-8, abs=1e-9 * np.abs(exact).max())


def test_the_closure_is_positive_where_the_kernel_has_too_much_inertia():
    points = np.vstack([np.diag([3.0, 2, 1]), -np.diag([3.0, 2, 1])])
    stretch = (points * [1, 0.5, 2]).reshape(-1, 1)
    kernel = gram_of_points(np.ones(6), points, stretch)
    second = kernel[1:4, 1:4] / 4  # of the inertia that the matrix has
    mass = la.block_diag(np.trace(second) * np.eye(3) - second, 6 * np.eye(3))
    energy = np.array([[np.sum(stretch**2)]])
    G = gram_of_matrices(mass, np.zeros((6, 1)), energy, kernel)
    assert G[1:4, 1:4] == pytest.approx(second)
    assert la.eigvalsh(G)[0] > -1e-10
    assert np.abs(G[1:4, 4:]).max() > 1  # not for lack of coupling


def angle(n):
    """Nodes, matrices and points on the axis of an L of n elements on each leg."""
    legs = [[1.0 * k / n, 0, 0] for k in range(n + 1)] + [
        [1.0, 0.6 * (k + 1) / n, 0] for k in range(n)
    ]
    nodes = np.array(legs)
    pairs = [(k, k + 1) for k in range(2 * n)]
    K, M = frame_matrices(nodes, pairs, rhoJ=1e-9)
    return nodes, pairs, K, M


def on_axis(nodes, pairs, rhoA=1.5):
    """Gauss points of beam elements: masses, positions, and map from freedoms (3 k, N)."""
    t, w = np.polynomial.legendre.leggauss(4)
    s, w = (t + 1) / 2, w / 2
    masses, places, rows = [], [], []
    for a, b in pairs:
        e = nodes[b] - nodes[a]
        L = np.linalg.norm(e)
        e = e / L
        for x, weight in zip(s, w, strict=True):
            masses.append(weight * rhoA * L)
            places.append(nodes[a] + x * L * e)
            along, across = np.outer(e, e), np.eye(3) - np.outer(e, e)
            lever = np.cross(np.eye(3), e).T  # theta -> theta x e
            row = np.zeros((3, 6 * len(nodes)))
            row[:, 6 * a : 6 * a + 3] = (1 - x) * along + (1 - 3 * x**2 + 2 * x**3) * across
            row[:, 6 * b : 6 * b + 3] = x * along + (3 * x**2 - 2 * x**3) * across
            row[:, 6 * a + 3 : 6 * a + 6] = L * (x - 2 * x**2 + x**3) * lever
            row[:, 6 * b + 3 : 6 * b + 6] = L * (x**3 - x**2) * lever
            rows.append(row)
    return np.array(masses), np.array(places), np.vstack(rows)


def test_the_closure_for_six_freedoms_converges_with_the_square_of_the_elements():
    errors = []
    for n in (3, 6, 12):
        nodes, pairs, K, M = angle(n)
        masses, places, spread = on_axis(nodes, pairs)
        structure = structure_of_matrices(M, K, nodes, {"root": 0})
        body, x = with_shapes(structure, modes=4, method="cantilever")
        shapes = (spread @ x).reshape(len(masses), 3, -1)
        own = body.normalised().integrals
        g = np.einsum("p,pk,plm->klm", masses, places, shapes)
        N = np.einsum("p,pki,plj->klij", masses, shapes, shapes)
        errors.append(
            [np.abs(own.modal_second_moment - g).max(), np.abs(own.modal_products - N).max()]
        )
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(rates > 1.8), (errors, rates)
    assert max(errors[-1]) < 2e-3


def boom_frequencies(bodies):
    """Angular frequencies of bodies in a row, each fixed to the tip of the one before."""
    model, at = ls.Model("boom"), None
    for k, body in enumerate(bodies):
        model.add(body, ls.Fixed(), to=at, name=f"part {k}")
        at = f"part {k}.tip"
    system = model.compile()
    stiffness = np.concatenate([x.stiffness for x in system.bodies])
    mass = ls.mass_matrix(system, system.state())
    return np.sqrt(la.eigh(np.diag(stiffness), mass, eigvals_only=True)[:6])


@pytest.mark.parametrize("method", ["craig-bampton", "cantilever", "free-free"])
def test_a_boom_is_the_same_whole_and_in_two_parts_as_modes_are_added(method):
    nodes, K, M = straight(8)
    exact = np.sqrt(la.eigh(K[6:, 6:], M[6:, 6:], eigvals_only=True)[:6])
    half = straight(4, length=1.0)
    errors = []
    for modes in (4, 8, 16):
        options = {"method": method, "modes": modes, "attachment": True}
        whole = ls.from_matrices(M, K, nodes, {"root": 0, "tip": 8}, **options)
        part = ls.from_matrices(half[2], half[1], half[0], {"root": 0, "tip": 4}, **options)
        both = [boom_frequencies(x) for x in ([whole], [part, part])]
        errors.append([np.abs(x / exact - 1).max() for x in both])
    assert np.all(np.array(errors)[1:] < np.maximum(0.6 * np.array(errors)[:-1], 1e-9)), errors
    assert max(errors[-1]) < 3e-4


def swing(method, modes):
    """Tip after a quarter of a second of a boom that falls from rest, and its energies."""
    nodes, K, M = straight(6, EIy=3000.0, EIz=5000.0, GJ=2000.0, EA=7e5)
    body = ls.from_matrices(
        M,
        K,
        nodes,
        {"root": 0, "tip": 6},
        method=method,
        modes=modes,
        attachment=True,
        damping=0,
    )
    model = ls.Model("boom", gravity=(0, 0, -9.81))
    model.add(body, ls.Revolute("y"), name="boom")
    system = model.compile()
    run = ls.simulate(
        system,
        system.state(boom=0.2),
        duration=0.25,
        integrator="generalized_alpha",
        step=5e-4,
        progress=False,
    )
    energy = [ls.energy(system, run.state(t)).total for t in (0.0, 0.1, 0.25)]
    return ls.pose(system, run.state(0.25), "boom.tip").position, np.array(energy)


def test_the_three_methods_give_one_motion_and_keep_energy():
    tips = []
    for method in ("craig-bampton", "cantilever", "free-free"):
        tip, energy = swing(method, 5)
        assert np.ptp(energy) < 1e-4 * 3 * 9.81  # of m g for 1 m
        tips.append(tip)
    start = 2.0 * np.array([np.cos(0.2), 0, -np.sin(0.2)])
    fallen = np.linalg.norm(tips[0] - start)
    assert fallen > 0.3
    for tip in tips[1:]:
        assert np.linalg.norm(tip - tips[0]) < 1e-4 * fallen


def accelerations(body, points, masses, shapes, eta, rates):
    """Of a body that swings under gravity: lissom's, and the oracle's for given particles."""
    model = ls.Model("swing", gravity=(0.3, 0, -9.81))
    model.add(body, ls.Spherical(), name="body")
    system = model.compile()
    m = body.n_mode
    state = system.state()
    q, v = np.array(state.q), np.array(state.v)
    q[system.layout.modal_q("body")], v[system.layout.modal_v("body")] = eta[:m], rates[:m]
    v[system.layout.hinge_v("body")] = (0.7, -1.1, 0.4)
    state = system.state(q=q, v=v)
    own = np.zeros((len(points), 6, m))
    own[:, 3:] = shapes
    flat = oracle.Body(
        "body",
        {k: oracle.particle(x) for k, x in enumerate(masses)},
        points,
        own,
        np.diag(body.normalised().stiffness),
        np.zeros((m, m)),
    )
    joint = oracle.Joint("spherical")
    swing = oracle.Mechanism((oracle.Link(flat, joint),), np.array([0.3, 0, -9.81]))
    exact = Oracle(swing).at(q, v).forward_dynamics(np.zeros(system.n_v))
    return ls.forward_dynamics(system, state), exact


def test_solids_move_as_the_particles_of_the_oracle():
    nodes, _, _, (masses, points, spread) = BLOCK
    body, x = with_shapes(block_structure(), modes=2, damping=0)
    shapes = np.einsum("pn,nkm->pkm", spread.toarray(), x.reshape(len(nodes), 3, -1))
    rng = np.random.default_rng(4)
    moved = 1e-3 * rng.standard_normal((2, body.n_mode)) / body.frequencies[:1]
    found, exact = accelerations(
        body, points - [0, 0.1, 0.05], masses, shapes @ body.transform, *moved
    )
    assert found == pytest.approx(exact, rel=1e-8, abs=1e-8 * np.abs(exact).max())


def test_beams_move_as_the_particles_of_the_oracle_as_elements_are_refined():
    errors = []
    for n in (3, 6, 12):
        nodes, pairs, K, M = angle(n)
        body, x = with_shapes(
            structure_of_matrices(M, K, nodes, {"root": 0}), modes=3, method="cantilever", damping=0
        )
        masses, places, spread = on_axis(nodes, pairs)
        shapes = (spread @ x @ body.transform).reshape(len(masses), 3, -1)
        eta, rates = np.array([[0.05, -0.03, 0.02], [0.4, 0.3, -0.2]])
        found, exact = accelerations(body, places, masses, shapes, eta, rates)
        errors.append(np.abs(found - exact).max())
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(rates > 1.7), (errors, rates)
