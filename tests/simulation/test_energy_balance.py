"""Energies of springs and rotors among the loads, and the work of everything else."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls

BAR = ls.RigidBody.rod(3.0, 1.0, com=(0.5, 0, 0))
MARK = "start + work − losses"


def arm(joint=None, gravity=(0, 0, -9.81)):
    """A bar on a joint, and a beam on the bar."""
    model = ls.Model("arm", gravity=gravity)
    model.add(BAR, joint or ls.Revolute("y"), name="bar")
    tube = ls.Tube(radius=0.02, thickness=0.002)
    boom = ls.beam(1.0, tube, ls.STEEL, bending=1, torsion=0, stretch=0)
    model.add(boom, ls.Revolute("y"), to="bar", at=(1, 0, 0), name="boom")
    model.frame("eye", on="boom.tip", at=(0, 0, 0.1))
    return model.compile()


def size(x):
    return float(np.abs(x).max())


def imbalance(run):
    """Change of the total energy that is not work, relative to its range."""
    total = run["energy.total"]
    return size(total - total[0] - run["energy.work"]) / np.ptp(run["energy.kinetic"])


LOADS = {
    "springs": [ls.JointSpring("bar", 40.0, rest=0.2), ls.JointSpring("boom", 9.0)],
    "damped spring": [ls.JointSpring("boom", 30.0, damping=2.0)],
    "friction": [ls.JointFriction("bar", 1.0), ls.JointDamper("boom", 0.5)],
    "motor": [ls.Actuator("bar", lambda t: 3 * np.sin(5 * t), ratio=3.0, rotor_inertia=0.4)],
    "servo": [
        ls.Servo("boom", 0.3, kp=90.0, kd=9.0),
        ls.Actuator("boom", ratio=20, rotor_inertia=1e-3),
    ],
    "motion": [
        ls.Motion("bar", ls.Table([0, 1], [0, 1.0], "smooth", clamped=True)),
        ls.Actuator("bar", 0.0, ratio=10, rotor_inertia=0.01),
    ],
    "to the world": [ls.NodeSpring("eye", (0.5, 0.2, 1.0), 60.0, length=0.3, at_a=(0.1, 0, 0))],
    "between": [ls.NodeSpring("bar", "eye", 25.0, damping=1.0, length=0.9, at_b=(0, 0.2, 0))],
    "force": [ls.NodeForce("boom.tip", force=(4.0, 0, 2.0), moment=(0, 1.0, 0))],
}


@pytest.mark.parametrize("name", LOADS)
def test_the_total_energy_changes_by_the_work(name):
    system = arm()
    start = system.state(bar=-0.3, boom=0.4) if name != "motion" else system.state(boom=0.4)
    run = ls.simulate(system, start, duration=1.0, output_step=1e-3, loads=LOADS[name], rtol=1e-9)
    assert imbalance(run) < 3e-5
    assert MARK in [x.get_label() for x in run.plot().axes[-1].get_lines()]
    if name == "springs":  # nothing does work
        assert size(run["energy.work"]) < 1e-5 * np.ptp(run["energy.springs"])


@pytest.mark.parametrize("joint", [ls.Spherical(), ls.Free()], ids=["ball", "free"])
def test_springs_on_attitudes(joint):
    """1/2 k |theta|^2 of the rotation vector, and 1/2 k |p|^2 of the position."""
    system = arm(joint)
    both = isinstance(joint, ls.Free)
    spring = ls.JointSpring("bar", (30.0, 50.0) if both else 30.0)
    run = ls.simulate(system, duration=1.0, output_step=2e-3, loads=[spring], rtol=1e-10)
    q = run["bar.coordinates"]
    angle = 2 * np.arctan2(np.linalg.norm(q[:, 1:4], axis=1), np.abs(q[:, 0]))
    expected = 15.0 * angle**2 + 25.0 * np.sum(q[:, 4:] ** 2, axis=1)
    assert np.ptp(expected) > 1 and size(run["energy.springs"] - expected) < 1e-12 * size(expected)
    assert np.ptp(run.energy.total) < 1e-7 * np.ptp(run.energy.kinetic)


def test_springs_and_motors_on_the_joints_of_loops():
    model = ls.Model("four bar", gravity=(0, -9.81, 0))
    model.add(BAR, ls.Revolute("z"), name="crank")
    rod = ls.RigidBody.rod(5.0, 2.0, com=(1, 0, 0))
    model.add(rod, ls.Revolute("z"), to="crank", at=(1, 0, 0), name="coupler")
    model.add(BAR, ls.Revolute("z"), at=(2, 0, 0), name="rocker")
    model.close(ls.Revolute("z"), "coupler", "rocker", at_a=(2, 0, 0), at_b=(1, 0, 0), name="pin")
    system = model.compile()
    start = system.state(crank=-0.4, coupler=0.4, rocker=-0.4)
    loads = [ls.JointSpring("pin", 8.0, rest=0.3), ls.Actuator("pin", 2.0)]
    run = ls.simulate(system, start, duration=1.0, output_step=1e-3, loads=loads)
    assert imbalance(run) < 1e-5
    assert size(run["energy.springs"] - 4.0 * (run["pin.coordinates"][:, 0] - 0.3) ** 2) < 1e-12


def test_a_spring_that_is_switched_does_work_instead():
    system = arm()
    spring = ls.JointSpring("boom", 30.0, name="latch")
    off = ls.Event(lambda t, state: t - 0.3, ls.Switch("latch", on=False))
    start = system.state(boom=0.5)
    run = ls.simulate(system, start, duration=0.6, output_step=1e-3, loads=[spring], events=[off])
    assert "energy.springs" not in run
    assert imbalance(run) < 1e-4
    with pytest.raises(ls.StateError, match=r"energy\.springs"):
        run["energy.springs"]


@pytest.mark.parametrize("suffix", [".nc", ".npz"])
def test_files_keep_what_the_energies_need(tmp_path, suffix):
    system = arm()
    loads = [*LOADS["between"], *LOADS["to the world"], *LOADS["springs"], *LOADS["motor"]]
    run = ls.simulate(system, duration=0.1, output_step=0.01, loads=loads)
    run.save(tmp_path / f"run{suffix}")
    back = ls.Trajectory.load(tmp_path / f"run{suffix}")
    assert back.store.columns == run.store.columns
    for name in ("energy.springs", "energy.rotors", "energy.total", "energy.work"):
        assert np.array_equal(back[name], run[name])


def test_energy_of_a_run_and_of_a_state():
    system = arm()
    loads = [*LOADS["springs"], *LOADS["motor"]]
    run = ls.simulate(system, duration=0.1, output_step=0.01, loads=loads)
    energy, state = run.energy, ls.energy(system, run.state(0.1))
    assert (state.springs, state.rotors) == (0.0, 0.0)
    assert energy.total[-1] == pytest.approx(state.total + energy.springs[-1] + energy.rotors[-1])
    assert energy.rotors[-1] == pytest.approx(0.5 * 9 * 0.4 * run["bar.rates"][-1, 0] ** 2)


def test_what_energy_leaves_out_is_said_where_it_is_printed():
    system = ls.library.rigid_chain(1).compile()
    assert repr(ls.energy(system, system.neutral())).endswith("; without springs and rotors)")
    spring = ls.JointSpring("link0", 3.0, rest=0.5)
    run = ls.simulate(system, duration=0.01, step=0.01, loads=[spring])
    assert "springs=" in repr(run.energy) and "without" not in repr(run.energy)
    assert run.energy.springs[0] == pytest.approx(3.0 * 0.5**2 / 2)
