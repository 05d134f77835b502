"""Results as NetCDF."""

import json
import pickle

import pytest

from lissom.errors import ResultError
from lissom.records.system import digest
from lissom.results.files.formats import open_results, save
from lissom.results.files.journal import reader as journal_store, records as journal_records
from lissom.results.files.journal.reader import JournalStore
from lissom.results.files.netcdf.reader import NetcdfStore
from lissom.results.files.netcdf.writer import write_netcdf
from lissom.results.labels import field_parts
from lissom.results.store import FIELDS, MemoryStore
from tests.samples.mechanisms import pendulum
from tests.samples.results import META, same, stored, structure, write_journal


@pytest.mark.parametrize("compression", [0, 4])
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
    with pytest.raises(ValueError, match="expected 0 to 4"):
        write_netcdf(tmp_path / "a.nc", pendulum(), stored(pendulum()), META, compression=9)


def test_a_journal_becomes_netcdf_piece_by_piece(tmp_path, monkeypatch):
    monkeypatch.setattr("lissom.results.store._BLOCK", 500)
    for module in (journal_records, journal_store):
        monkeypatch.setattr(module, "PIECE", 300)
    system = structure("mixed levels")
    store = stored(system, 23, ["l1.tip"])
    write_journal(tmp_path / "a.nc.part", system, store, [10, 1, 12])
    for suffix in ("nc", "npz"):
        save(tmp_path / f"a.{suffix}", system, JournalStore(tmp_path / "a.nc.part"), META)
        same(open_results(tmp_path / f"a.{suffix}")[1], store)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.nc", "a.nc.part", "a.npz"]


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
        assert data.time.attrs["units"] == "s" and data.attrs["format_version"] == 12
        assert json.loads(data.attrs["statistics"]) == {"steps": 12}
        assert json.loads(data.attrs["meta"]) == META and data.attrs["status"] == "finished"
        names = [str(x) for x in data.q.coords["coordinate_name"].values]
        assert names == [name for name, _ in field_parts(system, store.columns, "q")]
        assert [str(x) for x in data.load_name.values] == ["l0", "l1.tip"]
        assert str(data.six_name.values[3]) == "force_x"


def test_a_file_has_plain_types_only(tmp_path):
    import h5py

    system = structure("mixed levels")
    save(tmp_path / "a.nc", system, stored(system, 23, ["l0"]), META)

    def plain(_, item):
        if isinstance(item, h5py.Dataset):
            assert item.dtype.kind in "fiuS" and item.dtype.itemsize in (1, 4, 8)
            assert item.compression is None and item.chunks is None

    with h5py.File(tmp_path / "a.nc") as file:
        file.visititems(plain)


def test_a_store_reads_on_while_its_file_is_replaced_by_the_same_and_not_by_another(tmp_path):
    path, store = tmp_path / "a.nc", stored(pendulum(), 9)
    save(path, pendulum(), store, META)
    found = NetcdfStore(path)
    save(path, pendulum(), found, {"status": "renamed"})
    same(found, store)
    save(path, pendulum(), MemoryStore(store.columns, store.rows + 1.0), META)
    with pytest.raises(ResultError, match="now contains another run"):
        found.read("q")
    path.unlink()
    with pytest.raises(ResultError, match="no such file"):
        found.read("q")
