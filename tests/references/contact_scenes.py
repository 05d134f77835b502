"""Random scenes of bodies that touch, integrated by SciPy with formulas of their own for contact.

Accelerations of the mechanism under given wrenches are those of lissom, which other tests compare
with independent models.  Closest points, laws, friction and the wrenches are computed here, each
pair by its textbook formula.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

import lissom as ls
from lissom import shapes

Array = np.ndarray


class ScenePair(NamedTuple):
    """Two shapes with their carriers, the numbers of the law, and of the friction."""

    a: str
    b: str | None
    shape_a: Any
    shape_b: Any
    stiffness: float
    exponent: float
    dissipation: float
    static: float
    dynamic: float
    speed: float


class Scene(NamedTuple):
    """A mechanism with contacts, and a state to start from."""

    system: ls.System
    state: ls.State
    pairs: list[ScenePair]
    duration: float


def loads(scene: Scene) -> list[Any]:
    """The contacts as loads."""
    made = []
    for k, p in enumerate(scene.pairs):
        a = scene.system.shape(p.a, p.shape_a)
        b = p.shape_b if p.b is None else scene.system.shape(p.b, p.shape_b)
        law = ls.Hertz(stiffness=p.stiffness, exponent=p.exponent, dissipation=p.dissipation)
        friction = ls.Friction(p.static, p.dynamic, speed=p.speed) if p.static else None
        made.append(ls.Contact(a, b, law, friction, name=f"pair{k}"))
    return made


# Closest points: each returns gap, normal outward from b, points on a and on b


def _sphere_plane(a, b):
    (x, _, shape), (y, R, plane) = a, b
    n = R @ np.asarray(plane.rotation) @ np.asarray(plane.normal)
    n = n / np.linalg.norm(n)
    g = n @ (x - y) - shape.radius
    return g, n, x - shape.radius * n, x - (shape.radius + g) * n


def _between(x, y, r_a, r_b):
    d = x - y
    size = np.linalg.norm(d)
    n = d / size
    return size - r_a - r_b, n, x - r_a * n, y + r_b * n


def _sphere_sphere(a, b):
    return _between(a[0], b[0], a[2].radius, b[2].radius)


def _axis(b):
    x, R, shape = b
    e = R @ np.asarray(shape.rotation)[:, 2]
    return x, e, shape.length / 2


def _sphere_capsule(a, b):
    x, e, half = _axis(b)
    s = np.clip(e @ (a[0] - x), -half, half)
    return _between(a[0], x + s * e, a[2].radius, b[2].radius)


def _capsule_capsule(a, b):
    (x, e, h_a), (y, f, h_b) = _axis(a), _axis(b)
    best = None
    # the minimum of a convex function on a rectangle: inside, or on one of its four edges
    c, d = e @ f, x - y
    candidates = [(s, np.clip(f @ (d + s * e), -h_b, h_b)) for s in (-h_a, h_a)]
    candidates += [(np.clip(e @ (r * f - d), -h_a, h_a), r) for r in (-h_b, h_b)]
    if 1 - c * c > 1e-12:
        s = (c * (f @ d) - e @ d) / (1 - c * c)
        r = f @ d + c * s
        if abs(s) <= h_a and abs(r) <= h_b:
            candidates.append((s, r))
    for s, r in candidates:
        p, q = x + s * e, y + r * f
        if best is None or np.linalg.norm(p - q) < best[0]:
            best = (np.linalg.norm(p - q), p, q)
    return _between(best[1], best[2], a[2].radius, b[2].radius)


def _sphere_box(a, b):
    y, R, box = b
    A = R @ np.asarray(box.rotation)
    core = np.asarray(box.size) / 2 - box.rounding
    local = A.T @ (a[0] - y)
    nearest = np.clip(local, -core, core)
    return _between(a[0], y + A @ nearest, a[2].radius, box.rounding)


CLOSEST = {
    ("Sphere", "HalfSpace"): _sphere_plane,
    ("Sphere", "Sphere"): _sphere_sphere,
    ("Sphere", "Capsule"): _sphere_capsule,
    ("Capsule", "Capsule"): _capsule_capsule,
    ("Sphere", "Box"): _sphere_box,
}


def _placed(system, state, carrier, shape):
    if carrier is None:
        return np.asarray(shape.at, float), np.eye(3), shape, None
    at = ls.pose(system, state, carrier)
    rates = ls.velocity(system, state, carrier)  # world axes, of the origin of the carrier
    return at.position + at.rotation @ np.asarray(shape.at), at.rotation, shape, (at, rates)


def _friction(p, v):
    """mu(v) / v of Brown and McPhee."""
    z = v / p.speed
    if z < 1e-9:
        return (4 * p.dynamic + (p.static - p.dynamic) / 0.75**2) / p.speed
    mu = p.dynamic * np.tanh(4 * z) + (p.static - p.dynamic) * z / (z * z / 4 + 0.75) ** 2
    return mu / v


def wrenches(scene: Scene, state: ls.State) -> dict[str, Array]:
    """Moment and force of all contacts on each carrier, in its axes."""
    total: dict[str, Array] = {}
    for p in scene.pairs:
        *a, motion_a = _placed(scene.system, state, p.a, p.shape_a)
        *b, motion_b = _placed(scene.system, state, p.b, p.shape_b)
        kinds = (type(p.shape_a).__name__, type(p.shape_b).__name__)
        kinds = tuple(kind.removesuffix("Shape") for kind in kinds)
        g, n, x_a, x_b = CLOSEST[kinds](a, b)
        if g >= 0:
            continue
        x, v = (x_a + x_b) / 2, np.zeros(3)
        for motion, sign in ((motion_a, 1.0), (motion_b, -1.0)):
            if motion is not None:
                at, rates = motion
                v = v + sign * (rates[3:] + np.cross(rates[:3], x - at.position))
        rate = n @ v
        press = p.stiffness * (-g) ** p.exponent * max(0.0, 1 - p.dissipation * rate)
        f = press * n
        slip = v - rate * n
        if p.static:
            f = f - press * _friction(p, np.linalg.norm(slip)) * slip
        for name, motion, sign in ((p.a, motion_a, 1.0), (p.b, motion_b, -1.0)):
            if motion is not None:
                at, _ = motion
                moment = np.cross(x - at.position, sign * f)
                wrench = np.concatenate([at.rotation.T @ moment, at.rotation.T @ (sign * f)])
                total[name] = total.get(name, 0.0) + wrench
    return total


def integrated(scene: Scene, rtol: float = 1e-9) -> tuple[Array, Array]:
    """Coordinates and speeds at the end, by SciPy."""
    system = scene.system

    def rates(t, y):
        q = y[: system.n_q]
        state = system.state(q, y[system.n_q :])
        acceleration = ls.forward_dynamics(system, state, external=wrenches(scene, state))
        return np.concatenate([ls.qdot(system, state), acceleration])

    y0 = np.concatenate([scene.state.raw_q, scene.state.raw_v])
    end = solve_ivp(
        rates, (0, scene.duration), y0, method="DOP853", rtol=rtol, atol=rtol * 1e-2, max_step=2e-3
    ).y[:, -1]
    return end[: system.n_q], end[system.n_q :]


def drawn(seed: int) -> Scene:
    """Random balls, capsules and boxes, free or on a bending arm, that meet within a short time."""
    rng = np.random.default_rng(seed)
    model = ls.Model(f"scene {seed}", gravity=(0, 0, -9.81))
    moving: list[tuple[str, Any, Array]] = []
    n = int(rng.integers(1, 4))
    for k in range(n):
        name, radius = f"b{k}", rng.uniform(0.05, 0.15)
        kind = rng.integers(3)
        if kind == 1:
            shape = shapes.Capsule(radius, rng.uniform(0.1, 0.4))
        elif kind == 2:
            size = rng.uniform(0.2, 0.4, 3)
            shape = shapes.Box(size, rounding=rng.uniform(0.01, 0.04))
        else:
            shape = shapes.Sphere(radius)
        body = ls.RigidBody.box(rng.uniform(0.5, 2.0), rng.uniform(0.1, 0.3, 3))
        model.add(body, ls.Free(), name=name)
        moving.append((name, shape, np.array([0.0, 0.0, 0.35 * (k + 1)])))
    arm = rng.random() < 0.5
    if arm:
        boom = ls.beam(0.8, ls.Tube(radius=0.015, thickness=0.002), ls.ALUMINIUM, modes=3)
        model.add(boom, ls.Revolute("y"), name="arm", at=(-0.8, 0, 0.1))
    system = model.compile()
    q, v = system.neutral().raw_q.copy(), np.zeros(system.n_v)
    for name, _, place in moving:
        turn = rng.standard_normal(4)
        q[system.layout.hinge_q(name)] = [*(turn / np.linalg.norm(turn)), *place]
        speeds = np.concatenate([2 * rng.standard_normal(3), 0.3 * rng.standard_normal(3)])
        v[system.layout.hinge_v(name)] = speeds
    pairs = []
    carried = [(name, shape) for name, shape, _ in moving]
    if arm:
        carried.append(("arm.tip", shapes.Sphere(0.06)))
    floor = shapes.HalfSpace(
        (0.1 * rng.standard_normal(), 0.1 * rng.standard_normal(), 1.0), at=(0, 0, -0.2)
    )
    for i, (name, shape) in enumerate(carried):
        numbers = _numbers(rng)
        if isinstance(shape, shapes.Sphere):
            pairs.append(ScenePair(name, None, shape, floor, *numbers))
        for other, second in carried[i + 1 :]:
            kinds = (type(shape).__name__, type(second).__name__)
            kinds = tuple(kind.removesuffix("Shape") for kind in kinds)
            if kinds in CLOSEST:
                pairs.append(ScenePair(name, other, shape, second, *numbers))
            elif kinds[::-1] in CLOSEST:
                pairs.append(ScenePair(other, name, second, shape, *numbers))
    if not pairs:
        return drawn(seed + 1_000_000)
    scene = Scene(system, system.state(q, v), pairs, 0.35)
    return drawn(seed + 1_000_000) if wrenches(scene, scene.state) else scene


def _numbers(rng) -> tuple[float, ...]:
    exponent = float(rng.choice([1.0, 1.5]))
    stiffness = 10 ** rng.uniform(4.0, 5.5)
    friction = (0.5, 0.3, 0.05) if rng.random() < 0.7 else (0.0, 0.0, 1.0)
    return (stiffness, exponent, rng.uniform(0, 0.3), *friction)


def scene_error(seed: int) -> tuple[float, int]:
    """Largest difference at the end, of speeds relative to the largest, and touch-downs."""
    with warnings.catch_warnings():  # of laws beyond their range, which are those of both
        warnings.simplefilter("ignore")
        scene = drawn(seed)
        run = ls.simulate(
            scene.system, scene.state, duration=scene.duration, loads=loads(scene), rtol=1e-9,
            integrator="dop853", progress=False,
        )  # fmt: skip
    q, v = integrated(scene)
    end = run.state(scene.duration)
    size = 1.0 + np.abs(v).max()
    touches = sum("touches" in label for _, label in run.events)
    return float(max(np.abs(end.q - q).max(), np.abs(end.v - v).max() / size)), touches
