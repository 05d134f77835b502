"""Studies in model files, and the command `lissom sweep`."""

from __future__ import annotations

import json

import numpy as np
import pytest

import lissom as ls
from lissom import cli
from tests.samples import sweeps as sample

pytest.importorskip("xarray")

TEXT = """
lissom = 2
name = "pendulum"
gravity = [0, 0, "-9.81 m/s^2"]

[[parts]]
name = "bob"
body = { kind = "rigid", mass = "2 kg", com = [0, 0, -1] }
joint = "revolute y"

[[parts]]
name = "twin"
body = { kind = "rigid", mass = "2 kg", com = [0, 0, -1] }
joint = "revolute y"

[simulation]
duration = "0.1 s"
output_step = "20 ms"

[[simulation.loads]]
kind = "joint_damper"
name = "oil"
joint = "twin"
damping = 0.1

[sweep]
samples = 3
seed = 5
channels = ["bob.position"]

[sweep.outputs]
fastest = { channel = "bob.rates", reduce = "peak" }
low = { channel = "bob.position", component = "z", reduce = "min" }
far = { channel = "bob.position", component = "norm", reduce = "rms" }
last = { channel = "twin.angle", reduce = "final" }

[sweep.parameters]
length = { set = "parts.bob.body.com[2]", from = "-1 m", to = "-2 m", count = 2 }
"simulation.state.bob" = { kind = "uniform", low = "5 deg", high = "10 deg" }
"simulation.loads.oil.damping" = ["0.1 N m s/rad", "0.3 N m s/rad"]

[sweep.parameters.mass]
set = ["parts.bob.body.mass", "parts[1].body.mass"]
kind = "lognormal"
median = "2 kg"
sigma = 0.1
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pendulum.toml"
    path.write_text(TEXT)
    return path


def test_a_study_of_a_file_is_that_of_its_runs(file):
    found = ls.load_sweep(file).sweep("serial")
    assert found.low.dims == ("length", "simulation.loads.oil.damping", "sample")
    assert found.sizes["time"] == 6 and found.mass.attrs["units"] == "kg"
    assert found["simulation.state.bob"].attrs["units"] == "rad"
    assert set(found.status.values.flat) == {"done"}
    one = found.isel(length=1, sample=2, **{"simulation.loads.oil.damping": 1})
    text = TEXT.split("[sweep]")[0].replace("2 kg", f"{float(one.mass)!r} kg")
    text = text.replace("com = [0, 0, -1]", "com = [0, 0, -2]", 1).replace("g = 0.1", "g = 0.3")
    text += f"[simulation.state]\nbob = {float(one['simulation.state.bob'])!r}\n"
    file.with_name("one.toml").write_text(text)
    run = ls.load_run(file.with_name("one.toml")).simulate()
    assert np.array_equal(one["bob.position"], run["bob.position"])
    assert one.fastest.item() == np.abs(run["bob.rates"]).max()
    assert float(one.low) == run["bob.position"][:, 2].min()
    assert float(one.last) == run["twin.angle"][-1]
    squares, dt = np.sum(run["bob.position"] ** 2, axis=1), np.diff(run.time)
    mean = np.sum(dt * (squares[1:] + squares[:-1]) / 2) / 0.1
    assert float(one.far) == pytest.approx(np.sqrt(mean), rel=1e-12)


def test_start_and_geometry_of_loops_are_closed_anew(tmp_path):
    path = tmp_path / "bar.toml"
    path.write_text(
        """
lissom = 2
[[parts]]
name = "crank"
body = { kind = "box", mass = 1, size = [1, 0.1, 0.1], com = [0.5, 0, 0] }
joint = "revolute y"
[[parts]]
name = "rod"
body = { kind = "box", mass = 1, size = [3, 0.1, 0.1], com = [1.5, 0, 0] }
joint = "revolute y"
to = "crank"
at = [1, 0, 0]
[[parts]]
name = "slide"
body = { kind = "rigid", mass = 1, inertia = 0.1 }
joint = "prismatic x"
[[loops]]
name = "pin"
joint = "revolute y"
a = "rod"
b = "slide"
at_a = [3, 0, 0]
[simulation]
duration = 0.01
state = { crank = 0.3, rod = -0.4, slide = 3.9 }
[sweep]
outputs = { gap = { channel = "closure", reduce = "peak" } }
parameters = { length = { set = "loops.pin.at_a[0]", from = 2, to = 3, count = 3 } }
"""
    )
    found = ls.load_sweep(path).sweep("serial")
    assert found.status.values.tolist() == 3 * ["done"] and np.all(found.gap < 1e-9)


def test_lists_change_together_and_text_is_chosen(file):
    text = TEXT.replace(
        "[sweep.outputs]", 'together = [["length", "simulation.integrator"]]\n[sweep.outputs]'
    )
    choice = '[sweep.parameters]\n"simulation.integrator" = ["dopri5", "dop853"]'
    file.write_text(text.replace("[sweep.parameters]", choice))
    found = ls.load_sweep(file).sweep("serial", samples=1)
    assert found.low.dims == (
        "simulation.loads.oil.damping",
        "length_simulation.integrator",
        "sample",
    )
    assert found["simulation.integrator"].values.tolist() == ["dopri5", "dop853"]


def test_whole_numbers_are_set_as_such(file):
    """As of numbers of modes, of which no other are taken."""
    boom = 'kind = "beam", length = 1, material = "steel", torsion = 0, stretch = 0, bending = 3'
    text = TEXT.replace('"2 kg", com = [0, 0, -1] }', '"2 kg", com = [0, 0, -1] } # bob', 1)
    text = text.replace(
        'body = { kind = "rigid", mass = "2 kg", com = [0, 0, -1] } # bob',
        f'body = {{ {boom}, section = {{ kind = "circle", radius = "1 cm" }} }}',
    ).split("[sweep]")[0]
    file.write_text(
        text + '[sweep.parameters]\n"parts.bob.body.bending" = [1, 2]\n'
        '[sweep.outputs]\nmodes = { channel = "bob.modes", reduce = "peak" }\n'
    )
    with pytest.warns(ls.SimulationWarning, match="'modes' has the shape .* in task 0"):
        found = ls.load_sweep(file).sweep("serial")
    assert found.modes.shape == (2, 2) and found["parts.bob.body.bending"].values.tolist() == [1, 2]


def test_channels_reach_to_the_end_of_the_longest_run(file):
    """Those of shorter ones are NaN after their ends; nothing of longer ones is cut off."""
    kept = '[sweep]\nchannels = ["bob.position"]\n[sweep.parameters]\n'
    file.write_text(TEXT.split("[sweep]")[0] + kept + '"simulation.duration" = ["40 ms", "2 s"]\n')
    found = ls.load_sweep(file).sweep("serial")
    place = found["bob.position"]
    assert found.time.values[-1] == 2.0 and not place.isel({place.dims[0]: 1}).isnull().any()
    short = place.isel({place.dims[0]: 0})
    assert not short.sel(time=slice(0, 0.041)).isnull().any()
    assert short.sel(time=slice(0.05, None)).isnull().all()


def test_channels_that_are_not_there_end_the_study(file):
    with pytest.raises(ls.SweepError, match="task 0: body 'bob' has no 'angel'.*did you mean 'ang"):
        ls.load_sweep(file).sweep("serial", channels=["bob.angel"])


WRONG = {
    "address": ("parts.bob.body.mass", "parts.bop.body.mass", "did you mean 'bob'?"),
    "index": ("parts[1]", "parts[9]", "parts has 2 entries, numbered from 0"),
    "syntax": ("parts.bob.body.com[2]", "parts..com", "cannot be read; write it like"),
    "dimension": (
        'median = "2 kg"',
        'median = "2 m"',
        "sets parts[0].body.mass, which then is '2.0 m'",
    ),
    "units": ('high = "10 deg"', 'high = "10 kg"', "different units"),
    "kind": ('kind = "uniform"', 'kind = "uniforn"', "did you mean 'uniform'?"),
    "no kind": ('kind = "uniform", ', "", "is missing; expected one of"),
    "bounds": ('high = "10 deg"', 'high = "1 deg"', "low below high"),
    "channel": ('"bob.position"]', '"bob.positon"]', "did you mean 'position'?"),
    "component": ('component = "z"', 'component = "q"', "has no component 'q'"),
    "reduce": ('"peak"', '"peek"', "did you mean 'peak'?"),
    "times": ('output_step = "20 ms"', "", "which needs output_step"),
    "samples": ("samples = 3\n", "", "give samples = 100"),
    "sobol": ("seed = 5", 'sampling = "sobol"', "'sobol' needs a power of two, not samples=3"),
    "sigma": ("sigma = 0.1", "sigma = -1", "it must be positive"),
    "key": ("sigma = 0.1", "sigma = 0.1\nsigmb = 2", "unknown key; did you mean 'sigma'?"),
    "further": (
        "[sweep.parameters]\n",
        '[sweep.parameters]\n"parts.bob.body.mass" = ["1 kg", "2 kg", "-3 kg"]\n',
        "sets parts[0].body.mass, which then is '-3.0 kg'; it must not be negative",
    ),
    "set twice": (
        "[sweep.parameters]\n",
        '[sweep.parameters]\n"parts.twin.body.mass" = ["1 kg", "2 kg"]\n',
        "mass: sets parts[1].body.mass, which 'parts.twin.body.mass' sets, too; remove one",
    ),
    "same values": ('to = "-2 m"', 'to = "-1 m"', "has the value -1.0 twice"),
    "reserved": ("length = {", "sample = {", "'sample' has the name of something else"),
    "parameter": ("last = {", "length = {", "'length' is also the name of a parameter; rename"),
    "as a channel": ("last = {", '"bob.position" = {', "is also the name of a channel; rename it"),
    "as a dimension": ("length = {", "time = {", "'time' is also the name of a dimension of what"),
    "slash": ("last = {", '"a/b" = {', "the name 'a/b' has a slash"),
    "duration": (
        "[sweep.parameters]\n",
        '[sweep.parameters]\n"simulation.duration" = '
        '{ kind = "uniform", low = "1 s", high = "2 s" }\n',
        "is a distribution of durations, and channels are kept over time; give a list",
    ),
    "no address": ('set = "parts.bob.body.com[2]", ', "", "sets length: unknown key"),
    "value": ('"0.1 N m s/rad"', '"0.1 N m"', "different units"),
}


@pytest.mark.parametrize(("before", "after", "words"), WRONG.values(), ids=WRONG)
def test_mistakes_are_found_with_their_lines(file, before, after, words):
    assert TEXT.count(before) >= 1
    text = TEXT.replace(before, after)
    file.write_text(text)
    problems = ls.check_file(file)
    assert problems and words in "\n".join(map(str, problems))
    for problem in problems:
        assert problem.key.startswith("sweep") and problem.line > text.split("[sweep]")[0].count(
            "\n"
        )
    with pytest.raises(ls.ModelFileError):
        ls.load_sweep(file)


def test_values_that_a_model_refuses_are_failures_with_the_line(file):
    text = TEXT.replace(
        '"simulation.state.bob" = { kind = "uniform", low = "5 deg", high = "10 deg" }', ""
    )
    text = text.replace(
        'kind = "lognormal"\nmedian = "2 kg"\nsigma = 0.1', 'kind = "uniform"\nlow = -1\nhigh = 9'
    )
    file.write_text(text)
    with pytest.warns(ls.SimulationWarning, match="tasks failed"):
        found = ls.load_sweep(file).sweep("serial", samples=20)
    bad = found.mass.values < 0
    assert 0 < bad.sum() < 20
    status = found.status.isel(length=0).values[0]
    assert np.array_equal(status == "failed", bad)
    error = found.error.isel(length=0).values[0][bad][0]
    assert "pendulum.toml:8:" in error and "must not be negative" in error


def test_a_file_without_a_study_is_told(file):
    file.write_text(TEXT.split("[sweep]")[0])
    with pytest.raises(ls.SweepError, match=r"there is no section \[sweep\]"):
        ls.load_sweep(file)
    file.write_text(TEXT.split("[sweep]")[0] + '[sweep]\nparameters = { "gravity[2]" = [1, 2] }')
    with pytest.raises(ls.SweepError, match="keeps nothing"):
        ls.load_sweep(file).sweep("serial")


# The command


def lissom(capsys, *words):
    with pytest.raises(SystemExit) as end:
        cli.main([str(x) for x in words])
    found = capsys.readouterr()
    return end.value.code, found.out, found.err


@pytest.fixture
def serial(monkeypatch):
    """Without processes, which take a second to start."""
    from lissom.sweeps import pools

    monkeypatch.setattr(pools, "Processes", lambda job, n: pools.Serial(job))


def test_the_command_writes_a_dataset(file, capsys, serial):
    import xarray

    code, out, _ = lissom(
        capsys, "sweep", "pendulum.toml", "--samples", 2, "--channels", "twin.position, bob.angle"
    )
    assert code == 0 and "8 done, 0 failed\nwrote pendulum_sweep.nc" in out
    with xarray.open_dataset("pendulum_sweep.nc") as found:
        kept = ls.load_sweep(file).sweep(
            "serial", samples=2, channels=["twin.position", "bob.angle"]
        )
        assert sample.same(found.load(), kept)
    assert sorted(x.name for x in file.parent.iterdir()) == ["pendulum.toml", "pendulum_sweep.nc"]
    code, out, _ = lissom(capsys, "sweep", "pendulum.toml", "--json", "-o", "b.nc")
    assert code == 0 and json.loads(out)["done"] == 12 and json.loads(out)["file"] == "b.nc"


def test_shares_of_a_study_meet_in_one_folder(file, capsys, serial):
    code, out, _ = lissom(capsys, "sweep", "pendulum.toml", "--store", "all", "--tasks", "0:5")
    assert code == 0 and "kept in all: 7 tasks are missing" in out
    code, _, err = lissom(capsys, "sweep", "pendulum.toml", "--store", "all")
    assert code == 1 and "continue it with --resume" in err
    code, out, _ = lissom(capsys, "sweep", "pendulum.toml", "--store", "all", "--resume")
    assert code == 0 and "12 done" in out and (file.parent / "all").is_dir()
    file.write_text(TEXT.replace('output_step = "20 ms"', 'output_step = "10 ms"'))
    code, _, err = lissom(capsys, "sweep", "pendulum.toml", "--store", "all", "--resume")
    assert code == 1 and "another study" in err


def test_wrong_options_are_named(file, capsys):
    """Before any work."""
    (file.parent / "folder.nc").mkdir()
    for words, code, message in (
        (("--tasks", "3"), 2, "expected FIRST:LAST"),
        (("--tasks", "0:3"), 2, "give a shared folder: --store"),
        (("-o", "x.csv"), 1, "use the suffix .nc"),
        (("-o", "nowhere/x.nc"), 1, "cannot write nowhere/x.nc: its folder does not exist"),
        (("-o", "folder.nc"), 1, "cannot write folder.nc: "),
    ):
        found = lissom(capsys, "sweep", "pendulum.toml", *words)
        assert found[0] == code and message in found[2]
        assert not (file.parent / "pendulum.sweep").exists()
