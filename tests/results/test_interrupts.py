"""Ctrl-C, kills, links and deleted folders around files; tests/verify_interrupts.py has more."""

import os
import shutil
import signal
import subprocess
import sys
import threading

import pytest

import lissom as ls
from lissom.errors import ResultError, SimulationWarning
from lissom.results.files import exports
from lissom.results.files.disk import replacing
from lissom.results.files.formats import open_results, save
from lissom.results.files.journal.reader import JournalStore
from lissom.results.files.journal.writer import Checkpoint, Journal
from lissom.results.files.netcdf import writer as netcdf
from lissom.results.files.shield import give_way, shielded
from lissom.results.store import MemoryStore
from tests.samples.mechanisms import pendulum
from tests.samples.results import META, same, stored, write_journal
from tests.verify_interrupts import batch

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of Unix")


def ctrl_c():
    signal.raise_signal(signal.SIGINT)


# Ctrl-C


def test_interrupts_at_random_moments_of_saving_and_loading():
    wrong, seen = batch(8, 7)
    assert not wrong and seen["interrupted"] == 8


def test_a_shield_keeps_ctrl_c_until_its_end():
    done, before = [], signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), shielded():
        ctrl_c()
        give_way()
        with shielded():
            done.append(1)
        done.append(2)
    assert done == [1, 2] and signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt), shielded():
        ctrl_c()
        raise ValueError("something else went wrong, too")
    with shielded():
        pass
    give_way()


def test_a_second_ctrl_c_is_heard_at_the_next_safe_place():
    done = []
    with pytest.raises(KeyboardInterrupt), shielded():
        ctrl_c()
        ctrl_c()
        done.append(1)
        give_way()
        done.append(2)
    assert done == [1]


def test_handlers_of_the_user_hear_of_a_kept_ctrl_c_and_ignored_ones_stay_ignored():
    heard, before = [], signal.getsignal(signal.SIGINT)
    try:
        for handler in (lambda *_: heard.append(1), signal.SIG_IGN):
            signal.signal(signal.SIGINT, handler)
            with shielded():
                ctrl_c()
                inside = list(heard)
            assert signal.getsignal(signal.SIGINT) == handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert inside == heard == [1]


def test_a_shield_in_another_thread_lets_the_signals_be():
    found, before = [], signal.getsignal(signal.SIGINT)

    def work():
        with shielded():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [before]


class Pressing(MemoryStore):
    """Rows during whose reading Ctrl-C is pressed so many times."""

    times = 1

    def read(self, field, start=0, stop=None):
        if field == "v" and start == 0:
            for _ in range(self.times):
                ctrl_c()
        return super().read(field, start, stop)


@pytest.mark.parametrize("suffix", ["nc", "npz", "csv", "mat"])
def test_ctrl_c_in_a_save_waits_for_the_file_and_a_second_one_leaves_the_old_one(tmp_path, suffix):
    path, store = tmp_path / f"a.{suffix}", stored(pendulum(), 20)
    other = Pressing(store.columns, store.rows * 1.0)
    other.rows[:, 1] = 7.0
    save(path, pendulum(), store, META)
    before = path.read_bytes()
    other.times = 2
    with pytest.raises(KeyboardInterrupt):
        save(path, pendulum(), other, META)
    assert path.read_bytes() == before and os.listdir(tmp_path) == [path.name]
    other.times = 1
    with pytest.raises(KeyboardInterrupt):
        save(path, pendulum(), other, META)
    assert path.read_bytes() != before and os.listdir(tmp_path) == [path.name]
    if suffix in ("nc", "npz"):
        same(open_results(path)[1], MemoryStore(other.columns, other.rows))


def test_ctrl_c_while_the_hdf5_library_writes(tmp_path, monkeypatch):
    """In a process of its own: without a shield it would end."""
    program = """
import signal, sys
from lissom.results.files.netcdf import writer as netcdf
from lissom.results.files.formats import open_results, save
from tests.samples.mechanisms import pendulum
from tests.samples.results import META, same, stored
write = netcdf._DeferredFile.write
def pressed(self, data):
    signal.raise_signal(signal.SIGINT)
    return write(self, data)
netcdf._DeferredFile.write = pressed
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    save(sys.argv[1], pendulum(), stored(pendulum(), 500), META)
except KeyboardInterrupt:
    print("interrupted")
"""
    command = [sys.executable, "-c", program, str(tmp_path / "a.nc")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n", "")
    assert os.listdir(tmp_path) == []


# Kills


KILLED = """
import os, signal, sys
import {module} as module
from tests.samples.mechanisms import pendulum
from tests.samples.results import META, stored
from lissom.results.files.formats import save
module.seal = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
save(sys.argv[1], pendulum(), stored(pendulum(), 50), META)
"""


def test_what_a_killed_save_left_is_removed_by_the_next_one(tmp_path):
    for module, name in ((netcdf, "a.nc"), (exports, "b.npz")):
        program = KILLED.format(module=module.__name__)
        subprocess.run([sys.executable, "-c", program, str(tmp_path / name)])
        assert [x[: len(name) + 2] for x in os.listdir(tmp_path)] == [f".{name}."]
    (tmp_path / ".other.tmp").write_text("not ours")
    with replacing(tmp_path / "d.nc") as mine:  # what is being written stays
        save(tmp_path / "c.nc", pendulum(), stored(pendulum(), 5), META)
        assert sorted(os.listdir(tmp_path)) == sorted(
            [os.path.basename(mine), ".other.tmp", "c.nc"]
        )
    assert sorted(os.listdir(tmp_path)) == [".other.tmp", "c.nc", "d.nc"]


# Links


@pytest.mark.parametrize("suffix", ["nc", "npz", "csv", "mat"])
def test_a_link_is_written_through(tmp_path, suffix):
    folder = tmp_path / "disk"
    folder.mkdir()
    link, target = tmp_path / f"run.{suffix}", folder / "data"
    link.symlink_to(target)
    for _ in range(2):  # target is missing, target is there
        save(link, pendulum(), stored(pendulum(), 5), META)
        assert link.is_symlink() and os.listdir(folder) == ["data"]
    link.unlink()
    link.symlink_to(tmp_path / "none" / "data")
    with pytest.raises(ResultError, match="folder does not exist"):
        save(link, pendulum(), stored(pendulum(), 5), META)


def test_a_run_writes_through_a_link_and_its_journal_lies_beside_the_target(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    link = tmp_path / "run.nc"
    link.symlink_to(folder / "big.nc")
    options = {"duration": 0.1, "step": 0.01, "progress": False}
    names = []

    def forces(t, state):
        names.append(sorted(os.listdir(folder)))
        return [0.0]

    run = ls.simulate(pendulum(), **options, forces=forces, file=link)
    assert names[-1] == ["big.nc.part"] and os.listdir(folder) == ["big.nc"] and link.is_symlink()
    assert len(ls.load(link)) == len(run) == 11
    assert len(ls.simulate(pendulum(), **options, forces=forces, resume=link)) == 11
    os.rename(folder / "big.nc", folder / "other.nc")
    write_journal(folder / "big.nc.part", pendulum(), stored(pendulum(), 4), [4])
    with pytest.raises(ResultError, match=r"there is .*big.nc.part \(its run has not finished\)"):
        ls.load(link)


# Deleted folders


def test_a_journal_whose_folder_is_deleted_is_written_again(tmp_path):
    folder, store = tmp_path / "results", stored(pendulum(), 9)
    folder.mkdir()
    path = folder / "a.nc.part"
    with Journal.create(path, pendulum(), store.columns, META) as journal:
        journal.append(store.rows[:4], Checkpoint())
        shutil.rmtree(folder)
        with pytest.warns(SimulationWarning, match=r"a.nc.part was deleted .* restored"):
            journal.append(store.rows[4:], Checkpoint())
        with pytest.raises(ResultError, match="another run is writing it"):
            Journal.reopen(path)
        same(JournalStore(path), store)


def test_a_journal_that_has_no_place_any_more_goes_to_a_temporary_folder(tmp_path, monkeypatch):
    store, path = stored(pendulum(), 9), tmp_path / "a.nc.part"
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Journal.create(path, pendulum(), store.columns, META) as journal:
        journal.append(store.rows[:4], Checkpoint())
        path.unlink()
        path.write_text("of another run")
        with pytest.warns(SimulationWarning, match=r"restored to .*lissom-.*a.nc.part"):
            journal.append(store.rows[4:], Checkpoint())
        same(JournalStore(journal.path), store)
    assert path.read_text() == "of another run"


def test_a_run_whose_folder_is_deleted_keeps_its_rows(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()

    def forces(t, state):
        if t > 0.5 and not gone:
            shutil.rmtree(folder)
            gone.append(t)
        return [0.0]

    gone = []
    options = {"duration": 1.0, "step": 0.01, "progress": False, "forces": forces}
    with pytest.warns(SimulationWarning, match="was deleted during a run"):
        run = ls.simulate(pendulum(), **options, file=folder / "run.nc")
    assert run.status == "finished" and len(run) == len(ls.load(folder / "run.nc")) == 101
    assert gone and os.listdir(folder) == ["run.nc"]


# Where Ctrl-C is ignored


def test_tests_and_programs_of_theirs_hear_ctrl_c():
    assert signal.getsignal(signal.SIGINT) != signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is not None


def test_a_program_that_ignores_ctrl_c_saves_and_runs(tmp_path):
    program = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
import lissom as ls
from tests.samples.mechanisms import pendulum
def forces(t, state):
    signal.raise_signal(signal.SIGINT)
    return [0.0]
run = ls.simulate(pendulum(), duration=0.1, step=0.01, forces=forces, file=sys.argv[1])
run.save(sys.argv[1])
print(run.status, len(ls.load(sys.argv[1])))
"""
    command = [sys.executable, "-c", program, str(tmp_path / "a.nc")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout == "finished 11\n"


def test_ctrl_c_right_after_a_run_leaves_a_journal_that_can_be_resumed(tmp_path, monkeypatch):
    options = {"duration": 0.1, "step": 0.01, "progress": False}
    with monkeypatch.context() as patch:
        patch.setattr("lissom.sim.run.progress.ProgressBar.close", lambda self: ctrl_c())
        with pytest.raises(KeyboardInterrupt):
            ls.simulate(pendulum(), **options, file=tmp_path / "run.nc")
    assert os.listdir(tmp_path) == ["run.nc.part"]
    assert ls.simulate(pendulum(), **options, resume=tmp_path / "run.nc").status == "finished"
