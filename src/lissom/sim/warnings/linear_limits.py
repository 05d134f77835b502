"""Checks that flexible bodies stay in the range of the model of their level.

Three measures, at some rows of a run or in one state: tension and compression along a body
(see `tension`), which level "stiffened" carries, and deflection.  The deflection d of a cantilever
under a force at its tip has a relative error of (d/L)^2, one per cent at a tenth of its length; its
tip then approaches the root by 0.6 (d/L)^2 of the length, which only "stiffened" has.  Source: K.
E. Bisshopp, D. C. Drucker, Quart. Appl. Math. 3, 1945; the tests solve its elastica independently.
Rods have no such limits, and others of their own (see `rod_limits`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from ...algorithms.tree import engine
from ...algorithms.tree.engine import RowError
from ...bodies.rod import MOST_STATIONS
from ...bodies.rod_poses import piece_turns
from ...bodies.rod_strains import surface_strains
from ...bodies.rod_tables import RodTables
from ...results.row_blocks import RowBlock, wrenches_within
from ...results.store import in_memory
from ...results.trajectory import Trajectory
from ...system import State, System
from .advice import DEFLECTION, against_deflection, against_press, against_pull, also
from .gathering import say
from .inextensible import warn_of_inextensible
from .spins import fast_spins_of, warn_of_spins
from .tension import axial_forces, axial_scale, curvatures, euler_load, supports

# Checks that rods stay in the range of their model.
#
# Two measures, at some rows of a run or at a state at rest.  A piece between two stations is turned
# by the sixth order of an expansion, good for a fraction of a turn: the limit is a quarter.  The
# material is linear, and strains are taken as small: the limit is a tenth, of stretch, of shear,
# and of the strains at the surface by bending and torsion (`surface_strains`).

TURN = math.pi / 2  # rad, of a piece between stations
STRAIN = 0.1
_KINDS = ("stretched", "sheared", "bent", "twisted")


def warn_of_rods(system: System, q: Array, when: Callable[[int], str], stacklevel: int) -> None:
    """Warn about the rod that turns most within a piece, and about the most strained one.

    `q` (n, n_q): coordinates of some states.
    """
    turns, strained = list[tuple[float, str, str]](), list[tuple[float, str, str]]()
    for i, (name, body) in enumerate(zip(system.names, system.bodies, strict=True)):
        rod = body.rod
        if rod is None:
            continue
        eta = q[:, system.layout.modal_q(i)]
        eta = np.where(np.isfinite(eta), eta, 0.0)  # what is not is reported elsewhere
        turned = piece_turns(rod, eta)
        if (turn := float(turned.max(initial=0.0))) > TURN:
            row = int(np.argmax(turned.max(axis=1)))
            turns.append((turn, _of_turn(name, rod, turn, when(row)), name))
        sizes = surface_strains(rod, eta)
        if (size := float(sizes.max(initial=0.0))) > STRAIN:
            row, kind = divmod(int(np.argmax(sizes)), len(_KINDS))
            strained.append((size, _of_strain(name, _KINDS[kind], size, when(row)), name))
    for what, cases in (("rod turns", turns), ("rod strains", strained)):
        if cases:
            worst = max(cases)
            others = [name for _, _, name in cases if name != worst[2]]
            say(what, worst[0], worst[1] + also(others), stacklevel + 1)


def _of_turn(name: str, rod: RodTables, turn: float, when: str) -> str:
    n = len(rod.masses)
    wanted = math.ceil(n * turn)  # a radian each
    more = f"give it stations={wanted}, or " if wanted <= MOST_STATIONS else ""
    return (
        f"rod {name!r} turns by {turn:.3g} rad between two of its {n} stations ({when}), where a "
        f"quarter of a turn is the most that they follow well; {more}divide it into parts in a row "
        "on Fixed joints"
    )


def _of_strain(name: str, how: str, size: float, when: str) -> str:
    section = "thinner" if how in ("bent", "twisted") else "thicker"
    return (
        f"rod {name!r} is {how} to a strain of {size:.2g} ({when}); its material is linear, which "
        f"holds for strains below about {STRAIN:g}: check the loads, or take a {section} section "
        "or a stiffer material"
    )


Array = np.ndarray

AXIAL = 0.1  # limit of tension and compression, as a fraction of the force that a body carries
KINDS = ("pull", "press", "deflection")
ROWS, DEFLECTED_ROWS = 12, 400  # rows of a run that are checked


def warn_of_limits(run: Trajectory, stacklevel: int) -> None:
    """Warn about the bodies with the largest excessive tension, compression and deflection."""
    if not run.n or not any(body.n_mode for body in run.system.bodies):
        return
    rows, store = _spread(run.n, DEFLECTED_ROWS), in_memory(run.store)

    def when(k: int) -> str:
        return f"t = {float(run.time[rows[k]]):.4g} s"

    q = np.concatenate([store.read("q", k, k + 1) for k in rows])
    warn_of_rods(run.system, q, when, stacklevel + 1)
    look = _Look(run.system, rate_linear=store.columns.rate_linear)
    if not look.bodies:
        return
    with np.errstate(all="ignore"):  # numbers that are not finite are reported elsewhere
        for k in _spread(run.n, ROWS):
            block, time = RowBlock(store, k, k + 1), float(run.time[k])
            with suppress(RowError):
                places, wrenches = wrenches_within(run.system, block)
                v, a = block["v"], block["acceleration"]
                look.forces(block["q"], v, a, places, wrenches, f"t = {time:.4g} s")
        look.deflections(q, when)
    look.warn(stacklevel + 1)


def warn_of_state(
    state: State,
    acceleration: Array,
    loads: Sequence[tuple[int, int, Array]],
    when: str,
    stacklevel: int,
) -> None:
    """Warn about one state, as `simulate` does about a run: all limits that can be seen in it.

    `acceleration` (n_v,): rates of the speeds; `loads`: bodies and nodes that loads and loops act
    on, with moments and forces, node axes.
    """
    system, q, v = state.system, state.raw_q, state.raw_v
    if not any(body.n_mode for body in system.bodies):
        return
    warn_of_inextensible(system, q, stacklevel=stacklevel + 1)
    warn_of_spins(system, fast_spins_of(state), stacklevel + 1)
    warn_of_rods(system, q[None], lambda _k: when, stacklevel + 1)
    look = _Look(system)
    if not look.bodies:
        return
    places = [(body, node) for body, node, _ in loads]
    wrenches = np.array([wrench for *_, wrench in loads]).reshape(1, -1)
    with np.errstate(all="ignore"), suppress(RowError):
        look.forces(q[None], v[None], acceleration[None], places, wrenches, when)
    look.deflections(q[None], lambda _k: when)
    look.warn(stacklevel + 1)


def _spread(n: int, most: int) -> Array:
    return np.unique(np.linspace(0, n - 1, most).astype(int))


def _axial_limits(system: System, bodies: Sequence[int]) -> tuple[Array, Array, Array]:
    """Axial scale, Euler load and axis of each flexible body."""
    # Chains contain the same body many times.
    scales: dict[int, tuple[float, Array]] = {}
    loads: dict[tuple[int, int], float] = {}
    scale, euler = np.zeros((2, len(bodies)))
    along = np.zeros((len(bodies), 3))
    held = supports(system) if bodies else []
    for j, i in enumerate(bodies):
        body, ends = system.bodies[i], held[i]
        if id(body) not in scales:
            scales[id(body)] = axial_scale(body)
        if (id(body), ends) not in loads:
            loads[id(body), ends] = euler_load(body, ends)
        scale[j], along[j] = scales[id(body)]
        euler[j] = loads[id(body), ends]
    return scale, euler, along


class _Look:
    """Largest value of each measure so far, for every flexible body that is not a rod."""

    def __init__(self, system: System, *, rate_linear: bool = False) -> None:
        self.system, self.rate_linear = system, rate_linear
        flexible = (i for i, body in enumerate(system.bodies) if body.n_mode)
        self.bodies = [i for i in flexible if system.bodies[i].level != "exact"]
        if "axial limits" not in system.derived:
            system.derived["axial limits"] = _axial_limits(system, self.bodies)
        self.scale, self.euler, self.along = system.derived["axial limits"]
        self.stiffened = np.array([system.bodies[i].level == "stiffened" for i in self.bodies])
        # tension, compression, deflection: fraction of the limit, absolute value, time
        self.part, self.size = np.zeros((2, 3, len(self.bodies)))
        self.turn = np.zeros(len(self.bodies))  # largest curvature times length
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
        """Update with the forces along all bodies in one state."""
        system = self.system
        linear = self.rate_linear
        reactions = engine.joint_forces_rows(system, q, v, a, places, wrenches, rate_linear=linear)[
            0
        ]
        arguments = (
            system,
            q[0],
            reactions,
            self.bodies,
            self.along,
            places,
            wrenches.reshape(-1, 6),
        )
        N = np.where(self.stiffened, 0.0, axial_forces(*arguments))
        self._take(0, np.maximum(N, 0) / self.scale, N, [when] * len(N))
        self._take(1, np.maximum(-N, 0) / self.euler, -N, [when] * len(N))

    def deflections(self, q: Array, when: Callable[[int], str]) -> None:
        """Update with the deflections of all bodies in some states (n, n_q)."""
        part, size = np.zeros((2, len(self.bodies)))
        row = np.zeros(len(self.bodies), dtype=int)
        for j, i in enumerate(self.bodies):
            body = self.system.bodies[i]
            length = float(np.linalg.norm(body.node_positions, axis=1).max(initial=0.0))
            if not length:
                continue
            modal = q[:, self.system.layout.modal_q(i)]
            # bound: no node moves by more than the sum over all modes
            most = np.abs(modal) @ np.linalg.norm(body.node_shapes[:, 3:], axis=1).max(axis=0)
            rows = np.flatnonzero(most > DEFLECTION * length)
            bends = curvatures(body) if len(rows) else np.zeros(0)
            for k in rows:
                moved = float(np.linalg.norm(body.node_shapes[:, 3:] @ modal[k], axis=1).max())
                if moved > size[j]:
                    part[j], size[j], row[j] = moved / length, moved, k
                turn = length * float(np.linalg.norm(bends @ modal[k], axis=1).max())
                self.turn[j] = max(self.turn[j], turn)
        self._take(2, part, size, [when(k) for k in row])

    def _take(self, kind: int, part: Array, size: Array, when: Sequence[str]) -> None:
        for j in map(int, np.flatnonzero(np.isfinite(part) & (part > self.part[kind]))):
            self.part[kind, j], self.size[kind, j] = part[j], size[j]
            self.when[kind][j] = when[j]

    def warn(self, stacklevel: int) -> None:
        """One warning for each measure, with the worst body."""
        for kind, bound in enumerate((AXIAL, AXIAL, DEFLECTION)):
            part = self.part[kind]
            over = np.flatnonzero(part > bound)
            if not len(over):
                continue
            j = int(np.argmax(part))
            others = [self.system.names[self.bodies[k]] for k in over if k != j]
            text = self._message(kind, j, float(part[j]), float(self.size[kind, j]))
            say(KINDS[kind], float(part[j]), f"{text}{also(others)}", stacklevel + 1)

    def _message(self, kind: int, j: int, part: float, size: float) -> str:
        name, when = repr(self.system.names[self.bodies[j]]), self.when[kind][j]
        level = repr(self.system.bodies[self.bodies[j]].level)
        order = "of second order" if self.stiffened[j] else "linear"
        if kind == 2:
            advice = against_deflection(part, float(self.turn[j]), bool(self.stiffened[j]))
            return (
                f"body {name} deflects by {size:.3g} m, {100 * part:.3g} % of its length ({when}); "
                f"level {level} is {order} in the deflection: its error is about one per cent at "
                f"10 % and grows with the square; {advice}"
            )
        if kind == 0:
            return (
                f"body {name} is pulled along its length with {size:.3g} N ({when}), {part:.2g} of "
                f"the force that about doubles its bending stiffness ({self.scale[j]:.3g} N); "
                f"level {level} neglects this stiffening: the relative error of bending is about "
                "this fraction, and from 1 on the motion can be wrong altogether; "
                f"{against_pull(part)}"
            )
        return (
            f"body {name} is pressed along its length with {size:.3g} N ({when}), {part:.2g} of "
            f"its Euler load ({self.euler[j]:.3g} N); level {level} neglects the softening by such "
            "a force: the relative error of bending is about this fraction, and from 1 on the link "
            "would buckle, which is not modelled; "
            f"{against_press(part, size / float(self.scale[j]))}"
        )
