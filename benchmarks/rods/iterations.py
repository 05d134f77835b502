"""Iterations of the generalised-α method in a step, for rods that bend, turn and are pulled."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.bodies import RigidBody, Rod
from lissom.errors import SimulationWarning
from lissom.joints import Fixed, Free, Revolute, Spherical
from lissom.model import Model
from lissom.sim import GeneralizedAlpha, Load, Motion, simulate
from lissom.system import State, System

from ..result import Cell, Table
from .motions import EARTH

METHOD = GeneralizedAlpha(spectral_radius=0.9, tolerance=1e-10)


@dataclass(frozen=True)
class Trial:
    """A run at several steps.

    Parameters
    ----------
    name : str
        For tables.
    system, state, loads, duration
        As for `simulate`.
    steps : tuple of float
        Steps [s].
    """

    name: str
    system: System
    state: State | None
    loads: Sequence[Load]
    duration: float
    steps: tuple[float, ...]


def trials() -> list[Trial]:
    """All runs."""
    return [
        spin_up(),
        pendulum("stiff pendulum, 25 Hz", 1996.0),
        pendulum("soft pendulum, ρAgL³/EI = 9.81", 1.0),
        hanging_mass(),
        satellites(),
    ]


def planar_rod(length: float, bending: float, mass: float) -> Rod:
    """Rod that bends in one plane, without stretch, shear and rotary inertia."""
    section = (bending,) * 3 + (1.0,) * 3
    return Rod(length, section, mass, (0.0,) * 3, bending=(4, 0), torsion=0, stretch=0, damping=0.0)


def spin_up(turn: float = 6.0, time: float = 12.0) -> Trial:
    """Boom of 8 m whose root is spun up beyond its first frequency."""
    model = Model("boom")
    model.add(planar_rod(8.0, 1e4, 1.0), Revolute("z"), name="rod")

    def acceleration(t: float) -> float:
        return float(turn / time * (1 - np.cos(2 * np.pi * t / time))) if t < time else 0.0

    given = Motion("rod", acceleration=acceleration)
    return Trial("spin-up", model.compile(), None, [given], time, (0.005, 0.01, 0.02))


def pendulum(name: str, bending: float) -> Trial:
    """Rod of 1 m and 1 kg on a pin, let go from the horizontal."""
    model = Model("pendulum", gravity=EARTH)
    model.add(planar_rod(1.0, bending, 1.0), Revolute("z"), name="rod")
    return Trial(name, model.compile(), None, [], 1.0, (0.001, 0.005, 0.01))


def hanging_mass() -> Trial:
    """Mass of 1 kg at the end of a soft rod of 0.1 kg on a pin, let go from the horizontal."""
    model = Model("tension", gravity=EARTH)
    model.add(planar_rod(1.0, 0.01, 0.1), Revolute("z"), name="rod")
    model.add(RigidBody.sphere(1.0, 0.02), Fixed(), to="rod.tip", name="mass")
    name = "soft rod under tension, 1 kg on 0.1 kg"
    return Trial(name, model.compile(), None, [], 1.0, (0.002, 0.005, 0.01))


def satellites(turn: float = 1.0, length: float = 10.0) -> Trial:
    """Two free bodies of 50 kg on a cable of 0.1 kg that turn about each other."""
    cable = Rod(
        length, (1e-3, 1e-3, 1e-3, 1e4, 1.0, 1.0), 0.01, (1e-7,) * 3, torsion=1, damping=0.01
    )
    model = Model("satellites")
    cube: Any = RigidBody.box(50.0, (1.0, 1.0, 1.0))
    model.add(cube, Free(), name="first")
    model.add(cable, Spherical(), to="first", at=(0.5, 0, 0), name="cable")
    model.add(cube, Fixed(), to="cable.tip", at=(0.5, 0, 0), name="second")
    system = model.compile()
    speeds = np.zeros(system.n_v)
    # The bodies turn about their common centre; the cable begins straight and slack.
    speeds[system.layout.hinge_v("first")] = (0, 0, turn, 0, -turn * (length + 1) / 2, 0)
    state = system.state(system.neutral().q, speeds)
    return Trial("two satellites on a cable", system, state, [], 5.0, (0.01,))


def iterations(trial: Trial, step: float) -> tuple[float, int]:
    """Mean number of iterations in a step, and the number of steps that had to be divided.

    Parameters
    ----------
    trial : Trial
        What is run.
    step : float
        Fixed step [s].
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        run = simulate(
            trial.system,
            trial.state,
            duration=trial.duration,
            step=step,
            output_step=trial.duration / 10,
            integrator=METHOD,
            loads=trial.loads,
            progress=False,
        )
    if run.status != "finished":
        return np.inf, 0
    found = run.statistics
    return found["iterations"] / found["steps"], int(found["divided_steps"])


def iteration_table(quick: bool) -> tuple[Table, list[dict[str, Any]]]:
    """Table of all runs, and its records.

    Parameters
    ----------
    quick : bool
        Whether only the pendulums are run.
    """
    records: list[dict[str, Any]] = []
    for trial in trials()[1:3] if quick else trials():
        for step in trial.steps:
            mean, divided = iterations(trial, step)
            records.append(
                {"what": "iterations", "trial": trial.name, "step": step, "iterations": mean}
                | {"divided": divided}
            )
    rows: list[tuple[Cell, ...]] = [
        (r["trial"], f"{1e3 * r['step']:g}", r["iterations"], r["divided"]) for r in records
    ]
    note = (
        "Each iteration is one forward dynamics with armature. The iteration ends when the error "
        "left in the accelerations is a thousandth of their change in the step. The first four "
        "are rods with four functions in one plane, without stretch; the cable has the default "
        "functions and begins straight and slack, so that it snaps taut."
    )
    header = ("motion", "step [ms]", "iterations a step", "divided steps")
    return Table("Iterations of generalized_alpha", header, tuple(rows), note), records
