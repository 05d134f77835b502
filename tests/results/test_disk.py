"""Disks that are full, folders that are missing, processes that are killed."""

import errno
import os
import signal
import subprocess
import sys
import tempfile
import time
import tracemalloc
from contextlib import suppress
from functools import cache

import pytest

import lissom as ls
from lissom.errors import LissomError, ResultError
from lissom.results.files import disk
from lissom.results.files.disk import check_space
from lissom.results.files.formats import open_results, save
from lissom.results.files.journal.reader import JournalStore
from lissom.results.files.journal.writer import Checkpoint, Journal
from lissom.results.store import Columns
from tests.samples.mechanisms import pendulum
from tests.samples.results import same, some_rows, stored


def failing(number, after=0):
    """A function like os.write that writes some bytes, then fails."""
    write, left = os.write, [after]

    def fail(file, data):
        n = min(left[0], len(data))
        if n == 0:
            raise OSError(number, os.strerror(number))
        left[0] -= n
        return write(file, bytes(data[:n]))

    return fail


@pytest.mark.parametrize("after", [0, 10, 100])
def test_a_full_disk_leaves_a_journal_that_can_be_read_and_resumed(tmp_path, monkeypatch, after):
    path, store = tmp_path / "a.part", stored(pendulum(), 9)
    with Journal.create(path, pendulum(), store.columns, {}) as journal:
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", failing(errno.ENOSPC, after))
            with pytest.raises(ResultError, match="no rows yet"):
                journal.append(store.rows[:4], Checkpoint())
        journal.append(store.rows[:4], Checkpoint())
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", failing(errno.ENOSPC, after))
            with pytest.raises(ResultError, match=r"the disk is full.*to t = 0.03 s") as caught:
                journal.append(store.rows[4:], Checkpoint())
        assert caught.value.errno == errno.ENOSPC and isinstance(
            caught.value, (OSError, LissomError)
        )
        found = JournalStore(path)
        assert len(found) == 4 and not found.torn
        journal.append(store.rows[4:], Checkpoint())
    same(JournalStore(path), store)


@pytest.mark.parametrize("raised", [OSError(errno.EIO, "broken"), KeyboardInterrupt()])
def test_a_record_that_did_not_reach_the_disk_is_taken_back(tmp_path, monkeypatch, raised):
    path, store = tmp_path / "a.part", stored(pendulum(), 4)

    def fail(file):
        raise raised

    with Journal.create(path, pendulum(), store.columns, {}) as journal:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            patch.setattr(os, "ftruncate", lambda *_: fail(0))  # nor can the tail be cut
            kind = ResultError if isinstance(raised, OSError) else KeyboardInterrupt
            with pytest.raises(kind):
                journal.append(store.rows[:3], Checkpoint())
        journal.append(store.rows[:1], Checkpoint())
        assert len(JournalStore(path)) == 1
        journal.append(store.rows[1:], Checkpoint())
    same(JournalStore(path), store)


def test_a_disk_that_is_full_from_the_start_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "write", failing(errno.ENOSPC, 50))
    with pytest.raises(ResultError, match="the disk is full; free some space"):
        Journal.create(tmp_path / "a.part", pendulum(), stored(pendulum()).columns, {})
    assert not list(tmp_path.iterdir())


FILLING = """
import os, resource, sys
from lissom.errors import ResultError
from lissom.results.files.formats import save
from lissom.results.files.journal.writer import Checkpoint, Journal
from lissom.results.files.journal.reader import JournalStore
from lissom.results.files.netcdf.writer import write_netcdf
from tests.samples.mechanisms import pendulum
from tests.samples.results import stored
folder, limit, *kinds = sys.argv[1:]
store = stored(pendulum(), 20_000)
if int(limit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
def fill(kind):
    if kind == "compressed":
        write_netcdf(f"{folder}/a.nc", pendulum(), store, {}, compression=1)
    elif kind != "journal":
        save(f"{folder}/a.{kind}", pendulum(), store, {})
    else:
        with Journal.create(f"{folder}/a.part", pendulum(), store.columns, {}) as journal:
            for k in range(0, 20_000, 1000):
                journal.append(store.rows[k:k + 1000], Checkpoint())
for kind in kinds:
    try:
        fill(kind)
        print("nothing was refused")
    except ResultError as error:
        print(error)
    if kind == "journal":
        found = JournalStore(f"{folder}/a.part")
        print(len(found), found.torn)
        os.remove(f"{folder}/a.part")
    else:
        print(*os.listdir(folder))
"""


KINDS = ["journal", "nc", "compressed", "npz", "csv", "mat"]


def check_filled(command) -> None:
    """The process reports each refusal, leaves nothing half written and ends as it should."""
    run = subprocess.run([*command, *KINDS], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    for kind, message, left in zip(KINDS, lines[::2], lines[1::2], strict=True):
        assert "cannot write" in message and "free some space" in message, kind
        if kind == "journal":
            n_rows, torn = left.split()
            assert torn == "False" and int(n_rows) >= 7000
            assert f"results to t = {0.01 * (int(n_rows) - 1):.9g} s" in message
        else:
            assert left == "", kind


def test_files_that_may_not_grow_are_reported_and_nothing_half_written_remains(tmp_path):
    """A real refusal in the middle of writing, by the limit of the process."""
    pytest.importorskip("resource")
    check_filled([sys.executable, "-c", FILLING, str(tmp_path), "300000"])


@cache
def own_disk() -> list[str]:
    """Command that runs another with a disk of 400 kB at $0, where users may mount one."""
    command = ["unshare", "-r", "-m", "sh", "-c"]
    command += ['mount -t tmpfs -o size=400k tmpfs "$0" && exec "$@"']
    with tempfile.TemporaryDirectory() as folder, suppress(OSError):
        if subprocess.run([*command, folder, "true"], capture_output=True).returncode == 0:
            return command
    return []


def test_a_disk_that_really_fills_is_reported_and_nothing_half_written_remains(tmp_path):
    if not own_disk():
        pytest.skip("users may not mount a disk here")
    program = [sys.executable, "-c", FILLING, str(tmp_path), "0"]
    check_filled([*own_disk(), str(tmp_path), *program])


ENDLESS = """
import sys
import numpy as np
from lissom.results.files.journal.writer import Checkpoint, Journal
from tests.samples.mechanisms import pendulum
from tests.samples.results import stored
store = stored(pendulum(), 1000)
journal = Journal.create(sys.argv[1], pendulum(), store.columns, {})
while True:
    journal.append(store.rows, Checkpoint({"row": np.array(journal.n_rows)}))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_killed_process_leaves_whole_records(tmp_path):
    path = tmp_path / "a.part"
    with subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)]) as process:
        while not path.exists() or os.path.getsize(path) < 500_000:
            assert process.poll() is None
            time.sleep(0.01)
        while_running = len(JournalStore(path))
        process.kill()
    found, rows = JournalStore(path), stored(pendulum(), 1000).rows
    assert len(found) >= while_running > 0 and len(found) % 1000 == 0
    assert found.checkpoint.arrays["row"] == len(found) - 1000
    assert found.read("q", -1000).tobytes() == rows[:, 1:2].tobytes()
    with Journal.reopen(path) as journal:
        journal.append(rows, Checkpoint())
    assert len(JournalStore(path)) == len(found) + 1000


def test_reading_a_journal_takes_little_memory(tmp_path):
    system = ls.library.rigid_chain(200).compile()
    columns = Columns(system.n_q, system.n_v)
    rows = some_rows(columns, 4000)
    with Journal.create(tmp_path / "a.part", system, columns, {}) as journal:
        journal.append(rows, Checkpoint())
    size = rows.nbytes
    del rows
    tracemalloc.start()
    store = JournalStore(tmp_path / "a.part")
    store.read("time")
    peaks = [tracemalloc.get_traced_memory()[1]]
    for suffix in ("nc", "npz"):
        tracemalloc.reset_peak()
        save(tmp_path / f"a.{suffix}", system, store, {})
        peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
    assert size > 25e6 and peaks[0] < 6e6 and max(peaks) < 20e6


def test_the_space_on_the_disk_is_checked_before_a_run(tmp_path, monkeypatch):
    check_space(tmp_path / "a.nc", 1000)
    usage = disk.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda _: usage._replace(free=3_500_000))
    with pytest.raises(ResultError, match=r"a.nc: 12.5 GB are needed and 3.5 MB are free"):
        check_space(tmp_path / "a.nc", 12.5e9)
    with pytest.raises(ResultError, match="are needed"):
        save(tmp_path / "a.nc", pendulum(), stored(pendulum(), 200_000), {})
    monkeypatch.undo()
    with pytest.raises(ResultError, match="folder does not exist"):
        check_space(tmp_path / "no" / "a.nc", 1)


def writers(path):
    store = stored(pendulum(), 4)
    yield lambda: Journal.create(f"{path}.part", pendulum(), store.columns, {})
    for suffix in ("nc", "npz", "csv", "mat"):
        yield lambda suffix=suffix: save(f"{path}.{suffix}", pendulum(), store, {})


def test_a_missing_folder_is_named_with_the_remedy(tmp_path):
    for write in writers(tmp_path / "no" / "arm"):
        with pytest.raises(
            ResultError, match=r"no.arm.*its folder does not exist; create the folder"
        ):
            write()
    (tmp_path / "file").write_text("")
    for write in writers(tmp_path / "file" / "arm"):
        with pytest.raises(ResultError, match="not a folder"):
            write()


def test_a_folder_in_place_of_the_file_is_refused(tmp_path):
    for suffix in ("part", "nc", "npz", "csv", "mat"):
        (tmp_path / f"arm.{suffix}").mkdir()
    for write in writers(tmp_path / "arm"):
        with pytest.raises(ResultError, match="it is a folder"):
            write()
    with pytest.raises(ResultError, match="it is a folder"):
        open_results(tmp_path / "arm.nc")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_without_permission_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    for write in writers(tmp_path / "arm"):
        with pytest.raises(ResultError, match="permission denied"):
            write()


def test_a_refused_permission_is_worded(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    for write in writers(tmp_path / "arm"):
        with pytest.raises(ResultError, match="arm.*permission denied; change the permissions"):
            write()
