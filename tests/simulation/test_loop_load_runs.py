"""Loads on joints of loops in runs: by name, switched, resumed, stepped, in files, and misused."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.samples.loop_loads import JOINTS, WHEEL, ring, two_wheels, wheel

pytestmark = pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")


def test_a_constant_force_by_name_is_a_load():
    case = ring("revolute")
    settings = {"duration": 0.1, "step": 1e-2, "integrator": "rk4"}
    named = ls.simulate(
        case.loop, case.on_loop, forces={"hinge": 3.0, "left": [0, 0, 1, 0, 0, 0]}, **settings
    )
    push = np.zeros(case.loop.n_v)
    push[2] = 1.0
    load = ls.simulate(
        case.loop, case.on_loop, forces=push, loads=[ls.Actuator("hinge", 3.0)], **settings
    )
    assert np.array_equal(named.q, load.q)


def test_a_switched_load_and_a_resumed_run(tmp_path):
    system, path = wheel(), str(tmp_path / "run.nc")
    off = ls.Event(lambda t, state: t - 1.0, ls.Switch("spring", False), name="off")
    spring = ls.JointSpring("axle", 2.0, rest=8 * np.pi, name="spring")
    settings = {
        "duration": 2.0,
        "rtol": 1e-8,
        "loads": [spring],
        "events": [off],
        "output_step": 0.05,
    }
    whole = ls.simulate(system, **settings)
    assert whole["axle.load"][-1, 0] == 0.0 and whole["axle.load"][0, 0] != 0.0
    ends = [0.6]

    def until(t, state):
        if t > ends[0]:
            raise KeyboardInterrupt
        return np.zeros(system.n_v)

    with pytest.warns(ls.SimulationWarning, match="interrupted"):
        ls.simulate(system, forces=until, file=path, **settings)
    ends[0] = np.inf
    again = ls.simulate(system, forces=until, file=path, resume=path, **settings)
    twice = ls.simulate(system, forces=until, **settings)
    assert np.array_equal(again.q, twice.q)
    assert np.array_equal(again["axle.load"], twice["axle.load"])
    loaded = ls.Trajectory.load(path)
    assert np.array_equal(loaded["axle.load"], again["axle.load"])
    assert loaded.channels("axle.load")["axle.load"].units == ("N m",)


@pytest.mark.parametrize("suffix", ["npz", "nc", "csv", "mat"])
def test_loads_on_loops_are_saved(suffix, tmp_path):
    path = tmp_path / f"run.{suffix}"
    run = ls.simulate(
        wheel(), duration=0.1, step=0.01, integrator="rk4", loads=[ls.Actuator("axle", 3.0)]
    )
    run.save(path)
    if suffix == "csv":
        assert "loop_load axle.angle [N m]" in path.read_text().splitlines()[0]
    elif suffix == "mat":
        import scipy.io

        assert np.all(scipy.io.loadmat(path)["loop_load"] == 3.0)
    else:
        assert np.array_equal(ls.Trajectory.load(path)["axle.load"], run["axle.load"])


def test_a_channel_of_loads_that_are_not_there_is_refused():
    run = ls.simulate(wheel(), duration=0.1, step=0.1, integrator="rk4")
    with pytest.raises(ls.StateError, match="no load on the joint of loop 'axle' was stored"):
        run["axle.load"]
    assert "axle.load" not in run.channels()


def test_model_files_hold_loads_on_loops(tmp_path):
    model = ls.Model("wheel")
    model.add(WHEEL, ls.Free(), name="wheel")
    model.close(ls.Revolute("z"), None, "wheel", name="axle")
    loads = [
        ls.JointSpring("axle", 2.0, rest=3.0, damping=0.1),
        ls.Actuator("axle", 1.0),
        ls.JointStop("axle", -1.0, 4.0, stiffness=10.0),
    ]
    settings = {"duration": 0.5, "step": 0.01, "integrator": "rk4", "loads": loads}
    path = tmp_path / "wheel.toml"
    model.save(path, simulation=settings)
    own = ls.simulate(model.compile(), **settings)
    assert np.array_equal(ls.load_run(path).simulate().q, own.q)
    path.write_text(path.read_text().replace("stiffness = 2.0", 'stiffness = "2 N/m"'))
    with pytest.raises(ls.ModelFileError, match="stiffness of 'axle' has a unit that does not fit"):
        ls.load_run(path)


COMPOUND = JOINTS["compound"][0]
REFUSED = {
    "motion": (lambda: ls.Motion("axle", 1.0), "'axle' is the joint of a loop.*cut"),
    "servo": (lambda: ls.Servo("axle", 1.0, kp=1.0), "'axle' is the joint of a loop.*cut"),
    "rotor": (lambda: ls.Actuator("axle", rotor_inertia=0.1), "rotor_inertia is 0.1.*'axle'"),
    "weld": (lambda: ls.JointDamper("weld", 1.0), "joint of loop 'weld' is fixed"),
    "name": (lambda: ls.JointDamper("axel", 1.0), "axel"),
    "shape": (lambda: ls.JointSpring("axle", [1.0, 2.0]), r"stiffness has shape \(2,\)"),
    "signal": (lambda: ls.Actuator("axle", [1.0, 2.0]), "force"),
    "compound": (lambda: ls.JointSpring("odd", 1.0), "CompoundJoint"),
    "stop": (lambda: ls.JointStop("odd", 0, 1, stiffness=1.0), "no coordinates to limit"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_loads_that_a_loop_cannot_have_are_refused(name):
    load, words = REFUSED[name]
    model = ls.Model("wheel")
    for body, joint, loop in (
        ("wheel", ls.Revolute("z"), "axle"),
        ("block", ls.Fixed(), "weld"),
        ("slab", COMPOUND, "odd"),
    ):
        model.add(WHEEL, ls.Free(), name=body)
        model.close(joint, None, body, name=loop)
    with pytest.raises(ls.LoadError, match=words):
        ls.simulate(model.compile(), duration=0.1, loads=[load()])


def test_events_and_forces_of_speeds_on_loops_are_refused():
    system = wheel()
    with pytest.raises(ls.LoadError, match="'axle' is the joint of a loop"):
        ls.simulate(system, duration=0.1, events=[ls.Event("axle", ls.Stop())])
    with pytest.raises(ls.LoadError, match="'axle' is the joint of a loop"):
        ls.simulate(system, duration=0.1, forces=lambda t, state: {"axle": 1.0})
    with pytest.raises(ls.StateError, match="loop 'axle' needs 1 finite number, got"):
        ls.forward_dynamics(system, system.neutral(), {"axle": [1.0, 2.0]})


def test_a_stepper_takes_the_steps_of_a_run():
    system, start = two_wheels()
    loads = [ls.JointSpring("two", 3.0, rest=9.0), ls.JointFriction("one", 0.1, speed=0.1)]
    for integrator in ("rk4", "generalized_alpha"):
        run = ls.simulate(
            system, start, duration=0.3, step=0.01, integrator=integrator, loads=loads
        )
        stepper = ls.Stepper(system, start, step=0.01, integrator=integrator, loads=loads)
        for _ in range(30):
            stepper.step()
        assert np.array_equal(stepper.state.q, run.q[-1])
        assert np.array_equal(stepper["two.load"], run["two.load"][-1])
