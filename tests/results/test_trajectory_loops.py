"""Results of systems with loops: forces stored, motion of the loops by name, files, tables."""

import csv
import pickle

import numpy as np
import pytest

import lissom as ls
from lissom.errors import ResultError, StateError
from lissom.results.files.formats import open_results, save
from lissom.results.files.journal.writer import Journal
from lissom.results.store import Columns, MemoryStore
from lissom.results.trajectory import Trajectory
from tests.samples.mechanisms import pendulum
from tests.samples.results import (
    META,
    frame_in_world,
    looped,
    parallelogram,
    random_run,
    rows_of,
    same,
    stored,
    write_journal,
)


def turning(system, angle, rate, *, off=0.0, off_rate=0.0):
    """Parallelogram whose crank turns; the rocker is ahead of it by `off`."""
    zero = np.zeros(len(angle))
    q = np.stack([angle, -angle, angle + off], axis=1)
    v = np.stack([rate, -rate, rate + off_rate], axis=1)
    time = np.linspace(0.0, 1.0, len(angle))
    return Trajectory(system, rows_of(system, time, q, v, np.stack([zero] * 3, axis=1)), META)


ANGLE = np.linspace(-1.0, 20.0, 43)
RATE = np.linspace(3.0, -2.0, 43)


def test_forces_and_moments_are_those_of_the_rows():
    run = random_run(looped(ls.Revolute("z"), ls.Fixed()), np.random.default_rng(0))
    forces = run.store.read("loop_force").reshape(run.n, 2, 6)
    for k, name in enumerate(("pin", "rod")):
        assert np.array_equal(run[f"{name}.moment"], forces[:, k, :3])
        assert np.array_equal(run[f"{name}.force"], forces[:, k, 3:])
    assert run.store.columns.width == 1 + run.system.n_q + 3 * run.system.n_v + 12


def test_closed_loops_have_no_gap_and_the_coordinates_of_their_joint():
    run = turning(parallelogram(), ANGLE, RATE)
    assert run["pin.gap"].shape == run["pin.rate"].shape == (run.n, 5)
    assert run["closure"].shape == (run.n,)
    assert run["closure"].max() < 1e-14 and run["closure_rate"].max() < 1e-14
    # against the coupler, which does not turn, the rocker turns as the crank does: three turns
    turns = ANGLE[0] - run["pin.coordinates"][0]
    assert np.allclose(run["pin.coordinates"][:, 0] + turns, ANGLE, rtol=0, atol=1e-13)
    assert run["pin"] is run["pin"] and np.array_equal(run["pin"], run["pin.coordinates"])


def test_the_gap_is_the_distance_of_the_ends():
    off = np.linspace(-0.3, 0.3, 43)
    run = turning(parallelogram(), ANGLE, RATE, off=off)
    expected = 2 * np.abs(np.sin(off / 2))  # chord of a circle of one metre
    assert np.allclose(np.linalg.norm(run["pin.gap"], axis=1), expected, rtol=0, atol=1e-14)
    assert np.allclose(run["closure"], expected, rtol=0, atol=1e-14)


def test_the_rate_is_the_speed_of_one_end_against_the_other():
    fast = np.linspace(-2.0, 5.0, 43)
    run = turning(parallelogram(), ANGLE, RATE, off_rate=fast)
    assert np.allclose(run["closure_rate"], np.abs(fast), rtol=0, atol=1e-13)
    assert run["closure"].max() < 1e-14


def test_a_forbidden_angle_counts_at_the_length_of_the_system():
    run = turning(parallelogram(ls.Fixed()), np.linspace(-3.0, 3.0, 43), RATE)
    assert run.system.length == 2.0 and run["pin.gap"].shape == (43, 6)
    assert np.allclose(run["closure"], 2.0 * np.abs(run["crank.angle"]), rtol=0, atol=1e-13)
    assert np.allclose(run["closure_rate"], 2.0 * np.abs(RATE), rtol=0, atol=1e-13)
    assert run["pin.coordinates"].shape == (43, 0)


def test_the_gap_of_a_ball_is_the_distance_of_its_frames_in_the_world():
    run = random_run(looped(ls.Spherical(), ls.Spherical()), np.random.default_rng(3))
    for k in range(run.n):
        state, expected = run.system.state(run.q[k], run.v[k]), []
        for loop in run.system.loops:
            points = [frame_in_world(run.system, state, end)[0] for end in loop.ends]
            expected.append(np.linalg.norm(points[1] - points[0]))
            found = np.linalg.norm(run[f"{loop.name}.gap"][k])
            assert abs(found - expected[-1]) < 1e-13 * (1 + expected[-1])
        assert abs(run["closure"][k] - max(expected)) < 1e-13 * (1 + max(expected))
    quaternions = run["pin.coordinates"]
    assert np.allclose(np.linalg.norm(quaternions, axis=1), 1, rtol=0, atol=1e-14)
    assert np.all(np.sum(quaternions[1:] * quaternions[:-1], axis=1) >= 0)


@pytest.mark.parametrize("turns", [1, -1])
def test_coordinates_go_on_over_a_turn_where_the_joint_is_the_same_after_it(turns):
    angle = turns * ANGLE
    for joint, column in (
        (ls.Cylindrical("z"), 0),
        (ls.Planar("z"), 2),
        (ls.Universal("z", "x"), 0),
    ):
        run = turning(parallelogram(joint), angle, RATE)
        found = run["pin.coordinates"]
        shift = found[0, column] - angle[0]
        assert np.allclose(found[:, column] - shift, angle, rtol=0, atol=1e-13)
        assert abs(np.round(shift / (2 * np.pi)) - shift / (2 * np.pi)) < 1e-14
        others = np.delete(found, column, axis=1)
        assert np.abs(others).max() < 1e-13


def test_every_channel_of_loops_is_listed_with_shape_labels_and_units():
    run = random_run(looped(ls.Cylindrical("z"), ls.Fixed()), np.random.default_rng(1))
    listed = {name: c for name, c in run.channels().items() if name.split(".")[0] in ("pin", "rod")}
    axes = [f"{a}{b}" for a in ("force", "moment") for b in ("", "_a", "_world")]
    kinds = (*axes, "gap", "rate", "coordinates")
    assert set(listed) == {f"{a}.{b}" for a in ("pin", "rod") for b in kinds} - {"rod.coordinates"}
    for name, channel in listed.items():
        assert name in run and run[name].shape == (run.n, *channel.shape)
        assert len(channel.labels) == len(channel.units) == channel.shape[0]
        assert not run[name].flags.writeable and run[name] is run[name]
    channels = run.channels()
    assert channels["pin.force"].unit == "N" and channels["pin.moment"].unit == "N m"
    assert channels["pin.gap"].unit == "m" and channels["rod.rate"].unit == "m/s"
    assert channels["pin.coordinates"].labels == ("angle", "slide")
    assert channels["closure"].shape == () and channels["closure_rate"].unit == "m/s"
    assert "closure" not in random_run(pendulum(), np.random.default_rng(0)).channels()
    assert run["rod.coordinates"].shape == (run.n, 0)


def about_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def test_forces_of_loops_in_other_axes():
    """End b is on the rocker and end a on the coupler, both with turned frames."""
    model = ls.Model("four bar", gravity=(0, -9.81, 0))
    link, bar = (
        ls.RigidBody.rod(3.0, 1.0, com=(0.5, 0, 0)),
        ls.RigidBody.rod(5.0, 2.0, com=(1, 0, 0)),
    )
    model.add(link, ls.Revolute("z"), name="crank")
    model.add(bar, ls.Revolute("z"), to="crank", at=(1, 0, 0), name="coupler")
    model.add(link, ls.Revolute("z"), at=(2, 0, 0), name="rocker")
    turned = {"rotation_a": about_z(0.4), "rotation_b": about_z(-0.3)}
    ends = {"at_a": (2, 0, 0), "at_b": (1, 0, 0), **turned}
    model.close(ls.Revolute("z"), "coupler", "rocker", **ends, name="pin")
    system = model.compile()
    start = system.state(crank=-0.4, coupler=0.4, rocker=-0.4)
    run = ls.simulate(system, start, duration=0.5, output_step=0.05)
    b = run["rocker.rotation"] @ turned["rotation_b"]
    a = run["coupler.rotation"] @ turned["rotation_a"]
    for kind in ("force", "moment"):
        world = np.einsum("nij,nj->ni", b, run[f"pin.{kind}"])
        np.testing.assert_allclose(run[f"pin.{kind}_world"], world, atol=1e-12)
        back = np.einsum("nji,nj->ni", a, world)
        np.testing.assert_allclose(run[f"pin.{kind}_a"], back, atol=1e-12)
    # Newton's law of the rocker about its pivot: moment of the pin's force and of its weight
    arm, middle = run["rocker.rotation"][:, :, 0], run["rocker.rotation"][:, :, 0] / 2
    weight = np.array([0, -9.81 * 3.0, 0])
    moment = np.cross(arm, run["pin.force_world"]) + np.cross(middle, weight)
    expected = run["rocker.hinge_acceleration"][:, 0] * 3.0 * 1.0**2 / 3
    np.testing.assert_allclose(moment[:, 2], expected, atol=1e-9)


@pytest.mark.parametrize(
    "name, message",
    [
        ("pin.froce", "loop 'pin' has no 'froce'; did you mean 'force'"),
        ("pin.position", "loop 'pin' has no 'position'"),
        ("pin.a.force", "'pin.a.force' has too many parts; a channel of a loop"),
        ("pim.force", "there is no body or loop 'pim'; did you mean 'pin'"),
        ("closur", "there is no channel 'closur'; did you mean 'closure'"),
    ],
)
def test_a_wrong_name_is_told_what_may_have_been_meant(name, message):
    run = turning(parallelogram(), ANGLE, RATE)
    with pytest.raises(StateError, match=message):
        run[name]
    assert name not in run


def test_a_tree_has_no_closure():
    run = random_run(pendulum(), np.random.default_rng(0))
    for name in ("closure", "closure_rate"):
        with pytest.raises(StateError, match=f"there is no channel '{name}'"):
            run[name]


def test_rows_for_another_number_of_loops_are_refused():
    system = parallelogram()
    rows = np.zeros((3, Columns(3, 3).width))
    with pytest.raises(StateError, match=r"rows have the forces of 0 loops; parallelogram has 1"):
        Trajectory(system, MemoryStore(Columns(3, 3), rows))


def test_the_journal_refuses_columns_for_another_number_of_loops(tmp_path):
    with pytest.raises(ValueError, match="another system"):
        Journal.create(tmp_path / "a.nc.part", parallelogram(), Columns(3, 3), {})


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_rows_that_are_not_finite_are_named(bad):
    run = turning(parallelogram(), ANGLE, RATE)
    rows = run.store.rows.copy()
    rows[7, 5] = bad
    damaged = Trajectory(run.system, MemoryStore(run.store.columns, rows))
    with pytest.raises(StateError, match="row 7 .*not finite"):
        damaged["closure"]


def test_the_size_of_a_huge_rate_does_not_overflow():
    run = turning(parallelogram(), ANGLE, RATE, off_rate=1e200)
    assert np.allclose(run["closure_rate"], 1e200, rtol=1e-14, atol=0)


def test_no_rows_give_channels_without_entries():
    system = looped(ls.Spherical(), ls.Revolute("z"))
    run = Trajectory(
        system, MemoryStore(Columns.of(system), np.zeros((0, Columns.of(system).width)))
    )
    for name, channel in run.channels().items():
        assert run[name].shape == (0, *channel.shape), name


@pytest.mark.parametrize("loads", [(), ("boom.tip", "hand")])
def test_files_keep_the_forces_of_loops_to_the_last_bit(tmp_path, loads, monkeypatch):
    monkeypatch.setattr("lissom.results.store._BLOCK", 3000)
    system = looped(ls.Revolute("z"), ls.Universal("x", "y"))
    store = stored(system, 200, loads)
    assert store.columns.fields[-1] == "loop_force" and store.columns.n_loop == 2
    write_journal(tmp_path / "a.nc.part", system, store, [120, 80])
    for suffix in ("nc", "npz"):
        save(tmp_path / f"a.{suffix}", system, store, META)
    for name in ("a.nc.part", "a.nc", "a.npz"):
        again, back, _ = open_results(tmp_path / name)
        same(store, back)
        same(store, pickle.loads(pickle.dumps(back)))
        assert [loop.name for loop in again.loops] == ["pin", "rod"]
        assert [loop.joint.label for loop in again.loops] == [x.joint.label for x in system.loops]
    open_results(tmp_path / "a.nc")[1].check()


def test_a_changed_force_of_a_loop_is_found(tmp_path):
    import h5py

    path = tmp_path / "a.nc"
    save(path, parallelogram(), stored(parallelogram()), META)
    with h5py.File(path, "r+") as file:
        file["loop_force"][7] = 1.25
    with pytest.raises(ResultError, match="checksum of variable 'loop_force' does not match"):
        open_results(path)[1].check()
    with h5py.File(path, "r+") as file:
        del file["loop_force"]
    with pytest.raises(ResultError, match="damaged"):
        open_results(path)[1].read("loop_force")


def test_channels_are_the_same_from_a_file(tmp_path):
    run = random_run(looped(ls.Spherical(), ls.Screw("z", 0.2)), np.random.default_rng(2))
    run.save(tmp_path / "a.nc")
    again = Trajectory.load(tmp_path / "a.nc")
    for name in run.channels():
        assert run[name].tobytes() == again[name].tobytes(), name


def test_xarray_opens_a_file_with_the_names_of_loops(tmp_path):
    xarray = pytest.importorskip("xarray")
    system = looped(ls.Revolute("z"), ls.Fixed())
    store = stored(system)
    save(tmp_path / "a.nc", system, store, META)
    with xarray.open_dataset(tmp_path / "a.nc", engine="h5netcdf") as data:
        assert data.loop_force.dims == ("time", "loop", "six")
        assert [str(x) for x in data.loop_name.values] == ["pin", "rod"]
        assert data.loop_force.values.tobytes() == store.read("loop_force").tobytes()
        assert str(data.six_name.values[3]) == "force_x" and data.attrs["format_version"] == 12
        assert {"long_name", "units", "description"} <= set(data.loop_force.attrs)


def test_csv_and_mat_have_the_forces_of_loops(tmp_path):
    import scipy.io

    system = looped(ls.Revolute("z"), ls.Fixed())
    store = stored(system, 23, ["hand"])
    for suffix in ("csv", "mat"):
        save(tmp_path / f"a.{suffix}", system, store, META)
    with open(tmp_path / "a.csv", newline="") as file:
        header = next(csv.reader(file))
    assert len(set(header)) == store.columns.width
    assert header[-12] == "loop_force pin.moment_x [N m]"
    assert header[-1] == "loop_force rod.force_z [N]"
    rows = np.loadtxt(tmp_path / "a.csv", delimiter=",", skiprows=1)
    assert rows.tobytes() == store.rows.tobytes()
    data = scipy.io.loadmat(tmp_path / "a.mat", simplify_cells=True)
    assert list(data["names"]["loop"]) == ["pin", "rod"]
    assert data["loop_force"].shape == (23, 2, 6)
    expected = store.read("loop_force").reshape(23, 2, 6)
    assert np.array_equal(data["loop_force"], expected, equal_nan=True)


def test_tables_have_the_forces_of_loops():
    pytest.importorskip("xarray")
    run = random_run(looped(ls.Revolute("z"), ls.Fixed()), np.random.default_rng(0))
    data = run.to_xarray()
    assert data["pin.force"].dims == ("time", "axis") and data["rod.moment"].units == "N m"
    assert np.array_equal(data["pin.force"], run["pin.force"])
    assert "pin.gap" not in data
    wanted = run.to_xarray("pin.gap", "closure", "rod.rate")
    assert wanted["pin.gap"].dims == ("time", "pin.gap.component")
    assert wanted["closure"].dims == ("time",) and wanted["closure"].units == "m"
    table = run.to_pandas("pin.force", "pin", "closure")
    assert list(table) == ["pin.force.x", "pin.force.y", "pin.force.z", "pin.angle", "closure"]
    assert table.attrs["units"]["pin.angle"] == "rad"


def slider_crank():
    """Crank and rod of one metre, so that the rod's tip is at (2 cos angle, 0)."""
    model, rod = ls.Model("slider-crank"), ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(rod, ls.Revolute("z"), name="crank")
    model.add(rod, ls.Revolute("z"), name="rod", to="crank", at=(1, 0, 0))
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="slider")
    model.close(ls.Revolute("z"), "rod", "slider", at_a=(1, 0, 0), name="pin")
    return model.compile()


def test_between_rows_loops_are_open_by_the_error_of_the_interpolation():
    """Halving the distance of the rows divides the gap by 2^6, its rate by 2^5."""
    gaps, rates = [], []
    for n in (16, 32, 64):
        time = np.linspace(0.0, 2.0, n + 1)
        angle, w, w_dot = np.sin(3 * time), 3 * np.cos(3 * time), -9 * np.sin(3 * time)
        c, s = np.cos(angle), np.sin(angle)
        slide = 2 * c, -2 * s * w, -2 * (c * w**2 + s * w_dot)
        moved = [np.stack([x, -2 * x, y], 1) for x, y in zip((angle, w, w_dot), slide, strict=True)]
        system = slider_crank()
        run = Trajectory(system, rows_of(system, time, *moved))
        assert run["closure"].max() < 1e-14 and run["closure_rate"].max() < 1e-14
        between = run.sample(0.7 * time[:-1] + 0.3 * time[1:])
        gaps.append(between["closure"].max())
        rates.append(between["closure_rate"].max())
    assert 1e-10 < gaps[2] and np.all(np.abs(np.log2(gaps[:-1]) - np.log2(gaps[1:]) - 6) < 0.4)
    assert np.all(np.abs(np.log2(rates[:-1]) - np.log2(rates[1:]) - 5) < 0.4)


def test_forces_of_loops_are_on_straight_lines_between_rows():
    run = random_run(looped(ls.Revolute("z"), ls.Fixed()), np.random.default_rng(4))
    middle = (run.time[1:] + run.time[:-1]) / 2
    expected = (run["pin.force"][1:] + run["pin.force"][:-1]) / 2
    assert np.allclose(run.sample(middle)["pin.force"], expected, rtol=0, atol=1e-14)
