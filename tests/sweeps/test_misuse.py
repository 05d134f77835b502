"""Mistakes in studies: the answer names the part, the value and the remedy."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.stats

import lissom as ls
from tests.samples import sweeps as sample

pytest.importorskip("xarray")


def build(length=1.0, mass=1.0):
    return sample.pendulum(length, mass)


def run(system, values):
    return 1.0


def closed():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    return pool


class Odd:
    def submit(self, function, *arguments):
        return 3


GOOD = {"length": [1.0, 2.0]}
CALLS = {
    "no mapping": (lambda: ls.sweep(build, [1], run), "parameters is [1]; expected a mapping"),
    "unknown": (lambda: ls.sweep(build, {"lenght": [1]}, lambda s: 1), "did you mean 'length'?"),
    "needed": (lambda: ls.sweep(lambda a: 1, {"b": [1]}, run), "build() needs 'a'"),
    "no system": (lambda: ls.sweep(build, GOOD, lambda: 1), "run() takes no argument for the"),
    "odd argument": (lambda: ls.sweep(build, GOOD, lambda s, x: 1), "run() needs 'x'"),
    "rng in build": (lambda: ls.sweep(lambda rng: 1, {}, run), "build() takes 'rng'"),
    "no function": (lambda: ls.sweep(3, GOOD, run), "build is 3; expected a function"),
    "empty": (lambda: ls.sweep(build, {"length": []}, run), "'length' is an empty list"),
    "twice": (lambda: ls.sweep(build, {"length": [1, 2, 1]}, run), "has the value 1 twice"),
    "mixed": (lambda: ls.sweep(build, {"length": [1, "a"]}, run), "mixes numbers and text"),
    "NaN": (lambda: ls.sweep(build, {"length": [np.nan]}, run), "the value nan is not a finite"),
    "matrix": (lambda: ls.sweep(build, {"length": np.eye(2)}, run), "is not a finite number, text"),
    "object": (lambda: ls.sweep(build, {"length": object}, run), "expected a list, an array or"),
    "reserved": (lambda: ls.sweep(build, {"sample": [1]}, run), "has the name of something else"),
    "name": (lambda: ls.sweep(build, {3: [1]}, run), "the parameter 3 needs a name"),
    "tied": (
        lambda: ls.sweep(build, {("length", "mass"): [(1, 2), (3,)]}, run),
        "list(zip(length, mass))",
    ),
    "given twice": (
        lambda: ls.sweep(build, {"length": [1], ("length", "mass"): [(1, 2)]}, run),
        "'length' is given twice",
    ),
    "twice together": (
        lambda: ls.sweep(build, {("length", "length"): [(1, 2)]}, run),
        "'length' is given twice",
    ),
    "set": (lambda: ls.sweep(build, {"length": {1.0, 2.0}}, run), "expected a list, an array"),
    "masked": (
        lambda: ls.sweep(build, {"length": np.ma.array([1.0, 2.0], mask=[0, 1])}, run),
        "the value masked is not a finite",
    ),
    "no samples": (lambda: ls.sweep(build, {"mass": ls.Uniform(1, 2)}, run), "samples=100"),
    "samples": (lambda: ls.sweep(build, GOOD, run, samples=0), "samples is 0; expected a whole"),
    "seed": (lambda: ls.sweep(build, GOOD, run, seed=-1), "seed is -1; expected"),
    "sampling": (
        lambda: ls.sweep(build, {"mass": ls.Uniform(1, 2)}, run, samples=2, sampling="sobel"),
        "did you mean 'sobol'?",
    ),
    "sobol": (
        lambda: ls.sweep(build, {"mass": ls.Uniform(1, 2)}, run, samples=9, sampling="sobol"),
        "use 8 or 16",
    ),
    "infinite": (
        lambda: ls.sweep(build, {"mass": scipy.stats.norm(0, np.inf)}, run, samples=2),
        "is not a finite number",
    ),
    "executor": (lambda: ls.sweep(build, GOOD, run, "gpu"), "expected 'processes', 'threads'"),
    "no submit": (lambda: ls.sweep(build, GOOD, run, 3), "executor is 3; expected an object"),
    "closed": (lambda: ls.sweep(build, GOOD, run, closed()), "the executor takes no tasks (Runt"),
    "no future": (lambda: ls.sweep(build, GOOD, run, Odd()), "submit() of the executor returned 3"),
    "workers": (lambda: ls.sweep(build, GOOD, run, workers=0), "workers is 0"),
    "tasks": (lambda: ls.sweep(build, GOOD, run, tasks=[5]), "numbered from 0 to 1"),
    "times": (lambda: ls.sweep(build, GOOD, run, times=[1, 0]), "expected increasing times"),
    "channels": (lambda: ls.sweep(build, GOOD, run, channels="x"), "expected a list of names"),
    "numbers of tasks": (lambda: ls.sweep(build, GOOD, run, tasks=[0.5]), "tasks is [0.5]; exp"),
    "text of tasks": (lambda: ls.sweep(build, GOOD, run, tasks="0"), "tasks is '0'; expected"),
    "one channel": (lambda: ls.sweep(build, GOOD, run, channels=3), "channels is 3; expected a"),
    "text of units": (lambda: ls.sweep(build, GOOD, run, units={"length": 3}), "expected text by"),
    "list of units": (lambda: ls.sweep(build, GOOD, run, units=["m"]), "units is ['m']; expected"),
    "note": (lambda: ls.sweep(build, GOOD, run, notes=3), "notes is 3; expected text and"),
    "nobody": (lambda: ls.sweep(lambda: 1, GOOD, lambda s: 1), "'length'; run(system, values) g"),
    "units": (lambda: ls.sweep(build, GOOD, run, units={"x": "m"}), "units names 'x'"),
    "notes": (lambda: ls.sweep(build, GOOD, run, notes={"x": object()}), "expected text and"),
    "low": (lambda: ls.Uniform(2, 1), "Uniform(low=2, high=1): expected finite bounds"),
    "sigma": (lambda: ls.Normal(1, 0), "expected a positive sigma"),
    "text": (lambda: ls.Normal("a", 1), "Normal: mean is 'a'; expected a number"),
    "far": (lambda: ls.Normal(0, 1, low=9), "expected bounds that more than one sample"),
    "median": (lambda: ls.LogNormal(-1, 1), "expected a positive median"),
    "mode": (lambda: ls.Triangular(1, 9, 2), "low <= mode <= high"),
    "weights": (lambda: ls.Choice([1, 2], [1]), "expected 2 weights"),
}


@pytest.mark.parametrize(("call", "words"), CALLS.values(), ids=CALLS)
def test_a_mistake_is_named(call, words):
    with pytest.raises(ls.SweepError) as caught:
        call()
    assert words in str(caught.value)


RETURNED = {
    "nothing": (None, "run() returned None; return a mapping"),
    "objects": ({"a": [object()]}, "which are no numbers"),
    "complex": ({"a": 1j}, "give real and imaginary part apart"),
    "masked": ({"a": np.ma.array([1.0, 2.0], mask=[0, 1])}, "'a' an array with masked entries"),
    "ragged": ({"a": [[1], [1, 2]]}, "rows of different lengths"),
    "dims": ({"a": (("x", "y"), [1.0])}, "give one name for each"),
    "parameter": ({"length": 2.0}, "is the name of a parameter"),
    "dimension": ({"a": ("length", [1.0])}, "the dimension 'length', which is one of the sweep"),
    "own dimension": ({"n": 2.0, "a": ("n", [1.0])}, "'n', which is also a dimension of what"),
    "names": ({3: 2.0}, "the name 3; names are text"),
    "empty": ({}, "returned no values"),
}


def test_arrays_without_dimensions_are_numbers():
    found = ls.sweep(
        lambda values: 1,
        {"a": [np.array(1.0), np.float32(2.0)], "b": np.array(3.0)},
        lambda system, a, b: np.array(a * b),
        "serial",
    )
    assert found.a.values.tolist() == [1.0, 2.0] and found.result.values.tolist() == [3.0, 6.0]


@pytest.mark.parametrize(("given", "words"), RETURNED.values(), ids=RETURNED)
def test_what_run_returns_is_checked_at_the_first_task(given, words):
    with pytest.raises(ls.SweepError, match="task 0") as caught:
        ls.sweep(build, GOOD, lambda system: given, "serial")
    assert words in str(caught.value)


def test_trajectories_need_channels_that_exist_and_common_times():
    def rows(system):
        return ls.simulate(system, duration=0.1)

    for options, words in (
        ({}, "say what to keep of it: channels="),
        ({"channels": ["bob.position"]}, "rows differ from run to run"),
        ({"channels": ["bob.positon"], "times": [0, 0.1]}, "did you mean 'position'?"),
    ):
        with pytest.raises(ls.SweepError) as caught:
            ls.sweep(build, GOOD, rows, "serial", **options)
        assert words in str(caught.value)
    with pytest.raises(ls.SweepError, match="build\\(\\) returned None"):
        ls.sweep(lambda length: None, GOOD, run, "serial")


def test_functions_that_cannot_be_sent_are_told_what_to_do(monkeypatch):
    local = lambda system: 1.0  # noqa: E731
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(ls.SweepError) as caught:
        ls.sweep(build, GOOD, local)
    assert "define them with def in a file and import it" in str(caught.value)
    assert "executor='threads'" in str(caught.value)
    monkeypatch.undo()
    pytest.importorskip("cloudpickle")
    assert ls.sweep(build, GOOD, local, workers=1).result.values.tolist() == [1, 1]


def test_functions_that_processes_do_not_find_end_the_sweep(monkeypatch):
    """The first task says so, not each of them."""
    main = sys.modules["__main__"]

    def only_here(system, values):
        return 1.0

    only_here.__module__, only_here.__qualname__ = "__main__", "only_here"
    monkeypatch.setattr(main, "only_here", only_here, raising=False)
    monkeypatch.setattr(main, "__file__", __file__, raising=False)  # no notebook
    with pytest.raises(ls.SweepError, match=r"cannot be found by other processes .*only_here"):
        ls.sweep(build, {"length": range(1, 50)}, only_here, workers=1)


def test_xarray_is_asked_for_before_the_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ls.SweepError, match=r"pip install 'lissom\[xarray\]'"):
        ls.sweep(build, GOOD, run, "serial")


def test_folders_that_hold_something_else_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    for store, words in (
        (tmp_path / "file", "is a file; give a folder"),
        (tmp_path, "is not empty and holds no sweep"),
        (3, "path is 3"),
    ):
        with pytest.raises(ls.ResultError) as caught:
            ls.sweep(build, GOOD, run, "serial", store=store)
        assert words in str(caught.value)
    with pytest.raises(ls.ResultError, match="there is no sweep"):
        ls.gather(tmp_path / "nowhere")
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "study.json").write_text("{}")
    with pytest.raises(ls.ResultError, match="cannot be read"):
        ls.gather(tmp_path / "s")


def test_progress_is_a_line_every_so_often_where_there_is_no_terminal(monkeypatch, capsys):
    from lissom.sim.run import progress

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "LINES", 0.0)
    ls.sweep(build, GOOD, run, "serial", progress=True)
    assert capsys.readouterr().err.splitlines()[-1].startswith("sweep: 2 of 2")
    ls.sweep(build, GOOD, run, "serial")
    assert capsys.readouterr().err == ""
