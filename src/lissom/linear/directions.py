"""Deviations of everything that outputs of a linear model depend on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..system import State, System

Array = np.ndarray

Wrench = tuple[int, int, Array, Array]

STEP = 1e-30  # complex step


@dataclass(frozen=True, eq=False)
class Directions:
    """Deviations of everything that outputs depend on, one column for each state and input."""

    state: State  # configuration and speeds
    vdot: Array  # (n_v,) accelerations
    # delta, nu, acceleration: (n_v, m) deviations of configuration, speeds and accelerations
    delta: Array
    nu: Array
    acceleration: Array
    # returns those of generalized forces (n_v, m), which few outputs need
    of_forces: Callable[[], Array]
    # returns body, node, moment and force on it in its axes, and their deviations, as a list of
    # (int, int, array (6,), array (6, m))
    of_wrenches: Callable[[], list[Wrench]]
    # applied, armature: (n_v,) generalized forces on joints and modes, holding ones too, and the
    # inertia of rotors
    applied: Array
    armature: Array
    outputs: tuple[str, ...]  # names of all outputs
    _done: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def system(self) -> System:
        """Compiled mechanism."""
        return self.state.system

    @cached_property
    def force(self) -> Array:
        """Deviations of the generalized forces."""
        return self.of_forces()

    @cached_property
    def wrenches(self) -> list[Wrench]:
        """Moments and forces on nodes, and their deviations."""
        return self.of_wrenches()

    @property
    def reactions(self) -> set[str]:
        """Bodies with the reaction of their joint, or a component of it, among the outputs."""
        parts = [name.split(".") for name in self.outputs]
        return {body for body, *more in parts if more[:1] == ["reaction"]}

    @property
    def still(self) -> bool:
        """Whether nothing moves and nothing accelerates."""
        return not np.any(self.state.v) and not np.any(self.vdot)

    @cached_property
    def nearby(self) -> list[tuple[State, State]]:
        """Complex steps along each motion: of the configuration, and of the speeds."""
        pairs, (q, v) = [], (self.state.q, self.state.v)
        for k, direction in enumerate(np.eye(self.system.n_v)):
            along = self.rate_map[:, k]
            pairs.append(
                (
                    State(self.system, q + 1j * STEP * along, v),
                    State(self.system, q, v + 1j * STEP * direction),
                )
            )
        return pairs

    @cached_property
    def rate_map(self) -> Array:
        """N (n_q, n_v) of the whole system."""
        system = self.system
        N = np.zeros((system.n_q, system.n_v))
        for i, joint in enumerate(system.joints):
            at_q, at_v = system.layout.modal_q(i), system.layout.modal_v(i)
            N[at_q, at_v] = np.eye(at_v.stop - at_v.start)
            piece = system.layout.hinge_q(i)
            N[piece, system.layout.hinge_v(i)] = joint.rate_map(self.state.q[piece])
        return N

    def once(self, what: str, compute: Callable[[], Any]) -> Any:
        """Result of a computation that several outputs need, by its name."""
        if what not in self._done:
            self._done[what] = compute()
        return self._done[what]

    def slopes(self, measure: Callable[[State], Array]) -> tuple[Array, Array]:
        """Derivatives (k, n_v) of a measure by configuration and by speeds."""
        pairs = [[measure(x).imag / STEP for x in both] for both in self.nearby]
        return np.transpose([a for a, _ in pairs]), np.transpose([b for _, b in pairs])
