"""Mechanisms with loads on the joint that closes a loop, and the same cut at another joint."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

import lissom as ls
from tests.samples.flexible_arms import flexible_body

MASS, COM, INERTIA = 1.2, np.array([0.1, -0.2, 0.15]), (0.3, 0.4, 0.5)
BODY = ls.RigidBody(MASS, COM, INERTIA)
SEAT, TURN = (0.4, 0.1, -0.3), Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()
TIP = np.array([0.5, -0.2, 0.3])  # of the right body, where a ball joint holds it
JOINTS = {
    "revolute": (ls.Revolute((0.6, 0.0, 0.8)), 0.4),
    "prismatic": (ls.Prismatic("y"), 0.2),
    "screw": (ls.Screw("x", 0.1), 0.5),
    "cylindrical": (ls.Cylindrical("z"), [0.3, -0.1]),
    "universal": (ls.Universal("x", "y"), [0.3, -0.4]),
    "planar": (ls.Planar("z"), [0.1, 0.2, 0.3]),
    "ball": (ls.Spherical(), np.array([0.9, 0.3, -0.1, 0.2]) / np.sqrt(0.95)),
    "compound": (ls.CompoundJoint([*np.eye(6)[[0, 4]]]), [0.3, 0.1]),
}


class Ring:
    """Free body "left", hinge, right body, ball, ground: cut at the hinge, or at the ball.

    The joint between the two bodies is "hinge" in both: that of a body, or of a loop.
    """

    def __init__(self, joint, coordinates, left=BODY):
        seat = "left" if left is BODY else "left.tip"
        model = self._model(left)
        model.add(BODY, joint, to=seat, at=SEAT, rotation=TURN, name="hinge")
        turned = Rotation.from_rotvec([0.5, -0.4, 0.8]).as_quat()[[3, 0, 1, 2]]
        free = model.compile()
        start = free.state(left=[*turned, 0.2, -0.1, 0.3], hinge=coordinates)
        anchor = ls.pose(free, start, "hinge", at=TIP).position
        model.close(ls.Spherical(), None, "hinge", at_a=anchor, at_b=TIP, name="ball")
        self.tree = model.compile()
        rates = np.random.default_rng(3).normal(size=self.tree.n_v)
        self.on_tree = ls.assemble(self.tree, self.tree.state(q=start.q, v=rates))
        model = self._model(left)
        right = ls.RigidBody(MASS, COM - TIP, INERTIA)  # from its ball joint
        model.add(right, ls.Spherical(), at=anchor, name="right")
        model.close(joint, seat, "right", at_a=SEAT, rotation_a=TURN, at_b=-TIP, name="hinge")
        self.loop = model.compile()
        self.on_loop = self._state_of_loop()

    @staticmethod
    def _model(left):
        model = ls.Model("ring", gravity=(1.0, -9.81, 2.0))
        model.add(left, ls.Free(), name="left")
        return model

    def _state_of_loop(self):
        tree, state, layout = self.tree, self.on_tree, self.loop.layout
        turn = ls.pose(tree, state, "hinge").rotation
        q, v = self.loop.neutral().q.copy(), np.zeros(self.loop.n_v)
        n, n_v = layout.hinge_q("left").stop, layout.hinge_v("left").stop
        q[:n], v[:n_v] = state.q[:n], state.v[:n_v]
        q[layout.hinge_q("right")] = Rotation.from_matrix(turn).as_quat()[[3, 0, 1, 2]]
        v[layout.hinge_v("right")] = turn.T @ ls.velocity(tree, state, "hinge")[:3]
        return self.loop.state(q, v)

    def runs(self, loads, **settings):
        """The same run, cut at the hinge and at the ball."""
        of_loop = ls.simulate(self.loop, self.on_loop, loads=loads, **settings)
        return of_loop, ls.simulate(self.tree, self.on_tree, loads=loads, **settings)

    def apart(self, one, other):
        """Largest difference between the attitudes of both bodies in two runs."""
        names = {"left": "left", "right": "hinge"}
        turns = [np.abs(one[f"{a}.rotation"] - other[f"{b}.rotation"]) for a, b in names.items()]
        return max(x.max() for x in turns)

    def accelerations(self, forces, **settings):
        """Accelerations of both bodies, cut at the hinge and at the ball."""
        cases = (self.loop, self.on_loop, "right", -TIP), (self.tree, self.on_tree, "hinge", None)
        found = []
        for system, state, right, at in cases:
            vdot = ls.forward_dynamics(system, state, forces, **settings)
            left = ls.acceleration(system, state, "left", vdot)
            found.append([left, ls.acceleration(system, state, right, vdot, at=at)])
        return np.array(found)


@cache
def ring(name):
    if name == "rod":
        stiffness = (20.0, 40.0, 30.0, 1e3, 1.0, 1.0)
        soft = ls.Rod(1.5, stiffness, 0.6, (1e-3,) * 3, bending=2, torsion=1)
        return Ring(*JOINTS["revolute"], left=soft)
    if name == "flexible":
        return Ring(*JOINTS["revolute"], left=flexible_body(3, lumps=True, damping=0.02))
    return Ring(*JOINTS[name])


def size(found):
    return np.abs(found).max()


WHEEL = ls.RigidBody(2.0, (0, 0, 0), (0.3, 0.3, 0.5))


def wheel():
    """A wheel that nothing but the joint of a loop holds."""
    model = ls.Model("wheel")
    model.add(WHEEL, ls.Free(), name="wheel")
    model.close(ls.Revolute("z"), None, "wheel", name="axle")
    return model.compile()


def two_wheels(away=0.0):
    """A free base with two wheels, each held by the joint of a loop only."""
    model = ls.Model("two")
    model.add(BODY, ls.Free(), name="base")
    for name, y in (("one", 0.5), ("two", -0.5)):
        model.add(WHEEL, ls.Free(), to="base", name=f"{name}_wheel")
        axes = Rotation.from_rotvec([0.4 * y, 0.2, 0.0]).as_matrix()
        place = {"at_a": (0.1, y, 0), "rotation_a": axes}
        model.close(ls.Revolute("z"), "base", f"{name}_wheel", name=name, **place)
    system = model.compile()
    start = system.state(base=[1, 0, 0, 0, away, 0, 0])
    return system, ls.assemble(system, start, held=["base"])
