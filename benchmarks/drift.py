"""Drift of energy and angular momentum of a free flexible spacecraft for every integrator."""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np
import scipy.linalg

from lissom.algorithms import mass_matrix
from lissom.bodies import RigidBody
from lissom.errors import SimulationWarning
from lissom.joints import Free, Revolute, Spherical
from lissom.model import Model
from lissom.results import Trajectory
from lissom.sim import GeneralizedAlpha, simulate
from lissom.structures import CARBON, Tube, beam
from lissom.system import State, System

from .depth import Depth
from .result import Cell, Result, Table
from .timing import Progress

Array = np.ndarray

DURATION = {"quick": 0.4, "normal": 20.0, "full": 100.0}
ROWS = 100

# Energy of each of the two vibrations at the start [J].
VIBRATION = 1.0
ROUGH = 0.1  # fraction of the duration that is simulated from the rough start

# (method, setting, arguments of simulate)
WAYS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    *(
        (f"generalized_alpha, spectral radius {radius:g}", f"{1e3 * step:g} ms", options)
        for radius in (0.8, 1.0)
        for step in (1e-3, 5e-3, 2e-2)
        for options in [{"integrator": GeneralizedAlpha(radius), "step": step}]
    ),
    *(
        ("linearly_implicit_euler", f"{1e3 * step:g} ms", options)
        for step in (1e-3, 5e-3)
        for options in [{"integrator": "linearly_implicit_euler", "step": step}]
    ),
    ("rk4", "1 ms", {"integrator": "rk4", "step": 1e-3}),
    ("dop853", "rtol 1e-8", {"integrator": "dop853", "rtol": 1e-8}),
    ("dop853", "rtol 1e-10", {"integrator": "dop853", "rtol": 1e-10}),
)
EXACT = len(WAYS) - 1

ABOUT = """A free hub with an arm of two bending booms (7 m, six modes each, level `full`, no
damping) and a hand turns slowly, its joints free, and vibrates in its two lowest modes, at 9.3 and
16.4 Hz; its highest mode is at 293 Hz. No forces act on it, so its energy and its angular momentum
are constant. Their change over {duration:g} s is the drift of an integrator. Explicit methods that
resolve every vibration hardly drift. Implicit methods take steps that do not resolve the fast
vibrations; the smaller the spectral radius, the faster they dissipate the energy of these, and none
of them conserves momentum in large steps. *Vibration left* is the mean strain energy over the last
fifth of the run, as a fraction of that of the most accurate run.

That start is favourable for implicit methods. The second table has a rough start: each boom is
released from a deflection in its first mode, with the same energy, which excites all modes of the
system; the drift is much larger."""


def spacecraft(*, rough: bool = False) -> tuple[System, State]:
    """Hub with its arm, and its initial state: rotating and vibrating.

    Parameters
    ----------
    rough : bool
        Whether the vibrations start as deflections of single booms, which also excite the fastest
        modes, instead of speeds along the two lowest modes of the whole system.
    """
    tube = Tube(radius=0.165, thickness=0.004)
    boom = beam(7.0, tube, CARBON, modes=6, shapes="clamped", level="full", damping=0.0)
    model = Model("free arm")
    model.add(RigidBody(mass=400, inertia=(80, 90, 70)), Free(), name="hub")
    model.add(boom, Revolute("z"), to="hub", at=(0.8, 0, 0), name="upper")
    model.add(boom, Revolute("y"), to="upper.tip", name="lower")
    hand = RigidBody.cylinder(mass=25, radius=0.2, length=0.7)
    model.add(hand, Spherical(), to="lower.tip", name="hand")
    system = model.compile()
    turning: dict[str, Any] = {
        "upper": 0.3,
        "lower": -0.6,
        "hub.rates": (0.02, -0.03, 0.05, 0.0, 0.0, 0.0),
        "upper.rates": 0.02,
        "lower.rates": -0.03,
        "hand.rates": (0.1, 0.05, -0.05),
    }
    state = system.state(**turning)
    stiffness = np.zeros(system.n_v)
    for name, body in zip(system.names, system.bodies, strict=True):
        stiffness[system.layout.modal_v(name)] = body.stiffness
    if rough:
        q = state.q.copy()
        for name in ("upper", "lower"):
            piece = system.layout.modal_q(name)
            first = system.bodies[system.layout.index(name)].stiffness[0]
            q[piece.start] = math.sqrt(2 * VIBRATION / first)
        return system, state.replace(q=q)
    squares, shapes = scipy.linalg.eigh(np.diag(stiffness), mass_matrix(system, state))
    lowest = np.flatnonzero(squares > 1e-6 * squares[-1])[:2]
    # Shapes have unit modal mass: the kinetic energy of a speed along one is half its square.
    speeds = math.sqrt(2 * VIBRATION) * shapes[:, lowest].sum(axis=1)
    return system, state.replace(v=state.v + speeds)


def run(depth: Depth, progress: Progress) -> Result:
    """Drift of each integrator over the same motion.

    Parameters
    ----------
    depth : Depth
        Measurement depth, which sets the simulated time.
    progress : callable
        Called with the current activity.
    """
    duration = DURATION[depth.name]
    records = _records(*spacecraft(), duration, progress)
    rough = _records(*spacecraft(rough=True), ROUGH * duration, progress)
    return Result(
        name="drift",
        title="Drift of energy and momentum",
        about=ABOUT.format(duration=duration),
        tables=(
            _table(records, f"Relative drift over {duration:g} s"),
            _table(rough, f"Relative drift over {ROUGH * duration:g} s from a rough start"),
        ),
        records=records,
    )


def _records(
    system: System, state: State, duration: float, progress: Progress
) -> tuple[dict[str, Any], ...]:
    records = []
    for done, (method, setting, options) in enumerate(WAYS):
        progress(f"{method}, {setting}", done, len(WAYS))
        seconds, motion = _timed(system, state, duration, options)
        records.append(_record(method, setting, seconds / duration, motion))
    progress("drift", len(WAYS), len(WAYS))
    return tuple(records)


def _timed(
    system: System, state: State, duration: float, options: dict[str, Any]
) -> tuple[float, Trajectory]:
    """CPU seconds of a run, and the run, after a short warm-up run."""
    period = _output_step(duration)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        for length in (period, duration):
            begin = time.process_time()
            motion = simulate(
                system, state, duration=length, output_step=period, progress=False, **options
            )
    return time.process_time() - begin, motion


def _output_step(duration: float) -> float:
    """A multiple of every step, about a hundredth of the duration [s]."""
    return 0.02 * max(1, round(duration / ROWS / 0.02))


def _record(method: str, setting: str, cost: float, motion: Trajectory) -> dict[str, Any]:
    energy, momentum = motion.energy.total, motion.momentum()[:, :3]
    turned = np.linalg.norm(momentum - momentum[0], axis=1) / np.linalg.norm(momentum[0])
    last = max(1, len(motion.time) // 5)
    return {
        "method": method,
        "setting": setting,
        "seconds": cost,
        "status": motion.status,
        "steps": motion.statistics["steps"],
        "evaluations": motion.statistics["evaluations"],
        "time": _rounded(motion.time),
        "energy": _rounded((energy - energy[0]) / energy[0]),
        "momentum": _rounded(turned),
        "strain": float(motion.energy.strain[-last:].mean()),
    }


def _rounded(values: Array) -> list[float]:
    return [float(f"{x:.4g}") for x in values]


def _table(records: tuple[dict[str, Any], ...], title: str) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for r in records:
        rows.append(
            (
                r["method"],
                r["setting"] if r["status"] == "finished" else f"{r['setting']}, {r['status']}",
                1e3 * r["seconds"],
                f"{r['energy'][-1]:+.1e}",
                f"{max(map(abs, r['energy'])):.1e}",
                f"{max(r['momentum']):.1e}",
                r["strain"] / records[EXACT]["strain"],
            )
        )
    header = (
        "method",
        "steps",
        "ms for a simulated second",
        "energy, at the end",
        "energy, largest",
        "angular momentum, largest",
        "vibration left",
    )
    note = "Times are those of one run each and only indicative."
    return Table(title, header, tuple(rows), note)
