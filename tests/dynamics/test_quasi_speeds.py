"""Joints of users' own with quasi-speeds: a skate and a rolling disk as joints of a tree.

The references are the analytic motion of Chaplygin's sleigh, Newton's and Euler's equations of a
disk with the force at its contact as an unknown, and the closed form of its stability.
"""

from dataclasses import dataclass

import numba
import numpy as np
import pytest

import lissom as ls
from lissom.spatial import axis_rotation, rotation_exp
from tests.references.reference_quantities import Reference

G = 9.81
X, Y, Z = np.eye(3)
MASS, AHEAD, INERTIA = 2.0, 0.3, 0.15  # of the sleigh: mass, centre before the blade, about it
RADIUS = 0.2


@dataclass(frozen=True, eq=False)
class Blade(ls.Joint):
    """Blade on a plane: it glides along x and turns about z, but does not slip along y."""

    coordinates = (("x", "m"), ("y", "m"), ("heading", "rad"))
    speeds = (("glide", "m"), ("turn", "rad"))

    def pose(self, q):
        return axis_rotation(Z, q[2]), q[0] * X + q[1] * Y

    def motion_map(self, q):
        return np.stack([np.concatenate([0 * X, X]), np.concatenate([Z, 0 * X])], axis=1)


@numba.njit
def fast_skate(parameters, q, v, rotation, position, motion_map, bias, rates):
    c, s = np.cos(q[2]), np.sin(q[2])
    rotation[:], position[:], motion_map[:], bias[:] = 0.0, 0.0, 0.0, 0.0
    rotation[0, 0], rotation[0, 1], rotation[1, 0], rotation[1, 1] = c, -s, s, c
    rotation[2, 2] = 1.0
    position[0], position[1] = q[0], q[1]
    motion_map[0, 3], motion_map[1, 2] = 1.0, 1.0
    bias[4] = v[0] * v[1]
    rates[0], rates[1], rates[2] = v[0] * c, v[0] * s, v[1]


@dataclass(frozen=True, eq=False)
class FastSkate(Blade):
    """The same with a compiled function."""

    compiled = staticmethod(fast_skate)


@dataclass(frozen=True, eq=False)
class Disk(ls.Joint):
    """Disk about its axis y on the plane z = 0; (x, y) is the contact."""

    radius: float
    coordinates = (("x", "m"), ("y", "m"), ("yaw", "rad"), ("lean", "rad"), ("roll", "rad"))
    speeds = (("yaw", "rad"), ("lean", "rad"), ("roll", "rad"))

    def pose(self, q):
        upright = axis_rotation(Z, q[2]) @ axis_rotation(X, q[3])
        centre = q[0] * X + q[1] * Y + self.radius * (upright @ Z)
        return upright @ axis_rotation(Y, q[4]), centre

    def motion_map(self, q):
        lean, roll = axis_rotation(X, q[3]).T, axis_rotation(Y, q[4]).T
        turns = np.stack([roll @ lean @ Z, roll @ X, Y], axis=1)
        up = self.radius * (roll @ Z)  # from the contact to the centre
        return np.concatenate([turns, np.cross(turns.T, up).T])


def sleigh_model(joint=None):
    model = ls.Model("sleigh", gravity=(0, 0, -G))
    body = ls.RigidBody(MASS, com=(AHEAD, 0, 0), inertia=(0.1, 0.1, INERTIA))
    model.add(body, joint or Blade(), name="sleigh")
    return model


def disk_model(rider=False):
    model = ls.Model("disk", gravity=(0, 0, -G))
    model.add(disk_body(), Disk(RADIUS), name="disk")
    if rider:
        rod = ls.RigidBody.box(0.4, (0.02, 0.03, 0.5), com=(0, 0.02, -0.2))
        model.add(rod, ls.Revolute("y"), to="disk", at=(0, 0.05, 0), name="rider")
    return model


def disk_body():
    m = 1.3
    return ls.RigidBody(m, inertia=m * RADIUS**2 * np.array([0.25, 0.5, 0.25]))


@pytest.fixture(params=[Blade, FastSkate], scope="module")
def sleigh(request):
    return sleigh_model(request.param()).compile()


@pytest.fixture(scope="module")
def disk():
    return disk_model().compile()


def sleighing(t, glide, turn):
    """Analytic speeds and turn of Chaplygin's sleigh: glide = E tanh s, turn = (E / k) sech s."""
    k = np.sqrt(INERTIA / MASS + AHEAD**2)
    E = np.hypot(glide, k * turn)
    first = np.arctanh(glide / E)
    s = first + AHEAD * E / k**2 * t

    def gudermannian(x):
        return 2 * np.arctan(np.tanh(x / 2))

    turned = k / AHEAD * (gudermannian(s) - gudermannian(first))
    return E * np.tanh(s), E / k / np.cosh(s), turned


def test_a_skate_has_more_coordinates_than_speeds(sleigh):
    assert (sleigh.n_q, sleigh.n_v) == (3, 2)
    state = sleigh.state(sleigh=(0.1, 0.2, 0.3), **{"sleigh.rates": (1.0, 0.5)})
    arm = AHEAD / (INERTIA / MASS + AHEAD**2)
    expected = [AHEAD * 0.5**2, -arm * 1.0 * 0.5]
    assert ls.forward_dynamics(sleigh, state) == pytest.approx(expected, rel=1e-13)
    assert Reference(sleigh, state).forward_dynamics() == pytest.approx(expected, rel=1e-13)
    assert ls.inverse_dynamics(sleigh, state, expected) == pytest.approx([0, 0], abs=1e-13)
    inertia = np.diag([MASS, INERTIA + MASS * AHEAD**2])
    assert ls.mass_matrix(sleigh, state) == pytest.approx(inertia, rel=1e-14)
    assert ls.operators(sleigh, state).mass.as_matrix() == pytest.approx(inertia, rel=1e-14)
    assert ls.qdot(sleigh, state) == pytest.approx([np.cos(0.3), np.sin(0.3), 0.5], rel=1e-14)


@pytest.mark.parametrize(
    "kind, integrator, settings, rough",
    [
        (Blade, "dop853", {"rtol": 1e-10}, 1e-9),
        (FastSkate, "dopri5", {"rtol": 1e-9}, 1e-8),
        (FastSkate, "rk4", {"step": 1e-2}, 1e-8),
        (Blade, "generalized_alpha", {"step": 1e-2}, 4e-4),
        (FastSkate, "generalized_alpha", {"rtol": 1e-6}, 3e-4),
        (FastSkate, "linearly_implicit_euler", {"step": 5e-3}, 3e-2),
        (FastSkate, "euler_cromer", {"step": 5e-3}, 3e-2),
    ],
)
def test_the_sleigh_moves_as_chaplygin_says(kind, integrator, settings, rough):
    sleigh = sleigh_model(kind()).compile()
    start = sleigh.state(sleigh=(0.1, 0.2, 0.3), **{"sleigh.rates": (-0.4, 1.1)})
    run = ls.simulate(sleigh, start, duration=2.0, integrator=integrator, **settings)
    t = run.time
    glide, turn, turned = sleighing(t, -0.4, 1.1)
    assert run["sleigh.rates"] == pytest.approx(np.stack([glide, turn], axis=1), abs=rough)
    assert run["sleigh.heading"] == pytest.approx(0.3 + turned, abs=rough)
    fine = np.linspace(0, 2.0, 20001)
    glide, _, turned = sleighing(fine, -0.4, 1.1)
    for name, first, part in (("x", 0.1, np.cos), ("y", 0.2, np.sin)):
        way = glide * part(0.3 + turned)
        end = first + np.sum(way[1:] + way[:-1]) * (fine[1] - fine[0]) / 2
        assert run[f"sleigh.{name}"][-1] == pytest.approx(end, abs=rough + 1e-8)


def test_rows_between_steps_are_interpolated_with_the_same_constraint(sleigh):
    start = sleigh.state(sleigh=(0.1, 0.2, 0.3), **{"sleigh.rates": (-0.4, 1.1)})
    run = ls.simulate(sleigh, start, duration=2.0, output_step=0.1, rtol=1e-11)
    times = np.linspace(0.013, 1.987, 50)
    found = run.sample(times)
    glide, turn, turned = sleighing(times, -0.4, 1.1)
    assert found["sleigh.heading"] == pytest.approx(0.3 + turned, abs=1e-8)
    assert found["sleigh.rates"] == pytest.approx(np.stack([glide, turn], axis=1), abs=1e-6)


def newton_euler(q, v):
    """Accelerations (yaw, lean, roll) of the disk: 9 unknowns, the force at the contact among them.

    All vectors are in the axes of the disk's plane: x ahead, y its axis, z up in its plane.
    """
    lean, (yaw, leaning, roll) = q[3], v
    body = disk_body()
    inertia, up = np.diag(np.diag(body.inertia)), RADIUS * Z
    vertical = np.array([0, np.sin(lean), np.cos(lean)])
    frame = yaw * vertical + leaning * X  # of the axes
    omega = frame + roll * Y
    turns = np.stack([vertical, X, Y], axis=1)
    # d/dt of `turns` times v in space: vertical is constant, x and y move with the axes
    rest = leaning * np.cross(frame, X) + roll * np.cross(frame, Y)
    # centre: a = omega' x up + omega x (frame x up)
    lever = np.array([np.cross(column, up) for column in turns.T]).T
    ahead = np.cross(rest, up) + np.cross(omega, np.cross(frame, up))
    A = np.block([[body.mass * lever, -np.eye(3)], [inertia @ turns, ls.spatial.skew(up)]])
    gyro = inertia @ rest + np.cross(omega, inertia @ omega)
    b = np.concatenate([-body.mass * ahead - body.mass * G * vertical, -gyro])
    return np.linalg.solve(A, b)[:3]


@pytest.mark.parametrize("seed", range(4))
def test_the_disk_obeys_newton_and_euler(disk, seed):
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-0.9, 0.9, 5), 3 * rng.standard_normal(3)
    state = disk.state(q, v)
    expected = newton_euler(q, v)
    assert ls.forward_dynamics(disk, state) == pytest.approx(expected, rel=1e-11, abs=1e-11)
    assert Reference(disk, state).forward_dynamics() == pytest.approx(expected, rel=1e-11)


def test_the_disk_rolls_without_slip_and_keeps_its_energy(disk):
    start = disk.state([0, 0, 0.3, 0.4, 0.5], [1.0, 0.2, 6.0])
    run = ls.simulate(disk, start, duration=0.5, rtol=1e-9)
    energy = run["energy.total"]
    assert np.ptp(energy) < 1e-8 * energy[0]
    speed = np.hypot(*(np.gradient(run[f"disk.{x}"], run.time) for x in "xy"))
    assert speed[2:-2] == pytest.approx(RADIUS * np.abs(run["disk.rates"][2:-2, 2]), rel=2e-2)


@pytest.mark.parametrize("part", [0.5, 0.97, 1.03, 2.0])
def test_straight_rolling_is_stable_above_the_known_speed(disk, part):
    """lambda^2 = (m g r A - C (C + m r^2) w^2) / (A (A + m r^2)); zero at v^2 = g r / 3."""
    body = disk_body()
    m, A, C = body.mass, body.inertia[0, 0], body.inertia[1, 1]
    roll = part * np.sqrt(G * RADIUS / 3) / RADIUS
    square = (m * G * RADIUS * A - C * (C + m * RADIUS**2) * roll**2) / (A * (A + m * RADIUS**2))

    def rates(x):  # of lean, its rate, and the yaw rate
        q, v = [0, 0, 0, x[0], 0], [x[2], x[1], roll]
        vdot = ls.forward_dynamics(disk, disk.state(q, v))
        return np.array([x[1], vdot[1], vdot[0]])

    h = 1e-5
    J = np.stack([(rates(h * e) - rates(-h * e)) / (2 * h) for e in np.eye(3)], axis=1)
    found = np.linalg.eigvals(J)
    largest = found[np.argmax(np.abs(found))]
    assert (largest**2).real == pytest.approx(square, rel=1e-6, abs=1e-7)
    assert (square > 0) == (part < 1)


def test_a_rider_on_the_disk_feels_the_constraint():
    """The same tree on a free joint, reduced to the speeds that the disk allows."""
    system = disk_model(rider=True).compile()
    free = ls.Model("free", gravity=(0, 0, -G))
    for part in disk_model(rider=True).parts.values():
        joint = ls.Free() if part.name == "disk" else part.joint
        free.add(part.body, joint, name=part.name, to=part.to, at=part.at)
    free = free.compile()
    rng = np.random.default_rng(3)
    joint, q, v = Disk(RADIUS), rng.uniform(-0.8, 0.8, 6), 2 * rng.standard_normal(4)

    def allowed(q):
        S = np.eye(7, 4, k=-3)
        S[:6, :3] = joint.motion_map(q[:5])
        return S

    def there(q):
        return np.concatenate([ls.Free().nearest(*joint.pose(q[:5])), q[5:]])

    q_dot = ls.qdot(system, system.state(q, v))
    change = (allowed(q + 1e-6 * q_dot) - allowed(q - 1e-6 * q_dot)) / 2e-6
    S, T = allowed(q), rng.standard_normal(4)
    state = free.state(there(q), S @ v)
    M, b = ls.mass_matrix(free, state), ls.bias_force(free, state)
    expected = np.linalg.solve(S.T @ M @ S, T - S.T @ (b + M @ change @ v))
    assert ls.forward_dynamics(system, system.state(q, v), T) == pytest.approx(expected, rel=1e-7)


def test_files_keep_the_joint_its_state_and_its_run(sleigh, tmp_path):
    joint = sleigh.joints[0]
    start = sleigh.state(sleigh=(0.1, 0.2, 0.3), **{"sleigh.rates": (-0.4, 1.1)})
    model = sleigh_model(joint)
    model.save(tmp_path / "s.toml", simulation={"duration": 0.5, "state": start})
    loaded = ls.load_run(tmp_path / "s.toml")
    assert loaded.state.q.tolist() == start.q.tolist()
    assert loaded.state.v.tolist() == start.v.tolist()
    run = loaded.simulate(file=tmp_path / "s.nc")
    again = ls.Trajectory.load(tmp_path / "s.nc")
    assert type(again.system.joints[0]) is type(joint)
    assert again["sleigh.heading"].tolist() == run["sleigh.heading"].tolist()
    assert again["sleigh.rates"].shape == (len(run), 2)
    run.save(tmp_path / "s.csv")
    head = (tmp_path / "s.csv").read_text().splitlines()[0]
    for name in ("sleigh.heading", "sleigh.glide", "sleigh.turn"):
        assert name in head


def test_an_interrupted_run_goes_on(tmp_path):
    system = sleigh_model().compile()
    start = system.state(sleigh=(0.1, 0.2, 0.3), **{"sleigh.rates": (-0.4, 1.1)})
    settings = {"duration": 1.0, "step": 1e-2, "integrator": "rk4"}
    whole = ls.simulate(system, start, **settings)
    with pytest.warns(ls.SimulationWarning, match="time limit"):
        ls.simulate(system, start, file=tmp_path / "s.nc", time_limit=1e-9, **settings)
    other = sleigh_model().compile()  # another joint object, with another number in the kernels
    run = ls.simulate(
        other, other.state(start.q, start.v), resume=tmp_path / "s.nc.part", **settings
    )
    assert np.array_equal(run.q, whole.q)


def test_a_towed_skate_keeps_its_loop_closed():
    """One freedom is left: the end of a turning rod tows the sleigh by a point before its blade."""
    model = sleigh_model()
    model.add(ls.RigidBody.rod(0.5, 1.0, com=(0.5, 0, 0)), ls.Revolute("z"), name="rod")
    model.close(ls.Revolute("z"), "rod", "sleigh", at_a=(1.0, 0, 0), at_b=(0.5, 0, 0), name="hitch")
    system = model.compile()
    start = system.state([1.0, -0.5, np.pi / 2, 0.0], [2.0, 0.0, 2.0])
    run = ls.simulate(system, start, duration=1.0, rtol=1e-9)
    heading, rod = run["sleigh.heading"], run["rod.angle"]
    gap = run["sleigh.x"] + 0.5 * np.cos(heading) - np.cos(rod)
    assert np.abs(gap).max() < 1e-10
    assert np.ptp(run["energy.total"]) < 1e-7
    # the blade's speed is the part along it of the rod's end, its turn the part across
    glide, turn = run["sleigh.rates"].T
    assert glide == pytest.approx(run["rod.rates"][:, 0] * np.sin(heading - rod), abs=1e-9)
    assert turn == pytest.approx(run["rod.rates"][:, 0] * np.cos(heading - rod) / 0.5, abs=1e-9)


def test_closing_a_loop_moves_quasi_speeds_by_the_whole_gap():
    """Corrections of one and a half times the gap would divide steps: 57 instead of 50."""
    model = ls.Model("loop", gravity=(0, 0, -G))
    link = ls.RigidBody.box(1.0, (1.0, 0.1, 0.1), com=(0.5, 0, 0))
    model.add(link, ls.SimpleJoint(np.eye(6, 3)), name="link")
    slider = ls.RigidBody.box(0.5, (0.1, 0.1, 0.1))
    model.add(slider, ls.Cylindrical("z"), at=(0.6, 0, 0), name="slider")
    model.close(ls.Spherical(), "link", "slider", at_a=(1, 0, 0), at_b=(0.5, 0, 0), name="pin")
    system = model.compile()
    start = ls.assemble(system, system.state(link=(0.1, 0.3, 0.2), slider=(1.0, -0.5)))
    run = ls.simulate(system, start, duration=1.0, step=2e-2, integrator="rk4", rtol=0.5)
    assert run.statistics["steps"] == 50
    assert run.statistics["projections"] < 4 * 50


def test_equilibrium_moves_along_the_allowed_motions_only():
    model = ls.Model("slope", gravity=(3.0, 0, -9.0))
    model.add(ls.RigidBody(MASS, com=(0, 0, 0), inertia=(0.1, 0.1, INERTIA)), Blade(), name="sled")
    system = model.compile()
    spring = ls.NodeSpring("sled", (0, 0, 0), 100.0, length=0.0)
    start = system.state(sled=(0.5, 0.0, 0.0))
    found = ls.equilibrium(system, start, loads=[spring])
    assert found.q == pytest.approx([3.0 * MASS / 100.0, 0.0, 0.0], abs=1e-8)


def balanced(joint=None):
    """A skate with its centre of mass at the blade: both speeds stay."""
    model = ls.Model("circle")
    model.add(ls.RigidBody(MASS, inertia=(0.1, 0.1, INERTIA)), joint or Blade(), name="skate")
    return model.compile()


@pytest.mark.parametrize("integrator", ["dop853", "dopri5"])
def test_errors_of_coordinates_control_the_steps(integrator):
    """With constant speeds nothing else does: the largest step would be a turn of 9 rad."""
    system, t = balanced(FastSkate()), 30.0
    run = ls.simulate(
        system, system.state(v=[1.0, 3.0]), duration=t, rtol=1e-6, integrator=integrator
    )
    assert run["skate.x"][-1] == pytest.approx(np.sin(3 * t) / 3, abs=1e-4)
    assert run["skate.y"][-1] == pytest.approx((1 - np.cos(3 * t)) / 3, abs=1e-4)


def test_an_implicit_method_sees_the_errors_of_coordinates_too():
    """Accelerations are zero, so that they say nothing: steps would be a tenth of the run."""
    system = balanced(FastSkate())
    settings = {"duration": 5.0, "rtol": 1e-5, "integrator": "generalized_alpha"}
    run = ls.simulate(system, system.state(v=[1.0, 3.0]), **settings)
    exact = [np.sin(15) / 3, (1 - np.cos(15)) / 3, 15.0]
    assert run.q[-1] == pytest.approx(exact, abs=1e-3)
    model = ls.Model("ball")
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), ls.SimpleJoint(np.eye(6, 3)), name="ball")
    ball, w = model.compile(), np.array([1.0, 0.5, -0.3])
    run = ls.simulate(ball, ball.state(v=w), duration=1.0, rtol=1e-6, integrator="newmark")
    assert run["ball.rotation"][-1] == pytest.approx(rotation_exp(w), abs=1e-4)


def test_long_fixed_steps_are_told_by_the_errors_of_coordinates():
    system = balanced(FastSkate())
    settings = {"duration": 20.0, "integrator": "rk4"}
    with pytest.warns(ls.SimulationWarning, match="fixed step of 1 s leaves an error.*'skate'"):
        ls.simulate(system, system.state(v=[1.0, 3.0]), step=1.0, **settings)
    run = ls.simulate(system, system.state(v=[1.0, 3.0]), step=0.1, **settings)
    error = np.abs(run["skate.x"] - np.sin(3 * run.time) / 3).max()
    assert error < run.statistics["estimated_error"] < 1e3 * error


def test_an_absolute_tolerance_holds_for_coordinates_too():
    system = balanced(FastSkate())
    runs = [
        ls.simulate(system, system.state(v=[1.0, 3.0]), duration=5.0, atol=atol)
        for atol in (1e-3, 1e-10)
    ]
    assert runs[0].statistics["steps"] < runs[1].statistics["steps"] / 2
    assert runs[1]["skate.x"][-1] == pytest.approx(np.sin(15) / 3, abs=1e-8)


def test_loads_and_motions_on_the_speeds_of_a_skate():
    system = balanced(FastSkate())
    run = ls.simulate(
        system, system.state(v=[2.0, 0.0]), duration=1.0, loads=[ls.JointDamper("skate", 3.0)]
    )
    assert run.v[-1] == pytest.approx([2 * np.exp(-3 / MASS), 0], abs=1e-8)
    motion = ls.Motion("skate", velocity=(1.0, 0.5))
    run = ls.simulate(system, system.state(v=[1.0, 0.5]), duration=2.0, loads=[motion])
    assert run.q[-1] == pytest.approx([np.sin(1) / 0.5, (1 - np.cos(1)) / 0.5, 1.0], abs=1e-7)
    # no slip: the blade holds it on the circle, m v w across
    assert run["skate.reaction"][0, 4] == pytest.approx(MASS * 1.0 * 0.5, rel=1e-9)
    at = ls.Event(lambda t, state: state.q[2] - 0.3, ls.Lock("skate"))
    run = ls.simulate(system, system.state(v=[1.0, 0.5]), duration=2.0, events=[at])
    assert run["skate.heading"][-1] == pytest.approx(0.3, abs=1e-7)
    assert run.v[-1] == pytest.approx([0, 0])
    with pytest.raises(ls.LoadError, match="2 motions and 3 coordinates"):
        ls.simulate(system, duration=1.0, events=[ls.Event("skate", value=1.0)])


@dataclass(frozen=True, eq=False)
class Sideways(Blade):
    """Its map is not what its pose does."""

    def motion_map(self, q):
        return np.stack([np.concatenate([0 * X, Z]), np.concatenate([Z, 0 * X])], axis=1)


@dataclass(frozen=True, eq=False)
class WrongRates(Blade):
    def rate_map(self, q):
        return np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])


@dataclass(frozen=True, eq=False)
class Misshapen(Blade):
    def rate_map(self, q):
        return np.eye(2)


@dataclass(frozen=True, eq=False)
class TooFew(Blade):
    coordinates = (("x", "m"),)
    speeds = (("glide", "m"), ("turn", "rad"))


@dataclass(frozen=True, eq=False)
class RealPose(Blade):
    def pose(self, q):
        return super().pose(np.real(q).astype(float))


@dataclass(frozen=True, eq=False)
class Renamed(ls.FactoredJoint):
    coordinates = (("angle", "rad"),)
    speeds = (("spin", "rad"),)

    @property
    def factors(self):
        return (ls.Turn(0, Z),)


@dataclass(frozen=True, eq=False)
class WithQuaternion(Blade):
    has_quaternion = True


@numba.njit
def slow_skate(parameters, q, v, rotation, position, motion_map, bias, rates):
    fast_skate(parameters, q, v, rotation, position, motion_map, bias, rates)
    rates[0] = v[0]


@dataclass(frozen=True, eq=False)
class WrongFastSkate(Blade):
    compiled = staticmethod(slow_skate)


@pytest.mark.parametrize(
    "kind, words",
    [
        (Sideways, ["'sleigh'", "Sideways", "derivative of its pose along rate_map", "column 0"]),
        (WrongRates, ["derivative of its pose along rate_map"]),
        (Misshapen, ["rate_map of shape (2, 2)", "expected a finite array (3, 2)"]),
        (TooFew, ["1 coordinates and 2 speeds"]),
        (RealPose, ["does not determine its 3 coordinates", "imaginary part", "rate_map(q)"]),
        (Renamed, ["FactoredJoint", "derive the class from Joint"]),
        (WithQuaternion, ["has_quaternion", "neutral()"]),
        (WrongFastSkate, ["disagree on rates"]),
    ],
)
def test_joints_that_contradict_themselves_are_refused(kind, words):
    with pytest.raises(ls.ModelError) as error:
        sleigh_model(kind()).compile()
    for word in words:
        assert word in str(error.value)


def test_where_coordinates_need_rates_the_joint_is_refused():
    system = sleigh_model().compile()
    for load in (
        ls.JointSpring("sleigh", 1.0),
        ls.JointStop("sleigh", 0.0, 1.0, stiffness=1.0),
        ls.Motion("sleigh", lambda t: (0, 0, t)),
        ls.Servo("sleigh", 0.0, kp=1.0),
    ):
        with pytest.raises(ls.LoadError, match="Blade"):
            ls.simulate(system, duration=0.1, loads=[load])
    closed = ls.Model("closed")
    closed.add(ls.RigidBody.sphere(1.0, 0.1), ls.Free(), name="ball")
    closed.close(Blade(), None, "ball", name="edge")
    with pytest.raises(ls.ModelError, match=r"'edge'.*Blade.*cannot close a loop.*model.add"):
        closed.compile()
    with pytest.raises(ls.ModelError, match=r"'sleigh'.*Blade.*numerical functions"):
        ls.symbolic.derive(sleigh_model())


@dataclass(frozen=True, eq=False)
class Cardan(ls.Joint):
    """Ball joint with three angles and the angular velocity for speeds; lean = 0 is singular."""

    coordinates = (("yaw", "rad"), ("lean", "rad"), ("roll", "rad"))
    speeds = (("x", "rad"), ("y", "rad"), ("z", "rad"))

    def pose(self, q):
        return axis_rotation(Z, q[0]) @ axis_rotation(X, q[1]) @ axis_rotation(Z, q[2]), 0 * X

    def neutral(self):
        return np.array([0.0, 1.0, 0.0])

    def motion_map(self, q):
        return np.eye(6, 3)


def test_a_ball_by_angles_turns_like_a_ball_by_a_quaternion():
    ball, angles = ls.Model("ball", gravity=(0, 0, -G)), ls.Model("angles", gravity=(0, 0, -G))
    body = ls.RigidBody.box(2.0, (0.4, 0.2, 0.1), com=(0.1, 0.2, -0.1))
    ball.add(body, ls.Spherical(), name="body")
    angles.add(body, Cardan(), name="body")
    ball, angles = ball.compile(), angles.compile()
    q, v = np.array([0.3, 1.2, -0.4]), np.array([0.5, -0.3, 0.8])
    first = ls.Spherical().nearest(*Cardan().pose(q))
    runs = [
        ls.simulate(s, s.state(x, v), duration=0.5, rtol=1e-11)
        for s, x in ((ball, first), (angles, q))
    ]
    ends = [run["body.quaternion"][-1] for run in runs]
    assert abs(ends[0] @ ends[1]) == pytest.approx(1.0, abs=1e-9)
    with pytest.raises(ls.ModelError, match=r"Cardan failed at q = .*singular there"):
        ls.simulate(angles, angles.state([0, 0, 0], [1.0, 1.0, 0]), duration=0.1)
