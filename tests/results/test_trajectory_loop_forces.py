"""Forces of loops: in the joints of hand-made rows and of runs, against balances of the links."""

from dataclasses import replace

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.loops.closed_loops import generalized_loop_forces, loop_motions
from lissom.algorithms.tree.reference import kinematics_base_to_tip
from lissom.errors import ResultError
from lissom.results.store import MemoryStore
from lissom.results.trajectory import Trajectory
from tests.samples.kernel_cases import rigid
from tests.samples.results import frame_in_world, looped, parallelogram, random_run, rows_of, same


def pins_of(run, k, drive):
    """Forces of a static parallelogram at its four pins, from the balance of each link.

    Unknown are the forces on the crank at the ground, on the coupler from the crank, on the rocker
    at the ground and on the rocker from the coupler, each in the plane, and the torque that drives
    the crank if it is `drive`, else the rocker.
    """
    x = np.array([np.cos(run.q[k, 0]), np.sin(run.q[k, 0])])
    C = np.array([2.0, 0.0])
    ground, A, B = np.zeros(2), x, x + C
    weights = {"crank": 3.0, "coupler": 5.0, "rocker": 3.0}
    centres = {"crank": x / 2, "coupler": x + C / 2, "rocker": C + x / 2}
    # unknowns: ground on crank (0:2), crank on coupler (2:4), ground on rocker, coupler on rocker
    acting = {
        "crank": [(0, ground, 1.0), (2, A, -1.0)],
        "coupler": [(2, A, 1.0), (6, B, -1.0)],
        "rocker": [(4, C, 1.0), (6, B, 1.0)],
    }
    matrix, right = np.zeros((9, 9)), np.zeros(9)
    for j, (link, forces) in enumerate(acting.items()):
        for column, point, sign in forces:
            matrix[3 * j, column] = matrix[3 * j + 1, column + 1] = sign
            matrix[3 * j + 2, column] = -sign * point[1]
            matrix[3 * j + 2, column + 1] = sign * point[0]
        matrix[3 * j + 2, 8] = float(link == drive)
        weight = -9.81 * weights[link]
        right[3 * j + 1], right[3 * j + 2] = -weight, -weight * centres[link][0]
    return np.linalg.solve(matrix, right)


@pytest.mark.parametrize("drive", ["crank", "rocker"])
def test_joint_forces_of_a_static_linkage_balance_every_link(drive):
    system, angle = parallelogram(), np.array([0.3, 1.2, 2.0, -2.5])
    zero = np.zeros((4, 3))
    q = np.stack([angle, -angle, angle], axis=1)
    run = Trajectory(system, rows_of(system, np.arange(4.0), q, zero, zero))
    pins = np.array([pins_of(run, k, drive) for k in range(4)])
    loops, force = np.zeros((4, 6)), np.zeros((4, 3))
    force[:, 0 if drive == "crank" else 2] = pins[:, 8]
    for k in range(4):
        loops[k, 3:] = in_axes(angle[k], pins[k, 6:8])  # frame b turns with the rocker
    run = Trajectory(system, rows_of(system, np.arange(4.0), q, zero, zero, force, loops=loops))
    torque = dict.fromkeys(system.names, np.zeros(4)) | {drive: pins[:, 8]}
    turned = {"crank": angle, "coupler": 0 * angle, "rocker": angle}
    for name, piece in (("crank", 0), ("coupler", 2), ("rocker", 4)):
        reaction = run[f"{name}.reaction"]
        for k in range(4):
            expected = np.zeros(6)
            expected[2] = torque[name][k]
            expected[3:] = in_axes(turned[name][k], pins[k, piece : piece + 2])
            assert np.allclose(reaction[k], expected, rtol=0, atol=1e-11), (name, k)


def in_axes(angle, force):
    """Force in the plane, in axes that are turned by an angle."""
    c, s = np.cos(angle), np.sin(angle)
    return [c * force[0] + s * force[1], c * force[1] - s * force[0], 0.0]


def test_every_body_obeys_newton_and_euler_under_the_forces_of_joints_and_loops():
    """Whatever the rows hold; ends in turned frames, on bodies and on the ground."""
    system = looped(ls.Fixed(), ls.Fixed(), rigid_ends=True)
    run = random_run(system, np.random.default_rng(6), wrenches=["hand"])
    for k in range(run.n):
        state = system.state(run.q[k], run.v[k])
        total = {name: np.zeros(6) for name in system.names}  # about the world's origin
        for i, name in enumerate(system.names):
            pose = ls.pose(system, state, name)
            through = in_world(run[f"{name}.reaction"][k], pose.rotation, pose.position)
            total[name] += through
            if system.parent[i] >= 0:
                total[system.names[system.parent[i]]] -= through
        hand = ls.pose(system, state, "hand")
        total["hand"] += in_world(run["hand.load"][k], hand.rotation, hand.position)
        for loop in system.loops:
            point, axes = frame_in_world(system, state, loop.b)
            wrench = np.concatenate([run[f"{loop.name}.moment"][k], run[f"{loop.name}.force"][k]])
            for end, sign in ((loop.a, -1.0), (loop.b, 1.0)):
                if end.body >= 0:
                    total[system.names[end.body]] += sign * in_world(wrench, axes, point)
        for name in system.names:
            needed = momentum_rate(run, k, name)
            assert np.allclose(total[name], needed, rtol=0, atol=1e-11 * np.abs(needed).max())


def in_world(wrench, axes, point):
    """[moment; force] at a point in some axes, about the world's origin in its axes."""
    force = axes @ wrench[3:]
    return np.concatenate([axes @ wrench[:3] + np.cross(point, force), force])


BODIES = {"base": rigid(1), "boom": rigid(3), "arm": rigid(3), "hand": rigid(2)}


def momentum_rate(run, k, name):
    """Rate of a rigid body's momentum about the world's origin, less its weight, world axes."""
    body, R = BODIES[name], run[f"{name}.rotation"][k]
    w, alpha = run[f"{name}.angular_velocity"][k], run[f"{name}.angular_acceleration"][k]
    arm, J = R @ body.com, R @ body.inertia @ R.T
    a = run[f"{name}.acceleration"][k] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    force = body.mass * (a - run.system.gravity)
    moment = J @ alpha + np.cross(w, J @ w)
    return np.concatenate([moment + np.cross(run[f"{name}.position"][k] + arm, force), force])


@pytest.mark.parametrize(
    "joints", [(ls.Revolute("z"), ls.Spherical()), (ls.Planar("x"), ls.Screw("y", 0.3))]
)
def test_along_the_hinges_reactions_are_the_forces_that_the_tree_needs_less_those_of_loops(joints):
    """Ends on nodes that bend: H f = (M vdot + b - A^T lambda) of the hinge."""
    system = looped(*joints)
    tree = replace(system, loops=())
    run = random_run(system, np.random.default_rng(8), deformation=0.1)
    rng = np.random.default_rng(9)
    rows, needed = run.store.rows.copy(), []
    for k in range(run.n):
        motions = kinematics_base_to_tip(system, run.q[k], run.v[k])
        loops = loop_motions(system, motions)
        lam = [rng.standard_normal(loop.constraint_map.shape[1]) for loop in loops]
        stored_forces = [loop.constraint_map @ x for loop, x in zip(loops, lam, strict=True)]
        rows[k, run.store.columns.slices["loop_force"]] = np.concatenate(stored_forces)
        of_loops = generalized_loop_forces(system, motions, loops, np.concatenate(lam)[None])[0]
        plain = tree.state(run.q[k], run.v[k])
        needed.append(ls.inverse_dynamics(tree, plain, run.acceleration[k]) - of_loops)
    run = Trajectory(system, MemoryStore(run.store.columns, rows))
    for i, name in enumerate(system.names):
        hinge, joint = system.layout.hinge_v(i), system.joints[i]
        for k in range(run.n):
            H = joint.motion_map(run[name][k]).T
            expected = needed[k][hinge]
            scale = np.abs(needed[k]).max() + np.abs(run[f"{name}.reaction"][k]).max()
            found = H @ run[f"{name}.reaction"][k]
            assert np.allclose(found, expected, rtol=0, atol=1e-12 * scale), name


# Below the ground all the time: where the links are in a line, the rocker could turn either way.
START = {"crank": -0.4, "coupler": 0.4, "rocker": -0.4}
SWING = {"duration": 2.0, "output_step": 0.01, "rtol": 1e-11}


def bending():
    """The parallelogram with beams for crank and coupler."""
    model = ls.Model("bending", gravity=(0, -9.81, 0.5))
    section = ls.Tube(radius=0.02, thickness=0.002)
    crank, bar = (
        ls.beam(x, section, ls.ALUMINIUM, bending=1, torsion=0, stretch=0) for x in (1.0, 2.0)
    )
    rocker = ls.RigidBody.rod(3.0, 1.0, com=(0.5, 0, 0))
    model.add(crank, ls.Revolute("z"), name="crank")
    model.add(bar, ls.Revolute("z"), name="coupler", to="crank.tip")
    model.add(rocker, ls.Revolute("z"), name="rocker", at=(2, 0, 0))
    model.close(ls.Spherical(), "coupler.tip", "rocker", at_b=(1, 0, 0), name="pin")
    return model.compile()


@pytest.fixture(scope="module")
def swing():
    system = parallelogram()
    return ls.simulate(system, system.state(**START), **SWING)


def test_a_run_has_the_force_in_the_pin_that_the_links_need(swing):
    """One angle moves it all: 7 angle'' = -8 g cos(angle), from kinetic and potential energy.

    The coupler does not turn, which gives the force in the pin across it; the balance of the
    rocker about its own pivot gives the rest.
    """
    g, angle = 9.81, swing["crank.angle"]
    c, s, w = np.cos(angle), np.sin(angle), swing["crank.rates"][:, 0]
    w_dot = -8 * g * c / 7
    assert np.allclose(swing["crank.hinge_acceleration"][:, 0], w_dot, rtol=0, atol=1e-8)
    y = -5.0 / 2 * (c * w_dot - s * w**2 + g)
    across = 1.0 * w_dot + 3.0 * g * c / 2
    x = (c * y - across) / s
    force = swing["pin.force"]  # in the axes of the rocker
    expected = np.stack([c * x + s * y, c * y - s * x], axis=1)
    assert np.ptp(angle) > 2.0 and np.allclose(force[:, :2], expected, rtol=0, atol=1e-7)
    assert np.abs(force[:, 2]).max() < 1e-9 and np.abs(swing["pin.moment"]).max() < 1e-9


def test_a_run_keeps_its_loops_closed_and_its_energy(swing):
    assert swing["closure"].max() < 1e-9 and swing["closure_rate"].max() < 1e-9
    energy = swing["energy.total"]
    assert np.ptp(energy) < 1e-8 * np.abs(energy).max()
    assert np.allclose(swing["pin"][:, 0], swing["rocker.angle"], rtol=0, atol=1e-9)
    assert "1 loop" in repr(swing)


def test_joint_forces_of_a_run_with_beams_do_no_work_on_free_hinges():
    """Their parts along the hinges are zero only if the forces of the loop are the true ones."""
    system = bending()
    run = ls.simulate(system, system.state(**START), duration=0.5, output_step=0.02)
    for name in system.names:
        reaction = run[f"{name}.reaction"]
        assert np.abs(reaction[:, 2]).max() < 1e-8 * np.abs(reaction).max() > 0
    assert np.abs(run["crank.reaction"][:, 3:]).max() > 10.0
    # without the forces of the loop they would not be
    without = rows_of(system, run.time, run.q, run.v, run.acceleration, run.force)
    assert np.abs(Trajectory(system, without)["crank.reaction"][:, 2]).max() > 1.0


def test_the_forces_in_the_rows_are_those_of_loop_forces():
    load = ls.NodeForce("coupler", force=(3.0, -20.0, 4.0))
    system = bending()
    run = ls.simulate(
        system, system.state(**START), duration=0.2, output_step=0.02, loads=[load], forces=push
    )
    assert np.all(run["crank.force"] == 2.0)
    for k in range(run.n):
        state, external = system.state(run.q[k], run.v[k]), {"coupler": run["coupler.load"][k]}
        (expected,) = ls.loop_forces(system, state, run.force[k], external=external)
        found = np.concatenate([run["pin.moment"][k], run["pin.force"][k]])
        assert np.allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def push(time, state):
    return {"crank": 2.0}


def test_assemble_closes_a_state_between_rows():
    system = bending()
    coarse = ls.simulate(system, system.state(**START), duration=0.1, output_step=0.02)
    state = coarse.state(0.05)
    assert np.linalg.norm(ls.closure(system, state).gap) > 1e-9
    assert np.linalg.norm(ls.closure(system, ls.assemble(system, state)).gap) < 1e-12


def test_a_run_from_a_file_is_the_run_in_memory(tmp_path, swing):
    system = parallelogram()
    done = ls.simulate(system, system.state(**START), **SWING, file=tmp_path / "a.nc")
    same(swing.store, done.store)
    again = ls.load(tmp_path / "a.nc")
    for name in ("pin.force", "pin.gap", "closure_rate", "rocker.reaction"):
        assert again[name].tobytes() == swing[name].tobytes()


def test_a_run_that_is_resumed_has_the_same_forces_of_loops(tmp_path, swing):
    system, path = parallelogram(), tmp_path / "a.nc"
    with pytest.warns(UserWarning):
        begun = ls.simulate(system, system.state(**START), **SWING, file=path, time_limit=1e-6)
    assert begun.n < swing.n and begun["pin.force"].shape == (begun.n, 3)
    resumed = ls.simulate(system, system.state(**START), **SWING, resume=f"{path}.part")
    same(swing.store, resumed.store)


def test_a_run_of_another_loop_is_not_resumed(tmp_path):
    system, path = parallelogram(), tmp_path / "a.nc"
    with pytest.warns(UserWarning):
        ls.simulate(system, system.state(**START), **SWING, file=path, time_limit=1e-6)
    other = parallelogram(ls.Cylindrical("z"))
    with pytest.raises(ResultError, match="different: system"):
        ls.simulate(other, other.state(**START), **SWING, resume=f"{path}.part")
