"""Eigenvalues of one instant are not taken for those of a motion whose equations change."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lissom as ls

RATE = 2.0
FREE_HUB = {"x": 100.0, "y": 100.0}


def rotor(blades, hub):
    """Blades on lag hinges around a hub on springs, as in ground resonance.

    Parameters
    ----------
    blades : int
        Number of blades.
    hub : dict
        Springs of the hub along x and y [N/m]; none: it stands.
    """
    model = ls.Model("rotor")
    to = {}
    for axis in hub:
        model.add(ls.RigidBody.box(6.0, (1, 1, 1)), ls.Prismatic(axis), name=axis, **to)
        to = {"to": axis}
    model.add(ls.RigidBody.box(3.0, (1, 1, 1)), ls.Revolute("z"), name="rotor", **to)
    blade = ls.RigidBody.rod(1.0, 2.0, com=(1.0, 0, 0))
    for k in range(blades):
        angle = 2 * np.pi * k / blades
        root = (0.3 * np.cos(angle), 0.3 * np.sin(angle), 0)
        turn = {"axis": "z", "angle": angle}
        model.add(blade, ls.Revolute("z"), to="rotor", at=root, rotation=turn, name=f"blade{k}")
    loads = [ls.JointSpring(axis, stiffness) for axis, stiffness in hub.items()]
    loads += [ls.JointSpring(f"blade{k}", 2.0) for k in range(blades)]
    return model.compile(), loads


def spinning(system):
    return system.state(**{"rotor.rates": RATE})


def multipliers(system, loads):
    """Eigenvalues of what a turn makes of small pushes, from runs: those of the motion itself."""
    state, period = spinning(system), 2 * np.pi / RATE
    loads = [*loads, ls.Motion("rotor", velocity=RATE)]
    place = system.layout.hinge_v("rotor").start
    free = [k for k in range(system.n_v) if k != place]
    columns, push = [], 1e-5
    for vector in ("q", "v"):
        for k in free:
            ends = []
            for sign in (1, -1):
                parts = {"q": state.q.copy(), "v": state.v.copy()}
                parts[vector][k] += sign * push
                run = ls.simulate(
                    system, system.state(**parts), duration=period, loads=loads, output_step=period
                )
                ends.append(np.concatenate([run.q[-1][free], run.v[-1][free]]))
            columns.append((ends[0] - ends[1]) / (2 * push))
    return np.linalg.eigvals(np.transpose(columns))


def apart(eigenvalues, expected):
    """Largest distance of one of the expected numbers from the nearest eigenvalue."""
    both = np.concatenate([eigenvalues, eigenvalues.conj()])
    return max(np.abs(both - value).min() for value in expected)


def texts_of(function):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        result = function()
    return result, [str(one.message) for one in said if "the equations change" in str(one.message)]


@pytest.mark.parametrize("blades", [1, 3])
def test_blades_on_a_rigid_hub_have_the_eigenvalues_of_their_motion(blades):
    system, loads = rotor(blades, {})
    table, texts = texts_of(lambda: ls.modes(system, spinning(system), loads=loads, held=["rotor"]))
    assert texts == []
    turned = np.exp(table.eigenvalues * 2 * np.pi / RATE)
    assert apart(turned, multipliers(system, loads)) < 1e-5
    for function in (ls.linearize, ls.trim):
        _, texts = texts_of(
            lambda f=function: f(system, spinning(system), loads=loads, held=["rotor"])
        )
        assert texts == []


def test_blades_on_a_hub_that_moves_do_not_and_it_is_said():
    """A symmetric rotor: all instants have the same eigenvalues, and the motion has others."""
    system, loads = rotor(3, FREE_HUB)
    state = spinning(system)
    options = {"loads": loads, "held": ["rotor"]}
    table, texts = texts_of(lambda: ls.modes(system, state, **options))
    there = system.state(rotor=0.7, **{"rotor.rates": RATE})
    later, _ = texts_of(lambda: ls.modes(system, there, **options))
    assert np.allclose(later.eigenvalues, table.eigenvalues)
    turned = np.exp(table.eigenvalues * 2 * np.pi / RATE)
    assert apart(turned, multipliers(system, loads)) > 0.1
    assert len(texts) == 1
    assert "hinge rate 0 of body 'rotor' goes on at 2" in texts[0]
    assert "one instant" in texts[0]
    _, texts = texts_of(lambda: ls.linearize(system, state, **options))
    assert len(texts) == 1
    _, texts = texts_of(
        lambda: ls.mode_sweep(
            system, [0.0, 0.5, 1.0, 2.0], joint="rotor", rates=True, loads=loads, n=3
        )
    )
    assert len(texts) == 1
    assert texts[0].startswith("at rotor angle [rad/s] = ")


def test_the_spectrum_of_a_run_has_the_frequencies_of_the_motion():
    """The remedy: the hub of the rotor after a push, and its lines beside the multipliers."""
    system, loads = rotor(3, FREE_HUB)
    state = spinning(system)
    pushed = state.replace(v=state.v + np.where(np.arange(system.n_v) == 0, 1e-3, 0.0))
    run = ls.simulate(
        system,
        pushed,
        duration=400.0,
        loads=[*loads, ls.Motion("rotor", velocity=RATE)],
        output_step=0.1,
        integrator="rk4",
        step=0.02,
    )
    y = run["x.coordinates"][:, 0]
    lines = np.abs(np.fft.rfft(y * np.hanning(len(y))))
    peaks = np.flatnonzero((lines[1:-1] > lines[:-2]) & (lines[1:-1] > lines[2:])) + 1
    peaks = peaks[lines[peaks] > 0.05 * lines.max()]
    omega = 2 * np.pi * np.fft.rfftfreq(len(y), 0.1)[peaks]
    turned = np.exp(1j * omega * 2 * np.pi / RATE)
    expected = multipliers(system, loads)
    resolution = 2 * np.pi / 400.0 * 2 * np.pi / RATE
    assert len(peaks) >= 2
    assert apart(np.concatenate([expected, expected.conj()]), turned) < resolution


def test_a_disc_that_is_not_symmetric_is_noticed_and_a_symmetric_one_is_not():
    """On a gimbal: only the inertia across the axis depends on the angle of the disc."""
    for inertia, count in (((0.1, 0.1, 0.2), 0), ((0.1, 0.15, 0.2), 1)):
        model = ls.Model("gyroscope")
        model.add(ls.RigidBody.box(0.1, (0.1, 0.1, 0.1)), ls.Universal("x", "y"), name="gimbal")
        disc = ls.RigidBody(1.0, inertia=np.diag(inertia))
        model.add(disc, ls.Revolute("z"), to="gimbal", name="disc")
        system = model.compile()
        loads = [ls.JointSpring("gimbal", [5.0, 5.0])]
        state = system.state(**{"disc.rates": 10.0})
        _, texts = texts_of(lambda s=system, x=state, f=loads: ls.modes(s, x, loads=f))
        assert len(texts) == count


def test_speeds_that_are_noise_do_not_turn_anything():
    """A state from the end of a run that has settled, and an arm that hardly moves."""
    model = ls.Model("arm")
    tube = ls.Tube(radius=0.03, thickness=0.002)
    beam = ls.beam(1.0, tube, ls.ALUMINIUM, bending=2, torsion=0, stretch=0)
    model.add(beam, ls.Revolute("z"), name="upper")
    model.add(beam, ls.Revolute("z"), to="upper.tip", name="lower")
    system = model.compile()
    loads = [ls.JointSpring("upper", 1e3), ls.JointSpring("lower", 1e3)]
    noise = 1e-9 * np.random.default_rng(0).normal(size=system.n_v)
    for state in (system.state().replace(v=noise), system.state(**{"lower.rates": 1e-3})):
        for function in (ls.modes, ls.linearize):
            _, texts = texts_of(lambda f=function, x=state: f(system, x, loads=loads))
            assert texts == []
