"""Closest points of pairs of shapes: what proves them, searches by SciPy, and MuJoCo's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, RectBivariateSpline
from scipy.optimize import minimize, minimize_scalar
from scipy.spatial.transform import Rotation

from lissom import shapes
from lissom.kernels.contact.pairs import PAIRS, pair_number
from tests.references.contact_pairs import SAMPLES, PairKernels, cam, hills
from tests.references.peers import peer

POINT, BALL = shapes.Sphere(0), shapes.Sphere(0.2)
ROD, STUB = shapes.Capsule(0.1, 1.0), shapes.Capsule(0.3, 0.2)
BLOCK, SHARP = shapes.Box((1.1, 0.9, 0.7), rounding=0.05), shapes.Box((1.1, 0.9, 0.7))
DRUM, CAN = shapes.Cylinder(0.5, 0.8, rim=0.1), shapes.Cylinder(0.5, 0.8)
DISK = shapes.Cylinder(0.5, 0.2, rim=0.1)
GROUND = shapes.HalfSpace((1, 2, 3))

CONVEX = {
    f"{a.kind} {i}, {b.kind}": (a, b)
    for i, (a, b) in enumerate(
        [
            *((a, GROUND) for a in (POINT, BALL, ROD, BLOCK, SHARP, DRUM, CAN, DISK)),
            *((BALL, b) for b in (BALL, ROD, STUB, BLOCK, SHARP, DRUM, CAN, DISK)),
            *((POINT, b) for b in (BALL, ROD, SHARP, CAN)),
            *((ROD, b) for b in (ROD, STUB, BLOCK, SHARP)),
            (STUB, BLOCK),
        ]
    )
}


def random_slots(rng, reach=1.2):
    """Slots of two shapes anywhere near each other."""
    slots = np.zeros((2, 18))
    for slot, p in zip(slots, (reach * rng.uniform(-1, 1, 3), rng.normal(size=3)), strict=True):
        slot[:9] = Rotation.random(random_state=rng).as_matrix().ravel()
        slot[9:12] = p
    slots[0, 9:12] = slots[1, 9:12] + slots[1, :9].reshape(3, 3) @ slots[0, 9:12]
    return slots.ravel()


def farthest(shape, n):
    """Largest n . x of a shape, in its own axes."""
    match shape.kind:
        case "half_space":
            assert np.allclose(n, shape.normal, atol=1e-15)
            return 0.0
        case "sphere":
            return shape.radius
        case "capsule":
            return shape.radius + 0.5 * shape.length * abs(n[2])
        case "box":
            return shape.rounding + np.abs(n) @ (0.5 * shape.size - shape.rounding)
    radius, half = shape.radius - shape.rim, 0.5 * shape.length - shape.rim
    return shape.rim + radius * np.hypot(n[0], n[1]) + half * abs(n[2])


def beyond(shape, x):
    """How far a point in its own axes is out of a shape, negative in it and near its surface."""
    match shape.kind:
        case "half_space":
            return shape.normal @ x
        case "sphere":
            return np.linalg.norm(x) - shape.radius
        case "capsule":
            along = max(abs(x[2]) - 0.5 * shape.length, 0)
            return np.hypot(np.hypot(x[0], x[1]), along) - shape.radius
        case "box":
            out = np.abs(x) - (0.5 * shape.size - shape.rounding)
            return np.linalg.norm(np.maximum(out, 0)) - shape.rounding
    out = (
        np.hypot(x[0], x[1]) - shape.radius + shape.rim,
        abs(x[2]) - 0.5 * shape.length + shape.rim,
    )
    return np.linalg.norm(np.maximum(out, 0)) - shape.rim


def local(slots, k, x, turn_only=False):
    """Vector of the world in the axes of the first or second slot."""
    slot = slots[18 * k : 18 * k + 18]
    return slot[:9].reshape(3, 3).T @ (x if turn_only else x - slot[9:12])


@pytest.mark.parametrize("name", CONVEX)
def test_a_plane_proves_that_no_points_are_closer(name):
    """Its distance from both shapes bounds theirs from below, points of them from above."""
    a, b = CONVEX[name]
    pair, rng, apart = PairKernels(a, b), np.random.default_rng(7), 0
    for _ in range(60):
        slots = random_slots(rng)
        w = pair.witness(slots)
        n, between = w["n"], w["x_a"] - w["x_b"]
        if w["g"] < -0.9 * min(getattr(a, "radius", 0.1), 0.1):
            continue  # cores overlap
        apart += 1
        low_a = slots[9:12] @ n - farthest(a, local(slots, 0, -n, True))
        high_b = slots[27:30] @ n + farthest(b, local(slots, 1, n, True))
        assert np.linalg.norm(n) == pytest.approx(1, abs=1e-14)
        assert between == pytest.approx(w["g"] * n, abs=1e-13)
        assert w["g"] == pytest.approx(low_a - high_b, abs=1e-12)
        assert abs(beyond(a, local(slots, 0, w["x_a"]))) < 1e-12
        assert abs(beyond(b, local(slots, 1, w["x_b"]))) < 1e-12
    assert apart > 10


@pytest.mark.parametrize("b", [SHARP, BLOCK, CAN, DRUM], ids=["sharp", "rounded", "can", "drum"])
def test_a_centre_inside_goes_out_by_the_shortest_way(b):
    pair, rng = PairKernels(BALL, b), np.random.default_rng(8)
    directions = rng.normal(size=(4000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for _ in range(20):
        slots = random_slots(rng, 0.3)
        w, y = pair.witness(slots), local(slots, 1, slots[9:12])
        n = local(slots, 1, w["n"], True)
        way = -w["g"] - BALL.radius
        assert way == pytest.approx(farthest(b, n) - n @ y, abs=1e-13)
        assert way <= min(farthest(b, m) - m @ y for m in directions)
        assert w["x_a"] - w["x_b"] == pytest.approx(w["g"] * w["n"], abs=1e-14)


@pytest.mark.parametrize("name", SAMPLES)
def test_tangents_and_normal_are_right_handed_axes(name):
    sample = SAMPLES[name]
    pair, rng = PairKernels(sample.a, sample.b), np.random.default_rng(9)
    for _ in range(20):
        w = pair.witness(random_slots(rng))
        axes = np.column_stack([w["t"], w["u"], w["n"]])
        assert axes.T @ axes == pytest.approx(np.eye(3), abs=1e-13)
        assert np.linalg.det(axes) == pytest.approx(1, abs=1e-13)


def test_walls_of_shells_and_bores_are_as_far_as_a_search_says():
    rng = np.random.default_rng(10)
    shell, bore = PairKernels(BALL, shapes.Shell(0.7)), PairKernels(BALL, shapes.Bore(0.7))
    for _ in range(20):
        slots = random_slots(rng, 0.35)
        y = local(slots, 1, slots[9:12])

        def from_shell(angles, y=y):
            around, polar = angles
            flat = np.array([np.cos(around), np.sin(around)]) * np.sin(polar)
            return np.linalg.norm(0.7 * np.array([*flat, np.cos(polar)]) - y)

        def from_bore(place, y=y):
            around, z = place
            return np.linalg.norm(np.array([0.7 * np.cos(around), 0.7 * np.sin(around), z]) - y)

        starts = [(a, p) for a in (0, 2, 4) for p in (0.5, 1.5, 2.5)]
        for pair, distance in ((shell, from_shell), (bore, from_bore)):
            least = min(minimize(distance, start, tol=1e-9).fun for start in starts)
            assert pair.witness(slots)["g"] == pytest.approx(least - 0.2, abs=1e-10)


@pytest.mark.parametrize("orientation", [1, -1], ids=["cam", "hole"])
def test_a_curve_is_as_far_as_a_search_along_it_says(orientation):
    curve, rng = cam(orientation), np.random.default_rng(11)
    pair = PairKernels(BALL, curve)
    closed = np.concatenate([curve.points, curve.points[:1]])
    chords = np.append(0, np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1)))
    spline = CubicSpline(chords, closed, bc_type="periodic")
    fine = np.linspace(0, chords[-1], 801)
    for _ in range(40):
        slots = random_slots(rng, 1.6)
        w, y = pair.witness(slots), local(slots, 1, slots[9:12])[:2]
        rays = spline(fine) - y
        k = np.linalg.norm(rays, axis=1).argmin()
        window = fine[k] + np.array([-1, 1]) * fine[1]
        least = minimize_scalar(
            lambda s, y=y: np.sum((spline(s) - y) ** 2),
            bounds=window,
            method="bounded",
            options={"xatol": 1e-12},
        ).fun
        around = np.unwrap(np.arctan2(rays[:, 1], rays[:, 0]))
        inside = (around[-1] - around[0]) * orientation > 3
        out = 1 if inside == (orientation < 0) else -1
        assert w["g"] == pytest.approx(out * np.sqrt(least) - 0.2, abs=1e-10)
        assert local(slots, 1, w["x_b"])[2] == pytest.approx(local(slots, 1, slots[9:12])[2])


def test_a_height_field_is_as_far_as_a_search_over_it_says():
    field, rng = hills(), np.random.default_rng(12)
    pair = PairKernels(BALL, field)
    spline = RectBivariateSpline(field.x, field.y, field.heights)
    for _ in range(25):
        slots = random_slots(rng)
        y = np.array([*rng.uniform(-1, 1, 2), 0.0])
        y[2] = spline(*y[:2])[0, 0] + rng.uniform(-0.25, 0.4)
        slots[9:12] = slots[27:30] + slots[18:27].reshape(3, 3) @ y
        w = pair.witness(slots)

        def distance(x, y=y):
            return np.linalg.norm([*(x - y[:2]), spline(*x)[0, 0] - y[2]])

        starts = [y[:2] + step for step in ([0, 0], [0.2, 0], [-0.2, 0], [0, 0.2], [0, -0.2])]
        least = min(minimize(distance, start, tol=1e-10).fun for start in starts)
        above = 1 if y[2] > spline(*y[:2])[0, 0] else -1
        assert w["g"] == pytest.approx(above * least - 0.2, abs=1e-9)


def test_a_height_field_goes_on_straight_beyond_its_edge():
    field = hills()
    pair, slots = PairKernels(BALL, field), np.zeros((2, 18))
    slots[:, :9] = np.eye(3).ravel()
    spline = RectBivariateSpline(field.x, field.y, field.heights)
    for x, y in ((-3.0, 0.4), (2.7, 0.4), (0.3, -2.5), (0.3, 3.1)):
        slots[0, 9:12] = x, y, 0.4
        x_b = pair.witness(slots.ravel())["x_b"]
        edge = np.array([np.clip(x_b[0], -2, 2), np.clip(x_b[1], -1.5, 2.5)])
        slope = spline(*edge, dx=1)[0, 0], spline(*edge, dy=1)[0, 0]
        assert x_b[2] == pytest.approx(spline(*edge)[0, 0] + slope @ (x_b[:2] - edge), abs=1e-12)


def test_spline_through_points_of_a_circle_has_its_curvature():
    s = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    for orientation in (1, -1):
        circle = shapes.Curve(np.column_stack([np.cos(s), np.sin(s)])[::orientation])
        slots = np.zeros((2, 18))
        slots[:, :9] = np.eye(3).ravel()
        slots[0, 9:12] = (1 + 0.2 * orientation) * np.array([0.6, 0.8, 0])
        w = PairKernels(BALL, circle).witness(slots.ravel())
        assert w["S_b"] == pytest.approx([orientation, 0, 0], abs=1e-3)
        assert w["n"] == pytest.approx(orientation * np.array([0.6, 0.8, 0]), abs=1e-4)
        assert w["g"] == pytest.approx(0, abs=1e-7)


def is_in_mujoco(shape):
    """Whether a shape is one that MuJoCo has: no rounded edges, no points, no half spaces."""
    rounded = getattr(shape, "rounding", 0) or getattr(shape, "rim", 0)
    return not rounded and shape is not POINT and shape is not GROUND


@pytest.mark.peer
@pytest.mark.parametrize("name", [x for x in CONVEX if all(map(is_in_mujoco, CONVEX[x]))])
def test_distances_are_those_of_mujoco(name):
    a, b = CONVEX[name]
    mujoco = peer("mujoco")
    bodies = "".join(f"<body><freejoint/><geom {geom_text(x)}/></body>" for x in (a, b))
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    data, pair, rng = mujoco.MjData(model), PairKernels(a, b), np.random.default_rng(13)
    mujoco.mj_kinematics(model, data)
    points, apart = np.zeros(6), 0
    for _ in range(40):
        slots = random_slots(rng)
        w = pair.witness(slots)
        if w["g"] < 0.01:
            continue
        apart += 1
        for k, slot in enumerate(slots.reshape(2, 18)):
            data.geom_xmat[k], data.geom_xpos[k] = slot[:9], slot[9:12]
        distance = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, points)
        assert w["g"] == pytest.approx(distance, abs=1e-6)
        assert np.concatenate([w["x_a"], w["x_b"]]) == pytest.approx(points, abs=2e-3)
    assert apart > 5


def geom_text(shape):
    """A shape as an element of MuJoCo."""
    match shape.kind:
        case "sphere":
            return f'type="sphere" size="{shape.radius}"'
        case "box":
            x, y, z = 0.5 * shape.size
            return f'type="box" size="{x} {y} {z}"'
    return f'type="{shape.kind}" size="{shape.radius} {0.5 * shape.length}"'


DEGENERATE = {  # closest points of cores that coincide, or that are not unique
    "centres of spheres": (BALL, BALL, np.eye(3)),
    "centre on an axis": (BALL, ROD, np.eye(3)),
    "axes that cross": (ROD, ROD, np.eye(3)[[1, 2, 0]]),
    "axes on each other": (ROD, ROD, np.eye(3)),
    "axes against each other": (ROD, ROD, np.diag([1.0, -1, -1])),
    "centre of a box": (BALL, BLOCK, np.eye(3)),
    "box that is a plate": (BALL, shapes.Box((1, 1, 0.2), rounding=0.1), np.eye(3)),
    "box that is a ball": (BALL, shapes.Box((1, 1, 1), rounding=0.5), np.eye(3)),
    "axis through a box": (ROD, SHARP, np.eye(3)),
    "centre of a cylinder": (BALL, CAN, np.eye(3)),
    "cylinder that is a ball": (BALL, shapes.Cylinder(0.5, 1, rim=0.5), np.eye(3)),
    "centre of a shell": (BALL, shapes.Shell(0.3), np.eye(3)),
    "axis of a bore": (BALL, shapes.Bore(0.3), np.eye(3)),
    "flat cylinder": (CAN, shapes.HalfSpace(), np.eye(3)),
    "cylinder on its side": (CAN, shapes.HalfSpace(), np.eye(3)[[1, 2, 0]]),
    "flat box": (BLOCK, shapes.HalfSpace(), np.eye(3)),
    "level capsule": (ROD, shapes.HalfSpace(), np.eye(3)[[1, 2, 0]]),
    "centre of a cam": (BALL, cam(), np.eye(3)),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("at", [(0, 0, 0), (0, 0, 0.55), (0.0, 0.45, 0.0)], ids=str)
def test_no_place_leaves_a_pair_without_a_normal(name, at):
    a, b, turned = DEGENERATE[name]
    pair, slots = PairKernels(a, b), np.zeros((2, 18))
    slots[0, :9], slots[1, :9], slots[0, 9:12] = turned.ravel(), np.eye(3).ravel(), at
    slots = slots.ravel()
    w = pair.witness(slots)
    axes = np.column_stack([w["t"], w["u"], w["n"]])
    assert axes.T @ axes == pytest.approx(np.eye(3), abs=1e-13)
    assert w["x_a"] - w["x_b"] == pytest.approx(w["g"] * w["n"], abs=1e-13)
    for motion in np.random.default_rng(14).normal(size=(3, 24)):
        assert np.all(np.isfinite(pair.change(slots, motion)))


def test_a_capsule_along_a_face_or_a_capsule_touches_in_the_middle_of_both():
    turned = Rotation.from_euler("y", 90, degrees=True).as_matrix()  # z along x
    slots = np.array([*turned.flat, 0.4, 0.1, 0.44, *np.zeros(6), *np.eye(3).flat, *np.zeros(9)])
    w = PairKernels(ROD, SHARP).witness(slots)  # from -0.1 to 0.9, the box ends at 0.55
    assert w["x_b"] == pytest.approx([0.225, 0.1, 0.35], abs=1e-12)
    slots[:9], slots[9:12] = np.eye(3).ravel(), (0.25, 0, 0.6)
    w = PairKernels(ROD, STUB).witness(slots)  # from 0.1 to 1.1 along z; the other to 0.1
    assert w["x_b"] == pytest.approx([0.3, 0, 0.1], abs=1e-12)
    slots[11] = 0.4  # from -0.1
    w = PairKernels(ROD, STUB).witness(slots)
    assert w["x_b"] == pytest.approx([0.3, 0, 0], abs=1e-12)


def test_each_pair_is_listed_once_and_names_kinds_of_shapes():
    kinds = {x.kind for name in shapes.__all__ if hasattr(x := getattr(shapes, name), "kind")}
    listed = [frozenset((pair.kind_a, pair.kind_b)) for pair in PAIRS]
    assert len(set(listed)) == len(listed)
    assert set().union(*listed) == kinds - {"face"}
    for number, pair in enumerate(PAIRS):
        assert pair_number(pair.kind_a, pair.kind_b) == (number, False)
        if pair.kind_a != pair.kind_b:
            assert pair_number(pair.kind_b, pair.kind_a) == (number, True)
    assert pair_number("shell", "bore") is None


def test_samples_have_all_pairs():
    sampled = {(x.a.kind, x.b.kind) for x in SAMPLES.values()}
    assert sampled == {(pair.kind_a, pair.kind_b) for pair in PAIRS}
