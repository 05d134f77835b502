"""Shapes in pictures: on bodies without solids, and on the ground."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.viz.raster import ImageOptions, Raster
from lissom.viz.scene.contact_shapes import surfaces_on
from lissom.viz.scene.frames import still
from lissom.viz.scene.scene import Scene
from lissom.viz.view.data import PageData
from tests.samples.contact_shapes import SHAPES, hopper
from tests.samples.motions_to_view import decoded


def scene_of(model, **state):
    system = model.compile()
    return Scene(still(system, system.state(**state), "a test"))


def number(scene, name):
    return scene.system.names.index(name)


def test_a_body_without_solids_shows_its_shapes_where_they_are():
    model = ls.Model("one")
    body = ls.RigidBody(1.0, inertia=(1, 1, 1))
    model.add(body, ls.Free(), name="body", at=(0, 0, 1), rotation={"axis": "x", "angle": 0.7})
    turned = {"rpy": (0.1, 0.2, 0.3)}
    model.frame("tool", on="body", at=(0.5, 0, 0), rotation=turned)
    model.add_shape(shapes.Sphere(0.1, at=(0, 0.2, 0)), "tool")
    model.add_shape(shapes.Sphere(0.3), "body")
    scene = scene_of(model)
    system = scene.system
    tool = ls.pose(system, system.neutral(), "tool")
    centers = [tool.position + tool.rotation @ [0, 0.2, 0], [0, 0, 1]]
    ball, big = scene.bodies[0].skins
    corners = scene.corners(0, 0)
    pieces = np.split(corners[: len(ball.nodes) + len(big.nodes)], [len(ball.nodes)])
    for points, center, radius in zip(pieces, centers, (0.1, 0.3), strict=True):
        assert np.allclose(np.linalg.norm(points - center, axis=1), radius, rtol=1e-9)


def test_a_shape_on_a_node_follows_the_node_as_the_body_bends():
    model = ls.Model("bar")
    bar = ls.FlexibleBody(
        [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]],
        [1.0, 1.0, 1.0],
        np.stack([[[0], [-z], [0], [0], [0], [z * z]] for z in (0.0, 0.5, 1.0)]),
        [100.0],
        names={"tip": 2},
    )
    model.add(bar, ls.Revolute("y"), name="bar")
    model.add_shape(shapes.Sphere(0.05, at=(0.1, 0, 0)), "bar.tip")
    scene = scene_of(model, **{"bar": 0.3, "bar.modes": 0.2})
    tip = ls.pose(scene.system, scene.rows.state(scene.rows.time[0]), "bar.tip")
    skin = scene.bodies[0].skins[0]
    points = scene.corners(0, 0)[: len(skin.nodes)]
    away = np.linalg.norm(points - tip.position - tip.rotation @ [0.1, 0, 0], axis=1)
    assert np.allclose(away, 0.05, rtol=1e-6)


def test_a_body_with_solids_shows_these_alone():
    model = ls.Model("one")
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Free(), name="body")
    before = scene_of(model).bodies[0].surfaces
    model.add_shape(shapes.Box((1, 1, 1)), "body")
    after = scene_of(model).bodies[0].surfaces
    assert len(before) == len(after) == 1
    assert np.array_equal(before[0].offsets, after[0].offsets)


def test_a_body_of_shapes_alone_is_these_and_one_with_joints_has_rods_to_them():
    model = ls.Model("two")
    body = ls.RigidBody(1.0, com=(0, 0, 0.1), inertia=(1, 1, 1))
    model.add(body, ls.Free(), name="first")
    model.add_shape(shapes.Sphere(0.1), "first")
    assert len(scene_of(model).bodies[0].surfaces) == 1
    model.add(body, ls.Revolute("y"), to="first", at=(1, 0, 0), name="second")
    assert len(scene_of(model).bodies[0].surfaces) == 3  # sphere, ball and rod


def test_a_half_space_is_a_plate_below_its_plane_as_large_as_the_mechanism_asks_for():
    model = hopper()
    model.add_shape(shapes.HalfSpace((1, 2, 2), at=(0, 0, -1), extent=100.0), name="slope")
    scene = scene_of(model)
    flat, slope = scene.ground
    assert flat.offsets[:, 2].max() == pytest.approx(0, abs=1e-15)
    assert np.ptp(flat.offsets[:, :2], axis=0) == pytest.approx((1, 1))
    height = (slope.offsets - [0, 0, -1]) @ np.array([1, 2, 2]) / 3
    assert height.max() == pytest.approx(0, abs=1e-12)
    size = max(np.linalg.norm(a - b) for a in slope.offsets for b in slope.offsets)
    assert 1 < size < 10
    assert np.all(scene.low <= flat.offsets) and np.all(scene.high >= slope.offsets)


@pytest.mark.parametrize("kind", SHAPES)
def test_every_shape_can_be_seen_on_the_ground_and_on_a_body(kind):
    model = ls.Model("one")
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), ls.Free(), name="body")
    model.add_shape(SHAPES[kind], "body")
    model.add_shape(SHAPES[kind])
    scene = scene_of(model)
    assert scene.bodies[0].skins and scene.ground
    for on_body, on_ground in zip(surfaces_on(scene.system, 0), scene.ground, strict=True):
        assert on_body.color == on_ground.color == "#a0b0c0"
        if kind != "half_space":  # whose plate on the ground is smaller
            assert np.array_equal(on_body.offsets, on_ground.offsets)


def test_the_page_gets_the_ground_about_its_origin():
    data = PageData(scene_of(hopper()))
    page = data.data()
    (plate,) = page["ground"]
    offsets = decoded(page, plate["offsets"]).reshape(-1, 3) + data.origin
    assert offsets[:, 2].max() == pytest.approx(0, abs=1e-6)
    assert np.ptp(offsets[:, 0]) == pytest.approx(1, rel=1e-6)


def picture(model, view):
    scene = scene_of(model)
    drawing = Raster(scene, ImageOptions(view=view, size=(320, 240)))
    return np.asarray(drawing.picture(0)).reshape(-1, 3).astype(int)


def share(pixels, color):
    """Part of the pixels with a hue."""
    reddest = pixels[:, color] > 1.5 * np.delete(pixels, color, axis=1).max(axis=1)
    return float(reddest.mean())


def test_plates_are_behind_what_stands_on_them_and_hide_it_from_below():
    model = ls.Model("one")
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), ls.Free(), name="body", at=(0, 0, 0.1))
    model.add_shape(shapes.Box((0.4, 0.4, 0.2), color="#ff0000"), "body")
    model.add_shape(shapes.HalfSpace(color="#00ff00"))
    above, below = picture(model, (30, 30)), picture(model, (-60, 30))
    model.remove("half_space")
    alone = picture(model, (30, 30))
    assert share(above, 0) > 0.03 and share(above, 1) > 0.1 and share(alone, 0) > share(above, 0)
    assert share(below, 0) == 0 and share(below, 1) > 0.2


@pytest.mark.parametrize("view", ["xz", "3d"])
def test_drawings_have_the_shapes_of_bodies_and_ground(view, tmp_path):
    model = hopper()
    model.add_shape(shapes.Box((0.2, 0.2, 0.2), at=(0.4, 0, 0.1), color="#00aa00"), name="step")
    figure = ls.viz.draw(model.compile(), view=view, file=tmp_path / "drawing.png")
    pixels = (plt.imread(tmp_path / "drawing.png")[..., :3].reshape(-1, 3) * 255).astype(int)
    greenish = np.all(pixels[:, 1:2] - pixels[:, [0, 2]] > 25, axis=1)
    assert greenish.mean() > 2e-3
    plt.close(figure)


def test_a_gif_of_a_ball_that_bounces_has_its_ground(tmp_path):
    from PIL import Image

    system = hopper().compile()
    load = ls.Contact("ball", "ground", ls.LinearContact(1e5, restitution=0.5, at_speed=0.5))
    run = ls.simulate(system, duration=0.1, loads=[load], progress=False)
    run.to_gif(tmp_path / "bounce.gif", frames=3)
    with Image.open(tmp_path / "bounce.gif") as gif:
        assert gif.n_frames == 3
        pixels = np.asarray(gif.convert("RGB")).reshape(-1, 3).astype(int)
    plate = np.all(np.abs(pixels - [188, 194, 202]) < 12, axis=1)  # the colour of the ground, lit
    assert plate.mean() > 0.05
