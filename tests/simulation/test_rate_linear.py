"""Rate-linear runs: terms of second order in the speeds are left out, as paper B defines it."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app

MASS, HUB, G = 2.0, 0.7, 9.81


def carousel():
    """A slider on a turning arm."""
    model = ls.Model("carousel")
    model.add(ls.RigidBody(1.0, inertia=(HUB, HUB, HUB)), ls.Revolute("z"), name="arm")
    slider = ls.RigidBody(MASS, inertia=(0.01, 0.01, 0.01))
    model.add(slider, ls.Prismatic("x"), to="arm", name="slider")
    return model


def bent_arm():
    """Two flexible links under gravity, with damped modes."""
    few = {"bending": 1, "torsion": 0, "stretch": 0, "elements": 4}
    link = ls.beam(1.0, ls.Rectangle(0.03, 0.02), ls.ALUMINIUM, damping=0.05, **few)
    model = ls.Model("arm", gravity=(0, 0, -G))
    model.add(link, ls.Universal("y", "z"), name="upper")
    model.add(link, ls.Revolute("y"), to="upper.tip", name="lower")
    return model.compile()


@pytest.mark.parametrize(
    "settings",
    [{"integrator": "dop853"}, {"integrator": "generalized_alpha", "step": 1e-2}, {"step": 1e-2}],
)
def test_a_slider_on_a_carousel_does_not_feel_its_speed(settings):
    system = carousel().compile()
    start = system.state(slider=0.5, v=[3.0, 0.2])
    run = ls.simulate(system, start, duration=1.0, rate_linear=True, **settings)
    assert run["slider.slide"] == pytest.approx(0.5 + 0.2 * run.time, abs=1e-9)
    assert run["arm.angle"] == pytest.approx(3.0 * run.time, abs=1e-9)
    assert np.abs(run["slider.reaction"]).max() < 1e-9  # no force holds it, in this model
    full = ls.simulate(system, start, duration=1.0, **settings)
    assert full["slider.slide"][-1] > 2.0
    assert np.abs(full["slider.reaction"]).max() > 1.0


def test_a_bent_arm_keeps_gravity_stiffness_and_damping():
    """The reference is M vdot = static forces - C eta_dot, with M by composite bodies."""
    system = bent_arm()
    v = 2.0 * np.cos(np.arange(system.n_v))
    start = system.state(upper=(0.3, 0.1), lower=0.4, v=v)
    run = ls.simulate(system, start, duration=0.1, rate_linear=True, rtol=1e-10)
    damping = np.zeros((system.n_v, system.n_v))
    for i, body in enumerate(system.bodies):
        piece = system.layout.modal_v(i)
        damping[piece, piece] = body.damping

    def rates(_, y):
        q, v = np.split(y, 2)
        rest = system.state(q)
        M, static = ls.mass_matrix(system, rest), ls.bias_force(system, rest)
        return np.concatenate([v, np.linalg.solve(M, -static - damping @ v)])

    first = np.concatenate([start.q, start.v])
    end = solve_ivp(rates, (0, 0.1), first, rtol=1e-8, atol=1e-10, method="DOP853").y[:, -1]
    found = run.state(0.1)
    assert np.concatenate([found.q, found.v]) == pytest.approx(end, rel=1e-6, abs=1e-7)
    full = ls.simulate(system, start, duration=0.1)
    assert np.abs(full.state(0.1).v - found.v).max() > 0.1


def test_it_is_the_dual_of_the_paper_at_every_instant():
    system = bent_arm()
    v = 2.0 * np.cos(np.arange(system.n_v))
    start = system.state(upper=(0.3, 0.1), lower=0.4, v=v)
    run = ls.simulate(system, start, duration=0.05, rate_linear=True)
    for k in (0, len(run) // 2, -1):
        state = system.state(run.q[k], run.v[k])
        solution = ls.solve_lq(ls.optimal_control_dual(system, state, rate_linear=True))
        expected = ls.dual_accelerations(solution)
        assert run.acceleration[k] == pytest.approx(expected, rel=1e-8, abs=1e-7)
        forces = ls.dual_joint_forces(solution)
        assert run["lower.reaction"][k] == pytest.approx(forces[1], rel=1e-7, abs=1e-7)


def test_steppers_files_and_resumed_runs_keep_it(tmp_path):
    system = carousel().compile()
    start = system.state(slider=0.5, v=[3.0, 0.2])
    stepper = ls.Stepper(system, start, step=1e-2, integrator="rk4", rate_linear=True)
    for _ in range(10):
        stepper.step()
    assert stepper.q == pytest.approx([0.3, 0.52], abs=1e-12)
    settings = {"duration": 0.5, "state": start, "rate_linear": True}
    carousel().save(tmp_path / "c.toml", simulation=settings)
    assert "rate_linear = true" in (tmp_path / "c.toml").read_text()
    run = ls.load_run(tmp_path / "c.toml").simulate(file=tmp_path / "c.nc")
    assert run["slider.slide"][-1] == pytest.approx(0.6, abs=1e-9)
    again = ls.Trajectory.load(tmp_path / "c.nc")
    assert np.abs(again["slider.reaction"]).max() < 1e-9
    again.save(tmp_path / "c.npz")
    assert np.abs(ls.Trajectory.load(tmp_path / "c.npz")["slider.reaction"]).max() < 1e-9
    with pytest.raises(ls.ResultError, match=r"rate_linear \(True before, False now\)"):
        ls.simulate(system, start, duration=0.5, resume=tmp_path / "c.nc")


def test_the_command_line_has_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    system = carousel().compile()
    start = system.state(slider=0.5, v=[3.0, 0.2])
    carousel().save("c.toml", simulation={"duration": 0.5, "state": start})
    done = CliRunner().invoke(app, ["run", "c.toml", "--rate-linear", "-q"])
    assert done.exit_code == 0, done.output
    assert ls.Trajectory.load("c.nc")["slider.slide"][-1] == pytest.approx(0.6, abs=1e-9)


def test_loops_and_other_values_are_refused(tmp_path):
    system = carousel().compile()
    with pytest.raises(ls.LoadError, match="rate_linear is 'yes'; expected True or False"):
        ls.simulate(system, duration=0.1, rate_linear="yes")
    model = carousel()
    model.close(ls.Planar("z"), None, "slider", name="floor")
    with pytest.raises(ls.LoadError, match=r"'floor'.*stay closed; leave rate_linear out"):
        ls.simulate(model.compile(), duration=0.1, rate_linear=True)
    model.save(tmp_path / "loop.toml", simulation={"duration": 0.1, "rate_linear": True})
    with pytest.raises(ls.ModelFileError, match=r"simulation.rate_linear.*'floor'"):
        ls.load_run(tmp_path / "loop.toml")
