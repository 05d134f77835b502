"""Reduction of finite-element structures, against dense solutions of the whole matrices."""

import dataclasses
import pickle
import threading

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

import lissom as ls
from lissom.bodies.recovery import Recovery, StressPoints
from lissom.structures.finite import progress
from lissom.structures.finite.geometry import Geometry
from lissom.structures.finite.matrices import structure_of_matrices
from lissom.structures.finite.static_solutions import Held, dissection
from lissom.structures.finite.structure import Profile
from tests.references.textbook_elements import bricks, rigid, straight
from tests.samples.reductions import BLOCK, CORNERS, FRAME, HOUSE, coupling, faces, frame_body


def block_body(tie, block=BLOCK, **options):
    nodes, K, M, _ = block
    return ls.from_matrices(M, K, nodes, faces(nodes, tie), **options)


def hertz(K, M):
    return np.sqrt(np.abs(la.eigh(K, M, eigvals_only=True))) / (2 * np.pi)


def held_frequencies(body, *names):
    """Frequencies of the body with further nodes held, from its own shapes and stiffness."""
    rows = np.vstack([body.normalised().node_shapes[body.names[x]] for x in names])
    Z = la.null_space(rows / np.linalg.norm(rows, axis=1, keepdims=True).clip(1e-300))
    return hertz(Z.T @ np.diag(body.normalised().stiffness) @ Z, Z.T @ Z)


def tip_flexibility(body, name="tip"):
    own = body.normalised("linear")
    shapes = own.node_shapes[body.names[name]]
    return shapes @ np.diag(1 / own.stiffness) @ shapes.T


def rigid_tie(nodes, group, about, others):
    """Matrix from (w of the group, freedoms of others) to all translations of a solid."""
    n = len(nodes)
    T = np.zeros((3 * n, 6 + 3 * len(others)))
    for node in group:
        T[3 * node : 3 * node + 3, :6] = rigid(nodes, [(node, d) for d in (3, 4, 5)], about)
    for k, node in enumerate(others):
        T[3 * node : 3 * node + 3, 6 + 3 * k : 9 + 3 * k] = np.eye(3)
    return T


@pytest.fixture(scope="module")
def tied():
    """Dense matrices of the block, its faces tied rigidly: w of root, w of tip, other freedoms."""
    nodes, K, M, _ = BLOCK
    root, tip = (np.flatnonzero(nodes[:, 0] == x) for x in (0.0, 1.0))
    inner = np.setdiff1d(np.arange(len(nodes)), np.r_[root, tip])
    a = rigid_tie(nodes, root, np.array([0, 0.1, 0.05]), inner)
    b = rigid_tie(nodes, tip, np.array([1, 0.1, 0.05]), inner)
    T = np.hstack([a[:, :6], b[:, :6], a[:, 6:]])
    return T.T @ (K @ T), T.T @ (M @ T)


def test_craig_bampton_keeps_the_fixed_interface_frequencies(tied):
    K, M = tied
    body = block_body("rigid", modes=6)
    exact = hertz(K[12:, 12:], M[12:, 12:])[:6]
    assert held_frequencies(body, "tip")[:6] == pytest.approx(exact, rel=1e-9)


def test_cantilever_frequencies_are_those_of_the_matrices(tied):
    K, M = tied
    body = block_body("rigid", method="cantilever", modes=7)
    assert body.frequencies == pytest.approx(hertz(K[6:, 6:], M[6:, 6:])[:7], rel=1e-9)


def test_lanczos_and_dense_modes_agree():
    block = bricks((10, 4, 3), (1.0, 0.2, 0.1))
    nodes, K, M, _ = block
    free = np.repeat(nodes[:, 0] > 0, 3)
    exact = hertz(K.toarray()[np.ix_(free, free)], M.toarray()[np.ix_(free, free)])[:9]
    body = block_body("rigid", block, method="cantilever", modes=9)
    one = ls.from_matrices(
        M, K, nodes, {"root": np.flatnonzero(nodes[:, 0] == 0)}, modes=9, method="cantilever"
    )
    assert K.shape[0] > 600  # Lanczos and nested dissection are at work
    assert one.frequencies == pytest.approx(exact, rel=1e-9)
    assert np.all(body.frequencies > exact * (1 - 1e-9))  # the rigid tip is stiffer

    # the same, chosen in other ways: both search in growing numbers
    by_frequency = ls.from_matrices(
        M, K, nodes, {"root": np.flatnonzero(nodes[:, 0] == 0)}, frequency=exact[8] * 1.0001
    )
    assert by_frequency.n_mode == 9
    R = rigid(nodes, [(k, d) for k in range(len(nodes)) for d in (3, 4, 5)], np.zeros(3))
    taken = ls.from_matrices(
        M, K, nodes, {"root": np.flatnonzero(nodes[:, 0] == 0)}, effective_mass=0.8
    )
    parts = taken.report().effective_masses * taken.mass
    movable = np.diag(R[free].T @ (M[free][:, free] @ R[free]))[3:]
    movable = movable + 2 * np.diag(R[free].T @ (M[free][:, ~free] @ R[~free]))[3:]
    assert np.all(parts.sum(axis=0) >= 0.8 * movable)
    assert not np.all(parts[:-1].sum(axis=0) >= 0.8 * movable)


@pytest.mark.parametrize("options", [{}, {"method": "cantilever", "attachment": True}])
def test_static_deflection_under_interface_loads_is_exact(tied, options):
    exact = la.inv(tied[0][6:, 6:])[:6, :6]
    for modes in (0, 3):
        found = tip_flexibility(block_body("rigid", modes=modes, **options))
        assert found == pytest.approx(exact, rel=1e-8, abs=1e-9 * np.abs(exact).max())


def test_free_free_shapes_with_attachment_are_exact_for_interface_loads(tied):
    exact = la.inv(tied[0][6:, 6:])[:6, :6]
    body = block_body("rigid", method="free-free", modes=4, attachment=True)
    assert tip_flexibility(body) == pytest.approx(exact, rel=1e-7, abs=1e-8 * np.abs(exact).max())
    bare = tip_flexibility(block_body("rigid", method="free-free", modes=4))
    assert not np.allclose(bare, exact, rtol=1e-3)


def test_average_ties_solve_the_saddle_point_problem():
    nodes, K, M, _ = BLOCK
    N = K.shape[0]
    A = np.zeros((12, N))
    for k, interface in enumerate(faces(nodes, "average").values()):
        rows = [(int(n), d) for n in interface.nodes for d in (3, 4, 5)]
        R = rigid(nodes, rows, interface.position)
        A[6 * k : 6 * k + 6, [3 * n + d - 3 for n, d in rows]] = la.lstsq(R, np.eye(len(R)))[0]
    saddle = np.block([[K.toarray(), A[:6].T], [A[:6], np.zeros((6, 6))]])
    loads = np.vstack([A[6:].T, np.zeros((6, 6))])
    exact = A[6:] @ la.solve(saddle, loads)[:N]
    body = block_body("average", modes=5)
    assert tip_flexibility(body) == pytest.approx(exact, rel=1e-7, abs=1e-8 * np.abs(exact).max())
    Z = la.null_space(A)
    fixed = hertz(Z.T @ (K @ Z), Z.T @ (M @ Z))[:5]
    assert held_frequencies(body, "tip")[:5] == pytest.approx(fixed, rel=1e-8)


def test_weights_of_an_average_move_its_load():
    nodes, K, M, _ = BLOCK
    heavy = np.where(nodes[nodes[:, 0] == 1.0, 1] > 0.15, 100.0, 1.0)
    ends = faces(nodes, "average")
    ends["tip"] = ls.Interface(ends["tip"].position, ends["tip"].nodes, "average", heavy)
    plain = tip_flexibility(block_body("average", modes=0))
    weighted = tip_flexibility(ls.from_matrices(M, K, nodes, ends, modes=0))
    assert np.abs(weighted / plain - 1).max() > 0.01


def test_inertia_relief_has_the_exact_static_energy_under_rigid_accelerations():
    K, M = FRAME
    R = rigid(CORNERS, [(k, d) for k in range(5) for d in HOUSE], CORNERS[0])
    load = (M @ R)[6:]
    exact = load.T @ la.solve(K[6:, 6:], load)
    for method in ("craig-bampton", "cantilever", "free-free"):
        body = frame_body(method=method, modes=1, inertia_relief=True)
        own = body.normalised("linear")
        P = coupling(own)
        assert P @ np.diag(1 / own.stiffness) @ P.T == pytest.approx(
            exact, rel=1e-7, abs=1e-8 * np.abs(exact).max()
        )
        assert body.report().weight == pytest.approx(1, abs=1e-6)
    assert frame_body(method="cantilever", modes=1).report().weight < 0.9


@pytest.mark.parametrize("which", ["frequency", "effective_mass"])
def test_modes_are_chosen_by_frequency_or_effective_mass(which):
    K, M = FRAME
    omega, phi = la.eigh(K[6:, 6:], M[6:, 6:])
    f = np.sqrt(omega) / (2 * np.pi)
    if which == "frequency":
        body = frame_body(method="cantilever", frequency=f[4] * 1.01)
        assert len(body.frequencies) == 5
        return
    R = rigid(CORNERS, [(k, d) for k in range(5) for d in HOUSE], CORNERS[0])
    parts = (phi.T @ (M @ R)[6:, 3:]) ** 2
    movable = np.diag(R.T @ M @ R - R[:6].T @ M[:6, :6] @ R[:6])[3:]
    enough = np.all(np.cumsum(parts, axis=0) >= 0.8 * movable, axis=1)
    body = frame_body(method="cantilever", effective_mass=0.8)
    assert body.n_mode == np.argmax(enough) + 1


def test_all_interfaces_keep_six_exact_freedoms():
    K, _ = FRAME
    body = frame_body({"root": 0, "middle": 2, "tip": 4}, modes=0)
    assert body.n_mode == 12
    own = body.normalised()
    W = np.vstack([own.node_shapes[body.names[x]] for x in ("middle", "tip")])
    rows = [6 * k + d for k in (2, 4) for d in HOUSE]
    exact = la.inv(K[6:, 6:])[np.ix_(np.subtract(rows, 6), np.subtract(rows, 6))]
    found = W @ np.diag(1 / own.stiffness) @ W.T
    assert found == pytest.approx(exact, rel=1e-8, abs=1e-9 * np.abs(exact).max())


def test_the_inboard_interface_can_be_chosen():
    K, M = FRAME
    body = frame_body(inboard="tip", method="cantilever", modes=3)
    assert body.inboard == body.names["tip"]
    assert body.frequencies == pytest.approx(hertz(K[:24, :24], M[:24, :24])[:3], rel=1e-8)


def test_the_order_of_freedoms_and_zero_rows_do_not_matter():
    K, M = FRAME
    order = np.concatenate([6 * k + np.array(HOUSE) for k in range(5)])
    turned = ls.from_matrices(
        M[np.ix_(order, order)],
        sp.coo_array(K[np.ix_(order, order)]),
        CORNERS,
        {"root": 0, "tip": 4},
        order="rotation first",
    )
    plain = frame_body()
    assert turned.frequencies == pytest.approx(plain.frequencies, rel=1e-9)
    nodes, K, M, _ = BLOCK
    wide = np.concatenate([6 * k + np.arange(3) for k in range(len(nodes))])
    K6, M6 = (np.zeros((6 * len(nodes), 6 * len(nodes))) for _ in range(2))
    K6[np.ix_(wide, wide)], M6[np.ix_(wide, wide)] = K.toarray(), M.toarray()
    six = ls.from_matrices(M6, K6, nodes, faces(nodes, "rigid"), modes=2)
    assert six.frequencies == pytest.approx(block_body("rigid", modes=2).frequencies, rel=1e-9)


def test_damping_is_a_ratio_rayleigh_or_a_matrix():
    K, M = FRAME
    ratio = frame_body(modes=2, damping=0.03).normalised()
    assert np.diag(ratio.damping) == pytest.approx(0.06 * np.sqrt(ratio.stiffness))
    alpha, beta = 0.7, 2e-5
    expected = alpha * np.eye(ratio.n_mode) + beta * np.diag(ratio.stiffness)
    scale = np.abs(expected).max()
    for given in (("rayleigh", alpha, beta), sp.csr_array(alpha * M + beta * K), expected):
        found = frame_body(modes=2, damping=given).normalised().damping
        # the structure's freedoms are those given, so that a matrix needs no reordering
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9 * scale)


def test_equal_frequencies_are_told_apart_by_directions():
    nodes, K, M = straight(6, EIy=4e3, EIz=4e3)
    body = ls.from_matrices(M, K, nodes, {"root": 0, "tip": 6}, method="cantilever", modes=4)
    tip = body.shapes[body.names["tip"], 3:]
    assert np.abs(tip[2, [0, 2]]).max() < 1e-9 * np.abs(tip).max()  # the first of a pair: y
    assert np.abs(tip[1, [1, 3]]).max() < 1e-9 * np.abs(tip).max()


def test_held_structures_solve_mixed_conditions():
    K, _ = FRAME
    B = np.zeros((2, 30))
    B[0, 7], B[1, 13:16] = 2, (1, -1, 0.5)
    pulled = np.arange(6)
    with_root = np.vstack([np.eye(30)[:6], B])
    held = Held(sp.csr_array(K), sp.csr_array(with_root), pulled, np.repeat(CORNERS, 6, axis=0))
    rng = np.random.default_rng(0)
    f, g = rng.standard_normal((30, 2)), 1e-3 * rng.standard_normal((8, 2))
    saddle = np.block([[K, with_root.T], [with_root, np.zeros((8, 8))]])
    exact = la.solve(saddle, np.vstack([f, g]))[:30]
    found = held.solution(np.arange(8))(f, g)
    assert found == pytest.approx(exact, rel=1e-7, abs=1e-9 * np.abs(exact).max())


def test_nested_dissection_is_a_permutation_with_separators_last():
    n = 12
    nodes = np.array([[i, j, 0] for i in range(n) for j in range(n)], float)
    near = np.abs(nodes[:, None] - nodes[None]).max(axis=2) <= 1
    order = np.concatenate(dissection(nodes, sp.csr_array(near.astype(float))))
    assert sorted(order) == list(range(n * n))
    last = nodes[order[-n:], 0]
    assert np.ptp(last) == 0 and 0 < last[0] < n - 1  # one line across the middle


def test_structures_without_inner_freedoms_or_modes_are_reduced():
    nodes, K, M = straight(1)
    two = ls.from_matrices(M, K, nodes, {"a": 0, "b": 1})
    exact = hertz(K[6:, 6:], M[6:, 6:])
    assert two.frequencies == pytest.approx(exact, rel=1e-9)
    stiff = ls.from_matrices(M, K, nodes, {"a": [0, 1]})
    assert stiff.n_mode == 0 and stiff.mass == pytest.approx(3.0)
    assert frame_body({"root": 0}, modes=0).n_mode == 0


def test_names_stresses_appearance_and_second_order_move_to_the_nodes_of_the_body():
    K, M = FRAME
    plain = structure_of_matrices(M, K, CORNERS, {"root": 0, "tip": 4}, names={"knee": 2})
    tube = Profile(ls.Tube(0.05, 0.002).outline, np.eye(3))

    def recovery(x):
        stresses = np.tile(x[15], (3, 6, 1))
        return Recovery(StressPoints(CORNERS[[4, 3, 2]], stresses, np.array([4, 3, 2])))

    class Numbered(Geometry):
        def of_loads(self, shapes, u, places):
            m = shapes.shape[1]  # loads: twelve of the mass, six at the tip, six at the knee
            return -np.arange(u.shape[1])[:, None, None] * np.ones((m, m))

    structure = dataclasses.replace(
        plain, recovery=recovery, geometry=Numbered(), lines=((tube, np.array([0, 1, 2])),)
    )
    body = structure.reduce(modes=2, level="stiffened")
    assert body.names == {"root": 0, "tip": 1, "knee": 2}
    assert body.solids[0].nodes == (0, 3, 2)
    assert body.positions[3] == pytest.approx(CORNERS[1])
    assert body.recovery.points.nodes.tolist() == [1, -1, 2]
    second = body.constants_of_second_order
    assert {k: x[0, 0, 0] for k, x in second.node_shapes.items()} == {0: 0.0, 1: 12.0, 2: 18.0}
    assert second.second_moment[2, 1, 0, 0] == 10.0
    # the knee is not an interface, and moves as the shapes of its freedoms say
    assert body.recovery.points.stresses[0, 0] == pytest.approx(body.shapes[2, 0])
    assert pickle.loads(pickle.dumps(frame_body(modes=1))).n_mode == 7


def test_a_long_computation_says_what_it_does(monkeypatch, capfd):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    done = threading.Event()

    class Heard(threading.Timer):
        def run(self):
            super().run()
            done.set()

    monkeypatch.setattr(progress.threading, "Timer", Heard)
    with progress.announced_if_slow("bracket: factorising"):
        assert done.wait(30)
    assert capfd.readouterr().err == "bracket: factorising ...\n"


def test_matrices_are_drawn_as_sticks_between_coupled_nodes():
    body = frame_body(modes=0)
    number = {
        k: int(np.argmin(np.abs(body.positions[:5] - x).sum(axis=1))) for k, x in enumerate(CORNERS)
    }
    assert {s.nodes for s in body.solids} == {(number[k], number[k + 1]) for k in range(4)}
    nodes, K, M, _ = bricks((6, 2, 2), (1.0, 0.2, 0.1))
    lines = structure_of_matrices(M, K, nodes, faces(nodes, "rigid")).lines
    at = nodes[[pair for _, pair in lines]]
    assert len(nodes) - 1 == len(at)  # a tree, of the shortest distances
    assert np.linalg.norm(at[:, 0] - at[:, 1], axis=1).max() < 0.17
