"""What modes, linearize and equilibrium of chains cost, in calls: with N links N times one's."""

from __future__ import annotations

import functools
from collections import Counter

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree import reference
from lissom.sim.run.choice import at_rest
from lissom.sim.run.machine import Machine
from lissom.sim.run.plan import Plan
from lissom.sim.run.start import planned

MODES = 4


def chain(n):
    """Chain of n flexible links, with springs in the joints and loads on two nodes."""
    beam = ls.beam(3.0 / n, ls.Tube(radius=0.03, thickness=0.002), ls.ALUMINIUM, modes=MODES)
    model = ls.Model("chain", gravity=(0, 0, -9.81))
    for i in range(n):
        place = {"to": f"link{i - 1}.tip"} if i else {}
        model.add(beam, ls.Revolute("y"), name=f"link{i}", **place)
    loads = [ls.JointSpring(f"link{i}", 2000.0, damping=1.0) for i in range(n)]
    loads.append(ls.NodeSpring(f"link{n // 2}.tip", (1.5, 0, -0.5), stiffness=100.0))
    loads.append(ls.NodeForce(f"link{n - 1}.tip", (0, 0, -1.0)))
    return model.compile(), loads


@pytest.fixture
def calls(monkeypatch):
    """Counts of columns looked up, evaluations of a run, and bodies in readable text."""
    counts = Counter()

    def counted(name, function):
        @functools.wraps(function)
        def call(*arguments, **options):
            counts[name] += 1
            return function(*arguments, **options)

        return call

    monkeypatch.setattr(Plan, "columns", property(counted("columns", Plan.columns.fget)))
    monkeypatch.setattr(Machine, "accelerations", counted("rows", Machine.accelerations))
    monkeypatch.setattr(reference, "body_terms", counted("bodies", reference.body_terms))
    return counts


def test_columns_of_a_plan_are_looked_up_once_for_each_machine(calls):
    system, loads = chain(4)
    rest = ls.equilibrium(system, loads=loads)
    assert calls["columns"] == 1
    ls.modes(system, rest, loads=loads)
    assert calls["columns"] == 3  # forces, and their derivatives
    outputs = ["link3.tip.acceleration", "link0.reaction", "link1.force"]
    ls.linearize(system, rest, loads=loads, outputs=outputs)
    assert calls["columns"] == 5


@pytest.mark.parametrize("n", [5, 10])
def test_modes_read_each_body_once(calls, n):
    system, loads = chain(n)
    rest = ls.equilibrium(system, loads=loads)
    calls.clear()
    assert len(ls.modes(system, rest, loads=loads)) == system.n_v
    assert calls["bodies"] <= n
    assert calls["rows"] <= 3


def test_evaluations_of_an_equilibrium_do_not_grow_with_the_speeds(calls):
    steps = []
    for n in (4, 8, 16):
        system, loads = chain(n)
        calls.clear()
        ls.equilibrium(system, loads=loads)
        assert calls["bodies"] == 0
        steps.append(calls["rows"])
    assert max(steps) <= 20  # a few for each step: the stiffness is compiled, not differences
    assert max(steps) <= min(steps) + 6  # steps of the iteration


def test_evaluations_after_others_leave_nothing_in_derivatives_of_loads():
    """A force that depends on the state is differenced from nothing, not from the last wrench."""
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(
        ls.RigidBody(1.0, com=(0.4, 0, 0), inertia=(0.1, 0.1, 0.1)), ls.Revolute("y"), name="a"
    )
    system = model.compile()
    load = ls.NodeForce("a", (0, 0, 0), lambda t, state: [0, 5.0 - 2.0 * state["a"][0], 0])
    state = system.state(a=0.3)
    plan = planned(system, None, [load], ())
    machine = at_rest(plan, state, exact=True)
    for _ in range(2):
        _, forces, by_q, _ = machine.load_derivatives()
        np.testing.assert_allclose([forces[0], by_q[0, 0]], [4.4, -2.0], rtol=1e-8)
        machine.accelerations(0.0, state.q, state.v)


def test_solutions_of_modes_and_responses_do_not_grow_in_number(monkeypatch):
    """Neither with the links nor with the frequencies: what they need is solved together."""
    counts = Counter()

    def counted(name):
        function = getattr(np.linalg, name)

        def call(*arguments, **options):
            counts[name] += 1
            return function(*arguments, **options)

        return call

    for name in ("solve", "inv", "svd", "eig", "eigh"):
        monkeypatch.setattr(np.linalg, name, counted(name))
    totals = []
    for n in (4, 8):
        system, loads = chain(n)
        rest = ls.equilibrium(system, loads=loads)
        counts.clear()
        ls.modes(system, rest, loads=loads)
        assert counts["eig"] == counts["eigh"] == 1
        model = ls.linearize(system, rest, loads=loads, inputs=["link0"], outputs=["link0"])
        model.frequency_response(np.linspace(1.0, 50.0, 10 * n))
        totals.append(sum(counts.values()))
    assert totals[0] == totals[1] <= 12


def test_outputs_of_a_linear_model_need_no_readable_text(calls):
    """Motions of frames are compiled, and moments through joints are forces at cuts of the tree."""
    system, loads = chain(3)
    state = ls.equilibrium(system, loads=loads)
    moving = system.state(state.q, np.linspace(-0.1, 0.1, system.n_v))
    names = ("velocity", "acceleration", "angular_acceleration", "deflection", "position")
    calls.clear()
    for at in (state, moving):
        outputs = [f"link2.tip.{name}" for name in names]
        ls.linearize(system, at, loads=loads, inputs=["link0"], outputs=outputs)
    assert calls["bodies"] == 0
    assert calls["rows"] <= 4
    ls.linearize(system, state, loads=loads, outputs=[f"{x}.reaction" for x in system.names])
    assert calls["bodies"] == 0
    assert calls["rows"] <= 4 + 4 * 2 * system.n_v + 4
