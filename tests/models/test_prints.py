"""Prints and messages of large mechanisms have a bounded length, and say what they leave out."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
import lissom.cli as cli
from lissom.errors import MOST_LINES, MOST_LISTED, name_list, printable, suggestion
from lissom.system.tree import printed_tree

N = 300  # bodies: more than any print shows


@pytest.fixture(scope="module")
def chain():
    return ls.library.rigid_chain(N)


@pytest.fixture(scope="module")
def system(chain):
    return chain.compile()


def star(n):
    """Many bodies, loops and couplings on the ground."""
    model = ls.Model("star")
    for k in range(2 * n):
        model.add(ls.RigidBody(1, com=(1, 0, 0)), ls.Revolute("y"), name=f"arm{k}")
    for k in range(n):
        model.close(ls.Fixed(), f"arm{k}", None, name=f"loop{k}")
        model.couple({f"arm{n + k}": 1.0}, name=f"gear{k}")
    return model


def test_prints_are_bounded_in_lines_and_width(chain, system):
    left = N - MOST_LINES
    for thing in (chain, system, system.neutral(), system.layout):
        lines = repr(thing).splitlines()
        assert len(lines) <= 2 * MOST_LINES + 2  # a state has two lines for a body
        assert max(map(len, lines)) <= 80
        assert f"... and {left} more bodies" in lines[-1]


def test_loops_and_couplings_are_counted_too():
    model = star(MOST_LINES + 3)
    system = model.compile()
    for thing in (model, system):
        text = repr(thing)
        assert len(text.splitlines()) <= 3 * MOST_LINES + 6
        assert "... and 3 more loops" in text and "... and 3 more couplings" in text


def test_closures_are_counted_too():
    model = ls.Model("rods")
    for k in range(MOST_LINES + 3):
        model.add(ls.RigidBody(1, com=(1, 0, 0)), ls.Revolute("y"), name=f"arm{k}")
        model.couple({f"arm{k}": 1.0}, name=f"gear{k}")
    system = model.compile()
    text = repr(ls.closure(system, system.neutral()))
    assert "... and 3 more of them" in text and len(text.splitlines()) <= MOST_LINES + 3


def test_a_small_system_is_printed_whole():
    system = ls.library.rigid_chain(MOST_LINES).compile()
    assert len(repr(system).splitlines()) == MOST_LINES + 2 and "more" not in repr(system)


def test_a_whole_tree_can_be_asked_for_and_is_not_as_wide_as_deep(system):
    lines = printed_tree(system, None).splitlines()
    assert len(lines) == N + 2 and max(map(len, lines)) <= 80
    assert lines[-1].startswith("   └ link299 ")


def test_trees_fit_80_columns_and_keep_all_names():
    """Many levels with two children each, long names and axes, modes: levels are counted then."""
    model, to = ls.Model("comb"), None
    boom = ls.beam(1.0, ls.Tube(0.02, 0.001), ls.STEEL, bending=2)
    for k in range(14):
        model.add(boom, ls.Revolute((1, 2, 3)), to=to, name=f"part_number_{k}")
        model.add(ls.RigidBody(1.0), ls.Fixed(), to=f"part_number_{k}.tip", name=f"load{k}")
        to = f"part_number_{k}.tip"
    system = model.compile()
    text = printed_tree(system, None)
    assert max(map(len, text.splitlines())) <= 80
    assert all(name in text for name in system.names) and "level 12" in text


def test_names_that_are_cut_keep_their_ends():
    model, words = ls.Model("long"), "a_name_of_more_than_eighty_characters_" * 2
    for k in range(12):
        model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute((1, 2, 3)), name=f"{words}{k}")
    lines = printed_tree(model.compile()).splitlines()[2:]
    assert [line.split()[1].rpartition("_")[2] for line in lines] == [str(k) for k in range(12)]
    assert max(map(len, lines)) <= 80


def test_an_only_child_in_a_deep_tree_needs_no_branch():
    model, to = ls.Model("pair"), None
    for k in range(10):
        model.add(ls.RigidBody(1.0), ls.Fixed(), to=to, name=f"a{k}")
        to = f"a{k}"
    for name in "bc":
        model.add(ls.RigidBody(1.0), ls.Fixed(), to=to, name=name)
    lines = repr(model.compile()).splitlines()[2:]
    starts = [line.split("  fixed")[0].rstrip() for line in lines]
    assert starts[0] == "└─ a0" and starts[1:10] == [f"   └ a{k}" for k in range(1, 10)]
    assert starts[10:] == ["   ├─ b", "   └─ c"]


def test_info_shows_a_part_or_all(tmp_path, monkeypatch, chain):
    monkeypatch.chdir(tmp_path)
    chain.save("chain.toml")
    short = CliRunner().invoke(cli.app, ["info", "chain.toml"]).stdout
    assert f"... and {N - MOST_LINES} more bodies" in short
    assert len(short.splitlines()) < MOST_LINES + 10
    long = CliRunner().invoke(cli.app, ["info", "chain.toml", "--all"]).stdout
    assert len(long.splitlines()) > N and "more bodies" not in long


def test_lists_in_messages_are_cut_and_counted(system):
    model = star(10)
    cut = rf" and {N - MOST_LISTED} more"
    with pytest.raises(ls.StateError, match=f"^there is no body 'zzz'; known: .*{cut}"):
        system.locate("zzz")
    with pytest.raises(ls.ModelError, match=rf"^remove.'link1'.: it carries .* and {N - 14} "):
        ls.library.rigid_chain(N).remove("link1")
    names = ls.symbolic.derive(ls.library.rigid_chain(20), time="t")
    with pytest.raises(ls.SymbolicError, match=r"^motion: no formula for .* and 8 more"):
        names.linearize(motion={})
    tree = model.compile()
    with pytest.raises(ls.StateError, match=r"^inverse_dynamics: in a system with loops .* more"):
        ls.inverse_dynamics(tree, tree.neutral(), np.zeros(tree.n_v))


def test_long_values_are_cut(system):
    many = [0.5] * 10**5
    body = ls.RigidBody(1, com=(1, 0, 0))
    calls = (
        lambda: system.state(link1=many),
        lambda: system.state(many),
        lambda: ls.forward_dynamics(system, system.neutral(), {"link1": many}),
        lambda: ls.forward_dynamics(system, system.neutral(), external={"link1": many}),
        lambda: ls.Model().add(body, ls.Revolute("y"), at=many, name="a"),
        lambda: ls.RigidBody(1, com=many),
    )
    for call in calls:
        with pytest.raises(ls.LissomError) as it:
            call()
        assert len(str(it.value)) < 500


def test_a_cycle_of_many_bodies_says_what_is_wrong_first():
    model = ls.Model()
    for k in range(N):
        to = f"b{(k + 1) % N}"
        model.add(ls.RigidBody(1, com=(1, 0, 0)), ls.Revolute("y"), to=to, name=f"b{k}")
    with pytest.raises(ls.ModelError, match=r"^bodies carry each other in a cycle; .* more$") as it:
        model.compile()
    assert len(str(it.value)) < 400


def test_the_helper_counts():
    assert name_list(["a", "b"]) == "'a', 'b'"
    assert name_list(range(13)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 1 more"
    assert suggestion("zzz", [f"a{k}" for k in range(10**5)]).endswith("and 99988 more.")


def test_what_is_printable_stays_and_the_rest_is_written_as_python_does():
    assert printable("Größe μ → 3 m²") == "Größe μ → 3 m²"
    assert printable("a\x1b[31m\x9b\r\n\t‮") == r"a\x1b[31m\x9b\r\n\t\u202e"
    assert printable("a\nb", lines=True) == "a\nb"


def test_runs_of_large_systems_print_a_few_lines(system):
    from tests.samples.results import rows_of

    v = np.zeros((2, system.n_v))
    q = np.tile(system.neutral().q, (2, 1))
    run = ls.Trajectory(system, rows_of(system, [0.0, 1.0], q, v, v))
    assert len(repr(run).splitlines()) <= 4
    assert dataclasses.is_dataclass(system) and len(f"{[system]}") < 20_000
