"""Drawings of mechanisms: where everything is, and from where it is seen."""

import numpy as np
import pytest

import lissom as ls
from lissom.viz.drawing.direction import Flat, Space, chosen_view
from lissom.viz.drawing.positions import placed_bodies, placed_joints
from tests.samples.kernel_cases import random_system
from tests.samples.plots import ARM, CLOSED, LINKAGE
from tests.tools.measures import random_state

CLOSING = "#D55E00"


def markers(axes, shape):
    return [line for line in axes.get_lines() if line.get_marker() == shape]


def words(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def drawn_points(axes):
    """All points of collections and lines in a plane (n, 2)."""
    paths = [path.vertices for c in axes.collections for path in c.get_paths()]
    return np.concatenate([*paths, *(np.array(line.get_xydata()) for line in axes.get_lines())])


def chain(*joints, gravity=(0, 0, 0)):
    """Bars of a metre, one on the other's end."""
    model, to = ls.Model("chain", gravity=gravity), None
    for k, joint in enumerate(joints):
        bar = ls.RigidBody.cylinder(1.0, 0.025, 1.0, axis="x", com=(0.5, 0, 0))
        model.add(bar, joint, to=to, at=(1, 0, 0) if to else (0, 0, 0), name=f"b{k}")
        to = f"b{k}"
    return model.compile()


# Places


@pytest.mark.parametrize("seed", range(4))
def test_bodies_and_nodes_are_where_the_kinematics_put_them(seed):
    system = random_system(seed)
    state = random_state(system, np.random.default_rng(seed), deformation=0.1)
    for placed in placed_bodies(system, state):
        body = system.bodies[system.names.index(placed.name)]
        for node in range(len(body.node_positions)):
            where = f"{placed.name}.{node}" if len(body.node_positions) > 1 else placed.name
            pose = ls.pose(system, state, where)
            np.testing.assert_allclose(placed.node_positions[node], pose.position, atol=1e-9)
            np.testing.assert_allclose(placed.node_rotations[node], pose.rotation, atol=1e-9)


def test_motions_of_joints_are_in_world_axes():
    system = chain(ls.Revolute("z"), ls.Prismatic("x"))
    state = system.state(b0=np.pi / 2, b1=0.5)
    joints = placed_joints(system, state, placed_bodies(system, state))
    np.testing.assert_allclose(joints[0].axes[:, 0], [0, 0, 1, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(joints[1].axes[:, 0], [0, 0, 0, 0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(joints[1].inboard[1], [0, 1, 0], atol=1e-15)
    np.testing.assert_allclose(joints[1].outboard[1], [0, 1.5, 0], atol=1e-15)


# From where


def view_of(system, view=None, state=None):
    state = system.neutral() if state is None else state
    joints = placed_joints(system, state, placed_bodies(system, state))
    return chosen_view(view, joints, system.gravity)


@pytest.mark.parametrize(
    ("axis", "gravity", "right", "up"),
    [
        ("z", (0, 0, 0), (1, 0, 0), (0, 1, 0)),
        ("z", (0, -9.81, 0), (1, 0, 0), (0, 1, 0)),
        ("z", (-9.81, 0, 0), (0, 1, 0), (1, 0, 0)),
        ("y", (0, 0, -9.81), (1, 0, 0), (0, 0, 1)),
        ("x", (0, 0, 0), (0, 1, 0), (0, 0, 1)),
        ("y", (0, 0, 9.81), (1, 0, 0), (0, 0, -1)),
        ((0, 1, 1), (0, 0, 0), (1, 0, 0), (0, -np.sqrt(0.5), np.sqrt(0.5))),
    ],
)
def test_planar_mechanisms_are_seen_along_their_axes(axis, gravity, right, up):
    view = view_of(chain(ls.Revolute(axis), ls.Revolute(axis), gravity=gravity))
    assert isinstance(view, Flat)
    np.testing.assert_allclose(view.right, right, atol=1e-12)
    np.testing.assert_allclose(view.up, up, atol=1e-12)


@pytest.mark.parametrize(
    "joints",
    [
        [ls.Revolute("z"), ls.Revolute("y")],
        [ls.Revolute("z"), ls.Prismatic("z")],
        [ls.Free()],
        [ls.Spherical()],
        [ls.Screw("z", 0.1)],
        [ls.Fixed()],
    ],
)
def test_others_are_seen_in_space(joints):
    assert isinstance(view_of(chain(*joints)), Space)


def test_slides_across_the_axes_stay_planar():
    system = chain(ls.Revolute("z"), ls.Prismatic("x"), ls.Planar("z"))
    assert isinstance(view_of(system), Flat)


def test_a_turned_joint_counts_by_its_axis_in_the_world():
    model = ls.Model("turned")
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    quarter = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]  # about x: y becomes z
    model.add(rod, ls.Revolute("z"), name="a")
    model.add(rod, ls.Revolute("y"), to="a", at=(1, 0, 0), rotation=quarter, name="b")
    assert isinstance(view_of(model.compile()), Flat)


def test_the_view_in_space_shows_what_the_usual_one_would_foreshorten():
    # along the usual direction to the reader the arm would be a point
    along = Space(elevation=0.0).towards
    model, to = ls.Model("arm"), None
    bar = ls.RigidBody(1.0, inertia=1.0)
    for k, axis in enumerate("xyz"):
        at = (k - 0.5) * along + [0, 0, 0.3 * (k % 2)] if to else (0, 0, 0)
        model.add(bar, ls.Revolute(axis), to=to, at=at, name=f"b{k}")
        to = f"b{k}"
    view = view_of(model.compile())
    assert abs(view.azimuth - Space().azimuth) > 20
    assert view_of(chain(ls.Revolute("z"), ls.Revolute("y"))) == Space()  # two points: the usual


def test_what_points_against_gravity_is_up_in_space():
    spread = [ls.Revolute("z"), ls.Revolute("y")]
    assert view_of(chain(*spread, gravity=(0, -9.81, 0))).vertical == "y"
    assert view_of(chain(*spread)).vertical == "z"


@pytest.mark.parametrize("vertical", "xyz")
@pytest.mark.parametrize(("elevation", "azimuth"), [(26, -58), (-10, 140), (90, 0)])
def test_the_reader_is_where_matplotlib_puts_him(vertical, elevation, azimuth):
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d.proj3d import proj_transform

    axes = Figure().add_subplot(projection="3d", proj_type="ortho")
    axes.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1))
    axes.set_box_aspect((1, 1, 1))
    axes.view_init(elevation, azimuth, vertical_axis=vertical)
    towards = Space(elevation, azimuth, vertical).towards
    here, there = (np.array(proj_transform(*p, axes.get_proj())) for p in (0 * towards, towards))
    np.testing.assert_allclose(here[:2], there[:2], atol=1e-9)


def test_views_can_be_chosen():
    assert ls.viz.draw(LINKAGE, CLOSED, view="3d").axes[0].name == "3d"
    axes = ls.viz.draw(ARM, view="xy").axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "y [m]")
    axes = ls.viz.draw(ARM, view=(10, 20)).axes[0]
    assert (axes.elev, axes.azim) == (10, 20)


# What is drawn


def test_a_pendulum_in_its_plane():
    system = chain(ls.Revolute("y"), gravity=(0, 0, -9.81))
    figure = ls.viz.draw(system, system.state(b0=0.5))
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "z [m]")
    assert axes.get_aspect() == 1.0
    (joint,) = markers(axes, "o")
    np.testing.assert_allclose(joint.get_xydata(), [[0, 0]], atol=1e-15)
    tip = ls.pose(system, system.state(b0=0.5), "b0").rotation @ [1, 0, 0]
    nearest = np.linalg.norm(drawn_points(axes) - tip[[0, 2]], axis=1).min()
    assert nearest < 1 / 40 + 1e-9  # the radius of the bar
    assert words(figure) == ["revolute", "ground"]
    assert [text.get_text() for text in axes.texts] == ["b0"]


def test_loops_are_closed_in_another_colour_and_open_ones_dashed():
    figure = ls.viz.draw(LINKAGE, CLOSED)
    (axes,) = figure.axes
    joints = markers(axes, "o")
    colors = [line.get_markeredgecolor() for line in joints]
    assert colors.count(CLOSING) == 1
    place = joints[colors.index(CLOSING)].get_xydata()[0]
    np.testing.assert_allclose(place, [np.cos(0.7) + 2, np.sin(0.7)], atol=1e-9)
    assert words(figure) == ["revolute", "revolute, closes a loop", "ground"]
    assert not [line for line in axes.get_lines() if line.is_dashed()]
    open_state = LINKAGE.state(crank=0.7)
    dashed = [x for x in ls.viz.draw(LINKAGE, open_state).axes[0].get_lines() if x.is_dashed()]
    assert len(dashed) == 1
    ends = dashed[0].get_xydata()
    np.testing.assert_allclose(ends[1], [3, 0], atol=1e-9)


def test_a_bent_beam_is_drawn_bent():
    state = ARM.state(**{"boom.modes": [0.0, 0.05]})
    axes = ls.viz.draw(ARM, state, view="xz").axes[0]
    (line,) = [x for x in axes.get_lines() if len(x.get_xydata()) == 25]
    places = [ls.pose(ARM, state, f"boom.{k}").position[[0, 2]] for k in range(25)]
    np.testing.assert_allclose(line.get_xydata(), places, atol=1e-12)
    assert np.ptp(line.get_ydata()) > 0.01


def test_every_joint_has_a_symbol_and_a_line_in_the_legend():
    kinds = [
        *(ls.Fixed(), ls.Revolute("y"), ls.Prismatic("x"), ls.Screw("z", 0.1)),
        *(ls.Cylindrical("x"), ls.Universal("y", "z"), ls.Spherical(), ls.Planar("z")),
        *(ls.Free(), ls.SimpleJoint(np.eye(6)[:, :1]), ls.CompoundJoint([np.eye(6)[2]])),
    ]
    figure = ls.viz.draw(chain(*kinds))
    names = "fixed revolute prismatic screw cylindrical universal spherical planar free".split()
    assert words(figure) == [*names, "simple joint", "compound joint", "ground"]
    looks = {
        (str(line.get_marker()), line.get_markerfacecolor(), round(line.get_markersize(), 3))
        for line in figure.legends[0].get_lines()
    }
    # the two kinds of maps look alike
    assert len(looks) == len(names) + 2


def test_a_free_body_has_no_ground_under_it():
    assert words(ls.viz.draw(chain(ls.Free()))) == ["free"]


def test_a_metre_is_as_long_in_all_directions_in_space():
    axes = ls.viz.draw(chain(ls.Revolute("z"), ls.Revolute("y"))).axes[0]
    sizes = [np.ptp(limit) for limit in (axes.get_xlim(), axes.get_ylim(), axes.get_zlim())]
    ratios = np.array(axes._box_aspect) / sizes
    np.testing.assert_allclose(ratios, ratios[0])


def test_everything_is_inside_the_axes():
    system = ls.library.order_n(13).compile()
    state = ls.library.order_n_start(system)
    axes = ls.viz.draw(system, state).axes[0]
    points = np.array([ls.pose(system, state, name).position for name in system.names])
    for k, (low, high) in enumerate((axes.get_xlim(), axes.get_ylim(), axes.get_zlim())):
        assert low < points[:, k].min()
        assert points[:, k].max() < high


def names_in(figure, system):
    return {text.get_text() for text in figure.axes[0].texts} & set(system.names)


def test_names_are_written_if_they_are_few_or_asked_for():
    many = ls.library.rigid_chain(20).compile()
    assert not names_in(ls.viz.draw(many), many)
    assert names_in(ls.viz.draw(many, names=True), many) == set(many.names)
    assert not names_in(ls.viz.draw(LINKAGE, names=False), LINKAGE)


def test_frames_are_drawn_if_asked_for():
    plain, framed = (len(ls.viz.draw(ARM, frames=f).axes[0].get_lines()) for f in (False, True))
    assert framed == plain + 3 * ARM.n_body


def test_colours_of_solids_are_kept():
    solid = ls.solids.Box((1, 1, 1), color="#123456")
    model = ls.Model("one")
    model.add(ls.RigidBody(1.0, inertia=1.0, solids=solid), ls.Revolute("z"), name="box")
    axes = ls.viz.draw(model.compile()).axes[0]
    edges = axes.collections[-1].get_edgecolor()[0]
    np.testing.assert_allclose(edges[:3] * 255, [0x12, 0x34, 0x56])


def test_bodies_without_solids_are_lines_to_what_they_carry():
    model = ls.Model("bare")
    bare = ls.RigidBody(1.0, com=(0.5, 0, 0), inertia=1.0)
    model.add(bare, ls.Revolute("z"), name="a")
    model.add(bare, ls.Revolute("z"), to="a", at=(1, 0.5, 0), name="b")
    axes = ls.viz.draw(model.compile()).axes[0]
    ends = [
        tuple(line.get_xydata()[-1]) for line in axes.get_lines() if len(line.get_xydata()) == 2
    ]
    assert (1.0, 0.5) in ends  # to the joint of b
    assert (0.5, 0.0) in ends  # to the centre of mass


@pytest.mark.parametrize("view", ["xy", "3d"])
def test_flexible_bodies_without_solids_are_their_nodes(view):
    positions = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0.0]])
    shapes = np.zeros((3, 6, 1))
    shapes[1:, 3] = 1.0
    body = ls.FlexibleBody(positions, [1, 1, 1], shapes, [[40.0]], names={"corner": 2})
    model = ls.Model("plate")
    model.add(body, ls.Revolute("z"), name="plate")
    system = model.compile()
    bent = system.state(**{"plate.modes": [0.2]})
    axes = ls.viz.draw(system, bent, view=view).axes[0]
    (dots,) = [line for line in markers(axes, ".") if len(line.get_xdata())]
    places = np.array([ls.pose(system, bent, f"plate.{k}").position for k in range(3)])
    found = dots.get_xydata() if view == "xy" else np.array(dots.get_data_3d()).T
    np.testing.assert_allclose(found, places[:, : found.shape[1]], atol=1e-12)


def test_one_point_can_be_drawn():
    model = ls.Model("point")
    model.add(ls.RigidBody(1.0, inertia=1.0), ls.Free(), name="p")
    assert ls.viz.draw(model.compile()).axes[0].name == "3d"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"system": ls.Model("m")}, "got Model; call model.compile() first"),
        ({"system": None}, "expected a System, got NoneType"),
        ({"state": LINKAGE.neutral()}, "belongs to a system with other bodies"),
        ({"state": 3}, "expected a State, got int"),
        ({"view": "above"}, "view is 'above'"),
        ({"view": (1, 2, 3)}, "view is (1, 2, 3)"),
        ({"view": (1, np.nan)}, "view is (1, nan)"),
        ({"names": "all"}, "names is 'all'"),
        ({"frames": 1}, "frames is 1"),
        ({"title": 3}, "title is 3"),
        ({"size": (1,)}, "size is (1,)"),
        ({"state": ARM.state(boom=1j)}, "real, finite numbers"),
    ],
)
def test_mistakes_are_explained(given, words):
    with pytest.raises(ls.StateError) as caught:
        ls.viz.draw(**{"system": ARM, **given})
    assert words in str(caught.value)
