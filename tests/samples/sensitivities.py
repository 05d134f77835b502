"""Mechanisms whose runs are differentiated, and what their derivatives are compared with."""

from __future__ import annotations

import numpy as np

import lissom as ls
from lissom.algorithms.tree.coordinates import moved

STEP, DURATION = 0.01, 0.1
TIMES = np.array([0.0, 0.03, 0.06, 0.1])


def chain(level="full", modulus=2e7):
    """A turning column, a flexible link and a rigid one on a slide, in three dimensions."""
    model = ls.Model("chain", gravity=(0.5, -1.0, -9.81))
    column = ls.RigidBody.box(3.0, (0.2, 0.3, 0.5), com=(0.05, 0, 0.2))
    model.add(column, ls.Revolute("z"), name="column")
    soft = ls.Material("soft", youngs_modulus=modulus, density=1200)
    boom = ls.beam(0.9, ls.Tube(radius=0.03, thickness=0.003), soft, modes=3, level=level)
    model.add(boom, ls.Universal("y", "x"), to="column", at=(0.1, 0, 0.4), name="boom",
              rotation={"axis": "z", "angle": 0.3})  # fmt: skip
    hand = ls.RigidBody.box(0.5, (0.1, 0.2, 0.1), com=(0.1, 0.02, 0))
    model.add(hand, ls.Prismatic("x"), to="boom.tip", name="hand")
    return model.compile()


def moving(system, seed=1, deflected=0.01):
    rng = np.random.default_rng(seed)
    v = 0.5 * rng.normal(size=system.n_v)
    q = 0.4 * rng.normal(size=system.n_v)
    for i in range(system.n_body):
        q[system.layout.modal_v(i)] *= deflected
        v[system.layout.modal_v(i)] *= 2 * deflected
    return system.state(moved(system, system.neutral().q, q), v)


def drive(values, kind="linear"):
    return ls.Actuator("column", ls.Table(TIMES, values, kind=kind), ratio=2.0)


def with_field(system, **fields):
    """The system with complex constants."""
    other = object.__new__(ls.System)
    other.__dict__.update({k: x for k, x in system.__dict__.items() if k != "derived"} | fields)
    return other


def check(found, ends, e):
    expected = np.array([end.imag / e for end in ends]).T
    scale = np.maximum(1.0, np.abs(expected).max(axis=0))
    assert np.all(np.abs(found - expected) <= 1e-9 * scale)


def floating(level="full"):
    """A free base with a flexible boom on a ball joint."""
    model = ls.Model("floating", gravity=(0, 0, -2.0))
    model.add(ls.RigidBody.box(5.0, (0.5, 0.4, 0.3), com=(0.02, 0.01, 0)), ls.Free(), name="base")
    soft = ls.Material("soft", youngs_modulus=2e7, density=1200)
    tube, few = ls.Tube(radius=0.03, thickness=0.003), {"bending": 2, "torsion": 0, "stretch": 0}
    if level == "exact":
        boom = ls.rod(0.9, tube, soft, **few)
    else:
        boom = ls.beam(0.9, tube, soft, level=level, **few)
    model.add(boom, ls.Spherical(), to="base", at=(0.3, 0.1, 0), name="boom")
    model.add(ls.RigidBody.sphere(0.3, 0.05), ls.Fixed(), to="boom.tip", name="tip")
    return model.compile()


def deviation(one, other, v_one, v_other, system):
    """[displacement; change of speeds] between two states of free and ball joints."""
    found = np.zeros(system.n_v)
    for i, joint in enumerate(system.joints):
        q, v = system.layout.hinge_q(i), system.layout.hinge_v(i)
        m, d = system.layout.modal_q(i), system.layout.modal_v(i)
        found[d] = other[m] - one[m]
        if not joint.has_quaternion:
            found[v] = other[q] - one[q]
            continue
        a, b = one[q][:4], other[q][:4]
        found[v][:3] = 2 * (a[0] * b[1:] - b[0] * a[1:] - np.cross(a[1:], b[1:]))
        if joint.n_v == 6:
            found[v][3:] = joint.pose(one[q])[0].T @ (other[q][4:] - one[q][4:])
    return np.concatenate([found, v_other - v_one])


def central(run, system, spacing):
    """Derivative of the end of a run(h) by a fourth-order difference."""
    q, v = run(0.0)
    ends = {k: deviation(q, run(k * spacing)[0], v, run(k * spacing)[1], system)
            for k in (-2, -1, 1, 2)}  # fmt: skip
    return (8 * (ends[1] - ends[-1]) - (ends[2] - ends[-2])) / (12 * spacing)


def objective(time, q, v):
    """Smooth function of all states, in three numbers of each row."""
    weight = np.linspace(0.2, 1.0, len(time))
    value = np.sum(weight * (q[:, 0] ** 2 + np.sin(q[:, -1]) + v[:, 1] ** 3))
    by_q, by_v = np.zeros_like(q), np.zeros_like(v)
    by_q[:, 0] = 2 * weight * q[:, 0]
    by_q[:, -1] += weight * np.cos(q[:, -1])
    by_v[:, 1] = 3 * weight * v[:, 1] ** 2
    return value, by_q, by_v


def difference(end, spacing):
    """Derivative of end(h) at zero, of order six."""
    pairs = [end(k * spacing) - end(-k * spacing) for k in (1, 2, 3)]
    return (45 * pairs[0] - 9 * pairs[1] + pairs[2]) / (60 * spacing)


def check_adjoint(system, state, forward, given):
    found = ls.gradient(system, state, objective, **given)
    _, by_q, by_v = objective(forward.time, forward.q, forward.v)
    by_state = np.concatenate([by_q, by_v], axis=1)
    for own, theirs in (
        (found.state, forward.state),
        (found.parameters, forward.parameters),
        *zip(found.controls, forward.controls, strict=True),
    ):
        assert np.allclose(own, np.einsum("kn,knp->p", by_state, theirs), rtol=1e-9, atol=1e-11)
