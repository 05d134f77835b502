"""Runs with a file: the same bits as without, whatever happens to them."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import warnings
import zlib
from contextlib import contextmanager

import h5py
import numpy as np
import pytest

import lissom as ls
from lissom.errors import LoadError, ResultError, SimulationWarning
from lissom.results.files.journal.writer import JournalStore
from lissom.results.files.netcdf import writer
from lissom.results.files.netcdf.reader import NetcdfStore
from lissom.sim.run import machine, runner
from tests.samples.simulation_cases import DURATION, KINDS, contents, run
from tests.tools.runs import DeathError, dying, refused, swing
from tests.verify_kills import killed_and_resumed, whole

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and limits of Unix")


# The same result, wherever a run is left and gone on with


@pytest.mark.parametrize("kind", KINDS)
def test_the_cases_have_everything_in_them(kind):
    found = run(kind)
    assert found.status == "finished" and found.time[-1] == DURATION
    names = [name for _, name in found.meta["events"]]
    assert {"worn", "late", "far"} <= set(names)
    assert names.count("often") == 6
    locked = (found.time > 0.32) & (found.time < 0.37)
    assert np.all(found["hinge.rates"][locked] == 0)
    assert np.abs(found["boom.force"]).max() > 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_where_compiled_code_returns_does_not_change_the_result(kind, monkeypatch):
    monkeypatch.setattr(runner, "SLICE", 1e-4)
    assert contents(run(kind)) == whole(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_where_the_rows_are_full_does_not_change_the_result(kind, monkeypatch):
    expected = dict(whole(kind))
    for capacity in (1, 20_000):
        monkeypatch.setattr(machine, "ROWS_BYTES", capacity)
        found = contents(run(kind))
        for each in (expected, found):
            each.pop("statistics", None)  # what is done again counts again
        assert found == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_with_a_file_has_the_bits_of_one_without(kind, tmp_path):
    path = tmp_path / "run.nc"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "event 'late' locks joint")
        warnings.filterwarnings("ignore", "a fixed step of 0.002 s .* linearly implicit Euler")
        found = run(kind, file=path)
    assert contents(found) == contents(ls.load(path)) == whole(kind)
    assert os.listdir(tmp_path) == ["run.nc"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_dies_again_and_again_ends_with_the_same_bits(
    kind, tmp_path, monkeypatch, small_chunks
):
    rng = np.random.default_rng(len(kind))
    path = tmp_path / "run.nc"
    where, deaths = {"file": path}, 0
    for chunks in [1, *rng.integers(2, 100, 4), 10**9]:
        with monkeypatch.context() as patch:
            dying(patch, chunks)
            try:
                found = run(kind, **where)
                break
            except DeathError:
                deaths += 1
        part = ls.load(f"{path}.part")
        assert part.status == "unfinished" and len(part) > 0
        n = len(part) * 8
        assert part.store.read("time").tobytes() == whole(kind)["time"][:n]
        where = {"resume": path}
    assert deaths >= 3
    assert contents(found) == contents(ls.load(path)) == whole(kind)


def test_runs_killed_at_random_moments_are_resumed_to_the_same_bits(tmp_path):
    """Two of one kind; `tests.verify_kills` kills many of all."""
    assert killed_and_resumed(tmp_path, 2, slow=1e-4, kinds=("rk4",)) >= 1


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_run_that_dies_while_its_file_becomes_netcdf(moment, tmp_path, monkeypatch):
    path, write = tmp_path / "run.nc", writer.write_netcdf

    def die(*arguments, **options):
        if moment == "after":
            write(*arguments, **options)
        raise DeathError

    with monkeypatch.context() as patch:
        patch.setattr(writer, "write_netcdf", die)
        with pytest.raises(DeathError):
            run("rk4", file=path)
    assert path.exists() == (moment == "after")
    refused(lambda: run("rk4", file=path), ResultError, "run.nc.part", "resume")
    assert contents(run("rk4", resume=path)) == whole("rk4")
    assert os.listdir(tmp_path) == ["run.nc"]


def test_a_journal_cut_anywhere_opens_and_is_resumed(tmp_path, monkeypatch, small_chunks):
    path = tmp_path / "run.nc"
    with monkeypatch.context() as patch:
        dying(patch, 30)
        with pytest.raises(DeathError):
            run("rk4", file=path)
    data = (tmp_path / "run.nc.part").read_bytes()
    header = 40 + struct.unpack_from("<Q", data, 24)[0]
    rng = np.random.default_rng(3)
    for k, size in enumerate([header, *rng.integers(header, len(data), 4), len(data) - 1]):
        cut = tmp_path / f"cut{k}.nc"
        (tmp_path / f"cut{k}.nc.part").write_bytes(data[:size])
        assert len(ls.load(f"{cut}.part")) >= 0
        assert contents(run("rk4", resume=cut)) == whole("rk4")
    (tmp_path / "head.nc.part").write_bytes(data[:100])
    refused(lambda: ls.load(tmp_path / "head.nc.part"), ResultError, "truncated", "run again")
    refused(lambda: run("rk4", resume=tmp_path / "head.nc"), ResultError, "truncated", "run again")


def test_a_run_is_resumed_under_any_of_its_names(tmp_path, monkeypatch, small_chunks):
    for k, name in enumerate(("run.nc", "run.nc.part")):
        path = tmp_path / str(k) / "run.nc"
        path.parent.mkdir()
        with monkeypatch.context() as patch:
            dying(patch, 3)
            with pytest.raises(DeathError):
                run("rk4", file=path)
        both = {"file": path} if k else {}
        found = run("rk4", resume=path.parent / name, **both)
        assert contents(found) == whole("rk4")


# Controllers


class Counting:
    """Controller that counts its calls and keeps arrays."""

    def __init__(self):
        self.times, self.kept = [], {}

    def update(self, t, state):
        self.times.append(t)
        self.kept["sum"] = self.kept.get("sum", np.zeros((2, 1))) + float(state["rod"][0]) * 0.1
        return [-float(self.kept["sum"][0, 0])]

    def get_state(self):
        return {"kept": self.kept, "n": [len(self.times), None, "text", (1.5, np.float64(0.1))]}

    def set_state(self, saved):
        self.kept = saved["kept"]
        self.n = saved["n"]


def test_a_controller_is_called_once_for_each_period():
    counting = Counting()
    swing(forces=ls.Controller(counting, 0.1))
    assert np.allclose(counting.times, np.linspace(0, 1, 11))


def test_arrays_that_a_controller_saves_come_back_as_arrays(tmp_path, monkeypatch, small_chunks):
    path = tmp_path / "run.nc"
    with monkeypatch.context() as patch:
        dying(patch, 6)
        with pytest.raises(DeathError):
            swing(forces=ls.Controller(Counting(), 0.1), file=path)
    after = Counting()
    found = swing(forces=ls.Controller(after, 0.1), resume=path)
    assert contents(found) == contents(swing(forces=ls.Controller(Counting(), 0.1)))
    assert isinstance(after.kept["sum"], np.ndarray) and after.kept["sum"].shape == (2, 1)
    assert after.n[1:] == [None, "text", [1.5, 0.1]]


def test_what_a_file_cannot_hold_is_refused_at_the_start(tmp_path):
    for saved, word in (({"f": print}, "built-in"), ({1: 2.0}, "key 1 is not text"), ({2j}, "set")):
        counting = Counting()
        counting.get_state = lambda saved=saved: saved
        options = {"forces": ls.Controller(counting, 0.1, name="pid"), "file": tmp_path / "a.nc"}
        call = lambda options=options: swing(**options)  # noqa: E731
        refused(call, LoadError, "pid: get_state() returned", word, "return numbers")
        assert not os.listdir(tmp_path)


# What does not fit


def test_a_finished_run_is_not_run_again(tmp_path):
    path = tmp_path / "run.nc"
    found = swing(file=path)
    before = path.stat().st_mtime_ns
    again = swing(resume=path)
    assert contents(again) == contents(found) and path.stat().st_mtime_ns == before
    refused(
        lambda: swing(resume=path, duration=2.0), ResultError, "finished", "t = 1 s", "state(1)"
    )


def test_a_run_that_is_further_than_the_end_asked_for_is_not_cut(
    tmp_path, monkeypatch, small_chunks
):
    path = tmp_path / "run.nc"
    with monkeypatch.context() as patch:
        dying(patch, 30)
        with pytest.raises(DeathError):
            swing(file=path)
    words = ("different: duration (1.0 before, 0.1 now)", "arguments")
    refused(lambda: swing(resume=path, duration=0.1), ResultError, *words)
    assert contents(swing(resume=path)) == contents(swing())


def test_there_is_nothing_to_resume(tmp_path):
    refused(lambda: swing(resume=tmp_path / "no.nc"), ResultError, "no.nc", "no such file")
    call = lambda: swing(resume=tmp_path / "a.nc", file=tmp_path / "b.nc")  # noqa: E731
    refused(call, ResultError, "a.nc", "b.nc", "give one")
    (tmp_path / "text.nc.part").write_text("something else entirely")
    refused(lambda: swing(resume=tmp_path / "text.nc"), ResultError, "not a journal of lissom")


def test_names_of_files():
    for name in ("run", "run.csv", "run.npz", "run.nc.gz", "nc"):
        refused(lambda name=name: swing(file=name), ResultError, repr(name), "NAME.nc")
        assert not os.path.exists(name + ".part")


def test_files_of_a_later_version_or_cut_off(tmp_path):
    path = tmp_path / "run.nc"
    swing(file=path)
    later, cut = tmp_path / "later.nc", tmp_path / "cut.nc"
    shutil.copy(path, later)
    with h5py.File(later, "r+") as file:
        file.attrs["format_version"] = np.int32(99)
    for call in (lambda: ls.load(later), lambda: swing(resume=later)):
        refused(call, ResultError, "later.nc", "version 99", "update lissom")
    cut.write_bytes(path.read_bytes()[:-3000])
    for call in (lambda: ls.load(cut), lambda: swing(resume=cut)):
        refused(call, ResultError, "cut.nc", "truncated or damaged")
    refused(lambda: ls.load(tmp_path / "none.nc"), ResultError, "none.nc", "no such file")


def test_a_journal_of_a_later_version(tmp_path, monkeypatch, small_chunks):
    path = tmp_path / "run.nc"
    with monkeypatch.context() as patch:
        dying(patch, 1)
        with pytest.raises(DeathError):
            swing(file=path)
    part = tmp_path / "run.nc.part"
    data = bytearray(part.read_bytes())
    struct.pack_into("<I", data, 8, 99)
    struct.pack_into("<I", data, 12, zlib.crc32(data[:12]))
    part.write_bytes(data)
    for call in (lambda: ls.load(part), lambda: swing(resume=path)):
        refused(call, ResultError, "version 99", "update lissom")


def test_two_runs_do_not_write_one_file(tmp_path):
    path, found = tmp_path / "run.nc", []

    def forces(t, state):
        if 0.5 < t < 0.51 and not found:
            for where in ({"resume": path}, {"file": path}):
                words = ("run.nc.part", "another run is writing it")
                found.append(refused(lambda w=where: swing(**w), ResultError, *words))
            found.append(len(ls.load(f"{path}.part")))
        return [0.0]

    assert swing(forces=forces, file=path).status == "finished" and len(found) == 3


# Disks


def test_folders_that_cannot_be_written(tmp_path):
    words = ("run.nc", "folder does not exist", "create the folder")
    refused(lambda: swing(file=tmp_path / "none" / "run.nc"), ResultError, *words)
    (tmp_path / "file").write_text("")
    words = ("is a file, not a folder", "correct the path")
    refused(lambda: swing(file=tmp_path / "file" / "run.nc"), ResultError, *words)
    (tmp_path / "run.nc").mkdir()
    refused(lambda: swing(file=tmp_path / "run.nc"), ResultError, "run.nc", "is a folder")
    assert sorted(os.listdir(tmp_path)) == ["file", "run.nc"]


REFUSALS = {
    errno.EACCES: ("permission denied", "another folder"),
    errno.EROFS: ("read-only", "another disk"),
    errno.ENOSPC: ("the disk is full", "free some space"),
    errno.EDQUOT: ("quota", "free some space"),
}


@pytest.mark.parametrize("number", REFUSALS)
def test_what_the_system_refuses_is_said_before_the_run(number, tmp_path, monkeypatch):
    opened = os.open

    def open_or_not(path, *arguments, **options):
        if str(path).endswith(".part"):
            raise OSError(number, os.strerror(number))
        return opened(path, *arguments, **options)

    monkeypatch.setattr(os, "open", open_or_not)
    calls = []
    forces = lambda t, state: calls.append(t) or [0.0]  # noqa: E731
    call = lambda: swing(file=tmp_path / "run.nc", forces=forces)  # noqa: E731
    refused(call, ResultError, "run.nc.part", *REFUSALS[number])
    assert set(calls) <= {0.0}


def test_a_run_that_will_not_fit_on_the_disk_does_not_begin(tmp_path):
    call = lambda: swing(duration=1e10, step=1e-3, file=tmp_path / "run.nc")  # noqa: E731
    refused(call, ResultError, "run.nc", "are needed", "are free", "larger output_step")
    assert not os.listdir(tmp_path)


@contextmanager
def largest_file(n):
    """No file longer than n bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.parametrize("limit", ["journal", "netcdf"])
def test_a_disk_that_fills_up_keeps_what_was_written(limit, tmp_path, small_chunks):
    path = tmp_path / "run.nc"
    size = {"journal": 60_000, "netcdf": 30_000}[limit]
    options = {"duration": 20.0} if limit == "journal" else {"duration": 1.0}
    if limit == "netcdf":
        swing(**options, file=tmp_path / "whole.nc")
        size = (tmp_path / "whole.nc").stat().st_size - 2000
    with largest_file(size), pytest.raises(ls.SimulationError) as caught:
        swing(**options, file=path)
    assert isinstance(caught.value.__cause__, ResultError)
    assert caught.value.__cause__.errno == errno.EFBIG
    for word in ("run.nc", "exceeds the limit", "free some space", "resume="):
        assert word in str(caught.value)
    part = caught.value.trajectory
    assert part.status == "disk" and len(part) > 10
    store = JournalStore(f"{path}.part")
    assert not store.torn and len(store) == len(part)
    assert contents(swing(**options, resume=path)) == contents(swing(**options))


def test_a_disk_that_is_full_at_the_start(tmp_path):
    with largest_file(100):
        refused(lambda: swing(file=tmp_path / "run.nc"), ResultError, "run.nc", "exceeds the limit")
    assert not os.listdir(tmp_path)


MEMORY = """
import resource, sys
import lissom as ls
system = ls.library.rigid_chain(20).compile()
system_state = system.state(v=[0.1] * system.n_v)
def run(duration, path):
    run = ls.simulate(system, system_state, duration=duration, step=1e-3, integrator="rk4",
                      file=path, progress=False)
    assert run.status == "finished"
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
folder = sys.argv[1]
first = run(10.0, folder + "/short.nc")
print(first, run(80.0, folder + "/long.nc"))
"""


def test_memory_does_not_grow_with_the_duration_of_a_run_with_a_file(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(tmp_path)], capture_output=True, text=True, check=True
    )
    short, long = map(float, done.stdout.split())
    size = (tmp_path / "long.nc").stat().st_size / 2**20
    assert size > 45
    assert long - short < 0.1 * size, (short, long, size)


def test_ended_early_with_a_file_says_how_to_go_on(tmp_path):
    path = tmp_path / "run.nc"
    forces = ls.Controller(lambda t, state: [0.0], 0.01)
    with pytest.warns(SimulationWarning, match="resume=.*run.nc.part"):
        found = swing(duration=1e5, forces=forces, time_limit=0.2, file=path)
    assert found.status == "time limit" and os.listdir(tmp_path) == ["run.nc.part"]
    assert len(ls.load(f"{path}.part")) == len(found)
    refused(lambda: ls.load(path), ResultError, "run.nc.part", "not finished")


def test_a_short_run_with_a_file_flushes_and_reads_a_few_times_only(tmp_path, monkeypatch):
    """What made half a second of an arm seven times as expensive with a file as without."""
    flushes, reads, scales = [], [], []
    fsync, read, make_scale = os.fsync, NetcdfStore.read, h5py.Dataset.make_scale
    monkeypatch.setattr(os, "fsync", lambda file: flushes.append(file) or fsync(file))
    monkeypatch.setattr(NetcdfStore, "read", lambda *a, **b: reads.append(a) or read(*a, **b))
    monkeypatch.setattr(
        h5py.Dataset, "make_scale", lambda *a, **b: scales.append(a) or make_scale(*a, **b)
    )
    model = ls.Model("arm")
    boom = ls.beam(7.0, ls.Tube(radius=0.165, thickness=0.004), ls.CARBON, modes=4)
    model.add(ls.RigidBody(mass=400, inertia=(80, 90, 70)), ls.Free(), name="hub")
    model.add(boom, ls.Revolute("z"), to="hub", name="upper")
    system = model.compile()
    path = tmp_path / "a.nc"
    ls.simulate(system, system.state(upper=0.3), duration=0.5, output_step=1e-3, file=path)
    assert len(flushes) <= 2 and len(reads) <= 8 and len(scales) <= 12
    with h5py.File(path) as file:
        assert set(file["system"]) == {"byte", "content"}
