"""equilibrium: where a system can rest under its loads.

With s small motions from q and r(s) the generalized forces that are left at rest:
  K = -dr/ds (differences, symmetric part)      K phi = mu M phi,  phi^T M phi = 1        (1)
  step = sum over phi of phi (phi^T r) / |mu|, at most so long                            (2)
Newton's method where all mu are positive; elsewhere (2) goes downhill, so that it ends at a stable
equilibrium and not at the nearest unstable one.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..algorithms import engine
from ..algorithms.arguments import check_state, check_system
from ..errors import LoadError, SimulationWarning, SingularError, StateError
from ..joints import CompoundJoint, SimpleJoint
from ..spatial import left_jacobian, quaternion_product_map, quaternion_rotation
from ..system import State, System
from .integrators import EulerCromer
from .machine import Machine, Settings
from .scales import error_sizes
from .simulate import check_start, planned

__all__ = ["equilibrium"]

Array = np.ndarray

# Of a coordinate's size: the longest step, the difference for (1), and what is small enough.
LONGEST, SPACING, SMALL = 0.2, 1e-5, 1e-11
MOST_STEPS = 200
FLAT = 1e-10  # part of the largest mu below which a motion is free
LOOSE = 1e-6  # the same for the words of an error, well above what differences leave


def equilibrium(
    system: System,
    state: State | None = None,
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
    state : State, optional
        Where to start looking; by default neutral.  Its speeds do not count.
    time : float
        Instant at which loads that depend on time are taken [s].
    forces, loads
        As for `simulate`.
    held : sequence of str
        Joints (by the bodies that they carry) that keep the coordinates they have in `state`.

    Returns
    -------
    State
        The stable equilibrium that lies downhill.  SingularError, with the reason, if none is
        found: something pushes a body that nothing holds.
    """
    check_system(system)
    start = system.neutral() if state is None else state
    check_state(system, start)
    if not start.real:
        raise StateError("equilibrium needs a state of real numbers")
    plan = planned(system, forces, loads, ())
    settings = Settings(float(time), 1.0, EulerCromer(), 1.0, False, 1e-8, None, 1.0)
    machine = Machine(plan, settings)
    machine.begin(start.raw_q, np.zeros(system.n_v), 1.0)
    check_start(machine)
    free = np.ones(system.n_v, dtype=bool)
    for name in [held] if isinstance(held, str) else held:
        joint = plan.joint(name, "equilibrium: held")
        free[joint.v : joint.v + joint.n_v] = False
    for body in plan.driven:
        free[system.layout.hinge_v(body)] = False
    return _Search(system, machine, float(time), free).run(start.raw_q)


class _Search:
    """The iteration."""

    def __init__(self, system: System, machine: Machine, time: float, free: Array) -> None:
        self.system, self.machine, self.time = system, machine, time
        self.free = np.flatnonzero(free)
        self.size = error_sizes(system)[0]
        self.rest = np.zeros(system.n_v)

    def run(self, q: Array) -> State:
        q = self.driven(q)
        r = self.left_over(q)
        for _ in range(MOST_STEPS):
            mu, phi = self.motions(q)
            push = phi.T @ r[self.free]
            floor = FLAT * np.abs(mu).max(initial=0.0) + 1e-300
            step = np.zeros(self.system.n_v)
            step[self.free] = phi @ (push / np.maximum(np.abs(mu), floor))
            longest = np.abs(step / self.size).max(initial=0.0)
            if longest <= SMALL or (not np.any(r[self.free])):
                return self.found(q, mu, phi)
            if longest > LONGEST:
                step *= LONGEST / longest
            q = self.driven(moved(self.system, q, step))
            r = self.left_over(q)
        return self.none_found(q, r)

    def driven(self, q: Array) -> Array:
        """Coordinates with those of driven joints put in."""
        row = self.row(q)
        return self.machine.plan.columns.part(row[None], "q")[0].copy()

    def row(self, q: Array) -> Array:
        _, row = self.machine.accelerations(self.time, q, self.rest)
        functions = self.machine.plan.functions
        if functions.error is not None:
            error, functions.error = functions.error, None
            if isinstance(error, LoadError):
                raise error
            raise LoadError(f"{functions.failed} raised {error!r}") from error
        return row

    def left_over(self, q: Array) -> Array:
        """Generalized forces that nothing balances at rest."""
        columns, row = self.machine.plan.columns, self.row(q)[None]
        external = [
            (i, node, wrench)
            for (_, i, node), wrench in zip(
                self.machine.plan.slots, columns.part(row, "wrench")[0].reshape(-1, 6), strict=True
            )
        ]
        needed = engine.inverse_dynamics(self.system, q, self.rest, self.rest, external)
        return columns.part(row, "force")[0] - needed

    def motions(self, q: Array) -> tuple[Array, Array]:
        """Eigenvalues mu and motions phi (1) of the free coordinates."""
        from scipy.linalg import eigh

        n = len(self.free)
        K = np.zeros((n, n))
        for column, k in enumerate(self.free):
            s = np.zeros(self.system.n_v)
            s[k] = h = SPACING * self.size[k]
            ahead, behind = (self.left_over(moved(self.system, q, x)) for x in (s, -s))
            K[:, column] = (behind - ahead)[self.free] / (2 * h)
        M = engine.mass_matrix(self.system, q) + np.diag(self.machine.plan.armature)
        M = M[np.ix_(self.free, self.free)]
        mu, phi = eigh((K + K.T) / 2, (M + M.T) / 2)
        return mu, phi

    def found(self, q: Array, mu: Array, phi: Array) -> State:
        lowest = int(np.argmin(mu)) if len(mu) else 0
        if len(mu) and mu[lowest] < -1e-6 * np.abs(mu).max():
            worst = self.free[int(np.argmax(np.abs(phi[:, lowest]) / self.size[self.free]))]
            warnings.warn(
                "the equilibrium is unstable: a small motion of "
                f"{self.system.layout.owner_v(int(worst))} grows",
                SimulationWarning,
                stacklevel=4,
            )
        return State(self.system, q, np.zeros(self.system.n_v))

    def none_found(self, q: Array, r: Array) -> State:
        x = np.zeros(self.system.n_v)
        mu, phi = self.motions(q)
        push = phi.T @ r[self.free]
        loose = np.abs(mu) <= LOOSE * np.abs(mu).max(initial=0.0)
        if np.linalg.norm(push[loose]) > LOOSE * np.linalg.norm(push):
            push[~loose] = 0.0  # what is held has not arrived because the rest runs away
        x[self.free] = phi @ push
        k = int(np.argmax(np.abs(x) / self.size))
        owner = self.system.layout.owner_v(k)
        name = self.system.names[self._body(k)]
        raise SingularError(
            f"no equilibrium found in {MOST_STEPS} steps: {owner} is still accelerated by "
            f"{x[k]:.3g} and nothing holds it; hold the joint (held=[{name!r}]), add a spring or "
            "remove the force that pushes it",
            body=name,
        )

    def _body(self, k: int) -> int:
        layout = self.system.layout
        for i in range(self.system.n_body):
            if layout.modal_v(i).start <= k < layout.hinge_v(i).stop:
                return i
        return 0


def moved(system: System, q: Array, s: Array) -> Array:
    """Coordinates after small motions s of the speeds."""
    new, layout = q.copy(), system.layout
    for i, joint in enumerate(system.joints):
        new[layout.modal_q(i)] += s[layout.modal_v(i)]
        piece, motion = layout.hinge_q(i), s[layout.hinge_v(i)]
        if joint.has_quaternion:
            angle = np.linalg.norm(motion[:3])
            half = 0.5 * np.sinc(angle / (2 * np.pi)) * motion[:3]
            turned = np.cos(angle / 2) * q[piece][:4] + quaternion_product_map(q[piece][:4]) @ half
            new[piece.start : piece.start + 4] = turned / np.linalg.norm(turned)
            if joint.n_v == 6:
                shift = quaternion_rotation(q[piece][:4]) @ left_jacobian(motion[:3]) @ motion[3:]
                new[piece.start + 4 : piece.stop] += shift
        elif isinstance(joint, (SimpleJoint, CompoundJoint)):
            half = q[piece] + 0.5 * joint.rate_map(q[piece]) @ motion
            new[piece] += joint.rate_map(half) @ motion
        else:
            new[piece] += motion
    return new
