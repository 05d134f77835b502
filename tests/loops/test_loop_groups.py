"""Loops that scale: rows of windows and ladders, and groups of loops eliminated at their nodes."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from benchmarks.loop_rows import ladder, ladder_state, window_row, window_state
from lissom.algorithms.loops import packing
from lissom.algorithms.loops.closed_loops import (
    constrained_dynamics,
    loop_motions,
    loop_wrenches,
)
from lissom.algorithms.tree.packing import pack
from lissom.algorithms.tree.reference import kinematics_base_to_tip
from lissom.kernels import fields as field
from tests.tools.loop_comparison import check_looped_seed


@pytest.fixture
def nested(monkeypatch):
    """Groups of loops are eliminated at their nodes in every system."""
    monkeypatch.setattr(packing, "LEAST_NESTED", 0)
    monkeypatch.setattr(packing, "WIDEST", 1.0)


def header(system):
    ints = pack(system).ints
    return ints, ints[ints[field.LOOPS] :]


def envelope_size(system):
    """Entries of Lambda that the sweeps store."""
    ints, loops = header(system)
    n, start = loops[field.N_SOLVED], loops[field.ENVELOPE]
    first = ints[start : start + field.ENVELOPE_ROW * n : field.ENVELOPE_ROW]
    return int(np.sum(np.arange(n) + 1 - first))


@pytest.mark.parametrize("mechanism", [window_row, ladder])
def test_the_work_per_window_is_that_of_a_short_row(mechanism):
    sizes = [envelope_size(mechanism(n)) / n for n in (15, 60)]
    assert max(sizes) < 1.2 * min(sizes)


def test_pins_of_a_planar_linkage_have_two_unknowns():
    _, loops = header(window_row(3))
    assert (loops[field.N_COLUMN], loops[field.N_SOLVED]) == (15, 6)


def test_a_ladder_is_eliminated_window_by_window():
    _, loops = header(ladder(15))
    assert loops[field.N_GROUP] == 16


@pytest.mark.parametrize("make, start", [(window_row, window_state), (ladder, ladder_state)])
def test_long_rows_agree_with_the_reference(make, start):
    system = make(14)
    state = start(system, 0.3, 0.7)
    forces = np.random.default_rng(3).standard_normal(system.n_v)
    motions = kinematics_base_to_tip(system, state.q, state.v)
    expected, lam = constrained_dynamics(system, motions, forces)
    for method in ("articulated", "composite"):
        found = ls.forward_dynamics(system, state, forces, method=method)
        np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())
    wrenches = loop_wrenches(system, loop_motions(system, motions), lam)
    found = ls.loop_forces(system, state, forces)
    np.testing.assert_allclose(found, wrenches, atol=1e-10 * np.abs(wrenches).max())


@pytest.mark.parametrize("seed", range(5))
def test_groups_agree_with_the_particle_model(seed, nested):
    failures = check_looped_seed(seed).failures
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("settings", [
    {"rtol": 1e-9},
    {"integrator": "generalized-alpha", "step": 2e-3},
])  # fmt: skip
def test_a_ladder_moves_the_same_with_and_without_groups(settings, monkeypatch):
    runs = []
    for least in (24, 10**9):
        monkeypatch.setattr(packing, "LEAST_NESTED", least)
        system = ladder(12)
        start = ladder_state(system, 0.2, 0.5)
        runs.append(ls.simulate(system, start, duration=0.4, output_step=0.1, **settings))
    bound = 1e-7 if "rtol" in settings else 1e-9
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=bound)
    assert np.abs(runs[0]["pin3.gap"]).max() < 1e-11
    assert np.abs(runs[0]["pin3.rate"]).max() < 1e-10


def test_a_ladder_passes_flat_windows():
    """Free windows that fold flat one after another keep energy and momentum."""
    system = ladder(12)
    start = ladder_state(system, np.pi / 2 - 0.05, 1.0)
    run = ls.simulate(system, start, duration=0.15, rtol=1e-9)
    assert run.status == "finished"
    assert np.abs(run["left0"]).max() > np.pi / 2
    assert np.ptp(run.energy.total) < 1e-6 * run.energy.kinetic[0]


def test_windows_on_the_nodes_of_a_flexible_boom(nested):
    """A group on each of two nodes, another on the first rung, a coupling inside a group."""
    model = ls.Model("boom", gravity=(0, 0, -9.81))
    boom = ls.beam(3.0, ls.Rectangle(0.05, 0.04), ls.ALUMINIUM, bending=2, torsion=1)
    bar = ls.RigidBody.box(1.0, (1.0, 0.1, 0.1), com=(0.5, 0, 0))
    model.add(boom, ls.Revolute("y"), name="boom")
    for node in ("tip", "2"):
        one, two, top = (f"{part}{node}" for part in ("left", "right", "top"))
        model.add(bar, ls.Revolute("z"), to=f"boom.{node}", name=one)
        model.add(bar, ls.Revolute("z"), to=f"boom.{node}", at=(0, 0.5, 0), name=two)
        model.add(bar, ls.Revolute("z"), to=one, at=(1, 0, 0), name=top)
        model.close(ls.Spherical(), two, top, at_a=(1, 0, 0), at_b=(0.5, 0, 0), name=f"pin{node}")
    model.add(bar, ls.Revolute("x"), to="toptip", at=(1, 0, 0), name="wheel")
    model.add(bar, ls.Revolute("x"), to="toptip", at=(0.7, 0, 0), name="pinion")
    model.couple({"wheel": 1.0, "pinion": 3.0}, name="gear")
    system = model.compile()
    _, loops = header(system)
    assert loops[field.N_GROUP] == 4
    rng = np.random.default_rng(5)
    state = ls.assemble(
        system, system.state(v=0.3 * rng.standard_normal(system.n_v), toptip=1.5, top2=1.5)
    )
    forces = rng.standard_normal(system.n_v)
    motions = kinematics_base_to_tip(system, state.q, state.v)
    expected, _ = constrained_dynamics(system, motions, forces)
    for method in ("articulated", "composite"):
        found = ls.forward_dynamics(system, state, forces, method=method)
        np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())
