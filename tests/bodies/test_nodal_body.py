"""Bodies from finite-element data: frequencies, condensation, modal form, and what is refused."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg

import lissom as ls
from lissom.bodies.nodal import NodalBody
from lissom.papers.nodal.dynamics import nodal_forward_dynamics
from lissom.spatial import rigid_shift
from tests.samples.nodal_bodies import KINDS, Bar, cantilever, random_body, stand_in
from tests.tools.measures import TOLERANCE, error

BAR = Bar()
TURN = ls.Universal("x", "z").pose(np.array([0.4, -0.7]))[0]
BENDING = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613])  # cos x cosh x = -1


def exact(bar: Bar) -> dict[str, np.ndarray]:
    """Natural frequencies of the continuous cantilever [Hz]: bending, torsion, stretch."""
    bend = BENDING**2 / (2 * np.pi * bar.length**2) / np.sqrt(bar.density * bar.area / bar.E)
    odd = np.array([1, 3]) / (4 * bar.length)
    return {
        "bending z": bend * np.sqrt(bar.Iy),
        "bending y": bend * np.sqrt(bar.Iz),
        "torsion": odd * np.sqrt(bar.G * bar.J / (bar.density * bar.polar)),
        "stretch": odd * np.sqrt(bar.E / bar.density),
    }


def nearest(frequencies: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Relative distance of each expected frequency from the nearest found one."""
    return np.abs(frequencies[:, None] / expected - 1).min(axis=0)


@pytest.mark.parametrize(("family", "order"), [("bending y", 4), ("torsion", 2), ("stretch", 2)])
def test_frequencies_of_a_consistent_cantilever_converge_at_the_rate_of_its_elements(family, order):
    errors = [
        nearest(cantilever(BAR, n, "consistent", TURN).frequencies, exact(BAR)[family])
        for n in (12, 24)
    ]
    assert np.all(errors[1] < 3e-3)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("family", ["bending y", "bending z"])
def test_frequencies_of_lumped_points_converge_quadratically(family):
    errors = [
        nearest(cantilever(BAR, n, "points", TURN).frequencies, exact(BAR)[family])
        for n in (16, 32)
    ]
    assert np.all(errors[1] < 5e-3)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("family", ["bending y", "torsion", "stretch"])
def test_frequencies_of_lumps_are_near_the_continuous_ones(family):
    found = cantilever(BAR, 32, "lumps", TURN).frequencies
    assert np.all(nearest(found, exact(BAR)[family]) < 5e-3)


def all_frequencies(body: NodalBody) -> np.ndarray:
    """Finite eigenfrequencies of the whole pencil, massless displacements included."""
    free = np.repeat(np.arange(body.n_node) != body.inboard, 6)
    K, M = body.stiffness[np.ix_(free, free)], body.mass_matrix[np.ix_(free, free)]
    inverse = scipy.linalg.eigh(M, K, eigvals_only=True)[::-1]
    return 1 / np.sqrt(inverse[: body.n_freedom]) / (2 * np.pi)


def thin_rods(body: NodalBody) -> NodalBody:
    """The lumps without inertia about one skew direction each."""
    t = np.random.default_rng(0).standard_normal((body.n_node, 3))
    t /= np.linalg.norm(t, axis=1)[:, None]
    inertias = 0.1 * (np.eye(3) - t[:, :, None] * t[:, None, :])
    return replace(body, node_inertias=inertias)


def half_empty(body: NodalBody) -> NodalBody:
    """The lumps with a node that has no mass at all."""
    inertias = np.where(np.arange(body.n_node)[:, None, None] == 2, 0.0, body.node_inertias)
    return replace(body, masses=np.where(np.arange(4) == 2, 0.0, 1.0), node_inertias=inertias)


BODY, CLOUD = random_body(1, "lumps")
SPECIAL = {"thin rods": thin_rods(BODY), "half empty": half_empty(BODY)}
BODIES = {kind: random_body(1, kind)[0] for kind in KINDS} | SPECIAL
LUMPED = {name: body for name, body in BODIES.items() if body.is_lumped}


@pytest.mark.parametrize(
    ("name", "n"),
    [("lumps", 18), ("points", 9), ("consistent", 18), ("thin rods", 15), ("half empty", 12)],
)
def test_condensing_massless_displacements_keeps_every_finite_frequency(name, n):
    body = BODIES[name]
    assert body.n_freedom == n
    assert error(body.frequencies, all_frequencies(body)) < 1e-9


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_massless_displacements_are_in_static_balance(body):
    """No force on them: K h* x has no part along the null space of the mass."""
    h = body.freedoms
    assert not np.any(h.reshape(body.n_node, 6, -1)[body.inboard])
    values, vectors = np.linalg.eigh(body.mass_matrix)
    null = vectors[:, values < 1e-12]
    null = null[:, np.linalg.norm(null.reshape(body.n_node, 6, -1)[body.inboard], axis=0) < 1e-12]
    balance = null.T @ body.stiffness @ h
    assert np.abs(balance).max(initial=0.0) < TOLERANCE * np.abs(body.stiffness).max()


@pytest.mark.parametrize("body", LUMPED.values(), ids=LUMPED)
def test_complete_modal_form_has_the_frequencies_and_the_mass_of_the_nodes(body):
    modal = body.to_modal()
    assert modal.n_mode == body.n_freedom
    assert error(modal.frequencies, body.frequencies) < TOLERANCE
    shapes = modal.normalised().node_shapes.reshape(6 * body.n_node, -1)
    assert np.allclose(shapes.T @ body.mass_matrix @ shapes, np.eye(modal.n_mode), atol=1e-11)
    assert np.linalg.matrix_rank(np.hstack([shapes, body.freedoms])) == body.n_freedom


def test_truncated_modal_form_keeps_the_lowest_modes():
    few, complete = BODY.to_modal(3, level="linear"), BODY.to_modal()
    assert np.allclose(few.frequencies, complete.frequencies[:3], rtol=1e-12)
    assert (few.level, complete.level) == ("linear", "full")
    assert few.names == BODY.names and few.inboard == BODY.inboard
    assert np.allclose(few.shapes, complete.shapes[:, :, :3])


def test_damping_forms():
    omega = 2 * np.pi * BODY.frequencies
    one = replace(BODY, damping=0.02).to_modal()
    assert np.allclose(one.normalised().damping, np.diag(0.04 * omega))
    ratios = replace(BODY, damping=[0.01, 0.02, 0.03]).to_modal(2)
    assert np.allclose(ratios.normalised().damping, np.diag(2 * np.array([0.01, 0.02]) * omega[:2]))
    matrix = replace(BODY, damping=1e-3 * BODY.stiffness).to_modal()
    assert np.allclose(matrix.normalised().damping, np.diag(1e-3 * omega**2), rtol=1e-9, atol=1e-9)


def test_bodies_pickle_and_copy():
    BODY.frequencies  # noqa: B018  fills the cache
    for twin in (pickle.loads(pickle.dumps(BODY)), copy.deepcopy(BODY)):
        assert np.array_equal(twin.frequencies, BODY.frequencies)


def test_far_from_the_origin_nothing_changes():
    moved = replace(BODY, positions=BODY.positions + np.array([1e4, -2e4, 3e4]))
    assert np.allclose(moved.frequencies, BODY.frequencies, rtol=1e-12)


def held(stiffness: np.ndarray, dof: int) -> np.ndarray:
    support = np.zeros_like(stiffness)
    support[dof, dof] = 50.0
    return stiffness + support


def loosened(n: int = 4) -> np.ndarray:
    """Stiffness of the first two nodes only; the others hang on each other."""
    K = np.zeros((6 * n, 6 * n))
    for i, j in ((0, 1), (2, 3)):
        A = np.zeros((6, 6 * n))
        A[:, 6 * i : 6 * i + 6] = -rigid_shift(BODY.positions[j] - BODY.positions[i]).T
        A[:, 6 * j : 6 * j + 6] = np.eye(6)
        K += A.T @ A
    return K


def truss() -> np.ndarray:
    """Bars that stretch between all nodes; nothing holds the rotations."""
    K = np.zeros((24, 24))
    for i in range(4):
        for j in range(i):
            t = np.zeros(24)
            t[6 * i + 3 : 6 * i + 6] = BODY.positions[i] - BODY.positions[j]
            t[6 * j + 3 : 6 * j + 6] = -t[6 * i + 3 : 6 * i + 6]
            K += np.outer(t, t)
    return K


K, M = BODY.stiffness, BODIES["consistent"].masses
TRANSLATIONS_FIRST = np.concatenate([6 * k + np.array([3, 4, 5, 0, 1, 2]) for k in range(4)])
HEAVY_IN_X = M + 3.0 * np.outer(np.eye(24)[9], np.eye(24)[9])


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"positions": np.zeros((4, 2))}, ["positions", "(4, 2)", "(4, 3)"]),
        ({"positions": np.zeros((1, 3))}, ["masses", "(4,)", "(1,)"]),
        ({"masses": np.ones(3)}, ["masses", "(3,)", "(4,) or (24, 24)"]),
        ({"stiffness": np.eye(12)}, ["stiffness", "(12, 12)", "(24, 24)", "six displacements"]),
        ({"node_inertias": np.ones((4, 3))}, ["node_inertias", "(4, 3)", "(4, 3, 3)"]),
        ({"damping": np.eye(3)}, ["damping", "(3, 3)", "24x24"]),
        ({"damping": -0.1}, ["damping", "-0.1", "negative"]),
        ({"damping": -1e-3 * K}, ["damping", "indefinite", "negative"]),
        ({"damping": np.eye(24)}, ["damping", "resists", "rotation about x"]),
        ({"masses": [1, 1, -2, 1]}, ["node 2", "-2", "negative"]),
        ({"masses": [1, 1, np.nan, 1]}, ["masses[2]", "nan", "finite"]),
        ({"masses": "heavy"}, ["masses", "real numbers"]),
        ({"masses": np.array([1, 1, 1j, 1])}, ["masses", "real numbers"]),
        (
            {"masses": [0, 1, 0, 0], "node_inertias": None},
            ["inboard node (1)", "mass", "RigidBody"],
        ),
        ({"masses": M}, ["node_inertias", "consistent"]),
        ({"masses": -M, "node_inertias": None}, ["masses", "indefinite"]),
        ({"masses": np.triu(M), "node_inertias": None}, ["masses", "not symmetric", "assembled"]),
        ({"masses": HEAVY_IN_X, "node_inertias": None}, ["along x, y and z", "order"]),
        ({"node_inertias": np.array([np.diag([1.0, 1, 3])] * 4)}, ["node 0", "triangle"]),
        ({"stiffness": np.triu(K)}, ["stiffness", "not symmetric"]),
        ({"stiffness": K - 3 * np.diag(np.diag(K))}, ["stiffness", "indefinite", "node"]),
        ({"stiffness": held(K, 9)}, ["stiffness", "resists", "translation along x", "node 1"]),
        ({"stiffness": held(K, 2)}, ["stiffness", "resists", "rotation about z", "node 0"]),
        (
            {"stiffness": K[np.ix_(TRANSLATIONS_FIRST, TRANSLATIONS_FIRST)]},
            ["stiffness", "resists", "[rotation; translation]"],
        ),
        ({"stiffness": loosened()}, ["nodes 2, 3", "singular beyond", "joint"]),
        ({"stiffness": truss()}, ["nodes 0, 2, 3", "six displacements of every node"]),
        ({"inboard": 4}, ["inboard", "4", "0 to 3"]),
        ({"inboard": "root"}, ["inboard", "'root'", "tip"]),
        ({"names": {"tip": 7}}, ["'tip'", "7", "0 to 3"]),
        ({"names": {"a.b": 1}}, ["'a.b'", "dot"]),
        ({"level": "exact"}, ["'exact'", "full", "linear"]),
    ],
)
def test_bad_data_say_what_is_wrong(keywords, words):
    with pytest.raises(ls.ModelError) as caught:
        replace(BODY, **keywords)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: NodalBody(np.zeros((1, 3)), [1.0], np.zeros((6, 6))), ["one node", "RigidBody"]),
        (lambda: BODY.to_modal(19), ["modes is 19", "18"]),
        (lambda: BODY.to_modal(0), ["modes is 0", "18"]),
        (lambda: replace(BODY, damping=[0.1, 0.2]).to_modal(), ["2 ratios", "18 modes"]),
        (lambda: BODIES["consistent"].to_modal(), ["consistent", "lumped", "velocity-dependent"]),
        (lambda: BODY.to_modal(level="exact"), ["'exact'"]),
    ],
)
def test_bad_requests_say_what_is_wrong(make, words):
    with pytest.raises(ls.ModelError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


def system_with(body: NodalBody) -> ls.System:
    model = ls.Model("boom")
    model.add(ls.RigidBody(1.0, inertia=1.0), ls.Revolute("z"), name="hub")
    model.add(stand_in(body), ls.Revolute("y"), name="boom", to="hub")
    return model.compile()


SYSTEM = system_with(BODY)
FREE_POINTS = replace(BODY, node_inertias=None)
FULL = replace(BODY, masses=BODY.mass_matrix, node_inertias=None)  # a consistent matrix


@pytest.mark.parametrize(
    ("state", "nodal", "keywords", "words"),
    [
        ({"boom.rates": 1.0}, {"boom": FULL}, {}, ["'boom'", "not zero", "lumped masses"]),
        ({"boom.modes": [0.1, 0]}, {"boom": FULL}, {}, ["'boom'", "deformed", "nodal_forces"]),
        ({}, {}, {}, ["'boom'", "flexible", "NodalBody"]),
        ({}, {"bom": BODY}, {}, ["'bom'", "did you mean 'boom'"]),
        ({}, {"boom": BODY, "hub": BODY}, {}, ["'hub'", "4 nodes", "has 1"]),
        ({}, {"boom": BODY.to_modal(2)}, {}, ["'boom'", "expected a NodalBody"]),
        ({}, {"boom": random_body(2)[0]}, {}, ["'boom'", "differ from those", "to_modal()"]),
        ({}, {"boom": replace(BODY, inboard=0)}, {}, ["inboard 0", "inboard 1"]),
        ({}, {"boom": BODY}, {"forces": {"boom.modes": [1.0, 0]}}, ["'boom'", "nodal_forces"]),
        ({}, {"boom": BODY}, {"nodal_forces": {"boom": np.ones(6)}}, ["'boom'", "(4, 6)", "(6,)"]),
        ({}, {"boom": BODY}, {"nodal_forces": {"bom": np.ones(6)}}, ["did you mean 'boom'"]),
    ],
)
def test_bad_arguments_of_the_recursion_say_what_is_wrong(state, nodal, keywords, words):
    with pytest.raises(ls.StateError) as caught:
        nodal_forward_dynamics(SYSTEM, SYSTEM.state(**state), nodal, **keywords)
    for word in words:
        assert word in str(caught.value)


def test_a_joint_that_turns_a_node_without_rotary_inertia_is_singular():
    with pytest.raises(ls.SingularError, match="'boom'.*rotary inertia") as caught:
        nodal_forward_dynamics(SYSTEM, SYSTEM.state(), {"boom": FREE_POINTS})
    assert caught.value.body == "boom"
