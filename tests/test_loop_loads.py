"""Loads on the joint that closes a loop: known forces F_f of (4.17) of the Order-N paper.

The same ring cut at another joint has the load on a joint of the tree, where loads are checked
against closed forms elsewhere; motions must not depend on where a ring is cut.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.spatial.transform import Rotation

import lissom as ls
from tests.flexible_samples import flexible_body

pytestmark = pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")

MASS, COM, INERTIA = 1.2, np.array([0.1, -0.2, 0.15]), (0.3, 0.4, 0.5)
BODY = ls.RigidBody(MASS, COM, INERTIA)
SEAT, TURN = (0.4, 0.1, -0.3), Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()
TIP = np.array([0.5, -0.2, 0.3])  # of the right body, where a ball joint holds it
JOINTS = {
    "revolute": (ls.Revolute((0.6, 0.0, 0.8)), 0.4),
    "prismatic": (ls.Prismatic("y"), 0.2),
    "screw": (ls.Screw("x", 0.1), 0.5),
    "cylindrical": (ls.Cylindrical("z"), [0.3, -0.1]),
    "universal": (ls.Universal("x", "y"), [0.3, -0.4]),
    "planar": (ls.Planar("z"), [0.1, 0.2, 0.3]),
    "ball": (ls.Spherical(), np.array([0.9, 0.3, -0.1, 0.2]) / np.sqrt(0.95)),
    "compound": (ls.CompoundJoint([*np.eye(6)[[0, 4]]]), [0.3, 0.1]),
}


class Ring:
    """Free body "left", hinge, right body, ball, ground: cut at the hinge, or at the ball.

    The joint between the two bodies is "hinge" in both: that of a body, or of a loop.
    """

    def __init__(self, joint, coordinates, left=BODY):
        seat = "left" if left is BODY else "left.tip"
        model = self._model(left)
        model.add(BODY, joint, to=seat, at=SEAT, rotation=TURN, name="hinge")
        turned = Rotation.from_rotvec([0.5, -0.4, 0.8]).as_quat()[[3, 0, 1, 2]]
        free = model.compile()
        start = free.state(left=[*turned, 0.2, -0.1, 0.3], hinge=coordinates)
        anchor = ls.pose(free, start, "hinge", at=TIP).position
        model.close(ls.Spherical(), None, "hinge", at_a=anchor, at_b=TIP, name="ball")
        self.tree = model.compile()
        rates = np.random.default_rng(3).normal(size=self.tree.n_v)
        self.on_tree = ls.assemble(self.tree, self.tree.state(q=start.q, v=rates))
        model = self._model(left)
        right = ls.RigidBody(MASS, COM - TIP, INERTIA)  # from its ball joint
        model.add(right, ls.Spherical(), at=anchor, name="right")
        model.close(joint, seat, "right", at_a=SEAT, rotation_a=TURN, at_b=-TIP, name="hinge")
        self.loop = model.compile()
        self.on_loop = self._state_of_loop()

    @staticmethod
    def _model(left):
        model = ls.Model("ring", gravity=(1.0, -9.81, 2.0))
        model.add(left, ls.Free(), name="left")
        return model

    def _state_of_loop(self):
        tree, state, layout = self.tree, self.on_tree, self.loop.layout
        turn = ls.pose(tree, state, "hinge").rotation
        q, v = self.loop.neutral().q.copy(), np.zeros(self.loop.n_v)
        n, n_v = layout.hinge_q("left").stop, layout.hinge_v("left").stop
        q[:n], v[:n_v] = state.q[:n], state.v[:n_v]
        q[layout.hinge_q("right")] = Rotation.from_matrix(turn).as_quat()[[3, 0, 1, 2]]
        v[layout.hinge_v("right")] = turn.T @ ls.velocity(tree, state, "hinge")[:3]
        return self.loop.state(q, v)

    def runs(self, loads, **settings):
        """The same run, cut at the hinge and at the ball."""
        of_loop = ls.simulate(self.loop, self.on_loop, loads=loads, **settings)
        return of_loop, ls.simulate(self.tree, self.on_tree, loads=loads, **settings)

    def apart(self, one, other):
        """Largest difference between the attitudes of both bodies in two runs."""
        names = {"left": "left", "right": "hinge"}
        turns = [np.abs(one[f"{a}.rotation"] - other[f"{b}.rotation"]) for a, b in names.items()]
        return max(x.max() for x in turns)

    def accelerations(self, forces, **settings):
        """Accelerations of both bodies, cut at the hinge and at the ball."""
        cases = (self.loop, self.on_loop, "right", -TIP), (self.tree, self.on_tree, "hinge", None)
        found = []
        for system, state, right, at in cases:
            vdot = ls.forward_dynamics(system, state, forces, **settings)
            left = ls.acceleration(system, state, "left", vdot)
            found.append([left, ls.acceleration(system, state, right, vdot, at=at)])
        return np.array(found)


@cache
def ring(name):
    if name == "rod":
        stiffness = (20.0, 40.0, 30.0, 1e3, 1.0, 1.0)
        soft = ls.Rod(1.5, stiffness, 0.6, (1e-3,) * 3, bending=2, torsion=1)
        return Ring(*JOINTS["revolute"], left=soft)
    if name == "flexible":
        return Ring(*JOINTS["revolute"], left=flexible_body(3, lumps=True, damping=0.02))
    return Ring(*JOINTS[name])


def size(found):
    return np.abs(found).max()


@pytest.mark.parametrize("name", [*JOINTS, "flexible", "rod"])
@pytest.mark.parametrize("method", ["articulated", "composite", "reference"])
def test_accelerations_under_a_force_on_the_joint_do_not_depend_on_the_cut(name, method):
    case = ring(name)
    n = case.loop.loops[0].joint.n_v
    forces = {"hinge": np.array([3.0, -2.0, 1.0])[:n], "left": [1.0, 2.0, 3.0, 2.0, 1.0, 0.0]}
    cut, whole = case.accelerations(forces, method=method)
    assert size(cut - whole) < 1e-12 * max(1.0, size(whole))
    without = case.accelerations({"left": [1.0, 2.0, 3.0, 2.0, 1.0, 0.0]}, method=method)[0]
    assert size(cut - without) > 0.1


def test_forces_in_joints_of_the_tree_count_those_on_the_loop():
    case = ring("flexible")
    forces = {"hinge": 3.0}
    cut = ls.joint_forces(case.loop, case.on_loop, forces=forces)
    whole = ls.joint_forces(case.tree, case.on_tree, forces=forces)
    assert size(cut[0] - whole[0]) < 1e-11 * size(whole)
    # the rest of what the cut joint transmits, beside the torque about its axis
    held = ls.loop_forces(case.loop, case.on_loop, forces)[0]
    axis = np.array([0.6, 0.0, 0.8])
    assert abs(held[:3] @ axis) < 1e-11 and abs(whole[1][:3] @ axis - 3.0) < 1e-10
    assert size(held + np.concatenate([3.0 * axis, np.zeros(3)]) - whole[1]) < 1e-10 * size(held)


LOADS = {
    "actuator": lambda name: ls.Actuator(name, lambda t: 2.0 * np.cos(3 * t), ratio=1.5),
    "spring": lambda name: ls.JointSpring(name, 30.0, rest=0.1, damping=0.4),
    "damper": lambda name: ls.JointDamper(name, 0.7),
    "friction": lambda name: ls.JointFriction(name, 0.8, speed=0.2),
    "stop": lambda name: ls.JointStop(name, -0.2, 0.3, stiffness=200.0, damping=0.5),
}
EXPLICIT = {"duration": 0.4, "rtol": 1e-10, "integrator": "dop853", "output_step": 0.1}


@pytest.mark.parametrize(
    ("name", "load"),
    [
        *(("revolute", load) for load in LOADS),
        *((name, "spring") for name in ("screw", "prismatic", "cylindrical", "planar")),
        *((name, "spring") for name in ("flexible", "rod")),
        *(("universal", load) for load in ("spring", "damper")),
        ("compound", "damper"),
    ],
)
def test_runs_do_not_depend_on_the_cut(name, load):
    case = ring(name)
    cut, whole = case.runs([LOADS[load]("hinge")], **EXPLICIT)
    assert case.apart(cut, whole) < 1e-8
    assert size(cut["hinge.load"] - whole["hinge.force"]) < 1e-6
    assert size(whole["hinge.force"]) > 0.05
    assert size(cut["hinge.coordinates"] - whole["hinge.coordinates"]) < 1e-8
    # reactions count the load: what the ball joint holds, on the body of the tree and as a loop
    assert size(cut["right.reaction"][:, 3:] - whole["ball.force"]) < 1e-6


def test_a_spring_on_a_ball_joint_of_a_loop():
    case = ring("ball")
    cut, whole = case.runs([ls.JointSpring("hinge", 20.0, damping=0.3)], **EXPLICIT)
    assert case.apart(cut, whole) < 1e-8
    assert size(cut["hinge.load"] - whole["hinge.force"]) < 1e-6


@pytest.mark.parametrize("method", ["articulated", "composite"])
@pytest.mark.parametrize("name", ["revolute", "flexible", "cylindrical"])
def test_stiff_loads_do_not_limit_implicit_steps(name, method):
    """1e6 N m/rad: explicit steps of 1 ms are unstable, and iterations without slopes diverge.

    The order is two, or one: what depends on the cut falls by four, or by two, with half the step.
    """
    case = ring(name)
    rest = JOINTS[name if name in JOINTS else "revolute"][1]
    loads = [ls.JointSpring("hinge", 1e6, rest=rest, damping=1e3)]
    settings = {"duration": 0.1, "method": method, "output_step": 0.05}
    orders = {"generalized_alpha": (2, 1e-4), "linearly_implicit_euler": (1, 5e-3)}
    for integrator, (order, allowed) in orders.items():
        apart = []
        for step in (1e-3, 5e-4):
            cut, whole = case.runs(loads, integrator=integrator, step=step, **settings)
            assert cut.statistics["divided_steps"] == whole.statistics["divided_steps"] == 0
            assert cut.statistics["iterations"] <= 1.2 * whole.statistics["iterations"]
            apart.append(case.apart(cut, whole))
        assert apart[0] < allowed
        assert abs(np.log2(apart[0] / apart[1]) - order) < 0.4


def test_stiff_loads_beside_rods_do_not_limit_implicit_steps():
    loads = [ls.JointSpring("hinge", 1e6, rest=0.4, damping=1e3)]
    settings = {"duration": 0.05, "step": 1e-3, "output_step": 0.05}
    cut, whole = ring("rod").runs(loads, integrator="generalized_alpha", **settings)
    assert cut.statistics["divided_steps"] == 0
    assert cut.statistics["iterations"] <= 1.5 * whole.statistics["iterations"]


@pytest.mark.parametrize("load", ["friction", "stop"])
def test_implicit_steps_with_loads_whose_slopes_change(load):
    case = ring("revolute")
    loads = [
        ls.JointFriction("hinge", 2.0, speed=1e-4)
        if load == "friction"
        else ls.JointStop("hinge", -1.0, 0.35, stiffness=1e5, damping=0.1)
    ]
    settings = {"duration": 0.3, "step": 1e-3, "output_step": 0.05}
    cut, whole = case.runs(loads, integrator="generalized_alpha", **settings)
    assert cut.status == "finished"
    assert cut.statistics["iterations"] <= 1.3 * whole.statistics["iterations"]
    assert case.apart(cut, whole) < 3e-4


def test_auto_sees_stiff_loads_on_loops():
    case = ring("revolute")
    cut, whole = (
        ls.simulate(
            system,
            state,
            duration=0.01,
            loads=[ls.JointSpring("hinge", 1e9, rest=0.4, damping=1e5)],
        )
        for system, state in ((case.loop, case.on_loop), (case.tree, case.on_tree))
    )
    assert "generalized-alpha" in cut.statistics["chosen"]
    assert cut.statistics["chosen"] == whole.statistics["chosen"]


WHEEL = ls.RigidBody(2.0, (0, 0, 0), (0.3, 0.3, 0.5))


def wheel():
    """A wheel that nothing but the joint of a loop holds."""
    model = ls.Model("wheel")
    model.add(WHEEL, ls.Free(), name="wheel")
    model.close(ls.Revolute("z"), None, "wheel", name="axle")
    return model.compile()


@pytest.mark.parametrize("settings", [{"rtol": 1e-9}, {"step": 2e-3, "integrator": "rk4"}])
def test_angles_of_loops_are_continued_over_turns(settings):
    """A torsion spring that is relaxed after four turns: theta = 8 pi (1 - cos 2t)."""
    system, rest = wheel(), 8 * np.pi
    spring = ls.JointSpring("axle", 2.0, rest=rest)
    run = ls.simulate(system, duration=3.0, output_step=0.02, loads=[spring], **settings)
    exact = rest * (1 - np.cos(2 * run.time))
    assert size(run["axle.coordinates"][:, 0] - exact) < 1e-5
    assert size(run["axle.load"][:, 0] - 2.0 * (rest - exact)) < 2e-5
    energy = run.energy.total + 0.5 * 2.0 * (run["axle.coordinates"][:, 0] - rest) ** 2
    assert size(energy - energy[0]) < 1e-5 * energy[0]


def test_work_of_the_loads_is_the_change_of_energy():
    case = ring("flexible")
    loads = [ls.Actuator("hinge", 3.0), ls.JointDamper("hinge", 0.5)]
    settings = {"duration": 0.3, "rtol": 1e-10, "output_step": 5e-4}
    run = ls.simulate(case.loop, case.on_loop, loads=loads, **settings)
    t, angle, load = run.time, run["hinge.coordinates"][:, 0], run["hinge.load"][:, 0]
    power = load * np.gradient(angle, t, edge_order=2)
    rates, damping = run["left.mode_rates"], case.loop.bodies[0].damping
    power -= np.einsum("ni,ij,nj->n", rates, damping, rates)  # of the modes besides
    change = run.energy.total - run.energy.total[0]
    assert size(change) > 0.05
    assert size(change - cumulative_trapezoid(power, t, initial=0.0)) < 1e-5 * size(change)


def test_equilibrium_balances_loads_on_loops():
    case = ring("revolute")
    loads = [ls.JointSpring("hinge", 40.0, rest=0.9), ls.JointSpring("left", 60.0)]
    cut = ls.equilibrium(case.loop, case.on_loop, loads=loads)
    whole = ls.equilibrium(case.tree, case.on_tree, loads=loads)
    assert (
        size(ls.pose(case.loop, cut, "left").rotation - ls.pose(case.tree, whole, "left").rotation)
        < 1e-7
    )
    angle = ls.closure(case.loop, cut).coordinates["hinge"]
    assert size(angle - whole["hinge"]) < 1e-7


def test_an_equilibrium_after_several_turns_is_found():
    found = ls.equilibrium(wheel(), loads=[ls.JointSpring("axle", 2.0, rest=7.0)])
    angle = ls.closure(found.system, found).coordinates["axle"][0]
    assert abs(angle - (7.0 - 2 * np.pi)) < 1e-8


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


def two_wheels(away=0.0):
    """A free base with two wheels, each held by the joint of a loop only."""
    model = ls.Model("two")
    model.add(BODY, ls.Free(), name="base")
    for name, y in (("one", 0.5), ("two", -0.5)):
        model.add(WHEEL, ls.Free(), to="base", name=f"{name}_wheel")
        axes = Rotation.from_rotvec([0.4 * y, 0.2, 0.0]).as_matrix()
        place = {"at_a": (0.1, y, 0), "rotation_a": axes}
        model.close(ls.Revolute("z"), "base", f"{name}_wheel", name=name, **place)
    system = model.compile()
    start = system.state(base=[1, 0, 0, 0, away, 0, 0])
    return system, ls.assemble(system, start, held=["base"])


def test_loads_on_several_loops_add_up_and_share_nodes_with_others():
    system, start = two_wheels()
    loads = [
        ls.JointSpring("two", 3.0, rest=1.0),
        ls.Actuator("one", 2.0),
        ls.JointDamper("two", 0.2),
        ls.NodeForce("base", (0.0, 0.0, 1.0)),
    ]
    run = ls.simulate(system, start, duration=0.5, rtol=1e-10, loads=loads, output_step=0.01)
    angle = run["two.coordinates"][:, 0]
    rate = np.gradient(angle, run.time)
    assert size(run["one.load"] - 2.0) == 0.0
    assert size((run["two.load"][:, 0] + 3.0 * (angle - 1.0) + 0.2 * rate)[1:-1]) < 1e-3
    # of all, only the force on the base moves the centre of mass
    mass = sum(body.mass for body in system.bodies)
    moved = run["center_of_mass"] - run["center_of_mass"][0]
    assert size(moved[:, 2] - 0.5 / mass * run.time**2) < 1e-6
    still = ls.simulate(system, start, duration=0.5, rtol=1e-10, loads=loads[:3], output_step=0.05)
    assert size(still.momentum()) < 1e-9


def test_a_floating_system_far_away_has_the_same_loads():
    """Coordinates of joints of loops are found near the base, not in the world."""
    settings = {"duration": 0.2, "step": 1e-2, "integrator": "rk4"}
    loads = [ls.JointSpring("two", 300.0, rest=1.0)]
    runs = [ls.simulate(*two_wheels(away), loads=loads, **settings) for away in (0.0, 1e7)]
    here, there = (run["two.load"] for run in runs)
    assert size(here - there) < 1e-6 * size(here)


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
