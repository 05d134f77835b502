"""Options of views and pictures: plot, camera, films; what is drawn how; mistakes are named."""

import base64
import re

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app
from lissom.viz.scene.frame_times import frames_of
from lissom.viz.view.curves import described_curves
from tests.samples.four_bars import four_bar_of_a_chain
from tests.samples.motions_to_view import (
    Opened,
    arm_run,
    bending_run,
    decoded,
    moved,
    shared_browser,
    until,
)
from tests.samples.results import random_run


@pytest.fixture
def opened(tmp_path):
    """Function that opens a run's page; at the end nothing was amiss on any."""
    pages = []

    def open_page(run, size=(570, 240), **options):
        path = tmp_path / f"page{len(pages)}.html"
        run.to_html(path, **{"theme": "light", **options})
        pages.append(Opened(shared_browser(), path.as_uri(), size))
        return pages[-1]

    yield open_page
    for page in pages:
        page.page.close()
        assert page.complaints == []
        assert len(page.requests) == 1


def values_of(plot, panel):
    """Curves of a panel as sent."""
    steps = decoded(plot, panel["values"]).astype(float).reshape(len(panel["lines"]), -1)
    return panel["low"] + steps / 65534 * (panel["high"] - panel["low"])


def test_curves_are_the_channels_at_the_frames():
    run = arm_run(50)
    names = ["payload.position", ["upper.angle", "lower.angle"]]
    plot = described_curves(run, frames_of(run, 50), names)
    place, angles = plot["panels"]
    assert place["unit"] == "m" and place["lines"] == ["x", "y", "z"]
    assert angles["lines"] == ["upper.angle", "lower.angle"]
    for panel, expected in (
        (place, run["payload.position"].T),
        (angles, [run["upper.angle"], run["lower.angle"]]),
    ):
        width = panel["high"] - panel["low"]
        assert np.allclose(values_of(plot, panel), expected, atol=width / 65000)
    few = described_curves(run, frames_of(run, 7), "upper.angle")
    times = decoded(few, few["times"])
    expected = np.interp(times, run.time, run["upper.angle"])
    assert np.allclose(values_of(few, few["panels"][0])[0], expected, atol=1e-4)


def test_usual_curves_are_few_and_small():
    plot = described_curves(arm_run(), arm_run(), None)
    assert plot["panels"][0]["title"].startswith("Bending")
    assert max(len(panel["lines"]) for panel in plot["panels"]) <= 4
    assert sum(len(text) for _, text in plot["arrays"]) < 30_000
    assert described_curves(arm_run(), arm_run(), ()) is None


def test_the_plot_is_in_step_with_the_slider(opened):
    run = arm_run(60)
    page = opened(run, size=(390, 760), plot=["upper.angle", "payload.position"])
    assert page.page.locator("#panels option").all_inner_texts()[0].startswith("upper.angle")
    for time in (0.3, 1.7):
        page(f"seek({time})")
        page.settle()
        expected = np.interp(time, run.time, run["upper.angle"])
        assert page("plotted(0)") == pytest.approx(expected, abs=1e-4)
        shown = page.page.locator("#values li").first.inner_text()
        assert float(re.search(r"(-?[\d.]+) rad", shown)[1]) == pytest.approx(expected, rel=0.01)
    # a press on the plot goes to the time below which the slider's thumb then is
    plot, slider = (page.page.locator(x).bounding_box() for x in ("#plot", "#slider"))
    x = slider["x"] + 8 + 0.25 * (slider["width"] - 16)
    page.page.mouse.click(x, plot["y"] + 20)
    assert page("time") == pytest.approx(0.5, abs=0.02)
    page.page.locator("#panels").select_option("1")
    page.settle()
    assert page.page.locator("#values li").count() == 3
    assert plot["x"] >= 0 and plot["x"] + plot["width"] <= 390
    title, button = (page.page.locator(x).bounding_box() for x in ("h1", "#fold"))
    assert title["x"] + title["width"] <= button["x"]
    page.press("fold")
    panel = page.page.locator("#settings").bounding_box()
    assert panel["y"] > title["y"] + title["height"]  # the title stays visible
    page.press("show-plot")
    assert not page.page.locator("#plot").is_visible()


@pytest.mark.parametrize("duration, speed", [(0.05, 0.005), (18.0, 1), (10_800.0, 1000)])
def test_every_motion_plays_in_five_to_twenty_seconds(opened, duration, speed):
    run = bending_run()
    page = opened(moved(run.system, [run.state(t) for t in run.time], duration))
    assert page("speed") == pytest.approx(speed)
    assert 5 <= duration / page("speed") <= 20
    assert page.page.locator("#speed").input_value() == f"{speed:g}"


def test_a_film_is_complete_and_at_the_right_speed(opened):
    """Chromium's own decoder reads it: size, duration, and the picture that was drawn."""
    run = bending_run()
    page = opened(moved(run.system, [run.state(t) for t in run.time], 0.001), size=(240, 160))
    until(page.page, "window.lissom.films")
    kinds = page("films")
    assert "webm" in kinds
    page.page.locator("#speed").evaluate(
        "(x) => { x.value = '0.002'; x.dispatchEvent(new Event('change')); }"
    )
    page("pause()")
    for kind in kinds:
        data = bytes(page.page.evaluate("async (k) => [...await window.lissom.film(k)]", kind))
        length, width, height, light = film_in_a_browser(data, kind)
        assert (width, height) == (240, 160)
        assert length == pytest.approx(0.001 / 0.002 + 1 / 30, abs=0.02)
        assert light > 200  # the background, as it was drawn
    assert page("time") == 0.0
    assert page.page.locator("#film").inner_text() == "save film"


def film_in_a_browser(data, kind):
    """Duration, width, height, and brightness of a corner of the last frame."""
    page = shared_browser().new_page()
    script = """async ([text, type]) => {
      const video = document.createElement("video");
      video.muted = true;
      video.src = `data:${type};base64,${text}`;
      await new Promise((done, failed) => {
        video.onloadeddata = done;
        video.onerror = () => failed(video.error.message);
      });
      video.currentTime = video.duration - 0.01;
      await new Promise((done) => { video.onseeked = done; });
      const canvas = document.createElement("canvas"), brush = canvas.getContext("2d");
      Object.assign(canvas, { width: video.videoWidth, height: video.videoHeight });
      let data = [0, 0, 0, 0];
      for (let tries = 0; tries < 100 && !data[3]; tries++) { // until a frame is decoded
        brush.drawImage(video, 0, 0);
        data = brush.getImageData(canvas.width - 4, 4, 1, 1).data;
        await new Promise((done) => setTimeout(done, 30));
      }
      return [video.duration, canvas.width, canvas.height, data[0]];
    }"""
    found = page.evaluate(script, [base64.b64encode(data).decode(), f"video/{kind}"])
    page.close()
    return found


def test_a_browser_without_encoders_of_frames_records_in_real_time(tmp_path):
    path, run = tmp_path / "boom.html", bending_run()
    moved(run.system, [run.state(t) for t in run.time], 0.2).to_html(path)
    page = shared_browser().new_page(viewport={"width": 200, "height": 150})
    page.add_init_script("delete window.VideoEncoder;")
    page.goto(path.as_uri())
    until(page, "window.lissom && window.lissom.films")
    page.locator("#speed").evaluate(
        "(x) => { x.value = '0.5'; x.dispatchEvent(new Event('change')); }"
    )
    data = bytes(page.evaluate("async () => [...await window.lissom.film('webm')]"))
    assert data[:4] == bytes.fromhex("1a45dfa3") and len(data) > 1000
    assert "in real time" in page.locator("#filmed").inner_text()
    page.close()


def test_a_browser_that_writes_no_films_says_so(tmp_path):
    path = tmp_path / "boom.html"
    bending_run().to_html(path)
    page = shared_browser().new_page()
    page.add_init_script("delete window.VideoEncoder; delete window.MediaRecorder;")
    page.goto(path.as_uri())
    until(page, "window.lissom && window.lissom.films")
    assert "cannot write films" in page.locator("#filmed").inner_text()
    assert page.locator("#film").is_disabled()
    page.close()


def test_the_camera_follows_a_body(opened):
    run = arm_run(21)
    page = opened(run, size=(640, 420), follow="payload")
    for k in (0, 9):
        page(f"seek({float(run.time[k])!r})")
        page.settle()
        at, seen = run["payload.position"][k], page("camera")
        if k == 0:
            start = np.subtract(seen["target"], at)
            eye = np.subtract(seen["eye"], at)
    assert np.allclose(np.subtract(seen["target"], at), start, atol=1e-4)
    assert np.allclose(np.subtract(seen["eye"], at), eye, atol=1e-4)
    page.page.locator("#follow").select_option("nothing")
    page.settle()
    still = page("camera")
    page(f"seek({float(run.time[3])!r})")
    page.settle()
    assert page("camera") == still


@pytest.mark.parametrize("view, toward", [("xz", (0, -1, 0)), ((30, -60), (0.433, -0.75, 0.5))])
def test_the_first_direction_can_be_chosen(opened, view, toward):
    seen = opened(arm_run(3), view=view)("camera")
    away = np.subtract(seen["eye"], seen["target"])
    assert np.allclose(away / np.linalg.norm(away), toward, atol=2e-3)


def test_moments_of_joints_are_arrows_with_two_heads(opened):
    system = four_bar_of_a_chain().compile()
    run = random_run(system, np.random.default_rng(1), n=3, wrenches=("crank",))
    page = opened(run)
    before = page.pixels()
    page.press("show-moments")
    legend = page.page.locator("#arrows")
    assert "moment of joint: " in legend.inner_text() and "N m" in legend.inner_text()
    assert np.mean(np.abs(page.pixels() - before).max(axis=1) > 12) > 1e-4
    assert legend.locator("i.double").count() == 3  # of load, loop and joints
    for k, name in enumerate(system.names):
        turn, own = run[f"{name}.rotation"][0], run[f"{name}.reaction"][0, :3]
        found = page(f"force({4 + system.n_body + k})")
        assert np.allclose(found, turn @ own, atol=1e-4 * np.abs(own).max())


def test_flexible_and_rigid_are_told_apart_and_the_floor_needs_gravity(opened):
    page = opened(bending_run(), trails=[])
    assert page.page.locator("#kinds").is_visible()
    assert not page.page.locator("#show-grid").is_checked()  # it has no gravity
    striped = page.pixels()
    page.press("show-kinds")
    assert np.mean(np.abs(page.pixels() - striped).max(axis=1) > 12) > 1e-4
    model = ls.Model("falling", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Free(), name="ball")
    system = model.compile()
    falling = moved(system, [system.neutral()] * 2)
    page = opened(falling)
    assert page.page.locator("#show-grid").is_checked()
    assert page.page.locator("#show-kinds").count() == 0


def test_names_of_rotors_are_not_shown(opened):
    model = ls.Model("drive")
    model.add(ls.RigidBody.rod(1.0, 1.0), ls.Revolute("z"), name="link")
    ls.flexible_drive(model, "link", stiffness=100.0, ratio=50.0, rotor_inertia=1e-4)
    system = model.compile()
    page = opened(moved(system, [system.neutral()] * 2))
    page.press("show-labels")
    assert page("bodies") == ["link_rotor", "link"]
    assert page.page.locator("#labels span").all_inner_texts() == ["link"]


def test_faces_in_one_plane_do_not_flicker(opened):
    """Where two boxes overlap whose tops are in one plane, the later one is in front everywhere."""
    model = ls.Model("flush")
    for name, color in (("red", "#ff0000"), ("green", "#00ff00")):
        solid = ls.solids.Box((2.0, 0.6, 0.2), color=color)
        body = ls.RigidBody(1.0, inertia=(1, 1, 1), solids=(solid,))
        model.add(body, ls.Revolute("z"), name=name, rotation={"rpy": (0.37, 0, 0)})
    system = model.compile()
    page = opened(moved(system, [system.state(red=0.1, green=0.7)] * 2), view=(40, -50))
    picture = page.pixels().reshape(240, 570, 3)
    green = (picture[..., 1] > 130) & (picture[..., 0] < 120)
    x, y = (round(float(v)) for v in page("seen([0, 0, 0])"))
    assert green[240 - y - 6 : 240 - y + 6, x - 6 : x + 6].all()
    assert 0.01 < green.mean() < 0.2


@pytest.mark.parametrize(
    "options, words",
    [
        ({"plot": 3}, "plot is 3; expected channels"),
        ({"plot": ["boom.angel"]}, "has no 'angel'"),
        ({"plot": [["boom.modes", 4]]}, "expected channels"),
        ({"plot": [[]]}, "a group of channels is empty"),
        ({"plot": ["boom.modes"] * 9}, "27 curves, but a page shows at most 24"),
        ({"follow": 1}, "follow is 1"),
        ({"follow": "bom"}, "bom"),
        ({"view": "zx"}, "view is 'zx'; expected"),
        ({"view": (100, 0)}, "elevation"),
        ({"view": (10, 0, 1)}, "view is"),
    ],
)
def test_mistakes_are_named(tmp_path, options, words):
    with pytest.raises(ls.LissomError, match=re.escape(words)):
        bending_run().to_html(tmp_path / "x.html", **options)


def test_pictures_have_scale_and_direction(tmp_path):
    def picture(**options):
        bending_run().to_image(tmp_path / "x.png", 1.0, size=(200, 120), **options)
        with Image.open(tmp_path / "x.png") as image:
            return np.asarray(image.convert("RGB"), dtype=int)

    plain = picture()
    for options in ({"scale": 3}, {"scale": 0}, {"view": "xy"}, {"view": (10.0, 100.0)}):
        assert np.mean(np.abs(picture(**options) - plain).max(axis=2) > 30) > 0.01, options
    for options, words in (({"scale": -1}, "scale is -1"), ({"view": "up"}, "view is 'up'")):
        with pytest.raises(ls.LissomError, match=words):
            picture(**options)


def test_the_command_writes_pages_and_animated_pictures(tmp_path):
    saved = tmp_path / "boom.nc"
    bending_run().save(saved)
    command = CliRunner()
    gif = str(tmp_path / "boom.gif")
    look = ["--scale", "3", "--color", "deflection", "--from", "20,-60"]
    found = command.invoke(app, ["view", str(saved), "-o", gif, *look])
    assert found.exit_code == 0 and Image.open(gif).n_frames == 3
    page = str(tmp_path / "boom.html")
    more = ["--plot", "boom.tip.deflection", "--follow", "ball", "--from", "xz"]
    found = command.invoke(app, ["view", str(saved), "-o", page, *more])
    assert found.exit_code == 0
    text = (tmp_path / "boom.html").read_text(encoding="utf-8")
    assert "boom.tip.deflection" in text and '"name":"ball"' in text
    found = command.invoke(app, ["view", str(saved), "-o", gif, "--follow", "ball"])
    assert found.exit_code != 0 and "for pages" in found.output
    for given, words in (
        (["-o", gif, "--from", "above"], "--from is 'above'"),
        (["-o", str(tmp_path / "boom.mp4")], "films are saved from the page"),
    ):
        found = command.invoke(app, ["view", str(saved), *given])
        assert found.exit_code != 0
        assert words in f"{found.output} {found.exception}"
