"""Random mechanisms, loads and settings; the default run of each beside a converged one.

The converged run knows what the default one must find out: it is restarted at the corners of all
functions, has the derivatives of given motions, and keeps a tolerance of 1e-12.  A third run,
started one tolerance away, shows how much the motion itself makes of a small error.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

import lissom as ls
from lissom.algorithms.tree.coordinates import error_sizes, moved

ALLOWED = 10.0  # times the tolerance, or the spread of a run that started one tolerance away
TIGHT = 1e-12
PATIENCE = 60.0  # seconds on the wall for each run


class TooLong(RuntimeError):
    """The converged run took too long: there is nothing to compare with."""


@dataclass
class Case:
    """One drawing."""

    number: int
    system: ls.System
    state: ls.State
    loads: list[ls.sim.Load]
    exact: dict[ls.sim.Load, ls.sim.Load]  # what the converged run takes in the place of a load
    corners: list[float]
    duration: float
    settings: dict[str, float]
    words: list[str] = field(default_factory=list)

    @property
    def rtol(self) -> float:
        """Tolerance that the user may expect."""
        return self.settings.get("rtol", 1e-8)


@dataclass(frozen=True)
class Verdict:
    """What became of the default run."""

    case: Case
    error: float
    allowed: float
    told: str  # warning or error; empty: none
    steps: int

    @property
    def honest(self) -> bool:
        """Whether the run is right, or said that it may not be."""
        return self.error <= self.allowed or bool(self.told)

    def __str__(self) -> str:
        case = self.case
        return (
            f"{case.number}: error {self.error:.2e} of {self.allowed:.2e} allowed, {self.steps} "
            f"steps, {self.told[:60] or 'not told'}; {', '.join(case.words)}; {case.settings}"
        )


def draw(number: int) -> Case:
    """Case of a number."""
    rng = np.random.default_rng([20261116, number])
    words: list[str] = []
    system = _mechanism(rng, words)
    duration = float(10 ** rng.uniform(-0.7, 0.5))
    loads, exact, corners, state = _loads(rng, system, duration, words)
    settings = _settings(rng, duration, words)
    return Case(number, system, state, loads, exact, corners, duration, settings, words)


def judged(case: Case) -> Verdict:
    """The default run against the converged one."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = ls.simulate(
                case.system,
                case.state,
                duration=case.duration,
                loads=case.loads,
                time_limit=PATIENCE,
                **case.settings,
            )
        told = "; ".join(str(w.message) for w in caught)
        steps = run.statistics["steps"]
    except ls.LissomError as error:
        return Verdict(case, np.inf, 0.0, f"refused: {error}", 0)
    if told or run.status != "finished":
        return Verdict(case, np.inf, 0.0, told or f"ended: {run.message}", steps)
    exact = _converged(case, case.state)
    sizes = error_sizes(case.system)
    rng = np.random.default_rng(case.number)
    away = case.rtol * rng.choice([-1.0, 1.0], size=(2, case.system.n_v))
    free = _free(case)
    shifted = moved(case.system, case.state.q, away[0] * sizes[0] * free)
    other = case.system.state(shifted, case.state.v + away[1] * sizes[1] * free)
    spread = _distance(case.system, _converged(case, other), exact)
    allowed = ALLOWED * max(case.rtol, spread)
    error = _distance(case.system, run.state(run.time[-1]), exact)
    return Verdict(case, error, allowed, told, steps)


def _free(case: Case) -> np.ndarray:
    """Speeds that no motion drives (n_v,)."""
    free = np.ones(case.system.n_v)
    for load in case.loads:
        if isinstance(load, ls.Motion):
            free[case.system.layout.hinge_v(load.joint)] = 0.0
    return free


def _converged(case: Case, state: ls.State) -> ls.State:
    """State at the end by a run that is restarted at all corners."""
    instants = [0.0, *sorted(t for t in case.corners if 0 < t < case.duration), case.duration]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for begin, end in pairwise(instants):
            if end - begin < 1e-12:
                continue
            run = ls.simulate(
                case.system,
                state,
                start=begin,
                duration=end - begin,
                loads=[case.exact.get(load, load) for load in case.loads],
                integrator="dop853",
                rtol=TIGHT,
                time_limit=PATIENCE,
            )
            if run.status == "time limit":
                raise TooLong(f"case {case.number}: the converged run: {run.message}")
            if run.status != "finished":
                raise RuntimeError(f"case {case.number}: the converged run: {run.message}")
            state = run.state(run.time[-1])
    return state


def _distance(system: ls.System, a: ls.State, b: ls.State) -> float:
    """Largest difference of two states as tolerances measure it."""
    position, rate = error_sizes(system)
    worst = np.max(np.abs(a.v - b.v) / (rate + np.abs(b.v)), initial=0.0)
    layout = system.layout
    for i, joint in enumerate(system.joints):
        modal = np.abs(a.q - b.q)[layout.modal_q(i)] / position[layout.modal_v(i)]
        x, y = a.q[layout.hinge_q(i)], b.q[layout.hinge_q(i)]
        if joint.has_quaternion and x[:4] @ y[:4] < 0:
            y = np.concatenate([-y[:4], y[4:]])
        worst = max(worst, np.max(modal, initial=0.0))
        worst = max(worst, np.max(np.abs(x - y), initial=0.0) / max(1.0, system.length))
    return float(worst)


# Drawing


def _mechanism(rng: np.random.Generator, words: list[str]) -> ls.System:
    gravity = (0, 0, -9.81) if rng.random() < 0.6 else (0, 0, 0)
    model = ls.Model("drawn", gravity=gravity)
    parent, count = "", int(rng.integers(1, 4))
    for k in range(count):
        length = float(rng.uniform(0.5, 3.0))
        if rng.random() < 0.45:
            section = ls.Tube(radius=length * 10 ** rng.uniform(-2.0, -1.2), thickness=0.003)
            shapes = int(rng.integers(1, 5))
            body = ls.beam(
                length,
                section,
                ls.ALUMINIUM,
                bending=(shapes - shapes // 2, shapes // 2),
                torsion=0,
                stretch=0,
                damping=float(rng.choice([0.0, 0.005])),
            )
            kind, node = "beam", ".tip"
        else:
            mass = float(10 ** rng.uniform(-1, 1.5))
            body = ls.RigidBody.box(mass, (length, 0.2, 0.3), com=(length / 2, 0, 0))
            kind, node = "box", ""
        joint = _joint(rng, first=k == 0)
        place = {"to": parent, "at": (0, 0, 0)} if parent else {}
        if parent and not parent.endswith(".tip"):
            place["at"] = (float(rng.uniform(0.5, 2.0)), 0, 0)
        name = f"b{k}"
        model.add(body, joint, name=name, **place)
        words.append(f"{kind} on {type(joint).__name__.lower()}")
        parent = name + node
    return model.compile()


def _joint(rng: np.random.Generator, *, first: bool) -> ls.Joint:
    kinds: list[Callable[[], ls.Joint]] = [
        lambda: ls.Revolute("y"),
        lambda: ls.Revolute("z"),
        lambda: ls.Prismatic("z"),
        lambda: ls.Spherical(),
        lambda: ls.Universal("y", "z"),
    ]
    kinds += [lambda: ls.Free(), lambda: ls.Revolute("y")] if first else [lambda: ls.Fixed()]
    return kinds[int(rng.integers(len(kinds)))]()


def _loads(
    rng: np.random.Generator, system: ls.System, duration: float, words: list[str]
) -> tuple[list[ls.sim.Load], dict[ls.sim.Load, ls.sim.Load], list[float], ls.State]:
    loads: list[ls.sim.Load] = []
    exact: dict[ls.sim.Load, ls.sim.Load] = {}
    corners: list[float] = []
    joints = [i for i, joint in enumerate(system.joints) if joint.n_v]
    v = rng.normal(size=system.n_v) * rng.choice([0.0, 0.3])
    for i in range(system.n_body):
        v[system.layout.modal_v(i)] = 0.0
    q = moved(system, system.neutral().q, rng.normal(size=system.n_v) * _shifts(system, rng))
    driven = -1
    for i in joints:
        name, n = system.names[i], system.joints[i].n_v
        chance = rng.random()
        if chance < 0.3:
            stiffness = float(10 ** rng.uniform(0, 6))
            loads.append(
                ls.JointSpring(name, stiffness, damping=float(rng.choice([0, 1e-3])) * stiffness)
            )
            words.append(f"spring {stiffness:.1g} on {name}")
        elif chance < 0.4:
            loads.append(ls.JointDamper(name, float(10 ** rng.uniform(-1, 3))))
            words.append(f"damper on {name}")
        if rng.random() < 0.4:
            size = float(10 ** rng.uniform(-1, 2))
            signal, more, word = _signal(rng, duration, size, n)
            loads.append(ls.Actuator(name, signal))
            corners += more
            words.append(f"{word} on {name}")
        elif n == 1 and driven < 0 and rng.random() < 0.2:
            driven = i
            hertz, size = float(10 ** rng.uniform(-1, 2)), float(10 ** rng.uniform(-3, -1))
            w = 2 * np.pi * hertz
            loads.append(ls.Motion(name, lambda t, w=w, size=size: size * np.sin(w * t)))
            exact[loads[-1]] = ls.Motion(
                name,
                loads[-1].position,
                velocity=lambda t, w=w, size=size: size * w * np.cos(w * t),
                acceleration=lambda t, w=w, size=size: -size * w * w * np.sin(w * t),
            )
            q[system.layout.hinge_q(i)], v[system.layout.hinge_v(i)] = 0.0, size * w
            words.append(f"motion {hertz:.2g} Hz on {name}")
    if rng.random() < 0.4:
        i = int(rng.integers(system.n_body))
        names = list(getattr(system.bodies[i], "node_names", {}))
        where = f"{system.names[i]}.{names[-1]}" if names else system.names[i]
        signal, more, word = _signal(rng, duration, float(10 ** rng.uniform(0, 2)), 3)
        loads.append(ls.NodeForce(where, signal))
        corners += more
        words.append(f"{word} at {where}")
    return loads, exact, corners, system.state(q, v)


def _shifts(system: ls.System, rng: np.random.Generator) -> np.ndarray:
    shifts = np.full(system.n_v, float(rng.choice([0.0, 0.3])))
    for i in range(system.n_body):
        shifts[system.layout.modal_v(i)] = 0.0
    return shifts


def _signal(
    rng: np.random.Generator, duration: float, size: float, n: int
) -> tuple[object, list[float], str]:
    """Function of time or table of n numbers, its corners, and a word for it."""
    way = rng.normal(size=n)
    way *= size / np.linalg.norm(way)
    begin = float(rng.uniform(0.05, 0.8) * duration)
    width = float(duration * 10 ** rng.uniform(-2.8, -0.7))
    kind = str(rng.choice(["pulse", "step", "sine", "bump", "ramps", "smooth table"]))
    if kind == "pulse":
        return (lambda t: way * (begin <= t < begin + width)), [begin, begin + width], kind
    if kind == "step":
        return (lambda t: way * (t >= begin)), [begin], kind
    if kind == "sine":
        w = float(2 * np.pi * 10 ** rng.uniform(-1, 2) / duration)
        return (lambda t: way * np.sin(w * t)), [], kind
    if kind == "bump":
        return (lambda t: way * np.exp(-(((t - begin) / (0.3 * width)) ** 2))), [begin], kind
    times = begin + 0.25 * width * np.arange(5)
    values = np.array([0.0, 0.5, 1.0, 0.5, 0.0])[:, None] * way
    values = values[:, 0] if n == 1 else values
    return ls.Table(times, values, "linear" if kind == "ramps" else "smooth"), [], kind


def _settings(rng: np.random.Generator, duration: float, words: list[str]) -> dict[str, float]:
    settings: dict[str, float] = {}
    chance = rng.random()
    if chance < 0.25:
        settings["rtol"] = float(10 ** rng.uniform(-9.5, -4))
    elif chance < 0.4:
        settings["step"] = float(duration / round(10 ** rng.uniform(1.5, 3.5)))
    if rng.random() < 0.3 and "step" not in settings:
        settings["output_step"] = duration / int(rng.integers(5, 200))
    words.append(f"{duration:.2g} s")
    return settings
