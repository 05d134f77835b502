"""Small mechanisms drawn at random: trees, loops, couplings, flexible and rigid bodies, loads.

Nothing about them is sensible: joints may be held until nothing moves, loops may leave no freedom,
springs may push, states may be anywhere and may leave loops open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import lissom as ls

TUBE = ls.Tube(radius=0.02, thickness=0.002)
FLEXIBLE = [
    ls.beam(1.0, TUBE, ls.ALUMINIUM, bending=1, torsion=0, stretch=0, level=level)
    for level in ("full", "stiffened", "linear")
] + [ls.rod(1.0, ls.Circle(0.01), ls.STEEL, bending=1, torsion=0, stations=4)]
TWO_AXES = (ls.Universal("x", "y"), ls.Cylindrical("z"), ls.Planar("z"))
KINDS = (
    *(ls.Revolute("x"), ls.Revolute("y"), ls.Revolute("z"), ls.Prismatic("x"), ls.Prismatic("z")),
    *(ls.Fixed(), ls.Spherical(), ls.Screw("z", 0.1), *TWO_AXES),
)


class Drawn(NamedTuple):
    """A mechanism, a state of it, and arguments of the functions."""

    system: ls.System
    state: ls.State
    loads: list
    held: list[str]
    moved: str  # a body whose joint has one motion, or ""


def drawn(number: int) -> Drawn | None:
    """Mechanism of a number; None if the model itself is refused."""
    rng = np.random.default_rng([number, 13])
    gravity = (0, 0, -9.81) if rng.random() < 0.6 else (0, 0, 0)
    model = ls.Model(f"small {number}", gravity=gravity)
    names = [f"b{k}" for k in range(rng.integers(1, 5))]
    for k, name in enumerate(names):
        _add(model, rng, name, names[int(rng.integers(0, k))] if k else None)
    try:
        _close(model, rng, names)
        system = model.compile()
    except ls.ModelError:
        return None
    state = _state(rng, system)
    held = [name for name in names if rng.random() < rng.choice([0.0, 0.3, 1.0])]
    one = [n for n, joint in zip(system.names, system.joints, strict=True) if joint.n_v == 1]
    return Drawn(system, state, _loads(rng, system), held, str(rng.choice(one)) if one else "")


def _add(model, rng, name, to):
    place = np.round(rng.normal(size=3), 1) if rng.random() < 0.7 else np.zeros(3)
    body = ls.RigidBody.box(float(rng.choice([0.1, 1.0, 20.0])), (0.5, 0.2, 0.3), com=place / 2)
    if rng.random() < 0.35:
        body = FLEXIBLE[int(rng.integers(len(FLEXIBLE)))]
    elif rng.random() < 0.2:
        body = ls.RigidBody(1.0, com=place)  # a particle
    elif to and rng.random() < 0.1:
        body = ls.RigidBody(0.0)
    free = to is None and rng.random() < 0.2
    joint = ls.Free() if free else KINDS[int(rng.integers(len(KINDS)))]
    options = {} if to is None else {"to": to, "at": place}
    model.add(body, joint, name=name, **options)


def _close(model, rng, names):
    """Loops and couplings; those that do not close where the state is are part of the game."""
    for k in range(int(rng.choice([0, 0, 0, 1, 1, 2]))):
        a, b = (str(x) for x in rng.choice([*names, "ground"], 2))
        if a == b or a == "ground":
            continue
        joint = KINDS[int(rng.integers(len(KINDS)))]
        ends = {} if rng.random() < 0.5 else {"at_a": np.round(rng.normal(size=3), 1)}
        model.close(joint, a, None if b == "ground" else b, name=f"loop{k}", **ends)
    if len(names) > 1 and rng.random() < 0.2:
        model.couple({names[0]: 1.0, names[1]: float(rng.choice([-1.0, 2.0]))}, name="gear")


def _state(rng, system):
    size = rng.choice([0.0, 0.1, 1.0])
    q, v = system.neutral().q.copy(), np.zeros(system.n_v)
    for i, joint in enumerate(system.joints):
        theta = size * rng.normal(size=joint.n_q)
        if joint.has_quaternion:
            theta[:4] = [1.0, *(0.3 * size * rng.normal(size=3))]
            theta[:4] /= np.linalg.norm(theta[:4])
        q[system.layout.hinge_q(i)] = theta
        q[system.layout.modal_q(i)] = 0.003 * size * rng.normal(size=system.bodies[i].n_mode)
    if rng.random() < 0.5:
        v = rng.choice([0.1, 1.0, 30.0]) * rng.normal(size=system.n_v)
    elif rng.random() < 0.5 and system.n_v:
        v[rng.integers(system.n_v)] = 3.0
    state = system.state(q, v)
    if system.constraints and rng.random() < 0.8:
        try:
            return ls.assemble(system, state)
        except ls.LissomError:
            return state
    return state


def _loads(rng, system):
    loads = []
    for name, joint in zip(system.names, system.joints, strict=True):
        stiffness = float(rng.choice([0.0, 1e-3, 50.0, 1e7, -20.0]))
        if joint.n_v and rng.random() < 0.4:
            loads.append(ls.JointDamper(name, 1.0))
        if joint.n_v == 1 and stiffness and rng.random() < 0.5:
            q = "abs"
            forces = ls.JointSpring(name, abs(stiffness))
            if stiffness < 0:  # pushes away
                forces = ls.Actuator(name, lambda t, s, n=name, k=stiffness: -k * s[n][0], name=q)
            loads.append(forces)
        if rng.random() < 0.2:
            loads.append(ls.NodeForce(name, tuple(rng.normal(size=3))))
    return loads


CALLS = {
    "modes": lambda x: ls.modes(x.system, x.state, loads=x.loads, held=x.held),
    "modes without damping": lambda x: ls.modes(
        x.system, x.state, loads=x.loads, held=x.held, damped=False
    ),
    "linearize": lambda x: ls.linearize(
        x.system,
        x.state,
        loads=x.loads,
        held=x.held,
        inputs=[x.moved] if x.moved else [],
        outputs=[f"{x.system.names[-1]}.acceleration", f"{x.system.names[0]}.reaction"],
    ),
    "equilibrium": lambda x: ls.equilibrium(x.system, x.state, loads=x.loads, held=x.held),
    "trim": lambda x: ls.trim(x.system, x.state, loads=x.loads, held=x.held),
    "mode_sweep": lambda x: ls.mode_sweep(
        x.system,
        [0.0, 0.2],
        state=x.state,
        joint=x.moved or x.system.names[0],
        rates=bool(x.held),
        loads=x.loads,
        held=x.held,
        n=3,
    ),
    "sweep of rates": lambda x: ls.mode_sweep(
        x.system, [0.0, 2.0], joint=x.moved or x.system.names[0], rates=True, loads=x.loads
    ),
}


def numbers(result) -> list[np.ndarray]:
    """All numbers of a result."""
    if isinstance(result, ls.State):
        return [result.q, result.v]
    if isinstance(result, ls.linear.Trim):
        return [result.state.q, result.state.v, result.forces]
    if isinstance(result, ls.linear.LinearModel):
        return [result.A, result.B, result.C, result.D]
    if isinstance(result, ls.linear.ModeSweep):
        return [result.eigenvalues, result.mac]
    parts = result.eigenvalues, result.shapes, result.effective_mass, result.shares, result.mass
    return [*parts, result.damping]
