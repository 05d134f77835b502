"""Channels as printed tables and as tables of xarray and pandas."""

import sys

import numpy as np
import pytest

from tests.samples.results import META, boom_model, random_run


def test_channels_print_as_a_table():
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=2, wrenches=["boom.tip"])
    table = repr(run.channels("tip"))
    assert table.splitlines()[0] == "13 channels"
    assert "  boom.tip.rotation               3x3  [1]        rotation matrix, own axes to" in table
    lines = repr(run.channels()).splitlines()
    assert len(lines) < 90 and lines[-1].strip().endswith("names contain 'text'")
    assert max(map(len, lines)) <= 80 and "[mixed]" in lines[2]
    assert list(run.channels("hand.coord")) == ["hand.coordinates"]
    assert run._ipython_key_completions_() == list(run.channels())


def test_xarray_has_names_units_and_values():
    pytest.importorskip("xarray")
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=4)
    data = run.to_xarray("boom.tip.position", "boom.rotation", "energy.total", "hand.rates", "q")
    assert list(data) == ["boom.tip.position", "boom.rotation", "energy.total", "hand.rates", "q"]
    assert np.array_equal(data.time, run.time) and data.time.attrs["units"] == "s"
    tip = data["boom.tip.position"]
    assert tip.dims == ("time", "axis") and tip.attrs["units"] == "m"
    assert np.array_equal(tip.sel(axis="z"), run["boom.tip.position"][:, 2])
    turn = data["boom.rotation"].sel(axis="y", own_axis="x")
    assert np.array_equal(turn, run["boom.rotation"][:, 1, 0])
    assert data["hand.rates"].attrs["units"] == "rad/s; m/s"
    assert np.array_equal(
        data["hand.rates"].sel({"hand.rates.component": "slide"}), run["hand.rates"][:, 1]
    )
    labels = list(data["q.component"].values)
    assert labels[0] == "base.angle" and "boom.mode.1" in labels
    assert data.attrs == {"system": "boom", "status": "finished", "message": META["message"]}
    usual = run.to_xarray()
    assert {"energy.kinetic", "boom.modes", "hand.position", "hand.force"} <= set(usual)
    assert all(np.array_equal(usual[name], run[name]) for name in usual)


def test_pandas_has_names_units_and_values():
    pytest.importorskip("pandas")
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=4)
    table = run.to_pandas("boom.tip.position", "hand.angle", "hand.force", "boom.rotation")
    assert table.index.name == "time" and np.array_equal(table.index, run.time)
    assert list(table.columns[:6]) == [
        "boom.tip.position.x",
        "boom.tip.position.y",
        "boom.tip.position.z",
        "hand.angle",
        "hand.force.angle",
        "hand.force.slide",
    ]
    assert np.array_equal(table["boom.rotation.yx"], run["boom.rotation"][:, 1, 0])
    assert np.array_equal(table["hand.angle"], run["hand.angle"])
    assert table.attrs["units"]["hand.force.slide"] == "N"
    assert table.attrs["units"]["boom.tip.position.y"] == "m"
    assert "boom.mode_rates.1" in run.to_pandas().columns


@pytest.mark.parametrize("method", ["to_xarray", "to_pandas"])
def test_a_missing_package_is_named_with_its_extra(method, monkeypatch):
    run = random_run(boom_model().compile(), np.random.default_rng(0), n=2)
    monkeypatch.setitem(sys.modules, method.removeprefix("to_"), None)
    with pytest.raises(ImportError, match=r"is not installed; .* 'lissom\[xarray\]'"):
        getattr(run, method)("time")
