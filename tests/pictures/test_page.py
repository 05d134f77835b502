"""The page in a real browser: it draws, moves and bends as the engine says, and asks nobody."""

import numpy as np
import pytest

import lissom as ls
from lissom.results.trajectory import Trajectory
from lissom.spatial import quaternion_rotation, rotation_exp
from lissom.viz.scene.bodies import bent
from lissom.viz.scene.frame_times import frames_of
from lissom.viz.scene.motion import Scene
from tests.samples.four_bars import four_bar_of_a_chain
from tests.samples.kernel_cases import JOINTS
from tests.samples.motions_to_view import (
    Opened,
    arm_run,
    bending_run,
    chain_run,
    sent_corners,
    shared_browser,
    until,
)
from tests.samples.results import random_run


@pytest.fixture
def browser():
    return shared_browser()


@pytest.fixture
def opened(browser, tmp_path):
    """Function that writes a run's page and opens it; at the end nothing was amiss on any."""
    pages = []

    def open_page(run, **options):
        path = tmp_path / f"page{len(pages)}.html"
        run.to_html(path, **{"theme": "light", **options})
        pages.append(Opened(browser, path.as_uri()))
        return pages[-1]

    yield open_page
    for page in pages:
        page.page.close()
        assert page.complaints == []
        assert len(page.requests) == 1 and page.requests[0].startswith("file:")


def differing(a, b):
    """Share of pixels that have changed visibly."""
    return np.mean(np.abs(a - b).max(axis=1) > 12)


def test_corners_are_where_the_engine_has_them(opened):
    run = arm_run(21)
    scene, page = Scene(frames_of(run, 600)), opened(run)
    for frame in (0, 7, 13):
        page(f"seek({float(run.time[frame])!r})")
        for i in range(run.system.n_body):
            expected = sent_corners(scene, i, frame)
            by_processor = np.reshape(page(f"shaded({i})"), (-1, 3))
            assert by_processor.shape == expected.shape
            assert np.abs(by_processor - expected).max() < 2e-5  # single precision, 12 m
            for k in (0, len(expected) // 2, len(expected) - 1):
                assert np.allclose(page(f"vertex({i}, {k})"), expected[k], atol=2e-5)


def test_large_turns_of_nodes_are_drawn_as_the_engine_turns_them(opened):
    model = ls.Model("bent")
    boom = ls.beam(
        2.0,
        ls.Tube(radius=0.08, thickness=0.002),
        ls.ALUMINIUM,
        bending=(2, 1),
        torsion=0,
        stretch=0,
    )
    model.add(boom, ls.Spherical(), name="boom")
    turn = {"axis": (1, 2, 3), "angle": 0.7}
    model.frame("tool", on="boom.tip", at=(0.1, 0.2, 0.3), rotation=turn)
    model.frame("goal", at=(0.5, 0.5, 0.5), rotation=turn)
    run = random_run(model.compile(), np.random.default_rng(2), n=3)
    page, scene = opened(run.sample([run.time[1]])), Scene(run)
    expected = sent_corners(scene, 0, 1)
    found = np.reshape(page("shaded(0)"), (-1, 3))
    assert np.allclose(found, expected, atol=1e-5 * np.abs(expected).max())
    for k, name in enumerate(("tool", "goal")):
        place, pose = page(f"named({k})"), ls.pose(run.system, run.state(run.time[1]), name)
        assert np.allclose(place["position"], pose.position, atol=1e-5 * np.abs(expected).max())
        drawn = quaternion_rotation(np.array(place["quaternion"]))
        assert np.allclose(drawn, pose.rotation, atol=1e-5)
    before = page.pixels()
    page.press("show-named")
    assert differing(before, page.pixels()) > 1e-4
    page.press("show-labels")
    assert page.page.locator("#labels span").all_inner_texts() == ["boom", "tool", "goal"]
    assert not page.page.locator("#labels span").last.is_visible()  # frames are switched off


def test_every_kind_of_joint_moves_as_in_the_engine(opened):
    model = ls.Model("joints")
    for k, (name, joint) in enumerate(JOINTS.items()):
        name = name.replace(",", "").replace(" ", "_")
        turn = rotation_exp(np.array([0.3 * k, -0.2, 0.1]))
        to = None if k % 4 == 0 else list(model.parts)[-1]
        model.add(
            ls.RigidBody.sphere(1.0, 0.1),
            joint,
            to=to,
            at=(0.1, 0.2, -0.1),
            rotation=turn,
            name=name,
        )
    run = random_run(model.compile(), np.random.default_rng(4), n=3)
    page = opened(run)
    page(f"seek({float(run.time[1])!r})")
    for i, name in enumerate(run.system.names):
        expected, found = ls.pose(run.system, run.state(run.time[1]), name), page(f"pose({i})")
        assert np.allclose(found["position"], expected.position, atol=2e-5), name
        assert np.allclose(
            quaternion_rotation(np.array(found["quaternion"])), expected.rotation, atol=2e-5
        )


def test_between_frames_the_page_goes_on_straight_lines(opened):
    run = arm_run(21)
    page = opened(run)
    middle = float(run.time[4] + run.time[5]) / 2
    page(f"seek({middle!r})")
    q = (run.q[4] + run.q[5]) / 2
    q[:4] /= np.linalg.norm(q[:4])
    expected = ls.pose(run.system, run.system.state(q=q), "payload").position
    assert page("time") == pytest.approx(middle)
    assert np.allclose(page("pose(3)")["position"], expected, atol=1e-5)


def test_the_slider_moves_the_arm(opened):
    page = opened(arm_run())
    before, place = page.pixels(), page("pose(3)")["position"]
    page.page.locator("#slider").fill("1.2")
    page.settle()
    assert page("time") == pytest.approx(1.2, abs=1e-6)
    assert np.linalg.norm(np.subtract(page("pose(3)")["position"], place)) > 0.5
    assert differing(before, page.pixels()) > 0.005
    assert "1.20 s of 2.00 s" in page.page.locator("#clock").inner_text()


def test_the_boom_is_drawn_bent(opened):
    """Its pose stays; only the modal coordinates differ."""
    page = opened(bending_run(), trails=[])
    straight, pose = page.pixels(), page("pose(0)")
    page("seek(2.0)")
    bowed = page.pixels()
    assert page("pose(0)") == pose
    assert differing(straight, bowed) > 0.005
    page("scale(0)")
    assert differing(straight, page.pixels()) < 1e-4


def test_enlarged_deformations_keep_bodies_joined(opened):
    run = bending_run()
    page = opened(run, scale=3)
    page("seek(2.0)")
    tip = run.system.bodies[0].node_names["tip"]
    local = bent(run.system.bodies[0], np.array([tip]), np.zeros((1, 3)), 3 * run.q[2, :3])[0]
    assert np.allclose(page("pose(1)")["position"], local, atol=1e-6)
    assert page.page.locator("#factor").inner_text() == "×3"
    assert "3 times as large" in page.page.locator("#enlarged").inner_text()


def test_play_and_keys_move_time(opened):
    page = opened(arm_run())
    page.press("play")
    assert page("playing")
    until(page.page, "window.lissom.time > 0.15")
    page.page.keyboard.press("Space")
    page.settle()
    assert not page("playing")
    stopped = page("time")
    page.page.wait_for_timeout(150)
    assert page("time") == stopped
    page.page.keyboard.press("Home")
    page.page.keyboard.press("ArrowRight")
    assert page("time") == pytest.approx(2.0 / 599, rel=1e-4)
    page.page.keyboard.press("End")
    assert page("time") == pytest.approx(2.0)


def test_switches_change_the_picture(opened):
    page = opened(bending_run(), trails=["boom.tip"])
    page("seek(2.0)")
    names = page.page.locator("#labels span")
    assert not names.first.is_visible()
    page.press("show-labels")
    assert names.all_inner_texts() == ["boom", "ball"] and names.first.is_visible()
    for name in ("deflection", "trails", "frames", "grid", "dark"):
        before = page.pixels()
        page.press(f"show-{name}")
        assert differing(before, page.pixels()) > 1e-4, name
    assert page.page.locator("#legend").is_visible()
    assert page.page.locator("#show-loops").count() == 0  # it has none


def test_deflection_is_told_by_colour(opened):
    """Yellow is the far end of the scale and shows nowhere else."""
    page = opened(bending_run(), trails=[])
    page.press("show-deflection")

    def yellow():
        r, g, b = page.pixels().T
        return np.mean((r > 120) & (g > 110) & (b < 90))

    assert yellow() == 0
    page("seek(2.0)")
    assert yellow() > 5e-5


def test_the_mouse_turns_shifts_and_zooms(opened):
    page = opened(arm_run(3))
    mouse, start = page.page.mouse, page("camera")
    mouse.move(250, 200)
    mouse.down()
    mouse.move(300, 220)
    mouse.up()
    turned = page("camera")
    assert turned["target"] == start["target"] and turned["eye"] != start["eye"]
    page.page.keyboard.down("Shift")
    mouse.down()
    mouse.move(320, 260)
    mouse.up()
    page.page.keyboard.up("Shift")
    shifted = page("camera")
    assert shifted["target"] != turned["target"]
    mouse.wheel(0, -100)
    until(page.page, f"window.lissom.camera.distance < {shifted['distance']!r}")
    page.press("view-x")
    along = np.subtract(page("camera")["eye"], page("camera")["target"])
    assert np.allclose(along / np.linalg.norm(along), [1, 0, 0], atol=1e-3)
    page.press("view-z")
    along = np.subtract(page("camera")["eye"], page("camera")["target"])
    assert np.allclose(along / np.linalg.norm(along), [0, 0, 1], atol=1e-3)


def test_reset_and_resize_frame_the_mechanism_again(opened):
    page = opened(arm_run(3))
    start = page("camera")
    page.page.set_viewport_size({"width": 300, "height": 420})
    until(page.page, f"window.lissom.camera.distance > {1.2 * start['distance']!r}")
    page.page.set_viewport_size({"width": 640, "height": 420})
    until(page.page, f"Math.abs(window.lissom.camera.distance - {start['distance']!r}) < 1e-6")
    page.press("view-x")
    chosen = page("camera")
    page.page.set_viewport_size({"width": 600, "height": 420})
    until(page.page, "document.getElementById('canvas').width === 600")
    assert page("camera") == chosen != start
    page.page.set_viewport_size({"width": 640, "height": 420})
    until(page.page, "document.getElementById('canvas').width === 640")
    page.page.keyboard.press("r")
    assert page("camera") == start


def test_arrows_have_a_scale_that_can_be_changed(opened):
    system = four_bar_of_a_chain().compile()
    run = random_run(system, np.random.default_rng(1), n=3, wrenches=("crank",))
    page = opened(run)
    page.press("show-loads")
    page.press("show-loopForces")
    assert not page.page.locator("#arrows").is_visible()
    none = page.pixels()
    page.press("show-reactions")
    legend, shown = page.page.locator("#arrows"), page.pixels()
    assert differing(none, shown) > 1e-4
    name, _, scale = legend.inner_text().partition(": ")
    force = scale.partition(" m = ")[2]
    assert name == "force of joint" and force.endswith(" N")
    slider = page.page.locator("#size")
    slider.fill(str(int(slider.input_value()) + 1))
    page.settle()
    assert page.page.locator("#times").inner_text() == "×2"
    expected = float(force.split()[0]) / 2
    assert float(legend.inner_text().split()[-2]) == pytest.approx(expected, rel=0.01)
    assert differing(shown, page.pixels()) > 1e-4
    for k, name in enumerate(system.names):
        turn, own = run[f"{name}.rotation"][0], run[f"{name}.reaction"][0, 3:]
        assert np.allclose(page(f"force({3 + k})"), turn @ own, atol=1e-4 * np.abs(own).max())


def test_events_and_failures_are_marked_on_the_slider(opened):
    run = arm_run(5)
    told = {"events": [[0.5, "touch <b>"]], "status": "stalled", "message": "it is stiff"}
    page = opened(Trajectory(run.system, run.store, told))
    event, end = (page.page.locator("#marks button").nth(k) for k in range(2))
    assert event.get_attribute("title") == "0.5 s: touch <b>"
    assert end.get_attribute("title") == "2 s: stalled: it is stiff"
    assert page.page.locator("#status").inner_text() == "stalled: it is stiff"
    track, mark = (x.bounding_box() for x in (page.page.locator("#slider"), event))
    middle = mark["x"] + mark["width"] / 2 - track["x"]
    assert middle == pytest.approx(8 + 0.25 * (track["width"] - 16), abs=2)
    event.click()
    assert page("time") == pytest.approx(0.5)


def test_the_page_follows_the_theme_of_the_browser(opened):
    page = opened(arm_run(3), theme="auto")
    light = page.pixels()
    page.page.emulate_media(color_scheme="dark")
    until(page.page, "window.lissom.show.dark")
    page.settle()
    assert page.pixels().mean() < 0.5 * light.mean()


def test_two_fingers_zoom_and_one_turns(opened):
    page = opened(arm_run(3))
    touch = page.page.context.new_cdp_session(page.page)

    def fingers(kind, *places):
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    start = page("camera")
    fingers("touchStart", (200, 200), (260, 200))
    fingers("touchMove", (160, 200), (300, 200))
    fingers("touchEnd")
    near = page("camera")
    assert near["distance"] < 0.6 * start["distance"]
    fingers("touchStart", (200, 200))
    fingers("touchMove", (240, 200))
    fingers("touchEnd")
    after = page("camera")
    assert after["target"] == near["target"] and after["eye"] != near["eye"]


def test_loops_and_their_forces_are_drawn(opened):
    system = four_bar_of_a_chain().compile()
    page = opened(random_run(system, np.random.default_rng(1), n=3, wrenches=("crank",)))
    for name in ("loops", "loads", "reactions", "loopForces"):
        before = page.pixels()
        page.press(f"show-{name}")
        assert differing(before, page.pixels()) > 1e-4, name


def test_forty_bodies_without_solids_open(opened):
    page = opened(chain_run())
    assert len(page("bodies")) == 40
    before = page.pixels()
    page("seek(2.0)")
    assert differing(before, page.pixels()) > 1e-3


def test_a_still_mechanism_has_no_clock_and_a_fine_screen_a_fine_picture(browser, tmp_path):
    system = bending_run().system
    path = tmp_path / "still.html"
    path.write_text(ls.viz.page_of(system, system.neutral()), encoding="utf-8")
    page = Opened(browser, path.as_uri(), size=(400, 300), ratio=2)
    assert page("frames") == 1
    assert page.page.evaluate("document.getElementById('canvas').width") == 800
    assert not page.page.locator("#bar").is_visible()
    assert page.complaints == []
    page.page.close()


def test_a_browser_without_webgl_says_so(browser, tmp_path):
    path, errors = tmp_path / "boom.html", []
    bending_run().to_html(path)
    page = browser.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null;")
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    words = page.locator("#message").inner_text()
    assert words == "This browser shows no WebGL 2, which this page needs." and errors == []
    page.close()


def test_notebooks_show_pages_in_frames_that_know_nothing_of_each_other(browser, tmp_path):
    cells = [bending_run().show(height=300), arm_run(5).show(height=260, width="80%")]
    path = tmp_path / "notebook.html"
    text = "".join(f"<div class=cell>{cell._repr_html_()}</div>" for cell in cells)
    rules = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
    head = f'<meta http-equiv="Content-Security-Policy" content="{rules}">'
    path.write_text(f"<!doctype html>{head}<title>cells</title>{text}", encoding="utf-8")
    page = browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(path.as_uri())
    first, second = page.frames[1:]
    for inside in (first, second):
        until(inside, "window.lissom && window.lissom.ready")
    assert first.evaluate("window.lissom.bodies") == ["boom", "ball"]
    assert page.evaluate("window.lissom") is None
    first.evaluate("window.lissom.seek(1.0)")
    assert second.evaluate("window.lissom.time") == 0.0
    assert first.evaluate("window.origin") == "null"  # of its own, without cookies or storage
    boxes = [page.locator("iframe").nth(k).bounding_box() for k in range(2)]
    assert [box["height"] for box in boxes] == [300, 260]
    assert boxes[1]["width"] < 0.85 * boxes[0]["width"]
    assert complaints == []
    page.close()


def test_the_server_serves_the_same_page(browser):
    with arm_run(5).view(browser=False) as view:
        page = Opened(browser, view.url)
        assert page("frames") == 5
        assert page.requests == [view.url] and page.complaints == []
        page.page.close()
