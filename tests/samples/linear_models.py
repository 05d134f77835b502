"""Mechanisms for tests of linear models, and deviations between configurations."""

from __future__ import annotations

import numpy as np

import lissom as ls

SOFT = ls.Material("soft", youngs_modulus=7e7, density=2700.0, poisson_ratio=0.3)


def unit(*x):
    return np.array(x) / np.linalg.norm(x)


def robot():
    """A free hub, a boom on a universal joint, a ball joint, and a joint of two coupled motions."""
    model = ls.Model("robot", gravity=(0.3, -0.2, -1.0))
    model.add(ls.RigidBody.box(5.0, (1, 0.8, 0.6), com=(0.05, 0.02, -0.03)), ls.Free(), name="hub")
    boom = ls.beam(1.0, ls.Tube(radius=0.03, thickness=0.002), SOFT, bending=2)
    model.add(boom, ls.Universal("z", "y"), to="hub", at=(0.5, 0, 0), name="boom")
    box = ls.RigidBody.box(0.3, (0.2, 0.3, 0.1), com=(0.1, 0.02, 0))
    model.add(box, ls.Spherical(), to="boom.tip", name="ball")
    helix = np.transpose([[0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0]])
    model.add(box, ls.SimpleJoint(helix), to="ball", at=(0.2, 0, 0), name="end")
    model.frame("tool", on="ball", at=(0.1, 0.2, 0.3), rotation={"axis": "x", "angle": 0.7})
    return model.compile()


def moving(system):
    """State of the robot in which everything moves."""
    v = 0.3 * np.random.default_rng(3).normal(size=system.n_v)
    modes = 0.01 * np.ones(len(system.state()["boom.modes"]))
    hub = [*unit(0.9, 0.1, 0.3, 0.2), 0.1, 0.2, 0.3]
    ball = unit(0.8, 0.2, 0.4, -0.3)
    pieces = {"hub": hub, "boom": [0.3, 0.4], "boom.modes": modes, "ball": ball, "end": [0.2, 0.3]}
    return system.state(**pieces).replace(v=v)


def robot_loads(integral=(0.0, 0.0), motor=(0.3, 0.2)):
    return [
        ls.Servo("boom", [0.1, 0.2], kp=5.0, kd=1.0, ki=2.0, integral=list(integral)),
        ls.NodeSpring("tool", (1.0, 2.0, 3.0), 30.0, damping=1.0, length=0.5),
        ls.Actuator("boom", list(motor), rotor_inertia=0.2, ratio=2.0, name="motor"),
    ]


def moved(system, q, delta):
    """Coordinates after small motions of the speeds."""
    new = np.array(q)
    for i, joint in enumerate(system.joints):
        layout = system.layout
        new[layout.modal_q(i)] += delta[layout.modal_v(i)]
        piece = layout.hinge_q(i)
        new[piece] = joint.moved(new[piece], delta[layout.hinge_v(i)])
    return new


def deviation(system, q, q0):
    """Small motions of the speeds that lead from q0 to q, to second order."""
    found = np.zeros(system.n_v)
    for i, joint in enumerate(system.joints):
        layout = system.layout
        found[layout.modal_v(i)] = q[layout.modal_q(i)] - q0[layout.modal_q(i)]
        piece = layout.hinge_q(i)
        N = joint.rate_map(q0[piece])
        found[layout.hinge_v(i)] = np.linalg.lstsq(N, q[piece] - q0[piece], rcond=None)[0]
    return found
