"""Sampled controllers in a discrete linear model.

Their forces hold for a period, which is the step of the model.  With deviations x of the state and
m of the memories at a sample, and H, J what held forces do to the model without controllers,
  T = K x + L m      m_+ = E x + F m                                                          (1)
  x_+ = (A + H K) x + H L m + B u      y = (C + J K) x + J L m + D u                          (2)
K, L, E, F are differences of fourth order of the controllers' functions, about the state and about
the memory that a controller keeps there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import block_diag

from ..algorithms.tree.coordinates import error_sizes, moved
from ..errors import LoadError
from ..results.labels import Parts
from ..sim.loads import Controller
from ..sim.loads.forces import forces_of
from ..sim.signals.callbacks import is_compiled
from ..system import State
from .inputs import Inputs
from .linear_model import LinearModel

Array = np.ndarray

SPACING = 1e-3  # of the differences, in sizes of coordinates and speeds
SMOOTH = 1e-5  # relative difference of derivatives with this spacing and with half of it
SAME_PERIOD = 1e-9  # relative
SETTLED = 1e-12  # relative change of a memory that is kept
CALLS = 10_000  # after which a memory that still changes is said to go on changing

# (configuration, speeds, memory) -> forces, memory after the call
Law = Callable[[Array, Array, Array], tuple[Array, Array]]


class Sampled(NamedTuple):
    """Controllers about a state."""

    forces: Array  # (n_v,) of all controllers in the state
    # (n_v + n_memory, 2 n_v) K over E, by displacements along the speeds and by speeds
    by_state: Array
    by_memory: Array  # (n_v + n_memory, n_memory) L over F
    parts: Parts  # names of the memories


def sampled(
    state: State, controllers: Sequence[Controller], time: float, step: float | None
) -> Sampled:
    """Forces of controllers in a state, and their derivatives.

    `step`: sampling time of the model [s].
    """
    n, parts, slopes = state.system.n_v, [], []
    for one in controllers:
        _check_period(one, step)
        law, first = _law(one, state, time)
        memory = _steady_memory(one, law, state, first)
        slopes.append(_slopes(one, law, state, memory))
        parts += [(f"{one.name or one.place}.memory[{k}]", "") for k in range(len(memory))]
    forces, of_state, of_memory = zip(*slopes, strict=True)
    together = np.hstack([x[:n] for x in of_memory])
    return Sampled(
        forces=sum(forces, np.zeros(n)),
        by_state=np.vstack([sum(x[:n] for x in of_state), *(x[n:] for x in of_state)]),
        by_memory=np.vstack([together, block_diag(*(x[n:] for x in of_memory))]),
        parts=tuple(parts),
    )


def with_all_forces(inputs: Inputs, n: int) -> Inputs:
    """Inputs followed by all n generalized forces."""
    none = np.zeros(n)
    return Inputs(
        parts=(*inputs.parts, *((f"force {k}", "") for k in range(n))),
        forces=np.hstack([inputs.forces, np.eye(n)]),
        on_frames=np.hstack([inputs.on_frames, np.zeros((n, n))]),
        wrenches=[(frame, np.hstack([x, np.zeros((6, n))])) for frame, x in inputs.wrenches],
        own_rates=[(name, np.concatenate([row, none])) for name, row in inputs.own_rates],
    )


def with_controllers(
    model: LinearModel, motions: Array, speeds: Array, controllers: Sampled
) -> LinearModel:
    """Discrete model (2) with its controllers.

    `motions`, `speeds` (n_v, m): all displacements and speeds by those of the model: Z and Y of
    `tangent`.
    """
    n, m = motions.shape
    n_u, n_m = len(model.inputs) - n, len(controllers.parts)
    by_q, by_v = controllers.by_state[:, :n], controllers.by_state[:, n:]
    laws = np.zeros((n + n_m, model.n))
    laws[:, :m], laws[:, m : 2 * m] = by_q @ motions + by_v @ speeds, by_v @ motions
    held = np.hstack([laws[:n], controllers.by_memory[:n]])  # K, L
    memory_rows = np.hstack([laws[n:], controllers.by_memory[n:]])  # E, F
    empty = np.zeros((model.n, n_m))
    return replace(
        model,
        A=np.vstack([np.hstack([model.A, empty]) + model.B[:, n_u:] @ held, memory_rows]),
        B=np.vstack([model.B[:, :n_u], np.zeros((n_m, n_u))]),
        C=np.hstack([model.C, np.zeros((len(model.C), n_m))]) + model.D[:, n_u:] @ held,
        D=model.D[:, :n_u],
        states=(*model.states, *controllers.parts),
        inputs=model.inputs[:n_u],
    )


def _check_period(one: Controller, step: float | None) -> None:
    """Refuse a model without steps, or with others than those of the controller."""
    if step is None:
        raise LoadError(
            f"{one.label}: a sampled controller has no linear model in continuous time; give "
            f"step={one.period:g}, its period, for a discrete model with it, or leave it out"
        )
    if abs(step - one.period) > SAME_PERIOD * one.period:
        raise LoadError(
            f"{one.label} is called every {one.period:g} s, and step is {step:g} s; a linear model "
            "has the period of its controllers as its step"
        )


def _law(one: Controller, state: State, time: float) -> tuple[Law, Array]:
    """The controller as a function of state and memory, and its first memory."""
    system, function = state.system, one.function
    compiled = getattr(function, "py_func", None) is not None
    if is_compiled(function) and not compiled:
        raise LoadError(
            f"{one.label}: update is a C function, which cannot be called for derivatives; give "
            "the function compiled by numba.njit"
        )
    if not compiled and one.saved() is not None:
        raise LoadError(
            f"{one.label}: a linear model needs its memory as numbers; give update as a function "
            "compiled by Numba, f(time, q, v, memory, out), with memory="
        )
    plain = None if compiled else forces_of(system, function, one.label)

    def law(q: Array, v: Array, memory: Array) -> tuple[Array, Array]:
        after, out = memory.copy(), np.zeros(system.n_v)
        try:
            if plain is None:
                function(time, q.copy(), v.copy(), after, out)
            else:
                out = plain(time, q.copy(), v.copy())
        except LoadError:
            raise
        except Exception as error:  # whatever a user's function raises
            raise LoadError(f"{one.label} raised {error!r} beside the state") from error
        if not (np.all(np.isfinite(out)) and np.all(np.isfinite(after))):
            raise LoadError(f"{one.label}: forces or memory beside the state are not finite")
        return out, after

    return law, np.array(one.memory, dtype=float)


def _steady_memory(one: Controller, law: Law, state: State, memory: Array) -> Array:
    """The memory that a controller keeps in the state, from the first one."""
    for _ in range(CALLS if len(memory) else 0):
        _, after = law(state.raw_q, state.raw_v, memory)
        change = np.abs(after - memory)
        memory = after
        if np.all(change <= SETTLED * (1.0 + np.abs(after))):
            return memory
    if len(memory):
        k = int(np.argmax(change))
        raise LoadError(
            f"{one.label}: memory[{k}] goes on changing in the state given (by {change[k]:.3g} "
            "in a period), so that there is no rest to linearize about; give the state of an "
            "equilibrium with the controller, with memory= as it is there"
        )
    return memory


def _slopes(one: Controller, law: Law, state: State, memory: Array) -> tuple[Array, Array, Array]:
    """Forces in the state; derivatives of forces and memory by the state, and by the memory."""
    system, n, m = state.system, state.system.n_v, len(memory)
    q, v = state.raw_q, state.raw_v
    at, _ = law(q, v, memory)
    sizes = np.concatenate([*error_sizes(system), 1.0 + np.abs(memory)])

    def beside(k: int, d: float) -> Array:
        e = np.zeros(2 * n + m)
        e[k] = d
        there = moved(system, q, e[:n]) if k < n else q
        return np.concatenate(law(there, v + e[n : 2 * n], memory + e[2 * n :]))

    def slope(k: int, d: float) -> Array:
        near, far = beside(k, d) - beside(k, -d), beside(k, 2 * d) - beside(k, -2 * d)
        return (8.0 * near - far) / (12.0 * d)

    slopes = np.zeros((n + m, 2 * n + m))
    for k in range(2 * n + m):
        d = SPACING * sizes[k]
        slopes[:, k] = slope(k, d)
        change = np.abs(slopes[:, k] - slope(k, d / 2)).max(initial=0.0)
        if change > SMOOTH * (np.abs(slopes[:, k]).max(initial=0.0) + 1e-9 * np.abs(at).max() / d):
            raise LoadError(
                f"{one.label}: its forces are not smooth in the state given (a limit, a dead zone "
                "or a switch); linearize about another state, or leave it out"
            )
    if not np.array_equal(law(q, v, memory)[0], at):
        raise LoadError(
            f"{one.label}: it gives other forces when it is called again, so that it has a memory "
            "of its own; give update as a function compiled by Numba with memory="
        )
    return at, slopes[:, : 2 * n], slopes[:, 2 * n :]
