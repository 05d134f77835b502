"""Enlarged bending: what is joined stays joined: trees by bent nodes, loops by turned joints."""

import dataclasses

import numpy as np
import pytest

import lissom as ls
from lissom.spatial import quaternion_rotation
from lissom.viz.scene.enlarged import with_scaled_modes
from lissom.viz.scene.frame_times import frames_of
from lissom.viz.scene.motion import Scene
from lissom.viz.scene.surfaces import bent_along, surface
from tests.samples.motions_to_view import Opened, decoded, moved, shared_browser
from tests.samples.results import random_run

SCALE = 25.0
TUBE = ls.Tube(radius=0.04, thickness=0.002)


@pytest.fixture
def opened(tmp_path):
    """Function that opens a run's page."""
    pages = []

    def open_page(run, **options):
        path = tmp_path / f"page{len(pages)}.html"
        run.to_html(path, theme="light", plot=(), **options)
        pages.append(Opened(shared_browser(), path.as_uri()))
        return pages[-1]

    yield open_page
    for page in pages:
        page.page.close()
        assert page.complaints == []


def placed(found):
    """Position and rotation of a frame of the page."""
    return np.array(found["position"]), quaternion_rotation(np.array(found["quaternion"]))


def block(axis=0, at=0.5):
    """A beam that looks like a block."""
    size = np.full(3, 0.06)
    size[axis] = 1.0
    solid = ls.solids.Box(size, at=(at, 0, 0))
    beam = ls.beam(1.0, TUBE, ls.ALUMINIUM, modes=4)
    return dataclasses.replace(beam, solids=(solid,))


def tree_of_bent_bodies():
    """Bodies of each kind that bends; what they carry hangs beside their nodes, on joints."""
    model = ls.Model("tree")
    model.add(ls.beam(1.0, TUBE, ls.ALUMINIUM, modes=4), ls.Revolute("y"), name="full")
    stiffened = ls.beam(1.0, TUBE, ls.ALUMINIUM, modes=4, level="stiffened")
    model.add(stiffened, ls.Universal("x", "y"), to="full.tip", at=(0.05, 0.02, 0), name="stiff")
    rod = ls.rod(1.0, ls.Circle(0.01), ls.STEEL, bending=(2, 2), torsion=1)
    model.add(rod, ls.Revolute("z"), to="stiff.tip", rotation={"rpy": (0.3, 0.2, 0)}, name="rod")
    model.add(block(), ls.Spherical(), to="rod.tip", at=(0, 0.03, 0), name="block")
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Prismatic("x"), to="block.tip", name="ball")
    return model.compile()


def bent_run(system, size, n=3):
    """Random hinge coordinates, and modes whose bending is small until it is enlarged."""
    run = random_run(system, np.random.default_rng(7), n=n)
    states = []
    for time in run.time:
        q = np.array(run.state(time).q)
        for i, body in enumerate(system.bodies):
            modal = system.layout.modal_q(i)
            tip = np.abs(body.node_shapes[:, 3:]).max(initial=1e-9) if body.n_mode else 1.0
            q[modal] = size * (-1.0) ** np.arange(body.n_mode) / (tip if body.rod is None else 1.0)
        states.append(system.state(q=q))
    return moved(system, states)


def test_joints_stay_on_the_enlarged_nodes(opened):
    """Carried bodies are where the joint puts them from the bent node, and skins end there too."""
    run = bent_run(tree_of_bent_bodies(), 0.004)
    system, scene = run.system, Scene(frames_of(run, 600))
    page, data = opened(run, scale=SCALE), scene.data()
    page(f"seek({float(run.time[1])!r})")
    far = 0.0
    for i in range(1, system.n_body):
        joint, q = system.joints[i], run.q[1, system.layout.hinge_q(i)]
        rotation, position = joint.pose(q)
        at, turn = placed(page(f"carrier({i})"))
        origin, attitude = placed(page(f"pose({i})"))
        assert np.allclose(origin, at + turn @ position, atol=2e-5)
        assert np.allclose(attitude, turn @ rotation, atol=2e-5)
        true = ls.pose(system, run.state(run.time[1]), system.names[i]).position
        far = max(far, np.linalg.norm(origin - true))
        # the skin of the carrying body, as the graphics processor bends it, hangs on the same node
        parent = int(system.parent[i])
        at = at - turn @ system.frame_rotation[i].T @ system.frame_position[i]
        turn = turn @ system.frame_rotation[i].T
        nodes = decoded(data, data["bodies"][parent]["surfaces"][0]["nodes"])
        offsets = decoded(data, data["bodies"][parent]["surfaces"][0]["offsets"]).reshape(-1, 3)
        here = nodes == data["bodies"][i]["carrier"]
        skin = np.reshape(page(f"shaded({parent})"), (-1, 3))[: len(nodes)][here]
        assert here.sum() >= 4
        assert np.allclose(skin, at + offsets[here] @ turn.T, atol=3e-5)
    assert far > 0.1  # it is a test: the bodies have moved visibly


def test_blocks_and_cylinders_bend_with_the_nodes_along_them():
    body = block().normalised()
    points, nodes, triangles = bent_along(body, body.solids[0])
    axis = np.flatnonzero(np.abs(body.node_positions[:, 1:]).max(axis=1) < 1e-9)
    assert np.array_equal(np.unique(nodes), axis)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(0.06**2)
    ends = surface(body, body.solids[0], "block")
    tip = body.node_names["tip"]
    assert np.abs(ends.offsets[ends.nodes == tip, 0]).max() < 1e-9
    # one that is across the beam, or beyond it, hangs on one node as before
    for other in (ls.solids.Cylinder(0.05, 0.2, at=(0.5, 0, 0)), ls.solids.Sphere(0.1)):
        assert len(np.unique(surface(body, other, "block").nodes)) == 1
    along = {"axis": (0, 1, 0), "angle": np.pi / 2}
    cylinder = ls.solids.Cylinder(0.05, 1.2, at=(0.5, 0, 0), rotation=along)
    found = surface(body, cylinder, "block")
    assert np.array_equal(np.unique(found.nodes), axis)
    rest = body.node_positions[found.nodes] + found.offsets
    assert np.allclose([rest[:, 0].min(), rest[:, 0].max()], [-0.1, 1.1])


def slider_crank(across=0):
    """Crank, a rod that bends, also across the plane, a slider, and a loop."""
    model = ls.Model("slider-crank")
    model.add(ls.RigidBody.rod(1.0, 0.3), ls.Revolute("y"), name="crank")
    rod = ls.beam(1.0, TUBE, ls.ALUMINIUM, bending=(across, 2), torsion=0, stretch=0)
    model.add(rod, ls.Revolute("y"), to="crank", at=(0.3, 0, 0), name="rod")
    model.add(ls.RigidBody.box(1.0, (0.1, 0.1, 0.1)), ls.Prismatic("x"), name="slider")
    model.close(ls.Revolute("y"), "rod.tip", "slider", name="pin")
    return model.compile()


def slider_run(system):
    states = []
    for angle in (0.4, 0.9, 1.5):
        bent = {"rod.modes": np.array([0.01, -0.004])}
        guess = system.state(crank=-angle, rod=angle + 0.3, slider=1.2, **bent)
        states.append(ls.assemble(system, guess, held=["crank", "rod.modes"], velocity=False))
    return moved(system, states)


def ends(page):
    return [placed(end) for end in page("loop(0)")]


def test_loops_stay_closed_under_enlarged_bending(opened):
    run = slider_run(slider_crank())
    page = opened(run, scale=SCALE)
    true, open_ = run.q.copy(), run.q.copy()
    open_[:, run.system.layout.modal_q("rod")] *= SCALE
    gap = moved(run.system, [run.system.state(q=q) for q in open_])["closure"]
    assert gap.min() > 0.02  # without turning joints it would be wide open
    for time in run.time:
        page(f"seek({float(time)!r})")
        (a, A), (b, B) = ends(page)
        assert np.linalg.norm(a - b) < 1e-6
        assert np.allclose(A[:, 1], B[:, 1], atol=1e-6)  # the pin is that of both
    assert "loops stay closed" in page.page.locator("#enlarged").inner_text()
    page("scale(1)")
    for k, time in enumerate(run.time):
        page(f"seek({float(time)!r})")
        tip = ls.pose(run.system, run.system.state(q=true[k]), "rod.tip").position
        assert np.allclose(ends(page)[0][0], tip, atol=1e-5)


def test_pictures_close_loops_too():
    run = slider_run(slider_crank())
    large, gap = with_scaled_modes(run, SCALE)
    assert gap < 1e-9
    modal = run.system.layout.modal_q("rod")
    assert np.allclose(large.q[:, modal], SCALE * run.q[:, modal])
    assert np.abs(large.q - run.q).max() > 0.01
    assert np.array_equal(large.time, run.time)


def test_loops_that_cannot_be_closed_are_told(opened):
    """The rod bends across the plane, in which no joint moves."""
    run, system = slider_run(slider_crank()), slider_crank(across=1)
    across = [[*q[:1], 0.002, *q[1:]] for q in run.q]
    run = moved(system, [system.state(q=q) for q in across])
    page = opened(run, scale=SCALE)
    words = page.page.locator("#enlarged").inner_text()
    assert "loops then open by" in words and page("gap") > 1e-3
    large, gap = with_scaled_modes(run, SCALE)
    assert gap > 1e-3 and np.all(np.isfinite(large.q))


def test_wheels_that_roll_have_no_joint_to_close(opened):
    """A flexible boom with a wheel that rolls at its tip: nothing is closed, nothing is told."""
    model = ls.Model("roller")
    rod = ls.beam(1.0, TUBE, ls.ALUMINIUM, bending=(0, 2), torsion=0, stretch=0)
    model.add(rod, ls.Revolute("y"), at=(0, 0, 0.2), name="rod")
    wheel = ls.RigidBody.cylinder(1.0, 0.2, 0.05, axis="x")
    model.add(wheel, ls.Revolute("x"), to="rod.tip", name="wheel")
    model.close(ls.Rolling(0.2, "x"), None, "wheel", name="road")
    system = model.compile()
    run = moved(system, [system.state(**{"rod.modes": bent}) for bent in 0.01 * np.eye(2)])
    large, gap = with_scaled_modes(run, SCALE)
    assert gap < 1e-12 and np.all(np.isfinite(large.q))
    page = opened(run, scale=SCALE)
    assert "open by" not in page.page.locator("#enlarged").inner_text()
