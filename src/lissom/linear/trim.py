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

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.tree.arguments import as_state, check_system
from ..algorithms.tree.coordinates import error_sizes, moved
from ..algorithms.tree.derivatives import inverse_dynamics_derivatives
from ..algorithms.tree.inverse import bias_force
from ..errors import SingularError, StateError
from ..sim.equilibrium import equilibrium
from ..sim.run.checks import number
from ..sim.warnings.gathering import Gathered
from ..system import State, StateLike, System
from ..system.state import row_text
from .limits import warn_of_limits_about
from .tangent import held_joints, relative_rates, tangent
from .trim_loops import LoopSearch, check_no_motion, holding, times_ahead

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
