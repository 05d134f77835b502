"""Simple and compound joints: products of exponentials, defined by motion maps.

Notation (E is Kwatny & Blankenship 1995, section II)
  h_i     column i of a joint map H, a twist [h_w; h_v]                               (E 8)
  lambda  configuration matrix, here as (rotation, position) of the outboard frame
  eps     coordinates;  beta  quasi-velocities
  p       = H beta, the relative velocity in body axes                        (E 7), (E 9)

  lambda(eps) = lambda_r(eps_r) ... lambda_1(eps_1)                          (E 15)
  lambda_i: rotation exp([h_w]x eps), position (integral_0^eps exp([h_w]x s) ds) h_v
                                                                             (E 12a), (E 12b)
  U_j = lambda_j ... lambda_1               (E 17a), (E 17b), (E 21), (E 23a), (E 23b), (E 23c)
  B(eps) eps_dot = H beta                                                    (E 20), (E 22), (E 24)
  column i of B is Ad(U_(i-1)^-1) h_i                      (E 18a), (E 18b), (E 18c)
  eps_dot = Gamma(eps) beta                                                  (E 16)

The first column (and the first map of a compound joint) is the one nearest to the outboard body.
Differs: Gamma solves (H^+ B) Gamma = I, with H^+ the constant left inverse of H, instead of using a
left inverse of B.  The two agree if B Gamma = H has a solution, that is if the joint is holonomic;
other maps are rejected (the paper's claim that every constant map is holonomic is wrong).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, final

import numpy as np

from ..errors import ModelError, shown
from ..immutable import array_of, immutable
from ..spatial import block_diagonal, bracket, cross, motion_transform
from ..spatial.scalar import array, is_numeric, solve, solve_spd, zeros
from .base import REMEDY, Array, Chart, Joint
from .factors import Pose, Twist, twist_exp


def _compose(outer: Pose, inner: Pose) -> Pose:
    """Product (outer inner) of two configuration matrices (E 2a)."""
    return outer[0] @ inner[0], outer[0] @ inner[1] + outer[1]


def _transformed(inner: Pose, motions: Array) -> Array:
    """Twists transformed by Ad(U^-1), with the partial pose U = inner."""
    return motion_transform(*inner) @ motions


def _joint_map(values: Any, what: str) -> Array:
    try:
        H = array(values)
    except (TypeError, ValueError):
        H = zeros(0)
    if H.shape == (6,):
        H = H[:, None]
    if H.ndim != 2 or H.shape[0] != 6 or not 1 <= H.shape[1] <= 6:
        raise ModelError(
            f"{what} has shape {H.shape}; expected (6, r) with r = 1 to 6, one column "
            "[angular; linear] for each motion of the joint"
        )
    if is_numeric(H):
        _check_map(H, what)
    return H


def _check_map(H: Array, what: str) -> None:
    if np.iscomplexobj(H) or not np.all(np.isfinite(H)):
        raise ModelError(
            f"{what} has entries that are not finite and real; give finite real numbers"
        )
    size = np.linalg.norm(H, axis=0)
    if np.any(size == 0) or np.linalg.matrix_rank(H / size, tol=1e-9) < H.shape[1]:
        raise ModelError(f"{what} has linearly dependent columns; remove the redundant ones")
    for i, j in combinations(range(H.shape[1]), 2):
        if _leaves_span(H / size, bracket(H[:, i] / size[i], H[:, j] / size[j])):
            raise ModelError(
                f"{what} is nonholonomic: the Lie bracket of columns {i} and {j} (counted from 0) "
                "is outside the span of the columns, so the coordinates do not determine a pose; "
                "use CompoundJoint([column, column, ...]) for a sequence of joints"
            )


def _leaves_span(H: Array, motion: Array) -> bool:
    basis, _ = np.linalg.qr(H)
    outside = motion - basis @ (basis.T @ motion)
    return bool(np.linalg.norm(outside) > 1e-9)


@dataclass(frozen=True, eq=False)
class _FromMaps(Joint):
    """Joint defined by constant motion maps, the map nearest to the outboard body first."""

    @property
    def coordinates(self) -> tuple[tuple[str, str], ...]:
        """Numbered motions; those that are not unit rotations or translations have the unit "1"."""
        columns = np.concatenate(self.maps, axis=1)
        if not is_numeric(columns):
            return tuple((f"motion{k}", "1") for k in range(columns.shape[1]))
        turn, slide = (np.linalg.norm(x, axis=0) for x in (columns[:3], columns[3:]))
        units = np.where(
            np.isclose(turn, 1), "rad", np.where((turn == 0) & np.isclose(slide, 1), "m", "1")
        )
        return tuple((f"motion{k}", str(unit)) for k, unit in enumerate(units))

    @property
    def n_q(self) -> int:
        return sum(H.shape[1] for H in self.maps)

    @property
    def n_v(self) -> int:
        return self.n_q

    @property
    def factors(self) -> tuple[Twist, ...]:
        columns = [column for H in self.maps for column in H.T]
        return tuple(Twist(k, column) for k, column in enumerate(columns))[::-1]

    @property
    def charts(self) -> tuple[Any, ...]:
        if all(H.shape[1] == 1 for H in self.maps):
            return (Chart("plain", self.n_q, self.n_v),)
        return tuple(Chart("product", H.shape[1], H.shape[1], H) for H in self.maps)

    def with_rates(self) -> CompoundJoint:
        return CompoundJoint([column for H in self.maps for column in H.T])


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class SimpleJoint(_FromMaps):
    """Joint with a constant motion map in body axes.

    Parameters
    ----------
    motion_map : array (6, r) or (6,)
        H*: each column is a motion [angular; linear] of the joint, in the outboard body's axes.
        Numbers or symbols.  A map whose motions do not close under the Lie bracket has no
        coordinates and is rejected.

    Notes
    -----
    The coordinates q are the paper's product-of-exponentials coordinates, the speeds v its
    quasi-velocities beta.  With several rotations q can be singular like Euler angles; `rate_map`
    is infinite there.
    """

    columns: Any = field(metadata={"kind": "values"} | array_of("1", "six", "motion"))

    def __init__(self, motion_map: Any) -> None:
        object.__setattr__(self, "columns", _joint_map(motion_map, "SimpleJoint: motion_map"))

    @property
    def maps(self) -> tuple[Array, ...]:
        return (self.columns,)

    @property
    def label(self) -> str:
        return f"simple, {self.n_v} dof"

    def converted(self, convert: Any) -> SimpleJoint:
        return SimpleJoint(convert(self.columns))

    def reversed(self) -> SimpleJoint:
        return SimpleJoint(_opposite(self.columns))

    def rotated(self, R: Array) -> SimpleJoint:
        return SimpleJoint(block_diagonal(R, R) @ self.columns)

    def pose(self, q: Array) -> Pose:
        if self.n_v == 1:
            return twist_exp(self.columns[:, 0], q[0])
        return self._partial_poses(q)[-1]  # (E 15)

    def motion_map(self, q: Array) -> Array:
        return self.columns

    def bias(self, q: Array, v: Array) -> Array:
        p = self.columns @ v
        return np.concatenate([zeros(3), cross(p[:3], p[3:])])

    def rate_map(self, q: Array) -> Array:
        if self.n_v == 1:
            return np.eye(1)  # U_0 is the identity: the rate is the speed
        partial = self._partial_poses(q)
        pairs = zip(partial[:-1], self.columns.T, strict=True)
        B = np.stack([_transformed(U, h) for U, h in pairs], axis=1)  # (E 18a)
        C = self._left_inverse @ B
        if is_numeric(C) and np.linalg.matrix_rank(C) < self.n_v:
            return np.full((self.n_v, self.n_v), np.inf)  # singular coordinates
        return solve(C, np.eye(self.n_v))

    def _partial_poses(self, q: Array) -> list[Pose]:
        """Partial poses U_0 = identity, U_1, ..., U_r (E 21)."""
        poses = [(np.eye(3), zeros(3))]
        for i, h in enumerate(self.columns.T):
            poses.append(_compose(twist_exp(h, q[i]), poses[-1]))
        return poses

    @cached_property
    def _left_inverse(self) -> Array:
        H = self.columns
        return solve_spd(H.T @ H, H.T)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class CompoundJoint(_FromMaps):
    """Sequence of simple joints connected by massless intermediate frames.

    Parameters
    ----------
    motion_maps : sequence of arrays (6, r_i) or (6,)
        One constant map for each simple joint, listed from the outboard body inward, each in the
        axes of that joint's outboard frame.  Numbers or symbols.

    Notes
    -----
    lambda = lambda_p ... lambda_1 (E 26);
    p = H(eps) beta (E 34), with blocks Ad(U_(i-1)^-1) H_i of H (E 27), (E 28a), (E 28b), (E 28c);
    eps_dot = diag(Gamma_1, ..., Gamma_p) beta (E 25).
    """

    parts: tuple[SimpleJoint, ...]

    def __init__(self, motion_maps: Any) -> None:
        if not isinstance(motion_maps, (list, tuple)) or len(motion_maps) == 0:
            raise ModelError(
                f"CompoundJoint: motion_maps is {shown(motion_maps)}; expected a list of arrays "
                "(6, r), one for each joint"
            )
        what = "CompoundJoint: motion_maps[{}]"
        maps = [_joint_map(m, what.format(i)) for i, m in enumerate(motion_maps)]
        object.__setattr__(self, "parts", tuple(SimpleJoint(m) for m in maps))
        if all(is_numeric(m) for m in maps):
            self._check_rank()

    def _check_rank(self) -> None:
        # A generic configuration: a joint that is singular here is singular everywhere.
        H = self.motion_map(0.3 + 0.1 * np.arange(self.n_q))
        if self.n_v > 6 or np.linalg.matrix_rank(H, tol=1e-9 * np.abs(H).max()) < self.n_v:
            raise ModelError(
                f"CompoundJoint: its {self.n_v} motions are linearly dependent in every "
                "configuration; remove the redundant columns"
            )

    @property
    def maps(self) -> tuple[Array, ...]:
        return tuple(part.columns for part in self.parts)

    @property
    def label(self) -> str:
        return f"compound, {len(self.parts)} parts, {self.n_v} dof"

    def converted(self, convert: Any) -> CompoundJoint:
        return CompoundJoint([convert(part.columns) for part in self.parts])

    def reversed(self) -> CompoundJoint:
        return CompoundJoint([_opposite(part.columns) for part in reversed(self.parts)])

    def rotated(self, R: Array) -> CompoundJoint:
        return CompoundJoint([block_diagonal(R, R) @ part.columns for part in self.parts])

    def pose(self, q: Array) -> Pose:
        return self._partial_poses(q)[-1]  # (E 26)

    def motion_map(self, q: Array) -> Array:
        return np.concatenate(self._blocks(q), axis=1)

    def bias(self, q: Array, v: Array) -> Array:
        # d/dt (Ad(U^-1) H_i) = -ad(p) Ad(U^-1) H_i,  p the velocity of the joints outboard of i
        p, p_dot = zeros(6), zeros(6)
        for block, beta in zip(self._blocks(q), self._split(v), strict=True):
            velocity = block @ beta  # velocity of joint i
            p_dot = p_dot - bracket(p, velocity)
            p = p + velocity
        return p_dot + np.concatenate([zeros(3), cross(p[:3], p[3:])])

    def rate_map(self, q: Array) -> Array:
        maps = (part.rate_map(eps) for part, eps in zip(self.parts, self._split(q), strict=True))
        return block_diagonal(*maps)  # (E 25)

    def _split(self, values: Array) -> list[Array]:
        ends = np.cumsum([part.n_q for part in self.parts])
        return np.split(values, ends[:-1])

    def _partial_poses(self, q: Array) -> list[Pose]:
        poses = [(np.eye(3), zeros(3))]
        for part, eps in zip(self.parts, self._split(q), strict=True):
            poses.append(_compose(part.pose(eps), poses[-1]))
        return poses

    def _blocks(self, q: Array) -> list[Array]:
        pairs = zip(self._partial_poses(q)[:-1], self.parts, strict=True)
        return [_transformed(U, part.columns) for U, part in pairs]  # (E 28a)


def _opposite(columns: Array) -> Array:
    """Motion map of the inverse product of exponentials: columns reversed and negated."""
    return 0.0 - columns[:, ::-1]
