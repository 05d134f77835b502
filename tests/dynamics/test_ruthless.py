"""Level "ruthless": the equations of paper A, appendix B, and what they lose."""

import numpy as np
import pytest

import lissom as ls
from tests.references.ruthless_chain import Link, forward

AT = np.array([0.05, 0.02, -0.03])
GRAVITY = (0.5, -1.0, -9.81)


def link(seed, n=5, m=3):
    """A body of particles with modes that are zero at node 0."""
    rng = np.random.default_rng(seed)
    positions = np.outer(np.linspace(0, 1.0, n), [1.0, 0.1, 0.0]) + 0.1 * rng.normal(size=(n, 3))
    shapes = 0.4 * rng.normal(size=(n, 6, m))
    positions[0], shapes[0] = 0.0, 0.0
    stiffness = np.diag(rng.uniform(5.0, 60.0, m))
    return ls.FlexibleBody(
        positions, rng.uniform(0.5, 2.0, n), shapes, stiffness, names={"tip": n - 1}
    )


BODIES = [link(seed) for seed in (1, 2, 3)]
AXES = np.array([[0.0, 0.6, 0.8], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])


def chain(level):
    """Three links on hinges at their tips."""
    model, place = ls.Model("chain", gravity=GRAVITY), {}
    for k, (body, axis) in enumerate(zip(BODIES, AXES, strict=True)):
        model.add(body, ls.Revolute(axis), name=f"l{k}", **place)
        place = {"to": f"l{k}.tip", "at": AT}
    return model.compile(level=level)


def moving(system, seed=0, deformation=0.1, speed=1.0):
    rng = np.random.default_rng(seed)
    q = rng.standard_normal(system.n_q)
    for i in range(system.n_body):
        q[system.layout.modal_q(i)] *= deformation
    return system.state(q, speed * rng.standard_normal(system.n_v)), rng


@pytest.mark.parametrize("method", ["articulated", "composite", "reference", "innovations"])
def test_accelerations_are_those_of_the_paper_in_plain_numpy(method):
    system = chain("ruthless")
    for seed in range(3):
        state, rng = moving(system, seed)
        T = rng.standard_normal(system.n_v)
        links = [
            Link(axis, b.positions, b.masses, b.shapes @ b.transform,
                 b.transform.T @ b.stiffness @ b.transform, AT)
            for b, axis in zip(BODIES, AXES, strict=True)
        ]  # fmt: skip
        names = system.names
        given = [state[f"{n}.modes"] for n in names], [state[n][0] for n in names]
        rates = [state[f"{n}.mode_rates"] for n in names], [state[f"{n}.rates"][0] for n in names]
        expected = forward(links, GRAVITY, *given, *rates, T)
        found = ls.forward_dynamics(system, state, T, method=method)
        assert np.allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_without_speeds_it_is_the_level_linear():
    state, rng = moving(chain("ruthless"), speed=0.0)
    T = rng.standard_normal(len(state.v))
    found = [
        ls.forward_dynamics(system, system.state(state.q, state.v), T)
        for system in (chain("ruthless"), chain("linear"))
    ]
    assert np.allclose(*found, rtol=1e-13)


def test_it_differs_from_linear_in_first_order_of_the_deformation():
    """Twice the deformation and its rates make twice the difference of the bias forces."""
    linear, ruthless = chain("linear"), chain("ruthless")
    gaps = []
    for size in (1e-3, 2e-3):
        state, _ = moving(linear, deformation=size)
        v = state.v.copy()
        for i in range(linear.n_body):
            v[linear.layout.modal_v(i)] *= size
        gaps.append(ls.bias_force(linear, (state.q, v)) - ls.bias_force(ruthless, (state.q, v)))
    assert np.allclose(gaps[1], 2 * gaps[0], rtol=0, atol=0.02 * np.abs(gaps[1]).max())
    assert np.abs(gaps[0]).max() > 1e-4


def test_it_loses_momentum_in_first_order_of_the_deformation():
    """A free hub with a bent link that carries a body; no force acts from outside."""

    def loss(level, size):
        model = ls.Model("free")
        model.add(ls.RigidBody.box(2.0, (0.3, 0.3, 0.3)), ls.Free(), name="hub")
        model.add(BODIES[0], ls.Fixed(), to="hub", name="boom")
        model.add(
            ls.RigidBody.box(1.0, (0.2, 0.2, 0.2)), ls.Revolute("y"), to="boom.tip", name="load"
        )
        system = model.compile(level=level)
        v = np.concatenate([[0.3, 0.5, 0.7, 0.1, 0, 0], np.zeros(3), [0.4]])
        modes = {"boom.modes": size * np.array([1.0, -0.5, 0.3])}
        state, h = system.state(v=v, **modes), 1e-6
        vdot = ls.forward_dynamics(system, state, -stiff(system, state))
        q = state.q + h * ls.qdot(system, state)
        before, after = ls.momentum(system, state), ls.momentum(system, (q, v + h * vdot))
        return np.abs((after - before) / h).max()

    def stiff(system, state):
        """Forces that hold the modes against their stiffness, so that only motion is seen."""
        found = np.zeros(system.n_v)
        modes = system.layout.modal_v("boom")
        found[modes] = -system.bodies[1].stiffness * state["boom.modes"]
        return found

    assert loss("full", 0.1) < 1e-4
    assert loss("ruthless", 0.1) > 1e-2
    assert 1.8 < loss("ruthless", 0.02) / loss("ruthless", 0.01) < 2.2


def test_files_keep_the_level(tmp_path):
    model = ls.Model("beam")
    model.add(
        ls.beam(1.0, ls.Circle(0.02), ls.STEEL, bending=2, torsion=0, stretch=0, level="ruthless"),
        ls.Revolute("y"),
        name="b",
    )
    model.save(tmp_path / "beam.toml")
    system = ls.load(tmp_path / "beam.toml").compile()
    assert system.bodies[0].level == "ruthless"
    ls.simulate(system, duration=0.01, file=tmp_path / "run.nc", progress=False)
    assert ls.Trajectory.load(tmp_path / "run.nc").system.bodies[0].level == "ruthless"


def test_loops_and_symbols_are_refused():
    model = ls.Model("loop")
    model.add(
        ls.beam(1.0, ls.Circle(0.02), ls.STEEL, bending=2, torsion=0, stretch=0),
        ls.Revolute("z"),
        name="a",
    )
    with pytest.raises(ls.SymbolicError, match=r"body 'a'.*ruthless.*symbols.*linear"):
        ls.symbolic.derive(model, level="ruthless")
    model.add(
        ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0)), ls.Revolute("z"), at=(1.2, 0, 0), name="b"
    )
    model.close(ls.Revolute("z"), "a.tip", "b", at_b=(1, 0, 0), name="pin")
    with pytest.raises(ls.ModelError, match=r"body 'a'.*ruthless.*loops.*has 1.*linear"):
        model.compile(level="ruthless")
