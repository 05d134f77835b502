"""Random loads, events and forces on a mechanism: every class of them, several or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numba
import numpy as np

import lissom as ls
from tests.feature_matrix.mechanisms import Mechanism

DURATION = 0.02


@dataclass
class Acting:
    """What acts in a run.

    Attributes
    ----------
    forces : `None`, an array, a mapping, or functions of time and state.
    """

    loads: list[ls.Load] = field(default_factory=list)
    events: list[ls.Event] = field(default_factory=list)
    forces: object = None
    words: list[str] = field(default_factory=list)


@numba.njit
def compiled_forces(time, q, v, out):
    """Damping of all speeds."""
    for k in range(len(v)):
        out[k] = -0.1 * v[k]


@numba.njit
def compiled_update(time, q, v, memory, out):
    """Counts its calls and damps the first speed."""
    memory[0] += 1.0
    out[:1] = -0.1 * v[:1]  # there may be no speeds


def draw_acting(rng: np.random.Generator, mechanism: Mechanism) -> Acting:
    """None to four loads, perhaps an event, perhaps forces."""
    acting = Acting(loads=list(mechanism.drives))
    kinds = load_kinds()
    for k in range(int(rng.choice([0, 1, 1, 2, 3, 4]))):
        word = str(rng.choice(list(kinds)))
        joint = _joint(rng, mechanism.system)
        if word.startswith("motion") and any(isinstance(x, ls.Motion) for x in acting.loads):
            continue
        load = kinds[word](rng, mechanism, joint, f"load{k}")
        if load is not None:
            acting.loads.append(load)
            acting.words.append(f"{word} at {getattr(load, 'place', joint)}")
    if rng.random() < 0.25:
        events, word = _events(rng, mechanism, acting)
        acting.events += events
        acting.words.append(word)
    chance = rng.random()
    if chance < 0.3:
        acting.forces, word = _forces(rng, mechanism.system)
        acting.words.append(word)
    return acting


def _joint(rng: np.random.Generator, system: ls.System) -> str:
    return str(rng.choice(system.names))


Maker = Callable[[np.random.Generator, Mechanism, str, str], ls.Load | None]


def load_kinds() -> dict[str, Maker]:
    """Every class of load, each with what it can be given."""
    return {
        "actuator": lambda rng, m, joint, name: ls.Actuator(
            joint, _signal(rng, _n_v(m, joint)), ratio=2.0, limit=5.0, name=name
        ),
        "motor": lambda rng, m, joint, name: ls.Actuator(
            joint, rng.normal(size=_n_v(m, joint)), rotor_inertia=0.01, name=name
        ),
        "spring": lambda rng, m, joint, name: ls.JointSpring(
            joint, float(10 ** rng.uniform(0, 5)), damping=0.1, name=name
        ),
        "damper": lambda rng, m, joint, name: ls.JointDamper(joint, 2.0, name=name),
        "friction": lambda rng, m, joint, name: ls.JointFriction(joint, 0.5, name=name),
        "stop": lambda rng, m, joint, name: ls.JointStop(
            joint, -0.2, 0.2, stiffness=1e3, damping=1.0, name=name
        ),
        "servo": lambda rng, m, joint, name: ls.Servo(
            joint,
            _signal(rng, _n_v(m, joint), of_state=False),
            kp=50.0,
            kd=5.0,
            ki=float(rng.choice([0.0, 10.0])),
            limit=float(rng.choice([np.inf, 3.0])),
            name=name,
        ),
        "node force": lambda rng, m, joint, name: ls.NodeForce(
            _place(rng, m.system), _signal(rng, 3), moment=_signal(rng, 3), name=name
        ),
        "node spring": lambda rng, m, joint, name: ls.NodeSpring(
            _place(rng, m.system),
            _other_place(rng, m.system),
            100.0,
            damping=1.0,
            length=0.5,
            at_b=(0.2, 0.3, 0.4),
            name=name,
        ),
        "contact": _contact,
        "contacts": _contacts,
        "rotor": lambda rng, m, joint, name: ls.Rotor(
            _place(rng, m.system), 0.01, 30.0, axis="z", name=name
        ),
        "driven rotor": lambda rng, m, joint, name: ls.Rotor(
            _place(rng, m.system), 0.001, 30.0, torque=_signal(rng, 1), name=name
        ),
        "geared rotor": lambda rng, m, joint, name: ls.Rotor(
            _place(rng, m.system), 0.001, geared_to=joint, ratio=20.0, name=name
        ),
        "central gravity": lambda rng, m, joint, name: ls.CentralGravity(
            100.0, center=(50.0, 0, 0), j2=1e-3 * rng.integers(2), radius=1.0, name=name
        ),
        "gravity gradient": lambda rng, m, joint, name: ls.GravityGradient(0.1, name=name),
        "controller": lambda rng, m, joint, name: ls.Controller(
            lambda t, state: {joint: -0.1 * state[f"{joint}.rates"]}, DURATION / 5, name=name
        ),
        "compiled controller": lambda rng, m, joint, name: ls.Controller(
            compiled_update, DURATION / 5, memory=[0.0], name=name
        ),
        "motion": lambda rng, m, joint, name: _motion(rng, m, joint, name),
        "load that is off": lambda rng, m, joint, name: ls.JointDamper(
            joint, 2.0, name=name, on=False
        ),
    }


def _n_v(mechanism: Mechanism, joint: str) -> int:
    return mechanism.system.joints[mechanism.system.names.index(joint)].n_v


def _place(rng: np.random.Generator, system: ls.System) -> str:
    i = int(rng.integers(system.n_body))
    nodes = list(getattr(system.bodies[i], "node_names", {}))
    return f"{system.names[i]}.{nodes[-1]}" if nodes and rng.random() < 0.7 else system.names[i]


def _other_place(rng: np.random.Generator, system: ls.System) -> str | None:
    return None if rng.random() < 0.4 else _place(rng, system)


def _signal(rng: np.random.Generator, n: int, *, of_state: bool = True) -> object:
    """Numbers, a table of any kind, or a function of time or of time and state."""
    way = rng.normal(size=n)
    kind = str(rng.choice(["number", "linear", "smooth", "steps", "function", "state"]))
    if kind == "number" or (kind == "state" and not of_state):
        return way
    if kind in ("linear", "smooth", "steps"):
        times = DURATION * np.array([0.0, 0.2, 0.25, 0.7, 1.5])
        values = rng.normal(size=(5, n)) if n != 1 else rng.normal(size=5)
        return ls.Table(times, values, kind)
    if kind == "function":
        return lambda t: way * np.sin(20 * t)
    return lambda t, state: way * np.cos(np.sum(state.q[:1]))


def _motion(
    rng: np.random.Generator, mechanism: Mechanism, joint: str, name: str
) -> ls.Load | None:
    """A given motion that begins where the state is."""
    system, state = mechanism.system, mechanism.state
    i = system.names.index(joint)
    n = system.joints[i].n_v
    q, v = state.q[system.layout.hinge_q(i)], state.v[system.layout.hinge_v(i)]
    kind = str(rng.choice(["position", "table", "velocity", "velocity table", "acceleration"]))
    if kind == "position" and system.joints[i].n_q == n:
        return ls.Motion(joint, lambda t: q + v * t, name=name)
    if kind == "table" and system.joints[i].n_q == n:
        times = DURATION * np.array([0.0, 0.5, 1.0, 2.0])
        values = q + np.outer(times, v)
        return ls.Motion(joint, ls.Table(times, values[:, 0] if n == 1 else values, "smooth"))
    if kind == "velocity table":
        values = np.tile(v, (3, 1))
        table = ls.Table(DURATION * np.arange(3), values[:, 0] if n == 1 else values)
        return ls.Motion(joint, velocity=table, name=name)
    if kind == "acceleration":
        return ls.Motion(joint, acceleration=np.ones(n), name=name)
    return ls.Motion(joint, velocity=lambda t: v * np.cos(5 * t), name=name)


def _events(
    rng: np.random.Generator, mechanism: Mechanism, acting: Acting
) -> tuple[list[ls.Event], str]:
    """One event, and perhaps a release of what it locks."""
    joint = _joint(rng, mechanism.system)
    named = [x.name for x in acting.loads if x.name]
    actions: dict[str, tuple[ls.Action, ...]] = {
        "stop": (ls.Stop(),),
        "lock": (ls.Lock(joint),),
        "springy lock": (ls.Lock(joint, stiffness=float(10 ** rng.uniform(0, 4)), damping=0.1),),
        "two locks": (ls.Lock(joint, stiffness=50.0), ls.Lock(_joint(rng, mechanism.system))),
        "release": (ls.Release(joint),),
        "lock and stop": (ls.Lock(joint), ls.Stop()),
        "note": (),
    }
    if named:
        actions["switch"] = (ls.Switch(str(rng.choice(named)), bool(rng.integers(2))),)
    if rng.random() < 0.15:
        return _impact(rng, mechanism)
    word = str(rng.choice(list(actions)))
    instant = float(rng.uniform(0.1, 0.9)) * DURATION
    if rng.random() < 0.4:
        watched = _joint(rng, mechanism.system)
        events = [ls.Event(watched, actions[word], value=0.01, rate=bool(rng.integers(2)))]
        word += f" of {joint} at {watched}"
    else:
        events = [ls.Event(lambda t, state: t - instant, actions[word], once=True)]
        word += f" of {joint}"
    if "lock" in word and rng.random() < 0.4:
        later = instant + 0.1 * DURATION
        release = (ls.Release(joint),)
        events.append(ls.Event(lambda t, state: t - later, release, once=True))
        word += ", and its release"
    return events, word


def _impact(rng: np.random.Generator, mechanism: Mechanism) -> tuple[list[ls.Event], str]:
    """A rigid impact of a point on a wall that is ahead of it."""
    system, state, place = mechanism.system, mechanism.state, _place(rng, mechanism.system)
    x, v = ls.pose(system, state, place).position, ls.velocity(system, state, place)[3:]
    speed = float(np.linalg.norm(v))
    n = -v / speed if speed > 1e-9 else np.array([0, 0, 1.0])
    ahead = speed * float(rng.uniform(0.2, 0.8)) * DURATION if speed > 1e-9 else 1e-4
    wall = ls.shapes.HalfSpace(n, at=x - n * ahead)
    friction = float(rng.choice([0.0, 0.3]))
    law = str(rng.choice(["stronge", "poisson"]))
    impact = ls.RigidImpact(float(rng.uniform(0, 1)), friction, law=law)
    gap = ls.Gap(system.shape(place, ls.shapes.Sphere(0.0)), wall)
    return [ls.Event(gap, impact, name="impact")], f"rigid impact at {place}"


def _contact(
    rng: np.random.Generator, mechanism: Mechanism, joint: str, name: str
) -> ls.Load | None:
    """A ball at a node that meets a wall ahead of it, or does not."""
    system, place = mechanism.system, _place(rng, mechanism.system)
    x = ls.pose(system, mechanism.state, place).position
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    wall = ls.shapes.HalfSpace(n, at=x - n * (0.02 + float(rng.choice([1e-4, 0.1]))))
    friction = ls.Friction(0.4, speed=0.1) if rng.random() < 0.5 else None
    law = ls.Hertz(stiffness=1e5, dissipation=0.2)
    return ls.Contact(system.shape(place, ls.shapes.Sphere(0.02)), wall, law, friction, name=name)


def _contacts(
    rng: np.random.Generator, mechanism: Mechanism, joint: str, name: str
) -> ls.Load | None:
    """Balls at two nodes and a wall: a contact of each pair that may touch."""
    system = mechanism.system
    one, other = _place(rng, system), _place(rng, system)
    x = [ls.pose(system, mechanism.state, place).position for place in (one, other)]
    if np.linalg.norm(x[0] - x[1]) < 0.05:
        return None
    n = np.array([0.0, 0.0, 1.0])
    wall = ls.shapes.HalfSpace(n, at=(0, 0, min(x[0][2], x[1][2]) - 0.02 - 1e-3))
    balls = [system.shape(place, ls.shapes.Sphere(0.02), place) for place in (one, other)]
    law = ls.LinearContact(1e4, dissipation=0.1)
    return ls.Contacts([*balls, wall], law=law, friction=ls.Friction(0.3, speed=0.1), name=name)


def _forces(rng: np.random.Generator, system: ls.System) -> tuple[object, str]:
    way = rng.normal(size=system.n_v)
    kinds = {
        "array": way,
        "mapping": {
            name: rng.normal(size=joint.n_v)
            for name, joint in zip(system.names, system.joints, strict=True)
            if joint.n_v
        },
        "function": lambda t, state: way * np.sin(30 * t) - 0.1 * state.v,
        "compiled function": compiled_forces,
    }
    word = str(rng.choice(list(kinds)))
    return kinds[word], f"forces: {word}"
