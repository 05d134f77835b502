"""Bands of sweeps: what is drawn is what NumPy says."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls

xarray = pytest.importorskip("xarray")


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(2, 50, 7))
    values[0, 3] = np.nan  # a run that failed
    coordinates = {"time": ("time", np.arange(7.0), {"units": "s"}), "length": [1.0, 2.0]}
    return xarray.Dataset(
        {
            "tip.deflection": (("length", "sample", "time"), values, {"units": "m"}),
            "status": (("length", "sample"), np.full((2, 50), "done")),
        },
        coordinates,
    )


def test_a_band_is_between_the_percentiles_and_the_line_is_the_median(data, tmp_path):
    figure = ls.viz.plot_band(data, band=(10, 80), file=tmp_path / "band.png", title="tips")
    assert (tmp_path / "band.png").stat().st_size > 5000
    (axes,) = figure.axes
    assert [line.get_label() for line in axes.get_lines()] == ["length = 1", "length = 2"]
    for k, (line, area) in enumerate(zip(axes.get_lines(), axes.collections, strict=True)):
        rows = data["tip.deflection"].values[k]
        assert np.allclose(line.get_ydata(), np.nanmedian(rows, axis=0))
        corners = area.get_paths()[0].vertices
        for p, pick in ((10, np.min), (80, np.max)):
            edge = [pick(corners[corners[:, 0] == t, 1]) for t in range(7)]
            assert np.allclose(edge, np.nanpercentile(rows, p, axis=0))
    assert "10 to 80 % of 50 runs" in axes.get_title("left")
    assert axes.get_ylabel() == "deflection [m]" and axes.get_xlabel() == "time [s]"


def test_units_of_si_are_shown_in_chosen_ones(data):
    data["own"] = (data["tip.deflection"].dims, data["tip.deflection"].values, {"units": "km"})
    plain, chosen = (ls.viz.plot_band(data, units=units) for units in (None, "mm, ms"))
    for k, (label, size) in enumerate((("deflection [mm]", 1000), ("own [km]", 1))):
        assert chosen.axes[k].get_ylabel() == label
        for a, b in zip(plain.axes[k].get_lines(), chosen.axes[k].get_lines(), strict=True):
            assert np.allclose(size * a.get_ydata(), b.get_ydata())
            assert np.allclose(1000 * a.get_xdata(), b.get_xdata())
    assert chosen.axes[-1].get_xlabel() == "time [ms]"
    assert data["tip.deflection"].attrs == {"units": "m"} and data.time.attrs == {"units": "s"}


def test_one_variable_is_enough_and_failed_runs_do_not_count(data):
    figure = ls.viz.plot_band(data["tip.deflection"].sel(length=1.0))
    assert "of 49 runs" in figure.axes[0].get_title("left")


WRONG = {
    "data": (lambda d: ls.viz.plot_band(3), "data is 3; expected a Dataset"),
    "name": (lambda d: ls.viz.plot_band(d, "tip.deflektion"), "did you mean 'tip.deflection'?"),
    "no time": (lambda d: ls.viz.plot_band(d.isel(time=0)), "nothing over 'time' and 'sample'"),
    "units": (lambda d: ls.viz.plot_band(d, units="mn"), "there is no unit 'mn'"),
    "band": (lambda d: ls.viz.plot_band(d, band=(95, 5)), "expected two percentiles"),
    "many": (
        lambda d: ls.viz.plot_band(xarray.concat(4 * [d], "length")),
        "has 8 curves over 'length'; draw at most 6",
    ),
}


@pytest.mark.parametrize(("call", "words"), WRONG.values(), ids=WRONG)
def test_mistakes_are_named(data, call, words):
    with pytest.raises(ls.StateError) as caught:
        call(data)
    assert words in str(caught.value)
