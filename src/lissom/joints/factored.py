"""Joints defined by factors, from which all other properties follow."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from ..immutable import immutable
from ..spatial import axis_rotation
from .base import REMEDY, Array, Joint, Names
from .factors import (
    Pose,
    Slide,
    Turn,
    Twist,
    is_pure,
    product_bias,
    product_map,
    product_pose,
    turned,
)
from .nearness import angle_about, nearest_by_iteration


@dataclass(frozen=True, eq=False)
class FactoredJoint(Joint):
    """Joint that is a product of turns, slides and twists, each with one coordinate.

    A subclass defines `coordinates` and `factors`; pose, motion map, bias, nearest coordinates,
    reversed and rotated copies, compiled kernels and the animated view follow.
    """

    @property
    @abstractmethod
    def factors(self) -> tuple[Turn | Slide | Twist, ...]:
        """Factors from the inboard frame outwards."""

    def pose(self, q: Array) -> Pose:
        return product_pose(self.factors, q)

    def motion_map(self, q: Array) -> Array:
        return product_map(self.factors, q)

    def bias(self, q: Array, v: Array) -> Array:
        return product_bias(self.factors, q, v)

    def nearest(self, rotation: Array, position: Array) -> Array:
        slides, turns = self._slides_then_turns
        if slides is None:
            return nearest_by_iteration(self, rotation, position)
        q = np.zeros(self.n_q)
        for slide in slides:
            q[slide.q] = slide.axis @ position
        if len(turns) == 2:  # the second axis depends on the first angle only
            a1, a2 = turns[0].axis, turns[1].axis
            a3 = rotation @ a2
            first = np.arctan2(a1 @ np.cross(a2, a3), a2 @ a3 - (a1 @ a2) * (a1 @ a3))
            q[turns[0].q], rotation = first, axis_rotation(a1, first).T @ rotation
        if turns:
            q[turns[-1].q] = angle_about(turns[-1].axis, rotation)
            if not is_pure(turns[-1]):  # the advance determines the number of full turns
                left = turns[-1].axis @ position / turns[-1].pitch - q[turns[-1].q]
                q[turns[-1].q] += 2 * np.pi * np.round(left / (2 * np.pi))
        return q

    @property
    def nearest_iterates(self) -> bool:
        return self._slides_then_turns[0] is None

    @property
    def turning(self) -> tuple[bool, ...]:
        """Whether each coordinate is an angle with period 2 pi."""
        pure = {f.q for f in self.factors if isinstance(f, Turn) and is_pure(f)}
        return tuple(k in pure for k in range(self.n_q))

    @property
    def _slides_then_turns(self) -> tuple[list[Slide] | None, list[Turn]]:
        """Orthogonal slides followed by at most two turns, or one screw; otherwise None, turns."""
        slides = [f for f in self.factors if isinstance(f, Slide)]
        turns = [f for f in self.factors if isinstance(f, Turn)]
        axes = np.array([f.axis for f in slides], dtype=float).reshape(-1, 3)
        kinds = [type(f) for f in self.factors]
        separate = (
            kinds == [Slide] * len(slides) + [Turn] * len(turns)
            and len(turns) <= 2
            and bool(np.abs(axes @ axes.T - np.eye(len(axes))).max(initial=0.0) < 1e-14)
            and (all(is_pure(f) for f in turns) or len(self.factors) == 1)
        )
        return slides if separate else None, turns

    def reversed(self) -> Joint | None:
        return Product(tuple(turned(f, -np.eye(3)) for f in self.factors[::-1]), self.coordinates)

    def rotated(self, R: Array) -> Joint | None:
        return Product(tuple(turned(f, R) for f in self.factors), self.coordinates)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Product(FactoredJoint):
    """Joint of given factors: the reversed or rotated copy of a factored joint."""

    # turns, slides and twists, from the inboard frame outwards
    factors: tuple[Turn | Slide | Twist, ...] = ()
    coordinates: Names = ()  # name and unit of each coordinate

    @property
    def label(self) -> str:
        return f"product, {self.n_v} dof"
