"""Studies of files: what is looked at before anything is run or allocated."""

import tracemalloc

import pytest

import lissom as ls

MODEL = """
lissom = 2
[[parts]]
name = "arm"
body = { kind = "sphere", mass = 1, radius = 0.1 }
joint = "revolute y"
[simulation]
duration = {duration}
output_step = {step}
{more}
"""
SWEEP = """
[sweep]
samples = {samples}
{outputs}
"""
OVER_TIME = 'channels = ["arm.coordinates"]'
REDUCED = '[sweep.outputs.top]\nchannel = "arm.coordinates"\nreduce = "max"'
LAW = 'open("ran", "w").close()\ndef torque(time, state):\n    return [0.0]\n'
NAMED = 'forces = { function = "law.py:torque" }'


def written(folder, *, duration=1e5, step=1e-4, samples=2, outputs=OVER_TIME, more="", sweep=True):
    text = MODEL.replace("{duration}", str(duration)).replace("{step}", str(step))
    text = text.replace("{more}", more)
    text += SWEEP.replace("{samples}", str(samples)).replace("{outputs}", outputs) if sweep else ""
    (folder / "law.py").write_text(LAW)
    path = folder / "arm.toml"
    path.write_text(text)
    return path


def quickly(action):
    """What an action returns or raises, within 400 MB."""
    tracemalloc.start()
    try:
        return action()
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 400e6


def test_a_study_with_too_many_times_is_a_problem_of_the_file(tmp_path):
    path = written(tmp_path)
    (problem,) = quickly(lambda: ls.check_file(path))
    assert "at 1e+09 times; at most 1,000,000 are kept" in problem.message
    with pytest.raises(ls.ModelFileError, match="larger output_step"):
        quickly(lambda: ls.load_sweep(path))
    remedies = [{"step": 1.0}, {"duration": 10.0}, {"outputs": REDUCED}]
    for remedy in remedies:
        path = written(tmp_path, **remedy)
        assert not ls.check_file(path)
        study = quickly(lambda path=path: ls.load_sweep(path))
    with pytest.raises(
        ls.SweepError, match="at most 1,000,000 are kept"
    ):  # lissom sweep --channels
        quickly(lambda: study.sweep("serial", channels=["arm.coordinates"]))


def test_a_study_with_too_many_tasks_is_a_problem_of_the_file(tmp_path):
    grid = OVER_TIME + "\n[sweep.parameters]\n"
    for name in ("mass", "radius"):
        inner = '{ set = "parts.arm.body.NAME", kind = "range", from = 1, to = 2, count = 100000 }'
        grid += f"{name} = {inner.replace('NAME', name)}\n"
    path = written(tmp_path, duration=1.0, step=0.1, outputs=grid)
    assert any("tasks are too many" in x.message for x in ls.check_file(path))


def test_a_file_without_a_study_or_with_mistakes_in_it_runs_no_functions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, duration=1.0, step=0.1, more=NAMED, sweep=False)
    with pytest.raises(ls.SweepError, match=r"no section \[sweep\]"):
        ls.load_sweep(path)
    path = written(tmp_path, duration=1.0, step=0.1, more=NAMED, outputs='channels = ["leg.rates"]')
    with pytest.raises(ls.ModelFileError, match="leg"):
        ls.load_sweep(path)
    assert not (tmp_path / "ran").exists()
    ls.load_sweep(written(tmp_path, duration=1.0, step=0.1, more=NAMED))
    assert (tmp_path / "ran").exists()
