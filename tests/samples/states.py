"""States of a tree and of a loop, and the content of any result."""

from __future__ import annotations

import dataclasses
import io

import numpy as np

import lissom as ls
from lissom.algorithms.operators.operators import Operators

RNG = np.random.default_rng(3)


def arm():
    """Free hub with a flexible link and a hand on a ball joint, so that q has quaternions."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    boom = ls.beam(1.0, ls.Tube(0.05, 0.002), ls.ALUMINIUM, bending=1, torsion=0, stretch=0)
    model.add(ls.RigidBody.box(2.0, (0.3, 0.2, 0.1)), ls.Free(), name="hub")
    model.add(boom, ls.Revolute("y"), to="hub", name="link")
    model.add(ls.RigidBody.box(1.0, (0.1, 0.2, 0.3)), ls.Spherical(), to="link.tip", name="hand")
    return model.compile()


def four_bar():
    """Three rods hinged to each other and to the ground."""
    model = ls.Model("four-bar", gravity=(0, 0, -9.81))
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(rod, ls.Revolute("y"), name="left")
    model.add(rod, ls.Revolute("y"), to="left", at=(1, 0, 0), name="top")
    model.add(rod, ls.Revolute("y"), to="top", at=(1, 0, 0), name="right")
    model.close(ls.Revolute("y"), None, "right", at_a=(1.2, 0, 0), at_b=(1, 0, 0), name="pin")
    return model.compile()


TREE, LOOP = arm(), four_bar()

STATE = TREE.state(TREE.neutral().q + np.r_[np.zeros(4), RNG.normal(size=6), np.zeros(4)] / 10)
STATE = STATE.replace(v=RNG.normal(size=TREE.n_v))
CLOSED = ls.assemble(LOOP, LOOP.state(left=-1.3, top=1.2, right=1.5))

ACCELERATIONS = RNG.normal(size=TREE.n_v)


def bits(result):
    """Content of a result of any of the functions, without its rounding."""
    if isinstance(result, np.ndarray):
        return result.dtype.str, result.shape, result.tobytes()
    if isinstance(result, tuple | list):
        return [bits(x) for x in result]
    if isinstance(result, dict):
        return [(key, bits(x)) for key, x in result.items()]
    if isinstance(result, ls.State):
        return bits([result.q, result.v])
    if isinstance(result, ls.Trajectory):
        return bits([result.time, result.q, result.v])
    if isinstance(result, Operators):
        return bits([result.mass.as_matrix(), result.P.as_matrix()])
    if isinstance(result, ls.Closure):
        return bits([result.gap, result.rate, result.jacobian, result.bias])
    if hasattr(result, "savefig"):
        file = io.BytesIO()
        result.savefig(file, format="rgba", dpi=50)
        return file.getvalue()
    if dataclasses.is_dataclass(result):
        return [bits(getattr(result, field.name)) for field in dataclasses.fields(result)]
    assert result is None or isinstance(result, int | float | str), type(result)
    return repr(result)
