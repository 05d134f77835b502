"""trim: steady motions, and the forces that they need.

A motion is steady if its speeds are constant and so are all forces.  With r the forces that the
speeds v at zero accelerations need beyond the loads,
  r(q, v) = bias(q, v) - T(q, v)                                                               (1)
r vanishes for all motions but the held ones.  Unknown are coordinates and, where asked, speeds:
  r_free + [r_q, r_v] [delta; nu] = 0,  with least norm in units of the coordinates' sizes      (2)
and r stays as it is while the mechanism moves, which is checked.  r_q and r_v are derivatives of
inverse dynamics and of the loads.  Mechanisms with loops: `trim_loops`.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr

from ..algorithms.loops.assembly import closed_with_warning
from ..algorithms.loops.checks import check_closed
from ..algorithms.loops.closure import Closure
from ..algorithms.tree.arguments import as_state, check_system
from ..algorithms.tree.coordinates import error_sizes, moved
from ..algorithms.tree.derivatives import inverse_dynamics_derivatives
from ..algorithms.tree.inverse import bias_force
from ..errors import ModelWarning, SingularError, StateError
from ..sim.equilibrium import equilibrium
from ..sim.run.checks import number
from ..sim.warnings.gathering import Gathered
from ..system import State, StateLike, System
from ..system.state import row_text
from .limits import warn_of_limits_about
from .tangent import Tangent, held_joints, kept_motions, relative_rates, tangent

# Steady motions of mechanisms with loops and couplings.
#
# Unknown are the motions y that loops and held joints leave free (`tangent`), and asked speeds w of
# them.  With a the accelerations under loads and holding forces,
#   a + [a_y, a_w] [y; w] = 0,  with least norm in units of the coordinates' sizes               (1)
# The loops are closed again after each step, and dependent speeds follow the independent ones.
# Where loops move with changing ratios, constant speeds would open them: that is no steady motion.

AHEAD = (0.4, 1.3)  # where the motion is looked at: largest motion, relative to the sizes


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


Array = np.ndarray

MOST_STEPS = 100
LONGEST = 0.3  # step, relative to the sizes of the coordinates
SMALL = 1e-11  # step after which the search ends
BALANCED = 1e-8  # force left, relative to the forces that act
ROUNDING = 1e-6  # step below which it may not become smaller any more
STEADY = 1e-6  # change of the forces along a steady motion, relative
RANK = 1e-10  # singular values of (2) below this, relative, belong to motions that change nothing


@dataclass(frozen=True, eq=False)
class Trim:
    """A steady motion, found by `trim`.

    Attributes
    ----------
    state : State
        Configuration and speeds.
    forces : array (n_v,)
        Generalized forces that hold the motion in addition to the loads; zero but on held joints.
    iterations : int
        Steps of Newton's method.
    """

    state: State
    forces: Array
    iterations: int

    def __repr__(self) -> str:
        """State, and the forces on held joints."""
        rows = [repr(self.state).replace("State of", "Steady motion of", 1)]
        system = self.state.system
        for name in system.names:
            force = self.forces[system.layout.hinge_v(name)]
            if np.any(force):
                rows.append(row_text(f"{name} force", force))
        return "\n".join([*rows, f"  {self.iterations} steps"])


def trim(
    system: System,
    state: StateLike | None = None,
    *,
    held: Any = (),
    fixed: Any = (),
    speeds: Any = (),
    loads: Any = (),
    forces: Any = None,
    time: float = 0.0,
) -> Trim:
    """Steady motion: speeds and forces that do not change, flexible bodies deflected.

    The speeds of `state` are kept, and its coordinates are the start of the search.  Without
    speeds it is the rest that `equilibrium` finds.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v), optional
        Start of the search, with the speeds of the steady motion, such as a spin rate.  Loops are
        closed first; their dependent speeds follow the independent ones.
    held : sequence of str
        Joints (by the bodies that they carry) whose coordinates and speeds are kept by forces,
        which are found.
    fixed : sequence of str
        Joints that keep their coordinates without a force: a speed must be found in their place.
    speeds : sequence of str
        Joints whose speeds are found, too.
    loads, forces
        As for `simulate`.  What they do must not change along the motion.  It may change with time
        if it goes along, as `GravityGradient` does with a satellite that turns with its orbit.
    time : float
        Time at which loads are evaluated [s].

    Returns
    -------
    Trim
        ``.state`` and ``.forces``.  SingularError, with the reason, if none is found, or if the
        motion found does not stay as it is.
    """
    check_system(system)
    start = as_state(system, system.neutral() if state is None else state)
    instant = number(time, "trim: time", "a finite time [s]")
    masks = [_mask(system, x, f"trim: {name}") for name, x in (("held", held), ("fixed", fixed))]
    for name in held_joints(system, speeds, "trim: speeds"):
        if name in held_joints(system, held, "trim: held"):
            raise StateError(f"trim: {name!r} is both held and among speeds; leave one out")
    adjusted = _mask(system, speeds, "trim: speeds")
    options = {"forces": forces, "loads": loads, "time": instant}
    with Gathered():
        result = _trimmed(system, start, options, masks, adjusted, (held, fixed, speeds))
        about = tangent(system, result.state, held=held, what="trim", **options)
        warn_of_limits_about(about, stacklevel=2)
        return result


def _trimmed(
    system: System,
    start: State,
    options: dict[str, Any],
    masks: list[Array],
    adjusted: Array,
    joints: tuple[Any, Any, Any],
) -> Trim:
    """Steady motion from a start; parameters as for `trim`, checked."""
    held, fixed, speeds = joints
    if not np.any(start.v) and not np.any(masks[1]) and not np.any(adjusted):
        start = equilibrium(system, start, held=held, **options)  # a rest: the stable one
    if system.constraints:
        names = [held_joints(system, x, "trim") for x in (held, fixed, speeds)]
        equations, steps = LoopSearch(system, options, *names).run(start)
        return Trim(equations.state, holding(equations), steps)
    return _TrimSearch(system, options, ~masks[0], ~masks[0] & ~masks[1], adjusted).run(start)


def _mask(system: System, names: Any, what: str) -> Array:
    """Which speeds belong to given joints."""
    mask = np.zeros(system.n_v, dtype=bool)
    for name in held_joints(system, names, what):
        mask[system.layout.hinge_v(name)] = True
    return mask


class _TrimSearch:
    """Newton's method (2)."""

    def __init__(
        self, system: System, options: dict[str, Any], free: Array, moves: Array, adjusted: Array
    ) -> None:
        self.system, self.options = system, options
        self.free, self.moves, self.adjusted = free, moves, adjusted
        self.size, self.pace = error_sizes(system)

    def run(self, start: State) -> Trim:
        state, longest, before, count = start, np.inf, np.inf, 0
        while count < MOST_STEPS:
            count += 1
            r, slopes, scale = self.residual(state)
            still = longest <= SMALL or (longest <= ROUNDING and longest > 0.5 * before)
            if still and np.all(np.abs(r * self.size)[self.free] <= BALANCED * scale):
                break
            step, speed = self.step(r, *slopes)
            most = np.maximum(self.pace, np.abs(state.v))
            change = np.concatenate([step / self.size, speed / most])
            before, longest = longest, float(np.abs(change).max(initial=0.0))
            factor = min(1.0, LONGEST / max(longest, 1e-300))
            q = moved(self.system, state.raw_q, factor * step)
            state = State(self.system, q, state.v + factor * speed)
        else:
            raise self.not_found(r, scale, longest)
        self.check_steady(state, r, scale)
        return Trim(state, np.where(self.free, 0.0, r), count)

    def residual(
        self, state: State, later: float = 0.0
    ) -> tuple[Array, tuple[Array, Array], float]:
        """Forces r of (1), their derivatives, and the size of the forces that act.

        Those that change with time are taken some seconds later.
        """
        options = {**self.options, "time": self.options["time"] + later}
        equations = tangent(self.system, state, held=(), what="trim", **options)
        check_no_motion(equations)
        # about zero accelerations, where rotors do not matter
        n = self.system.n_v
        slopes = inverse_dynamics_derivatives(self.system, state, np.zeros(n))
        bias, T = bias_force(self.system, state), equations.loads.forces
        mass = sum(float(body.mass) for body in self.system.bodies)
        weight = mass * float(np.linalg.norm(self.system.gravity)) * self.system.length
        spin = float(relative_rates(state).max(initial=0.0))
        centrifugal = mass * (spin * self.system.length) ** 2
        scale = max(weight, centrifugal, float(np.abs(T * self.size).max(initial=0.0)), 1e-300)
        return bias - T, (slopes.q - equations.loads.q, slopes.v - equations.loads.v), scale

    def step(self, r: Array, by_q: Array, by_v: Array) -> tuple[Array, Array]:
        """Solution (2) of least norm, as deviations of configuration and speeds."""
        rows, n = self.free, self.system.n_v
        A = np.hstack([by_q[:, self.moves] * self.size[self.moves]])
        A = np.hstack([A, by_v[:, self.adjusted] * self.pace[self.adjusted]])[rows]
        left = self.size[rows]
        x = np.linalg.lstsq(left[:, None] * A, -left * r[rows], rcond=RANK)[0]
        m = int(self.moves.sum())
        step, speed = np.zeros(n), np.zeros(n)
        step[self.moves] = self.size[self.moves] * x[:m]
        speed[self.adjusted] = self.pace[self.adjusted] * x[m:]
        return step, speed

    def not_found(self, r: Array, scale: float, longest: float) -> SingularError:
        left = np.where(self.free, np.abs(r * self.size), 0.0)
        k = int(np.argmax(left))
        owner = self.system.layout.owner_v(k)
        name = owner.rpartition("body ")[2].strip("'")
        if left[k] > BALANCED * scale:
            return SingularError(
                f"no steady motion found in {MOST_STEPS} steps: {owner} still needs a force of "
                f"{r[k]:.3g}; start nearer to it (state=), hold the joint (held=[{name!r}]), or "
                "let a speed be found (speeds=)",
                body=name,
            )
        return SingularError(
            f"no steady motion found in {MOST_STEPS} steps: the last one still changed the "
            f"coordinates by {longest:.3g} of their sizes; start nearer to it (state=)"
        )

    def check_steady(self, state: State, r: Array, scale: float) -> None:
        """Refuse a motion along which the forces change."""
        for later in times_ahead(state):
            q = moved(self.system, state.raw_q, later * state.raw_v)
            there = State(self.system, q, state.v)
            change = (self.residual(there, later)[0] - r) * self.size
            k = int(np.argmax(np.abs(change)))
            if abs(change[k]) > STEADY * scale:
                moving = int(np.argmax(np.abs(state.v / self.size)))
                raise SingularError(
                    f"the motion is not steady: as {self.system.layout.owner_v(moving)} moves, the "
                    f"force on {self.system.layout.owner_v(k)} changes; steady are motions about "
                    "an axis of symmetry, such as a spin about the direction of gravity"
                )
