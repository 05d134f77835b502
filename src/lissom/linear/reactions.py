"""Moments and forces through joints, to first order.

For each state and input, with its deviations delta, nu, da, dT and dw (w the wrenches on nodes),
they are central differences of two spacings, extrapolated, of all reactions at
  g(h):  q moved by h delta,  v + h nu,  a + h da,  w + h dw                                  (1)
from inverse dynamics.  With loops the forces of the loops change, too, and g(h) follows from
forward dynamics under T + h dT - A_r (a + h da).  Deviations keep loops closed to first order in h;
what is open is of second order, and central differences do not see it.
With joints of users' own on a tree they are complex steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ..algorithms.loops.frames import loop_external, placed_loops
from ..algorithms.tree import engine
from ..algorithms.tree.coordinates import error_sizes, moved
from ..algorithms.tree.derivatives import compiled
from ..algorithms.tree.reference import External, inverse_dynamics, kinematics_base_to_tip
from ..system import State
from .directions import STEP, Directions

Array = np.ndarray

SPACING = 1e-3  # of (1), relative to the sizes of coordinates and speeds


def reaction_rows(name: str, x: Directions) -> Array:
    """Rows (6, m) of the moment and force of a joint on its body, body axes.

    Parameters
    ----------
    name : str
        Body that the joint carries.
    x : Directions
        Deviations of everything that it depends on.
    """
    i = x.system.layout.index(name)
    if compiled(x.system):
        rows: Array = x.once("reactions", lambda: _all_reactions(x))[i]
        return rows
    return _on_tree(i, x)


def _on_tree(i: int, x: Directions) -> Array:
    system, vdot = x.system, x.vdot

    def measure(state: State, a: Array, wrenches: Sequence[Array]) -> Array:
        motions = kinematics_base_to_tip(system, state.q, state.v)
        loads = [(b, n, w) for (b, n, _, _), w in zip(x.wrenches, wrenches, strict=True)]
        return np.array(inverse_dynamics(system, motions, a, loads)[1][i])

    given = [w for *_, w, _ in x.wrenches]
    by_q, by_v = x.slopes(lambda near: measure(near, vdot, given))
    rows = by_q @ x.delta + by_v @ x.nu
    for k in range(rows.shape[1]):
        step = 1j * STEP
        a = vdot + step * x.acceleration[:, k]
        wrenches = [w + step * dw[:, k] for *_, w, dw in x.wrenches]
        rows[:, k] += measure(x.state, a, wrenches).imag / STEP
    return rows


def _all_reactions(x: Directions) -> Array:
    """Rows (n_body, 6, m) of all joints."""
    sizes, pace = error_sizes(x.system)
    rows = np.zeros((x.system.n_body, 6, x.delta.shape[1]))
    for k in range(rows.shape[2]):
        farthest = np.abs(x.delta[:, k] / sizes).max(initial=0.0)
        farthest = max(farthest, np.abs(x.nu[:, k] / pace).max(initial=0.0))
        rows[:, :, k] = _slope(partial(_at, x, k), SPACING / farthest if farthest else 1.0)
    return rows


def _slope(along: Callable[[float], Array], h: float) -> Array:
    """Derivative from central differences of spacings h and h / 2."""
    far, near = ((along(s) - along(-s)) / (2 * s) for s in (h, h / 2))
    return (4 * near - far) / 3


def _at(x: Directions, k: int, h: float) -> Array:
    """All reactions (1) a step h along column k."""
    system = x.system
    q = moved(system, x.state.raw_q, h * x.delta[:, k])
    v, a = x.state.raw_v + h * x.nu[:, k], x.vdot + h * x.acceleration[:, k]
    loads = [(b, n, w + h * dw[:, k]) for b, n, w, dw in x.wrenches]
    if not system.constraints:
        return engine.joint_forces(system, q, v, a, loads)
    T = x.applied + h * x.force[:, k] - x.armature * a
    return joint_wrenches(State(system, q, v), T, loads)


def joint_wrenches(state: State, T: Array, loads: External) -> Array:
    """Moments and forces (n_body, 6) through all joints under given forces.

    Parameters
    ----------
    state : State
        Configuration and speeds.
    T : array (n_v,)
        Generalized forces.
    loads : sequence
        Spatial forces on nodes.
    """
    system, q, v = state.system, state.raw_q, state.raw_v
    a, loads = engine.forward_dynamics(system, q, v, T, loads), list(loads)
    if system.loops:
        wrenches = engine.loop_forces(system, q, v, T, loads)
        for loop, wrench in zip(placed_loops(system, q), wrenches, strict=True):
            loads += loop_external(loop, wrench)
    return engine.joint_forces(system, q, v, a, loads)
