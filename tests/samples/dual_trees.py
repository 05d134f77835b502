"""Random trees in motion, and a serial chain, for the tests of the dual readings of dynamics."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import NamedTuple

import numpy as np

import lissom as ls
from lissom.papers.duality import optimal_control_dual, solve_lq
from tests.oracle.random_mechanism import draw
from tests.samples.random_trees import build, frame_names

TOLERANCE = 1e-10
SEEDS = range(14)
LEVELS = (None, "full", "linear")


class Case(NamedTuple):
    """A random tree in motion and what acts on it."""

    system: ls.System
    state: ls.State
    forces: np.ndarray
    external: dict
    armature: np.ndarray
    coverage: Counter

    @property
    def weight(self):
        """Square roots of the mass matrix's diagonal, in which accelerations are compared."""
        return np.sqrt(np.diag(ls.mass_matrix(self.system, self.state)))


@cache
def case(seed: int) -> Case:
    """The seed's first mechanism whose mass matrix has a condition number of at most 1e6."""
    for attempt in range(20):
        description = draw(seed, attempt)
        try:
            tree = build(description, LEVELS[seed % 3])
        except ls.ModelError:
            continue
        state = tree.state(*description.state(tree.transforms))
        if np.linalg.cond(ls.mass_matrix(tree.system, state)) < 1e6:
            break
    names = frame_names(description)
    return Case(
        tree.system,
        state,
        tree.to_lissom(description.forces),
        {names[key]: wrench for key, wrench in description.external.items()},
        tree.to_lissom(description.armature),
        description.coverage,
    )


@cache
def solved(seed: int):
    """(problem, solution) of the seed's dual."""
    c = case(seed)
    problem = optimal_control_dual(c.system, c.state, c.forces, external=c.external)
    return problem, solve_lq(problem)


def largest(values) -> float:
    """Largest absolute entry; zero of nothing."""
    return float(np.max(np.abs(values), initial=0.0))


def serial_chain() -> ls.System:
    """Rigid and flexible bodies in series."""
    section = ls.Rectangle(width=0.02, height=0.03)
    boom = ls.beam(1.5, section, ls.ALUMINIUM, bending=(2, 1), torsion=0, stretch=0, damping=0.02)
    hub = ls.RigidBody.box(4.0, (1, 1.2, 0.8), com=(0.1, 0, 0.05))
    hand = ls.RigidBody.sphere(0.5, 0.1, com=(0.1, 0.1, 0))
    model = ls.Model("chain", gravity=(1.0, -2.0, -9.0))
    model.add(hub, ls.Spherical(), name="hub")
    model.add(boom, ls.Revolute((0, 1, 1)), to="hub", at=(0.5, 0, 0), name="upper")
    model.add(boom, ls.Universal("x", "y"), to="upper.tip", name="lower")
    model.add(hand, ls.Revolute("z"), to="lower.tip", name="hand")
    return model.compile()
