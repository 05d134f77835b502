"""sweep: grids, samples, random streams, failures, stores."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import lissom as ls
from tests.samples import sweeps as sample
from tests.tools.children import is_there

pytest.importorskip("xarray")

# Values


def test_a_grid_has_one_task_for_each_combination():
    lengths, angles = [0.5, 1.0, 2.0], np.linspace(-1, 1, 5)
    parameters = {"length": lengths, "angle": angles, "mass": 3.0}
    found = ls.sweep(
        sample.pendulum, parameters, sample.acceleration, "serial", units={"length": "m"}
    )
    assert found.acceleration.dims == ("length", "angle")
    expected = -9.81 * np.sin(angles)[None, :] / np.array(lengths)[:, None]
    assert np.allclose(found.acceleration, expected, rtol=1e-12)
    assert found.length.attrs == {"units": "m"} and float(found.mass) == 3.0
    assert set(found.status.values.flat) == {"done"} and not any(found.error.values.flat)
    assert float(found.acceleration.sel(length=2.0, angle=1.0)) == pytest.approx(expected[2, 4])
    assert found.attrs["description"] == "15 tasks over length (3), angle (5)"
    assert found.attrs["lissom_version"] and "UTC" in found.attrs["date"]


def test_parameters_that_change_together_share_a_dimension():
    rows = [(0.5, 0.1), (1.0, 0.2), (2.0, 0.2)]
    found = ls.sweep(sample.pendulum, {("length", "angle"): rows}, sample.acceleration, "serial")
    assert found.acceleration.dims == ("length_angle",)
    assert found.length.values.tolist() == [0.5, 1.0, 2.0]
    assert np.allclose(found.acceleration, [-9.81 * np.sin(b) / a for a, b in rows], rtol=1e-12)


QUANTILES = {
    "uniform": (ls.Uniform(2, 5), scipy.stats.uniform(2, 3)),
    "normal": (ls.Normal(1, 0.2), scipy.stats.norm(1, 0.2)),
    "cut": (ls.Normal(1, 0.5, low=0.5, high=3), scipy.stats.truncnorm(-1, 4, 1, 0.5)),
    "lognormal": (ls.LogNormal(3, 0.4), scipy.stats.lognorm(0.4, scale=3)),
    "triangular": (ls.Triangular(1, 2, 5), scipy.stats.triang(0.25, 1, 4)),
    "left": (ls.Triangular(1, 1, 5), scipy.stats.triang(0, 1, 4)),
}


@pytest.mark.parametrize(("own", "scipys"), QUANTILES.values(), ids=QUANTILES)
def test_distributions_have_the_quantiles_of_scipy(own, scipys):
    u = np.array([1e-9, 0.01, 0.2, 0.25, 0.5, 0.9, 1 - 1e-9])
    assert np.allclose(own.quantile(u), scipys.ppf(u), rtol=1e-9)


def test_choices_come_as_often_as_their_weights_say():
    u = (np.arange(1000) + 0.5) / 1000
    found = ls.Choice(["steel", "carbon", "air"], weights=[3, 1, 0]).quantile(u)
    assert [found.count(x) for x in ("steel", "carbon", "air")] == [750, 250, 0]


@pytest.mark.parametrize("sampling", ("random", "latin_hypercube", "sobol"))
def test_samples_follow_their_distributions(sampling):
    n = 256
    parameters = {"a": ls.Normal(5, 2), "b": scipy.stats.uniform(1, 3), "c": ls.Choice([1, 2])}
    found = ls.sweep(
        lambda values: "nothing",
        parameters,
        lambda system, values: values["a"],
        "serial",
        samples=n,
        seed=4,
        sampling=sampling,
    )
    assert found.result.dims == ("sample",) and np.array_equal(found.result, found.a)
    u = np.column_stack([scipy.stats.norm(5, 2).cdf(found.a), (found.b - 1) / 3])
    for column in u.T:
        assert scipy.stats.kstest(column, "uniform").pvalue > 0.01
        if sampling != "random":  # one sample in each of n intervals
            assert sorted(np.floor(n * column).astype(int)) == list(range(n))
    assert set(found.c.values) == {1, 2}


def test_more_samples_begin_with_those_of_fewer():
    few, many = (
        ls.sweep(nothing, {"a": ls.Uniform(0, 1)}, drawn_again, "serial", samples=n, seed=1)
        for n in (3, 9)
    )
    assert few.equals(many.isel(sample=slice(3)))


def nothing(values):
    return "nothing"


def drawn_again(system, values, rng):
    return {"number": rng.random()}


# Streams


def streams(executor=None, **options):
    return ls.sweep(
        sample.pendulum, {"length": [1.0, 2.0]}, sample.drawn, executor, samples=5, **options
    )


def test_random_streams_are_independent_of_the_executor_and_of_the_order():
    serial = streams("serial", seed=1)
    numbers = serial.number.values.ravel()
    assert np.unique(numbers).size == 10
    assert serial.more.dims == ("length", "sample", "k") and serial.more.dtype.kind == "i"
    for executor in ("threads", None):
        assert sample.same(serial, streams(executor, seed=1, workers=2))
    with ThreadPoolExecutor(3) as pool:
        assert sample.same(serial, streams(pool, seed=1))
    one = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(1, 7)))
    assert one.random() == numbers[7]
    assert not serial.equals(streams("serial", seed=2))
    fresh = streams("serial")
    assert not fresh.number.equals(serial.number)
    assert fresh.number.equals(streams("serial", seed=fresh.attrs["seed"]).number)


def test_systems_are_built_once_for_each_design(tmp_path):
    def build(length):
        with open(tmp_path / "built", "a") as file:
            file.write(f"{length}\n")
        return sample.pendulum(length)

    ls.sweep(build, {"length": [1.0, 2.0]}, sample.drawn, "serial", samples=4, seed=1)
    assert (tmp_path / "built").read_text() == "1.0\n2.0\n"


# Results


def test_trajectories_become_channels_over_time():
    parameters = {"angle": [0.1, 0.2]}
    found = ls.sweep(
        sample.pendulum,
        parameters,
        sample.swinging,
        "serial",
        channels=["bob.position", "bob.angle"],
    )
    assert found["bob.position"].dims == ("angle", "time", "axis")
    assert found["bob.position"].attrs["units"] == "m" and found.time.attrs["units"] == "s"
    system = sample.pendulum().compile()
    alone = sample.swinging(system, {"angle": 0.2})
    assert np.array_equal(found["bob.angle"].sel(angle=0.2), alone["bob.angle"])
    times = [0.0, 0.03, 0.1, 0.2]
    finer = ls.sweep(
        sample.pendulum, parameters, sample.swinging, "serial", channels=["bob.angle"], times=times
    )
    row = finer["bob.angle"].values[1]
    assert row[1] == pytest.approx(alone.state(0.03)["bob"][0], abs=1e-12)
    assert np.isnan(row[3]) and not np.isnan(row[2])


def test_times_of_rows_that_rounding_changes_are_the_same_times():
    """Dense output reaches 0.75 s in some runs, and the number before in others."""

    def run(system, angle):
        return ls.simulate(system, system.state(bob=angle), duration=1.0, output_step=0.25)

    angles = np.linspace(0.1, 0.2, 12)
    found = ls.sweep(
        sample.pendulum, {"angle": angles}, run, "serial", channels=["bob.angle", "bob.position"]
    )
    system = sample.pendulum().compile()
    assert len({run(system, x).time[3] for x in angles}) == 2
    assert np.all(found.status == "done") and np.isfinite(found["bob.angle"]).all()

    def apart(system, a):
        return {"x": ("n", [1.0, 2.0]), "n": ("n", [0.0, 1.0 + 1e-9 * a])}

    with pytest.warns(ls.SimulationWarning, match="1 of 2 tasks failed; task 1: 'n' has other val"):
        ls.sweep(nothing, {"a": [0, 1]}, apart, "serial")


def test_events_leave_the_times_of_output_as_they_are():
    """Rows at a latch are left out; after the end of a run that an event ended are NaN."""

    def run(system, angle, stop):
        action = ls.Stop() if stop else ls.Lock("bob")
        event = ls.Event("bob", action, value=-0.1)
        given = {"start": -0.3, "output_step": 0.1, "events": [event]}
        return ls.simulate(system, system.state(bob=angle), duration=1.15, **given)

    found = ls.sweep(
        sample.pendulum,
        {"stop": [False, True], "angle": [0.05, 0.15, 0.2]},
        run,
        "serial",
        channels=["bob.angle"],
    )
    assert np.all(found.status == "done")
    grid = [-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85]
    assert found.time.values == pytest.approx(grid, abs=1e-15)
    latched, stopped = found["bob.angle"].values
    alone = run(sample.pendulum().compile(), 0.15, False)
    assert len(alone) == len(grid) + 2
    assert np.abs(latched[1] - alone.sample(found.time.values)["bob.angle"]).max() < 1e-13
    assert np.isfinite(stopped[0]).all() and np.isnan(stopped[1:, -1]).all()
    before = np.isfinite(stopped)
    assert np.abs(stopped[before] - latched[before]).max() < 1e-13


def test_datasets_and_arrays_of_xarray_are_taken():
    import xarray

    def run(system, values):
        return xarray.Dataset({"x": ("n", [values["a"], 2.0])}, {"n": [10, 20]})

    found = ls.sweep(nothing, {"a": [1.0, 3.0]}, run, "serial")
    assert found.x.sel(a=3.0, n=10) == 3.0

    def one(system, values):
        return {"x": xarray.DataArray([values["a"]], {"n": [5]}), "k": True, "word": "yes"}

    found = ls.sweep(nothing, {"a": [1, 3]}, one, "serial")
    assert found.x.sel(a=3, n=5) == 3 and found.k.dtype == bool and found.word.values[0] == "yes"


# Failures


def test_failed_tasks_are_recorded_with_their_reason_and_dead_processes_survived():
    with pytest.warns(ls.SimulationWarning, match=r"5 of 8 tasks failed; task 1: ValueError"):
        found = ls.sweep(
            sample.pendulum, {"case": range(8)}, sample.sometimes, "processes", workers=2
        )
    done = [0, 6, 7]
    assert [k for k in range(8) if found.status.values[k] == "done"] == done
    errors = found.error.values
    assert errors[1].startswith("ValueError: the wind was too strong (sweeps.py, line")
    assert "died twice" in errors[2]
    assert errors[3].startswith("LoadError: duration is -1.0")
    assert errors[4].startswith("SystemExit: enough")
    assert "returned ['other']" in errors[5] and "in task 0" in errors[5]
    assert found.case_again.values[done].tolist() == [0, 6, 7]
    assert np.isnan(found.case_again.values[1:6]).all()


class Panic(BaseException):
    """As libraries in other languages raise."""


class Mute(Exception):
    def __str__(self):
        raise ValueError("no words")


@pytest.mark.parametrize("executor", ["serial", "threads"])
def test_whatever_a_task_raises_or_changes_is_its_own(tmp_path, monkeypatch, executor):
    def run(system, case):
        os.chdir(tmp_path)  # as for a program that is called in a folder
        if case > 1:
            raise {2: Panic("no"), 3: Mute(), 4: GeneratorExit()}[case]
        return {"a": 1.0 if case == 0 else "text"}

    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.warns(ls.SimulationWarning, match="4 of 5 tasks failed"):
        found = ls.sweep(nothing, {"case": range(5)}, run, executor, store="study")
    assert found.a.dtype == float and found.a.values[0] == 1.0
    words = ["", "'a' is text, and numbers in task 0", "Panic: no (", "Mute: it ", "GeneratorExit"]
    assert all(x.startswith(y) for x, y in zip(found.error.values, words, strict=True))
    again = ls.gather(tmp_path / "here" / "study")
    assert again.error.values.tolist() == found.error.values.tolist()


def test_warnings_of_runs_are_recorded():
    def run(system, values):
        if values["a"] > 1:
            warnings.warn("careful", ls.SimulationWarning, stacklevel=1)
        return 1.0

    with pytest.warns(ls.SimulationWarning, match="1 of 2 tasks warned; task 1: careful"):
        found = ls.sweep(nothing, {"a": [1, 2]}, run, "serial")
    assert found.warning.values.tolist() == ["", "careful"]


def unguarded(folder):
    path = folder / "study.py"
    path.write_text(
        "import lissom as ls\n"
        "def run(system, values):\n"
        "    return values['a']\n"
        "def build(values):\n"
        "    return 1\n"
        "try:\n"
        "    ls.sweep(build, {'a': [1, 2]}, run, workers=1)\n"
        "except ls.SweepError as error:\n"
        "    print(error)\n"
    )
    return path


def test_a_program_without_a_guard_is_told(tmp_path):
    done = subprocess.run(
        [sys.executable, str(unguarded(tmp_path))],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "under if __name__ == '__main__'" in done.stdout


def test_a_program_from_standard_input_is_sent():
    pytest.importorskip("cloudpickle")
    program = (
        "import lissom as ls\n"
        "def build(a):\n"
        "    return 10 * a\n"
        "found = ls.sweep(build, {'a': [1, 2]}, lambda system: system + 1, workers=1)\n"
        "print(found.result.values.tolist())\n"
    )
    done = subprocess.run(
        [sys.executable], input=program, capture_output=True, text=True, check=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("[11, 21]\n", "")


# Stores


def test_a_store_is_resumed_and_gathered(tmp_path):
    store = tmp_path / "sweep"
    whole = streams("serial", seed=1)
    part = streams("serial", seed=1, store=store, tasks=range(2, 6))
    assert [x == "done" for x in part.status.values.ravel()] == [2 <= k < 6 for k in range(10)]
    assert np.isnan(part.number.values.ravel()[0])
    assert sample.same(ls.gather(store), part)
    assert sample.same(streams("serial", store=store), whole)  # its seed is that of the store
    assert sorted(x.name for x in store.iterdir()) == [
        "results-1.lissom",
        "results-2.lissom",
        "study.json",
    ]

    def never(system, rng):
        raise AssertionError

    again = ls.sweep(
        sample.pendulum, {"length": [1.0, 2.0]}, never, "serial", samples=5, store=store
    )
    assert sample.same(again, whole)


OTHERS = {
    "seed": ({"seed": 2}, "its seed is 1"),
    "samples": ({"samples": 6}, "it has samples=5"),
    "values": ({"length": [1.0, 3.0]}, "parameter 'length' has other values there"),
    "names": ({"mass": [1.0]}, "its parameters are 'length'"),
    "notes": ({"notes": {"wind": 3}}, "its wind is not the same"),
}


@pytest.mark.parametrize(("change", "words"), OTHERS.values(), ids=OTHERS)
def test_another_study_in_the_store_is_refused(tmp_path, change, words):
    streams("serial", seed=1, store=tmp_path / "s")
    grid = {"length": [1.0, 2.0]} | {k: x for k, x in change.items() if k in ("length", "mass")}
    options = {"samples": 5, "seed": 1} | {k: x for k, x in change.items() if k not in grid}
    with pytest.raises(ls.ResultError, match="another study") as caught:
        ls.sweep(sample.pendulum, grid, sample.drawn, "serial", store=tmp_path / "s", **options)
    assert words in str(caught.value) and "delete this one" in str(caught.value)


def test_failed_tasks_are_repeated_where_asked(tmp_path):
    def broken(system, values):
        if values["a"] == 2:
            raise ValueError("no")
        return values["a"]

    store = tmp_path / "s"
    with pytest.warns(ls.SimulationWarning, match="1 of 3 tasks failed"):
        ls.sweep(nothing, {"a": [1, 2, 3]}, broken, "serial", store=store)
    mended = lambda system, values: values["a"]  # noqa: E731
    kept = ls.sweep(nothing, {"a": [1, 2, 3]}, mended, "serial", store=store)
    assert kept.status.values.tolist() == ["done", "failed", "done"]
    good = ls.sweep(nothing, {"a": [1, 2, 3]}, mended, "serial", store=store, retry_failed=True)
    assert good.result.values.tolist() == [1, 2, 3]


def test_a_torn_end_of_a_journal_costs_one_task(tmp_path):
    store = tmp_path / "s"
    whole = streams("serial", seed=1, store=store)
    journal = store / "results-1.lissom"
    journal.write_bytes(journal.read_bytes()[:-7])
    assert ls.gather(store).status.values.ravel().tolist().count("missing") == 1
    assert sample.same(streams("serial", store=store), whole)


def test_damage_within_a_journal_is_told_and_costs_what_follows(tmp_path):
    store = tmp_path / "s"
    whole = streams("serial", seed=1, store=store)
    journal = store / "results-1.lissom"
    data = bytearray(journal.read_bytes())
    data[len(data) // 2] ^= 1
    journal.write_bytes(data)
    with pytest.warns(ls.SimulationWarning, match="results-1.lissom is damaged at byte"):
        left = ls.gather(store).status.values.ravel().tolist()
    assert 0 < left.count("missing") < 10
    with pytest.warns(ls.SimulationWarning, match="damaged"):
        assert sample.same(streams("serial", store=store), whole)
    data[0] ^= 1
    journal.write_bytes(data)
    with pytest.raises(ls.ResultError, match="results-1.lissom.*it is damaged, or no journal"):
        ls.gather(store)


def test_journals_of_jobs_with_other_seeds_do_not_mix(tmp_path):
    for seed in (1, 2):
        streams("serial", seed=seed, store=tmp_path / str(seed))
    (tmp_path / "2" / "results-1.lissom").rename(tmp_path / "1" / "results-2.lissom")
    with pytest.raises(ls.ResultError, match="results-2.lissom.*give all jobs the same seed"):
        ls.gather(tmp_path / "1")


def wait_for(path, size):
    for _ in range(600):
        if path.exists() and path.stat().st_size > size:
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing was written to {path}")


def test_a_killed_sweep_leaves_no_processes_and_is_resumed_to_the_same_bits(tmp_path):
    store = tmp_path / "s"
    command = [sys.executable, "-m", "tests.samples.sweeps", str(store), "24", "0.1"]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[2])
    wait_for(store / "results-1.lissom", 2_000)  # two results; twenty take another second
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    workers = [int(x) for x in children.read_text().split()] if children.exists() else []
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    left = ls.gather(store).status.values.tolist().count("missing")
    assert 0 < left < 24
    for _ in range(200):
        if not any(map(is_there, workers)):
            break
        time.sleep(0.05)
    else:
        raise AssertionError("workers outlive their parent")
    resumed = sample.arm_study(24, "serial", delay=0.1, store=store)
    assert sample.same(
        resumed.drop_vars("delay"), sample.arm_study(24, "serial").drop_vars("delay")
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_keeps_what_is_done(tmp_path):
    def run(system, values):
        if values["a"] == 3:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        return values["a"]

    with pytest.warns(ls.SimulationWarning, match=r"interrupted: 5 of 8 tasks are missing"):
        found = ls.sweep(nothing, {"a": range(8)}, run, "serial")
    assert found.status.values.tolist() == 3 * ["done"] + 5 * ["missing"]


def test_ctrl_c_takes_back_what_waits_in_an_executor_of_the_user():
    begun, over = [], threading.Event()

    def run(system, values):
        begun.append(values["a"])
        if len(begun) == 1:
            os.kill(os.getpid(), signal.SIGINT)
            over.wait(30)
        return values["a"]

    with ThreadPoolExecutor(1) as pool:
        with pytest.warns(ls.SimulationWarning, match="interrupted"):
            ls.sweep(nothing, {"a": range(8)}, run, pool)
        over.set()
    assert begun == [0]


def test_ctrl_c_during_a_run_is_not_a_result():
    def run(system, values):
        if values["angle"] == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return sample.swinging(system, values)["bob.angle"][-1]

    with pytest.warns(ls.SimulationWarning, match="interrupted"):
        found = ls.sweep(sample.pendulum, {"angle": [1, 2, 3]}, run, "serial")
    assert found.status.values.tolist() == ["done", "missing", "missing"]


# Dask


def test_a_cluster_of_dask_gives_the_same_numbers():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        with distributed.Client(cluster) as client:
            found = sample.arm_study(12, client)
            through = sample.arm_study(12, client.get_executor())
    alone = sample.arm_study(12, "serial")
    assert sample.same(found, alone) and sample.same(through, alone)
