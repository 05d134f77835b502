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
from ...algorithms.tree.reference import carriers
from ...bodies import NormalBody
from ...bodies.rod import MOST_STATIONS
from ...bodies.rod_poses import piece_turns
from ...bodies.rod_strains import surface_strains
from ...bodies.rod_tables import RodTables
from ...results.row_blocks import RowBlock, wrenches_within
from ...results.store import MemoryStore, in_memory
from ...results.trajectory import Trajectory
from ...spatial.rotation import rotation_exp
from ...system import State, System
from .advice import DEFLECTION, against_deflection, against_press, against_pull, also
from .gathering import say
from .inextensible import warn_of_inextensible
from .spins import fast_spins_of, warn_of_spins

# Tension and compression along flexible bodies, and the forces they are compared with.
#
# A model without geometric stiffness bends as if there were no axial force.  With w the transverse
# deflection along the length s and N the axial force, positive in tension, it neglects
#     K_G = N integral w'^T w' ds                                                      (1)
# Compression is compared with Euler's load, tension with the force whose stiffening about equals
# the bending stiffness of the body.

# Transverse supports of the ends of a body: root clamped, tip free; both pinned; root clamped, tip
# pinned.
FREE_TIP, PINNED, CLAMPED = range(3)
# Fraction of the length: nodes farther from the axis also move with the rotation of the section.
ON_AXIS = 1e-3
# Ratio of a cantilever's Euler load to the force of `axial_scale`: (pi^2 / 4) / 3.
CANTILEVER = math.pi**2 / 12


def axial_scale(body: NormalBody) -> tuple[float, Array]:
    """Axial force that about doubles the bending stiffness of a body, and the axis.

    The force is r/c: r is the distance of the farthest node from the joint, c the largest
    compliance of that node across this direction.  A cantilever has 3EI/L².

        C = Π_t K_m⁻¹ Π_t*                                       (2)
        N = r / max eig of C across r                            (3)

    Returns (float, array (3,)): force [N], infinite for a body that does not bend across, and the
    direction, body axes.
    """
    far, length, along = _axis(body)
    if length == 0.0 or body.stiffness.min() <= 0.0:
        return math.inf, np.zeros(3)
    shape = _across(along) @ body.node_shapes[far][3:]
    compliance = np.linalg.eigvalsh(shape / body.stiffness @ shape.T)[-1]  # (2)
    return (length / compliance if compliance > 0.0 else math.inf), along  # (3)


def euler_load(body: NormalBody, ends: int) -> float:
    """Axial force at which a body buckles [N]: K + K_G of (1) is singular in its modes."""
    far, length, along = _axis(body)
    if length == 0.0 or body.stiffness.min() <= 0.0:
        return math.inf
    order, steps = _nodes_on_axis(body)
    if len(order) < 3:
        return CANTILEVER * axial_scale(body)[0]
    across = _across(along)
    w = np.einsum("ij,njm->nim", across, body.node_shapes[order, 3:]) / np.sqrt(body.stiffness)
    slopes = np.diff(w, axis=0) / steps[:, None, None]
    tip = across @ body.node_shapes[far][3:] / np.sqrt(body.stiffness)
    if ends == PINNED:  # relative to the chord, which rotates with the tip
        slopes = slopes - tip / length
    K_G = np.einsum("n,nim,nik->mk", steps, slopes, slopes)  # (1)
    if ends == CLAMPED:  # deflections that keep the tip fixed
        _, values, rows = np.linalg.svd(tip)
        Z = rows[int(np.sum(values > 1e-9 * values.max(initial=0.0))) :].T
        K_G = Z.T @ K_G @ Z
    largest = float(np.linalg.eigvalsh(K_G)[-1]) if len(K_G) else 0.0
    return 1 / largest if largest > 0.0 else math.inf


def curvatures(body: NormalBody) -> Array:
    """Mean curvatures between the nodes on the axis, per modal coordinate, (k, 3, n_mode) [1/m].

    Zero for a body that is not a rod with nodes on a line.
    """
    order, steps = _nodes_on_axis(body)
    if len(order) < 3:
        return np.zeros((1, 3, body.n_mode))
    turns = np.diff(body.node_shapes[order, :3], axis=0) / steps[:, None, None]
    across: Array = np.einsum("ij,njm->nim", _across(_axis(body)[2]), turns)
    return across


def _nodes_on_axis(body: NormalBody) -> tuple[Array, Array]:
    """Nodes on the line from the joint to the farthest node, in order, and their distances."""
    _, length, along = _axis(body)
    places = body.node_positions @ along
    off = np.linalg.norm(body.node_positions @ _across(along), axis=1)
    order = np.argsort(places)
    order = order[off[order] <= ON_AXIS * length]
    order = order[np.diff(places[order], prepend=-math.inf) > 1e-9 * length]
    return order, np.diff(places[order])


def _axis(body: NormalBody) -> tuple[int, float, Array]:
    """Farthest node, its distance from the joint [m], and the direction to it."""
    far = int(np.argmax(np.sum(body.node_positions**2, axis=1)))
    length = float(np.linalg.norm(body.node_positions[far]))
    return far, length, body.node_positions[far] / (length or 1.0)


def _across(along: Array) -> Array:
    return np.eye(3) - np.outer(along, along)


def supports(system: System) -> list[int]:
    """End supports of each body, as far as joints and loops determine them.

    A tip is supported where a loop continues from it; a root is pinned where its joint rotates
    about a transverse axis.
    """
    in_loops: set[int] = set()
    for loop in system.loops:
        a, b = (set(carriers(system, end.body)) for end in loop.ends)
        in_loops |= a ^ b
    ends = []
    for i, (body, joint) in enumerate(zip(system.bodies, system.joints, strict=True)):
        turning = _across(_axis(body)[2]) @ joint.motion_map(joint.neutral())[:3]
        turns = bool(np.abs(turning).max(initial=0.0) > 0.1)
        if i in in_loops:
            ends.append(PINNED if turns else CLAMPED)
        else:
            ends.append(PINNED if joint.n_v == 6 else FREE_TIP)
    return ends


def axial_forces(
    system: System,
    q: Array,
    reactions: Array,
    bodies: Sequence[int],
    along: Array,
    places: Sequence[tuple[int, int]],
    wrenches: Array,
) -> Array:
    """Axial forces of bodies, from their joints or from loads, whichever is larger [N].

    `q` (n_q,): coordinates; `reactions` (n_body, 6): moments and forces of all joints, body axes;
    `along` (k, 3): their axes, in body axes; `wrenches` (n, 6): their moments and forces, node
    axes; returns (k,): positive in tension.
    """
    # a reaction against the axis is tension
    at_root = -np.sum(reactions[list(bodies), 3:] * along, axis=1)
    at_nodes = np.zeros(len(bodies))
    where = {body: k for k, body in enumerate(bodies)}
    for (body, node), wrench in zip(places, wrenches, strict=True):
        if body in where and node != system.bodies[body].inboard:
            moved = system.bodies[body].displaced(node, q[system.layout.modal_q(body)])
            at_nodes[where[body]] += rotation_exp(moved[:3]) @ wrench[3:] @ along[where[body]]
    return np.where(np.abs(at_nodes) > np.abs(at_root), at_nodes, at_root)


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

    if isinstance(store, MemoryStore):
        q = store.read("q")[rows]
    else:
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
