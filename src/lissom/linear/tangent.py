"""The equations of motion about a state, to first order, under all loads.

With a the accelerations, T the forces of all loads and u further generalized forces,
  a = FD(q, v, T + u - A_r a),  A_r the inertia of rotors                                     (1)
  (I + FD_f A_r) da = FD_q delta + FD_v nu + FD_f (dT + u)                                     (2)
  dT = T_q delta + T_v nu + T_z z                                                              (3)
where FD_q, FD_v, FD_f are the derivatives of forward dynamics.  Joints that are held, or follow a
given motion, have da_h = 0, which the force f_h on them takes care of:
  da = r + G_h f_h,  f_h = -G_hh^-1 r_h,  G = (I + FD_f A_r)^-1 FD_f                           (4)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..algorithms.tree.arguments import as_state, check_no_loops, check_system
from ..algorithms.tree.composite import mass_matrix
from ..algorithms.tree.derivatives import forward_dynamics_derivatives
from ..errors import StateError, suggestion
from ..sim.run.checks import number
from ..system import State, StateLike, System
from .kinematics import deviation_rates
from .load_terms import LoadTerms, load_terms
from .names import listed_names

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Tangent:
    """Derivatives of the accelerations and of all forces in a state.

    Columns belong to deviations of the configuration, deviations of the speeds, own states of
    loads, and generalized forces, see `slices`.

    Attributes
    ----------
    state : State
        Configuration and speeds.
    loads : LoadTerms
        Forces of the loads and their derivatives.
    mass : array (n_v, n_v)
        Mass matrix, rotors included.
    turning : array (n_v, n_v)
        E, the part of the rates of deviations that is due to deviations.
    acceleration : array (n_v, 3 n_v + n_z)
        Derivatives of the accelerations (4).
    holding : array (n_held, 3 n_v + n_z)
        Derivatives of the forces that hold joints.
    free : array of int
        Speeds that are not held.
    """

    state: State
    loads: LoadTerms
    mass: Array
    turning: Array
    acceleration: Array
    holding: Array
    free: Array

    @property
    def system(self) -> System:
        """Compiled mechanism."""
        return self.state.system

    @property
    def slices(self) -> tuple[slice, slice, slice, slice]:
        """Columns of configuration, speeds, own states of loads, and generalized forces."""
        n, n_z = self.system.n_v, len(self.loads.own_names)
        ends = np.cumsum([0, n, n, n_z, n]).tolist()
        q, v, z, f = (slice(a, b) for a, b in pairwise(ends))
        return q, v, z, f

    @cached_property
    def force(self) -> Array:
        """Derivatives (n_v, 3 n_v + n_z) of the forces on joints and modes, holding ones too."""
        n, by = self.system.n_v, self.loads
        applied = [by.by_q("applied"), by.by_v("applied"), by.by_own("applied"), np.eye(n)]
        found, held = np.hstack(applied), np.setdiff1d(np.arange(n), self.free)
        more = self.holding.copy()
        for name in by.driven:  # what a given motion needs is among the forces applied
            piece = self.system.layout.hinge_v(name)
            more[np.isin(held, np.arange(piece.start, piece.stop)), : self.slices[3].start] = 0.0
        found[held] += more
        return found


def tangent(
    system: System,
    state: StateLike | None,
    *,
    forces: Any,
    loads: Any,
    held: Any,
    time: Any,
    what: str,
) -> Tangent:
    """Equations of motion about a state, to first order.

    Parameters
    ----------
    system : System
        Compiled mechanism, a tree.
    state : State or (q, v), optional
        Configuration and speeds; by default neutral.
    forces, loads
        As for `simulate`.
    held : sequence of str
        Joints that are held, by the bodies that they carry.
    time : float
        Time at which loads are evaluated [s].
    what : str
        Function, for messages.
    """
    check_system(system)
    start = as_state(system, system.neutral() if state is None else state)
    if not start.real:
        raise StateError(f"{what} needs a state of real numbers")
    check_no_loops(system, what, "symbolic.derive(model).linearize(...)")
    instant = number(time, f"{what}: time", "a finite time [s]")
    terms = load_terms(system, start, forces, loads, instant)
    free = np.ones(system.n_v, dtype=bool)
    for name in [*held_joints(system, held, what), *terms.driven]:
        free[system.layout.hinge_v(name)] = False
    return _assembled(start, terms, free)


def _assembled(state: State, terms: LoadTerms, free: Array) -> Tangent:
    system, n = state.system, state.system.n_v
    own = terms.by_own("forces")
    rotors = terms.armature * terms.acceleration
    found = forward_dynamics_derivatives(system, state, terms.forces - rotors)
    FD_f = found.forces
    dT = np.hstack([terms.q, terms.v, own, np.eye(n)])  # (3)
    right = np.hstack([found.q, found.v, np.zeros_like(own), np.zeros((n, n))]) + FD_f @ dT
    if np.any(terms.armature):
        both = np.linalg.solve(np.eye(n) + FD_f * terms.armature, np.hstack([right, FD_f]))  # (2)
        r, G = both[:, : right.shape[1]], both[:, right.shape[1] :]
    else:
        r, G = right, FD_f
    h = np.flatnonzero(~free)
    f_h = np.zeros((0, r.shape[1]))
    if len(h):  # (4)
        f_h = -np.linalg.solve(G[np.ix_(h, h)], r[h])
        r = r + G[:, h] @ f_h
        r[h] = 0.0
    mass = mass_matrix(system, state) + np.diag(terms.armature)
    turning = deviation_rates(state)
    return Tangent(state, terms, mass, turning, r, f_h, np.flatnonzero(free))


def held_joints(system: System, held: Any, what: str) -> list[str]:
    """Checked names of joints, by the bodies that they carry.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    held : str or sequence of str
        As given by the user.
    what : str
        Function, for messages.
    """
    names = listed_names(held, f"{what}: held")
    for name in names:
        if name not in system.names:
            raise StateError(
                f"{what}: held: there is no joint {name!r}; {suggestion(name, system.names)}"
            )
    return names
