"""Joints that a user writes: by pose and map, by factors, with a compiled function, and wrongly."""

import gc
import weakref
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import lissom as ls
from lissom.spatial import axis_rotation
from lissom.spatial.scalar import cos, sin
from tests.references.reference_quantities import Reference

A, B, MASS, INERTIA, G = 0.3, 0.12, 2.5, 0.4, 9.81
Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Cam(ls.Joint):
    """Turn about z that lifts the body by ``lift (1 - cos 2 q) / 2 + slope q``."""

    lift: float
    slope: float = 0.0
    coordinates = (("angle", "rad"),)

    def pose(self, q):
        height = self.lift * (1 - cos(2 * q[0])) / 2 + self.slope * q[0]
        return axis_rotation(Z, q[0]), height * Z

    def motion_map(self, q):
        rate = self.lift * sin(2 * q[0]) + self.slope
        return np.concatenate([Z, rate * Z])[:, None]


@numba.njit
def fast_cam(parameters, q, v, rotation, position, motion_map, bias):
    lift, slope = parameters[0], parameters[1]
    s, c = np.sin(q[0]), np.cos(q[0])
    rotation[:] = 0.0
    rotation[0, 0] = rotation[1, 1] = c
    rotation[1, 0], rotation[0, 1], rotation[2, 2] = s, -s, 1.0
    position[:] = 0.0
    position[2] = lift * (1 - np.cos(2 * q[0])) / 2 + slope * q[0]
    motion_map[:] = 0.0
    motion_map[0, 2] = 1.0
    motion_map[0, 5] = lift * np.sin(2 * q[0]) + slope
    bias[:] = 0.0
    bias[5] = 2 * lift * np.cos(2 * q[0]) * v[0] ** 2


@dataclass(frozen=True, eq=False)
class FastCam(Cam):
    """The same with a compiled function."""

    compiled = staticmethod(fast_cam)


@dataclass(frozen=True, eq=False)
class Gimbal(ls.FactoredJoint):
    """Three turns and a slide, by factors."""

    axis: Any
    coordinates = (("yaw", "rad"), ("pitch", "rad"), ("roll", "rad"), ("reach", "m"))

    @cached_property
    def factors(self):
        x, y, z = np.eye(3)
        return ls.Turn(0, z), ls.Turn(1, y), ls.Turn(2, x), ls.Slide(3, np.array(self.axis))


def lifted(q, v, torque=0.0):
    """Acceleration by Lagrange's equation of one coordinate: height h(q), inertia I + m h'^2."""
    slope, curve = A * np.sin(2 * q) + B, 2 * A * np.cos(2 * q)
    return (torque - MASS * slope * curve * v**2 - MASS * G * slope) / (INERTIA + MASS * slope**2)


def cam_model(kind=Cam):
    model = ls.Model("press", gravity=(0, 0, -G))
    body = ls.RigidBody(MASS, inertia=np.diag([0.3, 0.35, INERTIA]))
    model.add(body, kind(A, B), name="follower")
    return model


@pytest.fixture(params=[Cam, FastCam], scope="module")
def press(request):
    return cam_model(request.param).compile()


def test_dynamics_are_those_of_lagrange(press):
    for q, v, torque in [(0.0, 0.0, 0.0), (0.7, -2.0, 3.0), (-1.9, 4.0, -1.0)]:
        state = press.state([q], [v])
        x = lifted(q, v, torque)
        for got in (
            ls.forward_dynamics(press, state, [torque]),
            Reference(press, state).forward_dynamics([torque]),
        ):
            assert got == pytest.approx([x], rel=1e-12, abs=1e-12)
        assert ls.inverse_dynamics(press, state, [x]) == pytest.approx([torque], abs=1e-11)
        slope = A * np.sin(2 * q) + B
        assert ls.mass_matrix(press, state) == pytest.approx(
            np.array([[INERTIA + MASS * slope**2]]), rel=1e-13
        )
        assert ls.jacobian(press, state, "follower")[[2, 5], 0] == pytest.approx([1, slope])
        kinetic = 0.5 * (INERTIA + MASS * slope**2) * v**2
        assert ls.energy(press, state).kinetic == pytest.approx(kinetic)


@pytest.mark.parametrize("integrator", ["dop853", "rk4", "generalized_alpha"])
def test_runs_follow_lagrange(press, integrator):
    settings = {"rtol": 1e-10} if integrator == "dop853" else {"step": 1e-3}
    run = ls.simulate(
        press, press.state([0.4], [1.0]), duration=1.0, integrator=integrator, **settings
    )
    exact = solve_ivp(lambda t, y: [y[1], lifted(*y)], (0, 1), [0.4, 1.0], rtol=1e-12, atol=1e-13)
    rough = 1e-8 if integrator != "generalized_alpha" else 1e-4
    assert run["follower.angle"][-1] == pytest.approx(exact.y[0, -1], abs=rough)
    height = A * (1 - np.cos(2 * exact.y[0, -1])) / 2 + B * exact.y[0, -1]
    assert run["follower.position"][-1, 2] == pytest.approx(height, abs=rough)


def test_results_and_model_files_keep_it(press, tmp_path):
    kind = type(press.joints[0])
    run = ls.simulate(press, duration=0.1)
    run.save(tmp_path / "run.nc")
    other = ls.Trajectory.load(tmp_path / "run.nc")
    assert type(other.system.joints[0]) is kind
    assert other["follower.angle"].tolist() == run["follower.angle"].tolist()
    cam_model(kind).save(tmp_path / "press.toml")
    again = ls.load(tmp_path / "press.toml").compile()
    state = press.state([0.3], [0.2])
    x = ls.forward_dynamics(press, state)
    assert ls.forward_dynamics(again, again.state([0.3], [0.2])).tolist() == x.tolist()
    assert kind.__name__.lower() in (tmp_path / "press.toml").read_text()


def test_pictures(press, tmp_path):
    from lissom.viz.scene.joints import poses

    run = ls.simulate(press, duration=0.5)
    seen = poses(press, run.q)
    assert seen[:, 0, :3] == pytest.approx(run["follower.position"], abs=1e-14)
    run.to_html(tmp_path / "press.html")
    assert (tmp_path / "press.html").stat().st_size > 1000


def test_equations():
    equations = ls.symbolic.derive(cam_model())
    q, v = equations.coordinates[0], equations.speeds[0]
    slope, curve = A * sympy.sin(2 * q) + B, 2 * A * sympy.cos(2 * q)
    at = {q: 0.7, v: -1.3}
    expected = MASS * slope * curve * v**2 + MASS * G * slope
    assert float(equations.mass[0].subs(at)) == pytest.approx(
        float((INERTIA + MASS * slope**2).subs(at)), rel=1e-12
    )
    bias = equations.coriolis[0] * v + equations.force[0]
    assert float(bias.subs(at)) == pytest.approx(float(expected.subs(at)), rel=1e-12)
    with pytest.raises(ls.ModelError, match=r"Cam does not support symbols.*bias\(q, v\)"):
        _ = equations.bias


@dataclass(frozen=True, eq=False)
class CurvedCam(Cam):
    """The same with a formula for its bias."""

    def bias(self, q, v):
        return np.concatenate([0 * Z, 2 * self.lift * cos(2 * q[0]) * v[0] ** 2 * Z])


@pytest.mark.parametrize("v", [-1.3, 2.0 + 0j, 1e-30j, 0.4 + 1e-30j, -3.0 + 2.0j, 1e-30 + 5.0j])
def test_the_default_bias_takes_complex_speeds(v):
    q, v = np.array([0.7]), np.array([v])
    bias = Cam(A, B).bias(q, v)
    for part in (np.real, np.imag):
        expected = part(CurvedCam(A, B).bias(q, v))
        assert part(bias) == pytest.approx(expected, rel=1e-13, abs=1e-300)


def test_linear_models_at_rest_need_no_formula_for_the_bias():
    """A spring holds the cam at q; its stiffness is that of the height, the spring and gravity."""
    system, q = cam_model().compile(), 0.4
    rest = q + MASS * G * (A * np.sin(2 * q) + B) / 50.0
    loads = [ls.JointSpring("follower", 50.0, rest=rest)]
    state = system.state([q])
    inertia = INERTIA + MASS * (A * np.sin(2 * q) + B) ** 2
    stiffness = 50.0 + 2 * MASS * G * A * np.cos(2 * q)
    modes = ls.modes(system, state, loads=loads)
    assert 2 * np.pi * modes.frequencies == pytest.approx([np.sqrt(stiffness / inertia)], rel=1e-9)
    linear = ls.linearize(system, state, loads=loads)
    assert linear.A[1] == pytest.approx([-stiffness / inertia, 0], rel=1e-9, abs=1e-12)


def test_linear_models_in_motion_ask_for_the_bias_and_take_it():
    plain, curved = cam_model().compile(), cam_model(CurvedCam).compile()
    with pytest.raises(ls.ModelError, match=r"Cam .* derivatives in motion .*bias\(q, v\)"):
        ls.forward_dynamics_derivatives(plain, plain.state([0.7], [-1.3]))
    linear = ls.forward_dynamics_derivatives(curved, curved.state([0.7], [-1.3]))
    ahead, behind = lifted(0.7 + 1e-5, -1.3), lifted(0.7 - 1e-5, -1.3)
    assert linear.q == pytest.approx((ahead - behind) / 2e-5, rel=1e-8)


def test_a_cam_can_close_a_loop():
    def model(closed):
        new = ls.Model("loop", gravity=(0, 0, -G))
        slider = ls.RigidBody.box(MASS, (0.1, 0.1, 0.1))
        new.add(slider, ls.Cylindrical("z"), name="slider")
        if closed:
            new.close(Cam(A, B), None, "slider", name="track")
        return new.compile()

    system = model(True)
    q = 0.6
    height = A * (1 - np.cos(2 * q)) / 2 + B * q
    slope, curve = A * np.sin(2 * q) + B, 2 * A * np.cos(2 * q)
    inertia = MASS * 0.02 / 12
    state = system.state([q, height], [1.5, 1.5 * slope])
    x = -(MASS * slope * curve * 1.5**2 + MASS * G * slope) / (inertia + MASS * slope**2)
    got = ls.forward_dynamics(system, state)
    assert got == pytest.approx([x, slope * x + curve * 1.5**2], rel=1e-9)


def test_factors_give_everything():
    axis = np.array([0.6, 0.0, 0.8])
    joint, other = (
        Gimbal(axis),
        ls.CompoundJoint([np.r_[0, 0, 0, axis], np.eye(6)[0], np.eye(6)[1], np.eye(6)[2]]),
    )
    body = ls.RigidBody.box(2.0, (0.4, 0.2, 0.1), com=(0.1, 0.2, -0.1))
    q, v = np.array([0.3, -0.5, 0.8, 0.2]), np.array([1.0, -2.0, 0.5, 0.7])
    systems = []
    for x in (joint, other):
        model = ls.Model("one")
        model.add(body, x, name="body")
        systems.append(model.compile())
    one, two = systems
    expected = ls.forward_dynamics(two, two.state(q[::-1], v[::-1]))[::-1]
    state = one.state(q, v)
    assert ls.forward_dynamics(one, state) == pytest.approx(expected, rel=1e-12)
    assert Reference(one, state).forward_dynamics() == pytest.approx(expected, rel=1e-12)
    R, r = joint.pose(q)
    near = joint.nearest(R, r)
    assert joint.pose(near)[0] == pytest.approx(R, abs=1e-9)
    back = joint.reversed()
    assert back.pose(q)[0] == pytest.approx(R.T, abs=1e-15)
    assert back.pose(q)[1] == pytest.approx(-R.T @ r, abs=1e-15)
    turn = axis_rotation(np.array([0.6, 0.8, 0]), 0.7)
    assert joint.rotated(turn).pose(q)[0] == pytest.approx(turn @ R @ turn.T, abs=1e-14)


AXES = np.array([[0.6, 0.0, 0.8], [0.0, 1.0, 0.0], [0.8, 0.0, -0.6]])
FACTORS = {
    "a slide along a screw": (ls.Slide(1, AXES[0]), ls.Turn(0, AXES[0], 0.1)),
    "a slide of other length": (ls.Slide(0, 2 * AXES[0]), ls.Turn(1, AXES[1])),
    "a cylinder": (ls.Slide(1, AXES[0]), ls.Turn(0, AXES[0])),
    "slides that are not orthogonal": (
        *(ls.Slide(k, x) for k, x in enumerate((AXES[0], (AXES[0] + AXES[1]) / np.sqrt(2)))),
        ls.Turn(2, AXES[2]),
    ),
    "coordinates in another order": (ls.Turn(1, AXES[0]), ls.Turn(0, AXES[1])),
    "two screws": (ls.Turn(0, AXES[0], 0.2), ls.Turn(1, AXES[1], -0.1)),
}


@dataclass(frozen=True, eq=False)
class Listed(ls.FactoredJoint):
    """Factors by their name in the table above."""

    number: int

    @property
    def factors(self):
        return list(FACTORS.values())[int(self.number)]

    @property
    def coordinates(self):
        return tuple((f"c{k}", "1") for k in range(len(self.factors)))


@pytest.mark.parametrize("number", range(len(FACTORS)), ids=list(FACTORS))
def test_kernels_know_joints_by_their_factors(number):
    joint = Listed(number)
    model = ls.Model("one", gravity=(0, 0, -G))
    box = ls.RigidBody.box(2.0, (0.4, 0.2, 0.1), com=(0.1, 0.2, -0.1))
    model.add(box, joint, name="box")
    system = model.compile()
    q = 0.3 + 0.2 * np.arange(joint.n_q)
    state = system.state(q, 1.0 - 0.7 * np.arange(joint.n_v))
    expected = Reference(system, state).forward_dynamics()
    assert ls.forward_dynamics(system, state) == pytest.approx(expected, rel=1e-11)
    closed = ls.Model("loop", gravity=(0, 0, -G))
    closed.add(box, ls.Free(), name="box")
    closed.close(joint, None, "box", name="guide")
    looped = closed.compile()
    R, r = joint.pose(q)
    there = looped.state(np.concatenate([ls.Free().nearest(R, r)]), joint.motion_map(q) @ state.v)
    got = ls.forward_dynamics(looped, there)
    H, bias = joint.motion_map(q), joint.bias(q, state.v)
    bias[3:] -= np.cross((H @ state.v)[:3], (H @ state.v)[3:])  # rates of speeds in body axes
    assert got == pytest.approx(H @ expected + bias, rel=1e-8, abs=1e-8)


def test_a_reversed_product_is_stored(tmp_path):
    model = ls.Model("graph", gravity=(0, 0, 0))
    model.add(ls.RigidBody.box(1.0, (0.3, 0.2, 0.1)), None, name="a")
    model.add(ls.RigidBody.box(2.0, (0.3, 0.2, 0.1)), ls.Free(), name="b")
    model.join(Gimbal((0.0, 0.0, 1.0)), "a", "b", name="wrist")
    system = model.compile()
    run = ls.simulate(system, duration=0.1)
    run.save(tmp_path / "run.nc")
    again = ls.Trajectory.load(tmp_path / "run.nc").system
    assert [x.label for x in again.joints] == [x.label for x in system.joints]


@dataclass(frozen=True, eq=False)
class WrongMap(Cam):
    def motion_map(self, q):
        return 2 * super().motion_map(q)


@dataclass(frozen=True, eq=False)
class WrongBias(Cam):
    def bias(self, q, v):
        return np.zeros(6)


@dataclass(frozen=True, eq=False)
class Real(Cam):
    def motion_map(self, q):
        return super().motion_map(np.array([float(np.real(q[0]))]))


@dataclass(frozen=True, eq=False)
class NotARotation(Cam):
    def pose(self, q):
        R, r = super().pose(q)
        return 2 * R, r


@dataclass(frozen=True, eq=False)
class Raising(Cam):
    def pose(self, q):
        raise ZeroDivisionError("no cam here")


@numba.njit
def wrong_cam(parameters, q, v, rotation, position, motion_map, bias):
    fast_cam(parameters, q, v, rotation, position, motion_map, bias)
    position[0] = 1.0


@dataclass(frozen=True, eq=False)
class WrongCompiled(Cam):
    compiled = staticmethod(wrong_cam)


@pytest.mark.parametrize(
    "kind, words",
    [
        (WrongMap, ["'follower'", "WrongMap", "not the derivative of its pose", "column 0"]),
        (WrongBias, ["WrongBias", "bias", "derivative of its motion_map"]),
        (Real, ["bias", "imaginary part", "lissom.spatial"]),
        (NotARotation, ["not a rotation matrix"]),
        (Raising, ["pose failed", "ZeroDivisionError", "no cam here"]),
        (WrongCompiled, ["compiled", "disagree on position"]),
    ],
)
def test_joints_that_contradict_themselves_are_refused(kind, words):
    with pytest.raises(ls.ModelError) as error:
        cam_model(kind).compile()
    for word in words:
        assert word in str(error.value)


@dataclass(frozen=True, eq=False)
class Shaped(Cam):
    shape: Any = np.sin


def test_what_no_file_could_hold_is_refused():
    class Bare(Cam):
        pass

    with pytest.raises(ls.ModelError, match=r"Shaped.* has shape = .*into methods of the class"):
        cam_model(Shaped).compile()
    with pytest.raises(ls.ModelError, match=r"Bare.* is not a dataclass"):
        cam_model(Bare).compile()


def test_what_is_missing_is_said():
    @dataclass(frozen=True, eq=False)
    class Half(ls.Joint):
        coordinates = (("angle", "rad"),)

        def pose(self, q):
            return np.eye(3), np.zeros(3)

    with pytest.raises(ls.ModelError, match=r"Half does not define motion_map"):
        Half()


@dataclass(frozen=True, eq=False)
class Cliff(Cam):
    def pose(self, q):
        if q[0] > 1.0:
            raise ValueError("beyond the cam")
        return super().pose(q)


def test_an_error_inside_a_kernel_is_raised():
    system = cam_model(Cliff).compile()
    with pytest.raises(ls.ModelError, match=r"Cliff failed at q = \[1.5\]: ValueError: beyond"):
        ls.forward_dynamics(system, system.state([1.5], [0.0]))
    with pytest.raises(ls.ModelError, match="beyond the cam"):
        ls.mass_matrix(system, system.state([1.5], [0.0]))


def test_the_compiled_function_of_a_joint_is_compiled_once_and_goes_with_its_class(monkeypatch):
    expected = ls.forward_dynamics(cam_model(FastCam).compile(), ([0.4], [1.0]))
    compiled, cfunc = [], numba.cfunc
    monkeypatch.setattr(numba, "cfunc", lambda x: compiled.append(x) or cfunc(x))
    function = numba.njit(fast_cam.py_func)
    made = type("OwnCam", (FastCam,), {"compiled": staticmethod(function)})
    OwnCam = dataclass(frozen=True, eq=False)(made)
    for _ in range(10):
        system = cam_model(OwnCam).compile()
        assert np.array_equal(ls.forward_dynamics(system, ([0.4], [1.0])), expected)
    assert len(compiled) == 1
    alive = weakref.ref(function)
    del system, function, made, OwnCam
    gc.collect()
    assert alive() is None


REFUSING = {
    "frame_derivatives": lambda s, x: ls.frame_derivatives(s, x, "part"),
    "design_derivatives": lambda s, x: ls.design_derivatives(s, x, ["part.mass"]),
    "inertial_regressor": lambda s, x: ls.inertial_regressor(s, x, np.zeros(s.n_v)),
    "sensitivity": lambda s, x: ls.sensitivity(
        s, x, duration=0.02, step=0.01, parameters="part.mass"
    ),
    "gradient": lambda s, x: ls.gradient(
        s, x, lambda t, q, v: (0.0, 0 * q, 0 * v), duration=0.02, step=0.01, parameters="part.mass"
    ),
}


@pytest.mark.parametrize("function", REFUSING)
def test_functions_that_the_page_names_refuse_joints_with_a_pose_and_take_factors(function):
    page = (Path(__file__).parents[2] / "docs" / "own_joints.md").read_text("utf-8")
    assert f"`{function}`" in page
    for joint, refused in ((Cam(0.05), True), (Gimbal((0, 0, 1)), False)):
        model = ls.Model("one")
        model.add(ls.RigidBody(1.0, com=(0.1, 0.2, 0.3), inertia=1.0), joint, name="part")
        system = model.compile()
        state = system.state(part=0.3 * np.ones(system.n_q))
        if refused:
            with pytest.raises(ls.StateError, match=f"{function}.*'part' is one of your own"):
                REFUSING[function](system, state)
        else:
            REFUSING[function](system, state)
