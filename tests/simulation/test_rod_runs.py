"""Runs of rods: iterations of implicit steps, conservation, and the limit of small deflection."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from benchmarks.rods.iterations import hanging_mass, iterations, pendulum, satellites, spin_up

# Two are the least by which an error can be estimated.  Without the armature of tension the last
# two motions need more than fifteen.
TRIALS = [
    (spin_up(), (2.1, 2.1, 2.1)),
    (pendulum("stiff", 1996.0), (2.1, 2.1, 2.1)),
    (pendulum("soft", 1.0), (2.1, 2.1, 2.1)),
    (hanging_mass(), (2.1, 2.2, 2.6)),
    (satellites(), (2.4,)),
]


@pytest.mark.parametrize("trial, most", TRIALS, ids=[trial.name for trial, _ in TRIALS])
def test_iterations_of_an_implicit_step(trial, most):
    for step, number in zip(trial.steps, most, strict=True):
        found, divided = iterations(trial, step)
        assert found <= number and divided == 0, step


def tumbling(steps):
    """Largest relative drift of energy and of momentum of a free rod, bent by 0.6 of its length."""
    inertia = (0.02, 0.01, 0.01)
    rod = ls.Rod(
        1.0, (0.7, 1.0, 1.3, 1, 1, 1), 1.0, inertia, bending=2, torsion=1, stretch=0, damping=0.0
    )
    model = ls.Model("tumbling")
    model.add(rod, ls.Free(), name="rod")
    system = model.compile()
    q, v = system.neutral().q.copy(), np.zeros(system.n_v)
    tip = system.bodies[0].node_shapes[rod.names["tip"]]
    q[system.layout.modal_q("rod").start] = 0.65 / tip[4, 0]
    v[system.layout.hinge_v("rod")] = (0.5, 1.0, 2.0, 0.0, 0.0, 0.0)
    start = system.state(q, v)
    assert abs(ls.pose(system, start, "rod.tip").position[1]) > 0.55
    run = ls.simulate(
        system, start, duration=1.0, step=1 / steps, output_step=0.1, integrator="rk4"
    )
    states = [run.state(t) for t in run.time]
    energy = np.array([ls.energy(system, state).total for state in states])
    momentum = np.array([ls.momentum(system, state) for state in states])
    return [np.abs(x - x[0]).max() / np.abs(x[0]).max() for x in (energy, momentum)]


def test_drift_of_a_tumbling_rod_falls_with_the_fourth_order():
    drifts = np.array([tumbling(steps) for steps in (200, 400, 800)])
    assert (drifts[:-1] / drifts[1:] > 10).all()
    assert (drifts[-1] < 2e-6).all()


def test_a_rod_is_a_stiffened_beam_up_to_the_second_order_of_its_deflection():
    shape = (1.0, ls.Rectangle(0.02, 0.03), ls.ALUMINIUM)
    asked = {"bending": 4, "torsion": 0, "stretch": 0}
    bodies = [ls.rod(*shape, **asked), ls.beam(*shape, **asked, level="stiffened")]

    def moved(body, force):
        model = ls.Model("cantilever", gravity=(0, 0, 0))
        model.add(body, ls.Fixed(), name="rod")
        system = model.compile()
        rest = ls.equilibrium(system, loads=[ls.NodeForce("rod.tip", (0, force, force))])
        return ls.pose(system, rest, "rod.tip").position - (1, 0, 0)

    def apart(force):
        exact, other = (moved(body, force) for body in bodies)
        return np.linalg.norm(exact - other) / np.linalg.norm(exact)

    far = [apart(force) for force in (200, 100, 50)]
    assert 0.01 < np.linalg.norm(moved(bodies[0], 100)) < 0.1
    np.testing.assert_allclose([far[0] / far[1], far[1] / far[2]], 4, rtol=0.01)


def test_motions_of_a_rod_and_a_stiffened_beam_differ_in_the_second_order_of_the_deflection():
    shape, spin = (1.0, ls.Rectangle(0.02, 0.03), ls.ALUMINIUM), 60.0
    asked = {"bending": 3, "torsion": 0, "stretch": 0}
    bodies = [ls.rod(*shape, **asked), ls.beam(*shape, **asked, level="stiffened")]
    assert spin > 3 * bodies[1].frequencies[0]

    def moved(body, force):
        model = ls.Model("boom", gravity=(0, 0, 0))
        model.add(body, ls.Revolute("z"), name="rod")
        system = model.compile()
        loads = [
            ls.Motion("rod", acceleration=lambda t: 0.0),
            ls.NodeForce("rod.tip", (0, force, force)),
        ]
        start = system.state(**{"rod.rates": spin})
        run = ls.simulate(system, start, duration=0.03, output_step=0.01, rtol=1e-10, loads=loads)
        return run["rod.tip.position"]

    def apart(force):
        exact, other = (moved(body, force) for body in bodies)
        return np.linalg.norm(exact - other, axis=1).max()

    far = [apart(force) for force in (400, 200, 100)]
    assert 1e-5 < far[-1] < 1e-3
    np.testing.assert_allclose([far[0] / far[1], far[1] / far[2]], 4, rtol=0.06)
