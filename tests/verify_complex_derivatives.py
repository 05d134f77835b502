"""Every hand-derived derivative against the same kernels, evaluated for complex numbers.

The mechanisms are those of `tests.samples.device_cases`: all levels, joints and rods, random trees,
loops and couplings; with words only those whose names contain one.  Prints the worst relative error
of each quantity; the last line is the result, the exit status 1 if one is above the tolerance.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict

os.environ |= {"LISSOM_KERNELS": "numba", "NUMBA_OPT": "1", "NUMBA_LOOP_VECTORIZE": "0"}
os.environ |= {"NUMBA_SLP_VECTORIZE": "0"}

import tests.references.complex_kernels as kernels  # isort: skip  before all other kernels
import numpy as np

import lissom as ls
from lissom.algorithms.tree import engine
from lissom.algorithms.tree.derivatives import qdot
from lissom.kernels import fields as field
from lissom.kernels.layout.rows import pieces
from lissom.kernels.quantities import FORWARD, FRAME, INVERSE, TOTALS
from lissom.sim.run.machine import Machine
from tests.samples.device_cases import arm, closed_states, open_systems, rods
from tests.samples.kernel_cases import far_state, flexible
from tests.tools.derivative_checks import random_external

TOLERANCE = 1e-10
SMALL = 1e-3  # entries below this are rounding errors of larger ones
MOST_SPEEDS = 60  # of a mechanism: complex columns cost the square of them
ALL = engine.ALL
MOVED = ALL | field.ACCELERATED
H = kernels.STEP


class Complex:
    """A system as arrays of complex numbers, with external forces."""

    def __init__(self, system: ls.System, external=()) -> None:
        with engine._Loaded(system, external, None) as work:
            self.arrays = (
                work.packed.ints,
                work.packed.floats.astype(complex),
                work.scratch.astype(complex),
            )
        self.system = system

    def __call__(self, row, q, v, x, flags: int, place=()) -> np.ndarray:
        """Quantity of a state: a row of `kernels.quantities` whose result is a vector."""
        (size,) = row.shape(self.system.n_v)
        vectors = [np.array(a, complex) for a in (q, v, x, place)]
        out = np.zeros((1, size), complex)
        failed = kernels.quantity(row)(*self.arrays, *vectors, out, flags, 0, 1)
        assert failed == -1, self.system.names
        return out[0]


def slopes(evaluate, vectors, which: int, directions) -> np.ndarray:
    """Derivatives of evaluate(*vectors) by one of the vectors along directions, as columns."""
    columns = []
    for along in np.asarray(directions).T:
        shifted = [x + 1j * H * along if k == which else x for k, x in enumerate(vectors)]
        columns.append(evaluate(*shifted).imag / H)
    return np.array(columns).T


def rate_map(state: ls.State) -> np.ndarray:
    """Rates of the coordinates by speeds, (n_q, n_v)."""
    system = state.system
    columns = [qdot(system, system.state(state.q, e)) for e in np.eye(system.n_v)]
    return np.array(columns).T.reshape(system.n_q, system.n_v)


def error(actual, expected, least: float = SMALL) -> float:
    """Largest difference relative to the largest entry, if that is not next to nothing."""
    size = np.abs(expected).max(initial=0.0)
    return float(np.abs(actual - expected).max(initial=0.0) / max(size, least))


def of_inverse(state: ls.State, rng):
    """Errors of the derivatives of the inverse dynamics of a tree: quantities and errors."""
    return of_dynamics(state, rng, INVERSE, MOVED, engine.inverse_derivatives, "acceleration")


def of_forward(state: ls.State, rng):
    """Errors of the derivatives of the forward dynamics of a tree."""
    return of_dynamics(state, rng, FORWARD, ALL, engine.forward_derivatives, "force")


def of_dynamics(state: ls.State, rng, row, flags, derivatives, third: str):
    """Errors by q, v and the third vector of a row of the table of quantities."""
    system, q, v, n = state.system, state.q.copy(), state.v.copy(), state.system.n_v
    x, external = rng.standard_normal(n), random_external(system, rng)
    acting, one = Complex(system, external), np.eye(n)

    def result(q, v, x):
        return acting(row, q, v, x, flags)

    _, D = derivatives(system, q, v, x, external)
    for k, (name, along) in enumerate((("q", rate_map(state)), ("v", one), (third, one))):
        yield f"{row.name} dynamics by {name}", error(D[k], slopes(result, (q, v, x), k, along))


def of_motion(state: ls.State, rng):
    """Errors of the derivatives of energies and of the motion of one body of a tree."""
    system, q, v, n = state.system, state.q.copy(), state.v.copy(), state.system.n_v
    x, bare, N, one = rng.standard_normal(n), Complex(system), rate_map(state), np.eye(n)

    def energies(q, v):
        return bare(TOTALS, q, v, v, field.ACCELERATED)[:3]

    if not any(body.n_mode and body.level in ("linear", "ruthless") for body in system.bodies):
        # those levels have forces that belong to no energy
        flags = field.GRAVITY | field.ELASTIC
        forces = engine.inverse_dynamics(system, q, 0 * v, 0 * v, flags=flags)
        stored = slopes(energies, (q, 0 * v), 0, N)[1:].sum(axis=0)
        yield "potential and strain energy by q", error(forces, stored)
    momentum = slopes(energies, (q, v), 1, one)[0]
    yield "kinetic energy by v", error(ls.mass_matrix(system, state) @ v, momentum)
    name = system.names[int(rng.integers(system.n_body))]
    where = engine.node_constants(system, *_place(system, name)).astype(complex)
    there = ls.frame_derivatives(system, state, name, x)

    def velocity(q, v):
        return bare(FRAME, q, v, v, field.ACCELERATED, where)[12:]

    def acceleration(q, v):
        flags = field.RATES | field.ACCELERATED
        return bare(FRAME, q, v, x, flags, where)[12:]

    yield "velocity of a frame by q", error(there.velocity_q, slopes(velocity, (q, v), 0, N))
    yield "Jacobian of a frame", error(there.jacobian, slopes(velocity, (q, v), 1, one))
    for k, (along, by) in enumerate(((N, there.acceleration_q), (one, there.acceleration_v))):
        expected = slopes(acceleration, (q, v), k, along)
        yield f"acceleration of a frame by {'qv'[k]}", error(by, expected)


def _place(system: ls.System, name: str) -> tuple[int, int]:
    frame = system.place(name)
    return frame.body, frame.node


def of_loops(state: ls.State, rng):
    """Errors of the derivatives along the free motions of a closed state."""
    system, n = state.system, state.system.n_v
    f, acting, N = rng.standard_normal(n), Complex(system), rate_map(state)
    along = ls.forward_dynamics_derivatives(system, state, f)

    def accelerations(q, v, f):
        return acting(FORWARD, q, v, f, ALL)

    Z, Y = along.motions, along.speeds
    columns = [
        accelerations(state.q + 1j * H * (N @ z), state.v + 1j * H * y, f).imag / H
        for z, y in zip(Z.T, Y.T, strict=True)
    ]
    yield "closed accelerations by q", error(along.q, np.reshape(columns, (-1, n)).T)
    by_v = slopes(accelerations, (state.q, state.v, f), 1, Z)
    yield "closed accelerations by v", error(along.v, by_v.reshape(n, -1))
    by_f = slopes(accelerations, (state.q, state.v, f), 2, np.eye(n))
    yield "closed accelerations by force", error(along.forces, by_f)


def of_loads(state: ls.State, loads):
    """Errors of the derivatives of the forces of loads."""
    system, N, caught = state.system, rate_map(state), []
    whole = Machine.load_derivatives

    def catch(machine):
        caught[:] = [machine]
        return whole(machine)

    Machine.load_derivatives = catch
    try:
        derivatives = ls.load_derivatives(system, state, loads)
    finally:
        Machine.load_derivatives = whole
    m = caught[0]
    m.pieces.slots[:] = m._clear_slots
    in_memory = m.head.memory
    real = (m.plan.packed.floats, m.scratch)
    arrays = [x.astype(complex) for x in real]
    rest = [x.astype(complex) for x in (m.table, m.memory, m.work, m._mass)]

    def forces(q, v):
        out = np.zeros(system.n_v, complex)
        table, memory, work, mass = (x.copy() for x in rest)
        start = pieces(memory, in_memory)
        start.q[:], start.v[:] = q, v
        status = kernels.load_forces()(
            m.ints, *(x.copy() for x in arrays), m.elements, table, memory, work, mass, out
        )
        assert status == 0
        return out

    yield "forces of loads", error(derivatives.forces, forces(state.q, state.v).real)
    by_q = slopes(forces, (state.q, state.v), 0, N)
    yield "loads by q", error(derivatives.q, by_q)
    by_v = slopes(forces, (state.q, state.v), 1, np.eye(system.n_v))
    least = max(SMALL, np.abs(by_q).max())  # fields and rotors: differences of their forces
    yield "loads by v", error(derivatives.v, by_v, least)


def loaded():
    """Mechanisms with loads: names, states and loads."""
    rng = np.random.default_rng(3)
    for name, system in (("arm", arm(level="full")), ("stiffened arm", arm(level="stiffened"))):
        state = far_state(system, rng, deformation=0.01, spread=0.4, speed=0.5)
        for load in (
            ls.JointSpring("hand", stiffness=3.0, damping=0.1),
            ls.JointDamper("hand", 0.05),
            ls.JointFriction("link", 0.02),
            ls.JointStop("link", -1e-3, 1e-3, stiffness=300.0, damping=0.2),
            ls.Servo("link", 0.3, kp=20.0, kd=2.0, ki=1.0),
            ls.NodeForce("link.tip", force=(0.2, 0.3, 1.0)),
            ls.NodeForce("link.tip", force=(0.2, 0.3, 1.0), moment=(0.1, 0.2, 0.3), axes="world"),
            ls.NodeSpring("hand", (0, 0, 0.5), 2.0, damping=0.1, length=0.3),
            ls.NodeSpring("hand", "link", 2.0, damping=0.1, length=0.3),
        ):
            yield f"{name}, {type(load).__name__}", state, [load]
        yield f"{name}, Rotor", state, [ls.Rotor("hand", 0.01, 50.0, axis=(1.0, 0.4, 0.2))]
    model = ls.Model("floating", gravity=(0.0, 0.0, 0.0))
    model.add(flexible(1, lumps=True), ls.Free(), name="body")
    state = far_state(model.compile(), rng, deformation=0.01, spread=0.4, speed=0.5)
    yield "floating body, CentralGravity", state, [ls.CentralGravity(50.0, center=(0, 0, -3.0))]
    system = rods(bending=2)
    state = far_state(system, rng, deformation=0.01, spread=0.4, speed=0.5)
    yield "rods, NodeSpring", state, [ls.NodeSpring("hand", "first.tip", 5.0, damping=1.0)]


def cases():
    """Name of each case, and what yields its errors."""
    for k, (name, system, deformation) in enumerate(open_systems()):
        if 0 < system.n_v <= MOST_SPEEDS:
            state = far_state(system, np.random.default_rng(k), deformation=deformation)
            for what, errors in (
                ("inverse", of_inverse),
                ("forward", of_forward),
                ("motion", of_motion),
            ):
                yield f"{name}: {what}", errors(state, np.random.default_rng(k))
    for k, (name, state) in enumerate(closed_states()):
        if state.system.constraints:
            yield f"{name}: closed", of_loops(state, np.random.default_rng(k))
    for name, state, loads in loaded():
        yield f"{name}: load", of_loads(state, loads)


def main(words: list[str]) -> int:
    """Check all cases, or those with one of some words in their names."""
    worst, failed, count, start = defaultdict(lambda: (0.0, "")), [], 0, time.monotonic()
    for name, errors in cases():
        if words and not any(word in name for word in words):
            continue
        count += 1
        for quantity, off in errors:
            worst[quantity] = max(worst[quantity], (off, name))
            if not off <= TOLERANCE:
                failed.append(f"{quantity} of {name}")
                print(f"{name}: {quantity} differs by {off:.1e}", flush=True)
    for quantity, (off, name) in worst.items():
        print(f"{quantity}: {off:.1e} ({name})")
    print(f"{time.monotonic() - start:.0f} s")
    if failed:
        print(f"{len(failed)} derivatives of {count} mechanisms differ")
        return 1
    print(
        f"{len(worst)} quantities of {count} mechanisms, all to "
        f"{max(off for off, _ in worst.values()):.0e} of their complex steps"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
