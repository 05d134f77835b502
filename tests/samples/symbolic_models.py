"""Mechanisms whose equations are exported in several tests, and the engine's word on them."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
import sympy

import lissom as ls
from tests.samples.flexible_arms import flexible_body
from tests.tools.measures import random_state

SKEW = np.array([[2.0, -1.0, 2.0], [2.0, 2.0, -1.0], [-1.0, 2.0, 2.0]]) / 3
m1, m2, l1, l2, g = sympy.symbols("m1 m2 l1 l2 g", positive=True)

INPUTS = {
    "mass": ("q",),
    "bias": ("q", "v"),
    "forward_dynamics": ("q", "v", "forces"),
    "inverse_dynamics": ("q", "v", "acceleration"),
    "qdot": ("q", "v"),
    "energy": ("q", "v"),
}


def inputs_of(function: str) -> tuple[str, ...]:
    """Vectors that a function of a program takes."""
    return INPUTS.get(function, ("q",))


@dataclass(frozen=True)
class Sample:
    """A model, the level of its equations, and numbers for its symbols."""

    kept: ls.Model  # shared by all tests; `model` is a copy that a test may change
    level: str = "linear"
    values: dict[sympy.Symbol, float] = field(default_factory=dict)

    @property
    def model(self) -> ls.Model:
        return copy.copy(self.kept)

    def equations(self) -> ls.symbolic.Equations:
        return self._equations

    @cached_property
    def _equations(self) -> ls.symbolic.Equations:
        return ls.symbolic.derive(self.kept, level=self.level)

    def system(self) -> ls.System:
        return self.model.compile(level=self.level, values=self.values)


@cache
def double_pendulum() -> Sample:
    """A rod and a point mass, every parameter a symbol."""
    model = ls.Model("double pendulum", gravity=(0, 0, -g))
    model.add(ls.RigidBody.rod(m1, l1, com=(l1 / 2, 0, 0)), ls.Revolute("y"), name="upper")
    model.add(
        ls.RigidBody(m2, com=(l2, 0, 0)), ls.Revolute("y"), to="upper", at=(l1, 0, 0), name="lower"
    )
    return Sample(model, values={m1: 1.3, m2: 0.7, l1: 1.1, l2: 0.6, g: 9.81})


@cache
def paper_arm() -> Sample:
    """The arm of six joints of Kwatny & Blankenship, section IV, in a field of gravity."""
    unit = np.eye(6)
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    bar = ls.RigidBody(1, (0, 0, 1.5), (0.75, 0.75, 0))
    across = 0.5 * (0.7**2 + 3 * 0.35**2) / 12
    gripper = ls.RigidBody(0.5, (0, 0, 0.35), (across, across, 0.5 * 0.35**2 / 2))
    model.add(bar, ls.CompoundJoint([unit[1], unit[2]]), name="upper")
    model.add(bar, ls.Revolute("y"), to="upper", at=(0, 0, 3), name="lower")
    wrist = ls.CompoundJoint([unit[1], unit[2], unit[0]])
    model.add(gripper, wrist, to="lower", at=(0, 0, 3), name="hand")
    return Sample(model)


@cache
def satellite(level: str) -> Sample:
    """A free hub, a boom with a load at its tip, and a panel without any symmetry."""
    model = ls.Model("satellite", gravity=(0.1, -0.2, 0.3))
    boom = ls.beam(
        3.0, ls.Tube(radius=0.02, thickness=0.001), ls.ALUMINIUM, bending=1, torsion=0, stretch=0
    )
    model.add(ls.RigidBody(40.0, (0.1, 0, 0.05), (6, 7, 8)), ls.Free(), name="hub")
    model.add(boom, ls.Revolute("z"), to="hub", at=(0.5, 0, 0.1), name="boom")
    model.add(
        ls.RigidBody(2.0, (0, 0.1, 0), (0.1, 0.2, 0.15)),
        ls.Revolute((1, 2, 2)),
        to="boom.tip",
        name="load",
    )
    panel = flexible_body(5, n_node=3, n_mode=2, lumps=True, damping=0.02)
    model.add(panel, ls.Fixed(), to="hub", at=(-0.5, 0, 0), rotation=SKEW, name="panel")
    return Sample(model, level)


@cache
def rotor() -> Sample:
    """A blade that stiffens under spin, with a load at its tip."""
    model = ls.Model("rotor", gravity=(0.1, -0.2, 9.81))
    blade = ls.beam(
        3.0, ls.Tube(radius=0.02, thickness=0.001), ls.ALUMINIUM, bending=1, torsion=0, stretch=0
    )
    model.add(blade, ls.Revolute("z"), name="blade", at=(0.5, 0, 0.1))
    load = ls.RigidBody(2.0, (0, 0.1, 0), (0.1, 0.2, 0.15))
    model.add(load, ls.Revolute((1, 2, 2)), to="blade.tip", name="load")
    return Sample(model, "stiffened")


@cache
def all_joints() -> Sample:
    """A branching tree with every type of joint; one simple joint turns slowly along its map."""
    rng = np.random.default_rng(3)
    screwing = np.zeros((6, 2))
    screwing[:, 0], screwing[5, 1] = (0, 0, 0.03, 0.2, 0.1, 0), 1
    joints = {
        "hub": (ls.Free(), None),
        "ball": (ls.Spherical(), "hub"),
        "cross": (ls.Universal("x", (0, 1, 2)), "hub"),
        "plate": (ls.Planar("z"), "ball"),
        "bolt": (ls.Screw("x", 0.1), "ball"),
        "piston": (ls.Cylindrical("y"), "cross"),
        "sledge": (ls.Prismatic((1, 2, 2)), "piston"),
        "crank": (ls.Revolute((2, -1, 2)), "bolt"),
        "slider": (ls.SimpleJoint(screwing), "sledge"),
        "elbow": (ls.CompoundJoint([[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0.1, 0]]), "plate"),
        "badge": (ls.Fixed(), "elbow"),
    }
    model = ls.Model("all joints", gravity=(0.3, -0.2, -9.81))
    for name, (joint, to) in joints.items():
        size, com, at = rng.uniform(0.3, 0.8, 3), rng.uniform(-0.3, 0.3, 3), rng.uniform(-0.5, 1, 3)
        body = ls.RigidBody.box(rng.uniform(1, 2), size, com)
        model.add(body, joint, to=to, at=at, rotation=SKEW if name < "d" else None, name=name)
    return Sample(model)


SAMPLES = {
    "double pendulum": double_pendulum,
    "arm of paper E": paper_arm,
    "satellite, linear": lambda: satellite("linear"),
    "satellite, full": lambda: satellite("full"),
    "rotor, stiffened": rotor,
    "all joints": all_joints,
}


def states(system: ls.System) -> list[dict[str, np.ndarray]]:
    """Inputs of programs: two at random, one at rest and undeformed, one neutral if regular."""
    rng = np.random.default_rng(7)
    chosen = [random_state(system, rng, deformation=0.05) for _ in range(2)]
    chosen.append(random_state(system, rng, deformation=0.0, speed=0.0))
    if np.linalg.cond(ls.mass_matrix(system, system.neutral())) < 1e10:
        chosen.append(system.neutral())
    return [
        {
            "q": state.q,
            "v": state.v,
            "forces": rng.standard_normal(system.n_v),
            "acceleration": rng.standard_normal(system.n_v),
        }
        for state in chosen
    ]


def engine(system: ls.System, inputs: dict[str, np.ndarray], frames: tuple[str, ...] = ()) -> dict:
    """What the functions of a program must give."""
    state = system.state(q=inputs["q"], v=inputs["v"])
    energy = ls.energy(system, state)
    expected = {
        "mass": ls.mass_matrix(system, state),
        "bias": ls.bias_force(system, state),
        "forward_dynamics": ls.forward_dynamics(system, state, inputs["forces"]),
        "inverse_dynamics": ls.inverse_dynamics(system, state, inputs["acceleration"]),
        "qdot": ls.qdot(system, state),
        "energy": np.array([energy.kinetic, energy.potential + energy.strain]),
    }
    for frame in frames:
        X = np.eye(4)
        pose = ls.pose(system, state, frame)
        X[:3, :3], X[:3, 3] = pose.rotation, pose.position
        word = frame.replace(".", "_")
        expected[f"pose_{word}"] = X
        expected[f"jacobian_{word}"] = ls.jacobian(system, state, frame)
    return expected
