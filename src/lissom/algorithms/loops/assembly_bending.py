"""Bodies that give way where hinges alone cannot close loops: the least strain energy.

With y coordinates in units of equal energy, e their distance from the given shapes of the bodies
and from hinges that leave the smallest gap, W = 1 for shapes and nearly nothing for hinges, g the
gaps relative to the length of the system and J their Jacobian in y:
  E = e^T W e / 2  least, with  g = 0                                                      (1)
  Z = kernel of J,     J^T lambda = W e                                                    (2)
  H = Z^T (W - d(J^T lambda)/dy) Z,     H u = mu u,     phi = Z u                          (3)
  step = -sum over phi of phi (phi^T W e) / |mu|,  of limited length                       (4)
The loops are closed again after each step.  The derivative in (3) is found by differences along
the motions Z that move hinges or rods; that along the others, of linear shapes alone, is left out:
it is small beside W.
Where (4) ends on a maximum (a straight rod under compression), the search goes on beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...bodies.normal import NormalBody
from ...bodies.rod_poses import piece_turns, section_poses
from ...bodies.rod_strains import surface_strains
from ...system import Coupling, Loop, System
from ..tree.coordinates import error_sizes, hinge_speeds, moved
from .assembly_search import NOISE, ClosingSearch

Array = np.ndarray

MOST_STEPS, HALVINGS = 40, 10
LONGEST = 0.2  # longest step, relative to the sizes of coordinates
SPACING = 1e-5  # of the differences of (3), relative to these
FLAT, DOWNHILL = 1e-8, 1e-3  # mu below which a motion is free; below minus this, a maximum
STILL = 1e-9  # gain of energy that ends the search, relative
WEAKEST = 1e-12  # fraction of the largest stiffness that counts as none
# W of hinges and of shapes without stiffness: a turn by 1 rad costs this part of the energy that
# the softest shape has at the size of its body.
HINGES = 1e-4

# Largest deformations that assembly accepts.  Of linear bodies: the deflection relative to the
# length (its error is six per cent there), the turn of a node [rad], and the lengthening that the
# linear model takes from bending, which is none in truth, relative to the gap that it closes.  Of
# rods: the strain, and the turn of a piece between two stations [rad].
FARTHEST, MOST_TURNED, MOST_LENGTHENED = 0.25, 0.5, 0.25
MOST_STRAINED, MOST_TURNED_PIECE = 0.15, np.pi / 2


@dataclass(frozen=True, eq=False)
class BentBody:
    """How a body was deformed so that loops close."""

    name: str  # the body
    deflection: float  # largest displacement of a node, in axes of the body [m]
    length: float  # largest distance of a node from the root [m]
    energy: float  # strain energy of the change [J]
    excess: float  # largest ratio of a deformation to what is accepted; above 1 it is beyond reason
    words: str  # that deformation


def energy_units(system: System, fixed: Array) -> tuple[Array, Array]:
    """Motions (n_v,) of equal energy, zero for fixed speeds, and a mask of those with stiffness.

    Stiff modes have an energy of 1/2 at one unit.  Hinges, and modes without stiffness, have the
    size that costs the softest mode as much.
    """
    size, K = error_sizes(system)[0], np.zeros(system.n_v)
    for i, body in enumerate(system.bodies):
        K[system.layout.modal_v(i)] = body.stiffness
    worth = K * size**2
    stiff = worth > WEAKEST * worth.max(initial=0.0)
    softest = worth[stiff].min(initial=np.inf)
    units = size / np.sqrt(softest if np.isfinite(softest) else 1.0)
    units[stiff] = 1 / np.sqrt(K[stiff])
    units[fixed] = 0.0
    return units, stiff & ~fixed


class LeastBending:
    """Search for the closed state of least strain energy near a closed one.

    `fixed` (n_v,): held speeds; `near` (n_q,): coordinates from which deformations and motions of
    hinges count.
    """

    def __init__(
        self, system: System, fixed: Array, constraints: Sequence[Loop | Coupling], near: Array
    ) -> None:
        self.system, self.near = system, near
        self.units, stiff = energy_units(system, fixed)
        self.weights = np.where(stiff, 1.0, HINGES)
        self.search = ClosingSearch(system, self.units, constraints)
        self.size = error_sizes(system)[0]
        self.free = np.flatnonzero(self.units)
        curved = hinge_speeds(system)
        for i, body in enumerate(system.bodies):
            curved[system.layout.modal_v(i)] = body.rod is not None
        self.curved = np.flatnonzero(curved & (self.units > 0))

    def run(self, q: Array) -> Array:
        """Coordinates (n_q,) of a local minimum (1) downhill of closed ones."""
        energy, slope = self.energy(q)
        for _ in range(MOST_STEPS):
            Z, mu, u = self.motions(q, slope)
            phi = (Z @ u) * self.units[:, None]
            push = u.T @ (Z.T @ slope)
            parts = push / np.maximum(np.abs(mu), FLAT)
            after = None
            if np.abs(parts) @ np.abs(push) > STILL * energy:
                after = self.lower(q, energy, -phi @ parts)
            if after is None and len(mu) and mu[0] < -DOWNHILL * np.abs(mu).max():
                aside = LONGEST / 4 / np.abs(phi[:, 0] / self.size).max()
                after = self.lower(q, energy, aside * phi[:, 0])
            if after is None:
                break
            q, (energy, slope) = after, self.energy(after)
        return q

    def energy(self, q: Array) -> tuple[float, Array]:
        """E of (1), and W e (n_v,)."""
        e, layout = np.zeros(self.system.n_v), self.system.layout
        for i, joint in enumerate(self.system.joints):
            e[layout.modal_v(i)] = (q - self.near)[layout.modal_q(i)]
            if joint.n_q == joint.n_v:
                e[layout.hinge_v(i)] = (q - self.near)[layout.hinge_q(i)]
        e[self.free] /= self.units[self.free]
        slope = np.where(self.units > 0, self.weights * e, 0.0)
        return float(slope @ e) / 2, slope

    def lower(self, q: Array, energy: float, step: Array) -> Array | None:
        """Closed coordinates with less energy in the direction of a step, or None."""
        longest = float(np.abs(step / self.size).max(initial=0.0))
        if not 0.0 < longest < np.inf:
            return None
        step = step * min(1.0, LONGEST / longest)
        for k in range(HALVINGS):
            self.search.near = None
            after = self.search.descend(moved(self.system, q, step / 2**k))
            if after.closed and self.energy(after.q)[0] < (1 - STILL) * energy:
                return after.q
        return None

    def motions(self, q: Array, slope: Array) -> tuple[Array, Array, Array]:
        """Z (n_v, k) of (2), and eigenvalues mu (k,) and vectors u (k, k) of (3)."""
        J = self.search.evaluate(q)[1]
        _, sigma, rows = np.linalg.svd(J[:, self.free])
        rank = int(np.sum(sigma > NOISE * sigma.max(initial=0.0)))
        Z = np.zeros((self.system.n_v, len(self.free) - rank))
        Z[self.free] = rows[rank:].T
        if Z[self.curved].size:  # columns that move what is curved come first
            Z = Z @ np.linalg.svd(Z[self.curved])[2].T
        lam = np.linalg.lstsq(J.T, slope, rcond=NOISE)[0]
        H = Z.T @ (self.weights[:, None] * Z)
        for k, z in enumerate(Z.T[: len(self.curved)]):
            y = SPACING / np.abs(self.units * z / self.size).max()
            ahead, behind = (
                self.search.evaluate(moved(self.system, q, x * self.units * z))[1] for x in (y, -y)
            )
            change = Z.T @ ((ahead - behind).T @ lam) / (2 * y)
            H[:, k] -= change
            H[k, len(self.curved) :] -= change[len(self.curved) :]
        mu, u = np.linalg.eigh((H + H.T) / 2)
        return Z, mu, u


def bent_bodies(system: System, before: Array, after: Array, gap: float) -> list[BentBody]:
    """Bodies that were deformed between two configurations, the most deformed one first.

    `before`, `after` (n_q,): coordinates; `gap`: what they had to close [m].
    """
    bent = []
    for i, (name, body) in enumerate(zip(system.names, system.bodies, strict=True)):
        piece = system.layout.modal_q(i)
        if np.array_equal(before[piece], after[piece]):
            continue
        change = after[piece] - before[piece]
        energy = float(change @ (body.stiffness * change)) / 2
        rows = np.stack([before[piece], after[piece]])
        places = _node_places(body, rows)
        deflection = float(np.linalg.norm(places[1] - places[0], axis=1).max(initial=0.0))
        length = float(np.linalg.norm(body.node_positions, axis=1).max(initial=0.0))
        old, new = (_deformations(body, x, gap) for x in rows)
        worst = max(range(len(new)), key=lambda k: new[k][0])
        # what the state has already is the user's choice
        excess = new[worst][0] if old[worst][0] <= 1 else 0.0
        bent.append(BentBody(name, deflection, length, energy, excess, new[worst][1]))
    return sorted(bent, key=lambda one: (one.excess, one.energy), reverse=True)


def _node_places(body: NormalBody, eta: Array) -> Array:
    """Positions (k, n, 3) of all nodes in body axes [m]."""
    if body.rod is not None:
        return section_poses(body.rod, body.rod.node_pieces, eta)[1]
    return body.node_positions + np.einsum("ncm,km->knc", body.node_shapes[:, 3:], eta)


def _deformations(body: NormalBody, eta: Array, gap: float) -> list[tuple[float, str]]:
    """Deformations relative to the largest accepted ones, and in words."""
    if body.rod is not None:
        strain = float(surface_strains(body.rod, eta[None]).max(initial=0.0))
        piece = float(piece_turns(body.rod, eta[None]).max(initial=0.0))
        return [
            (
                strain / MOST_STRAINED,
                f"strained by {100 * strain:.3g} % (accepted: {100 * MOST_STRAINED:g} %)",
            ),
            (
                piece / MOST_TURNED_PIECE,
                f"turned by {piece:.3g} rad between two of its stations (accepted: "
                f"{MOST_TURNED_PIECE:.3g} rad)",
            ),
        ]
    rest, shapes = body.node_positions, body.node_shapes
    distance = np.linalg.norm(rest, axis=1)
    length = float(distance.max(initial=0.0)) or 1.0
    shift = shapes[:, 3:] @ eta
    along = np.einsum("nc,nc->n", shift, rest) / np.where(distance > 0, distance, 1.0)
    longer = np.linalg.norm(rest + shift, axis=1) - distance - along
    bend = float(np.linalg.norm(shift, axis=1).max(initial=0.0))
    turn = float(np.linalg.norm(shapes[:, :3] @ eta, axis=1).max(initial=0.0))
    measures = [
        (
            bend / length / FARTHEST,
            f"deformed by {bend:.3g} m, {100 * bend / length:.3g} % of its length (accepted: "
            f"{100 * FARTHEST:g} %)",
        ),
        (
            turn / MOST_TURNED,
            f"turned by {turn:.3g} rad at a node (accepted: {MOST_TURNED:g} rad)",
        ),
    ]
    if body.second_order is None:
        most = float(longer.max(initial=0.0))
        words = (
            f"bent sideways by {bend:.3g} m, which at level {body.level!r} lengthens it by "
            f"{most:.3g} m and in truth would not (level 'stiffened' and ls.rod have that right)"
        )
        measures.append((most / (MOST_LENGTHENED * gap) if gap > 0 else 0.0, words))
    return measures
