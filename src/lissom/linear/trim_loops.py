"""Steady motions of mechanisms with loops and couplings.

Unknown are the motions y that loops and held joints leave free (`tangent`), and asked speeds w of
them.  With a the accelerations under loads and holding forces,
  a + [a_y, a_w] [y; w] = 0,  with least norm in units of the coordinates' sizes               (1)
The loops are closed again after each step, and dependent speeds follow the independent ones.  Where
loops move with changing ratios, constant speeds would open them: that is no steady motion.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.linalg import qr

from ..algorithms.loops.assembly import closed_with_warning
from ..algorithms.loops.checks import check_closed
from ..algorithms.loops.closure import Closure
from ..algorithms.tree.coordinates import error_sizes, moved
from ..errors import ModelWarning, SingularError, StateError
from ..system import State, System
from .tangent import Tangent, kept_motions, relative_rates, tangent

Array = np.ndarray

MOST_STEPS = 100
LONGEST = 0.3  # step, relative to the sizes of the coordinates
SMALL = 1e-11  # step after which the search ends
ROUNDING = 1e-6  # step below which it may not become smaller any more
BALANCED = 1e-8  # acceleration left, in the units of `paces`
STEADY = 1e-6  # acceleration of dependent speeds and change of forces along the motion, relative
AHEAD = (0.4, 1.3)  # where the motion is looked at: largest motion, relative to the sizes
RANK = 1e-10  # singular values of (1) below this, relative, belong to motions that change nothing


class LoopSearch:
    """Newton's method (1)."""

    def __init__(
        self,
        system: System,
        options: dict[str, Any],
        held: list[str],
        fixed: list[str],
        speeds: list[str],
    ) -> None:
        self.system, self.options = system, options
        self.held, self.fixed, self.speeds = held, fixed, speeds
        self.size, self.pace = error_sizes(system)

    def run(self, start: State) -> tuple[Tangent, int]:
        """Tangent of the steady motion, and the number of steps."""
        state, words = self.closed(start.raw_q, start.raw_v)
        if words:
            warnings.warn(words, ModelWarning, stacklevel=3)
        longest = before = np.inf
        for count in range(1, MOST_STEPS + 1):
            equations = self.tangent(state)
            left = equations.vdot[equations.independent] / self.size[equations.independent]
            still = longest <= SMALL or (longest <= ROUNDING and longest > 0.5 * before)
            if still and np.abs(left).max(initial=0.0) <= BALANCED * self.rate(equations):
                self.check_steady(equations)
                return equations, count
            step, speed = self.step(equations)
            most = np.maximum(self.pace, np.abs(state.v))
            change = np.concatenate([step / self.size, speed / most])
            before, longest = longest, float(np.abs(change).max(initial=0.0))
            factor = min(1.0, LONGEST / max(longest, 1e-300))
            q = moved(self.system, state.raw_q, factor * step)
            state = self.closed(q, state.raw_v + factor * speed)[0]
        k = equations.independent[int(np.argmax(np.abs(left)))]
        owner = self.system.layout.owner_v(k)
        raise SingularError(
            f"no steady motion found in {MOST_STEPS} steps: {owner} still accelerates by "
            f"{equations.vdot[k]:.3g}; start nearer to it (state=), hold a joint (held=), or let a "
            "speed be found (speeds=)",
            body=owner.rpartition("body ")[2].strip("'"),
        )

    def closed(self, q: Array, v: Array) -> tuple[State, str]:
        """State near q with closed loops; dependent speeds follow the independent ones.

        Also which bodies had to give way, in words.
        """
        system, held = self.system, [*self.held, *self.fixed]
        at_rest = State(system, q, np.zeros_like(v))
        near, words = closed_with_warning(system, at_rest, held=held, velocity=False)
        closure = Closure(system, near)
        v = closure.basis @ v[list(closure.independent.indices)]
        return State(system, near.raw_q, v), words

    def tangent(self, state: State, later: float = 0.0) -> Tangent:
        """Equations of motion about a state, with loads as they are some seconds later."""
        options = {**self.options, "time": self.options["time"] + later}
        equations = tangent(self.system, state, held=self.held, what="trim", **options)
        check_no_motion(equations)
        return equations

    def rate(self, equations: Tangent) -> float:
        """Accelerations that count as large, in sizes of the coordinates [1/s^2]."""
        system = self.system
        spin = relative_rates(equations.state).max(initial=0.0)
        by_loads = np.abs(equations.loads.forces * self.size).max(initial=0.0)
        inertia = np.diag(equations.mass) * self.size**2
        fall = float(np.linalg.norm(system.gravity)) / system.length
        return float(fall + spin**2 + by_loads / max(inertia.max(initial=0.0), 1e-300)) or 1.0

    def step(self, equations: Tangent) -> tuple[Array, Array]:
        """Solution (1) of least norm, as deviations of configuration and speeds."""
        independent, (y, w, _, _) = equations.independent, equations.slices
        units, chosen = self.size[independent], self.adjusted(equations)
        fixed = equations.motions[self.rows(self.fixed)]
        N, _, left = kept_motions(fixed, np.zeros_like(fixed), units)
        N = N * units[left]
        B = np.eye(len(independent))[:, chosen] * self.pace[independent[chosen]]
        slopes = equations.acceleration[independent] / units[:, None]
        A = np.hstack([slopes[:, y] @ N, slopes[:, w] @ B])
        x = np.linalg.lstsq(A, -equations.vdot[independent] / units, rcond=RANK)[0]
        by_y, by_w = N @ x[: len(left)], B @ x[len(left) :]
        return equations.motions @ by_y, equations.motions @ by_w + equations.speeds @ by_y

    def rows(self, names: list[str]) -> Array:
        """Speeds of joints."""
        layout, mask = self.system.layout, np.zeros(self.system.n_v, dtype=bool)
        for name in names:
            mask[layout.hinge_v(name)] = True
        return np.flatnonzero(mask)

    def adjusted(self, equations: Tangent) -> Array:
        """Which of the independent speeds are found.

        The speeds of the given joints take the place of these; all others must be functions of
        either the given joints or the rest.
        """
        independent, units, rows = (
            equations.independent,
            self.size[equations.independent],
            self.rows(self.speeds),
        )
        asked_motions = equations.motions[rows]
        if not len(rows) or not len(independent):
            return np.arange(0)
        _, _, left = kept_motions(asked_motions, np.zeros_like(asked_motions), units)
        chosen = np.setdiff1d(np.arange(len(independent)), left)
        lead = qr((asked_motions[:, chosen] * units[chosen]).T, pivoting=True, mode="r")[1][
            : len(chosen)
        ]
        basis = np.vstack([asked_motions[lead], np.eye(len(independent))[left]])
        motions = np.abs(np.linalg.solve(basis.T, equations.motions.T).T)
        moves = motions > RANK * motions.max(initial=0.0)
        mixed = moves[:, : len(lead)].any(axis=1) & moves[:, len(lead) :].any(axis=1)
        mixed[rows] = False
        if np.any(mixed):
            owner = self.system.layout.owner_v(int(np.flatnonzero(mixed)[0]))
            raise StateError(
                f"trim: speeds: {self.speeds} and the other speeds of the state determine "
                f"{owner} together, through a loop or coupling; give its joint to speeds, too"
            )
        return chosen

    def check_steady(self, equations: Tangent) -> None:
        """Refuse a motion along which speeds or forces change."""
        state, rate = equations.state, self.rate(equations)
        self.compare(equations, equations, rate)
        for later in times_ahead(state):
            q = moved(self.system, state.raw_q, later * state.raw_v)
            try:
                check_closed(self.system, q, state.raw_v)
            except StateError as error:
                raise SingularError(
                    f"the motion is not steady: with constant speeds, after a while, {error}"
                ) from None
            self.compare(equations, self.tangent(State(self.system, q, state.raw_v), later), rate)

    def compare(self, equations: Tangent, ahead: Tangent, rate: float) -> None:
        """Refuse accelerations ahead, and holding forces that differ there."""
        a = np.abs(ahead.vdot / self.size) / rate
        f = np.abs((holding(ahead) - holding(equations)) * self.size)
        f /= max(float((np.diag(equations.mass) * self.size**2).max(initial=0.0)) * rate, 1e-300)
        for values, what in ((a, "accelerates"), (f, "needs another force")):
            if np.any(values > STEADY):
                k, owner = int(np.argmax(values)), self.system.layout.owner_v
                moving = int(np.argmax(np.abs(equations.state.v / self.size)))
                raise SingularError(
                    f"the motion is not steady: as {owner(moving)} moves, {owner(k)} {what}; "
                    "steady are motions about an axis of symmetry, such as a spin about the "
                    "direction of gravity, and loops that do not move within"
                )


def times_ahead(state: State) -> list[float]:
    """Times [s] after which a motion is looked at again, by its fastest speed and its turning."""
    rates = np.abs(state.raw_v / error_sizes(state.system)[0]), relative_rates(state)
    paces = {float(x.max(initial=0.0)) for x in rates} - {0.0}
    return [part / pace for pace in sorted(paces) for part in AHEAD]


def check_no_motion(equations: Tangent) -> None:
    """Refuse a joint with a given motion, whose speed would be given twice."""
    if equations.loads.driven:
        raise StateError(
            f"trim: joint {equations.loads.driven[0]!r} follows a Motion; leave the Motion out, "
            "and give its speed in the state and the joint to held"
        )


def holding(equations: Tangent) -> Array:
    """Forces (n_v,) that hold joints."""
    return equations.applied - equations.loads.applied
