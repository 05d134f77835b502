"""Linear models and modes of mechanisms with loops and couplings."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls

G = 9.81


def parallelogram(crank=0.4, coupler=1.5):
    """Two equal cranks of length L hang side by side and carry a coupler between them."""
    L, width = 0.7, 1.1
    rod = ls.RigidBody.rod(crank, L, com=(L / 2, 0, 0))
    model = ls.Model("parallelogram", gravity=(0, 0, -G))
    model.add(rod, ls.Revolute("y"), name="left")
    model.add(rod, ls.Revolute("y"), at=(width, 0, 0), name="right")
    bar = ls.RigidBody.rod(coupler, width, com=(width / 2, 0, 0))
    model.add(bar, ls.Revolute("y"), to="left", at=(L, 0, 0), name="bar")
    model.close(ls.Revolute("y"), "bar", "right", at_a=(width, 0, 0), at_b=(L, 0, 0), name="pin")
    return model.compile(), L


def hanging(system, turn=0.0, rate=0.0):
    down = np.pi / 2 + turn
    rates = {"left.rates": rate, "right.rates": rate, "bar.rates": -rate}
    return system.state(left=down, right=down, bar=-down, **rates)


def test_a_parallelogram_swings_as_one_pendulum():
    """The coupler does not turn: omega^2 = (m + m_c) g L / (m L^2 + 2 m_c L^2 / 3)."""
    m_c, m = 0.4, 1.5
    system, L = parallelogram(m_c, m)
    found = ls.modes(system, hanging(system))
    assert len(found) == 1
    exact = (m + m_c) * G / L / (m + 2 * m_c / 3)
    assert np.isclose((2 * np.pi * found.frequencies[0]) ** 2, exact, rtol=1e-10)
    # all three joints take part, and the cranks alike
    left, right, bar = (found.shapes[system.layout.hinge_v(x)][0] for x in ("left", "right", "bar"))
    assert np.isclose(left, right)
    assert np.isclose(left, -bar)
    run = found.animate(0)
    assert np.abs(run["pin.gap"]).max() < 1e-6
    assert np.ptp(run["left.angle"]) > 0.1


def test_a_parallelogram_in_motion_has_the_derivative_of_its_equation():
    """I q'' = -k cos(q - down) ... : linear about q, with a torque on a crank as input."""
    m_c, m = 0.4, 1.5
    system, L = parallelogram(m_c, m)
    turn = 0.5
    state = hanging(system, turn, rate=1.3)
    model = ls.linearize(
        system, state, inputs=["left"], outputs=["bar.position", "bar.velocity", "left", "right"]
    )
    inertia, weight = m * L**2 + 2 * m_c * L**2 / 3, (m + m_c) * G * L
    q = np.pi / 2 + turn
    assert model.n == 2
    assert np.allclose(model.A, [[0, 1], [-weight * np.sin(q) / inertia, 0]], atol=1e-9)
    assert np.allclose(model.B, [[0], [1 / inertia]])
    along = L * np.array([-np.sin(q), 0, -np.cos(q)])  # of the tip of a crank, per angle
    turned = L * np.array([-np.cos(q), 0, np.sin(q)])
    assert np.allclose(model.C[:3, 0], along, atol=1e-9)
    assert np.allclose(model.C[3:6, 0], 1.3 * turned, atol=1e-9)
    assert np.allclose(model.C[3:6, 1], along, atol=1e-9)
    assert np.allclose(model.C[6:], [[1, 0], [1, 0]], atol=1e-9)


def test_nearby_motions_of_a_flexible_linkage():
    """A by differences of accelerations at assembled states: a coupler that bends, in motion."""
    model = ls.Model("linkage", gravity=(0, 0, -G))
    rod = ls.RigidBody.rod(0.5, 0.5, com=(0.25, 0, 0))
    model.add(rod, ls.Revolute("y"), name="crank")
    boom = ls.beam(
        1.2, ls.Rectangle(0.02, 0.01), ls.ALUMINIUM, bending=(0, 2), torsion=0, stretch=0
    )
    model.add(boom, ls.Revolute("y"), to="crank", at=(0.5, 0, 0), name="coupler")
    model.add(rod, ls.Revolute("y"), at=(1.4, 0, 0), name="rocker")
    ends = {"at_b": (0.5, 0, 0)}
    model.close(ls.Revolute("y"), "coupler.tip", "rocker", **ends, name="pin")
    system = model.compile()
    guess = system.state(crank=-1.2, coupler=1.2, rocker=-1.3, **{"crank.rates": 0.8})
    state = ls.assemble(system, guess)
    spring = [ls.JointSpring("crank", 30.0, damping=0.4)]
    linear = ls.linearize(system, state, loads=spring)
    n = linear.n // 2
    names = [name for name, _ in linear.states[:n]]
    every = [
        f"{body}.{x}"
        for body, b in zip(system.names, system.bodies, strict=True)
        for x in (*(f"mode.{k}" for k in range(b.n_mode)), "angle")
    ]
    independent = [every.index(name) for name in names]
    closure = ls.closure(system, state)
    Z = closure.basis @ np.linalg.inv(closure.basis[independent])

    def acceleration(y, w):
        """Accelerations after moving along the free motions, loops closed again."""
        fixed = independent
        q, v = state.q + Z @ y, state.v.copy()
        for _ in range(30):  # Newton's method for the dependent coordinates
            now = ls.closure(system, system.state(q))
            gap = now.gap
            rest = [k for k in range(system.n_v) if k not in fixed]
            q[rest] -= np.linalg.lstsq(now.jacobian[:, rest], gap, rcond=None)[0]
        v[fixed] = state.v[fixed] + w
        basis = ls.closure(system, system.state(q)).basis
        v = basis @ np.linalg.solve(basis[fixed], v[fixed])
        there = system.state(q, v)
        torque = {"crank": -30.0 * there["crank"] - 0.4 * there["crank.rates"]}
        return ls.forward_dynamics(system, there, torque)[fixed]

    e = 1e-5
    for k in range(n):
        step = e * np.eye(n)[k]
        none = np.zeros(n)
        by_q = (acceleration(step, none) - acceleration(-step, none)) / (2 * e)
        by_v = (acceleration(none, step) - acceleration(none, -step)) / (2 * e)
        scale = np.abs(linear.A[n:]).max()
        assert np.allclose(by_q, linear.A[n:, k], atol=1e-6 * scale)
        assert np.allclose(by_v, linear.A[n:, n + k], atol=1e-6 * scale)


def test_a_gear_adds_inertia_by_the_square_of_its_ratio():
    J1, J2, ratio, k = 0.3, 0.002, 6.0, 20.0
    model = ls.Model("gear")
    model.add(ls.RigidBody(1.0, inertia=J1 * np.eye(3)), ls.Revolute("z"), name="wheel")
    model.add(
        ls.RigidBody(1.0, inertia=J2 * np.eye(3)), ls.Revolute("z"), at=(1, 0, 0), name="pinion"
    )
    model.couple({"wheel": ratio, "pinion": 1.0}, name="mesh")
    system = model.compile()
    found = ls.modes(system, loads=[ls.JointSpring("wheel", k)])
    assert np.isclose((2 * np.pi * found.frequencies[0]) ** 2, k / (J1 + ratio**2 * J2))
    free = ls.modes(system)
    assert free.n_rigid == 1


def test_an_open_loop_is_refused():
    system, _ = parallelogram()
    with pytest.raises(ls.StateError, match="open|closed"):
        ls.modes(system, system.state(left=0.3))
