"""Opening what is not whole, not ours or too new."""

import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from lissom.errors import ResultError
from lissom.results.files.formats import open_results, save
from lissom.results.files.journal import records as journal_records
from lissom.results.files.journal.reader import JournalStore
from lissom.results.files.journal.writer import Journal
from lissom.results.files.netcdf.reader import NetcdfStore
from lissom.results.files.versions import FORMAT_VERSION
from tests.samples.mechanisms import pendulum
from tests.samples.results import META, stored, write_journal


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    data=st.binary(max_size=300),
    start=st.sampled_from([b"", journal_records.MAGIC, b"\x89HDF\r\n\x1a\n", b"PK\x03\x04"]),
)
def test_garbage_is_not_a_file_of_results(tmp_path, data, start):
    path = tmp_path / "a.nc"
    path.write_bytes(start + data)
    with pytest.raises(ResultError, match="a.nc"):
        open_results(path)


@pytest.mark.parametrize("suffix", ["nc", "npz"])
def test_a_truncated_file_is_refused(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    save(path, pendulum(), stored(pendulum(), 50), META)
    data = path.read_bytes()
    for length in [1, 5, 8, 9, 100, *range(200, len(data), 997), len(data) - 1]:
        path.write_bytes(data[:length])
        with pytest.raises(ResultError, match=rf"a.{suffix} is (truncated|not a results file)"):
            open_results(path)


def test_a_changed_number_in_netcdf_is_found_by_check(tmp_path):
    import h5py

    path = tmp_path / "a.nc"
    save(path, pendulum(), stored(pendulum(), 50), META)
    with h5py.File(path, "r+") as file:
        file["v"][7] = 1.25
    with pytest.raises(ResultError, match="checksum of variable 'v' does not match"):
        open_results(path)[1].check()
    with h5py.File(path, "r+") as file:
        file["system/content"][-20] ^= 1
    with pytest.raises(
        ResultError, match=r"a.nc is .*damaged \(the checksum of the system does not"
    ):
        open_results(path)


@pytest.mark.parametrize("removed", ["q", "system", "system/content", "time"])
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
    store = stored(pendulum(), 50)
    save(path, pendulum(), store, META)
    data = bytearray(path.read_bytes())
    data[data.find(store.read("v").tobytes()) + 80] ^= 1
    path.write_bytes(data)
    with pytest.raises(ResultError, match="a.npz is truncated or damaged"):
        open_results(path)


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
        start = journal_records.PREAMBLE.pack(journal_records.MAGIC, 99)
        path.write_bytes(start + journal_records.CRC.pack(zlib.crc32(start)) + data[16:])


@pytest.mark.parametrize("name", ["a.nc", "a.npz", "a.nc.part"])
def test_a_file_of_a_newer_format_says_to_update(tmp_path, name):
    path, store = tmp_path / name, stored(pendulum(), 4)
    if name.endswith("part"):
        write_journal(path, pendulum(), store, [4])
    else:
        save(path, pendulum(), store, META)
    newer(path)
    with pytest.raises(
        ResultError, match=f"{name} has format version 99, .*up to {FORMAT_VERSION}; update lissom"
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
        with pytest.raises(ResultError, match=rf"{path.name} is (not a results file|empty)"):
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
