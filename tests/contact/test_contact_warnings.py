"""What is refused or warned of in runs with contacts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.errors import LoadError, SimulationWarning
from lissom.sim.loads.contact import Contact, Friction, Hertz, LinearContact
from lissom.sim.warnings import contacts
from tests.samples.contacts import (
    LOSSY,
    MASS,
    RADIUS,
    STEEL,
    falling_ball,
    ground_contact,
    stopped_arm,
)

BALL = falling_ball(gravity=9.81)
FREE = falling_ball(gravity=9.81, joint=ls.Free())
REST = (MASS * 9.81 / 1e7) ** (2 / 3)  # depth under the weight [m]


def dropped(law, *, height=1e-3, speed=1.0, duration=0.004, **options):
    settings = {"integrator": "dopri5", "progress": False} | options
    start = BALL.state(q=[RADIUS + height], v=[-speed])
    return ls.simulate(
        BALL, start, duration=duration, loads=[ground_contact(BALL, law)], **settings
    )


def said(call):
    """Warnings of a run."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in told]


# The start


def test_shapes_that_overlap_at_the_start_are_refused():
    with pytest.raises(LoadError, match=r"contact 'foot': at the start .* overlap by 0.0001 m"):
        dropped(LOSSY, height=-1e-4, speed=0.0)


def test_they_are_accepted_if_this_is_meant():
    contact = ground_contact(BALL, LOSSY, initially="pressed")
    start = BALL.state(q=[RADIUS - 1e-4])
    run = ls.simulate(BALL, start, duration=0.002, loads=[contact], progress=False)
    assert [event.label for event in run.events] == ["foot leaves"]
    touch = run.events[0].touch
    weight = MASS * 9.81 * run.time[-1]
    assert touch.impulse == pytest.approx(MASS * run.v[-1, 0] + weight, rel=1e-4)
    assert touch.speed == 0.0 and touch.lasted == run.events[0].time
    assert touch.peak == pytest.approx(1e7 * 1e-4**1.5, rel=0.02)


def test_a_ball_may_start_at_rest_on_the_ground():
    loads = [ground_contact(BALL, LOSSY)]
    start = ls.equilibrium(BALL, BALL.state(q=[RADIUS + 1e-4]), loads=loads)
    run = ls.simulate(BALL, start, duration=0.05, loads=loads, progress=False)
    assert not run.events and np.ptp(run["foot.gap"]) < 1e-10
    assert run["foot.gap"][0] == pytest.approx(-REST)


def test_a_ball_may_start_sliding_and_at_the_depth_of_its_weight():
    state = FREE.state(ball=[1, 0, 0, 0, 0, 0, RADIUS - 1.05 * REST])
    start = ls.State(FREE, state.q, np.array([0, 0, 0, 1.0, 0, 0]))
    contact = ground_contact(FREE, LOSSY, Friction(0.2))
    run = ls.simulate(FREE, start, duration=1e-4, loads=[contact], progress=False)
    assert run["foot.slip_speed"][0] == 1.0


def test_a_ball_may_roll_over_a_ball():
    """Its centripetal acceleration takes a part of the weight: that is rest, too."""
    radius, speed = 0.05, 0.3
    force = MASS * (9.81 - speed**2 / (radius + RADIUS))
    depth = force / 1e5
    state = FREE.state(ball=[1, 0, 0, 0, 0, 0, RADIUS - depth])
    start = ls.State(FREE, state.q, np.array([0, 0, 0, speed, 0, 0]))
    hill = shapes.Sphere(radius, at=(0, 0, -radius))
    contact = Contact(FREE.shape("ball", shapes.Sphere(RADIUS)), hill, LinearContact(1e5), name="a")
    run = ls.simulate(FREE, start, duration=1e-4, loads=[contact], progress=False)
    assert run["a.normal_force"][0] == pytest.approx(force)


def test_other_words_for_the_start_are_refused():
    with pytest.raises(LoadError, match="initially is \"?'?deep"):
        ground_contact(BALL, LOSSY, initially="deep")


# Warnings after a run


def test_a_small_steel_impact_is_silent():
    assert said(lambda: dropped(Hertz(stiffness=STEEL))) == []


def test_a_depth_of_half_a_shape_is_told():
    (text,) = said(lambda: dropped(LinearContact(500.0), duration=0.01))
    assert "more than half of the smaller shape (0.01 m" in text


def test_a_patch_beyond_the_theory_of_hertz_is_told():
    (text,) = said(lambda: dropped(Hertz(stiffness=1e6), speed=3.0))
    assert "a patch of 0.5" in text and "Hertz's law" in text
    assert said(lambda: dropped(LinearContact(1e5), speed=3.0)) == []


def test_a_rattling_contact_is_told(monkeypatch):
    monkeypatch.setattr(contacts, "MANY", 1)
    monkeypatch.setattr(contacts, "OFTEN", 100.0)
    monkeypatch.setattr(contacts, "FEW", 1)
    ceiling = Contact(
        BALL.shape("ball", shapes.Sphere(RADIUS)),
        shapes.HalfSpace((0, 0, -1), at=(0, 0, 2 * RADIUS + 2e-4)),
        LinearContact(1e6),
        name="top",
    )
    loads = [ground_contact(BALL, LinearContact(1e6)), ceiling]
    start = BALL.state(q=[RADIUS + 1e-4], v=[1.0])
    settings = {"duration": 0.004, "integrator": "rk4", "step": 4e-4, "progress": False}
    texts = said(lambda: ls.simulate(BALL, start, loads=loads, **settings))
    assert any("contact 'foot' closed" in text and "rattles" in text for text in texts)
    assert any("contacts divided" in text and "of 10 fixed steps" in text for text in texts)


def test_creep_of_regularised_friction_is_told(monkeypatch):
    system = falling_ball(gravity=9.81, joint=ls.Planar((0, -1, 0)))
    depth = MASS * 9.81 / 1e4
    held = ls.NodeForce("ball", force=(0.05 * MASS * 9.81, 0, 0))
    stop = ls.JointSpring("ball", (0.0, 0.0, 1.0))

    def run(duration):
        contact = ground_contact(system, LinearContact(1e4), Friction(0.5, speed=1e-2))
        start = system.state(ball=[0, RADIUS - depth, 0])
        settings = {"duration": duration, "integrator": "rk4", "step": 2e-4}
        loads = [contact, held, stop]
        return ls.simulate(system, start, loads=loads, progress=False, **settings)

    assert said(lambda: run(0.002)) == []
    monkeypatch.setattr(contacts, "FINEST", 1e-8)
    (text,) = said(lambda: run(0.01))
    assert "has slid" in text and "smaller speed" in text


def test_modes_that_are_slower_than_the_contact_are_told():
    beam = ls.beam(
        0.5, ls.Rectangle(width=0.01, height=0.01), ls.STEEL, bending=2, torsion=0, stretch=0
    )
    model = ls.Model("beam", gravity=(0, 0, 0))
    model.add(beam, ls.Revolute("y"), name="beam")
    system = model.compile()
    tip = system.shape("beam.tip", shapes.Sphere(RADIUS))
    contact = Contact(tip, shapes.HalfSpace(at=(0, 0, -0.015)), Hertz(stiffness=STEEL), name="foot")
    start = ls.State(system, system.neutral().q, np.r_[0.0 * system.neutral().v[:-1], 2.0])
    settings = {"duration": 0.006, "integrator": "dopri5", "progress": False}
    texts = said(lambda: ls.simulate(system, start, loads=[contact], **settings))
    assert any("highest mode of 'beam'" in text for text in texts)


def test_warnings_of_many_runs_are_said_once():
    states = [BALL.state(q=[RADIUS + 1e-3], v=[-speed]) for speed in (0.01, 1.0, 1.2)]
    loads = [ground_contact(BALL, LinearContact(500.0))]
    settings = {"duration": 0.01, "integrator": "dopri5", "progress": False}
    with pytest.warns(SimulationWarning, match="in 2 of 3 runs: contact 'foot' was"):
        ls.simulate_batch(BALL, states, loads=loads, **settings)


def test_statistics_count_touch_downs():
    system, contact = stopped_arm()
    start = system.state(arm=[-0.1])
    settings = {"integrator": "dopri5", "progress": False, "loads": [contact]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        run = ls.simulate(system, start, duration=0.3, **settings)
    assert run.statistics["touch_downs"] == 1
    free = ls.simulate(system, start, duration=0.01, integrator="dopri5", progress=False)
    assert "touch_downs" not in free.statistics
