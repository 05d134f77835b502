"""Rods in pictures: sections are where the engine has them, however far they have bent."""

import dataclasses
from functools import cache

import numpy as np
import pytest

import lissom as ls
from lissom.bodies.rod_tables import KAPPA_Z
from lissom.errors import ModelError, StateError
from lissom.results.description.joints import Numbers
from lissom.results.description.solids import described_solids, restored_solids
from lissom.spatial import quaternion_rotation
from lissom.viz.drawing.positions import placed_bodies, placed_frames, placed_joints
from lissom.viz.gif.animation import Drawing
from lissom.viz.scene.bodies import SceneBody
from lissom.viz.scene.motion import Scene
from lissom.viz.scene.nodes import node_frames
from lissom.viz.scene.rods import shown_strains
from lissom.viz.scene.surfaces import surface
from tests.samples.motions_to_view import Opened, bending_run, moved, sent_corners, shared_browser
from tests.tools.measures import volume

SECTION = ls.Rectangle(0.03, 0.01)
PUSH = np.array([0.1, 0.2, 0.3, 1.0, -2.0, 3.0])  # at the tip, in its axes


@cache
def winding_run():
    """A rod that is an arc at rest, with a body, a frame, a loop and a load, bent far."""
    model = ls.Model("winding")
    options = {"curvature": (0.5, 0.2, 2.0), "nodes": {"middle": 0.4}, "bending": 3}
    model.add(ls.rod(1.0, SECTION, ls.STEEL, **options), ls.Spherical(), name="rod")
    model.add(ls.RigidBody.box(1.0, (0.1, 0.1, 0.1)), ls.Revolute("y"), to="rod.tip", name="hand")
    model.frame("tool", on="rod.middle", at=(0.1, 0.2, 0.3), rotation={"axis": "x", "angle": 0.4})
    model.close(ls.Spherical(), "hand", "rod.middle", at_b=(0, 0.1, 0), name="ring")
    system, rng = model.compile(), np.random.default_rng(3)
    states = [system.neutral()]
    for _ in range(2):
        far = 0.4 * rng.standard_normal(system.bodies[0].n_mode)
        turn = np.array([0.7, 0.1, -0.5, 0.5])
        states.append(system.state(**{"rod.modes": far, "rod": turn, "hand": 0.7}))
    return moved(system, states, wrenches=("rod.tip",), loads=np.tile(PUSH, (3, 1)))


def ring_at(pose, outline=SECTION.outline):
    """Corners of a section at a pose."""
    corners = np.column_stack([np.zeros(len(outline)), outline])
    return pose.position + corners @ pose.rotation.T


def test_drawn_sections_are_at_the_poses_of_their_nodes():
    run = winding_run()
    scene = Scene(run)
    (piece,) = scene.bodies[0].surfaces
    for frame, time in enumerate(run.time):
        corners = scene.corners(frame, 0)
        for node in (0, 7, 24):
            pose = ls.pose(run.system, run.state(time), f"rod.{node}")
            assert np.allclose(corners[piece.nodes == node], ring_at(pose), atol=1e-12)


def test_drawings_have_joints_frames_and_loops_at_the_poses_of_nodes():
    run = winding_run()
    system, state = run.system, run.state(run.time[1])
    bodies = placed_bodies(system, state)
    tip, middle = (ls.pose(system, state, f"rod.{x}") for x in ("tip", "middle"))
    node = system.bodies[0].node_names["tip"]
    assert np.allclose(bodies[0].node_rotations[node], tip.rotation)
    assert np.allclose(bodies[0].node_positions[node], tip.position)
    _, hand, loop = placed_joints(system, state, bodies)
    assert np.allclose(hand.inboard[0], tip.rotation) and np.allclose(hand.inboard[1], tip.position)
    assert np.allclose(loop.outboard[1], middle.position + middle.rotation @ [0, 0.1, 0])
    ((_, axes, origin),) = placed_frames(system, bodies)
    pose = ls.pose(system, state, "tool")
    assert np.allclose(axes, pose.rotation) and np.allclose(origin, pose.position)


@pytest.fixture
def opened(tmp_path):
    """Function that opens the page of a run, on which nothing is amiss at the end."""
    pages = []

    def open_page(run, **options):
        path = tmp_path / f"page{len(pages)}.html"
        run.to_html(path, theme="light", **options)
        pages.append(Opened(shared_browser(), path.as_uri()))
        return pages[-1]

    yield open_page
    for page in pages:
        page.page.close()
        assert page.complaints == []


def test_the_page_bends_rods_as_the_engine_does(opened):
    run = winding_run()
    page, scene = opened(run), Scene(run)
    for frame in (1, 2, 0):
        time = float(run.time[frame])
        page(f"seek({time!r})")
        expected = sent_corners(scene, 0, frame)
        assert np.allclose(np.reshape(page("shaded(0)"), (-1, 3)), expected, atol=2e-6)
        assert np.allclose(page("vertex(0, 5)"), expected[5], atol=2e-6)
        for found, name in ((page("pose(1)"), "hand"), (page("named(0)"), "tool")):
            pose = ls.pose(run.system, run.state(time), name)
            assert np.allclose(found["position"], pose.position, atol=2e-6)
            turn = quaternion_rotation(np.array(found["quaternion"]))
            assert np.allclose(turn, pose.rotation, atol=2e-6)
        tip = ls.pose(run.system, run.state(time), "rod.tip")
        assert np.allclose(page("force(1)"), tip.rotation @ PUSH[3:], atol=1e-3)
    # between frames and enlarged it is a rod, too
    time = (run.time[1] + run.time[2]) / 2
    q = (run.q[1] + run.q[2]) / 2
    q[run.system.layout.modal_q(0)] *= 0.5
    page("scale(0.5)")
    page(f"seek({float(time)!r})")
    tip = ls.pose(run.system, (q, np.zeros(run.system.n_v)), "rod.tip").position
    assert np.allclose(page("pose(1)")["position"], tip, atol=2e-6)


def test_colours_of_the_page_show_one_thing_at_a_time(opened):
    page = opened(winding_run(), color="moment")
    assert page("show.moment") and page.page.locator("#largest").inner_text().endswith("N m moment")
    page(f"seek({float(winding_run().time[1])!r})")
    by_moment = page.pixels()
    page.press("show-curvature")
    assert page("show.curvature") and not page("show.moment")
    assert not page.page.locator("#show-moment").is_checked()
    assert page.page.locator("#largest").inner_text().endswith("rad/m curvature")
    assert np.mean(np.any(by_moment != page.pixels(), axis=1)) > 1e-3


def test_a_thin_cable_is_a_line_on_the_page(opened):
    model = ls.Model("cable")
    model.add(ls.rod(10.0, ls.Circle(1e-4), ls.STEEL), ls.Fixed(), name="cable")
    system = model.compile()
    page = opened(moved(system, [system.neutral()] * 2))
    page.press("show-grid")
    dark = np.all(np.abs(page.pixels() - [243, 245, 248]) > 30, axis=1)
    assert np.count_nonzero(dark) > 300


def test_animated_pictures_show_the_largest_moment_in_yellow():
    model = ls.Model("bow")
    model.add(ls.rod(1.0, ls.Circle(0.05), ls.STEEL), ls.Fixed(), name="rod")
    system = model.compile()
    bent = np.eye(system.n_q)[0]  # first shape of bending: most at the root
    run = moved(system, [system.neutral(), system.state(bent)])
    drawing = Drawing(Scene(run), (300, 200), "moment")
    yellow = []
    for frame in (0, 1):
        picture = np.asarray(drawing.picture(frame).convert("RGB"), int)[:160]  # above the legend
        yellow.append(np.count_nonzero(np.all(picture[..., :2] > 100 + picture[..., 2:], axis=2)))
    assert yellow[0] == 0 and yellow[1] > 20


def test_curvature_is_that_of_the_axis_and_moment_that_of_the_change():
    rod = ls.rod(1.0, SECTION, ls.STEEL, curvature=(0, 0, 2.0), torsion=0, stretch=0).normalised()
    chosen = np.flatnonzero(rod.rod.strains == KAPPA_Z)
    eta = np.zeros(rod.n_mode)
    eta[chosen] = np.linalg.lstsq(rod.rod.functions[:, chosen], np.full(len(rod.rod.points), 0.5))[
        0
    ]
    shown = shown_strains(rod.rod, np.arange(25), eta[None])
    assert np.allclose(shown["curvature"], 2.5)
    assert np.allclose(shown["moment"], 0.5 * ls.STEEL.youngs_modulus * SECTION.second_moment_z)


@pytest.mark.parametrize(
    ("color", "words"), [("heat", "expected one of"), ("moment", "no rod that could show it")]
)
def test_colours_that_nothing_has_are_named(tmp_path, color, words):
    with pytest.raises(StateError, match=words):
        bending_run().to_html(tmp_path / "run.html", color=color)
    with pytest.raises(StateError, match=words):
        bending_run().to_gif(tmp_path / "run.gif", color=color)


def test_a_spring_of_ten_turns_is_drawn_with_enough_sections():
    turns, radius = 10, 0.02
    wire = ls.rod(2 * np.pi * radius * turns, ls.Circle(0.002), ls.STEEL, curvature=(4, 0, 50.0))
    model = ls.Model("spring")
    model.add(wire, ls.Fixed(), name="spring")
    system = model.compile()
    body = SceneBody(system, 0)
    nodes = np.array(body.body.solids[0].nodes)
    turns, _ = node_frames(body.body, nodes, np.zeros((1, system.bodies[0].n_mode)))
    cosines = np.abs(np.sum(turns[0, 1:] * turns[0, :-1], axis=1))
    assert 2 * np.arccos(cosines.min()) < 0.2  # rad
    assert np.array_equal(nodes[[0, -1]], [0, 24])


def test_a_rod_of_a_run_that_ended_in_nonsense_is_shown():
    model = ls.Model("wire")
    model.add(ls.rod(0.1, ls.Circle(0.0005), ls.STEEL), ls.Fixed(), name="wire")
    system = model.compile()
    wild = np.full(system.n_q, 9e29)  # times the strain per amplitude its fifth power overflows
    frames = Scene(moved(system, [system.neutral(), system.state(wild)])).data()["frames"]
    assert np.all(np.isfinite([*frames["low"], *frames["high"], frames["moment"]]))


def test_a_rod_without_solids_is_drawn_along_its_axis():
    bare = ls.bodies.Rod(1.0, [1.0, 1.0, 1.0, 1e4, 1e4, 1e4], 1.0, [1e-4] * 3)
    model = ls.Model("bare")
    model.add(bare, ls.Fixed(), name="rod")
    body = SceneBody(model.compile(), 0)
    (piece,) = body.surfaces
    assert np.allclose(np.linalg.norm(piece.offsets, axis=1), 0.02)  # of a circle with EI/EA
    assert len(np.unique(piece.nodes)) == 25


def test_tapered_rods_have_the_volume_of_their_sections():
    pair = ls.Rectangle(0.2, 0.1), ls.Rectangle(0.1, 0.02)
    body = ls.rod(2.0, pair, ls.STEEL).normalised()
    found = surface(body, body.solids[0], "rod")
    points = body.node_positions[found.nodes] + found.offsets
    s = np.polynomial.Polynomial([0.0, 1.0])
    exact = 2.0 * ((0.2 - 0.1 * s) * (0.1 - 0.08 * s)).integ()(1.0)
    assert volume(points, found.triangles) == pytest.approx(exact, rel=1e-3)
    assert np.allclose(body.solids[0].outlines[12], ls.Rectangle(0.15, 0.06).outline)


def test_sections_of_different_kinds_are_drawn_as_rectangles():
    rod = ls.rod(1.0, lambda x: ls.Circle(0.1) if x < 0.5 else ls.Rectangle(0.17, 0.17), ls.STEEL)
    assert rod.solids[0].outline.shape == (25, 4, 2)


def test_outlines_of_each_node_are_kept_by_files(tmp_path):
    outlines = np.linspace(1, 2, 3)[:, None, None] * ls.Circle(0.1).outline
    sweep = ls.solids.Sweep(outlines, range(3))
    words, numbers = described_solids([sweep])
    flat = np.concatenate([np.ravel(x) for x in numbers])
    (again,) = restored_solids(words, Numbers(flat))
    assert np.array_equal(again.outline, outlines) and again.nodes == (0, 1, 2)
    beam = ls.beam(1.0, ls.Circle(0.1), ls.STEEL, modes=1, elements=2)
    model = ls.Model("swept")
    model.add(dataclasses.replace(beam, solids=sweep), ls.Fixed(), name="boom")
    model.save(tmp_path / "swept.toml")
    (again,) = ls.load(tmp_path / "swept.toml").compile().bodies[0].solids
    assert np.array_equal(again.outline, outlines)


def test_outlines_that_are_not_as_many_as_the_nodes_are_named():
    with pytest.raises(ModelError, match="outline"):
        ls.solids.Sweep(np.zeros((2, 4, 2)), range(3))


def test_a_rod_that_leaves_the_plane_is_drawn_in_space():
    model = ls.Model("swinging")
    model.add(ls.rod(1.0, SECTION, ls.STEEL), ls.Revolute("y"), name="rod")
    system = model.compile()
    assert ls.viz.draw(system).axes[0].name == "rectilinear"
    bent = np.zeros(system.bodies[0].n_mode)
    bent[0] = 0.3
    assert ls.viz.draw(system, system.state(**{"rod.modes": bent})).axes[0].name == "3d"


def test_plots_of_shapes_name_the_strain_of_each_coordinate():
    options = {"bending": 1, "torsion": 1, "shear": (1, 0), "curvature": (0, 0, 1.0)}
    figure = ls.viz.plot_modes(ls.rod(1.0, SECTION, ls.STEEL, **options))
    kinds = [axes.get_title().split(", ")[1] for axes in figure.axes]
    assert kinds == ["bending along y", "bending along z", "torsion", "stretch", "shear along y"]
