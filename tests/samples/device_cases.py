"""Mechanisms and runs on which devices are compared with the CPU: every kind that a GPU knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numba
import numpy as np

import lissom as ls
from lissom.library import flexible_chain, humanoid, order_n, rigid_chain
from lissom.library.order_n_run import order_n_start
from tests.samples.couplings import flexible_arm as coupled_arm, geared_rotors
from tests.samples.four_bars import four_bar_of_a_chain
from tests.samples.kernel_cases import JOINTS, STRUCTURES, far_state, joint_systems, random_system
from tests.samples.loop_loads import ring
from tests.samples.mechanisms import arm_with_hand
from tests.samples.random_loops import looped_tree

LEVELS = ("linear", "full", "stiffened", "ruthless")
GRAVITY = (0, 0, -9.81)


def arm(mass=1.0, level="linear"):
    return arm_with_hand(mass, modes=2, level=level)


def rods(**asked):
    """Two rods in a row and what hangs on them, on a joint or on a floating body."""
    model = ls.Model("rods", gravity=GRAVITY)
    rod = ls.rod(1.0, ls.Circle(0.02), ls.STEEL, **asked)
    model.add(ls.RigidBody.box(1.0, (0.2, 0.3, 0.1)), ls.Spherical(), name="hub")
    model.add(rod, ls.Revolute("y"), to="hub", name="first")
    model.add(rod, ls.Fixed(), to="first.tip", name="second")
    hand = ls.RigidBody(0.5, com=(0.1, 0, 0.02), inertia=(0.01, 0.02, 0.03))
    model.add(hand, ls.Universal("x", "z"), to="second.tip", name="hand")
    return model.compile()


class Evaluated(NamedTuple):
    """A mechanism or variants, and rows of states."""

    name: str
    systems: Any
    q: np.ndarray
    v: np.ndarray


def states(system, k, *, deformation=1e-3, speed=0.1):
    """Coordinates and speeds of k states."""
    rng = np.random.default_rng(0)
    size = {"deformation": deformation, "speed": speed, "spread": 1.2}
    found = [far_state(system, rng, **size) for _ in range(k)]
    return np.array([x.q for x in found]), np.array([x.v for x in found])


def open_systems() -> Iterator[tuple[str, Any, float]]:
    """Trees by name, with the size of their deformations."""
    for level in ("linear", "full", "stiffened"):
        yield f"arm, {level}", arm(level=level), 1e-3
    yield "humanoid", humanoid(29).compile(), 0.0
    yield "rigid chain of 30", rigid_chain(30).compile(), 0.0
    yield "flexible chain", flexible_chain(10, 4).compile(), 1e-3
    for name, make in STRUCTURES.items():
        yield name, make().compile(), 0.02
    for name, joint in JOINTS.items():
        first = list(JOINTS).index(name) % 7
        for label, system in joint_systems(joint, slice(first, None, 7)):
            yield f"{name}, {label}", system, 0.02
    for asked in ({}, {"shear": 1}, {"stretch": 0, "torsion": 0}, {"curvature": (0.3, 0.2, 0.5)}):
        yield f"rods {asked}", rods(bending=2, **asked), 0.02
    for seed in range(6):
        yield f"random tree {seed}", random_system(seed), 0.1
        for level in LEVELS:
            yield f"random tree {seed}, {level}", random_system(seed, level), 0.02


def closed_states() -> Iterator[tuple[str, ls.State]]:
    """States in motion of mechanisms with loops and couplings."""
    four_bar, gears, coupled = four_bar_of_a_chain().compile(), geared_rotors(), coupled_arm()
    platform = order_n_start(order_n(1).compile())
    yield "four-bar", moving(four_bar.state(crank=0.9))
    yield "platform", moving(platform)
    for name in ("revolute", "universal", "ball", "compound", "flexible", "rod"):
        yield f"ring of {name}", ring(name).on_loop
    for seed in range(6):
        yield f"random loops {seed}", looped_tree(seed).state
    yield "gears", moving(gears.neutral())
    yield "coupled arm", moving(coupled.neutral())


def moving(state):
    """The state with random speeds, assembled."""
    rates = 0.1 * np.random.default_rng(0).normal(size=state.system.n_v)
    return ls.assemble(state.system, state.replace(v=rates))


def evaluated(k: int) -> Iterator[Evaluated]:
    """All mechanisms with k states each."""
    for name, system, deformation in open_systems():
        yield Evaluated(name, system, *states(system, k, deformation=deformation))
    variants = [arm(m) for m in np.linspace(0.5, 2.0, k)]
    yield Evaluated("variants", variants, *states(variants[0], k))
    for name, state in closed_states():
        rates = np.linspace(-1.0, 1.0, k)[:, None]
        yield Evaluated(name, state.system, np.tile(state.q, (k, 1)), rates * state.v)


@numba.njit
def push(time, q, v, out):
    out[0] = np.sin(3.0 * time) - 2.0 * v[0]


@numba.njit
def sampled(time, q, v, memory, out):
    memory[0] += q[0]
    memory[1] = np.exp(-(memory[0] ** 2)) + np.arctan2(v[0], q[0])
    out[0] = -0.1 * memory[0] + 0.01 * memory[1]


@numba.njit
def crossing(time, q, v):
    return q[0] + np.cos(20.0 * time) - 0.9


class Run(NamedTuple):
    """Runs from states, with the options of `simulate_batch`."""

    name: str
    systems: Any
    start: Any
    options: dict[str, Any]


EXPLICIT = {
    "rk4": {"integrator": "rk4", "step": 1e-3},
    "euler_cromer": {"integrator": "euler_cromer", "step": 1e-3},
    "dopri5": {"integrator": "dopri5"},
    "dop853": {"integrator": "dop853"},
}
IMPLICIT = {
    "generalized_alpha": {"integrator": "generalized_alpha", "step": 1e-3},
    "generalized_alpha with chosen steps": {"integrator": "generalized_alpha"},
}
METHODS = EXPLICIT | IMPLICIT
FIXED = ("rk4", "generalized_alpha")


STEPS = {"humanoid": 1e-3, "rods": 5e-6, "coupled arm": 1e-4}


def loads_of_the_arm(name):
    """Loads of all kinds; where steps are chosen, those without corners: rounding moves them."""
    tables = [[0.0, 0.0], [0.2, 0.1], [0.0, 0.3]]
    abrupt = [
        ls.JointFriction("link", 0.02),
        ls.JointStop("link", -0.5, 0.4, stiffness=300.0, damping=0.2),
    ]
    chosen = "step" not in METHODS[name]
    return ([] if chosen else abrupt) + [
        ls.JointSpring("hand", stiffness=3.0, damping=0.1),
        ls.JointDamper("hand", 0.05),
        ls.Servo("link", 0.3, kp=20.0, kd=2.0, ki=1.0, limit=1e3 if chosen else 9.0),
        ls.NodeForce("link.tip", force=(0, 0, 1.0)),
        ls.NodeSpring("hand", (0, 0, 0.5), 2.0, damping=0.1, length=0.3),
        ls.Actuator("hand", ls.Table([0.0, 0.01, 0.3], tables), rotor_inertia=0.01),
    ]


def smooth(*values):
    return ls.Table(np.linspace(0.0, 0.3, len(values)), list(values), kind="smooth")


def runs(k: int) -> Iterator[Run]:
    """All runs, from k states each."""
    system, duration = arm(), {"duration": 0.1, "output_step": 0.02}
    start = states(system, k)
    for name, method in METHODS.items():
        options = {**duration, **method, "loads": loads_of_the_arm(name)}
        if "step" not in method:  # chosen by errors, whose rounding grows
            options |= {"duration": 0.03, "output_step": 0.01}
        yield Run(f"arm with loads, {name}", system, start, options)
    options = {**duration, **METHODS["rk4"], "forces": push}
    yield Run("compiled forces, rk4", system, start, options)
    for name in FIXED:
        for of, more in _acting():
            yield Run(f"{of}, {name}", system, start, {**duration, **METHODS[name], **more})
    turn = ls.Motion("hand", ls.Table([0, 0.05, 0.2], [[0, 0], [0.1, 0.2], [0, 1]], kind="smooth"))
    loads = [turn, ls.Servo("link", smooth(0, 0.1, 0.3), kp=5.0)]
    begun = ls.assemble(system, system.state(link=0.2), loads=loads)
    for name in FIXED:
        options = {**duration, **METHODS[name], "loads": loads}
        yield Run(f"given motion, {name}", system, [begun] * k, options)
    yield from _of_other_bodies(k)
    yield from _closed(k)
    yield from _in_orbit(k)
    variants = [arm(m) for m in np.linspace(0.5, 2.0, k)]
    loads = lambda n: [ls.JointSpring("hand", stiffness=1.0 + n)]  # noqa: E731
    options = {**duration, **METHODS["rk4"], "loads": loads}
    yield Run("variants", variants, states(variants[0], k), options)


def _acting() -> Iterator[tuple[str, dict[str, Any]]]:
    controller = ls.Controller(sampled, period=0.0123, memory=[0.0, 0.0])
    lock = ls.Event(crossing, [ls.Lock("link"), ls.Switch("spring")], name="crossing", once=True)
    spring = ls.JointSpring("hand", 2.0, name="spring")
    compiled = {"forces": push, "loads": [controller, spring], "events": [lock]}
    yield "compiled forces, controller, event that locks", compiled
    yield "event that ends", {"events": [ls.Event("link", value=0.6)]}
    yield "event that goes on", {"events": [ls.Event("link", [], value=0.5, name="again")]}


def _of_other_bodies(k: int) -> Iterator[Run]:
    duration = {"duration": 0.01, "output_step": 2e-3}
    systems = {
        "rods": (rods(bending=2), 1e-3),
        "all levels": (STRUCTURES["all levels"]().compile(), 1e-3),
        "floating frames": (STRUCTURES["many children, free-free"]().compile(), 1e-3),
        "lumps": (STRUCTURES["lumps of all kinds"]().compile(), 1e-3),
        "stiffened": (arm(level="stiffened"), 1e-3),
        "full": (arm(level="full"), 1e-3),
        "humanoid": (humanoid(29).compile(), 0.0),
        "screw": (next(joint_systems(JOINTS["screw skew"]))[1], 1e-3),
        "compound": (next(joint_systems(JOINTS["compound plane and screw"]))[1], 1e-3),
    }
    for name, (system, deformation) in systems.items():
        start = states(system, k, deformation=deformation)
        for method in FIXED:
            settings = METHODS[method] | {"step": STEPS.get(name, 2e-4)}
            options = {**duration, **settings}
            if name == "rods":
                options |= {"duration": 1e-3, "output_step": 2e-4}
            yield Run(f"{name}, {method}", system, start, options)


def _closed(k: int) -> Iterator[Run]:
    for name, state in closed_states():
        for method in FIXED:
            step = STEPS.get(name, 1e-3)
            options = {"duration": 10 * step, **METHODS[method], "step": step}
            yield Run(f"{name}, {method}", state.system, [state] * k, options)
    state = ring("revolute").on_loop
    load = ls.JointSpring("hinge", 5.0, damping=0.1)
    for method in FIXED:
        options = {"duration": 0.02, **METHODS[method], "loads": [load]}
        yield Run(f"spring in a loop, {method}", state.system, [state] * k, options)
    drift = {"drift": ls.Baumgarte(100.0, 20.0), "duration": 0.02}
    yield Run("Baumgarte", state.system, [state] * k, {**METHODS["rk4"], **drift})


def _in_orbit(k: int) -> Iterator[Run]:
    model = ls.Model("craft")
    model.add(ls.RigidBody.box(50.0, (1, 1, 0.5)), ls.Free(), name="bus")
    panel = ls.beam(3.0, ls.Rectangle(0.3, 0.01), ls.ALUMINIUM, bending=2, torsion=1, stretch=0)
    model.add(panel, ls.Revolute("y"), to="bus", at=(0.5, 0, 0), name="panel")
    drive = ls.flexible_drive(model, "panel", stiffness=50.0, ratio=20.0, rotor_inertia=1e-4)
    system = model.compile()
    far = system.state(bus=[1.0, 0, 0, 0, 7e6, 0, 0], v=np.full(system.n_v, 0.01))
    near = system.state(bus=[1.0, 0, 0, 0, 0.3, 0, 0], v=np.full(system.n_v, 0.01))
    driven = ls.Rotor("bus", 0.1, 100.0, axis=(0, 1, 1), torque=0.01)
    spun = ls.Rotor("bus", 0.1, smooth(0, 10.0, 30.0))
    geared = ls.Rotor("bus", 1e-3, geared_to="panel", ratio=20.0)
    places = {
        "far": (far, [ls.CentralGravity(3.986e14, j2=1e-3, radius=6.4e6), driven, drive]),
        "near": (near, [ls.GravityGradient(1e-3), spun, geared, drive]),
    }
    for name, (start, loads) in places.items():
        for method in FIXED:
            options = {"duration": 0.05, **METHODS[method], "loads": loads}
            yield Run(f"in orbit, {name}, {method}", system, [start] * k, options)
