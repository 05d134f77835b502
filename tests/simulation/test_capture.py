"""A free-flying payload is caught, carried and released: impulses and momenta by other means.

The oracle knows rigid bodies in maximal coordinates, six speeds each, and the directions in which
their joints do not give way.
"""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls

LINK = (6.0, (1.0, 0.05, 0), (0.2, 2.1, 2.2))  # mass, centre, inertia about it
PARTS = {
    "base": (40.0, (0.1, 0, 0.05), (9.0, 11.0, 12.0)),
    "upper": LINK,
    "lower": LINK,
    "payload": (15.0, (0.4, 0.1, -0.05), (1.0, 1.4, 1.8)),
}
AXES = {"upper": "z", "lower": "y"}
GRIP, LET_GO = 0.8, 1.5


def turned_about(r):
    """Matrix (3, 3) from an angular velocity to omega x r."""
    return np.cross(np.eye(3), r).T


@pytest.fixture(scope="module")
def run():
    model = ls.Model("capture")
    bodies = {name: ls.RigidBody(m, c, inertia) for name, (m, c, inertia) in PARTS.items()}
    model.add(bodies["base"], ls.Free(), name="base")
    model.add(bodies["upper"], ls.Revolute("z"), to="base", at=(0.5, 0.2, 0), name="upper")
    model.add(bodies["lower"], ls.Revolute("y"), to="upper", at=(2, 0, 0), name="lower")
    model.add(bodies["payload"], ls.Free(), to="lower", at=(2, 0, 0), name="payload")
    system = model.compile()
    start = system.state(
        upper=0.4,
        lower=-0.9,
        payload=[0.9, 0.3, -0.1, np.sqrt(1 - 0.81 - 0.1), 0.5, 0.1, 0.2],
        **{
            "base.rates": [0.05, -0.1, 0.08, 0.1, 0, -0.05],
            "upper.rates": 0.2,
            "lower.rates": -0.3,
            "payload.rates": [0.3, -0.2, 0.4, -0.4, 0.1, 0.2],
        },
    )
    events = [
        ls.Event(lambda t, state: t - GRIP, ls.Lock("payload"), name="grip"),
        ls.Event(lambda t, state: t - LET_GO, ls.Release("payload"), name="release"),
    ]
    settings = {"duration": 2.5, "events": events, "rtol": 1e-11, "output_step": 0.01}
    return ls.simulate(system, start, integrator="dop853", **settings)


def row_after(run, time):
    """Row just before an event, and the one after it at the same time."""
    (k,) = np.flatnonzero((np.diff(run.time) == 0) & (np.abs(run.time[1:] - time) < 1e-9))
    return k


def twist(run, name, k):
    """Angular velocity and velocity of the centre of mass, world axes."""
    omega, R = run[f"{name}.angular_velocity"][k], run[f"{name}.rotation"][k]
    return np.r_[omega, run[f"{name}.velocity"][k] + np.cross(omega, R @ PARTS[name][1])]


def centre(run, name, k):
    return run[f"{name}.position"][k] + run[f"{name}.rotation"][k] @ PARTS[name][1]


def inertia(run, name, k):
    m, _, about = PARTS[name]
    R, found = run[f"{name}.rotation"][k], np.zeros((6, 6))
    found[:3, :3], found[3:, 3:] = R @ np.diag(about) @ R.T, m * np.eye(3)
    return found


def held_directions(run, k):
    """Rows of the constraints on the twists of all bodies, of the joints and of the grip."""
    names, rows = list(PARTS), []
    for inner, outer in (("base", "upper"), ("upper", "lower"), ("lower", "payload")):
        point = run[f"{outer}.position"][k]
        block = np.zeros((6, 24))
        for sign, name in ((-1, inner), (1, outer)):
            at = 6 * names.index(name)
            block[:3, at : at + 3] = sign * np.eye(3)
            block[3:, at : at + 3] = sign * turned_about(point - centre(run, name, k))
            block[3:, at + 3 : at + 6] = sign * np.eye(3)
        if outer in AXES:
            axis = run[f"{outer}.rotation"][k][:, "xyz".index(AXES[outer])]
            across = np.linalg.svd(axis[None])[2][1:]
            block = np.vstack([across @ block[:3], block[3:]])
        rows.append(block)
    return np.vstack(rows)


def test_speeds_after_the_grip_are_those_of_a_plastic_impact(run):
    """Momentum balance of 24 speeds with 16 impulses of constraint, solved as a whole."""
    k = row_after(run, GRIP)
    M = np.zeros((24, 24))
    for i, name in enumerate(PARTS):
        M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = inertia(run, name, k)
    J = held_directions(run, k)
    before = np.concatenate([twist(run, name, k) for name in PARTS])
    assert np.abs(J[:10] @ before).max() < 1e-12  # the joints hold, the grip does not yet
    assert np.abs(J[10:] @ before).max() > 0.1
    whole = np.block([[M, J.T], [J, np.zeros((16, 16))]])
    expected = np.linalg.solve(whole, np.r_[M @ before, np.zeros(16)])[:24]
    after = np.concatenate([twist(run, name, k + 1) for name in PARTS])
    np.testing.assert_allclose(after, expected, atol=1e-12)
    lost = (before @ M @ before - after @ M @ after) / 2
    assert run["energy.kinetic"][k] - run["energy.kinetic"][k + 1] == pytest.approx(lost, rel=1e-10)


def test_momenta_summed_over_bodies_stay_through_grip_and_release(run):
    found = []
    for k in range(0, len(run), 10):
        total = np.zeros(6)
        for name in PARTS:
            each = inertia(run, name, k) @ twist(run, name, k)
            total += each + np.r_[np.cross(centre(run, name, k), each[3:]), np.zeros(3)]
        found.append(total)
    assert np.abs(np.array(found) - found[0]).max() < 1e-9 * np.abs(found[0]).max()
    np.testing.assert_allclose(run["momentum"][::10], found, atol=1e-9)


def test_what_is_held_stays_in_the_hand_and_then_flies_straight(run):
    held = (run.time > GRIP) & (run.time < LET_GO)
    assert np.all(run["payload.rates"][held] == 0)
    assert np.ptp(run["payload.coordinates"][held], axis=0).max() < 1e-14
    k = row_after(run, LET_GO)
    assert np.abs(run.v[k + 1] - run.v[k]).max() < 1e-12  # letting go is no impulse
    for flight in (run.time < GRIP, run.time > LET_GO):
        rows = np.flatnonzero(flight)
        path = np.array([centre(run, "payload", k) for k in rows])
        t = run.time[rows] - run.time[rows[0]]
        velocity = twist(run, "payload", rows[0])[3:]
        assert np.abs(path - path[0] - t[:, None] * velocity).max() < 1e-10
