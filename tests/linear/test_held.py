"""Linear models in which joints are held or follow given motions, on trees and in loops."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import lissom as ls

G = 9.81
L, WIDTH, CRANK, BAR, ROD, LENGTH = 0.7, 1.1, 0.4, 1.5, 0.3, 0.5  # lengths [m] and masses [kg]
K, C = 0.7, 0.05  # spring and damper of the pendulum
AT = {"p": 1.1, "q": 1.9, "pd": 0.8, "qd": -0.6}
RATE = 0.9  # acceleration of the crank [rad/s^2]


def linkage():
    """Two equal cranks carry a bar, which does not turn, and on it hangs a pendulum."""
    crank = ls.RigidBody.rod(CRANK, L, com=(L / 2, 0, 0))
    model = ls.Model("linkage", gravity=(0, 0, -G))
    model.add(crank, ls.Revolute("y"), name="left")
    model.add(crank, ls.Revolute("y"), at=(WIDTH, 0, 0), name="right")
    bar = ls.RigidBody.rod(BAR, WIDTH, com=(WIDTH / 2, 0, 0))
    model.add(bar, ls.Revolute("y"), to="left", at=(L, 0, 0), name="bar")
    rod = ls.RigidBody.rod(ROD, LENGTH, com=(LENGTH / 2, 0, 0))
    model.add(rod, ls.Revolute("y"), to="bar", at=(WIDTH / 3, 0, 0), name="rod")
    ends = {"at_a": (WIDTH, 0, 0), "at_b": (L, 0, 0)}
    model.close(ls.Revolute("y"), "bar", "right", **ends, name="pin")
    return model.compile()


SYSTEM = linkage()
RATES = {"left": AT["pd"], "right": AT["pd"], "bar": -AT["pd"], "rod": AT["qd"]}
STATE = SYSTEM.state(
    left=AT["p"],
    right=AT["p"],
    bar=-AT["p"],
    rod=AT["q"],
    **{f"{name}.rates": rate for name, rate in RATES.items()},
)
LOADS = [ls.JointSpring("rod", K, damping=C)]
MOTION = ls.Motion("left", lambda t: AT["p"] + AT["pd"] * t + RATE * t * t / 2)


class Lagrange:
    """The same by hand: angles p of the cranks and q of the pendulum, torques tau and u on them."""

    def __init__(self):
        self.x = p, q, pd, qd = sp.symbols("p q pd qd")
        self.rates = pdd, qdd = sp.symbols("pdd qdd")
        self.inputs = tau, u = sp.symbols("tau u")

        def place(angle):
            return sp.Matrix([sp.cos(angle), -sp.sin(angle)])

        def along(f):
            return f.diff(p) * pd + f.diff(q) * qd

        centre = L * place(p) + LENGTH / 2 * place(q)
        v = along(centre)
        cranks = CRANK * L**2 / 3 * pd**2
        T = cranks + BAR * (L * pd) ** 2 / 2 + ROD * v.dot(v) / 2 + ROD * LENGTH**2 / 24 * qd**2
        V = G * ((CRANK + BAR) * L * place(p)[1] + ROD * centre[1]) + K * q**2 / 2

        def balance(x, xd, force):
            momentum = T.diff(xd)
            change = along(momentum) + momentum.diff(pd) * pdd + momentum.diff(qd) * qdd
            return change - (T - V).diff(x) - force

        self.equations = balance(p, pd, tau), balance(q, qd, u - C * qd)
        a = along(v) + v.diff(pd) * pdd + v.diff(qd) * qdd
        c, s = sp.cos(q), sp.sin(q)
        self.pivot = ROD * sp.Matrix([[c, -s], [s, c]]) * (a + sp.Matrix([0, G]))

    def driven(self, rate):
        """Torque on the cranks, acceleration of the pendulum, force on its pivot in its axes."""
        tau, qdd = self.inputs[0], self.rates[1]
        found = sp.solve(
            [e.subs(self.rates[0], rate) for e in self.equations], [tau, qdd], dict=True
        )[0]
        pivot = self.pivot.subs({self.rates[0]: rate, qdd: found[qdd]})
        return found[tau], found[qdd], *pivot

    def free(self):
        """Accelerations and the force on the pivot without a torque on the cranks."""
        found = sp.solve(
            [e.subs(self.inputs[0], 0) for e in self.equations], self.rates, dict=True
        )[0]
        return *(found[x] for x in self.rates), *self.pivot.subs(found)

    def slopes(self, expression, names):
        every = {**dict(zip("p q pd qd".split(), self.x, strict=True)), "u": self.inputs[1]}
        at = {**dict(zip(self.x, AT.values(), strict=True)), self.inputs[1]: 0.0}
        return [float(expression.diff(every[name]).subs(at)) for name in names]


@pytest.fixture(scope="module")
def by_hand():
    return Lagrange()


def test_a_crank_with_a_given_motion(by_hand):
    """In the middle of a motion that accelerates: its torque and the force on the pivot, too."""
    model = ls.linearize(
        SYSTEM,
        STATE,
        loads=[*LOADS, MOTION],
        inputs=["rod"],
        outputs=["left.force", "rod.reaction"],
    )
    assert [name for name, _ in model.states] == ["rod.angle", "rod.angle.rate"]
    torque, rate, x, z = by_hand.driven(RATE)
    rows = np.array([by_hand.slopes(e, ("q", "qd", "u")) for e in (rate, torque, x, z)])
    assert np.allclose(model.A[1], rows[0, :2], rtol=1e-9)
    assert np.allclose(model.B[1], rows[0, 2:], rtol=1e-9)
    found = np.hstack([model.C, model.D])[[0, 4, 6]]
    assert np.allclose(found, rows[1:], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", ["left", "right", "bar"])
def test_a_joint_of_the_loop_that_is_held(by_hand, name):
    """Whichever joint is held: the loop holds the others."""
    outputs = ["rod.reaction", f"{name}.force"]
    model = ls.linearize(SYSTEM, STATE, loads=LOADS, held=name, inputs="rod", outputs=outputs)
    torque, rate, x, z = by_hand.driven(0.0)
    rows = np.array([by_hand.slopes(e, ("q", "qd", "u")) for e in (rate, torque, x, z)])
    assert np.allclose(np.hstack([model.A, model.B])[1], rows[0], rtol=1e-8)
    found = np.hstack([model.C, model.D])
    assert np.allclose(found[[3, 5]], rows[2:], rtol=1e-8, atol=1e-8)
    sign = -1 if name == "bar" else 1  # the bar turns back relative to its crank
    assert np.allclose(found[6], sign * rows[1], rtol=1e-8, atol=1e-8)


def test_joints_that_hold_each_other(by_hand):
    """Both cranks: the torque is shared, and the motion the same."""
    outputs = ["left.force", "right.force"]
    model = ls.linearize(SYSTEM, STATE, loads=LOADS, held=["left", "right"], outputs=outputs)
    torque, rate, *_ = by_hand.driven(0.0)
    assert np.allclose(model.A[1], by_hand.slopes(rate, ("q", "qd")), rtol=1e-8)
    assert np.allclose(model.C.sum(axis=0), by_hand.slopes(torque, ("q", "qd")), rtol=1e-8)
    assert np.allclose(model.C[0], model.C[1], atol=1e-8)


def test_reactions_in_a_loop_that_moves_freely(by_hand):
    outputs = ["rod.reaction"]
    model = ls.linearize(SYSTEM, STATE, loads=LOADS, inputs=["rod"], outputs=outputs)
    names = ("p", "q", "pd", "qd", "u")
    assert model.states[0][0] == "left.angle"
    first, second, x, z = (by_hand.slopes(e, names) for e in by_hand.free())
    assert np.allclose(np.hstack([model.A, model.B])[2:], [first, second], rtol=1e-8)
    found = np.hstack([model.C, model.D])[[3, 5]]
    assert np.allclose(found, [x, z], rtol=1e-8, atol=1e-8)


def test_reactions_with_a_load_in_the_joint_of_the_loop():
    """Beside reactions of runs from nearby states, all joints, redundant forces included."""
    loads = [*LOADS, ls.JointSpring("pin", 3.0, damping=0.4)]
    loads += [ls.NodeForce("bar", lambda t, s: np.array([s.q[0], 0, s.v[3]]), at=(0.2, 0, 0))]
    names = [f"{name}.reaction" for name in SYSTEM.names]
    model = ls.linearize(SYSTEM, STATE, loads=loads, outputs=names)

    def reactions(y, w):
        rates = {"left": AT["pd"] + w[0], "rod": AT["qd"] + w[1]}
        rates |= {"right": rates["left"], "bar": -rates["left"]}
        turned = {"left": AT["p"] + y[0], "rod": AT["q"] + y[1]}
        turned |= {"right": turned["left"], "bar": -turned["left"]}
        state = SYSTEM.state(**turned, **{f"{x}.rates": rate for x, rate in rates.items()})
        run = ls.simulate(SYSTEM, state, duration=1e-6, step=1e-6, integrator="rk4", loads=loads)
        return np.concatenate([run[name][0] for name in names])

    h, eye = 1e-4, np.eye(4)
    for k in range(4):
        both = [reactions(s * h * eye[k, :2], s * h * eye[k, 2:]) for s in (1, -1)]
        expected = (both[0] - both[1]) / (2 * h)
        assert np.allclose(model.C[:, k], expected, atol=1e-6 * np.abs(model.C).max())


def test_a_held_joint_that_carries_weight():
    """A link under an arm that is held out against gravity swings as if on the ground."""
    model = ls.Model("arm", gravity=(0, 0, -G))
    model.add(ls.RigidBody.rod(2.0, 1.0, com=(0.5, 0, 0)), ls.Revolute("y"), name="arm")
    rod = ls.RigidBody.rod(1.0, 0.8, com=(0.4, 0, 0))
    model.add(rod, ls.Revolute("y"), to="arm", at=(1, 0, 0), name="link")
    system = model.compile()
    state = system.state(link=np.pi / 2)
    for held, loads in ((["arm"], []), ((), [ls.Motion("arm", 0.0)])):
        found = ls.modes(system, state, held=held, loads=loads)  # and no warning
        assert np.isclose((2 * np.pi * found.frequencies[0]) ** 2, 3 * G / (2 * 0.8), rtol=1e-12)


def test_modes_of_a_loop_with_a_held_joint():
    system = linkage()
    down = np.pi / 2
    state = system.state(left=down, right=down, bar=-down, rod=down)
    found = ls.modes(system, state, held=["right"])
    assert len(found) == 1
    assert np.isclose((2 * np.pi * found.frequencies[0]) ** 2, 3 * G / (2 * LENGTH), rtol=1e-9)
    assert not np.any(np.abs(found.shapes[:3]) > 1e-12)
