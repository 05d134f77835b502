"""Random mechanisms, loads, events and settings, of which the runs are judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import eigh

import lissom as ls
from lissom.algorithms.tree.coordinates import moved
from lissom.spatial import axis_rotation
from lissom.spatial.scalar import cos, sin
from tests.tools.honest_runs import Case, Change

X, Z = np.eye(3)[0], np.eye(3)[2]
RADIUS = 0.3
MOST_TURNS = 1e4  # [rad] of the fastest vibration: others take minutes to converge
OWN = 10.0  # times the work, if joints are functions of Python
ADAPTIVE = ("dop853", "dopri5", "rosenbrock", "generalized_alpha")
FIXED = ("rk4", "dop853", "rosenbrock", "generalized_alpha")


@dataclass(frozen=True, eq=False)
class HonestCam(ls.Joint):
    """Turn about z that lifts."""

    lift: float
    coordinates = (("angle", "rad"),)

    def pose(self, q):
        """Turned and lifted."""
        return axis_rotation(Z, q[0]), self.lift * (1 - cos(2 * q[0])) / 2 * Z

    def motion_map(self, q):
        """Derivative of the pose."""
        return np.concatenate([Z, self.lift * sin(2 * q[0]) * Z])[:, None]


@dataclass(frozen=True, eq=False)
class HonestBlade(ls.Joint):
    """A blade along x on the plane z = 0: three coordinates, two speeds."""

    coordinates = (("x", "m"), ("y", "m"), ("heading", "rad"))
    speeds = (("glide", "m"), ("turn", "rad"))

    def pose(self, q):
        """Turned by the heading."""
        return axis_rotation(Z, q[2]), array_of(q[0], q[1])

    def motion_map(self, q):
        """Glide along x, turn about z."""
        return np.stack([np.concatenate([0 * X, X]), np.concatenate([Z, 0 * X])], axis=1)


def array_of(x, y):
    """Place on the plane, for numbers of every kind."""
    return x * X + y * np.eye(3)[1]


@dataclass(frozen=True)
class Drawn:
    """A signal: what a run takes that begins at some time, and what the converged run takes."""

    word: str
    corners: list[float]
    function: Callable[[float], object] | None = None
    times: np.ndarray | None = None
    values: np.ndarray | None = None
    kind: str = "linear"

    def at(self, start: float) -> object:
        """Function or table of a run that begins at `start`."""
        if self.times is None:
            return lambda t: self.function(t - start)
        return ls.Table(self.times + start, self.values, self.kind, clamped=self.kind == "smooth")


def draw(number: int) -> Case:
    """Case of a number: the first drawn whose converged run takes no more than `MOST_TURNS`."""
    rng = np.random.default_rng([20261119, number])
    while True:
        case = _drawn(rng, number)
        if turns(case) <= MOST_TURNS:
            return case


def turns(case: Case) -> float:
    """Radians through which the fastest vibration or decay turns in a run, by the work of it."""
    system, n = case.system, case.system.n_v
    K, C = np.zeros(n), np.zeros(n)
    for i, body in enumerate(system.bodies):
        K[system.layout.modal_v(i)] = body.stiffness
    for load in case.loads(0.0, True):
        match load:
            case ls.JointSpring() | ls.JointStop():
                hinge = system.layout.hinge_v(load.joint)
                K[hinge] += load.stiffness
                C[hinge] += load.damping
            case ls.JointDamper():
                C[system.layout.hinge_v(load.joint)] += load.damping
            case ls.JointFriction():
                C[system.layout.hinge_v(load.joint)] += load.force / load.speed
            case ls.Servo():
                hinge = system.layout.hinge_v(load.joint)
                K[hinge] += load.kp
                C[hinge] += load.kd
    M = ls.mass_matrix(system, case.state)
    fastest = float(np.sqrt(eigh(np.diag(K), M, eigvals_only=True)[-1]))
    steepest = float(eigh(np.diag(C), M, eigvals_only=True)[-1])
    custom = any(isinstance(x, (HonestBlade, HonestCam)) for x in system.joints)
    return case.duration * max(fastest, steepest) * (OWN if custom else 1.0)


def _drawn(rng: np.random.Generator, number: int) -> Case:
    words: list[str] = []
    system, rolls = _mechanism(rng, words)
    duration = float(10 ** rng.uniform(-0.7, 0.5))
    start = float(10 ** rng.uniform(3, 9)) if rng.random() < 0.15 else 0.0
    duration = (start + duration) - start
    if start:
        words.append(f"from {start:.2g} s")
    state = _state(rng, system, rolls)
    makers, corners, state = _loads(rng, system, state, duration, start, rolls, words)
    settings = _settings(rng, duration, words)
    events, changes = [], []
    if not rolls and rng.random() < 0.3:
        events, changes = _events(rng, system, state, duration, start, makers, words)
    return Case(
        number,
        system,
        state,
        lambda begin, exact: [make(begin, exact) for make in makers],
        corners,
        duration,
        settings,
        lambda begin: [make(begin) for make in events],
        changes,
        start,
        words,
    )


# Mechanisms


def _mechanism(rng: np.random.Generator, words: list[str]) -> tuple[ls.System, bool]:
    """System, and whether it rolls or glides on the ground."""
    if rng.random() < 0.12:
        return _rolling(rng, words), True
    gravity = (0, 0, -9.81) if rng.random() < 0.6 else (0, 0, 0)
    model = ls.Model("drawn", gravity=gravity)
    parent, count = "", int(rng.integers(1, 4))
    for k in range(count):
        length = float(rng.uniform(0.5, 3.0))
        body, kind = _body(rng, length)
        node = "" if kind == "box" else ".tip"
        joint = _joint(rng, first=k == 0)
        place = {"to": parent, "at": (0, 0, 0)} if parent else {}
        if parent and not parent.endswith(".tip"):
            place["at"] = (float(rng.uniform(0.5, 2.0)), 0, 0)
        name = f"b{k}"
        model.add(body, joint, name=name, **place)
        words.append(f"{kind} on {type(joint).__name__.lower()}")
        parent = name + node
    return model.compile(), False


def _body(rng: np.random.Generator, length: float) -> tuple[object, str]:
    chance = rng.random()
    if chance > 0.45:
        mass = float(10 ** rng.uniform(-1, 1.5))
        return ls.RigidBody.box(mass, (length, 0.2, 0.3), com=(length / 2, 0, 0)), "box"
    section = ls.Tube(radius=length * 10 ** rng.uniform(-2.0, -1.2), thickness=0.003)
    damping = float(rng.choice([0.0, 0.005]))
    if chance < 0.05:
        rod = ls.rod(length, section, ls.ALUMINIUM, bending=1, torsion=0, stretch=0, damping=0.01)
        return rod, "rod"
    shapes = int(rng.integers(1, 5))
    level = "stiffened" if chance < 0.13 else "full"
    body = ls.beam(
        length,
        section,
        ls.ALUMINIUM,
        bending=(shapes - shapes // 2, shapes // 2),
        torsion=0,
        stretch=0,
        level=level,
        damping=damping,
    )
    return body, "beam" if level == "full" else "stiffened beam"


def _joint(rng: np.random.Generator, *, first: bool) -> ls.Joint:
    kinds: list[Callable[[], ls.Joint]] = [
        lambda: ls.Revolute("y"),
        lambda: ls.Revolute("z"),
        lambda: ls.Prismatic("z"),
        lambda: ls.Spherical(),
        lambda: ls.Universal("y", "z"),
        lambda: HonestCam(0.1) if rng.random() < 0.5 else ls.Screw("y", 0.05),
    ]
    kinds += [lambda: ls.Free(), lambda: ls.Revolute("y")] if first else [lambda: ls.Fixed()]
    if first:
        kinds.append(lambda: HonestBlade() if rng.random() < 0.5 else ls.Planar("z"))
    return kinds[int(rng.integers(len(kinds)))]()


def _rolling(rng: np.random.Generator, words: list[str]) -> ls.System:
    """A disk or a ball on a plane, or a sleigh on its edge, perhaps with a pendulum."""
    kind = str(rng.choice(["disk", "ball", "skate"]))
    model = ls.Model(kind, gravity=(float(rng.choice([0.0, 1.0])), 0, -9.81))
    if kind == "disk":
        across, axial = 2.0 * RADIUS**2 / 4, 2.0 * RADIUS**2 / 2
        model.add(ls.RigidBody(2.0, inertia=(across, axial, across)), ls.Free(), name="b0")
        model.close(ls.Rolling(RADIUS, "y"), None, "b0", name="road")
    elif kind == "ball":
        model.add(ls.RigidBody.sphere(2.0, RADIUS), ls.Free(), name="b0")
        model.close(ls.RollingBall(RADIUS), None, "b0", name="road")
    else:
        body = ls.RigidBody(2.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.15))
        model.add(body, ls.Planar("z"), name="b0")
        model.close(ls.Skate("y"), None, "b0", name="road")
    if rng.random() < 0.4:
        bob = ls.RigidBody.box(0.3, (0.1, 0.1, 0.3), com=(0, 0, -0.15))
        model.add(bob, ls.Revolute("y"), name="b1", to="b0")
        kind += " with a pendulum"
    words.append(kind)
    return model.compile()


def _state(rng: np.random.Generator, system: ls.System, rolls: bool) -> ls.State:
    v = rng.normal(size=system.n_v) * rng.choice([0.0, 0.3])
    shifts = np.full(system.n_v, float(rng.choice([0.0, 0.3])))
    for i in range(system.n_body):
        v[system.layout.modal_v(i)] = shifts[system.layout.modal_v(i)] = 0.0
    if not rolls:
        return system.state(moved(system, system.neutral().q, rng.normal(size=len(v)) * shifts), v)
    q = system.neutral().q.copy()
    if len(q) >= 7:
        lean = float(rng.uniform(-0.4, 0.4))
        q[:7] = (np.cos(lean / 2), np.sin(lean / 2), 0, 0, 0, 0, RADIUS)
        v[:3] = rng.normal(size=3) * (1.0, 6.0, 1.0)
    else:
        v[:3] = rng.normal(size=3)
    return ls.assemble(system, system.state(q, v))


# Loads


def _loads(
    rng: np.random.Generator,
    system: ls.System,
    state: ls.State,
    duration: float,
    epoch: float,
    rolls: bool,
    words: list[str],
) -> tuple[list[Callable[[float, bool], ls.Load]], list[float], ls.State]:
    makers: list[Callable[[float, bool], ls.Load]] = []
    corners: list[float] = []
    q, v = state.q.copy(), state.v.copy()
    driven = False

    def steady(load: ls.Load, word: str) -> None:
        makers.append(lambda start, exact: load)
        words.append(word)

    for i, joint in enumerate(system.joints):
        name, n, plain = system.names[i], joint.n_v, joint.n_q == joint.n_v
        if not n or (rolls and i == 0):
            continue
        chance = rng.random()
        if chance < 0.25 and not isinstance(joint, HonestBlade):
            stiffness = float(10 ** rng.uniform(0, 6))
            damping = float(rng.choice([0, 1e-3])) * stiffness
            spring = ls.JointSpring(name, stiffness, damping=damping, name=f"spring {name}")
            steady(spring, f"spring {stiffness:.1g} on {name}")
        elif chance < 0.35:
            damper = ls.JointDamper(name, float(10 ** rng.uniform(-1, 3)), name=f"damper {name}")
            steady(damper, f"damper on {name}")
        elif chance < 0.42 and n == 1:
            stop = float(10 ** rng.uniform(2, 5))
            ends = q[system.layout.hinge_q(i)][0] + np.array([-1, 1]) * rng.uniform(0.02, 0.3, 2)
            load = ls.JointStop(
                name,
                *ends,
                stiffness=stop,
                damping=stop * 1e-3 * rng.integers(2),
                name=f"stop {name}",
            )
            steady(load, f"stop {stop:.1g} on {name}")
        elif chance < 0.47:
            speed = float(10 ** rng.uniform(-3, -1))
            load = ls.JointFriction(name, float(10 ** rng.uniform(-1, 1)), speed=speed)
            steady(load, f"friction {speed:.1g} on {name}")
        elif chance < 0.57 and plain and n == 1:
            signal = _signal(rng, duration, epoch, float(10 ** rng.uniform(-2, 0)), 1)
            if signal.word in ("sine", "smooth table", "linear table"):
                kp = float(10 ** rng.uniform(1, 4))
                gains = {"kp": kp, "kd": 0.1 * kp, "ki": kp * rng.integers(2)}
                gains["limit"] = float(kp * 10 ** rng.uniform(-2.5, 0))
                makers.append(
                    lambda start, exact, s=signal, name=name, gains=gains: ls.Servo(
                        name, s.at(start), **gains, name=f"servo {name}"
                    )
                )
                corners += signal.corners
                words.append(f"servo after {signal.word} on {name}")
        chance = rng.random()
        if chance < 0.35:
            signal = _signal(rng, duration, epoch, float(10 ** rng.uniform(-1, 2)), n)
            makers.append(
                lambda start, exact, s=signal, name=name: ls.Actuator(
                    name, s.at(start), name=f"actuator {name}"
                )
            )
            corners += signal.corners
            words.append(f"{signal.word} on {name}")
        elif n == 1 and plain and not driven and chance < 0.6:
            driven = True
            make, more, first, word = _motion(rng, name, duration, epoch)
            makers.append(make)
            corners += more
            if first[0] is not None:
                q[system.layout.hinge_q(i)] = first[0]
            v[system.layout.hinge_v(i)] = first[1]
            words.append(f"{word} on {name}")
    if rng.random() < 0.4:
        i = int(rng.integers(system.n_body))
        names = list(getattr(system.bodies[i], "node_names", {}))
        where = f"{system.names[i]}.{names[-1]}" if names else system.names[i]
        signal = _signal(rng, duration, epoch, float(10 ** rng.uniform(0, 2)), 3)
        makers.append(
            lambda start, exact, s=signal, where=where: ls.NodeForce(
                where, s.at(start), name=f"force {where}"
            )
        )
        corners += signal.corners
        words.append(f"{signal.word} at {where}")
    return makers, corners, system.state(q, v)


def _motion(
    rng: np.random.Generator, name: str, duration: float, epoch: float
) -> tuple[Callable[[float, bool], ls.Load], list[float], tuple[float | None, float], str]:
    """A given motion, its corners, its coordinate and speed at the start, and a word for it."""
    kind = str(
        rng.choice(["sine", "table", "tight table", "velocity", "velocity table", "acceleration"])
    )
    size = float(10 ** rng.uniform(-3, -1))
    if kind in ("table", "tight table"):
        span = duration * (0.6 if kind == "table" else 10 ** rng.uniform(-3, -1.5))
        times = _clocked(0.2 * duration + span * np.sort(rng.uniform(0, 1, 6)), epoch)
        values = size * np.array([0.0, *rng.uniform(-1, 1, 4), 0.0]) * span / duration

        def table(start: float, exact: bool) -> ls.Load:
            if not exact:
                return ls.Motion(name, ls.Table(times + start, values, "smooth", clamped=True))
            shifted = times + start
            spline = CubicSpline(shifted, values, bc_type="clamped")

            def of(order: int) -> Callable[[float], float]:
                inside = spline.derivative(order) if order else spline
                return lambda t: float(inside(t)) if shifted[0] <= t < shifted[-1] else 0.0

            return ls.Motion(name, of(0), velocity=of(1), acceleration=of(2))

        return table, list(times), (0.0, 0.0), f"motion by a {kind}"
    hertz = float(10 ** rng.uniform(-1, 2 if kind == "sine" else 1))
    w = 2 * np.pi * hertz
    if kind == "sine":

        def sine(start: float, exact: bool) -> ls.Load:
            def position(t: float) -> float:
                return size * np.sin(w * (t - start))

            rates = {
                "velocity": lambda t: size * w * np.cos(w * (t - start)),
                "acceleration": lambda t: -size * w * w * np.sin(w * (t - start)),
            }
            return ls.Motion(name, position, **(rates if exact else {}))

        return sine, [], (0.0, size * w), f"motion {hertz:.2g} Hz"
    if kind == "velocity":
        return (
            lambda start, exact: ls.Motion(name, velocity=lambda t: size * np.sin(w * (t - start))),
            [],
            (None, 0.0),
            f"velocity {hertz:.2g} Hz",
        )
    count = int(rng.integers(3, 30))
    times = _clocked(duration * np.sort(rng.uniform(0.05, 0.95, count)), epoch)
    levels = size * rng.normal(size=count)
    if kind == "velocity table":
        form = str(rng.choice(["linear", "smooth"]))
        return (
            lambda start, exact: ls.Motion(name, velocity=ls.Table(times + start, levels, form)),
            list(times),
            (None, float(levels[0])),
            f"velocity by a {form} table",
        )
    form = str(rng.choice(["linear", "smooth", "steps"]))
    return (
        lambda start, exact: ls.Motion(name, acceleration=ls.Table(times + start, levels, form)),
        list(times),
        (None, 0.0),
        f"acceleration by a {form} table",
    )


def _signal(rng: np.random.Generator, duration: float, epoch: float, size: float, n: int) -> Drawn:
    """Function of time or table of n numbers."""
    way = rng.normal(size=n)
    way *= size / np.linalg.norm(way)
    begin = float(rng.uniform(0.05, 0.8) * duration)
    width = float(duration * 10 ** rng.uniform(-2.8, -0.7))
    kinds = [
        "pulse",
        "step",
        "sine",
        "bump",
        "linear table",
        "smooth table",
        "tight table",
        "steps",
    ]
    kind = str(rng.choice(kinds))
    if kind == "pulse":
        return Drawn(kind, [begin, begin + width], lambda t: way * (begin <= t < begin + width))
    if kind == "step":
        return Drawn(kind, [begin], lambda t: way * (t >= begin))
    if kind == "sine":
        w = float(2 * np.pi * 10 ** rng.uniform(-1, 2) / duration)
        return Drawn(kind, [], lambda t: way * np.sin(w * t))
    if kind == "bump":
        return Drawn(kind, [begin], lambda t: way * np.exp(-(((t - begin) / (0.3 * width)) ** 2)))
    form = "smooth" if kind == "smooth table" else "linear"
    if kind == "steps":
        count = int(rng.integers(2, 40))
        times = duration * np.sort(rng.uniform(0.02, 0.98, count))
        heights, form = rng.normal(size=count), "steps"
    else:
        if kind == "tight table":  # a blow of a given impulse, however short
            width = float(duration * 10 ** rng.uniform(-6, -3))
            way, form = way * duration / width * 1e-2, str(rng.choice(["linear", "smooth"]))
        times = begin + 0.25 * width * np.arange(5)
        heights = np.array([0.0, 0.5, 1.0, 0.5, 0.0])
    times, values = _clocked(times, epoch), heights[:, None] * way
    return Drawn(kind, list(times), None, times, values[:, 0] if n == 1 else values, form)


def _clocked(times: np.ndarray, epoch: float) -> np.ndarray:
    """Times since the start that the clock of the run can tell."""
    return (times + epoch) - epoch


# Events


def _events(
    rng: np.random.Generator,
    system: ls.System,
    state: ls.State,
    duration: float,
    start: float,
    makers: list[Callable[[float, bool], ls.Load]],
    words: list[str],
) -> tuple[list[Callable[[float], ls.Event]], list[Change]]:
    """One event that the motion brings about or the clock does, perhaps with a release after it."""
    loads = [make(0.0, True) for make in makers]
    driven = {x.joint for x in loads if isinstance(x, ls.Motion)}
    single = [i for i, x in enumerate(system.joints) if x.n_v == 1 and x.n_q == 1]
    lockable = [
        x
        for x, joint in zip(system.names, system.joints, strict=True)
        if joint.n_v and x not in driven
    ]
    switched = [x.name for x in loads if x.name and not isinstance(x, ls.Motion)]
    ways = ["lock"] * 3 * bool(lockable) + ["switch"] * 2 * bool(switched) + ["stop", "note"]
    way = str(rng.choice(ways))
    joint = str(rng.choice(lockable)) if lockable else ""
    action: dict[str, Callable[[], tuple[ls.Action, ...]]] = {
        "lock": lambda: (ls.Lock(joint),),
        "switch": lambda: (ls.Switch(str(rng.choice(switched)), False),),
        "stop": lambda: (ls.Stop(),),
        "note": lambda: (),
    }
    actions = action[way]()
    events: list[Callable[[float], ls.Event]] = []
    changes: list[Change] = []
    instant = float(duration * rng.uniform(0.1, 0.6))
    if single and rng.random() < 0.7:
        i = int(rng.choice(single))
        name, rate, direction = system.names[i], bool(rng.random() < 0.3), int(rng.integers(-1, 2))
        piece = system.layout.hinge_v(i) if rate else system.layout.hinge_q(i)
        entry = piece.start
        first = float(state.v[entry] if rate else state.q[entry])
        value = first + float(rng.choice([-1, 1]) * 10 ** rng.uniform(-2, 0))

        def watch(t: float, x: ls.State) -> float:
            return float((x.v if rate else x.q)[entry]) - value

        settings = {"value": value, "rate": rate, "direction": direction, "once": True}
        events.append(lambda begin: ls.Event(name, actions, **settings, name="first"))
        changes.append(Change(actions, watch=watch, direction=direction))
        words.append(f"{way} when {name} passes {value:.2g}{' per s' if rate else ''}")
    else:
        events.append(lambda begin: _at(begin + instant, actions, "first"))
        changes.append(Change(actions, instant=(start + instant) - start))
        words.append(f"{way} at {instant:.2g} s")
    if way == "lock" and rng.random() < 0.5:
        later = float(duration * rng.uniform(0.65, 0.9))
        events.append(lambda begin: _at(begin + later, (ls.Release(joint),), "second"))
        changes.append(Change((ls.Release(joint),), instant=(start + later) - start))
        words.append(f"release at {later:.2g} s")
    return events, changes


def _at(instant: float, actions: tuple[ls.Action, ...], name: str) -> ls.Event:
    return ls.Event(lambda t, state: t - instant, actions, once=True, name=name)


# Settings


def _settings(rng: np.random.Generator, duration: float, words: list[str]) -> dict[str, object]:
    settings: dict[str, object] = {}
    chance = rng.random()
    if chance < 0.2:
        settings["rtol"] = float(10 ** rng.uniform(-9.5, -4))
    elif chance < 0.3:
        settings["step"] = float(duration / round(10 ** rng.uniform(1.5, 3.5)))
    elif chance < 0.45:
        settings["integrator"] = str(rng.choice(ADAPTIVE))
        settings["rtol"] = float(10 ** rng.uniform(-9, -4))
        if settings["integrator"] in ("rosenbrock", "generalized_alpha"):  # of low order
            settings["rtol"] = float(10 ** rng.uniform(-6, -3))
    elif chance < 0.6:
        settings["integrator"] = str(rng.choice(FIXED))
        settings["step"] = float(duration / round(10 ** rng.uniform(2, 3.5)))
        settings["rtol"] = float(10 ** rng.uniform(-8, -4))
    if rng.random() < 0.3 and "step" not in settings:
        settings["output_step"] = duration / int(rng.integers(5, 200))
    words.append(f"{duration:.2g} s")
    return settings
