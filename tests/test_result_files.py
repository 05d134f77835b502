"""Files of results: systems as text and arrays, journals, NetCDF, NumPy, exports."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import tracemalloc
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import lissom as ls
from lissom import joints as all_joints
from lissom.bodies import Lump, MassIntegrals, NormalBody
from lissom.errors import LissomError, ResultError
from lissom.results import described, journal as journals
from lissom.results.described import describe, digest, restore
from lissom.results.exports import labels
from lissom.results.files import open_results, pack, replacing, save, unpack
from lissom.results.journal import Checkpoint, Journal, JournalStore, check_space
from lissom.results.netcdf import NetcdfStore, write_netcdf
from lissom.results.store import FIELDS, Columns, MemoryStore
from tests.kernel_cases import JOINTS, STRUCTURES, far_state, joint_systems, random_system

META = {"status": "finished", "message": "", "integrator": "rk", "statistics": {"steps": 7}}


@cache
def structure(name) -> ls.System:
    return STRUCTURES[name]().compile()


@cache
def pendulum() -> ls.System:
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    return model.compile()


def some_rows(columns: Columns, n: int, seed=0) -> np.ndarray:
    """Rows of all kinds of numbers; time counts up in hundredths."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, columns.width)) * 10.0 ** rng.integers(-300, 300, columns.width)
    special = [0.0, -0.0, 5e-324, 1e308, np.inf, -np.inf, np.nan, 0.1 + 0.2]
    places = rows.ravel()[1::11]
    places[: len(special)] = special[: len(places)]
    rows[:, 0] = 0.01 * np.arange(n)
    return rows


def stored(system, n=23, loads=()) -> MemoryStore:
    columns = Columns(system.n_q, system.n_v, tuple(loads))
    return MemoryStore(columns, some_rows(columns, n))


def same(store, other) -> None:
    """Two stores hold the same bits."""
    assert store.columns == other.columns and len(store) == len(other)
    n = len(store)
    for field in FIELDS:
        for start, stop in ((0, None), (3, 9), (-4, None), (n, n + 3), (9, 3), (0, -1)):
            a, b = store.read(field, start, stop), other.read(field, start, stop)
            assert a.shape == b.shape and a.dtype == b.dtype == float
            assert a.tobytes() == b.tobytes()


def write_journal(path, system, store, sizes, meta=META) -> list[int]:
    """Journal with records of the given numbers of rows; its length after each."""
    ends, row = [], 0
    with Journal.create(path, system, store.columns, meta) as journal:
        ends.append(os.path.getsize(path))
        for k, n in enumerate(sizes):
            point = Checkpoint({"q": store.rows[row : row + n], "k": np.array(k)}, {"record": k})
            journal.append(store.rows[row : row + n], point)
            row += n
            ends.append(os.path.getsize(path))
    return ends


def bits(value) -> object:
    """A value with every number as its bits, for comparisons."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.kind, value.tobytes()
    if isinstance(value, (float, np.floating)):
        return float(value).hex()
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    if isinstance(value, (ls.Joint, NormalBody, MassIntegrals, Lump)):
        return type(value), {f.name: bits(getattr(value, f.name)) for f in fields(value)}
    return value


def assert_identical(system, other) -> None:
    for f in fields(system):
        assert bits(getattr(system, f.name)) == bits(getattr(other, f.name)), f.name
    pairs = [[b.bodies.index(x) for x in b.bodies] for b in (system, other)]
    assert pairs[0] == pairs[1]
    state = far_state(system, np.random.default_rng(5), deformation=0.05)
    mirrored = other.state(state.q, state.v)
    for method in ("auto", "reference"):
        a = ls.forward_dynamics(system, state, method=method)
        assert a.tobytes() == ls.forward_dynamics(other, mirrored, method=method).tobytes()


def round_trip(system) -> ls.System:
    description, arrays = describe(system)
    json.dumps(description)
    return restore(*unpack(pack(description, arrays)))


# Systems as text and arrays


@pytest.mark.parametrize("name", STRUCTURES)
def test_a_restored_system_has_the_same_bits(name):
    assert_identical(structure(name), round_trip(structure(name)))


@pytest.mark.parametrize("name", JOINTS)
def test_a_restored_joint_has_the_same_bits(name):
    for _, system in list(joint_systems(JOINTS[name]))[1::6]:
        assert_identical(system, round_trip(system))


@pytest.mark.parametrize("seed", range(25))
def test_a_restored_random_mechanism_has_the_same_bits(seed):
    system = random_system(seed)
    assert_identical(system, round_trip(system))


def test_a_map_keeps_its_order_in_memory():
    model = ls.Model()
    turned = np.ascontiguousarray(np.eye(6)[:, [3, 4]].T).T
    model.add(ls.RigidBody(1.0), ls.SimpleJoint(turned), name="a")
    joint = round_trip(model.compile()).joints[0]
    assert joint.columns.flags.f_contiguous and not joint.columns.flags.c_contiguous


def test_every_field_of_system_body_and_joint_has_its_place_in_the_description():
    """Who adds a field must store it, and raise the format version."""
    names = {
        cls: {f.name for f in fields(cls)} for cls in (ls.System, NormalBody, MassIntegrals, Lump)
    }
    assert names[ls.System] == {
        *("name", "gravity", "names", "parent", "parent_node", "frame_rotation"),
        *("frame_position", "joints", "bodies"),
    }
    shapes = set(described._body_shapes(0, 0, 0))
    assert names[MassIntegrals] <= shapes
    assert names[Lump] == {*described._OF_LUMP, "node"}
    sizes = set(described._sizes(structure("beams").bodies[0])) - {"n_mode", "n_node"}
    assert names[NormalBody] == {"integrals", *described._OF_BODY, *sizes}
    for name in set(all_joints.__all__) - {"Joint", "SimpleJoint", "CompoundJoint"}:
        kind = getattr(all_joints, name)
        assert [f.name for f in fields(kind)] == list(described._PARAMETERS[kind])


def test_a_thousand_links_are_described_in_a_few_arrays_and_quickly():
    system = ls.library.rigid_chain(1000).compile()
    start = time.perf_counter()
    description, arrays = describe(system)
    data = pack(description, arrays)
    seconds = time.perf_counter() - start
    assert seconds < 0.5 and len(arrays) < 30 and len(data) < 1_000_000
    other = restore(*unpack(data))
    assert digest(other) == digest(system) == digest(ls.library.rigid_chain(1000).compile())


def test_shared_bodies_are_stored_once():
    one, many = (ls.library.flexible_chain(n, 8).compile() for n in (1, 50))
    assert describe(one)[1]["body_damping"].shape == describe(many)[1]["body_damping"].shape
    assert len({id(body) for body in round_trip(many).bodies}) == 1


def test_the_digest_sees_one_bit():
    system = structure("beams")
    position = system.frame_position.copy()
    position[1, 0] = np.nextafter(position[1, 0], 9)
    others = [replace(system, frame_position=position), replace(system, name="other")]
    assert len({digest(system), *map(digest, others)}) == 3
    assert digest(system) == digest(pickle.loads(pickle.dumps(system)))


DAMAGES = {
    "a parent beyond": lambda d, a: a["parent"].__setitem__(1, 99),
    "a parent that is itself": lambda d, a: a["parent"].__setitem__(1, 1),
    "a negative parent": lambda d, a: a["parent"].__setitem__(0, -2),
    "a node beyond": lambda d, a: a["parent_node"].__setitem__(2, 999),
    "a negative node": lambda d, a: a["parent_node"].__setitem__(2, -1),
    "a body beyond": lambda d, a: a["body_number"].__setitem__(0, 99),
    "a negative body": lambda d, a: a["body_number"].__setitem__(0, -1),
    "an inboard node beyond": lambda d, a: d["bodies"][1].__setitem__("inboard", 999),
    "an inboard node between": lambda d, a: d["bodies"][1].__setitem__("inboard", 0.5),
    "a named node beyond": lambda d, a: d["bodies"][1]["node_names"].__setitem__("tip", 999),
    "a level": lambda d, a: d["bodies"][1].__setitem__("level", "best"),
    "negative modes": lambda d, a: d["bodies"][1].__setitem__("n_mode", -5),
    "more modes": lambda d, a: d["bodies"][1].__setitem__("n_mode", 6),
    "lumps": lambda d, a: d["bodies"][1].__setitem__("lumps", [0]),
    "words for modes": lambda d, a: d["bodies"][1].__setitem__("n_mode", "five"),
    "a joint": lambda d, a: d["joints"].__setitem__(0, ["System"]),
    "a wide joint": lambda d, a: d["joints"].__setitem__(0, ["CompoundJoint", [4, "C"], [4, "C"]]),
    "a joint of nothing": lambda d, a: d["joints"].__setitem__(0, ["CompoundJoint"]),
    "one joint less": lambda d, a: d["joints"].pop(),
    "a name twice": lambda d, a: d["names"].__setitem__(0, d["names"][1]),
    "no names": lambda d, a: d.pop("names"),
    "a short array": lambda d, a: a.__setitem__("body_node_shapes", np.zeros(3)),
    "a long array": lambda d, a: a.__setitem__("body_node_shapes", np.zeros(100_000)),
    "no gravity": lambda d, a: a.pop("gravity"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_description_is_refused(name):
    description, arrays = describe(structure("beams"))
    description = json.loads(json.dumps(description))
    DAMAGES[name](description, arrays)
    with pytest.raises(ResultError, match="arm.nc is damaged"):
        restore(description, arrays, source="arm.nc")


def test_a_joint_of_a_users_own_is_refused_by_name():
    class Own(ls.Joint):
        n_q = n_v = 0
        pose = motion_map = None

    system = replace(pendulum(), joints=(Own(),))
    with pytest.raises(ResultError, match="body 'rod': a joint of type Own cannot be stored"):
        describe(system)


def test_packed_arrays_keep_type_shape_and_bits():
    arrays = {
        "float": np.array([[1.0, np.nan], [-0.0, 5e-324]]),
        "big": np.arange(3, dtype=">i4"),
        "bool": np.array([True, False]),
        "scalar": np.array(3.5),
        "empty": np.zeros((0, 3)),
        "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    }
    text, back = unpack(pack({"a": [1, "ü", None]}, arrays))
    assert text == {"a": [1, "ü", None]}
    for name, array in arrays.items():
        assert back[name].shape == array.shape and back[name].dtype.kind == array.dtype.kind
        assert np.array_equal(back[name], array, equal_nan=array.dtype.kind == "f")
        assert back[name].flags.writeable
    with pytest.raises(TypeError, match="'words' holds no numbers"):
        pack({}, {"words": np.array(["a"])})


@given(data=st.binary(max_size=200))
def test_unpacking_garbage_is_a_value_error(data):
    with pytest.raises(ValueError):
        unpack(data)


# Journals


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
            with pytest.raises(ResultError, match="cut off|empty"):
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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    data=st.binary(max_size=300),
    start=st.sampled_from([b"", journals.MAGIC, b"\x89HDF\r\n\x1a\n", b"PK\x03\x04"]),
)
def test_garbage_is_not_a_file_of_results(tmp_path, data, start):
    path = tmp_path / "a.nc"
    path.write_bytes(start + data)
    with pytest.raises(ResultError, match="a.nc"):
        open_results(path)


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
    with pytest.raises(ResultError, match="a.part exists already"):
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
    with pytest.raises(ResultError, match=r"is gone: perhaps .*a\.nc;"):
        found.read("q")
    write_journal(path, pendulum(), store, [4], meta={"other": 1})
    with pytest.raises(ResultError, match="another run"):
        found.read("q")


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
import resource, sys
from tests.test_result_files import *
folder, kind, limit = sys.argv[1:]
store = stored(pendulum(), 20_000)
if int(limit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
try:
    if kind == "compressed":
        write_netcdf(f"{folder}/a.nc", pendulum(), store, {}, compression=1)
    elif kind != "journal":
        save(f"{folder}/a.{kind}", pendulum(), store, {})
    with Journal.create(f"{folder}/a.part", pendulum(), store.columns, {}) as journal:
        for k in range(0, 20_000, 1000):
            journal.append(store.rows[k:k + 1000], Checkpoint())
except ResultError as error:
    print(error)
if kind == "journal":
    found = JournalStore(f"{folder}/a.part")
    print(len(found), found.torn)
else:
    print(*os.listdir(folder))
"""
KINDS = ["journal", "nc", "compressed", "npz", "csv", "mat"]


def filled(command, kind) -> None:
    """The process reports the refusal, leaves nothing half written and ends as it should."""
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    message, left, *_ = run.stdout.split("\n")
    assert "cannot write" in message and "free some space" in message
    if kind == "journal":
        n_rows, torn = left.split()
        assert torn == "False" and int(n_rows) >= 7000
        assert f"results to t = {0.01 * (int(n_rows) - 1):.9g} s" in message
    else:
        assert left == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_may_not_grow_is_reported_and_nothing_half_written_remains(tmp_path, kind):
    """A real refusal in the middle of writing, by the limit of the process."""
    pytest.importorskip("resource")
    filled([sys.executable, "-c", FILLING, str(tmp_path), kind, "300000"], kind)


@cache
def own_disk() -> list[str]:
    """Command that runs another with a disk of 400 kB at $0, where users may mount one."""
    command = ["unshare", "-r", "-m", "sh", "-c"]
    command += ['mount -t tmpfs -o size=400k tmpfs "$0" && exec "$@"']
    with tempfile.TemporaryDirectory() as folder, suppress(OSError):
        if subprocess.run([*command, folder, "true"], capture_output=True).returncode == 0:
            return command
    return []


@pytest.mark.parametrize("kind", KINDS)
def test_a_disk_that_really_fills_is_reported_and_nothing_half_written_remains(tmp_path, kind):
    if not own_disk():
        pytest.skip("users may not mount a disk here")
    program = [sys.executable, "-c", FILLING, str(tmp_path), kind, "0"]
    filled([*own_disk(), str(tmp_path), *program], kind)


ENDLESS = """
import sys
from tests.test_result_files import *
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
    usage = journals.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(journals.shutil, "disk_usage", lambda _: usage._replace(free=3_500_000))
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
        with pytest.raises(ResultError, match="arm.*permission denied; give yourself permission"):
            write()


# NetCDF


@pytest.mark.parametrize("compression", [0, 1, 4])
@pytest.mark.parametrize("name", ["mixed levels", "welded rigid bodies", "beams", "several roots"])
def test_netcdf_gives_back_rows_system_and_notes(tmp_path, name, compression):
    path, system = tmp_path / "arm.nc", structure(name)
    first, last = system.names[0], system.names[-1]
    for n, loads in ((23, [first, last]), (23, []), (1, [last]), (0, [first]), (0, [])):
        store = stored(system, n, loads)
        write_netcdf(path, system, store, META, compression=compression)
        found, other, meta = open_results(path)
        same(other, store)
        other.check()
        assert digest(found) == digest(system) and meta == META
        same(pickle.loads(pickle.dumps(other)), store)


def test_netcdf_takes_levels_of_compression_up_to_four(tmp_path):
    with pytest.raises(ValueError, match="from 0 to 4"):
        write_netcdf(tmp_path / "a.nc", pendulum(), stored(pendulum()), META, compression=9)


def test_a_journal_becomes_netcdf_piece_by_piece(tmp_path, monkeypatch):
    monkeypatch.setattr("lissom.results.exports._BLOCK", 500)
    monkeypatch.setattr(journals, "_PIECE", 300)
    system = structure("mixed levels")
    store = stored(system, 23, ["l1.tip"])
    write_journal(tmp_path / "a.nc.part", system, store, [10, 1, 12])
    for suffix in ("nc", "npz"):
        save(tmp_path / f"a.{suffix}", system, JournalStore(tmp_path / "a.nc.part"), META)
        same(open_results(tmp_path / f"a.{suffix}")[1], store)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.nc", "a.nc.part", "a.npz"]


def test_large_systems_and_long_notes_fit_into_a_file(tmp_path):
    system = ls.library.rigid_chain(1000).compile()
    meta = {"events": ["x" * 100] * 2000, "message": "m" * 70_000, "nan": [float("inf"), None]}
    store = stored(system, 3)
    for suffix in ("nc", "npz", "mat"):
        save(tmp_path / f"a.{suffix}", system, store, meta)
    for suffix in ("nc", "npz"):
        found, other, notes = open_results(tmp_path / f"a.{suffix}")
        same(other, store)
        assert digest(found) == digest(system) and notes == meta


def test_odd_names_survive(tmp_path):
    model = ls.Model('Ärm\0 \ud800, "quoted"\nline')
    for name in ("größe", "a,b", 'say "x"', "two\nlines", "nul\0"):
        model.add(ls.RigidBody(1.0, inertia=1), ls.Revolute("x"), name=name)
    system = model.compile()
    store = stored(system, 3, ["größe", "nul\0"])
    for suffix in ("nc", "npz", "csv", "mat"):
        save(tmp_path / f"a.{suffix}", system, store, {"x": "\0\ud800"})
    for suffix in ("nc", "npz"):
        found, other, notes = open_results(tmp_path / f"a.{suffix}")
        assert found.names == system.names and found.name == system.name
        assert notes == {"x": "\0\ud800"}
        same(other, store)
    table = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    assert table.tobytes() == store.rows.tobytes()


def test_numpys_numbers_in_notes_become_plain(tmp_path):
    meta = {"steps": np.int64(3), "h": np.float64(0.1), "list": np.arange(2), "pair": (1, 2)}
    for suffix in ("nc", "npz"):
        save(tmp_path / f"a.{suffix}", pendulum(), stored(pendulum()), meta)
        plain = {"steps": 3, "h": 0.1, "list": [0, 1], "pair": [1, 2]}
        assert open_results(tmp_path / f"a.{suffix}")[2] == plain
    with pytest.raises(TypeError, match="no place in a file"):
        save(tmp_path / "b.nc", pendulum(), stored(pendulum()), {"x": object()})
    assert not (tmp_path / "b.nc").exists()


def test_xarray_opens_a_file_with_names_and_units(tmp_path):
    xarray = pytest.importorskip("xarray")
    system = structure("mixed levels")
    store = stored(system, 23, ["l0", "l1.tip"])
    save(tmp_path / "a.nc", system, store, META)
    with xarray.open_dataset(tmp_path / "a.nc", engine="h5netcdf") as data:
        assert dict(data.sizes) == {
            **{"time": 23, "coordinate": system.n_q, "speed": system.n_v, "load": 2, "six": 6}
        }
        for field in FIELDS:
            assert data[field].values.tobytes() == store.read(field).tobytes()
            assert {"long_name", "units", "description"} <= set(data[field].attrs)
        assert data.time.attrs["units"] == "s" and data.attrs["format_version"] == 1
        assert json.loads(data.attrs["statistics"]) == {"steps": 7}
        assert json.loads(data.attrs["meta"]) == META and data.attrs["status"] == "finished"
        names = [str(x) for x in data.q.coords["coordinate_name"].values]
        assert names == [name for name, _ in labels(system, store.columns, "q")]
        assert [str(x) for x in data.load_name.values] == ["l0", "l1.tip"]
        assert str(data.six_name.values[3]) == "force x"


def test_a_file_has_plain_types_only(tmp_path):
    import h5py

    system = structure("mixed levels")
    save(tmp_path / "a.nc", system, stored(system, 23, ["l0"]), META)

    def plain(_, item):
        if isinstance(item, h5py.Dataset):
            assert item.dtype.kind in "fiS" and item.dtype.itemsize in (1, 4, 8)
            assert item.compression is None and item.chunks is None

    with h5py.File(tmp_path / "a.nc") as file:
        file.visititems(plain)


def test_labels_name_every_number_once_with_a_unit():
    for name in STRUCTURES:
        system = structure(name)
        columns = Columns(system.n_q, system.n_v, (system.names[0],))
        for field in FIELDS:
            pairs = labels(system, columns, field)
            piece = columns.slices[field]
            assert len({x for x, _ in pairs}) == len(pairs) == piece.stop - piece.start
            assert all(unit for _, unit in pairs)
    arm = structure("mixed levels")
    columns = Columns(arm.n_q, arm.n_v)
    assert ("l1.modes[0]", "kg^0.5 m") in labels(arm, columns, "q")
    assert ("l0 quaternion w", "1") in labels(arm, columns, "q")
    assert ("l1 angle rate", "rad/s") in labels(arm, columns, "v")
    assert ("l0 force z", "N") in labels(arm, columns, "force")


@pytest.mark.parametrize("name", JOINTS)
def test_every_joint_has_labels(name):
    model = ls.Model()
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), JOINTS[name], name="a")
    system = model.compile()
    columns = Columns(system.n_q, system.n_v)
    assert len(labels(system, columns, "q")) == system.n_q
    assert len(labels(system, columns, "force")) == system.n_v


def test_a_store_reads_on_while_its_file_is_replaced_by_the_same_and_not_by_another(tmp_path):
    path, store = tmp_path / "a.nc", stored(pendulum(), 9)
    save(path, pendulum(), store, META)
    found = NetcdfStore(path)
    save(path, pendulum(), found, {"status": "renamed"})
    same(found, store)
    save(path, pendulum(), MemoryStore(store.columns, store.rows + 1.0), META)
    with pytest.raises(ResultError, match="now holds another run"):
        found.read("q")
    path.unlink()
    with pytest.raises(ResultError, match="no such file"):
        found.read("q")


def test_a_save_that_fails_keeps_the_old_file(tmp_path):
    store = stored(pendulum(), 9)

    class Broken(MemoryStore):
        def read(self, field, start=0, stop=None):
            if field == "force":
                raise ResultError("the journal is gone")
            return super().read(field, start, stop)

    for suffix in ("nc", "npz", "csv", "mat"):
        path = tmp_path / f"a.{suffix}"
        save(path, pendulum(), store, META)
        before = path.read_bytes()
        with pytest.raises(ResultError, match="the journal is gone"):
            save(path, pendulum(), Broken(store.columns, store.rows), META)
        assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 4


def test_interrupting_a_save_leaves_nothing_behind(tmp_path):
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "a.nc") as temporary:
        assert os.path.dirname(temporary) == str(tmp_path)
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


# Opening what is not whole, not ours or too new


@pytest.mark.parametrize("suffix", ["nc", "npz"])
def test_a_truncated_file_is_refused(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    save(path, pendulum(), stored(pendulum(), 50), META)
    data = path.read_bytes()
    for length in [1, 5, 8, 9, 100, *range(200, len(data), 997), len(data) - 1]:
        path.write_bytes(data[:length])
        with pytest.raises(ResultError, match=rf"a.{suffix} is (cut off|not a file)"):
            open_results(path)


def test_a_changed_number_in_netcdf_is_found_by_check(tmp_path):
    import h5py

    path = tmp_path / "a.nc"
    save(path, pendulum(), stored(pendulum(), 50), META)
    with h5py.File(path, "r+") as file:
        file["v"][7] = 1.25
    with pytest.raises(ResultError, match="variable 'v' has another checksum"):
        open_results(path)[1].check()
    with h5py.File(path, "r+") as file:
        file["system/body_mass"][0] = 7.0
    with pytest.raises(ResultError, match=r"a.nc is .*damaged \(the system has another checksum"):
        open_results(path)


@pytest.mark.parametrize("removed", ["q", "system", "system/description", "time", "system/gravity"])
def test_a_netcdf_file_without_a_part_is_refused(tmp_path, removed):
    import h5py

    path = tmp_path / "a.nc"
    save(path, pendulum(), stored(pendulum(), 50), META)
    with h5py.File(path, "r+") as file:
        del file[removed]
    with pytest.raises(ResultError, match="a.nc .*damaged"):
        open_results(path)[1].read("q")


def test_a_changed_npz_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    save(path, pendulum(), stored(pendulum(), 50), META)
    data = bytearray(path.read_bytes())
    data[len(data) // 4] ^= 1
    path.write_bytes(data)
    with pytest.raises(ResultError, match="a.npz is cut off or damaged"):
        open_results(path)


def test_npz_is_plain_numpy(tmp_path):
    system = structure("mixed levels")
    store = stored(system, 23, ["l1.tip"])
    save(tmp_path / "a.npz", system, store, META)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert file["q"].tobytes() == store.read("q").tobytes()
        assert file["wrench"].shape == (23, 1, 6)
        assert file["q_names"][0] == "l0.modes[0]"
    for n in (0, 1, 23):
        for name in ("mixed levels", "welded rigid bodies"):
            store = stored(structure(name), n)
            save(tmp_path / "a.npz", structure(name), store, META)
            system, other, meta = open_results(tmp_path / "a.npz")
            same(other, store)
            assert digest(system) == digest(structure(name)) and meta == META


def newer(path):
    """Make a file claim the format version 99."""
    import h5py

    if path.suffix == ".nc":
        with h5py.File(path, "r+") as file:
            file.attrs["format_version"] = 99
    elif path.suffix == ".npz":
        with np.load(path) as file:
            content = dict(file)
        np.savez(path, **{**content, "format_version": np.array(99)})
    else:
        data = path.read_bytes()
        start = journals._PREAMBLE.pack(journals.MAGIC, 99)
        path.write_bytes(start + journals._CRC.pack(journals.zlib.crc32(start)) + data[16:])


@pytest.mark.parametrize("name", ["a.nc", "a.npz", "a.nc.part"])
def test_a_file_of_a_newer_format_says_to_update(tmp_path, name):
    path, store = tmp_path / name, stored(pendulum(), 4)
    if name.endswith("part"):
        write_journal(path, pendulum(), store, [4])
    else:
        save(path, pendulum(), store, META)
    newer(path)
    with pytest.raises(
        ResultError, match=f"{name} has format version 99, .*up to 1; update lissom"
    ):
        open_results(path)


def test_what_is_not_ours_is_refused(tmp_path):
    import h5py
    import scipy.io

    with h5py.File(tmp_path / "other.nc", "w") as file:
        file["q"] = np.zeros(3)
    with scipy.io.netcdf_file(tmp_path / "classic.nc", "w") as file:
        file.createDimension("time", 3)
    np.savez(tmp_path / "other.npz", q=np.zeros(3))
    (tmp_path / "text.nc").write_text("time, q\n0, 1\n")
    (tmp_path / "text.nc.part").write_text("time, q\n0, 1\n")
    (tmp_path / "empty.nc").write_bytes(b"")
    for path in tmp_path.iterdir():
        with pytest.raises(ResultError, match=rf"{path.name} is (not a file of results|empty)"):
            open_results(path)
    with pytest.raises(ResultError, match="not a journal"):
        JournalStore(tmp_path / "text.nc")
    with pytest.raises(ResultError, match="not a journal"):
        Journal.reopen(tmp_path / "text.nc")
    assert (tmp_path / "text.nc").read_text() == "time, q\n0, 1\n"


def test_a_missing_file_points_to_its_sister(tmp_path):
    store = stored(pendulum(), 4)
    with pytest.raises(ResultError, match="arm.nc: there is no such file; correct the path"):
        open_results(tmp_path / "arm.nc")
    write_journal(tmp_path / "arm.nc.part", pendulum(), store, [4])
    with pytest.raises(ResultError, match=r"there is .*arm.nc.part \(its run has not finished\)"):
        open_results(tmp_path / "arm.nc")
    save(tmp_path / "leg.nc", pendulum(), store, META)
    with pytest.raises(ResultError, match=r"there is .*leg.nc \(its run has finished\)"):
        open_results(tmp_path / "leg.nc.part")
    for read in (JournalStore, NetcdfStore, Journal.reopen):
        with pytest.raises(ResultError, match="no such file"):
            read(tmp_path / "nothing")


# Exports


def test_unknown_suffixes_are_refused_with_the_known_ones(tmp_path):
    for name in ("arm.txt", "arm", "arm.nc.part"):
        with pytest.raises(ResultError, match=rf"{name}: .*\.nc, \.npz, \.csv, \.mat"):
            save(tmp_path / name, pendulum(), stored(pendulum()), META)
    save(tmp_path / "ARM.NC", pendulum(), stored(pendulum()), META)


@pytest.mark.parametrize("suffix", ["csv", "mat"])
def test_exports_cannot_be_opened_and_say_so(tmp_path, suffix):
    save(tmp_path / f"a.{suffix}", pendulum(), stored(pendulum()), META)
    with pytest.raises(ResultError, match=r"is an export .*save runs as \.nc or \.npz"):
        open_results(tmp_path / f"a.{suffix}")


def test_csv_reads_back_to_the_last_bit(tmp_path, monkeypatch):
    monkeypatch.setattr("lissom.results.exports._BLOCK", 5000)
    system = structure("mixed levels")
    store = stored(system, 50, ["l1.tip"])
    save(tmp_path / "a.csv", system, store, META)
    rows = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    assert rows.tobytes() == store.rows.tobytes()
    with open(tmp_path / "a.csv", newline="") as file:
        header = next(csv.reader(file))
    assert len(set(header)) == store.columns.width
    assert header[0] == "time [s]" and header[1] == "q l0.modes[0] [kg^0.5 m]"
    assert header[-1] == "wrench l1.tip force z [N]"


def test_mat_reads_back_to_the_last_bit(tmp_path):
    import scipy.io

    system = structure("mixed levels")
    store = stored(system, 23, ["l0", "l1.tip"])
    save(tmp_path / "a.mat", system, store, META)
    data = scipy.io.loadmat(tmp_path / "a.mat", simplify_cells=True)
    for field in FIELDS:
        assert np.array_equal(
            data[field].reshape(23, -1), store.read(field).reshape(23, -1), equal_nan=True
        )
    assert data["wrench"].shape == (23, 2, 6)
    assert list(data["names"]["load"]) == ["l0", "l1.tip"]
    assert data["names"]["coordinate"][0] == "l0.modes[0]"
    assert json.loads(data["meta"]) == META
    raw = scipy.io.loadmat(tmp_path / "a.mat")
    assert raw["time"].shape == (23, 1)


def test_a_mat_that_would_be_too_large_points_to_netcdf(tmp_path, monkeypatch):
    monkeypatch.setattr("lissom.results.exports._MAT_LIMIT", 100)
    with pytest.raises(ResultError, match=r"at most 2 GB; save as \.nc"):
        save(tmp_path / "a.mat", pendulum(), stored(pendulum(), 50), META)


def test_importing_lissom_and_its_journals_loads_neither_hdf5_nor_scipy():
    code = (
        "import sys, lissom.results.files, lissom.results.journal, lissom.results.described;"
        "print([m for m in ('h5py', 'h5netcdf', 'scipy', 'numba') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_result_error_can_be_pickled_and_caught_as_either():
    error = pickle.loads(pickle.dumps(ResultError("cannot write a.nc")))
    assert str(error) == "cannot write a.nc"
    assert isinstance(error, LissomError) and isinstance(error, OSError)
    other = ResultError.of(io.UnsupportedOperation("odd"), "a.nc", "read")
    assert str(other) == "cannot read a.nc: odd; try another path"
