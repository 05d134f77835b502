"""Residual compliance of reduced bodies, against whole structures and closed forms."""

import dataclasses

import numpy as np
import pytest
import scipy.linalg as la

import lissom as ls
from lissom.structures.finite.rigid import rigid_motion
from tests.samples.reductions import BLOCK, faces

SECTION = ls.Rectangle(0.02, 0.01)
CORNERS = [(0, 0, 0), (0.6, 0, 0), (0.6, 0.4, 0), (0.6, 0.4, 0.3)]


def bent(**reduction):
    """Frame of three members with few freedoms, and its dense matrices."""
    return ls.frame(
        CORNERS,
        [ls.Member(k, k + 1, SECTION, ls.STEEL, parts=2) for k in range(3)],
        interfaces={"root": 0, "tip": 3},
        names={"knee": 1, "elbow": 2},
        damping=0,
        **reduction,
    )


def dense(body):
    structure = body.source
    return structure.mass.toarray(), structure.stiffness.toarray()


def translations(body, *nodes):
    """Unit forces (N, 3 k) on nodes of the structure."""
    L = np.zeros((body.source.n_freedom, 3 * len(nodes)))
    for k, node in enumerate(nodes):
        L[body.source.rows(node)[3:], 3 * k + np.arange(3)] = 1.0
    return L


def left_out(omega2, shapes, kept):
    return shapes[:, kept:] / omega2[kept:] @ shapes[:, kept:].T


def close(actual, expected, size=1.0):
    np.testing.assert_allclose(actual, expected, atol=1e-9 * size * np.abs(expected).max())


@pytest.mark.parametrize("kept", [1, 3, 7])
def test_residual_is_the_sum_over_the_modes_left_out(kept):
    body = bent(method="cantilever", modes=kept, contact=["tip", "knee"])
    M, K = dense(body)
    free = np.setdiff1d(np.arange(len(K)), body.source.rows(0))
    omega2, modes = la.eigh(K[np.ix_(free, free)], M[np.ix_(free, free)])
    at = translations(body, 3, 1)[free].T @ modes
    close(body.residual_compliance, left_out(omega2, at, kept), 100)
    assert body.contact_nodes == (body.names["tip"], body.names["knee"])


@pytest.mark.parametrize("kept", [2, 5])
def test_residual_of_free_modes_is_the_sum_over_the_free_modes_left_out(kept):
    body = bent(method="free-free", modes=kept, contact=["tip", "root"])
    M, K = dense(body)
    omega2, modes = la.eigh(K, M)
    at = translations(body, 3, 0).T @ modes
    close(body.residual_compliance, left_out(omega2, at, 6 + kept), 1000)


def test_relief_shapes_make_the_held_and_the_free_residual_one():
    body = bent(method="cantilever", modes=3, inertia_relief=True, contact=["tip", "elbow"])
    M, K = dense(body)
    free = np.setdiff1d(np.arange(len(K)), body.source.rows(0))
    rigid = rigid_motion(body.source.positions, body.source.freedoms, np.zeros(3))
    K_free = K[np.ix_(free, free)]

    def held(f):
        z = np.zeros_like(f)
        z[free] = la.solve(K_free, f[free], assume_a="pos")
        return z

    V = np.zeros((len(K), 3))
    V[free] = la.eigh(K_free, M[np.ix_(free, free)])[1][:, :3]
    V = np.hstack([V, held(M @ rigid)])
    P = np.eye(len(K)) - rigid @ la.solve(rigid.T @ M @ rigid, rigid.T @ M)
    L = translations(body, 3, 2)
    whole = P @ held(P.T @ L)
    W = P @ V
    R = L.T @ whole - L.T @ W @ la.solve(W.T @ K @ W, W.T @ L)
    close(body.residual_compliance, R, 1000)


def test_residual_and_shapes_have_the_whole_flexibility():
    body = bent(method="cantilever", modes=4, contact="tip")
    shapes = body.shapes[body.names["tip"], 3:]
    of_shapes = shapes @ la.solve(body.stiffness, shapes.T)
    close(of_shapes + body.residual_compliance, body.source.facts.flexibility[3:, 3:], 100)


@pytest.mark.parametrize(
    "reduction", [{}, {"method": "cantilever", "attachment": True, "modes": 2}]
)
def test_nothing_is_left_out_where_static_shapes_are_exact(reduction):
    assert not bent(contact="tip", **reduction).residual_compliance.any()
    assert bent(contact="knee", **reduction).residual_compliance.any()


def test_residual_falls_with_every_mode():
    residuals = [
        bent(method="cantilever", modes=k, contact=["tip", "knee"]).residual_compliance
        for k in (1, 2, 4, 8)
    ]
    for more, fewer in zip(residuals[1:], residuals[:-1], strict=True):
        size = np.abs(fewer).max()
        assert la.eigvalsh(more)[0] > -1e-12 * size
        assert la.eigvalsh(fewer - more)[0] > -1e-9 * size


@pytest.mark.parametrize("tie", ["rigid", "average"])
def test_patches_of_solids_have_the_flexibility_of_their_interface(tie):
    nodes, K, M, _ = BLOCK
    options = {"method": "cantilever", "modes": 3, "contact": "tip"}
    body = ls.from_matrices(M, K, nodes, faces(nodes, tie), **options)
    shapes = body.shapes[body.names["tip"], 3:]
    of_shapes = shapes @ la.solve(body.stiffness, shapes.T)
    flexibility = body.source.facts.flexibility[3:, 3:]
    close(of_shapes + body.residual_compliance, flexibility, 100)
    assert np.trace(body.residual_compliance) > 1e-3 * np.trace(flexibility)


def test_panels_take_contact_at_their_interfaces():
    places = {"root": "left", "corner": (0.8, 0.2)}
    body = ls.panel(
        0.8, 0.4, 0.003, ls.STEEL, interfaces=places, divisions=4, method="cantilever", modes=4,
        contact="corner",
    )  # fmt: skip
    shapes = body.shapes[body.names["corner"], 3:]
    whole = shapes @ la.solve(body.stiffness, shapes.T) + body.residual_compliance
    close(whole, body.source.facts.flexibility[3:, 3:], 100)


def test_end_of_a_free_bar_yields_a_third_of_the_held_one():
    """Inertia relief: L/(3 E A), less the free modes; the error is that of lumped mass."""
    body = ls.frame(
        [(0, 0, 0), (0.2, 0, 0)],
        [ls.Member(0, 1, ls.Rectangle(0.01, 0.01), ls.STEEL, parts=40)],
        interfaces={"root": 0, "tip": 1},
        method="free-free",
        modes=12,
        contact="tip",
    )
    shapes = body.shapes[body.names["tip"], 3]
    of_modes = np.sum(shapes**2 / np.diag(body.stiffness))
    exact = 0.2 / (3 * ls.STEEL.youngs_modulus * 1e-4)
    assert body.residual_compliance[0, 0] + of_modes == pytest.approx(exact, rel=2e-4)


# Beams


def tip_and_middle(**options):
    return ls.beam(1.5, SECTION, ls.STEEL, contact=["tip", 12], **options)


def test_static_shapes_of_a_beam_are_exact_at_its_tip():
    R = tip_and_middle().residual_compliance
    assert not R[:3].any() and not R[:, :3].any()
    assert np.all(np.diag(R)[3:] > 0)


@pytest.mark.parametrize("options", [{}, {"shapes": "clamped", "modes": 10}, {"bending": (1, 5)}])
def test_residual_of_a_beam_completes_the_deflection_by_forces(options):
    """Cubic and linear deflections of the textbook, at tip and middle."""
    body = tip_and_middle(**options)
    E, L = ls.STEEL.youngs_modulus, 1.5
    a, b = (np.array([[1, 0.5], [0.5, 0.5]]) * L, np.array([[1, 1], [1, 0.5]]) * L)
    bending = a**2 * (3 * b - a) / (6 * E)
    fields = [a / (E * SECTION.area), bending / SECTION.second_moment_z]
    fields.append(bending / SECTION.second_moment_y)
    shapes = body.shapes[list(body.contact_nodes), 3:].reshape(6, -1)
    whole = shapes @ la.solve(body.stiffness, shapes.T) + body.residual_compliance
    expected = np.zeros((2, 3, 2, 3))
    for k, field in enumerate(fields):
        expected[:, k, :, k] = field
    np.testing.assert_allclose(whole, expected.reshape(6, 6), rtol=1e-8, atol=1e-18)
    assert la.eigvalsh(body.residual_compliance)[0] > -1e-20


def test_a_beam_without_stretch_stays_rigid_along_itself():
    assert not tip_and_middle(stretch=0).residual_compliance[::3].any()


# Bodies in general


def given_body(**fields):
    arrays = {
        "positions": [(0, 0, 0), (1, 0, 0), (2, 0, 0)],
        "masses": [0, 1.0, 1.0],
        "shapes": np.concatenate([np.zeros((1, 6, 1)), np.full((2, 6, 1), 0.5)]),
        "stiffness": [100.0],
        "names": {"tip": 2},
    }
    return ls.FlexibleBody(**(arrays | fields))


def spread(n, seed=1):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return 1e-6 * A @ A.T


def test_bodies_of_modal_data_take_their_residual_compliance():
    R = spread(6)
    body = given_body(contact_nodes=["tip", 1], residual_compliance=R)
    assert body.contact_nodes == (2, 1)
    np.testing.assert_allclose(body.residual_compliance, R, rtol=1e-15)
    with pytest.raises(ValueError, match="read-only"):
        body.residual_compliance[0, 0] = 0
    assert given_body().residual_compliance.shape == (0, 0) and given_body().contact_nodes == ()
    assert not given_body(contact_nodes="tip").residual_compliance.any()
    assert given_body().normalised().residual is None
    compiled = body.normalised().residual
    assert compiled.nodes == (2, 1) and np.array_equal(compiled.matrix, body.residual_compliance)


def test_residual_compliance_may_be_semi_definite():
    R = 1e-6 * np.ones((3, 3))
    assert np.array_equal(given_body(contact_nodes=2, residual_compliance=R).residual_compliance, R)


def test_residual_compliance_turns_with_its_body():
    body = given_body(contact_nodes=["tip", 1], residual_compliance=spread(6))
    turned = body.turned({"axis": "z", "angle": 0.5})
    C = np.array([[np.cos(0.5), -np.sin(0.5), 0], [np.sin(0.5), np.cos(0.5), 0], [0, 0, 1]])
    f = np.random.default_rng(2).normal(size=(2, 3))
    moved = (body.residual_compliance @ f.ravel()).reshape(2, 3)
    turned_back = (turned.residual_compliance @ (f @ C.T).ravel()).reshape(2, 3) @ C
    np.testing.assert_allclose(turned_back, moved, rtol=1e-12)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"contact_nodes": "top"}, "no node.*tip"),
        ({"contact_nodes": [3]}, "nodes are 0 to 2"),
        ({"contact_nodes": [2, "tip"]}, "twice"),
        ({"contact_nodes": 0.5}, "names or numbers"),
        ({"residual_compliance": np.eye(3)}, r"expected \(0, 0\).*0 contact_nodes"),
        ({"contact_nodes": 2, "residual_compliance": np.eye(6)}, r"shape \(6, 6\)"),
        ({"contact_nodes": 2, "residual_compliance": np.triu(np.ones((3, 3)))}, "symmetric"),
        ({"contact_nodes": 2, "residual_compliance": -np.eye(3)}, "release energy"),
        ({"contact_nodes": 2, "residual_compliance": np.diag([1, np.nan, 1])}, "finite"),
        ({"contact_nodes": 2, "residual_compliance": "soft"}, "finite"),
    ],
)
def test_what_is_no_residual_compliance_is_refused(fields, words):
    with pytest.raises(ls.ModelError, match=words):
        given_body(**fields)


def test_contacts_of_structures_are_places_with_names():
    assert bent(contact=[1, 3]).contact_nodes == bent(contact=["knee", "tip"]).contact_nodes
    for contact, words in [("foot", "no interface"), (5, "give the node a name"), (1.5, "names")]:
        with pytest.raises(ls.ModelError, match=words):
            bent(contact=contact)
    with pytest.raises(ls.ModelError, match="twice"):
        bent(contact=["tip", 3])
    with pytest.raises(ls.ModelError, match="beam: contact"):
        ls.beam(1.5, SECTION, ls.STEEL, contact=99)


# Files


def equal(one, other):
    assert one.contact_nodes == other.contact_nodes
    assert np.array_equal(one.residual_compliance, other.residual_compliance)


def samples():
    return {
        "beam": tip_and_middle(),
        "bent": bent(method="cantilever", modes=3, contact=["tip", "elbow"]),
        "small": given_body(contact_nodes="tip", residual_compliance=spread(3)),
        "without": given_body(),
    }


@pytest.mark.parametrize("which", samples())
def test_residual_compliance_comes_back_from_a_body_file(which, tmp_path):
    body = samples()[which]
    body.save(tmp_path / "body.nc")
    equal(ls.load_body(tmp_path / "body.nc"), body)


@pytest.mark.parametrize("which", samples())
def test_residual_compliance_comes_back_from_a_model_file(which, tmp_path):
    body = samples()[which]
    model = ls.Model("pendulum")
    model.add(body, ls.Revolute("z"), name="arm")
    model.save(tmp_path / "model.toml")
    equal(ls.load(tmp_path / "model.toml").parts["arm"].body, body)


def test_beams_in_model_files_say_where_they_touch(tmp_path):
    (tmp_path / "model.toml").write_text("""
        lissom = 2
        [[parts]]
        name = "arm"
        joint = "revolute z"
        [parts.body]
        kind = "beam"
        length = 1.5
        section = { kind = "rectangle", width = 0.02, height = 0.01 }
        material = "steel"
        contact = ["tip", 12]
        """)
    equal(ls.load(tmp_path / "model.toml").parts["arm"].body, tip_and_middle())


def test_residual_compliance_comes_back_from_results(tmp_path):
    model = ls.Model("pendulum")
    model.add(tip_and_middle(), ls.Revolute("z"), name="arm")
    system = model.compile()
    run = ls.simulate(system, duration=0.01)
    for name in ("run.nc", "run.npz"):
        run.save(tmp_path / name)
        back = ls.Trajectory.load(tmp_path / name).system.bodies[0].residual
        assert back.nodes == system.bodies[0].residual.nodes
        assert np.array_equal(back.matrix, system.bodies[0].residual.matrix)


def test_residual_compliance_belongs_to_the_motion():
    """Systems that differ in it alone have different digests, those without have none of it."""
    from lissom.records.system import digest

    bodies = [given_body(), given_body(contact_nodes="tip", residual_compliance=spread(3))]
    bodies.append(dataclasses.replace(bodies[1], residual_compliance=spread(3, seed=2)))
    digests = []
    for body in bodies:
        model = ls.Model("pendulum")
        model.add(body, ls.Revolute("z"), name="arm")
        digests.append(digest(model.compile()))
    assert len(set(digests)) == 3
