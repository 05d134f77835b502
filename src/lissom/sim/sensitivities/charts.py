"""Tangents of the local coordinates in which Runge-Kutta methods step, for many steps at once.

A step moves in local coordinates s, zero at its start (`kernels.run.coordinates`): plain joints
q = q0 + s, ball and free joints q = q0 exp(s) on their group.  Displacements are along the speeds:
delta of the configuration, sigma of s, nu of the speeds v.  With ad of s on the group,
  delta = C delta_0 + G sigma      C = exp(-ad)      G = sum_k (-ad)^k / (k + 1)!             (1)
  s' = G^-1 v = sum_k b_k y_k      y_0 = v      y_(k+1) = ad y_k                              (2)
  d s' = G^-1 nu + E sigma         E = sum_k b_k Y_k   Y_0 = 0   Y_(k+1) = ad Y_k - ad(y_k)   (3)
with b_k = B_k / k!, the numbers of Bernoulli, B_1 = 1/2.  The series of (2) and (3) converge for
turns below 2 pi in one step.  Plain joints: C = G = 1, E = 0.
"""

from __future__ import annotations

from math import factorial, pi
from typing import NamedTuple

import numpy as np

from ...errors import StateError
from ...system import System

Array = np.ndarray

TERMS = 50
_FIRST = {0: 1.0, 1: 0.5, 2: 1 / 6, 4: -1 / 30, 6: 1 / 42, 8: -1 / 30, 10: 5 / 66}


def _bernoulli(k: int) -> float:
    """Bernoulli number over k!, with 1/2 for k = 1; from 12 on by Euler's sum for zeta(k)."""
    if k in _FIRST or k % 2:
        return _FIRST.get(k, 0.0) / factorial(k)
    zeta = sum(float(n) ** -k for n in range(1, 40))
    return (-1) ** (k // 2 + 1) * 2 * zeta / (2 * pi) ** k


_B = np.array([_bernoulli(k) for k in range(TERMS + 1)])
_EXP = np.array([1.0 / factorial(k) for k in range(TERMS + 2)])


class TurningJoint(NamedTuple):
    """A ball or free joint: places of its coordinates and speeds."""

    q: int
    v: slice

    @property
    def free(self) -> bool:
        """Whether it has a position, too."""
        return self.v.stop - self.v.start == 6


class ChartTangent(NamedTuple):
    """Matrices of (1)-(3) of one joint, each (k, r, r), and the place of its speeds."""

    v: slice
    C: Array
    G: Array
    inverse: Array
    E: Array


def group_pieces(system: System, what: str) -> tuple[TurningJoint, ...]:
    """Ball and free joints of a system; all others must be plain."""
    joints, layout = [], system.layout
    for i, joint in enumerate(system.joints):
        q, v = layout.hinge_q(i).start, layout.hinge_v(i).start
        for chart in joint.charts:
            if chart.kind in ("ball", "pose"):
                joints.append(TurningJoint(q, slice(v, v + chart.n_v)))
            elif chart.kind != "plain":
                raise StateError(
                    f"{what}: the joint of body {system.names[i]!r} ({joint.label}) has speeds "
                    "that are not rates of its coordinates; use Spherical, Free, or joints of one "
                    "axis each in a row"
                )
            q, v = q + chart.n_q, v + chart.n_v
    return tuple(joints)


def _plain(system: System, pieces: tuple[TurningJoint, ...]) -> tuple[Array, Array]:
    """Indices of plain coordinates and of their speeds, which are in the same order."""
    if "plain" in system.derived:
        return system.derived["plain"]
    layout, on_group = system.layout, {piece.v.start for piece in pieces}
    of_q, of_v = np.zeros(system.n_q, dtype=bool), np.zeros(system.n_v, dtype=bool)
    for i, joint in enumerate(system.joints):
        of_q[layout.modal_q(i)] = of_v[layout.modal_v(i)] = True
        if joint.n_v and layout.hinge_v(i).start not in on_group:
            of_q[layout.hinge_q(i)] = of_v[layout.hinge_v(i)] = True
    return system.derived.setdefault("plain", (np.flatnonzero(of_q), np.flatnonzero(of_v)))


def moved(system: System, pieces: tuple[TurningJoint, ...], Q: Array, S: Array) -> Array:
    """Coordinates (k, n_q) after local motions S (k, n_v)."""
    coordinates, (of_q, of_v) = Q.copy(), _plain(system, pieces)
    coordinates[:, of_q] += S[:, of_v]
    for piece in pieces:
        o, theta = piece.q, S[:, piece.v][:, :3]
        coordinates[:, o : o + 4] = _turned(Q[:, o : o + 4], theta)
        if piece.free:
            J_l = _series(_EXP[1:], _skew(theta))
            shift = np.einsum("kij,kj->ki", J_l, S[:, piece.v][:, 3:])
            rotated = np.einsum("kij,kj->ki", _rotation(Q[:, o : o + 4]), shift)
            coordinates[:, o + 4 : o + 7] += rotated
    return coordinates


def between(system: System, pieces: tuple[TurningJoint, ...], Q: Array, others: Array) -> Array:
    """Local motions S (k, n_v) from coordinates Q to others: `moved` takes them back."""
    motions, (of_q, of_v) = np.zeros((len(Q), system.n_v)), _plain(system, pieces)
    motions[:, of_v] = others[:, of_q] - Q[:, of_q]
    for piece in pieces:
        o = piece.q
        theta = _turn(Q[:, o : o + 4], others[:, o : o + 4])
        motions[:, piece.v][:, :3] = theta
        if piece.free:
            apart = others[:, o + 4 : o + 7] - Q[:, o + 4 : o + 7]
            apart = np.einsum("kji,kj->ki", _rotation(Q[:, o : o + 4]), apart)
            J_l = _series(_EXP[1:], _skew(theta))
            motions[:, piece.v][:, 3:] = np.linalg.solve(J_l, apart[:, :, None])[:, :, 0]
    return motions


def rates(pieces: tuple[TurningJoint, ...], S: Array, V: Array) -> Array:
    """Rates (k, n_v) of local coordinates S at speeds V (2)."""
    local_rates = V.copy()
    for piece in pieces:
        ad, y = _ad(S[:, piece.v]), V[:, piece.v]
        total = y.copy()
        for b in _B[1:]:
            y = np.einsum("kij,kj->ki", ad, y)
            total += b * y
        local_rates[:, piece.v] = total
    return local_rates


def tangents(pieces: tuple[TurningJoint, ...], S: Array, V: Array) -> list[ChartTangent]:
    """Matrices (1)-(3) of all ball and free joints at local coordinates S and speeds V."""
    matrices = []
    for piece in pieces:
        ad, y = _ad(S[:, piece.v]), V[:, piece.v]
        Y = np.zeros_like(ad)
        E = np.zeros_like(ad)
        for b in _B[1:]:
            Y = ad @ Y - _ad(y)
            y = np.einsum("kij,kj->ki", ad, y)
            E += b * Y
        C, G = _series(_EXP, -ad), _series(_EXP[1:], -ad)
        matrices.append(ChartTangent(piece.v, C, G, _series(_B, ad), E))
    return matrices


def _series(numbers: Array, X: Array) -> Array:
    """Sum of numbers[k] X^k."""
    total = power = np.broadcast_to(np.eye(X.shape[1]), X.shape)
    total = numbers[0] * total
    for b in numbers[1:]:
        power = power @ X
        total = total + b * power
    return total


def _skew(a: Array) -> Array:
    """Matrices (k, 3, 3) of the cross products with (k, 3)."""
    x, y, z = a.T
    o = np.zeros_like(x)
    return np.moveaxis(np.array([[o, -z, y], [z, o, -x], [-y, x, o]]), 2, 0)


def _ad(s: Array) -> Array:
    """Matrices ad of (k, 3) rotations or (k, 6) motions [angular; linear]."""
    w = _skew(s[:, :3])
    if s.shape[1] == 3:
        return w
    return np.block([[w, np.zeros_like(w)], [_skew(s[:, 3:]), w]])


def _turned(q: Array, s: Array) -> Array:
    """Quaternions (k, 4) times exp(s / 2)."""
    half = np.linalg.norm(s, axis=1) / 2
    c, f = np.cos(half)[:, None], (np.sinc(half / np.pi) / 2)[:, None]
    w, x = q[:, :1], q[:, 1:]
    y = f * s
    scalar = w * c - np.sum(x * y, axis=1, keepdims=True)
    quaternions = np.concatenate([scalar, w * y + c * x + np.cross(x, y)], axis=1)
    return quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)


def _turn(q: Array, other: Array) -> Array:
    """Rotation vectors (k, 3) from quaternions to others: `_turned` takes them back."""
    w, x = q[:, :1], q[:, 1:]
    scalar = w * other[:, :1] + np.sum(x * other[:, 1:], axis=1, keepdims=True)
    y = w * other[:, 1:] - other[:, :1] * x - np.cross(x, other[:, 1:])
    y = np.where(scalar < 0, -y, y)
    size = np.linalg.norm(y, axis=1, keepdims=True)
    half = np.arctan2(size, np.abs(scalar))
    return 2 * y * np.where(size > 0, half / np.where(size > 0, size, 1.0), 1.0)


def _rotation(q: Array) -> Array:
    """Rotation matrices (k, 3, 3) of quaternions of any length."""
    w, x = q[:, 0], q[:, 1:]
    K = _skew(x)
    two = 2.0 / np.sum(q * q, axis=1)[:, None, None]
    return np.eye(3) + two * (w[:, None, None] * K + K @ K)
