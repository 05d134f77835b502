"""Stress as colour: what the page and animated pictures show."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import lissom as ls
from lissom.viz.gif.animation import Drawing
from lissom.viz.scene.frame_times import frames_of
from lissom.viz.scene.motion import Scene
from tests.samples.flexible_arms import solid_body
from tests.samples.motions_to_view import Opened, decoded, shared_browser


def pulled_up():
    """A cantilever whose tip is pushed up by a force that grows from nothing."""
    model = ls.Model("cantilever")
    model.add(ls.beam(2.0, ls.Tube(0.05, 0.005), ls.STEEL, damping=0.5), ls.Fixed(), name="beam")
    force = ls.NodeForce("beam.tip", force=lambda t: (0.0, 0.0, 3000.0 * t))
    return ls.simulate(model.compile(), duration=1.0, loads=[force], output_step=0.1)


def yellow(picture):
    """Number of pixels in the last colour."""
    picture = picture.astype(int)
    return np.count_nonzero(np.all(picture[..., :2] > 100 + picture[..., 2:], axis=-1))


def test_the_page_gets_the_largest_stress_of_the_section_at_each_node():
    run = pulled_up()
    scene = Scene(frames_of(run, 50), stress=True)
    frames = scene.data()["frames"]
    sent = decoded(frames, frames["stresses"]).reshape(run.n, -1) * frames["stress"] / 255
    stress = run.along("beam", "stress")[:, scene.bodies[0].nodes]
    assert frames["stress"] == stress.max() == run["beam.stress"].max()
    assert np.abs(sent - stress).max() <= frames["stress"] / 510 * 1.001
    plain = Scene(frames_of(run, 50)).data()
    assert not plain["bodies"][0]["stressed"] and plain["frames"]["stress"] == 0


def test_scales_reach_the_largest_value_between_frames_and_beside_nodes(tmp_path):
    """Of stress that of the channel, which has points within elements, and of all rows."""
    meshes = pytest.importorskip("tests.samples.meshes")
    bar = ls.from_mesh(
        meshes.block("hexahedron20", (4, 1, 1), (0.4, 0.04, 0.04)),
        ls.ALUMINIUM,
        {"root": ls.regions.plane("x", 0.0)},
        modes=3,
    )
    model = ls.Model("bar", gravity=(0, 0, -9.81))
    model.add(bar, ls.Fixed(), name="bar")
    system = model.compile()
    run = ls.simulate(system, duration=0.05, output_step=1e-4)
    largest = run["bar.stress"].max()
    few = frames_of(run, 7)
    assert Scene(few, stress=True).stress(few).max() < 0.98 * largest
    scene = Scene(few, stress=True, run=run)
    assert scene.data(few)["frames"]["stress"] == largest
    assert Drawing(scene, (300, 200), "stress")._largest == largest
    told = scene.largest(few)["deflection"]
    assert told == Scene(run).largest(run)["deflection"] > Scene(few).largest(few)["deflection"]
    run.to_html(tmp_path / "bar.html", color="stress", frames=7)
    run.to_image(tmp_path / "bar.png", 0.01, size=(100, 80), color="stress")


def test_nodes_of_solids_have_the_stress_of_the_points_on_them():
    model = ls.Model("solid", gravity=(0, 0, -9.81))
    model.add(solid_body(), ls.Revolute("y"), name="part")
    run = ls.simulate(model.compile(), duration=0.1, output_step=0.05)
    scene = Scene(run, stress=True)
    nodes = scene.bodies[0].nodes.tolist()
    found = scene.stress(run)
    assert np.allclose(found[:, nodes.index(3)], run["part.tip.stress"])
    others = [k for k, node in enumerate(nodes) if node != 3]
    assert not found[:, others].any()


def test_the_page_draws_stress_with_its_scale(tmp_path):
    run = pulled_up()
    run.to_html(tmp_path / "run.html", color="stress", theme="light")
    page = Opened(shared_browser(), (tmp_path / "run.html").as_uri())
    try:
        assert page("show")["stress"]
        legend = page.page.locator("#largest").inner_text()
        assert legend == f"{run['beam.stress'].max() / 1e6:.3g} MPa von Mises stress"
        found = []
        for time in (0.0, 1.0):
            page(f"seek({time})")
            values = page("pixels().join()")
            found.append(yellow(np.array(values.split(","), int).reshape(-1, 4)[:, :3]))
        assert found[0] == 0 and found[1] > 50
        assert page.complaints == []
    finally:
        page.page.close()


def test_animated_pictures_draw_stress_with_its_scale():
    drawing = Drawing(Scene(pulled_up(), stress=True), (400, 300), "stress")
    first, last = (np.asarray(drawing.picture(k).convert("RGB"))[:240] for k in (0, 10))
    assert yellow(first) == 0 and yellow(last) > 50


def test_a_picture_of_one_instant_has_the_scale_of_the_whole_run(tmp_path):
    run = pulled_up()
    for name, time in (("early", 0.5), ("late", 1.0)):
        run.to_image(tmp_path / f"{name}.png", time, size=(400, 300), color="stress")
    early, late = (
        np.asarray(Image.open(tmp_path / f"{name}.png").convert("RGB"))[:240]
        for name in ("early", "late")
    )
    assert yellow(early) == 0 and yellow(late) > 50
    assert Image.open(tmp_path / "late.png").convert("RGB").getcolors(256) is None  # not so few
    with pytest.raises(ls.ResultError, match=r"ends in .png"):
        run.to_image(tmp_path / "run.jpg", 0.5)
    with pytest.raises(ls.StateError, match="outside the trajectory"):
        run.to_image(tmp_path / "run.png", 7.0)


def test_a_system_without_stress_is_named(tmp_path):
    model = ls.Model("rigid")
    model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name="mass")
    run = ls.simulate(model.compile(), duration=0.1)
    with pytest.raises(ls.StateError, match="no beam, rod, frame or solid that could show it"):
        run.to_html(tmp_path / "run.html", color="stress")
