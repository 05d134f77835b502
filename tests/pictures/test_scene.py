"""What the moving view is told: corners follow the engine, frames are few, mistakes are named."""

import dataclasses
import json

import numpy as np
import pytest

import lissom as ls
from lissom.results.store import MemoryStore
from lissom.results.trajectory import Trajectory
from lissom.viz.scene.bodies import SceneBody, bent, shaded
from lissom.viz.scene.frame_times import frames_of
from lissom.viz.scene.joints import poses
from lissom.viz.scene.motion import Scene, outermost
from lissom.viz.scene.surfaces import surface
from lissom.viz.view.animated import page_text
from tests.samples.four_bars import four_bar_of_a_chain
from tests.samples.model_files import tree_of_joints
from tests.samples.motions_to_view import BOOM, arm_run, arm_system, bending_run, decoded, moved
from tests.samples.results import random_run
from tests.tools.measures import volume

RNG = np.random.default_rng


def body_with(*solids):
    model = ls.Model("one")
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1), solids=solids), ls.Free(), name="body")
    return model.compile().bodies[0]


@pytest.mark.parametrize(
    "solid, expected, within",
    [
        (ls.solids.Box((1.0, 2.0, 3.0)), 6.0, 1e-12),
        (ls.solids.Cylinder(1.0, 2.0), 2 * np.pi, 0.01),
        (ls.solids.Sphere(1.0), 4 / 3 * np.pi, 0.02),
    ],
    ids=["box", "cylinder", "sphere"],
)
def test_surfaces_are_closed_and_face_outwards(solid, expected, within):
    drawn = surface(body_with(solid), solid, "body")
    assert volume(drawn.offsets, drawn.triangles) == pytest.approx(expected, rel=within)
    edges = np.sort(drawn.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert np.all(np.unique(edges, axis=0, return_counts=True)[1] == 2)


def test_a_sweep_has_the_volume_of_its_section_also_if_that_is_not_convex():
    section = ls.ISection(width=0.1, height=0.2, web=0.01, flange=0.02)
    body = ls.beam(2.0, section, ls.STEEL, bending=1, torsion=0, stretch=0).normalised()
    drawn = surface(body, body.solids[0], "beam")
    rest = bent(body, drawn.nodes, drawn.offsets, np.zeros(2))
    assert volume(rest, drawn.triangles) == pytest.approx(2.0 * section.area, rel=1e-9)


def test_a_turned_and_shifted_solid_is_where_it_should_be():
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    solid = ls.solids.Box((4.0, 1.0, 1.0), at=(1, 2, 3), rotation=turn)
    drawn = surface(body_with(solid), solid, "body")
    assert np.allclose(drawn.offsets.min(axis=0), [0.5, 0, 2.5])
    assert np.allclose(drawn.offsets.max(axis=0), [1.5, 4, 3.5])


def test_normals_are_sharp_at_edges_and_smooth_on_round_faces():
    solid = ls.solids.Cylinder(1.0, 2.0)
    drawn = surface(body_with(solid), solid, "body")
    corners, normals, triangles = shaded(drawn.offsets, drawn.triangles)
    points, normals = drawn.offsets[corners], normals / 127
    assert len(corners) == 2 * len(drawn.offsets)  # each corner is on the wall and on a cap
    flat = np.abs(normals[:, 2]) > 0.5
    assert np.allclose(np.abs(normals[flat, 2]), 1.0)
    assert np.abs(normals[~flat, :2] - points[~flat, :2]).max() < 0.02
    assert volume(points, triangles) == pytest.approx(volume(drawn.offsets, drawn.triangles))


@pytest.mark.parametrize("where", ["upper.tip", "upper.7", "lower.12", "lower.root", "hub"])
def test_nodes_are_where_the_engine_has_them(where):
    system = arm_system()
    run = random_run(system, RNG(3), n=4)
    scene = Scene(run)
    i, node = system.locate(where)
    offset = np.array([0.02, -0.3, 0.1])
    for frame in range(run.n):
        local = bent(system.bodies[i], np.array([node]), offset[None], scene.modes[i][frame])[0]
        body = ls.pose(system, run.state(run.time[frame]), system.names[i])
        engine = ls.pose(system, run.state(run.time[frame]), where)
        found = body.position + body.rotation @ local
        size = 1 + np.abs(found).max()
        assert np.allclose(found, engine.position + engine.rotation @ offset, atol=1e-12 * size)


def test_corners_in_the_world_follow_the_poses_of_the_engine():
    run = random_run(arm_system(), RNG(5), n=3)
    scene = Scene(run)
    for i, name in enumerate(run.system.names):
        body = ls.pose(run.system, run.state(run.time[2]), name)
        local = scene.bodies[i].corners(scene.modes[i][2])
        expected = body.position + local @ body.rotation.T
        assert np.allclose(scene.corners(2, i), expected, atol=1e-9 * (1 + np.abs(expected).max()))


def test_every_kind_of_joint_is_a_product_of_simple_motions():
    system = tree_of_joints().compile()
    run = random_run(system, RNG(6), n=3)
    found = poses(system, run.q)
    for i, name in enumerate(system.names):
        assert np.allclose(found[:, i, :3], run[f"{name}.position"], atol=1e-12), name
        turn = run[f"{name}.quaternion"]
        assert np.allclose(np.abs(np.sum(found[:, i, 3:] * turn, axis=1)), 1.0, atol=1e-13), name


def test_the_page_gets_the_nodes_and_shapes_of_the_body():
    scene = Scene(bending_run(), ["boom.5"])
    data = scene.data()
    body, told = scene.bodies[0], data["bodies"][0]
    positions = decoded(data, told["nodes"]).reshape(-1, 3)
    shapes = decoded(data, told["shapes"]).reshape(-1, told["n_mode"], 6)
    assert np.allclose(positions, body.body.node_positions[body.nodes], atol=1e-6)
    assert np.allclose(shapes, body.body.node_shapes[body.nodes].transpose(0, 2, 1), rtol=1e-6)
    assert body.nodes[data["trails"][0]["node"]] == 5
    assert data["frames"]["deflection"] == pytest.approx(
        np.linalg.norm(bending_run()["boom.tip.deflection"][2]), rel=1e-9
    )


def test_a_body_without_solids_has_rods_to_its_joints():
    system = four_bar_of_a_chain().compile()
    drawn = SceneBody(system, system.layout.index("crank"))
    assert drawn.rest[:, 0].max() == pytest.approx(1.0, abs=1e-9)
    assert len(drawn.surfaces) == 2
    closed = SceneBody(system, system.layout.index("rocker"))
    assert len(closed.surfaces) >= 1


def test_a_mesh_bends_with_the_nodes_nearest_to_its_corners():
    corners = [[0, 0.1, 0], [0, -0.1, 0], [1.0, 0.1, 0], [1.0, -0.1, 0], [2.0, 0, 0.05]]
    mesh = ls.solids.Mesh(corners, [[0, 1, 2], [2, 1, 3], [2, 3, 4]])
    model = ls.Model("plate")
    model.add(dataclasses.replace(BOOM, solids=mesh), ls.Fixed(), name="boom")
    system = model.compile()
    state = system.state(**{"boom.modes": [0.3, -0.2, 0.05]})
    scene = Scene(moved(system, [state]))
    positions = system.bodies[0].node_positions
    for corner, place in enumerate(corners):
        node = np.argmin(np.linalg.norm(positions - place, axis=1))
        pose = ls.pose(system, state, f"boom.{node}")
        expected = pose.position + pose.rotation @ (place - positions[node])
        assert np.allclose(scene.corners(0, 0)[corner], expected)


def test_a_mesh_without_triangles_is_no_look():
    nothing = ls.solids.Mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=int))
    model = ls.Model("bare")
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1), solids=nothing), ls.Free(), name="body")
    assert len(SceneBody(model.compile(), 0).rest) > 0


def test_equal_bodies_are_sent_once():
    both = Scene(arm_run(3)).data()["bodies"]
    upper, lower = both[1], both[2]
    assert upper["shapes"] == lower["shapes"]
    for key in ("offsets", "normals", "triangles"):
        assert upper["surfaces"][0][key] == lower["surfaces"][0][key]


def test_600_frames_of_the_flexible_arm_are_small():
    text = page_text(arm_run())
    assert len(text.encode()) < 235_000
    assert text.count("http") <= 1  # the attribute http-equiv


def test_a_frame_is_the_time_the_coordinates_and_six_bytes_for_each_arrow():
    """In base64, four characters for three bytes: 600 frames of the arm are 77 kB."""
    run = random_run(arm_system(), RNG(2), n=60)
    n_arrow = 2 * run.system.n_body  # forces and moments of its joints
    sizes = {}
    for reactions in (True, False):
        frames = Scene(run, reactions=reactions).data()["frames"]
        sizes[reactions] = sum(len(text) for _, text in frames["arrays"])
    plain = 4 / 3 * 4 * (1 + run.system.n_q)
    assert sizes[False] == pytest.approx(60 * plain, abs=16)
    assert sizes[True] == pytest.approx(60 * (plain + 4 / 3 * 6 * n_arrow), abs=16)


def test_a_force_at_a_frame_has_no_moment_there():
    """Rows have it about the node; what rounding leaves about the frame is no arrow."""
    model = ls.Model("lever")
    model.add(ls.RigidBody.box(1.0, (1.0, 0.1, 0.1)), ls.Revolute("z"), name="lever")
    model.frame("grip", on="lever", at=(0.37, 0.11, -0.23))
    pull = ls.NodeForce("grip", (3.0, 0.7, -0.2))
    run = ls.simulate(model.compile(), duration=0.5, loads=[pull], output_step=0.05)
    kinds = [arrow["kind"] for arrow in Scene(run, reactions=False).data()["forces"]]
    assert kinds == ["force"]


def test_a_long_chain_is_sent_as_its_angles_and_one_link():
    n = 300
    system = ls.library.rigid_chain(n).compile()
    data = Scene(moved(system, [system.neutral()] * 20)).data()
    frames = sum(len(text) for _, text in data["frames"]["arrays"])
    assert frames == pytest.approx(20 * 4 / 3 * 4 * (1 + n), abs=16)
    assert len({piece["offsets"] for b in data["bodies"] for piece in b["surfaces"]}) <= 2
    assert data["forces"] == []  # of joints only if they are asked for


def test_notebooks_get_fewer_frames_of_large_mechanisms_and_say_so(monkeypatch):
    run = arm_run()
    assert "keep the notebook small" not in run.show().text
    monkeypatch.setattr("lissom.viz.view.animated.NOTEBOOK", 180_000)
    small = run.show(reactions=False).text
    assert "to keep the notebook small" in small
    assert len(small) == pytest.approx(180_000, rel=0.02)
    monkeypatch.setattr("lissom.viz.view.animated.NOTEBOOK", 1000)
    assert "60 frames of 600 rows" in run.show().text


def test_many_rows_are_sampled_and_uneven_rows_are_spaced_evenly():
    assert frames_of(arm_run(), 50).n == 50
    run = arm_run(100)
    assert np.array_equal(frames_of(run, 600).time, run.time)
    uneven = run.sample([0.0, 0.01, 0.02, 1.5, 2.0])
    assert np.ptp(np.diff(frames_of(uneven, 60).time)) < 1e-12


def test_forces_of_loads_and_loops_are_told():
    system = four_bar_of_a_chain().compile()
    run = random_run(system, RNG(1), n=3, wrenches=("crank",))
    told = Scene(run).data()
    assert [(f["kind"], f["name"]) for f in told["forces"]] == [
        ("moment", "load on crank"),
        ("force", "load on crank"),
        ("loop", "loop D"),
        *(("joint", f"joint of {name}") for name in system.names),
        ("loop_moment", "loop D"),
        *(("joint_moment", f"joint of {name}") for name in system.names),
    ]
    frames = told["frames"]
    values = decoded(frames, frames["forces"]).reshape(3, -1, 3)
    values = values / 32767 * np.array(frames["peaks"])[:, None]
    name = system.names[-1]
    turn, reaction = run[f"{name}.rotation"], run[f"{name}.reaction"]
    force, moment = (np.einsum("nij,nj->ni", turn, reaction[:, k : k + 3]) for k in (3, 0))
    pin = run["D.moment_world"]
    applied, joint = run["crank.load"][:, 3:], 2 + system.n_body
    for k, expected in ((1, applied), (joint, force), (joint + 1, pin), (-1, moment)):
        assert np.allclose(values[:, k], expected, atol=4e-5 * np.abs(expected).max())
    assert [f["kind"] for f in Scene(run, reactions=False).data()["forces"]][2:] == [
        "loop",
        "loop_moment",
    ]
    assert [loop["name"] for loop in told["loops"]] == ["D"]
    assert told["loops"][0]["a"]["body"] == -1


@pytest.mark.parametrize("last", [np.nan, 1e300])
def test_a_run_that_ended_in_nonsense_is_shown_up_to_there(last):
    run = random_run(arm_system(), RNG(3), n=4)
    rows = np.array(run.store.rows)
    rows[-1, run.store.columns.slices["acceleration"]] = last
    broken = Trajectory(run.system, MemoryStore(run.store.columns, rows))
    data = Scene(broken).data()
    assert data["frames"]["n"] == 4 and np.all(np.isfinite(data["frames"]["peaks"]))
    if np.isnan(last):
        values = decoded(data["frames"], data["frames"]["forces"]).reshape(4, -1, 3)
        assert np.any(values[0]) and not np.any(values[-1])
    assert page_text(broken)


def test_trails_are_of_bodies_that_move_at_the_end():
    assert outermost(arm_run(3), 3) == ["payload"]
    still = arm_run(3).sample([0.0])
    assert outermost(still, 3) == []


def test_names_cannot_leave_their_place_in_the_page():
    model = ls.Model("</script><b>&", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Revolute("y"), name="</script><u>")
    system = model.compile()
    text = page_text(moved(system, [system.neutral(), system.neutral()]))
    assert "<b>" not in text and "<u>" not in text
    data = text.split('id="data">')[1].split("</script>")[0]
    assert json.loads(data)["bodies"][0]["name"] == "</script><u>"


@pytest.mark.parametrize(
    "options, words",
    [
        ({"frames": 1}, "frames is 1"),
        ({"frames": 2.5}, "frames is 2.5"),
        ({"title": 3}, "title is 3"),
        ({"theme": "pink"}, "'auto', 'light' or 'dark'"),
        ({"scale": -1}, "scale is -1"),
        ({"trails": "ball"}, "expected a list"),
        ({"trails": ["bal"]}, "bal"),
        ({"trails": [3]}, "3"),
    ],
)
def test_mistakes_are_named(options, words):
    with pytest.raises(ls.LissomError, match=words):
        page_text(bending_run(), **options)


def test_a_sweep_along_nodes_that_do_not_exist_is_named():
    beyond = ls.solids.Sweep([[0, 0], [1, 0], [0, 1]], [0, 9999])
    shape = dataclasses.replace(BOOM, solids=beyond)
    model = ls.Model("wrong")
    model.add(shape, ls.Fixed(), name="boom")
    system = model.compile()
    with pytest.raises(ls.ModelError, match=r"body 'boom': .* nodes 0 to 9999"):
        ls.viz.page_of(system, system.neutral())


def test_files_need_a_name_that_browsers_know(tmp_path):
    bending_run().to_html(tmp_path / "boom.html", title="A & B")
    assert "<title>A &amp; B</title>" in (tmp_path / "boom.html").read_text(encoding="utf-8")
    with pytest.raises(ls.ResultError, match="html"):
        bending_run().to_html(tmp_path / "boom.nc")
    with pytest.raises(ls.ResultError, match="nowhere"):
        bending_run().to_html(tmp_path / "nowhere" / "boom.html")


def test_a_state_of_another_system_is_named():
    system = arm_system()
    with pytest.raises(ls.StateError, match="other bodies"):
        ls.viz.page_of(system, bending_run().system.neutral())
    with pytest.raises(ls.StateError, match="expected a System"):
        ls.viz.page_of("arm", system.neutral())
    with pytest.raises(ls.StateError, match="real, finite numbers"):
        ls.viz.page_of(system, system.state(upper=1j))
