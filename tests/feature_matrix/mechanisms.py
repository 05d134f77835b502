"""Random mechanisms of all bodies, joints, closures, couplings and drives, with a state."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import lissom as ls
from lissom.algorithms.tree.coordinates import moved
from lissom.spatial import rotation_exp
from tests.samples.honest_draws import HonestBlade, HonestCam
from tests.samples.meshes import block
from tests.samples.nodal_bodies import Bar, frame_element

RADIUS = 0.3
TUBE = ls.Tube(radius=0.03, thickness=0.002)
SMALL = {"bending": 1, "torsion": 1, "stretch": 0}
COORDINATES = {
    ls.Revolute: ("angle",),
    ls.Prismatic: ("slide",),
    ls.Screw: ("angle",),
    ls.Cylindrical: ("angle", "slide"),
    ls.Universal: ("angle1", "angle2"),
}


@dataclass
class Mechanism:
    """A model, its system, a state that is closed, and loads that belong to its drives."""

    model: ls.Model
    system: ls.System
    state: ls.State
    drives: list[ls.Load] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    @property
    def closed(self) -> bool:
        """Whether it has loops or couplings."""
        return bool(self.system.loops or self.system.couplings)


def draw_mechanism(rng: np.random.Generator) -> Mechanism:
    """Tree of one to four bodies, with whatever closes, couples and drives it."""
    words: list[str] = []
    gravity = (0, 0, -9.81) if rng.random() < 0.7 else (0, 0, 0)
    model = _tree(rng, ls.Model("drawn", gravity=gravity), int(rng.integers(1, 5)), words)
    if rng.random() < 0.1:
        prefix = str(rng.choice(["", "left "]))
        branch = _tree(rng, ls.Model("branch", gravity=gravity), 2, words, first="c")
        model.attach(branch, to=f"{next(iter(model.parts))}", prefix=prefix)
        words.append("attached model")
    drives = _drives(rng, model, words)
    if rng.random() < 0.3:
        carrier = str(rng.choice(list(model.parts)))
        model.frame("tool", on=carrier, at=rng.normal(size=3) * 0.2, rotation=_rotation(rng))
        words.append("frame")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ls.ModelWarning)
        system = model.compile()
        state = _state(rng, system)
        chance = rng.random()
        if chance < 0.35:
            _close(rng, model, system, state, words)
        if 0.25 < chance < 0.45:
            _couple(rng, model, system, state, words)
        if model.loops or model.couplings:
            system = model.compile()
            state = ls.assemble(system, system.state(state.q, state.v))
    return Mechanism(model, system, state, drives, words)


# Bodies


@functools.cache
def bodies() -> dict[str, object]:
    """One of each kind of body, small; flexible ones have a node "tip"."""
    mesh = block("hexahedron20", (2, 1, 1), (0.4, 0.05, 0.05))
    ends = {"root": ls.regions.plane("x", 0.0), "tip": ls.regions.plane("x", 0.4)}
    members = [ls.Member(0, 1, TUBE, ls.STEEL), ls.Member(1, 2, TUBE, ls.STEEL)]
    nodes = [(0, 0, 0), (1.0, 0, 0), (1.0, 0.5, 0)]
    mass, stiffness, places = _bar()
    bodies: dict[str, object] = {
        "box": ls.RigidBody.box(2.0, (1.0, 0.2, 0.3), com=(0.5, 0, 0)),
        "off-axis box": ls.RigidBody.box(1.0, (0.5, 0.2, 0.3), com=(0.2, 0.1, -0.1)),
        "sphere": ls.RigidBody.sphere(1.5, RADIUS),
        "cylinder": ls.RigidBody.cylinder(1.0, 0.1, 0.5, "x", com=(0.1, 0, 0)),
        "points": ls.RigidBody.from_points([(0, 0, 0), (1, 0, 0), (0.5, 1, 0.3)], [1, 2, 1]),
        "point mass": ls.RigidBody(1.0, (0.5, 0, 0)),
        "massless": ls.RigidBody(0.0),
        "rod": ls.rod(1.0, TUBE, ls.ALUMINIUM, bending=1, torsion=0, stretch=0),
        "rod that twists": ls.rod(1.0, TUBE, ls.ALUMINIUM, bending=(1, 0), torsion=1, stretch=1),
        "frame": ls.frame(nodes, members, interfaces={"root": 0, "tip": 2}, modes=2),
        "panel": ls.panel(
            1.0, 0.5, 0.01, ls.ALUMINIUM, interfaces={"root": "left", "tip": "right"}, modes=2
        ),
        "mesh": ls.from_mesh(mesh, ls.ALUMINIUM, ends, modes=2),
        "matrices": ls.from_matrices(mass, stiffness, places, {"root": 0, "tip": 2}, modes=2),
        "modes": ls.from_modes(
            mass=12.0,
            center=(0, 1.5, 0),
            inertia=(30.0, 0.5, 30.5),
            frequencies=[0.4, 1.9],
            participation=[[0, 0, 2.7, 5.0, 0, 0], [2.5, 0, 0, 0, 0, -4.8]],
        ),
    }
    for level in ("linear", "full", "stiffened", "ruthless"):
        bodies[f"{level} beam"] = ls.beam(1.5, TUBE, ls.ALUMINIUM, **SMALL, level=level)
    return bodies


def _bar() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass, stiffness and nodes of a bar of two elements, translations first."""
    element = frame_element(Bar(), 0.5)
    order = np.array([3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8])
    K, M = np.zeros((2, 18, 18))
    for k in (0, 6):
        piece = np.ix_(k + np.arange(12), k + np.arange(12))
        for matrix, part in zip((K, M), element, strict=True):
            matrix[piece] += part[np.ix_(order, order)]
    return M, K, np.array([[0, 0, 0], [0.5, 0, 0], [1.0, 0, 0]])


def _body(rng: np.random.Generator, *, last: bool) -> tuple[str, object]:
    names = [name for name in bodies() if not (last and name == "massless")]
    likely = np.array(
        [
            0.5 if "mass" in x else 4.0 if isinstance(bodies()[x], ls.RigidBody) else 1.0
            for x in names
        ]
    )
    name = str(rng.choice(names, p=likely / likely.sum()))
    return name, bodies()[name]


# Trees


def joint_kinds() -> dict[str, Callable[[np.random.Generator], ls.Joint]]:
    """Every kind of joint that carries a body."""
    return {
        "fixed": lambda rng: ls.Fixed(),
        "revolute": lambda rng: ls.Revolute(_axis(rng)),
        "prismatic": lambda rng: ls.Prismatic(_axis(rng)),
        "screw": lambda rng: ls.Screw(_axis(rng), 0.05),
        "cylindrical": lambda rng: ls.Cylindrical(_axis(rng)),
        "universal": lambda rng: ls.Universal("y", "z"),
        "spherical": lambda rng: ls.Spherical(),
        "planar": lambda rng: ls.Planar(_axis(rng)),
        "free": lambda rng: ls.Free(),
        "simple": lambda rng: ls.SimpleJoint(np.array([[0, 0, 1, 0.1, 0, 0.0]]).T),
        "compound": lambda rng: ls.CompoundJoint([np.eye(6)[0], np.eye(6)[2], np.eye(6)[4]]),
        "own cam": lambda rng: HonestCam(0.1),
        "own blade": lambda rng: HonestBlade(),
    }


def _axis(rng: np.random.Generator) -> object:
    return str(rng.choice(["x", "y", "z"])) if rng.random() < 0.7 else rng.normal(size=3)


def _rotation(rng: np.random.Generator) -> np.ndarray | None:
    return rotation_exp(rng.normal(size=3)) if rng.random() < 0.4 else None


def _tree(
    rng: np.random.Generator, model: ls.Model, count: int, words: list[str], first: str = "b"
) -> ls.Model:
    kinds = joint_kinds()
    for k in range(count):
        word, body = _body(rng, last=k == count - 1)
        likely = np.array([0.4 if "own" in x else 1.0 for x in kinds])
        kind = str(rng.choice(list(kinds), p=likely / likely.sum()))
        joint, name = kinds[kind](rng), f"{first}{k}"
        place: dict[str, object] = {}
        if k:
            carrier = f"{first}{int(rng.integers(k))}"
            nodes = getattr(model.parts[carrier].body, "names", None)
            to = f"{carrier}.tip" if nodes and "tip" in nodes else carrier
            place = {"to": to, "at": (0, 0, 0) if "." in to else rng.normal(size=3) * 0.5}
        place["rotation"] = _rotation(rng)
        words.append(f"{word} on {kind}" + (f" to {place['to']}" if k else ""))
        if k and rng.random() < 0.1:  # which of the two carries the other is left to `compile`
            model.add(body, None, name=name)
            ends = [(str(place["to"]), "a"), (name, "b")]
            (a, _), (b, _) = ends if rng.random() < 0.5 else ends[::-1]
            model.join(joint, a, b, name=f"joint of {name}")
            words.append("joined")
            continue
        model.add(body, joint, name=name, **place)
    return model


def _drives(rng: np.random.Generator, model: ls.Model, words: list[str]) -> list[ls.Load]:
    plain = [n for n, x in model.parts.items() if isinstance(x.joint, (ls.Revolute, ls.Prismatic))]
    if not plain or rng.random() > 0.15:
        return []
    joint = str(rng.choice(plain))
    words.append(f"drive of {joint}")
    gear = {"stiffness": 2e3, "damping": 5.0, "ratio": 10.0, "rotor_inertia": 1e-3}
    return [ls.flexible_drive(model, joint, **gear)]


def _state(rng: np.random.Generator, system: ls.System) -> ls.State:
    shifts, v = rng.normal(size=(2, system.n_v)) * 0.3
    if rng.random() < 0.3:
        shifts, v = 0 * shifts, 0 * v
    for i in range(system.n_body):
        shifts[system.layout.modal_v(i)] *= 0.003
        v[system.layout.modal_v(i)] *= 0.003
    return system.state(moved(system, system.neutral().q, shifts), v)


# Closures


def _close(
    rng: np.random.Generator,
    model: ls.Model,
    system: ls.System,
    state: ls.State,
    words: list[str],
) -> None:
    """One or two loops that are closed in the state, perhaps the same one twice."""
    names = list(system.names)
    kind = str(rng.choice(["joint", "joint", "joint", "ball", "wheel", "skate"]))
    if kind != "joint":
        name = str(rng.choice(names))
        pose = ls.pose(system, state, name)
        if kind == "skate":
            joint: ls.Joint = ls.Skate("y")
            model.close(joint, None, name, name="edge")
        elif kind == "ball":
            at = pose.position - (0, 0, RADIUS)
            model.close(ls.RollingBall(RADIUS), None, name, at_a=at, name="floor")
        else:
            s = pose.rotation[:, 1]
            u = np.array([0, 0, 1.0]) - s[2] * s
            low = pose.position - RADIUS * u / np.linalg.norm(u)
            model.close(ls.Rolling(RADIUS, "y"), None, name, at_a=(0, 0, low[2]), name="floor")
        words.append(f"{kind} of {name}")
        return
    ends = [*names, None]
    i, k = rng.choice(len(ends), 2, replace=False)
    a, b = ends[int(i)], ends[int(k)]
    kinds = [x for x in joint_kinds() if x not in ("free", "own blade")]
    word = str(rng.choice(kinds))
    joint = joint_kinds()[word](rng)
    (R_a, r_a), (R_b, r_b) = (_world(system, state, x) for x in (a, b))
    turn, at_b = R_b.T @ R_a, R_b.T @ (r_a - r_b)
    for number in range(1 + int(rng.random() < 0.2)):
        model.close(joint, a, b, at_b=at_b, rotation_b=turn, name=f"loop{number}")
        words.append(f"{word} from {a} to {b}")


def _world(system: ls.System, state: ls.State, name: str | None) -> tuple[np.ndarray, np.ndarray]:
    if name is None:
        return np.eye(3), np.zeros(3)
    pose = ls.pose(system, state, name)
    return pose.rotation, pose.position


def _couple(
    rng: np.random.Generator,
    model: ls.Model,
    system: ls.System,
    state: ls.State,
    words: list[str],
) -> None:
    """A gear between two coordinates, or one that holds a coordinate."""
    keys = {}
    for i, joint in enumerate(system.joints):
        for k, name in enumerate(COORDINATES.get(type(joint), ())):
            only = len(COORDINATES[type(joint)]) == 1
            key = system.names[i] if only else f"{system.names[i]}.{name}"
            keys[key] = system.layout.hinge_q(i).start + k
    if not keys:
        return
    chosen = rng.choice(list(keys), min(len(keys), int(rng.integers(1, 4))), replace=False)
    ratios = {str(key): float(rng.choice([-1, 1]) * rng.uniform(0.3, 3)) for key in chosen}
    offset = sum(ratio * state.q[keys[key]] for key, ratio in ratios.items())
    model.couple(ratios, offset=offset, name="gear")
    words.append(f"coupling of {', '.join(ratios)}")
