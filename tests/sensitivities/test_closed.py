"""Sensitivities with closed loops: one equation by hand, differences of runs."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.samples.sensitivities import check_adjoint, deviation as apart, difference

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

CRANK, ROD = 0.3, 0.8  # lengths of the slider-crank
MASSES = {"crank": 1.5, "rod": 0.7, "slider": 2.0}
TIMES = np.array([0.0, 0.05, 0.1])


def slider_crank(**masses):
    """A crank with a rod, and a slider on the ground; the loop is closed between the last two."""
    model = ls.Model("slider-crank", gravity=(0, -9.81, 0))
    for name, length, place in (("crank", CRANK, {}), ("rod", ROD, {"to": "crank"})):
        mass = masses.get(name, MASSES[name])
        body = ls.RigidBody(mass, com=(length / 2, 0, 0), inertia=(0.01, 0.02, 0.03))
        at = (CRANK, 0, 0) if name == "rod" else (0, 0, 0)
        model.add(body, ls.Revolute("z"), at=at, name=name, **place)
    box = ls.RigidBody.box(masses.get("slider", MASSES["slider"]), (0.1, 0.1, 0.1))
    model.add(box, ls.Prismatic("x"), name="slider")
    model.close(ls.Revolute("z"), "rod", "slider", at_a=(ROD, 0, 0), name="pin")
    return model.compile()


def drive(values):
    return ls.Actuator("crank", ls.Table(TIMES, values))


def slider_of(angle):
    """Place of the slider, and the angle of the rod to the x axis."""
    rod = -np.arcsin(CRANK / ROD * np.sin(angle))
    return CRANK * np.cos(angle) + ROD * np.cos(rod), rod


def minimal_run(angle, rate, values, masses, gravity, stiffness, h, n):
    """RK4 of the equation of the crank's angle alone, in complex numbers.

    T = m(a) a'^2 / 2, V(a); m and V in terms of the centres of mass, m' by its closed form.
    """

    def terms(a):
        """Generalized mass, its derivative, and the derivative of the potential."""
        s, c = CRANK / ROD * np.sin(a), CRANK / ROD * np.cos(a)
        root = np.sqrt(1 - s * s)
        r1 = -c / root  # rate of the rod's angle by that of the crank
        r2 = (s - s * c * c / (1 - s * s)) / root
        sb, cb = -s, root
        x1 = -CRANK * np.sin(a) - ROD * sb * r1
        x2 = -CRANK * np.cos(a) - ROD * (cb * r1 * r1 + sb * r2)
        u1, w1 = -CRANK * np.sin(a) - ROD / 2 * sb * r1, CRANK * np.cos(a) + ROD / 2 * cb * r1
        u2 = -CRANK * np.cos(a) - ROD / 2 * (cb * r1 * r1 + sb * r2)
        w2 = -CRANK * np.sin(a) + ROD / 2 * (cb * r2 - sb * r1 * r1)
        mass = masses["crank"] * CRANK**2 / 4 + 0.03 + masses["slider"] * x1**2
        mass = mass + masses["rod"] * (u1 * u1 + w1 * w1) + 0.03 * r1 * r1
        slope = 2 * (masses["slider"] * x1 * x2 + masses["rod"] * (u1 * u2 + w1 * w2))
        slope = slope + 2 * 0.03 * r1 * r2
        x = CRANK * np.cos(a) + ROD * cb
        force = -gravity * (masses["crank"] * CRANK / 2 * np.cos(a) + masses["rod"] * w1)
        return mass, slope, force - stiffness * (x - 0.9) * x1

    def slope(t, a, w):
        m, dm, force = terms(a)
        torque = np.interp(t, TIMES, values.real) + 1j * np.interp(t, TIMES, values.imag)
        return w, (torque + force - 0.5 * dm * w * w) / m

    for k in range(n):
        t = k * h
        a = slope(t, angle, rate)
        b = slope(t + h / 2, angle + h / 2 * a[0], rate + h / 2 * a[1])
        c = slope(t + h / 2, angle + h / 2 * b[0], rate + h / 2 * b[1])
        d = slope(t + h, angle + h * c[0], rate + h * c[1])
        angle = angle + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        rate = rate + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
    return np.array([angle, rate])


def closed_start(system, angle, rate):
    x, rod = slider_of(angle)
    q = np.zeros(3)
    q[[system.layout.hinge_q(n).start for n in MASSES]] = angle, rod - angle, x
    guess = system.state(q, **{"crank.rates": rate})
    return ls.assemble(system, guess, held=["crank"])


def test_derivatives_with_a_loop_are_those_of_the_minimal_coordinate():
    """By the start, a table, masses and gravity, against complex steps of one equation."""
    system, h, n = slider_crank(), 5e-4, 200
    angle, rate, values = 0.7, 4.0, np.array([2.0, -1.0, 3.0])
    state, stiffness = closed_start(system, angle, rate), 40.0
    found = ls.sensitivity(
        system, state, duration=n * h, step=h, controls=[drive(values)],
        parameters=["slider.mass", "rod.mass", "gravity.y"],
        loads=[ls.JointSpring("slider", stiffness, rest=0.9)],
    )  # fmt: skip
    crank = system.layout.hinge_v("crank").start
    assert found.state.shape == (n + 1, 6, 2)
    own = found.state[-1][[crank, 3 + crank]]
    k = found.independent[0]
    e, masses = 1e-30j, dict(MASSES)

    def end(angle=angle, rate=rate, values=values + 0j, masses=masses, gravity=9.81):
        return minimal_run(angle, rate, values, masses, gravity, stiffness, h, n)

    def by(**changed):
        return end(**changed).imag / 1e-30

    assert np.allclose([found.q[-1][crank], found.v[-1][crank]], end().real, rtol=1e-9, atol=1e-9)
    # From changes of the crank to those of the independent speed and of its coordinate.
    closure = ls.closure(system, state)
    Z = closure.basis[:, 0] / closure.basis[crank, 0]
    d = 1e-5
    sides = [closed_start(system, angle + s, rate).v for s in (d, -d)]
    Y = (sides[0] - sides[1])[k] / (2 * d)
    by_angle = own @ np.array([Z[k], Y])
    assert np.allclose(by_angle, by(angle=angle + e), rtol=0, atol=1e-7)
    assert np.allclose(own @ np.array([0, Z[k]]), by(rate=rate + e), rtol=0, atol=1e-8)
    for k, x in enumerate(np.eye(3)):
        column = found.controls[0][-1][[crank, 3 + crank], k]
        assert np.allclose(column, by(values=values + e * x), rtol=0, atol=1e-9)
    expected = [
        by(masses={**masses, "slider": masses["slider"] + e}),
        by(masses={**masses, "rod": masses["rod"] + e}),
        -by(gravity=9.81 + e),
    ]
    column = found.parameters[-1][[crank, 3 + crank]]
    assert np.allclose(column, np.transpose(expected), rtol=0, atol=1e-8)


def test_derivatives_with_flexible_loops_and_couplings_are_differences_of_runs():
    """A rod of a slider-crank that bends, and a wheel that is geared to the crank."""
    model = ls.Model("bending", gravity=(0, -9.81, 0))
    soft = ls.Material("soft", youngs_modulus=1e9, density=1200)
    rod = ls.beam(ROD, ls.Tube(radius=0.02, thickness=0.002), soft, bending=2, torsion=0, stretch=0)
    model.add(ls.RigidBody.rod(1.0, CRANK, com=(CRANK / 2, 0, 0)), ls.Revolute("z"), name="crank")
    model.add(rod, ls.Revolute("z"), to="crank", at=(CRANK, 0, 0), name="rod")
    model.add(ls.RigidBody.sphere(2.0, 0.1), ls.Prismatic("x"), name="slider")
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Revolute("z"), at=(0, 1, 0), name="wheel")
    model.close(ls.Revolute("z"), "rod.tip", "slider", name="pin")
    model.couple({"crank": 2.0, "wheel": 1.0}, name="gear")
    system = model.compile()
    x, angle = slider_of(0.7)
    guess = system.state(crank=0.7, rod=angle - 0.7, slider=x, wheel=-1.4, **{"crank.rates": 3.0})
    state = ls.assemble(system, guess, held=["crank"])
    given = {"duration": 0.02, "step": 1e-3, "loads": [ls.JointDamper("rod", 0.2)]}
    values = np.array([1.0, 5.0, -2.0])
    found = ls.sensitivity(system, state, controls=[drive(values)], parameters="gravity.y", **given)

    def end(changed, start=state):
        loads = [*given["loads"], drive(changed)]
        made = ls.simulate(system, start, **{**given, "loads": loads}, integrator="rk4")
        return np.concatenate([made.q[-1], made.v[-1]])

    unit = np.eye(3)[0]
    expected = difference(lambda h: end(values + h * unit), 0.1)
    assert np.allclose(found.controls[0][-1][:, 0], expected, rtol=1e-8, atol=1e-9)
    assert len(found.independent) == 3
    closure = ls.closure(system, state)
    for k in (0, 2):
        direction = closure.basis[:, k]
        expected = difference(
            lambda h, d=direction: end(values, system.state(state.q, state.v + h * d)), 2e-3
        )
        column = found.state[-1][:, len(found.independent) + k]
        assert np.allclose(column, expected, rtol=1e-8, atol=1e-8)


def test_derivatives_with_balls_in_a_loop_are_differences_of_runs():
    """Two arms of a free body that hold each other, with a load on the joint of the loop."""
    model = ls.Model("spatial", gravity=(0, 0, -1.0))
    model.add(ls.RigidBody.box(5.0, (0.5, 0.4, 0.3)), ls.Free(), name="base")
    link = ls.RigidBody.box(1.0, (0.6, 0.1, 0.1), com=(0.3, 0, 0))
    for side, y in (("l", 0.3), ("r", -0.3)):
        model.add(link, ls.Spherical(), to="base", at=(0, y, 0), name=f"{side}1")
        joint = ls.Universal("y", "z")
        model.add(link, joint, to=f"{side}1", at=(0.6, 0, 0), name=f"{side}2")
    end = (0.6, 0, 0)
    model.close(ls.Spherical(), "l2", "r2", at_a=end, at_b=end, name="hands")
    system = model.compile()
    v = 0.5 * np.random.default_rng(0).normal(size=system.n_v)
    state = ls.assemble(system, system.state(l2=[0.3, -0.4], r2=[-0.2, 0.4], v=v))
    loads = [ls.JointDamper("hands", (0.3, 0.3, 0.3)), ls.JointDamper("l2", 0.1)]
    given = {"duration": 0.01, "step": 5e-3, "loads": loads}
    found = ls.sensitivity(system, state, **given)
    Z, n_free = found.state[0][: system.n_v], len(found.independent)
    to = ls.simulate(system, state, integrator="rk4", **given)

    def moved(h, k):
        start = (state.q, state.v + h * Z[:, k])
        made = ls.simulate(system, start, integrator="rk4", **given)
        return apart(to.q[-1], made.q[-1], to.v[-1], made.v[-1], system)

    for k in (0, n_free - 1):
        expected = difference(lambda h, k=k: moved(h, k), 1e-3)
        column = found.state[-1][:, n_free + k]
        assert np.allclose(column, expected, rtol=1e-9, atol=1e-10)


def test_the_adjoint_with_a_loop_is_the_transpose():
    """Of a run with a table, an integral, and loads on the loop's joint, in steps that open it."""
    system = slider_crank()
    state = closed_start(system, 0.7, 4.0)
    given = {
        "duration": 0.1,
        "step": 5e-3,
        "parameters": ["slider.mass", "gravity"],
        "controls": [drive(np.array([2.0, -1.0, 3.0]))],
        "loads": [ls.Servo("slider", 0.9, kp=50.0, ki=2000.0), ls.JointSpring("pin", 5.0)],
    }
    check_adjoint(system, state, ls.sensitivity(system, state, **given), given)


def test_derivatives_by_design_with_a_loop_are_differences_of_systems():
    system = slider_crank()
    state, forces = closed_start(system, 0.7, 4.0), {"crank": 3.0}
    names = ["slider.mass", "rod.mass", "gravity.y"]
    found = ls.design_derivatives(system, state, names, forces=forces)
    for k, name in enumerate(("slider", "rod")):

        def end(h, name=name):
            other = slider_crank(**{name: MASSES[name] + h})
            return ls.forward_dynamics(other, (state.q, state.v), forces=forces)

        # A box has inertia in proportion to its mass, which does not turn here.
        assert np.allclose(found.acceleration[:, k], difference(end, 1e-2), rtol=1e-8, atol=1e-9)
    acceleration = ls.forward_dynamics(system, state, forces=forces)
    assert np.allclose(found.value, acceleration, rtol=1e-12)
    regressor = ls.inertial_regressor(system, state, acceleration)
    Z = ls.closure(system, state).basis
    crank = system.layout.hinge_v("crank")
    own = Z.T @ regressor.matrix @ regressor.values
    assert np.allclose(own, Z[crank].T @ [3.0], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"parameters": "rod.at.x"}, "ends of loops"),
        ({"parameters": ls.DesignParameter("x", lambda _: slider_crank(), 1.0)}, "ends of loops"),
        ({"integrator": "generalized_alpha"}, "rk4"),
    ],
)
def test_what_has_no_derivatives_with_loops_is_refused(given, words):
    system = slider_crank()
    state = closed_start(system, 0.7, 4.0)
    with pytest.raises(ls.errors.LissomError, match=words):
        ls.sensitivity(system, state, duration=0.01, step=1e-3, **given)


def test_positions_where_the_loops_are_singular_are_refused():
    """The equations of two cranks of equal length lose rank where they lie on one line."""
    model = ls.Model("parallelogram")
    link = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(link, ls.Revolute("z"), name="left")
    model.add(link, ls.Revolute("z"), to="left", at=(1, 0, 0), name="top")
    model.add(link, ls.Revolute("z"), at=(1, 0, 0), name="right")
    model.close(ls.Revolute("z"), "top", "right", at_a=(1, 0, 0), at_b=(1, 0, 0), name="pin")
    system = model.compile()
    with pytest.raises(ls.errors.SimulationError, match="of 'pin' are singular"):
        ls.sensitivity(system, system.state(), duration=0.01, step=1e-3)


@pytest.mark.parametrize("ratio", [1.0, 5.0, -100.0, 1e-3])
def test_geared_wheels_have_derivatives_in_closed_form(ratio):
    """A coupling is linear: its accelerations do not depend on the angles at all."""
    model = ls.Model("gears")
    for name, inertia in (("motor", 0.2), ("wheel", 0.5)):
        body = ls.RigidBody(1.0, inertia=(inertia, inertia, inertia))
        model.add(body, ls.Revolute("z"), name=name)
    model.couple({"motor": 1.0, "wheel": -ratio}, name="gear")
    system, time, torque = model.compile(), 0.1, 0.7
    found = ls.sensitivity(
        system,
        system.neutral(),
        duration=time,
        step=0.01,
        parameters=["motor.inertia"],
        loads=[ls.Actuator("motor", torque)],
    )
    total = 0.2 + 0.5 / ratio**2
    expected = -torque / total**2 * time**2 / 2
    assert abs(found.parameters[-1, 0, -1] / expected - 1) < 1e-8


def test_couplings_of_all_joints_loads_and_axes_have_derivatives():
    """Many of these were taken for singular, because all of their derivatives vanish."""
    for one in (ls.Revolute("z"), ls.Prismatic("x")):
        for other in (ls.Revolute("z"), ls.Prismatic("x"), ls.Revolute("y")):
            model = ls.Model("pair", gravity=(0, -9.81, 0))
            body = ls.RigidBody.cylinder(1.0, radius=0.1, length=0.1, com=(0.1, 0.05, 0))
            model.add(body, one, name="a")
            model.add(body, other, name="b", at=(1, 0, 0))
            model.couple({"a": 1.0, "b": -5.0}, name="gear")
            system = model.compile()
            loads = [ls.JointSpring("b", 3.0), ls.JointDamper("a", 0.1)]
            state = system.state(a=0.3, b=0.06)
            given = {"duration": 0.02, "step": 0.01, "loads": loads}
            found = ls.sensitivity(system, state, parameters="a.mass", **given)
            assert np.all(np.isfinite(found.parameters))
