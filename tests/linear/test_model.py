"""Linear models against nearby simulated motions, SciPy and python-control."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.io import loadmat
from scipy.linalg import expm

import lissom as ls
from tests.references.peers import peer
from tests.samples.linear_models import deviation, moved, moving, robot, robot_loads

pytestmark = pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")

OUTPUTS = [
    *("tool.velocity", "tool.angular_velocity", "tool.acceleration", "tool.angular_acceleration"),
    *("boom.reaction", "boom.force", "ball", "tool.position", "boom.tip.deflection"),
    *("end.rates", "boom.hinge_acceleration", "boom.mode_acceleration", "hub.coordinates"),
]


@pytest.fixture(scope="module")
def system():
    return robot()


@pytest.fixture(scope="module")
def model(system):
    inputs = ["hub", "motor", "tool.force", "tool.moment", "boom.modes"]
    return ls.linearize(system, moving(system), loads=robot_loads(), inputs=inputs, outputs=OUTPUTS)


def first_rows(system, state, integral, h):
    loads = robot_loads(integral)
    options = {"duration": 2 * h, "loads": loads, "integrator": "rk4", "step": h}
    return ls.simulate(system, state, **options)


def test_state_matrix_is_that_of_nearby_motions(system, model):
    """Difference of two simulated motions, divided by the distance of their starts, at once."""
    state, n, e, h = moving(system), system.n_v, 1e-4, 1e-5
    worst = []
    for k in range(model.n):
        x = e * np.eye(model.n)[k]
        a, b = (
            first_rows(
                system,
                system.state(moved(system, state.q, s * x[:n]), state.v + s * x[n : 2 * n]),
                s * x[2 * n :],
                h,
            )
            for s in (1, -1)
        )
        z = a["boom.servo_integral"] - b["boom.servo_integral"]
        rows = [
            np.concatenate([deviation(system, a.q[j], b.q[j]), a.v[j] - b.v[j], z[j]]) / (2 * e)
            for j in range(3)
        ]
        rate = (-3 * rows[0] + 4 * rows[1] - rows[2]) / (2 * h)
        worst.append(np.abs(rate - model.A[:, k]).max() / np.abs(model.A[:, k]).max())
    assert max(worst) < 2e-5


def test_outputs_are_those_of_nearby_rows(system, model):
    """C by differences of channels in the first rows of runs."""
    state, n, e = moving(system), system.n_v, 1e-5
    scale = np.abs(model.C).max(axis=1)
    for k in range(model.n):
        x = e * np.eye(model.n)[k]
        both = [
            first_rows(
                system,
                system.state(moved(system, state.q, s * x[:n]), state.v + s * x[n : 2 * n]),
                s * x[2 * n :],
                1e-6,
            )
            for s in (1, -1)
        ]
        change = np.concatenate([both[0][y][0] - both[1][y][0] for y in OUTPUTS]) / (2 * e)
        assert np.all(np.abs(change - model.C[:, k]) < 1e-5 * scale)


def test_attitude_is_the_small_rotation_of_a_frame(system):
    state, e = moving(system), 1e-5
    C = ls.linearize(system, state, outputs=["tool.attitude"]).C
    for k in range(system.n_v):
        turns = [
            ls.pose(
                system, system.state(moved(system, state.q, s * np.eye(system.n_v)[k])), "tool"
            ).rotation
            for s in (e, -e)
        ]
        W = turns[0] @ turns[1].T / (4 * e)
        W = W - W.T
        assert np.allclose([W[2, 1], W[0, 2], W[1, 0]], C[:, k], atol=1e-8)


def test_inputs_act_as_forces_and_loads_do(system, model):
    """B and D by differences of the first row of runs under added loads."""
    state, h = moving(system), 1e-6
    turn = ls.pose(system, state, "tool").rotation

    def rows(loads, forces=None):
        options = {"duration": h, "integrator": "rk4", "step": h, "loads": loads}
        return ls.simulate(system, state, forces=forces, **options)

    def added(column):
        name, u = model.inputs[column][0], 1e-3
        if name.startswith("hub."):
            which = [x for x, _ in model.inputs if x.startswith("hub.")].index(name)
            force = u * np.eye(6)[which]
            return lambda s: rows(robot_loads(), {"hub": s * force})
        if name.startswith("motor."):
            which = int(name[-1]) - 1
            force = u * np.eye(2)[which]
            return lambda s: rows(robot_loads(motor=np.array([0.3, 0.2]) + s * force))
        if name.startswith("boom.mode."):
            force = u * np.eye(len(state["boom.modes"]))[int(name[10:])]
            return lambda s: rows(robot_loads(), {"boom.modes": s * force})
        kind, which = name.split(".")[1], "xyz".index(name[-1])
        own = turn.T @ (u * np.eye(3)[which])

        def pushed(s):
            load = ls.NodeForce("tool", **{kind: s * own}, axes="body")
            return rows([*robot_loads(), load])

        return pushed

    n, scale = system.n_v, np.abs(model.D).max(axis=1) + 1e-9
    for k in range(len(model.inputs)):
        run = added(k)
        both = run(1.0), run(-1.0)
        change = np.concatenate([both[0][y][0] - both[1][y][0] for y in OUTPUTS]) / 2e-3
        assert np.all(np.abs(change - model.D[:, k]) < 1e-6 * scale), model.inputs[k]
        a = (both[0].acceleration[0] - both[1].acceleration[0]) / 2e-3
        expected = model.B[n : 2 * n, k]
        assert np.allclose(a, expected, rtol=1e-7, atol=1e-9 * max(1.0, np.abs(expected).max()))


def arm(damping=0.01):
    plastic = ls.Material("plastic", youngs_modulus=2e10, density=1200.0)
    boom = ls.beam(
        1.0, ls.Rectangle(0.02, 0.01), plastic, bending=2, torsion=0, stretch=0, damping=damping
    )
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(boom, ls.Universal("y", "z"), name="upper")
    model.add(
        ls.RigidBody.box(0.2, (0.4, 0.2, 0.1), com=(0.2, 0, 0)),
        ls.Spherical(),
        to="upper.tip",
        name="w",
    )
    return model.compile()


def test_error_of_the_prediction_is_quadratic_in_the_amplitude():
    system = arm()
    loads = [ls.JointSpring("upper", [3.0, 4.0], damping=[0.1, 0.1])]
    rest = ls.equilibrium(system, system.state(upper=[0.3, 0.0]), loads=loads)
    model = ls.linearize(system, rest, loads=loads)
    rng, n, duration = np.random.default_rng(1), system.n_v, 0.2
    shape = np.concatenate([rng.normal(size=n), 3 * rng.normal(size=n)])
    names = np.array([".mode." in name for name, _ in model.states])
    shape[names] *= 0.02
    propagator, errors, sizes = expm(duration * model.A), [], [0.02, 0.01, 0.005, 0.0025]
    for e in sizes:
        start = system.state(moved(system, rest.q, e * shape[:n]), e * shape[n:])
        end = ls.simulate(system, start, duration=duration, loads=loads, rtol=1e-11).state(duration)
        found = np.concatenate([deviation(system, end.q, rest.q), end.v])
        errors.append(np.linalg.norm(found - propagator @ (e * shape)))
    slope = np.polyfit(np.log(sizes), np.log(errors), 1)[0]
    assert abs(slope - 2) < 0.1


def test_discrete_model_has_the_samples_of_a_run_under_held_forces():
    system = arm()
    springs = [ls.JointSpring("upper", [3.0, 4.0], damping=[0.1, 0.1])]
    rest = ls.equilibrium(system, loads=springs)
    h, size = 0.02, 1e-5
    outputs = ["w.position", "upper.rates", "upper.tip.acceleration"]
    model = ls.linearize(system, rest, loads=springs, inputs=["w"], outputs=outputs, step=h)
    stepper = ls.Stepper(system, rest, step=h / 100, loads=springs, integrator="rk4")
    rng, x = np.random.default_rng(0), np.zeros(model.n)
    origin = np.concatenate([stepper[y] for y in outputs])
    for _ in range(15):
        u = size * rng.normal(size=3)
        x = model.A @ x + model.B @ u
        for _ in range(100):
            stepper.step({"w": u})
        found = np.concatenate([stepper[y] for y in outputs]) - origin
        assert np.allclose(found, model.C @ x + model.D @ u, rtol=1e-3, atol=1e-3 * size)


def chain(masses, springs, dampers):
    """Masses in a row on springs, the first one on the ground."""
    model, loads = ls.Model("chain"), []
    for k, m in enumerate(masses):
        to = f"m{k - 1}" if k else None
        model.add(ls.RigidBody(m), ls.Prismatic("x"), to=to, name=f"m{k}")
        loads.append(ls.JointSpring(f"m{k}", springs[k], damping=dampers[k]))
    return model.compile(), loads


def test_transfer_function_of_two_masses_is_the_textbooks():
    """x2/f1 of two masses between springs: (c s + k) over a polynomial of degree four."""
    m1, m2, k1, k2, c1, c2 = 2.0, 0.5, 30.0, 8.0, 0.3, 0.2
    system, loads = chain([m1, m2], [k1, k2], [c1, c2])
    model = ls.linearize(
        system, loads=loads, inputs=["m0", "m1.force"], outputs=["m1.position.x", "m0"]
    )
    s = np.poly1d([1.0, 0.0])
    a, b = m1 * s**2 + (c1 + c2) * s + k1 + k2, m2 * s**2 + c2 * s + k2
    poles = (a * b - (c2 * s + k2) ** 2).roots
    found = model.transfer("m0", "m1.position.x")
    assert np.allclose(np.sort_complex(found.poles), np.sort_complex(poles))
    assert np.allclose(found.zeros, [-k2 / c2])
    # gain of the relative coordinate of m0: f/(a - ...), from the determinant
    assert np.isclose(found.gain, c2 / (m1 * m2))
    w = np.array([0.1, 2.0, 9.0])
    exact = (c2 * 1j * w + k2) / (a * b - (c2 * s + k2) ** 2)(1j * w)
    response = model.frequency_response(w, input="m0", output="m1.position.x")
    assert np.allclose(response, exact, rtol=1e-12)
    assert model.frequency_response(2.0).shape == (2, 2)


def test_what_an_input_does_not_move_cancels():
    system = arm()
    rest = ls.equilibrium(system)
    model = ls.linearize(system, rest, inputs=["upper.angle1"], outputs=["upper.angle1"])
    found = model.transfer("upper.angle1", "upper.angle1")
    assert len(found.poles) < model.n
    w = np.array([3.0, 40.0])
    exact = model.frequency_response(w, input="upper.angle1", output="upper.angle1")
    values = [found.gain * np.prod(1j * x - found.zeros) / np.prod(1j * x - found.poles) for x in w]
    assert np.allclose(values, exact, rtol=1e-6)


def test_static_response_and_transfer_of_a_floating_pair():
    """Free motions that a pair of input and output has nothing to do with leave it finite."""
    m1, m2, k = 2.0, 0.5, 8.0
    model = ls.Model("pair")
    model.add(ls.RigidBody(m1), ls.Prismatic("x"), name="a")
    model.add(ls.RigidBody(m2), ls.Prismatic("x"), to="a", name="b")
    model.add(ls.RigidBody(1.0), ls.Prismatic("y"), name="c")
    loads = [ls.JointSpring("b", k)]
    found = ls.linearize(
        model.compile(), loads=loads, inputs=["a", "b"], outputs=["a", "b", "c", "b.rates"]
    )
    assert np.isclose(found.frequency_response(0.0, input="b", output="b"), 1 / k)
    assert found.frequency_response([0.0, 1.0], input="b", output="c")[0] == 0.0
    with pytest.raises(ls.StateError, match="from 'a' to 'a' it is infinite at omega = 0"):
        found.frequency_response(0.0)
    poles = np.sort_complex([0, 0, *(1j * np.sqrt(k * (m1 + m2) / m1 / m2) * np.array([1, -1]))])
    whole = found.transfer("a", "a")
    assert np.allclose(np.sort_complex(whole.poles), poles) and np.isclose(whole.gain, 1 / m1)
    assert np.allclose(np.abs(whole.zeros), np.sqrt(k / m2))
    none = found.transfer("a", "c")
    assert none.gain == 0.0 and len(none.poles) == len(none.zeros) == 0
    assert np.isclose(found.transfer("b", "b").gain, (m1 + m2) / m1 / m2)
    assert len(found.transfer("b", "b").zeros) == 0


def test_step_response_is_scipys():
    system, loads = chain([1.0, 2.0, 0.7], [5.0, 6.0, 7.0], [0.2, 0.1, 0.3])
    model = ls.linearize(system, loads=loads, inputs=["m0"], outputs=["m2.position.x"])
    time, values = model.step_response(8.0, input="m0", output="m2.position.x", points=401)
    from scipy.signal import step

    _, exact = step(model.to_scipy(), T=time)
    assert np.allclose(values, exact, atol=1e-6)
    sampled = model.discrete(0.02).step_response(8.0, input="m0", output="m2.position.x")
    assert np.allclose(sampled[1], exact, atol=1e-6)


@pytest.mark.peer
def test_python_control_gets_the_same_model():
    control = peer("control")
    system, loads = chain([1.0, 2.0], [5.0, 6.0], [0.2, 0.1])
    model = ls.linearize(system, loads=loads, inputs=["m0"], outputs=["m1", "m1.velocity.x"])
    for given in (model, model.discrete(0.1)):
        theirs = given.to_control()
        assert theirs.input_labels == ["m0"]
        assert theirs.state_labels[0] == "m0_slide"
        assert theirs.isdtime(strict=True) == (given.step is not None)
        assert np.allclose(np.sort_complex(theirs.poles()), np.sort_complex(given.poles()))
        w = np.array([0.3, 1.7, 4.0])
        z = 1j * w if given.step is None else np.exp(1j * w * given.step)
        ours = given.frequency_response(w, input="m0")
        assert np.allclose([theirs(s) for s in z], ours[..., None])
    zeros = control.zeros(model.chosen(output="m1").to_control())
    assert np.allclose(zeros, model.transfer("m0", "m1").zeros)


def test_matlab_file_has_matrices_and_names(tmp_path):
    system, loads = chain([1.0, 2.0], [5.0, 6.0], [0.2, 0.1])
    model = ls.linearize(system, loads=loads, inputs=["m0"], outputs=["m1"]).discrete(0.1)
    model.save(tmp_path / "chain.mat")
    found = loadmat(tmp_path / "chain.mat", simplify_cells=True)
    assert np.array_equal(found["A"], model.A)
    assert found["step"] == 0.1
    assert list(found["state_names"]) == ["m0.slide", "m1.slide", "m0.slide.rate", "m1.slide.rate"]
    assert list(found["state_units"]) == ["m", "m", "m/s", "m/s"]
    with pytest.raises(ls.ResultError, match=r"\.mat"):
        model.save(tmp_path / "chain.txt")


def test_joints_that_follow_a_motion_or_are_held_are_no_states():
    system = robot()
    state = system.state(hub=[1, 0, 0, 0, 0, 0, 0])
    held = ls.linearize(system, state, held=["hub", "ball"])
    assert not any(name.startswith(("hub", "ball")) for name, _ in held.states)
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    rod = ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0))
    model.add(rod, ls.Revolute("z"), name="a")
    model.add(rod, ls.Revolute("y"), to="a", at=(2, 0, 0), name="b")
    two = model.compile()
    spin, turned = ls.Motion("a", lambda t: 2.0 * t), two.state(b=0.4, **{"a.rates": 2.0})
    driven = ls.linearize(two, turned, loads=[spin], inputs=["b"], outputs=["a.force", "b"])
    assert [x for x, _ in driven.states] == ["b.angle", "b.angle.rate"]
    # b swings about y at the distance 2 from an axis that turns: the torque of the motor follows
    e = 1e-5
    for k, piece in enumerate(("b", "b.rates")):
        torques = [
            ls.simulate(
                two,
                two.state(**{"b": 0.4, "a.rates": 2.0} | {piece: x}),
                loads=[spin],
                duration=1e-6,
                step=1e-6,
                integrator="rk4",
            )["a.force"][0, 0]
            for x in (0.4 * (k == 0) + e, 0.4 * (k == 0) - e)
        ]
        assert np.isclose((torques[0] - torques[1]) / (2 * e), driven.C[0, k], rtol=1e-6)


def test_printout_fits_eighty_columns(model):
    assert max(map(len, repr(model).splitlines())) <= 80
    assert repr(model).startswith("LinearModel of robot: 40 states")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"inputs": ["hubb"]}, "no input 'hubb'.*'hub'"),
        ({"inputs": ["boom.tipp.force"]}, "no input"),
        ({"outputs": ["hub.speed"]}, "no output 'hub.speed'"),
        ({"outputs": ["tol.position"]}, "no body or frame 'tol'; did you mean 'tool'"),
        ({"outputs": 3}, "outputs is 3"),
        ({"held": ["knee"]}, "no joint 'knee'"),
        ({"step": -1.0}, "step is -1.0"),
        ({"loads": [ls.Controller(lambda t, s: 0.0, 0.1)]}, "sampled controller"),
    ],
)
def test_mistakes_are_named(system, given, words):
    with pytest.raises(ls.LissomError, match=words):
        ls.linearize(system, system.state(), **given)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda model: model.chosen(input=5), "no input 5"),
        (lambda model: replace(model, A="a"), "A is 'a'"),
        (lambda model: replace(model, A=np.full((40, 40), np.nan)), "A is .* finite numbers"),
        (lambda model: replace(model, states=5), "states is 5"),
        (lambda model: replace(model, step=-1.0), "step is -1"),
    ],
)
def test_mistakes_about_a_model_are_named(model, call, words):
    with pytest.raises(ls.LissomError, match=words):
        call(model)


def test_the_torque_of_a_wheel_is_an_input_and_its_speed_a_state():
    """B and D by differences of rows under changed torques; the wheel gains what the hull loses."""
    model = ls.Model("satellite")
    box = ls.RigidBody.box(10.0, (1, 0.8, 0.6), com=(0.1, 0, 0.05))
    model.add(box, ls.Free(), name="hull")
    panel = ls.RigidBody.box(1.0, (0.5, 0.1, 0.1), com=(0.25, 0, 0))
    model.add(panel, ls.Revolute((0, 1, 1)), to="hull", at=(0.5, 0, 0), name="panel")
    turn = {"axis": (1, 1, 0), "angle": 0.7}
    model.frame("seat", on="panel", at=(0.1, 0.2, 0.1), rotation=turn)
    system, channels = model.compile(), ["hull.angular_acceleration", "panel.reaction"]
    state = system.state(panel=0.4).replace(v=np.linspace(0.1, 0.7, 7))

    def loads(torque):
        return [ls.Rotor("seat", 0.05, 300.0, torque=torque, axis=(1, 2, 2), name="wheel")]

    found = ls.linearize(system, state, loads=loads(0.2), inputs=["wheel"], outputs=channels)
    assert found.inputs == (("wheel", "N m"),) and found.states[-1] == ("wheel.speed", "rad/s")
    options = {"duration": 1e-5, "step": 1e-5, "integrator": "rk4"}
    runs = [ls.simulate(system, state, loads=loads(0.2 + u), **options) for u in (0.01, -0.01)]
    first = [np.concatenate([run[y][0] for y in channels]) for run in runs]
    assert np.allclose((first[0] - first[1]) / 0.02, found.D[:, 0], atol=1e-10)
    first = [run.acceleration[0] for run in runs]
    assert np.allclose((first[0] - first[1]) / 0.02, found.B[7:14, 0], atol=1e-10)
    assert np.isclose(found.B[14, 0], 1 / 0.05)
    with pytest.raises(ls.StateError, match="2 wheels are called 'hull.wheel'"):
        two = [ls.Rotor("hull", 0.1, 1.0, torque=0.0, axis=x) for x in "xy"]
        ls.linearize(system, state, loads=two, inputs=["hull.wheel"])


def test_a_driven_wheel_nutates_with_its_hull():
    model = ls.Model("satellite")
    model.add(ls.RigidBody(10.0, inertia=np.diag([2.0, 3.0, 4.0])), ls.Free(), name="hull")
    wheel = ls.Rotor("hull", 0.05, 300.0, torque=0.0)
    found = ls.modes(model.compile(), loads=[wheel])
    assert found.n_rigid == 6 and len(found) == 7
    assert np.isclose(2 * np.pi * found.frequencies[6], 15.0 / np.sqrt(6.0))
