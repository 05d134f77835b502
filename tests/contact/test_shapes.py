"""Shapes of bodies in contact: checks, numbers, solids, copies, and the parts of flat contacts."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom import shapes
from tests.references.contact_pairs import PairKernels, cam, hills

TURNED = {"rpy": (0.3, -0.2, 0.5)}
PLACE = {"at": (0.3, -0.1, 0.2), "rotation": TURNED, "color": "#a0B0c0"}
SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
ALL = {
    "point": shapes.Sphere(0, **PLACE),
    "sphere": shapes.Sphere(0.2, **PLACE),
    "half space": shapes.HalfSpace((1, 2, 2), extent=2.0, **PLACE),
    "capsule": shapes.Capsule(0.1, 0.5, **PLACE),
    "box": shapes.Box((1, 2, 3), rounding=0.1, **PLACE),
    "cylinder": shapes.Cylinder(0.3, 0.8, rim=0.05, **PLACE),
    "disk": shapes.Cylinder(0.3, 0, **PLACE),
    "bore": shapes.Bore(0.1, 0.3, **PLACE),
    "shell": shapes.Shell(0.4, **PLACE),
    "cam": cam(),
    "hole": cam(-1),
    "height field": hills(),
    "face": shapes.Face(SQUARE, **PLACE),
}


@pytest.fixture(params=ALL)
def shape(request):
    return ALL[request.param]


def test_copies_and_pickles_have_the_same_numbers_and_are_others(shape):
    again = pickle.loads(pickle.dumps(shape))
    assert type(again) is type(shape) and again is not shape and again != shape
    assert np.array_equal(again.numbers, shape.numbers)
    assert np.array_equal(again.rotation, shape.rotation)
    assert copy.copy(shape) is shape and copy.deepcopy(shape) is shape
    assert len({shape, again}) == 2


def test_a_shape_cannot_be_changed(shape):
    name = fields(shape)[-1].name
    with pytest.raises(FrozenInstanceError, match="make another one"):
        setattr(shape, name, 1)
    with pytest.raises(ValueError, match="read-only"):
        shape.at[0] = 1
    assert not pickle.loads(pickle.dumps(shape)).rotation.flags.writeable


def test_numbers_are_floats_in_a_row(shape):
    assert shape.numbers.ndim == 1 and shape.numbers.dtype == float
    assert np.all(np.isfinite(shape.numbers))


def corners(solid):
    """Points that a solid reaches, in the axes of the carrier."""
    match solid:
        case ls.solids.Mesh():
            points = solid.vertices
        case ls.solids.Sphere():
            points = solid.radius * np.concatenate([np.eye(3), -np.eye(3)])
        case ls.solids.Cylinder():
            radius, half = solid.radius, 0.5 * solid.length
            points = [(x, y, z) for x, y in np.eye(2) * radius for z in (-half, half)]
        case _:
            signs = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T
            points = signs * solid.size
    return points @ solid.rotation.T + solid.at


def test_its_solids_can_be_on_a_body_and_have_its_color(shape):
    drawn = shape.solid()
    body = ls.RigidBody(1.0, inertia=(1, 1, 1), solids=drawn)
    assert body.solids == drawn and all(solid.color == shape.color for solid in drawn)
    assert bool(drawn) == (shape is not ALL["point"])


@pytest.mark.parametrize("name", [x for x in ALL if np.isfinite(ALL[x].bounding_radius)])
def test_a_ball_holds_it(name):
    shape = ALL[name]
    for solid in shape.solid():
        far = np.linalg.norm(corners(solid) - shape.center, axis=1).max()
        sharp = 0.75 if name in ("box", "cylinder") else 0.0  # edges are drawn sharp
        assert far <= shape.bounding_radius + sharp * shape.numbers[-1] + 1e-3


def volume(mesh):
    """Volume within outward triangles."""
    a, b, c = mesh.vertices[mesh.triangles].transpose(1, 0, 2)
    return np.sum(a * np.cross(b, c)) / 6


def test_triangles_of_bores_and_cams_look_outward():
    (ring,), (wheel,) = ALL["bore"].solid(), ALL["cam"].solid()
    assert volume(ring) == pytest.approx(np.pi * (1.15**2 - 1) * 0.1**2 * 0.3, rel=0.01)
    area = np.pi * (1 + 0.2**2 / 2 + 0.05**2 / 2)  # mean of half of the squared radius
    width = np.ptp(wheel.vertices[:, 2])
    assert volume(wheel) == pytest.approx(area * width, rel=0.01)
    assert width == pytest.approx(0.1 * np.ptp(wheel.vertices, axis=0)[:2].max())


def test_plate_of_a_half_space_is_below_its_plane():
    ground = ALL["half space"]
    (plate,) = ground.solid()
    heights = (corners(plate) - ground.at) @ ground.rotation @ ground.numbers
    assert heights.max() == pytest.approx(0, abs=1e-14)
    assert np.ptp(heights) < 0.1 * ground.extent


def test_its_text_names_the_public_class_and_what_is_not_usual(shape):
    name = type(shape).__name__
    assert getattr(shapes, name) is type(shape)
    assert repr(shape).startswith(f"{name}(") and "Shape" not in repr(shape)


def test_text_of_a_shape_has_no_defaults():
    assert repr(shapes.Sphere(0.1)) == "Sphere(radius=0.1)"
    assert repr(shapes.HalfSpace()) == "HalfSpace()"
    assert repr(shapes.Box((1, 1, 2), at=(0, 0, 1))) == "Box(size=[1, 1, 2], at=[0, 0, 1])"


def test_each_field_has_a_paragraph_with_its_unit(shape):
    words = inspect.getdoc(type(shape))
    for field in fields(shape):
        assert f"\n{field.name} : " in words
    assert "[]" not in words and "[m]" in words


WRONG = {
    "radius": (lambda: shapes.Sphere(-1), "Sphere: radius is -1; expected a length"),
    "no radius": (lambda: shapes.Capsule(0, 1), "Capsule: radius is 0; expected a positive length"),
    "length": (lambda: shapes.Capsule(1, "a"), "Capsule: length is 'a'"),
    "size": (lambda: shapes.Box((1, 1)), "Box: size is .*expected three positive lengths"),
    "no size": (lambda: shapes.Box((1, 1, 0)), "Box: size is"),
    "rounding": (lambda: shapes.Box((1, 1, 3), rounding=0.6), "at most half of its shortest edge"),
    "rim": (lambda: shapes.Cylinder(0.1, 1, rim=0.2), "Cylinder: rim is 0.2; expected at most"),
    "disk with a rim": (lambda: shapes.Cylinder(0.1, 0, rim=0.01), "0 m"),
    "endless": (lambda: shapes.Bore(np.inf), "Bore: radius is inf"),
    "few points": (lambda: shapes.Curve(SQUARE[:3]), "Curve: points is .*n 4 or more"),
    "equal points": (lambda: shapes.Curve([*SQUARE, [0, 1]]), "equal points in a row"),
    "closed triangle": (lambda: shapes.Curve([*SQUARE[:3], [0, 0]]), "four or more different"),
    "points in space": (lambda: shapes.Curve(np.zeros((5, 3))), r"shape \(n, 2\)"),
    "grid": (lambda: shapes.HeightField([0, 0], [0, 1], SQUARE), "x is .*ascending lengths"),
    "heights": (lambda: shapes.HeightField([0, 1], [0, 1], SQUARE), r"\(4, 2\); expected \(2, 2\)"),
    "clockwise": (lambda: shapes.Face(SQUARE[::-1]), "Face: corners is .*counterclockwise"),
    "star": (lambda: shapes.Face([[0, 0], [4, 0], [1, 1], [0, 4]]), "convex"),
    "twice around": (lambda: shapes.Face([*SQUARE, *SQUARE]), "convex"),
    "normal": (lambda: shapes.HalfSpace((0, 0, 0)), "HalfSpace: normal is zero"),
    "place": (lambda: shapes.Sphere(1, at=(1, 2)), "Sphere: at is .*three numbers"),
    "rotation": (lambda: shapes.Sphere(1, rotation=(1, 2, 3)), "Sphere: rotation is"),
    "color": (lambda: shapes.Sphere(1, color="red"), "color is 'red'; give it as \"#rrggbb\""),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name):
    make, message = WRONG[name]
    with pytest.raises(ls.ModelError, match=message):
        make()


def lowest(shape, ground, seed):
    """Gaps of a shape and of each of its parts on a half space, in any pose."""
    rng = np.random.default_rng(seed)
    slots = np.zeros((2, 18))
    for slot in slots:
        slot[:9] = Rotation.random(random_state=rng).as_matrix().ravel()
        slot[9:12] = rng.normal(size=3)
    gaps = [
        PairKernels(part, ground).witness(slots.ravel())["g"]
        for part in (shape, *shapes.parts(shape, ground))
    ]
    return gaps[0], gaps[1:]


@pytest.mark.parametrize("name", ["capsule", "box", "cylinder", "disk"])
def test_the_lowest_part_is_as_deep_as_the_whole(name):
    for seed in range(20):
        whole, parts = lowest(ALL[name], shapes.HalfSpace((1, 2, 3)), seed)
        assert len(parts) == {"capsule": 2, "box": 8, "cylinder": 2, "disk": 1}[name]
        assert min(parts) == pytest.approx(whole, abs=1e-13)


def test_parts_are_in_the_axes_of_the_same_carrier_and_have_the_color():
    for name in ("capsule", "box", "cylinder"):
        for part in shapes.parts(ALL[name], shapes.HalfSpace()):
            assert part.color == ALL[name].color
            assert np.array_equal(part.rotation, ALL[name].rotation)
    low, high = shapes.parts(ALL["capsule"], ALL["height field"])
    axis = ALL["capsule"].rotation[:, 2]
    assert high.at - low.at == pytest.approx(0.5 * axis)


def test_parts_of_a_pin_are_balls_at_its_ends_and_of_a_roller_one_at_its_middle():
    pin = ALL["cylinder"]
    ends, middle = shapes.parts(pin, ALL["bore"]), shapes.parts(pin, ALL["cam"])
    assert [x.radius for x in (*ends, *middle)] == [0.3, 0.3, 0.3]
    assert ends[1].at - ends[0].at == pytest.approx(0.8 * pin.rotation[:, 2])
    assert middle[0].at == pytest.approx(pin.at)


def test_other_contacts_have_no_parts():
    for name in ("sphere", "capsule", "box", "cylinder"):
        assert shapes.parts(ALL[name], ALL["sphere"]) == (ALL[name],)
    assert shapes.parts(ALL["sphere"], ALL["half space"]) == (ALL["sphere"],)
    assert shapes.parts(ALL["box"].corners[0], ALL["bore"]) != ()


def test_a_box_as_thin_as_its_rounding_has_each_corner_once():
    assert len(shapes.Box((1, 1, 0.2), rounding=0.1).corners) == 4
    assert len(shapes.Box((0.2, 0.2, 0.2), rounding=0.1).corners) == 1
