"""Bodies at level "stiffened": what users give, what they are told, files, pictures, trees."""

import dataclasses
import pickle
import warnings

import numpy as np
import pytest

import lissom as ls
from lissom.viz.scene.amplitudes import amplitude_shapes, amplitudes
from lissom.viz.scene.bodies import bent
from lissom.viz.scene.joints import amplitude_columns, coordinates, node_poses, poses
from tests.references.lagrange_stiffened import check_seed
from tests.samples.flexible_arms import flexible_body, random_second_order

STRIP, SOFT = ls.Rectangle(0.02, 0.01), ls.Material("soft", youngs_modulus=2e6, density=1000.0)
BEAM = ls.beam(1.3, STRIP, SOFT, bending=2, damping=0.01, level="stiffened")
TURN = ls.Universal("x", "z").pose(np.array([0.4, -0.7]))[0]


def one(body, joint=None, **place):
    model = ls.Model("one", gravity=(0.3, -0.2, -9.81))
    model.add(body, ls.Revolute("y") if joint is None else joint, name="a", **place)
    model.add(ls.RigidBody(0.2, (0.1, 0, 0), (0.01, 0.02, 0.02)), ls.Fixed(), to="a.tip", name="b")
    return model.compile()


def bent_state(system, seed=0, size=0.01):
    """Small deflections of all bodies."""
    rng = np.random.default_rng(seed)
    q, v = system.neutral().q.copy(), rng.standard_normal(system.n_v)
    for i, body in enumerate(system.bodies):
        small = size / np.sqrt(body.stiffness / body.stiffness.min(initial=np.inf))
        modes = system.layout.modal_q(i)
        q[modes] = small * rng.standard_normal(body.n_mode)
        v[system.layout.modal_v(i)] = 10 * small * rng.standard_normal(body.n_mode)
    return system.state(q, v)


@pytest.mark.parametrize("seed", range(6))
def test_trees_obey_lagranges_equations_by_automatic_differentiation(seed):
    assert not check_seed(seed).failures


# What is given

MODES, NODES = 2, 5


def given(**changes):
    """A flexible body with a second order, some of it changed."""
    second = random_second_order(np.random.default_rng(1), NODES, MODES)
    body = flexible_body(1, n_node=NODES, n_mode=MODES, level="stiffened")
    second = {
        "first_moment": np.array(second.first_moment),
        "second_moment": second.second_moment,
        "node_shapes": dict(second.node_shapes),
    }
    second |= changes
    return dataclasses.replace(body, second_order=ls.SecondOrder(**second))


SKEW = np.zeros((3, 2, 2))
SKEW[1, 0, 1] = 0.5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: given(first_moment=np.zeros((3, 2))), ["first_moment", "(3, 2)", "(3, 2, 2)"]),
        (lambda: given(first_moment=SKEW), ["not symmetric", "[1, 0, 1] is 0.5", "[1, 1, 0] is 0"]),
        (lambda: given(second_moment="x"), ["second_moment", "array of real numbers"]),
        (lambda: given(second_moment=np.full((3, 3, 2, 2), np.nan)), ["second_moment", "finite"]),
        (lambda: given(node_shapes={9: np.zeros((6, 2, 2))}), ["node 9", "0 to 4"]),
        (lambda: given(node_shapes=[1]), ["node_shapes", "dictionary"]),
        (lambda: dataclasses.replace(given(), second_order=3), ["second_order", "int", "function"]),
        (lambda: dataclasses.replace(given(), second_order=dict), ["returned dict"]),
        (lambda: dataclasses.replace(given(), shapes=np.ones((5, 6, 2))), ["inboard node (0)"]),
        (
            lambda: dataclasses.replace(
                given(node_shapes={4: np.zeros((6, 2, 2))}), node_offsets=0.1 * np.ones((5, 3))
            ),
            ["node 1", "offset centre of mass", "SecondOrder.node_shapes"],
        ),
        (
            lambda: ls.beam(1.0, STRIP, SOFT, shapes="clamped", level="stiffened"),
            ["stiffened", 'shapes="static"'],
        ),
        (
            lambda: one(given(node_shapes={1: np.zeros((6, 2, 2))})),
            ["node 4 (tip)", "no second order", "SecondOrder.node_shapes"],
        ),
    ],
)
def test_what_is_missing_or_wrong_is_said(make, words):
    with pytest.raises(ls.ModelError) as error:
        system = make()
        ls.forward_dynamics(system, system.neutral())
    for word in words:
        assert word in str(error.value)


def test_arrays_that_are_given_stay_the_users():
    """They stay writable, and what is written later has no effect; the body's own are read-only."""
    shapes, moment = np.zeros((6, 2, 2)), np.zeros((3, 2, 2))
    body = given(first_moment=moment, node_shapes={4: shapes})
    moment[0], shapes[3] = 1.0, 1.0
    own = body.second_order
    assert not own.first_moment.any() and not own.node_shapes[4].any()
    for array in (
        own.first_moment,
        own.node_shapes[4],
        body.normalised().second_order.node_shapes[4],
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_a_nodal_body_has_no_second_order():
    K = np.kron(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.eye(6))
    with pytest.raises(ls.ModelError, match=r"stiffened.*nodal.*SecondOrder"):
        ls.NodalBody(np.zeros((2, 3)), np.ones(2), K, level="stiffened")


def test_other_amplitudes_give_the_same_body():
    """Shapes mixed and scaled, the second order with them."""
    mix = np.array([[2.0, 0.5], [-0.3, 1.5]])
    body = given()
    other = dataclasses.replace(
        body,
        shapes=body.shapes @ mix,
        stiffness=mix.T @ body.stiffness @ mix,
        second_order=lambda: body.second_order.in_modes(mix),
    )
    first, second = one(body), one(other)
    state = bent_state(first)
    signs = np.sign(np.diag(np.linalg.inv(body.transform) @ mix @ other.transform))
    q, v = state.q.copy(), state.v.copy()
    modes = first.layout.modal_v("a")
    q[modes], v[modes] = signs * q[modes], signs * v[modes]
    found = ls.bias_force(second, second.state(q, v))
    found = np.array(found)
    found[modes] *= signs
    np.testing.assert_allclose(found, ls.bias_force(first, state), rtol=1e-9, atol=1e-9)


def test_a_turned_body_moves_as_the_joint_turned_back():
    axis = np.array([0.0, 1.0, 0.3])
    straight = one(BEAM, ls.Revolute(axis), rotation=TURN)
    turned = ls.Model("one", gravity=(0.3, -0.2, -9.81))
    turned.add(BEAM.turned(TURN), ls.Revolute(TURN @ axis), name="a")
    load = ls.RigidBody(0.2, (0.1, 0, 0), (0.01, 0.02, 0.02))
    turned.add(load, ls.Fixed(), to="a.tip", rotation=TURN, name="b")
    turned, state = turned.compile(), bent_state(straight)
    found = ls.forward_dynamics(turned, turned.state(state.q, state.v))
    expected = ls.forward_dynamics(straight, state)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


def test_bodies_are_copied_to_other_processes():
    again = pickle.loads(pickle.dumps(BEAM.turned(TURN)))
    one_, two = (x.constants_of_second_order.second_moment for x in (BEAM.turned(TURN), again))
    np.testing.assert_array_equal(one_, two)


def test_files_keep_the_second_order_to_the_last_bit(tmp_path):
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(BEAM, ls.Revolute("y"), name="a")
    model.add(given(), ls.Revolute("z"), to="a.tip", name="b")
    model.save(tmp_path / "arm.toml")
    before, after = model.compile(), ls.load(tmp_path / "arm.toml").compile()
    for x, y in zip(before.bodies, after.bodies, strict=True):
        assert y.level == "stiffened"
        np.testing.assert_array_equal(x.second_order.second_moment, y.second_order.second_moment)
        assert x.second_order.node_shapes.keys() == y.second_order.node_shapes.keys()
    state = bent_state(before)
    np.testing.assert_array_equal(
        ls.forward_dynamics(before, state),
        ls.forward_dynamics(after, after.state(state.q, state.v)),
    )
    text = """
lissom = 2
[[parts]]
name = "blade"
joint = "revolute z"
body = {kind = "beam", length = 2, section = {kind = "circle", radius = 0.01}, material = "steel",
        level = "stiffened"}
"""
    (tmp_path / "rotor.toml").write_text(text.replace("\n        ", " "))
    assert ls.load(tmp_path / "rotor.toml").compile().bodies[0].second_order is not None


# What is told


def test_a_mass_matrix_that_is_not_definite_names_the_body_and_its_deflection():
    boom = ls.beam(6, ls.Tube(0.04, 0.002), ls.ALUMINIUM, bending=3, level="stiffened")
    for joints in ([ls.Free()], [ls.Spherical()], [ls.Fixed(), ls.Fixed()]):
        model = ls.Model("boom")
        for k, joint in enumerate(joints):
            place = {"to": f"boom{k - 1}.tip"} if k else {}
            model.add(boom, joint, name=f"boom{k}", **place)
        system = model.compile()
        name, body = system.names[-1], system.bodies[-1]
        tip = body.node_shapes[body.node_names["tip"], 3:]
        for part in (0.01, 0.06, 0.15, 0.4):
            eta = np.zeros(body.n_mode)
            eta[2] = part * 6 / np.linalg.norm(tip[:, 2])
            state = system.state(**{f"{name}.modes": eta})
            definite = np.linalg.eigvalsh(ls.mass_matrix(system, state))[0] > 0
            assert definite == (part == 0.01)
            if definite:
                ls.forward_dynamics(system, state)
                continue
            for method in ("articulated", "composite", "reference"):
                words = rf"body '{name}' deflects by {part:.2g} of its length.*\"stiffened\""
                with pytest.raises(ls.SingularError, match=words):
                    ls.forward_dynamics(system, state, method=method)


def is_definite(parts, shapes, joint, bent, hub=None, shape=0):
    """Whether parts of a tube of 6 m are, each bent by a part of its length, in one shape."""
    piece = ls.beam(
        6 / parts, ls.Tube(0.04, 0.002), ls.ALUMINIUM, bending=shapes, level="stiffened"
    )
    model, to = ls.Model("tube"), None
    if hub is not None:
        heavy = ls.RigidBody(10 * piece.mass, inertia=np.full(3, hub * piece.mass * 6**2 / 3))
        to, joint = model.add(heavy, joint, name="hub"), ls.Fixed()
    for k in range(parts):
        to = f"{model.add(piece, ls.Fixed() if k else joint, to=to, name=f'p{k}').name}.tip"
    system, tip = model.compile(), piece.shapes[piece.names["tip"]][5]
    modes = np.where(np.arange(piece.n_mode) == np.flatnonzero(np.abs(tip) > 1e-9)[shape], 1.0, 0)
    modes *= bent * 6 / parts / abs(tip @ modes)
    state = system.state(**{f"p{k}.modes": modes for k in range(parts)})
    return np.linalg.eigvalsh(ls.mass_matrix(system, state))[0] > 0


@pytest.mark.parametrize(
    "shapes, free, hinge, hub",
    [
        (2, (0.058, 0.035), (0.107, 0.064), (1.06, 0.64)),
        (3, (0.029, 0.013), (0.054, 0.024), (1.06, 0.47)),
        (4, (0.018, 0.008), (0.032, 0.014), (1.06, 0.46)),
    ],
)
def test_the_documented_limits_of_definiteness(shapes, free, hinge, hub):
    columns = [(ls.Free(), None, free), (ls.Spherical(), None, hinge), (ls.Free(), 1.0, hub)]
    for joint, inertia, limits in columns:
        for shape, limit in enumerate(limits):
            given = {"hub": inertia, "shape": shape}
            assert is_definite(1, shapes, joint, 0.93 * limit, **given)
            assert not is_definite(1, shapes, joint, 1.07 * limit, **given)
    assert all(is_definite(1, shapes, ls.Fixed(), 3.0, shape=k) for k in (0, 1))


@pytest.mark.parametrize("joint", [ls.Fixed(), ls.Revolute("y"), ls.Revolute("z")])
def test_parts_that_bend_by_a_tenth_are_definite_with_two_shapes(joint):
    for parts in (2, 4, 8):
        assert is_definite(parts, 2, joint, 0.1)
        assert not is_definite(parts, 3, joint, 0.1)


def test_spin_and_tension_warn_below_the_level_that_has_them():
    def messages(level):
        model = ls.Model("boom")
        boom = ls.beam(2.0, STRIP, SOFT, bending=2, level=level)
        model.add(boom, ls.Revolute("z"), name="boom")
        model.add(ls.RigidBody(0.1), ls.Fixed(), to="boom.tip", name="tip")
        system = model.compile()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            ls.simulate(system, system.state(**{"boom.rates": 2.0}), duration=1e-3)
        return [str(x.message) for x in said]

    full = messages("full")
    assert len(full) == 2 and all('use level="stiffened"' in text for text in full)
    assert "turns at 2 rad/s" in full[0] and "is pulled along its length" in full[1]
    assert messages("stiffened") == []


# Pictures


def test_what_is_drawn_is_where_the_node_is():
    """The scene's corners, the page's amplitudes and the poses of nodes are those of `pose`."""
    system = one(BEAM)
    state = bent_state(system, size=0.05)
    body, tip = system.bodies[0], system.bodies[0].node_names["tip"]
    eta = state.q[system.layout.modal_q("a")]
    placed, origin = ls.pose(system, state, "a.tip"), ls.pose(system, state, "a")
    local = origin.rotation.T @ (placed.position - origin.position)
    second = body.node_positions[tip] + body.node_shapes[tip, 3:] @ eta - local
    assert np.abs(second).max() > 1e-4
    drawn = bent(body, np.array([tip]), np.zeros((1, 3)), eta)[0]
    np.testing.assert_allclose(drawn, local, atol=1e-12)
    moved = amplitude_shapes(body, np.array([tip]))[0].T @ amplitudes(body, eta[None])[0]
    np.testing.assert_allclose(moved[3:], local - body.node_positions[tip], atol=1e-12)
    at, _ = node_poses(system, 0, tip, state.q[None], poses(system, state.q[None]))
    np.testing.assert_allclose(at[0], placed.position, atol=1e-12)
    first = amplitude_columns(system)[0]
    sent = coordinates(system, state.q[None])[0]
    np.testing.assert_array_equal(sent[first:], amplitudes(body, eta[None])[0])


# Loops


def parallelogram():
    """Two stiffened cranks and a coupler that closes on the second, a child on an inner node."""
    model = ls.Model("loop", gravity=(0.2, 0.1, -9.81))
    crank = ls.beam(1.3, STRIP, ls.ALUMINIUM, bending=2, damping=0.0, level="stiffened")
    model.add(crank, ls.Revolute("y"), name="left")
    model.add(crank, ls.Revolute("y"), to="left.tip", name="coupler")
    model.add(crank, ls.Revolute("y"), at=(1.3, 0, 0), name="right")
    load = ls.RigidBody(0.1, (0.02, 0, 0.01), (1e-3, 2e-3, 2e-3))
    model.add(load, ls.Revolute("x"), to="coupler", node=7, name="load")
    model.close(ls.Spherical(), "coupler.tip", "right.tip", name="pin")
    system = model.compile()
    state = bent_state(system, size=0.004)
    q = state.q.copy()
    for name, angle in (("left", -1.2), ("coupler", 1.25), ("right", -1.15)):
        q[system.layout.hinge_q(name)] = angle
    return system, ls.assemble(system, system.state(q, 0.3 * state.v))


def test_loops_close_with_the_second_order_of_their_nodes():
    """All methods agree; the ends of the loop are at one place; the energy has no other source."""
    system, state = parallelogram()
    a, b = (ls.pose(system, state, f"{name}.tip").position for name in ("coupler", "right"))
    np.testing.assert_allclose(a, b, atol=1e-10)
    forces = np.linspace(-1, 1, system.n_v)
    expected = ls.forward_dynamics(system, state, forces, method="reference")
    for method in ("articulated", "composite"):
        found = ls.forward_dynamics(system, state, forces, method=method)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
    # the accelerations of both ends agree, and balance with the force between them
    left, right = (
        ls.acceleration(system, state, f"{name}.tip", found)[3:] for name in ("coupler", "right")
    )
    np.testing.assert_allclose(left, right, atol=1e-7 * np.abs(left).max())
    pin = ls.loop_forces(system, state, forces)[0]
    turn = ls.pose(system, state, "right.tip").rotation
    at = {"coupler.tip": np.zeros(6), "right.tip": np.r_[np.zeros(3), pin[3:]]}
    at["coupler.tip"][3:] = -ls.pose(system, state, "coupler.tip").rotation.T @ (turn @ pin[3:])
    tree = dataclasses.replace(system, loops=())
    needed = ls.inverse_dynamics(tree, tree.state(state.q, state.v), found, external=at)
    np.testing.assert_allclose(needed, forces, atol=1e-6 * np.abs(pin).max())


def test_a_loop_runs_and_keeps_its_energy():
    system, state = parallelogram()
    run = ls.simulate(system, state, duration=0.1, rtol=1e-9, atol=1e-11, output_step=0.02)
    assert run.status == "finished"
    assert np.ptp(run["energy.total"]) < 1e-6 * np.ptp(run["energy.kinetic"])
