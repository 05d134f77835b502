"""Servos: closed-form step responses, saturation and anti-windup, orders, steps of stiff gains."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import lissom as ls
from lissom import LoadError
from tests.tools.runs import DeathError, dying

INERTIA = 0.5


def wheel(joint=None, **more):
    """A wheel about z without gravity: inertia times acceleration is the force of its joint."""
    model = ls.Model("wheel", gravity=(0, 0, 0))
    body = ls.RigidBody(2.0, inertia=(0.3, 0.4, INERTIA))
    model.add(body, joint or ls.Revolute("z"), name="wheel", **more)
    return model.compile()


def run(servo, *, start=None, duration=1.0, system=None, loads=(), **options):
    system = system or wheel()
    options = {"output_step": 0.05, "progress": False, **options}
    start = system.state(**start) if start else None
    return ls.simulate(
        system, start, duration=duration, loads=[*([servo] if servo else []), *loads], **options
    )


def linear(A, x0, times):
    return np.array([expm(A * t) @ x0 for t in times])


PID = {"kp": 30.0, "kd": 3.0, "ki": 40.0}
ADAPTIVE = {"dop853": 1e-9, "dopri5": 1e-9}
FIXED = {"rk4": 4, "euler_cromer": 1, "linearly_implicit_euler": 1, "generalized_alpha": 2}


def pid_errors(times):
    """Error of a wheel that is asked to go from 0 to 1, (integral, error, rate), exactly."""
    kp, kd, ki = (PID[x] / INERTIA for x in ("kp", "kd", "ki"))
    A = np.array([[0, 1, 0], [0, 0, 1], [-ki, -kp, -kd]])
    return linear(A, np.array([0.0, 1.0, 0.0]), times)


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_pd_is_a_damped_oscillator(integrator):
    found = run(ls.Servo("wheel", 1.0, kp=30.0, kd=3.0), integrator=integrator, rtol=1e-9)
    A = np.array([[0, 1], [-30.0 / INERTIA, -3.0 / INERTIA]])
    exact = linear(A, np.array([1.0, 0.0]), found.time)
    assert np.allclose(found["wheel.angle"], 1 - exact[:, 0], rtol=0, atol=1e-8)
    assert np.allclose(found["wheel.servo_error"][:, 0], exact[:, 0], rtol=0, atol=1e-8)
    assert np.allclose(found["wheel.servo_force"], found["wheel.force"], rtol=0, atol=0)


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_pid_is_a_linear_system_of_order_three(integrator):
    found = run(ls.Servo("wheel", 1.0, **PID), integrator=integrator, rtol=1e-9)
    exact = pid_errors(found.time)
    assert np.allclose(found["wheel.angle"], 1 - exact[:, 1], rtol=0, atol=1e-8)
    assert np.allclose(found["wheel.servo_integral"][:, 0], exact[:, 0], rtol=0, atol=1e-8)


@pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")  # of coarse steps
@pytest.mark.parametrize("integrator, order", FIXED.items())
def test_the_integral_has_the_order_of_the_method(integrator, order):
    errors = []
    for n in (40, 80, 160):
        found = run(ls.Servo("wheel", 1.0, **PID), integrator=integrator, step=1 / n, output_step=1)
        exact = pid_errors([1.0])[0]
        errors.append(
            [
                found["wheel.servo_integral"][-1, 0] - exact[0],
                found["wheel.servo_error"][-1, 0] - exact[1],
            ]
        )
    rates = np.log2(np.abs(np.array(errors)[:-1] / np.array(errors)[1:]))
    assert np.all(rates[-1] > order - 0.25), rates


def test_a_saturated_servo_is_a_bang_and_a_closed_form():
    found = run(ls.Servo("wheel", 100.0, kp=1e3, limit=0.7), duration=2.0)
    assert np.allclose(found["wheel.angle"], 0.5 * 0.7 / INERTIA * found.time**2, atol=1e-9)
    assert np.all(found["wheel.servo_force"] == 0.7)


def windup_reference(kp, kd, ki, limit, duration):
    """The same by SciPy: it stops wherever the integral begins or ceases to stand still."""

    def command(x):
        return kp * (1 - x[0]) - kd * x[1] + ki * x[2]

    def rates(free):
        def f(t, x):
            force = np.clip(command(x), -limit, limit)
            return [x[1], force / INERTIA, (1 - x[0]) * free]

        return f

    events = [lambda t, x: abs(command(x)) - limit, lambda t, x: 1 - x[0]]
    for event in events:
        event.terminal = True
    t, x = 0.0, np.array([0.0, 0.0, 0.0])
    while t < duration:
        u = command(x + 1e-9 * np.array(rates(True)(t, x)))
        free = not (abs(u) >= limit and u * (1 - x[0]) > 0)
        # a first step away from the event that ended the last piece
        ahead = solve_ivp(rates(free), (t, t + 1e-7), x, rtol=1e-12, atol=1e-14)
        t, x = t + 1e-7, ahead.y[:, -1]
        piece = solve_ivp(
            rates(free), (t, duration), x, "DOP853", events=events, rtol=1e-12, atol=1e-14
        )
        t, x = piece.t[-1], piece.y[:, -1]
    return x


@pytest.mark.parametrize("integrator", ["dop853", "generalized_alpha"])
def test_the_integral_stands_still_at_the_limit(integrator):
    gains = {"kp": 10.0, "kd": 1.0, "ki": 20.0}
    exact = windup_reference(*gains.values(), 1.5, 3.0)
    fixed = {"step": 1e-4} if integrator == "generalized_alpha" else {"rtol": 1e-9}
    found = run(ls.Servo("wheel", 1.0, limit=1.5, **gains), duration=3.0, integrator=integrator,
                **fixed)  # fmt: skip
    last = [found["wheel.angle"][-1], found["wheel.rates"][-1, 0],
            found["wheel.servo_integral"][-1, 0]]  # fmt: skip
    assert np.allclose(last, exact, rtol=0, atol=1e-6 if integrator == "dop853" else 2e-4)
    loose = run(ls.Servo("wheel", 1.0, **gains), duration=3.0)
    assert abs(found["wheel.servo_force"]).max() <= 1.5 < abs(loose["wheel.servo_force"]).max()


@pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")  # of what the function costs
def test_stiff_gains_take_the_steps_of_the_same_spring():
    kp, kd = 1e8, 1e5
    spring = ls.JointSpring("wheel", kp, rest=0.3, damping=kd)

    @njit
    def pd(t, q, v, out):
        out[0] = kp * (0.3 - q[0]) - kd * v[0]

    counts = ("steps", "iterations", "divided_steps")
    options = {"integrator": "generalized_alpha", "start": {"wheel": 0.1}, "duration": 0.02}
    for more in ({"step": 1e-3, "output_step": 0.02}, {"rtol": 1e-4, "output_step": 0.02}):
        as_servo = run(ls.Servo("wheel", 0.3, kp=kp, kd=kd), **options, **more)
        limited = run(ls.Servo("wheel", 0.3, kp=kp, kd=kd, limit=1e9), **options, **more)
        as_spring, as_function = (
            run(spring, **options, **more),
            run(None, forces=pd, **options, **more),
        )
        expected = [as_spring.statistics[x] for x in counts]
        assert [as_servo.statistics[x] for x in counts] == expected
        # the first fixed step changes the speed too much to be looked through: it is divided
        assert limited.statistics["steps"] <= 2 * expected[0]
        # its gains are found; adaptive steps beside a function are as short as its probes
        assert as_function.statistics["steps"] <= (2 * expected[0] if "step" in more else 4300)


def test_the_integral_is_in_the_slopes():
    servo = ls.Servo("wheel", 0.3, kp=1e6, kd=2e4, ki=2e9)  # in a step of 1 ms, ki h / 2 is kp
    found = run(servo, integrator="generalized_alpha", step=1e-3, duration=0.05)
    assert found.statistics["iterations"] == 2 * found.statistics["steps"]  # the second confirms


# Targets


def sine(t):
    return 0.2 * np.sin(4 * t)


def sine_rate(t):
    return 0.8 * np.cos(4 * t)


@njit
def compiled_sine(t, out):
    out[0] = 0.2 * np.sin(4 * t)
    out[1] = 0.8 * np.cos(4 * t)


def followed_by_scipy(kp, kd, duration):
    def rates(t, x):
        return [x[1], (kp * (sine(t) - x[0]) + kd * (sine_rate(t) - x[1])) / INERTIA]

    return solve_ivp(rates, (0, duration), [0, 0], "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]


@pytest.mark.parametrize(
    "given",
    [{"target": sine}, {"target": sine, "rate": sine_rate}, {"target": compiled_sine}],
    ids=["differences", "given rate", "compiled"],
)
def test_a_function_is_followed_with_its_rate(given):
    found = run(ls.Servo("wheel", kp=30.0, kd=3.0, **given), duration=0.5, rtol=1e-9)
    assert np.allclose(
        [found["wheel.angle"][-1], found["wheel.rates"][-1, 0]],
        followed_by_scipy(30.0, 3.0, 0.5),
        rtol=0,
        atol=1e-8,
    )


def test_a_ramp_is_followed_without_lag_by_the_rate_of_its_table():
    ramp = ls.Table([0.0, 10.0], [0.0, 5.0])
    found = run(ls.Servo("wheel", ramp, kp=30.0, kd=3.0), start={"wheel.rates": 0.5})
    assert np.allclose(found["wheel.angle"], 0.5 * found.time, rtol=0, atol=1e-12)


def test_each_coordinate_of_a_joint_has_its_own_target_and_gains():
    system = wheel(ls.Cylindrical("z"))
    servo = ls.Servo("wheel", [1.0, 0.2], kp=[30.0, 80.0], kd=[3.0, 0.0], ki=[0.0, 5.0])
    found = run(servo, system=system, rtol=1e-9)
    turn = linear(np.array([[0, 1], [-60.0, -6.0]]), np.array([1.0, 0.0]), found.time)
    slide = np.array([[0, 1, 0], [0, 0, 1], [-2.5, -40.0, 0]])  # 2 kg
    slide = linear(slide, np.array([0.0, 0.2, 0.0]), found.time)
    assert np.allclose(
        found["wheel.servo_error"], np.stack([turn[:, 0], slide[:, 1]], 1), atol=1e-8
    )
    assert np.allclose(found["wheel.servo_integral"][:, 1], slide[:, 0], atol=1e-8)


# Beside other parts of a run


def test_the_integral_stands_still_while_the_servo_is_off():
    servo = ls.Servo("wheel", 1.0, name="servo", **PID)
    off = ls.Event(lambda t, state: t - 0.301, ls.Switch("servo", False))
    found = run(servo, events=[off], duration=0.6)
    late = found.time > 0.302
    assert np.all(found["wheel.servo_force"][late] == 0)
    assert np.all(found["wheel.hinge_acceleration"][late] == 0)
    on = ls.Event(lambda t, state: t - 0.401, ls.Switch("servo", True))
    again = run(servo, events=[off, on], duration=0.401 + 1e-6, output_step=0.001)
    before = again["wheel.servo_integral"][np.searchsorted(again.time, 0.3)]
    assert abs(again["wheel.servo_integral"][-1] - before) < 2e-3 * 1.0


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("kind", ["dop853", "generalized_alpha", "rk4", "linearly_implicit_euler"])
def test_a_resumed_run_has_the_same_bits(kind, tmp_path, monkeypatch):
    options = {"integrator": kind} | ({} if kind == "dop853" else {"step": 0.01})
    servo, path = ls.Servo("wheel", sine, limit=2.0, integral=0.1, **PID), tmp_path / "run.nc"
    whole = run(servo, **options)
    with monkeypatch.context() as patch:
        dying(patch, 3)
        with pytest.raises(DeathError):
            run(servo, file=path, **options)
    resumed = run(servo, resume=path, **options)
    for field in ("time", "q", "v", "force", "servo"):
        assert resumed.store.read(field).tobytes() == whole.store.read(field).tobytes(), field
    saved = ls.load(path)
    assert np.array_equal(saved["wheel.servo_integral"], whole["wheel.servo_integral"])


def test_equilibrium_counts_the_servo_and_keeps_its_integral():
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(
        ls.RigidBody(2.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)), ls.Revolute("y"), name="arm"
    )
    system = model.compile()
    servo = ls.Servo("arm", 0.0, kp=50.0, ki=20.0, integral=-0.3)
    angle = ls.equilibrium(system, loads=[servo])["arm"][0]
    # y points to the right: the weight turns the arm down, in the positive sense
    assert abs(9.81 * np.cos(angle) - 50.0 * angle - 20.0 * 0.3) < 1e-8


def test_a_driven_joint_has_the_servo_in_its_force():
    motion = ls.Motion("wheel", lambda t: 0.5 * t * t)
    found = run(ls.Servo("wheel", 0.2, kp=30.0), loads=[motion], duration=0.2)
    assert np.allclose(found["wheel.force"], INERTIA, atol=1e-9)
    assert np.allclose(found["wheel.servo_force"][:, 0], 30 * (0.2 - found["wheel.angle"]))


def test_on_an_elastic_drive_a_servo_belongs_to_the_rotor():
    model = ls.Model("drive", gravity=(0, 0, 0))
    model.add(ls.RigidBody(2.0, inertia=(0.3, 0.4, 0.5)), ls.Revolute("z"), name="arm")
    drive = ls.flexible_drive(model, "arm", stiffness=1e3, ratio=10.0, rotor_inertia=1e-3)
    system = model.compile()
    with pytest.raises(LoadError, match="rotor"):
        run(ls.Servo("arm", 1.0, kp=1.0), system=system, loads=[drive])
    good = ls.Servo("arm_rotor", 0.1, kp=50.0, kd=5.0)
    assert run(good, system=system, loads=[drive]).status == "finished"


# Files and mistakes

FILE = """
lissom = 1
[[parts]]
name = "wheel"
body = { kind = "box", mass = 2, size = [1, 1, 1] }
joint = "revolute z"
[simulation]
duration = 1
[[simulation.loads]]
kind = "servo"
joint = "wheel"
target = { times = [0, 1], values = ["0 deg", "90 deg"] }
kp = "30 N m/rad"
kd = "3 N m s/rad"
ki = "40 N m/rad/s"
limit = "12 N m"
integral = "1 deg s"
"""


def test_a_model_file_holds_a_servo_with_units(tmp_path):
    path = tmp_path / "wheel.toml"
    path.write_text(FILE)
    loaded = ls.load_run(path)
    servo = loaded.settings["loads"][0]
    assert (servo.kp, servo.kd, servo.ki, servo.limit) == (30.0, 3.0, 40.0, 12.0)
    assert np.isclose(servo.integral, np.pi / 180) and servo.target.values[1] == np.pi / 2
    model = ls.load(path)
    model.save(tmp_path / "again.toml", simulation={"duration": 1.0, "loads": [servo]})
    again = ls.load_run(tmp_path / "again.toml").settings["loads"][0]
    for name in ("kp", "kd", "ki", "limit", "integral"):
        assert getattr(again, name) == getattr(servo, name)


@pytest.mark.parametrize(
    "key, wrong",
    [
        ("kp", '"30 N/m"'),
        ("ki", '"40 N m/rad"'),
        ("limit", '"12 N"'),
        ("integral", '"1 m s"'),
        ("target", '"1 m"'),
    ],
)
def test_units_that_do_not_fit_the_joint_are_found(tmp_path, key, wrong):
    lines = [f"{key} = {wrong}" if x.startswith(f"{key} =") else x for x in FILE.splitlines()]
    path = tmp_path / "wheel.toml"
    path.write_text("\n".join(lines))
    problems = ls.check_file(path)
    assert len(problems) == 1 and problems[0].key.endswith(key), problems


WRONG = {
    "kp is -1": {"kp": -1.0},
    "all zero": {"kp": 0.0},
    "limit is 0": {"kp": 1.0, "limit": 0.0},
    "limit is 'strong'": {"kp": 1.0, "limit": "strong"},
    "ki is zero": {"kp": 1.0, "integral": 1.0},
    "kd is zero": {"kp": 1.0, "target": sine, "rate": sine_rate},
    "a constant or a table": {"kp": 1.0, "kd": 1.0, "target": 1.0, "rate": sine_rate},
    "writes its rates": {"kp": 1.0, "kd": 1.0, "target": compiled_sine, "rate": sine_rate},
    "rate is 3.0": {"kp": 1.0, "kd": 1.0, "target": sine, "rate": 3.0},
    "spacing is 0": {"kp": 1.0, "spacing": 0.0},
    "joint is 3": {"kp": 1.0, "joint": 3},
}


@pytest.mark.parametrize("words", WRONG)
def test_mistakes_are_named(words):
    with pytest.raises(LoadError, match=words):
        ls.Servo(**{"joint": "wheel", **WRONG[words]})


def test_mistakes_that_show_in_a_run_are_named():
    ball = wheel(ls.Spherical())
    with pytest.raises(LoadError, match=r"no coordinates whose rates"):
        run(ls.Servo("wheel", 1.0, kp=1.0), system=ball)
    with pytest.raises(LoadError, match="function of time alone"):
        run(ls.Servo("wheel", lambda t, state: 1.0, kp=1.0))
    with pytest.raises(LoadError, match=r"kp has shape \(2,\)"):
        run(ls.Servo("wheel", 1.0, kp=[1.0, 2.0]))
    with pytest.raises(LoadError, match="target"):
        run(ls.Servo("wheel", [1.0, 2.0], kp=1.0))
