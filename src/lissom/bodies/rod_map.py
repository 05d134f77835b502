"""Exact kinematics of a rod whose coordinates are amplitudes of strain.

Notation (root axes unless stated; s arc length, eta coordinates)
  kappa(s), eps(s)   curvature (with twist) and strain, section axes, linear in eta
  R, r               attitude and position of a section
  W, D               derivatives: omega_r = W eta_dot, r_dot = D eta_dot
  gamma              accelerations at zero eta_ddot and a root at rest

    R' = R [kappa]x      r' = R eps,  eps = e_x at rest                                      (1)

Sections turn from station to station by the sixth order of the Magnus expansion with exact moments
B_k of the curvature over the piece, and positions are sums over the stations (`rod_tables`):

    a1 = 3/4 (3 B_0 - 20 B_2)    a2 = 12 B_1    a3 = 15 (12 B_2 - B_0)                       (2)
    C1 = a2 x a1    C2 = a1 x (2 a3 + C1)/60
    psi = a1 + a3/12 + (a2 + C2) x (C1 - 20 a1 - a3)/240                                     (3)
    R_j = R_(j-1) exp[psi]x      u_j = R_j eps_j      r_j = sum_k Q_jk u_k                   (4)

Source: Blanes, Casas, Oteo and Ros 2009 (Physics Reports 470), sixth order in moments.  Differs:
R' = R [kappa]x has the unknown on the left, so that every commutator changes its sign.  The
derivatives are those of (2)-(4), not of (1), so that the discrete rod is a Lagrangian system:

    W_j = W_(j-1) + R_(j-1) J_l(psi) dpsi/deta      D_j = sum_k Q_jk (W_k x u_k + R_k E_k)   (5)
    gamma_w,j = gamma_w,(j-1) + omega_r,(j-1) x (R J_l psi_dot)
                + R_(j-1) (J_l' psi_dot + J_l psi_ddot),  psi_ddot at zero eta_ddot          (6)
    gamma_v,j = sum_k Q_jk (gamma_w x u + omega_r x (omega_r x u) + 2 omega_r x R eps_dot)_k (7)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..spatial import cross, left_jacobian, left_jacobian_rate, rotation_exp
from ..spatial.scalar import scaled, zeros
from .rod_tables import RodPiece, RodTables

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class SectionMotion:
    """A section of a deformed rod and its motion relative to the root, in root axes."""

    rotation: Array  # (3, 3) R, section axes to root axes
    position: Array  # (3,) r [m]
    shapes: Array  # (6, m) [W; D]
    coriolis: Array  # (6,) [gamma_w; gamma_v]


@dataclass(frozen=True, eq=False)
class _SectionTurn:
    """Turning of a section: R, W, omega_r and gamma_w."""

    rotation: Array
    slopes: Array
    rate: Array
    bias: Array


@dataclass(frozen=True, eq=False)
class _Jet:
    """Vector as a function of eta: value, slope (3, m), rate, second rate at zero eta_ddot."""

    value: Array
    slope: Array
    rate: Array
    second: Array

    def __add__(self, other: _Jet) -> _Jet:
        return _Jet(
            self.value + other.value,
            self.slope + other.slope,
            self.rate + other.rate,
            self.second + other.second,
        )

    def times(self, x: float) -> _Jet:
        """Product with a number."""
        return _Jet(x * self.value, x * self.slope, x * self.rate, x * self.second)

    def cross(self, other: _Jet) -> _Jet:
        """Cross product."""
        a, b = self, other
        return _Jet(
            cross(a.value, b.value),
            cross(a.slope, b.value[:, None]) + cross(a.value[:, None], b.slope),
            cross(a.rate, b.value) + cross(a.value, b.rate),
            cross(a.second, b.value) + 2 * cross(a.rate, b.rate) + cross(a.value, b.second),
        )


def stations(rod: RodTables, eta: Array, eta_dot: Array) -> list[SectionMotion]:
    """Sections at the stations, root to tip.

    `eta`, `eta_dot` (m,): coordinates and rates.
    """
    turns = _turns(rod, eta, eta_dot)
    rows = [_along(rod, k, turn, eta, eta_dot) for k, turn in enumerate(turns)]
    return [
        _section(turn, piece, rows) for turn, piece in zip(turns, rod.station_pieces, strict=True)
    ]


def sections_at(
    rod: RodTables, pieces: Sequence[RodPiece], eta: Array, eta_dot: Array
) -> list[SectionMotion]:
    """Sections at the ends of any pieces of the rod.

    `eta`, `eta_dot` (m,): coordinates and rates.
    """
    turns = _turns(rod, eta, eta_dot)
    rows = [_along(rod, k, turn, eta, eta_dot) for k, turn in enumerate(turns)]
    sections = []
    for piece in pieces:
        start = _root(len(eta)) if piece.start < 0 else turns[piece.start]
        turn = start if piece.is_empty else _turned(rod, piece, start, eta, eta_dot)
        sections.append(_section(turn, piece, rows))
    return sections


def _root(m: int) -> _SectionTurn:
    return _SectionTurn(np.eye(3), zeros(3, m), zeros(3), zeros(3))


def _turns(rod: RodTables, eta: Array, eta_dot: Array) -> list[_SectionTurn]:
    """Turning of the stations."""
    turns = [_root(len(eta))]
    for piece in rod.station_pieces:
        turns.append(_turned(rod, piece, turns[-1], eta, eta_dot))
    return turns[1:]


def _turned(
    rod: RodTables, piece: RodPiece, start: _SectionTurn, eta: Array, eta_dot: Array
) -> _SectionTurn:
    """Turning at the end of a piece, from that at its start; (4)-(6)."""
    a = []
    for natural, moments in zip(piece.natural, piece.moments, strict=True):
        slope = rod.curvature_axes * moments
        a.append(_Jet(natural + slope @ eta, slope, slope @ eta_dot, zeros(3)))
    psi = _magnus(*a)
    R, J_l = start.rotation, left_jacobian(psi.value)
    relative = R @ (J_l @ psi.rate)
    turning = left_jacobian_rate(psi.value, psi.rate) + J_l @ psi.second
    return _SectionTurn(
        rotation=R @ rotation_exp(psi.value),
        slopes=start.slopes + R @ J_l @ psi.slope,  # (5)
        rate=start.rate + relative,
        bias=start.bias + cross(start.rate, relative) + R @ turning,  # (6)
    )


def _magnus(a1: _Jet, a2: _Jet, a3: _Jet) -> _Jet:
    """Rotation vector of a piece (3)."""
    C1 = a2.cross(a1)
    C2 = a1.cross(a3.times(2.0) + C1).times(1 / 60)
    rest = C1 + a1.times(-20.0) + a3.times(-1.0)
    return a1 + a3.times(1 / 12) + (a2 + C2).cross(rest).times(1 / 240)


def _along(
    rod: RodTables, k: int, turn: _SectionTurn, eta: Array, eta_dot: Array
) -> tuple[Array, Array, Array]:
    """Tangent u of a station, its slope and its bias: the terms of (4), (5) and (7)."""
    E = turn.rotation @ (rod.strain_axes * rod.functions[k])
    u = turn.rotation @ np.array([1.0, 0.0, 0.0]) + E @ eta
    w = turn.rate
    bias = cross(turn.bias, u) + cross(w, cross(w, u)) + 2 * cross(w, E @ eta_dot)
    return u, cross(turn.slopes, u[:, None]) + E, bias


def _section(
    turn: _SectionTurn, piece: RodPiece, rows: Sequence[tuple[Array, Array, Array]]
) -> SectionMotion:
    """Section with positions as sums over the stations (4), (5), (7)."""
    r, D, gamma = zeros(3), zeros(*turn.slopes.shape), zeros(3)
    for weight, (u, slope, bias) in zip(piece.integration.tolist(), rows, strict=True):
        r, D, gamma = r + scaled(weight, u), D + weight * slope, gamma + weight * bias
    return SectionMotion(
        rotation=turn.rotation,
        position=r,
        shapes=np.concatenate([turn.slopes, D]),
        coriolis=np.concatenate([turn.bias, gamma]),
    )
