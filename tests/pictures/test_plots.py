"""Pictures by Matplotlib: what is in them, their files, mistakes, and what they leave alone."""

import re
import subprocess
import sys
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import lissom as ls
from lissom.results.store import MemoryStore
from tests.samples.plots import ARM, BOOM, CLOSED, LINKAGE


@pytest.fixture(scope="module")
def run():
    loads = [ls.JointDamper("boom", 0.2), ls.NodeForce("boom.tip", force=(0, 5.0, 0))]
    start = ARM.state(boom=0.5)
    return ls.simulate(ARM, start, duration=1.0, output_step=0.005, loads=loads)


@pytest.fixture(scope="module")
def loop_run():
    return ls.simulate(LINKAGE, CLOSED, duration=0.3, output_step=0.01)


def lines(axes):
    return {line.get_label(): line.get_ydata() for line in axes.get_lines()}


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


# Plots over time


def test_a_panel_has_the_data_labels_and_unit_of_its_channel(run):
    (axes,) = run.plot("ball.position").axes
    found = lines(axes)
    assert list(found) == ["x", "y", "z"] == legend(axes)
    for k, label in enumerate("xyz"):
        np.testing.assert_array_equal(found[label], run["ball.position"][:, k])
        np.testing.assert_array_equal(axes.get_lines()[k].get_xdata(), run.time)
    assert axes.get_ylabel() == "position [m]"
    assert axes.get_xlabel() == "time [s]"
    assert axes.get_title(loc="left").startswith("ball.position: ")


def test_exponents_of_units_are_raised_and_modes_counted(run):
    (axes,) = run.plot("boom.modes").axes
    assert axes.get_ylabel() == "modal coordinates [kg$^{0.5}$ m]"
    assert legend(axes) == ["mode 0", "mode 1"]


def test_each_name_has_a_panel_and_only_the_lowest_names_the_time(run):
    axes = run.plot("boom.angle", "energy.total", "boom.tip.velocity").axes
    assert [a.get_ylabel() for a in axes] == ["angle [rad]", "energy [J]", "velocity [m/s]"]
    assert [a.get_xlabel() for a in axes] == ["", "", "time [s]"]
    assert axes[0].get_legend() is None  # a number needs none


def test_names_in_a_sequence_share_a_panel_and_say_which_they_are(run):
    (axes,) = run.plot(["boom.tip.position", "ball.position"]).axes
    assert legend(axes)[:2] == ["boom.tip.position x", "boom.tip.position y"]
    assert len(axes.get_lines()) == 6


def test_components_of_other_units_have_panels_of_their_own(run):
    axes = run.plot("boom.reaction").axes
    assert [a.get_ylabel() for a in axes] == ["reaction [N m]", "reaction [N]"]
    np.testing.assert_array_equal(lines(axes[1])["force_y"], run["boom.reaction"][:, 4])


def test_a_matrix_has_a_line_for_each_entry(run):
    (axes,) = run.plot("ball.rotation").axes
    np.testing.assert_array_equal(lines(axes)["xz"], run["ball.rotation"][:, 0, 2])


def test_a_name_alone_is_coordinates(run, loop_run):
    assert run.plot("boom").axes[0].get_ylabel() == "coordinates [rad]"
    assert loop_run.plot("pin").axes[0].get_ylabel() == "coordinates [rad]"


def test_without_names_there_are_joints_bending_and_energies_with_their_balance(run):
    joints, bending, energies = run.plot().axes
    np.testing.assert_array_equal(lines(joints)["boom"], run["boom.angle"])
    deflection = run["boom.tip.deflection"]
    np.testing.assert_array_equal(lines(bending)["boom.tip y"], deflection[:, 1])
    assert bending.get_ylabel() == "deflection [m]"
    found = lines(energies)
    for part in ("kinetic", "potential", "strain", "total"):
        np.testing.assert_array_equal(found[part], run[f"energy.{part}"])
    total = run["energy.total"]
    balance = found["start + work − losses"]
    assert np.ptp(total) > 0.1
    assert np.abs(balance - total).max() < 1e-3 * np.ptp(total)


def test_a_balance_that_rows_cannot_tell_is_left_out():
    spring = [ls.JointSpring("boom", 50.0)]
    start = ARM.state(boom=0.5)
    fine = ls.simulate(ARM, start, duration=1.0, output_step=0.002, loads=spring)
    assert "start + work − losses" in lines(fine.plot().axes[-1])
    for step in (5, 10, 20, 50, 100):
        coarse = fine.sample(fine.time[::step])
        assert "start + work − losses" not in lines(coarse.plot().axes[-1])


def test_rounding_of_constant_energies_is_said_and_not_enlarged():
    model = ls.Model("free")
    model.add(ls.RigidBody.box(2.0, (0.3, 0.5, 1.0)), ls.Free(), name="box")
    system = model.compile()
    start = system.state(**{"box.rates": [0.3, 2.0, 0.1, 0, 0, 0]})
    run = ls.simulate(system, start, duration=2.0, output_step=0.1)
    axes, values = run.plot(units="kJ").axes[-1], run["energy.kinetic"]
    assert re.fullmatch(r"Energies, constant to 1e-\d+ of the largest", axes.get_title(loc="left"))
    np.testing.assert_allclose(axes.get_ylim(), (0, 1.1e-3 * values.max()))
    low, high = run.plot("energy.total").axes[0].get_ylim()
    assert high - low < 1e-6 * values.max()


def test_a_high_level_of_the_potential_is_taken_off():
    model = ls.Model("high", gravity=(0, 0, -9.81))
    model.add(
        ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0)), ls.Revolute("y"), at=(0, 0, 1e4), name="r"
    )
    run = ls.simulate(model.compile(), duration=0.5, output_step=0.01)
    axes = run.plot().axes[-1]
    level = run["energy.potential"][0]
    assert axes.get_title(loc="left") == f"Energies; potential and total less {level:.6g} J"
    found = lines(axes)
    np.testing.assert_array_equal(found["potential"], run["energy.potential"] - level)
    np.testing.assert_array_equal(found["kinetic"], run["energy.kinetic"])
    np.testing.assert_allclose(found["total"], 0, atol=1e-6)
    axes = run.plot(units="kJ").axes[-1]
    assert axes.get_title(loc="left").endswith(f"less {level / 1000:.6g} kJ")


def test_closed_loops_are_said_to_be_closed(loop_run):
    figure = loop_run.plot()
    assert "gap [m]" not in [axes.get_ylabel() for axes in figure.axes]
    largest = loop_run["closure"].max()
    stated = float(figure.get_suptitle().split("closed to ")[1].removesuffix(" m)"))
    assert largest <= stated < 10 * largest
    (named,) = loop_run.plot("pin.gap").axes
    assert "closed to" in named.get_title(loc="left")
    assert max(named.get_ylim()) > 100 * largest  # rounding is not enlarged


def test_a_gap_that_is_open_is_a_curve():
    run = ls.simulate(LINKAGE, CLOSED, duration=0.3, output_step=0.01)
    rows = run.store.read("q").copy()
    rows[:, 0] += 1e-3 * run.time
    columns = run.store.columns
    table = np.array(run.store.read("time")[:, None])
    parts = [table, rows, *(run.store.read(x) for x in columns.fields[2:])]
    broken = ls.Trajectory(LINKAGE, MemoryStore(columns, np.concatenate(parts, axis=1)))
    gap = broken.plot().axes[-1]
    assert gap.get_yscale() == "log" and "closed" not in gap.get_title(loc="left")
    values = gap.get_lines()[0].get_ydata()
    np.testing.assert_array_equal(values[1:], broken["closure"][1:])


def test_units_are_chosen(run, tmp_path):
    figure = run.plot(["boom.angle"], "boom.tip.deflection", "boom.reaction", units="deg, mm, kN")
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["angle [deg]", "deflection [mm]", "reaction [kN mm]", "reaction [kN]"]
    np.testing.assert_allclose(
        figure.axes[0].get_lines()[0].get_ydata(), np.rad2deg(run["boom.angle"]), rtol=1e-15
    )
    np.testing.assert_allclose(
        lines(figure.axes[1])["y"], 1e3 * run["boom.tip.deflection"][:, 1], rtol=1e-15
    )
    np.testing.assert_allclose(
        lines(figure.axes[3])["force_z"], 1e-3 * run["boom.reaction"][:, 5], rtol=1e-15
    )
    (axes,) = run.plot("boom.angle", units=["ms"]).axes
    assert axes.get_xlabel() == "time [ms]" and axes.get_lines()[0].get_xdata()[-1] == 1000.0
    with pytest.raises(ls.StateError, match="there is no unit 'degree'"):
        run.plot("boom.angle", units="degree")
    with pytest.raises(ls.StateError, match="'mm' and 'cm' are of the same kind"):
        run.plot("boom.angle", units=["mm", "cm"])


def test_labels_of_the_vertical_axes_stand_in_one_line(run):
    figure = run.plot("boom.angle", "energy.total", "boom.modes", units=["deg"])
    FigureCanvasAgg(figure).draw()
    places = [axes.yaxis.label.get_window_extent().x0 for axes in figure.axes]
    assert np.ptp(places) < 3.0  # pixels; letters differ


def test_positions_and_attitudes_of_free_bodies_are_apart():
    model = ls.Model("one")
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Free(), name="hub")
    system = model.compile()
    start = system.state(**{"hub.rates": [0, 0, 1, 0.1, 0, 0]})
    axes = ls.simulate(system, start, duration=0.1, output_step=0.01).plot().axes
    assert [a.get_ylabel() for a in axes] == ["angle [rad]", "position [m]", "energy [J]"]
    assert legend(axes[0]) == ["hub.roll", "hub.pitch", "hub.yaw"]


def test_of_many_lines_the_legend_names_some_and_counts_the_rest():
    system = ls.library.rigid_chain(30).compile()
    (axes,) = ls.simulate(system, duration=0.02, step=0.01).plot("q").axes
    assert len(axes.get_lines()) == 30
    assert legend(axes)[-1] == "and 18 more"
    assert len(legend(axes)) == 13


def test_legends_stand_beside_the_panels(run):
    figure = run.plot("ball.position", "boom.modes")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    width = figure.bbox.width
    for axes in figure.axes:
        box = axes.get_legend().get_window_extent()
        assert box.x0 >= axes.get_window_extent().x1
        assert box.x1 <= width


def test_events_are_marked_and_named():
    down = ls.Event("boom", value=0.6, name="down")
    run = ls.simulate(ARM, ARM.state(boom=0.5), duration=1.0, output_step=0.01, events=[down])
    ((time, label),) = run.events
    axes = run.plot("boom.angle", "ball.position").axes
    for panel in axes:
        (marks,) = panel.collections
        (segment,) = marks.get_segments()
        assert segment[0][0] == segment[1][0] == pytest.approx(time)
    assert [text.get_text() for text in axes[0].texts] == [label]
    assert not axes[1].texts
    assert not run.plot("boom.angle", events=False).axes[0].collections


def test_many_panels_stand_in_two_columns(run):
    names = ["position", "velocity", "acceleration", "quaternion", "rotation", "angular_velocity"]
    figure = run.plot(*(f"ball.{name}" for name in names), "boom.angle")
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert len(shown) == 7
    assert sum(axes.get_xlabel() == "time [s]" for axes in shown) == 2


def test_title_and_size(run):
    assert run.plot("boom.angle")._suptitle.get_text() == "arm"
    assert run.plot("boom.angle", title="Swing")._suptitle.get_text() == "Swing"
    assert run.plot("boom.angle", title="")._suptitle is None
    assert tuple(run.plot("boom.angle", size=(4, 3)).get_size_inches()) == (4, 3)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"names": ["boom.angel"]}, "did you mean 'angle'"),
        ({"names": ["bom.angle"]}, "did you mean 'boom'"),
        ({"names": [["boom.angle", "nope"]]}, "no channel 'nope'"),
        ({"names": [3]}, 'a channel, such as "body.position"'),
        ({"names": [[]]}, "group of channels is empty"),
        ({"names": ["ball.coordinates"]}, "'ball.coordinates' has no components"),
        ({"size": (0, 3)}, "size is (0, 3)"),
        ({"size": "large"}, "size is 'large'"),
        ({"title": 3}, "title is 3"),
        ({"events": "yes"}, "events is 'yes'"),
        ({"show": 1}, "show is 1"),
    ],
)
def test_mistakes_are_explained(run, given, words):
    with pytest.raises(ls.StateError) as caught:
        run.plot(*given.pop("names", ["boom.angle"]), **given)
    assert words in str(caught.value)


def test_too_many_panels_and_no_rows_are_refused(run):
    with pytest.raises(ls.StateError, match="61 panels are too many"):
        run.plot(*(61 * ["boom.angle"]))
    with pytest.raises(ls.StateError, match="no rows"):
        run.sample([]).plot()


# Files and what is left alone

MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.parametrize("ending", MAGIC)
def test_files_are_written_by_their_ending(run, tmp_path, ending):
    paths = [tmp_path / f"{name}.{ending}" for name in ("plot", "modes", "drawing")]
    run.plot("ball.position", file=paths[0])
    ls.viz.plot_modes(BOOM, file=str(paths[1]))
    ls.viz.draw(ARM, file=paths[2])
    for path in paths:
        assert path.read_bytes().startswith(MAGIC[ending])
    assert sorted(tmp_path.iterdir()) == sorted(paths)  # and nothing else


def test_equal_pictures_are_equal_files(run, tmp_path):
    for ending in MAGIC:
        a, b = (tmp_path / f"{name}.{ending}" for name in "ab")
        run.plot("ball.position", file=a)
        run.plot("ball.position", file=b)
        assert a.read_bytes() == b.read_bytes()


def test_the_letters_of_an_svg_are_text(run, tmp_path):
    run.plot("ball.position", file=tmp_path / "a.svg")
    assert "position [m]</text>" in (tmp_path / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["a.jpeg", "a", "a.nc", ".png"])
def test_unknown_endings_are_refused_before_anything_is_drawn(run, tmp_path, name):
    with pytest.raises(ls.ResultError, match=r"use one of \.png, \.svg, \.pdf"):
        run.plot("boom.angle", file=tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written_are_explained(run, tmp_path):
    with pytest.raises(ls.ResultError, match="its folder does not exist"):
        run.plot("boom.angle", file=tmp_path / "no" / "a.png")
    (tmp_path / "a.png").mkdir()
    with pytest.raises(ls.ResultError, match="it is a folder"):
        ls.viz.draw(ARM, file=tmp_path / "a.png")
    with pytest.raises(ls.ResultError, match="expected the name of a file"):
        ls.viz.plot_modes(BOOM, file=3)


def test_a_file_survives_a_picture_that_fails(run, tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    run.plot("boom.angle", file=path)
    before = path.read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full)
    with pytest.raises(ls.ResultError, match="the disk is full"):
        run.plot("boom.angle", file=path)
    assert path.read_bytes() == before


def test_settings_of_the_user_stay_and_do_not_show(run):
    with mpl.rc_context({"lines.linewidth": 7.0, "axes.grid": False, "font.size": 30.0}):
        before = dict(mpl.rcParams)
        axes = run.plot("boom.angle").axes[0]
        ls.viz.draw(ARM)
        ls.viz.plot_modes(BOOM)
        with pytest.raises(ls.StateError):
            run.plot("nope")
        assert dict(mpl.rcParams) == before
        assert axes.get_lines()[0].get_linewidth() < 3
        assert axes.xaxis.label.get_size() < 12


def test_figures_are_not_kept_open(run):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    with warnings.catch_warnings(action="error"):
        for _ in range(25):
            assert isinstance(run.plot("boom.angle"), Figure)
    assert plt.get_fignums() == before


def test_notebooks_show_a_figure_by_itself(run):
    assert run.plot("boom.angle")._repr_png_().startswith(MAGIC["png"])


def test_no_display_is_needed_and_pyplot_is_not_loaded(tmp_path):
    code = """if True:
        import sys
        import lissom as ls
        figure = ls.viz.draw(ls.library.rigid_chain(2).compile(), file=sys.argv[1])
        print("matplotlib.pyplot" in sys.modules)
    """
    path = tmp_path / "chain.png"
    environment = {"PATH": "", "MPLBACKEND": "TkAgg"}  # no DISPLAY
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert done.stdout.split() == ["False"]
    assert path.exists()


def test_show_without_a_display_is_refused(run):
    with pytest.raises(ls.ResultError, match=r"cannot open a window .*give file="):
        run.plot("boom.angle", show=True)


def test_show_opens_a_window(run, monkeypatch):
    import matplotlib.pyplot as plt

    seen = []
    monkeypatch.setattr(plt, "get_backend", lambda: "QtAgg")
    monkeypatch.setattr(plt, "show", lambda: seen.append(plt.get_fignums()))
    before = plt.get_fignums()
    figure = ls.viz.draw(LINKAGE, CLOSED, view="3d", show=True)
    assert len(seen) == 1
    assert len(seen[0]) == len(before) + 1
    plt.close(figure)


# Modes


def test_every_mode_has_a_panel_with_its_frequency():
    boom = ls.beam(3.0, ls.Tube(radius=0.08, thickness=0.003), ls.ALUMINIUM)
    figure = ls.viz.plot_modes(boom)
    titles = [axes.get_title() for axes in figure.axes]
    kinds = [title.partition(", ")[2] for title in titles]
    assert titles[0] == "mode 0: 17.6 Hz, bending along y"
    assert kinds.count("torsion") == 1
    assert kinds.count("stretch") == 1
    assert len(titles) == 8


def test_a_mode_is_drawn_as_its_shape_beside_the_body_at_rest():
    body = BOOM.normalised()
    axes = ls.viz.plot_modes(BOOM, modes=[1]).axes[0]
    rest, moved = (np.array(line.get_data_3d()).T for line in axes.get_lines()[:2])
    np.testing.assert_allclose(rest, body.node_positions[:25])
    shift, shape = moved - rest, body.node_shapes[:25, 3:, 1]
    factor = shift[-1] @ shape[-1] / (shape[-1] @ shape[-1])
    np.testing.assert_allclose(shift, factor * shape, atol=1e-12)
    assert 0.1 < np.abs(shift).max() < 0.4  # of two metres


def test_bodies_without_a_centre_line_are_drawn_by_their_nodes():
    positions = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    shapes = np.zeros((3, 6, 1))
    shapes[1, 5], shapes[2, 5] = 1.0, -1.0
    body = ls.FlexibleBody(positions, [1, 1, 1], shapes, [[40.0]])
    (axes,) = ls.viz.plot_modes(body).axes
    rest, moved = (np.array(line.get_data_3d()).T for line in axes.get_lines())
    np.testing.assert_array_equal(rest, positions)
    assert moved[1, 2] == pytest.approx(-moved[2, 2])
    assert abs(moved[1, 2]) == pytest.approx(0.14)
    assert axes.get_title() == f"mode 0: {body.frequencies[0]:.3g} Hz"


def test_modes_of_a_system_say_whose_they_are():
    titles = [axes.get_title() for axes in ls.viz.plot_modes(ARM).axes]
    assert [title.partition(":")[0] for title in titles] == ["boom, mode 0", "boom, mode 1"]
    assert len(ls.viz.plot_modes(ARM, "boom", modes=1).axes) == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((ARM, "bom"), "did you mean 'boom'"),
        ((ARM, "ball"), "no flexible body 'ball'"),
        ((ARM, 3), "no flexible body 3"),
        ((BOOM, "boom"), "selects a body of a System"),
        ((LINKAGE,), "four-bar has no flexible body"),
        ((ls.Model("m"),), "got Model; call model.compile() first"),
        ((None,), "expected a FlexibleBody, a NodalBody, a Rod or a System, got NoneType"),
    ],
)
def test_what_has_no_modes_is_explained(given, words):
    with pytest.raises(ls.LissomError) as caught:
        ls.viz.plot_modes(*given)
    assert words in str(caught.value)


@pytest.mark.parametrize("modes", [[2], [-1], "all", [], 1.5, [True], object(), [None]])
def test_numbers_of_modes_are_checked(modes):
    with pytest.raises(ls.StateError, match="modes is"):
        ls.viz.plot_modes(BOOM, modes=modes)


def test_too_many_modes_are_refused():
    many = ls.beam(1.0, ls.Circle(0.01), ls.STEEL, modes=40)
    with pytest.raises(ls.StateError, match="40 modes are too many"):
        ls.viz.plot_modes(many)
    assert len(ls.viz.plot_modes(many, modes=range(6)).axes) == 6
