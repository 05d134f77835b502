"""Bodies: constructors, normalised form, and what is refused."""

import numpy as np
import pytest

import lissom as ls
from lissom.spatial import rigid_shift, rotation_exp


def random_flexible(seed=0, n=7, m=4, **keywords):
    rng = np.random.default_rng(seed)
    shapes = rng.standard_normal((n, 6, m))
    shapes[0] = 0.0
    A = rng.standard_normal((m, m))
    data = {
        "positions": rng.standard_normal((n, 3)),
        "masses": rng.uniform(0.5, 2.0, n),
        "shapes": shapes,
        "stiffness": A @ A.T + m * np.eye(m),
    }
    return ls.FlexibleBody(**(data | keywords))


def node_inertias(n, seed=1):
    rng = np.random.default_rng(seed)
    clouds = rng.standard_normal((n, 5, 3))
    return np.array([sum((r @ r) * np.eye(3) - np.outer(r, r) for r in c) for c in clouds])


class TestRigidBody:
    def test_constructors_match_integrals(self):
        """Solids as clouds of points: mass, centre and inertia to the cloud's resolution."""
        k = (np.arange(40) + 0.5) / 40 - 0.5
        x, y, z = (g.ravel() for g in np.meshgrid(k, k, k, indexing="ij"))
        box = ls.RigidBody.from_points(np.c_[1 * x, 2 * y, 3 * z], np.full(x.size, 6 / x.size))
        exact = ls.RigidBody.box(6.0, (1, 2, 3))
        assert np.allclose(box.inertia, exact.inertia, rtol=1e-3)
        round_ = x**2 + y**2 < 0.25
        points = np.c_[2 * x, 2 * y, 3 * z][round_]
        cylinder = ls.RigidBody.from_points(points, np.full(len(points), 5 / len(points)))
        exact = ls.RigidBody.cylinder(5.0, radius=1.0, length=3.0)
        assert np.allclose(cylinder.inertia, exact.inertia, rtol=1e-2, atol=1e-9)
        ball = x**2 + y**2 + z**2 < 0.25
        points = 2 * np.c_[x, y, z][ball]
        sphere = ls.RigidBody.from_points(points, np.full(len(points), 5 / len(points)))
        assert np.allclose(sphere.inertia, 0.4 * 5 * np.eye(3), rtol=1e-2, atol=1e-9)
        rod = ls.RigidBody.from_points(np.c_[2 * k, 0 * k, 0 * k], np.full(40, 0.1))
        assert np.allclose(rod.inertia, ls.RigidBody.rod(4.0, 2.0).inertia, rtol=1e-3)

    def test_axis_of_cylinder_and_rod(self):
        a = np.diag(ls.RigidBody.cylinder(1.0, 0.1, 2.0, axis="x").inertia)
        assert a[0] < a[1] == a[2]
        assert np.diag(ls.RigidBody.rod(1.0, 2.0, axis="y").inertia)[1] == 0

    def test_inertia_shorthand(self):
        assert np.array_equal(ls.RigidBody(1.0, inertia=2.0).inertia, 2 * np.eye(3))
        assert np.array_equal(ls.RigidBody(1.0, inertia=(1, 2, 2.5)).inertia, np.diag([1, 2, 2.5]))

    @pytest.mark.parametrize(
        "make, words",
        [
            (lambda: ls.RigidBody(-1.0), ["mass", "-1", "negative"]),
            (lambda: ls.RigidBody(np.nan), ["mass", "finite"]),
            (lambda: ls.RigidBody("heavy"), ["mass", "'heavy'"]),
            (lambda: ls.RigidBody(1.0, com=(1, 2)), ["com", "3 numbers"]),
            (lambda: ls.RigidBody(1.0, com=(1, 2, np.inf)), ["com", "finite"]),
            (lambda: ls.RigidBody(1.0, inertia=(1, 1, 3)), ["triangle inequality"]),
            (lambda: ls.RigidBody(1.0, inertia=np.full((3, 3), 1.7e308)), ["triangle", "inf"]),
            (lambda: ls.RigidBody(1.0, inertia=(1, 1, -1)), ["negative"]),
            (lambda: ls.RigidBody(1.0, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), ["symmetric"]),
            (lambda: ls.RigidBody(1.0, inertia=np.full((3, 3), np.nan)), ["finite"]),
            (lambda: ls.RigidBody(1.0, inertia=np.eye(2)), ["inertia", "3x3"]),
            (lambda: ls.RigidBody.box(1.0, (1, 2)), ["box", "size"]),
            (lambda: ls.RigidBody.cylinder(1.0, -0.1, 1.0), ["cylinder", "radius", "positive"]),
            (lambda: ls.RigidBody.rod(1.0, 2.0, axis="w"), ["axis", "'w'"]),
            (lambda: ls.RigidBody.from_points(np.zeros((3, 2)), np.ones(3)), ["(3, 2)", "(n, 3)"]),
            (lambda: ls.RigidBody.from_points(np.zeros((2, 3)), [1, -1]), ["negative"]),
        ],
    )
    def test_bad_input_says_what_is_wrong(self, make, words):
        with pytest.raises(ls.ModelError) as error:
            make()
        for word in words:
            assert word in str(error.value)


class TestNormalForm:
    @pytest.mark.parametrize("lumps", [False, True])
    @pytest.mark.parametrize("inboard", [0, 3])
    @pytest.mark.parametrize("free", [False, True])
    def test_modal_mass_is_identity_and_stiffness_diagonal(self, lumps, inboard, free):
        rng = np.random.default_rng(5)
        shapes = rng.standard_normal((7, 6, 4))
        if not free:
            shapes[inboard] = 0.0
        J = node_inertias(7) if lumps else None
        body = random_flexible(shapes=shapes, inboard=inboard, node_inertias=J)
        normal = body.normalised("full")
        assert not np.any(normal.node_positions[inboard])
        assert np.allclose(normal.node_shapes[inboard], 0, atol=1e-14)
        M = np.zeros((4, 4))
        for k, Pi in enumerate(normal.node_shapes):
            M += body.masses[k] * Pi[3:].T @ Pi[3:]
            if lumps:
                M += Pi[:3].T @ J[k] @ Pi[:3]
        assert np.allclose(M, np.eye(4), atol=1e-12)
        K = body.transform.T @ body.stiffness @ body.transform
        assert np.allclose(K, np.diag(normal.stiffness), atol=1e-11 * K.max())
        assert np.all(np.diff(body.frequencies) > 0)

    def test_free_free_shapes_are_reread_from_the_inboard_node(self):
        rng = np.random.default_rng(7)
        fixed = random_flexible()
        rigid = rng.standard_normal((6, 4))
        moved = np.stack(
            [
                Pi + rigid_shift(r).T @ rigid
                for Pi, r in zip(fixed.shapes, fixed.positions - fixed.positions[0], strict=True)
            ]
        )
        free = random_flexible(shapes=moved)
        assert np.allclose(free.transform, fixed.transform, atol=1e-10)
        a, b = free.normalised(), fixed.normalised()
        assert np.allclose(a.node_shapes, b.node_shapes, atol=1e-10)
        assert np.allclose(a.stiffness, b.stiffness, rtol=1e-10)

    def test_a_normalised_basis_is_left_as_it_is(self):
        first = random_flexible().normalised()
        again = random_flexible(
            positions=first.node_positions, shapes=first.node_shapes, stiffness=first.stiffness
        )
        assert np.array_equal(again.transform, np.eye(4))
        swapped = random_flexible(
            positions=first.node_positions,
            shapes=first.node_shapes[:, :, ::-1],
            stiffness=first.stiffness[::-1],
        )
        assert np.array_equal(swapped.transform, np.eye(4))

    def test_equal_frequencies_keep_the_given_shapes(self):
        """Any rotation inside a double frequency leads back to the same, nearest basis."""
        normal = random_flexible().normalised()
        stiffness = np.array([4.0, 9.0, 9.0, 25.0])
        angle = 1e-3
        mix = np.eye(4)
        mix[1:3, 1:3] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        scale = np.diag([2.0, 3.0, 0.5, 1.0])
        body = random_flexible(
            positions=normal.node_positions,
            shapes=normal.node_shapes @ mix @ scale,
            stiffness=scale @ mix.T @ np.diag(stiffness) @ mix @ scale,
        )
        assert np.allclose(body.transform, np.linalg.inv(scale), atol=1e-10)

    def test_basis_does_not_depend_on_the_solver(self, monkeypatch):
        """A solver that mixes and flips equal frequencies gives the same transform."""
        rng = np.random.default_rng(3)
        normal = random_flexible().normalised()
        given = rng.standard_normal((4, 4))
        keywords = {
            "positions": normal.node_positions,
            "shapes": normal.node_shapes @ given,
            "stiffness": given.T @ np.diag([4.0, 9.0, 9.0, 25.0]) @ given,
        }
        expected = random_flexible(**keywords).transform
        svd = np.linalg.svd

        def mixed_svd(A, *args, **options):
            U, s, Vt = svd(A, *args, **options)
            if U.shape == (4, 4):
                turn = np.linalg.qr(rng.standard_normal((2, 2)))[0]
                U = U * rng.choice([-1, 1], 4)
                U[:, 1:3] = U[:, 1:3] @ turn
            return U, s, Vt

        monkeypatch.setattr("lissom.bodies.basis.np.linalg.svd", mixed_svd)
        assert np.allclose(random_flexible(**keywords).transform, expected, atol=1e-9)

    def test_largest_entry_of_each_column_is_positive(self):
        x = random_flexible(seed=11).transform
        assert np.all(x[np.argmax(np.abs(x), axis=0), np.arange(4)] > 0)

    def test_damping_forms(self):
        C = np.diag([0.1, 0.2, 0.3, 0.4]) + 0.01
        ratio = random_flexible(damping=0.02)
        many = random_flexible(damping=[0.02] * 4)
        full = random_flexible(damping=C)
        omega = 2 * np.pi * ratio.frequencies
        assert np.allclose(ratio.normalised().damping, np.diag(0.04 * omega))
        assert np.allclose(many.normalised().damping, ratio.normalised().damping)
        assert np.allclose(full.normalised().damping, full.transform.T @ C @ full.transform)

    def test_low_frequency_is_accurate_beside_a_high_one(self):
        """Frequencies over six decades keep their digits."""
        normal = random_flexible().normalised()
        omega = np.array([1e-2, 1.0, 1e2, 1e4])
        given = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
        body = random_flexible(
            positions=normal.node_positions,
            shapes=normal.node_shapes @ np.diag([2.0, 1.0, 0.3, 5.0]),
            stiffness=(omega * [2.0, 1.0, 0.3, 5.0]) ** 2,
        )
        assert np.allclose(2 * np.pi * body.frequencies, omega, rtol=1e-12)
        mixed = random_flexible(
            positions=normal.node_positions,
            shapes=normal.node_shapes @ given,
            stiffness=given.T @ np.diag(omega**2) @ given,
        )
        assert np.allclose(2 * np.pi * mixed.frequencies[1:], omega[1:], rtol=1e-6)


def rigid_turn(body, axis):
    """Shapes that turn all nodes about the inboard node, without rotation rows."""
    arms = body.positions - body.positions[0]
    shapes = np.zeros((len(arms), 6, 1))
    shapes[:, 3:, 0] = np.cross(axis, arms)
    return shapes


BODY = random_flexible()
RIGID = np.stack([rigid_shift(r).T[:, :1] for r in BODY.positions])


@pytest.mark.parametrize(
    "keywords, words",
    [
        ({"positions": np.zeros((7, 2))}, ["positions", "(7, 2)", "(7, 3)"]),
        ({"masses": np.ones(6)}, ["masses", "(6,)", "(7,)"]),
        ({"shapes": np.zeros((7, 3, 4))}, ["shapes", "(7, 3, 4)", "(7, 6, 4)"]),
        ({"stiffness": np.eye(3)}, ["stiffness", "(3, 3)", "(4, 4)"]),
        ({"damping": np.ones(3)}, ["damping", "(3,)", "4 ratios"]),
        ({"damping": -0.1}, ["damping", "negative"]),
        ({"damping": -np.eye(4)}, ["damping", "feeds energy"]),
        ({"masses": [1, 1, -2, 1, 1, 1, 1]}, ["node 2", "-2", "negative"]),
        ({"masses": np.zeros(7)}, ["massless"]),
        ({"masses": [1, np.nan, 1, 1, 1, 1, 1]}, ["masses[1]", "nan", "finite"]),
        ({"masses": "heavy"}, ["masses", "numbers"]),
        ({"shapes": np.where(np.arange(4) == 2, np.inf, BODY.shapes)}, ["shapes", "finite"]),
        ({"stiffness": np.diag([1.0, -2.0, 3.0, 4.0])}, ["indefinite", "mode 1", "-2"]),
        ({"stiffness": np.triu(np.ones((4, 4))) + np.eye(4)}, ["stiffness", "symmetric"]),
        ({"shapes": BODY.shapes[:, :, [0, 1, 1, 3]]}, ["modes 1, 2", "linearly dependent"]),
        (
            {"shapes": np.concatenate([BODY.shapes[:, :, :3], RIGID], axis=2)},
            ["mode 3", "rigid-body motion", "joint"],
        ),
        (
            {
                "shapes": np.concatenate(
                    [BODY.shapes[:, :, :3], rigid_turn(BODY, (1, 2, 3))], axis=2
                ),
                "stiffness": np.diag([1.0, 2.0, 3.0, 0.0]),
            },
            ["modes 3", "rigid-body rotation", "rotation rows"],
        ),
        (
            {
                "shapes": np.where(np.arange(7)[:, None, None] == 2, BODY.shapes, 0.0),
                "masses": [1, 1, 0, 1, 1, 1, 1],
            },
            ["mode 0", "moves no mass"],
        ),
        ({"inboard": 7}, ["inboard", "7", "0 to 6"]),
        ({"inboard": "root"}, ["inboard", "'root'"]),
        ({"names": {"tip": 7}}, ["'tip'", "7", "0 to 6"]),
        ({"names": {"a.b": 1}}, ["'a.b'", "dot"]),
        ({"level": "stiffened"}, ["stiffened", "second_order=SecondOrder", "full", "linear"]),
        ({"level": "exact"}, ["'exact'", "full", "linear", "stiffened"]),
        ({"node_inertias": np.ones((7, 3))}, ["node_inertias", "(7, 3, 3)"]),
        ({"node_offsets": np.ones((6, 3))}, ["node_offsets", "(7, 3)"]),
        ({"node_inertias": np.array([np.diag([1.0, 1, 3])] * 7)}, ["node 0", "triangle"]),
        (
            {"node_inertias": np.array([0.1 * np.eye(3)] * 7), "node_offsets": np.ones((7, 3))},
            ["node 0", "negative"],
        ),
    ],
)
def test_bad_flexible_body_says_what_is_wrong(keywords, words):
    with pytest.raises(ls.ModelError) as error:
        random_flexible(**keywords)
    for word in words:
        assert word in str(error.value)


def test_offset_without_inertia_is_a_point_mass():
    """A node's mass put off the node, without inertia of its own, turns about the node."""
    offsets = np.zeros((7, 3))
    offsets[4] = (0.1, -0.2, 0.3)
    masses = BODY.masses
    J = np.zeros((7, 3, 3))
    p = offsets[4]
    J[4] = masses[4] * ((p @ p) * np.eye(3) - np.outer(p, p))
    implied = random_flexible(node_offsets=offsets)
    explicit = random_flexible(node_offsets=offsets, node_inertias=J)
    assert np.allclose(implied.frequencies, explicit.frequencies, rtol=1e-14)


def test_a_flexible_body_without_modes_is_a_rigid_body_with_nodes():
    rng = np.random.default_rng(2)
    points, masses = rng.standard_normal((5, 3)), rng.uniform(1, 2, 5)
    bare = ls.FlexibleBody(
        points, masses, np.zeros((5, 6, 0)), np.zeros((0, 0)), inboard=1, names={"tip": 4}
    )
    rigid = ls.RigidBody.from_points(points - points[1], masses)
    answers = []
    for body, place in (
        (bare, {"to": "base.tip"}),
        (rigid, {"to": "base", "at": points[4] - points[1]}),
    ):
        model = ls.Model(gravity=(0, 1, -9))
        model.add(body, ls.Universal("x", "y"), name="base")
        model.add(
            ls.RigidBody.sphere(1.0, 0.2, com=(0.1, 0, 0)), ls.Spherical(), name="end", **place
        )
        system = model.compile()
        state = system.state(base=(0.3, -0.4), v=[1, 2, 3, 4, 5])
        answers.append(
            np.concatenate(
                [ls.forward_dynamics(system, state), ls.pose(system, state, "end").position]
            )
        )
    assert np.allclose(*answers, rtol=1e-13)
    system_tip = ls.pose(system, state, "end").position
    assert np.linalg.norm(system_tip) > 0.1


def test_a_turned_body_is_the_same_body_in_other_axes():
    rng = np.random.default_rng(8)
    R = rotation_exp(rng.normal(size=3))
    boom = random_flexible(3, node_inertias=node_inertias(7))
    models = [ls.Model("a", gravity=(1, 2, -9)), ls.Model("b", gravity=(1, 2, -9))]
    axis = np.array([0.2, -0.5, 0.8])
    models[0].add(boom, ls.Revolute(axis), name="boom")
    models[1].add(boom.turned(R), ls.Revolute(R @ axis), rotation=R.T, name="boom")
    q, v = 0.05 * rng.normal(size=boom.n_mode + 1), rng.normal(size=boom.n_mode + 1)
    found = []
    for model in models:
        system = model.compile()
        state = system.state(q, v)
        tip = ls.pose(system, state, f"boom.{len(boom.positions) - 1}").position
        found.append((ls.forward_dynamics(system, state), ls.mass_matrix(system, state), tip))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    with pytest.raises(ls.ModelError, match="rotation matrix"):
        boom.turned(np.ones((3, 3)))
