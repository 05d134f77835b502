"""An arm with frames, for the tests of frames."""

import numpy as np

import lissom as ls

BOOM = ls.beam(1.2, ls.Tube(radius=0.03, thickness=0.002), ls.ALUMINIUM, modes=4)
HAND = ls.RigidBody.box(0.8, (0.1, 0.2, 0.3), com=(0.1, 0.0, 0.05))


def arm():
    """A flexible arm with a hand, and frames on both, on each other and on the ground."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(BOOM, ls.Universal("z", "y"), name="upper", at=(0, 0, 0.5))
    model.frame("flange", on="upper.tip", at=(0.05, 0.0, -0.1), rotation={"rpy": (0.2, -0.3, 0.5)})
    model.add(HAND, ls.Revolute("x"), name="hand", to="flange", at=(0.02, 0, 0))
    model.frame(
        "tool", on="camera", at=(0.05, 0.3, -0.1), rotation={"axis": (1, 1, 0), "angle": 0.8}
    )
    model.frame("camera", on="hand", at=(0.1, 0.2, 0.3), rotation={"axis": "y", "angle": -0.4})
    model.frame("goal", at=(1, 2, 3), rotation={"axis": "z", "angle": 1.0})
    return model


def homogeneous(rotation, position):
    return np.block([[rotation, np.reshape(position, (3, 1))], [np.zeros((1, 3)), 1.0]])


def matrix(pose):
    return homogeneous(pose.rotation, pose.position)
