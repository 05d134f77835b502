"""Actions of events: switch loads, lock and release joints."""

from __future__ import annotations

import warnings

import numpy as np

from ...algorithms.loops.closed_loops import loop_motions, loop_wrenches
from ...algorithms.loops.closure import closure
from ...algorithms.tree import engine
from ...algorithms.tree.coordinates import error_sizes
from ...algorithms.tree.reference import kinematics_base_to_tip
from ...bodies import NormalBody
from ...bodies.rod_map import stations
from ...bodies.rod_modes import weighted_shapes
from ...errors import SimulationWarning
from ...kernels import fields as field
from ...kernels.layout.tree import BodyRow
from ...results.event_records import Impulse
from ...results.labels import forces, times
from ...system import State
from ..loads.latch import enter_latch
from ..run.machine import Machine
from ..run.plan import JointPlace
from ..run.start import motion_jump
from .event import Action, Lock, Release, Switch


def act(machine: Machine, action: Action) -> Impulse | None:
    """Carry out an action; the caller handles `Stop`."""
    memory, plan = machine.memory, machine.plan
    if isinstance(action, Switch):
        before = memory[plan.active[action.load]].copy()
        memory[plan.active[action.load]] = float(action.on)
        for body, motion in plan.driven.items():
            if motion == action.load and action.on and not np.all(before):
                _begin(machine, body)
    elif isinstance(action, (Lock, Release)):
        joint = plan.joint(action.joint, "event")
        if joint.body in plan.driven:
            for place in plan.active[plan.driven[joint.body]]:
                memory[place] = 0.0
        elif isinstance(action, Lock) and action.stiffness is not None:
            return _latch(machine, joint, action)
        else:
            _open(machine, joint)
            if isinstance(action, Lock):
                memory[plan.lock(joint)] = 1.0
                return _lock(machine, joint)
    return None


def _begin(machine: Machine, body: int) -> None:
    """Move a joint onto the given motion that starts now; warn if the joint jumps."""
    system = machine.system
    state = State(system, machine.q, machine.v)
    if machine.settle() != 0:
        return  # the next step reports the cause
    if jump := motion_jump(machine.plan, body, state, State(system, machine.q, machine.v)):
        warnings.warn(
            f"when it is switched on, joint {system.names[body]!r} {jump} at t = "
            f"{machine.time:g} s: the joint jumps there, and no force accounts for it; start the "
            "motion where the joint is (give a velocity or an acceleration), or use a JointSpring "
            "and a JointDamper",
            SimulationWarning,
            stacklevel=7,
        )


def _open(machine: Machine, joint: JointPlace) -> None:
    """Release a joint from its locks."""
    plan, memory = machine.plan, machine.memory
    if joint.body in plan.locks:
        memory[plan.locks[joint.body]] = 0.0
    for latch in plan.latches.get(joint.body, ()):
        memory[latch.flag] = 0.0


def _latch(machine: Machine, joint: JointPlace, lock: Lock) -> Impulse | None:
    """Close a lock with a stiffness, if it does not hold the joint already."""
    latch = enter_latch(machine.plan, joint, lock.stiffness, lock.damping, "event")
    if machine.memory[latch.flag] != 0:
        return None
    _open(machine, joint)
    latch.close(machine, joint)
    return sprung_closing(machine, joint, latch.stiffness)


def _lock(machine: Machine, joint: JointPlace) -> Impulse:
    """Apply the impulse that stops a joint, and return it.

    With f free, k known speeds after the impulse: M_ff v_f = (M v)_f - M_fk v_k.  With loops, the
    result is projected in the metric of M onto the speeds that keep them closed.
    """
    system, plan = machine.system, machine.plan
    impulse = impulse_to_stop(machine, joint)
    held = held_speeds(machine)
    mark_driven(machine)
    prescribed = np.where(held, machine.v, 0.0)
    prescribed[joint.v : joint.v + joint.n_v] = 0.0
    change = machine.v - prescribed
    momentum = engine.inverse_dynamics(
        system, machine.q.copy(), change, change, flags=field.ACCELERATED
    )
    momentum += plan.armature * change
    solution = machine.solve(momentum)
    machine.v[:] = prescribed + np.where(held, 0.0, solution)
    machine.settle()
    machine.forget(joint.v, joint.n_v)
    return impulse


# Impulse by which a lock stops a joint, and what it gives to the shapes of bodies.
#
# With E the rows of the joint's speeds in v, A those of loops and couplings, and M_c^-1 the inverse
# of the mass matrix under A v = 0, other driven or locked joints keeping their speeds:
#
#   v+ - v- = M_c^-1 E* p,  E v+ = 0                                                     (1)
#   C = E M_c^-1 E*,  m = C^+,  p = -m E v-                                              (2)
#   loss = v-* E* m E v- / 2                                                             (3)
#
# C is one sweep for each speed of the joint, O(N).  In (2) directions in which loops hold the joint
# have no compliance, and no impulse.
#
# The share of a body's upper half of shapes tells whether a peak after the impulse converges:
# shapes take the kinetic energy (E xi)^2 / 2 each, xi being rates of vibration with the inboard
# node held. If this falls quickly with the frequency, further shapes would take little; at the tip
# of a beam all take the same, so that neither the impulse nor the peaks after it have a limit.
# Shapes that move in different directions are separate series, each with its own upper half, of
# which a middle one is no part; a single one is upper half.
#
# A lock with a stiffness k gives no impulse but a force that lasts half a period of the rate
#
#   w^2 = k / m_w,  1/m_w = C less what shapes faster than w contribute to it            (4)
#
# so that faster shapes follow it as springs do, and their energies count by 1 / (1 + (w_n / w)^4).

Array = np.ndarray

_HELD = 1e-9  # compliance, as a part of that of the joint alone, below which loops hold it
_ALIKE = 0.7  # cosine between directions of shapes of one series
_TURNING = 0.05  # arm, in lengths of the body, at which rotations count as displacements
_ROUNDS = 50
# Parts of the energy of all shapes, and of the loss; bodies whose shapes take less are left out.
_LITTLE, _NOTHING = 0.01, 1e-12


def impulse_to_stop(machine: Machine, joint: JointPlace) -> Impulse:
    """Impulse that stops a joint; the run stays as it is."""
    columns, m = _reduced(machine, joint)
    speeds = machine.v[joint.v : joint.v + joint.n_v]
    p = -m @ speeds
    change, loss = columns @ p, float(speeds @ m @ speeds / 2)
    push, held = np.zeros(machine.system.n_v), held_speeds(machine)
    push[joint.v : joint.v + joint.n_v] = p
    held[joint.v : joint.v + joint.n_v] = False
    loops = loop_impulses(machine, change, push, held)
    shares, share, energy = shares_of_shapes(machine, change, loss, np.inf)
    return Impulse(*_place(machine, joint), p, loss, m, np.inf, loops, shares, share, energy)


def sprung_closing(machine: Machine, joint: JointPlace, stiffness: Array) -> Impulse:
    """What a lock with a stiffness finds: no impulse, a reduced inertia and a rate.

    `stiffness` (n_v,): of the lock.
    """
    columns, m = _reduced(machine, joint)
    change = columns @ (m @ machine.v[joint.v : joint.v + joint.n_v])
    C = columns[joint.v : joint.v + joint.n_v]
    root = np.sqrt(stiffness)
    whole = float(np.sqrt(max(np.linalg.eigvalsh(root[:, None] * C * root)[-1], 0.0)))
    loss = float(change[joint.v : joint.v + joint.n_v] @ m @ change[joint.v : joint.v + joint.n_v])
    rate = _slow_rate(machine, change, loss / 2, whole)
    shares, share, energy = shares_of_shapes(machine, change, loss / 2, rate)
    none = np.zeros(joint.n_v)
    return Impulse(*_place(machine, joint), none, 0.0, m, rate, {}, shares, share, energy)


def _place(machine: Machine, joint: JointPlace) -> tuple[str, tuple[str, ...]]:
    """Name of a joint, and units of impulses on its motions."""
    units = tuple(x for _, x in times("s", forces(joint.joint.speeds)))
    return machine.system.names[joint.body], units


def _reduced(machine: Machine, joint: JointPlace) -> tuple[Array, Array]:
    """M_c^-1 E* (n_v, n) and the reduced inertia m (n, n) of a joint."""
    system, n = machine.system, joint.n_v
    mark_driven(machine, joint.body)
    columns, size = np.zeros((system.n_v, n)), np.zeros(n)
    for k in range(n):
        unit = np.zeros(system.n_v)
        unit[joint.v + k] = 1.0
        columns[:, k] = machine.solve(unit)
        moved = engine.inverse_dynamics(
            system, machine.q.copy(), unit, unit, flags=field.ACCELERATED
        )
        size[k] = np.sqrt(max(moved[joint.v + k] + machine.plan.armature[joint.v + k], 1e-300))
    mark_driven(machine)
    C = columns[joint.v : joint.v + n] * size[:, None] * size
    m = np.linalg.pinv((C + C.T) / 2, rcond=_HELD, hermitian=True) * size[:, None] * size
    return columns, m


def _slow_rate(machine: Machine, change: Array, energy: float, whole: float) -> float:
    """Rate of a lock on its stiffness [rad/s], shapes faster than it taken as rigid, see (4)."""
    system, rates, shares = machine.system, [np.zeros(0)], [np.zeros(0)]
    for i, body in enumerate(system.bodies):
        if body.n_mode and energy > 0:
            V, _, fast = series_of_shapes(body)
            rates.append(fast)
            shares.append((V @ change[system.layout.modal_v(i)]) ** 2 / (2 * energy))
    omega, part, rate = np.concatenate(rates), np.concatenate(shares), whole
    for _ in range(_ROUNDS):
        slow = whole * np.sqrt(max(1 - part[omega > rate].sum(), 1e-6))
        if slow >= rate * (1 - 1e-9):
            break
        rate = float(slow)
    return rate


def mark_driven(machine: Machine, but: int = -1) -> None:
    """Mark the joints that keep their speeds in `Machine.solve`: driven and locked ones."""
    for row in machine.plan.rows["motions"]:
        BodyRow(machine.ints, row.body).driven = machine.memory[row.active] != 0
    if but >= 0:
        BodyRow(machine.ints, field.HEADER, but).driven = 0


def held_speeds(machine: Machine) -> Array:
    """Which speeds (n_v,) are those of driven and locked joints."""
    held = np.zeros(machine.system.n_v, dtype=bool)
    for row in machine.plan.rows["motions"]:
        if machine.memory[row.active] != 0:
            held[row.v : row.v + row.n] = True
    return held


def loop_impulses(machine: Machine, change: Array, push: Array, held: Array) -> dict[str, Array]:
    """Impulses lambda of loops: A* lambda = M (v+ - v-) - E* p at all speeds that nobody drives.

    `push` (n_v,): E* p.  `held` (n_v,): whether a speed is driven.
    """
    system = machine.system
    if not system.loops:
        return {}
    state = State(system, machine.q.copy(), machine.v.copy())
    left = engine.inverse_dynamics(
        system, machine.q.copy(), change, change, flags=field.ACCELERATED
    )
    left += machine.plan.armature * change
    left -= push
    size = np.where(held, 0.0, error_sizes(system)[0])
    A = closure(system, state).jacobian * size
    lam = np.linalg.lstsq(A.T, size * left, rcond=_HELD)[0]
    motions = kinematics_base_to_tip(system, state.q, state.v)
    wrenches = loop_wrenches(system, loop_motions(system, motions), lam)
    return {loop.name: x for loop, x in zip(system.loops, wrenches, strict=True)}


def shares_of_shapes(
    machine: Machine, change: Array, loss: float, rate: float
) -> tuple[dict[str, float], float, float]:
    """Share of the upper half of the shapes of each body, and of all, in the energy they get."""
    system, energies = machine.system, dict[str, tuple[float, float]]()
    for i, body in enumerate(system.bodies):
        if body.n_mode:
            V, high, fast = series_of_shapes(body)
            heard = 1 / (1 + (fast / rate) ** 4) if rate else np.zeros(len(fast))
            each = (V @ change[system.layout.modal_v(i)]) ** 2 / 2 * heard
            energies[system.names[i]] = float(each[high].sum()), float(each.sum())
    whole = sum(x for _, x in energies.values())
    least = max(_LITTLE * whole, _NOTHING * loss)
    counted = {name: x for name, x in energies.items() if x[1] > least}
    shares = {name: upper / total for name, (upper, total) in counted.items()}
    totals = np.sum(list(counted.values()), axis=0) if counted else (0.0, 1.0)
    return shares, float(totals[0] / totals[1]), whole


def series_of_shapes(body: NormalBody) -> tuple[Array, Array, Array]:
    """Rates of vibrations (m, m) per modal rates, the upper halves, and frequencies [rad/s]."""
    shapes, V = _shapes(body)
    fast = 2 * np.pi * body.frequencies
    length = float(np.ptp(body.node_positions, axis=0).max(initial=0.0)) or 1.0
    sizes = shapes * np.array([_TURNING * length] * 3 + [1.0] * 3)[:, None]
    order = np.argsort(fast, kind="stable")
    series: list[tuple[Array, list[int]]] = []  # direction of the first shape, and all shapes
    for k in order:
        along = np.linalg.svd(sizes[:, :, k], full_matrices=False)[2][0]
        near = [members for first, members in series if abs(first @ along) > _ALIKE]
        if near:
            near[0].append(k)
        else:
            series.append((along, [k]))
    high = np.zeros(body.n_mode, dtype=bool)
    for _, members in series:
        high[members[min((len(members) + 1) // 2, len(members) - 1) :]] = True
    return V, high, fast


def _shapes(body: NormalBody) -> tuple[Array, Array]:
    """Shapes of vibration (p, 6, m) at p places, and their rates per modal rates (m, m).

    Modal coordinates are amplitudes of vibrations, but of rods, whose strains the others combine.
    """
    if body.rod is None:
        return body.node_shapes, np.eye(body.n_mode)
    zero = np.zeros(len(body.rod.strains))
    sections = stations(body.rod, zero, zero)
    rows = np.concatenate([weighted_shapes(body.rod, k, x) for k, x in enumerate(sections)])
    root = np.linalg.cholesky(rows.T @ rows)
    _, turn = np.linalg.eigh(
        np.linalg.solve(root, np.linalg.solve(root, np.diag(body.stiffness)).T)
    )
    V = turn.T @ root.T
    return np.stack([x.shapes for x in sections]) @ np.linalg.inv(V), V
