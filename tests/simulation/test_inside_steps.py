"""What functions and events do inside adaptive steps is seen, however long the steps could be."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lissom as ls
from lissom.errors import LoadError, SimulationWarning
from tests.samples.mechanisms import free_mass


def clamped_beam() -> ls.System:
    model = ls.Model("beam")
    section = ls.Tube(radius=0.05, thickness=0.004)
    model.add(ls.beam(2.0, section, ls.ALUMINIUM, modes=4, damping=0.0), ls.Fixed(), name="beam")
    return model.compile()


MASS, BEAM = free_mass(), clamped_beam()


def blow_response(begin: float, end: float, force: float, times: np.ndarray) -> np.ndarray:
    """Deflection of the tip by Duhamel's integral over the vibrations."""
    body = BEAM.bodies[0]
    shapes = body.node_shapes[body.node_names["tip"], 5]
    M, K = ls.mass_matrix(BEAM, BEAM.neutral()), np.diag(body.stiffness)
    squares, vectors = np.linalg.eig(np.linalg.solve(M, K))
    scales = np.einsum("ik,ij,jk->k", vectors, M, vectors)
    rates, parts = np.sqrt(squares.real), (vectors.T @ shapes) ** 2 / scales
    since = [np.maximum(times[:, None] - t, 0.0) * rates for t in (begin, end)]
    return force * ((np.cos(since[1]) - np.cos(since[0])) * parts / rates**2).sum(axis=1)


@pytest.mark.parametrize("integrator", ["auto", "dopri5"])
def test_a_blow_of_five_milliseconds_on_a_beam_at_rest(integrator):
    def blow(t):
        return (0.0, 0.0, 100.0 if 0.5 <= t < 0.505 else 0.0)

    load = ls.NodeForce("beam.tip", blow)
    run = ls.simulate(BEAM, duration=2.0, loads=[load], integrator=integrator, output_step=0.01)
    expected = blow_response(0.5, 0.505, 100.0, run.time)
    assert np.abs(expected).max() > 1e-3
    assert run["beam.tip.position"][:, 2] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("width", [0.1, 0.01, 1e-3])
@pytest.mark.parametrize("integrator", ["auto", "generalized_alpha"])
def test_one_newton_second_is_one_metre_per_second(width, integrator):
    def push(t):
        return 1.0 / width if 0.3 < t <= 0.3 + width else 0.0

    load = ls.Actuator("mass", push)
    run = ls.simulate(MASS, duration=1.0, loads=[load], integrator=integrator, rtol=1e-6)
    allowed = 10 if integrator == "auto" else 30  # tolerances; the error of a jump is first order
    assert run["mass.rates"][-1, 0] == pytest.approx(1.0, abs=allowed * 1e-6)


def test_a_pulse_of_a_given_acceleration():
    def pulse(t):
        return 50.0 if 0.4 < t <= 0.42 else 0.0

    run = ls.simulate(MASS, duration=1.0, loads=[ls.Motion("mass", acceleration=pulse)])
    assert run["mass.rates"][-1, 0] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("close", [1e-2, 1e-4])
def test_a_narrow_bump_of_a_smooth_table(close):
    times = [0.0, 0.5 - close, 0.5, 0.5 + close, 1.0]
    table = ls.Table(times, [0.0, 0.0, 1.0, 0.0, 0.0], "smooth", clamped=True)
    pieces, widths = table.pieces()[:, 0], np.diff(table.times)
    whole = sum(
        p @ (w ** np.arange(4, 0, -1) / np.arange(4, 0, -1))
        for p, w in zip(pieces, widths, strict=True)
    )
    run = ls.simulate(MASS, duration=1.0, loads=[ls.Actuator("mass", table)])
    assert run["mass.rates"][-1, 0] == pytest.approx(whole, rel=1e-7)


def test_twenty_crossings_of_a_sawtooth():
    def sawtooth(t, state):
        return (20 * t + 0.25) % 1.0 - 0.5

    run = ls.simulate(MASS, duration=1.0, events=[ls.Event(sawtooth, (), direction=1)])
    assert [t for t, _ in run.events] == pytest.approx(np.arange(20) / 20 + 0.0125)


def test_a_coordinate_that_passes_its_mark_twice_in_a_step():
    """A ball that is thrown up passes a mark 2 mm below its highest point twice in 40 ms."""
    model = ls.Model("ball", gravity=(0, 0, -10.0))
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("z"), name="ball")
    ball = model.compile()
    mark = ls.Event("ball", (), value=5.0 - 2e-3)
    run = ls.simulate(ball, ball.state(**{"ball.rates": 10.0}), duration=2.0, events=[mark])
    assert [t for t, _ in run.events] == pytest.approx([1 - 0.02, 1 + 0.02], abs=1e-9)


def test_max_step_bounds_the_steps():
    assert ls.simulate(MASS, duration=1.0).statistics["largest_step"] <= 0.1 + 1e-12
    run = ls.simulate(MASS, duration=1.0, max_step=0.01)
    assert run.statistics["largest_step"] <= 0.01 + 1e-12
    with pytest.raises(LoadError, match="max_step is -1; expected a positive time"):
        ls.simulate(MASS, duration=1.0, max_step=-1)
    with pytest.raises(LoadError, match="max_step is 0.1 s and step is 0.01 s"):
        ls.simulate(MASS, duration=1.0, step=0.01, max_step=0.1)


def test_looking_inside_changes_nothing_where_nothing_happens():
    """A function that is smooth costs looks, no further steps."""
    smooth = ls.simulate(MASS, duration=1.0, loads=[ls.Actuator("mass", lambda t: np.sin(3 * t))])
    assert smooth.statistics["rejected_steps"] == 0
    assert smooth.statistics["steps"] < 80


def test_a_pulse_within_a_fixed_step_is_told():
    seen = ls.Actuator("mass", lambda t: 1.0 if 0.303 < t < 0.306 else 0.0)
    with pytest.warns(SimulationWarning, match=r"an error of about 0\.0002 .* near t = 0.30"):
        run = ls.simulate(MASS, duration=1.0, step=0.01, loads=[seen])
    assert abs(run.v[-1, 0] - 0.003) < 2e-4
    hidden = ls.Actuator("mass", lambda t: 1.0 if 0.3026 < t < 0.3049 else 0.0)
    with pytest.warns(SimulationWarning, match=r"Actuator on 'mass'.* near t = 0.30[2-4]"):
        ls.simulate(MASS, duration=1.0, step=0.01, loads=[hidden])
    smooth = ls.Actuator("mass", lambda t: np.sin(3 * t))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.simulate(MASS, duration=1.0, step=0.01, loads=[smooth])


def test_forces_below_all_that_counts():
    """Of the flank of a bump that is far away squares underflow; steps must not creep there."""
    load = ls.Actuator("mass", lambda t: np.exp(-(((t - 0.9) / 0.01) ** 2)))
    run = ls.simulate(MASS, duration=1.0, loads=[load])
    assert run["mass.rates"][-1, 0] == pytest.approx(0.01 * np.sqrt(np.pi), rel=1e-7)
    assert run.statistics["steps"] < 500
