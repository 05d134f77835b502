"""Files of every kind: names, notes, NumPy, text, MATLAB."""

import csv
import io
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import lissom as ls
from lissom.errors import LissomError, ResultError
from lissom.results.description.system import digest
from lissom.results.files.disk import replacing
from lissom.results.files.formats import open_results, save
from lissom.results.labels import field_parts
from lissom.results.store import FIELDS, Columns, MemoryStore
from tests.samples.kernel_cases import (
    JOINTS,
    STRUCTURES,
)
from tests.samples.mechanisms import pendulum
from tests.samples.results import META, same, stored, structure


def test_npz_is_plain_numpy(tmp_path):
    system = structure("mixed levels")
    store = stored(system, 23, ["l1.tip"])
    save(tmp_path / "a.npz", system, store, META)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert file["q"].tobytes() == store.read("q").tobytes()
        assert file["wrench"].shape == (23, 1, 6)
        assert file["q_names"][0] == "l0.mode.0"
    for n in (0, 1, 23):
        for name in ("mixed levels", "welded rigid bodies"):
            store = stored(structure(name), n)
            save(tmp_path / "a.npz", structure(name), store, META)
            system, other, meta = open_results(tmp_path / "a.npz")
            same(other, store)
            assert digest(system) == digest(structure(name)) and meta == META


def test_labels_name_every_number_once_with_a_unit():
    for name in STRUCTURES:
        system = structure(name)
        columns = Columns(system.n_q, system.n_v, (system.names[0],))
        for field in FIELDS:
            pairs = field_parts(system, columns, field)
            piece = columns.slices[field]
            assert len({x for x, _ in pairs}) == len(pairs) == piece.stop - piece.start
            assert all(unit for _, unit in pairs)
    arm = structure("mixed levels")
    columns = Columns(arm.n_q, arm.n_v)
    assert ("l1.mode.0", "kg^0.5 m") in field_parts(arm, columns, "q")
    assert ("l0.qw", "1") in field_parts(arm, columns, "q")
    assert ("l1.angle", "rad/s") in field_parts(arm, columns, "v")
    assert ("l0.move_z", "N") in field_parts(arm, columns, "force")


def test_motions_of_maps_have_units_if_they_are_unit_turns_or_slides():
    maps = np.zeros((6, 3))
    maps[[0, 3, 4], [0, 1, 2]] = 1.0, 1.0, 2.0
    maps[3, 0] = 0.5  # a screw
    model = ls.Model()
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), ls.CompoundJoint(list(maps.T)), name="a")
    system = model.compile()
    columns = Columns(system.n_q, system.n_v)
    assert dict(field_parts(system, columns, "q")) == {
        **{"a.motion0": "rad", "a.motion1": "m", "a.motion2": "1"}
    }
    units = [unit for _, unit in field_parts(system, columns, "force")]
    assert units == ["N m", "N", "N m"]


@pytest.mark.parametrize("name", JOINTS)
def test_every_joint_has_labels(name):
    model = ls.Model()
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), JOINTS[name], name="a")
    system = model.compile()
    columns = Columns(system.n_q, system.n_v)
    assert len(field_parts(system, columns, "q")) == system.n_q
    assert len(field_parts(system, columns, "force")) == system.n_v


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
    monkeypatch.setattr("lissom.results.store._BLOCK", 5000)
    system = structure("mixed levels")
    store = stored(system, 50, ["l1.tip"])
    save(tmp_path / "a.csv", system, store, META)
    rows = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    assert rows.tobytes() == store.rows.tobytes()
    with open(tmp_path / "a.csv", newline="") as file:
        header = next(csv.reader(file))
    assert len(set(header)) == store.columns.width
    assert header[0] == "time [s]" and header[1] == "q l0.mode.0 [kg^0.5 m]"
    assert header[-1] == "wrench l1.tip.force_z [N]"


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
    assert data["names"]["coordinate"][0] == "l0.mode.0"
    assert json.loads(data["meta"]) == META
    raw = scipy.io.loadmat(tmp_path / "a.mat")
    assert raw["time"].shape == (23, 1)


def test_a_mat_that_would_be_too_large_points_to_netcdf(tmp_path, monkeypatch):
    monkeypatch.setattr("lissom.results.files.exports._MAT_LIMIT", 100)
    with pytest.raises(ResultError, match=r"at most 2 GB; save as \.nc"):
        save(tmp_path / "a.mat", pendulum(), stored(pendulum(), 50), META)


def test_importing_lissom_and_its_journals_loads_neither_hdf5_nor_scipy():
    code = (
        "import sys, lissom.results.files.formats, lissom.results.files.journal.writer;"
        "import lissom.results.description.system;"
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
    with pytest.raises(TypeError, match="cannot be stored in a results file"):
        save(tmp_path / "b.nc", pendulum(), stored(pendulum()), {"x": object()})
    assert not (tmp_path / "b.nc").exists()


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
