"""Runs that begin far from time zero: the same motion as from zero, to the last bit."""

import warnings

import numpy as np
import pytest

import lissom as ls

FAR = 8e8  # [s] since 1995, about; numbers there are 1.2e-7 s apart
TIMES = np.arange(9) / 8
HEIGHTS = np.array([0.0, 0.1, 0.3, 0.2, 0.0, -0.1, 0.2, 0.2, 0.1])


def arm():
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(ls.RigidBody.box(2.0, (1, 1, 1)), ls.Prismatic("x"), name="cart")
    model.add(rod, ls.Revolute("y"), to="cart", name="rod")
    return model.compile()


ARM = arm()


class Counting:
    """Controller with a state, which notes its times."""

    def __init__(self):
        self.sum, self.times = 0.0, []

    def update(self, t, state):
        self.times.append(t)
        self.sum += state["rod"][0]
        return {"rod": -0.1 * self.sum}

    def get_state(self):
        return [self.sum, list(self.times)]

    def set_state(self, saved):
        self.sum, self.times = saved[0], list(saved[1])


def loads(start, kind):
    table = ls.Table(start + TIMES, HEIGHTS, kind)
    return {
        "force": [ls.Actuator("cart", table), ls.JointDamper("rod", 0.2)],
        "motion": [ls.Motion("cart", table)],
        "servo": [ls.Servo("cart", table, kp=100.0, kd=10.0, ki=5.0)],
        "controller": [ls.Controller(Counting(), 0.03), ls.Actuator("cart", table)],
    }


def rows(start, what, kind, **settings):
    events = [ls.Event("rod", (), value=-0.3)]
    run = ls.simulate(
        ARM,
        ARM.state(rod=0.3) if what != "motion" else None,
        duration=1.0,
        start=start,
        loads=loads(start, kind)[what],
        events=events,
        **settings,
    )
    assert run.status == "finished"
    return run


@pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")
@pytest.mark.parametrize("settings", ["auto", "rk4", "generalized_alpha", "dopri5"])
@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("force", "steps"),
        ("force", "linear"),
        ("servo", "linear"),
        ("motion", "smooth"),
        ("motion", "monotone"),
        ("controller", "rest"),
    ],
)
def test_a_run_with_tables_far_from_zero_is_that_from_zero_to_the_last_bit(settings, what, kind):
    options = {"integrator": settings}
    if settings in ("rk4", "generalized_alpha"):
        options["step"] = 1 / 128
    near, far = rows(0.0, what, kind, **options), rows(FAR, what, kind, **options)
    assert np.array_equal(near.q, far.q) and np.array_equal(near.v, far.v)
    assert np.array_equal(near.acceleration, far.acceleration)
    assert np.array_equal(FAR + near.time, far.time)


def test_output_times_and_samples_far_from_zero():
    controller = Counting()
    run = ls.simulate(
        ARM,
        duration=1.0,
        start=FAR,
        output_step=0.1,
        loads=[ls.Controller(controller, 0.25)],
        step=0.05,
        integrator="rk4",
    )
    assert np.allclose(run.time - FAR, 0.1 * np.arange(11), rtol=0, atol=1.2e-7)
    assert controller.times == [FAR + k / 4 for k in range(5)]


@pytest.mark.filterwarnings("ignore:.*may be uncertain")
@pytest.mark.parametrize("start", [1e8, FAR])
def test_a_motion_by_a_function_of_the_time_since_the_start_is_as_exact_as_from_zero(start):
    def far(t):
        return 0.3 * np.sin(3.1 * (t - start))

    near_zero, options = ARM.state(cart=0.0, rod=0.3), {"duration": 2.0, "rtol": 1e-8}
    state = ls.assemble(ARM, near_zero, loads=[ls.Motion("cart", far)], time=start)
    run = ls.simulate(ARM, state, start=start, loads=[ls.Motion("cart", far)], **options)
    near = [ls.Motion("cart", lambda t: 0.3 * np.sin(3.1 * t))]
    exact = ls.simulate(
        ARM, ls.assemble(ARM, near_zero, loads=near), loads=near, duration=2.0, rtol=1e-12
    )
    assert np.abs(run.q[-1] - exact.q[-1]).max() < 1e-7


def test_a_function_that_cannot_be_differentiated_there_is_told():
    def wave(t):
        return 0.3 * np.sin(3.1 * t)

    state = ls.assemble(ARM, loads=[ls.Motion("cart", wave)], time=1e8)
    settings = {"duration": 0.01, "start": 1e8}
    with pytest.warns(ls.SimulationWarning, match=r"cart.*rates by differences.*derivatives"):
        ls.simulate(ARM, state, loads=[ls.Motion("cart", wave)], time_limit=0.3, **settings)
    motion = ls.Motion(
        "cart",
        wave,
        velocity=lambda t: 0.93 * np.cos(3.1 * t),
        acceleration=lambda t: -2.883 * np.sin(3.1 * t),
    )
    with warnings.catch_warnings():  # the first remedy
        warnings.simplefilter("error")
        ls.simulate(ARM, state, loads=[motion], rtol=1e-6, **settings)
        # the second
        ls.simulate(ARM, loads=[ls.Motion("cart", lambda t: wave(t) - wave(0.0))], duration=1.0)


def test_a_force_whose_time_is_coarser_than_the_tolerance_is_told():
    force = ls.Actuator("cart", lambda t: np.sin(3.1 * t))
    with pytest.warns(ls.SimulationWarning, match=r"are 1.2e-07 s apart.*start=0"):
        ls.simulate(ARM, duration=1.0, start=FAR, loads=[force], rtol=1e-9, time_limit=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.simulate(ARM, duration=1.0, start=FAR, loads=[force], rtol=1e-5)
        ls.simulate(ARM, duration=1.0, loads=[force], rtol=1e-9)


def test_axes_of_an_orbit_have_turned_by_the_start_of_a_run():
    """Gravity gradient, whose axes turn with time itself: as from zero with axes turned before."""
    model = ls.Model("satellite")
    model.add(ls.RigidBody(10.0, inertia=(5.0, 8.0, 9.0)), ls.Free(), name="hull")
    system, rate, start = model.compile(), 0.2, 3.0
    turned = (np.cos(rate * start), np.sin(rate * start), 0.0)
    late = ls.simulate(system, start=start, duration=5.0, loads=[ls.GravityGradient(rate)])
    early = ls.simulate(system, duration=5.0, loads=[ls.GravityGradient(rate, radial=turned)])
    assert np.abs(early.v[-1]).max() > 1e-3
    np.testing.assert_allclose(late.v[-1], early.v[-1], rtol=1e-7, atol=1e-9)
    state = system.neutral()
    slow = [
        ls.linearize(system, state, time=t, loads=[ls.GravityGradient(rate, radial=radial)]).A
        for t, radial in ((start, (1, 0, 0)), (0.0, turned))
    ]
    np.testing.assert_allclose(*slow, atol=1e-12)


def test_steppers_and_batches_far_from_zero_are_those_from_zero():
    ends = []
    for start in (0.0, FAR):
        table = ls.Table(start + TIMES, HEIGHTS, "smooth")
        loads = [ls.Actuator("cart", table)]
        stepper = ls.Stepper(ARM, ARM.state(rod=0.3), step=1 / 64, loads=loads, start=start)
        for _ in range(64):
            stepper.step()
        assert stepper.time == start + 1.0
        states = np.array([[0.0, 0.3], [0.1, 0.2]]), np.zeros((2, 2))
        runs = ls.simulate_batch(
            ARM, states, duration=1.0, step=1 / 64, start=start, loads=loads, integrator="rk4"
        )
        assert all(runs.status == "finished")
        ends.append([stepper.q, *(run.q[-1] for run in runs)])
    assert np.array_equal(ends[0], ends[1])


def test_a_resumed_run_far_from_zero_is_the_whole_one(tmp_path):
    def run(**more):
        table = ls.Table(FAR + TIMES, HEIGHTS, "smooth")
        loads = [ls.Actuator("cart", table), ls.Controller(Counting(), 0.03)]
        settings = {"duration": 1.0, "start": FAR, "step": 1 / 256, "integrator": "rk4"}
        return ls.simulate(ARM, ARM.state(rod=0.3), loads=loads, **settings, **more)

    whole = run()
    path = str(tmp_path / "a.nc")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ls.SimulationWarning)
        part = run(file=path, time_limit=1e-9)
    assert part.status == "time limit" and len(part.time) < len(whole.time)
    done = run(resume=path + ".part")
    assert np.array_equal(done.q, whole.q) and np.array_equal(done.time, whole.time)


def test_a_step_that_rows_could_not_show_is_refused_with_its_cause():
    with pytest.raises(ls.LoadError, match=r"step of 1e-06 s.*resolution at t = 8e\+08 s"):
        ls.simulate(ARM, duration=1.0, start=FAR, step=1e-6)


def test_a_sweep_far_from_zero_keeps_channels_at_the_times_that_were_asked_for():
    table = ls.Table(FAR + TIMES, HEIGHTS, "smooth")

    def run(system, k):
        return ls.simulate(
            system, duration=1.0, start=FAR, output_step=1 / 64, loads=[ls.Actuator("cart", table)]
        )

    asked = FAR + np.arange(65) / 64 - 2.0**-20  # a row and a microsecond
    asked[0] = FAR
    dataset = ls.sweep(
        lambda: ARM, {"k": [1]}, run, "serial", channels=["cart.rates"], times=asked, progress=False
    )
    whole = run(ARM, 1)
    exact = whole.v[:, 0] - 2.0**-20 * whole.acceleration[:, 0]
    assert np.abs(np.ravel(dataset["cart.rates"])[1:] - exact[1:]).max() < 1e-9
