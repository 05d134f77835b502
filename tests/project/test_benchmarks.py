"""The mechanisms of the library and the benchmarks made of them; quick runs only."""

from __future__ import annotations

import importlib
import math
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import lissom as ls
from benchmarks import MODULES, figures, run as repository, run_benchmark, show
from benchmarks.cases import moving_case
from benchmarks.counts import paper
from benchmarks.counts.counting import Counts, counted, counting, counting_array
from benchmarks.depth import QUICK, Depth
from benchmarks.peers import twins as peers
from benchmarks.peers.result import PeerRun
from benchmarks.provenance import ROOT
from benchmarks.report import markdown_requirements, markdown_table
from benchmarks.result import Requirement, Table
from benchmarks.simulation.own_runs import best_runs, link_places, own_run
from benchmarks.simulation.swinging_tables import way_table
from benchmarks.timing import best_times, merge_best
from lissom.library import flexible_chain, humanoid, rigid_chain, turned_chain
from tests.references.peers import peer
from tests.tools.benchmark_checks import check_json, check_result

RIGID = (rigid_chain, turned_chain, humanoid)
SMOKE = ("rigid", "simulate-flexible", "drift")  # `tests.verify_benchmarks` runs all of them


@pytest.fixture(scope="module")
def results():
    return {name: run_benchmark(name, QUICK, lambda what, done, total: None) for name in SMOKE}


@pytest.mark.parametrize("make", RIGID)
@pytest.mark.parametrize("n", (1, 2, 7, 30, 101))
def test_rigid_mechanisms_have_as_many_joints_as_asked(make, n):
    system = make(n).compile()
    assert (system.n_body, system.n_q, system.n_v) == (n, n, n)
    assert np.array_equal(system.gravity, [0, 0, -9.81])


def test_rigid_chain_is_aligned_and_turned_chain_nowhere():
    assert np.array_equal(rigid_chain(5).compile().frame_rotation, [np.eye(3)] * 5)
    turned = turned_chain(5).compile().frame_rotation
    assert np.abs(turned).min() > 1e-3
    assert np.array_equal(turned, turned_chain(5).compile().frame_rotation)
    assert not np.array_equal(turned, turned_chain(5, seed=1).compile().frame_rotation)


def test_humanoid_branches_at_pelvis_chest_and_hands():
    system = humanoid(50, floating=True).compile()
    carried = {system.names[i]: len(c) for i, c in enumerate(system.children)}
    branches = {name: n for name, n in carried.items() if n > 1}
    assert branches == {"pelvis": 3, "torso3": 3, "left_arm7": 5, "right_arm7": 5}
    assert (system.n_q, system.n_v) == (57, 56)


def test_humanoid_is_symmetric_where_its_joints_are_even_in_number():
    for n in (7, 50, 100, 300):
        names = humanoid(n).compile().names
        left = [name.removeprefix("left_") for name in names if name.startswith("left_")]
        right = [name.removeprefix("right_") for name in names if name.startswith("right_")]
        assert left == right


def test_flexible_chain_without_modes_has_the_same_mass():
    masses = [sum(b.mass for b in flexible_chain(3, m).compile().bodies) for m in (0, 1, 4)]
    assert masses == pytest.approx([masses[0]] * 3)
    assert flexible_chain(3, 4).compile().n_v == 15
    assert {b.level for b in flexible_chain(2, 2, "full").compile().bodies} == {"full"}


@pytest.mark.parametrize("n", (0, -1, 2.5, "7", True, None))
def test_number_of_links_is_checked(n):
    for make in (*RIGID, lambda k: flexible_chain(k, 2), lambda k: flexible_chain(2, k or -1)):
        with pytest.raises(ls.ModelError, match="whole number"):
            make(n)


@pytest.mark.peer
@pytest.mark.parametrize("make", RIGID)
@pytest.mark.parametrize("n", (1, 7, 30))
@pytest.mark.parametrize("name", ("pin", "mujoco"))
def test_twins_agree_with_lissom(name, make, n):
    peer(name)
    case = moving_case(make(n), size=2)
    twin = {"pin": peers.Pinocchio, "mujoco": peers.Mujoco}[name](case.model)
    assert peers.disagreement(case, twin) < 1e-12


@pytest.mark.peer
def test_calls_that_are_timed_give_the_same_numbers():
    peer("pin")
    case = moving_case(turned_chain(9), size=4)
    calls = peers.Pinocchio(case.model).calls(case)
    vdot = ls.forward_dynamics(case.system, case.state, case.forces)
    tau = ls.inverse_dynamics(case.system, case.state, case.forces)
    M = ls.mass_matrix(case.system, case.state)
    expected = {"forward dynamics": vdot, "inverse dynamics": tau, "mass matrix": M}
    for (quantity, form), (call, states) in calls.items():
        given = call()
        if form == "batch":
            given = call.args[-1][:, 0]
        assert states == (4 if form == "batch" else 1)
        assert np.allclose(given, expected[quantity], rtol=1e-9, atol=1e-9), (quantity, form)


@pytest.mark.peer
def test_a_twin_that_computes_something_else_is_not_timed():
    peer("pin")
    case = moving_case(rigid_chain(3), size=1)
    with pytest.raises(peers.PeerError, match="differ by"):
        peers.check_twin(case, peers.Pinocchio(turned_chain(3)))


def test_flexible_bodies_are_not_translated():
    peer("pin")
    with pytest.raises(peers.PeerError, match="'link0'.*rigid bodies on revolute"):
        peers.Pinocchio(flexible_chain(1, 2))


def test_bodies_must_come_depth_first():
    peer("pin")
    model = ls.Model("cross")
    for name, to in (("a", None), ("b", None), ("c", "a")):
        model.add(ls.RigidBody(1.0, inertia=1.0), ls.Revolute("x"), name=name, to=to)
    with pytest.raises(peers.PeerError, match="depth first"):
        peers.Mujoco(model)


def test_missing_peer_is_reported_and_with_ci_an_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    monkeypatch.setenv("CI", "")
    assert not peers.installed("pin")
    result = run_benchmark("rigid", QUICK, lambda what, done, total: None)
    assert "Not installed here: Pinocchio" in result.about
    assert {r.met for r in result.requirements} == {None}
    monkeypatch.setenv("CI", "true")
    with pytest.raises(peers.PeerError, match="'pin' cannot be imported"):
        peers.installed("pin")


@pytest.mark.parametrize("name", ("simulate-rigid", "simulate-flexible"))
def test_simulations_run_without_the_other_libraries(name, monkeypatch):
    for module in ("pinocchio", "mujoco", "exudyn"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setenv("CI", "")
    result = run_benchmark(name, QUICK, lambda what, done, total: None)
    for library in ("Pinocchio", "MuJoCo", "Exudyn"):
        assert library in result.about.split("Not installed here: ")[1]
    assert {r.met for r in result.requirements} == {None}


@pytest.mark.peer
def test_rigid_chains_that_move_differently_are_not_compared(monkeypatch):
    peer("mujoco")
    from benchmarks.simulation import rigid as simulate_rigid

    others = simulate_rigid.rigid_peers(4)
    monkeypatch.setattr(simulate_rigid, "rigid_peers", lambda n: {"MuJoCo": others["MuJoCo"]})
    with pytest.raises(peers.PeerError, match="MuJoCo and lissom differ by"):
        simulate_rigid.run(QUICK, lambda what, done, total: None)


def test_errors_of_flexible_simulations_fall_with_the_step(results):
    """Of each curve with steps or tolerances, the finest point is the most accurate."""
    curves = {}
    for r in results["simulate-flexible"].records:
        key = (r["library"], r["model"], r["method"], r["kind"])
        curves.setdefault(key, []).append((r["value"], r["tip"], r["bow"]))
    assert {key[1] for key in curves} >= {"4 modes", "segments"}
    for key, points in curves.items():
        points.sort()
        assert points[0][1] == min(tip for _, tip, _ in points), key


def test_the_spacecraft_vibrates_smoothly_and_hardly_drifts_where_it_is_resolved(results):
    from benchmarks.drift import VIBRATION, spacecraft

    system, state = spacecraft()
    still = ls.simulate(system, state, duration=0.2, rtol=1e-10, output_step=0.01)
    assert np.max(still.energy.strain) == pytest.approx(2 * VIBRATION, rel=0.1)
    drift = {(r["method"], r["setting"]): r for r in results["drift"].records}
    accurate, lossy = drift["dop853", "rtol 1e-10"], drift["linearly_implicit_euler", "5 ms"]
    assert max(map(abs, accurate["energy"] + accurate["momentum"])) < 1e-11
    assert max(map(abs, lossy["energy"])) > 0.01


def test_runs_take_turns_and_the_fastest_is_kept():
    seconds = {"a": [3.0, 1.0, 2.0], "b": [6.0, 5.0, 7.0]}
    order, told = [], []

    def call(name):
        order.append(name)
        return PeerRun(name, seconds[name].pop(0), np.arange(2.0), np.zeros((2, 1, 3)))

    calls = {name: (lambda name=name: call(name)) for name in seconds}
    calls["unstable"] = lambda: order.append("u")
    best = best_runs(calls, 3, lambda *visits: told.append(visits))
    assert {name: run.cost for name, run in best.items()} == {"a": 1.0, "b": 5.0}
    assert "".join(order) == "abuabab"
    assert told == [(k, 9) for k in range(9)]


def test_a_run_that_ends_early_is_no_run():
    from lissom.library import swinging_links

    system = swinging_links(2, 4).compile()
    ways = {"duration": 0.4, "output_step": 0.02, "step": 0.02}
    assert own_run(system, link_places(system), integrator="rk4", **ways) is None
    run = own_run(system, link_places(system), integrator="generalized_alpha", **ways)
    assert run.seconds > 0 and run.ends.shape == run.middles.shape == (21, 2, 3)
    assert run.statistics["steps"] == 20


def test_cheaper_ways_of_others_are_named():
    shared = {"model": "4 modes", "kind": "step", "value": 1.0, "setting": "1 ms", "bow": 0.0}
    rows = [("lissom", "rk4", 2.0, 1e-7), ("lissom", "x", 1.0, 1e-4), ("Exudyn", "y", 1.5, 1e-6)]
    records = [
        shared | {"library": library, "method": method, "seconds": seconds, "tip": tip}
        for library, method, seconds, tip in rows
    ]
    table = way_table(records, ["4 modes"], "tip", 1e-4)
    assert table.header[1:] == ("lissom, 4 modes", "Exudyn, 4 modes", "cheapest")
    assert [row[-1] for row in table.rows] == [
        *["lissom, 4 modes"] * 2,
        *["Exudyn, 4 modes"] * 2,
        "lissom, 4 modes",
    ]
    assert "lissom's 4 modes: Exudyn, 4 modes at 1e-05, 1e-06 m." in table.note


def test_calls_take_turns_and_the_smallest_time_counts():
    """Two calls to find how many make a visit, then one in each visit, are not counted."""
    seconds = {
        "a": [1.0, 9.0, 1.0, 3.0, 1.0, 5.0, 1.0, 4.0],
        "b": [1.0, 8.0, 1.0, 7.0, 1.0, 6.0, 1.0, 9.0],
    }
    now, order = [0.0], []

    def call(name):
        order.append(name)
        now[0] += seconds[name].pop(0)

    calls = {name: (lambda name=name: call(name)) for name in seconds}
    told = []
    best = best_times(
        calls,
        Depth("quick", rounds=3, visit=1.0),
        clock=lambda: now[0],
        progress=lambda *visits: told.append(visits),
    )
    assert best == {"a": 3.0, "b": 6.0}
    assert "".join(order) == "aabb" + 3 * "aabb"
    assert told == [(k, 6) for k in range(1, 7)]


def test_short_calls_are_repeated_until_a_visit_is_full():
    made = []
    best = best_times(
        {"x": lambda: made.append(1)},
        Depth("quick", rounds=1, visit=0.05),
        clock=lambda: 1e-3 * len(made),
    )
    assert best["x"] == pytest.approx(1e-3)
    assert len(made) > 2 * 50


def test_visits_within_a_tick_of_the_clock_are_made_longer():
    made = []
    best = best_times(
        {"x": lambda: made.append(1)},
        Depth("quick", rounds=3, visit=1e-6),
        clock=lambda: 0.01 * (len(made) // 7),
    )
    assert 0.01 / 14 <= best["x"] <= 0.01


def test_best_of_several_passes():
    assert merge_best({"a": 2.0}, {"a": 1.0, "b": 3.0}) == {"a": 1.0, "b": 3.0}


def test_operations_are_counted_in_a_small_function():
    def rotated(A, x, angle):
        s, c = math.sin(angle[0]), math.cos(angle[0])
        y = np.array([0.0, 0.0], dtype=object)
        for i in range(2):
            for j in range(2):
                y[i] += A[i, j] * x[j]
        return (c * y[0] - s * y[1]) / 2.0, -(s * y[0]) + abs(c * y[1])

    A, x, angle = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, -0.25]), np.array([0.3])
    with counting() as counts:
        found = rotated(*(counting_array(a, counts) for a in (A, x, angle)))
    assert counts == Counts(additions=4 + 2, multiplications=4 + 4, divisions=1, functions=2)
    assert counts.total == 17
    assert [float(z) for z in found] == rotated_floats(A, x, 0.3)
    assert math.sin(0.0) == 0.0 and isinstance(math.sin(0.0), float)


def rotated_floats(A, x, angle):
    y = [sum((float(A[i, j] * x[j]) for j in range(2)), 0.0) for i in range(2)]
    s, c = math.sin(angle), math.cos(angle)
    return [(c * y[0] - s * y[1]) / 2.0, -(s * y[0]) + abs(c * y[1])]


def test_kernels_are_counted_and_articulated_ones_grow_linearly():
    """Equal steps of bodies and of modes cost equal operations once the first are past."""
    program = (
        "from benchmarks.counts.kernels import count_forward_dynamics as counted\n"
        "for n, m in ((3, 2), (4, 2), (5, 2), (2, 2), (2, 4), (2, 6)):\n"
        "    print(counted(n, m, 'articulated').total)"
    )
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True, check=True)
    totals = list(map(int, done.stdout.split()))
    by_bodies, by_modes = totals[:3], totals[3:]
    assert by_bodies[2] - by_bodies[1] == pytest.approx(by_bodies[1] - by_bodies[0], rel=0.05)
    assert by_modes[2] - by_modes[1] == pytest.approx(by_modes[1] - by_modes[0], rel=0.05)
    both = counted(3, 2, ["articulated", "composite"])
    assert both["articulated"].total == by_bodies[0] != both["composite"].total > 0


def test_counts_of_the_paper_give_its_claims():
    ratios = [paper.composite(10, n) / paper.articulated(10, n) for n in (5, 10)]
    assert np.round(ratios, 2).tolist() == [3.68, 7.27]
    cheaper = [paper.explicit(n) < paper.indirect(n) for n in range(1, 20)]
    assert cheaper == [n <= 7 for n in range(1, 20)]


@pytest.mark.parametrize("name", SMOKE)
def test_results_are_whole_and_can_be_drawn_and_written(results, name, tmp_path):
    check_result(results[name], name, tmp_path)


def test_requirement_is_met_in_its_own_sense():
    least = Requirement("k", "speed", "at least", 2.0, 2.5, "here", "×")
    most = replace(least, bound="at most", aim=True)
    assert (least.met, most.met, replace(least, measured=None).met) == (True, False, None)
    assert least.row() == ("speed", "required", "at least 2×", "2.5×", "here", "yes")
    text = markdown_requirements([least, most, replace(most, measured=None)])
    assert [line.split(" | ")[-1] for line in text.splitlines()[2:]] == [
        "yes |",
        "no |",
        "not measured |",
    ]


def test_empty_table_keeps_its_note():
    assert markdown_table(Table("T", ("a",), (), "There is none.")).endswith("There is none.\n")


def test_page_names_every_bound_and_says_why_one_is_missed(results, monkeypatch):
    missed = Requirement("k", "speed of light", "at least", 2.0, 1.0)
    shown = [*results.values(), replace(results["rigid"], requirements=(missed,))]
    monkeypatch.setattr(repository, "LIMITS", {"k": "Nothing is faster."})
    made = repository.made(QUICK)
    text = repository.page([(result, made) for result in shown], QUICK, "## Operators\n")
    assert "**speed of light**: missed by 50 %. Nothing is faster." in text
    for result in results.values():
        assert f"## {result.title}\n" in text
        assert all(f"({name})" in text for name in figures.file_names(result))
        assert all(wanted.what in text for wanted in result.requirements)
    assert "| commit |" in text and "| packages | lissom" in text


def test_show_writes_json(results, monkeypatch, capsys):
    monkeypatch.setattr(show, "run_benchmark", lambda name, *_, **__: results[name])
    assert show.main(["rigid", "--quick", "--json"]) == 0
    check_json(capsys.readouterr().out, "rigid")


def test_every_benchmark_has_its_function_and_its_figures():
    for name, module in MODULES.items():
        assert callable(importlib.import_module(f"benchmarks.{module}").run)
        assert figures.DRAWINGS[name] or name == "starts"  # a table of three rows


def test_show_measures_and_prints_tables(capsys):
    assert show.main(["flexible", "--quick"]) == 0
    shown = capsys.readouterr()
    assert "Flexible mechanisms" in shown.out and "2 modes" in shown.out
    assert "measuring: flexible" in shown.err


@pytest.mark.parametrize(
    "arguments, words",
    (
        (["speed"], "there is no benchmark 'speed'; known: rigid, "),
        (["--quick", "--full"], "not allowed with argument"),
        (["rigid", "--cases", "1"], "options of order-n only"),
        (["--duration", "3"], "options of order-n only"),
        (["order-n", "--cases", "one"], "'one'; expected numbers, such as 13,16"),
    ),
)
def test_wrong_words_to_show_are_refused(arguments, words, capsys):
    with pytest.raises(SystemExit) as end:
        show.main(arguments)
    assert end.value.code == 2 and words in capsys.readouterr().err


def test_a_peer_that_is_missed_ends_in_one_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    monkeypatch.setenv("CI", "true")
    assert show.main(["rigid", "--quick"]) == 1
    assert "\n'pin' cannot be imported" in capsys.readouterr().err
