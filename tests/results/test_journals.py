"""Journals: rows that are whole again after any interruption."""

import errno
import os
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from lissom.errors import ResultError
from lissom.results.description.system import digest
from lissom.results.files.formats import open_results
from lissom.results.files.journal.reader import JournalStore
from lissom.results.files.journal.writer import Checkpoint, Journal
from lissom.results.store import Columns
from tests.samples.mechanisms import pendulum
from tests.samples.results import META, same, stored, structure, write_journal


def test_a_journal_gives_back_rows_system_notes_and_checkpoint(tmp_path):
    path, system = tmp_path / "arm.nc.part", structure("mixed levels")
    store = stored(system, 23, ["l0", "l1.tip"])
    write_journal(path, system, store, [5, 0, 1, 17])
    found = JournalStore(path)
    same(found, store)
    assert found.meta == META and not found.torn and not found.damaged
    assert found.valid_bytes == os.path.getsize(path) and found.n_records == 5
    assert found.checkpoint.notes == {"record": 3} and found.checkpoint.arrays["k"] == 3
    assert found.checkpoint.arrays["q"].tobytes() == store.rows[6:].tobytes()
    assert digest(found.system) == digest(system)
    same(pickle.loads(pickle.dumps(found)), store)
    _, other, meta = open_results(path)
    same(other, store)
    assert meta == META
    with pytest.raises(KeyError):
        found.read("speed")


def test_a_journal_without_rows_has_no_checkpoint(tmp_path):
    store = stored(pendulum(), 0)
    write_journal(tmp_path / "a.part", pendulum(), store, [], meta={})
    found = JournalStore(tmp_path / "a.part")
    same(found, store)
    assert found.checkpoint is None and found.last_time is None
    assert open_results(tmp_path / "a.part")[2] == {"status": "unfinished"}


def test_a_journal_cut_at_any_byte_holds_the_whole_records_before(tmp_path):
    whole, path = tmp_path / "whole.part", tmp_path / "cut.part"
    store, sizes = stored(pendulum(), 9), [2, 3, 1, 3]
    ends = write_journal(whole, pendulum(), store, sizes)
    data = whole.read_bytes()
    for length in range(len(data) + 1):
        path.write_bytes(data[:length])
        if length < ends[0]:
            with pytest.raises(ResultError, match="truncated|empty"):
                open_results(path)
            continue
        found = JournalStore(path)
        n_whole = sum(end <= length for end in ends) - 1
        n_rows = sum(sizes[:n_whole])
        assert found.valid_bytes == ends[n_whole] and found.torn == (length != ends[n_whole])
        assert found.n_records == n_whole + 1 and len(found) == n_rows
        assert found.read("v").tobytes() == store.read("v", 0, n_rows).tobytes()
        assert (found.checkpoint.notes["record"] if n_whole else -1) == n_whole - 1


def test_a_flipped_byte_anywhere_is_noticed(tmp_path):
    path = tmp_path / "a.part"
    store = stored(pendulum(), 6)
    ends = write_journal(path, pendulum(), store, [2, 2, 2])
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        if place < ends[0]:
            with pytest.raises(ResultError):
                JournalStore(path)
            continue
        n_whole = sum(end <= place for end in ends) - 1
        if place < ends[2]:
            with pytest.raises(
                ResultError, match=f"damaged at byte {ends[n_whole]} .*{2 * n_whole} rows"
            ):
                JournalStore(path)
        found = JournalStore(path, salvage=True)
        assert found.damaged == (place < ends[2]) and found.torn == (place >= ends[2])
        assert found.read("q").tobytes() == store.read("q", 0, 2 * n_whole).tobytes()


def test_the_message_of_a_damaged_journal_says_what_can_be_read(tmp_path):
    path = tmp_path / "a.part"
    ends = write_journal(path, pendulum(), stored(pendulum(), 6), [2, 2, 2])
    data = bytearray(path.read_bytes())
    data[ends[1] + 40] ^= 1
    path.write_bytes(data)
    words = rf"a.part is damaged at byte {ends[1]} .*2 rows .*t = 0.01 s.* salvage=True"
    with pytest.raises(ResultError, match=words):
        open_results(path)
    with pytest.raises(ResultError, match=words):
        Journal.reopen(path)
    assert len(open_results(path, salvage=True)[1]) == 2


def test_a_record_that_occurs_twice_is_not_counted_twice(tmp_path):
    path = tmp_path / "a.part"
    ends = write_journal(path, pendulum(), stored(pendulum(), 4), [2, 2])
    data = path.read_bytes()
    path.write_bytes(data + data[ends[1] :])
    found = JournalStore(path)
    assert len(found) == 4 and found.torn


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(tail=st.binary(min_size=1, max_size=300))
def test_garbage_after_the_last_record_is_a_torn_tail(tmp_path, tail):
    path = tmp_path / "a.part"
    path.unlink(missing_ok=True)
    store = stored(pendulum(), 4)
    ends = write_journal(path, pendulum(), store, [2, 2])
    with open(path, "ab") as file:
        file.write(tail)
    found = JournalStore(path)
    assert found.torn and found.valid_bytes == ends[-1]
    same(found, store)


def test_a_reopened_journal_goes_on_after_its_last_whole_record(tmp_path):
    path, store = tmp_path / "a.part", stored(pendulum(), 9)
    ends = write_journal(path, pendulum(), store, [2, 3, 4])
    os.truncate(path, ends[-1] - 5)
    with Journal.reopen(path) as journal:
        assert journal.n_rows == 5 and journal.last_time == 0.04
        assert os.path.getsize(path) == ends[-2]
        journal.append(store.rows[5:], Checkpoint({}, {"again": True}))
    found = JournalStore(path)
    same(found, store)
    assert not found.torn and found.checkpoint.notes == {"again": True}


def test_reopening_before_a_damage_drops_what_came_after(tmp_path):
    path, store = tmp_path / "a.part", stored(pendulum(), 6)
    ends = write_journal(path, pendulum(), store, [2, 2, 2])
    data = bytearray(path.read_bytes())
    data[ends[1] + 30] ^= 1
    path.write_bytes(data)
    with Journal.reopen(path, salvage=True) as journal:
        journal.append(store.rows[2:], Checkpoint())
    same(JournalStore(path), store)


def test_two_writers_of_one_journal_are_refused(tmp_path):
    pytest.importorskip("fcntl")
    path, store = tmp_path / "a.part", stored(pendulum(), 4)
    with Journal.create(path, pendulum(), store.columns, {}) as journal:
        for open_again in (
            lambda: Journal.reopen(path),
            lambda: Journal.create(path, pendulum(), store.columns, {}, overwrite=True),
        ):
            with pytest.raises(ResultError, match="another run is writing it"):
                open_again()
        journal.append(store.rows, Checkpoint())
        same(JournalStore(path), store)
    Journal.reopen(path).close()


def test_a_journal_left_by_another_run_is_kept_unless_told_otherwise(tmp_path):
    path, store = tmp_path / "a.part", stored(pendulum(), 4)
    write_journal(path, pendulum(), store, [4])
    with pytest.raises(ResultError, match="a.part already exists"):
        Journal.create(path, pendulum(), store.columns, {})
    same(JournalStore(path), store)
    Journal.create(path, pendulum(), store.columns, {}, overwrite=True).close()
    assert len(JournalStore(path)) == 0


def test_a_journal_that_another_run_removed_meanwhile_is_not_written(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "a.part"
    monkeypatch.setattr(fcntl, "flock", lambda *_: path.unlink())
    with pytest.raises(ResultError, match="just removed it"):
        Journal.create(path, pendulum(), stored(pendulum()).columns, {})


def test_a_torn_tail_that_cannot_be_cut_is_reported(tmp_path, monkeypatch):
    path = tmp_path / "a.part"
    ends = write_journal(path, pendulum(), stored(pendulum(), 3), [3])
    os.truncate(path, ends[-1] - 1)

    def refuse(*_):
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr(os, "ftruncate", refuse)
    with pytest.raises(ResultError, match="cannot continue .*the disk is read-only"):
        Journal.reopen(path)


def test_a_file_system_without_locks_is_accepted(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", refuse)
    write_journal(tmp_path / "a.part", pendulum(), stored(pendulum(), 3), [3])


def test_a_closed_journal_takes_no_rows_and_can_be_removed(tmp_path):
    path, store = tmp_path / "a.part", stored(pendulum(), 4)
    journal = Journal.create(path, pendulum(), store.columns, {})
    with pytest.raises(ValueError, match="shape"):
        journal.append(store.rows[:, 1:], Checkpoint())
    journal.close(remove=True)
    journal.close()
    assert not path.exists()
    with pytest.raises(ValueError, match="closed"):
        journal.append(store.rows, Checkpoint())
    with pytest.raises(ValueError, match="another system"):
        Journal.create(path, pendulum(), Columns(3, 3), {})


def test_a_journal_that_vanished_or_changed_is_reported(tmp_path):
    path, store = tmp_path / "a.nc.part", stored(pendulum(), 4)
    write_journal(path, pendulum(), store, [4])
    found = JournalStore(path)
    path.unlink()
    with pytest.raises(ResultError, match=r"no longer exists: .*a\.nc;"):
        found.read("q")
    write_journal(path, pendulum(), store, [4], meta={"other": 1})
    with pytest.raises(ResultError, match="another run"):
        found.read("q")
