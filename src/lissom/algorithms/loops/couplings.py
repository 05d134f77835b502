"""Couplings between hinge coordinates as rows of the closure equations.

With ratios r_i of coordinates q_i whose rates are the speeds v_i:
  gap g = s (sum r_i q_i - offset),    A v = s sum r_i v_i,    gamma = 0                 (1)
  forces: s r_i lambda at each hinge, so that with  force = s lambda  each receives r_i force
  s = 1 / |r_i / l_i|,  l_i the system's length for an angle, 1 for a slide              (2)
With (2) the row is a displacement [m] and lambda a force [N], as for loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...system import Coupling, System
from ..tree.coordinates import force_sizes

Array = np.ndarray

# Fraction of the sum of its terms that counts as rounding, as in the kernels.
ROUNDED = 4e-16


@dataclass(frozen=True, eq=False)
class CoupledRow:
    """A coupling as a row of the closure equations."""

    # q, v: indices of its coordinates in q, and of their rates in v
    q: Array
    v: Array
    weights: Array  # ratios times the scale
    offset: float  # offset times the scale [m]
    scale: float  # s of (2)

    def gap(self, q: Array) -> float:
        """Gap [m] at coordinates q; zero if it is within rounding."""
        terms = np.append(self.weights * q[self.q], -self.offset)
        gap = float(terms.sum())
        return gap if abs(gap) > ROUNDED * np.abs(terms).sum() else 0.0


def coupled_row(system: System, coupling: Coupling) -> CoupledRow:
    """Row (1) of one coupling."""
    layout = system.layout
    terms = list(zip(coupling.bodies, coupling.entries, strict=True))
    q = np.array([layout.hinge_q(i).start + k for i, k in terms], dtype=int)
    v = np.array([layout.hinge_v(i).start + k for i, k in terms], dtype=int)
    scale = float(1 / np.linalg.norm(coupling.ratios / force_sizes(system)[v]))
    return CoupledRow(q, v, scale * coupling.ratios, scale * coupling.offset, scale)


def coupled_rows(system: System, couplings: Sequence[Coupling] | None = None) -> list[CoupledRow]:
    """Rows of given couplings, by default of all."""
    return [coupled_row(system, one) for one in _chosen(system, couplings)]


def _chosen(system: System, couplings: Sequence[Coupling] | None) -> Sequence[Coupling]:
    return system.couplings if couplings is None else couplings


def coupling_gaps(system: System, q: Array, couplings: Sequence[Coupling] | None = None) -> Array:
    """Gaps (n,) [m] of couplings, by default of all."""
    return np.array([row.gap(q) for row in coupled_rows(system, couplings)], dtype=float)


def coupling_jacobian(system: System, couplings: Sequence[Coupling] | None = None) -> Array:
    """Rows of A (n, n_v) of couplings, by default of all."""
    A = np.zeros((len(_chosen(system, couplings)), system.n_v))
    for k, row in enumerate(coupled_rows(system, couplings)):
        A[k, row.v] = row.weights
    return A


def transmitted_forces(system: System, lam: Array) -> Array:
    """Forces of all couplings (n_coupling,) from those of all rows, loops first."""
    scale = np.array([row.scale for row in coupled_rows(system)])
    return scale * lam[len(lam) - len(scale) :]
