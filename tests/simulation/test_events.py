"""Events: when they happen; switches."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from scipy.special import ellipkinc

import lissom as ls
from tests.references.analytic_motions import pendulum_period
from tests.tools.runs import event_times

GRAVITY = 9.81
EXACT = [
    ("dop853", {}),
    ("dopri5", {}),
    ("rk4", {"step": 0.03}),
    ("dop853", {"step": 0.07}),
    ("generalized_alpha", {"step": 0.03}),
]


def falling():
    model = ls.Model("falling", gravity=(0, 0, -GRAVITY))
    model.add(ls.RigidBody(2.0), ls.Prismatic("z"), name="b")
    return model.compile()


def swinging():
    """A point pendulum of length one that hangs at zero."""
    model = ls.Model("swinging", gravity=(0, 0, -GRAVITY))
    model.add(ls.RigidBody(2.0, com=(0, 0, -1)), ls.Revolute("y"), name="b")
    return model.compile()


def oscillating():
    model = ls.Model("oscillating")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="b")
    return model.compile(), [ls.JointSpring("b", 1.0)]


@numba.njit
def height_compiled(t, q, v):
    return q[0] + 3.0


WATCHES = {
    "coordinate": {"when": "b", "value": -3.0},
    "function": {"when": lambda t, state: state.q[0] + 3.0},
    "compiled": {"when": height_compiled},
    "speed": {"when": "b", "rate": True, "value": -np.sqrt(6 * GRAVITY)},
    "energy": {
        "when": lambda t, state: ls.energy(state.system, state).kinetic,
        "value": 6 * GRAVITY,
    },
}


@pytest.mark.parametrize("watch", WATCHES)
@pytest.mark.parametrize("integrator, settings", EXACT, ids=str)
def test_falling_body_stops_at_its_instant(watch, integrator, settings):
    """sqrt(2 h / g); all these methods are exact in free fall."""
    event = ls.Event(name="floor", **WATCHES[watch])
    run = ls.simulate(falling(), duration=5.0, integrator=integrator, events=[event], **settings)
    instant = np.sqrt(6 / GRAVITY)
    assert run.status == "event" and "floor" in run.message
    assert abs(event_times(run)[0] - instant) < 1e-12
    assert run.time[-1] == event_times(run)[0]
    assert abs(run.q[-1, 0] + 3.0) < 1e-11
    assert np.all(np.diff(run.time) >= 0)


def test_pendulum_passes_an_angle_at_its_instant():
    """t = (F(pi/2) - F(asin(sin(a/2) / k))) / rate, F Legendre's integral."""
    amplitude, angle, rate = 2.2, 0.7, np.sqrt(GRAVITY)
    k = np.sin(amplitude / 2)
    phase = np.arcsin(np.sin(angle / 2) / k)
    exact = (ellipkinc(np.pi / 2, k * k) - ellipkinc(phase, k * k)) / rate
    period = pendulum_period(amplitude, rate)
    system = swinging()
    run = ls.simulate(
        system,
        system.state(b=amplitude),
        duration=2.5 * period,
        rtol=1e-12,
        events=[ls.Event("b", (), value=angle)],
    )
    passes = [exact, period - exact, period + exact, 2 * period - exact, 2 * period + exact]
    np.testing.assert_allclose(event_times(run), passes, rtol=0, atol=1e-10)


def test_titles():
    """The name, else the joint, else the function, else the kind of a callable object."""

    class Watch:
        def __call__(self, t, state):
            return 1.0

    def low(t, state):
        return 1.0

    for event, title in (
        (ls.Event("b", name="half way"), "half way"),
        (ls.Event("b"), "b"),
        (ls.Event(low), "low"),
        (ls.Event(Watch()), "Watch"),
    ):
        assert event.title == title and event.label == f"event {title!r}"


@pytest.mark.parametrize(
    "settings, turns",
    [
        ({}, [0.5, 1.5, 2.5, 3.5]),
        ({"direction": -1}, [0.5, 2.5]),
        ({"direction": 1}, [1.5, 3.5]),
        ({"once": True}, [0.5]),
        ({"direction": 1, "once": True}, [1.5]),
    ],
    ids=str,
)
def test_direction_and_once(settings, turns):
    """x = cos(t)."""
    system, loads = oscillating()
    run = ls.simulate(
        system,
        system.state(b=1.0),
        duration=4 * np.pi,
        rtol=1e-11,
        loads=loads,
        events=[ls.Event("b", (), **settings)],
    )
    np.testing.assert_allclose(event_times(run), np.pi * np.array(turns), rtol=0, atol=1e-9)


def test_several_events_in_one_step_come_in_order():
    """Four thresholds of a straight motion within one step of a second."""
    model = ls.Model("straight")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="b")
    system = model.compile()
    events = [ls.Event("b", (), value=x, name=str(x)) for x in (0.7, 0.2, 0.5, 0.5)]
    run = ls.simulate(
        system,
        system.state(**{"b.rates": 1.0}),
        duration=2.0,
        step=1.0,
        integrator="rk4",
        events=events,
    )
    np.testing.assert_allclose(event_times(run), [0.2, 0.5, 0.5, 0.7], rtol=0, atol=1e-12)
    # rows of the fixed steps stay where they are
    assert {0.0, 1.0, 2.0} <= set(run.time)
    assert abs(run.q[-1, 0] - 2.0) < 1e-14


def test_event_within_rounding_of_the_end_of_a_step():
    """x = 0.8 t passes 1 at 1.25 s, where a step ends a few units of the last place short of it."""
    model = ls.Model("straight")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="b")
    system = model.compile()
    run = ls.simulate(
        system,
        system.state(**{"b.rates": 0.8}),
        duration=2.0,
        step=0.01,
        integrator="rk4",
        events=[ls.Event("b", (), value=1.0)],
    )
    assert run.status == "finished"
    np.testing.assert_allclose(event_times(run), [1.25], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "integrator, settings",
    [("dop853", {}), ("dopri5", {}), ("generalized_alpha", {}), ("rk4", {"step": 0.05})],
    ids=str,
)
def test_events_leave_the_times_of_rows_as_they_are(integrator, settings):
    model = ls.Model("straight")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="b")
    system = model.compile()
    run = ls.simulate(
        system,
        system.state(**{"b.rates": 1.0}),
        duration=1.0,
        output_step=0.1,
        integrator=integrator,
        events=[ls.Event("b", (), value=0.333)],
        **settings,
    )
    expected = np.sort(np.r_[np.linspace(0, 1, 11), 0.333, 0.333])
    np.testing.assert_allclose(run.time, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.q[:, 0], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("integrator, settings", EXACT, ids=str)
def test_switch_of_a_force(integrator, settings):
    """Pushed to x = 0.5, then alone: v = sqrt(2 F x / m); on again at t = 2."""
    model = ls.Model("pushed")
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="b")
    run = ls.simulate(
        model.compile(),
        duration=3.0,
        integrator=integrator,
        loads=[ls.Actuator("b", 4.0, name="push")],
        events=[
            ls.Event("b", ls.Switch("push"), value=0.5, once=True),
            ls.Event(lambda t, state: t - 2.0, ls.Switch("push", on=True)),
        ],
        **settings,
    )
    first = np.sqrt(0.5)
    np.testing.assert_allclose(event_times(run), [first, 2.0], rtol=0, atol=1e-12)
    t = run.time
    v = 2 * np.minimum(t, first) + 2 * np.maximum(0, t - 2.0)
    assert np.abs(run.v[:, 0] - v).max() < 1e-12
    before, after = np.flatnonzero(np.diff(t) == 0)[:2], np.flatnonzero(np.diff(t) == 0)[:2] + 1
    assert run.force[before, 0].tolist() == [4.0, 0.0]
    assert run.force[after, 0].tolist() == [0.0, 4.0]
    assert np.array_equal(run.q[before], run.q[after])
