"""Flat faces in contact by a pressure field: forces, changes and motions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq, linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom import shapes
from lissom.algorithms.tree.coordinates import moved
from lissom.errors import LoadError
from lissom.kernels.compiling import jit
from lissom.kernels.contact.face_gaps import face_gap
from lissom.kernels.contact.faces import face_frame
from lissom.kernels.small import matrix, put_vector, vector
from lissom.shapes.faces import face_numbers
from lissom.sim.loads import Contact
from lissom.sim.loads.contact import Friction, PressureField
from tests.tools.kernel_calls import called_from_python

HALF = np.array([0.1, 0.06, 0.05])  # half edges of the block
BLOCK = shapes.Box(2 * HALF)
TABLE = shapes.Box((0.6, 0.5, 0.2))
TURN = (0.02, -0.01, 0.4)
RUBBING = Friction(0.6, 0.4, speed=0.5)


def two_bodies(carrier=True):
    """A flexible boom with a block at its tip, and a free body that may carry the other face."""
    boom = ls.beam(1.0, ls.Tube(radius=0.03, thickness=0.004), ls.CARBON, bending=2)
    model = ls.Model("two", gravity=(0, 0, 0))
    model.add(ls.RigidBody.box(30.0, (0.6, 0.5, 0.2)), ls.Free(), name="table")
    model.add(boom, ls.Revolute("y"), name="boom")
    model.add(ls.RigidBody.box(1.0, 2 * HALF), ls.Spherical(), to="boom.tip", name="block")
    system = model.compile()
    rng = np.random.default_rng(3)
    q = moved(system, system.neutral().raw_q, 0.2 * rng.standard_normal(system.n_v))
    return system, system.state(q, 0.1 * rng.standard_normal(system.n_v))


def placed(system, state, shape, other, turned, depth, offset, carrier):
    """Both shapes; the second so that the first is above its upper face, turned, by -depth."""
    at = ls.pose(system, state, "block")
    R = at.rotation @ Rotation.from_rotvec(turned).as_matrix().T
    origin = at.position - R @ np.array(offset)
    low = lowest(shape, Rotation.from_rotvec(turned).as_matrix())
    origin = origin + (low + depth) * R[:, 2]
    if carrier is None:
        C, p = R, origin
    else:
        there = ls.pose(system, state, carrier)
        C, p = there.rotation.T @ R, there.rotation.T @ (origin - there.position)
    return system.shape("block", shape), (
        other(p, C) if carrier is None else system.shape(carrier, other(p, C))
    )


def corners(shape):
    match shape.kind:
        case "box":
            signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
            return 0.5 * signs * shape.size
        case "face":
            return np.column_stack([shape.corners, np.zeros(len(shape.corners))])
    angle = np.linspace(0, 2 * np.pi, 33)
    r = shape.radius * np.sqrt(np.pi / 16 / np.sin(np.pi / 16))
    ring = r * np.column_stack([np.cos(angle), np.sin(angle)])
    half = 0.5 * shape.length
    return np.concatenate([np.column_stack([ring, np.full(33, z)]) for z in (-half, half)])


def lowest(shape, R):
    """Height of the lowest corner of a shape, turned by R, below its origin, as a negative."""
    return (corners(shape) @ (R @ shape.rotation).T)[:, 2].min()


def ground(p, R):
    return shapes.HalfSpace(R[:, 2], at=p)


def plate(p, R):
    return shapes.Face([(-0.3, -0.02), (0.3, -0.1), (0.3, 0.3), (-0.3, 0.3)], at=p, rotation=R)


def block_below(p, R):
    return shapes.Box(TABLE.size, at=p - 0.1 * R[:, 2], rotation=R)


def small_top(p, R):
    return shapes.Box((0.05, 0.04, 0.03), at=p - 0.015 * R[:, 2], rotation=R)


DISK = shapes.Cylinder(0.1, 0.05)
PLATE = shapes.Face([(0.1, 0), (0, 0.1), (-0.1, 0), (0, -0.1)], rotation=np.diag([1, -1, -1]))
CASES = {
    "box on the ground": (BLOCK, ground, TURN, 5e-3, (0, 0, 0), None),
    "box that lies flat": (BLOCK, ground, (0, 0, 0.4), 5e-3, (0, 0, 0), None),
    "box on its edge": (BLOCK, ground, (0.0, 0.7, 0.0), 5e-3, (0, 0, 0), None),
    "box on a corner": (BLOCK, ground, (0.5, 0.6, 0.0), 5e-3, (0, 0, 0), None),
    "box on a plane that moves": (BLOCK, ground, TURN, 5e-3, (0, 0, 0), "table"),
    "box over the edge of a face": (BLOCK, plate, TURN, 5e-3, (0.02, 0.03, 0), "table"),
    "box over the edge of a box": (BLOCK, block_below, TURN, 5e-3, (0.3, 0.2, 0), "table"),
    "box on a smaller box": (BLOCK, small_top, TURN, 5e-3, (0.01, 0.01, 0), "table"),
    "face on a face": (PLATE, plate, TURN, 4e-3, (0.05, 0.05, 0), "table"),
    "cylinder on a box": (DISK, block_below, TURN, 5e-3, (0.3, 0.1, 0), "table"),
}


def differences(system, state, loads, spacing=3e-6):
    """dT/dq and dT/dv by Richardson extrapolation of the forces."""

    def of(q, v):
        return ls.load_derivatives(system, system.state(q, v), loads).forces

    def slope(f):
        central = [(f(h) - f(-h)) / (2 * h) for h in (spacing, 2 * spacing)]
        return (4 * central[0] - central[1]) / 3

    q, v = state.raw_q, state.raw_v
    by_q = [slope(lambda h, e=e: of(moved(system, q, h * e), v)) for e in np.eye(system.n_v)]
    by_v = [slope(lambda h, e=e: of(q, v + h * e)) for e in np.eye(system.n_v)]
    return np.array(by_q).T, np.array(by_v).T


@pytest.mark.parametrize("friction", [None, RUBBING], ids=["smooth", "rough"])
@pytest.mark.parametrize("case", CASES)
def test_derivatives_are_those_of_the_forces(case, friction):
    shape, other, turned, depth, offset, carrier = CASES[case]
    system, state = two_bodies()
    a, b = placed(system, state, shape, other, turned, depth, offset, carrier)
    loads = [Contact(a, b, PressureField(1e8, dissipation=0.5), friction)]
    slopes = ls.load_derivatives(system, state, loads)
    by_q, by_v = differences(system, state, loads)
    assert np.abs(slopes.forces).max() > 10.0
    for exact, difference in ((slopes.q, by_q), (slopes.v, by_v)):
        assert np.abs(exact - difference).max() < 1e-8 * np.abs(exact).max()


def planar_block(half=HALF, mass=10.0, gravity=9.81, friction=None, tilt=0.0, **law):
    """Block that moves in the x-z plane over a floor that falls along x; its contact with it.

    Coordinates: x and height of its centre, and the angle by which its +x side is lifted.
    """
    g = gravity * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])
    model = ls.Model("block", gravity=g)
    body = ls.RigidBody.box(mass, 2 * np.asarray(half))
    model.add(body, ls.Planar((0, -1, 0)), name="block")
    system = model.compile()
    box = system.shape("block", shapes.Box(2 * np.asarray(half)))
    law = PressureField(**({"stiffness": 1e9} | law))
    return system, Contact(box, shapes.HalfSpace(), law, friction, name="floor")


def forces(system, load, q, v=(0, 0, 0)):
    return ls.load_derivatives(system, system.state(list(q), list(v)), [load]).forces


@pytest.mark.parametrize("tilt", [0.5, 1, 3, 10, 100, 1000])
def test_righting_moment_of_a_tilted_face(tilt):
    """Tilt in depths at rest over half its width: tilt / 3, and 1 - 2 / (3 sqrt(tilt)) above 1."""
    k, weight, a = 1e12, 100.0, HALF[0]
    system, floor = planar_block(stiffness=k)
    angle = tilt * weight / (k * 4 * a * HALF[1]) / a

    def pressed(depth):
        low = a * np.sin(angle) + HALF[2] * np.cos(angle)
        return forces(system, floor, (0, low - depth, angle))

    depth = brentq(lambda d: pressed(d)[1] - weight, 0, 1e-3, xtol=1e-18, rtol=1e-15)
    moment = pressed(depth)[2] - weight * HALF[2] * np.sin(angle)
    expected = tilt / 3 if tilt <= 1 else 1 - 2 / (3 * np.sqrt(tilt))
    assert abs(abs(moment) / (weight * a) - expected) < 1e-6


def overlapped(block, slot, planes):
    """Volume and centroid of what a block has in common with half spaces A x <= b (SciPy)."""
    R, p = slot
    normals = np.concatenate([R.T, -R.T])
    half = 0.5 * block.size
    reach = normals @ p + np.concatenate([half, half])
    A = np.concatenate([normals, planes[0]])
    b = np.concatenate([reach, planes[1]])
    inside = linprog(
        [0, 0, 0, -1], A_ub=np.column_stack([A, np.ones(len(A))]), b_ub=b, bounds=(None, None)
    )
    hull = ConvexHull(HalfspaceIntersection(np.column_stack([A, -b]), inside.x[:3]).intersections)
    middle = hull.points.mean(axis=0)
    corners = hull.points[hull.simplices] - middle
    volumes = np.abs(np.linalg.det(corners)) / 6
    center = middle + (volumes[:, None] * corners.sum(axis=1) / 4).sum(axis=0) / volumes.sum()
    return volumes.sum(), center


def free_block(gravity=0.0):
    model = ls.Model("block", gravity=(0, 0, -gravity))
    model.add(ls.RigidBody.box(10.0, 2 * HALF), ls.Free(), name="block")
    return model.compile()


@pytest.mark.parametrize("other", ["floor", "face"])
@pytest.mark.parametrize("seed", range(4))
def test_a_block_is_borne_like_a_floating_body(seed, other):
    """Its force is the volume below the plane, within the edges of a face, at its centroid."""
    rng, system, k = np.random.default_rng(seed), free_block(), 1e7
    small = 0.3 if seed % 2 else 3.0
    q = rng.normal(size=4) * [1, 0.3, 0.3, 1] * [1, small, small, 1]
    R = Rotation.from_quat(q[[1, 2, 3, 0]]).as_matrix()
    low = lowest(BLOCK, R)
    foot = min((corners(BLOCK) @ R.T).tolist(), key=lambda x: x[2])
    p = np.array([0.002 - foot[0], 0.02 - foot[1], -low - 0.02])
    planes = np.array([[0.0, 0.0, 1.0]]), np.zeros(1)
    shape = shapes.HalfSpace()
    if other == "face":
        outline = np.array([(-0.05, -0.05), (0.04, -0.03), (0.03, 0.1), (-0.02, 0.09)])
        shape = shapes.Face(outline)
        along = np.roll(outline, -1, axis=0) - outline
        sides = np.column_stack([along[:, 1], -along[:, 0], np.zeros(4)])
        bounds = np.einsum("ij,ij->i", sides[:, :2], outline)
        planes = np.concatenate([planes[0], sides]), np.concatenate([planes[1], bounds])
    v = 0.1 * rng.normal(size=6)
    load = Contact(system.shape("block", BLOCK), shape, PressureField(k, dissipation=0.3))
    volume, center = overlapped(BLOCK, (R, p), planes)
    at = ls.pose(system, system.state([*q / np.linalg.norm(q), *p]), "block")
    assert np.allclose(at.position, p) and np.allclose(at.rotation, R)
    still = ls.load_derivatives(system, system.state([*q / np.linalg.norm(q), *p]), [load]).forces
    push = np.array([0, 0, k * volume])
    expected = np.concatenate([R.T @ np.cross(center - p, push), R.T @ push])
    assert np.abs(still - expected).max() < 1e-9 * k * volume
    # with damping at each point, the factor is linear: that at the centroid counts
    moving = ls.load_derivatives(system, system.state([*q / np.linalg.norm(q), *p], v), [load])
    rate = -(R @ (v[3:] + np.cross(v[:3], R.T @ (center - p))))[2]
    got = (R @ moving.forces[3:])[2]
    assert abs(got - k * volume * (1 + 0.3 * rate)) < 1e-9 * k * volume


def stored(system, state, k):
    """Energy of the field: stiffness x volume below the floor x depth of its centre."""
    at = ls.pose(system, state, "block")
    R, p = at.rotation, at.position
    if p[2] + lowest(BLOCK, R) >= 0.0:
        return 0.0
    volume, center = overlapped(BLOCK, (R, p), (np.array([[0.0, 0.0, 1.0]]), np.zeros(1)))
    return -k * volume * center[2]


def test_without_damping_and_friction_a_tumbling_block_keeps_its_energy():
    k = 1e7
    system = free_block(9.81)
    load = Contact(system.shape("block", BLOCK), shapes.HalfSpace(), PressureField(k), name="floor")
    start = system.state([1, 0, 0, 0, 0, 0, 0.052], [0.3, 1.0, 0.2, 0.1, 0.0, -0.1])
    run = ls.simulate(system, start, duration=0.1, loads=[load], integrator="dop853", rtol=1e-9)
    total, field = [], []
    for t in np.linspace(0, 0.1, 31):
        energy = ls.energy(system, run.state(t))
        field.append(stored(system, run.state(t), k))
        total.append(energy.kinetic + energy.potential + field[-1])
    assert max(field) > 0.2 and min(field[5:]) < 0.1 * max(field)
    assert np.ptp(total) < 1e-6


def test_a_flat_impact_has_the_restitution_that_is_asked_for():
    for law in ({"restitution": 0.5}, {"restitution": 0.5, "at_speed": 0.3}):
        system, floor = planar_block(gravity=0.0, **law)
        start = system.state([0, HALF[2] + 1e-3, 0], [0, -0.3, 0])
        run = ls.simulate(
            system, start, duration=0.02, loads=[floor], integrator="dop853", rtol=1e-9
        )
        assert [label for _, label in run.events] == ["floor touches", "floor leaves"]
        assert np.abs(run.state(0.02).v - [0, 0.15, 0]).max() < 1e-6


def test_a_block_slides_down_an_incline_and_stops_as_coulomb_says():
    """1 m/s on 0.2 rad with friction 0.3: after 1.06907 s and 0.534537 m."""
    system, floor = planar_block(
        gravity=9.81, tilt=0.2, friction=Friction(0.3, speed=1e-3), stiffness=1e8, dissipation=10.0
    )
    depth = 98.1 * np.cos(0.2) / (1e8 * 4 * HALF[0] * HALF[1])
    start = system.state([0, HALF[2] - depth, 0], [1, 0, 0])
    run = ls.simulate(system, start, duration=1.2, loads=[floor], integrator="dop853")
    moving = run.state(1.0)
    rate = 9.81 * (0.3 * np.cos(0.2) - np.sin(0.2))
    assert abs(moving.v[0] - (1 - rate)) < 1e-5
    assert abs(run.state(1.2).q[0] - 0.534536508882) < 5e-4  # and creeps at less than 1 mm/s
    assert 0 < run.state(1.2).v[0] < 1e-3


@pytest.mark.parametrize("tilt", [0.48, 0.3])
def test_a_block_on_an_incline_tips_about_its_lower_edge_where_its_weight_passes_it(tilt):
    """Half width 0.05, half height 0.1: beyond a slope of 1 in 2, an angle of 0.4636 rad."""
    system, floor = planar_block(
        (0.05, 0.1, 0.1), tilt=tilt, friction=Friction(0.8, speed=1e-2), stiffness=1e8,
        dissipation=10.0,
    )  # fmt: skip
    run = ls.simulate(
        system, system.state([0, 0.1, 0]), duration=0.5, loads=[floor], integrator="dop853"
    )
    turned = -run.state(0.5).q[2]
    assert turned > 0.05 if tilt > 0.4636 else abs(turned) < 0.01


def test_a_box_rests_on_a_box_that_floats_and_their_momentum_is_kept():
    model = ls.Model("stack", gravity=(0, 0, 0))
    model.add(ls.RigidBody.box(20.0, TABLE.size), ls.Free(), name="table")
    model.add(ls.RigidBody.box(10.0, 2 * HALF), ls.Free(), name="block")
    system = model.compile()
    load = Contact(
        system.shape("block", BLOCK), system.shape("table", TABLE),
        PressureField(1e7, restitution=0.3), Friction(0.3, speed=1e-2), name="stack",
    )  # fmt: skip
    q = [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0.1, 0.05, 0.152]
    v = np.zeros(12)
    v[[2, 6, 7, 9, 11]] = 0.2, 0.1, 0.3, 0.5, -0.2
    start = system.state(q, v)
    run = ls.simulate(system, start, duration=0.05, loads=[load], integrator="dop853")
    assert run.events[0][1] == "stack touches"
    before, after = (ls.momentum(system, run.state(t)) for t in (0.0, 0.05))
    assert np.abs(after - before).max() < 1e-6
    assert ls.energy(system, run.state(0.05)).kinetic < ls.energy(system, start).kinetic


def test_a_layer_has_its_modulus_over_its_thickness():
    rubber = ls.Material(youngs_modulus=5e6, density=1100.0)
    law = PressureField(material=rubber, thickness=0.01, restitution=0.5)
    assert law.stiffness == 5e8
    assert law.over(0.02).force(1e-3) == pytest.approx(5e8 * 0.02 * 1e-3)
    assert law.over(0.02).energy(1e-3) == pytest.approx(5.0)


def test_what_is_missing_is_said():
    with pytest.raises(LoadError, match="give either stiffness"):
        PressureField()
    with pytest.raises(LoadError, match="give either stiffness"):
        PressureField(1e9, material=ls.STEEL, thickness=0.01)
    with pytest.raises(LoadError, match="area"):
        PressureField(1e9).force(1e-3)
    system = free_block()
    box, floor, law = system.shape("block", BLOCK), shapes.HalfSpace(), PressureField(1e9)
    for load, words in (
        (Contact(system.shape("block", shapes.Sphere(0.1)), floor, law), "no flat faces"),
        (Contact(box, floor, law, Friction(0.3, hold=True, load=1.0)), "hold=True"),
        (Contact(box, floor, law, Friction(0.3, rolling=0.1)), "rolling"),
    ):
        with pytest.raises(LoadError, match=words):
            ls.simulate(system, duration=0.1, loads=[load])


def _gap(table, s_b, poses, buffer, out):
    R_a, p_a, R_b, p_b = matrix(poses, 0), vector(poses, 9), matrix(poses, 12), vector(poses, 21)
    frame = face_frame(table, 0, s_b, R_a, p_a, R_b, p_b)
    out[0], x, e = face_gap(table, 0, R_a, p_a, R_b, p_b, frame, buffer)
    put_vector(out, 1, x)
    put_vector(out, 4, e)


GAP = called_from_python(jit(_gap))


def gap(shape, other, poses):
    """Gap of two shapes in poses (2, 12), its point and its vector."""
    pieces, out = [face_numbers(x) for x in (shape, other)], np.zeros(7)
    GAP(np.concatenate(pieces), len(pieces[0]), poses.ravel(), np.zeros(999), out)
    return out[0], out[1:4], out[4:]


def poses_of(rng, offset, tilt):
    R_b, p_b = Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3)
    R_a = R_b @ Rotation.from_rotvec([*(tilt * rng.normal(size=2)), rng.normal()]).as_matrix()
    return np.array([[*R_a.flat, *(p_b + R_b @ offset)], [*R_b.flat, *p_b]])


def moved_poses(poses, w, v, h):
    """Poses after h at angular velocities w and velocities v."""
    after = poses.copy()
    for k in range(2):
        R = Rotation.from_rotvec(h * w[k]).as_matrix() @ poses[k, :9].reshape(3, 3)
        after[k] = *R.flat, *(poses[k, 9:] + h * v[k])
    return after


OUTLINE = np.array([(-0.1, -0.08), (0.1, -0.06), (0.08, 0.1), (-0.07, 0.09)])


@pytest.mark.parametrize("tilt", [0.02, 0.5])
def test_gap_over_a_face_is_the_least_height_over_it(tilt):
    """By a linear program over the points of the block within the edges of the face."""
    rng, face = np.random.default_rng(0), shapes.Face(OUTLINE)
    along = np.roll(OUTLINE, -1, axis=0) - OUTLINE
    sides = np.column_stack([along[:, 1], -along[:, 0], np.zeros(4)])
    for _ in range(10):
        poses = poses_of(rng, [*rng.uniform(-0.13, 0.13, 2), 0.15], tilt)
        R_a, p_a, R_b, p_b = poses[0, :9], poses[0, 9:], poses[1, :9], poses[1, 9:]
        R, p = R_b.reshape(3, 3).T @ R_a.reshape(3, 3), R_b.reshape(3, 3).T @ (p_a - p_b)
        A = np.concatenate([R.T, -R.T, sides])
        bounds = np.einsum("ij,ij->i", sides[:, :2], OUTLINE)
        b = np.concatenate([R.T @ p + HALF, HALF - R.T @ p, bounds])
        best = linprog([0, 0, 1], A_ub=A, b_ub=b, bounds=(None, None))
        assert best.status == 0
        assert abs(gap(BLOCK, face, poses)[0] - best.fun) < 1e-9


@pytest.mark.parametrize("tilt", [0.02, 0.5])
@pytest.mark.parametrize("other", ["floor", "face", "box"])
def test_rate_of_the_gap_of_faces_is_that_of_its_differences(tilt, other):
    rng = np.random.default_rng(1)
    shape = {"floor": shapes.HalfSpace(), "face": shapes.Face(OUTLINE), "box": TABLE}
    for _ in range(12):
        height = 0.16 if other == "box" else 0.06
        poses = poses_of(rng, [*rng.uniform(-0.2, 0.2, 2), height], tilt)
        w, v = rng.normal(size=(2, 3)), rng.normal(size=(2, 3))

        _g, x, e = gap(BLOCK, shape[other], poses)
        speeds = [v[k] + np.cross(w[k], x - poses[k, 9:]) for k in range(2)]
        after, before = (
            gap(BLOCK, shape[other], moved_poses(poses, w, v, h))[0] for h in (1e-6, -1e-6)
        )
        assert abs((after - before) / 2e-6 - e @ (speeds[0] - speeds[1])) < 1e-6
