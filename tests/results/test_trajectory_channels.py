"""Channels: every quantity by name, against the public functions."""

import numpy as np
import pytest

import lissom as ls
from lissom.results.trajectory import Trajectory
from tests.samples.kernel_cases import STRUCTURES, random_system, rigid
from tests.samples.results import boom_model, named_frames, random_run, rows_of, swinging
from tests.tools.measures import random_unit


class Expected:
    """Channels row by row from the public functions."""

    def __init__(self, run, k):
        self.run, self.system, self.k = run, run.system, k
        self.state = run.system.state(run.q[k], run.v[k])
        self.a = run.acceleration[k]
        self.loads = {}
        given = run.store.read("wrench")[k].reshape(-1, 6)
        for where, wrench in zip(run.store.columns.wrenches, given, strict=True):
            self.loads[where] = self.loads.get(where, np.zeros(6)) + wrench

    def frame(self, where, quantity):
        system, state = self.system, self.state
        match quantity:
            case "position" | "rotation":
                return getattr(ls.pose(system, state, where), quantity)
            case "velocity":
                return ls.velocity(system, state, where)[3:]
            case "angular_velocity":
                return ls.velocity(system, state, where)[:3]
            case "acceleration":
                return ls.acceleration(system, state, where, self.a)[3:]
            case "angular_acceleration":
                return ls.acceleration(system, state, where, self.a)[:3]
        raise AssertionError(quantity)

    def whole(self, name):
        system, state = self.system, self.state
        group, _, part = name.partition(".")
        if group == "energy":
            return getattr(ls.energy(system, state), part)
        if group == "momentum":
            piece = {"": slice(0, 6), "angular": slice(0, 3), "linear": slice(3, 6)}[part]
            return ls.momentum(system, state)[piece]
        return ls.center_of_mass(system, state)

    def reactions(self):
        return ls.joint_forces(self.system, self.state, self.a, external=self.loads)


FRAME_QUANTITIES = [
    "position",
    "rotation",
    "velocity",
    "angular_velocity",
    "acceleration",
    "angular_acceleration",
]


SUMS = [
    "energy.kinetic",
    "energy.potential",
    "energy.strain",
    "energy.total",
    "momentum",
    "momentum.angular",
    "momentum.linear",
    "center_of_mass",
]


SYSTEMS = {
    **{f"seed {k}": lambda k=k: random_system(k) for k in range(6)},
    **{name: lambda f=make: f().compile() for name, make in STRUCTURES.items()},
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_channels_are_the_public_functions_row_by_row(name):
    system = SYSTEMS[name]()
    rng = np.random.default_rng(sum(map(ord, name)))
    frames = named_frames(system)
    wrenches = [frames[k] for k in rng.integers(len(frames), size=3)]
    run = random_run(system, rng, wrenches=wrenches)
    expected = [Expected(run, k) for k in range(run.n)]
    for where in frames:
        for quantity in FRAME_QUANTITIES:
            values = np.array([row.frame(where, quantity) for row in expected])
            assert np.array_equal(run[f"{where}.{quantity}"], values), (where, quantity)
    for total in SUMS:
        values = np.array([row.whole(total) for row in expected])
        assert np.allclose(run[total], values, rtol=1e-14, atol=0), total
    reactions = np.array([row.reactions() for row in expected])
    for i, body in enumerate(system.names):
        own = run[f"{body}.reaction"]
        assert np.allclose(own, reactions[:, i], rtol=1e-12, atol=1e-12 * np.abs(reactions).max())
    assert set(run.channels()) >= {f"{w}.{x}" for w in frames for x in FRAME_QUANTITIES}


@pytest.mark.parametrize("seed", range(4))
def test_every_listed_channel_has_its_shape_labels_and_units(seed):
    system = random_system(seed)
    run = random_run(system, np.random.default_rng(seed), wrenches=[named_frames(system)[-1]])
    channels = run.channels()
    assert len(channels) == len(set(channels)) > 20
    for name, channel in channels.items():
        assert name == channel.name and name in run
        assert run[name].shape == (run.n, *channel.shape), name
        size = int(np.prod(channel.shape))
        assert len(channel.units) == size and channel.description
        assert len(channel.labels) == (size if channel.shape else 0)
        assert len(set(channel.labels)) == len(channel.labels)
        assert not run[name].flags.writeable and run[name] is run[name]


def test_pieces_of_the_rows_are_those_of_the_states():
    system = random_system(3)
    run = random_run(system, np.random.default_rng(0))
    layout = system.layout
    for k in range(run.n):
        state = run.state(run.time[k])
        for name in system.names:
            for part in ("modes", "rates", "mode_rates"):
                assert np.array_equal(run[f"{name}.{part}"][k], state[f"{name}.{part}"])
            assert np.array_equal(run[f"{name}.coordinates"][k], state[name])
            assert np.array_equal(run[name][k], state[name])
    for name in system.names:
        hinge, modal = layout.hinge_v(name), layout.modal_v(name)
        assert np.array_equal(run[f"{name}.hinge_acceleration"], run.acceleration[:, hinge])
        assert np.array_equal(run[f"{name}.mode_acceleration"], run.acceleration[:, modal])
        assert np.array_equal(run[f"{name}.force"], run.force[:, hinge])
        assert np.array_equal(run[f"{name}.modal_force"], run.force[:, modal])


def test_velocities_and_accelerations_are_rates_of_positions():
    system, h = boom_model().compile(), 1e-3
    time = np.arange(-4, 5) * h + 0.6
    run = Trajectory(system, rows_of(system, time, *swinging(system, time)))
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    for where in ("base", "boom", "boom.tip", "boom.side", "hand"):
        rate = first @ run[f"{where}.position"]
        assert np.allclose(rate, run[f"{where}.velocity"][4], atol=1e-10)
        rate = first @ run[f"{where}.velocity"]
        assert np.allclose(rate, run[f"{where}.acceleration"][4], atol=1e-10)
        rate = first @ run[f"{where}.angular_velocity"]
        assert np.allclose(rate, run[f"{where}.angular_acceleration"][4], atol=1e-10)
        turn = run[f"{where}.rotation"]
        spin = np.einsum("k,kij->ij", first, turn) @ turn[4].T
        w = run[f"{where}.angular_velocity"][4]
        assert np.allclose(spin, np.cross(np.eye(3), w), atol=1e-10)


def test_the_reaction_of_the_base_is_what_momentum_lacks():
    system, h = boom_model().compile(), 1e-3
    time = np.arange(-4, 5) * h + 0.6
    loads = np.random.default_rng(2).standard_normal((9, 12))
    store = rows_of(system, time, *swinging(system, time), None, ("boom.tip", "hand"), loads)
    run = Trajectory(system, store)
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    left = first @ run["momentum"]
    weight = sum(body.mass for body in system.bodies) * system.gravity
    left -= np.concatenate([np.cross(run["center_of_mass"][4], weight), weight])
    for where in ("boom.tip", "hand", "base"):
        wrench = (run["base.reaction"] if where == "base" else run[f"{where}.load"])[4]
        turn, x = run[f"{where}.rotation"][4], run[f"{where}.position"][4]
        moment, force = turn @ wrench[:3], turn @ wrench[3:]
        left -= np.concatenate([moment + np.cross(x, force), force])
    assert np.allclose(left, 0, atol=1e-9 * np.abs(run["base.reaction"]).max())


def test_loads_on_one_node_add_up_under_any_of_its_names():
    system = boom_model().compile()
    tip = system.bodies[1].node_names["tip"]
    rng = np.random.default_rng(5)
    run = random_run(system, rng, wrenches=("boom.tip", "hand", f"boom.{tip}"))
    given = run.store.read("wrench")
    assert np.array_equal(run["boom.tip.load"], given[:, :6] + given[:, 12:])
    assert np.array_equal(run[f"boom.{tip}.load"], run["boom.tip.load"])
    assert np.array_equal(run["hand.load"], given[:, 6:12])
    assert "boom.tip.load" in run.channels() and "base.load" not in run.channels()
    with pytest.raises(ls.StateError, match=r"no load on 'base' was stored; known: 'boom.tip'"):
        run["base.load"]


def test_deflection_is_the_way_of_a_node_from_where_it_was():
    system = boom_model().compile()
    run = random_run(system, np.random.default_rng(3), deformation=0.1)
    body = system.bodies[1]
    for name in ("tip", "side"):
        arm = run[f"boom.{name}.position"] - run["boom.position"]
        in_body = np.einsum("nji,nj->ni", run["boom.rotation"], arm)
        expected = in_body - body.node_positions[body.node_names[name]]
        assert np.allclose(run[f"boom.{name}.deflection"], expected, atol=1e-13)
    assert np.array_equal(run["boom.deflection"], np.zeros((run.n, 3)))
    assert np.array_equal(run["hand.deflection"], np.zeros((run.n, 3)))


def test_quaternions_are_those_of_the_rotations_and_do_not_jump():
    model = ls.Model("top")
    model.add(rigid(1), ls.Free(), name="top")
    system = model.compile()
    angle = np.linspace(0, 8 * np.pi, 200)
    axis = random_unit(np.random.default_rng(0), 3)
    q = np.c_[np.cos(angle / 2), np.sin(angle / 2)[:, None] * axis]
    flipped = q * np.where(np.arange(200) % 3, 1, -1)[:, None]
    still = np.zeros((200, 6))
    run = Trajectory(system, rows_of(system, angle, np.c_[flipped, still[:, :3]], still, still))
    assert np.allclose(run["top.quaternion"], q, atol=1e-14)


def test_quaternions_of_random_rotations():
    system = random_system(1)
    run = random_run(system, np.random.default_rng(1), n=50)
    for name in system.names:
        w, *u = run[f"{name}.quaternion"].T
        skew = np.cross(np.eye(3), np.stack(u, axis=1)[:, None, :])
        turn = np.eye(3) + 2 * w[:, None, None] * skew + 2 * skew @ skew
        assert np.allclose(turn, run[f"{name}.rotation"], atol=1e-14)


def test_angles_and_slides_are_single_numbers():
    model = ls.Model("slides")
    model.add(rigid(1), ls.Planar("z"), name="plane")
    model.add(rigid(2), ls.Cylindrical("x"), name="tube", to="plane")
    model.add(rigid(3), ls.Spherical(), name="ball", to="tube")
    run = random_run(model.compile(), np.random.default_rng(4))
    assert np.array_equal(run["plane.angle"], run.q[:, 2])
    assert np.array_equal(run["tube.angle"], run.q[:, 3])
    assert np.array_equal(run["tube.slide"], run.q[:, 4])
    assert run.channels()["tube.coordinates"].unit == "rad; m"
    assert run.channels()["tube.force"].units == ("N m", "N")
    assert run.channels()["ball.rates"].unit == "rad/s"
    with pytest.raises(ls.StateError, match=r"'ball' \(spherical\) has no single angle; use 'ball"):
        run["ball.angle"]


def test_energy_and_momentum_about_a_point():
    system = random_system(2)
    run = random_run(system, np.random.default_rng(7))
    assert np.array_equal(run.energy.kinetic, run["energy.kinetic"])
    assert np.allclose(run.energy.total, run["energy.total"])
    assert np.array_equal(run.momentum(), run["momentum"])
    point, center = np.array([0.3, -2.0, 1.0]), run["center_of_mass"]
    fixed, moving = run.momentum(about=point), run.momentum(about=center)
    for k in range(run.n):
        state = run.state(run.time[k])
        assert np.array_equal(fixed[k], ls.momentum(system, state, about=point))
        assert np.array_equal(moving[k], ls.momentum(system, state, about=center[k]))
    for wrong in ([1.0, 2.0], "tip", np.full(3, np.nan), np.zeros((run.n + 1, 3))):
        with pytest.raises(ls.StateError, match="expected a point of three finite numbers"):
            run.momentum(about=wrong)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tim", "there is no channel 'tim'; did you mean 'time'?"),
        ("booom", "there is no channel 'booom'; did you mean 'boom'?"),
        ("booom.position", "there is no body 'booom'; did you mean 'boom'?"),
        ("booom.tip.position", "there is no body 'booom'; did you mean 'boom'?"),
        ("enrgy.kinetic", "there is no body 'enrgy'; did you mean 'energy'?"),
        ("energy.kinetik", "there is no channel 'energy.kinetik'; did you mean 'kinetic'?"),
        ("boom.positon", "body 'boom' has no 'positon'; did you mean 'position'?"),
        ("boom.tipp", "body 'boom' has no 'tipp'; did you mean 'tip'?"),
        (
            "boom.tip",
            "'boom.tip' is a node; give one of its quantities, such as 'boom.tip.position'",
        ),
        ("boom.tipp.position", "body 'boom' has no node 'tipp'; did you mean 'tip'?"),
        ("hand.tip.position", "body 'hand' has no node 'tip': it is rigid"),
        ("boom.99.position", "body 'boom' has no node '99'; known: "),
        ("boom.tip.velocty", "a node has no 'velocty'; did you mean 'velocity'?"),
        ("boom.tip.modes", "'modes' belongs to the body, not to its nodes: use 'boom.modes'"),
        ("boom.tip.position.x.y", "'boom.tip.position.x.y' has too many parts"),
        ("hand.slides", "body 'hand' has no 'slides'; did you mean 'slide'?"),
        ("", "there is no channel ''; known: "),
        ("boom.", "body 'boom' has no ''; known: "),
        (3, 'expected the name of a channel, such as "body.position", got 3'),
    ],
)
def test_unknown_names(name, words):
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=2)
    with pytest.raises(ls.StateError) as caught:
        run[name]
    assert str(caught.value).startswith(words)
    assert name not in run


def test_names_of_quantities_may_be_names_of_bodies_and_nodes():
    model = ls.Model("names", gravity=(0, 0, -1))
    positions = np.array([[0, 0, 0], [1.0, 0, 0], [2.0, 0.3, 0]])
    shapes = np.zeros((3, 6, 1))
    shapes[1:, 4, 0] = [0.4, 1.0]
    body = ls.FlexibleBody(
        positions, [1.0, 1, 1], shapes, [4.0], names={"position": 1, "modes": 2, "2": 2}
    )
    model.add(body, ls.Revolute("y"), name="energy")
    model.add(rigid(1), ls.Revolute("z"), name="time", to="energy.position")
    model.add(rigid(2), ls.Revolute("x"), name="momentum", to="time")
    with pytest.warns(ls.ModelWarning, match="has the name of a quantity") as said:
        run = random_run(model.compile(), np.random.default_rng(0))
    assert len(said) == 4
    system = run.system
    state = run.state(run.time[1])
    cases = {"energy": "energy", "energy.position": "energy.position", "energy.2": "energy.2"}
    for where, node in {**cases, "energy.modes": "energy.modes", "time": "time"}.items():
        assert np.array_equal(run[f"{where}.position"][1], ls.pose(system, state, node).position)
    assert np.array_equal(run["energy.modes"][1], state["energy.modes"])
    assert run["energy.kinetic"][1] == ls.energy(system, state).kinetic
    assert np.array_equal(run["energy"][1], state["energy"])
    assert run["time"].shape == (run.n,) and np.array_equal(
        run["time.coordinates"][1], state["time"]
    )
    assert np.array_equal(run["momentum.linear"][1], ls.momentum(system, state)[3:])
    assert np.array_equal(run["momentum.rates"][1], state["momentum.rates"])
    table = run.to_pandas()
    assert {"energy.total", "energy.modes.0", "time.position.x"} <= set(table.columns)


def test_components_are_channels_too():
    """One by its label, or all whose labels begin alike; of every kind of channel."""
    run = ls.simulate(rigid_pair(), duration=0.02, step=0.01)
    whole = run["arm.reaction_world"]
    assert run.channels("arm.reaction_world")["arm.reaction_world"].labels[3] == "force_x"
    np.testing.assert_array_equal(run["arm.reaction_world.force_x"], whole[:, 3])
    np.testing.assert_array_equal(run["arm.reaction_world.force"], whole[:, 3:])
    np.testing.assert_array_equal(run["arm.position.z"], run["arm.position"][:, 2])
    np.testing.assert_array_equal(run["pin.force.y"], run["pin.force"][:, 1])
    np.testing.assert_array_equal(run["momentum.linear_x"], run["momentum"][:, 3])
    assert not run["arm.reaction_world.force"].flags.writeable
    frame = run.to_pandas("arm.reaction_world.force", "pin.force.y", units="kN")
    assert list(frame.columns)[:2] == [f"arm.reaction_world.force.{x}" for x in "xy"]
    np.testing.assert_allclose(frame["pin.force.y"], run["pin.force"][:, 1] / 1000)
    with pytest.raises(ls.StateError, match="'arm.reaction_world' has no component 'forse'; did"):
        run["arm.reaction_world.forse"]
    with pytest.raises(ls.StateError, match="body 'arm' has no 'reaktion'"):
        run["arm.reaktion"]


def rigid_pair():
    model = ls.Model("pair", gravity=(0, 0, -9.81))
    bar = ls.RigidBody.box(1.0, (1, 0.1, 0.1), com=(0.5, 0, 0))
    model.add(bar, ls.Revolute("y"), name="arm")
    model.add(bar, ls.Revolute("y"), to="arm", at=(1, 0, 0), name="hand")
    model.close(ls.Spherical(), "hand", None, at_a=(1, 0, 0), at_b=(2, 0, 0), name="pin")
    return model.compile()
