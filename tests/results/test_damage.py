"""Damaged files of results: no wrong number, no hang; tests/verify_damage.py has more."""

import random
import sys
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from lissom.cli import app
from lissom.errors import ResultError
from lissom.results.files.formats import open_results, save
from lissom.results.files.journal.reader import JournalStore
from lissom.results.files.netcdf import check as netcdf_check, reader as netcdf_store
from lissom.results.files.netcdf.reader import NetcdfStore
from lissom.results.files.seal import read_seal
from tests.samples.mechanisms import pendulum
from tests.samples.results import META, same, stored, structure, write_journal
from tests.tools.damaged_files import DAMAGES, ResultFuzz
from tests.tools.file_fuzz import SLOWEST, faults, within

OLD = Path(__file__).parents[1] / "data" / "format_1.nc"


def flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def test_no_damage_gives_wrong_data(tmp_path):
    fuzz = ResultFuzz(tmp_path)
    assert faults(fuzz, tmp_path, 1, range(300)) == []
    assert fuzz.refused > 250


def test_damages_change_files_and_depend_on_the_seed_alone():
    data = random.Random(1).randbytes(5000)
    for damage in DAMAGES:
        found = []
        for _ in range(2):
            copy = bytearray(data)
            damage(copy, random.Random(5))
            found.append(bytes(copy))
        assert found[0] == found[1] != data


@pytest.mark.parametrize("suffix", ["nc", "npz"])
def test_every_byte_of_a_file_is_guarded(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    save(path, pendulum(), stored(pendulum(), 50), META)
    data = path.read_bytes()
    for place in [*range(0, len(data), 997), *range(len(data) - 60, len(data))]:
        path.write_bytes(data)
        flip(path, place)
        with pytest.raises(ResultError, match="a." + suffix):
            open_results(path)


def test_rows_of_a_large_file_are_checked_when_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(netcdf_store, "WHOLE", 1000)
    path, system = tmp_path / "a.nc", structure("mixed levels")
    store = stored(system, 4000, ["l0"])
    save(path, system, store, META)
    whole = open_results(path)[1]
    same(whole, store)
    with open(path, "rb") as file:
        seal = read_seal(file)
    assert len(seal.table) > 20 and len(seal.rows) == 2 * 6
    flip(path, seal.rows[2] + 8 * system.n_q * 2000)
    found = open_results(path)[1]
    assert found.read("q", 0, 100).tobytes() == store.read("q", 0, 100).tobytes()
    for damaged in (found, whole):
        with pytest.raises(ResultError, match="a.nc is .*damaged .*have changed"):
            damaged.read("q", 1990, 2010)
    with pytest.raises(ResultError, match="damaged"):
        found.check()
    flip(path, 300)  # not a row
    with pytest.raises(ResultError, match="damaged"):
        open_results(path)


def test_a_file_that_is_damaged_after_it_was_opened(tmp_path):
    path, store = tmp_path / "a.nc", stored(pendulum(), 500)
    save(path, pendulum(), store, META)
    found = NetcdfStore(path)
    flip(path, path.read_bytes().index(store.read("v").tobytes()) + 100)
    with pytest.raises(ResultError, match="a.nc is truncated or damaged"):
        found.read("v")
    write_journal(tmp_path / "a.nc.part", pendulum(), store, [200, 300])
    journal = JournalStore(tmp_path / "a.nc.part")
    same(journal, store)
    flip(tmp_path / "a.nc.part", (tmp_path / "a.nc.part").stat().st_size // 2)
    with pytest.raises(ResultError, match="part is truncated or damaged"):
        journal.read("v")


def test_other_programs_read_a_sealed_file_and_may_change_it(tmp_path):
    import h5py

    path, store = tmp_path / "a.nc", stored(pendulum(), 50)
    save(path, pendulum(), store, META)
    assert NetcdfStore(path).sealed
    with h5py.File(path, "r+") as file:
        file.attrs["comment"] = "seen by h5py"
    found = open_results(path)[1]
    same(found, store)
    assert not found.sealed


def test_a_file_of_an_earlier_version_opens(tmp_path):
    system, store, meta = open_results(OLD)
    same(store, stored(pendulum(), 5, ["rod"]))
    assert meta == META and not store.sealed and system.name == "pendulum"
    copy = tmp_path / "copy.nc"
    copy.write_bytes(OLD.read_bytes())
    flip(copy, OLD.read_bytes().index(store.read("acceleration").tobytes()) + 9)
    with pytest.raises(ResultError, match="checksum of variable 'acceleration' does not match"):
        open_results(copy)


@pytest.mark.parametrize("ends", ["never", "badly"])
def test_what_the_hdf5_library_does_to_a_damaged_file_happens_elsewhere(
    tmp_path, monkeypatch, ends
):
    copy = tmp_path / "a.nc"
    copy.write_bytes(OLD.read_bytes())
    monkeypatch.setattr(netcdf_check, "PATIENCE", 0.5)
    loop = {"never": "while True: pass", "badly": "import os; os.abort()"}
    monkeypatch.setattr(netcdf_check, "_PROGRAM", loop[ends])
    words = {"never": "does not finish reading it within 1 s", "badly": "fails to read it"}
    with pytest.raises(ResultError, match=f"a.nc is .*{words[ends]}"):
        open_results(copy)


def test_without_an_interpreter_to_start_the_check_is_done_here(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    store = stored(pendulum(), 5, ["rod"])
    same(open_results(OLD)[1], store)
    copy = tmp_path / "a.nc"
    copy.write_bytes(OLD.read_bytes())
    flip(copy, OLD.read_bytes().index(store.read("v").tobytes()) + 3)
    with pytest.raises(ResultError, match="checksum of variable 'v' does not match"):
        open_results(copy)


def test_zeroed_headers_do_not_hang(tmp_path):
    path = tmp_path / "a.nc"
    save(path, pendulum(), stored(pendulum(), 50), META)
    data = path.read_bytes()
    for start in (0, 8, 40, 48, 96):
        for n in (8, 64, 512, 2048):
            path.write_bytes(data[:start] + bytes(n) + data[start + n :])
            with within(SLOWEST), pytest.raises(ResultError):
                open_results(path)


def test_check_looks_at_results(tmp_path):
    from typer.testing import CliRunner

    path, store = tmp_path / "a.nc", stored(pendulum(), 50)
    save(path, pendulum(), store, META)
    save(tmp_path / "a.npz", pendulum(), store, META)
    write_journal(tmp_path / "a.nc.part", pendulum(), store, [20, 30])

    def check(name, *options):
        done = CliRunner().invoke(app, ["check", str(tmp_path / name), *options])
        return done.exit_code, done.output

    for name in ("a.nc", "a.npz", "a.nc.part"):
        code, text = check(name)
        assert code == 0 and "50 rows, 0 s to 0.49 s" in text and f"{name}: no problems" in text
    assert "all bytes match" in check("a.nc")[1] and '"rows": 50' in check("a.npz", "--json")[1]
    with open(tmp_path / "a.nc.part", "ab") as file:
        file.write(b"LsmR and no more")
    assert "an incomplete record at the end" in check("a.nc.part")[1]
    for name in ("a.nc", "a.npz", "a.nc.part"):
        flip(tmp_path / name, 2000)
        code, text = check(name)
        assert code == 1 and "damaged" in text and "1 problem" in text
    assert '"problems": [' in check("a.nc", "--json")[1]
    assert check("a.nc", "--json")[0] == 1


def test_the_rows_before_a_damage_can_be_had(tmp_path):
    path, store = tmp_path / "a.nc.part", stored(pendulum(), 9)
    ends = write_journal(path, pendulum(), store, [2, 3, 4])
    flip(path, ends[1] + 60)
    with pytest.raises(
        ResultError, match=r"2 rows before it .*Trajectory.load\(path, salvage=True"
    ):
        ls.load(path)
    found = ls.Trajectory.load(path, salvage=True)
    assert np.array_equal(found.time, [0.0, 0.01])
