"""Given motions of a cart and of a hub, against equations written by hand and SciPy."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom as ls
from tests.references.analytic_motions import turn
from tests.samples.flexible_arms import flexible_body

pytestmark = pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)")

GRAVITY = 9.81

# A pendulum on a cart


CART, BOB, LENGTH = 3.0, 1.2, 0.8


def cart_pendulum():
    """Cart along x, pendulum about y that hangs at zero; turned by theta the bob is at -x."""
    model = ls.Model("cart", gravity=(0, 0, -GRAVITY))
    model.add(ls.RigidBody(CART), ls.Prismatic("x"), name="cart")
    bob = ls.RigidBody(BOB, com=(0, 0, -LENGTH))
    model.add(bob, ls.Revolute("y"), to="cart", name="bob")
    return model.compile()


CART_WAYS = {
    "position": (lambda: ls.Motion("cart", lambda t: 0.2 * np.sin(4 * t)), (0.0, 0.8)),
    "velocity": (lambda: ls.Motion("cart", velocity=lambda t: 0.8 * np.cos(4 * t)), (0.0, 0.8)),
    "acceleration": (
        lambda: ls.Motion("cart", acceleration=lambda t: -3.2 * np.sin(4 * t)),
        (0.0, 0.8),
    ),
}


@pytest.mark.parametrize("way", CART_WAYS)
# Some ten times what the order of the method and its steps give; forces: times the stiffness.
@pytest.mark.parametrize(
    "integrator, settings, allowed",
    [
        ("dop853", {"rtol": 1e-11}, 2e-10),
        ("rk4", {"step": 2e-3}, 2e-9),
        ("generalized_alpha", {"step": 1e-3}, 3e-5),
        ("euler_cromer", {"step": 1e-3}, 5e-3),
        ("linearly_implicit_euler", {"step": 1e-3}, 5e-3),
    ],
    ids=["dop853", "rk4", "generalized_alpha", "euler_cromer", "implicit_euler"],
)
def test_pendulum_on_a_cart_whose_motion_is_given(way, integrator, settings, allowed):
    """L theta'' = -g sin(theta) + x'' cos(theta), F = (M + m) x'' - m L (theta' sin-terms)."""
    load, (x0, v0) = CART_WAYS[way]
    system = cart_pendulum()
    start = system.state(cart=x0, bob=0.6, **{"cart.rates": v0})
    run = ls.simulate(
        system,
        start,
        duration=1.5,
        output_step=0.05,
        integrator=integrator,
        loads=[load()],
        **settings,
    )

    def pushed(t):
        return -3.2 * np.sin(4 * t)

    def rates(t, y):
        return [y[1], (-GRAVITY * np.sin(y[0]) + pushed(t) * np.cos(y[0])) / LENGTH]

    exact = solve_ivp(
        rates, (0, 1.5), [0.6, 0.0], method="DOP853", t_eval=run.time, rtol=1e-12, atol=1e-13
    ).y
    assert np.abs(run["bob.angle"] - exact[0]).max() < allowed
    assert np.abs(run["cart.slide"] - 0.2 * np.sin(4 * run.time)).max() < allowed
    a = np.array([rates(t, y)[1] for t, y in zip(run.time, exact.T, strict=True)])
    bend = a * np.cos(exact[0]) - exact[1] ** 2 * np.sin(exact[0])
    force = (CART + BOB) * pushed(run.time) - BOB * LENGTH * bend
    assert np.abs(run["cart.force"][:, 0] - force).max() < 100 * allowed


# A bar on a turning hub


def test_bar_on_a_hub_that_turns_as_told_moves_by_hand_written_equations():
    """Particles at l = l0 + S e in axes that turn about z by theta(t).

    a = theta'' k x l + 2 theta' k x S e' - theta'^2 (l - k k.l) + S e''
    sum m S.a + K e = 0,  torque = k . sum m l x a
    """
    given = flexible_body(7, n_mode=2)
    shapes = given.shapes[:, 3:] - given.shapes[:1, 3:]
    shapes[:, 2] *= 0.3
    body = ls.FlexibleBody(
        given.positions,
        given.masses,
        np.concatenate([np.zeros_like(shapes), shapes], axis=1),
        given.stiffness,
        names={"tip": 4},
    )
    model = ls.Model("hub")
    model.add(body, ls.Revolute("z"), name="bar")
    system = model.compile()
    l0, m, K = given.positions - given.positions[0], given.masses, given.stiffness
    k = np.array([0.0, 0, 1])

    def turning(t):
        return 0.8 * t - 0.4 * np.sin(2 * t), 0.8 * (1 - np.cos(2 * t)), 1.6 * np.sin(2 * t)

    def known(t, y):
        e, rate = y[:2], y[2:]
        _, w, a = turning(t)
        at, u = l0 + shapes @ e, shapes @ rate
        flat = at - np.outer(at @ k, k)
        return at, a * np.cross(k, at) + 2 * w * np.cross(k, u) - w * w * flat

    M = np.einsum("i,ija,ijb->ab", m, shapes, shapes)

    def rates(t, y):
        push = np.einsum("i,ija,ij->a", m, shapes, known(t, y)[1])
        return np.r_[y[2:], np.linalg.solve(M, -push - K @ y[:2])]

    run = ls.simulate(
        system,
        duration=3.0,
        output_step=0.1,
        rtol=1e-11,
        loads=[ls.Motion("bar", lambda t: turning(t)[0])],
    )
    y = solve_ivp(
        rates, (0, 3), np.zeros(4), method="DOP853", t_eval=run.time, rtol=1e-12, atol=1e-13
    ).y.T
    assert np.abs(shapes[4] @ y[:, :2].T).max() > 0.01  # it bends
    for j, t in enumerate(run.time):
        at, a = known(t, y[j])
        a = a + shapes @ rates(t, y[j])[2:]
        R = turn(k, turning(t)[0])
        assert np.abs(run["bar.tip.position"][j] - R @ at[4]).max() < 1e-10
        torque = k @ np.einsum("i,ij->j", m, np.cross(at, a))
        assert abs(run["bar.force"][j, 0] - torque) < 1e-8


def test_cart_that_would_stop_at_the_end_of_its_table_is_refused():
    """It would be an impact; a clamped table comes to rest by itself."""
    times, places = [0.0, 0.3, 0.6, 1.0], [0.0, 0.6, 1.2, 2.0]
    system, given = cart_pendulum(), ls.Table(times, places, kind="smooth")
    with pytest.raises(ls.LoadError, match=r"ends at t = 1 s with a rate of 2.*clamped=True"):
        ls.simulate(system, duration=1.001, loads=[ls.Motion("cart", given)])
    assert ls.simulate(system, duration=1.0, loads=[ls.Motion("cart", given)]).status == "finished"
    given = ls.Table(times, places, kind="smooth", clamped=True)
    run = ls.simulate(system, duration=1.5, loads=[ls.Motion("cart", given)], output_step=0.01)
    assert np.abs(run["cart.rates"][[0, 100, -1], 0]).max() < 1e-12
    assert np.allclose(run["cart.slide"][100:], 2.0, atol=1e-12)
    assert np.abs(np.diff(run["bob.rates"][:, 0])).max() < 0.3  # no jump


@numba.njit
def whole(t, out):
    out[0], out[1], out[2] = 0.2 * np.sin(4 * t), 0.8 * np.cos(4 * t), -3.2 * np.sin(4 * t)


@numba.njit
def value_only(t, out):
    out[0] = 0.2 * np.sin(4 * t)


def compiled_motion_error(function):
    system = cart_pendulum()
    plain, compiled = (
        ls.simulate(
            system,
            system.state(bob=0.6, **{"cart.rates": 0.8}),
            duration=2.0,
            rtol=1e-10,
            loads=[ls.Motion("cart", f)],
        )
        for f in (lambda t: 0.2 * np.sin(4 * t), function)
    )
    return np.abs(plain.q[-1] - compiled.q[-1]).max()


def test_compiled_motion_with_its_derivatives():
    assert compiled_motion_error(whole) < 1e-9


def test_compiled_motion_without_its_derivatives():
    """It is refused, or moves as the plain function does."""
    try:
        found = compiled_motion_error(value_only)
    except ls.LoadError:
        return
    assert found < 1e-9
