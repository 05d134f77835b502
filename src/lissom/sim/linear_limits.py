"""Whether flexible bodies stay where a model that is linear in their deflection is right.

Three looks, at some rows of a run or at a state at rest: forces that pull or press along a body
(see `tension`), and deflections.  The deflection of a cantilever under a force at its tip is off by
(d/L)^2, a per cent at a tenth of its length; its tip then comes nearer by 0.6 (d/L)^2 of the
length, which is left out.  Source: K. E. Bisshopp, D. C. Drucker, Quart. Appl. Math. 3, 1945, whose
elastica the tests solve again.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from ..algorithms import engine
from ..algorithms.engine import RowError
from ..errors import SimulationWarning
from ..results.quantities import Block, wrenches_within
from ..results.trajectory import Trajectory
from ..system import System
from .tension import axial_forces, axial_scale, euler_load, supports

__all__ = ["warn_at_rest", "warn_of_limits"]

Array = np.ndarray

AXIAL = 0.1  # part of what a body bears from which it is pulled or pressed too much
DEFLECTION = 0.1  # part of its length
ROOT = 1.5  # how much more than the whole the first part of a cantilever bends, for its length
ROWS, DEFLECTED_ROWS = 12, 400  # of a run that are looked at


def warn_of_limits(run: Trajectory, stacklevel: int) -> None:
    """Warn of the worst body that is pulled, pressed or bent too much.

    Parameters
    ----------
    run : Trajectory
        Motion; some of its rows are looked at.
    stacklevel : int
        Of the warning.
    """
    look = _Look(run.system)
    if not look.bodies or not run.n:
        return
    with np.errstate(all="ignore"):  # a run may end in nonsense, which is said elsewhere
        for k in _spread(run.n, ROWS):
            block, time = Block(run.store, k, k + 1), float(run.time[k])
            with suppress(RowError):
                places, wrenches = wrenches_within(run.system, block)
                q, v, a = (block[field] for field in ("q", "v", "acceleration"))
                look.forces(q, v, a, places, wrenches, f"t = {time:.4g} s")
        rows = _spread(run.n, DEFLECTED_ROWS)
        q = np.concatenate([run.store.read("q", k, k + 1) for k in rows])
        look.deflections(q, lambda k: f"t = {float(run.time[rows[k]]):.4g} s")
    look.warn(stacklevel + 1)


def warn_at_rest(
    system: System, q: Array, loads: Sequence[tuple[int, int, Array]], stacklevel: int
) -> None:
    """The same for a state at rest.

    Parameters
    ----------
    system : System
        The mechanism.
    q : array (n_q,)
        Coordinates.
    loads : sequence of (int, int, array (6,))
        Bodies and nodes that loads and loops act on, with moments and forces, node axes.
    stacklevel : int
        Of the warning.
    """
    look, rest = _Look(system), np.zeros((1, system.n_v))
    if not look.bodies:
        return
    places = [(body, node) for body, node, _ in loads]
    wrenches = np.array([wrench for *_, wrench in loads]).reshape(1, -1)
    with suppress(RowError):
        look.forces(q[None], rest, rest, places, wrenches, "at rest")
    look.deflections(q[None], lambda k: "at rest")
    look.warn(stacklevel + 1)


def _spread(n: int, most: int) -> Array:
    return np.unique(np.linspace(0, n - 1, most).astype(int))


class _Look:
    """The largest of each measure so far, for every flexible body."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.bodies = [i for i, body in enumerate(system.bodies) if body.n_mode]
        # Chains have one body many times.
        scales: dict[int, tuple[float, Array]] = {}
        loads: dict[tuple[int, int], float] = {}
        self.scale, self.euler = np.zeros((2, len(self.bodies)))
        self.along = np.zeros((len(self.bodies), 3))
        held = supports(system) if self.bodies else []
        for j, i in enumerate(self.bodies):
            body, ends = system.bodies[i], held[i]
            if id(body) not in scales:
                scales[id(body)] = axial_scale(body)
            if (id(body), ends) not in loads:
                loads[id(body), ends] = euler_load(body, ends)
            self.scale[j], self.along[j] = scales[id(body)]
            self.euler[j] = loads[id(body), ends]
        # pulled, pressed, bent: part of what is borne, its size, and when
        self.part, self.size = np.zeros((2, 3, len(self.bodies)))
        self.when = [[""] * len(self.bodies) for _ in range(3)]

    def forces(
        self,
        q: Array,
        v: Array,
        a: Array,
        places: Sequence[tuple[int, int]],
        wrenches: Array,
        when: str,
    ) -> None:
        """Take in the forces along all bodies at one state."""
        system = self.system
        reactions = engine.joint_forces_rows(system, q, v, a, places, wrenches)[0]
        given = (system, q[0], reactions, self.bodies, self.along, places, wrenches.reshape(-1, 6))
        N = axial_forces(*given)
        self._take(0, np.maximum(N, 0) / self.scale, N, [when] * len(N))
        self._take(1, np.maximum(-N, 0) / self.euler, -N, [when] * len(N))

    def deflections(self, q: Array, when: Callable[[int], str]) -> None:
        """Take in the deflections of all bodies at some states (n, n_q)."""
        part, size = np.zeros((2, len(self.bodies)))
        row = np.zeros(len(self.bodies), dtype=int)
        for j, i in enumerate(self.bodies):
            body = self.system.bodies[i]
            length = float(np.linalg.norm(body.node_positions, axis=1).max(initial=0.0))
            if not length:
                continue
            modal = q[:, self.system.layout.modal_q(i)]
            # no node can move by more than all modes together
            most = np.abs(modal) @ np.linalg.norm(body.node_shapes[:, 3:], axis=1).max(axis=0)
            for k in np.flatnonzero(most > DEFLECTION * length):
                moved = float(np.linalg.norm(body.node_shapes[:, 3:] @ modal[k], axis=1).max())
                if moved > size[j]:
                    part[j], size[j], row[j] = moved / length, moved, k
        self._take(2, part, size, [when(k) for k in row])

    def _take(self, kind: int, part: Array, size: Array, when: Sequence[str]) -> None:
        for j in map(int, np.flatnonzero(np.isfinite(part) & (part > self.part[kind]))):
            self.part[kind, j], self.size[kind, j] = part[j], size[j]
            self.when[kind][j] = when[j]

    def warn(self, stacklevel: int) -> None:
        """One warning for each measure, with the worst body."""
        for kind, bound in enumerate((AXIAL, AXIAL, DEFLECTION)):
            part = self.part[kind]
            others = int(np.sum(part > bound)) - 1
            if others < 0:
                continue
            j = int(np.argmax(part))
            more = f" ({others} other {'body' if others == 1 else 'bodies'} too)" if others else ""
            text = self._message(kind, j, float(part[j]), float(self.size[kind, j]))
            warnings.warn(f"{text}{more}", SimulationWarning, stacklevel + 1)

    def _message(self, kind: int, j: int, part: float, size: float) -> str:
        name, when = repr(self.system.names[self.bodies[j]]), self.when[kind][j]
        level = repr(self.system.bodies[self.bodies[j]].level)
        if kind == 2:
            return (
                f"body {name} deflects by {size:.3g} m, {100 * part:.3g} % of its length ({when}); "
                f"level {level} is linear in the deflection: off by about a per cent at 10 %, and "
                "more with the square of it; divide the body into "
                f"{math.ceil(ROOT * part / DEFLECTION)} or more in a row"
            )
        parts = math.ceil(math.sqrt(part / AXIAL))
        if kind == 0:
            return (
                f"body {name} is pulled along its length with {size:.3g} N ({when}), {part:.2g} of "
                f"what its bending stiffness stands for ({self.scale[j]:.3g} N); how such a force "
                f"stiffens a link is not in level {level}: bending is off by about this part, and "
                f"from 1 on the motion can be nonsense; divide the body into {parts} or more in a "
                "row"
            )
        return (
            f"body {name} is pressed along its length with {size:.3g} N ({when}), {part:.2g} of "
            f"its Euler load ({self.euler[j]:.3g} N); how such a force softens a link is not in "
            f"level {level}: bending is off by about this part, and from 1 on the link would "
            f"buckle and does not here; divide the body into {parts} or more in a row"
        )
