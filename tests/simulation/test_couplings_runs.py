"""Runs of systems with couplings: they hold, energy balances, results can be read again."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import lissom as ls
from lissom.results.description.system import describe, digest, restore
from tests.samples.couplings import flexible_arm, geared_rotors
from tests.tools.measures import error

ARM = flexible_arm()
START = ls.assemble(ARM, ARM.state(upper=0.4, cart=0.2, **{"upper.rates": 0.5}), held=["upper"])


def pendulum(coupled: bool = True) -> ls.System:
    """Pendulum on a rack whose pinion carries a second, heavier one; no friction."""
    model = ls.Model("pinion", gravity=(0, -9.81, 0))
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="rack")
    model.add(
        ls.RigidBody.rod(1.0, 0.8, com=(0, -0.4, 0), axis="y"),
        ls.Revolute("z"),
        to="rack",
        name="bob",
    )
    pinion = ls.RigidBody(3.0, com=(0.05, -0.02, 0), inertia=np.diag([0.01, 0.01, 0.02]))
    model.add(pinion, ls.Revolute("z"), at=(0, 0.1, 0), name="pinion")
    if coupled:
        model.couple({"rack": 1.0, "pinion": 0.1}, name="teeth")
    return model.compile()


def test_a_long_run_keeps_the_coupling_and_the_energy():
    """A hundred seconds in which the pinion turns to and fro."""
    system = pendulum()
    start = ls.assemble(system, system.state(bob=1.2, **{"pinion.rates": 4.0}))
    run = ls.simulate(system, start, duration=100.0, rtol=1e-10, output_step=0.5)
    assert run.status == "finished"
    assert np.abs(run["teeth.gap"]).max() <= 1e-11 and np.abs(run["teeth.rate"]).max() <= 1e-11
    total = run["energy.total"]
    assert np.abs(total - total[0]).max() < 1e-6 * np.abs(run["energy.kinetic"]).max()
    assert np.ptp(run["pinion.coordinates"]) > 1.0


def test_gap_of_rounding_does_not_grow_with_the_turns():
    """Wheels that turn far: what rounding leaves is no gap, and needs no projection."""
    system = geared_rotors(ratios=(1.0, 1 / 3))
    start = ls.assemble(system, system.state(motor=1e6, **{"motor.rates": 1e3}), held=["motor"])
    run = ls.simulate(system, start, duration=10.0, output_step=1.0)
    assert run.status == "finished" and error(run.q[-1], [1.01e6, -3.03e6]) < 1e-13
    assert np.abs(run["gear.gap"]).max() < 1e-9  # of a million radians


@pytest.mark.parametrize("integrator", ["dop853", "generalized_alpha", "rk4"])
@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_integrators_and_methods_agree(integrator, method):
    fixed = {} if integrator == "dop853" else {"step": 1e-4}
    run = ls.simulate(
        ARM, START, duration=0.05, integrator=integrator, method=method, output_step=0.05, **fixed
    )
    expected = ls.simulate(ARM, START, duration=0.05, rtol=1e-11, output_step=0.05)
    assert np.abs(run["closure"]).max() < 1e-12
    for name in ARM.names:
        assert np.abs(run[name][-1] - expected[name][-1]).max() < 2e-6


def test_baumgarte_takes_a_gap_away():
    system = geared_rotors()
    off = system.state(motor=5e-7)
    drift = ls.Baumgarte(stiffness=100.0, damping=20.0)
    run = ls.simulate(system, off, duration=2.0, drift=drift, output_step=0.5)
    # a gap decays as (1 + 10 t) exp(-10 t)
    t = run.time
    assert np.abs(run["gear.gap"] - 5e-7 * (1 + 10 * t) * np.exp(-10 * t)).max() < 1e-9


@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_driven_joint_drives_the_other_through_the_coupling(method):
    """The motor's angle is given: force of the motion and of the gear in closed form."""
    system = geared_rotors()
    motion = ls.Motion("motor", acceleration=lambda t: 2.0 + t)
    run = ls.simulate(system, duration=1.0, loads=[motion], method=method, output_step=0.25)
    t = run.time
    assert error(run["motor.rates"][:, 0], 2 * t + t**2 / 2) < 1e-9
    assert np.abs(run["gear.gap"]).max() < 1e-12
    wheel = -(2.0 + t) / 3
    assert error(run["acceleration"][:, 1], wheel) < 1e-9
    assert error(run["gear.force"], 0.5 * wheel / 3) < 1e-9
    assert error(run["force"][:, 0], 0.03 * (2.0 + t) - 0.5 * wheel / 3) < 1e-9


@pytest.mark.parametrize("method", ["articulated", "composite"])
def test_given_motion_of_a_tree_by_both_methods(method):
    """Accelerations of driven hinges count in the dense method too."""
    model = ls.Model("two", gravity=(0, -9.81, 0))
    bar = ls.RigidBody.box(2.0, (1, 0.05, 0.05), com=(0.5, 0, 0))
    model.add(bar, ls.Revolute("z"), name="a")
    model.add(bar, ls.Revolute("z"), to="a", at=(1, 0, 0), name="b")
    system = model.compile()
    motion = ls.Motion("a", acceleration=lambda t: 4.5 * np.sin(3 * t))
    run = ls.simulate(system, duration=0.5, loads=[motion], method=method, output_step=0.5)
    state, vdot = run.state(0.5), run["acceleration"][-1]
    # the second joint is free: no force there
    assert abs(ls.inverse_dynamics(system, state, vdot)[1]) < 1e-10
    assert error(run["force"][-1], ls.inverse_dynamics(system, state, vdot)) < 1e-10


def test_motions_that_contradict_a_coupling_do_not_start():
    system = geared_rotors()
    loads = [ls.Motion(name, acceleration=lambda t: 1.0 + t) for name in ("motor", "wheel")]
    with pytest.warns(ls.SimulationWarning, match="coupling 'gear' can no longer be satisfied"):
        run = ls.simulate(system, duration=1.0, loads=loads)
    assert run.status == "loop open" and "coupling 'gear' can no longer be satisfied" in run.message


def test_channels_of_a_coupling():
    run = ls.simulate(ARM, START, duration=0.01, output_step=0.01)
    listed = run.channels("belt")
    assert list(listed) == ["belt.gap", "belt.rate", "belt.force"]
    assert [listed[f"belt.{x}"].unit for x in ("gap", "rate", "force")] == ["rad", "rad/s", "N m"]
    assert run.channels()["screw.force"].unit == "1"  # metres and radians
    forces = ls.coupling_forces(ARM, run.state(0.0))
    assert error([run["belt.force"][0], run["screw.force"][0]], forces) < 1e-9
    assert run["closure"].shape == run.time.shape
    for name, words in (
        ("belt", "is a coupling; give one of its quantities"),
        ("belt.moment", "coupling 'belt' has no 'moment'"),
        ("belt.force.x", "too many parts"),
        ("bel.force", "body or coupling 'bel'"),
    ):
        with pytest.raises(ls.StateError, match=words):
            run[name]
    assert "2 couplings" in repr(run)


@pytest.mark.parametrize("ending", ["nc", "npz", "mat", "csv"])
def test_results_are_written_and_read(ending, tmp_path):
    run = ls.simulate(ARM, START, duration=0.01, output_step=0.005)
    path = tmp_path / f"run.{ending}"
    run.save(path)
    if ending == "csv":
        assert "coupling_force belt [N m]" in path.read_text().splitlines()[0]
    elif ending == "mat":
        import scipy.io

        content = scipy.io.loadmat(path)
        assert np.array_equal(content["coupling_force"][:, 0], run["belt.force"])
    else:
        again = ls.Trajectory.load(path)
        assert again.system.couplings[1].name == "screw"
        assert digest(again.system) == digest(ARM)
        assert np.array_equal(again["screw.force"], run["screw.force"])
        assert np.array_equal(again["belt.gap"], run["belt.gap"])
    assert digest(ARM) != digest(flexible_arm(coupled=False))


DAMAGE = {
    "another body": lambda d, a: d["couplings"][0].__setitem__("bodies", [0, 7]),
    "the ground": lambda d, a: d["couplings"][0].__setitem__("bodies", [-1, 1]),
    "another coordinate": lambda d, a: d["couplings"][0].__setitem__("entries", [0, 1]),
    "a coordinate twice": lambda d, a: d["couplings"][0].__setitem__("bodies", [1, 1]),
    "fewer coordinates": lambda d, a: d["couplings"][0].__setitem__("bodies", [1]),
    "name of a body": lambda d, a: d["couplings"][0].__setitem__("name", "motor"),
    "no name": lambda d, a: d["couplings"][0].pop("name"),
    "a coupling less": lambda d, a: d["couplings"].pop(),
    "a ratio of zero": lambda d, a: a.__setitem__("coupling_numbers", np.zeros(3)),
    "no numbers": lambda d, a: a.pop("coupling_numbers"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_description_is_refused(damage):
    description, arrays = describe(geared_rotors())
    description, arrays = copy.deepcopy(description), dict(arrays)
    DAMAGE[damage](description, arrays)
    with pytest.raises(ls.ResultError):
        restore(description, arrays)


def test_a_run_resumes(tmp_path):
    path = str(tmp_path / "run.nc")
    settings = {"duration": 0.02, "output_step": 0.002}

    def until(t, state):
        if t > ends[0]:
            raise KeyboardInterrupt
        return np.zeros(ARM.n_v)

    ends = [np.inf]
    whole = ls.simulate(ARM, START, forces=until, **settings)
    ends[0] = 0.01
    with pytest.warns(ls.SimulationWarning, match="interrupted"):
        ls.simulate(ARM, START, forces=until, file=path, **settings)
    with pytest.raises(ls.LissomError):  # another system
        ls.simulate(geared_rotors(), forces=lambda t, s: np.zeros(2), resume=path, **settings)
    ends[0] = np.inf
    run = ls.simulate(ARM, START, forces=until, file=path, resume=path, **settings)
    assert np.array_equal(run.q, whole.q)
    assert np.array_equal(run["belt.force"], whole["belt.force"])


def test_event_on_a_coupled_joint():
    system = geared_rotors()
    start = ls.assemble(system, system.state(**{"motor.rates": 3.0}), held=["motor"])
    event = ls.Event("wheel", value=-0.5)
    run = ls.simulate(system, start, duration=5.0, events=[event])
    assert run.status == "event" and error([run.time[-1]], [0.5]) < 1e-9
    assert error(run.q[-1], [1.5, -0.5]) < 1e-9


def test_equilibrium_of_two_weights_on_geared_drums():
    """m1 r1 = 3 m2 r2 cos: the heavier drum turns until its lever is shorter."""
    model = ls.Model("balance", gravity=(0, -9.81, 0))
    for name, mass, x in (("one", 1.0, 0.0), ("two", 5.0, 1.0)):
        body = ls.RigidBody(mass, com=(0.2, 0, 0), inertia=np.eye(3) * 0.01)
        model.add(body, ls.Revolute("z"), at=(x, 0, 0), name=name)
    model.couple({"one": 1.0, "two": 2.0}, name="gear")
    system = model.compile()
    state = ls.equilibrium(system, ls.assemble(system, system.state(one=-1.2)))
    # virtual work of one turn of drum one
    a, b = state.q
    assert abs(a + 2 * b) < 1e-12
    assert abs(1.0 * np.cos(a) - 0.5 * 5.0 * np.cos(b)) < 1e-8


def test_nothing_to_draw_is_no_mistake(tmp_path):
    run = ls.simulate(ARM, START, duration=0.01, output_step=0.005)
    run.to_html(tmp_path / "page.html")
    run.plot("belt.force", "screw.gap").savefig(tmp_path / "plot.png")
    ls.viz.draw(ARM, START).savefig(tmp_path / "drawing.png")
