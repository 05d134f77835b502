"""Momentum and energy of rotors in results, against wheels that are bodies and conservation."""

import numpy as np
import pytest

import lissom as ls

J = 0.05  # of the wheel about its axis [kg m^2]
RATES = {"hull.rates": [0.1, 0.2, 0.3, 1.0, 0.0, 0.0]}


def torque(t):
    return 0.5 * np.cos(t)


def satellite(locked):
    """Free hull that carries an arm; its inertia includes that of the locked wheel, or lacks it."""
    model = ls.Model("satellite")
    inertia = np.diag([4.0, 5.0, 6.0 + (J if locked else 0.0)])
    model.add(ls.RigidBody(50.0, inertia=inertia), ls.Free(), name="hull")
    arm = ls.RigidBody(2.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    model.add(arm, ls.Revolute("y"), to="hull", at=(1, 0, 0), name="arm")
    return model


def with_body_as_wheel():
    """The satellite with a body as its wheel, which takes its inertia across from the hull."""
    model = satellite(locked=False)
    model.replace("hull", ls.RigidBody(50.0, inertia=(4 - J / 2, 5 - J / 2, 6)))
    wheel = ls.RigidBody(1e-9, inertia=(J / 2 + 1e-12, J / 2 + 1e-12, J))
    model.add(wheel, ls.Revolute("z"), to="hull", name="wheel")
    return model.compile()


def run_with(rotors, *, locked, file=None, **settings):
    system = satellite(locked).compile()
    servo = ls.Servo("arm", 0.2, kp=3.0, kd=1.0, ki=0.5)
    loads = [rotors[0], servo, *rotors[1:]]
    start = system.state(**RATES, **{"arm.rates": 0.3})
    return ls.simulate(
        system, start, duration=4.0, loads=loads, output_step=0.02, file=file, **settings
    )


@pytest.fixture(scope="module")
def driven():
    return run_with([ls.Rotor("hull", J, 300.0, torque=torque)], locked=False)


@pytest.fixture(scope="module")
def spun():
    spin = ls.Rotor("hull", J, lambda t: 300.0 + 40 * np.sin(2 * t), axis="z")
    return run_with([spin, ls.Rotor("arm", 0.02, 50.0, axis=(1, 2, 2))], locked=True)


@pytest.mark.parametrize("name", ["driven", "spun"])
def test_a_free_satellite_with_wheels_keeps_its_momentum(name, request):
    run = request.getfixturevalue(name)
    p = run["momentum"]
    assert np.ptp(p, axis=0).max() < 1e-7 * np.abs(p).max()
    assert np.ptp(run["momentum.angular"], axis=0).max() < 1e-7 * np.abs(p).max()
    about = run["center_of_mass"]
    spin = run.momentum(about)[:, :3]
    assert np.ptp(spin, axis=0).max() < 1e-6 * np.abs(spin).max()
    bodies = ls.momentum(run.system, run.state(0.0))  # knows no loads
    assert np.linalg.norm(p[0, :3] - bodies[:3]) > 14  # 0.05 kg m^2 at 300 rad/s


@pytest.mark.parametrize("name", ["driven", "spun"])
def test_energy_with_wheels_changes_by_the_work(name, request):
    run = request.getfixturevalue(name)
    total = run["energy.total"]
    assert np.ptp(total - run["energy.work"]) < 1e-4 * np.ptp(total)
    assert np.allclose(total, run.energy.total, rtol=1e-14)
    assert np.ptp(run["energy.rotors"]) > 1


def test_a_wheel_driven_by_a_torque_has_what_it_has_as_a_body(driven):
    system = with_body_as_wheel()
    rates = {**RATES, "arm.rates": 0.3, "wheel.rates": 300.0 - 0.3}
    servo = ls.Servo("arm", 0.2, kp=3.0, kd=1.0, ki=0.5)
    other = ls.simulate(
        system,
        system.state(**rates),
        duration=4.0,
        loads=[servo, ls.Actuator("wheel", torque)],
        output_step=0.02,
    )
    assert np.abs(other["momentum"] - driven["momentum"]).max() < 1e-6
    assert "energy.rotors" not in other
    assert np.abs(other["energy.total"] - driven["energy.total"]).max() < 1e-4
    assert np.abs(other["energy.work"] - driven["energy.work"]).max() < 1e-4


def test_a_wheel_of_given_speed_has_what_it_has_as_a_body(spun):
    system = with_body_as_wheel()
    loads = [
        ls.Servo("arm", 0.2, kp=3.0, kd=1.0, ki=0.5),
        ls.Motion("wheel", velocity=lambda t: 300.0 + 40 * np.sin(2 * t)),
        ls.Rotor("arm", 0.02, 50.0, axis=(1, 2, 2)),
    ]
    start = system.state(**RATES, **{"arm.rates": 0.3, "wheel.rates": 300.0})
    other = ls.simulate(system, start, duration=4.0, loads=loads, output_step=0.02)
    assert np.abs(other["momentum"] - spun["momentum"]).max() < 1e-6
    assert np.abs(other["energy.total"] - spun["energy.total"]).max() < 1e-4


@pytest.mark.parametrize("suffix", [".nc", ".npz"])
def test_files_keep_the_momenta_of_wheels(spun, tmp_path, suffix):
    spun.save(tmp_path / f"run{suffix}")
    again = ls.Trajectory.load(tmp_path / f"run{suffix}")
    for name in ("momentum", "energy.total", "energy.rotors", "energy.work"):
        assert np.array_equal(again[name], spun[name])


def test_runs_written_as_they_go_have_the_momenta_of_wheels(spun, tmp_path):
    spin = ls.Rotor("hull", J, lambda t: 300.0 + 40 * np.sin(2 * t), axis="z")
    rotors = [spin, ls.Rotor("arm", 0.02, 50.0, axis=(1, 2, 2))]
    run = run_with(rotors, locked=True, file=tmp_path / "run.nc")
    assert np.array_equal(run["momentum"], spun["momentum"])


def test_a_geared_rotor_has_its_momentum_and_its_energy_once():
    """At a constant speed of its joint; its energy is that of the inertia at the joint."""
    model = satellite(locked=True)
    system = model.compile()
    rotor = ls.Rotor("hull", 1e-3, axis="y", geared_to="arm", ratio=100.0)
    motor = ls.Actuator("arm", ratio=100.0, rotor_inertia=1e-3)
    drive = ls.Motion("arm", velocity=3.0)
    start = system.state(**RATES, **{"arm.rates": 3.0})
    run = ls.simulate(system, start, duration=2.0, loads=[rotor, motor, drive], output_step=0.05)
    p = run["momentum"]
    assert np.ptp(p, axis=0).max() < 1e-7 * np.abs(p).max()
    assert np.allclose(run["energy.rotors"], 0.5 * 1e-3 * 300.0**2)


def test_batches_have_the_momenta_of_wheels():
    system = satellite(locked=True).compile()
    start = system.state(**RATES)
    loads = [ls.Rotor("hull", J, 300.0)]
    runs = ls.simulate_batch(system, [start, start], duration=0.2, loads=loads, output_step=0.1)
    one = ls.simulate(system, start, duration=0.2, loads=loads, output_step=0.1)
    assert np.abs(runs[1]["momentum"] - one["momentum"]).max() < 1e-6
