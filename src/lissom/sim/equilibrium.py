"""equilibrium: a state of rest of a system under its loads.

With s = Z y small motions from q, r(s) the unbalanced generalized forces at rest, and D the
diagonal scaling that makes the largest entry of each row of D K D equal to 1:
  K = -Z^T dr/dy (symmetric part)                   D K D u = mu u,  phi = Z D u                 (1)
  step = sum over phi of phi (phi^T r) / |mu|, of limited length                          (2)
This is Newton's method where all mu are positive; elsewhere (2) goes downhill, so that it ends at a
stable equilibrium and not at the nearest unstable one.  The signs of mu are those of K (Sylvester).
The scaling D preserves the digits of soft motions next to stiff ones.

With loops, Z spans the motions that they leave free, and r + A^T lambda replaces r, with lambda
constant in (1); the loops are closed again after each step.

The derivative is that of the forces of all loads, T, less that of inverse dynamics at rest,
  dr/dq = dT/dq - d ID(q, 0, 0)/dq                                                               (3)
both compiled and exact.  Loops, sampled controllers and joints of users' own take central
differences of r, with two evaluations for each motion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.loops.assembly import assembly_sizes, closed_state
from ..algorithms.loops.assembly_search import ClosingSearch
from ..algorithms.loops.frames import closure_jacobian, closure_slices, loop_external, placed_loops
from ..algorithms.loops.redundancy import RANK
from ..algorithms.tree import engine
from ..algorithms.tree.arguments import as_state, check_system
from ..algorithms.tree.coordinates import error_sizes, moved
from ..algorithms.tree.derivatives import compiled
from ..algorithms.tree.reference import External
from ..errors import LoadError, SingularError, StateError, name_list, shown
from ..kernels.layout import run
from ..model import Part
from ..system import State, StateLike, System
from .run.checks import joint_name, number
from .run.drive_checks import check_drives
from .run.machine import Machine
from .run.scales import stiffness_of
from .run.start import at_rest, check_start, driven_bodies, planned
from .warnings.gathering import Gathered, say
from .warnings.inextensible import warn_of_inextensible
from .warnings.linear_limits import warn_of_state
from .warnings.starts import warn_of_contradictions, warn_of_entered_stops

# Motions and forces of a system at rest with closed loops, for `equilibrium`.
#
# With u motions of about the same energy and w the sizes of the coordinates, both without held and
# driven coordinates:
#   tangent Z = diag(u) N,     A Z = 0,    N orthonormal                              (1)
#   loop forces: lambda that minimizes |w (r + A^T lambda)|                           (2)
# u is small where something is stiff, so that N does not mix a soft motion with rounding errors of
# stiff ones.
# A system without loops has N = I and no lambda.  Forces of couplings do not depend on position and
# do no work along (1), so their lambda is not needed.

HALVINGS = 12
# Fraction of the largest singular value below which a loop force would be disproportionate.
WEAK = 1e-7


class LoopBalance:
    """Loops of a system some of whose coordinates are fixed.

    `fixed` (n_v,): speeds that are held or driven; `motions` (n_v,): motions u of (1).
    """

    def __init__(self, system: System, fixed: Array, motions: Array) -> None:
        self.system, self.motions = system, motions
        self.size = error_sizes(system)[0]
        self.free = np.flatnonzero(~fixed)
        self.search = ClosingSearch(system, assembly_sizes(system, fixed))

    def tangent(self, q: Array) -> Array:
        """Motions Z (n_v, k) that the loops leave free (1)."""
        Z = np.zeros((self.system.n_v, len(self.free)))
        Z[self.free] = np.diag(self.motions[self.free])
        if self.system.constraints and len(self.free):
            A = self._equations(q, self.motions)
            _, values, rows = np.linalg.svd(A)
            rank = int(np.sum(values > RANK * values.max(initial=0.0)))
            Z = Z @ rows[rank:].T
        return Z

    def _equations(self, q: Array, motions: Array) -> Array:
        """Product A diag(motions), free columns."""
        A = closure_jacobian(self.system, q, placed_loops(self.system, q))
        return A[:, self.free] * motions[self.free]

    def forces(self, q: Array, r: Array) -> Array:
        """Loop forces (n_loop, 6) that balance r (2): [moment / length; force] on b, b's axes."""
        wrenches = np.zeros((len(self.system.loops), 6))
        if not self.system.loops:
            return wrenches
        A, wanted = self._equations(q, self.size), -self.size[self.free] * r[self.free]
        lam = np.linalg.lstsq(A.T, wanted, rcond=WEAK)[0]
        placed = placed_loops(self.system, q)
        for k, at in enumerate(placed):
            wrenches[k] = at.directions @ lam[closure_slices(self.system)[k]]
        return wrenches

    def external(self, q: Array, forces: Array) -> External:
        """The same loop forces at other coordinates, as forces on nodes.

        Components that do work on the joint there are removed, so that the forces depend smoothly
        on q for any choice of the directions of a loop.
        """
        if not np.any(forces):
            return []
        loads: list[tuple[int, int, Array]] = []
        for at, force in zip(placed_loops(self.system, q), forces, strict=True):
            N = at.directions
            loads += loop_external(at, at.scale * (N @ (N.T @ force)))
        return loads

    def step(self, q: Array, s: Array) -> Array:
        """Coordinates after motions s, loops closed; s is shortened if they do not close."""
        if not self.system.constraints:
            return moved(self.system, q, s)
        for k in range(HALVINGS):
            closing = self.search.descend(moved(self.system, q, s / 2**k))
            if closing.closed:
                return closing.q
        names = name_list(one.name for one in self.system.constraints)
        raise SingularError(
            f"no equilibrium found: the search reached a position near which the loops ({names}) "
            "cannot be closed; start elsewhere (state=)"
        )


Array = np.ndarray

# Fractions of a coordinate's size: longest step, difference for (1), tolerance.
LONGEST, SPACING, SMALL = 0.2, 1e-5, 1e-11
MOST_STEPS = 200
SCALINGS = 20
PATIENCE = 30  # steps of full length in a row after which the search for an unsupported system ends
# Noise of K relative to the largest force times its size; smaller entries may have any sign.
NOISE = 1e-9
FLAT = 1e-8  # mu below which a motion is free; noise is kept below it
UNSTABLE = 1e-6  # mu below minus this: a small motion grows
REUSED, FIRM = 1e-4, 1e-2  # steps so short keep K where all mu are above this
LOOSE = 1e-6  # fraction of force over size; a stiffness below it is none (above difference noise)


def equilibrium(
    system: System,
    state: StateLike | None = None,
    *,
    time: float = 0.0,
    forces: Any = None,
    loads: Any = (),
    held: Any = (),
) -> State:
    """State at rest in which all forces balance, flexible bodies deflected.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v), optional
        Start of the search; by default neutral.  Its speeds are ignored, and its loops are closed
        first (`assemble`).
    time : float
        Time at which time-dependent loads are evaluated [s].
    forces, loads
        As for `simulate`.
    held : sequence of str
        Joints (by the bodies that they carry) that keep their coordinates of `state`.

    Returns
    -------
    State
        The stable equilibrium downhill of the start.  SingularError, with the reason, if none is
        found, for example because a force acts on a body that nothing supports.
        The search ends after 200 steps, each at most 0.2 rad or a fifth of the system's size, or
        after 30 in a row in which something moves away without limit and no stop could catch it.
    """
    check_system(system)
    start = system.neutral() if state is None else state
    start = as_state(system, start)
    if not start.real:
        raise StateError("equilibrium needs a state of real numbers")
    instant = number(time, "equilibrium: time", "a finite time [s]")
    names = _held(held)
    plan = planned(system, forces, loads, ())
    check_drives(plan)
    machine = at_rest(plan, start, instant, exact=True)
    check_start(machine, what="the search for an equilibrium cannot start")
    free = np.ones(system.n_v, dtype=bool)
    for name in names:
        joint = plan.joint(name, "equilibrium: held")
        free[joint.v : joint.v + joint.n_v] = False
    driven = driven_bodies(plan)
    for body in driven:
        free[system.layout.hinge_v(body)] = False
    names += [system.names[body] for body in driven]
    with Gathered():
        warn_of_inextensible(system, start.raw_q, stacklevel=2)
        rest = _Search(system, machine, instant, free).run(start.raw_q, names)
        at = (plan, rest.raw_q, rest.raw_v)
        warn_of_entered_stops(*at, np.zeros(system.n_v), 2, names)
        warn_of_contradictions(*at, instant, instant, 2)
        return rest


def _held(held: Any) -> list[str]:
    """Names of joints from one name or several."""
    if isinstance(held, (str, Part)):
        held = [held]
    try:
        items = list(held)
    except TypeError:
        raise LoadError(
            f"equilibrium: held is {shown(held)}; expected a list of joints, by the bodies that "
            'they carry, such as ["arm"]'
        ) from None
    return [joint_name(item, "equilibrium: an entry of held") for item in items]


class _Search:
    """Iteration towards an equilibrium."""

    def __init__(self, system: System, machine: Machine, time: float, free: Array) -> None:
        self.system, self.machine, self.time = system, machine, time
        self.size = error_sizes(system)[0]
        self.rest = np.zeros(system.n_v)
        mass = sum(float(body.integrals.mass) for body in system.bodies)
        self.weight = mass * float(np.linalg.norm(system.gravity)) * system.length
        stiff = self.size**2 * stiffness_of(machine.plan, machine.q)[0].diagonal
        common = max(self.weight, 1e-12 * stiff.max(initial=0.0)) or 1.0
        self.loops = LoopBalance(system, ~free, self.size / np.sqrt(1 + stiff / common))
        self.exact = compiled(system) and not (system.loops or machine.plan.controllers)
        # stops have no effect before contact: a body may fall far before one catches it
        stops = any(kind.catches for kind in machine.plan.joint_kinds)
        self.patience = MOST_STEPS if stops else PATIENCE

    def run(self, q: Array, fixed: list[str]) -> State:
        q, r = self.balance(q)
        if self.system.constraints:
            start = State(self.system, q, self.rest)
            closed = closed_state(self.system, start, held=fixed, velocity=False, stacklevel=3)
            q, r = self.balance(closed.raw_q)
        away = 0  # consecutive steps in which something moved away without limit
        longest = before = np.inf
        mu, phi = np.zeros(0), np.zeros((self.system.n_v, 0))
        for k in range(1, MOST_STEPS + 1):
            forces = self.loops.forces(q, r)
            short = longest <= min(REUSED, 0.1 * before)
            if not short or mu.min(initial=1.0) < FIRM:
                mu, phi = self.motions(q, forces)
            left = self.balance(q, forces)[1]
            push = phi.T @ left
            parts = phi * (push / np.maximum(np.abs(mu), FLAT))
            step = parts.sum(axis=1)
            before, longest = longest, self.length(step)
            if longest <= SMALL or not np.any(push):
                if longest > 0:  # a stiff spring far below SMALL may still carry a force
                    q = self.balance(self.loops.step(q, step))[0]
                return self.rest_state(q, mu, phi)
            loose = self.loose(mu, phi, push)
            away = away + 1 if self.length(parts[:, loose].sum(axis=1)) > LONGEST else 0
            if away == self.patience or k == MOST_STEPS:
                break
            if longest > LONGEST:
                step *= LONGEST / longest
            q, r = self.balance(self.loops.step(q, step))
        raise self.none_found(k, left, phi, push, loose)

    def length(self, motion: Array) -> float:
        """Largest motion of the coordinates relative to their sizes."""
        return float(np.abs(motion / self.size).max(initial=0.0))

    def loose(self, mu: Array, phi: Array, push: Array) -> Array:
        """Mask of the motions that nothing supports.

        Their mu is tiny, absolutely or compared with the stiffness that would balance their force
        within their size.  A soft spring far from rest is not among them.
        """
        per_size = np.abs(phi / self.size[:, None]).max(axis=0, initial=0.0)
        return np.abs(mu) <= np.maximum(FLAT, LOOSE * np.abs(push) * per_size)

    def row(self, q: Array) -> Array:
        status, row = self.machine.accelerations(self.time, q, self.rest)
        functions = self.machine.plan.functions
        if (error := functions.taken()) is not None:
            if isinstance(error, LoadError):
                raise error
            raise LoadError(f"{functions.failed} raised {error!r}") from error
        if status not in (run.MORE, run.FINISHED) or not np.all(np.isfinite(row)):
            raise SingularError(
                f"no equilibrium found: {functions.blame()}during the search the forces or "
                "accelerations are not finite; start nearer to the equilibrium (state=) or check "
                "the loads there"
            )
        self.machine.keep_turns()
        return row

    def balance(self, q: Array, loop_forces: Array | None = None) -> tuple[Array, Array]:
        """Coordinates, with those of driven joints inserted, and unbalanced forces at rest."""
        columns, row = self.machine.columns, self.row(q)
        q = columns.part(row[None], "q")[0].copy()
        external = self.external(q, loop_forces, row)
        needed = engine.inverse_dynamics(self.system, q, self.rest, self.rest, external)
        return q, columns.part(row[None], "force")[0] - needed

    def external(
        self, q: Array, loop_forces: Array | None, row: Array | None = None
    ) -> list[tuple[int, int, Array]]:
        """Bodies and nodes that loads and loops act on, with moments and forces, node axes."""
        plan, row = self.machine.plan, self.row(q) if row is None else row
        wrenches = self.machine.columns.part(row[None], "wrench")[0].reshape(-1, 6)
        loads = [(i, node, w) for (_, i, node), w in zip(plan.slots, wrenches, strict=True)]
        if loop_forces is not None:
            loads += self.loops.external(q, loop_forces)
        return loads

    def acting(self, q: Array) -> float:
        """Largest force times coordinate size on hinges and nodes."""
        columns, row = self.machine.columns, self.row(q)[None]
        hinges, nodes = columns.part(row, "force")[0], columns.part(row, "wrench")[0]
        on_nodes = self.system.length * np.abs(nodes).max(initial=0.0)
        return float(max(on_nodes, np.abs(self.size * hinges).max(initial=0.0)))

    def motions(self, q: Array, forces: Array) -> tuple[Array, Array]:
        """Eigenvalues mu (k,) and free motions phi (n_v, k) of (1), under loop forces."""
        Z = self.loops.tangent(q)
        noise = NOISE * max(self.weight, self.acting(q))
        lengths = np.abs(Z / self.size[:, None]).max(axis=0, initial=0.0)
        slopes = self.slopes(q)
        along = self.differences(q, forces, Z, lengths) if slopes is None else slopes @ Z
        K = -Z.T @ along
        K = (K + K.T) / 2
        D = _scales(K, noise / FLAT * lengths**2)
        mu, u = np.linalg.eigh(D[:, None] * K * D)
        return mu, Z @ (D[:, None] * u)

    def slopes(self, q: Array) -> Array | None:
        """Derivatives (n_v, n_v) of the unbalanced forces (3); None where there are only values."""
        if not self.exact:
            return None
        memory = self.machine.memory.copy()
        self.machine.q[:], self.machine.v[:] = q, self.rest
        status, _, by_q, _ = self.machine.load_derivatives()
        self.machine.memory[:] = memory
        if status != 0 or not np.all(np.isfinite(by_q)):
            self.machine.plan.functions.taken()  # the values show what is wrong
            return None
        _, needed = engine.inverse_derivatives(self.system, q, self.rest, self.rest, ())
        return by_q - needed[0]

    def differences(self, q: Array, forces: Array, Z: Array, lengths: Array) -> Array:
        """Derivatives (n_v, k) of the unbalanced forces along motions, by differences."""
        columns = np.zeros_like(Z)
        for k, h in enumerate(SPACING / lengths):
            ahead, behind = (
                self.balance(moved(self.system, q, s), forces)[1]
                for s in (h * Z[:, k], -h * Z[:, k])
            )
            columns[:, k] = (ahead - behind) / (2 * h)
        return columns

    def rest_state(self, q: Array, mu: Array, phi: Array) -> State:
        lowest = int(np.argmin(mu)) if len(mu) else 0
        if len(mu) and mu[lowest] < -UNSTABLE:
            worst = np.argmax(np.abs(phi[:, lowest]) / self.size)
            say(
                "unstable",
                -float(mu[lowest]),
                "the equilibrium is unstable: a small motion of "
                f"{self.system.layout.owner_v(int(worst))} grows",
                stacklevel=2,
            )
        forces = self.loops.forces(q, self.balance(q)[1])
        rest = State(self.system, q, self.rest)
        warn_of_state(rest, self.rest, self.external(q, forces), "at rest", stacklevel=2)
        return rest

    def none_found(
        self, steps: int, left: Array, phi: Array, push: Array, loose: Array
    ) -> SingularError:
        nothing_holds = np.linalg.norm(push[loose]) > LOOSE * np.linalg.norm(push)
        if nothing_holds:  # supported parts have not settled because the others move away
            push = np.where(loose, push, 0.0)
        k = int(np.argmax(np.abs(phi @ push) / self.size))
        owner, name = self.system.layout.owner_v(k), self.system.names[self._body(k)]
        reason, remedy = "it has not come to rest", "start nearer to the equilibrium (state=)"
        if nothing_holds:
            reason = "nothing holds it"
            remedy = f"hold the joint (held=[{name!r}]), add a spring or remove what pushes it"
        return SingularError(
            f"no equilibrium found in {steps} steps: {owner} is still pushed by {left[k]:.3g} and "
            f"{reason}; {remedy}",
            body=name,
        )

    def _body(self, k: int) -> int:
        layout = self.system.layout
        for i in range(self.system.n_body):
            if layout.modal_v(i).start <= k < layout.hinge_v(i).stop:
                return i
        return 0


def _scales(K: Array, least: Array) -> Array:
    """Scaling D (k,) of (1): each row of D K D has a maximum of 1, or less where K is `least`."""
    D = np.full(len(K), 1 / np.sqrt(np.abs(K).max(initial=0.0) or 1.0))
    most = 1 / np.sqrt(np.maximum(least, 1e-300))
    for _ in range(SCALINGS):
        rows = np.abs(D[:, None] * K * D).max(axis=1, initial=0.0)
        D = np.minimum(D / np.sqrt(np.where(rows > 0, rows, 1.0)), most)
    return D
