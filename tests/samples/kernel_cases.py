"""Mechanisms and states for the tests of the compiled text."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

import lissom as ls
from tests.oracle.random_mechanism import draw
from tests.samples.flexible_arms import AXLE, flexible_body, random_second_order
from tests.samples.random_trees import build, build_model
from tests.tools.measures import random_unit

DEFORMATIONS = (0.0, 1e-9, 1e-3, 0.1, 1.0)  # by seed
GRAVITY = (1.0, -2.0, -9.81)
PLACE = (0.3, -0.2, 0.4)
TURN = ls.Universal("x", "z").pose(np.array([0.4, -0.7]))[0]

RX, RY, RZ, TX, TY, TZ = np.eye(6)
SCREW = np.array([0.2, -0.4, 0.7, 0.3, 0.1, -0.5])
SLOW_SCREW = np.array([1e-3, 2e-3, -1e-3, 1.0, 0.5, 0.3])
SKEW_AXIS = np.array([0.0, 0.6, 0.8, 0.1, 0.8, -0.6])
SIDE_SLIDE = np.array([0.0, 0.0, 0.0, 0.3, 1.0, -0.4])
PLANE = np.stack([[0, 0, 1, 0.3, -0.2, 0], TX, TY], axis=1)


def _maps(*columns):
    return np.stack(columns, axis=1)


JOINTS = {
    "fixed": ls.Fixed(),
    **{f"revolute {axis}": ls.Revolute(axis) for axis in "xyz"},
    "revolute -y": ls.Revolute((0, -1, 0)),
    "revolute skew": ls.Revolute(AXLE),
    **{f"prismatic {axis}": ls.Prismatic(axis) for axis in "xyz"},
    "prismatic skew": ls.Prismatic((0.3, -1, 2)),
    "screw z": ls.Screw("z", 0.3),
    "screw skew": ls.Screw((1, 1, 0.2), -0.2),
    "cylindrical y": ls.Cylindrical("y"),
    "cylindrical skew": ls.Cylindrical((0.1, 1, 3)),
    "universal xy": ls.Universal("x", "y"),
    "universal skew": ls.Universal("z", (0.2, 1, 0.3)),
    "spherical": ls.Spherical(),
    "planar z": ls.Planar("z"),
    "planar -z": ls.Planar((0, 0, -1)),
    "planar skew": ls.Planar((1, -2, 0.5)),
    "free": ls.Free(),
    "simple 1, screw": ls.SimpleJoint(SCREW),
    "simple 1, slow screw": ls.SimpleJoint(SLOW_SCREW),
    "simple 1, slide": ls.SimpleJoint(SIDE_SLIDE),
    "simple 2, cylinder": ls.SimpleJoint(_maps(RZ, RZ + 0.5 * TZ)),
    "simple 2, slides": ls.SimpleJoint(_maps(TX, SIDE_SLIDE)),
    "simple 3, ball": ls.SimpleJoint(_maps(RX, RY, RZ)),
    "simple 3, plane": ls.SimpleJoint(PLANE),
    "simple 4": ls.SimpleJoint(_maps(RZ + 0.2 * TY, TX, TY, TZ)),
    "simple 6": ls.SimpleJoint(np.eye(6)[:, [3, 0, 4, 1, 5, 2]]),
    "compound of one": ls.CompoundJoint([SCREW]),
    "compound 2": ls.CompoundJoint([RX, SKEW_AXIS]),
    "compound angles": ls.CompoundJoint([RX, RY, RZ]),
    "compound ball between screws": ls.CompoundJoint([SCREW, _maps(RX, RY, RZ), SLOW_SCREW]),
    "compound plane and screw": ls.CompoundJoint([PLANE, SCREW]),
    "compound 6": ls.CompoundJoint([RX, TX, RY, TY, RZ, TZ]),
}


@cache
def rigid(seed=0) -> ls.RigidBody:
    """Rigid body without symmetry."""
    rng = np.random.default_rng(seed)
    spread = 0.3 * rng.standard_normal((3, 3))
    L = spread @ spread.T + 0.01 * np.eye(3)
    mass = rng.uniform(0.5, 3.0)
    inertia = mass * (np.trace(L) * np.eye(3) - L)
    return ls.RigidBody(mass, 0.2 * rng.standard_normal(3), inertia)


@cache
def flexible(seed=0, **keywords) -> ls.FlexibleBody:
    """Flexible body without symmetry, with the nodes "tip" and "side"."""
    return flexible_body(seed, **keywords)


def full_damping(seed=0, **keywords) -> ls.FlexibleBody:
    """The same with a damping matrix that is full and not symmetric (gyroscopic)."""
    n = keywords.get("n_mode", 2)
    root = np.random.default_rng([seed, 1]).standard_normal((n, n))
    return flexible_body(seed, damping=root @ root.T + root - root.T, **keywords)


def far_state(system, rng, *, deformation=0.3, spread=3.0, speed=2.0, drift=0.0) -> ls.State:
    """State far from neutral; quaternions off unit length by at most `drift`."""
    q = rng.uniform(-spread, spread, system.n_q)
    for i, joint in enumerate(system.joints):
        modes, hinge = system.layout.modal_q(i), system.layout.hinge_q(i)
        q[modes] = deformation * rng.standard_normal(modes.stop - modes.start)
        if joint.has_quaternion:
            length = 1 + rng.uniform(-drift, drift)
            q[hinge.start : hinge.start + 4] = length * random_unit(rng, 4)
    return system.state(q, speed * rng.standard_normal(system.n_v))


def random_system(seed: int, level: str | None = None) -> ls.System:
    """The seed's first random mechanism that compiles (a hinge may see no inertia)."""
    for attempt in range(20):
        try:
            if level == "stiffened":
                return _stiffened(build_model(draw(seed, attempt)), seed).compile()
            return build(draw(seed, attempt), level).system
        except ls.ModelError:
            continue
    raise AssertionError(f"seed {seed}: nothing compiles in twenty attempts")


def _stiffened(model: ls.Model, seed: int) -> ls.Model:
    """The model with a second order of all flexible bodies, whose inboard nodes are held."""
    rng = np.random.default_rng([seed, 2])
    for name, part in list(model.parts.items()):
        body = part.body
        if isinstance(body, ls.FlexibleBody):
            shapes = body.shapes.copy()
            shapes[body.inboard] = 0.0
            second = random_second_order(rng, len(shapes), body.n_mode, size=0.02)
            nodes = {**second.node_shapes, body.inboard: 0 * second.node_shapes[1]}
            nodes[0] = nodes[body.inboard] if body.inboard == 0 else second.node_shapes[1]
            second = dataclasses.replace(second, node_shapes=nodes)
            changes = {"shapes": shapes, "second_order": second, "level": "stiffened"}
            model.replace(name, dataclasses.replace(body, **changes))
    return model


def random_case(seed: int, level: str | None = None):
    """System and state of a seed, and a generator for the rest."""
    system, rng = random_system(seed, level), np.random.default_rng([seed, 1])
    deformation = DEFORMATIONS[seed % len(DEFORMATIONS)]
    return system, far_state(system, rng, deformation=deformation, drift=5e-4), rng


def joint_systems(joint, picked: slice = slice(None)) -> Iterator[tuple[str, ls.System]]:
    """The joint at the base and inside a tree, at all or some of 20 places, with a label each.

    Outboard of its body sits another one, so that the recursions pass through the joint.
    """
    bodies = {"rigid": rigid(1), "flexible": flexible(1, lumps=True, damping=0.02)}
    carriers = {
        "the ground": None,
        "a rigid body": (rigid(2), {"to": "carrier"}),
        "a tip": (flexible(2), {"to": "carrier.tip"}),
        "an inner node": (flexible(2), {"to": "carrier", "node": 1}),
        "an inboard node": (flexible(2), {"to": "carrier"}),
    }
    turns = {"": {}, ", turned": {"at": PLACE, "rotation": TURN}}
    for kind, carrier, words in list(product(bodies, carriers, turns))[picked]:
        model, where, inboard = ls.Model("joint", gravity=GRAVITY), {}, carriers[carrier]
        if inboard is not None:
            model.add(inboard[0], ls.Revolute("y"), name="carrier", at=(0.1, 0, 0))
            where = inboard[1]
        model.add(bodies[kind], joint, name="body", **where, **turns[words])
        tip = "body.tip" if kind == "flexible" else "body"
        model.add(rigid(3), ls.Revolute("x"), name="end", to=tip, at=(0.2, 0.1, 0))
        yield f"{kind} body on {carrier}{words}", model.compile()


def _tree(*parts, gravity=GRAVITY) -> ls.Model:
    """Model of (name, body, joint, place) with one or several dictionaries of places."""
    model = ls.Model("tree", gravity=gravity)
    for name, body, joint, *places in parts:
        model.add(body, joint, name=name, **{k: v for place in places for k, v in place.items()})
    return model


def _on(to, **where):
    return {"to": to, "at": (0.2, -0.1, 0.3), **where}


def massless_links():
    """Massless links in a row, on a flexible tip, and as a welded end."""
    nothing = ls.RigidBody(0.0)
    return _tree(
        ("hub", rigid(1), ls.Free()),
        ("outer", nothing, ls.Revolute("x"), _on("hub")),
        ("inner", nothing, ls.Revolute("y"), _on("outer")),
        ("boom", flexible(1), ls.Revolute("z"), _on("inner")),
        ("ring", nothing, ls.Universal("x", "z"), _on("boom.tip")),
        ("load", rigid(2), ls.Revolute("y"), _on("ring", rotation=TURN)),
        ("end", nothing, ls.Fixed(), _on("load")),
        ("eye", nothing, ls.Fixed(), _on("boom.side")),
    )


def many_children(level="full", lumps=True, free=False):
    """Several children on several nodes of a flexible body, the inboard node among them."""
    return _tree(
        ("hub", flexible(5, n_node=6, n_mode=3, lumps=lumps, level=level, free=free), ls.Free()),
        ("a", rigid(1), ls.Revolute("x"), _on("hub.tip")),
        ("b", flexible(2, level=level, free=free), ls.Spherical(), _on("hub.tip")),
        ("c", rigid(3), ls.Prismatic("y"), _on("hub.tip", rotation=TURN)),
        ("d", rigid(4), ls.Fixed(), _on("hub.side")),
        ("e", flexible(3, level=level), ls.Revolute(AXLE), _on("hub", node=1)),
        ("f", rigid(5), ls.Universal("x", "y"), {"to": "hub"}),
        ("g", flexible(4, lumps=lumps, level=level, free=free), ls.Fixed(), _on("hub", node=0)),
        ("h", rigid(6), ls.Cylindrical("z"), _on("hub")),
        ("i", rigid(7), ls.Revolute("z"), _on("b.side")),
        gravity=(0, 0, -3.0),
    )


def mixed_levels(*more):
    """Bodies of several levels that carry each other."""
    bodies = [
        flexible(1, lumps=True, level="full"),
        flexible(2, lumps=True, level="linear"),
        flexible(3, level="linear"),
        flexible(4, level="full", damping=0.05),
        flexible(5, n_mode=1, level="linear", damping=0.1),
        *more,
    ]
    model = _tree(("l0", bodies[0], ls.Free()))
    for k, body in enumerate(bodies[1:], 1):
        model.add(body, ls.Revolute("xyz"[k % 3]), name=f"l{k}", to=f"l{k - 1}.tip", rotation=TURN)
    model.add(rigid(1), ls.Spherical(), name="end", to=f"l{len(bodies) - 1}.tip")
    return model


def lumps_of_all_kinds():
    """Node inertias without offsets, offsets without inertias, both, on some nodes only."""
    n, rng = 5, np.random.default_rng(9)
    positions = np.c_[np.linspace(0, 1.2, n), 0.1 * rng.standard_normal((n, 2))]
    masses = np.array([0.4, 0.8, 0.0, 0.6, 1.0])
    shapes = 0.5 * rng.standard_normal((n, 6, 3))
    inertias = np.array([np.diag([0.02, 0.03, 0.04]) * (k in (1, 4)) for k in range(n)])
    offsets = 0.1 * rng.standard_normal((n, 3)) * (masses > 0)[:, None]
    offsets[0] = 0.0
    shift = [
        m * ((o @ o) * np.eye(3) - np.outer(o, o)) for m, o in zip(masses, offsets, strict=True)
    ]
    options = [
        {"node_inertias": inertias},
        {"node_offsets": offsets},
        {"node_inertias": inertias + shift, "node_offsets": offsets, "inboard": 2},
    ]
    model, before = ls.Model("lumps", gravity=GRAVITY), {}
    for k, extra in enumerate(options):
        damping = [0.0, 0.03, [[0.3, 0.2, 0.1], [-0.1, 0.4, 0.0], [0.2, 0.0, 0.6]]][k]
        body = ls.FlexibleBody(
            positions, masses, shapes, [40.0, 60.0, 90.0], damping, names={"tip": n - 1}, **extra
        )
        model.add(body, ls.Universal("y", "z"), name=f"l{k}", **before)
        before = {"to": f"l{k}.tip", "at": (0.1, 0, 0)}
    model.add(rigid(1), ls.Revolute("x"), name="end", to="l2", node=0)
    return model


def modes_of_number(n_mode, *, lumps=False, level="full"):
    """A body with that many modes inside a tree, and the same as a leaf."""
    n_node = max(3, n_mode // 2)
    body = flexible(6, n_node=n_node, n_mode=n_mode, lumps=lumps, level=level)
    return _tree(
        ("hub", rigid(1), ls.Revolute("y")),
        ("inner", body, ls.Spherical(), _on("hub")),
        ("mid", rigid(2), ls.Revolute("x"), _on("inner.tip")),
        ("other", rigid(3), ls.Prismatic("x"), _on("inner.side")),
        ("leaf", body, ls.Revolute("z"), _on("mid")),
    )


def welded_rigid():
    """Nothing moves: n_v = 0."""
    return _tree(
        ("a", rigid(1), ls.Fixed()),
        ("b", rigid(2), ls.Fixed(), _on("a")),
        ("c", ls.RigidBody(0.0), ls.Fixed(), _on("b")),
    )


def welded_flexible():
    """Only the modes move."""
    return _tree(
        ("a", flexible(1, lumps=True), ls.Fixed()),
        ("b", rigid(2), ls.Fixed(), _on("a.tip")),
        ("c", flexible(2), ls.Fixed(), _on("b")),
        ("d", flexible(3, level="linear"), ls.Fixed(), _on("c.side")),
    )


def several_roots():
    """A forest on the ground, bodies listed before those that carry them."""
    return _tree(
        ("tip", rigid(1), ls.Revolute("x"), _on("middle.tip")),
        ("middle", flexible(1), ls.Prismatic("z"), _on("root")),
        ("root", rigid(2), ls.Planar("y")),
        ("free", flexible(2, lumps=True), ls.Free()),
        ("post", rigid(3), ls.Fixed(), {"at": PLACE, "rotation": TURN}),
        ("lone", flexible(3), ls.Spherical(), _on("post")),
    )


def beams(**given):
    """Beams, whose outboard shapes have exact zeros."""
    stout = 20 if "level" in given else 1  # level "stiffened" is for small deflections
    section = ls.Rectangle(width=0.02 * stout, height=0.03 * stout)
    boom = ls.beam(1.5, section, ls.ALUMINIUM, **given)
    return _tree(
        ("hub", rigid(1), ls.Free()),
        ("left", boom, ls.Revolute((0, 1, 1)), _on("hub")),
        ("right", boom, ls.Spherical(), {"to": "left.tip"}),
        ("load", rigid(2), ls.Universal("x", "y"), {"to": "right", "node": 9}),
    )


STRUCTURES = {
    "massless links": massless_links,
    "many children": many_children,
    "many children, linear": lambda: many_children("linear"),
    "many children, ruthless": lambda: many_children("ruthless"),
    "many children, no lumps": lambda: many_children(lumps=False),
    "many children, free-free": lambda: many_children(free=True),
    "many children, free-free, no lumps": lambda: many_children(lumps=False, free=True),
    "mixed levels": mixed_levels,
    "all levels": lambda: mixed_levels(
        flexible(6, n_mode=3, level="stiffened", damping=0.1),
        flexible(7, n_mode=3, level="ruthless"),
        flexible(8, free=True, damping=0.1),
    ),
    "lumps of all kinds": lumps_of_all_kinds,
    "full damping": lambda: _tree(
        ("a", full_damping(1, n_mode=4), ls.Revolute("x")),
        ("b", full_damping(2, lumps=True), ls.Spherical(), _on("a.tip")),
        ("c", full_damping(3, level="linear"), ls.Revolute("z"), _on("b.side")),
    ),
    "one mode": lambda: modes_of_number(1),
    "one mode, lumps": lambda: modes_of_number(1, lumps=True),
    "60 modes": lambda: modes_of_number(60),
    "60 modes, lumps": lambda: modes_of_number(60, lumps=True),
    "60 modes, linear": lambda: modes_of_number(60, lumps=True, level="linear"),
    "welded rigid bodies": welded_rigid,
    "welded flexible bodies": welded_flexible,
    "several roots": several_roots,
    "beams": lambda: beams(modes=5),
    "stiffened beams": lambda: beams(bending=2, torsion=0, level="stiffened"),
    "stiffened beams that only bend": lambda: beams(
        bending=(2, 1), torsion=0, stretch=0, level="stiffened"
    ),
    "many children, stiffened": lambda: many_children("stiffened"),
    "many children, stiffened, no lumps": lambda: many_children("stiffened", lumps=False),
    "16 modes, stiffened": lambda: modes_of_number(16, level="stiffened"),
    "one mode, stiffened": lambda: modes_of_number(1, lumps=True, level="stiffened"),
    "one rigid body": lambda: _tree(("a", rigid(1), ls.Free())),
    "one flexible body": lambda: _tree(("a", flexible(1, lumps=True), ls.Spherical())),
}


def chain(n, bodies, joint=None, *, at=(0.5, 0.0, 0.1), gravity=GRAVITY) -> ls.System:
    """Chain of n links that take turns through `bodies` and, without a joint, through axes."""
    model = ls.Model("chain", gravity=gravity)
    for k in range(n):
        body, before = bodies[k % len(bodies)], bodies[(k - 1) % len(bodies)]
        tip = ".tip" if isinstance(before, ls.FlexibleBody) else ""
        where = {"to": f"link{k - 1}{tip}"} if k else {}
        own = joint if joint is not None else ls.Revolute("xyz"[k % 3])
        model.add(body, own, name=f"link{k}", at=at, **where)
    return model.compile()


def scaled_rigid(seed, mass, size) -> ls.RigidBody:
    """Rigid body without symmetry of a given mass [kg] and size [m]."""
    body = rigid(seed)
    factor = mass / body.mass
    return ls.RigidBody(mass, size * body.com, factor * size**2 * body.inertia)


def scaled_flexible(seed, mass, size, frequencies, **keywords) -> ls.FlexibleBody:
    """Flexible body of a given mass [kg], size [m] and frequencies of a given order [Hz]."""
    body = flexible(seed, n_mode=len(frequencies), **keywords)
    factor = mass / body.masses.sum()
    turn = np.array([1.0, 1.0, 1.0, size, size, size])
    lumps = body.node_inertias is not None
    return ls.FlexibleBody(
        size * body.positions,
        factor * body.masses,
        turn[:, None] * body.shapes,
        mass * size**2 * (2 * np.pi * np.asarray(frequencies)) ** 2,
        0.01,
        node_inertias=factor * size**2 * body.node_inertias if lumps else None,
        node_offsets=size * body.node_offsets if lumps else None,
        names=body.names,
        level=body.level,
    )
