"""Events of contacts: when they close and open, and what they did in between."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.cli.texts import run_facts, run_text
from lissom.errors import LoadError
from lissom.sim.loads.contact import Contact, Hertz, LinearContact
from tests.samples.contacts import LOSSY, MASS, RADIUS, STEEL, barbell, falling_ball, ground_contact

BALL = falling_ball()
START = BALL.state(q=[RADIUS + 2e-3], v=[-1.0])


def drop(law, *, events=(), name="foot", **options):
    settings = {"duration": 0.004, "progress": False} | options
    loads = [ground_contact(BALL, law, name=name)]
    return ls.simulate(BALL, START, loads=loads, events=events, **settings)


@pytest.mark.parametrize("law", [Hertz(stiffness=STEEL), LOSSY, LinearContact(1e6)])
@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"integrator": "dopri5"}, 2e-7),
        ({"integrator": "dop853"}, 2e-4),
        ({"integrator": "rk4", "step": 1e-3}, 5e-5),
    ],
)
def test_the_impulse_is_the_change_of_momentum(law, settings, error):
    run = drop(law, **settings)
    assert [event.label for event in run.events] == ["foot touches", "foot leaves"]
    touch = run.events[1].touch
    assert touch.impulse == pytest.approx(MASS * (run.v[-1, 0] + 1.0), rel=error)
    assert run.statistics["touch_downs"] == 1


def test_a_steel_ball_has_the_peak_and_the_time_of_hertz():
    run = drop(Hertz(stiffness=STEEL), integrator="dopri5")
    touches, leaves = (event.touch for event in run.events)
    assert (touches.contact, touches.touches, leaves.touches) == ("foot", True, False)
    assert run.events[0].time == pytest.approx(2e-3, rel=1e-9)
    assert leaves.peak == pytest.approx(1750.4738398, rel=1e-4)
    assert leaves.lasted == pytest.approx(69.1104185312e-6, rel=1e-6)
    assert touches.speed == leaves.speed == pytest.approx(1.0)
    assert touches.duration == pytest.approx(69.1104185312e-6, rel=1e-6)
    assert (touches.impulse, touches.peak, touches.lasted) == (0.0, 0.0, 0.0)


def test_a_contact_of_several_points_closes_once_and_opens_once():
    system, capsule = barbell()
    law = Hertz(stiffness=1e8, restitution=0.5, at_speed=0.3)
    contact = Contact(capsule, shapes.HalfSpace(), law, name="foot")
    state = ls.State(system, [0.0, 0.007, 2e-3], [0.0, -0.5, 0.0])
    settings = {"duration": 0.02, "loads": [contact], "integrator": "dopri5", "progress": False}
    run = ls.simulate(system, state, **settings)
    labels = [event.label for event in run.events]
    assert labels[:2] == ["foot touches", "foot leaves"] and len(labels) % 2 == 0
    assert run.statistics["touch_downs"] >= len(labels) / 2
    impulse = sum(event.touch.impulse for event in run.events)
    expected = 0.1 * (run["rod.velocity"][-1, 2] + 0.5 + 9.81 * 0.02)
    assert impulse == pytest.approx(expected, rel=1e-5)


def test_records_are_copied_and_stored(tmp_path):
    run = drop(LOSSY, integrator="dopri5", file=tmp_path / "run.nc")
    again = [ls.Trajectory.load(tmp_path / "run.nc"), pickle.loads(pickle.dumps(drop(LOSSY)))]
    assert again[0].events[1].touch.plain() == run.events[1].touch.plain()
    assert again[1].events[1].touch is not None
    event = copy.deepcopy(run.events[1])
    assert event == run.events[1] and event.touch.plain() == run.events[1].touch.plain()
    facts = run_facts(run)["events"]
    assert facts[1]["contact"]["peak"] == run.events[1].touch.peak
    assert "impulse" in run_text(run) and "speed of approach 1 m/s" in run_text(run)


def test_an_event_of_a_contact_locks_a_joint_where_it_touches():
    run = drop(LOSSY, events=[ls.Event("foot", ls.Lock("ball"), direction=-1)])
    assert [event.label for event in run.events] == ["foot touches", "foot"]
    assert run.events[1].impulses[0].impulse[0] == pytest.approx(MASS)
    assert np.all(run.v[run.time > 2.1e-3] == 0)
    assert run["foot.gap"][-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("direction", "once", "times"), [(-1, False, 2), (1, False, 2), (0, False, 4), (0, True, 1)]
)
def test_directions_and_once(direction, once, times):
    system = falling_ball(gravity=9.81)
    watch = ls.Event("foot", (), direction=direction, once=once, name="seen")
    loads = [ground_contact(system, Hertz(stiffness=1e7, restitution=0.6, at_speed=0.1))]
    start = system.state(q=[RADIUS + 1e-3])
    settings = {"duration": 0.036, "integrator": "dopri5", "progress": False}
    run = ls.simulate(system, start, loads=loads, events=[watch], **settings)
    labels = [event.label for event in run.events]
    assert labels.count("foot touches") == labels.count("foot leaves") == 2
    assert labels.count("seen") == times


def test_an_event_of_a_contact_stops_the_run():
    run = drop(LOSSY, events=[ls.Event("foot", direction=1)])
    assert run.status == "event" and run["foot.gap"][-1] == pytest.approx(0.0, abs=1e-12)
    assert run.time[-1] == run.events[0].time + run.events[1].touch.lasted


@pytest.mark.parametrize("options", [{"value": 1e-3}, {"rate": True}])
def test_an_event_of_a_contact_has_neither_value_nor_rate(options):
    with pytest.raises(LoadError, match="'foot' is a contact.*leave out"):
        drop(LOSSY, events=[ls.Event("foot", **options)])


def test_a_contact_switched_off_lets_the_ball_through():
    run = drop(LOSSY, events=[ls.Event("foot", ls.Switch("foot", on=False), direction=-1)])
    assert run.v[-1, 0] == -1.0 and run["foot.gap"][-1] < -1e-3
