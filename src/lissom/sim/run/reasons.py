"""Outcome of a run, with a message that names the responsible body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...algorithms.loops.checks import OPEN, constraint_of, in_own_unit
from ...algorithms.tree import reference
from ...algorithms.tree.coordinates import error_sizes
from ...errors import LissomError, SingularError, name_list
from ...joints import Joint
from ...kernels import fields as field
from ...kernels.layout import run
from ...kernels.layout.loops import LoopsHeader
from ...kernels.run.registry import METHODS
from ...system import Loop, System
from .machine import Machine

UNFIT = "diverged", "not finite", "memory"  # statuses of runs whose rows may be nonsense
ABSURD = 1e30  # speeds beyond this result from steps that are too long, not from forces
STEP_HINT = "; try a smaller step"


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run."""

    # "finished", "event", "interrupted", "time limit", "diverged", "not finite", "singular", "loop
    # open", "stalled", "failed", "disk" or "memory"
    status: str
    message: str  # reason, one sentence
    error: BaseException | None = None  # exception of a user's function

    @property
    def whole(self) -> bool:
        """Whether the run came to its end."""
        return self.status in ("finished", "event")

    @property
    def sane(self) -> bool:
        """Whether its rows are those of the mechanism, which limits can be compared with."""
        return self.status not in UNFIT


def at_time(machine: Machine, reason: str) -> str:
    """Reason with the time."""
    return f"{reason} at t = {machine.time:.9g} s"


def out_of_time(machine: Machine, time_limit: float) -> Outcome:
    """Outcome of a run that has reached its limit of real time [s]."""
    return Outcome(
        "time limit", at_time(machine, f"the time limit of {time_limit:g} s was reached")
    )


def explained(machine: Machine, status: int) -> Outcome:
    """Outcome of a run in which no step could be taken; it names the responsible body."""
    layout = machine.system.layout
    worst = layout.owner_v(int(machine.memory[run.WORST]))
    if status == run.BEYOND_REASON:
        return Outcome("diverged", at_time(machine, _beyond_reason(machine)))
    if status == run.SINGULAR_COORDINATES:
        states = machine.q, machine.pieces.q_end
        reason = (
            f"the coordinates of the joint of {nearest_to_singular(machine.system, states)} are "
            "singular, as Euler angles can be; use Spherical or Free, or another order of the "
            "joint's motions"
        )
        return Outcome("singular", at_time(machine, reason))
    if status == run.STALLED:
        reason = (
            "the tolerance cannot be met: the step size fell below the resolution of time; "
            f"worst: {worst}"
        )
        return Outcome("stalled", at_time(machine, reason + _loops_hint(machine)))
    if status == run.DIVERGED:
        most = machine.settings.max_iterations
        bound = f" within max_iterations = {most}" if most else ""
        reason = f"the iterations of the implicit step do not converge{bound}; worst: {worst}"
        hints = _loops_hint(machine) + bent_hint(machine)
        return Outcome("stalled", at_time(machine, reason + hints))
    T = machine.pieces.forces
    if not np.all(np.isfinite(T)):
        k = int(np.flatnonzero(~np.isfinite(T))[0])
        blame = machine.plan.functions.blame(since=machine.time)
        reason = f"{blame}the force on {layout.owner_v(k)} is {T[k]}"
        if np.abs(machine.v).max() > ABSURD:
            hint = "" if machine.settings.adaptive else STEP_HINT
            reason = f"the motion grows without bound: {reason}{hint}"
        return Outcome("not finite", at_time(machine, reason))
    if status == run.LOOP_OPEN:
        return Outcome("loop open", at_time(machine, _open_loop(machine)))
    if status == run.SINGULAR_:
        return Outcome("singular", at_time(machine, _singular(machine)))
    speeds, accelerations = machine.pieces.v_end, machine.pieces.out
    for vector, word in ((speeds, "speed"), (accelerations, "acceleration"), (machine.v, "speed")):
        bad = np.flatnonzero(~np.isfinite(vector))
        if len(bad):
            owner = layout.owner_v(int(bad[0]))
            hint = "" if machine.settings.adaptive else STEP_HINT
            return Outcome(
                "not finite", at_time(machine, f"the {word} of {owner} is not finite{hint}")
            )
    k = int(np.argmax(np.abs(machine.v)))
    hint = "" if machine.settings.adaptive else STEP_HINT
    reason = f"the motion grows without bound; fastest: {layout.owner_v(k)}{hint}"
    return Outcome("not finite", at_time(machine, reason))


def nearest_to_singular(system: System, states: Iterable[np.ndarray]) -> str:
    """Body whose joint has coordinates that are singular in one of some states, or nearly so."""
    conditions = {
        name: 0.0
        for name, joint in zip(system.names, system.joints, strict=True)
        if joint.n_v and not joint.has_quaternion
    }
    for q in states:
        for name in conditions:
            joint = system.joints[system.names.index(name)]
            worst = _condition(joint, q[system.layout.hinge_q(name)])
            conditions[name] = max(conditions[name], worst)
    return f"body {max(conditions, key=lambda name: conditions[name])!r}"


def _condition(joint: Joint, q: np.ndarray) -> float:
    """Condition number of the map from speeds to rates; infinite where there is none."""
    try:
        with np.errstate(all="ignore"):
            rates = joint.rate_map(q)
            return float(np.linalg.cond(rates)) if np.all(np.isfinite(rates)) else np.inf
    except (LissomError, ArithmeticError, ValueError):  # LinAlgError is a ValueError
        return np.inf


def _beyond_reason(machine: Machine) -> str:
    """Message about a body whose motion or deflection is implausible, with advice."""
    system, k = machine.system, int(machine.memory[run.WORST])
    owner, advice = system.layout.owner_v(k), "check the loads and the last rows"
    if not machine.settings.adaptive:
        advice = f"the step of {machine.settings.step:g} s may be too long; try a shorter one"
    if abs(machine.v[k]) > machine.limits[0, k]:
        return f"the motion is implausible: the speed of {owner} is {machine.v[k]:.3g}; {advice}"
    bent = _modal(machine, k)
    if not bent > machine.limits[1, k]:  # the step was repeated up to an event, and undone
        owner = system.layout.owner_v(_fastest(machine))
        return f"the motion is implausible: {owner} grows without bound before an event; {advice}"
    part = bent / error_sizes(system)[0][k]
    if _is_rod(machine, k):
        return (
            f"the motion is implausible: {owner} alone would turn or move the rod by {part:.3g} "
            f"rad or lengths; {advice}"
        )
    advice = (
        "its model holds for small deflections only; look for an instability (too much spin or "
        f"load), or {advice}"
    )
    return f"{owner} bends by {part:.3g} times the length of the body; {advice}"


def _fastest(machine: Machine, v: np.ndarray | None = None) -> int:
    """Number of the speed that is the largest part of its limit."""
    speeds = machine.v if v is None else v
    return int(np.argmax(np.abs(speeds) / machine.limits[0]))


def _modal(machine: Machine, k: int) -> float:
    """Size of the modal coordinate of a speed; 0 for those of hinges."""
    layout = machine.system.layout
    for i in range(machine.system.n_body):
        v = layout.modal_v(i)
        if v.start <= k < v.stop:
            return float(abs(machine.q[layout.modal_q(i)][k - v.start]))
    return 0.0


def _is_rod(machine: Machine, k: int) -> bool:
    """Whether a speed is that of a coordinate of a rod."""
    layout, bodies = machine.system.layout, machine.system.bodies
    slices = [layout.modal_v(i) for i, body in enumerate(bodies) if body.rod is not None]
    return any(v.start <= k < v.stop for v in slices)


def _singular(machine: Machine) -> str:
    """Why no step was possible, however short: the body that is singular, there or in the steps."""
    if reason := _singular_hinge(machine, machine.q, machine.v):
        return reason
    q, v = machine.pieces.q_end, machine.pieces.v_end
    reason = _singular_hinge(machine, q, v) or (
        "an inertia is not positive definite, where the fastest is "
        + machine.system.layout.owner_v(_fastest(machine, v))
        + bent_hint(machine)
    )
    return f"no step is possible from there, however short: in its course {reason}"


def _singular_hinge(machine: Machine, q: np.ndarray, v: np.ndarray) -> str:
    """Description of a singularity by the reference implementation."""
    if not np.all(np.isfinite(q)) or not np.all(np.isfinite(v)):
        return ""
    try:
        with np.errstate(all="ignore"):
            motions = reference.kinematics_base_to_tip(machine.system, q, v)
            reference.articulate_tip_to_base(machine.system, motions, None)
    except SingularError as error:
        return str(error)
    except (ArithmeticError, ValueError):
        pass
    return ""


def bent_hint(machine: Machine) -> str:
    """Possible reason in a system with bodies at level "stiffened": the most bent of them."""
    system = machine.system
    parts = {
        name: body.deflection(machine.q[system.layout.modal_q(i)])
        for i, (name, body) in enumerate(zip(system.names, system.bodies, strict=True))
        if body.second_order is not None
    }
    if not parts:
        return ""
    name = max(parts, key=lambda x: parts[x])
    return (
        f"; body {name!r} deflects by {parts[name]:.2g} of its length, and the mass matrix of "
        'level "stiffened" may cease to be positive definite farther on: check the loads, use '
        "fewer shapes, or divide the body into parts in a row"
    )


def _loops_hint(machine: Machine) -> str:
    """Further possible reason in a system with loops or couplings."""
    names = name_list((one.name for one in machine.system.constraints), most=3)
    kind = "loop" if machine.system.loops else "coupling"
    return f"; a {kind} ({names}) may block it or be singular there" if names else ""


def _open_loop(machine: Machine) -> str:
    """Message about the loop that can no longer be closed, with its last gap."""
    system, ints = machine.system, machine.plan.packed.ints
    stiff = METHODS[machine.settings.integrator.method].traits & run.USES_ARMATURE
    scratch = machine.stiff if stiff else machine.scratch
    o, n = int(LoopsHeader(ints, ints[field.LOOPS]).closure), system.n_constraint
    gap, rate = np.abs(scratch[o : o + n]), np.abs(scratch[o + n : o + 2 * n])
    apart = gap.max() > OPEN * system.length
    k = int(np.argmax(gap if apart else rate))
    left = f"the gap is {gap[k]:.3g} m" if apart else f"its ends move apart at {rate[k]:.3g} m/s"
    hint = "a given motion may lead out of reach" if machine.plan.driven else "it may be locked"
    one = constraint_of(system, k)
    if isinstance(one, Loop):
        return f"loop {one.name!r} can no longer be closed, {left}; {hint}"
    off = in_own_unit(system, one, float(gap[k] if apart else rate[k]))
    left = f"it is violated by {off:.3g}{'' if apart else ' per second'}"
    return f"coupling {one.name!r} can no longer be satisfied, {left}; {hint}"
