"""Bodies from modal data, and reports of flexible bodies."""

import dataclasses

import numpy as np
import pytest
import scipy.linalg as la

import lissom as ls
from lissom.structures.finite.matrices import structure_of_matrices
from tests.references.textbook_elements import rigid, straight
from tests.samples.reductions import CORNERS, FRAME, HOUSE, frame_body

DATA = {
    "mass": 12.0,
    "center": (0.1, 1.5, 0.0),
    "inertia": (9.0, 0.5, 9.5),
    "frequencies": [0.4, 1.9],
    "participation": [[0, 0, 2.7, 5.0, 0, -0.2], [2.5, 0.1, 0, 0, 0, -4.8]],
    "damping": [0.004, 0.01],
}


def test_modal_data_are_kept_exactly():
    body = ls.from_modes(**DATA)
    own = body.normalised("linear")
    report = body.report()
    assert report.mass == pytest.approx(12.0)
    assert report.center == pytest.approx((0.1, 1.5, 0), abs=1e-12)
    assert report.inertia == pytest.approx(np.diag((9.0, 0.5, 9.5)), abs=1e-11)
    assert body.frequencies == pytest.approx([0.4, 1.9], rel=1e-10)
    assert np.diag(own.damping) == pytest.approx(
        2 * np.array([0.004, 0.01]) * 2 * np.pi * np.array([0.4, 1.9])
    )
    g = own.integrals.modal_second_moment
    turning = np.stack([g[1, 2] - g[2, 1], g[2, 0] - g[0, 2], g[0, 1] - g[1, 0]])
    expected = np.array(DATA["participation"]).T
    assert np.abs(own.integrals.modal_first_moment) == pytest.approx(
        np.abs(expected[:3]), abs=1e-11
    )
    assert np.abs(turning) == pytest.approx(np.abs(expected[3:]), abs=1e-11)


def test_modal_data_are_drawn_as_sticks_to_their_nodes_or_a_ball():
    ball = ls.from_modes(**DATA).solids
    assert [x.name for x in ball] == ["Sphere"]
    assert ball[0].at == pytest.approx(DATA["center"])
    nodes = {"root": (0, 0, 0), "tip": (0, 3, 0), "side": (1, 1, 0)}
    assert [x.nodes for x in ls.from_modes(**DATA, nodes=nodes).solids] == [(0, 2), (0, 3)]


def test_modal_data_of_a_boom_move_as_the_boom():
    """Hub and boom: the frequencies of the system, from the boom's modal data alone."""
    K, M = FRAME
    omega, phi = la.eigh(K[6:, 6:], M[6:, 6:])
    R = rigid(CORNERS, [(k, d) for k in range(5) for d in HOUSE], CORNERS[0])
    MR = R.T @ M @ R
    center = np.array([MR[2, 4], MR[0, 5], MR[1, 3]]) / MR[5, 5]
    about = MR[:3, :3] - MR[5, 5] * (center @ center * np.eye(3) - np.outer(center, center))
    body = ls.from_modes(
        mass=MR[5, 5],
        center=center,
        inertia=about,
        frequencies=np.sqrt(omega[:8]) / (2 * np.pi),
        participation=(phi[:, :8].T @ (M @ R)[6:])[:, HOUSE],
        damping=0,
        nodes={"tip": CORNERS[4]},
        shapes={"tip": phi[18:24, :8].T},
    )
    same = frame_body({"root": 0, "tip": 4}, method="cantilever", modes=8, damping=0)
    found = []
    for boom in (body, same):
        model = ls.Model("satellite")
        model.add(ls.RigidBody.box(2.0, (0.5, 0.5, 0.5)), ls.Free(), name="hub")
        model.add(boom, ls.Revolute("z"), to="hub", at=(0.2, 0, 0), name="boom")
        model.add(ls.RigidBody.box(0.1, (0.1, 0.1, 0.2)), ls.Fixed(), to="boom.tip", name="load")
        system = model.compile()
        A = ls.mass_matrix(system, system.state())
        k = np.zeros(system.n_v)
        k[system.layout.modal_v("boom")] = system.bodies[1].stiffness
        found.append(np.sort(la.eigvals(np.linalg.solve(A, np.diag(k))).real)[-8:])
    assert found[0] == pytest.approx(found[1], rel=1e-8)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"participation": [[0, 0, 3.6, 0, 0, 0], [0, 0, 1.0, 0, 0, 0]]}, "effective mass"),
        ({"participation": [[0, 0, 2.7, -5.0, 0, 0], [0] * 6]}, "contradict"),
        ({"participation": [[1, 2, 3]]}, r"give an array \(2, 6\)"),
        ({"frequencies": []}, "one or more numbers above zero"),
        ({"frequencies": [0.4, -1]}, "above zero"),
        ({"inertia": (1.0, 1.0, 5.0)}, "not physical"),
        ({"mass": -1}, "above zero"),
        ({"shapes": {"tip": np.zeros((2, 6))}}, "not among the nodes"),
        ({"damping": -0.1}, "must not be negative"),
    ],
)
def test_impossible_modal_data_are_refused(change, words):
    with pytest.raises(ls.ModelError, match=words):
        ls.from_modes(**{**DATA, **change})


def test_the_report_compares_with_the_source():
    report = frame_body(modes=3).report()
    assert max(report.differences.values()) < 1e-10
    assert report.flexibility["tip"] == pytest.approx(1, abs=1e-6)
    assert report.source.endswith("30 freedoms, 2 interfaces, craig-bampton")
    K, M = FRAME
    _, phi = la.eigh(K[6:, 6:], M[6:, 6:])
    R = rigid(CORNERS, [(k, d) for k in range(5) for d in HOUSE], CORNERS[0])
    whole = frame_body(method="cantilever", modes=6).report()
    parts = (phi[:, :6].T @ (M @ R)[6:, 3:]) ** 2 / (R.T @ M @ R)[5, 5]
    assert whole.effective_masses == pytest.approx(parts, abs=1e-8)
    text = str(whole)
    for words in ("mass ", "effective mass", "flexibility kept at 'tip'", "attachment=True"):
        assert words in text


def test_flexibility_kept_is_that_of_the_worst_direction():
    K, _ = FRAME
    exact = la.inv(K[6:, 6:])[-6:, -6:][np.ix_(HOUSE, HOUSE)]
    body = frame_body(method="cantilever", modes=5)
    shapes = body.normalised("linear").node_shapes[body.names["tip"]]
    kept = shapes @ np.diag(1 / body.normalised().stiffness) @ shapes.T
    worst = la.eigh(kept, exact, eigvals_only=True)[0]
    assert body.report().flexibility["tip"] == pytest.approx(max(worst, 0), abs=1e-8)


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ({"length": 1000.0}, "millimetres"),
        ({"mass": 1e-3}, "tonnes"),
        ({"stiffness": 1e-6}, "in MPa or GPa"),
    ],
)
def test_the_report_suspects_units(scale, words):
    L = scale.get("length", 1.0)
    nodes, K, M = straight(4, length=2.0 * L)
    M, K = M * scale.get("mass", 1.0), K * scale.get("stiffness", 1.0)
    body = structure_of_matrices(M, K, nodes, {"root": 0}).reduce()
    assert any(words in x for x in body.report().warnings)
    nodes, K, M = straight(4, length=2.0)
    plain = structure_of_matrices(M, K, nodes, {"root": 0}).reduce(modes=20)
    assert not [x for x in plain.report().warnings if "if " in x]


def test_a_massless_interface_is_reported():
    nodes, K, M = straight(3)
    for row in (21, 22, 23):  # rotations of the tip without inertia
        M[row], M[:, row] = 0, 0
    lumped = np.diag(np.tile([1.0, 1, 1, 0, 0, 0], 4))
    body = structure_of_matrices(lumped, K, nodes, {"root": 0, "tip": 3}).reduce(modes=2)
    assert any("move no mass" in x for x in body.report().warnings)
    assert body.n_mode < 8


def test_bodies_without_a_source_have_a_report():
    beam = ls.beam(2.0, ls.Tube(0.05, 0.002), ls.STEEL)
    report = beam.report()
    assert report.flexibility == {} and report.weight is None and not report.source
    assert report.mass == pytest.approx(beam.mass)
    assert str(report).count("\n") > 8
    bare = dataclasses.replace(frame_body(modes=1), source=None)
    assert bare.report().differences == {}


def pinned(rotation, **options):
    """Half sine of a pinned beam, with or without the rotation of its ends."""
    x = np.linspace(0, 2, 21)
    shapes = np.zeros((21, 6, 1))
    shapes[:, 4, 0] = np.sin(np.pi * x / 2)
    if rotation:
        shapes[:, 2, 0] = np.pi / 2 * np.cos(np.pi * x / 2)
    positions = np.column_stack([x, 0 * x, 0 * x])
    return ls.FlexibleBody(positions, np.full(21, 0.1), shapes, [50.0], **options)


def test_the_joint_holds_the_tangent_or_the_chord():
    tangent, chord = pinned(True), pinned(True, frame="chord")
    zero = pinned(False)
    assert chord.frequencies == pytest.approx(zero.frequencies, rel=1e-12)
    # held at the chord the half sine moves alone; at the tangent the body turns against it
    assert chord.frequencies == pytest.approx(np.sqrt(50 / (0.1 * 10)) / (2 * np.pi))
    x = np.linspace(0, 2, 21)
    swung = np.sin(np.pi * x / 2) - np.pi / 2 * x
    assert tangent.frequencies == pytest.approx(np.sqrt(50 / (0.1 * swung @ swung)) / (2 * np.pi))
    assert np.array_equal(dataclasses.replace(chord, damping=0.1).shapes, chord.shapes)
    assert any('frame="chord"' in w for w in zero.report().warnings)
    assert not [w for w in tangent.report().warnings if "frame=" in w]
    clamped = ls.beam(2.0, ls.Tube(0.05, 0.002), ls.STEEL)
    assert not [w for w in clamped.report().warnings if "frame=" in w]


def test_frames_that_do_not_fit_are_refused():
    with pytest.raises(ls.ModelError, match='use "tangent" or "chord"'):
        pinned(True, frame="secant")
    with pytest.raises(ls.ModelError, match="the chord begins at the inboard node"):
        pinned(True, frame="chord", inboard=3)
